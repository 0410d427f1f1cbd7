#!/usr/bin/python3
"""The gradients of one's own model between peers (docs/own-model.md): of ridge regression, a row's is (x'w - y) x. The rows are
data.csv's, the last column is y. One line in, one line out, until there are no more."""
import sys

with open("data.csv", encoding="utf-8") as table:
    rows = [[float(cell) for cell in line.split(",")] for line in table.readlines()[1:]]

for line in sys.stdin:
    phase, *model = line.split()
    gradients = []
    for *x, y in rows:
        margin = 0.0
        for a, b in zip(x, model):
            margin += a * float(b)
        gradients += [(margin - y) * a for a in x]  # a gradient for each row: netdp clips them one by one
    print(phase, " ".join(map(repr, gradients)), flush=True)

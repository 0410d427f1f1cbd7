#!/usr/bin/env python3
"""The sum of |M| of streams in 50 digits, from the inverse of the whole view's covariance: the numbers
of tests/law/test_stream_law.c. Python with mpmath (Debian: python3-mpmath)."""
import mpmath as mp

mp.mp.dps = 50


def edges(name, n):
    if name == "ring":
        return [(i, (i + 1) % n) for i in range(n)]
    if name == "path":
        return [(i, i + 1) for i in range(n - 1)]
    if name == "star":
        return [(0, i) for i in range(1, n)]
    if name == "complete":
        return [(i, j) for i in range(n) for j in range(i)]
    return [(i, i ^ 1 << b) for i in range(n) for b in range(n.bit_length() - 1) if i < i ^ 1 << b]


def weights(name, n):
    degree = [0] * n
    for i, j in edges(name, n):
        degree[i] += 1
        degree[j] += 1
    w = mp.zeros(n)
    for i, j in edges(name, n):
        w[i, j] = w[j, i] = mp.mpf(1) / (1 + max(degree[i], degree[j]))
    for i in range(n):
        w[i, i] = 1 - sum(w[i, j] for j in range(n))
    return w, [[j for j in range(n) if j != i and w[i, j] != 0] for i in range(n)]


def absolute(name, n, rounds, u, sums):
    """Node 0 sees its neighbours, or its own sums, and knows its own noise."""
    w, near = weights(name, n)
    power = [mp.eye(n)]
    for _ in range(rounds):
        power.append(power[-1] * w)
    seen = [(t, 0) for t in range(1, rounds + 1)] if sums else \
        [(t, v) for t in range(rounds) for v in near[0]]
    noise = mp.matrix(len(seen), rounds * (n - 1))
    told = mp.matrix(len(seen), rounds)
    for row, (t, v) in enumerate(seen):
        for b in range(min(t, rounds - 1) + 1):
            for i in range(1, n):
                noise[row, b * (n - 1) + i - 1] = power[t - b][v, i]
            told[row, b] = power[t - b][v, u]
    m = told.T * mp.inverse(noise * noise.T) * told
    return sum(abs(m[k, l]) for k in range(rounds) for l in range(rounds))


for case in [("ring", 12, 40, 5, False), ("ring", 12, 40, 1, True), ("path", 9, 30, 8, False),
             ("star", 8, 30, 3, True), ("complete", 8, 20, 5, True), ("complete", 8, 8, 5, False),
             ("hypercube", 16, 20, 15, False), ("hypercube", 8, 40, 3, True)]:
    print(case, mp.nstr(absolute(*case), 25), flush=True)

#!/usr/bin/python3
"""Allocations that fail anywhere, in the libraries too: the right result or an error, never less, and no signal.

Every position would take hours: NETDP_ALLOCATIONS of each command are taken evenly, 60 where it is not set."""
import os
import pathlib
import subprocess
import sys
import tempfile

COMMAND, PRELOAD = os.environ["NETDP_COMMAND"], os.environ["NETDP_FAIL_MALLOC"]
POSITIONS = int(os.environ.get("NETDP_ALLOCATIONS", 60))
GRAPHML = """<?xml version="1.0"?><graphml><graph edgedefault="undirected"><node id="a"/><node id="b"/>
<node id="c"/><edge source="a" target="b"/><edge source="b" target="c"/></graph></graphml>"""
FILES = {"g.graphml": GRAPHML, "e.json": '[{"mechanism": "laplace", "noise": 4}]',
         "s.yaml": "graph: {family: complete 4}\ntask: {kind: account}\n"
                   "protocol: {kind: averaging, rounds: 2}\nprivacy: {noise: 1, as: loss}\n"}
COMMANDS = [["loss", "--family", "complete 5", "--rounds", "2", "--json", "--full"],  # jansson
            ["graph", "info", "--graph", "g.graphml", "--json"],  # igraph, libxml2
            ["convert", "events:e.json", "--to", "dp:1e-5", "--json"],  # FFTW
            ["convert", "gdp:3", "--to", "dp:1e-200"],  # FLINT, GMP
            ["run", "s.yaml", "-o", "out", "--json"],  # libcyaml, gnuplot's caller
            *[["loss", "--family", family, "--protocol", "ring-histogram", "--rounds", "1", "--flip", "0.3", "--levels", "3",
               "--as", "dp:1e-6", "--from", "5", "--to", "0"] for family in ("ring 12", "ring 120")]]  # FLINT: a sum, an integral


def run(words, at):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            pathlib.Path(folder, name).write_text(text, encoding="utf-8")
        done = subprocess.run([COMMAND, *words, "--threads", "1"], cwd=folder, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=1800, check=False,
                              env={**os.environ, "LD_PRELOAD": PRELOAD, "FAIL_MALLOC_AT": str(at)})
        loss = pathlib.Path(folder, "out", "loss.csv")
        return done, loss.read_bytes() if loss.exists() else b""


def main():
    bad = ends = aborts = 0
    for words in COMMANDS:
        counted, table = run(words, -1)
        assert counted.returncode == 0, counted.stderr
        count = int(counted.stderr.split()[-1])
        step = max(1, count // POSITIONS)
        for at in range(step // 2, count, step):
            done, rows = run(words, at)
            ends += 1
            if done.returncode < 0:
                aborts += 1
                print(" ".join(words), "allocation", at, "of", count, "ended by a signal:", done.stderr)
            if done.returncode == 0 and (done.stdout != counted.stdout or rows != table):
                bad += 1
                print(" ".join(words), "allocation", at, "of", count, "less, and exit code 0:",
                      done.stderr.decode(errors="replace"))
    print(f"{ends} allocations failed, {aborts} ended by a signal, {bad} made a result of less")
    sys.exit(bad + aborts > 0)


main()

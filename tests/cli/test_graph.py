#!/usr/bin/python3
"""netdp graph make and netdp graph info."""
import json
import os
import tempfile

from harness import SOURCE, Case, close, main, run

KEYS = ["nodes", "edges", "degree", "connected", "bipartite", "diameter", "mixing", "lambda2",
        "lambda_min", "spectral_gap", "mixing_time"]

with open(os.path.join(SOURCE, "tests/golden/golden.json"), encoding="utf-8") as golden_file:
    GOLDEN = json.load(golden_file)


def agrees_with_golden(name):
    def check(got):
        want = GOLDEN[name]
        assert (got["nodes"], got["edges"]) == (want["nodes"], want["edges"]), got
        for key in ("spectral_gap", "lambda2", "lambda_min"):
            close(got[key], want[key], absolute=1e-10)
    return check


def has(**want):
    def check(got):
        for key, value in want.items():
            assert got[key] == value, f"{key} is {got[key]!r}, want {value!r}"
    return check


def info(text, check=None, **more):
    return Case(f"graph info --json {text}", keys=KEYS, check=check, **more)


def bad_file(content, err):
    return Case("graph info --graph g", 2, err=err, files={"g": content})


CASES = [
    info("--family 'hypercube 5'", agrees_with_golden("hypercube5")),
    info("--family 'ring 12'", agrees_with_golden("ring12")),
    info("--family davis", agrees_with_golden("davis")),
    info("--family florentine", agrees_with_golden("florentine")),
    info("--family 'hypercube 5'", has(degree={"min": 5, "mean": 5, "max": 5}, connected=True,
                                       bipartite=True, diameter=5, mixing="metropolis")),
    info("--family 'complete 2'", has(nodes=2, edges=1, diameter=1, lambda2=0)),
    # W = 11'/n mixes in one round.
    info("--family 'complete 5' --mixing uniform", has(mixing_time=1, mixing="uniform")),
    # Two eigenvalues of modulus 1: periodic, and no mixing time.
    info("--family 'ring 12' --mixing hamilton", has(mixing_time=None, bipartite=True)),
    info("--family 'ring 12' --mixing hamilton", lambda got: close(got["spectral_gap"], 0, 1e-12)),
    info("--family 'ring 12' --mixing lazy:0.5:hamilton",
         lambda got: close(got["lambda_min"], 0, 1e-12)),
    # Disconnected: answered all the same.
    info("--graph g", has(nodes=4, edges=2, connected=False, diameter=None, mixing_time=None,
                          spectral_gap=0), files={"g": b"0 1\n2 3\n"}),
    info("--graph g --giant-component", has(nodes=3, edges=2, connected=True, diameter=2),
         files={"g": b"0 1\n1 2\n3 4\n"}, err="2 nodes outside the giant component"),
    info("--graph g", has(nodes=3, edges=2), files={"g": b"a b\nb a\na a\nb c\n"},
         err="1 self loop"),
    info("--graph g", has(edges=1), files={"g": b"0 1 0.5\n"}, err="weights .*--mixing file"),
    # Above 4000 nodes diameter and mixing time are not computed.
    info("--family 'hypercube 12'", has(nodes=4096, diameter=None, mixing_time=None)),
    Case("graph info --family 'hypercube 12'", out="--full computes it"),
    Case("graph info --family 'ring 12'", out=r"^mixing time +\d+ rounds"),
    Case("graph make grid 2 2", out=r"^0 1$"),
    Case("graph make 'ring 5'", out=r"^3 4$"),
    Case("graph make erdos-renyi 40 c=2 --seed 3", out=r"^\d+ \d+$"),
    Case("graph make stochastic-block 5,5 '1,0.5;0.5,1'", out=r"^0 1$"),
    Case("graph make ring 5 -o out.edges", out=r"\A\Z"),
    Case("graph make ring 5 -o nowhere/out.edges", 3, err="nowhere/out.edges"),
    Case("graph make ring 5 -o /dev/full", 3, err="/dev/full"),
    Case("graph make ring 5 -o .", 3, err="folder"),
    Case("graph make", 2, err="missing FAMILY"),
    Case("graph make rign 5", 2, err="ring"),
    Case("graph make ring", 2),
    Case("graph make ring 5 6", 2),
    *[Case(["graph", "make", "ring", bad], 2) for bad in
      ("0", "x", "5.5", "1e1", "99999999999999999999", "0x5", "")],
    Case("graph make erdos-renyi 10 1.5", 2),
    Case("graph make erdos-renyi 10 nan", 2),
    Case("graph make erdos-renyi 200 0.001", 2, err="erdos-renyi 200 0.001|0.001"),
    Case("graph make erdos-renyi 200 0.001 --connected no", out=r"^\d+ \d+$"),
    Case("graph make ring 5 --connected maybe", 2, err="--connected"),
    Case("graph info", 2, err="no graph"),
    Case("graph info --graph g --family 'ring 5'", 2, err="give one of them"),
    Case("graph info --family 'ring 5' --giant-component", 2, err="--giant-component"),
    Case("graph info --graph g --connected no", 2, err="--connected", files={"g": b"0 1\n"}),
    Case("graph info --family 'ring 5' --mixing uniform", 2, err="uniform"),
    Case("graph info --family 'ring 5' --mixing metropolsi", 2, err="metropolis"),
    *[Case(["graph", "info", "--family", "ring 5", "--mixing", bad], 2) for bad in
      ("lazy:1", "lazy:-0.1", "lazy:nan", "lazy:0.5abc", "lazy:", "lazy:0.5:nothing", "")],
    Case("graph info --graph nowhere", 3, err="nowhere"),
    Case("graph info --graph .", 3),
    bad_file(b"", "g"),
    bad_file(b"# nothing\n", "g"),
    bad_file(b"0 0\n", "g"),
    bad_file(b"0 1\n1 2\x00 3\n", r"g:2|NUL"),
    bad_file(b"0 1\n1 2 heavy\n", r"g:2"),
    bad_file(b"0 1\n1 2 nan\n", r"g:2"),
    bad_file(b"0 1\n1 2 0.5 7\n", r"g:2"),
]


def what_is_made_reads_back():
    """make, then info on the file: the same graph; equal seeds give equal bytes."""
    with tempfile.TemporaryDirectory() as folder:
        made = [run(["graph", "make", "barabasi-albert", "60", "3", "--seed", "9", "--threads", count],
                    folder) for count in ("1", "2")]
        assert made[0] == made[1] and made[0][0] == 0, made
        code, _, err = run("graph make barabasi-albert 60 3 --seed 9 -o g.edges".split(), folder)
        assert code == 0, err
        with open(os.path.join(folder, "g.edges"), encoding="utf-8") as file:
            assert file.read() == made[0][1]
        told = [run(["graph", "info", "--json", "--seed", "9", *words], folder) for words in
                (["--graph", "g.edges"], ["--family", "barabasi-albert 60 3"])]
        assert told[0] == told[1] and told[0][0] == 0, told


main(CASES, [what_is_made_reads_back])

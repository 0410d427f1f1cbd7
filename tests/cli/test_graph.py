#!/usr/bin/python3
"""netdp graph make, netdp graph info and netdp graph centrality."""
import json
import math
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


CENTRALITY_KEYS = ["graph", "katz_attenuation", "to", "mixing", "nodes"]
ENTRY = ["node", "degree", "eigenvector", "katz"]
TOWARDS = ["communicability", "mixing_communicability", "hops"]


def centrality(text, check, **more):
    return Case(f"graph centrality --json {text}", keys=CENTRALITY_KEYS, check=check, **more)


def path_of_three(got):
    """Closed forms: A has eigenvalues 0 and +-sqrt(2)."""
    root = math.sqrt(2)
    a = got["katz_attenuation"]
    close(a, 0.9 / root, relative=1e-12)
    assert (got["graph"], got["to"], got["mixing"]) == ("path 3", 2, "lazy:0.5"), got
    for entry, degree, power, hops in zip(got["nodes"], (1, 2, 1), ((math.cosh(root) - 1) / 2,
                                          math.sinh(root) / root, (math.cosh(root) + 1) / 2), (2, 1, 0)):
        assert list(entry) == ENTRY + TOWARDS, entry
        assert (entry["degree"], entry["hops"]) == (degree, hops), entry
        close(entry["eigenvector"], root / 2 if degree == 2 else 0.5, relative=1e-12)
        close(entry["katz"], (1 + degree * a) / (1 - 2 * a * a), relative=1e-12)
        close(entry["communicability"], power, relative=1e-12)
    close(sum(entry["mixing_communicability"] for entry in got["nodes"]), math.e, relative=1e-12)


def every_node_alike(got):
    assert got["to"] is None and got["mixing"] is None, got
    close(got["katz_attenuation"], 0.1)
    for entry in got["nodes"]:
        assert list(entry) == ENTRY, entry
        close(entry["eigenvector"], 1 / math.sqrt(5), relative=1e-12)
        close(entry["katz"], 1 / (1 - 0.4), relative=1e-12)


def named(got):
    assert [entry["name"] for entry in got["nodes"]] == ["a,b", 'c"d', "e"], got


def overflows(got):
    assert all(entry["communicability"] is None for entry in got["nodes"]), got
    close(sum(entry["mixing_communicability"] for entry in got["nodes"]), math.e, relative=1e-12)


def centrality_table(text):
    lines = text.splitlines()
    assert lines[0].split() == "node name degree eigenvector katz exp(A) exp(W) hops".split(), lines
    assert len(lines) == 17 and lines[2].split()[:3] == ["1", "Medici", "6"], lines


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
    info("--graph g", has(nodes=3, edges=2), files={"g": b"source,target\n0, 1\n1,2\n"}),
    Case("graph info --graph g", 2, err=r"g:2: .* the line is 'a\|b'; .*'source,target,weight'",
         files={"g": b"# names\na|b\n"}),
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
    Case("graph mak", 2, err="'mak': must be centrality, make or info; did you mean 'make'"),
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
    centrality("--family 'path 3' --to 2 --mixing lazy:0.5", path_of_three),
    centrality("--family 'complete 5' --katz-attenuation 0.1", every_node_alike),
    centrality("--graph g", named, files={"g": b'"a,b" "c""d"\n"c""d" e\n'}),
    centrality("--family 'complete 720' --to 0", overflows, err="exp.A. overflows"),
    centrality("--family florentine --to Medici", has(to=1)),
    # A node alone: no edge, and no attenuation to choose.
    centrality("--graph g --to 0", has(katz_attenuation=0), files={"g": b"0\n"}),
    Case("graph centrality --family florentine --to Medici", check=centrality_table),
    Case("graph centrality --family davis", out=r"^katz: attenuation 0\.\d+\.$"),
    Case("graph centrality --family davis --help", out="Usage: netdp graph centrality"),
    Case("graph centrality --graph g --csv -", files={"g": b'=1+1 @x\n-y @x\nz -y\n'},
         out=r'\n0,"\'=1\+1",[^\n]+\n1,"\'@x",[^\n]+\n2,"\'-y",[^\n]+\n3,"z",'),
    Case("graph centrality --graph g --csv -", files={"g": b'"a,b" "c""d"\n"c""d" e\n'},
         out=r'\Anode,name,degree,eigenvector,katz\n0,"a,b",1,[^\n]+\n1,"c""d",2,'),
    Case("graph centrality --family 'ring 5' --csv - --to 3",
         out=r"^3,,2,[^,]+,[^,]+,[^,]+,[^,]+,0$"),
    Case("graph centrality --family 'ring 5' --csv nowhere/x", 3, err="nowhere/x"),
    Case("graph centrality --family 'ring 5' --csv - --json", 2, err="--csv"),
    Case("graph centrality", 2, err="no graph"),
    Case("graph centrality --family 'ring 5' stray", 2, err="stray"),
    Case("graph centrality --family 'ring 5' --to 5", 2, err="--to: no node '5'"),
    Case("graph centrality --family 'ring 5' --to ''", 2, err="--to"),
    Case("graph centrality --family 'ring 5' --mixing hamilton", 2, err="--mixing: applies with --to"),
    Case("graph centrality --family 'ring 5' --to 0 --mixing uniform", 2, err="uniform"),
    Case("graph centrality --family 'hypercube 12' --to 0", 2, err="4000 nodes"),
    Case("graph centrality --graph g", 2, err="2 components", files={"g": b"0 1\n2 3\n"}),
    *[Case(f"graph centrality --family 'ring 5' --katz-attenuation {bad}", 2, err="attenuation")
      for bad in ("0", "-0.1", "0.5", "1e9", "nan", "x")],
    Case("graph centrality --family 'ring 5' --katz-attenuation 0.49"),
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

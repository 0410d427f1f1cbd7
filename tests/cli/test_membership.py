#!/usr/bin/python3
"""Whether a record was in, told by a curious node from what it sees of averaging (membership by mixing, arXiv 2412.12837).

What a claim allows is computed here without netdp, and so is what two people are told apart by who look alike to the observer.
"""
import csv
import io
import os
import pathlib
import re
import shlex
import statistics
import tempfile

from harness import SOURCE, main, read_json, run

NORMAL = statistics.NormalDist()
POINTS = {"area": 0.5, "at_0.1": 0.1, "at_0.01": 0.01}  # what a guess finds


def gaussian(mu):
    """The best attack on mu-GDP (Dong, Roth and Su 2022)."""
    return {"area": NORMAL.cdf(mu / 2**0.5), **{f"at_{f}": NORMAL.cdf(mu + NORMAL.inv_cdf(f)) for f in (0.1, 0.01)}}


def audit(*more, study="experiments/membership.yaml", rows=True):
    with tempfile.TemporaryDirectory() as folder:
        code, out, err = run(["audit", os.path.join(SOURCE, study), "--membership", "--json", "-o", "out", *more], folder)
        assert code == 0, err
        listed = list(csv.DictReader(io.StringIO(pathlib.Path(folder, "out/membership.csv").read_text(encoding="utf-8"))))
        assert "without noise" in pathlib.Path(folder, "out/membership.svg").read_text(encoding="utf-8")
    found = read_json(out)["membership"]
    assert len(listed) == 5 * sum(len(one["nodes"]) for one in found)
    return found


def near(part, wanted, errors, what):
    for point, value in wanted.items():
        assert abs(part[point] - value) <= errors * part[point + "_error"] + 1e-12, (what, point, part, value)


def twins():
    """Nodes of davis with equal neighbours, 0 not among them."""
    code, out, err = run(["graph", "make", "davis"], SOURCE)
    assert code == 0, err
    words = [shlex.split(line, comments=True) for line in out.splitlines()]
    names = [line[0] for line in words if len(line) == 1]
    edges = [[names.index(name) for name in line] for line in words if len(line) == 2]
    assert len(names) == 32 and len(edges) == 89
    beside = [{b for a, b in edges if a == u} | {a for a, b in edges if b == u} for u in range(32)]
    return [u for u in range(1, 32) if 0 not in beside[u] and any(beside[u] == beside[v] for v in range(32) if v != u)]


def before_and_after():
    """Without noise all is told; with it what the account says, which noise in pairs makes less."""
    own, edges, everyone = audit("--from", "3", "--to", "0")
    assert [one["name"] for one in (own, edges, everyone)] == ["own noise", "pairs along edges", "pairs among all"]
    for one in (own, edges, everyone):
        assert len(one["nodes"]) == 31 and one["verdict"] == "consistent", one["name"]
        for node in one["nodes"]:
            near(node["allowed"], gaussian(node["mu"]), 0, one["name"])
            # The likelihood ratio finds all that the exact account allows, so it is not below either.
            near(node["known"], gaussian(node["mu"]), 4.5, (one["name"], node["from"]))
            assert all(node["known_without_noise"][point] == 1 for point in POINTS), node
            for point in POINTS:  # who knows less finds no more
                assert node["unknown"][point] < node["allowed"][point] + 4 * node["unknown"][point + "_error"], node
    # Two with the same neighbours look alike: told is the sum of both records, of three values: (1/2 + 1 + 1 + 1)/4.
    alike = [node for node in own["nodes"] if node["unknown_without_noise"]["area"] < 1]
    assert [node["from"] for node in alike] == twins(), alike
    for node in alike:
        near(node["unknown_without_noise"], {"area": 0.875}, 4.5, node["from"])
    for before, after in zip(own["nodes"], everyone["nodes"], strict=True):
        # With kappa = 10 among all the sum of the 31 others is left: one's noise is that of all.
        assert 0.5 < before["mu"] <= 1 + 1e-9 and 0.95 < 31**0.5 * after["mu"] < 1.05, (before, after)
        for point, guess in POINTS.items():
            assert after["known"][point] < before["known"][point] - 4 * before["known"][point + "_error"], (point, before, after)
            assert after["known"][point] < guess + 0.06, after


    page = pathlib.Path(SOURCE, "docs/gallery.md").read_text(encoding="utf-8")  # its table says these numbers
    for row, part in (("allowed by the account", "allowed"), ("all others' records known", "known"), ("nobody's known", "unknown")):
        said = [float(cell) for cell in re.search(rf"^\| {row} \|(.*)\|$", page, re.M).group(1).split("|")]
        means = [sum(node[part]["area"] for node in one["nodes"]) / 31 for one in (own, edges, everyone)]
        plain = part + "_without_noise"
        first = 1 if part == "allowed" else sum(node[plain]["area"] for node in own["nodes"]) / 31
        for told, now in zip(said, [first, *means], strict=True):
            assert abs(told - now) < 6e-4 + (0 if part == "allowed" else 1e-3), (row, said, means)


def what_is_claimed_too_low_is_refuted():
    """Paper C's Theorem 1, which `netdp audit` refutes on a ring with hardly any dither, is refuted of many at once."""
    said, = audit("--from", "15", "--to", "0", "--bound", "published", study="experiments/audit-ring.yaml")
    assert said["verdict"] == "refuted"
    true, = audit("--from", "15", "--to", "0", study="experiments/audit-ring.yaml")
    assert true["verdict"] == "consistent"
    wrong = [node["from"] for node in said["nodes"] if node["verdict"] == "refuted"]
    assert 15 in wrong and 1 not in wrong, wrong  # far away, not beside




def where_it_does_not_apply():
    with tempfile.TemporaryDirectory() as folder:
        rows = "value\n" + "".join(f"{v / 6}\n" for v in range(6))
        pathlib.Path(folder, "values.csv").write_text(rows, encoding="utf-8")
        pathlib.Path(folder, "rows.yaml").write_text("""
graph: {family: ring 6}
data: {csv: values.csv, columns: [{name: value, bounds: [0, 1]}]}
task: {kind: mean}
protocol: {kind: averaging, rounds: 4}
privacy: {noise: 1, delta: 1e-6, protects: row}
""", encoding="utf-8")
        code, _, err = run(["audit", "rows.yaml", "--membership"], folder)
        assert code == 2 and "membership" in err and "protects=node" in err, (code, err)
        code, _, err = run(["audit", os.path.join(SOURCE, "experiments/meters-histogram.yaml"), "--membership", "-o", "out"], folder)
        assert code == 2 and "membership: the study sums or counts" in err and err.count("\n") == 1, (code, err)


main([], [before_and_after, what_is_claimed_too_low_is_refuted, where_it_does_not_apply])

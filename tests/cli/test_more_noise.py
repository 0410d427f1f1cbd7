#!/usr/bin/python3
"""Nodes that want more: noise that is given, targets that are met, and where neither applies."""
import csv
import json
import pathlib
import subprocess
import tempfile
import time

from harness import COMMAND, main, run

STUDY = """
seed: 2
graph: {family: davis}
mixing: {weights: metropolis}
data: {csv: values.csv, columns: [{name: value, bounds: [0, 1]}]}
task: {kind: mean}
protocol: {kind: averaging, rounds: 6}
privacy: {epsilon: 2, delta: 1e-6, over: %s, dither: 0.1}
output: {repeat: 2}
"""
VALUES = "value\n" + "".join(f"{v / 32}\n" for v in range(32))
TARGETS = {5: 0.5, 20: 1.0, 7: 50.0}  # the last has it already


def put(folder, over="mean", study=STUDY):
    pathlib.Path(folder, "values.csv").write_text(VALUES, encoding="utf-8")
    pathlib.Path(folder, "study.yaml").write_text(study % over, encoding="utf-8")


def network(folder, out, *more):
    code, printed, err = run(["run", "study.yaml", "-o", out, *more], folder)
    assert code == 0, err
    summary = json.loads(pathlib.Path(folder, out, "summary.json").read_text(encoding="utf-8"))
    told, = (variant for variant in summary["variants"] if variant["name"] not in ("central", "local"))
    rows = csv.DictReader(pathlib.Path(folder, out, "loss.csv").read_text(encoding="utf-8").splitlines())
    pairs = {(int(row["from"]), int(row["to"])): float(row[list(row)[-1]]) for row in rows}
    return told, pairs


def of(pairs, node, over):
    """What the study asks of one node."""
    values = [value for (u, _), value in pairs.items() if u == node]
    assert len(values) == 31, len(values)
    return max(values) if over == "worst" else sum(values) / len(values)


def targets_are_met():
    wanted = "privacy.targets=" + ",".join(f"{node}:{target}" for node, target in TARGETS.items())
    for over in ("mean", "worst"):
        with tempfile.TemporaryDirectory() as folder:
            put(folder, over)
            plain, before = network(folder, "plain")
            told, after = network(folder, "more", "--set", wanted)
            assert told["noise"] == plain["noise"] and "more_noise" not in plain
            more = {int(node): times for node, times in told["more_noise"].items()}
            assert set(more) == {5, 20} and more[5] > more[20] > 1, more
            for node, target in TARGETS.items():
                assert of(after, node, over) <= target * (1 + 1e-6), (over, node, of(after, node, over))
                assert node == 7 or of(after, node, over) > 0.9999 * target, (over, node, of(after, node, over))
            for pair, value in before.items():
                assert after[pair] == value if pair[0] not in more else after[pair] < value, (pair, value, after[pair])
            assert any("up to %.3g times" % more[5] in remark and "2 nodes add" in remark for remark in told["remarks"]), told
            given = ",".join(f"{node}:{times!r}" for node, times in more.items())
            noisy = STUDY.replace("epsilon: 2", f"noise: {told['noise']!r}")
            put(folder, over, noisy)
            assert network(folder, "given", "--set", "privacy.more_noise=" + given)[1] == after
            put(folder, over)
            near = max((value, to) for (node, to), value in after.items() if node == 20)[1]
            code, out, err = run(["audit", "study.yaml", "--set", wanted, "--from", "20", "--to", str(near), "--json", "-o", "audit"], folder)
            assert code == 0, err
            for audit in json.loads(out)["audits"]:
                assert audit["verdict"] == "consistent" and audit["evidence"]["mu"] > 0.2 * audit["claim"]["mu"], audit


def it_goes_on():
    """A plan that is stored holds them: the same files after kill -9 as undisturbed."""
    words = ["run", "study.yaml", "--set", "privacy.targets=5:0.5", "--set", "output.repeat=20000", "-o"]
    with tempfile.TemporaryDirectory() as folder:
        put(folder)
        code, _, err = run([*words, "whole"], folder)
        assert code == 0, err
        child = subprocess.Popen([COMMAND, *words, "cut"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        begun = pathlib.Path(folder, "cut", "checkpoint")
        while not begun.exists() and child.poll() is None:
            time.sleep(0.002)
        child.kill()
        child.wait()
        assert begun.exists(), "the run was over before it could be stopped"
        code, _, err = run([*words, "cut"], folder)
        assert code == 0, err
        for name in ("summary.json", "private.json", "trace.csv", "loss.csv"):
            assert pathlib.Path(folder, "cut", name).read_bytes() == pathlib.Path(folder, "whole", name).read_bytes(), name


def where_it_does_not_apply():
    cases = [
        (["privacy.targets=5:0"], "number above 0"), (["privacy.targets=5"], "NODE:NUMBER"), (["privacy.targets=99:1"], "99"),
        (["privacy.targets=5:0.2,5:9"], "named twice"),
        (["privacy.more_noise=5:0.5"], "from 1"), (["privacy.more_noise=5:2", "privacy.targets=5:1"], "leave privacy.more_noise out"),
        (["privacy.epsilon=inf", "privacy.targets=5:1"], "finite privacy.epsilon"),
        (["privacy.bound=published", "privacy.more_noise=5:2"], "exact or everything"),
        (["protocol.redraw=round", "graph.family=regular 32 4", "privacy.more_noise=5:2"], "does not change"),
        (["protocol.kind=random-averaging", "privacy.more_noise=5:2"], "does not change"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        put(folder)
        for number, (keys, said) in enumerate(cases):
            code, out, err = run(["run", "study.yaml", "-o", f"out{number}", *(word for key in keys for word in ("--set", key))], folder)
            assert code in (2, 3) and err.count("\n") == 1 and said in err, (keys, code, err)


main([], [targets_are_met, it_goes_on, where_it_does_not_apply])

#!/usr/bin/python3
"""netdp audit: sound bounds stand, published ones fall, results as files, the auditor's self-test."""
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import xml.etree.ElementTree

from harness import COMMAND, SOURCE, Case, main, read_json, run


def experiment(name):
    return os.path.join(SOURCE, "experiments", name)


def audit(name, *more, env=None):
    """audit.json, and the folder's files by name."""
    with tempfile.TemporaryDirectory() as folder:
        code, out, err = run(["audit", experiment(name), "-o", "found", "--json", *more], folder, env=env)
        assert code == 0, f"{name} {more}: {err}"
        files = {}
        for entry in os.listdir(os.path.join(folder, "found")):
            with open(os.path.join(folder, "found", entry), "rb") as file:
                files[entry] = file.read()
    return read_json(out), files


def verdicts(result):
    return [one["verdict"] for one in result["audits"]]


def sound_bounds_stand():
    for name, more in (("../tests/cli/davis.yaml", []), ("audit-ring.yaml", ["--from", "15", "--to", "0"]),
                       ("../tests/cli/davis.yaml", ["--set", "privacy.pair_graph=edges", "--set", "privacy.pair_noise=3"]),
                       ("audit-feedback.yaml", ["--from", "2", "--to", "1"]),
                       ("audit-star.yaml", ["--from", "1", "--to", "0"]),
                       ("audit-feedback.yaml", ["--set", "protocol.kind=muffliato-sgd", "--set",
                                                "protocol.inner=4", "--set", "privacy.sees=sum"]),
                       ("audit-visits.yaml", [])):
        result, _ = audit(name, "--runs", "10000" if name == "audit-ring.yaml" else "4000", *more)
        for one in result["audits"]:
            assert one["sound"] is True and one["verdict"] != "refuted", (name, one)
            assert one["direction"] == "upper" and one["assumes"].startswith("nodes follow"), one
            assert one["certified"] is (one["reason"] is None), one
            unit = one["found_at_least_in"]
            found, claim = one["evidence"][unit], one["claim"][unit]
            assert 0 <= found <= claim, (name, one)
            assert found > 0 or "no model" in one["attack"], (name, one)
        if name in ("../tests/cli/davis.yaml", "audit-ring.yaml"):  # exact: the attacks come close
            first, blind = [one["evidence"]["mu"] for one in result["audits"]]
            assert first >= 0.8 * claim and blind >= 0.6 * claim, (name, first, blind, claim)


def tallies_stand():
    """All four protocols, each mechanism; a histogram on the complete graph is the cheap one."""
    complete = ["--set", "graph.family=complete 32", "--set", "protocol.rounds=64", "--set",
                "protocol.cap=2", "--set", "protocol.kind=complete-histogram"]
    for name, more, bounds in (
            ("meters-ring.yaml", ["--set", "privacy.epsilon=2", "--set", "privacy.delta=0.01"],
             ["exact"] * 3),
            ("meters-ring.yaml", ["--bound", "local"], ["local"] * 3),
            ("meters-histogram.yaml", complete, ["local"])):
        result, files = audit(name, "--runs", "4000", *more)
        assert [one["bound"] for one in result["audits"]] == bounds, result
        for one in result["audits"]:
            unit = one["found_at_least_in"]
            claim = one["claim"][unit]
            assert unit == ("mu" if "meters-ring" in name and one["name"] != "laplace" else "epsilon")
            assert one["sound"] is True and one["verdict"] != "refuted", (name, more, one)
            assert 0 <= one["evidence"][unit] <= float(claim), (name, more, one)
            if "exact" in bounds:
                assert one["evidence"][unit] >= 0.6 * claim, (name, one)
        xml.etree.ElementTree.fromstring(files[f"audit-{len(bounds)}.svg"])


def published_bounds_fall():
    for name, more, runs in (
            ("audit-ring.yaml", ["--from", "15", "--to", "0", "--bound", "published"], "4000"),
            ("audit-feedback.yaml", ["--from", "2", "--to", "1", "--bound", "linear"], "10000"),
            ("audit-star.yaml", ["--from", "1", "--to", "0", "--bound", "published"], "10000"),
            ("audit-star.yaml", ["--from", "1", "--to", "0", "--bound", "published-log"], "10000"),
            ("audit-visits.yaml", ["--from", "1", "--to", "0", "--bound", "first-passage"], "10000")):
        result, _ = audit(name, "--runs", runs, *more)
        assert all(one["sound"] is False for one in result["audits"]), (name, result)
        assert "refuted" in verdicts(result), (name, more, [
            (one["claim"], one["evidence"]["mu"], one["evidence"]["epsilon"])
            for one in result["audits"]])


def files_of_an_audit():
    one, files = audit("audit-ring.yaml", "--runs", "1000", "--reconstruct",
                       env={"OMP_NUM_THREADS": "1"})
    two, again = audit("audit-ring.yaml", "--runs", "1000", "--reconstruct",
                       env={"OMP_NUM_THREADS": "2"})
    assert one == two
    for name in ("audit.json", "audit.csv", "study.yaml", "loss.csv"):
        assert files[name] == again[name], name
    assert json.loads(files["audit.json"]) == one
    xml.etree.ElementTree.fromstring(files["audit-1.svg"])
    points = files["audit.csv"].decode().splitlines()
    assert points[0].startswith("audit,name,false_positive") and len(points) > 5
    known = [entry["distance"] for entry in one["reconstruction"]]
    assert known == list(range(1, 31)), known
    near, far = one["reconstruction"][0], one["reconstruction"][-1]
    assert far["rmse"] == "inf" or far["rmse"] > 3 * near["rmse"], (near, far)


RESUMED = """
graph: {family: ring 12}
data: {source: meters, columns: [{name: h19, bounds: [0, 5]}]}
task: {kind: mean}
protocol: {kind: averaging, rounds: 8}
privacy: {epsilon: 4, delta: 1e-6, dither: 0.1}
variants:
  - {name: gossip}
  - {name: sums, privacy: {sees: sum}}
"""


def contents(folder):
    return {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir() if path.name != "run.log"}


def interrupted_audits_go_on():
    """From what was judged, to the same bytes as undisturbed; of another audit, or torn, nothing is taken."""
    words = ["audit", "study.yaml", "--runs", "20000", "--reconstruct"]
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "study.yaml").write_text(RESUMED, encoding="utf-8")
        code, _, err = run([*words, "-o", "whole"], folder)
        assert code == 0, err
        whole = contents(f"{folder}/whole")
        kept = None
        for number in (signal.SIGINT, signal.SIGKILL):
            out = f"out{int(number)}"
            begun = pathlib.Path(folder, out, "audit.checkpoint")
            child = subprocess.Popen([COMMAND, *words, "-o", out], cwd=folder, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL)
            while not begun.exists() and child.poll() is None:
                time.sleep(0.005)
            child.send_signal(number)
            child.wait()
            kept = begun.read_text(encoding="utf-8") if begun.exists() else kept
            code, _, err = run([*words, "-o", out], folder)
            assert code == 0 and contents(f"{folder}/{out}") == whole, (number, err)
        assert kept is not None, "the audit was over before it could be stopped"
        first = json.loads(kept)["audits"][0]["evidence"]["tested"]
        edited = kept.replace(f'"tested": {first}', '"tested": 17', 1)
        digits = json.loads(kept)["sha256"]
        sealed = edited.replace(digits, "0" * 64)
        sealed = sealed.replace("0" * 64, hashlib.sha256(sealed.encode()).hexdigest())

        def goes_on(held, *more):
            for path in pathlib.Path(folder, "out2").glob("audit*"):
                path.unlink()
            pathlib.Path(folder, "out2/audit.checkpoint").write_text(held, encoding="utf-8")
            code, out, err = run([*words, "-o", "out2", "--json", *more], folder)
            assert code == 0 and not pathlib.Path(folder, "out2/audit.checkpoint").exists(), err
            return read_json(out)["audits"][0]["evidence"]["tested"]
        assert goes_on(sealed) == 17  # it is gone on from: what it says was not attacked again
        assert goes_on(edited) == first and goes_on(kept[:-9]) == first
        assert goes_on(sealed, "--confidence", "0.99") != 17 and goes_on(sealed, "--from", "3", "--to", "9") != 17


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        code, out, err = run(["audit", "--self-test", "--json"], folder)
    result = read_json(out)
    assert code == 0 and result["failed"] == 0, (err, result)
    assert len(result["lines"]) >= 10


CASES = [
    Case("audit", 2, err="no study"),
    Case("audit --self-test study.yaml", 2, err="leave out the study"),
    Case("audit nowhere.yaml", 3, err="nowhere.yaml"),
    Case(["audit", experiment("audit-ring.yaml"), "--runs", "10"], 2, err="300"),
    Case(["audit", experiment("audit-ring.yaml"), "--confidence", "1"], 2, err="between 0 and 1"),
    Case(["audit", experiment("audit-ring.yaml"), "--from", "3", "--to", "3"], 2, err="two nodes"),
    Case(["audit", experiment("audit-ring.yaml"), "--from", "60"], 2, err="60"),
    Case(["audit", experiment("audit-ring.yaml"), "--bound", "abs-sum"], 2, err="abs-sum"),
    Case(["audit", experiment("meters-ring.yaml"), "--reconstruct"], 2, err="leave it out"),
    Case(["audit", experiment("meters-ring.yaml"), "--bound", "published"], 2,
         err="use local or auto"),
]

main(CASES, [sound_bounds_stand, tallies_stand, published_bounds_fall, files_of_an_audit, interrupted_audits_go_on, self_test])

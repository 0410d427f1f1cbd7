#!/usr/bin/python3
"""The trusted aggregator: never worse than local noise for want of a mechanism, and at the others' scale in figures."""
import csv
import json
import math
import os
import pathlib
import tempfile

from harness import LIGHT, SOURCE, main, run

TRACED = """title: A figure over rounds
seed: 1
graph: {family: ring 6}
data: {csv: d.csv, per_node: one, columns: [{name: a}]}
task: {kind: mean, bounds: [0, 9]}
protocol: {kind: averaging, rounds: 40}
privacy: {epsilon: 2, delta: 1e-6, over: worst}
output: {every: 4, repeat: 3}
figure: {kind: trace, y: objective, says: nothing}
"""


def results(folder, study, *words):
    code, out, err = run(["run", study, "-o", "results", *words], folder)
    assert code == 0, err
    told = [json.loads(pathlib.Path(folder, "results", name).read_text(encoding="utf-8"))["variants"] for name in ("summary.json", "private.json")]
    return out, {one["name"]: one for one in told[0]}, {one["name"]: one["error"] for one in told[1]}


def errs_less_than_local():
    """On a histogram at epsilon 4, whose local noise is a random answer, and on sums with Laplace noise."""
    for study, low, apart in (("meters-ring.yaml", 1, 1),) if LIGHT else (("meters-ring.yaml", 1, 1), ("meters-histogram.yaml", 4, 2)):
        with tempfile.TemporaryDirectory() as folder:
            out, told, errors = results(folder, os.path.join(SOURCE, "experiments", study))
            for central, local in zip(errors["central"]["columns"], errors["local"]["columns"], strict=True):
                assert central["rmse"] < local["rmse"], (study, central, local)
            central = told["central"]
            assert central["mechanism"] == "laplace" and "Laplace noise" in out, central
            # The scale is the L1 sensitivity over epsilon: no less, and in units of the L2 sensitivity.
            assert math.sqrt(apart) / low <= central["noise"] <= math.sqrt(apart) / low * (1 + 1e-12), central
            wanted = errors["central"]["objective"]
            assert abs(wanted["mean"] - wanted["predicted"]) < 5 * wanted["standard_error"], wanted
    with tempfile.TemporaryDirectory() as folder:  # where Gaussian noise is less: many columns' worth of delta
        out, told, _ = results(folder, os.path.join(SOURCE, "experiments/meters-histogram.yaml"), "--set", "privacy.epsilon=0.2",
                               "--set", "privacy.delta=0.1", "--quick")
        assert "mechanism" not in told["central"] and "central: noise is sigma" in out, told["central"]


def is_a_level_in_traces():
    """From the first step of the others to their last, at what it ends with."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "d.csv").write_text("a\n" + "".join(f"{i}\n" for i in range(6)), encoding="utf-8")
        pathlib.Path(folder, "study.yaml").write_text(TRACED, encoding="utf-8")
        code, _, err = run(["reproduce", "study.yaml", "-o", "results"], folder)
        assert code == 0, err
        with open(os.path.join(folder, "results/figure.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        at = {name: [float(row["x"]) for row in rows if row["curve"] == name] for name in ("central", "local", "gossip")}
        assert at["local"] == at["gossip"] and len(at["gossip"]) > 5, at
        assert at["central"] == [at["gossip"][0], at["gossip"][-1]], at
        heights = {row["y"] for row in rows if row["curve"] == "central"}
        assert len(heights) == 1 and float(heights.pop()) > 0, rows


main([], [errs_less_than_local, is_a_level_in_traces])

#!/usr/bin/python3
"""privacy.noise of studies that run: the same noise gives the same guarantee and the same run as where it was found."""
import json
import pathlib
import random
import re
import tempfile

from harness import Case, main, results, run

MEAN = """\
title: Given
seed: 5
graph: {family: GRAPH}
data: {csv: values.csv}
task: {kind: TASK, bounds: [0, 3]MORE}
protocol: {kind: PROTOCOL}
privacy: {epsilon: 6, delta: 1e-2, over: mean}
output: {every: 40, repeat: 3}
"""
MODEL = """\
title: Learn
seed: 3
graph: {family: GRAPH}
data: {csv: rows.csv, label: kind, split: 0.75}
task: {kind: logistic, clip: 0.5, step: 1, central_steps: 20}
protocol: {kind: PROTOCOL}
privacy: {epsilon: 6, delta: 1e-2, over: mean}
output: {every: 40, repeat: 3}
"""


def study(text, graph, protocol, task="mean", more=""):
    return text.replace("GRAPH", graph).replace("PROTOCOL", protocol).replace("TASK", task).replace("MORE", more)


STUDIES = {
    "averaging": study(MEAN, "davis", "averaging, rounds: 12"),
    "pairs": study(MEAN, "davis", "averaging, rounds: 12").replace("over: mean", "over: worst, pair_graph: edges, pair_noise: 5"),
    "walk of a mean": study(MEAN, "hypercube 4", "walk, rounds: 80, cap: 10", more=", step: 0.05"),
    "private law": study(MODEL, "star 6", "weighted-walk, rounds: 20, cap: 2, law: \"gamma:2,4,6\"").replace("epsilon: 6", "epsilon: 20"),
    "phases": study(MODEL, "hypercube 4", "muffliato-sgd, rounds: 12, inner: 3"),
    "walk of a model": study(MODEL, "hypercube 4", "walk, rounds: 80, cap: 10"),
    "ring sum": study(MEAN, "ring 12", "ring-sum, rounds: 2", "sum"),
    "laplace": study(MEAN, "ring 12", "ring-sum, rounds: 2, mechanism: laplace", "sum"),
    "complete sum": study(MEAN, "complete 12", "complete-sum, rounds: 48, cap: 6", "sum"),
    "histogram": study(MEAN, "complete 12", "complete-histogram, rounds: 48, cap: 6", "histogram", ", levels: 4"),
}


def put(folder, text):
    draw = random.Random(5)
    lines = ["a,b,c,kind"]
    for _ in range(80):
        x = [draw.gauss(0, 1) for _ in range(3)]
        lines.append(f"{x[0]:.6f},{x[1]:.6f},{x[2]:.6f},{'yes' if x[0] - x[1] > 0 else 'no'}")
    pathlib.Path(folder, "rows.csv").write_text("\n".join(lines) + "\n")
    pathlib.Path(folder, "values.csv").write_text("value\n" + "".join(f"{(7 * k) % 11 / 10}\n" for k in range(48)))
    pathlib.Path(folder, "study.yaml").write_text(text)


def told(folder, out, *words):
    code, printed, err = run(["run", "study.yaml", "-o", out, *words], folder)
    assert code == 0, err
    return results(folder, out)["variants"], printed


def epsilon_of(variant):
    guarantee = variant["guarantee"]
    return guarantee["epsilon"] if guarantee["by_distance"] is None else guarantee["worst"]["epsilon"]


def same_as_found():
    for name, text in STUDIES.items():
        with tempfile.TemporaryDirectory() as folder:
            put(folder, text)
            found, _ = told(folder, "found")
            target = float(re.search("epsilon: ([0-9]+)", text).group(1))
            for i, variant in enumerate(found):
                given, printed = told(folder, f"given{i}", "--set", f"privacy.noise={variant['noise']!r}")
                assert "no target: the noise is given" in printed, printed
                assert [one["noise"] for one in given] == [variant["noise"]] * 3, name
                if variant.get("mechanism") != given[i].get("mechanism"):  # central takes the better of two; given noise is Gaussian
                    assert (i, variant["mechanism"]) == (0, "laplace") and "mechanism" not in given[i], (name, i)
                    continue
                if i < 2:  # baselines are told the target where it was met
                    assert 0.99 * target <= epsilon_of(given[i]) <= target * (1 + 1e-9), (name, i, epsilon_of(given[i]))
                else:
                    assert given[i]["guarantee"] == variant["guarantee"], name
                    held = [pathlib.Path(folder, out, "loss.csv").read_bytes() for out in ("found", f"given{i}")]
                    assert held[0] == held[1], name
                for key in ("error", "utility", "objective", "rounds", "expected"):
                    assert given[i].get(key) == variant.get(key), (name, i, key)


def more_noise_tells_less():
    for name, text in STUDIES.items():
        noises = ("0.3", "0.6") if name == "histogram" else ("3", "6")
        with tempfile.TemporaryDirectory() as folder:
            put(folder, text)
            less, more = ([epsilon_of(one) for one in told(folder, noise, "--set", f"privacy.noise={noise}")[0]] for noise in noises)
            assert all(a > b for a, b in zip(less, more)), (name, less, more)
            code, _, err = run(["run", noises[0]], folder)  # what is there is accounted for again, not believed
            assert code == 0, err


def beside_a_target():
    """A variant with a noise among others with a target; rounds by the formula at that noise."""
    with tempfile.TemporaryDirectory() as folder:
        put(folder, study(MEAN, "davis", "averaging, rounds: auto")
            + "variants:\n  - {name: found}\n  - {name: given, privacy: {noise: 9}}\n")
        variants, printed = told(folder, "out")
        assert variants[3]["noise"] == 9 and variants[2]["noise"] != 9
        assert variants[3]["target"] is None and variants[2].get("target", 0) != None, variants[3]
        assert "given: epsilon, dp:0.01 (no target: the noise is given)" in printed, printed
        put(folder, study(MODEL, "hypercube 4", "muffliato-sgd, rounds: auto, phases: 3"))
        variants, _ = told(folder, "phases", "--set", "privacy.noise=2")
        assert variants[2]["noise"] == 2 and variants[2]["rounds"] % 3 == 0


def deltas_of_their_own():
    """Variants that differ in delta alone have no target to differ in: each epsilon still stands under its delta."""
    text = study(MEAN, "ring 7", "averaging, rounds: 12").replace("epsilon: 6, delta: 1e-2", "noise: 2, delta: 1e-6") + (
        "variants: [{name: a}, {name: b, privacy: {delta: 1.0e-6}}, {name: c, privacy: {delta: 0.1}}]\n"
        "figure: {kind: distance}\n")
    with tempfile.TemporaryDirectory() as folder:
        put(folder, text)
        variants, printed = told(folder, "out")
        assert [one["guarantee"].get("unit") for one in variants[2:]] == ["dp:1e-6", "dp:1e-6", "dp:0.1"]
        lines = [line for line in printed.splitlines() if "epsilon, dp:" in line]
        assert lines == [f"{of}epsilon, dp:{delta} (no target: the noise is given)" for of, delta in (("", "1e-6"), ("c: ", "0.1"))], lines
        for more, label in (("", "epsilon, each at its own delta"), ("--set privacy.delta=0.1", "epsilon at delta 0.1")):
            if more:
                put(folder, text.replace("1.0e-6", "0.1"))
            code, _, err = run(["reproduce", "study.yaml", "-o", "drawn" + more[-3:], *more.split()], folder)
            assert code == 0, err
            figure = json.loads(pathlib.Path(folder, "drawn" + more[-3:], "figure.json").read_text())
            assert figure["y_label"] == label, figure["y_label"]


def noises_of_several_kinds():
    """The aggregator's noise is Gaussian where it is given, else the better of two, and the lines below the table say which."""
    flip, scale = "the probability of a random answer", "the scale of Laplace noise, in units of the sensitivity"
    sigma = "central: noise is sigma in units of the sensitivity."
    for name, most, kind in (("histogram", flip, "randomised response"), ("complete histogram", flip, "randomised response"),
                             ("laplace", scale, "laplace"), ("ring sum", "in units of the sensitivity", None)):
        with tempfile.TemporaryDirectory() as folder:
            put(folder, STUDIES[name.replace("complete ", "")])
            words = ("--set", "privacy.noise=0.4") if name != "histogram" else ()
            variants, printed = told(folder, "out", *words)
            central = None if words else "laplace"
            assert [one.get("mechanism") for one in variants] == [central, kind, kind], (name, variants)
            assert f"; noise is {most}.\n" in printed, (name, printed)
            assert (sigma in printed) == (kind is not None and central is None), (name, printed)
            assert (f"central: noise is {scale}.\n" in printed) == (central is not None), (name, printed)
    with tempfile.TemporaryDirectory() as folder:
        put(folder, STUDIES["ring sum"] + "variants: [{name: a}, {name: b, protocol: {mechanism: laplace}}]\n")
        _, printed = told(folder, "out")
        assert f"; noise is in units of the sensitivity.\ncentral: noise is {scale}.\nb: noise is {scale}.\n" in printed, printed


def quick_of_nothing():
    """Without a section quick, --quick runs the study whole, and says so."""
    quick = "quick: {output: {repeat: 1}}"
    for more, noted in (("", True), (quick, False), ("variants: [{name: a}, {name: b, quick: {output: {every: 7}}}]", False)):
        with tempfile.TemporaryDirectory() as folder:
            put(folder, STUDIES["averaging"] + more.replace("output: {every: 7}", "protocol: {rounds: 3}") + "\n")
            for words in (["run", "study.yaml", "--quick"], ["run", "study.yaml", "-o", "whole"]):
                code, _, err = run(words, folder)
                told_so = "study.yaml: has no section quick, which would make it smaller: it runs whole" in err
                assert code == 0 and told_so == (noted and "--quick" in words), (words, more, err)


FILES = {"values.csv": b"value\n1\n2\n", "study.yaml": study(MEAN, "complete 12", "complete-histogram, rounds: 24, cap: 6",
                                                         "histogram", ", levels: 4").encode()}
CASES = [
    Case("run study.yaml --set privacy.noise=1.5", 2, err="privacy.noise=1.5: of complete-histogram is the probability", files=FILES),
    Case("run study.yaml --set privacy.noise=0", 2, err="privacy.noise=0: .0. is out of range", files=FILES),
    Case("run study.yaml --noise 2", 2, err="or is given one as privacy.noise", files=FILES),
]

main(CASES, [same_as_found, more_noise_tells_less, beside_a_target, deltas_of_their_own, noises_of_several_kinds, quick_of_nothing])

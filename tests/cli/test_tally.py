#!/usr/bin/python3
"""Tokens that sum and count, and weighted walks: loss, calibrate, run."""
import json
import math
import os
import tempfile

from harness import SOURCE, Case, close, main, read_json, results, run

RING = "loss --json --family 'ring 12' --protocol ring-sum --rounds 4"
PAIR = RING + " --from 5 --to 2"
COUNT = "loss --json --family 'ring 12' --protocol ring-histogram --rounds 2 --from 5 --to 2"
COMPLETE = "loss --json --family 'complete 20' --protocol complete-sum --rounds 200 --noise 6"

with open(os.path.join(SOURCE, "tests/golden/golden.json"), encoding="utf-8") as golden_file:
    GOLDEN = json.load(golden_file)


def told(words, code=0):
    got, out, err = run(words.split() if isinstance(words, str) else words, ".")
    assert got == code, f"{words}: {got} {err}"
    return read_json(out) if code == 0 else err


def same(got, want):
    assert got == want, f"got {got!r}, want {want!r}"


def of_json(check):
    return lambda text: check(read_json(text))


def value(want, relative=1e-9):
    def check(text):
        got = read_json(text)
        close(float(got["losses"][0]["value"]), want, 1e-12, relative) if want < math.inf else \
            same(got["losses"][0]["value"], "inf")
        assert got["sound"] is True
    return check


def says(**want):
    def check(text):
        got = read_json(text)
        for key, this in want.items():
            assert got["protocol"][key] == this, got["protocol"]
    return check


CASES = [
    # Algorithm 1: every increment that one observer sees has exactly one noise; what node 5 gives in
    # the last pass never comes back to node 2
    Case(PAIR + " --as loss", check=value(3)),
    Case(PAIR + " --as gdp --noise 2", check=value(math.sqrt(3) / 2)),
    Case(PAIR + " --as loss --schedule every", check=value(3 / 11)),
    # two who pool their views around a node leave it without noise (erratum 9)
    Case(RING + " --from 5 --to set:4,6 --as loss",
         check=value(math.inf)),
    # spread noise: a run of k honest nodes keeps k/n; in the first pass node 0's, which is whole
    Case(RING + " --from 5 --to set:4,7 --as loss --schedule spread", check=value(4 * 12 / 2)),
    # noise in pairs: none is the same; much of it hides what lies between two who pool among all
    Case(RING + " --from 5 --to set:4,7 --as loss --schedule spread --pair-graph edges "
         "--pair-noise 0", check=value(4 * 12 / 2)),
    Case("loss --json --family 'ring 12' --protocol ring-sum --rounds 1 --schedule every --from 5 "
         "--to set:4,6,11 --as loss --release final --pair-graph complete --pair-noise 1e4",
         check=value(1 / 9, 1e-6)),
    Case(RING + " --from 5 --to set:4,6 --as loss --pair-graph 'regular 4' --pair-noise 10",
         check=of_json(lambda got: same((got["protocol"]["pairs"]["edges"], got["certified"],
                                         got["losses"][0]["value"] < 1), (24, True, True)))),
    Case("loss --family 'ring 12' --protocol ring-sum --rounds 4 --pair-graph edges --pair-noise 2",
         out="cancels in every pass.*\\n.*pairs share keys"),
    Case(PAIR + " --mechanism laplace --as dp:1e-6 --noise 1 --pair-graph edges --pair-noise 1", 2,
         err="sums on the ring with Gaussian noise"),
    Case(PAIR + " --mechanism discrete-gaussian --as dp:1e-6 --noise 1 --pair-graph edges", 2,
         err="sums on the ring with Gaussian noise"),
    Case(PAIR + " --pair-noise 1", 2, err="who shares it"),
    Case(COMPLETE + " --pair-graph edges", 2, err="does not apply to complete-sum"),
    Case(COUNT + " --flip 0.5 --pair-graph edges", 2, err="does not apply to ring-histogram"),
    Case("calibrate --family 'ring 12' --protocol ring-sum --rounds 2 --target 1 --as dp:1e-6 "
         "--pair-graph edges --tune-pairs", 2, err="must be given"),
    # Laplace: K releases, pure
    Case(PAIR + " --mechanism laplace --noise 8 --as dp:1e-300",
         check=value(3 / 8, 1e-3)),
    Case(PAIR + " --mechanism discrete-gaussian --noise 2 --as dp:1e-6",
         check=says(mechanism="discrete-gaussian", grid=1024)),
    Case(COUNT + " --levels 3 --flip 0.5", check=says(levels=3, flip=0.5, shuffle="least")),
    Case(COUNT + " --levels 3 --flip 0.5 --bound local",
         check=of_json(lambda got: same((got["noise"], got["bound"]), (None, "local")))),
    Case(COMPLETE, check=of_json(lambda got: same((got["bound"], got["sound"]),
                                                  ("excursion-linear", True)))),
    Case("loss --json --family 'complete 20' --protocol complete-histogram --rounds 200 --cap 10 "
         "--flip 0.5", check=says(cap=10)),
    Case("loss --family 'ring 12' --protocol ring-sum --rounds 4 --noise 2",
         out="once every n-1 hops.*\\n.*\\nTwo who collude around a node"),
    # what does not apply or is wrong
    Case("loss --family 'grid 3 4' --protocol ring-sum --rounds 1", 2, err="family ring"),
    Case("loss --family 'ring 9' --protocol complete-sum --rounds 9 --noise 1", 2,
         err="family complete"),
    Case(PAIR + " --dither 0.1", 2, err="--dither"),
    Case(PAIR + " --cap 3", 2, err="--cap"),
    Case(PAIR + " --mixing uniform", 2, err="--mixing"),
    Case(PAIR + " --mechanism cauchy --noise 1", 2, err="gaussian, laplace"),
    Case(PAIR + " --schedule now", 2, err="every, once or spread"),
    Case(PAIR + " --schedule spread --mechanism laplace --as dp:1e-6 --noise 1", 2, err="spread"),
    Case(PAIR + " --bound phase-release", 2, err="bound"),
    Case(PAIR + " --draws 3 --noise 1 --as rdp:2", 2, err="--draws"),
    Case(COUNT, 2, err="--flip: required"),
    Case(COUNT + " --flip 1", 2, err="flip"),
    Case(COUNT + " --flip 0.5 --noise 1", 2, err="--noise"),
    Case(COUNT + " --flip 0.5 --shuffle cards", 2, err="erlingsson"),
    Case(COUNT + " --flip 0.5 --as loss", 2, err="as"),
    Case(COMPLETE + " --as loss", 2, err="as"),
    Case("loss --family 'ring 9' --rounds 9 --flip 0.2", 2, err="--flip"),
    # weighted walks
    Case("loss --family 'star 6' --protocol weighted-walk --rounds 9 --noise 2 --gamma 1,5", 2,
         err="THETA,LOW,HIGH"),
    Case("loss --family 'star 6' --protocol weighted-walk --rounds 9 --noise 2 --gamma 1,1,5", 2,
         err="dp:DELTA"),
    Case("loss --family 'star 6' --protocol walk --rounds 9 --noise 2 --gamma 1,1,5", 2,
         err="--gamma"),
    Case("loss --family 'star 6' --protocol weighted-walk --rounds 9 --noise 2 --bound published",
         2, err="weighted"),
]


def golden_complete_sum():
    """The account of sums of complete(20), which the golden walk has for uniform mixing too."""
    got = told(["loss", "--json", "--family", "complete 20", "--protocol", "complete-sum",
                "--rounds", "200", "--noise", "6", "--as", "rdp:2"])
    walk = told(["loss", "--json", "--family", "complete 20", "--mixing", "uniform", "--protocol",
                 "walk", "--rounds", "200", "--noise", "6", "--as", "rdp:2", "--bound",
                 "excursion-linear"])
    close(got["summary"]["max"], walk["summary"]["max"], 0, 1e-6)


def a_cap_counts():
    """With a cap a sum is at most what the account of walks says, and never above what it is without."""
    ask = ["loss", "--json", "--family", "complete 60", "--rounds", "6000", "--noise", "50", "--as", "dp:1e-7", "--from", "1", "--to", "0"]
    before = 0
    for cap in ("5", "20", "200", "none"):
        got = told([*ask, "--protocol", "complete-sum", "--cap", cap])
        assert got["sound"] and not got["certified"] and got["bound"] == ("excursion-linear" if cap == "none" else "least"), got
        walk = told([*ask, "--protocol", "walk", "--mixing", "uniform", "--cap", cap])
        epsilon = got["summary"]["max"]
        assert before <= epsilon <= walk["summary"]["max"] * (1 + 1e-9), (cap, before, epsilon, walk["summary"]["max"])
        before = epsilon
    without = told([*ask, "--protocol", "complete-sum"])["summary"]["max"]
    capped = told([*ask, "--protocol", "complete-sum", "--cap", "5"])["summary"]["max"]
    assert capped < 0.8 * without and before == without, (capped, without)


def lands(words, target):
    """The noise or flip that calibrate finds meets the target, accounted for again by loss."""
    found = told(["calibrate", "--json", *words, "--target", str(target), "--as", "dp:1e-6"])
    again = [*words, "--as", "dp:1e-6"]
    flips = found["noise"] is None
    again += ["--flip", repr(found["protocol"]["flip"])] if flips else \
        ["--noise", repr(found["noise"])]
    got = told(["loss", "--json", *again])["summary"]["max"]
    assert 0.999 * target <= got <= target, f"{words}: {got} for {target}"
    assert got == found["achieved"]["max"], f"{words}: {got} is not {found['achieved']['max']}"


def calibration():
    ring, complete = ["--family", "ring 12"], ["--family", "complete 20"]
    for target in (0.3, 4):
        lands([*ring, "--protocol", "ring-sum", "--rounds", "3"], target)
        lands([*ring, "--protocol", "ring-sum", "--rounds", "3", "--mechanism", "laplace"], target)
        lands([*ring, "--protocol", "ring-sum", "--rounds", "3", "--schedule", "spread", "--pair-graph",
               "edges", "--pair-noise", "3", "--to", "set:2,5"], target)
        lands([*complete, "--protocol", "complete-sum", "--rounds", "100"], target)
        lands([*ring, "--protocol", "ring-histogram", "--rounds", "2", "--levels", "3", "--shuffle",
               "local"], target)
    lands(["--family", "ring 9", "--protocol", "weighted-walk", "--rounds", "40", "--mixing",
           "hastings:degree"], 2)
    assert "out of reach" in told(["calibrate", *ring, "--protocol", "ring-sum", "--rounds", "1",
                                   "--to", "set:4,6", "--from", "5", "--target", "1", "--as",
                                   "dp:1e-6"], 1)


def weights():
    """A node's account is that of a plain walk under its own noise."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lipschitz.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("4\n1\n2\n1\n1\n1\n")
        words = ["loss", "--json", "--family", "ring 6", "--mixing", "hastings:" + path, "--rounds",
                 "50", "--to", "0", "--from", "2", "--as", "dp:1e-5"]
        scale = 10 / (6 * 2)
        weighted = told([*words, "--protocol", "weighted-walk", "--noise", "3"])
        plain = told([*words, "--protocol", "walk", "--noise", repr(3 / scale)])
        close(weighted["losses"][0]["value"], plain["losses"][0]["value"], 0, 1e-9)
        # what the Gamma mechanism released is paid for, with half of delta
        paid = told([*words, "--protocol", "weighted-walk", "--noise", "3", "--gamma", "1,1,4"])
        law = paid["protocol"]["gamma"]
        assert law["delta"] == 5e-6
        alone = told(["convert", "--json", "gamma:1,1,4", "--to", "dp:5e-6"])
        assert law["epsilon"] == alone["value"]
        half = told([*words[:-1], "dp:5e-6", "--protocol", "weighted-walk", "--noise", "3"])
        close(paid["losses"][0]["value"], half["losses"][0]["value"] + law["epsilon"], 0, 1e-9)


def events():
    """What loss exports, convert composes: two runs of a ring sum beside one of gossip."""
    with tempfile.TemporaryDirectory() as folder:
        def export(words, name):
            path = os.path.join(folder, name)
            told(["loss", "--json", *words, "--events", path])
            with open(path, encoding="utf-8") as file:
                return json.load(file)
        ring = ["--family", "ring 12", "--protocol", "ring-sum", "--rounds", "4", "--from", "5",
                "--to", "2"]
        sums = export([*ring, "--noise", "4"], "sums")
        assert sums[0]["mechanism"] == "gaussian"
        close(sums[0]["noise"], 4 / math.sqrt(3), 0, 1e-12)
        gossip = export(["--family", "davis", "--rounds", "5", "--noise", "3", "--from", "3",
                         "--to", "0"], "gossip")
        walk = export(["--family", "davis", "--protocol", "walk", "--rounds", "50", "--noise", "9",
                       "--from", "3", "--to", "0", "--as", "dp:1e-7"], "walk")
        assert walk[0]["mechanism"] == "random-gaussian"
        close(sum(walk[0]["weight"]), 1, 0, 1e-12)
        alone = told(["convert", "--json", "events:" + os.path.join(folder, "walk"), "--to", "dp:1e-6"])["value"]
        path = os.path.join(folder, "all")
        with open(path, "w", encoding="utf-8") as file:
            json.dump([*sums, *sums, *gossip], file)
        composed = told(["convert", "--json", "events:" + path, "--to", "dp:1e-6"])
        mu = math.sqrt(2 / sums[0]["noise"]**2 + 1 / gossip[0]["noise"]**2)
        sum_of_mu = told(["convert", "--json", f"gdp:{mu!r}", "--to", "dp:1e-6"])
        assert composed["certified"] is True
        close(composed["value"], sum_of_mu["value"], 0, 1e-9)
        with open(path, "w", encoding="utf-8") as file:
            json.dump([*gossip, *walk], file)
        both = told(["convert", "--json", "events:" + path, "--to", "dp:1e-6"])
        single = told(["convert", "--json", f"gdp:{1 / gossip[0]['noise']!r}", "--to", "dp:1e-6"])
        assert single["value"] < both["value"] < single["value"] + 1.01 * alone
        assert "--events" in told(["loss", "--json", *ring[:6], "--events", path], 2)


STUDY = """title: Test
seed: 3
graph: {family: GRAPH}
data: {source: meters, per_node: one, columns: [{name: h19}]}
task: {kind: TASK, bounds: [0, 5]LEVELS}
protocol: {kind: KIND}
privacy: {epsilon: 2, delta: 1e-5, over: worst}
output: {every: 16, repeat: 100}
"""


def study(folder, graph, task, kind, levels=""):
    text = STUDY.replace("GRAPH", graph).replace("TASK", task).replace("KIND", kind)
    with open(os.path.join(folder, "study.yaml"), "w", encoding="utf-8") as file:
        file.write(text.replace("LEVELS", levels))
    code, _, err = run(["run", "study.yaml", "-o", "out", "--data", os.path.join(SOURCE, "data")],
                       folder)
    assert code == 0, err
    return results(folder, "out")


def check_released(summary, width):
    """The first run's totals lie in their intervals' middle, and errors are what was predicted."""
    token = summary["variants"][2]
    assert len(token["released"]) == width
    for number in token["released"]:
        assert number["low"] < number["value"] < number["high"] and number["level"] == 0.95
    objective = token["error"]["objective"]
    if objective["predicted"] is not None:
        close(objective["mean"], objective["predicted"], 5 * objective["standard_error"])
    assert token["guarantee"]["worst"]["epsilon"] <= 2


def studies():
    with tempfile.TemporaryDirectory() as folder:
        check_released(study(folder, "ring 32", "sum", "ring-sum, rounds: 3"), 1)
    with tempfile.TemporaryDirectory() as folder:
        summary = study(folder, "ring 32", "sum", "ring-sum, rounds: 2, mechanism: laplace")
        check_released(summary, 1)
        local, token = summary["variants"][1:]
        rmse = [v["error"]["columns"][0]["rmse"] for v in (local, token)]
        assert 4 < rmse[0] / rmse[1] < 8, rmse  # about sqrt(31)
    with tempfile.TemporaryDirectory() as folder:
        summary = study(folder, "complete 32", "sum", "complete-sum, rounds: 320, cap: 20")
        check_released(summary, 1)
    with tempfile.TemporaryDirectory() as folder:
        summary = study(folder, "complete 32", "histogram",
                        "complete-histogram, rounds: 64, cap: 4", ", levels: 4")
        check_released(summary, 4)
        columns = summary["variants"][2]["error"]["columns"]
        close(math.fsum(column["mean"] for column in columns), 1, 1e-9)
    with tempfile.TemporaryDirectory() as folder:
        summary = study(folder, "davis", "histogram", "averaging, rounds: 8", ", levels: 4")
        assert summary["data"]["sensitivity"] == math.sqrt(2)


main(CASES, [golden_complete_sum, a_cap_counts, calibration, weights, events, studies])

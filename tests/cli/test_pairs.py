#!/usr/bin/python3
"""Noise that cancels in pairs: every golden value, the limits, and the laws that hold for any kappa."""
import json
import os
import re
import tempfile

from harness import SOURCE, Case, close, main, read_json, run

with open(os.path.join(SOURCE, "tests/golden/pairs.json"), encoding="utf-8") as golden_file:
    GOLDEN = json.load(golden_file)

KEY = re.compile(r"(\d+)->([\d+]+) (edges|regular) k=(\S+?)(?: K=(\d+))?(?: dither=(\S+?))?"
                 r"(?: end=(\S+?))?(?: T=(\d+))?$")

# What `netdp loss` is asked for each kind of golden values, beside graph, pairs and observers.
KINDS = {
    "averaging": lambda inner, dither, end, rounds: ["--rounds", rounds, "--dither", dither],
    "sum": lambda inner, dither, end, rounds: ["--rounds", rounds, "--dither", dither, "--sees", "sum"],
    "phase": lambda inner, dither, end, rounds: [
        "--protocol", "muffliato-sgd", "--rounds", inner, "--inner", inner, "--dither", dither,
        "--end-dither", end],
    "everything": lambda inner, dither, end, rounds: ["--rounds", "1", "--sees", "everything"],
}


def losses(words, files=None):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (files or {}).items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        code, out, err = run(["loss", "--json", "--full", *words], folder)
    assert code == 0, f"{words}: {err}"
    return {(one["from"], one["to"] if isinstance(one["to"], int) else tuple(one["to"])): one["value"]
            for one in read_json(out)["losses"]}


def golden():
    """All keys of pairs.json: 1e-9 relative, below 1e-12 absolute."""
    told, checked = {}, 0
    for graph in GOLDEN.values():
        regular = "".join(f"{a} {b}\n" for a, b in graph["pair_graph_regular"])
        for kind, ask in KINDS.items():
            for key, want in graph[kind].items():
                source, observers, pairs, kappa, *rest = KEY.match(key).groups()
                to = "set:" + observers.replace("+", ",") if "+" in observers else observers
                words = ["--family", graph["graph"], "--pair-noise", kappa, "--to", to, "--pair-graph",
                         "edges" if pairs == "edges" else "regular.edges", *ask(*rest)]
                asked = " ".join(words)
                if asked not in told:
                    told[asked] = {u: value for (u, _), value
                                   in losses(words, {"regular.edges": regular}).items()}
                close(told[asked][int(source)], want, relative=1e-9, absolute=1e-12)
                checked += 1
    assert checked == 1020, checked


def worst(*words):
    return max(value for value in losses(words).values() if value != "inf")


def limits():
    """The best known figures, and the least that anybody can be hidden by."""
    assert worst("--family", "davis", "--rounds", "30", "--dither", "0", "--pair-graph", "edges",
                 "--pair-noise", "10") <= 0.0465 * 1.005
    assert worst("--family", "hypercube 6", "--rounds", "14", "--dither", "0", "--pair-graph", "edges",
                 "--pair-noise", "10") <= 0.0182 * 1.005
    hub = worst("--family", "star 32", "--rounds", "40", "--dither", "0.1", "--pair-graph", "regular 10",
                "--pair-noise", "30", "--to", "0")
    assert 1 / 31 <= hub <= 1.02 / 31, hub
    five = worst("--family", "ring 60", "--rounds", "10", "--sees", "everything", "--pair-graph",
                 "regular 10", "--pair-noise", "30", "--to", "set:3,17,29,41,55")
    assert 1 / 55 <= five <= 1.05 / 55, five


def laws():
    """Falls with kappa, never above local privacy, `everything` above every view, kappa 0 as without."""
    base = ["--family", "florentine", "--rounds", "6", "--dither", "0.05"]
    views = [["--sees", "neighbours"], ["--sees", "sum"], ["--sees", "neighbours", "--own-noise", "counts"],
             ["--sees", "sum", "--own-noise", "counts"]]
    for view in views:
        before = losses([*base, *view])
        assert losses([*base, *view, "--pair-graph", "edges", "--pair-noise", "0"]) == before
        for kappa in ("0.3", "3", "30", "3000"):
            pairs = ["--pair-graph", "regular 4", "--pair-noise", kappa]
            now = losses([*base, *view, *pairs])
            own = view[2:]
            most = losses([*base, "--sees", "everything", *own, *pairs])
            for pair, value in now.items():
                if value == "inf":
                    continue
                assert value <= before[pair] * (1 + 1e-8) and value <= most[pair] * (1 + 1e-12), (view, pair)
            before = now


def segments():
    """ring 20, two who pool: by everything, kappa large, the segments between them."""
    got = losses(["--family", "ring 20", "--rounds", "5", "--sees", "everything", "--pair-graph", "edges",
                  "--pair-noise", "1000", "--to", "set:0,8"])
    for (u, _), value in got.items():
        if value != "inf":
            close(value, 1 / 7 if 0 < u < 8 else 1 / 11, relative=1e-4)


STUDY = """title: pairs
seed: 3
graph: {family: davis}
data: {source: meters, per_node: one, columns: [{name: h19}]}
task: {kind: mean, bounds: [0, 5], unit: kWh}
protocol: {kind: averaging, rounds: 40}
privacy: {epsilon: 4, delta: 1e-6, over: worst, dither: 0.05, pair_graph: edges, pair_noise: 10}
output: {repeat: 200}
"""


def study():
    """A promise to each pair on the demo's network: 0.30 kWh at most, where local privacy has 1.34."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "study.yaml"), "w", encoding="utf-8") as file:
            file.write(STUDY)
        code, _, err = run(["run", "study.yaml", "-o", "out"], folder)
        assert code == 0, err
        with open(os.path.join(folder, "out/summary.json"), encoding="utf-8") as file:
            made = [one for one in json.load(file)["variants"] if one["name"] not in ("central", "local")][0]
        with open(os.path.join(folder, "out/private.json"), encoding="utf-8") as file:
            private = json.load(file)
    guarantee = made["guarantee"]
    assert guarantee["worst"]["epsilon"] <= 4, guarantee
    error = [one for one in private["variants"] if one["name"] == made["name"]][0]["error"]
    assert error["columns"][0]["rmse"] <= 0.30, error
    objective = error["objective"]
    assert abs(objective["mean"] - objective["predicted"]) <= 4 * objective["standard_error"], objective


def tuned():
    """--tune-pairs: no worse than settings by hand, and what it says meets the target."""
    target = ["--target", "4", "--as", "dp:1e-6", "--over", "worst", "--json"]
    for more in (["--rounds", "40"], ["--rounds", "auto"]):
        code, out, err = run(["calibrate", "--family", "davis", *more, "--pair-graph", "edges", "--tune-pairs", *target], "/tmp")
        assert code == 0, err
        got = json.loads(out)
        assert got["sound"] is True and 3.99 <= got["achieved"]["max"] <= 4, got
        code, out, err = run(["calibrate", "--family", "davis", "--rounds", str(got["rounds"]), "--pair-graph", "edges",
                              "--pair-noise", repr(got["pair_noise"]), "--dither", repr(got["dither"]), *target], "/tmp")
        assert code == 0, err
        again = json.loads(out)
        close(again["noise"], got["noise"], relative=1e-4)
        assert got["noise"] <= 0.2366, got  # 40 rounds, kappa 10, dither 0.02: 0.257
        assert more[1] == "40" and got["rounds"] == 40 or 13 <= got["rounds"] <= 60, got


def tuned_study():
    """pair_noise: auto with dither and rounds: auto, towards each pair, and the same bytes when it goes on."""
    text = STUDY.replace("rounds: 40", "rounds: auto").replace("dither: 0.05", "dither: auto")
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "study.yaml"), "w", encoding="utf-8") as file:
            file.write(text.replace("pair_noise: 10", "pair_noise: auto").replace("repeat: 200", "repeat: 20"))
        code, _, err = run(["run", "study.yaml", "-o", "out"], folder)
        assert code == 0, err
        with open(os.path.join(folder, "out/summary.json"), encoding="utf-8") as file:
            made = json.load(file)["variants"][-1]
        assert 3.99 <= made["guarantee"]["worst"]["epsilon"] <= 4, made["guarantee"]
        assert made["guarantee"]["pairs"]["noise"] > 10 and made["noise"] < 0.23, made
        for key, words in (("privacy.dither=0.1", "auto goes with dither: auto"),
                           ("privacy.pair_graph=", "who shares it")):
            code, _, err = run(["run", "study.yaml", "-o", "bad", "--set", key], folder)
            assert code == 2 and len(err.splitlines()) == 1, (key, err)
            assert words in err or key == "privacy.pair_graph=", (key, err)


OF_A_FILE = """title: pairs of a file
graph: {family: ring 12}
task: {kind: account}
protocol: {kind: averaging, rounds: 9}
privacy: {noise: 1, as: loss, over: worst, dither: 0.1, pair_graph: PAIRS, pair_noise: 10}
"""


def study_with_pairs_of_a_file():
    """Beside the study; the losses of the command; the file's place is told nobody, and its edges are the record's."""
    pairs = "".join(f"{v} {(v + 5) % 12}\n" for v in range(12))
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "beside"))
        with open(os.path.join(folder, "beside/mine.edges"), "w", encoding="utf-8") as file:
            file.write(pairs)
        with open(os.path.join(folder, "beside/study.yaml"), "w", encoding="utf-8") as file:
            file.write(OF_A_FILE.replace("PAIRS", "mine.edges"))
        code, _, err = run(["run", "beside/study.yaml", "-o", "out"], folder)
        assert code == 0, err
        with open(os.path.join(folder, "out/summary.json"), encoding="utf-8") as file:
            text = file.read()
        worst = json.loads(text)["variants"][-1]["guarantee"]["worst"]
        assert folder not in text and json.loads(text)["variants"][-1]["guarantee"]["pairs"]["graph"] == "mine.edges", text
        told = losses(["--family", "ring 12", "--rounds", "9", "--dither", "0.1", "--pair-graph", "mine.edges",
                       "--pair-noise", "10"], {"mine.edges": pairs})
        most = max(value for value in told.values() if value != "inf")
        close(next(worst[key] for key in ("loss", "value", "epsilon") if key in worst), most, relative=1e-9)
        assert run(["run", "out"], folder)[0] == 0
        with open(os.path.join(folder, "beside/mine.edges"), "a", encoding="utf-8") as file:
            file.write("0 6\n")
        code, _, err = run(["run", "out"], folder)
        assert code == 2 and len(err.splitlines()) == 1, (code, err)
        os.unlink(os.path.join(folder, "beside/mine.edges"))
        code, _, err = run(["run", "beside/study.yaml", "-o", "none"], folder)
        assert code == 3 and "mine.edges" in err and len(err.splitlines()) == 1, (code, err)


LARGE = """title: one for all
graph: {family: hypercube 10}
data: {source: meters, per_node: one, columns: [{name: h19}]}
task: {kind: account}
protocol: {kind: averaging, rounds: 12}
privacy: {noise: 1, delta: 1e-6, over: worst, observers: 1, dither: 0.1, pair_graph: %s, pair_noise: 10}
"""


def one_stands_for_all():
    """Of nodes that are alike one observer bounds the worst pair, unless the pairs tell them apart."""
    with tempfile.TemporaryDirectory() as folder:
        for pairs, drawn in (("edges", None), ("regular 10", "observers"), ("regular 10", "sources")):
            with open(os.path.join(folder, "study.yaml"), "w", encoding="utf-8") as file:
                file.write(LARGE.replace("data:", "#").replace("observers", drawn or "observers") % pairs)
            code, _, err = run(["run", "study.yaml", "-o", "out" if drawn is None else drawn], folder)
            assert code == (0 if drawn is None else 2), (pairs, err)
            assert drawn is None or f"privacy.{drawn}: 1 of the nodes do not bound the worst pair" in err, err
        with open(os.path.join(folder, "out/summary.json"), encoding="utf-8") as file:
            guarantee = json.load(file)["variants"][0]["guarantee"]
        assert guarantee["sound"] is True and guarantee["stands_for"]["of"] == 1024, guarantee
        assert guarantee["pairs"]["hidden_among"] == 1023, guarantee


def failing_late():
    """Halves that stay are an error that is predicted; revealed ones are gone, and the account knows."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "late.yaml"), "w", encoding="utf-8") as file:
            file.write('''title: late
seed: 1
graph: {family: davis}
mixing: {weights: metropolis}
data: {source: meters, per_node: one, columns: [{name: h19}]}
task: {kind: mean, bounds: [0, 5], unit: kWh}
protocol: {kind: averaging, rounds: 50}
privacy: {epsilon: 4, delta: 1e-6, over: worst, dither: 0.02, pair_graph: regular 6, pair_noise: 5}
variants:
  - {name: nobody}
  - {name: late, protocol: {dropout: "late:0.1"}}
  - {name: revealed, protocol: {dropout: "revealed:0.1"}}
output: {every: 50, repeat: 200}
''')
        code, _, err = run(["run", "late.yaml", "-o", "out"], folder)
        assert code == 0, err
        assert "taken for failed" in err, err
        with open(os.path.join(folder, "out/summary.json"), encoding="utf-8") as file:
            got = {one["name"]: one for one in json.load(file)["variants"]}
        assert got["late"]["expected"] > 3 * got["nobody"]["expected"], got
        assert got["revealed"]["expected"] < 1.5 * got["nobody"]["expected"], got
        assert got["revealed"]["guarantee"]["pairs"]["count"] < got["late"]["guarantee"]["pairs"]["count"] == 96, got


def weights():
    """Twice the weight is twice kappa, to the last bit, and weights of 1 are none; a pair of more noise tells less; a study says what the command does."""
    ring = "".join(f"{v} {(v + 1) % 9} %s\n" for v in range(9))
    files = {"two.edges": ring.replace("%s", "2.0"), "one.edges": ring.replace("%s", "1.0"), "more.edges": ring.replace("%s", "2.0").replace("4 5 2.0", "4 5 3.0")}
    for view in (["--sees", "everything"], ["--sees", "sum"], ["--own-noise", "counts"], ["--accelerate"], []):
        words = ["--family", "ring 9", "--rounds", "4", "--dither", "0.1", *view]
        by = {name: losses([*words, "--pair-graph", name + ".edges", "--pair-weights", "--pair-noise", "1.5"], files) for name in ("two", "one", "more")}
        assert by["two"] == losses([*words, "--pair-graph", "edges", "--pair-noise", "3"]), view
        assert by["one"] == losses([*words, "--pair-graph", "edges", "--pair-noise", "1.5"]), view
        assert all(by["more"][pair] <= value * (1 + 1e-12) for pair, value in by["two"].items() if value != "inf") and by["more"] != by["two"], view
    study = ("graph: {family: ring 9}\ntask: {kind: account}\nprotocol: {kind: averaging, rounds: 4}\n"
             "privacy: {noise: 2, delta: 1e-6, dither: 0.1, pair_graph: more.edges, pair_noise: 1.5, pair_weights: true}\n")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**files, "study.yaml": study}.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        told = [run(["loss", *words, "--json"], folder) for words in (
            ["study.yaml"], ["--family", "ring 9", "--rounds", "4", "--dither", "0.1", "--noise", "2", "--as", "dp:1e-6", "--pair-graph", "more.edges",
                             "--pair-noise", "1.5", "--pair-weights"])]
    for code, _, err in told:
        assert code == 0, err
    maxima = [set(re.findall(r'"max": ([0-9.e-]+)', out)) for _, out, _ in told]
    assert maxima[0] & maxima[1], maxima


main([
    Case("loss --family 'ring 5' --rounds 3 --pair-graph edges --pair-noise 1 --pair-weights", 2, err="the pair graph has none"),
    Case("loss --family 'ring 5' --rounds 3 --pair-weights", 2, err="goes with --pair-graph"),
    Case("loss --family 'ring 5' --rounds 3 --protocol stream --pair-graph two.edges --pair-weights", 2, err="does not apply to stream"),
    Case("loss --family 'ring 5' --rounds 3 --dropout 0.1 --pair-graph two.edges --pair-noise 1 --pair-weights", 2, err="excludes --dropout"),
    Case("loss --family ring.5 --rounds 3 --pair-noise 1", 2, err="ring.5"),
    Case("loss --family 'ring 5' --rounds 3 --pair-noise 1", 2, err="who shares it"),
    Case("loss --family 'ring 5' --rounds 3 --pair-graph edges --pair-noise -1", 2, err="pair-noise"),
    Case("loss --family 'ring 5' --rounds 3 --pair-graph edges --pair-noise 1e7", 2, err="from 0 to 1000000"),
    Case("loss --family 'ring 5' --rounds 3 --pair-graph 'regular 9' --pair-noise 1", 2, err="pair-graph"),
    Case("loss --family 'ring 5' --rounds 3 --pair-graph nowhere --pair-noise 1", 3, err="nor is it a file"),
    Case("loss --family 'ring 5' --rounds 3 --pair-graph nowhere.edges --pair-noise 1", 3, err="nowhere.edges"),
    Case("loss --family 'ring 5' --protocol walk --rounds 30 --noise 2 --pair-graph edges --pair-noise 1", 2,
         err="pair-graph"),
    # nodes that fail after the halves were added
    Case("loss --family davis --rounds 9 --pair-graph edges --pair-noise 3 --dropout late:0.2 --json --from 5 --to 0",
         out='"probability": 0.2'),
    Case("loss --family davis --rounds 9 --pair-graph edges --pair-noise 3 --dropout 0.2 --from 5 --to 0 --json",
         out='"bound": "exact",(?s:.*)"certified": true'),
    Case("loss --family davis --rounds 9 --pair-graph edges --pair-noise 3 --dropout revealed:0.2",
         out="fail after their partners have added their halves, which the partners reveal.*(?s:.*)taken for failed"),
    Case("loss --family davis --rounds 9 --pair-graph edges --pair-noise 3 --dropout late:2", 2, err="late:P or revealed:P"),
    Case("loss --family davis --rounds 20 --protocol muffliato-sgd --inner 4 --dropout late:0.2", 2, err="for averaging"),
    Case("loss --family davis --rounds 9 --noise 2 --as rdp:2 --pair-graph edges --pair-noise 3 --dropout revealed:0.2 --draws 9", 2,
         err="leave --draws out"),
    Case("calibrate --family davis --rounds 9 --tune-pairs --target 4 --as dp:1e-6", 2, err="give --pair-graph"),
    Case("calibrate --family davis --rounds 9 --pair-graph edges --pair-noise 3 --tune-pairs --target 4 --as dp:1e-6", 2,
         err="--pair-noise: leave it out with --tune-pairs"),
], [golden, weights, limits, laws, segments, study, tuned, tuned_study, study_with_pairs_of_a_file, one_stands_for_all, failing_late])

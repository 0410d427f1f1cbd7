#!/usr/bin/python3
"""netdp reproduce: the list, every kind of figure against netdp loss, quick runs, refusals."""
import csv
import filecmp
import json
import math
import os
import re
import signal
import subprocess
import tempfile
import time
import xml.etree.ElementTree as tree

from harness import COMMAND, SOURCE, PATIENCE, Case, close, main, run

HOSTILE = "<b>&{x}_^% $1 (published)"
HEADER = ["panel", "curve", "measure", "x", "y", "low", "high", "count", "bound", "sound"]
FILES = ["figure.csv", "figure.json", "figure.svg"]
SPEC = """C-fig1a C-fig1b C-fig5 C-fig1c C-fig2 C-fig3 C-fig4 C-table1 C-dropout A-fig1 A-fig4 A-fig2
A-table1 A-fig3 A-fig6 A-fig5 A-fig7 A-fig8 B-fig1 B-fig2 B-fig3 D-fig1 D-fig2 D-utility E-fig1a E-fig1b E-fig2 E-fig3"""

ACCOUNT = """seed: 3
graph: {family: hypercube 4}
task: {kind: account}
protocol: {kind: averaging, rounds: 10}
privacy: {noise: 2, as: rdp:2, to: 3}
"""
ALL = ACCOUNT.replace(", to: 3", "")
MEAN = """graph: {family: davis}
data: {source: meters, per_node: one, columns: [{name: h19}]}
task: {kind: mean, bounds: [0, 5]}
protocol: {kind: averaging, rounds: 20}
privacy: {epsilon: 4, delta: 1e-6}
output: {repeat: 2, every: 5}
"""
REALISED = """graph: {family: complete 20}
task: {kind: realised}
protocol: {kind: complete-sum, rounds: 50}
privacy: {epsilon: 0.1, delta: 1e-7, observers: 1}
"""
TRACE = MEAN + "figure: {kind: trace, y: 'objective, consensus', hide: baselines}\nvariants: [{name: a}, {name: b, protocol: {rounds: 10}}]\n"
DISTANCE = ACCOUNT + "figure: {kind: distance, paper: 'Z, Figure 1', says: nothing}\n"


def write(folder, text, name="study.yaml"):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def reproduce(folder, text, *more, name="study"):
    """Runs a study, given as text; its rows, its JSON and its drawing."""
    results = os.path.join(folder, name)
    code, out, err = run(["reproduce", write(folder, text, name + ".yaml"), "-o", results, *more], folder)
    assert code == 0 and err.count("\n") <= 1, err
    assert out == f"{results}/figure.svg\n", out
    with open(os.path.join(results, "figure.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file, strict=True))
    assert rows and all(list(row) == HEADER for row in rows), rows
    with open(os.path.join(results, "figure.json"), encoding="utf-8") as file:
        figure = json.load(file)
    svg = tree.parse(os.path.join(results, "figure.svg"))
    texts = ["".join(element.itertext()) for element in svg.iter() if element.tag.endswith("text")]
    compare(rows, figure)
    return rows, figure, texts


def compare(rows, figure):
    """The CSV and the JSON are the same numbers."""
    told = [(c["panel"], c["name"], c["measure"], x, c["y"][i], c["low"][i], c["high"][i], c["count"][i], c["bound"] or "")
            for c in figure["curves"] for i, x in enumerate(c["x"])]
    assert len(told) == len(rows), (len(told), len(rows))
    for row, point in zip(rows, told):
        read = tuple(number(row[key]) for key in ("x", "y", "low", "high"))
        assert (row["panel"], row["curve"], row["measure"]) == point[:3], row
        assert read == tuple(None if p is None else float(p) for p in point[3:7]), (row, point)
        assert (int(row["count"]), row["bound"]) == point[7:], (row, point)


def number(text):
    return float(text) if text != "" else None


def losses(folder, family, *more):
    """What netdp loss lists."""
    noise = [] if "--noise" in more else ["--noise", "2"]
    code, out, err = run(["loss", "--family", family, *noise, "--seed", "3", "--json", *more], folder)
    assert code == 0, err
    return json.loads(out)["losses"]


def by_distance(listed):
    classes = {}
    for pair in listed:
        classes.setdefault(pair["distance"], []).append(pair["value"])
    return {d: (sum(v) / len(v), min(v), max(v), len(v)) for d, v in classes.items()}


def assert_classes(rows, listed):
    want = by_distance(listed)
    assert [float(row["x"]) for row in rows] == sorted(want), rows
    for row in rows:
        mean, least, most, count = want[int(float(row["x"]))]
        close(float(row["y"]), mean, relative=1e-12)
        close(float(row["low"]), least, relative=1e-12)
        close(float(row["high"]), most, relative=1e-12)
        assert int(row["count"]) == count, row


GOSSIP = ["--protocol", "averaging", "--as", "rdp:2"]


def listed_experiments():
    """--list has every study with a figure, and every name of the papers."""
    code, out, err = run(["reproduce", "--list"], SOURCE)
    assert code == 0 and err == "", err
    names = [line.split()[0] for line in out.split("\n\n")[0].splitlines()[1:]]
    have = []
    for file in os.listdir(os.path.join(SOURCE, "experiments")):
        if file.endswith(".yaml"):
            with open(os.path.join(SOURCE, "experiments", file), encoding="utf-8") as text:
                have += [file[:-5]] if "\nfigure:" in text.read() else []
    assert names == sorted(have), set(names) ^ set(have)
    for name in SPEC.split():
        assert name in names or any(n.startswith(name + "-") for n in names), name


def by_hops_and_names():
    """Mean, least and largest by distance; names that a chart or an XML could take for its own."""
    text = DISTANCE + f"variants: [{{name: exact}}, {{name: '{HOSTILE}', privacy: {{bound: published-code}}}}, {{name: 'part / <i>', protocol: {{rounds: 3}}}}]\n"
    text = "title: 'A <title> & \"more\"'\n" + text
    with tempfile.TemporaryDirectory() as folder:
        rows, figure, texts = reproduce(folder, text)
        for name, panel, more in (("exact", "", ["--rounds", "10"]), ("<i>", "part", ["--rounds", "3"]),
                                  (HOSTILE, "", ["--rounds", "10", "--bound", "published-code"])):
            own = [row for row in rows if row["curve"] == name and row["panel"] == panel]
            assert_classes(own, losses(folder, "hypercube 4", *GOSSIP, "--to", "3", *more))
            assert {row["sound"] for row in own} == {"no" if name == HOSTILE else "yes"}
        assert figure["title"] == 'A <title> & "more"' and figure["paper"] == "Z, Figure 1"
        for name in (HOSTILE, "exact", "<i>", "part", "distance, hops"):
            assert name in texts, (name, texts)


def without_baselines():
    """A simulated study's figure by distance has no curves of its baselines; a broken file keeps no list."""
    with tempfile.TemporaryDirectory() as folder:
        _, figure, _ = reproduce(folder, MEAN + "figure: {kind: distance}\n")
        assert [curve["name"] for curve in figure["curves"]] == ["gossip"]
        os.mkdir(os.path.join(folder, "experiments"))
        write(folder, DISTANCE, "experiments/good.yaml")
        write(folder, DISTANCE + "nonsense: 1\n", "experiments/bad.yaml")
        write(folder, ACCOUNT, "experiments/plain.yaml")
        code, out, err = run(["reproduce", "--list"], folder)
        names = [line.split()[0] for line in out.split("\n\n")[0].splitlines()[1:]]
        assert code == 0 and names == ["bad", "good"] and "bad.yaml:7: unknown key 'nonsense'" in out, (out, err)


def swept():
    """Each value of a sweep; two measures; what is swept need not be a number."""
    more = "figure: {kind: sweep, log: xy, y: 'loss loss_per_round'}\nsweep: {key: protocol.rounds, values: 2 | 4 | 8}\nvariants: [{name: a}, {name: b, graph: {family: ring 8}}]\n"
    with tempfile.TemporaryDirectory() as folder:
        rows, figure, texts = reproduce(folder, ACCOUNT + more)
        for curve, family in (("a", "hypercube 4"), ("b", "ring 8")):
            for rounds in (2, 4, 8):
                values = [pair["value"] for pair in losses(folder, family, *GOSSIP, "--to", "3", "--rounds", str(rounds))]
                for measure, share in (("loss", 1), ("loss_per_round", 1 / rounds)):
                    row, = [r for r in rows if (r["curve"], r["measure"], float(r["x"])) == (curve, measure, rounds)]
                    close(float(row["y"]), share * sum(values) / len(values), relative=1e-12)
                    close(float(row["low"]), share * min(values), relative=1e-12)
                    close(float(row["high"]), share * max(values), relative=1e-12)
                    assert int(row["count"]) == len(values), row
        assert len(rows) == 12 and "rounds" in texts, texts
        assert all(isinstance(curve["slope"], float) for curve in figure["curves"] if curve["measure"] == "loss_per_round")
        rows, _, _ = reproduce(folder, ACCOUNT + "figure: {kind: sweep, x: nodes}\nsweep: {key: graph.family, values: ring 5 | ring 6}\n", name="nodes")
        assert [float(row["x"]) for row in rows] == [5, 6] and rows[0]["curve"] == "all", rows


def named_at():
    """'X at 64' is a point of the curve X; 'X at home' is a curve of its own."""
    names = "variants: [{name: x at 8, graph: {family: ring 8}}, {name: x at 12, graph: {family: ring 12}}]\n"
    dots = "variants: [{name: a / x at home}, {name: a / x at work, protocol: {rounds: 2}}, {name: b / x at home, figure: {printed: 0.125}}]\n"
    with tempfile.TemporaryDirectory() as folder:
        rows, _, _ = reproduce(folder, ACCOUNT + "figure: {kind: sweep}\n" + names)
        assert [(row["curve"], float(row["x"])) for row in rows] == [("x", 8), ("x", 12)], rows
        rows, _, texts = reproduce(folder, ACCOUNT + "figure: {kind: dots, y: loss}\n" + dots, name="dots")
        assert [(row["panel"], row["curve"]) for row in rows] == [("a", "x at home"), ("a", "x at work"), ("b", "x at home"), ("b", "x at home (printed)")], rows
        assert (rows[3]["y"], rows[3]["low"], rows[3]["bound"], rows[3]["sound"]) == ("0.125", "", "", ""), rows[3]
        values = [pair["value"] for pair in losses(folder, "hypercube 4", *GOSSIP, "--to", "3", "--rounds", "2")]
        close(float(rows[1]["y"]), sum(values) / len(values), relative=1e-12)
        with open(os.path.join(folder, "dots", "study.yaml"), encoding="utf-8") as file:  # keys that came later: folders from before them stay
            assert not {"certify", "pair_weights"} & set(re.findall(r"(\w+):", file.read()))
        assert {"a", "b", "x at home", "x at work", "x at home (printed)", "Rényi loss, order 2"} <= set(texts), texts


def pairs():
    """Pairs against length, communicability and centrality: the sums are those of netdp loss."""
    with tempfile.TemporaryDirectory() as folder:
        text = ALL.replace("hypercube 4", "geometric 30 0.4")
        want = losses(folder, "geometric 30 0.4", *GOSSIP, "--rounds", "10")
        values = sorted(pair["value"] for pair in want)
        for kind, x, points in (("scatter", "communicability", 870), ("scatter", "katz", 30), ("distance", "length", 24), ("distance", "quantile", 20)):
            rows, _, _ = reproduce(folder, text + f"figure: {{kind: {kind}, x: {x}}}\n", name=x)
            assert len(rows) <= points and sum(int(row["count"]) for row in rows) == 870, (x, len(rows))
            assert all(float(row["x"]) > 0 for row in rows), x
            total = sum(float(row["y"]) * int(row["count"]) for row in rows)
            close(total, sum(values), relative=1e-12)
            if x == "quantile":  # equal parts: 870 pairs, both ways, so 43 or 44, but for a pair and its reverse
                assert len(rows) == 20 and all(abs(int(row["count"]) - 43.5) < 3 for row in rows), rows
            if x == "communicability":
                for got, value in zip(sorted(float(row["y"]) for row in rows), values):
                    close(got, value, relative=1e-12)
            if x == "katz":
                sender = [pair["value"] for pair in want if pair["from"] == 0]
                assert any(math.isclose(float(r["low"]), min(sender), rel_tol=1e-12) and
                           math.isclose(float(r["high"]), max(sender), rel_tol=1e-12) for r in rows)


def histogram():
    """The bins of a variant hold all its losses, each in its own; losses that are all one number are one point."""
    variants = "variants: [{name: a}, {name: all seen, privacy: {bound: everything}}]\n"
    with tempfile.TemporaryDirectory() as folder:
        values = [pair["value"] for pair in losses(folder, "hypercube 4", *GOSSIP, "--to", "3", "--rounds", "10")]
        for log in ("none", "x"):
            rows, figure, _ = reproduce(folder, ACCOUNT + f"figure: {{kind: histogram, log: {log}}}\n" + variants, name=log)
            bins, single = [row for row in rows if row["curve"] == "a"], [row for row in rows if row["curve"] != "a"]
            ends = [float(row["x"]) for row in bins]
            assert len(bins) == 25 and (bins[24]["y"], bins[24]["count"]) == ("0", "0"), bins
            for k, row in enumerate(bins[:24]):
                inside = [v for v in values if ends[k] <= v and (v < ends[k + 1] or k == 23)]
                assert int(row["count"]) == len(inside), (log, row, inside)
                close(float(row["y"]), len(inside) / 15, relative=1e-12)
            steps = [math.log(b / a) if log == "x" else b - a for a, b in zip(ends, ends[1:])]
            assert max(steps) - min(steps) < 1e-9, steps
            assert len(single) == 1 and (single[0]["y"], single[0]["count"]) == ("1", "15"), single
            close(float(single[0]["x"]), ends[24], relative=1e-9)
            assert (figure["x_label"], figure["y_label"]) == ("Rényi loss, order 2", "share of the pairs"), figure


def matrix_and_drawing():
    with tempfile.TemporaryDirectory() as folder:
        rows, _, _ = reproduce(folder, ALL + "figure: {kind: matrix}\n")
        assert_classes(rows, losses(folder, "hypercube 4", *GOSSIP, "--rounds", "10"))
        rows, _, _ = reproduce(folder, ACCOUNT + "figure: {kind: drawing}\n", name="towards")
        assert_classes(rows, losses(folder, "hypercube 4", *GOSSIP, "--rounds", "10", "--to", "3"))
        rows, _, _ = reproduce(folder, ACCOUNT.replace("to: 3", "from: 3") + "figure: {kind: drawing}\n", name="from")
        assert_classes(rows, losses(folder, "hypercube 4", *GOSSIP, "--rounds", "10", "--from", "3"))
        same, _, texts = reproduce(folder, ALL + "figure: {kind: matrix, x: communicability}\n", name="beside")
        assert {"communicability", "colours", "observer"} <= {word for text in texts for word in text.split()}, texts
        assert_classes(same, losses(folder, "hypercube 4", *GOSSIP, "--rounds", "10"))


def traced():
    """Means of the trace over the runs, and the simulated study's own files."""
    with tempfile.TemporaryDirectory() as folder:
        rows, _, texts = reproduce(folder, TRACE)
        with open(os.path.join(folder, "study", "trace.csv"), encoding="utf-8") as file:
            trace = list(csv.DictReader(file))
        assert {row["curve"] for row in rows} == {"a", "b"} and {"a", "b", "step"} <= set(texts), texts
        for row in rows:
            column = {"objective": "objective", "consensus": "consensus_error"}[row["measure"]]
            runs = [float(t[column]) for t in trace if t["variant"] == row["curve"] and float(t["step"]) == float(row["x"])]
            assert len(runs) == int(row["count"]) == 2, row
            close(float(row["y"]), sum(runs) / 2, relative=1e-12)
            close(float(row["high"]) - float(row["y"]), abs(runs[0] - runs[1]) / 2, absolute=1e-14, relative=1e-9)


def large_tables():
    """loss.npy holds losses of Gaussian noise and epsilons of Laplace noise: all become epsilons."""
    for mechanism in ("gaussian", "laplace"):
        text = f"""seed: 3
graph: {{family: ring 102}}
data: {{csv: mine.csv, per_node: one}}
task: {{kind: sum, bounds: [0, 1]}}
protocol: {{kind: ring-sum, rounds: 1, mechanism: {mechanism}}}
privacy: {{epsilon: 2, delta: 1e-6}}
output: {{repeat: 1, every: 50}}
figure: {{kind: scatter, x: communicability}}
"""
        with tempfile.TemporaryDirectory() as folder:
            write(folder, "a\n" + "0.5\n" * 102, "mine.csv")
            rows, _, _ = reproduce(folder, text)
            with open(os.path.join(folder, "study", "summary.json"), encoding="utf-8") as file:
                noise = [v["noise"] for v in json.load(file)["variants"] if v["name"] not in ("central", "local")][0]
            assert os.path.exists(os.path.join(folder, "study", "loss.npy"))
            want = losses(folder, "ring 102", "--protocol", "ring-sum", "--rounds", "1", "--as", "dp:1e-6", "--full",
                          "--mechanism", mechanism, "--noise", repr(noise))
            want = sorted(pair["value"] for pair in want)
            assert len(rows) == len(want) == 102 * 101
            for row, value in zip(sorted(rows, key=lambda row: float(row["y"])), want):
                close(float(row["y"]), value, absolute=1e-15, relative=1e-12)


def repeats_and_redraws():
    """Equal seeds give equal bytes; a finished folder is drawn again, not run again."""
    text = "title: one\n" + TRACE
    with tempfile.TemporaryDirectory() as folder:
        for name in ("one", "two"):
            reproduce(folder, text, name=name)
        one, two = (os.path.join(folder, name) for name in ("one", "two"))
        same = FILES + ["summary.json", "trace.csv", "loss-1.csv", "study.yaml"]
        assert filecmp.cmpfiles(one, two, same, shallow=False)[0] == same
        kept = {name: os.stat(os.path.join(two, name)).st_mtime_ns for name in ("trace.csv", "summary.json")}
        for name in FILES:
            os.remove(os.path.join(two, name))
        reproduce(folder, text, name="two")
        assert filecmp.cmpfiles(one, two, same, shallow=False)[0] == same
        assert kept == {name: os.stat(os.path.join(two, name)).st_mtime_ns for name in kept}
        before = sorted(os.listdir(two))
        code, out, err = run(["reproduce", "two.yaml", "-o", "two", "--set", "seed=9"], folder)
        assert code == 2 and out == "" and "another study" in err, err
        assert sorted(os.listdir(two)) == before
        code, out, _ = run(["reproduce", "two.yaml", "-o", "two", "--json"], folder)
        with open(os.path.join(two, "figure.json"), encoding="utf-8") as file:
            assert code == 0 and json.loads(out) == json.load(file)


def quick():
    """quick lies over base and variants; a variant's own lies over that; --set is under both."""
    text = DISTANCE + "quick: {graph: {family: hypercube 2}}\nvariants: [{name: a}, {name: b, graph: {family: ring 30}}, {name: c, protocol: {rounds: 5}, quick: {graph: {family: ring 6}, protocol: {rounds: 2}}}]\n"
    families = (("a", "hypercube 2", 10), ("b", "hypercube 2", 10), ("c", "ring 6", 2))
    with tempfile.TemporaryDirectory() as folder:
        rows, _, _ = reproduce(folder, text, "--quick", name="q")
        for curve, family, rounds in families:
            assert_classes([row for row in rows if row["curve"] == curve],
                           losses(folder, family, *GOSSIP, "--to", "3", "--rounds", str(rounds)))
        # Without -o it has a folder of its own, and its written study is quick by itself.
        code, out, err = run(["reproduce", "q.yaml", "--quick"], folder)
        assert code == 0 and out == "results/q-quick/figure.svg\n", (out, err)
        code, _, err = run(["reproduce", "results/q-quick/study.yaml", "-o", "again"], folder)
        assert code == 0, err
        pair = (os.path.join(folder, "again"), os.path.join(folder, "results", "q-quick"))
        assert filecmp.cmpfiles(*pair, FILES + ["summary.json"], shallow=False)[0] == FILES + ["summary.json"]
        text += "sweep: {key: protocol.rounds, values: 3 | 4}\n"  # it names points: nothing lies over it
        rows, _, _ = reproduce(folder, text.replace("kind: distance", "kind: sweep"), "--quick", name="swept")
        values = [pair["value"] for pair in losses(folder, "ring 6", *GOSSIP, "--to", "3", "--rounds", "4")]
        close(float(rows[-1]["y"]), sum(values) / len(values), relative=1e-12)
        rows, _, _ = reproduce(folder, text, name="whole")
        assert max(float(row["x"]) for row in rows if row["curve"] == "b") == 15


def interrupted():
    """An account that is stopped goes on with netdp run to the same bytes."""
    variants = ", ".join(f"{{name: v{i}, graph: {{draw: {i}}}}}" for i in range(8))
    text = f"""graph: {{family: erdos-renyi 101 c=2}}
task: {{kind: account}}
protocol: {{kind: averaging, rounds: 20}}
privacy: {{noise: 2, as: rdp:2}}
figure: {{kind: distance}}
variants: [{variants}]
"""
    with tempfile.TemporaryDirectory() as folder:
        study, cut = write(folder, text), os.path.join(folder, "cut")
        reproduce(folder, text, name="whole")
        process = subprocess.Popen([COMMAND, "reproduce", study, "-o", cut], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env={**os.environ, "OMP_NUM_THREADS": "1"})
        checkpoint = os.path.join(cut, "checkpoint")
        for _ in range(30000):
            if os.path.exists(checkpoint) or process.poll() is not None:
                break
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130 and out == b"", (process.returncode, err)
        assert err.count(b"\n") == 1 and b"go on with: netdp run" in err, err
        assert os.path.exists(checkpoint) and not os.path.exists(os.path.join(cut, "summary.json"))
        code, _, err = run(["run", cut], folder)
        assert code == 0, err
        code, _, err = run(["reproduce", study, "-o", cut], folder)
        assert code == 0, err
        same = FILES + ["summary.json", "loss-1.npy", "loss-8.npy", "study.yaml"]
        got = filecmp.cmpfiles(cut, os.path.join(folder, "whole"), same, shallow=False)
        assert got[0] == same, got
        assert not os.path.exists(checkpoint)


def refused_before_it_runs():
    """What no results can give is told at once: no folder is left."""
    with tempfile.TemporaryDirectory() as folder:
        for text, what in REFUSED:
            code, out, err = run(["reproduce", write(folder, text), "-o", "never"], folder)
            assert code == 2 and out == "" and err.count("\n") == 1, (text, code, err)
            assert what in err, (what, err)
            assert os.listdir(folder) == ["study.yaml"], (text, os.listdir(folder))


REFUSED = [
    (ACCOUNT, "study.yaml: has no figure; give it a section figure with a kind, or use netdp run"),
    (ACCOUNT + "figure: {y: loss}\n", "has no figure; give it a section figure with a kind"),
    (ACCOUNT + "figure: {kind: distances}\n", "study.yaml:6: figure.kind: 'distances'"),
    (ACCOUNT + "figure: {kind: sweep, x: nodes, y: los}\n", "study.yaml:6: figure.y: 'los' is not known"),
    (ACCOUNT + "figure: {kind: sweep, x: nodes, y: ' , '}\n", "figure.y: is empty"),
    (ACCOUNT + "figure: {kind: distance, y: accuracy}\n", "figure.y: a distance has no accuracy; give loss"),
    (ACCOUNT + "figure: {kind: dots}\n", "figure.y: task account runs nothing that has accuracy"),
    (ACCOUNT + "figure: {kind: dots, y: loss noise}\n", "figure.y: a dots has at most 1"),
    (ACCOUNT + "figure: {kind: histogram, log: y}\n", "figure.log: empty bins have no logarithm; give x or none"),
    (ACCOUNT + "figure: {kind: dots, y: loss, log: x}\n", "figure.log: dots have their numbers across, which are y; give y or none"),
    (ACCOUNT + "figure: {kind: dots, y: loss}\nsweep: {key: protocol.rounds, values: 2 | 3}\n", "figure.kind: dots have no axis for a sweep; give sweep"),
    (ACCOUNT + "figure: {kind: dots, y: loss, printed: 2}\nvariants: [{name: a}]\n", "figure.printed: is of one variant; give it to the variant"),
    (ACCOUNT + "figure: {printed: 2}\n", "figure.printed: does not apply to no figure; give figure.kind: dots"),
    (ACCOUNT.replace("noise:", "certify: maybe, noise:") + "figure: {kind: distance}\n", "privacy.certify: 'maybe' is not known here; give auto or yes"),
    (ACCOUNT + "figure: {kind: bars, y: loss}\n", "'bars' is not known here; give distance, sweep, trace, dots (bars before)"),
    (ACCOUNT + "figure: {kind: distance}\nvariants: [{name: a, figure: {printed: 1}}]\n", "figure.printed: does not apply to distance; give figure.kind: dots"),
    (ACCOUNT + "figure: {kind: dots, y: loss}\nvariants: [{name: a, figure: {printed: 0}}]\n", "figure.printed: '0' is out of range"),
    (ACCOUNT + "figure: {kind: drawing, y: data}\n", "task account runs nothing that has data"),
    (MEAN + "figure: {kind: dots, y: consensus}\n", "figure.y: a dots has no consensus"),
    (MEAN + "figure: {kind: trace, y: accuracy}\n", "figure.y: task mean has no accuracy; give objective"),
    (ACCOUNT + "figure: {kind: sweep}\n", "study.yaml:6: figure.kind: a sweep has several points"),
    (ACCOUNT + "figure: {kind: sweep}\nvariants: [{name: a at home}]\n", "variant a at home has no number on the axis"),
    (ACCOUNT + "figure: {kind: sweep}\nsweep: {key: graph.family, values: ring 5 | ring 6}\n", "variant all at ring 5 has no number"),
    (REALISED + "figure: {kind: matrix}\n", "figure.kind: task realised lists no pairs; give sweep, dots or distance"),
    (ACCOUNT + "figure: {kind: trace}\n", "figure.kind: task account runs nothing that a trace shows"),
    (ACCOUNT + "figure: {kind: distance, x: katz}\n", "figure.x: a distance is against hops, length or quantile"),
    (ACCOUNT + "figure: {kind: matrix, x: hops}\n", "figure.x: a matrix is against communicability"),
    (ACCOUNT + "figure: {kind: scatter}\n", "figure.x: is missing; a scatter is against communicability"),
    (ALL + "figure: {kind: drawing}\n", "study.yaml:6: figure.kind: a drawing is of the losses from one node"),
    (ACCOUNT + "figure: {kind: sweep}\nsweep: {key: protocol.rounds}\n", "study.yaml:7: sweep.values: is missing"),
    (ACCOUNT + "figure: {kind: sweep}\nsweep: {values: 1 | 2}\n", "study.yaml:7: sweep.key: is missing"),
    (ACCOUNT + "figure: {kind: sweep}\nsweep: {key: output.repeat, values: 1 | 2}\n",
     "sweep.key: output.repeat is none that a variant can have as one value"),
    (ACCOUNT + "figure: {kind: sweep}\nsweep: {key: protocol.round, values: 1 | 2}\n", "did you mean 'protocol.rounds'?"),
    (ACCOUNT + "figure: {kind: sweep}\nsweep: {key: protocol.rounds, values: 1 || 2}\n", "sweep.values: value 2 is empty"),
    (ACCOUNT + "figure: {kind: sweep}\nsweep: {key: protocol.rounds, values: 1 | 1}\n", "sweep.values: has '1' twice"),
    (ACCOUNT + "figure: {kind: sweep}\nsweep: {key: graph.family, values: \"ring\\n5 | ring 6\"}\n",
     "sweep.values: 'ring\\x0a5' holds what does not print"),
    (ACCOUNT + "figure: {kind: sweep}\nsweep: {key: protocol.rounds, values: 1 | many}\n",
     "study.yaml:7: sweep.values: protocol.rounds: 'many' is not a whole number"),
    (MEAN.replace("epsilon: 4", "noise: 1, epsilon: 4") + "figure: {kind: trace}\n", "study.yaml:5: privacy.noise: a study has a noise, or an epsilon to meet"),
    (DISTANCE.replace("noise: 2", "noise: 2, epsilon: 1"), "study.yaml:5: privacy.noise: an account has a noise, or an epsilon to meet"),
    (DISTANCE + "quick:\n  protocol:\n    round: 3\n", "study.yaml:9: unknown key 'round' in quick.protocol"),
]

CASES = [
    Case("reproduce", 2, err="give the name of one experiment, or --list, or --all"),
    Case("reproduce --list --all", 2, err="give the name of one experiment"),
    Case("reproduce C-fig2 --list", 2, err="give the name of one experiment"),
    Case("reproduce C-fig2 C-fig3", 2, err="one argument too many"),
    Case("reproduce --all -o x", 2, err="--all: each has its own folder and study; leave out -o"),
    Case("reproduce --all --set seed=2", 2, err="--all: each has its own folder"),
    Case("reproduce D-utilty", 2, err="'D-utilty': no such experiment; did you mean 'D-utility'"),
    Case("reproduce c-dropout", 2, err="did you mean 'C-dropout'"),
    Case("reproduce no-such-thing-at-all", 2, err="no such experiment; see netdp reproduce --list"),
    Case(["reproduce", ""], 2, err="no such experiment"),
    Case(["reproduce", "\x1b[31m"], 2, err=r"'\\x1b\[31m': no such experiment"),
    Case("reproduce A-fig3 -o x", 2, env={"NETDP_DATA": "none"}, err="'A-fig3': 3 panels, each with its own folder; leave out -o"),
    Case("reproduce nothing.yaml", 3, err="nothing.yaml: cannot read"),
    Case("reproduce s.yaml", 2, err="figure.x: the nodes of hypercube 4 have no positions; length and quantile are for the family geometric",
         files={"s.yaml": (ALL + "figure: {kind: distance, x: length}\n").encode()}),
    Case("reproduce --help", out="Usage: netdp reproduce NAME"),
]

if __name__ == "__main__":
    main(CASES, [listed_experiments, by_hops_and_names, without_baselines, swept, named_at, pairs, histogram, matrix_and_drawing, traced,
                 large_tables, repeats_and_redraws, quick, interrupted, refused_before_it_runs])

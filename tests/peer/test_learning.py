#!/usr/bin/python3
"""Learning by phases between 16 peers: with the simulator's draws the models are the simulator's to the last bit, by
both protocols, three losses, with and without acceleration and noise in pairs. With real noise that is next to
nothing they are those of a few lines of Python."""
import csv
import math
import os
import pathlib
import random
import re
import subprocess

from peers import Peers

STUDY = """title: Learning between peers
seed: 3
graph: {family: %(graph)s}
mixing: {weights: metropolis}
data: {synthetic: %(law)s, split: 0.8}
task: {kind: %(task)s, clip: 0.5, step: 0.4, l2: %(l2)g, intercept: true}
protocol: {kind: %(protocol)s, rounds: %(rounds)d%(more)s}
privacy: {epsilon: 50, delta: 1e-6, over: worst%(pairs)s}
"""


def quote(text):
    return f'"{text}"'


CLASSES, MODEL = "gaussian-classes 8 mean=1 variance=2 rows=20", "linear-model 4 variance=0.5 noise=0.1 rows=10"
PAIRS = ", pair_graph: edges, pair_noise: 4"
CASES = [
    {"graph": "hypercube 4", "law": CLASSES, "task": "logistic", "l2": 0.01, "protocol": "muffliato-sgd", "rounds": 48,
     "more": ", inner: 4", "pairs": ", dither: 0.05, end_dither: 0.1" + PAIRS},
    {"graph": "hypercube 3", "law": MODEL, "task": "ridge", "l2": 0, "protocol": "gossip-sgd", "rounds": 30, "more": "", "pairs": PAIRS},
    {"graph": "ring 6", "law": MODEL, "task": "ridge", "l2": 0.1, "protocol": "muffliato-sgd", "rounds": 25,
     "more": ", inner: 5, accelerate: true", "pairs": ", dither: 0.05, end_dither: 0"},
]
for case in CASES:
    with Peers(STUDY % case, noise=1.5, seed=11) as net:
        for one in range(net.count):
            net.start(one)
        net.wait()
        states, expected = net.states(), net.expected()
        assert states == expected, (case, [(a, b) for a, b in zip(states, expected) if a != b][:2])
        assert len({tuple(state) for state in states}) > 1 and max(map(abs, states[0])) > 0.01
        assert net.result(0)["columns"][-1] == "intercept"

# Several classes, one set of weights for each: every member of the bundled data is one of 31, by its consumption at 19 h.
with open(pathlib.Path(os.environ["NETDP_SOURCE"]) / "data" / "meters.csv", encoding="utf-8") as bundled:
    HOURS = sorted({row["h19"] for row in csv.DictReader(bundled)})
MANY = """title: Several classes between peers
seed: 3
graph: {family: %(graph)s}
mixing: {weights: metropolis}
data: {source: meters, label: h19, columns: [{name: h7, bounds: [0, 5]}, {name: h8, bounds: [0, 5]}, {name: h19, values: [%(values)s]}], split: 0.8}
task: {kind: softmax, clip: %(clip)g, step: 0.4, l2: %(l2)g, intercept: %(intercept)s}
protocol: {kind: %(protocol)s, rounds: 24%(more)s}
privacy: {epsilon: 50, delta: 1e-6, over: worst%(pairs)s}
"""
for case in ({"graph": "ring 4", "clip": 0.5, "l2": 0.05, "intercept": "true", "protocol": "gossip-sgd", "more": "", "pairs": PAIRS, "values": HOURS},
             {"graph": "hypercube 3", "clip": 1e-3, "l2": 0, "intercept": "false", "protocol": "muffliato-sgd", "more": ", inner: 4", "pairs": ", dither: 0.05, end_dither: 0.1", "values": HOURS},
             {"graph": "ring 5", "clip": 0.5, "l2": 0, "intercept": "true", "protocol": "gossip-sgd", "more": "", "pairs": "", "values": HOURS[:2]}):
    values = case["values"]
    with Peers(MANY % (case | {"values": ", ".join(map(quote, values))}), noise=1.5, seed=11) as net:
        for one in range(net.count):
            net.start(one)
        net.wait()
        states, expected = net.states(), net.expected()
        assert states == expected, (case, [(a, b) for a, b in zip(states, expected) if a != b][:1])
        assert len(states[0]) == len(values) * (3 if case["intercept"] == "true" else 2) and max(map(abs, states[0])) > 0.001, len(states[0])
        assert net.result(0)["columns"][:2] == [f"{values[0]}: h7", f"{values[0]}: h8"] and len(net.result(0)["model"]["weights"]) == len(values)

FILES = """title: Learning from files of one's own
seed: 3
graph: {family: ring 6}
mixing: {weights: metropolis}
data: {csv: all.csv, label: ill, columns: [{name: age, bounds: [0, 100]}, {name: dose, bounds: [-1, 3]}, {name: ill, values: [well, "ill, or was"]}], split: 0.8}
task: {kind: logistic, clip: 0.3, step: 0.7, l2: 0.05, intercept: true}
protocol: {kind: muffliato-sgd, rounds: 24, inner: 3}
privacy: {epsilon: 50, delta: 1e-6, over: worst, dither: 0.01, end_dither: 0.01, pair_graph: edges, pair_noise: 4}
"""
CHANCE, LABELS = random.Random(5), ["well", "ill, or was"]
ROWS = [[[CHANCE.uniform(-10, 110), CHANCE.uniform(-2, 4), CHANCE.choice((0, 1))] for _ in range(7 + node)] for node in range(6)]


def text(rows):
    return "age,dose,ill\n" + "".join(f"{age!r},{dose!r},{quote(LABELS[ill]) if ill in (0, 1) else ill}\n" for age, dose, ill in rows)


def prepare(row):
    """Ranges to [-1, 1], unit norm, an intercept; the label's sign."""
    x = [2 * (min(max(value, low), high) - low) / (high - low) - 1 for value, (low, high) in zip(row, ((0, 100), (-1, 3)))]
    norm = math.hypot(*x)
    return [value / norm for value in x] + [1.0], 2 * row[2] - 1


def gradient(rows, model):
    total = [0.0] * 3
    for x, y in map(prepare, rows):
        slope = -y / (1 + math.exp(y * sum(a * b for a, b in zip(x, model))))
        slope *= min(1, 0.3 / (abs(slope) * math.hypot(*x)))
        total = [a + slope * b / len(rows) for a, b in zip(total, x)]
    return [a + 0.05 * b for a, b in zip(total, model)]


def check_predictions(net):
    """A participant applies its result to rows of the owner's; of the study, labels and scales are what it declares."""
    result = net.result(2)
    assert result["model"]["label"] == {"name": "ill", "values": LABELS} and "declared" in result["model"]["scales"], result["model"]
    assert "no more about the rows" in result["predictions"], result["predictions"]
    new = net.folder / "new.csv"
    new.write_text("dose,who,age\n" + "".join(f"{row[1]!r},{k},{row[0]!r}\n" for k, row in enumerate(ROWS[2])))
    said = subprocess.run([os.environ["NETDP_COMMAND"], "predict", net.of(2), new, "--keep", "who"], check=True, capture_output=True, text=True)
    assert result["predictions"] in said.stderr, said.stderr
    lines = said.stdout.splitlines()
    assert lines[0] == 'who,prediction,p:well,"p:ill, or was"'
    for k, row in enumerate(ROWS[2]):
        odds = sum(a * b for a, b in zip(prepare(row)[0], result["state"]))
        who, name, no, yes = next(csv.reader([lines[k + 1]]))
        assert who == str(k) and name == LABELS[odds >= 0] and abs(float(yes) - 1 / (1 + math.exp(-odds))) < 1e-12, lines[k + 1]
        assert abs(float(no) + float(yes) - 1) < 1e-12
    # A disk that changes one bit of a number makes another model of it: that is refused.
    path = pathlib.Path(net.of(2), "result.json")
    kept = path.read_bytes()
    at = kept.index(b'"weights"')
    digit = at + re.search(rb"[0-8]", kept[at:]).start()
    path.write_bytes(kept[:digit] + bytes([kept[digit] ^ 1]) + kept[digit + 1:])
    said = subprocess.run([os.environ["NETDP_COMMAND"], "predict", net.of(2), new], check=False, capture_output=True, text=True)
    assert said.returncode == 2 and "was changed since netdp wrote it" in said.stderr, said
    path.write_bytes(kept)


def learnt(width, gradient_of):
    """Models of a ring of six after eight phases of three rounds, without noise."""
    models = [[0.0] * width for _ in range(6)]
    for turn in range(24):
        if turn % 3 == 0:
            models = [[a - 0.7 * b for a, b in zip(model, gradient_of(one, model))] for one, model in enumerate(models)]
        models = [[sum(models[(one + by) % 6][j] for by in (-1, 0, 1)) / 3 for j in range(width)] for one in range(6)]
    return models


def farthest(net, models):
    return max(abs(a - b) for one in range(6) for a, b in zip(net.states()[one], models[one]))


with Peers(FILES, noise=1e-5, files={"all.csv": lambda path: path.write_text(text(sum(ROWS, [])))}) as net:
    for one in range(net.count):
        (net.of(one) / "values.csv").write_text(text(ROWS[one]))
        (net.of(one) / "budget.yaml").write_text("delta: 1e-6\npeer: 1e12\n")
        net.start(one)
    net.wait()
    models = learnt(3, lambda one, model: gradient(ROWS[one], model))
    away = farthest(net, models)
    assert away < 1e-3 and max(map(abs, models[0])) > 0.1, (away, models)
    assert "sampled exactly and rounded" in net.result(0)["noise"] and net.result(0)["account"]["contributions"] == 8
    assert net.result(0)["columns"] == ["age", "dose", "intercept"]
    check_predictions(net)
    net.prove(0)
    # A label that says neither, and a row that is none: a line, no cell in the log.
    (net.of(1) / "values.csv").write_text(text([[50, 1, 7]]))
    (net.of(1) / "ledger.db").unlink()
    assert net.start(1).wait() == 2 and "values.csv" in net.log(1).splitlines()[-1] and "7" not in net.log(1).splitlines()[-1].split("values.csv")[1], net.log(1)[-300:]
# Of several classes, from files of one's own; one member's row says a class that nobody agreed on, and has no gradient.
WARDS = ["north", "south", "east, or so"]
WARD_ROWS = [[[CHANCE.uniform(-10, 110), CHANCE.uniform(-2, 4), CHANCE.choice((0, 1, 2))] for _ in range(6 + node)] for node in range(6)]
WARD_STUDY = FILES.replace('{name: ill, values: [well, "ill, or was"]}', '{name: ill, values: [north, south, "east, or so"]}').replace("kind: logistic", "kind: softmax")


def ward_text(rows, strange=False):
    return "age,dose,ill\n" + "".join(f"{age!r},{dose!r},{quote(WARDS[ward])}\n" for age, dose, ward in rows) + ("50,1,west\n" if strange else "")


def odds_of(x, model):
    margins = [sum(a * b for a, b in zip(x, model[3 * k:3 * k + 3])) for k in range(3)]
    weights = [math.exp(margin - max(margins)) for margin in margins]
    return [weight / sum(weights) for weight in weights]


def ward_gradient(rows, model, count):
    total = [0.0] * 9
    for row in rows:
        x = prepare(row)[0]
        one = [(p - (k == row[2])) * a for k, p in enumerate(odds_of(x, model)) for a in x]
        shrink = min(1, 0.3 / math.hypot(*one))
        total = [a + shrink * b / count for a, b in zip(total, one)]
    return [a + 0.05 * b for a, b in zip(total, model)]


with Peers(WARD_STUDY, noise=1e-5, files={"all.csv": lambda path: path.write_text(ward_text(sum(WARD_ROWS, [])))}) as net:
    for one in range(net.count):
        (net.of(one) / "values.csv").write_text(ward_text(WARD_ROWS[one], one == 4))
        (net.of(one) / "budget.yaml").write_text("delta: 1e-6\npeer: 1e12\n")
        net.start(one)
    net.wait()
    models = learnt(9, lambda one, model: ward_gradient(WARD_ROWS[one], model, len(WARD_ROWS[one]) + (one == 4)))
    far = farthest(net, models)
    assert far < 1e-3 and max(map(abs, models[0])) > 0.1, (far, models)
    result = net.result(2)
    assert result["columns"] == [f"{ward}: {name}" for ward in WARDS for name in ("age", "dose", "intercept")], result["columns"]
    assert result["model"]["kind"] == "softmax" and result["model"]["label"] == {"name": "ill", "values": WARDS}, result["model"]
    new = net.folder / "new.csv"
    new.write_text("dose,age\n" + "".join(f"{row[1]!r},{row[0]!r}\n" for row in WARD_ROWS[2]))
    said = subprocess.run([os.environ["NETDP_COMMAND"], "predict", net.of(2), new], check=True, capture_output=True, text=True)
    head, *lines = csv.reader(said.stdout.splitlines())
    assert head == ["prediction", *(f"p:{ward}" for ward in WARDS)], head
    for line, row in zip(lines, WARD_ROWS[2], strict=True):
        odds = odds_of(prepare(row)[0], result["state"])
        assert line[0] == WARDS[odds.index(max(odds))] and max(abs(float(a) - b) for a, b in zip(line[1:], odds)) < 1e-12, (line, odds)
    # Classes that are found from the rows would be taken from somebody's.
    net.study.write_text(WARD_STUDY.replace(', {name: ill, values: [north, south, "east, or so"]}', ""))
    made = subprocess.run([os.environ["NETDP_COMMAND"], "net", "init", net.study, "-o", net.folder / "made"], capture_output=True, text=True)
    assert made.returncode == 2 and "list the label's values" in made.stderr, made.stderr
print(f"{len(CASES) + 3} studies: every bit of every model is the simulator's; next to no noise: {max(away, far):.1g} from Python's")

#!/usr/bin/python3
"""Learning by phases between 16 peers: with the simulator's draws the models are the simulator's to the last bit, by
both protocols, both losses, with and without acceleration and noise in pairs. With real noise that is next to
nothing they are those of a few lines of Python."""
import csv
import math
import os
import random
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


def quote(text):
    return f'"{text}"'


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


with Peers(FILES, noise=1e-5, files={"all.csv": lambda path: path.write_text(text(sum(ROWS, [])))}) as net:
    for one in range(net.count):
        (net.of(one) / "values.csv").write_text(text(ROWS[one]))
        (net.of(one) / "budget.yaml").write_text("delta: 1e-6\npeer: 1e12\n")
        net.start(one)
    net.wait()
    models = [[0.0] * 3 for _ in ROWS]
    for turn in range(24):
        if turn % 3 == 0:
            models = [[a - 0.7 * b for a, b in zip(model, gradient(ROWS[one], model))] for one, model in enumerate(models)]
        models = [[sum(models[(one + by) % 6][j] for by in (-1, 0, 1)) / 3 for j in range(3)] for one in range(6)]
    away = max(abs(a - b) for one in range(6) for a, b in zip(net.states()[one], models[one]))
    assert away < 1e-3 and max(map(abs, models[0])) > 0.1, (away, models)
    assert "sampled exactly and rounded" in net.result(0)["noise"] and net.result(0)["account"]["contributions"] == 8
    assert net.result(0)["columns"] == ["age", "dose", "intercept"]
    check_predictions(net)
    net.prove(0)
    # A label that says neither, and a row that is none: a line, no cell in the log.
    (net.of(1) / "values.csv").write_text(text([[50, 1, 7]]))
    (net.of(1) / "ledger.db").unlink()
    assert net.start(1).wait() == 2 and "values.csv" in net.log(1).splitlines()[-1] and "7" not in net.log(1).splitlines()[-1].split("values.csv")[1], net.log(1)[-300:]
print(f"{len(CASES)} studies: every bit of every model is the simulator's; next to no noise: {away:.1g} from Python's")

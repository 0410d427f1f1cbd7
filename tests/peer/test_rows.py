#!/usr/bin/python3
"""Rows between peers: one patient's record is protected, not a hospital's all. Each announces how many rows it has, and noise and
prices go by that: with the simulator's draws the results are the simulator's to the last bit, for means and for learning, replaced
or added and removed, by turns of batches, with nodes that count by their rows. What it costs towards each observer is what
netdp loss says for one row, up to what rounding adds; a file with other rows than were announced is refused, and so is the study
where the budget is of all data. With next to no noise a mean is the mean over all rows, and models those of a few lines of Python."""
import json
import math
import random
import subprocess

from peers import NETDP, Peers

MEAN = """title: One customer's evening
seed: 2
graph: {family: ring 7}
mixing: {weights: metropolis}
data: {source: meters, columns: [{name: h19}%(more)s], row: one household}
task: {kind: mean, bounds: [0, 5], unit: kWh%(task)s}
protocol: {kind: averaging, rounds: 12}
privacy: {epsilon: 1, delta: 1e-6, over: worst, dither: 0.02, pair_graph: edges, pair_noise: 4, protects: row, change: %(change)s}
"""
LEARN = """title: One patient's record
seed: 3
graph: {family: %(graph)s}
mixing: {weights: metropolis}
data: {synthetic: gaussian-classes 4 mean=1 variance=2 rows=11, split: 0.8, batches: %(batches)s}
task: {kind: logistic, clip: 0.5, step: 0.4, l2: 0.01, intercept: true}
protocol: {kind: %(protocol)s}
privacy: {epsilon: 50, delta: 1e-6, over: worst, protects: row, change: %(change)s%(more)s, pair_graph: edges, pair_noise: 4}
"""
MUFFLIATO = {"protocol": "muffliato-sgd, rounds: 27, inner: 3", "more": ", dither: 0.05, end_dither: 0.1"}
GOSSIP = {"protocol": "gossip-sgd, rounds: 10", "more": ""}
CASES = [
    MEAN % {"more": "", "task": "", "change": "replace"},
    MEAN % {"more": ", {name: h8}", "task": ", mean_over: rows", "change": "add-remove"},
    MEAN.replace("kind: mean", "kind: histogram, levels: 10") % {"more": "", "task": "", "change": "replace"},
    MEAN.replace("kind: mean", "kind: histogram, levels: 10").replace("protects: row, ", "") % {"more": "", "task": "", "change": "replace"},
    LEARN % (MUFFLIATO | {"graph": "ring 5", "batches": "cyclic:4", "change": "replace"}),
    LEARN % (GOSSIP | {"graph": "complete 4", "batches": "full", "change": "add-remove"}),
    LEARN.replace("protects: row, change: %(change)s", "protects: node").replace("l2: 0.01", "l2: 0.01, mean_over: rows")
    % (GOSSIP | {"graph": "ring 5", "batches": "cyclic:3"}),
]


def check_prices(net, rows, question):
    """What a result says it cost is what netdp loss says of one row, up to what rounding adds, and no less."""
    said = json.loads(subprocess.run(
        [NETDP, "loss", "--protocol", *question, "--family", "complete 6", "--protects", "row", "--rows", rows, "--to", "all", "--bound",
         "everything", "--pair-graph", "edges", "--pair-noise", "4", "--noise", "1e-4", "--as", "dp:1e-6", "--json"],
        check=True, capture_output=True, text=True).stdout)
    names = [member["name"] for member in json.loads((net.of(0) / "package" / "roster.json").read_text())["members"]]
    loss = {(entry["from"], names[entry["to"]]): entry["value"] for entry in said["losses"]}
    assert said["sound"] and len(set(loss.values())) > 1
    for one in range(net.count):
        account = net.result(one)["account"]
        assert account["protects"] == said["threat"]["adjacency"], account["protects"]
        net.prove(one)
        for entry in account["towards"]:
            true = loss[one, entry["observers"][0]]
            assert true * (1 - 1e-12) <= entry["epsilon"] <= true * (1 + 1e-6), (one, true, entry)


def budget(net, text):
    for one in range(net.count):
        (net.of(one) / "budget.yaml").write_text(text)


def run(net):
    for one in range(net.count):
        net.start(one)
    net.wait()


for study in CASES:
    with Peers(study, noise=1.5, seed=11) as net:
        budget(net, "delta: 1e-6\nprotects: row\npeer: 1e6\n")
        run(net)
        states, expected = net.states(), net.expected()
        assert states == expected, (study, [(a, b) for a, b in zip(states, expected) if a != b][:2])
        assert max(map(abs, states[0])) > 0.01

# Files of one's own, next to no noise. Hospitals of 3 to 8 patients; of the second study one may be missing, and counts in the middle.
CHANCE = random.Random(5)
ROWS = [[[CHANCE.uniform(-10, 110), CHANCE.uniform(-2, 4), CHANCE.choice((0, 1))] for _ in range(3 + node)] for node in range(6)]
FILE = """title: %(title)s
graph: {family: complete 6}
data: {csv: all.csv, %(data)s}
task: {%(task)s}
protocol: {kind: %(protocol)s}
privacy: {epsilon: 50, delta: 1e-6, over: worst, protects: row%(privacy)s, pair_graph: edges, pair_noise: 4}
"""
TWO = "rows: 33, columns: [{name: age, bounds: [0, 100]}, {name: dose, bounds: [-1, 3]}]"
STUDIES = [
    {"title": "A mean over patients", "data": TWO, "task": "kind: mean, mean_over: rows", "protocol": "averaging, rounds: 3", "privacy": ", dither: 0"},
    {"title": "A mean over hospitals, one patient missing", "data": TWO, "task": "kind: mean", "protocol": "averaging, rounds: 3",
     "privacy": ", dither: 0, change: add-remove"},
    {"title": "A histogram, one patient missing", "data": "rows: 33, columns: [{name: age, bounds: [0, 100]}]", "task": "kind: histogram, levels: 5",
     "protocol": "averaging, rounds: 3", "privacy": ", dither: 0, change: add-remove"},
    {"title": "A model, by turns", "data": TWO + ", label: ill, split: 0.8, batches: cyclic:3", "task": "kind: logistic, clip: 0.3, step: 0.7, l2: 0.05",
     "protocol": "gossip-sgd, rounds: 9", "privacy": ""},
]


def text(rows):
    return "age,dose,ill\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows)


def inner(row):
    return [(min(max(value, low), high) - low) / (high - low) for value, (low, high) in zip(row, ((0, 100), (-1, 3)))]


def gradient(rows, phase, model):
    total = [0.0, 0.0]
    for row in rows[phase % 3::3]:
        x = [2 * value - 1 for value in inner(row)]
        x, y = [value / math.hypot(*x) for value in x], 2 * row[2] - 1
        slope = -y / (1 + math.exp(y * sum(a * b for a, b in zip(x, model))))
        total = [a + slope * min(1, 0.3 / abs(slope)) * b / (len(rows) / 3) for a, b in zip(total, x)]
    return [a + 0.05 * b for a, b in zip(total, model)]


def expect(number):
    if number == 0:
        every = [inner(row) for rows in ROWS for row in rows]
        return [[sum(row[j] for row in every) / len(every) for j in range(2)]] * 6
    if number == 1:
        means = [[(sum(inner(row)[j] for row in rows) + 0.5 * (node == 2)) / (3 + node) for j in range(2)] for node, rows in enumerate(held(1))]
        return [[sum(mean[j] for mean in means) / 6 for j in range(2)]] * 6
    if number == 2:
        shares = [[sum(min(int(inner(row)[0] * 5), 4) == j for row in rows) / (3 + node) for j in range(5)] for node, rows in enumerate(held(2))]
        return [[sum(share[j] for share in shares) / 6 for j in range(5)]] * 6
    model = [0.0, 0.0]
    for phase in range(9):
        model = [sum(model[j] - 0.7 * gradient(rows, phase, model)[j] for rows in ROWS) / 6 for j in range(2)]
    return [model] * 6


def held(number):
    return [rows[:-1] if number in (1, 2) and node == 2 else rows for node, rows in enumerate(ROWS)]


ANNOUNCED = ",".join(str(len(rows)) for rows in ROWS)
for number, study in enumerate(STUDIES):
    with Peers(FILE % study, noise=1e-4, files={"all.csv": lambda path: path.write_text(text(sum(ROWS, [])))}, rows=ANNOUNCED) as net:
        for one, rows in enumerate(held(number)):
            (net.of(one) / "values.csv").write_text(text(rows))
        budget(net, "delta: 1e-6\npeer: 1e12\n")
        assert net.start(0).wait() == 1 and "protects: row" in net.log(0), net.log(0)[-300:]  # a budget of all data
        budget(net, "delta: 1e-6\nprotects: row\npeer: 1e12\n")
        (net.of(0) / "values.csv").write_text(text(ROWS[0] + ROWS[0][:1]))  # one more than announced
        assert net.start(0).wait() == 2 and "the 3 rows that roster.json announces" in net.log(0), net.log(0)[-300:]
        assert not (net.of(0) / "frames").exists()
        (net.of(0) / "values.csv").write_text(text(ROWS[0]))
        run(net)
        away = max(abs(a - b) for state, want in zip(net.states(), expect(number)) for a, b in zip(state, want))
        assert away < 2e-3, (study, away, net.states()[0], expect(number)[0])
        if number > 0:  # netdp loss has no weights of nodes
            check_prices(net, ANNOUNCED, [["averaging", "--rounds", "3", "--change", "add-remove"],
                                          ["averaging", "--rounds", "3", "--change", "add-remove"],
                                          ["gossip-sgd", "--rounds", "9", "--batches", "cyclic:3"]][number - 1])
        said = json.loads(subprocess.run([NETDP, "ledger", "export", net.of(0)], check=True, capture_output=True, text=True).stdout)["content"]
        assert said["studies"][0]["protects"].startswith("one row"), said["studies"]
        spent = {" ".join(entry["keys"]): entry["epsilon"] for entry in said["towards"]}
        most = max(entry["epsilon"] for entry in net.result(0)["account"]["towards"])
        assert abs(max(value for key, value in spent.items() if len(key) == 64) / most - 1) < 1e-6, (spent, most)
print(f"{len(CASES)} studies: every bit is the simulator's, every price netdp loss's; {len(STUDIES)} of files")

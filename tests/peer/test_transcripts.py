#!/usr/bin/python3
"""Transcripts of runs with real noise, attacked by netdp audit: all frames of two worlds that differ in one member's data,
seen by an eavesdropper on every link, and by a curious neighbour who takes the noise of its own pairs away. Of a mean each of a
thousand numbers is a trial, of learning each of a thousand phases: the likelihood ratio of its frames stays below what the
peer's account claims, and breaks a smaller claim; and phases have noise of their own. So do runs that protect one row: worlds that differ in
one row of the target's, which has more of them than others, in a mean and in learning by turns of batches, where it takes part in every other phase."""
import json
import math
import pathlib
import shutil
import struct
import subprocess
import tempfile
import time

from peers import NETDP, NETWORK, Peers
from transcripts import frames

NODES, WIDTH, KAPPA, TARGET, CURIOUS, TRIALS = 6, 1000, 4, 0, 1, 1000
NOISE = 0.25 / math.sqrt(WIDTH)  # of one number: a quarter of its range
STUDY = f"""title: Transcripts
seed: 1
graph: {{family: ring {NODES}}}
mixing: {{weights: metropolis}}
data: {{csv: all.csv, per_node: one, columns: [{", ".join("{name: c%d}" % j for j in range(WIDTH))}]}}
task: {{kind: mean, bounds: [0, 1]}}
protocol: {{kind: averaging, rounds: 3}}
privacy: {{epsilon: 4, delta: 1e-6, over: worst, dither: 0.02, pair_graph: edges, pair_noise: {KAPPA}}}
"""


# One row of each: how many they announced, and what one of the fewest moves its member's mean by, is public.
ROWS, FEWEST = [4, 2, 3, 2, 5, 2], 2
ROW_STUDY = STUDY.replace("per_node: one, ", "").replace("over: worst,", "over: worst, protects: row,")


def text(rows):
    return ",".join(f"c{j}" for j in range(WIDTH)) + "\n" + "".join(",".join([str(row)] * WIDTH) + "\n" for row in rows)


# One feature, always 1, and gradients that the clip cuts: whatever the model, the target's is +-clip, the others' rows cancel.
PHASES, CLIP, STEP, STRENGTH = 1000, 0.01, 1.0, 0.2
LEARNING = f"""title: Transcripts of learning
seed: 1
graph: {{family: ring {NODES}}}
mixing: {{weights: metropolis}}
data: {{csv: all.csv, label: y, columns: [{{name: a, bounds: [-1, 1]}}], split: 0.8}}
task: {{kind: logistic, clip: {CLIP}, step: {STEP}}}
protocol: {{kind: gossip-sgd, rounds: {PHASES}}}
privacy: {{epsilon: 4, delta: 1e-6, over: worst, pair_graph: edges, pair_noise: {KAPPA}}}
"""


# By turns of two batches: rows 0, 2, ... in even phases. The gradient of a batch counts as the mean of half of the rows.
ROW_TURNS, ROW_COUNTS, ROW_STRENGTH = 2, [8, 4, 4, 12, 4, 4], STRENGTH / 2
ROW_LEARNING = LEARNING.replace("split: 0.8", f"split: 0.8, batches: cyclic:{ROW_TURNS}").replace("over: worst,", "over: worst, protects: row,")


def numbers(net, one):
    """What it sent, round by round."""
    return {number: struct.unpack_from(f"<{(len(frame) - 28) // 8}d", frame, 28)
            for (_, number), frame in frames(net.of(one) / "transcript")}


def inverse_row(nodes, target):
    """Of (I + kappa^2 L)^-1, the ring without those who are not in `nodes`: conjugate gradients."""
    def times(x):
        return {v: x[v] + sum(KAPPA**2 * (x[v] - x[w]) for w in ((v - 1) % NODES, (v + 1) % NODES) if w in x) for v in x}
    x, r = {v: 0.0 for v in nodes}, {v: float(v == target) for v in nodes}
    p, square = dict(r), 1.0
    for _ in range(3 * NODES):
        q = times(p)
        step = square / sum(p[v] * q[v] for v in nodes)
        x = {v: x[v] + step * p[v] for v in nodes}
        r = {v: r[v] - step * q[v] for v in nodes}
        before, square = square, sum(r[v] ** 2 for v in nodes)
        if square < 1e-28:
            break
        p = {v: r[v] + square / before * p[v] for v in nodes}
    return x


def log_tail(x):
    """Of the standard normal above x, to 1e-9 where x is large."""
    if x < 20:
        return math.log(0.5 * math.erfc(x / math.sqrt(2)))
    return -x * x / 2 - math.log(x * math.sqrt(2 * math.pi)) + math.log1p(-1 / x**2 + 3 / x**4)


def mu_of(epsilon, delta):
    """The Gaussian mechanism that has this epsilon at delta."""
    low, high = 1e-9, 1e6
    for _ in range(200):
        mu = (low + high) / 2
        a, b = log_tail(epsilon / mu - mu / 2), epsilon + log_tail(epsilon / mu + mu / 2)
        small = a <= b or a + math.log(-math.expm1(b - a)) < math.log(delta)
        low, high = (mu, high) if small else (low, mu)
    return high


def run(study, noise, tables, rows=None):
    """What all sent, the curious one's pair noises, and what the target's account says."""
    everything = tables[0].splitlines()[0] + "\n" + "".join(line + "\n" for table in tables for line in table.splitlines()[1:])
    with Peers(study, noise=noise, files={"all.csv": lambda path: path.write_text(everything)},
               rows=rows and ",".join(map(str, rows))) as net:
        for one in range(net.count):
            (net.of(one) / "values.csv").write_text(tables[one])
            (net.of(one) / "budget.yaml").write_text("delta: 1e-6\npeer: 1e12\n" + ("protects: row\n" if rows else ""))
            net.settle(one, transcript="transcript")
        net.start(CURIOUS)
        while "event=started" not in net.log(CURIOUS):
            time.sleep(0.02)
        shutil.copytree(net.of(CURIOUS), net.folder / "copy")
        for one in range(net.count):
            if one != CURIOUS:
                net.start(one)
        net.wait()
        said = subprocess.run([NETWORK, "pairs", net.folder / "copy", net.folder / "net"], check=True, capture_output=True, text=True).stdout
        shared = {int(line.split()[0]): [float(number) for number in line.split()[1:]] for line in said.splitlines()}
        return [numbers(net, one) for one in range(net.count)], shared, net.result(TARGET)["account"]


def audit(folder, claim, trials, confidence):
    said = subprocess.run([NETDP, "audit", "--mechanism", f"sh -c 'cat {folder}/$0'", "--claim", f"gdp:{claim:.12g}", "--runs",
                           str(trials), "--confidence", confidence, "--json"], check=True, capture_output=True, text=True)
    return json.loads(said.stdout)


def attack(what, noise, worlds, trials, parts, unit):
    """`worlds`: for each what members contributed, their values' known parts taken away, [member][trial]; of one contribution's
    loss, and of `parts` of them a trial is one."""
    account, smaller = worlds[0][2], 0.5 if trials >= 1000 else 0.35
    towards = {one["observers"][0]: one["epsilon"] for one in account["towards"]}
    for who, epsilon, nodes in (("an eavesdropper", account["eavesdropper"], range(NODES)),
                                ("a curious neighbour", towards[f"meter-{CURIOUS}"], [v for v in range(NODES) if v != CURIOUS])):
        row = inverse_row(list(nodes), TARGET)
        claim = mu_of(epsilon, account["delta"]) / math.sqrt(parts)
        exact = math.sqrt(row[TARGET]) / noise
        assert exact <= claim * (1 + 1e-9) and claim < exact * 1.001, (what, who, exact, claim)
        centre, spread = [], []
        with tempfile.TemporaryDirectory() as folder:
            for world, (sent, shared, _) in enumerate(worlds):
                seen = {v: list(sent[v]) for v in row}
                for v in shared if CURIOUS not in row else ():
                    seen[v] = [a - unit * b for a, b in zip(seen[v], shared[v])]
                scores = [sum(row[v] * seen[v][j] for v in row) for j in range(trials)]
                mean = sum(scores) / trials
                square = sum((a - mean) ** 2 for a in scores)
                alike = sum((a - mean) * (b - mean) for a, b in zip(scores, scores[1:])) / square
                centre.append(mean)
                spread.append(square / trials)
                assert abs(alike) < 6 / math.sqrt(trials), (what, who, "noise comes again", alike)
                pathlib.Path(folder, str(world)).write_text("".join(f"{score!r}\n" for score in scores))
            # What holds may be refuted once in a million audits: the claim is the truth itself, and the noise another each time.
            stands, falls = audit(folder, claim, trials, "0.999999"), audit(folder, claim * smaller, trials, "0.999")
        apart = abs(centre[1] - centre[0]) / math.sqrt(sum(spread) / 2)
        assert abs(apart - exact) < 6 * math.sqrt((2 + exact**2 / 4) / trials), (what, who, apart, exact)
        print(f"{what}, {who}: claimed mu {claim:.3f} a trial, the worlds are {apart:.3f} apart, shown", json.dumps(stands["evidence"])[:150], stands["verdict"],
              f"/ at {smaller} of it:", falls["verdict"])
        assert stands["verdict"] == "consistent", stands
        assert falls["verdict"] != "consistent", falls


def mean_world(value):
    """Of the target; the first round's frames are the contributions."""
    sent, shared, account = run(STUDY, NOISE, [text([value if one == TARGET else 0.5]) for one in range(NODES)])
    return [member[0] for member in sent], shared, account


def row_world(value):
    tables = [text([value if one == TARGET and k == 1 else 0.5 for k in range(rows)]) for one, rows in enumerate(ROWS)]
    sent, shared, account = run(ROW_STUDY, NOISE / 2, tables, ROWS)
    return [member[0] for member in sent], shared, account


def steps(study, strength, tables, rows=None):
    """What stands in each round's frames beside the mean of those before, that everybody saw: steps and their noise."""
    sent, shared, account = run(study, strength, tables, rows)
    before = [[0.0] * NODES] + [[sum(sent[(v + by) % NODES][t][0] for by in (-1, 0, 1)) / 3 for v in range(NODES)]
                                for t in range(PHASES - 1)]
    models = [[sent[v][t][0] for v in range(NODES)] for t in range(PHASES)]
    assert max(abs(model) for one in before for model in one) < math.log(1 / CLIP - 1), "a gradient was not cut"
    return [[models[t][v] - before[t][v] for t in range(PHASES)] for v in range(NODES)], shared, account


def learning_world(label):
    return steps(LEARNING, STRENGTH, ["a,y\n" + "".join(f"1,{label if one == TARGET else k % 2}\n" for k in range(4)) for one in range(NODES)])


def row_learning_world(label):
    """Of a batch half the rows have either label, so that they cancel, but for the target's third row."""
    tables = ["a,y\n" + "".join(f"1,{label if one == TARGET and k == 2 else k // ROW_TURNS % 2}\n" for k in range(rows))
              for one, rows in enumerate(ROW_COUNTS)]
    seen, shared, account = steps(ROW_LEARNING, ROW_STRENGTH, tables, ROW_COUNTS)
    return [member[::ROW_TURNS] for member in seen], {who: noise[::ROW_TURNS] for who, noise in shared.items()}, account


attack("a mean", NOISE * math.sqrt(WIDTH), [mean_world(0), mean_world(1)], TRIALS, WIDTH, math.sqrt(WIDTH))
attack("learning", STRENGTH, [learning_world(1), learning_world(0)], PHASES, PHASES, 2 * CLIP * STEP)
attack("a row of a mean", NOISE / 2 * math.sqrt(WIDTH) / FEWEST * ROWS[TARGET], [row_world(0), row_world(1)], TRIALS, WIDTH, math.sqrt(WIDTH) / FEWEST)
TAKES_PART = PHASES // ROW_TURNS
attack("a row in turns of learning", ROW_STRENGTH / min(ROW_COUNTS) * ROW_COUNTS[TARGET], [row_learning_world(1), row_learning_world(0)], TAKES_PART, TAKES_PART,
       2 * CLIP * STEP * ROW_TURNS / min(ROW_COUNTS))

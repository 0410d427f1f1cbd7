#!/usr/bin/python3
"""A neighbour who chooses the models at which honest members learn, as large as a study's own bound may
be and beyond it, models of the least numbers that there are, and numbers whose differences are lost. Of logistic, ridge and softmax, with l2 and without, at rows that
differ in one cell: all peers go on to the end, every number of every frame and result is finite, and logs and frames are alike but for the
noised numbers. The same of averaging with accelerated rounds."""
import json
import math
import re
import struct
import threading
import time

from liar import VECTOR, Liar
from peers import Peers

EDGE = [1e100, -1e100, 1.7e308, 1e99, -1e78, 5e-324, -2.3e-308, 0.0, 1e100, -9.9e99]
ROUNDS = len(EDGE)
LEARN = """title: Models from a liar
seed: 1
graph: {family: complete 3}
mixing: {weights: metropolis}
data: {csv: all.csv, label: ill, columns: [{name: age, bounds: [0, 100]}, {name: dose, bounds: [-1, 3]}, %s], split: 0.8}
task: {kind: %s, clip: 0.3, step: 0.7, l2: %g, intercept: true}
protocol: {kind: gossip-sgd, rounds: %d, largest: 1e100}
privacy: {epsilon: 50, delta: 1e-6, over: worst, pair_graph: edges, pair_noise: 4}
"""
MEAN = """title: Means from a liar
seed: 1
graph: {family: complete 3}
mixing: {weights: metropolis}
data: {source: meters, per_node: even, columns: [{name: h18}, {name: h19}]}
task: {kind: mean, bounds: [0, 5]}
protocol: {kind: averaging, rounds: %d, accelerate: true, largest: 1e100}
privacy: {epsilon: 50, delta: 1e-6, over: worst, dither: 0.1, pair_graph: edges, pair_noise: 4}
"""
CLASSES = {"logistic": "{name: ill, values: [no, yes]}", "softmax": "{name: ill, values: [no, yes, perhaps]}", "ridge": "{name: ill, bounds: [-2, 2]}"}


def rows(task, odd):
    label = (lambda i: f"{i % 3 - 1}") if task == "ridge" else (lambda i: ["no", "yes"][i % 2])
    return "age,dose,ill\n" + "".join(f"{100 if odd and i == 3 else 20 + i},{i / 7!r},{label(i)}\n" for i in range(12))


def speak(liar, heard):
    liar.offer_key()
    try:
        for round in range(ROUNDS):
            while True:
                kind, body = liar.receive()
                if kind == VECTOR:
                    heard.append((len(body), body[:20], all(map(math.isfinite, struct.unpack(f"<{(len(body) - 20) // 8}d", body[20:])))))
                    if struct.unpack("<I", body[8:12])[0] == round:
                        break
            width = (len(body) - 20) // 8
            liar.vector(round, [EDGE[(round + j) % len(EDGE)] for j in range(width)], phase=round if LEARNING else 0)
        liar.over(ROUNDS - 1, phase=ROUNDS - 1 if LEARNING else 0)
        while True:
            liar.receive()
    except (OSError, EOFError):
        pass


def plain(log):
    lines = [re.sub(r"port=\d+|from=\S+", "", re.sub(r"^\S+ ", "", line)) for line in log.splitlines()]
    return sorted(line for line in lines if "event=waiting" not in line and "link-down" not in line and "goodbye" not in line)


def watch(study, files, write):
    """What peers 1 and 2 do beside the liar."""
    with Peers(study, noise=20, files=files) as net:
        for one in range(3):
            if write:
                (net.of(one) / "values.csv").write_text(write(one))
            (net.of(one) / "budget.yaml").write_text("delta: 1e-6\npeer: 1e14\n")
        for one in (1, 2):
            net.start(one)
        liars, heard = {}, {1: [], 2: []}
        for one in (1, 2):
            while one not in liars:
                assert net.running[one].poll() is None, net.log(one)
                try:
                    liars[one] = Liar(net, 0).dial(one).greet()
                except (OSError, EOFError):
                    time.sleep(0.05)
        speakers = [threading.Thread(target=speak, args=(liars[one], heard[one])) for one in (1, 2)]
        for speaker in speakers:
            speaker.start()
        net.wait()
        for speaker in speakers:
            speaker.join()
        for liar in liars.values():
            liar.close()
        assert all(finite for one in (1, 2) for *_, finite in heard[one]), "a frame with a number that is none"
        for one in (1, 2):
            result = net.result(one)
            assert all(isinstance(number, float) and math.isfinite(number) for number in result["state"] + result["estimate"]), (study, result["state"], result["estimate"])
            json.dumps(result, allow_nan=False)
        return heard, plain(net.log(1)), [net.result(one)["lost"] for one in (1, 2)]


LEARNING, told = True, 0
for task, label in CLASSES.items():
    for l2 in (0, 0.1):
        said = []
        for odd in (False, True):
            study = LEARN % (label, task, l2, ROUNDS)
            said.append(watch(study, {"all.csv": lambda path: path.write_text(rows(task, False))}, lambda one: rows(task, odd and one == 1)))
        assert said[0] == said[1], (task, l2, [line for line in said[0][1] if line not in said[1][1]], [line for line in said[1][1] if line not in said[0][1]])
        assert len(said[0][0][1]) == ROUNDS, said[0][0]
        told += 1
LEARNING = False
watch(MEAN % ROUNDS, None, None)
print(f"{told} tasks at models of a liar's choice: nothing tells one row; accelerated means stay finite")

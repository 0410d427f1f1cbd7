#!/usr/bin/python3
"""How long 100 phases of logistic regression take 16 peers on the loopback, 9 numbers a message, real noise, from the first
process to the last result: bench/phases.py [BUILD]. Some seconds of it are every peer's account and links."""
import json
import os
import pathlib
import random
import resource
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build").resolve()
os.environ.update(NETDP_COMMAND=str(BUILD / "netdp"), NETDP_NETWORK=str(BUILD / "tests" / "peer" / "peer_network"))
sys.path.insert(0, str(ROOT / "tests" / "peer"))
from peers import Peers  # noqa: E402

FEATURES = [f"a{j}" for j in range(8)]
STUDY = f"""title: Logistic regression between 16 peers
seed: 1
graph: {{family: hypercube 4}}
mixing: {{weights: metropolis}}
data: {{csv: all.csv, label: y, columns: [{", ".join("{name: %s, bounds: [-4, 4]}" % name for name in FEATURES)}], split: 0.8}}
task: {{kind: logistic, clip: 0.5, step: 0.4, intercept: true}}
protocol: {{kind: muffliato-sgd, rounds: 400, inner: 4}}
privacy: {{epsilon: 50, delta: 1e-6, over: worst, dither: 0.05, end_dither: 0.1, pair_graph: edges, pair_noise: 4}}
"""
CHANCE = random.Random(1)


def write_rows(path, count):
    rows = [[CHANCE.gauss(2 * label - 1, 1) for _ in FEATURES] + [label] for label in (0, 1) * (count // 2)]
    path.write_text(",".join([*FEATURES, "y"]) + "\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows))


with Peers(STUDY, noise=20, files={"all.csv": lambda path: write_rows(path, 400)}) as net:
    for one in range(net.count):
        write_rows(net.of(one) / "values.csv", 100)
    made = resource.getrusage(resource.RUSAGE_CHILDREN)  # the folders
    begun = time.monotonic()
    for one in range(net.count):
        net.start(one)
    while not all("event=finished" in net.log(one) for one in range(net.count)):
        time.sleep(0.05)
    seconds = time.monotonic() - begun
    net.wait()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = net.result(0)
    print(json.dumps({"peers": net.count, "phases": result["account"]["contributions"], "numbers": len(result["columns"]),
                      "seconds": round(seconds, 2), "cpu_seconds": round(used.ru_utime + used.ru_stime - made.ru_utime - made.ru_stime, 2)}))

#!/usr/bin/python3
"""Peers whose packets a narrow line loses: in a network of their own, whose loopback drops what comes too fast, the result is the
simulator's to the last bit. Needs root and tc; skipped (77) without."""
import os
import re
import subprocess
import sys

if "inside" not in sys.argv:
    allowed = subprocess.run(["unshare", "--net", "tc", "qdisc", "show"], capture_output=True, check=False) if os.geteuid() == 0 else None
    if allowed is None or allowed.returncode != 0:
        print("skipped: needs root, network namespaces and tc")
        sys.exit(77)
    os.execvp("unshare", ["unshare", "--net", sys.executable, __file__, "inside"])

from peers import Peers  # noqa: E402

STUDY = """title: Peers on a bad line
seed: 1
graph: {family: ring 6}
mixing: {weights: metropolis}
data: {source: meters, per_node: even, columns: [%s]}
task: {kind: mean, bounds: [0, 5]}
protocol: {kind: averaging, rounds: 40}
privacy: {epsilon: 4, delta: 1e-6, over: worst, dither: 0.02, pair_graph: edges, pair_noise: 4}
""" % ", ".join(f"{{name: h{hour}}}" for hour in range(24))


def tell(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


# Packets of 1,500 bytes as on a wire, 1 Mbit a second, and room for one that waits, or a few small ones.
tell("ip", "link", "set", "lo", "mtu", "1500", "up")
tell("tc", "qdisc", "add", "dev", "lo", "root", "tbf", "rate", "1mbit", "burst", "1600", "limit", "1600")
with Peers(STUDY, noise=1.25, seed=7) as net:
    for one in range(net.count):
        net.start(one)
    net.wait()
    assert net.states() == net.expected()
    lost = int(re.search(r"dropped (\d+)", tell("tc", "-s", "qdisc", "show", "dev", "lo"))[1])
assert lost > 0, "the line was never full"
print(f"{lost} packets lost: every bit is the simulator's")

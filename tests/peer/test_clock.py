#!/usr/bin/python3
"""Clocks. A run that lasts sixty days by every peer's clock: links that come down come up again, whatever a certificate that was made at the start
says of its dates; the package's last day ends it. A clock that is hours off is named by log and doctor, and links come up. The days
are libfaketime's; where it is not there this is skipped."""
import os
import pathlib
import subprocess
import sys
import time

import peers
from peers import NETDP, Peers

FAKE = next((str(path) for path in pathlib.Path("/usr/lib").glob("*/faketime/libfaketime.so.1")), None)
if FAKE is None:
    print("libfaketime is not there")
    sys.exit(77)
STUDY = """title: Sixty days
seed: 1
graph: {family: ring 4}
mixing: {weights: metropolis}
data: {source: meters, per_node: even, columns: [{name: h19}]}
task: {kind: mean, bounds: [0, 5]}
protocol: {kind: averaging, rounds: %d}
privacy: {epsilon: 4, delta: 1e-6, over: worst, dither: 0.1, pair_graph: edges, pair_noise: 4}
"""
os.environ["DAYS"] = "365"


def start(net, one, clock):
    with open(net.of(one) / "log", "ab") as log:
        net.running[one] = subprocess.Popen([NETDP, "peer", net.of(one)], stderr=log, stdout=log, stdin=subprocess.DEVNULL, env=os.environ | clock)


def clock(says):
    return {"LD_PRELOAD": FAKE, "FAKETIME": says, "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}


def await_line(net, one, line, count=1):
    while net.log(one).count(line) < count:
        assert net.running[one].poll() is None, (line, net.log(one)[-800:])
        time.sleep(0.02)


def day(net, one):
    return net.log(one).splitlines()[-1][:10]


# Sixty days go by in seconds: meter-1 is killed then, and comes again, to peers whose certificates are of the first day.
with Peers(STUDY % 20, noise=1) as net:
    began = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 55 * 86400))
    for one in (0, 1, 2):
        net.settle(one, patience=31536000)
        start(net, one, clock("+0 x1000000"))
    await_line(net, 1, "event=link-up member=meter-0")
    while day(net, 2) < began:  # something is to be said on that day
        net.running[1].kill()
        net.running[1].wait()
        time.sleep(0.2)
        start(net, 1, clock("+60d x1"))
        before = net.log(1).count("event=link-up member=meter-2")
        await_line(net, 1, "event=link-up member=meter-2", before + 1)
    net.settle(3, patience=31536000)
    start(net, 3, clock("+59d x1"))
    net.wait()
    assert "expired" not in "".join(net.log(one) for one in range(4))

# Hours off: named on both sides, and nobody waits for it.
for shift, says in (("-5h", "behind"), ("+7h", "ahead"), ("+40d", "ahead")):
    with Peers(STUDY % 20, noise=1) as net:
        for one in (0, 2, 3):
            start(net, one, {})
        start(net, 1, clock(shift))
        await_line(net, 2, f"event=clock member=meter-1 {says}=")
        net.wait()
        assert "event=clock member=meter-2" in net.log(1) and "event=clock" not in net.log(3), (net.log(1), net.log(3))

# The doctor asks the neighbours that are called, and compares.
with Peers(STUDY % 20, noise=1) as net:
    start(net, 1, {})
    await_line(net, 1, "event=started")
    for shift, says in (("+0", "ok   clock      that of meter-1 is the same"), ("-5h", "FAIL clock      that of meter-1 is 18000 s ahead"), ("+2d", "s behind this one")):
        said = subprocess.run([NETDP, "net", "doctor", net.of(0)], capture_output=True, text=True, env=os.environ | clock(shift)).stdout
        assert says in said.replace("18001", "18000").replace("17999", "18000"), (shift, said)
        assert "meter-1 runs the same" in said, said

# The package's last day is what counts.
os.environ["DAYS"] = "30"
with Peers(STUDY % 20, noise=1) as net:
    start(net, 1, clock("+31d"))
    assert net.running[1].wait() == 2 and "expired" in net.log(1), net.log(1)
print("sixty days by every clock, clocks that are hours off, and a package that ends: links come up")

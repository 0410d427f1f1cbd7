#!/usr/bin/python3
"""A peer that stands still for longer than its links live, and goes on; and two copies of one folder that run at once, before anything was
contributed: whatever of both leaves is the same to the byte, so that nobody hears two draws."""
import json
import shutil
import signal
import subprocess
import time

from liar import study
from peers import NETDP, Peers
from transcripts import frames

STILL = 12  # seconds; links give up after ten


def await_line(net, one, line):
    while line not in net.log(one):
        assert net.running[one].poll() is None, (line, net.log(one)[-800:])
        time.sleep(0.01)


with Peers(study(rounds=3000), noise=1, seed=7) as net:
    for one in range(4):
        net.start(one)
    await_line(net, 1, "event=contributed")
    net.running[1].send_signal(signal.SIGSTOP)
    time.sleep(STILL)
    assert all(process.poll() is None for process in net.running.values()), "a neighbour ended while one stood still"
    net.running[1].send_signal(signal.SIGCONT)
    net.wait()
    assert net.states() == net.expected()

with Peers(study(rounds=300), noise=1) as net:
    net.settle(1, transcript="transcript")
    copy = net.folder / "copy"
    shutil.copytree(net.of(1), copy)
    settings = json.loads((copy / "peer.json").read_text())
    (copy / "peer.json").write_text(json.dumps(settings | {"listen": f"127.0.0.1:{net.first + 50}"}))
    for one in (0, 2, 3):
        net.start(one)
    with open(copy / "log", "wb") as log:
        second = subprocess.Popen([NETDP, "peer", copy], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        net.start(1)
        ends = time.monotonic() + 20
        while time.monotonic() < ends and any(process.poll() is None for process in net.running.values()):
            time.sleep(0.05)
        assert second.poll() in (None, 0, 2, 3) and all(process.poll() in (None, 0, 2, 3) for process in net.running.values())
    finally:
        second.kill()
        second.wait()
        net.stop()
    sent = {}
    for path in (net.of(1) / "transcript", copy / "transcript"):
        for place, frame in frames(path) if path.exists() else ():
            if place[1] == 0:
                assert sent.setdefault(place, frame) == frame, "two copies drew two contributions"
    logs = net.log(1) + (copy / "log").read_text()
    assert sent or "seen a later ledger of this peer" in logs, logs[-1500:]
print(f"still for {STILL} s, and the bits are the simulator's; two copies at once send one contribution")

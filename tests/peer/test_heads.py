#!/usr/bin/python3
"""A neighbour that lies about what it has seen of a peer's ledger: without that peer's own signature nobody is stopped, the
log says why and the metrics count it, and the study ends as if nothing had been said. So does what is refused by name: an unknown
key, another study, another version, frames too long, malformed, with NaN or replayed. With a true signature of a later head
the peer stops at once, before it draws anything."""
import re
import subprocess
import time

from liar import STUDY
from peers import NETWORK, Peers

LIES = {"unsigned": "event=ignored reason=false-head member=meter-0", "forged": "event=ignored reason=false-head member=meter-0",
        "test-mode": "event=ignored reason=false-head member=meter-0", "ahead": "event=refused reason=out-of-order member=meter-0",
        "goodbye": "event=goodbye reason=ledger-went-back member=meter-0",
        "unproven": "event=refused reason=bad-signature member=meter-0", "unknown-key": "event=refused reason=unknown-key member=- from=127.0.0.1",
        "expired": "event=link-up member=meter-0"}  # the dates of a certificate are not looked at: its key is
LIES |= {why: f"event=refused reason={why} member=meter-0" for why in ("wrong-digest", "wrong-version", "oversized", "malformed", "not-finite")}
COUNTED = {line.split("reason=")[1].split()[0] for line in LIES.values() if "reason=" in line and "goodbye" not in line}


def lie(net, how):
    return subprocess.Popen([NETWORK, "lie", net.folder / "net", how], stdin=subprocess.DEVNULL)


def metrics(net):
    path = net.of(1) / "metrics"
    return {why: int(count) for why, count in re.findall(r'refused_total{reason="([^"]*)"} (\d+)', path.read_text() if path.exists() else "")}


def hear(net, how, line):
    """The liar goes on until the log has the line once more."""
    before = net.log(1).count(line)
    liar = lie(net, how)
    try:
        while net.log(1).count(line) == before:
            assert net.running[1].poll() is None, (how, net.log(1))
            assert liar.poll() is None, how
            time.sleep(0.02)
    finally:
        liar.kill()
        liar.wait()


def await_counts(net, *why):
    while not all(metrics(net).get(reason) for reason in why):
        assert net.running[1].poll() is None, net.log(1)
        time.sleep(0.02)


with Peers(STUDY, noise=1) as net:
    net.settle(1, metrics="metrics")
    for one in (1, 2, 3):
        net.start(one)
    for how, line in LIES.items():
        hear(net, how, line)
    await_counts(net, *COUNTED)
    net.start(0)
    net.wait()

with Peers(STUDY, noise=1) as net:  # whoever has a member's key can speak for it: no study to go on with
    net.settle(1, metrics="metrics")
    net.start(1)
    hear(net, "replayed", "event=ignored reason=replayed member=meter-0")
    await_counts(net, "replayed")

with Peers(STUDY, noise=1) as net:
    peer = net.start(1)
    liar = lie(net, "true")
    try:
        assert peer.wait() == 2, net.log(1)
    finally:
        liar.kill()
        liar.wait()
    assert "meter-0 says that it has seen a later ledger of this peer, and shows this peer's signature of it" in net.log(1), net.log(1)
    assert "event=contributed" not in net.log(1)
print(f"{len(LIES)} lies and bad frames stop nobody, and have their names in log and metrics; a head that its owner signed does")

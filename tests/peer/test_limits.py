#!/usr/bin/python3
"""A neighbour with a member's key floods a peer: goodbyes, signed heads, acknowledgements, connections, bad frames. Each is cut off by name
(too-much), log and disk grow by little, others are served meanwhile, and the study ends when the honest member comes in its place."""
import os
import struct
import time

from liar import ACK, GOODBYE, STUDY, Liar
from peers import Peers

CALLS = 2000


def until_cut(liar, more):
    """Says `more` until the link is gone; how often it came through, at most CALLS of them."""
    said = 0
    try:
        for said in range(CALLS):
            liar.socket.sendall(more())
        while True:
            liar.receive()  # what was said before the end
    except TimeoutError:
        return CALLS
    except (OSError, EOFError):
        return said


def heads(liar):
    def more():
        batch = b""
        for _ in range(50):
            liar.rows += 1
            batch += liar.shown()
        return batch
    return more


FLOODS = {
    "goodbyes": lambda liar: lambda: liar.frame(GOODBYE, struct.pack("<I", 16)) * 64,
    "heads": heads,
    "acknowledgements": lambda liar: lambda: liar.frame(ACK, struct.pack("<IIII", 0, 0, 0, 0)) * 512,
    "bad frames": lambda liar: lambda: b"\xff" * 64,
}


def size(net):
    return os.path.getsize(net.of(1) / "log"), sum(os.path.getsize(path) for path in net.of(1).glob("ledger.db*"))


def connect_over_and_over(net):
    """Every connection ends with a bad frame, as a peer of an old build would end it."""
    liar, met = Liar(net, 0), 0
    for _ in range(300):
        try:
            liar.dial(1).greet(head=False).socket.sendall(b"\xff" * 64)
            met += 1
        except (OSError, EOFError):
            pass
    return met


for how, flood in FLOODS.items():
    with Peers(STUDY, noise=1) as net:
        net.settle(1, metrics="metrics")
        for one in (1, 2, 3):
            net.start(one)
        while "event=link-up member=meter-2" not in net.log(1):
            time.sleep(0.02)
        log, ledger = size(net)
        for _ in range(20):
            liar = Liar(net, 0)
            try:
                liar.dial(1).greet(head=False)
            except (OSError, EOFError):
                continue  # it has used up what it had
            assert until_cut(liar, flood(liar)) < CALLS, how
        grown = [now - before for now, before in zip(size(net), (log, ledger))]
        assert grown[0] < 200_000 and grown[1] < 6_000_000, (how, grown)
        assert "reason=too-much" in net.log(1) or how == "bad frames", (how, net.log(1)[-2000:])
        assert all(process.poll() is None for process in net.running.values()), net.log(1)[-2000:]
        if how != "heads":  # who signs a head in a member's name speaks for it: no study to go on with
            net.start(0)
            net.wait()
        print(f"{how}: log and ledger grew by {grown[0]} and {grown[1]} bytes")

with Peers(STUDY, noise=1) as net:
    for one in (1, 2, 3):
        net.start(one)
    while "event=link-up member=meter-2" not in net.log(1):
        time.sleep(0.02)
    before = size(net)[0]
    met = connect_over_and_over(net)
    assert met < 100, met
    assert size(net)[0] - before < 200_000
    net.start(0)
    net.wait()
print(f"{met} of 300 connections were taken, then none for a while; the honest member came in after it")

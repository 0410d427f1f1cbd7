#!/usr/bin/python3
"""A neighbour with a member's key floods a peer: goodbyes, signed heads, acknowledgements, connections, bad frames. Each is cut off by name
(too-much), log and disk grow by little, others are served meanwhile, and the study ends when the honest member comes in its place."""
import itertools
import os
import struct
import time

from own_models import MADE
from liar import ACK, GOODBYE, KEY, STUDY, VECTOR, Liar
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


def rounds_to_come(liar):
    """Ends of rounds that nobody has begun, each of a later one."""
    at = [0]

    def more():
        batch = b"".join(liar.frame(ACK, struct.pack("<IIII", 0, 0, (at[0] + k) % 2 ** 32, 0)) for k in range(512))
        at[0] += 512
        return batch
    return more


def keys(liar):
    offer = liar.frame(KEY, liar.offer())
    return lambda: offer * 256


def all_kinds(liar):
    """Kinds by turns, each of which is accepted by itself."""
    offer, frames = liar.frame(KEY, liar.offer()), itertools.count()
    turns = [lambda: liar.frame(GOODBYE, struct.pack("<I", 3)), lambda: offer, lambda: liar.frame(ACK, struct.pack("<IIII", 0, 0, 0, 0)), liar.shown]
    return lambda: b"".join(turns[next(frames) % len(turns)]() for _ in range(64))


def old_vectors(liar):
    """Its first vector, again and again, behind its head and pair key."""
    vector = liar.frame(VECTOR, struct.pack("<IIIIId", 0, 0, 0, 0, 1, 0.5))
    liar.show()
    liar.offer_key()
    return lambda: vector * 256


FLOODS = {
    "ends of rounds to come": rounds_to_come,
    "pair keys": keys,
    "all kinds by turns": all_kinds,
    "vectors": old_vectors,
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
        # A round that cannot be over is refused as such; of vectors the log has no line left to say so.
        reason = "out-of-order" if how in ("ends of rounds to come", "acknowledgements") else "too-much"
        assert f"reason={reason}" in net.log(1) or how in ("bad frames", "vectors"), (how, net.log(1)[-2000:])
        assert all(process.poll() is None for process in net.running.values()), net.log(1)[-2000:]
        if how not in ("heads", "pair keys", "all kinds by turns", "vectors"):  # who signs a head in a member's name speaks for it: no study to go on with
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
# What serves a long study is given back: some 6,000 contributions of two honest members, each with a head of its ledger.
with Peers(MADE.replace("complete 3", "complete 2") % 6000, noise=20, seed=3) as net:
    for one in (0, 1):
        net.start(one)
    net.wait()
    assert not any("event=refused" in net.log(one) or "not-logged" in net.log(one) for one in (0, 1)), net.log(0)[-2000:]
print(f"{met} of 300 connections were taken, then none for a while; the honest member came in after it")

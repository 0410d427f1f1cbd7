#!/usr/bin/python3
"""A neighbour who speaks netdp's frames with a member's key can end nobody, and leads nobody astray: a pair key of low order, numbers as
large as they go, with accelerated gossip too and in a long path, a pair key that an honest member signed in a rehearsal; and values of every
field of every frame, drawn at random and rightly signed, again and again (NETDP_LIES: how many; 400). Frames of an earlier version are
refused by that name."""
import json
import os
import random
import struct
import time

from liar import ACK, GOODBYE, HELLO, KEY, LEDGER, PAIR_KEY, VECTOR, VERSION, Liar, study
from peers import Peers

BROKEN = (OSError, EOFError)


def await_(net, met, *what):
    while not met():
        assert all(process.poll() in (None, 0) for process in net.running.values()), (what, [net.log(one)[-600:] for one in net.running])
        time.sleep(0.02)


def meet(net, one, head=True, **kind):
    """A link to that peer, as soon as it listens; without a head of a ledger where the honest member is to come later."""
    liar = Liar(net, 0, **kind)
    while True:
        assert net.running[one].poll() is None, net.log(one)[-600:]
        try:
            return liar.dial(one).greet(head=head)
        except BROKEN:
            time.sleep(0.05)


# A point of low order: refused where it arrives, and handed on to nobody.
with Peers(study(), noise=1) as net:
    for one in (1, 2, 3):
        net.start(one)
    for times, public in enumerate((bytes(32), b"\x01" + bytes(31)), 1):
        with meet(net, 1, head=False) as liar:
            liar.offer_key(public)
            await_(net, lambda: net.log(1).count("event=refused reason=no-pair-key member=meter-0") == times, "no-pair-key")
    assert "no-pair-key" not in net.log(2) + net.log(3)
    net.start(0)  # and the honest member comes
    net.wait()

# Numbers as large as they go.
for graph, nodes, more in (("ring 4", 4, ""), ("ring 4", 4, ", accelerate: true"), ("path 8", 8, ", accelerate: true")):
    with Peers(study(graph, 20, more), noise=1) as net:
        for one in range(1, nodes):
            net.start(one)
        liars = [meet(net, one) for one in ((1, 3) if graph == "ring 4" else (1,))]
        for liar in liars:
            liar.offer_key()
        for round in range(20):
            for liar in liars:
                while True:
                    kind, body = liar.receive()
                    if kind == VECTOR and struct.unpack("<I", body[8:12])[0] == round:
                        break
                # beyond what the study's numbers can be; sometimes just within it
                liar.vector(round, [(-1) ** round * (1.797e308 if round % 3 else 30.0)])
        for liar in liars:
            liar.over(19)
        net.wait()
        for liar in liars:
            liar.close()
        assert net.log(1).count("reason=too-large member=meter-0 round=1") and net.result(1)["lost"] == 13, (net.result(1)["lost"], net.log(1))
        assert all(abs(number) < 1e3 for one in range(1, nodes) for number in net.result(one)["state"])
        assert all("too-large" not in net.log(one) for one in range(2, nodes) if graph != "ring 4" or one == 2)

# What was signed in a rehearsal is nobody's pair key in earnest.
with Peers(study(), noise=1, seed=7) as net:
    for one in (1, 2, 3):
        net.start(one)
    offers = {}
    with meet(net, 1, test=1) as liar:
        while len(offers) < 3:
            kind, body = liar.receive()
            if kind == KEY:
                offers[struct.unpack("<I", body[8:12])[0]] = body
    net.stop()
    net.running.clear()
    for one in (0, 1, 2, 3):
        path = net.of(one) / "peer.json"
        settings = json.loads(path.read_text())
        settings.pop("test")
        path.write_text(json.dumps(settings | {"data": "values.csv"}))
        (net.of(one) / "values.csv").write_text("h19\n1.5\n")
        (net.of(one) / "log").write_text("")
    net.start(1)
    with meet(net, 1, head=False) as liar:
        liar.send(KEY, offers[2])
        await_(net, lambda: "event=refused reason=bad-signature member=meter-0" in net.log(1), "rehearsal")
    for one in (0, 2, 3):
        net.start(one)
    net.wait()
    assert all("second-key" not in net.log(one) for one in range(4))

# A goodbye is no hello: behind it nothing else is heard before one.
with Peers(study(), noise=1) as net:
    net.start(1)
    while "event=started" not in net.log(1):
        time.sleep(0.02)
    with Liar(net, 0).dial(1) as liar:
        liar.study = liar.receive()[1][8:40]
        liar.goodbye()
        liar.offer_key()
        await_(net, lambda: "event=refused reason=no-hello member=meter-0" in net.log(1) or "event=link-down" in net.log(1), "goodbye")
    assert "event=goodbye reason=ledger-went-back member=meter-0" in net.log(1) and "reason=no-hello member=meter-0" in net.log(1), net.log(1)

# An earlier build is told what is wrong by its name.
with Peers(study(), noise=1) as net:
    net.start(1)
    while "event=started" not in net.log(1):
        time.sleep(0.02)
    with Liar(net, 0).dial(1) as liar:
        liar.receive()
        liar.socket.sendall(struct.pack("<IHBB", 8 + 248, 2, HELLO, 0) + b"netdp\0\0\2" + bytes(240))
        await_(net, lambda: "event=refused reason=wrong-version member=meter-0" in net.log(1), "version")

# Values, not bytes: every frame is well formed, and signed where it is to be.
CHANCE = random.Random(int(os.environ.get("NETDP_SEED", "1")))
EDGE = [0, 1, 2, 3, 4, 18, 19, 20, 21, 255, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1]
NUMBERS = [0.0, -0.0, 1.0, -3.5, 20.0, -60.0, 5e-324, -2.2e-308, 1e100, -1e154, 1e308, 1.7976931348623157e308, -1.7976931348623157e308]


def some(usual, chance=0.25):
    return CHANCE.choice(EDGE) if CHANCE.random() < chance else usual


def head(liar):
    rows = CHANCE.choice([0, 1, 2, 2 ** 31, 2 ** 63 - 1, 2 ** 63, 2 ** 64 - 1, liar.rows, liar.rows + 1])
    return struct.pack("<Q", rows) + CHANCE.randbytes(32)


def value(liar, round):
    """A frame of any kind, with any values."""
    kind = CHANCE.choice([LEDGER, KEY, KEY, ACK, VECTOR, VECTOR, VECTOR, GOODBYE, HELLO])
    if kind == LEDGER:
        shown = head(liar)
        return kind, shown + liar.sign(b"netdp ledger head 1", bytes([0]) + shown)
    if kind == KEY:
        public = CHANCE.choice([PAIR_KEY, bytes(32), b"\1" + bytes(31), b"\xff" * 32, CHANCE.randbytes(32)])
        if CHANCE.random() < 0.7:
            return kind, liar.offer(public)
        return kind, struct.pack("<I", some(0)) + struct.pack("<I", some(0)) + liar.offer(public)[8:]
    if kind == ACK:
        return kind, struct.pack("<IIII", some(0), some(0), some(round, 0.5), some(0))
    if kind == VECTOR:
        return kind, struct.pack("<IIIII", some(0, 0.1), some(0, 0.1), some(round), some(0, 0.1), 1) + struct.pack("<d", CHANCE.choice(NUMBERS))
    if kind == GOODBYE:
        return kind, struct.pack("<I", some(0, 0.7))
    return kind, (b"netdp\0\0" + bytes([VERSION]) + liar.study + struct.pack("<III", some(0), some(4), some(0))
                  + struct.pack("<III", some(0), some(0), some(round)) + struct.pack("<Q", CHANCE.choice([0, 1, 2 ** 63 - 1, 2 ** 63, 2 ** 64 - 1])) + head(liar) + head(liar) + CHANCE.randbytes(64))


LIES = int(os.environ.get("NETDP_LIES", "400"))
said = connections = 0
while said < LIES:
    with Peers(study("ring 4", 20, ", accelerate: true" if connections % 2 else ""), noise=1) as net:
        for one in (1, 2, 3):
            net.settle(one, linger=3600)
            net.start(one)
        liar = meet(net, 1)
        liar.offer_key()
        heard = 0
        for _ in range(40):
            assert all(process.poll() is None for process in net.running.values()), [net.log(one)[-600:] for one in net.running]
            try:
                if liar.socket is None:
                    liar.dial(1).greet((0, 0, CHANCE.choice([0, 0, 0, heard, some(0)])))
                for _ in range(CHANCE.randrange(1, 9)):
                    liar.send(*value(liar, heard))
                    said += 1
                heard += CHANCE.random() < 0.3
            except BROKEN:
                pass
            connections += 1
            liar.hang_up()
        # It is no less willing to hear the honest member, who goes on as well as the liar left it.
        assert all(process.poll() is None for process in net.running.values()), [net.log(one)[-600:] for one in net.running]
        liar.close()
print(f"a key of low order, numbers without end and {said} frames of any values on {connections} links end nobody")

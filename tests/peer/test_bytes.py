#!/usr/bin/python3
"""An authenticated neighbour whose frames are broken in their bytes: cut, lengthened, of another length than they say, with bits of chance,
within TLS and before it. No peer ends, and the honest member who comes in its place is heard. NETDP_FRAMES broken frames; 300 unless told."""
import os
import random
import struct
import time

from liar import ACK, GOODBYE, HELLO, KEY, LEDGER, VECTOR, Liar, study
from peers import Peers

CHANCE, WANTED = random.Random(int(os.environ.get("NETDP_FRAMES_SEED", "1"))), int(os.environ.get("NETDP_FRAMES", "300"))
FAR = [257, 3 * 65537, 2 ** 31 + 1, 2 ** 32 - 1]  # rounds: a vector of the first would speak for the member
EDGE = [0, 1, 7, 8, 9, 2 ** 16, 2 ** 31, 2 ** 32 - 1]


def any_frame(liar):
    kind = CHANCE.choice([HELLO, VECTOR, ACK, GOODBYE, KEY])
    if kind == KEY:
        return liar.frame(kind, liar.offer()[:-64] + CHANCE.randbytes(64))  # a true one would speak for the member
    if kind == VECTOR:
        count = CHANCE.choice([0, 1, 1, 2, 4096])
        return liar.frame(kind, struct.pack("<5I", 0, 0, CHANCE.choice(FAR), 0, count) + bytes(8 * count))
    return liar.frame(kind, CHANCE.randbytes({HELLO: 248, ACK: 16, GOODBYE: 4}[kind]))


def broken(frame):
    held = bytearray(frame)
    for _ in range(CHANCE.choice([0, 1, 1, 2, 4])):
        how = CHANCE.random()
        if how < 0.5 and held:
            held[CHANCE.randrange(len(held))] = CHANCE.choice([0, 1, 127, 128, 255])
        elif how < 0.7 and held:
            del held[CHANCE.randrange(len(held)):]
        elif how < 0.85:
            held += CHANCE.randbytes(CHANCE.randrange(1, 40))
        elif len(held) >= 4:
            held[:4] = struct.pack("<I", CHANCE.choice(EDGE))
    return bytes(held)


said = connections = 0
while said < WANTED:
    with Peers(study(), noise=1) as net:
        for one in (1, 2, 3):
            net.settle(one, linger=3600)
            net.start(one)
        while "event=link-up member=meter-2" not in net.log(1):
            assert net.running[1].poll() is None, net.log(1)
            time.sleep(0.02)
        liar = Liar(net, 0)
        for _ in range(40):  # its connections are an allowance of 64
            try:
                liar.dial(1).greet(head=False)
                if CHANCE.random() < 0.1:  # no TLS at all
                    os.write(liar.socket.fileno(), CHANCE.randbytes(CHANCE.randrange(1, 400)))
                for _ in range(CHANCE.randrange(1, 12)):
                    liar.socket.sendall(broken(any_frame(liar)))
                    said += 1
            except (OSError, EOFError, AssertionError):
                pass
            connections += 1
            liar.hang_up()
            assert all(process.poll() is None for process in net.running.values()), [net.log(one)[-600:] for one in net.running]
        liar.close()
        for one in (1, 2, 3):
            net.settle(one, linger=600)
        net.start(0)
        while not all("event=finished" in net.log(one) for one in range(4)):
            assert all(process.poll() in (None, 0) for process in net.running.values()), [net.log(one)[-600:] for one in net.running]
            time.sleep(0.05)
print(f"{said} broken frames on {connections} connections end nobody, and keep nobody out")

#!/usr/bin/python3
"""Strangers connect to a peer as fast as they can while a study runs, silent or with bytes that are no TLS: the result is
the simulator's to the last bit, all of them are counted, and the log stays short."""
import re
import socket
import threading

from peers import METERS, Peers

with Peers(METERS.replace("rounds: 50", "rounds: 2000"), noise=1.25, seed=7) as net:
    over, sent = threading.Event(), [0, 0]

    def flood(which):
        while not over.is_set():
            try:
                with socket.create_connection(("127.0.0.1", net.first), 1) as stranger:
                    if sent[which] % 2 == 0:
                        stranger.sendall(bytes([22, 3, 1]) + b"garbage" * 3)
                sent[which] += 1
            except OSError:
                over.wait(0.01)

    net.settle(0, metrics="metrics")
    for one in range(net.count):
        net.start(one)
    crowd = [threading.Thread(target=flood, args=(which,)) for which in range(2)]
    for thread in crowd:
        thread.start()
    try:
        net.wait()
    finally:
        over.set()
        for thread in crowd:
            thread.join()
    assert net.states() == net.expected()
    metrics = (net.of(0) / "metrics").read_text()
    counted = sum(map(int, re.findall(r'reason="(?:handshake|too-many|too-slow)"} (\d+)', metrics)))
    assert counted > 100, metrics
    assert net.log(0).count("event=refused") < counted
print(f"{sum(sent)} strangers, {counted} refused and counted: the bits are the simulator's")

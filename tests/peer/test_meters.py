#!/usr/bin/python3
"""32 peers on the loopback, meters-on-davis with noise in pairs: the simulator's draws give the simulator's bits."""
from peers import METERS, Peers

with Peers(METERS, noise=1.25, seed=7) as net:
    assert net.count == 32
    for one in range(net.count):
        net.start(one)
    net.wait()
    states, expected = net.states(), net.expected()
    assert states == expected, [(a, b) for a, b in zip(states, expected) if a != b][:3]
    assert all(net.result(one)["noise"].startswith("TEST") for one in range(net.count))
    assert len({tuple(state) for state in states}) > 1
print("32 peers: every bit is the simulator's")

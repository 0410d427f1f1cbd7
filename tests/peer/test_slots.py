#!/usr/bin/python3
"""Release slots: vectors leave at multiples of a peer's clock alone. The bits stay the simulator's, through a restart too; until a slot
comes nothing leaves, whatever is ready, and the peer says that it waits for it."""
import time

from peers import Peers

STUDY = """title: Slots
seed: 1
graph: {family: ring 4}
mixing: {weights: metropolis}
data: {source: meters, per_node: even, columns: [{name: h19}]}
task: {kind: mean, bounds: [0, 5]}
protocol: {kind: averaging, rounds: 60}
privacy: {epsilon: 4, delta: 1e-6, over: worst, dither: 0.02, pair_graph: edges, pair_noise: 4}
"""
YEAR = 31536000  # seconds: the longest patience, and a slot that does not come in a test


def await_line(net, one, line):
    while line not in net.log(one):
        assert all(process.poll() is None for process in net.running.values()), [net.log(other)[-500:] for other in net.running]
        time.sleep(0.01)


with Peers(STUDY, noise=1, seed=7) as net:
    for one in range(net.count):
        net.settle(one, patience=YEAR, **({"slot": 1000 * YEAR - 1} if one == 0 else {"slot": 20} if one < 3 else {}))
        net.start(one)
    await_line(net, 0, "event=contributed")
    await_line(net, 0, 'event=waiting for="the next time slot" round=0')
    for one in (1, 3):
        await_line(net, one, 'event=waiting for="the message of meter-0" round=0')
    await_line(net, 2, 'event=waiting for="the message of meter-3" round=1')  # two links away it goes on by one round
    net.running[0].kill()
    net.running[0].wait()
    net.settle(0, slot=20)
    net.start(0)
    net.wait()
    assert net.states() == net.expected()

    net.settle(0, slot=1000 * YEAR)
    assert net.start(0).wait() == 2 and "slot: give milliseconds, fewer than patience has" in net.log(0), net.log(0)[-300:]
print("vectors wait for their slot, and the bits are the simulator's")

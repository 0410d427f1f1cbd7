#!/usr/bin/python3
"""A peer that dies, before its contribution or after it: its neighbours say for whom they wait, nobody goes on without it or tells
the noise that they share with it, and after `patience` they give the attempt up. What was reserved stays so, and what left is not
drawn again: when all are started again the same attempt goes on to its end, and nobody pays twice."""
import sqlite3
import time

from peers import Peers
from transcripts import frames, number_of

STUDY = """title: One of four dies
seed: 1
graph: {family: ring 4}
mixing: {weights: metropolis}
data: {source: meters, per_node: even, columns: [{name: h19}]}
task: {kind: mean, bounds: [0, 5]}
protocol: {kind: averaging, rounds: 4000}
privacy: {epsilon: 4, delta: 1e-6, over: worst, dither: 0, pair_graph: edges, pair_noise: 4}
"""
DEAD, FAR, NEAR, PATIENCE = 1, 3, (0, 2), 5  # of links that are down the lower number is named


def await_line(net, one, line):
    while line not in net.log(one):
        assert net.running[one].poll() is None, (one, line, net.log(one))
        time.sleep(0.01)


def give_up(net, times):
    """Both neighbours of the dead one; the fourth is not to give up before them, and is stopped."""
    for one in NEAR:
        net.settle(one, patience=PATIENCE)
        net.start(one)
    for one in NEAR:
        assert net.running[one].wait() == 3, net.log(one)
        said = net.log(one).splitlines()[-1]
        assert f"timed out after {PATIENCE} s waiting for a connection to meter-{DEAD}" in said, said
        assert net.log(one).count("timed out") == times
        net.settle(one, patience=600)
    net.running[FAR].terminate()
    net.running[FAR].wait()


def entries(net, one):
    with sqlite3.connect(f"file:{net.of(one)}/ledger.db?mode=ro", uri=True) as ledger:
        return dict(ledger.execute("select kind, count(*) from entry group by kind"))


with Peers(STUDY, noise=1) as net:
    for one in range(net.count):
        net.settle(one, transcript="transcript")
    net.start(FAR)
    await_line(net, FAR, "event=started")
    give_up(net, 1)  # it never came
    assert all(entries(net, one).get("contribution", 0) == 0 for one in NEAR), "contributed beside a link that never was up"

    for one in range(net.count):
        net.start(one)
    for one in range(net.count):
        await_line(net, one, "event=contributed")
    for one in (DEAD, *NEAR):
        net.running[one].kill()
        net.running[one].wait()
    assert "event=finished" not in net.log(DEAD), "it came to its end too soon; give it more rounds"
    give_up(net, 2)

    for one in range(net.count):
        net.start(one)
    net.wait()
    first, sent = [], {}
    for one in range(net.count):
        for place, frame in frames(net.of(one) / "transcript"):
            assert sent.setdefault(place, frame) == frame, f"{place}: sent with other bytes"
        assert entries(net, one)["reserved"] == entries(net, one)["contribution"] == 1, entries(net, one)
        first.append(number_of(sent[one, 0]))
    assert abs(sum(state[0] for state in net.states()) - sum(first)) < 1e-9, "a contribution is lost, or counted twice"
print("a dead peer ends the attempt, twice; back again it costs nobody more, and every contribution is in the result")

"""Two studies whose peers are ended and started again at any moment, and what must hold at their end."""
import sqlite3

from transcripts import frames, number_of

STUDY = """title: Peers that are killed
seed: 1
graph: {family: ring 6}
mixing: {weights: metropolis}
data: {source: meters, per_node: even, columns: [{name: h19}]}
task: {kind: mean, bounds: [0, 5]}
protocol: {kind: averaging, rounds: 400}
privacy: {epsilon: 4, delta: 1e-6, over: worst, dither: %g, pair_graph: edges, pair_noise: 4}
"""


ROUNDS, PHASES = 400, 40
LEARNING = """title: Learners that are killed
seed: 1
graph: {family: ring 6}
mixing: {weights: metropolis}
data: {csv: all.csv, label: y, columns: [{name: a, bounds: [-4, 4]}, {name: b, bounds: [-4, 4]}], split: 0.8}
task: {kind: logistic, clip: 0.5, step: 0.4}
protocol: {kind: muffliato-sgd, rounds: 400, inner: 10}
privacy: {epsilon: 50, delta: 1e-6, over: worst, dither: 0.05, end_dither: %g, pair_graph: edges, pair_noise: 4}
"""


def write_rows(path, count, chance):
    """Two clouds."""
    rows = [[chance.gauss(2 * label - 1, 1), chance.gauss(0, 1), label] for label in (0, 1) * (count // 2)]
    path.write_text("a,b,y\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows))


def judge(net, study, phases):
    """Each spent every reservation once, no frame of a round was ever sent with other bytes, all contributions are in the results."""
    sent, first = {}, []
    for one in range(net.count):
        for place, frame in frames(net.of(one) / "transcript"):
            assert sent.setdefault(place, frame) == frame, f"{place}: sent with other bytes"
        with sqlite3.connect(f"file:{net.of(one)}/ledger.db?mode=ro", uri=True) as ledger:
            rows = dict(ledger.execute("select kind, count(*) from entry group by kind"))
            assert (rows["reserved"], rows["contribution"], rows["settled"]) == (phases, phases, 1), rows
            stored = dict(ledger.execute("select phase, body from entry where kind = 'contribution'"))
        for phase in range(phases):
            assert stored[phase] == sent[one, phase * ROUNDS // phases], f"peer {one}: its ledger has another contribution than it sent"
        first.append(number_of(stored[0]))
        secret = next(net.of(one).glob("pair-key-*-0-0")).read_bytes()[:32]  # none that a kill left half written
        assert secret == bytes(32), f"peer {one}: the secret of its pairs is still there"
    states = [state[0] for state in net.states()]
    last = [number_of(sent[one, ROUNDS - 1]) for one in range(net.count)]
    for one, state in enumerate(states):  # metropolis on a ring: thirds
        mean = (last[one - 1] + last[one] + last[(one + 1) % net.count]) / 3
        if ", end_dither: 0.1" not in study:
            assert abs(state - mean) < 1e-12, f"peer {one}: its result is not the mean of what was sent"
    if phases == 1 and ", dither: 0," in study:
        assert abs(sum(states) - sum(first)) < 1e-9, "a contribution is lost, or counted twice"


STUDIES = [(STUDY % 0, 1), (STUDY % 0.02, 1), (LEARNING % 0, PHASES), (LEARNING % 0.1, PHASES)]

#!/usr/bin/python3
"""Weighted walks by the nodes' constants, synthetic data and decreasing steps in studies."""
import csv
import json
import pathlib
import re
import tempfile

from harness import close, main, results, run

STUDY = """\
seed: 4
graph: {family: ring 6}
data: {synthetic: gaussian-classes 4 variance=5}
task: {kind: logistic, clip: 0.5, step: 0.01, l2: 0.05}
protocol: {kind: weighted-walk, rounds: 20, cap: 2, law: "gamma:2,4,6"}
privacy: {epsilon: 20, delta: 1e-2, over: mean}
output: {every: 10, repeat: 2}
"""


def study(folder, text=STUDY, code=0, sets=()):
    pathlib.Path(folder, "study.yaml").write_text(text, "utf-8")
    words = [word for value in sets for word in ("--set", value)]
    got, out, err = run(["run", "study.yaml", "-o", "out", "--json", *words], folder)
    assert got == code, f"exit {got}: {err}"
    return results(folder, "out") if code == 0 else err


def loss(folder, *words):
    code, out, err = run(["loss", "--json", *words], folder)
    assert code == 0, err
    return json.loads(out)


def released_constants_are_paid_for():
    """netdp loss says the same of what was released, from law.txt and the noise alone."""
    with tempfile.TemporaryDirectory() as folder:
        told = study(folder)
        walk = told["variants"][2]
        law, guarantee = walk["law"], walk["guarantee"]
        assert law["mechanism"] == "gamma" and law["range"] == [4, 6] and law["delta"] == 5e-3, law
        constants = [float(line) for line in
                     pathlib.Path(folder, "out", law["file"]).read_text("utf-8").split()]
        assert len(constants) == told["graph"]["nodes"] and len(set(constants)) > 1
        assert all(4 <= constant <= 6 for constant in constants), constants
        again = loss(folder, "--family", "ring 6", "--protocol", "weighted-walk", "--mixing",
                     "hastings:out/" + law["file"], "--gamma", "2,4,6", "--rounds", "20", "--cap",
                     "2", "--noise", repr(walk["noise"]), "--as", "dp:1e-2", "--csv", "again.csv",
                     "--bound", guarantee["bound"])
        assert again["protocol"]["gamma"]["epsilon"] == law["epsilon"], (again, law)
        assert again["summary"]["max"] == guarantee["worst"]["epsilon"], (again, guarantee)
        assert again["summary"]["mean"] == guarantee["mean"] <= 20
        assert (pathlib.Path(folder, "again.csv").read_text("utf-8")
                == pathlib.Path(folder, "out", "loss.csv").read_text("utf-8"))
        assert "every node released once" in " ".join(walk["remarks"])


def laplace_is_pure():
    with tempfile.TemporaryDirectory() as folder:
        law = study(folder, sets=["protocol.law=laplace:2,4,6"])["variants"][2]["law"]
        close(law["epsilon"], 1, relative=1e-12)
        assert law["delta"] == 0


def local_baseline_holds_for_the_heaviest_node():
    """Of a star the leaves weigh most, not node 0, its centre."""
    text = STUDY.replace("ring 6", "star 6").replace(', law: "gamma:2,4,6"', "")
    text = text.replace("data:", 'mixing: {weights: "hastings:degree"}\ndata:')
    with tempfile.TemporaryDirectory() as folder:
        local = study(folder, text)["variants"][1]
        for node in range(6):
            again = loss(folder, "--family", "star 6", "--protocol", "weighted-walk", "--mixing",
                         "hastings:degree", "--rounds", "20", "--cap", "2", "--noise",
                         repr(local["noise"]), "--as", "dp:1e-2", "--bound", "local", "--from",
                         str(node), "--to", str((node + 1) % 6))
            assert again["summary"]["max"] <= 20, (node, again["summary"])


def steps_that_shrink_are_accounted_for_as_local():
    with tempfile.TemporaryDirectory() as folder:
        plain = study(folder, sets=["protocol.kind=walk", "protocol.law=public", "data.radius=6"])["variants"][2]
    with tempfile.TemporaryDirectory() as folder:
        text = STUDY.replace("weighted-walk", "walk").replace(', law: "gamma:2,4,6"', "")
        shrinks = study(folder, text, sets=["task.decay=0.75"])["variants"]
        assert plain["guarantee"]["bound"] == "excursion-contracting"
        assert shrinks[2]["guarantee"]["bound"] == "local"
        assert "task.decay 0.75" in shrinks[2]["guarantee"]["why"]
        assert shrinks[2]["noise"] >= plain["noise"]
        close(shrinks[2]["noise"], shrinks[1]["noise"], relative=2e-3)


def traces_say_the_excess():
    """Objective less its least value, which the summary has; none of it is below 0."""
    text = STUDY.replace("epsilon: 20", "epsilon: inf").replace("gamma:2,4,6", "exact")
    with tempfile.TemporaryDirectory() as folder:
        told = study(folder, text)
        walk = told["variants"][2]
        least = walk["error"]["objective"]["least"]
        close(walk["error"]["excess"]["mean"], walk["error"]["objective"]["mean"] - least,
              absolute=1e-15)
        assert walk["law"] == {"mechanism": "none", "epsilon": "inf", "file": "law.txt"}
        with open(pathlib.Path(folder, "out", "trace.csv"), encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream))
        assert len(rows) > 40
        for row in rows:
            close(float(row["excess"]), float(row["objective"]) - least, absolute=1e-15)
            assert float(row["excess"]) > 0, row


def draws_are_others_and_equal_ones_are_equal():
    def objectives(*sets):
        with tempfile.TemporaryDirectory() as folder:
            told = study(folder, sets=sets)
            return (told["inputs_sha256"], told["data"]["sha256"],
                    [variant["error"]["objective"] for variant in told["variants"]])
    one, same, other = objectives(), objectives(), objectives("data.draw=2")
    assert one == same
    assert one[0] != other[0] and one[1] != other[1] and one[2] != other[2]


# What is set, and what is told on the one line.
WRONG = [
    (["data.synthetic=gaussian-clases 4"], "data.synthetic: .*did you mean gaussian-classes"),
    (["data.synthetic=linear-model 4"], "has numbers; it is for ridge"),
    (["data.label=y"], "does not apply to synthetic data"),
    (["task.kind=mean", "task.clip=1", "protocol.law=public"], "applies to tasks that learn"),
    (["protocol.law=gama:2,4,6"], "give public, exact, gamma:THETA"),
    (["protocol.law=gamma:2,4"], "give gamma:THETA,LOW,HIGH"),
    (["protocol.law=gamma:2,6,4"], "LOW at most HIGH"),
    (["protocol.law=laplace:0,4,6"], "give laplace:SCALE,LOW,HIGH"),
    (["protocol.law=public:1"], "give public, exact"),
    (["protocol.law=exact"], "the path tells the nodes' constants"),
    (["mixing.weights=hastings:degree"], "protocol.law takes its place"),
    (["protocol.kind=walk"], "does not apply to walk"),
    (["task.decay=-1"], "an exponent from 0"),
    (["data.draw=0"], "from 1"),
    (["protocol.kind=gossip-sgd", "protocol.law=public", "protocol.cap=none", "task.decay=0.5",
      "privacy.bound=linear"], "has no place in privacy.bound: linear"),
]


def what_is_wrong_is_told_on_one_line():
    for sets, told in WRONG:
        with tempfile.TemporaryDirectory() as folder:
            err = study(folder, code=2, sets=sets)
            assert err.count("\n") == 1 and re.search(told, err), (sets, err)


def a_law_that_costs_too_much_has_no_answer():
    with tempfile.TemporaryDirectory() as folder:
        err = study(folder, code=1, sets=["privacy.epsilon=1"])
        assert "out of reach" in err and err.count("\n") == 1, err


main([], [released_constants_are_paid_for, laplace_is_pure,
          local_baseline_holds_for_the_heaviest_node, steps_that_shrink_are_accounted_for_as_local,
          traces_say_the_excess, draws_are_others_and_equal_ones_are_equal,
          what_is_wrong_is_told_on_one_line, a_law_that_costs_too_much_has_no_answer])

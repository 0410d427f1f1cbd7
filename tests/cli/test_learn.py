#!/usr/bin/python3
"""Studies that learn: accuracy, equal bytes for any number of threads and after kill -9, refusals."""
import json
import math
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time

from harness import COMMAND, Case, main, results, run

STUDY = """title: Learn
seed: 3
graph: {family: ring 8}
data: {csv: rows.csv, label: kind, split: 0.75}
task: {kind: logistic, clip: 0.5, step: 1}
protocol: {kind: muffliato-sgd, rounds: 60, inner: 3}
privacy: {epsilon: 20, delta: 1e-5, dither: 0.1}
output: {every: 3, repeat: 3}
"""


def rows():
    draw = random.Random(5)
    lines = ["a,b,c,kind"]
    for _ in range(400):
        x = [draw.gauss(0, 1) for _ in range(3)]
        lines.append(f"{x[0]:.6f},{x[1]:.6f},{x[2]:.6f},{'yes' if x[0] - x[1] > 0 else 'no'}")
    return ("\n".join(lines) + "\n").encode()


FILES = {"study.yaml": STUDY.encode(), "rows.csv": rows()}


def put(folder, study=STUDY):
    for name, content in {**FILES, "study.yaml": study.encode()}.items():
        pathlib.Path(folder, name).write_bytes(content)


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(pathlib.Path(folder).iterdir())
            if path.name != "run.log"}


def succeed(words, folder):
    code, out, err = run(words, folder)
    assert code == 0, f"{words}: {code} {err}"
    return out


def without_noise_it_learns():
    for kind, inner in (("muffliato-sgd", 3), ("gossip-sgd", 1)):
        with tempfile.TemporaryDirectory() as folder:
            put(folder)
            out = succeed(["run", "study.yaml", "-o", "out", "--json", "--set", "privacy.epsilon=inf",
                           "--set", f"protocol.kind={kind}", "--set", f"protocol.inner={inner}", "--set",
                           "privacy.dither=0.01"], folder)
            assert "error" not in out, "a summary for others has what was computed from data"
            for variant in results(folder, "out")["variants"]:
                accuracy = variant["error"]["accuracy"]["mean"]
                assert accuracy > 0.9, (kind, variant["name"], accuracy)
                assert variant["noise"] == 0
                bound = {"central": "trusted aggregator", "local": "everything",
                         "gossip": "everything" if kind == "gossip-sgd" else "phase-release"}
                assert variant["guarantee"]["bound"] == bound[variant["name"]], (kind, variant)


WARDS = ["north", "east", "south", "west"]


def accuracy_is_of_the_last_model():
    """However often models are looked at: of gossip, of a walk and of both baselines."""
    walk = STUDY.replace("kind: muffliato-sgd, rounds: 60, inner: 3", "kind: walk, rounds: 60, cap: 10").replace(", dither: 0.1", "")
    for study in (STUDY, walk):
        seen = []
        for every in (1, 7, 60):
            with tempfile.TemporaryDirectory() as folder:
                put(folder, study.replace("every: 3", f"every: {every}"))
                succeed(["run", "study.yaml", "-o", "out"], folder)
                seen.append([(variant["name"], variant["error"]["accuracy"], variant["error"]["objective"]["mean"])
                             for variant in results(folder, "out")["variants"]])
        assert seen[0] == seen[1] == seen[2], seen


def wards():
    draw = random.Random(4)
    centre = [(2, 0, 0), (0, 2, 0), (0, 0, 2), (-1.5, -1.5, -1.5)]
    lines = ["a,b,c,ward"]
    for _ in range(800):
        k = draw.randrange(4)
        lines.append(",".join(f"{draw.gauss(middle, 1):.5f}" for middle in centre[k]) + "," + WARDS[k])
    return ("\n".join(lines) + "\n").encode()


SOFTMAX = STUDY.replace("label: kind", "label: ward").replace("logistic, clip: 0.5, step: 1", "softmax, clip: 1.5, step: 4")


def several_classes():
    """By every protocol, dealing and kind of step; a walk is hidden by iteration where no gradient is cut."""
    settings = ((), ("data.deal=by-label",), ("data.deal=dirichlet:0.1",), ("task.local=4",), ("task.momentum=0.5",),
                ("task.decay=0.5",), ("protocol.kind=gossip-sgd", "protocol.inner=1", "task.local=3", "privacy.dither=0.01"),
                ("protocol.kind=walk", "protocol.inner=1", "privacy.dither=0.01", "task.step=0.5"))
    for set_ in settings:
        with tempfile.TemporaryDirectory() as folder:
            put(folder, SOFTMAX)
            pathlib.Path(folder, "rows.csv").write_bytes(wards())
            succeed(["run", "study.yaml", "-o", "out", "--set", "privacy.epsilon=inf"] +
                    [word for one in set_ for word in ("--set", one)], folder)
            for variant in results(folder, "out")["variants"]:
                assert variant["error"]["accuracy"]["mean"] > 0.85, (set_, variant["name"], variant["error"])


def parts_and_momentum_cost_nothing():
    """The guarantee of a step of parts, with momentum and decreasing, is that of plain steps, number by number."""
    promised = []
    for set_ in ((), ("task.local=4", "task.momentum=0.9", "task.decay=0.5")):
        with tempfile.TemporaryDirectory() as folder:
            put(folder, SOFTMAX)
            pathlib.Path(folder, "rows.csv").write_bytes(wards())
            words = [word for one in set_ for word in ("--set", one)]
            succeed(["run", "study.yaml", "-o", "out", "--set", "output.repeat=2"] + words, folder)
            held = [variant for variant in results(folder, "out")["variants"] if variant["name"] == "gossip"]
            promised.append([(variant["noise"], variant["guarantee"]) for variant in held])
    assert promised[0] == promised[1], promised
    assert promised[0][0][1]["bound"] == "phase-release" and promised[0][0][1]["sound"] is True, promised


def folders_of_many_classes_are_found_again():
    """A finished folder is taken as it is: what it was made from is told again, number by number."""
    with tempfile.TemporaryDirectory() as folder:
        put(folder, SOFTMAX.replace("step: 4", "step: 4, momentum: 0.5"))
        pathlib.Path(folder, "rows.csv").write_bytes(wards())
        for out in ("one", "two", "one"):
            succeed(["run", "study.yaml", "-o", out, "--set", "output.repeat=2"], folder)
        made = [json.loads(pathlib.Path(folder, out, "manifest.json").read_text(encoding="utf-8")) for out in ("one", "two")]
        assert made[0]["inputs_sha256"] == made[1]["inputs_sha256"]


def what_steps_and_deals_refuse():
    for set_, said in ((["task.local=2", "privacy.protects=row"], "one row changes all later local steps"),
                       (["task.local=2", "data.batches=cyclic:3"], "one row changes all later local steps"),
                       (["task.momentum=1"], "a number from 0, below 1"), (["data.deal=labels"], "'labels' is none of"),
                       (["task.kind=ridge", "data.deal=by-label"], "by their labels go the rows"),
                       (["task.momentum=0.5", "privacy.bound=linear"], "has no place in privacy.bound"),
                       (["task.decay=1", "privacy.bound=linear"], "task.decay=1: has no place in privacy.bound: linear"),
                       (["task.decay=3"], "an exponent from 0 to 2"),
                       (["task.momentum=0.5", "protocol.kind=gossip-sgd", "protocol.inner=1", "privacy.dither=0.01"],
                        "does not apply to gossip-sgd")):
        with tempfile.TemporaryDirectory() as folder:
            put(folder, SOFTMAX)
            code, _, err = run(["run", "study.yaml", "-o", "out"] + [word for one in set_ for word in ("--set", one)], folder)
            assert code == 2 and said in err and err.count("\n") == 1, (set_, code, err)


def equal_bytes_for_any_threads():
    with tempfile.TemporaryDirectory() as folder:
        put(folder)
        for threads in ("1", "2"):
            succeed(["run", "study.yaml", "-o", f"out{threads}", "--threads", threads], folder)
        assert contents(f"{folder}/out1") == contents(f"{folder}/out2")


def killed_runs_go_on_to_the_same_bytes():
    study = STUDY.replace("repeat: 3", "repeat: 400")
    with tempfile.TemporaryDirectory() as folder:
        put(folder, study)
        succeed(["run", "study.yaml", "-o", "whole"], folder)
        for number in (signal.SIGINT, signal.SIGKILL):
            out = f"{folder}/out{int(number)}"
            child = subprocess.Popen([COMMAND, "run", "study.yaml", "-o", out], cwd=folder,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while not os.path.exists(f"{out}/checkpoint") and child.poll() is None:
                time.sleep(0.01)
            time.sleep(0.2)
            child.send_signal(number)
            child.wait()
            succeed(["run", out], folder)
            assert contents(out) == contents(f"{folder}/whole"), number


def messages_are_counted():
    """Of the ring's 8 edges both ways each round; of a baseline step, to the aggregator and back."""
    with tempfile.TemporaryDirectory() as folder:
        put(folder)
        succeed(["run", "study.yaml", "-o", "out"], folder)
        lines = pathlib.Path(folder, "out", "trace.csv").read_text(encoding="utf-8").splitlines()
        assert lines[0].endswith(",bytes_sent,messages_sent,excess"), lines[0]
        steps = set()
        for row in (line.split(",") for line in lines[1:]):
            assert int(row[7]) == 16 * int(row[0]) and int(row[6]) == 8 * 3 * int(row[7]), row
            steps.add((row[1], int(row[0])))
        assert {("central", 50), ("local", 60), ("gossip", 3)} <= steps, steps


def phases_find_their_rounds():
    """rounds: auto is paper C's formula for the rounds of a phase, at the noise that comes of it."""
    gap = (1 - math.cos(math.pi / 4)) * 2 / 3  # of the ring of 8
    for epsilon, grows in (("20", False), ("200", True)):
        with tempfile.TemporaryDirectory() as folder:
            put(folder, STUDY.replace("rounds: 60, inner: 3", "rounds: auto, phases: 7"))
            told = json.loads(succeed(["run", "study.yaml", "-o", "auto", "--json", "--set",
                                       f"privacy.epsilon={epsilon}"], folder))
            local, gossip = told["variants"][1:]
            for variant in (local, gossip):
                logarithm = math.log(8 * max(1, 0.25 / variant["noise"] ** 2))
                assert variant["inner"] == math.ceil(logarithm / math.sqrt(gap)), variant
                assert variant["rounds"] == 7 * variant["inner"]
            assert (gossip["inner"] > math.ceil(math.log(8) / math.sqrt(gap))) == grows
            # The same as giving that number: of the gossip, for local may have another.
            put(folder)
            succeed(["run", "study.yaml", "-o", "given", "--set", f"privacy.epsilon={epsilon}",
                     "--set", f"protocol.inner={gossip['inner']}", "--set",
                     f"protocol.rounds={gossip['rounds']}"], folder)
            ends = [[line for line in pathlib.Path(folder, name, "trace.csv").read_text(
                encoding="utf-8").splitlines() if ",gossip," in line] for name in ("auto", "given")]
            assert ends[0] == ends[1] and len(ends[0]) > 3


def changed_data_is_refused():
    with tempfile.TemporaryDirectory() as folder:
        put(folder)
        succeed(["run", "study.yaml", "-o", "out"], folder)
        pathlib.Path(folder, "rows.csv").write_bytes(rows() + b"1,2,3,yes\n")
        code, _, err = run(["run", "study.yaml", "-o", "out"], folder)
        assert code == 2 and "other data" in err, (code, err)


def bad(change, with_, expected):
    return Case("run study.yaml -o out", 2, err=expected,
                files={**FILES, "study.yaml": STUDY.replace(change, with_).encode()})


RIDGE = """graph: {family: ring 8}
data: {synthetic: linear-model 2 rows=9}
task: {kind: ridge, step: STEP, clip: 1000}
protocol: {kind: muffliato-sgd, rounds: 8, inner: 2}
privacy: {epsilon: inf, delta: 1e-6}
output: {repeat: 2, every: 1}
"""
CLIPPED = """graph: {family: ring 5}
data: {csv: v.csv}
task: {kind: mean, bounds: [0, 1]}
protocol: {kind: averaging, rounds: 3}
privacy: {epsilon: 1, delta: 1e-6}
output: {repeat: 2}
"""


def words(study, **more):
    return Case("run study.yaml -o out", files={"study.yaml": study.encode(), **more.pop("files", {})},
                **more)


CASES = [
    words(RIDGE.replace("STEP", "0.5"), out=r"lower is better: mean squared error(?!.*diverged)"),
    words(RIDGE.replace("STEP", "90"), out=r"squared error[^$]*gossip .*diverged: lower task.step"),
    words(CLIPPED, err="2 of 5 rows .* were clipped", files={"v.csv": b"v\n0.2\n0.9\n3\n4\n0.1\n"}),
    Case("run study.yaml -o out", 2, err=r"v\.csv: column 1, 'id', .*data\.columns",
         files={"study.yaml": CLIPPED.encode(), "v.csv": b"id,v\n1,0\n2,0\n3,0\n4,0\n5,1\n"}),
    bad("label: kind", "label: kind, features: 'a, d'", "no column 'd'"),
    Case("run study.yaml -o out", 2, err=r"rows\.csv: column 1, 'id', .*'all but id'",
         files={**FILES, "rows.csv": FILES["rows.csv"].replace(b"a,b,c", b"id,b,c")}),
    Case("run study.yaml -o out --set 'data.features=all but id'", out="test accuracy, higher",
         files={**FILES, "rows.csv": FILES["rows.csv"].replace(b"a,b,c", b"id,b,c")}),
    bad("inner: 3", "inner: 7", "multiple"),
    bad(", clip: 0.5", "", r"study\.yaml:5.*task\.clip"),
    bad("label: kind, ", "", r"study\.yaml:4.*data\.label"),
    bad("label: kind", "label: kid", r"kid.*kind"),
    bad("label: kind", "label: a", "kind"),
    bad("step: 1", "step: 0", "task.step"),
    bad("muffliato-sgd", "averaging", r"study\.yaml:6.*protocol\.kind"),
    bad("rounds: 60", "rounds: auto", r"study\.yaml:6.*auto"),
    bad("rounds: 60", "rounds: auto, phases: 3", r"study\.yaml:6: protocol\.inner.*rounds: auto"),
    bad("rounds: 60", "rounds: 60, phases: 3", r"study\.yaml:6: protocol\.phases"),
    bad("rounds: 60, inner: 3", "rounds: auto, phases: 1000000000", "phases.*give fewer"),
    bad("muffliato-sgd, rounds: 60, inner: 3", "gossip-sgd, rounds: 60, inner: 3", "inner"),
    # Without noise on later messages every message counts as seen: gossip needs the noise that everybody adds alone.
    Case("run study.yaml -o out", out=r"local +(\S+ +\S+)\ngossip +\1\n", files={**FILES, "study.yaml": STUDY.replace("dither: 0.1", "dither: 0").encode()}),
]

main(CASES, [without_noise_it_learns, accuracy_is_of_the_last_model, several_classes, parts_and_momentum_cost_nothing,
             folders_of_many_classes_are_found_again, what_steps_and_deals_refuse, equal_bytes_for_any_threads,
             killed_runs_go_on_to_the_same_bytes, messages_are_counted, phases_find_their_rounds,
             changed_data_is_refused])

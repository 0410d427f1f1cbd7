#!/usr/bin/python3
"""netdp init: what it writes, netdp run takes at once; nothing is overwritten, nothing is half there."""
import os
import pathlib
import pty
import random
import select
import subprocess
import tempfile
import time

from harness import COMMAND, PATIENCE, Case, main, run

METERS = "--source meters --per-node one"
FIRST = f"init --family davis {METERS} --epsilon 4"
# Every task with every protocol that it has: the family, and whether netdp run takes seconds here.
DRAFTS = [
    ("mean", "averaging", "davis", True), ("mean", "random-averaging", "davis", True),
    ("mean", "walk", "hypercube 5", False), ("mean", "weighted-walk", "hypercube 5", False),
    ("sum", "ring-sum", "ring 32", True), ("sum", "complete-sum", "complete 32", True),
    ("histogram", "averaging", "davis", True), ("histogram", "random-averaging", "davis", True),
    ("histogram", "ring-histogram", "ring 32", False),
    ("histogram", "complete-histogram", "complete 32", False),
    ("ridge", "muffliato-sgd", "hypercube 4", True), ("ridge", "gossip-sgd", "hypercube 4", True),
    ("ridge", "async-gossip-sgd", "hypercube 4", False), ("ridge", "walk", "hypercube 4", False),
    ("logistic", "muffliato-sgd", "hypercube 4", True), ("logistic", "gossip-sgd", "hypercube 4", True),
]


def two_classes():
    draw = random.Random(1)
    rows = [f"{draw.gauss(i % 2, 1):.3f},{draw.gauss(-(i % 2), 1):.3f},{i % 2}" for i in range(60)]
    return ("a,b,y\n" + "\n".join(rows) + "\n").encode()


ILL = "init --task logistic --family 'hypercube 4' --csv two.csv --label y --epsilon 4"
TWO = ("a,b,y\n" + "".join(f"{k % 7},{k % 5},{'in' if k % 3 else 'out'}\n" for k in range(60))).encode()
CASES = [
    Case("init", 2, err=r"no terminal to ask on; give --family or --graph, --source or --csv, --epsilon"),
    Case("init --family davis --csv a.csv --epsilon 1", 2, err=r"give --bounds", files={"a.csv": b"a\n1\n"}),
    Case("init --task ridge --family 'ring 9' --source meters --epsilon 1", 2, err="give --label"),
    Case(FIRST, out=r"^study\.yaml$", err="run it with: netdp run study.yaml"),
    Case(FIRST + " -", out=r"^  epsilon: 4 +# "),
    Case(FIRST, 2, err="study.yaml: is there already; .*--force", files={"study.yaml": b"mine"}),
    Case(FIRST + " --force", out="study.yaml", files={"study.yaml": b"mine"}),
    Case(FIRST + " --graph x", 2, err="--family and --graph: give one"),
    Case(FIRST + " nowhere/study.yaml", 3, err="nowhere/study.yaml: cannot write"),
    # What no study can be made of is said without the name of a file that nobody sees.
    Case(f"init --family 'rign 32' {METERS} --epsilon 4", 2, err=r"^netdp init: .*'rign'.*ring"),
    Case(f"init --family davis {METERS} --epsilon -1", 2, err=r"^netdp init: privacy.epsilon: "),
    Case(f"init --family davis {METERS} --epsilon 1 --task maen", 2, err=r"^netdp init: task.kind: "),
    Case(f"init --family davis {METERS} --epsilon 1 --column h99", 2, err=r"h99"),
    Case("init --family davis --source nothing --bounds 0,1 --epsilon 1", 2, err="data.source"),
    # What everybody may know of the data is declared, and nothing of it is assumed.
    Case(ILL + " --rows 60 --classes 'out, in'", out="study.yaml", files={"two.csv": TWO}),
    Case(ILL + " --rows 60 --classes 'out, in' -", out=r'^  rows: 60 +# .*\n  columns: \[\{name: "y", values: \["out", "in"\]\}\] +# ', files={"two.csv": TWO}),
    Case(ILL + " --rows many", 2, err=r"^netdp init: .*rows", files={"two.csv": TWO}),
    Case(ILL + " --classes out,in,both", 2, err=r"^netdp init: .*classes need exactly two", files={"two.csv": TWO}),
    Case("init --graph no.edges --source meters --epsilon 1", 3, err="no.edges"),
    Case("init --family 'ring 5' --source meters --epsilon 1 --per-node one", 2, err="32"),
]


def drafts_run():
    """Each pair of task and protocol makes a study, and netdp run takes it as it is."""
    for task, protocol, family, quick in DRAFTS:
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "two.csv").write_bytes(two_classes())
            data = ["--csv", "two.csv", "--label", "y"] if task == "logistic" else ["--source", "meters"]
            if task == "ridge":
                data += ["--label", "h19"]
            code, _, err = run(["init", "--task", task, "--protocol", protocol, "--family", family,
                                "--epsilon", "4", "--repeat", "2", *data], folder)
            assert code == 0, (task, protocol, err)
            text = pathlib.Path(folder, "study.yaml").read_text(encoding="utf-8")
            told = [line for line in text.splitlines() if ": " in line and not line.startswith("#")]
            assert all("  # " in line for line in told if not line.startswith("title")), text
            if quick:
                code, _, err = run(["run", "study.yaml"], folder)
                assert code == 0, (task, protocol, err)
            assert not [name for name in os.listdir(folder) if ".part-" in name], os.listdir(folder)


def declares_rows_and_classes():
    """What init declares is assumed public no longer, and both are asked for on a terminal."""
    for more, told in ((["--rows", "60", "--classes", "0,1"], ["means and deviations"]),
                       ([], ["classes", "means and deviations"])):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "two.csv").write_bytes(two_classes())
            argv = ["init", "--task", "logistic", "--family", "hypercube 3", "--csv", "two.csv", "--label", "y", "--epsilon", "4"]
            code, _, err = run([*argv, "--repeat", "2", *more], folder)
            assert code == 0, err
            code, out, err = run(["run", "study.yaml", "--set", "privacy.protects=row"], folder)
            assert code == 0, err
            said = next(line for line in (out + err).splitlines() if "ssumed public" in line or "ssumes" in line)
            assert all(word in said for word in told) and ("classes" in said) == ("classes" in told) and \
                ("row counts" in said) == (not more), (more, said)
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "two.csv").write_bytes(two_classes())
        code, seen, _ = converse(folder, argv, ["\n", "1,0\n", "\n", "\n", "60\n", *["\n"] * 20])  # protocol, classes, clip, step, rows, ...
        text = pathlib.Path(folder, "study.yaml").read_text(encoding="utf-8")
        assert code == 0 and 'values: ["1", "0"]' in text and "  rows: 60" in text, (seen, text)


def paths_hold_from_another_folder():
    """A study in another folder still finds the graph and the table that were named from here."""
    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)
        (here / "sub").mkdir()
        (here / "my graph.edges").write_text("a b\nb c\nc a\n", encoding="utf-8")
        (here / "mine.csv").write_text("kwh\n1\n2\n3\n", encoding="utf-8")
        argv = ["init", "sub/mine.yaml", "--graph", "my graph.edges", "--csv", "mine.csv", "--column", "kwh",
                "--bounds", "-1,5", "--epsilon", "1", "--title", 'a: "b" # c']
        code, out, err = run(argv, folder)
        assert code == 0 and out == "sub/mine.yaml\n", err
        code, out, err = run(["run", "sub/mine.yaml"], folder)
        assert code == 0 and out.startswith('a: "b" # c\n'), (out, err)


def refused_leaves_nothing():
    with tempfile.TemporaryDirectory() as folder:
        os.symlink("nowhere", os.path.join(folder, "study.yaml"))  # leads nowhere, and is there
        code, _, err = run(FIRST.split(), folder)
        assert code == 2 and "is there already" in err, err
        code, _, _ = run([*FIRST.split(), "--delta", "7", "--force"], folder)
        assert code == 2 and os.listdir(folder) == ["study.yaml"], os.listdir(folder)
        assert os.readlink(os.path.join(folder, "study.yaml")) == "nowhere"


def converse(folder, argv, answers):
    """The command on a terminal; an answer is typed when a question waits. Exit code and what was shown."""
    leader, follower = pty.openpty()
    process = subprocess.Popen([COMMAND, *argv], cwd=folder, stdin=follower, stderr=follower,
                               stdout=subprocess.PIPE)
    os.close(follower)
    seen, asked, end = b"", 0, time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if not select.select([leader], [], [], 1)[0]:
            if process.poll() is not None:
                break
            continue
        try:
            seen += os.read(leader, 4096)
        except OSError:  # the other end is closed
            break
        while asked < len(answers) and len(answers[:asked + 1]) <= seen.count(b"? ") + seen.count(b"] "):
            if not seen.endswith((b"? ", b"] ")):
                break
            os.write(leader, answers[asked].encode())
            asked += 1
            seen += b"\n"
    code = process.wait(PATIENCE)
    os.close(leader)
    return code, seen.decode(), process.stdout.read().decode()


def asks_on_a_terminal():
    """Enter all the way makes a study that runs; a wrong answer is told, and asked again."""
    with tempfile.TemporaryDirectory() as folder:
        code, seen, out = converse(folder, ["init"], ["\n"] * 20)
        assert code == 0 and out == "study.yaml\n", (code, seen)
        assert "Which epsilon is the target? [1]" in seen, seen
        code, _, err = run(["run", "study.yaml", "--set", "output.repeat=2"], folder)
        assert code == 0, err
    with tempfile.TemporaryDirectory() as folder:
        argv = [*FIRST.split(), "--task", "mean", "--protocol", "averaging", "--column", "h19",
                "--bounds", "0,5", "--rounds", "auto", "--delta", "1e-6"]
        code, seen, out = converse(folder, argv, ["sometimes\n", "mean\n"])  # --over alone is open
        assert code == 0 and "That makes no study: privacy.over" in seen, (code, seen)
        assert "over: mean" in pathlib.Path(folder, "study.yaml").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        code, seen, out = converse(folder, ["init"], ["\n", "\x04"])  # Control-D
        assert code == 130 and "nothing was written" in seen and os.listdir(folder) == [], (code, seen)


main(CASES, [drafts_run, declares_rows_and_classes, paths_hold_from_another_folder, refused_leaves_nothing, asks_on_a_terminal])

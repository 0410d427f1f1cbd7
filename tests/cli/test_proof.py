#!/usr/bin/python3
"""What netdp loss --proof writes, netdp-verify takes: of every kind of protocol and view, the loss that the table has. And
what it refuses is refused in one line, with no file left behind."""
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from harness import LIGHT, SOURCE, read_json, run

VERIFY = pathlib.Path(SOURCE) / "tools/verify/netdp-verify"
# Command lines, and how far the proven loss may be above the printed one.
LINES = [
    ("--family davis --rounds 20 --noise 2 --as dp:1e-6 --proof-pairs 5:3", "messages"),
    ("--family karate --rounds 20 --dither 0.1 --to 33 --from 16 --noise 3 --as rdp:4", "messages"),
    ('--family "ring 20" --rounds 30 --dither 1e-5 --to 0 --proof-pairs all', "messages"),
    ("--family davis --rounds 15 --sees sum --noise 3 --as gdp --proof-pairs 3:1", "sums"),
    ("--family karate --rounds 10 --to set:33,0,5 --sees sum --proof-pairs 3:1", "sums"),
    ("--family karate --rounds 10 --to set:33,0,5 --proof-pairs 3:9", "messages"),
    ("--family davis --rounds 12 --pair-graph edges --pair-noise 10 --proof-pairs 3:1", "messages"),
    ("--family davis --rounds 12 --pair-graph edges --pair-noise 10 --own-noise counts --sees sum --proof-pairs 3:1", "sums"),
    ("--family davis --rounds 12 --pair-graph edges --pair-noise 10 --sees everything --proof-pairs 3:1", "everything"),
    ('--family "hypercube 4" --protocol muffliato-sgd --rounds 40 --inner 8 --dither 0.1 --end-dither 0.2 --proof-pairs 3:1', "messages"),
    ('--family "hypercube 4" --protocol muffliato-sgd --rounds 24 --inner 8 --dither 0.1 --sees sum --accelerate --proof-pairs 3:1', "sums"),
    ("--family davis --protocol muffliato-sgd --rounds 12 --inner 4 --dropout 0.2 --proof-pairs 2:1", "messages"),
    ("--family davis --rounds 8 --dropout 0.2 --proof-pairs 3:1", "messages"),
    ("--family davis --protocol random-averaging --rounds 30 --dither 0.1 --sees sum --proof-pairs 3:1", "sums"),
    ("--family davis --protocol gossip-sgd --rounds 10 --pair-graph edges --pair-noise 4 --proof-pairs 3:1", "everything"),
    ('--family "complete 9" --mixing lazy:0.3:uniform --rounds 6 --from 2 --to 0', "messages"),
    ('--family "star 12" --mixing hamilton --rounds 6 --accelerate --dither 0.05 --proof-pairs 3:1', "messages"),
    ('--family "hypercube 2" --protocol muffliato-sgd --rounds 24 --inner 3 --dither 0.1 --protects row --rows 7,15,40,87 --proof-pairs all', "messages"),
    ('--family davis --rounds 8 --dither 0 --proof-pairs 1:1', "everything"),
    ('--family "ring 8" --protocol stream --rounds 6 --noise 3 --as dp:1e-6 --proof-pairs all', "messages"),
    ('--family "ring 8" --protocol stream --rounds 7 --every 2 --sees sum --pair-graph edges --pair-noise 3 --proof-pairs all', "sums"),
    ("--family davis --protocol stream --rounds 8 --every 2 --at-most 2 --bound abs-sum --own-noise counts --proof-pairs 2:1", "messages"),
    ("--family davis --protocol stream --rounds 8 --every 2 --bound spectral --to set:0,3 --sees sum --proof-pairs 2:1", "sums"),
    ("--family davis --protocol stream --rounds 6 --every 2 --bound dual --dropout 0.3 --pair-graph edges --pair-noise 1000 --proof-pairs 2:1", "messages"),
    ("--family davis --protocol stream --rounds 12 --every 3 --sees everything --pair-graph edges --pair-noise 3 --proof-pairs 2:1", "everything"),
    ("--family davis --protocol walk --rounds 200 --path public --noise 3 --as dp:1e-6 --proof-pairs 5:1", "visits"),
    ('--family "star 6" --protocol walk --rounds 300 --path resting --cap 5 --noise 3 --as loss --proof-pairs all', "visits"),
    ("--family karate --protocol walk --rounds 3000 --path tour --release final --noise 3 --as gdp --proof-pairs 5:1", "visits"),
    ("--family karate --protocol walk --rounds 500 --path non-backtracking --to set:0,33,5 --noise 3 --as rdp:4 --proof-pairs 5:1", "visits"),
    ("--family davis --protocol weighted-walk --rounds 200 --path public --noise 3 --as loss --proof-pairs 5:1", "visits"),
]


def check(line, view):
    with tempfile.TemporaryDirectory() as folder:
        code, out, err = run(["loss", *shlex.split(line), "--json", "--full", "--proof", "made"], folder)
        assert code == 0, (line, err)
        assert re.search(r"note: \d+ proofs? into made, at most [\d.e-]+ MB", err), err
        files = sorted(pathlib.Path(folder, "made").iterdir())
        said = re.search(r"note: (\d+) proofs? into made, at most ([\d.e-]+) MB", err)
        assert len(files) == int(said[1]), (line, files)
        assert sum(file.stat().st_size for file in files) <= float(said[2]) * 1.01e6, (line, said[2])
        table = read_json(out)
        losses = {entry["from"]: entry for entry in table["losses"]} if "set:" in line else {
            (entry["from"], entry["to"]): entry for entry in table["losses"]}
        done = subprocess.run([VERIFY, *files], capture_output=True, text=True, check=False)
        assert done.returncode == 0, (line, done.stdout, done.stderr)
        for file, answer in zip(files, done.stdout.splitlines(), strict=True):
            text = file.read_text(encoding="ascii")
            assert f"\nsees {view}\n" in text, line
            names = file.stem.split("-")
            entry = losses[int(names[0])] if "set:" in line else losses[int(names[0]), int(names[1])]
            claim = float(re.search(r"^claim loss (\S+)$", text, re.M)[1])
            proven = float(re.search(r"proven: ([^)]*)", answer)[1])
            if table["unit"] == "loss":
                # What is printed may be rounded up by more, and is no more than a hair below.
                assert claim <= entry["value"] * (1 + 1e-9) + 1e-18, (line, file.name, claim, entry)
            else:
                value = float(re.search(r"^claim [gr]?dp (\S+)", text, re.M)[1])
                assert value <= entry["value"] * (1 + 1e-9), (line, file.name, value, entry)
            assert proven <= claim <= proven * (1 + 1e-9) + 1e-18, (line, file.name, claim, proven)
            # A claim below what is proven is refused, with its line.
            less = proven * (1 - 1e-3) if proven > 0 else None
            if less:
                file.write_text(re.sub(r"^claim loss .*$", f"claim loss {less:.15g}", text, flags=re.M), encoding="ascii")
                refused = subprocess.run([VERIFY, file], capture_output=True, text=True, check=False)
                assert refused.returncode == 1 and re.search(r"\.proof:\d+: claim loss", refused.stdout), (line, refused.stdout)


def refuses():
    for line, code, words in [
        ("--family davis --protocol stream --rounds 1001 --bound everything --proof made", 2, "streams of more than 1,000 contributions"),
        ("--family davis --protocol stream --rounds 10 --bound lower --proof made", 2, "no proof files of the bound lower; use upper"),
        ("--family davis --protocol walk --rounds 100 --noise 3 --proof made", 2, "walks whose path is public (--path public)"),
        ("--family davis --protocol walk --rounds 100 --path public --noise 3 --tokens 2 --proof made", 2, "of one token only"),
        ("--family davis --protocol walk --rounds 100 --path public --noise 3 --bound local --proof made", 2, "no proof files of the bound local"),
        ("--family davis --protocol complete-sum --rounds 10 --noise 3 --proof made", 2, "does not apply to"),
        ("--family davis --rounds 10 --bound published --proof made", 2, "no proof files of the bound published"),
        ("--family davis --rounds 10 --proof-pairs all", 2, "give --proof DIR too"),
        ("--family davis --rounds 10 --proof made --proof-pairs some", 2, "give worst, all, or K:SEED"),
        ("--family davis --rounds 10 --proof made --proof-pairs 3:", 2, "give worst, all, or K:SEED"),
        ("--family davis --rounds 10 --proof /dev/null/made", 3, "cannot make the folder"),
    ]:
        with tempfile.TemporaryDirectory() as folder:
            got, out, err = run(["loss", *shlex.split(line)], folder)
            assert got == code and words in err.splitlines()[-1], (line, got, err)
            assert not list(pathlib.Path(folder).rglob("*.proof")), line


def same_files():
    """Equal seeds, equal files."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a", "b"):
            code, _, err = run(shlex.split(f"loss --family davis --rounds 6 --proof {name} --proof-pairs 4:7"), folder)
            assert code == 0, err
        first, second = ({file.name: file.read_bytes() for file in pathlib.Path(folder, name).iterdir()} for name in ("a", "b"))
        assert first == second and len(first) == 5, (sorted(first), sorted(second))


STUDY = """graph: {{family: {family}}}
task: {{kind: account}}
protocol: {{kind: {kind}, rounds: 12}}
privacy: {{noise: 2, as: "dp:1e-6"}}
{more}"""


def studies():
    """A study's run leaves proofs beside its losses: named by the manifest, counted by the summary, the same in every run."""
    for kind, family, more, count, code in [
            ("averaging", "davis", "", 17, 0), ("averaging", "davis", "proof: worst", 1, 0), ("averaging", "path 3", "proof: all", 6, 0),
            ("averaging", "davis", "proof: 3", 4, 0), ("averaging", "davis", "proof: none", 0, 0), ("stream", "davis", "", None, 0),
            ("averaging", "davis", "proof: some", 0, 2), ("averaging", "ring 700", "", 0, 0),
            ("averaging", "davis", "variants: [{name: a, privacy: {dither: 0.1}}, {name: b, privacy: {sees: sum}}]", 34, 0)]:
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "s.yaml").write_text(STUDY.format(kind=kind, family=family, more=more), encoding="ascii")
            got, out, err = run(["run", "s.yaml", "-o", "r"], folder)
            assert got == code, (more, got, err)
            if code:
                assert "is none, worst, all" in err, err
                continue
            files = sorted(pathlib.Path(folder, "r").glob("*.proof"))
            manifest = read_json(pathlib.Path(folder, "r/manifest.json").read_text(encoding="ascii"))
            summary = read_json(pathlib.Path(folder, "r/summary.json").read_text(encoding="utf-8"))
            assert {file.name for file in files} == {name for name in manifest["files"] if name.endswith(".proof")}, more
            told = [variant["guarantee"].get("proofs") for variant in summary["variants"]]
            if count is None:
                assert all(entry and (entry["files"] > 0 or entry["why"]) for entry in told), told
                continue
            assert len(files) == count and sum(entry["files"] for entry in told if entry) == count, (more, len(files), told)
            assert count > 0 or all(entry is None or entry["why"] for entry in told), told
            if files:
                done = subprocess.run([VERIFY, *files], capture_output=True, text=True, check=False)
                assert done.returncode == 0, done.stdout
            before = {file.name: file.read_bytes() for file in files}
            assert run(["run", "s.yaml", "-o", "r"], folder)[0] == 0 and run(["run", "r"], folder)[0] == 0
            assert run(["run", "s.yaml", "-o", "q"], folder)[0] == 0
            for place in ("r", "q"):
                assert before == {file.name: file.read_bytes() for file in pathlib.Path(folder, place).glob("*.proof")}, more
            if files:
                files[0].write_bytes(b"netdp-proof 1\n")
                got, out, err = run(["run", "r"], folder)
                assert got == 2 and "was changed after the run wrote it" in err, err
    # Of the mean every step brings two models nearer, which the proof counts on.
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "values.csv").write_text("value\n" + "".join(f"0.{v}\n" for v in range(1, 33)), encoding="ascii")
        pathlib.Path(folder, "s.yaml").write_text(
            "graph: {family: davis}\ndata: {csv: values.csv}\ntask: {kind: mean, bounds: [0, 1], step: 0.3}\n"
            "protocol: {kind: walk, rounds: 150, path: public}\nprivacy: {epsilon: 2, delta: 1e-3}\n", encoding="ascii")
        got, out, err = run(["run", "s.yaml", "-o", "r"], folder)
        files = sorted(pathlib.Path(folder, "r").glob("*.proof"))
        assert got == 0 and len(files) == 17, (got, err)
        assert all("\ncontract 0x1.6" in file.read_text(encoding="ascii") for file in files)
        done = subprocess.run([VERIFY, *files], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
    for kind, word in (("walk", "where its path is public"), ("stream", "streams")):
        with tempfile.TemporaryDirectory() as folder:
            text = STUDY.format(kind=kind, family="davis", more="proof: worst")
            pathlib.Path(folder, "s.yaml").write_text(text.replace("dp:1e-6", "rdp:2") if kind == "walk" else text, encoding="ascii")
            got, out, err = run(["run", "s.yaml", "-o", "r"], folder)
            assert (got == 2 and len(err.splitlines()) == 1 and word in err) or (kind == "stream" and got == 0), (got, err)


for line, view in LINES[::2] if LIGHT else LINES:
    check(line, view)
studies()
refuses()
same_files()
print(f"{len(LINES)} kinds of proof files")
sys.exit(0)

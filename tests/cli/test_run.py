#!/usr/bin/python3
"""netdp run: what it predicts it finds, the same bytes however it gets there, no half results."""
import csv
import json
import math
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time

from harness import COMMAND, SOURCE, PATIENCE, Case, close, main, read_json, results, run

VALUES = "value,other\n" + "".join(f"{(7 * k) % 11 / 10},{k % 4}\n" for k in range(45))

STUDY = """\
title: Test
seed: 5
graph: {family: florentine}
data: {csv: values.csv}
task: {kind: mean, bounds: [0, 3]}
protocol: {kind: averaging, rounds: 12}
privacy: {epsilon: 1, delta: 1e-6, over: mean, dither: 0.05}
output: {every: 5, repeat: 20}
"""

# Long enough to be caught at work, short enough to be run to its end three times.
LONG = ("--set", "output.repeat=12000", "--set", "output.every=4", "--set", "graph.family=davis",
        "--set", "title=long")

SUMMARY = ["netdp", "title", "simulation", "graph", "mixing", "data", "task", "protocol", "threat",
           "target", "repeat", "variants", "notes"]


def write(folder, name, content):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)


def prepare(folder, study=STUDY):
    write(folder, "study.yaml", study)
    write(folder, "values.csv", VALUES)


def ran(folder, *words):
    code, out, err = run(["run", *words], folder)
    assert code == 0, f"{words}: exit {code}: {err}"
    return out


def load(folder, *path):
    with open(os.path.join(folder, *path), "rb") as file:
        return file.read()


def contents(folder):
    """Every file's bytes but the log's, which holds what may differ: time, host, threads."""
    return {name: load(folder, name) for name in sorted(os.listdir(folder)) if name != "run.log"}


def same(folder, *names):
    first, *others = [contents(os.path.join(folder, name)) for name in names]
    for other in others:
        assert sorted(first) == sorted(other), (sorted(first), sorted(other))
        for name, content in first.items():
            assert content == other[name], f"{name} differs: {len(content)}, {len(other[name])}"


def summary_of(*folder):
    return results(*folder)


def study_of(**change):
    """The study with whole lines replaced: task='{..}', graph='{..}'."""
    lines = []
    for line in STUDY.splitlines():
        key = line.partition(":")[0]
        lines.append(f"{key}: {change.pop(key)}" if key in change else line)
    return "\n".join(lines + [f"{key}: {value}" for key, value in change.items()]) + "\n"


# ---- the right numbers ----

def predictions_come_true():
    """Over 200 repeats every variant's objective is within 4 standard errors of its prediction.

    Fixed seeds: 30 comparisons were drawn once, each false with probability 6e-5.
    """
    studies = {
        "scalar": study_of(data="{csv: values.csv, columns: [{name: value, bounds: [0, 1]}]}",
                           task="{kind: mean}"),
        "vector": STUDY,
        "ball": study_of(task="{kind: mean, clip: 0.8}"),
        "unmixed": study_of(graph="{family: path 45}", protocol="{kind: averaging, rounds: 3}",
                            privacy="{epsilon: 20, delta: 1e-6, sees: sum, own_noise: counts}"),
        "auto": study_of(graph="{family: hypercube 5}", mixing="{weights: 'lazy:0.3'}",
                         protocol="{kind: averaging, rounds: auto}",
                         privacy="{epsilon: 1, delta: 1e-9, over: worst, dither: 0.5}"),
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, text in studies.items():
            prepare(folder, text)
            for seed in ("1", "2"):
                ran(folder, "study.yaml", "-o", name + seed, "--set", "output.repeat=200", "--set",
                    f"seed={seed}")
                for variant in summary_of(folder, name + seed)["variants"]:
                    told = variant["error"]["objective"]
                    away = abs(told["mean"] - told["predicted"]) / told["standard_error"]
                    assert away <= 4, f"{name}, {variant['name']}: {away} standard errors"


def summary_agrees_with_trace():
    """The objective's mean and standard error, and the root mean squared error, from trace.csv."""
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder, study_of(task="{kind: mean, bounds: [0, 1]}",
                                 data="{csv: values.csv, columns: [{name: value}]}"))
        ran(folder, "study.yaml", "-o", "out")
        summary = summary_of(folder, "out")
        assert list(summary) == ["schema"] + SUMMARY + ["seed", "inputs_sha256"], list(summary)
        rows = list(csv.DictReader(load(folder, "out", "trace.csv").decode().splitlines()))
        assert list(rows[0]) == ["step", "variant", "run", "objective", "accuracy",
                                 "consensus_error", "bytes_sent", "messages_sent", "excess"]
        assert [v["name"] for v in summary["variants"]] == ["central", "local", "gossip"]
        for variant in summary["variants"]:
            mine = [row for row in rows if row["variant"] == variant["name"]]
            steps = sorted({int(row["step"]) for row in mine})
            assert steps == ([1] if variant["name"] == "central" else [0, 5, 10, 12]), steps
            last = [row for row in mine if int(row["step"]) == steps[-1]]
            assert [int(row["run"]) for row in last] == list(range(20))
            ends = [float(row["objective"]) for row in last]
            mean = sum(ends) / 20
            told = variant["error"]["objective"]
            close(told["mean"], mean, relative=1e-12)
            deviation = math.sqrt(sum((end - mean) ** 2 for end in ends) / 19 / 20)
            close(told["standard_error"], deviation, relative=1e-9)
            close(variant["error"]["columns"][0]["rmse"], math.sqrt(2 * mean), relative=1e-9)
            assert all(float(row["bytes_sent"]) == variant["bytes_sent"] for row in last)
            sent = 2 * 15 * variant["rounds"] if variant["name"] == "central" else None
            for row in mine:  # florentine: 20 edges, both ways
                assert int(row["messages_sent"]) == (sent or 2 * 20 * int(row["step"])), row
                assert float(row["bytes_sent"]) == 8 * int(row["messages_sent"]), row
        true_mean = summary["variants"][0]["error"]["columns"][0]["mean"]
        assert 0 < true_mean < 1, true_mean


def losses_are_those_of_loss():
    """loss.csv and the guarantee of gossip are what netdp loss says at the same noise."""
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        ran(folder, "study.yaml", "-o", "out")
        summary = summary_of(folder, "out")
        gossip = summary["variants"][2]
        code, out, err = run(["loss", "--json", "--family", "florentine", "--rounds",
                              str(gossip["rounds"]), "--dither", repr(gossip["dither"]), "--noise",
                              repr(gossip["noise"]), "--as", "dp:1e-6", "--csv", "loss.csv"],
                             folder)
        assert code == 0, err
        got = read_json(out)["summary"]
        for key in ("mean", "local"):
            close(gossip["guarantee"][key], got[key], relative=1e-9)
        close(gossip["guarantee"]["worst"]["epsilon"], got["max"], relative=1e-9)
        assert gossip["guarantee"]["mean"] <= 1 and gossip["guarantee"]["mean"] >= 0.999
        assert load(folder, "out", "loss.csv") == load(folder, "loss.csv")
        for row in gossip["guarantee"]["by_distance"]:
            assert row["mean"] <= row["max"] <= got["max"] * (1 + 1e-12)
        assert sum(row["pairs"] for row in gossip["guarantee"]["by_distance"]) == 15 * 14
        # The local baseline: a single Gaussian release of everyone's value.
        close(summary["variants"][1]["noise"], 4.22467888933, relative=2e-5)
        close(summary["variants"][0]["noise"], 4.22467888933, relative=1e-9)


# ---- the same bytes ----

def threads_and_folders_do_not_matter():
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder, study_of(graph="{family: regular 40 3}"))
        ran(folder, "study.yaml", "-o", "one", "--threads", "1")
        ran(folder, "study.yaml", "-o", "two", "--threads", "2")
        ran(folder, "study.yaml", "-o", "deep/er/three")
        same(folder, "one", "two")
        del_paths = contents(os.path.join(folder, "deep/er/three"))
        one = contents(os.path.join(folder, "one"))
        for name in one:
            assert name == "study.yaml" or one[name] == del_paths[name], name
        ran(folder, "study.yaml", "-o", "other", "--set", "seed=6")
        assert load(folder, "one", "trace.csv") != load(folder, "other", "trace.csv")
        # The study as it ran is a study: from anywhere it gives the same results.
        elsewhere = os.path.join(folder, "elsewhere")
        os.mkdir(elsewhere)
        ran(elsewhere, os.path.join("..", "one", "study.yaml"), "-o", "again")
        again = contents(os.path.join(elsewhere, "again"))
        for name in one:
            assert name == "study.yaml" or one[name] == again[name], name


def finished_folders_stay():
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        first = ran(folder, "study.yaml", "-o", "out")
        before = contents(os.path.join(folder, "out"))
        assert sorted(name for name in before if not name.endswith(".proof")) == ["loss.csv", "manifest.json", "private.json", "study.yaml",
                                  "summary.json", "trace.csv"]
        assert ran(folder, "out") == first == ran(folder, "study.yaml", "-o", "out")
        assert contents(os.path.join(folder, "out")) == before
        # Killed after the summary, before the checkpoint's removal.
        write(folder, "out/checkpoint", "{}")
        ran(folder, "out")
        assert contents(os.path.join(folder, "out")) == before, "an old checkpoint stays behind"
        # Another study does not go into the same folder.
        code, out, err = run(["run", "study.yaml", "-o", "out", "--set", "seed=9"], folder)
        assert (code, out) == (2, "") and "another study" in err, (code, err)
        assert contents(os.path.join(folder, "out")) == before
        code, _, err = run(["run", "out", "--set", "seed=9"], folder)
        assert code == 2, err


VARIANTS = """\
title: Variants
seed: 2
graph: {family: davis}
data: {source: meters, per_node: one, columns: [{name: h19}]}
task: {kind: mean, bounds: [0, 5], unit: kWh}
protocol: {kind: averaging, rounds: auto}
privacy: {epsilon: 4, delta: 1e-6, dither: 0.1}
output: {every: 4, repeat: 12}
"""

# Each variant's name, its own lines in YAML, and the same as overrides of the study.
LISTED = [
    ("dither 0.3", "{privacy: {dither: 0.3}}", ["privacy.dither=0.3"]),
    ("as it is", "{}", []),
    ("ring", "{graph: {family: ring 32}, mixing: {weights: 'lazy:0.2'}, protocol: {rounds: 21}}",
     ["graph.family=ring 32", "mixing.weights=lazy:0.2", "protocol.rounds=21"]),
    ("sum worst pair", "{privacy: {sees: sum, over: worst, epsilon: 3}}",
     ["privacy.sees=sum", "privacy.over=worst", "privacy.epsilon=3"]),
    ("clip", "{task: {clip: 2}}", ["task.clip=2"]),
    ("other ring", "{graph: {family: ring 32}, protocol: {accelerate: true, rounds: 9}}",
     ["graph.family=ring 32", "protocol.accelerate=true", "protocol.rounds=9"]),
]


def auto_says_where_it_does_not_mix():
    """A ring that paper C's rounds leave unmixed has a remark with what is left of the slowest direction; what mixes has none."""
    study = study_of(graph="{family: ring 60}", protocol="{kind: averaging, rounds: auto}", data="{csv: sixty.csv, per_node: one}",
                     task="{kind: mean, bounds: [0, 1]}", output="{repeat: 1}")
    study += ("variants:\n  - {name: plain}\n  - {name: accelerated, protocol: {accelerate: true}}\n  - {name: named, protocol: {rounds: 68}}\n"
              "  - {name: complete, graph: {family: complete 60}}\n")
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "sixty.csv", "value\n" + "0.5\n" * 60)
        write(folder, "study.yaml", study)
        ran(folder, "study.yaml", "-o", "out")
        told = {one["name"]: one for one in summary_of(folder, "out")["variants"]}
        said = {name: [text for text in told[name].get("remarks", []) if "rounds: auto" in text] for name in told}
        assert [len(said[name]) for name in ("plain", "accelerated", "named", "complete")] == [1, 0, 0, 0], said
        left, noise, rounds = map(float, re.search(r"up to (\S+) Delta .* for (\S+) by the noise; .* about (\S+) rounds", said["plain"][0]).groups())
        second = (1 + 2 * math.cos(2 * math.pi / 60)) / 3
        assert abs(left - 0.5 * second ** told["plain"]["rounds"]) < 1e-3 and left > noise > 0, (left, noise)
        mean = told["plain"]["noise"] / math.sqrt(60)  # what no number of rounds takes off
        assert 0.5 * second ** rounds <= mean < 0.5 * second ** (rounds - 1), (rounds, mean)


def quick_is_what_the_study_says():
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder, STUDY + "quick: {output: {repeat: 3}}\n")
        ran(folder, "study.yaml", "--quick")
        ran(folder, "study.yaml", "--set", "output.repeat=3", "-o", "three")
        same(folder, "results/study-quick", "three")
        code, _, err = run(["run", "three", "--quick"], folder)
        assert code == 2 and "--quick" in err, (code, err)


def variants(study=VARIANTS, listed=None):
    entries = [f"  - {{name: {name}, {own[1:-1]}}}\n" for name, own, _ in listed or LISTED]
    return study + "variants:\n" + "".join(entries)


def rows_of(folder, name, variant):
    lines = load(folder, name, "trace.csv").decode().splitlines()
    return [line.split(",") for line in lines if line.split(",")[1] == variant]


def variants_are_studies_of_their_own():
    """A list of variants gives each the numbers that it has as a study; baselines are the base's."""
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder, variants())
        write(folder, "base.yaml", VARIANTS)
        ran(folder, "study.yaml", "-o", "all")
        told = summary_of(folder, "all")
        assert list(told) == ["schema"] + SUMMARY + ["seed", "inputs_sha256"], list(told)
        names = [variant["name"] for variant in told["variants"]]
        assert names == ["central", "local"] + [name for name, *_ in LISTED], names
        assert sorted(name for name in os.listdir(os.path.join(folder, "all")) if not name.endswith(".proof")) == sorted(
            [f"loss-{k + 1}.csv" for k in range(len(LISTED))]
            + ["manifest.json", "private.json", "run.log", "study.yaml", "summary.json", "trace.csv"])
        seen = set()
        for k, (name, _, overrides) in enumerate(LISTED):
            alone = f"alone{k}"
            ran(folder, "base.yaml", "-o", alone,
                *[word for override in overrides for word in ("--set", override)])
            one = summary_of(folder, alone)
            mine = told["variants"][2 + k]
            for key in ("noise", "rounds", "dither", "guarantee", "error", "bytes_sent"):
                assert mine[key] == one["variants"][2][key], (name, key)
            for key in ("graph", "mixing", "protocol", "threat", "target", "notes"):
                assert mine[key] == one[key], (name, key)
            assert mine["sensitivity"] == one["data"]["sensitivity"]
            assert mine["losses"] == f"loss-{k + 1}"
            assert load(folder, "all", f"loss-{k + 1}.csv") == load(folder, alone, "loss.csv"), name
            rows = [row[:1] + row[2:] for row in rows_of(folder, "all", name)]
            assert rows == [row[:1] + row[2:] for row in rows_of(folder, alone, "gossip")], name
            assert rows and len(mine["overrides"]) == len(overrides), mine["overrides"]
            seen.add(one["inputs_sha256"])
            if not overrides:
                for baseline in ("central", "local"):
                    assert rows_of(folder, "all", baseline) == rows_of(folder, alone, baseline)
                assert told["variants"][:2] == one["variants"][:2]
        assert len(seen) == 4 and told["inputs_sha256"] not in seen, seen
        assert told["variants"][4]["overrides"] == {
            "graph.family": "ring 32", "mixing.weights": "lazy:0.2", "protocol.rounds": 21}
        table = ran(folder, "all")
        for name in names:
            assert len([line for line in table.splitlines() if line.startswith(name + " ")]) >= 2, table
        assert "sum worst pair: epsilon, dp:1e-6 (target 3, over the worst" in table, table
        assert "sum worst pair: each node sees its own messages and the last sum" in table, table
        assert "ring: ring 32: 32 nodes, 32 edges, lazy:0.2 weights" in table, table


def variants_give_the_same_bytes():
    """For any number of threads, from the study as it ran, and after kill -9 at any moment."""
    random.seed(3)
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder, variants(VARIANTS.replace("repeat: 12", "repeat: 1500")))
        began = time.monotonic()
        ran(folder, "study.yaml", "-o", "whole", "--threads", "1")
        lasts = time.monotonic() - began
        ran(folder, "study.yaml", "-o", "two", "--threads", "2")
        ran(folder, os.path.join("whole", "study.yaml"), "-o", "again")
        same(folder, "whole", "two", "again")
        for attempt in range(3):
            name = f"cut{attempt}"
            for _ in range(2):
                process = start(folder, "study.yaml", "-o", name)
                time.sleep(random.random() * lasts * 0.7)
                process.kill()
                process.communicate()
            ran(folder, "study.yaml", "-o", name)
            same(folder, "whole", name)
        # The digest covers the variants' data too, the folder their overrides.
        write(folder, "mine.csv", "h19\n" + "1.5\n" * 32)
        listed = [("mine", "{data: {csv: mine.csv}}", None)]
        write(folder, "study.yaml", variants(listed=listed))
        ran(folder, "study.yaml", "-o", "mine")
        write(folder, "mine.csv", "h19\n" + "1.5\n" * 31 + "1.6\n")
        code, _, err = run(["run", "mine"], folder)
        assert code == 2 and "other data" in err, (code, err)
        code, _, err = run(["run", "study.yaml", "-o", "whole"], folder)
        assert code == 2 and "another study" in err, (code, err)


def variants_of_other_columns_share_a_table():
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder, variants(listed=[
            ("h20 too", "{data: {columns: [{name: h19}, {name: h20}]}}", None),
            ("every hour", "{data: {columns: []}, privacy: {epsilon: 9}}", None)]))
        table = ran(folder, "study.yaml", "-o", "out")
        head = next(line for line in table.splitlines() if "h19" in line).split()
        assert head[:2] == ["h19", "h20"] and len(head) == 24, head
        rows = {line.split("  ")[0]: line.split() for line in table.splitlines()}
        assert rows["central"].count("-") == 0 and "h20 too" in rows, rows
        errors = [line.split() for line in table.splitlines() if line.startswith("local")]
        assert errors[0].count("-") == 23, errors[0]


def start(folder, *words):
    return subprocess.Popen([COMMAND, "run", *words], cwd=folder, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env={**os.environ, "OMP_NUM_THREADS": "2"})


def wait_for(path, process, size=0):
    """Until the file is there and larger than `size`."""
    while not (os.path.exists(path) and os.path.getsize(path) > size):
        assert process.poll() is None, "ended before it could be interrupted"
        time.sleep(0.01)


def interrupted_runs_go_on():
    """SIGINT and SIGTERM: 130, one line, a checkpoint; then on to the same bytes."""
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        ran(folder, "study.yaml", "-o", "whole", *LONG)
        for number in (signal.SIGINT, signal.SIGTERM):
            process = start(folder, "study.yaml", "-o", "cut", *LONG)
            wait_for(os.path.join(folder, "cut", "trace.csv"), process, size=100000)
            process.send_signal(number)
            out, err = process.communicate(timeout=PATIENCE)
            assert process.returncode == 130, process.returncode
            assert out == b"" and len(err.splitlines()) == 1, (out, err)
            assert b"netdp run cut" in err, err
            names = os.listdir(os.path.join(folder, "cut"))
            assert "checkpoint" in names and "summary.json" not in names, names
            # Once more while going on.
            size = os.path.getsize(os.path.join(folder, "cut", "trace.csv"))
            process = start(folder, "cut")
            wait_for(os.path.join(folder, "cut", "trace.csv"), process, size=size + 100000)
            process.send_signal(number)
            process.communicate(timeout=PATIENCE)
            assert process.returncode == 130, process.returncode
            ran(folder, "cut")
            same(folder, "whole", "cut")
            shutil.rmtree(os.path.join(folder, "cut"))


def killed_runs_go_on():
    """kill -9 at any moment: netdp run DIR, or the command again, ends with the same bytes."""
    random.seed(11)
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        began = time.monotonic()
        ran(folder, "study.yaml", "-o", "whole", *LONG)
        lasts = time.monotonic() - began
        for attempt in range(8):
            name = f"cut{attempt}"
            for kill in range(2):
                again = [name] if kill == 1 and os.path.exists(
                    os.path.join(folder, name, "study.yaml")) else ["study.yaml", "-o", name, *LONG]
                process = start(folder, *again)
                time.sleep(random.random() * lasts * (0.02 if attempt < 3 else 0.9))
                process.kill()
                process.communicate()
            if attempt % 2 == 0 and os.path.exists(os.path.join(folder, name, "study.yaml")):
                ran(folder, name)
            else:
                ran(folder, "study.yaml", "-o", name, *LONG)
            same(folder, "whole", name)
            shutil.rmtree(os.path.join(folder, name))


def unfinished_writes_do_not_stay():
    """What a killed process was writing beside a file is gone after the run went on."""
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        ran(folder, "study.yaml", "-o", "whole")
        os.mkdir(os.path.join(folder, "cut"))
        shutil.copy(os.path.join(folder, "whole", "study.yaml"), os.path.join(folder, "cut"))
        for name in ("checkpoint.part-4194000", "loss.csv.part-4194001", "study.yaml.new",
                     "study.yaml.new.part-4194002"):
            write(folder, os.path.join("cut", name), "half")
        ran(folder, "cut")
        same(folder, "whole", "cut")
        write(folder, os.path.join("cut", "lock"), "process 4194003 on here\n")  # killed when it was done
        ran(folder, "cut")
        same(folder, "whole", "cut")


def damaged_folders_are_told():
    """A checkpoint or trace that is not whole: one line, or the right bytes; never wrong ones."""
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        ran(folder, "study.yaml", "-o", "whole", *LONG)
        process = start(folder, "study.yaml", "-o", "cut", *LONG)
        wait_for(os.path.join(folder, "cut", "trace.csv"), process, size=100000)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        kept = os.path.join(folder, "cut")

        def attempt(damage):
            broken = os.path.join(folder, "broken")
            shutil.copytree(kept, broken)
            damage(broken)
            code, out, err = run(["run", "broken"], folder)
            assert code in (2, 3) and out == "" and len(err.splitlines()) == 1, (code, out, err)
            assert not os.path.exists(os.path.join(broken, "summary.json"))
            shutil.rmtree(broken)
        checkpoint = load(kept, "checkpoint")
        for content in (b"", b"{}", b"[]", checkpoint[:-40], bytes(range(256)),
                        checkpoint.replace(b'"done"', b'"gone"'),
                        checkpoint.replace(b'"done": ', b'"done": -'),
                        checkpoint.replace(b'"square": [', b'"square": ["x",')):
            assert content != checkpoint
            attempt(lambda broken, content=content: write(broken, "checkpoint", content))
        attempt(lambda broken: write(broken, "loss.csv", load(kept, "loss.csv")[:1000]))
        attempt(lambda broken: os.unlink(os.path.join(broken, "loss.csv")))
        attempt(lambda broken: write(broken, "study.yaml", "title: [\n"))
        attempt(lambda broken: os.unlink(os.path.join(broken, "study.yaml")))
        # Other data than those that the first half was computed from.
        write(folder, "values.csv", VALUES.replace("1.0,", "0.0,"))
        attempt(lambda broken: None)


def full_disk():
    """A disk that fills up: 3, one line, no part files; after making room the same bytes."""
    with tempfile.TemporaryDirectory() as folder:
        disk = os.path.join(folder, "disk")
        os.mkdir(disk)
        if os.geteuid() != 0 or subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk],
                capture_output=True, check=False).returncode != 0:
            print("skipped: full_disk (needs to mount a tmpfs)")
            return
        try:
            prepare(folder)
            small = ("--set", "output.repeat=400", "--set", "output.every=1")
            ran(folder, "study.yaml", "-o", "whole", *small)
            # Full at the start, at loss.csv, in the trace.
            for filler in (64, 60, 56, 48, 40, 20, 0):
                write(disk, "filler", b"")
                try:
                    write(disk, "filler", bytes(1024 * filler))
                except OSError:
                    pass
                code, out, err = run(["run", "study.yaml", "-o", "disk/out", *small], folder)
                assert (code, out) == (3, ""), (filler, code, out, err)
                assert len(err.splitlines()) == 1, err
                left = os.listdir(os.path.join(disk, "out")) if os.path.exists(
                    os.path.join(disk, "out")) else []
                assert not [name for name in left if "part" in name or "new" in name], left
                assert "summary.json" not in left, left
                os.unlink(os.path.join(disk, "filler"))
                subprocess.run(["mount", "-o", "remount,size=16m", disk], check=True)
                ran(folder, *(["disk/out"] if "study.yaml" in left else
                              ["study.yaml", "-o", "disk/out", *small]))
                same(folder, "whole", "disk/out")
                shutil.rmtree(os.path.join(disk, "out"))
                subprocess.run(["mount", "-o", "remount,size=64k", disk], check=True)
        finally:
            subprocess.run(["umount", disk], check=False)


def extreme_values():
    """Clipping at the ends of the doubles: the ball of radius clip holds whatever the data are."""
    for values, clip in (("1e200", "1"), ("1e-200", "1e-250"), ("1e300", "1e-300"), ("0", "1"),
                         ("1e308", "1e100"), ("1e-300", "1")):
        with tempfile.TemporaryDirectory() as folder:
            prepare(folder, study_of(graph="{family: ring 5}", task=f"{{kind: mean, clip: {clip}}}",
                                     privacy="{epsilon: .inf, delta: 1e-6, dither: 0}",
                                     data="{csv: values.csv}"))
            write(folder, "values.csv", "a,b\n" + f"{values},-{values}\n" * 5)
            ran(folder, "study.yaml", "-o", "out")
            told = summary_of(folder, "out")
            want = min(float(clip) / math.sqrt(2), float(values))
            for column, sign in zip(told["variants"][0]["error"]["columns"], (1, -1)):
                close(column["mean"], sign * want, relative=1e-12)


def bad_study(text, err, code=2, **files):
    content = {"study.yaml": text.encode(), "values.csv": VALUES.encode(),
               **{name: data for name, data in files.items()}}
    return Case("run study.yaml -o out", code, err=err, files=content)


def value(key, text, err=None):
    """One key of the study given on the command line."""
    return Case(["run", "study.yaml", "-o", "out", "--set", f"{key}={text}"], 2, err=err or key,
                files={"study.yaml": STUDY.encode(), "values.csv": VALUES.encode()})


def data(content, err, code=2):
    return Case("run study.yaml -o out", code, err=err,
                files={"study.yaml": STUDY.encode(), "values.csv": content})


GARBAGE = bytes(range(256)) * 64

CASES = [
    Case("run study.yaml -o out --json", keys=SUMMARY,
         files={"study.yaml": STUDY.encode(), "values.csv": VALUES.encode()}),
    Case("run study.yaml", out=r"^results: results/study$",
         files={"study.yaml": STUDY.encode(), "values.csv": VALUES.encode()}),
    Case("run", 2),
    Case("run a b", 2),
    Case("run nowhere.yaml", 3, err="nowhere.yaml"),
    Case("run .", 3, err="study.yaml"),
    Case("run study.yaml --json", 3, stdout="/dev/full", err="standard output",
         files={"study.yaml": STUDY.encode(), "values.csv": VALUES.encode()}),
    *[Case(["run", "study.yaml", "-o", place], 3, files={"study.yaml": STUDY.encode(),
                                                         "values.csv": VALUES.encode()})
      for place in ("values.csv", "values.csv/out", "/proc/out", "/dev/null", "/dev/full/x")],
    # ---- values out of range ----
    *[value("privacy.epsilon", text) for text in ("0", "-1", "nan", "1.5abc", "", "0x1", "1e400")],
    *[value("privacy.delta", text) for text in ("0", "1", "-1", "nan", "1.5abc", "2", "1e-400")],
    *[value("privacy.dither", text) for text in ("-0.1", "inf", "nan", "1.5abc", ".inf",
                                                  "1e200")],
    *[value("protocol.rounds", text) for text in ("0", "-1", "2.5", "nan", "many", "1.5abc")],
    *[value("protocol.variance", text) for text in ("-1", "inf", "nan")],
    *[value("output.repeat", text) for text in ("0", "-1", "1e3x", "nan")],
    *[value("output.every", text) for text in ("0", "-1", "x")],
    *[value("seed", text) for text in ("-1", "1.5", "18446744073709551616", "x")],
    *[value("task.bounds", text) for text in ("[1, 1]", "[2, 1]", "[0, inf]", "[nan, 1]", "[0]",
                                              "[0, 1.5abc]", "x", "[-1e200, 1e200]",
                                              "[0, 1e300]")],
    *[value("task.clip", text) for text in ("0", "-1", "inf", "nan", "1.5abc", "1e101")],
    value("protocol.cap", "3", "cap"), value("protocol.inner", "2", "inner"),
    value("task.kind", "median"), value("protocol.kind", "march"), value("privacy.sees", "nothing"),
    value("privacy.over", "all"), value("graph.family", "rign 5", "ring"),
    value("graph.family", "complete 1", "single node|at least"),
    value("mixing.weights", "uniform", "uniform"),
    Case(["run", "study.yaml", "-o", "out", "--set", "graph.family=hypercube 3", "--set",
          "mixing.weights=hamilton"], 2, err="lazy:0.5",
         files={"study.yaml": STUDY.encode(), "values.csv": VALUES.encode()}),
    value("graph.family", "ring 46", "row|node"),  # 45 rows
    # ---- keys ----
    bad_study(STUDY + "surplus: 1\n", r"study\.yaml:9"),
    bad_study(STUDY + "sead: 1\n", r"study\.yaml:9.*seed"),
    bad_study(STUDY + "seed: 1\n", r"study\.yaml:9"),
    bad_study(STUDY.replace("dither:", "diter:"), r"study\.yaml:7.*dither"),
    bad_study(STUDY.replace("dither: 0.05", "dither: 0.05, dither: 0.06"), r"study\.yaml:7"),
    bad_study(STUDY.replace("delta: 1e-6", "delta: 1e-6, cap: 3"), r"study\.yaml:7.*cap"),
    bad_study(STUDY.replace("rounds: 12", "rounds: 12, inner: 3"), r"study\.yaml:6.*inner"),
    bad_study(STUDY.replace("rounds: 12", "rounds: [12]"), r"study\.yaml:6"),
    bad_study(STUDY.replace("epsilon: 1", "epsilon: 1.5abc"), r"study\.yaml:7"),
    bad_study(STUDY.replace(", bounds: [0, 3]", ""), "range|bounds|sensitivity"),
    bad_study(STUDY.replace("graph: {family: florentine}\n", ""), "graph"),
    bad_study(STUDY.replace("privacy", "privat"), "privacy"),
    bad_study("", "study.yaml"), bad_study("[1, 2]\n", "study.yaml"),
    bad_study("a: [\n", r"study\.yaml"), bad_study("\t", r"study\.yaml"),
    Case("run study.yaml -o out", 2, err=r"study\.yaml", files={"study.yaml": GARBAGE}),
    Case("run study.yaml -o out", 2, err=r"study\.yaml",
         files={"study.yaml": b"title: " + b"[" * 100000}),
    Case("run study.yaml -o out", 2, err=r"study\.yaml",
         files={"study.yaml": b"title: " + b"x " * 500000 + b"\nsurplus: 1\n"}),
    # ---- variants ----
    bad_study(STUDY + "variants:\n  - {name: a}\n  - {nam: b}\n", r"study\.yaml:11.*'nam'.*'name'"),
    bad_study(STUDY + "variants:\n  - protocol:\n      round: 3\n", r"study\.yaml:11.*'rounds'"),
    bad_study(STUDY + "variants: [{privacy: {delta: 2}}]\n",
              r"study\.yaml:9: variants\.1\.privacy\.delta"),
    bad_study(STUDY + "variants: [{seed: 2}]\n", r"study\.yaml:9: variants\.1\.seed"),
    bad_study(STUDY + "variants: [{}, {graph: {family: path 2}, protocol: {rounds: 2},"
              " mixing: {weights: hamilton}}]\n", "variant variant 2: .*lazy"),
    bad_study(STUDY + "variants: [{name: far, graph: {family: ring 99}}]\n", "variant far: .*"),
    Case(["run", "study.yaml", "-o", "out"], 1, err="variant strict: .*out of reach",
         files={"study.yaml": (STUDY + "variants: [{name: strict, privacy: {epsilon: 1e-9,"
                               " delta: 1e-12}}]\n").encode(), "values.csv": VALUES.encode()}),
    # ---- data ----
    data(b"", r"values\.csv"), data(GARBAGE, r"values\.csv"),
    data(b"value,other\n", "row|values"), data(b"value,other\n1,2\n", "row|node"),
    data(VALUES.replace("1.0,", "1.5abc,").encode(), r"values\.csv:\d+"),
    data(VALUES.replace("1.0,", ",").encode(), r"values\.csv:\d+"),
    data(VALUES.replace("1.0,", "nan,").encode(), r"values\.csv:\d+"),
    data(VALUES.replace("1.0,", "inf,").encode(), r"values\.csv:\d+"),
    data(VALUES.replace("1.0,", "1,1,").encode(), r"values\.csv:\d+"),
    data(b",".join(b"c%d" % k for k in range(10**6)) + b"\n1,2\n", r"values\.csv:2"),
    Case("run study.yaml -o out", 3, err="values.csv", files={"study.yaml": STUDY.encode()}),
]


def nothing_half_written():
    """A refused study leaves no folder behind that says anything else than the study."""
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        for words in (["--set", "graph.family=complete 1"], ["--set", "privacy.delta=2"],
                      ["--set", "data.csv=nowhere.csv"], ["--set", "graph.family=ring 46"]):
            code, _, err = run(["run", "study.yaml", "-o", "out", *words], folder)
            assert code != 0, words
            assert not os.path.exists(os.path.join(folder, "out")), (words, err)
        # A target that no noise can reach: the folder may keep the study, no results.
        code, _, err = run(["run", "study.yaml", "-o", "out", "--set", "privacy.epsilon=1e-9",
                            "--set", "privacy.delta=1e-12"], folder)
        assert code == 1 and len(err.splitlines()) == 1, (code, err)
        assert set(os.listdir(os.path.join(folder, "out"))) <= {"study.yaml"}


def bundled_study():
    """The study of the demo, with its own data."""
    with tempfile.TemporaryDirectory() as folder:
        ran(folder, os.path.join(SOURCE, "experiments", "meters-on-davis.yaml"), "-o", "out")
        for variant in summary_of(folder, "out")["variants"]:
            told = variant["error"]["objective"]
            assert abs(told["mean"] - told["predicted"]) <= 4 * told["standard_error"], variant
        promised = summary_of(folder, "out")["variants"][-1]
        assert promised["guarantee"]["worst"]["epsilon"] <= 4, promised
        assert promised["error"]["columns"][0]["rmse"] <= 0.30, promised
        assert promised["guarantee"]["pairs"]["hidden_among"] == 31, promised
        with open(os.path.join(folder, "out", "loss-2.csv"), encoding="utf-8") as file:
            told = [float(row["epsilon"]) for row in csv.DictReader(file)]
        assert len(told) == 992 and max(told) <= 4, max(told)


def houses_on_facebook():
    """Three columns of Houses; skipped where the downloads are not there."""
    places = [os.environ.get("NETDP_DATA"), os.path.join(SOURCE, "data"),
              os.path.join(SOURCE, "..", "shared", "data")]
    place = next((place for place in places if place and all(
        os.path.exists(os.path.join(place, name))
        for name in ("houses.csv", "facebook/414.edges"))), None)
    if place is None:
        print("skipped: houses_on_facebook (no houses.csv, no facebook/414.edges)")
        return
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder, study_of(
            graph="{data: facebook/414.edges, giant_component: true}", task="{kind: mean}",
            data="{source: houses, columns: [{name: median_income, bounds: [0, 15]}, "
                 "{name: housing_median_age, bounds: [0, 52]}]}"))
        ran(folder, "study.yaml", "-o", "out", "--data", os.path.abspath(place), "--set",
            "output.repeat=100")
        assert "loss.npy" in os.listdir(os.path.join(folder, "out"))
        for variant in summary_of(folder, "out")["variants"]:
            told = variant["error"]["objective"]
            assert abs(told["mean"] - told["predicted"]) <= 4 * told["standard_error"], variant


main(CASES, [predictions_come_true, summary_agrees_with_trace, losses_are_those_of_loss,
             threads_and_folders_do_not_matter, variants_are_studies_of_their_own,
             variants_give_the_same_bytes, variants_of_other_columns_share_a_table,
             finished_folders_stay, auto_says_where_it_does_not_mix, quick_is_what_the_study_says, interrupted_runs_go_on,
             killed_runs_go_on, unfinished_writes_do_not_stay, damaged_folders_are_told, full_disk,
             extreme_values, nothing_half_written, bundled_study, houses_on_facebook])

#!/usr/bin/python3
"""netdp run for random walks: the guarantee of netdp loss, equal bytes, what is said aloud."""
import json
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time

from harness import COMMAND, SOURCE, Case, close, main, read_json, results, run

VALUES = "value,other\n" + "".join(f"{(7 * k) % 11 / 10},{k % 4}\n" for k in range(45))

MEAN = """\
title: Walk
seed: 5
graph: {family: hypercube 4}
data: {csv: values.csv}
task: {kind: mean, bounds: [0, 3], step: 0.05}
protocol: {kind: walk, rounds: 160, cap: 20, burn_in: 3}
privacy: {epsilon: 9, delta: 1e-2, over: mean}
output: {every: 40, repeat: 5}
"""

MODEL = """\
title: Learn
seed: 3
graph: {family: hypercube 4}
data: {csv: rows.csv, label: kind, split: 0.75}
task: {kind: logistic, clip: 0.5, step: 1}
protocol: {kind: walk, rounds: 160, cap: 20}
privacy: {epsilon: 9, delta: 1e-2}
output: {every: 40, repeat: 4}
"""


def rows():
    draw = random.Random(5)
    lines = ["a,b,c,kind"]
    for _ in range(400):
        x = [draw.gauss(0, 1) for _ in range(3)]
        lines.append(f"{x[0]:.6f},{x[1]:.6f},{x[2]:.6f},{'yes' if x[0] - x[1] > 0 else 'no'}")
    return "\n".join(lines) + "\n"


FILES = {"values.csv": VALUES.encode(), "rows.csv": rows().encode()}


def put(folder, study):
    for name, content in {**FILES, "study.yaml": study.encode()}.items():
        pathlib.Path(folder, name).write_bytes(content)


def ran(folder, *words):
    code, out, err = run(["run", *words], folder)
    assert code == 0, f"{words}: exit {code}: {err}"
    return out, err


def told(folder, *words):
    ran(folder, "study.yaml", "-o", "out", "--json", *words)
    return results(folder, "out")


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(pathlib.Path(folder).iterdir())
            if path.name != "run.log"}


def guarantees_are_those_of_loss():
    """The same description at the same noise: the same numbers to the last digit, pair by pair."""
    studies = [
        (MEAN, [], ["--cap", "20", "--burn-in", "3"]),
        (MODEL, [], ["--cap", "20"]),
        (MODEL, ["protocol.release=final", "protocol.tokens=2", "protocol.start=3"],
         ["--cap", "20", "--release", "final", "--tokens", "2", "--start", "3"]),
        (MODEL, ["graph.family=path 5", "mixing.weights=hastings:degree", "protocol.cap=none",
                 "privacy.observers=1"], ["--family", "path 5", "--mixing", "hastings:degree"]),
    ]
    for study, overrides, options in studies:
        with tempfile.TemporaryDirectory() as folder:
            put(folder, study)
            summary = told(folder, *[word for each in overrides for word in ("--set", each)])
            variant = summary["variants"][2]
            assert variant["name"] == "walk" and summary["protocol"] == "walk"
            guarantee, to = variant["guarantee"], summary["threat"]["to"]
            family = [] if "--family" in options else ["--family", "hypercube 4"]
            code, out, err = run(["loss", "--json", "--protocol", "walk", "--rounds", "160", *family,
                                  *options, "--noise", repr(variant["noise"]), "--as", "dp:0.01",
                                  "--to", to if to == "all" else ",".join(map(str, to)),
                                  "--csv", "loss.csv"], folder)
            assert code == 0, err
            got = read_json(out)
            assert got["bound"] == guarantee["bound"] == "excursion-mixture"
            assert guarantee["sound"] and not guarantee["certified"]
            assert guarantee["mean"] == got["summary"]["mean"], (guarantee, got["summary"])
            assert guarantee["worst"]["epsilon"] == got["summary"]["max"]
            assert guarantee["local"] == got["summary"]["local"]
            assert got["threat"] == summary["threat"], (got["threat"], summary["threat"])
            assert 0.999 * 9 <= guarantee["mean"] <= 9
            held = pathlib.Path(folder, "out", "loss.csv").read_bytes()
            assert held == pathlib.Path(folder, "loss.csv").read_bytes()
            # At equal epsilon the local baseline needs more noise.
            assert summary["variants"][1]["guarantee"]["bound"] == "local"
            assert summary["variants"][1]["noise"] > variant["noise"] * 1.01


def contributions_are_counted():
    with tempfile.TemporaryDirectory() as folder:
        put(folder, MEAN)
        for cap, most in (("3", 3), ("none", None), ("20", None)):
            out = f"out{cap}"
            table, _ = ran(folder, "study.yaml", "-o", out, "--set", f"protocol.cap={cap}")
            summary = results(folder, out)
            local, walk = summary["variants"][1:]
            made = walk["contributions"]
            assert made["cap"] == (None if cap == "none" else int(cap)), made
            known = made["local_at_realised_max"]
            assert known["guarantee"] is False and "known after the fact" in known["why"]
            # The same paths; fewer contributions than local counts cost less.
            assert local["contributions"]["realised_max"] == made["realised_max"]
            delta = summary["target"]["delta"]
            code, text, err = run(["convert", "--json",
                                   f"gdp:{made['realised_max'] ** 0.5 / walk['noise']!r}", "--to",
                                   f"dp:{delta!r}"], folder)
            assert code == 0, err
            close(read_json(text)["value"], known["epsilon"], relative=1e-9)
            if most:
                assert made["realised_max"] == most and made["mean"] <= most, made
                close(local["contributions"]["local_at_realised_max"]["epsilon"], 9, relative=1e-3)
            else:  # 160 steps on 16 nodes, none beyond the cap
                assert 10 < made["realised_max"] < 40, made
                close(made["mean"], 10, absolute=0 if cap == "none" else 0.5)
            assert f"walk: a node contributed at most {made['realised_max']} times" in table, table
            assert "not a guarantee (data-independent path, known after the fact)" in table
            assert "In walk, each node sees the token whenever it arrives" in table, table
            lines = pathlib.Path(folder, out, "trace.csv").read_text("utf-8").splitlines()
            ends = [line.split(",") for line in lines if line.startswith("160,walk,")]
            assert len(ends) == 5, lines
            close(walk["bytes_sent"], sum(float(row[6]) for row in ends) / 5, relative=1e-12)
            close(walk["error"]["objective"]["mean"], sum(float(row[3]) for row in ends) / 5,
                  relative=1e-12)


def without_noise_it_finds_the_answer():
    with tempfile.TemporaryDirectory() as folder:
        put(folder, MEAN)
        summary = told(folder, "--set", "privacy.epsilon=inf", "--set", "protocol.rounds=4000",
                       "--set", "task.step=0.005", "--set", "protocol.cap=none")
        for column in summary["variants"][2]["error"]["columns"]:
            close(column["rmse"], 0, absolute=0.15)
        put(folder, MODEL)
        os.rename(os.path.join(folder, "out"), os.path.join(folder, "mean"))
        summary = told(folder, "--set", "privacy.epsilon=inf", "--set", "protocol.rounds=2000")
        for variant in summary["variants"]:
            assert variant["noise"] == 0 and variant["error"]["accuracy"]["mean"] > 0.9, variant


def strong_convexity_counts_by_itself():
    """Steps contract by 1 - step l2, or step beta - 1 (beta = 1/4 + l2); a mean's without a cap by 1 - step."""
    for study, overrides, factor in ((MODEL, ["task.l2=0.02", "task.step=2"], 1 - 2 * 0.02),
                                     (MODEL, ["task.l2=0.02", "task.step=7"], 7 * 0.27 - 1),
                                     (MODEL, ["task.step=2"], 1),
                                     (MEAN, ["task.step=0.1", "protocol.cap=none"], 0.9),
                                     (MEAN, ["task.step=0.1"], 1)):
        with tempfile.TemporaryDirectory() as folder:
            put(folder, study)
            words = [word for each in overrides for word in ("--set", each)]
            out, _ = ran(folder, "study.yaml", "-o", "out", "--json", "--set", "privacy.noise=4", *words)
            walk = read_json(out)["variants"][-1]["guarantee"]
            cap = [] if "protocol.cap=none" in overrides else ["--cap", "20"]
            burn_in = ["--burn-in", "3"] if study is MEAN else []
            contraction = ["--contraction", repr(factor)] if factor < 1 else []
            code, text, err = run(["loss", "--json", "--protocol", "walk", "--family", "hypercube 4", "--rounds",
                                   "160", "--noise", "4", "--as", "dp:0.01", *cap, *burn_in, *contraction], folder)
            assert code == 0, err
            loss = read_json(text)
            assert walk["bound"] == ("excursion-contracting" if factor < 1 else "excursion-mixture"), walk
            close(walk["worst"]["epsilon"], loss["summary"]["max"], relative=1e-9)


def too_long_steps_are_local_and_say_so():
    """Beyond 2 / beta (logistic: 8, with an intercept 4) nothing is gained on the way."""
    for overrides, bound in ((["task.step=8"], "excursion-mixture"), (["task.step=8.1"], "local"),
                             (["task.step=4.1", "task.intercept=true"], "local"),
                             (["task.step=3.9", "task.intercept=true"], "excursion-mixture"),
                             (["task.step=8", "task.l2=0.01"], "local"),
                             (["task.step=8.1", "protocol.cap=none"], "local")):
        with tempfile.TemporaryDirectory() as folder:
            put(folder, MODEL)
            words = [word for each in overrides for word in ("--set", each)]
            out, err = ran(folder, "study.yaml", "-o", "out", "--json", *words)
            local, walk = read_json(out)["variants"][1:]
            assert walk["guarantee"]["bound"] == bound, (overrides, walk)
            if bound == "excursion-mixture":
                assert "why" not in walk["guarantee"] and "bound local" not in err, err
                continue
            assert "above 2/beta" in walk["guarantee"]["why"], walk
            assert "netdp: note: walk: bound local: task.step" in err and "2/beta" in err, err
            close(walk["noise"], local["noise"], relative=1e-12)
            counted = 20 if len(overrides) == 1 or "cap" not in overrides[1] else 160
            close(walk["guarantee"]["worst"]["epsilon"], walk["guarantee"]["local"])
            code, text, err = run(["loss", "--json", "--protocol", "walk", "--family", "hypercube 4",
                                   "--rounds", "160", "--cap", str(counted), "--bound", "local",
                                   "--noise", repr(walk["noise"]), "--as", "dp:0.01"], folder)
            assert code == 0, err
            assert read_json(text)["summary"]["mean"] == walk["guarantee"]["mean"]


def unequal_visits_are_told():
    with tempfile.TemporaryDirectory() as folder:
        put(folder, MEAN)
        words = ["--set", "graph.family=star 9", "--set", "task.clip=1", "--set", "protocol.rounds=40"]
        for law, weighted in (("hastings:degree", True), ("hastings:uniform", False)):
            _, err = ran(folder, "study.yaml", "-o", law, "--set", f"mixing.weights={law}", *words)
            assert ("visits nodes unequally" in err) == weighted, err
        # A file of targets is looked for beside the study, from wherever it is run.
        inner = pathlib.Path(folder, "inner")
        inner.mkdir()
        put(inner, MEAN)
        (inner / "target").write_text("1\n" * 8 + "2\n")
        _, err = ran(folder, "inner/study.yaml", "-o", "mine", "--set",
                     "mixing.weights=hastings:target", *words)
        assert "visits nodes unequally" in err, err
        ran(folder, "mine")


ACCOUNT = """\
title: Drawn
seed: 3
graph: {family: path 60}
task: {kind: account}
protocol: {kind: walk, rounds: 250, cap: 5}
privacy: {noise: 3, as: rdp:2, observers: 2}
"""


def guarantee_of(folder, name, *words):
    table, err = ran(folder, "study.yaml", "-o", name, *words)
    summary = read_json(pathlib.Path(folder, name, "summary.json").read_text("utf-8"))
    return summary["variants"][-1]["guarantee"], table, err


def drawn_observers_are_an_estimate():
    """Never a guarantee; all pairs where they are little work, or where nodes are alike."""
    with tempfile.TemporaryDirectory() as folder:
        put(folder, ACCOUNT)
        some, table, err = guarantee_of(folder, "some")
        assert (some["sound"], some["certified"]) == (False, False), some
        assert "an estimate" in some["reason"] and ": an estimate" in table, (some, table)
        assert "2 drawn observers of 60: an estimate, no guarantee over all pairs" in err, err
        assert some["observers"] == {"drawn": 2, "of": 60}
        every, _, err = guarantee_of(folder, "all", "--set", "privacy.observers=all")
        assert every["sound"] and "estimate" not in every and err == "", (every, err)
        low, high = some["estimate"]["low"], some["estimate"]["high"]
        assert low <= every["mean"] <= high <= every["local"], (some["estimate"], every["mean"])
        assert low < some["mean"] < high
        both, _, err = guarantee_of(folder, "both", "--set", "privacy.sources=5")
        assert "2 drawn observers of 60 and 5 drawn sources of 60" in err and not both["sound"], err
        # Fewer steps are little work: all pairs, whatever was drawn.
        little, _, err = guarantee_of(folder, "little", "--set", "protocol.rounds=40")
        same, _, _ = guarantee_of(folder, "same", "--set", "protocol.rounds=40", "--set",
                                  "privacy.observers=all")
        assert little == same and little["sound"] and err == "", (little, same)
        # From every node of a hypercube the same is seen; a walk from one node is not so.
        alike = ("--set", "graph.family=hypercube 5", "--set", "protocol.rounds=800")
        one, table, err = guarantee_of(folder, "one", *alike)
        every, _, _ = guarantee_of(folder, "every", *alike, "--set", "privacy.observers=all")
        assert one["sound"] and one["stands_for"] == {"observers": 2, "sources": 32, "of": 32}, one
        assert "estimate" not in one and err == "", (one, err)
        close(one["mean"], every["mean"], relative=1e-8)
        begun, _, _ = guarantee_of(folder, "begun", *alike, "--set", "protocol.start=3")
        assert not begun["sound"] and begun["estimate"], begun
        # Published formulas are no estimates of a guarantee.
        claim, _, err = guarantee_of(folder, "claim", "--set", "privacy.bound=published")
        assert not claim["sound"] and "estimate" not in claim and "not an upper bound" in err, err


MIXED = MODEL + """\
variants:
  - {name: walk}
  - {name: tokens, protocol: {tokens: 3, cap: 5}}
  - {name: muffliato, protocol: {kind: muffliato-sgd, rounds: 20, inner: 2}, privacy: {dither: 0.1}}
"""


def walks_and_gossip_side_by_side():
    """Each variant has the numbers that it has as a study of its own."""
    with tempfile.TemporaryDirectory() as folder:
        put(folder, MIXED)
        table, err = ran(folder, "study.yaml", "-o", "all")
        summary = results(folder, "all")
        mixed = summary["variants"]
        assert [variant["name"] for variant in mixed] == ["central", "local", "walk", "tokens",
                                                          "muffliato"]
        gossip = MODEL.replace("walk, rounds: 160, cap: 20", "muffliato-sgd, rounds: 20, inner: 2")
        alone = {"walk": MODEL, "tokens": MODEL.replace("cap: 20", "cap: 5, tokens: 3"),
                 "muffliato": gossip.replace("delta: 1e-2", "delta: 1e-2, dither: 0.1")}
        for place, (name, study) in enumerate(alone.items()):
            put(folder, study)
            ran(folder, "study.yaml", "-o", name)
            one = results(folder, name)
            for key in ("noise", "rounds", "dither", "guarantee", "error", "bytes_sent"):
                assert mixed[2 + place][key] == one["variants"][2][key], (name, key)
            assert mixed[2 + place]["threat"] == one["threat"]
            assert mixed[2 + place].get("contributions") == one["variants"][2].get("contributions")
            if name == "walk":
                assert mixed[:2] == one["variants"][:2]
        assert mixed[4]["guarantee"]["bound"] == "phase-release" and "contributions" not in mixed[4]
        assert "muffliato: each node sees its own messages and those of its neighbours" in table
        # The other way round: a walk among variants of gossip.
        put(folder, alone["muffliato"] + "variants: [{}, {name: walk, protocol: {kind: walk, "
            "rounds: 160, cap: 20}}]\n")
        ran(folder, "study.yaml", "-o", "turned")
        turned = results(folder, "turned")
        for key in ("noise", "guarantee", "error", "contributions"):
            assert turned["variants"][3][key] == mixed[2][key], key


def the_same_bytes():
    """For any number of threads, from the study as it ran, and after kill -9."""
    study = MIXED.replace("repeat: 4", "repeat: 800")
    with tempfile.TemporaryDirectory() as folder:
        put(folder, study)
        ran(folder, "study.yaml", "-o", "whole", "--threads", "1")
        ran(folder, "study.yaml", "-o", "two", "--threads", "2")
        ran(folder, "whole/study.yaml", "-o", "again")
        whole = contents(f"{folder}/whole")
        assert whole == contents(f"{folder}/two") == contents(f"{folder}/again")
        random.seed(2)
        for number in (signal.SIGINT, signal.SIGKILL, signal.SIGKILL):
            out = f"{folder}/cut"
            child = subprocess.Popen([COMMAND, "run", "study.yaml", "-o", out], cwd=folder,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while not os.path.exists(f"{out}/checkpoint") and child.poll() is None:
                time.sleep(0.01)
            time.sleep(0.1 + 0.4 * random.random())
            child.send_signal(number)
            child.wait()
        ran(folder, "cut")
        assert contents(f"{folder}/cut") == whole


def the_shipped_study_runs():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(SOURCE, "experiments", "meters-walk.yaml")
        # A quarter of its walk: the account of all pairs is what takes its minute.
        ran(folder, path, "-o", "out", "--set", "protocol.rounds=160", "--set", "protocol.cap=8",
            "--set", "task.step=0.024")
        central, local, walk = results(folder, "out")["variants"]
        rmse = [variant["error"]["columns"][0]["rmse"] for variant in (central, walk, local)]
        assert rmse == sorted(rmse), rmse


def bad(study, change, with_, expected):
    assert change in study
    return Case("run study.yaml -o out", 2, err=expected,
                files={**FILES, "study.yaml": study.replace(change, with_).encode()})


CASES = [
    bad(MODEL, "cap: 20", "cap: 20, start: nobody", r"protocol\.start.*nobody"),
    bad(MODEL, "cap: 20", "cap: 20, start: 16", r"protocol\.start.*16"),
    bad(MODEL, "cap: 20", "cap: 20, inner: 2", r"study\.yaml:6: protocol\.inner: does not apply to walk"),
    bad(MODEL, "delta: 1e-2", "delta: 1e-2, sees: sum", r"study\.yaml:7: privacy\.sees: does not"),
    bad(MODEL, "delta: 1e-2", "delta: 1e-2, observers: 17", r"observers: 17 of a graph of 16"),
    bad(MODEL, "delta: 1e-2", "delta: 1e-2, sources: 17", r"sources: 17 of a graph of 16"),
    bad(MEAN, "step: 0.05", "step: 0.05, central_step: 2", r"task\.central_step: does not apply"),
    bad(MODEL, "kind: walk, rounds: 160, cap: 20", "kind: gossip-sgd, rounds: 9}\n"
        "mixing: {weights: 'hastings:degree'", "hastings"),
    bad(MODEL, "delta: 1e-2", "delta: 1e-2, bound: exactly", r"study\.yaml:7: privacy\.bound: 'exactly'"),
    bad(MODEL, "delta: 1e-2", "delta: 1e-2, bound: exact", r"privacy: bound: exact does not apply to walks"),
    bad(MODEL, "delta: 1e-2", "delta: 1e-2, bound: excursion-linear", r"one Renyi order"),
    bad(MODEL, "step: 1}\nprotocol: {kind: walk, rounds: 160, cap: 20}\nprivacy: {epsilon: 9",
        "step: 9}\nprotocol: {kind: walk, rounds: 160, cap: 20}\nprivacy: {bound: excursion, epsilon: 9",
        r"excursion needs a constant task\.step at most 2/beta = 8"),
    bad(MEAN, ", step: 0.05", "", r"study\.yaml:5: task\.step: is missing"),
    bad(MEAN, "step: 0.05", "step: 1.1", r"study\.yaml:5: task\.step: 1\.1 goes beyond"),
]

main(CASES, [guarantees_are_those_of_loss, contributions_are_counted,
             without_noise_it_finds_the_answer, strong_convexity_counts_by_itself, too_long_steps_are_local_and_say_so,
             unequal_visits_are_told, drawn_observers_are_an_estimate,
             walks_and_gossip_side_by_side, the_same_bytes, the_shipped_study_runs])

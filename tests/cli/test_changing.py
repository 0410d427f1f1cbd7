#!/usr/bin/python3
"""Changing networks on the command line and in studies: what applies where, and equal numbers."""
import csv
import os
import signal
import subprocess
import tempfile
import time

from harness import COMMAND, PATIENCE, Case, close, main, read_json, results, run

KEYS = ["netdp", "graph", "protocol", "threat", "noise", "bound", "direction", "sound", "certified",
        "reason", "assumes", "unit",
        "losses", "summary"]
RING = "loss --json --family 'ring 9' --dither 0.1"
DRAWN = "loss --json --family 'erdos-renyi 12 0.4' --dither 0.1"

VALUES = "value\n" + "".join(f"{(7 * k) % 11 / 10}\n" for k in range(45))
ROWS = "y,a,b\n" + "".join(f"{1 if 7 * k % 5 < 2 else -1},{13 * k % 17 / 17},{5 * k % 11 / 11}\n"
                           for k in range(120))

MEAN = """\
seed: 5
graph: {family: erdos-renyi 9 0.4}
data: {csv: values.csv}
task: {kind: mean, bounds: [0, 1]}
protocol: {kind: averaging, rounds: 8}
privacy: {epsilon: 1, delta: 1e-6, over: mean, dither: 0.05}
output: {every: 4, repeat: 400}
variants:
- {name: random, protocol: {kind: random-averaging, rounds: 40}}
- {name: auto, protocol: {kind: random-averaging, rounds: auto}}
- {name: nodes, protocol: {dropout: 0.3}}
- {name: edges, protocol: {dropout: "edges:0.3"}}
- {name: redraw, protocol: {redraw: round}}
"""

MODEL = """\
seed: 7
graph: {family: erdos-renyi 12 0.4}
data: {csv: rows.csv, label: y}
task: {kind: logistic, clip: 0.4, step: 0.7}
protocol: {kind: muffliato-sgd, rounds: 12, inner: 4}
privacy: {epsilon: 5, delta: 1e-6, over: mean, dither: 0.1}
output: {every: 4, repeat: 3}
variants:
- {name: fixed}
- {name: nodes, protocol: {dropout: 0.2}}
- {name: round, protocol: {redraw: round}}
- {name: phase, protocol: {redraw: phase}}
- {name: steady, protocol: {kind: gossip-sgd, dropout: "edges:0.1"}}
- {name: async, protocol: {kind: async-gossip-sgd, rounds: 60}}
"""


def changes(kind, **more):
    def check(got):
        varying = got["protocol"]["varying"]
        assert varying == {"kind": kind, "seed": 1, **more}, varying
        for pair in got["losses"]:
            assert 0 <= pair["value"] <= got["summary"]["local"], pair
        assert got["sound"], got["bound"]
    return check


def over_draws(count):
    def check(got):
        assert got["draws"] == {"count": count, "confidence": 0.999999}, got["draws"]
        assert got["sound"] and not got["certified"]
        for pair in got["losses"]:
            assert 0 < pair["value"] <= got["summary"]["local"], pair
    return check


def fixed(got):
    assert "varying" not in got["protocol"], got["protocol"]


def ok(text, check=None, **more):
    return Case(text, keys=KEYS, check=check, **more)


def bad(text, err):
    return Case(text, 2, err=err)


def closed(got):
    assert got["sound"] and "next to all are received" in got["reason"], got["reason"]
    assert got["bound"] == "everything" and all(one["value"] == 1 for one in got["losses"]), got


def proven(got):
    assert got["certified"] and got["bound"] == "exact", got["bound"]


def round_by_round(got):
    assert got["method"].startswith("round by round"), got["method"]


HEARS = "loss --json --dither 0.01 --rounds 20 --from 3,5 --to 7 --family"

CASES = [
    ok(f"{HEARS} 'complete 1000' --dropout 0.2", closed),
    ok(f"{HEARS} 'complete 1000' --dropout edges:0.2", closed),
    Case(f"{HEARS} 'complete 1000' --dropout late:0.2 --explain", check=round_by_round,
         keys=["method", "observers", "seen", "rounds", "streaming", "seconds", "bytes", "ways"]),
    ok(f"{HEARS} 'complete 60' --dropout 0.2", proven),
    ok(f"{HEARS} 'complete 60' --dropout edges:0.2", proven),
    ok(f"{RING} --protocol random-averaging --rounds 30", changes("one edge a round")),
    ok(f"{RING} --protocol random-averaging --rounds auto", changes("one edge a round")),
    ok(f"{RING} --rounds 8 --dropout 0.2", changes("nodes away", probability=0.2)),
    ok(f"{RING} --rounds 8 --dropout edges:0.2 --sees sum --own-noise counts",
       changes("edges missing", probability=0.2)),
    ok(f"{RING} --rounds 8 --dropout 0", fixed),
    ok("loss --json --family 'ring 9' --rounds 8 --dropout 0.2 --dither 0.001 --to set:0,3",
       changes("nodes away", probability=0.2)),
    ok("loss --json --family 'ring 9' --protocol stream --every 2 --rounds 8 --dropout 0.2",
       changes("nodes away", probability=0.2)),
    ok(f"{DRAWN} --rounds 8 --redraw round",
       changes("graph drawn again", probability=0.4, rounds=1)),
    ok(f"{DRAWN} --protocol muffliato-sgd --inner 4 --rounds 12 --redraw phase",
       changes("graph drawn again", probability=0.4, rounds=4)),
    ok("loss --json --family 'ring 9' --protocol async-gossip-sgd --rounds 30",
       changes("one edge a round")),
    Case("loss --family 'ring 9' --rounds 8 --dropout 0.2",
         out="nodes away with probability 0.2, drawn with seed 1 before the run"),
    Case("loss --family 'ring 9' --protocol random-averaging --rounds 8 --bound published",
         out="NOT an upper bound"),
    Case(f"{RING} --rounds 8 --protocol random-averaging --draws 30 --as rdp:2 --noise 2",
         keys=[*KEYS, "draws"], check=over_draws(30)),
    Case(f"{DRAWN} --rounds 4 --redraw round --draws 20 --as dp:1e-3 --noise 2 --to 0",
         keys=[*KEYS, "draws"], check=over_draws(20)),
    Case("loss --family 'ring 9' --rounds 8 --dropout 0.1 --draws 5 --as rdp:2 --noise 2",
         out="at confidence 1 - 1e-06 for all pairs"),
    bad(f"{RING} --rounds 8 --dropout 0.1 --draws 5", "no loss or mu"),
    bad(f"{RING} --rounds 8 --dropout 0.1 --draws 0 --as rdp:2 --noise 2", "whole number from 1"),
    bad(f"{RING} --rounds 8 --draws 5 --as rdp:2 --noise 2", "applies to networks that are drawn"),
    bad(f"{RING} --rounds 8 --dropout 0.1 --draws 5 --as rdp:2 --noise 2 --bound published",
        "sound"),
    bad("loss --family 'ring 9' --rounds 8 --protocol walk --noise 2 --draws 3", "--draws: does not apply to walk"),
    bad(f"{RING} --rounds 8 --dropout 1", "dropout: '1'"),
    bad(f"{RING} --rounds 8 --dropout edges:", "dropout: 'edges:'"),
    bad(f"{RING} --rounds 8 --dropout=-0.1", "dropout: '-0.1'"),
    bad(f"{RING} --rounds 8 --redraw round", "applies to graphs of a random family"),
    bad(f"{DRAWN} --rounds 8 --redraw often", "give never, round, phase or one-peer"),
    bad(f"{DRAWN} --rounds 8 --redraw phase", "averaging has no phases"),
    bad(f"{DRAWN} --rounds 8 --redraw round --dropout 0.1", "one of the two"),
    bad(f"{DRAWN} --rounds 8 --redraw round --accelerate", "accelerate"),
    bad(f"{DRAWN} --rounds auto --dropout 0.1", "give the number of rounds"),
    bad(f"{RING} --rounds 8 --protocol random-averaging --dropout 0.1", "does not apply"),
    bad(f"{RING} --rounds 8 --protocol random-averaging --accelerate", "does not apply"),
    bad("loss --family 'ring 9' --rounds 8 --protocol async-gossip-sgd --redraw round",
        "does not apply"),
    bad("loss --family 'ring 9' --rounds 8 --protocol walk --noise 2 --dropout 0.1",
        "does not apply"),
    bad("loss --family 'ring 9' --rounds 8 --protocol async-gossip-sgd --bound phase-release",
        "reacts"),
    Case("loss --family 'ring 4001' --rounds 3 --dropout 0.1 --to 0", out="bound everything: an upper bound, every message counts as seen"),
    Case("loss --family 'ring 4001' --rounds 3 --dropout 0.1 --to 0 --bound everything"),
]


def value_of(words):
    with tempfile.TemporaryDirectory() as folder:
        code, out, err = run(words, folder)
        assert code == 0, err
        return read_json(out)


def seeds_matter_and_equal_seeds_do_not():
    words = ["loss", "--json", "--family", "ring 9", "--rounds", "8", "--dropout", "0.3"]
    one, again = value_of(words), value_of([*words, "--threads", "1"])
    other = value_of([*words, "--seed", "2"])
    assert one["losses"] == again["losses"]
    assert one["losses"] != other["losses"]


def asynchronous_learning_counts_what_is_made():
    got = value_of(["loss", "--json", "--family", "ring 9", "--protocol", "async-gossip-sgd",
                    "--rounds", "45", "--to", "0"])
    values = [pair["value"] for pair in got["losses"]]
    assert all(value == int(value) for value in values) and len(set(values)) > 1, values
    assert sum(values) < 90 and got["summary"]["local"] >= max(values), got["summary"]
    assert got["certified"] and got["bound"] == "everything"


def more_draws_say_more():
    """Every bound is above the mean over many draws, and comes down with their number."""
    words = ["loss", "--json", "--family", "ring 7", "--rounds", "6", "--protocol",
             "random-averaging", "--as", "rdp:2", "--noise", "2", "--to", "0", "--dither", "0.1"]
    few, many = (value_of([*words, "--draws", str(count)]) for count in (20, 2000))
    for one, other in zip(few["losses"], many["losses"]):
        assert other["value"] < one["value"] < few["summary"]["local"], (one, other)


def calibration_meets_its_target():
    words = ["--family", "ring 9", "--protocol", "random-averaging", "--rounds", "40"]
    got = value_of(["calibrate", "--json", *words, "--target", "1", "--as", "dp:1e-6"])
    again = value_of(["loss", "--json", *words, "--noise", repr(got["noise"]), "--as", "dp:1e-6"])
    assert 0.999 <= again["summary"]["max"] <= 1, again["summary"]
    tuned = value_of(["calibrate", "--json", *words, "--target", "1", "--as", "dp:1e-6", "--over",
                      "mean", "--tune-dither"])
    assert tuned["protocol"]["dither"] == tuned["dither"], tuned


def prepare(folder, study):
    for name, text in (("study.yaml", study), ("values.csv", VALUES), ("rows.csv", ROWS)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


def studied(folder, *words):
    code, _, err = run(["run", "study.yaml", *words], folder)
    assert code == 0, err
    return results(folder, "results", "study")


def command_of(study, variant, options):
    """The same description on the command line; its pairs."""
    return value_of(["loss", "--json", "--family", study, "--noise", repr(variant["noise"]),
                     "--rounds", str(variant["rounds"]), *options])


def losses_of(folder, variant):
    path = os.path.join(folder, "results", "study", variant["losses"] + ".csv")
    with open(path, encoding="utf-8") as file:
        return {(row["from"], row["to"]): float(row["loss"]) for row in csv.DictReader(file)}


def same_pairs(folder, variant, got):
    own = losses_of(folder, variant)
    told = {(str(pair["from"]), str(pair["to"])): pair["value"] for pair in got["losses"]}
    assert own == told, variant["name"]


def a_study_of_the_mean():
    options = {"random": ["--protocol", "random-averaging"],
               "auto": ["--protocol", "random-averaging"],
               "nodes": ["--dropout", "0.3"],
               "edges": ["--dropout", "edges:0.3"],
               "redraw": ["--redraw", "round"]}
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder, MEAN)
        summary = studied(folder)
        for variant in summary["variants"]:
            error = variant["error"]["objective"]
            assert abs(error["mean"] - error["predicted"]) < 5 * error["standard_error"], variant
            if variant["name"] in options:
                assert any("draw" in text for text in variant["remarks"]), variant["remarks"]
                same_pairs(folder, variant, command_of("erdos-renyi 9 0.4", variant, [
                    "--seed", "5", "--dither", "0.05", *options[variant["name"]]]))
        sent = {variant["name"]: variant["bytes_sent"] for variant in summary["variants"]}
        assert sent["random"] == 8 * 2 * 40, sent
        full = 8 * 2 * 8 * summary["graph"]["edges"]
        assert sent["local"] == full and 0.3 * full < sent["nodes"] < 0.8 * full, sent


def a_study_of_a_model():
    options = {"nodes": ["--protocol", "muffliato-sgd", "--dropout", "0.2"],
               "round": ["--protocol", "muffliato-sgd", "--redraw", "round"],
               "phase": ["--protocol", "muffliato-sgd", "--redraw", "phase"],
               "async": ["--protocol", "async-gossip-sgd"]}
    phases = ["--inner", "4", "--dither", "0.1"]
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder, MODEL)
        summary = studied(folder)
        bounds = {variant["name"]: variant["guarantee"]["bound"] for variant in summary["variants"]}
        assert bounds["nodes"] == bounds["phase"] == "phase-release", bounds
        assert bounds["steady"] == bounds["async"] == "everything", bounds
        for variant in summary["variants"]:
            if variant["name"] in options:
                same_pairs(folder, variant, command_of("erdos-renyi 12 0.4", variant, [
                    "--seed", "7", *options[variant["name"]],
                    *(phases if variant["name"] != "async" else [])]))
            close(variant["guarantee"]["mean"], 5, relative=1e-3)


def cut_off(folder, words, size):
    """Control-C once the trace is longer than `size` bytes; how long it is then."""
    trace = os.path.join(folder, "cut", "trace.csv")
    process = subprocess.Popen([COMMAND, "run", *words], cwd=folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while not os.path.exists(trace) or os.path.getsize(trace) <= size:
        assert process.poll() is None, "done before it could be cut off"
        time.sleep(0.002)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, process.returncode
    return os.path.getsize(trace)


def cut_off_runs_go_on():
    """Inside a simulation: the changing network goes on where it stood, to the same bytes."""
    for study, more in ((MEAN, ["output.repeat=300", "output.every=1"]),
                        (MODEL, ["output.repeat=200", "output.every=1"])):
        with tempfile.TemporaryDirectory() as folder:
            prepare(folder, study)
            words = ["study.yaml", *(word for one in more for word in ("--set", one)), "-o"]
            code, _, err = run(["run", *words, "whole"], folder)
            assert code == 0, err
            size = cut_off(folder, [*words, "cut"], 20000)
            cut_off(folder, ["cut"], size + 20000)
            code, _, err = run(["run", "cut"], folder)
            assert code == 0, err
            for name in sorted(os.listdir(os.path.join(folder, "whole"))):
                if name == "run.log":
                    continue
                pair = [open(os.path.join(folder, place, name), "rb").read()
                        for place in ("whole", "cut")]
                assert pair[0] == pair[1], name


def studies_that_do_not_fit():
    for words, want in [
            (["protocol.dropout=1"], "protocol.dropout=1: '1'"),
            (["protocol.dropout=often"], "probability from 0"),
            (["protocol.redraw=phase"], "averaging has no phases"),
            (["protocol.redraw=daily"], "never, round, phase or one-peer"),
            (["protocol.redraw=round", "graph.family=ring 9"], "random family; ring 9 is none"),
            (["protocol.redraw=round", "protocol.dropout=0.1"], "excludes dropout"),
            (["protocol.dropout=0.1", "protocol.rounds=auto"], "give a number"),
            (["protocol.dropout=0.1", "protocol.accelerate=true"], "same network"),
            (["protocol.kind=random-averaging", "protocol.dropout=0.1"], "does not apply"),
            (["protocol.kind=walk", "task.step=0.5", "protocol.dropout=0.1"], "does not apply"),
            (["protocol.kind=async-gossip-sgd"], "does not do task mean")]:
        with tempfile.TemporaryDirectory() as folder:
            prepare(folder, MEAN.split("variants")[0])
            sets = [word for one in words for word in ("--set", one)]
            code, _, err = run(["run", "study.yaml", *sets], folder)
            assert code == 2 and want in err and err.count("\n") == 1, (words, code, err)


main(CASES, [seeds_matter_and_equal_seeds_do_not, asynchronous_learning_counts_what_is_made,
             more_draws_say_more, calibration_meets_its_target, a_study_of_the_mean, a_study_of_a_model,
             cut_off_runs_go_on, studies_that_do_not_fit])

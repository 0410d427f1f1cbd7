#!/usr/bin/python3
"""What others may have of a result folder: files that say nothing of the data. They are equal to the
byte for any data; no value, name or path that was planted in the study's inputs is in them."""
import hashlib
import os
import pathlib
import stat
import tempfile

from harness import main, read_json, run

PLACE = "zanzibar-clinic"
COLUMN = "bertha_haemoglobin"

# One set of rows and another, as many of each class.
ROWS = {
    "one": [(k % 2, 1 + (7 * k) % 11 / 10.37, (5 * k) % 7 / 6.91) for k in range(48)],
    "other": [(k % 2, 2.4 - (3 * k) % 13 / 9.73, (11 * k) % 5 / 4.57) for k in range(48)],
}

STUDY = """\
title: Plain
seed: 7
graph: {GRAPH}
data: {csv: private.csv, DATA}
task: {kind: TASK}
protocol: {kind: KIND}
privacy: {epsilon: 6, delta: 0.1, over: PAIRS}
output: {every: 3, repeat: 2}
"""

MEAN = "mean, bounds: [0, 4]"
ONE = f"columns: [{{name: {COLUMN}}}]"

# graph, data, task, protocol, over
STUDIES = [
    ("file: mine.edges", ONE, MEAN, "averaging, rounds: 6", "mean"),
    ("family: ring 12", ONE, "mean, clip: 3", "averaging, rounds: auto", "mean"),
    ("family: ring 12", ONE, "histogram, bounds: [0, 4], levels: 3", "averaging, rounds: 6", "mean"),
    ("family: ring 6", "label: kind, split: 0.5", "logistic, clip: 0.4, step: 0.5",
     "muffliato-sgd, rounds: 12, inner: 4", "mean"),
    ("family: hypercube 3", ONE, MEAN + ", step: 0.1", "walk, rounds: 40, cap: 8", "mean"),
    ("family: ring 12", ONE, "sum, bounds: [0, 4]", "ring-sum, rounds: 2, release: final, schedule: every", "worst"),
    ("family: ring 4", ONE, "histogram, bounds: [0, 4], levels: 2", "ring-histogram, rounds: 1",
     "worst"),
]

# What a run writes for itself.
KEPT = {"checkpoint", "checkpoint.state", "manifest.json", "run.log"}


def prepare(folder, study, rows):
    graph, data, task, kind, over = study
    text = STUDY.replace("GRAPH", graph).replace("DATA", data).replace("TASK", task)
    text = text.replace("KIND", kind).replace("PAIRS", over)
    folder.mkdir()
    (folder / "study.yaml").write_text(text, "utf-8")
    (folder / "mine.edges").write_text("".join(f"{k} {(k + 1) % 8}\n" for k in range(8)), "utf-8")
    lines = [f"{'ab'[kind]},{x!r},{y!r}\n" for kind, x, y in rows]
    (folder / "private.csv").write_text(f"kind,{COLUMN},other\n" + "".join(lines), "utf-8")


TOLD = "simulation: whoever has the seed can remove its noise"


def ran(folder):
    code, out, err = run(["run", str(folder / "study.yaml"), "-o", str(folder / "out")], folder)
    assert code == 0, err
    # The experimenter sees the true mean, and is told.
    assert TOLD.split(": ")[1] in out, out
    code, _, err = run(["report", str(folder / "out")], folder)
    assert code == 0, err
    for name in ("summary.json", "private.json"):
        assert read_json((folder / "out" / name).read_text("utf-8"))["simulation"] == TOLD, name
    assert TOLD in (folder / "out" / "report.html").read_text("utf-8")
    return folder / "out"


def public(out):
    """The files that the manifest lets go; all others can be read by their owner alone."""
    told = read_json((out / "manifest.json").read_text("utf-8"))["files"]
    assert set(os.listdir(out)) - KEPT == set(told) | {"report.html"}, os.listdir(out)
    for name in os.listdir(out):
        mode = stat.S_IMODE((out / name).stat().st_mode)
        if name == "manifest.json" or (name in told and told[name]["private"]):
            assert mode == 0o600, (name, oct(mode))
    assert told["trace.csv"]["private"] and told["private.json"]["private"]
    assert told["study.yaml"]["private"], "it says where the data lie"
    names = [name for name, one in told.items() if not one["private"]] + ["report.html"]
    return {name: (out / name).read_bytes() for name in names}


def nothing_is_of_the_data():
    for study in STUDIES:
        with tempfile.TemporaryDirectory() as place:
            seen = []
            for name, rows in ROWS.items():
                folder = pathlib.Path(place, f"{PLACE}-{name}")
                prepare(folder, study, rows)
                seen.append(public(ran(folder)))
                private = read_json((folder / "out" / "private.json").read_text("utf-8"))
                secrets = [PLACE, COLUMN, place, "private.csv", repr(rows[1][1]), repr(rows[2][2]),
                           hashlib.sha256((folder / "private.csv").read_bytes()).hexdigest()]
                for variant in private["variants"]:
                    error = variant["error"]
                    secrets += [repr(column["mean"]) for column in error.get("columns", [])]
                    secrets += [repr(error["objective"]["mean"])]
                    secrets += [repr(total["value"]) for total in variant.get("released", [])]
                for file, content in seen[-1].items():
                    for secret in (secret[:15] for secret in secrets if len(secret) > 9):
                        assert secret.encode() not in content, (study[3], file, secret)
            assert "summary.json" in seen[0] and len([name for name in seen[0] if not name.endswith(".proof")]) == 3, seen[0].keys()
            assert "seed" not in read_json(seen[0]["summary.json"].decode()), "the seed is told"
            for file, content in seen[0].items():
                assert content == seen[1][file], f"{study[3]}: {file} depends on the data"


def the_experimenter_has_it_again():
    """The table of a finished folder is that of the run; --json is what others may have."""
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place, "here")
        prepare(folder, STUDIES[0], ROWS["one"])
        first = run(["run", "study.yaml", "-o", "out"], folder)
        assert first[0] == 0 and "true mean" in first[1] and COLUMN in first[1], first
        assert run(["run", "out"], folder)[1] == first[1]
        _, out, _ = run(["run", "out", "--json"], folder)
        assert out == (folder / "out" / "summary.json").read_text("utf-8"), out
        assert read_json(out)["simulation"] == TOLD


def a_real_release_is_refused():
    """Noise in floating point, from a seed: no setting makes a release of it."""
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place, "here")
        study = list(STUDIES[5])
        study[3] = "ring-sum, rounds: 2, release: real"
        prepare(folder, study, ROWS["one"])
        code, out, err = run(["run", "study.yaml", "-o", "out"], folder)
        assert code == 2 and out == "" and len(err.splitlines()) == 1, (code, out, err)
        assert "study.yaml:6" in err and "simulation" in err and "seed" in err, err


main([], [nothing_is_of_the_data, the_experimenter_has_it_again, a_real_release_is_refused])

#!/usr/bin/python3
"""Neighbouring data sets and what is public of them: whatever one row says, to the byte the same.

Public are summary.json, loss.csv, the page of `netdp report`, the package of `netdp net init`, and of the table on standard
output all but the errors: docs/guarantees.md, "What is public"."""
import json
import pathlib
import random
import re
import tempfile

from harness import Case, fails, main, run

OWNERS = "abcd"
COUNTS = "{a: 10, b: 10, c: 10, d: 10}"
SPANS = "{name: x1, bounds: [0, 1]}, {name: x2, bounds: [0, 1]}"
KINDS = "{name: y, values: [-1, 1]}"


def rows():
    draw = random.Random(3)
    return [[OWNERS[i % 4], f"{draw.uniform(0, 1):.3f}", f"{draw.uniform(0, 1):.3f}", str(draw.choice((-1, 1))),
             draw.choice(("north", "south"))] for i in range(40)]


def table(of):
    return "hospital,x1,x2,y,ward\n" + "".join(",".join(row) + "\n" for row in of)


def with_cell(row, column, text):
    changed = rows()
    changed[row][column] = text
    return changed


REPLACED = rows()
REPLACED[5] = ["b", "0.111", "0.999", "1" if REPLACED[5][3] == "-1" else "-1", "south"]
NEIGHBOURS = {
    "replaced": REPLACED,
    "emptied": with_cell(5, 1, ""),
    "emptied label": with_cell(6, 3, ""),
    "flipped": with_cell(5, 3, "1" if rows()[5][3] == "-1" else "-1"),
    "third label": with_cell(5, 3, "2"),
    "category": with_cell(7, 4, "mars"),
    "extreme": with_cell(5, 1, "1e300"),
    "last gone": rows()[:-1],
    "middle gone": rows()[:17] + rows()[18:],
    "first gone": rows()[1:],
    "one more": rows() + [["b", "0.5", "0.25", "1", "north"]],
}

BASE = """title: Neighbours
seed: 1
graph: {family: %(graph)s}
data: {csv: d.csv, missing: drop, %(data)s}
task: {%(task)s}
protocol: {%(protocol)s}
privacy: {epsilon: 1, delta: 1e-5, protects: row, over: worst, %(privacy)s}
output: {every: 2, repeat: 1}
"""
AVERAGING = {"graph": "ring 4", "task": "kind: mean", "protocol": "kind: averaging, rounds: 4", "privacy": "dither: 0.1"}
STEPS = {"graph": "ring 4", "task": "kind: logistic, clip: 0.4, step: 0.5", "protocol": "kind: muffliato-sgd, rounds: 8, inner: 2",
         "privacy": "dither: 0.1, end_dither: 0.1"}
HISTOGRAM = {"task": "kind: histogram, levels: 5"}
ADD_REMOVE = {"privacy": "dither: 0.1, change: add-remove"}
OWNED = f"owner: hospital, rows: {COUNTS}, "
GONE = ["last gone", "middle gone", "first gone", "one more"]

# Of each study, which neighbours; all that it declares is above. 51 pairs.
STUDIES = {
    "mean": (AVERAGING | {"data": f"rows: 40, columns: [{SPANS}]"}, ["replaced", "emptied", "extreme"]),
    "mean, owned": (AVERAGING | {"data": f"{OWNED}columns: [{SPANS}]"}, ["replaced", "emptied", "extreme"]),
    "mean over rows": (AVERAGING | {"data": f"{OWNED}columns: [{SPANS}]", "task": "kind: mean, mean_over: rows"}, ["emptied", "replaced"]),
    "mean, one more or less": (AVERAGING | ADD_REMOVE | {"data": f"rows: 40, columns: [{SPANS}]"}, ["emptied"] + GONE),
    "mean, owned, one more or less": (AVERAGING | ADD_REMOVE | {"data": f"{OWNED}columns: [{SPANS}]"}, ["emptied"] + GONE),
    "mean, counted": (AVERAGING | {"data": "owner: hospital, columns: [{name: x1, bounds: [0, 1]}]"}, ["emptied", "replaced"]),
    "histogram": (AVERAGING | HISTOGRAM | {"data": "rows: 40, columns: [{name: x1, bounds: [0, 1]}]"},
                  ["replaced", "emptied", "extreme"]),
    "histogram, one more or less": (AVERAGING | HISTOGRAM | ADD_REMOVE | {"data": "rows: 40, columns: [{name: x1, bounds: [0, 1]}]"},
                                    ["emptied"] + GONE[:2]),
    "ridge": (STEPS | {"data": "rows: 40, label: x2, columns: [{name: x1, bounds: [0, 1]}, {name: x2, bounds: [0, 1]}]",
                       "task": "kind: ridge, clip: 0.4, step: 0.5"}, ["replaced", "emptied", "extreme"]),
    "logistic": (STEPS | {"data": f"{OWNED}label: y, columns: [{SPANS}, {KINDS}]"},
                 ["replaced", "emptied", "emptied label", "flipped", "third label", "extreme"]),
    "logistic, counted": (STEPS | {"data": f"owner: hospital, label: y, columns: [{SPANS}]"}, ["flipped", "emptied"]),
    "logistic, found": (STEPS | {"data": "label: y, features: 'x1, x2'"}, ["flipped", "replaced", "emptied", "extreme"]),
    "softmax": (STEPS | {"data": f"rows: 40, label: y, columns: [{SPANS}, {{name: y, values: [-1, 1, 2]}}]",
                         "task": "kind: softmax, clip: 0.4, step: 0.5"}, ["flipped", "third label", "emptied"]),
    "categories": (STEPS | {"data": f"rows: 40, label: y, categories: onehot, columns: [{{name: x1, bounds: [0, 1]}}, "
                                    f"{{name: ward, values: [north, south]}}, {KINDS}]"}, ["category", "emptied"]),
    "cyclic": (STEPS | {"data": f"{OWNED}label: y, batches: cyclic:2, columns: [{SPANS}, {KINDS}]"}, ["emptied", "flipped"]),
    "poisson": (STEPS | {"data": f"rows: 40, label: y, batches: poisson:0.5, columns: [{SPANS}, {KINDS}]",
                         "privacy": "dither: 0.1, end_dither: 0.1, change: add-remove"}, ["emptied"] + GONE[:2]),
    "whole node": (STEPS | {"data": f"{OWNED}label: y, batches: cyclic:2, columns: [{SPANS}, {KINDS}]",
                            "privacy": "dither: 0.1, end_dither: 0.1, protects: node"}, ["emptied", "flipped"]),
    "walk": ({"graph": "complete 4", "data": f"rows: 40, label: y, columns: [{SPANS}, {KINDS}]",
              "task": "kind: logistic, clip: 0.4, step: 0.5", "protocol": "kind: walk, rounds: 40, cap: 20", "privacy": "pool: 1"},
             ["emptied", "flipped"]),
}


def spell(study):
    text = BASE % study
    return text.replace("protects: row, over: worst, dither: 0.1, end_dither: 0.1, protects: node",
                        "protects: node, over: worst, dither: 0.1, end_dither: 0.1").replace(", pool: 1", "")


def public_of(study, of):
    """All that is public of a run on these rows, by name."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "d.csv").write_text(table(of))
        (place / "s.yaml").write_text(study)
        code, out, err = run(["run", "s.yaml", "-o", "out"], folder)
        assert code == 0, (study, err)
        private = json.loads((place / "out/private.json").read_text())
        parts = out.split("\n\n")
        assert parts[1].startswith(("root mean squared", "test accuracy", "root mean")) or "error" in parts[1], parts[1]
        found = {"standard output": "\n\n".join(parts[:1] + parts[2:])}
        code, page, err = run(["report", "out", "-o", "-"], folder)
        assert code == 0, err
        found["page"] = page
        for name in ("summary.json", "loss.csv"):
            found[name] = (place / "out" / name).read_text()
        return found, private


def neighbours():
    pairs = 0
    for name, (study, others) in STUDIES.items():
        text = spell(study)
        mine, private = public_of(text, rows())
        moved = False
        for other in others:
            theirs, told = public_of(text, NEIGHBOURS[other])
            for part, content in mine.items():
                assert content == theirs[part], f"{name}: {other}: {part} tells them apart"
            moved = moved or told["variants"] != private["variants"]
            pairs += 1
        assert moved, f"{name}: its rows do not matter at all"
    assert pairs >= 40, pairs


def what_is_assumed():
    """In the table, in summary.json and on the page; nowhere where all is declared."""
    words = {"mean, counted": "row counts", "logistic, counted": "row counts, classes",
             "logistic, found": "row counts, classes, means and deviations of columns"}
    for name, (study, _) in STUDIES.items():
        found, _ = public_of(spell(study), rows())
        want = words.get(name)
        assert json.loads(found["summary.json"]).get("assumed_public") == (want.split(", ") if want else None), name
        for part in ("standard output", "page"):
            assert (want is None) == ("assumed public" not in found[part].lower()), (name, part)
            assert want is None or want in found[part], (name, part)
        assert ("not covered: the mean and deviation" in found["standard output"]) == (name == "logistic, found"), name


def refusals():
    """What hides how many rows there are takes no number that was counted; one line says what to declare."""
    def files(study):
        return {"s.yaml": spell(study).encode(), "d.csv": table(rows()).encode(),
                "counts.csv": b"owner,rows\na,10\nb,10\nc,10\nd,10\n"}

    gone = {"privacy": "dither: 0.1, end_dither: 0.1, change: add-remove"}
    cases = [
        (AVERAGING | ADD_REMOVE | {"data": f"columns: [{SPANS}]"}, "data.rows: is missing; add-remove hides .*rows: 1000"),
        (AVERAGING | ADD_REMOVE | {"data": f"owner: hospital, columns: [{SPANS}]"}, r"data.rows: is missing; .*rows: \{a: 100, b: 120\}"),
        (STEPS | gone | {"data": f"rows: 40, label: y, columns: [{SPANS}]"}, r"data.columns: does not list .*\{name: y, values:"),
        (STEPS | gone | {"data": f"rows: 40, label: y, features: 'x1, x2', columns: [{KINDS}]"}, "data.columns: has no bounds of the features"),
        (STEPS | gone | {"data": f"rows: 40, label: y, prepare: standardise, columns: [{SPANS}]"}, "standardise excludes bounds"),
        (STEPS | {"data": "rows: 40, label: y, prepare: ranges, features: 'x1, x2'"}, "ranges needs bounds of every feature"),
        (STEPS | {"data": f"rows: 40, label: y, deal: by-label, columns: [{SPANS}, {KINDS}]"}, "data.deal: deals rows by their labels"),
        (AVERAGING | {"data": f"owner: hospital, rows: 40, columns: [{SPANS}]"}, "does not say how many each owner holds"),
        (AVERAGING | {"data": f"rows: {COUNTS}, columns: [{SPANS}]"}, "is no number of rows"),
        (AVERAGING | {"data": "owner: hospital, rows: {a: 10, b: 10, c: 10, e: 10}, columns: [%s]" % SPANS}, "'d' is none of the 4 .*nearest"),
        (AVERAGING | {"data": "owner: hospital, rows: {a: 10, b: 10, c: 10, d: many}, columns: [%s]" % SPANS}, "no owner and its number"),
        (AVERAGING | {"data": "owner: hospital, rows: none.csv, columns: [%s]" % SPANS}, "none.csv"),
    ]
    complaints = [text for text in map(fails, [Case("run s.yaml -o out", 3 if why == "none.csv" else 2, err=why, files=files(study))
                                               for study, why in cases]) if text]
    assert not complaints, "\n".join(complaints)
    # A public file says the same as a list.
    listed = spell(AVERAGING | {"data": f"{OWNED}columns: [{SPANS}]"})
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files(AVERAGING | {"data": f"owner: hospital, rows: counts.csv, columns: [{SPANS}]"}).items():
            pathlib.Path(folder, name).write_bytes(content)
        code, _, err = run(["run", "s.yaml", "-o", "out"], folder)
        assert code == 0, err
        assert pathlib.Path(folder, "out/summary.json").read_text() == public_of(listed, rows())[0]["summary.json"]
        assert run(["run", "out/study.yaml", "-o", "again"], folder)[0] == 0  # which says where it is


def packages():
    """A study between machines announces its rows: the package says nothing that any file of rows says."""
    study = spell(AVERAGING | {"graph": "complete 4", "data": f"columns: [{SPANS}]", "privacy": "dither: 0, pair_graph: edges, pair_noise: 4"})
    found = []
    for of in (rows(), NEIGHBOURS["emptied"], NEIGHBOURS["middle gone"]):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "d.csv").write_text(table(of))
            pathlib.Path(folder, "s.yaml").write_text(study)
            code, out, err = run(["net", "init", "s.yaml", "--names", "a,b,c,d", "--rows", "10,10,10,10", "--invite", "-o", "net"], folder)
            assert code == 0, err
            content = json.loads(pathlib.Path(folder, "net/package/roster.json").read_text())
            for member in content["members"]:
                member.pop("key", None)
            content["terms"].pop("expires")  # a clock's
            kept = "\n".join(line for line in pathlib.Path(folder, "net/package/study.yaml").read_text().splitlines() if "csv:" not in line)
            found.append((re.sub("[0-9a-f]{64}", "NAME", out), content, kept))
    assert found[0] == found[1] == found[2], found


if __name__ == "__main__":
    main([], [neighbours, what_is_assumed, refusals, packages])

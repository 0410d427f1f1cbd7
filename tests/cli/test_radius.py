#!/usr/bin/python3
"""Bounds never depend on private rows: networks of equal shape, one node's rows replaced."""
import pathlib
import tempfile

from harness import Case, main, read_json, run

STUDY = """\
title: Rows
seed: 5
graph: {family: hypercube 3}
data: {synthetic: gaussian-classes 3 variance=VARIANCE rows=4RADIUS}
task: {kind: logistic, clip: 0.4, step: STEP}
protocol: {kind: walk, rounds: 40, cap: 6}
privacy: {epsilon: 2, delta: 1e-5}
output: {every: 40, repeat: 1}
"""


def ran(folder, name, variance, step, radius="", rows=None):
    text = STUDY.replace("VARIANCE", variance).replace("STEP", step)
    text = text.replace("RADIUS", ", radius: " + radius if radius else "")
    if rows is not None:
        pathlib.Path(folder, "rows.csv").write_text(rows, "utf-8")
        text = text.replace(f"synthetic: gaussian-classes 3 variance={variance} rows=4",
                            "csv: rows.csv, label: y")
    pathlib.Path(folder, "study.yaml").write_text(text, "utf-8")
    code, out, err = run(["run", "study.yaml", "-o", name], folder)
    assert code == 0, err
    walk = read_json(pathlib.Path(folder, name, "summary.json").read_text("utf-8"))["variants"][2]
    return walk, err


def said(walk, err):
    """All that does not come from a simulation of the rows."""
    return walk["guarantee"], walk["noise"], walk.get("remarks"), err


def nothing_is_read_off_the_rows():
    with tempfile.TemporaryDirectory() as folder:
        # Rows of length 0.1 or 100: without a declared radius nothing may be said of 2/beta.
        small, large = (ran(folder, name, variance, "0.5")
                        for name, variance in (("small", "0.001"), ("large", "1000")))
        assert said(*small) == said(*large), (small, large)
        assert small[0]["guarantee"]["bound"] == "local"
        assert "data.radius" in small[0]["guarantee"]["why"], small[0]["guarantee"]
        # Declared: 2/beta = 8/4 for all rows of length 2.
        small, large = (ran(folder, name, variance, "2", "2")
                        for name, variance in (("r-small", "0.001"), ("r-large", "1000")))
        assert said(*small) == said(*large), (small, large)
        assert small[0]["guarantee"]["bound"] == "excursion-mixture", small[0]["guarantee"]
        assert any("ball of radius 2" in remark for remark in small[0]["remarks"]), small[0]
        longer, _ = ran(folder, "longer", "0.001", "2.01", "2")
        assert longer["guarantee"]["bound"] == "local", longer["guarantee"]
        assert "2/beta = 2," in longer["guarantee"]["why"], longer["guarantee"]


def a_file_has_unit_rows():
    """One node's rows replaced by zeros: their norm is no more than before, and nothing shows it."""
    rows = [f"{1 if 7 * k % 5 < 2 else -1},{13 * k % 17 / 17 + 1},{5 * k % 11 / 11 + 1}"
            for k in range(60)]
    other = [row.split(",")[0] + ",0,0" for row in rows]
    with tempfile.TemporaryDirectory() as folder:
        told = []
        for name, lines in (("one", rows), ("other", other[:6] + rows[6:])):
            told.append(said(*ran(folder, name, "1", "8", rows="\n".join(["y,a,b", *lines, ""]))))
        assert told[0] == told[1], told
        assert told[0][0]["bound"] == "excursion-mixture", told[0]


CASES = [
    Case("run study.yaml", 2, err=r"study\.yaml:4: data\.radius: .*number above 0",
         files={"study.yaml": STUDY.replace("VARIANCE", "1").replace("STEP", "1")
                .replace("RADIUS", ", radius: 0").encode()}),
]

main(CASES, [nothing_is_read_off_the_rows, a_file_has_unit_rows])

#!/usr/bin/python3
"""docs/own-figure.md, followed to the letter: a stranger's CSV and edge list become a figure.

The edits and the commands are taken from the page. Skipped (77) where experiments/A-fig2.yaml is not there.
"""
import csv
import json
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile
import xml.dom.minidom

from harness import COMMAND, SOURCE, PATIENCE

PAGE = pathlib.Path(SOURCE, "docs/own-figure.md").read_text(encoding="utf-8")
STUDY = pathlib.Path(SOURCE, "experiments/A-fig2.yaml")
NODES, ROWS = 20, 200


def sections(text):
    """Name -> the lines of each top-level section, comments at the margin left out."""
    found, name = {}, None
    for line in text.splitlines(True):
        head = re.match(r"([a-z_]+):", line)
        if head:
            name = head[1]
            assert name not in found, name
            found[name] = line
        elif name and not line.startswith("#"):
            found[name] += line
    return found


def edited():
    """The study as the page says."""
    study = sections(STUDY.read_text(encoding="utf-8"))
    told = re.search(r"^```yaml\n(.*?)^```", PAGE, re.S | re.M)[1]
    for name in re.findall(r"`(\w+)`", re.search(r"Delete the sections (.*?), where", PAGE)[1]):
        study.pop(name, None)
    study.update(sections(told))
    return "".join(study.values())


def write_inputs(folder):
    """As many rows as the page asks for, in the columns that its study names; a ring with chords."""
    draw = random.Random(1)
    label = re.search(r"label: (\w+)", PAGE)[1]
    header = re.search(r"^```csv people.csv\n(.*?)\n", PAGE, re.M)[1].split(",")
    assert label in header
    with open(folder / "people.csv", "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(header)
        for _ in range(ROWS):
            numbers = [draw.gauss(0, 1) for _ in header[1:]]
            known = "yes" if numbers[0] > 0.1 else "no"
            rows.writerow([*(f"{x:.4f}" for x in numbers), known])
    edges = [(f"p{i}", f"p{(i + k) % NODES}") for i in range(NODES) for k in (1, 3)]
    (folder / "friends.edges").write_text("".join(f"{a} {b}\n" for a, b in edges), encoding="utf-8")


def follow(folder):
    for line in re.findall(r"^    (netdp .*)$", PAGE, re.M):
        done = subprocess.run([COMMAND, *shlex.split(line)[1:]], cwd=folder, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False)
        assert done.returncode == 0, f"{line}: exit {done.returncode}: {done.stderr}"


def check(result, epsilon):
    figure = json.loads((result / "figure.json").read_text(encoding="utf-8"))
    assert "Paper A" not in json.dumps(figure) and '"A, ' not in json.dumps(figure), "still the paper's figure"
    summary = json.loads((result / "summary.json").read_text(encoding="utf-8"))
    text = json.dumps(summary)
    assert "friends.edges" in text, "another graph"
    assert f'"nodes": {NODES}' in text, "not the stranger's nodes"
    study = (result / "study.yaml").read_text(encoding="utf-8")
    assert "people.csv" in study and re.search(rf"epsilon: {epsilon}\b", study), study
    with open(result / "figure.csv", encoding="utf-8") as file:
        points = list(csv.DictReader(file))
    curves = {row["curve"] for row in points}
    assert {"friends", "central", "local"} <= curves, curves
    accuracies = [float(row["y"]) for row in points if row["measure"] == "accuracy"]
    assert len(accuracies) >= 2 * 20 + 2 and all(0 <= y <= 1 for y in accuracies), points[:3]
    picture = xml.dom.minidom.parse(str(result / "figure.svg"))
    assert picture.documentElement.tagName == "svg"
    assert "friends" in (result / "figure.svg").read_text(encoding="utf-8")
    return points


def main():
    if not STUDY.exists():
        print("no experiments/A-fig2.yaml")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_inputs(folder)
        (folder / "mine.yaml").write_text(edited(), encoding="utf-8")
        follow(folder)
        check(folder / "results/mine", "1")
        bare = check(folder / "results/bare", "inf")
        best = max(float(row["y"]) for row in bare if row["curve"] == "central")
        assert best > 0.85, f"without noise an aggregator must find the label of these rows, not {best}"
    print("ok")


main()

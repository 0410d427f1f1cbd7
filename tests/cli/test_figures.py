#!/usr/bin/python3
"""The experiments of the papers: names say what is drawn, also under --quick, and points stand at their x.

What a quick run needs and is not here (Houses, Facebook) is skipped by name; its study file is read all the same.
"""
import csv
import importlib.machinery
import importlib.util
import json
import os
import re
import resource
import subprocess
import tempfile
import xml.etree.ElementTree as tree

from harness import COMMAND, SOURCE, main

EXPERIMENTS = os.path.join(SOURCE, "experiments")
UNSOUND = re.compile(r"published|linear$|lower|theorem|first-passage")  # of privacy.bound, but for published-local
SOUND_WORDS = re.compile(r"\b(sound(ly)?|upper bound|exact(ly)?|certified|proven|holds|guarantee[ds]?|safe|ours)\b", re.I)
SAYS_SO = re.compile(r"published|papers|theorem|all ones|worst found|\(3\.2\)")  # of a curve or its panel; values of one input; paper D's view
NETWORKS = {
    r"\bhypercube\b": "hypercube", r"Erdős–Rényi": "erdos-renyi", r"Barabási–Albert": "barabasi-albert",
    r"\bgeometric\b": "geometric", r"\bgrid\b": "grid", r"\btorus\b": "torus", r"\bring\b": "ring",
    r"\bcomplete\b": "complete", r"\bexpander\b": "regular", r"\bexponential\b": "hypercube", r"\bDavis\b": "davis",
}
# Some 10 times what the slowest takes: it must end, on any machine.
MOST_SECONDS = 150


def the_papers_own_noise():
    """What the experiments run as the papers ran it is what their code's formulas give."""
    loader = importlib.machinery.SourceFileLoader("authors", os.path.join(SOURCE, "tests/oracle/authors_noise.py"))
    tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("authors", loader))
    loader.exec_module(tool)
    for name, nodes, epsilon in (("E-fig2-eps1", 2000, 1), ("E-fig2-eps10", 2000, 10), ("A-fig2", 2048, 1)):
        true = tool.noises(nodes, epsilon)
        ran = re.findall(r"noise the papers ran / (?:their )?(\w+)(?:(?!name:)[\s\S])*?noise: ([0-9.]+)", text_of(name))
        assert len(ran) in (3, 5), ran
        for kind, sigma in ran:
            assert abs(float(sigma) / true.get(kind, true["network"]) - 1) < 1e-3, (name, kind, sigma, true)


def everything():
    return sorted(file[:-5] for file in os.listdir(EXPERIMENTS) if file.endswith(".yaml"))


def names():
    """Those that leave a figure.csv."""
    found = [name for name in everything() if "\nfigure:" in text_of(name)]
    assert len(found) > 25, found
    return found


def text_of(name):
    with open(os.path.join(EXPERIMENTS, name + ".yaml"), encoding="utf-8") as file:
        return "\n" + file.read()


def bound_in(text, otherwise=None):
    found = re.search(r"[{ ]bound: *\"?([a-z-]+)", text)
    return found.group(1) if found else otherwise


def study_files():
    """Of every variant, also those that quick leaves out; and quick says nothing of bounds."""
    with open(os.path.join(SOURCE, "src/account/losses/bound.c"), encoding="utf-8") as file:
        table = re.findall(r'\{NETDP_BOUND_\w+,\s+"([\w-]+)",\s+"[^"]*",\s+(true|false)', file.read())
    assert len(table) > 20 and len({name for name, sound in table if sound == "false"}) > 6, table
    for name, sound in table:  # what this file takes for unsound is what is labelled so
        assert bool(UNSOUND.search(name)) == (sound == "false") or name.endswith("-local"), (name, sound)
    for name in everything():
        text = re.sub(r"\n#.*", "", text_of(name))
        assert not any("bound" in line for line in re.findall(r"quick: .*|\nquick:(?:\n .*)*", text)), f"{name}: quick changes a bound"
        base, _, listed = text.partition("\nvariants:\n")
        general = bound_in(base)
        for variant in re.split(r"\n  - ", "\n" + listed.split("\nquick:")[0])[1:]:
            called = re.search(r"name: \"?([^,}\"\n]+)", variant).group(1)
            bound = bound_in(variant, general) or ""
            if UNSOUND.search(bound) and not bound.endswith("-local"):
                assert SAYS_SO.search(called), f"{name}: {called!r} is by {bound}, which is no upper bound: the name must say so"


def pictures():
    """The pictures in docs name what their studies name: else they are stale."""
    for name in names():
        path = os.path.join(SOURCE, "docs", "pictures", name + ".svg")
        text = re.sub(r"\n#.*", "", text_of(name))
        if not os.path.exists(path):
            continue
        shown = " ".join("".join(element.itertext()) for element in tree.parse(path).iter() if element.tag.endswith("text"))
        listed = text.partition("\nvariants:\n")[2]
        variants = re.findall(r"\n  - (?:\{name|name): \"?([^,}\"\n]+)", "\n" + listed.split("\nquick:")[0])
        drawn = re.search(r"quick: .*first: (\d+)", text) if name in the_gallery().QUICK else None  # the docs show the quick one
        for variant in variants[:int(drawn.group(1))] if drawn else variants:
            for part in re.sub(r" at (\d+)$", "", variant.strip()).split(" / "):
                assert part in shown, f"docs/pictures/{name}.svg is stale: it does not name {part!r}"


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))


def quick(name, folder):
    """figure.json, figure.csv, summary.json and figure.svg of the quick run; None where its data are missing."""
    results = os.path.join(folder, name)
    done = subprocess.run([COMMAND, "reproduce", os.path.join(EXPERIMENTS, name + ".yaml"), "--quick", "-o", results],
                          cwd=SOURCE, capture_output=True, text=True, preexec_fn=limit)
    if done.returncode != 0 and "not in $NETDP_DATA" in done.stderr:
        return None
    assert done.returncode == 0, f"{name}: {done.returncode} {done.stderr}"
    with open(os.path.join(results, "figure.json"), encoding="utf-8") as file:
        figure = json.load(file)
    with open(os.path.join(results, "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    with open(os.path.join(results, "figure.csv"), encoding="utf-8", newline="") as file:
        points = list(csv.DictReader(file))
    return figure, points, summary, tree.parse(os.path.join(results, "figure.svg"))


def check_bounds(name, figure):
    for curve in figure["curves"]:
        if curve["sound"] is False and not curve.get("estimate"):
            assert SAYS_SO.search(curve["panel"] + " " + curve["name"]), f"{name}: {curve['name']!r} is no upper bound ({curve['bound']})"


def check_words(name, figure, points):
    """figure.csv as it stands: no sound word names what is unsound, and what is estimated says estimate."""
    places = {(curve["panel"], curve["name"], curve["measure"]): curve for curve in figure["curves"]}
    assert points and len(points) == sum(len(curve["x"]) for curve in figure["curves"]), name
    for point in points:
        called = " ".join((point["panel"], point["curve"]))
        curve = places[point["panel"], point["curve"], point["measure"]]
        assert point["sound"] in (("yes", "no", "estimate") if point["bound"] else ("",)), (name, point)
        assert (point["sound"] == "estimate") == bool(curve["estimate"] and curve["bound"]), (name, point)
        assert point["sound"] in ("", "yes") or not SOUND_WORDS.search(called), f"{name}: {called!r} is {point['bound']}, sound: {point['sound']}"
        assert point["sound"] != "yes" or not UNSOUND.search(point["bound"]) or point["bound"].endswith("-local"), (name, point)


def words_are_looked_at():
    """The check itself: a curve that is called sound and is not, an estimate that says yes, a formula that does."""
    curve = {"panel": "soundly", "name": "walk", "measure": "loss", "bound": "exact", "estimate": False, "x": [1]}
    point = {"panel": "soundly", "curve": "walk", "measure": "loss", "bound": "exact", "sound": "yes"}
    check_words("true", {"curves": [curve]}, [point])
    for figure, row in ((curve, {**point, "sound": "no"}), ({**curve, "estimate": True}, point), ({**curve, "estimate": True}, {**point, "sound": "estimate"}),
                        (curve, {**point, "bound": "published"}), (curve, {**point, "sound": ""})):
        try:
            check_words("false", {"curves": [figure]}, [row])
        except AssertionError:
            continue
        raise ValueError((figure, row))


def check_networks(name, figure, summary):
    """The network that a name tells is the one that ran; two names are never one run."""
    sizes, runs = [], {}
    for variant in summary["variants"]:
        graph = variant.get("graph")
        if graph is None or variant["name"] in ("central", "local"):
            continue
        called, origin = variant["name"], graph["origin"]
        sizes.append(graph["nodes"])
        for word, family in NETWORKS.items():
            if re.search(word, called):
                assert origin.startswith(family), f"{name}: {called!r} ran on {origin}"
        ego = re.search(r"\bego (\d+)", called)
        if ego:
            assert re.search(rf"\b{ego.group(1)}\.edges", origin), f"{name}: {called!r} ran on {origin}"
        nodes = re.search(r"(\d+) nodes", called) or (re.search(r" at (\d+)$", called) if figure["x_label"] == "nodes" else None)
        if nodes:
            assert int(nodes.group(1)) == graph["nodes"], f"{name}: {called!r} has {graph['nodes']} nodes"
        said = json.dumps(variant["overrides"], sort_keys=True)
        assert said not in runs or not variant["overrides"], f"{name}: {called!r} and {runs[said]!r} are one run"
        runs[said] = called
    told = re.search(r"([\d,]+) nodes", figure["title"])
    if told and sizes:
        assert int(told.group(1).replace(",", "")) == max(sizes), f"{name}: {figure['title']!r} has {max(sizes)} nodes"


def number(text):
    return float(text) if re.fullmatch(r"[\d.]+", text) else None


def check_places(figure, svg):
    """Linear x, one panel: the marks of each curve stand where the ticks say, the last one within the axis."""
    ticks, marks = {}, []
    for group in svg.iter("{http://www.w3.org/2000/svg}g"):
        place = re.match(r"translate\(([\d.]+),([\d.]+)\)$", group.get("transform", ""))
        text = "".join(group.itertext()).strip()
        if place and group.get("text-anchor") == "middle" and number(text) is not None:
            ticks[number(text)] = float(place.group(1))
    for mark in svg.iter("{http://www.w3.org/2000/svg}use"):
        place = re.match(r"translate\(([\d.]+),([\d.]+)\)", mark.get("transform", ""))
        if place:
            marks.append((float(place.group(1)), float(place.group(2))))
    (a, left), (b, right) = min(ticks.items()), max(ticks.items())
    place = lambda x: left + (x - a) * (right - left) / (b - a)
    wanted = {x for curve in figure["curves"] for x in curve["x"]}
    drawn = [x for x, y in marks if y < 400]  # the panel; the legend is below
    assert len(drawn) >= sum(len(curve["x"]) for curve in figure["curves"]), (len(drawn), "marks")
    for x in drawn:
        assert min(abs(place(w) - x) for w in wanted) < 0.6, f"a point at {a + (x - left) * (b - a) / (right - left):.2f}"
    for w in wanted:
        assert min(abs(place(w) - x) for x in drawn) < 0.6, f"no point at {w}"


def check_standing(name, figure, svg, texts):
    """A drawing or a matrix of losses says of each panel whether it is an upper bound."""
    if figure["kind"] not in ("drawing", "matrix") or figure["y_label"] == "value of the node":
        return
    for curve in figure["curves"]:
        says = "upper bound" if curve["sound"] else "NO upper bound"
        wanted = f"{'ESTIMATE' if curve.get('estimate') else says}: {curve['bound']}"
        assert wanted in texts, f"{name}: the drawing does not say {wanted!r}: {texts}"


def check_picture(name, figure, texts):
    """The picture in the docs has every word of the quick one: else it was drawn by another version, or of another study."""
    path = os.path.join(SOURCE, "docs", "pictures", name + ".svg")
    if not os.path.exists(path):
        return
    shown = " ".join("".join(element.itertext()) for element in tree.parse(path).iter() if element.tag.endswith("text"))
    for text in texts:
        words = re.search(r"[^\W\d_]{2}", text) and not text.startswith("(one edge in")  # of large networks alone
        if figure["kind"] == "drawing" and text == figure["y_label"]:
            continue  # of one row of panels alone
        assert not words or text in shown, f"docs/pictures/{name}.svg is stale: it does not say {text!r}; draw it anew"


def the_gallery():
    """tools/gallery, which notes what accounts gave when a picture was drawn."""
    loader = importlib.machinery.SourceFileLoader("gallery", os.path.join(SOURCE, "tools", "gallery"))
    made = importlib.util.module_from_spec(importlib.util.spec_from_loader("gallery", loader))
    loader.exec_module(made)
    return made


def check_numbers(name, noted, now):
    """A picture is stale where an account says another number than on the day it was drawn."""
    assert set(noted) == set(now), f"docs/pictures/{name}.svg is stale: {sorted(set(noted) ^ set(now))[:3]}; run tools/gallery {name}"
    for what, value in noted.items():
        near = 1e-3 * (abs(value) if what.endswith(": noise") else 1)
        assert abs(now[what] - value) <= near, f"docs/pictures/{name}.svg is stale: {what} was {value}, is {now[what]}; run tools/gallery {name}"


def quick_runs():
    skipped, run, gallery = [], [], the_gallery()
    noted = gallery.notes()
    with tempfile.TemporaryDirectory() as folder:
        for name in names():
            made = quick(name, folder)
            if made is None:
                skipped.append(name)
                continue
            figure, points, summary, svg = made
            texts = ["".join(element.itertext()) for element in svg.iter() if element.tag.endswith("text")]
            check_bounds(name, figure)
            check_words(name, figure, points)
            if name in noted:
                check_numbers(name, noted[name][2], gallery.numbers(os.path.join(folder, name)))
            if name not in gallery.OLDER or name in noted:
                check_picture(name, figure, texts)
            if "variants" in summary and summary.get("task") != "claim":
                check_networks(name, figure, summary)
            check_standing(name, figure, svg, texts)
            if any(curve["sound"] is False for curve in figure["curves"]) and figure["kind"] in ("distance", "sweep", "trace"):
                assert any(text.startswith("dashed: ") for text in texts), f"{name}: what is dashed is not said"
            if name == "C-fig4":
                check_places(figure, svg)
            run.append(name)
    print(f"{len(run)} quick runs; without data: {' '.join(skipped) or 'none'}")
    assert "C-fig3" in run and "A-fig1" in run


if __name__ == "__main__":
    main([], [study_files, the_papers_own_noise, pictures, words_are_looked_at, quick_runs])

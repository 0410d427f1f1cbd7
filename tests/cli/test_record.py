#!/usr/bin/python3
"""The record of a run, accounted for again from what is in its folder alone: netdp loss agrees to
the last digit, and nothing exceeds its guarantee."""
import pathlib
import re
import tempfile

from harness import close, main, read_json, results, run

VALUES = "value\n" + "".join(f"{(7 * k) % 11 / 10}\n" for k in range(45))
ROWS = "y,a,b\n" + "".join(f"{1 if 7 * k % 5 < 2 else -1},{13 * k % 17 / 17},{5 * k % 11 / 11}\n"
                           for k in range(60))

STUDY = """\
title: Record
seed: 7
graph: {family: GRAPH}
mixing: {weights: 'WEIGHTS'}
data: {csv: values.csv}
task: {kind: TASK}
protocol: {kind: KIND}
privacy: {PRIVACY}
output: {every: 50, repeat: 2}
"""

MEAN = "mean, bounds: [0, 2]"
MODEL = "logistic, clip: 0.4, step: 0.7"
SUM = "sum, bounds: [0, 2]"
TARGET = "epsilon: 2, delta: 1e-5, over: mean"
WORST = "epsilon: 2, delta: 1e-5, over: worst"
COUNT = "epsilon: 2, delta: 0.1, over: worst"

# graph, weights, task, protocol, privacy, the bound that it is accounted for by
STUDIES = [
    ("davis", "metropolis", MEAN, "averaging, rounds: 7", WORST, "exact"),
    ("davis", "lazy:0.3", MEAN, "averaging, rounds: auto, variance: 0.2",
     TARGET + ", sees: sum, own_noise: counts, dither: 0.1", "exact"),
    ("ring 9", "metropolis", MEAN, "averaging, rounds: 6, accelerate: true", TARGET, "exact"),
    ("ring 9", "metropolis", MEAN, "averaging, rounds: 4",
     TARGET + ", sees: everything", "exact"),
    ("florentine", "metropolis", MEAN, "random-averaging, rounds: 40", TARGET, "exact"),
    ("florentine", "metropolis", MEAN, "random-averaging, rounds: auto",
     TARGET + ", dither: 0.1", "exact"),
    ("florentine", "metropolis", MEAN, "averaging, rounds: 8, dropout: 0.3", TARGET, "exact"),
    ("florentine", "metropolis", MEAN, "averaging, rounds: 8, dropout: 'edges:0.3'", WORST,
     "exact"),
    ("erdos-renyi 9 0.4", "metropolis", MEAN, "averaging, rounds: 8, redraw: round", TARGET,
     "exact"),
    ("erdos-renyi 9 0.4", "metropolis", "histogram, bounds: [0, 2], levels: 3",
     "averaging, rounds: 8", TARGET, "exact"),
    ("florentine", "metropolis", MODEL, "gossip-sgd, rounds: 6", TARGET, "everything"),
    ("florentine", "metropolis", MODEL, "async-gossip-sgd, rounds: 40", TARGET, "everything"),
    ("florentine", "metropolis", MODEL, "muffliato-sgd, rounds: 12, inner: 4",
     TARGET + ", dither: 0.1, end_dither: 0.2", "phase-release"),
    ("florentine", "metropolis", MODEL, "muffliato-sgd, rounds: 12, inner: 4, dropout: 0.2",
     WORST, "phase-release"),
    ("erdos-renyi 9 0.4", "metropolis", MODEL, "muffliato-sgd, rounds: 12, inner: 4, redraw: phase",
     TARGET, "phase-release"),
    ("hypercube 3", "metropolis", MEAN + ", step: 0.1", "walk, rounds: 40, cap: 8, burn_in: 2",
     TARGET, "excursion-mixture"),
    ("hypercube 3", "metropolis", MODEL,
     "walk, rounds: 30, tokens: 2, start: 3, release: final, cap: 6", WORST,
     "excursion-mixture"),
    ("hypercube 3", "metropolis", MEAN + ", step: 0.1", "walk, rounds: 40",
     TARGET + ", observers: 3", "excursion-contracting"),
    ("star 6", "metropolis", MEAN + ", step: 0.1", "walk, rounds: 60, cap: 1", WORST, "least"),
    ("florentine", "metropolis", MEAN + ", step: 0.1", "walk, rounds: 1", TARGET, "least"),
    ("florentine", "metropolis", MEAN + ", step: 0.1", "walk, rounds: 60, cap: 1",
     TARGET + ", bound: excursion", "excursion"),
    ("star 6", "hastings:degree", MEAN + ", step: 0.1", "weighted-walk, rounds: 120, cap: 2",
     TARGET, "excursion-mixture"),
    ("florentine", "hastings:degree", MEAN + ", step: 0.1", "weighted-walk, rounds: 20", WORST,
     "excursion-mixture"),
    ("ring 9", "metropolis", MEAN, "averaging, rounds: 6", TARGET + ", bound: everything",
     "everything"),
    ("hypercube 3", "metropolis", MEAN + ", step: 0.1", "walk, rounds: 40, cap: 8",
     TARGET + ", bound: local", "local"),
    # Named bounds that are none: the same numbers again, never as a guarantee.
    ("ring 9", "metropolis", MEAN, "averaging, rounds: 6", TARGET + ", bound: published",
     "published"),
    ("florentine", "metropolis", MODEL, "muffliato-sgd, rounds: 12, inner: 4",
     TARGET + ", bound: published", "published"),
    ("florentine", "metropolis", MODEL, "muffliato-sgd, rounds: 12, inner: 4",
     TARGET + ", bound: linear", "linear"),
    ("hypercube 3", "metropolis", MODEL, "walk, rounds: 40, tokens: 2, cap: 8",
     TARGET + ", bound: published", "published"),
    ("hypercube 3", "metropolis", MODEL, "walk, rounds: 40",
     TARGET + ", bound: published-log, observers: 3", "published-log"),
    ("hypercube 3", "metropolis", MODEL, "walk, rounds: 40", TARGET + ", bound: published-code",
     "published-code"),
    ("florentine", "metropolis", MEAN + ", step: 0.1", "walk, rounds: 20", TARGET + ", sources: 3",
     "excursion-contracting"),
    ("florentine", "metropolis", MEAN, "averaging, rounds: 6", TARGET + ", sources: 1", "exact"),
    ("ring 9", "metropolis", SUM, "ring-sum, rounds: 3", WORST, "exact"),
    ("ring 9", "metropolis", SUM, "ring-sum, rounds: 3, release: final, schedule: every", TARGET,
     "exact"),
    ("ring 9", "metropolis", SUM, "ring-sum, rounds: 3, schedule: spread", WORST, "exact"),
    ("ring 6", "metropolis", SUM, "ring-sum, rounds: 2, mechanism: laplace", TARGET, "exact"),
    ("ring 6", "metropolis", SUM, "ring-sum, rounds: 2, mechanism: laplace, schedule: every",
     WORST, "exact"),
    ("ring 6", "metropolis", SUM, "ring-sum, rounds: 2, mechanism: discrete-gaussian, grid: 64",
     TARGET, "exact"),
    ("ring 4", "metropolis", "histogram, bounds: [0, 2], levels: 2", "ring-histogram, rounds: 1",
     COUNT, "shuffled"),
    ("complete 9", "metropolis", SUM, "complete-sum, rounds: 40, cap: 8", TARGET,
     "least"),
    ("complete 9", "metropolis", SUM, "complete-sum, rounds: 30", WORST, "excursion-linear"),
    ("complete 6", "metropolis", SUM, "complete-sum, rounds: 20, cap: 4, mechanism: laplace",
     TARGET, "local"),
    ("complete 6", "metropolis", SUM,
     "complete-sum, rounds: 20, cap: 4, mechanism: discrete-gaussian", TARGET, "local"),
    ("complete 6", "metropolis", "histogram, bounds: [0, 2], levels: 3",
     "complete-histogram, rounds: 12, cap: 2", TARGET, "local"),
    ("complete 6", "metropolis", "histogram, bounds: [0, 2], levels: 3",
     "complete-histogram, rounds: 12", COUNT, "local"),
]

UNSOUND = ("published", "published-log", "published-code", "linear")

# Keys of a record and the options that say the same, where they mean something to the protocol.
ALWAYS = {"seed": "--seed", "graph.family": "--family"}
NAMED = {"protocol.kind": "--protocol"}
GOSSIP = {**NAMED, "mixing.weights": "--mixing", "privacy.dither": "--dither",
          "privacy.sees": "--sees", "privacy.own_noise": "--own-noise",
          "protocol.accelerate": "--accelerate", "protocol.dropout": "--dropout",
          "protocol.redraw": "--redraw"}
WALK = {**NAMED, "mixing.weights": "--mixing", "protocol.start": "--start",
        "protocol.burn_in": "--burn-in", "protocol.cap": "--cap", "protocol.tokens": "--tokens",
        "protocol.release": "--release"}
RING = {**NAMED, "protocol.mechanism": "--mechanism", "protocol.schedule": "--schedule",
        "protocol.release": "--release"}
COMPLETE = {**NAMED, "protocol.mechanism": "--mechanism", "protocol.cap": "--cap",
            "protocol.release": "--release"}
LEVELS = {**NAMED, "task.levels": "--levels", "protocol.cap": "--cap",
          "protocol.release": "--release"}


def without(options, *keys):
    return {key: option for key, option in options.items() if key not in keys}


GOSSIPS = ("averaging", "random-averaging", "gossip-sgd", "async-gossip-sgd", "muffliato-sgd")

OPTIONS = {
    "averaging": GOSSIP,
    "random-averaging": without(GOSSIP, "protocol.accelerate", "protocol.dropout",
                                "protocol.redraw"),
    "gossip-sgd": without(GOSSIP, "privacy.dither", "protocol.accelerate"),
    "async-gossip-sgd": without(GOSSIP, "privacy.dither", "protocol.accelerate",
                                "protocol.dropout", "protocol.redraw"),
    "muffliato-sgd": {**GOSSIP, "protocol.inner": "--inner", "privacy.end_dither": "--end-dither"},
    "walk": WALK,
    "weighted-walk": WALK,
    "ring-sum": RING,
    "complete-sum": COMPLETE,
    "ring-histogram": without(LEVELS, "protocol.cap"),
    "complete-histogram": LEVELS,
}

# What says in a record that there is none of it; a dither of 0 is said.
UNSAID = ("none", "never", "false")


def record(folder):
    """study.yaml as it ran, every key by its dotted name; summary.json; loss.csv."""
    keys, section = {}, ""
    for line in (folder / "study.yaml").read_text("utf-8").splitlines():
        found = re.fullmatch(r"( *)([a-z0-9_]+):(?: (.*))?", line)
        if found and found[3] is None:
            section = found[2] + "."
        elif found:
            keys[(section if found[1] else "") + found[2]] = found[3].strip('"')
    return (keys, results(folder),
            (folder / "loss.csv").read_text("utf-8"))


def description(keys, variant):
    """What ran, as words of netdp loss."""
    words = ["--rounds", str(variant["rounds"]), "--as", "dp:" + keys["privacy.delta"]]
    words += ["--bound", keys["privacy.bound"]]
    words += ["--flip" if "histogram" in keys["protocol.kind"] else "--noise",
              repr(variant["noise"])]
    for key, option in {**ALWAYS, **OPTIONS[keys["protocol.kind"]]}.items():
        if keys[key] == "true":
            words.append(option)
        elif keys[key] not in UNSAID and (key, keys[key]) != ("protocol.dropout", "0"):
            words += [option, keys[key]]
    if "contraction" in variant:
        words += ["--contraction", repr(variant["contraction"])]
    if keys["protocol.mechanism"] == "discrete-gaussian":
        words += ["--grid", keys["protocol.grid"]]
    return words


def ran(folder, study):
    graph, weights, task, kind, privacy, _ = study
    text = STUDY.replace("GRAPH", graph).replace("WEIGHTS", weights).replace("TASK", task)
    text = text.replace("KIND", kind).replace("PRIVACY", privacy)
    if task == MODEL:
        text = text.replace("{csv: values.csv}", "{csv: rows.csv, label: y}")
    for name, content in (("study.yaml", text), ("values.csv", VALUES), ("rows.csv", ROWS)):
        (folder / name).write_text(content, "utf-8")
    code, _, err = run(["run", "study.yaml", "-o", "out"], folder)
    assert code == 0, f"{kind}: exit {code}: {err}"
    return record(folder / "out")


def accounted(folder, words, to):
    """What netdp loss says, and its pairs as CSV."""
    code, out, err = run(["loss", "--json", *words, "--to", str(to), "--csv", "again.csv"], folder)
    assert code == 0, f"{words}: exit {code}: {err}"
    return read_json(out), (folder / "again.csv").read_text("utf-8")


def accounted_for_all(folder, words, to):
    """The same for observers that were drawn, one at a time, put together as a study does."""
    if to == "all":
        return accounted(folder, words, to)
    got, texts = zip(*(accounted(folder, words, one) for one in to))
    told = {**got[0], "threat": {**got[0]["threat"], "to": to}}
    header, *lines = texts[0].splitlines()
    for text in texts[1:]:
        lines += text.splitlines()[1:]
    lines.sort(key=lambda line: [int(number) for number in line.split(",")[1::-1]])
    values = [float(line.rsplit(",", 1)[1]) for line in lines]
    mean = sum(one["summary"]["mean"] for one in got) / len(got)
    close(mean, sum(values) / len(values), relative=1e-12)
    told["summary"] = {**got[0]["summary"], "mean": None, "max": max(values)}
    return told, "".join(line + "\n" for line in [header, *lines])


def equal(got, want, what):
    assert got == want, f"{what}: got {got!r}, want {want!r}"


def check_contributions(folder, keys, variant):
    """The path that was taken: within the cap, and its local value that of so many releases."""
    made = variant["contributions"]
    known, delta = made["local_at_realised_max"], keys["privacy.delta"]
    local = variant["guarantee"]["local"]
    cap = None if keys["protocol.cap"] == "none" else int(keys["protocol.cap"])
    equal(made["cap"], cap, "cap")
    most = int(keys["protocol.tokens"]) * (cap or int(keys["protocol.rounds"]))
    assert 0 < made["mean"] <= made["realised_max"] <= most, made
    assert known["guarantee"] is False
    assert known["epsilon"] <= local, (known, local)
    if keys["protocol.kind"] == "weighted-walk" and cap:
        # So long that every node came to its cap, the heaviest too.
        equal((made["mean"], known["epsilon"]), (cap, local), "local at the realised maximum")
    if keys["protocol.kind"] == "walk":
        mu = made["realised_max"] ** 0.5 / variant["noise"]
        code, out, err = run(["convert", "--json", f"gdp:{mu!r}", "--to", "dp:" + delta], folder)
        assert code == 0, err
        close(known["epsilon"], read_json(out)["value"], relative=1e-9)


def listed_as(folder, kind, bound):
    """What loss --bound list says of it for this kind of protocol."""
    code, out, err = run(["loss", "--bound", "list"], folder)
    assert code == 0, err
    said = {line.split()[1] for line in out.splitlines() if line.split()[0] == bound}
    assert len(said) == 1, (bound, said)
    return {"yes": True, "NO": False, "sums": kind.endswith("-sum"), "once": False}[said.pop()]


def check_baseline(folder, keys, variant):
    """The baseline is accounted for by netdp loss too: its guarantee says the same of itself."""
    token = keys["protocol.kind"] not in GOSSIPS
    words = description({**keys, "privacy.bound": "local" if token else "everything",
                         "protocol.schedule": "every"}, variant)
    code, out, err = run(["loss", "--json", *words], folder)
    assert code == 0, f"{words}: exit {code}: {err}"
    got, guarantee = read_json(out), variant["guarantee"]
    for key in ("bound", "direction", "sound", "certified", "reason", "assumes"):
        equal(got[key], guarantee[key], "the baseline's " + key)
    assert got["summary"]["mean"] <= guarantee["epsilon"], (got["summary"], guarantee)


def again(folder, study):
    keys, summary, losses = ran(folder, study)
    variant, target = summary["variants"][2], summary["target"]
    guarantee = variant["guarantee"]
    words = description(keys, variant)
    sources = sorted({int(line.split(",")[0]) for line in losses.splitlines()[1:]})
    if keys["privacy.sources"] != "all":
        assert "sources" not in guarantee, guarantee  # few pairs: all of them are accounted for
        words += ["--from", ",".join(map(str, sources))]
    got, csv = accounted_for_all(folder, words, summary["threat"]["to"])
    equal(csv, losses, "loss.csv")
    equal(got["bound"], guarantee["bound"], "bound")
    equal(got["bound"], study[-1], "bound")
    equal(got["sound"], guarantee["sound"], "sound")
    equal(got["certified"], guarantee["certified"], "certified")
    equal(got["reason"], guarantee["reason"], "reason")
    equal(got.get("least_of"), guarantee.get("least_of"), "least_of")
    equal(listed_as(folder, keys["protocol.kind"], got["bound"]), got["sound"], "the list of bounds")
    check_baseline(folder, keys, summary["variants"][1])
    equal(got["threat"], summary["threat"], "threat")
    if got["summary"]["mean"] is not None:
        equal(got["summary"]["mean"], guarantee["mean"], "mean")
    equal(got["summary"]["max"], guarantee["worst"]["epsilon"], "worst")
    equal(got["summary"]["local"], guarantee["local"], "local")
    assert got["sound"] is (study[-1] not in UNSOUND)
    # Who reads the record alone is told so too.
    equal(any("no guarantee" in remark for remark in variant.get("remarks", [])),
          study[-1] in UNSOUND, "remark")
    achieved = guarantee["mean"] if target["over"] == "mean" else got["summary"]["max"]
    assert 0 < achieved <= target["epsilon"], (achieved, target)
    # What is written pair by pair is what the guarantee sums up.
    values = [float(line.rsplit(",", 1)[1]) for line in csv.splitlines()[1:]]
    assert max(values) == guarantee["worst"]["epsilon"], (max(values), guarantee["worst"])
    close(sum(values) / len(values), guarantee["mean"], relative=1e-12)
    if "contributions" in variant:
        check_contributions(folder, keys, variant)


def records_are_accounted_for_again():
    complaints = []
    for study in STUDIES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                again(pathlib.Path(folder), study)
            except AssertionError as why:
                complaints.append(f"{study[3]} on {study[0]}: {why}")
    assert not complaints, "\n".join(complaints)


def totals_are_of_what_was_given():
    """45 rows at 12 nodes: some hold 3 and some 4, and give them in turn. Hardly any noise."""
    for rounds in (3, 6, 9):
        study = ("ring 12", "metropolis", SUM, f"ring-sum, rounds: {rounds}",
                 "epsilon: 1e12, delta: 1e-5", None)
        with tempfile.TemporaryDirectory() as folder:
            _, summary, _ = ran(pathlib.Path(folder), study)
        token = summary["variants"][2]
        column, total = token["error"]["columns"][0], token["released"][0]
        assert column["rmse"] < 1e-6, (rounds, column)
        close(total["value"], column["mean"] * 12 * rounds, absolute=6 * total["deviation"])
        assert total["deviation"] < 1e-4, total


def every_protocol_is_there():
    """A kind that a study may have is in the table above."""
    with tempfile.TemporaryDirectory() as folder:
        text = STUDY.replace("KIND", "nothing, rounds: 3").replace("TASK", MEAN)
        pathlib.Path(folder, "study.yaml").write_text(text.replace("PRIVACY", TARGET), "utf-8")
        code, _, err = run(["run", "study.yaml"], folder)
    assert code == 2, err
    kinds = set(re.split(r", | or ", err.partition("give ")[2].strip()))
    equal(kinds, set(OPTIONS), "kinds of protocol")
    equal({study[3].partition(",")[0] for study in STUDIES}, kinds, "kinds that are tried")


main([], [records_are_accounted_for_again, totals_are_of_what_was_given, every_protocol_is_there])

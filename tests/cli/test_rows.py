#!/usr/bin/python3
"""Rows as the unit of studies: sensitivities, noise and epsilons against an oracle of their own, words, refusals."""
import json
import math
import os
import pathlib
import random
import shlex
import statistics
import tempfile

from harness import SOURCE, Case, close, fails, main, run

NORMAL = statistics.NormalDist()

MEAN = """title: Means
graph: {family: hypercube 3}
data: {csv: rows.csv, rows: 400, columns: [{name: a, bounds: [-4, 4]}], row: one patient's record at one hospital}
task: {kind: mean}
protocol: {kind: averaging, rounds: 8}
privacy: {epsilon: 2, delta: 1e-5, over: worst, protects: row}
output: {repeat: 2}
"""
LEARN = """title: Learn
graph: {family: hypercube 3}
data: {csv: rows.csv, label: kind, split: 0.75, features: "a, b"}
task: {kind: logistic, clip: 0.5, step: 1, central_steps: 10}
protocol: {kind: muffliato-sgd, rounds: 24, inner: 3}
privacy: {epsilon: 2, delta: 1e-5, over: worst, dither: 0.1, protects: row}
output: {every: 3, repeat: 2}
"""
DECLARED = LEARN.replace('features: "a, b"', "rows: 400, columns: [{name: a, bounds: [-3, 3]}, {name: b, bounds: [-3, 3]}, "
                         "{name: kind, values: [no, yes]}]")


def rows():
    draw = random.Random(5)
    lines = ["a,b,kind"]
    for _ in range(400):
        x = [draw.gauss(0, 1) for _ in range(2)]
        lines.append(f"{x[0]:.6f},{x[1]:.6f},{'yes' if x[0] - x[1] > 0 else 'no'}")
    return ("\n".join(lines) + "\n").encode()


FILES = {"mean.yaml": MEAN.encode(), "learn.yaml": LEARN.encode(), "declared.yaml": DECLARED.encode(), "rows.csv": rows()}


def check(cases):
    """All of them; main would end the program."""
    complaints = [text for text in map(fails, cases) if text]
    assert not complaints, "\n".join(complaints)


def epsilon_of(mu, delta):
    """Of a Gaussian release, by bisection on its exact delta (Balle and Wang 2018)."""
    low, high = 0.0, 1e3
    for _ in range(200):
        middle = (low + high) / 2
        got = NORMAL.cdf(-middle / mu + mu / 2) - math.exp(middle) * NORMAL.cdf(-middle / mu - mu / 2)
        low, high = (middle, high) if got > delta else (low, middle)
    return high


def study(name, *settings):
    with tempfile.TemporaryDirectory() as folder:
        for file, content in FILES.items():
            pathlib.Path(folder, file).write_bytes(content)
        words = ["run", name + ".yaml", "-o", "out"]
        for setting in settings:
            words += ["--set", setting]
        code, out, err = run(words, folder)
        assert code == 0, (settings, err)
        summary = json.loads(pathlib.Path(folder, "out/summary.json").read_text())
        losses = [line.split(",") for line in pathlib.Path(folder, "out/loss.csv").read_text().splitlines()]
        return summary, {(int(r[0]), int(r[1])): r[3:] for r in losses[1:]}, out, err


def means():
    """400 rows on 8 nodes: 50 each, a range of 8 becomes 1."""
    for change, delta in (("replace", 1 / 50), ("add-remove", 0.5 / 50)):
        summary, losses, out, _ = study("mean", f"privacy.change={change}")
        close(summary["data"]["sensitivity"], delta, 1e-15)
        central, local, gossip = summary["variants"]
        words = summary["threat"]["adjacency"]
        assert words == ("one row of one node's data " + ("replaced" if change == "replace" else "added or removed") +
                         " (a row: one patient's record at one hospital)"), words
        assert words in out, out
        for one in (central, local):
            close(epsilon_of(1 / one["noise"], 1e-5), 2, 1e-3)
        for loss, epsilon in losses.values():
            close(float(epsilon), epsilon_of(math.sqrt(float(loss)) / gossip["noise"], 1e-5), 1e-6, 1e-6)
        # Noise of sigma Delta at each node, in ranges: half the expected squared error of the mean of 8.
        close(central["expected"], (central["noise"] * delta / 8) ** 2 / 2, 0, 1e-9)
        assert any("50 to 50" in remark for remark in gossip["remarks"]), gossip["remarks"]
    node, _, _, _ = study("mean", "privacy.protects=node")
    assert node["threat"]["adjacency"] == "a node's whole data replaced" and node["data"]["sensitivity"] == 1
    histogram = ["task.kind=histogram", "task.levels=5"]
    close(study("mean", *histogram)[0]["data"]["sensitivity"], math.sqrt(2) / 50, 1e-15)
    close(study("mean", "privacy.change=add-remove", *histogram)[0]["data"]["sensitivity"], 1 / 50, 1e-15)


def learning():
    """300 training rows on 8 nodes: 37 or 38 each; 8 phases."""
    for batches, k, part in (("full", 8, 1), ("cyclic:4", 2, 4), ("cyclic:3", 3, 3)):
        summary, losses, _, _ = study("learn", f"data.batches={batches}")
        central, local, gossip = summary["variants"]
        close(summary["data"]["sensitivity"], 2 * 0.5 * part / 37, 1e-14)
        close(epsilon_of(math.sqrt(10) / central["noise"], 1e-5), 2, 1e-3)
        close(epsilon_of(math.sqrt(k) / local["noise"], 1e-5), 2, 1e-3)
        neighbours = [float(losses[pair][0]) for pair in losses if (pair[0] ^ pair[1]).bit_count() == 1]
        # A node of 38 rows has (37/38)^2 of the loss of one of 37.
        ratio = min(neighbours) / max(neighbours)
        close(ratio, (37 / 38) ** 2, 0, 1e-9)
        assert max(neighbours) <= k * (1 + 1e-12)
        if k < 8:
            assert any(f"at most {k} of the 8 phases" in remark for remark in gossip["remarks"]), gossip["remarks"]
    full, _, _, _ = study("declared", "privacy.change=add-remove")
    summary, losses, _, _ = study("declared", "privacy.change=add-remove", "data.batches=poisson:0.3")
    close(summary["data"]["sensitivity"], 0.5 / (0.3 * 37), 1e-14)
    assert all(len(row) == 1 and 0 < float(row[0]) <= 2 for row in losses.values())
    close(max(float(row[0]) for row in losses.values()), 2, 3e-3)
    # What is drawn anew costs little more than taking all rows every time, times its part.
    noise = summary["variants"][2]["noise"] * summary["data"]["sensitivity"]
    all_rows = full["variants"][2]["noise"] * full["data"]["sensitivity"]
    assert all_rows < noise < 2 * all_rows, (noise, all_rows)


def nodes_and_rows():
    """Nodes that count by their rows: one row has the same Delta wherever it is."""
    summary, losses, _, _ = study("learn", "task.mean_over=rows")
    close(summary["data"]["sensitivity"], 2 * 0.5 / (300 / 8), 1e-14)
    neighbours = [float(losses[pair][0]) for pair in losses if (pair[0] ^ pair[1]).bit_count() == 1]
    close(min(neighbours), max(neighbours), 0, 1e-9)
    assert any("rows alike" in remark for remark in summary["variants"][2]["remarks"])


HELD = {"north": 9, "east": 20, "west": 50, "south": 120}  # by their bytes: east, north, south, west


def owned(extra=()):
    """Rows of four hospitals of unequal size; x is a number that differs between them."""
    draw = random.Random(7)
    lines = ["id,hospital,x,z,kind"]
    for place, (name, count) in enumerate(HELD.items()):
        for _ in range(count):
            x, z = draw.uniform(0, 1) + place, draw.gauss(0, 1)
            lines.append(f"{len(lines)},{name},{x:.6f},{z:.6f},{'P' if x + z > 2 else 'N'}")
    return ("\n".join(lines + list(extra)) + "\n").encode()


def owners():
    FILES["owned.csv"] = owned()
    values = [line.split(",") for line in FILES["owned.csv"].decode().splitlines()[1:]]
    names = sorted(HELD)
    sizes = [HELD[name] for name in names]
    settings = ["data.csv=owned.csv", "data.owner=hospital", "graph.family=hypercube 2"]
    FILES["owned.yaml"] = MEAN.replace("rows: 400, columns: [{name: a, bounds: [-4, 4]}]", "columns: [{name: x, bounds: [0, 4]}]").encode()
    for over in ("nodes", "rows"):
        summary, losses, _, _ = study("owned", f"task.mean_over={over}", *settings)
        means = [statistics.fmean(float(row[2]) for row in values if row[1] == name) for name in names]
        truth = statistics.fmean(means) if over == "nodes" else statistics.fmean(float(row[2]) for row in values)
        with tempfile.TemporaryDirectory() as folder:
            for file, content in FILES.items():
                pathlib.Path(folder, file).write_bytes(content)
            words = ["run", "owned.yaml", "-o", "out", "--set", f"task.mean_over={over}"]
            for setting in settings:
                words += ["--set", setting]
            assert run(words, folder)[0] == 0
            told = json.loads(pathlib.Path(folder, "out/private.json").read_text())
        close(told["variants"][0]["error"]["columns"][0]["mean"], truth, 1e-12)
        rows = 199
        shares = [min(sizes) / size if over == "nodes" else 1 for size in sizes]
        close(summary["data"]["sensitivity"], 1 / min(sizes) if over == "nodes" else 4 / rows, 1e-15)
        noise = summary["variants"][2]["noise"]
        for (u, _), (loss, epsilon) in losses.items():
            assert float(loss) <= shares[u] ** 2 * (1 + 1e-12)
            close(float(epsilon), epsilon_of(math.sqrt(float(loss)) / noise, 1e-5), 1e-6, 1e-6)
        for u, v in ((0, 1), (1, 3), (2, 3), (3, 2)):  # neighbours see it all
            close(float(losses[u, v][0]), shares[u] ** 2, 0, 1e-9)
    # Learning: neither the owner nor what numbers the rows is a feature unless it is named.
    FILES["owned-learn.yaml"] = LEARN.replace('features: "a, b"', "features: all but id").encode()
    summary, losses, _, _ = study("owned-learn", *settings)
    assert summary["data"]["columns"] == 2, summary["data"]
    check([
        Case("run owned-learn.yaml -o out " + " ".join(f"--set '{one}'" for one in settings[:2]), 2,
             err="'hospital' has 4 values and there are 8 nodes", files=FILES),
        Case("run owned-learn.yaml -o out --set data.csv=owned.csv --set data.owner=kind", 2,
             err="'kind' is the label", files=FILES),
        Case("run owned-learn.yaml -o out --set data.csv=owned.csv --set data.owner=hospitl", 2,
             err="nearest name is 'hospital'", files=FILES),
        Case("run owned-learn.yaml -o out --set data.csv=owned.csv --set 'data.owner_cuts=1, 2'", 2,
             err="name the column there", files=FILES),
        Case("run owned.yaml -o out --set data.csv=owned.csv --set data.owner=hospital --set data.per_node=one", 2,
             err="excludes data.owner", files=FILES),
    ])
    # Cuts: x in [0, 1) is node 0's, and so on; here these are the hospitals in the order of the file.
    summary, losses, _, _ = study("owned", settings[0], settings[2], "data.owner=x", "data.owner_cuts=1, 2, 3")
    for (u, v), (loss, _) in losses.items():
        if (u ^ v).bit_count() == 1:
            close(float(loss), (9 / list(HELD.values())[u]) ** 2, 0, 1e-9)
    # A row with an empty cell is refused, or contributes nothing and counts; one without an owner is nobody's.
    FILES["owned.csv"] = owned(["900,north,,1,P", "901,,1,1,P", "902,north,1,,P"])
    check([Case("run owned.yaml -o out " + " ".join(f"--set '{one}'" for one in settings), 2, err="the cell is empty",
               files=FILES)])
    summary, _, _, _ = study("owned", "data.missing=drop", *settings)
    close(summary["data"]["sensitivity"], 1 / 11, 1e-15)  # z is not asked for: two more of north
    check([Case("run owned.yaml -o out --set data.missing=mean " + " ".join(f"--set '{one}'" for one in settings), 2,
               err="mean is of features", files=FILES)])


def empty_cells():
    """missing: mean: an empty feature is what the mean of the others, or the middle of a public range, would be."""
    draw = random.Random(11)
    lines = [[f"{draw.uniform(-3, 3):.3f}", f"{draw.uniform(-3, 3):.3f}", "yes" if i % 2 else "no"] for i in range(80)]
    base = LEARN.replace('features: "a, b"', "columns: [{name: a, bounds: [-3, 3]}, {name: b, bounds: [-3, 3]}]")
    FILES["empty.yaml"] = base.replace("rows.csv", "empty.csv").encode()
    FILES["found.yaml"] = LEARN.replace("rows.csv", "empty.csv").encode()
    noiseless = ["privacy.epsilon=inf", "output.repeat=1"]

    def objective(name, rows_of, *settings):
        FILES["empty.csv"] = ("a,b,kind\n" + "".join(",".join(row) + "\n" for row in rows_of)).encode()
        with tempfile.TemporaryDirectory() as folder:
            for file, content in FILES.items():
                pathlib.Path(folder, file).write_bytes(content)
            code, _, err = run(["run", name, "-o", "out"] + [word for one in (*noiseless, *settings) for word in ("--set", one)],
                               folder)
            assert code == 0, err
            told = json.loads(pathlib.Path(folder, "out/private.json").read_text())
            summary = json.loads(pathlib.Path(folder, "out/summary.json").read_text())
            return told["variants"][0]["error"]["objective"]["mean"], summary["variants"][2]["remarks"], told

    holes = [["" if i % 7 == 0 else a, "" if i % 11 == 3 else b, kind] for i, (a, b, kind) in enumerate(lines)]
    middle = [[a or "0", b or "0", kind] for a, b, kind in holes]
    got, remarks, told = objective("empty.yaml", holes, "data.missing=mean")
    assert got == objective("empty.yaml", middle)[0]
    assert any("middle of its column's public range" in remark for remark in remarks), remarks
    assert told["notes"]["cells_filled"] == sum(not a for row in holes for a in row), told["notes"]
    # Without ranges: of the training rows, all but whose values are there. With all rows of a column alike but the empty ones
    # it is constant, and dropped.
    _, remarks, _ = objective("found.yaml", holes, "data.missing=mean")
    assert any("not covered: the means of the training rows" in remark for remark in remarks), remarks
    alike = [[a or "2", "" if i % 3 else "1", kind] for i, (a, b, kind) in enumerate(holes)]
    _, _, told = objective("found.yaml", alike, "data.missing=mean")
    assert told["notes"]["constant_columns_dropped"] == 1, told["notes"]
    FILES["empty.csv"] = b"a,b,kind\n1,2,\n3,4,yes\n" + b"1,2,yes\n2,1,no\n" * 20
    check([Case("run empty.yaml -o out --set data.missing=mean", 2, err="column 'kind': the cell is empty", files=FILES)])


def categories():
    """onehot: a category of a public list is so many columns of 0 and 1; what is not in the list is 0 in all of them."""
    draw = random.Random(13)
    wards = ["north", "south", "9", "north", "9.0", "Mars", ""]  # by value 9.0 is 9; Mars is not listed
    lines = [(f"{draw.uniform(-3, 3):.3f}", draw.choice(wards[:6]), "yes" if i % 3 else "no") for i in range(90)]
    base = LEARN.replace("rows.csv", "wards.csv")
    listed = base.replace('features: "a, b"', "categories: onehot, columns: [{name: a, bounds: [-3, 3]}, "
                          "{name: ward, values: [north, south, 9]}]")
    by_hand = base.replace('features: "a, b"', "columns: [{name: a, bounds: [-3, 3]}, {name: n, bounds: [-1, 1]}, "
                           "{name: s, bounds: [-1, 1]}, {name: nine, bounds: [-1, 1]}]")
    FILES["listed.yaml"], FILES["by-hand.yaml"] = listed.encode(), by_hand.encode()

    def outcome(name, header, rows_of, *settings):
        FILES["wards.csv"] = (header + "\n" + "".join(",".join(row) + "\n" for row in rows_of)).encode()
        with tempfile.TemporaryDirectory() as folder:
            for file, content in FILES.items():
                pathlib.Path(folder, file).write_bytes(content)
            words = ["run", name, "-o", "out"]
            for setting in settings:
                words += ["--set", setting]
            code, _, err = run(words, folder)
            assert code == 0, err
            again = run(["run", "out/study.yaml", "-o", "again"], folder)  # the list is in the study that is kept
            assert again[0] == 0, again
            told = json.loads(pathlib.Path(folder, "out/private.json").read_text())
            assert told["variants"] == json.loads(pathlib.Path(folder, "again/private.json").read_text())["variants"]
            return [one["error"]["objective"]["mean"] for one in told["variants"]], told["notes"], json.loads(
                pathlib.Path(folder, "out/summary.json").read_text())

    got, notes, summary = outcome("listed.yaml", "a,ward,kind", lines)
    columns = [(a, *(str(int(ward in same)) for same in (["north"], ["south"], ["9", "9.0"])), kind) for a, ward, kind in lines]
    want, _, other = outcome("by-hand.yaml", "a,n,s,nine,kind", columns)
    assert got == want, (got, want)
    assert summary["data"]["columns"] == other["data"]["columns"] == 4, summary["data"]
    # What a row says, in whatever columns, moves a clipped gradient by 2 clip / rows at most: nothing is added by the list.
    assert summary["data"]["sensitivity"] == other["data"]["sensitivity"], (summary["data"], other["data"])
    assert notes["cells_unlisted"] == sum(ward == "Mars" for _, ward, _ in lines) > 0, notes
    remarks = summary["variants"][2]["remarks"]
    assert any("counts as 0 in all of these" in remark for remark in remarks), remarks
    assert not any("not covered" in remark for remark in remarks), remarks
    # Nothing is found from the rows: a word that nobody else says is as good as another.
    strange = [lines[0][:1] + ("Venus",) + lines[0][2:]] + lines[1:]
    stranger = [lines[0][:1] + ("Pluto",) + lines[0][2:]] + lines[1:]
    assert outcome("listed.yaml", "a,ward,kind", strange)[0] == outcome("listed.yaml", "a,ward,kind", stranger)[0]
    # Empty cells: refused, dropped, or with `mean` none of the values.
    empty = [lines[0][:1] + ("",) + lines[0][2:]] + lines[1:]
    got, notes, _ = outcome("listed.yaml", "a,ward,kind", empty, "data.missing=mean")
    assert got == outcome("listed.yaml", "a,ward,kind", strange)[0] and notes["cells_filled"] == 1, notes
    assert outcome("listed.yaml", "a,ward,kind", empty, "data.missing=drop")[1]["rows_incomplete"] == 1
    FILES["wards.csv"] = b"a,ward,kind\n1,,no\n" + b"1,north,yes\n2,south,no\n" * 20
    bad = {"values: [north, south, 9]": (("values: [9, 9.0]", "'9.0' is listed twice"),
                                         ("values: north", "give it a list such as"),
                                         ("bounds: [0, 1], values: [north]", "bounds and values"),
                                         ("values: []", "needs bounds"), ("values: [9]}, {name: ward, values: [north]", "'ward' is declared twice"), ("valeus: [north]", "did you mean 'values'"),
                                         ("bounds: [0, 1]", "onehot needs a public list")),
           "categories: onehot, ": (("", "give categories: onehot"),)}
    check([Case("run listed.yaml -o out", 2, err="column 'ward': the cell is empty", files=FILES)] +
         [Case("run bad.yaml -o out", 2, err=why, files={**FILES, "bad.yaml": listed.replace(old, new).encode()})
          for old, cases in bad.items() for new, why in cases] + [
        Case("run bad.yaml -o out", 2, err="does not apply to task mean", files={
            **FILES, "bad.yaml": MEAN.replace("row: one", "categories: onehot, row: one").encode()}),
        Case("run bad.yaml -o out", 2, err="values are of features that are learnt from", files={
            **FILES, "bad.yaml": MEAN.replace("bounds: [-4, 4]", "values: [1, 2]")
            .replace("kind: mean", "kind: mean, bounds: [0, 1]").encode()}),
    ])


def public_ranges():
    """With declared ranges nothing is found from the rows: what one row says changes no other."""
    base = LEARN.replace('features: "a, b"', "columns: [{name: a, bounds: [-3, 3]}, {name: b, bounds: [-3, 3]}]")
    lines = rows().decode().splitlines()
    noiseless = ["privacy.epsilon=inf", "output.repeat=1"]
    FILES["ranges.yaml"] = base.encode()
    summary, _, _, err = study("ranges")
    assert "not covered" not in err and "not covered" in study("learn")[3], err
    outcomes = []
    for last in (lines[-1], "3,-3,yes", "1000,-1000,yes"):
        FILES["rows.csv"] = ("\n".join(lines[:-1] + [last]) + "\n").encode()
        with tempfile.TemporaryDirectory() as folder:
            for file, content in FILES.items():
                pathlib.Path(folder, file).write_bytes(content)
            code, _, err = run(["run", "ranges.yaml", "-o", "out"] +
                               [word for one in noiseless for word in ("--set", one)], folder)
            assert code == 0, err
            told = json.loads(pathlib.Path(folder, "out/private.json").read_text())
            outcomes.append(told["variants"][0]["error"]["objective"]["mean"])
    assert outcomes[1] == outcomes[2], outcomes  # beyond its range a value is its end
    FILES["rows.csv"] = rows()
    check([
        Case("run ranges.yaml -o out --set 'data.features=a'", 2, err="excludes data.features", files=FILES),
        Case("run one.yaml -o out", 2, err="needs bounds",
             files={**FILES, "one.yaml": base.replace("{name: b, bounds: [-3, 3]}", "{name: b}").encode()}),
    ])


def audits():
    """Attacked where nodes are unequal and batches take turns: what is found stays below the claim, and near it."""
    FILES["owned-learn.yaml"] = LEARN.replace('features: "a, b"', "features: all but id").encode()
    words = ["audit", "owned-learn.yaml", "--from", "0", "--to", "1", "--runs", "6000", "-o", "out", "--json"]
    for setting in ("data.csv=owned.csv", "data.owner=hospital", "graph.family=ring 4", "data.batches=cyclic:3"):
        words += ["--set", setting]
    with tempfile.TemporaryDirectory() as folder:
        for file, content in {**FILES, "owned.csv": owned()}.items():
            pathlib.Path(folder, file).write_bytes(content)
        code, out, err = run(words, folder)
        assert code == 0, err
    assert "refuted" not in out and "consistent" in out, out
    # Rows that each phase draws anew, at a noise that makes the draws matter.
    for rate in (0.3, 1):
        with tempfile.TemporaryDirectory() as folder:
            for file, content in FILES.items():
                pathlib.Path(folder, file).write_bytes(content)
            words = ["audit", "declared.yaml", "--from", "0", "--to", "1", "--runs", "6000", "-o", "out", "--json"]
            for setting in ("privacy.change=add-remove", f"data.batches=poisson:{rate}", "privacy.epsilon=4"):
                words += ["--set", setting]
            code, out, err = run(words, folder)
            assert code == 0, err
        for one in json.loads(out)["audits"]:
            found, claim = one["evidence"]["epsilon"], one["claim"]["epsilon"]
            assert one["verdict"] != "refuted" and one["claim"]["delta"] == 1e-5, one
            assert 0.1 * claim < found <= claim, (rate, one)


def both_doors():
    """What a study says of rows is what `netdp loss` and `netdp calibrate` say by their options."""
    FILES["owned.csv"] = owned()
    FILES["owned-learn.yaml"] = LEARN.replace('features: "a, b"', "rows: {north: 9, east: 20, west: 50, south: 120}, columns: ["
                                              "{name: x, bounds: [0, 4]}, {name: z, bounds: [-3, 3]}, "
                                              "{name: kind, values: [N, P]}]").encode()
    # By their bytes: east, north, south, west; 80 in 100 of the rows train.
    shared = "--family 'hypercube 2' --protocol muffliato-sgd --rounds 24 --inner 3 --dither 0.1 --as dp:1e-5 --json"
    owner = ["data.csv=owned.csv", "data.owner=hospital", "graph.family=hypercube 2"]
    cases = [([], "--protects row"),
             (["data.batches=cyclic:4"], "--protects row --batches cyclic:4"),
             (["data.batches=cyclic:4", "privacy.quiet=optimal"], "--cycle 4 --quiet optimal"),
             (["privacy.change=add-remove"], "--protects row --change add-remove"),
             (["privacy.change=add-remove", "data.batches=poisson:0.3"],
              "--protects row --change add-remove --batches poisson:0.3"),
             (["privacy.protects=node"], "--protects node")]
    summary, losses, _, _ = study("owned-learn", *owner)
    least = round(2 * 0.5 / summary["data"]["sensitivity"])
    held = [round(least / math.sqrt(float(losses[u, u ^ 1][0]) / 8)) for u in range(4)]  # a neighbour sees all 8 phases
    assert min(held) == least and len(set(held)) == 4, held
    for settings, options in cases:
        summary, losses, _, _ = study("owned-learn", *owner, *settings)
        gossip = summary["variants"][2]
        rows = "" if "node" in options else "--rows " + ",".join(map(str, held))
        code, out, err = run(shlex.split(f"loss {shared} {options} {rows} --noise {gossip['noise']!r}"), ".")
        assert code == 0, (options, err)
        found = json.loads(out)
        assert found["threat"]["adjacency"] == summary["threat"]["adjacency"].split(" (a row")[0], found["threat"]
        assert (found["bound"], found["sound"], found["certified"]) == tuple(
            gossip["guarantee"][key] for key in ("bound", "sound", "certified")), (found, gossip["guarantee"])
        for pair in found["losses"]:
            close(pair["value"], float(losses[pair["from"], pair["to"]][-1]), 1e-12, 1e-6)
        code, out, err = run(shlex.split(f"calibrate {shared} {options} {rows} --target 2"), ".")
        assert code == 0, (options, err)
        close(json.loads(out)["noise"], gossip["noise"], 0, 1e-6)
    name = "loss --family 'ring 4' --protocol gossip-sgd --rounds 4"
    check([
        Case(f"{name} --protects rows", 2, err="--protects: 'rows' is not known here; give node or row"),
        Case(f"{name} --protects row --change add", 2, err="give replace or add-remove"),
        Case(f"{name} --change add-remove", 2, err="add-remove goes with .*row; it is of rows"),
        Case(f"{name} --protects row --batches poisson:0.5", 2, err="not proven here"),
        Case(f"{name} --batches poisson:0.5 --change add-remove", 2, err="add-remove goes with .*row; it is of rows"),
        Case(f"{name} --protects row --batches cyclic", 2, err="--batches: .*none of full"),
        Case(f"{name} --protects row --cycle 2 --batches cyclic:2", 2, err="give one of them"),
        Case(f"{name} --protects node --cycle 2", 2, err="give --protects row"),
        Case(f"{name} --rows 1,2,3,4", 2, err="give --protects row"),
        Case(f"{name} --protects row --rows 1,2,3", 2, err="3 numbers; there are 4 nodes"),
        Case(f"{name} --protects row --rows 1,2,3,4,5", 2, err="'5'; give a whole number"),
        Case(f"{name} --protects row --rows 1,2,3,0", 2, err="'0'; give a whole number"),
        Case(f"{name} --protects row --rows 2,2,4,8 --from 3 --to 0 --bound everything --json",
             check=lambda found: close(json.loads(found)["losses"][0]["value"], 4 / 16, 0, 1e-9)),
        Case(f"{name} --protects row --rows held --from 3 --to 0 --bound everything --json",
             check=lambda found: close(json.loads(found)["losses"][0]["value"], 4 / 16, 0, 1e-9), files={"held": b"2\n2\n4\n8\n"}),
        Case(f"{name} --protects row --change add-remove --batches poisson:0.5", 2, err="dp:DELTA"),
        Case("loss --family 'ring 4' --rounds 4 --protects row --batches cyclic:2", 2, err="apply to gossip-sgd"),
        Case("loss --family 'ring 4' --protocol gossip-sgd --rounds 4 --cycle 2 --quiet optimal --certify yes --json",
             check=lambda found: json.loads(found)["certified"] or 1 / 0),
        Case("loss --family 'ring 4' --mixing none --protocol gossip-sgd --rounds 4 --to 0"),
        Case("loss --family 'ring 4' --protocol walk --rounds 4 --noise 1 --protects row", 2, err="does not apply to walk"),
    ])


def stochastic():
    """Row-stochastic W: learning only, by the account that asks nothing of W; and noise designed for all models."""
    name = "--family florentine --mixing rows --protocol gossip-sgd --rounds 12 --cycle 3 --noise 2 --as gdp --json --to 0"
    worst = lambda found: close(json.loads(found)["summary"]["max"], 1, 0, 1e-5)  # k = 4: 2 / noise
    other = "--family 'hypercube 3' --protocol muffliato-sgd --rounds 12 --inner 2 --cycle 3 --dither 0.1 --to 0 --json"
    with tempfile.TemporaryDirectory() as folder:
        names = ["--quiet optimal --workload gossip", "--quiet q.txt", "--quiet optimal"]
        code, _, err = run(["design", "--family", "hypercube 3", "--phases", "6", "--inner", "2", "--cycle", "3",
                            "--output", "q.txt"], folder)
        assert code == 0, err
        found = []
        for one in names:
            code, out, err = run(shlex.split(f"loss {other} {one}"), folder)
            assert code == 0, err
            found.append([pair["value"] for pair in json.loads(out)["losses"]])
    for by_name, by_file in zip(found[0], found[1]):
        close(by_name, by_file, 0, 1e-9)
    assert any(abs(one - two) > 1e-4 for one, two in zip(found[0], found[2])), found
    FILES["steps.yaml"] = LEARN.replace("muffliato-sgd, rounds: 24, inner: 3", "gossip-sgd, rounds: 24").replace(
        ", dither: 0.1", "").encode()
    summary, losses, _, _ = study("steps", "protocol.kind=gossip-sgd", "mixing.weights=rows", "graph.family=star 8",
                                  "data.batches=cyclic:4", "privacy.quiet=optimal", "privacy.workload=gossip")
    assert summary["variants"][2]["guarantee"]["bound"] == "everything", summary["variants"][2]["guarantee"]
    assert all(float(row[1]) <= 2 for row in losses.values()), losses
    check([
        Case(f"loss {name}", check=worst),
        Case(f"loss {name} --quiet optimal --workload gossip", check=worst),
        Case(f"loss {name} --quiet optimal --workload gosip", 2, err="give sums or gossip"),
        Case(f"loss {name} --bound linear", 2, err="everything and phase-release only"),
        Case("loss --family florentine --mixing rows --protocol muffliato-sgd --rounds 4 --bound phase-release", 2,
             err="phase-release needs a symmetric W"),
        Case("loss --family florentine --mixing rows --rounds 4", 2, err="not symmetric"),
        Case("loss --family florentine --mixing rows --protocol stream --rounds 4", 2, err="not symmetric"),
        Case("loss --family florentine --mixing rows --protocol walk --rounds 40 --noise 2", 2, err="not symmetric"),
        Case("graph info --family florentine --mixing rows", 2, err="not symmetric"),
        Case("claim C-theorem-1 --family florentine --mixing rows rounds=4 noise=1 dither=0.1 from=1 to=0", 2,
             err="not symmetric"),
        # Where all degrees are equal it is Metropolis's matrix, which every account knows.
        Case("loss --family 'ring 6' --mixing rows --rounds 4 --to 0"),
        Case("audit learn.yaml --set mixing.weights=rows --set 'graph.family=star 8' --from 1 --to 0 -o out", 2,
             err="symmetric", files=FILES),
    ])


def hospitals():
    """The hospitals of docs/studies.md, where its data are: as good as a trusted aggregator, towards any three that collude."""
    held = next((path for path in (pathlib.Path(os.environ.get("NETDP_DATA", "."), "houses.csv"),
                                   pathlib.Path(SOURCE, "data/houses.csv"),
                                   pathlib.Path(SOURCE, "../shared/data/houses.csv")) if path.exists()), None)
    if held is None:
        print("no houses.csv: the hospitals are left out")
        return
    with tempfile.TemporaryDirectory() as folder:
        code, out, err = run(["run", str(pathlib.Path(SOURCE, "experiments/hospitals.yaml")), "--data",
                              str(held.parent.resolve()), "-o", "out"], folder)
        assert code == 0, err
        summary = json.loads(pathlib.Path(folder, "out/summary.json").read_text())
        told = json.loads(pathlib.Path(folder, "out/private.json").read_text())
    accuracy = {one["name"]: one["error"]["accuracy"]["mean"] for one in told["variants"]}
    variants = {one["name"]: one for one in summary["variants"]}
    for name in ("one record", "batches in a cycle"):
        assert accuracy[name] >= accuracy["central"] - 0.005, accuracy
        assert variants[name]["guarantee"]["sound"] and variants[name]["guarantee"]["worst"]["epsilon"] <= 1
        assert variants[name]["guarantee"]["pairs"]["hidden_among"] == 13
    assert accuracy["whole hospital"] < 0.8, accuracy
    # Towards three nodes and everything that is sent: 1 / 13 and what kappa leaves of the rest, 20 phases.
    sigma = variants["one record"]["noise"]
    assert epsilon_of(math.sqrt(20 / 13) / sigma, 1e-6) <= 1 + 1e-9
    assert epsilon_of(math.sqrt(20 * (1 / 13 + 12 / 13 / 1301)) / sigma, 1e-6) >= 1 - 2e-3
    assert "any 3 of them may collude" in out and summary["threat"]["pool"] == 3, out


def refusals():
    learn = "run learn.yaml -o out "
    check([
        Case(learn + "--set privacy.change=add-remove --set privacy.protects=node", 2,
             err="add-remove goes with .*row; it is of rows", files=FILES),
        Case(learn + "--set data.batches=poisson:0.1", 2, err="poisson is accounted for with change add-remove",
             files=FILES),
        Case(learn + "--set data.batches=thirds", 2, err="none of full, cyclic:B and poisson:Q", files=FILES),
        Case(learn + "--set task.batch=3", 2, err="draws a fixed number of rows", files=FILES),
        Case("run walk.yaml -o out --set data.batches=cyclic:2", 2, err="applies to gossip that learns",
             files={**FILES, "walk.yaml": LEARN.replace("muffliato-sgd, rounds: 24, inner: 3", "walk, rounds: 24")
                    .replace(", dither: 0.1", "").encode()}),
        Case("run mean.yaml -o out --set data.batches=cyclic:2", 2, err="does not apply to task mean",
             files=FILES),
        Case("run mean.yaml -o out --set protocol.kind=complete-sum --set task.kind=sum --set 'graph.family=complete 8' "
             "--set 'task.bounds=[-4, 4]'", 2, err="row does not apply to complete-sum",
             files={**FILES, "mean.yaml": MEAN.replace("rows: 400, ", "").encode()}),
        Case("run mean.yaml -o out --set protocol.kind=complete-sum --set task.kind=sum --set 'graph.family=complete 8' "
             "--set 'task.bounds=[-4, 4]'", 2, err="data.rows: does not apply to complete-sum", files=FILES),
    ])


if __name__ == "__main__":
    main([], [means, learning, nodes_and_rows, owners, empty_cells, categories, public_ranges, audits, both_doors, stochastic,
              hospitals, refusals])

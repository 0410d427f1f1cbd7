#!/usr/bin/python3
"""netdp predict: models of runs applied to new rows, against a few lines of Python that read the model's JSON alone; columns by
their names, what is missing or unknown refused with the nearest name, empty cells, classes as the study writes them."""
import csv
import io
import json
import math
import os
import pathlib
import random
import re
import subprocess
import tempfile

NETDP = os.environ["NETDP_COMMAND"]
WARDS = ["north", "south, old", "east"]
HEAD = "title: Predict\nseed: 3\ngraph: {family: complete 4}\nprotocol: {kind: muffliato-sgd, rounds: 60, inner: 3}\n" \
       "privacy: {epsilon: 500, delta: 1e-5}\noutput: {repeat: 2}\n"
DECLARED = '[{name: age, bounds: [0, 90]}, {name: ward, values: [north, "south, old", east]}, {name: bmi, bounds: [10, 60]}%s]'
STUDIES = {
    "logistic": HEAD + "data: {csv: rows.csv, label: ill, categories: onehot, missing: drop, columns: "
    + DECLARED % ', {name: ill, values: ["yes", "no"]}' + "}\ntask: {kind: logistic, clip: 1, step: 0.7, intercept: true}\n",
    "softmax": HEAD + "data: {csv: rows.csv, label: stage, categories: onehot, missing: mean, columns: "
    + DECLARED % ', {name: stage, values: [1, 2, 3]}' + "}\ntask: {kind: softmax, clip: 1, step: 0.7}\n",
    "ridge": HEAD + "data: {csv: rows.csv, label: days, categories: onehot, missing: drop, columns: "
    + DECLARED % ", {name: days, bounds: [0, 40]}" + "}\ntask: {kind: ridge, clip: 1, step: 0.3, intercept: true}\n",
    "found": HEAD + 'data: {csv: rows.csv, label: days, features: "age, bmi, fixed", missing: mean}\n'
    "task: {kind: ridge, clip: 1, step: 0.3}\n",
    "texts": HEAD + 'data: {csv: rows.csv, label: ill, features: "bmi, age", missing: drop}\ntask: {kind: logistic, clip: 1, step: 0.7}\n',
    "drawn": HEAD + "data: {synthetic: linear-model 3 variance=0.5 noise=0.1 rows=20, split: 0.8}\n"
    "task: {kind: ridge, clip: 1, step: 0.3, intercept: true}\n",
    "radius": HEAD + "data: {synthetic: gaussian-classes 2 mean=1 variance=2 rows=20, radius: 0.5, split: 0.8}\n"
    "task: {kind: logistic, clip: 1, step: 0.3}\n",
}


def rows():
    draw = random.Random(2)
    for number in range(240):
        age, ward, bmi = draw.uniform(-5, 100), draw.choice(WARDS + ["west"]), draw.uniform(8, 65)
        score = (age - 50) / 20 + (bmi - 30) / 10 + (ward == "east") + draw.gauss(0, 0.5)
        yield {"id": str(number), "age": repr(age), "ward": ward, "bmi": repr(bmi), "ill": "yes" if score > 0 else "no",
               "stage": str(1 + (score > -0.5) + (score > 1)), "days": repr(min(60, max(-3, 15 + 8 * score))), "fixed": "7"}


def table(lines, names):
    into = io.StringIO()
    writer = csv.DictWriter(into, names, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return into.getvalue()


def features(model, row):
    """What the study makes of a row; None: a cell is empty and such rows have no prediction."""
    x = []
    for column in model["features"]:
        text = row.get(column["name"], "")
        if column.get("constant"):
            continue
        if text == "" and model["missing"] != "mean":
            return None
        if "values" in column:
            x += [float(text == value) for value in column["values"]]
        elif text == "":
            x.append(0.0)
        elif "low" in column:
            held = min(max(float(text), column["low"]), column["high"])
            x.append(2 * (held - column["low"]) / (column["high"] - column["low"]) - 1)
        elif "mean" in column:
            x.append((float(text) - column["mean"]) / column["deviation"])
        else:
            x.append(float(text))
    norm = math.hypot(*x)
    if model["rows"] == "unit norm" and norm > 0:
        x, norm = [part / norm for part in x], 1
    if model.get("radius", math.inf) < norm:
        x = [part / norm * model["radius"] for part in x]
    return x + [1.0] * model["intercept"]


def expect(model, row):
    x, label = features(model, row), model["label"]
    if x is None:
        return None
    if model["kind"] == "ridge":
        y = sum(a * b for a, b in zip(x, model["weights"]))
        return label["low"] + (label["high"] - label["low"]) * (y + 1) / 2 if "low" in label else \
            label["mean"] + label["deviation"] * y if "mean" in label else y
    margins = [0.0, sum(a * b for a, b in zip(x, model["weights"]))] if model["kind"] == "logistic" else \
        [sum(a * b for a, b in zip(x, weight)) for weight in model["weights"]]
    total = sum(math.exp(margin) for margin in margins)
    return [math.exp(margin) / total for margin in margins]


def call(folder, *arguments, code=0, given=None):
    done = subprocess.run([NETDP, *arguments], cwd=folder, capture_output=True, text=True, check=False, input=given)
    assert done.returncode == code, (arguments, done.returncode, done.stdout[-500:], done.stderr)
    return done.stdout, done.stderr


def agree(model, lines, out):
    said = list(csv.DictReader(io.StringIO(out)))
    assert len(said) == len(lines)
    whole = 0
    for row, answer in zip(lines, said):
        want = expect(model, row)
        if want is None:
            assert set(answer.values()) == {""}, answer
            continue
        whole += 1
        if model["kind"] == "ridge":
            assert abs(float(answer["prediction"]) - want) <= 1e-12 * max(1, abs(want)), (answer, want)
            continue
        values = model["label"]["values"]
        assert list(answer) == ["prediction"] + ["p:" + value for value in values], list(answer)
        got = [float(answer["p:" + value]) for value in values]
        assert max(abs(a - b) for a, b in zip(got, want)) < 1e-12 and answer["prediction"] == values[want.index(max(want))], (got, want)
    return whole


def check(folder):
    lines = list(rows())
    pathlib.Path(folder, "rows.csv").write_text(table(lines, list(lines[0])), encoding="utf-8")
    for name, study in STUDIES.items():
        pathlib.Path(folder, f"{name}.yaml").write_text(study, encoding="utf-8")
        call(folder, "run", f"{name}.yaml", "-o", name)
        path = pathlib.Path(folder, name, "model-1.json")
        assert path.stat().st_mode & 0o077 == 0, "others may read it"
        held = json.loads(path.read_text(encoding="utf-8"))
        model = held["model"]
        assert "seed" in held["predictions"] and ("assumed public" in model["scales"]) == (name in ("found", "texts")), held
        first = model["weights"][0][0] if model["kind"] == "softmax" else model["weights"][0]
        assert repr(first)[:12] not in pathlib.Path(folder, name, "summary.json").read_text(encoding="utf-8"), "a model goes to others"
        asked = [dict(row) for row in lines] if name not in ("drawn", "radius") else \
            [{f"x{k}": repr(random.Random(7 * n + k).gauss(0, 2)) for k in (1, 2, 3)} for n in range(50)]
        names = [column["name"] for column in model["features"]]
        if name not in ("drawn", "radius"):
            asked[3]["bmi"] = asked[5]["age"] = ""
            asked[8]["age"], asked[9]["bmi"] = "1e300", "-1e300"
            names = names[::-1] + [model["label"]["name"]]  # by their names, in any order; the label is not looked at
            asked[10][model["label"]["name"]] = "whatever"
        given = table(asked, names)
        out, err = call(folder, "predict", name, "-", given=given)
        assert agree(model, asked, out) == len(asked) - (2 if model["missing"] == "drop" else 0), name
        assert "seed" in err, err
        # One that was never near the training: the largest margins are no NaN.
        assert "nan" not in out.lower()
    refuse(folder, lines)


def refuse(folder, lines):
    names = ["age", "ward", "bmi"]
    first = lines[:3]
    put = lambda text: pathlib.Path(folder, "new.csv").write_text(text, encoding="utf-8")
    ask = lambda *more, code=2: call(folder, "predict", "logistic", "new.csv", *more, code=code)
    put(table(first, names).replace("bmi", "bmj", 1))
    assert "new.csv:1: the model needs column 'bmi', which is not there; the nearest name is 'bmj'" in ask()[1]
    put(table(first, names + ["id", "days"]))
    assert "new.csv:1: the model has no column 'id'" in ask()[1]
    assert "no column 'idd'; the nearest name is 'id'" in ask("--keep", "idd, days")[1]
    out, _ = ask("--keep", "id, days", code=0)
    assert out.splitlines()[0] == "id,days,prediction,p:yes,p:no" and out.splitlines()[2].startswith(f"1,{lines[1]['days']},"), out
    assert ask("--keep", "all", code=0)[0].splitlines()[0] == "age,ward,bmi,id,days,prediction,p:yes,p:no"
    put(table(first, names) + "50,east\n")
    assert "new.csv:5: the header has 3 cells and this row has 2" in ask()[1]
    put(table(first, names) + "fifty,east,30\n")
    out, err = ask("-o", "out.csv")
    assert "new.csv:5: column 'age': 'fifty' is not a finite number" in err and out == "" and not pathlib.Path(folder, "out.csv").exists()
    put("age,ward,bmi,age\n1,east,2,3\n")
    assert "two columns have the name 'age'" in ask()[1]
    put(table(first, names) + ",nowhere,99\n")
    assert "new.csv:5: column 'age': the cell is empty" in ask("--missing", "refuse")[1]
    out, err = ask(code=0)
    assert out.splitlines()[4] == ",," and "without a prediction, for an empty cell: 1" in err, (out, err)
    out, err = ask("--missing", "mean", "--out", "out.csv", code=0)
    assert out == "" and pathlib.Path(folder, "out.csv").read_text(encoding="utf-8").count(",") == 10
    assert "of the listed values: 1" in err and "beyond the range of the study" in err and "empty cells, which count" in err, err
    assert "--missing: 'zero'" in ask("--missing", "zero")[1]
    put("")
    assert "is empty" in ask()[1]
    assert "holds no model" in call(folder, "predict", "logistic/summary.json", "new.csv", code=2)[1]
    assert "not JSON" in call(folder, "predict", "logistic.yaml", "new.csv", code=2)[1]
    assert call(folder, "predict", "nowhere", "new.csv", code=3)[1].count("\n") == 1
    assert "has neither result.json nor model-1.json" in call(folder, "predict", ".", "new.csv", code=2)[1]
    # Several variants: one is named.
    pathlib.Path(folder, "two.yaml").write_text(STUDIES["ridge"] + "variants:\n  - {name: short, protocol: {rounds: 6}}\n  - {name: long}\n", encoding="utf-8")
    call(folder, "run", "two.yaml", "-o", "two")
    put(table(first, names))
    err = call(folder, "predict", "two", "new.csv", code=2)[1]
    assert "several models: name a variant; it has those of 'short', 'long'" in err, err
    assert "no model of that variant" in call(folder, "predict", "two", "new.csv", "--variant", "longer", code=2)[1]
    long, _ = call(folder, "predict", "two", "new.csv", "--variant", "long")
    short, _ = call(folder, "predict", "two/model-1.json", "new.csv")
    assert long != short and call(folder, "predict", "ridge", "new.csv")[0] == long
    # A model through a pipe, which is read once.
    piped = subprocess.run([NETDP, "predict", "-", "new.csv"], cwd=folder, input=pathlib.Path(folder, "ridge", "model-1.json").read_bytes(),
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert (piped.returncode, piped.stdout.decode()) == (0, long), piped
    # What was changed by hand is refused, not used; also of an earlier netdp, which wrote no digest.
    path = pathlib.Path(folder, "ridge", "model-1.json")
    whole = path.read_text(encoding="utf-8")
    bare, told = re.subn(r',\s*"sha256": "[0-9a-f]{64}"', "", whole)
    assert told == 1
    path.write_text(bare, encoding="utf-8")
    assert call(folder, "predict", "ridge", "new.csv")[0] == long
    for old, new in (('"low": 0.0', '"low": 90.0'), ('"kind": "ridge"', '"kind": "rigde"'), ('"name": "age",', '"name": "age", "values": [],'),
                     ('"weights": [', '"weights": [0.5,'), ('"weights": [', '"weights": ["inf",'), ('"name": "bmi"', '"nam": "bmi"')):
        assert old in whole, old
        path.write_text(bare.replace(old, new, 1), encoding="utf-8")
        err = call(folder, "predict", "ridge", "new.csv", code=2)[1]
        assert err.count("\n") == 1 and "model" in err and "sha256" not in err, err
        path.write_text(whole.replace(old, new, 1), encoding="utf-8")
        err = call(folder, "predict", "ridge", "new.csv", code=2)[1]
        assert err.count("\n") == 1 and "was changed since netdp wrote it" in err, err
    # One bit of it, by a bad disk: refused, or one of the name of the digest, and nothing else is another.
    draw, noticed = random.Random(7), 0
    places = [draw.randrange(8 * len(whole)) for _ in range(60)] + [8 * (whole.index('"sha256"') + 2)]
    for place in places:
        bits = bytearray(whole.encode())
        bits[place // 8] ^= 1 << place % 8
        path.write_bytes(bytes(bits))
        done = subprocess.run([NETDP, "predict", "ridge", "new.csv"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        assert (done.returncode, done.stderr.count(b"\n")) == (2, 1) or done.stdout.decode() == long, (place, done)
        noticed += done.returncode == 2
    assert noticed >= 58, noticed


with tempfile.TemporaryDirectory() as room:
    check(room)
print(f"{len(STUDIES)} models")

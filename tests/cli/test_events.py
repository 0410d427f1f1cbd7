#!/usr/bin/python3
"""netdp loss --events: the list of a pair's account, converted back, gives the account; whatever the protocol, unit, batches."""
import json
import pathlib
import random
import shlex
import tempfile

from harness import LIGHT, SOURCE, Case, close, fails, main, read_json, run

ROW = "--protects row --rows {rows}"
# Protocol and settings, and how far above the account the list may be: laws of walks are rounded up into classes.
ASKED = [
    ("--family 'ring 9' --rounds {t}", 0),
    ("--family 'ring 9' --rounds {t} --dither 0.2 --sees sum", 0),
    ("--family 'ring 9' --rounds {t} --pair-graph edges --pair-noise 2", 0),
    ("--family 'ring 9' --protocol stream --rounds {t} --every 2 --at-most 3", 0),
    ("--family 'ring 4' --protocol random-averaging --rounds {t} --seed 4", 0),
    ("--family 'hypercube 3' --protocol gossip-sgd --rounds {t}", 0),
    ("--family 'hypercube 3' --protocol gossip-sgd --rounds {t} " + ROW + " --change add-remove", 0),
    ("--family 'hypercube 3' --protocol async-gossip-sgd --rounds {t}", 0),
    ("--family 'hypercube 3' --protocol muffliato-sgd --rounds {t} --inner 3 " + ROW + " --batches cyclic:3", 0),
    ("--family 'hypercube 3' --protocol muffliato-sgd --rounds {t} --inner 3 " + ROW + " --change add-remove --batches poisson:{q}", 0),
    ("--family 'hypercube 3' --protocol muffliato-sgd --rounds {t} --inner 3 --dither 0.3 --bound phase-release " + ROW +
     " --change add-remove --batches poisson:{q}", 0),
    ("--family 'hypercube 3' --protocol gossip-sgd --rounds {t} " + ROW + " --change add-remove --batches poisson:{q}", 0),
    ("--family 'hypercube 3' --protocol gossip-sgd --rounds {t} " + ROW + " --change add-remove --batches poisson:1", 0),
    ("--family 'ring 9' --protocol walk --rounds {t}", 0.02),
    ("--family 'ring 9' --protocol walk --rounds {t} --cap 2", 0.02),
    ("--family 'hypercube 3' --protocol walk --rounds {t} --cap 3 --path tour", 0),
    ("--family 'hypercube 3' --protocol walk --rounds {t} --path public --path-seed 8", 0),
    ("--family 'ring 9' --protocol ring-sum --rounds 3", 0),
    ("--family 'ring 9' --protocol ring-sum --rounds 3 --mechanism laplace", 0),
    ("--family 'complete 9' --protocol complete-sum --rounds {t}", 0),
    ("--family 'complete 9' --protocol complete-sum --rounds {t} --mechanism laplace", 0),
    ("--family 'ring 9' --protocol ring-histogram --rounds 2 --flip 0.4 --levels 3", 0),
    ("--family 'ring 40' --protocol ring-histogram --rounds 1 --flip 0.4 --levels 3 --shuffle least", 0),
    ("--family 'complete 12' --protocol complete-histogram --rounds {t} --flip 0.6 --levels 4", 0),
]


def converted(line, delta, folder):
    """What the account says, and what its list says."""
    code, out, err = run(["loss", *shlex.split(line), "--as", f"dp:{delta!r}", *([] if "--from" in line else ["--from", "1", "--to", "0"]), "--json",
                          "--events", "list.json"], folder)
    assert code == 0, (line, err)
    account = read_json(out)["summary"]["max"]
    code, out, err = run(["convert", "events:list.json", "--to", f"dp:{delta!r}", "--json"], folder)
    assert code == 0, (line, err)
    return account, read_json(out)["value"], json.loads(pathlib.Path(folder, "list.json").read_text())


def lists():
    draw = random.Random(42)
    for line, above in ASKED:
        most = 0
        for _ in range(1 if LIGHT else 2):
            asked = line.format(t=3 * draw.randint(2, 9), q=round(draw.uniform(0.05, 0.95), 3),
                                rows=",".join(str(draw.randint(5, 40)) for _ in range(8)))
            if "histogram" not in line:
                asked += f" --noise {draw.uniform(1.2, 6):.3f}"
            delta = 10 ** draw.uniform(-8, -2)
            with tempfile.TemporaryDirectory() as folder:
                account, back, events = converted(asked, delta, folder)
            most = max(most, account)
            assert account * (1 - 1e-12) <= back <= account * (1 + above + 1e-9), (asked, delta, account, back, events)
        assert most > 0 or LIGHT, line


def paid():
    """A walk that pays for its matrix: the account adds two epsilons, the list composes them, and gives no more but for classes of costs."""
    draw, less = random.Random(5), 0
    for family, low, high in (("star 9", 1, 2), ("path 7", 1, 1.2), ("star 9", 1, 1.2), ("davis", 2, 3)):
        for cap in (1, 3):
            line = (f"--family '{family}' --mixing hastings:degree --protocol weighted-walk --rounds {draw.randint(4, 40)} --cap {cap} "
                    f"--noise {draw.uniform(1, 4):.3f} --gamma {draw.choice((3, 8, 40))},{low},{high}")
            delta = 10 ** draw.uniform(-4, -1.5)
            with tempfile.TemporaryDirectory() as folder:
                account, back, events = converted(line, delta, folder)
            law = sum(event["epsilon"] for event in events if event["mechanism"] == "approximate")
            assert account == 0 or law <= account and 0 <= back <= account * 1.02, (line, delta, account, back, law)
            less = max(less, account - back)
    assert less > 0, "no list composes to less"


def quiet():
    """A pair that learns next to nothing by a walk: what is added to costs so that they compose is not said to be its epsilon."""
    draw = random.Random(11)
    for line in ("--family 'path 6' --protocol walk --rounds 1 --noise 0.825 --from 2 --to 5",
                 "--family davis --protocol walk --rounds 2 --noise 0.7438 --tokens 4 --from 13 --to set:20,21",
                 "--family davis --protocol weighted-walk --rounds 1 --noise 3.2 --mixing hastings:degree --from 22 --to 30",
                 "--family 'path 9' --protocol walk --rounds 3 --noise 2 --cap 3 --start 0 --from 8 --to 4"):
        for delta in (draw.uniform(0.001, 0.05), 1e-5, 1e-8):
            with tempfile.TemporaryDirectory() as folder:
                account, back, events = converted(line, delta, folder)
            assert account <= 1e-12 and back <= 1e-12, (line, delta, account, back, events)


def phases():
    """A row that is drawn anew in each of 24 phases: 24 subsampled events, each as strong as one phase."""
    line = ("--family 'hypercube 2' --protocol gossip-sgd --rounds 24 --protects row --rows 10,10,10,10 --change add-remove "
            "--batches poisson:0.3 --noise 2")
    with tempfile.TemporaryDirectory() as folder:
        account, back, events = converted(line, 1e-5, folder)
    assert [event["mechanism"] for event in events] == ["subsampled-gaussian"] and events[0]["count"] == 24, events
    close(events[0]["noise"], 2, 0, 1e-12)
    close(account, 3.6952888, 1e-6)
    close(back, account, 0, 1e-12)


def value(least, most):
    """A check: the value lies there, ends included."""
    def look(text):
        got = read_json(text)["value"]
        assert least <= got <= most, (least, got, most)
    return look


def pairs():
    """One (epsilon, delta) at its own delta is its epsilon, at a larger one no more; below it nothing finite holds."""
    draw = random.Random(7)
    cases = []
    for _ in range(40):
        epsilon, delta = draw.uniform(0.01, 9), 10 ** draw.uniform(-12, -0.5)
        cases.append(Case(f"convert approximate:{epsilon!r},{delta!r} --to dp:{delta!r} --json",
                          check=value(epsilon, epsilon)))
        cases.append(Case(f"convert approximate:{epsilon!r},{delta!r} --to dp:{delta * 1.5!r} --json",
                          check=value(0, epsilon)))
        cases.append(Case(f"convert approximate:{epsilon!r},{delta!r} --to dp:{delta * 0.999!r}", out="epsilon = inf"))
    # Exact in doubles, so basic composition is.
    cases.append(Case("convert 'approximate:0.75,0.0001220703125 x4' --to dp:0.00048828125 --json",
                      check=value(2.99, 3)))
    # Where rounding lets the sum pass delta nothing is given away.
    cases.append(Case("convert 'approximate:0.8,0.1 x3' --to dp:0.30000000000000004 --json",
                      check=value(2.2, 2.4000000000000004)))
    complaints = [text for text in map(fails, cases) if text]
    assert not complaints, "\n".join(complaints)


def mechanisms():
    """Against integrals of the densities (tests/oracle/mechanisms_mpmath.py): epsilon at the true delta lies between."""
    for row in json.loads(pathlib.Path(SOURCE, "tests/golden/mechanisms_mpmath.json").read_text()):
        delta, at = float(row["delta"]), row["at"]
        if not 1e-12 < delta < 1:
            continue
        numbers = repr(row["epsilon"]) if row["mechanism"] == "exponential" else f"{row['noise']!r},{row['rate']!r}"
        found = []
        for more in ([], ["--lower"]):
            code, out, err = run(["convert", f"{row['mechanism']}:{numbers}", "--to", f"dp:{delta!r}", "--json", *more], ".")
            assert code == 0, (row, err)
            found.append(read_json(out)["value"])
        assert found[1] <= at + 1e-9 and at - 1e-9 <= found[0] <= at + 1e-5, (row, found)
        assert row["mechanism"] == "exponential" or found[1] >= at - 2e-3, (row, found)


def neighbours():
    """A file that says its neighbours takes no mechanism of the others."""
    of = {"subsampled-gaussian": "add-remove", "subsampled-laplace": "add-remove",
          "gaussian-without-replacement": "replace", "subsampled-gaussian-replaced": "replace", "gaussian": None}
    with tempfile.TemporaryDirectory() as folder:
        for name, theirs in of.items():
            for said in ("replace", "add-remove"):
                event = {"mechanism": name, "noise": 2, **({} if theirs is None else {"rate": 0.2})}
                pathlib.Path(folder, "list.json").write_text(json.dumps({"adjacency": said, "events": [event]}))
                code, out, err = run(["convert", "events:list.json", "--to", "dp:1e-5"], folder)
                if theirs in (None, said):
                    assert code == 0 and not err, (name, said, err)
                else:
                    assert code == 2 and not out and f"event 1: adjacency: {name} is for a row that is" in err, (name, said, out, err)


if __name__ == "__main__":
    main([], [paid, quiet, phases, pairs, mechanisms, neighbours, lists])

#!/usr/bin/python3
"""netdp convert of lists of 2 to 50 events of many kinds, beside another program's bounds from both sides (tests/oracle/composition.py).

MORE says how many lists."""
import json
import os
import pathlib
import random
import sys
import tempfile

from harness import LIGHT, SOURCE, main, read_json, run

sys.path.insert(0, str(pathlib.Path(SOURCE, "tests", "oracle")))
try:
    import mpmath

    import composition
except ImportError as missing:
    print(missing, "so that there is nothing to compare with")
    sys.exit(77)

EITHER = ["gaussian", "laplace", "exponential"]
MOVED = ["subsampled-laplace", "subsampled-gaussian"]
REPLACED = ["gaussian-without-replacement", "subsampled-gaussian-replaced"]


def made_up(draw):
    """A list of one kind of neighbours, two of its events at least of the kinds where chance draws rows."""
    own = draw.choice([MOVED, REPLACED])
    kinds = own + draw.sample(EITHER, draw.randint(0, 2))
    left, events = draw.randint(len(kinds), 50), []
    for k, kind in enumerate(kinds):
        count = draw.randint(1, left - (len(kinds) - k - 1)) if k < len(kinds) - 1 else left
        left -= count
        event = {"mechanism": kind, "count": count}
        if kind == "exponential":
            event["epsilon"] = round(draw.uniform(0.02, 1.5) / count ** 0.5, 4)
        else:
            event["noise"] = round(draw.uniform(0.7, 3) * (1 if kind in own else 1 + count ** 0.5), 3)
        if kind in own:
            event["rate"] = round(draw.choice([0.002, 0.05, 0.3, 0.8]) * draw.uniform(0.5, 1.2), 5)
        events.append(event)
    draw.shuffle(events)
    return events


def lists():
    draw = random.Random(4260)
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(int(os.environ.get("MORE", 3 if LIGHT else 6))):
            events, delta = made_up(draw), draw.choice([1e-3, 1e-5, 1e-7])
            pathlib.Path(folder, "list.json").write_text(json.dumps(events))
            code, out, err = run(["convert", "events:list.json", "--to", f"dp:{delta!r}", "--json"], folder)
            assert code == 0, (events, err)
            value, (low, high) = read_json(out)["value"], composition.bounds(events, delta)
            # The bounds say something: they are close.
            assert low <= value <= 1.01 * high + 1e-5 and high <= 1.03 * low + 1e-3, (events, delta, low, value, high)


def concentrated():
    """rho-zCDP adds up: the least of the curve's bounds, by mpmath, and never below the Gaussian mechanism, which has this rho."""
    draw = random.Random(4261)
    for _ in range(12):
        delta, rho = 10 ** -draw.uniform(3, 9), sum(draw.uniform(1e-4, 0.3) for _ in range(draw.randint(2, 50)))
        found = []
        for given in (f"zcdp:{rho!r}", f"gdp:{(2 * rho) ** 0.5!r}"):
            code, out, err = run(["convert", given, "--to", f"dp:{delta!r}", "--json"], ".")
            assert code == 0, (given, err)
            found.append(read_json(out)["value"])
        ln = mpmath.log(delta)
        # Canonne, Kamath and Steinke 2020, Proposition 12: least where its slope in the order 1 + x is 0.
        best = mpmath.findroot(lambda x: mpmath.diff(lambda y: bound(rho, ln, y), x), mpmath.sqrt(-ln / rho))
        exact = float(bound(rho, ln, best))
        assert found[1] <= found[0] and exact * (1 - 1e-12) <= found[0] <= exact * (1 + 1e-6) + 1e-9, (rho, delta, found, exact)


def bound(rho, ln_delta, x):
    a = 1 + x
    return rho * a + mpmath.log(x / a) - (ln_delta + mpmath.log(a)) / x


if __name__ == "__main__":
    main([], [concentrated, lists])

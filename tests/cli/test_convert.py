#!/usr/bin/python3
"""netdp convert: golden values, sound and unsound conversions, bad numbers."""
import json
import math
import os

from harness import SOURCE, Case, close, main

KEYS = ["from", "to", "value", "certified", "direction"]

with open(os.path.join(SOURCE, "tests/golden/golden.json"), encoding="utf-8") as golden_file:
    SCALARS = json.load(golden_file)["scalars"]


def gives(want, relative=1e-10):
    """`want` from above: never below it by more than its own rounding."""
    def check(got):
        assert got["certified"] is True and got["direction"] == "upper", got
        if isinstance(want, str):
            assert got["value"] == want, got
        else:
            close(got["value"], want, relative=relative)
    return check


def convert(source, target, want, relative=1e-10, more=""):
    return Case(f"convert {source} --to {target} --json {more}", keys=KEYS,
                check=gives(want, relative))


def refused(words, err=None):
    return Case(f"convert {words}", 2, err=err)


def renyi_published(slope, delta):
    """min over a of slope a + ln(1/delta)/(a-1), in closed form."""
    return slope + 2 * math.sqrt(slope * math.log(1 / delta))


CASES = [
    # The golden file has 12 digits.
    *[convert(f"gdp:{row['mu']}", f"dp:{row['delta']}", row["eps"], 2e-11)
      for row in SCALARS["analytic_gaussian"]],
    *[convert(f"dp:{row['eps']},{row['delta']}", "sigma", row["sigma"], 2e-11)
      for row in SCALARS["gaussian_sigma"]],
    convert("gdp:1", "rdp:2", 1),
    convert("gdp:3", "gdp", 3, 0),
    convert("gdp:4", "sigma", 0.25, 0),
    convert("gdp:0", "sigma", "inf"),
    convert("gdp:inf", "sigma", 0, 0),
    convert("gdp:0", "dp:1e-5", 0, 0),
    convert("gdp:inf", "dp:1e-5", "inf"),
    convert("rdp-linear:0.5", "rdp:4", 2),
    convert("rdp:2=0.5,4=1.1", "rdp:2", 0.5),
    convert("rdp:2=0.5,4=1.1", "rdp:4", 1.1),
    # (a-1) eps(a) is interpolated: (0.5 + 3.3) / 2 / 2 at 3.
    convert("rdp:2=0.5,4=1.1", "rdp:3", 0.95),
    convert("rdp-linear:0.5", "dp:1e-6", renyi_published(0.5, 1e-6), 1e-9, "--published"),
    convert("rdp:2=inf", "dp:1e-6", "inf"),
    Case("convert gdp:1 --to dp:1e-5", out=r"^epsilon = 4\.3771780\d+ at delta = 1e-05$"),
    Case("convert gdp:2 --to sigma", out=r"^sigma = 0\.5 "),
    Case("convert gdp:1 --to rdp:2", out=r"at order 2"),
    Case("convert gdp:1 --to gdp", out=r"^mu = 1$"),
    refused("dp:1,1e-6 --to gdp", "not sound"),
    refused("dp:1,1e-6 --to rdp:2", "not sound"),
    refused("dp:1,1e-6 --to dp:1e-7", "not sound"),
    refused("rdp:2=1 --to gdp", "not sound"),
    refused("rdp:2=1 --to sigma", "not sound"),
    refused("rdp-linear:1 --to gdp", "not sound"),
    refused("rdp-linear:1 --to sigma", "not sound"),
    refused("gdp:1 --to dp:1e-5 --published", "--published"),
    refused("rdp-linear:1 --to rdp:2 --published", "--published"),
    refused("gdp:1", "--to: missing"),
    refused("--to gdp", "missing GUARANTEE"),
    refused("gdp:1 gdp:2 --to gdp", "too many"),
    refused("gdp:1 --to gdp:1", "--to"),
    refused("gdp:1 --to nothing", "--to"),
    refused("gdp:1 --to ''", "--to"),
    *[refused(f"{bad} --to dp:1e-6") for bad in
      ("gdp", "gdp:", "gdp:nan", "gdp:-1", "gdp:1.5abc", "gdp:0x1", "gdp:1e999", "gdp:infinity",
       "'gdp: 1'", "rdp:", "rdp:2", "rdp:2=", "rdp:=1", "rdp:1=1", "rdp:0.5=1", "rdp:2=-1",
       "rdp:2=nan", "rdp:4=1,2=1", "rdp:2=1,2=1", "rdp:2=1,", "rdp:inf=1", "rdp-linear:-1",
       "rdp-linear:x", "''", ":", "zcdp:1")],
    *[refused(f"dp:{bad} --to sigma") for bad in
      ("1", "1,", ",1e-6", "1,0", "1,1", "1,2", "-1,1e-6", "nan,1e-6", "1,nan", "1,1e-6,3")],
    *[refused(f"gdp:1 --to dp:{bad}", "--to dp") for bad in
      ("0", "1", "-1e-6", "nan", "inf", "1e-6x", "''")],
    *[refused(f"gdp:1 --to rdp:{bad}", "--to rdp") for bad in
      ("1", "0", "-2", "nan", "inf", "2x", "''")],
]


def never_below(mu, delta):
    """delta(epsilon) at the printed epsilon, in plain arithmetic, does not exceed delta."""
    def check(got):
        epsilon = got["value"]
        upper = 0.5 * math.erfc((epsilon / mu - mu / 2) / math.sqrt(2))
        lower = 0.5 * math.erfc((epsilon / mu + mu / 2) / math.sqrt(2))
        close(upper - math.exp(epsilon) * lower, delta, relative=1e-9)
    return check


CASES += [Case(f"convert gdp:{mu} --to dp:{delta} --json", keys=KEYS, check=never_below(mu, delta))
          for mu in (0.5, 1, 2) for delta in (1e-3, 1e-5)]
# Always an answer, and a finite one where there is one.
CASES += [Case(f"convert gdp:{mu} --to dp:{delta} --json", keys=KEYS,
               check=lambda got: got["value"] >= 0 or 1 / 0)
          for mu in ("1e-4", "0.05", "100") for delta in ("0.1", "1e-18", "1e-300")]

main(CASES)

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
    Case("convert gdp:1 --to dp:1e-5", out=r"^epsilon = 4\.3771780\d+ \(dp:1e-5\)$"),
    Case("convert gdp:2 --to sigma", out=r"^sigma = 0\.5 "),
    Case("convert gdp:1 --to rdp:2", out=r"\(rdp:2\)"),
    Case("convert gdp:1 --to gdp", out=r"^mu = 1 \(gdp\)$"),
    refused("dp:1,1e-6 --to gdp", "not sound"),
    refused("dp:1,1e-6 --to rdp:2", "not sound"),
    refused("dp:1,1e-6 --to dp:1e-7", "not sound: .* at a smaller delta"),
    Case("convert dp:0.8,1e-5 --to dp:1e-5", out=r"^epsilon = 0\.80000000000000004 \(dp:1e-5\)$"),
    Case("convert dp:1.5,1e-6 --to dp:0.01", out=r"^epsilon = 1\.5 \(dp:0\.01\)$"),
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
       "rdp-linear:x", "''", ":", "zcdp:-1", "tcdp:1,2")],
    *[refused(f"dp:{bad} --to sigma") for bad in
      ("1", "1,", ",1e-6", "1,0", "1,1", "1,2", "-1,1e-6", "nan,1e-6", "1,nan", "1,1e-6,3")],
    *[refused(f"gdp:1 --to dp:{bad}", "--to: .dp:") for bad in
      ("0", "1", "-1e-6", "nan", "inf", "1e-6x", "''")],
    *[refused(f"gdp:1 --to rdp:{bad}", "--to: .rdp:") for bad in
      ("1", "0", "-2", "nan", "inf", "2x", "''")],
]


def between(low, high, direction="upper", certified=False):
    def check(got):
        assert got["direction"] == direction and got["certified"] is certified, got
        assert low <= (math.inf if got["value"] == "inf" else got["value"]) <= high, got
    return check


def events(words, low, high, more="", files=None, **expected):
    return Case(f"convert {words} --json {more}", keys=KEYS, files=files or {},
                check=between(low, high, **expected))


SUBSAMPLED = "'subsampled-gaussian:0.8,0.005 x1000' --to dp:1e-6"
LIST = b"""[{"mechanism": "gaussian", "noise": 2, "count": 100},
 {"mechanism": "subsampled-gaussian", "noise": 0.8, "rate": 0.005, "count": 1000}]"""
GAUSSIANS = b'[{"mechanism": "gaussian", "noise": 20, "count": 300}, {"mechanism": "gaussian", "noise": 10, "count": 25}]'

CASES += [
    # tests/oracle/pld_contour.py: 2.0041062931.
    events(SUBSAMPLED, 2.0041062, 2.0043),
    events(SUBSAMPLED, 1.9995, 2.0041063, "--lower", direction="lower"),
    # 300/400 + 25/100 = 1: the golden epsilon of mu = 1.
    events("events:list.json --to dp:1e-5", 4.377178, 4.377179, files={"list.json": GAUSSIANS},
           certified=True),
    events("events:list.json --to dp:1e-5", 4.377178, 4.377179, "--lower", certified=False,
           files={"list.json": GAUSSIANS}, direction="lower"),
    events("events:list.json --to dp:1e-6", 35.657, 35.66, files={"list.json": LIST}),
    events("'gaussian:1000 x1000000' --to dp:1e-5", 4.377178, 4.377179, certified=True),
    events("laplace:2 --to dp:1e-9", 0.4999, 0.5),
    events("laplace:0 --to dp:1e-9", math.inf, math.inf),
    events("randomised-response:0.5,4 --to dp:1e-12", math.log(5) - 1e-9, math.log(5) + 1e-12),
    events("'approximate:0.1,1e-7 x5' --to dp:1e-6", 0.49, 0.5 + 1e-12),
    events("'approximate:0.1,1e-6 x5' --to dp:1e-6", math.inf, math.inf),
    # Torture: always an answer. The Gaussian limit of the first is 3.16-GDP.
    events("'laplace:1e4 x1000000000' --to dp:1e-6", 19.7, 21),
    events("'laplace:0.01 x1000000000' --to dp:1e-300", 9.8e10, 1e11 + 1),
    events("'subsampled-gaussian:0.01,0.005 x1000000000' --to dp:0.1", 2.4e10, 2.6e10),
    Case("convert laplace:2 --to dp:1e-9 --lower", out=r"^epsilon >= 0\.49\d+ .*not a guarantee"),
    Case("convert events:none.json --to dp:1e-6", 3, err="none.json"),
    Case("convert events:list.json --to gdp", 2, err="not sound", files={"list.json": LIST}),
    Case("convert events:list.json --to rdp:2", 2, err="not sound", files={"list.json": LIST}),
    Case("convert events:list.json --to sigma", 2, err="not sound", files={"list.json": LIST}),
    Case("convert events:list.json --to dp:1e-6", 2, err=r"list.json: event 1: 'nose' is no key",
         files={"list.json": b'[{"mechanism": "laplace", "nose": 1}]'}),
    refused("gdp:1 --to dp:1e-5 --lower", "--lower"),
    refused("laplace:1 --to dp:1e-5 --published", "--published"),
    *[refused(f"'{bad}' --to dp:1e-6") for bad in
      ("laplace", "laplace:", "laplace:-1", "laplace:1,2", "laplace:nan", "laplace:1 x0",
       "laplace:1 1000", "subsampled-gaussian:1", "subsampled-gaussian:1,2", "approximate:1,2",
       "hidden-gaussian:1", "randomised-response:0,3", "randomised-response:0.5,1")],
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

# The Gamma mechanism and randomised response in a crowd say what they cover.
COVERS = KEYS + ["covers"]


def says(value, words, relative=1e-9):
    def check(got):
        assert got["certified"] is True and got["direction"] == "upper", got
        assert words in got["covers"], got
        if isinstance(value, str):
            assert got["value"] == value, got
        else:
            close(got["value"], value, relative=relative)
    return check


def least_theta(low, high, delta, epsilon):
    """A theta whose own delta at epsilon, in plain arithmetic, is just below delta."""
    def check(got):
        theta = got["value"]
        a, b = high / theta, low / theta
        ratio, k = math.lgamma(a) - math.lgamma(b), 1 / (a - b)

        def lower(shape, z):
            term = total = 1.0
            for n in range(1, 2000):
                term *= z / (shape + n)
                total += term
            return total * math.exp(shape * math.log(z) - z - math.lgamma(shape + 1))

        z1, z2 = math.exp((epsilon + ratio) * k), math.exp((ratio - epsilon) * k)
        upper_side = (1 - lower(a, z1)) - math.exp(epsilon) * (1 - lower(b, z1))
        lower_side = lower(b, z2) - math.exp(epsilon) * lower(a, z2)
        close(max(upper_side, lower_side), delta, relative=1e-6)
    return check


CASES += [
    *[Case(f"convert gamma:{row['theta']},{row['Lmin']},{row['Lmax']} --to dp:{row[key]} --json "
           + more, keys=COVERS, check=says(row["eps"], "R(L) only"))
      for row in SCALARS["gamma_mechanism"]
      for key, more in (("delta_tight", ""), ("delta_lemma3", "--published"))],
    *[Case(f"convert rr:{10 / (math.e + 9):.17g},10,{row['n']} --to dp:{row['delta']} --by feldman "
           "--json", keys=COVERS, check=says(row["eps"], "shuffled"))
      for row in SCALARS["shuffle_feldman"] if row["eps0"] == 1],
    Case("convert rr:0.5,2,100 --to dp:1e-6 --by erlingsson --json", keys=COVERS,
         check=says("inf", "shuffled")),
    Case("convert rr:0.5,2,100 --to dp:1e-6 --by local --json", keys=COVERS,
         check=says(math.log(3), "shuffled")),
    Case("convert rr:0.5,2,10000 --to dp:1e-6", out=r"^epsilon = 0\.04\d+ \(dp:1e-6\)\n"
         r"covers one contribution that is shuffled with others, CROWD in all"),
    Case("convert dp:1,1e-3 --to gamma:1,1.2 --json", keys=COVERS,
         check=least_theta(1, 1.2, 1e-3, 1)),
    Case("convert dp:1,1e-3 --to gamma:1,1.2", out=r"^theta = 0\.\d+ for L in \[1, 1\.2\]\n"
         r"covers the released R\(L\) only; the mean of L"),
    Case("convert dp:3,0.03 --to gamma:1,5", 1, err="no theta"),
    refused("gdp:1 --to gamma:1,2", "not sound"),
    refused("gamma:1,1,2 --to gamma:1,2", "not sound"),
    *[refused(f"{source} --to {target}", "not sound") for source in ("gamma:1,1,2", "rr:0.5,2,9")
      for target in ("gdp", "sigma", "rdp:2")],
    refused("gdp:1 --to dp:1e-5 --by least", "--by"),
    refused("rr:0.5,2,9 --to dp:1e-5 --by magic", "--by"),
    refused("rr:0.5,2,9 --to dp:1e-5 --published", "--published"),
    *[refused(f"{bad} --to dp:0.1") for bad in
      ("gamma:", "gamma:1,2", "gamma:1,2,3,4", "gamma:0,1,2", "gamma:1,2,1", "gamma:1,0,1",
       "gamma:nan,1,2", "rr:", "rr:0.5,2", "rr:2,2,9", "rr:-1,2,9", "rr:0.5,1,9", "rr:0.5,2,0",
       "rr:0.5,2,1.5", "rr:0.5,2,9,9")],
    *[refused(f"dp:1,0.1 --to gamma:{bad}") for bad in ("", "1", "1,2,3", "2,1", "x,2", "2,2")],
]

main(CASES)

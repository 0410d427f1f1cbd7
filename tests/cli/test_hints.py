#!/usr/bin/python3
"""What people try first is answered with what to type instead; a help page shows what applies."""
import os
import re

from harness import Case, main, run

AVERAGING = "loss --family davis --rounds 3"

CASES = [
    Case("calibrate --family davis --rounds 3 --epsilon 1", 2, err="--target EPSILON --as dp:DELTA"),
    Case("calibrate --family davis --rounds 3 --delta=1e-6", 2, err="--as dp:1e-6"),
    Case(AVERAGING + " --epsilon 1", 2, err="netdp calibrate finds the noise"),
    Case(AVERAGING + " --delta 1e-6", 2, err="--as dp:1e-6"),
    Case("convert gdp:1 --delta 1e-6", 2, err="--to dp:1e-6"),
    Case("run x.yaml --epsilon 2", 2, err="--set privacy.epsilon=2"),
    Case(AVERAGING + " --sigma 2", 2, err="--noise SIGMA"),
    Case(AVERAGING + " --neighbors", 2, err="--sees neighbours"),
    Case(AVERAGING + " --nodes 60", 2, err='--family "ring 60"'),
    Case(AVERAGING + " --sees neighbors", 2, err="give neighbours, sum or everything"),
    Case("loss --family ring 60 --rounds 3", 2, err='in quotes: --family "ring NODES"'),
    Case("graph info --family grid 4 5", 2, err='in quotes: --family "grid ROWS COLUMNS"'),
    Case("loss davis --rounds 3", 2, err='a family is given as --family "davis"'),
    Case("graph info mine.edges", 2, err="a file is given as --graph mine.edges", files={"mine.edges": b"0 1\n"}),
    Case("loss --graph davis --rounds 3", 2, err='give --family "davis"'),
    Case("loss --graph davis --rounds 3", out="from", files={"davis": b"0 1\n1 2\n0 2\n"}),  # a file of that name
    Case("loss --family mine.edges --rounds 3", 2, err="give --graph mine.edges", files={"mine.edges": b"0 1\n"}),
    # One spelling of units, in every command and in studies; what is written is what is read.
    Case(AVERAGING + " --noise 1 --as mu", 2, err="--as: 'mu' is no unit; write gdp"),
    Case(AVERAGING + " --noise 1 --as dp:1E-06", out=r"\(dp:1e-6\)"),
    Case(AVERAGING + " --noise 1 --as dp:0.000001 --json", out='"unit": "dp:1e-6"'),
    Case("calibrate --family davis --rounds 3 --target 1 --as renyi:2", 2, err="write rdp:ALPHA"),
    Case("calibrate --family davis --rounds 3 --target 1 --as rdp:2.0 --json", out='"unit": "rdp:2"'),
    Case("convert gdp:1 --to epsilon", 2, err="--to: 'epsilon' is no unit; write dp:DELTA"),
    Case("convert gdp:1 --to dp:1E-5", out=r"\(dp:1e-5\)"),
    Case("claim A-theorem-1 hidden=3 noise=2 alpha=2.0 --json", out='"unit": "rdp:2"'),
    Case("run x.yaml", 2, err="privacy.as: 'mu' is no unit; write gdp", files={"x.yaml": b"""
graph: {family: ring 5}
task: {kind: account}
protocol: {kind: averaging, rounds: 2}
privacy: {noise: 1, as: mu}
"""}),
    Case("run x.yaml --json", out='"unit": "dp:1e-6"', files={"x.yaml": b"""
graph: {family: ring 5}
task: {kind: account}
protocol: {kind: averaging, rounds: 2}
privacy: {noise: 1, as: dp:0.000001}
"""}),
    # An option that the protocol does not take is refused by the row that the help page shows it by.
    Case(AVERAGING + " --schedule once", 2, err="--schedule: does not apply to averaging"),
    Case("loss --family 'ring 5' --protocol walk --rounds 3 --noise 1 --draws 9", 2,
         err="--draws: does not apply to walk"),
    Case("loss --protocol wlak --help", 2, err="'wlak'"),
    Case("loss --help --protocol walk", out="--burn-in"),
    Case("loss --help --nothing", out="Usage: netdp loss"),
]


def options(*argv):
    code, out, err = run(["loss", *argv, "--help"], "/")
    assert code == 0, err
    return set(re.findall(r"^(?:  -\w, |      )--([a-z-]+)", out, re.M)), out


def pages_show_what_applies():
    """Every option that a page shows is taken by the protocol, and the others are refused by it."""
    every, whole = options("all")
    short = set.intersection(*(options("--protocol", protocol)[0] for protocol in ("averaging", "walk", "ring-sum")))
    assert len(whole.splitlines()) > 100 and short < every, len(whole.splitlines())
    protocols = re.findall(r"^  ([a-z-]+) ", whole.split("The protocols")[1].split("Examples:")[0], re.M)
    assert len(protocols) == 12, protocols
    seen, everything = set(), "NETDP_LONG" in os.environ
    for protocol in protocols if everything else ["averaging", "walk"]:
        shown, _ = options("--protocol", protocol)
        assert {"family", "graph", "rounds", "noise", "as", "from", "to", "bound", "json"} <= shown < every, every - shown
        assert short - {"draws"} <= shown, short - shown
        seen |= shown
        noise = [] if protocol.endswith("histogram") else ["--noise=1"]
        for name in sorted(every - {"help", "threads", "protocol", "noise", "as"}):
            _, _, err = run(["loss", "--protocol", protocol, *noise, f"--{name}={2 if name == 'levels' else 1}"], "/")
            if "takes no value" in err:
                _, _, err = run(["loss", "--protocol", protocol, *noise, f"--{name}"], "/")
            word = re.search(r"is not known here; give (\w+)", err)
            if word:
                _, _, err = run(["loss", "--protocol", protocol, *noise, f"--{name}={word.group(1)}"], "/")
            refused = f"--{name}: does not apply to {protocol}" in err
            assert refused == (name not in shown), (protocol, name, err)
    assert seen == every or not everything, every - seen


SHARED = [("variance", "protocol.variance", "-1"), ("dither", "privacy.dither", "1e101"), ("dither-decay", "privacy.dither_decay", "3"),
          ("inner", "protocol.inner", "0"), ("end-dither", "privacy.end_dither", "x"), ("pair-noise", "privacy.pair_noise", "1e7"),
          ("pair-seed", "privacy.pair_seed", "-1"), ("redraw", "protocol.redraw", "rounds"), ("burn-in", "protocol.burn_in", "-3"),
          ("tokens", "protocol.tokens", "4294967297"), ("cap", "protocol.cap", "0"), ("grid", "protocol.grid", "4294967297"),
          ("mechanism", "protocol.mechanism", "laplac"), ("schedule", "protocol.schedule", "twice"),
          ("release", "protocol.release", "all"), ("every", "protocol.every", "0"), ("at-most", "protocol.at_most", "0"), ("workload", "privacy.workload", "rest"), ("sees", "privacy.sees", "neighbors"), ("own-noise", "privacy.own_noise", "no")]


def both_doors_refuse_alike():
    """The command and a study say the same of a value that is none."""
    study = os.path.join(os.path.dirname(__file__), "davis.yaml")
    for option, key, value in SHARED:
        code, _, err = run(["loss", "--family", "davis", f"--{option}={value}"], "/")
        other, _, told = run(["run", study, "--set", f"{key}={value}"], "/")
        assert code == other == 2, (option, code, other)
        said = err.removeprefix(f"netdp loss: --{option}: ")
        assert said != err and told == f"netdp run: --set {key}={value}: {said}", (err, told)
    for words in ("--redraw never", "--protocol walk --noise 2 --cap none --release none --as rdp:2"):
        code, _, err = run(["loss", "--family", "davis", "--rounds", "4", *words.split()], "/")
        assert code == 0, err


main(CASES, [pages_show_what_applies, both_doors_refuse_alike])

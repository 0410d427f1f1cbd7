#!/usr/bin/python3
"""netdp calibrate: the noise that it returns, accounted for again by netdp loss."""
import json
import math
import pathlib
import os
import tempfile

from harness import LIGHT, Case, close, interrupt, main, read_json, run

KEYS = ["netdp", "graph", "protocol", "threat", "noise", "dither", "rounds", "bound", "direction", "sound",
        "certified", "reason", "assumes", "target", "achieved"]
FLORENTINE = "calibrate --family florentine --rounds 10 --target 1 --as dp:1e-6"

with open(os.path.join(os.environ["NETDP_SOURCE"], "tests/golden/golden.json"),
          encoding="utf-8") as golden_file:
    SIGMA = json.load(golden_file)["scalars"]["gaussian_sigma"]


def told(words, folder="."):
    code, out, err = run([*words, "--json"], folder)
    assert code == 0, f"{words}: {err}"
    return read_json(out)


def number(value):
    return math.inf if value == "inf" else float(value)


def lands(network, target, unit, over, *more, least=0.999):
    """Accounting for the returned noise again gives [least, 1] of the target."""
    got = told(["calibrate", *network, "--target", target, "--as", unit, "--over", over, *more])
    assert list(got) == ["schema", *KEYS], list(got)
    place = network.index("--rounds")
    words = ["loss", *network[:place], *more, "--rounds", str(got["rounds"]), "--as", unit,
             "--noise", repr(got["noise"])]
    if "--tune-dither" in words:
        words.remove("--tune-dither")
    if "--max-noise" in words:
        place = words.index("--max-noise")
        del words[place:place + 2]
    for option, key in (("--dither", "dither"), ("--dither-decay", "dither_decay"), ("--end-dither", "end_dither")):
        if option not in words and key in got["protocol"]:
            words += [option, repr(got["protocol"][key])]
    again = told(words)
    key = "max" if over == "worst" else "mean"
    reached = number(again["summary"][key]) / float(target)
    assert least <= reached <= 1, f"{network} {target} {unit} {over} {more}: {reached!r} of it"
    for part in ("mean", "max", "local"):
        close(number(got["achieved"][part]), number(again["summary"][part]), relative=1e-9)
    assert got["achieved"]["worst"] == again["summary"]["worst"]
    close(number(got["achieved"]["epsilon"]), number(again["summary"][key]), relative=1e-9)
    return got


NETWORKS = [["--family", "hypercube 5", "--rounds", "6"], ["--family", "davis", "--rounds", "20"],
            ["--family", "florentine", "--rounds", "20"],
            ["--family", "regular 40 3", "--seed", "4", "--rounds", "9"]]


def sums_through_small_weights_need_noise():
    """A leaf of a star receives the hub through a weight of 1e-5: it still tells of the others."""
    got = told(["calibrate", "--family", "star 100000"] +
               "--rounds 3 --sees sum --from 2 --to 1 --target 0.1 --as dp:1e-6".split())
    assert 0.0468 < got["noise"] < 0.0470, got["noise"]


def targets_are_met():
    for network in NETWORKS:
        for over in ("worst", "mean"):
            lands(network, "1", "dp:1e-6", over)
            lands(network, "0.5", "rdp:4", over, "--sees", "sum", "--dither", "0.1")
        lands(network, "1", "dp:1e-6", "mean", "--bound", "everything")
    lands(NETWORKS[2], "1", "dp:1e-6", "worst", "--from", "2,7", "--to", "set:0,3")
    lands(NETWORKS[2], "1", "dp:1e-6", "mean", "--own-noise", "counts", "--sees", "sum")


def targets_far_out():
    """Small and large targets, deltas from 0.5 to 1e-300, orders to 1e4."""
    network = NETWORKS[2]
    for over in ("worst", "mean"):
        for target in ("1e-6", "1e6") if LIGHT else ("1e-6", "1e-3", "0.1", "10", "1e3", "1e6"):
            for unit in ("dp:1e-6", "dp:1e-300", "dp:1e-12", "rdp:1.01", "rdp:10000"):
                lands(network, target, unit, over, "--max-noise", "1e12")
        for target in ("0.01", "0.5", "3"):
            lands(network, target, "dp:0.5", over)
            lands(network, target, "dp:0.1", over)


def smallest_epsilons():
    """
    Near epsilon = 0 the conversion is steep: many different losses, and a mean that must not be
    told too large by the way in which they are grouped.
    """
    for network in NETWORKS[1:2] if LIGHT else NETWORKS[1::2]:
        for target, unit in (("1e-4", "dp:0.1"), ("1e-3", "dp:0.1"), ("1e-6", "dp:1e-3"),
                             ("1e-8", "dp:1e-6"), ("1e-5", "dp:0.5")):
            lands(network, target, unit, "mean", "--max-noise", "1e15")


def worst_is_a_gaussian():
    """The worst pair are neighbours with loss 1: the noise is that of one Gaussian release."""
    for row in SIGMA:
        got = told(["calibrate", "--family", "ring 12", "--rounds", "4", "--target",
                    repr(row["eps"]), "--as", f"dp:{row['delta']}"])
        close(got["noise"], row["sigma"], relative=2e-5)
        assert got["noise"] >= row["sigma"] * (1 - 1e-9)


def rounds_are_found():
    for network in (["--family", "hypercube 6", "--rounds", "auto"],
                    ["--family", "davis", "--rounds", "auto"]):
        for over in ("worst", "mean"):
            # The number of rounds jumps with the noise, and the loss with it.
            got = lands(network, "1", "dp:1e-6", over, least=0.9)
            gap = told(["graph", "info", *network[:2]])
            nodes, gap = gap["nodes"], gap["spectral_gap"]
            want = math.ceil(math.log(nodes * max(1, 0.25 / got["noise"] ** 2)) / math.sqrt(gap))
            assert got["rounds"] == max(want, 1), (got["rounds"], want)


def dither_is_tuned():
    """The tuned dithers leave less noise in the result than any of a grid, and are accounted for as printed."""
    traces = traces_of_powers(24)
    averaging = ["--family", "florentine", "--rounds", "14"]
    constant = lands(averaging, "1", "dp:1e-6", "mean", "--tune-dither", "--dither-decay", "0")
    decaying = lands(averaging, "1", "dp:1e-6", "mean", "--tune-dither")
    assert 0.005 <= constant["dither"] <= 2 and constant["protocol"].get("dither_decay", 0) == 0, constant
    assert decaying["protocol"]["dither_decay"] > 0, decaying
    said = told(["calibrate", *averaging, "--target", "1", "--as", "dp:1e-6", "--over", "mean", "--dither", "auto",
                 "--dither-decay", "auto"])
    assert said == decaying, (said, decaying)

    def averaged(one):
        """sum over rounds of dither^2 tr W^2(T-t)."""
        p = one["protocol"]
        dithers = [1] + [p["dither"] / t ** p.get("dither_decay", 0) for t in range(1, 14)]
        return one["noise"] ** 2 * sum(tau ** 2 * traces[14 - t] for t, tau in enumerate(dithers))

    def learned(one):
        """The same of four phases of six rounds, with their end dithers."""
        p, inner = one["protocol"], 6
        phase = [(1 if t == 0 else p["dither"] ** 2, inner - t) for t in range(inner)] + [(p["end_dither"] ** 2, 0)]
        return one["noise"] ** 2 * sum(size * traces[inner * i + k] for i in range(4) for size, k in phase)

    def others(network, *more):
        return told(["calibrate", *network, "--target", "1", "--as", "dp:1e-6", "--over", "mean", *more])

    for dither in ("0.05", "1") if LIGHT else ("0.005", "0.02", "0.05", "0.1", "0.2", "0.3", "0.5", "0.8", "1", "2"):
        assert averaged(constant) <= averaged(others(averaging, "--dither", dither)) * 1.001, dither
        for decay in ("0.4", "0.7", "1", "1.3"):
            if float(dither) / 13 ** float(decay) >= 0.005:
                other = others(averaging, "--dither", dither, "--dither-decay", decay)
                assert averaged(decaying) <= averaged(other) * 1.001, (dither, decay)
    assert averaged(decaying) < 0.95 * averaged(constant), (decaying, constant)

    learning = ["--family", "florentine", "--protocol", "muffliato-sgd", "--inner", "6", "--rounds", "24"]
    tuned = lands(learning, "1", "dp:1e-6", "mean", "--tune-dither")
    for dither in ("0.01", "0.05", "0.1", "0.2", "0.3", "0.45", "0.7", "1"):
        for end in ("0.005", "0.05", "0.1", "0.5"):
            other = others(learning, "--dither", dither, "--end-dither", end)
            assert learned(tuned) <= learned(other) * 1.001, (dither, end)
    usual = others(learning)
    assert learned(usual) > 1.15 ** 2 * learned(tuned) and usual["noise"] > 1.3 * tuned["noise"], (usual, tuned)
    kept = lands(learning, "1", "dp:1e-6", "mean", "--tune-dither", "--end-dither", "0.3")
    assert kept["protocol"]["end_dither"] == 0.3 and kept["protocol"]["dither"] != 0.01, kept


STUDY = """
graph: {family: florentine}
task: {kind: account}
protocol: {kind: averaging, rounds: 14}
privacy: {epsilon: 1, delta: 1e-6, over: mean, dither: auto, dither_decay: auto}
variants:
  - {name: decaying}
  - {name: constant, privacy: {dither_decay: 0}}
  - {name: learning, protocol: {kind: muffliato-sgd, rounds: 24, inner: 6}, privacy: {end_dither: auto}}
"""


def studies_tune_too():
    """privacy.dither: auto finds what --tune-dither finds, and the record says what it was."""
    commands = {"decaying": ["--rounds", "14"], "constant": ["--rounds", "14", "--dither-decay", "0"],
                "learning": ["--protocol", "muffliato-sgd", "--inner", "6", "--rounds", "24"]}
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "s.yaml").write_text(STUDY, encoding="utf-8")
        code, out, err = run(["run", "s.yaml", "-o", "here", "--json"], folder)
        assert code == 0, err
        for told_of in read_json(out)["variants"]:
            found = told(["calibrate", "--family", "florentine", *commands[told_of["name"]], "--target", "1",
                          "--as", "dp:1e-6", "--over", "mean", "--tune-dither"])
            for key in ("noise", "dither"):
                assert told_of[key] == found[key], (told_of["name"], key)
            for key in ("dither_decay", "end_dither"):
                assert told_of.get(key, 0) == found["protocol"].get(key, 0), (told_of, key)
        assert "dither: auto" in pathlib.Path(folder, "here/study.yaml").read_text(encoding="utf-8")
        again = run(["run", "here", "--json"], folder)
        assert again[0] == 0 and again[1] == out, again[2]
        for change, words in ((["privacy.dither=0.1"], "auto goes with dither: auto"),
                              (["privacy.noise=1", "privacy.epsilon=0"], "privacy.epsilon")):
            code, _, err = run(["run", "s.yaml", "-o", "there", *[f"--set={one}" for one in change]], folder)
            assert code == 2 and words in err, err
        for kind, name, number in (("averaging, rounds: 6", "dither_decay", 1), ("muffliato-sgd, rounds: 6, inner: 3", "end_dither", 0.3)):
            given = STUDY.partition("variants")[0].replace("averaging, rounds: 14", kind).replace("dither: auto, dither_decay: auto", f"dither: 0.5, {name}: {number}")
            pathlib.Path(folder, "given.yaml").write_text(given, encoding="utf-8")
            code, out, err = run(["run", "given.yaml", "-o", name, "--json"], folder)
            assert code == 0 and read_json(out)["variants"][-1][name] == number, (name, out, err)


def traces_of_powers(count):
    """tr W^2k, k = 0 .. count, on the Florentine graph, by dense products."""
    with tempfile.TemporaryDirectory() as folder:
        code, out, err = run("graph make florentine".split(), folder)
    assert code == 0, err
    lines = [line.split() for line in out.splitlines() if not line.startswith("#")]
    edges = [tuple(labels) for labels in lines if len(labels) == 2]
    names = sorted({name for edge in edges for name in edge})
    degree = {name: sum(name in edge for edge in edges) for name in names}
    n = len(names)
    w = [[0.0] * n for _ in names]
    for u, v in edges:
        i, j = names.index(u), names.index(v)
        w[i][j] = w[j][i] = 1 / (1 + max(degree[u], degree[v]))
    for i in range(n):
        w[i][i] = 1 - sum(w[i])
    power, traces = [[float(i == j) for j in range(n)] for i in range(n)], []
    for _ in range(count + 1):
        traces.append(sum(value * value for row in power for value in row))
        power = [[sum(row[m] * w[m][j] for m in range(n)) for j in range(n)] for row in power]
    return traces


def threads_do_not_matter():
    words = ["calibrate", "--family", "davis", "--rounds", "12", "--target", "1", "--as",
             "dp:1e-6", "--over", "mean", "--json"]
    with tempfile.TemporaryDirectory() as folder:
        one, two = [run([*words, "--threads", count], folder) for count in ("1", "2")]
    assert one[0] == 0 and one == two, (one, two)


def interrupted():
    interrupt(["calibrate", "--family", "hypercube 11", "--rounds", "30", "--target", "1", "--as",
               "dp:1e-6", "--over", "mean"])


def bad(words, err=None, code=2):
    return Case(f"calibrate --family florentine --rounds 10 {words}", code, err=err)


CASES = [
    Case(FLORENTINE, out=r"^noise 4\.22"),
    Case(f"{FLORENTINE} --json", keys=KEYS),
    Case("calibrate --bound list", out="exact"),
    # No noise is needed for no privacy, nor by nodes of whom nothing is learnt.
    Case("calibrate --family florentine --rounds 10 --target 1e300 --as dp:1e-6 --json", keys=KEYS),
    Case("calibrate --family 'path 5' --rounds 1 --from 4 --to 0 --target 1 --as dp:1e-6 --json",
         keys=KEYS, check=lambda got: close(got["noise"], 0, absolute=1e-6)),
    # The question has no answer.
    bad("--target 1 --as dp:1e-6 --max-noise 4.2", "out of reach", code=1),
    bad("--target 1e-9 --as dp:1e-9", "out of reach", code=1),
    Case(f"{FLORENTINE} --max-noise 4.3", out=r"^noise 4\.2"),
    # Usage.
    Case("calibrate", 2),
    bad("", "target"),
    bad("--target 1", "dp:1e-6"),
    bad("--as dp:1e-6", "target"),
    *[bad(f"--target={text} --as dp:1e-6", "target") for text in
      ("0", "-1", "nan", "x", "''", "1.5abc", "1e-400")],
    *[bad(f"--target 1 --as {text}", "as") for text in
      ("loss", "gdp", "dp:0", "dp:1", "rdp:1", "rdp:inf", "dp:nan", "dp:1e-6x")],
    *[bad(f"--target 1 --as dp:1e-6 --max-noise={text}", "max-noise") for text in
      ("0", "-1", "nan", "inf", "x")],
    bad("--target 1 --as dp:1e-6 --over all", "over"),
    bad("--target 1 --as dp:1e-6 --bound published", "not an upper bound"),
    bad("--target 1 --as dp:1e-6 --tune-dither --dither 0.1", "dither"),
    bad("--target 1 --as dp:1e-6 --tune-dither --bound everything", "dither"),
    bad("--target 1 --as dp:1e-6 --from 3 --to 3", "observer set"),
    bad("--target 1 --as dp:1e-6 --noise 1", "noise"),
    bad("--target 1 --as dp:1e-6 --cap 3", "--cap"),
    bad("--target 1 --as dp:1e-6 --inner 3", "--inner"),
    Case("calibrate --family 'hypercube 3' --mixing hamilton --rounds auto --target 1 --as dp:1e-6",
         2, err="lazy:0.5"),
    Case("calibrate --family 'complete 1' --rounds 3 --target 1 --as dp:1e-6", 2),
    Case("calibrate --family florentine --rounds 0 --target 1 --as dp:1e-6", 2, err="rounds"),
    Case(f"{FLORENTINE} --json", 3, stdout="/dev/full"),
]

main(CASES, [targets_are_met, sums_through_small_weights_need_noise, targets_far_out, smallest_epsilons, worst_is_a_gaussian,
             rounds_are_found, dither_is_tuned, studies_tune_too, threads_do_not_matter, interrupted])

#!/usr/bin/python3
"""Every golden number that the commands can give, and the numbers of errata 1."""
import json
import os
import re
import tempfile

from harness import LIGHT, SOURCE, Case, close, main, read_json, run

with open(os.path.join(SOURCE, "tests/golden/golden.json"), encoding="utf-8") as golden_file:
    GOLDEN = json.load(golden_file)

FAMILIES = {"hypercube5": "hypercube 5", "ring12": "ring 12", "davis": "davis",
            "florentine": "florentine"}


def pair(text):
    source, target = text.split("->")
    return int(source), int(target)


def answer(words):
    with tempfile.TemporaryDirectory() as folder:
        code, out, err = run(words, folder)
    assert code == 0, f"{words}: {err}"
    return read_json(out)


def losses_of(words):
    """(from, to) -> value of `netdp loss --json`."""
    return {(one["from"], one["to"]): one["value"] for one in answer(words)["losses"]}


def loss(family, rounds, *more):
    return losses_of(["loss", "--json", "--family", family, "--rounds", str(rounds), *more])


def exact_losses():
    """averaging_exact_T6: 1e-8 relative at dither 0.1, 1e-6 at 0.001."""
    told, checked = {}, 0
    for graph, family in FAMILIES.items():
        for key, want in GOLDEN[graph]["averaging_exact_T6"].items():
            ends, view, dither = re.fullmatch(r"(\S+) (\S+) dither=(\S+)", key).groups()
            sees, _, counts = view.partition("+")
            assert counts in ("", "own-noise-counts") and dither in ("0.1", "0.001"), key
            asked = (family, sees, "counts" if counts else "known", dither)
            if asked not in told:
                told[asked] = loss(family, 6, "--sees", sees, "--own-noise", asked[2], "--dither",
                                   dither)
            close(told[asked][pair(ends)], want, relative=1e-8 if dither == "0.1" else 1e-6)
            checked += 1
    assert checked == 4 * 64, checked


def single_pairs_agree():
    """A single pair is accounted for on another basis than all of them."""
    for graph, family in list(FAMILIES.items())[::4 if LIGHT else 1]:
        for key, want in GOLDEN[graph]["averaging_exact_T6"].items():
            ends, view, dither = re.fullmatch(r"(\S+) (\S+) dither=(\S+)", key).groups()
            sees, _, counts = view.partition("+")
            if dither == "0.1" and pair(ends)[1] == 0:
                got = loss(family, 6, "--sees", sees, "--dither", dither, "--own-noise",
                           "counts" if counts else "known", "--from", str(pair(ends)[0]), "--to",
                           "0")
                assert list(got) == [pair(ends)], got
                close(got[pair(ends)], want, relative=1e-8)


def published_losses():
    checked = 0
    for graph, family in FAMILIES.items():
        got = loss(family, 6, "--bound", "published")
        for key, want in GOLDEN[graph]["muffliato_published_T6"].items():
            close(got[pair(key)], want, relative=1e-8)
            checked += 1
    assert checked == 4 * 8, checked


def spectra():
    for graph, family in FAMILIES.items():
        got = answer(["graph", "info", "--json", "--family", family])
        for key in ("spectral_gap", "lambda2", "lambda_min"):
            close(got[key], GOLDEN[graph][key], absolute=1e-10)
        for key in ("nodes", "edges"):
            assert got[key] == GOLDEN[graph][key], (graph, key)


def scalars():
    for row in GOLDEN["scalars"]["analytic_gaussian"]:
        got = answer(["convert", f"gdp:{row['mu']}", "--to", f"dp:{row['delta']}", "--json"])
        close(got["value"], row["eps"], relative=1e-10)
    for row in GOLDEN["scalars"]["gaussian_sigma"]:
        got = answer(["convert", f"dp:{row['eps']},{row['delta']}", "--to", "sigma", "--json"])
        close(got["value"], row["sigma"], relative=1e-10)


def gaussian_through_loss():
    """A neighbour's loss is 1, so its epsilon is that of mu = 1 / sigma."""
    for row in GOLDEN["scalars"]["analytic_gaussian"]:
        got = loss("ring 12", 3, "--from", "1", "--to", "0", "--noise", repr(1 / row["mu"]),
                   "--as", f"dp:{row['delta']}")
        close(got[1, 0], row["eps"], relative=1e-9)


def erratum_1():
    ring, cube = ("ring 60", 68, 15), ("hypercube 8", 12, 255)
    for (family, rounds, source), dither, want, within in (
            (ring, "1e-4", 0.254, 5e-4), (ring, "1e-7", 0.644, 5e-4), (ring, "0", 1, 1e-6),
            (ring, "0.1", 0.0013, 5e-5), (ring, "0.01", 0.040, 5e-4),
            (cube, "1e-4", 0.9986, 5e-5), (cube, "0", 1, 1e-6)):
        for observers in (["--to", "0"], []):
            if observers or family != "hypercube 8":
                got = loss(family, rounds, "--from", str(source), "--dither", dither, *observers)
                close(got[source, 0], want, absolute=within)
    close(loss(*ring[:2], "--from", "15", "--to", "0", "--bound", "published")[15, 0], 0.0156,
          absolute=5e-5)
    close(loss(*cube[:2], "--from", "255", "--to", "0", "--bound", "published")[255, 0], 0.033,
          absolute=5e-4)


def streams():
    """stream_every_round_T8: ones <= lower <= truth <= upper <= min(abs-sum, spectral)."""
    told, checked = {}, 0

    def of(family, sees, own, *bound):
        asked = (family, sees, own, bound)
        if asked not in told:
            told[asked] = loss(family, 8, "--protocol", "stream", "--sees", sees, "--own-noise", own,
                               *bound)
        return told[asked]

    for graph, family in list(FAMILIES.items())[::4 if LIGHT else 1]:
        for key, want in GOLDEN[graph]["stream_every_round_T8"].items():
            ends, view = key.split(" ")
            sees, _, counts = view.partition("+")
            got = {name: of(family, sees, "counts" if counts else "known", *bound)[pair(ends)]
                   for name, *bound in (("ones", "--pattern", "ones"), ("upper",),
                                        ("lower", "--bound", "lower"),
                                        ("abs-sum", "--bound", "abs-sum"),
                                        ("spectral", "--bound", "spectral"),
                                        ("dual", "--bound", "dual"))}
            close(got["ones"], want["ones"], relative=1e-8)
            close(got["abs-sum"], want["abs_sum"], relative=1e-8)
            close(got["spectral"], want["spectral"], relative=1e-8)
            # 8 contributions: every sign pattern is tried, and so was it there
            close(got["lower"], want["best_sign_pattern"], relative=1e-8)
            up = 1 + 1e-10
            assert got["ones"] <= got["lower"] * up, (graph, key, got)
            assert got["lower"] <= min(got["upper"], got["dual"]) * up, (graph, key, got)
            assert got["upper"] <= min(got["abs-sum"], got["spectral"], 8) * up, (graph, key, got)
            checked += 1
    assert checked == (1 if LIGHT else 4) * 16, checked


def phases():
    checked = 0
    for graph, family in FAMILIES.items():
        for key, want in GOLDEN[graph]["phase_release_one_contribution"].items():
            ends, view, inner, dither, end_dither = key.split(" ")
            source, target = pair(ends)
            inner = inner.partition("=")[2]
            words = ["--protocol", "muffliato-sgd", "--inner", inner, "--sees", view, "--dither",
                     dither.partition("=")[2], "--end-dither", end_dither.partition("=")[2],
                     "--from", str(source), "--to", str(target)]
            close(loss(family, inner, *words)[source, target], want, relative=1e-8)
            # three phases are three times one
            close(loss(family, 3 * int(inner), *words)[source, target], 3 * want, relative=1e-8)
            checked += 1
    assert checked == 4 * 8, checked


def taking_turns():
    """Rows that take turns: of one contribution's golden value as many as a row has, ceil(N / B). And where a row is in every
    other round of a golden stream, e and o its rounds, both orders of signs: e'Me + o'Mo = ((e+o)'M(e+o) + (e-o)'M(e-o)) / 2,
    the first golden; such a stream, whose contributions do not react, tells no more than the account of `cycle` allows."""
    key = "5->0 neighbours inner=4 dither=0.1 end_dither=0.1"
    words = ["--protocol", "muffliato-sgd", "--inner", "4", "--dither", "0.1", "--end-dither", "0.1", "--from", "5", "--to", "0"]
    checked = 0
    for graph, family in FAMILIES.items():
        want = GOLDEN[graph]["phase_release_one_contribution"][key]
        for phases_, cycle, times in ((3, 2, 2), (4, 2, 2), (5, 2, 3), (5, 8, 1)):
            close(loss(family, 4 * phases_, *words, "--cycle", str(cycle))[5, 0], times * want, relative=1e-8)
    with tempfile.TemporaryDirectory() as folder:
        for name, first in (("even", 0), ("odd", 1)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
                out.write("".join(f"{int(t % 2 == first)}\n" for t in range(8)))
        for graph in "ring12", "florentine":
            family = FAMILIES[graph]
            account = loss(family, 8, "--protocol", "gossip-sgd", "--cycle", "2")
            for sees, own in (("neighbours", "known"), ("sum", "counts")):
                told = {name: loss(family, 8, "--protocol", "stream", "--sees", sees, "--own-noise", own, "--pattern", pattern)
                        for name, pattern in (("even", f"{folder}/even"), ("odd", f"{folder}/odd"), ("turned", "alternating"))}
                for key, want in GOLDEN[graph]["stream_every_round_T8"].items():
                    ends, view = key.split(" ")
                    if view != sees + ("+own-noise-counts" if own == "counts" else ""):
                        continue
                    even, odd, turned = (told[name][pair(ends)] for name in ("even", "odd", "turned"))
                    close(even + odd, (want["ones"] + turned) / 2, relative=1e-8)
                    assert turned <= want["best_sign_pattern"] * (1 + 1e-8), (graph, key, told)
                    assert max(even, odd) <= account[pair(ends)] * (1 + 1e-10), (graph, key, told)
                    checked += 1
    assert checked == 2 * 8, checked


def everything_sees_every_contribution():
    for words in (["--bound", "lower"], ["--pattern", "ones"], [], ["--bound", "abs-sum"]):
        got = loss("ring 12", 6, "--protocol", "stream", "--sees", "everything", *words)
        assert set(got.values()) == {6}, (words, got)


def erratum_2():
    for own, want, within in (("counts", 20262, 1), ("known", 79704, 2)):
        words = ["--protocol", "stream", "--sees", "sum", "--own-noise", own, "--from", "1", "--to",
                 "0"]
        cosine = loss("hypercube 7", 10**6, *words, "--pattern", "cos:0.16346")[1, 0]
        close(cosine, want, absolute=within)
        low = loss("hypercube 7", 10**6, *words, "--bound", "lower")[1, 0]
        high = loss("hypercube 7", 10**6, *words)[1, 0]
        assert cosine <= high and low <= high <= 10**6, (own, cosine, low, high)


def unsound(got):
    assert got["sound"] is False and got["certified"] is False, "published passes for a bound"


def no_dither(got):
    assert got["bound"] == "everything" and "without dither" in got["reason"], "dither 0 claims too much"


CASES = [
    Case("loss --json --family 'ring 60' --rounds 68 --from 15 --to 0 --bound published",
         keys=["netdp", "graph", "protocol", "threat", "noise", "bound", "direction", "sound", "certified",
        "reason", "assumes",
               "unit", "losses", "summary"], check=unsound),
    Case("loss --json --family 'ring 60' --rounds 68 --from 15 --to 0 --dither 0",
         keys=["netdp", "graph", "protocol", "threat", "noise", "bound", "direction", "sound", "certified",
        "reason", "assumes",
               "unit", "losses", "summary"], check=no_dither),
]

main(CASES, [exact_losses, single_pairs_agree, published_losses, spectra, scalars,
             gaussian_through_loss, erratum_1, streams, phases, taking_turns, erratum_2,
             everything_sees_every_contribution])

"""Accounts and calibrations: what the command says, to the last bit, and nothing hidden of what it assumes."""
import copy
import dataclasses
import gc
import math
import os
import pathlib
import re
import subprocess
import threading

import netdp
import numpy as np
import pytest

LOSSES = [
    ("--family davis --rounds 20 --noise 2 --as dp:1e-6", "davis", dict(rounds=20, noise=2, as_="dp:1e-6")),
    ("--family 'ring 60' --rounds 68 --dither 0.01 --from 15 --to 0", "ring 60",
     dict(rounds=68, dither=0.01, from_=15, to=0)),
    ("--family florentine --rounds 10 --from Medici --to set:Acciaiuoli,Strozzi --noise 2 --as rdp:2", "florentine",
     dict(rounds=10, from_="Medici", to={"Strozzi", "Acciaiuoli"}, noise=2, as_="rdp:2")),
    ("--family 'star 30' --mixing hamilton --protocol walk --rounds 300 --noise 6", "star 30",
     dict(mixing="hamilton", protocol="walk", rounds=300, noise=6)),
    ("--family 'hypercube 4' --protocol muffliato-sgd --rounds 12 --inner 3 --accelerate --noise 4 --as gdp", "hypercube 4",
     dict(protocol="muffliato-sgd", rounds=12, inner=3, accelerate=True, noise=4, as_="gdp")),
    ("--family 'hypercube 3' --protocol muffliato-sgd --rounds 16 --inner 2 --cycle 4 --quiet optimal --noise 4 --as gdp",
     "hypercube 3", dict(protocol="muffliato-sgd", rounds=16, inner=2, cycle=4, quiet="optimal", noise=4, as_="gdp")),
    ("--family 'hypercube 2' --protocol muffliato-sgd --rounds 16 --inner 2 --protects row --change add-remove --batches "
     "poisson:0.2 --rows 9,9,20,30 --noise 4 --as dp:1e-6", "hypercube 2",
     dict(protocol="muffliato-sgd", rounds=16, inner=2, protects="row", change="add-remove", batches="poisson:0.2",
          rows=[9, 9, 20, 30], noise=4, as_="dp:1e-6")),
    ("--family florentine --mixing rows --protocol gossip-sgd --rounds 16 --protects row --batches cyclic:4 --quiet optimal "
     "--workload gossip --noise 4 --as gdp", "florentine",
     dict(mixing="rows", protocol="gossip-sgd", rounds=16, protects="row", batches="cyclic:4", quiet="optimal",
          workload="gossip", noise=4, as_="gdp")),
    ("--family 'ring 8' --protocol stream --rounds 9 --every 2 --at-most 3 --bound lower", "ring 8",
     dict(protocol="stream", rounds=9, every=2, at_most=3, bound="lower")),
    ("--family 'ring 12' --rounds 12 --dropout 0.2 --noise 2 --as rdp:2 --draws 50 --from 5 --to 0", "ring 12",
     dict(rounds=12, dropout=0.2, noise=2, as_="rdp:2", draws=50, from_=5, to=0)),
    ("--family 'ring 12' --rounds 6 --pair-graph edges --pair-noise 2 --noise 2 --as dp:1e-6", "ring 12",
     dict(rounds=6, pair_graph="edges", pair_noise=2, noise=2, as_="dp:1e-6")),
    ("--family 'ring 9' --protocol ring-sum --rounds 4 --noise 3 --mechanism laplace --schedule every", "ring 9",
     dict(protocol="ring-sum", rounds=4, noise=3, mechanism="laplace", schedule="every")),
    ("--family 'ring 9' --protocol ring-histogram --rounds 1 --flip 0.5 --levels 3 --shuffle feldman", "ring 9",
     dict(protocol="ring-histogram", rounds=1, flip=0.5, levels=3, shuffle="feldman")),
    ("--family 'complete 6' --mixing uniform --rounds auto --noise 1.5 --as gdp --sees sum --own-noise counts",
     "complete 6", dict(mixing="uniform", rounds="auto", noise=1.5, as_="gdp", sees="sum", own_noise="counts")),
    ("--family 'hypercube 4' --protocol walk --rounds 60 --cap 5 --path tour --path-seed 4 --noise 2 --as gdp", "hypercube 4",
     dict(protocol="walk", rounds=60, cap=5, path="tour", path_seed=4, noise=2, as_="gdp")),
    ("--family 'geometric 40 0.4' --seed 7 --protocol weighted-walk --mixing hastings:degree --rounds 40 --cap 2 --noise 9 "
     "--as dp:1e-6 --gamma 5,1,2", "geometric 40 0.4",
     dict(seed=7, protocol="weighted-walk", mixing="hastings:degree", rounds=40, cap=2, noise=9, as_="dp:1e-6",
          gamma=(5, 1, 2))),
]


@pytest.mark.parametrize("line,graph,asked", LOSSES, ids=[line for line, _, _ in LOSSES])
def test_same_bits(command, line, graph, asked):
    want, got = command("loss " + line), netdp.losses(graph, **asked)
    index = got.graph.index
    assert want["losses"], "nothing is compared"
    for pair in want["losses"]:
        to = 0 if isinstance(pair["to"], list) else [index(v) for v in got.observers].index(pair["to"])
        source = [index(u) for u in got.sources].index(pair["from"])
        value = math.inf if pair["value"] == "inf" else pair["value"]
        assert got.matrix[source, to] == value
        assert got.distances()[source, to] == pair["distance"]
    assert (got.pairs, got.mean, got.worst) == tuple(
        math.inf if want["summary"][key] == "inf" else want["summary"][key] for key in ("pairs", "mean", "max"))
    assert (got.bound, got.sound, got.certified, got.why) == tuple(
        want[key] for key in ("bound", "sound", "certified", "reason"))
    if asked.get("batches", "").startswith("poisson"):
        assert got.losses is None  # no one number says what phases that are drawn anew tell
    assert index(got.worst_pair[0]) == want["summary"]["worst"]["from"]
    assert got.rounds == want["protocol"]["rounds"] or got.protocol.startswith("ring-")


@pytest.mark.parametrize("line,graph,asked", LOSSES, ids=[line for line, _, _ in LOSSES])
def test_same_words(command, line, graph, asked):
    """What a guarantee assumes is printed as the command prints it: whole, and last."""
    printed = command("loss " + line, json_too=False)
    got = netdp.losses(graph, **asked)
    assert printed.endswith(got.verdict) and got.assumes in printed
    assert got.assumes in str(got) and got.verdict.strip() in str(got)
    for shown in (str(got), got._repr_html_()):
        assert ("NOT an upper bound" in shown) == (not got.sound)


CALIBRATIONS = [
    ("--family 'ring 12' --rounds 20 --dither 0.1 --target 1 --as dp:1e-6 --over mean", "ring 12",
     dict(rounds=20, dither=0.1, target=1, as_="dp:1e-6", over="mean")),
    ("--family 'hypercube 5' --rounds auto --target 1 --as dp:1e-6 --over mean", "hypercube 5",
     dict(rounds="auto", target=1, as_="dp:1e-6", over="mean")),
    ("--family davis --rounds 9 --target 1 --as rdp:2 --tune-dither", "davis",
     dict(rounds=9, target=1, as_="rdp:2", tune_dither=True)),
    ("--family 'ring 12' --rounds 20 --pair-graph edges --target 1 --as dp:1e-6 --tune-pairs", "ring 12",
     dict(rounds=20, pair_graph="edges", target=1, as_="dp:1e-6", tune_pairs=True)),
    ("--family 'hypercube 4' --protocol walk --rounds 40 --cap 3 --target 1 --as dp:1e-6 --over mean", "hypercube 4",
     dict(protocol="walk", rounds=40, cap=3, target=1, as_="dp:1e-6", over="mean")),
    ("--family 'ring 30' --protocol ring-sum --rounds 4 --target 1 --as dp:1e-6", "ring 30",
     dict(protocol="ring-sum", rounds=4, target=1, as_="dp:1e-6")),
    ("--family 'ring 6' --protocol ring-histogram --rounds 1 --shuffle local --target 1 --as dp:1e-6", "ring 6",
     dict(protocol="ring-histogram", rounds=1, shuffle="local", target=1, as_="dp:1e-6")),
]


@pytest.mark.parametrize("line,graph,asked", CALIBRATIONS, ids=[line for line, _, _ in CALIBRATIONS])
def test_calibration(command, line, graph, asked):
    want, got = command("calibrate " + line), netdp.calibrate(graph, **asked)
    printed = command("calibrate " + line, json_too=False)
    if want["noise"] is not None:
        assert got.noise == want["noise"]
    assert (got.achieved.mean, got.achieved.worst, got.rounds) == (
        want["achieved"]["mean"], want["achieved"]["max"], want["rounds"])
    assert got.achieved.assumes in printed
    assert str(got).splitlines()[0] == printed.splitlines()[0]


def test_noise_in_pairs_says_what_it_rests_on(command):
    """The command left the sentence out where it had chosen kappa itself."""
    said = command("calibrate --family 'ring 12' --rounds 20 --pair-graph edges --target 1 --as dp:1e-6 --tune-pairs",
                   json_too=False)
    assert "together can remove it" in said


REFUSED = [
    ("loss --family davis --rounds 3 --protocol nope", "davis", dict(rounds=3, protocol="nope")),
    ("loss --family davis --rounds 3 --bound nope", "davis", dict(rounds=3, bound="nope")),
    ("loss --family davis --rounds 3 --accelerate --dropout 0.2", "davis", dict(rounds=3, accelerate=True, dropout=0.2)),
    ("loss --family 'ring 4' --rounds 3 --mixing hamilton", "ring 4", dict(rounds=3, mixing="hamilton")),
    ("loss --family 'rign 4' --rounds 3", "rign 4", dict(rounds=3)),
    ("loss --family 'ring 4' --rounds 3 --to 0 --from 0", "ring 4", dict(rounds=3, to=0, from_=0)),
]


@pytest.mark.parametrize("line,graph,asked", REFUSED, ids=[line for line, _, _ in REFUSED])
def test_same_refusal(refuses, line, graph, asked):
    with pytest.raises(netdp.Error) as told:
        netdp.losses(graph, **asked)
    said = refuses(line).replace("--", "")  # each spells settings its own way
    assert str(told.value).replace("--", "") in said, said
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("asked,part", [
    (dict(rounds=3, dithr=2), "did you mean dither"), (dict(rounds=0), "rounds"), (dict(rounds=2.5), "rounds"),
    (dict(rounds=3, noise=math.nan), "noise"), (dict(rounds=3, noise=-1), "noise"), (dict(rounds=3, dither=math.nan), "dither"),
    (dict(rounds=3, to="nobody"), "nobody"), (dict(rounds=3, to=[0, 0]), "twice"), (dict(rounds=3, to=[]), "empty"),
    (dict(rounds=3, cap=2), "cap: does not apply"), (dict(rounds=3, draws=5), "draws|changing|network"),
    (dict(rounds=3, as_="dp:2", noise=1), "delta"), (dict(rounds=3, as_="dp:1e-6"), "noise: required"),
    (dict(rounds=3, dither="much"), "dither"), (dict(rounds=3, to="all", coalition=True), "coalition"),
    (dict(rounds=3, quiet=0.5), "quiet"), (dict(rounds=3, protocol="gossip-sgd", quiet=np.zeros((0, 0))), "quiet: give"),
    (dict(rounds=3, pattern=[[1, 0], [1]]), "pattern"), (dict(rounds=4, protocol="stream", pattern=[[1, 0], [1, 0]]), "pattern: give a list"),
    (dict(rounds=3, protocol="stream", pattern=np.array([1j, 1, 1])), "pattern"), (dict(rounds=3, rows=[[1], [1, 2]]), "rows"),
    (dict(rounds=3, to=[1, 2], coalition="no"), "coalition"), (dict(rounds=3, to=[1, 2], coalition=2), "coalition"),
    (dict(rounds=3, draws=2.5), "draws"), (dict(rounds=3, draws="5"), "draws"), (dict(rounds=3, mixing=None), "mixing"),
    (dict(rounds=3, mixing=3), "mixing"), (dict(rounds=3, mixing=netdp.mixing("ring 6")), "mixing: .*another graph"),
    (dict(rounds=3, mixing=netdp.mixing("path 5")), "mixing: .*another graph"), (dict(rounds=3, protocol=None), "protocol"),
    (dict(rounds=3, bound=3), "bound"), (dict(rounds=3, to=[False, True]), "to: .*no node"), (dict(rounds=3, from_=np.True_), "from_: .*no node"),
])
def test_refusals_are_one_line(asked, part):
    with pytest.raises(netdp.Invalid, match=part) as told:
        netdp.losses("ring 5", **asked)
    assert "\n" not in str(told.value) and isinstance(told.value, ValueError)


def test_a_mixing_beside_its_graph():
    made = netdp.mixing("ring 5", "lazy:0.5")
    alone = netdp.losses(made, rounds=3)
    for graph in ("ring 5", made.graph):
        assert np.array_equal(netdp.losses(graph, rounds=3, mixing=made).matrix, alone.matrix)
    with pytest.raises(netdp.Invalid, match="given twice"):
        netdp.losses(made, rounds=3, mixing="hamilton")
    assert netdp.losses("ring 5", rounds=3, to=np.array(3)).observers == (3,)
    for wrong in (dict(tune_dither="yes"), dict(tune_pairs=None), dict(over=["worst"])):
        with pytest.raises(netdp.Invalid, match=next(iter(wrong))):
            netdp.calibrate("ring 5", rounds=3, target=1, as_="dp:1e-6", **wrong)


def test_target_out_of_reach():
    with pytest.raises(netdp.NoAnswer):
        netdp.calibrate("ring 5", rounds=3, target=1e-3, as_="dp:1e-6", max_noise=2)


def test_frozen_and_no_copy():
    got = netdp.losses("ring 64", rounds=5)
    assert not got.matrix.flags.owndata and not got.matrix.flags.writeable
    with pytest.raises(dataclasses.FrozenInstanceError):
        got.noise = 3
    with pytest.raises(ValueError):
        got.matrix[0, 1] = 0
    # The library's memory lives as long as an array on it.
    raw = got.losses
    assert not raw.flags.owndata
    before = raw.copy()
    del got
    gc.collect()
    trash = [netdp.losses("ring 64", rounds=6) for _ in range(5)]
    assert (raw == before).all() and trash


def test_frames():
    pandas = pytest.importorskip("pandas")
    got = netdp.losses("florentine", rounds=4, noise=1, as_="gdp", from_=["Medici", "Pazzi"], to=["Medici", "Strozzi"])
    frame = got.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == got.pairs == 3
    assert list(frame.columns) == ["from", "to", "distance", "gdp"]
    assert frame.set_index(["from", "to"]).gdp["Medici", "Strozzi"] == got.matrix[0, 1]
    assert frame.attrs["sound"] and "own noise known" in frame.attrs["assumes"]


def test_picture_and_plot():
    got = netdp.losses("davis", rounds=4)
    shown = got._repr_html_()
    assert shown.count("<rect") == 32 * 31 and "<table>" in shown and "own noise known" in shown
    assert netdp.losses("ring 300", rounds=3)._repr_html_().count("<rect") <= 96 * 96
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("svg")
    for kind in ("distance", "matrix"):
        assert "upper bound" in got.plot(kind).get_title()
    with pytest.raises(netdp.Invalid):
        got.plot("pie")


def test_rounding_up():
    from netdp._show import up

    for value in (2.2540820000001, 1e-300, 123456.2, 0.1, 1, 5e-324, 1.7e308, 0.99999999):
        for digits in (4, 6, 10):
            shown = up(value, digits)
            assert float(shown) >= value * (1 - 2.3e-16) and abs(float(shown) - value) <= value * 10.0 ** (1 - digits) * 1.01
    assert (up(math.inf, 4), up(0.0, 4)) == ("inf", "0")


def test_progress():
    heard = []
    netdp.losses("ring 64", rounds=40, progress=lambda what, done, total: heard.append((what, done, total)))
    assert heard and all(done <= total for _, done, total in heard)
    with pytest.raises(netdp.Interrupted):
        netdp.losses("ring 64", rounds=40, progress=lambda *_: False)

    class Own(Exception):
        pass

    def fails(*_):
        raise Own("mine")

    with pytest.raises(Own):
        netdp.losses("ring 64", rounds=40, progress=fails)
    assert not __import__("netdp._call")._call._watched


def test_threads():
    """The interpreter's lock is free meanwhile, and answers do not mix."""
    want = {rounds: netdp.losses("davis", rounds=rounds).matrix.copy() for rounds in range(1, 5)}
    wrong = []

    def work(rounds):
        for _ in range(3):
            if not (netdp.losses("davis", rounds=rounds).matrix == want[rounds]).all():
                wrong.append(rounds)

    threads = [threading.Thread(target=work, args=(rounds,)) for rounds in want]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_all_pairs_without_a_copy():
    got = netdp.losses("hypercube 7", rounds=4)
    assert got.losses.base is not None and not got.losses.flags.owndata
    assert (got.losses == got.matrix).all()
    assert copy.copy(got).matrix is got.matrix
    assert np.isinf(np.diag(got.matrix)).all()


def test_any_two_who_collude():
    """The largest over the coalitions that the observer belongs to; a search names the one that it found."""
    asked = dict(rounds=12, protocol="walk", noise=5, as_="dp:1e-5")
    worst = netdp.losses("path 4", to="worst:2", **asked)
    for u, v in ((0, 1), (3, 0)):
        others = [w for w in range(4) if w not in (u, v)]
        wanted = max(netdp.losses("path 4", from_=u, to={v, w}, **asked).worst for w in others)
        assert worst.matrix[u, v] == pytest.approx(wanted, rel=1e-9) and worst.sound
    with pytest.raises(netdp.Invalid, match="proof"):
        worst.proof(0, 1)
    with pytest.raises(netdp.Invalid, match="worst:C"):
        netdp.losses("path 4", rounds=3, to="worst:2", coalition=True)
    found = netdp.losses("ring 700", rounds=3, noise=2, as_="dp:1e-6", from_=5, to="worst:2")
    assert not found.sound and "search" in found.why
    assert set(found.worst_pair[1]) & {4, 6} and found.observers == (found.worst_pair[1],)


def test_proof(tmp_path):
    """The text of a proof file holds by netdp-verify, for the number of the table; what has none is refused."""
    verify = pathlib.Path(os.environ["NETDP_SOURCE"]) / "tools/verify/netdp-verify"
    found = netdp.losses("karate", rounds=8, dither=0.1, noise=3, as_="dp:1e-6", to=[33])
    text = found.proof(16, 33)
    path = tmp_path / "pair.proof"
    path.write_text(text, encoding="ascii")
    done = subprocess.run([verify, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "holds: loss <= " in done.stdout, done
    value = float(re.search(r"^claim dp (\S+)", text, re.M)[1])
    assert value == pytest.approx(found.matrix[found.sources.index(16), 0], rel=1e-9)
    pooled = netdp.losses("davis", rounds=6, to={0, 20}, sees="sum")
    path.write_text(pooled.proof(3, pooled.observers[0]), encoding="ascii")
    assert subprocess.run([verify, path], capture_output=True, check=False).returncode == 0
    with pytest.raises(netdp.Invalid, match="coalition"):
        pooled.proof(3, 5)
    with pytest.raises(netdp.Invalid, match="observes itself"):
        found.proof(33, 33)
    stream = netdp.losses("davis", protocol="stream", rounds=5)
    path.write_text(stream.proof(0, 3), encoding="ascii")
    assert subprocess.run([verify, path], capture_output=True, check=False).returncode == 0
    with pytest.raises(netdp.Invalid, match="path is public"):
        netdp.losses("davis", protocol="walk", rounds=50, noise=3).proof(0, 3)

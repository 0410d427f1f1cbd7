"""Noise for somebody else's loop, and attacks on somebody else's noise."""
import concurrent.futures
import importlib
import math
import multiprocessing
import os
import pathlib
import shutil
import sqlite3
import threading

import mpmath
import numpy as np
import pytest

import netdp


def test_sum_noise_and_budget(tmp_path):
    guard = netdp.Mechanism(tmp_path / "budget", epsilon=1, delta=1e-5)
    rows = np.ones((50, 2, 3), dtype=np.float32)[::2]  # not contiguous, of another type
    total = guard.gaussian(rows, clip=1.0, noise=40)
    assert total.shape == (2, 3) and guard.deviation == pytest.approx(80)
    assert np.abs(total - 25 / np.sqrt(6)).max() < 8 * 80
    assert guard.spent == netdp.Spent(float(netdp.convert("gdp:0.025", "dp:1e-5")), 1e-5, 1)
    with pytest.raises(netdp.NoAnswer, match="nothing was released"):
        guard.gaussian(rows, clip=1, noise=0.5)
    with pytest.raises(netdp.Invalid, match="another mechanism"):
        guard.laplace(rows, clip=1, noise=20)
    assert guard.gaussian(rows, clip=1, noise=6).shape == (2, 3)
    assert guard.spent.releases == 2 and 0.5 < guard.spent.epsilon < 1
    guard.close()
    with pytest.raises(netdp.Invalid, match="stays so"):
        netdp.Mechanism(tmp_path / "budget", epsilon=2, delta=1e-5)
    with netdp.Mechanism(tmp_path / "budget", epsilon=1, delta=1e-5, account="others") as other:
        assert other.spent.releases == 0


def test_what_was_spent_is_not_given_back(tmp_path):
    with netdp.Mechanism(tmp_path / "budget", epsilon=1, delta=1e-5) as guard:
        guard.gaussian([[1.0]], clip=1, noise=10)
    file = sqlite3.connect(tmp_path / "budget")
    for change in ("DELETE FROM release", "UPDATE release SET noise = 1e6", "DELETE FROM budget", "UPDATE budget SET epsilon = 9"):
        with pytest.raises(sqlite3.IntegrityError):
            file.execute(change)
    file.close()


def test_drawn_rows_cost_less(tmp_path):
    guard = netdp.Mechanism(tmp_path / "budget", epsilon=1, delta=1e-5, change="add-remove")
    for _ in range(20):
        guard.gaussian(np.zeros((0, 4)), clip=1, noise=1, rate=0.001)
    assert guard.spent.epsilon == pytest.approx(float(netdp.convert("subsampled-gaussian:1,0.001 x20", "dp:1e-5")))
    # A row replaced moves the sum by 2 clip, of which the noise is a multiple; drawn, it is there on neither side or on both.
    replaced = netdp.Mechanism(tmp_path / "other", epsilon=1, delta=1e-5)
    replaced.gaussian([[1.0]], clip=1, noise=1, rate=0.001)
    assert replaced.spent.epsilon == pytest.approx(float(netdp.convert("subsampled-gaussian-replaced:2,0.001", "dp:1e-5")))
    with pytest.raises(netdp.NoAnswer, match="nothing was released"):
        netdp.Mechanism(tmp_path / "third", epsilon=1, delta=1e-5).gaussian([[1.0]], clip=1, noise=1, rate=0.9)


@pytest.fixture
def oracle(monkeypatch):
    """Bounds from both sides by another program (tests/oracle/composition.py)."""
    monkeypatch.syspath_prepend(pathlib.Path(os.environ["NETDP_SOURCE"], "tests", "oracle"))
    pytest.importorskip("scipy")
    return importlib.import_module("composition").bounds


@pytest.mark.parametrize("change, release, times, event", [
    ("replace", lambda g: g.gaussian(np.ones((5, 2)), clip=1, noise=1.5, out_of=60), 12,
     {"mechanism": "gaussian-without-replacement", "noise": 1.5, "rate": 5 / 60}),
    ("replace", lambda g: g.gaussian(np.ones((7, 2)), clip=3, noise=4, out_of=7), 5, {"mechanism": "gaussian", "noise": 4}),
    ("add-remove", lambda g: g.choose([1, 2, 3.5], sensitivity=0.5, epsilon=0.4), 9, {"mechanism": "exponential", "epsilon": 0.4}),
    ("replace", lambda g: g.choose([3], sensitivity=9, epsilon=0.7), 3, {"mechanism": "exponential", "epsilon": 0.7}),
    ("replace", lambda g: g.gaussian([[1.0]], clip=1, rho=0.02), 6, {"mechanism": "gaussian", "noise": 5}),
    # Pure epsilon of rows drawn by chance: ln(1 + q (e^(1/b) - 1)) of one more, and of one replaced against (1 - q) + q e^(+-1/(2 b)).
    ("add-remove", lambda g: g.laplace([[1.0]], clip=1, noise=2, rate=0.1), 15,
     {"mechanism": "approximate", "epsilon": float(mpmath.log(1 + mpmath.mpf("0.1") * (mpmath.exp(0.5) - 1)))}),
    ("replace", lambda g: g.laplace([[1.0]], clip=1, noise=2, rate=0.1), 15,
     {"mechanism": "approximate",
      "epsilon": float(mpmath.log((0.9 + 0.1 * mpmath.exp(0.25)) / (0.9 + 0.1 * mpmath.exp(-0.25))))}),
])
def test_spent_is_what_another_program_says(tmp_path, oracle, change, release, times, event):
    guard = netdp.Mechanism(tmp_path / "budget", epsilon=100, delta=1e-5, change=change)
    for _ in range(times):
        release(guard)
    low, high = oracle([{**event, "count": times}], 1e-5)
    assert low <= guard.spent.epsilon <= 1.01 * high + 1e-5 and guard.spent.releases == times and high < 1.01 * low


def test_drawn_laplace_is_above_the_subsampled_laplace(tmp_path, oracle):
    with netdp.Mechanism(tmp_path / "budget", epsilon=9, delta=1e-5, change="add-remove") as guard:
        guard.laplace([[1.0]], clip=1, noise=0.7, rate=0.3)
        assert oracle([{"mechanism": "subsampled-laplace", "noise": 0.7, "rate": 0.3}], 1e-5)[0] <= guard.spent.epsilon


def test_choice_is_the_exponential_mechanism(tmp_path):
    guard = netdp.Mechanism(tmp_path / "budget", epsilon=math.inf, delta=1e-5)
    for scores, sensitivity, epsilon in (([0, 1, 2, -1], 1.0, 2.0), ([1e300, 1e300, 0], 1e3, 1.0), ([-5e-324, 0, 5e-324], 1.0, 3.0),
                                         ([10.25, 10, 7], 0.3, 0.8)):
        given = [min(max(mpmath.mpf(s), -mpmath.mpf(10) ** 200), mpmath.mpf(10) ** 200) for s in scores]
        weights = [mpmath.exp(epsilon * (s - max(given)) / (2 * mpmath.mpf(sensitivity))) for s in given]
        own = netdp.Mechanism(tmp_path / "budget", epsilon=math.inf, delta=1e-5, account=str(scores))
        runs = 600
        drawn = np.bincount([own.choose(scores, sensitivity=sensitivity, epsilon=epsilon) for _ in range(runs)], minlength=len(scores))
        for count, weight in zip(drawn, weights):
            chance = float(weight / sum(weights))
            assert abs(count - runs * chance) <= 6 * (runs * chance * (1 - chance)) ** 0.5 + 1e-9, (scores, drawn)
    for wrong in (dict(scores=[]), dict(scores=[1, math.nan]), dict(scores=[1, math.inf]), dict(scores=[[1, 2]]), dict(scores=[1j]),
                  dict(sensitivity=0), dict(sensitivity=-1), dict(sensitivity=math.inf), dict(epsilon=0), dict(epsilon=65),
                  dict(epsilon=math.nan)):
        with pytest.raises(netdp.Invalid):
            guard.choose(**{"scores": [1.0, 2.0], "sensitivity": 1.0, "epsilon": 1.0, **wrong})
    assert guard.spent.releases == 0
    with netdp.Mechanism(tmp_path / "budget", epsilon=0.5, delta=1e-5, account="small") as small:
        small.choose([1, 2], sensitivity=1, epsilon=0.3)
        with pytest.raises(netdp.NoAnswer, match="nothing was released"):
            small.choose([1, 2], sensitivity=1, epsilon=0.3)
        with pytest.raises(netdp.Invalid, match="another mechanism"):
            small.gaussian([[1.0]], clip=1, noise=100)


def test_kinds_of_release_that_do_not_fit_say_what_does(tmp_path):
    replaced = netdp.Mechanism(tmp_path / "budget", epsilon=9, delta=1e-5)
    moved = netdp.Mechanism(tmp_path / "budget", epsilon=9, delta=1e-5, change="add-remove", account="moved")
    row = [[1.0]]
    for guard, asked, words in (
            (moved, dict(noise=1, out_of=9), "without replacement are accounted for where one is replaced"),
            (replaced, dict(noise=1, rho=1), "one of the two"), (replaced, dict(), "one of the two"),
            (replaced, dict(rho=0), "rho"), (replaced, dict(rho=math.nan), "rho"), (replaced, dict(rho=1e9), "noise"),
            (replaced, dict(noise=1, out_of=0), "out_of"), (replaced, dict(noise=1, out_of=2.5), "out_of"),
            (replaced, dict(noise=1, out_of=True), "out_of"), (replaced, dict(noise=1, out_of=math.inf), "out_of"),
            (replaced, dict(noise=1, out_of=9, rate=0.5), "not both")):
        with pytest.raises(netdp.Invalid, match=words):
            guard.gaussian(row, clip=1, **asked)
    assert replaced.spent.releases == moved.spent.releases == 0


@pytest.mark.parametrize("rho", [1e-9, 0.02, 1 / 3, 0.5, 7.7, 2000])
def test_noise_of_rho_is_no_less(tmp_path, rho):
    with netdp.Mechanism(tmp_path / "budget", epsilon=math.inf, delta=1e-5) as guard:
        guard.gaussian([[1.0]], clip=0.5, rho=rho)
        least = 1 / mpmath.sqrt(2 * mpmath.mpf(rho))
        assert least * (1 - mpmath.mpf(2) ** -42) <= guard.deviation <= least * (1 + mpmath.mpf(2) ** -24)


@pytest.mark.parametrize("odd", [1j * np.ones((3, 2)), [[1 + 0j, 2]], [[1, float("nan")]], [[float("inf"), 0]], [[1e400, 0]],
                                 np.array([[1, 2j]], dtype=object), [["1", "2"]], [[None, 1]], np.array([[1, 2 + 0j]], np.complex64),
                                 np.array([["2020-01-01"]], "M8[D]"), np.array([[5]], "m8[s]"), [[10 ** 400, 1]], {"a": 1},
                                 np.array([["1", 2]], dtype=object), np.ma.array([[1.0, 2]], mask=[[False, True]]),
                                 np.array([(1, 2)], [("a", "i4"), ("b", "i4")]), np.array([[np.longdouble("1e4000"), 1]])])
def test_rows_that_are_no_numbers_are_refused(tmp_path, odd):
    guard = netdp.Mechanism(tmp_path / "budget", epsilon=1, delta=1e-5)
    for release in (guard.gaussian, guard.laplace):
        with pytest.raises(netdp.Invalid, match="complex|not finite|no array of numbers|holds (dates|texts|records|a whole number)"):
            release(odd, clip=1, noise=40)
    assert guard.spent.releases == 0


def test_complex_rows_are_said_to_be_so(tmp_path):
    guard = netdp.Mechanism(tmp_path / "budget", epsilon=1, delta=1e-5)
    for odd in (np.ones((2, 2)) * 1j, [[1, 2 + 0j]], np.array([[1, 2j]], dtype=object)):
        with pytest.raises(netdp.Invalid, match="complex numbers, of which only a part would count"):
            guard.gaussian(odd, clip=1, noise=40, drop=True)


@pytest.mark.parametrize("odd", [True, False, np.True_, np.array([2.0]), np.array([1.0, 2.0]), np.ma.masked, "2", b"2", [2], 2 + 0j, None])
def test_what_is_no_number_is_refused(tmp_path, odd):
    """True is 1 to Python: noise=True would be noise of 1."""
    guard = netdp.Mechanism(tmp_path / "budget", epsilon=1e6, delta=1e-5, change="add-remove")
    for asked in (lambda: guard.laplace([[1.0]], clip=1, noise=odd), lambda: guard.gaussian([[1.0]], clip=odd, noise=9),
                  lambda: guard.gaussian([[1.0]], clip=1, noise=9, rate=odd), lambda: guard.choose([1], sensitivity=odd, epsilon=1),
                  lambda: guard.choose([1], sensitivity=1, epsilon=odd), lambda: netdp.Mechanism(tmp_path / "b", epsilon=odd, delta=1e-5),
                  lambda: netdp.Mechanism(tmp_path / "b", epsilon=1, delta=odd)):
        with pytest.raises(netdp.Invalid, match="is not a number"):
            asked()
    if odd is not None:
        for asked in (lambda: guard.gaussian([[1.0]], clip=1, noise=odd), lambda: guard.gaussian([[1.0]], clip=1, rho=odd),
                      lambda: guard.update([np.ones(2)], clip=1, noise=odd), lambda: netdp.losses(netdp.graph("ring 5"), rounds=3, noise=odd)):
            with pytest.raises(netdp.Invalid, match="is not a number"):
                asked()
    with pytest.raises(netdp.Invalid, match="drop: 'no'; give True or False"):
        guard.gaussian([[1.0]], clip=1, noise=9, drop="no")
    assert guard.spent.releases == 0


def test_masked_numbers_are_not_known(tmp_path):
    guard = netdp.Mechanism(tmp_path / "budget", epsilon=1e6, delta=1e-5)
    rows = np.ma.array([[1.0, 1.0]] * 3, mask=[[False, False], [True, False], [False, False]])
    assert np.abs(guard.gaussian(rows, clip=9, noise=2 ** -6, drop=True) - 2).max() < 4 and guard.dropped == 1
    with pytest.raises(netdp.Invalid, match="array 0: has masked numbers"):
        guard.update([rows], clip=1, noise=9)


def test_dropped_rows_count_as_nothing(tmp_path):
    guard = netdp.Mechanism(tmp_path / "budget", epsilon=1e6, delta=1e-5)
    rows = [[1, 0]] * 100 + [[float("nan"), 1], [0, float("-inf")]]
    total = guard.gaussian(rows, clip=1, noise=2 ** -6, drop=True)
    assert np.abs(total - [100, 0]).max() < 1 and guard.dropped == 2
    guard.gaussian(rows[:100], clip=1, noise=2 ** -6)
    assert guard.dropped == 0
    with pytest.raises(netdp.Invalid, match="row 100"):
        guard.gaussian(rows, clip=1, noise=2 ** -6)


def test_a_link_to_a_budget_that_leads_elsewhere_spends_no_more(tmp_path):
    """Who opens it by the link finds the copy, in which what is spent would not stand."""
    real, link = tmp_path / "real", tmp_path / "link"
    with netdp.Mechanism(real, epsilon=10, delta=1e-5) as guard:
        guard.gaussian(np.ones((3, 2)), clip=1.0, noise=5)
    link.symlink_to(real)
    guard = netdp.Mechanism(link, epsilon=10, delta=1e-5)
    guard.gaussian(np.ones((3, 2)), clip=1.0, noise=5)
    link.unlink()
    for leads in (lambda: link.symlink_to(shutil.copy(real, tmp_path / "copy")), link.unlink, lambda: shutil.copy(real, link)):
        leads()
        with pytest.raises(netdp.Error, match="was moved, deleted or replaced"):
            guard.gaussian(np.ones((3, 2)), clip=1.0, noise=5)
    link.unlink()
    link.symlink_to(real)
    assert guard.gaussian(np.ones((3, 2)), clip=1.0, noise=5) is not None and guard.spent.releases == 3


def test_a_budget_that_was_moved_spends_no_more(tmp_path):
    guard = netdp.Mechanism(tmp_path / "budget", epsilon=1, delta=1e-5)
    guard.gaussian([[1.0]], clip=1, noise=40)
    (tmp_path / "budget").rename(tmp_path / "kept")
    for spend in (guard.gaussian, guard.laplace):
        with pytest.raises(netdp.Unavailable, match="moved, deleted or replaced"):
            spend([[1.0]], clip=1, noise=40)
    (tmp_path / "kept").rename(tmp_path / "budget")  # back where it was
    guard.gaussian([[1.0]], clip=1, noise=40)
    assert guard.spent.releases == 2


def _spend(path):
    told = 0
    with netdp.Mechanism(path, epsilon=1, delta=1e-5) as guard:
        try:
            while True:
                guard.gaussian([[1.0]], clip=1, noise=15)
                told += 1
        except netdp.NoAnswer:
            return told


def test_processes_and_threads_share_it(tmp_path):
    fits = int(225 / float(netdp.convert("dp:1,1e-5", "sigma")) ** 2)
    path = tmp_path / "processes"
    with concurrent.futures.ProcessPoolExecutor(3, multiprocessing.get_context("spawn")) as pool:
        assert sum(pool.map(_spend, [path] * 3)) == fits
    guard = netdp.Mechanism(tmp_path / "threads", epsilon=1, delta=1e-5)
    told = []

    def work():
        try:
            while True:
                told.append(guard.gaussian([[1.0]], clip=1, noise=15)[0])
        except netdp.NoAnswer:
            pass

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == fits == guard.spent.releases and len(set(told)) == fits


@pytest.mark.parametrize("wrong", [dict(clip=0), dict(clip=float("nan")), dict(noise=0), dict(noise=float("inf")), dict(rate=2),
                                   dict(rows=3.0), dict(rows="x"), dict(rows=np.zeros((2, 0)))])
def test_refused(tmp_path, wrong):
    guard = netdp.Mechanism(tmp_path / "budget", epsilon=1, delta=1e-5)
    with pytest.raises(netdp.Invalid):
        guard.gaussian(**{"rows": [[1.0]], "clip": 1.0, "noise": 10.0, **wrong})
    assert guard.spent.releases == 0


def test_torch_gradients(tmp_path):
    torch = pytest.importorskip("torch")
    guard = netdp.Mechanism(tmp_path / "budget", epsilon=1, delta=1e-5)
    assert guard.gaussian(torch.ones((3, 2), requires_grad=True), clip=1, noise=20).shape == (2,)


def test_guard_stands_against_its_own_auditor(tmp_path):
    guard = netdp.Mechanism(tmp_path / "budget", epsilon=float("inf"), delta=1e-5)
    rows = np.array([[5.0, 5.0], [0.3, -0.1]])

    drawn = [[guard.gaussian(rows if world else rows * [[-1], [1]], clip=1, noise=0.5) for _ in range(1000)] for world in (0, 1)]
    found = netdp.audit_mechanism(drawn, "gdp:2")
    assert not found.refuted and 1 < found.mu <= 2  # noise is not seeded: of 1,000 runs 1.5 on average, 0.09 its deviation
    assert netdp.audit_mechanism(drawn, "gdp:0.8").refuted


def test_audits():
    random = np.random.default_rng(1)
    laplace = netdp.audit_mechanism(lambda world, runs: world + random.laplace(0, 1, runs), "dp:1,0")
    assert not laplace.refuted and 0.7 < laplace.epsilon <= 1
    half = netdp.audit_mechanism(lambda world, runs: world + random.laplace(0, 0.5, runs), "dp:1,0")
    assert half.refuted and "verdict    refuted" in str(half)
    arrays = random.normal(0, 1, (2, 1000, 3))
    assert netdp.audit_mechanism((arrays[0], arrays[1]), "gdp:0.1").verdict == "not enough runs"
    for wrong in ("dp:1", "gdp:", "rdp:2=1", "dp:-1,0", "gdp:nan"):
        with pytest.raises(netdp.Invalid):
            netdp.audit_mechanism((arrays[0], arrays[1]), wrong)
    with pytest.raises(netdp.Invalid, match="runs"):
        netdp.audit_mechanism(lambda world, runs: np.zeros(runs + 1), "dp:1,0")

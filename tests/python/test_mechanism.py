"""Noise for somebody else's loop, and attacks on somebody else's noise."""
import concurrent.futures
import multiprocessing
import sqlite3
import threading

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


@pytest.mark.parametrize("odd", [1j * np.ones((3, 2)), [[1 + 0j, 2]], [[1, float("nan")]], [[float("inf"), 0]], [[1e400, 0]],
                                 np.array([[1, 2j]], dtype=object), [["1", "2"]], [[None, 1]], np.array([[1, 2 + 0j]], np.complex64)])
def test_rows_that_are_no_numbers_are_refused(tmp_path, odd):
    guard = netdp.Mechanism(tmp_path / "budget", epsilon=1, delta=1e-5)
    for release in (guard.gaussian, guard.laplace):
        with pytest.raises(netdp.Invalid, match="complex|not finite|no array of numbers"):
            release(odd, clip=1, noise=40)
    assert guard.spent.releases == 0


def test_dropped_rows_count_as_nothing(tmp_path):
    guard = netdp.Mechanism(tmp_path / "budget", epsilon=1e6, delta=1e-5)
    rows = [[1, 0]] * 100 + [[float("nan"), 1], [0, float("-inf")]]
    total = guard.gaussian(rows, clip=1, noise=2 ** -6, drop=True)
    assert np.abs(total - [100, 0]).max() < 1 and guard.dropped == 2
    guard.gaussian(rows[:100], clip=1, noise=2 ** -6)
    assert guard.dropped == 0
    with pytest.raises(netdp.Invalid, match="row 100"):
        guard.gaussian(rows, clip=1, noise=2 ** -6)


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

    drawn = [[guard.gaussian(rows if world else rows * [[-1], [1]], clip=1, noise=0.5) for _ in range(450)] for world in (0, 1)]
    found = netdp.audit_mechanism(drawn, "gdp:2")
    assert not found.refuted and 1 < found.mu <= 2
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

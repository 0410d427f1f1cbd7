"""Any model by gossip: what NumPy says without noise, the noise's law with it, and functions that break the promise."""
import netdp
import numpy as np
import pytest

TARGETS = np.arange(24.0).reshape(8, 3) / 10


def pull(models):
    return models - TARGETS


def ask(gradient=pull, **more):
    asked = dict(gradient=gradient, start=np.zeros(3), rounds=12, step=0.3, clip=0.5, noise=0.0, inner=2)
    asked.update(more)
    return netdp.simulate("hypercube 3", **asked)


def by_numpy(rounds, inner, step, clip, rows=None):
    W, state = netdp.mixing("hypercube 3").to_numpy(), np.zeros((8, 3))
    for t in range(rounds):
        if t % inner == 0:
            gradients = (pull(state)[:, np.newaxis] if rows is None else rows(state))
            norms = np.linalg.norm(gradients, axis=2, keepdims=True)
            state = state - step * (gradients * np.minimum(1, clip / np.maximum(norms, 1e-300))).mean(axis=1)
        state = W @ state
    return state


def test_without_noise_it_is_numpy():
    got = ask()
    assert np.allclose(got.models, by_numpy(12, 2, 0.3, 0.5), rtol=1e-12) and got.steps == 6 and 0 < got.clipped < 1
    assert np.allclose(ask(clip=1e6).models, by_numpy(12, 2, 0.3, 1e6), rtol=1e-12)


def test_rows_are_clipped_each():
    scale = np.array([1.0, 5.0, -2.0])[:, np.newaxis]

    def each(models):
        return pull(models)[:, np.newaxis] * scale

    got = ask(each, rows=3)
    assert np.allclose(got.models, by_numpy(12, 2, 0.3, 0.5, each), rtol=1e-12)
    assert got.sensitivity == 2 * 0.5 / 3 and "one row of one node's data replaced" in got.assumes
    assert "a node's whole data" not in got.assumes


def test_noise_has_its_law():
    width = 40000
    got = netdp.simulate("hypercube 3", gradient=np.zeros_like, start=np.zeros(width), rounds=1, inner=1, step=0.5, clip=2.0,
                         noise=3.0, end_dither=0.0, dither=0.0)
    W = netdp.mixing("hypercube 3").to_numpy()
    want = 0.5 * 3.0 * (2 * 2.0) * np.sqrt((W ** 2).sum(axis=1))
    assert np.allclose(got.models.std(axis=1), want, rtol=0.03) and got.deviation == 12.0
    assert (netdp.simulate("hypercube 3", gradient=np.zeros_like, start=np.zeros(4), rounds=1, step=1, clip=1, noise=1).models
            == netdp.simulate("hypercube 3", gradient=np.zeros_like, start=np.zeros(4), rounds=1, step=1, clip=1,
                              noise=1).models).all()
    a, b = (netdp.simulate("hypercube 3", gradient=np.zeros_like, start=np.zeros(4), rounds=1, step=1, clip=1, noise=1,
                           seed=seed).models for seed in (1, 2))
    assert (a != b).all()


def test_what_breaks_the_promise_is_caught():
    calls = []

    def keeps(models):
        calls.append(1)
        return pull(models) + len(calls)

    def looks(models):
        return np.broadcast_to(models.mean(axis=0), models.shape)

    def random(models):
        return np.random.default_rng().normal(size=models.shape)

    for wrong, part in ((keeps, "keeps state"), (random, "keeps state"), (looks, "other nodes' models"),
                        (lambda models: models[:, :2], r"gave \[8, 2\]")):
        with pytest.raises(netdp.Invalid, match=part):
            ask(wrong)
    assert "not looked into" in ask(keeps, check=False).assumes
    assert "did not give that away" in ask().assumes


def test_writing_into_the_models_changes_nothing():
    def vandal(models):
        answer = pull(models)
        models[:] = 1e9
        return answer

    assert (ask(vandal).models == ask().models).all()


def test_not_finite_counts_as_nothing():
    def broken(models):
        answer = pull(models).copy()
        answer[2] = np.nan
        answer[3, 1] = np.inf
        return answer

    got = ask(broken)
    assert np.isfinite(got.models).all() and got.dropped == 2 * got.steps and "not finite" in str(got)
    # As large as doubles are, it is clipped like any other.
    huge = ask(lambda models: np.full(models.shape, 1e308))
    assert np.isfinite(huge.models).all() and huge.clipped == 1
    assert np.allclose(huge.models, -0.3 * 6 * 0.5 / np.sqrt(3))


def test_exceptions_come_through():
    class Own(Exception):
        pass

    def fails(models):
        raise Own

    with pytest.raises(Own):
        ask(fails)
    assert np.isfinite(ask().models).all()


@pytest.mark.parametrize("more", [dict(clip=0), dict(clip=np.inf), dict(step=-1), dict(noise=-1), dict(noise=np.nan),
                                  dict(start=[np.nan] * 3), dict(start=[]), dict(rows=0), dict(protocol="averaging", inner=None)])
def test_refused(more):
    asked = {key: value for key, value in more.items() if value is not None}
    with pytest.raises(netdp.Error):
        if "protocol" in more:
            netdp.simulate("hypercube 3", gradient=pull, start=np.zeros(3), rounds=4, step=1, clip=1, noise=1, **asked)
        else:
            ask(**asked)


def test_with_calibrated_noise():
    """The noise that calibrate finds for the same settings is the one that is asked for."""
    settings = dict(protocol="muffliato-sgd", rounds=12, inner=2, end_dither=0.2)
    found = netdp.calibrate("hypercube 3", target=2, as_="dp:1e-5", over="mean", **settings)
    got = netdp.simulate("hypercube 3", gradient=pull, start=np.zeros(3), step=0.3, clip=0.5, noise=found.noise, **settings)
    assert np.isfinite(got.models).all() and f"noise {found.noise:g} Delta" in got.assumes


def test_torch():
    torch = pytest.importorskip("torch")

    def by_torch(models):
        models = models.clone().requires_grad_(True)
        ((models - torch.from_numpy(TARGETS)) ** 2).sum().div(2).backward()
        return models.grad

    assert np.allclose(ask(by_torch, torch=True).models, ask().models, rtol=1e-12)


def test_the_curve_is_what_shorter_runs_end_with():
    got = ask(noise=0.5, every=2)
    assert got.curve_steps.tolist() == [0, 2, 4, 6] and got.curve.shape == (4, 8, 3)
    assert (got.curve[0] == 0).all() and (got.curve[-1] == got.models).all() and (got.models == ask(noise=0.5).models).all()
    for point, steps in ((1, 2), (2, 4)):
        assert np.array_equal(got.curve[point], ask(noise=0.5, rounds=2 * steps).models)
    assert ask().curve is None and ask().curve_steps is None
    with pytest.raises(netdp.Invalid, match="every"):
        ask(every=-1)

"""The examples for Flower and NVFLARE, against stand-ins of the interfaces that flwr 1.21 and nvflare 2.7 publish; they are optional."""
import os
import pathlib
import sys
import types

import numpy as np
import pytest

import netdp

EXAMPLES = pathlib.Path(os.environ["NETDP_SOURCE"], "examples")
BUDGET = dict(epsilon=1.0, delta=1e-6, clip=2.0, noise=10.0)


class Array:
    def __init__(self, ndarray):
        self.held = ndarray

    def numpy(self):
        return self.held


class Record(dict):
    pass


class Reply:
    def __init__(self, arrays, metrics, kind="train", error=False):
        self.metadata, self.error = types.SimpleNamespace(message_type=kind), error
        self.content = types.SimpleNamespace(array_records={"arrays": Record((k, Array(v)) for k, v in arrays.items())},
                                             metric_records={"metrics": Record(metrics)}, config_records={})

    def has_error(self):
        return self.error


WEIGHTS = {"w": np.ones((3, 2), np.float32), "b": np.zeros(4, np.float16), "seen": np.array([5])}


@pytest.fixture
def mod(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(EXAMPLES / "flower"))
    return __import__("netdp_mod").NetdpMod(tmp_path / "budget", examples=7, **BUDGET)


def train(message, context):
    arrays = {key: array.numpy() + (1 if key != "w" else 1000.0) for key, array in message.content.array_records["arrays"].items()}
    return Reply({key: value.astype(WEIGHTS[key].dtype) for key, value in arrays.items()}, {"num-examples": 123, "loss": 0.5})


def rounds_within(budget):
    count = 0
    while float(netdp.convert(f"gaussian:{budget['noise']!r} x{count + 1}", f"dp:{budget['delta']!r}")) <= budget["epsilon"]:
        count += 1
    return count


def test_flower(mod):
    most = rounds_within(BUDGET)
    assert most >= 2
    for done in range(1, most + 1):
        reply = mod(Reply(WEIGHTS, {}), None, train)
        arrays = {key: array.numpy() for key, array in reply.content.array_records["arrays"].items()}
        assert {key: (v.shape, v.dtype) for key, v in arrays.items()} == {key: (v.shape, v.dtype) for key, v in WEIGHTS.items()}
        assert arrays["seen"][0] == 5 and (arrays["w"] != WEIGHTS["w"]).all()
        assert np.abs(arrays["w"]).max() < 8 * 40 + 5  # the 1000 were clipped; sigma is 2 * clip * noise
        metrics = reply.content.metric_records["metrics"]
        assert set(metrics) == {"num-examples", "netdp-epsilon", "netdp-delta", "netdp-releases"}
        assert metrics["num-examples"] == 7 and metrics["netdp-releases"] == done
        assert metrics["netdp-epsilon"] == float(netdp.convert(f"gaussian:10 x{done}", "dp:1e-6"))
    with pytest.raises(netdp.NoAnswer):
        mod(Reply(WEIGHTS, {}), None, train)
    assert mod.guard.spent.releases == most


def test_flower_lets_other_messages_through(mod):
    asked = Reply(WEIGHTS, {}, kind="evaluate")
    assert mod(asked, None, lambda message, context: message) is asked
    failed = Reply(WEIGHTS, {}, error=True)
    assert mod(Reply(WEIGHTS, {}), None, lambda message, context: failed) is failed
    with pytest.raises(netdp.Invalid, match="others"):
        mod(Reply(WEIGHTS, {}), None, lambda message, context: Reply({"w": np.ones(2)}, {}))
    assert mod.guard.spent.releases == 0


class Shareable(dict):
    def __init__(self, code="OK"):
        super().__init__()
        self.code, self.headers = code, {}

    def get_return_code(self):
        return self.code


class DXO:
    def __init__(self, data_kind, data, meta=None):
        self.data_kind, self.data, self.meta = data_kind, data, meta or {}

    def update_shareable(self, shareable):
        shareable["DXO"] = {"kind": self.data_kind, "data": self.data, "meta": self.meta}
        return shareable


def from_shareable(shareable):
    if "DXO" not in shareable:
        raise ValueError("the shareable is not a valid DXO - missing content")
    found = shareable["DXO"]
    return DXO(found["kind"], found["data"], found["meta"])


class Blocked(BaseException):
    pass


class Filter:
    said = []

    def log_info(self, fl_ctx, text):
        self.said.append(text)


@pytest.fixture
def site(monkeypatch, tmp_path):
    names = {"dxo": dict(DataKind=types.SimpleNamespace(WEIGHT_DIFF="WEIGHT_DIFF", WEIGHTS="WEIGHTS"),
                         MetaKey=types.SimpleNamespace(NUM_STEPS_CURRENT_ROUND="NUM_STEPS_CURRENT_ROUND"), from_shareable=from_shareable),
             "filter": dict(ContentBlockedException=Blocked, Filter=Filter),
             "fl_constant": dict(ReturnCode=types.SimpleNamespace(OK="OK"))}
    for name in ("nvflare", "nvflare.apis"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    for name, held in names.items():
        module = types.ModuleType("nvflare.apis." + name)
        vars(module).update(held)
        monkeypatch.setitem(sys.modules, "nvflare.apis." + name, module)
    monkeypatch.syspath_prepend(str(EXAMPLES / "nvflare"))
    monkeypatch.delitem(sys.modules, "netdp_filter", raising=False)
    return __import__("netdp_filter").NetdpFilter(tmp_path / "budget", **BUDGET)


def sent(kind="WEIGHT_DIFF"):
    return DXO(kind, {"a": np.full((2, 3), 0.5, np.float32), "b": np.zeros(5)}, {"NUM_STEPS_CURRENT_ROUND": 99, "loss": 1}).update_shareable(Shareable())


def test_nvflare(site):
    for done in range(1, rounds_within(BUDGET) + 1):
        found = site.process(sent(), None)["DXO"]
        assert found["data"]["a"].shape == (2, 3) and found["data"]["a"].dtype == np.float32 and found["data"]["b"].dtype == np.float64
        assert found["meta"]["NUM_STEPS_CURRENT_ROUND"] == 1 and "loss" not in found["meta"]
        assert found["meta"]["netdp_epsilon"] == float(netdp.convert(f"gaussian:10 x{done}", "dp:1e-6"))
        assert f"{done} releases" in site.said[-1]
    with pytest.raises(Blocked, match="nothing was released"):
        site.process(sent(), None)


def test_nvflare_blocks_what_is_not_covered(site):
    for odd in (sent("WEIGHTS"), Shareable()):
        with pytest.raises(Blocked):
            site.process(odd, None)
    failed = Shareable("EXECUTION_EXCEPTION")
    assert site.process(failed, None) is failed and site.guard.spent.releases == 0


def test_an_update_keeps_dtypes(tmp_path):
    guard = netdp.Mechanism(tmp_path / "budget", epsilon=1, delta=1e-6)
    made = guard.update([np.zeros((), np.float32), np.zeros((0, 2)), np.ones(3, np.float16)], clip=1e6, noise=10)
    assert [one.dtype.name for one in made] == ["float32", "float64", "float16"] and np.isfinite(made[2]).all()
    for odd in ([np.arange(3)], [np.array([True])], [np.array([1j])], [], [[[1.0], [1.0, 2.0]]], [np.array([np.longdouble("1e4000")])]):
        with pytest.raises(netdp.Invalid):
            guard.update(odd, clip=1, noise=10)
    with pytest.raises(netdp.Invalid, match="finite"):
        guard.update([np.array([np.nan])], clip=1, noise=10)
    assert guard.spent.releases == 1
    guard.close()
    for ask in (lambda: guard.spent, lambda: guard.update([np.ones(1)], clip=1, noise=10)):
        with pytest.raises(netdp.Invalid, match="closed"):
            ask()

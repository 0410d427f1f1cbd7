"""Lists of events to and from dp_accounting, Opacus and OpenDP, on files that those tools wrote (tests/python/exchange says which)."""
import json
import math
import os
import pathlib
import random
import subprocess

import numpy as np
import pytest

import netdp
from netdp import events

FOLDER = pathlib.Path(os.environ["NETDP_SOURCE"], "tests", "python", "exchange")
DP_ACCOUNTING, OPACUS, OPENDP = (json.loads((FOLDER / f"{name}.json").read_text("utf-8")) for name in ("dp_accounting", "opacus", "opendp"))


GAUSSIAN = {"class_name": "GaussianDpEvent", "noise_multiplier": 1.0}


def flat(event):
    """What a DpEvent of the file is composed of: class, fields, how often; written down here, not by netdp."""
    name = event["class_name"]
    if name == "SelfComposedDpEvent":
        return [(one, event["count"] * count) for one, count in flat(event["event"])]
    if name == "ComposedDpEvent":
        return [pair for part in event["events"] for pair in flat(part)]
    return [(event, 1)]


def same(one, other):
    """The same DpEvent, discrete noise to a rounding and never with more noise."""
    assert one["class_name"] == other["class_name"] and set(one) == set(other)
    for key, value in one.items():
        if key == "event":
            same(value, other[key])
        elif one["class_name"] in ("DiscreteLaplaceDpEvent", "DiscreteGaussianDpEvent") and key in ("noise_parameter", "sigma"):
            least, most = (value, value * (1 + 1e-15)) if key == "noise_parameter" else (value * (1 - 1e-15), value)
            assert least <= other[key] <= most
        else:
            assert other[key] == value


def composed_response(event, count=1):
    """dp_accounting 0.6.0's PLDAccountant counts a randomised response that is composed with itself once."""
    return any(one["class_name"] == "RandomizedResponseDpEvent" and count > 1 for one, count in flat(event))


def test_their_randomised_response_is_counted_once():
    found = [(stored, stored["pld_epsilon_at_1e-6"]) for stored in DP_ACCOUNTING["lists"]
             if "pld_epsilon_at_1e-6" in stored and composed_response(stored["event"])]
    assert found
    for stored, theirs in found:
        assert float(events.from_dp_accounting(stored).convert("dp:1e-6", lower=True)) > 1.5 * theirs


@pytest.mark.parametrize("k", range(200))
def test_dp_accounting_and_back(k):
    stored = DP_ACCOUNTING["lists"][k]
    found = events.from_dp_accounting(stored)
    assert found.adjacency == {"REPLACE_ONE": "replace", "ADD_OR_REMOVE_ONE": "add-remove"}[stored["neighboring_relation"]]
    back = events.to_dp_accounting(found)
    assert back["neighboring_relation"] == stored["neighboring_relation"]
    given, got = flat(stored["event"]), flat(back["event"])
    merged = [given[0]]
    for one, count in given[1:]:
        merged[-1:] = [(one, merged[-1][1] + count)] if one == merged[-1][0] else [merged[-1], (one, count)]
    assert [count for _, count in got] == [count for _, count in merged]
    for (one, _), (other, _) in zip(merged, got):
        same(one, other)
    if "pld_epsilon_at_1e-6" in stored and not composed_response(stored["event"]):  # both bound the same from above
        theirs, ours = stored["pld_epsilon_at_1e-6"], float(found.convert("dp:1e-6"))
        assert ours <= theirs * (1 + 1e-3) + 1e-6
        assert ours >= theirs * 0.97 - 0.01


@pytest.mark.parametrize("event", DP_ACCOUNTING["refused"], ids=lambda event: event["class_name"])
def test_what_has_no_account_is_refused_by_name(event):
    with pytest.raises(netdp.Invalid, match=event["class_name"].replace("DiscreteGaussianDpEvent", "discrete Gaussian")):
        events.from_dp_accounting(event, adjacency="add-remove")


@pytest.mark.parametrize("k", range(200))
def test_opacus_and_back(k):
    stored = OPACUS["lists"][k]
    found = events.from_opacus(stored["state"])
    assert found.adjacency == "add-remove"
    back = events.to_opacus(found, stored["state"]["mechanism"])
    assert back["mechanism"] == stored["state"]["mechanism"]
    assert [list(step) for step in back["history"]] == stored["state"]["history"]
    if "epsilon_at_1e-6" in stored:
        assert float(found.convert("dp:1e-6")) <= stored["epsilon_at_1e-6"] + 0.02


@pytest.mark.parametrize("k", range(200))
def test_opendp_and_back(k):
    stored = OPENDP["lists"][k]
    found = events.from_opendp(json.dumps(stored["measurement"]), d_in=stored["d_in"], adjacency="replace")

    def scales(given):
        asked = given["__kwargs__"]
        if given["__function__"] == "make_composition":
            return [scale for one in asked["measurements"] for scale in scales(one)]
        return scales(asked["measurement1"]) if "measurement1" in asked else [asked["scale"]]

    got = [event["noise"] * stored["d_in"] for event in found.events for _ in range(event["count"])]
    assert got == pytest.approx(scales(stored["measurement"]), rel=1e-15) and all(a <= b for a, b in zip(got, scales(stored["measurement"])))
    plain = events.Events("replace", tuple(event for event in found.events if "levels" not in event))
    written = events.to_opendp(plain)
    assert events.from_opendp(written["measurements"], written["d_in"], written["adjacency"]) == events.Events("replace", events._joined(plain.events))


def made_up(seed):
    dice = random.Random(seed)
    adjacency = dice.choice(["replace", "add-remove"])
    kinds = [("gaussian", {"noise": dice.uniform(0.5, 9)}), ("laplace", {"noise": dice.uniform(1, 30)}),
             ("approximate", {"epsilon": dice.uniform(0, 1), "delta": 1e-9}),
             ("subsampled-gaussian", {"noise": dice.uniform(0.7, 5), "rate": dice.uniform(0.001, 0.1)})]
    kinds = kinds[:4 if adjacency == "add-remove" else 3]
    return events.Events(adjacency, events._joined([{"mechanism": name, **fields, "count": dice.randint(1, 9)}
                                                    for name, fields in dice.choices(kinds, k=dice.randint(1, 5))]))


@pytest.mark.parametrize("seed", range(0, 200, 8))
def test_a_file_says_its_neighbours(tmp_path, seed):
    for one in range(seed, seed + 8):
        listed = made_up(one)
        listed.write(tmp_path / "list.json")
        assert events.read(tmp_path / "list.json") == listed
        assert events.from_dp_accounting(json.loads(json.dumps(events.to_dp_accounting(listed)))) == listed
    found = subprocess.run([os.environ["NETDP_COMMAND"], "convert", f"events:{tmp_path / 'list.json'}", "--to", "dp:1e-6", "--json"],
                           capture_output=True, text=True, check=True, timeout=1800)
    assert json.loads(found.stdout)["value"] == float(listed.convert("dp:1e-6"))


def test_the_factor_two_of_replacing():
    gaussian = {"class_name": "GaussianDpEvent", "noise_multiplier": 2.0}
    replaced, added = (events.from_dp_accounting(gaussian, adjacency) for adjacency in ("replace", "add-remove"))
    assert replaced.events[0]["noise"] == 1.0 and added.events[0]["noise"] == 2.0
    # dp_accounting 0.6.0 of three such: 8.385418926834 and 3.7086349369651255 at 1e-5.
    thrice = {"class_name": "SelfComposedDpEvent", "event": gaussian, "count": 3}
    for adjacency, theirs in (("replace", 8.385418926834), ("add-remove", 3.7086349369651255)):
        assert float(events.from_dp_accounting(thrice, adjacency).convert("dp:1e-5")) == pytest.approx(theirs, rel=2e-4)
    assert events.from_opacus([(2.0, 1.0, 3)], adjacency="replace").events[0]["noise"] == 1.0


@pytest.mark.parametrize("call, word", [
    (lambda: events.from_dp_accounting({"class_name": "GaussianDpEvent", "noise_multiplier": 1.0}), "neighbours"),
    (lambda: events.from_dp_accounting({"neighboring_relation": "REPLACE_SPECIAL", "event": {}}), "REPLACE_SPECIAL"),
    (lambda: events.from_dp_accounting({"class_name": "PoissonSampledDpEvent", "sampling_probability": 0.1,
                                        "event": {"class_name": "GaussianDpEvent", "noise_multiplier": 1.0}}, "replace"), "replaced"),
    (lambda: events.from_dp_accounting({"class_name": "GaussianDpEvent", "sigma": 1.0}, "replace"), "fields"),
    (lambda: events.from_dp_accounting({"class_name": "GaussianDpEvent", "noise_multiplier": math.nan}, "replace"), "NaN"),
    (lambda: events.from_opacus({"mechanism": "rdp"}), "history"),
    (lambda: events.from_opacus([(1.0, 0.1)]), "step 1"),
    (lambda: events.from_opacus([(1.0, 0.1, 2.5)]), "steps"),
    (lambda: events.from_opacus([(1.0, 0.1, 5)], adjacency="replace"), "replaced"),
    (lambda: events.to_opacus(events.Events("replace", ({"mechanism": "gaussian", "noise": 1.0},))), "twice"),
    (lambda: events.to_opacus(events.Events("add-remove", ({"mechanism": "laplace", "noise": 1.0},))), "laplace"),
    (lambda: events.to_dp_accounting(events.Events("replace", ({"mechanism": "random-gaussian", "mu": [1], "weight": [1]},))), "random-gaussian"),
    (lambda: events.from_opendp({"__function__": "make_report_noisy_max"}, 1, "replace"), "noisy_max"),
    (lambda: events.from_opendp({"__function__": "make_gaussian", "__kwargs__": {"scale": 1.0, "k": 3}}, 1, "replace"), "grid"),
    (lambda: events.Events("both", ()), "adjacency"),
    (lambda: events.Events([], ()), "adjacency"),
    (lambda: events.Events("replace", (1,)), "event 1"),
    # A list under another name, or none, is no account of nothing.
    (lambda: events.from_dp_accounting({"class_name": "ComposedDpEvent", "event": [GAUSSIAN]}, "replace"), "events"),
    (lambda: events.from_dp_accounting({"class_name": "ComposedDpEvent", "events": None}, "replace"), "events"),
    (lambda: events.from_dp_accounting({"class_name": "ComposedDpEvent"}, "replace"), "events"),
    (lambda: events.from_dp_accounting({"class_name": "SelfComposedDpEvent", "event": GAUSSIAN, "count": 2, "rate": 1}, "replace"), "rate"),
    (lambda: events.from_dp_accounting({"class_name": "SelfComposedDpEvent", "event": GAUSSIAN, "count": math.inf}, "replace"), "count"),
    (lambda: events.from_dp_accounting({"class_name": "PoissonSampledDpEvent", "sampling_probability": 0.1,
                                        "event": {**GAUSSIAN, "more": 1}}, "add-remove"), "more"),
    (lambda: events.from_dp_accounting({"class_name": "GaussianDpEvent", "noise_multiplier": -1.0}, "replace"), "0 or more"),
    (lambda: events.from_opacus([(1.0, 0.1, math.inf)]), "steps"),
    (lambda: events.from_opacus({"history": None}), "history"),
    (lambda: events.from_opacus([5]), "step 1"),
    (lambda: events.to_opacus(events.Events("add-remove", ({"mechanism": "gaussian", "noise": 1.0, "count": 2.5},))), "count"),
    (lambda: events.to_dp_accounting(events.Events("replace", ({"mechanism": "gaussian", "noise": 1.0, "count": 2.5},))), "count"),
    (lambda: events.Events("replace", ({"mechanism": "gaussian", "noise": math.nan},)).to_json(), "NaN"),
    (lambda: events.Events("replace", ({"mechanism": "gaussian", "noise": math.nan},)).convert("dp:1e-5"), "NaN"),
    (lambda: events.from_opendp("{", 1, "replace"), "JSON"),
    (lambda: events.from_opendp({"__function__": "make_gaussian", "__kwargs__": {"scale": 1.0, "input_domain": "x"}}, 1, "replace"), "domain"),
    (lambda: events.from_opendp({"__function__": "make_gaussian", "__args__": [1], "__kwargs__": {"scale": 1.0}}, 1, "replace"), "serialize"),
])
def test_refusals_name_what_is_wrong(call, word):
    with pytest.raises(netdp.Invalid, match=word):
        call()


def test_numbers_of_numpy_are_numbers():
    listed = events.Events("replace", ({"mechanism": "gaussian", "noise": np.float64(2), "count": np.int64(3)},))
    plain = events.Events("replace", ({"mechanism": "gaussian", "noise": 2.0, "count": 3},))
    assert json.loads(listed.to_json()) == json.loads(plain.to_json())
    assert float(listed.convert("dp:1e-5")) == float(plain.convert("dp:1e-5"))


@pytest.mark.parametrize("text, word", [
    ('{"adjacency": "both", "events": []}', "adjacency"), ('{"events": []}', "no list of events"),
    ('{"adjacency": "replace", "events": [], "more": 1}', "no list of events"),
    ('{"adjacency": "replace", "events": [{"mechanism": "subsampled-gaussian", "noise": 1, "rate": 0.1}]}', "not replaced"),
    ('{"adjacency": "replace", "events": {}}', "no list of events")])
def test_command_refuses_other_files(tmp_path, text, word):
    (tmp_path / "list.json").write_text(text, "utf-8")
    found = subprocess.run([os.environ["NETDP_COMMAND"], "convert", f"events:{tmp_path / 'list.json'}", "--to", "dp:1e-6"],
                           capture_output=True, text=True, check=False, timeout=600)
    assert found.returncode == 2 and word in found.stderr and found.stderr.count("\n") == 1


def test_mechanisms_of_other_neighbours_are_refused():
    for mechanism, theirs in (("subsampled-gaussian", "add-remove"), ("subsampled-laplace", "add-remove"),
                              ("gaussian-without-replacement", "replace"), ("subsampled-gaussian-replaced", "replace")):
        event = {"mechanism": mechanism, "noise": 2.0, "rate": 0.2}
        assert float(events.Events(theirs, (event,)).convert("dp:1e-5")) > 0
        other = {"replace": "add-remove", "add-remove": "replace"}[theirs]
        with pytest.raises(netdp.Invalid, match=mechanism + " is accounted for where"):
            events.Events(other, (event,))


def test_the_noise_of_steps_at_a_rate():
    """The least noise of T steps: it meets the target, a little less does not, and other events of the list count too."""
    steps = {"mechanism": "subsampled-gaussian", "rate": 0.01, "count": 1000}
    noise = netdp.calibrate([steps], target=1, as_="dp:1e-5")
    assert 0.99999 < float(netdp.convert(f"subsampled-gaussian:{noise!r},0.01 x1000", "dp:1e-5")) <= 1
    assert float(netdp.convert(f"subsampled-gaussian:{noise * (1 - 3e-6)!r},0.01 x1000", "dp:1e-5")) > 1
    held = events.Events("replace", ({"mechanism": "gaussian", "count": 10},))
    alone = netdp.calibrate(held, target=1, as_="dp:1e-5")
    more = netdp.calibrate([{"mechanism": "gaussian", "count": 10}, {"mechanism": "laplace", "noise": 4}], target=1, as_="dp:1e-5")
    assert more > alone > 1
    for given, word in (("davis", "rounds"), ([{"mechanism": "gaussian", "noise": 2}], "have a noise"), ([1, 2], "rounds")):
        with pytest.raises(netdp.Invalid, match=word):
            netdp.calibrate(given, target=1, as_="dp:1e-5")
    with pytest.raises(netdp.NoAnswer, match="not met"):
        netdp.calibrate([{"mechanism": "gaussian"}], target=1e-9, as_="dp:1e-5", max_noise=100)
    with pytest.raises(netdp.NoAnswer, match="not met"): # some 3.7 are needed
        netdp.calibrate([{"mechanism": "gaussian"}], target=1, as_="dp:1e-5", max_noise=2)

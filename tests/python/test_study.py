"""Studies, audits, conversions and claims: the command's numbers, and its table."""
import json
import math
import os
import pathlib

import netdp
import numpy as np
import pytest

STUDY = {
    "title": "own", "graph": {"family": "hypercube 5"}, "task": {"kind": "mean", "bounds": [0, 5]},
    "data": {"source": "meters", "per_node": "one", "columns": [{"name": "h19"}]},
    "protocol": {"kind": "averaging", "rounds": "auto"},
    "privacy": {"epsilon": 4, "delta": 1e-6, "over": "mean", "dither": 0.1}, "output": {"repeat": 3}}


def own(**changes):
    study = json.loads(json.dumps(STUDY))
    study.update(changes)
    return study


def test_run_is_the_command_s(command, tmp_path):
    study = own(graph={"family": "hypercube 5"})
    mine = netdp.run(study, tmp_path / "mine")
    (tmp_path / "study.yaml").write_text(netdp.Study(study).to_yaml())
    printed = command("run study.yaml -o theirs", json_too=False)
    for name in ("summary.json", "private.json", "trace.csv", "loss.csv"):
        assert (tmp_path / "mine" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes(), name
    assert str(mine).rpartition("results: ")[0] == printed.rpartition("results: ")[0]
    assert mine.summary == json.loads((tmp_path / "theirs" / "summary.json").read_text())
    assert "private" not in json.dumps(mine.summary) and set(mine.errors()) == set(mine.variants)


def test_result_parts(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    got = netdp.run(own(graph={"family": "hypercube 5"}))
    folder = got.folder
    frame = got.to_pandas()
    assert list(frame.index) == ["central", "local", "gossip"] and frame.sound.all()
    pairs = got.pairs("gossip")
    matrix = got.to_numpy("gossip")
    assert len(pairs) == 32 * 31 and math.isclose(frame["mean"]["gossip"], pairs.epsilon.mean(), rel_tol=1e-9)
    assert (matrix[pairs["from"], pairs["to"]] == pairs.epsilon).all() and np.isinf(np.diag(matrix)).all()
    assert isinstance(got.trace(), pandas.DataFrame) and len(got.trace()) > 3
    assert got.plot().get_xlabel() == "distance (hops)" and "Who could learn this" in got._repr_html_()
    page = got.report(tmp_path / "page.html")
    assert page.stat().st_size > 1000
    del got
    import gc

    gc.collect()
    assert not folder.exists(), "results that nobody holds stay behind"


def test_own_graph_and_values(tmp_path):
    """Row i is node i's: also where nodes have names, in an order that no file would have."""
    networkx = pytest.importorskip("networkx")
    names = ["z", "10", "a b", "2", "q\"uote", "y"]
    G = networkx.Graph()
    G.add_nodes_from(names)
    G.add_edges_from([("y", "z"), ("z", "2"), ("2", "10"), ("10", "a b"), ("a b", 'q"uote'), ('q"uote', "y")])
    study = netdp.Study(own(data={"per_node": "one"}), graph=G, values=np.arange(6.0))
    file = netdp.graph(pathlib.Path(study.to_yaml().partition("file: ")[2].splitlines()[0].strip(' "')))
    assert file.names == names and (file.edge_array() == netdp.graph(G).edge_array()).all()
    got = netdp.run(study)
    assert got.summary["graph"]["nodes"] == 6
    assert got.private()["variants"][0]["error"]["columns"][0]["mean"] == 2.5


@pytest.mark.parametrize("values,part", [
    (np.array([1.0, np.nan] + [0.0] * 30), "row 1"), (np.array(["a"] * 32), "numbers"), (np.zeros((2, 2, 2)), "table"),
    (np.arange(3.0), "3"), (np.full(32, np.inf), "row 0"),
])
def test_values_refused(values, part):
    with pytest.raises(netdp.Error, match=part) as told:
        netdp.run(own(data={"per_node": "one"}), values=values)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("study,part", [
    (own(privacy={"epsilon": -1, "delta": 1e-6}), "privacy.epsilon"), (own(privac={}), "privac"),
    ({}, "."), (own(title=object()), "study"), ("nowhere.yaml", "nowhere.yaml"), (own(data={"csv": "nowhere.csv"}), "nowhere"),
])
def test_study_refused(study, part):
    with pytest.raises(netdp.Error, match=part) as told:
        netdp.run(study)
    assert "\n" not in str(told.value)


def test_categories(tmp_path):
    rows = ["a,ward,kind"] + [f"{i % 7},{('north', 'south', 'Mars')[i % 3]},{'yes' if i % 2 else 'no'}" for i in range(60)]
    (tmp_path / "wards.csv").write_text("\n".join(rows) + "\n")
    columns = [{"name": "a", "bounds": [0, 6]}, {"name": "ward", "values": ["north", "south"]}]
    study = {"graph": {"family": "ring 4"}, "seed": 2,
             "data": {"csv": str(tmp_path / "wards.csv"), "label": "kind", "categories": "onehot", "columns": columns},
             "task": {"kind": "logistic", "clip": 0.5, "step": 1, "central_steps": 4},
             "protocol": {"kind": "gossip-sgd", "rounds": 4},
             "privacy": {"epsilon": 2, "delta": 1e-5, "over": "worst", "protects": "row"}, "output": {"repeat": 1}}
    got = netdp.run(study, tmp_path / "got")
    assert got.summary["data"]["columns"] == 3
    assert got.private()["notes"]["cells_unlisted"] == 20
    del study["data"]["categories"]
    with pytest.raises(netdp.Error, match="give categories: onehot"):
        netdp.run(study, tmp_path / "other")


def test_neighbouring_values(tmp_path):
    """What is public of a frame's rows: nothing that one of them says, empty or another."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"owner": np.arange(24) % 3, "a": np.linspace(0, 1, 24), "kind": np.arange(24) // 3 % 2})
    counted = {"0": 8, "1": 8, "2": 8}
    study = own(graph={"family": "ring 3"}, data={
        "label": "kind", "owner": "owner", "missing": "drop", "rows": counted,
        "columns": [{"name": "a", "bounds": [0, 1]}, {"name": "kind", "values": [0, 1]}]},
        task={"kind": "logistic", "clip": 0.4, "step": 0.5}, protocol={"kind": "gossip-sgd", "rounds": 4},
        privacy={"epsilon": 4, "delta": 1e-6, "protects": "row", "change": "add-remove"})
    found = []
    for row, column, value in ((0, "a", 0), (5, "a", math.nan), (5, "kind", 7), (5, "kind", 1 - frame.kind[5]), (5, "a", 1e99)):
        changed = frame.astype(float)
        changed.loc[row, column] = value
        found.append(netdp.run(study, tmp_path / str(len(found)), values=changed))
    found.append(netdp.run(study, tmp_path / "fewer", values=frame[:-1]))
    public = [{name: (one.folder / name).read_bytes() for name in ("summary.json", "loss.csv")} for one in found]
    assert all(one == public[0] for one in public)
    assert "assumed_public" not in found[0].summary
    del study["data"]["rows"]
    with pytest.raises(netdp.Invalid, match="data.rows: is missing"):
        netdp.run(study, tmp_path / "refused", values=frame)
    assert netdp.run(study, tmp_path / "set", set={"data.rows": counted}, values=frame).folder.exists()
    study["privacy"]["change"] = "replace"
    assert netdp.run(study, tmp_path / "assumed", values=frame).summary["assumed_public"] == ["row counts"]


def test_nan_in_a_study():
    with pytest.raises(ValueError):
        netdp.run(own(privacy={"epsilon": math.nan, "delta": 1e-6}))


def test_results_are_not_overwritten(tmp_path):
    netdp.run(own(), tmp_path / "there")
    with pytest.raises(netdp.Invalid):
        netdp.run(own(seed=2), tmp_path / "there")
    assert netdp.run(own(seed=2), tmp_path / "there", force=True).private()["seed"] == 2


def test_audit_is_the_command_s(command, tmp_path):
    (tmp_path / "study.yaml").write_text(netdp.Study(own()).to_yaml())
    got = netdp.audit(own(), runs=600)
    want = command("audit study.yaml --runs 600")
    assert json.loads(json.dumps(got.audits)) == want["audits"] and not got.refuted
    printed = command("audit study.yaml --runs 600 --force", json_too=False)
    assert [line.split() for line in str(got).splitlines()[2:]] == [
        line.split() for line in printed.splitlines()[2:] if not line.startswith("results")]


def test_audit_refutes_what_is_wrong():
    """A published bound that is none, asked for by name."""
    study = pathlib.Path(os.environ["NETDP_SOURCE"], "experiments", "audit-ring.yaml")
    got = netdp.audit(study, from_=15, to=0, runs=2000, bound="published")
    assert got.refuted, str(got)


CONVERSIONS = ["gdp:1 --to dp:1e-5", "rdp:2=0.5,4=1.1 --to dp:1e-6", "dp:1,1e-6 --to sigma", "gdp:1 --to rdp:4",
               "'subsampled-gaussian:0.8,0.005 x1000' --to dp:1e-6", "rr:0.2,10,9999 --to dp:1e-6 --by feldman",
               "dp:3,1e-4 --to gamma:1,1.2", "rdp-linear:2 --to dp:1e-6 --published", "gdp:2 --to sigma"]


@pytest.mark.parametrize("line", CONVERSIONS)
def test_convert(command, line):
    import shlex

    words = shlex.split(line)
    manner = {"published": "--published" in words}
    if "--by" in words:
        manner["by"] = words[words.index("--by") + 1]
    got, want = netdp.convert(words[0], words[2], **manner), command("convert " + line)
    assert float(got) == want["value"] and got.certified == want["certified"] and got.covers == want.get("covers")
    assert str(got) == command("convert " + line, json_too=False).rstrip("\n")


@pytest.mark.parametrize("guarantee,to", [("gdp:-1", "dp:1e-6"), ("dp:1,1e-6", "gdp"), ("nonsense", "gdp"), ("gdp:nan", "sigma")])
def test_convert_refused(refuses, guarantee, to):
    with pytest.raises(netdp.Invalid) as told:
        netdp.convert(guarantee, to)
    assert str(told.value) in refuses(f"convert {guarantee} --to {to}")


CLAIMS = [
    ("C-theorem-1 --family 'ring 60' rounds=68 noise=1 dither=1e-4 from=15 to=0", "C-theorem-1", "ring 60",
     dict(rounds=68, noise=1, dither=1e-4, from_=15, to=0)),
    ("D-equation-5-5 loss=1 epsilon=10 delta=1e-5", "D-equation-5-5", None, dict(loss=1, epsilon=10, delta=1e-5)),
    ("A-lemma-2 --family 'star 10' --mixing hamilton rounds=50 noise=6 from=1 to=0", "A-lemma-2", "star 10",
     dict(mixing="hamilton", rounds=50, noise=6, from_=1, to=0)),
]


@pytest.mark.parametrize("line,name,graph,asked", CLAIMS, ids=[name for _, name, _, _ in CLAIMS])
def test_claim(command, line, name, graph, asked):
    got, want = netdp.claim(name, graph, **asked), command("claim " + line)
    assert got.value == (math.inf if want["value"] == "inf" else want["value"])
    assert (got.unit, got.refuted, got.sound.lower()) == (want["unit"], want["refuted"], str(want["sound"]).lower())
    if want["holds"]:
        assert (got.at_least, got.at_most) == tuple(
            math.inf if want["holds"][key] == "inf" else want["holds"][key] for key in ("at_least", "at_most"))


def test_all_claims(command):
    assert [claim.name for claim in netdp.claims()] == [claim["claim"] for claim in command("claim")["claims"]]
    with pytest.raises(netdp.Invalid):
        netdp.claim("C-theorem-99")

"""Predictions of learnt models: those of a few lines of NumPy, and the command's."""
import io
import json

import netdp
import numpy as np
import pytest


def test_predictions_are_the_command_s(command, tmp_path):
    """A frame in any order of columns, with an index of its own; classes stay texts, what is missing is refused."""
    pandas = pytest.importorskip("pandas")
    draw = np.random.default_rng(4)
    frame = pandas.DataFrame({"age": draw.uniform(0, 90, 200), "ward": draw.choice(["north", "east"], 200)})
    frame["ill"] = np.where(frame.age + 20 * (frame.ward == "east") > 55, "yes", "no")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    result = netdp.run({
        "title": "predict", "graph": {"family": "complete 4"},
        "data": {"csv": str(tmp_path / "rows.csv"), "label": "ill", "categories": "onehot", "columns": [
            {"name": "age", "bounds": [0, 90]}, {"name": "ward", "values": ["north", "east"]}, {"name": "ill", "values": ["no", "yes"]}]},
        "task": {"kind": "logistic", "clip": 1, "step": 0.7, "intercept": True},
        "protocol": {"kind": "muffliato-sgd", "rounds": 60, "inner": 3},
        "privacy": {"epsilon": 500, "delta": 1e-6}, "output": {"repeat": 1}}, tmp_path / "out")
    asked = frame.drop(columns="ill")[["ward", "age"]].iloc[::-1]
    got = result.predict(asked)
    assert list(got.index) == list(asked.index) and list(got.columns) == ["prediction", "p:no", "p:yes"]
    weights = json.loads((tmp_path / "out" / "model-1.json").read_text())["model"]["weights"]
    x = np.column_stack([2 * asked.age / 90 - 1, asked.ward == "north", asked.ward == "east"])
    x = np.column_stack([x / np.linalg.norm(x, axis=1, keepdims=True), np.ones(len(x))])
    want = 1 / (1 + np.exp(-x @ weights))
    assert np.abs(got["p:yes"] - want).max() < 1e-12 and list(got.prediction) == ["yes" if p >= 0.5 else "no" for p in want]
    assert "seed" in got.attrs["privacy"]
    # The same by the command, from a file; and a column more, which is carried along.
    printed = command("predict out rows.csv --keep ill", json_too=False)
    theirs = pandas.read_csv(io.StringIO(printed), float_precision="round_trip")
    mine = netdp.predict(tmp_path / "out", tmp_path / "rows.csv", keep="ill")
    assert list(theirs["p:yes"]) == list(mine["p:yes"]) == list(got["p:yes"].sort_index()) and list(mine.ill) == list(frame.ill)
    with pytest.raises(netdp.Invalid, match="has no column 'wart'|needs column 'ward'.*nearest name is 'wart'"):
        result.predict(asked.rename(columns={"ward": "wart"}))
    holes = asked.assign(age=asked.age.where(asked.age > 10))
    with pytest.raises(netdp.Invalid, match="column 'age': the cell is empty"):
        result.predict(holes)
    dropped = result.predict(holes, missing="drop")
    assert list(dropped["p:yes"].isna()) == list(holes.age.isna()) and dropped.prediction.isna().sum() == holes.age.isna().sum() > 0
    with pytest.raises(netdp.Invalid, match="give refuse, drop or mean"):
        result.predict(asked, missing="zero")

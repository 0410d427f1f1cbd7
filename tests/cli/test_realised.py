#!/usr/bin/python3
"""Studies of task realised: walks of a token that were drawn, what they tell and what is refused."""
import math
import pathlib
import tempfile

from harness import close, main, read_json, run

STUDY = """\
title: Walks
seed: 3
graph: {family: complete 12}
task: {kind: realised}
protocol: {kind: complete-sum, rounds: auto, visits: 20}
privacy: {epsilon: 0.2, delta: 1e-7}
output: {repeat: 4}
variants:
  - {name: network}
  - {name: published, privacy: {bound: published}}
  - {name: LDP, privacy: {bound: local}}
  - {name: LDP published, privacy: {bound: published-local}}
"""


def ran(study, *words):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "study.yaml").write_text(study)
        code, out, err = run(["run", "study.yaml", "-o", "out", *words], folder)
        if code != 0:
            return code, err
        summary = read_json(pathlib.Path(folder, "out", "summary.json").read_text())
        again = run(["run", "out/study.yaml", "-o", "again"], folder)
        assert again[0] == 0, again[2]
        assert pathlib.Path(folder, "out", "summary.json").read_bytes() == pathlib.Path(
            folder, "again", "summary.json").read_bytes(), "the written study is another one"
        return 0, summary


def test_accounts():
    code, summary = ran(STUDY)
    assert code == 0, summary
    told = {v["name"]: v for v in summary["variants"]}
    mean = {name: v["guarantee"]["mean"] for name, v in told.items()}
    assert mean["network"] < mean["LDP"] < mean["LDP published"]
    assert mean["network"] < mean["published"] < mean["LDP published"]
    for name, variant in told.items():
        guarantee = variant["guarantee"]
        assert guarantee["least"] <= guarantee["mean"] <= guarantee["worst"]["epsilon"]
        assert guarantee["sound"] == (name != "published")
        assert not guarantee["certified"] and guarantee["reason"] and guarantee["unit"] == "dp:1e-7"
        assert variant["rounds"] == 240 and variant["graph"]["edges"] == 66
        pairs = 4 * 12 if name.startswith("LDP") else 4 * 12 * 11
        assert guarantee["by_distance"][0]["pairs"] == pairs
    # The most that a node contributes in the four walks, by advanced composition.
    worst, slack = told["LDP published"]["guarantee"]["worst"]["epsilon"], math.log(1e7)
    counts = [math.sqrt(2 * k * slack) * 0.2 + k * 0.2 * math.expm1(0.2) for k in range(20, 60)]
    assert min(abs(worst - c) for c in counts) < 1e-6 * worst


def test_histograms():
    """Pricing crowds takes seconds: tests/unit/test_tally.c has them."""
    study = STUDY.replace("realised}", "realised, levels: 2}").replace("-sum", "-histogram")
    head, tail = study.split("  - {name: network}\n")
    code, summary = ran(head + tail.split("\n", 1)[1])
    assert code == 0, summary
    mean = {v["name"]: v["guarantee"]["mean"] for v in summary["variants"]}
    close(mean["LDP"], mean["LDP published"], 1e-12)
    flip = summary["variants"][0]["noise"]  # e^0.2 = (1 - flip/2) / (flip/2)
    close((1 - flip / 2) / (flip / 2), math.exp(0.2), 1e-9)


def test_refusals():
    for change, word in (("protocol.kind=ring-sum", "realised"), ("protocol.visits=0", "visits"),
                         ("protocol.rounds=7", "visits"), ("task.levels=3", "levels"),
                         ("privacy.bound=spectral", "bound"), ("graph.family=ring 12", "complete"),
                         ("graph.family=complete 1", "complete"), ("task.step=1", "step")):
        code, err = ran(STUDY.split("variants")[0], "--set", change)
        assert code == 2 and word in err and err.count("\n") == 1, (change, code, err)


if __name__ == "__main__":
    main([], [test_accounts, test_histograms, test_refusals])

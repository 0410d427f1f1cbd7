#!/usr/bin/python3
"""Studies of task claim: the same numbers as netdp claim, their figure, and what is refused."""
import pathlib
import re
import tempfile

from harness import close, main, read_json, run

STUDY = """\
title: Gamma
figure: {kind: sweep}
task: {kind: claim, claim: B-lemma-3-scale, over: epsilon}
variants:
  - {name: "delta / narrow", task: {claim: B-lemma-3, with: scale=2 least-smoothness=1 smoothness=3}}
  - {name: "theta / narrow", task: {with: delta=0.1 least-smoothness=1 smoothness=2}}
sweep: {key: task.at, values: 0.5 | 2}
"""
ONE = """\
title: One
task: {kind: claim, claim: B-lemma-3, with: epsilon=1 scale=2 least-smoothness=1 smoothness=3}
"""


def outcome(study, *words, command="run"):
    """The exit code, what was told, and the files of the result folder."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "study.yaml").write_text(study)
        code, out, err = run([command, "study.yaml", "-o", "out", *words], folder)
        made = pathlib.Path(folder, "out")
        files = {f.name: f.read_text() for f in made.iterdir()} if made.is_dir() else {}
        if code == 0:
            again = run(["run", "out/study.yaml", "-o", "again"], folder)
            assert again[0] == 0, again[2]
            assert files["summary.json"] == pathlib.Path(folder, "again", "summary.json").read_text()
            # finished: told again, and nothing is computed
            assert run(["run", "out"], folder)[0] == 0
            assert files["run.log"] == (made / "run.log").read_text()
        return code, (out, err), files


def answered(words):
    with tempfile.TemporaryDirectory() as folder:
        code, out, err = run(["claim", *words.split(), "--json"], folder)
    assert code == 0, err
    return read_json(out)


def test_values():
    code, told, files = outcome(STUDY)
    assert code == 0, told
    variants = {v["name"]: v for v in read_json(files["summary.json"])["variants"]}
    asked = {"delta / narrow": "B-lemma-3 scale=2 least-smoothness=1 smoothness=3",
             "theta / narrow": "B-lemma-3-scale delta=0.1 least-smoothness=1 smoothness=2"}
    for curve, words in asked.items():
        for at in ("0.5", "2"):
            got, want = variants[f"{curve} at {at}"], answered(f"{words} epsilon={at}")
            del want["schema"]  # of the whole summary
            assert {k: got[k] for k in want} == want, (got, want)
            assert (got["curve"], got["at"], got["over"]) == (curve, at, "epsilon")
    assert variants["theta / narrow at 0.5"]["value"] == "inf"
    assert variants["theta / narrow at 0.5"]["holds"] is None
    assert re.search(r"narrow at 2 +1\.44 +0\.6292 +yes", told[0]), told[0]
    # the same by the converter, which does not know of claims
    held = variants["delta / narrow at 2"]
    with tempfile.TemporaryDirectory() as folder:
        theta = run(["convert", "dp:2,0.1", "--to", "gamma:1,2"], folder)[1]
        back = [run(["convert", "gamma:2,1,3", "--to", f"dp:{delta}", *words], folder)[1]
                for delta, words in ((held["holds"]["at_most"], []), (held["value"], ["--published"]))]
    close(variants["theta / narrow at 2"]["holds"]["at_most"],
          float(re.search(r"theta = (\S+)", theta).group(1)), 0, 1e-12)
    for text in back:
        close(float(re.search(r"epsilon = (\S+)", text).group(1)), 2, 0, 1e-9)


def test_figure():
    code, told, files = outcome(STUDY, command="reproduce")
    assert code == 0, told
    figure = read_json(files["figure.json"])
    assert figure["x_label"] == "epsilon"
    curves = {(c["panel"], c["name"]): c for c in figure["curves"]}
    assert set(curves) == {(p, n) for p in ("delta", "theta") for n in ("narrow", "narrow (claim)")}
    close(curves["theta", "narrow (claim)"]["y"][1], 1.439590, 0, 1e-5)
    assert curves["theta", "narrow (claim)"]["y"][0] == "inf"
    assert curves["theta", "narrow"]["x"] == [2]
    for (_, name), curve in curves.items():
        assert curve["sound"] is True and (curve["bound"] == "holds") == (name == "narrow")
    for held, claimed in zip(curves["delta", "narrow"]["y"], curves["delta", "narrow (claim)"]["y"]):
        assert 0 < held < claimed
    for word in (">delta<", ">theta of the Gamma law<", ">epsilon<"):
        assert word in files["figure.svg"], word


def test_one():
    code, told, files = outcome(ONE)
    assert code == 0, told
    (variant,) = read_json(files["summary.json"])["variants"]
    close(variant["value"], 0.455838, 0, 1e-5)
    close(variant["holds"]["at_most"], 0.311211, 0, 1e-5)
    assert "graph" not in files["study.yaml"] and "protocol" not in files["study.yaml"]


def test_refusals():
    line = "{kind: claim, claim: B-lemma-3, with: epsilon=1 scale=2 least-smoothness=1 smoothness=3}"
    for task, word in (
            ("{kind: claim}", "task.claim: is missing"),
            ("{kind: claim, claim: B-lemma-4}", "did you mean B-lemma-3"),
            ("{kind: claim, claim: C-theorem-1}", "needs a graph"),
            ("{kind: claim, claim: B-lemma-3, with: epsilon=1}", "missing scale"),
            ("{kind: claim, claim: B-lemma-3, with: epsilon=1 epsilon=2}", "given twice"),
            ("{kind: claim, claim: B-lemma-3, with: epsilon}", "KEY=VALUE"),
            ("{kind: claim, claim: B-lemma-3, with: epsilon=one}", "not a number"),
            ("{kind: claim, claim: B-lemma-3, with: gap=1}", "no input of B-lemma-3"),
            ("{kind: claim, claim: A-theorem-4, with: nodes=30 from=1}", "names no nodes"),
            ("{kind: claim, claim: B-lemma-3, over: epsilon}", "task.at: is missing"),
            ("{kind: claim, claim: B-lemma-3, at: 1}", "task.over: is missing"),
            (line.replace("epsilon=1", "epsilon=-1"), "give a number above 0"),
            (line.replace("}", ", step: 1}"), "task.step: does not apply"),
            (line + "\ngraph: {family: ring 9}", "graph.family: does not apply"),
            (line + "\nfigure: {kind: trace}", "give sweep"),
            (line + "\nfigure: {kind: sweep, y: loss}", "figure.y: does not apply"),
            ("{kind: account, claim: B-lemma-3}", "protocol.kind: is missing"),
            (line + "\nvariants:\n  - {name: a, task: {kind: mean}}", "protocol.kind")):
        code, told, files = outcome(f"title: T\ntask: {task}\n")
        assert code == 2 and word in told[1] and told[1].count("\n") == 1, (task, code, told)
        assert not files, task
    code, told, _ = outcome(STUDY.replace("0.5 | 2", "0.5 | x"))
    assert code == 2 and "study.yaml:5: variants.1.task.over" in told[1] and "'x' is not a number" in told[1], told
    code, told, _ = outcome(ONE, command="audit")
    assert code == 2 and "attacked" in told[1] and told[1].count("\n") == 1, told
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "study.yaml").write_text(ONE)
        assert run(["run", "study.yaml", "-o", "out"], folder)[0] == 0
        code, _, err = run(["report", "out"], folder)
        assert code == 2 and "no network" in err and err.count("\n") == 1, err


if __name__ == "__main__":
    main([], [test_values, test_figure, test_one, test_refusals])

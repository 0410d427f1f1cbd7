#!/usr/bin/python3
"""netdp run --force starts anew over a result folder, and takes nothing away before it can."""
import json
import pathlib
import tempfile

from harness import main, run

STUDY = ("title: Sixteen in a ring\ngraph: {family: ring 16}\n"
         "data: {source: meters, columns: [{name: h19, bounds: [0, 5]}]}\ntask: {kind: mean}\n"
         "protocol: {kind: averaging, rounds: 5}\nprivacy: {epsilon: EPSILON, delta: 1e-6}\noutput: {repeat: 3}\n")


def study(folder, epsilon="4", name="mine.yaml"):
    pathlib.Path(folder, name).write_text(STUDY.replace("EPSILON", epsilon), encoding="utf-8")


def files(folder):
    return {path.name: path.read_bytes() for path in sorted(pathlib.Path(folder).iterdir())}


def replaces_what_is_there():
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder, "results/mine")
        study(folder)
        assert run(["run", "mine.yaml", "--force"], folder)[0] == 0  # nothing there: nothing to say
        assert run(["report", "results/mine"], folder)[0] == 0
        (results / "mine.txt").write_text("my notes", encoding="utf-8")
        old = files(results)
        study(folder, "2")
        code, _, err = run(["run", "mine.yaml"], folder)
        assert code == 2 and "another study" in err and "--force" in err and files(results) == old, err
        code, _, err = run(["run", "mine.yaml", "--force"], folder)
        assert code == 0 and "results/mine: the results of 'Sixteen in a ring' that it holds are replaced" in err, err
        new = files(results)
        assert json.loads(new["summary.json"])["target"]["epsilon"] == 2, new["summary.json"]
        assert new["mine.txt"] == b"my notes" and "report.html" not in new, list(new)
        assert new["run.log"].startswith(old["run.log"]) and len(new["run.log"]) > len(old["run.log"])
        assert run(["run", "mine.yaml", "-o", "fresh"], folder)[0] == 0
        fresh = files(pathlib.Path(folder, "fresh"))
        assert {name: text for name, text in new.items() if name not in ("run.log", "mine.txt")} == \
            {name: text for name, text in fresh.items() if name != "run.log"}, (list(new), list(fresh))
        code, _, err = run(["run", "results/mine", "--force"], folder)  # its own study, once more
        assert code == 0 and files(results)["summary.json"] == new["summary.json"], err
        assert files(results)["run.log"] != new["run.log"]


def takes_nothing_away_for_a_study_that_cannot_run():
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder, "results/mine")
        study(folder)
        assert run(["run", "mine.yaml"], folder)[0] == 0
        old = files(results)
        for wrong in (["--set", "privacy.epsilon=-1"], ["--set", "graph.family=ring 999"],
                      ["--set", "data.csv=nowhere.csv"]):
            code, _, _ = run(["run", "mine.yaml", "--force", *wrong], folder)
            assert code in (2, 3) and files(results) == old, wrong


def a_folder_without_results_stays():
    """The study beside the results-to-be is the user's own, comments and all."""
    with tempfile.TemporaryDirectory() as folder:
        study(folder, name="study.yaml")
        old = files(folder)
        code, _, _ = run(["run", "study.yaml", "-o", ".", "--force"], folder)
        assert code == 2 and files(folder) == old, files(folder).keys()


main([], [replaces_what_is_there, takes_nothing_away_for_a_study_that_cannot_run, a_folder_without_results_stays])

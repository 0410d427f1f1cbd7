#!/usr/bin/python3
"""netdp loss STUDY.yaml [VARIANT]: the guarantees that netdp run writes, without a run; and a study asked as a command line."""
import json
import pathlib
import tempfile

from harness import LIGHT, main, run

ACCOUNT = """\
title: Two ways
graph: {family: davis}
task: {kind: account}
protocol: {kind: averaging, rounds: 6}
privacy: {noise: 2, delta: 1.0e-6, to: all}
variants:
  - {name: plain}
  - {name: louder, privacy: {noise: 5, dither: 0.1}}
  - {name: walk, protocol: {kind: walk, rounds: 12, cap: 4}, mixing: {weights: metropolis}}
"""
MEAN = """\
title: Readings
graph: {family: geometric 8 0.6}
data: {synthetic: positions, per_node: one}
task: {kind: mean, bounds: [0, 2]}
protocol: {kind: averaging, rounds: 5}
privacy: {epsilon: 1, delta: 1.0e-5, over: worst}
output: {repeat: 1}
"""


def asked(study, *words):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "study.yaml").write_text(study)
        code, out, err = run(["loss", "study.yaml", *words], folder)
        assert sorted(each.name for each in pathlib.Path(folder).iterdir()) == ["study.yaml"], "wrote a file"
        return code, out, err


def ran(study):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "study.yaml").write_text(study)
        code, _, err = run(["run", "study.yaml", "-o", "out"], folder)
        assert code == 0, err
        summary = json.loads(pathlib.Path(folder, "out", "summary.json").read_text())
        return {variant["name"]: variant for variant in summary["variants"]}


def same(told, written):
    """A guarantee, but for the proof files, which a run alone writes."""
    left, right = ({name: value for name, value in each["guarantee"].items() if name != "proofs"} for each in (told, written))
    assert left == right, (left, right)
    assert told["noise"] == written["noise"] and told["rounds"] == written["rounds"]


def check_account():
    code, out, err = asked(ACCOUNT, "--json")
    assert code == 0, err
    written, told = ran(ACCOUNT), json.loads(out)["variants"]
    assert [each["name"] for each in told] == ["plain", "louder", "walk"]
    for each in told:
        same(each, written[each["name"]])
    code, out, err = asked(ACCOUNT, "louder", "--json")
    assert code == 0 and [each["name"] for each in json.loads(out)["variants"]] == ["louder"], err
    code, out, err = run(["loss", "--family", "davis", "--rounds", "6", "--noise", "5", "--dither", "0.1", "--to", "0", "--as", "dp:1e-6", "--json"], "/")
    one = json.loads(out)
    code, out, err = asked(ACCOUNT, "louder", "--set", "privacy.to=0", "--json")
    assert code == 0, err
    guarantee = json.loads(out)["variants"][0]["guarantee"]
    assert (guarantee["mean"], guarantee["worst"]["epsilon"]) == (one["summary"]["mean"], one["summary"]["max"])


def check_calibrated():
    code, out, err = asked(MEAN, "--json")
    assert code == 0, err
    written = ran(MEAN)
    told, = json.loads(out)["variants"]
    same(told, written[told["name"]])
    code, out, err = asked(MEAN)
    assert code == 0, err
    assert "an upper bound, certified" in out, out


def check_stream():
    """Settings of streams are keys of a study, too."""
    study = ACCOUNT.replace("kind: averaging, rounds: 6", "kind: stream, rounds: 9, every: 2, at_most: 3").split("variants:")[0]
    code, out, err = asked(study, "--json")
    assert code == 0, err
    guarantee = json.loads(out)["variants"][0]["guarantee"]
    code, out, err = run(["loss", "--family", "davis", "--protocol", "stream", "--rounds", "9", "--every", "2", "--at-most", "3", "--noise", "2",
                          "--as", "dp:1e-6", "--json"], "/")
    one = json.loads(out)["summary"]
    assert guarantee["worst"]["epsilon"] == one["max"], (guarantee, one)
    code, out, err = asked(ACCOUNT, "--set", "protocol.every=2")
    assert code == 2 and "every" in err, err


def check_who():
    """A coalition, a token that starts at its observer, and a pattern in a file beside the study: as a command line has them."""
    for key, option in (("privacy.to", ["--to", "set:1,2"]), ("protocol.start", ["--start", "observer"])):
        walks = key == "protocol.start"
        study = ACCOUNT.split("variants:")[0].replace("kind: averaging, rounds: 6", "kind: walk, rounds: 50" if walks else "kind: averaging, rounds: 6")
        to = ["--to", "0"] if walks else []
        code, out, err = asked(study, "--set", f"{key}={option[1]}", *(["--set", "privacy.to=0"] if walks else []), "--json")
        assert code == 0, err
        told, = json.loads(out)["variants"]
        one = json.loads(run(["loss", "--family", "davis", "--protocol", "walk" if walks else "averaging", "--rounds", "50" if walks else "6",
                              "--noise", "2", "--as", "dp:1e-6", "--json", *option, *to], "/")[1])
        assert (told["guarantee"]["mean"], told["guarantee"]["worst"]["epsilon"]) == (one["summary"]["mean"], one["summary"]["max"]), (key, told, one)
        assert told.get("coalition") == (None if walks else [1, 2]), told
    with tempfile.TemporaryDirectory() as folder:
        study = ACCOUNT.split("variants:")[0].replace("kind: averaging", "kind: stream").replace("to: all", "to: 0, pattern: mine.txt")
        pathlib.Path(folder, "beside").mkdir()
        pathlib.Path(folder, "beside", "study.yaml").write_text(study)
        pathlib.Path(folder, "beside", "mine.txt").write_text("1\n1\n-1\n1\n0.5\n-1\n")
        code, out, err = run(["loss", "beside/study.yaml", "--json"], folder)
        assert code == 0, err
        one = json.loads(run(["loss", "--family", "davis", "--protocol", "stream", "--rounds", "6", "--pattern", "beside/mine.txt", "--to", "0",
                              "--noise", "2", "--as", "dp:1e-6", "--json"], folder)[1])
        assert json.loads(out)["variants"][0]["guarantee"]["worst"]["epsilon"] == one["summary"]["max"]
        pathlib.Path(folder, "study.yaml").write_text(ACCOUNT)
        code, _, err = run(["run", "study.yaml", "-o", "out", "--set", "privacy.to=set:1,2"], folder)
        assert code == 2 and "privacy.to" in err and not pathlib.Path(folder, "out", "summary.json").exists(), err


def check_refused():
    for words, says in ((["nobody"], "no such variant"), (["plane"], "did you mean 'plain'?"), (["--dither", "1"], "--set KEY=VALUE"),
                        (["plain", "louder"], "argument"), (["--set", "privacy.nise=1"], "did you mean")):
        code, out, err = asked(ACCOUNT, *words)
        assert code == 2 and says in err and not out and len(err.splitlines()) == 1, (words, code, out, err)
    draws = (("observers", "to", "set:1,2"), ("observers", "to", "0"), ("observers", "to", "random"), ("sources", "from", "3,4"))
    for drawn, named, nodes in draws[:1] if LIGHT else draws:
        set_both = ["--set", f"privacy.{drawn}=2", "--set", f"privacy.{named}={nodes}", "--set", "privacy.over=mean"]
        code, out, err = asked(ACCOUNT, *set_both)
        assert code == 2 and f"draws nodes, and privacy.{named} names them" in err and not out, (set_both, code, out, err)
        code, out, err = asked(ACCOUNT, *(word.replace("=" + nodes, "=all") for word in set_both))
        assert code == 0, err


if __name__ == "__main__":
    main([], [check_account, check_calibrated, check_stream, check_who, check_refused])

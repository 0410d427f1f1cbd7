#!/usr/bin/python3
"""--to worst:C: the largest over all coalitions of C, asked for one by one; a search where they are too many is no bound."""
import itertools
import json
import os
import shlex
import tempfile

from harness import LIGHT, Case, close, main, read_json, run

QUESTIONS = ["--family 'path 5' --rounds 4 --dither 0.3 --noise 2 --as dp:1e-6",
             "--family 'path 5' --rounds 4 --sees everything --pair-graph complete --pair-noise 3 --noise 2 --as dp:1e-6",
             "--family 'path 5' --protocol walk --rounds 12 --noise 5 --as dp:1e-5",
             "--family 'path 5' --protocol walk --rounds 12 --noise 5",
             "--family 'ring 6' --protocol ring-sum --rounds 2 --schedule every",
             "--family 'complete 5' --protocol complete-sum --rounds 20 --cap 6 --noise 4 --as dp:1e-6"]


def told(words):
    code, out, err = run(shlex.split(f"loss --json {words}"), ".")
    assert code == 0, err
    return read_json(out)


def largest_of_all():
    """Every pair is the largest of the coalitions that its observer belongs to and its source does not."""
    for question in QUESTIONS:
        for size in (2,) if LIGHT else (2, 3):
            got = told(f"{question} --to worst:{size}")
            nodes, wanted = got["graph"]["nodes"], {}
            for members in itertools.combinations(range(nodes), size):
                one = told(f"{question} --to set:{','.join(map(str, members))}")
                assert one["sound"], one
                for pair in one["losses"]:
                    for v in members:
                        key = pair["from"], v
                        wanted[key] = max(wanted.get(key, 0), float(pair["value"]))
            assert len(got["losses"]) == len(wanted) == nodes * (nodes - 1)
            for pair in got["losses"]:
                close(float(pair["value"]), wanted[pair["from"], pair["to"]], 1e-12, 1e-9)
            assert got["sound"] and got["threat"]["pool"] == size and "may collude" in got["assumes"], got
            close(float(got["summary"]["max"]), max(wanted.values()), 1e-12, 1e-9)


def one_is_all():
    for question in QUESTIONS:
        one, each = told(f"{question} --to worst:1"), told(f"{question} --to all")
        assert one["losses"] == each["losses"] and one["sound"], question


def a_search_is_no_bound():
    """Too many to ask about: who surrounds the node is found, and is not called a guarantee."""
    words = "--family 'ring 700' --rounds 6 --dither 0.3 --noise 2 --as dp:1e-6 --from 5 --to worst:2"
    got = told(words)
    assert not got["sound"] and not got["certified"] and "search" in got["reason"], got
    pair, = got["losses"]
    found = told(words.replace("worst:2", "set:" + ",".join(map(str, pair["to"]))))
    assert found["sound"] and found["losses"][0]["value"] == pair["value"] <= got["summary"]["local"], (found, pair)
    assert sorted(pair["to"])[-1] in (4, 6), pair
    code, out, err = run(shlex.split("loss " + words), ".")
    assert code == 0 and "NOT an upper bound" in out and "an upper bound, " not in out and "found: " in out, out + err


STUDY = """title: Test
graph: {family: path 5}
task: {kind: account}
protocol: {kind: averaging, rounds: 4}
privacy: {noise: 2, as: "dp:1e-6", dither: 0.3, TO}
"""


def study(folder, to, code=0):
    with open(os.path.join(folder, "study.yaml"), "w", encoding="utf-8") as file:
        file.write(STUDY.replace("TO", to))
    got, out, err = run("loss study.yaml --json".split(), folder)
    assert got == code, err
    return read_json(out)["variants"] if code == 0 else err


def studies():
    """In a study it is a pool."""
    with tempfile.TemporaryDirectory() as folder:
        assert study(folder, 'to: "worst:2"') == study(folder, "pool: 2") != study(folder, "pool: 1")
        study(folder, 'to: "worst:2"')
        assert run("run study.yaml -o out".split(), folder)[0] == 0
        with open(os.path.join(folder, "out/summary.json"), encoding="utf-8") as file:
            assert json.load(file)["variants"][0]["threat"]["pool"] == 2
        assert "privacy.pool" in study(folder, 'to: "worst:2", pool: 2', 2)
        for wrong in ("worst:0", "worst:x", "worst:5", "worst:-1"):
            study(folder, f'to: "{wrong}"', 2)


def refusal(words, err):
    return Case("loss --family 'path 5' --rounds 4 --noise 2 --as dp:1e-6 " + words, 2, err=err)


CASES = [refusal(f"--to worst:{wrong}", "C from 1 to 1000 and below") for wrong in ("0", "x", "5", "-1", "2,3", "1.5", "")] + [
    refusal(f"--to worst:2 {option}", option.split()[0] + ": is of observers that are named")
    for option in ("--explain", "--events list.json", "--proof folder", "--draws 3")] + [
    Case("calibrate --family 'path 5' --protocol walk --rounds 4 --target 1 --as dp:1e-6 --to worst:2", 2, err="netdp loss"),
    Case("calibrate --family 'path 5' --rounds 4 --target 1 --as dp:1e-6 --to worst:2", out="any 2 nodes who collude")]

main(CASES, [largest_of_all, one_is_all, a_search_is_no_bound, studies])

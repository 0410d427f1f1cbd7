#!/usr/bin/python3
"""- is standard input, so that commands can be piped; every JSON object says its schema."""
import json
import pathlib
import re
import shlex
import subprocess
import tempfile

from harness import COMMAND, PATIENCE, SOURCE, main, run

RING = b"0 1\n1 2\n2 0\n"


def fed(words, text, folder="/"):
    done = subprocess.run([COMMAND, *words], cwd=folder, input=text, capture_output=True, timeout=PATIENCE, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def files_are_read_from_standard_input():
    code, out, err = fed(["graph", "info", "--graph", "-", "--json"], RING)
    assert code == 0 and json.loads(out)["nodes"] == 3, err
    made = run(["graph", "make", "ring", "12"], "/")[1]
    code, out, err = fed(["loss", "--graph", "-", "--rounds", "9", "--json"], made.encode())
    same = json.loads(run(["loss", "--family", "ring 12", "--rounds", "9", "--json"], "/")[1])
    assert code == 0 and json.loads(out)["losses"] == same["losses"], err
    events = b'[{"mechanism": "gaussian", "noise": 2, "count": 4}]'
    code, out, err = fed(["convert", "events:-", "--to", "dp:1e-6", "--json"], events)
    assert code == 0 and json.loads(out)["value"] == \
        json.loads(run(["convert", "gdp:1", "--to", "dp:1e-6", "--json"], "/")[1])["value"], err
    code, out, err = fed(["loss", "--family", "ring 5", "--protocol", "stream", "--rounds", "3", "--pattern", "-"],
                         b"1\n-1\n1\n")
    assert code == 0, err


def every_help_page_says_so():
    """Where an option or an argument takes -, its help says so; init's, which make a study, do not."""
    where = {"loss": ["--graph", "--mixing"], "loss --protocol stream": ["--pattern", "--pair-graph"], "calibrate": ["--graph", "--mixing"],
             "graph info": ["--graph", "--mixing"], "graph centrality": ["--graph"], "claim": ["--graph", "--mixing"],
             "run": ["STUDY.yaml is -"], "audit": ["STUDY.yaml is -"], "convert": ["FILE -"]}
    for command, places in where.items():
        page = " ".join(run([*command.split(), "--help", *([] if "--protocol" in command else ["all"])], "/")[1].split())
        for place in places:
            said = page[page.rindex(place + ("=" if place.startswith("--") else "")):][:400]
            said = re.split(r" --[a-z-]+=", said)[0]
            assert "standard input" in said, (command, place, said)
    for option in ("--graph", "--csv"):
        code, _, err = fed(["init", "-", option, "-", "--epsilon", "4"], RING)
        assert code == 2 and f"{option}: a study names a file" in err, err


def a_newcomer_finds_the_way():
    """What it is, three commands that work as they stand, and every command under one job."""
    code, page, err = run(["--help"], "/")
    assert code == 0 and len(page.splitlines()) < 24 and max(map(len, page.splitlines())) <= 80, err
    first = [line.split()[1] for line in page.splitlines() if line.startswith("  netdp ")]
    assert first == ["loss", "calibrate", "run"], page
    for line in page.splitlines():
        if line.startswith("  netdp ") and " run " not in line:
            assert run(shlex.split(line)[1:], "/")[0] == 0, line
    assert pathlib.Path(SOURCE, "experiments/meters-on-davis.yaml").exists()
    listed = re.findall(r"^  ([a-z]+)  ", run(["--help", "all"], "/")[1], re.M)
    for name in listed:
        assert re.search(rf"\b{name}\b", page), f"{name} is not on the first page"
    assert len(listed) == len(set(listed)) == 20, listed
    for name in set(listed) - {"help"}:
        assert run([name, "--help"], "/")[0] == 0, name


def studies_are_piped():
    with tempfile.TemporaryDirectory() as folder:
        study = run(["init", "-", "--family", "davis", "--source", "meters", "--per-node", "one", "--epsilon", "4",
                     "--repeat", "2"], folder)[1].encode()
        code, out, err = fed(["run", "-", "-o", "here", "--json"], study, folder)
        assert code == 0 and json.loads(out)["target"]["epsilon"] == 4, err
        code, _, err = fed(["run", "-"], study, folder)
        assert code == 2 and "give its folder with -o DIR" in err, err
        code, _, err = fed(["audit", "-"], study, folder)
        assert code == 2 and "give its folder with -o DIR" in err, err
        for path in pathlib.Path(folder, "here").glob("*.json"):
            if path.name != "manifest.json":  # with its digest, as checkpoints: netdp's alone
                assert json.loads(path.read_text(encoding="utf-8"))["schema"] == 1, path


def once_and_whole():
    code, _, err = fed(["loss", "--graph", "-", "--protocol", "stream", "--rounds", "3", "--pattern", "-"], RING)
    assert code == 2 and "standard input was read already" in err, err
    code, _, err = fed(["graph", "info", "--graph", "-"], b"a b c d\n")
    assert code == 2 and err.startswith("netdp graph: -"), err
    code, _, err = fed(["run", "-", "-o", "/dev/null/x"], b"")
    assert code == 2 and "-: is empty" in err, err


def every_object_has_a_schema():
    objects = ["version", "data", "claim", "graph info --family=davis", "graph centrality --family=davis",
               "convert gdp:1 --to dp:1e-6", "loss --family=davis --rounds 3",
               "loss --family=davis --rounds 3 --explain", "claim D-equation-5-5 loss=1 epsilon=10 delta=1e-5",
               "calibrate --family=davis --rounds 3 --target 1 --as dp:1e-6"]
    for words in objects:
        code, out, err = run([*words.split(), "--json"], SOURCE)
        assert code == 0 and list(json.loads(out).items())[0] == ("schema", 1), (words, out[:200], err)


main([], [every_help_page_says_so, a_newcomer_finds_the_way, files_are_read_from_standard_input, studies_are_piped, once_and_whole, every_object_has_a_schema])

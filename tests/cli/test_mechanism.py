#!/usr/bin/python3
"""netdp audit --mechanism: p2pfl's noise falls, enough noise stands, and what a command may print."""
import os
import sys
import tempfile

from harness import SOURCE, Case, main, read_json, run

try:
    import numpy  # noqa: F401  (the examples need it)
except ImportError:
    print("python3-numpy is not installed")
    sys.exit(77)


def audit(name, claim, runs, more=""):
    """The example with draws that are the same every time."""
    with tempfile.TemporaryDirectory() as folder:
        text = open(os.path.join(SOURCE, "examples", "mechanisms", name), encoding="utf-8").read()
        assert text.count("default_rng()") == 1, name
        with open(os.path.join(folder, "mine.py"), "w", encoding="utf-8") as file:
            file.write(text.replace("default_rng()", "default_rng([world, 7])"))
        code, out, err = run(["audit", "--mechanism", f"{sys.executable} mine.py{more}", "--claim", claim, "--runs", str(runs),
                              "--json"], folder)
    assert code == 0, err
    found = read_json(out)
    print(name, more, found["evidence"], found["verdict"])
    return found


def p2pfl_falls():
    assert audit("p2pfl_laplace.py", "dp:1,0", 20000)["evidence"]["epsilon"] > 3
    assert audit("p2pfl_gaussian.py", "dp:1,1e-5", 20000, " 10")["evidence"]["epsilon"] > 2
    found = audit("p2pfl_gaussian.py", "dp:1,1e-5", 1000000)
    assert found["verdict"] == "refuted" and found["evidence"]["epsilon"] > 1, found
    # What it does give: mu = 2 clip / sigma, epsilon 1.684 at delta 1e-5. Nothing may be found above.
    assert found["evidence"]["epsilon"] < 1.69 and found["evidence"]["mu"] < 0.4128, found


def enough_noise_stands():
    found = audit("right_gaussian.py", "dp:1,1e-5", 200000)
    assert found["verdict"] == "consistent" and 0 < found["evidence"]["epsilon"] < 1, found
    found = audit("right_gaussian.py", "gdp:0.26805", 20000)
    assert found["verdict"] != "refuted" and 0.1 < found["evidence"]["mu"] < 0.268, found


def printed(text):
    return f"cat {text}; : "  # the arguments behind it go to the colon


def lines(width=1, count=400):
    return b"".join(b" ".join(b"%d" % (7 * i % 5 + k) for k in range(width)) + b"\n" for i in range(count))


ASKED = ["audit", "--claim", "dp:1,0", "--runs", "400", "--mechanism"]
KEYS = ["netdp", "mechanism", "claim", "evidence", "confidence", "runs", "tested", "numbers", "attack", "verdict",
        "enough_runs"]


def wrong(command, err, code=2, **more):
    return Case([*ASKED, command], code, err=err, **more)


CASES = [
    Case([*ASKED, printed("a")], files={"a": lines()}, out=r"verdict    not enough runs\n"),
    Case([*ASKED, printed("a"), "--json"], files={"a": lines(3)}, keys=KEYS),
    Case([*ASKED, printed("a")], files={"a": lines().replace(b"4", b"-inf").replace(b"3", b"nan, ").replace(b", ", b",")}),
    wrong(printed("a"), "data set 0: printed 399 lines; 400 runs", files={"a": lines(1, 399)}),
    wrong(printed("a"), "line 401: is one more", files={"a": lines(1, 401)}),
    wrong(printed("a"), "line 7: is empty", files={"a": lines(1, 6) + b"\n" + lines()}),
    wrong(printed("a"), "line 7: has fewer", files={"a": lines(2, 6) + b"1\n"}),
    wrong(printed("a"), "line 7: has more", files={"a": lines(2, 6) + b"1 2 3\n"}),
    wrong(printed("a"), "line 1: is not a number", files={"a": b"1x\n"}),
    wrong(printed("a"), "1 to 600", files={"a": lines(601)}),
    wrong("sh -c 'test $0 = 0 && cat a'", "data set 1: the command ended with code 1", 3, files={"a": lines()}),
    wrong("kill -9 $$;", "ended with (signal|code)", 3),
    Case("audit --claim dp:1,0", 2, err="--mechanism"),
    Case("audit --mechanism true", 2, err="no claim"),
    Case("audit --mechanism true --claim dp:1,0 mine.yaml", 2, err="leave out the study"),
    Case("audit --mechanism true --claim dp:1,0 --runs 399", 2, err="400"),
    Case("audit --mechanism true --claim dp:1,0 --confidence 1", 2, err="confidence"),
    *[Case(f"audit --mechanism true --claim {claim}", 2, err="is no claim") for claim in
      ("dp:1", "dp:,1", "dp:1,1", "dp:-1,0", "dp:nan,0", "gdp:", "gdp:-1", "rdp:2=1", "1", "dp:1,1e-5,2", "dp:0x1,0")],
    *[Case(f"audit --mechanism true --claim dp:1,0 --{option}", 2, err=f"--{option.split()[0]}: does not apply") for option in
      ("from 1", "to 1", "bound exact", "reconstruct", "self-test", "seed 1", "force", "set a=1", "data x", "output x")],
]

p2pfl_falls()
enough_noise_stands()
main(CASES)

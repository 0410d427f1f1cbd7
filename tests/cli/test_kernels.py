#!/usr/bin/python3
"""The kernels of OpenBLAS: chosen where the library does not know the processor, once, and nothing else changes."""
import json
import os
import subprocess
import sys
import tempfile

from harness import COMMAND, main

UNKNOWN_CPU = sys.argv[1]
CLEAN = {name: value for name, value in os.environ.items()
         if name not in ("OPENBLAS_CORETYPE", "OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "NETDP_STUBBORN")}
FLAGS = set(next(line for line in open("/proc/cpuinfo", encoding="utf-8") if line.startswith("flags")).split())
BEST = ("SkylakeX" if {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"} <= FLAGS
        else "Haswell" if {"avx2", "fma"} <= FLAGS else "Sandybridge" if "avx" in FLAGS else "Prescott")


ACCOUNT = ["loss", "--family", "ring 3", "--rounds", "2"]


def start(words, unknown=True, text="", base=None, **env):
    """The output, and how many programs were started for it."""
    with tempfile.TemporaryDirectory() as folder:
        more = {"LD_PRELOAD": UNKNOWN_CPU, "NETDP_STARTS": folder + "/starts"} if unknown else {}
        done = subprocess.run([COMMAND, *words], input=text, env={**(CLEAN if base is None else base), **more, **env}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        assert done.returncode == 0, (words, done)
        return done.stdout, os.path.getsize(folder + "/starts") if unknown else None


def kernels(**env):
    out, starts = start(["version", "--json"], **env)
    return json.loads(out)["kernels"], starts


def an_unknown_processor_gets_what_it_has():
    assert kernels() == (BEST, 2), kernels()


def what_the_user_says_stays():
    assert kernels(OPENBLAS_CORETYPE="Nehalem", OMP_WAIT_POLICY="active") == ("Nehalem", 1)
    assert kernels(OPENBLAS_CORETYPE="Nehalem") == ("Nehalem", 1)  # quick answers do not start again for how threads wait
    assert start(ACCOUNT, OPENBLAS_CORETYPE="Nehalem", HOME="/", TERM="dumb")[1] == 1
    assert start(ACCOUNT, OPENBLAS_CORETYPE="Nehalem", base={})[1] == 2  # accounts do, where no line can be lent


def what_was_lent_is_given_back():
    """A program that netdp starts has the environment that it should have."""
    lines = {"OLDPWD": "/b", "LOGNAME": "c", "USER": "d", "TERM": "e", "HOME": "/f"}
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as seen:
        subprocess.run([COMMAND, "audit", "--mechanism", f"/usr/bin/env >{seen.name}; :", "--runs", "1000", "--claim", "dp:1,0"],
                       check=False, env={"PATH": os.environ["PATH"], **lines}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        there = dict(line.rstrip("\n").split("=", 1) for line in seen)
    assert {name: there.get(name) for name in lines} == lines, there
    assert there["OMP_WAIT_POLICY"] == "passive" and "OPENBLAS_NUM_THREADS" not in there, there


def it_starts_again_once_at_most():
    assert kernels(NETDP_STUBBORN="1") == ("Prescott", 2)
    assert kernels(NETDP_STUBBORN="1", OMP_WAIT_POLICY="passive") == ("Prescott", 1 + (BEST != "Prescott"))


def threads_wait_asleep():
    """gdb is not needed to see it: libgomp prints what it was told."""
    done = subprocess.run([COMMAND, *ACCOUNT], env={**CLEAN, "OMP_DISPLAY_ENV": "true"}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    assert "OMP_WAIT_POLICY = 'PASSIVE'" in done.stderr, done.stderr
    for own in ({"OMP_WAIT_POLICY": "active"}, {"GOMP_SPINCOUNT": "5"}):
        done = subprocess.run([COMMAND, *ACCOUNT], env={**CLEAN, "OMP_DISPLAY_ENV": "true", **own}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
        assert ("'ACTIVE'" in done.stderr) == ("OMP_WAIT_POLICY" in own) and done.stderr.count("BEGIN") == 1, done


def arguments_and_standard_input_arrive():
    words = ["loss", "--graph", "/dev/stdin", "--rounds", "3", "--dither", "0.1", "--to", "b c", "--json"]
    with tempfile.NamedTemporaryFile("w", suffix=".gml") as file:
        text = 'graph [ node [ id 0 label "a" ] node [ id 1 label "b c" ] edge [ source 0 target 1 ] ]\n'
        file.write(text)
        file.flush()
        words[2] = file.name
        known, _ = start(words, unknown=False)
        assert start(words)[0] == known and '"b c"' in known, known
    plain = ["graph", "info", "--graph", "/dev/stdin", "--json"]
    assert json.loads(start(plain, text="0 1\n1 2\n")[0])["nodes"] == 3


main([], [an_unknown_processor_gets_what_it_has, what_the_user_says_stays, what_was_lent_is_given_back, it_starts_again_once_at_most,
          threads_wait_asleep, arguments_and_standard_input_arrive])

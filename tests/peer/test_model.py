#!/usr/bin/python3
"""Spin goes through every order of events of the wire's model: nothing that must hold is broken, and a model without one of the
signed fields is broken, so that the search does see such faults."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MODEL = pathlib.Path(__file__).with_name("wire.pml")
FAULTS = {"": 0, "-DMODE_UNSIGNED": 1, "-DATTEMPT_UNSIGNED": 1, "-DHEAD_UNPROVEN": 1}


def search(fault, folder):
    subprocess.run(["spin", "-a", *fault.split(), MODEL], cwd=folder, check=True, capture_output=True)
    subprocess.run(["gcc", "-O2", "-w", "-o", "pan", "pan.c", "-DSAFETY", "-DCOLLAPSE"], cwd=folder, check=True)
    said = subprocess.run(["./pan", "-m100000"], cwd=folder, check=True, capture_output=True, text=True).stdout
    assert "max search depth too small" not in said, said
    return int(re.search(r"errors: (\d+)", said)[1]), int(float(re.search(r"([\d.e+]+) states, stored", said)[1]))


if shutil.which("spin") is None:
    print("skipped: spin is not installed")
    sys.exit(77)
for fault, errors in FAULTS.items():
    with tempfile.TemporaryDirectory() as folder:
        found, states = search(fault, folder)
        assert min(found, 1) == errors, (fault, found)
        print(f"{fault or 'as it is'}: {'a fault is found' if errors else f'{states} states, no fault'}")

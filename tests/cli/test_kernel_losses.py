#!/usr/bin/python3
"""A neighbour's loss is exactly 1, and none is printed below: karate's 156 pairs, five numbers of rounds, four dithers,
six kinds of OpenBLAS's kernels, 18,720 losses in all. Kernels that the processor cannot run are told."""
import json
import os
import subprocess

from harness import COMMAND, main

FLAGS = set(next(line for line in open("/proc/cpuinfo", encoding="utf-8") if line.startswith("flags")).split())
AVX512 = {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"}
KERNELS = {"Prescott": set(), "Nehalem": {"sse4_2"}, "Sandybridge": {"avx"}, "Haswell": {"avx2", "fma"}, "Zen": {"avx2", "fma"},
           "SkylakeX": AVX512}
ROUNDS = (2, 4, 6, 12, 20)
DITHERS = ("1e-8", "1e-6", "1e-4", "1e-2")
PAIRS = 156


def answer(kernels, *words):
    done = subprocess.run([COMMAND, *words, "--json"], env={**os.environ, "OPENBLAS_CORETYPE": kernels}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0, (words, done)
    return json.loads(done.stdout)


def losses_of(kernels):
    """How many neighbours' losses there are, each at least 1."""
    count = 0
    for rounds in ROUNDS:
        for dither in DITHERS:
            words = ["loss", "--family", "karate", "--rounds", str(rounds), "--dither", dither]
            got = answer(kernels, *words, "--full")
            near = [pair for pair in got["losses"] if pair["distance"] == 1]
            low = [pair for pair in near if not pair["value"] >= 1]
            assert got["certified"] is True and got["bound"] == "exact" and len(near) == PAIRS, (words, got["bound"])
            assert not low, (kernels, words, low)
            count += len(near)
    return count


def no_neighbour_is_below_one():
    count = 0
    for kernels, needs in KERNELS.items():
        if not needs <= FLAGS:
            print(f"no {' '.join(sorted(needs - FLAGS))}: {kernels} is left out")
            continue
        used = answer(kernels, "version")["kernels"]
        if used != kernels:
            print(f"this OpenBLAS runs {used} for {kernels}: left out")
            continue
        count += losses_of(kernels)
    print(f"{count} losses")
    assert count % (len(ROUNDS) * len(DITHERS) * PAIRS) == 0 and count > 0, count


main([], [no_neighbour_is_below_one])

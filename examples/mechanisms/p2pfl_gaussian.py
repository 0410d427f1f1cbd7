#!/usr/bin/env python3
"""The Gaussian noise of p2pfl 0.4.4's compressor: sigma = clip sqrt(2 ln(1.25 / delta)) / epsilon.

That is the classical formula (epsilon <= 1) for sensitivity `clip`. But who replaces a node's data moves a clipped vector by up
to 2 clip, and nothing counts the rounds. Two neighbours: gradients of opposite sign, in one round and in ROUNDS of them.

    netdp audit --mechanism "python3 p2pfl_gaussian.py" --claim dp:1,1e-5 --runs 1000000
    netdp audit --mechanism "python3 p2pfl_gaussian.py 10" --claim dp:1,1e-5 --runs 20000
"""
import sys

import numpy as np

EPSILON, DELTA, CLIP = 1.0, 1e-5, 1.0
rounds = int(sys.argv[1]) if len(sys.argv) > 3 else 1
world, runs = int(sys.argv[-2]), int(sys.argv[-1])
gradient = np.full(rounds, CLIP if world else -CLIP)  # a vector's only number, round by round
sigma = CLIP * np.sqrt(2 * np.log(1.25 / DELTA)) / EPSILON
released = gradient + np.random.default_rng().normal(0, sigma, (runs, rounds))
sys.stdout.writelines(" ".join(map(repr, run)) + "\n" for run in released.tolist())

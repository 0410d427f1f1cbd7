#!/usr/bin/env python3
"""The Laplace noise of p2pfl 0.4.4's compressor: the L2 norm is clipped, and the scale is clip / epsilon.

Laplace noise needs the L1 sensitivity. Two vectors of L2 norm `clip` are up to 2 clip sqrt(numbers) apart in it, so epsilon
is 2 sqrt(numbers) times what is claimed. Two neighbours: gradients of opposite sign, alike in every number.

    netdp audit --mechanism "python3 p2pfl_laplace.py" --claim dp:1,0 --runs 20000
"""
import sys

import numpy as np

EPSILON, CLIP, NUMBERS = 1.0, 1.0, 16
world, runs = int(sys.argv[1]), int(sys.argv[2])
gradient = np.full(NUMBERS, 5.0 if world else -5.0)
gradient *= min(1.0, CLIP / np.linalg.norm(gradient))
released = gradient + np.random.default_rng().laplace(0, CLIP / EPSILON, (runs, NUMBERS))
sys.stdout.writelines(" ".join(map(repr, run)) + "\n" for run in released.tolist())

#!/usr/bin/env python3
"""The same with the noise that (1, 1e-5) needs: sensitivity 2 clip, sigma from netdp convert dp:1,1e-5 --to sigma.

    netdp audit --mechanism "python3 right_gaussian.py" --claim dp:1,1e-5 --runs 100000
"""
import sys

import numpy as np

CLIP, SIGMA = 1.0, 3.731  # in units of the sensitivity
world, runs = int(sys.argv[1]), int(sys.argv[2])
gradient = CLIP if world else -CLIP
released = gradient + np.random.default_rng().normal(0, 2 * CLIP * SIGMA, runs)
sys.stdout.writelines(f"{run!r}\n" for run in released.tolist())

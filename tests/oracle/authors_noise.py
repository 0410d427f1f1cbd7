#!/usr/bin/python3
"""The sigma that the authors' own code gives paper E's Figure 2 and paper A's Figure 2, in units of twice the clip.

The formulas of fig2/findSigma.py (github.com/totilas/privacy-amplification-by-decentralization; houses/findSigma.py of
totilas/DPrandomwalk has the same): local by advanced composition, central by Bassily et al. with the constant 16, the
network by the conditions of the proof of paper E's Theorem 4, errors and all. Run: authors_noise.py NODES EPSILON. The
experiments hold its numbers, which cli/test_figures.py compares.
"""
import sys
from math import ceil, exp, log, sqrt

CLIP, DELTA, STEPS, CAP = 0.4, 1e-6, 20000, 1.2


def root(f, low, high):
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if (f(low) < 0) == (f(middle) < 0) else (low, middle)
    return low


def composed(k, delta, e):
    return sqrt(2 * k * log(1 / delta)) * e + k * e * (exp(e) - 1)


def classical(delta, epsilon):
    return sqrt(2 * log(1.25 / delta)) * CLIP / epsilon


def local(nodes, epsilon):
    k = ceil(CAP * STEPS / nodes)
    return classical(DELTA / k, root(lambda e: composed(k, DELTA / k, e) - epsilon, 0, epsilon / sqrt(k)))


def central(nodes, epsilon):
    return 16 * CLIP * sqrt(STEPS * log(2 / DELTA) * log(1.25 * STEPS / (DELTA * nodes))) / (nodes * epsilon)


def unspotted(nodes, epsilon):
    """From the classical noise up by 15 per cent until the Renyi bound holds."""
    k, sigma = ceil(CAP * STEPS / nodes), classical(DELTA, epsilon)
    assert k < nodes * log(1 / DELTA) / (2 * log(nodes))  # else the code has a closed form
    while True:
        order = root(lambda a: CLIP * sqrt(2 * a * (a - 1)) - sigma, 1 + 1e-5, (sigma + 10) / CLIP)
        if 2 * k * CLIP**2 * order * log(nodes) / (sigma**2 * nodes) + log(1 / DELTA) / (order - 1) < epsilon:
            return sigma
        sigma *= 1.15


def network(nodes, epsilon):
    k, part = ceil(CAP * STEPS / nodes), 0.5
    spotted = ceil(2 * k / nodes + sqrt(6 * k * log(1 / DELTA) / nodes))
    while True:
        share = part * epsilon
        one = root(lambda e: min(spotted * e, composed(spotted, DELTA / k, e)) - share, 0, share / sqrt(spotted))
        seen, others = classical(DELTA / k, one), unspotted(nodes, epsilon - share)
        if max(seen, others) <= 1.05 * min(seen, others):
            return max(seen, others)
        part *= 1.01 if seen > others else 0.99


def noises(nodes, epsilon):
    return {"network": network(nodes, epsilon) / (2 * CLIP), "central": central(nodes, epsilon) / (2 * CLIP),
            "local": local(nodes, epsilon) / (2 * CLIP)}


if __name__ == "__main__":
    for name, sigma in noises(int(sys.argv[1]), float(sys.argv[2])).items():
        print(f"{name} {sigma:.6g}")

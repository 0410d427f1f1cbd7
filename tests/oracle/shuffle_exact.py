#!/usr/bin/python3
"""The table tests/golden/shuffle_exact.json: what shuffling really gives for randomised response.

"truth": the epsilon at delta of the shuffled messages of n people, by enumeration: the divergence of
the two laws of the histogram, worst over what the other people hold and over which of the two values
comes first. "sums": the delta of the privacy blanket (levels >= 2) and of clones (levels 0) at
epsilon, term by term. Independent of the library. Run:
/usr/bin/python3 shuffle_exact.py > shuffle_exact.json
"""
import itertools
import json
import sys
from math import exp

import numpy as np
from scipy.stats import binom


def binary_laws(n, epsilon0):
    """Pairs of laws of the number of ones; the others hold k ones."""
    keep = exp(epsilon0) / (exp(epsilon0) + 1)
    others = range(n) if n <= 200 else {0, n // 4, n // 2, 3 * n // 4, n - 1}
    for k in others:
        counts = np.arange(n)
        rest = np.convolve(binom.pmf(np.arange(k + 1), k, keep),
                           binom.pmf(np.arange(n - k), n - 1 - k, 1 - keep))
        assert len(rest) == len(counts)
        one = np.convolve(rest, [1 - keep, keep])
        zero = np.convolve(rest, [keep, 1 - keep])
        yield one, zero
        yield zero, one


def law_of(inputs, levels, epsilon0):
    """The law of the histogram, as a dictionary."""
    likely, other = exp(epsilon0), 1.0
    total = likely + (levels - 1) * other
    law = {(0,) * levels: 1.0}
    for x in inputs:
        new = {}
        for histogram, p in law.items():
            for y in range(levels):
                key = histogram[:y] + (histogram[y] + 1,) + histogram[y + 1:]
                new[key] = new.get(key, 0.0) + p * (likely if y == x else other) / total
        law = new
    return law


def many_laws(n, levels, epsilon0):
    for others in itertools.combinations_with_replacement(range(levels), n - 1):
        first, second = (law_of((x,) + others, levels, epsilon0) for x in (0, 1))
        keys = list(first)
        yield (np.array([first[k] for k in keys]), np.array([second[k] for k in keys]))
        # The values 0 and 1 stand for any two: (1, 0) is there with the others relabelled.


def true_epsilon(pairs, delta, epsilon0):
    low, high = 0.0, epsilon0
    if max(np.maximum(p - q, 0).sum() for p, q in pairs) <= delta:
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2
        if max(np.maximum(p - exp(middle) * q, 0).sum() for p, q in pairs) > delta:
            low = middle
        else:
            high = middle
    return low


def blanket(epsilon0, n, levels, epsilon):
    s = 1 / (exp(epsilon0) + levels - 1)
    r = (levels - 2) * s
    gain, loss, drift = exp(epsilon0) - exp(epsilon), exp(epsilon0 + epsilon) - 1, exp(epsilon) - 1
    total = 0.0
    for a in range(1, n + 1):
        for b in range(int(min(n - a, gain * a / loss)) + 1):
            chance = binom.pmf(a, n, s) * binom.pmf(b, n - a, s / (1 - s))
            rest = np.arange(n - a - b + 1)
            law = binom.pmf(rest, n - a - b, r / (1 - 2 * s))
            total += chance * (law * np.maximum(gain * a - loss * b - drift * rest, 0)).sum()
    return total / n


def clones(epsilon0, n, epsilon):
    total, keep = 0.0, exp(epsilon0) / (exp(epsilon0) + 1)
    for c in range(n):
        a = np.arange(c + 2)
        more, same = binom.pmf(a - 1, c, 0.5), binom.pmf(a, c, 0.5)
        p, q = keep * more + (1 - keep) * same, (1 - keep) * more + keep * same
        total += binom.pmf(c, n - 1, exp(-epsilon0)) * np.maximum(p - exp(epsilon) * q, 0).sum()
    return total


truth = []
for n in (2, 3, 5, 10, 50, 200, 1001, 2500, 6000):
    for epsilon0 in (0.1, 0.49, 1.0, 2.5):
        pairs = list(binary_laws(n, epsilon0))
        truth += [{"levels": 2, "n": n, "epsilon0": epsilon0, "delta": delta,
                   "epsilon": true_epsilon(pairs, delta, epsilon0)}
                  for delta in (5e-3, 1e-6, 1e-10)]
for levels, n in ((3, 2), (3, 4), (3, 7), (4, 3), (4, 5), (6, 4)):
    for epsilon0 in (0.3, 1.0, 3.0):
        pairs = list(many_laws(n, levels, epsilon0))
        truth += [{"levels": levels, "n": n, "epsilon0": epsilon0, "delta": delta,
                   "epsilon": true_epsilon(pairs, delta, epsilon0)} for delta in (0.05, 1e-3, 1e-6)]
sums = [{"levels": levels, "n": n, "epsilon0": epsilon0, "epsilon": part * epsilon0,
         "delta": blanket(epsilon0, n, levels, part * epsilon0) if levels else
         clones(epsilon0, n, part * epsilon0)}
        for levels in (0, 2, 3, 10) for n in (1, 2, 7, 60) for epsilon0 in (0.2, 1.0, 4.0, 12.0)
        for part in (0.0, 0.3, 0.9)]
json.dump({"truth": truth, "sums": sums}, sys.stdout, indent=1)
sys.stdout.write("\n")

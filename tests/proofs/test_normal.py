#!/usr/bin/python3
"""netdp-verify's own bound of delta at an epsilon is never below the truth at 60 digits, and hardly above it."""
import random
import sys
from fractions import Fraction

try:
    from mpmath import erfc, exp, mp, mpf, sqrt
except ImportError:
    print("python3-mpmath is not installed")
    sys.exit(77)

import checker

mp.dps = 60
rng, worst, count = random.Random(3), mpf(0), 0
for trial in range(400):
    square = Fraction(rng.choice([1e-6, 1e-3, 0.03, 0.3, 1, 4, 30, 200])) * Fraction(rng.uniform(0.5, 2))
    mu = sqrt(mpf(square.numerator) / mpf(square.denominator))
    epsilon = Fraction(rng.choice([0, 1e-3, 0.1, 1, 5, 40, 300])) * Fraction(rng.uniform(0.5, 2))
    e = mpf(epsilon.numerator) / mpf(epsilon.denominator)
    true = erfc((e / mu - mu / 2) / sqrt(mpf(2))) / 2 - exp(e) * erfc((e / mu + mu / 2) / sqrt(mpf(2))) / 2
    mine = checker.module.delta(epsilon, square)
    got = mpf(mine.numerator) / mpf(mine.denominator)
    assert got >= true * (1 - mpf(10) ** -35), (epsilon, square, got, true)
    if mpf(10) ** -300 < true and mu < 50:
        count += 1
        worst = max(worst, got / true - 1)
assert count > 200 and worst < mpf(10) ** -25, (count, worst)
print(f"{count} deltas, at most {float(worst):.1e} above the truth")

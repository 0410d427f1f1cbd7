#!/usr/bin/python3
"""The table tests/golden/gamma_mpmath.json: the Gamma mechanism's delta, tight and by Lemma 3.

Independent of the library: mpmath at 380 digits on the definition. Run:
/usr/bin/python3 gamma_mpmath.py > gamma_mpmath.json
"""
import json
import sys

from mpmath import exp, log, loggamma, mp, mpf, nstr

GRID = [
    (epsilon, theta, low, high)
    for low, high in ((1.0, 1.01), (1.0, 1.5), (1.0, 5.0), (0.3, 30.0), (1.0, 1e4))
    for theta in (0.003, 0.1, 1.0, 20.0, 1000.0)
    for epsilon in (0.0, 0.1, 1.0, 3.0, 10.0)
    if high / theta < 4e3
]


def lower(shape, z):
    """P(shape, z) by its series of positive terms."""
    term = total = mpf(1)
    n = 0
    while term > total * mp.eps or z > shape + n:
        n += 1
        term *= z / (shape + n)
        total += term
    return total * exp(shape * log(z) - z - loggamma(shape + 1))


def tails(shape, z):
    """P and Q; the digits cover what 1 - P loses down to 1e-320."""
    if z > 2000 + 4 * shape:  # below 1e-340
        return mpf(1), mpf(0)
    p = lower(shape, z)
    return p, 1 - p


def sides(epsilon, theta, low, high):
    a, b = mpf(high) / mpf(theta), mpf(low) / mpf(theta)
    epsilon = mpf(epsilon)
    ratio, k = loggamma(a) - loggamma(b), 1 / (a - b)
    z1, z2 = exp((epsilon + ratio) * k), exp((ratio - epsilon) * k)
    growth = exp(epsilon)
    (_, upper_a), (_, upper_b) = tails(a, z1), tails(b, z1)
    (lower_b, _), (lower_a, _) = tails(b, z2), tails(a, z2)
    return (max(upper_a - growth * upper_b, lower_b - growth * lower_a), max(upper_a, lower_b))


rows = []
mp.dps = 380
for point in GRID:
    tight, published = sides(*point)
    if tight > mpf(10) ** -320:
        rows.append({"epsilon": point[0], "theta": point[1], "low": point[2], "high": point[3],
                     "tight": nstr(tight, 25), "published": nstr(published, 25)})
json.dump(rows, sys.stdout, indent=1)
sys.stdout.write("\n")

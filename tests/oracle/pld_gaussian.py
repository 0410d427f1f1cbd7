#!/usr/bin/python3
"""The table tests/golden/pld_gaussian.json: epsilon of k Gaussian releases, in mpmath at 50 digits.

k releases of noise sigma are mu = sqrt(k)/sigma; bisection on delta = Q(a) - e^eps Q(a + mu), a =
eps/mu - mu/2 (Balle and Wang 2018, Theorem 8). Run: /usr/bin/python3 pld_gaussian.py > table.json
"""
import json
import sys

from mpmath import erfc, exp, mp, mpf, nstr, sqrt

mp.dps = 50
GRID = [(sigma, count, delta)
        for sigma in (0.3, 1.0, 7.0, 31.7, 10000.0) for count in (1, 3, 101, 10000)
        for delta in (0.1, 1e-6, 1e-100)] + [(1000.0, 1000000, 1e-6), (997.1, 999983, 1e-300)]


def excess(eps, mu, delta):
    a = eps / mu - mu / 2
    return (erfc(a / sqrt(mpf(2))) - exp(eps) * erfc((a + mu) / sqrt(mpf(2)))) / 2 - delta


def epsilon(sigma, count, delta):
    mu, delta = sqrt(mpf(count)) / mpf(sigma), mpf(delta)
    mp.dps = 60 if mu > 12 else 60 + int(mu * mu / 2)  # e^eps Q(a + mu) cancels
    if mu > 12:
        return None
    if excess(mpf(0), mu, delta) <= 0:
        return mpf(0)
    low, high = mpf(0), mu * (39 + mu / 2)
    while high - low > high * mpf(10) ** -30:
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle, mu, delta) > 0 else (low, middle)
    return high


rows = []
for row in GRID:
    found = epsilon(*row)
    mp.dps = 50
    if found is not None:
        rows.append({"noise": row[0], "count": row[1], "delta": row[2], "epsilon": nstr(found, 25)})
json.dump(rows, sys.stdout, indent=1)
sys.stdout.write("\n")

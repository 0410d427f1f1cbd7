#!/usr/bin/python3
"""The table tests/golden/gaussian_mpmath.json: mu, delta and the exact epsilon of mu-GDP.

Independent of the library: mpmath at up to thousands of digits, bisection on the definition
(Balle and Wang 2018, Theorem 8). Run: /usr/bin/python3 gaussian_mpmath.py > table.json
"""
import json
import sys

from mpmath import erfc, exp, mp, mpf, nstr, sqrt

GRID = [
    (mu, delta)
    for mu in (1e-4, 1e-3, 0.01, 0.1, 0.249, 0.25, 1.0, 3.0, 10.0, 100.0, 1e4)
    for delta in (0.1, 1e-3, 1e-6, 1e-30, 1e-300)
] + [
    (1.0, 0.5), (1.0, 0.38), (1.0, 0.382924922548), (10.0, 0.999), (30.0, 1 - 2.0**-40),
    (1.0, 5e-324), (0.01, 1e-310), (100.0, 5e-324), (1e-30, 1e-40), (1e-100, 1e-102),
    (1e-300, 1e-305), (1e-300, 5e-324), (1e6, 1e-6), (1e8, 0.9), (1e20, 1e-10), (1e150, 1e-300),
]


def excess(eps, mu, delta):
    a, b = eps / mu - mu / 2, eps / mu + mu / 2
    root = sqrt(mpf(2))
    return (erfc(a / root) - exp(eps) * erfc(b / root)) / 2 - delta


def excess_far(eps, mu, delta):
    """For a huge mu, where e^eps cannot be formed: the second term is phi(a) Mills(b)."""
    a, b = eps / mu - mu / 2, eps / mu + mu / 2
    series = (1 - 1 / b**2 + 3 / b**4 - 15 / b**6) / b
    return erfc(a / sqrt(mpf(2))) / 2 - exp(-a * a / 2) / sqrt(2 * mp.pi) * series - delta


def epsilon(mu, delta):
    mp.dps = 60 + int(2 * abs(mp.log10(mpf(mu))))
    mu, delta = mpf(mu), mpf(delta)
    f = excess_far if mu > 1e5 else excess
    if f(mpf(0), mu, delta) <= 0:
        return mpf(0)
    # a = eps/mu - mu/2 is between -mu/2 and 39 at every delta >= 2^-1074.
    low, high = max(-mu / 2, mpf(-40)), mpf(39)
    for _ in range(150 + int(7 * abs(mp.log10(mu)))):
        middle = (low + high) / 2
        if f(mu * (middle + mu / 2), mu, delta) > 0:
            low = middle
        else:
            high = middle
        if high - low < abs(high + mu / 2) * mpf(10) ** -30:
            break
    return mu * (high + mu / 2)


rows = [{"mu": mu, "delta": delta, "epsilon": nstr(epsilon(mu, delta), 25)} for mu, delta in GRID]
json.dump(rows, sys.stdout, indent=1)
sys.stdout.write("\n")

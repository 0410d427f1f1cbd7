#!/usr/bin/python3
"""The table tests/golden/amplification_mpmath.json: closed forms of amplification at 50 digits.

Independent of the library. Run: /usr/bin/python3 amplification_mpmath.py > amplification_mpmath.json
"""
import json
import sys

from mpmath import binomial, erfc, exp, expm1, log, log1p, mp, mpf, nstr, sqrt

mp.dps = 50


def erlingsson(epsilon0, n, delta):
    return 12 * epsilon0 * sqrt(log(1 / delta) / n)


def feldman(epsilon0, n, delta):
    power = exp(epsilon0)
    return log1p((power - 1) / (power + 1)
                 * (8 * sqrt(power * log(4 / delta)) / sqrt(n) + 8 * power / n))


def sampled_epsilon(n, m, epsilon):
    return log1p((1 - (1 - 1 / n) ** m) * expm1(epsilon))


def gaussian(mu, epsilon):
    root = sqrt(mpf(2))
    return (erfc((epsilon / mu - mu / 2) / root)
            - exp(epsilon) * erfc((epsilon / mu + mu / 2) / root)) / 2


def laplace(loss, epsilon):
    return -expm1((epsilon - loss) / 2) if epsilon < loss else mpf(0)


def sampled_delta(n, m, epsilon, profile, one):
    return sum(binomial(m, k) * (1 / n) ** k * (1 - 1 / n) ** (m - k) * profile(k * one, epsilon)
               for k in range(1, m + 1))


def row(name, function, *arguments):
    return {"form": name, "at": list(arguments),
            "value": nstr(function(*(mpf(a) for a in arguments)), 25)}


rows = [row("erlingsson", erlingsson, e, n, d) for e in (1e-9, 0.1, 0.499)
        for n in (1e6, 1e9) for d in (0.009, 1e-6)]
rows += [row("feldman", feldman, e, n, d) for e in (1e-9, 0.1, 1.0, 3.0)
         for n in (1e5, 1e9) for d in (0.3, 1e-6, 1e-60)]
rows += [row("rr-epsilon", lambda g, levels: log1p(levels * (1 - g) / g), g, levels)
         for g in (1e-300, 1e-9, 0.2, 0.5, 1 - 2.0**-50) for levels in (2, 10, 1e8)]
rows += [row("rr-gamma", lambda e, levels: levels / (exp(e) + levels - 1), e, levels)
         for e in (1e-300, 1e-9, 0.2, 3.0, 300.0) for levels in (2, 10, 1e8)]
rows += [row("sample-epsilon", sampled_epsilon, n, m, e)
         for n in (2, 1000, 1e9) for m in (1, 40, 5000) for e in (1e-9, 0.3, 5.0, 100.0)]
for name, profile in (("sample-gaussian", gaussian), ("sample-laplace", laplace)):
    for n in (2, 30, 10000):
        for m in (1, 3, 60):
            for epsilon in (0.1, 1.0, 4.3):
                for one in (0.25, 1.0):
                    value = sampled_delta(mpf(n), m, mpf(epsilon), profile, mpf(one))
                    if value > 0:
                        rows.append({"form": name, "at": [n, m, epsilon, one],
                                     "value": nstr(value, 25)})
json.dump(rows, sys.stdout, indent=1)
sys.stdout.write("\n")

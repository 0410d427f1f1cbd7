#!/usr/bin/python3
"""The table tests/golden/pld_contour.json: epsilon of lists of events, by a method of its own.

delta(epsilon) = 1/(2 pi i) int e^(K(z) - z epsilon) / (z (z + 1)) dz along Re z = theta > 0, where
K(z) is the sum of count * ln E e^(z L): no grid of losses, no FFT. E e^(z L) is a trapezoid sum over
the output (spectrally accurate for Gaussians), a finite sum or a closed form, in doubles; the
contour is followed until nothing comes any more. About 9 digits.
Run: /usr/bin/python3 pld_contour.py > table.json
"""
import json
import sys

import numpy as np
from numpy import exp, log, pi, sqrt


def subsampled(noise, rate, added):
    """Loss and P mass: with the person (1-q) N(0, s^2) + q N(1, s^2), without N(0, s^2)."""
    x = np.linspace(-25 * noise, 26 * noise + 12, 20001)
    without = (x[1] - x[0]) / (noise * sqrt(2 * pi)) * exp(-(x / noise) ** 2 / 2)
    odds = 1 - rate + rate * exp((2 * x - 1) / (2 * noise**2))
    return (-log(odds), without) if added else (log(odds), without * odds)


def response(flip, levels):
    high, low = 1 - flip + flip / levels, flip / levels
    loss = log(high / low)
    return np.array([loss, 0, -loss]), np.array([high, (levels - 2) * low, low])


def discrete_gaussian(noise, levels):
    s = noise * levels
    x = np.arange(-int(16 * s) - levels, int(16 * s) + levels + 1)
    mass = exp(-(x / s) ** 2 / 2)
    return (levels**2 - 2 * x * levels) / (2 * s**2), mass / mass.sum()


def discrete_laplace(noise, levels):
    s = noise * levels
    x = np.arange(-int(40 * s), levels + int(40 * s))
    mass = exp(-abs(x) / s)
    return (abs(x - levels) - abs(x)) / s, mass / mass.sum()


def gaussian_cumulant(mu, z):
    return mu * mu * z * (z + 1) / 2


def laplace_moment(noise, z):
    """Atoms at +-e and, between them, L = e - 2y with density e^-y/2."""
    e = 1 / float(noise)
    middle = exp(z * e) * (1 - exp(-(2 * z + 1) * e)) / (2 * (2 * z + 1))
    return exp(z * e) / 2 + middle + exp(-e - z * e) / 2


def kernel(event, added):
    """z -> count * ln E e^(z L)."""
    kind, count = event["mechanism"], event["count"]
    if kind == "gaussian":
        return lambda z: count * gaussian_cumulant(1 / float(event["noise"]), z)
    if kind == "laplace":
        return lambda z: count * log(laplace_moment(event["noise"], z))
    if kind == "hidden-gaussian":
        mus = [1 / (float(event["noise"]) * sqrt(i + 1)) for i in range(len(event["weight"]))]
        weights = [float(w) for w in event["weight"]]

        def hidden(z):
            seen = sum(w * exp(gaussian_cumulant(mu, z)) for w, mu in zip(weights, mus))
            return count * log(seen + 1 - sum(weights))
        return hidden
    if kind == "random-gaussian":
        def random(z):
            seen = sum(w * exp(gaussian_cumulant(mu, z)) for w, mu in zip(event["weight"], event["mu"]))
            return count * log(seen + 1 - sum(event["weight"]))
        return random
    loss, mass = {"subsampled-gaussian": lambda: subsampled(event["noise"], event["rate"], added),
             "randomised-response": lambda: response(event["flip"], event["levels"]),
             "discrete-gaussian": lambda: discrete_gaussian(event["noise"], event["levels"]),
             "discrete-laplace": lambda: discrete_laplace(event["noise"], event["levels"])}[kind]()
    return lambda z: count * log(np.sum(mass * exp(z * loss)))


def epsilon_of(cumulants, delta):
    def total(z):
        return sum(K(z) for K in cumulants)

    def chernoff(theta):
        return (total(theta) - log(delta)) / theta
    best, theta = min((chernoff(2.0 ** (k / 4)), 2.0 ** (k / 4)) for k in range(-24, 40))
    h = 0.01 * theta
    curvature = (total(theta + h) - 2 * total(theta) + total(theta - h)) / h**2
    step = min(theta / 6, 1 / sqrt(curvature) / 6)
    z, K, quiet = [], [], 0
    while quiet < 200 and len(z) < 200000:
        z.append(theta + 1j * step * len(z))
        K.append(total(z[-1]))
        size = exp(K[-1].real - K[0].real) / abs(z[-1]) ** 2 * abs(z[0]) ** 2
        quiet = quiet + 1 if size < 1e-16 else 0
    z, K = np.array(z), np.array(K)
    weight = np.where(np.arange(len(z)) == 0, 0.5, 1) * step / pi
    low, high = 0.0, best
    for _ in range(60):
        middle = (low + high) / 2
        at = np.sum(weight * (exp(K - z * middle) / (z * (z + 1))).real)
        low, high = (middle, high) if at > delta else (low, middle)
    return high


def row(events, delta):
    answers = [epsilon_of([kernel(event, added) for event in events], delta)
               for added in ((False, True) if any(e["mechanism"] == "subsampled-gaussian"
                                                  for e in events) else (False,))]
    return {"events": events, "delta": delta, "epsilon": float(f"{max(answers):.11g}")}


def event(mechanism, count=1, **fields):
    return {"mechanism": mechanism, **fields, "count": count}


GRID = [
    ([event("subsampled-gaussian", 1000, noise=0.8, rate=0.005)], 1e-6),
    ([event("subsampled-gaussian", 100, noise=0.8, rate=0.005)], 1e-6),
    ([event("subsampled-gaussian", 100000, noise=2, rate=0.01)], 1e-8),
    ([event("subsampled-gaussian", 200, noise=1, rate=0.1)], 1e-30),
    ([event("laplace", 100, noise=10)], 1e-6),
    ([event("laplace", 10000, noise=100)], 1e-10),
    ([event("discrete-gaussian", 40, noise=4, levels=3)], 1e-6),
    ([event("discrete-laplace", 100, noise=8, levels=2)], 1e-6),
    ([event("randomised-response", 1000, flip=0.9, levels=5)], 1e-6),
    ([event("hidden-gaussian", 30, noise=2, weight=[0.05, 0.1, 0.0, 0.2])], 1e-6),
    ([event("gaussian", 50, noise=12), event("laplace", 50, noise=20)], 1e-6),
    ([event("gaussian", 16, noise=4), event("subsampled-gaussian", 500, noise=1, rate=0.01),
      event("laplace", 3, noise=6), event("discrete-gaussian", 2, noise=5, levels=4)], 1e-9),
    ([event("random-gaussian", 1, mu=[0.7, 0.2, 0.0], weight=[1e-3, 0.3, 0.5])], 1e-6),
    ([event("random-gaussian", 20, mu=[0.05, 0.9, 0.3], weight=[0.6, 0.01, 0.2])], 1e-6),
    ([event("random-gaussian", 10, mu=[0.1, 0.5], weight=[0.9, 0.1]), event("gaussian", 4, noise=8),
      event("subsampled-gaussian", 100, noise=1, rate=0.01)], 1e-8),
]

if __name__ == "__main__":
    json.dump([row(events, delta) for events, delta in GRID], sys.stdout, indent=1)
    sys.stdout.write("\n")

"""delta of one release at an epsilon, from the densities of docs/proofs/mechanisms.md, by mpmath: integrals, no tails.

    python3 tests/oracle/mechanisms_mpmath.py > tests/golden/mechanisms_mpmath.json
"""
import json

from mpmath import exp, fabs, inf, linspace, mp, mpf, nstr, pi, quad, sqrt

mp.dps = 40


def normal(x, s):
    return exp(-x * x / (2 * s * s)) / (s * sqrt(2 * pi))


def laplace(x, b):
    return exp(-fabs(x) / b) / (2 * b)


def stick(p, q, epsilon, points):
    """The integral of (p - e^epsilon q)_+ ."""
    return quad(lambda x: max(p(x) - exp(epsilon) * q(x), mpf(0)), points)


def kink(p, q, epsilon, low, high):
    """Where p = e^epsilon q, one crossing at most in between."""
    def f(x):
        return p(x) - exp(epsilon) * q(x)
    if f(low) * f(high) > 0:
        return []
    for _ in range(140):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) * f(low) > 0 else (low, middle)
    return [low]


def mixed(density, rate, at):
    return lambda x: (1 - rate) * density(x) + rate * density(x - at)


def worst(pairs, epsilon, reach, special):
    best = mpf(0)
    for p, q in pairs:
        points = sorted([-reach, reach] + special + kink(p, q, epsilon, -reach, reach) + linspace(-reach, reach, 9))
        best = max(best, stick(p, q, epsilon, points))
    return best


def delta(mechanism, noise, rate, epsilon):
    if mechanism == "exponential":  # the worst place t of a range of width noise, found by search
        def at(t):
            p = (exp(noise) - exp(t)) / (exp(noise) - 1)
            return p * max(1 - exp(epsilon - t), mpf(0))
        return max(at(noise * i / 20000) for i in range(20001))
    if mechanism == "subsampled-laplace":
        def base(x):
            return laplace(x, noise)
        with_, without = mixed(base, rate, 1), base
        return worst([(with_, without), (without, with_)], epsilon, 60 * noise, [mpf(0), mpf(1)])

    def base(x):
        return normal(x, noise)
    if mechanism == "gaussian-without-replacement":  # one of the batch replaced: the rest of it is the same
        with_, without = mixed(base, rate, 1), base
        return worst([(with_, without)], epsilon, 1 + 30 * noise, [])
    return worst([(mixed(base, rate, 1), mixed(base, rate, -1))], epsilon, 1 + 30 * noise, [])


ROWS = [("exponential", n, 0, e) for n in ("0.3", "2", "7") for e in ("0", "0.1", "0.29", "1.5", "6")] + [
    (m, n, r, e) for m in ("subsampled-laplace", "gaussian-without-replacement", "subsampled-gaussian-replaced")
    for n, r in (("0.8", "0.02"), ("2", "0.5"), ("5", "0.9")) for e in ("0", "0.05", "0.4")]
rows = []
for m, n, r, e in ROWS:
    found = delta(m, mpf(n), mpf(r), mpf(e))
    rows.append({"mechanism": m, "epsilon" if m == "exponential" else "noise": float(n), "rate": float(r), "at": float(e),
                 "delta": nstr(found, 17)})
print(json.dumps(rows, indent=1))

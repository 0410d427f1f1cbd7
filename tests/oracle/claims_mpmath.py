#!/usr/bin/python3
"""Numbers of tests/unit/test_claims.c: the papers' formulas, written down again, with 40 digits."""
from mpmath import ceil, exp, floor, log, mp, mpf, pi, sqrt, tanh

mp.dps = 40
n, T, K, N = mpf(50), mpf(40), mpf(6), mpf(9)
a, s, e, d = mpf(3), mpf("2.5"), mpf("0.4"), mpf("1e-6")
g, q, V, deg, m = mpf("0.3"), mpf("0.1"), mpf("0.25"), mpf(4), mpf(3)
mu, L, R, z, rho, dim, tau = mpf("0.5"), mpf(2), mpf(8), mpf("1.5"), mpf("0.7"), mpf(5), mpf(7)
act, dith = mpf("0.05"), mpf("0.1")
dc, dv = mpf("1e-5"), mpf("1e-4")

def renyi(loss):
    return a * loss / (2 * s * s)


beta = 1 - (1 - q) ** m
big = log(1 / d) / e**2
t17 = (dim * big / (n * mu) * (1 / n + 1 / (g**2 * sqrt(T)) + 1 / (g**4 * T))
       + L * z / (mu**2 * g**2 * T**2) + L * R**2 / g * exp(-g * mu / L * T))
adv = sqrt(2 * 5 * log(1 / dc)) * e + 5 * e * (exp(e) - 1)
lg = log(T * mu**2 * R**2 / (39 * L * tau * z))
ROWS = {
    "A-theorem-1": a / (2 * s * s * 12),
    "A-proposition-1-odd": sum(mpf("0.6") ** p / p for p in range(1, 400, 2)),
    "A-proposition-1-even": -log(1 - mpf("0.36")),
    "B-theorem-1": max(z, L * L, 1 / log(1 / (1 - g))) / T ** mpf("0.25"),
    "B-theorem-2": max(3 * z, mpf("1.44"), 1 / log(1 / (1 - g))) / T ** mpf("0.25"),
    "B-equation-10": max(3 * z, mpf("1.44"), 1 / log(1 / (1 - g))) / T ** mpf("0.25"),
    "B-equation-11": (L / mpf("0.4") * z + L * L) / T ** mpf("0.25"),
    "C-section-2-local": a / (2 * n * e),
    "C-section-2-central": a / (2 * n * n * e),
    "C-theorem-1-mean": renyi(deg * T / n),
    "C-theorem-12-mean": renyi(deg * T / n),
    "C-theorem-2": ceil(log(n / s**2 * max(s**2, V)) / sqrt(g)),
    "C-theorem-3": ceil(log(n / s**2 * max(s**2, V)) / act),
    "C-theorem-3-corrected": ceil(2 * log(n / s**2 * max(s**2, V)) / act),
    "C-table-1": a * deg / (n * n * e * sqrt(g)),
    "C-corollary-4": a * deg / (n * n * e * sqrt(g)),
    "C-table-1-random": a / (n * n * e * g),
    "C-theorem-5": ceil(log(max(n, z / (s * s + rho))) / sqrt(g)),
    "C-theorem-5-error": (s * s + rho) / (mu * N),
    "C-theorem-6-error": a * deg / (n * mu * e * sqrt(g)) + rho / (n * L),
    "C-theorem-7": (V + s * s) * exp(-T * sqrt(g)) + s * s / n,
    "C-theorem-7-dithered": ((V + s * s) * exp(-T * sqrt(g)) + s * s / n
                             + dith**2 * s * s * T / (2 * n)),
    "C-theorem-8": (V + s * s) * exp(-T * act) + s * s / n,
    "C-theorem-8-corrected": (V + s * s) * exp(-T * act / 2) + s * s / n,
    "C-corollary-2": renyi(17 / n),
    "C-theorem-4": a / s**2 * T * deg / (n - deg),
    "C-corollary-5": a / s**2 * T * deg / (n - deg),
    "C-corollary-5-corrected": a / s**2 * (T - 1) * deg / (n - m - deg),
    "C-corollary-5-chance": beta,
    "C-proposition-1": a / s**2 * N * (beta + (1 - beta) * K * deg / (n - deg)),
    "C-theorem-10": (rho + s * s) / (n * mu * N) + L * R**2 * exp(-N * mu / (2 * L)),
    "D-theorem-13": T / n,
    "D-theorem-15": T * (m / n * T + 2 / g**2 * sqrt(m / n * T) + 2 / g**4),
    "D-theorem-15-corrected": m / n * T + 2 / g**2 * sqrt(m / n * T) + 2 / g**4,
    "D-theorem-16": m / (n - m) * T,
    "D-lemma-G-2": pi**2 / 6 * m / g**4,
    "D-equation-5-3": 1 - g * g,
    "D-lemma-J-1": 1 - (1 - g) ** 2,
    "D-equation-5-4": T / n + 2 / g**2 * sqrt(T / n) + 2 / g**4,
    "D-equation-5-5": sqrt(mpf("3.5")) * sqrt(2 * log(mpf("1.25") / d)) / e,
    "D-equation-5-6": big * (T / n + sqrt(T / n) / g**2 + 1 / g**4),
    "D-theorem-17": t17,
    "D-theorem-17-corrected": t17 + dim * L * big / mu**2 / (n * g * T),
    "E-theorem-1": adv,
    "E-theorem-1-deviation": sqrt(floor(5 * n / (n - 1))) * s,
    "E-remark-1": sqrt(floor(5 * n / (n - 1)) + 1) * s,
    "E-proposition-1": 2 * 3 * sqrt(mpf("2.25") * (1 + 8 * dim * log(mpf("1.25") / d) / e**2))
                       * (2 + log(T)) / sqrt(T),
    "E-equation-10": log(1 + (1 - (1 - 1 / n) ** 20) * (exp(e) - 1)),
    "E-proposition-3": e + log(1 / d) / (a - 1),
    "E-theorem-8": a / (2 * s * s * 12),
}
for name, value in ROWS.items():
    print(f'    {{"{name}", {mp.nstr(value, 17)}}},')

# Where the common inputs are outside of what a claim covers.
n, d = mpf(2000), mpf("1e-6")
e0 = 12 * e * sqrt(log(1 / d) / n)
print("E-theorem-2-gamma", mp.nstr(4 / (exp(e0) + 3), 17))
print("its correction at epsilon = 0.1",
      mp.nstr(4 / (exp(q * sqrt(n / log(1 / d)) / 12) + 3), 17))
print("E-theorem-5", mp.nstr(e0, 17))
print("E-theorem-7", mp.nstr(log(1 + tanh(e / 2) * (8 * sqrt(exp(e) * log(4 / d) / n)
                                                    + 8 * exp(e) / n)), 17))
T = mpf(20000)
print("A-theorem-2", mp.nstr(
    2 * exp(-T * mu / L) * R**2
    + (39 * tau * z * L / (mu**3 * T) + (dim * s * s + rho) * L / (mu**2 * T))
    * log(T * mu**2 * R**2 / (39 * L * tau * z)), 17))
n, T = mpf(10) ** 6, mpf(10) ** 8
visits = T / n + sqrt(3 * T / n * log(1 / dv))


def histogram(c):
    """E-theorem-6 at one c."""
    small = 2 * (1 - (1 - 1 / n) ** (c**2 * n ** (mpf(2) / 3)))
    each = max(small, 14 * sqrt(log(4 / d)) / (c * n ** (mpf(1) / 3))) * e
    return sqrt(2 * visits * log(1 / dc)) * each + visits * e * (exp(each) - 1)


low, high = mpf(1) / 2, mpf(50)
for _ in range(200):
    third = (high - low) / 3
    if histogram(low + third) < histogram(high - third):
        high -= third
    else:
        low += third
print("E-theorem-6", mp.nstr(histogram(low), 17))

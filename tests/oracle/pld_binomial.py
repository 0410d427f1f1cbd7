"""delta of k releases whose losses are +-e0 (pure e0-DP at its worst), to 20 digits: a difference of two binomial tails.

    python3 tests/oracle/pld_binomial.py      the rows of test_against_binomials in tests/unit/test_pld.c
"""
from mpmath import exp, floor, log, loggamma, mp, mpf, nstr

mp.dps = 40


def tail(k, p, m):
    """P(Binomial(k, p) >= m), m beyond the mean: the terms fall."""
    term, total, odds = mpf(1), mpf(0), p / (1 - p)
    first = loggamma(k + 1) - loggamma(m + 1) - loggamma(k - m + 1) + m * log(p) + (k - m) * log(1 - p)
    while term > mpf(10) ** -30 and m <= k:
        total += term
        term *= mpf(k - m) / (m + 1) * odds
        m += 1
    return exp(first) * total


def delta(k, e0, epsilon):
    """The sum of losses is (2 j - k) e0 with j of them +e0."""
    p, m = exp(e0) / (1 + exp(e0)), int(floor((epsilon / e0 + k) / 2)) + 1
    return tail(k, p, m) - exp(epsilon) * tail(k, 1 - p, m)


for k, e0, epsilon in ((10**6, "1e-4", "0.3"), (10**8, "1e-4", "4"), (10**8, "1e-4", "5"), (10**9, "3e-5", "4")):
    print(k, e0, epsilon, nstr(delta(k, mpf(e0), mpf(epsilon)), 20))

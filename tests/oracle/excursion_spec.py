"""
The excursion accountant as first written down: per number k of contributions and length L of an
excursion the lesser of two weights, exp(theta k) and exp(theta sum_m (2m-1)/r_m). Direct dense
recursions, for the golden values; the library's weights exp(theta min(1, (2m-1)/r_m)) are below.
"""
import numpy as np


def metropolis(nodes, edges):
    linked = np.zeros((nodes, nodes), bool)
    for a, b in edges:
        linked[a, b] = linked[b, a] = a != b
    degree = linked.sum(1)
    weights = np.where(linked, 1 / (1 + np.maximum.outer(degree, degree)), 0)
    return weights + np.diag(1 - weights.sum(1))


def cut(a, b):
    return np.convolve(a, b)[:len(a)]


def first_returns(weights, u, v, steps):
    """Phi_ab(t), a, b in {u, v}, and P(neither is visited in 1 .. t) from each."""
    two = [u, v]
    out = [x for x in range(len(weights)) if x not in two]
    phi, alive = np.zeros((2, 2, steps + 1)), np.zeros((2, steps + 1))
    alive[:, 0] = 1
    for i, a in enumerate(two):
        phi[i, :, 1] = weights[a, two]
        law = weights[a, out]
        alive[i, 1] = law.sum()
        for t in range(2, steps + 1):
            phi[i, :, t] = law @ weights[np.ix_(out, two)]
            law = law @ weights[np.ix_(out, out)]
            alive[i, t] = law.sum()
    return phi, alive


def weighted(phi, last, theta, linear):
    """Excursions read backwards from v; `last` closes them at u. linear: k^2 / (t - linear)."""
    steps = np.arange(len(last), dtype=float)
    steps[0] = np.inf
    total = np.zeros(len(last))
    plain, spread = phi[1, 0].copy(), phi[1, 0] * np.exp(theta / steps)
    for k in range(1, len(last)):
        law = cut(plain, last)
        if linear is None:
            total += np.minimum(cut(spread, last), np.exp(theta * k) * law)
        else:
            terms = np.maximum(np.arange(len(last)) - linear, k)
            total += np.exp(theta * k * k / terms) * law
        if plain.sum() < 1e-18:
            break
        plain = cut(plain, phi[0, 0])
        spread = cut(spread, phi[0, 0]) * np.exp(theta * (2 * k + 1) / steps)
    return total


def renyi(weights, u, v, steps, alpha, sigma, at_observer=False, linear=False):
    """Visits of v at steps 0 .. `steps`; uniform start, or a start at v."""
    nodes, theta = len(weights), alpha * (alpha - 1) / (2 * sigma ** 2)
    phi, alive = first_returns(weights, u, v, steps)
    ends = np.zeros(steps + 1)
    ends[0] = 1
    back = phi[1, 1] + weighted(phi, phi[0, 1], theta, 1 if linear else None)
    plain_back = phi[1, 1] + weighted(phi, phi[0, 1], 0, None)
    first = (alive[1] + weighted(phi, alive[0], theta, 0 if linear else None)) / nodes
    plain = (alive[1] + weighted(phi, alive[0], 0, None)) / nodes
    if at_observer:
        first, plain = ends, ends
    visits = np.zeros(steps + 1)
    for t in range(steps + 1):
        visits[t] = first[t] + visits[:t] @ back[t:0:-1]
    survives = 1 - np.cumsum(plain_back)
    return np.log(1 - plain.sum() + visits @ survives[::-1]) / (alpha - 1)

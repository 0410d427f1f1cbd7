"""Epsilon of a list of events, from below and from above: privacy losses on a fine grid, composed by FFT. It shares no line
with src/privacy, and no way: there tails of dominating pairs are cut at points that keep both measures; here losses under the
first world alone are rounded down and up, from densities integrated over x.

    python3 tests/oracle/composition.py '[{"mechanism": "laplace", "noise": 3, "count": 4}, ...]' 1e-5
"""
import json
import math
import sys

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import ndtr

CUT = 1e-13  # what of each list's mass may lie beyond the grid
PARTS = 1 << 18  # of x


class Law:
    """A loss under the first world: with probability mass[i] between low[i] and high[i]; it is infinite with what is missing."""

    def __init__(self, mass, low, high):
        keep = mass > 0
        self.mass, self.low, self.high = mass[keep], low[keep], high[keep]

    def cumulant(self, tilt):
        """ln E exp(tilt L), from above."""
        exponent = tilt * (self.high if tilt > 0 else np.where(np.isfinite(self.low), self.low, self.high))
        top = exponent.max()
        return top + math.log(float(np.sum(self.mass * np.exp(exponent - top))))


def over_x(loss, below, above, edges):
    """L = loss(x), monotone and not falling, x with P(X < x) = below(x) and P(X > x) = above(x)."""
    middle = edges[len(edges) // 2]
    mass = np.where(edges[1:] <= middle, np.diff(below(edges)), -np.diff(above(edges)))
    at = loss(edges)
    ends = np.array([below(edges[:1])[0], above(edges[-1:])[0]])  # what the edges leave out counts as their end, or above all
    return Law(np.append(mass, ends[0]), np.append(at[:-1], -math.inf), np.append(at[1:], at[0]))


def normals(weights, shifts, noise, other, flip=False):
    """The mixture of normals of P against that of Q, whose ratio grows with x; with `flip` x grows the other way."""
    sign = -1 if flip else 1
    reach = noise * 9 + max(map(abs, shifts + other[1]))
    edges = np.linspace(-reach, reach, PARTS)

    def density(pairs, x):
        exponents = [np.log(w) + (sign * x * s - s * s / 2) / noise ** 2 for w, s in zip(*pairs) if w > 0]
        return np.logaddexp.reduce(exponents)

    def below(x):
        return sum(w * ndtr((x - sign * s) / noise) for w, s in zip(weights, shifts))

    def above(x):
        return sum(w * ndtr((sign * s - x) / noise) for w, s in zip(weights, shifts))

    return over_x(lambda x: density((weights, shifts), x) - density(other, x), below, above, edges)


def laplace_below(x):
    return np.where(x < 0, 0.5 * np.exp(np.minimum(x, 0)), 1 - 0.5 * np.exp(-np.maximum(x, 0)))


def laplaces(noise, rate, added):
    """(1 - q) Lap(0) + q Lap(1) against Lap(0), or the other way round; outside [0, 1] the ratio is constant."""
    inside = np.linspace(0, 1, PARTS)
    ratio = np.log1p(rate * np.expm1((2 * inside - 1) / noise))

    def below(x):
        base = laplace_below(x / noise)
        return base if added else (1 - rate) * base + rate * laplace_below((x - 1) / noise)

    cumulative = below(inside)
    mass = np.concatenate([[cumulative[0]], np.diff(cumulative), [1 - cumulative[-1]]])
    low, high = np.concatenate([ratio[:1], ratio]), np.concatenate([ratio, ratio[-1:]])
    return Law(mass, -high if added else low, -low if added else high)


def exponential(epsilon):
    """The worst place T of a range of losses, found by search at each a; P(L > ln a) = H - a H'."""
    losses = np.linspace(-epsilon, epsilon, (1 << 15) + 1)
    a, top = np.exp(losses), math.exp(epsilon)
    low, high = np.ones_like(a), np.full_like(a, top)  # of T, in logarithms below
    low, high = np.log(low), np.log(high)

    def value(t):
        return (top - np.exp(t)) * (1 - a * np.exp(-t)) / (top - 1)

    for _ in range(80):  # golden section: one peak
        left, right = high - (high - low) * 0.6180339887498949, low + (high - low) * 0.6180339887498949
        better = value(left) > value(right)
        low, high = np.where(better, low, left), np.where(better, right, high)
    t = np.exp((low + high) / 2)
    tail = value((low + high) / 2) + a * (top - t) / (t * (top - 1))
    tail[0], tail[-1] = 1, 0
    return Law(np.append(-np.diff(tail), 0), np.append(losses[:-1], 0), np.append(losses[1:], 0))


def without_replacement(noise, rate):
    """Both orders in one curve: H_a is that of the mixture against the rest for a > 1, and of a < 1 what symmetry says."""
    first = normals([1 - rate, rate], [0, 1], noise, ([1.0], [0]))
    second = normals([1.0], [0], noise, ([1 - rate, rate], [0, 1]), flip=True)  # losses of the rest against the mixture
    # P(L > l) for l > 0 as of the mixture; P(L < l) for l < 0 is the rest's P(L' > -l) of L' = ln mixture/rest, so L = -L'.
    up = first.low >= 0
    down = second.high <= 0
    mass = np.concatenate([first.mass[up], second.mass[down]])
    law = Law(np.append(mass, max(1 - mass.sum(), 0)), np.concatenate([first.low[up], second.low[down], [0]]),
              np.concatenate([first.high[up], second.high[down], [0]]))
    # Cells that 0 lies in went to the atom: up and down by a cell.
    width = max(np.max(first.high[up][:1] - first.low[up][:1], initial=0), 1e-12)
    law.low[-1], law.high[-1] = -width, width
    return law


def law_of(event, added):
    kind, noise, rate = event["mechanism"], event.get("noise"), event.get("rate", 1)
    if kind == "gaussian":
        return normals([1.0], [1], noise, ([1.0], [0]))
    if kind == "laplace":
        return laplaces(noise, 1, added)
    if kind == "subsampled-laplace":
        return laplaces(noise, rate, added)
    if kind == "exponential":
        return exponential(event["epsilon"])
    if kind == "subsampled-gaussian":
        mixture, rest = ([1 - rate, rate], [0, 1]), ([1.0], [0])
        return normals(*rest, noise, mixture, flip=True) if added else normals(*mixture, noise, rest)
    if kind == "gaussian-without-replacement":
        return without_replacement(noise, rate)
    if kind == "subsampled-gaussian-replaced":
        return normals([1 - rate, rate], [0, 1], noise, ([1 - rate, rate], [0, -1]))
    if kind == "approximate":  # of delta 0: two answers
        t = 1 / (1 + math.exp(-event["epsilon"]))
        at = np.array([-event["epsilon"], event["epsilon"]])
        return Law(np.array([1 - t, t]), at, at)
    raise ValueError(kind)


def reach_of(laws, counts):
    """Beyond this in either direction lies at most CUT of the sum (Chernoff)."""
    best = math.inf
    for tilt in 2.0 ** np.arange(-6, 9, 0.5):
        worst = max(sum(c * law.cumulant(sign * tilt) for law, c in zip(laws, counts)) for sign in (1, -1))
        best = min(best, (worst - math.log(CUT / 2)) / tilt)
    return best


def composed(laws, counts, up, reach, size):
    step = 2 * reach / size
    total = None
    for law, count in zip(laws, counts):
        kept = np.isfinite(law.high if up else law.low)  # from below, what has no lower end counts as nothing
        at = np.ceil(law.high[kept] / step - 1e-9) if up else np.floor(law.low[kept] / step + 1e-9)
        at = np.clip(at, -size // 2, size // 2 - 1).astype(np.int64)
        grid = np.bincount(at % size, weights=law.mass[kept], minlength=size)
        one = rfft(grid) ** count
        total = one if total is None else total * one
    mass = np.fft.fftshift(irfft(total, size))
    return np.arange(-(size // 2), size - size // 2) * step, np.maximum(mass, 0)


def epsilon_of(losses, mass, delta):
    """The least epsilon >= 0 with sum (1 - e^(epsilon - L))_+ mass <= delta."""
    if delta <= 0:
        return math.inf

    def at(epsilon):
        above = losses > epsilon
        return float(np.sum(-np.expm1(epsilon - losses[above]) * mass[above]))

    low, high = 0.0, float(losses[-1])
    if at(0) <= delta:
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if at(middle) > delta else (low, middle)
    return high


ROUNDING = 1e-11  # what FFTs err in a delta, and CUT


def bounds(events, delta, size=1 << 20):
    """Epsilon from below and from above, the worse of two orders."""
    found = [0.0, 0.0]
    size = next_fast_len(size, real=True)
    for added in (False, True):
        laws, counts = [law_of(e, added) for e in events], [e.get("count", 1) for e in events]
        reach = reach_of(laws, counts)
        missing = sum(c * max(1 - law.mass.sum(), 0) for law, c in zip(laws, counts))
        for k, slack in enumerate((ROUNDING, -ROUNDING - missing)):
            found[k] = max(found[k], epsilon_of(*composed(laws, counts, k == 1, reach, size), delta + slack))
    return tuple(found)


if __name__ == "__main__":
    print(*bounds(json.loads(sys.argv[1]), float(sys.argv[2])))

#!/usr/bin/python3
"""Does pairwise noise with a scale of its own on every edge beat one scale for all? (docs/proofs/pairs.md)

Averaging over T rounds. Own noise is N(0, s^2 I), edge e adds and subtracts N(0, w_e s^2): the covariance is s^2 D with D = I + L_w, L_w
the Laplacian of weights w. One observer v sees every message and knows the noise of its own edges: mu^2 of u is [D_v^-1]_uu / s^2. The
mean squared error of a node is s^2 tr(W^T D W^T) / n. At equal mu the error is proportional to

    F(w) = (worst or mean over v, u of [D_v^-1]_uu) * tr(W^2T D) / n,

Each factor is convex in w, their product need not be. The problem is convex in the covariance itself, in s^2 and z = s^2 w: the error
s^2 tr(W^2T D) / n is linear in them, [(s^2 D_v)^-1]_uu is convex (an inverse of a matrix that is linear in them), and so is the set where
all of these, or their mean, are at most mu^2. The sets F(w) <= c are images of convex sets under w = z / s^2, a perspective, and so convex:
F is quasi-convex in w, and a point where it rises nowhere, to first order, is the least. (`--check` draws segments and says by how much a
point between exceeds the larger end.) With one w for all it is a line search, with one for each edge L-BFGS from there, in ln w; whatever
it stops at is feasible, so that what is printed as gained is gained at least. An observer that is in no pair (outsider) has D itself. Printed: the
best F of one scale, of all scales, and of all scales and own noises of each node, in units of no pairs at all, and how much less the second
and the third err.

    /usr/bin/python3 bench/edge_noise.py [--only NAME] [--rounds T] [--observers K] [--write FILE] [--check] [NAME=EDGES...]

Of graphs above 100 nodes K observers are drawn, 12 unless said. --write: the best scales for insiders, of the mean and then of the worst
pair (FILE.mean, FILE.worst), for the last graph and number of rounds, as `netdp loss --pair-graph FILE.mean --pair-weights --pair-noise 1` reads them.
"""
import argparse
import pathlib

import numpy as np
from scipy import optimize, sparse

RATE = 60  # of the soft maximum: (mean x^RATE)^(1/RATE)


def metropolis(n, edges):
    degree = np.bincount(edges.ravel(), minlength=n)
    W = np.zeros((n, n))
    for a, b in edges:
        W[a, b] = W[b, a] = 1 / (1 + max(degree[a], degree[b]))
    return W + np.diag(1 - W.sum(1))


class Network:
    def __init__(self, n, edges, rounds, observers):
        self.n, self.edges, self.observers = n, edges, observers
        self.cost = np.linalg.matrix_power(metropolis(n, edges), 2 * rounds)
        a, b = edges.T
        self.edge_cost = (self.cost[a, a] + self.cost[b, b] - 2 * self.cost[a, b]) / n
        self.own_cost = np.diag(self.cost) / n

    def losses(self, w, own, v):
        """[D_v^-1]_uu of all u but v, and the inverse; v < 0 is an outsider."""
        a, b = self.edges.T
        kept = (a != v) & (b != v)
        L = sparse.coo_matrix((np.r_[w[kept], w[kept]], (np.r_[a[kept], b[kept]], np.r_[b[kept], a[kept]])), (self.n, self.n)).toarray()
        D = np.diag(own + L.sum(1)) - L
        G = np.linalg.inv(D)
        others = np.arange(self.n) != v
        return np.diag(G), G, others, kept

    def score(self, w, own, worst):
        """ln F itself."""
        x = np.concatenate([loss[others] for loss, _, others, _ in (self.losses(w, own, v) for v in self.observers)])
        return np.log((x.max() if worst else x.mean()) * (self.edge_cost @ w + self.own_cost @ own))

    def value(self, w, own, worst):
        """ln F with a soft maximum, and its gradient in w and own."""
        found = [self.losses(w, own, v) for v in self.observers]
        x = np.concatenate([loss[others] for loss, _, others, _ in found])
        error = self.edge_cost @ w + self.own_cost @ own
        power = RATE if worst else 1
        top = x.max()
        part = (x / top) ** power
        aim = np.log(top) + np.log(part.mean()) / power
        weight = part / part.sum() / x  # d aim / d x
        by_w, by_own = self.edge_cost / error, self.own_cost / error
        by_w, by_own, at = by_w.copy(), by_own.copy(), 0
        a, b = self.edges.T
        for loss, G, others, kept in found:
            c = np.zeros(self.n)
            c[others] = weight[at:at + others.sum()]
            at += others.sum()
            H = (G * c) @ G
            by_w -= np.where(kept, H[a, a] + H[b, b] - 2 * H[a, b], 0)
            by_own -= np.diag(H)
        return aim + np.log(error), by_w, by_own

    def best(self, worst, one, owns=False):
        """The least F over w = e^z (one number, or one for each edge; own noises, too), from the best single scale."""
        m = len(self.edges)
        score = lambda w, own: self.score(w, own, worst)
        ones = np.ones(self.n)
        grid = [(score(np.full(m, k), ones), k) for k in [0.0, *np.geomspace(1e-3, 1e5, 41 if len(self.observers) * self.n < 3000 else 17)]]
        least, k = min(grid)
        if k > 0:
            fine = optimize.minimize_scalar(lambda t: score(np.full(m, np.exp(t)), ones), bracket=(np.log(k) - 0.3, np.log(k) + 0.3), options={"maxiter": 15})
            least = min(least, fine.fun)
            k = np.exp(fine.x)
        self.found = np.full(m, k)
        if one:
            return np.exp(least)
        def ask(z):
            w, own = np.exp(z[:m]), np.exp(z[m:]) if owns else ones
            f, by_w, by_own = self.value(w, own, worst)
            return f, np.r_[by_w * w, by_own * own if owns else np.zeros(0)]
        start = np.r_[np.full(m, np.log(max(k, 1e-3))), np.zeros(self.n if owns else 0)]
        limits = [(-16, 12)] * m + [(-6, 6)] * (self.n if owns else 0)
        steps = 300 if len(self.observers) * self.n < 3000 else 40
        got = optimize.minimize(ask, start, jac=True, method="L-BFGS-B", bounds=limits, options={"maxiter": steps})
        w, own = np.exp(got.x[:m]), np.exp(got.x[m:]) if owns else ones
        if score(w, own) < least:
            self.found = w
        return np.exp(min(least, score(w, own)))

    def check(self, worst, times=200):
        """How much ln F between two points exceeds the larger of both, at most."""
        draw, m, ones = np.random.default_rng(2), len(self.edges), np.ones(self.n)
        most = -np.inf
        for _ in range(times):
            a, b = (np.exp(draw.normal(0, 2, m)) for _ in range(2))
            ends = max(self.score(a, ones, worst), self.score(b, ones, worst))
            most = max(most, *(self.score(a + s * (b - a), ones, worst) - ends for s in (0.2, 0.5, 0.8)))
        return most


def family(name, k):
    return k, np.array([(0, v) for v in range(1, k)] if name == "star" else [(v, v + 1) for v in range(k - 1)] if name == "path" else
                       [(v, (v + 1) % k) for v in range(k)])


def read(path):
    pairs = [line.split()[:2] for line in open(path) if line.strip() and line[0] not in "#%"]
    names = {name: i for i, name in enumerate(sorted({name for pair in pairs for name in pair}))}
    read.names = sorted(names)
    return len(names), np.array(sorted({tuple(sorted((names[u], names[v]))) for u, v in pairs if u != v}))


def write(path, edges, w, names):
    with open(path, "w") as out:
        for (a, b), square in zip(edges, w):
            print(names[a] if names else a, names[b] if names else b, repr(float(np.sqrt(square))), file=out)


def main():
    davis = pathlib.Path(__file__).parent.parent / "data" / "davis.edges"
    asked = argparse.ArgumentParser()
    asked.add_argument("--only")
    asked.add_argument("--rounds", type=int)
    asked.add_argument("--observers", type=int, default=12)
    asked.add_argument("--write")
    asked.add_argument("--check", action="store_true")
    asked.add_argument("graphs", nargs="*")
    asked = asked.parse_args()
    networks = {"star 16": family("star", 16), "path 16": family("path", 16), "ring 16": family("ring", 16), "davis": read(davis)}
    for given in asked.graphs:
        name, path = given.split("=", 1)
        networks[name] = read(path)
    if asked.only:
        networks = {asked.only: networks[asked.only]}
    print(f"{'graph':10} {'T':>2} {'who':9} {'over':5} {'one':>7} {'edges':>7} {'less':>6} {'+own':>7} {'less':>6}")
    for name, (n, edges) in networks.items():
        big = n > 100
        insiders = np.random.default_rng(1).choice(n, asked.observers, replace=False) if big else np.arange(n)
        for rounds in (asked.rounds,) if asked.rounds else (1, 3, 8):
            for who, observers in (("outsider", [-1]), ("insider", insiders)):
                net = Network(n, edges, rounds, observers)
                for worst in (True, False):
                    if asked.check:
                        print(f"{name:10} {rounds:2} {who:9} {'worst' if worst else 'mean':5} {net.check(worst):.3g} above the larger end at most", flush=True)
                        continue
                    none = np.exp(net.score(np.zeros(len(edges)), np.ones(n), worst))
                    one, each = (net.best(worst, single) / none for single in (True, False))
                    if asked.write and who == "insider":
                        write(f"{asked.write}.{'worst' if worst else 'mean'}", edges, net.found, getattr(read, "names", None) if name not in ("star 16", "path 16", "ring 16") else None)
                    owns = net.best(worst, False, True) / none
                    print(f"{name:10} {rounds:2} {who:9} {'worst' if worst else 'mean':5} {one:7.4f} {each:7.4f} {100 * (1 - each / one):5.1f}% "
                          f"{owns:7.4f} {100 * (1 - owns / one):5.1f}%", flush=True)


if __name__ == "__main__":
    main()

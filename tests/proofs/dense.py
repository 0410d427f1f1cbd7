"""What a proof file's questions are truly worth, from the joint covariance of the whole view.

Independent of the checkers: a lenient reader, explicit sources of noise, and one dense matrix from them to what is seen."""
import itertools
from fractions import Fraction

import numpy as np


def number(word):
    return float.fromhex(word) if "0x" in word else float(word)


class File:
    """The lines of a proof file: of the head, and of each question."""

    def __init__(self, text):
        self.head, self.questions = [], []
        here = self.head
        for line in text.split("\n"):
            words = line.partition("#")[0].split()
            if not words or words[0] in ("netdp-proof", "end"):
                continue
            if words[0] == "source":
                here = []
                self.questions.append(here)
            here.append(words)

    def one(self, key, default=None, lines=None):
        return next((w[1] for w in (self.head if lines is None else lines) if w[0] == key), default)


class Network:
    def __init__(self, file):
        one = file.one
        self.n, self.T = int(one("nodes")), int(one("rounds"))
        self.phases, self.every = int(one("phases", 0)), int(one("every", 0))
        self.streams = self.every > 0 and not self.phases
        self.slots = self.phases or (-(-self.T // self.every) if self.streams else 1)
        self.most = min(int(one("takes-part", one("at-most", self.slots))), self.slots)
        self.gamma = number(one("accelerate", "1"))
        self.end = number(one("release")) if one("release") else None
        self.kappa = number(one("pair-noise", "0"))
        self.pairs = [(int(w[1]), int(w[2])) for w in file.head if w[0] == "pair"]
        self.W = np.zeros((self.n, self.n))
        for w in file.head:
            if w[0] == "w":
                self.W[int(w[1]), int(w[2])] = number(w[3])
        self.near = [set() for _ in range(self.n)]
        for w in file.head:
            if w[0] == "w" and w[1] != w[2]:
                self.near[int(w[1])].add(int(w[2]))
        self.nu, told = [], {int(w[1]): number(w[2]) for w in file.head if w[0] == "noise"}
        for t in range(self.T):
            self.nu.append(told.get(t, self.nu[-1] if t else None))
        self.changes = [w[1:] for w in file.head if w[0] == "change"]

    def mixing(self, t):
        """W of a round, rounds counted through all phases."""
        W = self.W.copy()
        for a in {int(w[1]) for w in self.changes if int(w[0]) == t}:
            W[a] = 0
        for w in self.changes:
            if int(w[0]) == t:
                W[int(w[1]), int(w[2])] = number(w[3])
        return W

    def takes(self, t):
        return t % self.every == 0 if self.streams else t == 0


class Question:
    """One question: who, towards whom, and what they see."""

    def __init__(self, net, file, lines):
        self.net, self.u = net, int(lines[0][1])
        self.observers = next(list(map(int, w[1:])) for w in lines if w[0] == "observers")
        self.sees, self.own = file.one("sees", None, lines), file.one("own-noise", None, lines)
        self.bound = file.one("bound", None, lines)
        self.weight = number(file.one("weight", file.one("weight", "1"), lines))
        self.claims = [w[1:] for w in lines if w[0] == "claim"]
        self.loud = [w for w in range(net.n) if self.own == "counts" or w not in self.observers]

    def active(self, W, v):
        return {w for w in range(self.net.n) if w != v and W[v, w] > 0}

    def seen(self, W):
        if self.sees == "everything":
            return set(range(self.net.n))
        us = set(self.observers)
        return us.union(*(self.active(W, v) for v in us)) if self.sees == "messages" else us

    def draws(self, W, t):
        """Nodes with noise in round t that is not known."""
        return [w for w in self.loud if self.net.takes(t) or self.active(W, w)]

    def rows_of(self, phase=None):
        """What is seen of one run, as a map from inputs (round, node) and end noise: (rows, end columns)."""
        net, n, T = self.net, self.net.n, self.net.T
        Ws = [net.mixing((phase or 0) * T + t) for t in range(T)]
        state, rows = [], []
        for t in range(T):
            m = np.zeros((n, T, n))
            if t:
                m += np.einsum("vw,wsx->vsx", Ws[t - 1], state[t - 1]) * (net.gamma if t > 1 else 1)
                if t > 1 and net.gamma != 1:
                    m -= (net.gamma - 1) * state[t - 2]
            m[:, t, :] += np.eye(n)
            state.append(m)
            rows += [(m[w].ravel(), None) for w in sorted(self.seen(Ws[t]))]
        last = np.einsum("vw,wsx->vsx", Ws[T - 1], state[T - 1]) * (net.gamma if T > 1 else 1)
        if T > 1 and net.gamma != 1:
            last -= (net.gamma - 1) * state[T - 2]
        if net.end or self.sees == "sums":
            rows += [(last[v].ravel(), None) for v in self.observers]
        if net.end:
            rows += [(last[w].ravel(), w) for w in range(n) if w not in self.observers]
        return Ws, rows

    def view(self, phase=None):
        """(A, h): how noise and the contributions of u move what is seen; columns of h: one a contribution."""
        net, n, T = self.net, self.net.n, self.net.T
        pairs = [p for p in net.pairs if self.own == "counts" or not set(p) & set(self.observers)]
        Ws, rows = self.rows_of(phase)
        R = np.array([r for r, _ in rows]).reshape(len(rows), T, n)
        A = []
        for t in range(T):
            A += [net.nu[t] * R[:, t, w] for w in self.draws(Ws[t], t)]
            A += [net.kappa * (R[:, t, a] - R[:, t, b]) for a, b in pairs] if net.takes(t) else []
        A += [net.end * np.array([float(e == w) for _, e in rows]) for w in range(n) if net.end and w not in self.observers]
        starts = [k * net.every for k in range(net.slots)] if net.streams else [0]
        return np.array(A).T if A else np.zeros((len(rows), 0)), np.array([R[:, t, self.u] for t in starts]).T

    def matrix(self):
        """M: what contributions c tell is c'Mc."""
        net = self.net
        if not net.phases:
            return information(*self.view())
        M, known = np.zeros((net.phases, net.phases)), {}
        for p in range(net.phases):
            key = p if any(int(w[0]) // net.T == p for w in net.changes) else net.phases
            if key not in known:
                known[key] = information(*self.view(p))[0, 0]
            M[p, p] = known[key]
        return M

    def worth(self):
        """The largest c'Mc over the patterns that the question is about."""
        M, net = self.matrix(), self.net
        N = len(M)
        if not np.isfinite(M).all():
            return np.inf
        if net.streams and self.sees != "everything" and self.bound in ("ones", "alternating"):
            c = np.array([(-1.0) ** k if self.bound == "alternating" else 1.0 for k in range(N)])
            return self.weight * c @ M @ c
        best = 0
        for chosen in itertools.combinations(range(N), min(net.most, N)):
            part = M[np.ix_(chosen, chosen)]
            if np.abs(part - np.diag(np.diag(part))).max() == 0:
                best = max(best, np.trace(part))
                continue
            for signs in itertools.product((1, -1), repeat=len(chosen) - 1):
                c = np.array((1,) + signs)
                best = max(best, c @ part @ c)
        return self.weight * best


class Walk:
    """What the visits of a token on a given path tell: of each piece the squared slopes of the greatest convex minorant."""

    def __init__(self, file, lines):
        self.path = {int(w[1]): (int(w[2]), w[0] == "step") for w in file.head if w[0] in ("step", "rest")}
        self.steps, self.shrinks = int(file.one("rounds")), number(file.one("contract", "1"))
        self.released = any(w[0] == "released" for w in file.head)
        self.u, self.observers = int(lines[0][1]), next(set(map(int, w[1:])) for w in lines if w[0] == "observers")
        self.weight = number(file.one("weight", "1", lines))

    def worth(self):
        loss, piece = 0.0, []
        for t in range(self.steps):
            piece.append(float(self.path[t] == (self.u, True)))
            if self.path[t + 1][0] in self.observers or t + 1 == self.steps and self.released:
                loss, piece = loss + self.least(piece), []
        return loss * self.weight

    def least(self, piece):
        blocks = []
        for j, given in enumerate(piece):
            far = self.shrinks ** (len(piece) - 1 - j)
            now = [given * far, far**2]
            while blocks and blocks[-1][0] * now[1] >= now[0] * blocks[-1][1]:
                now = [now[0] + blocks[-1][0], now[1] + blocks.pop()[1]]
            blocks.append(now)
        return sum(given**2 / noise for given, noise in blocks if given)


def information(A, h):
    """h'(AA')^+ h; infinite where h is outside of what noise reaches."""
    scale = np.sqrt((A**2).sum(1))
    keep = scale > 0
    if np.abs(h[~keep]).max(initial=0) > 0:
        return np.full((h.shape[1],) * 2, np.inf)
    if not keep.any():
        return np.zeros((h.shape[1],) * 2)
    A, h = A[keep] / scale[keep, None], h[keep] / scale[keep, None]
    U, s, _ = np.linalg.svd(A, full_matrices=False)
    r = s > 1e-11 * s[0]
    B = (U[:, r].T @ h) / s[r][:, None]
    if np.abs(h - U[:, r] @ (U[:, r].T @ h)).max() > 1e-8:
        return np.full((h.shape[1],) * 2, np.inf)
    return B.T @ B


def exact_information(A, h):
    """The same of one contribution in fractions; None where it is infinite."""
    A = [[Fraction(float(x)) for x in row] for row in A]
    h = [Fraction(float(x)) for x in h]
    K = [[sum(x * y for x, y in zip(a, b)) for b in A] + [c] for a, c in zip(A, h)]
    total, n = Fraction(0), len(K)
    for i in range(n):
        if K[i][i] == 0:
            if K[i][n] != 0:
                return None
            continue
        total += K[i][n] ** 2 / K[i][i]
        for r in range(i + 1, n):
            if K[r][i]:
                f = K[r][i] / K[i][i]
                K[r] = [x - f * y for x, y in zip(K[r], K[i])]
    return total

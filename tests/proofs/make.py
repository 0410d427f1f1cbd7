"""Finds displacements of small networks by dense least squares, and writes proof files of form 1 about them.

The unknowns are the displacements of all messages and c of pairs; what is seen, known or silent are equations. Own code:
netdp's engines find the same least in other ways."""
import numpy as np

from dense import File, Network, Question


def graph(n, p, rng):
    while True:
        edges = [(a, b) for a in range(n) for b in range(a + 1, n) if rng.random() < p]
        reach, todo = {0}, [0]
        while todo:
            a = todo.pop()
            for b in (y if x == a else x for x, y in edges if a in (x, y)):
                if b not in reach:
                    reach.add(b)
                    todo.append(b)
        if len(reach) == n:
            return edges


def weights(n, edges, rule="metropolis"):
    """W in doubles, as netdp computes them but for the last bits, which the format allows."""
    d = [sum(v in e for e in edges) for v in range(n)]
    lazy, base = 0.0, rule
    if rule.startswith("lazy:"):
        parts = rule.split(":")
        lazy, base = float(parts[1]), parts[2] if len(parts) > 2 else "metropolis"
    law = {"metropolis": lambda a, b: 1 / (1 + max(d[a], d[b])), "hamilton": lambda a, b: 1 / max(d[a], d[b]),
           "max-degree": lambda a, b: 1 / (1 + max(d)), "rows": lambda a, b: 1 / (1 + d[a]),
           "file": lambda a, b: 0.75 / max(d)}[base]
    loop = {"metropolis": lambda a, m, b: (m - d[a]) / ((1 + d[a]) * (1 + m)), "hamilton": lambda a, m, b: (m - d[a]) / (d[a] * m)}
    W = np.zeros((n, n))
    for a, b in edges:
        W[a, b], W[b, a] = law(a, b) * (1 - lazy), law(b, a) * (1 - lazy)
    for a in range(n):
        near = [y if x == a else x for x, y in edges if a in (x, y)]
        if base in loop:
            own = (1 / (1 + d[a]) if base == "metropolis" else 0) + sum(loop[base](a, max(d[a], d[b]), b) for b in near)
        elif base == "file":
            own = 1 - sum(law(a, b) for b in near)
        else:
            own = 1 / (1 + d[a]) if base == "rows" else (1 + max(d) - d[a]) / (1 + max(d))
        W[a, a] = own * (1 - lazy) + lazy
    return W


def head(n, edges, rule="metropolis", rounds=4, noise=None, lines=(), W=None):
    W = weights(n, edges, rule) if W is None else W
    text = ["netdp-proof 1", f"nodes {n}", f"rule {rule}"]
    text += [f"w {a} {b} {W[a, b].hex()}" for a in range(n) for b in range(n) if a == b or (min(a, b), max(a, b)) in edges]
    text += [f"rounds {rounds}"] + [f"noise {t} {float(x).hex()}" for t, x in sorted((noise or {0: 1, 1: 0.1}).items())]
    return text + list(lines)


class Finder:
    """The least displacement of one run of rounds: equations between unknowns, and what they cost."""

    def __init__(self, q, phase=None):
        self.q, self.net, self.phase = q, q.net, phase
        self.Ws, _ = q.rows_of(phase)
        net, n, T = q.net, q.net.n, q.net.T
        self.place = {(t, w): t * n + w for t in range(T) for w in range(n)}
        self.slots = [t for t in range(T) if net.takes(t)]
        self.pairs = [p for p in net.pairs if q.own == "counts" or not set(p) & set(q.observers)]
        self.c = {(i, p): n * T + i * len(self.pairs) + j for i in range(len(self.slots)) for j, p in enumerate(self.pairs)}
        self.size = n * T + len(self.c)

    def incoming(self, t):
        """a_t as rows of the unknowns, without what comes from contributions and pairs."""
        n, net, a = self.net.n, self.net, np.zeros((self.net.n, self.size))
        if t:
            a[:, (t - 1) * n:t * n] = self.Ws[t - 1] * (net.gamma if t > 1 else 1)
            if t > 1 and net.gamma != 1:
                a[:, (t - 2) * n:(t - 1) * n] -= (net.gamma - 1) * np.eye(n)
        return a

    def message(self, t):
        rows = np.zeros((self.net.n, self.size))
        rows[:, t * self.net.n:(t + 1) * self.net.n] = np.eye(self.net.n)
        return rows

    def pushed(self, t):
        rows = np.zeros((self.net.n, self.size))
        for (i, (a, b)), j in self.c.items():
            if self.slots[i] == t:
                rows[a, j], rows[b, j] = self.net.kappa, -self.net.kappa
        return rows

    def roles(self, t):
        q, net = self.q, self.net
        W, us = self.Ws[t], set(q.observers)
        seen = q.seen(W)
        silent = set() if net.takes(t) else {w for w in range(net.n) if not q.active(W, w)}
        still = silent | (us if q.own == "known" else set())
        return seen, silent, still

    def equations(self, begin):
        """(rows, right side) of what must hold, (rows, right side) of what noise pays, for u's unit in round `begin`."""
        net, n, T = self.net, self.net.n, self.net.T
        E, e, V, v = [], [], [], []
        for t in range(T):
            seen, _, still = self.roles(t)
            g, a = self.message(t), self.incoming(t) + self.pushed(t)
            unit = np.array([float(t == begin and w == self.q.u) for w in range(n)])
            for w in range(n):
                if w in seen:
                    E.append(g[w]), e.append(0.0)
                if w in still:
                    E.append(g[w] - a[w]), e.append(unit[w])
                else:
                    V.append((g[w] - a[w]) / net.nu[t]), v.append(unit[w] / net.nu[t])
        last = self.incoming(T)
        for w in range(n):
            if w in self.q.observers and (net.end or self.q.sees == "sums"):
                E.append(last[w]), e.append(0.0)
            elif net.end and w not in self.q.observers:
                V.append(last[w] / net.end), v.append(0.0)
        for j in self.c.values():
            row = np.zeros(self.size)
            row[j] = 1
            V.append(row), v.append(0.0)
        return np.array(E), np.array(e), np.array(V), np.array(v)

    def ties(self, x):
        """For each round the observers' sums that must stay, each with a free node that does it."""
        net, q, found = self.net, self.q, []
        for t in range(net.T):
            seen, silent, _ = self.roles(t)
            if t + 1 < net.T:
                after_seen, _, after_still = self.roles(t + 1)
                wanted = [v for v in q.observers if v in after_still]
            else:
                wanted = list(q.observers) if net.end or q.sees == "sums" else []
            free = [w for w in range(net.n) if w not in seen and w not in silent]
            rows = {v: self.Ws[t][v].copy() for v in wanted}
            while rows and free:
                v, w = max(((v, w) for v in rows for w in free), key=lambda vw: abs(rows[vw[0]][vw[1]]))
                if abs(rows[v][w]) < 1e-12:
                    break
                found.append((t, v, w))
                row = rows.pop(v)
                rows = {o: r - r[w] / row[w] * row for o, r in rows.items()}
        return found


def least(E, e, V, v):
    """min |Vx - v| with Ex = e, in doubles, refined once."""
    if len(E):
        U, s, Vt = np.linalg.svd(E)
        r = int((s > 1e-10 * max(s[0], 1)).sum())
        x0 = Vt[:r].T @ ((U[:, :r].T @ e) / s[:r])
        Z = Vt[r:].T
        if np.abs(E @ x0 - e).max() > 1e-9:
            return None
    else:
        x0, Z = np.zeros(V.shape[1]), np.eye(V.shape[1])
    if Z.shape[1] == 0:
        return x0
    y = np.linalg.lstsq(V @ Z, v - V @ x0, rcond=1e-14)[0]
    x = x0 + Z @ y
    return x + Z @ np.linalg.lstsq(V @ Z, v - V @ x, rcond=1e-14)[0]


def written(finder, x, blocks):
    """The lines of a block: g at nodes that are free and no pivot, c, ties."""
    net, lines = finder.net, []
    ties = finder.ties(x)
    pivots = {(t, w) for t, _, w in ties}
    begin = (finder.phase or 0) * net.T
    for t in range(net.T):
        seen, silent, _ = finder.roles(t)
        for w in range(net.n):
            if w not in seen and w not in silent and (t, w) not in pivots and x[finder.place[t, w]] != 0:
                lines.append(f"g {begin + t} {w} {float(x[finder.place[t, w]]).hex()}")
    lines += [f"tie {begin + t} {v} {w}" for t, v, w in ties]
    for (i, (a, b)), j in finder.c.items():
        if x[j] != 0:
            lines.append(f"c {f'{(finder.phase or 0) + i} ' if blocks else ''}{a} {b} {float(x[j]).hex()}")
    return lines


def everything(q):
    """No displacement: what pairs alone pay, [D^-1]_uu, by least squares."""
    pairs = [p for p in q.net.pairs if q.own == "counts" or not set(p) & set(q.observers)]
    n, B = q.net.n, np.zeros((q.net.n, len(pairs)))
    for j, (a, b) in enumerate(pairs):
        B[a, j], B[b, j] = q.net.kappa, -q.net.kappa
    v = np.zeros(n)
    v[q.u] = -1
    c = np.linalg.lstsq(np.vstack([B, np.eye(len(pairs))]), np.concatenate([v, np.zeros(len(pairs))]), rcond=None)[0] if pairs else []
    return [f"c {a} {b} {float(x).hex()}" for (a, b), x in zip(pairs, c)]


def question(text, u, observers, sees, own, bound=None, claims=(), weight=None):
    """The lines of one question, without its loss: a claim of it is added by `proven`. None: no finite loss."""
    lines = [f"source {u}", "observers " + " ".join(map(str, observers)), f"sees {sees}", f"own-noise {own}"]
    lines += [f"bound {bound}"] if bound else []
    lines += [f"weight {weight}"] if weight else []
    lines += list(claims)
    file = File("\n".join(text + lines))
    net = Network(file)
    q = Question(net, file, file.questions[-1])
    if sees == "everything":
        return lines + everything(q), q
    blocks = net.streams or net.phases and net.changes
    for k in range(net.slots if blocks else 1):
        f = Finder(q, k if net.phases and blocks else None)
        x = least(*f.equations(k * net.every if net.streams else 0))
        if x is None:
            return None, q
        lines += ([f"contribution {k}"] if blocks else []) + written(f, x, blocks)
    return lines, q


def proven(text, lines, q, slack=1e-9, dual=None):
    """A whole file: with a claim of the loss a little above what is true."""
    worth = q.worth() if dual is None else dual
    claim = f"claim loss {worth * (1 + slack) + 1e-15:.15g}"
    at = next(i for i, line in enumerate(lines) if line.startswith("own-noise")) + 1
    return "\n".join(text + lines[:at] + [claim] + lines[at:] + ["end", ""])

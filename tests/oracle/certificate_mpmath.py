#!/usr/bin/python3
"""Losses of small networks in 60 digits: the view stacked into one Gaussian vector, h' K^-1 h.

Writes tests/golden/certificate_mpmath.json, and with "pairs" certificate_pairs.json, of noise that
cancels in pairs. W is that of the library, to the last bit; what
follows is mpmath's.
"""
import json
import sys

from mpmath import matrix, mp, mpf, nstr, sqrt

mp.dps = 130
NOTHING = mpf(10) ** -85  # beside variances of 1e-30 and more; makes rows that repeat harmless


def path(n):
    return [(u, u + 1) for u in range(n - 1)]


def ring(n):
    return path(n) + [(0, n - 1)]


def grid(rows, columns):
    return [(r * columns + c, r * columns + c + 1) for r in range(rows) for c in range(columns - 1)] + \
           [(r * columns + c, (r + 1) * columns + c) for r in range(rows - 1) for c in range(columns)]


GRAPHS = {
    "path 8": (8, path(8), "metropolis"),
    "ring 9": (9, ring(9), "lazy:0.5:hamilton"),
    "star 10": (10, [(0, u) for u in range(1, 10)], "metropolis"),
    "lazy star": (12, [(0, u) for u in range(1, 12)], "lazy:0.99"),
    "complete 6": (6, [(u, v) for u in range(6) for v in range(u + 1, 6)], "uniform"),
    "grid 3 4": (12, grid(3, 4), "max-degree"),
    "hypercube 4": (16, [(u, u | 1 << b) for u in range(16) for b in range(4) if not u >> b & 1],
                    "metropolis"),
    "tree 15": (15, [(u, 2 * u + s) for u in range(7) for s in (1, 2)], "metropolis"),
    "barbell": (10, [(u, v) for u in range(5) for v in range(u + 1, 5)] +
                [(u, v) for u in range(5, 10) for v in range(u + 1, 10)] + [(4, 5)], "metropolis"),
    "wheel 9": (9, [(0, u) for u in range(1, 9)] + [(u, u % 8 + 1) for u in range(1, 9)],
                "hamilton"),
    "petersen": (10, [(u, (u + 1) % 5) for u in range(5)] + [(u, u + 5) for u in range(5)] +
                 [(5 + u, 5 + (u + 2) % 5) for u in range(5)], "metropolis"),
    "lollipop": (9, [(u, v) for u in range(4) for v in range(u + 1, 4)] +
                 [(u, u + 1) for u in range(3, 8)], "lazy:0.3"),
}


def weights(nodes, edges, mixing):
    """W in doubles, by the steps of src/mixing/mixing.c."""
    lazy, rule = 0.0, mixing
    if mixing.startswith("lazy:"):
        parts = mixing.split(":")
        lazy, rule = float(parts[1]), parts[2] if len(parts) > 2 else "metropolis"
    near = [sorted({v for e in edges if u in e for v in e if v != u}) for u in range(nodes)]
    degree = [float(len(x)) for x in near]
    top = max(degree)
    rows = []
    for u in range(nodes):
        d, rest, row = degree[u], 0.0, {}
        for v in near[u]:
            most = max(d, degree[v])
            if rule == "metropolis":
                row[v] = 1 / (1 + most)
                rest += (most - d) / ((1 + d) * (1 + most))
            elif rule == "hamilton":
                row[v] = 1 / most
                rest += (most - d) / (d * most)
            elif rule == "max-degree":
                row[v] = 1 / (1 + top)
            else:
                row[v] = 1 / float(nodes)
        loop = {"metropolis": 1 / (1 + d) + rest, "hamilton": rest,
                "max-degree": (1 + top - d) / (1 + top), "uniform": 1 / float(nodes)}[rule]
        row = {v: w * (1 - lazy) for v, w in row.items()}
        row[u] = loop * (1 - lazy) + lazy
        rows.append(row)
    return near, rows


def losses(graph, rounds, dither, sees, own, to, end, pairs=(), kappa=0):
    """The loss of every node that is no observer; `end`: all states at the end, under that noise."""
    nodes, edges, mixing = GRAPHS[graph]
    near, rows = weights(nodes, edges, mixing)
    w = matrix(nodes, nodes)
    for u, row in enumerate(rows):
        for v, x in row.items():
            w[u, v] = mpf(x)
    powers = [mp.eye(nodes)]
    for _ in range(rounds):
        powers.append(w * powers[-1])
    noise = [mpf(1)] + [mpf(dither)] * (rounds - 1)
    hidden = [u for u in range(nodes) if own == "counts" or u not in to]
    seen = set(to) if sees == "sum" else set(to) | {v for u in to for v in near[u]}
    view = [(t, u) for t in range(rounds) for u in sorted(seen)]
    view += [(rounds, u) for u in to] if sees == "sum" or end > 0 else []
    view += [(rounds + 1, u) for u in range(nodes) if u not in to] if end > 0 else []
    columns = rounds * len(hidden) + nodes
    shared = [e for e in pairs if own == "counts" or not set(e) & set(to)]
    table, answer = [], []
    for t, u in view:
        last, row = min(t, rounds), [mpf(0)] * columns
        for j in range(min(last + 1, rounds)):
            for i, x in enumerate(hidden):
                row[j * len(hidden) + i] = powers[last - j][u, x] * noise[j]
        if t > rounds:
            row[rounds * len(hidden) + u] = mpf(end)
        row += [mpf(kappa) * (powers[last][u, a] - powers[last][u, b]) for a, b in shared]
        response = [powers[last][u, x] for x in range(nodes)]
        if any(row):
            size = sqrt(sum(x * x for x in row))
            table.append([x / size for x in row])
            answer.append([x / size for x in response])
    count = len(table)
    k = matrix(count, count)
    for i in range(count):
        for j in range(i + 1):
            k[i, j] = k[j, i] = mp.fdot(table[i], table[j])
        k[i, i] += NOTHING
    # one factorisation for all nodes
    lower = mp.cholesky(k)
    result = {}
    for u in range(nodes):
        if u in to:
            continue
        h = [row[u] for row in answer]
        y = [mpf(0)] * count
        for i in range(count):
            y[i] = (h[i] - mp.fdot([lower[i, j] for j in range(i)], y[:i])) / lower[i, i]
        result[str(u)] = nstr(mp.fdot(y, y), 25)
    return result


DITHERS = (1e-6, 1e-4, 1e-2, 1.0, 10.0)


def views_of(one, two):
    views = [("neighbours", "known", [one]), ("sum", "known", [one]), ("sum", "counts", [one])]
    if one != two:
        views += [("neighbours", "known", [one, two]), ("sum", "known", [one, two])]
    return views


def plain():
    for index, graph in enumerate(GRAPHS):
        nodes = GRAPHS[graph][0]
        for place, dither in enumerate(DITHERS):
            rounds = 3 + (index + place) % 4
            one, two = (index * 3 + place) % nodes, (index * 5 + 2 * place + 1) % nodes
            for sees, own, to in views_of(one, two):
                for end in (0, 0.5 * dither) if place % 2 == index % 2 else (0,):
                    yield {"graph": graph, "rounds": rounds, "dither": dither, "end": end,
                           "sees": sees, "own": own, "to": to,
                           "loss": losses(graph, rounds, dither, sees, own, to, end)}


def in_pairs():
    for index, graph in enumerate(GRAPHS):
        nodes, edges, _ = GRAPHS[graph]
        for place, kappa in enumerate((0.5, 10.0, 1000.0)):
            name, pairs = ("edges", edges) if (index + place) % 2 else ("ring", ring(nodes))
            dither = DITHERS[(index + place) % len(DITHERS)]
            rounds = 1 + (index + 2 * place) % 5
            one, two = (index * 3 + place) % nodes, (index * 5 + 2 * place + 1) % nodes
            for sees, own, to in views_of(one, two):
                for end in (0, 0.5 * dither) if place == index % 3 else (0,):
                    yield {"graph": graph, "rounds": rounds, "dither": dither, "end": end,
                           "sees": sees, "own": own, "to": to, "pair_graph": name, "kappa": kappa,
                           "loss": losses(graph, rounds, dither, sees, own, to, end, pairs, kappa)}


def main():
    made, name = (in_pairs, "pairs") if sys.argv[1:] == ["pairs"] else (plain, "mpmath")
    networks = {name: {"nodes": n, "edges": [x for e in edges for x in e], "mixing": mixing}
                for name, (n, edges, mixing) in GRAPHS.items()}
    with open(f"tests/golden/certificate_{name}.json", "w", encoding="utf-8") as file:
        json.dump({"networks": networks, "cases": list(made())}, file, indent=None,
                  separators=(",", ":"))
        file.write("\n")


main()

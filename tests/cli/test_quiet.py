#!/usr/bin/python3
"""Quiet noise against the dense joint covariance of all phases: every observer, coalitions, sum views, large noise in pairs.

The oracle has one source for each number that is drawn once and takes what an observer is given by the singular values of
the map from sources, so that noise in pairs of 10,000 leaves ten digits. `netdp loss` must never be below what some pattern
of signs attains, and never above the sum of absolute values that it may print.
"""
import itertools
import json
import pathlib
import random
import shlex
import tempfile

import numpy as np

from harness import run

PHASES = 4


def metropolis(edges, nodes):
    degree = [sum(u in edge for edge in edges) for u in range(nodes)]
    w = np.zeros((nodes, nodes))
    for u, v in edges:
        w[u, v] = w[v, u] = 1 / (1 + max(degree[u], degree[v]))
    return w + np.diag(1 - w.sum(1))


def given(w, pairs, kappa, factor, inner, dither, end, members, sums):
    """What the members are given of all phases, as rows of sources, and of each node's contributions [node][phase]."""
    n, others = len(w), [u for u in range(len(w)) if u not in members]
    hidden = [(u, v) for u, v in pairs if u in others and v in others]
    fresh = PHASES * (inner * len(others) + len(others) + len(hidden) + len(others))
    sources, rows, answers, next_one = fresh, [], [], 0
    noise = np.zeros((PHASES, n, sources))  # z_q of each node, with its part of the pairs'
    for q in range(PHASES):
        for u in others:
            noise[q, u, next_one] = 1
            next_one += 1
        for u, v in hidden:
            noise[q, u, next_one], noise[q, v, next_one] = kappa, -kappa
            next_one += 1
    for p in range(PHASES):
        state = np.tensordot(factor[p], noise, 1)
        moved = np.zeros((n, n, PHASES))  # of the message of a by the contribution of u in phase p
        moved[range(n), range(n), p] = 1
        for t in range(inner):
            for u in others if t > 0 else []:
                state[u, next_one] += dither
                next_one += 1
            mixed, then = w @ state, np.tensordot(w, moved, 1)
            for a in range(n):
                if a in members or (not sums and any(w[v, a] > 0 for v in members)):
                    rows.append(state[a].copy()), answers.append(moved[a].copy())
                if sums and a in members:
                    rows.append(mixed[a].copy()), answers.append(then[a].copy())
            state, moved = mixed, then
        for u in others:
            state[u, next_one] += end
            next_one += 1
        rows.extend(state.copy()), answers.extend(moved.copy())  # released; what they were is taken off
    return np.array(rows), np.array(answers).transpose(1, 0, 2)


def told(rows, answers):
    """M_u for each node: what its contributions c tell is c' M_u c."""
    u, s, _ = np.linalg.svd(rows, full_matrices=False)
    kept = s > 1e-10 * s[0]
    along = [(u[:, kept].T @ answer) / s[kept, None] for answer in answers]
    return [a.T @ a for a in along]


def bounds(m, cycle):
    best, absolute = 0.0, 0.0
    for first in range(cycle):
        block = m[first::cycle, first::cycle]
        for signs in itertools.product((-1, 1), repeat=len(block)):
            best = max(best, np.array(signs) @ block @ np.array(signs))
        absolute = max(absolute, np.abs(block).sum())
    return best, absolute


GRAPHS = {"ring 6": [(i, (i + 1) % 6) for i in range(6)], "star 6": [(0, i) for i in range(1, 6)],
          "path 6": [(i, i + 1) for i in range(5)], "complete 5": list(itertools.combinations(range(5), 2)),
          "hypercube 3": [(i, i ^ 1 << b) for i in range(8) for b in range(3) if i < i ^ 1 << b]}


TABLE = (  # spec 13: standard deviation of the mean model at equal mean (one observer) and worst loss, fresh and quiet
    ("hypercube 5", 32, 8, 0.03, 4, 0.79, 0.52, 1.03, 0.65), ("davis", 32, 13, 0.03, 4, 0.87, 0.57, 1.04, 0.65),
    ("ring 16", 16, 20, 0.05, 4, 1.11, 0.75, 1.49, 0.93), ("hypercube 5", 32, 8, 0.1, 8, 1.39, 0.88, 2.11, 1.17))


def gains():
    """Q as it was designed there: a row's phases tell 1 in all, so that in units of netdp's Q dithers are 1 / sqrt(k)."""
    cycle = 4
    with tempfile.TemporaryDirectory() as folder:
        for family, nodes, inner, dither, k, *spec in TABLE:
            phases = k * cycle
            sums = np.tri(phases)
            code, _, err = run(["design", "--phases", str(phases), "--cycle", str(cycle), "--output", "q.txt"], folder)
            assert code == 0, err
            designed = np.loadtxt(pathlib.Path(folder, "q.txt"))
            got = []
            for cover, option, tau in ((np.eye(phases), "", dither), (designed, "--quiet q.txt", dither / k ** 0.5)):
                code, out, err = run(shlex.split(
                    f"loss --family '{family}' --protocol muffliato-sgd --rounds {inner * phases} --inner {inner} --dither "
                    f"{tau!r} --end-dither {tau!r} --cycle {cycle} {option} --json"), folder)
                assert code == 0, err
                losses = json.loads(out)["losses"]
                first = min(pair["to"] for pair in losses)
                mean = np.mean([pair["value"] for pair in losses if pair["to"] == first])
                worst = max(pair["value"] for pair in losses)  # of all observers
                error = (np.trace(sums @ cover @ sums.T) + inner * tau ** 2 * np.trace(sums @ sums.T)) / phases / nodes
                got += [(error * mean) ** 0.5, (error * worst) ** 0.5]
            got = got[0], got[2], got[1], got[3]
            print(family, k, " ".join(f"{value:.3f}" for value in got))
            for value, want in zip(got, spec):
                assert abs(value - want) <= 0.02 * want, (family, k, got, spec)


def main():
    draw, checked, worst = random.Random(18), 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        for name, edges in GRAPHS.items():
            n = 1 + max(max(edge) for edge in edges)
            w = metropolis(edges, n)
            for case in range(16):
                inner, cycle = draw.choice((1, 2, 3)), draw.choice((1, 2, 3, 4))
                kappa = draw.choice((0, 0.5, 10, 1e3, 1e4)) if case >= 4 else 0
                dither, end = draw.choice(((0.2, 0.3), (0.03, 0.03), (1, 0.1)))
                sums = draw.random() < 0.5
                members = sorted(draw.sample(range(n), draw.choice((1, 1, 2, 3))))
                factor = np.tril([[draw.uniform(-0.5, 0.5) for _ in range(PHASES)] for _ in range(PHASES)], -1)
                factor += np.diag([draw.uniform(0.7, 1.4) for _ in range(PHASES)])
                cover = factor @ factor.T
                pathlib.Path(folder, "q.txt").write_text("\n".join(" ".join(repr(float(x)) for x in row) for row in cover))
                asked = (f"loss --family '{name}' --protocol muffliato-sgd --rounds {PHASES * inner} --inner {inner} "
                         f"--dither {dither} --end-dither {end} --protects row --batches cyclic:{cycle} --quiet q.txt "
                         f"--sees {'sum' if sums else 'neighbours'} --json --to "
                         + (f"set:{','.join(map(str, members))}" if len(members) > 1 else str(members[0])))
                held = [draw.choice((4, 5, 9, 31, 1000)) for _ in range(n)] if case % 2 else [1] * n
                asked += " --rows " + ",".join(map(str, held)) if case % 2 else ""
                if kappa > 0:
                    asked += f" --pair-graph edges --pair-noise {kappa}"
                code, out, err = run(shlex.split(asked), folder)
                assert code == 0, (asked, err)
                answer = json.loads(out)
                found = {pair["from"]: pair["value"] for pair in answer["losses"]}
                m = told(*given(w, edges, kappa, np.linalg.cholesky(cover), inner, dither, end, members, sums))
                # Rounding outward: docs/proofs/quiet.md. Everything is what no view exceeds.
                slack = 1e-7 + 1e-14 * kappa ** 2 + 3e-13 * max(1, kappa) / min(dither, end)
                for u, value in found.items():
                    best, absolute = (one * (min(held) / held[u]) ** 2 for one in bounds(m[u], cycle))  # Delta_u / Delta
                    assert value >= best * (1 - 1e-9), (asked, u, value, best)
                    if answer["bound"] == "everything":  # sums that doubles may not tell apart
                        continue
                    assert value <= absolute * (1 + slack) + 1e-11 * max(1, kappa) ** 2, (asked, u, value, absolute)
                    worst, checked = max(worst, value / absolute - 1), checked + 1
    print(f"{checked} pairs; at most {worst:.2g} above the sum of absolute values")
    assert checked > 200


if __name__ == "__main__":
    gains()
    main()

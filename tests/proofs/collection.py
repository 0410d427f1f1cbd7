"""Writes the collection of valid and forged proof files, and manifest.tsv: what a checker must say of each, and why.

Run it only to make the collection anew: python3 collection.py. Files that hold come from make.py; forged ones are such
files with one thing changed that no checker may take."""
import pathlib
import re
import sys

import numpy as np

import make

here = pathlib.Path(__file__).parent
TAU = {0: 1, 1: 0.1}
DRAWN = {"weak": (8, 5), "ties": (7, 3)}


def kite():
    """Eight nodes: a ring of six with a tail of two."""
    return 8, [(0, 1), (0, 5), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7)]


def changes(n, edges, t, kept, rule="metropolis"):
    W, V, lines = make.weights(n, edges, rule), np.zeros((n, n)), []
    for a, b in kept:
        V[a, b] = V[b, a] = W[a, b]
    for a in range(n):
        V[a, a] = 1 - V[a].sum()
    return [f"change {t} {a} {b} {V[a, b].hex()}" for a in range(n) for b in range(n) if V[a, b]]


def proof(u, observers, sees="messages", own="known", lines=(), bound=None, claims=(), rounds=5, noise=None, rule="metropolis",
          weight=None, net=None, dual=None, slack=1e-9):
    n, edges = net or kite()
    text = make.head(n, edges, rule, rounds, noise or TAU, lines)
    body, q = make.question(text, u, observers, sees, own, bound, claims, weight)
    worth = None
    if bound == "abs-sum":
        M = q.matrix()
        worth = sum(sorted(sum(sorted(abs(x) for x in row)[-q.net.most:]) for row in M)[-q.net.most:])
    if bound == "dual":
        M = q.matrix()
        y = np.abs(M).sum(1) * 0.999 if dual == "small" else np.abs(M).sum(1) * (1 + 1e-9) + 1e-12
        if dual == "small":
            y = np.full(len(M), np.linalg.eigvalsh(M)[-1] * 0.999)
        body[5:5] = [f"y {k} {float(x).hex()}" for k, x in enumerate(y)]
        worth = sum(sorted(y)[-q.net.most:])
    return make.proven(text, body, q, slack, worth)


PAIRS = ["pair-noise 0x1.4p+3"] + [f"pair {a} {b}" for a, b in [(0, 1), (0, 3), (1, 4), (2, 3), (2, 5), (3, 6), (4, 7), (5, 7), (6, 7)]]
LEARNING = ["phases 4", "release 0x1.9p-4", "takes-part 2"]


def walk(u, observers, path, rests=(), released=False, contract=1.0):
    """Each contribution spread evenly over what is left until the next visit; the last step takes what is apart."""
    seen = [t for t, v in enumerate(path) if v in observers] + ([len(path) - 1] if released else [])
    lines = ["netdp-proof 1", f"nodes {max(path) + 1}", f"rounds {len(path) - 1}"]
    lines += [f"{'rest' if t in rests or t == len(path) - 1 else 'step'} {t} {v}" for t, v in enumerate(path)]
    lines += ["released"] * released + [f"contract {contract.hex()}"] * (contract < 1)
    spread, apart, loss = [], 0.0, 0.0
    for t in range(len(path) - 1):
        apart = apart * contract + (path[t] == u and t not in rests)
        until = next((s for s in seen if s > t), None)
        taken = 0 if until is None else apart if until == t + 1 else apart / (until - t)
        if taken and until != t + 1:
            spread.append(f"spread {t} {taken.hex()}")
        apart, loss = apart - taken, loss + taken**2
    claim = f"claim loss {loss * (1 + 1e-9):.15g}"
    lines += [f"source {u}", "observers " + " ".join(map(str, observers)), "sees visits", "own-noise known", claim]
    return "\n".join([*lines, *spread, "end", ""])


def valid():
    n, edges = kite()
    away = changes(n, edges, 2, [(0, 1), (2, 3), (5, 6)]) + changes(n, edges, 3, [(3, 4), (6, 7)])
    yield "averaging-messages", "one observer, its own and its neighbours' messages", proof(7, [1])
    yield "averaging-claims", "the same with claims of (epsilon, delta), Renyi and Gaussian privacy", proof(
        3, [7], claims=["claim dp 0.5 1e-6 4", "claim rdp 0.2 2 4", "claim gdp 0.25 4"])
    yield "averaging-lazy", "laziness K is a double; half of it on the diagonal", proof(3, [0], rule="lazy:0.5:metropolis")
    yield "averaging-hamilton", "weights 1/max: diagonals of 0", proof(4, [7], rule="lazy:0.25:hamilton", own="counts")
    yield "averaging-file", "weights that are given", proof(3, [7], rule="file")
    yield "averaging-accelerated", "accelerated rounds", proof(7, [2], lines=["accelerate 0x1.8p+0"])
    yield "averaging-release", "all states are seen at the end, under noise", proof(7, [2], lines=["release 0x1.9p-4"])
    yield "averaging-own-counts", "the observer does not use its own noise", proof(7, [3], own="counts")
    yield "averaging-coalition", "three observers pool what they see", proof(3, [0, 1, 7])
    yield "averaging-pairs", "pairwise noise: c of pairs pays too", proof(7, [1], lines=PAIRS)
    yield "sums-one", "sums: one tie a round", proof(2, [5], "sums")
    yield "sums-coalition", "sums of two observers: two ties a round", proof(3, [1, 5], "sums")
    yield "sums-own-counts", "own noise counts: the last sum alone is tied", proof(2, [5], "sums", "counts")
    yield "sums-pairs", "sums and pairwise noise", proof(2, [5], "sums", lines=PAIRS)
    yield "sums-release-accelerated", "sums, accelerated, released", proof(2, [5], "sums", lines=["release 0x1p-2", "accelerate 0x1.4p+0"])
    yield "everything-pairs", "every message: pairs alone hide", proof(3, [7], "everything", lines=PAIRS)
    yield "everything-alone", "every message, no pairs: the loss is 1", proof(3, [7], "everything", slack=0)
    yield "everything-coalition", "a coalition that knows the noise of its pairs", proof(3, [7, 5], "everything", lines=PAIRS)
    yield "everything-counts", "every message; the observer does not use its own noise", proof(3, [7], "everything", "counts", lines=PAIRS)
    yield "everything-learning", "gossip-sgd: as many contributions as phases", proof(
        3, [7], "everything", lines=PAIRS + ["phases 6"], rounds=1, noise={0: 1})
    yield "change-messages", "two rounds with fewer edges; silent nodes have no g", proof(7, [2], lines=away)
    yield "change-sums", "the same, seen by sums", proof(2, [5], "sums", lines=away)
    yield "change-own-counts", "own noise counts, but a silent observer has none", proof(2, [0], "sums", "counts", lines=away)
    yield "change-release", "released states of a network that changes", proof(7, [2], lines=away + ["release 0x1.8p-3"])
    yield "phases-messages", "learning: two of four phases", proof(7, [2], lines=LEARNING)
    yield "phases-row", "one record of a node, with its weight", proof(7, [2], lines=LEARNING + ["unit row"], weight="0x1p-2")
    yield "phases-change", "one phase with a network of its own", proof(
        7, [2], lines=LEARNING + changes(n, edges, 6, edges[:5]), rounds=4)
    yield "phases-rows", "W of rule rows is not symmetric", proof(7, [2], lines=LEARNING, rule="rows")
    yield "phases-pairs-sums", "pairs of every phase, sums", proof(2, [5], "sums", lines=LEARNING + PAIRS)
    yield "stream-ones", "a stream of ones", proof(7, [1], lines=["every 1"], bound="ones", noise={0: 1})
    yield "stream-alternating", "a stream of alternating signs, every second round", proof(
        7, [1], lines=["every 2"], bound="alternating", noise={0: 1})
    yield "stream-abs-sum", "any stream", proof(7, [1], lines=["every 1"], bound="abs-sum", noise={0: 1})
    yield "stream-at-most", "any two of the contributions of a stream", proof(
        3, [1], lines=["every 1", "at-most 2"], bound="abs-sum", noise={0: 1})
    yield "stream-dual", "any stream, by a diagonal above V'V", proof(7, [1], lines=["every 1"], bound="dual", noise={0: 1})
    yield "stream-sums-pairs", "sums of a stream with pairwise noise", proof(
        2, [5], "sums", lines=["every 2"] + PAIRS, bound="abs-sum", noise={0: 1})
    yield "stream-everything", "every message of a stream", proof(3, [7], "everything", lines=["every 2"] + PAIRS, noise={0: 1})
    yield "walk", "a token on a public path: each visit of node 5 ends a spread", walk(2, [5], [2, 3, 4, 5, 2, 3, 2, 1, 0, 5, 4])
    yield "walk-coalition", "two nodes pool what they see; a rest contributes nothing", walk(
        1, [0, 4], [1, 2, 3, 1, 2, 4, 1, 1, 2, 0, 3], rests=[3])
    yield "walk-released", "the last model is seen", walk(3, [0], [3, 2, 1, 3, 2, 1, 2, 1], released=True)
    yield "walk-contracting", "steps bring models nearer by a factor", walk(2, [5], [2, 3, 4, 2, 3, 4, 3, 5, 2, 1, 5], contract=0.75)


def at(pattern, new, count=1):
    """Replaces in the first line that matches."""
    return lambda text: re.sub(pattern, new, text, count=count, flags=re.M)


def after(pattern, line):
    return lambda text: re.sub(pattern, lambda m: m[0] + "\n" + line, text, count=1, flags=re.M)


def lower(text):
    """The claimed loss, one part in a million less than what is proven."""
    return re.sub(r"^claim loss (\S+)", lambda m: f"claim loss {float(m[1]) * (1 - 1e-6):.15g}", text, flags=re.M)


FORGED = [
    ("averaging-messages", "loss-too-small", "the claimed loss is a millionth below what the displacements pay", lower),
    ("averaging-claims", "epsilon-too-small", "delta of this epsilon is above the claimed one", at("^claim dp .*", "claim dp 0.01 1e-6 4")),
    ("averaging-claims", "renyi-too-small", "order times loss over 2 sigma^2 is more", at("^claim rdp .*", "claim rdp 0.000001 2 4")),
    ("averaging-claims", "order-one", "orders of Renyi privacy are above 1", at("^claim rdp .*", "claim rdp 0.2 1 4")),
    ("averaging-claims", "mu-too-small", "mu is the root of the loss over the noise", at("^claim gdp .*", "claim gdp 0.001 4")),
    ("averaging-claims", "no-noise", "a noise of 0 has no epsilon", at("^claim gdp .*", "claim gdp 1 0")),
    ("averaging-claims", "claim-twice", "a second line of one thing", after("^claim gdp .*", "claim gdp 0.25 4")),
    ("averaging-messages", "seen-moves", "node 0 is a neighbour of the observer: its message may not move", after("^own-noise.*", "g 0 0 0x1p-40")),
    ("averaging-messages", "weight-off", "4 ulp above the rule", lambda t: t.replace("w 2 3 0x1.5555555555555p-2", "w 2 3 0x1.5555555555559p-2").replace("w 3 2 0x1.5555555555555p-2", "w 3 2 0x1.5555555555559p-2")),
    ("averaging-file", "row-sum", "a row that sums to more than 1", at(r"^w 7 7 \S+", "w 7 7 0x1.8p+0")),
    ("averaging-messages", "weight-missing", "one of the two entries of an edge is missing", lambda t: re.sub(r"^w 3 2 .*\n", "", t, flags=re.M)),
    ("averaging-messages", "diagonal-missing", "a diagonal is missing", lambda t: re.sub(r"^w 3 3 .*\n", "", t, flags=re.M)),
    ("averaging-messages", "after-end", "something stands after end", lambda t: t + "claim loss 0\n"),
    ("averaging-messages", "no-end", "the file was cut off", lambda t: t.replace("end\n", "")),
    ("averaging-messages", "g-twice", "a second line of one thing", lambda t: re.sub(r"^(g 0 7 .*)", r"\1\ng 0 7 0x1p-1", t, count=1, flags=re.M)),
    ("averaging-messages", "unknown-word", "a key that the format does not have", after("^own-noise.*", "margin 1e-9")),
    ("averaging-messages", "node-out-of-range", "there is no node 8", after("^own-noise.*", "g 0 8 0x1p-1")),
    ("averaging-messages", "round-out-of-range", "there is no round 5", after("^own-noise.*", "g 5 7 0x1p-1")),
    ("averaging-messages", "not-finite", "a double of 2^1024", after("^own-noise.*", "g 4 6 0x1p+1024")),
    ("averaging-messages", "too-many-digits", "more digits than a double has", after("^own-noise.*", "g 4 6 0x1.00000000000001p+0")),
    ("averaging-messages", "nan", "not a number", after("^own-noise.*", "g 4 6 nan")),
    ("averaging-messages", "leading-zero", "integers have no leading zeros", after("^own-noise.*", "g 04 6 0x1p+0")),
    ("averaging-messages", "long-exponent", "an exponent of four digits", at("^claim loss.*", "claim loss 1e1000")),
    ("averaging-messages", "negative-claim", "a claim is no negative number", at("^claim loss.*", "claim loss -1")),
    ("averaging-messages", "no-claim", "a question without a claimed loss", at("^claim loss.*\n", "")),
    ("averaging-messages", "source-observes", "the source is the observer", at("^source.*", "source 1")),
    ("averaging-messages", "no-noise", "a round without noise", at("^noise 1.*", "noise 1 0x0p+0")),
    ("averaging-messages", "quiet-start", "noise of the round that takes contributions is 1", at("^noise 0.*", "noise 0 0x1p+1")),
    ("averaging-messages", "not-ascii", "a letter that looks like another", lambda t: t.replace("source", "sourc\u0435")),
    ("averaging-messages", "old-form", "another form of the format", at("^netdp-proof 1", "netdp-proof 2")),
    ("averaging-release", "no-release-noise", "released without noise", at("^release.*", "release 0x0p+0")),
    ("averaging-release", "own-sees-more", "as claimed for less noise at the end than there is", at("^release.*", "release 0x1.9p-5")),
    ("averaging-own-counts", "counts-of-two", "own noise counts for a single observer only", at("^observers 3", "observers 3 1")),
    ("averaging-coalition", "one-less", "with node 7 out of the coalition its g is the proof's, and it has none", at("^observers 0 1 7", "observers 0 1 2")),
    ("averaging-pairs", "no-pair", "c of two nodes that are no pair", after("^own-noise.*", "c 2 4 0x1p-3")),
    ("averaging-pairs", "known-pair", "the observer knows the noise of its own pairs", after("^own-noise.*", "c 0 1 0x1p-3")),
    ("averaging-pairs", "wrong-order", "pairs have the smaller node first", after("^own-noise.*", "c 5 2 0x1p-3")),
    ("averaging-pairs", "kappa-larger", "c was found for another pairwise noise", at("^pair-noise.*", "pair-noise 0x1p+4")),
    ("sums-one", "tie-missing", "the sum of round 1 moves", at("^tie 1 .*\n", "")),
    ("sums-one", "last-tie-missing", "the last sum moves", at("^tie 4 .*\n", "")),
    ("sums-one", "tie-with-g", "the tied node has a g of its own", lambda t: re.sub(r"^tie (\d) 5 (\d)", r"g \1 \2 0x1p-3\ntie \1 5 \2", t, count=1, flags=re.M)),
    ("sums-one", "tie-of-another", "node 0 does not observe", after("^own-noise.*", "tie 0 0 7")),
    ("sums-coalition", "tied-twice", "one node cannot keep two sums still", lambda t: re.sub(r"^tie 2 5 \d", "tie 2 5 " + re.search(r"^tie 2 1 (\d)", t, re.M)[1], t, flags=re.M)),
    ("everything-pairs", "has-g", "every message is seen: none moves", after("^own-noise.*", "g 0 3 0x1p-9")),
    ("everything-pairs", "loss-too-small", "the claim is below the component's share", lower),
    ("change-messages", "silent-g", "a silent node has no displacement of its own", after("^own-noise.*", "g 3 0 0x1p-9")),
    ("change-messages", "changed-sum", "the row does not sum to 1", at(r"^(change 2 0 1) .*", r"\1 0x1p-3")),
    ("change-messages", "changed-off-edge", "a change on nodes without an edge", after(r"^change 2 0 1.*", "change 2 0 3 0x1p-3")),
    ("change-messages", "changed-negative", "a weight below 0", at(r"^(change 2 0 1) .*", r"\1 -0x1p-3")),
    ("change-messages", "accelerated", "displacements of rounds that are not accelerated", after("^rounds.*", "accelerate 0x1.8p+0")),
    ("change-own-counts", "tie-missing", "own noise counts, but the last sum has none", lambda t: re.sub(r"^tie 4 .*\n", "", t, count=1, flags=re.M)),
    ("phases-messages", "not-released", "learning without released states is not the sum of its phases", at("^release.*\n", "")),
    ("phases-messages", "takes-part-more", "more phases than there are", at("^takes-part.*", "takes-part 5")),
    ("phases-messages", "one-phase-more", "half of what three phases tell", at("^takes-part.*", "takes-part 3")),
    ("phases-messages", "change-outside", "changes stand in the head", after("^own-noise.*", "change 1 7 7 0x1p+0")),
    ("averaging-file", "one-way", "an edge in one direction only", lambda t: re.sub(r"^w 3 2 .*\n", "", t, flags=re.M)),
    ("phases-change", "alike", "contributions whose networks differ are not alike", lambda t: re.sub(r"^contribution .*\n(?:g .*\n)*", "", t, flags=re.M)),
    ("phases-change", "other-phase", "the change is of another phase", lambda t: t.replace("change 6 ", "change 10 ")),
    ("phases-change", "block-missing", "a phase without a block", lambda t: re.sub(r"^contribution 1\n(?:g .*\n)*", "", t, flags=re.M)),
    ("phases-change", "takes-part", "three phases tell more than two", at("^takes-part.*", "takes-part 3")),
    ("phases-messages", "noise", "c without pairs", after("^own-noise.*", "c 0 1 0x1p-3")),
    ("walk", "loss-too-small", "the claim is below what noise pays", lower),
    ("walk", "another-path", "node 2 contributes once more", at("^step 5 3", "step 5 2")),
    ("walk", "earlier-visit", "node 5 sees it in step 2", at("^step 2 4", "step 2 5")),
    ("walk", "takes-too-much", "noise cannot take off what is not there", after("^claim.*", "spread 4 0x1.8p+0")),
    ("walk", "path-missing", "a step without its node", at("^step 6 .*\n", "")),
    ("walk", "two-nodes", "a step at two nodes", after("^step 2 4", "rest 2 1")),
    ("walk", "sees-messages", "of a path visits are seen", at("^sees.*", "sees messages")),
    ("walk-coalition", "less", "a node more that sees", at("^observers.*", "observers 0 4 3")),
    ("walk-coalition", "rest-contributes", "a step in place of a rest", at("^rest 3 ", "step 3 ")),
    ("walk-released", "contribution-late", "what is contributed last has one noise to hide behind", at("^step 6 2", "step 6 3")),
    ("walk-contracting", "contract-less", "models come nearer by less", at("^contract.*", "contract 0x1p+0")),
    ("averaging-messages", "sees-visits", "visits are of a token", at("^sees.*", "sees visits")),
    ("averaging-messages", "spread-twice", "a second line of one thing", after("^own-noise.*", "spread 0 0x1p-1\nspread 0 0x1p-1")),
    ("stream-ones", "block-missing", "a contribution without a block", lambda t: re.sub(r"^contribution 2\n(?:[gc] .*\n)*", "", t, flags=re.M)),
    ("stream-ones", "at-most", "ones are all contributions", after("^every.*", "at-most 2")),
    ("stream-ones", "louder", "noise is 1 in rounds that take contributions", after("^noise 0.*", "noise 2 0x1p+1")),
    ("stream-ones", "change-inside", "a network of one contribution's own", after("^contribution 1", "change 1 7 7 0x1p+0")),
    ("stream-dual", "diagonal-too-small", "Diag(y) - V'V is not positive", lambda t: re.sub(r"^y 2 .*", "y 2 0x1p-9", t, flags=re.M)),
    ("stream-at-most", "at-most-more", "three contributions tell more than two", at("^at-most.*", "at-most 3")),
    ("averaging-messages", "row-missing", "a node without a row of w: what it keeps is not said", lambda t: re.sub("^nodes 8", "nodes 9", t, flags=re.M)),
    ("averaging-release", "isolated", "the source has no row of w, so that nothing of it would be released", lambda t: re.sub(
        r"(?s)^nodes 8(.*)^source.*", r"nodes 9\1source 8\nobservers 2\nsees messages\nown-noise known\nclaim loss 0\ng 0 8 0x1p+0\nend\n", t, flags=re.M)),
    ("averaging-messages", "released-in-words", "released is a word of tokens; states are released by release", after("^rounds.*", "released")),
    ("averaging-messages", "rest", "a rest is of a token", after("^rounds.*", "rest 0 0")),
    ("averaging-messages", "contract", "contract is of a token", after("^rounds.*", "contract 0x1p-1")),
    ("averaging-messages", "takes-part", "without phases nobody takes part in some", after("^rounds.*", "takes-part 1")),
    ("averaging-messages", "at-most", "at-most is of a stream", after("^rounds.*", "at-most 1")),
    ("averaging-messages", "bound", "a bound is of blocks", after("^own-noise.*", "bound ones")),
    ("averaging-messages", "spread", "spread is of a token", after("^own-noise.*", "spread 0 0x1p-3")),
    ("averaging-messages", "observer-twice", "a node is named once", at("^observers 1", "observers 1 1")),
    ("averaging-messages", "observer-zero", "integers have no leading zeros", at("^observers 1", "observers 01")),
    ("averaging-messages", "claim-word", "claim-loss is no word", at("^claim loss", "claim-loss")),
    ("averaging-messages", "carriage-returns", "lines end with a newline alone", lambda t: t.replace("\n", "\r\n")),
    ("averaging-messages", "other-digits", "digits are those of ASCII", at("^rounds 5", "rounds \uff15")),
    ("averaging-messages", "byte-order-mark", "a mark before the first line", lambda t: "\ufeff" + t),
    ("averaging-messages", "tabulator", "fields are parted by spaces", at("^rounds 5", "rounds\t5")),
    ("averaging-messages", "infinite", "a double is finite", at(r"^(g \d \d) \S+", r"\1 inf")),
    ("averaging-messages", "signed", "a plus is no sign of a double", at(r"^(g \d \d) \S+", r"\1 +0x1p-3")),
    ("averaging-messages", "claim-infinite", "a claim is a decimal", at(r"^claim loss \S+", "claim loss inf")),
    ("averaging-messages", "claim-underscore", "a decimal has digits alone", at(r"^claim loss \S+", "claim loss 1_0")),
    ("averaging-lazy", "lazy-infinite", "a laziness above every double", at("^rule lazy:[^:]*", "rule lazy:1e999")),
    ("averaging-lazy", "lazy-all", "who only waits mixes nothing: no edge has a weight", at("^rule lazy:[^:]*", "rule lazy:1")),
    ("averaging-pairs", "both-ways", "one pair, said in both directions, would hide twice", after("^pair 2 3", "pair 3 2")),
    ("averaging-pairs", "with-itself", "a pair is two nodes", after("^pair 2 3", "pair 4 4")),
    ("averaging-coalition", "counts", "a coalition knows its own noise", at("^own-noise.*", "own-noise counts")),
    ("everything-pairs", "known-pair", "the observer knows the noise of its own pairs", after("^own-noise.*", "c 4 7 0x1p-9")),
    ("everything-counts", "known", "with its own noise known the pairs of node 7 hide nothing", at("^own-noise.*", "own-noise known")),
    ("everything-coalition", "tie", "where every message is seen nothing can make up for another", after("^own-noise.*", "tie 0 7 3")),
    ("everything-learning", "phases-more", "seven contributions tell more than six", at("^phases 6", "phases 7")),
    ("everything-alone", "loss-below-one", "without pairs a message tells all of a contribution", at(r"^claim loss \S+", "claim loss 0.999999999")),
    ("sums-own-counts", "first-tie-only", "the last sum is the one that own noise does not hide", lambda t: re.sub(r"^tie 4 5 ", "tie 3 5 ", t, flags=re.M)),
    ("stream-abs-sum", "takes-part", "takes-part is of phases, and would leave contributions out", after("^every.*", "takes-part 1")),
    ("stream-everything", "loss-too-small", "the claim is below what the pairs leave", lower),
    ("stream-abs-sum", "outside-of-blocks", "a displacement that belongs to no contribution", after("^own-noise.*", "g 0 7 0x1p-1")),
    ("change-sums", "tie-missing", "the sum of round 1 moves", at(r"^tie 1 .*\n", "")),
    ("walk", "network", "a token has no w", after("^rounds.*", "w 0 0 0x1p+0")),
    ("walk", "release", "what a token's end shows is said by released", after("^rounds.*", "release 0x1p-9")),
    ("walk", "noise", "the noise of a token's step is 1", after("^rounds.*", "noise 0 0x1p+9")),
    ("walk", "displacement", "g is of gossip", after("^claim.*", "g 0 0 0x1p+0")),
]


def main():
    sys.path.insert(0, str(here))
    files = here / "files"
    files.mkdir(exist_ok=True)
    for old in files.glob("*.proof"):
        old.unlink()
    made, rows = {}, []
    for name, why, text in valid():
        made[name] = text
        (files / f"{name}.proof").write_text(text, encoding="ascii")
        rows.append((f"{name}.proof", "holds", why))
    for name, what, why, change in FORGED:
        text = change(made[name])
        assert text != made[name], (name, what)
        (files / f"{name}--{what}.proof").write_bytes(text.encode("utf-8"))
        rows.append((f"{name}--{what}.proof", "refused", why))
    (here / "manifest.tsv").write_text("".join("\t".join(row) + "\n" for row in rows), encoding="ascii")
    print(len(rows), "files")


if __name__ == "__main__":
    main()

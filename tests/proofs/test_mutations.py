#!/usr/bin/python3
"""Mutated proofs are refused, or what they prove is true: at least what the joint covariance of the view says.

test_mutations.py [COUNT [SEED]]. A mutation is a bit of a number, a number of another line, an index, a role, a row, a
line that is missing, said twice or unknown; half of them get a claim that hides nothing, so that the value that the
checker proves is what is compared. Where doubles would find fault, fractions decide."""
import pathlib
import random
import re
import sys

try:
    import numpy as np
except ImportError:
    print("python3-numpy is not installed")
    sys.exit(77)

import checker
import dense

here = pathlib.Path(__file__).parent
valid = [line.split("\t")[0] for line in (here / "manifest.tsv").read_text(encoding="ascii").splitlines() if "\tholds\t" in line]
texts = [(here / "files" / name).read_text(encoding="ascii") for name in valid]
HEX = re.compile(r"-?0x[01][.0-9a-f]*p[+-]\d+")
ROLES = [(r"sees \w+", ["sees messages", "sees sums", "sees everything", "sees visits"]), (r"own-noise \w+", ["own-noise known", "own-noise counts"]),
         (r"bound [\w-]+", ["bound ones", "bound alternating", "bound abs-sum", "bound dual"]), (r"unit \w+", ["unit node"])]


def bit(word, rng):
    """A double with one bit another."""
    number = np.array([float.fromhex(word)])
    number.view(np.uint64)[0] ^= np.uint64(1 << rng.choice([rng.randrange(64), rng.randrange(40, 54)]))
    value = float(number[0])
    return value.hex() if np.isfinite(value) else "0x1p+0"


def mutate(text, rng):
    lines = text.split("\n")
    kind = rng.choice(["bit", "bit", "bit", "both", "role", "index", "drop", "twice", "copy", "value", "swap", "word", "observer"])
    places = [i for i, line in enumerate(lines) if line]
    i = rng.choice(places)
    body = [i for i in places if lines[i].split()[0] in ("g", "c", "tie", "noise", "change", "y", "release", "contribution", "spread", "step", "rest")]
    if rng.random() < 0.7 and body:
        i = rng.choice(body)
    found = HEX.findall(lines[i])
    if kind == "bit" and found:
        lines[i] = lines[i].replace(found[-1], bit(found[-1], rng))
    elif kind == "both" and found and lines[i].startswith("w "):
        _, a, b, x = lines[i].split()
        new = bit(x, rng)
        lines = [f"w {a} {b} {new}" if s == f"w {a} {b} {x}" else f"w {b} {a} {new}" if s == f"w {b} {a} {x}" else s for s in lines]
        lines = ["rule file" if s.startswith("rule ") else s for s in lines]
    elif kind == "role":
        pattern, words = rng.choice(ROLES)
        lines = [re.sub(f"^{pattern}$", rng.choice(words), s) for s in lines]
    elif kind == "observer":
        new = " ".join(str(rng.randrange(8)) for _ in range(rng.randrange(1, 4)))
        which = rng.choice(["observers", "source"])
        lines = [f"{which} {new if which == 'observers' else new[0]}" if s.startswith(which + " ") else s for s in lines]
    elif kind == "index":
        numbers = list(re.finditer(r"(?<= )\d+(?= |$)", lines[i]))
        if numbers:
            m = rng.choice(numbers)
            lines[i] = lines[i][:m.start()] + str(max(0, int(m[0]) + rng.choice([-2, -1, 1, 2, 5]))) + lines[i][m.end():]
    elif kind == "drop":
        del lines[i]
    elif kind == "twice":
        lines.insert(rng.choice([i + 1, len(lines) - 2]), lines[i])
    elif kind == "copy":
        other = rng.choice(places)
        lines.insert(i + 1, lines[other])
    elif kind == "value":
        lines[i] = HEX.sub(rng.choice(["0x0p+0", "0x1p+0", "-0x1p+0", "0x1p-30", "0x1.8p+0"]), lines[i])
    elif kind == "swap":
        other = rng.choice(places)
        lines[i], lines[other] = lines[other], lines[i]
    elif kind == "word":
        lines.insert(i + 1, rng.choice(["margin 1", "g", "claim loss", "end", "phase 0", "rest 2 0", "released", "contribution 0", "source 3", "accelerate 0x1.2p+0",
                                        "release 0x1p-3", "every 1", "at-most 1", "phases 2", "takes-part 1", "weight 0x1p-1"]))
    return "\n".join(lines)


def truth(text):
    """The worth of every question, in doubles."""
    file = dense.File(text)
    if any(w[0] == "step" for w in file.head):
        return [dense.Walk(file, lines) for lines in file.questions]
    net = dense.Network(file)
    return [dense.Question(net, file, lines) for lines in file.questions]


def exactly(question, value):
    """Is the worth at most this value, by fractions? Of single contributions."""
    if isinstance(question, dense.Walk):
        return False
    net = question.net
    if net.streams and question.sees != "everything":
        return None
    total = []
    for p in range(net.phases or 1):
        A, h = question.view(p)
        worth = dense.exact_information(A, h[:, 0])
        if worth is None:
            return False
        total.append(float(worth))
    total = total if net.phases else total * net.slots
    return sum(sorted(total)[-net.most:]) * question.weight <= value * (1 + 1e-12)


def main():
    count, seed = (list(map(int, sys.argv[1:])) + [2000, 1][len(sys.argv) - 1:])[:2]
    rng, held, refused, below = random.Random(seed), 0, 0, []
    for trial in range(count):
        text = rng.choice(texts)
        for _ in range(rng.choice([1, 1, 1, 2])):
            text = mutate(text, rng)
        if rng.random() < 0.5:
            text = re.sub(r"^claim loss .*", "claim loss 1e9", text, flags=re.M)
        code, said = checker.verdict(text)
        if code:
            assert code == 1 and re.match(r"FILE:[1-9]\d*: .", said), (text, said)
            refused += 1
            continue
        held += 1
        for question, value in zip(truth(text), checker.proven(said), strict=True):
            worth = question.worth()
            assert not np.isnan(worth), text
            if worth > value * (1 + 1e-8) + 1e-13 and not exactly(question, value):
                below.append((trial, worth, value))
                print(f"trial {trial}: {value} is below {worth}\n{text}")
    print(f"{count} mutations: {refused} refused, {held} hold, {len(below)} of these below the truth")
    assert held > count // 20 and refused > count // 4
    sys.exit(1 if below else 0)


if __name__ == "__main__":
    main()

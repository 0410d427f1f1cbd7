#!/usr/bin/python3
"""The checker of the page (web/src/verify.js) says of every file of the collection what netdp-verify says: the same verdict, the
same line, the same 17 digits; and of mutated ones. Skipped where node is missing. test_second.py [COUNT [SEED]]"""
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
from decimal import Decimal

here = pathlib.Path(__file__).parent
node = shutil.which("node")
if node is None:
    print("node is missing")
    sys.exit(77)
count, seed = (list(map(int, sys.argv[1:])) + [300, 1][len(sys.argv) - 1:])[:2]
command = here.parents[1] / "tools/verify/netdp-verify"
WHAT = re.compile(r"^(\S+?\.proof)(?::(\d+))?: (holds: .*?\(proven: ([^)]*)\))?")


def told(*words):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, timeout=1800)
    assert not done.stderr, done.stderr
    return [WHAT.match(line).groups() for line in done.stdout.splitlines()]


def same(paths):
    first, second = told(command, *paths), told(node, here / "second.mjs", *paths)
    assert len(first) >= len(paths) and len(second) == len(first), (len(paths), len(first), len(second))
    return [(a, b) for a, b in zip(first, second) if (a[0], a[1], bool(a[2]), Decimal(a[3] or 0)) != (b[0], b[1], bool(b[2]), Decimal(b[3] or 0))]


differ = same(sorted((here / "files").glob("*.proof")))
try:
    import test_mutations
except SystemExit:
    print("the collection alone: python3-numpy is not installed")
else:
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for i in range(count):
            text = test_mutations.mutate(rng.choice(test_mutations.texts), rng)
            if rng.random() < 0.5:
                text = re.sub(r"^claim loss .*", "claim loss 1e9", text, flags=re.M)
            paths.append(pathlib.Path(folder, f"{i}.proof"))
            paths[-1].write_text(text, encoding="utf-8")
        found = same(paths)
        for a, b in found:
            print(pathlib.Path(a[0]).read_text(encoding="utf-8"))
        differ += found
print("\n".join(f"{a} {b}" for a, b in differ) or f"both checkers agree on the collection and {count} mutations")
sys.exit(1 if differ else 0)

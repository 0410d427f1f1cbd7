#!/usr/bin/python3
"""netdp-verify says of each file of the collection what manifest.tsv says, and where: a valid file holds, a forged one is
refused with its line. The command itself is run once on all of them."""
import pathlib
import re
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).parent
command = here.parents[1] / "tools/verify/netdp-verify"
text = command.read_text(encoding="ascii").splitlines()
assert len(text) <= 300 and max(map(len, text)) <= 100, "people read this file: at most 300 lines of 100 characters"
rows = [line.split("\t") for line in (here / "manifest.tsv").read_text(encoding="ascii").splitlines()]
files = {path.name for path in (here / "files").iterdir()}
assert files == {row[0] for row in rows}, files ^ {row[0] for row in rows}
assert len(rows) > 100 and sum(row[1] == "refused" for row in rows) > 60
wrong = []
for name, verdict, why in rows:
    done = subprocess.run([command, here / "files" / name], capture_output=True, text=True, timeout=600)
    first = done.stdout.splitlines()[0] if done.stdout else ""
    good = (done.returncode == 0 and ": holds: loss <= " in first) if verdict == "holds" else (
        done.returncode == 1 and re.search(r"\.proof:[1-9]\d*: .", first))
    if not good or done.stderr or (verdict == "holds" and len(done.stdout.splitlines()) != 1):
        wrong.append(f"{name}: is to be {verdict} ({why}), and it says {done.returncode}: {done.stdout}{done.stderr}")
both = subprocess.run([command, *(here / "files" / row[0] for row in rows)], capture_output=True, text=True, timeout=600)
assert both.returncode == 1 and len(both.stdout.splitlines()) == len(rows)
assert subprocess.run([command], capture_output=True).returncode == 2
assert subprocess.run([command, "--unknown"], capture_output=True).returncode == 2
same = subprocess.run([command, "--graph", here / "kite.edges", here / "files/averaging-messages.proof"], capture_output=True, text=True)
assert same.returncode == 0 and ": holds: " in same.stdout, same
other = subprocess.run([command, "--graph", here / "kite-less.edges", here / "files/averaging-messages.proof"], capture_output=True, text=True)
assert other.returncode == 1 and "edge (5, 7) is not in both" in other.stdout, other
with tempfile.TemporaryDirectory() as folder:  # names are numbered as they come, and a node's edge to itself is none
    pairs = sorted(tuple(map(int, line.split()))[::-1] for line in (here / "kite.edges").read_text().splitlines()[1:])
    named, short = pathlib.Path(folder, "named"), pathlib.Path(folder, "short")
    named.write_text("".join(f"\u00e0{v} \u00e0{u}\n" for u, v in [(0, 0), *pairs]), encoding="utf-8")
    short.write_text("\u00e0\n", encoding="latin-1")
    done = [subprocess.run([command, "--graph", path, here / "files/averaging-messages.proof"], capture_output=True, text=True) for path in (named, short)]
assert done[0].returncode == 0 and ": holds: " in done[0].stdout, done
assert done[1].returncode == 1 and done[1].stdout.endswith("edge (0,) is not in both\n") and not done[1].stderr, done
print("\n".join(wrong) or f"{len(rows)} files")
sys.exit(1 if wrong else 0)

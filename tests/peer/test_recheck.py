#!/usr/bin/python3
"""netdp recheck of a ledger. What this version enrolled stands. A ledger that an earlier version would have written, with a smaller
price, is told of by how much, towards whom alone it was too small, with exit code 1; so is a study whose numbers an advisory takes back. A ledger that was
changed, and one without its package, are refused, and a study whose package is elsewhere is said not to be accounted for."""
import hashlib
import json
import math
import pathlib
import shutil
import sqlite3
import struct
import subprocess
import tempfile

from peers import NETDP, Peers

STUDY = """title: Ages
graph: {family: complete 3}
mixing: {weights: metropolis}
data: {csv: ages.csv, per_node: one, columns: [{name: age}]}
task: {kind: mean, bounds: [0, 100]}
protocol: {kind: averaging, rounds: 5}
privacy: {epsilon: 8, delta: 1e-6, over: worst, dither: 0.1, pair_graph: edges, pair_noise: 10}
"""
FILES = {"ages.csv": lambda path: path.write_text("age\n31\n45\n62\n", encoding="ascii")}
OWN = """title: A model of one's own
graph: {family: complete 3}
mixing: {weights: metropolis}
task: {kind: own, parameters: 3, clip: 1, step: 0.1}
protocol: {kind: gossip-sgd, rounds: 2}
privacy: {epsilon: 50, delta: 1e-6, over: worst, pair_graph: edges, pair_noise: 4}
"""
KINDS = ["opened", "study", "reserved", "contribution", "settled"]


def recheck(*given):
    done = subprocess.run([NETDP, "recheck", *given], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def told(*given):
    code, out, err = recheck(*given, "--json")
    assert (code == 1) == (len(err.splitlines()) == 1) and code in (0, 1), (code, out, err)
    return code, json.loads(out)


def rewrite(path, change):
    """The same ledger with other rows, as whoever owns it could write it: its hashes hold."""
    base = sqlite3.connect(path)
    kept = [text for (text,) in base.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger'")]
    for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        base.execute(f"DROP TRIGGER {name}")
    before = bytes(32)
    for row, *rest in base.execute("SELECT row, kind, study, phase, attempt, party, time, body FROM entry ORDER BY row").fetchall():
        kind, study, phase, attempt, party, time, body = change(*rest)
        numbers = struct.pack("<qqqqq", phase, attempt, party, time, len(body))
        before = hashlib.blake2b(b"netdp ledger row 1\0" + before + struct.pack("<qq", row, KINDS.index(kind)) + study + numbers + body,
                                 digest_size=32).digest()
        base.execute("UPDATE entry SET kind = ?, study = ?, phase = ?, attempt = ?, party = ?, time = ?, body = ?, hash = ? WHERE row = ?",
                     (kind, study, phase, attempt, party, time, body, before, row))
    for text in kept:
        base.execute(text)
    base.commit()
    base.close()


def body_of(path):
    base = sqlite3.connect(path)
    text = base.execute("SELECT body FROM entry WHERE kind = 'study'").fetchone()[0]
    base.close()
    return json.loads(text)


def cheaper(kind, study, phase, attempt, party, time, body):
    """As if a version had taken a quarter of mu^2 towards the first other participant, and of nobody else."""
    if kind == "study":
        told_of = json.loads(body)
        told_of["towards"][0]["square"] /= 4
        body = json.dumps(told_of, separators=(",", ":")).encode()
    return kind, study, phase, attempt, party, time, body


with Peers(STUDY, noise=1, files=FILES) as net, tempfile.TemporaryDirectory() as name:
    for one in range(net.count):
        net.start(one)
    net.wait()
    folder, result = net.of(0), net.result(0)
    code, found = told(folder)
    study = found["studies"][0]
    assert code == 0 and found["below"] == found["not_accounted"] == 0 and study["advisory"] is None, found
    assert study["reserved"] == study["contributions"] == 1 and len(study["towards"]) == 4, study
    printed = [entry["epsilon"] for entry in result["account"]["towards"]]
    for row, epsilon in zip(study["towards"], printed):
        assert row["ratio"] == 1 and not row["below"], row
        assert row["spent_then"] == row["spent_now"] == row["most_now"] and math.isclose(row["spent_now"], epsilon, rel_tol=1e-9), (row, epsilon)
    assert told(folder / "ledger.db") == (code, found)
    code, out, err = recheck(folder)
    assert code == 0 and not err and "all others together" in out and "1 of at most 1 contributions reserved" in out, (code, out, err)

    # An earlier version's smaller price.
    old = pathlib.Path(name, "old")
    old.mkdir()
    shutil.copytree(folder / "package", old / "package")
    shutil.copy(folder / "ledger.db", old)
    rewrite(old / "ledger.db", cheaper)
    code, found = told(old)
    rows = found["studies"][0]["towards"]
    assert code == 1 and found["below"] == 1 and [row["below"] for row in rows] == [True, False, False, False], found
    assert math.isclose(rows[0]["spent_now"], printed[0], rel_tol=1e-9) and rows[0]["spent_then"] < rows[0]["spent_now"], rows
    assert rows[0]["ratio"] == rows[0]["most_now"] / rows[0]["most_then"] > 1.5, rows
    code, out, err = recheck(old)
    assert code == 1 and "1 of 4 guarantees in the ledger are below what is proven now" in err and len(err.splitlines()) == 1, (code, err)

    # Its package elsewhere, and a package of another study.
    (old / "package").rename(old / "kept")
    code, out, err = recheck(old)
    assert code == 2 and "--package" in err and not out, (code, out, err)
    assert told(old, "--package", old / "kept") == (1, found)
    code, out, err = recheck(old, "--package", old / "missing")
    assert code in (2, 3) and len(err.splitlines()) == 1 and not out, (code, err)
    pathlib.Path(name, "own.yaml").write_text(OWN, encoding="utf-8")
    made = subprocess.run([NETDP, "net", "init", "own.yaml", "--names", "north,south,west", "-o", "own"], cwd=name, check=True, capture_output=True, text=True)
    code, out, err = recheck(old, "--package", pathlib.Path(name, "own/package"))
    assert code == 2 and "the package of no study of this ledger is here" in err, (code, err)

    # A program of one's own under frames of version 2: NETDP-2026-1.
    north = pathlib.Path(name, "own/north")
    roster = json.loads((north / "package/roster.json").read_text(encoding="utf-8"))
    keys = [member["key"] for member in roster["members"]]
    digest = bytes.fromhex(made.stdout.split()[1])
    written = body_of(folder / "ledger.db")

    def of_own(version):
        def change(kind, study, phase, attempt, party, time, body):
            if kind == "opened":
                return kind, study, phase, attempt, party, time, bytes.fromhex(keys[0]) + body[32:]
            if kind == "study":
                new = dict(zip(written["members"], keys))
                row = {**written, "members": keys, "contributions": 2, "outside": 1e3, "everyone": 1e3}
                row["towards"] = [{"members": [new[key] for key in one["members"]], "square": 1e3} for one in written["towards"]]
                body = json.dumps(row).encode()
            if kind == "contribution":
                body = body[:4] + struct.pack("<H", version) + body[6:]
            return kind, digest, phase, attempt, party, time, body
        return change

    for version, code in ((3, 0), (2, 1)):
        shutil.copy(folder / "ledger.db", north / "ledger.db")
        rewrite(north / "ledger.db", of_own(version))
        found = told(north)
        one = found[1]["studies"][0]
        assert found[0] == code and one["accounted"] and one["advisory"] == (None if version == 3 else "NETDP-2026-1"), (version, found)
        assert all(row["below"] == (version == 2) and (row["most_now"] == "inf") == (version == 2) for row in one["towards"]), one
    code, out, err = recheck(north)
    assert code == 1 and "NETDP-2026-1: nothing that was printed of this study holds" in out, (code, out)

    # Changed without its hashes.
    base = sqlite3.connect(old / "ledger.db")
    base.execute("DROP TRIGGER unchanged")
    base.execute("UPDATE entry SET time = time + 1 WHERE kind = 'reserved'")
    base.commit()
    base.close()
    code, out, err = recheck(old, "--package", old / "kept")
    assert code == 2 and len(err.splitlines()) == 1 and not out, (code, out, err)
    code, out, err = recheck(folder / "result.json", "--package", folder / "package")
    assert code == 2 and "--package: is for a ledger" in err, (code, err)
print("recheck of ledgers")

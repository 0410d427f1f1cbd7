#!/usr/bin/python3
"""Everything that a peer does is output. Two data sets that differ in one cell of one row, the same seeded noise and the same liar beside
them: frames in their order, their sizes and places, log, metrics, exit code and result are the same, but for the noised numbers, though on
one of the two the program answers with NaN, raises, dies, hangs, says too much, too little, or what nobody asked for (docs/proofs/acts.md).
Neither does it show in when a contribution leaves: with an answer's time that does not end in a test, none leaves of a program that answers
at once. What a program did is in its owner's file."""
import json
import re
import struct
import time

from liar import HELLO, KEY, LEDGER, VECTOR, Liar
from own_models import MADE, STEP, owned, take_part
from peers import Peers

# In phase k a row with a flag makes the program do the k-th of these, in the place of an answer.
FAULTS = ["print(phase, 'nan 1', flush=True)", "print(phase, '1 2 inf 1', flush=True)", "raise ValueError(rows)", "os._exit(7)", "os.kill(os.getpid(), 9)",
          "print(phase, '1 2 3', flush=True)", "print(phase, flush=True)", "print('5 1 1\\n99 1 1', flush=True)",
          "print(phase, ' '.join(['1e308'] * 200000), flush=True)", "print(phase, 'x' * 100000, '1', flush=True)", "sys.stderr.write('y' * 2000000)",
          "print(phase, float(model[0]) * 1e308 * 1e308, '1', flush=True)", "time.sleep(1000)", "pass"]
PHASES = len(FAULTS) + 2
PROGRAM = """#!/usr/bin/python3
import os, sys, time
rows = [[float(c) for c in line.split(",")] for line in open("data.csv").readlines()[1:]]
for line in sys.stdin:
    phase, *model = line.split()
    k = int(phase) - 1
    if any(row[0] for row in rows) and 0 <= k < %d:
        %s
        continue
    print(phase, "0.5 0.25", flush=True)
""" % (len(FAULTS), "\n        ".join(f"{'if' if k == 0 else 'elif'} k == {k}: {fault}" for k, fault in enumerate(FAULTS)))
YEAR = 31536000


def table(flag):
    return "flag,age,y\n" + "".join(f"{flag if i == 7 else 0},{40 + i},{i % 2}\n" for i in range(20))


def hear_vector(liar, round, heard):
    """The liar's neighbour's vector of that round, and all that came with it: kinds, sizes, places."""
    while True:
        kind, body = liar.receive()
        heard.append((kind, len(body), body[:20] if kind == VECTOR else b""))
        if kind == VECTOR and struct.unpack("<I", body[8:12])[0] == round:
            return struct.unpack("<2d", body[20:])


def plain(log):
    """What the log says, but for when, and for how the machine was busy."""
    lines = [re.sub(r"^\S+ ", "", line) for line in log.splitlines()]
    return sorted(re.sub(r"port=\d+", "", line) for line in lines if "event=waiting" not in line and "slow-program" not in line)


def watch(flag):
    """Everything that member 1 does, beside a liar, as member 0, who sends numbers as large as they go and asks it at models that it chose."""
    with Peers(MADE % PHASES, noise=20, seed=5) as net:
        for one in (1, 2):
            take_part(net, one, owned(MADE % PHASES), table(flag if one == 1 else 0), PROGRAM, answer=400, slot=100)
        net.settle(1, metrics="metrics")
        for one in (1, 2):
            net.start(one)
        heard = {1: [], 2: []}
        liars = {}
        for one in (1, 2):
            while True:
                try:
                    liars[one] = Liar(net, 0, test=1).dial(one).greet()
                    break
                except OSError:
                    time.sleep(0.05)
            liars[one].offer_key()
        for round in range(PHASES):
            said = {one: hear_vector(liars[one], round, heard[one]) for one in (1, 2)}
            for one in (1, 2):
                # The mean of the three is near the edge, sometimes beyond it; from the same numbers in both runs
                liars[one].vector(round, [1.5e308 if round % 5 == 4 else 300.0 * (-1) ** round, -7.0], phase=round)
        for one in (1, 2):
            liars[one].over(PHASES - 1, phase=PHASES - 1)
        code = net.running[1].wait()
        kinds = [entry for entry in heard[1] if entry[0] in (HELLO, KEY, LEDGER, VECTOR)]
        metrics = [line for line in (net.of(1) / "metrics").read_text().splitlines() if "still" not in line and "waiting" not in line and "_bytes" not in line]
        result = {key: value for key, value in net.result(1).items() if key not in ("state", "estimate", "package", "sha256")}  # the digest is of these
        record = (net.of(1) / "step-phases.txt").read_text()
        assert (net.of(1) / "step-phases.txt").stat().st_mode & 0o777 == 0o600 and (net.of(1) / "step.log").stat().st_mode & 0o777 == 0o600
        for liar in liars.values():
            liar.close()
        return {"code": code, "frames": kinds, "log": plain(net.log(1)), "metrics": metrics, "result": json.dumps(result, sort_keys=True)}, record


def await_lines(net, one, line, count):
    while net.log(one).count(line) < count:
        assert net.running[one].poll() is None, net.log(one)[-800:]
        time.sleep(0.02)


acts, records = zip(*(watch(flag) for flag in (0, 1)))
for what in acts[0]:
    assert acts[0][what] == acts[1][what], (what, acts[0][what], acts[1][what])
assert acts[0]["code"] == 0 and len(acts[0]["frames"]) > PHASES, acts[0]
assert sum(kind == VECTOR for kind, *_ in acts[0]["frames"]) == PHASES
assert f"Your program failed in 0 of {PHASES} phases." in records[0] and len(records[0]) == len(records[1]), records
failed = int(re.search(r"failed in (\d+) of", records[1])[1])
assert len(FAULTS) <= failed + 2 and failed <= PHASES - 1, records[1]  # what follows a hang may be late, too
assert "not finite" in records[1] and "ended" in records[1] and "no answer" in records[1] and "late" in records[1], records[1]

# Not before its time: one that answers at once, and one that never does, wait alike.
for program in (PROGRAM, PROGRAM.replace("        continue", "        time.sleep(1000)").replace("if k ==", "if k !=")):
    with Peers(MADE % 4, noise=20, seed=5) as net:
        for one in range(3):
            take_part(net, one, owned(MADE % 4), table(1), program if one == 1 else PROGRAM, patience=YEAR, **({"answer": 1000 * YEAR - 1} if one == 1 else {}))
            net.start(one)
        await_lines(net, 1, 'event=waiting for="the time of the program\'s answer for phase 0"', 1)
        await_lines(net, 0, 'event=waiting for="the message of meter-1" round=0', 1)
        assert "event=contributed" not in net.log(1)

# Before anything has left a program is asked once, and a peer whose program cannot answer says so and ends, as where a file cannot be read.
for fault, code, says in (("print(phase, 'nan 3.25', flush=True)", 2, "NaN, infinite or none"), ("print(phase, '3.25', flush=True)", 2, "another length"),
                          ("raise ValueError(3.25)", 3, "ended, or could not be started")):
    with Peers(MADE % 4, noise=20) as net:
        take_part(net, 1, owned(MADE % 4), table(1), PROGRAM.replace('print(phase, "0.5 0.25", flush=True)', fault))
        assert net.start(1).wait() == code and says in net.log(1) and "3.25" not in net.log(1), net.log(1)
        assert not list(net.of(1).glob("pair-key-*")) and not (net.of(1) / "frames").exists()
print(f"{len(FAULTS)} things that a program may do leave no trace in {len(acts[0]['frames'])} frames, log, metrics and end of a peer; the owner's file has {failed}")

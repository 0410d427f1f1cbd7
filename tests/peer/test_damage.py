#!/usr/bin/python3
"""Damage at random to any file of a folder that has contributed: bits, holes, ends cut off, files gone. A peer that is started there says the
bytes that left before, or nothing; it never crashes, and where it runs its ledger is what it was. And no room on the disk at any size: the
peer ends and says why, with room it goes on, and no second contribution is drawn. NETDP_DAMAGES; 40 unless told."""
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import time

from liar import study
from peers import NETDP, Peers
from transcripts import frames

CHANCE, WANTED = random.Random(int(os.environ.get("NETDP_DAMAGES_SEED", "1"))), int(os.environ.get("NETDP_DAMAGES", "48"))
FILES = ["ledger.db", "ledger.db-wal", "ledger.db-shm", "frames"] * 3 + ["key", "budget.yaml", "package/study.yaml", "package/roster.json", "peer.json", "values.csv", "ledger.db.lock"]


def damage(path):
    held, how = bytearray(path.read_bytes()), CHANCE.choice(["bits", "bits", "cut", "zero", "gone", "swap"])
    if how == "gone" or not held:
        path.unlink()
        return how
    if how == "bits":
        for _ in range(CHANCE.choice([1, 1, 2, 8])):
            held[CHANCE.randrange(len(held))] ^= 1 << CHANCE.randrange(8)
    elif how == "cut":
        del held[CHANCE.randrange(len(held)):]
    elif how == "zero":
        at, size = CHANCE.randrange(len(held)), CHANCE.choice([1, 16, 512, 4096])
        held[at:at + size] = bytes(len(held[at:at + size]))
    else:
        one, other = CHANCE.randrange(len(held)), CHANCE.randrange(len(held))
        held[one], held[other] = held[other], held[one]
    path.write_bytes(held)
    return how


def contributions(path):
    return {frame for (_, round), frame in frames(path) if round == 0} if path.exists() else set()


def show(folder):
    said = subprocess.run([NETDP, "ledger", "show", folder], capture_output=True, text=True)
    return said.returncode, said.stdout


def run_in(folder):
    """Alone: its links never come up. Its exit code, or None where it runs until it has said what it would; what it said."""
    with open(folder / "log", "wb") as log:
        peer = subprocess.Popen([NETDP, "peer", folder], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    while peer.poll() is None and b"event=started" not in (folder / "log").read_bytes():
        time.sleep(0.01)
    code = peer.poll()
    if code is None:
        peer.kill()
        peer.wait()
    return code, (folder / "log").read_text()


with Peers(study(rounds=4000), noise=1) as net:
    doctor = subprocess.run([NETDP, "net", "doctor", net.of(1)], capture_output=True, text=True).stdout
    net.settle(1, transcript="transcript", package=re.search(r"digest +([0-9a-f]{64})", doctor)[1])  # as net join writes it
    for one in range(4):
        net.start(one)
    while "event=contributed" not in net.log(1) or os.path.getsize(net.of(1) / "frames") < 20000:
        assert net.running[1].poll() is None, net.log(1)
        time.sleep(0.005)
    net.running[1].kill()
    net.running[1].wait()
    net.stop()
    base = net.of(1)
    first, good = contributions(base / "transcript"), show(base)
    pair_keys = [path.name for path in base.glob("pair-key*")]
    ended = 0
    for turn in range(WANTED):
        folder, name = pathlib.Path(net.keep.name) / "damaged", CHANCE.choice(FILES + pair_keys)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(base, folder)
        (folder / "transcript").unlink()
        if not (folder / name).exists():
            continue
        how = damage(folder / name)
        code, log = run_in(folder)
        said = contributions(folder / "transcript")
        assert code in (None, 1, 2, 3), (turn, name, how, code, log[-600:])
        assert said <= first, (turn, name, how, "other bytes", log[-600:])
        if code is None:
            assert said == first and show(folder) == good, (turn, name, how, log[-600:])
        ended += code is not None
    assert ended > WANTED // 4, ended


def room(most):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
    return limit


full = 0
for most in (1, 5000, 20000, 35000, 50000, 70000, 100000):
    with Peers(study(rounds=600), noise=1) as net:
        net.settle(1, transcript="transcript")
        for one in (0, 2, 3):
            net.start(one)
        # What it says goes through a pipe: a log file would be full, too.
        peer = subprocess.Popen([NETDP, "peer", net.of(1)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                preexec_fn=room(most), restore_signals=False)
        said = peer.communicate()[1]
        assert peer.returncode in (0, 3), (most, peer.returncode, said[-600:])
        full += peer.returncode == 3
        if peer.returncode == 3:
            net.start(1)
        net.wait()
        assert len(contributions(net.of(1) / "transcript")) == 1, most
assert full > 3, full
print(f"{WANTED} damages, {ended} refused; {full} sizes of a full disk: one contribution, always the same bytes")

#!/usr/bin/python3
"""What somebody puts in the place of a file that a peer writes: a link to another file, to nothing yet, or a pipe that nobody reads. The link is
never followed and the pipe never waited for: the peer says which file is in the way, or replaces what lies there, and nothing outside its
folder is written, made or cut."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from own_models import MADE, STEP, owned, take_part
from liar import study
from peers import NETDP, Peers

STUDY = study("ring 3", 5)
AGAIN = 60  # seconds in which whatever does not hang has ended
# Of a study of means, and the folder's own names.
NAMES = ["ledger.db", "ledger.db.lock", "ledger.db-wal", "ledger.db-shm", "frames", "transcript", "result.json", "account.proof", "metrics"]
OWN = ["step.log", "step-phases.txt"]
TOLD = "mine, 12 bytes and more"


def plant(place, kind, victim):
    place.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(place)
    else:
        victim.unlink(missing_ok=True)
        if kind == "link":
            victim.write_text(TOLD)
        place.symlink_to(victim)


def untouched(kind, victim):
    return victim.read_text() == TOLD if kind == "link" else not victim.exists()


def runs_in(folder):
    """Processes that were started with that folder, or one in it."""
    found = []
    for words in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += [words] if str(folder).encode() + b"/" in words.read_bytes() else []
        except OSError:
            pass  # it has ended
    return found


def watch(net, name, kind, victim):
    """Peer 1 with what was planted, beside the others; whether it went on, and what became of the victim."""
    net.start(1)
    if name == "result.json":  # of a folder that began before, where one without a ledger would be refused
        while "event=started" not in net.log(1):
            assert net.running[1].poll() is None, net.log(1)
            time.sleep(0.01)
        plant(net.of(1) / name, kind, victim)
    for one in (0, 2):
        net.start(one)
    code = None
    begun = time.monotonic()
    while code is None and time.monotonic() < begun + AGAIN:
        code = net.running[1].poll()
        time.sleep(0.01)
    net.stop()
    assert code in (0, 2, 3), (name, kind, code, net.log(1)[-600:])
    assert untouched(kind, victim), (name, kind, "was followed")
    if code != 0:
        assert name.partition("-wal")[0].partition("-shm")[0] in net.log(1).splitlines()[-1], (name, kind, net.log(1)[-600:])
    return code


went_on = 0
with tempfile.TemporaryDirectory() as keep:
    victim = pathlib.Path(keep) / "victim"
    for kind in ("link", "nothing", "pipe"):
        for name in NAMES:
            with Peers(STUDY, noise=1) as net:
                net.settle(1, transcript="transcript", metrics="metrics")
                if name != "result.json":
                    plant(net.of(1) / name, kind, victim)
                went_on += watch(net, name, kind, victim) == 0
                if name in ("result.json", "account.proof", "metrics") and kind != "pipe":
                    assert (net.of(1) / name).is_file() and not (net.of(1) / name).is_symlink(), (name, net.log(1)[-600:])
        for name in OWN:
            with Peers(MADE % 2, noise=20) as net:
                rows = "flag,age,y\n" + "".join(f"0,{i},{i % 2}\n" for i in range(20))
                for one in range(net.count):
                    take_part(net, one, owned(MADE % 2), rows, STEP, answer=300)
                plant(net.of(1) / name, kind, victim)
                watch(net, name, kind, victim)

    # What netdp net up and doctor write beside it.
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "study.yaml").write_text(STUDY)
        for kind in ("link", "nothing", "pipe"):
            shutil.rmtree(folder / "net", ignore_errors=True)
            made = subprocess.run([NETDP, "net", "init", folder / "study.yaml", "--names", "a,b,c", "-o", folder / "net"], capture_output=True, text=True)
            assert made.returncode == 0, made.stderr
            for one in "abc":
                (folder / "net" / one / "data.csv").write_text("h19\n1\n")
            for name, words in (("doctor.part", ["doctor", folder / "net" / "a"]), ("peer.log", ["up", folder / "net"]), ("pid", ["up", folder / "net"])):
                plant(folder / "net" / "a" / name, kind, victim)
                try:
                    subprocess.run([NETDP, "net", *words], capture_output=True, text=True, timeout=AGAIN)
                finally:
                    subprocess.run([NETDP, "net", "down", folder / "net"], capture_output=True, text=True, timeout=AGAIN)
                assert untouched(kind, victim), (name, kind, "was followed")
                (folder / "net" / "a" / name).unlink(missing_ok=True)
                while runs_in(folder):  # what was started is ended by its number, or was not started
                    time.sleep(0.05)
print(f"{3 * (len(NAMES) + len(OWN) + 3)} places with links and pipes: none followed, none waited for; {went_on} studies went on")

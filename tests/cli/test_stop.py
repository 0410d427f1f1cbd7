#!/usr/bin/env python3
"""SIGTERM and SIGINT end long work of every kind: 130, one line, no file half written. Work is cut off after so many
seconds of the processor, so that nothing here depends on how busy a machine is."""
import json
import os
import re
import resource
import signal
import subprocess
import tempfile
import time

from harness import COMMAND, PATIENCE, SOURCE, main

os.environ["OMP_NUM_THREADS"] = "2"  # every thread works until it hears of the signal

# Some hear of the signal; of a factorisation of 3,900 nodes nobody could.
LONG = [
    'loss --family "barabasi-albert 100000 5" --rounds 50 --to 0 --from 77777',
    'loss --family "regular 3900 8" --protocol muffliato-sgd --inner 20 --rounds 60 --csv pairs.csv',
    'loss --family "regular 271 8" --protocol stream --rounds 320 --bound upper --csv pairs.csv',
    'loss --family "regular 4000 8" --rounds 50 --npy pairs.npy',
    'loss --family "geometric 2048 0.1" --protocol walk --rounds 20000 --as dp:1e-6 --noise 5',
    'calibrate --family "regular 2000 8" --rounds 50 --target 1 --as dp:1e-6',
    'calibrate --family "regular 500 8" --rounds 50 --target 1 --as dp:1e-6 --tune-dither',
    'calibrate --family davis --protocol walk --rounds 50 --target 1 --as dp:1e-6 --over mean',
    'loss --family "regular 10000 8" --rounds 50 --certify yes --to set:' + ",".join(map(str, range(100))),
    'reproduce C-table1',
    'run experiments/C-table1.yaml -o figure',
]

# The command stops within a second of both threads or 1.5 s of the processor, and a tick; what it had worked before comes on top.
MOST_WORK = 2.5


def worked(pid):
    """Seconds of the processor that a process has taken."""
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def long_work_ends():
    for number, words in enumerate(LONG):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(os.path.join(SOURCE, "experiments"), os.path.join(folder, "experiments"))
            os.symlink(os.path.join(SOURCE, "data"), os.path.join(folder, "data"))
            spent = resource.getrusage(resource.RUSAGE_CHILDREN)
            work = subprocess.Popen(["sh", "-c", f'exec "{COMMAND}" {words}'], cwd=folder,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            end = time.monotonic() + PATIENCE
            while worked(work.pid) < 3 and time.monotonic() < end:
                assert work.poll() is None, (words, work.stderr.read())
                time.sleep(0.05)
            work.send_signal(signal.SIGSTOP)  # nothing is worked between the count and the signal
            os.waitid(os.P_PID, work.pid, os.WSTOPPED | os.WNOWAIT)
            before = worked(work.pid)
            work.send_signal([signal.SIGTERM, signal.SIGINT][number % 2])
            work.send_signal(signal.SIGCONT)
            _, err = work.communicate(timeout=PATIENCE)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            took = after.ru_utime + after.ru_stime - spent.ru_utime - spent.ru_stime - before
            assert work.returncode == 130, (words, work.returncode, err)
            assert re.search(rb"netdp.*: stopped", err.splitlines()[-1]), (words, err)
            assert "--over mean" not in words or b"stopped during " in err, (words, err)  # all pairs of a walk hear of it
            assert took < MOST_WORK, (words, took)
            left = [name for _, _, names in os.walk(folder) for name in names if ".part-" in name]
            assert not left, (words, left)


def little_memory():
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


def refused_before_it_starts():
    """All sources towards a hub want hundreds of gigabytes: one line with a way out; and that way is one."""
    hub = [COMMAND, "loss", "--family", "barabasi-albert 100000 5", "--rounds", "6", "--to", "0"]
    refused = subprocess.run([*hub[:5], "50", *hub[6:], "--certify", "yes"], preexec_fn=little_memory, capture_output=True, timeout=PATIENCE)
    assert refused.returncode == 3 and refused.stdout == b"", refused
    assert re.fullmatch(rb"netdp loss: exact: needs about [0-9.]+ GB, and [0-9.]+ GB may be taken; .* --from .*\n",
                        refused.stderr), refused.stderr
    answer = subprocess.run([*hub, "--from", "77777", "--json"], preexec_fn=little_memory, capture_output=True,
                            timeout=PATIENCE, check=True)
    told = json.loads(answer.stdout)
    assert told["certified"] is True and 0 < told["losses"][0]["value"] < 1, told


main([], [long_work_ends, refused_before_it_starts])

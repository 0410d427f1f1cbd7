#!/usr/bin/python3
"""A peer's ledger on a disk that fails: at any operation of SQLite's, reads too, once, three times or from then on; of a write any part
arrives. Each fault ends the peer, with a reason and without a crash, or does nothing; started again it goes on. Whatever happens: no
double spend, no frame with other bytes, no lost contribution. NETDP_FAULTS faults; 24 unless told."""
import os
import random
import subprocess
import time

from ended import STUDIES, judge, write_rows
from peers import NETWORK, Peers

WANTED, CHANCE = int(os.environ.get("NETDP_FAULTS", "24")), random.Random(int(os.environ.get("NETDP_FAULTS_SEED", "1")))
VICTIM = 1


def start_on_failing_disk(net):
    """Which operation fails, how many from it on, what part of a write arrives, whether reads count."""
    how = [CHANCE.choice([CHANCE.randrange(12), CHANCE.randrange(60), CHANCE.randrange(400)]), CHANCE.choice([1, 3, 1 << 40]),
           CHANCE.randrange(5), CHANCE.randrange(2)]
    with open(net.of(VICTIM) / "log", "ab") as log:
        net.running[VICTIM] = subprocess.Popen([NETWORK, "failing", net.of(VICTIM), *map(str, how)], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    return how


def run(study, phases, faults):
    met = []
    with Peers(study, noise=1, files={"all.csv": lambda path: write_rows(path, 60, CHANCE)}) as net:
        for one in range(net.count):
            if phases > 1:
                write_rows(net.of(one) / "values.csv", 10, CHANCE)
            net.settle(one, transcript="transcript")
        for one in range(net.count):
            if one != VICTIM:
                net.start(one)
        how = start_on_failing_disk(net)
        while any(process.poll() is None for process in net.running.values()):
            time.sleep(0.01)
            code = net.running[VICTIM].poll()
            if code is None or code == 0:
                continue
            assert code in (2, 3), (how, code, net.log(VICTIM)[-800:])
            assert "ledger.db" in net.log(VICTIM).splitlines()[-1], (how, net.log(VICTIM)[-800:])
            met.append(code)
            if len(met) < faults:
                how = start_on_failing_disk(net)
            else:
                net.start(VICTIM)
        net.wait()
        judge(net, study, phases)
    return len(met)


done = runs = 0
while done < WANTED:
    done += run(*STUDIES[runs % len(STUDIES)], max(1, min(WANTED - done, -(-WANTED // len(STUDIES)))))
    runs += 1
print(f"{done} faults of a disk that ended a peer, in {runs} studies: 0 double spends, 0 lost contributions, 0 frames that differ")

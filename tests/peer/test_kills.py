#!/usr/bin/python3
"""Peers are killed (SIGKILL) at any moment of a study with real noise, and started again: a mean, and learning by phases.
Whatever happens: each spends every reservation once, no frame of a round is ever sent with other bytes, all contributions
are in the results, and ledgers are whole. NETDP_KILLS kills, 30 unless told: docs/peer.md has the command for ten
thousand."""
import os
import random
import time

from ended import STUDIES, judge, write_rows
from peers import Peers


def run(study, phases, kills, chance):
    """`study` with one number a message, or a learner of two."""
    done = 0
    with Peers(study, noise=1, files={"all.csv": lambda path: write_rows(path, 60, chance)}) as net:
        for one in range(net.count):
            if phases > 1:
                write_rows(net.of(one) / "values.csv", 10, chance)
            net.settle(one, transcript="transcript")
            net.start(one)
        while any(process.poll() is None for process in net.running.values()):
            time.sleep(chance.uniform(0.005, 0.15))
            if done < kills:
                one = chance.randrange(net.count)
                net.running[one].kill()
                killed = net.running[one].wait() == -9
                done += killed
                net.start(one)
        net.wait()
        judge(net, study, phases)
    return done


wanted, done, runs = int(os.environ.get("NETDP_KILLS", "30")), 0, 0
chance = random.Random(int(os.environ.get("NETDP_KILLS_SEED", "1")))
each = min(15, -(-wanted // len(STUDIES)))  # every study has its kills
while done < wanted:
    done += run(*STUDIES[runs % len(STUDIES)], min(each, wanted - done), chance)
    runs += 1
print(f"{done} kills in {runs} studies: 0 double spends, 0 lost contributions, 0 frames that differ")

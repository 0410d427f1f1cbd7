#!/usr/bin/python3
"""What starting costs: CPU time (user and system) of whole processes, the mean of many.

    bench/start.py NETDP [OTHER] [--runs N]     OTHER: another build's netdp, by turns with the first
"""
import argparse
import os
import resource
import subprocess

COMMANDS = {"netdp version": ["version"],
            "netdp loss --family davis --rounds 20 --noise 2": ["loss", "--family", "davis", "--rounds", "20", "--noise", "2"]}


def spent():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("netdp", nargs="+")
    parser.add_argument("--runs", type=int, default=100)
    asked = parser.parse_args()
    for name, words in COMMANDS.items():
        total = dict.fromkeys(asked.netdp, 0.0)
        for _ in range(asked.runs):
            for netdp in asked.netdp:
                before = spent()
                subprocess.run([os.path.realpath(netdp), *words], check=True, stdout=subprocess.DEVNULL)
                total[netdp] += spent() - before
        print(name + ": " + ", ".join(f"{1000 * seconds / asked.runs:.1f} ms" for seconds in total.values()))


main()

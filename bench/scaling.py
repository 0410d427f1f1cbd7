#!/usr/bin/python3
"""How the accounts grow: with nodes, rounds, degree, observers and a walk's steps.

bench/scaling.py [--build DIR]: writes bench/scaling.csv and docs/pictures/scaling.svg. Each point is the least
processor time of three commands netdp loss, less that of the same command on the same graph with one round.
"""
import argparse
import csv
import pathlib
import resource
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
AVERAGING = ["--protocol", "averaging", "--dither", "0.01"]
CURVES = {
    "nodes": [1000, 2000, 5000, 10000, 20000, 50000],
    "rounds": [10, 20, 50, 100, 200],
    "degree": [4, 8, 16, 32],
    "observers": [1, 2, 4, 8],
    "steps": [1000, 3000, 10000, 30000],
}
PLOT = """set terminal svg size 900,300 dynamic font 'sans,11'
set output 'docs/pictures/scaling.svg'
set datafile separator ','
set logscale xy
set grid
set key off
set format xy '10^{%L}'
set multiplot layout 1,5
set ylabel 'processor time, s'
"""


def command(curve, x):
    """The account, and the same with next to no work."""
    nodes = x if curve == "nodes" else 2000
    degree = x if curve == "degree" else 8
    family = ["--family", f"regular {nodes} {degree}"]
    if curve == "steps":
        return family + ["--protocol", "walk", "--noise", "6", "--from", "1,500,999,1500,1999", "--to", "0"], x
    observers = "set:" + ",".join(str(v) for v in range(x)) if curve == "observers" else "0"
    return family + AVERAGING + ["--to", observers], x if curve == "rounds" else 50


def spent(netdp, words, rounds):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([netdp, "loss", *words, "--rounds", str(rounds), "--json"], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    netdp = parser.parse_args().build.resolve() / "netdp"
    with open(ROOT / "bench" / "scaling.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["curve", "x", "seconds"])
        for curve, points in CURVES.items():
            for x in points:
                words, rounds = command(curve, x)
                least = min(spent(netdp, words, rounds) for _ in range(2))
                idle = min(spent(netdp, words, 1) for _ in range(2))
                table.writerow([curve, x, f"{max(least - idle, 1e-3):.4g}"])
                file.flush()
    script = PLOT + "".join(
        f"set title '{curve}'\nplot '< grep ^{curve}, bench/scaling.csv' using 2:3 with linespoints pt 7 lw 2\n"
        + "unset ylabel\n" for curve in CURVES)
    subprocess.run(["gnuplot"], input=script, text=True, check=True, cwd=ROOT)


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""What a user would try and wait for: processor seconds and memory of whole commands, by name.

    bench/worst.py NETDP [OTHER] [--only WORD] [--write]     OTHER: another build's netdp, after the first

--write: the first to bench/worst.csv and docs/pictures/worst.svg. OPENBLAS_CORETYPE is left as it is; `netdp version` tells
the kernels.
"""
import argparse
import csv
import os
import pathlib
import resource
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 10  # seconds: what takes more is ended, and drawn there
PLOT = """set terminal svg size 900,620 dynamic font 'sans,11'
set output 'docs/pictures/worst.svg'
set datafile separator ','
set logscale x
set grid x
set key off
set xlabel 'processor time of the whole command, s'
set xrange [0.01:*]
set yrange [*:*] reverse
set offsets 0, 0, 0.5, 0.5
set lmargin 44
set arrow from 0.5, graph 0 to 0.5, graph 1 nohead dashtype 2
plot 'bench/worst.csv' every ::1 using 2:0:ytic(1) with points pt 7, \
  '' every ::1 using (0.01):0:($2-0.01):(0) with vectors nohead lw 2 lc 1
"""
STAR, ALL, LITTLE = '"star 10001" --to 0', "--rounds 20 --noise 2", "--dither 0.001 "
SETTINGS = {
    "star 10001, its hub, dither 0.001": f"{STAR} {ALL} {LITTLE}",
    "star 10001, its hub, pairs": f"{STAR} {ALL} --pair-graph edges --pair-noise 3",
    "star 10001, its hub, stream": f"{STAR} {ALL} --protocol stream",
    "star 10001, its hub, muffliato-sgd": f"{STAR} {ALL} --protocol muffliato-sgd --inner 5",
    "star 10001, all observers": f'"star 10001" {ALL}',
    "star 10001, a leaf, dither 0.00005": f'"star 10001" --to 1 {ALL} --dither 0.00005',
    "complete 1000, pairs": f'"complete 1000" --to 0 {ALL} --pair-graph edges --pair-noise 3',
    "complete 1000, phases": f'"complete 1000" --to 0 {ALL} --protocol muffliato-sgd --inner 5',
    "complete 1000, dropout": f'"complete 1000" --to 0 {ALL} --dropout 0.1',
    "complete 3000, pairs": f'"complete 3000" --to 0 {ALL} --pair-graph edges --pair-noise 3',
    "complete 3000, phases": f'"complete 3000" --to 0 {ALL} --protocol muffliato-sgd --inner 5',
    "complete 3000, dropout": f'"complete 3000" --to 0 {ALL} --dropout 0.1',
    "bipartite 1000, dither 0.001": f"BIPARTITE --to 0 {ALL} {LITTLE}",
    "all but five of 1000, dither 0.001": f"NEARLY --to 0 {ALL} {LITTLE}",
    "wheel 1000, on the rim, dither 0.001": f"WHEEL --to 1 {ALL} {LITTLE}",
    "wheel 1000, its hub, dither 0.001": f"WHEEL --to 0 {ALL} {LITTLE}",
    "regular 10000 8, 100 rounds, dither 0.01": '"regular 10000 8" --to 0 --rounds 100 --noise 2',
    "regular 10000 8, 100 rounds, dither 0.00005": '"regular 10000 8" --to 0 --rounds 100 --noise 2 --dither 0.00005',
    "regular 10000 8, certified, dither 0.0001": '"regular 10000 8" --to 0 --rounds 50 --noise 2 --dither 0.0001 --certify yes',
    "regular 2000 8, dither 0.0001": '"regular 2000 8" --to 0 --rounds 50 --noise 2 --dither 0.0001',
    "erdos-renyi 600 0.05, dither 0.01": f'"erdos-renyi 600 0.05" --to 0 {ALL}',
    "erdos-renyi 600 0.05, dither 0.001": f'"erdos-renyi 600 0.05" --to 0 {ALL} {LITTLE}',
    "erdos-renyi 600 0.05, dither 0.000001": f'"erdos-renyi 600 0.05" --to 0 {ALL} --dither 0.000001',
    "erdos-renyi 600 0.05, dropout": f'"erdos-renyi 600 0.05" --to 0 {ALL} --dropout 0.1',
    "erdos-renyi 600 0.05, phases": f'"erdos-renyi 600 0.05" --to 0 {ALL} --protocol muffliato-sgd --inner 5',
    "erdos-renyi 600 0.05, accelerated": f'"erdos-renyi 600 0.05" --to 0 {ALL} --accelerate',
    "barabasi-albert 2000 5, its hub, pairs": f'"barabasi-albert 2000 5" --to 0 --from 7,500 {ALL} --pair-graph edges --pair-noise 3',
    "stream, regular 271 8, 320 rounds": '"regular 271 8" --to 0 --rounds 320 --noise 2 --protocol stream',
    "stream, regular 60 4, 300 rounds": '"regular 60 4" --rounds 300 --noise 2 --protocol stream',
    "walk, geometric 90": '"geometric 90 0.2" --rounds 500 --noise 6 --protocol walk --as dp:1e-6',
    "walk, regular 60 4": '"regular 60 4" --rounds 1000 --noise 6 --protocol walk --as dp:1e-6',
    "davis, all pairs": f'"davis" {ALL}',
}


def graph(name, room):
    """Two halves of 500 nodes; 1,000 nodes of which the first misses five; a wheel."""
    edges = {"BIPARTITE": ((u, 500 + v) for u in range(500) for v in range(500)),
             "NEARLY": ((u, v) for u in range(1000) for v in range(u + 1, 1000) if u > 0 or v < 995),
             "WHEEL": (e for v in range(1, 1000) for e in ((0, v), (v, v % 999 + 1)))}[name]
    path = pathlib.Path(room, name)
    path.write_text("".join(f"{u} {v}\n" for u, v in edges), encoding="utf-8")
    return path


def words_of(setting, room):
    first, rest = (setting[1:].split('"', 1) if setting[0] == '"' else setting.split(" ", 1))
    source = ["--family", first] if setting[0] == '"' else ["--graph", str(graph(first, room))]
    return ["loss", *source, *rest.split()]


def spent(netdp, words):
    """(seconds of the processor, or None for more than LIMIT; MB) of one run."""
    with subprocess.Popen([netdp, *words], stdout=subprocess.DEVNULL,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 1))) as child:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if not os.WIFSIGNALED(status) and child.returncode != 0:
        raise SystemExit(f"netdp {' '.join(words)} ends with {child.returncode}")
    return (used.ru_utime + used.ru_stime if child.returncode == 0 else None), used.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("netdp", nargs="+")
    parser.add_argument("--only", default="")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    if asked.write and asked.only:
        parser.error("--write is of all settings; leave out --only")
    rows = []
    with tempfile.TemporaryDirectory() as room:
        for name, setting in SETTINGS.items():
            if asked.only not in name:
                continue
            seen = [spent(os.path.realpath(netdp), words_of(setting, room)) for netdp in asked.netdp]
            rows.append([name, f"{seen[0][0] or LIMIT:.3g}", f"{seen[0][1]:.0f}", "" if seen[0][0] else "more"])
            print(f"{name:45}", *(f"more than {LIMIT} s" if s is None else f"{s:8.3f} s {mb:6.0f} MB" for s, mb in seen), flush=True)
    if asked.write:
        with open(ROOT / "bench" / "worst.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([["setting", "seconds", "megabytes", "not to its end"], *rows])
        subprocess.run(["gnuplot"], input=PLOT, text=True, check=True, cwd=ROOT)


if __name__ == "__main__":
    main()

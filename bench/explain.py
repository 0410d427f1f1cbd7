#!/usr/bin/python3
"""What `netdp loss --explain` foresees of whole commands, beside what they take: processor seconds and memory.

    bench/explain.py NETDP [--only WORD] [--json FILE]

Every setting is asked about, then run once. A row tells both as foreseen over seen; the last line counts how many of them are
within a factor of 2. --json: all of it, with the kernels of `netdp version`. OPENBLAS_CORETYPE is left as it is.
"""
import argparse
import json
import os
import resource
import subprocess

LIMIT = 20  # seconds: what takes more is ended, and counts as foreseen where more was
FACTOR = 2
COMMON = "--rounds 20 --noise 2"
SETTINGS = {
    "averaging, davis, all": f"'davis' {COMMON}",
    "averaging, regular 2000 8, one observer": f"'regular 2000 8' --to 0 --rounds 50 --noise 2",
    "averaging, regular 100000 8, one observer": f"'regular 100000 8' --to 0 --rounds 50 --noise 2",
    "averaging, erdos-renyi 300 0.1, all": f"'erdos-renyi 300 0.1' {COMMON}",
    "averaging, barabasi-albert 600 4, all": f"'barabasi-albert 600 4' {COMMON}",
    "averaging, star 3001, all": f"'star 3001' {COMMON}",
    "averaging, small dither, regular 600 8": f"'regular 600 8' --to 0 --rounds 30 --noise 2 --dither 0.001",
    "averaging, dither 1e-6, erdos-renyi 400 0.05": f"'erdos-renyi 400 0.05' --to 0 {COMMON} --dither 0.000001",
    "averaging, accelerated, erdos-renyi 600 0.05": f"'erdos-renyi 600 0.05' --to 0 {COMMON} --accelerate",
    "averaging, sums, geometric 100 0.2, all": f"'geometric 100 0.2' {COMMON} --sees sum",
    "averaging, pairs, erdos-renyi 300 0.05": f"'erdos-renyi 300 0.05' --to 0 {COMMON} --pair-graph edges --pair-noise 3",
    "averaging, one source, barabasi-albert 20000 5": f"'barabasi-albert 20000 5' --to 0 --from 77 {COMMON}",
    "averaging, everything, regular 3000 8, all": f"'regular 3000 8' {COMMON} --bound everything",
    "averaging, published, hypercube 10, all": f"'hypercube 10' {COMMON} --bound published",
    "coalition of 3, regular 2000 8": f"'regular 2000 8' --to set:0,1,2 --rounds 50 --noise 2",
    "coalition of 20, regular 3000 8": f"'regular 3000 8' --to set:{','.join(map(str, range(20)))} --rounds 30 --noise 2",
    "phases, erdos-renyi 300 0.05": f"'erdos-renyi 300 0.05' --to 0 --rounds 20 --noise 2 --protocol muffliato-sgd --inner 5",
    "phases, davis, all": f"'davis' --rounds 20 --noise 2 --protocol muffliato-sgd --inner 5",
    "dropout, erdos-renyi 200 0.1, one observer": f"'erdos-renyi 200 0.1' --to 0 {COMMON} --dropout 0.1",
    "dropout, davis, all": f"'davis' {COMMON} --dropout 0.1",
    "random averaging, ring 60, all": "'ring 60' --protocol random-averaging --rounds 200 --noise 2",
    "stream, regular 60 4, one observer": "'regular 60 4' --to 0 --rounds 300 --noise 2 --protocol stream",
    "stream, davis, all": "'davis' --rounds 100 --noise 2 --protocol stream",
    "stream, regular 271 8, one observer": "'regular 271 8' --to 0 --rounds 320 --noise 2 --protocol stream",
    "walk, regular 60 4, one observer": "'regular 60 4' --to 0 --rounds 1000 --noise 6 --protocol walk --as dp:1e-6",
    "walk, geometric 90, all": "'geometric 90 0.2' --rounds 500 --noise 6 --protocol walk",
    "walk, regular 10000 8, one observer": "'regular 10000 8' --to 0 --from 5 --rounds 10000 --noise 6 --protocol walk",
    "walk, capped, hypercube 7, all": "'hypercube 7' --rounds 500 --noise 6 --cap 10 --protocol walk --as dp:1e-6",
    "tally, sum": "'ring 60' --rounds 20000 --noise 2 --protocol ring-sum --as dp:1e-6",
    "tally, histogram": "'complete 60' --rounds 6000 --protocol complete-histogram --flip 0.5 --as dp:1e-6",
}


def words_of(setting):
    family, rest = setting[1:].split("'", 1)
    return ["loss", "--family", family, *rest.split()]


def run(netdp, words, out=subprocess.DEVNULL):
    """(seconds of the processor, or None for more than LIMIT; MB; output) of one run."""
    with subprocess.Popen([netdp, *words], stdout=out, stderr=subprocess.PIPE, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 1))) as child:
        text = child.stdout.read() if child.stdout else ""
        said = child.stderr.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    ended = os.WIFSIGNALED(status) or child.returncode == 130
    if not ended and child.returncode != 0:
        text = None
        if out is None or out == subprocess.DEVNULL:
            raise SystemExit(f"netdp {' '.join(words)} ends with {child.returncode}: {said}")
    return (None if ended else used.ru_utime + used.ru_stime), used.ru_maxrss / 1024, text


def foreseen(netdp, words):
    """(seconds, MB) by --explain; (None, None) where it does not say."""
    text = run(netdp, [*words, "--explain", "--json"], subprocess.PIPE)[2]
    told = json.loads(text) if text else {}
    if "seconds" in told:
        return told["seconds"], told["bytes"] / 1e6
    ways = [way for way in told.get("ways", []) if way["method"] == told["method"]]
    return (float(ways[0]["seconds"]) * told["observers"], float(ways[0]["bytes"]) / 1e6) if ways else (None, None)


def agrees(told, seen):
    """Within the factor; of what was ended it is not known by how much more."""
    if told is None:
        return False
    if seen is None:
        return told >= LIMIT / FACTOR
    return seen / FACTOR <= told <= seen * FACTOR


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("netdp")
    parser.add_argument("--only", default="")
    parser.add_argument("--json")
    asked = parser.parse_args()
    netdp, rows, within = os.path.realpath(asked.netdp), [], [0, 0]
    for name, setting in SETTINGS.items():
        if asked.only not in name:
            continue
        words = words_of(setting)
        told, told_mb = foreseen(netdp, words)
        seen, seen_mb, _ = run(netdp, words)
        right = [agrees(told, seen), agrees(told_mb, seen_mb)]
        within = [a + b for a, b in zip(within, right)]
        rows.append({"setting": name, "foreseen": told, "seconds": seen, "foreseen MB": told_mb, "MB": seen_mb, "within": right})
        show = lambda x: "       -" if x is None else f"{x:8.3f}" if x < 1e4 else f"{x:8.2g}"
        print(f"{name:48} {show(told)} foreseen {show(seen)} s {'  ' if right[0] else '! '}"
              f"{show(told_mb)} foreseen {show(seen_mb)} MB {'' if right[1] else '!'}", flush=True)
    print(f"within a factor of {FACTOR}: seconds {within[0]}, memory {within[1]} of {len(rows)}")
    if asked.json:
        kernels = subprocess.run([netdp, "version", "--json"], capture_output=True, text=True, check=False).stdout
        with open(asked.json, "w", encoding="utf-8") as file:
            json.dump({"version": json.loads(kernels or "null"), "factor": FACTOR, "limit": LIMIT, "rows": rows}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""netdp --engine mpi on RANKS processes says what netdp alone says.

    test_engine.py RANKS ENDS     ENDS: the program of test_ends.c
    test_engine.py                built without the engine: skipped, but for its refusal
"""
import json
import math
import os
import shlex
import subprocess
import sys
import tempfile

COMMAND = os.environ["NETDP_COMMAND"]
# Open MPI refuses root and more processes than cores unless told; it and PETSc leave memory behind.
ENV = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMP_NUM_THREADS": "1", "OMPI_MCA_mpi_yield_when_idle": "1",  # more processes than processors
       "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}

# Each is accounted for by both; symmetric graphs have eigenvalues of many copies.
SAME = [
    'loss --family "hypercube 6" --rounds 12 --to 0',
    'loss --family "hypercube 6" --rounds 5 --dither 0 --sees sum --to 0',
    'loss --family "ring 24" --rounds 14 --to 3 --sees sum --dither 0.001',
    'loss --family "ring 24" --rounds 9 --dither 0 --to 3',
    'loss --family "regular 60 4" --rounds 12 --sees sum --own-noise counts --to 7',
    'loss --family "regular 60 4" --rounds 4 --dither 0 --to 7',
    'loss --family davis --rounds auto --noise 2 --as dp:1e-6 --to set:3,E5',
    'loss --family "grid 4 5" --protocol stream --rounds 30 --to 3',
    'loss --family "grid 4 5" --mixing lazy:0.5 --protocol muffliato-sgd --inner 6 --rounds 12 --to 3',
    'loss --family florentine --mixing lazy:0.5 --protocol walk --rounds 60 --noise 3 --to Medici',
    'loss --family "complete 3" --rounds 2 --to 1',
    'loss --family davis --rounds 9 --pair-graph edges --pair-noise 10 --to 3',
    'loss --family "hypercube 6" --rounds 9 --pair-graph "regular 10" --pair-noise 30 --sees everything --to 0',
    'loss --family "ring 24" --rounds 9 --dropout 0.2 --pair-graph edges --pair-noise 3 --to set:3,4',
    'loss --family "grid 4 5" --protocol muffliato-sgd --inner 3 --rounds 24 --cycle 2 --quiet optimal --to 3',
    # by what is heard, among few nodes and many, of all and of some, by one observer and by a coalition that is spread
    'loss --family "barabasi-albert 900 2" --rounds 8 --dither 0.3 --to 7',
    'loss --family "regular 5000 3" --rounds 9 --dither 0.1 --to set:3,4999',
    'loss --family "regular 5000 3" --rounds 1 --to 3 --from 0,4999',
    # above 4,000 nodes: phases, and averaging that gives its states away, on a Krylov space
    'loss --family "hypercube 12" --mixing lazy:0.5 --protocol muffliato-sgd --inner 12 --rounds 24 '
    '--dither 0.3 --end-dither 1 --to 3 --from 1,2,4092',
    'loss --family "hypercube 12" --mixing lazy:0.5 --rounds 3000 --bound upper --dither 0.5 --to 3 '
    '--from 1,2,4095',
]


# These are proven by what is heard, shared or not.
CERTIFIED = [
    'loss --family "regular 5000 3" --rounds 9 --dither 0.1 --to 3',
    'loss --family "regular 4200 3" --rounds 9 --dither 0.5 --to set:3,4100 --from 0,17,2100,4199',
]

CALIBRATED = [
    'calibrate --family "hypercube 6" --rounds auto --target 1 --as dp:1e-6 --over mean --to 5',
    'calibrate --family "ring 24" --rounds 9 --dither auto --target 2 --as dp:1e-6 --to 3',
]


def ours(text):
    """What netdp or PETSc says; what MPI finds missing on a machine (a container without /sys) is not."""
    return "".join(f"{line}\n" for line in text.splitlines() if line.startswith("netdp") or "PETSC" in line)


def run(text, ranks=0, folder=None):
    launch = ["mpirun", "-q", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)] if ranks else []
    done = subprocess.run([*launch, COMMAND, *shlex.split(text)], env=ENV, cwd=folder,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=1800, text=True)
    return done.returncode, done.stdout, ours(done.stderr)


def number(value):
    return math.inf if value == "inf" else value


def differ(got, want, where=""):
    """Where two JSON values differ by more than 1e-9, or None."""
    if isinstance(want, dict):
        pairs = [(f"{where}.{key}", got[key], want[key]) for key in want]
        return got.keys() != want.keys() and where or next(filter(None, (differ(g, w, at) for at, g, w in pairs)), None)
    if isinstance(want, list):
        return len(got) != len(want) and where or next(
            filter(None, (differ(g, w, f"{where}[{i}]") for i, (g, w) in enumerate(zip(got, want)))), None)
    got, want = number(got), number(want)
    if isinstance(want, float) or isinstance(got, float):
        return None if got == want or abs(got - want) <= 1e-9 * max(1, abs(want)) else f"{where}: {got} and {want}"
    return None if got == want else f"{where}: {got} and {want}"


def without_ties(answer):
    """The worst of pairs that are alike is any of them."""
    del answer["achieved" if "achieved" in answer else "summary"]["worst"]


def check_same(ranks):
    for text in SAME:
        check_one(text + " --json --full", ranks)


def check_one(text, ranks, folder=None):
    alone, shared = run(text, 0, folder), run(text + " --engine mpi", ranks, folder)
    assert alone[0] == 0 and shared[0] == 0, f"{text}: {alone[2]} {shared[2]}"
    assert shared[2] == "", f"{text}: {shared[2]}"
    answers = [json.loads(got[1]) for got in (shared, alone)]
    for answer in answers:
        without_ties(answer)
        # What is left of pairwise noise is found by one process alone.
        answer.get("protocol", {}).get("pairs", {}).pop("left", None)
    found = differ(*answers)
    assert found is None, f"{text}: {found}"
    return answers[0]


def check_certified(ranks):
    for text in CERTIFIED:
        assert check_one(text + " --json --full", ranks)["certified"], text


def check_calibrated(ranks):
    for text in CALIBRATED:
        check_one(text + " --json", ranks)


def check_file(ranks):
    """What a file holds beside its edges, names and weights, is there in every process."""
    names = ["ant", "bee", "cow", "3", "eel", "fox"]
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "net"), "w", encoding="utf-8") as file:
            for i, name in enumerate(names):
                file.write(f"{name} {names[(i + 1) % 6]} 0.25\n")
        with open(os.path.join(folder, "bare"), "w", encoding="utf-8") as file:
            file.write("".join(f"{name} {names[(i + 1) % 6]}\n" for i, name in enumerate(names)))
        for text in ('loss --graph net --mixing file --rounds 5 --to cow --from ant,3 --json --full',
                     'loss --graph bare --mixing lazy:0.5 --protocol walk --rounds 30 --noise 3 --to fox --from ant --json --full'):
            answer = check_one(text, ranks, folder)
            assert answer["losses"][0]["from_name"] == "ant", answer


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        head, *rows = file.read().splitlines()
    return head, [[float(value) for value in row.split(",")] for row in rows]


def check_rows(ranks):
    """Every process writes its part of the CSV: one file, its rows in order, nothing beside it."""
    for text in ('loss --family florentine --rounds 6 --noise 2 --as rdp:2',
                 'loss --family "ring 30" --rounds 9 --to 4',
                 'loss --family "ring 5" --mixing lazy:0.5 --protocol walk --rounds 9 --noise 3'):
        with tempfile.TemporaryDirectory() as folder:
            alone = run(text + " --csv alone.csv --npy alone.npy", folder=folder)
            shared = run(text + " --csv shared.csv --npy shared.npy --engine mpi", ranks, folder)
            assert alone[0] == 0 and shared[0] == 0, f"{text}: {alone[2]} {shared[2]}"
            names = sorted(os.listdir(folder))
            assert names == ["alone.csv", "alone.npy", "shared.csv", "shared.npy"], names
            want, got = rows_of(os.path.join(folder, "alone.csv")), rows_of(os.path.join(folder, "shared.csv"))
        assert got[0] == want[0] and len(want[1]) > 0, (got[0], want[0])
        found = differ(got[1], want[1])
        assert found is None, f"{text}: {found}"


def check_spectrum(ranks):
    for family in '"hypercube 6" --mixing lazy:0.3', '"hypercube 13" --mixing lazy:0.3', '"regular 4001 8"', '"path 9"', '"ring 64" --mixing hamilton':
        text = f"graph info --json --family {family}"
        alone, shared = run(text), run(text + " --engine mpi", ranks)
        assert alone[0] == 0 and shared[0] == 0, f"{text}: {alone[2]} {shared[2]}"
        found = differ(json.loads(shared[1]), json.loads(alone[1]))
        assert found is None, f"{text}: {found}"


def check_refusals(ranks):
    """One line, by one process. mpirun takes a second over each, so not all go through it."""
    ring = 'loss --family "ring 8" --rounds 3 --engine mpi'
    for count, text, code, says in [
            (ranks, ring + " --sees nothing", 2, "sees: 'nothing'"),
            (ranks, 'loss --graph nowhere.edges --rounds 3 --engine mpi', 3, "nowhere.edges"),
            (ranks, ring + " --csv nowhere/x.csv", 3, "nowhere/x.csv"),
            (ranks, ring + " --npy nowhere/x.npy --csv /dev/null", 3, "nowhere/x.npy"),
            (ranks, ring + " --csv /dev/full", 3, "/dev/full"),
            (0, ring + " --draws 5 --as rdp:2 --noise 1", 2, "--draws: works in one process"),
            (0, 'calibrate --family "ring 8" --mixing lazy:0.5 --protocol walk --rounds 3 --target 1 --as rdp:2 --engine mpi', 2,
             "one process"),
            (0, 'loss --family "ring 8" --protocol ring-sum --rounds 1 --noise 1 --engine mpi', 2, "ring-sum"),
            (0, "convert gdp:1 --to dp:1e-5 --engine mpi", 2, "--engine")]:
        got, out, err = run(text, count)
        assert got == code, f"{text}: exit code {got}, want {code}: {err}"
        assert out == "" and len(err.splitlines()) == 1 and err.startswith("netdp"), f"{text}: {out!r} {err!r}"
        assert says in err, f"{text}: {err}"


def check_petsc_settings(ranks):
    """Nobody's settings for PETSc reach it."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ".petscrc", "petscrc":
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write("-log_view\n-help\n")
        ENV["PETSC_OPTIONS"] = "-log_view -help"
        got = run('graph info --family "ring 70" --json --engine mpi', ranks, folder)
        del ENV["PETSC_OPTIONS"]
    assert got[0] == 0 and got[2] == "" and json.loads(got[1])["nodes"] == 70, got


def check_different_options(ranks):
    """Processes that are to read different files are told so."""
    with tempfile.TemporaryDirectory() as folder:
        for name, edges in ("a", "0 1\n1 2\n2 0\n"), ("b", "0 1\n1 2\n2 0\n2 3\n3 1\n"):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(edges)
        part = [COMMAND, "loss", "--rounds", "3", "--engine", "mpi", "--graph"]
        done = subprocess.run(["mpirun", "-q", "--oversubscribe", "--bind-to", "none", "-n", "1", *part, "a", ":", "-n",
                               str(ranks - 1), *part, "b"], env=ENV, cwd=folder, timeout=1800, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 2 and done.stdout == "", done
    assert len(ours(done.stderr).splitlines()) == 1 and "different options" in done.stderr, done


def check_ends(ranks):
    done = subprocess.run(["mpirun", "-q", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), sys.argv[2]], env=ENV,
                          timeout=1800, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout


def check_refused_without():
    code, out, err = run('loss --family "ring 8" --rounds 3 --engine mpi')
    assert code == 2 and out == "" and len(err.splitlines()) == 1 and "built without" in err, (code, out, err)


if len(sys.argv) == 1:
    check_refused_without()
    sys.exit(77)
# Starting processes is what takes time: what does not depend on their number is checked once.
RANKS = int(sys.argv[1])
CHECKS = {1: [check_ends, check_certified, check_rows],
          2: [check_ends, check_same, check_certified, check_calibrated, check_file, check_rows, check_spectrum,
              check_refusals, check_petsc_settings, check_different_options],
          3: [check_ends, check_same, check_certified, check_calibrated, check_file, check_rows,
              check_different_options]}
for check in CHECKS[RANKS]:
    check(RANKS)

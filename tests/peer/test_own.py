#!/usr/bin/python3
"""A model of one's own: each peer's program gives the gradients (docs/own-model.md). With those of ridge regression, from the
programs of examples/own-model in Python and in C, and the simulator's draws, the models are those of the built-in ridge to the
last bit, also where peers are killed. What a program says is clipped here, row by row; what is NaN, of another length, not asked for, or not there,
because the program died or was taken away, counts as 0, and the study goes on."""
import json
import math
import os
import pathlib
import random
import subprocess
import time

from own_models import STEP as STEP_PY, owned, take_part
from peers import NETDP, NETWORK, Peers

STEP_C = pathlib.Path(os.environ["NETDP_STEP"])
RIDGE = """title: A model of one's own
seed: 3
graph: {family: %(graph)s}
mixing: {weights: metropolis}
data: {synthetic: linear-model 4 variance=0.5 noise=0.1 rows=10, split: 0.8}
task: {kind: ridge, clip: 50, step: 0.1, l2: %(l2)g}
protocol: {kind: %(protocol)s, rounds: %(rounds)s}
privacy: {epsilon: 50, delta: 1e-6, over: worst%(more)s, pair_graph: edges, pair_noise: 4}
"""
CASES = [{"graph": "ring 6", "l2": 0.1, "protocol": "muffliato-sgd", "rounds": "25, inner: 5, accelerate: true",
          "more": ", dither: 0.05, end_dither: 0.1"},
         {"graph": "complete 3", "l2": 0, "protocol": "gossip-sgd", "rounds": "30", "more": ""}]


def own(net, one, study, rows, program):
    """That peer's part, of these rows."""
    header = ",".join(f"x{j}" for j in range(rows[0].count(","))) + ",y"
    take_part(net, one, study, "\n".join([header, *rows]) + "\n", program)


def wait_for_programs(net):
    """They end with their peer, however that did."""
    left = [True]
    while left:
        left = []
        for place in pathlib.Path("/proc").glob("[0-9]*/cwd"):
            try:
                left += [place] * place.resolve().is_relative_to(net.folder.resolve())
            except OSError:  # it ended meanwhile, or is somebody else's
                pass
        time.sleep(0.02)


KILLS = random.Random(8)
for case in CASES:  # so little noise that no row is clipped: the built-in ridge clips a row's slope, which rounds otherwise
    with Peers(RIDGE % case, noise=1e-3, seed=11) as net:
        lines = subprocess.run([NETWORK, "rows", net.study], check=True, capture_output=True, text=True).stdout.splitlines()
        for one in range(net.count):
            mine = [line.partition(",")[2] for line in lines if line.startswith(f"{one},")]
            own(net, one, owned(RIDGE % case, 4), mine, STEP_C if one % 2 else STEP_PY)
            net.start(one)
        for _ in range(4):  # killed, and started again with a program that remembers nothing
            time.sleep(KILLS.uniform(0.02, 0.2))
            one = KILLS.randrange(net.count)
            net.running[one].kill()
            net.running[one].wait()
            net.start(one)
        net.wait()
        wait_for_programs(net)
        states, expected = net.states(), net.expected()
        assert states == expected, (case, [(a, b) for a, b in zip(states, expected) if a != b][:2])
        assert max(map(abs, states[0])) > 0.01

# Real noise, next to none of it, and rows far longer than the clip; member 0's program has every fault in turn, and nobody waits.
FILES = """title: Programs with faults
seed: 3
graph: {family: complete 3}
mixing: {weights: metropolis}
task: {kind: own, parameters: 2, clip: 0.3, step: 0.5, l2: 0.05}
protocol: {kind: gossip-sgd, rounds: 12}
privacy: {epsilon: 50, delta: 1e-6, over: worst, pair_graph: edges, pair_noise: 4}
"""
FAULTS = {1: "print(phase, '3.25 nan', flush=True)", 2: "print(phase, '3.25 1 1', flush=True)", 3: "print(phase, '3.25 1\\n3.25', flush=True)",
          4: "os.kill(os.getpid(), 9)", 5: "print(phase, '3.25 nan 4 3', flush=True)"}
SAID = {1: [[0, 0]], 3: [[3.25, 1]], 5: [[0, 0], [4, 3]]}  # what counts: rows that are finite, of a whole number of gradients
MEND = STEP_PY.read_text().replace("import sys\n", "import os, sys\n")
CHANCE = random.Random(4)
ROWS = [[[CHANCE.gauss(0, 3), CHANCE.gauss(1, 3), CHANCE.gauss(0, 2)] for _ in range(5)] for _ in range(3)]


def gradient(rows, model, said=None):
    """The mean of clipped rows, or what was said in their place."""
    total = [0.0, 0.0]
    given = [[(sum(a * b for a, b in zip(x, model)) - y) * a for a in x] for *x, y in rows] if said is None else said
    for row in given:
        shrink = min(1, 0.3 / max(math.hypot(*row), 1e-300))
        total = [a + shrink * b / len(given) for a, b in zip(total, row)]
    return [a + 0.05 * b for a, b in zip(total, model)]


BASE = FILES.replace("kind: own, parameters: 2", "kind: ridge").replace(
    "task:", "data: {synthetic: linear-model 2, split: 0.8}\ntask:")
with Peers(BASE, noise=1e-5) as net:
    for one in range(net.count):
        own(net, one, FILES, [",".join(map(repr, row)) for row in ROWS[one]], STEP_PY)
    step = net.of(0) / "step"
    faults = "".join(f"    if phase == '{phase}':\n        {fault}\n        continue\n" for phase, fault in FAULTS.items())
    step.write_text(MEND.replace("    gradients = []", faults + "    gradients = []"))
    for one in range(3):
        net.start(one)
    while net.log(0).count("event=contributed") < 8:  # killed, and its program is gone: zeros from then on
        time.sleep(0.02)
    net.running[0].kill()
    net.running[0].wait()
    step.rename(net.of(0) / "gone")
    net.start(0)
    net.wait()
    wait_for_programs(net)
    assert "3.25" not in net.log(0)
    record = [{int(line[5:16]): line[16:].strip() for line in (net.of(one) / "step-phases.txt").read_text().splitlines()[1:]} for one in range(3)]
    assert [record[0][phase] for phase in FAULTS] == ["not finite", "no answer", "answered", "ended", "not finite"] or "late" in record[0].values(), record[0]
    assert record[0][11] == "ended", record[0]
    models = [[0.0, 0.0] for _ in ROWS]
    for phase in range(12):
        said = [SAID.get(phase) if one == 0 else None for one in range(3)]
        said = [[[0, 0]] if record[one][phase] in ("ended", "no answer", "late") else said[one] for one in range(3)]
        models = [[a - 0.5 * b for a, b in zip(model, gradient(ROWS[one], model, said[one]))] for one, model in enumerate(models)]
        models = [[sum(model[j] for model in models) / 3 for j in range(2)] for _ in models]
    away = max(abs(a - b) for one in range(3) for a, b in zip(net.states()[one], models[one]))
    assert away < 1e-3 and max(map(abs, models[0])) > 0.1, (away, models, net.states())
    assert net.result(0)["account"]["contributions"] == 12
    # A study of task own without a program, and the other way round.
    settings = net.of(0) / "peer.json"
    kept = settings.read_text()
    settings.write_text(json.dumps({key: value for key, value in json.loads(kept).items() if key != "step"} | {"data": "data.csv"}))
    assert net.start(0).wait(60) == 2 and "give step" in net.log(0).splitlines()[-1], net.log(0)[-300:]

# One that talks without reading what it is asked is started anew: questions that nobody reads would fill the memory, and end the peer.
WIDTH = 30000
TALKS = f"""#!/usr/bin/python3
import time
open("starts", "a").write("x")
print(input().split()[0], " ".join(["0.5"] * {WIDTH}), flush=True)
while True:
    print("on and on", flush=True)
    time.sleep(0.01)
"""
# So is one that closed its standard input.
DEAF = f"""#!/usr/bin/python3
import os, time
open("starts", "a").write("x")
print(input().split()[0], " ".join(["0.5"] * {WIDTH}), flush=True)
os.close(0)
while True:
    print("on and on", flush=True)
    time.sleep(0.01)
"""
for program in (TALKS, DEAF):
    with Peers(BASE.replace("linear-model 2", f"linear-model {WIDTH}"), noise=20) as net:
        for one in range(3):
            take_part(net, one, FILES.replace("parameters: 2", f"parameters: {WIDTH}"), "none", program if one == 0 else
                      f"#!/usr/bin/python3\nimport sys\nfor line in sys.stdin:\n    print(line.split()[0], '0 ' * {WIDTH}, flush=True)\n", answer=500)
            net.start(one)
        net.wait()
        wait_for_programs(net)
        assert len((net.of(0) / "starts").read_text()) > 1, (net.of(0) / "step-phases.txt").read_text()

# What netdp net init makes asks for ./step; netdp run has no gradients of it.
with Peers(BASE, noise=1) as net:
    net.study.write_text(FILES)
    made = subprocess.run([NETDP, "net", "init", net.study, "-o", net.folder / "made"], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    assert '"./step"' in "".join((net.folder / "made" / "peer-1" / "peer.json").read_text().split()), made.stdout
    run = subprocess.run([NETDP, "run", net.study, "-o", net.folder / "run"], capture_output=True, text=True)
    assert run.returncode == 2 and "own runs between peers" in run.stderr, run.stderr
print(f"{len(CASES)} studies: every bit is the built-in ridge's; {len(FAULTS)} faults count as 0: {away:.1g} from Python's")

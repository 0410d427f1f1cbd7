"""Studies of task own for tests: their folders, and programs that do in some phases what a program may do."""
import json
import pathlib
import shutil

STEP = pathlib.Path(__file__).parents[2] / "examples" / "own-model" / "step.py"
MADE = """title: Own
seed: 3
graph: {family: complete 3}
mixing: {weights: metropolis}
data: {synthetic: linear-model 2 variance=0.5 noise=0.1 rows=10, split: 0.8}
task: {kind: ridge, clip: 1, step: 0.1, l2: 0}
protocol: {kind: gossip-sgd, rounds: %d}
privacy: {epsilon: 50, delta: 1e-6, over: worst, pair_graph: edges, pair_noise: 4}
"""


def owned(study, parameters=2):
    """The same study, whose gradients come from programs."""
    lines = [line for line in study.splitlines() if not line.startswith("data:")]
    return "\n".join(lines).replace("kind: ridge", f"kind: own, parameters: {parameters}") + "\n"


def take_part(net, one, study, data, program, **settings):
    """That peer's part: the study, its rows, its program."""
    (net.of(one) / "package" / "study.yaml").write_text(study)
    (net.of(one) / "data.csv").write_text(data)
    step = net.of(one) / "step"
    if isinstance(program, str):
        step.write_text(program)
        step.chmod(0o755)
    else:
        shutil.copy(program, step)
    path = net.of(one) / "peer.json"
    told = json.loads(path.read_text())
    told.pop("data", None)
    path.write_text(json.dumps(told | {"step": ["./step"]} | settings))
    (net.of(one) / "budget.yaml").write_text("delta: 1e-6\npeer: 1e14\n")

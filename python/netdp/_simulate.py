"""Any model by gossip: gradients from a function of one's own, clipped, noised and mixed in C."""
from __future__ import annotations

import dataclasses
import importlib
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple, Union

import numpy as np

from netdp._call import Interrupted, Invalid, Progress, Watch, call, ffi, lib
from netdp._network import Graph, Node, whole
from netdp._question import Question, Unit, number

if TYPE_CHECKING:  # a third of what importing netdp took
    import numpy.typing as npt

Gradient = Callable[[Any], Any]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Simulation:
    """Models that gossip made, one a node. A simulation: whoever has the seed can remove its noise."""

    graph: Graph
    #: [node][parameter].
    models: npt.NDArray[np.float64]
    #: Gradient steps.
    steps: int
    #: Part of the rows' gradients that were clipped, and how many were not finite and counted as 0.
    clipped: float
    dropped: int
    #: Standard deviation of a gradient's noise, sigma * Delta, and Delta itself.
    deviation: float
    sensitivity: float
    assumes: str
    #: With `every`: how many gradient steps were done, and the models [points][nodes][parameters] then; the last is `models`.
    curve_steps: Optional[npt.NDArray[np.int64]] = None
    curve: Optional[npt.NDArray[np.float64]] = None

    @property
    def nodes(self) -> Tuple[Node, ...]:
        """Whose models they are."""
        return tuple(self.graph.names)

    @property
    def mean(self) -> npt.NDArray[np.float64]:
        """The mean of the nodes' models."""
        mean: npt.NDArray[np.float64] = self.models.mean(axis=0)
        return mean

    def __str__(self) -> str:
        return (f"{self.models.shape[0]} models of {self.models.shape[1]} numbers after {self.steps} gradient steps; "
                f"{100 * self.clipped:.3g} % of the gradients were clipped"
                + (f", {self.dropped} were not finite and counted as 0" if self.dropped else "") + f"\n{self.assumes}")

    def __repr__(self) -> str:
        return f"<netdp.Simulation of {self.models.shape[0]} models, {self.steps} steps>"


class _Asking:
    """The function of one's own, between C and NumPy or torch."""

    def __init__(self, gradient: Gradient, nodes: int, width: int, rows: int, torch: bool, check: bool, every: int) -> None:
        self.every, self.kept = every, []  # type: int, List[Tuple[int, npt.NDArray[np.float64]]]
        self.gradient, self.shape, self.rows, self.torch = gradient, (nodes, width), rows, torch
        self.check = check
        self.raised: Optional[BaseException] = None

    def call(self, models: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        given: Any = models.copy()
        if self.torch:
            given = importlib.import_module("torch").from_numpy(given)
        answer = self.gradient(given)
        if hasattr(answer, "detach"):
            answer = answer.detach().cpu().numpy()
        found = np.asarray(answer, dtype=np.float64)
        nodes, width = self.shape
        if found.shape == (nodes, width) and self.rows == 1:
            found = found[:, np.newaxis, :]
        if found.shape != (nodes, self.rows, width):
            wanted = f"[{nodes}][{width}]" if self.rows == 1 else f"[{nodes}][{self.rows}][{width}]"
            raise Invalid(f"gradient: gave {list(found.shape)}; give {wanted}")
        return found

    def look(self, models: npt.NDArray[np.float64], found: npt.NDArray[np.float64]) -> None:
        """Does it keep state, or look at other nodes' models? Found where it shows."""
        again = self.call(models)
        if not np.array_equal(again, found, equal_nan=True):
            raise Invalid("gradient: gave another answer for the same models: it keeps state or draws at random; let it "
                          "depend on its argument and the nodes' data alone")
        moved = np.arange(len(models)) % 2 == 1
        others = models.copy()
        others[moved] += 0.5
        apart = self.call(others)
        with np.errstate(all="ignore"):
            off = np.abs(apart[~moved] - found[~moved]).max(initial=0.0)
            size = np.abs(found[np.isfinite(found)]).max(initial=0.0)
        if off > 1e-6 * (1 + size):
            raise Invalid("gradient: a node's answer changes with other nodes' models; let row u depend on model u and the "
                          "data of node u alone")

    def __call__(self, step: int, models: npt.NDArray[np.float64], into: npt.NDArray[np.float64]) -> None:
        found = self.call(models)
        if self.every and step % self.every == 0:
            self.kept.append((step, models.copy()))
        if self.check and step in (0, 1):
            self.look(models, found)
        into[:] = found


_asking: Dict[int, _Asking] = {}


@ffi.def_extern(error=False)  # type: ignore[misc]
def netdp_asked(context: Any, step: int, model: Any, gradient: Any) -> bool:
    asking = _asking[int(ffi.cast("intptr_t", context))]
    try:
        nodes, width = asking.shape
        models = np.frombuffer(ffi.buffer(model, 8 * nodes * width)).reshape(nodes, width)
        into = np.frombuffer(ffi.buffer(gradient, 8 * nodes * asking.rows * width)).reshape(nodes, asking.rows, width)
        asking(step, models, into)
        return True
    except BaseException as raised:  # noqa: B902  (Ctrl-C too: it goes on where the call ends)
        asking.raised = raised
        return False


def simulate(graph: Any, *, gradient: Gradient, start: Any, rounds: int, step: float, clip: float, noise: float,
             protocol: str = "muffliato-sgd", rows: int = 1, mixing: Any = "metropolis", seed: int = 1, repeat: int = 0,
             torch: bool = False, check: bool = True, every: int = 0, progress: Union[Progress, bool, None] = None,
             **settings: Any) -> Simulation:
    """Learns any model by gossip, from its gradients. (Second tier. A simulation: the noise comes from `seed`.)

    `gradient(models)` gets the models of all nodes [nodes][parameters] as an array (`torch=True`: a tensor) and returns
    their gradients, row u from model u and the data of node u alone: [nodes][parameters], or [nodes][rows][parameters]
    where each of a node's `rows` has its own. C clips each to `clip`, takes the mean, adds noise of standard deviation
    `noise` times the sensitivity (2 clip, or of rows 2 clip / rows) and mixes. `start`: everybody's first model, public.
    `noise` is what `netdp.calibrate(graph, protocol=..., rounds=..., ...)` finds with the same settings.

    What the guarantee assumes of the function, and no clip can see to: nothing is kept from call to call, and no node's
    gradient looks at other nodes' data. `check` asks again, and asks with other nodes' models changed, in the first two
    steps, and refuses what gives itself away. `every`: keeps the models before every so many gradient steps, and the last
    (``.curve``); 0: none of them.
    """
    question = Question(graph, protocol, rounds, mixing, None, None, False, "auto", seed, settings)
    if question.protocol == ffi.NULL or not question.protocol.reacts:
        raise Invalid(f"gradient: does not apply to {protocol}; give gossip-sgd or muffliato-sgd")
    first = np.ascontiguousarray(start, dtype=np.float64).reshape(-1)
    if not first.size or not np.isfinite(first).all():
        raise Invalid("start: give everybody's first model, finite numbers")
    if rows < 1:
        raise Invalid("rows: must be a whole number from 1")
    nodes, width = question.graph.nodes, len(first)
    asking = _Asking(gradient, nodes, width, rows, torch, check, whole("every", every))
    sensitivity = 2 * number("clip", clip) / rows
    deviation = question.noise_of(noise, Unit("loss")) * sensitivity
    handle = ffi.new("char *")
    by = ffi.new("netdp_gradients *", {
        "ask": ffi.addressof(lib, "netdp_ask"), "context": handle, "width": width, "rows": rows, "clip": clip,
        "step": number("step", step), "noise": deviation, "start": ffi.from_buffer("double[]", first)})
    models, notes = np.empty((nodes, width)), ffi.new("netdp_gradients_notes *")
    key = int(ffi.cast("intptr_t", ffi.cast("void *", handle)))
    _asking[key] = asking
    try:
        with Watch(progress) as watch:
            call(lib.netdp_simulate_gradients, question.protocol, by, {"seed": seed, "repeat": repeat}, watch.pointer,
                 ffi.from_buffer("double[]", models, require_writable=True), notes)
    except Interrupted:
        if asking.raised is not None:
            raise asking.raised from None
        raise
    finally:
        del _asking[key]
    protected = "a node's whole data" if rows == 1 else "one row of one node's data"
    kept = [*asking.kept, (int(notes.asked), models)] if every else []
    return Simulation(
        curve_steps=np.array([step for step, _ in kept], dtype=np.int64) if kept else None, curve=np.stack([each for _, each in kept]) if kept else None,
        graph=question.graph, models=models, steps=notes.asked, dropped=notes.dropped,
        clipped=notes.clipped / max(1, notes.asked * nodes * rows), deviation=deviation, sensitivity=sensitivity,
        assumes=question.words(noise).rstrip("\n").replace("a node's whole data replaced", protected + " replaced") + f"\nof the gradients: {protected} changes one by at most "
        f"{sensitivity:g} (clipped at {clip:g}), if none looks at other nodes' data or keeps anything from call to call; "
        + ("asked again in the first two steps, they did not give that away." if check else "not looked into."))


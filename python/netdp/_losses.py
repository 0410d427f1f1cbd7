"""Who learns how much about whom: accounts and calibrations."""
from __future__ import annotations

import dataclasses
import os
import types
from typing import TYPE_CHECKING, Any, List, Mapping, Optional, Tuple, Union, overload

import numpy as np

from netdp import _show
from netdp._call import Invalid, NoAnswer, Progress, Watch, call, ffi, lib, take_text, text_of
from netdp._network import Graph, Node, _view
from netdp._question import Question, Unit, flag, number, settings_help

if TYPE_CHECKING:  # a third of what importing netdp took
    import numpy.typing as npt
    from typing_extensions import Unpack

    from netdp._settings import Settings


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Losses:
    """The privacy losses of pairs, in one privacy measure, with what they assume.

    ``print`` shows the table of the command with its assumptions; ``matrix[u, v]`` is what ``observers[v]`` learns about
    ``sources[u]``, infinity where u is one of the observers itself: such pairs count nowhere.
    """

    graph: Graph
    #: The protocol's name, and its noise in units of the sensitivity (of histograms 0: they have a flip).
    protocol: str
    noise: float
    rounds: int
    #: The privacy measure: "loss" (mu^2 sigma^2), "gdp", "rdp:ALPHA" or "dp:DELTA".
    unit: str
    #: Who is learned about, and who learns; a coalition is one observer, a tuple of its members.
    sources: Tuple[Node, ...]
    observers: Tuple[Any, ...]
    #: [source][observer], read-only.
    matrix: npt.NDArray[np.float64]
    #: mu^2 sigma^2 of the same pairs, on the library's memory; None where there is no unit-free loss (random walks, Poisson batches).
    losses: Optional[npt.NDArray[np.float64]]
    bound: str
    #: Are the numbers upper bounds? Proven with outward rounding? Why not, else.
    sound: bool
    certified: bool
    why: Optional[str]
    #: Not upper bounds but an estimate: never to be called a guarantee.
    estimate: bool
    #: Of random networks: how many draws the bound rests on, and with which confidence.
    draws: Optional[int]
    confidence: Optional[float]
    mean: float
    worst: float
    #: The worst pair (source, observer).
    worst_pair: Tuple[Node, Any]
    #: What local differential privacy would give.
    local: float
    #: How many pairs count.
    pairs: int
    #: What is protected, what observers see, and what nodes are trusted with: in a word each.
    threat: Mapping[str, str]
    #: Protocol, threat model, adjacency, release: what the numbers are about.
    assumes: str
    #: Whether they are a guarantee, and by what.
    verdict: str
    #: What was asked, for `proof`.
    _question: Any = dataclasses.field(default=None, repr=False)

    def to_numpy(self) -> npt.NDArray[np.float64]:
        """`matrix`."""
        return self.matrix

    def distances(self) -> npt.NDArray[np.int32]:
        """[source][observer]: hops between them, to the nearest member of a coalition; -1: unreachable."""
        hops = [self.graph.distances(v if isinstance(v, tuple) and v not in self.graph._known() else [v])
                for v in self.observers]
        rows = [self.graph.index(u) for u in self.sources]
        return np.stack(hops, axis=1)[rows]

    def counts(self) -> npt.NDArray[np.bool_]:
        """[source][observer]: is the pair one of two parties?"""
        members = [{self.graph.index(w) for w in (v if isinstance(v, tuple) and v not in self.graph._known() else [v])}
                   for v in self.observers]
        rows = [self.graph.index(u) for u in self.sources]
        return np.array([[u not in observer for observer in members] for u in rows], dtype=bool)

    def to_pandas(self) -> Any:
        """Every pair that counts as a row: from, to, distance and the value; the guarantee's words in ``.attrs``."""
        import pandas

        u, v = np.nonzero(self.counts())
        frame = pandas.DataFrame({
            "from": [self.sources[i] for i in u], "to": [self.observers[i] for i in v],
            "distance": self.distances()[u, v], self.unit: self.matrix[u, v]})
        frame.attrs.update(assumes=self.assumes, verdict=self.verdict, sound=self.sound, certified=self.certified)
        return frame

    def proof(self, u: Node, v: Any) -> str:
        """The text of a proof file: what `v`, an observer or a tuple that is a coalition, learns about `u`: of gossip, or of a walk whose path is public.

        ``netdp-verify`` checks it without netdp (docs/verify.md). Raises `Invalid` where there is no such file yet.
        """
        import tempfile
        question, graph = self._question, self.graph
        if question is not None and question.pooled:
            raise Invalid("proof: to='worst:C' is of all coalitions; ask for one, such as a set of nodes")
        if question is None or (question.request == ffi.NULL and question.walk_request == ffi.NULL) or self.draws is not None:
            raise Invalid("proof: there are proof files of gossip on one network, and of walks, only")
        if question.coalition and (not isinstance(v, tuple) or set(v) != set(self.observers[0])):
            raise Invalid(f"proof: the observer is the coalition {self.observers[0]}")
        to = 0 if question.coalition else graph.index(v)
        asked = ffi.new("netdp_proof_request *", {
            "losses": question.request, "walk": question.walk_request, "from": graph.index(u), "to": to, "noise": self.noise, "unit": Unit(self.unit).value[0]})
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "proof")
            call(lib.netdp_losses_proof, asked, os.fsencode(path), ffi.NULL)
            with open(path, encoding="ascii") as file:
                return file.read()

    def plot(self, kind: str = "distance", ax: Any = None) -> Any:
        """With matplotlib: "distance" (every pair against its distance) or "matrix". Returns the axes."""
        return _show.plot(self, kind, ax)

    def __str__(self) -> str:
        return _show.text(self)

    def __repr__(self) -> str:
        kind = "an upper bound" if self.sound else "NO upper bound"
        return (f"<netdp.Losses of {self.graph.origin} by {self.protocol}, {self.unit}: mean {_show.up(self.mean, 6)}, worst "
                f"{_show.up(self.worst, 6)} over {self.pairs} pairs; {kind}>")

    def _repr_html_(self) -> str:
        return _show.html(self)


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Calibration:
    """The least noise, on the safe side, that meets a target, and the account at it."""

    #: In units of the sensitivity; of histograms the flip.
    noise: float
    target: float
    over: str
    rounds: int
    dither: Optional[float]
    dither_decay: Optional[float]
    end_dither: Optional[float]
    pair_noise: Optional[float]
    #: The account at this noise.
    achieved: Losses

    def __str__(self) -> str:
        return _show.calibration(self)

    def __repr__(self) -> str:
        return (f"<netdp.Calibration: noise {_show.up(self.noise, 10)} for {self.achieved.unit} of {self.target:g} over the "
                f"{self.over}>")

    def _repr_html_(self) -> str:
        return _show.calibration_html(self)


def _names(graph: Graph, pointer: Any, count: int) -> List[Node]:
    names = graph.names
    return [names[v] for v in ffi.unpack(pointer, count)]


def _answer(question: Question, made: Any, noise: float, unit: Unit, draws: Optional[int], watch: Watch) -> Losses:
    graph = question.graph
    rows, columns = made.to_count, made.from_count
    values = np.empty((rows, columns))
    summary = ffi.new("netdp_summary *")
    call(lib.netdp_losses_values, made, noise, unit.value[0], watch.pointer,
         ffi.from_buffer("double[]", values, require_writable=True), summary)
    values.flags.writeable = False
    losses = None if made.final or made.phases > 0 else _view(made.loss, rows * columns, np.float64, made).reshape(rows, columns).T
    observers: List[Any] = _names(graph, made.to, made.members if made.members > 1 else rows)
    coalition = question.coalition or made.members > 1  # that a search found
    if coalition:
        observers = [tuple(_names(graph, made.to, made.members))]
    promised = ffi.new("netdp_guarantee *")
    lib.netdp_losses_guarantee(made, summary.max, unit.value[0], promised)
    text = ffi.new("char **")
    call(lib.netdp_losses_words, made, text)
    names = graph.names
    return Losses(
        graph=graph, protocol=question.name, noise=noise, unit=unit.text,
        rounds=question.rounds,
        sources=tuple(_names(graph, getattr(made, "from"), columns)),
        observers=tuple(observers), matrix=values.T, losses=losses, bound=text_of(promised.bound) or "",
        sound=bool(promised.sound), certified=bool(promised.certified), why=text_of(promised.why),
        estimate=bool(promised.estimate), draws=draws, threat=types.MappingProxyType({
            name: text_of(getattr(promised.threat, name)) or ""
            for name in ("protects", "sees", "own_noise", "released", "assumes")}),
        confidence=None if draws is None else 1 - lib.NETDP_DRAWN_FAILURE,
        mean=summary.mean, worst=summary.max, worst_pair=(
            names[summary.worst_from], observers[0] if coalition else names[summary.worst_to]),
        local=summary.local, pairs=summary.pairs,
        assumes=question.words(noise, draws or 0), verdict=take_text(text), _question=question)


def losses(graph: Any, *, rounds: Union[int, str], protocol: str = "averaging", noise: Optional[float] = None,
           as_: Optional[str] = None, mixing: Any = "metropolis", from_: Any = None, to: Any = None,
           coalition: bool = False, bound: str = "auto", draws: Optional[int] = None, seed: int = 1,
           progress: Union[Progress, bool, None] = None, **settings: Unpack[Settings]) -> Losses:
    """How much does each node learn about each other node? (First tier: one call, one table. As `netdp loss`.)

    >>> print(netdp.losses("davis", rounds=20, noise=2, as_="dp:1e-6"))

    `graph`: anything that `netdp.graph` takes. `protocol`: "averaging", "stream", "gossip-sgd", "muffliato-sgd",
    "walk", "ring-sum", ... `rounds`: of gossip, steps of a walk or passes, or "auto". `noise`: in units of the
    sensitivity. `as_`: the privacy measure, "loss", "gdp", "rdp:ALPHA" or "dp:DELTA". `mixing`: the weights' name, or W.
    `from_`, `to`: nodes by name; a set as `to` is nodes that collude, "worst:C" any C of them. `draws`: of a changing network,
    over all networks that could be drawn. `progress`: True (tqdm), or a callback (what, done, total) that may return
    False to stop. Other settings are those of the command, with `_` for `-`; arrays, graphs and nodes are taken as they are.

    The same bits as C and the command, for any number of threads. May be called from several threads at once.
    """
    question = Question(graph, protocol, rounds, mixing, from_, to, coalition, bound, seed, dict(settings))
    unit = Unit(as_ if as_ is not None else question.usual_unit())
    sigma = question.noise_of(noise, unit)
    with Watch(progress) as watch:
        made = question.account(sigma, unit, draws, watch)
        return _answer(question, made, sigma, unit, draws, watch)


# What a docstring says of the settings is the table of the library; Python strips docstrings with -OO.
losses.__doc__ = (losses.__doc__ or "") + "\n    Settings:\n" + settings_help()


def _calibrate_events(given: Any, target: float, as_: str, max_noise: float) -> float:
    """The least noise, to a part in 10^6 and on the safe side, of the events that have none: each step of the search is an
    account of the whole list, and none looks at data."""
    from netdp.events import Events
    held = given if isinstance(given, Events) else None
    events = list(held.events if held is not None else given)
    if not any("noise" not in event for event in events):
        raise Invalid("graph: all of these events have a noise; leave it out of those whose noise is to be found")

    def at(noise: float) -> float:
        filled = tuple(event if "noise" in event else {**event, "noise": noise} for event in events)
        names = {event["mechanism"] for event in events}
        replaced = held.adjacency if held is not None else "add-remove" if names & {"subsampled-gaussian", "subsampled-laplace"} else "replace"
        return float(Events(replaced, filled).convert(as_))

    low, high = 0.0, min(1.0, max_noise)
    while not at(high) <= target:
        low, high = high, min(4 * high, max_noise)
        if low >= max_noise:
            raise NoAnswer(f"target: {target:g} is not met at noise {max_noise:g}; give a larger one, or fewer steps")
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if at(middle) <= target else (middle, high)
    return high


@overload
def calibrate(graph: Any, *, target: float, as_: str, max_noise: float = ...) -> float: ...


@overload
def calibrate(graph: Any, *, rounds: Union[int, str], target: float, as_: str, over: str = ..., protocol: str = ..., mixing: Any = ...,
              from_: Any = ..., to: Any = ..., coalition: bool = ..., bound: str = ..., max_noise: float = ..., tune_dither: bool = ...,
              tune_pairs: bool = ..., seed: int = ..., progress: Union[Progress, bool, None] = ..., **settings: Unpack[Settings]) -> Calibration: ...


def calibrate(graph: Any, *, rounds: Union[int, str, None] = None, target: float, as_: str, over: str = "worst",
              protocol: str = "averaging", mixing: Any = "metropolis", from_: Any = None, to: Any = None,
              coalition: bool = False, bound: str = "auto", max_noise: float = 1e6, tune_dither: bool = False,
              tune_pairs: bool = False, seed: int = 1, progress: Union[Progress, bool, None] = None,
              **settings: Any) -> Union[Calibration, float]:
    """The least noise, on the safe side, that meets a target. (First tier: one call. As `netdp calibrate`.)

    >>> print(netdp.calibrate("ring 12", rounds=20, dither=0.1, target=1, as_="dp:1e-6", over="mean"))

    `over`: "worst" (every pair of people has `target` at most) or "mean" of the pairs. `tune_dither`, `tune_pairs`:
    choose the dither, or the pairwise noise, too. All else is as `netdp.losses` has it; `.achieved` is its answer at
    the noise that was found.

    A list of events (`netdp.events`) in place of the graph, without `rounds`: the noise of those events that have none, such as
    T steps at a sampling rate:

    >>> netdp.calibrate([{"mechanism": "subsampled-gaussian", "rate": 0.01, "count": 1000}], target=1, as_="dp:1e-5")
    """
    if rounds is None:
        if isinstance(graph, str) or not hasattr(getattr(graph, "events", graph), "__iter__") or not all(
                isinstance(each, Mapping) and "mechanism" in each for each in getattr(graph, "events", graph)):
            raise Invalid("rounds: is missing; give how many, or 'auto' (a list of events takes none)")
        return _calibrate_events(graph, number("target", target), Unit(as_).text, number("max_noise", max_noise))
    if not isinstance(over, str) or over not in ("worst", "mean"):
        raise Invalid("over: must be 'worst' or 'mean'")
    question = Question(graph, protocol, rounds, mixing, from_, to, coalition, bound, seed, dict(settings), calibrates=True)
    unit = Unit(as_)
    asked = ffi.new("netdp_target *", {
        "epsilon": number("target", target), "unit": unit.value[0], "max_noise": number("max_noise", max_noise),
        "over": lib.NETDP_OVER_MEAN if over == "mean" else lib.NETDP_OVER_WORST,
        "tune_dither": flag("tune_dither", tune_dither), "tune_pairs": flag("tune_pairs", tune_pairs)})
    with Watch(progress) as watch:
        found, made = question.calibrate(asked, watch)
        noise = made.noise if made.final else found.sigma
        achieved = _answer(question, made, noise, unit, None, watch)
    gossip = question.protocol != ffi.NULL
    return Calibration(
        noise=found.sigma, target=float(target), over=over, rounds=found.rounds, achieved=achieved,
        dither=found.noise.dither if gossip else None, dither_decay=found.noise.decay if gossip else None,
        end_dither=found.noise.end if question.has(lib.NETDP_SETTING_END_DITHER) else None,
        pair_noise=found.noise.pairing.kappa if question.has(lib.NETDP_SETTING_PAIRS) else None)



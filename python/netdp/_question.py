"""A question to an accountant: keywords become settings by text, which the library reads as those of the command."""
from __future__ import annotations

import itertools
import warnings
from typing import Any, Dict, Hashable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from netdp._call import Invalid, Watch, bytes_of, call, ffi, lib, take_text, text_of
from netdp._network import Graph, Mixing, Node, graph, mixing, whole


#: Settings that are parameters of their own.
_OWN = ("from", "to", "bound", "protocol", "rounds", "mixing", "seed")


def number(what: str, given: Any) -> float:
    """A number, in whatever type; True is none, nor is an array."""
    try:
        if isinstance(given, (str, bytes, bool, np.bool_)) or given is np.ma.masked or getattr(given, "ndim", 0) != 0:
            raise TypeError
        return float(given)
    except (TypeError, ValueError, OverflowError):
        raise Invalid(f"{what}: {given!r} is not a number") from None


def flag(what: str, given: Any) -> bool:
    """True or False, and nothing that would be taken for one of them."""
    if not isinstance(given, (bool, np.bool_)):
        raise Invalid(f"{what}: {given!r}; give True or False")
    return bool(given)


def _word(what: str, given: Any) -> str:
    if not isinstance(given, str):
        raise Invalid(f"{what}: {given!r} is not a text")
    return given


def _weights(given: Any, weights: Any) -> Any:
    """What the question mixes by: the name of weights, or a Mixing, of the same graph."""
    if isinstance(given, Mixing):
        if weights is not given and not (isinstance(weights, str) and weights == "metropolis"):
            raise Invalid("mixing: is given twice: instead of the graph, too")
        return given
    if isinstance(weights, Mixing):
        held, own = graph(given), weights.graph
        if held.names != own.names or not np.array_equal(held.edge_array(), own.edge_array()):
            raise Invalid(f"mixing: is one of {own.origin}, another graph than {held.origin}")
        return weights
    if isinstance(weights, str):
        return weights
    if np.ndim(weights) != 2 and not hasattr(weights, "tocoo"):
        raise Invalid(f"mixing: {weights!r}; give the weights' name, a netdp.Mixing, or W as a matrix")
    return mixing(given, weights)


def _text(what: str, given: Any) -> str:
    """A setting as the command would have it."""
    if isinstance(given, np.generic):
        given = given.item()
    if isinstance(given, bool):
        return "true" if given else "false"
    if isinstance(given, float) and given == int(given if abs(given) < 1e15 else 0):
        return str(int(given))
    if isinstance(given, (int, float)):
        return repr(given)
    if isinstance(given, str):
        return given
    raise Invalid(f"{what}: {given!r} is neither a number nor a text")


def settings_help() -> str:
    """A line for each setting that is a keyword of its own."""
    row = ffi.new("netdp_setting_info *")
    lines: List[str] = []
    for index in itertools.count():
        if not lib.netdp_question_setting(index, row):
            return "\n".join(lines)
        name = (text_of(row.name) or "").replace("-", "_")
        if name not in _OWN:
            usual = text_of(row.usual)
            lines.append(f"    {name}: {text_of(row.value) or 'bool'}. {text_of(row.help)}"
                         + (f" (default: {usual})" if usual is not None else ""))
    raise AssertionError


class Unit:
    """A privacy measure by its text: "loss", "gdp", "rdp:2", "dp:1e-6"."""

    def __init__(self, text: str) -> None:
        self.value = ffi.new("netdp_unit *")
        call(lib.netdp_unit_parse, bytes_of(text), self.value)
        spelled = ffi.new("char[]", lib.NETDP_UNIT_ROOM)
        lib.netdp_unit_text(self.value[0], spelled)
        self.text = text_of(spelled) or ""


class Question:
    """A protocol on a network, and which pairs are asked about. What it points to lives as long as it does."""

    def __init__(self, given: Any, protocol: str, rounds: Union[int, str], weights: Any, from_: Any, to: Any,
                 coalition: bool, bound: str, seed: int, settings: Dict[str, Any], calibrates: bool = False) -> None:
        self._keep: List[Any] = []
        weights = _weights(given, weights)
        self.graph: Graph = weights.graph if isinstance(weights, Mixing) else graph(given, seed=seed)
        self._request = ffi.new("netdp_question_request *", {
            "graph": self.graph._pointer, "spelling": lib.NETDP_SPELL_KEYWORD, "calibrates": calibrates})
        self._settings: Dict[str, str] = {
            "protocol": _word("protocol", protocol), "rounds": _text("rounds", rounds), "bound": _word("bound", bound), "seed": str(whole("seed", seed)),
            "mixing": weights.name if isinstance(weights, Mixing) else weights}
        if isinstance(weights, Mixing):
            self._keep.append(weights)
            self._request.mixing = weights._pointer
        if isinstance(settings.get("certify"), str) and settings["certify"] == "no":
            warnings.warn("certify='no': every loss is proven or closed now; taken as 'auto'", DeprecationWarning, stacklevel=4)
        for name, value in settings.items():
            if value is not None:
                self._take(name, value)
        self.coalition = coalition is not None and flag("coalition", coalition) or isinstance(to, (set, frozenset)) or (isinstance(to, str) and to.startswith("set:"))
        self._request.coalition = self.coalition
        self.pooled = isinstance(to, str) and to.startswith("worst:") and to != "worst:1" and to not in self.graph._known()
        for field, what, nodes in (("from", "from_", from_), ("to", "to", to)):
            if isinstance(nodes, str) and nodes not in self.graph._known():
                self._settings[field] = nodes  # a node's name, "all" or "set:V,W", as the command has it
                continue
            numbers = self._nodes(what, nodes)
            if numbers is not None:
                setattr(self._request, field, self._hold("int32_t[]", numbers))
                setattr(self._request, field + "_count", len(numbers))
        rows = [{"name": self._hold("char[]", bytes_of(name)), "text": self._hold("char[]", bytes_of(text))}
                for name, text in self._settings.items()]
        self._request.setting, self._request.count = self._hold("netdp_given_setting[]", rows), len(rows)
        made = ffi.new("netdp_question **")
        call(lib.netdp_question_new, self._request, made)
        self._pointer = ffi.gc(made[0], lib.netdp_question_free)
        named = lib.netdp_question_protocol(self._pointer)
        self.name = text_of(named.name) or ""
        self.kind = named.kind
        self.settings = named.settings

    def _hold(self, kind: str, value: Any) -> Any:
        self._keep.append(ffi.new(kind, value))
        return self._keep[-1]

    def has(self, setting: int) -> bool:
        return bool(self.settings & setting)

    # ---- Settings that are no texts ----

    def _take(self, name: str, value: Any) -> None:
        if name in _OWN:
            raise Invalid(f"{name}: no such setting; did you mean from_?" if name == "from" else f"{name}: is given twice")
        take = {"pattern": self._pattern, "quiet": self._covariance, "rows": self._rows, "pair_graph": self._pair_graph,
                "start": self._start, "gamma": self._gamma}.get(name)
        if take is None or isinstance(value, str) and name != "start":
            self._settings[name] = _text(name, value)
        else:
            take(value)

    def _numbers(self, what: str, given: Any) -> Any:
        try:
            if np.iscomplexobj(given):
                raise TypeError
            return np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            raise Invalid(f"{what}: {given!r} are not numbers") from None

    def _pattern(self, given: Any) -> None:
        numbers = self._numbers("pattern", given)
        if numbers.ndim != 1:
            raise Invalid("pattern: give a list of numbers, one for each contribution round, or a name such as 'ones'")
        self._request.pattern = self._hold("double[]", numbers.tolist())
        self._request.pattern_count = numbers.size

    def _by_name(self, what: str, given: Any) -> Any:
        """A value for each node: of a mapping, or where a pandas index says more than 0, 1, ..., by the nodes' names."""
        index = getattr(given, "index", None)
        if isinstance(given, Mapping):
            said, values = list(given), list(given.values())
        elif hasattr(given, "iloc") and getattr(given, "ndim", 0) == 1 and index is not None and list(index) != list(range(len(given))):
            said, values = list(index), given.tolist()
        else:
            return given
        found: Dict[int, Any] = {}
        for label, value in zip(said, values):
            node = self._nodes(what, [label])
            if node is None or node[0] in found:
                raise Invalid(f"{what}: {label!r} is named twice")
            found[node[0]] = value
        absent = next((v for v in range(self.graph.nodes) if v not in found), None)
        if absent is not None:
            raise Invalid(f"{what}: nothing for node {self.graph.names[absent]!r}; give every node one")
        return [found[v] for v in range(self.graph.nodes)]

    def _rows(self, given: Any) -> None:
        given = self._by_name("rows", given)
        numbers = self._numbers("rows", given)
        if numbers.shape != (self.graph.nodes,):
            raise Invalid(f"rows: give a whole number from 1 for each of the {self.graph.nodes} nodes")
        self._request.rows = self._hold("double[]", numbers.tolist())

    def _covariance(self, given: Any) -> None:
        """The covariance of a node's noise over the phases, as its lower factor."""
        covariance = self._numbers("quiet", given)
        phases = len(covariance) if covariance.ndim > 0 else 0
        if phases == 0 or covariance.shape != (phases, phases) or not np.isfinite(covariance).all() or (covariance != covariance.T).any():
            raise Invalid("quiet: give a symmetric covariance of the phases, [phases][phases], or a name such as 'optimal'")
        try:
            self._request.quiet = self._hold("double[]", np.linalg.cholesky(covariance).ravel().tolist())
        except np.linalg.LinAlgError:
            raise Invalid("quiet: is no covariance: it must be positive definite") from None
        self._request.phases = phases

    def _pair_graph(self, given: Any) -> None:
        held = graph(given)
        if held.nodes == self.graph.nodes and held.names != self.graph.names:
            raise Invalid("pair_graph: its nodes have other names than the graph's, or another order")
        self._keep.append(held)
        self._request.pair_graph = held._pointer

    def _start(self, given: Any) -> None:
        if isinstance(given, str) and given not in self.graph._known():
            self._settings["start"] = given
            return
        try:
            self._request.start = self._hold("int32_t[]", [self.graph.index(given)])
        except Invalid as wrong:
            raise Invalid(f"start: {wrong}") from None

    def _gamma(self, given: Any) -> None:
        try:
            theta, low, high = (float(each) for each in given)
        except (TypeError, ValueError):
            raise Invalid("gamma: give (theta, low, high): the scale of the noise and the range of what it hides") from None
        self._settings["gamma"] = f"{theta!r},{low!r},{high!r}"

    # ---- Who learns about whom ----

    def _nodes(self, what: str, given: Any) -> Optional[List[int]]:
        if given is None:
            return None
        labels: Sequence[Node]
        if isinstance(given, np.ndarray) and given.ndim == 0:
            given = given.item()
        if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__") or self._is_node(given):
            labels = [given]
        else:
            labels = list(given)
        numbers = []
        for label in labels:
            if isinstance(label, (bool, np.bool_)) and not any(isinstance(name, bool) for name in self.graph.names):
                raise Invalid(f"{what}: {label!r} is no node; give nodes, not which of all (numpy.flatnonzero makes them of that)")
            try:
                numbers.append(self.graph.index(label))
            except Invalid as wrong:
                raise Invalid(f"{what}: {wrong}") from None
        if isinstance(given, (set, frozenset)):
            numbers.sort()
        for i, number in enumerate(numbers):
            if number in numbers[:i]:
                raise Invalid(f"{what}: {labels[i]!r} is named twice")
        if not numbers:
            raise Invalid(f"{what}: is empty; name a node")
        return numbers

    def _is_node(self, given: Any) -> bool:
        """A tuple may be the label of a node."""
        return isinstance(given, Hashable) and not isinstance(given, frozenset) and given in self.graph._known()

    # ---- Answers ----

    @property
    def protocol(self) -> Any:
        """The netdp_linear of gossip; NULL of other protocols."""
        return lib.netdp_question_gossip(self._pointer)

    @property
    def request(self) -> Any:
        """What accounts of gossip are asked; NULL of other protocols."""
        return lib.netdp_question_losses_request(self._pointer)

    @property
    def walk_request(self) -> Any:
        """The same of walks, once an account was made."""
        return lib.netdp_question_walk_request(self._pointer)

    @property
    def rounds(self) -> int:
        """Of gossip, steps of a walk or a token aggregation."""
        walk, tally = lib.netdp_question_walk(self._pointer), lib.netdp_question_tally(self._pointer)
        if tally != ffi.NULL:
            return int(lib.netdp_tally_steps(tally))
        return int(walk.steps if walk != ffi.NULL else self.protocol.rounds)

    def usual_unit(self) -> str:
        return text_of(lib.netdp_question_unit(self._pointer)) or ""

    def noise_of(self, noise: Any, unit: Unit) -> float:
        given = ffi.NULL if noise is None else ffi.new("double *", number("noise", noise))
        found = ffi.new("double *")
        call(lib.netdp_question_noise, self._pointer, given, unit.value[0], found)
        return float(found[0])

    def account(self, noise: float, unit: Unit, draws: Optional[int], watch: Watch) -> Any:
        made = ffi.new("netdp_losses **")
        if draws is not None and not 1 <= whole("draws", draws) <= 1000000:
            raise Invalid("draws: must be a whole number from 1 to 1000000")
        call(lib.netdp_question_losses, self._pointer, noise, unit.value[0], int(draws or 0), watch.pointer, made)
        return ffi.gc(made[0], lib.netdp_losses_free)

    def calibrate(self, target: Any, watch: Watch) -> Tuple[Any, Any]:
        """(netdp_calibration *, losses); the question takes what was found."""
        found, made = ffi.new("netdp_calibration *"), ffi.new("netdp_losses **")
        call(lib.netdp_question_calibrate, self._pointer, target, watch.pointer, found, made)
        return found, ffi.gc(made[0], lib.netdp_losses_free)

    def words(self, noise: float, draws: int = 0) -> str:
        """What the guarantee assumes, as the command prints it."""
        text = ffi.new("char **")
        call(lib.netdp_question_words, self._pointer, noise, draws, text)
        return take_text(text)

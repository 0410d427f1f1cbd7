"""A question to an accountant: keywords become the library's description of a protocol and a request."""
from __future__ import annotations

import difflib
import math
import warnings
from typing import Any, Dict, Hashable, List, Optional, Sequence, Tuple, Union

import numpy as np

from netdp._call import Invalid, Watch, bytes_of, call, ffi, lib, take_text, text_of
from netdp._network import Graph, Mixing, Node, graph, mixing, whole

#: Settings of protocols: what has them (netdp_setting), the field of netdp_settings that takes them as they are, or None.
_SETTINGS: Dict[str, Tuple[int, Optional[str]]] = {
    "variance": (lib.NETDP_SETTING_ROUNDS_AUTO, None),
    "dither": (lib.NETDP_SETTING_DITHER, "dither"),
    "dither_decay": (lib.NETDP_SETTING_DITHER_DECAY, "dither_decay"),
    "every": (lib.NETDP_SETTING_EVERY, "every"),
    "at_most": (lib.NETDP_SETTING_AT_MOST, "at_most"),
    "inner": (lib.NETDP_SETTING_INNER, "inner"),
    "end_dither": (lib.NETDP_SETTING_END_DITHER, "end_dither"),
    "accelerate": (lib.NETDP_SETTING_ACCELERATE, "accelerate"),
    "cycle": (lib.NETDP_SETTING_QUIET, "cycle"),
    "quiet": (lib.NETDP_SETTING_QUIET, None),
    "workload": (lib.NETDP_SETTING_QUIET, None),
    "protects": (lib.NETDP_SETTING_VIEW, None),
    "change": (lib.NETDP_SETTING_VIEW, None),
    "batches": (lib.NETDP_SETTING_VIEW, None),
    "rows": (lib.NETDP_SETTING_VIEW, None),
    "pair_graph": (lib.NETDP_SETTING_PAIRS, None),
    "pair_noise": (lib.NETDP_SETTING_PAIRS, None),
    "pair_seed": (lib.NETDP_SETTING_PAIRS, None),
    "dropout": (lib.NETDP_SETTING_VARYING, None),
    "redraw": (lib.NETDP_SETTING_VARYING, None),
    "start": (lib.NETDP_SETTING_TOKEN, None),
    "burn_in": (lib.NETDP_SETTING_TOKEN, "burn_in"),
    "tokens": (lib.NETDP_SETTING_TOKEN, "tokens"),
    "path": (lib.NETDP_SETTING_TOKEN, None),
    "path_seed": (lib.NETDP_SETTING_TOKEN, "path_seed"),
    "cap": (lib.NETDP_SETTING_TOKEN | lib.NETDP_SETTING_COMPLETE, "cap"),
    "contraction": (lib.NETDP_SETTING_TOKEN, "contraction"),
    "gamma": (lib.NETDP_SETTING_WEIGHTED, None),
    "mechanism": (lib.NETDP_SETTING_SUM, None),
    "schedule": (lib.NETDP_SETTING_SUM, None),
    "grid": (lib.NETDP_SETTING_SUM, "grid"),
    "levels": (lib.NETDP_SETTING_HISTOGRAM, "levels"),
    "flip": (lib.NETDP_SETTING_HISTOGRAM, "flip"),
    "shuffle": (lib.NETDP_SETTING_HISTOGRAM, None),
    "release": (lib.NETDP_SETTING_TOKEN | lib.NETDP_SETTING_TALLY, "release"),
    "pattern": (lib.NETDP_SETTING_VIEW, None),
    "sees": (lib.NETDP_SETTING_VIEW, None),
    "own_noise": (lib.NETDP_SETTING_VIEW, None),
    "certify": (lib.NETDP_SETTING_VIEW, None),
}

_FROM_ONE = ("cycle", "every", "inner", "at_most", "cap", "tokens")

_MECHANISMS = {"gaussian": lib.NETDP_GAUSSIAN, "laplace": lib.NETDP_LAPLACE,
               "discrete-gaussian": lib.NETDP_DISCRETE_GAUSSIAN}
_PATHS = {"hidden": lib.NETDP_PATH_HIDDEN, "public": lib.NETDP_PATH_PUBLIC, "resting": lib.NETDP_PATH_RESTING,
          "non-backtracking": lib.NETDP_PATH_FORWARD, "tour": lib.NETDP_PATH_TOUR}
_SCHEDULES = {"every": lib.NETDP_TALLY_EVERY, "once": lib.NETDP_TALLY_ONCE, "spread": lib.NETDP_TALLY_SPREAD}


def _choose(what: str, given: Any, known: Dict[str, int]) -> int:
    if given not in known:
        raise Invalid(f"{what}: {given!r} is not one of {', '.join(known)}")
    return known[given]


def number(what: str, given: Any) -> float:
    """A number, in whatever type."""
    try:
        if isinstance(given, (str, bytes)):
            raise TypeError
        return float(given)
    except (TypeError, ValueError, OverflowError):
        raise Invalid(f"{what}: {given!r} is not a number") from None


class Unit:
    """A currency by its text: "loss", "gdp", "rdp:2", "dp:1e-6"."""

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
        self.given, self.calibrates = dict(settings), calibrates
        found = ffi.new("netdp_protocol **")
        call(lib.netdp_protocol_find, bytes_of(protocol), found)
        self.named = found[0]
        self.name = protocol
        self._check()
        self.rounds_auto = rounds == "auto"
        if self.rounds_auto and not self.has(lib.NETDP_SETTING_ROUNDS_AUTO):
            raise Invalid("rounds: auto applies to averaging and random-averaging; give the number of rounds")
        if not self.rounds_auto and "variance" in settings:
            raise Invalid("variance: applies to rounds='auto' only")
        self.variance = number("variance", settings.get("variance", 0.25))
        if not self.variance >= 0:
            raise Invalid("variance: must be 0 or more")
        self.weights = weights
        self.mixing: Optional[Mixing] = None
        self.is_tally = self.has(lib.NETDP_SETTING_TALLY)
        self.is_walk = not self.is_tally and self.has(lib.NETDP_SETTING_TOKEN)
        if isinstance(given, Mixing):
            self.mixing, self.graph = given, given.graph
        elif not isinstance(weights, str):
            self.mixing = mixing(given, weights)
            self.graph, self.weights = self.mixing.graph, "file"
        else:
            self.graph = graph(given, seed=seed)
        self.seed = whole("seed", seed)
        self._settings(1 if self.rounds_auto else self._rounds(rounds))
        self._parties(from_, to, coalition)
        self.bound = ffi.new("netdp_bound *")
        call(lib.netdp_bound_parse, bytes_of(bound), self.bound)
        (self._tally if self.is_tally else self._walk if self.is_walk else self._gossip)()

    def has(self, setting: int) -> bool:
        return bool(self.named.settings & setting)

    def _check(self) -> None:
        for name, value in self.given.items():
            if name not in _SETTINGS:
                near = difflib.get_close_matches(name, [*_SETTINGS, "rounds", "noise", "protocol", "to"], 1)
                raise Invalid(f"{name}: no such setting" + (f"; did you mean {near[0]}?" if near else ""))
            if not self.has(_SETTINGS[name][0]):
                raise Invalid(f"{name}: does not apply to {self.name}; leave it out")
            if name in _FROM_ONE and not (isinstance(value, (int, np.integer)) and value >= 1):
                raise Invalid(f"{name}: must be a whole number from 1")

    @staticmethod
    def _rounds(rounds: Any) -> int:
        if isinstance(rounds, bool) or not isinstance(rounds, (int, float, np.integer)) or not 1 <= rounds <= 1e15 or (
                rounds != int(rounds)):
            raise Invalid(f"rounds: {rounds!r} is not a whole number from 1 to 1e15")
        return int(rounds)

    def _settings(self, rounds: int) -> None:
        self.settings = ffi.new("netdp_settings *", lib.netdp_settings_default())
        self.settings.rounds = rounds
        self.settings.varying.seed = self.seed
        for name, value in self.given.items():
            field = _SETTINGS[name][1]
            if field is None:
                continue
            try:
                setattr(self.settings, field, value if not isinstance(value, np.generic) else value.item())
            except (TypeError, OverflowError) as wrong:
                raise Invalid(f"{name}: {value!r}: {wrong}") from None

    # ---- Who learns about whom ----

    def _nodes(self, what: str, given: Any) -> Optional[List[int]]:
        if given is None or (isinstance(given, str) and given == "all" and "all" not in self.graph._known()):
            return None
        labels: Sequence[Node]
        if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__") or self._is_node(given):
            labels = [given]
        else:
            labels = list(given)
        numbers = []
        for label in labels:
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

    def _parties(self, from_: Any, to: Any, coalition: bool) -> None:
        self.coalition = coalition or isinstance(to, (set, frozenset))
        self.sources, self.observers = self._nodes("from_", from_), self._nodes("to", to)
        if self.coalition and self.observers is None:
            raise Invalid("to: a coalition of all leaves nobody to learn about; name its members")

    def _ask(self, request: Any) -> None:
        for field, numbers in (("from", self.sources), ("to", self.observers)):
            if numbers is not None:
                listed = ffi.new("int32_t[]", numbers)
                self._keep.append(listed)
                setattr(request, field, listed)
                setattr(request, field + "_count", len(numbers))
        request.coalition = self.coalition
        request.bound = self.bound[0]

    # ---- Three kinds of protocols ----

    def _pairs(self) -> None:
        name = self.given.get("pair_graph")
        if "pair_noise" in self.given:
            self.settings.pairing.noise = number("pair_noise", self.given["pair_noise"])
        if name is None:
            return
        if isinstance(name, str):
            made = ffi.new("netdp_graph **")
            call(lib.netdp_pairing_graph, bytes_of(name), self.graph._pointer, whole("pair_seed", self.given.get("pair_seed", 1)), made)
            self.pairs: Any = ffi.gc(made[0], lib.netdp_graph_free)
        else:
            held = graph(name)
            if held.nodes == self.graph.nodes and held.names != self.graph.names:
                raise Invalid("pair_graph: its nodes have other names than the graph's, or another order")
            self._keep.append(held)
            self.pairs = held._pointer
        self.settings.pairing.graph = self.pairs

    def _quiet(self) -> None:
        """The covariance of a node's noise over the phases, as its lower factor."""
        if self.given.get("quiet") is None:
            return
        assert self.mixing is not None
        plain = lib.netdp_protocol_describe(self.named, self.mixing._pointer, self.settings)
        phases = lib.netdp_linear_contributions(ffi.new("netdp_linear *", plain))
        if isinstance(self.given["quiet"], str):
            self._designed(self.given["quiet"], phases)
            return
        covariance = np.asarray(self.given["quiet"], dtype=float)
        if covariance.shape != (phases, phases) or not np.isfinite(covariance).all() or (covariance != covariance.T).any():
            raise Invalid(f"quiet: give a symmetric covariance of the {phases} phases, [{phases}][{phases}]")
        try:
            factor = ffi.new("double[]", np.linalg.cholesky(covariance).ravel().tolist())
        except np.linalg.LinAlgError:
            raise Invalid("quiet: is no covariance: it must be positive definite") from None
        self._keep.append(factor)
        self.settings.quiet.factor, self.settings.quiet.phases = factor, phases

    def _designed(self, name: str, phases: int) -> None:
        """Noise that the library designs: "fresh", "optimal", "banded:B", "blt:M"."""
        asked, made = ffi.new("netdp_quiet_request *"), ffi.new("netdp_quiet_design **")
        try:
            call(lib.netdp_quiet_parse, bytes_of(name), ffi.addressof(asked, "kind"))
            asked.phases, asked.cycle = phases, max(1, self.settings.cycle)
            if asked.kind.family == lib.NETDP_QUIET_FRESH:
                return
            workload = self.given.get("workload") or "sums"
            if workload not in ("sums", "gossip"):
                raise Invalid(f"workload: {workload!r}; give sums or gossip")
            if workload == "gossip":
                assert self.mixing is not None
                gram = ffi.new("double[]", phases * phases)
                self._keep.append(gram)
                asked.workload = gram
                inner = self.settings.inner if self.named.settings & lib.NETDP_SETTING_INNER else 1
                call(lib.netdp_mixing_workload, self.mixing._pointer, inner, phases, asked.workload)
            call(lib.netdp_quiet_design_new, asked, made)
        except Invalid as wrong:
            raise Invalid(f"quiet: {wrong}") from None
        design = ffi.gc(made[0], lib.netdp_quiet_design_free)
        if design.factor == ffi.NULL:
            raise Invalid(f"quiet: {phases} phases are too many")
        self._keep.append(design)
        self.settings.quiet.factor, self.settings.quiet.phases = design.factor, phases

    def _varying(self) -> None:
        varying = ffi.addressof(self.settings, "varying")
        dropout, redraw = self.given.get("dropout"), self.given.get("redraw")
        if dropout is not None:
            call(lib.netdp_variation_dropout, bytes_of(str(dropout)), varying)
        if redraw is not None:
            if varying.kind != lib.NETDP_VARY_NEVER:
                raise Invalid("dropout and redraw: a network changes in one of the two ways")
            if redraw not in ("round", "phase", "one-peer"):
                raise Invalid(f"redraw: {redraw!r}; give 'round', 'phase' or 'one-peer'")
            if redraw == "one-peer":
                call(lib.netdp_variation_one_peer, self.graph._pointer, varying)
                return
            if redraw == "phase" and not self.has(lib.NETDP_SETTING_INNER):
                raise Invalid(f"redraw: {self.name} has no phases; give 'round', or leave it out")
            call(lib.netdp_variation_redraw, self.graph._pointer, self.settings.inner if redraw == "phase" else 1, varying)

    def _gossip(self) -> None:
        self.request = ffi.new("netdp_loss_request *")
        for field, parse in (("sees", lib.netdp_sees_parse), ("own_noise", lib.netdp_own_noise_parse),
                             ("certify", lib.netdp_certify_parse)):
            if field in self.given:
                if field == "certify" and self.given[field] == "no":
                    warnings.warn("certify='no': every loss is proven or closed now; taken as 'auto'", DeprecationWarning,
                                  stacklevel=4)
                word = ffi.new(f"netdp_{field} *")
                call(parse, bytes_of(self.given[field]), word)
                setattr(self.request, field, word[0])
        if self.mixing is None:
            self.mixing = mixing(self.graph, self.weights)
        self._varying()
        self._protection()
        self._pairs()
        if self.settings.varying.revealed and self.settings.pairing.graph != ffi.NULL:
            left = ffi.new("netdp_graph **")
            call(lib.netdp_pairing_revealed, self.settings.pairing.graph, self.mixing._pointer,
                 ffi.addressof(self.settings, "varying"), left)
            self._keep.append(ffi.gc(left[0], lib.netdp_graph_free))
            self.settings.pairing.graph = left[0]
        self._quiet()
        self.protocol = ffi.new("netdp_linear *",
                                lib.netdp_protocol_describe(self.named, self.mixing._pointer, self.settings))
        call(lib.netdp_linear_check, self.protocol)
        self.request.protocol = self.protocol
        self._ask(self.request)
        self._pattern()

    def _protection(self) -> None:
        """What is protected: a node or one row, and which rows take part in a phase. `cycle` is of rows by itself."""
        made, cycle = self.request.protection, self.settings.cycle
        protects = self.given.get("protects") or ("row" if cycle > 1 else "node")
        made.protects = _choose("protects", protects, {"node": lib.NETDP_PROTECTS_NODE, "row": lib.NETDP_PROTECTS_ROW})
        made.change = _choose("change", self.given.get("change") or "replace",
                              {"replace": lib.NETDP_CHANGE_REPLACE, "add-remove": lib.NETDP_CHANGE_ADD_REMOVE})
        call(lib.netdp_batches_parse, bytes_of(self.given.get("batches") or "full"), ffi.addressof(made, "batches"))
        if protects == "node" and cycle > 1:
            raise Invalid("cycle: batches that take turns protect a row; give protects='row'")
        if cycle > 0 and made.batches.kind != lib.NETDP_BATCHES_FULL:
            raise Invalid("cycle and batches: say the same; give one of them")
        if cycle > 1:
            made.batches.kind, made.batches.count = lib.NETDP_BATCHES_CYCLIC, cycle
        elif protects == "row" and made.batches.kind == lib.NETDP_BATCHES_CYCLIC:
            self.settings.cycle = made.batches.count
        call(lib.netdp_protection_check, ffi.addressof(self.request, "protection"))
        if self.given.get("rows") is None:
            return
        if protects != "row":
            raise Invalid("rows: is how much one row weighs; give protects='row'")
        rows = np.asarray(self.given["rows"], dtype=float)
        if rows.shape != (self.graph.nodes,) or not ((rows >= 1) & (rows == np.floor(rows))).all():
            raise Invalid(f"rows: give a whole number from 1 for each of the {self.graph.nodes} nodes")
        least = rows.min()
        share = ffi.new("double[]", np.where(rows == least, 1, np.minimum(1, np.nextafter(least / rows, np.inf))).tolist())
        self._keep.append(share)
        made.share = share

    def _pattern(self) -> None:
        if self.given.get("pattern") is None:
            return
        if self.protocol.every == 0:
            raise Invalid("pattern: averaging has one contribution; it applies to stream, gossip-sgd and muffliato-sgd")
        if self.protocol.at_most > 0:
            raise Invalid("pattern: says itself which contributions are made; leave out at_most")
        slots = (self.protocol.rounds - 1) // self.protocol.every + 1
        pattern = np.asarray(self.given["pattern"], dtype=float)
        if pattern.shape != (slots,) or not (np.abs(pattern) <= 1).all():
            raise Invalid(f"pattern: give one number in [-1, 1] for each of the {slots} contribution rounds")
        held = ffi.new("double[]", pattern.tolist())
        self._keep.append(held)
        self.request.pattern = held
        if self.request.bound == lib.NETDP_BOUND_AUTO:
            self.request.bound = lib.NETDP_BOUND_LINEAR if self.protocol.reacts else lib.NETDP_BOUND_LOWER

    def _walk(self) -> None:
        made = ffi.new("netdp_transition **")
        call(lib.netdp_transition_new, self.graph._pointer,
             bytes_of(self.weights if self.mixing is None else self.mixing.name), made)
        self.law = ffi.gc(made[0], lib.netdp_transition_free)
        start = self.given.get("start", "uniform")
        if start == "observer":
            self.settings.start = lib.NETDP_START_OBSERVER
        elif start != "uniform":
            try:
                self.settings.start = self.graph.index(start)
            except Invalid as wrong:
                raise Invalid(f"start: {wrong}") from None
        self.gamma: Any = ffi.NULL
        if self.given.get("gamma") is not None:
            try:
                theta, low, high = (float(number) for number in self.given["gamma"])
            except (TypeError, ValueError):
                raise Invalid("gamma: give (theta, low, high): the scale of the noise and the range of what it hides"
                              ) from None
            self.gamma = ffi.new("netdp_gamma *", {"theta": theta, "low": low, "high": high})
        self.token = ffi.new("netdp_token *", lib.netdp_protocol_describe_token(self.named, self.law, self.settings))
        path = _choose("path", self.given.get("path", "hidden"), _PATHS)
        if path != lib.NETDP_PATH_HIDDEN:
            route = ffi.new("netdp_route **")
            call(lib.netdp_route_new, self.token, path, self.settings.path_seed, route)
            self.route = self.token.route = ffi.gc(route[0], lib.netdp_route_free)
        call(lib.netdp_token_check, self.token)
        self.request = ffi.new("netdp_walk_request *", {"token": self.token})
        self._ask(self.request)

    def _tally(self) -> None:
        if self.weights != "metropolis":
            raise Invalid(f"mixing: does not apply to {self.name}; leave it out")
        counts = self.has(lib.NETDP_SETTING_HISTOGRAM)
        if counts and not self.calibrates and not self.settings.flip > 0:
            raise Invalid("flip: required; the probability, above 0 and below 1, that a contribution is a uniform value")
        if self.calibrates:
            self.settings.flip = 0.5  # until it is found
        self.settings.mechanism = _choose("mechanism", self.given.get("mechanism", "gaussian"), _MECHANISMS)
        self.settings.schedule = _choose("schedule", self.given.get("schedule", "once"), _SCHEDULES)
        names = {text_of(lib.netdp_shuffle_name(k)) or "": k for k in range(lib.NETDP_SHUFFLE_BOUNDS)}
        self._pairs()
        self.tally = ffi.new("netdp_tally *")
        call(lib.netdp_protocol_describe_tally, self.named, self.graph._pointer, self.settings, self.tally)
        call(lib.netdp_tally_check, self.tally)
        self.request = ffi.new("netdp_tally_request *", {"tally": self.tally})
        self.request.shuffle = _choose("shuffle", self.given.get("shuffle", "least"), names)
        self._ask(self.request)

    # ---- Answers ----

    def usual_unit(self) -> str:
        if self.is_walk:
            return "rdp:2"
        if not self.is_tally:
            return "loss"
        if not self.has(lib.NETDP_SETTING_SUM) or self.given.get("mechanism", "gaussian") != "gaussian":
            return "dp:1e-6"
        return "loss" if self.has(lib.NETDP_SETTING_RING) else "rdp:2"

    def noise_of(self, noise: Optional[float], unit: Unit) -> float:
        flips = self.has(lib.NETDP_SETTING_HISTOGRAM)
        if noise is not None and flips:
            raise Invalid(f"noise: does not apply to {self.name}; give flip")
        if noise is None and not flips and unit.value.currency != lib.NETDP_AS_LOSS:
            raise Invalid(f"noise: required for as_={unit.text!r}; in units of the sensitivity")
        if noise is None:
            return 0.0 if flips else 1.0
        noise = number("noise", noise)
        if not noise >= 0 or math.isnan(noise):
            raise Invalid(f"noise: {noise:g}; must be 0 or more")
        return noise

    def choose_rounds(self, noise: float) -> None:
        if not self.rounds_auto:
            return
        gap, rounds = ffi.new("double *"), ffi.new("int64_t *")
        call(lib.netdp_linear_gap, self.protocol, gap)
        call(lib.netdp_rounds_auto, gap[0], self.graph.nodes, noise, self.variance, rounds)
        self.protocol.rounds = rounds[0]

    def pay_for_law(self, unit: Unit) -> None:
        """Half of delta goes to the release of the law."""
        if self.gamma == ffi.NULL:
            return
        if unit.value.currency != lib.NETDP_AS_DP:
            raise Invalid("gamma: its cost is an (epsilon, delta); use as_='dp:DELTA'")
        epsilon = ffi.new("double *")
        self.request.law_delta = unit.value.parameter / 2
        call(lib.netdp_gamma_to_epsilon, self.gamma, self.request.law_delta, epsilon)
        self.request.law_epsilon = epsilon[0]

    def account(self, noise: float, unit: Unit, draws: Optional[int], watch: Watch) -> Any:
        made = ffi.new("netdp_losses **")
        if self.is_tally:
            if not self.has(lib.NETDP_SETTING_HISTOGRAM):
                self.tally.noise = noise
            self.request.unit = unit.value[0]
            call(lib.netdp_tally_check, self.tally)
            call(lib.netdp_tally_losses_new, self.request, watch.pointer, made)
        elif self.is_walk:
            self.request.noise, self.request.unit = noise, unit.value[0]
            self.pay_for_law(unit)
            call(lib.netdp_walk_losses_new, self.request, watch.pointer, made)
        elif draws is not None:
            if not 1 <= draws <= 1000000:
                raise Invalid("draws: must be a whole number from 1 to 1000000")
            drawn = ffi.new("netdp_drawn_request *", {"losses": self.request, "draws": draws, "noise": noise,
                                                      "unit": unit.value[0], "failure": lib.NETDP_DRAWN_FAILURE})
            call(lib.netdp_losses_drawn, drawn, watch.pointer, made)
        else:
            call(lib.netdp_losses_new, self.request, watch.pointer, made)
        return ffi.gc(made[0], lib.netdp_losses_free)

    def calibrate(self, target: Any, unit: Unit, watch: Watch) -> Tuple[Any, Any]:
        """(netdp_calibration *, losses); the description takes what was found."""
        found, made = ffi.new("netdp_calibration *"), ffi.new("netdp_losses **")
        if self.is_tally:
            call(lib.netdp_tally_check, self.tally)
            call(lib.netdp_tally_calibrate, self.request, target, watch.pointer, found, made)
            self.tally.noise = found.noise
            if self.has(lib.NETDP_SETTING_HISTOGRAM):
                self.tally.flip = found.noise
        elif self.is_walk:
            self.pay_for_law(unit)
            if self.request.law_epsilon >= target.epsilon:
                raise_out_of_reach(target.epsilon, self.request.law_epsilon)
            call(lib.netdp_walk_calibrate, self.request, target, watch.pointer, found, made)
        else:
            call(lib.netdp_calibrate, self.request, target, watch.pointer, found, made)
            for field in ("rounds", "dither", "dither_decay", "end_dither"):
                setattr(self.protocol, field, getattr(found, field))
            self.protocol.pairing.noise = found.pair_noise
        return found, ffi.gc(made[0], lib.netdp_losses_free)

    def words(self, noise: float, over_draws: bool) -> str:
        """What the guarantee assumes, as the command prints it."""
        text, name = ffi.new("char **"), bytes_of(self.name)
        if self.is_tally:
            call(lib.netdp_tally_words, self.tally, name, text)
        elif self.is_walk:
            self.request.noise = noise
            call(lib.netdp_walk_words, self.request, name, self.gamma, text)
        else:
            call(lib.netdp_gossip_words, self.request, name, noise, over_draws, text)
        return take_text(text)


def raise_out_of_reach(target: float, paid: float) -> None:
    from netdp._call import NoAnswer

    raise NoAnswer(f"target {target:g} is out of reach: gamma alone costs {paid:g} at half of delta; raise theta or the "
                   "target")

"""Lists of events, to and from the formats of other accountants.

An `Events` is what `netdp convert events:FILE` reads (docs/files.md, "Lists of events"), with its neighbours: what of
the data differs between the two worlds that a guarantee compares. `noise` is in units of the sensitivity there, and
the others' multipliers in units of the clipping norm C. Where a row is replaced the sensitivity is 2 C, so that their
multiplier is twice our noise; where one is added or removed it is C, and they are equal.

Numbers keep their bits: only the parameter of discrete noise is divided, and rounds to less noise.
"""
from __future__ import annotations

import dataclasses
import json
import math
import os
from typing import Any, Callable, Dict, List, Mapping, Sequence, Tuple

import numpy as np

from netdp._call import Invalid
from netdp._more import Converted, convert as _convert

__all__ = ["Events", "read", "from_dp_accounting", "to_dp_accounting", "from_opacus", "to_opacus", "from_opendp", "to_opendp"]

Event = Dict[str, Any]

#: What is accounted for between neighbours of one kind alone, as the library has it.
_ONLY = {"subsampled-gaussian": "add-remove", "subsampled-laplace": "add-remove",
         "gaussian-without-replacement": "replace", "subsampled-gaussian-replaced": "replace"}
#: The neighbours by our name: dp_accounting's name, and how many clipping norms a sum moves by.
_NEIGHBOURS = {"replace": ("REPLACE_ONE", 2), "add-remove": ("ADD_OR_REMOVE_ONE", 1)}


@dataclasses.dataclass(frozen=True)
class Events:
    """A list of events, and whether a row is replaced ("replace") or added or removed ("add-remove").

    >>> netdp.events.from_opacus({"history": [(1.1, 0.01, 1000)], "mechanism": "prv"}).convert("dp:1e-5")
    """

    adjacency: str
    events: Tuple[Event, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.adjacency, str) or self.adjacency not in _NEIGHBOURS:
            raise Invalid(f"adjacency: {self.adjacency!r}; give 'replace' or 'add-remove'")
        for k, event in enumerate(self.events):
            if not isinstance(event, Mapping) or not isinstance(event.get("mechanism"), str):
                raise Invalid(f'event {k + 1}: {event!r} is none; write {{"mechanism": ...}}')
            theirs = _ONLY.get(event["mechanism"], self.adjacency)
            if theirs != self.adjacency:
                raise Invalid(f"event {k + 1}: {event['mechanism']} is accounted for where a row is "
                              + ("added or removed, not where one is replaced" if theirs == "add-remove" else
                                 "replaced, not where one is added or removed"))

    def to_json(self) -> str:
        """The text that `read` reads: {"adjacency": ..., "events": [...]}."""
        return _to_json({"adjacency": self.adjacency, "events": list(self.events)}) + "\n"

    def write(self, path: Any) -> None:
        """Writes `to_json()`. `netdp convert events:PATH` reads the file, too."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_json())

    def convert(self, to: str, **manner: Any) -> Converted:
        """All of them together, as `netdp.convert("events:FILE", to)`: for the neighbours of the list."""
        import tempfile
        room, path = tempfile.mkstemp(suffix=".json")
        try:
            with os.fdopen(room, "w", encoding="utf-8") as file:
                file.write(_to_json(list(self.events)))
            return _convert("events:" + path, to, **manner)
        finally:
            os.unlink(path)


def _plain(given: Any) -> Any:
    if isinstance(given, np.generic):
        return given.item()
    raise Invalid(f"events: {given!r} is neither a number nor a text")


def _to_json(given: Any) -> str:
    try:
        return json.dumps(given, allow_nan=False, default=_plain)
    except ValueError as wrong:
        raise wrong if isinstance(wrong, Invalid) else Invalid('events: a number is NaN or infinite; infinity is written "inf"') from None


def _from_json(what: Any, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as wrong:
        raise Invalid(f"{what}: is no JSON ({wrong})") from None


def _number(what: str, given: Any) -> float:
    """A number from 0, as all of these formats have them."""
    if isinstance(given, (bool, np.bool_, np.ndarray)) or not isinstance(given, (int, float)) and not hasattr(given, "__float__"):
        raise Invalid(f"{what}: {given!r} is no number")
    value = float(given)
    if math.isnan(value):
        raise Invalid(f"{what}: is NaN")
    if value < 0:
        raise Invalid(f"{what}: {given!r}; must be 0 or more")
    return value


def _whole(what: str, given: Any, least: int) -> int:
    value = _number(what, given)
    if not math.isfinite(value) or value != math.floor(value) or value < least:
        raise Invalid(f"{what}: {given!r}; must be a whole number from {least}")
    return int(value)


def _count(event: Mapping[str, Any]) -> int:
    return _whole(f"{event.get('mechanism')}: count", event.get("count", 1), 1)


def _write(value: float) -> Any:
    return "inf" if value == math.inf else value


def _read(event: Mapping[str, Any], key: str) -> float:
    if key not in event:
        raise Invalid(f"{event.get('mechanism')}: {key}: missing")
    value = event[key]
    return math.inf if value == "inf" else _number(key, value)


def _below(value: float) -> float:
    return float(np.nextafter(value, 0.0)) if math.isfinite(value) else value


def _joined(events: Sequence[Event]) -> Tuple[Event, ...]:
    """Neighbours in the list that are equal become one; nothing else is moved."""
    made: List[Event] = []
    for event in events:
        count = event.get("count", 1)
        plain = {key: value for key, value in event.items() if key != "count"}
        if made and {key: value for key, value in made[-1].items() if key != "count"} == plain:
            made[-1]["count"] += count
        else:
            made.append({**plain, "count": count})
    return tuple(made)


def read(path: Any, adjacency: str = "") -> Events:
    """A file of events. `adjacency`: of a bare list, which does not say it; a file that does is believed, and must agree."""
    with open(path, encoding="utf-8") as file:
        found = _from_json(path, file.read())
    if isinstance(found, list):
        if not adjacency:
            raise Invalid(f"{path}: a bare list does not say its neighbours; give adjacency='replace' or 'add-remove'")
        return Events(adjacency, tuple(found))
    if not isinstance(found, dict) or set(found) != {"adjacency", "events"} or not isinstance(found["events"], list):
        raise Invalid(f'{path}: no list of events; write {{"adjacency": ..., "events": [...]}}')
    if adjacency and adjacency != found["adjacency"]:
        raise Invalid(f"{path}: says {found['adjacency']!r}, not {adjacency!r}")
    return Events(found["adjacency"], tuple(found["events"]))


# ---- dp_accounting: DpEvent, as its named tuples are written as JSON ----

_MODULE = "dp_accounting.dp_event"


def _fields(event: Any, where: str) -> Tuple[str, Dict[str, Any]]:
    """Class and fields of a DpEvent, of its named tuple, or of that as a JSON object or list of its parts."""
    if isinstance(event, Mapping):
        name, fields = event.get("class_name"), {k: v for k, v in event.items() if k not in ("class_name", "module_name", "_fields")}
    elif hasattr(event, "_asdict"):
        return _fields(event._asdict(), where)
    elif hasattr(type(event), "__attrs_attrs__"):
        name, fields = type(event).__name__, {a.name: getattr(event, a.name) for a in type(event).__attrs_attrs__}
    else:
        raise Invalid(f"{where}: {event!r} is no DpEvent")
    if not isinstance(name, str):
        raise Invalid(f"{where}: class_name: missing")
    return name, fields


def _part(fields: Mapping[str, Any], where: str, *names: str) -> List[Any]:
    """The fields of those names, each there, and no other: one that is not known would be left out of the account."""
    if set(fields) != set(names):
        raise Invalid(f"{where}: has the fields {', '.join(sorted(map(str, fields))) or '(none)'}; must have {', '.join(names) or 'none'}")
    return [fields[name] for name in names]


def _noisy(mechanism: str) -> Callable[..., Event]:
    def of(moves: int, where: str, noise_multiplier: Any) -> Event:
        return {"mechanism": mechanism, "noise": _write(_number(where, noise_multiplier) / moves)}
    return of


def _discrete_laplace(moves: int, where: str, noise_parameter: Any, sensitivity: Any) -> Event:
    steps, rate = moves * _whole(where + ".sensitivity", sensitivity, 1), _number(where, noise_parameter)
    if not rate > 0:
        raise Invalid(f"{where}: noise_parameter: {rate!r}; must be above 0")
    noise = 1 / (rate * steps)
    while math.isfinite(noise) and noise * steps * rate > 1 - 2e-16:
        noise = _below(noise)
    return {"mechanism": "discrete-laplace", "noise": noise, "levels": steps}


def _discrete_gaussian(moves: int, where: str, sigma: Any, sensitivity: Any = 1.0, dimension: Any = None) -> Event:
    steps = moves * _whole(where + ".sensitivity", sensitivity, 1)
    if steps > 1 and dimension != 1:
        raise Invalid(f"{where}: a discrete Gaussian that moves by {steps} steps is accounted for in one dimension; this one has "
                      f"{dimension or 'any number'}")
    noise = _number(where, sigma) / steps
    while noise * steps > sigma:
        noise = _below(noise)
    return {"mechanism": "discrete-gaussian", "noise": _write(noise), "levels": steps}


def _response(moves: int, where: str, noise_parameter: Any, num_buckets: Any) -> Event:
    if moves == 1:
        raise Invalid(f"{where}: randomised response compares two answers: a row that is replaced")
    return {"mechanism": "randomised-response", "flip": _number(where, noise_parameter), "levels": _whole(where, num_buckets, 2)}


def _approximate(moves: int, where: str, epsilon: Any, delta: Any = 0.0) -> Event:
    return {"mechanism": "approximate", "epsilon": _write(_number(where, epsilon)), "delta": _number(where, delta)}


#: What one DpEvent is here. The exponential mechanism and permute-and-flip are taken for what they are at least: epsilon-DP.
_DP_EVENTS: Dict[str, Callable[..., Event]] = {
    "GaussianDpEvent": _noisy("gaussian"),
    "LaplaceDpEvent": _noisy("laplace"),
    "DiscreteLaplaceDpEvent": _discrete_laplace,
    "DiscreteGaussianDpEvent": _discrete_gaussian,
    "RandomizedResponseDpEvent": _response,
    "EpsilonDeltaDpEvent": _approximate,
    "ExponentialMechanismDpEvent": _approximate,
    "PermuteAndFlipDpEvent": _approximate,
    "NonPrivateDpEvent": lambda moves, where: _approximate(moves, where, math.inf),
}


def _poisson(fields: Mapping[str, Any], moves: int, where: str) -> Event:
    rate, event = _part(fields, where, "sampling_probability", "event")
    name, inner = _fields(event, where)
    if name != "GaussianDpEvent":
        raise Invalid(f"{where}: PoissonSampledDpEvent of {name}: netdp accounts for that of a GaussianDpEvent")
    if moves != 1:
        raise Invalid(f"{where}: PoissonSampledDpEvent is accounted for where a row is added or removed, not where one is replaced")
    return {"mechanism": "subsampled-gaussian", "noise": _write(_number(where, *_part(inner, f"{where}.{name}", "noise_multiplier"))),
            "rate": _number(where, rate)}


def _flat(event: Any, moves: int, count: int, where: str, depth: int = 0) -> List[Event]:
    if depth > 200:
        raise Invalid(f"{where}: nested too deeply")
    name, fields = _fields(event, where)
    where = f"{where}.{name}"
    if name == "NoOpDpEvent":
        return _part(fields, where)
    if name == "SelfComposedDpEvent":
        inner, times = _part(fields, where, "event", "count")
        return _flat(inner, moves, count * _whole(where + ".count", times, 0), where, depth + 1)
    if name == "ComposedDpEvent":
        parts, = _part(fields, where, "events")
        if not isinstance(parts, (list, tuple)):
            raise Invalid(f"{where}: events: {parts!r} is no list")
        once = [one for k, part in enumerate(parts) for one in _flat(part, moves, 1, f"{where}[{k}]", depth + 1)]
        return [{**one, "count": one["count"] * count} for one in once if count > 0]
    if count == 0:
        return []
    if name == "PoissonSampledDpEvent":
        return [{**_poisson(fields, moves, where), "count": count}]
    if name not in _DP_EVENTS:
        raise Invalid(f"{where}: netdp has no account of a {name}")
    try:
        return [{**_DP_EVENTS[name](moves, where, **fields), "count": count}]
    except TypeError as wrong:
        raise Invalid(f"{where}: has other fields than {name} has ({wrong})") from None


def from_dp_accounting(document: Any, adjacency: str = "") -> Events:
    """Events of dp_accounting: {"neighboring_relation": ..., "event": ...}, or a DpEvent with `adjacency` beside it.

    The event is a DpEvent, its `to_named_tuple()`, or that as JSON: an object with "class_name" and the fields. What netdp
    has no account of is refused by its name, so is REPLACE_SPECIAL.
    """
    event = document
    if isinstance(document, Mapping) and "neighboring_relation" in document:
        said = str(document["neighboring_relation"]).rpartition(".")[2]
        ours = {theirs: name for name, (theirs, _) in _NEIGHBOURS.items()}.get(said)
        if ours is None:
            raise Invalid(f"neighboring_relation: {said!r}; netdp has {' and '.join(theirs for theirs, _ in _NEIGHBOURS.values())}")
        if adjacency and adjacency != ours:
            raise Invalid(f"adjacency: {adjacency!r}, where the document says {said}")
        adjacency, event = ours, document.get("event")
    if adjacency not in _NEIGHBOURS:
        raise Invalid("adjacency: a DpEvent does not say its neighbours; give 'replace' or 'add-remove'")
    return Events(adjacency, _joined(_flat(event, _NEIGHBOURS[adjacency][1], 1, "event")))


def _named(name: str, **fields: Any) -> Dict[str, Any]:
    return {"module_name": _MODULE, "class_name": name, **fields}


def _theirs(event: Event, moves: int) -> Dict[str, Any]:
    """One event as DpEvent."""
    mechanism = event["mechanism"]
    if mechanism in ("gaussian", "laplace"):
        return _named(mechanism.capitalize() + "DpEvent", noise_multiplier=moves * _read(event, "noise"))
    if mechanism == "subsampled-gaussian":
        return _named("PoissonSampledDpEvent", sampling_probability=_read(event, "rate"),
                      event=_named("GaussianDpEvent", noise_multiplier=moves * _read(event, "noise")))
    if mechanism == "approximate":
        if _read(event, "epsilon") == math.inf:
            return _named("NonPrivateDpEvent")
        return _named("EpsilonDeltaDpEvent", epsilon=_read(event, "epsilon"), delta=_read(event, "delta"))
    if mechanism == "randomised-response" and moves == 2:
        return _named("RandomizedResponseDpEvent", noise_parameter=_read(event, "flip"), num_buckets=int(event["levels"]))
    if mechanism in ("discrete-laplace", "discrete-gaussian"):
        steps, noise = int(event["levels"]), _read(event, "noise")
        if steps % moves == 0 and 0 < noise < math.inf:
            if mechanism == "discrete-gaussian":
                return _named("DiscreteGaussianDpEvent", sigma=noise * steps, sensitivity=float(steps // moves), dimension=1)
            return _named("DiscreteLaplaceDpEvent", noise_parameter=_rate(noise * steps), sensitivity=steps // moves)
    raise Invalid(f"{mechanism}: dp_accounting has no such event")


def _rate(scale: float) -> float:
    """1/scale, upward: less noise. Reading it back gives the scale or a little less."""
    rate = 1 / scale
    return rate if rate * scale >= 1 else float(np.nextafter(rate, math.inf))


def _build(event: Any, module: Any) -> Any:
    if isinstance(event, dict):
        fields = {key: _build(value, module) for key, value in event.items() if key not in ("class_name", "module_name")}
        return getattr(module, event["class_name"])(**fields)
    return [_build(one, module) for one in event] if isinstance(event, list) else event


def to_dp_accounting(events: Events, module: Any = None) -> Any:
    """{"neighboring_relation": ..., "event": ...}, the event as JSON of dp_accounting's named tuples.

    With `module=dp_accounting` the event is made of its classes: `accountant.compose(found["event"])`. Its multipliers are
    twice our noise where a row is replaced. What it has no event for (a walk's) is refused.
    """
    theirs, moves = _NEIGHBOURS[events.adjacency]
    parts = [_named("SelfComposedDpEvent", event=_theirs(one, moves), count=_count(one)) if _count(one) != 1
             else _theirs(one, moves) for one in events.events]
    event = _named("ComposedDpEvent", events=parts)
    return {"neighboring_relation": theirs, "event": event if module is None else _build(event, module)}


# ---- Opacus: (sigma, rate, steps) ----

def from_opacus(document: Any, adjacency: str = "add-remove") -> Events:
    """Opacus' history, a list of (noise multiplier, sample rate, steps), or an accountant's `state_dict()`.

    Opacus accounts for adding or removing a row, drawn by Poisson. Where every row is in every step (rate 1) it may be asked
    what replacing one costs: the noise is half of the multiplier then.
    """
    history = document.history if hasattr(document, "history") else document
    if isinstance(history, Mapping):
        if "history" not in history:
            raise Invalid("no state of an accountant of Opacus: it has no 'history'")
        history = history["history"]
    if isinstance(history, (str, bytes)) or not hasattr(history, "__iter__"):
        raise Invalid(f"history: {history!r} is no list of (noise multiplier, sample rate, steps)")
    if adjacency not in _NEIGHBOURS:
        raise Invalid(f"adjacency: {adjacency!r}; give 'replace' or 'add-remove'")
    moves, made = _NEIGHBOURS[adjacency][1], []
    for k, step in enumerate(history):
        if isinstance(step, (str, Mapping)) or not hasattr(step, "__len__") or len(step) != 3:
            raise Invalid(f"step {k + 1}: {step!r} is no (noise multiplier, sample rate, steps)")
        sigma, rate = _number(f"step {k + 1}: noise multiplier", step[0]), _number(f"step {k + 1}: sample rate", step[1])
        count = _whole(f"step {k + 1}: steps", step[2], 0)
        if not 0 <= rate <= 1 or not sigma >= 0:
            raise Invalid(f"step {k + 1}: {step!r}; the multiplier must be 0 or more, the rate in [0, 1]")
        event = ({"mechanism": "gaussian", "noise": _write(sigma / moves)} if rate == 1 else
                 {"mechanism": "subsampled-gaussian", "noise": _write(sigma), "rate": rate})
        if count > 0:
            made.append({**event, "count": count})
    return Events(adjacency, _joined(made))


def to_opacus(events: Events, mechanism: str = "prv") -> Dict[str, Any]:
    """A state of an accountant of Opacus ("prv" or "rdp"), for `load_state_dict`.

    Opacus knows adding and removing only: a list where a row is replaced is refused, for it would print half the mu.
    """
    if events.adjacency != "add-remove":
        raise Invalid("adjacency: Opacus accounts for adding or removing a row; what replacing one costs, with twice the sensitivity, "
                      "it cannot say")
    if mechanism not in ("prv", "rdp"):
        raise Invalid(f"mechanism: {mechanism!r}; give 'prv' or 'rdp' ('gdp' is an approximation that prints too little)")
    history = []
    for event in events.events:
        if event["mechanism"] not in ("gaussian", "subsampled-gaussian"):
            raise Invalid(f"{event['mechanism']}: Opacus has Gaussian noise only")
        rate = 1.0 if event["mechanism"] == "gaussian" else _read(event, "rate")
        history.append((_read(event, "noise"), rate, _count(event)))
    return {"history": history, "mechanism": mechanism}


# ---- OpenDP: measurements as dp.serialize writes them ----

#: Its list names each release.
_MOST_WRITTEN = 1000000

_SERIAL = {"gaussian": "make_gaussian", "laplace": "make_laplace"}


def from_opendp(document: Any, d_in: float, adjacency: str) -> Events:
    """Measurements as `opendp.prelude.serialize` writes them: Gaussian and Laplace noise, chained and composed.

    `d_in`: by how much neighbours differ in what the noise is added to (the sensitivity: after the transformations, and of
    neighbours that replace a row twice the clipping norm); a measurement does not know it, and it is the same for all here.
    Noise on the integers of a grid (T = an integer type) is discrete.
    """
    if isinstance(document, str):
        document = _from_json("measurement", document)
    if not (_number("d_in", d_in) > 0 and math.isfinite(d_in)):
        raise Invalid(f"d_in: {d_in!r}; must be above 0 and finite")
    return Events(adjacency, _joined(list(_measured(document, float(d_in), "measurement"))))


def _measured(given: Any, d_in: float, where: str) -> List[Event]:
    if isinstance(given, list) or isinstance(given, dict) and set(given) == {"__tuple__"}:
        return [one for k, part in enumerate(given if isinstance(given, list) else given["__tuple__"])
                for one in _measured(part, d_in, f"{where}[{k}]")]
    if not isinstance(given, dict) or "__function__" not in given:
        raise Invalid(f"{where}: no measurement as opendp's serialize() writes it")
    name, asked = given["__function__"], given.get("__kwargs__", {})
    if not isinstance(asked, dict) or not set(given) <= {"__function__", "__module__", "__kwargs__", "__version__"}:
        raise Invalid(f"{where}: {name}: is not as opendp's serialize() writes it, with its arguments by name in __kwargs__")
    if name == "make_chain_mt":
        return _measured(asked.get("measurement1"), d_in, where)
    if name in ("make_composition", "make_basic_composition"):
        return _measured(asked.get("measurements"), d_in, where)
    mechanism = {theirs: ours for ours, theirs in _SERIAL.items()}.get(str(name).replace("then_", "make_"))
    if mechanism is None:
        raise Invalid(f"{where}: netdp has no account of {name}")
    if asked.get("k") is not None:
        raise Invalid(f"{where}: k: noise on a grid of 2^{asked['k']} is another mechanism; leave k out")
    noise = _number(where, asked.get("scale")) / d_in
    while noise * d_in > asked["scale"]:
        noise = _below(noise)
    if not _discrete(asked, where):
        return [{"mechanism": mechanism, "noise": _write(noise), "count": 1}]
    if d_in != math.floor(d_in) or _is_vector(asked) and d_in > 1:
        raise Invalid(f"{where}: discrete noise is accounted for in one dimension, d_in a whole number")
    return [{"mechanism": "discrete-" + mechanism, "noise": _write(noise), "levels": int(d_in), "count": 1}]


def _is_vector(asked: Mapping[str, Any]) -> bool:
    return (asked.get("input_domain") or {}).get("__function__") == "vector_domain"


def _discrete(asked: Mapping[str, Any], where: str) -> bool:
    domain = asked.get("input_domain")
    if domain is None:  # of a constructor without its domain: as to_opendp writes it
        return False
    try:
        if domain["__function__"] == "vector_domain":
            domain = domain["__kwargs__"]["atom_domain"]
        kind = domain["__kwargs__"]["T"]
    except (KeyError, TypeError):
        kind = None
    if not isinstance(kind, str):
        raise Invalid(f"{where}: input_domain: does not say T, of whole numbers or not")
    return kind not in ("float", "f32", "f64")


def to_opendp(events: Events) -> Dict[str, Any]:
    """{"adjacency", "d_in": 1.0, "measurements": [...]}: what each releases, as serialize() writes a partial constructor.

    The noise is in units of the sensitivity, so that d_in is 1. OpenDP's own file has no neighbours beside it and no
    version of ours in it: what it makes of the list is for you to check.
    """
    made: List[Dict[str, Any]] = []
    for event in events.events:
        if len(made) + _count(event) > _MOST_WRITTEN:
            raise Invalid(f"OpenDP's list has no counts: at most {_MOST_WRITTEN} releases are written out")
        if event["mechanism"] not in _SERIAL:
            raise Invalid(f"{event['mechanism']}: is written for OpenDP as no measurement; gaussian and laplace are")
        one = {"__function__": _SERIAL[event["mechanism"]].replace("make_", "then_"), "__module__": "measurements",
               "__kwargs__": {"scale": _read(event, "noise"), "k": None}}
        made += [one] * _count(event)
    return {"adjacency": events.adjacency, "d_in": 1.0, "measurements": made}

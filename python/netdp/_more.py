"""Conversions of guarantees, and what the papers claim."""
from __future__ import annotations

import dataclasses
import math
from typing import Any, Dict, List, Mapping, Optional, Tuple

from netdp import _show
from netdp._call import Invalid, NoAnswer, Watch, bytes_of, call, ffi, lib, text_of
from netdp._network import graph as _graph, mixing as _mixing
from netdp._question import Unit


@dataclasses.dataclass(frozen=True)
class Converted:
    """A guarantee in another privacy measure. `float()` is its value."""

    value: float
    #: "epsilon", "mu", "sigma" or "theta", and the privacy measure ("dp:1e-6"; empty for sigma and theta).
    quantity: str
    unit: str
    #: A lower bound: no guarantee.
    lower: bool
    certified: bool
    #: What it is about where that is less than all that happens.
    covers: Optional[str]
    #: Of theta: the range of what it hides.
    low: float = 0.0
    high: float = 0.0

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        unit = (f" ({self.unit})" if self.unit else " in units of the sensitivity" if self.quantity == "sigma" else
                f" for L in [{self.low:g}, {self.high:g}]")
        return (f"{self.quantity} {'>=' if self.lower else '='} {self.value:.17g}{unit}"
                + (", a lower bound, not a guarantee" if self.lower else "")
                + (f"\ncovers {self.covers}" if self.covers else ""))


def convert(guarantee: str, to: str, *, published: bool = False, lower: bool = False,
            by: Optional[str] = None) -> Converted:
    """A guarantee in another privacy measure, where that is sound. (First tier. As `netdp convert`.)

    >>> print(netdp.convert("gdp:1", to="dp:1e-5"))

    `guarantee`: "gdp:MU", "rdp:ALPHA=EPSILON,...", "rdp-linear:C", "dp:EPSILON,DELTA", "events:FILE", an event such as
    "subsampled-gaussian:0.8,0.005 x1000", "gamma:THETA,LOW,HIGH" or "rr:FLIP,LEVELS,CROWD". `to`: "dp:DELTA",
    "rdp:ALPHA", "gdp", "sigma" or "gamma:LOW,HIGH". The value is an upper bound, rounded outward.
    """
    name = ffi.new("char[]", bytes_of(by)) if by is not None else ffi.NULL
    manner = ffi.new("netdp_manner *", {"published": published, "lower": lower, "by": name})
    made = ffi.new("netdp_converted *")
    call(lib.netdp_convert, bytes_of(guarantee), bytes_of(to), manner, made)
    return Converted(made.value, text_of(made.quantity) or "", text_of(made.unit) or "", bool(made.lower),
                     bool(made.certified), text_of(made.covers), made.low, made.high)


_SOUND = {lib.NETDP_SOUND_NO: "NO", lib.NETDP_SOUND_YES: "yes", lib.NETDP_SOUND_PARTLY: "partly", lib.NETDP_SOUND_RATE: "rate"}


@dataclasses.dataclass(frozen=True)
class Claim:
    """What a paper claims, and what holds. A claim's number is never a guarantee: `netdp.losses` makes those."""

    name: str
    paper: str
    #: Who wrote the paper, and when.
    source: Optional[str]
    statement: str
    unit: str
    #: "yes", "partly" (for what `why` says), "NO" (some inputs have a larger truth) or "rate" (hides constants).
    sound: str
    why: Optional[str]
    erratum: Optional[int]
    condition: Optional[str]
    inputs: Mapping[str, float]
    #: The paper's number; infinity: it says nothing for these inputs. None: not asked.
    value: Optional[float]
    #: What holds is between the two; None: not known.
    at_least: Optional[float]
    at_most: Optional[float]
    by: Optional[str]
    #: A number of an auxiliary lemma, which may be too large, too.
    lemma: bool

    @property
    def refuted(self) -> bool:
        """Is the claim wrong for these inputs?"""
        if self.value is None or self.at_least is None or self.at_most is None:
            return False
        too_good = self.lemma and self.value > self.at_most and self.at_least == 0
        return too_good or self.value < self.at_least * (1 - 1e-9)

    def __str__(self) -> str:
        lines = [f"{'claim':<12}{self.name} ({self.paper}{': ' + self.source if self.source else ''})", f"{'says':<12}{self.statement}"]
        lines += [f"{'inputs' if not k else '':<12}{name} = {value:.6g}" for k, (name, value) in enumerate(self.inputs.items())]
        if self.value is not None:
            lines.append(f"{'value':<12}" + ("infinite: the claim says nothing for these inputs" if math.isinf(self.value)
                                             else f"{self.value:.6g}  {self.unit}"))
        lines.append(f"{'sound':<12}{self.sound}" + (f": {self.why}" if self.why else "")
                     + (f" (errata {self.erratum})" if self.erratum else ""))
        if self.at_most is not None:
            low = f"at least {self.at_least:.6g}, " if self.at_least else ""
            lines.append(f"{'holds':<12}{low}"
                         + ("no upper bound" if math.isinf(self.at_most) else f"at most {_show.up(self.at_most, 6)}")
                         + f" ({self.by})")
        if self.refuted:
            lines.append(" " * 12 + "the claim is wrong for these inputs")
        return "\n".join(lines)


def _row(row: Any, unit: Optional[str] = None, **answer: Any) -> Claim:
    found: Dict[str, Any] = dict(inputs={}, value=None, at_least=None, at_most=None)
    found.update(answer)
    return Claim(name=text_of(row.name) or "", paper=text_of(row.paper) or "", source=text_of(lib.netdp_claim_source(row.paper)), statement=text_of(row.statement) or "",
                 unit=unit or text_of(lib.netdp_claim_unit(row.kind)) or "", sound=_SOUND[row.sound], why=text_of(row.why),
                 erratum=row.erratum or None, condition=text_of(row.condition), by=text_of(row.by), lemma=row.kind == lib.NETDP_CLAIM_SUM,
                 **found)


def claims() -> List[Claim]:
    """Every numbered result of the five papers, by name. (As `netdp claim`.)"""
    return [_row(lib.netdp_claim_at(i)) for i in range(lib.netdp_claim_count())]


def claim(name: str, graph: Any = None, *, mixing: str = "metropolis", from_: Any = None, to: Any = None, seed: int = 1,
          progress: Any = None, **inputs: float) -> Claim:
    """A paper's number for your inputs, and beside it what holds. (First tier. As `netdp claim NAME`.)

    >>> print(netdp.claim("C-theorem-1", "ring 60", rounds=68, noise=1, dither=1e-4, from_=15, to=0))

    `to`: a node, or a set of nodes that collude. Inputs are those of the command with `_` for `-`; a graph
    gives what is not given (nodes, gap, degree, ...).
    """
    found = ffi.new("netdp_claim **")
    call(lib.netdp_claim_find, bytes_of(name), found)
    row = found[0]
    asked = ffi.new("netdp_claim_inputs *")
    lib.netdp_claim_inputs_init(asked)
    keep: List[Any] = []
    network = None
    if graph is not None:
        network = _graph(graph, seed=seed)
        if row.graph == lib.NETDP_CLAIM_WALK:
            made = ffi.new("netdp_transition **")
            call(lib.netdp_transition_new, network._pointer, bytes_of(mixing), made)
            keep.append(ffi.gc(made[0], lib.netdp_transition_free))
            asked.law = keep[-1]
        else:
            keep.append(_mixing(network, mixing))
            asked.mixing = keep[-1]._pointer
    elif row.graph != lib.NETDP_CLAIM_NUMBERS:
        raise Invalid(f"{name}: needs a graph")

    def number(node: Any) -> int:
        return network.index(node) if network is not None else int(node)

    if from_ is not None:
        if row.parties < lib.NETDP_CLAIM_PAIR:
            raise Invalid(f"from_: {name} is not about a pair; leave it out")
        setattr(asked, "from", number(from_))
    if to is not None:
        if row.parties == lib.NETDP_CLAIM_NOBODY:
            raise Invalid(f"to: {name} is about no observer; leave it out")
        nodes: Tuple[Any, ...] = tuple(to) if isinstance(to, (set, frozenset, list)) else (to,)
        listed = ffi.new("int32_t[]", sorted({number(node) for node in nodes}))
        keep.append(listed)
        asked.to, asked.to_count = listed, len(listed)
    for key, value in inputs.items():
        which = ffi.new("netdp_input *")
        call(lib.netdp_claim_input, row, bytes_of(key.replace("_", "-")), which)
        asked.value[which[0]] = value
    call(lib.netdp_claim_derive, row, asked)
    call(lib.netdp_claim_check, row, asked)
    result, truth = ffi.new("double *"), ffi.new("netdp_claim_truth *")
    held: Dict[str, Optional[float]] = {}
    with Watch(progress) as watch:
        call(lib.netdp_claim_value, row, asked, watch.pointer, result)
        if row.account != ffi.NULL:
            try:
                call(lib.netdp_claim_holds, row, asked, watch.pointer, truth)
                held = {"at_least": truth.at_least, "at_most": truth.at_most}
            except NoAnswer:
                pass
    table = lib.netdp_inputs()
    taken = {}
    for which in row.inputs:
        if which == lib.NETDP_IN_END:
            break
        taken[text_of(table[which].name) or ""] = asked.value[which]
    alpha = asked.value[lib.NETDP_IN_ALPHA]
    unit = Unit(f"rdp:{alpha!r}").text if row.kind == lib.NETDP_CLAIM_RDP and alpha > 1 else None
    return _row(row, unit, inputs=taken, value=result[0], **held)

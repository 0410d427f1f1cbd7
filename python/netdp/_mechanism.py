"""Noise for somebody else's loop, and attacks on somebody else's noise."""
from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, Callable, List, Optional, Sequence, Tuple, Union

import numpy as np

from netdp import _show
from netdp._call import Invalid, bytes_of, call, ffi, lib, text_of
from netdp._question import flag, number

if TYPE_CHECKING:  # a third of what importing netdp took
    import numpy.typing as npt

    Numbers = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Spent:
    """What all releases of an account come to together: an upper bound."""

    epsilon: float
    delta: float
    releases: int


_masked: Any = np.ma  # whose functions have no types in NumPy 1


def _unmasked(array: Any) -> Any:
    """What is masked is not known: NaN, so refused or dropped."""
    return _masked.filled(array.astype(np.float64), np.nan) if isinstance(array, np.ma.MaskedArray) else array


def _array(what: str, given: Any, least: int) -> Numbers:
    if hasattr(given, "detach"):  # torch
        given = given.detach().cpu().numpy()
    try:
        plain = _masked.asarray(given) if isinstance(given, np.ma.MaskedArray) else np.asarray(given)
        kinds = {plain.dtype.kind} if plain.dtype.kind != "O" else {np.asarray(number).dtype.kind for number in plain.flat}
        if "c" not in kinds and kinds <= set("biufO"):
            with np.errstate(over="ignore"):  # of long doubles: infinite, and refused or dropped as such
                found = np.asarray(_unmasked(plain), dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise Invalid(f"{what}: is no array of numbers") from None
    except OverflowError:
        raise Invalid(f"{what}: holds a whole number beyond the largest double; scale it") from None
    if "c" in kinds:
        raise Invalid(f"{what}: holds complex numbers, of which only a part would count; give .real, .imag or both side by side")
    if not kinds <= set("biufO"):
        of = "dates or times" if kinds & set("mM") else "texts" if kinds & set("SU") else "records"
        raise Invalid(f"{what}: holds {of}; give an array of numbers")
    if found.ndim < least:
        raise Invalid(f"{what}: give an array of {least} or more dimensions, a row for each that is protected")
    return found


def _noise_of_rho(rho: float) -> float:
    """The least double with 1 / (2 noise^2) <= rho."""
    from fractions import Fraction
    if not 0 < rho < math.inf:
        raise Invalid(f"rho: {rho:g}; must be above 0 and finite")
    noise = math.sqrt(0.5 / rho) * (1 - 2 ** -50)
    while 2 * Fraction(noise) ** 2 * Fraction(rho) < 1:
        noise = math.nextafter(noise, math.inf)
    return noise


def _part(drawn: int, out_of: Any) -> float:
    """drawn / out_of, rounded up."""
    from fractions import Fraction
    whole = number("out_of", out_of)
    if isinstance(out_of, bool) or whole % 1 != 0 or not 0 < drawn <= whole < 2 ** 53:
        raise Invalid(f"out_of: {out_of!r}; give of how many rows these {drawn} were drawn, a whole number of as many or more")
    part = drawn / whole
    return part if Fraction(part) * int(whole) >= drawn else math.nextafter(part, 1)


class Mechanism:
    """Clips, adds noise, counts what was spent in a file, and refuses beyond a budget. (Second tier. C: netdp_guard.)

    >>> guard = netdp.Mechanism("budget.sqlite", epsilon=1, delta=1e-5)
    >>> total = guard.gaussian(rows, clip=1.0, noise=20)

    The file is made where there is none; any number of processes may hold it. `account`: whose data, where a file holds
    several. `change`: what is hidden of a row. "replace": which values it has; that there are so many rows is public, and a
    clipped sum moves by at most 2 clip. "add-remove": whether it is there at all, so that the number of rows is not public
    either; the sum moves by clip. The file keeps to what it was made with. The noise is from the system's secure generator, sampled exactly and rounded; nothing of it can be drawn again.

    What is spent is spent before there is noise, so that no crash gives it back. A release that the budget does not hold
    raises `netdp.NoAnswer`, and nothing is spent. What the guarantee assumes: that all that is told about these people goes
    through this file, and that it is never restored from a copy.
    """

    def __init__(self, path: Any, epsilon: float, delta: float, *, account: str = "", change: str = "replace") -> None:
        if change not in ("replace", "add-remove"):
            raise Invalid(f"change: {change!r}; give 'replace' or 'add-remove'")
        name = ffi.new("char[]", bytes_of(account))
        terms = ffi.new("netdp_budget *", {"account": name, "epsilon": number("epsilon", epsilon), "delta": number("delta", delta),
                                           "add_remove": change == "add-remove"})
        made = ffi.new("netdp_guard **")
        call(lib.netdp_guard_open, bytes_of(path), terms, made)
        self._pointer = ffi.gc(made[0], lib.netdp_guard_close)
        self.change = change
        #: Of the last release: standard deviation of each number's noise (of Laplace its scale).
        self.deviation: Optional[float] = None
        #: Of the last release with `drop`: rows that were not finite and counted as 0. It tells about rows: keep it to yourself.
        self.dropped: int = 0

    def gaussian(self, rows: Any, *, clip: float, noise: Optional[float] = None, rho: Optional[float] = None, rate: float = 1.0,
                 out_of: Optional[int] = None, drop: bool = False) -> Numbers:
        """The sum over `rows` (the first dimension), each clipped to L2 norm `clip`, and Gaussian noise.

        `noise`: sigma in units of the sensitivity, which is 2 clip, or clip with "add-remove"; or `rho`, that of zero-concentrated
        privacy, for noise 1 / sqrt(2 rho). `rate`: the chance with which you drew each row for this release, anew and secretly:
        what is spent is less then. `out_of`: with "replace", these rows were drawn at once, without replacement, anew and
        secretly, out of so many. A row with NaN or an infinity is refused, which tells whoever sees the error about that row;
        with `drop` it counts as 0, and ``.dropped`` says how many did.
        """
        if (noise is None) == (rho is None):
            raise Invalid("noise: give it, or rho of zCDP instead: one of the two")
        sigma = _noise_of_rho(number("rho", rho)) if noise is None else number("noise", noise)
        if out_of is None:
            return self._release(lib.NETDP_GAUSSIAN, rows, clip, sigma, rate, drop)
        if number("rate", rate) != 1:
            raise Invalid("rate: rows were drawn by chance (rate) or at once without replacement (out_of), not both")
        given = _array("rows", rows, 1)
        return self._release(lib.NETDP_GAUSSIAN_WITHOUT_REPLACEMENT, given, clip, sigma, _part(len(given), out_of), drop)

    def update(self, arrays: Sequence[Any], *, clip: float, noise: float) -> List[npt.NDArray[Any]]:
        """One update, a list of arrays that are clipped together to L2 norm `clip`, with Gaussian noise, as such a list.

        What one participant of Flower or NVFLARE sends: its whole update is what is protected, `noise` as in `gaussian`. Shapes
        and dtypes stay; a number beyond a dtype's range becomes its largest. Arrays of whole numbers (counters) are refused: they
        are not hidden by noise, and stay at home. NaN or infinite numbers are refused.
        """
        given: List[npt.NDArray[Any]] = []
        for k, each in enumerate(arrays):
            try:
                one = each.detach().cpu().numpy() if hasattr(each, "detach") else np.asarray(each)
                if _masked.getmaskarray(each).any() if isinstance(each, np.ma.MaskedArray) else False:
                    raise Invalid(f"array {k}: has masked numbers, which are not known; fill them")
            except (TypeError, ValueError) as wrong:  # bfloat16 of torch, say
                raise Invalid(f"array {k}: is none that NumPy has ({wrong})") from None
            given.append(one)
            if one.dtype.kind != "f":
                raise Invalid(f"array {k}: is of {one.dtype}; an update has floating-point arrays; leave others at home")
        sizes = [one.size for one in given]
        if not sum(sizes):
            raise Invalid("arrays: there is no number in them")
        flat = np.empty((1, sum(sizes)))
        with np.errstate(over="ignore"):
            np.concatenate([one.ravel() for one in given], out=flat[0], casting="same_kind")
        if not np.isfinite(flat).all():
            raise Invalid("arrays: one holds NaN or an infinite number; correct it; nothing was released")
        noisy = self.gaussian(flat, clip=clip, noise=noise)
        made = []
        for one, end in zip(given, np.cumsum(sizes)):
            part, most = noisy[end - one.size:end], float(np.finfo(one.dtype).max)
            with np.errstate(over="ignore"):
                made.append(np.clip(part, -most, most).astype(one.dtype).reshape(one.shape))
        return made

    def laplace(self, rows: Any, *, clip: float, noise: float, rate: float = 1.0, drop: bool = False) -> Numbers:
        """The same with rows clipped in the L1 norm and Laplace noise: epsilon 1 / noise each time, and no delta.

        `rate` as in `gaussian`: the epsilon is less then. Rows drawn without replacement are for Gaussian noise.
        """
        return self._release(lib.NETDP_LAPLACE, rows, clip, noise, rate, drop)

    def choose(self, scores: Any, *, sensitivity: float, epsilon: float) -> int:
        """The exponential mechanism: the place of one of `scores`, more likely a high one. (C: netdp_guard_choose.)

        With probability proportional to exp(epsilon score / (2 sensitivity)), drawn exactly. `sensitivity`: the most that one row
        changes of any score. Which candidates there are must not depend on rows. Scores that are not finite are refused. How long
        it takes depends on the scores: do not let others measure it.
        """
        given = _array("scores", scores, 1)
        if given.ndim != 1 or not given.size:
            raise Invalid("scores: give a list of numbers, one for each candidate")
        chosen = ffi.new("int64_t *")
        call(lib.netdp_guard_choose, self._held(), ffi.from_buffer("double[]", given), len(given), number("sensitivity", sensitivity),
             number("epsilon", epsilon), chosen)
        return int(chosen[0])

    def _held(self) -> Any:
        if self._pointer is None:
            raise Invalid("Mechanism: is closed; open the file again")
        return self._pointer

    def _release(self, mechanism: int, rows: Any, clip: float, noise: float, rate: float, drop: bool) -> Numbers:
        given = _array("rows", rows, 1)
        shape: Tuple[int, ...] = given.shape[1:]
        width = int(np.prod(shape))
        total, notes = np.empty(width), ffi.new("netdp_released *")
        asked = ffi.new("netdp_release *", {"mechanism": mechanism, "clip": number("clip", clip), "noise": number("noise", noise),
                                            "rate": number("rate", rate), "rows": len(given), "width": width, "drop": flag("drop", drop)})
        call(lib.netdp_guard_release, self._held(), asked, ffi.from_buffer("double[]", given) if given.size else ffi.NULL,
             ffi.from_buffer("double[]", total, require_writable=True), notes)
        self.deviation, self.dropped = notes.deviation, int(notes.dropped)
        return total.reshape(shape)

    @property
    def spent(self) -> Spent:
        """What was spent so far, by all who hold the file."""
        found = ffi.new("netdp_spent *")
        call(lib.netdp_guard_spent, self._held(), found)
        return Spent(found.epsilon, found.delta, found.releases)

    def close(self) -> None:
        """Lets go of the file, which stays."""
        if self._pointer is not None:
            ffi.release(self._pointer)
            self._pointer = None

    def __enter__(self) -> "Mechanism":
        return self

    def __exit__(self, *raised: Any) -> None:
        self.close()


_VERDICTS = {lib.NETDP_VERDICT_CONSISTENT: "consistent", lib.NETDP_VERDICT_REFUTED: "refuted",
             lib.NETDP_VERDICT_FEW_RUNS: "not enough runs"}


@dataclasses.dataclass(frozen=True)
class Evidence:
    """What an attack on a mechanism proves. Less than the claim proves nothing; more refutes it at the confidence."""

    claim: str
    #: The mechanism is not mu'-GDP for any mu' below `mu`, nor (epsilon', delta)-DP for any epsilon' below `epsilon`.
    mu: float
    epsilon: float
    delta: float
    confidence: float
    runs: int
    attack: str
    #: "consistent", "refuted" or "not enough runs".
    verdict: str
    #: Runs that would do, where there were not enough and it is known.
    enough: Optional[int]

    @property
    def refuted(self) -> bool:
        """Was the claim refuted?"""
        return self.verdict == "refuted"

    def __str__(self) -> str:
        found = (f"mu at least {self.mu:.4g}" if self.claim.startswith("gdp:") else
                 f"epsilon at least {self.epsilon:.4g} at delta {self.delta:g}")
        return (f"claim      {self.claim}\nfound      {found}\nattack     {self.attack}\n"
                f"verdict    {self.verdict} ({self.runs} runs of each data set, confidence {self.confidence:g})"
                + (f"\n           about {self.enough} runs would do" if self.enough else ""))

    def _repr_html_(self) -> str:
        return _show.pre(str(self))


def _claim(text: str) -> Tuple[float, float, float]:
    """mu, epsilon and delta: as the command reads --claim."""
    kind, _, rest = text.partition(":")
    try:
        parts = [float(part) for part in rest.split(",")]
    except ValueError:
        parts = []
    if kind == "gdp" and len(parts) == 1 and parts[0] >= 0:
        return parts[0], -1.0, 1e-5
    if kind == "dp" and len(parts) == 2 and parts[0] >= 0 and 0 <= parts[1] < 1:
        return -1.0, parts[0], parts[1] or 1e-9
    raise Invalid(f"claim: {text!r} is none; give gdp:MU or dp:EPSILON,DELTA (delta 0: a pure one)")


def audit_mechanism(mechanism: Union[Callable[[int, int], Any], Tuple[Any, Any]], claim: str, *, runs: int = 10000,
                    confidence: float = 0.999) -> Evidence:
    """Attacks somebody else's mechanism by what it releases. (First tier. As `netdp audit --mechanism`.)

    >>> print(netdp.audit_mechanism(lambda world, runs: world + numpy.random.laplace(0, 1, runs), "dp:1,0"))

    `mechanism(world, runs)` gives what `runs` independent releases of the first (0) and of the second (1) of two
    neighbouring data sets came to: [runs], or [runs][numbers]. Or the two arrays. `claim`: "gdp:MU" or
    "dp:EPSILON,DELTA".
    """
    mu, epsilon, delta = _claim(claim)
    drawn = [_array("mechanism", mechanism(world, runs) if callable(mechanism) else mechanism[world], 1) for world in (0, 1)]
    worlds = [one.reshape(len(one), -1) for one in drawn]
    if worlds[0].shape != worlds[1].shape:
        raise Invalid(f"mechanism: gave {list(drawn[0].shape)} and {list(drawn[1].shape)}; give as many runs and numbers of both")
    if callable(mechanism) and len(worlds[0]) != runs:
        raise Invalid(f"mechanism: gave {len(worlds[0])} runs; {runs} were asked for")
    samples = ffi.new("netdp_samples *", {"runs": worlds[0].shape[0], "width": worlds[0].shape[1]})
    held = [ffi.from_buffer("double[]", one) for one in worlds]
    samples.world[0], samples.world[1] = held
    found, attack = ffi.new("netdp_evidence *"), ffi.new("char **")
    call(lib.netdp_audit_samples, samples, number("confidence", confidence), delta, mu >= 0, found, attack)
    verdict, enough = ffi.new("netdp_verdict *"), ffi.new("int64_t *")
    call(lib.netdp_audit_verdict, found, mu, epsilon, verdict, enough)
    few = verdict[0] == lib.NETDP_VERDICT_FEW_RUNS and enough[0] < 2 ** 62
    return Evidence(claim=claim, mu=found.mu, epsilon=found.epsilon, delta=delta, confidence=confidence, runs=samples.runs,
                    attack=text_of(attack[0]) or "", verdict=_VERDICTS[verdict[0]], enough=2 * enough[0] if few else None)

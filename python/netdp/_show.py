"""Results as text, HTML and pictures. What is printed of a guarantee is never below it."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, List, Sequence

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from netdp._losses import Calibration, Losses

SHOWN_PAIRS = 40  # as the command


def _escape(text: str) -> str:
    import html  # only notebooks ask for it

    return html.escape(text)


def up(value: float, digits: int) -> str:
    """Like %.{digits}g, rounded up."""
    if math.isinf(value) or math.isnan(value) or value == 0:
        return "inf" if value > 0 else "0" if value == 0 else str(value)
    import decimal  # slow to load, and not what most who import netdp ask for

    exact = decimal.Decimal(value)
    step = decimal.Decimal(1).scaleb(exact.adjusted() - digits + 1)
    with decimal.localcontext() as context:
        context.prec = 400
        rounded = exact.quantize(step, rounding=decimal.ROUND_CEILING)
    return "%.*g" % (digits, rounded)


def _number(losses: "Losses", value: float, digits: int) -> str:
    """A lower bound is no guarantee, and not rounded up."""
    return "%.*g" % (digits, value) if losses.bound == "lower" else up(value, digits)


def _by_distance(losses: "Losses") -> List[Sequence[Any]]:
    hops, counts = losses.distances(), losses.counts()
    found: List[Sequence[Any]] = []
    for d in sorted(set(hops[counts].tolist())):
        values = losses.matrix[counts & (hops == d)]
        # A sum in any order is low by at most as many units of rounding.
        mean = min(values.max(), values.sum() / len(values) * (1 + 2.3e-16 * (len(values) + 2)))
        found.append((d, len(values), values.min(), mean, values.max()))
    return found


def _observer(observer: Any) -> str:
    return "the coalition" if isinstance(observer, tuple) else str(observer)


def text(losses: "Losses") -> str:
    lines = []
    if losses.pairs <= SHOWN_PAIRS:
        lines.append(f"{'from':<24} {'to':<24} {'distance':>8}  {losses.unit}")
        hops, counts = losses.distances(), losses.counts()
        for i, u in enumerate(losses.sources):
            for j, v in enumerate(losses.observers):
                if counts[i, j]:
                    lines.append(f"{u!s:<24} {_observer(v):<24} {hops[i, j]:>8}  {_number(losses, losses.matrix[i, j], 6)}")
    else:
        lines.append(f"{'distance':>8} {'pairs':>12} {'least':>12} {'mean':>12} {'most':>12}   ({losses.unit})")
        for d, count, *values in _by_distance(losses):
            lines.append(f"{d:>8} {count:>12} " + " ".join(f"{_number(losses, value, 5):>12}" for value in values))
    lines.append(_summary(losses))
    return "\n".join(lines) + "\n" + _assumes(losses)


def _summary(losses: "Losses") -> str:
    u, v = losses.worst_pair
    return (f"mean {_number(losses, losses.mean, 6)}, worst {_number(losses, losses.worst, 6)} (from {u} to {_observer(v)}), "
            f"local differential privacy {up(losses.local, 6)}")


def _assumes(losses: "Losses", in_mean: bool = True) -> str:
    drawn = ""
    if losses.draws is not None and losses.confidence is not None:
        drawn = ("draws: the epsilons above are over all networks that could be drawn, for those who see the draw but "
                 f"cannot choose it; an upper bound at confidence 1 - {1 - losses.confidence:g} for all pairs together, "
                 f"from {losses.draws} draws.\n")
    far = ""
    if in_mean and losses.bound == "given-path" and losses.worst > 2 * losses.mean:  # the rule of the command
        far = ("THE WORST PAIR LEARNS FAR MORE THAN THE MEAN: what this path guarantees to every pair is the worst "
               "(--over worst).\n")
    return (losses.assumes + far + drawn + losses.verdict).rstrip("\n")


def calibration(c: "Calibration") -> str:
    flips = "flip" if "-histogram" in c.achieved.protocol else "noise"
    parts = [f"{flips} {up(c.noise, 10)}" + (" Delta" if flips == "noise" else "")]
    if c.dither is not None:
        parts.append(f"dither {c.dither:.6g}" + (f" / t^{c.dither_decay:.6g}" if c.dither_decay else ""))
    if c.end_dither is not None:
        parts.append(f"end dither {c.end_dither:.6g}")
    if c.pair_noise:
        parts.append(f"pair-noise {c.pair_noise:.6g}")
    parts.append(f"{c.rounds} {'steps' if c.dither is None else 'rounds'}")
    return f"{', '.join(parts)}\nachieved ({c.achieved.unit}): {_summary(c.achieved)}\n{_assumes(c.achieved, c.over == 'mean')}"


# ---- Pictures ----

_SHADES = [(68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37)]  # dark: little; light: much


def _shade(part: float) -> str:
    at = min(max(part, 0.0), 1.0) * (len(_SHADES) - 1)
    k = min(int(at), len(_SHADES) - 2)
    return "#%02x%02x%02x" % tuple(round(a + (b - a) * (at - k)) for a, b in zip(_SHADES[k], _SHADES[k + 1]))


def _coarse(matrix: npt.NDArray[np.float64], counts: npt.NDArray[np.bool_], most: int) -> npt.NDArray[np.float64]:
    """At most `most` rows and columns; each field is the largest of what it stands for, NaN where nothing counts."""
    kept = np.where(counts, matrix, -np.inf)
    for axis in (0, 1):
        size = kept.shape[axis]
        if size > most:
            kept = np.maximum.reduceat(kept, np.linspace(0, size, most, endpoint=False).astype(int), axis=axis)
    return np.where(np.isneginf(kept), np.nan, kept)


def svg(losses: "Losses", side: int = 320) -> str:
    """All pairs as a picture: down who is learned about, across who learns."""
    field = _coarse(losses.matrix, losses.counts(), 96)
    finite = field[np.isfinite(field)]
    top = float(finite.max()) if finite.size else 1.0
    rows, columns = field.shape
    width, height = side / columns, side / rows
    boxes = []
    for i in range(rows):
        for j in range(columns):
            value = field[i, j]
            if math.isnan(value):
                continue
            shade = _shade(1.0 if math.isinf(value) else value / top if top > 0 else 0.0)
            boxes.append(f'<rect x="{j * width:.2f}" y="{i * height:.2f}" width="{width + 0.2:.2f}" '
                         f'height="{height + 0.2:.2f}" fill="{shade}"/>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{side}" height="{side}" viewBox="0 0 {side} {side}" '
            f'role="img"><title>{_escape(losses.unit)} of every pair, up to {up(top, 4)}: down who is learned about, '
            f'across who learns</title>{"".join(boxes)}</svg>')


def _table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    def line(tag: str, cells: Sequence[Any]) -> str:
        return "<tr>" + "".join(f"<{tag}>{_escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    return (f"<table><thead>{line('th', heads)}</thead><tbody>" + "".join(line("td", row) for row in rows)
            + "</tbody></table>")


def html(losses: "Losses") -> str:
    if losses.pairs <= SHOWN_PAIRS:
        hops, counts = losses.distances(), losses.counts()
        table = _table(["from", "to", "distance", losses.unit], [
            (u, _observer(v), hops[i, j], _number(losses, losses.matrix[i, j], 6))
            for i, u in enumerate(losses.sources) for j, v in enumerate(losses.observers) if counts[i, j]])
    else:
        table = _table(["distance", "pairs", "least", "mean", f"most ({losses.unit})"], [
            (d, count, *(_number(losses, value, 5) for value in values)) for d, count, *values in _by_distance(losses)])
    warning = "" if losses.sound else "<p><strong>Not a guarantee.</strong></p>"
    return (f'<div>{warning}{table}{svg(losses)}<p>{_escape(_summary(losses))}</p>'
            f'<pre style="white-space: pre-wrap">{_escape(_assumes(losses))}</pre></div>')


def calibration_html(c: "Calibration") -> str:
    first = calibration(c).partition("\n")[0]
    return f"<p><strong>{_escape(first)}</strong></p>{html(c.achieved)}"


def plot(losses: "Losses", kind: str, ax: Any) -> Any:
    import matplotlib.pyplot

    from netdp._call import Invalid

    if kind not in ("distance", "matrix"):
        raise Invalid(f"plot: {kind!r}; give 'distance' or 'matrix'")
    if ax is None:
        ax = matplotlib.pyplot.subplots()[1]
    counts = losses.counts()
    if kind == "matrix":
        image = ax.imshow(np.where(counts, losses.matrix, np.nan), aspect="auto")
        ax.figure.colorbar(image, ax=ax, label=losses.unit)
        ax.set_xlabel("who learns")
        ax.set_ylabel("who is learned about")
    else:
        ax.plot(losses.distances()[counts], losses.matrix[counts], ".", alpha=0.3)
        ax.axhline(losses.local, linestyle="--", color="gray", label="local differential privacy")
        ax.set_xlabel("distance (hops)")
        ax.set_ylabel(losses.unit)
        ax.legend()
    ax.set_title(f"{losses.protocol} on {losses.graph.origin}: "
                 + ("an upper bound" if losses.sound else "NOT an upper bound"))
    return ax


def pre(said: str) -> str:
    return f"<pre>{_escape(said)}</pre>"

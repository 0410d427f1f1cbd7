"""Studies: calibrated, accounted for, simulated and audited, from a file or a dictionary."""
from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import types
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Union

import numpy as np

from netdp import _show
from netdp._call import Invalid, Progress, Watch, bytes_of, call, ffi, lib, take_text
from netdp._model import predict as _predict
from netdp._network import graph as _graph

if TYPE_CHECKING:  # a third of what importing netdp took
    import tempfile

    import numpy.typing as npt

Path = Union[str, "os.PathLike[str]"]

_HERE = pathlib.Path(__file__).parent


def _plain(value: Any) -> Any:
    """NumPy's numbers are numbers to JSON, too."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise Invalid(f"study: {value!r} is neither a number, a text, a list nor a mapping")


def _rows(values: Any) -> None:
    """Refuses what has no order of rows."""
    if isinstance(values, (Mapping, str, bytes, set, frozenset)) or not hasattr(values, "__len__") or getattr(values, "ndim", 1) == 0:
        raise TypeError(f"values: a {type(values).__name__} has no order of rows; give a list, an array or a pandas frame, a row for "
                        "each person, or for each node in the order of netdp.graph(...).names (of a dict by name: "
                        "pandas.Series(values), whose index goes by name)")
    if isinstance(values, np.ma.MaskedArray) and values.mask.any():
        raise Invalid("values: some are masked, so not known; give values.astype(float).filled(numpy.nan), and the study data.missing: drop")


def _write_values(path: pathlib.Path, values: Any, holes: bool = False) -> List[str]:
    """A table as CSV, numbers to their last bit; its columns' names. `holes`: NaN is an empty cell."""
    import csv
    if hasattr(values, "columns") and hasattr(values, "to_numpy"):
        names, table = [str(name) for name in values.columns], values.to_numpy()
    else:
        try:
            table = np.asarray(values)
        except ValueError:
            raise Invalid("values: rows of unequal length; give a table of numbers, a row for each person") from None
        table = table.reshape(len(table), -1) if table.ndim < 2 else table
        names = ["value"] if table.ndim == 2 and table.shape[1] == 1 else [
            f"value{k}" for k in range(table.shape[1] if table.ndim == 2 else 0)]
    if table.ndim != 2 or table.dtype.kind not in "biuf":
        raise Invalid("values: give a table of numbers, a row for each person")
    bad = np.isinf(table) if holes else ~np.isfinite(table)
    if bad.any():
        row, column = (int(k) for k in np.argwhere(bad)[0])
        raise Invalid(f"values: row {row}, column {names[column]!r} is not finite; fill it, or give NaN and the study "
                      "data.missing: drop, by which the row contributes nothing and still counts")
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows([("" if np.isnan(number) else repr(number.item())) if table.dtype.kind == "f" else int(number)
                          for number in row] for row in table)
    return names


def _in_order(values: Any, study: Mapping[str, Any], network: Any) -> Any:
    """Where row i is node i's and a pandas index names the rows: in the order of the nodes of those names."""
    import difflib
    index = getattr(values, "index", None)
    if not hasattr(values, "iloc") or index is None or list(index) == list(range(len(values))):
        return values
    data, of = study.get("data"), study.get("graph")
    if not isinstance(data, Mapping) or data.get("per_node") != "one":
        return values  # rows are partitioned, or go by a column
    if network is None and isinstance(of, Mapping) and "family" in of:
        network = str(of["family"])
    elif network is None and isinstance(of, Mapping) and "file" in of:
        network = _graph(pathlib.Path(of["file"]), giant_component=bool(of.get("giant_component")))
    if network is None:
        raise Invalid("values: have an index of their own, and the study's graph is not at hand to match it with; give graph=, or "
                      "values.reset_index(drop=True) if the rows are in the order of the nodes")
    names, said = [str(name) for name in _graph(network).names], [str(name) for name in index]
    for name in said:
        if said.count(name) > 1 or name not in names:
            near = difflib.get_close_matches(name, names, 1, 0)
            raise Invalid(f"values: row {name!r} " + ("is there twice; keep one" if name in names else
                          f"is no node; the nearest is {near[0] if near else names[0]!r} (values.reset_index(drop=True), if rows are in the "
                          "order of the nodes)"))
    absent = next((name for name in names if name not in said), None)
    if absent is not None:
        raise Invalid(f"values: no row for node {absent!r}; give every node one")
    return values.iloc[[said.index(name) for name in names]]


class Study:
    """A study that was read and checked. (Second tier: `run` and `audit` take what it takes.)

    `given`: a file, a dictionary with the keys of a study file, or a text of YAML. `set`: overrides, as --set has them:
    ``{"privacy.epsilon": 2}``. `graph`: anything that `netdp.graph` takes, in place of the study's. `values`: an array or
    a pandas frame, a row for each node or person (with ``per_node: one`` a frame's index goes by the nodes' names), in place of the study's file of data. Both are written beside the study.
    """

    def __init__(self, given: Union["Study", Path, Mapping[str, Any]], set: Optional[Mapping[str, Any]] = None, *,
                 graph: Any = None, values: Any = None, quick: bool = False) -> None:
        overrides = {key: value for key, value in (set or {}).items()}
        if values is not None:
            _rows(values)
        self._room: Optional[tempfile.TemporaryDirectory[str]] = None
        path, text = "study", None
        if isinstance(given, Mapping):
            study = json.loads(json.dumps(given, default=_plain, allow_nan=False))
            if values is not None:
                self._add_values(study, _in_order(values, study, graph))
            text = json.dumps(study, ensure_ascii=False)
            path = os.path.join(os.getcwd(), "study")
        elif isinstance(given, str) and "\n" in given:
            text, path = given, os.path.join(os.getcwd(), "study")
        elif isinstance(given, Study):
            raise Invalid("study: is one already")
        else:
            path = os.fspath(given)
        if values is not None and not isinstance(given, Mapping):
            raise Invalid("values: go with a study that is a dictionary; in a file, data.csv names the table")
        if graph is not None:
            place = self._place() / "graph.edges"
            call(lib.netdp_graph_write, _graph(graph)._pointer, bytes_of(place))
            overrides["graph.file"] = os.fspath(place)
        held = [ffi.new("char[]", bytes_of(f"{key}={self._spell(value)}")) for key, value in overrides.items()]
        listed, made = ffi.new("char *[]", held), ffi.new("netdp_study **")
        if text is not None:
            if quick:
                raise Invalid("quick: goes with a study file")
            call(lib.netdp_study_parse, bytes_of(text), bytes_of(path), listed, len(held), made)
        else:
            call(lib.netdp_study_read_quick if quick else lib.netdp_study_read, bytes_of(path), listed, len(held), made)
        self._pointer = ffi.gc(made[0], lib.netdp_study_free)

    @staticmethod
    def _spell(value: Any) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, (list, tuple)):
            return "[" + ", ".join(str(part) for part in value) + "]"
        if isinstance(value, Mapping):
            return ", ".join(f"{name}: {part}" for name, part in value.items())
        return repr(value) if isinstance(value, float) else str(value)

    def _place(self) -> pathlib.Path:
        if self._room is None:
            import tempfile
            self._room = tempfile.TemporaryDirectory(prefix="netdp-")
        return pathlib.Path(self._room.name)

    def _add_values(self, study: Dict[str, Any], values: Any) -> None:
        place = self._place() / "values.csv"
        data = study.setdefault("data", {})
        names = _write_values(place, values, isinstance(data, dict) and data.get("missing", "refuse") != "refuse")
        if not isinstance(data, dict) or {"csv", "source", "synthetic"} & data.keys():
            raise Invalid("values: the study has data of its own; leave one of them out")
        data["csv"] = os.fspath(place)
        if "label" not in data and "columns" not in data:
            data["columns"] = [{"name": name} for name in names]

    def to_yaml(self) -> str:
        """The study as it runs, every default filled in."""
        import tempfile
        with tempfile.TemporaryDirectory(prefix="netdp-") as room:
            place = pathlib.Path(room, "study.yaml")
            call(lib.netdp_study_write, self._pointer, bytes_of(place))
            return place.read_text("utf-8")

    def __repr__(self) -> str:
        return "<netdp.Study>\n" + self.to_yaml()


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Result:
    """A result folder. `print` shows the table of the command; errors in it are for the experimenter alone."""

    folder: pathlib.Path
    title: str
    #: The table with what each guarantee assumes, and what a reader should hear before.
    table: str
    notes: Sequence[str]
    #: summary.json, which may go to others; of private.json there is nothing in it.
    summary: Mapping[str, Any]
    _room: Any = None

    @property
    def variants(self) -> Mapping[str, Mapping[str, Any]]:
        """The variants of the study by name, as in summary.json."""
        return types.MappingProxyType({variant["name"]: variant for variant in self.summary["variants"]})

    def private(self) -> Mapping[str, Any]:
        """private.json: computed from the data without noise. For the experimenter alone."""
        found: Mapping[str, Any] = json.loads((self.folder / "private.json").read_text("utf-8"))
        return found

    def errors(self) -> Dict[str, Any]:
        """Of each variant what private.json says of its error. For the experimenter alone."""
        return {variant["name"]: variant.get("error") for variant in self.private()["variants"]}

    def pairs(self, variant: Optional[str] = None) -> Any:
        """A pandas frame of every pair's loss of a variant (of the first that has them, else)."""
        import pandas

        return pandas.read_csv(self._losses(variant, "csv"), float_precision="round_trip")

    def _losses(self, variant: Optional[str], kind: str) -> pathlib.Path:
        for name, found in self.variants.items():
            if variant in (None, name) and (found.get("guarantee") or {}).get("by_distance"):
                return self.folder / f"{found.get('losses', 'loss')}.{kind}"
        raise Invalid(f"{variant or self.title}: has no losses of pairs; variants are {', '.join(self.variants)}")

    def to_numpy(self, variant: Optional[str] = None) -> npt.NDArray[np.float64]:
        """[from][to]: the pairs' epsilons, infinity where no pair counts."""
        stored = self._losses(variant, "npy")
        if stored.exists():
            array: npt.NDArray[np.float64] = np.load(stored, mmap_mode="r")
            return array
        frame = self.pairs(variant)
        nodes = self.summary["graph"]["nodes"]
        matrix = np.full((nodes, nodes), np.inf)
        matrix[frame["from"], frame["to"]] = frame.iloc[:, -1]
        return matrix

    def to_pandas(self) -> Any:
        """A row a variant: noise, rounds, and of its guarantee the largest epsilon at each distance, mean and worst."""
        import pandas

        rows = []
        for name, found in self.variants.items():
            promise = found.get("guarantee", {})
            row: Dict[str, Any] = {"variant": name, "noise": found.get("noise"), "rounds": found.get("rounds")}
            row.update({f"at {part['distance']}": part["max"] for part in promise.get("by_distance") or []})
            row.update(mean=promise["epsilon"] if promise.get("mean") is None else promise["mean"],
                       worst=(promise.get("worst") or {}).get("epsilon", promise.get("epsilon")),
                       sound=promise.get("sound"), certified=promise.get("certified"), bound=promise.get("bound"))
            rows.append(row)
        return pandas.DataFrame(rows).set_index("variant")

    def predict(self, rows: Any, variant: Optional[str] = None, **how: Any) -> Any:
        """The learnt model's predictions of rows, as `netdp.predict` has them. The noise of a run comes from its seed: for the
        experimenter alone."""
        return _predict(self.folder, rows, variant=variant, **how)

    def trace(self) -> Any:
        """trace.csv as a pandas frame: errors round by round. For the experimenter alone."""
        import pandas

        return pandas.read_csv(self.folder / "trace.csv", float_precision="round_trip")

    def report(self, path: Optional[Path] = None, *, private: bool = False) -> pathlib.Path:
        """The page for others, or the experimenter's own (`private`); returns its path. (As `netdp report`.)"""
        with Watch() as watch:
            call(lib.netdp_report_write, bytes_of(self.folder), _data(None), private,
                 ffi.NULL if path is None else bytes_of(path), watch.pointer)
        return pathlib.Path(path) if path is not None else self.folder / ("report-private.html" if private else "report.html")

    def plot(self, ax: Any = None) -> Any:
        """With matplotlib: the largest epsilon of each variant against distance. Returns the axes."""
        import matplotlib.pyplot

        if ax is None:
            ax = matplotlib.pyplot.subplots()[1]
        for name, found in self.variants.items():
            parts = found.get("guarantee", {}).get("by_distance") or []
            sound = found.get("guarantee", {}).get("sound")
            if parts:
                ax.plot([part["distance"] for part in parts], [part["max"] for part in parts], "o-",
                        label=name if sound else f"{name} (no guarantee)")
        ax.set_xlabel("distance (hops)")
        ax.set_ylabel("largest epsilon")
        ax.legend()
        return ax

    def __str__(self) -> str:
        return "".join(f"note: {note}\n" for note in self.notes) + self.table.rstrip("\n")

    def __repr__(self) -> str:
        return f"<netdp.Result {self.title!r} in {self.folder}>"

    def _repr_html_(self) -> str:
        return _show.pre(str(self))


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """What attacks on a study's guarantees found, in the simulator. That a claim is refuted is a result, not an error."""

    folder: pathlib.Path
    title: str
    runs: int
    confidence: float
    #: As in audit.json: name, pair, bound, claim, evidence, verdict.
    audits: Sequence[Mapping[str, Any]]
    estimates: Sequence[Mapping[str, Any]]
    #: Whose records were in, where it was asked for, as in audit.json.
    membership: Sequence[Mapping[str, Any]] = ()
    _room: Any = None

    @property
    def refuted(self) -> bool:
        """Was any claim refuted?"""
        return any(audit["verdict"] == "refuted" for audit in (*self.audits, *self.membership))

    def to_pandas(self) -> Any:
        """A row an attack."""
        import pandas

        return pandas.DataFrame([{
            "name": audit["name"], "from": audit["from"], "to": audit["to"], "bound": audit["bound"],
            "unit": audit["found_at_least_in"], "claim": audit["claim"][audit["found_at_least_in"]],
            "found": audit["evidence"][audit["found_at_least_in"]], "verdict": audit["verdict"],
            "attack": audit["attack"]} for audit in self.audits])

    def __str__(self) -> str:
        lines = [self.title, f"{self.runs} runs of each world, confidence {self.confidence:g}",
                 f"{'':<16} {'pair':<8} {'bound':<16} {'claim':>9} {'found':>9}  {'verdict':<15} attack"]
        for audit in self.audits:
            unit, pair = audit["found_at_least_in"], f"{audit['from']}->{audit['to']}"
            claim, found = (float(part[unit]) for part in (audit["claim"], audit["evidence"]))
            lines.append(f"{audit['name']:<16} {pair:<8} {audit['bound']:<16} {claim:>9.4g} {found:>9.4g}  "
                         f"{audit['verdict']:<15} {audit['attack']}")
            if audit.get("enough_runs"):
                lines.append(f"{'':<16} about {audit['enough_runs']} runs would do")
            if not audit.get("sound", True):
                lines.append(f"{'':<16} the bound is not an upper bound, and is labelled so")
        lines += ["", "claim and found: mu of Gaussian privacy; of walks, and of tokens without a mu, epsilon at the study's",
                  "delta. An attack that finds less than the claim proves nothing; one that finds more refutes it at the",
                  "confidence."]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<netdp.Audit of {self.title!r}: {', '.join(audit['verdict'] for audit in self.audits)}>"

    def _repr_html_(self) -> str:
        return _show.pre(str(self))


def _data(folder: Optional[Path]) -> Any:
    return ffi.NULL if folder is None else ffi.new("char[]", bytes_of(folder))


def _study(given: Any, set: Optional[Mapping[str, Any]], graph: Any, values: Any, quick: bool) -> Study:
    if isinstance(given, Study):
        if set or graph is not None or values is not None or quick:
            raise Invalid("study: is read already; give set, graph, values and quick to netdp.Study")
        return given
    return Study(given, set, graph=graph, values=values, quick=quick)


def _room_for(folder: Optional[Path], study: Study) -> "tuple[pathlib.Path, Any]":
    if folder is not None:
        return pathlib.Path(folder), study._room
    import tempfile
    room = tempfile.TemporaryDirectory(prefix="netdp-")
    return pathlib.Path(room.name), (room, study._room)


def run(study: Union[Study, Path, Mapping[str, Any]], folder: Optional[Path] = None, *, set: Optional[Mapping[str, Any]] = None,
        graph: Any = None, values: Any = None, data: Optional[Path] = None, quick: bool = False, force: bool = False,
        progress: Union[Progress, bool, None] = None) -> Result:
    """Calibrates, accounts for and simulates a study. (First tier. As `netdp run`.)

    >>> print(netdp.run("experiments/meters-on-davis.yaml"))

    `study`: a file, a `Study`, or a dictionary with the keys of a study file (docs/study-file.md). `folder`: where the results
    go, and where an interrupted run goes on; without one they live as long as what is returned. `force`: replace what is
    there. `set`, `graph`, `values`, `quick`: as of `Study`. `data`: the data folder.
    """
    read = _study(study, set, graph, values, quick)
    place, room = _room_for(folder, read)
    if force:
        lib.netdp_study_run_anew(read._pointer)
    text, notes = ffi.new("char **"), ffi.new("char **")
    with Watch(progress) as watch:
        call(lib.netdp_study_run, read._pointer, bytes_of(place), _data(data), watch.pointer)
    call(lib.netdp_result_text, bytes_of(place), text, notes)
    summary = json.loads((place / "summary.json").read_text("utf-8"))
    return Result(folder=place, title=summary["title"], table=take_text(text), summary=summary, _room=room,
                  notes=tuple(take_text(notes).splitlines()))


def audit(study: Union[Study, Path, Mapping[str, Any]], folder: Optional[Path] = None, *, runs: int = 10000,
          confidence: float = 0.999, from_: Any = None, to: Any = None, bound: Optional[str] = None, reconstruct: bool = False,
          membership: bool = False,
          set: Optional[Mapping[str, Any]] = None, graph: Any = None, values: Any = None, data: Optional[Path] = None,
          force: bool = False, progress: Union[Progress, bool, None] = None) -> Audit:
    """Attacks a study's guarantee in the simulator, as the observer of the worst pair would. (As `netdp audit`.)

    >>> print(netdp.audit("first.yaml", runs=2000))
    """
    read = _study(study, set, graph, values, False)
    place, room = _room_for(folder, read)
    if force:
        lib.netdp_study_run_anew(read._pointer)
    texts = {key: ffi.new("char[]", bytes_of(str(text))) for key, text in (("from", from_), ("to", to), ("bound", bound))
             if text is not None}
    options = ffi.new("netdp_audit_options *", {"runs": runs, "confidence": confidence, "reconstruct": reconstruct, "membership": membership,
                                                   **texts})
    with Watch(progress) as watch:
        call(lib.netdp_study_audit, read._pointer, options, bytes_of(place), _data(data), watch.pointer)
    found = json.loads((place / "audit.json").read_text("utf-8"))
    return Audit(folder=place, title=found["title"], runs=found["runs"], confidence=found["confidence"],
                 audits=tuple(found["audits"]), estimates=tuple(found.get("reconstruction") or ()),
                 membership=tuple(found.get("membership") or ()), _room=room)

"""Graphs and mixing matrices: from what people have to what the library takes, names kept."""
from __future__ import annotations

import collections.abc
import numbers
import operator
import os
from typing import TYPE_CHECKING, Any, Dict, Hashable, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np

from netdp._call import Invalid, bytes_of, call, ffi, lib, text_of

if TYPE_CHECKING:  # a third of what importing netdp took
    import numpy.typing as npt

Node = Hashable


class Graph:
    """An undirected simple graph of the library; it does not change once it is made. Made by `netdp.graph`."""

    def __init__(self, pointer: Any, labels: Optional[Sequence[Node]] = None, notes: Any = None) -> None:
        self._pointer = pointer
        self._labels = list(labels) if labels is not None else None
        self._index: Optional[Dict[Node, int]] = None
        #: Pairs and their weights as they were given, where they had some.
        self._weighted: Optional[Tuple[npt.NDArray[Any], npt.NDArray[np.float64]]] = None
        #: What was dropped on the way, by what it is: {"self_loops": 2}.
        self.notes: Dict[str, int] = {
            name: getattr(notes, name) for name in ("self_loops", "repeats", "weights", "outside", "redraws", "columns")
            if notes is not None and getattr(notes, name) > 0}

    @property
    def nodes(self) -> int:
        """How many nodes."""
        return int(lib.netdp_graph_nodes(self._pointer))

    @property
    def edges(self) -> int:
        """How many edges."""
        return int(lib.netdp_graph_edges(self._pointer))

    @property
    def origin(self) -> str:
        """What it was made from."""
        return text_of(lib.netdp_graph_origin(self._pointer)) or ""

    @property
    def names(self) -> List[Node]:
        """The nodes as they were given, in the library's order: labels, names, or numbers."""
        if self._labels is None:
            self._labels = [text_of(lib.netdp_graph_name(self._pointer, v)) or v for v in range(self.nodes)]
        return list(self._labels)

    def _known(self) -> Dict[Node, int]:
        if self._index is None:
            self._index = {name: v for v, name in enumerate(self.names)}
        return self._index

    def index(self, node: Node) -> int:
        """The number of a node that is given as it was named, or by its number."""
        if isinstance(node, Hashable) and node in self._known():
            return self._known()[node]
        found = ffi.new("int32_t *")
        call(lib.netdp_graph_find, self._pointer, bytes_of(str(node)), found)
        return int(found[0])

    def distances(self, sources: Sequence[Node]) -> npt.NDArray[np.int32]:
        """Hops from the nearest of `sources` to every node; -1: unreachable."""
        number = np.array([self.index(node) for node in sources], dtype=np.int32)
        hops = np.empty(self.nodes, dtype=np.int32)
        call(lib.netdp_graph_distances, self._pointer, ffi.from_buffer("int32_t[]", number), len(number),
             ffi.from_buffer("int32_t[]", hops, require_writable=True))
        return hops

    def edge_array(self) -> npt.NDArray[np.int32]:
        """Every edge once, [edges][2], the smaller node first."""
        rows = [np.frombuffer(ffi.buffer(lib.netdp_graph_neighbours(self._pointer, v),
                                         4 * lib.netdp_graph_degree(self._pointer, v)), dtype=np.int32)
                if lib.netdp_graph_degree(self._pointer, v) > 0 else np.empty(0, np.int32) for v in range(self.nodes)]
        ends = np.concatenate(rows)
        begins = np.repeat(np.arange(self.nodes, dtype=np.int32), [len(row) for row in rows])
        pairs: npt.NDArray[np.int32] = np.stack([begins, ends], axis=1)[begins < ends]
        return pairs

    def __len__(self) -> int:
        return self.nodes

    def __repr__(self) -> str:
        dropped = "".join(f", {count} {name.replace('_', ' ')}" for name, count in self.notes.items())
        return f"<netdp.Graph {self.origin}: {self.nodes} nodes, {self.edges} edges{dropped}>"


def whole(what: str, given: Any, most: int = 2**64 - 1) -> int:
    """A whole number from 0, in whatever type, and nothing that would have to be cut off."""
    try:
        found = operator.index(given)
    except TypeError:
        found = -1
    if isinstance(given, bool) or not 0 <= found <= most:
        raise Invalid(f"{what}: {given!r}; give a whole number from 0 to {most}")
    return found


def _own(pointer: Any, labels: Optional[Sequence[Node]] = None, notes: Any = None) -> Graph:
    return Graph(ffi.gc(pointer[0], lib.netdp_graph_free), labels, notes)


def _from_pairs(nodes: int, pairs: npt.NDArray[Any], weights: Optional[npt.NDArray[np.float64]] = None,
                labels: Optional[Sequence[Node]] = None, origin: Optional[str] = None) -> Graph:
    """From [count][2] node numbers."""
    if nodes < 1 or nodes > 2**31 - 2:
        raise Invalid(f"{nodes} nodes; a graph has 1 to {2**31 - 2}")
    if pairs.size and (pairs.min() < 0 or pairs.max() >= nodes):
        worst = int(np.argmax(((pairs < 0) | (pairs >= nodes)).any(axis=1)))
        raise Invalid(f"edge {worst} ends in node {int(pairs[worst].min() if pairs[worst].min() < 0 else pairs[worst].max())}"
                      f"; nodes are 0 to {nodes - 1}")
    pairs = np.ascontiguousarray(pairs, dtype=np.int32).reshape(-1)
    keep: List[Any] = [pairs]
    listed = ffi.new("netdp_edge_list *", {"nodes": nodes, "count": len(pairs) // 2,
                                           "pair": ffi.from_buffer("int32_t[]", pairs)})
    if weights is not None:
        weights = np.ascontiguousarray(weights, dtype=np.float64)
        listed.weight = ffi.from_buffer("double[]", weights)
        keep.append(weights)
    if labels is not None and any(label != v or isinstance(label, bool) for v, label in enumerate(labels)):
        texts = [ffi.new("char[]", bytes_of(str(label))) for label in labels]
        names = ffi.new("char *[]", texts)
        listed.name = names
        keep += [texts, names]
    if origin is not None:
        keep.append(ffi.new("char[]", bytes_of(origin)))
        listed.origin = keep[-1]
    made, notes = ffi.new("netdp_graph **"), ffi.new("netdp_graph_notes *")
    call(lib.netdp_graph_from_list, listed, made, notes)
    del keep
    graph_of = _own(made, labels, notes)
    if weights is not None:
        graph_of._weighted = pairs.reshape(-1, 2), weights
    return graph_of


def _components(nodes: int, pairs: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Of each node the smallest one of its component: roots are hung below smaller neighbours, and paths to roots shortened."""
    least, (u, v) = np.arange(nodes), pairs.T
    while True:
        near = np.minimum(least[u], least[v])
        if (near == least[u]).all() and (near == least[v]).all():
            return least
        np.minimum.at(least, least[u], near)
        np.minimum.at(least, least[v], near)
        while (least != least[least]).any():
            least = least[least]


def _largest(whole_graph: Graph) -> Graph:
    """Its largest component, of several as large the one with the smallest node."""
    pairs, weights = whole_graph._weighted or (whole_graph.edge_array(), None)
    component = _components(whole_graph.nodes, pairs)
    kept = component == int(np.argmax(np.bincount(component, minlength=1)))
    if kept.all():
        return whole_graph
    number, names = np.cumsum(kept) - 1, whole_graph.names
    inside = kept[pairs[:, 0]]
    made = _from_pairs(int(kept.sum()), number[pairs[inside]], None if weights is None else weights[inside],
                       [names[v] for v in np.flatnonzero(kept)], whole_graph.origin)
    made.notes = {**whole_graph.notes, "outside": int((~kept).sum())}
    return made


def _is_missing(value: Any) -> bool:
    """None, NaN, pandas' NA and NaT."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)


def _weights(given: "Iterable[Any]") -> "npt.NDArray[np.float64]":
    """Numbers; NaN where an edge has none."""
    found = []
    for i, value in enumerate(given):
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
            raise Invalid(f"weight: edge {i} has {value!r}; weights are numbers above 0")
        found.append(float(value))
    return np.array(found, dtype=np.float64)


def _from_networkx(given: Any, weight: Optional[str]) -> Graph:
    if given.is_directed():
        raise Invalid("a directed graph; messages travel both ways along an edge: give G.to_undirected()")
    labels = list(given.nodes)
    number = {label: v for v, label in enumerate(labels)}
    pairs = np.array([(number[u], number[v]) for u, v in given.edges()], dtype=np.int64).reshape(-1, 2)
    weights = None
    if weight is not None:
        weights = _weights(np.nan if value is None else value for _, _, value in given.edges(data=weight))
        if len(weights) and np.isnan(weights).all():
            raise Invalid(f"weight: no edge has {weight!r}")
    made = _from_pairs(len(labels), pairs, weights, labels, "networkx")
    return _noted(made, len({name for _, _, data in given.edges(data=True) for name in data} - {weight}))


def _from_igraph(given: Any, weight: Optional[str]) -> Graph:
    if given.is_directed():
        raise Invalid("a directed graph; messages travel both ways along an edge: give G.as_undirected()")
    labels = list(given.vs["name"]) if "name" in given.vs.attributes() else None
    pairs = np.array(given.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    weights = None if weight is None else _weights(given.es[weight])
    made = _from_pairs(given.vcount(), pairs, weights, labels, "igraph")
    return _noted(made, len(set(given.es.attributes()) - {weight}))


def _entries(given: Any) -> Tuple[int, npt.NDArray[Any], npt.NDArray[Any]]:
    """Rows and columns of a square matrix's entries that are not 0, and their values."""
    if hasattr(given, "tocoo"):
        if given.shape[0] != given.shape[1]:
            raise Invalid(f"a matrix of {given.shape[0]} x {given.shape[1]}; an adjacency matrix is square")
        if given.format == "csr":
            rows = np.repeat(np.arange(given.shape[0], dtype=np.int32), np.diff(given.indptr))
            columns, values = given.indices, given.data
        else:
            entries = given.tocoo()
            rows, columns, values = entries.row, entries.col, entries.data
        kept = values != 0
        if not kept.all():
            rows, columns, values = rows[kept], columns[kept], values[kept]
    else:
        given = np.asarray(given)
        rows, columns = np.nonzero(given)
        values = given[rows, columns]
    if values.dtype.kind not in "biuf":
        raise Invalid(f"a matrix of {values.dtype}; give numbers")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise Invalid("a matrix with an entry that is not finite; give 0 where there is no edge")
    if values.dtype.kind in "if" and (values < 0).any():
        raise Invalid("a matrix with an entry below 0; weights of edges are above 0")
    return given.shape[0], np.stack([rows, columns], axis=1), values


def _from_matrix(given: Any, weighted: bool, labels: Optional[Sequence[Node]]) -> Graph:
    nodes, pairs, values = _entries(given)
    made = _from_pairs(nodes, pairs, values if weighted else None, labels, "matrix")
    made.notes.pop("repeats", None)  # a symmetric matrix says every edge twice
    return made


def _from_labels(given: Any, nodes: Optional[int]) -> Graph:
    """Edges between things of any kind, numbered in order of first appearance."""
    if nodes is not None:
        raise Invalid("nodes: counts nodes that are numbers; these have names, and are as many as there are names")
    for i, pair in enumerate(given):
        if any(_is_missing(end) or isinstance(end, (complex, np.complexfloating)) or not isinstance(end, collections.abc.Hashable)
               or (isinstance(end, (float, np.floating)) and end % 1 != 0) for end in pair):
            raise Invalid(f"edges: pair {i} is {pair!r}; a node is a number or a name")
    number: Dict[Node, int] = {}
    pairs = np.array([(number.setdefault(u, len(number)), number.setdefault(v, len(number))) for u, v in given],
                     dtype=np.int64).reshape(-1, 2)
    return _from_pairs(len(number), pairs, None, list(number), "edges")


def _from_numbers(given: npt.NDArray[Any], nodes: Optional[int]) -> Graph:
    if given.dtype.kind == "f" and given.size and not (np.isfinite(given).all() and (given == np.floor(given)).all()):
        raise Invalid("edges: a node's number is not whole; give whole numbers from 0")
    if given.size and (given.max() >= 2**31 - 1 or given.min() < 0):
        raise Invalid("edges: a node's number is out of range; nodes are 0, 1, ... (give pairs of names to name them)")
    count = int(given.max()) + 1 if given.size else 0
    return _from_pairs(count if nodes is None else nodes, given.astype(np.int64).reshape(-1, 2))


def _from_array(given: npt.NDArray[Any], nodes: Optional[int], weighted: bool) -> Graph:
    if given.ndim != 2:
        raise Invalid(f"an array of {given.ndim} dimensions; give edges [count][2] or a square matrix")
    if given.shape[1] == 2 and given.dtype.kind in "iu":
        return _from_numbers(given, nodes)
    if given.shape[1] == 2 and given.dtype.kind in "OUS":
        return _from_labels(given.tolist(), nodes)
    if given.shape[0] == given.shape[1]:
        return _from_matrix(given, weighted, None)
    raise Invalid(f"an array of {given.shape[0]} x {given.shape[1]} {given.dtype}; give edges [count][2] as whole numbers "
                  "or a square matrix")


def _end_columns(frame: Any) -> "Tuple[int, int, int]":
    """Which columns of a frame are the ends of edges and their weight, by the words that headers of files use; -1: none is."""
    names = [ffi.new("char[]", str(name).replace("\0", " ").encode("utf-8", "replace")) for name in frame.columns]
    held, column = ffi.new("char *[]", names), ffi.new("int32_t[3]")
    call(lib.netdp_graph_columns, held, len(names), column)
    return column[0], column[1], column[2]


def _frame_nodes(frame: Any, place: int) -> "List[Any]":
    """One end of all edges; numbers that are whole as int, however pandas keeps them."""
    nodes = []
    for row, value in enumerate(frame.iloc[:, place].tolist()):
        column = frame.columns[place]
        if _is_missing(value):
            raise Invalid(f"frame: row {row} has no node in column {column!r}; drop such rows first")
        if isinstance(value, complex) or (isinstance(value, float) and value % 1 != 0):
            raise Invalid(f"frame: {value!r} where a node's number should be; numbers of nodes are whole")
        if not isinstance(value, collections.abc.Hashable):
            raise Invalid(f"frame: row {row} has a {type(value).__name__} in column {column!r}; a node is a number or a name")
        if isinstance(value, float) and abs(value) < 2**53:
            value = int(value)
        nodes.append(int(value) if isinstance(value, (int, np.integer)) and not isinstance(value, bool) else value)
    return nodes


def _frame_weights(frame: Any, weight: Union[str, bool]) -> "npt.NDArray[np.float64]":
    found = ([_end_columns(frame)[2]] if weight is True and _end_columns(frame)[2] >= 0 else
             [i for i, name in enumerate(frame.columns) if name == ("weight" if weight is True else weight)])
    if len(found) != 1:
        raise Invalid(f"weight: the frame has no column {'weight' if weight is True else weight!r}; its columns are "
                      + ", ".join(repr(name) for name in frame.columns))
    weights = []
    for row, value in enumerate(frame.iloc[:, found[0]].tolist()):
        if _is_missing(value) or isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise Invalid(f"weight: row {row} of the frame has {value!r}; weights are numbers above 0")
        weights.append(float(value))
    return np.array(weights, dtype=np.float64)


def _noted(made: Graph, left_out: int) -> Graph:
    """With how many columns or attributes of edges were left out."""
    if left_out > 0:
        made.notes["columns"] = left_out
    return made


def _from_edge_frame(frame: Any, ends: Tuple[int, int], weight: Union[str, bool, None], nodes: Optional[int]) -> Graph:
    column = [_frame_nodes(frame, place) for place in ends]
    more = len(frame.columns) - 2
    names = list(dict.fromkeys(value for pair in zip(*column) for value in pair))
    if all(isinstance(name, int) and not isinstance(name, bool) for name in names):
        if nodes is not None:
            return _noted(_from_numbers(np.array(list(zip(*column)), dtype=np.int64).reshape(-1, 2), nodes), more)
        names.sort()
    elif nodes is not None:
        raise Invalid("nodes: counts nodes that are numbers; these have names, and are as many as there are names")
    number = {name: v for v, name in enumerate(names)}
    pairs = np.array([(number[u], number[v]) for u, v in zip(*column)], dtype=np.int64).reshape(-1, 2)
    return _noted(_from_pairs(len(names), pairs, _frame_weights(frame, weight) if weight else None, names, "frame"), more - bool(weight))


def _matrix_of_frame(frame: Any) -> Any:
    """Its entries, rows and columns in one order, where they have the same names; "1" of a file's first line is 1 of its first
    column. None: they have not."""
    rows, columns = list(frame.index), list(frame.columns)
    if any(_is_missing(name) for name in rows + columns):
        raise Invalid("frame: a row or a column has no name; give each one")
    if len(set(rows)) == len(rows) == len(columns) and set(rows) == set(columns):
        return frame[rows].to_numpy()
    place = {str(name).strip(): k for k, name in enumerate(columns)}
    words = [str(name).strip() for name in rows]
    kinds = {type(name) for name in rows + columns}
    if len(set(words)) == len(rows) == len(columns) and set(words) == set(place) and len(kinds) > 1 and all(word.isdigit() for word in words):
        return frame.iloc[:, [place[word] for word in words]].to_numpy()
    return None


def _from_frame(frame: Any, weight: Union[str, bool, None], nodes: Optional[int]) -> Graph:
    """A pandas frame: edges, by the names of its columns or where it has two of them; or a matrix whose rows and columns have
    the same names, in any order."""
    rows, columns = list(frame.index), list(frame.columns)
    matrix = _matrix_of_frame(frame)
    if matrix is not None:
        unnamed = rows == list(range(len(rows))) == columns
        if unnamed and len(rows) in (2, 3) and not (matrix.dtype.kind in "biuf" and (matrix == matrix.T).all() and not matrix.diagonal().any()):
            raise Invalid(f"a frame of {len(rows)} x {len(rows)} without names, edges or a matrix? name its columns source and target, "
                          "or give a symmetric array with 0 on its diagonal")
        return _from_matrix(matrix, bool(weight), rows)
    source, target, _ = _end_columns(frame)
    if source >= 0:
        return _from_edge_frame(frame, (source, target), weight, nodes)
    if len(columns) == 2 and len(rows) != 2:
        return _from_edge_frame(frame, (0, 1), weight, nodes)
    if len(rows) != len(columns):
        raise Invalid(f"a frame of {len(rows)} x {len(columns)}: no edges, which have columns such as source and target, and no "
                      "square matrix; name the columns, or give the two that are the ends")
    odd = next((name for name in rows + columns if (name in set(rows)) != (name in set(columns))), None)
    raise Invalid("a matrix " + (f"in which {odd!r} names a row or a column, not both" if odd is not None
                                 else "in which a name stands twice")
                  + "; give rows and columns the same names, each once, or edges in columns source and target")


def _read(path: Union[str, "os.PathLike[str]"], giant_component: bool) -> Graph:
    made, notes = ffi.new("netdp_graph **"), ffi.new("netdp_graph_notes *")
    call(lib.netdp_graph_read, bytes_of(path), giant_component, made, notes)
    return _own(made, None, notes)


def graph(given: Any, *, nodes: Optional[int] = None, weight: Union[str, bool, None] = None, seed: int = 1,
          connected: bool = True, giant_component: bool = False) -> Graph:
    """A graph from what you have; names are kept.

    - a family as on the command line: ``"davis"``, ``"ring 12"``, ``"erdos-renyi 2048 c=1.2"`` (`seed`, `connected`);
    - a file: a path, or the name of a file that is there;
    - a NetworkX or igraph graph, undirected (`weight`: the edges' attribute to keep);
    - a SciPy sparse or square NumPy matrix: an edge wherever it is not 0 (`weight=True`: keep the entries);
    - a pandas frame: edges in columns such as source and target, or in its only two (`weight=True`: the column weight), or a
      matrix whose rows and columns have the same names, in any order;
    - edges: an array [count][2] of whole numbers (a 2 x 2 one too), a pair of arrays (from, to), or pairs of names
      (`nodes`: how many, where the last ones have no edge).

    Loops and repeats are dropped; ``.notes`` says how many. `giant_component`: only the largest component is kept, and
    ``.notes["outside"]`` says how many nodes are not in it.
    """
    if giant_component and not isinstance(given, os.PathLike) and not (isinstance(given, str) and (
            os.path.exists(given) or not given.split(" ")[0].replace("-", "").isalpha())):
        return _largest(graph(given, nodes=nodes, weight=weight, seed=seed, connected=False))
    if isinstance(given, Graph):
        return given
    if isinstance(given, os.PathLike):
        return _read(given, giant_component)
    if isinstance(given, str):
        if giant_component or (os.path.exists(given) and not given.split(" ")[0].isalpha()):
            return _read(given, giant_component)
        made, notes = ffi.new("netdp_graph **"), ffi.new("netdp_graph_notes *")
        call(lib.netdp_graph_make, bytes_of(given), whole("seed", seed), connected, made, notes)
        return _own(made, None, notes)
    module = type(given).__module__.partition(".")[0]
    if module == "igraph":
        return _from_igraph(given, weight if isinstance(weight, str) else "weight" if weight else None)
    if hasattr(given, "is_directed") and hasattr(given, "edges"):
        return _from_networkx(given, weight if isinstance(weight, str) else "weight" if weight else None)
    if hasattr(given, "tocoo"):
        return _from_matrix(given, bool(weight), None)
    if type(given).__name__ == "DataFrame" and module == "pandas":
        return _from_frame(given, weight, nodes)
    if isinstance(given, np.ma.MaskedArray) and bool(np.any(np.ma.getmaskarray(given))):  # type: ignore[no-untyped-call]
        raise Invalid("a masked array; fill it first (0 where there is no edge)")
    if isinstance(given, np.ndarray):
        return _from_array(given, nodes, bool(weight))
    if isinstance(given, tuple) and len(given) == 2 and all(isinstance(part, np.ndarray) for part in given):
        if given[0].shape != given[1].shape or given[0].ndim != 1 or any(part.dtype.kind not in "iu" for part in given):
            raise Invalid("edges as (from, to): give two arrays of whole numbers, as long as each other")
        return _from_numbers(np.stack(given, axis=1), nodes)
    try:
        pairs = [tuple(pair) for pair in given]
    except TypeError:
        raise Invalid(f"{type(given).__name__}: no graph; give a family, a path, a NetworkX or igraph graph, a matrix or "
                      "edges") from None
    if any(len(pair) != 2 for pair in pairs):
        raise Invalid("edges: give pairs (u, v)")
    if all(isinstance(end, (int, np.integer)) and not isinstance(end, bool) for pair in pairs for end in pair):
        return _from_numbers(np.array(pairs, dtype=np.int64).reshape(-1, 2), nodes)
    return _from_labels(pairs, nodes)


class Mixing:
    """A mixing matrix W of the library: nonnegative, rows that sum to 1, symmetric unless made by "rows".
    Made by `netdp.mixing`."""

    def __init__(self, pointer: Any, graph: Graph) -> None:
        self._pointer, self.graph = pointer, graph

    @property
    def name(self) -> str:
        """The weights that it was made by."""
        return text_of(lib.netdp_mixing_name(self._pointer)) or ""

    def csr(self) -> Tuple[npt.NDArray[np.float64], npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """(data, indices, indptr) of W: views of the library's memory, not to be written to."""
        rows = lib.netdp_mixing_rows(self._pointer)
        start = _view(rows.start, rows.nodes + 1, np.int64, self)
        count = int(start[-1])
        return (_view(rows.weight, count, np.float64, self), _view(rows.column, count, np.int32, self), start)

    def to_scipy(self) -> Any:
        """W as a SciPy CSR array, on the library's memory."""
        import scipy.sparse

        data, indices, indptr = self.csr()
        return scipy.sparse.csr_array((data, indices, indptr), shape=(self.graph.nodes, self.graph.nodes), copy=False)

    def to_numpy(self) -> npt.NDArray[np.float64]:
        """W as a dense array."""
        data, indices, indptr = self.csr()
        dense = np.zeros((self.graph.nodes, self.graph.nodes))
        dense[np.repeat(np.arange(self.graph.nodes), np.diff(indptr)), indices] = data
        return dense

    def spectrum(self) -> Tuple[float, float, float]:
        """(second eigenvalue, smallest eigenvalue, gap)."""
        found = ffi.new("netdp_spectrum *")
        call(lib.netdp_mixing_spectrum, self._pointer, lib.NETDP_SPECTRAL_AUTO, found)
        return found.second, found.smallest, found.gap

    def mixing_time(self, accuracy: float = 0.25) -> int:
        """Rounds until everybody is within `accuracy` of the mean (total variation); -1: never."""
        rounds = ffi.new("int64_t *")
        call(lib.netdp_mixing_time, self._pointer, accuracy, rounds)
        return int(rounds[0])

    def __repr__(self) -> str:
        return f"<netdp.Mixing {self.name} of {self.graph!r}>"


def _view(pointer: Any, count: int, kind: Any, owner: Any) -> npt.NDArray[Any]:
    """The library's memory as an array that keeps its owner alive and is not to be written to."""
    size = count * np.dtype(kind).itemsize
    # The buffer keeps only the cdata alive: it holds the owner, too.
    held = ffi.gc(ffi.cast("char *", pointer), lambda _, owner=owner: None)
    view = np.frombuffer(ffi.buffer(held, size), dtype=kind)
    view.flags.writeable = False
    return view


def _own_weights(given: Any, base: Optional[Graph]) -> Graph:
    """A graph with the weights of a matrix W that somebody made: checked, since a wrong W gives a wrong guarantee."""
    nodes, pairs, values = _entries(given)
    if given.shape[0] != given.shape[1]:
        raise Invalid(f"mixing: a matrix of {given.shape[0]} x {given.shape[1]}; W is square")
    if base is not None and base.nodes != nodes:
        raise Invalid(f"mixing: W has {nodes} rows; the graph has {base.nodes} nodes")
    sums = np.bincount(pairs[:, 0], weights=values.astype(float), minlength=nodes)
    if (np.abs(sums - 1) > 1e-9).any():
        worst = int(np.abs(sums - 1).argmax())
        raise Invalid(f"mixing: row {worst} of W sums to {sums[worst]:.17g}; each row of W sums to 1")
    off = pairs[:, 0] != pairs[:, 1]
    pairs, values = pairs[off], values[off].astype(float)
    forward = np.lexsort((pairs[:, 1], pairs[:, 0]))
    backward = np.lexsort((pairs[:, 0], pairs[:, 1]))
    same = np.array_equal(pairs[forward], pairs[backward][:, ::-1])
    if not same or (values[forward] != values[backward]).any():
        raise Invalid("mixing: W is not symmetric; give (W + W.T) / 2 if it is so up to rounding")
    if base is not None:
        known = base.edge_array().astype(np.int64) @ np.array([nodes, 1])
        upper = pairs[pairs[:, 0] < pairs[:, 1]].astype(np.int64)
        foreign = ~np.isin(upper @ np.array([nodes, 1]), known)
        if foreign.any():
            u, v = (int(end) for end in upper[foreign][0])
            raise Invalid(f"mixing: W has the edge from node {u} to node {v}, which the graph has not")
    upper_only = pairs[:, 0] < pairs[:, 1]
    return _from_pairs(nodes, pairs[upper_only], values[upper_only], base.names if base is not None else None, "matrix")


def mixing(given: Any, weights: Any = "metropolis", **how: Any) -> Mixing:
    """The mixing matrix of a graph, or of anything that `netdp.graph` takes.

    `weights`: "metropolis", "hamilton", "max-degree", "uniform", "lazy:K", "file" (the edges' own), "rows"
    (plain means of a node and its neighbours, not symmetric: of learning, accounted for by "everything"), or W itself as a
    NumPy or SciPy matrix, which is checked; then the graph may be None.
    """
    if isinstance(given, Mixing):
        return given
    made = ffi.new("netdp_mixing **")
    if isinstance(weights, str):
        network = graph(given, **how)
    else:
        network = _own_weights(weights, None if given is None else graph(given, **how))
        weights = "file"
    call(lib.netdp_mixing_new_stochastic, network._pointer, bytes_of(weights), made)
    return Mixing(ffi.gc(made[0], lib.netdp_mixing_free), network)

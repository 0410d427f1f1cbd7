"""What people have becomes the same graph, names kept, or is refused in one line."""
import gc
import pathlib

import netdp
import numpy as np
import pytest

networkx = pytest.importorskip("networkx")
sparse = pytest.importorskip("scipy.sparse")


def edges_of(graph):
    names = graph.names
    return {frozenset((names[u], names[v])) for u, v in graph.edge_array()}


def test_networkx_keeps_names():
    G = networkx.Graph([("b", "a"), ("a", "c"), ("c", "c"), (3, "a")])
    G.add_node("alone")
    got = netdp.graph(G)
    assert got.names == list(G.nodes) and edges_of(got) == {frozenset(e) for e in [("b", "a"), ("a", "c"), (3, "a")]}
    assert got.notes == {"self_loops": 1} and got.index("c") == list(G.nodes).index("c")


def test_order_of_nodes_does_not_matter():
    G = networkx.karate_club_graph()
    other = networkx.Graph()
    other.add_nodes_from(reversed(list(G.nodes)))
    other.add_edges_from(G.edges)
    a, b = (netdp.losses(g, rounds=5).to_pandas().set_index(["from", "to"]).loss.sort_index()
            for g in (G, other)) if pytest.importorskip("pandas") else ()
    assert np.allclose(a, b, rtol=1e-9, atol=0)


def test_every_way_is_one_graph(tmp_path):
    G = networkx.gnm_random_graph(30, 60, seed=1)
    assert networkx.is_connected(G)
    adjacency = networkx.to_scipy_sparse_array(G, nodelist=range(30), weight=None)
    pairs = np.array(G.edges)
    file = tmp_path / "g.edges"
    networkx.write_edgelist(G, file, data=False)
    ways = [netdp.graph(given) for given in (
        G, adjacency, adjacency.tocoo(), adjacency.tocsc(), sparse.triu(adjacency), adjacency.toarray(),
        adjacency.toarray().astype(bool), np.asfortranarray(adjacency.toarray()), pairs, pairs.astype(np.uint8),
        np.asfortranarray(pairs), np.repeat(pairs, 2, axis=0)[::2], (pairs[:, 0], pairs[:, 1]), list(G.edges))]
    ways.append(netdp.graph(file))
    ways.append(netdp.graph(str(file)))
    igraph = pytest.importorskip("igraph")
    ways.append(netdp.graph(igraph.Graph.from_networkx(G)))
    for way in ways:
        assert way.nodes == 30 and (way.edge_array() == ways[0].edge_array()).all() and not way.notes


def test_igraph_names():
    igraph = pytest.importorskip("igraph")
    got = netdp.graph(igraph.Graph.TupleList([("x", "y"), ("y", "z")]))
    assert got.names == ["x", "y", "z"] and got.edges == 2


def test_frame_of_names():
    pandas = pytest.importorskip("pandas")
    got = netdp.graph(pandas.DataFrame([[0, 1], [1, 0]], index=["u", "v"], columns=["u", "v"]))
    assert got.names == ["u", "v"] and got.edges == 1


def test_frames_of_edges():
    """A frame with columns is an edge frame: numbers or names, weights where they are asked for, other columns between."""
    pandas = pytest.importorskip("pandas")
    path = pandas.DataFrame({"When": [3, 1, 2, 9], "Sender": [10, 20, 30, 40], "Receiver": [20, 30, 40, 7], "weight": [1.5, 2, 3, 4]})
    got = netdp.graph(path)
    assert got.names == [7, 10, 20, 30, 40] and got.edge_array().tolist() == [[0, 4], [1, 2], [2, 3], [3, 4]]
    named = netdp.graph(pandas.DataFrame({"w": [1.0, 2.0], "to": ["b", "c"], "from": ["a", "b"]}), weight=True)
    assert named.names == ["a", "b", "c"] and named.edges == 2 and named.notes["weights"] == 2
    plain = netdp.graph(pandas.DataFrame([[0, 1], [1, 2], [2, 3]]))
    assert plain.nodes == 4 and plain.edges == 3
    whole = netdp.graph(pandas.DataFrame({"u": [1.0, 2.0], "v": [2.0, 3.0]}))
    assert whole.names == [1, 2, 3]


def test_frames_of_matrices_go_by_name():
    pandas = pytest.importorskip("pandas")
    star = pandas.DataFrame([[0, 2, 3], [2, 0, 0], [3, 0, 0]], index=list("xyz"), columns=list("xyz"))
    for frame in (star, star[list("zyx")], star.loc[list("yzx")][list("zxy")]):
        got = netdp.graph(frame, weight=True)
        assert sorted(tuple(sorted((got.names[a], got.names[b]))) for a, b in got.edge_array()) == [("x", "y"), ("x", "z")]


@pytest.mark.parametrize("frame,part", [
    (lambda p: p.DataFrame([[0, 1], [1, 0]], index=["u", "v"], columns=["u", "w"]), "not both"),
    (lambda p: p.DataFrame([[0, 1], [1, 0]], index=["u", "u"], columns=["u", "u"]), "twice"),
    (lambda p: p.DataFrame({"a": [1, 2], "b": [2, 3], "c": [3, 4]}), "2 x 3"),
    (lambda p: p.DataFrame({"source": [1, None], "target": [2, 3]}), "row 1"),
    (lambda p: p.DataFrame({"source": [1], "target": [2]}), None),
    # A frame without names: two rows of two are edges or a matrix, three of three edges with weights or a matrix.
    (lambda p: p.DataFrame([[0, 1], [1, 2]]), "edges or a matrix"), (lambda p: p.DataFrame([[0, 1, 5], [1, 2, 3], [2, 3, 4]]), "edges or a matrix"),
    (lambda p: p.DataFrame({"source": p.array([1, None], dtype="Int64"), "target": [2, 3]}), "row 1 has no node"),
    (lambda p: p.DataFrame({"from": ["a", "b"], "to": ["b", None]}), "row 1 has no node in column 'to'"),
    (lambda p: p.DataFrame({"src": p.to_datetime(["2020-01-01", None]), "dst": [2, 3]}), "row 1 has no node"),
    (lambda p: p.DataFrame({"u": [[1], [2]], "v": [[2], [3]]}), "row 0 has a list"), (lambda p: p.DataFrame({"u": [1j, 2], "v": [2, 3]}), "1j"),
    (lambda p: p.DataFrame([[0, 1], [1, 0]], index=["a", None], columns=["a", None]), "no name"),
    (lambda p: p.DataFrame([[0, 1], [1, 0]], index=["a", "b"], columns=["A", "b"]), "not both"),
    (lambda p: p.DataFrame([[0, 1], [1, 0]], index=["a ", "b"], columns=["a", "b"]), "not both"),
    (lambda p: p.DataFrame([[0, 1], [1, 0]], index=[1, 2], columns=["1", "3"]), "not both"),
])
def test_frames_refused(frame, part):
    pandas = pytest.importorskip("pandas")
    if part is None:
        assert netdp.graph(frame(pandas)).edges == 1
        return
    with pytest.raises(netdp.Invalid, match=part):
        netdp.graph(frame(pandas))


def test_matrices_of_files_have_numbers_above_and_before(tmp_path):
    """read_csv gives the first line's names as texts, and those of the first column as numbers."""
    pandas = pytest.importorskip("pandas")
    (tmp_path / "m.csv").write_text(",3,1,2\n1,0,0,2\n2,5,2,0\n3,0,0,5\n")
    got = netdp.graph(pandas.read_csv(tmp_path / "m.csv", index_col=0), weight=True)
    assert {frozenset((got.names[a], got.names[b])) for a, b in got.edge_array()} == {frozenset((1, 2)), frozenset((2, 3))}


@pytest.mark.parametrize("weight", [None, "1", "x", float("nan"), 1j, -1, 0, True, float("inf"), [2]])
def test_weights_that_are_none(weight):
    pandas = pytest.importorskip("pandas")
    with pytest.raises(netdp.Invalid, match="weight"):
        netdp.graph(pandas.DataFrame({"source": [1, 2], "target": [2, 3], "weight": [1, weight]}, dtype=object), weight=True)
    if weight is not None and weight == weight:
        with pytest.raises(netdp.Invalid, match="weight"):
            netdp.graph(networkx.Graph([(1, 2, {"w": 1}), (2, 3, {"w": weight})]), weight="w")


def test_ends_of_one_kind():
    pandas = pytest.importorskip("pandas")
    assert netdp.graph(pandas.DataFrame({"source": [3, 2], "target": [2.0, 1.0]})).names == [1, 2, 3]
    assert netdp.graph(pandas.DataFrame({"source": pandas.array([3, 2], dtype="Int64"), "target": [2, 1]})).names == [1, 2, 3]


@pytest.mark.parametrize("given,part", [
    ([("a", float("nan")), ("a", "b")], "pair 0"), ([(1, 2), (2, None)], "pair 1"), ([("a", ["b"])], "pair 0"), ([(1j, 2)], "pair 0"),
    (np.ma.array([[0, 1], [1, 0]], mask=[[0, 1], [1, 0]]), "masked"), (np.ma.array([[0, 1], [1, 2]], mask=[[0, 0], [0, 1]]), "masked"),
    (np.zeros((2, 3)), "2 x 3"), (np.array([[0, -1]]), "range"), (np.array([[0.5, 1.0], [1, 2], [2, 3]]), "3 x 2"),
    (np.array([[0, np.nan], [np.nan, 0]]), "finite"), (np.array([[0, -1.0], [-1.0, 0]]), "below 0"),
    (networkx.DiGraph([(0, 1)]), "directed"), (networkx.Graph([("1", "a"), (1, "a")]), "two nodes have the name '1'"),
    (networkx.Graph(), "0 nodes"), (7, "no graph"), ([(1, 2, 3)], "pairs"), (pathlib.Path("/nowhere"), "nowhere"),
    (networkx.Graph([("a\0b", "c")]), "NUL"), (networkx.Graph([("", "c")]), "empty"), ("rign 5", "ring"),
    ((np.arange(3), np.arange(4)), "as long as"), (np.array([[0, 2**40]]), "range"), (np.zeros((2, 2, 2)), "dimensions"),
])
def test_refused(given, part):
    with pytest.raises(netdp.Error, match=part) as told:
        netdp.graph(given)
    assert "\n" not in str(told.value)


def test_fewer_nodes_than_named():
    with pytest.raises(netdp.Invalid, match="ends in node 5"):
        netdp.graph(np.array([[0, 5]]), nodes=3)
    assert netdp.graph(np.array([[0, 1]]), nodes=3).nodes == 3


def test_mixing_matrix_is_the_command_s(command):
    W = netdp.mixing("davis")
    dense = W.to_numpy()
    assert (dense == dense.T).all() and np.allclose(dense.sum(axis=1), 1) and (W.to_scipy().toarray() == dense).all()
    said = command("graph info --family davis")
    assert W.spectrum()[2] == said["gap"] if "gap" in said else W.spectrum()[2] > 0
    data, indices, indptr = W.csr()
    assert not data.flags.owndata and not data.flags.writeable
    before = data.copy()
    del W
    gc.collect()
    netdp.mixing("davis")
    assert (data == before).all()


def test_own_mixing_matrix():
    W = netdp.mixing("davis").to_numpy()
    assert np.allclose(netdp.mixing(None, W).to_numpy(), W, rtol=0, atol=1e-15)
    assert np.allclose(netdp.mixing(None, sparse.csr_array(W)).to_numpy(), W, rtol=0, atol=1e-15)
    a, b = netdp.losses("davis", rounds=5).matrix, netdp.losses("davis", rounds=5, mixing=W).matrix
    assert np.allclose(a, b, rtol=1e-9) and netdp.losses("davis", rounds=5, mixing=W).graph.names == netdp.graph("davis").names
    for wrong, part in ((W + np.eye(32), "sums to"), (np.roll(W, 1, axis=0), "symmetric|sums|not"), (W[:, :5], "square|x 5"),
                        (W * np.nan, "finite"), (-W, "below 0")):
        with pytest.raises(netdp.Invalid, match=part):
            netdp.mixing(None, wrong)
    with pytest.raises(netdp.Invalid, match="which the graph has not"):
        netdp.mixing("ring 32", W)
    with pytest.raises(netdp.Invalid, match="32 rows"):
        netdp.mixing("ring 8", W)


def test_giant_component_of_everything(tmp_path):
    """The largest component, with its names and weights, of whatever a graph is given as; of two as large the first."""
    import scipy.sparse
    pairs = [("c", "a"), ("a", "b"), ("b", "c"), ("x", "y")]
    G = networkx.Graph()
    G.add_weighted_edges_from((u, v, (1 + k) / 10) for k, (u, v) in enumerate(pairs))
    matrix = networkx.to_numpy_array(G, weight=None)
    numbers = [(0, 1), (1, 2), (2, 0), (3, 4)]
    (tmp_path / "g.edges").write_text("".join(f"{u} {v}\n" for u, v in pairs))
    for given in (G, matrix, scipy.sparse.csr_matrix(matrix), pairs, numbers, np.array(numbers), tuple(np.array(numbers).T.copy()),
                  str(tmp_path / "g.edges"), tmp_path / "g.edges", netdp.graph(pairs, connected=False)):
        got = netdp.graph(given, giant_component=True)
        assert (got.nodes, got.edges, got.notes["outside"]) == (3, 3, 2), given
    kept = netdp.graph(G, giant_component=True)
    assert set(kept.names) == {"a", "b", "c"}
    heavy = netdp.graph(G, weight="weight", giant_component=True)
    alone = netdp.graph(G.subgraph("cab"), weight="weight")
    order = [heavy.index(name) for name in alone.names]
    assert np.array_equal(netdp.mixing(heavy, "file").to_numpy()[np.ix_(order, order)], netdp.mixing(alone, "file").to_numpy())
    assert netdp.graph([(5, 6), (0, 1)], giant_component=True).names == [0, 1]
    assert 2 < netdp.graph("erdos-renyi 40 0.05", giant_component=True).nodes < 40
    whole = netdp.graph("ring 5")
    assert netdp.graph(whole, giant_component=True) is whole


def test_rows_go_by_name():
    """Of a dict or a pandas index, in any order; a name that is none is refused with the nearest."""
    pandas = pytest.importorskip("pandas")
    G = networkx.path_graph(["Ann", "Bob", "Cy"])
    asked = dict(rounds=4, noise=2, protects="row", dither=0.1)
    want = netdp.losses(G, rows=[10, 20, 30], **asked).matrix
    assert (want != netdp.losses(G, rows=[30, 20, 10], **asked).matrix).any()
    for given in ({"Cy": 30, "Ann": 10, "Bob": 20}, pandas.Series([30, 20, 10], index=["Cy", "Bob", "Ann"]), pandas.Series([10, 20, 30]), (10, 20, 30)):
        assert (netdp.losses(G, rows=given, **asked).matrix == want).all()
    for given, match in (({"cy": 30, "Ann": 10, "Bob": 20}, "no node 'cy'.*nearest name is 'Cy'"), ({"Ann": 10, "Bob": 20}, "nothing for node 'Cy'"),
                         (pandas.Series([1, 2, 3], index=["Ann", "Ann", "Bob"]), "named twice"), (pandas.Series([1, 2, 3], index=["Ann", "Bob ", "Cy"]), "nearest"),
                         ({"Ann": 10, 0: 20, "Cy": 3}, "named twice"), ({"Ann": 2.5, "Bob": 1, "Cy": 3}, "whole number")):
        with pytest.raises(netdp.Invalid, match=match):
            netdp.losses(G, rows=given, **asked)


def test_names_that_differ_in_blanks_alone():
    """A name is the node's that is written so; with other blanks it is nobody's where two could be meant."""
    networkx = pytest.importorskip("networkx")
    G = networkx.Graph([("A", "B"), ("B", "A "), ("A ", "C"), ("C", "D ")])
    asked = {"protocol": "averaging", "rounds": 4, "noise": 2}
    whole = netdp.losses(G, **asked).matrix
    names = list(netdp.graph(G).names)
    for name, node in (("A", 0), ("A ", 2), (" B", 1), ("D ", 4), ("C  ", 3)):
        assert (netdp.losses(G, to=name, **asked).matrix[:, 0] == whole[:, node]).all() and names[node].strip() == name.strip()
    members = netdp.losses(G, to="set:A ,C", **asked).matrix
    assert np.isinf(members[2:4]).all() and np.isfinite(members[:2]).all()
    for name in (" A", "A  ", "set:A  ,C"):
        with pytest.raises(netdp.Invalid, match="differ in blanks alone"):
            netdp.losses(G, to=name, **asked)
    with pytest.raises(netdp.Invalid, match="no node 'D'.*nearest"):
        netdp.losses(G, to="D", **asked)


def test_columns_of_frames_that_are_left_out_are_said():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"from": [0, 1], "to": [1, 2], "cost": [1, 2], "weight": [3, 4]})
    assert netdp.graph(frame).notes == {"columns": 2}
    assert netdp.graph(frame, weight=True).notes == {"columns": 1, "weights": 2}
    assert netdp.graph(frame[["from", "to"]]).notes == {}


@pytest.mark.parametrize("given, match", [([(0.5, 1), (1, 2)], "node is a number or a name"), ([("a", 1.5), ("a", 2)], "node is a number or a name")])
def test_nodes_are_whole(given, match):
    with pytest.raises(netdp.Invalid, match=match):
        netdp.graph(given)


def test_a_weight_that_no_edge_has():
    with pytest.raises(netdp.Invalid, match="no edge has 'wieght'"):
        netdp.graph(networkx.Graph([(0, 1, {"weight": 3})]), weight="wieght")

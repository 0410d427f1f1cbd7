"""Made-up graphs in every shape, order and type give what C gives, or one clear exception; and nothing leaks."""
import gc
import tracemalloc

import netdp
import numpy as np
import pytest

hypothesis = pytest.importorskip("hypothesis")
networkx = pytest.importorskip("networkx")
sparse = pytest.importorskip("scipy.sparse")
st = hypothesis.strategies
hypothesis.settings.register_profile("here", deadline=None, max_examples=60, derandomize=True,
                                     suppress_health_check=list(hypothesis.HealthCheck))
hypothesis.settings.load_profile("here")

names = st.one_of(st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), min_size=1, max_size=6),
                  st.integers(-5, 40))


@st.composite
def connected(draw):
    """A connected graph: a random tree and more edges, its nodes in any order, with any names."""
    nodes = draw(st.integers(2, 9))
    labels = draw(st.lists(names, min_size=nodes, max_size=nodes, unique_by=str))
    edges = [(v, draw(st.integers(0, v - 1))) for v in range(1, nodes)]
    edges += draw(st.lists(st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1)), max_size=8))
    G = networkx.Graph()
    G.add_nodes_from(labels)
    G.add_edges_from((labels[u], labels[v]) for u, v in edges)
    return G


def by_library(G):
    """The same through C alone, without names."""
    order = {label: v for v, label in enumerate(G.nodes)}
    pairs = np.array([(order[u], order[v]) for u, v in G.edges], dtype=np.int32)
    return netdp.losses(netdp.graph(pairs, nodes=len(G)), rounds=3)


@hypothesis.given(connected(), st.randoms(use_true_random=False))
def test_names_and_orders(G, random):
    want = by_library(G)
    got = netdp.losses(G, rounds=3)
    assert list(got.sources) == list(G.nodes) == list(got.observers) and (got.matrix == want.matrix).all()
    # One observer by name is its column, whatever the order of the nodes.
    label = random.choice(list(G.nodes))
    one = netdp.losses(G, rounds=3, to=[label])
    assert np.allclose(one.matrix[:, 0], got.matrix[:, list(G.nodes).index(label)], rtol=1e-12)
    shuffled = list(G.nodes)
    random.shuffle(shuffled)
    H = networkx.Graph()
    H.add_nodes_from(shuffled)
    H.add_edges_from(G.edges)
    again = netdp.losses(H, rounds=3).matrix
    place = [shuffled.index(u) for u in G.nodes]
    assert np.allclose(again[np.ix_(place, place)], netdp.losses(G, rounds=3).matrix, rtol=1e-7, atol=1e-12)


@hypothesis.given(connected(), st.sampled_from(["i1", "i2", "i4", "i8", "u1", "u4", ">i4", "f4", "f8", ">f8", "?"]),
                  st.sampled_from(["C", "F", "strided", "reversed", "csr", "csc", "coo", "lil"]))
def test_types_and_layouts(G, kind, layout):
    want = by_library(G)
    plain = networkx.to_numpy_array(G, weight=None).astype(kind)
    matrix = {"C": lambda: plain, "F": lambda: np.asfortranarray(plain),
              "strided": lambda: np.repeat(np.repeat(plain, 2, 0), 3, 1)[::2, ::3],
              "reversed": lambda: plain[::-1, ::-1][::-1, ::-1]}.get(layout)
    given = matrix() if matrix else getattr(sparse, layout + "_matrix")(plain.astype(plain.dtype.newbyteorder("=")))
    if len(G) == 2 and plain.dtype.kind in "iu" and matrix:
        return  # an array [2][2] of whole numbers lists edges
    got = netdp.losses(given, rounds=3)
    assert (got.matrix == want.matrix).all()


@hypothesis.given(st.lists(st.lists(st.floats(), min_size=3, max_size=3), min_size=3, max_size=3))
def test_any_floats(rows):
    given = np.array(rows)
    try:
        made = netdp.graph(given)
    except netdp.Invalid as told:
        assert "\n" not in str(told) and (not np.isfinite(given).all() or (given < 0).any())
    else:
        assert np.isfinite(given).all() and (given >= 0).all()
        there = (given != 0) | (given != 0).T
        assert made.edges == np.triu(there, 1).sum()


@hypothesis.given(st.one_of(st.none(), st.floats(), st.integers(), st.text(max_size=5), st.booleans()),
                  st.sampled_from(["dither", "rounds", "noise", "every", "pair_noise", "cap", "sees", "start", "bound", "to"]))
def test_any_setting(value, name):
    """An answer without NaN, or one line."""
    asked = dict(rounds=3, noise=1.0, as_="gdp", protocol="walk" if name in ("cap", "start") else "averaging")
    if asked["protocol"] == "walk":
        asked["as_"] = "rdp:2"
    if name == "rounds" and isinstance(value, (int, float)) and 300 < value < 2e15:
        value = 300
    asked[name] = value
    if name == "pair_noise":
        asked["pair_graph"] = "edges"
    try:
        got = netdp.losses("ring 5", **asked)
    except (netdp.Error, TypeError) as told:
        assert "\n" not in str(told)
    else:
        assert not np.isnan(got.matrix).any() and (got.matrix >= 0).all()


def test_nothing_leaks():
    def once():
        netdp.losses("davis", rounds=3, noise=1, as_="gdp").to_numpy()
        netdp.graph(networkx.karate_club_graph())
        netdp.convert("gdp:1", to="dp:1e-5")
        try:
            netdp.losses("davis", rounds=3, to="nobody")
        except netdp.Invalid:
            pass

    def resident():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4096

    tracemalloc.start()
    for _ in range(150):  # caches fill
        once()
    gc.collect()
    before, held = tracemalloc.get_traced_memory()[0], resident()
    for _ in range(150):
        once()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 150 * 200, grown  # a forgotten object of 200 bytes a call would be seen
    assert resident() - held < 20e6

"""Files as other programs write them, against networkx: the same graph, or refused in one line; tables and names likewise."""
import json
import pathlib
import random

import netdp
import numpy as np
import pytest

networkx = pytest.importorskip("networkx")


def edges_of(graph):
    names = [str(name) for name in graph.names]
    return {frozenset((names[u], names[v])) for u, v in graph.edge_array()}


def _konect(G, file):
    file.write_text("% sym unweighted\n% {0} {1} {1}\n".format(G.number_of_edges(), len(G))
                    + "".join(f"{u}\t{v} \n" for u, v in G.edges))


def _rows(head, between):
    def write(G, file):
        file.write_text(head + "".join(f"{u}{between}{v}\n" for u, v in G.edges))
    return write


def _market(G, file):
    file.write_text(f"%%MatrixMarket matrix coordinate pattern symmetric\n% c\n{max(G)} {max(G)} {G.number_of_edges()}\n"
                    + "".join(f"{max(e)} {min(e)}\n" for e in G.edges))


def _pajek(G, file):
    networkx.write_pajek(networkx.relabel_nodes(G, str), file)


def _node_link(key):
    def write(G, file):
        data = networkx.node_link_data(G)
        data[key] = data.pop("links")
        file.write_text(json.dumps(data))
    return write


WAYS = {"plain.txt": _rows("", " "), "snap.txt": _rows("# Nodes: n\n# FromNodeId\tToNodeId\n", "\t"), "head.csv": _rows("From Node,To Node\n", ","),
        "semicolon.csv": _rows("Source;Target\n", ";"), "konect.tsv": _konect, "g.mtx": _market, "market.edges": _market,
        "g.gml": networkx.write_gml, "g.graphml": networkx.write_graphml, "g.net": _pajek, "pajek.txt": _pajek,
        "g.json": _node_link("links"), "edges.json": _node_link("edges"), "json.txt": _node_link("links"),
        "nx.edgelist": lambda G, file: networkx.write_edgelist(G, file)}


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("named", [False, True])
def test_written_elsewhere(tmp_path, name, named):
    for seed in range(8):
        G = networkx.gnm_random_graph(12 + seed, 25, seed=seed)
        G.remove_nodes_from(list(networkx.isolates(G)))
        G = networkx.relabel_nodes(networkx.convert_node_labels_to_integers(G), lambda v: v + 1)
        if named and WAYS[name] is not _market:
            G = networkx.relabel_nodes(G, lambda v: f"city{v}")
        file = tmp_path / name
        WAYS[name](G, file)
        got = netdp.graph(file)
        assert got.nodes == len(G) and edges_of(got) == {frozenset(map(str, e)) for e in G.edges}


def test_counts_above_any_list_are_refused(tmp_path):
    """Of trees, rings and others, numbered from 0 or 1: the counts never become an edge."""
    draw = random.Random(1)
    for seed in range(60):
        n = draw.randint(4, 30)
        G = (networkx.path_graph(n), networkx.cycle_graph(n), networkx.star_graph(n - 1),
             networkx.gnm_random_graph(n, draw.randint(n // 2 + 1, 2 * n), seed=seed))[seed % 4]
        G = networkx.relabel_nodes(G, {v: v + seed % 2 for v in G})
        file = tmp_path / "g.edges"
        lines = [f"{u} {v}\n" for u, v in G.edges]
        for head in (f"{n} {len(lines)}\n", f"{n} {n} {len(lines)}\n"):
            file.write_text(head + "".join(lines))
            with pytest.raises(netdp.Invalid, match="those of the nodes|other columns"):
                netdp.graph(file)
        file.write_text("".join(lines))
        assert netdp.graph(file).edges == len(lines)


HEADS = ["Person1\tPerson2", "id_1,id_2", "nodeID1;nodeID2", "ORIGIN_ID,DEST_ID", "Follower,Following", "Quelle;Ziel", "actor,partner",
         "src_ip,dst_ip", "From Station,To Station", "paper_id,cited_paper_id", "protein1 protein2", "voter,votee", "respondent\tnominee",
         "who,whom", "giver;receiver", "Knoten1,Knoten2", "id.x,id.y", "person,friend", "n1 n2", "A,B", "first,second", "left,right",
         "lender;borrower", "employee\tmanager", "i,j", "stop_from,stop_to", "Ego,Alter", "START,END", "Gene A,Gene B"]


@pytest.mark.parametrize("head", HEADS)
def test_headers_are_no_edges(tmp_path, head):
    """Above numbers or names, with a column more or not: a header is told or refused, and never becomes an edge."""
    between = next((mark for mark in ",;\t" if mark in head), " ")
    file = tmp_path / "g.txt"
    for more, value in (("", ""), (between + "weight", between + "2"), (between + "kind", between + "x")):
        for names in (list("1234"), ["10", "20", "30", "40"], ["anna", "bob", "carl", "dora"]):
            file.write_text(head + more + "\n" + "".join(f"{u}{between}{v}{value}\n" for u, v in zip(names, names[1:])))
            try:
                got = netdp.graph(file)
            except netdp.Invalid as refused:
                assert "header" in str(refused) or "more than three" in str(refused) or "blanks" in str(refused), refused
                continue
            assert edges_of(got) == {frozenset(pair) for pair in zip(names, names[1:])}


def _metis(G, form="", weights=lambda v: "", edge=lambda u, v: ""):
    """Nodes are 0, 1, ... in G, and 1, 2, ... in the file."""
    return (f"% a comment\n{len(G)} {G.number_of_edges()}{form}\n"
            + "".join(weights(u) + " ".join(f"{v + 1}{edge(u, v)}" for v in G[u]) + " \n" for u in range(len(G))))


@pytest.mark.parametrize("form, weights, edge", [
    ("", lambda v: "", lambda u, v: ""), (" 001", lambda v: "", lambda u, v: f" {min(u, v) + 2}"), (" 10", lambda v: "7 ", lambda u, v: ""),
    (" 011 2", lambda v: "3 4 ", lambda u, v: f" {u + v + 1}"), (" 100", lambda v: "9 ", lambda u, v: ""), (" 0 1", lambda v: "", lambda u, v: "")])
def test_metis_is_read(tmp_path, form, weights, edge):
    for seed in range(12):
        G = networkx.gnm_random_graph(9, 9 + seed % 6, seed=seed)
        for name in ("g.graph", "g.metis"):
            file = tmp_path / name
            file.write_text(_metis(G, form, weights, edge))
            got = netdp.graph(file)
            assert got.nodes == len(G) and edges_of(got) == {frozenset((str(u + 1), str(v + 1))) for u, v in G.edges}


@pytest.mark.parametrize("text", [
    "3 2\n2\n1 3\n",  # a line is missing that has a neighbour
    "3 2\n2\n1 3\n2\n1\n", "3 3\n2\n1 3\n2\n", "3 2\n2\n1 3\n1\n", "3 2\n2 3\n1\n2\n", "3 2 1\n2 5\n1 5 3\n2 4\n", "3 2 1\n2 5\n1 4 3 4\n2 4\n",
    "3 2 10\n1 2\n\n1 2\n", "3 2\n2\n1 4\n2\n", "3 2\nb\na c\nb\n", "3 2 7\n2\n1 3\n2\n", "nodes 2\n2\n1\n", "", "2\n2\n1\n", "3 2\n0\n1 3\n2\n"])
def test_metis_that_is_wrong_is_refused(tmp_path, text):
    file = tmp_path / "g.metis"
    file.write_text(text)
    with pytest.raises(netdp.Invalid):
        netdp.graph(file)


def test_rings_of_metis_are_told_by_the_name_alone(tmp_path):
    for n in (3, 5, 8):
        G = networkx.cycle_graph(n)
        file = tmp_path / "g.txt"
        file.write_text(_metis(G))
        with pytest.raises(netdp.Invalid, match="METIS"):
            netdp.graph(file)
        assert edges_of(netdp.graph(file.rename(tmp_path / "g.metis"))) == {frozenset((str(u + 1), str(v + 1))) for u, v in G.edges}


@pytest.mark.parametrize("kind", ["sym positive", "asym posweighted", "sym weighted", "asym multiweighted", "sym unweighted"])
def test_konect_has_weights_and_times(tmp_path, kind):
    file = tmp_path / "out.test"
    for seed in range(6):
        G = networkx.gnm_random_graph(11, 20, seed=seed)
        lines = [f"{u + 1}\t{v + 1} {(u * v) % 5 + 1} {1082040961 + 7 * u}\n" for u, v in G.edges]
        wanted = {frozenset((str(u + 1), str(v + 1))) for u, v in G.edges}
        for columns in (4, 3, 2):
            for counts in ("", f"% {len(lines)} {len(G)} {len(G)}\n"):
                file.write_text(f"% {kind}\n{counts}" + "".join(" ".join(line.split()[:columns]) + "\n" for line in lines))
                got = netdp.graph(file)
                assert edges_of(got) == wanted and got.notes.get("columns", 0) == (columns == 4)
        file.write_text("".join(lines))
        with pytest.raises(netdp.Invalid, match="KONECT"):
            netdp.graph(file)


@pytest.mark.parametrize("head, line, words", [
    ("% sym dynamic", "1 2 -1 100", "dynamic"), ("% bip weighted", "1 2 1 100", "bipartite"), ("% asym signed", "1 2 -1 100", "weight"),
    ("% sym weighted", "1 2 1 100 5", "more than three"), ("% sym weighted", "1 2 x 100", "weight")])
def test_konect_that_is_no_graph_is_refused(tmp_path, head, line, words):
    file = tmp_path / "out.test"
    file.write_text(f"{head}\n2 3 1 100\n{line}\n")
    with pytest.raises(netdp.Invalid, match=words):
        netdp.graph(file)


def test_adjacency_lists_are_no_weighted_edges(tmp_path):
    for seed in range(40):
        G = networkx.gnm_random_graph(6, 5 + seed % 4, seed=seed)
        file = tmp_path / "g.txt"
        networkx.write_adjlist(G, file)
        try:
            got = netdp.graph(file)
        except netdp.Invalid:
            continue
        assert edges_of(got) == {frozenset(map(str, e)) for e in G.edges} and "weights" not in got.notes


def test_matrices_are_no_edges(tmp_path):
    file = tmp_path / "w.txt"
    for nodes in (2, 3, 4):
        W = netdp.mixing(f"ring {max(nodes, 3)}").to_numpy()[:nodes, :nodes]
        np.savetxt(file, W)
        with pytest.raises(netdp.Invalid):
            netdp.graph(file)
        np.savetxt(file, W, fmt="%g", delimiter=",")
        with pytest.raises(netdp.Invalid):
            netdp.graph(file)


def test_matrices_below_names_are_no_edges(tmp_path):
    """A row of names above, in any spelling, perhaps names before the rows in another order: never a list of two columns."""
    draw = random.Random(5)
    file = tmp_path / "w.csv"
    for trial in range(120):
        n, between = draw.randint(3, 9), draw.choice(",;\t ")
        names = draw.choice([list("abcdefghi"), [f"node{i + 1}" for i in range(9)], [f"x{i}" for i in range(9)], list("uvwxyzabc"),
                             [f'"V{i + 1}"' for i in range(9)], list("ijklmnopq")])[:n]
        G = networkx.gnm_random_graph(n, draw.randint(n, 2 * n), seed=trial)
        A = networkx.to_numpy_array(G).astype(int) * (draw.randint(1, 3) if trial % 2 else 1)
        if trial % 5 == 4:
            A = np.triu(A)
        before = between != " " and trial % 3 == 0
        order = draw.sample(range(n), n) if before else range(n)
        rows = [[names[i]] * before + [str(x) for x in A[i]] for i in order]
        file.write_text("".join(between.join(row) + "\n" for row in [[draw.choice(["", "id"])] * before + names] + rows))
        with pytest.raises(netdp.Invalid):
            netdp.graph(file)


@pytest.mark.parametrize("text, nodes, edges", [
    ("source,target,weight\n1,2,1\n2,3,4\n3,1,7\n", 3, 3), ("u,v\n1,2\n2,3\n", 3, 2), (",u,v\n0,1,2\n1,2,3\n", 3, 2),
    ("a;b;year\n1;2;1999\n2;3;2000\n3;1;2001\n", 3, 3), ("node1,node2,weight\n1,2,3\n2,3,1\n3,1,2\n", 3, 3),
    ("id1,id2,time\n1,2,7\n2,3,8\n3,4,9\n", 4, 3), ("e f\nf a\na e\n", 3, 3), ("e 1\ne 2\n1 2\n", 3, 3)])
def test_small_lists_stay_lists(tmp_path, text, nodes, edges):
    file = tmp_path / "small.csv"
    file.write_text(text)
    got = netdp.graph(file)
    assert (got.nodes, got.edges) == (nodes, edges)


@pytest.mark.parametrize("blank", ["\u00a0", "\u2003", "\u2009", "\u200b", "\u202f", "\u3000", "\ufeff", "\u2028"])
def test_blanks_that_do_not_separate_are_refused(tmp_path, blank):
    """They look like two columns, and were one name."""
    for text in (f"1{blank}2\n2{blank}3\n", f"anna{blank}bob\nbob{blank}carl\n", f"1 2{blank}\n2 3\n"):
        file = tmp_path / "g.txt"
        file.write_text(text, encoding="utf-8")
        with pytest.raises(netdp.Invalid, match="no-break or zero-width space"):
            netdp.graph(file)


LEFT_OUT = {
    "nested.gml": ('graph [ name "g" node [ id 1 graphics [ x 1 ] ] node [ id 2 ] node [ id 3 ]\n'
                   'edge [ source 1 target 2 weight 2 graphics [ width 2 fill "#333" ] ] edge [ source 2 target 3 LineWidth 3 ] ]', 2),
    "spelled.gml": ('graph [ node [ id 1 label "a" ] node [ id 2 label "b" ]\n# edge [ kind 1 ]\nedge [ source 1 target 2 Weight 2 ] ]', 1),
    "bare.gml": ('graph [ node [ id 1 kind 3 ] node [ id 2 kind 4 ] edge [ id 7 source 1 target 2 weight 2.5 ] ]', 0),
    "all.graphml": ('<graphml><key id="d0" attr.name="kind" attr.type="string"/><key id="d1" for="all" attr.name="w2" attr.type="double"/>'
                    '<key attr.name="weight" id="d2" for="edge" attr.type="double"/><graph edgedefault="undirected"><node id="a">'
                    '<data key="d0">x</data></node><node id="b"/><edge source="a" target="b"><data key="d2">2</data><data key="d1">3</data>'
                    '<data key="d1">3</data></edge></graph></graphml>', 1),
    "ids.graphml": ('<graphml><key id="weight" for="edge" attr.name="cost"/><key id="id" for="edge" attr.name="kind"/><graph edgedefault="undirected">'
                    '<node id="a"/><node id="b"/><edge source="a" target="b"><data key="weight">3</data><data key="id">x</data></edge></graph></graphml>', 2),
    "drawn.net": ('*Vertices 3\n1 "a"\n2 "b"\n3 "c"\n*Edges\n1 2 2.5 l "friend" c Blue\n2 3 1\n', 2),
    "d.edgelist": ("a b {'weight': 2, 'since': 1999}\nb c {'kind': 'x', 'since': 2000}\nc d {}\n", 2),
    "multi.json": ('{"nodes": [{"id": 1, "x": 2}, {"id": 2}], "links": [{"source": 1, "target": 2, "key": 0, "weight": 2, "value": 9}]}', 1),
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_attributes_of_edges_that_are_left_out_are_said(tmp_path, name):
    text, wanted = LEFT_OUT[name]
    (tmp_path / name).write_text(text)
    assert netdp.graph(tmp_path / name).notes.get("columns", 0) == wanted


@pytest.mark.parametrize("kinds", [(), ("weight",), ("value",), ("weight", "kind", "since"), ("a", "b", "c", "d")])
def test_attributes_of_edges_are_counted_alike(tmp_path, kinds):
    """Each kind once, in every format that keeps them and of the graph itself."""
    G = networkx.path_graph(9)
    for u, v, data in G.edges(data=True):
        data.update({kind: u + 1 if kind == "weight" else f"x{v}" for kind in kinds[: 1 + u % max(1, len(kinds))]})
    wanted = len(set(kinds) - {"weight"})
    for name in ("g.gml", "g.graphml", "g.json", "nx.edgelist"):
        WAYS[name](G, tmp_path / name)
        assert netdp.graph(tmp_path / name).notes.get("columns", 0) == wanted
    assert netdp.graph(G).notes.get("columns", 0) == len(kinds)
    if "weight" in kinds:
        assert netdp.graph(G, weight="weight").notes == {"weights": 8, **({"columns": wanted} if wanted else {})}


def test_columns_of_frames_are_headers_of_files(tmp_path):
    pandas = pytest.importorskip("pandas")
    for names in (["Source", "Destination"], ["from.node", "to.node"], ["FromNodeId", "ToNodeId"], ["sender_id", "recipient_id"], ["user1", "user2"]):
        frame = pandas.DataFrame({names[0]: [1, 2, 3], "when": [7.5, 8.5, 9.5], names[1]: [2, 3, 4]})
        file = tmp_path / "g.csv"
        frame.to_csv(file, index=False)
        assert edges_of(netdp.graph(frame)) == edges_of(netdp.graph(file)) == {frozenset(e) for e in ("12", "23", "34")}
    with pytest.raises(netdp.Invalid, match="1.5 where a node's number"):
        netdp.graph(pandas.DataFrame({"source": [1, 1.5], "target": [2, 3]}))


STUDY = {"title": "t", "graph": {"family": "florentine"}, "task": {"kind": "mean", "bounds": [0, 60]},
         "protocol": {"kind": "averaging", "rounds": 6}, "privacy": {"noise": 2, "delta": 1e-6, "over": "worst"},
         "data": {"per_node": "one"}}


def _study(**more):
    return json.loads(json.dumps({**STUDY, **more}))


@pytest.mark.parametrize("values", [{"Medici": 1.0}, {0: [1, 2]}, "1,2,3", {1.0, 2.0}, 3.5, (x for x in [1.0]), np.array(1j)])
def test_values_without_an_order(values):
    with pytest.raises(TypeError, match="give a list, an array or a pandas frame"):
        netdp.run(_study(), values=values)


def test_values_go_by_name():
    pandas = pytest.importorskip("pandas")
    names = netdp.graph("florentine").names
    values = pandas.Series(np.linspace(0, 60, len(names)), index=names)
    plain = netdp.run(_study(), values=values.to_numpy())
    for given in (values, values.sample(frac=1, random_state=3), values.sample(frac=1, random_state=4).to_frame("value")):
        assert netdp.run(_study(), values=given).errors() == plain.errors()
    for wrong, match in ((values.rename({"Medici": "medici"}), "nearest is 'Medici'"), (values.iloc[1:], "no row for node"),
                         (pandas.concat([values, values.iloc[:1]]), "there twice")):
        with pytest.raises(netdp.Invalid, match=match):
            netdp.run(_study(), values=wrong)


@pytest.mark.parametrize("between", [",", ";", "\t"])
def test_separators_of_tables(tmp_path, between):
    file = tmp_path / "t.csv"
    file.write_text(f"id{between}value\n" + "".join(f"{i}{between}{i}.5\n" for i in range(5)))
    study = _study(graph={"family": "ring 5"}, data={"csv": str(file), "per_node": "one", "columns": [{"name": "value"}]})
    assert netdp.run(study).errors() == netdp.run(_study(graph={"family": "ring 5"}), values=[0.5, 1.5, 2.5, 3.5, 4.5]).errors()
    file.write_text("id;value\n" + "".join(f"{i};{i},5\n" for i in range(5)))
    with pytest.raises(netdp.Invalid, match="'0,5' is not a finite number; write decimals with a point"):
        netdp.run(study)
    file.write_text("value;Value\n" + "".join(f"{i};1\n" for i in range(5)))
    with pytest.raises(netdp.Invalid, match="differ in case or blanks alone"):
        netdp.run(study)


@pytest.mark.parametrize("seed", [1.5, "1", True, -1, 2**64])
def test_whole_numbers(seed):
    with pytest.raises(netdp.Invalid, match="seed: "):
        netdp.losses("davis", rounds=3, noise=2, seed=seed)


def test_files_by_their_content(tmp_path):
    for name, text, match in (("g.gexf", "<gexf/>", "GEXF"), ("g.dot", "graph {a -- b}", "DOT"), ("g.txt", "digraph g {a -> b}", "DOT"),
                              ("g.tgf", "1 a\n2 b\n#\n1 2\n", "Trivial"), ("g.dl", "dl n=2", "UCINET"), ("g.xml", "<?xml?><gexf>", "GEXF"),
                              ("g.json", '{"adjacency": []}', "adjacency_data"), ("g.txt", "<!DOCTYPE html><html></html>", "markup"),
                              ("page.txt", "<html><body>404</body></html>", "markup"), ("g.xml", "<?xml?><DynamicNetwork/>", "markup"),
                              ("g.json", '{"graph": {"nodes": [], "edges": []}}', "JSON Graph Format"),
                              ("g.json", '{"nodes": [{"id": 1}, {"id": 2}], "links": [], "hyperedges": [[1, 2]]}', "hyperedges"),
                              ("g.txt", "c a comment\nc\np edge 3 2\ne 1 2\ne 2 3\n", "DIMACS"), ("g.gr", "p sp 3 1\na 1 2 5\n", "DIMACS"),
                              ("g.txt", "e 1 2\ne 2 3\n", "DIMACS"), ("g.txt", "a 1 2 7\na 2 3 8\n", "DIMACS"), ("g.clq", "x", "DIMACS"),
                              ("g.txt", "nodedef>name VARCHAR\na\n", "GDF"), ("g.txt", "*Node data\nID\na\n", "VNA"), ("g.vna", "x", "VNA"),
                              ("g.txt", "LEDA.GRAPH\nstring\n", "LEDA"), ("g.txt", "t # 0\nv 0 1\ne 0 1 2\n", "gSpan"),
                              ("g.bin", "PAR1", "Parquet"), ("g.db", "SQLite format 3\0", "SQLite"), ("g.ods", "x", "spreadsheet"),
                              ("g.gml", "graph [ node [ id 1 ] ]\ngraph [ node [ id 2 ] ]\n", "several graphs"),
                              ("g.gml", 'Creator "graph ["\ngraph [ node [ id 1 ] ]\nGraph\n[ node [ id 2 ] ]\n', "several graphs"),
                              ("g.json", '{"elements": {}}', "Cytoscape"), ("g.json", '[[0, 1]]', "node-link"),
                              ("g.json", '{"nodes": [{"id": 1}, {"id": "1"}], "links": []}', "two nodes have the id"),
                              ("g.json", '{"nodes": [{"name": "a"}], "links": [{"source": 0, "target": 0}]}', "no 'id'"),
                              ("g.json", '{"nodes": [{"name": "a"}, {"name": "b"}], "links": [{"source": 0, "target": 1}]}', "it is d3's older JSON"),
                              ("g.json", '{"nodes": [{"key": "a"}], "edges": [{"source": "a", "target": "a"}]}', "it is Graphology's JSON"),
                              ("g.json", '{"nodes": [{"data": {"id": "a"}}], "edges": []}', "it is Cytoscape's JSON"),
                              ("g.json", '{"nodes": [{"title": "a"}], "edges": []}', "give each node one"),
                              ("g.lgl", "# a\nb 2\n", "LGL"), ("g.txt", "# one\ntwo\nthree 5\n# two\nfour\n# four\n", "LGL"),
                              ("g.txt", "# 1\r\n2 1.5\r\n3\r\n# 2\r\n3 4\r\n", "LGL")):
        file = pathlib.Path(tmp_path, name)
        file.write_text(text)
        with pytest.raises(netdp.Invalid, match=match):
            netdp.graph(file)


@pytest.mark.parametrize("text", ["# edges\n1 2\n2 3\n", "# a\n1 2\n# b\n2 3\n", "# lone\n1 2\n3\n", "# of\n# a\n1 2\n2 3\n3\n", "1 2\n# x\n3\n# y\n4\n"])
def test_comments_of_a_list_are_no_lgl(tmp_path, text):
    (tmp_path / "g.txt").write_text(text)
    assert netdp.graph(tmp_path / "g.txt").nodes >= 3


@pytest.mark.parametrize("name, text", [
    ("g.csv", "Source,Target,Type,weight,book\nAddam,Jaime L.,Undirected,3,1\nAddam,Tywin,Undirected,6,1\nTywin,Jaime L.,Undirected,2,1\n"),
    ("g.txt", "# edges\n0 1\n1 2\n2 0"), ("g.graph", "3 2\n2\n1 3\n2\n"), ("g.net", '*Vertices 3\n1 "a"\n2 "b"\n3 "c"\n*Edges\n1 2\n2 3\n'),
    ("g.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n")])
def test_lines_that_end_in_carriage_returns(tmp_path, name, text):
    """As spreadsheets on a Macintosh write them; in part only they are refused."""
    (tmp_path / name).write_bytes(text.encode())
    right = netdp.graph(tmp_path / name)
    for end in ("\r", "\r\n"):
        (tmp_path / name).write_bytes(text.replace("\n", end).encode())
        read = netdp.graph(tmp_path / name)
        assert read.names == right.names and (read.edge_array() == right.edge_array()).all() and read.notes == right.notes
    if name.endswith((".csv", ".txt")):
        (tmp_path / name).write_bytes(text.replace("\n", "\r", 2).encode())
        with pytest.raises(netdp.Invalid, match="control character 0x0d"):
            netdp.graph(tmp_path / name)


@pytest.mark.parametrize("owners, graph, match", [
    (["north", "south", "east"], "names", None), (["east", "north", "south"], "names", None), (["a", "b", "c"], "ring 3", None),
    (["0", "1", "2"], "ring 3", None), (["north", "south", "East"], "names", "nearest name is 'east'"),
    (["north", "south", "west"], "names", "owner: column 'site': no node 'west'"), (["1", "2", "3"], "ring 3", "no node '3'"),
    (["north", "south", "South"], "names", "differ in case or blanks alone"), (["a", "b", "B "], "ring 3", "differ in case or blanks alone"),
    (["10", "20", "30"], "numbers", None), (["0", "1", "2"], "numbers", "no node '0'; give a node's name")])
def test_owners_go_by_name(tmp_path, owners, graph, match):
    (tmp_path / "names").write_text("north south\nsouth east\neast north\n")
    (tmp_path / "numbers").write_text("10 20\n20 30\n30 10\n")
    table = tmp_path / "t.csv"
    table.write_text("site,days\n" + "".join(f"{owner},{i}\n" for i, owner in enumerate(owners)))
    study = _study(graph={"family": graph} if " " in graph else {"file": str(tmp_path / graph)},
                   data={"csv": str(table), "owner": "site", "columns": [{"name": "days"}]})
    if match:
        with pytest.raises(netdp.Invalid, match=match):
            netdp.run(study)
    else:
        assert netdp.run(study).summary["variants"]

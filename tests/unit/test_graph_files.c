/* Graph files: GraphML, GML, Matrix Market, and edge lists beside them. */
#include "check.h"
#include "sweep.h"

#include <netdp/graph.h>
#include <netdp/random.h>

#include "base/memory.h"
#include "graph/graph.h"

#include <igraph.h>
#include <unistd.h>

static netdp_error error;
static char folder[] = "/tmp/netdp-files-XXXXXX";

#define GRAPHML(keys, graph)                                                                       \
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"                                                 \
    "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n" keys                             \
    "<graph edgedefault=\"undirected\">\n" graph "</graph></graphml>\n"
#define KEY(id, of, name, type)                                                                    \
    "<key id=\"" id "\" for=\"" of "\" attr.name=\"" name "\" attr.type=\"" type "\"/>\n"
#define NODE(id) "<node id=\"" id "\"/>\n"
#define NAMED(id, name) "<node id=\"" id "\"><data key=\"n\">" name "</data></node>\n"
#define EDGE(u, v) "<edge source=\"" u "\" target=\"" v "\"/>\n"
#define WEIGHTED(u, v, w)                                                                          \
    "<edge source=\"" u "\" target=\"" v "\"><data key=\"w\">" w "</data></edge>\n"
#define WEIGHT KEY("w", "edge", "weight", "double")
#define MARKET(kind) "%%MatrixMarket matrix coordinate " kind "\n"

static netdp_status read_bytes(const char *ending, const char *text, size_t bytes, bool giant,
                               netdp_graph **graph, netdp_graph_notes *notes)
{
    char path[64];
    snprintf(path, sizeof path, "%s/g.%s", folder, ending);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, bytes, file), bytes);
    fclose(file);
    netdp_status status = netdp_graph_read(path, giant, graph, notes, &error);
    unlink(path);
    return status;
}

static netdp_graph *read_text(const char *ending, const char *text, netdp_graph_notes *notes)
{
    netdp_graph *graph = NULL;
    assert_ok(read_bytes(ending, text, strlen(text), false, &graph, notes));
    return graph;
}

static const char *name_of(const netdp_graph *graph, int32_t node)
{
    const char *name = netdp_graph_name(graph, node);
    return name != NULL ? name : "";
}

static void assert_equal(const netdp_graph *a, const netdp_graph *b)
{
    assert_int_equal(a->nodes, b->nodes);
    size_t entries = (size_t)a->start[a->nodes];
    assert_memory_equal(a->start, b->start, ((size_t)a->nodes + 1) * sizeof *a->start);
    if (entries > 0)
        assert_memory_equal(a->neighbour, b->neighbour, entries * sizeof *a->neighbour);
    assert_int_equal(a->weight != NULL, b->weight != NULL);
    for (size_t i = 0; a->weight != NULL && i < entries; i++)
        assert_true(a->weight[i] == b->weight[i] || (isnan(a->weight[i]) && isnan(b->weight[i])));
    for (int32_t v = 0; v < a->nodes; v++)
        assert_string_equal(name_of(a, v), name_of(b, v));
}

/* Five nodes 1 .. 5 (5 alone), one edge twice, one loop; the order of nodes is not theirs. */
static const struct {
    const char *ending, *text;
} plain[] = {
    {"edges", "3 1\n1 3\n1 2\n2 4\n4 4\n5\n"},
    {"graphml", GRAPHML("", NODE("3") NODE("1") NODE("2") NODE("4") NODE("5") EDGE("3", "1")
                                EDGE("1", "3") EDGE("1", "2") EDGE("2", "4") EDGE("4", "4"))},
    {"gml", "graph [\n directed 1\n node [ id 3 ] node [ id 1 ]\n node [ id 2 ]\n node [ id 4 ]\n"
            " node [ id 5 ]\n edge [ source 3 target 1 ]\n edge [ source 1 target 3 ]\n"
            " edge [ source 1 target 2 ]\n edge [ source 2 target 4 ]\n"
            " edge [ source 4 target 4 ]\n]\n"},
    {"mtx", MARKET("pattern general") "5 5 5\n3 1\n1 3\n1 2\n2 4\n4 4\n"},
    {"net", "*Vertices 5\n*Arcs\n3 1\n1 3\n1 2\n*Edges\n2 4\n4 4\n"},
    {"txt", "*Network n\r\n*Vertices 5\r\n*Arcslist\r\n1 3 2\r\n3 1\r\n*Edges\r\n2 4\r\n4 4"},
    {"json",
     "{\"directed\": true, \"nodes\": [{\"id\": 3}, {\"id\": 1}, {\"id\": 2}, {\"id\": 4}, "
     "{\"id\": 5}], \"links\": [{\"source\": 3, \"target\": 1}, {\"source\": 1, \"target\": "
     "3}, {\"source\": 1, \"target\": 2}, {\"source\": 2, \"target\": 4}, {\"source\": 4, "
     "\"target\": 4}]}"},
    {"txt", MARKET("pattern general") "5 5 5\n3 1\n1 3\n1 2\n2 4\n4 4\n"},
};
static const struct {
    const char *ending, *text;
} weighted[] = {
    {"edges", "3 1 0.5\n1 2 1e-3\n2 4 17\n5\n"},
    {"GraphML",
     GRAPHML(WEIGHT, NODE("3") NODE("1") NODE("2") NODE("4") NODE("5") WEIGHTED("3", "1", "0.5")
                         WEIGHTED("1", "2", "1e-3") WEIGHTED("2", "4", "17"))},
    {"GML", "graph [ node [ id 3 ] node [ id 1 ] node [ id 2 ] node [ id 4 ] node [ id 5 ]\n"
            "edge [ source 3 target 1 weight 0.5 ] edge [ source 1 target 2 weight 1e-3 ]\n"
            "edge [ source 2 target 4 weight 17 ] ]\n"},
    {"MTX", MARKET("real symmetric") "5 5 3\n3 1 .5\n2 1 0.001\n4 2 17\n"},
    {"NET", "*Vertices 5\n*Edges\n3 1 0.5\n1 2 1e-3\n2 4 17\n"},
    {"paj", "% c\n*Vertices 5\n*Arcs\n3 1 0.5\n1 2 0.001\n2 4 17\n"},
    {"txt",
     "{\"nodes\": [{\"id\": 3}, {\"id\": \"1\"}, {\"id\": 2}, {\"id\": 4}, {\"id\": 5}],\n"
     "\"edges\": [{\"source\": 3, \"target\": 1, \"weight\": 0.5}, {\"source\": 1, \"target\": 2, "
     "\"weight\": 1e-3}, {\"source\": 2, \"target\": \"4\", \"weight\": 17}]}"},
    {"edges", MARKET("real symmetric") "5 5 3\n3 1 .5\n2 1 0.001\n4 2 17\n"},
};
enum { FORMATS = 8 };

static void test_one_graph_in_all_formats(void **state)
{
    (void)state;
    netdp_graph *first = NULL, *first_weighted = NULL;
    for (int i = 0; i < FORMATS; i++) {
        netdp_graph_notes notes;
        netdp_graph *graph = read_text(plain[i].ending, plain[i].text, &notes);
        assert_int_equal(netdp_graph_nodes(graph), 5);
        assert_int_equal(netdp_graph_edges(graph), 3);
        assert_int_equal(netdp_graph_degree(graph, 4), 0);
        assert_string_equal(name_of(graph, 0), "1");
        assert_string_equal(name_of(graph, 4), "5");
        assert_int_equal(notes.self_loops, 1);
        assert_int_equal(notes.repeats, 1);
        assert_int_equal(notes.weights, 0);
        if (i == 0)
            first = graph;
        assert_equal(first, graph);
        if (i > 0)
            netdp_graph_free(graph);
        graph = read_text(weighted[i].ending, weighted[i].text, &notes);
        assert_int_equal(notes.weights, 3);
        if (i == 0)
            first_weighted = graph;
        assert_equal(first_weighted, graph);
        if (i > 0)
            netdp_graph_free(graph);
        graph = NULL;
        assert_ok(read_bytes(plain[i].ending, plain[i].text, strlen(plain[i].text), true, &graph,
                             &notes));
        assert_int_equal(netdp_graph_nodes(graph), 4);
        assert_int_equal(notes.outside, 1);
        netdp_graph_free(graph);
    }
    netdp_graph_free(first);
    netdp_graph_free(first_weighted);
}

/* Which attribute names the nodes, and what the name of the second node is then. */
static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *ending, *text, *name;
    } table[] = {
        {"graphml", GRAPHML("", NODE("a") NODE("b &amp; c")), "b & c"},
        {"graphml",
         GRAPHML(KEY("n", "node", "name", "string"), NAMED("a", "Al") NAMED("b", "Zo\xc3\xab")),
         "Zo\xc3\xab"},
        {"graphml", GRAPHML(KEY("n", "all", "name", "string"), NAMED("a", "Al") NAMED("b", "Bo")),
         "Bo"},
        {"graphml", GRAPHML(KEY("n", "node", "label", "string"), NAMED("a", "Al") NAMED("b", "Bo")),
         "Bo"},
        {"graphml",
         GRAPHML(KEY("n", "node", "name", "string"),
                 EDGE("a", "b") NAMED("a", "NaN") NAMED("b", "nan")),
         "nan"},
        {"graphml", /* not every node has one: the next attribute */
         GRAPHML(KEY("n", "node", "name", "string"), NAMED("a", "Al") NODE("b")), "b"},
        {"graphml", GRAPHML(KEY("n", "node", "name", "string"), NAMED("a", "Al") NAMED("b", "Al")),
         "b"},
        {"graphml",
         GRAPHML(KEY("n", "node", "label", "string"), NAMED("a", "A\nl") NAMED("b", "B")), "b"},
        {"graphml", /* one number, not one text */
         GRAPHML(KEY("n", "node", "name", "string"), NAMED("a", "7") NAMED("b", "007")), "007"},
        {"graphml", /* no attribute tells them apart: their numbers */
         GRAPHML(KEY("n", "node", "id", "string"), NAMED("a", "x") NAMED("b", "x")), ""},
        {"gml", "graph [ node [ id 4 label \"Al\" ] node [ id 2 label \"Bo\" ] ]", "Bo"},
        {"gml", "graph [ node [ id 4 ] node [ id 2 ] ]", "4"},
        {"gml", "graph [ node [ id 4 label \"Al\" ] node [ id 2 label \"Al\" ] ]", "4"},
        {"gml", "graph [ node [ id 1 label 0.5 ] node [ id 2 label -3 ] ]", "-3"},
        {"gml", "graph [ node [ id 1 label \"a\" ] node [ id 2 label \"Zo&#235; &quot;\" ] ]",
         "Zo\xc3\xab \""},
        {"gml",
         "graph [ node [ id 1 label \"a\" ] node [ id 2 label \"&#34;&#38;#34;&#x20AC;\" ] ]",
         "\"&#34;\xe2\x82\xac"},
        {"gml", "graph [ node [ id 1 label \"a\" ] node [ id 2 label \"weight nan # no\" ] ]",
         "weight nan # no"},
        {"gml", "\xef\xbb\xbfgraph [ node [ id 1 label \"a\" ] node [ id 2 label \"b\" ] ]", "b"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        netdp_graph *graph = read_text(table[i].ending, table[i].text, NULL);
        assert_int_equal(netdp_graph_nodes(graph), 2);
        if (strcmp(name_of(graph, 1), table[i].name) != 0)
            fail_msg("case %d: '%s', not '%s'", (int)i, name_of(graph, 1), table[i].name);
        netdp_graph_free(graph);
    }
}

/* Each is a path of three edges or less; the weight of the first. */
static void test_weights_and_comments(void **state)
{
    (void)state;
    static const struct {
        const char *ending, *text;
        double weight; /* NaN: no weights at all */
        int64_t weights;
    } table[] = {
        {"graphml",
         GRAPHML(WEIGHT, "<!-- <edge> <data>NaN</data> -->" NODE("0") NODE("1")
                             WEIGHTED("0", "1", " 2.5 ")),
         2.5, 1},
        {"graphml",
         GRAPHML(KEY("w", "edge", "weight", "string"),
                 NODE("0") NODE("1") WEIGHTED("0", "1", "2.5")),
         2.5, 1},
        {"graphml",
         GRAPHML(KEY("w", "all", "weight", "double"),
                 NODE("0") NODE("1") WEIGHTED("0", "1", "2.5")),
         2.5, 1},
        {"graphml", /* as networkx writes integers and reals */
         GRAPHML(KEY("i", "edge", "weight", "long") WEIGHT,
                 NODE("0") NODE("1") NODE("2") WEIGHTED(
                     "0", "1",
                     "2.5") "<edge source=\"1\" target=\"2\"><data key=\"i\">3</data></edge>"),
         2.5, 2},
        {"graphml",
         GRAPHML("<key id=\"w\" attr.name=\"weight\" attr.type=\"double\"/>",
                 NODE("0") NODE("1") WEIGHTED("0", "1", "2.5")),
         2.5, 1},
        {"graphml",
         GRAPHML("<key id=\"w\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\">"
                 "<default>4</default></key>",
                 NODE("0") NODE("1") EDGE("0", "1")),
         4, 1},
        {"graphml",
         GRAPHML(KEY("w", "edge", "colour", "double"),
                 NODE("0") NODE("1") WEIGHTED("0", "1", "NaN")),
         NAN, 0},
        {"graphml", GRAPHML(WEIGHT, NODE("0") NODE("1") EDGE("0", "1")), NAN, 0},
        {"gml",
         "# head\nCreator \"weight nan\"\ngraph [ # here\n node [ id 0 ] # \" \n node [ id 1 ]\n"
         "  # edge [ source 7 target 8 ]\n edge [ source 0 target 1 weight 2.5 ] ] # end",
         2.5, 1},
        {"gml", "graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 weight \"2.5\" ] ]",
         2.5, 1},
        {"gml", "graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 weights NaN ] ]", NAN,
         0},
        {"mtx",
         "%%MatrixMarket  MATRIX Coordinate\tREAL symmetric\r\n% c\r\n%\r\n\r\n"
         "2 2 1\r\n\r\n2 1 2.5 % c\r\n\r\n",
         2.5, 1},
        {"mtx", MARKET("integer general") "2 2 2\n2 1 3\n1 2 3", 3, 2},
        {"mtx", MARKET("pattern symmetric") "2 2 1\n2 1", NAN, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        netdp_graph_notes notes;
        netdp_graph *graph = read_text(table[i].ending, table[i].text, &notes);
        const double *weight = netdp_i_graph_weights(graph, 0);
        if (notes.weights != table[i].weights)
            fail_msg("case %d: %d weights", (int)i, (int)notes.weights);
        assert_int_equal(weight != NULL, !isnan(table[i].weight));
        if (weight != NULL)
            assert_close(weight[0], table[i].weight, 0, 0);
        netdp_graph_free(graph);
    }
}

/* A text that may hold NUL bytes, and its length. */
#define TEXT(text) text, sizeof(text) - 1
#define GML_PAIR "graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 "

static void test_bad_files(void **state)
{
    (void)state;
    static const struct {
        const char *ending, *text;
        size_t bytes;
        const char *says;
    } table[] = {
        {"graphml", TEXT(""), "no node"},
        {"graphml", TEXT("\xef\xbb\xbf"), "no node"},
        {"graphml", TEXT("garbage"), "g.graphml:1: "},
        {"graphml", TEXT("<html></html>"), "no graph"},
        {"graphml", TEXT("<graphml></graphml>"), "no graph"},
        {"graphml", TEXT("<graphml><graph></graph></graphml>"), "no node"},
        {"graphml", TEXT("<graphml>\n<graph edgedefault=\"undirected\">\n<node id="),
         "g.graphml:3: "},
        {"graphml", TEXT("<graphml>\n<graph><node id='a'/>"), "g.graphml:2: "},
        {"graphml", TEXT("<graphml>\n<graph></graphml>"), "g.graphml:2: "},
        {"graphml", TEXT("<graphml>\n\0"), "g.graphml:2: a NUL"},
        {"graphml", TEXT("<graphml><graph><node id='\xff\xfe'/></graph></graphml>"), ""},
        {"graphml", TEXT("<graphml><graph><edge source='a'/></graph></graphml>"), "missing source"},
        {"graphml", TEXT("<!DOCTYPE g [\n<!ENTITY a 'b'>]><graphml/>"), "g.graphml:2: an entity"},
        {"graphml", TEXT(GRAPHML(WEIGHT, WEIGHTED("a", "b", "x"))), "parsing real"},
        {"graphml", TEXT(GRAPHML(WEIGHT, WEIGHTED("a", "b", "NaN"))), "between 'a' and 'b'"},
        {"graphml", TEXT(GRAPHML(WEIGHT, WEIGHTED("a", "b", "\n -nan(3) "))), "no positive number"},
        {"graphml", TEXT(GRAPHML(WEIGHT, WEIGHTED("a", "b", "0"))), "no positive number"},
        {"graphml", TEXT(GRAPHML(WEIGHT, WEIGHTED("a", "b", "-1"))), "no positive number"},
        {"graphml", TEXT(GRAPHML(WEIGHT, WEIGHTED("a", "b", "inf"))), "no positive number"},
        {"graphml", TEXT(GRAPHML(WEIGHT, WEIGHTED("a", "a", "0"))), "no positive number"},
        {"graphml",
         TEXT(GRAPHML(KEY("w", "edge", "weight", "boolean"), WEIGHTED("a", "b", "true"))),
         "no positive number"},
        {"graphml", TEXT(GRAPHML(KEY("w", "edge", "weight", "string"), WEIGHTED("a", "b", "0x10"))),
         "no positive number"},
        {"graphml", TEXT(GRAPHML(WEIGHT, WEIGHTED("a", "b", "1") WEIGHTED("b", "a", "2"))),
         "two different weights"},
        {"graphml", TEXT(GRAPHML("", EDGE("a", "a"))), "self loops"},
        {"gml", TEXT(""), "no node"},
        {"gml", TEXT(" \n"), "No 'graph'"},
        {"gml", TEXT("Creator \"x\"\n"), "No 'graph'"},
        {"gml", TEXT("graph 3"), "g.gml:1: "},
        {"gml", TEXT("graph [ ]"), "no node"},
        {"gml", TEXT("graph [\n node [ id 1 ]\n edge [ source 1"), "g.gml:3: "},
        {"gml", TEXT("graph [ node [ id 1 ]\n node [ id 1 ] ]"), "Duplicate node"},
        {"gml", TEXT("graph [ node [ id 1 ]\n edge [ source 1 target 3 ] ]"), "g.gml:2: Unknown"},
        {"gml", TEXT("graph [ node [ id 1 label \"x"), "g.gml:1: "},
        {"gml", TEXT("graph [\n\0]"), "g.gml:2: a NUL"},
        {"gml", TEXT("\x7f\x45LF\x01\x02"), "g.gml:1: "},
        {"gml", TEXT("graph [ node [ id 1 label \"\xe9\" ] ]"), "not UTF-8"},
        {"gml", TEXT(GML_PAIR "weight NaN ] ]"), "between '0' and '1'"},
        {"gml", TEXT(GML_PAIR "weight\n nan ] ]"), "no positive number"},
        {"gml", TEXT(GML_PAIR "weight 0 ] ]"), "no positive number"},
        {"gml", TEXT(GML_PAIR "weight -2 ] ]"), "no positive number"},
        {"gml", TEXT(GML_PAIR "weight 1e999 ] ]"), ""},
        {"gml", TEXT(GML_PAIR "weight \"x\" ] ]"), "no positive number"},
        {"gml", TEXT(GML_PAIR "weight 1 ] edge [ source 1 target 0 weight 2 ] ]"),
         "two different weights"},
        {"gml", TEXT("graph [ node [ id 0 ] edge [ source 0 target 0 ] ]"), "self loops"},
        {"net", TEXT(""), "no node"},
        {"net", TEXT("*Vertices\n"), "*Vertices without a number"},
        {"net", TEXT("*Vertices 99999999999\n*Edges\n1 2\n"), "than the file can hold"},
        {"net", TEXT("*Vertices 2\n*Edges\n1 3\n"), "g.net"},
        {"net", TEXT("*Vertices 2\n*Edges\n1 2 -1\n"), "no positive number"},
        {"net", TEXT("*Vertices 2\n1 \"\xe9\"\n*Edges\n1 2\n"), "not UTF-8"},
        {"json", TEXT("{\"nodes\": [{\"id\": 1}"), "g.json:1: "},
        {"json", TEXT("{\"nodes\": [{\"name\": \"a\"}], \"links\": []}"), "node 0 has no 'id'"},
        {"json", TEXT("{\"nodes\": [{\"id\": 1}, {\"id\": 1}], \"links\": []}"), "the id '1'"},
        {"json", TEXT("{\"nodes\": [{\"id\": 1.5}], \"links\": []}"), "node 0 has no 'id'"},
        {"json", TEXT("{\"nodes\": [{\"id\": 4}], \"links\": [{\"source\": 0, \"target\": 4}]}"),
         "the source '0', which is no node's id"},
        {"json",
         TEXT("{\"nodes\": [{\"id\": 4}, {\"id\": 5}],\n\"edges\": [{\"source\": 5, \"target\": 4, "
              "\"weight\": 0}]}"),
         "edge 0 has a weight"},
        {"json", TEXT("{\"nodes\": [], \"links\": []}"), "no node"},
        {"json", TEXT("{\"nodes\": [], \"links\": [], \"edges\": []}"), "'links' and 'edges' both"},
        {"json", TEXT("{\"elements\": {}}"), "Cytoscape"},
        {"json", TEXT("[[0, 1]]"), "no node-link JSON"},
        {"gexf", TEXT("<gexf/>"), "GEXF"},
        {"txt", TEXT("<?xml version='1.0'?>\n<gexf xmlns='x'><graph/></gexf>"), "GEXF"},
        {"txt", TEXT("graph {\n a -- b;\n}\n"), "DOT"},
        {"csv", TEXT("\x1f\x8b\x08\x00"), "a gzip archive"},
        {"edges", TEXT("dl n=4 format=edgelist1\ndata:\n1 2\n"), "UCINET"},
        {"mtx", TEXT(""), "g.mtx:1: no Matrix Market banner"},
        {"mtx", TEXT("%Matrix matrix coordinate real general\n1 1 0\n"), "g.mtx:1: no Matrix"},
        {"graphml", TEXT(GRAPHML("", NODE("a") NODE("b") EDGE("a", "b") "<hyperedge/>")),
         "g.graphml:7: a hyperedge"},
        {"graphml", TEXT(GRAPHML("", "<node id='a'>\n<graph id='g'><node id='b'/></graph></node>")),
         "g.graphml:5: another graph"},
        {"graphml", TEXT("<graphml><graph><node id='a'/></graph>\n<graph/></graphml>"),
         "g.graphml:2: another graph"},
        {"mtx", TEXT("%%MatrixMarket"), "g.mtx:1: ''"},
        {"mtx", TEXT("%%MatrixMarket matrix array real general\n2 2\n"), "g.mtx:1: 'array'"},
        {"mtx", TEXT("%%MatrixMarket vector coordinate real general\n2 2\n"), "g.mtx:1: 'vector'"},
        {"mtx", TEXT(MARKET("complex general") "2 2 0\n"), "g.mtx:1: 'complex'"},
        {"mtx", TEXT(MARKET("real skew-symmetric") "2 2 0\n"), "g.mtx:1: 'skew-symmetric'"},
        {"mtx", TEXT(MARKET("real")), "g.mtx:1: ''"},
        {"mtx", TEXT(MARKET("real general")), "g.mtx:2: no sizes"},
        {"mtx", TEXT(MARKET("real general") "% c\n3 3\n"), "g.mtx:3: no sizes"},
        {"mtx", TEXT(MARKET("real general") "3 3 x\n"), "g.mtx:2: no sizes"},
        {"mtx", TEXT(MARKET("real general") "3 3 -1\n"), "g.mtx:2: no sizes"},
        {"mtx", TEXT(MARKET("real general") "3 4 1\n1 1 1\n"), "g.mtx:2: the matrix is not square"},
        {"mtx", TEXT(MARKET("real general") "0 0 0\n"), "g.mtx:2: no node"},
        {"mtx", TEXT(MARKET("pattern general") "2000000000 2000000000 1\n1 2\n"), "too many"},
        {"mtx", TEXT(MARKET("pattern general") "18446744073709551615 18446744073709551615 1\n1 2"),
         "too many"},
        {"mtx", TEXT(MARKET("pattern general") "9 9 18446744073709551615\n1 2\n"), "cut off"},
        {"mtx", TEXT(MARKET("pattern general") "9 9 9999999999\n1 2\n"), "g.mtx:2: '9999999999'"},
        {"mtx", TEXT(MARKET("pattern general") "3 3 2\n1 2\n"), "after 1 of 2"},
        {"mtx", TEXT(MARKET("pattern general") "3 3 1\n1 2\n2 3\n"), "g.mtx:4: more entries"},
        {"mtx", TEXT(MARKET("pattern general") "3 3 1\n1 4\n"), "g.mtx:3: '4' is no column"},
        {"mtx", TEXT(MARKET("pattern general") "3 3 1\n0 1\n"), "g.mtx:3: '0' is no row"},
        {"mtx", TEXT(MARKET("pattern general") "3 3 1\n1 2 3\n"), "a line of a pattern"},
        {"mtx", TEXT(MARKET("pattern general") "3 3 1\n1\n  \n"), "a line of a pattern"},
        {"mtx", TEXT(MARKET("real general") "3 3 1\n1 2\n"), "g.mtx:3: not an entry"},
        {"mtx", TEXT(MARKET("real general") "3 3 1\n1 2 nan\n"), "g.mtx:3: 'nan'"},
        {"mtx", TEXT(MARKET("real general") "3 3 1\n1 2 0\n"), "g.mtx:3: '0' is out of range"},
        {"mtx", TEXT(MARKET("real general") "3 3 1\n1 2 -4\n"), "g.mtx:3: '-4'"},
        {"mtx", TEXT(MARKET("real general") "3 3 2\n1 2 1\n2 1 2\n"), "g.mtx:4: this edge"},
        {"mtx", TEXT(MARKET("real general") "3 3 1\n1 2 1\0"), "g.mtx:3: a NUL"},
        {"mtx", TEXT(MARKET("real general") "3 3 1\n1 \x01 1\n"), "control character"},
        {"mtx", TEXT(MARKET("real general") "3 3 1\n2 2 1\n"), "self loops"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        int64_t before = netdp_i_memory_live();
        netdp_graph *graph = NULL;
        netdp_graph_notes notes = {.weights = -7};
        assert_fails(
            read_bytes(table[i].ending, table[i].text, table[i].bytes, false, &graph, &notes),
            NETDP_INVALID);
        if (strstr(error.text, table[i].says) == NULL)
            fail_msg("file %d: '%s' does not say '%s'", (int)i, error.text, table[i].says);
        if (strstr(error.text, "; ") == NULL)
            fail_msg("file %d: '%s' does not say what to do", (int)i, error.text);
        assert_null(graph);
        assert_int_equal(notes.weights, -7);
        assert_int_equal(netdp_i_memory_live(), before);
    }
}

/* A million columns, and a million brackets or tags inside each other. */
static void test_long_and_deep(void **state)
{
    (void)state;
    enum { LONG = 1000000 };
    static const struct {
        const char *ending, *head, *unit;
    } table[] = {
        {"mtx", MARKET("pattern general") "9 9 9\n", "1 "},
        {"mtx", MARKET("pattern general") "9 9 9\n", "1"},
        {"mtx", "", "%%MatrixMarket "},
        {"mtx", "%%MatrixMarket ", "x"},
        {"gml", "graph ", "a "},
        {"gml", "graph ", "[ a "},
        {"gml", "", "\""},
        {"gml", "graph [ node [ id ", "9"},
        {"graphml", "<graphml>", "<graph>"},
        {"graphml", "<graphml>", "x "},
        {"graphml", "<graphml a='", "x"},
        {"graphml", "", "<"},
    };
    char *text = malloc(16 * LONG + 100);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t unit = strlen(table[i].unit), used = strlen(table[i].head);
        memcpy(text, table[i].head, used);
        for (int k = 0; k < LONG; k++, used += unit)
            memcpy(text + used, table[i].unit, unit);
        netdp_graph *graph = NULL;
        int64_t before = netdp_i_memory_live();
        if (read_bytes(table[i].ending, text, used, false, &graph, NULL) == NETDP_OK)
            fail_msg("file %d was taken", (int)i);
        assert_true(strlen(error.text) < 400);
        assert_null(strchr(error.text, '\n'));
        assert_int_equal(netdp_i_memory_live(), before);
    }
    free(text);
}

/* igraph's globals are as before, whether the file was good or bad. */
static void test_igraph_is_given_back(void **state)
{
    (void)state;
    netdp_graph *graph = NULL;
    igraph_error_handler_t *errors = igraph_set_error_handler(igraph_error_handler_printignore);
    assert_ok(read_bytes("gml", plain[2].text, strlen(plain[2].text), false, &graph, NULL));
    netdp_graph_free(graph);
    graph = NULL;
    assert_fails(read_bytes("graphml", "x", 1, false, &graph, NULL), NETDP_INVALID);
    assert_true(igraph_set_error_handler(errors) == igraph_error_handler_printignore);
    assert_false(igraph_has_attribute_table());
}

/* What is written as an edge list must not be named like another format. */
static void test_writing(void **state)
{
    (void)state;
    netdp_graph *graph = read_text("edges", "0 1\n", NULL);
    static const char *const ending[] = {"graphml", "gml", "mtx"};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/out.%s", folder, ending[i]);
        assert_fails(netdp_graph_write(graph, path, &error), NETDP_INVALID);
        assert_int_not_equal(access(path, F_OK), 0);
    }
    netdp_graph_free(graph);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * FORMATS; i++) {
        const char *ending = i < FORMATS ? plain[i].ending : weighted[i - FORMATS].ending;
        const char *text = i < FORMATS ? plain[i].text : weighted[i - FORMATS].text;
        for (sweep s = {0}; sweep_next(&s);) {
            netdp_graph *graph = NULL;
            s.status = read_bytes(ending, text, strlen(text), true, &graph, NULL);
            assert_true((graph != NULL) == (s.status == NETDP_OK));
            netdp_graph_free(graph);
        }
    }
}

/* Bytes changed, cut, doubled, and pieces of the formats put in. */
static size_t mutate(char *text, size_t bytes, size_t room, netdp_stream *stream)
{
    static const char *const piece[] = {
        "[",           "]",           "\"",
        "&#34;",       "&#99999999;", "nan",
        "-1",          "1e9",         "node",
        "edge [",      "graph [",     "id ",
        "weight ",     "label ",      "#",
        "\n",          "%",           "2 2 9999",
        "<data key=",  "<graph>",     "</graph>",
        "<!--",        "-->",         "<![CDATA[",
        "]]>",         "<!ENTITY",    "<key ",
        "for=\"all\"", "&a;",         "xml:",
        "\xff",        "\xc3",        "99999999999999999999",
        "<",           ">",           "'",
    };
    uint64_t times = 1 + netdp_stream_bits(stream) % 5;
    for (uint64_t k = 0; k < times && bytes > 0; k++) {
        size_t at = netdp_stream_bits(stream) % bytes, length;
        switch (netdp_stream_bits(stream) % 5) {
        case 0:
            text[at] = (char)netdp_stream_bits(stream);
            break;
        case 1:
            length = netdp_stream_bits(stream) % (bytes - at < 30 ? bytes - at : 30);
            memmove(text + at, text + at + length, bytes - at - length);
            bytes -= length;
            break;
        case 2:
            length = bytes - at;
            if (bytes + length < room) {
                memcpy(text + bytes, text + at, length);
                bytes += length;
            }
            break;
        case 3: {
            const char *mine = piece[netdp_stream_bits(stream) % (sizeof piece / sizeof *piece)];
            length = strlen(mine);
            if (bytes + length < room) {
                memmove(text + at + length, text + at, bytes - at);
                memcpy(text + at, mine, length);
                bytes += length;
            }
            break;
        }
        default:
            if (netdp_stream_bits(stream) % 8 == 0)
                bytes = at;
        }
    }
    return bytes;
}

static void test_mutations(void **state)
{
    (void)state;
    enum { ROOM = 20000 };
    const char *runs_wanted = getenv("NETDP_MUTATIONS");
    int runs = runs_wanted != NULL ? atoi(runs_wanted) : 2000, taken = 0;
    netdp_stream stream = netdp_stream_at(1, NETDP_FOR_GRAPH, 0, 0);
    int64_t before = netdp_i_memory_live();
    char *text = malloc(ROOM);
    for (int run = 0; run < runs; run++) {
        int i = run % (2 * FORMATS);
        const char *seed = i < FORMATS ? plain[i].text : weighted[i - FORMATS].text;
        netdp_graph *graph = NULL;
        size_t bytes = strlen(seed);
        memcpy(text, seed, bytes);
        bytes = mutate(text, bytes, ROOM, &stream);
        error.text[0] = '\0';
        netdp_status status =
            read_bytes(i < FORMATS ? plain[i].ending : weighted[i - FORMATS].ending, text, bytes,
                       false, &graph, NULL);
        taken += status == NETDP_OK;
        assert_true(status == NETDP_OK || status == NETDP_INVALID);
        assert_int_equal(status == NETDP_OK, graph != NULL);
        assert_int_equal(status == NETDP_INVALID, error.text[0] != '\0');
        assert_null(strchr(error.text, '\n'));
        netdp_graph_free(graph);
        assert_int_equal(netdp_i_memory_live(), before);
    }
    assert_true(taken > runs / 20 && taken < runs);
    free(text);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_graph_in_all_formats),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_weights_and_comments),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_long_and_deep),
        cmocka_unit_test(test_igraph_is_given_back),
        cmocka_unit_test(test_writing),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_mutations),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

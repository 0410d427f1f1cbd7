#include "check.h"
#include "sweep.h"

#include <netdp/graph.h>
#include <netdp/random.h>

#include "base/memory.h"
#include "graph/collect.h"
#include "graph/graph.h"

#include <unistd.h>

static netdp_error error;

static netdp_graph *make(const char *family, uint64_t seed)
{
    netdp_graph *graph = NULL;
    assert_ok(netdp_graph_make(family, seed, true, &graph, NULL, &error));
    return graph;
}

static netdp_graph *parse(const char *text, bool giant, netdp_graph_notes *notes)
{
    netdp_graph *graph = NULL;
    assert_ok(
        netdp_i_graph_parse(text, (int64_t)strlen(text), "list", giant, &graph, notes, &error));
    return graph;
}

static bool joined(const netdp_graph *graph, int32_t u, int32_t v)
{
    for (int32_t i = 0; i < netdp_graph_degree(graph, u); i++)
        if (netdp_graph_neighbours(graph, u)[i] == v)
            return true;
    return false;
}

static bool same_edges(const netdp_graph *a, const netdp_graph *b)
{
    if (a->nodes != b->nodes ||
        memcmp(a->start, b->start, ((size_t)a->nodes + 1) * sizeof *a->start) != 0)
        return false;
    return memcmp(a->neighbour, b->neighbour, (size_t)a->start[a->nodes] * sizeof *a->neighbour) ==
           0;
}

/* Rows ascending, no loops, symmetric. */
static void assert_simple(const netdp_graph *graph)
{
    for (int32_t u = 0; u < netdp_graph_nodes(graph); u++) {
        const int32_t *neighbour = netdp_graph_neighbours(graph, u);
        for (int32_t i = 0; i < netdp_graph_degree(graph, u); i++) {
            assert_true(neighbour[i] != u);
            assert_true(i == 0 || neighbour[i - 1] < neighbour[i]);
            assert_true(joined(graph, neighbour[i], u));
        }
    }
}

static void test_sizes_of_families(void **state)
{
    (void)state;
    static const struct {
        const char *family;
        int32_t nodes;
        int64_t edges;    /* -1: random */
        int32_t diameter; /* -1: random */
    } table[] = {
        {"complete 1", 1, 0, 0},
        {"complete 10", 10, 45, 1},
        {"ring 1", 1, 0, 0},
        {"ring 2", 2, 1, 1},
        {"ring 3", 3, 3, 1},
        {"ring 60", 60, 60, 30},
        {"path 1", 1, 0, 0},
        {"path 5", 5, 4, 4},
        {"star 1", 1, 0, 0},
        {"star 30", 30, 29, 2},
        {"grid 4 5", 20, 31, 7},
        {"grid 1 1", 1, 0, 0},
        {"torus 4 5", 20, 40, 4},
        {"torus 2 2", 4, 4, 2},
        {"torus 2 5", 10, 15, 3},
        {"torus 1 6", 6, 6, 3},
        {"torus 1 1", 1, 0, 0},
        {"hypercube 0", 1, 0, 0},
        {"hypercube 5", 32, 80, 5},
        {"static-exponential 12", 12, 36, 2},
        {"static-exponential 8", 8, 20, 2},
        {"static-exponential 2", 2, 1, 1},
        {"caveman 5 20", 100, 955, 5},
        {"caveman 2 2", 4, 4, 2},
        {"caveman 4 1", 4, 4, 2},
        {"caveman 1 4", 4, 6, 1},
        {"davis", 32, 89, 4},
        {"florentine", 15, 20, 5},
        {"karate", 34, 78, 5},
        {"  ring\t 4 ", 4, 4, 2},
        {"erdos-renyi 1 0", 1, 0, 0},
        {"erdos-renyi 9 1", 9, 36, 1},
        {"erdos-renyi 200 c=1.5", 200, -1, -1},
        {"erdos-renyi 3 c=50", 3, 3, 1},
        {"geometric 200 0.2", 200, -1, -1},
        {"geometric 10 2", 10, 45, 1},
        {"barabasi-albert 100 3", 100, 295, -1},
        {"barabasi-albert 5 3", 5, 10, 1},
        {"regular 271 8", 271, 1084, -1},
        {"regular 100 95", 100, 4750, 2},
        {"regular 8 7", 8, 28, 1},
        {"regular 1 0", 1, 0, 0},
        {"k-out 50 3", 50, -1, -1},
        {"k-out 6 5", 6, 15, 1},
        {"stochastic-block 75,75,50 0.25,0.05,0.02;0.05,0.35,0.07;0.02,0.07,0.40", 200, -1, -1},
        {"stochastic-block 2,3 0,1;1,0", 5, 6, 2},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        int64_t before = netdp_i_memory_live();
        netdp_graph *graph = make(table[i].family, 3);
        int32_t components, diameter;
        bool bipartite;
        assert_int_equal(netdp_graph_nodes(graph), table[i].nodes);
        if (table[i].edges >= 0)
            assert_int_equal(netdp_graph_edges(graph), table[i].edges);
        assert_simple(graph);
        assert_ok(netdp_graph_shape(graph, &components, &bipartite, &error));
        assert_int_equal(components, 1);
        assert_ok(netdp_graph_diameter(graph, &diameter, &error));
        if (table[i].diameter >= 0)
            assert_int_equal(diameter, table[i].diameter);
        assert_string_equal(netdp_graph_origin(graph), table[i].family);
        netdp_graph_free(graph);
        assert_int_equal(netdp_i_memory_live(), before);
    }
}

static void test_numbering(void **state)
{
    (void)state;
    netdp_graph *grid = make("grid 4 5", 0), *torus = make("torus 4 5", 0);
    netdp_graph *cube = make("hypercube 5", 0), *star = make("star 6", 0);
    netdp_graph *cave = make("caveman 3 4", 0), *blocks = make("stochastic-block 2,3 0,1;1,0", 0);
    netdp_graph *arrival = make("barabasi-albert 60 3", 4);
    assert_true(joined(grid, 7, 8) && joined(grid, 7, 12) && !joined(grid, 4, 5));
    assert_true(joined(torus, 5, 9) && joined(torus, 2, 17) && !joined(torus, 4, 5));
    for (int32_t u = 0; u < 32; u++)
        for (int32_t v = 0; v < 32; v++)
            assert_int_equal(joined(cube, u, v), __builtin_popcount((unsigned)(u ^ v)) == 1);
    assert_int_equal(netdp_graph_degree(star, 0), 5);
    assert_true(joined(cave, 0, 3) && joined(cave, 3, 4) && joined(cave, 11, 0));
    assert_true(!joined(blocks, 0, 1) && joined(blocks, 1, 2) && !joined(blocks, 3, 4));
    for (int32_t v = 5; v < 60; v++) { /* exactly three links to nodes that came before */
        int32_t earlier = 0;
        for (int32_t i = 0; i < netdp_graph_degree(arrival, v); i++)
            earlier += netdp_graph_neighbours(arrival, v)[i] < v;
        assert_int_equal(earlier, 3);
    }
    netdp_graph *all[] = {grid, torus, cube, star, cave, blocks, arrival};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        netdp_graph_free(all[i]);
}

static void test_seeds(void **state)
{
    (void)state;
    static const char *const family[] = {
        "erdos-renyi 100 0.1", "geometric 100 0.25", "barabasi-albert 100 3",
        "regular 100 4",       "k-out 100 2",        "stochastic-block 50,50 0.3,0.1;0.1,0.3",
    };
    for (size_t i = 0; i < sizeof family / sizeof *family; i++) {
        netdp_graph *a = make(family[i], 5), *b = make(family[i], 5), *c = make(family[i], 6);
        /* all 64 bits of a seed count */
        netdp_graph *d = make(family[i], 5 + ((uint64_t)1 << 32));
        assert_true(same_edges(a, b));
        assert_false(same_edges(a, c));
        assert_false(same_edges(a, d));
        netdp_graph_free(a);
        netdp_graph_free(b);
        netdp_graph_free(c);
        netdp_graph_free(d);
    }
}

/* Edges of G(n, p): mean and variance over seeds, within 5 standard errors. */
static void test_erdos_renyi_has_its_law(void **state)
{
    (void)state;
    enum { DRAWS = 400 };
    double mean = 0, pairs = 60 * 59 / 2.0, p = 0.3;
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        netdp_graph *graph = NULL;
        assert_ok(netdp_graph_make("erdos-renyi 60 0.3", seed, false, &graph, NULL, &error));
        mean += (double)netdp_graph_edges(graph) / DRAWS;
        netdp_graph_free(graph);
    }
    assert_close(mean, pairs * p, 5 * sqrt(pairs * p * (1 - p) / DRAWS), 0);
}

static void test_redraws(void **state)
{
    (void)state;
    netdp_graph *graph = NULL;
    netdp_graph_notes notes = {0};
    assert_ok(netdp_graph_make("erdos-renyi 100 0.04", 1, true, &graph, &notes, &error));
    assert_true(notes.redraws > 0);
    netdp_graph_free(graph);
    graph = NULL;
    assert_fails(netdp_graph_make("erdos-renyi 100 0.001", 1, true, &graph, &notes, &error),
                 NETDP_INVALID);
    assert_non_null(strstr(error.text, "erdos-renyi 100 0.001"));
    assert_null(graph);
    assert_ok(netdp_graph_make("erdos-renyi 100 0.001", 1, false, &graph, &notes, &error));
    int32_t diameter;
    assert_ok(netdp_graph_diameter(graph, &diameter, &error));
    assert_int_equal(diameter, -1);
    netdp_graph_free(graph);
}

static void test_bad_families(void **state)
{
    (void)state;
    static const char *const family[] = {
        "",
        " ",
        "hypercubes 4",
        "ring",
        "ring 0",
        "ring -1",
        "ring 5 5",
        "ring 1.5",
        "ring 5x",
        "ring 99999999999999999999999",
        "ring 2147483647",
        "complete 40000",
        "grid 3",
        "grid 100000 100000",
        "torus 0 4",
        "hypercube -1",
        "hypercube 25",
        "hypercube 3.0",
        "static-exponential 0",
        "caveman 0 4",
        "caveman 4 0",
        "caveman 1 90000",
        "erdos-renyi 10",
        "erdos-renyi 10 1.5abc",
        "erdos-renyi 10 1.5",
        "erdos-renyi 10 -0.1",
        "erdos-renyi 10 nan",
        "erdos-renyi 10 inf",
        "erdos-renyi 10 0x1p-1",
        "erdos-renyi 10 c=",
        "erdos-renyi 10 c=-1",
        "erdos-renyi 10 c=1e999",
        "erdos-renyi 0 0.5",
        "erdos-renyi 90000000 0.5",
        "geometric 10 -1",
        "geometric 10 1e999",
        "barabasi-albert 4 3",
        "barabasi-albert 10 0",
        "barabasi-albert 10 6",
        "regular 5 3",
        "k-out 5 5",
        "k-out 5",
        "regular 5 5",
        "regular 5 -2",
        "stochastic-block 3,4 0.5",
        "stochastic-block 3,4 0.5,0.1;0.1",
        "stochastic-block 3,4 0.5,0.1;0.2,0.5",
        "stochastic-block 3,4 0.5,2;2,0.5",
        "stochastic-block 3,0 0.5,0.1;0.1,0.5",
        "stochastic-block 3,,4 0.5,0.1;0.1,0.5",
        "stochastic-block 3,4 0.5,0.1;0.1,0.5;",
        "stochastic-block 3,4 0.5,0.1,0.5;0.1,0.5,0.5",
        "stochastic-block 3,4 0.5,-0.1;-0.1,0.5",
        "davis 3",
        "complete\n5\n5",
        "complete \x01",
        "a b c d e f g h i j k",
        "ring 5 5 5 5 5 5 5 5 5",
    };
    for (size_t i = 0; i < sizeof family / sizeof *family; i++) {
        int64_t before = netdp_i_memory_live();
        netdp_graph *graph = NULL;
        if (netdp_graph_make(family[i], 1, true, &graph, NULL, NULL) == NETDP_OK)
            fail_msg("'%s' was taken", family[i]);
        assert_fails(netdp_graph_make(family[i], 1, true, &graph, NULL, &error), NETDP_INVALID);
        assert_null(graph);
        assert_int_equal(netdp_i_memory_live(), before);
    }
    netdp_graph *graph = NULL;
    assert_fails(netdp_graph_make("hypercub 4", 1, true, &graph, NULL, &error), NETDP_INVALID);
    assert_non_null(strstr(error.text, "'hypercube DIMENSION'"));
    char *huge = malloc(1000001);
    memset(huge, 'r', 1000000);
    huge[1000000] = '\0';
    assert_fails(netdp_graph_make(huge, 1, true, &graph, NULL, &error), NETDP_INVALID);
    free(huge);
}

static void test_names(void **state)
{
    (void)state;
    netdp_graph *davis = make("davis", 0), *karate = make("karate", 0);
    int32_t node = -1;
    assert_string_equal(netdp_graph_name(davis, 0), "Evelyn Jefferson");
    assert_string_equal(netdp_graph_name(davis, 18), "E1");
    assert_null(netdp_graph_name(karate, 7));
    assert_ok(netdp_graph_find(davis, "E1", &node, &error));
    assert_int_equal(node, 18);
    assert_ok(netdp_graph_find(davis, "31", &node, &error));
    assert_int_equal(node, 31);
    static const char *const bad[] = {"32", "-1", "", "E99", " 3", "3 ", "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_fails(netdp_graph_find(davis, bad[i], &node, &error), NETDP_INVALID);
    assert_int_equal(node, 31);
    netdp_graph_free(davis);
    netdp_graph_free(karate);
}

static void test_reading(void **state)
{
    (void)state;
    netdp_graph_notes notes;
    netdp_graph *graph =
        parse("# head\r\n\r\n10 30\r\n30 10 # again\n 10\t20 \n20 20\n5", false, &notes);
    assert_int_equal(netdp_graph_nodes(graph), 4);
    assert_int_equal(netdp_graph_edges(graph), 2);
    assert_int_equal(notes.repeats, 1);
    assert_int_equal(notes.self_loops, 1);
    assert_string_equal(netdp_graph_name(graph, 0), "5");
    assert_string_equal(netdp_graph_name(graph, 3), "30");
    assert_int_equal(netdp_graph_degree(graph, 0), 0);
    assert_true(joined(graph, 1, 3) && joined(graph, 1, 2));
    netdp_graph_free(graph);
    graph = parse("b a\na c 0.25\nc a 0.250\n2 b\n", false, &notes); /* not all numbers */
    assert_string_equal(netdp_graph_name(graph, 0), "b");
    assert_string_equal(netdp_graph_name(graph, 3), "2");
    assert_int_equal(notes.weights, 2);
    assert_int_equal(notes.repeats, 1);
    assert_true(isnan(netdp_i_graph_weights(graph, 1)[0]));
    assert_close(netdp_i_graph_weights(graph, 1)[1], 0.25, 0, 0);
    assert_close(netdp_i_graph_weights(graph, 2)[0], 0.25, 0, 0);
    netdp_graph_free(graph);
    graph = parse("007 1\n007 02", false, NULL); /* a number, under its own name */
    assert_int_equal(netdp_graph_nodes(graph), 3);
    assert_string_equal(netdp_graph_name(graph, 2), "007");
    netdp_graph_free(graph);
    /* 2^64 - 1 is a number, 2^64 is not: then labels keep their order of appearance. */
    graph = parse("18446744073709551615 3", false, NULL);
    assert_string_equal(netdp_graph_name(graph, 0), "3");
    netdp_graph_free(graph);
    graph = parse("18446744073709551616 3", false, NULL);
    assert_string_equal(netdp_graph_name(graph, 1), "3");
    netdp_graph_free(graph);
    graph = parse("\xef\xbb\xbfZo\xc3\xab Jos\xc3\xa9\n-1 Zo\xc3\xab", false, NULL);
    assert_string_equal(netdp_graph_name(graph, 0), "Zo\xc3\xab");
    assert_string_equal(netdp_graph_name(graph, 2), "-1");
    netdp_graph_free(graph);
}

static void test_giant_component(void **state)
{
    (void)state;
    netdp_graph_notes notes;
    netdp_graph *graph = parse("0 1 3\n2 3 1\n3 4 2\n5", true, &notes);
    assert_int_equal(netdp_graph_nodes(graph), 3);
    assert_int_equal(netdp_graph_edges(graph), 2);
    assert_int_equal(notes.outside, 3);
    assert_string_equal(netdp_graph_name(graph, 0), "2");
    assert_close(netdp_i_graph_weights(graph, 1)[1], 2, 0, 0);
    netdp_graph_free(graph);
    graph = parse("0 1\n2 3", true, &notes); /* a tie: the one with the smallest node */
    assert_int_equal(netdp_graph_nodes(graph), 2);
    assert_null(netdp_graph_name(graph, 0));
    netdp_graph_free(graph);
}

static void test_bad_lists(void **state)
{
    (void)state;
/* A text that may hold NUL bytes, and its length. */
#define TEXT(text) text, sizeof(text) - 1
    static const struct {
        const char *text;
        size_t bytes;
        const char *says;
    } table[] = {
        {TEXT(""), "no node"},
        {TEXT("# nothing\n\n  \n"), "no node"},
        {TEXT("1 1\n2 2\n"), "self loops"},
        {TEXT("0 1\n0 1 2 3\n"), "list:2: more than three"},
        {TEXT("0 1\n\n0 1 x\n"), "list:3: 'x' is no"},
        {TEXT("0 1 -1\n"), "list:1: '-1'"},
        {TEXT("0 1 0\n"), "list:1: '0'"},
        {TEXT("0 1 nan\n"), "list:1: 'nan'"},
        {TEXT("0 1 inf\n"), "list:1: 'inf'"},
        {TEXT("0 1 1e999\n"), "list:1: '1e999'"},
        {TEXT("0 1 1.5abc\n"), "list:1: '1.5abc'"},
        {TEXT("0 1 0x10\n"), "list:1: '0x10'"},
        {TEXT("0 1 1e\n"), "list:1: '1e'"},
        {TEXT("0 0 x\n"), "list:1: 'x'"},
        {TEXT("0 1 0.5\n1 0 0.25\n"), "list:2: this edge"},
        {TEXT("a b\nb c 1\nb a 1\na b 2\n"), "list:4: this edge"},
        {TEXT("0 1\n0\0 2\n"), "list:2: a NUL"},
        {TEXT("\0"), "list:1: a NUL"},
        {TEXT("0 1\n# \0\n"), "list:2: a NUL"},
        {TEXT("0 1\n\x01 2\n"), "list:2: control character 0x01"},
        {TEXT("0 1\r2 3\r"), "list:1: control character 0x0d"},
        {TEXT("0 a\x7f\n"), "list:1: control character 0x7f"},
        {TEXT("0 1\n\xff\xfe 2\n"), "list:2: '\\xff\\xfe' is not UTF-8"},
        {TEXT("0 \xc3\n"), "is not UTF-8"},
        {TEXT("0 \xed\xa0\x80\n"), "is not UTF-8"},
    };
#undef TEXT
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        int64_t before = netdp_i_memory_live();
        netdp_graph *graph = NULL;
        assert_fails(netdp_i_graph_parse(table[i].text, (int64_t)table[i].bytes, "list", false,
                                         &graph, NULL, &error),
                     NETDP_INVALID);
        if (strstr(error.text, table[i].says) == NULL)
            fail_msg("list %d: '%s' does not say '%s'", (int)i, error.text, table[i].says);
        assert_null(graph);
        assert_int_equal(netdp_i_memory_live(), before);
    }
    netdp_graph *graph = NULL;
    assert_fails(netdp_graph_read("/nonexistent", false, &graph, NULL, &error), NETDP_ENVIRONMENT);
    assert_fails(netdp_graph_read("/tmp", false, &graph, NULL, &error), NETDP_ENVIRONMENT);
}

/* The 78 edges of karate in one spelling: HEAD, then A u B v C a line. */
static char *spell(const netdp_graph *karate, const char *head, const char *a, const char *b,
                   const char *c)
{
    char *text = malloc(78 * 64 + 200), *at = text + sprintf(text, "%s", head);
    for (int32_t u = 0; u < 34; u++)
        for (int32_t i = 0; i < netdp_graph_degree(karate, u); i++) {
            const int32_t v = netdp_graph_neighbours(karate, u)[i];
            if (u < v)
                at += sprintf(at, "%s%d%s%d%s\n", a, (int)u, b, (int)v, c);
        }
    return text;
}

/* Ten and more spellings of one graph: read as that graph, or refused with the first bad line. */
static void test_spellings(void **state)
{
    (void)state;
    static const struct {
        const char *head, *before, *between, *after;
        double weight;    /* 0: none */
        const char *says; /* NULL: it is read */
    } table[] = {
        {"", "", " ", "", 0, NULL},
        {"", "", "\t", "", 0, NULL},
        {"", "", ",", "", 0, NULL},
        {"", "", ", ", "", 0, NULL},
        {"", "", " ; ", "\r", 0, NULL},
        {"# c\n", "", ",", " # c", 0, NULL},
        {"source,target\n", "", ",", "", 0, NULL},
        {"\xef\xbb\xbf\"Source\";\"Target\"\n", "", ";", "", 0, NULL},
        {"source target\n", "", " ", "", 0, NULL},
        {"from\tto\n", "", "\t", "", 0, NULL},
        {"u,v\n", "", ",", "", 0, NULL},
        {"Source,Target,Weight\n", "", ",", ",2.5", 2.5, NULL},
        {"Weight,Target,Type,Source\n", "2.5,", ",\"Un,\"\"directed\"\"\",", "", 2.5, NULL},
        {",source,target\n", "9,", ",", "", 0, NULL},
        {"", "\"", "\",\"", "\"", 0, NULL},
        {"", "\"", "\" \"", "\" 2.5", 2.5, NULL},
        {"", "", "\t", "\t2.5", 2.5, NULL},
        {"", "", ",", ",2.5", 2.5, NULL},
        {"", "", ",", ",", 0, NULL},
        {"", "", " ", " {}", 0, NULL},
        {"", "", ",", ",{}", 0, NULL},
        {"", "", " ", " {'weight': 2.5}", 2.5, NULL},
        {"", "", "\t", "\t{'colour': 'a, }b', 'weight': 2.5, 'n': None}", 2.5, NULL},
        {"", "", "|", "", 0, "list:1: a mark that may separate"},
        {"", "", " | ", "", 0, "list:1: a mark that may separate"},
        {"", "", "->", "", 0, "list:1: a mark around"},
        {"", "", " -> ", "", 0, "list:1: a mark where"},
        {"", "", "-", "", 0, "list:1: one name alone, and no edge"},
        {"", "", "/", "", 0, "list:1: one name alone, and no edge"},
        {"", "", ":", "", 0, "list:1: one name alone, and no edge"},
        {"", "", ": ", "", 0, "list:1: a mark around"},
        {"", "(", ", ", ")", 0, "list:1: a mark around"},
        {"", "[", ", ", "],", 0, "list:1: a mark around"},
        {"", "{\"source\": ", ", \"target\": ", "}", 0, "list:1: "},
        {"34 78\n", "", " ", "", 0, "those of the nodes and of the edges"},
        {"*Vertices 34\n*Edges\n", "", " ", "", 0, "list:1: a mark around"},
        {"% asym\n", "", " ", "", 0, NULL},
        {"% sym unweighted\n% 78 34 34\n", "", "\t", " ", 0, NULL},
        {"%\n# c\n  % c\nsource,target\n", "", ",", "", 0, NULL},
        {"% bip unweighted\n", "", " ", "", 0, "list: a bipartite network"},
        {"alice,bob\n", "", ",", "", 0, "list:1: words before numbers"},
        {"source,target\n", "", " ", "", 0, "list:2: not as many columns"},
        {"source,target,weight\n", "", ",", "", 0, "list:2: not as many columns"},
        {"source,target,weight\n", "", ",", ",x", 0, "list:2: 'x' is no"},
        {"", "", ",", ",1,Undirected", 0, "list:1: more than three columns"},
        {"", "", " ", " {'weight': [1]}", 0, "list:1: no data as networkx"},
        {"", "", " ", " {'weight': 0}", 0, "list:1: '0' is no"},
        {"", "", " ", " {'weight': 1} x", 0, "list:1: no data as networkx"},
        {"0,1\n", "", " ", "", 0, "list:2: two kinds of marks"},
        {"0 1\n", "", ",", "", 0, "list:2: two kinds of marks"},
        {"0;1\n", "", ",", "", 0, "list:2: two kinds of marks"},
    };
    netdp_graph *karate = make("karate", 0);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        netdp_graph *graph = NULL;
        netdp_graph_notes notes;
        char *text =
            spell(karate, table[i].head, table[i].before, table[i].between, table[i].after);
        const netdp_status status =
            netdp_i_graph_parse(text, (int64_t)strlen(text), "list", false, &graph, &notes, &error);
        if (status != (table[i].says == NULL ? NETDP_OK : NETDP_INVALID))
            fail_msg("spelling %d: '%.20s': %s", (int)i, text,
                     status == NETDP_OK ? "" : error.text);
        if (table[i].says == NULL) {
            if (!same_edges(graph, karate))
                fail_msg("spelling %d: '%.20s': another graph", (int)i, text);
            assert_null(netdp_graph_name(graph, 7));
            assert_int_equal(notes.weights, table[i].weight > 0 ? 78 : 0);
            if (table[i].weight > 0)
                assert_close(netdp_i_graph_weights(graph, 0)[0], table[i].weight, 0, 0);
        } else if (strstr(error.text, table[i].says) == NULL) {
            fail_msg("spelling %d: '%s' does not say '%s'", (int)i, error.text, table[i].says);
        }
        netdp_graph_free(graph);
        free(text);
    }
    netdp_graph_free(karate);
}

/* The edges of karate with names for numbers, below a header: "n7,n9". */
static char *spell_named(const netdp_graph *karate, const char *head)
{
    char *text = malloc(78 * 64 + 200), *at = text + sprintf(text, "%s\n", head);
    for (int32_t u = 0; u < 34; u++)
        for (int32_t i = 0; i < netdp_graph_degree(karate, u); i++)
            if (u < netdp_graph_neighbours(karate, u)[i])
                at += sprintf(at, "n%d,n%d\n", (int)u, (int)netdp_graph_neighbours(karate, u)[i]);
    return text;
}

/* Above numbers and above names: read as a header, or refused by asking; never two nodes more. */
static void test_headers(void **state)
{
    (void)state;
    static const struct {
        const char *head;
        bool numbers, names; /* read as a header above these */
    } table[] = {
        {"Source,Destination", true, true},
        {"SOURCE,TARGET", true, true},
        {"source_node,target_node", true, true},
        {"Source ID,Target ID", true, true},
        {"FromNodeId,ToNodeId", true, true},
        {"from.node,to.node", true, true},
        {"src,tgt", true, true},
        {"Origin,Destination", true, true},
        {"sender_id,recipient_id", true, true},
        {"follower,followee", true, true},
        {"citing,cited", true, true},
        {"parent,child", true, true},
        {"Head,Tail", true, true},
        {"\"from\",\"to\"", true, true},
        {"Node 1,Node 2", true, true},
        {"NodeA,NodeB", true, true},
        {"vertex1,vertex2", true, true},
        {"user1,user2", true, false},
        {"protein_a,protein_b", true, false},
        {"p_i,p_j", true, false},
        {"u,v", true, false},
        {"character,companion", false, false},
        {"Person,Friend", false, false},
        {"von,nach", false, false},
        {"Anfang,Ende", false, false},
        {"station one,station two", false, false},
        {"\"Gene\",\"Interactor\"", false, false},
    };
    netdp_graph *karate = make("karate", 0);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (int named = 0; named < 2; named++) {
            char head[64];
            snprintf(head, sizeof head, "%s\n", table[i].head);
            char *text =
                named ? spell_named(karate, table[i].head) : spell(karate, head, "", ",", "");
            netdp_graph *graph = NULL;
            const netdp_status status = netdp_i_graph_parse(text, (int64_t)strlen(text), "list",
                                                            false, &graph, NULL, &error);
            const bool read = named ? table[i].names : table[i].numbers;
            if (status != (read ? NETDP_OK : NETDP_INVALID))
                fail_msg("header '%s' above %s: %s", table[i].head, named ? "names" : "numbers",
                         status == NETDP_OK ? "taken" : error.text);
            if (read)
                assert_true(netdp_graph_nodes(graph) == 34 && netdp_graph_edges(graph) == 78);
            else
                assert_non_null(strstr(error.text, "is it a header?"));
            netdp_graph_free(graph);
            free(text);
        }
    netdp_graph_free(karate);
}

/* What looks like a list of edges and is none; and beside each what is one. */
static void test_no_lists_of_edges(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says; /* NULL: it is read */
    } table[] = {
        {"7 6\n0 1\n1 2\n2 3\n3 4\n4 5\n5 6\n", "those of the nodes"}, /* a path from 0 */
        {"6 5\n1 2\n1 3\n1 4\n4 5\n4 6\n", "those of the nodes"},      /* a tree from 1 */
        {"5,5\n0,1\n1,2\n2,3\n3,4\n4,0\n", "those of the nodes"},      /* a ring */
        {"6 3\n0 1\n2 3\n2 3\n", "those of the nodes"},                /* nodes alone */
        {"3 2\n1 2 0.5\n2 3 0.25\n", "those of the nodes"},            /* with weights */
        {"4 6\n1 2\n2 1\n2 3\n3 2\n3 4\n4 3\n", "those of the nodes"}, /* both ways */
        {"# c\n4 3\n1 2\n2 2\n3 4\n", "those of the nodes"},           /* a loop */
        {"6\n0 1\n1 2\n2 3\n3 4\n4 5\n", "those of the nodes"},        /* nodes alone */
        {"4 4 3\n1 2\n2 3\n3 4\n", "those of the nodes"},              /* as of a matrix */
        {"4 4 3\n1 2 0.5\n2 3 2\n3 4 1\n", "those of the nodes"},
        {"9 8 1\n1 2\n2 3\n3 9\n", "other columns"},
        {"9 7\n1 2 0.5\n2 3 1.5\n3 9 0.5\n", "other columns"},
        {"1 2\n2 3\n3 4\n", NULL},
        {"2 1\n3 1\n3 2\n", NULL},
        {"7 1\n7 2\n", NULL},
        {"4 1\n4 2\n4 3\n", NULL},
        {"9\n1 2\n2 3\n", NULL}, /* a node alone, beyond those that could be counted */
        {"5 4\n5 3\n5 2\n", NULL},
        {"0 1 1\n1 0 1\n1 1 2\n", "a matrix?"},
        {"0.2,0.3,0.5\n0.3,0.2,0.5\n0.5,0.5,0\n", "'0' is no positive"},
        {"0.2,0.3,0.5\n0.3,0.2,0.5\n0.5,0.5,1e-9\n", "a matrix?"},
        {"0.25 0.75\n0.75 0.25\n", "where a node's number should be"},
        {"1.0 2.0\n2.0 3.0\n", "'1.0' where a node's number"},
        {"1e0;2e0\n2e0;3e0\n", "'1e0' where a node's number"},
        {"-1 0\n0 1\n", "'-1' where a node's number"},
        {"\"1.5\" \"2.5\"\n\"2.5\" \"3.5\"\n", NULL},
        {"s1.1 s1.2\ns1.2 s2.1\n", NULL},
        {"x y\nx 0.5 0.5\ny 0.5 0.5\n", "other columns"},
        {"0 1 2\n1 3\n2\n3\n", "a list of neighbours?"},
        {"0 1 2\n1\n2\n", "a list of neighbours?"},
        {"1 2 5\n2 1 3\n3 2 4\n4 3 5\n5 4 1\n", "a list of neighbours?"},
        {"0 1 7\n1 2 5\n2 0 9\n", NULL},
        {"07 8\n7 9\n", "'7' was '07' before"},
        {"07 08\n08 09\n", NULL},
        {"% sym\n% 3 3 3\n1 2\n2 3\n", NULL},
        {"1 2\n% late\n2 3\n", "a '%' behind the first edge"},
        {"% bip weighted\n1 1 2\n", "a bipartite network"},
        {"5 4\n2\n1 3\n2 4\n3 5\n4\n", NULL},   /* of METIS */
        {"% c\n4 3\n2\n1 3 4\n2\n2\n", NULL},   /* of METIS */
        {"3 2 1\n2 7\n1 7 3 4\n2 4\n", NULL},   /* of METIS */
        {"4 2 10\n1 2\n1 1\n2 4\n2 3\n", NULL}, /* of METIS */
        {"3 1\n2\n1\n\n", NULL},                /* of METIS */
        {"4 4\n2 4\n1 3\n2 4\n1 3\n", "METIS"}, /* or edges, some of them twice */
        {"3 2\n2\n1 3\n1\n", "METIS"},          /* no edge twice */
        {"% sym positive\n1 2 3 1082040961\n2 3 1 1082040961\n", NULL},
        {"1 2 3 1082040961\n2 3 1 1082040961\n", "KONECT"},
        {"% sym dynamic\n1 2 1 9\n1 2 -1 10\n", "a dynamic network"},
        {"1 first\n2 second\n#\n1 2\n", "Trivial Graph Format"},
        {"source,target\nsource,b\nb,c\n", "is a header's word"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        netdp_graph *graph = NULL;
        const netdp_status status = netdp_i_graph_parse(
            table[i].text, (int64_t)strlen(table[i].text), "list", false, &graph, NULL, &error);
        if ((status == NETDP_OK) != (table[i].says == NULL))
            fail_msg("list %d: %s", (int)i, status == NETDP_OK ? "taken" : error.text);
        if (table[i].says != NULL && strstr(error.text, table[i].says) == NULL)
            fail_msg("list %d: '%s' does not say '%s'", (int)i, error.text, table[i].says);
        netdp_graph_free(graph);
    }
}

/* A number is a place only where no name is one; a name that is none is told the nearest. */
static void test_found_by_name(void **state)
{
    (void)state;
    int32_t node = -1;
    netdp_graph *numbers = parse("10 20\n20 30\n30 2\n", false, NULL);
    netdp_graph *words = parse("north south\nsouth West\n", false, NULL);
    assert_true(netdp_graph_find(numbers, "2", &node, &error) == NETDP_OK && node == 0);
    assert_true(netdp_graph_find(numbers, "20", &node, &error) == NETDP_OK && node == 2);
    assert_fails(netdp_graph_find(numbers, "1", &node, &error), NETDP_INVALID);
    assert_fails(netdp_graph_find(numbers, "31", &node, &error), NETDP_INVALID);
    assert_non_null(strstr(error.text, "the nearest is '30'"));
    assert_true(netdp_graph_find(words, "1", &node, &error) == NETDP_OK && node == 1);
    assert_fails(netdp_graph_find(words, "west", &node, &error), NETDP_INVALID);
    assert_non_null(strstr(error.text, "'West'"));
    assert_fails(netdp_graph_find(words, "north ", &node, &error), NETDP_INVALID);
    assert_non_null(strstr(error.text, "'north'"));
    netdp_graph_free(numbers);
    netdp_graph_free(words);
}

/* Names with blanks, commas and quotes; what is no edge list although its lines are short. */
static void test_names_in_lists(void **state)
{
    (void)state;
    static const struct {
        const char *text, *first, *second; /* names of nodes 0 and 1, or NULL and the refusal */
    } table[] = {
        {"Mr Hi,John A\n", "Mr Hi", "John A"},
        {"Mr Hi\tJohn A\n", "Mr Hi", "John A"},
        {"source\ttarget\nMr Hi\t5\n", "Mr Hi", "5"},
        {"Hi, Mr; A, John\n", "Hi, Mr", "A, John"},
        {"\"Hi, \"\"Mr\"\"\",\"John A\"\n", "Hi, \"Mr\"", "John A"},
        {"\"Mr Hi\" \"#A\" 0.5 # c\n", "Mr Hi", "#A"},
        {"u v\nv w\n", "u", "v"},
        {"alice bob\n", "alice", "bob"},
        {"Source,Target\nalice,bob\n", "alice", "bob"},
        {"\"(née X)\" <y>z", NULL, "a mark around"},
        {"Zo\xc3\xab (M.),O'Neil-Smith\n", "Zo\xc3\xab (M.)", "O'Neil-Smith"},
        {"Mr Hi John A\n", NULL, "more than three columns"},
        {"a \"b\n", NULL, "a quote that is not closed"},
        {"\"a\"b c\n", NULL, "text behind a closing quote"},
        {"C# Java\n", NULL, "a '#' inside"},
        {"a,,b\n", NULL, "an empty name"},
        {",b\n", NULL, "an empty name"},
        {"\"\" b\n", NULL, "an empty name"},
        {"a b\nc,d e\n", NULL, "a comma inside"},
        {"0 1 2\n1 2\n2\n", NULL, "a list of neighbours?"},
        {"0 1 0\n1 0 1\n0 1 0\n", NULL, "'0' is no positive"},
        {"0 1 0 0\n1 0 1 0\n", NULL, "more than three columns"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        netdp_graph *graph = NULL;
        const netdp_status status = netdp_i_graph_parse(
            table[i].text, (int64_t)strlen(table[i].text), "list", false, &graph, NULL, &error);
        if (table[i].first == NULL) {
            if (status != NETDP_INVALID || strstr(error.text, table[i].second) == NULL)
                fail_msg("list %d: '%s' does not say '%s'", (int)i, error.text, table[i].second);
            continue;
        }
        assert_ok(status);
        assert_string_equal(netdp_graph_name(graph, 0), table[i].first);
        assert_string_equal(netdp_graph_name(graph, 1), table[i].second);
        netdp_graph_free(graph);
    }
}

/* Plain lines of numbers, comments and line ends among them; no label with leading zeros. */
static int32_t draw_lines(netdp_stream *stream, int lines, char *text)
{
    static const char *const format[] = {"%d %d\n", "%d\t %d\n", " %d %d #c\n", "%d %d\r\n",
                                         "%d\n",    "# %d %d\n", "\n",          "%d %d#\r\n"};
    int32_t length = sprintf(text, "3 5\n");
    for (int i = 0; i < lines; i++) {
        const uint64_t kind = netdp_stream_below(stream, 20);
        length +=
            sprintf(text + length, format[kind < 8 ? kind : 0],
                    3 * (int)netdp_stream_below(stream, 9), (int)netdp_stream_below(stream, 30));
    }
    return length;
}

static const char *name_or_number(const netdp_graph *graph, int32_t node)
{
    const char *name = netdp_graph_name(graph, node);
    return name != NULL ? name : "its number";
}

/* In pieces of any length a plain list gives what it gives line by line. */
static void test_plain_lists_in_pieces(void **state)
{
    (void)state;
    netdp_stream stream = netdp_stream_at(3, NETDP_FOR_PROBE, 0, 0);
    for (int round = 0; round < 60; round++) {
        char text[2048];
        netdp_graph *want = NULL, *got = NULL;
        netdp_graph_notes want_notes, notes;
        int32_t length = draw_lines(&stream, round % 20, text);
        for (int64_t piece = 1; piece <= length + 1; piece += 1 + piece / 4) {
            netdp_i_collection collection = {.path = "list"};
            char *own = NULL;
            bool taken = false;
            assert_ok(netdp_i_collect_numbered(&collection, text, length, ' ', piece, &own, &taken,
                                               &error));
            assert_true(taken);
            assert_ok(netdp_i_collect_finish(&collection, false, &got, &notes, &error));
            netdp_i_collect_clear(&collection);
            netdp_i_free(own);
            if (want == NULL) {
                /* A label in quotes is not plain, is node 5 all the same, and gives a loop more. */
                strcpy(text + length, "\"5\" 5");
                want = parse(text, false, &want_notes);
                text[length] = '\0';
                want_notes.self_loops--;
            }
            assert_memory_equal(&notes, &want_notes, sizeof notes);
            assert_true(same_edges(got, want));
            for (int32_t v = 0; v < netdp_graph_nodes(want); v++)
                assert_string_equal(name_or_number(got, v), name_or_number(want, v));
            netdp_graph_free(got);
        }
        netdp_graph_free(want);
    }
}

static void test_lists_that_are_not_plain(void **state)
{
    (void)state;
    static const char *const text[] = {
        "",          "# nothing\n",  "1 2 3\n",        "a b\n",
        "-1 2\n",    "01 2\n",       "1 2x",           "1 2\r3 4\n",
        "1 2\x01\n", "1 100000\n",   "1 +2\n",         "1.5 2\n",
        "1, 2",      "1 2\n3 4 5 6", "2147483647 2\n", "1 99999999999999999999999\n"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        for (int64_t piece = 1; piece < 8; piece++) {
            netdp_i_collection collection = {.path = "list"};
            char *own = NULL;
            bool taken = true;
            assert_ok(netdp_i_collect_numbered(&collection, text[i], (int64_t)strlen(text[i]), ' ',
                                               piece, &own, &taken, &error));
            assert_false(taken);
            assert_null(own);
            assert_null(collection.edges.pair);
        }
}

/* The same with commas or semicolons, and only where all lines have the same. */
static void test_plain_lists_with_separators(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        char separator;
        bool taken;
    } table[] = {
        {"3,5\n 3 , 6 # c\r\n7\n5,\t6\n", ',', true},
        {"3;5\n3 ;6\n7\n5; 6", ';', true},
        {"3,5\n3 6\n7\n5,6\n", ',', false},
        {"3,5\n3;6\n", ',', false},
        {"3,5\n3,\n", ',', false},
        {"3,5\n3,,6\n", ',', false},
        {"3,5\n,6\n", ',', false},
        {"3,5\n", ' ', false},
    };
    netdp_graph *want = parse("3 5\n3 6\n7\n5 6\n", false, NULL);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (int64_t piece = 1; piece < 12; piece++) {
            netdp_i_collection collection = {.path = "list"};
            netdp_graph *got = NULL;
            char *own = NULL;
            bool taken = false;
            assert_ok(netdp_i_collect_numbered(&collection, table[i].text,
                                               (int64_t)strlen(table[i].text), table[i].separator,
                                               piece, &own, &taken, &error));
            assert_int_equal(taken, table[i].taken);
            if (taken) {
                assert_ok(netdp_i_collect_finish(&collection, false, &got, NULL, &error));
                assert_true(same_edges(got, want));
            }
            netdp_graph_free(got);
            netdp_i_collect_clear(&collection);
            netdp_i_free(own);
        }
    netdp_graph_free(want);
}

static void test_long_labels(void **state)
{
    (void)state;
    enum { LONG = 1000000 };
    char *text = malloc(LONG + 16);
    netdp_graph *graph = NULL;
    memset(text, '1', LONG);
    strcpy(text + LONG, " 2");
    graph = parse(text, false, NULL);
    assert_int_equal(strlen(netdp_graph_name(graph, 0)), LONG);
    netdp_graph_free(graph);
    graph = NULL;
    memcpy(text, "0 1 ", 4);
    assert_fails(netdp_i_graph_parse(text, LONG, "list", false, &graph, NULL, &error),
                 NETDP_INVALID);
    memcpy(text, "0 1 x", 5);
    assert_fails(netdp_i_graph_parse(text, LONG, "list", false, &graph, NULL, &error),
                 NETDP_INVALID);
    assert_true(strlen(error.text) < 500);
    free(text);
}

static void assert_round_trip(netdp_graph *graph, bool names)
{
    char path[] = "/tmp/netdp-test-XXXXXX";
    int file = mkstemp(path);
    netdp_graph *back = NULL;
    assert_true(file >= 0);
    close(file);
    assert_ok(netdp_graph_write(graph, path, &error));
    assert_ok(netdp_graph_read(path, false, &back, NULL, &error));
    assert_true(same_edges(graph, back));
    assert_int_equal(graph->weight != NULL, back->weight != NULL);
    for (int64_t i = 0; graph->weight != NULL && i < graph->start[graph->nodes]; i++)
        assert_true(graph->weight[i] == back->weight[i] ||
                    (isnan(graph->weight[i]) && isnan(back->weight[i])));
    for (int32_t v = 0; names && v < graph->nodes; v++) {
        const char *a = netdp_graph_name(graph, v), *b = netdp_graph_name(back, v);
        assert_true((a == NULL && b == NULL) || (a != NULL && b != NULL && strcmp(a, b) == 0));
    }
    unlink(path);
    netdp_graph_free(graph);
    netdp_graph_free(back);
}

static void test_round_trips(void **state)
{
    (void)state;
    assert_round_trip(make("erdos-renyi 50 0.2", 1), true);
    assert_round_trip(make("complete 1", 1), true);
    assert_round_trip(make("davis", 0), true); /* "Evelyn Jefferson" in quotes */
    assert_round_trip(parse("\"a b\" \"c, \"\"d\"\"\"\n\"#1\" x-y\n", false, NULL), true);
    assert_round_trip(parse("0 1 2.0\n1 2\n", false, NULL), true);
    assert_round_trip(parse("v w\nsource target\n\"source\" w\n\"x|y\"\n", false, NULL), true);
    assert_round_trip(make("florentine", 0), true);
    assert_round_trip(parse("c a\nb\na d 0.1\nd c 0.30000000000000004", false, NULL), true);
    assert_round_trip(parse("10 30 1e-300\n20\n40 10", false, NULL), true);
    assert_round_trip(parse("2 0\n0 1\nx", false, NULL), true);
    assert_round_trip(parse("0\n1\n2\n3 5", false, NULL), true);
    assert_round_trip(parse("10 9\nb b2\n9 1\n", true, NULL), false); /* numbers out of order */
    assert_round_trip(parse("007 1\n007 2", false, NULL), true);
    netdp_graph *graph = make("ring 5", 0);
    assert_fails(netdp_graph_write(graph, "/dev/full", &error), NETDP_ENVIRONMENT);
    assert_fails(netdp_graph_write(graph, "/nonexistent/x", &error), NETDP_ENVIRONMENT);
    netdp_graph_free(graph);
}

static void test_from_edges(void **state)
{
    (void)state;
    const int32_t edges[] = {0, 1, 1, 0, 2, 2, 3, 1}, bad[] = {0, 4}, negative[] = {-1, 0};
    netdp_graph *graph = NULL;
    int32_t sources[] = {3, 3}, distance[4], missing = 9;
    assert_ok(netdp_graph_from_edges(4, edges, 4, &graph, &error));
    assert_int_equal(netdp_graph_edges(graph), 2);
    assert_ok(netdp_graph_distances(graph, sources, 2, distance, &error));
    const int32_t want[] = {2, 1, -1, 0};
    assert_memory_equal(distance, want, sizeof want);
    assert_fails(netdp_graph_distances(graph, &missing, 1, distance, &error), NETDP_INVALID);
    assert_ok(netdp_graph_distances(graph, NULL, 0, distance, &error));
    assert_int_equal(distance[3], -1);
    netdp_graph_free(graph);
    graph = NULL;
    assert_fails(netdp_graph_from_edges(4, bad, 1, &graph, &error), NETDP_INVALID);
    assert_fails(netdp_graph_from_edges(4, negative, 1, &graph, &error), NETDP_INVALID);
    assert_fails(netdp_graph_from_edges(0, NULL, 0, &graph, &error), NETDP_INVALID);
    assert_fails(netdp_graph_from_edges(-1, NULL, 0, &graph, &error), NETDP_INVALID);
    assert_ok(netdp_graph_from_edges(1, NULL, 0, &graph, &error));
    netdp_graph_free(graph);
    netdp_graph_free(NULL);
}

/* Edges in the order of the rows, the other way round, or twice: the same graph, and the same weights. */
static void test_edges_in_any_order(void **state)
{
    (void)state;
    enum { NODES = 9, EDGES = NODES * (NODES - 1) / 2 };
    int32_t pair[4 * EDGES];
    double weight[2 * EDGES];
    netdp_graph *graph[4] = {NULL}, *complete = make("complete 9", 0), *copy = NULL;
    for (int way = 0; way < 4; way++) {
        int32_t made = 0;
        for (int32_t u = 0; u < NODES; u++)
            for (int32_t v = u + 1; v < NODES; v++, made++) {
                const int32_t at = way == 1 ? EDGES - 1 - made : made;
                pair[2 * at] = way == 2 ? v : u;
                pair[2 * at + 1] = way == 2 ? u : v;
                weight[at] = 1 + u + v / 16.0;
                pair[2 * (made + EDGES)] = v;
                pair[2 * (made + EDGES) + 1] = u;
                weight[made + EDGES] = 1 + u + v / 16.0;
            }
        const netdp_edge_list list = {
            .nodes = NODES, .count = way == 3 ? 2 * EDGES : EDGES, .pair = pair, .weight = weight};
        assert_ok(netdp_graph_from_list(&list, &graph[way], NULL, &error));
        assert_simple(graph[way]);
        assert_true(same_edges(graph[way], complete));
        assert_memory_equal(graph[way]->weight, graph[0]->weight, 2 * EDGES * sizeof *weight);
    }
    assert_ok(netdp_i_graph_copy_edges(graph[1], &copy, &error));
    assert_true(same_edges(copy, complete) && copy->weight == NULL);
    for (int way = 0; way < 4; way++)
        netdp_graph_free(graph[way]);
    netdp_graph_free(copy);
    netdp_graph_free(complete);
}

/* Every allocation fails once; nothing stays behind and the result comes in the end. */
static void test_allocation_failures(void **state)
{
    (void)state;
    static const char *const family[] = {"grid 4 5", "davis", "erdos-renyi 30 0.3",
                                         "barabasi-albert 20 3",
                                         "stochastic-block 9,9 0.9,0.5;0.5,0.9"};
    static const char *const text[] = {"10 20\n20 30 0.5\n40 50", "\"a \"\"\" b 1\nb c\nd e"};
    for (int i = 0; i < 7; i++)
        for (sweep s = {0}; sweep_next(&s);) {
            netdp_graph *graph = NULL;
            if (i < 5)
                s.status = netdp_graph_make(family[i], 1, true, &graph, NULL, &error);
            else
                s.status = netdp_i_graph_parse(text[i - 5], (int64_t)strlen(text[i - 5]), "list",
                                               true, &graph, NULL, &error);
            assert_true((graph != NULL) == (s.status == NETDP_OK));
            netdp_graph_free(graph);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_of_families),
        cmocka_unit_test(test_numbering),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_erdos_renyi_has_its_law),
        cmocka_unit_test(test_redraws),
        cmocka_unit_test(test_bad_families),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_giant_component),
        cmocka_unit_test(test_bad_lists),
        cmocka_unit_test(test_spellings),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_no_lists_of_edges),
        cmocka_unit_test(test_found_by_name),
        cmocka_unit_test(test_names_in_lists),
        cmocka_unit_test(test_plain_lists_in_pieces),
        cmocka_unit_test(test_lists_that_are_not_plain),
        cmocka_unit_test(test_plain_lists_with_separators),
        cmocka_unit_test(test_long_labels),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_from_edges),
        cmocka_unit_test(test_edges_in_any_order),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "walk_net.h"
#include "sweep.h"

#include <unistd.h>
#include <netdp/protocol.h>

#include "base/memory.h"
#include "graph/graph.h"

static char folder[64], target_file[96], target_law[128];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/netdp-token-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(target_file, sizeof target_file, "%s/target", folder);
    snprintf(target_law, sizeof target_law, "hastings:%s", target_file);
    return 0;
}

static int drop_folder(void **state)
{
    (void)state;
    unlink(target_file);
    return rmdir(folder);
}

static void put(const char *text, size_t length)
{
    FILE *stream = fopen(target_file, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(text, 1, length, stream), length);
    assert_int_equal(fclose(stream), 0);
}

static netdp_graph *family(const char *name)
{
    netdp_graph *graph = NULL;
    assert_ok(netdp_graph_make(name, 5, true, &graph, NULL, &error));
    return graph;
}

static netdp_graph *list(const char *text)
{
    netdp_graph *graph = NULL;
    assert_ok(
        netdp_i_graph_parse(text, (int64_t)strlen(text), "list", false, &graph, NULL, &error));
    return graph;
}

static net walk_on(netdp_graph *graph, const char *law)
{
    net made = {.graph = graph};
    assert_ok(netdp_transition_new(graph, law, &made.law, &error));
    made.rows = netdp_transition_rows(made.law);
    return made;
}

static double entry(netdp_rows rows, int32_t u, int32_t v)
{
    for (int64_t i = rows.start[u]; i < rows.start[u + 1]; i++)
        if (rows.column[i] == v)
            return rows.weight[i];
    return 0;
}

/* A target of very different numbers: node u has (u + 1)^3 times a wave. */
static double *draw_target(int32_t nodes)
{
    double *target = calloc((size_t)nodes, sizeof *target);
    for (int32_t u = 0; u < nodes; u++)
        target[u] = pow(u + 1, 3) * (1.5 + sin(u));
    return target;
}

/* Ascending columns with the diagonal, sums 1, pi_x P_xy = pi_y P_yx, pi > 0 of sum 1. */
static void assert_reversible(net n)
{
    const netdp_rows rows = netdp_transition_rows(n.law);
    const double *pi = netdp_transition_stationary(n.law);
    double total = 0;
    assert_int_equal(rows.nodes, netdp_graph_nodes(n.graph));
    for (int32_t u = 0; u < rows.nodes; u++) {
        double sum = 0;
        bool loop = false;
        assert_int_equal(rows.start[u + 1] - rows.start[u], netdp_graph_degree(n.graph, u) + 1);
        for (int64_t i = rows.start[u]; i < rows.start[u + 1]; i++) {
            const int32_t v = rows.column[i];
            assert_true(i == rows.start[u] || rows.column[i - 1] < v);
            assert_true(rows.weight[i] >= 0);
            assert_true(v == u || rows.weight[i] > 0);
            assert_close(pi[u] * rows.weight[i], pi[v] * entry(rows, v, u), 0, 1e-14);
            loop = loop || v == u;
            sum += rows.weight[i];
        }
        assert_true(loop);
        assert_close(sum, 1, 1e-12, 0);
        assert_true(pi[u] > 0);
        total += pi[u];
    }
    assert_close(total, 1, 1e-12, 0);
}

static void test_laws_are_reversible(void **state)
{
    (void)state;
    static const char *const families[] = {"path 2",     "star 400",    "ring 9",
                                           "florentine", "davis",       "grid 5 7",
                                           "complete 8", "caveman 4 5", "barabasi-albert 200 3"};
    static const char *const laws[] = {"metropolis", "hamilton", "lazy:0.3:max-degree",
                                       "hastings:degree", "hastings:uniform"};
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
            net n = walk_on(family(families[f]), laws[i]);
            assert_string_equal(netdp_transition_name(n.law), laws[i]);
            assert_ptr_equal(netdp_transition_graph(n.law), n.graph);
            assert_reversible(n);
            drop(n);
        }
        net n = {.graph = family(families[f])};
        double *target = draw_target(netdp_graph_nodes(n.graph));
        assert_ok(netdp_transition_toward(n.graph, target, &n.law, &error));
        assert_reversible(n);
        drop(n);
        free(target);
    }
}

/* Every entry from the definition, acceptance by acceptance. */
static void test_hastings_is_as_defined(void **state)
{
    (void)state;
    net n = {.graph = family("karate")};
    const int32_t nodes = netdp_graph_nodes(n.graph);
    double *target = draw_target(nodes), total = 0;
    assert_ok(netdp_transition_toward(n.graph, target, &n.law, &error));
    const netdp_rows rows = netdp_transition_rows(n.law);
    for (int32_t u = 0; u < nodes; u++)
        total += target[u];
    for (int32_t u = 0; u < nodes; u++) {
        double stay = 1;
        const double degree = netdp_graph_degree(n.graph, u);
        for (int32_t k = 0; k < netdp_graph_degree(n.graph, u); k++) {
            const int32_t v = netdp_graph_neighbours(n.graph, u)[k];
            const double ratio = target[v] * degree / (target[u] * netdp_graph_degree(n.graph, v));
            const double move = (ratio < 1 ? ratio : 1) / degree;
            assert_close(entry(rows, u, v), move, 0, 1e-14);
            stay -= move;
        }
        assert_close(entry(rows, u, u), stay, 1e-14, 0);
        assert_close(netdp_transition_stationary(n.law)[u], target[u] / total, 0, 1e-13);
    }
    drop(n);
    free(target);
}

static void test_simple_random_walk(void **state)
{
    (void)state;
    static const char *const families[] = {"path 2", "star 50", "davis",
                                           "ring 7", "path 9",  "barabasi-albert 300 2"};
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        net n = walk_on(family(families[f]), "hastings:degree");
        const netdp_rows rows = netdp_transition_rows(n.law);
        const double ends = 2.0 * (double)netdp_graph_edges(n.graph);
        for (int32_t u = 0; u < rows.nodes; u++) {
            const int32_t degree = netdp_graph_degree(n.graph, u);
            for (int64_t i = rows.start[u]; i < rows.start[u + 1]; i++)
                assert_true(rows.weight[i] == (rows.column[i] == u ? 0 : 1.0 / degree));
            assert_close(netdp_transition_stationary(n.law)[u], degree / ends, 0, 1e-13);
        }
        drop(n);
    }
}

/* P_uv = 1 / max(d_u, d_v): Hamilton weights. */
static void test_uniform_target(void **state)
{
    (void)state;
    net uniform = walk_on(family("davis"), "hastings:uniform");
    net hamilton = walk_on(family("davis"), "hamilton");
    const netdp_rows a = netdp_transition_rows(uniform.law);
    const netdp_rows b = netdp_transition_rows(hamilton.law);
    for (int64_t i = 0; i < a.start[a.nodes]; i++)
        assert_close(a.weight[i], b.weight[i], 1e-15, 1e-14);
    for (int32_t u = 0; u < a.nodes; u++)
        assert_close(netdp_transition_stationary(uniform.law)[u], 1.0 / a.nodes, 0, 1e-14);
    drop(uniform);
    drop(hamilton);
}

/* By hand: path 0-1-2 towards 1 : 1 : 4; then by any factor, down to numbers without full precision
   and up to the largest. */
static void test_target_by_hand(void **state)
{
    (void)state;
    static const double factor[] = {1, 3, 0x1p1021, 0x1p-1074, 0x1p-1040};
    static const double want[3][3] = {{0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.125, 0.875}};
    for (size_t f = 0; f < sizeof factor / sizeof *factor; f++) {
        const double target[] = {factor[f], factor[f], 4 * factor[f]};
        net n = {.graph = family("path 3")};
        assert_ok(netdp_transition_toward(n.graph, target, &n.law, &error));
        for (int32_t u = 0; u < 3; u++) {
            for (int32_t v = 0; v < 3; v++)
                assert_close(entry(netdp_transition_rows(n.law), u, v), want[u][v], 0, 1e-15);
            assert_close(netdp_transition_stationary(n.law)[u], (u < 2 ? 1 : 4) / 6.0, 0, 1e-15);
        }
        drop(n);
    }
}

static void test_target_file(void **state)
{
    (void)state;
    static const char *const fine[] = {"1\n2\n4\n", "1\n2\n4", "1\r\n2\r\n4\r\n", "0.5\n1e0\n+2.0"};
    net hand = {.graph = family("path 3")};
    const double target[] = {1, 2, 4};
    assert_ok(netdp_transition_toward(hand.graph, target, &hand.law, &error));
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        put(fine[i], strlen(fine[i]));
        net n = walk_on(family("path 3"), target_law);
        const netdp_rows a = netdp_transition_rows(n.law), b = netdp_transition_rows(hand.law);
        assert_memory_equal(a.weight, b.weight, 7 * sizeof *a.weight);
        assert_string_equal(netdp_transition_name(n.law), target_law);
        drop(n);
    }
    drop(hand);
}

static void test_bad_targets(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        size_t length; /* 0: the text's */
    } bad[] = {
        {"1\n2\n", "/target: 2 numbers; there are 3 nodes", 0},
        {"", "/target: 0 numbers", 0},
        {"1\n2\n3\n4\n", "/target:4: '4'", 0},
        {"1\n2\n3\n\n", "/target:4: ''", 0},
        {"1\n\n2\n3\n", "/target:2: ''", 0},
        {"1\nx\n3\n", "/target:2: 'x'", 0},
        {"1\n2 \n3\n", "/target:2: '2 '", 0},
        {"1\nnan\n3\n", "/target:2: 'nan'", 0},
        {"1\n2\n0\n", "/target: mixing 'hastings': the target of node c is 0;", 0},
        {"-1\n2\n3\n", "the target of node a is -1;", 0},
        {"1\n1e999\n3\n", "the target of node b is inf;", 0},
        {"1e-150\n1\n1e51\n", "the targets of nodes a and c, 1e-150 and 1e+51,", 0},
        {"1\n2\n3\n\0x", "/target: has a NUL byte", 8},
    };
    netdp_graph *graph = list("a b\nb c\n");
    netdp_transition *law = NULL;
    const int64_t before = netdp_i_memory_live();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put(bad[i].text, bad[i].length > 0 ? bad[i].length : strlen(bad[i].text));
        assert_fails(netdp_transition_new(graph, target_law, &law, &error), NETDP_INVALID);
        if (strstr(error.text, bad[i].says) == NULL)
            fail_msg("%s: does not say: %s", error.text, bad[i].says);
        assert_null(law);
        assert_int_equal(netdp_transition_new(graph, target_law, &law, NULL), NETDP_INVALID);
    }
    unlink(target_file);
    assert_fails(netdp_transition_new(graph, target_law, &law, &error), NETDP_ENVIRONMENT);
    assert_fails(netdp_transition_new(graph, "hastings:", &law, &error), NETDP_ENVIRONMENT);
    assert_fails(netdp_transition_new(graph, "hastings", &law, &error), NETDP_INVALID);
    assert_fails(netdp_transition_new(graph, "metropoli", &law, &error), NETDP_INVALID);
    const double spoilt[] = {1, NAN, 1};
    assert_fails(netdp_transition_toward(graph, spoilt, &law, &error), NETDP_INVALID);
    assert_null(law);
    assert_int_equal(netdp_i_memory_live(), before);
    netdp_graph_free(graph);
}

/* Renamed nodes: the same law, renamed. */
static void test_relabelling(void **state)
{
    (void)state;
    static const int32_t to[] = {3, 0, 5, 1, 4, 2};
    static const int32_t edge[][2] = {{0, 1}, {0, 2}, {0, 3}, {3, 4}, {4, 5}, {5, 0}, {1, 2}};
    char given[128] = "", renamed[128] = "";
    double target[6], moved[6];
    for (int i = 0; i < 6; i++) { /* isolated first, so that numbers and names agree */
        sprintf(given + strlen(given), "%d\n", i);
        sprintf(renamed + strlen(renamed), "%d\n", i);
        moved[to[i]] = target[i] = 1 + i * i;
    }
    for (size_t e = 0; e < sizeof edge / sizeof *edge; e++) {
        sprintf(given + strlen(given), "%d %d\n", edge[e][0], edge[e][1]);
        sprintf(renamed + strlen(renamed), "%d %d\n", to[edge[e][0]], to[edge[e][1]]);
    }
    static const char *const laws[] = {"metropolis", "hastings:degree", "hastings:uniform", NULL};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        net a = {.graph = list(given)}, b = {.graph = list(renamed)};
        if (laws[i] != NULL) {
            assert_ok(netdp_transition_new(a.graph, laws[i], &a.law, &error));
            assert_ok(netdp_transition_new(b.graph, laws[i], &b.law, &error));
        } else {
            assert_ok(netdp_transition_toward(a.graph, target, &a.law, &error));
            assert_ok(netdp_transition_toward(b.graph, moved, &b.law, &error));
        }
        for (int32_t u = 0; u < 6; u++) {
            assert_close(netdp_transition_stationary(a.law)[u],
                         netdp_transition_stationary(b.law)[to[u]], 0, 1e-15);
            for (int32_t v = 0; v < 6; v++)
                assert_close(entry(netdp_transition_rows(a.law), u, v),
                             entry(netdp_transition_rows(b.law), to[u], to[v]), 1e-16, 1e-15);
        }
        drop(a);
        drop(b);
    }
}

static void test_who_can_walk(void **state)
{
    (void)state;
    static const struct {
        const char *text, *law, *says; /* NULL: fine */
    } table[] = {
        {"a b", "hamilton", NULL}, /* periodic */
        {"a b\nb c\nc d\nd a", "hastings:degree", NULL},
        {"a b", "hastings:uniform", NULL},
        {"a", "metropolis", "single node"},
        {"a", "hastings:degree", "single node"},
        {"a b\nc d", "metropolis", "not connected (2 components)"},
        {"a b\nc d", "hastings:uniform", "--giant-component"},
        {"a b\nc", "hastings:degree", "not connected"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        net n = walk_on(list(table[i].text), table[i].law);
        const netdp_token token = {.law = n.law, .steps = 1, .tokens = 1};
        assert_reversible(n); /* also where nobody can walk far */
        if (table[i].says == NULL) {
            assert_ok(netdp_transition_require(n.law, &error));
            assert_ok(netdp_token_check(&token, &error));
        } else {
            assert_fails(netdp_transition_require(n.law, &error), NETDP_INVALID);
            if (strstr(error.text, table[i].says) == NULL)
                fail_msg("%s: does not say: %s", error.text, table[i].says);
            assert_fails(netdp_token_check(&token, &error), NETDP_INVALID);
        }
        drop(n);
    }
}

static void test_tokens(void **state)
{
    (void)state;
    net n = walk_on(family("ring 5"), "metropolis");
    const netdp_token plain = {.law = n.law, .steps = 10, .tokens = 1};
    static const int32_t starts[] = {NETDP_START_UNIFORM, NETDP_START_OBSERVER, 0, 4};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        netdp_token token = plain;
        token.start = starts[i];
        assert_ok(netdp_token_check(&token, &error));
    }
    const struct {
        netdp_token token;
        const char *says;
    } bad[] = {
        {{.law = n.law, .steps = 0, .tokens = 1}, "rounds: 0"},
        {{.law = n.law, .steps = INT64_MIN, .tokens = 1}, "rounds: -9223372036854775808"},
        {{.law = n.law, .steps = 1000000000000001, .tokens = 1}, "rounds: 1000000000000001"},
        {{.law = n.law, .steps = 1, .burn_in = -1, .tokens = 1}, "burn-in: -1"},
        {{.law = n.law, .steps = 1, .burn_in = INT64_MAX, .tokens = 1}, "burn-in: 92233"},
        {{.law = n.law, .steps = 1, .cap = -1, .tokens = 1}, "cap: -1"},
        {{.law = n.law, .steps = 1, .tokens = 0}, "tokens: 0"},
        {{.law = n.law, .steps = 1, .tokens = -3}, "tokens: -3"},
        {{.law = n.law, .steps = 1, .start = 5, .tokens = 1}, "start: node 5"},
        {{.law = n.law, .steps = 1, .start = -3, .tokens = 1}, "start: node -3"},
        {{.law = n.law, .steps = 1, .start = INT32_MIN, .tokens = 1}, "start: node -2147483648"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_fails(netdp_token_check(&bad[i].token, &error), NETDP_INVALID);
        if (strstr(error.text, bad[i].says) == NULL)
            fail_msg("%s: does not say: %s", error.text, bad[i].says);
        assert_int_equal(netdp_token_check(&bad[i].token, NULL), NETDP_INVALID);
    }
    static const int64_t caps[][2] = {{0, 10}, {1, 1}, {9, 9}, {10, 10}, {11, 10}, {INT64_MAX, 10}};
    for (size_t i = 0; i < sizeof caps / sizeof *caps; i++) {
        netdp_token token = plain;
        token.cap = caps[i][0];
        assert_ok(netdp_token_check(&token, &error));
        assert_int_equal(netdp_token_contributions(&token), caps[i][1]);
    }
    drop(n);
}

static void test_running_out_of_memory(void **state)
{
    (void)state;
    netdp_graph *graph = family("karate");
    char text[256] = "";
    for (int i = 0; i < 34; i++)
        sprintf(text + strlen(text), "%d\n", i + 1);
    put(text, strlen(text));
    const char *const laws[] = {"metropolis", "hastings:degree", target_law};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
        for (sweep s = {.least = 5}; sweep_next(&s);) {
            netdp_transition *law = NULL;
            s.status = netdp_transition_new(graph, laws[i], &law, &error);
            assert_true((law != NULL) == (s.status == NETDP_OK));
            netdp_transition_free(law);
        }
    netdp_transition_free(NULL);
    netdp_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws_are_reversible),   cmocka_unit_test(test_hastings_is_as_defined),
        cmocka_unit_test(test_simple_random_walk),    cmocka_unit_test(test_uniform_target),
        cmocka_unit_test(test_target_by_hand),        cmocka_unit_test(test_target_file),
        cmocka_unit_test(test_bad_targets),           cmocka_unit_test(test_relabelling),
        cmocka_unit_test(test_who_can_walk),          cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_running_out_of_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}

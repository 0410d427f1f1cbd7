/*
 * What noise in pairs hides from whoever sees everything, [D^-1]_uu, by the inverse that observers
 * share and by columns found one by one (docs/proofs/pairs.md): the same.
 */
#include "net.h"
#include "weigh.h"

#include "account/observe/pairing.h"
#include "graph/graph.h"
#include "protocol/pairing.h"

static void test_columns_equal_the_inverse(void **state)
{
    (void)state;
    static const char *const graphs[] = {"davis", "hypercube 6", "regular 200 6", "ring 40",
                                         "star 30"};
    static const int32_t observers[] = {0, 3, 17},
                         from[] = {1, 2, 5, 7, 11, 12, 16, 18, 20, 28, 29};
    enum { ASKED = sizeof from / sizeof *from };
    double below = 0, above = 0, near_above = 0;
    for (size_t g = 0; g < sizeof graphs / sizeof *graphs; g++)
        for (int seen = 0; seen <= 3; seen++)
            for (double kappa = 0.1; kappa < 2000; kappa *= 10) {
                net n = family(graphs[g]);
                const netdp_pairing pairing = {.graph = n.graph, .kappa = kappa};
                netdp_i_paired shared;
                double dense[ASKED], iterated[ASKED], near[ASKED];
                assert_ok(
                    netdp_i_paired_new(&pairing, netdp_graph_nodes(n.graph), &shared, &error));
                netdp_i_paired columns = {.pairing = &pairing, .nodes = shared.nodes};
                assert_ok(netdp_i_paired_loss(&shared, observers, seen, from, ASKED, dense, NULL,
                                              &error));
                assert_ok(netdp_i_paired_loss(&columns, observers, seen, from, ASKED, iterated,
                                              NULL, &error));
                /* Columns without observers, which many observers share, made better near each. */
                assert_ok(netdp_i_paired_share(&columns, from, ASKED, NULL, &error));
                assert_non_null(columns.column);
                assert_ok(netdp_i_paired_loss(&columns, observers, seen, from, ASKED, near, NULL,
                                              &error));
                netdp_i_paired_clear(&columns);
                for (int i = 0; i < ASKED; i++) {
                    below = fmax(below, 1 - near[i] / dense[i]);
                    near_above = fmax(near_above, near[i] / dense[i] - 1);
                    assert_true(dense[i] > 0 && dense[i] <= 1 && iterated[i] <= 1);
                    below = fmax(below, 1 - iterated[i] / dense[i]);
                    above = fmax(above, iterated[i] / dense[i] - 1);
                }
                netdp_i_paired_clear(&shared);
                net_drop(n);
            }
    print_message("columns: %.2g below the inverse, %.2g above; shared ones %.2g above\n", below,
                  above, near_above);
    assert_true(near_above <= 1.001e-3);
    /* Both are upper bounds; at kappa 1000 that of the updated inverse is the looser one. */
    assert_true(below <= 1e-7 && above <= 1e-9);
}

/* Pairs along the edges are the network's, in a graph of their own, with the weights that it has. */
static void test_pairs_along_edges(void **state)
{
    (void)state;
    const int32_t edge[] = {4, 1, 0, 3, 1, 0, 2, 4};
    const double weight[] = {0.5, 2, 3, 0.25};
    for (int weighted = 0; weighted < 2; weighted++) {
        const netdp_edge_list list = {
            .nodes = 5, .count = 4, .pair = edge, .weight = weighted != 0 ? weight : NULL};
        netdp_graph *network = NULL, *pairs = NULL;
        assert_ok(netdp_graph_from_list(&list, &network, NULL, &error));
        assert_ok(netdp_pairing_graph("edges", network, 1, &pairs, &error));
        assert_int_equal(netdp_graph_nodes(pairs), 5);
        assert_int_equal(netdp_graph_edges(pairs), 4);
        assert_string_equal(netdp_graph_origin(pairs), "edges");
        for (int32_t v = 0; v < 5; v++) {
            const int32_t degree = netdp_graph_degree(network, v);
            assert_int_equal(netdp_graph_degree(pairs, v), degree);
            assert_memory_equal(netdp_graph_neighbours(pairs, v),
                                netdp_graph_neighbours(network, v), (size_t)degree * sizeof *edge);
            assert_true((netdp_i_graph_weights(pairs, v) != NULL) == (weighted != 0));
            if (weighted != 0)
                assert_memory_equal(netdp_i_graph_weights(pairs, v),
                                    netdp_i_graph_weights(network, v),
                                    (size_t)degree * sizeof *weight);
        }
        netdp_graph_free(network);
        assert_int_equal(netdp_graph_neighbours(pairs, 4)[0], 1); /* its own */
        netdp_graph_free(pairs);
    }
}

/* Of a clique of m nodes that the observers leave: (1 + (m - 1) / (1 + kappa^2 m)) / m. */
static void test_a_clique_by_hand(void **state)
{
    (void)state;
    net n = family("complete 12");
    static const int32_t observers[] = {3, 7}, from[] = {0};
    for (double kappa = 0.01; kappa < 1e5; kappa *= 7) {
        const netdp_pairing pairing = {.graph = n.graph, .kappa = kappa};
        netdp_i_paired shared;
        double loss;
        assert_ok(netdp_i_paired_new(&pairing, 12, &shared, &error));
        netdp_i_paired columns = {.pairing = &pairing, .nodes = 12};
        for (int seen = 0; seen <= 2; seen++)
            for (int way = 0; way < 2; way++) {
                const double m = 12 - seen, truth = (1 + (m - 1) / (1 + kappa * kappa * m)) / m;
                assert_ok(netdp_i_paired_loss(way == 0 ? &shared : &columns, observers, seen, from,
                                              1, &loss, NULL, &error));
                assert_true(loss >= truth * (1 - 1e-15) && loss <= truth * (1 + 1e-9));
            }
        netdp_i_paired_clear(&shared);
    }
    net_drop(n);
}

/* All nodes at once, where twins are asked about once, and each alone. */
static void test_twins_are_told_apart_by_nothing(void **state)
{
    (void)state;
    static const char *const graphs[] = {"star 30", "complete 12", "caveman 5 6", "florentine",
                                         "star 700"};
    static const int32_t observers[] = {4, 0};
    for (size_t g = 0; g < sizeof graphs / sizeof *graphs; g++)
        for (int seen = 0; seen <= 2; seen++) {
            net n = family(graphs[g]);
            const int32_t count = netdp_graph_nodes(n.graph);
            const netdp_pairing pairing = {.graph = n.graph, .kappa = 3};
            netdp_i_paired shared;
            int32_t from[700];
            double all[700];
            for (int32_t v = 0; v < count; v++)
                from[v] = v;
            assert_ok(netdp_i_paired_new(&pairing, count, &shared, &error));
            assert_int_equal(shared.few, count > 500);
            assert_ok(
                netdp_i_paired_loss(&shared, observers, seen, from, count, all, NULL, &error));
            for (int32_t v = 0; v < count && v < 40; v++) {
                double alone;
                if (v == 4 || v == 0)
                    continue;
                assert_ok(netdp_i_paired_loss(&shared, observers, seen, &from[v], 1, &alone, NULL,
                                              &error));
                assert_true(fabs(all[v] - alone) <= 1e-9 * alone);
            }
            netdp_i_paired_clear(&shared);
            net_drop(n);
        }
}

/* [D^-1]_uu without the observers, by elimination in long double. */
static double eliminated(const netdp_pairing *pairing, const int32_t *observers, int count,
                         int32_t u)
{
    enum { MOST = 64 };
    static long double d[MOST][MOST + 1];
    const int32_t n = netdp_graph_nodes(pairing->graph);
    bool out[MOST] = {false};
    memset(d, 0, sizeof d);
    for (int i = 0; i < count; i++)
        out[observers[i]] = true;
    for (int32_t v = 0; v < n; v++) {
        d[v][v] += 1;
        d[v][n] = v == u;
        for (int32_t i = 0; i < netdp_graph_degree(pairing->graph, v); i++) {
            const int32_t w = netdp_graph_neighbours(pairing->graph, v)[i];
            const long double kappa = netdp_i_pairing_kappa(pairing, v, i);
            if (out[v] || out[w])
                continue;
            d[v][v] += kappa * kappa;
            d[v][w] -= kappa * kappa;
        }
    }
    for (int32_t p = 0; p < n; p++)
        for (int32_t v = 0; v < n; v++) {
            const long double by = v == p ? 0 : d[v][p] / d[p][p];
            for (int32_t w = p; by != 0 && w <= n; w++)
                d[v][w] -= by * d[p][w];
        }
    return (double)(d[u][n] / d[u][u]);
}

/* Pairs that are not equally loud: by the inverse that observers share, by their own, and in networks with twins. */
static void test_weights_by_elimination(void **state)
{
    (void)state;
    static const char *const graphs[] = {"hypercube 6", "star 30", "complete 12", "karate",
                                         "ring 40"};
    static const int32_t observers[] = {3, 7, 9};
    for (int k = 0; k < 30; k++) {
        net n = family(graphs[k % 5]);
        const int32_t count = netdp_graph_nodes(n.graph);
        netdp_graph *pairs = NULL;
        netdp_i_paired shared;
        int32_t from[64];
        double loss[64];
        assert_ok(netdp_pairing_graph("edges", n.graph, 1, &pairs, &error));
        pairs = weigh(pairs, 0, k);
        assert_non_null(pairs);
        const netdp_pairing pairing = {
            .graph = pairs, .kappa = pow(10, k % 3 - 1), .weighted = true};
        for (int32_t v = 0; v < count; v++)
            from[v] = v;
        assert_ok(netdp_i_paired_new(&pairing, count, &shared, &error));
        for (int seen = 0; seen <= 3; seen++) {
            assert_ok(
                netdp_i_paired_loss(&shared, observers, seen, from, count, loss, NULL, &error));
            for (int32_t u = 0; u < count; u++) {
                if (seen > 0 && (u == 3 || (seen > 1 && u == 7) || (seen > 2 && u == 9)))
                    continue;
                const double truth = eliminated(&pairing, observers, seen, u);
                assert_true(loss[u] >= truth * (1 - 1e-15) && loss[u] <= truth * (1 + 1e-9));
            }
        }
        netdp_i_paired_clear(&shared);
        netdp_graph_free(pairs);
        net_drop(n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_equal_the_inverse),
        cmocka_unit_test(test_twins_are_told_apart_by_nothing),
        cmocka_unit_test(test_pairs_along_edges),
        cmocka_unit_test(test_a_clique_by_hand),
        cmocka_unit_test(test_weights_by_elimination),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

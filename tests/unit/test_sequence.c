/* Changing mixing matrices: what each round is, what the draws are, what is refused. */
#include "check.h"

#include <netdp/random.h>
#include <netdp/mixing.h>

typedef struct network {
    netdp_graph *graph;
    netdp_mixing *mixing;
} network;

static network make(const char *family, const char *weights)
{
    netdp_error error;
    network g = {0};
    assert_ok(netdp_graph_make(family, 3, true, &g.graph, NULL, &error));
    assert_ok(netdp_mixing_new(g.graph, weights, &g.mixing, &error));
    return g;
}

static void clear(network *g)
{
    netdp_mixing_free(g->mixing);
    netdp_graph_free(g->graph);
}

static double entry(netdp_rows rows, int32_t v, int32_t w)
{
    for (int64_t i = rows.start[v]; i < rows.start[v + 1]; i++)
        if (rows.column[i] == w)
            return rows.weight[i];
    return 0;
}

/* Symmetric, nonnegative, stochastic, columns ascending, and active exactly where an edge is. */
static void check_round(const netdp_round *round, int32_t nodes)
{
    const netdp_rows rows = round->rows;
    int32_t next = 0;
    assert_int_equal(rows.nodes, nodes);
    for (int32_t v = 0; v < nodes; v++) {
        double sum = 0;
        bool active = false;
        for (int64_t i = rows.start[v]; i < rows.start[v + 1]; i++) {
            assert_true(i == rows.start[v] || rows.column[i] > rows.column[i - 1]);
            assert_true(rows.weight[i] >= 0);
            assert_true(entry(rows, rows.column[i], v) == rows.weight[i]);
            sum += rows.weight[i];
            active = active || rows.column[i] != v;
        }
        assert_close(sum, 1, 1e-14, 0);
        if (active)
            assert_int_equal(round->active[next++], v);
        else
            assert_true(entry(rows, v, v) == 1);
    }
    assert_int_equal(next, round->active_count);
    assert_int_equal(2 * round->edges, rows.start[nodes] - nodes);
}

static const netdp_variation variations[] = {
    {.kind = NETDP_VARY_NEVER},
    {.kind = NETDP_VARY_EDGE, .seed = 5},
    {.kind = NETDP_VARY_NODES, .missing = 0.4, .seed = 5},
    {.kind = NETDP_VARY_EDGES, .missing = 0.4, .seed = 5},
    {.kind = NETDP_VARY_GRAPH, .probability = 0.3, .span = 2, .seed = 5},
};
enum { VARIATIONS = sizeof variations / sizeof *variations };

static const char *const families[] = {"star 7", "ring 9", "grid 3 4", "erdos-renyi 12 0.3"};
static const char *const rules[] = {"metropolis", "lazy:0.5:hamilton", "max-degree"};

static void test_every_round_is_symmetric_and_stochastic(void **state)
{
    (void)state;
    netdp_error error;
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (int k = 0; k < VARIATIONS; k++) {
            network g = make(families[f], rules[f % 3]);
            netdp_sequence *sequence = NULL;
            netdp_round round;
            assert_ok(netdp_sequence_new(g.mixing, &variations[k], &sequence, &error));
            for (int64_t t = 0; t < 20; t++) {
                assert_ok(netdp_sequence_round(sequence, t, &round, &error));
                check_round(&round, netdp_graph_nodes(g.graph));
                assert_true(variations[k].kind != NETDP_VARY_EDGE || round.edges == 1);
            }
            netdp_sequence_free(sequence);
            clear(&g);
        }
}

/* A round depends on the seed and on itself, not on what was read before; seeds differ. */
static void test_rounds_in_any_order(void **state)
{
    (void)state;
    netdp_error error;
    network g = make("erdos-renyi 12 0.3", "metropolis");
    for (int k = 1; k < VARIATIONS; k++) {
        netdp_variation other = variations[k];
        netdp_sequence *one = NULL, *two = NULL, *three = NULL;
        int different = 0;
        other.seed = 6;
        assert_ok(netdp_sequence_new(g.mixing, &variations[k], &one, &error));
        assert_ok(netdp_sequence_new(g.mixing, &variations[k], &two, &error));
        assert_ok(netdp_sequence_new(g.mixing, &other, &three, &error));
        for (int64_t t = 0; t < 12; t++) {
            netdp_round a, b, c;
            assert_ok(netdp_sequence_round(one, 11, &a, &error));
            assert_ok(netdp_sequence_round(one, t, &a, &error));
            assert_ok(netdp_sequence_round(two, t, &b, &error));
            assert_ok(netdp_sequence_round(three, t, &c, &error));
            assert_int_equal(a.edges, b.edges);
            for (int32_t v = 0; v < 12; v++)
                for (int32_t w = 0; w < 12; w++) {
                    assert_true(entry(a.rows, v, w) == entry(b.rows, v, w));
                    different += entry(a.rows, v, w) != entry(c.rows, v, w);
                }
        }
        assert_true(different > 0);
        netdp_sequence_free(one);
        netdp_sequence_free(two);
        netdp_sequence_free(three);
    }
    clear(&g);
}

/* Edges come with probability proportional to their weight: within 5 standard deviations. */
static void test_edges_are_drawn_by_their_weights(void **state)
{
    (void)state;
    enum { ROUNDS = 40000 };
    netdp_error error;
    network g = make("star 7", "metropolis"), h = make("grid 3 4", "metropolis");
    network *const both[] = {&g, &h};
    for (int i = 0; i < 2; i++) {
        static int seen[12][12];
        const int32_t n = netdp_graph_nodes(both[i]->graph);
        const netdp_rows rows = netdp_mixing_rows(both[i]->mixing);
        netdp_sequence *sequence = NULL;
        netdp_round round;
        double sum = 0;
        memset(seen, 0, sizeof seen);
        assert_ok(netdp_sequence_new(both[i]->mixing, &variations[1], &sequence, &error));
        for (int64_t t = 0; t < ROUNDS; t++) {
            assert_ok(netdp_sequence_round(sequence, t, &round, &error));
            assert_int_equal(round.active_count, 2);
            assert_true(entry(rows, round.active[0], round.active[1]) > 0);
            assert_true(entry(round.rows, round.active[0], round.active[1]) == 0.5);
            seen[round.active[0]][round.active[1]]++;
        }
        for (int32_t v = 0; v < n; v++)
            for (int32_t w = v + 1; w < n; w++)
                sum += entry(rows, v, w);
        for (int32_t v = 0; v < n; v++)
            for (int32_t w = v + 1; w < n; w++) {
                const double p = entry(rows, v, w) / sum;
                assert_close(seen[v][w], ROUNDS * p, 5 * sqrt(ROUNDS * p * (1 - p)), 0);
            }
        netdp_sequence_free(sequence);
    }
    clear(&g);
    clear(&h);
}

/* Dropout: how often, that a node loses all its edges at once, and where the weight goes. */
static void test_dropout_moves_weight_to_the_diagonals(void **state)
{
    (void)state;
    enum { ROUNDS = 4000 };
    netdp_error error;
    network g = make("grid 3 4", "metropolis");
    const netdp_rows full = netdp_mixing_rows(g.mixing);
    for (int k = 2; k <= 3; k++) {
        const double p = variations[k].missing, kept = k == 2 ? (1 - p) * (1 - p) : 1 - p;
        const double edges = (double)netdp_graph_edges(g.graph);
        netdp_sequence *sequence = NULL;
        netdp_round round;
        double seen = 0;
        assert_ok(netdp_sequence_new(g.mixing, &variations[k], &sequence, &error));
        for (int64_t t = 0; t < ROUNDS; t++) {
            assert_ok(netdp_sequence_round(sequence, t, &round, &error));
            seen += (double)round.edges;
            for (int32_t v = 0; v < 12; v++) {
                double moved = 0;
                for (int64_t i = full.start[v]; i < full.start[v + 1]; i++) {
                    const int32_t w = full.column[i];
                    const double now = entry(round.rows, v, w);
                    if (w != v && now == 0)
                        moved += full.weight[i];
                    else
                        assert_true(w == v || now == full.weight[i]);
                }
                assert_close(entry(round.rows, v, v), entry(full, v, v) + moved, 1e-15, 0);
            }
        }
        /* Edges of one round depend on each other: a generous bound on the spread. */
        assert_close(seen / ROUNDS / edges, kept, 5 * sqrt(0.25 / ROUNDS), 0);
        netdp_sequence_free(sequence);
    }
    clear(&g);
}

/* A redrawn graph: the mixing's own first, another every `span` rounds, edges of probability p. */
static void test_graphs_are_drawn_again(void **state)
{
    (void)state;
    enum { DRAWS = 400, NODES = 12 };
    netdp_error error;
    network g = make("erdos-renyi 12 0.3", "metropolis");
    const netdp_rows own = netdp_mixing_rows(g.mixing);
    netdp_variation v = {.seed = 5};
    netdp_sequence *sequence = NULL;
    netdp_round round;
    double edges = 0, before = -1;
    assert_ok(netdp_variation_redraw(g.graph, 3, &v, &error));
    assert_int_equal(v.kind, NETDP_VARY_GRAPH);
    assert_true(v.probability == 0.3 && v.span == 3 && v.seed == 5);
    assert_ok(netdp_sequence_new(g.mixing, &v, &sequence, &error));
    for (int64_t t = 0; t < 3; t++) {
        assert_ok(netdp_sequence_round(sequence, t, &round, &error));
        assert_ptr_equal(round.rows.weight, own.weight);
    }
    for (int64_t t = 3; t < 3 * DRAWS; t++) {
        assert_ok(netdp_sequence_round(sequence, t, &round, &error));
        assert_true(t % 3 == 0 || (double)round.edges == before);
        before = (double)round.edges;
        edges += t % 3 == 0 ? before : 0;
        for (int32_t i = 0; i < round.active_count; i++) {
            const int32_t u = round.active[i];
            for (int64_t j = round.rows.start[u]; j < round.rows.start[u + 1]; j++) {
                const int32_t w = round.rows.column[j];
                const int64_t mine = round.rows.start[u + 1] - round.rows.start[u];
                const int64_t other = round.rows.start[w + 1] - round.rows.start[w];
                const double most = (double)(mine > other ? mine : other);
                assert_true(w == u || fabs(round.rows.weight[j] - 1 / most) < 1e-15);
            }
        }
    }
    const double pairs = NODES * (NODES - 1) / 2.0;
    assert_close(edges / (DRAWS - 1) / pairs, 0.3, 5 * sqrt(0.21 / (DRAWS - 1) / pairs), 0);
    netdp_sequence_free(sequence);
    for (int end = 0; end < 2; end++) { /* no edge at all, and all of them */
        v.probability = end;
        assert_ok(netdp_sequence_new(g.mixing, &v, &sequence, &error));
        assert_ok(netdp_sequence_round(sequence, 3, &round, &error));
        assert_int_equal(round.edges, end * (int)pairs);
        check_round(&round, NODES);
        netdp_sequence_free(sequence);
    }
    clear(&g);
}

/* Every random family: another graph each time, of its own law, the same for the same seed. */
static void test_families_are_drawn_again(void **state)
{
    (void)state;
    static const struct {
        const char *family;
        int64_t edges; /* of every draw; -1: as they come */
    } drawn[] = {{"regular 12 4", 24},
                 {"barabasi-albert 12 2", -1},
                 {"geometric 12 0.5", -1},
                 {"k-out 12 2", -1},
                 {"stochastic-block 6,6 0.8,0.2;0.2,0.8", -1}};
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        netdp_error error;
        network g = make(drawn[i].family, "metropolis");
        netdp_variation v = {.seed = 5};
        netdp_sequence *one = NULL, *other = NULL;
        netdp_round round, again;
        int changes = 0;
        double before = 0;
        assert_ok(netdp_variation_redraw(g.graph, 1, &v, &error));
        assert_true(v.kind == NETDP_VARY_GRAPH && v.probability == -1 && v.span == 1);
        assert_ok(netdp_sequence_new(g.mixing, &v, &one, &error));
        assert_ok(netdp_sequence_new(g.mixing, &v, &other, &error));
        for (int64_t t = 0; t < 20; t++) {
            double place = 0; /* of all edges */
            assert_ok(netdp_sequence_round(one, t, &round, &error));
            assert_ok(netdp_sequence_round(other, t, &again, &error));
            check_round(&round, 12);
            assert_true(drawn[i].edges < 0 || round.edges == drawn[i].edges);
            assert_int_equal(round.edges, again.edges);
            for (int64_t k = 0; k < round.rows.start[12]; k++) {
                assert_int_equal(round.rows.column[k], again.rows.column[k]);
                place += (double)(k + 1) * round.rows.column[k];
            }
            changes += t > 0 && place != before;
            before = place;
        }
        assert_true(changes > 15);
        netdp_sequence_free(one);
        netdp_sequence_free(other);
        clear(&g);
    }
}

/* Dimensions in turn: after all of them every state is the mean, to the last bit of halves. */
static void test_one_peer(void **state)
{
    (void)state;
    netdp_error error;
    network g = make("hypercube 4", "metropolis"), no = make("torus 4 5", "metropolis");
    netdp_variation v = {.seed = 5};
    netdp_sequence *sequence = NULL;
    netdp_round round;
    double x[16], next[16];
    for (int i = 0; i < 16; i++)
        x[i] = i == 3;
    assert_ok(netdp_variation_one_peer(g.graph, &v, &error));
    assert_ok(netdp_sequence_new(g.mixing, &v, &sequence, &error));
    for (int64_t t = 0; t < 4; t++) {
        assert_ok(netdp_sequence_round(sequence, t, &round, &error));
        check_round(&round, 16);
        assert_int_equal(round.edges, 8);
        for (int32_t u = 0; u < 16; u++) {
            next[u] = 0;
            for (int64_t k = round.rows.start[u]; k < round.rows.start[u + 1]; k++)
                next[u] += round.rows.weight[k] * x[round.rows.column[k]];
        }
        memcpy(x, next, sizeof x);
    }
    for (int i = 0; i < 16; i++)
        assert_true(x[i] == 1.0 / 16);
    netdp_sequence_free(sequence);
    assert_fails(netdp_variation_one_peer(no.graph, &v, &error), NETDP_INVALID);
    assert_fails(netdp_sequence_new(no.mixing, &v, &sequence, &error), NETDP_INVALID);
    clear(&g);
    clear(&no);
}

/* E W_t = I - sum_e p_e L_e / 2 by hand: lambda(p) of the star and the ring. */
static void test_gap_of_one_edge_a_round(void **state)
{
    (void)state;
    netdp_error error;
    const struct {
        const char *family;
        double gap;
    } known[] = {
        /* complete: p = 1/C(n,2), L_G has eigenvalue n: n / (n (n-1)) */
        {"complete 6", 1.0 / 5},
        /* star: p = 1/(n-1), Laplacian eigenvalue 1 */
        {"star 7", 1.0 / 12},
        /* ring: p = 1/n, 2 - 2 cos(2 pi/n) */
        {"ring 9", (1 - cos(2 * M_PI / 9)) / 9},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (int r = 0; r < 2; r++) { /* what a lazy walk stays does not matter */
            network g = make(known[i].family, r == 0 ? "metropolis" : "lazy:0.3");
            netdp_spectrum spectrum;
            assert_ok(netdp_mixing_spectrum(g.mixing, NETDP_SPECTRAL_AUTO, &spectrum, &error));
            assert_close(netdp_variation_edge_gap(g.mixing, &spectrum), known[i].gap, 0, 1e-12);
            clear(&g);
        }
}

static void test_what_is_refused(void **state)
{
    (void)state;
    netdp_error error;
    network g = make("ring 9", "metropolis"), u = make("complete 5", "uniform");
    netdp_variation v = {0};
    const char *const bad[] = {
        "1", "-0.1", "edges:1", "nodes:0.1", "edges:", "0.5x", "nan", "inf", "", " 0.1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_fails(netdp_variation_dropout(bad[i], &v, &error), NETDP_INVALID);
    assert_ok(netdp_variation_dropout("0", &v, &error));
    assert_int_equal(v.kind, NETDP_VARY_NEVER);
    assert_ok(netdp_variation_dropout("edges:0.25", &v, &error));
    assert_true(v.kind == NETDP_VARY_EDGES && v.missing == 0.25);
    assert_fails(netdp_variation_redraw(g.graph, 1, &v, &error), NETDP_INVALID);
    v = (netdp_variation){.kind = NETDP_VARY_NODES, .missing = 1};
    assert_fails(netdp_variation_check(g.mixing, &v, &error), NETDP_INVALID);
    v.missing = NAN;
    assert_fails(netdp_variation_check(g.mixing, &v, &error), NETDP_INVALID);
    v = (netdp_variation){.kind = NETDP_VARY_GRAPH, .probability = 0.5, .span = 0};
    assert_fails(netdp_variation_check(g.mixing, &v, &error), NETDP_INVALID);
    v.span = 1;
    assert_ok(netdp_variation_check(g.mixing, &v, &error));
    assert_fails(netdp_variation_check(u.mixing, &v, &error), NETDP_INVALID);
    clear(&g);
    clear(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_round_is_symmetric_and_stochastic),
        cmocka_unit_test(test_rounds_in_any_order),
        cmocka_unit_test(test_edges_are_drawn_by_their_weights),
        cmocka_unit_test(test_dropout_moves_weight_to_the_diagonals),
        cmocka_unit_test(test_graphs_are_drawn_again),
        cmocka_unit_test(test_families_are_drawn_again),
        cmocka_unit_test(test_one_peer),
        cmocka_unit_test(test_gap_of_one_edge_a_round),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Guarantees over draws of a changing network: the confidence bound, and mixtures made with it. */
#include "check.h"

#include <netdp/account.h>

static netdp_error error;

typedef struct network {
    netdp_graph *graph;
    netdp_mixing *mixing;
} network;

static network make(const char *family)
{
    network g = {0};
    assert_ok(netdp_graph_make(family, 3, true, &g.graph, NULL, &error));
    assert_ok(netdp_mixing_new(g.graph, "metropolis", &g.mixing, &error));
    return g;
}

static void clear(network *g)
{
    netdp_mixing_free(g->mixing);
    netdp_graph_free(g->graph);
}

/* Of coins: the bound fails as seldom as it says, by exact binomial probabilities. */
static void test_confidence_bound_of_coins(void **state)
{
    (void)state;
    const double failures[] = {0.1, 1e-3, 1e-6};
    for (int f = 0; f < 3; f++)
        for (int n = 1; n <= 200; n = 3 * n + 1)
            for (double p = 0.001; p < 1; p = p < 0.5 ? 2 * p : (1 + p) / 2 + 1e-4) {
                double below = 0;
                for (int k = 0; k <= n; k++)
                    if (netdp_mean_at_most((double)k / n, n, failures[f]) < p)
                        below += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) +
                                     k * log(p) + (n - k) * log1p(-p));
                assert_true(below <= failures[f] * (1 + 1e-9));
            }
}

static void test_confidence_bound_by_hand(void **state)
{
    (void)state;
    /* mean 0: (1 - q)^n = f */
    assert_close(netdp_mean_at_most(0, 100, 1e-6), 1 - pow(1e-6, 0.01), 0, 1e-8);
    assert_true(netdp_mean_at_most(1, 100, 1e-6) == 1);
    double before = 1;
    for (int64_t n = 1; n < 1000000000; n *= 10) { /* tends to the mean from above */
        const double q = netdp_mean_at_most(0.3, n, 1e-6);
        assert_true(q > 0.3 && q <= before);
        before = q;
    }
    assert_close(before, 0.3, 3e-4, 0);
    /* q solves n KL = ln(1/f) */
    const double q = netdp_mean_at_most(0.3, 50, 1e-3);
    assert_close(50 * (0.3 * log(0.3 / q) + 0.7 * log(0.7 / (1 - q))), log(1e3), 0, 1e-6);
}

/* Where the bound is next to the mean: n (q - mean)^2 / (2 mean (1 - mean)) is ln(1/f) to 1e-4. */
static void test_confidence_bound_near_the_mean(void **state)
{
    (void)state;
    const double failure = 1 - 1e-9;
    for (double mean = 0.1; mean < 1; mean += 0.0937)
        for (int64_t n = 1000000; n <= 1000000000000; n *= 10) {
            const double off = netdp_mean_at_most(mean, n, failure) - mean;
            const double least = sqrt(-2 * log(failure) / (double)n * mean * (1 - mean));
            assert_true(off >= least * (1 - 1e-4));
            assert_true(off <= least * (1 + 1e-4) + 3e-9); /* 1e-9 is put on top */
        }
}

static netdp_losses *drawn(const netdp_loss_request *losses, int64_t draws, netdp_unit unit)
{
    netdp_losses *made = NULL;
    const netdp_drawn_request request = {
        .losses = losses, .draws = draws, .noise = 1.5, .unit = unit, .failure = 1e-6};
    assert_ok(netdp_losses_drawn(&request, NULL, &made, &error));
    return made;
}

/*
 * Against the mixture itself, as many draws know it: never below (up to the error of those), near
 * it with many draws, and never above local privacy.
 */
static void test_mixtures(void **state)
{
    (void)state;
    enum { MANY = 2000, FEW = 40, NODES = 5 };
    network g = make("ring 5");
    const netdp_unit units[] = {{NETDP_AS_RDP, 3}, {NETDP_AS_DP, 1e-3}};
    const int32_t to = 0;
    netdp_linear p = {.mixing = g.mixing,
                      .rounds = 6,
                      .noise.dither = 0.1,
                      .varying = {.kind = NETDP_VARY_EDGE, .seed = 77}};
    const netdp_loss_request request = {.protocol = &p, .to_count = 1, .to = &to};
    double mean[2][NODES] = {{0}};
    netdp_losses *few[2], *many[2];
    for (int k = 0; k < 2; k++) {
        few[k] = drawn(&request, FEW, units[k]);
        many[k] = drawn(&request, MANY, units[k]);
        assert_true(few[k]->final && few[k]->sound && !few[k]->certified);
    }
    /* The mixture from other draws: E e^{2 eps}, and E delta at the epsilon that came out. */
    for (uint64_t i = 0; i < MANY; i++) {
        netdp_losses *one = NULL;
        p.varying.seed = 1000 + i;
        assert_ok(netdp_losses_new(&request, NULL, &one, &error));
        for (int u = 1; u < NODES; u++) {
            double delta = 0;
            assert_ok(
                netdp_gdp_to_delta(sqrt(one->loss[u]) / 1.5, many[1]->loss[u], &delta, &error));
            mean[0][u] += exp(2 * 3 * one->loss[u] / (2 * 1.5 * 1.5)) / MANY;
            mean[1][u] += delta / MANY;
        }
        netdp_losses_free(one);
    }
    for (int u = 1; u < NODES; u++) {
        const double renyi = log(mean[0][u]) / 2;
        assert_true(many[0]->loss[u] >= renyi * 0.97 && many[0]->loss[u] <= renyi * 1.5);
        assert_true(mean[1][u] <= 1e-3 * 1.05 && mean[1][u] >= 0.3e-3);
        for (int k = 0; k < 2; k++) {
            assert_true(few[k]->loss[u] >= many[k]->loss[u] * 0.98);
            assert_true(few[k]->loss[u] <= few[k]->local);
        }
        assert_true(many[0]->loss[u] < 0.9 * many[0]->local || u == 1 || u == NODES - 1);
    }
    assert_true(isinf(few[0]->loss[0]));
    for (int k = 0; k < 2; k++) {
        netdp_losses_free(few[k]);
        netdp_losses_free(many[k]);
    }
    clear(&g);
}

/* No noise, and what has no mixture. */
static void test_edges_and_refusals(void **state)
{
    (void)state;
    network g = make("ring 5");
    netdp_linear p = {.mixing = g.mixing,
                      .rounds = 6,
                      .noise.dither = 0.1,
                      .varying = {.kind = NETDP_VARY_NODES, .missing = 0.5, .seed = 1}};
    netdp_loss_request losses = {.protocol = &p};
    netdp_drawn_request request = {
        .losses = &losses, .draws = 3, .unit = {NETDP_AS_RDP, 2}, .failure = 1e-6};
    netdp_losses *made = NULL;
    assert_ok(netdp_losses_drawn(&request, NULL, &made, &error));
    for (int i = 0; i < 25; i++)
        assert_true(isinf(made->loss[i]));
    netdp_losses_free(made);
    made = NULL;
    request.noise = 1;
    request.unit.currency = NETDP_AS_LOSS;
    assert_fails(netdp_losses_drawn(&request, NULL, &made, &error), NETDP_INVALID);
    request.unit.currency = NETDP_AS_RDP;
    request.draws = 0;
    assert_fails(netdp_losses_drawn(&request, NULL, &made, &error), NETDP_INVALID);
    request.draws = 3;
    losses.bound = NETDP_BOUND_PUBLISHED;
    assert_fails(netdp_losses_drawn(&request, NULL, &made, &error), NETDP_INVALID);
    losses.bound = NETDP_BOUND_AUTO;
    p.varying = (netdp_variation){0};
    assert_fails(netdp_losses_drawn(&request, NULL, &made, &error), NETDP_INVALID);
    assert_null(made);
    clear(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_confidence_bound_of_coins),
        cmocka_unit_test(test_confidence_bound_by_hand),
        cmocka_unit_test(test_confidence_bound_near_the_mean),
        cmocka_unit_test(test_mixtures),
        cmocka_unit_test(test_edges_and_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

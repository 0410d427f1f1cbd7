/*
 * Walks whose gradients are weighted (paper B, Algorithm 2): the account of a gradient of scale s
 * is that of noise sigma / s, for every pair its own.
 *
 * Draws come from fixed seeds. A Monte Carlo mean may be 4.5 standard errors off (chance 7e-6 each,
 * 10 of them).
 */
#include "walk_net.h"

#include <math.h>
#include <netdp/audit.h>
#include <netdp/walk.h>
#include <netdp/simulate.h>

#define ERRORS 4.5

enum { NODES = 8, STEPS = 60, RUNS = 20000 };

static const netdp_tracing silent = {.every = 1};

/* Two visits in three go to the first two nodes, so that the others' gradients are large. */
static const double target[NODES] = {8, 8, 1, 2, 1, 2, 1, 1};

static net open_weighted(const char *family)
{
    net n;
    assert_ok(netdp_graph_make(family, 1, true, &n.graph, NULL, &error));
    assert_ok(netdp_transition_toward(n.graph, target, &n.law, &error));
    n.rows = netdp_transition_rows(n.law);
    return n;
}

static netdp_token token_on(net n, bool weighted)
{
    return (netdp_token){.law = n.law,
                         .steps = STEPS,
                         .start = NETDP_START_UNIFORM,
                         .tokens = 1,
                         .weighted = weighted};
}

static netdp_losses *account(const netdp_token *token, netdp_bound bound, double noise,
                             netdp_unit unit)
{
    const netdp_walk_request request = {
        .token = token, .bound = bound, .noise = noise, .unit = unit};
    netdp_losses *losses = NULL;
    assert_ok(netdp_walk_losses_new(&request, NULL, &losses, &error));
    return losses;
}

static double of(const netdp_losses *losses, int32_t from, int32_t to)
{
    return losses->loss[to * NODES + from];
}

static void test_scales(void **state)
{
    (void)state;
    net n = open_weighted("complete 8");
    const netdp_token token = token_on(n, true), plain = token_on(n, false);
    double mean = 0;
    for (int32_t u = 0; u < NODES; u++) {
        assert_close(netdp_token_scale(&token, u), 24 / (NODES * target[u]), 1e-14, 0);
        assert_true(netdp_token_scale(&plain, u) == 1);
        mean += netdp_transition_stationary(n.law)[u] * netdp_token_scale(&token, u);
    }
    assert_close(mean, 1, 1e-14, 0); /* gradients of 1 have mean 1 over the walk */
    drop(n);
    /* Where the walk prefers nobody nothing is weighted. */
    n = open_net("hypercube 3", 1, "metropolis");
    const netdp_token even = token_on(n, true), as_ever = token_on(n, false);
    const netdp_unit rdp = {NETDP_AS_RDP, 2};
    netdp_losses *one = account(&even, NETDP_BOUND_EXCURSION, 4, rdp);
    netdp_losses *other = account(&as_ever, NETDP_BOUND_EXCURSION, 4, rdp);
    for (int32_t i = 0; i < NODES * NODES; i++)
        assert_true(one->loss[i] == other->loss[i]);
    netdp_losses_free(one);
    netdp_losses_free(other);
    drop(n);
}

/* One node's account is that of a walk without weights under its own noise. */
static void test_noise_of_each_node(void **state)
{
    (void)state;
    static const netdp_bound bounds[] = {NETDP_BOUND_EXCURSION, NETDP_BOUND_EXCURSION_LINEAR,
                                         NETDP_BOUND_LOCAL};
    static const netdp_unit units[] = {{NETDP_AS_RDP, 3}, {NETDP_AS_DP, 1e-5}};
    net n = open_weighted("hypercube 3");
    const netdp_token token = token_on(n, true), plain = token_on(n, false);
    for (size_t b = 0; b < 3; b++)
        for (size_t k = 0; k < 2; k++) {
            if (bounds[b] == NETDP_BOUND_EXCURSION_LINEAR && units[k].currency == NETDP_AS_DP)
                continue;
            netdp_losses *losses = account(&token, bounds[b], 5, units[k]);
            double most = 0;
            for (int32_t u = 0; u < NODES; u++) {
                netdp_losses *own =
                    account(&plain, bounds[b], 5 / netdp_token_scale(&token, u), units[k]);
                most = fmax(most, own->local);
                for (int32_t v = 0; v < NODES; v++)
                    if (v != u)
                        assert_close(of(losses, u, v), of(own, u, v), 0, 1e-9);
                netdp_losses_free(own);
            }
            assert_close(losses->local, most, 0, 1e-9);
            netdp_losses_free(losses);
        }
    drop(n);
}

/* ln E exp(theta c) / (alpha - 1) over simulated paths never lies above the account. */
static void test_paths(void **state)
{
    (void)state;
    const double sigma = 6, alpha = 2, theta = alpha * (alpha - 1) / (2 * sigma * sigma);
    net n = open_weighted("ring 8");
    const netdp_token token = token_on(n, true);
    const netdp_unit rdp = {NETDP_AS_RDP, alpha};
    netdp_losses *losses = account(&token, NETDP_BOUND_EXCURSION, sigma, rdp);
    static int32_t path[STEPS + 1];
    double sum[NODES] = {0}, square[NODES] = {0}, cost[NODES], model, zeros[NODES] = {0};
    const int32_t observer = 3;
    const netdp_walking still = {.values = zeros, .width = 1, .step = 1};
    for (uint64_t r = 0; r < RUNS; r++) {
        assert_ok(netdp_simulate_walk(&token, &still, (netdp_run_seed){7, r}, silent, &model, path,
                                      &error));
        assert_ok(netdp_realised_costs(&token, path, NETDP_REALISED_ABSORBED, 1, &observer, cost,
                                       &error));
        for (int32_t u = 0; u < NODES; u++) {
            const double paid = u == observer ? 0 : exp(theta * cost[u]);
            sum[u] += paid / RUNS;
            square[u] += paid * paid / RUNS;
        }
    }
    for (int32_t u = 0; u < NODES; u++) {
        if (u == observer)
            continue;
        const double spread = sqrt((square[u] - sum[u] * sum[u]) / RUNS);
        const double claimed = exp((alpha - 1) * of(losses, u, observer));
        assert_true(sum[u] <= claimed + ERRORS * spread);
        assert_true(sum[u] - 1 >= 0.4 * (claimed - 1)); /* and the account is not far above */
    }
    netdp_losses_free(losses);
    drop(n);
}

/* The attack finds more of a rarely visited node than its gradients without weight would tell. */
static void test_attack(void **state)
{
    (void)state;
    enum { FEW = 20000 };
    const double delta = 0.01;
    net n = open_weighted("complete 8");
    const netdp_token token = token_on(n, true), plain = token_on(n, false);
    const int32_t observer = 0, victim = 2;
    const netdp_walk_attack asked = {.token = &token,
                                     .count = 1,
                                     .observers = &observer,
                                     .victim = victim,
                                     .noise = 3,
                                     .runs = FEW,
                                     .seed = 5};
    double *scores = calloc(2 * FEW, sizeof *scores);
    netdp_evidence evidence;
    assert_ok(netdp_attack_walk(&asked, NULL, scores, &error));
    const netdp_scores worlds = {FEW, {scores, scores + FEW}};
    assert_ok(netdp_audit_scores(&worlds, 0.999, delta, &evidence, &error));
    const netdp_unit dp = {NETDP_AS_DP, delta};
    netdp_losses *claim = account(&token, NETDP_BOUND_EXCURSION, asked.noise, dp);
    netdp_losses *unweighted = account(&plain, NETDP_BOUND_EXCURSION, asked.noise, dp);
    assert_true(evidence.epsilon <= of(claim, victim, observer));
    assert_true(evidence.epsilon > of(unweighted, victim, observer));
    netdp_losses_free(claim);
    netdp_losses_free(unweighted);
    free(scores);
    drop(n);
}

/* With weights the walk finds the mean, without them the mean of those it visits. */
static void test_unbiased(void **state)
{
    (void)state;
    static const double values[NODES] = {1, 1, 0, 0, 0, 0, 0, 0};
    net n = open_weighted("complete 8");
    netdp_token weighted = token_on(n, true), plain = token_on(n, false);
    weighted.steps = plain.steps = 400000;
    const netdp_walking walking = {
        .values = values, .width = 1, .step = 0.001, .output = NETDP_WALK_AVERAGE};
    double fair, unfair;
    assert_ok(netdp_simulate_walk(&weighted, &walking, (netdp_run_seed){3, 0}, silent, &fair, NULL,
                                  &error));
    assert_ok(netdp_simulate_walk(&plain, &walking, (netdp_run_seed){3, 0}, silent, &unfair, NULL,
                                  &error));
    assert_close(fair, 0.25, 0.01, 0);
    assert_close(unfair, 2.0 / 3, 0.02, 0);
    drop(n);
}

/* What the release of the law costs is added, and its delta is taken away first. */
static void test_law_is_paid_for(void **state)
{
    (void)state;
    static const netdp_bound bounds[] = {NETDP_BOUND_EXCURSION, NETDP_BOUND_LOCAL};
    net n = open_weighted("ring 8");
    const netdp_token token = token_on(n, true);
    for (size_t b = 0; b < 2; b++) {
        netdp_walk_request request = {.token = &token,
                                      .bound = bounds[b],
                                      .noise = 5,
                                      .unit = {NETDP_AS_DP, 3e-6},
                                      .law_epsilon = 0.75,
                                      .law_delta = 2e-6};
        netdp_losses *paid = NULL,
                     *free_of = account(&token, bounds[b], 5, (netdp_unit){NETDP_AS_DP, 1e-6});
        assert_ok(netdp_walk_losses_new(&request, NULL, &paid, &error));
        for (int32_t i = 0; i < NODES * NODES; i++)
            if (i / NODES != i % NODES) {
                assert_true(paid->loss[i] >= free_of->loss[i] + 0.75);
                assert_close(paid->loss[i], free_of->loss[i] + 0.75, 0, 1e-9);
            }
        assert_close(paid->local, free_of->local + 0.75, 0, 1e-9);
        netdp_losses_free(paid);
        netdp_losses_free(free_of);
        /* Calibrated with it, it meets the whole target. */
        const netdp_target wanted = {
            .epsilon = 2, .unit = request.unit, .over = NETDP_OVER_WORST, .max_noise = 1e6};
        netdp_calibration calibration;
        assert_ok(netdp_walk_calibrate(&request, &wanted, NULL, &calibration, NULL, &error));
        assert_true(calibration.achieved.max <= 2 && calibration.achieved.max >= 0.999 * 2);
        request.unit = (netdp_unit){NETDP_AS_RDP, 2};
        assert_int_equal(netdp_walk_losses_new(&request, NULL, &paid, &error), NETDP_INVALID);
        request.unit = (netdp_unit){NETDP_AS_DP, 2e-6};
        assert_int_equal(netdp_walk_losses_new(&request, NULL, &paid, &error), NETDP_INVALID);
    }
    drop(n);
}

static void test_refused(void **state)
{
    (void)state;
    static const netdp_bound bounds[] = {NETDP_BOUND_WALK_PUBLISHED, NETDP_BOUND_PUBLISHED_LOG,
                                         NETDP_BOUND_FIRST_PASSAGE};
    net n = open_weighted("ring 8");
    const netdp_token token = token_on(n, true);
    for (size_t b = 0; b < 3; b++) {
        const netdp_walk_request request = {
            .token = &token, .bound = bounds[b], .noise = 1, .unit = {NETDP_AS_RDP, 2}};
        netdp_losses *losses = NULL;
        assert_int_equal(netdp_walk_losses_new(&request, NULL, &losses, &error), NETDP_INVALID);
        assert_null(losses);
    }
    drop(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scales),   cmocka_unit_test(test_noise_of_each_node),
        cmocka_unit_test(test_paths),    cmocka_unit_test(test_attack),
        cmocka_unit_test(test_unbiased), cmocka_unit_test(test_law_is_paid_for),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

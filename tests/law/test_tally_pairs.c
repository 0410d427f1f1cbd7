/*
 * Sums on the ring with noise in pairs, against the dense covariance of the tokens that observers
 * see: every noise of a node and of a pair is a source of its own, and contributions have all signs.
 */
#include "check.h"

#include <netdp/tally.h>
#include <netdp/simulate.h>

static netdp_error error;

enum { MOST_NODES = 12, MOST_PASSES = 4, MOST_TOKENS = 64, RUNS = 20000 };

/* ---- The oracle ---- */

typedef struct dense {
    const netdp_tally *tally;
    bool observes[MOST_NODES];
    int64_t seen[MOST_TOKENS]; /* the step at which a token is seen */
    int tokens;
    double covariance[MOST_TOKENS][MOST_TOKENS];
} dense;

static void list_tokens(dense *d, int32_t count, const int32_t *observers)
{
    const int64_t steps = netdp_tally_steps(d->tally);
    for (int32_t i = 0; i < count; i++)
        d->observes[observers[i]] = true;
    for (int64_t t = 0; t <= steps; t++)
        if (d->observes[t % d->tally->nodes] || (t == steps && d->tally->release))
            d->seen[d->tokens++] = t;
}

/* A source that enters the token with `amount` at step `from`, and with -amount at step `until`. */
static void add_source(dense *d, double amount, int64_t from, int64_t until)
{
    for (int i = 0; i < d->tokens; i++)
        for (int j = 0; j < d->tokens; j++) {
            const double one = (d->seen[i] > from) - (d->seen[i] > until);
            const double other = (d->seen[j] > from) - (d->seen[j] > until);
            d->covariance[i][j] += amount * amount * one * other;
        }
}

static void add_sources(dense *d)
{
    const netdp_tally *tally = d->tally;
    const int32_t n = tally->nodes;
    for (int64_t t = 0; t < netdp_tally_steps(tally); t++) {
        const int32_t v = (int32_t)(t % n);
        if (d->observes[v])
            continue;
        add_source(d, sqrt(netdp_tally_energy(tally, t, t + 1)), t, INT64_MAX);
        for (int32_t i = 0; i < netdp_graph_degree(tally->pairing.graph, v); i++) {
            const int32_t w = netdp_graph_neighbours(tally->pairing.graph, v)[i];
            if (w > v && !d->observes[w])
                add_source(d, tally->pairing.kappa, t, t - v + w);
        }
    }
}

/* c' C^-1 c for c = the tokens' shifts under `signs` of u's contributions; a ridge for tokens that
   carry nothing new. */
static double value_of(const dense *d, int32_t u, unsigned signs)
{
    long double l[MOST_TOKENS][MOST_TOKENS], x[MOST_TOKENS], sum = 0;
    for (int i = 0; i < d->tokens; i++) {
        x[i] = 0;
        for (int64_t p = 0; p < d->tally->passes; p++)
            if (d->seen[i] > p * d->tally->nodes + u)
                x[i] += signs >> p & 1 ? -1 : 1;
    }
    for (int i = 0; i < d->tokens; i++) {
        for (int j = 0; j <= i; j++) {
            long double rest = d->covariance[i][j] + (i == j ? 1e-15L : 0);
            for (int k = 0; k < j; k++)
                rest -= l[i][k] * l[j][k];
            l[i][j] = i == j ? sqrtl(rest) : rest / l[j][j];
        }
        for (int k = 0; k < i; k++)
            x[i] -= l[i][k] * x[k];
        x[i] /= l[i][i];
        sum += x[i] * x[i];
    }
    return (double)sum;
}

static double oracle(const netdp_tally *tally, int32_t u, int32_t count, const int32_t *observers)
{
    dense d = {.tally = tally};
    double most = 0;
    list_tokens(&d, count, observers);
    add_sources(&d);
    for (unsigned signs = 0; signs < 1u << tally->passes; signs++)
        most = fmax(most, value_of(&d, u, signs));
    return most;
}

/* ---- The account ---- */

static void account(const netdp_tally *tally, int32_t count, const int32_t *observers, double *loss)
{
    netdp_losses *losses = NULL;
    const netdp_tally_request request = {
        .tally = tally, .to_count = count, .to = observers, .coalition = count > 1};
    assert_ok(netdp_tally_losses_new(&request, NULL, &losses, &error));
    assert_true(losses->sound && losses->certified);
    for (int32_t u = 0; u < tally->nodes; u++)
        loss[u] = losses->loss[u];
    netdp_losses_free(losses);
}

static const struct {
    int32_t count, observer[4];
} parties[] = {{1, {0}},    {1, {5}},       {1, {9}},         {2, {3, 5}},
               {2, {0, 9}}, {3, {7, 2, 4}}, {4, {1, 2, 6, 8}}};

/* Every pair graph, schedule, release and coalition: the oracle's, and never below it. */
static void test_dense(void **state)
{
    (void)state;
    static const char *const families[] = {"ring 10", "complete 10", "regular 10 3", "star 10"};
    static const double noises[] = {0.3, 2, 30};
    int checked = 0;
    for (int f = 0; f < 4; f++) {
        netdp_graph *pairs = NULL;
        assert_ok(netdp_graph_make(families[f], 3, false, &pairs, NULL, &error));
        for (int i = 0; i < 3 * 3 * 2 * 3; i++)
            for (size_t p = 0; p < sizeof parties / sizeof *parties; p++) {
                const netdp_tally tally = {.nodes = 10,
                                           .passes = 1 + i / 18,
                                           .schedule = (netdp_tally_schedule)(i % 3),
                                           .noise = 1,
                                           .high = 1,
                                           .release = i / 3 % 2 == 1,
                                           .pairing = {.graph = pairs, .kappa = noises[i / 6 % 3]}};
                double loss[MOST_NODES];
                account(&tally, parties[p].count, parties[p].observer, loss);
                for (int32_t u = 0; u < 10; u++) {
                    bool observes = false;
                    for (int32_t k = 0; k < parties[p].count; k++)
                        observes |= parties[p].observer[k] == u;
                    if (observes)
                        continue;
                    const double want = oracle(&tally, u, parties[p].count, parties[p].observer);
                    if (want > 1e6) { /* by the ridge alone */
                        assert_true(isinf(loss[u]));
                        continue;
                    }
                    assert_close(loss[u], want, 1e-12, 1e-8);
                    assert_true(loss[u] >= want * (1 - 1e-11));
                    checked++;
                }
            }
        netdp_graph_free(pairs);
    }
    assert_true(checked > 9000);
}

/* No noise in pairs is the same bits as no pairs; more of it never tells more, nor more than local. */
static void test_monotone(void **state)
{
    (void)state;
    static const double noises[] = {0, 1e-3, 0.1, 1, 10, 1e3, 1e6};
    netdp_graph *pairs = NULL;
    assert_ok(netdp_graph_make("regular 12 4", 1, false, &pairs, NULL, &error));
    for (int schedule = 0; schedule < 3; schedule++)
        for (int release = 0; release < 2; release++) {
            const int32_t observers[] = {2, 7, 9};
            netdp_tally tally = {.nodes = 12,
                                 .passes = 4,
                                 .schedule = (netdp_tally_schedule)schedule,
                                 .noise = 2,
                                 .high = 1,
                                 .release = release == 1};
            double before[MOST_NODES], loss[MOST_NODES];
            account(&tally, 3, observers, before);
            for (int k = 0; k < 7; k++) {
                tally.pairing = (netdp_pairing){.graph = pairs, .kappa = noises[k]};
                account(&tally, 3, observers, loss);
                for (int32_t u = 0; u < 12; u++)
                    assert_true(k == 0 ? loss[u] == before[u]
                                       : loss[u] <= before[u] * (1 + 1e-5 * (k == 6)));
                for (int32_t u = 0; u < 12; u++)
                    assert_true(isinf(loss[u]) || schedule == 1 || loss[u] <= 4 * 12 + 1e-9);
                memcpy(before, loss, sizeof before);
            }
        }
    netdp_graph_free(pairs);
}

/* One pass, everything released, large noise: each component of what is left is one increment. */
static void test_limit(void **state)
{
    (void)state;
    const int32_t observers[] = {2, 7, 9};
    netdp_graph *pairs = NULL;
    assert_ok(netdp_graph_make("complete 12", 1, false, &pairs, NULL, &error));
    const netdp_tally tally = {.nodes = 12,
                               .passes = 1,
                               .noise = 2,
                               .high = 1,
                               .release = true,
                               .pairing = {.graph = pairs, .kappa = 1e6}};
    double loss[MOST_NODES];
    account(&tally, 3, observers, loss);
    for (int32_t u = 0; u < 12; u++)
        if (u != 2 && u != 7 && u != 9)
            assert_close(loss[u], 1.0 / 9, 0, 1e-5);
    netdp_graph_free(pairs);
}

/* Simulated: nothing of the pairs is left in the sum, what is between is as the estimate says. */
static void test_simulated(void **state)
{
    (void)state;
    enum { NODES = 8, STEPS = 2 * NODES };
    static double seen[STEPS + 1];
    static const double values[NODES] = {0.5, 0, 1, 0.25, 0.75, 0.5, 0.5, 1};
    double square[STEPS + 1] = {0}, predicted[STEPS + 1] = {0};
    netdp_graph *pairs = NULL;
    assert_ok(netdp_graph_make("regular 8 3", 2, false, &pairs, NULL, &error));
    const netdp_tally tally = {.nodes = NODES,
                               .passes = 2,
                               .schedule = NETDP_TALLY_SPREAD,
                               .noise = 0.5,
                               .high = 1,
                               .pairing = {.graph = pairs, .kappa = 3}};
    const netdp_tallying tallying = {&tally, values, 1, 0.95};
    for (int t = 1; t <= STEPS; t++) {
        int64_t open = 0;
        for (int32_t v = 0; v < t % NODES; v++)
            for (int32_t i = 0; i < netdp_graph_degree(pairs, v); i++)
                open += netdp_graph_neighbours(pairs, v)[i] >= t % NODES;
        predicted[t] = 0.25 * (netdp_tally_energy(&tally, 0, t) + 9 * (double)open);
    }
    for (uint64_t run = 0; run < RUNS; run++) {
        const netdp_tracing silent = {.every = 1};
        netdp_estimate estimate;
        double sum = 0;
        assert_ok(netdp_simulate_tally(&tallying, (netdp_run_seed){5, run}, silent, &estimate, NULL,
                                       NULL, seen, &error));
        for (int t = 1; t <= STEPS; t++) {
            sum += values[(t - 1) % NODES];
            square[t] += (seen[t] - sum) * (seen[t] - sum) / RUNS;
        }
        if (run == 0)
            assert_close(estimate.deviation, sqrt(predicted[STEPS]), 0, 1e-12);
    }
    for (int t = 1; t <= STEPS; t++)
        assert_close(square[t], predicted[t], 4 * predicted[t] * sqrt(2.0 / RUNS), 0);
    netdp_graph_free(pairs);
}

static void test_refused(void **state)
{
    (void)state;
    netdp_graph *pairs = NULL, *more = NULL;
    assert_ok(netdp_graph_make("ring 8", 2, false, &pairs, NULL, &error));
    assert_ok(netdp_graph_make("ring 9", 2, false, &more, NULL, &error));
    const netdp_tally good = {
        .nodes = 8, .passes = 2, .noise = 1, .high = 1, .pairing = {.graph = pairs, .kappa = 3}};
    netdp_tally bad[6] = {good, good, good, good, good, good};
    bad[0].mechanism = NETDP_LAPLACE;
    bad[1].graph = NETDP_TALLY_COMPLETE;
    bad[1].steps = 10;
    bad[2].pairing.graph = more;
    bad[3].pairing.kappa = -1;
    bad[4].pairing.graph = NULL;
    bad[5].mechanism = NETDP_DISCRETE_GAUSSIAN;
    bad[5].grid = 4;
    assert_ok(netdp_tally_check(&good, &error));
    for (int i = 0; i < 6; i++)
        assert_fails(netdp_tally_check(&bad[i], &error), NETDP_INVALID);
    /* More passes than can be accounted for together. */
    netdp_tally long_one = good;
    const int32_t observers[] = {2, 5};
    double loss[8];
    long_one.passes = INT64_C(100000000000);
    assert_fails(netdp_tally_realised(&long_one, NULL, 2, observers, loss, &error),
                 NETDP_NO_ANSWER);
    netdp_graph_free(pairs);
    netdp_graph_free(more);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense), cmocka_unit_test(test_monotone), cmocka_unit_test(test_limit),
        cmocka_unit_test(test_simulated), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

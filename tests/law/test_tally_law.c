/*
 * Laws of the accounts of tallies, and an audit: what an observer can tell from simulated or
 * enumerated views never exceeds what the account says.
 *
 * The audit of a claim (epsilon, delta) is delta(epsilon) = E max(0, 1 - e^{epsilon - L}), L the
 * log likelihood ratio of the view, u's values all high, against all low. Simulated means are
 * compared within 4 standard errors, all draws from fixed seeds: of about 60 comparisons one would
 * fail by chance with probability 60 * 3.2e-5 = 0.2 %.
 */
#include "check.h"

#include <netdp/random.h>
#include <netdp/tally.h>
#include <netdp/simulate.h>

#define ERRORS 4.0

static netdp_error error;
static const netdp_tracing silent = {.every = 1};

enum { MOST_NODES = 12, MOST_STEPS = 64 };

static double account(const netdp_tally *tally, netdp_bound bound, netdp_unit unit, int32_t u,
                      int32_t count, const int32_t *observers)
{
    netdp_losses *losses = NULL;
    double value;
    const netdp_tally_request request = {.tally = tally,
                                         .bound = bound,
                                         .shuffle = NETDP_SHUFFLE_BLANKET, /* the quickest */
                                         .unit = unit,
                                         .from_count = 1,
                                         .from = &u,
                                         .to_count = count,
                                         .to = observers,
                                         .coalition = count > 1};
    assert_ok(netdp_tally_losses_new(&request, NULL, &losses, &error));
    assert_true(losses->sound);
    if (losses->final)
        value = losses->loss[0];
    else
        assert_ok(netdp_loss_value(losses->loss[0], tally->noise, unit, &value, &error));
    netdp_losses_free(losses);
    assert_true(value >= 0); /* no NaN */
    return value;
}

static bool among(int32_t node, int32_t count, const int32_t *observers)
{
    for (int32_t i = 0; i < count; i++)
        if (observers[i] == node)
            return true;
    return false;
}

/* ---- Sums: simulated views ---- */

/* What the observers see of `increment` with k contributions of u, under `noises` full noises. */
static double likelihood(const netdp_tally *tally, double increment, double k, double energy)
{
    if (k == 0)
        return 0;
    if (tally->mechanism == NETDP_LAPLACE)
        return (fabs(increment) - fabs(increment - k)) / tally->noise;
    return (k * increment - k * k / 2) / (energy * tally->noise * tally->noise);
}

/* The log likelihood ratio of one run's view. Others' values are 0, u's are 1. */
static double ratio_of_run(const netdp_tally *tally, int32_t u, int32_t count,
                           const int32_t *observers, const int32_t *path, const double *seen)
{
    const int64_t steps = netdp_tally_steps(tally);
    const double units = tally->mechanism == NETDP_DISCRETE_GAUSSIAN ? tally->grid : 1;
    double sum = 0, k = 0, given = 0;
    int64_t from = 0, made = 0;
    for (int64_t t = 0; t <= steps; t++) {
        const bool there = among(path[t], count, observers);
        if (there || (t == steps && tally->release)) {
            sum +=
                likelihood(tally, (seen[t] - given) / units, k, netdp_tally_energy(tally, from, t));
            k = 0;
            from = t + 1;
            if (t < steps)
                given = seen[t + 1];
        }
        if (path[t] == u && t < steps && (tally->cap == 0 || made < tally->cap)) {
            k++;
            made++;
        }
    }
    return sum;
}

/* delta(epsilon) of the views, and its standard error. */
static double audit(const netdp_tally *tally, int32_t u, int32_t count, const int32_t *observers,
                    double epsilon, double *off)
{
    enum { RUNS = 20000 };
    double values[MOST_NODES] = {0}, seen[MOST_STEPS + 1], sum = 0, squares = 0;
    int32_t path[MOST_STEPS + 1];
    values[u] = 1;
    const netdp_tallying tallying = {tally, values, 1, 0.9};
    for (uint64_t run = 0; run < RUNS; run++) {
        netdp_estimate estimate;
        assert_ok(netdp_simulate_tally(&tallying, (netdp_run_seed){17, run}, silent, &estimate,
                                       NULL, path, seen, &error));
        const double ratio = ratio_of_run(tally, u, count, observers, path, seen);
        const double told = ratio > epsilon ? -expm1(epsilon - ratio) : 0;
        sum += told;
        squares += told * told;
    }
    *off = ERRORS * sqrt((squares / RUNS - pow(sum / RUNS, 2)) / RUNS) + 1e-4;
    return sum / RUNS;
}

static const struct {
    const char *what;
    netdp_tally tally;
    int32_t u, count, observers[3];
    bool tight;
} sums[] = {
    {"once", {.passes = 4, .schedule = NETDP_TALLY_ONCE, .noise = 3}, 2, 1, {5}, true},
    {"once, behind", {.passes = 4, .schedule = NETDP_TALLY_ONCE, .noise = 3}, 6, 1, {5}, true},
    {"once, start", {.passes = 4, .schedule = NETDP_TALLY_ONCE, .noise = 3}, 6, 1, {0}, true},
    {"spread", {.passes = 4, .schedule = NETDP_TALLY_SPREAD, .noise = 3}, 2, 1, {5}, true},
    {"spread, coalition",
     {.passes = 2, .schedule = NETDP_TALLY_SPREAD, .noise = 4},
     4,
     2,
     {2, 5},
     true},
    {"spread, release",
     {.passes = 3, .schedule = NETDP_TALLY_SPREAD, .noise = 4, .release = true},
     6,
     1,
     {4},
     true},
    {"every, three", {.passes = 4, .noise = 2}, 4, 3, {0, 2, 5}, true},
    {"Laplace",
     {.passes = 3, .schedule = NETDP_TALLY_ONCE, .mechanism = NETDP_LAPLACE, .noise = 3},
     2,
     1,
     {5},
     true},
    {"discrete Gaussian",
     {.passes = 3,
      .schedule = NETDP_TALLY_ONCE,
      .mechanism = NETDP_DISCRETE_GAUSSIAN,
      .noise = 2,
      .grid = 3},
     2,
     1,
     {5},
     true},
    {"complete", {.graph = NETDP_TALLY_COMPLETE, .steps = 60, .noise = 2}, 2, 1, {5}, false},
    {"complete, coalition, release",
     {.graph = NETDP_TALLY_COMPLETE, .steps = 40, .noise = 2, .release = true},
     2,
     3,
     {1, 5, 6},
     false},
    {"complete, capped",
     {.graph = NETDP_TALLY_COMPLETE, .steps = 60, .noise = 2, .cap = 3},
     2,
     2,
     {1, 5},
     false},
};
enum { SUMS = sizeof sums / sizeof *sums };

static void test_audit_of_sums(void **state)
{
    (void)state;
    for (int i = 0; i < SUMS; i++) {
        netdp_tally tally = sums[i].tally;
        const double delta = 0.03;
        double off;
        tally.nodes = 7;
        tally.high = 1;
        const double epsilon = account(&tally, NETDP_BOUND_AUTO, (netdp_unit){NETDP_AS_DP, delta},
                                       sums[i].u, sums[i].count, sums[i].observers);
        const double found =
            audit(&tally, sums[i].u, sums[i].count, sums[i].observers, epsilon, &off);
        print_message("%s: (%.4f, %g)-DP, found delta %.5f\n", sums[i].what, epsilon, delta, found);
        assert_true(found <= delta + off);
        if (sums[i].tight)
            assert_true(found >= delta * 0.98 - off);
        else
            assert_true(found > 0);
    }
}

/* ---- Histograms of two values: enumerated views ---- */

/* Numbers of ones in a run: with the low value of u, and with the high one. */
typedef struct counts {
    int size;
    double low[4 * MOST_NODES], high[4 * MOST_NODES];
} counts;

static void add_response(double *law, int size, double one)
{
    law[size] = 0;
    for (int j = size; j > 0; j--)
        law[j] = law[j] * (1 - one) + law[j - 1] * one;
    law[0] *= 1 - one;
}

static void add_element(counts *c, double low, double high)
{
    add_response(c->low, ++c->size, low);
    add_response(c->high, c->size, high);
}

/* delta of runs i, i + 1, .. with likelihoods so far. */
static double delta_of_runs(const counts *runs, int count, double low, double high, double epsilon)
{
    double sum = 0;
    if (count == 0)
        return fmax(0, high - exp(epsilon) * low);
    for (int j = 0; j <= runs->size; j++)
        sum +=
            delta_of_runs(runs + 1, count - 1, low * runs->low[j], high * runs->high[j], epsilon);
    return sum;
}

/* The views of the ring, from its path alone; u has `first` and then 1 - `first`, others `other`.
 */
static double exact_delta(const netdp_tally *tally, int32_t u, int32_t count,
                          const int32_t *observers, int first, int other, double epsilon)
{
    counts runs[16] = {{.size = 0, .low = {1}, .high = {1}}};
    const double wrong = tally->flip / 2, right = 1 - wrong;
    const int64_t steps = netdp_tally_steps(tally);
    int made = 0;
    bool told = false; /* has u contributed to the run? */
    for (int64_t i = 0; !among(0, count, observers) && i < netdp_tally_fill(tally); i++)
        add_element(&runs[0], 0.5, 0.5);
    for (int64_t t = 0; t <= steps; t++) {
        const int32_t at = (int32_t)(t % tally->nodes);
        if (t < steps && !among(at, count, observers)) {
            const double one = other ? right : wrong;
            if (at == u)
                add_element(&runs[made], first ? right : wrong, first ? wrong : right);
            else
                add_element(&runs[made], one, one);
            told = told || at == u;
        } else if (t < steps || tally->release || at == observers[0] ||
                   among(at, count, observers)) {
            made += told; /* the others tell nothing */
            told = false;
            runs[made] = (counts){.size = 0, .low = {1}, .high = {1}};
        }
    }
    return delta_of_runs(runs, made, 1, 1, epsilon);
}

static void test_audit_of_histograms(void **state)
{
    (void)state;
    static const struct {
        int32_t nodes;
        int64_t passes, fill;
        double flip, delta;
        int32_t u, count, observers[3];
        bool release;
    } cases[] = {
        {9, 1, NETDP_TALLY_USUAL, 0.7, 0.05, 2, 1, {5}, false},
        {9, 1, NETDP_TALLY_USUAL, 0.7, 0.05, 0, 1, {1}, false}, /* the fill alone hides */
        {9, 1, 30, 0.7, 0.05, 3, 1, {0}, false},                /* it hides nothing from node 0 */
        {9, 1, 0, 0.7, 0.05, 0, 1, {1}, false},                 /* nothing hides */
        {8, 2, NETDP_TALLY_USUAL, 0.8, 0.05, 6, 1, {5}, true},
        {9, 1, 4, 0.8, 0.05, 3, 2, {1, 5}, false}, /* a run of three */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const netdp_tally tally = {.task = NETDP_TALLY_HISTOGRAM,
                                   .mechanism = NETDP_RANDOMISED_RESPONSE,
                                   .nodes = cases[i].nodes,
                                   .passes = cases[i].passes,
                                   .levels = 2,
                                   .flip = cases[i].flip,
                                   .fill = cases[i].fill,
                                   .release = cases[i].release};
        const netdp_unit unit = {NETDP_AS_DP, cases[i].delta};
        const double epsilon =
            account(&tally, NETDP_BOUND_AUTO, unit, cases[i].u, cases[i].count, cases[i].observers);
        const double local = account(&tally, NETDP_BOUND_LOCAL, unit, cases[i].u, cases[i].count,
                                     cases[i].observers);
        double worst = 0;
        for (int way = 0; way < 4; way++)
            worst = fmax(worst, exact_delta(&tally, cases[i].u, cases[i].count, cases[i].observers,
                                            way & 1, way >> 1, epsilon));
        print_message("%d: (%.4f, %g)-DP, local %.4f, found delta %.5f\n", (int)i, epsilon,
                      cases[i].delta, local, worst);
        assert_true(worst <= cases[i].delta);
        assert_true(epsilon <= local);
    }
}

/* ---- Monotone, and blind to names ---- */

static void test_monotone(void **state)
{
    (void)state;
    const int32_t observers[] = {5, 2, 0};
    const netdp_unit unit = {NETDP_AS_DP, 1e-5};
    for (int i = 0; i < SUMS; i++) {
        netdp_tally tally = sums[i].tally;
        double last = INFINITY, longer = 0, more = 0;
        tally.nodes = 7;
        tally.high = 1;
        for (double noise = 0; noise < 20; noise = noise * 2.5 + 0.5) {
            tally.noise = noise;
            const double epsilon = account(&tally, NETDP_BOUND_AUTO, unit, 4, 1, observers);
            assert_true(noise > 0 || isinf(epsilon));
            assert_true(epsilon <= last * (1 + 1e-3) + 1e-6);
            last = epsilon;
        }
        tally.noise = 3;
        for (int k = 1; k < 5; k++) {
            tally.passes = tally.passes > 0 ? k : 0;
            tally.steps = tally.steps > 0 ? 30 * k : 0;
            const double epsilon = account(&tally, NETDP_BOUND_AUTO, unit, 4, 1, observers);
            assert_true(epsilon >= longer * (1 - 1e-3) - 1e-6);
            longer = epsilon;
        }
        for (int32_t count = 1; count <= 3; count++) {
            const double epsilon = account(&tally, NETDP_BOUND_AUTO, unit, 4, count, observers);
            assert_true(epsilon >= more * (1 - 1e-3) - 1e-6);
            more = epsilon;
        }
        const double ends = account(&tally, NETDP_BOUND_AUTO, unit, 4, 3, observers);
        tally.release = true;
        assert_true(account(&tally, NETDP_BOUND_AUTO, unit, 4, 3, observers) >= ends * (1 - 1e-3));
    }
}

/* Turning the ring turns what one more pass costs; the start stays where it is. */
static void test_turned_ring(void **state)
{
    (void)state;
    const netdp_unit unit = {NETDP_AS_LOSS, 0};
    for (int schedule = 0; schedule < 2; schedule++)
        for (int release = 0; release < 2; release++) {
            netdp_tally tally = {.nodes = 9,
                                 .noise = 1,
                                 .high = 1,
                                 .release = release,
                                 .schedule = schedule ? NETDP_TALLY_SPREAD : NETDP_TALLY_EVERY};
            double want = 0;
            for (int32_t turn = 0; turn < 9; turn++) {
                const int32_t u = (3 + turn) % 9, to[] = {turn, (5 + turn) % 9};
                tally.passes = 4;
                const double before = account(&tally, NETDP_BOUND_EXACT, unit, u, 2, to);
                tally.passes = 5;
                const double after = account(&tally, NETDP_BOUND_EXACT, unit, u, 2, to);
                want = turn == 0 ? after - before : want;
                assert_close(after - before, want, 0, 1e-12);
            }
        }
}

/* Names of nodes do not matter on the complete graph. */
static void test_renamed_path(void **state)
{
    (void)state;
    enum { STEPS = 200, NODES = 9 };
    const netdp_tally tally = {.graph = NETDP_TALLY_COMPLETE,
                               .nodes = NODES,
                               .steps = STEPS,
                               .noise = 1,
                               .high = 1,
                               .cap = 20};
    int32_t path[STEPS + 1], renamed[STEPS + 1];
    const int32_t observers[] = {0, 4}, others[] = {3, 7};
    double loss[NODES], moved[NODES];
    netdp_stream stream = netdp_stream_at(3, NETDP_FOR_TEST, 0, 0);
    for (int t = 0; t <= STEPS; t++) {
        path[t] = (int32_t)netdp_stream_below(&stream, NODES);
        renamed[t] = (path[t] + 3) % NODES;
    }
    assert_ok(netdp_tally_realised(&tally, path, 2, observers, loss, &error));
    assert_ok(netdp_tally_realised(&tally, renamed, 2, others, moved, &error));
    for (int u = 0; u < NODES; u++)
        assert_close(moved[(u + 3) % NODES], loss[u], 0, 1e-14);
}

/* Realised paths: their mean Renyi loss is what the account of the random path says. */
static void test_realised_in_the_mean(void **state)
{
    (void)state;
    enum { RUNS = 20000, NODES = 6, STEPS = 60 };
    const netdp_tally tally = {
        .graph = NETDP_TALLY_COMPLETE, .nodes = NODES, .steps = STEPS, .noise = 4, .high = 1};
    const double alpha = 3, theta = alpha * (alpha - 1) / (2 * tally.noise * tally.noise);
    const double values[NODES] = {0};
    const netdp_tallying tallying = {&tally, values, 1, 0.9};
    const int32_t observer = 2;
    int32_t path[STEPS + 1];
    double loss[NODES], sum = 0, squares = 0;
    const double claimed = account(&tally, NETDP_BOUND_EXCURSION_LINEAR,
                                   (netdp_unit){NETDP_AS_RDP, alpha}, 4, 1, &observer);
    for (uint64_t run = 0; run < RUNS; run++) {
        netdp_estimate estimate;
        assert_ok(netdp_simulate_tally(&tallying, (netdp_run_seed){23, run}, silent, &estimate,
                                       NULL, path, NULL, &error));
        assert_ok(netdp_tally_realised(&tally, path, 1, &observer, loss, &error));
        sum += exp(theta * loss[4]);
        squares += exp(2 * theta * loss[4]);
    }
    const double mean = sum / RUNS, off = ERRORS * sqrt((squares / RUNS - mean * mean) / RUNS);
    assert_close(mean, exp((alpha - 1) * claimed), off, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_audit_of_sums), cmocka_unit_test(test_audit_of_histograms),
        cmocka_unit_test(test_monotone),      cmocka_unit_test(test_turned_ring),
        cmocka_unit_test(test_renamed_path),  cmocka_unit_test(test_realised_in_the_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

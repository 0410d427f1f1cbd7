/*
 * Simulated tallies: estimates without bias, deviations as predicted, intervals that cover.
 *
 * All draws come from fixed seeds, so a run is the same every time. Means, variances and rates are
 * compared within 4 standard errors: had the seeds been drawn anew, one of the 70 comparisons would
 * fail by chance with probability 70 * 6.3e-5 = 0.4 %.
 */
#include "check.h"

#include <netdp/simulate.h>

#define ERRORS 4.0
#define LEVEL 0.9

enum { RUNS = 10000, NODES = 8, DEPTH = 3, MOST_LEVELS = 4, MOST_STEPS = 64 };

static netdp_error error;
static const netdp_tracing silent = {.every = 1};

static const struct {
    const char *what;
    netdp_tally tally;
    double kurtosis; /* of the error, at most */
    bool exact;      /* the interval covers at its level, not above */
    bool at_most;    /* the deviation is a bound */
} cases[] = {
    {"Gaussian, once",
     {.passes = 5, .schedule = NETDP_TALLY_ONCE, .noise = 2, .low = -1, .high = 2},
     .kurtosis = 3,
     .exact = true},
    {"Gaussian, spread",
     {.passes = 5,
      .schedule = NETDP_TALLY_SPREAD,
      .noise = 2,
      .low = -1,
      .high = 2,
      .release = true},
     .kurtosis = 3,
     .exact = true},
    {"Laplace, once",
     {.passes = 1,
      .schedule = NETDP_TALLY_ONCE,
      .mechanism = NETDP_LAPLACE,
      .noise = 1,
      .low = 0,
      .high = 1},
     .kurtosis = 6,
     .exact = true},
    {"Laplace",
     {.passes = 1, .mechanism = NETDP_LAPLACE, .noise = 0.5, .low = 0, .high = 1},
     .kurtosis = 3.5,
     .exact = true},
    {"discrete Gaussian, on the grid",
     {.passes = 2,
      .schedule = NETDP_TALLY_ONCE,
      .mechanism = NETDP_DISCRETE_GAUSSIAN,
      .noise = 0.8,
      .low = 0,
      .high = 1,
      .grid = 4},
     .kurtosis = 3},
    {"discrete Gaussian, one step",
     {.passes = 2,
      .schedule = NETDP_TALLY_ONCE,
      .mechanism = NETDP_DISCRETE_GAUSSIAN,
      .noise = 0.5,
      .low = 0,
      .high = 1,
      .grid = 1},
     .kurtosis = 3.5,
     .at_most = true},
    {"complete, capped",
     {.graph = NETDP_TALLY_COMPLETE, .steps = 40, .cap = 4, .noise = 1, .low = 0, .high = 1},
     .kurtosis = 3,
     .exact = true},
    {"histogram on the ring",
     {.task = NETDP_TALLY_HISTOGRAM,
      .passes = 6,
      .mechanism = NETDP_RANDOMISED_RESPONSE,
      .levels = 3,
      .flip = 0.4,
      .fill = NETDP_TALLY_USUAL},
     .kurtosis = 3},
    {"complete histogram, capped",
     {.graph = NETDP_TALLY_COMPLETE,
      .task = NETDP_TALLY_HISTOGRAM,
      .steps = 60,
      .cap = 9,
      .mechanism = NETDP_RANDOMISED_RESPONSE,
      .levels = 4,
      .flip = 0.3,
      .fill = 5},
     .kurtosis = 3},
};
enum { CASES = sizeof cases / sizeof *cases };

/* On the grid of 4 steps, some of them beyond the bounds. */
static void make_values(const netdp_tally *tally, double *values)
{
    for (int i = 0; i < NODES * DEPTH; i++)
        values[i] = tally->task == NETDP_TALLY_HISTOGRAM ? i % 7 % tally->levels : i % 6 * 0.25;
}

/* What the contributions of a run add up to. */
static int64_t find_truth(const netdp_tally *tally, const double *values, const int32_t *path,
                          double *truth)
{
    int64_t count[NODES] = {0}, made = 0;
    memset(truth, 0, MOST_LEVELS * sizeof *truth);
    for (int64_t t = 0; t < netdp_tally_steps(tally); t++) {
        const int32_t u = path[t];
        if (tally->cap > 0 && count[u] == tally->cap)
            continue;
        const double value = values[u * DEPTH + count[u]++ % DEPTH];
        if (tally->task == NETDP_TALLY_HISTOGRAM)
            truth[(int)value]++;
        else
            truth[0] += fmin(fmax(value, tally->low), tally->high);
        made++;
    }
    return made;
}

static void test_estimates(void **state)
{
    (void)state;
    for (int c = 0; c < CASES; c++) {
        netdp_tally tally = cases[c].tally;
        double values[NODES * DEPTH], sum[MOST_LEVELS] = {0}, squares[MOST_LEVELS] = {0};
        double predicted[MOST_LEVELS] = {0}, covered[MOST_LEVELS] = {0};
        int32_t path[MOST_STEPS + 1];
        tally.nodes = NODES;
        assert_true(netdp_tally_steps(&tally) <= MOST_STEPS);
        make_values(&tally, values);
        const netdp_tallying tallying = {&tally, values, DEPTH, LEVEL};
        const int32_t width = netdp_tally_width(&tally);
        for (uint64_t run = 0; run < RUNS; run++) {
            netdp_estimate estimate[MOST_LEVELS];
            double truth[MOST_LEVELS];
            int64_t made;
            assert_ok(netdp_simulate_tally(&tallying, (netdp_run_seed){11, run}, silent, estimate,
                                           &made, path, NULL, &error));
            assert_int_equal(made, find_truth(&tally, values, path, truth));
            for (int32_t i = 0; i < width; i++) {
                const double off = estimate[i].value - truth[i];
                sum[i] += off;
                squares[i] += off * off;
                predicted[i] += estimate[i].deviation * estimate[i].deviation;
                covered[i] += estimate[i].low <= truth[i] && truth[i] <= estimate[i].high;
            }
        }
        for (int32_t i = 0; i < width; i++) {
            const double variance = squares[i] / RUNS, rate = covered[i] / RUNS;
            const double slack = ERRORS * sqrt(LEVEL * (1 - LEVEL) / RUNS);
            print_message("%s %d: mean %.4f, variance %.4f of %.4f, coverage %.4f\n", cases[c].what,
                          (int)i, sum[i] / RUNS, variance, predicted[i] / RUNS, rate);
            assert_close(sum[i] / RUNS, 0, ERRORS * sqrt(variance / RUNS), 0);
            const double part = variance / (predicted[i] / RUNS);
            const double off = ERRORS * sqrt((cases[c].kurtosis - 1) / RUNS);
            assert_true(part <= 1 + off);
            assert_true(part >= (cases[c].at_most ? 0.4 : 1 - off));
            assert_true(rate >= LEVEL - slack);
            assert_true(!cases[c].exact || rate <= LEVEL + slack);
        }
    }
}

/* ---- What happens on the way ---- */

typedef struct trace {
    int rows;
    netdp_trace_row last;
} trace;

static bool keep_row(void *context, const netdp_trace_row *row)
{
    trace *kept = context;
    kept->rows++;
    kept->last = *row;
    return row->step < 1000;
}

/* Without noise the token is the sum so far; on the ring every move is a message. */
static void test_tokens_and_traces(void **state)
{
    (void)state;
    netdp_tally tally = {.nodes = 5, .passes = 3, .low = 0, .high = 10};
    const double values[] = {1, 2, 3, 4, 20};
    const netdp_tallying tallying = {&tally, values, 1, LEVEL};
    netdp_estimate estimate;
    double seen[16], want = 0;
    int32_t path[16];
    int64_t made;
    trace kept = {0};
    const netdp_tracing tracing = {.every = 4, .trace = keep_row, .context = &kept};
    assert_ok(netdp_simulate_tally(&tallying, (netdp_run_seed){1, 2}, tracing, &estimate, &made,
                                   path, seen, &error));
    for (int t = 0; t <= 15; t++) {
        assert_int_equal(path[t], t % 5);
        assert_true(seen[t] == want);
        want += fmin(values[t % 5], 10);
    }
    assert_true(estimate.value == 60 && estimate.low == 60 && estimate.high == 60);
    assert_int_equal(made, 15);
    assert_int_equal(kept.rows, 4);
    assert_true(kept.last.step == 15 && kept.last.messages == 15 && kept.last.bytes == 120);
    assert_true(kept.last.objective == 0 && kept.last.accuracy == -1);
}

/* Equal seeds draw the same, others do not; the complete graph goes to every node alike. */
static void test_seeds(void **state)
{
    (void)state;
    const netdp_tally tally = {
        .graph = NETDP_TALLY_COMPLETE, .nodes = 4, .steps = 20000, .noise = 1, .low = 0, .high = 1};
    const double values[] = {0, 0, 1, 1};
    const netdp_tallying tallying = {&tally, values, 1, LEVEL};
    static int32_t path[20001];
    netdp_estimate one, two, other;
    double count[4] = {0}, chi = 0;
    const netdp_run_seed seed = {7, 1};
    assert_ok(netdp_simulate_tally(&tallying, seed, silent, &one, NULL, path, NULL, &error));
    static int32_t alone[20001];
    assert_ok(netdp_tally_path(tallying.tally, seed, alone, &error));
    assert_memory_equal(alone, path, sizeof path);
    assert_ok(netdp_simulate_tally(&tallying, seed, silent, &two, NULL, NULL, NULL, &error));
    assert_ok(netdp_simulate_tally(&tallying, (netdp_run_seed){7, 2}, silent, &other, NULL, NULL,
                                   NULL, &error));
    assert_true(one.value == two.value && one.value != other.value);
    for (int t = 0; t <= 20000; t++)
        count[path[t]]++;
    for (int u = 0; u < 4; u++)
        chi += pow(count[u] - 20001 / 4.0, 2) / (20001 / 4.0);
    assert_true(chi < 30.7); /* 1e-6 */
}

static void test_failures(void **state)
{
    (void)state;
    netdp_tally tally = {.nodes = 3, .passes = 400, .noise = 1, .low = 0, .high = 1};
    double values[] = {0, 1, 1};
    netdp_tallying tallying = {&tally, values, 1, LEVEL};
    netdp_estimate estimate = {.value = -7};
    const netdp_run_seed seed = {7, 1};
    trace kept = {0};
    const netdp_tracing stopping = {.every = 1, .trace = keep_row, .context = &kept};
    assert_fails(
        netdp_simulate_tally(&tallying, seed, stopping, &estimate, NULL, NULL, NULL, &error),
        NETDP_INTERRUPTED);
    values[1] = NAN;
    assert_fails(netdp_simulate_tally(&tallying, seed, silent, &estimate, NULL, NULL, NULL, &error),
                 NETDP_INVALID);
    values[1] = 1;
    tallying.level = 1;
    assert_fails(netdp_simulate_tally(&tallying, seed, silent, &estimate, NULL, NULL, NULL, &error),
                 NETDP_INVALID);
    tallying.level = LEVEL;
    tally.passes = INT64_C(1) << 32;
    assert_fails(netdp_simulate_tally(&tallying, seed, silent, &estimate, NULL, NULL, NULL, &error),
                 NETDP_INVALID);
    tally.passes = 1;
    assert_fails(netdp_simulate_tally(&tallying, (netdp_run_seed){1, UINT64_C(1) << 32}, silent,
                                      &estimate, NULL, NULL, NULL, &error),
                 NETDP_INVALID);
    tally.task = NETDP_TALLY_HISTOGRAM;
    tally.mechanism = NETDP_RANDOMISED_RESPONSE;
    tally.levels = 2;
    values[2] = 2;
    assert_fails(netdp_simulate_tally(&tallying, seed, silent, &estimate, NULL, NULL, NULL, &error),
                 NETDP_INVALID);
    assert_true(estimate.value == -7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_estimates),
        cmocka_unit_test(test_tokens_and_traces),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

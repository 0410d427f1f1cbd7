/*
 * The simulator does what the accountant accounts for: its errors, its noise, and what its real
 * messages tell.
 *
 * All draws come from fixed seeds, so a run is the same every time. Comparisons allow 5 standard
 * errors: had the seeds been drawn anew, one of about 200 comparisons would fail by chance with
 * probability 200 * 6e-7 = 1e-4.
 */
#include "check.h"

#include <lapacke.h>
#include <omp.h>
#include <netdp/account.h>
#include <netdp/noise.h>
#include <netdp/random.h>
#include <netdp/simulate.h>

#define ERRORS 5.0

static netdp_error error;

typedef struct net {
    netdp_graph *graph;
    netdp_mixing *mixing;
    int32_t nodes;
} net;

static net family(const char *name, const char *weights)
{
    net made = {NULL, NULL, 0};
    assert_ok(netdp_graph_make(name, 3, true, &made.graph, NULL, &error));
    assert_ok(netdp_mixing_new(made.graph, weights, &made.mixing, &error));
    made.nodes = netdp_graph_nodes(made.graph);
    return made;
}

static void net_drop(net n)
{
    netdp_mixing_free(n.mixing);
    netdp_graph_free(n.graph);
}

static netdp_linear averaging(net n, int64_t rounds, double dither)
{
    return (netdp_linear){.mixing = n.mixing, .rounds = rounds, .noise.dither = dither};
}

static const netdp_tracing silent = {.every = 1};

/* Values in [0, 1], the same in every run. */
static double *draw_values(int32_t count)
{
    double *values = calloc((size_t)count, sizeof *values);
    netdp_stream stream = netdp_stream_at(4, NETDP_FOR_TEST, 0, 0);
    for (int32_t i = 0; i < count; i++)
        values[i] = netdp_stream_uniform(&stream);
    return values;
}

/* x <- W^rounds x by sums over the rows. */
static void mix(net n, double *x, int32_t width, int64_t rounds)
{
    const netdp_rows rows = netdp_mixing_rows(n.mixing);
    const size_t bytes = (size_t)n.nodes * (size_t)width * sizeof *x;
    double *next = malloc(bytes);
    for (int64_t t = 0; t < rounds; t++) {
        memset(next, 0, bytes);
        for (int32_t u = 0; u < n.nodes; u++)
            for (int64_t i = rows.start[u]; i < rows.start[u + 1]; i++)
                for (int32_t j = 0; j < width; j++)
                    next[(int64_t)u * width + j] +=
                        rows.weight[i] * x[(int64_t)rows.column[i] * width + j];
        memcpy(x, next, bytes);
    }
    free(next);
}

/* Paper C, Algorithm 1: gamma of the matrix, from its spectral gap. */
static double gamma_of(net n)
{
    netdp_spectrum spectrum;
    assert_ok(netdp_mixing_spectrum(n.mixing, NETDP_SPECTRAL_DENSE, &spectrum, &error));
    const double gap = spectrum.gap;
    return 2 * (1 - sqrt(gap * (1 - gap / 4))) / pow(1 - gap / 2, 2);
}

/* x <- P_rounds(W) x: x_1 = W x_0, then x_{t+1} = gamma W x_t + (1 - gamma) x_{t-1}. */
static void mix_faster(net n, double *x, int32_t width, int64_t rounds)
{
    const int32_t size = n.nodes * width;
    const double gamma = gamma_of(n);
    double *before = malloc((size_t)size * sizeof *x), *now = malloc((size_t)size * sizeof *x);
    memcpy(before, x, (size_t)size * sizeof *x);
    mix(n, x, width, 1);
    for (int64_t t = 1; t < rounds; t++) {
        memcpy(now, x, (size_t)size * sizeof *x);
        mix(n, x, width, 1);
        for (int32_t i = 0; i < size; i++)
            x[i] = gamma * x[i] + (1 - gamma) * before[i];
        memcpy(before, now, (size_t)size * sizeof *x);
    }
    free(before);
    free(now);
}

/* Half the mean over nodes of the squared distance to the mean of `values`. */
static double objective(const double *result, const double *values, int32_t nodes, int32_t width)
{
    double sum = 0;
    for (int32_t j = 0; j < width; j++) {
        double mean = 0;
        for (int32_t u = 0; u < nodes; u++)
            mean += values[(int64_t)u * width + j] / nodes;
        for (int32_t u = 0; u < nodes; u++) {
            const double away = result[(int64_t)u * width + j] - mean;
            sum += away * away;
        }
    }
    return sum / (2.0 * nodes);
}

typedef struct moments {
    double sum, square;
    int64_t count;
} moments;

static void add(moments *m, double value)
{
    m->sum += value;
    m->square += value * value;
    m->count++;
}

static void assert_mean_within(moments m, double want, double errors, const char *what)
{
    const double mean = m.sum / (double)m.count;
    const double variance = (m.square - m.sum * mean) / (double)(m.count - 1);
    const double deviation = sqrt(variance / (double)m.count);
    if (!(fabs(mean - want) <= errors * deviation))
        fail_msg("%s: %.8g, want %.8g: %.2f standard errors", what, mean, want,
                 (mean - want) / deviation);
}

static void assert_mean(moments m, double want, const char *what)
{
    assert_mean_within(m, want, ERRORS, what);
}

/* ---- Without noise ---- */

static void test_no_noise_is_mixing(void **state)
{
    (void)state;
    static const char *const families[] = {"florentine", "ring 17", "star 9", "hypercube 4"};
    static const int64_t rounds[] = {1, 2, 9, 50};
    for (size_t f = 0; f < 4; f++)
        for (size_t t = 0; t < 4; t++)
            for (int32_t width = 1; width <= 70; width += 23) {
                net n = family(families[f], f % 2 == 0 ? "metropolis" : "lazy:0.3");
                double *values = draw_values(n.nodes * width);
                double *got = calloc((size_t)(n.nodes * width), sizeof *got);
                netdp_linear protocol = averaging(n, rounds[t], 0.3);
                protocol.accelerate = width % 2 == 0;
                assert_ok(netdp_simulate(&protocol, 0, values, width, (netdp_run_seed){1, 2},
                                         silent, got, &error));
                (protocol.accelerate ? mix_faster : mix)(n, values, width, rounds[t]);
                for (int32_t i = 0; i < n.nodes * width; i++)
                    assert_close(got[i], values[i], 1e-12, 0);
                free(values);
                free(got);
                net_drop(n);
            }
}

/* ---- The trace ---- */

typedef struct rows_seen {
    netdp_trace_row row[64];
    int count, stop_after;
} rows_seen;

static bool keep_row(void *context, const netdp_trace_row *row)
{
    rows_seen *seen = context;
    assert_true(seen->count < 64);
    seen->row[seen->count++] = *row;
    return seen->count != seen->stop_after;
}

static void test_trace(void **state)
{
    (void)state;
    net n = family("florentine", "metropolis");
    double *values = draw_values(2 * n.nodes), *result = calloc((size_t)(2 * n.nodes), 8);
    const netdp_linear protocol = averaging(n, 11, 0.2);
    const netdp_run_seed seed = {8, 3};
    rows_seen seen = {.count = 0};
    assert_ok(netdp_simulate(&protocol, 0.7, values, 2, seed,
                             (netdp_tracing){4, keep_row, &seen, NULL}, result, &error));
    static const int64_t steps[] = {0, 4, 8, 11};
    assert_int_equal(seen.count, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(seen.row[i].step, steps[i]);
        assert_close(seen.row[i].bytes, 8.0 * 2 * 2 * 20 * (double)steps[i], 0, 0);
        assert_close(seen.row[i].messages, 2.0 * 20 * (double)steps[i], 0, 0);
    }
    assert_close(seen.row[3].objective, objective(result, values, n.nodes, 2), 0, 1e-12);
    double mean[2] = {0, 0}, spread = 0;
    for (int32_t i = 0; i < 2 * n.nodes; i++)
        mean[i % 2] += result[i] / n.nodes;
    for (int32_t i = 0; i < 2 * n.nodes; i++)
        spread += (result[i] - mean[i % 2]) * (result[i] - mean[i % 2]) / n.nodes;
    assert_close(seen.row[3].consensus, sqrt(spread), 0, 1e-12);
    /* What is traced does not change what is computed; stopping leaves the result alone. */
    double *again = calloc((size_t)(2 * n.nodes), 8);
    assert_ok(netdp_simulate(&protocol, 0.7, values, 2, seed, silent, again, &error));
    assert_memory_equal(result, again, (size_t)(2 * n.nodes) * 8);
    for (int after = 1; after <= 4; after++) {
        seen = (rows_seen){.stop_after = after};
        memset(again, 0x5a, (size_t)(2 * n.nodes) * 8);
        memset(result, 0x5a, (size_t)(2 * n.nodes) * 8);
        assert_fails(netdp_simulate(&protocol, 0.7, values, 2, seed,
                                    (netdp_tracing){4, keep_row, &seen, NULL}, again, &error),
                     NETDP_INTERRUPTED);
        assert_memory_equal(result, again, (size_t)(2 * n.nodes) * 8);
        assert_int_equal(seen.count, after);
    }
    free(values);
    free(result);
    free(again);
    net_drop(n);
}

static void test_bad_requests(void **state)
{
    (void)state;
    net n = family("florentine", "metropolis");
    double *values = draw_values(n.nodes), *result = calloc((size_t)n.nodes, 8);
    const netdp_linear fine = averaging(n, 3, 0.1), none = averaging(n, 0, 0.1),
                       bad = averaging(n, 3, NAN), endless = averaging(n, (int64_t)1 << 40, 0.1);
    const netdp_run_seed seed = {1, 0}, beyond = {1, (uint64_t)1 << 32};
    static const double noise[] = {-1, NAN, INFINITY};
    for (int i = 0; i < 3; i++)
        assert_fails(netdp_simulate(&fine, noise[i], values, 1, seed, silent, result, &error),
                     NETDP_INVALID);
    assert_fails(netdp_simulate(&none, 1, values, 1, seed, silent, result, &error), NETDP_INVALID);
    assert_fails(netdp_simulate(&bad, 1, values, 1, seed, silent, result, &error), NETDP_INVALID);
    assert_fails(netdp_simulate(&endless, 1, values, 1, seed, silent, result, &error),
                 NETDP_INVALID);
    assert_fails(netdp_simulate(&fine, 1, values, 0, seed, silent, result, &error), NETDP_INVALID);
    assert_fails(netdp_simulate(&fine, 1, values, 1, beyond, silent, result, &error),
                 NETDP_INVALID);
    assert_fails(netdp_simulate(&fine, 1, values, 1, seed, (netdp_tracing){0}, result, &error),
                 NETDP_INVALID);
    free(values);
    free(result);
    net_drop(n);
}

/* ---- Seeds and threads ---- */

static void test_equal_seeds_give_equal_bytes(void **state)
{
    (void)state;
    net n = family("regular 300 4", "metropolis"); /* 300 * 40: the parallel path */
    const int32_t width = 40, size = n.nodes * width;
    double *values = draw_values(size);
    double *one = calloc((size_t)size, 8), *two = calloc((size_t)size, 8);
    const netdp_linear protocol = averaging(n, 5, 0.5);
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    assert_ok(
        netdp_simulate(&protocol, 1, values, width, (netdp_run_seed){6, 1}, silent, one, &error));
    omp_set_num_threads(2);
    assert_ok(
        netdp_simulate(&protocol, 1, values, width, (netdp_run_seed){6, 1}, silent, two, &error));
    omp_set_num_threads(threads);
    assert_memory_equal(one, two, (size_t)size * 8);
    static const netdp_run_seed others[] = {{6, 2}, {7, 1}, {1, 6}, {6, 0}, {6, 4294967295}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        int32_t equal = 0;
        assert_ok(netdp_simulate(&protocol, 1, values, width, others[i], silent, two, &error));
        for (int32_t k = 0; k < size; k++)
            equal += one[k] == two[k];
        assert_true(equal < 5);
    }
    free(values);
    free(one);
    free(two);
    net_drop(n);
}

/* ---- Errors ---- */

static void test_errors_are_as_predicted(void **state)
{
    (void)state;
    static const struct {
        const char *family, *weights;
        int64_t rounds;
        double dither, noise;
        int32_t width;
        double decay;
    } table[] = {
        {"florentine", "lazy:0.5", 12, 0.8, 1, 1, 1},
        {"ring 9", "hamilton", 6, 0.4, 1, 2, 0.5},
        {"florentine", "metropolis", 1, 0.5, 1, 1, 0},
        {"florentine", "metropolis", 12, 0, 0.3, 1, 0},
        {"florentine", "lazy:0.5", 12, 0.3, 2, 3, 0},
        {"ring 20", "metropolis", 40, 1, 0.5, 1, 0},
        {"star 9", "metropolis", 5, 0.1, 1, 2, 0},
        {"hypercube 4", "max-degree", 3, 2, 1, 1, 0},
        {"complete 6", "uniform", 7, 0.2, 4, 1, 0},
        {"path 2", "metropolis", 2, 0.1, 1, 66, 0},
        {"path 14", "lazy:0.2", 100, 0.02, 1e-3, 1, 0},
        {"ring 9", "hamilton", 6, 0.4, 1, 5, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        net n = family(table[i].family, table[i].weights);
        const int32_t width = table[i].width, size = n.nodes * width;
        double *values = draw_values(size), *result = calloc((size_t)size, 8), unit = 0;
        netdp_linear protocol = averaging(n, table[i].rounds, table[i].dither);
        moments error_of = {0}, mean_of = {0};
        protocol.noise.decay = table[i].decay;
        for (uint64_t r = 0; r < 4000; r++) {
            double mean = 0;
            assert_ok(netdp_simulate(&protocol, table[i].noise, values, width,
                                     (netdp_run_seed){21, r}, silent, result, &error));
            add(&error_of, objective(result, values, n.nodes, width));
            for (int32_t u = 0; u < n.nodes; u++)
                mean += (result[u * width] - values[u * width]) / n.nodes;
            add(&mean_of, mean);
        }
        memcpy(result, values, (size_t)size * 8);
        mix(n, result, width, table[i].rounds);
        assert_ok(netdp_noise_error(&protocol, &unit, &error));
        assert_mean(error_of,
                    objective(result, values, n.nodes, width) +
                        width * table[i].noise * table[i].noise * unit,
                    table[i].family);
        assert_mean(mean_of, 0, "the noise moves the mean");
        /* The mean's variance: noise^2 (1 + sum of the dithers' squares) / n. */
        moments variance = {mean_of.square, 0, mean_of.count};
        double want = 1;
        for (int64_t t = 1; t < table[i].rounds; t++)
            want += pow(table[i].dither / pow((double)t, table[i].decay), 2);
        want *= table[i].noise * table[i].noise / n.nodes;
        assert_close(variance.sum / (double)variance.count, want, 0,
                     ERRORS * sqrt(2 / (double)variance.count));
        free(values);
        free(result);
        net_drop(n);
    }
}

/* Accelerated averaging errs by what netdp_noise_error says: eight comparisons within 4 standard
 * errors, each false with probability 6e-5 had the seed been drawn anew. */
static void test_accelerated_errors_are_as_predicted(void **state)
{
    (void)state;
    static const struct {
        const char *family, *weights;
        int64_t rounds;
        double dither, noise;
        int32_t width;
        double decay;
    } table[] = {
        {"ring 20", "metropolis", 15, 0.9, 1, 1, 0.8},
        {"ring 20", "metropolis", 15, 0, 1, 1, 0},
        {"ring 20", "metropolis", 15, 0.3, 1, 1, 0},
        {"florentine", "lazy:0.5", 9, 0.5, 2, 3, 0},
        {"path 14", "metropolis", 30, 0.1, 0.5, 1, 0},
        {"star 9", "metropolis", 6, 1, 1, 2, 0},
        {"hypercube 4", "metropolis", 1, 0.5, 1, 1, 0},
        {"hypercube 4", "metropolis", 2, 2, 1, 1, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        net n = family(table[i].family, table[i].weights);
        const int32_t width = table[i].width, size = n.nodes * width;
        double *values = draw_values(size), *result = calloc((size_t)size, 8);
        double unit = 0, plain_unit = 0;
        netdp_linear protocol = averaging(n, table[i].rounds, table[i].dither);
        protocol.noise.decay = table[i].decay;
        assert_ok(netdp_noise_error(&protocol, &plain_unit, &error));
        protocol.accelerate = true;
        assert_ok(netdp_noise_error(&protocol, &unit, &error));
        /* The prediction is another one than without acceleration. */
        assert_true(table[i].rounds == 1 || fabs(unit / plain_unit - 1) > 0.01);
        moments error_of = {0};
        for (uint64_t r = 0; r < 4000; r++) {
            assert_ok(netdp_simulate(&protocol, table[i].noise, values, width,
                                     (netdp_run_seed){22, r}, silent, result, &error));
            add(&error_of, objective(result, values, n.nodes, width));
        }
        memcpy(result, values, (size_t)size * 8);
        mix_faster(n, result, width, table[i].rounds);
        assert_mean_within(error_of,
                           objective(result, values, n.nodes, width) +
                               width * table[i].noise * table[i].noise * unit,
                           4, table[i].family);
        free(values);
        free(result);
        net_drop(n);
    }
}

/*
 * Phases whose noise is correlated over them, with pairs and without: models that no gradient moves
 * err by what netdp_noise_error says, within 4 standard errors.
 */
static void test_quiet_errors_are_as_predicted(void **state)
{
    (void)state;
    enum { PHASES = 5, INNER = 2, RUNS = 4000, WIDTH = 3 };
    static const char *const families[] = {"star 6", "ring 7"};
    for (int kind = 0; kind < 8; kind++) {
        net n = family(families[kind & 1], "metropolis");
        const int32_t size = n.nodes * WIDTH;
        double *x = calloc((size_t)size, 8), *y = calloc((size_t)n.nodes, 8);
        int64_t *start = calloc((size_t)n.nodes + 1, sizeof *start);
        double *result = calloc((size_t)size, 8), factor[PHASES * PHASES] = {0}, unit = 0,
               fresh = 0;
        for (int p = 0; p < PHASES; p++)
            for (int q = 0; q <= p; q++)
                factor[p * PHASES + q] = p == q ? 1 : kind & 2 ? -0.7 / (p - q) : 0.4;
        for (int32_t u = 0; u <= n.nodes; u++)
            start[u] = u;
        const netdp_examples train = {
            .rows = n.nodes, .features = WIDTH, .x = x, .y = y, .nodes = n.nodes, .start = start};
        const netdp_learning learning = {
            .objective = {.kind = NETDP_RIDGE}, .train = &train, .step = 0.5, .noise = 3};
        netdp_linear protocol = {.mixing = n.mixing,
                                 .rounds = PHASES * INNER,
                                 .every = INNER,
                                 .noise.dither = 0.3,
                                 .noise.end = 0.2,
                                 .reacts = true};
        if (kind & 4)
            protocol.noise.pairing = (netdp_pairing){.graph = n.graph, .kappa = 1.2};
        assert_ok(netdp_noise_error(&protocol, &fresh, &error));
        protocol.quiet = (netdp_quiet){factor, PHASES};
        assert_ok(netdp_noise_error(&protocol, &unit, &error));
        assert_true(fabs(unit / fresh - 1) > 0.1);
        moments error_of = {0};
        for (uint64_t r = 0; r < RUNS; r++) {
            double square = 0;
            assert_ok(netdp_simulate_learning(&protocol, &learning, (netdp_run_seed){23, r}, silent,
                                              result, &error));
            for (int32_t i = 0; i < size; i++)
                square += result[i] * result[i] / (2 * n.nodes);
            add(&error_of, square);
        }
        assert_mean_within(error_of, WIDTH * 0.5 * 0.5 * 3 * 3 * unit, 4, families[kind & 1]);
        free(x);
        free(y);
        free(start);
        free(result);
        net_drop(n);
    }
}

/* ---- Errors of learning by batches ---- */

enum { LEARNERS = 6, BATCH_PHASES = 7, BATCH_INNER = 2, FEWEST = 5 };

/* Rows x, y of one feature at nodes of unequal size, and what a step of a phase makes of a model s of
 * node u: a s + c, by mean and second moments over the batches. */
typedef struct step_law {
    double a, c, aa, ac, cc;
} step_law;

static step_law law_of_step(const netdp_examples *train, int32_t u, netdp_batches batches,
                            int phase, double step)
{
    const int64_t rows = train->start[u + 1] - train->start[u];
    const bool drawn = batches.kind == NETDP_BATCHES_POISSON;
    const double part = batches.kind == NETDP_BATCHES_CYCLIC ? 1 / (double)batches.count
                        : drawn                              ? batches.rate
                                                             : 1;
    step_law law = {.a = 1};
    double hh = 0, hc = 0, cc = 0;
    for (int64_t r = 0; r < rows; r++) {
        const double x = train->x[train->start[u] + r], y = train->y[train->start[u] + r];
        const double h = step * x * x / (part * (double)rows),
                     c = step * x * y / (part * (double)rows);
        const double chance = drawn ? batches.rate
                              : batches.kind == NETDP_BATCHES_CYCLIC
                                  ? r % batches.count == phase % batches.count
                                  : 1;
        law.a -= chance * h;
        law.c += chance * c;
        hh += chance * (1 - chance) * h * h;
        hc += chance * (1 - chance) * h * c;
        cc += chance * (1 - chance) * c * c;
    }
    law.aa = law.a * law.a + hh;
    law.ac = law.a * law.c - hc;
    law.cc = law.c * law.c + cc;
    return law;
}

typedef double between[LEARNERS][LEARNERS];

/* s <- w s w' + add I, and of a vector. */
static void mix_moments(const between w, between s, double *mean, double add)
{
    between left = {{0}}, both = {{0}};
    double then[LEARNERS] = {0};
    for (int i = 0; i < LEARNERS; i++)
        for (int j = 0; j < LEARNERS; j++) {
            then[i] += w[i][j] * mean[j];
            for (int k = 0; k < LEARNERS; k++)
                left[i][j] += w[i][k] * s[k][j];
        }
    for (int i = 0; i < LEARNERS; i++)
        for (int j = 0; j < LEARNERS; j++) {
            both[i][j] = i == j ? add : 0;
            for (int k = 0; k < LEARNERS; k++)
                both[i][j] += left[i][k] * w[j][k];
        }
    memcpy(s, both, sizeof both);
    memcpy(mean, then, sizeof then);
}

/* E of the models' squares, mean over nodes, by recursion over moments; noise correlated over phases, if
 * there is any, by what each phase's noise becomes. Independent of the simulator and of netdp_noise_error. */
static double predict_squares(const netdp_linear *p, const netdp_learning *l, const between w,
                              const double *factor)
{
    between s = {{0}}, became[BATCH_PHASES] = {{{0}}};
    double mean[LEARNERS] = {0}, unit = l->step * l->noise, sum = 0;
    const double dither = unit * unit * p->noise.dither * p->noise.dither,
                 end = unit * unit * p->noise.end * p->noise.end;
    for (int phase = 0; phase < BATCH_PHASES; phase++) {
        step_law law[LEARNERS];
        between then;
        for (int u = 0; u < LEARNERS; u++)
            law[u] = law_of_step(l->train, u, l->batches, phase, l->step);
        for (int u = 0; u < LEARNERS; u++)
            for (int v = 0; v < LEARNERS; v++)
                then[u][v] = u == v
                                 ? law[u].aa * s[u][u] + 2 * law[u].ac * mean[u] + law[u].cc +
                                       (factor == NULL ? unit * unit : 0)
                                 : law[u].a * law[v].a * s[u][v] + law[u].a * mean[u] * law[v].c +
                                       law[u].c * mean[v] * law[v].a + law[u].c * law[v].c;
        memcpy(s, then, sizeof s);
        for (int u = 0; u < LEARNERS; u++)
            mean[u] = law[u].a * mean[u] + law[u].c;
        for (int t = 0; t < BATCH_INNER; t++) /* the last round's dither is the end's */
            mix_moments(w, s, mean, t + 1 < BATCH_INNER ? dither : end);
        for (int q = 0; q <= phase; q++)
            for (int v = 0; v < LEARNERS; v++) {
                double column[LEARNERS];
                between none = {{0}};
                for (int u = 0; u < LEARNERS; u++)
                    column[u] = q == phase ? unit * (u == v) : law[u].a * became[q][u][v];
                for (int t = 0; t < BATCH_INNER; t++)
                    mix_moments(w, none, column, 0);
                for (int u = 0; u < LEARNERS; u++)
                    became[q][u][v] = column[u];
            }
    }
    for (int u = 0; u < LEARNERS; u++) {
        sum += s[u][u];
        for (int v = 0; v < LEARNERS && factor != NULL; v++)
            for (int j = 0; j < BATCH_PHASES; j++) {
                double drawn = 0;
                for (int q = j; q < BATCH_PHASES; q++)
                    drawn += factor[q * BATCH_PHASES + j] * became[q][u][v];
                sum += drawn * drawn;
            }
    }
    return sum / LEARNERS;
}

/* Learning whose steps are affine, on batches that take turns or are drawn, with noise that is quiet or
 * fresh: its models' squares are as predicted, within 4 standard errors. */
static void test_errors_by_batches_are_as_predicted(void **state)
{
    (void)state;
    static const struct {
        const char *family;
        netdp_batches batches;
        bool quiet;
    } table[] = {
        {"star 6", {NETDP_BATCHES_FULL, 0, 0}, false},
        {"ring 6", {NETDP_BATCHES_CYCLIC, 3, 0}, false},
        {"ring 6", {NETDP_BATCHES_CYCLIC, 3, 0}, true},
        {"star 6", {NETDP_BATCHES_CYCLIC, 2, 0}, true},
        {"grid 2 3", {NETDP_BATCHES_POISSON, 0, 0.3}, false},
        {"star 6", {NETDP_BATCHES_POISSON, 0, 0.7}, false},
    };
    int64_t start[LEARNERS + 1] = {0};
    for (int u = 0; u < LEARNERS; u++)
        start[u + 1] = start[u] + FEWEST + 2 * u;
    const int64_t rows = start[LEARNERS];
    double *x = draw_values((int32_t)rows), *y = draw_values((int32_t)(2 * rows)) + rows, told = 0;
    const netdp_examples train = {
        .rows = rows, .features = 1, .x = x, .y = y, .nodes = LEARNERS, .start = start};
    netdp_quiet_design *design;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const netdp_batches batches = table[i].batches;
        const netdp_quiet_request request = {
            {NETDP_QUIET_OPTIMAL, 0}, BATCH_PHASES, batches.count > 1 ? batches.count : 2, NULL};
        net n = family(table[i].family, "metropolis");
        const netdp_rows r = netdp_mixing_rows(n.mixing);
        between w = {{0}};
        double result[LEARNERS];
        for (int32_t u = 0; u < n.nodes; u++)
            for (int64_t e = r.start[u]; e < r.start[u + 1]; e++)
                w[u][r.column[e]] = r.weight[e];
        assert_ok(netdp_quiet_design_new(&request, &design, &error));
        const netdp_learning learning = {.objective = {.kind = NETDP_RIDGE, .clip = INFINITY},
                                         .train = &train,
                                         .step = 0.6,
                                         .batches = batches,
                                         .noise = 4};
        netdp_linear protocol = {.mixing = n.mixing,
                                 .rounds = BATCH_PHASES * BATCH_INNER,
                                 .every = BATCH_INNER,
                                 .noise.dither = 0.3,
                                 .noise.end = 0.5,
                                 .cycle = batches.count,
                                 .reacts = true};
        if (table[i].quiet)
            protocol.quiet = (netdp_quiet){design->factor, BATCH_PHASES};
        const double want =
            predict_squares(&protocol, &learning, w, table[i].quiet ? design->factor : NULL);
        assert_true(fabs(want / told - 1) > 0.01); /* another one than before */
        told = want;
        moments squares = {0};
        for (uint64_t run = 0; run < 3000; run++) {
            double square = 0;
            assert_ok(netdp_simulate_learning(&protocol, &learning, (netdp_run_seed){29 + i, run},
                                              silent, result, &error));
            for (int32_t u = 0; u < n.nodes; u++)
                square += result[u] * result[u] / n.nodes;
            add(&squares, square);
        }
        assert_mean_within(squares, want, 4, table[i].family);
        netdp_quiet_design_free(design);
        net_drop(n);
    }
    free(x);
    free(y - rows);
}

static void test_central(void **state)
{
    (void)state;
    enum { NODES = 13, WIDTH = 3, RUNS = 20000 };
    double *values = draw_values(NODES * WIDTH), result[WIDTH], other[WIDTH];
    moments away[WIDTH] = {{0}}, square = {0}, cross = {0};
    for (uint64_t r = 0; r < RUNS; r++) {
        assert_ok(netdp_simulate_central(values, NODES, WIDTH, 2.5, (netdp_run_seed){3, r}, result,
                                         &error));
        for (int j = 0; j < WIDTH; j++) {
            double mean = 0;
            for (int u = 0; u < NODES; u++)
                mean += values[u * WIDTH + j] / NODES;
            result[j] -= mean;
            add(&away[j], result[j]);
            add(&square, result[j] * result[j]);
        }
        add(&cross, result[0] * result[1]);
    }
    for (int j = 0; j < WIDTH; j++)
        assert_mean(away[j], 0, "central mean");
    assert_mean(square, 2.5 * 2.5 / NODES / NODES, "central variance");
    assert_mean(cross, 0, "coordinates share noise");
    assert_ok(
        netdp_simulate_central(values, NODES, WIDTH, 1, (netdp_run_seed){3, 5}, result, &error));
    assert_ok(
        netdp_simulate_central(values, NODES, WIDTH, 1, (netdp_run_seed){3, 5}, other, &error));
    assert_memory_equal(result, other, sizeof result);
    free(values);
}

/* ---- What the messages tell ---- */

/*
 * s_t of a run of t rounds is W m_{t-1} of a longer run with the same seed, for streams do not
 * depend on the number of rounds: where W has an inverse, the messages of the simulation are seen.
 * Accelerated, s_t = gamma W m_{t-1} + (1 - gamma) m_{t-2} from the second round on.
 */
static void read_messages(net n, double *inverse, const lapack_int *pivot, netdp_linear protocol,
                          double noise, const double *values, uint64_t repeat, double *messages)
{
    const int64_t rounds = protocol.rounds;
    const double gamma = protocol.accelerate ? gamma_of(n) : 1;
    for (int64_t t = 0; t < rounds; t++) {
        double *message = messages + t * n.nodes;
        protocol.rounds = t + 1;
        assert_ok(netdp_simulate(&protocol, noise, values, 1, (netdp_run_seed){77, repeat}, silent,
                                 message, &error));
        for (int32_t u = 0; t > 0 && u < n.nodes; u++)
            message[u] = (message[u] - (1 - gamma) * messages[(t - 1) * n.nodes + u]) / gamma;
        assert_int_equal(LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', n.nodes, 1, inverse, n.nodes, pivot,
                                        messages + t * n.nodes, n.nodes),
                         0);
    }
}

static void factor(net n, double *inverse, lapack_int *pivot)
{
    const netdp_rows rows = netdp_mixing_rows(n.mixing);
    memset(inverse, 0, (size_t)n.nodes * (size_t)n.nodes * 8);
    for (int64_t u = 0; u < n.nodes; u++)
        for (int64_t i = rows.start[u]; i < rows.start[u + 1]; i++)
            inverse[u * n.nodes + rows.column[i]] = rows.weight[i];
    assert_int_equal(LAPACKE_dgetrf(LAPACK_COL_MAJOR, n.nodes, n.nodes, inverse, n.nodes, pivot),
                     0);
}

/* The messages of `observer`'s closed neighbourhood, in order. */
static int32_t select_view(net n, int32_t observer, int64_t rounds, const double *messages,
                           double *view)
{
    int32_t seen = 0;
    for (int64_t t = 0; t < rounds; t++) {
        const int32_t *neighbour = netdp_graph_neighbours(n.graph, observer);
        view[seen++] = messages[t * n.nodes + observer];
        for (int32_t k = 0; k < netdp_graph_degree(n.graph, observer); k++)
            view[seen++] = messages[t * n.nodes + neighbour[k]];
    }
    return seen;
}

/*
 * The privacy of the simulation that runs, against the account: K from the covariance of RUNS
 * simulated views, G from simulations without noise. With S the mean of y y^T over R runs of a view
 * of d numbers, loss / (G^T S^-1 G) is a chi-squared with R - d + 1 degrees of freedom over R.
 */
static void audit(const char *name, const char *weights, int32_t observer, int64_t rounds,
                  double dither, double decay, bool accelerate)
{
    enum { RUNS = 20000, MOST = 64 };
    net n = family(name, weights);
    double inverse[256], messages[256], view[MOST], covariance[MOST * MOST] = {0};
    double response[MOST * 16], kept[MOST * 16], values[16];
    lapack_int pivot[16], order[MOST];
    factor(n, inverse, pivot);
    memset(values, 0, sizeof values);
    netdp_linear protocol = averaging(n, rounds, dither);
    protocol.noise.decay = decay;
    protocol.accelerate = accelerate;
    int32_t d = 0;
    for (uint64_t r = 0; r < RUNS; r++) {
        read_messages(n, inverse, pivot, protocol, 3, values, r, messages);
        d = select_view(n, observer, rounds, messages, view);
        assert_true(d <= MOST);
        for (int32_t i = 0; i < d; i++)
            for (int32_t j = 0; j < d; j++)
                covariance[i * d + j] += view[i] * view[j] / RUNS / 9;
    }
    for (int32_t u = 0; u < n.nodes; u++) {
        values[u] = 1;
        read_messages(n, inverse, pivot, protocol, 0, values, 0, messages);
        select_view(n, observer, rounds, messages, response + u * d);
        values[u] = 0;
    }
    memcpy(kept, response, sizeof kept);
    assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, d, n.nodes, covariance, d, order, response, d),
                     0);
    const netdp_loss_request request = {
        .protocol = &protocol, .own_noise = NETDP_OWN_NOISE_COUNTS, .to_count = 1, .to = &observer};
    netdp_losses *losses = NULL;
    assert_ok(netdp_losses_new(&request, NULL, &losses, &error));
    for (int32_t u = 0; u < n.nodes; u++) {
        if (u == observer)
            continue;
        double found = 0;
        for (int32_t i = 0; i < d; i++)
            found += kept[u * d + i] * response[u * d + i];
        found *= (RUNS - d + 1) / (double)RUNS;
        if (!(fabs(found / losses->loss[u] - 1) <= ERRORS * sqrt(2.0 / RUNS) ||
              (losses->loss[u] < 1e-12 && found < 1e-9)))
            fail_msg("%s: the messages tell node %d %g of node %d, the account says %g", name,
                     observer, found, u, losses->loss[u]);
    }
    netdp_losses_free(losses);
    net_drop(n);
}

static void test_messages_tell_what_the_account_says(void **state)
{
    (void)state;
    audit("path 5", "metropolis", 0, 4, 0.3, 0, false);
    audit("ring 7", "lazy:0.4", 2, 3, 0.1, 0, false);
    audit("star 6", "lazy:0.3", 4, 4, 0.5, 0, false);
    audit("florentine", "lazy:0.6", 4, 3, 1, 0, false);
    audit("ring 7", "lazy:0.4", 5, 5, 0.01, 0, false);
    audit("ring 7", "lazy:0.4", 5, 5, 0.5, 1, false);
    audit("path 5", "metropolis", 0, 4, 0.3, 0.7, false);
}

static void test_accelerated_messages_tell_what_the_account_says(void **state)
{
    (void)state;
    audit("path 5", "lazy:0.3", 0, 4, 0.3, 0, true);
    audit("ring 7", "lazy:0.4", 2, 4, 0.1, 0, true);
    audit("star 6", "lazy:0.3", 4, 4, 0.5, 0, true);
    audit("ring 7", "lazy:0.4", 5, 5, 0.05, 0, true);
    audit("ring 7", "lazy:0.4", 5, 5, 0.5, 1, true);
}

/*
 * What an attacker does: from runs of his own he learns the noise of his view, weighs it by the
 * best linear statistic against one node, and measures by how many standard deviations that moves
 * when the node's value does. In fresh runs its square is not above the accounted loss (by more
 * than 4 standard errors of a variance over RUNS runs), and nearly reaches it.
 */
static void attack(const char *name, const char *weights, int32_t observer, int64_t rounds,
                   double dither)
{
    enum { RUNS = 10000, MOST = 64 };
    const double noise = 3;
    net n = family(name, weights);
    double inverse[256], messages[256], view[MOST], covariance[MOST * MOST] = {0}, values[16] = {0};
    lapack_int pivot[16], order[MOST];
    factor(n, inverse, pivot);
    netdp_linear protocol = averaging(n, rounds, dither);
    protocol.accelerate = true;
    int32_t d = 0;
    for (uint64_t r = 0; r < RUNS; r++) {
        read_messages(n, inverse, pivot, protocol, noise, values, r, messages);
        d = select_view(n, observer, rounds, messages, view);
        for (int32_t i = 0; i < d; i++)
            for (int32_t j = 0; j < d; j++)
                covariance[i * d + j] += view[i] * view[j] / RUNS;
    }
    assert_int_equal(LAPACKE_dgetrf(LAPACK_COL_MAJOR, d, d, covariance, d, order), 0);
    const netdp_loss_request request = {
        .protocol = &protocol, .own_noise = NETDP_OWN_NOISE_COUNTS, .to_count = 1, .to = &observer};
    netdp_losses *losses = NULL;
    assert_ok(netdp_losses_new(&request, NULL, &losses, &error));
    for (int32_t victim = 0; victim < n.nodes; victim++) {
        if (victim == observer)
            continue;
        double statistic[MOST];
        moments without = {0}, with = {0};
        values[victim] = 1;
        read_messages(n, inverse, pivot, protocol, 0, values, 0, messages);
        select_view(n, observer, rounds, messages, statistic);
        assert_int_equal(
            LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', d, 1, covariance, d, order, statistic, d), 0);
        /* Both worlds draw the same noise, so the shift has none of its own. */
        for (uint64_t r = RUNS; r < 2 * RUNS; r++)
            for (int world = 0; world < 2; world++) {
                double seen = 0;
                values[victim] = world;
                read_messages(n, inverse, pivot, protocol, noise, values, r, messages);
                select_view(n, observer, rounds, messages, view);
                for (int32_t i = 0; i < d; i++)
                    seen += statistic[i] * view[i];
                add(world == 0 ? &without : &with, seen);
            }
        values[victim] = 0;
        const double shift = (with.sum - without.sum) / RUNS;
        const double mean = without.sum / RUNS, variance = without.square / RUNS - mean * mean;
        const double found = noise * noise * shift * shift / variance, told = losses->loss[victim];
        if (!(found <= told * (1 + 4 * sqrt(2.0 / RUNS)) && found >= 0.95 * told))
            fail_msg("%s: node %d sees %g of node %d, the account says %g", name, observer, found,
                     victim, told);
    }
    netdp_losses_free(losses);
    net_drop(n);
}

static void test_accelerated_attack(void **state)
{
    (void)state;
    attack("path 5", "lazy:0.3", 1, 4, 0.3);
    attack("ring 6", "lazy:0.3", 2, 5, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_noise_is_mixing),
        cmocka_unit_test(test_trace),
        cmocka_unit_test(test_bad_requests),
        cmocka_unit_test(test_equal_seeds_give_equal_bytes),
        cmocka_unit_test(test_errors_are_as_predicted),
        cmocka_unit_test(test_accelerated_errors_are_as_predicted),
        cmocka_unit_test(test_quiet_errors_are_as_predicted),
        cmocka_unit_test(test_errors_by_batches_are_as_predicted),
        cmocka_unit_test(test_central),
        cmocka_unit_test(test_messages_tell_what_the_account_says),
        cmocka_unit_test(test_accelerated_messages_tell_what_the_account_says),
        cmocka_unit_test(test_accelerated_attack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

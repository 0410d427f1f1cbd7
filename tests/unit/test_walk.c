#include "walk_net.h"
#include "sweep.h"

#include <omp.h>
#include <time.h>
#include <netdp/random.h>
#include <netdp/simulate.h>

#include "base/memory.h"
#include "graph/graph.h"

enum { NODES = 15, FEATURES = 4, ROWS = 60 };

static const netdp_tracing silent = {.every = 1};

/* Rows for the 15 florentine families: node u has u of 8 or so. */
typedef struct made {
    double x[ROWS * FEATURES], y[ROWS];
    int64_t start[NODES + 1];
    netdp_examples examples;
} made;

static void fill(made *m, uint64_t seed)
{
    netdp_stream stream = netdp_stream_at(seed, NETDP_FOR_TEST, 0, 0);
    netdp_stream_normals(&stream, m->x, ROWS * FEATURES);
    for (int i = 0; i < ROWS; i++)
        m->y[i] = m->x[i * FEATURES] + 0.3 * m->x[i * FEATURES + 1] > 0 ? 1 : -1;
    for (int u = 0; u <= NODES; u++)
        m->start[u] = u * (u + 1) / 4;
    m->examples = (netdp_examples){ROWS, FEATURES, m->x, m->y, NODES, m->start, NULL, 0};
}

static netdp_walking learning(const made *m)
{
    return (netdp_walking){.objective = {.kind = NETDP_LOGISTIC, .clip = 0.4, .l2 = 0.01},
                           .train = &m->examples,
                           .test = &m->examples,
                           .step = 0.5,
                           .noise = 0.3};
}

/* ---- The recursion, replayed along the path ---- */

static void shorten(double *x, int32_t width, double radius)
{
    double square = 0;
    for (int32_t j = 0; j < width; j++)
        square += x[j] * x[j];
    for (int32_t j = 0; j < width && square > radius * radius; j++)
        x[j] *= radius / sqrt(square);
}

/* Without noise: Algorithm 1 as printed, but that a node over the cap still takes the step of l2. */
static void replay(const netdp_walking *w, const int32_t *path, int64_t steps, int64_t cap,
                   double *x, double *mean)
{
    int64_t count[NODES] = {0};
    const int32_t width = w->train != NULL ? FEATURES : w->width;
    memset(x, 0, (size_t)width * sizeof *x);
    memset(mean, 0, (size_t)width * sizeof *mean);
    for (int64_t t = 0; t < steps; t++) {
        double gradient[FEATURES];
        if (w->train != NULL)
            netdp_gradient(&w->objective, w->train, path[t], x, 0, 0, 0, NULL, gradient);
        for (int32_t j = 0; j < width; j++) {
            double g = w->train != NULL ? gradient[j] : x[j] - w->values[path[t] * width + j];
            if (cap > 0 && count[path[t]] >= cap) /* what needs no data */
                g = w->train != NULL ? w->objective.l2 * x[j] : 0;
            x[j] -= w->step * pow((double)t + 1, -w->decay) * g;
        }
        count[path[t]]++;
        if (w->radius > 0)
            shorten(x, width, w->radius);
        for (int32_t j = 0; j < width; j++)
            mean[j] += x[j] / (double)steps;
    }
}

static void test_the_recursion(void **state)
{
    (void)state;
    enum { STEPS = 700 };
    made m;
    fill(&m, 3);
    net n = open_net("florentine", 5, "metropolis");
    double values[NODES * FEATURES];
    for (int i = 0; i < NODES * FEATURES; i++)
        values[i] = sin(i) + 2;
    static const double decay[] = {0, 1, 0.7}, radius[] = {0, INFINITY, 0.8};
    static const int64_t cap[] = {0, 1, 20};
    for (int i = 0; i < 3 * 3 * 3 * 2 * 2; i++) {
        netdp_walking w = learning(&m);
        if (i % 2 == 0)
            w = (netdp_walking){.values = values, .width = FEATURES, .step = 0.3};
        w.noise = 0;
        w.output = i / 2 % 2 == 0 ? NETDP_WALK_LAST : NETDP_WALK_AVERAGE;
        w.decay = decay[i / 4 % 3];
        w.radius = radius[i / 12 % 3];
        const netdp_token token = {.law = n.law,
                                   .steps = STEPS,
                                   .start = NETDP_START_UNIFORM,
                                   .cap = cap[i / 36],
                                   .tokens = 2};
        double model[2 * FEATURES], last[FEATURES], mean[FEATURES];
        int32_t path[2 * (STEPS + 1)];
        assert_ok(
            netdp_simulate_walk(&token, &w, (netdp_run_seed){4, 1}, silent, model, path, &error));
        for (int k = 0; k < 2; k++) {
            replay(&w, path + k * (STEPS + 1), STEPS, token.cap, last, mean);
            for (int j = 0; j < FEATURES; j++)
                assert_close(model[k * FEATURES + j], i / 2 % 2 == 0 ? last[j] : mean[j], 1e-12, 0);
        }
    }
    drop(n);
}

/* Step 1 and decay 1: the mean of the values on the path, whatever the start is. */
static void test_running_mean(void **state)
{
    (void)state;
    enum { STEPS = 1000 };
    net n = open_net("florentine", 5, "hastings:degree");
    double values[NODES], model, sum = 0;
    int32_t path[STEPS + 1];
    for (int u = 0; u < NODES; u++)
        values[u] = u * u;
    const netdp_walking w = {.values = values, .width = 1, .step = 1, .decay = 1};
    const netdp_token token = {.law = n.law, .steps = STEPS, .start = 3, .tokens = 1};
    assert_ok(
        netdp_simulate_walk(&token, &w, (netdp_run_seed){9, 0}, silent, &model, path, &error));
    assert_int_equal(path[0], 3);
    for (int t = 0; t < STEPS; t++)
        sum += values[path[t]];
    assert_close(model, sum / STEPS, 0, 1e-12);
    drop(n);
}

/* A model too large to square is projected all the same. */
static void test_projection_of_extremes(void **state)
{
    (void)state;
    net n = open_net("path 2", 5, "metropolis");
    static const double size[] = {1e300, 1e160, 1, 1e-170, 1e-300};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        const double values[] = {3 * size[i], -4 * size[i], 3 * size[i], -4 * size[i]};
        for (int inside = 0; inside < 2; inside++) {
            const netdp_walking w = {
                .values = values, .width = 2, .step = 1, .radius = (inside ? 5.1 : 2.5) * size[i]};
            const netdp_token token = {.law = n.law, .steps = 3, .tokens = 1};
            double model[2];
            assert_ok(netdp_simulate_walk(&token, &w, (netdp_run_seed){1, 0}, silent, model, NULL,
                                          &error));
            assert_close(model[0], (inside ? 3 : 1.5) * size[i], 0, 1e-14);
            assert_close(model[1], (inside ? -4 : -2) * size[i], 0, 1e-14);
        }
    }
    drop(n);
}

/* ---- The cap ---- */

/* Tiny steps towards values that are unit vectors: a coordinate counts its node's contributions. */
static void test_cap_is_kept(void **state)
{
    (void)state;
    enum { STEPS = 3000 };
    static const int64_t caps[] = {0, 1, 7, 150, STEPS};
    net n = open_net("florentine", 5, "metropolis");
    double values[NODES * NODES] = {0};
    for (int u = 0; u < NODES; u++)
        values[u * NODES + u] = 1;
    for (size_t i = 0; i < sizeof caps / sizeof *caps; i++) {
        const netdp_walking w = {.values = values, .width = NODES, .step = 1e-10};
        const netdp_token token = {.law = n.law,
                                   .steps = STEPS,
                                   .start = NETDP_START_UNIFORM,
                                   .cap = caps[i],
                                   .tokens = 2};
        static double model[2 * NODES];
        static int32_t path[2 * (STEPS + 1)];
        assert_ok(
            netdp_simulate_walk(&token, &w, (netdp_run_seed){2, 0}, silent, model, path, &error));
        for (int k = 0; k < 2; k++)
            for (int u = 0; u < NODES; u++) {
                int64_t visits = 0;
                for (int t = 0; t < STEPS; t++)
                    visits += path[k * (STEPS + 1) + t] == u;
                assert_true(visits > 20);
                if (visits > netdp_token_contributions(&token))
                    visits = netdp_token_contributions(&token);
                assert_int_equal(lround(model[k * NODES + u] / w.step), visits);
            }
    }
    drop(n);
}

/* Above the cap a node adds the same noise as below it. */
static void test_noise_above_the_cap(void **state)
{
    (void)state;
    enum { STEPS = 400 };
    net n = open_net("path 2", 5, "metropolis");
    const double values[] = {0, 0};
    double capped, free_of_it;
    const netdp_walking w = {.values = values, .width = 1, .step = 1e-9, .noise = 1};
    netdp_token token = {.law = n.law, .steps = STEPS, .tokens = 1};
    assert_ok(
        netdp_simulate_walk(&token, &w, (netdp_run_seed){3, 0}, silent, &free_of_it, NULL, &error));
    token.cap = 1;
    assert_ok(
        netdp_simulate_walk(&token, &w, (netdp_run_seed){3, 0}, silent, &capped, NULL, &error));
    assert_true(fabs(capped) > 1e-9);
    assert_close(capped, free_of_it, 0, 1e-5);
    drop(n);
}

/* ---- Seeds ---- */

typedef struct outcome {
    double model[5 * FEATURES];
    int32_t path[5 * 901];
} outcome;

static outcome *run(net n, const netdp_walking *w, netdp_run_seed seed, int64_t steps,
                    int32_t tokens)
{
    outcome *result = calloc(1, sizeof *result);
    const netdp_token token = {
        .law = n.law, .steps = steps, .start = NETDP_START_UNIFORM, .cap = 30, .tokens = tokens};
    assert_ok(netdp_simulate_walk(&token, w, seed, silent, result->model, result->path, &error));
    return result;
}

static void test_equal_seeds_give_equal_bytes(void **state)
{
    (void)state;
    made m;
    fill(&m, 3);
    net n = open_net("florentine", 5, "metropolis");
    netdp_walking w = learning(&m);
    w.batch = 3;
    const netdp_run_seed seed = {6, 1};
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    outcome *one = run(n, &w, seed, 900, 5);
    omp_set_num_threads(3);
    outcome *two = run(n, &w, seed, 900, 5);
    omp_set_num_threads(threads);
    assert_memory_equal(one, two, sizeof *one);
    free(two);
    two = run(n, &w, seed, 900, 2); /* fewer tokens: the same first two */
    assert_memory_equal(one->model, two->model, 2 * FEATURES * sizeof *one->model);
    assert_memory_equal(one->path, two->path, 2 * 901 * sizeof *one->path);
    free(two);
    two = run(n, &w, seed, 500, 1); /* fewer steps: the same until then */
    assert_memory_equal(one->path, two->path, 500 * sizeof *one->path);
    free(two);
    static const netdp_run_seed others[] = {{6, 2}, {7, 1}, {1, 6}, {6, 0}, {6, 4294967295}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        int equal = 0;
        two = run(n, &w, others[i], 900, 5);
        for (int j = 0; j < 5 * FEATURES; j++)
            assert_true(one->model[j] != two->model[j]);
        for (int t = 0; t < 5 * 901; t++)
            equal += one->path[t] == two->path[t];
        assert_true(equal < 1000); /* about one of 15 meets by chance */
        free(two);
    }
    int equal = 0; /* of two tokens of one run */
    for (int t = 0; t < 900; t++)
        equal += one->path[t] == one->path[901 + t];
    assert_true(equal < 200);
    free(one);
    drop(n);
}

/* Two tokens at the same node at the same step draw batches of their own. */
static void test_batches_of_tokens(void **state)
{
    (void)state;
    enum { EACH = 1000 };
    static double x[2 * EACH], y[2 * EACH], model[40];
    int64_t start[] = {0, EACH, 2 * EACH};
    for (int i = 0; i < 2 * EACH; i++) {
        x[i] = 1;
        y[i] = i % EACH;
    }
    const netdp_examples train = {2 * EACH, 1, x, y, 2, start, NULL, 0};
    net n = open_net("path 2", 5, "metropolis");
    const netdp_walking w = {.objective = {.kind = NETDP_RIDGE, .clip = INFINITY},
                             .train = &train,
                             .step = 1,
                             .batch = 1};
    const netdp_token token = {.law = n.law, .steps = 1, .start = 0, .tokens = 40};
    assert_ok(netdp_simulate_walk(&token, &w, (netdp_run_seed){1, 0}, silent, model, NULL, &error));
    int equal = 0; /* of 780 pairs, one of 1000 meets by chance */
    for (int k = 0; k < 40; k++)
        for (int i = 0; i < k; i++)
            equal += model[i] == model[k];
    assert_true(equal < 8);
    drop(n);
}

/* ---- Paths ---- */

static void test_paths_go_along_edges(void **state)
{
    (void)state;
    enum { STEPS = 3000 };
    static const char *const laws[] = {"metropolis", "hamilton", "hastings:degree", "lazy:0.9"};
    static const char *const families[] = {"star 20", "ring 6", "path 2", "complete 9", "davis"};
    static int32_t path[STEPS + 1], longer[STEPS + 101];
    for (int i = 0; i < 4 * 5; i++) {
        net n = open_net(families[i / 4], 5, laws[i % 4]);
        const netdp_rows rows = netdp_transition_rows(n.law);
        double *values = calloc((size_t)rows.nodes, sizeof *values), model;
        const netdp_walking w = {.values = values, .width = 1, .step = 0.1};
        netdp_token token = {.law = n.law, .steps = STEPS, .burn_in = 100, .start = 1, .tokens = 1};
        assert_ok(
            netdp_simulate_walk(&token, &w, (netdp_run_seed){11, 0}, silent, &model, path, &error));
        for (int t = 1; t <= STEPS; t++) {
            double weight = 0;
            for (int64_t e = rows.start[path[t - 1]]; e < rows.start[path[t - 1] + 1]; e++)
                if (rows.column[e] == path[t])
                    weight = rows.weight[e];
            assert_true(weight > 0);
        }
        /* Burn-in is the same walk, only later. */
        token.steps += token.burn_in;
        token.burn_in = 0;
        assert_ok(netdp_simulate_walk(&token, &w, (netdp_run_seed){11, 0}, silent, &model, longer,
                                      &error));
        assert_int_equal(longer[0], 1);
        assert_memory_equal(path, longer + 100, sizeof path);
        free(values);
        drop(n);
    }
}

/* Weights of a file may send more than 1/d one way: those rows are scanned. */
static void test_rows_of_a_file(void **state)
{
    (void)state;
    static const char text[] = "a b 0.9\nb c 0.1\nc d 0.9\n"; /* loops: a and d 0.1, none else */
    enum { STEPS = 20000 };
    static int32_t path[STEPS + 1];
    net n = {0};
    assert_ok(
        netdp_i_graph_parse(text, (int64_t)strlen(text), "list", false, &n.graph, NULL, &error));
    assert_ok(netdp_transition_new(n.graph, "file", &n.law, &error));
    const double values[4] = {0};
    double model;
    const netdp_walking w = {.values = values, .width = 1, .step = 0.1};
    const netdp_token token = {.law = n.law, .steps = STEPS, .tokens = 1};
    assert_ok(
        netdp_simulate_walk(&token, &w, (netdp_run_seed){1, 0}, silent, &model, path, &error));
    int moves[4][4] = {{0}}, from[4] = {0};
    for (int t = 1; t < STEPS; t++) {
        moves[path[t - 1]][path[t]]++;
        from[path[t - 1]]++;
    }
    static const double want[4][4] = {
        {0.1, 0.9, 0, 0}, {0.9, 0, 0.1, 0}, {0, 0.1, 0, 0.9}, {0, 0, 0.9, 0.1}};
    for (int u = 0; u < 4; u++)
        for (int v = 0; v < 4; v++) {
            const double p = want[u][v];
            if (p == 0)
                assert_int_equal(moves[u][v], 0);
            else /* 5 standard errors; drawn anew, 8 of them would fail once in 200,000 times */
                assert_close(moves[u][v] / (double)from[u], p, 5 * sqrt(p * (1 - p) / from[u]), 0);
        }
    drop(n);
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

/* Every row is what a walk of so many steps returns. */
static void check_trace(net n, const netdp_walking *w, int32_t tokens)
{
    enum { STEPS = 23 };
    const int32_t width = w->train != NULL ? FEATURES : w->width;
    double model[3 * FEATURES], again[3 * FEATURES];
    int32_t path[3 * (STEPS + 1)];
    netdp_token token = {.law = n.law, .steps = STEPS, .start = 2, .cap = 3, .tokens = tokens};
    const netdp_run_seed seed = {8, 3};
    static const int64_t steps[] = {5, 10, 15, 20, 23};
    rows_seen seen = {.count = 0};
    assert_ok(netdp_simulate_walk(&token, w, seed, (netdp_tracing){5, keep_row, &seen, NULL}, model,
                                  NULL, &error));
    assert_int_equal(seen.count, 5);
    for (int i = 0; i < 5; i++) {
        double mean[FEATURES] = {0}, spread = 0, score = 0, far = 0, moves = 0;
        token.steps = steps[i];
        assert_ok(netdp_simulate_walk(&token, w, seed, silent, again, path, &error));
        for (int k = 0; k < tokens * width; k++)
            mean[k % width] += again[k] / tokens;
        for (int k = 0; k < tokens * width; k++)
            spread += pow(again[k] - mean[k % width], 2) / tokens;
        for (int k = 0; k < tokens; k++)
            for (int64_t t = 1, at = k * (steps[i] + 1) + 1; t <= steps[i]; t++, at++)
                moves += path[at] != path[at - 1];
        for (int j = 0; w->values != NULL && j < width; j++) {
            double truth = 0;
            for (int u = 0; u < NODES; u++)
                truth += w->values[u * width + j] / NODES;
            far += 0.5 * pow(mean[j] - truth, 2);
        }
        for (int k = 0; w->test != NULL && k < tokens; k++)
            score += netdp_score(&w->objective, w->test, again + k * width) / tokens;
        assert_int_equal(seen.row[i].step, steps[i]);
        assert_close(seen.row[i].consensus, sqrt(spread), 1e-13, 1e-12);
        assert_close(seen.row[i].bytes, 8 * width * moves, 0, 0);
        assert_close(seen.row[i].messages, moves, 0, 0);
        assert_close(seen.row[i].accuracy, w->test != NULL ? score : -1, 0, 1e-14);
        assert_close(seen.row[i].objective,
                     w->train != NULL ? netdp_objective_value(&w->objective, w->train, mean) : far,
                     0, 1e-12);
    }
    assert_memory_equal(model, again, (size_t)(tokens * width) * sizeof *model);
}

static void test_trace(void **state)
{
    (void)state;
    made m;
    fill(&m, 3);
    net n = open_net("florentine", 5, "metropolis");
    double values[NODES * 3];
    for (int i = 0; i < NODES * 3; i++)
        values[i] = i % 7;
    netdp_walking learn = learning(&m),
                  mean = {.values = values, .width = 3, .step = 0.2, .noise = 0.1};
    for (int32_t tokens = 1; tokens <= 3; tokens++) {
        learn.output = mean.output = tokens == 2 ? NETDP_WALK_AVERAGE : NETDP_WALK_LAST;
        learn.test = tokens == 3 ? NULL : &m.examples;
        check_trace(n, &learn, tokens);
        check_trace(n, &mean, tokens);
    }
    drop(n);
}

/* ---- Stopping ---- */

static bool stop_at_zero(void *context, const char *what, double done, double total)
{
    (void)what, (void)done, (void)total;
    return --*(int *)context > 0;
}

static void test_stopping(void **state)
{
    (void)state;
    made m;
    fill(&m, 3);
    net n = open_net("florentine", 5, "metropolis");
    const netdp_walking w = learning(&m);
    netdp_token token = {.law = n.law, .steps = 400000, .start = 2, .tokens = 2};
    double model[2 * FEATURES], untouched[2 * FEATURES];
    int32_t *path = malloc(2 * 400000 * sizeof *path), *blank = malloc(2 * 400000 * sizeof *path);
    memset(model, 0x5a, sizeof model);
    memset(untouched, 0x5a, sizeof untouched);
    memset(path, 0x5a, 2 * 400000 * sizeof *path);
    memset(blank, 0x5a, 2 * 400000 * sizeof *path);
    const int64_t before = netdp_i_memory_live();
    int left = 1;
    const netdp_progress progress = {stop_at_zero, &left};
    const netdp_tracing tracing = {.every = 1, .progress = &progress};
    for (int asked = 1; asked <= 4; asked++) { /* asked more often than that */
        left = asked;
        token.tokens = 1 + asked % 2;
        assert_fails(
            netdp_simulate_walk(&token, &w, (netdp_run_seed){1, 0}, tracing, model, path, &error),
            NETDP_INTERRUPTED);
    }
    left = 3;
    token.burn_in = 1000000000; /* would take a minute */
    token.tokens = 1;
    assert_fails(
        netdp_simulate_walk(&token, &w, (netdp_run_seed){1, 0}, tracing, model, path, &error),
        NETDP_INTERRUPTED);
    token.burn_in = 0;
    token.steps = 20;
    for (int after = 1; after <= 4; after++) {
        rows_seen seen = {.stop_after = after};
        token.tokens = 1 + after % 2;
        assert_fails(netdp_simulate_walk(&token, &w, (netdp_run_seed){1, 0},
                                         (netdp_tracing){5, keep_row, &seen, NULL}, model, path,
                                         &error),
                     NETDP_INTERRUPTED);
        assert_int_equal(seen.count, after);
    }
    assert_memory_equal(model, untouched, sizeof model);
    assert_memory_equal(path, blank, 2 * 400000 * sizeof *path);
    assert_int_equal(netdp_i_memory_live(), before);
    free(path);
    free(blank);
    drop(n);
}

/* ---- Bad requests ---- */

static void test_bad_requests(void **state)
{
    (void)state;
    made m, narrow;
    fill(&m, 3);
    fill(&narrow, 4);
    narrow.examples.features = 3;
    net n = open_net("florentine", 5, "metropolis"), other = open_net("ring 8", 5, "metropolis");
    const double values[NODES] = {0};
    double model[FEATURES] = {7, 7, 7, 7};
    const netdp_token fine = {.law = n.law, .steps = 5, .tokens = 1};
    netdp_walking bad[18], mean = {.values = values, .width = 1, .step = 1};
    int count = 0;
    for (; count < 18; count++)
        bad[count] = count < 14 ? learning(&m) : mean;
    bad[0].step = 0;
    bad[1].step = -1;
    bad[2].step = NAN;
    bad[3].step = INFINITY;
    bad[4].decay = -0.1;
    bad[5].decay = NAN;
    bad[6].noise = -1;
    bad[7].noise = INFINITY;
    bad[8].radius = -1;
    bad[9].radius = NAN;
    bad[10].batch = -1;
    bad[11].values = values;
    bad[12].train = NULL;
    bad[13].test = &narrow.examples;
    bad[14].width = 0;
    bad[15].values = NULL;
    bad[16].test = &m.examples;
    bad[17].decay = INFINITY;
    const netdp_run_seed seed = {1, 0};
    for (int i = 0; i < count; i++) {
        if (netdp_simulate_walk(&fine, &bad[i], seed, silent, model, NULL, NULL) == NETDP_OK)
            fail_msg("request %d was taken", i);
        assert_fails(netdp_simulate_walk(&fine, &bad[i], seed, silent, model, NULL, &error),
                     NETDP_INVALID);
    }
    const struct {
        netdp_token token;
        netdp_run_seed seed;
        netdp_tracing tracing;
        const char *says;
    } table[] = {
        {{.law = n.law, .steps = 0, .tokens = 1}, {1, 0}, {.every = 1}, "rounds: 0"},
        {{.law = n.law, .steps = 5, .tokens = 1, .start = -2}, {1, 0}, {.every = 1}, "start: "},
        {{.law = n.law, .steps = 4294967295, .burn_in = 1, .tokens = 1},
         {1, 0},
         {.every = 1},
         "2^32"},
        {{.law = n.law, .steps = 5, .tokens = 1}, {1, 4294967296}, {.every = 1}, "2^32"},
        {{.law = n.law, .steps = 5, .tokens = 1}, {1, 0}, {.every = 0}, "every 1"},
        {{.law = other.law, .steps = 5, .tokens = 1}, {1, 0}, {.every = 1}, "the 8 nodes"},
    };
    const netdp_walking w = learning(&m);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_fails(netdp_simulate_walk(&table[i].token, &w, table[i].seed, table[i].tracing,
                                         model, NULL, &error),
                     NETDP_INVALID);
        if (strstr(error.text, table[i].says) == NULL)
            fail_msg("%s: does not say: %s", error.text, table[i].says);
    }
    for (int j = 0; j < FEATURES; j++)
        assert_true(model[j] == 7);
    drop(n);
    drop(other);
}

static void test_running_out_of_memory(void **state)
{
    (void)state;
    made m;
    fill(&m, 3);
    net n = open_net("florentine", 5, "metropolis");
    netdp_walking w = learning(&m);
    w.batch = 2;
    w.output = NETDP_WALK_AVERAGE;
    const netdp_token token = {.law = n.law, .steps = 9, .start = 2, .cap = 1, .tokens = 2};
    for (sweep s = {.least = 15}; sweep_next(&s);) {
        double model[2 * FEATURES] = {7};
        int32_t path[2 * 10] = {7};
        s.status =
            netdp_simulate_walk(&token, &w, (netdp_run_seed){1, 0}, silent, model, path, &error);
        assert_true((model[0] == 7) == (s.status != NETDP_OK));
        assert_true((path[0] == 7) == (s.status != NETDP_OK));
    }
    drop(n);
}

/* ---- Houses ---- */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Walk SGD without noise reaches the accuracy that the papers start from. */
static void check_houses(net n, const char *name, const netdp_examples *train,
                         const netdp_examples *test, double clip)
{
    const netdp_token token = {
        .law = n.law, .steps = 20000, .start = NETDP_START_UNIFORM, .tokens = 1};
    netdp_walking w = {.objective = {.kind = NETDP_LOGISTIC, .clip = clip},
                       .train = train,
                       .test = test,
                       .step = 0.7};
    double model[8], mean = 0, best = INFINITY;
    rows_seen seen = {.count = 0};
    assert_ok(netdp_simulate_walk(&token, &w, (netdp_run_seed){1, 0},
                                  (netdp_tracing){1000, keep_row, &seen, NULL}, model, NULL,
                                  &error));
    assert_int_equal(seen.count, 20);
    for (int i = 15; i < 20; i++)
        mean += seen.row[i].accuracy / 5;
    w.noise = 0.5;
    for (int i = 0; i < 3; i++) {
        const double begin = seconds();
        assert_ok(
            netdp_simulate_walk(&token, &w, (netdp_run_seed){1, 1}, silent, model, NULL, &error));
        best = fmin(best, seconds() - begin);
    }
    print_message("houses on %s, clip %g: test accuracy %.4f without noise; a run of 20,000 steps "
                  "with noise takes %.1f ms\n",
                  name, clip, mean, 1e3 * best);
    assert_true(mean >= 0.95);
}

static void test_houses(void **state)
{
    (void)state;
    char *path = NULL, beside[4096];
    const char *source = getenv("NETDP_SOURCE");
    snprintf(beside, sizeof beside, "%s/../shared/data", source != NULL ? source : ".");
    if (netdp_data_find(beside, "houses.csv", &path, NULL) != NETDP_OK)
        skip();
    netdp_examples *train = NULL, *test = NULL;
    const netdp_preparation how = {
        .label = "label", .classes = true, .split = 0.8, .nodes = 2048, .seed = 1};
    assert_ok(netdp_examples_prepare(path, &how, &train, &test, NULL, &error));
    free(path);
    static const char *const families[] = {"hypercube 11", "complete 2048"};
    for (int i = 0; i < 2; i++) {
        net n = open_net(families[i], 5, "metropolis");
        check_houses(n, families[i], train, test, 0.4);
        check_houses(n, families[i], train, test, INFINITY);
        drop(n);
    }
    netdp_examples_free(train);
    netdp_examples_free(test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_recursion),
        cmocka_unit_test(test_running_mean),
        cmocka_unit_test(test_projection_of_extremes),
        cmocka_unit_test(test_cap_is_kept),
        cmocka_unit_test(test_noise_above_the_cap),
        cmocka_unit_test(test_equal_seeds_give_equal_bytes),
        cmocka_unit_test(test_batches_of_tokens),
        cmocka_unit_test(test_paths_go_along_edges),
        cmocka_unit_test(test_rows_of_a_file),
        cmocka_unit_test(test_trace),
        cmocka_unit_test(test_stopping),
        cmocka_unit_test(test_bad_requests),
        cmocka_unit_test(test_running_out_of_memory),
        cmocka_unit_test(test_houses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

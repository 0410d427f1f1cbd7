/*
 * Grey box: one walk on neighbouring inputs, with the same path and the same noise. What the
 * accountants assume of it is measured at every step: two tokens come no further apart at a node
 * other than u, and by at most step * Delta at u.
 */
#include "walk_net.h"

#include <float.h>
#include <netdp/random.h>

#include "simulate/gossip.h"
#include "simulate/walk.h"

static const netdp_tracing silent = {.every = 1};

enum { NODES = 6, ROWS = 4, FEATURES = 3, STEPS = 400, VICTIM = 2 };

/* ---- One run, recorded ---- */

typedef struct record {
    const netdp_walking *walking;
    bool mean_clipped; /* the averaged gradient is clipped, in place of each row's */
    int32_t width;
    uint64_t batch_seed;
    int32_t node[STEPS + 1];
    double arrived[STEPS + 1][FEATURES], sent[STEPS][FEATURES];
    double gradient[STEPS][FEATURES]; /* asked again, outside the simulator */
    int32_t path[STEPS + 1];
    double model[FEATURES];
} record;

/* As the authors' code does it: the mean of the rows' gradients, clipped. */
static void gradient_clipped_after(const netdp_walking *walking, int32_t node, const double *model,
                                   double *gradient)
{
    netdp_objective free_one = walking->objective;
    double square = 0;
    free_one.clip = INFINITY;
    netdp_gradient(&free_one, walking->train, node, model, 0, 0, 0, NULL, gradient);
    for (int32_t j = 0; j < walking->train->features; j++)
        square += gradient[j] * gradient[j];
    const double hold = fmin(1, walking->objective.clip / sqrt(square));
    for (int32_t j = 0; j < walking->train->features; j++)
        gradient[j] *= hold;
}

static void ask_gradient(record *r, const netdp_i_stop *stop, double *gradient)
{
    const netdp_walking *w = r->walking;
    int64_t scratch[ROWS];
    if (r->mean_clipped)
        gradient_clipped_after(w, stop->node, stop->model, gradient);
    else if (w->train != NULL)
        netdp_gradient(&w->objective, w->train, stop->node, stop->model, w->batch, r->batch_seed,
                       (uint64_t)stop->step, scratch, gradient);
    else
        for (int32_t j = 0; j < r->width; j++)
            gradient[j] = stop->model[j] - w->values[stop->node * r->width + j];
}

static void arrive(void *context, const netdp_i_stop *stop)
{
    record *r = context;
    r->node[stop->step] = stop->node;
    memcpy(r->arrived[stop->step], stop->model, (size_t)r->width * sizeof *stop->model);
    if (stop->step < STEPS)
        ask_gradient(r, stop, r->gradient[stop->step]);
}

static void contribute(void *context, const netdp_i_stop *stop, double *gradient)
{
    ask_gradient(context, stop, gradient);
}

static void send(void *context, const netdp_i_stop *stop)
{
    record *r = context;
    memcpy(r->sent[stop->step], stop->model, (size_t)r->width * sizeof *stop->model);
}

static record *play(net n, const netdp_walking *walking, bool mean_clipped)
{
    const netdp_run_seed seed = {3, 5};
    const netdp_token token = {
        .law = n.law, .steps = STEPS, .start = NETDP_START_UNIFORM, .tokens = 1};
    record *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->walking = walking;
    r->mean_clipped = mean_clipped;
    r->width = walking->train != NULL ? walking->train->features : walking->width;
    /* as simulate/walk.c draws it */
    netdp_stream batches =
        netdp_stream_at(seed.seed, NETDP_FOR_BATCH, 0, netdp_i_stream_step(seed, 0));
    r->batch_seed = netdp_stream_bits(&batches);
    const netdp_i_walk_hooks hooks = {arrive, mean_clipped ? contribute : NULL, send, r};
    assert_ok(
        netdp_i_simulate_walk(&token, walking, seed, silent, &hooks, r->model, r->path, &error));
    assert_memory_equal(r->path, r->node, sizeof r->path);
    assert_memory_equal(r->model, r->arrived[STEPS], (size_t)r->width * sizeof *r->model);
    if (!mean_clipped) { /* looking on changes nothing */
        double model[FEATURES];
        assert_ok(netdp_simulate_walk(&token, walking, seed, silent, model, NULL, &error));
        assert_memory_equal(model, r->model, (size_t)r->width * sizeof *model);
    }
    return r;
}

/* ---- Two runs, compared ---- */

static double distance(const double *x, const double *y, int32_t width)
{
    double square = 0;
    for (int32_t j = 0; j < width; j++)
        square += (x[j] - y[j]) * (x[j] - y[j]);
    return sqrt(square);
}

static double size_of(const double *x, int32_t width)
{
    const double zero[FEATURES] = {0};
    return distance(x, zero, width);
}

/* What one pair of runs did, in units of step * Delta, beyond rounding. */
typedef struct growth {
    double elsewhere; /* most that a step at another node moved the two apart */
    double ratio;     /* most that it did, times their distance before */
    double at_victim;
    double noise; /* most difference of noise terms, of sigma Delta; projections apart */
    double most;  /* distance */
} growth;

static growth compare(const record *a, const record *b, const netdp_walking *walking, double unit)
{
    growth g = {0};
    assert_memory_equal(a->path, b->path, sizeof a->path);
    for (int64_t t = 0; t < STEPS; t++) {
        const double before = distance(a->arrived[t], b->arrived[t], a->width);
        const double after = distance(a->sent[t], b->sent[t], a->width);
        const double rounding = 64 * DBL_EPSILON *
                                (size_of(a->arrived[t], a->width) + size_of(a->sent[t], a->width) +
                                 size_of(b->sent[t], a->width) + unit);
        const double grown = after - before - rounding;
        if (a->node[t] == VICTIM)
            g.at_victim = fmax(g.at_victim, grown / unit);
        else
            g.elsewhere = fmax(g.elsewhere, grown / unit);
        if (a->node[t] != VICTIM && before > 1e3 * rounding)
            g.ratio = fmax(g.ratio, after / before);
        g.most = fmax(g.most, after / unit);
        assert_memory_equal(a->sent[t], a->arrived[t + 1], (size_t)a->width * sizeof **a->sent);
        for (int32_t j = 0; j < a->width && walking->noise > 0 && walking->radius == 0; j++) {
            const double step = walking->step;
            const double one = (a->arrived[t][j] - a->sent[t][j]) / step - a->gradient[t][j];
            const double two = (b->arrived[t][j] - b->sent[t][j]) / step - b->gradient[t][j];
            g.noise = fmax(g.noise, (fabs(one - two) - rounding / step) / walking->noise);
        }
    }
    return g;
}

/* ---- Neighbouring inputs ---- */

typedef struct rows {
    double x[NODES * ROWS * FEATURES], y[NODES * ROWS];
    int64_t start[NODES + 1];
    netdp_examples examples;
} rows;

/* How wild the rows are: 0 unit rows, 1 norms 0 to 30 and far labels, 2 also norms near 1e150. */
static void fill(rows *r, int wild, bool classes, int32_t from, int32_t until, uint32_t stream)
{
    netdp_stream s = netdp_stream_at(7, NETDP_FOR_TEST, stream, 0);
    for (int32_t i = from * ROWS; i < until * ROWS; i++) {
        double *x = r->x + i * FEATURES;
        netdp_stream_normals(&s, x, FEATURES);
        const double norm = size_of(x, FEATURES), uniform = netdp_stream_uniform(&s);
        double scale = wild == 0 ? 1 : 30 * uniform * uniform;
        if (wild == 2 && i % 5 == 0)
            scale = 1e150;
        if (wild > 0 && i % 7 == 0)
            scale = 0;
        for (int32_t j = 0; j < FEATURES; j++)
            x[j] *= scale / norm;
        r->y[i] = netdp_stream_uniform(&s) < 0.5 ? -1 : 1;
        if (!classes)
            r->y[i] *= wild == 0 ? 1 : exp(40 * (netdp_stream_uniform(&s) - 0.5));
    }
    for (int32_t u = 0; u <= NODES; u++)
        r->start[u] = u * ROWS;
    r->examples = (netdp_examples){.rows = NODES * ROWS,
                                   .features = FEATURES,
                                   .x = r->x,
                                   .y = r->y,
                                   .nodes = NODES,
                                   .start = r->start};
}

/* The most that one step may be, of either input. */
static double largest_step(const netdp_objective *objective, const rows *one, const rows *other)
{
    return 2 / fmax(netdp_smoothness(objective, &one->examples),
                    netdp_smoothness(objective, &other->examples));
}

/* u's rows all the same, with labels that pull the other way: as far as a clip lets them. */
static void set_apart(rows *one, rows *other, double y)
{
    for (int32_t k = VICTIM * ROWS; k < (VICTIM + 1) * ROWS; k++) {
        for (int32_t j = 0; j < FEATURES; j++)
            one->x[k * FEATURES + j] = other->x[k * FEATURES + j] = j == 0;
        one->y[k] = y;
        other->y[k] = -y;
    }
}

static void assert_declared(growth g)
{
    if (!(g.elsewhere <= 0 && g.at_victim <= 1 && g.noise <= 1e-9))
        fail_msg("elsewhere %g, at the victim %g, noise %g", g.elsewhere, g.at_victim, g.noise);
}

static void test_learning(void **state)
{
    (void)state;
    net n = open_net("ring 6", 1, "metropolis");
    double furthest = 0, most = 0;
    for (int i = 0; i < 2 * 3 * 2 * 2 * 3; i++) {
        const netdp_objective_kind kind = i % 2 == 0 ? NETDP_LOGISTIC : NETDP_RIDGE;
        const int wild = i / 2 % 3, batch = i / 6 % 2 * 2, l2 = i / 12 % 2, which = i / 24;
        rows one, other;
        fill(&one, wild, kind == NETDP_LOGISTIC, 0, NODES, (uint32_t)wild);
        other = one;
        other.examples.x = other.x;
        other.examples.y = other.y;
        other.examples.start = other.start;
        if (which == 0) /* u's rows replaced, by the farthest ones, or by wilder ones */
            fill(&other, wild, kind == NETDP_LOGISTIC, VICTIM, VICTIM + 1, 90);
        else if (which == 1)
            set_apart(&one, &other, kind == NETDP_LOGISTIC ? 1 : 1e6);
        else
            fill(&other, 2, kind == NETDP_LOGISTIC, VICTIM, VICTIM + 1, 91);
        netdp_walking w = {.objective = {kind, .clip = 0.5, .l2 = l2 * 0.3},
                           .train = &one.examples,
                           .batch = batch,
                           .noise = 0.7,
                           .radius = which == 0 ? 1.5 : 0};
        w.step = largest_step(&w.objective, &one, &other);
        netdp_walking w2 = w;
        w2.train = &other.examples;
        record *a = play(n, &w, false), *b = play(n, &w2, false);
        const growth g = compare(a, b, &w, w.step * 2 * w.objective.clip);
        assert_declared(g);
        furthest = fmax(furthest, g.at_victim);
        most = fmax(most, g.most);
        free(a);
        free(b);
    }
    assert_true(furthest > 0.9); /* the declared sensitivity is reached */
    assert_true(most > 1.5);     /* and contributions add up */
    drop(n);
}

/* f = |x - y|^2 / 2, steps up to 2; values anywhere in [-1, 1], so Delta = 2. */
static void test_mean(void **state)
{
    (void)state;
    net n = open_net("star 6", 1, "hamilton");
    double values[NODES], replaced[NODES];
    for (int32_t u = 0; u < NODES; u++)
        values[u] = replaced[u] = cos(5 * u);
    values[VICTIM] = -1;
    replaced[VICTIM] = 1;
    static const double steps[] = {0.01, 0.5, 1, 1.9, 2};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        for (int ball = 0; ball < 2; ball++) {
            netdp_walking w = {.values = values,
                               .width = 1,
                               .step = steps[i],
                               .noise = 2,
                               .radius = ball == 1 ? 3 : 0};
            netdp_walking w2 = w;
            w2.values = replaced;
            record *a = play(n, &w, false), *b = play(n, &w2, false);
            const growth g = compare(a, b, &w, w.step * 2);
            assert_declared(g);
            assert_true(g.at_victim > 0.9);
            free(a);
            free(b);
        }
    drop(n);
}

/* Beyond 2 / beta distances grow, in the mean task and in learning without a clip in reach. */
static void test_long_steps_expand(void **state)
{
    (void)state;
    net n = open_net("star 6", 1, "hamilton");
    double values[NODES] = {0}, replaced[NODES] = {0};
    replaced[VICTIM] = 1e-6;
    netdp_walking w = {.values = values, .width = 1, .step = 2.01, .noise = 1e-3};
    netdp_walking w2 = w;
    w2.values = replaced;
    record *a = play(n, &w, false), *b = play(n, &w2, false);
    const growth mean = compare(a, b, &w, w.step * 1e-6);
    assert_close(mean.ratio, 1.01, 1e-6, 0);
    assert_true(mean.elsewhere > 0.01);
    free(a);
    free(b);
    rows one, other;
    fill(&one, 0, false, 0, NODES, 0);
    for (int32_t k = 0; k < NODES * ROWS; k++) /* all rows alike: the mean is as smooth as they */
        memcpy(one.x + k * FEATURES, one.x, FEATURES * sizeof *one.x);
    other = one;
    other.examples.x = other.x;
    other.examples.y = other.y;
    other.examples.start = other.start;
    other.y[VICTIM * ROWS] *= -1;
    netdp_walking learn = {
        .objective = {NETDP_RIDGE, .clip = 1e9},
        .train = &one.examples,
        .step =
            1.01 * largest_step(&(netdp_objective){.kind = NETDP_RIDGE, .clip = 1}, &one, &other)};
    netdp_walking learn2 = learn;
    learn2.train = &other.examples;
    a = play(n, &learn, false);
    b = play(n, &learn2, false);
    assert_close(compare(a, b, &learn, 1).ratio, 1.02, 1e-6, 0);
    free(a);
    free(b);
    drop(n);
}

/*
 * One other node with two rows, (1, 0) and (0, 0.1), whose averaged gradient (-1, -1)/2 at 0 is
 * just clipped: the Jacobian of the step is [[1/2, 0], [1/2, 1]], of norm 1.144, reached along
 * (0.526, 0.851), where u sends it. Each row clipped does not expand.
 */
static void test_clipping_the_mean_expands(void **state)
{
    (void)state;
    net n = open_net("path 2", 1, "metropolis");
    double x[] = {1, 0, 0, 0.1, 0.525731112, 0.850650808, 0, 0};
    double y[] = {1, 10, 0, 0}, y2[] = {1, 10, 1e-7, 0};
    int64_t start[] = {0, 2, 4};
    const netdp_examples one = {4, 2, x, y, 2, start, NULL, 0},
                         other = {4, 2, x, y2, 2, start, NULL, 0};
    netdp_walking w = {.objective = {NETDP_RIDGE, .clip = 0.707106, .l2 = 0}, .train = &one};
    w.step = 2 / netdp_smoothness(&w.objective, &one);
    netdp_walking w2 = w;
    w2.train = &other;
    double ratio[2] = {0};
    for (int clipped = 0; clipped < 2; clipped++) {
        record *a = play(n, &w, clipped == 1), *b = play(n, &w2, clipped == 1);
        for (int64_t t = 0; t < STEPS; t++)
            if (a->node[t] == 0 && distance(a->arrived[t], b->arrived[t], 2) > 1e-9)
                ratio[clipped] =
                    fmax(ratio[clipped], distance(a->sent[t], b->sent[t], 2) /
                                             distance(a->arrived[t], b->arrived[t], 2));
        free(a);
        free(b);
    }
    assert_true(ratio[0] <= 1 + 1e-6);
    assert_true(ratio[1] > 1.1);
    drop(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learning),
        cmocka_unit_test(test_mean),
        cmocka_unit_test(test_long_steps_expand),
        cmocka_unit_test(test_clipping_the_mean_expands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

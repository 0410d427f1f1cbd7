/* Objectives of one's own: what the built-in ones do, and nothing that a clip does not allow. */
#include "check.h"

#include <float.h>
#include <omp.h>
#include <netdp/learn.h>
#include <netdp/random.h>
#include <netdp/simulate.h>

#include "base/memory.h"

enum { FEATURES = 5, ROWS = 60, NODES = 12, WIDE = 1500 };

static netdp_error error;

/* ---- Losses that copy the built-in ones ---- */

static double logistic_value(void *context, double margin, double y)
{
    (void)context;
    return log1p(exp(-fabs(margin))) + fmax(-y * margin, 0);
}

static double logistic_slope(void *context, double margin, double y)
{
    (void)context;
    const double small = exp(-fabs(margin));
    return -y * (y * margin > 0 ? small : 1) / (1 + small);
}

static double ridge_value(void *context, double margin, double y)
{
    (void)context;
    return 0.5 * (margin - y) * (margin - y);
}

static double ridge_slope(void *context, double margin, double y)
{
    (void)context;
    return margin - y;
}

static double ridge_score(void *context, double margin, double y)
{
    (void)context;
    return (margin - y) * (margin - y);
}

static const netdp_margin_loss copy_of[] = {
    [NETDP_LOGISTIC] = {logistic_value, logistic_slope, NULL, 0.25, NULL},
    [NETDP_RIDGE] = {ridge_value, ridge_slope, ridge_score, 1, NULL},
};

static double margin_of(netdp_row row)
{
    double sum = 0;
    for (int32_t j = 0; j < row.features; j++)
        sum += row.x[j] * row.model[j];
    return sum;
}

/* Rows of a linear model; context is the margin loss. */
static double row_value(void *context, netdp_row row)
{
    const netdp_margin_loss *loss = context;
    return loss->value(NULL, margin_of(row), row.y);
}

static void row_gradient(void *context, netdp_row row, double *gradient)
{
    const netdp_margin_loss *loss = context;
    const double by = loss->slope(NULL, margin_of(row), row.y);
    for (int32_t j = 0; j < row.features; j++)
        gradient[j] = by * row.x[j];
}

static netdp_row_loss rows_of(const netdp_margin_loss *loss)
{
    return (netdp_row_loss){row_value, row_gradient, NULL, INFINITY, (void *)loss};
}

/* ---- Data ---- */

typedef struct made {
    double x[ROWS * FEATURES], y[ROWS];
    int64_t start[NODES + 1];
    netdp_examples examples;
} made;

static netdp_stream at(uint64_t step)
{
    return netdp_stream_at(1, NETDP_FOR_TEST, 13, step);
}

static void fill(made *m, netdp_stream *stream)
{
    netdp_stream_normals(stream, m->x, ROWS * FEATURES);
    for (int i = 0; i < ROWS; i++)
        m->y[i] = netdp_stream_below(stream, 2) == 0 ? -1 : 1;
    for (int u = 0; u <= NODES; u++)
        m->start[u] = ROWS / NODES * u;
    m->examples = (netdp_examples){.rows = ROWS,
                                   .features = FEATURES,
                                   .x = m->x,
                                   .y = m->y,
                                   .nodes = NODES,
                                   .start = m->start};
}

/* Numbers from the edges of double. */
static double extreme(netdp_stream *stream)
{
    static const double edge[] = {0,     -0.0,    DBL_MAX, -DBL_MAX, DBL_MIN,   DBL_TRUE_MIN,
                                  1e200, -1e-310, NAN,     INFINITY, -INFINITY, 1,
                                  -1e4,  3e-5,    -7,      1e154};
    return edge[netdp_stream_below(stream, sizeof edge / sizeof *edge)];
}

static double norm_of(const double *x, int32_t count)
{
    double norm = 0;
    for (int32_t j = 0; j < count; j++)
        norm = hypot(norm, x[j]);
    return norm;
}

/* ---- Tests ---- */

static void test_margin_losses_give_the_bytes_of_the_built_in(void **state)
{
    (void)state;
    static const double clips[] = {0, 0.3, 1, INFINITY};
    for (uint64_t trial = 0; trial < 2000; trial++) {
        made m;
        double model[FEATURES], want[FEATURES], got[FEATURES];
        int64_t scratch[ROWS];
        netdp_stream stream = at(trial);
        fill(&m, &stream);
        netdp_stream_normals(&stream, model, FEATURES);
        for (int i = 0; trial % 3 == 0 && i < ROWS * FEATURES; i++)
            do
                m.x[i] = extreme(&stream);
            while (!isfinite(m.x[i]));
        for (int j = 0; trial % 5 == 0 && j < FEATURES; j++)
            model[j] = extreme(&stream);
        const netdp_objective_kind kind = trial % 2 == 0 ? NETDP_LOGISTIC : NETDP_RIDGE;
        const netdp_objective built_in = {.kind = kind, .clip = clips[trial % 4], .l2 = 0.1};
        netdp_objective own = built_in;
        own.kind = NETDP_MARGIN_LOSS;
        own.margin_loss = &copy_of[kind];
        for (int32_t u = 0; u < NODES; u++)
            for (int64_t batch = 0; batch < 4; batch += 3) {
                netdp_gradient(&built_in, &m.examples, u, model, batch, 3, trial, scratch, want);
                netdp_gradient(&own, &m.examples, u, model, batch, 3, trial, scratch, got);
                assert_memory_equal(got, want, sizeof want);
            }
        const double values[][2] = {
            {netdp_objective_value(&own, &m.examples, model),
             netdp_objective_value(&built_in, &m.examples, model)},
            {netdp_score(&own, &m.examples, model), netdp_score(&built_in, &m.examples, model)},
            {netdp_smoothness(&own, &m.examples), netdp_smoothness(&built_in, &m.examples)}};
        for (int i = 0; i < 3; i++)
            assert_memory_equal(&values[i][0], &values[i][1], sizeof(double));
    }
}

/* The same bytes where no row is clipped, the same numbers where some are. */
static void test_row_losses_agree_with_the_built_in(void **state)
{
    (void)state;
    int clipped = 0;
    for (uint64_t trial = 0; trial < 500; trial++) {
        made m;
        double model[FEATURES], want[FEATURES], unclipped[FEATURES], got[FEATURES];
        netdp_stream stream = at(trial);
        fill(&m, &stream);
        netdp_stream_normals(&stream, model, FEATURES);
        const netdp_objective_kind kind = trial % 2 == 0 ? NETDP_LOGISTIC : NETDP_RIDGE;
        const netdp_row_loss loss = rows_of(&copy_of[kind]);
        for (int32_t u = 0; u < NODES; u++) {
            netdp_objective built_in = {.kind = kind, .clip = INFINITY, .l2 = 0.2};
            netdp_objective own = {NETDP_ROW_LOSS, INFINITY, 0.2, NULL, &loss, 0};
            netdp_gradient(&built_in, &m.examples, u, model, 0, 3, trial, NULL, unclipped);
            netdp_gradient(&own, &m.examples, u, model, 0, 3, trial, NULL, got);
            assert_memory_equal(got, unclipped, sizeof unclipped);
            own.clip = 1e6;
            netdp_gradient(&own, &m.examples, u, model, 0, 3, trial, NULL, got);
            assert_memory_equal(got, unclipped, sizeof unclipped);
            own.clip = built_in.clip = 0.5;
            netdp_gradient(&built_in, &m.examples, u, model, 0, 3, trial, NULL, want);
            netdp_gradient(&own, &m.examples, u, model, 0, 3, trial, NULL, got);
            for (int j = 0; j < FEATURES; j++)
                assert_close(got[j], want[j], 1e-14, 0);
            clipped += memcmp(want, unclipped, sizeof unclipped) != 0;
        }
        const netdp_objective built_in = {.kind = kind, .clip = 1, .l2 = 0.2};
        const netdp_objective own = {NETDP_ROW_LOSS, 1, 0.2, NULL, &loss, 0};
        assert_true(netdp_objective_value(&own, &m.examples, model) ==
                    netdp_objective_value(&built_in, &m.examples, model));
        if (kind == NETDP_LOGISTIC)
            assert_true(netdp_score(&own, &m.examples, model) ==
                        netdp_score(&built_in, &m.examples, model));
    }
    assert_true(clipped > 1000);
}

/* What a hostile function returns; context is a stream. */
static double hostile_slope(void *context, double margin, double y)
{
    (void)margin;
    (void)y;
    return extreme(context);
}

static void hostile_gradient(void *context, netdp_row row, double *gradient)
{
    const uint64_t how = netdp_stream_below(context, 3);
    for (int32_t j = 0; j < row.features; j++) {
        if (how == 0)
            gradient[j] = extreme(context);
        else if (how == 1)
            gradient[j] = 1e308;
        else
            netdp_stream_normals(context, &gradient[j], 1);
    }
}

static void test_many_models_are_scored_as_each(void **state)
{
    (void)state;
    enum { SCORED = 300, WIDTH = 7, MODELS = 71 };
    static double x[SCORED * WIDTH], y[SCORED], model[MODELS * WIDTH], score[MODELS];
    netdp_stream stream = at(9);
    netdp_stream_normals(&stream, x, SCORED * WIDTH);
    for (int i = 0; i < SCORED; i++)
        y[i] = netdp_stream_uniform(&stream) < 0.5 ? -1 : 1;
    netdp_stream_normals(&stream, model, MODELS * WIDTH);
    model[3 * WIDTH] = NAN;
    model[4 * WIDTH] = DBL_MAX; /* its margins overflow on the way */
    model[4 * WIDTH + 1] = -DBL_MAX;
    const netdp_examples rows = {.rows = SCORED, .features = WIDTH, .x = x, .y = y};
    netdp_row_loss row = rows_of(&copy_of[NETDP_LOGISTIC]);
    const netdp_objective kinds[] = {
        {.kind = NETDP_LOGISTIC, .clip = 1},
        {.kind = NETDP_RIDGE, .clip = 1},
        {.kind = NETDP_MARGIN_LOSS, .clip = 1, .margin_loss = &copy_of[NETDP_LOGISTIC]},
        {.kind = NETDP_ROW_LOSS, .clip = 1, .row_loss = &row}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        netdp_score_models(&kinds[k], &rows, model, MODELS, score);
        for (int m = 0; m < MODELS; m++) {
            const double one = netdp_score(&kinds[k], &rows, model + m * WIDTH);
            if (isfinite(one))
                assert_close(score[m], one, 0, 1e-12);
            else
                assert_true(isnan(one) ? isnan(score[m]) : score[m] == one);
        }
    }
}

static void test_no_function_breaks_the_clip(void **state)
{
    (void)state;
    static const double clips[] = {0, 1e-3, 0.4, 1, 50};
    double most[2] = {0, 0};
    netdp_stream hostile = at(9000);
    const netdp_margin_loss margin_loss = {logistic_value, hostile_slope, NULL, 1, &hostile};
    const netdp_row_loss row_loss = {row_value, hostile_gradient, NULL, 1, &hostile};
    for (uint64_t trial = 0; trial < 20000; trial++) {
        made m;
        double model[FEATURES], gradient[FEATURES];
        netdp_stream stream = at(trial);
        fill(&m, &stream);
        netdp_stream_normals(&stream, model, FEATURES);
        if (trial % 7 == 0)
            model[0] = extreme(&stream);
        const int kind = trial % 2 == 0;
        const double clip = clips[trial % 5];
        m.start[1] = 1; /* a node of one row, whose clip can be met */
        const netdp_objective objective = {
            kind ? NETDP_ROW_LOSS : NETDP_MARGIN_LOSS, clip, 0, &margin_loss, &row_loss, 0};
        netdp_gradient(&objective, &m.examples, (int32_t)(trial % 3), model, 0, 1, 0, NULL,
                       gradient);
        const double norm = norm_of(gradient, FEATURES);
        assert_true(norm <= clip * (1 + 1e-14));
        if (clip > 0)
            most[kind] = fmax(most[kind], norm / clip);
    }
    assert_true(most[0] > 0.999 && most[1] > 0.999); /* the bound is met: the search has force */
}

/* Row by row: x, its y as the whole gradient. */
static void as_told(void *context, netdp_row row, double *gradient)
{
    (void)context;
    for (int32_t j = 0; j < row.features; j++)
        gradient[j] = row.y * row.x[j];
}

/* A row that has no gradient counts as 0 and leaves the others alone. */
static void test_rows_without_a_gradient_count_as_nothing(void **state)
{
    (void)state;
    static const double none[] = {NAN, INFINITY, -INFINITY};
    const netdp_row_loss loss = {row_value, as_told, NULL, INFINITY, NULL};
    for (int i = 0; i < 3; i++) {
        double x[] = {3, 4, 1, 1, 0.3, 0.4}, y[] = {100, none[i], 1}, model[] = {2, 0}, got[2];
        int64_t start[] = {0, 3};
        const netdp_examples rows = {
            .rows = 3, .features = 2, .x = x, .y = y, .nodes = 1, .start = start};
        netdp_objective objective = {NETDP_ROW_LOSS, 1, 0.5, NULL, &loss, 0};
        netdp_gradient(&objective, &rows, 0, model, 0, 1, 0, NULL, got);
        assert_close(got[0], (0.6 + 0.3) / 3 + 1, 0, 1e-15); /* l2 after the clip */
        assert_close(got[1], (0.8 + 0.4) / 3, 0, 1e-15);
        objective.clip = INFINITY; /* without a clip it shows */
        netdp_gradient(&objective, &rows, 0, model, 0, 1, 0, NULL, got);
        assert_true(!isfinite(got[0]));
    }
}

/* |w_1|^2 / 2 + 5 |w_2|^2, whatever the row: smooth with beta = 10. */
static void bowl(void *context, netdp_row row, double *gradient)
{
    (void)context;
    gradient[0] = row.model[0];
    gradient[1] = 10 * row.model[1];
}

/*
 * Why a clip takes a row loss's smoothness away: without it a step of 2 / beta expands nothing,
 * with it, by a third.
 */
static void test_clipped_row_losses_are_not_smooth(void **state)
{
    (void)state;
    double x[] = {0, 0}, y = 0, one[] = {-0.72962624, -0.07681413};
    double other[] = {one[0] - 0.00159469, one[1] - 0.00160746};
    int64_t start[] = {0, 1};
    const netdp_examples rows = {
        .rows = 1, .features = 2, .x = x, .y = &y, .nodes = 1, .start = start};
    netdp_row_loss loss = {row_value, bowl, NULL, 10, NULL};
    netdp_objective objective = {NETDP_ROW_LOSS, INFINITY, 0.5, NULL, &loss, 0};
    assert_true(netdp_smoothness(&objective, &rows) == 10.5);
    objective.l2 = 0;
    for (int clipped = 0; clipped < 2; clipped++) {
        double g[2], h[2], before[2], after[2];
        objective.clip = clipped ? 1 : INFINITY;
        netdp_gradient(&objective, &rows, 0, one, 0, 1, 0, NULL, g);
        netdp_gradient(&objective, &rows, 0, other, 0, 1, 0, NULL, h);
        for (int j = 0; j < 2; j++) {
            before[j] = one[j] - other[j];
            after[j] = before[j] - 0.2 * (g[j] - h[j]);
        }
        const double grown = norm_of(after, 2) / norm_of(before, 2);
        assert_true(clipped ? grown > 1.3 : grown <= 1 + 1e-12);
        assert_true(netdp_smoothness(&objective, &rows) == (clipped ? INFINITY : 10));
    }
    objective.clip = INFINITY;
    static const double unknown[] = {NAN, -1, INFINITY};
    for (int i = 0; i < 3; i++) {
        loss.smoothness = unknown[i];
        assert_true(netdp_smoothness(&objective, &rows) == INFINITY);
        const netdp_margin_loss margin_loss = {ridge_value, ridge_slope, NULL, unknown[i], NULL};
        objective.kind = NETDP_MARGIN_LOSS;
        objective.margin_loss = &margin_loss; /* rows of zeros: infinity times 0 is no number */
        assert_true(netdp_smoothness(&objective, &rows) == INFINITY);
        objective.kind = NETDP_ROW_LOSS;
    }
}

static void test_bad_objectives_are_refused(void **state)
{
    (void)state;
    static const double bad[] = {-1, NAN, -INFINITY};
    const netdp_margin_loss fine = copy_of[NETDP_RIDGE];
    const netdp_row_loss rows = rows_of(&fine);
    netdp_objective objective = {NETDP_LOGISTIC, 1, 0, NULL, NULL, 0};
    assert_ok(netdp_objective_check(&objective, &error));
    objective = (netdp_objective){NETDP_MARGIN_LOSS, INFINITY, 0, &fine, NULL, 0};
    assert_ok(netdp_objective_check(&objective, &error));
    objective = (netdp_objective){NETDP_ROW_LOSS, 0, 3, NULL, &rows, 0};
    assert_ok(netdp_objective_check(&objective, &error));
    for (int i = 0; i < 3; i++) {
        objective = (netdp_objective){NETDP_RIDGE, bad[i], 0, NULL, NULL, 0};
        assert_fails(netdp_objective_check(&objective, &error), NETDP_INVALID);
        objective = (netdp_objective){NETDP_RIDGE, 1, bad[i], NULL, NULL, 0};
        assert_fails(netdp_objective_check(&objective, &error), NETDP_INVALID);
    }
    for (int i = 0; i < 3; i++) { /* no loss, then one without each of its functions */
        netdp_margin_loss margin = fine;
        netdp_row_loss row = rows;
        if (i == 1) {
            margin.value = NULL;
            row.value = NULL;
        } else {
            margin.slope = NULL;
            row.gradient = NULL;
        }
        objective = (netdp_objective){NETDP_MARGIN_LOSS, 1, 0, i == 0 ? NULL : &margin, &rows, 0};
        assert_fails(netdp_objective_check(&objective, &error), NETDP_INVALID);
        objective = (netdp_objective){NETDP_ROW_LOSS, 1, 0, &fine, i == 0 ? NULL : &row, 0};
        assert_fails(netdp_objective_check(&objective, &error), NETDP_INVALID);
    }
    objective = (netdp_objective){(netdp_objective_kind)5, 1, 0, &fine, &rows, 0};
    assert_fails(netdp_objective_check(&objective, &error), NETDP_INVALID);
    objective.l2 = INFINITY;
    assert_fails(netdp_objective_check(&objective, &error), NETDP_INVALID);
}

static void test_many_features_and_no_memory(void **state)
{
    (void)state;
    double *x = calloc(2 * WIDE, sizeof *x), *model = calloc(WIDE, sizeof *model);
    double *want = calloc(WIDE, sizeof *want), *got = calloc(WIDE, sizeof *got);
    double y[] = {1, -1};
    int64_t start[] = {0, 2};
    netdp_stream stream = at(1);
    netdp_stream_normals(&stream, x, 2 * WIDE);
    const netdp_examples rows = {
        .rows = 2, .features = WIDE, .x = x, .y = y, .nodes = 1, .start = start};
    const netdp_row_loss loss = rows_of(&copy_of[NETDP_LOGISTIC]);
    const netdp_objective built_in = {.kind = NETDP_LOGISTIC, .clip = INFINITY};
    const netdp_objective own = {NETDP_ROW_LOSS, INFINITY, 0, NULL, &loss, 0};
    netdp_gradient(&built_in, &rows, 0, model, 0, 1, 0, NULL, want);
    netdp_gradient(&own, &rows, 0, model, 0, 1, 0, NULL, got);
    assert_memory_equal(got, want, WIDE * sizeof *want);
    netdp_i_memory_fail_at(0);
    netdp_gradient(&own, &rows, 0, model, 0, 1, 0, NULL, got);
    netdp_i_memory_fail_at(-1);
    for (int j = 0; j < WIDE; j++)
        assert_true(isnan(got[j]));
    assert_int_equal(netdp_i_memory_live(), 0);
    free(x);
    free(model);
    free(want);
    free(got);
}

/* Gossip, a walk and the central baseline: the models of the built-in, for any number of threads.
 */
static void test_simulators_take_them(void **state)
{
    (void)state;
    made m;
    netdp_stream stream = at(2);
    fill(&m, &stream);
    netdp_graph *graph = NULL;
    netdp_mixing *mixing = NULL;
    netdp_transition *law = NULL;
    assert_ok(netdp_graph_make("ring 12", 1, true, &graph, NULL, &error));
    assert_ok(netdp_mixing_new(graph, "metropolis", &mixing, &error));
    assert_ok(netdp_transition_new(graph, "metropolis", &law, &error));
    const netdp_linear gossip = {
        .mixing = mixing, .rounds = 40, .noise.dither = 0.1, .every = 4, .reacts = true};
    const netdp_token token = {.law = law, .steps = 300, .start = NETDP_START_UNIFORM, .tokens = 3};
    const netdp_tracing silent = {.every = 1};
    const netdp_run_seed seed = {3, 1};
    const int threads = omp_get_max_threads();
    double first[3][NODES * FEATURES];
    for (int i = 0; i < 3; i++) { /* the built-in, then one's own on two threads and on one */
        const netdp_objective objective = {i == 0 ? NETDP_LOGISTIC : NETDP_MARGIN_LOSS,
                                           0.4,
                                           0.01,
                                           &copy_of[NETDP_LOGISTIC],
                                           NULL,
                                           0};
        const netdp_learning learning = {.objective = objective,
                                         .train = &m.examples,
                                         .test = &m.examples,
                                         .step = 0.3,
                                         .batch = 2,
                                         .noise = 0.2};
        const netdp_walking walking = {
            .objective = objective, .train = &m.examples, .step = 0.3, .noise = 0.2};
        double model[3][NODES * FEATURES] = {{0}};
        omp_set_num_threads(3 - i);
        assert_ok(netdp_simulate_learning(&gossip, &learning, seed, silent, model[0], &error));
        assert_ok(netdp_simulate_walk(&token, &walking, seed, silent, model[1], NULL, &error));
        assert_ok(netdp_learn_central(&learning, 20, seed, silent, model[2], &error));
        assert_true(norm_of(model[0], NODES * FEATURES) > 0.1);
        if (i == 0)
            memcpy(first, model, sizeof first);
        assert_memory_equal(model, first, sizeof first);
    }
    omp_set_num_threads(threads);
    netdp_transition_free(law);
    netdp_mixing_free(mixing);
    netdp_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_margin_losses_give_the_bytes_of_the_built_in),
        cmocka_unit_test(test_row_losses_agree_with_the_built_in),
        cmocka_unit_test(test_many_models_are_scored_as_each),
        cmocka_unit_test(test_no_function_breaks_the_clip),
        cmocka_unit_test(test_rows_without_a_gradient_count_as_nothing),
        cmocka_unit_test(test_clipped_row_losses_are_not_smooth),
        cmocka_unit_test(test_bad_objectives_are_refused),
        cmocka_unit_test(test_many_features_and_no_memory),
        cmocka_unit_test(test_simulators_take_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

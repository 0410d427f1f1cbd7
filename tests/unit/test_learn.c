#include "check.h"
#include "sweep.h"

#include <float.h>
#include <time.h>
#include <unistd.h>
#include <netdp/learn.h>
#include <netdp/random.h>

#include "base/memory.h"
#include "plan/problem.h"

enum { FEATURES = 5, ROWS = 12 };

static char folder[64];
static char csv[96];

static void put(const char *text)
{
    FILE *stream = fopen(csv, "wb");
    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/netdp-learn-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(csv, sizeof csv, "%s/t.csv", folder);
    return 0;
}

static int drop_folder(void **state)
{
    (void)state;
    unlink(csv);
    return rmdir(folder);
}

static double norm_of(const double *x, int32_t count)
{
    double square = 0;
    for (int32_t j = 0; j < count; j++)
        square += x[j] * x[j];
    return sqrt(square);
}

static double distance(const double *x, const double *y, int32_t count)
{
    double square = 0;
    for (int32_t j = 0; j < count; j++)
        square += (x[j] - y[j]) * (x[j] - y[j]);
    return sqrt(square);
}

/* Examples on the stack: two nodes, the first with 5 rows. */
typedef struct made {
    double x[ROWS * FEATURES], y[ROWS];
    int64_t start[3];
    netdp_examples examples;
} made;

static netdp_stream at(uint64_t step)
{
    return netdp_stream_at(1, NETDP_FOR_TEST, 7, step);
}

static void fill(made *m, netdp_objective_kind kind, double size, netdp_stream *stream)
{
    double scale[ROWS];
    netdp_stream_normals(stream, m->x, ROWS * FEATURES);
    netdp_stream_normals(stream, m->y, ROWS);
    netdp_stream_normals(stream, scale, ROWS);
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < FEATURES; j++)
            m->x[i * FEATURES + j] *= size * exp(scale[i]);
        if (kind == NETDP_LOGISTIC)
            m->y[i] = m->y[i] > 0 ? 1 : -1;
    }
    memcpy(m->start, (int64_t[]){0, 5, ROWS}, sizeof m->start);
    m->examples = (netdp_examples){
        .rows = ROWS, .features = FEATURES, .x = m->x, .y = m->y, .nodes = 2, .start = m->start};
}

/* The mean over nodes of the gradients is the derivative of the value. */
static void test_gradients_are_derivatives(void **state)
{
    (void)state;
    for (int trial = 0; trial < 100; trial++) {
        const netdp_objective_kind kind = trial < 50 ? NETDP_LOGISTIC : NETDP_RIDGE;
        made m;
        netdp_stream stream = at((uint64_t)trial);
        fill(&m, kind, 1, &stream);
        const netdp_objective objective = {
            .kind = kind, .clip = INFINITY, .l2 = trial % 2 == 0 ? 0 : 0.3};
        double model[FEATURES], one[FEATURES], two[FEATURES];
        netdp_stream_normals(&stream, model, FEATURES);
        netdp_gradient(&objective, &m.examples, 0, model, 0, 1, 0, NULL, one);
        netdp_gradient(&objective, &m.examples, 1, model, 0, 1, 0, NULL, two);
        for (int j = 0; j < FEATURES; j++) {
            const double h = 1e-5, middle = model[j];
            model[j] = middle + h;
            const double up = netdp_objective_value(&objective, &m.examples, model);
            model[j] = middle - h;
            const double down = netdp_objective_value(&objective, &m.examples, model);
            model[j] = middle;
            assert_close((up - down) / (2 * h), 0.5 * (one[j] + two[j]), 1e-7, 1e-7);
        }
    }
}

/* Rows, labels and models from the edges of double; none may break the bound. */
static double extreme(netdp_stream *stream)
{
    static const double edge[] = {0,     -0.0,  DBL_MAX, -DBL_MAX, DBL_MIN, DBL_TRUE_MIN,
                                  1e200, 1e154, -1e160,  1e-170,   -1e-310, 1,
                                  -1e4,  1e4,   3e-5,    -7};
    return edge[netdp_stream_below(stream, sizeof edge / sizeof *edge)];
}

static void test_clip_bounds_every_gradient(void **state)
{
    (void)state;
    static const double clips[] = {0, 1e-3, 0.4, 1, 50};
    double most = 0;
    for (int trial = 0; trial < 40000; trial++) {
        made m;
        netdp_stream stream = at((uint64_t)trial);
        const netdp_objective_kind kind = trial % 2 == 0 ? NETDP_LOGISTIC : NETDP_RIDGE;
        const double clip = clips[trial % 5];
        const netdp_objective objective = {.kind = kind, .clip = clip, .l2 = 0};
        fill(&m, kind, 3, &stream);
        double model[FEATURES], gradient[FEATURES];
        netdp_stream_normals(&stream, model, FEATURES);
        if (trial % 3 == 1)
            for (int i = 0; i < ROWS * FEATURES; i++)
                m.x[i] = extreme(&stream);
        if (trial % 3 == 1 && kind == NETDP_RIDGE)
            for (int i = 0; i < ROWS; i++)
                m.y[i] = extreme(&stream);
        for (int i = 1; trial % 11 == 0 && i < ROWS; i++) { /* all rows pull alike */
            memcpy(m.x + i * FEATURES, m.x, FEATURES * sizeof *m.x);
            m.y[i] = m.y[0];
        }
        if (trial % 9 == 1)
            for (int j = 0; j < FEATURES; j++)
                model[j] = extreme(&stream);
        if (trial % 17 == 0)
            model[trial % FEATURES] = (trial / 17) % 2 == 0 ? INFINITY : NAN;
        netdp_gradient(&objective, &m.examples, trial % 2, model, 0, 1, 0, NULL, gradient);
        const double norm = norm_of(gradient, FEATURES);
        assert_true(norm <= clip * (1 + 1e-14));
        if (clip > 0)
            most = fmax(most, norm / clip);
    }
    assert_true(most > 0.999); /* the bound is met, so the search has force */
}

/* Clipped one by one: rows of 100 and 1 against a clip of 10 give 5.5, not 10. */
static void test_rows_are_clipped_before_the_mean(void **state)
{
    (void)state;
    double x[] = {1, 1}, y[] = {100, 1}, model = 0, gradient;
    int64_t start[] = {0, 2};
    const netdp_examples examples = {
        .rows = 2, .features = 1, .x = x, .y = y, .nodes = 1, .start = start};
    netdp_objective objective = {.kind = NETDP_RIDGE, .clip = 10, .l2 = 0};
    netdp_gradient(&objective, &examples, 0, &model, 0, 1, 0, NULL, &gradient);
    assert_close(gradient, -5.5, 0, 0);
    objective.l2 = 3; /* after the clip */
    model = 1000;
    netdp_gradient(&objective, &examples, 0, &model, 0, 1, 0, NULL, &gradient);
    assert_close(gradient, 3010, 0, 0);
    objective.l2 = 0;
    model = NAN; /* no margin: the row counts as 0 under a clip, and shows without one */
    netdp_gradient(&objective, &examples, 0, &model, 0, 1, 0, NULL, &gradient);
    assert_true(gradient == 0);
    objective.clip = INFINITY;
    netdp_gradient(&objective, &examples, 0, &model, 0, 1, 0, NULL, &gradient);
    assert_true(isnan(gradient));
}

/* Any other data in a node: its gradient moves by 2 clip at most, l2 and batches or not. */
static void test_sensitivity(void **state)
{
    (void)state;
    const double clip = 0.4;
    double most = 0;
    for (int trial = 0; trial < 20000; trial++) {
        made m, other;
        netdp_stream stream = at((uint64_t)trial);
        const netdp_objective_kind kind = trial % 2 == 0 ? NETDP_LOGISTIC : NETDP_RIDGE;
        const netdp_objective objective = {.kind = kind, .clip = clip, .l2 = 0.7};
        const int64_t batch = trial % 4;
        fill(&m, kind, 2, &stream);
        if (trial % 5 == 0) { /* one row, copied, and its opposite: the worst pair */
            for (int i = 1; i < ROWS; i++) {
                memcpy(m.x + i * FEATURES, m.x, FEATURES * sizeof *m.x);
                m.y[i] = m.y[0];
            }
            other = m;
            other.examples.x = other.x;
            other.examples.y = other.y;
            for (int i = 0; i < ROWS; i++)
                other.y[i] = -other.y[i];
        } else {
            fill(&other, kind, 2, &stream);
        }
        other.start[1] = other.start[1] - trial % 2; /* another number of rows */
        other.examples.start = other.start;
        double model[FEATURES], before[FEATURES], after[FEATURES];
        int64_t scratch[ROWS];
        netdp_stream_normals(&stream, model, FEATURES);
        const uint64_t step = (uint64_t)trial;
        netdp_gradient(&objective, &m.examples, 1, model, batch, 3, step, scratch, before);
        netdp_gradient(&objective, &other.examples, 1, model, batch, 3, step, scratch, after);
        const double moved = distance(before, after, FEATURES);
        assert_true(moved <= 2 * clip * (1 + 1e-14));
        most = fmax(most, moved / (2 * clip));
    }
    assert_true(most > 0.99);
}

/* What a study calibrates for is what a node's row may move its gradient by, and no less. */
static void test_sensitivity_of_a_study(void **state)
{
    (void)state;
    static const char text[] = "{graph: {family: path 2}, data: {csv: t.csv, label: y, split: 0.5},"
                               " task: {kind: logistic, clip: 0.4, step: 1},"
                               " protocol: {kind: muffliato-sgd, rounds: 2, inner: 1},"
                               " privacy: {epsilon: 1, delta: 1e-6}}";
    char path[128];
    netdp_error error = {0};
    netdp_study *study = NULL;
    netdp_i_problem *problem = NULL;
    snprintf(path, sizeof path, "%s/study.yaml", folder);
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
    put("a,y\n3,yes\n-2,no\n4,no\n-5,yes\n");
    assert_ok(netdp_study_read(path, NULL, 0, &study, &error));
    unlink(path);
    assert_ok(netdp_i_problem_new(study, NULL, &problem, &error));
    /* One row per node: a node replaces its row by the one that pulls the other way. */
    double x[2 * FEATURES] = {0}, y[2] = {1, -1};
    int64_t start[3] = {0, 1, 2}, scratch[2];
    x[0] = x[FEATURES] = 100;
    const netdp_examples rows = {
        .nodes = 2, .rows = 2, .features = FEATURES, .start = start, .x = x, .y = y};
    double model[FEATURES] = {0}, one[FEATURES], other[FEATURES];
    netdp_gradient(&problem->objective, &rows, 0, model, 0, 1, 0, scratch, one);
    netdp_gradient(&problem->objective, &rows, 1, model, 0, 1, 0, scratch, other);
    const double moved = distance(one, other, FEATURES);
    assert_close(moved, 0.8, 1e-12, 0);
    assert_true(problem->sensitivity >= moved * (1 - 1e-12));
    netdp_i_problem_free(problem);
    netdp_study_free(study);
}

/* A step of at most 2 / beta with clipped rows brings no two models farther apart. */
static void test_steps_do_not_expand(void **state)
{
    (void)state;
    static const double clips[] = {0.05, 0.4, 2, INFINITY};
    double most = 0;
    int beyond = 0;
    for (int trial = 0; trial < 100000; trial++) {
        made m;
        netdp_stream stream = at((uint64_t)trial);
        const netdp_objective_kind kind = trial % 2 == 0 ? NETDP_LOGISTIC : NETDP_RIDGE;
        const netdp_objective objective = {
            .kind = kind, .clip = clips[trial / 2 % 4], .l2 = trial % 3 == 0 ? 0.2 : 0};
        fill(&m, kind, 1, &stream);
        if (trial % 7 < 3) /* one row as both nodes: the whole curvature lies in one direction */
            for (int i = 1; i < ROWS; i++)
                memcpy(m.x + i * FEATURES, m.x, FEATURES * sizeof *m.x);
        const double beta = netdp_smoothness(&objective, &m.examples);
        double x[FEATURES], y[FEATURES], away[FEATURES], gx[FEATURES], gy[FEATURES];
        netdp_stream_normals(&stream, x, FEATURES);
        netdp_stream_normals(&stream, away, FEATURES);
        const double size = exp(4 * netdp_stream_uniform(&stream) - 3);
        const double step = 2 / beta * (trial % 4 < 2 ? 1 : netdp_stream_uniform(&stream));
        for (int j = 0; j < FEATURES; j++)
            y[j] = x[j] + size * (trial % 7 == 0 ? m.x[j] : away[j]);
        const double before = distance(x, y, FEATURES);
        netdp_gradient(&objective, &m.examples, trial % 2, x, 0, 1, 0, NULL, gx);
        netdp_gradient(&objective, &m.examples, trial % 2, y, 0, 1, 0, NULL, gy);
        double sx[FEATURES], sy[FEATURES], tx[FEATURES], ty[FEATURES];
        for (int j = 0; j < FEATURES; j++) {
            sx[j] = x[j] - step * gx[j];
            sy[j] = y[j] - step * gy[j];
            tx[j] = x[j] - 2 * step * gx[j];
            ty[j] = y[j] - 2 * step * gy[j];
        }
        assert_true(distance(sx, sy, FEATURES) <= before * (1 + 1e-12) + 1e-12);
        most = fmax(most, distance(sx, sy, FEATURES) / before);
        beyond += distance(tx, ty, FEATURES) > before;
    }
    assert_true(most > 0.999 && beyond > 0); /* 4 / beta does expand */
}

static void test_extreme_margins(void **state)
{
    (void)state;
    const netdp_objective objective = {.kind = NETDP_LOGISTIC, .clip = INFINITY, .l2 = 0};
    for (int s = -1; s <= 1; s += 2)
        for (int t = -1; t <= 1; t += 2) {
            double x = s, y = t, gradient;
            int64_t start[] = {0, 1};
            const netdp_examples one = {
                .rows = 1, .features = 1, .x = &x, .y = &y, .nodes = 1, .start = start};
            const double margins[] = {1e4, 745, 40, 1e308};
            for (int i = 0; i < 4; i++) {
                const double model = margins[i], right = s * t;
                netdp_gradient(&objective, &one, 0, &model, 0, 1, 0, NULL, &gradient);
                const double value = netdp_objective_value(&objective, &one, &model);
                assert_true(isfinite(value) && isfinite(gradient) && value >= 0);
                if (right > 0) {
                    assert_close(gradient, -y * x * exp(-model), 0, 1e-15);
                    assert_close(value, exp(-model), 0, 1e-15);
                } else {
                    assert_close(gradient, -y * x, 0, 1e-15);
                    assert_close(value, model, 0, 1e-15);
                }
                assert_true(netdp_score(&objective, &one, &model) == (right > 0));
            }
            const double zero = 0;
            netdp_gradient(&objective, &one, 0, &zero, 0, 1, 0, NULL, &gradient);
            assert_close(gradient, -0.5 * y * x, 0, 0);
            assert_close(netdp_objective_value(&objective, &one, &zero), log(2), 0, 1e-15);
            assert_true(netdp_score(&objective, &one, &zero) == (t > 0)); /* a tie is +1 */
        }
}

static void test_scores_and_smoothness(void **state)
{
    (void)state;
    double x[] = {3, 4, 1, 0, 0, -2}, y[] = {1, -1, 1}, model[] = {1, 1};
    const netdp_examples rows = {.rows = 3, .features = 2, .x = x, .y = y};
    netdp_objective objective = {.kind = NETDP_LOGISTIC, .clip = 1, .l2 = 0.5};
    assert_close(netdp_score(&objective, &rows, model), 1.0 / 3, 0, 1e-15);
    assert_close(netdp_smoothness(&objective, &rows), 6.75, 0, 0);
    objective.kind = NETDP_RIDGE;
    assert_close(netdp_score(&objective, &rows, model), (36 + 4 + 9) / 3.0, 0, 1e-15);
    assert_close(netdp_smoothness(&objective, &rows), 25.5, 0, 0);
    /* Not dealt: one node. (36 + 4 + 9) / 6 + 0.25 |w|^2 */
    assert_close(netdp_objective_value(&objective, &rows, model), 49 / 6.0 + 0.5, 0, 1e-15);
    double broken[] = {NAN, NAN};
    objective.kind = NETDP_LOGISTIC;
    assert_close(netdp_score(&objective, &rows, broken), 0, 0, 0);
}

static void test_batches(void **state)
{
    (void)state;
    made m;
    netdp_stream stream = at(0);
    fill(&m, NETDP_LOGISTIC, 1, &stream);
    const netdp_objective objective = {.kind = NETDP_LOGISTIC, .clip = 0.4, .l2 = 0.1};
    double model[FEATURES], all[FEATURES], got[FEATURES], again[FEATURES], mean[FEATURES] = {0};
    double square = 0;
    int64_t scratch[ROWS], seen[ROWS] = {0};
    enum { STEPS = 40000, BATCH = 3 };
    netdp_stream_normals(&stream, model, FEATURES);
    netdp_gradient(&objective, &m.examples, 1, model, 0, 9, 4, NULL, all);
    for (int64_t batch = 7; batch < 9; batch++) { /* node 1 has 7 rows */
        netdp_gradient(&objective, &m.examples, 1, model, batch, 9, 4, scratch, got);
        assert_memory_equal(got, all, sizeof all);
    }
    for (uint64_t step = 0; step < STEPS; step++) {
        netdp_gradient(&objective, &m.examples, 1, model, BATCH, 9, step, scratch, got);
        for (int i = 0; i < BATCH; i++) {
            assert_true(scratch[i] >= 5 && scratch[i] < ROWS);
            for (int k = 0; k < i; k++)
                assert_int_not_equal(scratch[i], scratch[k]);
            seen[scratch[i]]++;
        }
        for (int j = 0; j < FEATURES; j++)
            mean[j] += got[j] / STEPS;
        square += distance(got, all, FEATURES) * distance(got, all, FEATURES) / STEPS;
        netdp_gradient(&objective, &m.examples, 1, model, BATCH, 9, step, scratch, again);
        assert_memory_equal(got, again, sizeof got);
    }
    /* Unbiased: the mean is within 5 standard errors, and each row came up equally often. */
    assert_true(square > 1e-6);
    assert_true(distance(mean, all, FEATURES) <= 5 * sqrt(square / STEPS));
    for (int i = 5; i < ROWS; i++)
        assert_close((double)seen[i], STEPS * 3 / 7.0, 5 * sqrt(STEPS * 3 / 7.0 * 4 / 7.0), 0);
}

static netdp_preparation preparation(const char *label, double split, int32_t nodes)
{
    return (netdp_preparation){
        .label = label, .classes = true, .split = split, .nodes = nodes, .seed = 11};
}

static void drop_both(netdp_examples *train, netdp_examples *test)
{
    netdp_examples_free(train);
    netdp_examples_free(test);
}

/*
 * Equal rows in a class, and b the opposite of a: whichever train, as long as both classes do, what is
 * standardised is as long in both columns, so that unit rows are +-sqrt(1/2).
 */
static void test_preparation_by_hand(void **state)
{
    (void)state;
    netdp_error error = {0};
    netdp_examples *train = NULL, *test = NULL;
    netdp_preparation_notes notes = {0};
    put("a,y,same,b\n1,N,7,30\n1,N,7,30\n3,P,7,10\n3,P,7,10\n1,N,7,30\n3,P,7,10\n3,P,7,10\n"
        "1,N,7,30\n");
    netdp_preparation how = preparation("y", 0.5, 2);
    how.intercept = true;
    assert_ok(netdp_examples_prepare(csv, &how, &train, &test, &notes, &error));
    assert_int_equal(notes.dropped, 1);
    assert_int_equal(notes.negative, 4);
    assert_int_equal(notes.positive, 4);
    assert_true(train->rows == 4 && train->features == 3 && train->nodes == 2);
    assert_true(train->start[0] == 0 && train->start[1] == 2 && train->start[2] == 4);
    assert_true(test->rows == 4 && test->features == 3 && test->nodes == 0 && test->start == NULL);
    const netdp_examples *both[] = {train, test};
    int positive = 0;
    for (int k = 0; k < 2; k++) {
        for (int64_t i = 0; i < 4; i++) {
            const double *x = both[k]->x + 3 * i, y = both[k]->y[i];
            positive += y > 0;
            assert_true(fabs(y) == 1);
            assert_close(x[0], y * sqrt(0.5), 0, 1e-15);
            assert_close(x[1], -y * sqrt(0.5), 0, 1e-15);
            assert_true(x[2] == 1);
        }
        assert_true(k == 1 || (positive > 0 && positive < 4));
    }
    assert_int_equal(positive, 4);
    drop_both(train, test);

    /* Numeric y: standardised too, and x is its equal up to the unit rows. */
    put("y,a\n1,1\n3,2\n1,1\n3,2\n1,1\n3,2\n1,1\n3,2\n");
    how = preparation("y", 0.75, 6);
    how.classes = false;
    assert_ok(netdp_examples_prepare(csv, &how, &train, &test, &notes, &error));
    assert_true(train->rows == 6 && test->rows == 2 && train->features == 1);
    assert_true(notes.negative == 0 && notes.positive == 0 && notes.dropped == 0);
    double sum = 0, square = 0;
    for (int i = 0; i < 6; i++) {
        sum += train->y[i];
        square += train->y[i] * train->y[i];
        assert_true(train->x[i] == (train->y[i] > 0 ? 1 : -1));
    }
    assert_close(sum, 0, 1e-14, 0);
    assert_close(square, 6, 0, 1e-14);
    drop_both(train, test);
}

/* Categories by a public list: numbers by value, words by their bytes, anything else is none of them. */
static void test_categories_by_hand(void **state)
{
    (void)state;
    netdp_error error = {0};
    netdp_examples *train = NULL, *test = NULL;
    netdp_preparation_notes notes = {0};
    const char *const wards[] = {"north", "9", "a, \"b\""};
    netdp_range range[] = {{.column = "a", .low = -2, .high = 2},
                           {.column = "ward", .values = 3, .value = wards}};
    put("ward,a,y\nnorth,2,1\n9,2,2\n9.0,2,3\n\"a, \"\"b\"\"\",2,4\nNorth,2,5\n,2,6\n10,2,7\n"
        "north,2,8\n");
    netdp_range label = {.column = "y", .low = 0, .high = 8};
    netdp_preparation how = preparation("y", 0.9, 1);
    netdp_range all[3] = {range[0], range[1], label};
    how.classes = false;
    how.ranges = 3;
    how.range = all;
    how.missing = NETDP_MISSING_MEAN;
    assert_ok(netdp_examples_prepare(csv, &how, &train, &test, &notes, &error));
    assert_true(train->rows == 7 && test->rows == 1 && train->features == 4 && test->features == 4);
    assert_true(notes.unlisted == 2 && notes.filled == 1 && notes.dropped == 0);
    const int place[] = {0, 1, 2, 2, 3,
                         0, 0, 0, 1}; /* of y = 1 to 8: which of the three, or none */
    for (int k = 0; k < 2; k++) {
        const netdp_examples *some = k == 0 ? train : test;
        for (int64_t i = 0; i < some->rows; i++) {
            const double *x = some->x + 4 * i;
            const int y = (int)lround(4 * some->y[i] + 4), is = place[y];
            const double norm = is > 0 ? sqrt(2) : 1; /* in the file's order: the ward's, then a */
            for (int j = 0; j < 3; j++)
                assert_close(x[j], is == j + 1 ? 1 / norm : 0, 1e-15, 0);
            assert_close(x[3], 1 / norm, 1e-15, 0);
        }
    }
    drop_both(train, test);
    how.missing = NETDP_MISSING_REFUSE;
    assert_fails(netdp_examples_prepare(csv, &how, &train, &test, &notes, &error), NETDP_INVALID);
    assert_non_null(strstr(error.text, "column 'ward': the cell is empty"));
    how.missing = NETDP_MISSING_DROP;
    for (sweep s = {.least = 15}; sweep_next(&s);) {
        netdp_examples *one = NULL, *other = NULL;
        s.status = netdp_examples_prepare(csv, &how, &one, &other, &notes, &error);
        assert_true(s.status != NETDP_OK || (notes.missing == 1 && one->rows == 7));
        drop_both(one, other);
    }
    const char *const twice[] = {"1", "x", "1.0"}, *const empty[] = {"", "x", "y"};
    const struct {
        const char *const *value;
        const char *says;
    } refused[] = {{twice, "'1.0' is listed twice"}, {empty, "an empty cell is no value"}};
    for (size_t i = 0; i < 2; i++) {
        all[1].value = refused[i].value;
        assert_fails(netdp_examples_prepare(csv, &how, &train, &test, &notes, &error),
                     NETDP_INVALID);
        assert_non_null(strstr(error.text, refused[i].says));
    }
    all[1] = range[1];
    all[2] = (netdp_range){.column = "y", .values = 3, .value = wards};
    assert_fails(netdp_examples_prepare(csv, &how, &train, &test, &notes, &error), NETDP_INVALID);
    assert_non_null(strstr(error.text, "'y' is the label, which is no category"));
}

enum { TABLE = 101, WIDE = 3, NODES = 7 };

/* The training rows and the test rows as learn.h describes the streams, written down again. */
static void split_again(uint64_t seed, int64_t *train, int64_t *trains, int64_t *test)
{
    int64_t row[TABLE];
    netdp_stream stream = netdp_stream_at(seed, NETDP_FOR_SPLIT, 0, 1);
    *trains = (int64_t)(0.8 * TABLE);
    for (int64_t i = 0; i < TABLE; i++)
        row[i] = i;
    for (int64_t i = TABLE - 1; i > 0; i--) {
        const int64_t j = (int64_t)netdp_stream_below(&stream, (uint64_t)i + 1);
        const int64_t held = row[i];
        row[i] = row[j];
        row[j] = held;
    }
    for (int64_t i = 0; i < TABLE; i++)
        if (i < *trains)
            train[i] = row[i];
        else
            test[i - *trains] = row[i];
}

static void unit_row(const double *values, const double *mean, const double *deviation, double *x)
{
    for (int j = 0; j < WIDE; j++)
        x[j] = (values[j] - mean[j]) / deviation[j];
    const double norm = norm_of(x, WIDE);
    for (int j = 0; j < WIDE; j++)
        x[j] /= norm;
}

static void test_preparation_as_documented(void **state)
{
    (void)state;
    netdp_error error = {0};
    netdp_stream stream = at(3);
    static char text[TABLE * 100];
    double values[TABLE * WIDE], y[TABLE];
    netdp_stream_normals(&stream, values, TABLE * WIDE);
    netdp_stream_normals(&stream, y, TABLE);
    size_t used = (size_t)sprintf(text, "p,class,q,r\n");
    for (int i = 0; i < TABLE; i++) {
        double *row = values + i * WIDE;
        row[1] = 1000 + 5 * row[1];
        y[i] = y[i] > 0.3 ? 1 : -1;
        used += (size_t)sprintf(text + used, "%.17g,%s,%.17g,%.17g\n", row[0],
                                y[i] > 0 ? "10" : "9", row[1], row[2]);
    }
    put(text);
    const netdp_preparation how = preparation("class", 0.8, NODES); /* 9 < 10: as numbers */
    netdp_examples *train = NULL, *test = NULL, *again = NULL, *unused = NULL;
    assert_ok(netdp_examples_prepare(csv, &how, &train, &test, NULL, &error));
    assert_ok(netdp_examples_prepare(csv, &how, &again, &unused, NULL, &error));
    assert_memory_equal(train->x, again->x, (size_t)train->rows * WIDE * sizeof(double));
    assert_memory_equal(train->y, again->y, (size_t)train->rows * sizeof(double));
    drop_both(again, unused);

    int64_t trains, from[TABLE], to[TABLE];
    int32_t node[TABLE];
    split_again(how.seed, from, &trains, to);
    assert_int_equal(train->rows, trains);
    assert_int_equal(test->rows, TABLE - trains);
    assert_ok(netdp_deal(trains, NODES, true, how.seed, node, &error));
    double mean[WIDE] = {0}, deviation[WIDE] = {0}, want[WIDE];
    for (int64_t i = 0; i < trains; i++)
        for (int j = 0; j < WIDE; j++)
            mean[j] += values[from[i] * WIDE + j] / (double)trains;
    for (int64_t i = 0; i < trains; i++)
        for (int j = 0; j < WIDE; j++)
            deviation[j] += pow(values[from[i] * WIDE + j] - mean[j], 2) / (double)trains;
    for (int j = 0; j < WIDE; j++)
        deviation[j] = sqrt(deviation[j]);
    for (int64_t i = 0; i < test->rows; i++) {
        unit_row(values + to[i] * WIDE, mean, deviation, want);
        for (int j = 0; j < WIDE; j++)
            assert_close(test->x[i * WIDE + j], want[j], 1e-13, 0);
        assert_true(test->y[i] == y[to[i]]);
    }
    int64_t place = 0;
    for (int32_t u = 0; u < NODES; u++) {
        assert_int_equal(train->start[u], place);
        for (int64_t i = 0; i < trains; i++) {
            if (node[i] != u)
                continue;
            unit_row(values + from[i] * WIDE, mean, deviation, want);
            for (int j = 0; j < WIDE; j++)
                assert_close(train->x[place * WIDE + j], want[j], 1e-13, 0);
            assert_close(norm_of(train->x + place * WIDE, WIDE), 1, 1e-15, 0);
            assert_true(train->y[place] == y[from[i]]);
            place++;
        }
    }
    assert_int_equal(train->start[NODES], place);
    drop_both(train, test);
}

/* Two classes of any writing; a says which of them is the second. */
static void assert_second(const char *first, const char *second)
{
    netdp_error error = {0};
    netdp_examples *train = NULL, *test = NULL;
    netdp_preparation_notes notes;
    char text[512];
    snprintf(text, sizeof text, "a,y\n1,%s\n0,%s\n1,%s\n0,%s\n1,%s\n0,%s\n0,%s\n", second, first,
             second, first, second, first, first);
    put(text);
    const netdp_preparation how = preparation("y", 0.9, 1);
    assert_ok(netdp_examples_prepare(csv, &how, &train, &test, &notes, &error));
    assert_true(notes.negative == 4 && notes.positive == 3);
    assert_true(train->rows == 6 && test->rows == 1); /* so that both classes train */
    for (int64_t i = 0; i < train->rows; i++)
        assert_true(train->x[i] == train->y[i]);
    drop_both(train, test);
}

static void test_labels(void **state)
{
    (void)state;
    assert_second("N", "P");
    assert_second("9", "10");
    assert_second("10a", "9"); /* a word and a number: by their bytes */
    assert_second("10", "9a");
    assert_second("-1", "1.0");
    assert_second("no", "yes");
    assert_second("Z", "a");
    assert_second("a", "\xc3\xa4");
    assert_second("\"a\nb\"\"\"", "\"a,b\"");
    assert_second("0", "1e999"); /* no finite number: a word */
}

static void test_bad_data(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        double split;
        int32_t nodes;
        bool numeric;
    } bad[] = {
        {"a,y\n1,x\n2,z\n3,w\n", "column 'y' has 3 values", 0.8, 1, false},
        {"a,y\n1,x\n2,x\n3,x\n", "column 'y' has 1 value;", 0.8, 1, false},
        {"a,y\n1,1\n2,1.0\n3,1e0\n", "column 'y' has 1 value;", 0.8, 1, false},
        {"a,y\n1,x\n,z\n3,x\n", ":3: column 'a': the cell is empty", 0.8, 1, false},
        {"a,y\n1,x\n2,z\n3,\n", ":4: column 'y': the cell is empty", 0.8, 1, false},
        {"a,y\n1,x\nnan,z\n3,x\n", ":3: column 'a': 'nan' is not a finite number", 0.8, 1, false},
        {"a,y\n1,x\n1e999,z\n", ":3: column 'a': '1e999' is not a finite number", 0.8, 1, false},
        {"a,y\n1,x\n2,1\n", ":2: column 'y': 'x' is not a finite number", 0.8, 1, true},
        {"a,y\n1,x\n2\n", ":3: the header has 2 cells and this row has 1", 0.8, 1, false},
        {"abc,yy\n1,x\n", "no column 'y' among 2; the nearest name is 'yy'", 0.8, 1, false},
        {"y,a,y\n1,2,x\n", "two columns have the name 'y'", 0.8, 1, false},
        {"b,b,y\n1,2,x\n", "two columns have the name 'b'", 0.8, 1, false},
        {"a,y\n", "has a header and no rows", 0.8, 1, false},
        {"", "is empty", 0.8, 1, false},
        {"a,y\n1,x\n1,z\n1,x\n1,z\n", "no feature is left", 0.5, 1, false},
        {"y\nx\nz\nx\nz\n", "no feature is left", 0.5, 1, false},
        {"a,y\n1,5\n2,5\n3,5\n", "column 'y' is constant", 0.8, 1, true},
        {"a,y\n1,x\n2,z\n3,x\n4,z\n", "2 of 4 rows train and there are 3 nodes", 0.5, 3, false},
        {"a,y\n1,x\n2,z\n", "split 1:", 1, 1, false},
        {"a,y\n1,x\n2,z\n", "split 0:", 0, 1, false},
        {"a,y\n1,x\n2,z\n", "split nan:", NAN, 1, false},
        {"a,y\n1,x\n2,z\n", "0 nodes", 0.8, 0, false},
    };
    netdp_error error = {0};
    netdp_examples *train = NULL, *test = NULL;
    netdp_preparation_notes notes = {.dropped = -1};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put(bad[i].text);
        netdp_preparation how = preparation("y", bad[i].split, bad[i].nodes);
        how.classes = !bad[i].numeric;
        assert_fails(netdp_examples_prepare(csv, &how, &train, &test, &notes, &error),
                     NETDP_INVALID);
        if (strstr(error.text, bad[i].says) == NULL)
            fail_msg("%s: does not say: %s", error.text, bad[i].says);
        assert_true(train == NULL && test == NULL && notes.dropped == -1);
    }
    netdp_preparation how = preparation(NULL, 0.8, 1);
    assert_fails(netdp_examples_prepare(csv, &how, &train, &test, NULL, &error), NETDP_INVALID);
    how.label = "y";
    assert_fails(netdp_examples_prepare("/nowhere/x.csv", &how, &train, &test, NULL, &error),
                 NETDP_ENVIRONMENT);
    put("a,y\n1,x\n1,z\n1,x\n1,z\n"); /* an intercept alone is a feature */
    how = preparation("y", 0.5, 1);
    how.intercept = true;
    assert_ok(netdp_examples_prepare(csv, &how, &train, &test, NULL, &error));
    assert_true(train->features == 1 && train->x[0] == 1);
    drop_both(train, test);
}

/* Finite cells of any size give unit rows of finite numbers. */
static void test_extreme_cells(void **state)
{
    (void)state;
    static const char *const cells[] = {"1e308",  "-1e308", "1.7e308",        "0",
                                        "5e-324", "1e-310", "-1.7976931e308", "3"};
    netdp_error error = {0};
    netdp_stream stream = at(8);
    for (int trial = 0; trial < 300; trial++) {
        char text[2048] = "a,b,y\n";
        for (int i = 0; i < 20; i++)
            sprintf(text + strlen(text), "%s,%s,%d\n", cells[netdp_stream_below(&stream, 8)],
                    trial % 2 == 0 ? "0.1" : cells[netdp_stream_below(&stream, 8)], i % 2);
        put(text);
        netdp_preparation how = preparation("y", 0.3, 2);
        how.seed = (uint64_t)trial;
        netdp_examples *train = NULL, *test = NULL;
        netdp_preparation_notes notes;
        assert_ok(netdp_examples_prepare(csv, &how, &train, &test, &notes, &error));
        if (trial % 2 == 0)
            assert_int_equal(notes.dropped, 1); /* 0.1 is constant although its mean is rounded */
        for (int64_t i = 0; i < test->rows; i++) {
            const double norm = norm_of(test->x + i * test->features, test->features);
            assert_true(norm == 0 || fabs(norm - 1) < 1e-15);
        }
        drop_both(train, test);
    }
    /* The largest span that there is: still -1 and +1. */
    put("a,y\n-1.7e308,0\n1.7e308,1\n-1.7e308,0\n1.7e308,1\n");
    const netdp_preparation how = preparation("y", 0.5, 1);
    netdp_examples *train = NULL, *test = NULL;
    assert_ok(netdp_examples_prepare(csv, &how, &train, &test, NULL, &error));
    for (int i = 0; i < 2; i++)
        assert_true(train->x[i] == train->y[i] && test->x[i] == test->y[i]);
    drop_both(train, test);
}

static void test_running_out_of_memory(void **state)
{
    (void)state;
    netdp_error error = {0};
    for (int classes = 0; classes < 2; classes++) {
        static char text[16384];
        size_t used = (size_t)sprintf(text, "a,b,y\n");
        for (int i = 0; i < 600; i++)
            used += (size_t)sprintf(text + used, "%d,%d,%d\n", i * 3, i % 7, i % 2);
        put(text);
        netdp_preparation how = preparation("y", 0.8, 5);
        how.classes = classes;
        for (sweep s = {.least = 15}; sweep_next(&s);) {
            netdp_examples *train = NULL, *test = NULL;
            s.status = netdp_examples_prepare(csv, &how, &train, &test, NULL, &error);
            assert_true((train != NULL) == (s.status == NETDP_OK));
            drop_both(train, test);
        }
    }
    netdp_examples_free(NULL);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* One step of gradient descent on the mean of the nodes' gradients. */
static void descend(const netdp_objective *objective, const netdp_examples *train, double step,
                    double *model, double *sum, double *gradient)
{
    memset(sum, 0, (size_t)train->features * sizeof *sum);
    for (int32_t u = 0; u < train->nodes; u++) {
        netdp_gradient(objective, train, u, model, 0, 0, 0, NULL, gradient);
        for (int32_t j = 0; j < train->features; j++)
            sum[j] += gradient[j];
    }
    for (int32_t j = 0; j < train->features; j++)
        model[j] -= step * sum[j] / train->nodes;
}

/* The non-private accuracy that the papers start from. */
static void test_houses(void **state)
{
    (void)state;
    char *path = NULL, beside[4096];
    const char *source = getenv("NETDP_SOURCE");
    snprintf(beside, sizeof beside, "%s/../shared/data", source != NULL ? source : ".");
    if (netdp_data_find(beside, "houses.csv", &path, NULL) != NETDP_OK)
        skip();
    netdp_error error = {0};
    netdp_examples *train = NULL, *test = NULL;
    netdp_preparation_notes notes;
    const netdp_preparation how = preparation("label", 0.8, 2048);
    double begin = seconds();
    assert_ok(netdp_examples_prepare(path, &how, &train, &test, &notes, &error));
    print_message("houses: prepared in %.1f ms\n", 1e3 * (seconds() - begin));
    free(path);
    assert_true(notes.negative == 11726 && notes.positive == 8914 && notes.dropped == 0);
    assert_true(train->rows == 16512 && test->rows == 4128 && train->features == 8);

    const netdp_objective objective = {.kind = NETDP_LOGISTIC, .clip = INFINITY, .l2 = 0},
                          clipped = {.kind = NETDP_LOGISTIC, .clip = 0.4, .l2 = 0};
    assert_close(netdp_smoothness(&objective, train), 0.25, 0, 1e-14);
    double model[8] = {0}, sum[8], gradient[8];
    assert_close(netdp_objective_value(&objective, train, model), log(2), 0, 1e-12);
    const struct {
        double step;
        int steps;
        double accuracy;
    } phases[] = {{0.7, 1, 0}, {0.7, 1000, 0.95}, {8, 3000, 0.955}};
    double value = log(2);
    for (size_t p = 0; p < sizeof phases / sizeof *phases; p++) {
        begin = seconds();
        for (int i = 0; i < phases[p].steps; i++)
            descend(&objective, train, phases[p].step, model, sum, gradient);
        const double took = seconds() - begin,
                     now = netdp_objective_value(&objective, train, model);
        const double accuracy = netdp_score(&objective, test, model);
        print_message("houses: %d more steps of %g: objective %.4f, test accuracy %.4f, %.0f us a "
                      "step\n",
                      phases[p].steps, phases[p].step, now, accuracy, 1e6 * took / phases[p].steps);
        assert_true(now < value);
        assert_true(accuracy >= phases[p].accuracy);
        value = now;
    }
    begin = seconds();
    for (int i = 0; i < 100; i++)
        descend(&clipped, train, 0, model, sum, gradient);
    print_message("houses: %.0f us a clipped pass\n", 1e4 * (seconds() - begin));
    drop_both(train, test);
}

/* A column that counts rows or says who holds them is a feature only where it is named. */
static void test_index_and_owner(void **state)
{
    (void)state;
    static const struct {
        const char *text, *features;
        int32_t columns;  /* that are features; 0: refused */
        const char *says; /* then */
    } table[] = {
        {"a,y,b\n5,1,2\n4,2,9\n7,3,1\n9,5,4\n", NULL, 2, NULL},
        {",a,y\n7,5,1\n2,4,2\n9,7,3\n1,9,5\n", NULL, 0, "column 1, '', seems to number the rows"},
        {"n,a,y\n0,5,1\n1,4,2\n2,7,3\n3,9,5\n4,3,1\n5,2,2\n", NULL, 0, "'n', counts the rows"},
        {"n,a,y\n1,5,1\n2,4,2\n3,7,3\n4,9,5\n5,3,1\n6,2,2\n", NULL, 0, "'all but n', or 'all'"},
        {"Id,a,y\n9,5,1\n1,4,2\n4,7,3\n2,9,5\n", NULL, 0, "'Id', seems to number"},
        {"a,owner,y\n5,1,1\n4,1,2\n7,0,3\n9,0,5\n", NULL, 0, "'owner', seems to say who holds"},
        {"a,user_id,y\n5,1,1\n4,1,2\n7,0,3\n9,0,5\n", NULL, 0, "'user_id', seems to say who"},
        {"n,a,y\n1,5,1\n2,4,2\n3,7,3\n4,9,5\n5,3,1\n6,2,2\n", "all", 2, NULL},
        {"n,a,y\n1,5,1\n2,4,2\n3,7,3\n4,9,5\n5,3,1\n6,2,2\n", "all but n", 1, NULL},
        {"n,a,y\n1,5,1\n2,4,2\n3,7,3\n4,9,5\n5,3,1\n6,2,2\n", "n , a", 2, NULL},
        {"owner,a,y\nbob,5,1\nbob,4,2\nann,7,3\nann,9,5\n", "a", 1, NULL},
        {"n,a,y\n1,5,1\n2,4,2\n3,7,3\n4,9,5\n5,3,1\n6,2,2\n", "b", 0, "no column 'b'"},
        {"n,a,y\n1,5,1\n2,4,2\n3,7,3\n4,9,5\n5,3,1\n6,2,2\n", "all but b", 0, "no column 'b'"},
        {"n,a,y\n1,5,1\n2,4,2\n3,7,3\n4,9,5\n5,3,1\n6,2,2\n", "a,y", 0, "'y' is the label"},
    };
    netdp_error error = {0};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        netdp_examples *train = NULL, *test = NULL;
        netdp_preparation how = preparation("y", 0.5, 1);
        how.classes = how.intercept = false;
        how.features = table[i].features;
        put(table[i].text);
        const netdp_status status = netdp_examples_prepare(csv, &how, &train, &test, NULL, &error);
        if (status != (table[i].columns > 0 ? NETDP_OK : NETDP_INVALID))
            fail_msg("table %d: %d, %s", (int)i, (int)status, error.text);
        if (status == NETDP_OK)
            assert_int_equal(train->features, table[i].columns);
        else if (strstr(error.text, table[i].says) == NULL)
            fail_msg("%s: does not say: %s", error.text, table[i].says);
        netdp_examples_free(train);
        netdp_examples_free(test);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_index_and_owner),
        cmocka_unit_test(test_gradients_are_derivatives),
        cmocka_unit_test(test_clip_bounds_every_gradient),
        cmocka_unit_test(test_rows_are_clipped_before_the_mean),
        cmocka_unit_test(test_sensitivity),
        cmocka_unit_test(test_sensitivity_of_a_study),
        cmocka_unit_test(test_steps_do_not_expand),
        cmocka_unit_test(test_extreme_margins),
        cmocka_unit_test(test_scores_and_smoothness),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_preparation_by_hand),
        cmocka_unit_test(test_categories_by_hand),
        cmocka_unit_test(test_preparation_as_documented),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_bad_data),
        cmocka_unit_test(test_extreme_cells),
        cmocka_unit_test(test_running_out_of_memory),
        cmocka_unit_test(test_houses),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}

/* Synthetic rows have the law that they name; the least value of an objective; decreasing steps. */
#include "check.h"

#include <netdp/learn.h>
#include <netdp/simulate.h>

#include "base/memory.h"

enum { NODES = 50, FEATURES = 4 };

static netdp_error error;

static netdp_synthesis synthesis(const char *law, bool classes, uint64_t seed)
{
    return (netdp_synthesis){
        .law = law, .classes = classes, .split = 0.8, .nodes = NODES, .seed = seed};
}

static void draw(const char *law, bool classes, uint64_t seed, netdp_examples **train,
                 netdp_examples **test)
{
    const netdp_synthesis how = synthesis(law, classes, seed);
    assert_ok(netdp_examples_draw(&how, train, test, &error));
}

/* Of 8000 rows: every check is at 5 standard errors or more. */
static void test_classes_have_their_moments(void **state)
{
    (void)state;
    netdp_examples *train, *test;
    draw("gaussian-classes 4 mean=2 variance=9 rows=160", true, 7, &train, &test);
    assert_int_equal(train->rows, 8000);
    assert_int_equal(test->rows, 2000);
    assert_int_equal(train->features, FEATURES);
    assert_int_equal(train->start[NODES], 8000);
    double heads = 0;
    for (int j = 0; j < FEATURES; j++) {
        double sum = 0, square = 0, across = 0;
        for (int64_t i = 0; i < train->rows; i++) {
            const double away = train->y[i] * train->x[i * FEATURES + j] - 2;
            const double other = train->y[i] * train->x[i * FEATURES + (j + 1) % FEATURES] - 2;
            assert_true(train->y[i] == 1 || train->y[i] == -1);
            heads += train->y[i] > 0 ? 1.0 / FEATURES : 0;
            sum += away, square += away * away, across += away * other;
        }
        assert_close(sum / 8000, 0, 5 * 3 / sqrt(8000), 0);
        assert_close(square / 8000, 9, 5 * 9 * sqrt(2 / 8000.0), 0);
        assert_close(across / 8000, 0, 5 * 9 / sqrt(8000), 0);
    }
    assert_close(heads / 8000, 0.5, 5 * 0.5 / sqrt(8000), 0);
    netdp_examples_free(train);
    netdp_examples_free(test);
}

static void test_model_has_its_noise(void **state)
{
    (void)state;
    netdp_examples *train, *test;
    draw("linear-model 4 variance=0.25 noise=0.5 rows=160", false, 7, &train, &test);
    double square = 0, pull = 0;
    for (int64_t i = 0; i < train->rows; i++) {
        double rest = train->y[i];
        for (int j = 0; j < FEATURES; j++)
            rest -= train->x[i * FEATURES + j] / 2;
        square += rest * rest;
        pull += rest * train->x[i * FEATURES];
    }
    assert_close(square / 8000, 0.25, 5 * 0.25 * sqrt(2 / 8000.0), 0);
    assert_close(pull / 8000, 0, 5 * 0.25 / sqrt(8000), 0);
    netdp_examples_free(train);
    netdp_examples_free(test);
}

/* The same seed draws the same bytes, and a node's rows whatever the others are. */
static void test_seed_fixes_every_row(void **state)
{
    (void)state;
    const char *law = "gaussian-classes 4 rows=3";
    netdp_examples *one[2], *same[2], *other[2], *fewer[2];
    netdp_synthesis how = synthesis(law, true, 7);
    draw(law, true, 7, &one[0], &one[1]);
    draw(law, true, 7, &same[0], &same[1]);
    draw(law, true, 8, &other[0], &other[1]);
    how.nodes = 2;
    how.intercept = true;
    assert_ok(netdp_examples_draw(&how, &fewer[0], &fewer[1], &error));
    for (int part = 0; part < 2; part++) {
        const size_t bytes = (size_t)one[part]->rows * FEATURES * sizeof(double);
        assert_memory_equal(one[part]->x, same[part]->x, bytes);
        assert_true(memcmp(one[part]->x, other[part]->x, bytes) != 0);
    }
    for (int i = 0; i < 6; i++) {
        assert_memory_equal(one[0]->x + i * FEATURES, fewer[0]->x + i * (FEATURES + 1),
                            FEATURES * sizeof(double));
        assert_true(fewer[0]->x[i * (FEATURES + 1) + FEATURES] == 1);
    }
    assert_true(one[1]->x[0] != one[0]->x[0]);
    netdp_examples **all[] = {one, same, other, fewer};
    for (int i = 0; i < 4; i++)
        for (int part = 0; part < 2; part++)
            netdp_examples_free(all[i][part]);
}

static void test_what_is_no_law_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *law, *told;
        bool classes;
    } wrong[] = {
        {"gausian-classes 4", "did you mean gaussian-classes", true},
        {"", "give gaussian-classes or linear-model", true},
        {"gaussian-classes", "the dimension must be a whole number", true},
        {"gaussian-classes 0", "the dimension must be a whole number", true},
        {"gaussian-classes 2.5", "the dimension must be a whole number", true},
        {"gaussian-classes 4 noise=1", "'noise' is not known here", true},
        {"gaussian-classes 4 variance=-1", "variance=-1: give from 0", true},
        {"gaussian-classes 4 variance=nan", "variance=nan: give", true},
        {"gaussian-classes 4 rows=1.5", "rows=1.5: give a whole number", true},
        {"gaussian-classes 4 5", "'5' is not known here", true},
        {"gaussian-classes 4", "has classes; it is for logistic", false},
        {"linear-model 4", "has numbers; it is for ridge", true},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const netdp_synthesis how = synthesis(wrong[i].law, wrong[i].classes, 1);
        netdp_examples *train = NULL, *test = NULL;
        assert_fails(netdp_examples_draw(&how, &train, &test, &error), NETDP_INVALID);
        if (strstr(error.text, wrong[i].told) == NULL)
            fail_msg("'%s': %s", wrong[i].law, error.text);
        assert_null(train);
    }
}

/* ---- The least value ---- */

/* At the least value the gradient is 0 and every other model is worse. */
static void assert_least(const netdp_objective *objective, const netdp_examples *train)
{
    double model[FEATURES], gradient[FEATURES], sum[FEATURES] = {0}, value = NAN;
    assert_ok(netdp_objective_least(objective, train, &value, model, &error));
    assert_close(netdp_objective_value(objective, train, model), value, 0, 1e-15);
    netdp_objective free_of = *objective;
    free_of.clip = INFINITY;
    for (int32_t u = 0; u < train->nodes; u++) {
        netdp_gradient(&free_of, train, u, model, 0, 1, 0, NULL, gradient);
        for (int j = 0; j < FEATURES; j++)
            sum[j] += gradient[j] / train->nodes;
    }
    for (int j = 0; j < FEATURES; j++) {
        assert_close(sum[j], 0, 1e-6, 0);
        for (int sign = -1; sign < 2; sign += 2) {
            double there[FEATURES];
            memcpy(there, model, sizeof there);
            there[j] += sign * 0.01;
            assert_true(netdp_objective_value(objective, train, there) > value);
        }
    }
}

static void test_least_value(void **state)
{
    (void)state;
    netdp_examples *train, *test;
    netdp_objective objective = {.kind = NETDP_LOGISTIC, .clip = 0.1, .l2 = 0.05};
    draw("gaussian-classes 4 mean=0.3 variance=10 rows=3", true, 3, &train, &test);
    assert_least(&objective, train);
    objective.l2 = 0;
    assert_least(&objective, train);
    /* L_u: the mean of |x|^2 / 4 over the node's rows. */
    double square = 0;
    for (int64_t i = train->start[2] * FEATURES; i < train->start[3] * FEATURES; i++)
        square += train->x[i] * train->x[i];
    objective.l2 = 0.5;
    assert_close(netdp_node_smoothness(&objective, train, 2), 0.5 + square / 12, 0, 1e-14);
    assert_true(netdp_node_smoothness(&objective, train, 2) <= netdp_smoothness(&objective, train));
    netdp_examples_free(train);
    netdp_examples_free(test);
    draw("linear-model 4 noise=1 rows=3", false, 3, &train, &test);
    objective = (netdp_objective){.kind = NETDP_RIDGE, .clip = 0.1};
    assert_least(&objective, train);
    netdp_examples_free(train);
    netdp_examples_free(test);
}

static void test_separable_classes_have_none(void **state)
{
    (void)state;
    netdp_examples *train, *test;
    const netdp_objective objective = {.kind = NETDP_LOGISTIC, .clip = 1};
    double value = -1;
    draw("gaussian-classes 4 mean=50 variance=1", true, 3, &train, &test);
    assert_fails(netdp_objective_least(&objective, train, &value, NULL, &error), NETDP_NO_ANSWER);
    assert_true(value == -1);
    netdp_examples_free(train);
    netdp_examples_free(test);
}

/* ---- Decreasing steps of gossip ---- */

/* Two nodes that average exactly, gradients clipped to 0: after T rounds the model is the sum of
 * step / (t+1)^q noise mean(N_t), whose variance is step^2 noise^2 / 2 sum (t+1)^-2q. */
static void test_noise_shrinks_with_the_step(void **state)
{
    (void)state;
    enum { RUNS = LIGHT ? 500 : 1500, ROUNDS = 5 };
    netdp_graph *graph;
    netdp_mixing *mixing;
    netdp_examples *train, *test;
    netdp_synthesis how = synthesis("linear-model 1", false, 1);
    how.nodes = 2;
    assert_ok(netdp_examples_draw(&how, &train, &test, &error));
    assert_ok(netdp_graph_make("complete 2", 1, true, &graph, NULL, &error));
    assert_ok(netdp_mixing_new(graph, "uniform", &mixing, &error));
    const netdp_linear protocol = {
        .mixing = mixing, .rounds = ROUNDS, .every = 1, .steady = true, .reacts = true};
    const netdp_learning learning = {.objective = {.kind = NETDP_RIDGE},
                                     .train = train,
                                     .test = test,
                                     .step = 0.5,
                                     .noise = 3,
                                     .decay = 0.75};
    double square = 0, want = 0, model[2];
    for (int run = 0; run < RUNS; run++) {
        assert_ok(netdp_simulate_learning(&protocol, &learning, (netdp_run_seed){1, (uint64_t)run},
                                          (netdp_tracing){.every = 1}, model, &error));
        square += model[0] * model[0] / RUNS;
    }
    for (int t = 1; t <= ROUNDS; t++)
        want += 0.25 * 9 / 2 * pow(t, -1.5);
    assert_close(square, want, 5 * want * sqrt(2.0 / RUNS), 0);
    netdp_mixing_free(mixing);
    netdp_graph_free(graph);
    netdp_examples_free(train);
    netdp_examples_free(test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes_have_their_moments),
        cmocka_unit_test(test_model_has_its_noise),
        cmocka_unit_test(test_seed_fixes_every_row),
        cmocka_unit_test(test_what_is_no_law_is_refused),
        cmocka_unit_test(test_least_value),
        cmocka_unit_test(test_separable_classes_have_none),
        cmocka_unit_test(test_noise_shrinks_with_the_step),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + (netdp_i_memory_live() != 0);
}

#include "check.h"

#include <netdp/walk.h>
#include <netdp/protocol.h>

static netdp_error error;

static void test_values_by_hand(void **state)
{
    (void)state;
    /* computed with 40 digits from the two formulas of the header */
    static const struct {
        netdp_convergence of;
        double step, bound;
    } table[] = {
        {{1, 1, 1, 1, 0, 1, 0, 2, 1000}, 0.0046304879939723812, 0.25775472013381649},
        {{0.5, 2, 7, 0.25, 0.125, 8, 0.75, 10, 20000}, 0.00075128915822193691, 0.52619928436016533},
        {{0.1, 4, 3, 0.01, 0, 3, 0, 100, 50}, 0.25, 5756.7620468183444},
        {{1, 1, 1, 0, 0, 2, 3, 5, 10}, 1, 18}, /* no heterogeneity: step 1/beta */
        {{2, 8, 1.5, 0, 0.5, 1, 0, 5, 4}, 0.125, 15.8515625},
        {{1, 1, 1, 1, 0, 1, 0, 6.25, 1}, 0.0016012813669738333, 78.062349866517149},
        {{1e-3, 1e3, 1e6, 1e-12, 0, 1, 1e-9, 1e4, 1000000000000},
         2.8572629655786993e-8,
         0.0011923325565438534},
        {{1, 1, 100, 1, 0, 1, 0, 1, 100}, 0, INFINITY}, /* the logarithm is negative */
        {{0.9, 3, 2, 1, 0, 5, 1, 0, 100}, 0, INFINITY}, /* already there: of no use */
        {{1, 1, 1, 0, 0, 1, 0, 0, 1}, 1, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double step = -1, bound = -1;
        assert_ok(netdp_walk_convergence(&table[i].of, &step, &bound, &error));
        assert_close(step, table[i].step, 0, 1e-12);
        assert_close(bound, table[i].bound, 0, 1e-12);
    }
}

/*
 * E(x_T - x*)^2 of f_v(x) = (x - y_v)^2 / 2 with mean 0 of the values, from x_0 = distance at a
 * uniform node or at `start`: P(v), E x 1[v] and E x^2 1[v], all nodes at once.
 */
static double expect(netdp_rows rows, const double *y, int32_t start, const netdp_convergence *c,
                     double step)
{
    double now[16][3] = {{0}}, next[16][3], square = 0;
    for (int32_t v = 0; v < rows.nodes; v++) {
        now[v][0] = start < 0 ? 1.0 / rows.nodes : v == start;
        now[v][1] = now[v][0] * c->distance;
        now[v][2] = now[v][1] * c->distance;
    }
    for (int64_t t = 0; t < c->steps; t++) {
        memset(next, 0, sizeof next);
        square = 0;
        for (int32_t v = 0; v < rows.nodes; v++) {
            const double to = step * y[v], keep = 1 - step, *law = now[v];
            const double noise = step * step * (c->noise * c->noise + c->batch_variance);
            const double after[] = {law[0], keep * law[1] + to * law[0],
                                    keep * keep * law[2] + 2 * keep * to * law[1] +
                                        (to * to + noise) * law[0]};
            square += after[2];
            for (int64_t i = rows.start[v]; i < rows.start[v + 1]; i++)
                for (int j = 0; j < 3; j++)
                    next[rows.column[i]][j] += rows.weight[i] * after[j];
        }
        memcpy(now, next, sizeof now);
    }
    return square;
}

static void test_bound_holds(void **state)
{
    (void)state;
    static const char *const families[] = {"path 2", "ring 12", "star 10", "path 14", "complete 8"};
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        netdp_graph *graph = NULL;
        netdp_mixing *mixing = NULL;
        int64_t time;
        double y[16], step, bound;
        int checked = 0;
        assert_ok(netdp_graph_make(families[f], 0, true, &graph, NULL, &error));
        assert_ok(netdp_mixing_new(graph, f == 0 ? "lazy:0.5" : "metropolis", &mixing, &error));
        assert_ok(netdp_mixing_time(mixing, 0.25, &time, &error));
        const netdp_rows rows = netdp_mixing_rows(mixing);
        for (int32_t v = 0; v < rows.nodes; v++) /* slowest: one side against the other */
            y[v] = 2 * v < rows.nodes ? 1 : -1;
        for (int i = 0; i < 4 * 5 * 3 * 2; i++) {
            const netdp_convergence c = {1,
                                         1,
                                         (double)time,
                                         1,
                                         i / 60 * 0.5,
                                         1,
                                         i / 20 % 3 * 0.7,
                                         pow(10, i % 4 - 1),
                                         (int64_t)pow(6, 1 + i / 4 % 5)};
            assert_ok(netdp_walk_convergence(&c, &step, &bound, &error));
            if (isinf(bound))
                continue;
            for (int32_t start = -1; start < rows.nodes; start += 4) {
                const double truth = expect(rows, y, start, &c, step);
                if (!(truth <= bound))
                    fail_msg("%s: %g, bound %g", families[f], truth, bound);
                checked++;
            }
        }
        assert_true(checked > 30);
        netdp_mixing_free(mixing);
        netdp_graph_free(graph);
    }
}

/* With 2 exp(-T m / beta) R^2 in place of 2 (1 - gamma m)^T R^2 it would not be a bound. */
static void test_printed_first_term_is_too_small(void **state)
{
    (void)state;
    netdp_graph *graph = NULL;
    netdp_mixing *mixing = NULL;
    double step, bound;
    const double y[] = {1, -1};
    assert_ok(netdp_graph_make("complete 2", 0, true, &graph, NULL, &error));
    assert_ok(netdp_mixing_new(graph, "uniform", &mixing, &error));
    netdp_convergence c = {1, 1, 1, 1, 0, 1, 0, 0, 100};
    c.distance = sqrt(0.39 * exp(0.3)); /* the logarithm is 0.3 */
    assert_ok(netdp_walk_convergence(&c, &step, &bound, &error));
    assert_close(step, 0.003, 0, 1e-12);
    const double truth = expect(netdp_mixing_rows(mixing), y, -1, &c, step);
    const double printed = 2 * exp(-100) * c.distance * c.distance + 0.39 * 0.3;
    assert_close(truth, 0.289, 0.002, 0);
    assert_close(printed, 0.117, 1e-12, 0);
    assert_true(truth > 2 * printed && truth < bound);
    netdp_mixing_free(mixing);
    netdp_graph_free(graph);
}

static void test_more_steps_come_nearer(void **state)
{
    (void)state;
    double before = INFINITY, step, bound;
    for (int64_t steps = 1000; steps <= 100000000; steps *= 10) {
        const netdp_convergence c = {0.5, 1, 10, 1, 0, 8, 2, 30, steps};
        assert_ok(netdp_walk_convergence(&c, &step, &bound, &error));
        assert_true(bound < before && step > 0 && step <= 1);
        before = bound;
    }
    assert_true(before < 1e-3);
}

static void test_bad_inputs(void **state)
{
    (void)state;
    const netdp_convergence fine = {1, 2, 3, 1, 1, 1, 1, 9, 1000};
    netdp_convergence bad[20];
    int n = 0;
    for (int i = 0; i < 20; i++)
        bad[i] = fine;
    bad[n++].convexity = 0;
    bad[n++].convexity = -1;
    bad[n++].convexity = NAN;
    bad[n++].convexity = 2.1;
    bad[n++].smoothness = INFINITY;
    bad[n++].smoothness = NAN;
    bad[n++].mixing_time = 0.9;
    bad[n++].mixing_time = INFINITY;
    bad[n++].mixing_time = NAN;
    bad[n++].heterogeneity = -1;
    bad[n++].heterogeneity = NAN;
    bad[n++].batch_variance = -1;
    bad[n++].batch_variance = INFINITY;
    bad[n++].dimensions = 0;
    bad[n++].noise = -1;
    bad[n++].noise = NAN;
    bad[n++].distance = -1;
    bad[n++].distance = INFINITY;
    bad[n++].steps = 0;
    bad[n++].steps = -5;
    double step = 7, bound = 7;
    for (int i = 0; i < n; i++) {
        if (netdp_walk_convergence(&bad[i], &step, &bound, NULL) == NETDP_OK)
            fail_msg("input %d was taken", i);
        assert_fails(netdp_walk_convergence(&bad[i], &step, &bound, &error), NETDP_INVALID);
    }
    assert_true(step == 7 && bound == 7);
    assert_ok(netdp_walk_convergence(&fine, &step, &bound, &error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_by_hand),
        cmocka_unit_test(test_bound_holds),
        cmocka_unit_test(test_printed_first_term_is_too_small),
        cmocka_unit_test(test_more_steps_come_nearer),
        cmocka_unit_test(test_bad_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

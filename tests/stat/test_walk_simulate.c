/*
 * Simulated walks go where their transition matrix sends them, and their models err as the linear
 * recursion says.
 *
 * All draws come from fixed seeds, so a run is the same every time. Means are compared within 4
 * standard errors: had the seeds been drawn anew, one of about 60 comparisons would fail by chance
 * with probability 60 * 6.3e-5 = 0.4 %. Each of 14 chi-square tests would with probability 1e-6.
 */
#include "walk_net.h"

#include <netdp/simulate.h>

#include "graph/graph.h"

#define ERRORS 4.0
#define NORMAL_AT_1E_6 4.753424

static const netdp_tracing silent = {.every = 1};

/* "rising": Metropolis-Hastings towards 1, 2, 3, ...; "file" goes with an edge list. */
static net walk_on(const char *graph, const char *law)
{
    net n = {NULL, NULL, {0}};
    if (strcmp(law, "file") == 0)
        assert_ok(netdp_i_graph_parse(graph, (int64_t)strlen(graph), "list", false, &n.graph, NULL,
                                      &error));
    else
        assert_ok(netdp_graph_make(graph, 5, true, &n.graph, NULL, &error));
    if (strcmp(law, "rising") == 0) {
        double target[64];
        for (int32_t u = 0; u < netdp_graph_nodes(n.graph); u++)
            target[u] = u + 1;
        assert_ok(netdp_transition_toward(n.graph, target, &n.law, &error));
    } else {
        assert_ok(netdp_transition_new(n.graph, law, &n.law, &error));
    }
    n.rows = netdp_transition_rows(n.law);
    assert_true(n.rows.nodes <= 64);
    return n;
}

/* next[v] = sum_u now[u] P_uv, `width` numbers a node */
static void move(net n, const double *now, double *next, int32_t width)
{
    memset(next, 0, (size_t)(n.rows.nodes * width) * sizeof *next);
    for (int32_t u = 0; u < n.rows.nodes; u++)
        for (int64_t i = n.rows.start[u]; i < n.rows.start[u + 1]; i++)
            for (int32_t j = 0; j < width; j++)
                next[n.rows.column[i] * width + j] += n.rows.weight[i] * now[u * width + j];
}

/* Pearson's statistic against its quantile at 1e-6 (Wilson and Hilferty 1931). */
static void assert_chi_square(double statistic, int freedom, const char *what)
{
    const double part = 2 / (9.0 * freedom);
    const double bound = freedom * pow(1 - part + NORMAL_AT_1E_6 * sqrt(part), 3);
    if (!(statistic <= bound))
        fail_msg("%s: chi-square %.1f of %d degrees of freedom; at most %.1f", what, statistic,
                 freedom, bound);
}

static const struct {
    const char *graph, *law;
} walks[] = {
    {"florentine", "metropolis"},
    {"star 12", "hamilton"},
    {"florentine", "rising"},
    {"karate", "hastings:degree"},
    {"complete 16", "uniform"},
    {"star 9", "rising"},
    {"a b 0.9\nb c 0.05\nc a 0.02\n", "file"},
};
enum { WALKS = sizeof walks / sizeof *walks };

/* ---- Where tokens are ---- */

/* Of many tokens, where each is after a burn-in as long as the law takes to settle. */
static void test_stationary_frequencies(void **state)
{
    (void)state;
    enum { TOKENS = 40000 };
    static double model[TOKENS];
    static int32_t path[2 * TOKENS];
    for (int i = 0; i < WALKS; i++) {
        net n = walk_on(walks[i].graph, walks[i].law);
        const double *pi = netdp_transition_stationary(n.law);
        double now[64] = {1}, next[64], away = 1, values[64] = {0}, statistic = 0;
        int64_t settled = 0, count[64] = {0};
        for (; away > 1e-5; settled++) {
            move(n, now, next, 1);
            memcpy(now, next, sizeof now);
            away = 0;
            for (int32_t u = 0; u < n.rows.nodes; u++)
                away += fabs(now[u] - pi[u]);
            assert_true(settled < 10000);
        }
        const netdp_walking w = {.values = values, .width = 1, .step = 1};
        const netdp_token token = {
            .law = n.law, .steps = 1, .burn_in = settled, .start = 0, .tokens = TOKENS};
        assert_ok(
            netdp_simulate_walk(&token, &w, (netdp_run_seed){5, 0}, silent, model, path, &error));
        for (int k = 0; k < TOKENS; k++)
            count[path[2 * k]]++;
        for (int32_t u = 0; u < n.rows.nodes; u++)
            statistic += pow((double)count[u] - TOKENS * pi[u], 2) / (TOKENS * pi[u]);
        assert_chi_square(statistic, n.rows.nodes - 1, walks[i].law);
        drop(n);
    }
}

/* Of one long walk, the moves from each node against its row of P; and uniform starts. */
static void test_moves_follow_the_rows(void **state)
{
    (void)state;
    enum { STEPS = 300000 };
    static int32_t path[STEPS + 1];
    for (int i = 0; i < WALKS; i++) {
        net n = walk_on(walks[i].graph, walks[i].law);
        double model, values[64] = {0}, statistic = 0;
        static int64_t moves[64][64];
        int64_t from[64] = {0};
        int freedom = 0;
        const netdp_walking w = {.values = values, .width = 1, .step = 1};
        const netdp_token token = {
            .law = n.law, .steps = STEPS, .start = NETDP_START_UNIFORM, .tokens = 1};
        assert_ok(
            netdp_simulate_walk(&token, &w, (netdp_run_seed){6, 0}, silent, &model, path, &error));
        memset(moves, 0, sizeof moves);
        for (int t = 1; t < STEPS; t++) {
            moves[path[t - 1]][path[t]]++;
            from[path[t - 1]]++;
        }
        for (int32_t u = 0; u < n.rows.nodes; u++) {
            for (int64_t e = n.rows.start[u]; e < n.rows.start[u + 1]; e++) {
                const double want = (double)from[u] * n.rows.weight[e];
                const double got = (double)moves[u][n.rows.column[e]];
                if (n.rows.weight[e] == 0)
                    assert_true(got == 0);
                else
                    statistic += (got - want) * (got - want) / want;
                freedom += n.rows.weight[e] > 0;
            }
            freedom--;
        }
        if (freedom > 0)
            assert_chi_square(statistic, freedom, walks[i].law);
        drop(n);
    }
}

/* ---- The models of the linear recursion ---- */

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

static void assert_mean(moments m, double want, const char *what)
{
    const double mean = m.sum / (double)m.count;
    const double variance = (m.square - m.sum * mean) / (double)(m.count - 1);
    const double deviation = sqrt(variance / (double)m.count);
    if (!(fabs(mean - want) <= ERRORS * deviation))
        fail_msg("%s: %.8g, want %.8g: %.2f standard errors", what, mean, want,
                 (mean - want) / deviation);
}

/*
 * x <- (1-g) x + g y_v - g noise N, then a move: of P(v), E x 1[v] and E x^2 1[v], all nodes v at
 * once. Leaves E x and E x^2 after the last step.
 */
static void expect(net n, const netdp_token *token, const netdp_walking *w, double *first,
                   double *second)
{
    double now[64 * 3] = {0}, next[64 * 3];
    for (int32_t v = 0; v < n.rows.nodes; v++)
        now[v * 3] = token->start < 0 ? 1.0 / n.rows.nodes : v == token->start;
    for (int64_t t = -token->burn_in; t < token->steps; t++) {
        if (t > -token->burn_in) {
            move(n, now, next, 3);
            memcpy(now, next, sizeof now);
        }
        if (t < 0)
            continue;
        const double g = w->step / pow((double)t + 1, w->decay), noise = g * w->noise;
        for (int32_t v = 0; v < n.rows.nodes; v++) {
            double *law = now + v * 3;
            const double y = g * w->values[v];
            law[2] = (1 - g) * (1 - g) * law[2] + 2 * (1 - g) * y * law[1] +
                     (y * y + noise * noise) * law[0];
            law[1] = (1 - g) * law[1] + y * law[0];
        }
    }
    *first = *second = 0;
    for (int32_t v = 0; v < n.rows.nodes; v++) {
        *first += now[v * 3 + 1];
        *second += now[v * 3 + 2];
    }
}

static void test_errors_are_as_expected(void **state)
{
    (void)state;
    static const struct {
        const char *graph, *law;
        int64_t steps, burn_in;
        int32_t start;
        double step, decay, noise;
    } table[] = {
        {"florentine", "metropolis", 40, 0, NETDP_START_UNIFORM, 0.1, 0, 1},
        {"florentine", "metropolis", 40, 0, 3, 0.1, 0, 0},
        {"florentine", "rising", 25, 4, 0, 0.3, 0, 0.5},
        {"star 12", "hamilton", 30, 1, 2, 0.2, 0, 2},
        {"ring 6", "hastings:degree", 50, 0, 0, 1, 1, 0.3},
        {"karate", "hastings:degree", 30, 10, 0, 1, 0.6, 1},
        {"path 2", "metropolis", 1500, 0, 0, 0.01, 0, 3},
        {"complete 16", "uniform", 1, 0, NETDP_START_UNIFORM, 1, 0, 0.2},
        {"a b 0.9\nb c 0.05\nc a 0.02\n", "file", 12, 2, 2, 0.5, 0.5, 1},
    };
    enum { RUNS = 2000, TOKENS = 10, WIDTH = 3 };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        net n = walk_on(table[i].graph, table[i].law);
        double one[64], values[64 * WIDTH], model[TOKENS * WIDTH], truth = 0, first, second;
        for (int32_t v = 0; v < n.rows.nodes; v++) {
            one[v] = 5 * cos(v);
            truth += one[v] / n.rows.nodes;
            for (int j = 0; j < WIDTH; j++)
                values[v * WIDTH + j] = one[v];
        }
        const netdp_token token = {.law = n.law,
                                   .steps = table[i].steps,
                                   .burn_in = table[i].burn_in,
                                   .start = table[i].start,
                                   .tokens = TOKENS};
        netdp_walking w = {.values = values,
                           .width = WIDTH,
                           .step = table[i].step,
                           .decay = table[i].decay,
                           .noise = table[i].noise};
        moments mean = {0}, squared = {0}, noise = {0};
        for (uint64_t r = 0; r < RUNS / TOKENS; r++) {
            assert_ok(netdp_simulate_walk(&token, &w, (netdp_run_seed){31, r}, silent, model, NULL,
                                          &error));
            for (int k = 0; k < TOKENS; k++) {
                const double *x = model + k * WIDTH; /* the same walk, noises of their own */
                add(&mean, x[1]);
                add(&squared, (x[1] - truth) * (x[1] - truth));
                add(&noise, (x[0] - x[1]) * (x[2] - x[1]));
            }
        }
        w.values = one;
        expect(n, &token, &w, &first, &second);
        assert_mean(mean, first, table[i].graph);
        assert_mean(squared, second - 2 * truth * first + truth * truth, table[i].graph);
        double spread = 0; /* variance of the noise in one coordinate */
        for (int64_t t = 0; t < token.steps; t++) {
            const double g = w.step / pow((double)t + 1, w.decay);
            spread = (1 - g) * (1 - g) * spread + g * g * w.noise * w.noise;
        }
        if (w.noise > 0)
            assert_mean(noise, spread, "noise of coordinates");
        drop(n);
    }
}

/* The noises of tokens, of repeats, of steps in one block and of steps in two are independent. */
static void test_noise_is_fresh(void **state)
{
    (void)state;
    enum { TOKENS = 4, RUNS = 3000 };
    static const int32_t widths[] = {1, 300, 700, 2000}; /* blocks of 1024, 3 and 1 steps */
    net n = walk_on("path 2", "metropolis");
    for (int i = 0; i < 4; i++) {
        const int32_t width = widths[i];
        const int runs = RUNS / width + 4;
        double *values = calloc((size_t)(2 * width), sizeof *values);
        double *model = calloc((size_t)(TOKENS * width), sizeof *model);
        const netdp_walking w = {.values = values, .width = width, .step = 1e-9, .noise = 1e9};
        const netdp_token token = {.law = n.law, .steps = 1100, .start = 0, .tokens = TOKENS};
        moments mean = {0}, square = {0}, cross = {0};
        for (int r = 0; r < runs; r++) {
            assert_ok(netdp_simulate_walk(&token, &w, (netdp_run_seed){7, (uint64_t)r}, silent,
                                          model, NULL, &error));
            for (int32_t j = 0; j < width; j++)
                for (int k = 0; k < TOKENS; k++) {
                    const double x = model[k * width + j];
                    add(&mean, x);
                    add(&square, x * x);
                    add(&cross, x * model[(k + 1) % TOKENS * width + (j + 1) % width]);
                }
        }
        assert_mean(mean, 0, "noise");
        assert_mean(square, 1100, "variance of 1,100 steps");
        assert_mean(cross, 0, "tokens share noise");
        free(values);
        free(model);
    }
    drop(n);
}

/* Constant steps stay near the mean, decreasing ones come to it. */
static void test_mean_is_reached(void **state)
{
    (void)state;
    net n = walk_on("florentine", "metropolis");
    double values[15], truth = 0, model;
    for (int u = 0; u < 15; u++) {
        values[u] = u * u;
        truth += values[u] / 15;
    }
    const netdp_token token = {.law = n.law, .steps = 3000000, .start = 0, .cap = 0, .tokens = 1};
    static const struct {
        double step, decay, within;
        netdp_walk_output output;
    } table[] = {{1, 1, 0.5, NETDP_WALK_LAST},
                 {0.01, 0, 0.5, NETDP_WALK_AVERAGE},
                 {1, 0.75, 2, NETDP_WALK_LAST},
                 {1e-4, 0, 3, NETDP_WALK_LAST}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const netdp_walking w = {.values = values,
                                 .width = 1,
                                 .step = table[i].step,
                                 .decay = table[i].decay,
                                 .noise = 2,
                                 .output = table[i].output};
        assert_ok(
            netdp_simulate_walk(&token, &w, (netdp_run_seed){1, 0}, silent, &model, NULL, &error));
        assert_close(model, truth, table[i].within, 0);
    }
    drop(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stationary_frequencies), cmocka_unit_test(test_moves_follow_the_rows),
        cmocka_unit_test(test_errors_are_as_expected), cmocka_unit_test(test_noise_is_fresh),
        cmocka_unit_test(test_mean_is_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

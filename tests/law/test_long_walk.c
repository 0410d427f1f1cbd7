/*
 * The account of long walks, by a random length, made to answer for walks that are short enough for all
 * their paths: what it says is never below the mean of the Gaussian guarantees of the least cost of
 * each path, and not far above what is found step by step.
 */
#include "account/walk/mixture/mixed.h"
#include "account/walk/mixture/released.h"
#include "account/walk/observer_set.h"
#include "walk_drawn.h"

enum { SETTINGS = 80, ORDERS = 40, NODES = 8 };

/* (P^t)_uv */
static void fill_powers(net n, int32_t from, int32_t to, int64_t terms, double *into)
{
    double at[NODES] = {0}, next[NODES];
    at[from] = 1;
    for (int64_t t = 0; t < terms; t++) {
        into[t] = at[to];
        memset(next, 0, sizeof next);
        for (int32_t x = 0; x < n.rows.nodes; x++)
            for (int64_t e = n.rows.start[x]; e < n.rows.start[x + 1]; e++)
                next[n.rows.column[e]] += at[x] * n.rows.weight[e];
        memcpy(at, next, sizeof at);
    }
}

static void fill_start(net n, const setting *s, int64_t terms, double *into)
{
    double *one = calloc((size_t)terms, sizeof *one);
    const int32_t start = s->start == NETDP_START_OBSERVER ? s->to[0] : s->start;
    memset(into, 0, (size_t)terms * sizeof *into);
    for (int32_t v = 0; v < n.rows.nodes; v++) {
        if (s->start != NETDP_START_UNIFORM && v != start)
            continue;
        fill_powers(n, v, s->from, terms, one);
        for (int64_t t = 0; t < terms; t++)
            into[t] += one[t] / (s->start == NETDP_START_UNIFORM ? n.rows.nodes : 1);
    }
    free(one);
}

/* By the grid of long walks, whatever the length; where it is released, back from its end. */
static double long_account(net n, const setting *s)
{
    const int64_t terms = s->steps + 1;
    netdp_i_series *series = NULL;
    netdp_i_observer_set *watch = NULL;
    netdp_i_returns *hunt = NULL;
    netdp_i_time_grid *grid = NULL;
    netdp_i_mixed mixed = {0};
    double *between[4], value = NAN;
    const double back[2] = {1, 1};
    assert_ok(netdp_i_series_new(terms, &series, &error));
    for (int i = 0; i < s->members * s->members; i++) {
        between[i] = netdp_i_series_array(series);
        fill_powers(n, s->to[i / s->members], s->to[i % s->members], terms, between[i]);
    }
    assert_ok(netdp_i_observer_set_new(series, s->members, (const double *const *)between,
                                       s->release, &watch, &error));
    assert_ok(netdp_i_returns_new(watch, &hunt, &error));
    fill_powers(n, s->from, s->from, terms, hunt->returns);
    fill_start(n, s, terms, hunt->presence);
    for (int32_t f = 0; f < s->members; f++)
        fill_powers(n, s->from, s->to[f], terms, hunt->arrivals[f]);
    hunt->share = 1 / (double)n.rows.nodes;
    netdp_i_returns_prepare(hunt, back);
    assert_ok(netdp_i_time_grid_coarse(s->steps, &grid, &error));
    if (s->release)
        assert_ok(netdp_i_time_grid_coarse(s->steps, &grid->beside, &error));
    const netdp_i_mixture_asked asked = {.cap = s->cap, .tokens = 1, .delta = s->delta};
    assert_ok(netdp_i_mixed_answer(grid, hunt, asked, s->sigma, &mixed, &value, &error));
    assert_false(netdp_i_mixed_none(&mixed));
    assert_true(s->release || !mixed.way[0].none);
    netdp_i_mixed_clear(&mixed);
    netdp_i_time_grid_free(grid);
    netdp_i_returns_free(hunt);
    netdp_i_observer_set_free(watch);
    for (int i = 0; i < s->members * s->members; i++)
        netdp_i_series_drop(between[i]);
    netdp_i_series_free(series);
    return value;
}

static void test_all_paths(void **state)
{
    (void)state;
    netdp_stream stream = netdp_stream_at(23, NETDP_FOR_TEST, 0, 0);
    int asked = 0, near = 0;
    for (int i = 0; i < SETTINGS; i++) {
        char family[32];
        draw_family(&stream, family, sizeof family);
        net n = open_net(family, 1, laws[below(&stream, 4)]);
        const setting s = draw_setting(&stream, n.rows);
        if (s.cap == 1 || s.steps < 3) { /* of one contribution the law is known */
            drop(n);
            continue;
        }
        const double epsilon = long_account(n, &s), truth = true_delta(n, &s, epsilon);
        if (truth > s.delta * (1 + 1e-9))
            print_message("%s, from %d to %d (%d), start %d, %d steps, cap %d, release %d, sigma "
                          "%.17g, delta "
                          "%.17g: epsilon %.17g has %.17g\n",
                          family, s.from, s.to[0], s.members > 1 ? s.to[1] : -1, s.start, s.steps,
                          (int)s.cap, s.release, s.sigma, s.delta, epsilon, truth);
        assert_true(truth <= s.delta * (1 + 1e-9));
        near += epsilon < 1.1 * account(n, &s, NETDP_BOUND_EXCURSION_MIXTURE);
        asked++;
        drop(n);
    }
    assert_true(asked > SETTINGS / 2);
    assert_true(near > asked / 2);
}

/* P(a contribution that counts is followed by no visit), step by step. */
static double walked_open(net n, const setting *s)
{
    enum { COUNTS = 8 };
    static double at[NODES][COUNTS][2], next[NODES][COUNTS][2];
    memset(at, 0, sizeof at);
    for (int32_t v = 0; v < n.rows.nodes; v++)
        at[v][0][0] = 1.0 / n.rows.nodes;
    for (int64_t t = 0; t <= s->steps; t++) {
        memset(next, 0, sizeof next);
        for (int32_t v = 0; v < n.rows.nodes; v++)
            for (int k = 0; k <= s->cap; k++)
                for (int open = 0; open < 2; open++) {
                    const bool counts = v == s->from && k < s->cap && t < s->steps;
                    const int after = k + counts, left = v == s->to[0] ? 0 : counts ? 1 : open;
                    if (t == s->steps)
                        next[v][after][left] += at[v][k][open];
                    for (int64_t e = n.rows.start[v]; e < n.rows.start[v + 1] && t < s->steps; e++)
                        next[n.rows.column[e]][after][left] += at[v][k][open] * n.rows.weight[e];
                }
        memcpy(at, next, sizeof at);
    }
    double sum = 0;
    for (int32_t v = 0; v < n.rows.nodes; v++)
        for (int k = 0; k <= s->cap; k++)
            sum += at[v][k][1];
    return sum;
}

/* Where a release is not followed, what it may tell is lost: never less than that, and no cliff behind. */
static void test_released(void **state)
{
    (void)state;
    static const int32_t lengths[] = {60, 200, 700};
    net n = open_net("hypercube 3", 1, "metropolis");
    for (int i = 0; i < 9; i++) {
        setting s = {"",   "", lengths[i % 3], 7, 1, {0}, NETDP_START_UNIFORM, 1 + i / 3,
                     true, 3,  1e-5,           0};
        const int64_t terms = s.steps + 1;
        netdp_i_series *series = NULL;
        netdp_i_observer_set *watch = NULL;
        netdp_i_returns *hunt = NULL;
        const double back = 1;
        double open = 0;
        assert_ok(netdp_i_series_new(terms, &series, &error));
        double *between = netdp_i_series_array(series);
        fill_powers(n, 0, 0, terms, between);
        assert_ok(netdp_i_observer_set_new(series, 1, (const double *const *)&between, true, &watch,
                                           &error));
        assert_ok(netdp_i_returns_new(watch, &hunt, &error));
        fill_powers(n, 7, 7, terms, hunt->returns);
        fill_start(n, &s, terms, hunt->presence);
        fill_powers(n, 7, 0, terms, hunt->arrivals[0]);
        netdp_i_returns_prepare(hunt, &back);
        assert_ok(netdp_i_released_open(hunt, s.cap, &open, &error));
        const double truth = walked_open(n, &s); /* and where fewer than the cap have come */
        if (!(open >= truth && open <= 1))
            print_message("%d steps, cap %d: %.17g, and at most %.17g\n", s.steps, (int)s.cap,
                          truth, open);
        assert_true(open >= truth && open <= 1);
        assert_true(s.steps < 700 || open < 1e-7);
        netdp_i_returns_free(hunt);
        netdp_i_observer_set_free(watch);
        netdp_i_series_drop(between);
        netdp_i_series_free(series);
    }
    drop(n);
    n = open_net("hypercube 4", 1, "metropolis");
    double last = 0;
    for (int i = 0; i < 4; i++) { /* the steps at which it is followed otherwise */
        static const int32_t steps[] = {512, 513, 2048, 2049};
        const setting s = {"", "", steps[i], 15, 1, {0}, NETDP_START_UNIFORM, 2, true, 6, 1e-6, 0};
        const double value = account(n, &s, NETDP_BOUND_AUTO);
        assert_true(i == 0 || (value < 1.03 * last && value > 0.97 * last));
        last = value;
    }
    drop(n);
}

/* It is asked beside the other where the steps are many, and says little more there than step by step. */
static void test_joint(void **state)
{
    (void)state;
    net n = open_net("hypercube 3", 1, "metropolis");
    for (int64_t cap = 0; cap <= 40; cap += 5) {
        setting s = {"hypercube 3",       "metropolis", 32,    7, 1,    {0},
                     NETDP_START_UNIFORM, cap,          false, 6, 1e-6, 0};
        const double timed = account(n, &s, NETDP_BOUND_EXCURSION_MIXTURE);
        s.steps = 33;
        const double untimed = account(n, &s, NETDP_BOUND_EXCURSION_MIXTURE);
        assert_true(untimed > timed && untimed < 1.06 * timed);
    }
    drop(n);
}

/* From 8,193 steps on blocks of steps are followed, in which less is rounded: it tells no less than before. */
static void test_blocks(void **state)
{
    (void)state;
    net n = open_net("complete 8", 1, "metropolis");
    for (int64_t cap = 0; cap <= 40; cap += 40) {
        setting s = {"complete 8",        "metropolis", 8193,  1, 1,    {0},
                     NETDP_START_UNIFORM, cap,          false, 5, 1e-6, 0};
        const double far = account(n, &s, NETDP_BOUND_EXCURSION_MIXTURE);
        s.steps = 8192;
        const double near = account(n, &s, NETDP_BOUND_EXCURSION_MIXTURE);
        assert_true(near <= far && near > 0.9 * far);
    }
    drop(n);
}

/* By how much costs that are rounded to a grid may differ from those on another one. */
#define GRID 2e-3
#define COALITION 1e-2
/* ... and of large epsilons, at which delta cuts another part of the law off. */
#define LARGE 20

/* More of anything never tells less, and no other bound less than what is chosen. */
static void test_order(void **state)
{
    (void)state;
    netdp_stream stream = netdp_stream_at(29, NETDP_FOR_TEST, 0, 0);
    double worst = 0;
    for (int i = 0; i < ORDERS; i++) {
        char family[32];
        draw_family(&stream, family, sizeof family);
        net n = open_net(family, 1, laws[below(&stream, 4)]);
        setting s = draw_setting(&stream, n.rows), more[6];
        s.release = false;
        s.members = 1;
        s.steps = 33 + below(&stream, 500);
        s.cap = below(&stream, 3) == 0 ? 0 : 1 + below(&stream, 60);
        const double value = account(n, &s, NETDP_BOUND_AUTO);
        for (int k = 0; k < 6; k++)
            more[k] = s;
        more[0].sigma *= 0.95;
        more[1].cap = s.cap == 0 ? 0 : s.cap + 1 + below(&stream, 20);
        more[2].cap = 0;
        more[3].steps += 1 + below(&stream, 200);
        more[4].delta *= 0.8;
        more[5].members = n.rows.nodes > 3 ? 2 : 1;
        for (int k = 0; k < 6; k++) {
            const double other = account(n, &more[k], NETDP_BOUND_AUTO);
            const double grid = k == 5 || value > LARGE ? COALITION : GRID;
            if (other < value * (1 - grid))
                print_message(
                    "%d: %s, from %d to %d, start %d, %d steps, cap %d, sigma %g, delta %g: "
                    "%.9g, and %.9g of more\n",
                    k, family, s.from, s.to[0], s.start, s.steps, (int)s.cap, s.sigma, s.delta,
                    value, other);
            worst = fmax(worst, (1 - other / value) / grid);
        }
        const double renyi = account(n, &s, NETDP_BOUND_EXCURSION);
        assert_true(value <= renyi * (1 + 1e-9));
        assert_true(value <= account(n, &s, NETDP_BOUND_LOCAL));
        drop(n);
    }
    assert_true(worst < 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_paths),
                                       cmocka_unit_test(test_joint), cmocka_unit_test(test_blocks),
                                       cmocka_unit_test(test_released),
                                       cmocka_unit_test(test_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

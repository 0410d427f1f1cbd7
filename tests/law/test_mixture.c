/*
 * The mixture over paths against all paths of small walks, one by one: what it prints is never below
 * the mean of the Gaussian guarantees of the least cost of each path, the greatest convex minorant.
 */
#include <math.h>
#include <string.h>
#include <netdp/privacy.h>
#include <netdp/walk.h>

#include "walk_net.h"

enum { STEPS = 8 };

typedef struct setting {
    const char *family, *law;
    int32_t steps, from, members, to[2], start;
    int64_t cap;
    bool release;
    double sigma, delta;
} setting;

static const setting settings[] = {
    {"path 3", "metropolis", 8, 2, 1, {0}, NETDP_START_UNIFORM, 0, false, 4, 1e-3},
    {"path 3", "lazy:0.8", 8, 1, 1, {0}, NETDP_START_UNIFORM, 2, false, 2, 1e-5},
    {"complete 3", "metropolis", 7, 1, 1, {0}, 0, 3, true, 1, 1e-6},
    {"ring 4", "lazy:0.3", 7, 2, 1, {0}, NETDP_START_UNIFORM, 2, true, 10, 1e-6},
    {"star 4", "hamilton", 8, 1, 1, {0}, NETDP_START_UNIFORM, 0, false, 2, 0.03},
    {"star 5", "hamilton", 7, 1, 2, {2, 3}, 1, 3, false, 1, 1e-5},
    {"ring 5", "metropolis", 6, 1, 2, {0, 3}, NETDP_START_OBSERVER, 2, true, 4, 1e-4},
    {"path 4", "metropolis", 7, 3, 1, {1}, 3, 1, true, 2, 1e-4},
    {"complete 4", "metropolis", 6, 1, 1, {0}, NETDP_START_OBSERVER, 1, false, 6, 1e-3},
};

/* How the path goes on; what it costs so far. */
typedef struct walk {
    net n;
    const setting *s;
    double epsilon, sum;
} walk;

static bool observes(const setting *s, int32_t node)
{
    return node == s->to[0] || (s->members > 1 && node == s->to[1]);
}

/* Least squared slopes below the running count of contributions `when`, up to `end`. */
static double least_cost(const int32_t *when, int32_t count, int32_t end)
{
    double sum = 0;
    for (int32_t i = 0; i < count;) { /* from a corner, the flattest line that stays below */
        double slope = INFINITY;
        int32_t next = count;
        for (int32_t j = i + 1; j <= count; j++) {
            const double x = (j < count ? when[j] : end) - when[i], to = (j - i) / x;
            if (to <= slope) {
                slope = to;
                next = j;
            }
        }
        sum += slope * (next - i);
        i = next;
    }
    return sum;
}

static double path_cost(const setting *s, const int32_t *path)
{
    int32_t when[STEPS], count = 0, seen = 0;
    double sum = 0;
    for (int32_t t = 0; t <= s->steps; t++) {
        if (observes(s, path[t]) || (s->release && t == s->steps)) {
            sum += least_cost(when, count, t);
            count = 0;
        }
        if (path[t] == s->from && t < s->steps && (s->cap == 0 || seen++ < s->cap))
            when[count++] = t;
    }
    return sum;
}

static void go_on(walk *w, int32_t *path, int32_t step, double probability)
{
    if (step == w->s->steps) {
        const double cost = path_cost(w->s, path);
        double delta = 0;
        if (cost > 0)
            assert_ok(netdp_gdp_to_delta(sqrt(cost) / w->s->sigma, w->epsilon, &delta, &error));
        w->sum += probability * delta;
        return;
    }
    const netdp_rows rows = w->n.rows;
    for (int64_t e = rows.start[path[step]]; e < rows.start[path[step] + 1]; e++) {
        path[step + 1] = rows.column[e];
        if (rows.weight[e] > 0)
            go_on(w, path, step + 1, probability * rows.weight[e]);
    }
}

static double true_delta(net n, const setting *s, double epsilon)
{
    walk w = {n, s, epsilon, 0};
    int32_t path[STEPS + 1];
    for (int32_t v = 0; v < n.rows.nodes; v++) {
        const double start = s->start == NETDP_START_UNIFORM    ? 1.0 / n.rows.nodes
                             : s->start == NETDP_START_OBSERVER ? v == s->to[0]
                                                                : v == s->start;
        path[0] = v;
        if (start > 0)
            go_on(&w, path, 0, start);
    }
    return w.sum;
}

static double account(net n, const setting *s, netdp_bound bound)
{
    const netdp_token token = {.law = n.law,
                               .steps = s->steps,
                               .start = s->start == NETDP_START_OBSERVER ? s->to[0] : s->start,
                               .tokens = 1,
                               .cap = s->cap,
                               .release = s->release};
    const netdp_walk_request request = {.token = &token,
                                        .bound = bound,
                                        .noise = s->sigma,
                                        .unit = {NETDP_AS_DP, s->delta},
                                        .from_count = 1,
                                        .from = &s->from,
                                        .to_count = s->members,
                                        .to = s->to,
                                        .coalition = s->members > 1};
    netdp_losses *losses = NULL;
    assert_ok(netdp_walk_losses_new(&request, NULL, &losses, &error));
    assert_true(losses->sound);
    const double value = losses->loss[0];
    netdp_losses_free(losses);
    return value;
}

/* At the epsilon that is printed no path law has more than delta, and a little below it has. */
static void test_all_paths(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const setting *s = &settings[i];
        net n = open_net(s->family, 1, s->law);
        const double epsilon = account(n, s, NETDP_BOUND_EXCURSION_MIXTURE);
        assert_true(epsilon > 1e-3);
        assert_true(true_delta(n, s, epsilon) <= s->delta * (1 + 1e-9));
        assert_true(true_delta(n, s, 0.8 * epsilon) > s->delta);
        assert_true(epsilon <= account(n, s, NETDP_BOUND_EXCURSION) * (1 + 1e-9));
        drop(n);
    }
}

static void test_order(void **state)
{
    (void)state;
    net n = open_net("hypercube 3", 1, "metropolis");
    setting s = {"hypercube 3", "metropolis", 40, 7, 1, {0}, NETDP_START_UNIFORM, 3, false, 4,
                 1e-5};
    const double value = account(n, &s, NETDP_BOUND_AUTO);
    for (int i = 0; i < 3; i++) {
        setting more = s;
        more.sigma *= i == 0 ? 0.9 : 1;
        more.cap += i == 1;
        more.steps += i == 2 ? 20 : 0;
        assert_true(account(n, &more, NETDP_BOUND_AUTO) > value);
    }
    s.cap = 1;
    const double least = account(n, &s, NETDP_BOUND_AUTO);
    assert_true(least <= account(n, &s, NETDP_BOUND_FIRST_PASSAGE));
    assert_true(least < account(n, &s, NETDP_BOUND_LOCAL));
    drop(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_paths),
                                       cmocka_unit_test(test_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

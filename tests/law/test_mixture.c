/*
 * The mixture over paths against all paths of small walks, one by one: what it prints is never below
 * the mean of the Gaussian guarantees of the least cost of each path, the greatest convex minorant.
 */
#include <string.h>

#include "walk_paths.h"

static const setting settings[] = {
    {"path 3", "metropolis", 8, 2, 1, {0}, NETDP_START_UNIFORM, 0, false, 4, 1e-3, 0},
    {"path 3", "lazy:0.8", 8, 1, 1, {0}, NETDP_START_UNIFORM, 2, false, 2, 1e-5, 0},
    {"complete 3", "metropolis", 7, 1, 1, {0}, 0, 3, true, 1, 1e-6, 0},
    {"ring 4", "lazy:0.3", 7, 2, 1, {0}, NETDP_START_UNIFORM, 2, true, 10, 1e-6, 0},
    {"star 4", "hamilton", 8, 1, 1, {0}, NETDP_START_UNIFORM, 0, false, 2, 0.03, 0},
    {"star 5", "hamilton", 7, 1, 2, {2, 3}, 1, 3, false, 1, 1e-5, 0},
    {"ring 5", "metropolis", 6, 1, 2, {0, 3}, NETDP_START_OBSERVER, 2, true, 4, 1e-4, 0},
    {"path 4", "metropolis", 7, 3, 1, {1}, 3, 1, true, 2, 1e-4, 0},
    {"complete 4", "metropolis", 6, 1, 1, {0}, NETDP_START_OBSERVER, 1, false, 6, 1e-3, 0},
};

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
    setting s = {
        "hypercube 3", "metropolis", 40, 7, 1, {0}, NETDP_START_UNIFORM, 3, false, 4, 1e-5, 0};
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

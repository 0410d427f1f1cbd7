/* How far from 0 the numbers of an honest run may be: closed forms, what bounds what, and what overflows. */
#include "check.h"

#include <math.h>

#include "net.h"
#include "peer/link/largest.h"

/* Deviations of the normals of a run of `nodes` members: netdp_i_largest_number allows so many. */
static double deviations(double nodes, double rounds, double width)
{
    return sqrt(2 * log(3e12 * nodes * rounds * width));
}

/* One contribution, mixed: what was added is the bound, and a thousandth for rounding. */
static void one_contribution(void **state)
{
    (void)state;
    const net n = family("ring 6");
    const netdp_linear plain = {.mixing = n.mixing, .rounds = 50};
    const netdp_i_extremes of = {.reach = 5, .scale = 2, .width = 3};
    const double want = 5 + 2 * deviations(6, 50, 3);
    assert_close(netdp_i_largest_number(&plain, &of), 1.001 * want, 0, 1e-12);
    /* Noise in pairs adds as variances do. */
    netdp_linear paired = plain;
    netdp_i_extremes shared = of;
    paired.noise.pairing.kappa = 3;
    shared.shared = 4;
    const double pairs = 5 + 2 * deviations(6, 50, 3) * sqrt(1 + 9 * 4);
    assert_close(netdp_i_largest_number(&paired, &shared), 1.001 * pairs, 0, 1e-12);
    net_drop(n);
}

/* Contributions add up over phases; l2 takes of the model, or where step times l2 is beyond 2 makes it grow. */
static void phases(void **state)
{
    (void)state;
    const net n = family("ring 6");
    const netdp_linear learning = {.mixing = n.mixing, .rounds = 40, .every = 10};
    const netdp_i_extremes of = {.reach = 1, .scale = 1, .width = 1};
    const double each = 1 + deviations(6, 40, 1);
    assert_close(netdp_i_largest_number(&learning, &of), 1.001 * 4 * each, 0, 1e-11);
    netdp_i_extremes growing = of;
    growing.shrink = 3; /* |1 - 3| = 2: 1, 3, 7, 15 times what is added */
    assert_close(netdp_i_largest_number(&learning, &growing), 1.001 * 15 * each, 0, 1e-10);
    growing.shrink = 0.5; /* a smaller model is no smaller bound */
    assert_close(netdp_i_largest_number(&learning, &growing), 1.001 * 4 * each, 0, 1e-11);
    net_drop(n);
}

/* More of anything is no smaller bound; accelerated gossip has a bound, and it is not that of plain gossip. */
static void more_is_more(void **state)
{
    (void)state;
    const net n = family("ring 8");
    const netdp_linear plain = {.mixing = n.mixing, .rounds = 30, .noise.dither = 0.1};
    const netdp_i_extremes of = {.reach = 5, .scale = 2, .width = 3, .shared = 2};
    const double base = netdp_i_largest_number(&plain, &of);
    netdp_linear more = plain;
    more.rounds = 60;
    assert_true(netdp_i_largest_number(&more, &of) > base);
    more = plain;
    more.noise.dither = 0.2;
    assert_true(netdp_i_largest_number(&more, &of) > base);
    more = plain;
    more.accelerate = true;
    const double fast = netdp_i_largest_number(&more, &of);
    assert_true(fast > sqrt(8) * base && isfinite(fast));
    netdp_i_extremes wide = of;
    wide.reach = 6;
    assert_true(netdp_i_largest_number(&plain, &wide) > base);
    wide = of;
    wide.width = 30;
    assert_true(netdp_i_largest_number(&plain, &wide) > base);
    net_drop(n);
}

/* However it grows, thrice the bound is a double, so no mixing of numbers within it overflows. */
static void never_overflows(void **state)
{
    (void)state;
    const net n = family("ring 6");
    const netdp_linear long_one = {.mixing = n.mixing, .rounds = 4000, .every = 1};
    const netdp_i_extremes of = {.reach = 1e300, .scale = 1e300, .shrink = 1e3, .width = 1};
    const double most = netdp_i_largest_number(&long_one, &of);
    assert_true(most > 0 && most <= 0x1p1000 && isfinite(3 * most));
    net_drop(n);
}

/* The edge itself is within; NaN and infinity are not, wherever they stand. */
static void within(void **state)
{
    (void)state;
    const double fine[3] = {-2, 0, 2}, beyond[3] = {0, nextafter(2, 3), 0}, none[3] = {0, 0, NAN},
                 infinite[3] = {-INFINITY, 0, 0};
    assert_true(netdp_i_is_within(fine, 3, 2));
    assert_false(netdp_i_is_within(beyond, 3, 2));
    assert_true(netdp_i_is_within(beyond, 1, 2)); /* the first alone */
    assert_false(netdp_i_is_within(none, 3, 2));
    assert_false(netdp_i_is_within(infinite, 3, 0x1p1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_contribution), cmocka_unit_test(phases),
        cmocka_unit_test(more_is_more),     cmocka_unit_test(never_overflows),
        cmocka_unit_test(within),
    };
    return cmocka_run_group_tests_name("largest", tests, NULL, NULL);
}

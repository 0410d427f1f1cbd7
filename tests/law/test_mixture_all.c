/*
 * The mixture over paths against all paths of 500 walks drawn at random: up to 6 nodes and 10 steps,
 * one observer or two, caps, releases, starts, laziness. What is printed, by name or by itself, is never below
 * the truth.
 */
#include "walk_drawn.h"

enum { SETTINGS = 500 };

static void test_drawn_walks(void **state)
{
    (void)state;
    netdp_stream stream = netdp_stream_at(19, NETDP_FOR_TEST, 0, 0);
    int told = 0;
    for (int i = 0; i < SETTINGS; i++) {
        char family[32];
        draw_family(&stream, family, sizeof family);
        net n = open_net(family, 1, laws[below(&stream, 4)]);
        const setting s = draw_setting(&stream, n.rows);
        const double mixture = account(n, &s, NETDP_BOUND_EXCURSION_MIXTURE);
        const double epsilon = fmin(mixture, account(n, &s, NETDP_BOUND_AUTO));
        const double most = account(n, &s, NETDP_BOUND_LOCAL);
        const double truth = true_delta(n, &s, epsilon);
        if (truth > s.delta * (1 + 1e-9))
            print_message("%s, from %d to %d (%d), start %d, %d steps, cap %d, release %d, sigma "
                          "%.17g, delta "
                          "%.17g: epsilon %.17g has %.17g\n",
                          family, s.from, s.to[0], s.members > 1 ? s.to[1] : -1, s.start, s.steps,
                          (int)s.cap, s.release, s.sigma, s.delta, epsilon, truth);
        assert_true(truth <= s.delta * (1 + 1e-9));
        assert_true(epsilon <= most);
        told += epsilon < 0.9 * most;
        drop(n);
    }
    assert_true(told > SETTINGS / 3); /* it is no comparison of the local bound with itself */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_drawn_walks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

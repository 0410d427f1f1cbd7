/*
 * The mixture over paths against all paths of 300 walks drawn at random: up to 6 nodes and 10 steps,
 * one observer or two, caps, releases, starts, laziness. What is printed is never below the truth.
 */
#include <netdp/random.h>

#include "walk_paths.h"

enum { SETTINGS = 300, MOST_PATHS = 300000 };

static const char *const laws[] = {"metropolis", "hamilton", "lazy:0.3", "lazy:0.8"};

static double between(netdp_stream *stream, double low, double high)
{
    return low + (high - low) * netdp_stream_uniform(stream);
}

static int32_t below(netdp_stream *stream, int32_t count)
{
    return (int32_t)netdp_stream_below(stream, (uint64_t)count);
}

static void draw_family(netdp_stream *stream, char *family, size_t size)
{
    static const char *const kinds[] = {"path", "ring", "star", "complete"};
    const int kind = below(stream, 5);
    if (kind == 4)
        snprintf(family, size, "grid 2 %d", 2 + (int)below(stream, 2));
    else
        snprintf(family, size, "%s %d", kinds[kind], 3 + (int)below(stream, 4));
}

/* So many steps that there are not too many paths. */
static int32_t draw_steps(netdp_stream *stream, netdp_rows rows)
{
    int64_t most = 1;
    for (int32_t u = 0; u < rows.nodes; u++)
        most = rows.start[u + 1] - rows.start[u] > most ? rows.start[u + 1] - rows.start[u] : most;
    int32_t steps = 0;
    for (double paths = rows.nodes; steps < STEPS && paths * (double)most <= MOST_PATHS; steps++)
        paths *= (double)most;
    return 1 + below(stream, steps);
}

static setting draw_setting(netdp_stream *stream, netdp_rows rows)
{
    setting s = {.steps = draw_steps(stream, rows)};
    s.from = below(stream, rows.nodes);
    s.members = 1 + (rows.nodes > 3 && below(stream, 3) == 0);
    s.to[0] = (s.from + 1 + below(stream, rows.nodes - 1)) % rows.nodes;
    do {
        s.to[1] = below(stream, rows.nodes);
    } while (s.to[1] == s.from || s.to[1] == s.to[0]);
    const int32_t start = below(stream, 3);
    s.start = start == 0 ? NETDP_START_UNIFORM : start == 1 ? below(stream, rows.nodes) : s.to[0];
    s.cap = below(stream, 4);
    s.release = below(stream, 2) == 1;
    s.sigma = exp(between(stream, log(0.5), log(12)));
    s.delta = exp(between(stream, log(1e-8), log(0.02)));
    return s;
}

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
        const double epsilon = account(n, &s, NETDP_BOUND_EXCURSION_MIXTURE);
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

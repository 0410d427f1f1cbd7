/*
 * Walks as events: two of them and a Gaussian together are never below the mean over all pairs of
 * paths of the Gaussian guarantee of all that is seen, and not far above.
 */
#include <string.h>

#include "walk_paths.h"

static const setting settings[] = {
    {"path 3", "metropolis", 8, 2, 1, {0}, NETDP_START_UNIFORM, 0, false, 4, 1e-3, 0},
    {"path 3", "lazy:0.8", 8, 1, 1, {0}, NETDP_START_UNIFORM, 2, false, 2, 1e-5, 0},
    {"complete 3", "metropolis", 7, 1, 1, {0}, 0, 3, true, 3, 1e-6, 0},
    {"ring 4", "lazy:0.3", 7, 2, 1, {0}, NETDP_START_UNIFORM, 2, true, 10, 1e-6, 0},
    {"star 4", "hamilton", 8, 1, 1, {0}, NETDP_START_UNIFORM, 0, false, 2, 0.03, 0},
    {"star 5", "hamilton", 7, 1, 2, {2, 3}, 1, 3, false, 3, 1e-5, 0},
    {"ring 5", "metropolis", 6, 1, 2, {0, 3}, NETDP_START_OBSERVER, 2, true, 4, 1e-4, 0},
    {"path 4", "metropolis", 7, 3, 1, {1}, 3, 1, true, 2, 1e-4, 0},
    {"complete 4", "metropolis", 6, 1, 1, {0}, NETDP_START_UNIFORM, 1, false, 6, 1e-3, 0},
    {"ring 5", "lazy:0.2", 8, 2, 1, {0}, NETDP_START_UNIFORM, 3, false, 3, 1e-6, 0.8},
};

enum { SETTINGS = sizeof settings / sizeof *settings };

static netdp_events *events_of(net n, const setting *s)
{
    const netdp_token token = token_of(n, s);
    const netdp_walk_request request = request_of(&token, s);
    netdp_events *events = NULL;
    assert_ok(netdp_walk_events_new(&request, NULL, &events, &error));
    return events;
}

/* In doubles: there are many. */
static double gaussian_delta(double mu, double epsilon)
{
    const double a = epsilon / mu - 0.5 * mu;
    return 0.5 * erfc(a * M_SQRT1_2) - exp(epsilon) * 0.5 * erfc((a + mu) * M_SQRT1_2);
}

/* Of a path of each and a Gaussian of `noise`. */
static double true_delta_of_two(const setting *a, const cost_law *of_a, const setting *b,
                                const cost_law *of_b, double noise, double epsilon)
{
    double sum = 0;
    for (int32_t i = 0; i < of_a->count; i++)
        for (int32_t j = 0; j < of_b->count; j++) {
            const double square = of_a->cost[i] / (a->sigma * a->sigma) +
                                  of_b->cost[j] / (b->sigma * b->sigma) + 1 / (noise * noise);
            sum += of_a->mass[i] * of_b->mass[j] * gaussian_delta(sqrt(square), epsilon);
        }
    return sum;
}

/* At the epsilon that is claimed of both and a Gaussian no pair of paths has more than delta. */
static void check_two(const setting *a, const netdp_events *ea, const cost_law *of_a,
                      const setting *b, const netdp_events *eb, const cost_law *of_b)
{
    const double noise = 5, deltas[] = {a->delta, 0.1};
    netdp_event all[5] = {{.mechanism = NETDP_GAUSSIAN, .noise = noise, .count = 1}};
    size_t count = 1;
    for (size_t i = 0; i < ea->count; i++)
        all[count++] = ea->event[i];
    for (size_t i = 0; i < eb->count; i++)
        all[count++] = eb->event[i];
    for (int k = 0; k < 2; k++) {
        double epsilon = NAN;
        assert_ok(netdp_events_epsilon(all, count, deltas[k], NETDP_UPPER, &epsilon, &error));
        if (!(true_delta_of_two(a, of_a, b, of_b, noise, epsilon) <= deltas[k] * (1 + 1e-9)))
            fail_msg("%s, %s: %g is too little at %g", a->family, b->family, epsilon, deltas[k]);
        if (k == 0 && !(true_delta_of_two(a, of_a, b, of_b, noise, 0.8 * epsilon) > deltas[k]))
            fail_msg("%s, %s: %g is too much at %g", a->family, b->family, epsilon, deltas[k]);
    }
}

static void test_two_walks(void **state)
{
    (void)state;
    static cost_law law[SETTINGS];
    netdp_events *events[SETTINGS];
    int laws = 0;
    for (int i = 0; i < SETTINGS; i++) {
        net n = open_net(settings[i].family, 1, settings[i].law);
        find_costs(n, &settings[i], &law[i]);
        events[i] = events_of(n, &settings[i]);
        laws += events[i]->event[0].mechanism == NETDP_RANDOM_GAUSSIAN;
        drop(n);
    }
    assert_true(laws >= SETTINGS - 1);
    for (int i = 0; i < SETTINGS; i += 3) {
        const int j = (i + 3) % SETTINGS;
        check_two(&settings[i], events[i], &law[i], &settings[j], events[j], &law[j]);
    }
    for (int i = 0; i < SETTINGS; i++)
        netdp_events_free(events[i]);
}

/* Alone they say about what the account says; again and again more, and less than one by one. */
static void test_alone_and_often(void **state)
{
    (void)state;
    net n = open_net("hypercube 4", 1, "metropolis");
    setting s = {
        "hypercube 4", "metropolis", 150, 15, 1, {0}, NETDP_START_UNIFORM, 4, false, 6, 1e-6, 0};
    const double alone = account(n, &s, NETDP_BOUND_AUTO);
    netdp_events *events = events_of(n, &s);
    double last = 0;
    assert_int_equal(events->count, 1);
    assert_int_equal(events->event[0].mechanism, NETDP_RANDOM_GAUSSIAN);
    for (int64_t times = 1; times <= 16; times *= 4) {
        double epsilon = NAN;
        events->event[0].count = times;
        assert_ok(netdp_events_epsilon(events->event, 1, s.delta, NETDP_UPPER, &epsilon, &error));
        if (times == 1)
            assert_true(epsilon > 0.98 * alone && epsilon < 1.02 * alone);
        assert_true(epsilon > last);
        assert_true(times == 1 || epsilon < 0.7 * alone * (double)times);
        last = epsilon;
    }
    netdp_events_free(events);
    drop(n);
}

/* One pair, a delta and a sound bound; N contributions where all of them are seen. */
static void test_what_is_asked(void **state)
{
    (void)state;
    net n = open_net("path 3", 1, "metropolis");
    const setting s = settings[0];
    const netdp_token token = token_of(n, &s);
    netdp_walk_request request = request_of(&token, &s);
    netdp_events *events = NULL;
    request.bound = NETDP_BOUND_LOCAL;
    assert_ok(netdp_walk_events_new(&request, NULL, &events, &error));
    assert_int_equal(events->event[0].mechanism, NETDP_GAUSSIAN);
    assert_close(events->event[0].noise, s.sigma / sqrt(8), 0, 1e-12);
    netdp_events_free(events);
    events = NULL;
    request.bound = NETDP_BOUND_PUBLISHED_LOG;
    assert_fails(netdp_walk_events_new(&request, NULL, &events, &error), NETDP_INVALID);
    request.bound = NETDP_BOUND_AUTO;
    request.unit = (netdp_unit){NETDP_AS_RDP, 2};
    assert_fails(netdp_walk_events_new(&request, NULL, &events, &error), NETDP_INVALID);
    request.unit = (netdp_unit){NETDP_AS_DP, 1e-6};
    request.from_count = 0;
    assert_fails(netdp_walk_events_new(&request, NULL, &events, &error), NETDP_INVALID);
    assert_null(events);
    drop(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_walks),
                                       cmocka_unit_test(test_alone_and_often),
                                       cmocka_unit_test(test_what_is_asked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Walks that are too long for all their paths: what is printed is never below what 2,000 drawn paths have,
 * by the least cost of each, less four standard errors. Lengths go over all at which the account changes its way.
 */
#include "walk_drawn.h"

enum { SETTINGS = 30, RELEASED = 10, PATHS = 2000, LONGEST = 4000 };

/* Least squared slopes below the running count of contributions, up to `end`. */
static double piece_cost(const int32_t *when, int32_t count, int32_t end)
{
    static double steps[LONGEST], risen[LONGEST];
    int32_t pieces = 0;
    double sum = 0;
    for (int32_t i = 0; i < count; i++) {
        double x = (i + 1 < count ? when[i + 1] : end) - when[i], y = 1;
        for (; pieces > 0 && risen[pieces - 1] * x >= y * steps[pieces - 1]; pieces--) {
            x += steps[pieces - 1];
            y += risen[pieces - 1];
        }
        steps[pieces] = x;
        risen[pieces++] = y;
    }
    for (int32_t i = 0; i < pieces; i++)
        sum += risen[i] * risen[i] / steps[i];
    return sum;
}

static int32_t draw_next(netdp_stream *stream, netdp_rows rows, int32_t at)
{
    double left = netdp_stream_uniform(stream);
    int64_t e = rows.start[at];
    for (; e + 1 < rows.start[at + 1] && left >= rows.weight[e]; e++)
        left -= rows.weight[e];
    return rows.column[e];
}

static double drawn_cost(netdp_stream *stream, net n, const setting *s)
{
    static int32_t when[LONGEST];
    int32_t at = s->start == NETDP_START_UNIFORM ? below(stream, n.rows.nodes) : s->start;
    int32_t count = 0, seen = 0;
    double sum = 0;
    for (int32_t t = 0; t <= s->steps; t++) {
        if (observes(s, at) || (s->release && t == s->steps)) {
            sum += piece_cost(when, count, t);
            count = 0;
        }
        if (at == s->from && t < s->steps && (s->cap == 0 || seen++ < s->cap))
            when[count++] = t;
        at = draw_next(stream, n.rows, at);
    }
    return sum;
}

/* The mean of the paths' delta, less four standard errors. */
static double drawn_delta(netdp_stream *stream, net n, const setting *s, double epsilon)
{
    double sum = 0, square = 0;
    for (int i = 0; i < PATHS; i++) {
        const double cost = drawn_cost(stream, n, s);
        double delta = 0;
        if (cost > 0)
            assert_ok(netdp_gdp_to_delta(sqrt(cost) / s->sigma, epsilon, &delta, &error));
        sum += delta;
        square += delta * delta;
    }
    const double mean = sum / PATHS;
    return mean - 4 * sqrt(fmax(0, square / PATHS - mean * mean) / PATHS);
}

static setting draw_long(netdp_stream *stream, netdp_rows rows)
{
    static const int32_t lengths[] = {60, 128, 160, 300, 512, 513, 700, 2048, 2049, 3000};
    setting s = draw_setting(stream, rows);
    const int most = below(stream, 3) == 0 ? 10 : 7; /* the longest take the longest */
    s.steps = lengths[below(stream, most)] - below(stream, 2);
    s.cap = below(stream, 4) == 0 ? 0 : 1 + below(stream, below(stream, 2) == 0 ? 4 : 60);
    s.delta = exp(between(stream, log(1e-5), log(0.02)));
    s.sigma = exp(between(stream, log(2), log(30)));
    return s;
}

/* How often what is printed of drawn paths is too small. */
static int check_drawn(netdp_stream *stream, net n, const char *family, const setting *s)
{
    const double epsilon = account(n, s, NETDP_BOUND_AUTO);
    const double drawn = drawn_delta(stream, n, s, epsilon);
    if (drawn <= s->delta)
        return 0;
    print_message("%s, from %d to %d (%d), start %d, %d steps, cap %d, release %d, sigma %g, "
                  "delta %g: epsilon %.9g has %g at least\n",
                  family, s->from, s->to[0], s->members > 1 ? s->to[1] : -1, s->start, s->steps,
                  (int)s->cap, s->release, s->sigma, s->delta, epsilon, drawn);
    return 1;
}

static int check_settings(uint32_t seed, int settings, double least_noise)
{
    netdp_stream stream = netdp_stream_at(seed, NETDP_FOR_TEST, 0, 0);
    int told = 0;
    for (int i = 0; i < settings; i++) {
        char family[32];
        snprintf(family, sizeof family, "%s %d",
                 (const char *[]){"complete", "ring", "star"}[i % 3], 3 + (int)below(&stream, 30));
        net n = open_net(family, 1, laws[below(&stream, 4)]);
        setting s = draw_long(&stream, n.rows);
        s.sigma *= least_noise / 2;
        told += check_drawn(&stream, n, family, &s);
        drop(n);
    }
    return told;
}

static void test_drawn_paths(void **state)
{
    (void)state;
    assert_int_equal(check_settings(31, SETTINGS, 2), 0);
}

/* Where the weight of a visit is large, sequences grow by more than doubles hold. */
static void test_small_noise(void **state)
{
    (void)state;
    assert_int_equal(check_settings(32, SETTINGS, 0.2), 0);
    netdp_stream stream = netdp_stream_at(33, NETDP_FOR_TEST, 0, 0);
    net n = open_net("ring 28", 1, "metropolis");
    setting s = {.from = 22,
                 .to = {10, 8},
                 .members = 2,
                 .start = 27,
                 .steps = 122,
                 .cap = 23,
                 .delta = 3.04632e-5};
    int told = 0;
    for (s.sigma = 0.4; s.sigma < 1.2; s.sigma *= 1.15)
        told += check_drawn(&stream, n, "ring 28", &s);
    drop(n);
    assert_int_equal(told, 0);
}

/* Of those that are followed step by step, the quick ones. */
static bool takes_long(const setting *s)
{
    const double work = (double)s->cap * s->steps * s->steps;
    return work > 0x1p21 && work <= 0x1p25 && s->steps <= 2048;
}

/* The end of a long walk is seen, after some or all of the contributions that count. */
static void test_released(void **state)
{
    (void)state;
    netdp_stream stream = netdp_stream_at(34, NETDP_FOR_TEST, 0, 0);
    const char *more = getenv("MORE");
    int told = 0;
    for (int64_t i = 0; i < (more != NULL ? atoll(more) : RELEASED); i++) {
        char family[32];
        snprintf(family, sizeof family, "%s %d",
                 (const char *[]){"complete", "ring", "star"}[i % 3], 3 + (int)below(&stream, 60));
        net n = open_net(family, 1, laws[below(&stream, 4)]);
        setting s = draw_long(&stream, n.rows);
        s.release = true;
        do {
            s.steps = (int32_t)exp(between(&stream, log(400), log(LONGEST)));
            s.cap = (int64_t)exp(between(&stream, log(2), log(61)));
        } while (takes_long(&s));
        told += check_drawn(&stream, n, family, &s);
        drop(n);
    }
    assert_int_equal(told, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_drawn_paths),
                                       cmocka_unit_test(test_small_noise),
                                       cmocka_unit_test(test_released)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * A walk tells no more where less is seen of it: by a lower cap, more noise, at a larger delta, in fewer
 * steps, to a member of a coalition. Settings are drawn; MORE says how many of them, FIRST and SEED which.
 */
#include "walk_drawn.h"

enum { SETTINGS = LIGHT ? 8 : 60, LONGEST = 1200 };

typedef enum kind { BY_CAP, BY_NOISE, BY_DELTA, BY_STEPS, BY_COALITION, KINDS } kind;

static const char *const kind_name[] = {"cap", "noise", "delta", "steps", "coalition"};

/* Grids of times and costs, each of them upward, differ by as much in parts, for every kind but noise. */
static const double rounded[] = {1e-4, 1e-9, 1e-4, 1e-4, 1e-4};

/* What was found of one kind. */
typedef struct found {
    int asked, above;
    double most;
} found;

static int64_t number_of(const char *name, int64_t usual)
{
    const char *given = getenv(name);
    return given != NULL ? atoll(given) : usual;
}

static setting draw_order(netdp_stream *stream, netdp_rows rows)
{
    setting s = draw_setting(stream, rows);
    s.steps = (int32_t)exp(between(stream, log(2), log(LONGEST)));
    s.cap = below(stream, 3) == 0 ? 0 : 1 + below(stream, below(stream, 2) == 0 ? 4 : 40);
    s.release = below(stream, 4) == 0;
    return s;
}

/* A setting in which no more is told; false where there is none of this kind. */
static bool less_of(netdp_stream *stream, kind by, const setting *s, setting *less)
{
    *less = *s;
    const double factor =
        exp(below(stream, 2) == 0 ? between(stream, 0, 0.05) : between(stream, 0, 1.5));
    if (by == BY_CAP) {
        less->cap =
            s->cap == 0
                ? 1 + below(stream, 60)
                : s->cap - 1 - below(stream, (int32_t)s->cap - 1 > 0 ? (int32_t)s->cap - 1 : 1);
        return less->cap > 0;
    }
    if (by == BY_NOISE)
        less->sigma *= factor;
    if (by == BY_DELTA)
        less->delta = fmin(0.5, s->delta * factor);
    if (by == BY_STEPS) { /* the end of a longer walk that is released is another one */
        less->steps = (int32_t)((double)s->steps / factor) - below(stream, 2);
        return !s->release && less->steps > 0;
    }
    if (by == BY_COALITION) {
        less->members = 1;
        less->to[0] = s->to[below(stream, 2)];
        less->start = s->start;
        return s->members > 1;
    }
    return true;
}

static void say(const char *family, const char *law, kind by, const setting *s, const setting *less,
                double value, double other)
{
    print_message("%s: %s, %s, from %d to %d (%d), start %d, %d (%d) steps, cap %d (%d), release "
                  "%d, sigma %g (%g), "
                  "delta %g (%g): %.12g, where less is seen %.12g (%.3g)\n",
                  kind_name[by], family, law, s->from, s->to[0], s->members > 1 ? s->to[1] : -1,
                  s->start, s->steps, less->steps, (int)s->cap, (int)less->cap, s->release,
                  s->sigma, less->sigma, s->delta, less->delta, value, other, other / value - 1);
}

static void ask(netdp_stream *stream, net n, const char *family, const char *law, found *all)
{
    const setting s = draw_order(stream, n.rows);
    const double value = account(n, &s, NETDP_BOUND_AUTO);
    for (kind by = 0; by < KINDS; by++) {
        setting less;
        if (!less_of(stream, by, &s, &less))
            continue;
        const double other = account(n, &less, NETDP_BOUND_AUTO);
        all[by].asked++;
        if (other <= value * (1 + rounded[by]) || other <= 1e-12)
            continue;
        all[by].above++;
        all[by].most = fmax(all[by].most, other / value - 1);
        say(family, law, by, &s, &less, value, other);
    }
}

static void draw_and_ask(int64_t number, found *all)
{
    netdp_stream stream =
        netdp_stream_at((uint64_t)number_of("SEED", 37), NETDP_FOR_TEST, (uint32_t)number, 0);
    static const char *const larger[] = {"complete", "ring", "star"};
    char family[32];
    if (below(&stream, 2) == 0)
        draw_family(&stream, family, sizeof family);
    else
        snprintf(family, sizeof family, "%s %d", larger[below(&stream, 3)],
                 3 + (int)below(&stream, 30));
    const char *law = laws[below(&stream, 4)];
    net n = open_net(family, 1, law);
    ask(&stream, n, family, law, all);
    drop(n);
}

static void test_order(void **state)
{
    (void)state;
    const int64_t times = number_of("MORE", SETTINGS);
    found all[KINDS] = {0};
    const int64_t first = number_of("FIRST", 0);
    for (int64_t i = first; i < first + times; i++)
        draw_and_ask(i, all);
    for (kind by = 0; by < KINDS; by++)
        print_message("%s: %d asked, %d above, at most by %.3g\n", kind_name[by], all[by].asked,
                      all[by].above, all[by].most);
    for (kind by = 0; by < KINDS; by++)
        assert_int_equal(all[by].above, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * All paths of a small walk, one by one: the mean of the Gaussian guarantees of the least cost of each
 * path, the greatest convex minorant of its contributions; and what the library prints.
 */
#ifndef NETDP_TESTS_WALK_PATHS_H
#define NETDP_TESTS_WALK_PATHS_H

#include <math.h>
#include <netdp/privacy.h>
#include <netdp/walk.h>

#include "walk_net.h"

enum { STEPS = 10 };

typedef struct setting {
    const char *family, *law;
    int32_t steps, from, members, to[2], start;
    int64_t cap;
    bool release;
    double sigma, delta;
} setting;

/* How the path goes on; what it costs so far. */
typedef struct walk {
    net n;
    const setting *s;
    double epsilon, sum;
} walk;

static inline bool observes(const setting *s, int32_t node)
{
    return node == s->to[0] || (s->members > 1 && node == s->to[1]);
}

/* Least squared slopes below the running count of contributions `when`, up to `end`. */
static inline double least_cost(const int32_t *when, int32_t count, int32_t end)
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

static inline double path_cost(const setting *s, const int32_t *path)
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

static inline void go_on(walk *w, int32_t *path, int32_t step, double probability)
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

static inline double true_delta(net n, const setting *s, double epsilon)
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

static inline double account(net n, const setting *s, netdp_bound bound)
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

#endif

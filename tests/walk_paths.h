/*
 * All paths of a small walk, one by one: the mean of the Gaussian guarantees of the least cost of each
 * path, the greatest convex minorant of its contributions; and what the library prints. Where steps contract, both
 * contributions and noise count by what is left of them at the end of their piece.
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
    double contraction; /* 0: none */
} setting;

/* What a path costs: each cost once. */
enum { COSTS = 1 << 14 };

typedef struct cost_law {
    int32_t count;
    double cost[COSTS], mass[COSTS];
} cost_law;

/* How the path goes on. */
typedef struct walk {
    net n;
    const setting *s;
    cost_law *law;
} walk;

static inline bool observes(const setting *s, int32_t node)
{
    return node == s->to[0] || (s->members > 1 && node == s->to[1]);
}

/*
 * Least squared slopes below the running count of contributions `when`, up to `end`; what a step's
 * noise or contribution is at the end: left, the last one's 1, by `keeps` less each step before.
 */
static inline double least_cost(double keeps, const int32_t *when, int32_t count, int32_t end)
{
    double left[STEPS], sum = 0;
    for (int32_t t = end - 1; t >= 0; t--)
        left[t] = t == end - 1 ? 1 : left[t + 1] * keeps;
    for (int32_t i = 0; i < count;) { /* from a corner, the flattest line that stays below */
        double slope = INFINITY, most = 0, x = 0, y = 0;
        int32_t next = count;
        for (int32_t j = i; j < count; j++) {
            y += left[when[j]];
            for (int32_t t = when[j]; t < (j + 1 < count ? when[j + 1] : end); t++)
                x += left[t] * left[t];
            if (y / x <= slope) {
                slope = y / x;
                most = y;
                next = j + 1;
            }
        }
        sum += slope * most;
        i = next;
    }
    return sum;
}

static inline double keeps_of(const setting *s)
{
    return s->contraction > 0 ? s->contraction : 1;
}

static inline double path_cost(const setting *s, const int32_t *path)
{
    int32_t when[STEPS], count = 0, seen = 0;
    double sum = 0;
    for (int32_t t = 0; t <= s->steps; t++) {
        if (observes(s, path[t]) || (s->release && t == s->steps)) {
            sum += least_cost(keeps_of(s), when, count, t);
            count = 0;
        }
        if (path[t] == s->from && t < s->steps && (s->cap == 0 || seen++ < s->cap))
            when[count++] = t;
    }
    return sum;
}

static inline void add_cost(cost_law *law, double cost, double probability)
{
    int32_t i = 0;
    while (i < law->count && fabs(law->cost[i] - cost) > 1e-14 * cost)
        i++;
    assert_true(i < COSTS);
    if (i == law->count)
        law->cost[law->count++] = cost;
    law->mass[i] += probability;
}

static inline void go_on(walk *w, int32_t *path, int32_t step, double probability)
{
    if (step == w->s->steps) {
        add_cost(w->law, path_cost(w->s, path), probability);
        return;
    }
    const netdp_rows rows = w->n.rows;
    for (int64_t e = rows.start[path[step]]; e < rows.start[path[step] + 1]; e++) {
        path[step + 1] = rows.column[e];
        if (rows.weight[e] > 0)
            go_on(w, path, step + 1, probability * rows.weight[e]);
    }
}

static inline void find_costs(net n, const setting *s, cost_law *law)
{
    walk w = {n, s, law};
    int32_t path[STEPS + 1];
    *law = (cost_law){0};
    for (int32_t v = 0; v < n.rows.nodes; v++) {
        const double start = s->start == NETDP_START_UNIFORM    ? 1.0 / n.rows.nodes
                             : s->start == NETDP_START_OBSERVER ? v == s->to[0]
                                                                : v == s->start;
        path[0] = v;
        if (start > 0)
            go_on(&w, path, 0, start);
    }
}

static inline double true_delta(net n, const setting *s, double epsilon)
{
    static cost_law law;
    double sum = 0, delta;
    find_costs(n, s, &law);
    for (int32_t i = 0; i < law.count; i++)
        if (law.cost[i] > 0) {
            assert_ok(netdp_gdp_to_delta(sqrt(law.cost[i]) / s->sigma, epsilon, &delta, &error));
            sum += law.mass[i] * delta;
        }
    return sum;
}

static inline netdp_token token_of(net n, const setting *s)
{
    return (netdp_token){.law = n.law,
                         .steps = s->steps,
                         .start = s->start == NETDP_START_OBSERVER ? s->to[0] : s->start,
                         .tokens = 1,
                         .cap = s->cap,
                         .release = s->release,
                         .contraction = s->contraction};
}

static inline netdp_walk_request request_of(const netdp_token *token, const setting *s)
{
    return (netdp_walk_request){.token = token,
                                .noise = s->sigma,
                                .unit = {NETDP_AS_DP, s->delta},
                                .from_count = 1,
                                .from = &s->from,
                                .to_count = s->members,
                                .to = s->to,
                                .coalition = s->members > 1};
}

static inline double account_as(net n, const setting *s, netdp_bound bound, netdp_unit unit)
{
    const netdp_token token = token_of(n, s);
    netdp_walk_request request = request_of(&token, s);
    netdp_losses *losses = NULL;
    request.bound = bound;
    request.unit = unit;
    assert_ok(netdp_walk_losses_new(&request, NULL, &losses, &error));
    assert_true(losses->sound);
    const double value = losses->loss[0];
    netdp_losses_free(losses);
    return value;
}

static inline double account(net n, const setting *s, netdp_bound bound)
{
    return account_as(n, s, bound, (netdp_unit){NETDP_AS_DP, s->delta});
}

#endif

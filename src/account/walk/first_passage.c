#include "account/walk/first_passage.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "account/walk/cost_law.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/pool.h"
#include "mixing/mixing.h"

/* Where theta / i is above, terms are added as logarithms; below, as numbers that stay finite:
   e^600 times 10^15 steps. */
#define STEEP 600.0

/* Part of a sum below which what is left of the walk is bounded instead of computed. */
#define REST 0x1p-46

struct netdp_i_passage {
    netdp_rows rows;
    int32_t *member;
    int32_t members;
    double *now, *next;
    int64_t step;
    double widest; /* entries of the longest row */
};

void netdp_i_passage_free(netdp_i_passage *passage)
{
    if (passage == NULL)
        return;
    netdp_i_free(passage->member);
    netdp_i_free(passage->now);
    netdp_i_free(passage->next);
    netdp_i_free(passage);
}

static netdp_status check_members(const netdp_transition *law, const int32_t *members,
                                  int32_t count, netdp_error *error)
{
    const int32_t nodes = netdp_transition_rows(law).nodes;
    if (count < 1)
        return netdp_i_fail(error, NETDP_INVALID, "first passage: no observer; give at least one");
    for (int32_t i = 0; i < count; i++)
        if (members[i] < 0 || members[i] >= nodes)
            return netdp_i_fail(error, NETDP_INVALID,
                                "first passage: no node %d; nodes are 0 to %d", (int)members[i],
                                (int)nodes - 1);
    return NETDP_OK;
}

netdp_status netdp_i_passage_new(const netdp_transition *law, const int32_t *members, int32_t count,
                                 netdp_i_passage **passage, netdp_error *error)
{
    TRY(check_members(law, members, count, error));
    OWNED_BY(netdp_i_passage_free) netdp_i_passage *made = NETDP_I_NEW(netdp_i_passage, 1);
    if (made == NULL)
        return netdp_i_no_memory(error);
    made->rows = netdp_transition_rows(law);
    made->members = count;
    made->member = NETDP_I_NEW(int32_t, count);
    made->now = NETDP_I_NEW(double, made->rows.nodes);
    made->next = NETDP_I_NEW(double, made->rows.nodes);
    if (made->member == NULL || made->now == NULL || made->next == NULL)
        return netdp_i_no_memory(error);
    memcpy(made->member, members, (size_t)count * sizeof *members);
    for (int32_t v = 0; v < made->rows.nodes; v++)
        made->widest = fmax(made->widest, (double)(made->rows.start[v + 1] - made->rows.start[v]));
    *passage = GIVE(made);
    return NETDP_OK;
}

const double *netdp_i_passage_next(netdp_i_passage *passage)
{
    for (int32_t i = 0; i < passage->members; i++)
        passage->now[passage->member[i]] = passage->step == 0 ? 1 : 0;
    netdp_i_rows_apply(passage->rows, passage->now, passage->next, 1);
    double *swap = passage->now;
    passage->now = passage->next;
    passage->next = swap;
    passage->step++;
    return passage->now;
}

/* Each step: a product and a sum for every entry of a row, and an entry that is itself a sum. */
netdp_i_passage_rounding netdp_i_passage_error(const netdp_i_passage *passage)
{
    const double roundings = (double)passage->step * (2 * passage->widest + 8);
    return (netdp_i_passage_rounding){.relative = 1.01 * roundings * DBL_EPSILON / 2,
                                      .absolute = roundings * 0x1p-1074};
}

/* ln(e^a + e^b), also where both are minus infinity. */
static double add_logs(double a, double b)
{
    const double large = fmax(a, b);
    if (isinf(large))
        return large;
    return large + log1p(exp(fmin(a, b) - large));
}

/* What the sums of all orders share. */
typedef struct arrivals {
    int32_t nodes;
    int32_t *distance; /* hops to the set: nothing arrives earlier */
    double *passed;    /* P(passed by now) */
    double relative;   /* rounding of the sums so far */
} arrivals;

/* The sum over first passages of each node, at one order. */
typedef struct sums {
    double alpha, local, theta;
    double *steep; /* [nodes]: ln of the part with theta / i > STEEP */
    double *flat;  /* [nodes]: the other part */
    bool closed;   /* what was left has been added */
} sums;

static void add_step(sums *s, const arrivals *a, int64_t step, const double *first, double absolute)
{
    const double power = s->theta / (double)step;
    const double growth = power > STEEP ? 0 : expm1(power);
    for (int32_t u = 0; u < a->nodes; u++) {
        if (a->distance[u] > step)
            continue;
        if (power > STEEP)
            s->steep[u] = add_logs(s->steep[u], power + log(first[u] + absolute) +
                                                    4 * DBL_EPSILON * (power + 745));
        else
            s->flat[u] += (first[u] + absolute) * growth;
    }
}

/*
 * All that has not passed at `step` may pass at the next: is it negligible for every node? Then it
 * is added and nothing more needs computing.
 */
static void close_early(sums *s, const arrivals *a, int64_t step)
{
    const double power = s->theta / (double)(step + 1);
    if (power > STEEP)
        return;
    const double growth = expm1(power), part = 2 * fmax(REST, a->relative);
    for (int32_t u = 0; u < a->nodes; u++)
        if ((fmax(0, 1 - a->passed[u]) + a->relative) * growth > part * s->flat[u])
            return;
    for (int32_t u = 0; u < a->nodes; u++)
        s->flat[u] += (fmax(0, 1 - a->passed[u]) + a->relative) * growth;
    s->closed = true;
}

static netdp_status sum_passages(const netdp_token *token, netdp_i_passage *passage, arrivals *a,
                                 sums *s, int32_t orders, const netdp_progress *progress,
                                 netdp_error *error)
{
    bool all = false;
    for (int64_t i = 1; i <= token->steps && !all; i++) {
        const double *first = netdp_i_passage_next(passage);
        const netdp_i_passage_rounding rounding = netdp_i_passage_error(passage);
        for (int32_t u = 0; u < a->nodes; u++)
            a->passed[u] += first[u];
        a->relative = rounding.relative + (double)i * DBL_EPSILON;
        for (int32_t k = 0; k < orders; k++)
            if (!s[k].closed)
                add_step(&s[k], a, i, first, rounding.absolute);
        if (i % 64 != 0 || i == token->steps)
            continue;
        all = true;
        for (int32_t k = 0; k < orders; k++) {
            if (!s[k].closed)
                close_early(&s[k], a, i);
            all = all && s[k].closed;
        }
        TRY(netdp_i_poll(progress, error));
    }
    return NETDP_OK;
}

static double finish(const sums *s, const arrivals *a, int64_t steps, int32_t u)
{
    if (isinf(s->theta)) /* everything is known of what can arrive in time */
        return a->distance[u] <= steps ? INFINITY : 0;
    double log_value = log1p(s->flat[u]);
    if (!isinf(s->steep[u]))
        log_value = add_logs(log_value, s->steep[u]);
    /*
     * ln(1 + x (1 + r)) <= (1 + r) ln(1 + x), and the functions of libm are good to a few units in
     * the last place.
     */
    return fmin(s->local, log_value / (s->alpha - 1) * (1 + a->relative + 16 * DBL_EPSILON));
}

/* room [2][nodes]: zeros */
static netdp_status start_sums(sums *s, double alpha, double sigma, int32_t nodes, double *room,
                               netdp_error *error)
{
    if (!(alpha > 1 && alpha < INFINITY))
        return netdp_i_fail(error, NETDP_INVALID,
                            "first passage: Renyi order %g; give a number above 1", alpha);
    if (!(sigma >= 0 && sigma < INFINITY))
        return netdp_i_fail(error, NETDP_INVALID,
                            "first passage: sigma %g; give a number from 0 on", sigma);
    s->alpha = alpha;
    s->local = alpha / 2 / sigma / sigma * (1 + 4 * DBL_EPSILON);
    s->theta = (alpha - 1) * s->local;
    s->closed = isinf(s->theta);
    s->steep = room;
    s->flat = room + nodes;
    for (int32_t u = 0; u < nodes; u++)
        s->steep[u] = -INFINITY;
    return NETDP_OK;
}

static netdp_status start_arrivals(arrivals *a, const netdp_token *token, const int32_t *members,
                                   int32_t count, netdp_i_pool *pool, netdp_error *error)
{
    a->nodes = netdp_transition_rows(token->law).nodes;
    a->distance = NETDP_I_TAKE(pool, int32_t, a->nodes);
    a->passed = NETDP_I_TAKE(pool, double, a->nodes);
    TRY(netdp_i_pool_made(pool, error));
    TRY(netdp_graph_distances(netdp_transition_graph(token->law), members, count, a->distance,
                              error));
    for (int32_t u = 0; u < a->nodes; u++)
        a->distance[u] = a->distance[u] < 0 ? INT32_MAX : a->distance[u];
    return NETDP_OK;
}

netdp_status netdp_i_passage_bounds(const netdp_token *token, const int32_t *members, int32_t count,
                                    const double *alpha, int32_t orders, double sigma,
                                    double *value, const netdp_progress *progress,
                                    netdp_error *error)
{
    CLEARED(netdp_i_pool_clear) netdp_i_pool pool = {0};
    OWNED_BY(netdp_i_passage_free) netdp_i_passage *passage = NULL;
    arrivals a = {0};
    TRY(netdp_i_passage_new(token->law, members, count, &passage, error));
    TRY(start_arrivals(&a, token, members, count, &pool, error));
    sums *s = NETDP_I_TAKE(&pool, sums, orders);
    double *room = NETDP_I_TAKE(&pool, double, 2 * (int64_t)orders * a.nodes);
    TRY(netdp_i_pool_made(&pool, error));
    for (int32_t k = 0; k < orders; k++)
        TRY(start_sums(&s[k], alpha[k], sigma, a.nodes, room + 2 * (int64_t)k * a.nodes, error));
    if (!token->release && sigma > 0)
        TRY(sum_passages(token, passage, &a, s, orders, progress, error));
    for (int32_t k = 0; k < orders; k++) {
        double *column = value + (int64_t)k * a.nodes;
        for (int32_t u = 0; u < a.nodes; u++)
            column[u] = token->release ? s[k].local : finish(&s[k], &a, token->steps, u);
        for (int32_t i = 0; i < count; i++)
            column[members[i]] = INFINITY;
    }
    return NETDP_OK;
}

netdp_status netdp_i_passage_bound(const netdp_token *token, const int32_t *members, int32_t count,
                                   double alpha, double sigma, double *value,
                                   const netdp_progress *progress, netdp_error *error)
{
    return netdp_i_passage_bounds(token, members, count, &alpha, 1, sigma, value, progress, error);
}

/* mass [bins][nodes] of first passages within the walk. */
static void find_laws(const netdp_token *token, netdp_i_passage *passage, const arrivals *a,
                      double *mass)
{
    for (int64_t i = 1; i <= token->steps; i++) {
        double *row = mass + netdp_i_step_bin(i) * a->nodes;
        if (token->release) { /* the last step is seen behind one noise term */
            for (int32_t u = 0; i == 1 && u < a->nodes; u++)
                row[u] = 1;
            break;
        }
        const double *first = netdp_i_passage_next(passage);
        const netdp_i_passage_rounding rounding = netdp_i_passage_error(passage);
        for (int32_t u = 0; u < a->nodes; u++)
            if (a->distance[u] <= i)
                row[u] += first[u] * (1 + rounding.relative) + rounding.absolute;
    }
}

netdp_status netdp_i_passage_epsilons(const netdp_token *token, const int32_t *members,
                                      int32_t count, double times, double sigma, double delta,
                                      double *value, netdp_error *error)
{
    const int64_t bins = netdp_i_step_bin(token->steps) + 1;
    CLEARED(netdp_i_pool_clear) netdp_i_pool pool = {0};
    OWNED_BY(netdp_i_passage_free) netdp_i_passage *passage = NULL;
    CLEARED(netdp_i_cost_law_clear) netdp_i_cost_law law = {0};
    arrivals a = {0};
    TRY(netdp_i_passage_new(token->law, members, count, &passage, error));
    TRY(start_arrivals(&a, token, members, count, &pool, error));
    TRY(netdp_i_cost_law_new(bins, &law, error));
    double *mass = NETDP_I_TAKE(&pool, double, bins *a.nodes);
    TRY(netdp_i_pool_made(&pool, error));
    find_laws(token, passage, &a, mass);
    /* Costs of several tokens add up to at most as many times the largest of them. */
    law.bend = INFINITY;
    for (int64_t r = token->steps; r >= 1; r--)
        law.cost[netdp_i_step_bin(r)] = times / (double)r * (1 + DBL_EPSILON);
    for (int32_t u = 0; u < a.nodes; u++) {
        for (int64_t b = 0; b < bins; b++)
            law.mass[b] = token->tokens * mass[b * a.nodes + u];
        value[u] = netdp_i_cost_law_epsilon(&law, sigma, delta);
    }
    for (int32_t i = 0; i < count; i++)
        value[members[i]] = INFINITY;
    return NETDP_OK;
}

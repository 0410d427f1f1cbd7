#include "account/published/walk.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "account/losses/orders.h"
#include "account/published/harmonic.h"
#include "account/published/logarithm.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "mixing/dense.h"
#include "mixing/mixing.h"

/* Part of its limit within which a column has mixed, and what rounding adds to it in a step. */
#define MIXED 0x1p-46
#define DRIFT (4 * DBL_EPSILON)

/* Part by which W_uv and W_vu of a symmetric law may differ by rounding. */
#define SYMMETRIC 1e-12

struct netdp_i_walk_published {
    const netdp_token *token;
    netdp_rows rows;
    netdp_i_walk_form form;
    bool known_sender;
    double *logarithm; /* [nodes][nodes], Theorem 3: -ln(I - W + 11'/n) */
};

void netdp_i_walk_published_free(netdp_i_walk_published *published)
{
    if (published == NULL)
        return;
    netdp_i_free(published->logarithm);
    netdp_i_free(published);
}

static netdp_status check(const netdp_i_walk_published *p, netdp_error *error)
{
    if (p->token->release)
        return netdp_i_fail(error, NETDP_INVALID,
                            "bound 'published': paper A knows no release of the final model; leave "
                            "the release out, or choose the bound excursion");
    if (p->form == NETDP_I_WALK_LOG && p->rows.nodes > NETDP_DENSE_NODES)
        return netdp_i_fail(error, NETDP_INVALID,
                            "bound 'published-log': %d nodes; the logarithm of a matrix goes up to "
                            "%d, choose the bound published",
                            (int)p->rows.nodes, NETDP_DENSE_NODES);
    for (int32_t u = 0; u < p->rows.nodes; u++) {
        for (int64_t i = p->rows.start[u]; i < p->rows.start[u + 1]; i++) {
            const int64_t other = netdp_i_rows_find(p->rows, p->rows.column[i], u);
            const double back = other >= 0 ? p->rows.weight[other] : 0;
            if (!(fabs(p->rows.weight[i] - back) <= SYMMETRIC * p->rows.weight[i]))
                return netdp_i_fail(error, NETDP_INVALID,
                                    "bound 'published': mixing '%s' is not symmetric, which paper "
                                    "A asks for; choose the bound excursion or first-passage",
                                    netdp_transition_name(p->token->law));
        }
    }
    return NETDP_OK;
}

static netdp_status take_logarithm(netdp_i_walk_published *p, netdp_error *error)
{
    p->logarithm = NETDP_I_NEW(double, (int64_t)p->rows.nodes * p->rows.nodes);
    return p->logarithm == NULL ? netdp_i_no_memory(error)
                                : netdp_i_walk_logarithm(p->rows, p->logarithm, error);
}

netdp_status netdp_i_walk_published_new(const netdp_token *token, netdp_i_walk_form form,
                                        bool known_sender, netdp_i_walk_published **published,
                                        netdp_error *error)
{
    TRY(netdp_token_check(token, error));
    OWNED_BY(netdp_i_walk_published_free)
    netdp_i_walk_published *made = NETDP_I_NEW(netdp_i_walk_published, 1);
    if (made == NULL)
        return netdp_i_no_memory(error);
    *made = (netdp_i_walk_published){.token = token,
                                     .rows = netdp_transition_rows(token->law),
                                     .form = form,
                                     .known_sender = known_sender};
    TRY(check(made, error));
    if (form == NETDP_I_WALK_LOG)
        TRY(take_logarithm(made, error));
    *published = GIVE(made);
    return NETDP_OK;
}

/*
 * sum_{t <= T} (W^t x)_u / t for an x of sum `total`, lost on the way. Averaging with W never takes
 * a column further from its limit total / n. Once two in a row are around it as W^{t-1} x = limit +
 * d, W^t x = limit - d (periodic walks; d is nearly 0 for others), all later ones are, and the rest
 * is a harmonic sum and an alternating one.
 */
static netdp_status sum_powers(const netdp_i_walk_published *p, double total, double *x,
                               double *next, double *unit, const netdp_progress *progress,
                               netdp_error *error)
{
    const int32_t n = p->rows.nodes;
    const double limit = total / n;
    const int64_t steps = p->token->steps;
    memset(unit, 0, (size_t)n * sizeof *unit);
    for (int64_t t = 1; t <= steps; t++) {
        double away = 0;
        netdp_i_rows_apply(p->rows, x, next, 1);
        double *swap = x;
        x = next;
        next = swap;
        for (int32_t u = 0; u < n; u++) {
            unit[u] += x[u] / (double)t;
            away = fmax(away, fabs(x[u] + next[u] - 2 * limit));
        }
        if (away <= (MIXED + DRIFT * (double)t) * limit) {
            const double rest = netdp_i_harmonic(steps) - netdp_i_harmonic(t);
            const double turns =
                (t % 2 == 0 ? 1 : -1) * (netdp_i_log_series(-1, steps) - netdp_i_log_series(-1, t));
            for (int32_t u = 0; u < n; u++)
                unit[u] += limit * rest + (x[u] - limit) * turns;
            break;
        }
        if (t % 64 == 0)
            TRY(netdp_i_poll(progress, error));
    }
    return NETDP_OK;
}

/* Scratch of one column. */
typedef struct column {
    const netdp_i_walk_published *published;
    const netdp_progress *progress;
    double *x, *next; /* [nodes] */
    double *one;      /* [nodes]: of one relay */
    double *worst;    /* [nodes]: the largest over the relays of a member */
} column;

/* Of the nodes `targets` at once, none of them known to be the sender. */
static netdp_status of_targets(const column *c, const int32_t *targets, int32_t count, double *unit,
                               netdp_error *error)
{
    const netdp_i_walk_published *p = c->published;
    const int32_t n = p->rows.nodes;
    if (p->form == NETDP_I_WALK_SUM) {
        memset(c->x, 0, (size_t)n * sizeof *c->x);
        for (int32_t i = 0; i < count; i++)
            c->x[targets[i]] = 1;
        return sum_powers(p, count, c->x, c->next, unit, c->progress, error);
    }
    for (int32_t u = 0; u < n; u++)
        unit[u] = count * log((double)p->token->steps) / n;
    for (int32_t i = 0; i < count; i++)
        cblas_daxpy(n, 1, p->logarithm + (int64_t)targets[i] * n, 1, unit, 1);
    return NETDP_OK;
}

/* The largest over the neighbours of each member, summed over the members. */
static netdp_status of_senders(const column *c, const int32_t *members, int32_t count, double *unit,
                               netdp_error *error)
{
    const int32_t n = c->published->rows.nodes;
    const netdp_graph *graph = netdp_transition_graph(c->published->token->law);
    memset(unit, 0, (size_t)n * sizeof *unit);
    for (int32_t i = 0; i < count; i++) {
        const int32_t *relay = netdp_graph_neighbours(graph, members[i]);
        for (int32_t u = 0; u < n; u++)
            c->worst[u] = -INFINITY;
        for (int32_t k = 0; k < netdp_graph_degree(graph, members[i]); k++) {
            TRY(of_targets(c, relay + k, 1, c->one, error));
            for (int32_t u = 0; u < n; u++)
                c->worst[u] = fmax(c->worst[u], c->one[u]);
        }
        for (int32_t u = 0; u < n; u++)
            unit[u] += c->worst[u];
    }
    return NETDP_OK;
}

netdp_status netdp_i_walk_published_column(const netdp_i_walk_published *published,
                                           const int32_t *members, int32_t count, double *unit,
                                           const netdp_progress *progress, netdp_error *error)
{
    const int32_t n = published->rows.nodes;
    OWNED double *scratch = NETDP_I_NEW(double, 5 * (int64_t)n);
    if (scratch == NULL)
        return netdp_i_no_memory(error);
    const column c = {.published = published,
                      .progress = progress,
                      .x = scratch,
                      .next = scratch + n,
                      .one = scratch + 2 * (int64_t)n,
                      .worst = scratch + 3 * (int64_t)n};
    double *found = scratch + 4 * (int64_t)n;
    if (published->known_sender)
        TRY(of_senders(&c, members, count, found, error));
    else
        TRY(of_targets(&c, members, count, found, error));
    for (int32_t u = 0; u < n; u++)
        unit[u] = fmax(0, found[u]);
    for (int32_t i = 0; i < count; i++)
        unit[members[i]] = INFINITY;
    return NETDP_OK;
}

double netdp_i_walk_contributions(const netdp_token *token)
{
    if (token->cap > 0)
        return (double)netdp_token_contributions(token);
    return (double)token->steps / netdp_transition_rows(token->law).nodes;
}

double netdp_i_walk_published_slope(const netdp_token *token, double unit, double sigma)
{
    return netdp_i_walk_contributions(token) / (sigma * sigma) * unit;
}

double netdp_i_walk_published_value(const netdp_token *token, double unit, double alpha,
                                    double sigma)
{
    if (isinf(unit) || !(sigma * sigma >= 2 * alpha * (alpha - 1)))
        return INFINITY;
    return alpha * netdp_i_walk_published_slope(token, unit, sigma);
}

netdp_status netdp_i_walk_published_epsilon(const netdp_token *token, double unit, double sigma,
                                            double delta, double *epsilon, netdp_error *error)
{
    double order[NETDP_I_ORDERS + 1], curve[NETDP_I_ORDERS + 1];
    /* The last order that sigma^2 >= 2 alpha (alpha - 1) allows; towards 1 where sigma is 0. */
    const double last = (1 + sqrt(1 + 2 * sigma * sigma)) / 2 * (1 - 1e-14);
    int count = 0;
    *epsilon = INFINITY;
    if (isinf(unit) || !(last > 1))
        return NETDP_OK;
    while (count < NETDP_I_ORDERS && netdp_i_orders[count] < last) {
        order[count] = netdp_i_orders[count];
        count++;
    }
    order[count++] = last;
    for (int k = 0; k < count; k++)
        curve[k] = token->tokens * netdp_i_walk_published_value(token, unit, order[k], sigma);
    const netdp_rdp whole = {.count = (size_t)count, .order = order, .epsilon = curve};
    return netdp_rdp_to_epsilon(&whole, delta, 0, epsilon, error);
}

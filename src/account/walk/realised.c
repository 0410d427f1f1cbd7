/* What one walk tells whose path is known: slopes of the greatest convex minorant (docs/proofs/excursion.md). */
#include "account/walk/given_path.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "account/walk/spread.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/pool.h"
#include "base/try.h"

/*
 * Why mu holds, not its Renyi curve alone: with Z the token of the other world, driven by the noise
 * eta_t + d_t with |d_t| <= a_t chosen from the past so that Z meets X at the visit (the schedule
 * of docs/proofs/excursion.md), X is there a function of the shifted noise and the other world's
 * token the same function of plain noise. d_t is known from the shifted noise before t, so the two
 * noises are an adaptive composition of Gaussian mechanisms: mu^2 = sum a_t^2 / sigma^2.
 */

/* Which steps every node contributes at: those of token k and node u are when[k * steps + i],
   ascending, for i from start[k * (nodes + 1) + u] to the next start. */
typedef struct history {
    const netdp_token *token;
    const int32_t *path;
    netdp_realised_kind kind;
    int32_t nodes;
    double rate; /* -ln of what a step contracts */
    int64_t *start, *when;
    netdp_i_pool pool;
} history;

/* The pieces into which the visits of one observer cut a path, and room for a minorant. */
typedef struct pieces {
    bool *observes;       /* [nodes] */
    int64_t *number;      /* [steps + 1]: the piece in which a step lies */
    int64_t *end;         /* by piece: the visit that closes it, -1 where nothing does */
    int64_t *noises;      /* by piece: noise terms in it, without the observer's */
    netdp_i_slope *slope; /* [steps + 1] */
    netdp_i_pool pool;
} pieces;

netdp_status netdp_i_given_check(const netdp_token *token, const int32_t *path, netdp_error *error)
{
    TRY(netdp_token_check(token, error));
    if (token->route != NULL &&
        memcmp(path, token->route->node,
               (size_t)token->tokens * (size_t)(token->steps + 1) * sizeof *path) != 0)
        return netdp_i_fail(error, NETDP_INVALID, "path: is another than the token's own");
    if (token->steps >> 32 != 0)
        return netdp_i_fail(error, NETDP_INVALID, "rounds: %" PRId64 "; give less than 2^32",
                            token->steps);
    const int32_t nodes = netdp_transition_rows(token->law).nodes;
    for (int32_t k = 0; k < token->tokens; k++) {
        const int32_t *at = path + (int64_t)k * (token->steps + 1);
        for (int64_t t = 0; t <= token->steps; t++)
            if (at[t] < 0 || at[t] >= nodes)
                return netdp_i_fail(error, NETDP_INVALID,
                                    "path: node %" PRId32 " at step %" PRId64
                                    "; give nodes of the graph, 0 to %" PRId32,
                                    at[t], t, nodes - 1);
        if (token->start >= 0 && token->burn_in == 0 && at[0] != token->start)
            return netdp_i_fail(error, NETDP_INVALID,
                                "path: begins at node %" PRId32 ", the token at %" PRId32
                                "; give the path of this token",
                                at[0], token->start);
    }
    return NETDP_OK;
}

bool netdp_i_given_contributes(const netdp_token *token, int32_t k, int64_t t, int64_t *count)
{
    if ((token->cap > 0 && *count >= token->cap) || netdp_route_rests(token->route, k, t))
        return false;
    ++*count;
    return true;
}

/* Token k's contributions, sorted by node; its `start` is zero before. count [nodes]: scratch. */
static void sort_steps(const history *h, int32_t k, int64_t *count)
{
    const netdp_token *token = h->token;
    const int32_t *at = h->path + k * (token->steps + 1), nodes = h->nodes;
    int64_t *start = h->start + (int64_t)k * (nodes + 1), *when = h->when + k * token->steps;
    memset(count, 0, (size_t)nodes * sizeof *count);
    for (int64_t t = 0; t < token->steps; t++)
        (void)netdp_i_given_contributes(token, k, t, &start[at[t] + 1]);
    for (int32_t u = 0; u < nodes; u++)
        start[u + 1] += start[u];
    for (int64_t t = 0; t < token->steps; t++) {
        const int64_t place = start[at[t]] + count[at[t]];
        if (netdp_i_given_contributes(token, k, t, &count[at[t]]))
            when[place] = t;
    }
}

static netdp_status history_new(const netdp_token *token, const int32_t *path,
                                netdp_realised_kind kind, history *h, netdp_error *error)
{
    TRY(netdp_i_given_check(token, path, error));
    const int32_t nodes = netdp_transition_rows(token->law).nodes;
    *h = (history){.token = token,
                   .path = path,
                   .kind = kind,
                   .nodes = nodes,
                   .rate = netdp_i_spread_rate(token->contraction)};
    h->start = NETDP_I_TAKE(&h->pool, int64_t, (int64_t)token->tokens * (nodes + 1));
    h->when = NETDP_I_TAKE(&h->pool, int64_t, token->tokens * token->steps);
    int64_t *count = NETDP_I_TAKE(&h->pool, int64_t, nodes);
    TRY(netdp_i_pool_made(&h->pool, error));
    for (int32_t k = 0; k < token->tokens; k++)
        sort_steps(h, k, count);
    return NETDP_OK;
}

static void history_clear(history *h)
{
    netdp_i_pool_clear(&h->pool);
}

static netdp_status pieces_new(const history *h, pieces *p, netdp_error *error)
{
    const int64_t visits = h->token->steps + 1; /* a piece is open after the last of them */
    p->observes = NETDP_I_TAKE(&p->pool, bool, h->nodes);
    p->number = NETDP_I_TAKE(&p->pool, int64_t, visits);
    p->end = NETDP_I_TAKE(&p->pool, int64_t, visits + 1);
    p->noises = NETDP_I_TAKE(&p->pool, int64_t, visits + 1);
    p->slope = NETDP_I_TAKE(&p->pool, netdp_i_slope, visits);
    return netdp_i_pool_made(&p->pool, error);
}

static void pieces_clear(pieces *p)
{
    netdp_i_pool_clear(&p->pool);
}

/* Cuts a path at its visits: a step lies in the piece whose end comes after it. */
static void cut(const history *h, const int32_t *at, pieces *p)
{
    const int64_t steps = h->token->steps;
    int64_t number = 0, begun = 0;
    bool own = false; /* is the step that began the piece the observer's? */
    for (int64_t t = 0; t <= steps; t++) {
        if (p->observes[at[t]] || (h->token->release && t == steps)) {
            p->end[number] = t;
            p->noises[number] = t - begun - own;
            number++;
            begun = t;
            own = true;
        }
        p->number[t] = number;
    }
    p->end[number] = -1;
}

/* A shift that is e^-FAR of what it was is no smaller: so far no power leaves the doubles. */
#define FAR 300.0

/* What exp and expm1 may be off, in parts. */
#define ROUNDED 1e-12

double netdp_i_slope_left(double rate, int64_t steps)
{
    return rate == 0 ? 1 : exp(-fmin(FAR, rate * (double)(steps - 1)));
}

/* The noise from so many steps to the end up to so many, as its variance there. */
static double noise_of(double rate, int64_t from, int64_t until)
{
    if (rate == 0)
        return (double)(from - until);
    const double all = fmin((double)from, FAR / rate), rest = fmin((double)until, FAR / rate);
    return exp(-2 * rate * rest) * (expm1(-2 * rate * (all - rest)) / expm1(-2 * rate));
}

/*
 * Least sum of a_t^2, what is absorbed by any step at most what is contributed by then, all of it
 * by `end`: slopes of the greatest convex minorant of the running count, by blocks of equal slope.
 * Where steps contract, both count by what is left of them at the end.
 */
int64_t netdp_i_slopes(double rate, const int64_t *when, int64_t count, int64_t end,
                       netdp_i_slope *slopes)
{
    int64_t made = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t next = i + 1 < count ? end - when[i + 1] : 0;
        netdp_i_slope now = {.given = netdp_i_slope_left(rate, end - when[i]),
                             .noise = noise_of(rate, end - when[i], next),
                             .first = when[i]};
        for (; made > 0 && slopes[made - 1].given / slopes[made - 1].noise >= now.given / now.noise;
             made--) {
            now.given += slopes[made - 1].given;
            now.noise += slopes[made - 1].noise;
            now.first = slopes[made - 1].first;
        }
        slopes[made++] = now;
    }
    return made;
}

static double absorb(double rate, const int64_t *when, int64_t count, int64_t end,
                     netdp_i_slope *slopes)
{
    const int64_t made = netdp_i_slopes(rate, when, count, end, slopes);
    double sum = 0;
    for (int64_t b = 0; b < made; b++)
        sum += slopes[b].given * slopes[b].given / slopes[b].noise;
    return rate == 0 ? sum : sum * (1 + ROUNDED);
}

/* What one node's contributions to one token cost. */
static double cost_of(const history *h, const int64_t *when, int64_t count, pieces *p)
{
    double sum = 0;
    for (int64_t i = 0, next; i < count; i = next) {
        const int64_t number = p->number[when[i]], end = p->end[number];
        if (end < 0) /* nobody looks any more */
            break;
        for (next = i + 1; next < count && p->number[when[next]] == number;)
            next++;
        const double k = (double)(next - i);
        sum += h->kind == NETDP_REALISED_LINEAR
                   ? k * k / (double)p->noises[number]
                   : absorb(h->rate, when + i, next - i, end, p->slope);
    }
    return sum;
}

/* cost[nodes] of the observers marked in `p`. */
static void account(const history *h, pieces *p, double *cost)
{
    memset(cost, 0, (size_t)h->nodes * sizeof *cost);
    for (int32_t k = 0; k < h->token->tokens; k++) {
        const int64_t *start = h->start + (int64_t)k * (h->nodes + 1);
        cut(h, h->path + k * (h->token->steps + 1), p);
        for (int32_t u = 0; u < h->nodes; u++)
            cost[u] += p->observes[u] ? INFINITY
                                      : cost_of(h, h->when + k * h->token->steps + start[u],
                                                start[u + 1] - start[u], p);
    }
    for (int32_t u = 0; h->token->weighted && u < h->nodes; u++) {
        const double scale = netdp_token_scale(h->token, u);
        cost[u] *= scale * scale;
    }
}

static netdp_status check_kind(netdp_realised_kind kind, netdp_error *error)
{
    if (kind == NETDP_REALISED_ABSORBED || kind == NETDP_REALISED_LINEAR)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID, "kind: %d; give absorbed or linear", (int)kind);
}

netdp_status netdp_realised_contributions(const netdp_token *token, const int32_t *path,
                                          int64_t *contributions, netdp_error *error)
{
    NETDP_I_GIVEN(error, token && path && contributions);
    TRY(netdp_i_given_check(token, path, error));
    const int32_t nodes = netdp_transition_rows(token->law).nodes;
    OWNED int64_t *count = NETDP_I_NEW(int64_t, nodes);
    if (count == NULL)
        return netdp_i_no_memory(error);
    memset(contributions, 0, (size_t)nodes * sizeof *contributions);
    for (int32_t k = 0; k < token->tokens; k++) {
        const int32_t *at = path + k * (token->steps + 1);
        memset(count, 0, (size_t)nodes * sizeof *count);
        for (int64_t t = 0; t < token->steps; t++)
            contributions[at[t]] += netdp_i_given_contributes(token, k, t, &count[at[t]]);
    }
    return NETDP_OK;
}

netdp_status netdp_realised_costs(const netdp_token *token, const int32_t *path,
                                  netdp_realised_kind kind, int32_t count, const int32_t *observers,
                                  double *cost, netdp_error *error)
{
    NETDP_I_GIVEN(error, token && path && observers && cost);
    CLEARED(history_clear) history h = {0};
    CLEARED(pieces_clear) pieces p = {0};
    TRY(check_kind(kind, error));
    if (count < 1)
        return netdp_i_fail(error, NETDP_INVALID, "observers: none; name at least one node");
    TRY(history_new(token, path, kind, &h, error));
    TRY(pieces_new(&h, &p, error));
    for (int32_t i = 0; i < count; i++) {
        if (observers[i] < 0 || observers[i] >= h.nodes)
            return netdp_i_fail(error, NETDP_INVALID,
                                "observers: node %" PRId32 " is not in the graph of %" PRId32
                                " nodes",
                                observers[i], h.nodes);
        p.observes[observers[i]] = true;
    }
    account(&h, &p, cost);
    return NETDP_OK;
}

/* What observers learn: all nodes about all, or those of `losses`. */
typedef struct all_pairs {
    const history *history;
    const netdp_losses *losses; /* NULL: all */
    int threads;
    pieces *pieces; /* by thread */
    double *about;  /* [threads][nodes]; NULL: all */
    double *cost;
} all_pairs;

static void all_pairs_clear(all_pairs *a)
{
    for (int i = 0; a->pieces != NULL && i < a->threads; i++)
        pieces_clear(&a->pieces[i]);
    netdp_i_free(a->pieces);
    netdp_i_free(a->about);
}

static netdp_status account_observer(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)error;
    const all_pairs *a = context;
    const netdp_losses *l = a->losses;
    pieces *p = &a->pieces[thread];
    const int32_t self = (int32_t)index, count = l != NULL ? l->members : 1;
    const int32_t *member = l != NULL ? l->to + index : &self;
    double *about = l != NULL ? a->about + (int64_t)thread * a->history->nodes
                              : a->cost + index * a->history->nodes;
    for (int32_t f = 0; f < count; f++)
        p->observes[member[f]] = true;
    account(a->history, p, about);
    for (int32_t f = 0; f < count; f++)
        p->observes[member[f]] = false;
    for (int32_t i = 0; l != NULL && i < l->from_count; i++)
        a->cost[index * l->from_count + i] = about[l->from[i]];
    return NETDP_OK;
}

/* cost of all that are asked, each thread with room of its own. */
static netdp_status account_all(const history *h, const netdp_losses *losses, double *cost,
                                const netdp_progress *progress, netdp_error *error)
{
    CLEARED(all_pairs_clear)
    all_pairs a = {.history = h, .losses = losses, .threads = netdp_i_threads(), .cost = cost};
    a.pieces = NETDP_I_NEW(pieces, a.threads);
    a.about = losses != NULL ? NETDP_I_NEW(double, (int64_t)a.threads * h->nodes) : NULL;
    if (a.pieces == NULL || (losses != NULL && a.about == NULL))
        return netdp_i_no_memory(error);
    for (int i = 0; i < a.threads; i++)
        TRY(pieces_new(h, &a.pieces[i], error));
    return netdp_i_for_each(losses != NULL ? losses->to_count : h->nodes, account_observer, &a,
                            progress, "realised walk", error);
}

netdp_status netdp_realised_pairs(const netdp_token *token, const int32_t *path,
                                  netdp_realised_kind kind, const netdp_progress *progress,
                                  double *cost, netdp_error *error)
{
    NETDP_I_GIVEN(error, token && path && cost);
    CLEARED(history_clear) history h = {0};
    TRY(check_kind(kind, error));
    TRY(history_new(token, path, kind, &h, error));
    const int64_t pairs = (int64_t)h.nodes * h.nodes;
    OWNED double *all = NETDP_I_NEW(double, pairs); /* what is stopped half way must not be seen */
    if (all == NULL)
        return netdp_i_no_memory(error);
    TRY(account_all(&h, NULL, all, progress, error));
    memcpy(cost, all, (size_t)pairs * sizeof *cost);
    return NETDP_OK;
}

netdp_status netdp_i_given_costs(const netdp_token *token, const netdp_losses *losses, double *cost,
                                 const netdp_progress *progress, netdp_error *error)
{
    CLEARED(history_clear) history h = {0};
    TRY(history_new(token, token->route->node, NETDP_REALISED_ABSORBED, &h, error));
    return account_all(&h, losses, cost, progress, error);
}

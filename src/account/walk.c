#include "account/walk.h"

#include <math.h>
#include <string.h>

#include "account/losses/label.h"
#include "account/losses/losses.h"
#include "account/losses/orders.h"
#include "account/published/walk.h"
#include "account/walk/excursion.h"
#include "account/walk/first_passage.h"
#include "account/walk/given_path.h"
#include "account/walk/least.h"
#include "account/walk/many/all_pairs.h"
#include "account/walk/many/far_laws.h"
#include "account/walk/many/worst.h"
#include "account/walk/mixture/mixed.h"
#include "account/walk/spread.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "mixing/powers.h"
#include "protocol/threat.h"

/* Pairs whose sequences agree have the same answer: of so many the answer is kept. */
enum { KEPT = 64 };

/* Of so many pairs at most the law of the cost is kept for another noise. */
enum { MOST_LAWS = 100000 };

/* A mixture's epsilon above which Renyi orders are asked too. */
#define ORDERS_ABOVE 2.0

/* Of a law for compositions, in steps of its grid: costs that are small grow by so much and less. */
#define COMPOSED_BEND 1.0

/* Longer walks are followed in blocks of steps where so few pairs are asked for. */
enum { FAR_STEPS = 8192, FAR_PAIRS = 256 };

/* Why what was asked all at once is not certified, and which way it came. */
static const char at_once[] =
    "computed in floating point (not in ball arithmetic), all pairs at once "
    "and the worst one by one";

/* Sequences of one pair and its answer. */
typedef struct kept {
    netdp_i_powers returns, watch, arrivals, presence; /* of one node each */
    double back, share, scale, value;
    netdp_i_mixed mixed;
    bool by_orders; /* as netdp_i_walk_account's */
} kept;

typedef struct netdp_i_walk_account account;

/* Pairs of one observer that are asked one by one beside all at once. */
typedef struct alone {
    int32_t observer, count;
    int32_t *index, *source; /* [count]: in losses->from, and there */
    account *account;
} alone;

struct netdp_i_walk_account {
    netdp_walk_request request; /* with the noise of the moment */
    const netdp_token *token;
    netdp_losses *losses;
    const double *pi;
    int orders;
    const double *order;
    double local[NETDP_I_ORDERS]; /* of one token at scale 1, local privacy at each order */
    double *most;                 /* [from] and at all, in the asked unit */
    double delta;                 /* what the release of the law leaves of the asked one */
    netdp_i_series *series;
    netdp_i_weights *weights; /* [orders] */
    netdp_i_powers returns;   /* of the asked nodes u */
    netdp_i_powers presence;  /* P(token is there) of asked nodes, then of the members */
    int kept_count;
    kept *kept;
    signed char *like;      /* [to][from] which kept pair it is like, or -1 */
    bool *by_orders;        /* [to][from] is its answer that of Renyi orders, not the mixture's? */
    netdp_i_all_pairs *all; /* pairs: all at once */
    bool few;               /* one by one; neither: not known yet */
    alone *worst;           /* [worst_count]: of them, those that are asked one by one */
    int32_t worst_count;
    bool *is_alone;           /* [to][from] */
    bool near;                /* a long walk that is followed step by step */
    netdp_token longer_token; /* FAR_STEPS + 1 steps of the same walk */
    account *longer;          /* the account of these, or NULL */
    bool followed;            /* all pairs, at some noise: another one asks those kept */
    netdp_i_time_grid *times; /* NULL where neither a delta nor a cap asks for it */
    netdp_i_mixed *mixed;     /* [pairs]: [to][from], or NULL */
    int64_t pairs;
    netdp_i_cost_law *law; /* where only the law is asked for, of one pair, for any composition */
    bool has_law;
    netdp_i_given_path *given; /* where the path is public; NULL: not known yet */
    int64_t *made;             /* how often each node contributes on it; NULL: it is hidden */
    /* of the observer at hand */
    const int32_t *member;
    int32_t members;
    int32_t *asked;           /* [from_count + members]: nodes u, then the members */
    netdp_i_powers *arrivals; /* [members]: of the asked nodes */
    double **between;         /* [members * members] */
    netdp_i_observer_set *watch;
    netdp_i_returns **hunt; /* [threads] */
    int32_t *todo;          /* indices of u whose answer is to be found */
    double *loss;
    double *unit; /* [to][from]: of one contribution, by a published formula; NULL: not known yet */
};

/* Up, so that a product of two factors that are rounded to nearest is not below. */
static double up(double value)
{
    return isinf(value) ? value : nextafter(nextafter(value, INFINITY), INFINITY);
}

/* Down, so that delta is not above what is left of it. */
static double down(double value)
{
    return nextafter(value, 0);
}

/* ---- one pair ---- */

/* ln of the mean of e^{theta C} where no cap counts. */
static netdp_status outside_cap(account *a, netdp_i_returns *hunt, double scale, int k,
                                double theta, double *value, netdp_error *error)
{
    if (scale == 1) {
        *value = netdp_i_excursion(hunt, &a->weights[k]);
        return NETDP_OK;
    }
    CLEARED(netdp_i_weights_clear) netdp_i_weights own = {0};
    TRY(netdp_i_weights_new(a->series->terms, theta, hunt->watch->rate, &own, error));
    *value = netdp_i_excursion(hunt, &own);
    return NETDP_OK;
}

/*
 * A gradient of scale s under noise sigma is one of scale 1 under sigma / s: theta grows with s^2.
 */
static netdp_status at_order(account *a, netdp_i_returns *hunt, double scale, int k,
                             double *observer, double *epsilon, netdp_error *error)
{
    const double square = scale == 1 ? 1 : up(scale * scale), alpha = a->order[k];
    const double theta = scale == 1 ? a->weights[k].theta : up(a->weights[k].theta * square);
    double value = INFINITY, outside = INFINITY;
    bool enough = false;
    if (a->orders == 1 && a->token->cap > 0) /* at a delta the mixture says more */
        TRY(netdp_i_mixture_log_mean(a->times, hunt, a->token->cap, theta, &value, &enough, error));
    if (!enough)
        TRY(outside_cap(a, hunt, scale, k, theta, &outside, error));
    value = fmin(value, outside);
    /* What sums tell is never more, but its series may lose more to rounding. */
    if (a->losses->bound->bound == NETDP_BOUND_EXCURSION_LINEAR)
        value = fmin(value, netdp_i_excursion_linear(hunt, theta, observer));
    const double local = scale == 1 ? a->local[k] : up(a->local[k] * square);
    *epsilon = a->token->tokens * fmin(value / (alpha - 1), local);
    return NETDP_OK;
}

/* A prepared hunt, to be asked at several orders. */
typedef struct asking {
    account *account;
    netdp_i_returns *hunt;
    double scale;
} asking;

static netdp_status ask_order(void *context, int k, double *epsilon, netdp_error *error)
{
    const asking *q = context;
    return at_order(q->account, q->hunt, q->scale, k, NULL, epsilon, error);
}

/* Is a mixture over paths asked for? */
static bool mixes(const account *a)
{
    const netdp_bound bound = a->losses->bound->bound;
    return bound == NETDP_BOUND_EXCURSION_MIXTURE ||
           ((bound == NETDP_BOUND_LEAST || bound == NETDP_BOUND_EXCURSION_CONTRACTING) &&
            a->request.unit.currency == NETDP_AS_DP);
}

/* -ln of what a step contracts, where the bound takes it into account. */
static double rate_of(const account *a)
{
    const netdp_bound bound = a->losses->bound->bound;
    return bound == NETDP_BOUND_LEAST || bound == NETDP_BOUND_EXCURSION_CONTRACTING
               ? netdp_i_spread_rate(a->token->contraction)
               : 0;
}

/* A gradient of scale s under noise sigma is one of scale 1 under sigma / s. */
static double noise_at(const account *a, double scale)
{
    return scale == 1 ? a->request.noise : down(a->request.noise / scale);
}

/*
 * May Renyi orders tell less than a mixture's epsilon? Where it is large, many contributions cost much:
 * what its grid of costs loses then may be more than what one order does. No guarantee rests on it.
 */
static bool asks_orders(const account *a, const netdp_i_mixed *mixed, double epsilon)
{
    return a->request.bound == NETDP_BOUND_AUTO && a->law == NULL &&
           (epsilon > ORDERS_ABOVE || netdp_i_mixed_from_end(mixed));
}

/*
 * The least of a mixture's epsilon and that of Renyi orders; but not below `least`, at which these are not asked:
 * so more noise never tells more.
 */
static netdp_status least_of_orders(asking *q, double least, bool *by_orders, double *value,
                                    netdp_error *error)
{
    double other = INFINITY;
    TRY(netdp_i_search_orders(ask_order, q, q->account->delta, &other, error));
    other = fmax(least, other);
    *by_orders = other < *value;
    *value = fmin(*value, other);
    return NETDP_OK;
}

/* The answer to a prepared hunt, in the asked unit; `mixed`: what was kept of the pair, and is. */
static netdp_status answer(account *a, netdp_i_returns *hunt, double scale, double *observer,
                           netdp_i_mixed *mixed, bool *by_orders, double *value, netdp_error *error)
{
    asking q = {a, hunt, scale};
    *by_orders = false;
    if (a->law != NULL) {
        const netdp_i_mixture_asked asked = {.cap = a->token->cap,
                                             .tokens = a->token->tokens,
                                             .delta = a->delta,
                                             .bend = COMPOSED_BEND,
                                             .whole = true};
        *value = INFINITY;
        return netdp_i_mixture_law(a->times, hunt, &asked, a->law, &a->has_law, error);
    }
    if (mixes(a)) {
        CLEARED(netdp_i_mixed_clear) netdp_i_mixed own = {0};
        netdp_i_mixed *m = mixed != NULL ? mixed : &own;
        const netdp_i_mixture_asked asked = {
            .cap = a->token->cap, .tokens = a->token->tokens, .delta = a->delta};
        TRY(netdp_i_mixed_answer(a->times, hunt, asked, noise_at(a, scale), m, value, error));
        const double least = netdp_i_mixed_from_end(m) ? 0 : ORDERS_ABOVE;
        if (!netdp_i_mixed_none(m))
            return asks_orders(a, m, *value) ? least_of_orders(&q, least, by_orders, value, error)
                                             : NETDP_OK;
        *by_orders = true;
    }
    return a->request.unit.currency == NETDP_AS_DP
               ? netdp_i_search_orders(ask_order, &q, a->delta, value, error)
               : at_order(a, hunt, scale, 0, observer, value, error);
}

/* What one pair is asked with. */
typedef struct scratch {
    double *array;
    netdp_i_observer_set *watch;
    netdp_i_returns *hunt;
} scratch;

static void scratch_clear(scratch *own)
{
    netdp_i_returns_free(own->hunt);
    netdp_i_observer_set_free(own->watch);
    netdp_i_series_drop(own->array);
}

static netdp_status account_pair(void *context, int64_t index, int thread, netdp_error *error)
{
    account *a = context;
    const int32_t i = a->todo[index], u = a->losses->from[i], first = a->losses->from_count;
    const int64_t terms = a->series->terms;
    netdp_i_returns *hunt = a->hunt[thread];
    OWNED double *back = NETDP_I_NEW(double, a->members);
    CLEARED(scratch_clear) scratch own = {0};
    NEED(back);
    netdp_i_powers_copy(&a->returns, i, 0, terms, hunt->returns);
    netdp_i_powers_copy(&a->presence, i, a->token->burn_in, terms, hunt->presence);
    for (int32_t f = 0; f < a->members; f++) {
        netdp_i_powers_copy(&a->arrivals[f], i, 0, terms, hunt->arrivals[f]);
        back[f] = a->pi[u] / a->pi[a->member[f]];
    }
    hunt->share = a->pi[u];
    netdp_i_returns_prepare(hunt, back);
    if (a->losses->bound->bound == NETDP_BOUND_EXCURSION_LINEAR) {
        NEED(own.array = netdp_i_series_array(a->series));
        netdp_i_powers_copy(&a->presence, first, a->token->burn_in, terms, own.array);
    }
    const int64_t pair = a->loss + i - a->losses->loss;
    netdp_i_mixed *mixed = a->mixed != NULL ? a->mixed + pair : NULL;
    return answer(a, hunt, netdp_token_scale(a->token, u), own.array, mixed, &a->by_orders[pair],
                  &a->loss[i], error);
}

/* ---- pairs whose sequences are the same ---- */

static netdp_status keep_one(const netdp_i_powers *from, int32_t i, netdp_i_powers *one,
                             netdp_error *error)
{
    one->asked = 1;
    one->count = NETDP_I_NEW(int64_t, 1);
    one->limit = NETDP_I_NEW(double, 1);
    one->value = NETDP_I_NEW(double *, 1);
    if (one->count == NULL || one->limit == NULL || one->value == NULL ||
        (one->value[0] = NETDP_I_NEW(double, from->count[i])) == NULL)
        return netdp_i_no_memory(error);
    one->count[0] = from->count[i];
    one->limit[0] = from->limit[i];
    memcpy(one->value[0], from->value[i], (size_t)from->count[i] * sizeof(double));
    return NETDP_OK;
}

static bool same(const account *a, const kept *k, int32_t i)
{
    const double back = a->pi[a->losses->from[i]] / a->pi[a->member[0]];
    return fabs(k->back - back) <= 1e-14 * back &&
           fabs(k->share - a->pi[a->losses->from[i]]) <= 1e-14 * k->share &&
           k->scale == netdp_token_scale(a->token, a->losses->from[i]) &&
           netdp_i_powers_equal(&k->arrivals, 0, &a->arrivals[0], i) &&
           netdp_i_powers_equal(&k->returns, 0, &a->returns, i) &&
           netdp_i_powers_equal(&k->watch, 0, &a->arrivals[0], a->losses->from_count) &&
           netdp_i_powers_equal(&k->presence, 0, &a->presence, i);
}

static netdp_status keep(account *a, int32_t i, netdp_error *error)
{
    kept *k = &a->kept[a->kept_count++];
    k->share = a->pi[a->losses->from[i]];
    k->back = k->share / a->pi[a->member[0]];
    k->scale = netdp_token_scale(a->token, a->losses->from[i]);
    TRY(keep_one(&a->arrivals[0], i, &k->arrivals, error));
    TRY(keep_one(&a->returns, i, &k->returns, error));
    TRY(keep_one(&a->arrivals[0], a->losses->from_count, &k->watch, error));
    return keep_one(&a->presence, i, &k->presence, error);
}

/* A kept pair's answer, from its own sequences. */
static netdp_status account_kept(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    account *a = context;
    kept *k = &a->kept[index];
    const int64_t terms = a->series->terms;
    k->by_orders = false;
    if (a->law == NULL && mixes(a) &&
        netdp_i_mixed_ask(&k->mixed, noise_at(a, k->scale), a->delta, &k->value) &&
        !asks_orders(a, &k->mixed, k->value))
        return NETDP_OK;
    CLEARED(scratch_clear) scratch own = {.array = netdp_i_series_array(a->series)};
    const double *const between = own.array;
    NEED(between);
    netdp_i_powers_copy(&k->watch, 0, 0, terms, own.array);
    TRY(netdp_i_observer_set_new(a->series, 1, &between, a->token->release, &own.watch, error));
    TRY(netdp_i_returns_new(own.watch, &own.hunt, error));
    netdp_i_returns *hunt = own.hunt;
    own.watch->rate = rate_of(a);
    netdp_i_powers_copy(&k->returns, 0, 0, terms, hunt->returns);
    netdp_i_powers_copy(&k->presence, 0, a->token->burn_in, terms, hunt->presence);
    netdp_i_powers_copy(&k->arrivals, 0, 0, terms, hunt->arrivals[0]);
    hunt->share = k->share;
    netdp_i_returns_prepare(hunt, &k->back);
    return answer(a, hunt, k->scale, NULL, &k->mixed, &k->by_orders, &k->value, error);
}

static netdp_status account_all_kept(account *a, const netdp_progress *progress, netdp_error *error)
{
    const int64_t pairs = (int64_t)a->losses->from_count * a->losses->to_count;
    TRY(netdp_i_for_each(a->kept_count, account_kept, a, progress, "kinds of pairs", error));
    for (int64_t i = 0; i < pairs; i++)
        if (a->like[i] >= 0) {
            a->losses->loss[i] = a->kept[a->like[i]].value;
            a->by_orders[i] = a->kept[a->like[i]].by_orders;
        }
    return NETDP_OK;
}

/* ---- one observer ---- */

/* (P^t)_uf for the asked nodes, and the members among themselves. */
static netdp_status follow_members(account *a, const netdp_progress *progress, netdp_error *error)
{
    const int32_t n = netdp_transition_rows(a->token->law).nodes;
    const int32_t asked = a->losses->from_count + a->members;
    OWNED double *x = NETDP_I_NEW(double, n);
    NEED(x);
    for (int32_t i = 0; i < asked; i++)
        a->asked[i] =
            i < a->losses->from_count ? a->losses->from[i] : a->member[i - a->losses->from_count];
    for (int32_t f = 0; f < a->members; f++) {
        x[a->member[f]] = 1;
        TRY(netdp_i_powers_of_vector(a->token->law, x, a->asked, asked, NULL, a->series->terms,
                                     progress, &a->arrivals[f], error));
        x[a->member[f]] = 0;
        for (int32_t g = 0; g < a->members; g++)
            netdp_i_powers_copy(&a->arrivals[f], a->losses->from_count + g, 0, a->series->terms,
                                a->between[g * a->members + f]);
    }
    return NETDP_OK;
}

/* P(token is there at step t) = pi (P^t (rho / pi)), burn-in included. */
static netdp_status follow_start(account *a, const netdp_progress *progress, netdp_error *error)
{
    const int32_t n = netdp_transition_rows(a->token->law).nodes;
    const int32_t asked = a->losses->from_count + a->members;
    OWNED double *x = NETDP_I_NEW(double, n);
    OWNED double *scale = NETDP_I_NEW(double, asked);
    if (x == NULL || scale == NULL)
        return netdp_i_no_memory(error);
    const int32_t start = a->token->start == NETDP_START_OBSERVER ? a->member[0] : a->token->start;
    for (int32_t u = 0; u < n; u++)
        x[u] = start == NETDP_START_UNIFORM ? 1 / (n * a->pi[u]) : start == u ? 1 / a->pi[u] : 0;
    for (int32_t i = 0; i < asked; i++)
        scale[i] = a->pi[a->asked[i]];
    netdp_i_powers_clear(&a->presence);
    return netdp_i_powers_of_vector(a->token->law, x, a->asked, asked, scale,
                                    a->series->terms + a->token->burn_in, progress, &a->presence,
                                    error);
}

/*
 * The nodes whose answer is to be found: not members, not like a kept pair. like[i]: which kept
 * pair, or -1.
 */
static netdp_status find_todo(account *a, int32_t v, int32_t *count, netdp_error *error)
{
    const bool keeps = a->members == 1 && a->losses->bound->bound != NETDP_BOUND_EXCURSION_LINEAR;
    signed char *like = a->like + (int64_t)v * a->losses->from_count;
    *count = 0;
    for (int32_t i = 0; i < a->losses->from_count; i++) {
        like[i] = -1;
        if (!netdp_losses_counts(a->losses, i, v))
            continue;
        for (int k = 0; keeps && k < a->kept_count && like[i] < 0; k++)
            if (same(a, &a->kept[k], i))
                like[i] = (signed char)k;
        if (like[i] >= 0)
            continue;
        if (!keeps || a->kept_count >= KEPT) {
            a->todo[(*count)++] = i;
            continue;
        }
        like[i] = (signed char)a->kept_count;
        TRY(keep(a, i, error));
    }
    return NETDP_OK;
}

/* The pairs of the observer at hand that are like no kept one. */
static netdp_status account_todo(account *a, int32_t count, const netdp_progress *progress,
                                 netdp_error *error)
{
    TRY(netdp_i_observer_set_new(a->series, a->members, (const double *const *)a->between,
                                 a->token->release, &a->watch, error));
    a->watch->rate = rate_of(a);
    for (int thread = 0; thread < netdp_i_threads(); thread++)
        TRY(netdp_i_returns_new(a->watch, &a->hunt[thread], error));
    return netdp_i_for_each(count, account_pair, a, progress, "excursions", error);
}

static netdp_status ask_observer(account *a, int32_t v, const netdp_progress *progress,
                                 netdp_error *error)
{
    const netdp_losses *l = a->losses;
    int32_t count = 0;
    a->member = l->to + v;
    a->loss = l->loss + (int64_t)v * l->from_count;
    TRY(follow_members(a, progress, error));
    if (a->presence.asked == 0 || a->token->start == NETDP_START_OBSERVER ||
        l->bound->bound == NETDP_BOUND_EXCURSION_LINEAR)
        TRY(follow_start(a, progress, error));
    TRY(find_todo(a, v, &count, error));
    return count > 0 ? account_todo(a, count, l->to_count == 1 ? progress : NULL, error) : NETDP_OK;
}

static netdp_status account_observer(account *a, int32_t v, const netdp_progress *progress,
                                     netdp_error *error)
{
    const netdp_status status = ask_observer(a, v, progress, error);
    for (int thread = 0; thread < netdp_i_threads(); thread++) {
        netdp_i_returns_free(a->hunt[thread]);
        a->hunt[thread] = NULL;
    }
    netdp_i_observer_set_free(a->watch);
    a->watch = NULL;
    for (int32_t f = 0; f < a->members; f++)
        netdp_i_powers_clear(&a->arrivals[f]);
    return status;
}

/* ---- the whole account ---- */

static void clear_weights(account *a)
{
    for (int k = 0; a->weights != NULL && k < a->orders; k++)
        netdp_i_weights_clear(&a->weights[k]);
}

static void alone_clear(alone *w)
{
    netdp_i_walk_account_free(w->account);
    netdp_i_free(w->index);
    netdp_i_free(w->source);
}

void netdp_i_walk_account_free(account *a)
{
    if (a == NULL)
        return;
    const int64_t square = (int64_t)a->members * a->members;
    clear_weights(a);
    for (int k = 0; a->kept != NULL && k < a->kept_count; k++) {
        netdp_i_powers_clear(&a->kept[k].returns);
        netdp_i_powers_clear(&a->kept[k].watch);
        netdp_i_powers_clear(&a->kept[k].arrivals);
        netdp_i_powers_clear(&a->kept[k].presence);
        netdp_i_mixed_clear(&a->kept[k].mixed);
    }
    for (int64_t i = 0; a->mixed != NULL && i < a->pairs; i++)
        netdp_i_mixed_clear(&a->mixed[i]);
    netdp_i_time_grid_free(a->times);
    netdp_i_given_path_free(a->given);
    netdp_i_free(a->made);
    netdp_i_free(a->mixed);
    for (int64_t i = 0; a->between != NULL && i < square; i++)
        netdp_i_series_drop(a->between[i]);
    netdp_i_powers_clear(&a->returns);
    netdp_i_powers_clear(&a->presence);
    netdp_i_free(a->weights);
    netdp_i_free(a->kept);
    netdp_i_free(a->like);
    netdp_i_free(a->by_orders);
    netdp_i_free(a->between);
    netdp_i_free(a->asked);
    netdp_i_free(a->arrivals);
    netdp_i_free(a->hunt);
    netdp_i_free(a->todo);
    netdp_i_free(a->most);
    netdp_i_free(a->unit);
    for (int32_t k = 0; k < a->worst_count; k++)
        alone_clear(&a->worst[k]);
    netdp_i_walk_account_free(a->longer);
    netdp_i_free(a->worst);
    netdp_i_free(a->is_alone);
    netdp_i_all_pairs_free(a->all);
    netdp_i_series_free(a->series);
    netdp_losses_free(a->losses);
    netdp_i_free(a);
}

/*
 * How often a node contributes at most, over all tokens. A path that is public tells it before the
 * run, whatever the data are: a sequence of so many Gaussian releases, and no others, is what local
 * differential privacy has to answer for then.
 */
static double contributions_of(const account *a, int32_t u)
{
    return a->made != NULL ? (double)a->made[u]
                           : (double)netdp_token_contributions(a->token) * a->token->tokens;
}

/* So many contributions of scale s, each a Gaussian release with mu = s / sigma, in the unit. */
static netdp_status local_value(const account *a, double count, double scale, double *value,
                                netdp_error *error)
{
    const netdp_currency currency = a->request.unit.currency;
    const double mu = up(scale * up(sqrt(count) / a->request.noise));
    *value = 0;
    if (count == 0) /* nothing is told, without noise too */
        return NETDP_OK;
    if (currency == NETDP_AS_RDP)
        return netdp_gdp_to_rdp(mu, a->order[0], value, error);
    if (currency == NETDP_AS_DP)
        return netdp_gdp_to_epsilon(mu, a->delta, value, error);
    /* of a public path */
    *value = currency == NETDP_AS_GDP ? mu : up(scale * up(scale * count));
    return NETDP_OK;
}

/* N contributions of every asked node; the worst node's as `local`. */
static netdp_status find_local(account *a, netdp_error *error)
{
    const double each = (double)netdp_token_contributions(a->token), sigma = a->request.noise;
    netdp_losses *l = a->losses;
    for (int k = 0; k < a->orders; k++)
        a->local[k] = sigma == 0 ? INFINITY : up(a->order[k] * up(each / (2 * sigma * sigma)));
    l->local = 0;
    double last_count = -1, last_scale = -1;
    for (int32_t i = 0; i < l->from_count; i++) {
        const double scale = netdp_token_scale(a->token, l->from[i]);
        const double count = contributions_of(a, l->from[i]);
        if (i > 0 && count == last_count && scale == last_scale)
            a->most[i] = a->most[i - 1];
        else
            TRY(local_value(a, count, scale, &a->most[i], error));
        last_count = count;
        last_scale = scale;
        l->local = fmax(l->local, a->most[i]);
    }
    return NETDP_OK;
}

static netdp_status make_weights(account *a, netdp_error *error)
{
    const double sigma = a->request.noise;
    clear_weights(a);
    for (int k = 0; k < a->orders; k++)
        TRY(netdp_i_weights_new(a->series->terms,
                                up(a->order[k] * (a->order[k] - 1) / (2 * sigma * sigma)),
                                rate_of(a), &a->weights[k], error));
    return NETDP_OK;
}

/* What does not depend on the noise. */
static netdp_status excursions_begin(account *a, const netdp_progress *progress, netdp_error *error)
{
    const netdp_losses *l = a->losses;
    const int64_t terms = a->token->steps + 1, square = (int64_t)l->members * l->members;
    const int64_t pairs = (int64_t)l->from_count * l->to_count;
    TRY(netdp_i_series_new(terms, &a->series, error));
    a->members = l->members;
    a->pairs = pairs;
    a->weights = NETDP_I_NEW(netdp_i_weights, a->orders);
    a->kept = NETDP_I_NEW(kept, KEPT);
    a->like = NETDP_I_NEW(signed char, (int64_t)l->from_count * l->to_count);
    a->by_orders = NETDP_I_NEW(bool, (int64_t)l->from_count * l->to_count);
    a->asked = NETDP_I_NEW(int32_t, (int64_t)l->from_count + l->members);
    a->arrivals = NETDP_I_NEW(netdp_i_powers, l->members);
    a->between = NETDP_I_NEW(double *, square);
    a->hunt = NETDP_I_NEW(netdp_i_returns *, netdp_i_threads());
    a->todo = NETDP_I_NEW(int32_t, l->from_count);
    if (a->weights == NULL || a->kept == NULL || a->like == NULL || a->by_orders == NULL ||
        a->asked == NULL || a->arrivals == NULL || a->between == NULL || a->hunt == NULL ||
        a->todo == NULL)
        return netdp_i_no_memory(error);
    for (int64_t i = 0; i < square; i++)
        if ((a->between[i] = netdp_i_series_array(a->series)) == NULL)
            return netdp_i_no_memory(error);
    if (mixes(a) && pairs <= MOST_LAWS && (a->mixed = NETDP_I_NEW(netdp_i_mixed, pairs)) == NULL)
        return netdp_i_no_memory(error);
    if (mixes(a) || (a->orders == 1 && a->token->cap > 0))
        TRY(netdp_i_time_grid_new(a->token->steps, a->token->release, a->token->cap, &a->times,
                                  error));
    return netdp_i_powers_of_returns(a->token->law, l->from, l->from_count, terms, progress,
                                     &a->returns, error);
}

/* Is every pair of an observer like a kept one, or its own law kept and enough? Then it answers. */
static bool answer_observer(const account *a, int32_t v)
{
    const netdp_losses *l = a->losses;
    for (int32_t i = 0; i < l->from_count; i++) {
        const int64_t at = (int64_t)v * l->from_count + i;
        if (!netdp_losses_counts(l, i, v) || a->like[at] >= 0)
            continue;
        if (a->mixed == NULL ||
            !netdp_i_mixed_ask(&a->mixed[at], noise_at(a, netdp_token_scale(a->token, l->from[i])),
                               a->delta, &l->loss[at]) ||
            asks_orders(a, &a->mixed[at], l->loss[at]))
            return false;
        a->by_orders[at] = false;
    }
    return true;
}

/* ---- all at once, and the worst one by one ---- */

/* They take most of the time: of how many observers there is one, at least. */
static netdp_status report_worst(const account *a, int32_t done, const netdp_progress *progress,
                                 netdp_error *error)
{
    return netdp_i_report(progress, "worst pairs", done, fmax(a->worst_count, a->losses->to_count),
                          error);
}

/* Their losses, by their own account. */
static netdp_status ask_again(account *a, const alone *w, const netdp_progress *progress,
                              netdp_error *error)
{
    const netdp_progress polled = netdp_i_only_polled(progress);
    TRY(netdp_i_walk_account_at(w->account, a->request.noise, &polled, error));
    for (int32_t i = 0; i < w->count; i++)
        a->losses->loss[(int64_t)w->observer * a->losses->from_count + w->index[i]] =
            w->account->losses->loss[i];
    return NETDP_OK;
}

/* What asks for them, and who is told. */
struct worst_asked {
    account *account;
    const netdp_progress *progress;
};

static netdp_status ask_alone(void *context, int32_t observer, const int32_t *index, int32_t count,
                              netdp_error *error)
{
    const struct worst_asked *told = context;
    account *a = told->account;
    alone *grown = netdp_i_grow(a->worst, a->worst_count + 1, sizeof *grown);
    if (grown == NULL)
        return netdp_i_no_memory(error);
    a->worst = grown;
    alone *w = &a->worst[a->worst_count];
    *w = (alone){.observer = observer,
                 .count = count,
                 .index = NETDP_I_NEW(int32_t, count),
                 .source = NETDP_I_NEW(int32_t, count)};
    a->worst_count++;
    if (w->index == NULL || w->source == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < count; i++) {
        w->index[i] = index[i];
        w->source[i] = a->losses->from[index[i]];
    }
    netdp_walk_request request = a->request;
    request.from = w->source;
    request.from_count = count;
    request.to = a->losses->to + observer;
    request.to_count = 1;
    request.unit.parameter = a->delta;
    request.law_epsilon = request.law_delta = 0;
    TRY(netdp_i_walk_account_new(&request, &w->account, error));
    w->account->few = true;
    TRY(ask_again(a, w, told->progress, error));
    return report_worst(a, a->worst_count, told->progress, error);
}

/* The worst pairs of those that were asked all at once. */
static netdp_status account_worst(account *a, const netdp_progress *progress, netdp_error *error)
{
    const int64_t pairs = (int64_t)a->losses->from_count * a->losses->to_count;
    struct worst_asked told = {a, progress};
    if (a->is_alone == NULL)
        a->is_alone = NETDP_I_NEW(bool, pairs);
    NEED(a->is_alone);
    for (int32_t k = 0; k < a->worst_count; k++) {
        TRY(ask_again(a, &a->worst[k], progress, error));
        TRY(report_worst(a, k + 1, progress, error));
    }
    return netdp_i_worst_alone(a->losses, a->is_alone, ask_alone, &told, error);
}

/* Every contribution seen at once: nothing can be worse. */
static void at_most_local(account *a)
{
    netdp_losses *l = a->losses;
    for (int64_t i = 0; i < (int64_t)l->from_count * l->to_count; i++)
        l->loss[i] = fmin(l->loss[i], a->most[i % l->from_count]);
}

/* All at once, where there are many pairs and few of them are alike; *made: is that done? */
static netdp_status account_many(account *a, bool *made, const netdp_progress *progress,
                                 netdp_error *error)
{
    const netdp_i_all_pairs_asked asked = {.token = a->token,
                                           .rate = rate_of(a),
                                           .sigma = a->request.noise,
                                           .delta = a->delta,
                                           .top = a->losses->local};
    netdp_losses *l = a->losses;
    bool fit = false;
    *made = false;
    if (!mixes(a) || a->law != NULL || a->few)
        return NETDP_OK;
    if (a->all == NULL) {
        TRY(netdp_i_all_pairs_fit(&asked, l, &fit, error));
        if (fit)
            TRY(netdp_i_all_pairs_new(&asked, l, &a->all, progress, error));
        a->few = a->all == NULL;
    }
    if (a->all == NULL)
        return NETDP_OK;
    TRY(netdp_i_all_pairs_at(a->all, &asked, progress, error));
    at_most_local(a);
    TRY(account_worst(a, progress, error));
    l->reason = at_once;
    *made = true;
    return NETDP_OK;
}

/* ---- a few pairs of a long walk ---- */

/* Is it long, and are its pairs few? What Renyi orders say there was nowhere less. */
static bool is_far(const account *a)
{
    const netdp_losses *l = a->losses;
    return mixes(a) && a->law == NULL && l->members == 1 && !a->token->release &&
           a->token->steps > FAR_STEPS && l->bound->bound != NETDP_BOUND_LEAST && !a->near &&
           (int64_t)l->from_count * l->to_count <= FAR_PAIRS;
}

static netdp_status far_begin(account *a, netdp_error *error)
{
    a->pairs = (int64_t)a->losses->from_count * a->losses->to_count;
    a->mixed = NETDP_I_NEW(netdp_i_mixed, a->pairs);
    a->by_orders = NETDP_I_NEW(bool, a->pairs);
    return a->mixed == NULL || a->by_orders == NULL
               ? netdp_i_no_memory(error)
               : netdp_i_time_grid_new(a->token->steps, false, a->token->cap, &a->times, error);
}

/* *made is false where the spectrum is none for it. */
static netdp_status far_pair(account *a, bool followed, int32_t v, int32_t i, bool *made,
                             netdp_error *error)
{
    const netdp_losses *l = a->losses;
    const int64_t at = (int64_t)v * l->from_count + i, terms = a->token->steps + 1;
    const double noise = noise_at(a, netdp_token_scale(a->token, l->from[i]));
    const netdp_i_series series = {.terms = terms, .size = terms, .bins = 1};
    const netdp_i_observer_set watch = {.series = &series, .members = 1, .rate = rate_of(a)};
    const netdp_i_mixture_asked asked = {
        .cap = a->token->cap, .tokens = a->token->tokens, .delta = a->delta};
    CLEARED(scratch_clear) scratch own = {0};
    *made = followed && netdp_i_mixed_ask(&a->mixed[at], noise, a->delta, &l->loss[at]);
    if (*made)
        return NETDP_OK;
    TRY(netdp_i_returns_plain(&watch, &own.hunt, error));
    TRY(netdp_i_far_laws(a->token, l->from[i], l->to[v], own.hunt, made, error));
    return *made ? netdp_i_mixed_answer(a->times, own.hunt, asked, noise, &a->mixed[at],
                                        &l->loss[at], error)
                 : NETDP_OK;
}

/* What was kept of them, where they are followed step by step after all. */
static void far_end(account *a)
{
    for (int64_t i = 0; i < a->pairs; i++)
        netdp_i_mixed_clear(&a->mixed[i]);
    netdp_i_free(a->mixed);
    netdp_i_free(a->by_orders);
    netdp_i_time_grid_free(a->times);
    a->mixed = NULL;
    a->by_orders = NULL;
    a->times = NULL;
    a->near = true;
}

static netdp_status account_far(account *a, bool *made, const netdp_progress *progress,
                                netdp_error *error)
{
    const netdp_losses *l = a->losses;
    const bool followed = a->followed;
    a->followed = false; /* where this fails */
    if (a->times == NULL)
        TRY(far_begin(a, error));
    *made = true;
    for (int32_t v = 0; v < l->to_count && *made; v++)
        for (int32_t i = 0; i < l->from_count && *made; i++) {
            if (!netdp_losses_counts(l, i, v))
                continue;
            TRY(far_pair(a, followed, v, i, made, error));
            TRY(netdp_i_report(progress, "pairs", (double)v * l->from_count + i + 1,
                               (double)a->pairs, error));
        }
    a->followed = *made;
    if (!*made)
        far_end(a); /* the other way, from the beginning */
    return NETDP_OK;
}

/* Is it almost so long that blocks would be followed, in which less is rounded? */
static bool is_almost_far(const account *a)
{
    const netdp_losses *l = a->losses;
    return mixes(a) && a->law == NULL && l->members == 1 && !a->token->release &&
           a->token->steps > FAR_STEPS / 2 && a->token->steps <= FAR_STEPS &&
           l->bound->bound != NETDP_BOUND_LEAST &&
           (int64_t)l->from_count * l->to_count <= FAR_PAIRS;
}

/*
 * A longer walk shows all that a shorter one does, so that what holds for it holds here: at the step from
 * which on blocks are followed it tells no less than before it.
 */
static netdp_status account_longer(account *a, netdp_error *error)
{
    netdp_losses *l = a->losses;
    if (a->longer == NULL) {
        netdp_walk_request request = a->request;
        a->longer_token = *a->token;
        a->longer_token.steps = FAR_STEPS + 1;
        request.token = &a->longer_token;
        request.from = l->from;
        request.from_count = l->from_count;
        request.to = l->to;
        request.to_count = l->to_count;
        request.unit.parameter = a->delta;
        request.law_epsilon = request.law_delta = 0;
        TRY(netdp_i_walk_account_new(&request, &a->longer, error));
    }
    if (!a->longer->near)
        TRY(netdp_i_walk_account_at(a->longer, a->request.noise, NULL, error));
    if (a->longer->near) /* no blocks for this graph */
        return NETDP_OK;
    for (int64_t i = 0; i < a->pairs; i++)
        if (a->longer->losses->loss[i] < l->loss[i]) {
            l->loss[i] = a->longer->losses->loss[i];
            a->by_orders[i] = false;
        }
    return NETDP_OK;
}

/* Of which bound each pair's answer is, where it is not the mixture's alone. */
static void count_least(account *a)
{
    netdp_losses *l = a->losses;
    int64_t by_orders = 0, local = 0, counted = 0;
    for (int32_t v = 0; v < l->to_count; v++)
        for (int32_t i = 0; i < l->from_count; i++) {
            const int64_t at = (int64_t)v * l->from_count + i;
            if (!netdp_losses_counts(l, i, v))
                continue;
            counted++;
            if (l->loss[at] >= a->most[i])
                local++;
            else
                by_orders += a->by_orders[at];
        }
    if (by_orders == 0)
        return;
    l->given_count = 3;
    l->given[0] = (netdp_given){netdp_i_bound_row(NETDP_BOUND_EXCURSION_MIXTURE),
                                counted - by_orders - local};
    l->given[1] = (netdp_given){netdp_i_bound_row(NETDP_BOUND_EXCURSION), by_orders};
    l->given[2] = (netdp_given){netdp_i_bound_row(NETDP_BOUND_LOCAL), local};
}

static netdp_status account_excursions(account *a, const netdp_progress *progress,
                                       netdp_error *error)
{
    const netdp_losses *l = a->losses;
    bool made = false;
    TRY(account_many(a, &made, progress, error));
    if (made)
        return NETDP_OK;
    if (is_far(a))
        TRY(account_far(a, &made, progress, error));
    if (made) {
        at_most_local(a);
        return NETDP_OK;
    }
    if (a->series == NULL && a->times != NULL)
        far_end(a);
    const bool followed = a->followed && a->law == NULL;
    a->followed = false; /* where this fails */
    if (a->series == NULL)
        TRY(excursions_begin(a, progress, error));
    TRY(make_weights(a, error));
    for (int32_t v = 0; v < l->to_count; v++) {
        if (followed && answer_observer(a, v))
            continue;
        TRY(account_observer(a, v, progress, error));
        if (l->to_count > 1)
            TRY(netdp_i_report(progress, "observers", v + 1, l->to_count, error));
    }
    a->followed = true;
    TRY(account_all_kept(a, l->to_count == 1 ? progress : NULL, error));
    if (is_almost_far(a))
        TRY(account_longer(a, error));
    if (l->bound->bound == NETDP_BOUND_EXCURSION_MIXTURE)
        count_least(a);
    at_most_local(a);
    return NETDP_OK;
}

/* ---- formulas, an observer's column at a time ---- */

/* One contribution's law of first passage, at one order. */
static netdp_status account_passages(account *a, const netdp_progress *progress, netdp_error *error)
{
    netdp_losses *l = a->losses;
    /* A walk of one step contributes once, like a cap of 1: not its steps over the nodes. */
    const bool once = netdp_token_contributions(a->token) == 1;
    const double times = a->token->tokens * (once ? 1 : netdp_i_walk_contributions(a->token));
    const bool dp = a->request.unit.currency == NETDP_AS_DP;
    OWNED double *column = NETDP_I_NEW(double, netdp_transition_rows(a->token->law).nodes);
    NEED(column);
    for (int32_t v = 0; v < l->to_count; v++) {
        TRY(dp ? netdp_i_passage_epsilons(a->token, l->to + v, l->members, times, a->request.noise,
                                          a->delta, column, error)
               : netdp_i_passage_bound(a->token, l->to + v, l->members, a->order[0],
                                       a->request.noise, column, NULL, error));
        for (int32_t i = 0; i < l->from_count; i++)
            l->loss[(int64_t)v * l->from_count + i] = column[l->from[i]] * (dp ? 1 : times);
        TRY(netdp_i_report(progress, "observers", v + 1, l->to_count, error));
    }
    return NETDP_OK;
}

/* Of each pair the least that holds: excursions, all at once, and first passage where it holds. */
static netdp_status account_least(account *a, const netdp_progress *progress, netdp_error *error)
{
    netdp_losses *l = a->losses;
    const bool once = netdp_token_contributions(a->token) == 1 && !a->token->weighted;
    int64_t lower = 0, local = 0, counted = 0;
    TRY(account_excursions(a, progress, error));
    const netdp_i_least asked = {.token = a->token,
                                 .like = a->like,
                                 .kinds = a->kept_count,
                                 .alpha = a->order[0],
                                 .delta = a->request.unit.currency == NETDP_AS_DP ? a->delta : 0,
                                 .sigma = a->request.noise};
    if (once)
        TRY(netdp_i_walk_least(&asked, l, &lower, progress, error));
    for (int32_t v = 0; v < l->to_count; v++)
        for (int32_t i = 0; i < l->from_count; i++)
            if (netdp_losses_counts(l, i, v)) {
                counted++;
                local += l->loss[(int64_t)v * l->from_count + i] >= a->most[i];
            }
    l->given_count = 3;
    l->given[0] = (netdp_given){netdp_i_bound_row(rate_of(a) > 0 ? NETDP_BOUND_EXCURSION_CONTRACTING
                                                  : mixes(a)     ? NETDP_BOUND_EXCURSION_MIXTURE
                                                                 : NETDP_BOUND_EXCURSION),
                                counted - lower - local};
    l->given[1] = (netdp_given){netdp_i_bound_row(NETDP_BOUND_FIRST_PASSAGE), lower};
    l->given[2] = (netdp_given){netdp_i_bound_row(NETDP_BOUND_LOCAL), local};
    return NETDP_OK;
}

/* What a published formula says of one contribution, whatever the noise. */
static netdp_status find_units(account *a, const netdp_progress *progress, netdp_error *error)
{
    const netdp_losses *l = a->losses;
    const netdp_bound bound = l->bound->bound;
    const bool logarithm = bound == NETDP_BOUND_PUBLISHED_LOG || bound == NETDP_BOUND_WALK_CODE;
    OWNED double *column = NETDP_I_NEW(double, netdp_transition_rows(a->token->law).nodes);
    OWNED double *unit = NETDP_I_NEW(double, (int64_t)l->from_count * l->to_count);
    OWNED_BY(netdp_i_walk_published_free) netdp_i_walk_published *published = NULL;
    if (column == NULL || unit == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_walk_published_new(a->token, logarithm ? NETDP_I_WALK_LOG : NETDP_I_WALK_SUM,
                                   bound == NETDP_BOUND_PUBLISHED_KNOWN, &published, error));
    for (int32_t v = 0; v < l->to_count; v++) {
        TRY(netdp_i_walk_published_column(published, l->to + v, l->members, column, NULL, error));
        for (int32_t i = 0; i < l->from_count; i++)
            unit[(int64_t)v * l->from_count + i] = column[l->from[i]];
        TRY(netdp_i_report(progress, "observers", v + 1, l->to_count, error));
    }
    a->unit = GIVE(unit);
    return NETDP_OK;
}

/* What a published formula says of one pair, in the asked unit. */
static netdp_status published_value(const account *a, double unit, double *value,
                                    netdp_error *error)
{
    const double sigma = a->request.noise, alpha = a->order[0], tokens = a->token->tokens;
    const bool rdp = a->request.unit.currency == NETDP_AS_RDP;
    const bool anywhere = a->losses->bound->bound == NETDP_BOUND_WALK_CODE;
    const netdp_rdp line = {.slope = tokens * netdp_i_walk_published_slope(a->token, unit, sigma)};
    *value = INFINITY;
    if (!(line.slope < INFINITY))
        return NETDP_OK;
    if (rdp)
        *value = anywhere ? line.slope * alpha
                          : tokens * netdp_i_walk_published_value(a->token, unit, alpha, sigma);
    return rdp ? NETDP_OK
           : anywhere
               ? netdp_rdp_to_epsilon(&line, a->delta, 0, value, error)
               : netdp_i_walk_published_epsilon(a->token, unit, sigma, a->delta, value, error);
}

static netdp_status account_published(account *a, const netdp_progress *progress,
                                      netdp_error *error)
{
    netdp_losses *l = a->losses;
    const int64_t pairs = (int64_t)l->from_count * l->to_count;
    double last = -1, value = 0;
    if (a->unit == NULL)
        TRY(find_units(a, progress, error));
    for (int64_t i = 0; i < pairs; i++) {
        if (a->unit[i] != last)
            TRY(published_value(a, a->unit[i], &value, error));
        last = a->unit[i];
        l->loss[i] = value;
    }
    return NETDP_OK;
}

/* By the path that all know. */
static netdp_status account_given(account *a, const netdp_progress *progress, netdp_error *error)
{
    netdp_losses *l = a->losses;
    const netdp_currency currency = a->request.unit.currency;
    const netdp_unit unit = {currency, currency == NETDP_AS_DP ? a->delta : a->order[0]};
    if (a->given == NULL)
        TRY(netdp_i_given_path_new(a->token, l, progress, &a->given, error));
    TRY(netdp_i_given_path_at(a->given, a->request.noise, unit, l, progress, error));
    at_most_local(a);
    return NETDP_OK;
}

static netdp_status check_request(const netdp_walk_request *request, const netdp_bound_info **bound,
                                  netdp_error *error)
{
    const netdp_token *token = request->token;
    const bool rdp = request->unit.currency == NETDP_AS_RDP;
    const bool dp = request->unit.currency == NETDP_AS_DP;
    TRY(netdp_token_check(token, error));
    TRY(netdp_walk_bound_choose(token, request->bound, bound, error));
    /* At a delta a mean of Gaussian guarantees is less than what one of Renyi's orders tells. */
    if (request->bound == NETDP_BOUND_AUTO && dp && (*bound)->bound == NETDP_BOUND_EXCURSION)
        *bound = netdp_i_bound_row(NETDP_BOUND_EXCURSION_MIXTURE);
    REFUSE(token->route == NULL && !rdp && !dp,
           "as: a walk has no unit-free loss and no mu, since its path is random; use rdp:ALPHA or "
           "dp:DELTA");
    REFUSE(!(request->noise >= 0), "noise: %g; give 0 or more", request->noise);
    REFUSE(request->coalition && token->start == NETDP_START_OBSERVER,
           "start: observer is one node; for a coalition name the node");
    const bool pays = request->law_epsilon != 0 || request->law_delta != 0;
    REFUSE(!(request->law_epsilon >= 0) || !(request->law_delta >= 0) ||
               (pays && (!dp || request->law_delta >= request->unit.parameter)),
           "law: released at (%g, %g); use --as dp:DELTA with a delta above it",
           request->law_epsilon, request->law_delta);
    const bool linear = (*bound)->bound == NETDP_BOUND_EXCURSION_LINEAR;
    REFUSE(linear && (request->coalition || token->release),
           "bound: excursion-linear is for one observer and no release; use excursion");
    REFUSE(token->weighted && !linear && (*bound)->bound != NETDP_BOUND_EXCURSION &&
               (*bound)->bound != NETDP_BOUND_EXCURSION_MIXTURE &&
               (*bound)->bound != NETDP_BOUND_LOCAL && (*bound)->bound != NETDP_BOUND_GIVEN_PATH,
           "bound: %s knows no weighted gradients; use excursion", (*bound)->name);
    REFUSE(linear && !rdp, "bound: %s answers at one Renyi order; use --as rdp:ALPHA",
           (*bound)->name);
    REFUSE((*bound)->bound == NETDP_BOUND_EXCURSION_MIXTURE && !dp,
           "bound: excursion-mixture answers at a delta; use --as dp:DELTA, or excursion");
    return NETDP_OK;
}

netdp_status netdp_i_walk_account_new(const netdp_walk_request *request, account **made,
                                      netdp_error *error)
{
    const netdp_bound_info *bound = NULL;
    TRY(check_request(request, &bound, error));
    OWNED_BY(netdp_i_walk_account_free) account *a = NETDP_I_NEW(account, 1);
    NEED(a);
    const bool rdp = request->unit.currency == NETDP_AS_RDP;
    a->request = *request;
    a->token = request->token;
    a->delta = request->unit.parameter;
    if (request->law_delta > 0)
        a->delta = down(a->delta - request->law_delta);
    a->order = rdp ? &a->request.unit.parameter : netdp_i_orders;
    a->orders = rdp ? 1 : NETDP_I_ORDERS;
    a->pi = netdp_transition_stationary(request->token->law);
    TRY(netdp_i_losses_new(netdp_transition_rows(request->token->law).nodes, request->from,
                           request->from_count, request->to, request->to_count, request->coalition,
                           &a->losses, error));
    NEED(a->most = NETDP_I_NEW(double, a->losses->from_count));
    if (a->token->route != NULL)
        TRY(netdp_i_given_contributions(a->token, &a->made, error));
    netdp_i_judge(bound,
                  (netdp_i_case){.once = netdp_token_contributions(request->token) == 1,
                                 .outward = bound->bound == NETDP_BOUND_LOCAL ||
                                            (bound->bound == NETDP_BOUND_GIVEN_PATH &&
                                             !request->token->weighted)},
                  a->losses);
    a->losses->threat = netdp_i_threat_token(request->token->release);
    a->losses->final = true;
    a->losses->unit = request->unit;
    *made = GIVE(a);
    return NETDP_OK;
}

netdp_status netdp_i_walk_account_at(account *a, double noise, const netdp_progress *progress,
                                     netdp_error *error)
{
    netdp_losses *l = a->losses;
    const netdp_bound bound = l->bound->bound;
    const int64_t pairs = (int64_t)l->from_count * l->to_count;
    a->request.noise = l->noise = noise;
    TRY(find_local(a, error));
    l->given_count = 0;
    if (bound == NETDP_BOUND_GIVEN_PATH) {
        TRY(account_given(a, progress, error));
    } else if (bound == NETDP_BOUND_LOCAL || (l->sound && (noise == 0 || l->local == 0))) {
        for (int64_t i = 0; i < pairs; i++)
            l->loss[i] = a->most[i % l->from_count];
    } else if (bound == NETDP_BOUND_EXCURSION || bound == NETDP_BOUND_EXCURSION_LINEAR ||
               bound == NETDP_BOUND_EXCURSION_MIXTURE ||
               bound == NETDP_BOUND_EXCURSION_CONTRACTING) {
        TRY(account_excursions(a, progress, error));
    } else if (bound == NETDP_BOUND_LEAST) {
        TRY(account_least(a, progress, error));
    } else if (bound == NETDP_BOUND_FIRST_PASSAGE) {
        TRY(account_passages(a, progress, error));
    } else {
        TRY(account_published(a, progress, error));
    }
    if (a->request.law_epsilon > 0) {
        for (int64_t i = 0; i < pairs; i++)
            l->loss[i] = up(l->loss[i] + a->request.law_epsilon);
        l->local = up(l->local + a->request.law_epsilon);
    }
    netdp_i_losses_exclude(l);
    return NETDP_OK;
}

netdp_status netdp_i_walk_account_worst(account *a, double noise, double *value, bool *known,
                                        const netdp_progress *progress, netdp_error *error)
{
    a->request.noise = noise;
    *known = a->worst_count > 0;
    *value = 0;
    const netdp_progress polled = netdp_i_only_polled(progress);
    for (int32_t k = 0; k < a->worst_count; k++) {
        const alone *w = &a->worst[k];
        TRY(netdp_i_walk_account_at(w->account, noise, &polled, error));
        for (int32_t i = 0; i < w->count; i++)
            *value = fmax(*value, w->account->losses->loss[i]);
        TRY(report_worst(a, k + 1, progress, error));
    }
    if (a->request.law_epsilon > 0)
        *value = up(*value + a->request.law_epsilon);
    return NETDP_OK;
}

/*
 * In any composition what is seen of a path is a function f(C), a mean of Gaussian deltas at
 * epsilons of either sign, and -f'' / f' <= 1 / (2 C) + 1 / (8 sigma^2) whatever they are: with a
 * little added to every cost it has the law's bend (docs/proofs/excursion.md).
 */
static bool add_little(netdp_i_cost_law *law, double noise)
{
    const double left = law->bend - 1 / (8 * noise * noise);
    const double little = isinf(law->bend) ? 0 : up(0.5 / left);
    for (int64_t i = 0; i < law->atoms && left > 0; i++)
        law->cost[i] = up(law->cost[i] + little);
    law->bend = INFINITY;
    return left > 0 && isfinite(little);
}

netdp_status netdp_i_walk_account_law(account *a, netdp_i_cost_law *law, double *noise, bool *found,
                                      const netdp_progress *progress, netdp_error *error)
{
    CLEARED(netdp_i_cost_law_clear) netdp_i_cost_law sampled = {0};
    *found = false;
    if (!mixes(a) || a->request.noise == 0)
        return NETDP_OK;
    *noise = noise_at(a, netdp_token_scale(a->token, a->losses->from[0]));
    a->law = &sampled;
    const netdp_status status = account_excursions(a, progress, error);
    a->law = NULL;
    TRY(status);
    if (!a->has_law)
        return NETDP_OK;
    TRY(netdp_i_cost_law_masses(&sampled, law, error));
    *found = add_little(law, *noise);
    if (!*found)
        netdp_i_cost_law_clear(law);
    return NETDP_OK;
}

const netdp_losses *netdp_i_walk_account_losses(const account *a)
{
    return a->losses;
}

netdp_losses *netdp_i_walk_account_take(account *a)
{
    netdp_losses *losses = a->losses;
    a->losses = NULL;
    netdp_i_walk_account_free(a);
    return losses;
}

netdp_status netdp_walk_losses_new(const netdp_walk_request *request,
                                   const netdp_progress *progress, netdp_losses **losses,
                                   netdp_error *error)
{
    NETDP_I_GIVEN(error, request && losses);
    OWNED_BY(netdp_i_walk_account_free) account *a = NULL;
    TRY(netdp_i_walk_account_new(request, &a, error));
    TRY(netdp_i_walk_account_at(a, request->noise, progress, error));
    *losses = netdp_i_walk_account_take(GIVE(a));
    return NETDP_OK;
}

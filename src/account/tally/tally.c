#include "account/tally/tally.h"

#include <math.h>
#include <string.h>

#include "account/losses/label.h"
#include "account/losses/losses.h"
#include "account/losses/orders.h"
#include "account/walk/visits.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "protocol/threat.h"

static bool gaussian(const netdp_tally *tally)
{
    return tally->task == NETDP_TALLY_SUM && tally->mechanism == NETDP_GAUSSIAN;
}

/* Does the account have a unit-free loss? */
static bool unit_free(const netdp_tally *tally)
{
    return gaussian(tally) && tally->graph == NETDP_TALLY_RING;
}

static bool applies(const netdp_tally *tally, netdp_bound bound)
{
    const bool ring = tally->graph == NETDP_TALLY_RING, sum = tally->task == NETDP_TALLY_SUM;
    switch (bound) {
    case NETDP_BOUND_EXACT:
        return ring && sum;
    case NETDP_BOUND_EXCURSION_LINEAR:
    case NETDP_BOUND_LEAST:
        return !ring && gaussian(tally);
    case NETDP_BOUND_SHUFFLED:
        return ring && !sum;
    default:
        return bound == NETDP_BOUND_LOCAL;
    }
}

/* The first that applies, in place of auto. */
static netdp_bound usual(const netdp_tally *tally, netdp_unit unit)
{
    static const netdp_bound known[] = {NETDP_BOUND_EXACT, NETDP_BOUND_EXCURSION_LINEAR,
                                        NETDP_BOUND_SHUFFLED, NETDP_BOUND_LOCAL};
    size_t i = 0;
    while (!applies(tally, known[i]))
        i++;
    return known[i] == NETDP_BOUND_EXCURSION_LINEAR && netdp_i_tally_walks(tally, unit)
               ? NETDP_BOUND_LEAST
               : known[i];
}

static netdp_status choose(const netdp_tally_request *request, netdp_bound *bound,
                           netdp_error *error)
{
    const netdp_tally *tally = request->tally;
    const netdp_currency currency = request->unit.currency;
    TRY(netdp_tally_check(tally, error));
    TRY(netdp_i_check_choice("bound", (int64_t)request->bound, NETDP_BOUND_STREAM_PUBLISHED,
                             error));
    TRY(netdp_i_check_choice("shuffle", (int64_t)request->shuffle, NETDP_SHUFFLE_BOUNDS - 1,
                             error));
    TRY(netdp_i_check_choice("composing", (int64_t)request->composing, NETDP_TALLY_ADVANCED,
                             error));
    TRY(netdp_i_check_choice("as", (int64_t)currency, NETDP_AS_DP, error));
    *bound = request->bound == NETDP_BOUND_AUTO ? usual(tally, request->unit) : request->bound;
    if (!applies(tally, *bound))
        return netdp_i_fail(error, NETDP_INVALID,
                            "bound: it does not apply to this tally; exact is for sums on the "
                            "ring, shuffled for histograms on the ring, excursion-linear and "
                            "least for Gaussian sums on the complete graph; use local or auto");
    if (currency == NETDP_AS_DP && request->unit.parameter > 0 && request->unit.parameter < 1)
        return NETDP_OK;
    if (currency == NETDP_AS_RDP && gaussian(tally) && request->unit.parameter > 1 &&
        request->unit.parameter < INFINITY)
        return NETDP_OK;
    if ((currency == NETDP_AS_LOSS || currency == NETDP_AS_GDP) && unit_free(tally))
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID,
                        "as: use dp:DELTA; rdp:ALPHA is for Gaussian noise, loss and gdp for "
                        "Gaussian noise on the ring");
}

/* ---- local differential privacy ---- */

/* The loss of one contribution under its own noise alone. */
static double alone(const netdp_tally *tally)
{
    if (tally->schedule == NETDP_TALLY_SPREAD)
        return tally->nodes;
    return tally->schedule == NETDP_TALLY_ONCE && tally->nodes > 2 ? (double)INFINITY : 1;
}

/* `count` releases of what the mechanism gives for one, at delta. */
static netdp_status repeat(const netdp_tally *tally, int64_t count, double delta, double *epsilon,
                           netdp_error *error)
{
    const netdp_event event = {.mechanism = tally->mechanism,
                               .noise = tally->noise,
                               .flip = tally->flip,
                               .levels = tally->task == NETDP_TALLY_HISTOGRAM ? tally->levels
                                                                              : tally->grid,
                               .count = count};
    *epsilon = count == 0 ? 0 : INFINITY;
    if (count == 0 || (tally->task == NETDP_TALLY_HISTOGRAM ? tally->flip : tally->noise) == 0)
        return NETDP_OK;
    return netdp_events_epsilon(&event, 1, delta, NETDP_UPPER, epsilon, error);
}

/* `count` contributions, each with its own noise: the epsilon at delta, or at a Renyi order. */
static netdp_status compose_local(const netdp_tally *tally, int64_t count, netdp_unit unit,
                                  double *epsilon, netdp_error *error)
{
    if (gaussian(tally))
        return netdp_loss_value(count == 0 ? 0 : netdp_i_tally_up((double)count * alone(tally), 1),
                                tally->noise, unit, epsilon, error);
    if (count > 0 && isinf(alone(tally))) {
        *epsilon = INFINITY;
        return NETDP_OK;
    }
    return repeat(tally, count, unit.parameter, epsilon, error);
}

/* On the complete graph more than so many contributions have half of delta. */
static netdp_status find_local(const netdp_tally *tally, netdp_unit unit, double *epsilon,
                               netdp_error *error)
{
    const int64_t most = netdp_tally_contributions(tally);
    netdp_unit half = unit;
    double all, usual = INFINITY;
    TRY(compose_local(tally, most, unit, &all, error));
    if (tally->graph == NETDP_TALLY_COMPLETE && unit.currency == NETDP_AS_DP) {
        half.parameter /= 2;
        const int64_t count = netdp_i_binomial_quantile(tally->steps, tally->nodes, half.parameter);
        if (count < most)
            TRY(compose_local(tally, count, half, &usual, error));
    }
    *epsilon = fmin(all, usual);
    return NETDP_OK;
}

/* ---- sums on the ring ---- */

typedef struct ring {
    const netdp_tally *tally;
    netdp_losses *losses;
    int threads;
    double **seen; /* [threads][nodes] */
} ring;

static void ring_clear(ring *r)
{
    for (int t = 0; r->seen != NULL && t < r->threads; t++)
        netdp_i_free(r->seen[t]);
    netdp_i_free(r->seen);
}

typedef struct node_sums {
    double *sum;
    bool count; /* contributions in place of losses; infinity where there is no noise */
} node_sums;

static void add_up(void *context, const netdp_i_increment *increment)
{
    const node_sums *to = context;
    const double times = (double)increment->times;
    for (int32_t i = 0; i < increment->count; i++) {
        const double often = (double)increment->often[increment->node[i]];
        to->sum[increment->node[i]] += increment->energy == 0 ? INFINITY
                                       : to->count            ? times * often
                                                   : times * often * often / increment->energy;
    }
}

static netdp_status view_from(void *context, int64_t index, int thread, netdp_error *error)
{
    const ring *r = context;
    netdp_losses *l = r->losses;
    node_sums to = {.sum = r->seen[thread], .count = !gaussian(r->tally)};
    memset(to.sum, 0, (size_t)r->tally->nodes * sizeof *to.sum);
    if (netdp_pairing_is(&r->tally->pairing)) {
        TRY(netdp_i_tally_paired(r->tally, l->members, l->to + index, to.sum, error));
        for (int32_t i = 0; i < l->from_count; i++)
            l->loss[index * l->from_count + i] = to.sum[l->from[i]];
        return NETDP_OK;
    }
    TRY(netdp_i_tally_follow(r->tally, NULL, l->members, l->to + index, add_up, &to, error));
    for (int32_t i = 0; i < l->from_count; i++)
        l->loss[index * l->from_count + i] =
            to.count ? to.sum[l->from[i]]
                     : netdp_i_tally_up(to.sum[l->from[i]], (double)r->tally->passes);
    return NETDP_OK;
}

/* Numbers of contributions, each under the noise of one node or more, become epsilons. */
static netdp_status price_counts(const netdp_tally *tally, double delta, netdp_losses *losses,
                                 netdp_error *error)
{
    const int64_t pairs = (int64_t)losses->from_count * losses->to_count;
    double count[2] = {-1, -1}, value[2] = {0}; /* K and K - 1, but for what is infinite */
    for (int64_t i = 0; i < pairs; i++) {
        if (isinf(losses->loss[i]))
            continue;
        const int place = losses->loss[i] == (double)tally->passes;
        if (count[place] != losses->loss[i]) {
            TRY(repeat(tally, (int64_t)losses->loss[i], delta, &value[place], error));
            count[place] = losses->loss[i];
        }
        losses->loss[i] = value[place];
    }
    return NETDP_OK;
}

static netdp_status account_ring(const netdp_tally_request *request, const netdp_progress *progress,
                                 netdp_losses *losses, netdp_error *error)
{
    const netdp_tally *tally = request->tally;
    CLEARED(ring_clear)
    ring r = {.tally = tally, .losses = losses, .threads = netdp_i_threads()};
    r.seen = NETDP_I_NEW(double *, r.threads);
    if (r.seen == NULL)
        return netdp_i_no_memory(error);
    for (int t = 0; t < r.threads; t++)
        if ((r.seen[t] = NETDP_I_NEW(double, tally->nodes)) == NULL)
            return netdp_i_no_memory(error);
    TRY(netdp_i_for_each(losses->to_count, view_from, &r, progress, "observers", error));
    return gaussian(tally) ? NETDP_OK : price_counts(tally, request->unit.parameter, losses, error);
}

/* ---- Gaussian sums on the complete graph: all pairs are alike ---- */

static netdp_status at_order(const netdp_tally *tally, int32_t members, double alpha,
                             double *epsilon, netdp_error *error)
{
    const double sigma = tally->noise, theta = alpha * (alpha - 1) / (2 * sigma * sigma);
    const netdp_unit unit = {NETDP_AS_RDP, alpha};
    double value, local;
    TRY(netdp_i_tally_excursion(tally, members, netdp_i_tally_up(theta, 4), &value, error));
    TRY(compose_local(tally, netdp_tally_contributions(tally), unit, &local, error));
    *epsilon = fmin(netdp_i_tally_up(value / (alpha - 1), 1), local);
    return NETDP_OK;
}

/* A tally and its observers, to be asked at several orders. */
typedef struct asking {
    const netdp_tally *tally;
    int32_t members;
    const netdp_progress *progress;
} asking;

static netdp_status ask_order(void *context, int k, double *epsilon, netdp_error *error)
{
    const asking *q = context;
    TRY(netdp_i_poll(q->progress, error));
    return at_order(q->tally, q->members, netdp_i_orders[k], epsilon, error);
}

static netdp_status account_complete(const netdp_tally_request *request, netdp_bound bound,
                                     const netdp_progress *progress, netdp_losses *losses,
                                     netdp_error *error)
{
    const netdp_tally *tally = request->tally;
    const int64_t pairs = (int64_t)losses->from_count * losses->to_count;
    asking q = {tally, losses->members, progress};
    double value = losses->local, walk = INFINITY;
    if (losses->members < tally->nodes && bound == NETDP_BOUND_LEAST &&
        netdp_i_tally_walks(tally, request->unit))
        TRY(netdp_i_tally_walk(tally, losses->members, request->unit, progress, &walk, error));
    if (losses->members < tally->nodes)
        TRY(request->unit.currency == NETDP_AS_RDP
                ? at_order(tally, losses->members, request->unit.parameter, &value, error)
                : netdp_i_search_orders(ask_order, &q, request->unit.parameter, &value, error));
    for (int64_t i = 0; i < pairs; i++)
        losses->loss[i] = fmin(fmin(value, walk), losses->local);
    return NETDP_OK;
}

/* ---- the whole account ---- */

static netdp_status fill_losses(const netdp_tally_request *request, netdp_bound bound,
                                const netdp_progress *progress, netdp_losses *losses,
                                netdp_error *error)
{
    const netdp_tally *tally = request->tally;
    const int64_t pairs = (int64_t)losses->from_count * losses->to_count;
    if (unit_free(tally))
        losses->local = netdp_i_tally_up((double)tally->passes * alone(tally), 1);
    else
        TRY(find_local(tally, request->unit, &losses->local, error));
    switch (bound) {
    case NETDP_BOUND_EXACT:
        return account_ring(request, progress, losses, error);
    case NETDP_BOUND_EXCURSION_LINEAR:
    case NETDP_BOUND_LEAST:
        return account_complete(request, bound, progress, losses, error);
    case NETDP_BOUND_SHUFFLED:
        return netdp_i_tally_shuffled(request, progress, losses, error);
    default:
        for (int64_t i = 0; i < pairs; i++)
            losses->loss[i] = losses->local;
        return NETDP_OK;
    }
}

netdp_status netdp_tally_losses_new(const netdp_tally_request *request,
                                    const netdp_progress *progress, netdp_losses **losses,
                                    netdp_error *error)
{
    NETDP_I_GIVEN(error, request && losses);
    OWNED_BY(netdp_losses_free) netdp_losses *made = NULL;
    netdp_bound bound;
    TRY(choose(request, &bound, error));
    TRY(netdp_i_losses_new(request->tally->nodes, request->from, request->from_count, request->to,
                           request->to_count, request->coalition, &made, error));
    netdp_i_judge(netdp_i_bound_row(bound),
                  (netdp_i_case){.sums = request->tally->task == NETDP_TALLY_SUM,
                                 .outward = gaussian(request->tally) &&
                                            bound != NETDP_BOUND_EXCURSION_LINEAR &&
                                            bound != NETDP_BOUND_LEAST},
                  made);
    made->threat = netdp_i_threat_token(request->tally->release);
    made->final = !unit_free(request->tally);
    if (made->final) {
        made->unit = request->unit;
        made->noise = request->tally->noise;
    }
    TRY(fill_losses(request, bound, progress, made, error));
    netdp_i_losses_exclude(made);
    *losses = GIVE(made);
    return NETDP_OK;
}

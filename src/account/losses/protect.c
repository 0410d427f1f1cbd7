#include "account/losses/protect.h"

#include <math.h>
#include <stdlib.h>
#include <netdp/privacy.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/parallel.h"
#include "base/try.h"

/* A product of doubles from 0, never below the true one. */
static double times_up(double a, double b)
{
    if (a == 0 || b == 0) /* a node whose rows change nothing */
        return 0;
    return a == 1 ? b : b == 1 ? a : nextafter(a * b, INFINITY);
}

netdp_status netdp_i_protect_check(const netdp_loss_request *request, netdp_bound bound,
                                   netdp_error *error)
{
    const netdp_protection *protection = &request->protection;
    const netdp_linear *protocol = request->protocol;
    TRY(netdp_protection_check(protection, error));
    if (protection->batches.kind == NETDP_BATCHES_FULL)
        return NETDP_OK;
    if (!protocol->reacts)
        return netdp_i_fail(error, NETDP_INVALID,
                            "batches: apply to gossip-sgd and muffliato-sgd; give full");
    if (protection->protects == NETDP_PROTECTS_NODE) /* it takes part in every phase */
        return NETDP_OK;
    if (bound != NETDP_BOUND_EVERYTHING && bound != NETDP_BOUND_PHASE_RELEASE)
        return netdp_i_fail(error, NETDP_INVALID,
                            "batches: accounted for by everything and phase-release only, or full");
    if (protocol->senders_only)
        return netdp_i_fail(error, NETDP_INVALID,
                            "batches: where senders only contribute a row's phases are not known; "
                            "give full");
    if (protection->batches.kind == NETDP_BATCHES_CYCLIC &&
        protocol->cycle != protection->batches.count)
        return netdp_i_fail(error, NETDP_INVALID,
                            "batches: cyclic:%lld of a protocol whose cycle is %lld; give both the "
                            "same",
                            (long long)protection->batches.count, (long long)protocol->cycle);
    if (protection->batches.kind == NETDP_BATCHES_POISSON &&
        (netdp_quiet_is(&protocol->quiet) || protocol->cycle > 1))
        return netdp_i_fail(error, NETDP_INVALID,
                            "batches: poisson phases are accounted for with noise of their own; "
                            "leave out quiet and cycle");
    if (bound == NETDP_BOUND_PHASE_RELEASE && protocol->varying.kind != NETDP_VARY_NEVER)
        return netdp_i_fail(error, NETDP_INVALID,
                            "batches: on a network that changes phases tell different amounts; "
                            "use --bound everything, or full");
    return NETDP_OK;
}

netdp_status netdp_i_protect_begin(const netdp_protection *protection, netdp_losses *losses,
                                   double *most, double **scale, netdp_error *error)
{
    double largest = 0;
    if (protection->batches.kind == NETDP_BATCHES_POISSON) {
        losses->rate = protection->batches.rate;
        losses->phases = (int64_t)losses->local;
        losses->local = 1;
    }
    *most = losses->local;
    if (protection->share == NULL)
        return NETDP_OK;
    double *made = NETDP_I_NEW(double, losses->from_count);
    if (made == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < losses->from_count; i++) {
        const double share = protection->share[losses->from[i]];
        if (!(share >= 0 && share <= 1)) {
            netdp_i_free(made);
            return netdp_i_fail(error, NETDP_INVALID,
                                "share: %g of node %d; a part of the largest sensitivity is from 0 "
                                "to 1",
                                share, (int)losses->from[i]);
        }
        made[i] = fmin(1, times_up(share, share));
        largest = fmax(largest, made[i]);
    }
    losses->local = times_up(largest, losses->local);
    *scale = made;
    return NETDP_OK;
}

double netdp_i_own_loss(double loss, double own)
{
    const double more = nextafter(nextafter(own * own, 0) - 1, 0); /* from below, but for 0 */
    if (!(more > 0) || isinf(loss))
        return loss;
    const double divided = nextafter(1 + nextafter(more * loss, 0), 0);
    return divided > 1 ? fmin(loss, nextafter(loss / divided, INFINITY)) : loss;
}

void netdp_i_own_row(const netdp_losses *losses, const double *own, double *loss)
{
    for (int32_t i = 0; own != NULL && i < losses->from_count; i++)
        loss[i] = netdp_i_own_loss(loss[i], own[losses->from[i]]);
}

/*
 * Of Poisson batches each different loss is composed by itself, a tenth of a second: losses go up
 * to one of a few classes, mu by 1 % at most, or where it is small by 6 %.
 */
#define FINE 1.02
#define COARSE 1.12
#define SMALL 0.05

static double class_of(double loss, double local)
{
    const double part = loss / local;
    if (!(part > 0) || !(part < 1))
        return loss;
    const double base = part > SMALL ? 1 : SMALL, ratio = part > SMALL ? FINE : COARSE;
    const double edge = base * pow(ratio, ceil(log(part / base) / log(ratio)));
    return fmin(local, fmax(loss, edge * local));
}

void netdp_i_protect_row(const netdp_losses *losses, const double *scale, double *loss)
{
    for (int32_t i = 0; scale != NULL && i < losses->from_count; i++)
        loss[i] = times_up(scale[i], loss[i]);
    for (int32_t i = 0; losses->phases > 0 && i < losses->from_count; i++)
        loss[i] = class_of(loss[i], losses->local);
}

/* ---- Phases composed ---- */

netdp_status netdp_losses_value(const netdp_losses *losses, double loss, double sigma,
                                netdp_unit unit, double *value, netdp_error *error)
{
    NETDP_I_GIVEN(error, losses && value);
    double mu = 0;
    if (losses->phases == 0 || losses->final)
        return netdp_loss_value(loss, sigma, unit, value, error);
    if (unit.currency != NETDP_AS_DP)
        return netdp_i_fail(error, NETDP_INVALID,
                            "as: poisson batches have an epsilon at a delta only; give dp:DELTA");
    TRY(netdp_loss_value(loss, sigma, (netdp_unit){NETDP_AS_GDP, 0}, &mu, error));
    const netdp_event event = {.mechanism = NETDP_SUBSAMPLED_GAUSSIAN,
                               .noise = mu > 0 ? nextafter(1 / mu, 0) : INFINITY,
                               .rate = losses->rate,
                               .count = losses->phases};
    return netdp_events_epsilon(&event, 1, unit.parameter, NETDP_UPPER, value, error);
}

typedef struct classes {
    const netdp_losses *losses;
    double sigma;
    netdp_unit unit;
    double *loss, *value; /* [count], ascending */
} classes;

static netdp_status compose_class(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    const classes *c = context;
    return netdp_losses_value(c->losses, c->loss[index], c->sigma, c->unit, &c->value[index],
                              error);
}

static void classes_clear(classes *c)
{
    netdp_i_free(c->loss);
    netdp_i_free(c->value);
}

netdp_status netdp_i_protect_values(const netdp_i_batch *batch, double sigma, netdp_unit unit,
                                    double *value, const netdp_progress *progress,
                                    netdp_error *error)
{
    const netdp_losses *l = batch->losses;
    const int64_t pairs = (int64_t)l->from_count * batch->count;
    int64_t count = 0, kept = 0;
    CLEARED(classes_clear)
    classes c = {l, sigma, unit, NETDP_I_NEW(double, pairs), NETDP_I_NEW(double, pairs)};
    if (c.loss == NULL || c.value == NULL)
        return netdp_i_no_memory(error);
    for (int64_t i = 0; i < pairs; i++)
        if (netdp_losses_counts(l, (int32_t)(i % l->from_count),
                                batch->first + (int32_t)(i / l->from_count)))
            c.loss[count++] = batch->loss[i];
    qsort(c.loss, (size_t)count, sizeof *c.loss, netdp_i_ascending);
    for (int64_t i = 0; i < count; i++)
        if (kept == 0 || c.loss[i] != c.loss[kept - 1])
            c.loss[kept++] = c.loss[i];
    TRY(netdp_i_for_each(kept, compose_class, &c, progress, "conversion", error));
    for (int64_t i = 0; i < pairs; i++) {
        const double *found =
            bsearch(&batch->loss[i], c.loss, (size_t)kept, sizeof *c.loss, netdp_i_ascending);
        const bool counts = netdp_losses_counts(l, (int32_t)(i % l->from_count),
                                                batch->first + (int32_t)(i / l->from_count));
        value[i] = counts && found != NULL ? c.value[found - c.loss] : INFINITY;
    }
    return NETDP_OK;
}

netdp_status netdp_losses_settle(netdp_losses *losses, double sigma, netdp_unit unit,
                                 netdp_error *error)
{
    NETDP_I_GIVEN(error, losses);
    if (losses->phases == 0 || losses->final)
        return NETDP_OK;
    const int64_t pairs = (int64_t)losses->from_count * losses->to_count;
    OWNED double *value = NETDP_I_NEW(double, pairs);
    double local = 0;
    const netdp_i_batch all = netdp_i_batch_whole(losses);
    NEED(value);
    TRY(netdp_i_batch_values(&all, sigma, unit, value, NULL, error));
    TRY(netdp_losses_value(losses, losses->local, sigma, unit, &local, error));
    netdp_i_free(losses->loss);
    losses->loss = GIVE(value);
    losses->local = local;
    losses->final = true;
    losses->unit = unit;
    losses->noise = sigma;
    return NETDP_OK;
}

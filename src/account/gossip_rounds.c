/* Gossip round by round: from what is heard, through the filter or source by source, whichever is cheapest. */
#include "account/gossip.h"

#include <math.h>

#include "account/gossip/stream.h"
#include "account/observe/certificate.h"
#include "account/observe/conjugate.h"
#include "account/observe/cost.h"
#include "account/observe/heard.h"
#include "account/observe/riccati.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"

netdp_status netdp_i_gossip_dense(netdp_i_gossip_account *a, netdp_error *error)
{
    netdp_status status = NETDP_OK;
#pragma omp critical(netdp_dense_basis)
    {
        if (a->dense.modes == 0)
            status = netdp_i_basis_dense(a->request->protocol->mixing, &a->dense, error);
    }
    return status;
}

netdp_status netdp_i_losses_on_basis(const netdp_loss_request *request, netdp_bound bound,
                                     const netdp_i_basis *basis, const netdp_i_observer *observer,
                                     const netdp_i_sources *of, const netdp_progress *progress,
                                     netdp_error *error)
{
    const netdp_linear *protocol = request->protocol;
    /* Noise that is more in some rounds than in others has no steady gain: without the pairs' noise a bound from above
     * holds as well (docs/proofs/pairs.md, Theorem 3); what is no such bound follows every round. */
    netdp_i_observer alone = *observer;
    netdp_linear uneven = *protocol;
    if (protocol->every > 1 && observer->pairing != NULL) {
        if (bound == NETDP_BOUND_LOWER || request->pattern != NULL) {
            uneven.steady = false;
            uneven.noise.dither = 1;
            uneven.noise.decay = 0;
        } else {
            alone.pairing = NULL;
        }
    }
    const netdp_bound worst = bound == NETDP_BOUND_LINEAR             ? NETDP_BOUND_UPPER
                              : bound == NETDP_BOUND_STREAM_PUBLISHED ? NETDP_BOUND_SPECTRAL
                                                                      : bound;
    const netdp_i_stream_asked asked = {.bound = worst, .pattern = request->pattern};
    return netdp_i_stream(&uneven, basis, &alone, &asked, of, progress, error);
}

/* Observers that are accounted for at the same time. */
static int32_t at_once(const netdp_i_gossip_account *a)
{
    const int32_t observers = a->losses->to_count;
    return observers < netdp_i_threads() ? observers : netdp_i_threads();
}

/* On the basis that is cheaper for this observer: its own, or W's. */
static netdp_status follow_basis(netdp_i_gossip_account *a, const netdp_i_observer *observer,
                                 const netdp_plan *plan, const netdp_i_sources *of,
                                 netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    const bool reduce = netdp_i_cost_reduces(plan, netdp_graph_nodes(a->graph));
    CLEARED(netdp_i_basis_clear) netdp_i_basis krylov = {0};
    TRY(reduce ? netdp_i_basis_krylov(protocol->mixing, observer->seen, observer->seen_count,
                                      protocol->rounds + (observer->last_sum ? 1 : 0), NULL,
                                      &krylov, a->inner, error)
               : netdp_i_gossip_dense(a, error));
    const netdp_i_basis *basis = reduce ? &krylov : &a->dense;
    return a->way == NETDP_I_WAY_NOISES
               ? netdp_i_certified_loss(protocol, basis, observer, 0, of, a->inner, error)
               : netdp_i_losses_on_basis(a->request, a->bound->bound, basis, observer, of, a->inner,
                                         error);
}

/* From what is heard; sources of which that proves too little get a shift where that is cheap: all of them where it is next to nothing. */
static netdp_status hear_rounds(netdp_i_gossip_account *a, const netdp_i_observer *observer,
                                const netdp_plan *plan, const netdp_i_sources *of,
                                netdp_error *error)
{
    OWNED double *width = NETDP_I_NEW(double, 2 * (int64_t)of->count);
    OWNED int32_t *node = NETDP_I_NEW(int32_t, 2 * (int64_t)of->count);
    if (width == NULL || node == NULL)
        return netdp_i_no_memory(error);
    netdp_i_sources wide = {0, node, width + of->count};
    int32_t *place = node + of->count;
    const double shift = netdp_i_cost_of_shift(a->request, observer);
    TRY(netdp_i_heard_loss(a->request->protocol, observer, NULL, shift > NETDP_I_LITTLE, width, of,
                           a->inner, error));
    for (int32_t i = 0; i < of->count; i++)
        if (!(width[i] <= NETDP_I_HEARD_NARROW)) {
            place[wide.count] = i;
            node[wide.count++] = of->node[i];
        }
    if (wide.count == 0 || !isfinite(shift))
        return NETDP_OK;
    TRY(follow_basis(a, observer, plan, &wide, error));
    for (int32_t k = 0; k < wide.count; k++)
        of->loss[place[k]] = wide.loss[k];
    return NETDP_OK;
}

/* The way that is cheapest for this observer. */
static netdp_status follow_rounds(netdp_i_gossip_account *a, const netdp_i_observer *observer,
                                  double *loss, netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    const netdp_i_sources of = {a->losses->from_count, a->losses->from, loss};
    const bool certify = a->way == NETDP_I_WAY_NOISES;
    netdp_plan plan;
    if (a->way == NETDP_I_WAY_STREAM) {
        TRY(netdp_i_gossip_dense(a, error));
        return netdp_i_stream_proven(protocol, &a->dense, observer, a->bound->bound, &of, a->inner,
                                     error);
    }
    if (a->way == NETDP_I_WAY_REST)
        return netdp_i_riccati_loss(protocol, observer, &of, a->inner, error);
    netdp_i_cost(a->request, observer, certify, &plan);
    TRY(netdp_i_cost_check(a->request, observer, &plan, at_once(a), error));
    if (plan.method == NETDP_METHOD_CONJUGATE)
        return netdp_i_conjugate_loss(protocol, observer, &of, a->inner, error);
    return netdp_i_cost_hears(a->request, observer, &plan)
               ? hear_rounds(a, observer, &plan, &of, error)
               : follow_basis(a, observer, &plan, &of, error);
}

netdp_status netdp_i_gossip_rounds(netdp_i_gossip_account *a, const netdp_i_observer *observer,
                                   const int32_t *member, double *loss, netdp_error *error)
{
    const netdp_losses *l = a->losses;
    TRY(a->rounds != NULL
            ? a->rounds->account(a->rounds->context, a->request, l, observer, loss, a->inner, error)
            : follow_rounds(a, observer, loss, error));
    if (a->bound->bound == NETDP_BOUND_LOWER && a->request->pattern == NULL)
        TRY(netdp_i_gossip_round_inward(a, member, loss, error));
    /* M <= diag(nu_k^-2): whatever rounding says, local differential privacy holds. */
    const bool capped = a->bound->bound == NETDP_BOUND_EXACT ||
                        a->bound->bound == NETDP_BOUND_UPPER || a->request->pattern != NULL;
    for (int32_t i = 0; capped && i < l->from_count; i++)
        loss[i] = fmin(loss[i], a->most);
    return NETDP_OK;
}

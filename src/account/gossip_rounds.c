/* Gossip round by round: through the filter, backwards or source by source, whichever is cheapest; or the first rounds
   only, and then every state at once (docs/proofs/release.md). */
#include "account/gossip.h"

#include <math.h>

#include "account/gossip/release.h"
#include "account/gossip/stream.h"
#include "account/observe/certificate.h"
#include "account/observe/conjugate.h"
#include "account/observe/cost.h"
#include "account/observe/heard.h"
#include "account/observe/riccati.h"
#include "base/parallel.h"

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

/* Lanczos comes from below, and its residual does not prove which eigenvalue it found: this much is
   added. */
#define AWAY 1e-3

netdp_status netdp_i_gossip_away(netdp_i_gossip_account *a, netdp_error *error)
{
    netdp_status status = NETDP_OK;
#pragma omp critical(netdp_away)
    {
        netdp_spectrum spectrum;
        if (a->away == 0) {
            const netdp_mixing *mixing = a->request->protocol->mixing;
            status = a->rounds != NULL
                         ? a->rounds->spectrum(mixing, &spectrum, error)
                         : netdp_mixing_spectrum(mixing, NETDP_SPECTRAL_AUTO, &spectrum, error);
            if (status == NETDP_OK)
                a->away = fmin(1, 1 - spectrum.gap + AWAY);
        }
    }
    return status;
}

netdp_status netdp_i_gossip_release(netdp_i_gossip_account *a, int64_t rounds, double dither,
                                    const int32_t *member, double *loss, netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    const netdp_losses *l = a->losses;
    const netdp_i_released released = {rounds, dither, a->away};
    const netdp_i_sources of = {l->from_count, l->from, loss};
    if (a->rounds != NULL)
        return a->rounds->release(a->rounds->context, protocol, &released, l, member, loss,
                                  a->inner, error);
    return netdp_i_release_loss(protocol, &released, member, l->members, &of, a->inner, error);
}

netdp_status netdp_i_losses_on_basis(const netdp_loss_request *request, netdp_bound bound,
                                     const netdp_i_basis *basis, const netdp_i_observer *observer,
                                     const netdp_i_sources *of, const netdp_progress *progress,
                                     netdp_error *error)
{
    const netdp_linear *protocol = request->protocol;
    if (protocol->every == 0)
        return netdp_i_filter_loss(protocol, basis, observer, 0, of, progress, error);
    /* Noise that is more in some rounds than in others has no steady gain: without the pairs' noise a bound from above
     * holds as well (docs/proofs/pairs.md, Theorem 3); what is no such bound follows every round. */
    netdp_i_observer alone = *observer;
    netdp_linear uneven = *protocol;
    if (protocol->every > 1 && observer->pairing != NULL) {
        if (bound == NETDP_BOUND_LOWER || request->pattern != NULL) {
            uneven.steady = false;
            uneven.dither = 1;
            uneven.dither_decay = 0;
        } else {
            alone.pairing = NULL;
        }
    }
    const netdp_bound worst = bound == NETDP_BOUND_LINEAR             ? NETDP_BOUND_UPPER
                              : bound == NETDP_BOUND_STREAM_PUBLISHED ? NETDP_BOUND_SPECTRAL
                                                                      : bound;
    const netdp_i_stream_asked asked = {
        .bound = worst, .pattern = request->pattern, .most = NETDP_I_STREAM_MOST};
    return netdp_i_stream(&uneven, basis, &alone, &asked, of, progress, error);
}

netdp_status netdp_i_gossip_choose_release(netdp_i_gossip_account *a,
                                           const netdp_i_observer *observer, int64_t *rounds,
                                           netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    *rounds = 0;
    if (a->certify || protocol->every > 0 || a->bound->bound != NETDP_BOUND_UPPER ||
        !netdp_i_gossip_is_large(protocol) || !netdp_i_gossip_can_release(a->request) ||
        !(protocol->dither > 0))
        return NETDP_OK;
    netdp_status status = netdp_i_gossip_away(a, error);
    if (status != NETDP_OK)
        return status;
    const int64_t enough = netdp_i_release_rounds(netdp_graph_nodes(a->graph), a->away,
                                                  netdp_linear_least_noise(protocol));
    const double seen = observer->seen_count, closed = seen + observer->quiet_count;
    if (2 * (double)enough * closed < (double)protocol->rounds * seen)
        *rounds = enough;
    return NETDP_OK;
}

/* Observers that are accounted for at the same time. */
static int32_t at_once(const netdp_i_gossip_account *a)
{
    const int32_t observers = a->losses->to_count;
    return observers < netdp_i_threads() ? observers : netdp_i_threads();
}

/* A proof by what is heard that is wider than this gives way to one by shifts, where that is cheap. */
#define NARROW 1e-9

/* Through the filter, on the basis that is cheaper for this observer. */
static netdp_status follow_rounds(netdp_i_gossip_account *a, const netdp_i_observer *observer,
                                  double *loss, netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    const netdp_i_sources of = {a->losses->from_count, a->losses->from, loss};
    netdp_plan plan;
    if (a->proves_stream) {
        netdp_status proven = netdp_i_gossip_dense(a, error);
        return proven != NETDP_OK ? proven
                                  : netdp_i_stream_proven(protocol, &a->dense, observer,
                                                          a->bound->bound, &of, a->inner, error);
    }
    netdp_i_cost(a->request, observer, a->certify, &plan);
    netdp_status checked = netdp_i_cost_check(a->request, observer, &plan, at_once(a), error);
    if (checked != NETDP_OK)
        return checked;
    if (plan.method == NETDP_METHOD_CONJUGATE)
        return netdp_i_conjugate_loss(protocol, observer, a->certify, &of, a->inner, error);
    if (!a->certify && plan.method == NETDP_METHOD_BACKWARD)
        return netdp_i_riccati_loss(protocol, observer, &of, a->inner, error);
    if (netdp_i_cost_hears(a->request, observer, a->certify, &plan)) {
        double width = 0;
        netdp_status heard = netdp_i_heard_loss(protocol, observer, NULL,
                                                a->certify ? &width : NULL, &of, a->inner, error);
        if (heard != NETDP_OK || width <= NARROW || !netdp_i_cost_of_shift(a->request, observer))
            return heard;
    }
    const bool reduce = netdp_i_cost_reduces(&plan, netdp_graph_nodes(a->graph));
    netdp_i_basis krylov = {0};
    netdp_status status =
        reduce ? netdp_i_basis_krylov(protocol->mixing, observer->seen, observer->seen_count,
                                      protocol->rounds + (observer->last_sum ? 1 : 0), NULL,
                                      &krylov, a->inner, error)
               : netdp_i_gossip_dense(a, error);
    const netdp_i_basis *basis = reduce ? &krylov : &a->dense;
    if (status == NETDP_OK && a->certify)
        status = netdp_i_certified_loss(protocol, basis, observer, 0, &of, a->inner, error);
    else if (status == NETDP_OK)
        status = netdp_i_losses_on_basis(a->request, a->bound->bound, basis, observer, &of,
                                         a->inner, error);
    netdp_i_basis_clear(&krylov);
    return status;
}

netdp_status netdp_i_gossip_rounds(netdp_i_gossip_account *a, const netdp_i_observer *observer,
                                   const int32_t *member, double *loss, netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    const netdp_losses *l = a->losses;
    int64_t release = 0;
    netdp_status status = netdp_i_gossip_choose_release(a, observer, &release, error);
    if (status == NETDP_OK && release > 0)
        status = netdp_i_gossip_release(a, release, netdp_linear_noise(protocol, release), member,
                                        loss, error);
    else if (status == NETDP_OK && a->rounds != NULL)
        status =
            a->rounds->account(a->rounds->context, a->request, l, observer, loss, a->inner, error);
    else if (status == NETDP_OK)
        status = follow_rounds(a, observer, loss, error);
    const bool lower = a->bound->bound == NETDP_BOUND_LOWER;
    if (status == NETDP_OK && !a->certify && !a->proves_stream && a->request->pattern == NULL)
        status = lower ? netdp_i_gossip_round_inward(a, member, loss, error)
                       : netdp_i_gossip_round_outward(a, member, loss, error);
    /* M <= diag(nu_k^-2): whatever rounding says, local differential privacy holds. */
    const bool capped = a->bound->bound == NETDP_BOUND_EXACT ||
                        a->bound->bound == NETDP_BOUND_UPPER || a->request->pattern != NULL;
    for (int32_t i = 0; status == NETDP_OK && capped && i < l->from_count; i++)
        loss[i] = fmin(loss[i], a->most);
    return status;
}

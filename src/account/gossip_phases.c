/* Gossip in phases: each accounted for on its own, up to the states under its end dither (docs/proofs/phase-release.md),
   or all together where their noise is correlated (docs/proofs/quiet.md). */
#include "account/gossip.h"

#include <float.h>
#include <math.h>

#include "account/observe/certificate.h"
#include "base/fail.h"
#include "base/memory.h"

/* The part of a phase's account that observers share, made by the first of them. */
static netdp_status need_phase(netdp_i_gossip_account *a, netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    netdp_status status = netdp_i_gossip_dense(a, error);
    if (status != NETDP_OK)
        return status;
#pragma omp critical(netdp_shared_phase)
    {
        if (a->phase == NULL)
            status = netdp_i_phase_new(protocol, &a->dense, protocol->every > 0, &a->phase, error);
    }
    return status;
}

/* A phase with pairs is followed round by round, by each observer anew: some cubes of the nodes. */
#define PAIRED_PHASE 7e10

/* One phase of the protocol on its own, whose states are released under `end` at its end. */
static netdp_linear phase_alone(const netdp_linear *protocol, double *end)
{
    netdp_linear phase = *protocol;
    *end = phase.end_dither;
    phase.rounds = phase.every > 0 ? phase.every : phase.rounds;
    phase.every = 0;
    phase.end_dither = 0;
    phase.reacts = false;
    phase.quiet = (netdp_quiet){0};
    phase.cycle = 0;
    return phase;
}

/* Is a phase with pairs followed through the filter, and not without them? */
static bool follows_pairs(const netdp_i_gossip_account *a, const netdp_i_observer *observer)
{
    const netdp_linear *protocol = a->request->protocol;
    return observer->pairing != NULL && !protocol->accelerate && protocol->end_dither > 0 &&
           a->losses->to_count * pow(netdp_graph_nodes(a->graph), 3) <= PAIRED_PHASE;
}

/*
 * One phase under noise in pairs, in which modes are not independent: through the filter, and then
 * all states under the end dither. The observers' own states are known from their views already.
 */
static netdp_status account_paired_phase(netdp_i_gossip_account *a,
                                         const netdp_i_observer *observer, double *loss,
                                         netdp_error *error)
{
    const netdp_i_sources of = {a->losses->from_count, a->losses->from, loss};
    double end = 0;
    const netdp_linear phase = phase_alone(a->request->protocol, &end);
    netdp_status status = netdp_i_gossip_dense(a, error);
    return status != NETDP_OK
               ? status
               : netdp_i_filter_loss(&phase, &a->dense, observer, end * end, &of, a->inner, error);
}

/* What rounding takes from an eigenvalue of what a phase tells, which are at most 1 without pairs. */
#define TOLD_FLOOR 1e-13

/* What one phase tells of all nodes outside of the set at once; `told` may be all it has. */
static netdp_status tell_phase(netdp_i_gossip_account *a, const netdp_i_observer *observer,
                               const int32_t *others, const int32_t *place, netdp_i_told *told,
                               netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    netdp_i_gram gram = {told->count, others, told->gram, false};
    double end = 0;
    netdp_status status;
    if (follows_pairs(a, observer)) {
        const netdp_linear phase = phase_alone(protocol, &end);
        const double spread = netdp_i_observer_spread(observer);
        status = netdp_i_gossip_dense(a, error);
        if (status == NETDP_OK)
            status =
                netdp_i_filter_gram(&phase, &a->dense, observer, end * end, &gram, a->inner, error);
        if (status == NETDP_OK)
            netdp_i_paired_noise(observer->pairing, place, told->count, told->noise);
        told->floor = TOLD_FLOOR * spread * spread;
        /* D loses the ones on its diagonal beside the pairs' squares. */
        told->lost = DBL_EPSILON * (double)told->count * spread * spread;
    } else {
        told->noise = NULL;
        status = need_phase(a, error);
        if (status == NETDP_OK)
            status = netdp_i_phase_gram(a->phase, observer, &gram, error);
        told->floor = TOLD_FLOOR;
    }
    if (gram.told)
        told->floor = 1; /* as if every message were seen */
    return status == NETDP_OK ? netdp_i_gossip_margin(a, observer->member, &told->margin, error)
                              : status;
}

/* All phases together, where their noise is correlated (docs/proofs/quiet.md). */
static netdp_status account_quiet(netdp_i_gossip_account *a, const netdp_i_observer *observer,
                                  const int32_t *member, double *loss, netdp_error *error)
{
    const netdp_losses *l = a->losses;
    const int64_t n = netdp_graph_nodes(a->graph);
    int32_t *place = NETDP_I_NEW(int32_t, n), *others = NETDP_I_NEW(int32_t, n);
    int32_t *which = NETDP_I_NEW(int32_t, l->from_count);
    netdp_i_told told = {.gram = NETDP_I_NEW(double, n *n), .noise = NULL};
    double *noise = observer->pairing != NULL ? NETDP_I_NEW(double, n *n) : NULL;
    netdp_status status = netdp_i_gossip_check_phase(a->request, error);
    if (status == NETDP_OK && (place == NULL || others == NULL || which == NULL ||
                               told.gram == NULL || (observer->pairing != NULL && noise == NULL)))
        status = netdp_i_no_memory(error);
    if (status != NETDP_OK)
        goto done;
    for (int32_t i = 0; i < l->members; i++)
        place[member[i]] = -1;
    for (int32_t v = 0; v < n; v++)
        if (place[v] == 0) {
            place[v] = told.count;
            others[told.count++] = v;
        }
    for (int32_t i = 0; i < l->from_count; i++) /* what is said of a member counts nowhere */
        which[i] = place[l->from[i]] < 0 ? 0 : place[l->from[i]];
    told.noise = noise;
    status = tell_phase(a, observer, others, place, &told, error);
    if (status == NETDP_OK)
        status = netdp_i_quiet_loss(a->quiet, &told, which, l->from_count, loss, error);
    for (int32_t i = 0; status == NETDP_OK && i < l->from_count; i++)
        loss[i] = fmin(loss[i], a->most);
done:
    netdp_i_free(place);
    netdp_i_free(others);
    netdp_i_free(which);
    netdp_i_free(told.gram);
    netdp_i_free(noise);
    return status;
}

/* Below this noise a phase's covariance no longer resolves what the filter does. */
#define LEAST_AT_ONCE 1e-3

/* One phase, proven: all of it at once, or, plain, round by round. */
static netdp_status prove_phase(netdp_i_gossip_account *a, const netdp_i_observer *observer,
                                const netdp_i_sources *of, netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    const double noise = netdp_linear_least_noise(protocol);
    double end = 0;
    const netdp_linear phase = phase_alone(protocol, &end);
    const bool resolved = fmin(noise, end) >= LEAST_AT_ONCE && observer->pairing == NULL;
    netdp_status status = netdp_i_gossip_dense(a, error);
    if (status != NETDP_OK)
        return status;
    if (!protocol->accelerate && !resolved)
        return netdp_i_certified_loss(&phase, &a->dense, observer, end, of, a->inner, error);
    netdp_i_observer alone = *observer;
    alone.pairing = NULL;
    status = need_phase(a, error);
    return status != NETDP_OK
               ? status
               : netdp_i_phase_proven(a->phase, &phase, &alone, end, of, a->inner, error);
}

netdp_status netdp_i_gossip_phases(netdp_i_gossip_account *a, const netdp_i_observer *observer,
                                   const int32_t *member, double *loss, netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    const netdp_losses *l = a->losses;
    const netdp_i_sources of = {l->from_count, l->from, loss};
    if (a->quiet != NULL)
        return account_quiet(a, observer, member, loss, error);
    netdp_status status = a->certify ? NETDP_OK : netdp_i_gossip_check_phase(a->request, error);
    if (status == NETDP_OK && netdp_i_gossip_is_large(protocol)) {
        status = netdp_i_gossip_away(a, error);
        if (status == NETDP_OK)
            status = netdp_i_gossip_release(a, protocol->every, protocol->end_dither, member, loss,
                                            error);
    } else if (status == NETDP_OK && a->certify) {
        status = prove_phase(a, observer, &of, error);
    } else if (status == NETDP_OK && follows_pairs(a, observer)) {
        status = account_paired_phase(a, observer, loss, error);
    } else if (status == NETDP_OK) {
        status = need_phase(a, error);
        if (status == NETDP_OK)
            status = netdp_i_phase_loss(a->phase, observer, &of, error);
    }
    if (status == NETDP_OK && !a->certify)
        status = netdp_i_gossip_round_outward(a, member, loss, error);
    for (int32_t i = 0; status == NETDP_OK && i < l->from_count; i++)
        loss[i] = fmin(loss[i], 1) * a->most;
    return status;
}

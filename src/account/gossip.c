/* The account of gossip: which bound, on which basis, observer by observer. */
#include <netdp/account.h>

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "account/gossip/changing.h"
#include "account/gossip/phase.h"
#include "account/gossip/quiet.h"
#include "account/gossip/release.h"
#include "account/gossip/stream.h"
#include "account/losses/label.h"
#include "account/losses/losses.h"
#include "account/losses/protect.h"
#include "account/observe/certificate.h"
#include "account/observe/conjugate.h"
#include "account/observe/cost.h"
#include "account/observe/filter.h"
#include "account/observe/pairing.h"
#include "account/observe/riccati.h"
#include "account/published/gossip.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "protocol/threat.h"

/* What the observers of one account share. */
typedef struct account {
    const netdp_loss_request *request;
    const netdp_graph *graph;
    netdp_losses *losses; /* without its losses */
    const netdp_bound_info *bound;
    double *own;   /* [from]: contributions of each node where they differ, else NULL */
    double most;   /* contributions to which the unit that is protected belongs */
    double *scale; /* [from]: (Delta_u / Delta)^2 where it is not 1, else NULL */
    double *rows;  /* [batch][from] of the batch at hand */
    int32_t first; /* its first observer */
    netdp_i_published *published;
    const netdp_i_rounds *rounds; /* NULL: here */
    netdp_i_basis dense;          /* modes 0 until an observer needs it */
    netdp_i_phase *phase;         /* NULL until an observer needs it */
    netdp_i_paired paired;        /* of noise that cancels in pairs; nodes 0: there is none */
    netdp_i_quiet *quiet;         /* of noise correlated over phases, else NULL */
    double away;                  /* 0 until needed: W's largest other eigenvalue, from above */
    bool certify;                 /* by a shift of the noises */
    const netdp_progress *inner; /* rounds are told where there is one observer, else only polled */
} account;

/* Paper C's formula, in one of its two forms. */
static bool is_published(const netdp_bound_info *bound)
{
    return bound->bound == NETDP_BOUND_PUBLISHED || bound->bound == NETDP_BOUND_PUBLISHED_CODE;
}

static bool is_large(const netdp_linear *protocol)
{
    return netdp_mixing_rows(protocol->mixing).nodes > NETDP_DENSE_NODES;
}

/* Of a single observer that does not use its own draws. */
static bool own_counts(const netdp_loss_request *request)
{
    return request->own_noise == NETDP_OWN_NOISE_COUNTS && !request->coalition;
}

/* Who shares noise that cancels, or NULL. */
static const netdp_pairing *pairing_of(const netdp_loss_request *request)
{
    const netdp_pairing *pairing = &request->protocol->pairing;
    return netdp_pairing_is(pairing) ? pairing : NULL;
}

/* Below this end dither a phase with pairs does not resolve what the states tell. */
#define LEAST_QUIET_END 1e-9

/* Which accounts know of noise that is correlated over phases, and of batches in a cycle. */
static netdp_status check_quiet(const netdp_loss_request *request, bool shared,
                                const netdp_bound_info *bound, netdp_error *error)
{
    const netdp_linear *p = request->protocol;
    const bool quiet = netdp_quiet_is(&p->quiet);
    if (!quiet && p->cycle <= 1)
        return NETDP_OK;
    if (quiet && request->certify == NETDP_CERTIFY_YES)
        return netdp_i_fail(error, NETDP_INVALID,
                            "certify: there is no proof with outward rounding of quiet noise; give "
                            "auto or no");
    if (bound->bound != NETDP_BOUND_PHASE_RELEASE && bound->bound != NETDP_BOUND_UPPER &&
        bound->bound != NETDP_BOUND_EVERYTHING)
        return netdp_i_fail(error, NETDP_INVALID,
                            "bound: %s knows neither batches in a cycle nor quiet noise; use "
                            "phase-release or everything",
                            bound->name);
    if (quiet && shared)
        return netdp_i_fail(error, NETDP_INVALID,
                            "quiet: processes that share the work do not account for it; leave "
                            "out --engine mpi");
    if (quiet && netdp_pairing_is(&p->pairing) && p->end_dither > 0 &&
        p->end_dither < LEAST_QUIET_END)
        return netdp_i_fail(error, NETDP_INVALID,
                            "end-dither: %g; with noise in pairs and quiet noise give 0 or %g and "
                            "more: below it the account loses its digits",
                            p->end_dither, LEAST_QUIET_END);
    if (quiet && bound->bound != NETDP_BOUND_EVERYTHING && request->sees != NETDP_SEES_EVERYTHING &&
        (own_counts(request) || is_large(p)))
        return netdp_i_fail(error, NETDP_INVALID,
                            "quiet: is accounted for towards observers who know their own noise, "
                            "on at most %d nodes; use --bound everything",
                            NETDP_DENSE_NODES);
    return NETDP_OK;
}

static netdp_status check_request(const netdp_loss_request *request, bool shared,
                                  const netdp_bound_info **bound, netdp_error *error)
{
    netdp_status status = netdp_linear_check(request->protocol, error);
    if (status == NETDP_OK)
        status = netdp_bound_choose(request->protocol, request->bound, bound, error);
    if (status == NETDP_OK)
        status = netdp_i_check_choice("sees", (int64_t)request->sees, NETDP_SEES_EVERYTHING, error);
    if (status == NETDP_OK)
        status = netdp_i_check_choice("own-noise", (int64_t)request->own_noise,
                                      NETDP_OWN_NOISE_COUNTS, error);
    if (status == NETDP_OK)
        status = netdp_i_protect_check(request, (*bound)->bound, error);
    if (status != NETDP_OK)
        return status;
    if (request->pool > 1)
        return netdp_i_fail(error, NETDP_INVALID,
                            "pool: all coalitions are accounted for before the first row is known; "
                            "use netdp_losses_new");
    if (netdp_pairing_is(&request->protocol->pairing) && shared)
        return netdp_i_fail(error, NETDP_INVALID,
                            "pair-noise: processes that share the work do not account for it; "
                            "leave out --engine mpi");
    if ((*bound)->bound != NETDP_BOUND_EVERYTHING &&
        !netdp_mixing_is_symmetric(request->protocol->mixing))
        return netdp_i_fail(
            error, NETDP_INVALID,
            "bound: %s needs a symmetric W, which mixing '%s' is not on this graph; "
            "use everything, or metropolis",
            (*bound)->name, netdp_mixing_name(request->protocol->mixing));
    status = check_quiet(request, shared, *bound, error);
    if (status != NETDP_OK)
        return status;
    if (is_published(*bound) && (request->coalition || request->sees != NETDP_SEES_NEIGHBOURS))
        return netdp_i_fail(error, NETDP_INVALID,
                            "bound: published is a formula for one observer who sees its "
                            "neighbours; use exact for %s",
                            request->coalition ? "a coalition" : "another view");
    if ((*bound)->bound == NETDP_BOUND_PUBLISHED && request->protocol->every > 0 &&
        (request->protocol->accelerate || request->protocol->varying.kind != NETDP_VARY_NEVER))
        return netdp_i_fail(error, NETDP_INVALID,
                            "bound: published is for phases of the same plain rounds; use "
                            "phase-release");
    if (request->pattern != NULL && (*bound)->bound != NETDP_BOUND_LOWER &&
        (*bound)->bound != NETDP_BOUND_LINEAR)
        return netdp_i_fail(error, NETDP_INVALID,
                            "pattern: gives exactly one pattern's value, with --bound lower for "
                            "streams or linear for learning; %s is about the worst one",
                            (*bound)->name);
    return NETDP_OK;
}

/* The least dither for which a phase's covariance, of scale 1, keeps its digits. */
#define LEAST_DITHER 1e-5

/* The view of netdp_i_release_loss, which serves any number of nodes. */
static bool can_release(const netdp_loss_request *request)
{
    const netdp_linear *protocol = request->protocol;
    return protocol->varying.kind == NETDP_VARY_NEVER && !protocol->accelerate &&
           request->sees == NETDP_SEES_NEIGHBOURS &&
           (request->own_noise == NETDP_OWN_NOISE_KNOWN || request->coalition);
}

static netdp_status check_phase(const netdp_loss_request *request, netdp_error *error)
{
    const netdp_linear *protocol = request->protocol;
    if (is_large(protocol) && !(can_release(request) && protocol->end_dither > 0))
        return netdp_i_fail(
            error, NETDP_NO_ANSWER,
            "a phase of more than %d nodes is accounted for without acceleration, with an end "
            "dither, towards observers who see their neighbours and know their own noise; use "
            "--bound everything",
            NETDP_DENSE_NODES);
    if (protocol->every != 1 && netdp_linear_least_noise(protocol) < LEAST_DITHER)
        return netdp_i_fail(error, NETDP_INVALID,
                            "dither: %g is too small for the account of a phase; give %g or more, "
                            "or use --bound everything",
                            netdp_linear_least_noise(protocol), LEAST_DITHER);
    return NETDP_OK;
}

/*
 * The contributions of the asked nodes: what local differential privacy would give. Where senders
 * only contribute they differ from node to node.
 */
static netdp_status find_local(account *a, netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    netdp_losses *losses = a->losses;
    losses->local = (double)netdp_linear_participations(protocol);
    if (netdp_quiet_is(&protocol->quiet)) {
        netdp_status status =
            netdp_i_quiet_new(&protocol->quiet, protocol->cycle, &a->quiet, error);
        if (status == NETDP_OK)
            losses->local = netdp_i_quiet_local(a->quiet);
        return status;
    }
    if (!protocol->senders_only)
        return NETDP_OK;
    int64_t *made = NETDP_I_NEW(int64_t, netdp_mixing_rows(protocol->mixing).nodes);
    a->own = NETDP_I_NEW(double, losses->from_count);
    netdp_status status = made == NULL || a->own == NULL
                              ? netdp_i_no_memory(error)
                              : netdp_linear_realised(protocol, made, error);
    losses->local = 0;
    for (int32_t i = 0; status == NETDP_OK && i < losses->from_count; i++) {
        a->own[i] = (double)made[losses->from[i]];
        losses->local = fmax(losses->local, a->own[i]);
    }
    netdp_i_free(made);
    return status;
}

/* Every message seen: m_t[u] - s_t[u] = x_u + u_u itself is, and nothing else tells more. */
static bool is_local(const account *a)
{
    return !is_published(a->bound) &&
           (a->bound->bound == NETDP_BOUND_EVERYTHING || a->request->sees == NETDP_SEES_EVERYTHING);
}

/* A proof of a stream's bounds costs the cube of the nodes for each observer: up to this, a second.
 */
#define STREAM_PROOF 1e8

/* Is rounding added outward to the bounds of this stream (netdp_i_stream_proven)? */
static bool proves_stream(const account *a)
{
    const netdp_loss_request *request = a->request;
    const netdp_linear *p = request->protocol;
    const netdp_bound bound = a->bound->bound;
    const double nodes = netdp_mixing_rows(p->mixing).nodes;
    return request->certify != NETDP_CERTIFY_NO && p->every > 0 && p->steady && !p->reacts &&
           p->varying.kind == NETDP_VARY_NEVER && !netdp_pairing_is(&p->pairing) &&
           a->rounds == NULL && a->losses->members == 1 && !is_local(a) &&
           (p->rounds - 1) / p->every < NETDP_I_EXPLICIT && !is_large(p) &&
           a->losses->to_count * pow(nodes, 3) <= STREAM_PROOF &&
           (bound == NETDP_BOUND_UPPER || bound == NETDP_BOUND_ABS_SUM ||
            bound == NETDP_BOUND_SPECTRAL || bound == NETDP_BOUND_DUAL);
}

/* Without dither Chebyshev's messages and the plain ones span the same: p_t has degree t. */
static bool by_phases(const account *a)
{
    const netdp_linear *protocol = a->request->protocol;
    return protocol->every == 0 ? protocol->accelerate && protocol->dither > 0
                                : a->bound->bound == NETDP_BOUND_PHASE_RELEASE ||
                                      (protocol->reacts && a->bound->bound == NETDP_BOUND_UPPER);
}

/* Below this dither a certificate may be wide: it is made where it is asked for. */
#define LEAST_PROVEN 1e-6

/* So it may below this part of the pairs' noise. */
#define LEAST_SPREAD 1e-8

/* Of a network that changes: all nodes contribute, and of coalitions sums are not taken. */
static bool has_proof_of_changes(const account *a)
{
    const netdp_linear *p = a->request->protocol;
    return !is_large(p) && !p->senders_only &&
           (a->losses->members == 1 || a->request->sees != NETDP_SEES_SUM);
}

/* Of own noise that counts pairs are known in sum only: of that there is none. */
static bool has_proof_of_pairs(const account *a)
{
    const netdp_linear *p = a->request->protocol;
    return !netdp_pairing_is(&p->pairing) ||
           (p->varying.kind == NETDP_VARY_NEVER &&
            (!own_counts(a->request) || a->request->sees == NETDP_SEES_SUM));
}

/*
 * Is there a proof of this account? Of one contribution under noise in every round, and of the
 * phases of learning with an end dither.
 */
static bool has_proof(const account *a)
{
    const netdp_linear *p = a->request->protocol;
    const netdp_i_observer any = {.pairing = pairing_of(a->request)};
    const double noise = netdp_linear_least_noise(p);
    const bool narrow =
        noise >= LEAST_PROVEN && noise >= LEAST_SPREAD * netdp_i_observer_spread(&any);
    const bool noisy = a->request->certify == NETDP_CERTIFY_YES ? noise > 0 : narrow;
    if (is_published(a->bound) || is_local(a) || a->rounds != NULL || p->accelerate ||
        a->quiet != NULL || !has_proof_of_pairs(a))
        return false;
    if (p->varying.kind != NETDP_VARY_NEVER && !has_proof_of_changes(a))
        return false;
    if (p->every == 0)
        return noisy || p->rounds == 1;
    return by_phases(a) && !is_large(p) && p->end_dither > 0 && (p->every == 1 || noisy);
}

/* At most how many nodes an observer sees. */
static int32_t most_seen(const account *a)
{
    const netdp_losses *l = a->losses;
    const int32_t named = l->members > 1 ? l->members : l->to_count;
    int64_t most = 0;
    if (a->request->sees == NETDP_SEES_SUM)
        return l->members;
    for (int32_t i = 0; i < named; i++) {
        const int64_t degree = netdp_graph_degree(a->graph, l->to[i]);
        most = l->members > 1 ? most + degree : degree > most ? degree : most;
    }
    const int32_t n = netdp_graph_nodes(a->graph);
    return most < n ? (int32_t)most : n;
}

/* Whether all rows are proven is said before the first of them. */
static netdp_status choose_proof(account *a, netdp_error *error)
{
    const netdp_loss_request *request = a->request;
    const netdp_losses *l = a->losses;
    const netdp_i_observer widest = {.seen_count = most_seen(a),
                                     .last_sum = request->sees == NETDP_SEES_SUM,
                                     .pairing = pairing_of(request)};
    a->certify = request->certify != NETDP_CERTIFY_NO && has_proof(a) &&
                 (request->certify == NETDP_CERTIFY_YES || netdp_i_cost_of_proof(request, &widest));
    if (!a->certify || request->sees != NETDP_SEES_SUM || l->members == 1 ||
        request->protocol->varying.kind != NETDP_VARY_NEVER)
        return NETDP_OK;
    return netdp_i_sums_resolved(request->protocol, l->to, l->members, &a->certify, error);
}

/* What is said of all pairs. */
static netdp_status losses_begin(account *a, netdp_error *error)
{
    const netdp_loss_request *request = a->request;
    netdp_status status = netdp_i_losses_asked(
        netdp_mixing_rows(request->protocol->mixing).nodes, request->from, request->from_count,
        request->to, request->to_count, request->coalition, &a->losses, error);
    if (status == NETDP_OK)
        status = find_local(a, error);
    if (status == NETDP_OK)
        status = netdp_i_protect_begin(&request->protection, a->losses, &a->most, &a->scale, error);
    if (status != NETDP_OK)
        return status;
    netdp_losses *losses = a->losses;
    const netdp_bound bound = a->bound->bound;
    losses->threat =
        netdp_i_threat_gossip(request->sees, request->own_noise, request->protocol->cycle > 1);
    if (request->protection.protects == NETDP_PROTECTS_ROW)
        losses->threat.protects = netdp_protection_words(&request->protection);
    status = choose_proof(a, error);
    netdp_i_judge(
        a->bound,
        (netdp_i_case){.outward = a->quiet == NULL &&
                                  request->protection.batches.kind != NETDP_BATCHES_POISSON &&
                                  (bound == NETDP_BOUND_EVERYTHING || is_local(a) ||
                                   proves_stream(a) || a->certify)},
        losses);
    if (bound == NETDP_BOUND_EXACT && !is_local(a) && !a->certify &&
        netdp_linear_least_noise(request->protocol) < NETDP_I_LEAST_DITHER)
        losses->tolerance = NETDP_I_FLOOR;
    return status;
}

/*
 * A view reduced to what carries information. Of a closed neighbourhood with its own noise known,
 * the observers' own messages are linear in the messages of the round before; the same holds where
 * own noise counts, since the next round reveals it. So only the neighbours outside the set are
 * seen, and the set's noise is quiet. `mark` [nodes] zeroed, `seen` [nodes], `reach` [count].
 */
static void reduce_view(const account *a, const int32_t *member, int32_t count, char *mark,
                        int32_t *seen, double *reach, netdp_i_observer *observer)
{
    const netdp_loss_request *request = a->request;
    *observer = (netdp_i_observer){.seen = seen,
                                   .member_count = count,
                                   .member = member,
                                   .quiet = member,
                                   .quiet_count = count,
                                   .pairing = pairing_of(request)};
    for (int32_t i = 0; i < count; i++)
        mark[member[i]] = 1;
    if (request->sees == NETDP_SEES_SUM) {
        /* A member without a neighbour outside learns from its sum what the set has sent: nothing. */
        const bool all = a->certify || request->protocol->varying.kind != NETDP_VARY_NEVER;
        observer->last_sum = true;
        if (own_counts(request))
            observer->quiet_count = 0;
        for (int32_t i = 0; i < count; i++) {
            const double reaches = netdp_i_reach(netdp_mixing_rows(request->protocol->mixing),
                                                 member[i], mark, observer->quiet_count == 0);
            if (!all && reaches == 0)
                continue;
            seen[observer->seen_count] = member[i];
            reach[observer->seen_count++] = reaches;
        }
        observer->reach = reach;
        return;
    }
    observer->own_counts = own_counts(request);
    for (int32_t i = 0; i < count; i++) {
        const int32_t *neighbour = netdp_graph_neighbours(a->graph, member[i]);
        for (int32_t k = 0; k < netdp_graph_degree(a->graph, member[i]); k++) {
            if (mark[neighbour[k]] == 0) {
                mark[neighbour[k]] = 1;
                seen[observer->seen_count++] = neighbour[k];
            }
        }
    }
}

/*
 * What is not proven is rounded up by more than rounding was seen to take away: 4e-11 of it, 6e-14
 * over the least scale of an observation (docs/proofs/certificate.md), and with noise in pairs
 * 3e-15 times its spread over that scale (docs/proofs/pairs.md).
 */
#define MARGIN 3e-10
#define MARGIN_OF_SCALE 1e-13
#define MARGIN_OF_SPREAD 2e-14

/* Of losses near 0, to which digits of the others' are lost: of those at most 1e-20. */
#define LEAST_MARGIN 1e-19

/* A dither that is as good as none has its tolerance. `scale`: in units of the spread. */
static double margin_of(const account *a, double scale, double spread)
{
    const bool drowned = netdp_linear_least_noise(a->request->protocol) < NETDP_I_LEAST_DITHER;
    return MARGIN + (drowned ? 0 : MARGIN_OF_SCALE / (scale * spread)) +
           MARGIN_OF_SPREAD * (spread - 1) / (drowned ? 1 : scale * spread);
}

static void round_outward(const account *a, double scale, double spread, double *loss)
{
    const double margin = margin_of(a, scale, spread);
    for (int32_t i = 0; i < a->losses->from_count; i++)
        loss[i] = loss[i] > 0 ? loss[i] * (1 + margin) + LEAST_MARGIN : 0;
}

/* Every contribution is seen under unit noise: all of them, or the squares of the given pattern. */
static double local_loss(const netdp_loss_request *request, double contributions)
{
    if (request->pattern == NULL)
        return contributions;
    const netdp_linear *protocol = request->protocol;
    double sum = 0;
    for (int64_t k = 0; k <= (protocol->rounds - 1) / protocol->every; k++)
        sum += request->pattern[k] * request->pattern[k];
    return sum;
}

/* loss[from_count] towards observers who see every message of every node. */
static netdp_status fill_everything(const account *a, const int32_t *member, double *loss,
                                    netdp_error *error)
{
    const netdp_losses *l = a->losses;
    netdp_status status = NETDP_OK;
    for (int32_t i = 0; i < l->from_count; i++)
        loss[i] = 1;
    if (a->paired.nodes > 0)
        status = netdp_i_paired_loss(&a->paired, member, own_counts(a->request) ? 0 : l->members,
                                     l->from, l->from_count, loss, a->inner, error);
    for (int32_t i = 0; i < l->from_count; i++)
        loss[i] *= local_loss(a->request, a->own != NULL ? a->own[i] : a->most);
    return status;
}

/* With pairs no view tells more than everything does, whatever else bounds it. */
static netdp_status cap_by_everything(const account *a, const int32_t *member, double *loss,
                                      netdp_error *error)
{
    if (a->paired.nodes == 0 || !a->bound->sound)
        return NETDP_OK;
    double *most = NETDP_I_NEW(double, a->losses->from_count);
    netdp_status status =
        most == NULL ? netdp_i_no_memory(error) : fill_everything(a, member, most, error);
    for (int32_t i = 0; status == NETDP_OK && i < a->losses->from_count; i++)
        loss[i] = fmin(loss[i], most[i]);
    netdp_i_free(most);
    return status;
}

/* A changing network: W_t, whom one sees and who draws noise are those of each round. */
static netdp_status account_changing(account *a, const int32_t *member, int32_t count, double *loss,
                                     netdp_error *error)
{
    const netdp_loss_request *request = a->request;
    const netdp_linear *protocol = request->protocol;
    const bool sum = request->sees == NETDP_SEES_SUM;
    const netdp_i_watcher watcher = {.sees = request->sees,
                                     .quiet = !sum || request->own_noise == NETDP_OWN_NOISE_KNOWN ||
                                              request->coalition,
                                     .count = count,
                                     .member = member};
    const netdp_i_sources of = {a->losses->from_count, a->losses->from, loss};
    netdp_bound bound = a->bound->bound;
    if (bound == NETDP_BOUND_LINEAR)
        bound = NETDP_BOUND_UPPER;
    else if (protocol->reacts && bound == NETDP_BOUND_UPPER)
        bound = NETDP_BOUND_PHASE_RELEASE;
    netdp_status status =
        bound == NETDP_BOUND_PHASE_RELEASE && !a->certify ? check_phase(request, error) : NETDP_OK;
    if (status == NETDP_OK && a->certify)
        status = netdp_i_changing_proven(protocol, &watcher, &of, a->inner, error);
    else if (status == NETDP_OK)
        status = netdp_i_changing_loss(protocol, &watcher, bound, request->pattern, &of, a->inner,
                                       error);
    const bool capped = bound == NETDP_BOUND_EXACT || bound == NETDP_BOUND_UPPER ||
                        bound == NETDP_BOUND_PHASE_RELEASE || request->pattern != NULL;
    if (status == NETDP_OK && !a->certify &&
        (protocol->every == 0 || bound == NETDP_BOUND_PHASE_RELEASE))
        round_outward(a, netdp_i_changing_scale(protocol, &watcher), 1, loss);
    for (int32_t i = 0; status == NETDP_OK && capped && i < a->losses->from_count; i++)
        loss[i] = fmin(loss[i], a->most);
    return status;
}

/* All eigenvectors of W, found by the first observer that wants them. */
static netdp_status need_dense(account *a, netdp_error *error)
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

/* The largest modulus of W's eigenvalues but the ones vector's, found by the first in need. */
static netdp_status need_away(account *a, netdp_error *error)
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

/* The part of a phase's account that observers share, made by the first of them. */
static netdp_status need_phase(account *a, netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    netdp_status status = need_dense(a, error);
    if (status != NETDP_OK)
        return status;
#pragma omp critical(netdp_shared_phase)
    {
        if (a->phase == NULL)
            status = netdp_i_phase_new(protocol, &a->dense, protocol->every > 0, &a->phase, error);
    }
    return status;
}

/* The first rounds, and then every state under a dither. */
static netdp_status account_release(account *a, int64_t rounds, double dither,
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

/* Of large networks as many columns of D^-1 are found beside the account. */
#define MOST_COLUMNS 64

/* A phase with pairs is followed round by round, by each observer anew: some cubes of the nodes. */
#define PAIRED_PHASE 7e10

/* One phase of the protocol on its own, whose states are released under `end` at its end. */
static netdp_linear phase_alone(const netdp_linear *protocol, double *end)
{
    netdp_linear phase = *protocol;
    *end = phase.end_dither;
    phase.rounds = phase.every;
    phase.every = 0;
    phase.end_dither = 0;
    phase.reacts = false;
    phase.quiet = (netdp_quiet){0};
    phase.cycle = 0;
    return phase;
}

/* Is a phase with pairs followed through the filter, and not without them? */
static bool follows_pairs(const account *a, const netdp_i_observer *observer)
{
    const netdp_linear *protocol = a->request->protocol;
    return observer->pairing != NULL && !protocol->accelerate && protocol->end_dither > 0 &&
           a->losses->to_count / a->losses->members * pow(netdp_graph_nodes(a->graph), 3) <=
               PAIRED_PHASE;
}

/*
 * One phase under noise in pairs, in which modes are not independent: through the filter, and then
 * all states under the end dither. The observers' own states are known from their views already.
 */
static netdp_status account_paired_phase(account *a, const netdp_i_observer *observer, double *loss,
                                         netdp_error *error)
{
    const netdp_i_sources of = {a->losses->from_count, a->losses->from, loss};
    double end = 0;
    const netdp_linear phase = phase_alone(a->request->protocol, &end);
    netdp_status status = need_dense(a, error);
    return status != NETDP_OK
               ? status
               : netdp_i_filter_loss(&phase, &a->dense, observer, end * end, &of, a->inner, error);
}

/* What rounding takes from an eigenvalue of what a phase tells, which are at most 1 without pairs. */
#define TOLD_FLOOR 1e-13

/* What one phase tells of all nodes outside of the set at once; `told` may be all it has. */
static netdp_status tell_phase(account *a, const netdp_i_observer *observer, const int32_t *others,
                               const int32_t *place, netdp_i_told *told, netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    netdp_i_gram gram = {told->count, others, told->gram, false};
    double end = 0;
    netdp_status status;
    if (follows_pairs(a, observer)) {
        const netdp_linear phase = phase_alone(protocol, &end);
        const double spread = netdp_i_observer_spread(observer);
        status = need_dense(a, error);
        if (status == NETDP_OK)
            status =
                netdp_i_filter_gram(&phase, &a->dense, observer, end * end, &gram, a->inner, error);
        if (status == NETDP_OK)
            netdp_i_paired_noise(observer->pairing, place, told->count, told->noise);
        told->margin = margin_of(a, netdp_i_observer_scale(protocol, observer), spread);
        told->floor = TOLD_FLOOR * spread * spread;
        /* D loses the ones on its diagonal beside the pairs' squares. */
        told->lost = DBL_EPSILON * (double)told->count * spread * spread;
    } else {
        told->noise = NULL;
        status = need_phase(a, error);
        if (status == NETDP_OK)
            status = netdp_i_phase_gram(a->phase, observer, &gram, error);
        told->margin = margin_of(a, netdp_i_observer_scale(protocol, observer), 1);
        told->floor = TOLD_FLOOR;
    }
    if (gram.told)
        told->floor = 1; /* as if every message were seen */
    return status;
}

/* All phases together, where their noise is correlated (docs/proofs/quiet.md). */
static netdp_status account_quiet(account *a, const netdp_i_observer *observer,
                                  const int32_t *member, double *loss, netdp_error *error)
{
    const netdp_losses *l = a->losses;
    const int64_t n = netdp_graph_nodes(a->graph);
    int32_t *place = NETDP_I_NEW(int32_t, n), *others = NETDP_I_NEW(int32_t, n);
    int32_t *which = NETDP_I_NEW(int32_t, l->from_count);
    netdp_i_told told = {.gram = NETDP_I_NEW(double, n *n), .noise = NULL};
    double *noise = observer->pairing != NULL ? NETDP_I_NEW(double, n *n) : NULL;
    netdp_status status = check_phase(a->request, error);
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

/* Phases compose: what comes later depends on a contribution only through the released states. */
static netdp_status account_phases(account *a, const netdp_i_observer *observer,
                                   const int32_t *member, double *loss, netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    const netdp_losses *l = a->losses;
    const netdp_i_sources of = {l->from_count, l->from, loss};
    if (a->quiet != NULL)
        return account_quiet(a, observer, member, loss, error);
    netdp_status status = a->certify ? NETDP_OK : check_phase(a->request, error);
    if (status == NETDP_OK && is_large(protocol)) {
        status = need_away(a, error);
        if (status == NETDP_OK)
            status = account_release(a, protocol->every, protocol->end_dither, member, loss, error);
    } else if (status == NETDP_OK && a->certify) {
        netdp_linear phase = *protocol;
        phase.rounds = protocol->every;
        phase.every = 0;
        status = need_dense(a, error);
        if (status == NETDP_OK)
            status = netdp_i_certified_loss(&phase, &a->dense, observer, protocol->end_dither, &of,
                                            a->inner, error);
    } else if (status == NETDP_OK && follows_pairs(a, observer)) {
        status = account_paired_phase(a, observer, loss, error);
    } else if (status == NETDP_OK) {
        status = need_phase(a, error);
        if (status == NETDP_OK)
            status = netdp_i_phase_loss(a->phase, observer, &of, error);
    }
    if (status == NETDP_OK && !a->certify)
        round_outward(a, netdp_i_observer_scale(protocol, observer),
                      netdp_i_observer_spread(observer), loss);
    for (int32_t i = 0; status == NETDP_OK && i < l->from_count; i++)
        loss[i] = fmin(loss[i], 1) * a->most;
    return status;
}

netdp_status netdp_i_losses_on_basis(const netdp_loss_request *request, netdp_bound bound,
                                     const netdp_i_basis *basis, const netdp_i_observer *observer,
                                     const netdp_i_sources *of, const netdp_progress *progress,
                                     netdp_error *error)
{
    const netdp_linear *protocol = request->protocol;
    if (protocol->every == 0)
        return netdp_i_filter_loss(protocol, basis, observer, 0, of, progress, error);
    /* Noise that is more in some rounds than in others has no steady gain: without the pairs' noise
     * the bound holds as well (docs/proofs/pairs.md, Theorem 3). */
    netdp_i_observer alone = *observer;
    if (protocol->every > 1)
        alone.pairing = NULL;
    const netdp_i_stream_asked asked = {.bound =
                                            bound == NETDP_BOUND_LINEAR ? NETDP_BOUND_UPPER : bound,
                                        .pattern = request->pattern,
                                        .most = NETDP_I_STREAM_MOST};
    return netdp_i_stream(protocol, basis, &alone, &asked, of, progress, error);
}

/*
 * Rounds after which every state may be given away instead of the rounds to come (bound upper of
 * averaging), or 0 where the exact account is no larger.
 */
static netdp_status choose_release(account *a, const netdp_i_observer *observer, int64_t *rounds,
                                   netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    *rounds = 0;
    if (protocol->every > 0 || a->bound->bound != NETDP_BOUND_UPPER || !is_large(protocol) ||
        !can_release(a->request) || !(protocol->dither > 0))
        return NETDP_OK;
    netdp_status status = need_away(a, error);
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
static int32_t at_once(const account *a)
{
    const int32_t observers = a->losses->to_count / a->losses->members;
    return observers < netdp_i_threads() ? observers : netdp_i_threads();
}

/* Through the filter, on the basis that is cheaper for this observer. */
static netdp_status follow_rounds(account *a, const netdp_i_observer *observer, double *loss,
                                  netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    const netdp_i_sources of = {a->losses->from_count, a->losses->from, loss};
    netdp_plan plan;
    if (proves_stream(a)) {
        netdp_status proven = need_dense(a, error);
        return proven != NETDP_OK ? proven
                                  : netdp_i_stream_proven(protocol, &a->dense, observer,
                                                          a->bound->bound, &of, a->inner, error);
    }
    netdp_i_cost(a->request, observer, &plan);
    netdp_status checked = netdp_i_cost_check(a->request, observer, &plan, at_once(a), error);
    if (checked != NETDP_OK)
        return checked;
    if (strcmp(plan.method, NETDP_I_CONJUGATE) == 0)
        return netdp_i_conjugate_loss(protocol, observer, a->certify, &of, a->inner, error);
    if (!a->certify && strcmp(plan.method, NETDP_I_BACKWARD) == 0)
        return netdp_i_riccati_loss(protocol, observer, &of, a->inner, error);
    const bool reduce = netdp_i_cost_reduces(&plan, netdp_graph_nodes(a->graph));
    netdp_i_basis krylov = {0};
    netdp_status status =
        reduce ? netdp_i_basis_krylov(protocol->mixing, observer->seen, observer->seen_count,
                                      protocol->rounds + (observer->last_sum ? 1 : 0), NULL,
                                      &krylov, a->inner, error)
               : need_dense(a, error);
    const netdp_i_basis *basis = reduce ? &krylov : &a->dense;
    if (status == NETDP_OK && a->certify)
        status = netdp_i_certified_loss(protocol, basis, observer, 0, &of, a->inner, error);
    else if (status == NETDP_OK)
        status = netdp_i_losses_on_basis(a->request, a->bound->bound, basis, observer, &of,
                                         a->inner, error);
    netdp_i_basis_clear(&krylov);
    return status;
}

static netdp_status account_rounds(account *a, const netdp_i_observer *observer,
                                   const int32_t *member, double *loss, netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    const netdp_losses *l = a->losses;
    int64_t release = 0;
    netdp_status status = choose_release(a, observer, &release, error);
    if (status == NETDP_OK && release > 0)
        status =
            account_release(a, release, netdp_linear_noise(protocol, release), member, loss, error);
    else if (status == NETDP_OK && a->rounds != NULL)
        status =
            a->rounds->account(a->rounds->context, a->request, l, observer, loss, a->inner, error);
    else if (status == NETDP_OK)
        status = follow_rounds(a, observer, loss, error);
    if (status == NETDP_OK && !a->certify && (protocol->every == 0 || observer->pairing != NULL))
        round_outward(a, netdp_i_observer_scale(protocol, observer),
                      netdp_i_observer_spread(observer), loss);
    /* M <= diag(nu_k^-2): whatever rounding says, local differential privacy holds. */
    const bool capped = a->bound->bound == NETDP_BOUND_EXACT ||
                        a->bound->bound == NETDP_BOUND_UPPER || a->request->pattern != NULL;
    for (int32_t i = 0; status == NETDP_OK && capped && i < l->from_count; i++)
        loss[i] = fmin(loss[i], a->most);
    return status;
}

static netdp_status account_for(account *a, const int32_t *member, int32_t count, double *loss,
                                netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(a->graph);
    const netdp_linear *protocol = a->request->protocol;
    char *mark = NETDP_I_NEW(char, n);
    int32_t *seen = NETDP_I_NEW(int32_t, n);
    double *reach = NETDP_I_NEW(double, count);
    netdp_i_observer observer;
    netdp_status status = NETDP_OK;
    if (protocol->varying.kind != NETDP_VARY_NEVER) {
        status = account_changing(a, member, count, loss, error);
        goto done;
    }
    if (mark == NULL || seen == NULL || reach == NULL) {
        status = netdp_i_no_memory(error);
        goto done;
    }
    reduce_view(a, member, count, mark, seen, reach, &observer);
    if (observer.seen_count == 0)
        goto done; /* the set is the whole graph: nobody is left to learn about */
    status = by_phases(a) ? account_phases(a, &observer, member, loss, error)
                          : account_rounds(a, &observer, member, loss, error);
done:
    netdp_i_free(mark);
    netdp_i_free(seen);
    netdp_i_free(reach);
    return status;
}

static netdp_status account_observer(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    account *a = context;
    const int32_t *member = a->losses->to + a->first + index;
    double *row = a->rows + index * a->losses->from_count;
    netdp_status status = account_for(a, member, a->losses->members, row, error);
    return status == NETDP_OK ? cap_by_everything(a, member, row, error) : status;
}

/* Of many observers at once the rounds of one are no news; it only asks whether to stop. */
static bool poll_only(void *context, const char *what, double done, double total)
{
    const netdp_progress *progress = context;
    (void)what, (void)done, (void)total;
    return progress == NULL || progress->report == NULL ||
           progress->report(progress->context, NULL, 0, 0);
}

static netdp_status account_exactly(account *a, int32_t count, const netdp_progress *progress,
                                    netdp_error *error)
{
    const bool alone = a->losses->to_count == 1;
    const netdp_progress poll = {poll_only, (void *)progress};
    a->inner = alone ? progress : &poll;
    if (a->rounds == NULL)
        return netdp_i_for_each(count, account_observer, a, alone ? NULL : progress, "observers",
                                error);
    netdp_status status = NETDP_OK;
    for (int32_t v = 0; v < count && status == NETDP_OK; v++)
        status = account_observer(a, v, 0, error);
    return status;
}

/* Of phases their number times that of one (paper C, Theorem 6). */
static netdp_status account_published(account *a, int32_t count, const netdp_progress *progress,
                                      netdp_error *error)
{
    const bool code = a->bound->bound == NETDP_BOUND_PUBLISHED_CODE;
    netdp_status status =
        netdp_i_published_rows(a->published, a->first, count, a->rows, progress, error);
    const int64_t pairs = (int64_t)count * a->losses->from_count;
    for (int64_t i = 0; status == NETDP_OK && i < pairs; i++) {
        if (code)
            a->rows[i] = fmin(a->rows[i], 1);
        if (a->request->protocol->every > 0)
            a->rows[i] *= a->most;
    }
    return status;
}

/* The view of the coalition, or of the observer that sees most; `seen`, `reach` [nodes]. */
static netdp_status find_widest(const account *a, int32_t *seen, double *reach,
                                netdp_i_observer *widest, netdp_error *error)
{
    const netdp_loss_request *request = a->request;
    const int32_t n = netdp_graph_nodes(a->graph), asked = request->to_count;
    int32_t best = -1;
    char *mark = NETDP_I_NEW(char, n);
    if (mark == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < (asked > 0 ? asked : n); i++) {
        const int32_t v = asked > 0 ? request->to[i] : i;
        if (v < 0 || v >= n) {
            netdp_i_free(mark);
            return netdp_i_fail(error, NETDP_INVALID, "to: node %d is not in the graph", (int)v);
        }
        if (best < 0 || netdp_graph_degree(a->graph, v) > netdp_graph_degree(a->graph, best))
            best = v;
    }
    if (request->coalition)
        reduce_view(a, request->to, asked, mark, seen, reach, widest);
    else
        reduce_view(a, &best, 1, mark, seen, reach, widest);
    netdp_i_free(mark);
    return NETDP_OK;
}

/* What an account does that has one way only, or NULL. */
static const char *only_way(const account *a)
{
    if (is_published(a->bound))
        return "products of W with blocks of columns";
    if (is_local(a))
        return "closed form";
    if (a->request->protocol->varying.kind != NETDP_VARY_NEVER)
        return "round by round, on all nodes";
    if (by_phases(a) && is_large(a->request->protocol))
        return NETDP_I_RELEASE_METHOD;
    return by_phases(a) ? "phases, in all eigenvectors of W" : NULL;
}

netdp_status netdp_losses_plan(const netdp_loss_request *request, netdp_plan *plan,
                               netdp_error *error)
{
    account a = {.request = request};
    netdp_i_observer observer;
    netdp_status status = check_request(request, false, &a.bound, error);
    if (status != NETDP_OK)
        return status;
    a.graph = netdp_mixing_graph(request->protocol->mixing);
    const int32_t nodes = netdp_graph_nodes(a.graph);
    int32_t *seen = NETDP_I_NEW(int32_t, nodes);
    double *reach = NETDP_I_NEW(double, nodes);
    status = seen == NULL || reach == NULL ? netdp_i_no_memory(error)
                                           : find_widest(&a, seen, reach, &observer, error);
    if (status == NETDP_OK) {
        const char *only = only_way(&a);
        int64_t release = 0;
        netdp_i_cost(request, &observer, plan);
        if (only == NULL)
            status = choose_release(&a, &observer, &release, error);
        if (release > 0)
            only = NETDP_I_RELEASE_METHOD;
        if (status == NETDP_OK && only == NULL)
            status = losses_begin(&a, error);                         /* is it proven? */
        if (a.certify && strcmp(plan->method, NETDP_I_BACKWARD) == 0) /* which has no proof */
            plan->method = plan->way[netdp_i_cost_reduces(plan, nodes) ? 0 : 1].method;
        if (only != NULL) {
            plan->method = only;
            plan->ways = 0;
        }
    }
    netdp_i_free(seen);
    netdp_i_free(reach);
    netdp_i_free(a.own);
    netdp_i_free(a.scale);
    netdp_losses_free(a.losses);
    return status;
}

/* Every message seen, by one observer: of one contribution 1, or what noise in pairs leaves of it.
 */
static netdp_status account_everything(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    account *a = context;
    return fill_everything(a, a->losses->to + a->first + index,
                           a->rows + index * a->losses->from_count, error);
}

static netdp_status account_nodes(account *a, int32_t count, const netdp_progress *progress,
                                  netdp_error *error)
{
    if (is_published(a->bound))
        return account_published(a, count, progress, error);
    if (!is_local(a))
        return account_exactly(a, count, progress, error);
    a->inner = count == 1 ? progress : NULL;
    return netdp_i_for_each(count, account_everything, a, count == 1 ? NULL : progress, "observers",
                            error);
}

static netdp_status account_batch(void *context, int32_t first, int32_t count, double *rows,
                                  const netdp_progress *progress, netdp_error *error)
{
    account *a = context;
    a->first = first;
    a->rows = rows;
    netdp_status status = account_nodes(a, count, progress, error);
    for (int64_t v = 0; status == NETDP_OK && v < count; v++)
        netdp_i_protect_row(a->losses, a->scale, rows + v * a->losses->from_count);
    return status;
}

/* Paper C's sums of one phase, kept for all observers as far as they fit into the room. */
static netdp_status begin_published(account *a, int64_t room, netdp_error *error)
{
    const netdp_losses *l = a->losses;
    netdp_linear once = *a->request->protocol;
    if (once.every > 0)
        once.rounds = once.every;
    return netdp_i_published_new(&once, a->bound->bound == NETDP_BOUND_PUBLISHED_CODE ? 1 : 0, l,
                                 room, &a->published, error);
}

/* Are the columns of D^-1 that it takes little work beside the account? */
static bool caps_by_everything(const account *a)
{
    return !is_large(a->request->protocol) ||
           (double)a->losses->from_count * a->losses->to_count / a->losses->members <= MOST_COLUMNS;
}

netdp_status netdp_i_losses_all(const netdp_loss_request *request, netdp_i_room room,
                                const netdp_i_rounds *rounds, netdp_i_batch_sink sink,
                                void *context, const netdp_progress *progress, netdp_error *error)
{
    account a = {.request = request, .rounds = rounds};
    netdp_status status = check_request(request, rounds != NULL, &a.bound, error);
    if (status != NETDP_OK)
        return status;
    a.graph = netdp_mixing_graph(request->protocol->mixing);
    status = losses_begin(&a, error);
    if (status == NETDP_OK && is_published(a.bound))
        status = begin_published(&a, room.sums, error);
    if (status == NETDP_OK && netdp_pairing_is(&request->protocol->pairing) &&
        (is_local(&a) || caps_by_everything(&a)))
        status = netdp_i_paired_new(&request->protocol->pairing, netdp_graph_nodes(a.graph),
                                    &a.paired, error);
    if (status == NETDP_OK && a.paired.nodes > 0 && a.losses->to_count > a.losses->members)
        status =
            netdp_i_paired_share(&a.paired, a.losses->from, a.losses->from_count, progress, error);
    if (status != NETDP_OK)
        goto done;
    /* A changing network's product of matrices goes through all rounds for all observers at once.
     */
    const bool at_once =
        is_published(a.bound) && request->protocol->varying.kind != NETDP_VARY_NEVER;
    const int32_t size = at_once ? a.losses->to_count : netdp_i_batch_size(a.losses, room.rows);
    status =
        netdp_i_batches_fill(a.losses, size, account_batch, &a, sink, context, progress, error);
done:
    netdp_i_published_free(a.published);
    netdp_i_phase_free(a.phase);
    netdp_i_quiet_free(a.quiet);
    netdp_i_basis_clear(&a.dense);
    netdp_i_paired_clear(&a.paired);
    netdp_i_free(a.own);
    netdp_i_free(a.scale);
    netdp_losses_free(a.losses);
    return status;
}

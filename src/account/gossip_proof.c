/* Of which accounts of gossip rounding is proven, and what is added to the others (docs/proofs/certificate.md). */
#include "account/gossip.h"

#include <float.h>
#include <math.h>

#include "account/gossip/changing.h"
#include "account/gossip/stream.h"
#include "account/gossip/stream_proof.h"
#include "account/losses/label.h"
#include "account/observe/certificate.h"
#include "account/observe/cost.h"
#include "base/fail.h"
#include "base/memory.h"

bool netdp_i_gossip_is_local(const netdp_i_gossip_account *a)
{
    return !netdp_i_gossip_is_published(a->bound) &&
           (a->bound->bound == NETDP_BOUND_EVERYTHING || a->request->sees == NETDP_SEES_EVERYTHING);
}

/*
 * A proof of a stream's bounds is on all eigenvectors, where its account alone may need a few: on so many nodes, and up
 * to so many multiplications of all observers' filters, until their gains are steady. About ten seconds.
 */
#define STREAM_NODES 464.0
#define STREAM_FILTERS 3e11
#define STREAM_STEADY 180.0

/* A coalition for whose view more than this counts is not proven: what is added would be too much. */
#define MOST_WORTH 1e4

/* At most how many nodes an observer sees. */
static int32_t most_seen(const netdp_i_gossip_account *a)
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

static double filters_of_stream(const netdp_i_gossip_account *a, double nodes)
{
    const netdp_losses *l = a->losses;
    const double rounds = fmin((double)a->request->protocol->rounds, STREAM_STEADY);
    return l->to_count / l->members * nodes * nodes * (nodes + 3 * most_seen(a) * rounds);
}

static bool proves_stream(const netdp_i_gossip_account *a)
{
    const netdp_loss_request *request = a->request;
    const netdp_linear *p = request->protocol;
    const netdp_bound bound = a->bound->bound;
    const double nodes = netdp_mixing_rows(p->mixing).nodes;
    return request->certify != NETDP_CERTIFY_NO && p->every > 0 && p->steady && !p->reacts &&
           p->varying.kind == NETDP_VARY_NEVER &&
           (p->every > 1 || !netdp_pairing_is(&p->pairing)) && a->rounds == NULL &&
           !netdp_i_gossip_is_local(a) && (p->rounds - 1) / p->every < NETDP_I_EXPLICIT &&
           !netdp_i_gossip_is_large(p) && nodes <= STREAM_NODES &&
           filters_of_stream(a, nodes) <= STREAM_FILTERS &&
           (bound == NETDP_BOUND_UPPER || bound == NETDP_BOUND_ABS_SUM ||
            bound == NETDP_BOUND_SPECTRAL || bound == NETDP_BOUND_DUAL);
}

bool netdp_i_gossip_by_phases(const netdp_i_gossip_account *a)
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
static bool has_proof_of_changes(const netdp_i_gossip_account *a)
{
    const netdp_linear *p = a->request->protocol;
    return !netdp_i_gossip_is_large(p) && !p->senders_only &&
           (a->losses->members == 1 || a->request->sees != NETDP_SEES_SUM);
}

/*
 * Is there a proof of this account? Of one contribution under noise in every round, and of the
 * phases of learning with an end dither.
 */
static bool has_proof(const netdp_i_gossip_account *a)
{
    const netdp_linear *p = a->request->protocol;
    const netdp_i_observer any = {.pairing = netdp_i_gossip_pairing(a->request)};
    const double noise = netdp_linear_least_noise(p);
    const bool narrow =
        noise >= LEAST_PROVEN && noise >= LEAST_SPREAD * netdp_i_observer_spread(&any);
    const bool noisy = a->request->certify == NETDP_CERTIFY_YES ? noise > 0 : narrow;
    if (netdp_i_gossip_is_published(a->bound) || netdp_i_gossip_is_local(a) || a->quiet != NULL ||
        (p->accelerate && netdp_i_gossip_is_large(p)))
        return false;
    if (p->varying.kind != NETDP_VARY_NEVER && !has_proof_of_changes(a))
        return false;
    if (p->every == 0)
        return noisy || p->rounds == 1;
    return netdp_i_gossip_by_phases(a) && !netdp_i_gossip_is_large(p) && p->end_dither > 0 &&
           (p->every == 1 || noisy);
}

/* What processes share is proven where it goes by what is heard. */
static netdp_status prove_shared(netdp_i_gossip_account *a, const netdp_i_observer *widest,
                                 netdp_error *error)
{
    netdp_plan plan;
    if (a->certify) {
        netdp_i_cost(a->request, widest, true, &plan);
        a->certify = netdp_i_cost_hears(a->request, widest, true, &plan);
    }
    return a->rounds->same(&a->certify, error);
}

/* What reaches the members' sums from others, and with `own` from themselves, the least of it that is not nothing; 1: no sums are
 * seen. */
static netdp_status find_least_reach(const netdp_i_gossip_account *a,
                                     const netdp_i_observer *observer, bool own, double *least,
                                     netdp_error *error)
{
    const netdp_rows rows = netdp_mixing_rows(a->request->protocol->mixing);
    *least = 1;
    if (!observer->last_sum)
        return NETDP_OK;
    char *mark = NETDP_I_NEW(char, rows.nodes);
    if (mark == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < observer->member_count; i++)
        mark[observer->member[i]] = 1;
    for (int32_t i = 0; i < observer->member_count; i++) {
        const double reach = netdp_i_reach(rows, observer->member[i], mark, own);
        *least = reach > 0 ? fmin(*least, reach) : *least;
    }
    netdp_i_free(mark);
    return NETDP_OK;
}

/* A filter that carries a factor of its covariance rounds otherwise than the proof of a stream says. */
static netdp_status ask_for_factors(netdp_i_gossip_account *a, netdp_error *error)
{
    const netdp_losses *l = a->losses;
    netdp_status status = NETDP_OK;
    for (int32_t i = 0; status == NETDP_OK && a->proves_stream && i < l->to_count;
         i += l->members) {
        const netdp_i_observer alone = {.member = l->to + i,
                                        .member_count = l->members,
                                        .last_sum = a->request->sees == NETDP_SEES_SUM};
        double reach = 1;
        status = find_least_reach(a, &alone, netdp_i_gossip_own_counts(a->request), &reach, error);
        a->proves_stream =
            reach * netdp_i_observer_scale(a->request->protocol, &alone) >= NETDP_I_FACTOR_BELOW;
    }
    return status;
}

/* Whether all rows are proven is said before the first of them. */
netdp_status netdp_i_gossip_prove(netdp_i_gossip_account *a, netdp_error *error)
{
    const netdp_loss_request *request = a->request;
    const netdp_losses *l = a->losses;
    const netdp_i_observer widest = {.seen_count = most_seen(a),
                                     .last_sum = request->sees == NETDP_SEES_SUM,
                                     .pairing = netdp_i_gossip_pairing(request)};
    a->proves_stream = proves_stream(a);
    if (a->proves_stream && l->members > 1) {
        double worth = INFINITY;
        netdp_status status = netdp_i_stream_worth(request->protocol, l->to, l->members,
                                                   request->sees == NETDP_SEES_SUM, &worth, error);
        a->proves_stream = worth <= MOST_WORTH;
        if (status != NETDP_OK)
            return status;
    }
    netdp_status status = ask_for_factors(a, error);
    if (status != NETDP_OK)
        return status;
    a->certify = request->certify != NETDP_CERTIFY_NO && has_proof(a) &&
                 (request->certify == NETDP_CERTIFY_YES || netdp_i_cost_of_proof(request, &widest));
    if (a->rounds != NULL)
        return prove_shared(a, &widest, error);
    if (!a->certify || request->sees != NETDP_SEES_SUM || l->members == 1 ||
        request->protocol->varying.kind != NETDP_VARY_NEVER)
        return NETDP_OK;
    return netdp_i_sums_resolved(request->protocol, l->to, l->members, &a->certify, error);
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

/*
 * ... and of responses, that is of the root of a loss: of messages 1.6e-15 over the least noise was seen
 * to be taken (weights of 1e-4 leave losses of 1e-8 and less), and with noise in pairs what is its part.
 */
#define MADE 4e-15
#define MADE_OF_SPREAD 3e-16

/* A dither that is as good as none has its tolerance. `scale`: in units of the spread. */
double netdp_i_gossip_margin(const netdp_i_gossip_account *a, double scale, double spread)
{
    const bool drowned = netdp_linear_least_noise(a->request->protocol) < NETDP_I_LEAST_DITHER;
    return MARGIN + (drowned ? 0 : MARGIN_OF_SCALE / (scale * spread)) +
           MARGIN_OF_SPREAD * (spread - 1) / (drowned ? 1 : scale * spread);
}

void netdp_i_gossip_round_outward(const netdp_i_gossip_account *a, double scale, double spread,
                                  double *loss)
{
    const double margin = netdp_i_gossip_margin(a, scale, spread);
    const bool drowned = netdp_linear_least_noise(a->request->protocol) < NETDP_I_LEAST_DITHER;
    const double made = MADE / (drowned ? 1 : fmin(1, scale * spread)) +
                        (spread > 1 ? MADE_OF_SPREAD / (drowned ? 1 / spread : scale) : 0);
    for (int32_t i = 0; i < a->losses->from_count; i++)
        loss[i] = loss[i] > 0 ? pow(sqrt(loss[i]) + made, 2) * (1 + margin) + LEAST_MARGIN : 0;
}

/*
 * Sums that hold little of the others, or of them under louder noise, lose more: in coordinates that
 * are not the nodes' own a member is told apart from the others to rounding only. Over the square of
 * what reaches it, times the noise, this was seen to be taken of a loss (4e-14), and of its root.
 */
#define LITTLE_REACH 0.4
#define TAKEN_OF_SUM 5e-13
#define MADE_OF_SUM 1e-14

netdp_status netdp_i_gossip_sums_outward(const netdp_i_gossip_account *a,
                                         const netdp_i_observer *observer, double *loss,
                                         netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    const double quietest = netdp_linear_least_noise(protocol);
    const double loudest = protocol->rounds > 1 ? fmax(1, netdp_linear_noise(protocol, 1)) : 1;
    double reach = 1;
    netdp_status status = find_least_reach(a, observer, false, &reach, error);
    if (status != NETDP_OK || !observer->last_sum || (reach >= LITTLE_REACH && loudest <= 1))
        return status;
    const double noise = quietest < NETDP_I_LEAST_DITHER ? 1 : fmin(1, quietest);
    const double resolved = reach * reach * noise / (loudest * loudest);
    for (int32_t i = 0; i < a->losses->from_count; i++)
        if (loss[i] > 0)
            loss[i] =
                pow(sqrt(loss[i]) + MADE_OF_SUM / resolved, 2) * (1 + TAKEN_OF_SUM / resolved);
    return NETDP_OK;
}

/* Of a network that does not change: within as many hops as there are rounds. */
static netdp_status find_near(const netdp_i_gossip_account *a, const int32_t *member, bool *reached,
                              netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(a->graph);
    int32_t *distance = NETDP_I_NEW(int32_t, n);
    netdp_status status =
        distance == NULL
            ? netdp_i_no_memory(error)
            : netdp_graph_distances(a->graph, member, a->losses->members, distance, error);
    for (int32_t v = 0; status == NETDP_OK && v < n; v++)
        reached[v] = distance[v] >= 0 && distance[v] <= a->request->protocol->rounds;
    netdp_i_free(distance);
    return status;
}

netdp_status netdp_i_gossip_lift_zeros(const netdp_i_gossip_account *a, const int32_t *member,
                                       double *loss, netdp_error *error)
{
    const netdp_losses *l = a->losses;
    const netdp_linear *protocol = a->request->protocol;
    const netdp_i_watcher watcher = {
        .sees = a->request->sees, .count = l->members, .member = member};
    bool any = false;
    for (int32_t i = 0; i < l->from_count; i++)
        any = any || loss[i] == 0;
    if (!any || a->bound->bound == NETDP_BOUND_LOWER || a->request->pattern != NULL)
        return NETDP_OK;
    bool *reached = NETDP_I_NEW(bool, netdp_graph_nodes(a->graph));
    netdp_status status = reached == NULL ? netdp_i_no_memory(error)
                          : protocol->varying.kind == NETDP_VARY_NEVER
                              ? find_near(a, member, reached, error)
                              : netdp_i_changing_reached(protocol, &watcher, reached, error);
    for (int32_t i = 0; status == NETDP_OK && i < l->from_count; i++)
        if (loss[i] == 0 && reached[l->from[i]])
            loss[i] = LEAST_MARGIN;
    netdp_i_free(reached);
    return status;
}

/* ---- Streams that are not proven ---- */

/* The least part of its length by which a coalition's sum is told apart from the others'. */
#define LEAST_APART 1e-3

/* What rounding may take of a stream: this for each node, over the square of what tells sums apart, or over it where the covariance is
   carried as a factor. More than MOST_TAKEN is no answer. */
#define TAKEN (10 * DBL_EPSILON)
#define MOST_TAKEN 1e-3

/* How much of the least noise of the others reaches what is seen, in units of the pairs' spread. */
static netdp_status find_apart(const netdp_i_gossip_account *a, const netdp_i_observer *observer,
                               double *apart, netdp_error *error)
{
    double shortest;
    netdp_status status = find_least_reach(a, observer, false, &shortest, error);
    *apart = shortest;
    if (status == NETDP_OK && observer->last_sum && observer->member_count > 1) {
        status = netdp_i_sums_apart(a->request->protocol, observer->member, observer->member_count,
                                    apart, error);
        *apart = fmax(*apart, LEAST_APART * shortest);
    }
    *apart /= netdp_i_observer_spread(observer);
    return status;
}

netdp_status netdp_i_gossip_stream_outward(const netdp_i_gossip_account *a,
                                           const netdp_i_observer *observer, double *loss,
                                           netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    double apart = 1;
    netdp_status status = find_apart(a, observer, &apart, error);
    if (status != NETDP_OK)
        return status;
    const bool factored = netdp_i_observer_scale(protocol, observer) < NETDP_I_FACTOR_BELOW;
    const double nodes = netdp_mixing_rows(protocol->mixing).nodes;
    const double slots = (double)((protocol->rounds - 1) / protocol->every + 1);
    const double taken = TAKEN * nodes / (factored ? apart : apart * apart);
    for (int32_t i = 0; i < a->losses->from_count; i++) {
        const double outside =
            pow(sqrt(loss[i]) + MADE * slots / apart, 2) * (1 + MARGIN + taken) + LEAST_MARGIN;
        loss[i] = taken > MOST_TAKEN ? a->most : loss[i] > 0 ? outside : 0;
    }
    return NETDP_OK;
}

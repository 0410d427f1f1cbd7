/*
 * Accounts of gossip that are not proven: where doubles resolve what an observer sees a margin is added, elsewhere the closed
 * bound stands instead (docs/proofs/certificate.md, "Where it holds, and where not").
 */
#include "account/gossip.h"

#include <float.h>
#include <math.h>

#include "account/gossip/changing.h"
#include "account/losses/label.h"
#include "account/observe/certificate.h"
#include "base/fail.h"
#include "base/memory.h"

/* A rounding, 2^-53, may be this part of what an observer resolves; more, and the closed bound is the answer. */
#define MOST_LOST 1e-12

/* So many times the quietest noise the loudest may be. */
#define MOST_APART 1e6

/*
 * What is added, in units of what is lost, to a loss and to its root, and more where sums are seen; and to every loss as a part of
 * it, and on top: of losses near 0, to which digits of the others' are lost.
 */
#define PARTS_OF_LOSS 1000
#define PARTS_OF_ROOT 100
#define MORE_OF_SUMS 6

/* What is taken from a bound from below, and from its root. */
#define LESS_OF_LOSS 150
#define LESS_OF_ROOT 20
#define MARGIN 3e-10
#define LEAST_MARGIN 1e-19

/* The least and the largest standard deviation that is drawn, beside a contribution's 1. */
static void find_noises(const netdp_i_gossip_account *a, double *quietest, double *loudest)
{
    const netdp_linear *p = a->request->protocol;
    *quietest = *loudest = 1;
    if (!p->steady && p->every != 1 && p->rounds > 1) {
        /* Averaging without dither has a tolerance of its own; that is no noise. */
        const double least = netdp_linear_least_noise(p);
        *quietest = least > 0 || p->every > 0 ? fmin(1, least) : 1;
        *loudest = fmax(1, netdp_linear_noise(p, 1));
    }
    if (netdp_i_gossip_by_phases(a) && p->every > 0) {
        *quietest = fmin(*quietest, p->end_dither);
        *loudest = fmax(*loudest, p->end_dither);
    }
}

/* The least weight of the members' rows: through it a sum of a network that changes may come. */
static double least_weight(netdp_rows rows, const int32_t *member, int32_t count)
{
    double least = 1;
    for (int32_t i = 0; i < count; i++)
        for (int64_t k = rows.start[member[i]]; k < rows.start[member[i] + 1]; k++)
            if (rows.weight[k] > 0)
                least = fmin(least, rows.weight[k]);
    return least;
}

/* How much of others' noise what is seen holds: 1 of messages; of a sum the length of its row; of a coalition's sums what
   tells them apart; 0: it cannot be told. `mark` [nodes] zeroed, and so again. */
static netdp_status find_reach(const netdp_i_gossip_account *a, const int32_t *member, char *mark,
                               double *reach, netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    const netdp_rows rows = netdp_mixing_rows(protocol->mixing);
    const bool changes = protocol->varying.kind != NETDP_VARY_NEVER;
    *reach = 1;
    if (a->request->sees != NETDP_SEES_SUM)
        return NETDP_OK;
    if (a->losses->members > 1) {
        *reach = 0;
        return changes ? NETDP_OK
                       : netdp_i_sums_apart(protocol, member, a->losses->members, reach, error);
    }
    mark[*member] = 1;
    const double length =
        changes ? least_weight(rows, member, 1) : netdp_i_reach(rows, *member, mark, false);
    mark[*member] = 0;
    *reach = length > 0 ? length : 1; /* nobody is heard */
    return NETDP_OK;
}

/* The part of a response that rounding may be of what is resolved: spread 2^-53 loudest^2 / (reach^2 quietest). Without the loudest
   noise phases of a changing network were 2.3e-9 below the truth (dither 12, end dither 0.0017). */
static double lost_at(const netdp_i_gossip_account *a, double reach)
{
    const netdp_i_observer any = {.pairing = netdp_i_gossip_pairing(a->request)};
    const double spread = netdp_i_observer_spread(&any);
    double quietest, loudest;
    find_noises(a, &quietest, &loudest);
    if (!(reach > 0) || !(loudest * spread <= MOST_APART * quietest))
        return INFINITY;
    return spread * DBL_EPSILON / 2 * loudest * loudest / (reach * reach * quietest);
}

static netdp_status find_lost(const netdp_i_gossip_account *a, const int32_t *member, double *lost,
                              netdp_error *error)
{
    double reach = 1;
    char *mark = NETDP_I_NEW(char, netdp_graph_nodes(a->graph));
    netdp_status status =
        mark == NULL ? netdp_i_no_memory(error) : find_reach(a, member, mark, &reach, error);
    netdp_i_free(mark);
    *lost = lost_at(a, reach) * (a->request->sees == NETDP_SEES_SUM ? MORE_OF_SUMS : 1);
    return status;
}

/* ---- Where the closed bound stands instead ---- */

netdp_status netdp_i_gossip_is_coarse(const netdp_i_gossip_account *a, bool *coarse,
                                      netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(a->graph), members = a->losses->members;
    char *mark = NETDP_I_NEW(char, n);
    netdp_status status = mark == NULL ? netdp_i_no_memory(error) : NETDP_OK;
    *coarse = false;
    for (int32_t v = 0; status == NETDP_OK && !*coarse && v < (members > 1 ? 1 : n); v++) {
        double reach = 1;
        status = find_reach(a, members > 1 ? a->losses->to : &v, mark, &reach, error);
        *coarse = !(lost_at(a, reach) <= MOST_LOST);
    }
    netdp_i_free(mark);
    return status;
}

/* Of a stream's proof: is the covariance carried as a factor, for whose rounding the proof does not charge? */
static bool is_factored(const netdp_i_gossip_account *a, double reach)
{
    const netdp_i_observer any = {.pairing = NULL};
    return reach * netdp_i_observer_scale(a->request->protocol, &any) < NETDP_I_FACTOR_BELOW;
}

static bool closes(const netdp_i_gossip_account *a, double reach)
{
    const netdp_loss_request *request = a->request;
    const bool sums = request->sees == NETDP_SEES_SUM, pooled = a->losses->members > 1;
    if (a->proves_stream)
        return sums && !pooled && is_factored(a, reach);
    /* A coalition's sums that the proof of a stream does not tell apart have a margin only where no proof is wanted. */
    if (sums && pooled && request->protocol->steady && request->certify != NETDP_CERTIFY_NO)
        return true;
    return !(lost_at(a, reach) <= MOST_LOST);
}

netdp_status netdp_i_gossip_close(netdp_i_gossip_account *a, netdp_error *error)
{
    const netdp_losses *l = a->losses;
    const int32_t observers = l->to_count; /* a coalition is one */
    if (a->certify || netdp_i_gossip_is_published(a->bound) || netdp_i_gossip_is_local(a) ||
        a->bound->bound == NETDP_BOUND_LINEAR || a->request->pattern != NULL)
        return NETDP_OK;
    int32_t count = 0;
    char *mark = NETDP_I_NEW(char, netdp_graph_nodes(a->graph));
    a->closed = NETDP_I_NEW(bool, observers);
    netdp_status status = mark == NULL || a->closed == NULL ? netdp_i_no_memory(error) : NETDP_OK;
    for (int32_t v = 0; status == NETDP_OK && v < observers; v++) {
        double reach = 1;
        status = find_reach(a, l->to + (int64_t)v * l->members, mark, &reach, error);
        a->closed[v] = closes(a, reach);
        count += a->closed[v];
    }
    netdp_i_free(mark);
    if (status != NETDP_OK || count == 0 || !a->bound->sound)
        return status;
    if (count < observers) {
        a->why = a->proves_stream
                     ? "for some observers every message counts as seen: of what they see there "
                       "is no proof"
                     : "computed in floating point (not in ball arithmetic); for some observers "
                       "every message counts as seen: doubles do not resolve what they see";
        return NETDP_OK;
    }
    a->bound = netdp_i_bound_row(NETDP_BOUND_EVERYTHING);
    a->proves_stream = false;
    a->why =
        a->request->certify == NETDP_CERTIFY_NO
            ? "every message counts as seen: doubles do not resolve what is; a certificate may "
              "say less"
            : "every message counts as seen: doubles do not resolve what is, and there is no "
              "proof, or none in a minute or so; see --certify yes";
    return NETDP_OK;
}

/* ---- What is added elsewhere ---- */

netdp_status netdp_i_gossip_margin(const netdp_i_gossip_account *a, const int32_t *member,
                                   double *margin, netdp_error *error)
{
    double lost = 0;
    netdp_status status = find_lost(a, member, &lost, error);
    *margin = MARGIN + PARTS_OF_LOSS * lost;
    return status;
}

netdp_status netdp_i_gossip_round_outward(const netdp_i_gossip_account *a, const int32_t *member,
                                          double *loss, netdp_error *error)
{
    const double slots = a->request->protocol->steady
                             ? (double)netdp_linear_participations(a->request->protocol)
                             : 1;
    double lost = 0;
    netdp_status status = find_lost(a, member, &lost, error);
    for (int32_t i = 0; status == NETDP_OK && i < a->losses->from_count; i++)
        if (loss[i] > 0)
            loss[i] = pow(sqrt(loss[i]) + PARTS_OF_ROOT * slots * lost, 2) *
                          (1 + MARGIN + PARTS_OF_LOSS * lost) +
                      LEAST_MARGIN;
    return status;
}

netdp_status netdp_i_gossip_round_inward(const netdp_i_gossip_account *a, const int32_t *member,
                                         double *loss, netdp_error *error)
{
    const double slots = (double)netdp_linear_participations(a->request->protocol);
    double lost = 0;
    netdp_status status = find_lost(a, member, &lost, error);
    for (int32_t i = 0; status == NETDP_OK && i < a->losses->from_count; i++) {
        const double root = fmax(0, sqrt(loss[i]) - LESS_OF_ROOT * slots * lost);
        loss[i] = fmax(0, root * root * (1 - LESS_OF_LOSS * lost) - LEAST_MARGIN);
    }
    return status;
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
    double lost = 0;
    for (int32_t i = 0; i < l->from_count; i++)
        any = any || loss[i] == 0;
    if (!any || a->bound->bound == NETDP_BOUND_LOWER || a->request->pattern != NULL)
        return NETDP_OK;
    bool *reached = NETDP_I_NEW(bool, netdp_graph_nodes(a->graph));
    netdp_status status = reached == NULL ? netdp_i_no_memory(error)
                          : protocol->varying.kind == NETDP_VARY_NEVER
                              ? find_near(a, member, reached, error)
                              : netdp_i_changing_reached(protocol, &watcher, reached, error);
    if (status == NETDP_OK && !a->certify && !a->proves_stream)
        status = find_lost(a, member, &lost, error);
    const double least = LEAST_MARGIN + pow(PARTS_OF_ROOT * lost, 2);
    for (int32_t i = 0; status == NETDP_OK && i < l->from_count; i++)
        if (loss[i] == 0 && reached[l->from[i]])
            loss[i] = least;
    netdp_i_free(reached);
    return status;
}

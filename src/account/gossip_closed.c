/*
 * What is not proven is closed: every message counts as seen, and the answer says why (docs/proofs/shift.md, "Where it
 * holds, and where not"). And what doubles resolve of a lower bound, which is no guarantee.
 */
#include "account/gossip.h"

#include <float.h>
#include <math.h>

#include "account/gossip/stream.h"
#include "account/losses/label.h"
#include "account/observe/certificate.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"

/* ---- Why there is no proof ---- */

static const char *why_phases(const netdp_i_gossip_account *a)
{
    const netdp_linear *p = a->request->protocol;
    if (p->noise.end == 0)
        return "every message counts as seen: phases that end without an end dither have no proof";
    return "every message counts as seen: phases on so large a network have no proof";
}

static const char *why_stream(const netdp_linear *p)
{
    if (p->varying.kind != NETDP_VARY_NEVER)
        return "every message counts as seen: streams over a network that changes have no proof";
    return "every message counts as seen: there is no proof of this stream, or none in minutes; "
           "see --certify yes";
}

static const char *why_closed(const netdp_i_gossip_account *a)
{
    const netdp_linear *p = a->request->protocol;
    if (a->rounds != NULL)
        return "every message counts as seen: what processes share has no proof; --engine local "
               "may have";
    if (p->every != 1 && !p->steady && p->rounds > 1 && !(netdp_linear_least_noise(p) > 0))
        return "every message counts as seen: rounds without dither have no proof";
    if (p->every > 0 && !p->reacts)
        return why_stream(p);
    if (p->every > 0 && (p->noise.end == 0 || netdp_i_gossip_is_large(p)))
        return why_phases(a);
    if (p->accelerate && netdp_i_gossip_is_large(p))
        return "every message counts as seen: accelerated rounds on so large a network have no "
               "proof";
    return "every message counts as seen: there is no proof, or none in minutes; see --certify yes";
}

/* ---- How much of others' noise an observer sees ---- */

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

/* 1 of messages; of a sum the length of its row; of a coalition's sums what tells them apart; 0: it cannot be told. */
static netdp_status find_reach(const netdp_i_gossip_account *a, const int32_t *member,
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
    char *mark = NETDP_I_NEW(char, rows.nodes);
    if (mark == NULL)
        return netdp_i_no_memory(error);
    mark[*member] = 1;
    const double length =
        changes ? least_weight(rows, member, 1) : netdp_i_reach(rows, *member, mark, false);
    netdp_i_free(mark);
    *reach = length > 0 ? length : 1; /* nobody is heard */
    return NETDP_OK;
}

/* ---- The closed bound ---- */

/* A stream's proof has no charge for a covariance that is carried as a factor. */
static netdp_status close_factored(netdp_i_gossip_account *a, netdp_error *error)
{
    const netdp_losses *l = a->losses;
    const netdp_i_observer any = {.pairing = NULL};
    const double scale = netdp_i_observer_scale(a->request->protocol, &any);
    int32_t count = 0;
    a->closed = NETDP_I_NEW(bool, l->to_count);
    if (a->closed == NULL)
        return netdp_i_no_memory(error);
    for (int32_t v = 0; v < l->to_count; v++) {
        double reach = 1;
        TRY(find_reach(a, l->to + v, &reach, error));
        a->closed[v] = reach * scale < NETDP_I_FACTOR_BELOW;
        count += a->closed[v];
    }
    if (count == 0)
        return NETDP_OK;
    a->why = "for some observers every message counts as seen: of sums that hold so little of "
             "others there is no proof";
    if (count == l->to_count) {
        a->bound = netdp_i_bound_row(NETDP_BOUND_EVERYTHING);
        a->way = NETDP_I_WAY_CLOSED;
        a->why = "every message counts as seen: of sums that hold so little of others there is no "
                 "proof";
    }
    return NETDP_OK;
}

netdp_status netdp_i_gossip_close(netdp_i_gossip_account *a, netdp_error *error)
{
    if (a->way == NETDP_I_WAY_STREAM && a->request->sees == NETDP_SEES_SUM &&
        a->losses->members == 1)
        return close_factored(a, error);
    if (a->way != NETDP_I_WAY_CLOSED)
        return NETDP_OK;
    if (a->why == NULL)
        a->why = why_closed(a);
    a->bound = netdp_i_bound_row(NETDP_BOUND_EVERYTHING);
    return NETDP_OK;
}

/* ---- Zeros ---- */

/* What a source tells of which nothing is above 0 in doubles, though the rounds reach the observer: no more than this. */
#define NEXT_TO_NOTHING 1e-19

netdp_status netdp_i_gossip_lift_zeros(const netdp_i_gossip_account *a, const int32_t *member,
                                       double *loss, netdp_error *error)
{
    const netdp_losses *l = a->losses;
    bool any = false;
    for (int32_t i = 0; i < l->from_count; i++)
        any = any || loss[i] == 0;
    if (!any || !a->bound->sound || a->request->protocol->varying.kind != NETDP_VARY_NEVER)
        return NETDP_OK;
    OWNED int32_t *distance = NETDP_I_NEW(int32_t, netdp_graph_nodes(a->graph));
    if (distance == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_graph_distances(a->graph, member, l->members, distance, error));
    for (int32_t i = 0; i < l->from_count; i++) {
        const int32_t hops = distance[l->from[i]];
        if (loss[i] == 0 && hops >= 0 && hops <= a->request->protocol->rounds)
            loss[i] = NEXT_TO_NOTHING;
    }
    return NETDP_OK;
}

/* ---- Lower bounds ---- */

/* A rounding, 2^-53, may be this part of what an observer resolves; more, and a lower bound is 0. */
#define MOST_LOST 1e-12

/* So many times the quietest noise the loudest may be. */
#define MOST_APART 1e6

/* In units of what is lost: what is taken from a lower bound as a part of it, and from its root for each contribution. */
#define LESS 150
#define LESS_OF_ROOT 20

netdp_status netdp_i_gossip_round_inward(const netdp_i_gossip_account *a, const int32_t *member,
                                         double *loss, netdp_error *error)
{
    const netdp_linear *p = a->request->protocol;
    const netdp_i_observer any = {.pairing = netdp_i_gossip_pairing(a->request)};
    const double spread = netdp_i_observer_spread(&any);
    const double quietest = p->steady ? 1 : fmin(1, netdp_linear_least_noise(p));
    const double loudest = p->steady ? 1 : fmax(1, netdp_linear_noise(p, 1));
    const double slots = (double)netdp_linear_participations(p);
    double reach = 1;
    TRY(find_reach(a, member, &reach, error));
    const double lost = spread * DBL_EPSILON / 2 * loudest * loudest / (reach * reach * quietest);
    const bool resolved =
        reach > 0 && loudest * spread <= MOST_APART * quietest && lost <= MOST_LOST;
    for (int32_t i = 0; i < a->losses->from_count; i++) {
        const double root = fmax(0, sqrt(loss[i]) - LESS_OF_ROOT * slots * lost);
        loss[i] = resolved ? fmax(0, root * root * (1 - LESS * lost) - NEXT_TO_NOTHING) : 0;
    }
    return NETDP_OK;
}

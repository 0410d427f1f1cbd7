/* Who is what in which round, and which sums must stay. */
#include "account/shift/problem.h"

#include <math.h>
#include <string.h>

#include "account/shift/tie.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "mixing/mixing.h"
#include "protocol/linear.h"
#include "protocol/pairing.h"

bool netdp_i_shift_contributes(const netdp_i_shift_problem *problem, int64_t t)
{
    return problem->every > 0 ? t % problem->every == 0 : t == 0;
}

int64_t netdp_i_shift_slots(const netdp_i_shift_problem *problem)
{
    return problem->every > 0 ? (problem->rounds - 1) / problem->every + 1 : 1;
}

void netdp_i_shift_problem_clear(netdp_i_shift_problem *problem)
{
    for (int64_t i = 0; i < problem->owned_count; i++)
        netdp_i_free(problem->owned[i]);
    netdp_i_free(problem->owned);
    *problem = (netdp_i_shift_problem){0};
}

/* Room that the problem frees: no more than it was made for. */
static void *own(netdp_i_shift_problem *p, int64_t count, size_t size)
{
    void *made = netdp_i_new(count, size);
    if (made != NULL)
        p->owned[p->owned_count++] = made;
    return made;
}

#define OWN(problem, type, count) ((type *)own(problem, count, sizeof(type)))

/* What problem_new makes for each round at most, and for all together. */
enum { PIECES_A_ROUND = 8, PIECES = 16 };

/* A network's round, as it must be kept: of one that changes a sequence keeps it until its next only. */
static netdp_status copy_rows(netdp_i_shift_problem *p, netdp_rows from, netdp_rows *to,
                              netdp_error *error)
{
    const int64_t entries = from.start[from.nodes];
    int64_t *start = OWN(p, int64_t, from.nodes + 1);
    int32_t *column = OWN(p, int32_t, entries);
    double *weight = OWN(p, double, entries);
    *to = (netdp_rows){from.nodes, start, column, weight};
    if (start == NULL || column == NULL || weight == NULL)
        return netdp_i_no_memory(error);
    memcpy(start, from.start, (size_t)(from.nodes + 1) * sizeof *start);
    memcpy(column, from.column, (size_t)entries * sizeof *column);
    memcpy(weight, from.weight, (size_t)entries * sizeof *weight);
    return NETDP_OK;
}

/* `sends` [nodes]: who has an active edge in the round at hand. */
static void assign(const netdp_linear *protocol, const netdp_i_shift_view *view, netdp_rows rows,
                   const bool *sends, bool first, char *part)
{
    const bool everyone = first && !protocol->senders_only;
    for (int32_t v = 0; v < rows.nodes; v++)
        part[v] = everyone || sends[v] ? NETDP_I_PART_FREE : NETDP_I_PART_CARRIED;
    for (int32_t i = 0; view->sees == NETDP_SEES_NEIGHBOURS && i < view->members; i++) {
        const int32_t v = view->member[i];
        for (int64_t k = rows.start[v]; k < rows.start[v + 1]; k++) {
            char *heard = &part[rows.column[k]];
            *heard = *heard == NETDP_I_PART_CARRIED ? NETDP_I_PART_KNOWN : NETDP_I_PART_SEEN;
        }
    }
    for (int32_t i = 0; i < view->members; i++) {
        const int32_t v = view->member[i];
        part[v] = view->counts && (everyone || sends[v]) ? NETDP_I_PART_SEEN : NETDP_I_PART_KNOWN;
    }
}

/* The sums of a round that must stay: of observers who know the noise of what they make of it, or all. */
static netdp_status tie_round(netdp_i_shift_problem *p, const netdp_i_shift_view *view, int64_t t,
                              bool all, netdp_error *error)
{
    netdp_i_shift_round *round = &p->round[t];
    int32_t *observer = OWN(p, int32_t, view->members), *pivot = OWN(p, int32_t, view->members);
    double *inverse = OWN(p, double, (int64_t)view->members * view->members);
    netdp_i_shift_tie *tie = OWN(p, netdp_i_shift_tie, 1);
    if (observer == NULL || pivot == NULL || inverse == NULL || tie == NULL)
        return netdp_i_no_memory(error);
    *tie = (netdp_i_shift_tie){.observer = observer, .pivot = pivot, .inverse = inverse};
    for (int32_t i = 0; i < view->members; i++) {
        const int32_t v = view->member[i];
        if (all || p->round[t + 1].part[v] == NETDP_I_PART_KNOWN)
            observer[tie->listed++] = v;
    }
    TRY(netdp_i_tie_resolve(round->rows, round->part, tie, error));
    p->apart = p->apart || !(tie->off < 0.5);
    round->tie = tie->count > 0 ? tie : NULL;
    return NETDP_OK;
}

static netdp_status tie_all(netdp_i_shift_problem *p, const netdp_i_shift_view *view,
                            netdp_error *error)
{
    const bool last = view->sees == NETDP_SEES_SUM || p->end > 0;
    for (int64_t t = 0; t < p->rounds; t++) {
        if (t + 1 == p->rounds && (!last || p->closes))
            continue;
        const bool same = p->fixed && t > 0 && t + 1 < p->rounds;
        if (same)
            p->round[t].tie = p->round[t - 1].tie;
        else
            TRY(tie_round(p, view, t, t + 1 == p->rounds, error));
    }
    return NETDP_OK;
}

/* Pairs that no node has whose noise is known. */
static netdp_status list_pairs(netdp_i_shift_problem *p, const netdp_pairing *pairing,
                               netdp_error *error)
{
    if (!netdp_pairing_is(pairing))
        return NETDP_OK;
    p->pair = OWN(p, int32_t, 2 * netdp_graph_edges(pairing->graph));
    p->kappa = OWN(p, double, netdp_graph_edges(pairing->graph));
    if (p->pair == NULL || p->kappa == NULL)
        return netdp_i_no_memory(error);
    const char *part = p->round[0].part;
    for (int32_t v = 0; v < p->nodes; v++)
        for (int32_t i = 0; i < netdp_graph_degree(pairing->graph, v); i++) {
            const int32_t w = netdp_graph_neighbours(pairing->graph, v)[i];
            if (w < v || part[v] == NETDP_I_PART_KNOWN || part[w] == NETDP_I_PART_KNOWN)
                continue;
            p->kappa[p->pair_count] = netdp_i_pairing_kappa(pairing, v, i);
            p->pair[2 * p->pair_count] = v;
            p->pair[2 * p->pair_count++ + 1] = w;
        }
    return NETDP_OK;
}

/* Whoever was not seen is, in the last round. */
static netdp_status close_last(netdp_i_shift_problem *p, const char *part, netdp_error *error)
{
    char *closed = OWN(p, char, p->nodes);
    if (closed == NULL)
        return netdp_i_no_memory(error);
    for (int32_t v = 0; v < p->nodes; v++)
        closed[v] = part[v] == NETDP_I_PART_FREE ? NETDP_I_PART_SEEN : part[v];
    p->round[p->rounds - 1].part = closed;
    return NETDP_OK;
}

/* The rounds of a network that does not change. */
static netdp_status fill_fixed(netdp_i_shift_problem *p, const netdp_linear *protocol,
                               const netdp_i_shift_view *view, netdp_error *error)
{
    const netdp_rows rows = netdp_mixing_rows(protocol->mixing);
    bool *sends = OWN(p, bool, p->nodes);
    char *part = OWN(p, char, p->nodes);
    if (sends == NULL || part == NULL)
        return netdp_i_no_memory(error);
    for (int32_t v = 0; v < p->nodes; v++)
        sends[v] = true;
    assign(protocol, view, rows, sends, true, part);
    for (int64_t t = 0; t < p->rounds; t++)
        p->round[t] = (netdp_i_shift_round){.rows = rows, .part = part};
    return p->closes ? close_last(p, part, error) : NETDP_OK;
}

static netdp_status fill_changing(netdp_i_shift_problem *p, const netdp_linear *protocol,
                                  const netdp_i_shift_view *view, netdp_error *error)
{
    OWNED_BY(netdp_sequence_free) netdp_sequence *sequence = NULL;
    bool *sends = OWN(p, bool, p->nodes);
    if (sends == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_sequence_new(protocol->mixing, &protocol->varying, &sequence, error));
    for (int64_t t = 0; t < p->rounds; t++) {
        netdp_round now;
        char *part = OWN(p, char, p->nodes);
        if (part == NULL)
            return netdp_i_no_memory(error);
        TRY(netdp_sequence_round(sequence, view->begin + t, &now, error));
        TRY(copy_rows(p, now.rows, &p->round[t].rows, error));
        memset(sends, 0, (size_t)p->nodes * sizeof *sends);
        for (int32_t i = 0; i < now.active_count; i++)
            sends[now.active[i]] = true;
        assign(protocol, view, p->round[t].rows, sends, netdp_i_shift_contributes(p, t), part);
        p->round[t].part = part;
    }
    return NETDP_OK;
}

netdp_status netdp_i_shift_problem_new(const netdp_linear *protocol, const netdp_i_shift_view *view,
                                       netdp_i_shift_problem *problem, netdp_error *error)
{
    netdp_linear taken =
        *protocol; /* contributions in the rounds of the view's, which number from its own first */
    /* A contribution that would come after the last round does not; sums of rounds stay within 64 bits. */
    const int64_t every = view->every < view->rounds ? view->every : view->rounds;
    taken.every = every;
    CLEARED(netdp_i_shift_problem_clear)
    netdp_i_shift_problem p = {.nodes = netdp_mixing_rows(protocol->mixing).nodes,
                               .rounds = view->rounds,
                               .fixed = protocol->varying.kind == NETDP_VARY_NEVER,
                               .every = every,
                               .weight = view->weight,
                               .sums = view->sees == NETDP_SEES_SUM,
                               .closes = view->closes,
                               .end = view->end};
    p.owned = NETDP_I_NEW(void *, PIECES_A_ROUND * view->rounds + PIECES);
    if (p.owned == NULL)
        return netdp_i_no_memory(error);
    p.round = OWN(&p, netdp_i_shift_round, p.rounds);
    p.exempt = OWN(&p, char, p.nodes);
    if (p.round == NULL || p.exempt == NULL)
        return netdp_i_no_memory(error);
    if (!(view->weight >= 1))
        TRY(netdp_i_linear_weight(protocol, &p.weight, error));
    if (p.fixed)
        TRY(fill_fixed(&p, protocol, view, error));
    else
        TRY(fill_changing(&p, protocol, view, error));
    for (int32_t i = 0; i < view->members; i++)
        p.exempt[view->member[i]] = 1;
    for (int64_t t = 0; t < p.rounds; t++)
        p.round[t].noise = netdp_i_shift_contributes(&p, t) ? 1 : netdp_linear_noise(&taken, t);
    TRY(tie_all(&p, view, error));
    TRY(list_pairs(&p, &protocol->noise.pairing, error));
    *problem = p;
    p = (netdp_i_shift_problem){0};
    return NETDP_OK;
}

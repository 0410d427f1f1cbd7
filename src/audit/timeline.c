#include "audit/timeline.h"

#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "mixing/mixing.h"

/* Changing ones are kept, every one of them. */
#define MOST_ROUNDS 4000

void netdp_i_timeline_clear(netdp_i_timeline *timeline)
{
    for (int64_t t = 0; timeline->owned && t < timeline->rounds; t++) {
        netdp_i_free((void *)timeline->rows[t].start);
        netdp_i_free((void *)timeline->rows[t].column);
        netdp_i_free((void *)timeline->rows[t].weight);
    }
    netdp_i_free(timeline->rows);
    netdp_i_free(timeline->sends);
    *timeline = (netdp_i_timeline){0};
}

netdp_rows netdp_i_timeline_rows(const netdp_i_timeline *timeline, int64_t round)
{
    return timeline->rows[timeline->rounds == 1 ? 0 : round];
}

const bool *netdp_i_timeline_sends(const netdp_i_timeline *timeline, int64_t round)
{
    return timeline->sends + (timeline->rounds == 1 ? 0 : round) * timeline->nodes;
}

bool netdp_i_timeline_contributes(const netdp_i_timeline *timeline, int64_t round, int32_t node)
{
    const netdp_linear *p = timeline->protocol;
    return netdp_linear_contributes(p, round) &&
           (!p->senders_only || netdp_i_timeline_sends(timeline, round)[node]);
}

double netdp_i_timeline_noise(const netdp_i_timeline *timeline, int64_t round, int32_t node)
{
    const netdp_linear *p = timeline->protocol;
    const bool contributes = netdp_i_timeline_contributes(timeline, round, node);
    if (!contributes && !netdp_i_timeline_sends(timeline, round)[node])
        return 0;
    if (contributes && p->own != NULL)
        return p->own[node];
    return p->steady || contributes ? 1 : netdp_linear_noise(p, round);
}

static netdp_status copy_rows(netdp_rows from, netdp_rows *to, netdp_error *error)
{
    const size_t entries = (size_t)from.start[from.nodes], nodes = (size_t)from.nodes;
    int64_t *start = NETDP_I_NEW(int64_t, nodes + 1);
    int32_t *column = NETDP_I_NEW(int32_t, entries);
    double *weight = NETDP_I_NEW(double, entries);
    *to = (netdp_rows){from.nodes, start, column, weight};
    if (start == NULL || column == NULL || weight == NULL)
        return netdp_i_no_memory(error);
    memcpy(start, from.start, (nodes + 1) * sizeof *start);
    memcpy(column, from.column, entries * sizeof *column);
    memcpy(weight, from.weight, entries * sizeof *weight);
    return NETDP_OK;
}

static netdp_status draw_rounds(netdp_i_timeline *timeline, netdp_error *error)
{
    const netdp_linear *p = timeline->protocol;
    OWNED_BY(netdp_sequence_free) netdp_sequence *sequence = NULL;
    TRY(netdp_sequence_new(p->mixing, &p->varying, &sequence, error));
    for (int64_t t = 0; t < timeline->rounds; t++) {
        netdp_round round;
        TRY(netdp_sequence_round(sequence, t, &round, error));
        for (int32_t i = 0; i < round.active_count; i++)
            timeline->sends[t * timeline->nodes + round.active[i]] = true;
        TRY(copy_rows(round.rows, &timeline->rows[t], error));
    }
    return NETDP_OK;
}

netdp_status netdp_i_timeline_new(const netdp_linear *protocol, netdp_i_timeline *timeline,
                                  netdp_error *error)
{
    const bool varies = protocol->varying.kind != NETDP_VARY_NEVER;
    const int64_t rounds = varies ? protocol->rounds : 1;
    if (rounds > MOST_ROUNDS)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "audit: %" PRId64 " rounds of a changing network; up to %d can be "
                            "attacked, take fewer",
                            rounds, MOST_ROUNDS);
    const int32_t nodes = netdp_mixing_rows(protocol->mixing).nodes;
    netdp_i_timeline made = {.protocol = protocol,
                             .nodes = nodes,
                             .rounds = rounds,
                             .rows = NETDP_I_NEW(netdp_rows, rounds),
                             .sends = NETDP_I_NEW(bool, rounds *nodes),
                             .owned = varies};
    netdp_status status = NETDP_OK;
    if (made.rows == NULL || made.sends == NULL)
        status = netdp_i_no_memory(error);
    else if (varies)
        status = draw_rounds(&made, error);
    if (status != NETDP_OK) {
        made.owned = made.owned && made.rows != NULL;
        netdp_i_timeline_clear(&made);
        return status;
    }
    if (!varies) {
        made.rows[0] = netdp_mixing_rows(protocol->mixing);
        memset(made.sends, true, (size_t)nodes * sizeof *made.sends);
    }
    *timeline = made;
    return NETDP_OK;
}

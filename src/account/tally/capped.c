/*
 * A Gaussian sum on the complete graph is a walk whose steps are independent and uniform, and whose maps are the identity:
 * what holds of walks with a cap holds of it (docs/proofs/excursion.md).
 */
#include <math.h>
#include <stdio.h>
#include <netdp/walk.h>

#include "account/losses/losses.h"
#include "account/tally/tally.h"
#include "base/try.h"
#include "graph/graph.h"
#include "mixing/mixing.h"

/* The graph's edges are stored: beyond, they are a gigabyte. */
enum { MOST_NODES = 4096 };

bool netdp_i_tally_walks(const netdp_tally *tally, netdp_unit unit)
{
    return tally->cap > 0 && tally->cap < tally->steps && tally->nodes <= MOST_NODES &&
           tally->noise > 0 && unit.currency == NETDP_AS_DP;
}

netdp_status netdp_i_tally_walk(const netdp_tally *tally, int32_t members, netdp_unit unit,
                                const netdp_progress *progress, double *epsilon, netdp_error *error)
{
    char family[32];
    int32_t observers[MOST_NODES];
    OWNED_BY(netdp_graph_free) netdp_graph *graph = NULL;
    OWNED_BY(netdp_transition_free) netdp_transition *law = NULL;
    OWNED_BY(netdp_losses_free) netdp_losses *losses = NULL;
    snprintf(family, sizeof family, "complete %d", (int)tally->nodes);
    TRY(netdp_graph_make(family, 1, true, &graph, NULL, error));
    TRY(netdp_transition_new(graph, "uniform", &law, error));
    const netdp_token token = {.law = law,
                               .steps = tally->steps,
                               .start = NETDP_START_UNIFORM,
                               .cap = tally->cap,
                               .tokens = 1,
                               .release = tally->release};
    for (int32_t i = 0; i < members; i++)
        observers[i] = i;
    const netdp_walk_request request = {.token = &token,
                                        .noise = tally->noise,
                                        .unit = unit,
                                        .from_count = 1,
                                        .from = &members, /* the first node that is none of them */
                                        .to_count = members,
                                        .to = observers,
                                        .coalition = members > 1};
    TRY(netdp_walk_losses_new(&request, progress, &losses, error));
    *epsilon = losses->loss[0];
    return NETDP_OK;
}

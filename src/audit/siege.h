/* Averaging with a value at every node, run many times, and statistics of what its observer hears. */
#ifndef NETDP_I_SIEGE_H
#define NETDP_I_SIEGE_H

#include <netdp/audit.h>

#include "audit/gossip_view.h"

/* Runs first .. first + width - 1: value [nodes][width], of observers 0; statistic [columns][width]. */
typedef void (*netdp_i_siege_runs)(void *context, int64_t first, int32_t width, const double *value,
                                   const double *statistic);

typedef struct netdp_i_siege {
    const netdp_gossip_attack *attack; /* borrowed */
    int32_t nodes, columns;
    netdp_i_timeline timeline;
    netdp_i_gossip_map map; /* with the values */
    double *weight;         /* [numbers][columns] */
    bool ends;              /* values are -1/2 or 1/2, else uniform between */
    netdp_i_siege_runs take;
    void *context;
} netdp_i_siege;

/* Simulated at once, as coordinates of one model: runs of index k begin with BATCH k. */
enum { NETDP_I_SIEGE_BATCH = 256 };

/*
 * Checks the attack (of everybody: victim is ignored) and maps its view; weights are 0, a_node
 * columns for each node. *siege: zeros before; to be cleared in any case.
 */
netdp_status netdp_i_siege_new(netdp_i_siege *siege, const netdp_gossip_attack *attack,
                               int32_t a_node, netdp_error *error);
void netdp_i_siege_clear(netdp_i_siege *siege);

bool netdp_i_siege_observes(const netdp_i_siege *siege, int32_t node);

/*
 * The best linear estimate of everybody's value, nobody's known, of standard deviation `prior`
 * each: weights of the first `nodes` columns; expected [nodes]: its errors.
 */
netdp_status netdp_i_siege_estimate(netdp_i_siege *siege, double prior, double *expected,
                                    netdp_error *error);

/* All runs; `take` is called by several threads. */
netdp_status netdp_i_siege_run(const netdp_i_siege *siege, int64_t runs, const char *stage,
                               const netdp_progress *progress, netdp_error *error);

#endif

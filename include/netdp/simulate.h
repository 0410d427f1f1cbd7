/*
 * Executing a protocol in one process: the description that the accountant reads.
 */
#ifndef NETDP_SIMULATE_H
#define NETDP_SIMULATE_H

#include <netdp/progress.h>
#include <netdp/protocol.h>

NETDP_BEGIN

/* One row of a trace, after `step` rounds; step 0 is each node's own noised value. */
typedef struct netdp_trace_row {
    int64_t step;
    double objective; /* half the mean over nodes of the squared distance to the true mean */
    double consensus; /* sqrt of the mean over nodes of the squared distance to their mean */
    double bytes;     /* sent so far by all nodes, 8 a number */
} netdp_trace_row;

/* Return false to stop: the simulation then returns NETDP_INTERRUPTED. */
typedef bool (*netdp_trace)(void *context, const netdp_trace_row *row);

/* Which noise a run draws: equal (seed, repeat) draw the same. repeat < 2^32. */
typedef struct netdp_run_seed {
    uint64_t seed;
    uint64_t repeat;
} netdp_run_seed;

/*
 * Gossip of `values` [nodes][width] under unit noise of standard deviation `noise` (sigma * Delta,
 * the scale of values; 0 is legal); every node's result goes to result [nodes][width]. `trace` (may
 * be NULL) is called for step 0, every `every`-th step and the last.
 */
NETDP_API NETDP_CHECK netdp_status netdp_simulate(const netdp_linear *protocol, double noise,
                                                  const double *values, int32_t width,
                                                  netdp_run_seed seed, int64_t every,
                                                  netdp_trace trace, void *context, double *result,
                                                  netdp_error *error);

/*
 * The central baseline: a trusted aggregator releases the mean of `values` [nodes][width] once,
 * with noise of standard deviation noise / nodes in each of the `width` coordinates of `result`
 * [width].
 */
NETDP_API NETDP_CHECK netdp_status netdp_simulate_central(const double *values, int32_t nodes,
                                                          int32_t width, double noise,
                                                          netdp_run_seed seed, double *result,
                                                          netdp_error *error);

NETDP_END

#endif

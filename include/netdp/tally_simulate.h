/*
 * Executing a tally in one process: the description that the accountants read (netdp/tally.h).
 */
#ifndef NETDP_TALLY_SIMULATE_H
#define NETDP_TALLY_SIMULATE_H

#include <netdp/simulate.h>
#include <netdp/tally.h>

NETDP_BEGIN

/*
 * values[nodes][depth]: the k-th contribution of a node is its (k mod depth)-th value. Sums: any
 * number, clipped to [low, high]; the discrete Gaussian also rounds it to the grid, up or down at
 * random so that its mean stays. Histograms: whole numbers 0 .. levels - 1.
 */
typedef struct netdp_tallying {
    const netdp_tally *tally; /* borrowed */
    const double *values;     /* borrowed, [nodes][depth] */
    int64_t depth;            /* >= 1 */
    double level;             /* of the intervals, in (0, 1): 0.95 is usual */
} netdp_tallying;

/*
 * One released number: the sum of the contributions that were made, or how many of them had one
 * value. The estimate has no bias. Histograms: (tau_l - (N_0 + gamma N) / L) / (1 - gamma) of the
 * token tau with N_0 random elements and N contributions (errata 8).
 *
 * The deviation is what a reader of the estimate can know: exact for sums (for the discrete
 * Gaussian with values off the grid, at most this), that of the estimated histogram for
 * histograms. [low, high] holds the true number with probability `level`; exactly so for Gaussian
 * noise and up to 1,000 Laplace ones, else in the limit of many terms.
 */
typedef struct netdp_estimate {
    double value;     /* without bias */
    double deviation; /* standard */
    double low, high; /* the interval */
} netdp_estimate;

/* Numbers that the token carries and the estimate has: 1, or the levels. */
NETDP_API int32_t netdp_tally_width(const netdp_tally *tally);

/*
 * One run. Into estimate[width]; the number of contributions made to *contributions; the path to
 * path[steps + 1]; the token as it comes to each node of the path, before that adds anything, to
 * seen[steps + 1][width] (discrete Gaussian: in grid steps above `low`). The last three may be
 * NULL; a run that was stopped may have begun to fill the last two. A contribution beyond the cap:
 * a sum gets the node's noise, a histogram nothing.
 *
 * Traces: the objective is half the squared distance of the estimate so far to the truth so far,
 * accuracy -1, consensus 0; a message of 8 width bytes for each move from a node to another.
 * Fewer than 2^32 steps.
 */
NETDP_API NETDP_CHECK netdp_status netdp_simulate_tally(const netdp_tallying *tallying,
                                                        netdp_run_seed seed, netdp_tracing tracing,
                                                        netdp_estimate *estimate,
                                                        int64_t *contributions, int32_t *path,
                                                        double *seen, netdp_error *error);

/* The path alone that such a run takes, into path[steps + 1]. */
NETDP_API NETDP_CHECK netdp_status netdp_tally_path(const netdp_tally *tally, netdp_run_seed seed,
                                                    int32_t *path, netdp_error *error);

NETDP_END

#endif

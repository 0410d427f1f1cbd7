/* The ends of a spectrum, every eigenvalue as often as it is one. */
#ifndef NETDP_I_ENGINE_SPECTRUM_H
#define NETDP_I_ENGINE_SPECTRUM_H

#include <netdp/mixing.h>

/* A solver with a space of 32 vectors or more needs a larger one to look in. */
enum { NETDP_I_MOST_ENDS = 16, NETDP_I_LEAST_NODES = 64 };

/*
 * The `count` largest eigenvalues (but for one copy of 1, that of the ones vector), descending, and
 * the smallest, ascending; at most NETDP_I_MOST_ENDS, of at least
 * NETDP_I_LEAST_NODES nodes. Called by all processes.
 */
netdp_status netdp_i_engine_ends(netdp_rows rows, int32_t count, double *largest, double *smallest,
                                 netdp_error *error);

#endif

/* Many contributions that do not react to hidden state: streams of data (paper D, eq. 3.1). */
#ifndef NETDP_I_STREAM_H
#define NETDP_I_STREAM_H

#include <netdp/account.h>

#include "account/gossip/dual_bound.h"
#include "account/observe/filter.h"

/*
 * Slots of contributions: M is formed of `whole` at most. Of longer streams the gains of `followed`
 * slots, and M of `largest` ones.
 */
typedef struct netdp_i_stream_sizes {
    int64_t whole, followed, largest;
} netdp_i_stream_sizes;

/* What is asked of a stream. */
typedef struct netdp_i_stream_asked {
    netdp_bound bound;
    const double *pattern; /* NULL: the worst */
    netdp_i_stream_sizes most;
} netdp_i_stream_asked;

#define NETDP_I_STREAM_MOST ((netdp_i_stream_sizes){NETDP_I_EXPLICIT, 512, 2048})

/*
 * of->loss[i]: the bound of node of->node[i]'s contributions towards the observer. With a pattern (of
 * netdp_linear_contributions many numbers, each in [-1, 1]) exactly its value, whatever the bound.
 */
netdp_status netdp_i_stream(const netdp_linear *protocol, const netdp_i_basis *basis,
                            const netdp_i_observer *observer, const netdp_i_stream_asked *asked,
                            const netdp_i_sources *of, const netdp_progress *progress,
                            netdp_error *error);

/*
 * The same bound, with what rounding may have lost of it added outward: the number of contributions
 * where that cannot be told. Of up to NETDP_I_EXPLICIT slots, on a basis of all eigenvectors, by a
 * filter that carries no factor (NETDP_I_FACTOR_BELOW); not LOWER.
 */
netdp_status netdp_i_stream_proven(const netdp_linear *protocol, const netdp_i_basis *basis,
                                   const netdp_i_observer *observer, netdp_bound bound,
                                   const netdp_i_sources *of, const netdp_progress *progress,
                                   netdp_error *error);

/*
 * The asked bound of one node from M, [slots][slots] with its column-major lower triangle filled;
 * UPPER: the least of the sound ones and of `most`, the number of contributions.
 */
netdp_status netdp_i_stream_bound(netdp_i_dual *quadratic, netdp_bound bound, double *m,
                                  int32_t slots, int32_t most, double *loss, netdp_error *error);

#endif

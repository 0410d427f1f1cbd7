/* The account of averaging for single sources in large networks, by conjugate gradients. */
#ifndef NETDP_I_CONJUGATE_H
#define NETDP_I_CONJUGATE_H

#include <netdp/protocol.h>

#include "account/observe/filter.h"

/* Rounds of the search that a source takes, about, under such a dither; INFINITY: more than are made. */
double netdp_i_conjugate_steps(double noise);

/* Sources that are followed at once, and the bytes that takes. */
int32_t netdp_i_conjugate_lanes(double nodes, double rounds, double sources);
double netdp_i_conjugate_bytes(double nodes, double rounds, int32_t lanes);

/*
 * of->loss[i] of one unit contribution of of->node[i] in round 0 towards the observer, as
 * netdp_i_riccati_loss gives it and for what netdp_i_riccati_serves, with all rounding
 * outward. Memory and time are those of sparse products, for each source anew.
 */
netdp_status netdp_i_conjugate_loss(const netdp_linear *protocol, const netdp_i_observer *observer,
                                    const netdp_i_sources *of, const netdp_progress *progress,
                                    netdp_error *error);

#endif

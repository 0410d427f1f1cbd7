/* The account of averaging backwards in time, on the nodes that the observer does not see, for all sources at once. */
#ifndef NETDP_I_RICCATI_H
#define NETDP_I_RICCATI_H

#include <netdp/status.h>
#include <netdp/protocol.h>

#include "account/observe/filter.h"

/* Averaging under one dither in all rounds, large enough for a covariance, seen by messages. */
bool netdp_i_riccati_serves(const netdp_linear *protocol, const netdp_i_observer *observer);

/* What one observer takes. */
double netdp_i_riccati_bytes(double hidden_nodes, double seen);

/*
 * of->loss[i] of one unit contribution of of->node[i] in round 0 towards the observer, from above with all rounding bounded; 1 where
 * that leaves nothing to say. `progress` may be NULL; it is told of rounds.
 */
netdp_status netdp_i_riccati_loss(const netdp_linear *protocol, const netdp_i_observer *observer,
                                  const netdp_i_sources *of, const netdp_progress *progress,
                                  netdp_error *error);

#endif

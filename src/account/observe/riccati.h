/* The exact account of averaging backwards in time, on the nodes that the observer does not see. */
#ifndef NETDP_I_RICCATI_H
#define NETDP_I_RICCATI_H

#include <netdp/status.h>
#include <netdp/protocol.h>

#include "account/observe/filter.h"

/* Averaging under one dither in all rounds, large enough for a covariance, seen by messages. */
bool netdp_i_riccati_serves(const netdp_linear *protocol, const netdp_i_observer *observer);

/*
 * of->loss[i] of one unit contribution of of->node[i] in round 0 towards the observer, as
 * netdp_i_filter_loss gives it. `progress` may be NULL; it is told of rounds.
 */
netdp_status netdp_i_riccati_loss(const netdp_linear *protocol, const netdp_i_observer *observer,
                                  const netdp_i_sources *of, const netdp_progress *progress,
                                  netdp_error *error);

#endif

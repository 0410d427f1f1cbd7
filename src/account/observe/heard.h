/* The exact account of averaging from the covariance of what is heard, where that is little. */
#ifndef NETDP_I_HEARD_H
#define NETDP_I_HEARD_H

#include <netdp/status.h>
#include <netdp/protocol.h>

#include "account/observe/filter.h"

/* What is proven by a factor more widely than this gives way to shifts, or is sharpened, which takes as long again. */
#define NETDP_I_HEARD_NARROW 1e-9

/*
 * of->loss[i] of one unit contribution of of->node[i] in round 0 towards the observer, as
 * netdp_i_riccati_loss gives it and for what netdp_i_riccati_serves. `progress` may be NULL; it is
 * told of rounds. `others` NULL: this process has all nodes; else it gives the losses of its own ones, of->node[i] behind its first, and
 * all call it. Losses are upper bounds, rounding included, but for those that are 0 though the rounds reach
 * the observer, for the caller to lift; and about width[i] of themselves above the truth, at most: less of it where what is wide is to `sharpen`.
 */
netdp_status netdp_i_heard_loss(const netdp_linear *protocol, const netdp_i_observer *observer,
                                const netdp_i_others *others, bool sharpen, double *width,
                                const netdp_i_sources *of, const netdp_progress *progress,
                                netdp_error *error);

/* What it keeps, for so many messages heard in each of so many rounds. */
double netdp_i_heard_bytes(double nodes, double seen, double rounds, double sources);

#endif

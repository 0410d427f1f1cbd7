/*
 * E z^C - 1 of one pair on a walk of random length, for several z at once: runs of contributions
 * within a piece by bins of steps (runs.h), from piece to piece by transforms in time. It takes no
 * longer for a longer walk, and any number of contributions may count.
 */
#ifndef NETDP_I_LONG_WALK_H
#define NETDP_I_LONG_WALK_H

#include "account/walk/mixture/gained.h"
#include "account/walk/mixture/mean.h"

/*
 * cap: 0 where all contributions count; delta: of which paths that are not followed may be a little. The hunt
 * is needed for netdp_i_long_walk_set too.
 *
 * from_end: of a walk that is released and begins as the stationary law has it (hunt->share), as it is followed
 * back from its end. With a cap the costs are those of all contributions of the last piece, and of `cap` - 1
 * before it, on the paths where the last piece has any; on the others 0.
 */
netdp_status netdp_i_long_walk_new(const netdp_i_time_grid *grid, netdp_i_returns *hunt,
                                   bool from_end, int64_t cap, double delta,
                                   netdp_i_long_walk *walk, netdp_error *error);
void netdp_i_long_walk_clear(netdp_i_long_walk *walk);

/*
 * A grid of costs as netdp_i_runs_set has it, and a random length for laws that are tilted so that
 * ln of their mean is about log_mean.
 */
netdp_status netdp_i_long_walk_set(netdp_i_long_walk *walk, netdp_i_returns *hunt, double log_mean,
                                   int64_t per, double bend, netdp_error *error);

/*
 * mean [LANES], after netdp_i_runs_follow; off: how far they may be too, for real z; infinity where the
 * sums have no end.
 */
void netdp_i_long_walk_means(netdp_i_long_walk *walk, bool off, netdp_i_mean *mean);

#endif

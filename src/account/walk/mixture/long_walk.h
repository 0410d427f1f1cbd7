/*
 * E z^C - 1 of one pair on a walk of random length, for several z at once: runs of contributions
 * within a piece by bins of steps (runs.h), from piece to piece by transforms in time. It takes no
 * longer for a longer walk, and any number of contributions may count.
 */
#ifndef NETDP_I_LONG_WALK_H
#define NETDP_I_LONG_WALK_H

#include "account/walk/mixture/mean.h"
#include "account/walk/mixture/random_length.h"
#include "account/walk/mixture/runs.h"

typedef struct netdp_i_long_walk {
    const netdp_i_time_grid *grid;
    netdp_i_runs runs;
    bool goes_on;                  /* longer runs do, by their gaps alone; else they are lost */
    double overflow;               /* P(a longer run) where they are lost, from above */
    netdp_i_random_length *length; /* NULL: not set yet */
    int64_t count;                 /* contributions that count; 0: all */
    int32_t members;
    bool rough;
    bool from_end; /* it is released, and followed back */
    double share;  /* from_end: P(at u), at any step */
    double fading;
    double *law;   /* [1 + members][times]: first arrivals from the start and from each member */
    double *stays; /* [members][times], from_end: P(from each member, not at u before that step) */
    double excess; /* by which masses may add up to more than 1 */
    double *power; /* [2 points][bins]: z^tau, real and imaginary parts */
    double _Complex *start; /* [points] */
    double _Complex *found; /* [members][points] */
    double _Complex *stay;  /* [members][points] */
    double _Complex *again; /* [points]: of the gaps, without costs */
    double _Complex *plain; /* [1 + members][count of runs][points] */
    double *transform;      /* [1 + members][count of runs][2 points][2 LANES] */
    double *gap;            /* [2 points][2 LANES] */
    netdp_i_lanes *room;    /* of one point */
} netdp_i_long_walk;

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

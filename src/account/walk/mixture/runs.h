/*
 * Runs of contributions of u within one piece, as the law of their cost needs them: E z^c on each
 * bin of steps to the piece's end, for several z at once (docs/proofs/excursion.md). Costs lie on a
 * grid of steps 1 / per: one that does not is moved to the grid point below or above it, at random,
 * such that no f of the cost law's kind falls in the mean.
 */
#ifndef NETDP_I_RUNS_H
#define NETDP_I_RUNS_H

#include "account/walk/first_returns.h"
#include "account/walk/time_grid.h"
#include "base/pool.h"

/* Values of z that are carried together. */
enum { NETDP_I_LANES = 8 };

typedef struct netdp_i_lanes {
    double re[NETDP_I_LANES], im[NETDP_I_LANES];
} netdp_i_lanes;

/* By how much all masses are scaled to see what a sum of products does with an error in parts. */
#define NETDP_I_RUNS_SCALED 1e-4

/* What is kept of runs that are summed: all of them, the longest, and all with masses that are scaled. */
typedef enum netdp_i_runs_row {
    NETDP_I_RUNS_ALL,
    NETDP_I_RUNS_LAST,
    NETDP_I_RUNS_ALL_SCALED,
    NETDP_I_RUNS_ROWS
} netdp_i_runs_row;

/* The weight of a contribution that is hidden by the steps to the piece's end: z^point ((1 - part) + part z). */
typedef struct netdp_i_weight {
    int64_t point;
    double part;
} netdp_i_weight;

/* Where a piece ends, seen from a contribution: a law of the steps to there, in bins. */
typedef struct netdp_i_leave {
    double *mass, *part; /* [bins]: and how much of it goes to the upper grid point of its cost */
} netdp_i_leave;

/* Who closes a piece: one node of F while contributions are left, any of F when they are not, and
   both once more at the end of a walk that is released. Seen from the end: one node of F, or that end. */
typedef struct netdp_i_runs {
    const netdp_i_time_grid *grid;
    int64_t count; /* contributions that are followed */
    int32_t members;
    /* members; then 1, but where runs are summed from the start; with a release 2 more */
    int32_t leaves;
    bool release, from_end;
    bool summed;            /* over all lengths, since any number of contributions may count */
    int64_t rows;           /* that are kept: NETDP_I_RUNS_ROWS, or count */
    double rate;            /* -ln of what a step contracts (spread.h) */
    netdp_i_leave *leave;   /* [leaves] */
    netdp_i_leave again;    /* from u to u */
    double *again_sum;      /* by netdp_i_together: of again.mass */
    double *plain;          /* [leaves][rows][bins]: without costs */
    int32_t *split;         /* [count][bins]: of contributions, from the second on */
    int32_t *begin;         /* [count]: the first bin of which some gaps are below the split */
    netdp_i_weight *weight; /* [count][bins] */
    double *below; /* [count][bins]: of again.mass, in the group that is parted, up to the split */
    /* of the grid of costs */
    int64_t per;
    double bend; /* in steps of the grid */
    /* of the lanes at hand */
    netdp_i_lanes *power; /* [per + 1]: z^g */
    netdp_i_lanes *law;   /* [leaves][rows][bins] */
    netdp_i_lanes *turn;  /* [2][leaves][bins]: of runs that are summed, the two at hand */
    netdp_i_lanes *gap, *gap_sum;
    netdp_i_lanes *above; /* [bins]: of gap, in the group that is parted, from the split on */
    netdp_i_together *above_are; /* [bins]: which those are */
    netdp_i_lanes *stay;         /* [leaves][bins] */
    netdp_i_pool pool;           /* all but power */
} netdp_i_runs;

/* from_end: of a walk that is released, where all contributions count. */
netdp_status netdp_i_runs_new(const netdp_i_time_grid *grid, const netdp_i_observer_set *watch,
                              bool from_end, bool summed, int64_t count, netdp_i_runs *runs,
                              netdp_error *error);
void netdp_i_runs_clear(netdp_i_runs *runs);

/* Another grid of costs, for the laws of a prepared hunt (which loses hunt->presence where there is
   a release). */
netdp_status netdp_i_runs_set(netdp_i_runs *runs, netdp_i_returns *hunt, int64_t per, double bend,
                              netdp_error *error);

/* runs->law at z_j = e^{tilt_j + 2 pi i turn_j / points}; with scaled masses too where turn_0 is 0. */
void netdp_i_runs_follow(netdp_i_runs *runs, const double *tilt, const int64_t *turn,
                         int64_t points);

#endif

/* What is known of the cost of one pair, kept for another noise. */
#ifndef NETDP_I_MIXED_H
#define NETDP_I_MIXED_H

#include "account/walk/mixture/mixture.h"

/* By one grid of times. */
typedef struct netdp_i_mixed_way {
    netdp_i_cost_law law[2]; /* by `bend`: for all but small epsilons, and for all */
    bool known[2];
    bool none; /* it would take too long */
    bool told; /* what it last said */
    double sigma, delta, epsilon;
} netdp_i_mixed_way;

/*
 * By the grid, by the one beside it, and by that back from the end of a walk that is released: each is an upper
 * bound, and the least of them counts. What is told in the last piece, of which a cap counts some contributions,
 * goes with one of the first two.
 */
typedef enum netdp_i_mixed_by {
    NETDP_I_BY_GRID,
    NETDP_I_BY_BESIDE,
    NETDP_I_BY_END,
    NETDP_I_BY_LAST,
    NETDP_I_MIXED_WAYS
} netdp_i_mixed_by;

/* All zero at first. */

typedef struct netdp_i_mixed {
    netdp_i_mixed_way way[NETDP_I_MIXED_WAYS];
    int ways;
} netdp_i_mixed;

/* There is no answer by any grid. */
bool netdp_i_mixed_none(const netdp_i_mixed *mixed);

/* There is one back from the end alone, which knows no cap: Renyi orders may tell less. */
bool netdp_i_mixed_from_end(const netdp_i_mixed *mixed);

void netdp_i_mixed_clear(netdp_i_mixed *mixed);

/* *value: the epsilon at delta, infinity where it is not known. False where more is to be made. */
bool netdp_i_mixed_ask(netdp_i_mixed *mixed, double sigma, double delta, double *value);

/* The same, and makes what is to be made; `asked` but for its bend. */
netdp_status netdp_i_mixed_answer(const netdp_i_time_grid *grid, netdp_i_returns *hunt,
                                  netdp_i_mixture_asked asked, double sigma, netdp_i_mixed *mixed,
                                  double *value, netdp_error *error);

#endif

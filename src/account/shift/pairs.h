/* Noise of the first round that cancels in pairs: N = I + kappa^2 B B' on the nodes whose noise is not known. */
#ifndef NETDP_I_SHIFT_PAIRS_H
#define NETDP_I_SHIFT_PAIRS_H

#include "account/shift/problem.h"

typedef struct netdp_i_shift_pairs {
    int64_t count;   /* 0: there are none, and no inverse */
    double *inverse; /* N^-1, [nodes][nodes], 0 elsewhere */
    double *root;    /* J, N^-1 = J'J, [nodes][nodes] column-major */
} netdp_i_shift_pairs;

netdp_status netdp_i_shift_pairs_new(const netdp_i_shift_problem *problem,
                                     netdp_i_shift_pairs *pairs, netdp_error *error);
void netdp_i_shift_pairs_clear(netdp_i_shift_pairs *pairs);

/* y = N^-1 x of [nodes][lanes]. */
void netdp_i_shift_pairs_solve(const netdp_i_shift_pairs *pairs, int32_t nodes, const double *x,
                               double *y, int32_t lanes);

/* y += scale kappa B c of c [pairs][lanes]; c = kappa B' x. */
void netdp_i_shift_pairs_bring(const netdp_i_shift_problem *problem, double scale, const double *c,
                               double *y, int32_t lanes);
void netdp_i_shift_pairs_pull(const netdp_i_shift_problem *problem, const double *x, double *c,
                              int32_t lanes);

#endif

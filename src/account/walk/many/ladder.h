/*
 * From means of e^{theta C} at a few theta to an epsilon: on each rung of a ladder of epsilons, sums
 * sum_j a_j e^{theta_j c} that are not below the Gaussian delta at any cost c that a path may have
 * (docs/proofs/excursion.md, all pairs).
 */
#ifndef NETDP_I_LADDER_H
#define NETDP_I_LADDER_H

#include "account/walk/many/tilts.h"

typedef struct netdp_i_ladder_asked {
    const double *theta;      /* [NETDP_I_TILTS], the first of them 0 */
    double sigma, delta;      /* delta: for the means, where some of it is given away */
    double most;              /* cost of a path */
    double top;               /* epsilon that is not exceeded */
    int32_t samples;          /* pairs that the sums are to be good for */
    const double *mean, *off; /* [samples][NETDP_I_TILTS] */
} netdp_i_ladder_asked;

typedef struct netdp_i_ladder netdp_i_ladder;

netdp_status netdp_i_ladder_new(const netdp_i_ladder_asked *asked, netdp_i_ladder **ladder,
                                const netdp_progress *progress, netdp_error *error);
void netdp_i_ladder_free(netdp_i_ladder *ladder);

/*
 * An epsilon at which delta is enough, for any law whose means are within `off` of `mean`; infinity
 * above the top.
 */
double netdp_i_ladder_ask(const netdp_i_ladder *ladder, const double *mean, const double *off);

#endif

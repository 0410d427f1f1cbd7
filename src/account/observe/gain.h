/* What one observation teaches: the Kalman step that every filter takes, in units of observations. */
#ifndef NETDP_I_GAIN_H
#define NETDP_I_GAIN_H

#include <stdbool.h>
#include <stdint.h>
#include <netdp/status.h>

/* Ranks are decided in units of each observation's own scale, the noise that is fresh in it: at
   this fraction of the largest, ... */
#define NETDP_I_RANK_TOLERANCE 1e-13

/* ... and above what rounding leaves of nothing: of a variance, and of a standard deviation. Where
   no noise is fresh the first noise is the unit. */
#define NETDP_I_FLOOR 1e-12
#define NETDP_I_FACTOR_FLOOR 1e-13

/* Sigma = L L^T in the order of `pivot`, gain = P S^T L^{-T}. */
typedef struct netdp_i_gain {
    int rank;
    double *lower; /* [seen] x [seen], column-major */
    double *gain;  /* [modes] x [rank] of room [seen] */
    int *pivot;    /* [seen], 1-based */
    double *unit;  /* [seen]: each observation's own scale; INFINITY: it tells nothing new */
} netdp_i_gain;

netdp_status netdp_i_gain_new(int32_t modes, int32_t seen, netdp_i_gain *gain, netdp_error *error);
void netdp_i_gain_clear(netdp_i_gain *gain);

/*
 * L, pivot and rank from `lower`, the covariance in units (its lower triangle), by pivoted
 * Cholesky: what varies by no more than the floor is nothing. work [2 seen].
 */
void netdp_i_gain_resolve(netdp_i_gain *gain, int seen, double floor, double *work);

/* gain = P S^T L^{-T} of the first `rank` columns of P S^T that stand in it, and P <- P - G G^T. */
void netdp_i_gain_learn(netdp_i_gain *gain, int modes, int seen, double *p);

/* P = C C^T carried as C, for small dithers. */
typedef struct netdp_i_factor {
    int modes, width; /* of C */
    double *c;        /* [modes] x [width], column-major */
    double *image;    /* C^T S^T, [width] x [seen] */
    double *work;     /* [max(width, seen)] */
} netdp_i_factor;

/*
 * The same from the factor: `image` in units = V R pivoted, L = R^T, and unless C is `spent`
 * gain = C V, C <- C - gain V^T.
 */
netdp_status netdp_i_gain_factor(netdp_i_gain *gain, int seen, double floor,
                                 const netdp_i_factor *factor, bool spent, netdp_error *error);

#endif

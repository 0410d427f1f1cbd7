/*
 * The worst contributions: bounds of max c^T M c over |c_k| <= 1, at most `most` of them not 0, for
 * the positive semidefinite M of one pair's responses. Exact answers are as hard as MAX-CUT.
 */
#ifndef NETDP_I_DUAL_BOUND_H
#define NETDP_I_DUAL_BOUND_H

#include <stdbool.h>
#include <stdint.h>
#include <netdp/status.h>

#include "base/try.h"

/* Scratch for matrices up to `size`; one a thread. */
typedef struct netdp_i_dual netdp_i_dual;

netdp_status netdp_i_dual_new(int32_t size, netdp_i_dual **scratch, netdp_error *error);
void netdp_i_dual_free(netdp_i_dual *scratch);
OWNER(netdp_i_dual_free, netdp_i_dual)

/* m is [size][size], both triangles filled; 1 <= most <= size. Each returns a true bound up to
 * rounding. */
double netdp_i_dual_abs_sum(netdp_i_dual *scratch, const double *m, int32_t size, int32_t most);
netdp_status netdp_i_dual_spectral(netdp_i_dual *scratch, const double *m, int32_t size,
                                   int32_t most, double *bound, netdp_error *error);

/* y [size] with diag(y) >= M, from the vector relaxation. */
netdp_status netdp_i_dual_weights(netdp_i_dual *scratch, const double *m, int32_t size, double *y,
                                  netdp_error *error);

/*
 * The same two bounds with a proof: diag(y) - M has a Cholesky factor in floating point, which puts
 * its least eigenvalue above what rounding makes of its trace (Rump 2006). `equal`: the spectral
 * one, all y_k the largest eigenvalue; else the dual. INFINITY where no factor is found.
 */
netdp_status netdp_i_dual_proven(netdp_i_dual *scratch, const double *m, int32_t size, int32_t most,
                                 bool equal, double *bound, netdp_error *error);

/* That diagonal: y[size], each INFINITY where no factor is found. */
netdp_status netdp_i_dual_diagonal(netdp_i_dual *scratch, const double *m, int32_t size, bool equal,
                                   double *y, netdp_error *error);

/* The sum of the `most` largest of them. */
netdp_status netdp_i_dual_bound(netdp_i_dual *scratch, const double *m, int32_t size, int32_t most,
                                double *bound, netdp_error *error);

/*
 * The sum of the `most` largest of `count` values and `copies` times one value more; the values are
 * put in descending order where not all of them count.
 */
double netdp_i_sum_largest(double *values, int64_t count, double value, int64_t copies,
                           int64_t most);

/* c^T M c of all ones and of alternating signs. */
typedef struct netdp_i_signs {
    double ones, alternating;
} netdp_i_signs;

netdp_i_signs netdp_i_dual_signs(const double *m, int64_t size);

/*
 * Is the sum of |M| one of these values? Then no bound is smaller. Entries that are 0 but for
 * rounding have either sign: up to 1e-12 of the sum.
 */
bool netdp_i_dual_attained(netdp_i_signs signs, double absolute);

/* The value of the best sign pattern found; all of them up to 16 contributions. */
double netdp_i_dual_lower(netdp_i_dual *scratch, const double *m, int32_t size, int32_t most);

#endif

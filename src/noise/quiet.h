/* Designs of noise that is quiet over phases, family by family. */
#ifndef NETDP_I_NOISE_QUIET_H
#define NETDP_I_NOISE_QUIET_H

#include <netdp/noise.h>

/*
 * X = Q^-1 with at most `bands` diagonals on either side, 0 between phases of a class, into x
 * [phases][phases], and tr(G X^-1); class sums of diag X are `most`, the phases of the largest class.
 */
netdp_status netdp_i_quiet_dense(int64_t phases, int64_t cycle, int64_t bands, const double *gram,
                                 double *x, double *value, netdp_error *error);

/* Weights, decays and scales of the design, whose size is given, and its error; Q into its factor, where
 * there is one. */
netdp_status netdp_i_quiet_blt(int64_t phases, int64_t cycle, const double *gram,
                               netdp_quiet_design *design, netdp_error *error);

/* A covariance that is not positive definite in doubles. */
netdp_status netdp_i_no_digits(netdp_error *error);

/* A status of liblbfgs that is no result. */
netdp_status netdp_i_quiet_failed(int code, netdp_error *error);

#endif

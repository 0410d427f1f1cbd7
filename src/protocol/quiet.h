/* Noise that is correlated over phases, from inside. */
#ifndef NETDP_I_PROTOCOL_QUIET_H
#define NETDP_I_PROTOCOL_QUIET_H

#include <netdp/protocol.h>

/* NETDP_INVALID unless the factor is finite, lower triangular, and above 0 on its diagonal. */
netdp_status netdp_i_quiet_check(const netdp_quiet *quiet, netdp_error *error);

/*
 * The factor [phases][phases] of noise by its name: that of a design for prefix sums (netdp/noise.h),
 * the mean model's workload, or else of the covariance in a file, as many lines as phases, each
 * of as many numbers. NETDP_INVALID unless that is symmetric and positive definite.
 */
netdp_status netdp_i_quiet_make(const char *name, int64_t phases, int64_t cycle, double *factor,
                                netdp_error *error);

#endif

/* Noise that is correlated over phases, from inside. */
#ifndef NETDP_I_PROTOCOL_QUIET_H
#define NETDP_I_PROTOCOL_QUIET_H

#include <netdp/protocol.h>

/* NETDP_INVALID unless the factor is finite, lower triangular, and above 0 on its diagonal. */
netdp_status netdp_i_quiet_check(const netdp_quiet *quiet, netdp_error *error);

/*
 * The factor [phases][phases] of noise by its name for the phases and batches of a protocol: that of a
 * design (netdp/noise.h) for the workload "sums", of the mean model, or "gossip", of all models, or
 * else of the covariance in a file, as many lines as phases, each of as many numbers.
 * NETDP_INVALID unless that is symmetric and positive definite.
 */
netdp_status netdp_i_quiet_make(const char *name, const char *workload,
                                const netdp_linear *protocol, double *factor, netdp_error *error);

/* Is it a family's name, and not a file's? */
bool netdp_i_quiet_named(const char *name);

#endif

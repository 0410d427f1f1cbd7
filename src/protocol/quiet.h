/* Noise that is correlated over phases, from inside. */
#ifndef NETDP_I_PROTOCOL_QUIET_H
#define NETDP_I_PROTOCOL_QUIET_H

#include <netdp/protocol.h>

/* NETDP_INVALID unless the factor is finite, lower triangular, and above 0 on its diagonal. */
netdp_status netdp_i_quiet_check(const netdp_quiet *quiet, netdp_error *error);

/* C of Q = C C', both [phases][phases] row by row; in place. NETDP_INVALID unless Q is symmetric and
 * positive definite. */
netdp_status netdp_i_quiet_factor(int64_t phases, double *q, netdp_error *error);

/* Q of a text: as many lines as phases, each of as many numbers. */
netdp_status netdp_i_quiet_read(const char *path, int64_t phases, double *q, netdp_error *error);

#endif

/* A given pattern of contributions: the responses add up before they are squared. */
#ifndef NETDP_I_PATTERN_VALUE_H
#define NETDP_I_PATTERN_VALUE_H

#include "account/observe/gains.h"

/*
 * of->loss[i] = |sum_k c_k w^{(k)}|^2 over all rounds for node of->node[i] and the pattern c of as many
 * numbers as the protocol has contribution rounds; INFINITY where a response left the range of
 * Sigma. Under the steady gain by FFT where the response fades (impulse.h), else round by round.
 */
netdp_status netdp_i_pattern_value(const netdp_linear *protocol, const netdp_i_basis *basis,
                                   const netdp_i_gains *gains, const double *pattern,
                                   const netdp_i_sources *of, const netdp_progress *progress,
                                   netdp_error *error);

#endif

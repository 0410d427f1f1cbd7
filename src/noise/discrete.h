/* The integer samplers, over any source of fair bits; noise.h says what they draw. */
#ifndef NETDP_I_DISCRETE_H
#define NETDP_I_DISCRETE_H

#include <stdbool.h>
#include <netdp/noise.h>

#include "noise/bits.h"

/* True with probability exp(-p/q), p and q below 2^127. */
bool netdp_i_coin_exp(netdp_i_bits *bits, unsigned __int128 p, unsigned __int128 q);

int64_t netdp_i_discrete_laplace(netdp_i_bits *bits, netdp_ratio scale);
int64_t netdp_i_discrete_gaussian(netdp_i_bits *bits, netdp_ratio variance);
int32_t netdp_i_randomised_response(netdp_i_bits *bits, int32_t value, double flip, int32_t levels);

#endif

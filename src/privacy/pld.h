/*
 * Privacy loss distributions: the hockey-stick divergence of many independent releases, from above
 * or from below, in one order of the neighbours.
 */
#ifndef NETDP_I_PLD_H
#define NETDP_I_PLD_H

#include "privacy/tails.h"

typedef struct netdp_i_release {
    netdp_i_tails tails;
    double count; /* >= 1 */
} netdp_i_release;

/* The least epsilon that is proven at delta (upper), or the largest that is proven to fail (lower).
 */
netdp_status netdp_i_pld_epsilon(const netdp_i_release *releases, size_t count, double delta,
                                 netdp_direction direction, double *epsilon, netdp_error *error);

netdp_status netdp_i_pld_delta(const netdp_i_release *releases, size_t count, double epsilon,
                               netdp_direction direction, double *delta, netdp_error *error);

#endif

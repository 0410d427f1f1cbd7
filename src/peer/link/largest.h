/* How far from 0 the numbers of a study's messages are, by what all have agreed on. */
#ifndef NETDP_I_PEER_LARGEST_H
#define NETDP_I_PEER_LARGEST_H

#include <stdbool.h>
#include <stdint.h>
#include <netdp/protocol.h>

typedef struct netdp_i_extremes {
    double reach;   /* of contributions: the widest of the members' */
    double scale;   /* sigma Delta, of the unit noise */
    double shrink;  /* step times l2: what a model loses of itself in a contribution's round */
    int32_t width;  /* numbers of a message */
    int32_t shared; /* the most pairs that one member has */
} netdp_i_extremes;

/*
 * A bound on all numbers of all messages of an honest run, of any data: it fails with a probability of
 * 1e-12 at most (docs/proofs/acts.md). Finite, and so small that no mixing of numbers within it overflows.
 */
double netdp_i_largest_number(const netdp_linear *protocol, const netdp_i_extremes *of);

bool netdp_i_is_within(const double *numbers, int32_t width, double largest);

#endif

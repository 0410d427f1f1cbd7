/*
 * A walk of random length X, hardly ever shorter than the one asked about: what its pieces gain is
 * told by transforms in time at a few points, whatever the length (docs/proofs/excursion.md).
 */
#ifndef NETDP_I_RANDOM_LENGTH_H
#define NETDP_I_RANDOM_LENGTH_H

#include <complex.h>
#include <stdint.h>
#include <netdp/status.h>

#include "base/try.h"

typedef struct netdp_i_length_asked {
    int64_t steps;
    double spread;    /* deviation of X, in parts of the steps */
    double fading;    /* P(X is a period longer) = e^-fading */
    double frequency; /* transforms up to so many deviations of the frequency */
} netdp_i_length_asked;

/* P(X >= t) = Re sum_j weight_j z_j^t, all z_j of one modulus, the first of them real. */
typedef struct netdp_i_random_length {
    int32_t points;
    double _Complex *z, *weight; /* [points] */
    double survives;             /* P(X >= steps), from below */
    double left_out;             /* of the sum over all points beyond, in parts of the modulus^t */
    double norm;                 /* sum_j |weight_j| */
} netdp_i_random_length;

netdp_status netdp_i_random_length_new(const netdp_i_length_asked *asked,
                                       netdp_i_random_length **length, netdp_error *error);
void netdp_i_random_length_free(netdp_i_random_length *length);
OWNER(netdp_i_random_length_free, netdp_i_random_length)

#endif

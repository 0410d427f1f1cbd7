/*
 * What is gained by each contribution of a walk of random length, z^{C_k} - z^{C_(k-1)}, at one point of its
 * transforms in time and in the mean over the length (long_walk.h), for all lanes.
 */
#ifndef NETDP_I_GAINS_H
#define NETDP_I_GAINS_H

#include "account/walk/mixture/long_walk.h"

/* What is asked for: gains, or what they are made of. */
typedef struct netdp_i_gains_asked {
    double scale; /* a contribution counts so many times */
    double mass;  /* so do all masses, those without costs too */
    double sign;  /* of what runs would be without costs: -1, or 1 for a sum without signs */
} netdp_i_gains_asked;

/* At the first point, where no transform is more in modulus. walk->room is scratch, here and below. */
netdp_i_lanes netdp_i_gains_first(const netdp_i_long_walk *walk, netdp_i_gains_asked how);

/* The mean over the length. */
netdp_i_lanes netdp_i_gains_mean(const netdp_i_long_walk *walk, netdp_i_gains_asked how);

/* Do the sums over all contributions have an end at the first point, of masses that count so many times? */
bool netdp_i_gains_end(const netdp_i_long_walk *walk, double mass, int lane);

#endif

/*
 * What a peer contributes, noised: sigma Delta (x / (sigma Delta) + u_0 + kappa B n), in integers, and
 * a double at the very end (docs/proofs/exact-noise.md). No two values may be told apart better than
 * by the true normals of the account, but for netdp_i_contribution_excess.
 */
#ifndef NETDP_I_PEER_CONTRIBUTION_H
#define NETDP_I_PEER_CONTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>
#include <netdp/status.h>

#include "noise/secure.h"

/* Where values lie, which is what the sensitivity Delta is of. One of the two. */
typedef struct netdp_i_extent {
    double radius; /* |x| <= radius, Delta = 2 radius; 0: the box */
    double most;   /* 0 <= x_i <= most each, Delta = most sqrt(width) */
} netdp_i_extent;

/* The noise that is shared with one partner. */
typedef struct netdp_i_partner_noise {
    netdp_i_secure stream;
    bool adds; /* the smaller member of a pair adds, the other subtracts */
} netdp_i_partner_noise;

typedef struct netdp_i_noising {
    netdp_i_extent reach;
    double scale; /* sigma Delta */
    double kappa; /* a multiple of 2^-16 up to 1e6 */
    int32_t partners;
    netdp_i_partner_noise *partner; /* [partners]; their streams move on */
    netdp_i_secure *own;            /* a fresh one, of this contribution alone */
} netdp_i_noising;

/*
 * Clips value[width] into the reach, adds the noise, writes out[width], all finite. NETDP_INVALID
 * where a value is NaN or infinite, or where there is so little noise that integers would overflow;
 * then nothing is written.
 */
netdp_status netdp_i_contribution_make(netdp_i_noising *noising, const double *value, int64_t width,
                                       double *out, netdp_error *error);

/*
 * What rounding adds to mu^2 of one contribution, from above: edges * width * (1 + 2 kappa^2 degree)
 * * 2^-98, of the pair graph's edges and largest degree.
 */
double netdp_i_contribution_excess(int64_t edges, int32_t degree, double kappa, int64_t width);

#endif

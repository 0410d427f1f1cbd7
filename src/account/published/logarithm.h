/* Theorem 3 of paper A: the logarithm of a walk's law. */
#ifndef NETDP_PUBLISHED_LOGARITHM_H
#define NETDP_PUBLISHED_LOGARITHM_H

#include <netdp/mixing.h>
#include <netdp/status.h>

/* logarithm [nodes][nodes] <- -ln(I - W + 11'/n) of a symmetric W that is connected. */
netdp_status netdp_i_walk_logarithm(netdp_rows rows, double *logarithm, netdp_error *error);

#endif

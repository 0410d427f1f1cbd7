/*
 * Long streams: once the gain is steady, the response of a contribution depends on its age alone,
 * and contributions act on the innovations as a convolution. Its norm is that of its symbol
 * H(omega) = sum_j h_j e^{-i omega j}; the part before the steady gain has M <= I.
 */
#ifndef NETDP_I_CONVOLUTION_H
#define NETDP_I_CONVOLUTION_H

#include <netdp/account.h>

#include "account/gains.h"

typedef struct netdp_i_convolution {
    double abs_sum; /* INFINITY where the response is too long for it */
    double spectral;
    double peak; /* the omega at which |H| is largest */
} netdp_i_convolution;

/*
 * Bounds of c^T M c over |c_k| <= 1 for one node, of steady gains. NETDP_NO_ANSWER where the
 * response does not die out within 2 10^5 rounds.
 */
netdp_status netdp_i_convolve(const netdp_linear *protocol, const netdp_i_basis *basis,
                              const netdp_i_gains *gains, int32_t from, netdp_i_convolution *bounds,
                              netdp_error *error);

#endif

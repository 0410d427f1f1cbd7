/*
 * Once the gain is steady, the response h of a contribution depends on its age alone, and
 * contributions act on the innovations as a convolution. Its norm is that of its symbol
 * H(omega) = sum_j h_j e^{-i omega j}.
 */
#ifndef NETDP_I_CONVOLUTION_H
#define NETDP_I_CONVOLUTION_H

#include "account/observe/gains.h"

/* Of one node; ages in slots of `every` rounds, |h_j| over all numbers of a slot. */
typedef struct netdp_i_convolution {
    double square; /* sup |H|^2: no block of M of contributions under the steady gain is above */
    double peak;   /* the omega at which |H| is largest */
    int64_t slots; /* length of the response */
    double *rest;  /* [slots + 1]: sum of |h_j| from this j on */
    double last;   /* sum over contributions of |what the last sum received shows of them| */
    double last_beyond; /* ... of those made `kept` or more slots before the last one */
} netdp_i_convolution;

/* Of steady gains. square is INFINITY where the response does not die out within 2 10^5 rounds. */
netdp_status netdp_i_convolve(const netdp_linear *protocol, const netdp_i_basis *basis,
                              const netdp_i_gains *gains, int32_t from, int64_t kept,
                              netdp_i_convolution *made, netdp_error *error);
void netdp_i_convolution_clear(netdp_i_convolution *made);

/* The sum of |h_j| over j >= slot. */
static inline double netdp_i_rest(const netdp_i_convolution *h, int64_t slot)
{
    return slot < h->slots ? h->rest[slot] : 0;
}

#endif

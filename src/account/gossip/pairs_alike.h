/* Whose results answer alike to contributions under pairwise noise. */
#ifndef NETDP_I_PAIRS_ALIKE_H
#define NETDP_I_PAIRS_ALIKE_H

#include <netdp/protocol.h>

/*
 * kind[nodes]: the first of the nodes of whose results as much of the pairwise noise is left, as symmetries of W and of the pair
 * graph show: translations of all nodes, or the exchange of two of them. Each by itself where the network changes.
 */
netdp_status netdp_i_pairs_alike(const netdp_linear *protocol, int32_t *kind, netdp_error *error);

#endif

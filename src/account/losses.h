/* The pairwise result before it is filled. */
#ifndef NETDP_I_LOSSES_H
#define NETDP_I_LOSSES_H

#include <netdp/account.h>

/*
 * With the asked nodes (count 0: all), each in range and named once; a coalition is one observer.
 * Losses are 0, to be filled.
 */
netdp_status netdp_i_losses_new(int32_t nodes, const int32_t *from, int32_t from_count,
                                const int32_t *to, int32_t to_count, bool coalition,
                                netdp_losses **losses, netdp_error *error);

/* INFINITY where a node stands in the observer set. */
void netdp_i_losses_exclude(netdp_losses *losses);

#endif

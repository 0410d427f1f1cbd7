/* Published bounds that are not upper bounds: computed as printed, labelled, never a default. */
#ifndef NETDP_I_PUBLISHED_H
#define NETDP_I_PUBLISHED_H

#include <netdp/progress.h>
#include <netdp/protocol.h>

/*
 * Paper C, Theorem 1: loss[v][u] = sum_{first <= t < T} sum_{w in N(v)} (W^t)_{uw}^2 / |W^t_w|^2
 * over the open neighbourhood of each of `to_count` observers v, for the `from_count` nodes u;
 * uncapped.
 */
netdp_status netdp_i_published(const netdp_linear *protocol, int64_t first, const int32_t *from,
                               int32_t from_count, const int32_t *to, int32_t to_count,
                               double *loss, const netdp_progress *progress, netdp_error *error);

#endif

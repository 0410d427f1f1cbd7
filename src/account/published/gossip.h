/* Published bounds that are not upper bounds: computed as printed, labelled, never a default. */
#ifndef NETDP_I_PUBLISHED_GOSSIP_H
#define NETDP_I_PUBLISHED_GOSSIP_H

#include <netdp/account.h>

/*
 * Paper C, Theorem 1: loss[v][u] = sum_{first <= t < T} sum_{w in N(v)} (W^t)_{uw}^2 / |W^t_w|^2
 * over the open neighbourhood of each of `to_count` observers v, for the `from_count` nodes u;
 * uncapped. The inner sum of a relay w serves all observers next to it.
 */
typedef struct netdp_i_published netdp_i_published;

/*
 * Borrows losses->from and to, and what the protocol borrows. `room`: bytes for the relays' sums; those
 * that do not fit are computed anew for later observers, with the same result. *made is to be freed
 * after a failure too.
 */
netdp_status netdp_i_published_new(const netdp_linear *protocol, int64_t first,
                                   const netdp_losses *losses, int64_t room,
                                   netdp_i_published **made, netdp_error *error);
void netdp_i_published_free(netdp_i_published *published);

/* loss[count][from_count] of the observers to[index], .., to[index + count - 1]. */
netdp_status netdp_i_published_rows(netdp_i_published *published, int32_t index, int32_t count,
                                    double *loss, const netdp_progress *progress,
                                    netdp_error *error);

#endif

/*
 * The network once a machine: one of its processes makes graph and matrix, all of them read its memory.
 */
#ifndef NETDP_I_SHARED_H
#define NETDP_I_SHARED_H

#include <stdbool.h>
#include <netdp/mixing.h>

/* Is this the process of its machine that makes them? */
bool netdp_i_shared_makes(void);

/*
 * Called by all with what making it came to (of those who do not make it: NETDP_OK and NULL). The arrays of a graph or matrix that was
 * made move into memory that its machine's other processes see, and *graph or *mixing becomes theirs, too. That memory stays until the
 * process ends.
 */
netdp_status netdp_i_share_graph(netdp_status made, netdp_graph **graph, netdp_error *error);
netdp_status netdp_i_share_mixing(netdp_status made, const netdp_graph *graph,
                                  netdp_mixing **mixing, netdp_error *error);

#endif

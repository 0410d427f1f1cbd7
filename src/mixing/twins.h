/* Nodes that have the same partners, of which one tells what holds for all. */
#ifndef NETDP_I_TWINS_H
#define NETDP_I_TWINS_H

#include <netdp/mixing.h>
#include <netdp/status.h>

/* Its neighbours as rows without weights: the graph's arrays. */
netdp_rows netdp_i_graph_rows(const netdp_graph *graph);

/*
 * Rows are a graph's (netdp_i_graph_rows), or those of a symmetric W. twin[v] of every node that is not marked: the first of those that
 * have the same neighbours among the nodes that are not marked, and the same weights where there are any, each beside the other or not;
 * v itself where there is none; so that to exchange the two changes nothing. Of marked nodes themselves. *kinds: how many firsts that
 * are not marked.
 */
netdp_status netdp_i_twins(netdp_rows rows, const char *mark, int32_t *twin, int32_t *kinds,
                           netdp_error *error);

#endif

/* Nodes that have the same partners, of which one tells what holds for all. */
#ifndef NETDP_I_TWINS_H
#define NETDP_I_TWINS_H

#include <netdp/graph.h>
#include <netdp/status.h>

/*
 * twin[v] of every node that is not marked: the first of those that have the same neighbours among the nodes that are not marked, each
 * beside the other or not, v itself where there is none; so that to exchange the two changes nothing. Of marked nodes themselves.
 * *kinds: how many firsts that are not marked.
 */
netdp_status netdp_i_twins(const netdp_graph *graph, const char *mark, int32_t *twin,
                           int32_t *kinds, netdp_error *error);

#endif

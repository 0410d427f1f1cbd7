/* Where to draw the nodes of a graph. */
#ifndef NETDP_I_LAYOUT_H
#define NETDP_I_LAYOUT_H

#include <stdint.h>
#include <netdp/graph.h>

/*
 * x[nodes], y[nodes] in [0, 1], both to one scale: the positions that the graph was drawn with, the
 * shape of its family (path, ring, star, complete, grid, torus, hypercube, ...), or else springs
 * (Fruchterman and Reingold, 1991). Equal graphs and seeds give equal positions.
 */
netdp_status netdp_i_graph_layout(const netdp_graph *graph, uint64_t seed, double *x, double *y,
                                  netdp_error *error);

#endif

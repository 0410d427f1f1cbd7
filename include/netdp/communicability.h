/*
 * Communicability of pairs of nodes: the exponential of a matrix, sum_k M^k / k! (Estrada and
 * Hatano 2008; paper A, Definition 8). Dense: at most NETDP_DENSE_NODES nodes, NETDP_INVALID above;
 * 3 n^2 doubles of memory beside the result.
 */
#ifndef NETDP_COMMUNICABILITY_H
#define NETDP_COMMUNICABILITY_H

#include <netdp/mixing.h>

NETDP_BEGIN

/*
 * exp(A) of the unweighted adjacency matrix into matrix[nodes][nodes], exactly symmetric, off by
 * about 1e-15 of its largest entry. NETDP_NO_ANSWER where it overflows: then exp(W) serves.
 */
NETDP_API NETDP_CHECK netdp_status netdp_graph_communicability(const netdp_graph *graph,
                                                               double *matrix, netdp_error *error);

/* exp(W) into matrix[nodes][nodes], exactly symmetric. */
NETDP_API NETDP_CHECK netdp_status netdp_mixing_communicability(const netdp_mixing *mixing,
                                                                double *matrix, netdp_error *error);

NETDP_END

#endif

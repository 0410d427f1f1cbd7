/*
 * Centralities of the nodes of a graph: unweighted, A the adjacency matrix.
 */
#ifndef NETDP_CENTRALITY_H
#define NETDP_CENTRALITY_H

#include <netdp/graph.h>

NETDP_BEGIN

/* The largest eigenvalue of A; 0 where there is no edge. NETDP_NO_ANSWER where it is not found. */
NETDP_API NETDP_CHECK netdp_status netdp_graph_largest_eigenvalue(const netdp_graph *graph,
                                                                  double *value,
                                                                  netdp_error *error);

/* Degrees into degree[nodes]. */
NETDP_API void netdp_degree_centrality(const netdp_graph *graph, double *degree);

/*
 * Katz centrality sum_{k >= 0} a^k A^k 1 = (I - a A)^{-1} 1 into katz[nodes], every entry at least
 * 1 (Katz 1953 leaves out the 1 of k = 0). `attenuation` a in [0, 1/lambda_max(A)), NETDP_INVALID
 * above; 0 stands for 0.9 / lambda_max(A).
 */
NETDP_API NETDP_CHECK netdp_status netdp_katz_centrality(const netdp_graph *graph,
                                                         double attenuation, double *katz,
                                                         netdp_error *error);

/* The eigenvector of lambda_max(A), positive, of 2-norm 1, into vector[nodes]. The graph must be
   connected. */
NETDP_API NETDP_CHECK netdp_status netdp_eigenvector_centrality(const netdp_graph *graph,
                                                                double *vector, netdp_error *error);

NETDP_END

#endif

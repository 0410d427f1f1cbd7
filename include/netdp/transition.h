/*
 * Transition matrices P of random walks on a graph: reversible, with a known stationary law.
 */
#ifndef NETDP_TRANSITION_H
#define NETDP_TRANSITION_H

#include <netdp/mixing.h>

NETDP_BEGIN

/* Refers to its graph, which must outlive it. */
typedef struct netdp_transition netdp_transition;

/*
 * `law`: a mixing matrix by its name ("metropolis", "lazy:0.5", ... stationary law uniform), or
 * Metropolis-Hastings: "hastings:degree" (the simple random walk), "hastings:uniform", or
 * "hastings:FILE" with one positive number a line for each node, in the order of the nodes.
 */
NETDP_API NETDP_CHECK netdp_status netdp_transition_new(const netdp_graph *graph, const char *law,
                                                        netdp_transition **transition,
                                                        netdp_error *error);

/*
 * Metropolis-Hastings towards `target` [nodes], positive and finite, of any sum, at most 1e200
 * times apart: propose a uniform neighbour j of i, accept with min(1, target_j d_i / (target_i
 * d_j)), else stay (paper B, Algorithm 1). The diagonal is exactly 0 where nothing is refused.
 */
NETDP_API NETDP_CHECK netdp_status netdp_transition_toward(const netdp_graph *graph,
                                                           const double *target,
                                                           netdp_transition **transition,
                                                           netdp_error *error);

/* NULL is fine. */
NETDP_API void netdp_transition_free(netdp_transition *transition);

/* NETDP_INVALID unless a walk reaches every node: at least 2 nodes, connected. Periodic is fine. */
NETDP_API NETDP_CHECK netdp_status netdp_transition_require(const netdp_transition *transition,
                                                            netdp_error *error);

/* P in compressed rows, each with its diagonal, columns ascending. Owned by the transition. */
NETDP_API netdp_rows netdp_transition_rows(const netdp_transition *transition);

/* pi [nodes], sum 1, all positive; pi_x P_xy = pi_y P_yx. Owned by the transition. */
NETDP_API const double *netdp_transition_stationary(const netdp_transition *transition);

/* The graph, and the name that it was made by; owned by the transition. */
NETDP_API const netdp_graph *netdp_transition_graph(const netdp_transition *transition);
NETDP_API const char *netdp_transition_name(const netdp_transition *transition);

NETDP_END

#endif

/*
 * Graphs, and centralities of their nodes.
 *
 * Ownership: a graph is the caller's, netdp_graph_free; what it hands out (neighbours, names,
 * positions) is its own. Threads: any may call, also with the same graph, which never changes.
 */
#ifndef NETDP_GRAPH_H
#define NETDP_GRAPH_H

#include <stdbool.h>
#include <stdint.h>
#include <netdp/status.h>

NETDP_BEGIN

/*
 * Graphs: undirected and simple; nodes are 0 .. nodes-1 and may carry names and edge weights.
 */

/*
 * A graph; it does not change once it is made. Memory: 8 bytes a node and 8 an edge; 16 an edge
 * more where edges have weights, 8 a node and the text where nodes have names. While it is made
 * from a list: 24 bytes a node and 24 an edge.
 */
typedef struct netdp_graph netdp_graph;

/* What the loader did on the way that a user should hear about. */
typedef struct netdp_graph_notes {
    int64_t self_loops; /* dropped */
    int64_t repeats;    /* entries that repeat an edge (either direction), dropped */
    int64_t weights;    /* entries that carry a weight; used only by the mixing "file" */
    int64_t outside;    /* nodes left out by the giant component */
    int64_t redraws;    /* random families: draws that were not connected */
    int64_t columns;    /* or edge attributes, beside ends and weight: not read, at most 64 */
} netdp_graph_notes;

/*
 * A graph of a named family, in the grammar of the command line: "complete 10", "ring 60",
 * "path 5", "star 30" (node 0 is the centre), "grid 4 5", "torus 4 5", "hypercube 11",
 * "static-exponential 12", "erdos-renyi 2048 0.01", "erdos-renyi 2048 c=1.2", "geometric 2048
 * 0.07", "barabasi-albert 100 3", "regular 271 8", "stochastic-block 75,75,50
 * 0.25,0.05,0.02;0.05,0.35,0.07;0.02,0.07,0.40", "caveman 5 20" (cliques, size), and the bundled
 * "davis", "florentine", "karate", "households" (those of the bundled meters: the edges of "davis"). Random families are redrawn until connected, at most 1000 times
 * (`connected` false: first draw). Equal seeds give equal graphs. `notes` may be NULL.
 */
NETDP_API NETDP_CHECK netdp_status netdp_graph_make(const char *family, uint64_t seed,
                                                    bool connected, netdp_graph **graph,
                                                    netdp_graph_notes *notes, netdp_error *error);

/*
 * A graph file, by the ending of its name: .graphml, .gml, .mtx (Matrix Market, coordinate format),
 * .net (Pajek), .json (node-link), .metis, else by how it begins, and an edge list otherwise: "u v" or "u v weight" a line, blanks, tabs, commas or semicolons
 * between them, names in double quotes, a header or networkx's {...} if there is one (see
 * docs/files.md); what is not clearly one of these is refused. '#' starts a comment, one label
 * alone is an isolated node. Direction is ignored, self loops and repeats are dropped. Labels that
 * are all non-negative integers are ranked numerically, others in order of first appearance; the
 * label is the node's name, but where the labels are exactly 0 .. n-1, which make no names. The labels of GraphML and GML are the first of the attributes "name",
 * "label", "id" that tells all nodes apart, else 0, 1, ...; those of Matrix Market are the row
 * numbers 1, 2, ... Weights are the edges' attribute "weight", or the entries of the matrix.
 * `giant_component`: keep the largest component only (ties: the one with the smallest node); its
 * nodes are numbered anew, in their order.
 * Edge lists without weights whose labels are plain numbers, up to some four times the lines, are
 * read on all threads: 10^7 lines in about a second.
 */
NETDP_API NETDP_CHECK netdp_status netdp_graph_read(const char *path, bool giant_component,
                                                    netdp_graph **graph, netdp_graph_notes *notes,
                                                    netdp_error *error);

/*
 * Which of `count` columns (at most 64 are looked at) are the two ends of edges and their weight, by
 * the words that headers of edge lists use ("source,target,weight"): column[3], -1 where none is.
 */
NETDP_API NETDP_CHECK netdp_status netdp_graph_columns(const char *const *name, int32_t count,
                                                       int32_t column[3], netdp_error *error);

/* A graph that a program holds; all but `nodes` may be zeros. Everything is borrowed. */
typedef struct netdp_edge_list {
    int32_t nodes;           /* from 1 */
    int64_t count;           /* how many pairs of node numbers */
    const int32_t *pair;     /* pair[2*i], pair[2*i+1], in any order */
    const double *weight;    /* [count], above 0 and finite; NULL: edges have none */
    const char *const *name; /* [nodes], distinct, not empty, UTF-8; NULL: nodes have none */
    const char *origin;      /* what the graph is called in results; NULL: "edges" */
} netdp_edge_list;

/* From such a list; loops and repeats are dropped and counted in `notes`, which may be NULL. Two
 * different weights for one edge: NETDP_INVALID. */
NETDP_API NETDP_CHECK netdp_status netdp_graph_from_list(const netdp_edge_list *list,
                                                         netdp_graph **graph,
                                                         netdp_graph_notes *notes,
                                                         netdp_error *error);

/* From `count` pairs of node numbers, edges[2*i], edges[2*i+1]; loops and repeats are dropped. */
NETDP_API NETDP_CHECK netdp_status netdp_graph_from_edges(int32_t nodes, const int32_t *edges,
                                                          int64_t count, netdp_graph **graph,
                                                          netdp_error *error);

/*
 * Write an edge list that netdp_graph_read reads back as the same graph; `path` must not end like
 * one of the other formats. "-": standard output.
 */
NETDP_API NETDP_CHECK netdp_status netdp_graph_write(const netdp_graph *graph, const char *path,
                                                     netdp_error *error);

/* NULL is fine. */
NETDP_API void netdp_graph_free(netdp_graph *graph);

/* How many nodes, edges, and neighbours of `node` (0 <= node < nodes). */
NETDP_API int32_t netdp_graph_nodes(const netdp_graph *graph);
NETDP_API int64_t netdp_graph_edges(const netdp_graph *graph);
NETDP_API int32_t netdp_graph_degree(const netdp_graph *graph, int32_t node);

/* The neighbours of `node`, ascending; owned by the graph. */
NETDP_API const int32_t *netdp_graph_neighbours(const netdp_graph *graph, int32_t node);

/* The node's name, or NULL where it has none but its number: print that. Owned by the graph. */
NETDP_API const char *netdp_graph_name(const netdp_graph *graph, int32_t node);

/* A node by its name if one has it; else by its number, where no node's name is a number, which would be
 * another order. NETDP_INVALID otherwise, with the nearest name. */
NETDP_API NETDP_CHECK netdp_status netdp_graph_find(const netdp_graph *graph, const char *name,
                                                    int32_t *node, netdp_error *error);

/*
 * Where the nodes lie: x[node], y[node] in the unit square, owned by the graph. True for a graph of
 * the family "geometric", whose edges join the nodes at most a radius apart; false, and nothing
 * set, for every other, also for one written to a file and read back.
 */
NETDP_API bool netdp_graph_positions(const netdp_graph *graph, const double **x, const double **y);

/* What the graph was made from: the family string or the file's path, as given. */
NETDP_API const char *netdp_graph_origin(const netdp_graph *graph);

/* Number of connected components, and whether it is bipartite. Graphs with no node: 0, true. */
NETDP_API NETDP_CHECK netdp_status netdp_graph_shape(const netdp_graph *graph, int32_t *components,
                                                     bool *bipartite, netdp_error *error);

/* Hops from the nearest of `sources` to every node, into distance[nodes]; -1: unreachable. */
NETDP_API NETDP_CHECK netdp_status netdp_graph_distances(const netdp_graph *graph,
                                                         const int32_t *sources, int32_t count,
                                                         int32_t *distance, netdp_error *error);

/* Largest finite distance between two nodes; -1 where the graph is not connected. */
NETDP_API NETDP_CHECK netdp_status netdp_graph_diameter(const netdp_graph *graph, int32_t *diameter,
                                                        netdp_error *error);

/*
 * Centralities of the nodes of a graph: unweighted, A the adjacency matrix.
 */

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

/* The graph from inside: compressed rows, and how one is built from a list of edges. */
#ifndef NETDP_I_GRAPH_H
#define NETDP_I_GRAPH_H

#include <netdp/graph.h>

#include "base/try.h"

OWNER(netdp_graph_free, netdp_graph)

struct netdp_graph {
    int32_t nodes;
    int64_t *start;     /* [nodes + 1] */
    int32_t *neighbour; /* [start[nodes]], ascending within a row */
    double *weight; /* aligned to neighbour, NaN where an edge has none; NULL: no edge has one */
    int64_t
        *name; /* [nodes]: where in name_text, -1 where a node has none; NULL: no node has one */
    char *name_text; /* [name_bytes] */
    int64_t name_bytes;
    char *origin;
    bool drawn;       /* origin is a family, not a file that may be called like one */
    double *position; /* [2 * nodes]: all x, then all y; NULL: the graph has none */
    bool lent;        /* its arrays are not its own to free */
};

/* Edges on their way to a graph. */
typedef struct netdp_i_edges {
    int32_t *pair;  /* [2 * count] */
    double *weight; /* [count] or NULL; NaN: none */
    int64_t count;
    int64_t room;
} netdp_i_edges;

/* Room for so many in all. */
netdp_status netdp_i_edges_reserve(netdp_i_edges *edges, int64_t room, netdp_error *error);
netdp_status netdp_i_edges_add(netdp_i_edges *edges, int32_t u, int32_t v, netdp_error *error);
void netdp_i_edges_free(netdp_i_edges *edges);

/*
 * A graph with neither names nor origin from pairs of node numbers. Loops and repeats (either
 * direction) are dropped and counted in `notes` (optional). Two different weights for one edge:
 * NETDP_INVALID, with the index of the later pair in `clash` (optional).
 */
netdp_status netdp_i_graph_build(int32_t nodes, const netdp_i_edges *edges, netdp_graph **graph,
                                 netdp_graph_notes *notes, int64_t *clash, netdp_error *error);

/* Nodes and edges alone, without weights, names, origin and positions. */
netdp_status netdp_i_graph_copy_edges(const netdp_graph *graph, netdp_graph **copy,
                                      netdp_error *error);

netdp_status netdp_i_graph_set_origin(netdp_graph *graph, const char *origin, netdp_error *error);

/* label[v], length[v] bytes, becomes the name of v unless it is v in decimal. Replaces all names.
 */
netdp_status netdp_i_graph_set_names(netdp_graph *graph, const char *const *label,
                                     const int64_t *length, netdp_error *error);

/* Keeps the largest component (ties: the one with the smallest node), nodes in their order. */
netdp_status netdp_i_graph_keep_giant(netdp_graph **graph, netdp_graph_notes *notes,
                                      netdp_error *error);

/* A graph from the text of an edge list; `path` is its name in errors. */
netdp_status netdp_i_graph_parse(const char *text, int64_t bytes, const char *path,
                                 bool giant_component, netdp_graph **graph,
                                 netdp_graph_notes *notes, netdp_error *error);

/* What a file holds, by the ending of its name. */
typedef enum netdp_i_format {
    NETDP_I_EDGE_LIST,
    NETDP_I_PAJEK,
    NETDP_I_NODE_LINK,
    NETDP_I_METIS,
    NETDP_I_REFUSED, /* one that is not read */
    NETDP_I_GRAPHML,
    NETDP_I_GML,
    NETDP_I_MATRIX_MARKET,
} netdp_i_format;

netdp_i_format netdp_i_graph_format(const char *path);

/* Weights of the edges at `node`, aligned to netdp_graph_neighbours; NULL: no edge has a weight. */
const double *netdp_i_graph_weights(const netdp_graph *graph, int32_t node);

/* Is the pair list connected? parent is scratch, [nodes]. No node counts as connected. */
bool netdp_i_edges_connected(int32_t nodes, const netdp_i_edges *edges, int32_t *parent);

#endif

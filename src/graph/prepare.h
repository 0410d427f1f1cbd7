/* GML and GraphML texts as igraph 0.10 reads them right: the same graph, the same lines. */
#ifndef NETDP_I_PREPARE_H
#define NETDP_I_PREPARE_H

#include "graph/collect.h"

/* At most this many keys of a GraphML file may be weights of edges. */
#define NETDP_I_MOST_WEIGHTS 9

/*
 * igraph gives NaN to an edge without a weight, so that a weight NaN would pass for none: both
 * functions write it as -1, which the reader refuses. What edges have beside weights is noted in the collection, whose path
 * errors say. `made` is the caller's to free, with a NUL behind it.
 *
 * GML: comments become blanks (igraph knows them only at the start of a line), and numeric
 * character references become UTF-8 (it leaves them as they are).
 */
netdp_status netdp_i_prepare_gml(const char *text, int64_t bytes, netdp_i_collection *collection,
                                 char **made, int64_t *made_bytes, netdp_error *error);

/*
 * GraphML: a key for="all" becomes one of edges if it is a weight, else one of nodes (igraph
 * ignores it). Of several keys for weights (networkx writes one for integers and one for reals)
 * the second becomes "weight 2" and so on (igraph keeps one). Entity declarations are refused:
 * nothing outside the file may be read, and nothing small become huge.
 */
netdp_status netdp_i_prepare_graphml(const char *text, int64_t bytes,
                                     netdp_i_collection *collection, char **made,
                                     int64_t *made_bytes, netdp_error *error);

#endif

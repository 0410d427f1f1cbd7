/* Adjacency lists of METIS. */
#ifndef NETDP_I_METIS_H
#define NETDP_I_METIS_H

#include "graph/collect.h"

/* Is the text one without a doubt: counts on its first line that all others keep, and no list of edges? */
bool netdp_i_is_metis(const char *text, int64_t bytes);

netdp_status netdp_i_collect_metis(netdp_i_collection *collection, const char *text, int64_t bytes,
                                   char **own, netdp_error *error);

#endif

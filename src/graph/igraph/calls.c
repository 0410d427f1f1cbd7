/* The table that the module netdp-igraph shows. */
#include "graph/igraph/calls.h"

#define OF(name) .name = &name,

const netdp_i_igraph_calls netdp_igraph = {.version = NETDP_VERSION, NETDP_I_IGRAPH_NAMES(OF)};

/* A graph and its Metropolis mixing, as tests of gossip open and drop them. */
#ifndef NETDP_TESTS_NET_H
#define NETDP_TESTS_NET_H

#include "check.h"

#include <netdp/mixing.h>

static netdp_error error;

typedef struct net {
    netdp_graph *graph;
    netdp_mixing *mixing;
} net;

static inline net family(const char *name)
{
    net made = {NULL, NULL};
    assert_ok(netdp_graph_make(name, 3, true, &made.graph, NULL, &error));
    assert_ok(netdp_mixing_new(made.graph, "metropolis", &made.mixing, &error));
    return made;
}

static inline void net_drop(net n)
{
    netdp_mixing_free(n.mixing);
    netdp_graph_free(n.graph);
}

#endif

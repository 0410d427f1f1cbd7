/* A graph and the law of a walk on it, as tests of walks open and drop them. */
#ifndef NETDP_TESTS_WALK_NET_H
#define NETDP_TESTS_WALK_NET_H

#include "check.h"

#include <netdp/mixing.h>

static netdp_error error;

typedef struct net {
    netdp_graph *graph;
    netdp_transition *law;
    netdp_rows rows;
} net;

/* The same graph for equal seeds, where its family is random. */
static inline net open_net(const char *family, uint64_t seed, const char *law)
{
    net n;
    assert_ok(netdp_graph_make(family, seed, true, &n.graph, NULL, &error));
    assert_ok(netdp_transition_new(n.graph, law, &n.law, &error));
    n.rows = netdp_transition_rows(n.law);
    return n;
}

static inline void drop(net n)
{
    netdp_transition_free(n.law);
    netdp_graph_free(n.graph);
}

#endif

/* The network of a benchmark, or the end of it. */
#ifndef NETDP_BENCH_NETWORK_H
#define NETDP_BENCH_NETWORK_H

#include <netdp/netdp.h>

#include <stdio.h>
#include <stdlib.h>

static inline void make_network(const char *family, netdp_graph **graph, netdp_mixing **mixing)
{
    netdp_error error = {NETDP_OK, ""};
    if (netdp_graph_make(family, 1, true, graph, NULL, &error) == NETDP_OK &&
        netdp_mixing_new(*graph, "metropolis", mixing, &error) == NETDP_OK)
        return;
    fprintf(stderr, "%s\n", error.text);
    exit(1);
}

#endif

/* Pairs that are not equally loud. */
#ifndef NETDP_TEST_WEIGH_H
#define NETDP_TEST_WEIGH_H

#include <math.h>
#include <stdlib.h>
#include <netdp/graph.h>

/* The same pairs with weights, all the same, or 0: from 0.1 to 10, another set for each `which`. `pairs` is freed; NULL: none was made. */
static netdp_graph *weigh(netdp_graph *pairs, double all, int which)
{
    const int64_t edges = netdp_graph_edges(pairs);
    int32_t *pair = malloc(sizeof *pair * 2 * (size_t)(edges + 1));
    double *weight = malloc(sizeof *weight * (size_t)(edges + 1));
    netdp_edge_list list = {.nodes = netdp_graph_nodes(pairs), .pair = pair, .weight = weight};
    netdp_graph *made = NULL;
    netdp_error why;
    for (int32_t v = 0; pair != NULL && weight != NULL && v < list.nodes; v++)
        for (int32_t i = 0; i < netdp_graph_degree(pairs, v); i++) {
            const int32_t w = netdp_graph_neighbours(pairs, v)[i];
            if (w < v)
                continue;
            weight[list.count] =
                all > 0
                    ? all
                    : pow(10, 2 * fmod(0.618034 * (double)(list.count + 1) + 0.37 * which, 1) - 1);
            pair[2 * list.count] = v;
            pair[2 * list.count++ + 1] = w;
        }
    if (list.count != edges || netdp_graph_from_list(&list, &made, NULL, &why) != NETDP_OK)
        made = NULL;
    free(pair);
    free(weight);
    netdp_graph_free(pairs);
    return made;
}

#endif

/* Twins by a sum over their neighbours, which sorting brings together, and then their lists. */
#include "account/observe/twins.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/mix.h"
#include "base/try.h"

typedef struct key {
    uint64_t sum;
    int32_t node;
} key;

static int by_sum(const void *a, const void *b)
{
    const key *x = a, *y = b;
    return x->sum != y->sum ? (x->sum > y->sum) - (x->sum < y->sum)
                            : (x->node > y->node) - (x->node < y->node);
}

/* The next neighbour of v from *at on that counts, v and `but` do not; -1: there is none. */
static int32_t next_of(const netdp_graph *graph, const char *mark, int32_t v, int32_t but,
                       int32_t *at)
{
    while (*at < netdp_graph_degree(graph, v)) {
        const int32_t w = netdp_graph_neighbours(graph, v)[(*at)++];
        if (mark[w] == 0 && w != but)
            return w;
    }
    return -1;
}

/* Are their other neighbours the same ones? Lists are in order. */
static bool same(const netdp_graph *graph, const char *mark, int32_t a, int32_t b)
{
    int32_t i = 0, j = 0, x, y;
    do {
        x = next_of(graph, mark, a, b, &i);
        y = next_of(graph, mark, b, a, &j);
    } while (x == y && x >= 0);
    return x == y;
}

/* Of those that are next to one another, `beside`, or that are not. */
static void find(const netdp_graph *graph, const char *mark, bool beside, key *list, int32_t *twin)
{
    const int32_t n = netdp_graph_nodes(graph);
    int32_t count = 0, first = 0;
    for (int32_t v = 0; v < n; v++) {
        if (mark[v] != 0 || twin[v] != v)
            continue;
        uint64_t sum = beside ? netdp_i_mix((uint64_t)v + 1) : 0;
        for (int32_t k = 0; k < netdp_graph_degree(graph, v); k++) {
            const int32_t w = netdp_graph_neighbours(graph, v)[k];
            sum += mark[w] == 0 ? netdp_i_mix((uint64_t)w + 1) : 0;
        }
        list[count++] = (key){sum, v};
    }
    qsort(list, (size_t)count, sizeof *list, by_sum);
    for (int32_t i = 1; i < count; i++) {
        if (list[i].sum != list[first].sum || !same(graph, mark, list[first].node, list[i].node))
            first = i;
        else
            twin[list[i].node] = list[first].node;
    }
}

netdp_status netdp_i_twins(const netdp_graph *graph, const char *mark, int32_t *twin,
                           int32_t *kinds, netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(graph);
    OWNED key *list = NETDP_I_NEW(key, n);
    if (list == NULL)
        return netdp_i_no_memory(error);
    for (int32_t v = 0; v < n; v++)
        twin[v] = v;
    find(graph, mark, false, list, twin);
    find(graph, mark, true, list, twin);
    *kinds = 0;
    for (int32_t v = 0; v < n; v++) {
        twin[v] = twin[twin[v]];
        *kinds += mark[v] == 0 && twin[v] == v;
    }
    return NETDP_OK;
}

/* Twins by a sum over their neighbours, which sorting brings together, and then their lists. */
#include "mixing/twins.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/mix.h"
#include "base/try.h"
#include "graph/graph.h"
#include "mixing/mixing.h"

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

/* The next entry of row v from `at` on that counts, but v's own and that of `but`; the row's end: there is none. */
static int64_t next_of(netdp_rows rows, const char *mark, int32_t v, int32_t but, int64_t at)
{
    while (at < rows.start[v + 1] &&
           (rows.column[at] == v || rows.column[at] == but || mark[rows.column[at]] != 0))
        at++;
    return at;
}

static double own(netdp_rows rows, int32_t v)
{
    const int64_t at = netdp_i_rows_find(rows, v, v);
    return at >= 0 ? rows.weight[at] : 0;
}

/* Are their other neighbours the same ones, with the same weights to the last bit? Columns are in order. */
static bool same(netdp_rows rows, const char *mark, int32_t a, int32_t b)
{
    int64_t i = next_of(rows, mark, a, b, rows.start[a]);
    int64_t j = next_of(rows, mark, b, a, rows.start[b]);
    while (i < rows.start[a + 1] && j < rows.start[b + 1]) {
        if (rows.column[i] != rows.column[j] ||
            (rows.weight != NULL && rows.weight[i] != rows.weight[j]))
            return false;
        i = next_of(rows, mark, a, b, i + 1);
        j = next_of(rows, mark, b, a, j + 1);
    }
    return i == rows.start[a + 1] && j == rows.start[b + 1] &&
           (rows.weight == NULL || own(rows, a) == own(rows, b));
}

/* Of those that are next to one another, `beside`, or that are not. number: of each node; 0 does not count. */
static void find(netdp_rows rows, const char *mark, const uint64_t *number, bool beside, key *list,
                 int32_t *twin)
{
    int32_t count = 0, first = 0;
    for (int32_t v = 0; v < rows.nodes; v++) {
        if (mark[v] != 0 || twin[v] != v)
            continue;
        uint64_t sum = beside ? number[v] : 0;
        for (int64_t k = rows.start[v]; k < rows.start[v + 1]; k++)
            sum += rows.column[k] != v ? number[rows.column[k]] : 0;
        list[count++] = (key){sum, v};
    }
    qsort(list, (size_t)count, sizeof *list, by_sum);
    for (int32_t i = 1; i < count; i++) {
        if (list[i].sum != list[first].sum || !same(rows, mark, list[first].node, list[i].node))
            first = i;
        else
            twin[list[i].node] = list[first].node;
    }
}

netdp_rows netdp_i_graph_rows(const netdp_graph *graph)
{
    return (netdp_rows){graph->nodes, graph->start, graph->neighbour, NULL};
}

netdp_status netdp_i_twins(netdp_rows rows, const char *mark, int32_t *twin, int32_t *kinds,
                           netdp_error *error)
{
    const int32_t n = rows.nodes;
    OWNED key *list = NETDP_I_NEW(key, n);
    OWNED uint64_t *number = NETDP_I_NEW(uint64_t, n);
    if (list == NULL || number == NULL)
        return netdp_i_no_memory(error);
    for (int32_t v = 0; v < n; v++) {
        twin[v] = v;
        number[v] = mark[v] == 0 ? netdp_i_mix((uint64_t)v + 1) : 0;
    }
    find(rows, mark, number, false, list, twin);
    find(rows, mark, number, true, list, twin);
    *kinds = 0;
    for (int32_t v = 0; v < n; v++) {
        twin[v] = twin[twin[v]];
        *kinds += mark[v] == 0 && twin[v] == v;
    }
    return NETDP_OK;
}

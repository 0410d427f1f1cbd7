#include "mixing/alike.h"

#include <math.h>

#include "base/memory.h"
#include "base/try.h"

/* A group on the nodes: exclusive or (across 0), or turns of a torus of across columns. */
typedef struct group {
    int32_t nodes, across;
} group;

static int32_t column_of(const group *g, int32_t node)
{
    return g->across == 0 ? 0 : node % g->across;
}

/* The node moved by another; the columns of both. */
static int32_t move(const group *g, int32_t node, int32_t column, int32_t by, int32_t by_column)
{
    if (g->across == 0)
        return node ^ by;
    const int32_t sum = node + by - (column + by_column >= g->across ? g->across : 0);
    return sum >= g->nodes ? sum - g->nodes : sum;
}

/* Row u is row 0, whose nodes stand in the columns `at`, moved by u; `weight` [nodes] of zeros, left so. */
static bool moves_to(netdp_rows rows, const group *g, const int32_t *at, int32_t u, double *weight)
{
    const int64_t count = rows.start[1] - rows.start[0], first = rows.start[u];
    const int32_t by = column_of(g, u);
    bool same = rows.start[u + 1] - first == count;
    for (int64_t i = 0; i < count && same; i++)
        weight[rows.column[first + i]] = rows.weight[first + i];
    for (int64_t i = 0; i < count && same; i++)
        same = netdp_i_weights_equal(weight[move(g, rows.column[i], at[i], u, by)], rows.weight[i]);
    for (int64_t i = 0; i < count && first + i < rows.start[u + 1]; i++)
        weight[rows.column[first + i]] = 0;
    return same;
}

static bool invariant(netdp_rows rows, group g, int32_t *at, double *weight)
{
    bool same = true;
    for (int64_t i = 0; i < rows.start[1]; i++)
        at[i] = column_of(&g, rows.column[i]);
    for (int32_t u = 1; u < rows.nodes && same; u++)
        same = moves_to(rows, &g, at, u, weight);
    return same;
}

bool netdp_i_rows_alike(netdp_rows rows)
{
    OWNED double *weight = NETDP_I_NEW(double, rows.nodes);
    OWNED int32_t *at = NETDP_I_NEW(int32_t, rows.start[1]);
    if (weight == NULL || at == NULL)
        return false; /* then nothing is known */
    bool alike =
        (rows.nodes & (rows.nodes - 1)) == 0 && invariant(rows, (group){rows.nodes, 0}, at, weight);
    for (int32_t across = rows.nodes; across > 1 && !alike; across--)
        if (rows.nodes % across == 0)
            alike = invariant(rows, (group){rows.nodes, across}, at, weight);
    return alike;
}

#include "mixing/alike.h"

#include <math.h>

#include "base/memory.h"

/* A group on the nodes: exclusive or (across 0), or turns of a torus of across columns. */
typedef struct group {
    int32_t nodes, across;
} group;

static int32_t move(const group *g, int32_t node, int32_t by)
{
    if (g->across == 0)
        return node ^ by;
    const int32_t down = g->nodes / g->across;
    const int32_t column = (node % g->across + by % g->across) % g->across;
    return (node / g->across + by / g->across) % down * g->across + column;
}

/* Row u is row 0, moved by u; `weight` [nodes] of zeros, left so. */
static bool moves_to(netdp_rows rows, const group *g, int32_t u, double *weight)
{
    const int64_t count = rows.start[1] - rows.start[0], first = rows.start[u];
    bool same = rows.start[u + 1] - first == count;
    for (int64_t i = 0; i < count && same; i++)
        weight[rows.column[first + i]] = rows.weight[first + i];
    for (int64_t i = 0; i < count && same; i++)
        same = netdp_i_weights_equal(weight[move(g, rows.column[i], u)], rows.weight[i]);
    for (int64_t i = 0; i < count && first + i < rows.start[u + 1]; i++)
        weight[rows.column[first + i]] = 0;
    return same;
}

static bool invariant(netdp_rows rows, group g, double *weight)
{
    bool same = true;
    for (int32_t u = 1; u < rows.nodes && same; u++)
        same = moves_to(rows, &g, u, weight);
    return same;
}

bool netdp_i_rows_alike(netdp_rows rows)
{
    double *weight = NETDP_I_NEW(double, rows.nodes);
    if (weight == NULL)
        return false; /* then nothing is known */
    bool alike =
        (rows.nodes & (rows.nodes - 1)) == 0 && invariant(rows, (group){rows.nodes, 0}, weight);
    for (int32_t across = rows.nodes; across > 1 && !alike; across--)
        if (rows.nodes % across == 0)
            alike = invariant(rows, (group){rows.nodes, across}, weight);
    netdp_i_free(weight);
    return alike;
}

#include "account/losses.h"

#include <inttypes.h>
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"

void netdp_losses_free(netdp_losses *losses)
{
    if (losses == NULL)
        return;
    netdp_i_free(losses->from);
    netdp_i_free(losses->to);
    netdp_i_free(losses->loss);
    netdp_i_free(losses);
}

bool netdp_losses_counts(const netdp_losses *losses, int32_t from_index, int32_t to_index)
{
    const int32_t *member = losses->to + (losses->members > 1 ? 0 : to_index);
    for (int32_t i = 0; i < losses->members; i++)
        if (member[i] == losses->from[from_index])
            return false;
    return true;
}

/* The asked nodes, or all; each in range and named once. */
static netdp_status list_nodes(int32_t **list, int32_t *count, const int32_t *asked,
                               int32_t asked_count, int32_t nodes, const char *what,
                               netdp_error *error)
{
    *count = asked_count > 0 ? asked_count : nodes;
    *list = NETDP_I_NEW(int32_t, *count);
    char *named = NETDP_I_NEW(char, nodes);
    netdp_status status = NETDP_OK;
    if (*list == NULL || named == NULL) {
        status = netdp_i_no_memory(error);
        goto done;
    }
    for (int32_t i = 0; i < *count; i++) {
        int32_t node = asked_count > 0 ? asked[i] : i;
        if (node < 0 || node >= nodes || named[node]) {
            status = netdp_i_fail(error, NETDP_INVALID, "%s: node %" PRId32 " is %s", what, node,
                                  node < 0 || node >= nodes ? "not in the graph" : "named twice");
            goto done;
        }
        named[node] = 1;
        (*list)[i] = node;
    }
done:
    netdp_i_free(named);
    return status;
}

netdp_status netdp_i_losses_new(int32_t nodes, const int32_t *from, int32_t from_count,
                                const int32_t *to, int32_t to_count, bool coalition,
                                netdp_losses **losses, netdp_error *error)
{
    if (coalition && to_count < 1)
        return netdp_i_fail(error, NETDP_INVALID, "to: a coalition needs its members' names");
    netdp_losses *made = NETDP_I_NEW(netdp_losses, 1);
    if (made == NULL)
        return netdp_i_no_memory(error);
    netdp_status status =
        list_nodes(&made->from, &made->from_count, from, from_count, nodes, "from", error);
    if (status == NETDP_OK)
        status = list_nodes(&made->to, &made->to_count, to, to_count, nodes, "to", error);
    if (status == NETDP_OK) {
        made->members = coalition ? made->to_count : 1;
        made->to_count = coalition ? 1 : made->to_count;
        made->loss = NETDP_I_NEW(double, (int64_t)made->from_count * made->to_count);
        if (made->loss == NULL)
            status = netdp_i_no_memory(error);
    }
    if (status != NETDP_OK) {
        netdp_losses_free(made);
        return status;
    }
    *losses = made;
    return NETDP_OK;
}

void netdp_i_losses_exclude(netdp_losses *losses)
{
    for (int32_t v = 0; v < losses->to_count; v++)
        for (int32_t u = 0; u < losses->from_count; u++)
            if (!netdp_losses_counts(losses, u, v))
                losses->loss[(int64_t)v * losses->from_count + u] = INFINITY;
}

#include "account/losses/losses.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"

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

static netdp_status check_nodes(const char *what, const int32_t *asked, int32_t count,
                                int32_t nodes, netdp_error *error)
{
    if (count < 0 || (count > 0 && asked == NULL))
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: %" PRId32 " nodes of a list%s; give 0 for all nodes, or a list",
                            what, count, asked == NULL ? " that is NULL" : "");
    for (int32_t i = 0; i < count; i++)
        if (asked[i] < 0 || asked[i] >= nodes)
            return netdp_i_fail(error, NETDP_INVALID, "%s: node %" PRId32 " is not in the graph",
                                what, asked[i]);
    return NETDP_OK;
}

netdp_status netdp_i_request_given(const netdp_loss_request *request, netdp_error *error)
{
    REFUSE(request->protocol == NULL || request->protocol->mixing == NULL,
           "protocol: it is NULL, or its mixing is; give both in the request");
    const int32_t nodes = netdp_mixing_rows(request->protocol->mixing).nodes;
    TRY(check_nodes("from", request->from, request->from_count, nodes, error));
    TRY(check_nodes("to", request->to, request->to_count, nodes, error));
    TRY(netdp_i_check_choice("sees", (int64_t)request->sees, NETDP_SEES_EVERYTHING, error));
    return netdp_i_check_choice("own-noise", (int64_t)request->own_noise, NETDP_OWN_NOISE_COUNTS,
                                error);
}

/* The asked nodes, or all; each in range and named once. */
static netdp_status list_nodes(int32_t **list, int32_t *count, const int32_t *asked,
                               int32_t asked_count, int32_t nodes, const char *what,
                               netdp_error *error)
{
    TRY(check_nodes(what, asked, asked_count, nodes, error));
    *count = asked_count > 0 ? asked_count : nodes;
    *list = NETDP_I_NEW(int32_t, *count);
    OWNED char *named = NETDP_I_NEW(char, nodes);
    if (*list == NULL || named == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < *count; i++) {
        int32_t node = asked_count > 0 ? asked[i] : i;
        if (named[node])
            return netdp_i_fail(error, NETDP_INVALID, "%s: node %" PRId32 " is named twice", what,
                                node);
        named[node] = 1;
        (*list)[i] = node;
    }
    return NETDP_OK;
}

netdp_status netdp_i_losses_asked(int32_t nodes, const int32_t *from, int32_t from_count,
                                  const int32_t *to, int32_t to_count, bool coalition,
                                  netdp_losses **losses, netdp_error *error)
{
    REFUSE(coalition && to_count < 1, "to: a coalition needs its members' names");
    OWNED_BY(netdp_losses_free) netdp_losses *made = NETDP_I_NEW(netdp_losses, 1);
    NEED(made);
    TRY(list_nodes(&made->from, &made->from_count, from, from_count, nodes, "from", error));
    TRY(list_nodes(&made->to, &made->to_count, to, to_count, nodes, "to", error));
    made->members = coalition ? made->to_count : 1;
    made->to_count = coalition ? 1 : made->to_count;
    *losses = GIVE(made);
    return NETDP_OK;
}

netdp_status netdp_i_losses_new(int32_t nodes, const int32_t *from, int32_t from_count,
                                const int32_t *to, int32_t to_count, bool coalition,
                                netdp_losses **losses, netdp_error *error)
{
    netdp_losses *made = NULL;
    TRY(netdp_i_losses_asked(nodes, from, from_count, to, to_count, coalition, &made, error));
    made->loss = NETDP_I_NEW(double, (int64_t)made->from_count * made->to_count);
    if (made->loss == NULL) {
        netdp_losses_free(made);
        return netdp_i_no_memory(error);
    }
    *losses = made;
    return NETDP_OK;
}

netdp_status netdp_i_losses_like(const netdp_losses *known, netdp_losses **losses,
                                 netdp_error *error)
{
    const int32_t named = known->members > 1 ? known->members : known->to_count;
    netdp_losses *made = NETDP_I_NEW(netdp_losses, 1);
    if (made == NULL)
        return netdp_i_no_memory(error);
    *made = *known;
    made->loss = NULL;
    made->from = NETDP_I_NEW(int32_t, known->from_count);
    made->to = NETDP_I_NEW(int32_t, named);
    if (made->from == NULL || made->to == NULL) {
        netdp_losses_free(made);
        return netdp_i_no_memory(error);
    }
    memcpy(made->from, known->from, (size_t)known->from_count * sizeof *made->from);
    memcpy(made->to, known->to, (size_t)named * sizeof *made->to);
    *losses = made;
    return NETDP_OK;
}

void netdp_i_rows_exclude(const netdp_losses *losses, int32_t first, int32_t count, double *loss)
{
    for (int32_t v = 0; v < count; v++)
        for (int32_t u = 0; u < losses->from_count; u++)
            if (!netdp_losses_counts(losses, u, first + v))
                loss[(int64_t)v * losses->from_count + u] = INFINITY;
}

void netdp_i_losses_exclude(netdp_losses *losses)
{
    netdp_i_rows_exclude(losses, 0, losses->to_count, losses->loss);
}

int32_t netdp_i_batch_size(const netdp_losses *losses, int64_t bytes)
{
    const int64_t row = (int64_t)sizeof(double) * losses->from_count;
    const int64_t fit = bytes / row, least = (int64_t)4 * netdp_i_threads();
    const int64_t size = fit > least ? fit : least;
    return size < losses->to_count ? (int32_t)size : losses->to_count;
}

netdp_i_batch netdp_i_batch_whole(const netdp_losses *losses)
{
    return (netdp_i_batch){losses, 0, losses->to_count, losses->loss};
}

netdp_status netdp_i_losses_replay(const netdp_losses *losses, netdp_i_batch_sink sink,
                                   void *context, netdp_error *error)
{
    const int32_t size = netdp_i_batch_size(losses, NETDP_I_BATCH_BYTES);
    netdp_i_batch batch = {losses, 0, size, losses->loss};
    for (; batch.first < losses->to_count; batch.first += size) {
        const int32_t left = losses->to_count - batch.first;
        batch.count = left < size ? left : size;
        batch.loss = losses->loss + (int64_t)batch.first * losses->from_count;
        TRY(sink(context, &batch, error));
    }
    return NETDP_OK;
}

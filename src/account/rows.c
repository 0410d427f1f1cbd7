/* The losses of a request: row by row for a caller, or the whole matrix. */
#include "account/losses/losses.h"
#include "base/fail.h"
#include "base/try.h"

/* Where rows are not kept, the sums of a published formula take so many times their bytes. */
#define RELAY_BATCHES 16

netdp_status netdp_i_losses_each(const netdp_loss_request *request, netdp_i_batch_sink sink,
                                 void *context, const netdp_progress *progress, netdp_error *error)
{
    const netdp_i_room room = {NETDP_I_BATCH_BYTES, RELAY_BATCHES * NETDP_I_BATCH_BYTES};
    return netdp_i_losses_all(request, room, NULL, sink, context, progress, error);
}

/* A caller's row and what it is called with. */
typedef struct calling {
    netdp_losses_row row;
    void *context;
} calling;

static netdp_status call_for_rows(void *context, const netdp_i_batch *batch, netdp_error *error)
{
    const calling *c = context;
    for (int32_t v = 0; v < batch->count; v++)
        TRY(c->row(c->context, batch->losses, batch->first + v,
                   batch->loss + (int64_t)v * batch->losses->from_count, error));
    return NETDP_OK;
}

netdp_status netdp_losses_each(const netdp_loss_request *request, netdp_losses_row row,
                               void *context, const netdp_progress *progress, netdp_error *error)
{
    NETDP_I_GIVEN(error, request && row);
    calling c = {row, context};
    return netdp_i_losses_each(request, call_for_rows, &c, progress, error);
}

netdp_status netdp_losses_new(const netdp_loss_request *request, const netdp_progress *progress,
                              netdp_losses **losses, netdp_error *error)
{
    NETDP_I_GIVEN(error, request && losses);
    OWNED_BY(netdp_losses_free) netdp_losses *made = NULL;
    TRY(netdp_i_request_given(request, error));
    if (request->pool > 1)
        return netdp_i_losses_pooled(request, progress, losses, error);
    TRY(netdp_i_losses_all(request, (netdp_i_room){NETDP_I_BATCH_BYTES, INT64_MAX}, NULL,
                           netdp_i_losses_keep, &made, progress, error));
    *losses = GIVE(made);
    return NETDP_OK;
}

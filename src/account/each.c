/* Who takes the rows of an account: a caller, one by one, or the whole matrix. */
#include <string.h>

#include "account/losses.h"
#include "base/fail.h"
#include "base/memory.h"

/* Where rows are not kept, the sums of a published formula take so many times their bytes. */
#define RELAY_BATCHES 16

netdp_status netdp_i_losses_each(const netdp_loss_request *request, netdp_i_batch_sink sink,
                                 void *context, const netdp_progress *progress, netdp_error *error)
{
    return netdp_i_losses_all(request, RELAY_BATCHES * netdp_i_batch_bytes, sink, context, progress,
                              error);
}

/* A caller's row and what it is called with. */
typedef struct calling {
    netdp_losses_row row;
    void *context;
} calling;

static netdp_status call_for_rows(void *context, const netdp_i_batch *batch, netdp_error *error)
{
    const calling *c = context;
    netdp_status status = NETDP_OK;
    for (int32_t v = 0; status == NETDP_OK && v < batch->count; v++)
        status = c->row(c->context, batch->losses, batch->first + v,
                        batch->loss + (int64_t)v * batch->losses->from_count, error);
    return status;
}

netdp_status netdp_losses_each(const netdp_loss_request *request, netdp_losses_row row,
                               void *context, const netdp_progress *progress, netdp_error *error)
{
    calling c = {row, context};
    return netdp_i_losses_each(request, call_for_rows, &c, progress, error);
}

static netdp_status keep_batch(void *context, const netdp_i_batch *batch, netdp_error *error)
{
    netdp_losses *kept = *(netdp_losses **)context;
    const int64_t from = batch->losses->from_count;
    if (kept == NULL) {
        netdp_status status = netdp_i_losses_like(batch->losses, &kept, error);
        if (status != NETDP_OK)
            return status;
        *(netdp_losses **)context = kept;
        kept->loss = NETDP_I_NEW(double, from * kept->to_count);
        if (kept->loss == NULL)
            return netdp_i_no_memory(error);
    }
    memcpy(kept->loss + batch->first * from, batch->loss,
           (size_t)(batch->count * from) * sizeof *kept->loss);
    return NETDP_OK;
}

netdp_status netdp_losses_new(const netdp_loss_request *request, const netdp_progress *progress,
                              netdp_losses **losses, netdp_error *error)
{
    netdp_losses *made = NULL;
    netdp_status status =
        netdp_i_losses_all(request, INT64_MAX, keep_batch, &made, progress, error);
    if (status == NETDP_OK)
        *losses = made;
    else
        netdp_losses_free(made);
    return status;
}

/* Rows in batches, and who takes them: a caller, one by one, or the whole matrix. */
#include <string.h>

#include "account/losses/losses.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"

/* Where rows are not kept, the sums of a published formula take so many times their bytes. */
#define RELAY_BATCHES 16

/* One of several batches: what it tells of its observers is a part of all. */
typedef struct part {
    const netdp_progress *whole;
    double first, total;
} part;

static bool report_part(void *context, const char *what, double done, double total)
{
    const part *p = context;
    const bool observers = what != NULL && strcmp(what, "observers") == 0;
    (void)total;
    return p->whole == NULL || p->whole->report == NULL ||
           (observers ? p->whole->report(p->whole->context, what, p->first + done, p->total)
                      : p->whole->report(p->whole->context, NULL, 0, 0));
}

netdp_status netdp_i_batches_fill(const netdp_losses *losses, int32_t size,
                                  netdp_i_batch_filler fill, void *account, netdp_i_batch_sink sink,
                                  void *context, const netdp_progress *progress, netdp_error *error)
{
    const int32_t total = losses->to_count, most = size;
    const int64_t from = losses->from_count;
    netdp_status status = NETDP_OK;
    double *rows = NETDP_I_NEW(double, most *from);
    if (rows == NULL)
        return netdp_i_no_memory(error);
    for (int32_t first = 0; status == NETDP_OK && first < total; first += most) {
        const int32_t count = total - first < most ? total - first : most;
        part one = {progress, first, total};
        const netdp_progress within = {report_part, &one};
        const netdp_i_batch batch = {losses, first, count, rows};
        memset(rows, 0, (size_t)(count * from) * sizeof *rows);
        status = fill(account, first, count, rows, most < total ? &within : progress, error);
        if (status == NETDP_OK) {
            netdp_i_rows_exclude(losses, first, count, rows);
            status = sink(context, &batch, error);
        }
        if (status == NETDP_OK)
            status = netdp_i_poll(progress, error);
    }
    netdp_i_free(rows);
    return status;
}

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
    netdp_status status = NETDP_OK;
    for (int32_t v = 0; status == NETDP_OK && v < batch->count; v++)
        status = c->row(c->context, batch->losses, batch->first + v,
                        batch->loss + (int64_t)v * batch->losses->from_count, error);
    return status;
}

netdp_status netdp_losses_each(const netdp_loss_request *request, netdp_losses_row row,
                               void *context, const netdp_progress *progress, netdp_error *error)
{
    NETDP_I_GIVEN(error, request && row);
    calling c = {row, context};
    return netdp_i_losses_each(request, call_for_rows, &c, progress, error);
}

netdp_status netdp_i_losses_keep(void *context, const netdp_i_batch *batch, netdp_error *error)
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
    NETDP_I_GIVEN(error, request && losses);
    netdp_losses *made = NULL;
    netdp_status status = netdp_i_request_given(request, error);
    if (status != NETDP_OK)
        return status;
    if (request->pool > 1)
        return netdp_i_losses_pooled(request, progress, losses, error);
    status = netdp_i_losses_all(request, (netdp_i_room){NETDP_I_BATCH_BYTES, INT64_MAX}, NULL,
                                netdp_i_losses_keep, &made, progress, error);
    if (status == NETDP_OK)
        *losses = made;
    else
        netdp_losses_free(made);
    return status;
}

/* Rows in batches, and the whole matrix of them. */
#include <string.h>

#include "account/losses/losses.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"

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
    OWNED double *rows = NETDP_I_NEW(double, most *from);
    if (rows == NULL)
        return netdp_i_no_memory(error);
    for (int32_t first = 0; first < total; first += most) {
        const int32_t count = total - first < most ? total - first : most;
        part one = {progress, first, total};
        const netdp_progress within = {report_part, &one};
        const netdp_i_batch batch = {losses, first, count, rows};
        memset(rows, 0, (size_t)(count * from) * sizeof *rows);
        TRY(fill(account, first, count, rows, most < total ? &within : progress, error));
        netdp_i_rows_exclude(losses, first, count, rows);
        TRY(sink(context, &batch, error));
        TRY(netdp_i_poll(progress, error));
    }
    return NETDP_OK;
}

netdp_status netdp_i_losses_keep(void *context, const netdp_i_batch *batch, netdp_error *error)
{
    netdp_losses *kept = *(netdp_losses **)context;
    const int64_t from = batch->losses->from_count;
    if (kept == NULL) {
        TRY(netdp_i_losses_like(batch->losses, &kept, error));
        *(netdp_losses **)context = kept;
        kept->loss = NETDP_I_NEW(double, from * kept->to_count);
        if (kept->loss == NULL)
            return netdp_i_no_memory(error);
    }
    memcpy(kept->loss + batch->first * from, batch->loss,
           (size_t)(batch->count * from) * sizeof *kept->loss);
    return NETDP_OK;
}

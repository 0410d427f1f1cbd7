#include "account/walk/many/worst.h"

#include <math.h>
#include <stdlib.h>

#include "account/losses/losses.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"

/* Asked together, from the largest loss down. */
enum { BATCH = 64 };

/* At first those within this part of the largest. */
#define FIRST 0.98

/* What the own account of a pair may be, in parts of what is known of others: more than was seen. */
#define UNSEEN 1.05

/* At most so many pairs, and this part of all. */
enum { MOST = 4096 };
#define MOST_PART 0.02

typedef struct pair {
    double loss;
    int32_t observer, index;
} pair;

static int by_loss(const void *x, const void *y)
{
    const pair *a = x, *b = y;
    if (a->loss != b->loss)
        return a->loss > b->loss ? -1 : 1;
    return a->observer != b->observer ? a->observer - b->observer : a->index - b->index;
}

static int by_observer(const void *x, const void *y)
{
    const pair *a = x, *b = y;
    return a->observer != b->observer ? a->observer - b->observer : a->index - b->index;
}

/* Of pairs that are asked already, or of all, the largest loss. */
static double largest(const netdp_losses *l, const bool *alone)
{
    double most = 0;
    for (int32_t v = 0; v < l->to_count; v++)
        for (int32_t i = 0; i < l->from_count; i++) {
            const int64_t at = (int64_t)v * l->from_count + i;
            if (netdp_losses_counts(l, i, v) && (alone == NULL || alone[at]))
                most = fmax(most, l->loss[at]);
        }
    return most;
}

/* Those of at least that loss that are not asked yet, the largest first; into [room], NULL: only their number. */
static int64_t collect(const netdp_losses *l, const bool *alone, double least, pair *into)
{
    int64_t count = 0;
    for (int32_t v = 0; v < l->to_count; v++)
        for (int32_t i = 0; i < l->from_count; i++) {
            const int64_t at = (int64_t)v * l->from_count + i;
            if (alone[at] || !netdp_losses_counts(l, i, v) || !(l->loss[at] >= least))
                continue;
            if (into != NULL)
                into[count] = (pair){l->loss[at], v, i};
            count++;
        }
    if (into != NULL)
        qsort(into, (size_t)count, sizeof *into, by_loss);
    return count;
}

/* *ratio: the most that an own loss is of what it was. */
static netdp_status ask_batch(netdp_losses *l, bool *alone, pair *batch, int64_t count,
                              netdp_i_ask_alone ask, void *context, double *ratio,
                              netdp_error *error)
{
    int32_t index[BATCH];
    qsort(batch, (size_t)count, sizeof *batch, by_observer);
    for (int64_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && batch[to].observer == batch[from].observer; to++)
            index[to - from] = batch[to].index;
        TRY(ask(context, batch[from].observer, index, (int32_t)(to - from), error));
        for (int64_t k = from; k < to; k++) {
            const int64_t at = (int64_t)batch[k].observer * l->from_count + batch[k].index;
            alone[at] = true;
            *ratio = fmax(*ratio, l->loss[at] / batch[k].loss);
        }
    }
    return NETDP_OK;
}

netdp_status netdp_i_worst_alone(netdp_losses *l, bool *alone, netdp_i_ask_alone ask, void *context,
                                 netdp_error *error)
{
    const double most = fmax(MOST, MOST_PART * (double)l->from_count * l->to_count);
    double best = largest(l, alone), ratio = 1;
    for (int64_t asked = 0; (double)asked < most;) {
        const double least = best > 0 ? best / (UNSEEN * ratio) : FIRST * largest(l, NULL);
        const int64_t all = collect(l, alone, least, NULL), count = all < BATCH ? all : BATCH;
        if (all == 0 || least == 0)
            break;
        OWNED pair *found = NETDP_I_NEW(pair, all);
        if (found == NULL)
            return netdp_i_no_memory(error);
        (void)collect(l, alone, least, found);
        TRY(ask_batch(l, alone, found, count, ask, context, &ratio, error));
        best = largest(l, alone);
        asked += count;
    }
    return NETDP_OK;
}

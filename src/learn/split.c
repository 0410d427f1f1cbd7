/* Which rows train, which test, and whose they are: by places and the seed, never by what stands there, but for a dealing by labels. */
#include "learn/prepare_base.h"

#include <math.h>
#include <string.h>

#include <netdp/random.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"

static void shuffle(int64_t *row, int64_t rows, netdp_stream stream)
{
    for (int64_t i = rows - 1; i > 0; i--) {
        const int64_t j = (int64_t)netdp_stream_below(&stream, (uint64_t)i + 1);
        const int64_t swapped = row[i];
        row[i] = row[j];
        row[j] = swapped;
    }
}

/* floor(split rows) for the decimal that split was written as: 0.29 of 100 rows is 29. */
static int64_t training_part(double split, int64_t rows)
{
    const double part = floor(split * (double)rows * (1 + 0x1p-50));
    return part >= (double)rows ? rows - 1 : (int64_t)part;
}

/* Places from `first` on, shuffled: the first of them train, the others test. Never by what stands there. */
static void split_places(netdp_i_preparing *w, int64_t first, int64_t count, int64_t least,
                         uint32_t of, int64_t *row)
{
    int64_t part = training_part(w->how->split, count);
    part = part < least ? least : part;
    for (int64_t i = 0; i < count; i++)
        row[i] = w->places.row[first + i];
    shuffle(row, count, netdp_stream_at(w->how->seed, NETDP_FOR_SPLIT, of, 1));
    for (int64_t i = 0; i < part; i++) {
        w->node[w->training_rows] = w->places.node != NULL ? w->places.node[first] : 0;
        w->train[w->training_rows++] = row[i];
    }
    for (int64_t i = part; i < count; i++)
        if (row[i] >= 0)
            w->test[w->test_rows++] = row[i];
}

/* The class by which a training row is dealt; where nothing stands, the first. */
static int32_t class_of(const netdp_i_preparing *w, int64_t row)
{
    if (row < 0)
        return 0;
    return w->how->many ? (int32_t)w->y[row] : w->y[row] > 0;
}

/* Dealt by their labels, the training rows class by class. */
static netdp_status deal_skewed(netdp_i_preparing *w, netdp_error *error)
{
    const int32_t labels = (int32_t)w->labelled;
    OWNED int64_t *sorted = NETDP_I_NEW(int64_t, w->training_rows);
    int64_t count = 0;
    OWNED int64_t *trained = NETDP_I_NEW(int64_t, labels);
    TRY(sorted == NULL || trained == NULL ? netdp_i_no_memory(error) : NETDP_OK);
    for (int32_t c = 0; c < labels; c++)
        for (int64_t i = 0; i < w->training_rows; i++)
            if (class_of(w, w->train[i]) == c) {
                sorted[count++] = w->train[i];
                trained[c]++;
            }
    memcpy(w->train, sorted, (size_t)count * sizeof *sorted);
    return netdp_i_deal_skewed(w->dealing, trained, labels, w->how->nodes, w->how->seed, w->node,
                               error);
}

/* All places together; of owners each one's by themselves. */
static netdp_status split(netdp_i_preparing *w, netdp_error *error)
{
    const netdp_i_places *places = &w->places;
    int64_t *row = NETDP_I_NEW(int64_t, places->count);
    w->train = NETDP_I_NEW(int64_t, places->count);
    w->test = NETDP_I_NEW(int64_t, places->count + 1);
    w->node = NETDP_I_NEW(int32_t, places->count);
    if (row == NULL || w->train == NULL || w->test == NULL || w->node == NULL) {
        netdp_i_free(row);
        return netdp_i_no_memory(error);
    }
    if (places->node == NULL)
        split_places(w, 0, places->count, 0, 0, row);
    for (int64_t first = 0, end; places->node != NULL && first < places->count; first = end) {
        for (end = first; end < places->count && places->node[end] == places->node[first];)
            end++;
        split_places(w, first, end - first, 1, (uint32_t)places->node[first], row);
    }
    if (w->test_rows == 0) /* nothing is measured on a row of 0 */
        w->test[w->test_rows++] = -1;
    netdp_i_free(row);
    return NETDP_OK;
}

netdp_status netdp_i_split_and_deal(netdp_i_preparing *w, netdp_error *error)
{
    const netdp_i_placing placing = {.rows = w->table->rows,
                                     .empty = w->labels.empty,
                                     .owner = w->labels.owner,
                                     .column = w->how->owner,
                                     .cuts = w->how->owner_cuts,
                                     .declared = w->how->rows,
                                     .graph = w->how->graph};
    TRY(netdp_i_places_fill(&placing, &w->places, error));
    TRY(split(w, error));
    w->notes.absent = w->places.absent;
    w->notes.beyond = w->places.beyond;
    if (w->training_rows < w->how->nodes)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%lld of %lld rows train and there are %d nodes; every node needs a "
                            "row: use a smaller graph, a larger split or more data",
                            (long long)w->training_rows, (long long)w->places.count,
                            (int)w->how->nodes);
    if (w->places.node != NULL)
        return NETDP_OK;
    return w->dealing.kind == NETDP_I_DEAL_EVEN
               ? netdp_deal(w->training_rows, w->how->nodes, true, w->how->seed, w->node, error)
               : deal_skewed(w, error);
}

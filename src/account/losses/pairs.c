#include "account/losses/pairs.h"

#include <inttypes.h>
#include <math.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"

static netdp_status find_distances(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    netdp_i_pairs *p = context;
    const netdp_losses *l = p->batch.losses;
    OWNED int32_t *hops = NETDP_I_NEW(int32_t, netdp_graph_nodes(p->graph));
    if (hops == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_graph_distances(p->graph, l->to + p->batch.first + index, l->members, hops, error));
    for (int32_t i = 0; i < l->from_count; i++)
        p->distance[index * l->from_count + i] = hops[l->from[i]];
    return NETDP_OK;
}

/* The same from the other side, where fewer ask than observe. */
static netdp_status find_from_source(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    netdp_i_pairs *p = context;
    const netdp_losses *l = p->batch.losses;
    OWNED int32_t *hops = NETDP_I_NEW(int32_t, netdp_graph_nodes(p->graph));
    if (hops == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_graph_distances(p->graph, l->from + index, 1, hops, error));
    for (int64_t v = 0; v < p->batch.count; v++)
        p->distance[v * l->from_count + index] = hops[l->to[p->batch.first + v]];
    return NETDP_OK;
}

netdp_status netdp_i_pairs_new(const netdp_graph *graph, const netdp_i_batch *batch, bool distances,
                               double noise, netdp_unit unit, const netdp_progress *progress,
                               netdp_i_pairs *pairs, netdp_error *error)
{
    const int64_t count = (int64_t)batch->losses->from_count * batch->count;
    CLEARED(netdp_i_pairs_clear)
    netdp_i_pairs made = {graph, *batch, unit, NETDP_I_NEW(double, count),
                          distances ? NETDP_I_NEW(int32_t, count) : NULL};
    if (made.value == NULL || (distances && made.distance == NULL))
        return netdp_i_no_memory(error);
    TRY(netdp_i_batch_values(batch, noise, unit, made.value, progress, error));
    if (distances)
        TRY(batch->losses->members == 1 && batch->losses->from_count < batch->count
                ? netdp_i_for_each(batch->losses->from_count, find_from_source, &made, progress,
                                   NULL, error)
                : netdp_i_for_each(batch->count, find_distances, &made, progress, NULL, error));
    *pairs = made;
    made = (netdp_i_pairs){0};
    return NETDP_OK;
}

void netdp_i_pairs_clear(netdp_i_pairs *pairs)
{
    netdp_i_free(pairs->value);
    netdp_i_free(pairs->distance);
    *pairs = (netdp_i_pairs){0};
}

void netdp_i_classes_add(netdp_i_class *classes, const netdp_i_pairs *pairs)
{
    const netdp_losses *l = pairs->batch.losses;
    for (int32_t v = 0; v < pairs->batch.count; v++)
        for (int32_t i = 0; i < l->from_count; i++) {
            const int64_t at = (int64_t)v * l->from_count + i;
            const double value = pairs->value[at];
            if (!netdp_losses_counts(l, i, pairs->batch.first + v))
                continue;
            netdp_i_class *class = &classes[pairs->distance[at]];
            class->least = class->pairs == 0 ? value : fmin(class->least, value);
            class->most = fmax(class->most, value);
            class->mean += value;
            class->pairs++;
        }
}

void netdp_i_classes_end(netdp_i_class *classes, int32_t nodes)
{
    for (int32_t d = 0; d <= nodes; d++) {
        /* A sum of m terms in any order is low by at most m units of rounding. */
        const double m = (double)classes[d].pairs;
        classes[d].distance = d;
        if (m > 0)
            classes[d].mean = fmin(classes[d].most, classes[d].mean / m * (1 + 2.3e-16 * (m + 2)));
    }
}

/* Of a walk, and of Poisson batches, no number but the epsilon says what a pair learns. */
static bool has_loss(const netdp_losses *losses)
{
    return !losses->final && losses->phases == 0;
}

void netdp_i_pairs_csv_begin(FILE *out, const netdp_losses *losses, netdp_unit unit)
{
    static const char *const column[] = {
        [NETDP_AS_LOSS] = "",
        [NETDP_AS_GDP] = ",mu",
        [NETDP_AS_RDP] = ",epsilon",
        [NETDP_AS_DP] = ",epsilon",
    };
    fprintf(out, "from,to,distance%s%s\n", has_loss(losses) ? ",loss" : "", column[unit.currency]);
}

void netdp_i_pairs_csv(FILE *out, const netdp_i_pairs *pairs, int64_t first, int64_t end)
{
    const netdp_losses *l = pairs->batch.losses;
    for (int64_t at = first; at < end; at++) {
        const int32_t i = (int32_t)(at % l->from_count);
        const int32_t observer = pairs->batch.first + (int32_t)(at / l->from_count);
        if (!netdp_losses_counts(l, i, observer))
            continue;
        fprintf(out, "%" PRId32 ",", l->from[i]);
        for (int32_t k = 0; k < l->members; k++)
            fprintf(out, "%s%" PRId32, k == 0 ? "" : " ", l->to[l->members > 1 ? k : observer]);
        fprintf(out, ",%" PRId32, pairs->distance[at]);
        if (has_loss(l)) {
            fputc(',', out);
            netdp_i_print_double(out, pairs->batch.loss[at]);
        }
        if (pairs->unit.currency != NETDP_AS_LOSS) {
            fputc(',', out);
            netdp_i_print_double(out, pairs->value[at]);
        }
        fputc('\n', out);
    }
}

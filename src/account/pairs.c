#include "account/pairs.h"

#include <inttypes.h>
#include <math.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"

static netdp_status fill_observer(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    netdp_i_pairs *p = context;
    const netdp_losses *l = p->losses;
    int32_t *hops = NETDP_I_NEW(int32_t, netdp_graph_nodes(p->graph));
    if (hops == NULL)
        return netdp_i_no_memory(error);
    netdp_status status = netdp_graph_distances(p->graph, l->to + index, l->members, hops, error);
    for (int32_t i = 0; status == NETDP_OK && i < l->from_count; i++) {
        const int64_t at = index * l->from_count + i;
        p->distance[at] = hops[l->from[i]];
        p->value[at] = INFINITY;
        if (!netdp_losses_counts(l, i, (int32_t)index))
            continue;
        if (l->final)
            p->value[at] = l->loss[at];
        else
            status = netdp_loss_value(l->loss[at], p->noise, p->unit, &p->value[at], error);
    }
    netdp_i_free(hops);
    return status;
}

netdp_status netdp_i_pairs_new(const netdp_graph *graph, const netdp_losses *losses, double noise,
                               netdp_unit unit, const netdp_progress *progress,
                               netdp_i_pairs *pairs, netdp_error *error)
{
    const int64_t count = (int64_t)losses->from_count * losses->to_count;
    netdp_i_pairs made = {
        graph, losses, noise, unit, NETDP_I_NEW(double, count), NETDP_I_NEW(int32_t, count)};
    netdp_status status = NETDP_OK;
    if (made.value == NULL || made.distance == NULL)
        status = netdp_i_no_memory(error);
    if (status == NETDP_OK)
        status =
            netdp_i_for_each(losses->to_count, fill_observer, &made, progress, "conversion", error);
    if (status == NETDP_OK)
        *pairs = made;
    else
        netdp_i_pairs_clear(&made);
    return status;
}

void netdp_i_pairs_clear(netdp_i_pairs *pairs)
{
    netdp_i_free(pairs->value);
    netdp_i_free(pairs->distance);
    *pairs = (netdp_i_pairs){0};
}

netdp_status netdp_i_pairs_classes(const netdp_i_pairs *pairs, netdp_i_class **classes,
                                   netdp_error *error)
{
    const netdp_losses *l = pairs->losses;
    const int64_t n = netdp_graph_nodes(pairs->graph);
    netdp_i_class *made = NETDP_I_NEW(netdp_i_class, n + 1);
    if (made == NULL)
        return netdp_i_no_memory(error);
    for (int32_t v = 0; v < l->to_count; v++)
        for (int32_t i = 0; i < l->from_count; i++) {
            const int64_t at = (int64_t)v * l->from_count + i;
            const double value = pairs->value[at];
            if (!netdp_losses_counts(l, i, v))
                continue;
            netdp_i_class *class = &made[pairs->distance[at]];
            class->least = class->pairs == 0 ? value : fmin(class->least, value);
            class->most = fmax(class->most, value);
            class->mean += value;
            class->pairs++;
        }
    for (int64_t d = 0; d <= n; d++) {
        /* A sum of m terms in any order is low by at most m units of rounding. */
        const double m = (double)made[d].pairs;
        if (m > 0)
            made[d].mean = fmin(made[d].most, made[d].mean / m * (1 + 2.3e-16 * (m + 2)));
    }
    *classes = made;
    return NETDP_OK;
}

netdp_status netdp_i_pairs_write_csv(const netdp_i_pairs *pairs, const char *path,
                                     netdp_error *error)
{
    static const char *const column[] = {
        [NETDP_AS_LOSS] = "",
        [NETDP_AS_GDP] = ",mu",
        [NETDP_AS_RDP] = ",epsilon",
        [NETDP_AS_DP] = ",epsilon",
    };
    const netdp_losses *l = pairs->losses;
    netdp_i_output output;
    netdp_status status = netdp_i_output_open(&output, path, error);
    if (status != NETDP_OK)
        return status;
    FILE *out = output.stream;
    fprintf(out, "from,to,distance%s%s\n", l->final ? "" : ",loss", column[pairs->unit.currency]);
    for (int32_t i = 0; i < l->from_count; i++)
        for (int32_t v = 0; v < l->to_count; v++) {
            const int64_t at = (int64_t)v * l->from_count + i;
            if (!netdp_losses_counts(l, i, v))
                continue;
            fprintf(out, "%" PRId32 ",", l->from[i]);
            for (int32_t k = 0; k < l->members; k++)
                fprintf(out, "%s%" PRId32, k == 0 ? "" : " ", l->to[l->members > 1 ? k : v]);
            fprintf(out, ",%" PRId32, pairs->distance[at]);
            if (!l->final) {
                fputc(',', out);
                netdp_i_print_double(out, l->loss[at]);
            }
            if (pairs->unit.currency != NETDP_AS_LOSS) {
                fputc(',', out);
                netdp_i_print_double(out, pairs->value[at]);
            }
            fputc('\n', out);
        }
    return netdp_i_output_commit(&output, error);
}

netdp_status netdp_i_pairs_write_npy(const netdp_i_pairs *pairs, const double *matrix,
                                     const char *path, netdp_error *error)
{
    const int64_t from = pairs->losses->from_count, to = pairs->losses->to_count;
    double *turned = NETDP_I_NEW(double, from *to);
    if (turned == NULL)
        return netdp_i_no_memory(error);
    for (int64_t v = 0; v < to; v++)
        for (int64_t u = 0; u < from; u++)
            turned[u * to + v] = matrix[v * from + u];
    netdp_status status = netdp_i_npy_write(turned, from, to, path, error);
    netdp_i_free(turned);
    return status;
}

#include "account/losses/summary.h"

#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"

/* Losses that differ by less are equal up to rounding: symmetric pairs tie. */
#define TIE 1e-9

/* The least loss that ties with the largest one. */
static double least_tie(const netdp_i_summing *s)
{
    return s->largest * (1 - TIE);
}

static bool comes_first(const netdp_i_tie *a, const netdp_i_tie *b)
{
    return a->from < b->from || (a->from == b->from && a->to < b->to);
}

/*
 * Which pairs tie shows only at the end, when the largest loss is known. Until then a pair may be
 * the smallest of them unless a smaller one has a loss as large.
 */
static netdp_status add_tie(netdp_i_summing *s, netdp_i_tie one, netdp_error *error)
{
    int32_t kept = 0;
    s->largest = fmax(s->largest, one.loss);
    for (int32_t k = 0; k < s->ties; k++)
        if (comes_first(&s->tie[k], &one) && s->tie[k].loss >= one.loss)
            return NETDP_OK;
    for (int32_t k = 0; k < s->ties; k++)
        if (s->tie[k].loss >= least_tie(s) &&
            !(comes_first(&one, &s->tie[k]) && one.loss >= s->tie[k].loss))
            s->tie[kept++] = s->tie[k];
    s->ties = kept;
    if (s->ties == s->room) {
        const int32_t room = 2 * s->room + 8;
        netdp_i_tie *grown = netdp_i_grow(s->tie, room, sizeof *grown);
        if (grown == NULL)
            return netdp_i_no_memory(error);
        s->tie = grown;
        s->room = room;
    }
    s->tie[s->ties++] = one;
    return NETDP_OK;
}

static netdp_status add_row(netdp_i_summing *s, const netdp_losses *l, int32_t v,
                            const double *loss, const double *value, netdp_error *error)
{
    double sum = 0;
    for (int32_t i = 0; i < l->from_count; i++) {
        if (!netdp_losses_counts(l, i, v))
            continue;
        s->pairs++;
        sum += value[i];
        if (value[i] > s->max)
            s->max = value[i];
        if (loss[i] < least_tie(s))
            continue;
        TRY(add_tie(s, (netdp_i_tie){loss[i], l->from[i], l->to[v]}, error));
    }
    s->sum += sum;
    return NETDP_OK;
}

netdp_status netdp_i_summing_add(netdp_i_summing *summing, const netdp_i_batch *batch,
                                 const double *value, netdp_error *error)
{
    const int64_t from = batch->losses->from_count;
    for (int32_t v = 0; v < batch->count; v++)
        TRY(add_row(summing, batch->losses, batch->first + v, batch->loss + v * from,
                    value + v * from, error));
    return NETDP_OK;
}

netdp_status netdp_i_summing_end(const netdp_i_summing *summing, const netdp_losses *losses,
                                 double noise, netdp_unit unit, netdp_summary *summary,
                                 netdp_error *error)
{
    netdp_summary made = {.pairs = summing->pairs, .max = summing->max, .local = losses->local};
    const netdp_i_tie *worst = NULL;
    if (made.pairs == 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "from: every asked node is in the observer set; ask for others");
    if (!losses->final)
        TRY(netdp_losses_value(losses, losses->local, noise, unit, &made.local, error));
    /* A sum of m terms in any order is low by at most m units of rounding. */
    const double m = (double)made.pairs;
    made.mean = summing->sum / m * (1 + 2.3e-16 * (m + 2));
    if (made.mean > made.max)
        made.mean = made.max;
    for (int32_t k = 0; k < summing->ties; k++)
        if (summing->tie[k].loss >= least_tie(summing) &&
            (worst == NULL || comes_first(&summing->tie[k], worst)))
            worst = &summing->tie[k];
    made.worst_from = worst->from;
    made.worst_to = worst->to;
    *summary = made;
    return NETDP_OK;
}

void netdp_i_summing_clear(netdp_i_summing *summing)
{
    netdp_i_free(summing->tie);
    *summing = (netdp_i_summing){0};
}

/* ---- Of losses that are kept ---- */

typedef struct summary_of {
    netdp_i_summing summing;
    double noise;
    netdp_unit unit;
    const netdp_progress *progress;
    double *value; /* of a batch, or of all of them */
    bool all;
} summary_of;

static netdp_status sum_batch(void *context, const netdp_i_batch *batch, netdp_error *error)
{
    summary_of *s = context;
    double *value = s->value + (s->all ? (int64_t)batch->first * batch->losses->from_count : 0);
    TRY(netdp_i_batch_values(batch, s->noise, s->unit, value, s->progress, error));
    return netdp_i_summing_add(&s->summing, batch, value, error);
}

static netdp_status check_unit(const netdp_losses *losses, double sigma, netdp_unit unit,
                               netdp_error *error)
{
    if (losses->final && (sigma != losses->noise || unit.currency != losses->unit.currency ||
                          unit.parameter != losses->unit.parameter))
        return netdp_i_fail(error, NETDP_INVALID,
                            "these values are for noise %g and another unit; account anew",
                            losses->noise);
    return NETDP_OK;
}

static void summary_of_clear(summary_of *s)
{
    netdp_i_summing_clear(&s->summing);
}

netdp_status netdp_losses_values(const netdp_losses *losses, double sigma, netdp_unit unit,
                                 const netdp_progress *progress, double *value,
                                 netdp_summary *summary, netdp_error *error)
{
    NETDP_I_GIVEN(error, losses && value);
    CLEARED(summary_of_clear)
    summary_of s = {
        .noise = sigma, .unit = unit, .progress = progress, .value = value, .all = true};
    TRY(check_unit(losses, sigma, unit, error));
    TRY(netdp_i_losses_replay(losses, sum_batch, &s, error));
    if (summary != NULL)
        return netdp_i_summing_end(&s.summing, losses, sigma, unit, summary, error);
    return NETDP_OK;
}

netdp_status netdp_losses_summary(const netdp_losses *losses, double sigma, netdp_unit unit,
                                  netdp_summary *summary, netdp_error *error)
{
    NETDP_I_GIVEN(error, losses && summary);
    TRY(check_unit(losses, sigma, unit, error));
    const int64_t batch = netdp_i_batch_size(losses, NETDP_I_BATCH_BYTES);
    OWNED double *value = NETDP_I_NEW(double, batch * losses->from_count);
    CLEARED(summary_of_clear) summary_of s = {.noise = sigma, .unit = unit, .value = value};
    NEED(value);
    TRY(netdp_i_losses_replay(losses, sum_batch, &s, error));
    return netdp_i_summing_end(&s.summing, losses, sigma, unit, summary, error);
}

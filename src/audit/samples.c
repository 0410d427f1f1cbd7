/*
 * A mechanism of which only samples are known. An attack is learnt from a quarter of the runs,
 * chosen among a few on the next quarter, and tested on the half that is left: what it finds there
 * holds whatever was learnt before (evidence.c).
 */
#include <netdp/audit.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cblas.h>
#include <lapacke.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/try.h"
#include "mixing/dense.h"

enum {
    BINS = 64,          /* of a number that is counted */
    RUNS_A_BIN = 20,    /* at least, so that a bin's ratio says something */
    RUNS_A_NUMBER = 10, /* at least, for weights that are learnt together */
    MOST_WIDTH = 600,   /* the covariance of so many numbers */
    LEAST_LEARNT = 100, /* of each world */
};

/* How often a number lay where, in world 1 against world 0, as a score: ln of the ratio. */
typedef struct bins {
    int32_t edges; /* ascending, each once; the last bin is for what is no number */
    double edge[BINS - 1];
    double score[BINS + 1];
} bins;

/* An attack: a sample's score is linear, or read from bins of each number, or of the linear one. */
typedef enum how { LINEAR, ONE_BY_ONE, ALONG, WAYS } how;

static const char *const said[WAYS] = {"linear discriminant", "histograms of each number",
                                       "histogram of the linear discriminant"};

typedef struct attack {
    int32_t width;
    double *weight; /* [width] */
    bins *each;     /* [width], and behind them that of the linear score */
} attack;

static const double *sample_at(const netdp_samples *samples, int world, int64_t run)
{
    return samples->world[world] + run * samples->width;
}

/* ---- The linear discriminant ---- */

static double finite_or_zero(double x)
{
    return isfinite(x) ? x : 0;
}

static double linear_score(const attack *a, const double *sample)
{
    double sum = 0;
    for (int32_t k = 0; k < a->width; k++)
        sum += a->weight[k] * finite_or_zero(sample[k]);
    return isnan(sum) ? 0 : sum;
}

/* Each number less the mean of its world, in units of its own size, so that squares stay finite. */
static void centre(const netdp_samples *samples, int64_t learnt, const double *size,
                   double *centred, double *shift)
{
    const int32_t width = samples->width;
    for (int world = 0; world < 2; world++) {
        double *rows = centred + world * learnt * width;
        for (int32_t k = 0; k < width; k++) {
            double mean = 0;
            for (int64_t i = 0; i < learnt; i++) {
                double *x = &rows[i * width + k];
                *x = finite_or_zero(sample_at(samples, world, i)[k]) / size[k];
                mean += *x / (double)learnt;
            }
            for (int64_t i = 0; i < learnt; i++)
                rows[i * width + k] -= mean;
            shift[k] += world == 1 ? mean : -mean;
        }
    }
}

/* covariance^-1 (mean of world 1 - mean of world 0), from the first `learnt` runs. */
static netdp_status learn_weights(const netdp_samples *samples, int64_t learnt, attack *a,
                                  netdp_error *error)
{
    const int32_t width = a->width;
    OWNED double *centred = NETDP_I_NEW(double, 2 * learnt * width);
    OWNED double *covariance = NETDP_I_NEW(double, (int64_t)width *width);
    OWNED double *size = NETDP_I_NEW(double, width);
    if (centred == NULL || covariance == NULL || size == NULL)
        return netdp_i_no_memory(error);
    for (int32_t k = 0; k < width; k++) {
        for (int64_t i = 0; i < 2 * learnt; i++)
            size[k] = fmax(size[k], fabs(finite_or_zero(sample_at(samples, i % 2 == 1, i / 2)[k])));
        size[k] = size[k] > 0 ? size[k] : 1;
        a->weight[k] = 0;
    }
    centre(samples, learnt, size, centred, a->weight);
    netdp_i_dense_begin();
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, width, (blasint)(2 * learnt),
                1 / (double)(2 * learnt), centred, width, 0, covariance, width);
    const bool together = 2 * learnt >= (int64_t)RUNS_A_NUMBER * width;
    for (int32_t k = 0; k < width; k++) {
        /* Numbers that do not vary, or repeat others, make it singular. */
        covariance[k * width + k] += 1e-12 * covariance[k * width + k] + 1e-18;
        for (int32_t j = 0; j < k && !together; j++)
            covariance[k * width + j] = 0;
    }
    if (LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', width, 1, covariance, width, a->weight, 1) != 0)
        memset(a->weight, 0, (size_t)width * sizeof *a->weight);
    for (int32_t k = 0; k < width; k++)
        a->weight[k] = finite_or_zero(a->weight[k] / size[k]);
    return NETDP_OK;
}

/* ---- Histograms ---- */

/* How many edges are at most x; behind all, where x is no number. */
static int32_t bin_of(const bins *b, double x)
{
    if (isnan(x))
        return b->edges + 1;
    int32_t low = 0, high = b->edges;
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if (b->edge[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Edges at quantiles of both worlds together, so that what comes out exactly has a bin of its own. */
static void learn_bins(const double *value, int64_t learnt, double *sorted, bins *b)
{
    int64_t numbers = 0;
    for (int64_t i = 0; i < 2 * learnt; i++)
        if (!isnan(value[i]))
            sorted[numbers++] = value[i];
    qsort(sorted, (size_t)numbers, sizeof *sorted, netdp_i_ascending);
    const int64_t wanted = numbers / RUNS_A_BIN < BINS ? numbers / RUNS_A_BIN : BINS;
    b->edges = 0;
    for (int64_t e = 1; e < wanted; e++) {
        const double edge = sorted[e * numbers / wanted];
        if (b->edges == 0 || edge > b->edge[b->edges - 1])
            b->edge[b->edges++] = edge;
    }
    double count[2][BINS + 1];
    for (int32_t k = 0; k <= BINS; k++)
        count[0][k] = count[1][k] = 0.5;
    for (int64_t i = 0; i < 2 * learnt; i++)
        count[i / learnt][bin_of(b, value[i])]++;
    for (int32_t k = 0; k <= BINS; k++)
        b->score[k] = log(count[1][k] / count[0][k]);
}

static netdp_status learn_histograms(const netdp_samples *samples, int64_t learnt, attack *a,
                                     netdp_error *error)
{
    OWNED double *value = NETDP_I_NEW(double, 2 * learnt);
    OWNED double *sorted = NETDP_I_NEW(double, 2 * learnt);
    if (value == NULL || sorted == NULL)
        return netdp_i_no_memory(error);
    for (int32_t k = 0; k <= a->width; k++) {
        for (int64_t i = 0; i < 2 * learnt; i++) {
            const double *sample = sample_at(samples, i >= learnt, i % learnt);
            value[i] = k < a->width ? sample[k] : linear_score(a, sample);
        }
        learn_bins(value, learnt, sorted, &a->each[k]);
    }
    return NETDP_OK;
}

/* ---- The audit ---- */

static double score_of(const attack *a, how way, const double *sample)
{
    if (way == ONE_BY_ONE) {
        double sum = 0;
        for (int32_t k = 0; k < a->width; k++)
            sum += a->each[k].score[bin_of(&a->each[k], sample[k])];
        return sum;
    }
    const double linear = linear_score(a, sample);
    const bins *along = &a->each[a->width];
    return way == LINEAR ? linear : along->score[bin_of(along, linear)];
}

/* scores [2][count] of runs from .. from+count-1 */
static void score_all(const netdp_samples *samples, const attack *a, how way, int64_t from,
                      int64_t count, double *scores)
{
    for (int world = 0; world < 2; world++)
        for (int64_t i = 0; i < count; i++)
            scores[world * count + i] = score_of(a, way, sample_at(samples, world, from + i));
}

static netdp_status check(const netdp_samples *samples, netdp_error *error)
{
    if (samples->runs < 4 * LEAST_LEARNT)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%lld runs of each world; an audit of samples needs at least %d",
                            (long long)samples->runs, 4 * LEAST_LEARNT);
    if (samples->width < 1 || samples->width > MOST_WIDTH)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%d numbers a sample; an audit of samples takes 1 to %d",
                            (int)samples->width, MOST_WIDTH);
    return NETDP_OK;
}

static void attack_clear(attack *a)
{
    netdp_i_free(a->weight);
    netdp_i_free(a->each);
}

netdp_status netdp_audit_samples(const netdp_samples *samples, double confidence, double delta,
                                 bool of_mu, netdp_evidence *evidence, const char **attack_name,
                                 netdp_error *error)
{
    NETDP_I_GIVEN(error, samples && samples->world[0] && samples->world[1] && evidence);
    TRY(check(samples, error));
    /* netdp_audit_scores chooses its thresholds on the first third of what it gets. */
    const int64_t learnt = samples->runs / 4, left = samples->runs - learnt, chosen = left / 3;
    CLEARED(attack_clear) attack a = {.width = samples->width};
    a.weight = NETDP_I_NEW(double, samples->width);
    a.each = NETDP_I_NEW(bins, samples->width + 1);
    OWNED double *scores = NETDP_I_NEW(double, 2 * left);
    if (a.weight == NULL || a.each == NULL || scores == NULL)
        return netdp_i_no_memory(error);
    TRY(learn_weights(samples, learnt, &a, error));
    TRY(learn_histograms(samples, learnt, &a, error));
    how best = LINEAR;
    double most = -INFINITY;
    for (how way = LINEAR; way < WAYS; way++) {
        netdp_evidence found = {0};
        score_all(samples, &a, way, learnt, chosen, scores);
        TRY(netdp_audit_scores(&(netdp_scores){chosen, {scores, scores + chosen}}, confidence,
                               delta, &found, error));
        const double value = of_mu ? found.mu : found.epsilon;
        if (value > most) {
            most = value;
            best = way;
        }
    }
    score_all(samples, &a, best, learnt, left, scores);
    TRY(netdp_audit_scores(&(netdp_scores){left, {scores, scores + left}}, confidence, delta,
                           evidence, error));
    if (attack_name != NULL)
        *attack_name = said[best];
    return NETDP_OK;
}

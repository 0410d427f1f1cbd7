#include "account/walk/series.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

/* Below this many terms a series is inverted term by term. */
enum { SHORT = 48 };

/* The least even 2^a 3^b 5^c that is at least n. */
static int64_t good_size(int64_t n)
{
    int64_t best = INT64_MAX;
    for (int64_t fives = 1; fives <= 25; fives *= 5)
        for (int64_t threes = fives; threes <= 9 * fives; threes *= 3) {
            int64_t size = 2 * threes;
            while (size < n)
                size *= 2;
            best = size < best ? size : best;
        }
    return best;
}

/* FFTW's vector loads want the alignment that its own memory has. */
double *netdp_i_series_array(const netdp_i_series *series)
{
    double *array = fftw_alloc_real((size_t)series->size);
    if (array != NULL)
        memset(array, 0, (size_t)series->size * sizeof *array);
    return array;
}

fftw_complex *netdp_i_series_bins(const netdp_i_series *series)
{
    return fftw_alloc_complex((size_t)series->bins);
}

void netdp_i_series_drop(void *array)
{
    fftw_free(array);
}

void netdp_i_series_drop_at(void *at)
{
    void *array;
    memcpy(&array, at, sizeof array);
    netdp_i_series_drop(array);
}

void netdp_i_series_free(netdp_i_series *series)
{
    if (series == NULL)
        return;
#pragma omp critical(netdp_fftw_planner)
    for (int level = 0; level < series->levels; level++) {
        fftw_destroy_plan(series->forward[level]);
        fftw_destroy_plan(series->backward[level]);
    }
    netdp_i_free(series);
}

static bool make_plans(netdp_i_series *series)
{
    OWNED_BY(netdp_i_series_drop) double *array = netdp_i_series_array(series);
    OWNED_BY(netdp_i_series_drop) fftw_complex *bins = netdp_i_series_bins(series);
    bool made = array != NULL && bins != NULL;
    for (int level = 0; made && level < series->levels; level++) {
        const int size = (int)series->level_size[level];
#pragma omp critical(netdp_fftw_planner)
        {
            series->forward[level] = fftw_plan_dft_r2c_1d(size, array, bins, FFTW_ESTIMATE);
            series->backward[level] = fftw_plan_dft_c2r_1d(size, bins, array, FFTW_ESTIMATE);
        }
        made = series->forward[level] != NULL && series->backward[level] != NULL;
    }
    return made;
}

netdp_status netdp_i_series_new(int64_t terms, netdp_i_series **series, netdp_error *error)
{
    if (terms < 1 || terms > (INT64_C(1) << 29))
        return netdp_i_fail(error, NETDP_INVALID,
                            "rounds: sequences of %lld steps do not fit; give at most 5e8",
                            (long long)terms);
    OWNED_BY(netdp_i_series_free) netdp_i_series *made = NETDP_I_NEW(netdp_i_series, 1);
    if (made == NULL)
        return netdp_i_no_memory(error);
    made->terms = terms;
    made->size = good_size(2 * terms);
    made->bins = made->size / 2 + 1;
    /*
     * One transform is exact to (log2 N) (u + 4 sqrt(2) u) in the 2-norm (Higham 2002, Theorem
     * 24.2, with twiddles good to u): a product takes three of them and one multiplication.
     */
    made->rounding = 22 * 0x1p-53 * (log2((double)made->size) + 1);
    made->level_size[made->levels++] = made->size;
    /* Products of the doubling wrap around in their lower half only, which is not read. */
    for (int64_t reached = terms; reached > SHORT; reached = (reached + 1) / 2) {
        made->level_terms[made->levels] = reached;
        made->level_size[made->levels++] = good_size(reached);
    }
    if (!make_plans(made))
        return netdp_i_no_memory(error);
    *series = GIVE(made);
    return NETDP_OK;
}

int netdp_i_series_cuts(const netdp_i_series *series)
{
    return series->levels;
}

netdp_i_series netdp_i_series_cut(const netdp_i_series *series, int cut)
{
    netdp_i_series made = *series;
    if (cut == 0)
        return made;
    made.terms = series->level_terms[cut];
    made.size = series->level_size[cut];
    made.bins = made.size / 2 + 1;
    made.levels = 1;
    made.forward[0] = series->forward[cut];
    made.backward[0] = series->backward[cut];
    return made;
}

void netdp_i_series_transform(const netdp_i_series *series, double *a, fftw_complex *bins)
{
    memset(a + series->terms, 0, (size_t)(series->size - series->terms) * sizeof *a);
    fftw_execute_dft_r2c(series->forward[0], a, bins);
}

void netdp_i_series_restore(const netdp_i_series *series, fftw_complex *bins, double *a)
{
    const double scale = 1 / (double)series->size;
    fftw_execute_dft_c2r(series->backward[0], bins, a);
    for (int64_t t = 0; t < series->terms; t++)
        a[t] *= scale;
}

static void multiply(const fftw_complex *a, const fftw_complex *b, fftw_complex *into, int64_t bins)
{
    for (int64_t k = 0; k < bins; k++) {
        const double real = a[k][0] * b[k][0] - a[k][1] * b[k][1];
        into[k][1] = a[k][0] * b[k][1] + a[k][1] * b[k][0];
        into[k][0] = real;
    }
}

void netdp_i_series_multiply(const netdp_i_series *series, const fftw_complex *a,
                             const fftw_complex *b, fftw_complex *into)
{
    multiply(a, b, into, series->bins);
}

void netdp_i_series_accumulate(const netdp_i_series *series, const fftw_complex *a,
                               const fftw_complex *b, fftw_complex *into)
{
    for (int64_t k = 0; k < series->bins; k++) {
        into[k][0] += a[k][0] * b[k][0] - a[k][1] * b[k][1];
        into[k][1] += a[k][0] * b[k][1] + a[k][1] * b[k][0];
    }
}

static double norm(const double *a, int64_t terms)
{
    double part[8] = {0}, square = 0;
    int64_t t = 0;
    for (; t + 8 <= terms; t += 8)
        for (int i = 0; i < 8; i++)
            part[i] += a[t + i] * a[t + i];
    for (; t < terms; t++)
        square += a[t] * a[t];
    for (int i = 0; i < 8; i++)
        square += part[i];
    return sqrt(square);
}

double netdp_i_series_noise(const netdp_i_series *series, const double *a, const double *b)
{
    return series->rounding * norm(a, series->terms) * norm(b, series->terms);
}

void netdp_i_series_invert_short(const double *a, double *x, int64_t terms)
{
    x[0] = 1;
    for (int64_t t = 1; t < terms; t++) {
        double sum = 0;
        for (int64_t s = 1; s <= t; s++)
            sum += a[s] * x[t - s];
        x[t] = -sum;
    }
}

/*
 * From m to `reach` <= 2m terms: with e = a x - 1, which is 0 below m, x loses x e. Both products
 * go through transforms of `reach` terms or more: what wraps around falls below m, or is not there.
 */
static void double_terms(const netdp_i_series *series, int level, const double *a, double *x,
                         int64_t m, const netdp_i_series_work *work)
{
    const int64_t size = series->level_size[level], reach = series->level_terms[level];
    const int64_t bins = size / 2 + 1;
    double *padded = work->array[0], *product = work->array[1];
    memcpy(padded, a, (size_t)reach * sizeof *a);
    memset(padded + reach, 0, (size_t)(size - reach) * sizeof *a);
    fftw_execute_dft_r2c(series->forward[level], padded, work->bins[0]);
    memcpy(padded, x, (size_t)m * sizeof *x);
    memset(padded + m, 0, (size_t)(size - m) * sizeof *x);
    fftw_execute_dft_r2c(series->forward[level], padded, work->bins[1]);
    multiply(work->bins[0], work->bins[1], work->bins[0], bins);
    fftw_execute_dft_c2r(series->backward[level], work->bins[0], product);
    for (int64_t t = m; t < reach; t++)
        padded[t - m] = product[t] / (double)size;
    memset(padded + (reach - m), 0, (size_t)(size - (reach - m)) * sizeof *padded);
    fftw_execute_dft_r2c(series->forward[level], padded, work->bins[0]);
    multiply(work->bins[0], work->bins[1], work->bins[0], bins);
    fftw_execute_dft_c2r(series->backward[level], work->bins[0], product);
    for (int64_t t = m; t < reach; t++)
        x[t] = -product[t - m] / (double)size;
}

double netdp_i_series_invert(const netdp_i_series *series, const double *a,
                             const fftw_complex *a_bins, double *x, fftw_complex *x_bins,
                             const netdp_i_series_work *work)
{
    const int64_t least =
        series->levels > 1 ? (series->level_terms[series->levels - 1] + 1) / 2 : series->terms;
    netdp_i_series_invert_short(a, x, least);
    int64_t m = least;
    for (int level = series->levels - 1; level > 0; level--) {
        double_terms(series, level, a, x, m, work);
        m = series->level_terms[level];
    }
    /* 1/a = x - (1/a) r for the residual r = a x - 1, so |1/a| <= |x| / (1 - |r|) in 1-norms. */
    netdp_i_series_transform(series, x, x_bins);
    netdp_i_series_multiply(series, a_bins, x_bins, work->bins[0]);
    netdp_i_series_restore(series, work->bins[0], work->array[0]);
    const double noise = netdp_i_series_noise(series, a, x);
    double most = fabs(work->array[0][0] - 1), all = most, sum = fabs(x[0]);
    for (int64_t t = 1; t < series->terms; t++) {
        const double off = fabs(work->array[0][t]);
        most = off > most ? off : most;
        all += off;
        sum += fabs(x[t]);
    }
    const double small = all + noise * (double)series->terms;
    return small < 0.5 ? sum / (1 - small) * (most + noise) : INFINITY;
}

double netdp_i_series_sum(const double *a, int64_t terms)
{
    double part[8] = {0}, sum = 0;
    int64_t t = 0;
    for (; t + 8 <= terms; t += 8)
        for (int i = 0; i < 8; i++)
            part[i] += a[t + i];
    for (; t < terms; t++)
        sum += a[t];
    for (int i = 0; i < 8; i++)
        sum += part[i];
    return sum;
}

void netdp_i_series_raise(double *a, int64_t from, int64_t terms, double noise)
{
    for (int64_t t = 0; t < from && t < terms; t++)
        a[t] = 0;
    for (int64_t t = from; t < terms; t++)
        a[t] = (a[t] > 0 ? a[t] : 0) + noise;
}

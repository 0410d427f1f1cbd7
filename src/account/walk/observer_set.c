#include "account/walk/observer_set.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

void netdp_i_observer_set_free(netdp_i_observer_set *watch)
{
    if (watch == NULL)
        return;
    const int64_t square = (int64_t)watch->members * watch->members;
    for (int64_t i = 0; watch->inverse != NULL && i < square; i++)
        netdp_i_series_drop(watch->inverse[i]);
    for (int64_t i = 0; watch->inverse_array != NULL && i < square; i++)
        netdp_i_series_drop(watch->inverse_array[i]);
    netdp_i_free(watch->inverse);
    netdp_i_free(watch->inverse_array);
    netdp_i_free(watch);
}

/* into -= a b, over arrays; `bins`: two. */
static void subtract_product(const netdp_i_series *series, double *a, double *b, double *into,
                             double *product, fftw_complex *const bins[2])
{
    netdp_i_series_transform(series, a, bins[0]);
    netdp_i_series_transform(series, b, bins[1]);
    netdp_i_series_multiply(series, bins[0], bins[1], bins[0]);
    netdp_i_series_restore(series, bins[0], product);
    for (int64_t t = 0; t < series->terms; t++)
        into[t] -= product[t];
}

/* What inverting takes. */
typedef struct rooms {
    fftw_complex *bins[2];
    netdp_i_series_work work;
} rooms;

static void rooms_clear(rooms *r)
{
    for (int i = 0; i < 2; i++) {
        netdp_i_series_drop(r->bins[i]);
        netdp_i_series_drop(r->work.array[i]);
        netdp_i_series_drop(r->work.bins[i]);
    }
}

static bool rooms_new(const netdp_i_series *series, rooms *r)
{
    bool whole = true;
    for (int i = 0; i < 2; i++) {
        r->bins[i] = netdp_i_series_bins(series);
        r->work.array[i] = netdp_i_series_array(series);
        r->work.bins[i] = netdp_i_series_bins(series);
        whole = whole && r->bins[i] != NULL && r->work.array[i] != NULL && r->work.bins[i] != NULL;
    }
    return whole;
}

/*
 * Gauss-Jordan over power series: G_FF(0) is the identity, so every pivot begins with 1. `m` holds
 * G on entry and its inverse at the end.
 */
static netdp_status invert_matrix(netdp_i_observer_set *watch, double **m, netdp_error *error)
{
    const netdp_i_series *series = watch->series;
    const int32_t f = watch->members;
    const size_t bytes = (size_t)series->terms * sizeof(double);
    OWNED_BY(netdp_i_series_drop) double *pivot = netdp_i_series_array(series);
    OWNED_BY(netdp_i_series_drop) double *factor = netdp_i_series_array(series);
    OWNED_BY(netdp_i_series_drop) double *product = netdp_i_series_array(series);
    CLEARED(rooms_clear) rooms r = {0};
    if (pivot == NULL || factor == NULL || product == NULL || !rooms_new(series, &r))
        return netdp_i_no_memory(error);
    fftw_complex *const *bins = r.bins;
    for (int32_t p = 0; p < f; p++) {
        netdp_i_series_transform(series, m[p * f + p], bins[0]);
        watch->noise = 4 * (watch->noise + netdp_i_series_invert(series, m[p * f + p], bins[0],
                                                                 pivot, bins[1], &r.work));
        for (int32_t j = 0; j < f; j++) { /* the pivot's row, times 1/pivot */
            double *entry = m[p * f + j];
            if (j == p) {
                memcpy(entry, pivot, bytes);
                continue;
            }
            memset(factor, 0, bytes);
            subtract_product(series, entry, pivot, factor, product, bins);
            for (int64_t t = 0; t < series->terms; t++)
                entry[t] = -factor[t];
        }
        for (int32_t i = 0; i < f; i++) {
            if (i == p)
                continue;
            memcpy(factor, m[i * f + p], bytes);
            memset(m[i * f + p], 0, bytes);
            for (int32_t j = 0; j < f; j++)
                subtract_product(series, factor, m[p * f + j], m[i * f + j], product, bins);
        }
    }
    return NETDP_OK;
}

/*
 * The residual R = G_FF G_FF^-1 - I as it came out. Laws of first visits made with the inverse are
 * off by themselves times R, so by its largest coefficient at most.
 */
static netdp_status find_noise(netdp_i_observer_set *watch, const double *const *between,
                               netdp_error *error)
{
    const netdp_i_series *series = watch->series;
    const int32_t members = watch->members;
    OWNED_BY(netdp_i_series_drop) double *a = netdp_i_series_array(series);
    OWNED_BY(netdp_i_series_drop) fftw_complex *bins = netdp_i_series_bins(series);
    OWNED_BY(netdp_i_series_drop) fftw_complex *sum = netdp_i_series_bins(series);
    double largest = 0;
    if (a == NULL || bins == NULL || sum == NULL)
        return netdp_i_no_memory(error);
    for (int32_t f = 0; f < members; f++)
        for (int32_t h = 0; h < members; h++) {
            double noise = 0, most = 0;
            memset(sum, 0, (size_t)series->bins * sizeof *sum);
            for (int32_t g = 0; g < members; g++) {
                const int64_t gh = (int64_t)g * members + h;
                memcpy(a, between[f * members + g], (size_t)series->terms * sizeof *a);
                noise += netdp_i_series_noise(series, a, watch->inverse_array[gh]);
                netdp_i_series_transform(series, a, bins);
                netdp_i_series_accumulate(series, bins, watch->inverse[gh], sum);
            }
            netdp_i_series_restore(series, sum, a);
            a[0] -= f == h ? 1 : 0;
            for (int64_t t = 0; t < series->terms; t++)
                most = fmax(most, fabs(a[t]));
            largest = fmax(largest, most + noise);
        }
    if (isfinite(watch->noise)) /* it was inverted at all */
        watch->noise = largest;
    return NETDP_OK;
}

netdp_status netdp_i_observer_set_new(const netdp_i_series *series, int32_t members,
                                      const double *const *between, bool release,
                                      netdp_i_observer_set **watch, netdp_error *error)
{
    const int64_t square = (int64_t)members * members;
    OWNED_BY(netdp_i_observer_set_free)
    netdp_i_observer_set *made = NETDP_I_NEW(netdp_i_observer_set, 1);
    if (made == NULL)
        return netdp_i_no_memory(error);
    made->series = series;
    made->members = members;
    made->release = release;
    made->inverse = NETDP_I_NEW(fftw_complex *, square);
    made->inverse_array = NETDP_I_NEW(double *, square);
    if (made->inverse == NULL || made->inverse_array == NULL)
        return netdp_i_no_memory(error);
    for (int64_t i = 0; i < square; i++) {
        made->inverse[i] = netdp_i_series_bins(series);
        made->inverse_array[i] = netdp_i_series_array(series);
        if (made->inverse[i] == NULL || made->inverse_array[i] == NULL)
            return netdp_i_no_memory(error);
        memcpy(made->inverse_array[i], between[i], (size_t)series->terms * sizeof(double));
    }
    TRY(invert_matrix(made, made->inverse_array, error));
    for (int64_t i = 0; i < square; i++)
        netdp_i_series_transform(series, made->inverse_array[i], made->inverse[i]);
    TRY(find_noise(made, between, error));
    *watch = GIVE(made);
    return NETDP_OK;
}

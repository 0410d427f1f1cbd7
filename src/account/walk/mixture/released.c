#include "account/walk/mixture/released.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"

/* Convolutions of laws in time, one a contribution. */
enum { MOST = 512 };

/* Laws of the walk's length, and what each of their terms may be off. */
typedef struct rooms {
    double *returns, *now;
    fftw_complex *bins_returns, *bins_now;
} rooms;

/* r->returns = the law of the steps from u back to u. Returns what a term of it may be off. */
static double find_returns(netdp_i_returns *hunt, rooms *r)
{
    const netdp_i_series *series = hunt->watch->series;
    netdp_i_series_transform(series, hunt->returns, hunt->bins_a);
    const double noise = netdp_i_series_invert(series, hunt->returns, hunt->bins_a, r->returns,
                                               r->bins_returns, &hunt->work);
    /* the first arrival at u: presence over G_uu */
    netdp_i_series_transform(series, hunt->presence, r->bins_now);
    netdp_i_series_multiply(series, r->bins_now, r->bins_returns, r->bins_now);
    netdp_i_series_restore(series, r->bins_now, r->now);
    return noise;
}

/* r->now = r->now times the law r->returns; returns what a term may be off, `off` and `noise` before. */
static double convolve(const netdp_i_series *series, rooms *r, double off, double noise)
{
    const double back =
        netdp_i_series_sum(r->returns, series->terms) + (double)series->terms * noise;
    const double made = off * back + noise * netdp_i_series_sum(r->now, series->terms) +
                        netdp_i_series_noise(series, r->now, r->returns);
    netdp_i_series_transform(series, r->now, r->bins_now);
    netdp_i_series_multiply(series, r->bins_now, r->bins_returns, r->bins_now);
    netdp_i_series_restore(series, r->bins_now, r->now);
    return made;
}

/*
 * r->now = the law of F's first visit after the last contribution that counts. Returns what a term may be
 * off.
 */
static double find_last(netdp_i_returns *hunt, int64_t cap, rooms *r)
{
    const netdp_i_series *series = hunt->watch->series;
    const int64_t terms = series->terms;
    const double noise = find_returns(hunt, r);
    double off = netdp_i_series_noise(series, hunt->presence, r->returns) +
                 noise * netdp_i_series_sum(hunt->presence, terms);
    for (int64_t t = 0; t < terms; t++)
        r->returns[t] = t == 0 ? 0 : fmax(0, -r->returns[t]);
    netdp_i_series_transform(series, r->returns, r->bins_returns);
    for (int64_t k = 1; k < cap; k++)
        off = convolve(series, r, off, noise);
    memset(r->returns, 0, (size_t)terms * sizeof(double));
    for (int32_t f = 0; f < hunt->watch->members; f++)
        for (int64_t t = 0; t < terms; t++)
            r->returns[t] += hunt->first[f][t];
    netdp_i_series_transform(series, r->returns, r->bins_returns);
    off = convolve(series, r, off, hunt->watch->members * hunt->noise_first);
    return off;
}

netdp_status netdp_i_released_open(netdp_i_returns *hunt, int64_t cap, double *open,
                                   netdp_error *error)
{
    const netdp_i_series *series = hunt->watch->series;
    const int64_t steps = series->terms - 1;
    rooms r = {netdp_i_series_array(series), netdp_i_series_array(series),
               netdp_i_series_bins(series), netdp_i_series_bins(series)};
    const bool whole =
        r.returns != NULL && r.now != NULL && r.bins_returns != NULL && r.bins_now != NULL;
    *open = 1;
    if (whole && cap <= MOST) {
        const double off = find_last(hunt, cap, &r);
        double come = 0;
        for (int64_t t = 0; t <= steps; t++) {
            come += r.now[t] - off;
            *open = fmin(*open, fmax(0, 1 - come));
        }
        *open += 1e-12;
    }
    netdp_i_series_drop(r.returns);
    netdp_i_series_drop(r.now);
    netdp_i_series_drop(r.bins_returns);
    netdp_i_series_drop(r.bins_now);
    return whole ? NETDP_OK : netdp_i_no_memory(error);
}

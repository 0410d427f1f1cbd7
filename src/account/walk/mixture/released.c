#include "account/walk/mixture/released.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"

/* Convolutions of laws in time, one a contribution. */
enum { MOST = 512 };

/* It is looked at so many first parts of the walk too, each shorter by so much, since less is rounded there. */
enum { PARTS = 4, SHORTER = 4, SHORTEST = 256 };

/* Laws of the walk's length, and what each of their terms may be off. */
typedef struct rooms {
    double *returns, *now;
    fftw_complex *bins_returns, *bins_now;
    int64_t steps; /* of the part at hand */
} rooms;

/* The first terms up to `steps`. */
static void begin_with(const double *law, int64_t steps, int64_t terms, double *into)
{
    for (int64_t t = 0; t < terms; t++)
        into[t] = t <= steps ? law[t] : 0;
}

/* A law up to there, of which what is below 0 is rounding. */
static void cut_off(const netdp_i_series *series, rooms *r)
{
    for (int64_t t = 0; t < series->terms; t++)
        r->now[t] = t <= r->steps ? fmax(0, r->now[t]) : 0;
}

/* r->returns = the law of the steps from u back to u. Returns what a term of it may be off. */
static double find_returns(netdp_i_returns *hunt, rooms *r, double *off)
{
    const netdp_i_series *series = hunt->watch->series;
    netdp_i_series_transform(series, hunt->returns, hunt->bins_a);
    const double noise = netdp_i_series_invert(series, hunt->returns, hunt->bins_a, r->returns,
                                               r->bins_returns, &hunt->work);
    /* the first arrival at u: presence over G_uu */
    *off = netdp_i_series_noise(series, r->now, r->returns) +
           noise * netdp_i_series_sum(r->now, series->terms);
    netdp_i_series_transform(series, r->now, r->bins_now);
    netdp_i_series_multiply(series, r->bins_now, r->bins_returns, r->bins_now);
    netdp_i_series_restore(series, r->bins_now, r->now);
    cut_off(series, r);
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
    cut_off(series, r);
    return made;
}

/*
 * r->returns = the law of F's first visit from u, with its transform; not hunt->first, which is raised. Returns
 * what a term may be off.
 */
static double find_first(netdp_i_returns *hunt, rooms *r)
{
    const netdp_i_observer_set *watch = hunt->watch;
    const netdp_i_series *series = watch->series;
    double noise = watch->members * watch->noise;
    memset(hunt->bins_b, 0, (size_t)series->bins * sizeof *hunt->bins_b);
    for (int32_t g = 0; g < watch->members; g++) {
        begin_with(hunt->arrivals[g], r->steps, series->terms, r->returns);
        netdp_i_series_transform(series, r->returns, hunt->bins_a);
        for (int32_t f = 0; f < watch->members; f++) {
            const int64_t gf = (int64_t)g * watch->members + f;
            netdp_i_series_accumulate(series, hunt->bins_a, watch->inverse[gf], hunt->bins_b);
            noise += netdp_i_series_noise(series, r->returns, watch->inverse_array[gf]);
        }
    }
    netdp_i_series_restore(series, hunt->bins_b, r->returns);
    for (int64_t t = 0; t < series->terms; t++)
        r->returns[t] = t == 0 ? 0 : fmax(0, r->returns[t]);
    netdp_i_series_transform(series, r->returns, r->bins_returns);
    return noise;
}

/*
 * r->now = the law of F's first visit after the last contribution that counts. Returns what a term may be
 * off.
 */
static double find_last(netdp_i_returns *hunt, int64_t cap, rooms *r)
{
    const netdp_i_series *series = hunt->watch->series;
    const int64_t terms = series->terms;
    double off = 0;
    begin_with(hunt->presence, r->steps, terms, r->now);
    const double noise = find_returns(hunt, r, &off);
    for (int64_t t = 0; t < terms; t++)
        r->returns[t] = t == 0 ? 0 : fmax(0, -r->returns[t]);
    netdp_i_series_transform(series, r->returns, r->bins_returns);
    for (int64_t k = 1; k < cap; k++)
        off = convolve(series, r, off, noise);
    return convolve(series, r, off, find_first(hunt, r));
}

netdp_status netdp_i_released_open(netdp_i_returns *hunt, int64_t cap, double *open,
                                   netdp_error *error)
{
    const netdp_i_series *series = hunt->watch->series;
    const int64_t steps = series->terms - 1;
    rooms r = {netdp_i_series_array(series), netdp_i_series_array(series),
               netdp_i_series_bins(series), netdp_i_series_bins(series), steps};
    const bool whole =
        r.returns != NULL && r.now != NULL && r.bins_returns != NULL && r.bins_now != NULL;
    *open = 1;
    for (int i = 0; i < PARTS && whole && cap <= MOST && (i == 0 || r.steps >= SHORTEST); i++) {
        const double off = find_last(hunt, cap, &r);
        double come = 0;
        for (int64_t t = 0; t <= r.steps; t++) {
            come += r.now[t] - off;
            *open = fmin(*open, fmax(0, 1 - come) + 1e-12);
        }
        r.steps /= SHORTER;
    }
    netdp_i_series_drop(r.returns);
    netdp_i_series_drop(r.now);
    netdp_i_series_drop(r.bins_returns);
    netdp_i_series_drop(r.bins_now);
    return whole ? NETDP_OK : netdp_i_no_memory(error);
}

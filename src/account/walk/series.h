/*
 * Power series with `terms` coefficients, multiplied by FFT: sequences in time, cut at the end of
 * the walk. Every product comes with a bound on the transforms' rounding.
 */
#ifndef NETDP_I_SERIES_H
#define NETDP_I_SERIES_H

#include <stdint.h>
#include <fftw3.h>
#include <netdp/status.h>

#include "base/try.h"

/* Plans for one length; shared by all threads. */
typedef struct netdp_i_series {
    int64_t terms;
    int64_t size;    /* of the transforms: at least 2 terms - 1 */
    int64_t bins;    /* size / 2 + 1 */
    double rounding; /* of a product, in parts of the factors' 2-norms */
    int levels;      /* of the doubling that inverts a series */
    int64_t level_terms[48];
    fftw_plan forward[48], backward[48]; /* level 0: of `size`; others: of level_terms, or more */
    int64_t level_size[48];
} netdp_i_series;

/* A coefficient array [terms] and a transform [bins], aligned as FFTW wants them. */
double *netdp_i_series_array(const netdp_i_series *series);
fftw_complex *netdp_i_series_bins(const netdp_i_series *series);
void netdp_i_series_drop(void *array);

/* The same of what stands at this address. */
void netdp_i_series_drop_at(void *at);

netdp_status netdp_i_series_new(int64_t terms, netdp_i_series **series, netdp_error *error);
void netdp_i_series_free(netdp_i_series *series);
OWNER(netdp_i_series_free, netdp_i_series)

/*
 * The same with shorter transforms: cut 1 has all terms, each next one about half as many. Its
 * products wrap around: the terms from `size` on are added to the first ones. Cut 0 is `series`. A
 * cut borrows plans, is not to be freed and inverts nothing; its arrays are those of `series`.
 */
int netdp_i_series_cuts(const netdp_i_series *series);
netdp_i_series netdp_i_series_cut(const netdp_i_series *series, int cut);

/* Arrays are netdp_i_series_array's: their room behind `terms` is used. */
void netdp_i_series_transform(const netdp_i_series *series, double *a, fftw_complex *bins);

/* The first `terms` coefficients of what the bins are the transform of; the bins are lost. */
void netdp_i_series_restore(const netdp_i_series *series, fftw_complex *bins, double *a);

/* into = a b, or into += a b, bin by bin. */
void netdp_i_series_multiply(const netdp_i_series *series, const fftw_complex *a,
                             const fftw_complex *b, fftw_complex *into);
void netdp_i_series_accumulate(const netdp_i_series *series, const fftw_complex *a,
                               const fftw_complex *b, fftw_complex *into);

double netdp_i_series_sum(const double *a, int64_t terms);

/*
 * a = max(0, a) + noise from the coefficient `from` on, 0 before it: probabilities below 0 are
 * rounding, and the bound on the rounding is added where there may be any.
 */
void netdp_i_series_raise(double *a, int64_t from, int64_t terms, double noise);

/* Bound on the error of each coefficient of a product made from these two. */
double netdp_i_series_noise(const netdp_i_series *series, const double *a, const double *b);

/* x, the first terms of 1 / a, term by term; a[0] = 1. */
void netdp_i_series_invert_short(const double *a, double *x, int64_t terms);

/*
 * x = 1/a for a[0] = 1, with x's transform. `a_bins` is a's. Returns a bound on the error of each
 * coefficient, infinity where the residual is not small. `work`: two arrays, two bins.
 */
typedef struct netdp_i_series_work {
    double *array[2];
    fftw_complex *bins[2];
} netdp_i_series_work;

double netdp_i_series_invert(const netdp_i_series *series, const double *a,
                             const fftw_complex *a_bins, double *x, fftw_complex *x_bins,
                             const netdp_i_series_work *work);

#endif

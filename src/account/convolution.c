#include "account/convolution.h"

#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <string.h>

#include "account/impulse.h"
#include "base/fail.h"
#include "base/memory.h"

/* Longest response, longest one whose lags are all formed, and the finest grid of omega. */
enum { LONGEST = 200000, LAGS = 6000, FINEST = 1 << 22 };

typedef struct impulse {
    int32_t width;   /* numbers of one slot: `every` rounds of `seen` */
    int64_t slots;   /* length of the response in slots */
    double *h;       /* [slots][width] */
    double sum_last; /* sum over ages of |response of the last sum| */
} impulse;

static double dot(const double *a, const double *b, int32_t width)
{
    double sum = 0;
    for (int32_t i = 0; i < width; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The response by age until it is over, in slots; and how much the last sum hears of all ages. */
static netdp_status impulse_new(const netdp_linear *protocol, const netdp_i_basis *basis,
                                const netdp_i_gains *gains, int32_t from, impulse *made,
                                netdp_error *error)
{
    const int64_t every = protocol->every, rounds = protocol->rounds;
    netdp_i_impulse by_age = {0};
    netdp_status status =
        netdp_i_impulse_new(gains, basis->rows + (int64_t)from * basis->modes, 1, 1,
                            rounds < LONGEST ? rounds : LONGEST, &by_age, NULL, error);
    if (status != NETDP_OK)
        return status;
    const int64_t seen = by_age.seen, ages = by_age.ages;
    made->width = (int32_t)(every * seen);
    made->slots = (ages + every - 1) / every;
    made->h = NETDP_I_NEW(double, made->slots * made->width);
    if (!by_age.over && ages < rounds)
        status = netdp_i_fail(error, NETDP_NO_ANSWER,
                              "a contribution is felt for more than %d rounds here; use "
                              "--bound everything, or a --pattern",
                              LONGEST);
    else if (made->h == NULL)
        status = netdp_i_no_memory(error);
    else
        memcpy(made->h, by_age.w, (size_t)(ages * seen) * sizeof *made->h);
    for (int64_t age = (rounds - 1) % every; by_age.last != NULL && age < ages; age += every) {
        const double *heard = by_age.last + age * seen;
        made->sum_last += sqrt(dot(heard, heard, by_age.seen));
    }
    netdp_i_impulse_clear(&by_age);
    return status;
}

/* |M_kk| + 2 sum_d sup_J |sum_{j <= J} h_j h_{j+d}|: a row of |M| for any age of the stream. */
static double row_sum(const impulse *h)
{
    if (h->slots > LAGS)
        return INFINITY;
    double row = 0;
    for (int64_t d = 0; d < h->slots; d++) {
        double partial = 0, largest = 0;
        for (int64_t j = 0; j + d < h->slots; j++) {
            partial += dot(h->h + j * h->width, h->h + (j + d) * h->width, h->width);
            largest = fmax(largest, fabs(partial));
        }
        row += d == 0 ? largest : 2 * largest;
    }
    return row;
}

/* |H|^2 on `points` / 2 + 1 equidistant omega in [0, pi], summed over the numbers of a slot. */
static netdp_status symbol(const impulse *h, int64_t points, double *energy, netdp_error *error)
{
    double *in = NULL;
    fftw_complex *out = NULL;
    fftw_plan plan = NULL;
    /* The planner is the only part of FFTW that may not run twice at once. */
#pragma omp critical(netdp_fftw_planner)
    {
        in = fftw_alloc_real((size_t)points);
        out = fftw_alloc_complex((size_t)points / 2 + 1);
        if (in != NULL && out != NULL)
            plan = fftw_plan_dft_r2c_1d((int)points, in, out, FFTW_ESTIMATE);
    }
    if (plan != NULL) {
        memset(energy, 0, (size_t)(points / 2 + 1) * sizeof *energy);
        for (int32_t i = 0; i < h->width; i++) {
            memset(in, 0, (size_t)points * sizeof *in);
            for (int64_t j = 0; j < h->slots; j++)
                in[j] = h->h[j * h->width + i];
            fftw_execute(plan);
            for (int64_t k = 0; k <= points / 2; k++)
                energy[k] += creal(out[k]) * creal(out[k]) + cimag(out[k]) * cimag(out[k]);
        }
    }
#pragma omp critical(netdp_fftw_planner)
    {
        if (plan != NULL)
            fftw_destroy_plan(plan);
        fftw_free(in);
        fftw_free(out);
    }
    return plan == NULL ? netdp_i_no_memory(error) : NETDP_OK;
}

/* sup |H|: the largest on a grid, plus what a Lipschitz function can rise between its points. */
static netdp_status symbol_norm(const impulse *h, double *norm, double *peak, netdp_error *error)
{
    double slope = 0;
    int64_t points = 256;
    for (int64_t j = 0; j < h->slots; j++)
        slope += (double)j * sqrt(dot(h->h + j * h->width, h->h + j * h->width, h->width));
    while (points < 16 * h->slots)
        points *= 2;
    for (;; points *= 4) {
        double *energy = NETDP_I_NEW(double, points / 2 + 1);
        if (energy == NULL)
            return netdp_i_no_memory(error);
        netdp_status status = symbol(h, points, energy, error);
        int64_t at = 0;
        for (int64_t k = 0; status == NETDP_OK && k <= points / 2; k++)
            if (energy[k] > energy[at])
                at = k;
        const double largest = sqrt(energy[at]), rise = M_PI / (double)points * slope;
        netdp_i_free(energy);
        if (status != NETDP_OK)
            return status;
        *norm = (largest + rise) * (1 + 1e-12);
        *peak = 2 * M_PI * (double)at / (double)points;
        if (rise < 1e-5 * largest || points >= FINEST)
            return NETDP_OK;
    }
}

netdp_status netdp_i_convolve(const netdp_linear *protocol, const netdp_i_basis *basis,
                              const netdp_i_gains *gains, int32_t from, netdp_i_convolution *bounds,
                              netdp_error *error)
{
    impulse h = {0};
    double norm = 0, peak = 0;
    netdp_status status = impulse_new(protocol, basis, gains, from, &h, error);
    if (status == NETDP_OK)
        status = symbol_norm(&h, &norm, &peak, error);
    if (status == NETDP_OK) {
        const double slots = (double)((protocol->rounds - 1) / protocol->every + 1);
        const double most = (double)netdp_linear_contributions(protocol);
        const double early = fmin(most, ceil((double)(gains->count - 1) / (double)protocol->every));
        const double late = fmin(most, slots - early);
        const double last = h.sum_last * h.sum_last;
        const double row = row_sum(&h);
        /* |B c|^2 <= (|B_early c| + |B_late c|)^2, and M <= I bounds the early part by its number.
         */
        const double by_norm = sqrt(early) + norm * sqrt(late);
        const double by_row = sqrt(early) + sqrt(late * row);
        *bounds = (netdp_i_convolution){
            .abs_sum = by_row * by_row + last, .spectral = by_norm * by_norm + last, .peak = peak};
    }
    netdp_i_free(h.h);
    return status;
}

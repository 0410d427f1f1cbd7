/* Identity maps: c = k^2 / L (docs/proofs/excursion.md). */
#include <math.h>
#include <string.h>

#include "account/walk/excursion.h"

/* hunt->last = first visit of v; hunt->start = first visit of u where it comes before that of v. */
static void find_entrances(netdp_i_returns *hunt, double *presence)
{
    const netdp_i_observer_set *watch = hunt->watch;
    const netdp_i_series *series = watch->series;
    const int64_t terms = series->terms;
    netdp_i_series_transform(series, presence, hunt->bins_a);
    netdp_i_series_multiply(series, hunt->bins_a, watch->inverse[0], hunt->bins_a);
    netdp_i_series_restore(series, hunt->bins_a, hunt->last);
    for (int64_t t = 0; t < terms; t++)
        hunt->last[t] = fmax(0, hunt->last[t]);
    const double noise = netdp_i_series_noise(series, presence, watch->inverse_array[0]) +
                         watch->noise * netdp_i_series_sum(presence, terms);
    /* (presence at u, v not visited) / H, and 1/H = 1 - Phi_uu */
    netdp_i_series_transform(series, hunt->last, hunt->bins_a);
    netdp_i_series_multiply(series, hunt->bins_a, hunt->bins_found[0], hunt->bins_a);
    netdp_i_series_restore(series, hunt->bins_a, hunt->mass);
    for (int64_t t = 0; t < terms; t++)
        hunt->mass[t] = hunt->presence[t] - hunt->mass[t];
    netdp_i_series_transform(series, hunt->mass, hunt->bins_a);
    netdp_i_series_multiply(series, hunt->bins_a, hunt->bins_again, hunt->bins_b);
    netdp_i_series_restore(series, hunt->bins_b, hunt->start);
    for (int64_t t = 0; t < terms; t++)
        hunt->start[t] = hunt->mass[t] - hunt->start[t];
    netdp_i_series_raise(
        hunt->start, 0, terms,
        2 * noise * (1 + hunt->back[0] * netdp_i_series_sum(hunt->arrivals[0], terms)) +
            2 * hunt->noise_out);
    netdp_i_series_raise(hunt->last, 0, terms, noise);
}

/* A part of the path from the start, or from a visit of v, to the next visit of v. */
typedef struct piece {
    const double *law; /* up to u's first contribution, times `scale`, with its transform */
    const fftw_complex *bins;
    double scale;
    double *into;
    int64_t less; /* noise terms of the piece that the observer drew itself */
} piece;

/* into += (e^{theta k^2 / L} - 1) law, the law with k visits of u from bins_run. Returns the sum.
 */
static double add_squares(netdp_i_returns *hunt, const piece *p, const double *run, double theta,
                          int64_t k)
{
    const netdp_i_series *series = hunt->watch->series;
    double *law = hunt->mass, sum = 0;
    const double noise = p->scale * netdp_i_series_noise(series, run, p->law);
    netdp_i_series_multiply(series, hunt->bins_run, p->bins, hunt->bins_a);
    netdp_i_series_restore(series, hunt->bins_a, law);
    for (int64_t t = k + p->less; t < series->terms; t++) {
        const double square = (double)k * (double)k / (double)(t - p->less);
        const double add = (fmax(0, law[t] * p->scale) + noise) * expm1(theta * square);
        p->into[t] += add;
        sum += add;
    }
    return sum;
}

/* The laws with more than k visits, e^theta each; `last`: that of k, with its transform. */
static void add_rest(netdp_i_returns *hunt, const piece pieces[2], const double *last, double theta,
                     int64_t k)
{
    const netdp_i_series *series = hunt->watch->series;
    double *run = hunt->run;
    double noise = netdp_i_returns_sum_rest(hunt, theta, hunt->again) *
                   netdp_i_series_sum(last, series->terms);
    noise += netdp_i_series_noise(series, last, hunt->rest);
    netdp_i_series_multiply(series, hunt->bins_run, hunt->bins_rest, hunt->bins_run);
    netdp_i_series_restore(series, hunt->bins_run, run);
    netdp_i_series_raise(run, k + 1, series->terms, noise);
    netdp_i_series_transform(series, run, hunt->bins_run);
    for (int i = 0; i < 2; i++) {
        const piece *p = &pieces[i];
        const double more = p->scale * netdp_i_series_noise(series, run, p->law);
        netdp_i_series_multiply(series, hunt->bins_run, p->bins, hunt->bins_a);
        netdp_i_series_restore(series, hunt->bins_a, hunt->mass);
        for (int64_t t = k + 1 + p->less; t < series->terms; t++)
            p->into[t] += exp(theta * (double)k) * (fmax(0, hunt->mass[t] * p->scale) + more);
    }
}

double netdp_i_excursion_linear(netdp_i_returns *hunt, double theta, double *presence)
{
    const netdp_i_observer_set *watch = hunt->watch;
    const netdp_i_series *series = watch->series;
    const int64_t terms = series->terms, most = 8 * netdp_i_returns_most_visits(terms);
    const double loop = netdp_i_series_sum(hunt->again, terms), heavy = exp(theta) * loop;
    double *first = hunt->gain, *later = hunt->ends, gained = 0;
    if (theta > NETDP_I_LARGEST_THETA)
        return INFINITY;
    netdp_i_series_transform(series, hunt->again, hunt->bins_again);
    find_entrances(hunt, presence);
    memset(first, 0, (size_t)terms * sizeof *first);
    memset(later, 0, (size_t)terms * sizeof *later);
    netdp_i_series_transform(series, hunt->start, hunt->bins_b);
    netdp_i_series_transform(series, hunt->exits[0], hunt->bins_first[0]);
    const piece pieces[2] = {{hunt->start, hunt->bins_b, 1, first, 0},
                             {hunt->exits[0], hunt->bins_first[0], hunt->back[0], later, 1}};
    double *run = hunt->weight; /* exit by the k-th visit of u: Phi_uu^{k-1} Phi_uv */
    memcpy(run, hunt->exits[0], (size_t)terms * sizeof *run);
    for (int64_t k = 1; k < terms; k++) {
        if (k > most)
            return INFINITY;
        netdp_i_series_transform(series, run, hunt->bins_run);
        for (int i = 0; i < 2; i++)
            gained += add_squares(hunt, &pieces[i], run, theta, k);
        /* The visits after the k-th, e^theta each: k^2 / L is at most k. */
        const double reached = exp(theta * (double)k) * netdp_i_series_sum(run, terms);
        if (loop == 0 || (heavy < 1 && reached * heavy / (1 - heavy) <= NETDP_I_ENOUGH * gained)) {
            if (loop > 0)
                add_rest(hunt, pieces, run, theta, k);
            break;
        }
        netdp_i_series_multiply(series, hunt->bins_run, hunt->bins_again, hunt->bins_a);
        const double noise = netdp_i_series_noise(series, run, hunt->again);
        netdp_i_series_restore(series, hunt->bins_a, run);
        netdp_i_series_raise(run, k + 1, terms, noise);
    }
    /* U = (first visit, weighted) / (1 - return to v, weighted) */
    for (int64_t t = 0; t < terms; t++) {
        hunt->mass[t] = watch->inverse_array[0][t] - later[t];
        hunt->last[t] += first[t];
    }
    netdp_i_returns_divide(hunt, hunt->last, hunt->mass, hunt->run);
    double excess = netdp_i_series_sum(first, terms), after = 0;
    for (int64_t m = 0; m < terms; m++) {
        after += later[m];
        excess += hunt->run[terms - 1 - m] * after;
    }
    const double value = log1p(excess) * (1 + NETDP_I_PRODUCTS);
    return value == value ? value : INFINITY;
}

/*
 * The excursion accountant for short walks and large theta: sums of positive terms alone, in long
 * double, whose range holds weights that FFTs would drown in the rounding of the largest of them.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "account/walk/excursion.h"
#include "account/walk/spread.h"

typedef struct direct {
    const netdp_i_returns *hunt;
    int64_t terms;
    double theta;
    long double *run, *next, *mass, *gain, *ends, *between, *arrive; /* [terms] */
} direct;

/* sum += a b, both 0 at 0 */
static void add_product(int64_t terms, const long double *a, const double *b, long double *sum)
{
    for (int64_t s = 1; s < terms; s++) {
        if (b[s] == 0)
            continue;
        for (int64_t t = s + 1; t < terms; t++)
            sum[t] += a[t - s] * (long double)b[s];
    }
}

/* mass = sum_k A_k of this exit (excursion.c, follow_visits), gain += mass - plain. */
static void follow(const direct *d, const double *exit, const double *plain, double noise,
                   long double *gain)
{
    const int64_t terms = d->terms;
    const double rate = d->hunt->watch->rate;
    for (int64_t r = 0; r < terms; r++) {
        d->run[r] = exit[r];
        d->mass[r] = 0;
    }
    for (int64_t m = 1; m < terms; m++) {
        bool any = false;
        for (int64_t r = 1; r < terms; r++) {
            if (d->run[r] == 0)
                continue;
            any = true;
            const long double cost = rate == 0 ? (2 * (long double)m - 1) / (long double)r
                                               : netdp_i_spread_among(rate, m, r);
            d->run[r] *= expl(d->theta * fminl(1, cost));
            d->mass[r] += d->run[r];
        }
        if (!any)
            break;
        for (int64_t r = 0; r < terms; r++)
            d->next[r] = 0;
        add_product(terms, d->run, d->hunt->again, d->next);
        for (int64_t r = 0; r < terms; r++)
            d->run[r] = d->next[r];
    }
    for (int64_t r = 0; r < terms; r++)
        gain[r] += fmaxl(0, d->mass[r] - plain[r] + noise);
}

static double finish(const direct *d)
{
    const int64_t terms = d->terms;
    long double sum = 0, gained = 0;
    for (int64_t t = 0; t < terms; t++) {
        d->arrive[t] = d->hunt->start[t];
        for (int64_t s = 0; s < t; s++)
            d->arrive[t] += d->arrive[s] * d->between[t - s];
    }
    for (int64_t m = 0; m < terms; m++) {
        gained += d->gain[m];
        sum += d->arrive[terms - 1 - m] * (gained + d->ends[m]);
    }
    return sum <= LDBL_MAX ? (double)log1pl(sum) * (1 + NETDP_I_PRODUCTS) : INFINITY;
}

double netdp_i_excursion_direct(netdp_i_returns *hunt, double theta)
{
    direct d = {.hunt = hunt, .terms = hunt->watch->series->terms, .theta = theta};
    long double **const parts[NETDP_I_DIRECT_ROOMS] = {&d.run,  &d.next,    &d.mass,  &d.gain,
                                                       &d.ends, &d.between, &d.arrive};
    for (int i = 0; i < NETDP_I_DIRECT_ROOMS; i++) {
        *parts[i] = hunt->direct + i * d.terms;
        memset(*parts[i], 0, (size_t)d.terms * sizeof **parts[i]);
    }
    if (hunt->watch->release) {
        const double noise = netdp_i_returns_find_ends(hunt);
        follow(&d, hunt->last, hunt->last_plain, noise, d.ends);
    }
    for (int32_t f = 0; f < hunt->watch->members; f++) {
        follow(&d, hunt->exits[f], hunt->first[f], hunt->noise_first, d.gain);
        add_product(d.terms, d.mass, hunt->found[f], d.between);
    }
    return finish(&d);
}

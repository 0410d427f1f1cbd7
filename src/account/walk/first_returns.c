#include "account/walk/first_returns.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

/* Every array and every transform of a hunt, for new and free alike. */
enum { ARRAYS = 17, BINS = 8, LISTS = 4, BIN_LISTS = 2 };

typedef struct rooms {
    double **array[ARRAYS];
    fftw_complex **bins[BINS];
    double ***list[LISTS]; /* one array a member */
    fftw_complex ***bin_list[BIN_LISTS];
} rooms;

static rooms list_rooms(netdp_i_returns *h)
{
    return (rooms){{&h->work.array[0], &h->work.array[1], &h->returns, &h->presence, &h->again,
                    &h->loops, &h->start, &h->tilted, &h->mass, &h->excess, &h->run, &h->rest,
                    &h->weight, &h->gain, &h->ends, &h->last, &h->last_plain},
                   {&h->work.bins[0], &h->work.bins[1], &h->bins_a, &h->bins_b, &h->bins_again,
                    &h->bins_rest, &h->bins_run, &h->bins_loops},
                   {&h->arrivals, &h->exits, &h->first, &h->found},
                   {&h->bins_first, &h->bins_found}};
}

void netdp_i_returns_free(netdp_i_returns *hunt)
{
    if (hunt == NULL)
        return;
    const rooms all = list_rooms(hunt);
    for (int i = 0; i < ARRAYS; i++)
        netdp_i_series_drop(*all.array[i]);
    for (int i = 0; i < BINS; i++)
        netdp_i_series_drop(*all.bins[i]);
    for (int i = 0; i < LISTS; i++) {
        for (int32_t f = 0; *all.list[i] != NULL && f < hunt->watch->members; f++)
            netdp_i_series_drop((*all.list[i])[f]);
        netdp_i_free(*all.list[i]);
    }
    for (int i = 0; i < BIN_LISTS; i++) {
        for (int32_t f = 0; *all.bin_list[i] != NULL && f < hunt->watch->members; f++)
            netdp_i_series_drop((*all.bin_list[i])[f]);
        netdp_i_free(*all.bin_list[i]);
    }
    netdp_i_free(hunt->direct);
    netdp_i_free(hunt->back);
    netdp_i_free(hunt);
}

netdp_status netdp_i_returns_new(const netdp_i_observer_set *watch, netdp_i_returns **hunt,
                                 netdp_error *error)
{
    const int32_t members = watch->members;
    OWNED_BY(netdp_i_returns_free) netdp_i_returns *made = NETDP_I_NEW(netdp_i_returns, 1);
    if (made == NULL)
        return netdp_i_no_memory(error);
    made->watch = watch;
    made->back = NETDP_I_NEW(double, members);
    bool whole = made->back != NULL;
    if (watch->series->terms <= NETDP_I_DIRECT) {
        made->direct = NETDP_I_NEW(long double, NETDP_I_DIRECT_ROOMS * watch->series->terms);
        whole = made->direct != NULL && whole;
    }
    const rooms all = list_rooms(made);
    for (int i = 0; i < ARRAYS; i++)
        whole = (*all.array[i] = netdp_i_series_array(watch->series)) != NULL && whole;
    for (int i = 0; i < BINS; i++)
        whole = (*all.bins[i] = netdp_i_series_bins(watch->series)) != NULL && whole;
    for (int i = 0; i < LISTS; i++) {
        double **list = *all.list[i] = NETDP_I_NEW(double *, members);
        whole = list != NULL && whole;
        for (int32_t f = 0; list != NULL && f < members; f++)
            whole = (list[f] = netdp_i_series_array(watch->series)) != NULL && whole;
    }
    for (int i = 0; i < BIN_LISTS; i++) {
        fftw_complex **list = *all.bin_list[i] = NETDP_I_NEW(fftw_complex *, members);
        whole = list != NULL && whole;
        for (int32_t f = 0; list != NULL && f < members; f++)
            whole = (list[f] = netdp_i_series_bins(watch->series)) != NULL && whole;
    }
    if (!whole)
        return netdp_i_no_memory(error);
    *hunt = GIVE(made);
    return NETDP_OK;
}

netdp_status netdp_i_returns_plain(const netdp_i_observer_set *watch, netdp_i_returns **hunt,
                                   netdp_error *error)
{
    OWNED_BY(netdp_i_returns_free) netdp_i_returns *made = NETDP_I_NEW(netdp_i_returns, 1);
    if (made == NULL)
        return netdp_i_no_memory(error);
    made->watch = watch;
    double **const one[] = {&made->again, &made->start, &made->presence};
    double ***const lists[] = {&made->exits, &made->first, &made->found};
    bool whole = true;
    for (int i = 0; i < 3; i++) {
        whole = (*one[i] = netdp_i_series_array(watch->series)) != NULL && whole;
        double **list = *lists[i] = NETDP_I_NEW(double *, watch->members);
        whole = list != NULL && whole;
        for (int32_t f = 0; list != NULL && f < watch->members; f++)
            whole = (list[f] = netdp_i_series_array(watch->series)) != NULL && whole;
    }
    if (!whole)
        return netdp_i_no_memory(error);
    *hunt = GIVE(made);
    return NETDP_OK;
}

/* e_uf = sum_g G_ug (G_FF^-1)_gf: the law of the first visit of F, at f. */
static double find_first_visits(netdp_i_returns *hunt)
{
    const netdp_i_observer_set *watch = hunt->watch;
    const netdp_i_series *series = watch->series;
    const int32_t members = watch->members;
    double noise = 0;
    for (int32_t g = 0; g < members; g++) {
        netdp_i_series_transform(series, hunt->arrivals[g], hunt->bins_found[g]);
    }
    for (int32_t f = 0; f < members; f++) {
        memset(hunt->bins_a, 0, (size_t)series->bins * sizeof *hunt->bins_a);
        for (int32_t g = 0; g < members; g++) {
            const int64_t gf = (int64_t)g * members + f;
            netdp_i_series_accumulate(series, hunt->bins_found[g], watch->inverse[gf],
                                      hunt->bins_a);
            noise += netdp_i_series_noise(series, hunt->arrivals[g], watch->inverse_array[gf]);
        }
        netdp_i_series_restore(series, hunt->bins_a, hunt->first[f]);
        for (int64_t t = 0; t < series->terms; t++)
            hunt->first[f][t] = fmax(0, hunt->first[f][t]);
        hunt->first[f][0] = 0;
        netdp_i_series_transform(series, hunt->first[f], hunt->bins_first[f]);
    }
    return noise + watch->noise;
}

/* plain = exit / (1 - Phi_uu): the law of u's runs of visits without weights. Returns its noise. */
static double find_plain(netdp_i_returns *hunt, double *exit, double *plain)
{
    const netdp_i_series *series = hunt->watch->series;
    netdp_i_series_transform(series, exit, hunt->bins_a);
    netdp_i_series_multiply(series, hunt->bins_a, hunt->bins_loops, hunt->bins_a);
    netdp_i_series_restore(series, hunt->bins_a, plain);
    return netdp_i_series_noise(series, exit, hunt->loops) +
           hunt->noise_loops * netdp_i_series_sum(exit, series->terms);
}

/*
 * A law of first visits, from differences that may have lost all digits: raised by its noise, but
 * never above `scale` times the law of all visits, which is a sum of products.
 */
static void bound_law(double *law, int64_t from, int64_t terms, double noise, const double *all,
                      double scale)
{
    netdp_i_series_raise(law, from, terms, noise);
    for (int64_t t = from; t < terms; t++) {
        const double most = scale * all[t] * (1 + 1e-12);
        law[t] = law[t] < most ? law[t] : most;
    }
}

/* By more than powers of P may be off. */
static double find_ratio(const netdp_i_returns *hunt)
{
    double most = 0;
    for (int64_t t = 0; t < hunt->watch->series->terms; t++)
        most = fmax(most, hunt->presence[t]);
    return fmax(1, most / hunt->share) * (1 + 1e-9);
}

void netdp_i_returns_prepare(netdp_i_returns *hunt, const double *back)
{
    const netdp_i_series *series = hunt->watch->series;
    const int64_t terms = series->terms;
    const int32_t members = hunt->watch->members;
    const double noise_first = find_first_visits(hunt);
    double noise = 0;
    memcpy(hunt->back, back, (size_t)members * sizeof *back);
    hunt->ratio = hunt->share > 0 ? find_ratio(hunt) : INFINITY;
    /* H = G_uu - sum_f e_uf G_fu: returns to u before F; 1/H = 1 - Phi_uu. */
    memset(hunt->bins_a, 0, (size_t)series->bins * sizeof *hunt->bins_a);
    for (int32_t f = 0; f < members; f++) {
        for (int64_t k = 0; k < series->bins; k++) {
            hunt->bins_found[f][k][0] *= back[f];
            hunt->bins_found[f][k][1] *= back[f];
        }
        netdp_i_series_accumulate(series, hunt->bins_first[f], hunt->bins_found[f], hunt->bins_a);
        noise += back[f] * (netdp_i_series_noise(series, hunt->first[f], hunt->arrivals[f]) +
                            noise_first * netdp_i_series_sum(hunt->arrivals[f], terms));
    }
    netdp_i_series_restore(series, hunt->bins_a, hunt->mass);
    for (int64_t t = 0; t < terms; t++)
        hunt->mass[t] = fmax(0, hunt->returns[t] - hunt->mass[t]);
    hunt->mass[0] = 1;
    netdp_i_series_transform(series, hunt->mass, hunt->bins_a);
    const double inverted = netdp_i_series_invert(series, hunt->mass, hunt->bins_a, hunt->again,
                                                  hunt->bins_again, &hunt->work);
    const double noise_again = inverted + 4 * noise; /* |1/H| <= 2 in the 1-norm, twice */
    hunt->noise_out = hunt->noise_again = noise_again;
    for (int32_t f = 0; f < members; f++) { /* Phi_uf = e_uf / H */
        const double noise_exit = netdp_i_series_noise(series, hunt->first[f], hunt->again) +
                                  2 * noise_first + noise_again;
        netdp_i_series_multiply(series, hunt->bins_first[f], hunt->bins_again, hunt->bins_a);
        netdp_i_series_restore(series, hunt->bins_a, hunt->exits[f]);
        bound_law(hunt->exits[f], 1, terms, noise_exit, hunt->arrivals[f], 1);
        hunt->noise_out += noise_exit;
    }
    for (int64_t t = 0; t < terms; t++)
        hunt->again[t] = -hunt->again[t];
    bound_law(hunt->again, 1, terms, noise_again, hunt->returns, 1);
    /* The plain laws of what was raised: their difference to the weighted ones is what counts, and
       it grows with them. */
    for (int64_t t = 0; t < terms; t++)
        hunt->mass[t] = (t == 0 ? 1 : 0) - hunt->again[t];
    netdp_i_series_transform(series, hunt->mass, hunt->bins_a);
    hunt->noise_loops = netdp_i_series_invert(series, hunt->mass, hunt->bins_a, hunt->loops,
                                              hunt->bins_loops, &hunt->work);
    hunt->noise_first = 0;
    for (int32_t f = 0; f < members; f++)
        hunt->noise_first =
            fmax(hunt->noise_first, find_plain(hunt, hunt->exits[f], hunt->first[f]));
    /* Through 1/G_uu: first arrivals at u, from each member and from the start. */
    netdp_i_series_transform(series, hunt->returns, hunt->bins_a);
    const double noise_u = netdp_i_series_invert(series, hunt->returns, hunt->bins_a, hunt->mass,
                                                 hunt->bins_b, &hunt->work);
    hunt->noise_found = 0;
    for (int32_t f = 0; f < members; f++) {
        const double off = back[f] * (netdp_i_series_noise(series, hunt->arrivals[f], hunt->mass) +
                                      noise_u * netdp_i_series_sum(hunt->arrivals[f], terms));
        netdp_i_series_multiply(series, hunt->bins_found[f], hunt->bins_b, hunt->bins_a);
        netdp_i_series_restore(series, hunt->bins_a, hunt->found[f]);
        bound_law(hunt->found[f], 1, terms, off, hunt->arrivals[f], back[f]);
        hunt->noise_found = fmax(hunt->noise_found, off);
    }
    netdp_i_series_transform(series, hunt->presence, hunt->bins_a);
    netdp_i_series_multiply(series, hunt->bins_a, hunt->bins_b, hunt->bins_a);
    netdp_i_series_restore(series, hunt->bins_a, hunt->start);
    bound_law(hunt->start, 0, terms,
              netdp_i_series_noise(series, hunt->presence, hunt->mass) +
                  noise_u * netdp_i_series_sum(hunt->presence, terms),
              hunt->presence, 1);
}

double netdp_i_returns_sum_rest(netdp_i_returns *hunt, double theta, const double *again)
{
    const netdp_i_series *series = hunt->watch->series;
    for (int64_t t = 0; t < series->terms; t++)
        hunt->excess[t] = (t == 0 ? 1 : 0) - exp(theta) * again[t];
    netdp_i_series_transform(series, hunt->excess, hunt->bins_a);
    const double noise = netdp_i_series_invert(series, hunt->excess, hunt->bins_a, hunt->rest,
                                               hunt->bins_rest, &hunt->work);
    hunt->rest[0] = 0;
    netdp_i_series_transform(series, hunt->rest, hunt->bins_rest);
    return noise;
}

int64_t netdp_i_returns_most_visits(int64_t terms)
{
    const int64_t most = (INT64_C(1) << 19) / terms;
    return most < 48 ? 48 : most > 1024 ? 1024 : most;
}

double netdp_i_returns_find_ends(netdp_i_returns *hunt)
{
    double gone = 0;
    hunt->last[0] = 0;
    for (int64_t r = 1; r < hunt->watch->series->terms; r++) {
        for (int32_t f = 0; f < hunt->watch->members; f++)
            gone += hunt->exits[f][r];
        /* the laws were raised by their noise, so what they leave is low by as much */
        hunt->last[r] = fmin(1, fmax(0, 1 - gone) + 2 * (double)r * hunt->noise_out);
        gone += hunt->again[r];
    }
    return find_plain(hunt, hunt->last, hunt->last_plain);
}

void netdp_i_returns_divide(netdp_i_returns *hunt, double *numerator, double *denominator,
                            double *into)
{
    const netdp_i_series *series = hunt->watch->series;
    const int64_t terms = series->terms;
    netdp_i_series_transform(series, denominator, hunt->bins_a);
    double noise = netdp_i_series_invert(series, denominator, hunt->bins_a, hunt->rest,
                                         hunt->bins_rest, &hunt->work);
    noise = noise * netdp_i_series_sum(numerator, terms) +
            netdp_i_series_noise(series, numerator, hunt->rest);
    netdp_i_series_transform(series, numerator, hunt->bins_b);
    netdp_i_series_multiply(series, hunt->bins_b, hunt->bins_rest, hunt->bins_b);
    netdp_i_series_restore(series, hunt->bins_b, into);
    netdp_i_series_raise(into, 0, terms, noise);
}

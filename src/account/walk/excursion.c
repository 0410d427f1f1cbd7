#include "account/walk/excursion.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "account/walk/spread.h"
#include "base/fail.h"
#include "base/memory.h"

/* sum_t a_t ratio^t */
static double tilted_sum(const double *a, int64_t terms, double ratio)
{
    double sum = 0, power = 1;
    for (int64_t t = 0; t < terms; t++, power *= ratio)
        sum += a[t] * power;
    return sum;
}

/* Where there is something, something is left: no part of a law may be lost by underflow. */
static void tilt(const double *a, int64_t terms, double ratio, double *out)
{
    double power = 1;
    for (int64_t t = 0; t < terms; t++, power *= ratio) {
        const double tilted = a[t] * power;
        out[t] = a[t] > 0 && tilted < DBL_MIN ? DBL_MIN : tilted;
    }
}

/* The least rate (up to 1e-9 of it, from above) at which sum a_t e^{-rate t} is at most `level`. */
static double find_rate(const double *a, int64_t terms, double level, double least)
{
    double low = least, high = least > 0 ? 2 * least : 1.0 / (double)terms;
    while (tilted_sum(a, terms, exp(-high)) > level && high < 1e4)
        high *= 2;
    for (int i = 0; i < 60 && high - low > 1e-9 * high; i++) {
        const double middle = 0.5 * (low + high);
        if (tilted_sum(a, terms, exp(-middle)) > level)
            low = middle;
        else
            high = middle;
    }
    return high;
}

netdp_status netdp_i_weights_new(int64_t terms, double theta, double rate, netdp_i_weights *weights,
                                 netdp_error *error)
{
    *weights = (netdp_i_weights){theta, NETDP_I_NEW(double, terms), NETDP_I_NEW(double, terms)};
    if (weights->first == NULL || weights->ratio == NULL) {
        netdp_i_weights_clear(weights);
        return netdp_i_no_memory(error);
    }
    for (int64_t r = 1; r < terms && theta <= NETDP_I_LARGEST_THETA; r++) {
        const double again = exp(theta * netdp_i_spread_shared(rate, r));
        weights->first[r] = rate == 0 ? again : exp(theta * netdp_i_spread_alone(rate, r));
        weights->ratio[r] = again * again;
    }
    return NETDP_OK;
}

void netdp_i_weights_clear(netdp_i_weights *weights)
{
    netdp_i_free(weights->first);
    netdp_i_free(weights->ratio);
    *weights = (netdp_i_weights){0};
}

/* The first step at which the law is not 0. */
static int64_t least_step(const double *law, int64_t terms)
{
    int64_t t = 0;
    while (t < terms && law[t] == 0)
        t++;
    return t;
}

/* The most that runs of visits have at any step beyond the cut. */
typedef struct beyond {
    double all;   /* all runs so far */
    double last;  /* those with the last visit that was followed */
    double noise; /* what the rounding of the laws adds to every step of the last */
    double floor; /* and to all of them */
    double *loop; /* [terms]: the most of Phi_uu from here on */
} beyond;

/* Next to nothing, or no more than rounding? */
static bool little(const beyond *far, double all, int64_t terms, double gained)
{
    return all * (double)terms <= NETDP_I_FAR * fmin(1, gained) || all <= far->floor;
}

static void most_from_here(const double *a, int64_t terms, double *most)
{
    double now = 0;
    for (int64_t t = terms - 1; t >= 0; t--)
        most[t] = now = a[t] > now ? a[t] : now;
}

/* sum_r run_r loop_{cut - r} over first <= r < last */
static double carried(const double *run, const double *loop, int64_t cut, int64_t first,
                      int64_t last)
{
    double part[4] = {0};
    int64_t r = first;
    for (; r + 4 <= last; r += 4)
        for (int i = 0; i < 4; i++)
            part[i] += run[r + i] * loop[cut - r - i];
    for (; r < last; r++)
        part[0] += run[r] * loop[cut - r];
    return (part[0] + part[1]) + (part[2] + part[3]);
}

/*
 * The most that another visit has beyond the cut: Phi_uu's sum times the most of the runs there,
 * and of those before it what is carried over. Of late runs, where they are rounding, less by
 * counting them as if they were beyond.
 */
static double most_beyond(const double *run, const beyond *far, double loop, int64_t cut)
{
    const int64_t late = cut - cut / 8;
    const double early = carried(run, far->loop, cut, 1, late);
    double most = far->last;
    for (int64_t r = late; r < cut; r++)
        most = run[r] > most ? run[r] : most;
    return early + fmin(loop * most, loop * far->last + carried(run, far->loop, cut, late, cut));
}

/* The first visits: run = exit ratio^r w_1. Returns what they gain before the cut, at least. */
static double start_runs(netdp_i_returns *hunt, const netdp_i_weights *weights, const double *exit,
                         double ratio, int64_t cut, beyond *far)
{
    const int64_t terms = hunt->watch->series->terms;
    double power = 1, gained = 0;
    hunt->mass[0] = hunt->run[0] = 0;
    for (int64_t r = 1; r < cut; r++) {
        power *= ratio;
        hunt->weight[r] = weights->first[r];
        hunt->mass[r] = hunt->run[r] = exit[r] * power * weights->first[r];
        gained += hunt->run[r] * (1 - 1 / weights->first[r]);
    }
    far->last = 0;
    for (int64_t r = cut; r < terms; r++) {
        power *= ratio;
        far->last = fmax(far->last, exit[r] * power * weights->first[r]);
    }
    far->all = far->last;
    return gained;
}

/* The visits after the last that was followed, e^theta each. Returns false where much is far. */
static bool add_rest(netdp_i_returns *hunt, const netdp_i_weights *weights, const double *again,
                     int level, int64_t cut, double gained, const beyond *far, double *rest_noise)
{
    const netdp_i_series *series = hunt->watch->series;
    const int64_t terms = series->terms;
    double *run = hunt->run;
    if (*rest_noise < 0)
        *rest_noise = netdp_i_returns_sum_rest(hunt, weights->theta, again);
    const double rest = netdp_i_series_sum(hunt->rest, terms) + *rest_noise * (double)terms;
    const double more = far->last > 0 ? far->last * rest : 0;
    if (level > 0 && !little(far, more + far->all, terms, gained))
        return false;
    memset(run + cut, 0, (size_t)(terms - cut) * sizeof *run);
    netdp_i_series_transform(series, run, hunt->bins_run);
    const double noise = netdp_i_series_noise(series, hunt->rest, run) +
                         *rest_noise * netdp_i_series_sum(run, terms) + more;
    netdp_i_series_multiply(series, hunt->bins_run, hunt->bins_rest, hunt->bins_a);
    netdp_i_series_restore(series, hunt->bins_a, run);
    memset(hunt->mass + cut, 0, (size_t)(terms - cut) * sizeof *run);
    for (int64_t r = 1; r < terms; r++)
        hunt->mass[r] += (run[r] > 0 ? run[r] : 0) + noise;
    for (int64_t r = cut; r < terms; r++)
        hunt->mass[r] += far->all;
    return true;
}

/*
 * hunt->mass = sum_k A_k, erring upward, for A_1(r) = exit(r) ratio^r w_1(r), A_{k+1} = w_{k+1}
 * (Phi_uu * A_k), w_m(r) = exp(theta min(1, (2m - 1) / r)), or less: the law of u's runs of visits by the
 * steps r from the first of them to the excursion's end, weighted. `again` (Phi_uu) is tilted by
 * the same ratio. Visits beyond the last that is followed weigh e^theta each; *rest_noise < 0:
 * hunt->rest is not yet there.
 *
 * Visits are followed up to the cut only. Beyond it no A_{k+1}(r) is more than w_{k+1}(cut) times
 * sum_s A_k(s) max_{t >= cut - s} Phi_uu(t), over s before the cut, and Phi_uu's sum times the most
 * of A_k there. Returns false where that is not so small that every step may have it: also those
 * that it wraps around to, where a product of such laws only errs upward.
 */
static bool follow_to_cut(netdp_i_returns *hunt, const netdp_i_weights *weights, const double *exit,
                          double ratio, const double *again, int level, double *rest_noise)
{
    const netdp_i_series *series = hunt->watch->series;
    const netdp_i_series short_series = netdp_i_series_cut(series, level), *s = &short_series;
    const int64_t terms = series->terms, cut = s->terms, most = netdp_i_returns_most_visits(terms);
    const double largest = exp(weights->theta), loop = netdp_i_series_sum(again, terms),
                 heavy = largest * loop;
    const int64_t nearest = least_step(exit, terms), shortest = least_step(again, terms);
    double *run = hunt->run, *weight = hunt->weight;
    const double power = exp(log(ratio) * (double)terms);
    beyond far = {.loop = hunt->excess, .noise = hunt->noise_out * power};
    const double gained = start_runs(hunt, weights, exit, ratio, cut, &far);
    most_from_here(again, terms, far.loop);
    memcpy(hunt->work.array[0], again, (size_t)cut * sizeof *again);
    netdp_i_series_transform(s, hunt->work.array[0], hunt->bins_again);
    const double *shorter = hunt->work.array[0];
    for (int64_t k = 1;; k++) {
        const double here = netdp_i_series_sum(run, cut);
        const int64_t least = nearest + k * shortest; /* no k + 1 visits in fewer steps */
        far.floor += far.noise;
        if (level > 0 && !little(&far, far.all, terms, gained))
            return false;
        if (loop == 0 || (here == 0 && far.last == 0) || least >= terms)
            break;
        if (k >= most || least >= cut ||
            (heavy < 1 &&
             here * (heavy / (1 - heavy) - loop / (1 - loop)) <= NETDP_I_ENOUGH * gained))
            return add_rest(hunt, weights, again, level, cut, gained, &far, rest_noise);
        if (level > 0) {
            const double next = most_beyond(run, &far, loop, cut);
            const double heavier = weight[cut - 1] * weights->ratio[cut - 1];
            far.last = next * fmin(heavier, largest);
            far.noise = loop * far.noise + hunt->noise_again * power * here;
            far.all += far.last;
            if (cut == terms)
                far.last = 0; /* nothing is there */
        }
        netdp_i_series_transform(s, run, hunt->bins_run);
        const double noise = netdp_i_series_noise(s, shorter, run);
        netdp_i_series_multiply(s, hunt->bins_run, hunt->bins_again, hunt->bins_a);
        netdp_i_series_restore(s, hunt->bins_a, run);
        memset(run, 0, (size_t)least * sizeof *run);
        for (int64_t r = least; r < cut; r++) { /* fmin and fmax would not be vectorised */
            const double heavier = weight[r] * weights->ratio[r], law = run[r] > 0 ? run[r] : 0;
            weight[r] = heavier < largest ? heavier : largest;
            run[r] = (law + noise) * weight[r];
            hunt->mass[r] += run[r];
        }
    }
    for (int64_t r = cut; r < terms; r++)
        hunt->mass[r] = far.all;
    return true;
}

/* From the nearest cut on at which the laws are next to nothing, until it leaves little out. */
static void follow_visits(netdp_i_returns *hunt, const netdp_i_weights *weights, const double *exit,
                          double ratio, const double *again, double *rest_noise)
{
    const netdp_i_series *series = hunt->watch->series;
    const int64_t terms = series->terms;
    const double enough = NETDP_I_FAR * tilted_sum(exit, terms, ratio) / (double)terms;
    int level = netdp_i_series_cuts(series) - 1;
    for (; level > 0; level--) {
        const int64_t cut = netdp_i_series_cut(series, level).terms;
        const double power = exp(log(ratio) * (double)cut);
        const double most = fmax(enough, 2 * hunt->noise_out * power);
        const int64_t last = cut < terms ? cut : terms - 1;
        if (again[last] <= most && exit[last] * power <= most)
            break;
    }
    while (!follow_to_cut(hunt, weights, exit, ratio, again, level, rest_noise))
        level--;
}

/* What a run of visits adds to the mean: its weighted law less the plain one. */
static void add_gain(const netdp_i_returns *hunt, const double *plain, double noise, double ratio,
                     double *gain)
{
    double power = ratio;
    for (int64_t t = 1; t < hunt->watch->series->terms; t++, power *= ratio)
        gain[t] += fmax(0, hunt->mass[t] - power * (plain[t] - noise));
}

/*
 * All runs: hunt->gain, where there is a release hunt->ends, and in hunt->mass the law of the time
 * from one arrival at u to the next with a visit of F between them, weighted.
 */
static void find_runs(netdp_i_returns *hunt, const netdp_i_weights *weights, double ratio)
{
    const netdp_i_observer_set *watch = hunt->watch;
    const netdp_i_series *series = watch->series;
    const int64_t terms = series->terms;
    double rest_noise = -1, noise = 0;
    tilt(hunt->again, terms, ratio, hunt->tilted);
    memset(hunt->gain, 0, (size_t)terms * sizeof *hunt->gain);
    memset(hunt->ends, 0, (size_t)terms * sizeof *hunt->ends);
    if (watch->release) {
        const double noise_plain = netdp_i_returns_find_ends(hunt);
        follow_visits(hunt, weights, hunt->last, ratio, hunt->tilted, &rest_noise);
        add_gain(hunt, hunt->last_plain, noise_plain, ratio, hunt->ends);
    }
    memset(hunt->bins_b, 0, (size_t)series->bins * sizeof *hunt->bins_b);
    for (int32_t f = 0; f < watch->members; f++) {
        follow_visits(hunt, weights, hunt->exits[f], ratio, hunt->tilted, &rest_noise);
        add_gain(hunt, hunt->first[f], hunt->noise_first, ratio, hunt->gain);
        tilt(hunt->found[f], terms, ratio, hunt->run);
        noise += netdp_i_series_noise(series, hunt->mass, hunt->run);
        netdp_i_series_transform(series, hunt->mass, hunt->bins_a);
        netdp_i_series_transform(series, hunt->run, hunt->bins_run);
        netdp_i_series_accumulate(series, hunt->bins_a, hunt->bins_run, hunt->bins_b);
    }
    netdp_i_series_restore(series, hunt->bins_b, hunt->mass);
    netdp_i_series_raise(hunt->mass, 2, terms, noise);
}

/* ln of what a law's last terms are tilted by, at most: beyond, they leave the doubles. */
#define MOST_TILT 600.0

/* ln(1 + e^x) */
static double log_one_plus_exp(double x)
{
    return x > 36 ? x : log1p(exp(x));
}

double netdp_i_excursion(netdp_i_returns *hunt, const netdp_i_weights *weights)
{
    const netdp_i_series *series = hunt->watch->series;
    const int64_t terms = series->terms;
    const double theta = weights->theta;
    const bool grows = netdp_i_series_sum(hunt->again, terms) * exp(theta) > 1;
    if ((grows || theta > NETDP_I_LARGEST_THETA) && hunt->direct != NULL &&
        theta * (double)terms < NETDP_I_LARGEST_EXPONENT)
        return netdp_i_excursion_direct(hunt, theta);
    if (theta > NETDP_I_LARGEST_THETA)
        return INFINITY;
    /* Sequences that grow are tilted by e^{-rate t}: first for a run, then for the renewal. */
    double rate = grows ? find_rate(hunt->again, terms, exp(-theta), 0) : 0;
    if (rate * (double)terms > MOST_TILT) /* what is left of the laws would be 0 */
        return INFINITY;
    find_runs(hunt, weights, exp(-rate));
    const double little = 20 / (double)terms;
    if (tilted_sum(hunt->mass, terms, exp(-little)) > 1) {
        const double more = find_rate(hunt->mass, terms, 1, little), ratio = exp(-more);
        tilt(hunt->mass, terms, ratio, hunt->mass);
        tilt(hunt->gain, terms, ratio, hunt->gain);
        tilt(hunt->ends, terms, ratio, hunt->ends);
        rate += more;
        if (rate * (double)terms > MOST_TILT)
            return INFINITY;
    }
    /* Arrivals at u, weighted by what came before: start / (1 - mass). */
    for (int64_t t = 0; t < terms; t++)
        hunt->mass[t] = (t == 0 ? 1 : 0) - hunt->mass[t];
    tilt(hunt->start, terms, exp(-rate), hunt->run);
    netdp_i_returns_divide(hunt, hunt->run, hunt->mass, hunt->run);
    double sum = 0, gained = 0;
    for (int64_t m = 0; m < terms; m++) { /* m steps from an arrival to the end */
        gained = gained * exp(-rate) + hunt->gain[m];
        sum += hunt->run[terms - 1 - m] * (gained + hunt->ends[m]);
    }
    const double value = log_one_plus_exp(log(sum) + rate * (double)(terms - 1));
    return value == value ? value * (1 + NETDP_I_PRODUCTS) : INFINITY;
}

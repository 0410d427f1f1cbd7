/*
 * Gaussian sums on the complete graph, the path treated as revealed (docs/proofs/excursion.md).
 *
 * The nodes v_0 .. v_T are independent and uniform. Between two visits of the m observers l steps
 * pass with probability (1-p)^l p, p = m/n, each of them at u with probability q = 1/(n-m). With k
 * of the l at u they cost k^2/l, so that the l steps weigh g_l = E e^{theta k^2/l}, k ~ Bin(l, q),
 * and
 *
 *     E e^{theta c} = [z^{T+1}] S(z) / (1 - H(z)),  H(z) = sum (1-p)^l p g_l z^{l+1},
 *     S(z) = 1 / (1 - (1-p) z)                                   (what is never seen costs nothing)
 *
 * With D = H - (H without weights) and C = D (1 + p z / (1-z)) this is 1 + sum_{j=1}^{T+1} Y_j for
 * Y = 1 / (1 - C): nothing is subtracted. A release weighs the last l steps of T in all: 1 +
 * sum_{j=1}^{T} Y_j + Y_{T+1} / p.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "account/tally/tally.h"
#include "account/walk/excursion.h"
#include "account/walk/series.h"
#include "base/fail.h"
#include "base/try.h"

/* Part of what is summed already that a bound may stand in for. */
#define NEGLIGIBLE 1e-17

enum { MOST_VISITS = 8192, MOST_STEPS = 10000000 };

/* The law of one excursion. */
typedef struct excursion {
    double p, q, odds, theta; /* odds: q / (1-q) */
    double rho;               /* k^2/l <= k: (1-p)^l g_l <= rho^l */
} excursion;

/*
 * What terms t_j = mass_j e^{theta j^2/l}, j > k, add up to at most, k >= 1. From a to b = 2a the
 * ratio of masses falls, and j^2 - a^2 <= (j-a) (a+b): a geometric series.
 */
static double bound_rest(const excursion *e, double steps, double k, double term)
{
    double log_term = log(term), sum = 0;
    for (double a = k, b = k; a < steps; a = b) {
        b = fmin(2 * a, steps);
        const double ratio = log((steps - a) / (a + 1) * e->odds) + e->theta * (a + b) / steps;
        const double all = (b - a) * ratio;
        sum += exp(log_term + fmax(ratio, all)) * (ratio < -0.1 ? 1 / -expm1(ratio) : b - a);
        log_term += all;
    }
    return sum;
}

/* (1-p)^l (g_l - 1), from above; infinity where that takes too long. */
static double weigh(const excursion *e, int64_t l)
{
    const double steps = (double)l;
    if (e->q == 1)
        return exp(steps * log1p(-e->p)) * expm1(e->theta * steps);
    double term = exp(steps * (log1p(-e->p) + log1p(-e->q))), sum = 0;
    for (int64_t j = 1; j <= l; j++) {
        const double k = (double)j;
        const double ratio = (steps - k + 1) / k * e->odds * exp(e->theta * (2 * k - 1) / steps);
        term *= ratio;
        if (j > MOST_VISITS || !(term > 0))
            return INFINITY;
        sum += term * -expm1(-e->theta * k * k / steps);
        if (ratio < 0.5 && (j & 3) == 0) {
            const double rest = bound_rest(e, steps, k, term);
            if (rest <= 1e-14 * sum)
                return sum + rest;
        }
    }
    return sum;
}

/* C_1 .. C_{terms-1}, from above; false where one is infinite. */
static bool find_kernel(const excursion *e, double *kernel, int64_t terms)
{
    double weights = 0; /* of D so far */
    bool bounded = false;
    memset(kernel, 0, (size_t)terms * sizeof *kernel);
    for (int64_t l = 1; l + 1 < terms; l++) {
        const double most = exp((double)l * log(e->rho)) * (1 + 1e-12);
        if (!bounded)
            bounded = e->rho < 1 && most / (1 - e->rho) <= NEGLIGIBLE * weights / e->p;
        double add = bounded ? most : weigh(e, l) * (1 + 1e-12 + 8 * DBL_EPSILON * (double)l);
        add = e->p * fmin(add, most);
        if (!(add < INFINITY))
            return false;
        kernel[l + 1] = add + e->p * weights;
        weights += add * (1 + DBL_EPSILON);
    }
    return true;
}

static double sum_at(const double *kernel, int64_t terms, double rate)
{
    const double down = exp(-rate);
    double factor = 1, sum = 0;
    for (int64_t t = 0; t < terms && factor > 0; t++, factor *= down)
        sum += kernel[t] * factor;
    return sum;
}

/* How fast Y grows: the least rate >= 0 at which the sum of kernel_t e^{-rate t} is at most 1. */
static double find_rate(const double *kernel, int64_t terms)
{
    double low = 0, high = 1.0 / (double)terms;
    if (sum_at(kernel, terms, 0) <= 1)
        return 0;
    while (sum_at(kernel, terms, high) > 1) {
        low = high;
        high *= 2;
    }
    for (int i = 0; i < 40; i++) {
        const double rate = (low + high) / 2;
        if (sum_at(kernel, terms, rate) > 1)
            low = rate;
        else
            high = rate;
    }
    return high;
}

typedef struct scratch {
    netdp_i_series *series;
    double *kernel, *renewal;
    fftw_complex *kernel_bins, *renewal_bins;
    netdp_i_series_work work;
} scratch;

static void scratch_clear(scratch *s)
{
    netdp_i_series_drop(s->kernel);
    netdp_i_series_drop(s->renewal);
    netdp_i_series_drop(s->kernel_bins);
    netdp_i_series_drop(s->renewal_bins);
    for (int i = 0; i < 2; i++) {
        netdp_i_series_drop(s->work.array[i]);
        netdp_i_series_drop(s->work.bins[i]);
    }
    netdp_i_series_free(s->series);
}

static netdp_status scratch_new(scratch *s, int64_t terms, netdp_error *error)
{
    TRY(netdp_i_series_new(terms, &s->series, error));
    s->kernel = netdp_i_series_array(s->series);
    s->renewal = netdp_i_series_array(s->series);
    s->kernel_bins = netdp_i_series_bins(s->series);
    s->renewal_bins = netdp_i_series_bins(s->series);
    bool all = s->kernel != NULL && s->renewal != NULL && s->kernel_bins != NULL &&
               s->renewal_bins != NULL;
    for (int i = 0; i < 2; i++) {
        s->work.array[i] = netdp_i_series_array(s->series);
        s->work.bins[i] = netdp_i_series_bins(s->series);
        all = all && s->work.array[i] != NULL && s->work.bins[i] != NULL;
    }
    return all ? NETDP_OK : netdp_i_no_memory(error);
}

/* ln(1 + sum_j Y_j), the last one times `last`, from above. The kernel is lost. */
static double solve(scratch *s, int64_t terms, double last)
{
    /* |C| bounds it where it is small: sum Y_j <= |C| / (1 - |C|). */
    const double all = netdp_i_series_sum(s->kernel, terms) * (1 + 1e-9);
    const double simple = all < 1 ? log1p(last * all / (1 - all)) : INFINITY;
    const double rate = find_rate(s->kernel, terms);
    for (int64_t t = 0; t < terms; t++)
        s->kernel[t] = t == 0 ? 1 : -s->kernel[t] * exp(-rate * (double)t);
    netdp_i_series_transform(s->series, s->kernel, s->kernel_bins);
    const double noise = netdp_i_series_invert(s->series, s->kernel, s->kernel_bins, s->renewal,
                                               s->renewal_bins, &s->work);
    double sum = 0; /* times e^{-rate (terms-1)} */
    for (int64_t t = 1; t < terms; t++)
        sum += (fmax(0, s->renewal[t]) + noise) * (t + 1 == terms ? last : 1) *
               exp(-rate * (double)(terms - 1 - t));
    const double shift = rate * (double)(terms - 1);
    /* ln(1 + e^shift sum) */
    const double value =
        shift > 30 ? shift + log(sum) + exp(-shift) / sum : log1p(exp(shift) * sum);
    return fmin(simple, value < INFINITY ? value * (1 + 1e-8) : INFINITY);
}

netdp_status netdp_i_tally_excursion(const netdp_tally *tally, int32_t members, double theta,
                                     double *value, netdp_error *error)
{
    const double n = tally->nodes;
    const excursion e = {.p = members / n,
                         .q = 1 / (n - members),
                         .odds = 1 / (n - members - 1),
                         .theta = theta,
                         .rho = (1 - members / n) * (1 + expm1(theta) / (n - members))};
    CLEARED(scratch_clear) scratch s = {0};
    if (theta > NETDP_I_LARGEST_THETA || tally->steps > MOST_STEPS) {
        *value = INFINITY;
        return NETDP_OK;
    }
    const int64_t terms = tally->steps + 2;
    TRY(scratch_new(&s, terms, error));
    *value = find_kernel(&e, s.kernel, terms) ? solve(&s, terms, tally->release ? 1 / e.p : 1)
                                              : INFINITY;
    return NETDP_OK;
}

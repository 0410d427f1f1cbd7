/*
 * Composition of privacy losses.
 *
 * With S the sum of all losses, delta(epsilon) = E (1 - e^(epsilon - S))_+. Let K(theta) = ln E
 * e^(theta S). Under the tilted law, dP_theta = e^(theta S - K) dP,
 *
 *     delta(epsilon) = e^(K - theta epsilon) E_theta w(S),
 *     w(s) = e^(-theta (s - epsilon)) (1 - e^(epsilon - s))_+.
 *
 * theta is chosen where e^(K - theta epsilon) is least, so the expectation is of moderate size
 * whatever delta: absolute errors of the FFT, which run with 1e-16 per release, are relative to
 * delta (exponential tilting: Esscher 1932). The tilted sum lies within a window of a few
 * deviations; what leaves it wraps around and is bounded by Chernoff's inequality.
 */
#include "privacy/pld.h"

#include <complex.h>
#include <fftw3.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "privacy/lattice.h"

/* The grid of the sum, and how many points the losses may have together. */
enum { LEAST_SIZE = 1 << 10, MOST_SIZE = 1 << 19, MOST_POINTS = 1 << 21 };

/*
 * A lower bound pays for the width of a cell itself, not for its square: more points, a window out of
 * which more may leak (it is subtracted), and losses that are cut off earlier.
 */
enum { MOST_LOWER = 1 << 21 };
#define LEAVES_LOWER 16.0
#define CUT_LOWER 1e-3
#define CUT_UPPER 1e-7

/* Where there are more kinds of releases than this each of them has fewer points. */
enum { MANY = 64, ROUGH = 2048, ROUGH_OF_MANY = 256 };

/* ln of the tilted mass that may leave the window. */
#define LEAVES 30.0

/* ln of what a weaker tilt may cost in digits. */
#define MOST_LOST 9.0

#define UNIT (0.5 * DBL_EPSILON)

typedef struct pld {
    bool fine; /* a lower bound with more points and less care of what leaves the window */
    const netdp_i_release *releases;
    size_t count;
    netdp_direction direction;
    bool by_delta; /* given is delta, else epsilon */
    double given;
    double releases_in_all;
    double cut, infinite; /* mass at infinity of all releases together */
    double blur;          /* what rounding of losses adds to the sum */
    netdp_i_lattice *lattice;
    /* The tilt and what follows from it. */
    double theta, best; /* best: Chernoff's epsilon, or ln delta */
    double deviation, bottom, top, below, above;
    /* The tilted sum. */
    double step;
    int64_t first, size;
    double *mass;
    double error;    /* of mass in the Euclidean norm */
    double relative; /* of all masses */
    long double cumulant;
    double leaves_high, leaves_low;
} pld;

static long double cumulant(const pld *p, double theta, long double *mean, long double *variance)
{
    long double sum = 0, one_mean = 0, one_variance = 0;
    if (mean != NULL)
        *mean = *variance = 0;
    for (size_t i = 0; i < p->count; i++) {
        const long double k = p->releases[i].count;
        sum += k * netdp_i_lattice_cumulant(p->lattice + i, theta, mean == NULL ? NULL : &one_mean,
                                            mean == NULL ? NULL : &one_variance);
        if (mean != NULL) {
            *mean += k * one_mean;
            *variance += k * one_variance;
        }
    }
    return sum;
}

static double cumulant_near(const pld *p, double theta)
{
    double sum = 0;
    for (size_t i = 0; i < p->count; i++)
        sum += p->releases[i].count * netdp_i_lattice_cumulant_near(p->lattice + i, theta);
    return sum;
}

/* 1 - the chance that no release gives all away, and what rounding of losses may add up to. */
static void sum_up_lattices(pld *p)
{
    long double none = 0, blur = 0;
    for (size_t i = 0; i < p->count; i++) {
        const netdp_i_lattice *l = p->lattice + i;
        const double far = fmax(fabs(l->at[0]), fabs(l->at[l->size - 1]));
        none += p->releases[i].count * log1pl(-(long double)l->infinite);
        blur += p->releases[i].count * netdp_i_tails_blur(far);
    }
    const bool upper = p->direction == NETDP_UPPER;
    const double infinite = (double)(-expm1l(none) * (1 + (upper ? 1e-14L : -1e-14L)));
    /* Rough points and grid may be cut at different places. */
    p->infinite = upper ? fmin(fmax(p->infinite, infinite), 1) : fmax(infinite, 0.0);
    p->blur = fmax(p->blur, (double)(blur * (1 + 1e-6L)));
}

/* ---- The tilt ---- */

/*
 * Chernoff: the bound of epsilon, or of ln delta, by order theta with K = K(theta);
 * w(s) <= theta^theta/(1 + theta)^(1 + theta).
 */
static double chernoff(const pld *p, double theta, long double K)
{
    const double price = -theta * log1p(1 / theta) - log1p(theta);
    if (!p->by_delta)
        return (double)(K - (long double)theta * p->given) + price;
    const double left = p->given - p->infinite;
    return left > 0 ? (double)(K - logl(left) + price) / theta : INFINITY;
}

static double chernoff_near(const pld *p, double log_theta)
{
    const double theta = exp(log_theta);
    return chernoff(p, theta, cumulant_near(p, theta));
}

/* The best theta: a scan over its logarithm, then a golden section. */
static void choose_tilt(pld *p)
{
    enum { FROM = -34, TO = 34, STEP = 2 };
    const double golden = 0.6180339887498949;
    double at = FROM, best = INFINITY;
    for (int i = FROM; i <= TO; i += STEP) {
        const double here = chernoff_near(p, i);
        if (here < best) {
            best = here;
            at = i;
        }
    }
    double low = at - STEP, high = at + STEP;
    double x = high - golden * (high - low), y = low + golden * (high - low);
    double fx = chernoff_near(p, x), fy = chernoff_near(p, y);
    for (int i = 0; i < 18; i++) {
        if (fx < fy) {
            high = y;
            y = x;
            fy = fx;
            x = high - golden * (high - low);
            fx = chernoff_near(p, x);
        } else {
            low = x;
            x = y;
            fx = fy;
            y = low + golden * (high - low);
            fy = chernoff_near(p, y);
        }
    }
    p->theta = exp(fx < fy ? x : y);
    p->best = chernoff(p, p->theta, cumulant(p, p->theta, NULL, NULL));
}

/*
 * Where all but e^-leaves of the sum tilted by theta lies on one side: P_theta(S >= top) <=
 * e^(K(theta + t) - K(theta) - t top), and so below.
 */
static void choose_window(const pld *p, double leaves, pld *made)
{
    long double mean, variance;
    cumulant(p, made->theta, &mean, &variance);
    const double K = cumulant_near(p, made->theta);
    made->deviation = sqrt((double)variance);
    made->top = INFINITY;
    made->bottom = -INFINITY;
    for (int i = made->fine ? -8 : -1; i <= 9; i++) {
        const double t = ldexp(1, i) / made->deviation;
        const double top = (cumulant_near(p, made->theta + t) - K + leaves) / t;
        const double bottom = -((cumulant_near(p, made->theta - t) - K + leaves) / t);
        if (top < made->top) {
            made->top = top;
            made->above = t;
        }
        if (bottom > made->bottom) {
            made->bottom = bottom;
            made->below = t;
        }
    }
}

/*
 * The best tilt for Chernoff need not be the best for the sum: a heavy tail is stretched by it, and
 * where the losses are bounded it can be anything. Half or a quarter of it loses some digits,
 * e^lost, and may need a much smaller window.
 */
static void choose_tilt_and_window(pld *p)
{
    const double epsilon = p->by_delta ? p->best : p->given;
    const double ln = p->by_delta ? log(p->given) : fmax(p->best, -745);
    pld found = *p;
    long double mean, variance;
    cumulant(p, 0, &mean, &variance);
    const double scale = fmax(fmax(epsilon, 0), sqrt((double)variance));
    const double leaves = p->fine ? LEAVES_LOWER : LEAVES;
    const double strongest = fmin(p->theta, 4 * (10 - ln) / scale);
    const long double most = cumulant(p, strongest, NULL, NULL) - (long double)strongest * epsilon;
    for (int half = 0; half < 3; half++) {
        pld tried = *p;
        tried.theta = ldexp(strongest, -half);
        const double lost = (double)(cumulant(p, tried.theta, NULL, NULL) -
                                     (long double)tried.theta * epsilon - most);
        if (half > 0 && !(lost < MOST_LOST))
            break;
        choose_window(p, leaves + fmax(lost, 0), &tried);
        if (half == 0 || tried.top - tried.bottom < 0.8 * (found.top - found.bottom))
            found = tried;
    }
    *p = found;
}

/* ---- The grid ---- */

/* What a lower bound gives up, as mass, for the sum of the moves to be bounded. */
static double given_up(const pld *p)
{
    return p->by_delta ? 1e-3 * p->given : 1e-4 * exp(fmax(p->best, -740));
}

/*
 * With probability 1 - e^-log the moves of connecting the dots, each within one cell and above 0 in
 * the mean by at most step^2/8 (1 + step), sum up to no more than this (Hoeffding 1963).
 */
static double moves(const pld *p, double step)
{
    const double k = p->releases_in_all, unlikely = -log(given_up(p));
    const double drift = k * step * step / 8 * step / -expm1(-step);
    return fmin(k * step, drift + step * sqrt(0.5 * k * unlikely)) * (1 + 1e-12);
}

/* The step that the wanted accuracy asks for, no finer than the memory allows. */
static void choose_step(pld *p)
{
    const double epsilon = p->by_delta ? p->best : p->given, width = p->top - p->bottom;
    const double scale = fmax(epsilon, 1e-2 * p->deviation), k = p->releases_in_all;
    /* Dots add about an eighth of this to epsilon, relatively. */
    const double fineness = p->count > MANY ? 1.28e-4 : 8e-6;
    double step = sqrt(fineness * scale / (k * (1 + p->theta)));
    if (p->direction == NETDP_LOWER)
        step = fmin(step, fmax(1e-3 * scale / k, 1e-3 * scale / sqrt(-0.5 * k * log(given_up(p)))));
    double points = 0;
    for (size_t i = 0; i < p->count; i++)
        points += p->lattice[i].at[p->lattice[i].size - 1] - p->lattice[i].at[0];
    step = fmin(step, width / LEAST_SIZE);
    step = fmax(step, 1.001 * width / ((p->fine ? MOST_LOWER : MOST_SIZE) - 4));
    step = fmax(step, points / MOST_POINTS);
    /* 20 bits, rounded up: whole multiples up to 2^33 are exact. */
    int exponent;
    const double fraction = frexp(step, &exponent);
    p->step = ldexp(ceil(ldexp(fraction, 20)), exponent - 20);
    p->size = LEAST_SIZE;
    while ((double)p->size * p->step < width + 2 * p->step)
        p->size *= 2;
    const double spare = 0.5 * ((double)p->size * p->step - width);
    p->first = (int64_t)floor((p->bottom - spare) / p->step);
}

/* ---- The sum ---- */

typedef struct transform {
    int64_t size;
    double *real;
    fftw_complex *spectrum;
    fftw_plan forward, backward;
} transform;

static void transform_clear(transform *t)
{
    /* The planner is the only part of FFTW that may not run twice at once. */
#pragma omp critical(netdp_fftw_planner)
    {
        if (t->forward != NULL)
            fftw_destroy_plan(t->forward);
        if (t->backward != NULL)
            fftw_destroy_plan(t->backward);
        fftw_free(t->real);
        fftw_free(t->spectrum);
    }
    *t = (transform){0};
}

static netdp_status transform_new(int64_t size, transform *t, netdp_error *error)
{
    *t = (transform){.size = size};
#pragma omp critical(netdp_fftw_planner)
    {
        t->real = fftw_alloc_real((size_t)size);
        t->spectrum = fftw_alloc_complex((size_t)size / 2 + 1);
        if (t->real != NULL && t->spectrum != NULL) {
            t->forward = fftw_plan_dft_r2c_1d((int)size, t->real, t->spectrum, FFTW_ESTIMATE);
            t->backward = fftw_plan_dft_c2r_1d((int)size, t->spectrum, t->real, FFTW_ESTIMATE);
        }
    }
    if (t->forward != NULL && t->backward != NULL)
        return NETDP_OK;
    transform_clear(t);
    return netdp_i_no_memory(error);
}

static int64_t modulo(int64_t a, int64_t n)
{
    const int64_t rest = a % n;
    return rest < 0 ? rest + n : rest;
}

/* Without the care for infinities that C's own product takes; nothing here exceeds 1. */
static double complex product_of(double complex a, double complex b)
{
    const double re = creal(a) * creal(b) - cimag(a) * cimag(b);
    const double im = creal(a) * cimag(b) + cimag(a) * creal(b);
    return re + im * I;
}

/* z^k, k >= 1 whole, by squaring: k - 1 products, each within sqrt(5) units. */
static double complex power(double complex z, double k)
{
    double complex result = 1;
    for (uint64_t bits = (uint64_t)k; bits != 0; bits >>= 1) {
        if (bits & 1)
            result = product_of(result, z);
        z = product_of(z, z);
    }
    return result;
}

/*
 * One release, tilted and wrapped, into the product of spectra. Its largest mass is left out of the
 * FFT, whose error is relative to the Euclidean norm of the rest, and added as one wave.
 */
static void multiply(pld *p, size_t which, transform *t, const double complex *wave,
                     double complex *product)
{
    const netdp_i_lattice *l = p->lattice + which;
    const double k = p->releases[which].count;
    const long double own = netdp_i_lattice_norm(l, p->theta);
    memset(t->real, 0, (size_t)t->size * sizeof *t->real);
    for (int64_t i = 0; i < l->size; i++)
        if (l->mass[i] > 0) /* beyond the last mass the tilt may overflow */
            t->real[modulo(l->first + i, t->size)] +=
                (double)(l->mass[i] * expl((long double)p->theta * l->at[i] - own));
    int64_t largest = 0;
    double square = 0;
    for (int64_t i = 0; i < t->size; i++)
        if (t->real[i] > t->real[largest])
            largest = i;
    const double left_out = t->real[largest];
    t->real[largest] = 0;
    for (int64_t i = 0; i < t->size; i++)
        square += t->real[i] * t->real[i];
    fftw_execute(t->forward);
    for (int64_t j = 0; j <= t->size / 2; j++) {
        double complex z = t->spectrum[j] + left_out * wave[j * largest % t->size];
        /* The true one lies in the unit disc; going there brings the computed one no further. */
        if (creal(z) * creal(z) + cimag(z) * cimag(z) > 1)
            z /= cabs(z);
        product[j] = product_of(product[j], power(z, k));
    }
    const double fft = 10 * log2((double)t->size);
    p->error += k * UNIT * (fft * sqrt(square) * (1 + 1e-6) + 16) + 4 * UNIT;
    p->relative += k * 8 * UNIT;
    p->cumulant += k * own;
}

static netdp_status convolve(pld *p, netdp_error *error)
{
    CLEARED(transform_clear) transform t = {0};
    TRY(transform_new(p->size, &t, error));
    OWNED double complex *product = NETDP_I_NEW(double complex, p->size / 2 + 1);
    OWNED double complex *wave = NETDP_I_NEW(double complex, p->size);
    p->mass = NETDP_I_NEW(double, p->size);
    if (product == NULL || wave == NULL || p->mass == NULL)
        return netdp_i_no_memory(error);
    for (int64_t j = 0; j <= p->size / 2; j++)
        product[j] = 1;
    for (int64_t j = 0; j < p->size; j++) {
        const double angle = -2 * M_PI * (double)j / (double)p->size;
        wave[j] = cos(angle) + sin(angle) * I;
    }
    for (size_t i = 0; i < p->count; i++)
        multiply(p, i, &t, wave, product);
    memcpy(t.spectrum, product, (size_t)(p->size / 2 + 1) * sizeof *product);
    fftw_execute(t.backward);
    p->error += 10 * log2((double)p->size) * UNIT;
    for (int64_t i = 0; i < p->size; i++)
        p->mass[i] = t.real[modulo(p->first + i, p->size)] / (double)p->size;
    return NETDP_OK;
}

/*
 * ln E w(S) bounded, and delta from it. Weights beyond 1e-40 are not worth a visit: the masses sum
 * to 1.
 */
static double delta_at(const pld *p, double epsilon)
{
    const bool upper = p->direction == NETDP_UPPER;
    const double start = floor(epsilon / p->step) + 1;
    int64_t j =
        start <= (double)p->first ? 0 : (int64_t)fmin(start - (double)p->first, (double)p->size);
    const long double gap = (long double)(p->first + j) * p->step - epsilon;
    const long double fall = expl(-(long double)p->theta * p->step),
                      shrink = expl(-(long double)p->step);
    long double weight = expl(-p->theta * gap), rest = expl(-gap), sum = 0, square = 0;
    for (; j < p->size && weight > 1e-40L; j++) {
        const long double w = weight * (1 - rest);
        sum += w * p->mass[j];
        square += w * w;
        weight *= fall;
        rest *= shrink;
    }
    const double top = (double)(p->first + p->size) * p->step;
    const long double fft = sqrtl(square) * p->error * (1 + 1e-6L) + 1e-30L;
    if (upper)
        sum = fmaxl(sum, 0) + fft +
              p->leaves_high * expl(-p->theta * fmaxl((long double)top - epsilon, 0));
    else
        sum -= fft + p->leaves_high + p->leaves_low;
    if (!(sum > 0))
        return upper ? 1 : p->infinite; /* upper: not a number */
    const long double ln = p->cumulant - (long double)p->theta * epsilon;
    const double relative = p->relative + 1e-9 + 1e-17 * (double)fabsl(ln);
    const double finite = (double)expl(ln + logl(sum) + (upper ? relative : -relative));
    if (isnan(finite))
        return upper ? 1 : 0;
    return upper ? finite * (1 + 1e-14) + p->infinite + DBL_TRUE_MIN : finite + p->infinite;
}

/* The grid in place of the rough points, and the sum on it. */
static netdp_status compose(pld *p, netdp_error *error)
{
    choose_tilt_and_window(p);
    if (!(p->deviation > 1e-150 && p->deviation < 1e150 && p->top > p->bottom && isfinite(p->top) &&
          isfinite(p->bottom)))
        return NETDP_OK;
    choose_step(p);
    if (fabs(p->top) + fabs(p->bottom) > 4e9 * p->step)
        return NETDP_OK;
    for (size_t i = 0; i < p->count; i++) {
        netdp_i_lattice *l = p->lattice + i;
        netdp_i_lattice_clear(l);
        TRY(netdp_i_lattice_grid(&p->releases[i].tails, p->cut, p->step, p->direction, l, error));
    }
    sum_up_lattices(p);
    /* A generous factor for what the near cumulants are off. */
    const double K = cumulant_near(p, p->theta),
                 off = 1e-3 + 1e-12 * (fabs(K) + p->releases_in_all);
    const double bottom = (double)p->first * p->step, top = (double)(p->first + p->size) * p->step;
    p->leaves_high = exp(cumulant_near(p, p->theta + p->above) - K - p->above * top + off);
    p->leaves_low = exp(cumulant_near(p, p->theta - p->below) - K + p->below * bottom + off);
    return convolve(p, error);
}

/* Rough points, the tilt, the sum; mass stays NULL where no grid can hold the sum. */
static netdp_status pld_new(pld *p, netdp_error *error)
{
    p->lattice = NETDP_I_NEW(netdp_i_lattice, p->count);
    if (p->lattice == NULL)
        return netdp_i_no_memory(error);
    for (size_t i = 0; i < p->count; i++)
        p->releases_in_all += p->releases[i].count;
    /* Where delta is asked for, how small it is shows only in a first pass or two. */
    double wanted = p->by_delta ? p->given : 1e-300;
    for (int pass = p->by_delta ? 2 : 0; pass < 3; pass++) {
        p->cut = fmax((p->fine ? CUT_LOWER : CUT_UPPER) * wanted / p->releases_in_all, 1e-307);
        for (size_t i = 0; i < p->count; i++) {
            netdp_i_lattice_clear(p->lattice + i);
            TRY(netdp_i_lattice_rough(&p->releases[i].tails,
                                      p->count > MANY ? ROUGH_OF_MANY : ROUGH, p->cut, p->direction,
                                      p->lattice + i, error));
        }
        sum_up_lattices(p);
        choose_tilt(p);
        wanted = exp(fmin(fmax(p->best, -700), 0));
    }
    return isfinite(p->best) ? compose(p, error) : NETDP_OK;
}

static void pld_clear(pld *p)
{
    for (size_t i = 0; p->lattice != NULL && i < p->count; i++)
        netdp_i_lattice_clear(p->lattice + i);
    netdp_i_free(p->lattice);
    netdp_i_free(p->mass);
}

/*
 * Around the turn of delta_at: at *high it is not above delta, at *low it is. Far from the window
 * only its error terms are left: so *low comes down from *high until it is, or to 0.
 */
static void solve(const pld *p, double delta, double *low, double *high)
{
    *low = 0;
    for (double down = 0.5 * p->step; *high - down > 0; down *= 2)
        if (delta_at(p, *high - down) > delta) {
            *low = *high - down;
            break;
        } else if (down < p->step * (double)p->size) {
            *high -= down;
        }
    /* By the secant of ln delta, halving the bracket every other time. */
    double f_low = log(delta_at(p, *low) / delta), f_high = log(delta_at(p, *high) / delta);
    for (int i = 0; i < 60 && *high - *low > 1e-9 * *high; i++) {
        double middle = *low + (*high - *low) * f_low / (f_low - f_high);
        if (i % 2 == 1 || !(middle > *low && middle < *high))
            middle = 0.5 * (*low + *high);
        const double here = delta_at(p, middle);
        if (here <= delta) {
            *high = middle;
            f_high = log(here / delta);
        } else {
            *low = middle;
            f_low = log(here / delta);
        }
    }
}

static double upper_epsilon(const pld *p, double delta)
{
    double low, high = fmax(p->top, p->best);
    double bound = p->best > 0 ? p->best + 1e-12 * (p->best + (1 - log(delta)) / p->theta) : 0;
    if (p->mass != NULL && delta_at(p, -p->blur) <= delta)
        bound = -p->blur;
    else if (p->mass != NULL && delta_at(p, high) <= delta) {
        solve(p, delta, &low, &high);
        bound = fmin(bound, high);
    }
    return bound + p->blur;
}

static double lower_epsilon(const pld *p, double delta)
{
    double low, high = fmax(p->top, p->best);
    if (p->infinite > delta)
        return INFINITY;
    if (p->mass == NULL)
        return 0;
    solve(p, delta + given_up(p), &low, &high);
    return fmax(low - moves(p, p->step) - p->blur, 0);
}

netdp_status netdp_i_pld_epsilon(const netdp_i_release *releases, size_t count, double delta,
                                 netdp_direction direction, double *epsilon, netdp_error *error)
{
    const bool upper = direction == NETDP_UPPER;
    double best = 0;
    /* From below the larger of two: what serves most lists leaves nothing of some. */
    for (int fine = 0; fine <= !upper; fine++) {
        CLEARED(pld_clear)
        pld p = {.fine = fine != 0,
                 .releases = releases,
                 .count = count,
                 .direction = direction,
                 .by_delta = true,
                 .given = delta};
        TRY(pld_new(&p, error));
        best = upper ? upper_epsilon(&p, delta) : fmax(best, lower_epsilon(&p, delta));
    }
    *epsilon = best;
    return NETDP_OK;
}

/*
 * Deep in a heavy tail the tilt for epsilon follows losses that hardly ever come. A grid made for a
 * delta somewhat below the bound leaves them out, and is as sound at this epsilon.
 */
static netdp_status aim_lower(const pld *p, double *bound, netdp_error *error)
{
    for (int i = 0; i < 4 && *bound < 1e-9 && *bound > 1e-290; i++) {
        CLEARED(pld_clear)
        pld q = {.releases = p->releases,
                 .count = p->count,
                 .direction = NETDP_UPPER,
                 .by_delta = true,
                 .given = 1e-2 * *bound};
        const double before = *bound;
        TRY(pld_new(&q, error));
        if (q.mass != NULL)
            *bound = fmin(before, delta_at(&q, p->given - q.blur));
        if (*bound > 0.5 * before)
            break;
    }
    return NETDP_OK;
}

netdp_status netdp_i_pld_delta(const netdp_i_release *releases, size_t count, double epsilon,
                               netdp_direction direction, double *delta, netdp_error *error)
{
    CLEARED(pld_clear)
    pld p = {.releases = releases, .count = count, .direction = direction, .given = epsilon};
    TRY(pld_new(&p, error));
    if (direction == NETDP_UPPER) {
        /* theta times the blur of epsilon goes into the exponent. */
        const double ln = p.best + 1e-12 * (1 + fabs(p.best)) + p.theta * (p.blur + UNIT * epsilon);
        double bound = exp(ln) * (1 + 1e-12) + p.infinite + DBL_TRUE_MIN;
        if (p.mass != NULL)
            bound = fmin(bound, delta_at(&p, epsilon - p.blur));
        TRY(aim_lower(&p, &bound, error));
        *delta = bound < 1 ? bound : 1;
    } else {
        *delta = p.infinite;
        if (p.mass != NULL)
            *delta =
                fmax(delta_at(&p, epsilon + moves(&p, p.step) + p.blur) - given_up(&p), *delta);
        *delta = fmin(*delta, 1);
    }
    return NETDP_OK;
}

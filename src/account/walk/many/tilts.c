#include "account/walk/many/tilts.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "account/walk/spread.h"
#include "account/walk/wider.h"
#include "base/fail.h"
#include "base/memory.h"

enum { TILTS = NETDP_I_TILTS, HALVES = TILTS / 8 };

typedef netdp_i_tilts tilts;
typedef netdp_i_tilt_lanes lanes;

/*
 * By a contribution's cost, where 10 of them count in all; where more do, as much smaller, up to 50, and of more than
 * 64 as if 160 did: on six walks of 70 to 224 what the sums lose is within 0.2 % of the least at any of 25 to 280.
 */
#define USUAL_COUNT 10.0
#define MANY_COUNT 50.0
#define MOST_USUAL 64
#define BEYOND_COUNT 160.0
static const double thetas[TILTS] = {0,   -24, -12.5, -6.5, -3.4, -1.8, -0.9, -0.4,
                                     0.5, 1.1, 2,     3.2,  4.8,  6.8,  9.5,  13};

/*
 * The random length, in parts of the walk: normal about MIDDLE with deviation SPREAD, and a whole
 * number of PERIODs more, each with probability ALIAS.
 */
#define SPREAD 0.007
#define MIDDLE (1 + 2.5 * SPREAD)
#define PERIOD (MIDDLE + 7.5 * SPREAD)
#define ALIAS 1e-3

/* Transforms are known up to a frequency of so many deviations. */
#define FREQUENCY 6.9

/* Times of runs from piece to piece are rounded down to so many parts of the walk. */
#define PLACE (1.0 / 256)

/* What the sums of products may be off, in parts of the sums without signs; as much more as more than 64 are followed, or
   as the walk is longer, of which the contour's points round the times. */
#define ROUNDED 4e-14
#define SHORT_STEPS 2e4

struct netdp_i_tilts_room {
    const tilts *shared;
    int64_t count;                  /* of the pair at hand; lists have room for the most */
    double *again, *again_sum;      /* [bins], [bins + 1]: sums below */
    lanes *gap_sum, *gap, *now_sum; /* [bins + 1], [bins], [bins + 1] */
    lanes *law;       /* [2][count][bins]: runs that end at v, or when none are left */
    lanes *stay;      /* [bins] */
    lanes *placed;    /* [places][2 count] */
    lanes *transform; /* [2 points][2 count] */
};

void netdp_i_tilts_free(tilts *t)
{
    if (t == NULL)
        return;
    netdp_i_free(t->step);
    netdp_i_free(t->alone);
    netdp_i_free(t->among);
    netdp_i_free(t->split);
    netdp_i_free(t->place);
    netdp_i_free(t->z);
    netdp_i_free(t->weight);
    netdp_i_free(t->power);
    netdp_i_free(t);
}

/* ---- the random length ---- */

static double normal_above(double x)
{
    return 0.5 * erfc(x * M_SQRT1_2);
}

/*
 * K(t) = sum_m e^{-rate m period} Q((t - m period - middle) / spread), all whole m: falls with t, from
 * t = 0 on all but the m >= 0 vanish; its Poisson sum is sum_j c_j e^{-rate t + i w_j t} with
 * c_j = e^{q middle + q^2 spread^2 / 2} / (q period), q = rate - i w_j.
 */
static void set_length(tilts *t)
{
    const double steps = (double)t->grid->steps, spread = SPREAD * steps, middle = MIDDLE * steps;
    const double period = PERIOD * steps, rate = -log(ALIAS) / period;
    double at_start = 0, at_end = 0, beyond = 0;
    for (int m = -1; m < 8; m++) {
        const double weight = exp(-rate * m * period);
        at_start += weight * normal_above((-m * period - middle) / spread);
        at_end += weight * normal_above((steps - m * period - middle) / spread);
    }
    t->survives = at_end / at_start * (1 - 1e-9);
    for (int j = 0; j < 2 * t->points; j++) {
        const double turn = 2 * M_PI * j / period;
        const double complex q = rate - I * turn;
        const double complex c =
            cexp(q * middle + q * q * spread * spread / 2) / (q * period) / at_start;
        if (j >= t->points) {
            beyond += 2 * cabs(c);
            continue;
        }
        t->z[j] = exp(-rate) * cexp(I * turn);
        t->weight[j] = j == 0 ? c : 2 * c;
    }
    t->left_out = beyond + 1e-15;
}

netdp_status netdp_i_tilts_new(const netdp_i_time_grid *grid, tilts **made, netdp_error *error)
{
    tilts *t = NETDP_I_NEW(tilts, 1);
    if (t == NULL)
        return netdp_i_no_memory(error);
    t->grid = grid;
    t->points = (int32_t)ceil(FREQUENCY / SPREAD * PERIOD / (2 * M_PI)) + 1;
    t->z = NETDP_I_NEW(double complex, t->points);
    t->weight = NETDP_I_NEW(double complex, t->points);
    if (t->z == NULL || t->weight == NULL) {
        netdp_i_tilts_free(t);
        return netdp_i_no_memory(error);
    }
    set_length(t);
    *made = t;
    return NETDP_OK;
}

/* ---- costs ---- */

static lanes weigh(const tilts *t, double cost)
{
    lanes made;
    for (int i = 0; i < HALVES; i++)
        for (int j = 0; j < 8; j++)
            made.of[i][j] = exp(t->theta[8 * i + j] * fmin(1, cost));
    return made;
}

/* As in runs.c: which gaps are dearer than the steps to the piece's end. */
static void find_splits(tilts *t, double rate)
{
    const netdp_i_time_grid *m = t->grid;
    for (int64_t number = 2; number <= t->count; number++)
        for (int32_t x = 0, y = 0; x < m->bins; x++) {
            while (y < m->bins && netdp_i_spread_among(rate, number, m->tau[x] + m->tau[y]) <
                                      netdp_i_spread_alone(rate, m->tau[y]))
                y++;
            t->split[(number - 1) * m->bins + x] = y;
        }
}

/* Bins of about one time, for the transforms from piece to piece: that of the least of them. */
static netdp_status set_places(tilts *t, netdp_error *error)
{
    const netdp_i_time_grid *m = t->grid;
    const double apart = PLACE * (double)m->steps;
    double *time = NETDP_I_NEW(double, m->bins);
    if (time == NULL)
        return netdp_i_no_memory(error);
    for (int32_t b = 0; b < m->bins; b++) {
        const double tau = (double)m->tau[b];
        if (b == 0 || tau - time[t->places - 1] >= apart)
            time[t->places++] = tau;
        t->place[b] = t->places - 1;
    }
    t->power = NETDP_I_NEW(double, 2 * (int64_t)t->points * t->places);
    for (int32_t j = 0; j < t->points && t->power != NULL; j++)
        for (int32_t i = 0; i < t->places; i++) {
            const double complex power = cexp(clog(t->z[j]) * time[i]);
            t->power[2 * j * t->places + i] = creal(power);
            t->power[(2 * j + 1) * t->places + i] = cimag(power);
        }
    netdp_i_free(time);
    return t->power != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

static double scale_of(int64_t contributions)
{
    const double count =
        contributions > MOST_USUAL ? BEYOND_COUNT : fmin(MANY_COUNT, (double)contributions);
    return fmin(1, USUAL_COUNT / count);
}

netdp_status netdp_i_tilts_set(tilts *t, const netdp_i_spectral *spectral, int64_t count,
                               int32_t tokens, double rate, netdp_error *error)
{
    const netdp_i_time_grid *m = t->grid;
    t->count = count;
    for (int j = 0; j < TILTS; j++)
        t->theta[j] = thetas[j] * scale_of(count * tokens);
    t->exact = spectral->exact;
    t->step = NETDP_I_NEW(lanes, spectral->steps + 1);
    t->alone = NETDP_I_NEW(lanes, m->bins);
    t->among = NETDP_I_NEW(lanes, t->count * m->bins);
    t->split = NETDP_I_NEW(int32_t, t->count * m->bins);
    t->place = NETDP_I_NEW(int32_t, m->bins);
    if (t->step == NULL || t->alone == NULL || t->among == NULL || t->split == NULL ||
        t->place == NULL)
        return netdp_i_no_memory(error);
    for (int64_t i = 1; i <= spectral->steps; i++)
        t->step[i] = weigh(t, netdp_i_spread_alone(rate, i));
    for (int32_t b = 0; b < m->bins; b++) {
        t->alone[b] = weigh(t, netdp_i_spread_alone(rate, m->tau[b]));
        for (int64_t number = 1; number <= t->count; number++)
            t->among[(number - 1) * m->bins + b] =
                weigh(t, netdp_i_spread_among(rate, number, m->tau[b]));
    }
    find_splits(t, rate);
    return set_places(t, error);
}

/* ---- one pair ---- */

void netdp_i_tilts_room_free(netdp_i_tilts_room *r)
{
    if (r == NULL)
        return;
    netdp_i_free(r->again_sum);
    netdp_i_free(r->gap);
    netdp_i_free(r->gap_sum);
    netdp_i_free(r->now_sum);
    netdp_i_free(r->law);
    netdp_i_free(r->stay);
    netdp_i_free(r->placed);
    netdp_i_free(r->transform);
    netdp_i_free(r);
}

netdp_status netdp_i_tilts_room_new(const tilts *t, netdp_i_tilts_room **room, netdp_error *error)
{
    const int64_t bins = t->grid->bins;
    netdp_i_tilts_room *r = NETDP_I_NEW(netdp_i_tilts_room, 1);
    if (r == NULL)
        return netdp_i_no_memory(error);
    r->shared = t;
    r->again_sum = NETDP_I_NEW(double, bins + 1);
    r->gap = NETDP_I_NEW(lanes, bins);
    r->gap_sum = NETDP_I_NEW(lanes, bins + 1);
    r->now_sum = NETDP_I_NEW(lanes, bins + 1);
    r->law = NETDP_I_NEW(lanes, 2 * t->count * bins);
    r->stay = NETDP_I_NEW(lanes, bins);
    r->placed = NETDP_I_NEW(lanes, 2 * t->count * t->places);
    r->transform = NETDP_I_NEW(lanes, 4 * t->count * t->points);
    if (r->again_sum == NULL || r->gap == NULL || r->gap_sum == NULL || r->now_sum == NULL ||
        r->law == NULL || r->stay == NULL || r->placed == NULL || r->transform == NULL) {
        netdp_i_tilts_room_free(r);
        return netdp_i_no_memory(error);
    }
    *room = r;
    return NETDP_OK;
}

#define INSIDE static inline __attribute__((always_inline))

INSIDE void add(const lanes *a, lanes *to)
{
    for (int i = 0; i < HALVES; i++)
        to->of[i] += a->of[i];
}

INSIDE void add_times(const lanes *a, double mass, lanes *to)
{
    for (int i = 0; i < HALVES; i++)
        to->of[i] += a->of[i] * mass;
}

INSIDE void add_product(const lanes *a, const lanes *b, lanes *to)
{
    for (int i = 0; i < HALVES; i++)
        to->of[i] += a->of[i] * b->of[i];
}

/* to += a (above - below) */
INSIDE void add_between(const lanes *a, const lanes *above, const lanes *below, lanes *to)
{
    for (int i = 0; i < HALVES; i++)
        to->of[i] += a->of[i] * (above->of[i] - below->of[i]);
}

/* One contribution, by its cost alone. */
NETDP_I_WIDEST
static void first_of(const tilts *t, const double *mass, const double *each, int64_t stride,
                     lanes *into)
{
    const netdp_i_time_grid *m = t->grid;
    for (int32_t b = 0; b < m->bins; b++) {
        lanes sum = {0};
        if (b >= t->exact) {
            add_times(&t->alone[b], mass[b], &sum);
        } else {
            const int64_t end = b + 1 < m->bins ? m->tau[b + 1] : m->steps + 1;
            for (int64_t i = m->tau[b]; i < end; i++)
                add_times(&t->step[i], each[i * stride], &sum);
        }
        into[b] = sum;
    }
}

NETDP_I_WIDEST
static void sum_up(int32_t bins, const lanes *a, lanes *sum)
{
    lanes now = {0};
    sum[0] = now;
    for (int32_t b = 0; b < bins; b++) {
        add(&a[b], &now);
        sum[b + 1] = now;
    }
}

/* One more contribution before `now`, as in runs.c. */
NETDP_I_WIDEST
static void prepend(const netdp_i_tilts_room *r, int64_t number, const lanes *now, lanes *next)
{
    const tilts *t = r->shared;
    const netdp_i_time_grid *m = t->grid;
    const int32_t *splits = t->split + (number - 1) * m->bins;
    const lanes *among = t->among + (number - 1) * m->bins;
    memset(next, 0, (size_t)m->bins * sizeof *next);
    memset(r->stay, 0, (size_t)m->bins * sizeof *next);
    for (int32_t x = 0; x < m->bins; x++) {
        const int32_t split = splits[x];
        const lanes here = now[x], gap = r->gap[x];
        for (int32_t k = m->first[x]; k < m->first[x + 1]; k++) {
            const netdp_i_together *g = &m->together[k];
            const int32_t shorter = g->to < x ? g->to : x;
            const int32_t dear = g->from >= split ? g->from : g->to <= split ? g->to : split;
            lanes made = next[g->into];
            if (dear > g->from)
                add_times(&here, r->again_sum[dear] - r->again_sum[g->from], &r->stay[g->into]);
            if (dear < g->to)
                add_between(&here, &r->gap_sum[g->to], &r->gap_sum[dear], &made);
            if (g->from < shorter)
                add_between(&gap, &r->now_sum[shorter], &r->now_sum[g->from], &made);
            next[g->into] = made;
        }
    }
    for (int32_t b = 0; b < m->bins; b++)
        add_product(&r->stay[b], &among[b], &next[b]);
}

static void follow_runs(netdp_i_tilts_room *r, const netdp_i_spectral_law *law)
{
    const tilts *t = r->shared;
    const int64_t bins = t->grid->bins, n = r->count;
    for (int64_t b = 0; b < bins; b++)
        r->again_sum[b + 1] = r->again_sum[b] + law->again[b];
    first_of(t, law->again, law->each[0], law->stride, r->gap);
    sum_up((int32_t)bins, r->gap, r->gap_sum);
    first_of(t, law->exits, law->each[1], law->stride, r->law);
    first_of(t, law->first, law->each[2], law->stride, r->law + n * bins);
    for (int64_t leaf = 0; leaf < 2; leaf++) /* those that end at v are one less at most */
        for (int64_t number = 2; number <= n - (leaf == 0); number++) {
            lanes *now = r->law + (leaf * n + number - 2) * bins;
            sum_up((int32_t)bins, now, r->now_sum);
            prepend(r, number, now, now + bins);
        }
}

NETDP_I_WIDEST
static void place_runs(netdp_i_tilts_room *r)
{
    const tilts *t = r->shared;
    const int64_t bins = t->grid->bins, laws = 2 * r->count;
    memset(r->placed, 0, (size_t)(laws * t->places) * sizeof *r->placed);
    for (int64_t i = 0; i < laws; i++)
        for (int64_t b = 0; b < bins; b++)
            add(&r->law[i * bins + b], &r->placed[t->place[b] * laws + i]);
}

/* Complex lanes. */
typedef struct both {
    lanes re, im;
} both;

INSIDE void add_complex(const both *a, const lanes *re, const lanes *im, both *to)
{
    for (int i = 0; i < HALVES; i++) {
        to->re.of[i] += a->re.of[i] * re->of[i] - a->im.of[i] * im->of[i];
        to->im.of[i] += a->re.of[i] * im->of[i] + a->im.of[i] * re->of[i];
    }
}

INSIDE both scale_complex(const both *a, double re, double im)
{
    both made;
    for (int i = 0; i < HALVES; i++) {
        made.re.of[i] = a->re.of[i] * re - a->im.of[i] * im;
        made.im.of[i] = a->re.of[i] * im + a->im.of[i] * re;
    }
    return made;
}

/* to += a - what it is without costs, its first lane. */
INSIDE void add_gain(const lanes *a, lanes *to)
{
    for (int i = 0; i < HALVES; i++)
        to->of[i] += a->of[i] - a->of[0][0];
}

enum { MOST_COUNT = NETDP_I_TILTS_COUNT };

/* What all pieces gain, at one point: into sum, its real part times `weight`. */
NETDP_I_WIDEST
static void add_point(const netdp_i_tilts_room *r, int32_t j, double complex found,
                      double complex start, lanes *sum)
{
    const tilts *t = r->shared;
    const int64_t n = r->count;
    const lanes *re = r->transform + 4 * j * n, *im = re + 2 * n;
    const double weight_re = creal(t->weight[j]), weight_im = cimag(t->weight[j]);
    both arrive[MOST_COUNT], open = {0}, all = {0};
    arrive[0] = (both){0};
    for (int i = 0; i < HALVES; i++) {
        arrive[0].re.of[i] += creal(start);
        arrive[0].im.of[i] += cimag(start);
    }
    for (int64_t k = 1; k < n; k++) {
        both back = {0};
        for (int64_t i = 1; i <= k; i++)
            add_complex(&arrive[k - i], &re[i - 1], &im[i - 1], &back);
        arrive[k] = scale_complex(&back, creal(found), cimag(found));
    }
    for (int64_t k = n - 1; k >= 0; k--) { /* before: k; still to come: n - k */
        both gained = open;
        add_gain(&re[2 * n - k - 1], &gained.re);
        add_gain(&im[2 * n - k - 1], &gained.im);
        add_complex(&arrive[k], &gained.re, &gained.im, &all);
        add_gain(&re[n - k - 1], &open.re);
        add_gain(&im[n - k - 1], &open.im);
    }
    for (int i = 0; i < HALVES; i++)
        sum->of[i] += all.re.of[i] * weight_re - all.im.of[i] * weight_im;
}

/*
 * Of an endless walk, what all pieces gain and what they are made of: no transform is more, in
 * modulus. off: how far a mean may be.
 */
static void find_off(const netdp_i_tilts_room *r, double excess, double *off)
{
    const tilts *t = r->shared;
    const int64_t n = r->count, laws = 2 * n;
    const double rounded =
        ROUNDED * fmax(fmax(1, (double)n / MOST_USUAL), (double)t->grid->steps / SHORT_STEPS);
    double weights = 0;
    for (int32_t j = 0; j < t->points; j++)
        weights += cabs(t->weight[j]);
    for (int lane = 1; lane < TILTS; lane++) {
        double mass[2 * MOST_COUNT] = {0}, plain[2 * MOST_COUNT] = {0}, arrive[MOST_COUNT] = {1};
        for (int64_t i = 0; i < laws; i++)
            for (int32_t b = 0; b < t->places; b++) {
                const lanes *at = &r->placed[b * laws + i];
                mass[i] += at->of[lane / 8][lane % 8];
                plain[i] += at->of[0][0];
            }
        double open = 0, open_all = 0, gain = 0, all = 0;
        for (int64_t k = 1; k < n; k++)
            for (int64_t i = 1; i <= k; i++)
                arrive[k] += arrive[k - i] * mass[i - 1];
        for (int64_t k = n - 1; k >= 0; k--) {
            const int64_t i = 2 * n - k - 1;
            gain += arrive[k] * (open + fabs(mass[i] - plain[i]));
            all += arrive[k] * (open_all + mass[i] + plain[i]);
            open += fabs(mass[n - k - 1] - plain[n - k - 1]);
            open_all += mass[n - k - 1] + plain[n - k - 1];
        }
        const double more = expm1((double)(n + 1) * log1p(excess));
        off[lane] = t->left_out * gain + (rounded * weights + more) * all;
    }
    off[0] = 0;
}

void netdp_i_tilts_mean(netdp_i_tilts_room *r, const netdp_i_spectral_law *law, int64_t count,
                        double *mean, double *off)
{
    const tilts *t = r->shared;
    const int columns = (int)(2 * count * TILTS);
    r->count = count;
    lanes sum = {0};
    follow_runs(r, law);
    place_runs(r);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2 * t->points, columns, t->places, 1,
                t->power, t->places, (const double *)r->placed, columns, 0, (double *)r->transform,
                columns);
    for (int32_t j = 0; j < t->points; j++)
        add_point(r, j, law->found[j], law->start[j], &sum);
    for (int i = 0; i < TILTS; i++)
        mean[i] = 1 + (i == 0 ? 0 : sum.of[i / 8][i % 8]);
    find_off(r, law->excess, off);
}

#include "account/walk/mixture/long_walk.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "account/walk/wider.h"
#include "base/fail.h"
#include "base/memory.h"
#include "mixing/dense.h"

enum { LANES = NETDP_I_LANES, WIDE = 2 * LANES };

/* Runs that are followed by their steps to the piece's end. */
enum { FEWEST_RUNS = 4, MOST_RUNS = 200 };

/* Part of delta that paths with longer runs may be. */
#define LITTLE 1e-4

/* First arrivals are told apart up to so many steps, then in blocks that grow so. */
enum { APART = 256 };
#define GROWTH 1.005

/* The random length: to answer, and for a first look. */
static const netdp_i_length_asked to_answer = {.spread = 0.012, .frequency = 8.4};
static const netdp_i_length_asked to_look = {.spread = 0.06, .frequency = 6};

/* How fast a longer period fades, by ln of the mean: that of a walk a period longer is its square. */
#define LEAST_FADING 7.0
#define FADING_PER_LOG 1.6
#define MOST_FADING 32.0

/* By how much masses are scaled to see what a sum of products does with an error in parts. */
#define SCALED 1e-4

typedef netdp_i_long_walk walk;
typedef netdp_i_lanes lanes;

void netdp_i_long_walk_clear(walk *w)
{
    netdp_i_runs_clear(&w->runs);
    netdp_i_random_length_free(w->length);
    netdp_i_free(w->law);
    netdp_i_free(w->stays);
    netdp_i_free(w->power);
    netdp_i_free(w->start);
    netdp_i_free(w->found);
    netdp_i_free(w->stay);
    netdp_i_free(w->again);
    netdp_i_free(w->plain);
    netdp_i_free(w->transform);
    netdp_i_free(w->gap);
    netdp_i_free(w->room);
    *w = (walk){0};
}

/* ---- laws in time ---- */

/* A block from `from` on ends before this step. */
static int64_t end_of_block(int64_t from)
{
    return from < APART ? from + 1 : (int64_t)ceil((double)from * GROWTH);
}

static int64_t count_blocks(int64_t steps)
{
    int64_t count = 0;
    for (int64_t from = 0; from <= steps; from = end_of_block(from))
        count++;
    return count;
}

/*
 * Each block's mass at its first step. A law that was raised, whose true mass is at most 1, may end
 * where it has that much: at no time has less come by then.
 */
static void fill_blocks(const double *law, int64_t steps, double *into)
{
    double left = 1 + 16 * DBL_EPSILON;
    for (int64_t from = 0, i = 0; from <= steps; from = end_of_block(from), i++) {
        double sum = 0;
        for (int64_t t = from; t < end_of_block(from) && t <= steps; t++)
            sum += law[t];
        into[i] = fmin(left, sum);
        left = fmax(0, left - into[i]);
    }
}

/*
 * P(from a member, not at u before step t), from above, in blocks: what it is at each of their steps at the
 * first.
 */
static void fill_stays(const netdp_i_returns *hunt, int32_t f, int64_t steps, double *into)
{
    double come = 0;
    for (int64_t from = 0, i = 0; from <= steps; from = end_of_block(from), i++) {
        into[i] = 0;
        for (int64_t t = from; t < end_of_block(from) && t <= steps; t++) {
            into[i] +=
                fmin(1, fmax(0, 1 - come) + 2 * (double)t * (hunt->noise_found + DBL_EPSILON));
            come += hunt->found[f][t];
        }
    }
}

/* To the last digits. */
static double whole_mass(const double *law, int64_t steps)
{
    double all = 0, lost = 0;
    for (int64_t t = 0; t <= steps; t++) {
        const double next = law[t] - lost, now = all + next;
        lost = (now - all) - next;
        all = now;
    }
    return all;
}

/* What the masses of a contribution's next step, to another one or out, have above 1. */
static double find_excess(const netdp_i_returns *hunt)
{
    const int64_t steps = hunt->watch->series->terms - 1;
    double out = whole_mass(hunt->again, steps);
    for (int32_t f = 0; f < hunt->watch->members; f++)
        out += whole_mass(hunt->exits[f], steps);
    return fmax(0, out - 1) + 16 * DBL_EPSILON;
}

/*
 * Runs to follow: so many that longer ones, of all that may begin within the walk, have a probability
 * of a little of delta, which is lost; where that is too many, longer ones go on by their gaps.
 */
static int64_t find_runs(walk *w, const netdp_i_returns *hunt, double delta)
{
    const int64_t steps = w->grid->steps;
    const double again = whole_mass(hunt->again, steps) * (1 + 1e-12);
    const double visits = (w->from_end ? w->share * (double)steps
                                       : whole_mass(hunt->presence, steps - 1)) *
                          (1 + 1e-9);
    const double most = w->count > 0 ? (double)w->count : (double)steps;
    double runs = again < 1 ? ceil(log(LITTLE * delta / fmax(visits, 1e-300)) / log(again)) : most;
    runs = fmax(FEWEST_RUNS, runs);
    if (!(runs < most) && most <= MOST_RUNS)
        return (int64_t)most;
    w->goes_on = !(runs <= MOST_RUNS);
    if (w->goes_on)
        return MOST_RUNS;
    w->overflow = visits * pow(again, runs) * (1 + 1e-9);
    return (int64_t)runs;
}

netdp_status netdp_i_long_walk_new(const netdp_i_time_grid *grid, netdp_i_returns *hunt,
                                   bool from_end, int64_t cap, double delta, walk *w,
                                   netdp_error *error)
{
    const int32_t members = hunt->watch->members;
    const int64_t blocks = count_blocks(grid->steps);
    *w = (walk){.grid = grid,
                .members = members,
                .count = cap > 0 && cap < grid->steps ? cap : 0,
                .rough = grid->rough == NULL,
                .from_end = from_end,
                .share = hunt->share};
    w->law = NETDP_I_NEW(double, (1 + members) * blocks);
    w->stays = NETDP_I_NEW(double, members *blocks);
    if (w->law == NULL || w->stays == NULL)
        return netdp_i_no_memory(error);
    fill_blocks(hunt->start, grid->steps, w->law);
    for (int32_t f = 0; f < members; f++)
        fill_blocks(hunt->found[f], grid->steps, w->law + (1 + f) * blocks);
    for (int32_t f = 0; f < members && from_end; f++)
        fill_stays(hunt, f, grid->steps, w->stays + f * blocks);
    w->excess = find_excess(hunt);
    netdp_i_dense_begin();
    return netdp_i_runs_new(grid, hunt->watch, from_end, find_runs(w, hunt, delta), &w->runs, error);
}

/* ---- the random length ---- */

static void transform_blocks(const walk *w)
{
    const netdp_i_random_length *l = w->length;
    const int64_t blocks = count_blocks(w->grid->steps);
    for (int32_t j = 0; j < l->points; j++) {
        const double complex rate = clog(l->z[j]);
        for (int32_t f = 0; f < w->members; f++)
            w->found[f * l->points + j] = w->stay[f * l->points + j] = 0;
        w->start[j] = 0;
        for (int64_t from = 0, i = 0; from <= w->grid->steps; from = end_of_block(from), i++) {
            const double complex power = cexp(rate * (double)from);
            w->start[j] += w->law[i] * power;
            for (int32_t f = 0; f < w->members; f++) {
                w->found[f * l->points + j] += w->law[(1 + f) * blocks + i] * power;
                w->stay[f * l->points + j] += w->stays[f * blocks + i] * power;
            }
        }
    }
}

static void fill_power(const walk *w)
{
    const netdp_i_random_length *l = w->length;
    const int32_t bins = w->grid->bins;
    for (int32_t j = 0; j < l->points; j++)
        for (int32_t b = 0; b < bins; b++) {
            const double complex power = cexp(clog(l->z[j]) * (double)w->grid->tau[b]);
            w->power[2 * j * bins + b] = creal(power);
            w->power[(2 * j + 1) * bins + b] = cimag(power);
        }
}

static void transform_plain(const walk *w, const double *mass, double _Complex *into)
{
    const int32_t bins = w->grid->bins;
    for (int32_t j = 0; j < w->length->points; j++) {
        double re = 0, im = 0;
        for (int32_t b = 0; b < bins; b++) {
            re += mass[b] * w->power[2 * j * bins + b];
            im += mass[b] * w->power[(2 * j + 1) * bins + b];
        }
        into[j] = re + I * im;
    }
}

static netdp_status make_rooms(walk *w, netdp_error *error)
{
    const int64_t points = w->length->points, laws = (1 + w->members) * w->runs.count;
    const int64_t arrivals = w->count > 0 ? w->count : 1;
    w->power = NETDP_I_NEW(double, 2 * points * w->grid->bins);
    w->start = NETDP_I_NEW(double complex, points);
    w->found = NETDP_I_NEW(double complex, w->members *points);
    w->stay = NETDP_I_NEW(double complex, w->members *points);
    w->again = NETDP_I_NEW(double complex, points);
    w->plain = NETDP_I_NEW(double complex, laws *points);
    w->transform = NETDP_I_NEW(double, 2 * laws * points * WIDE);
    w->gap = NETDP_I_NEW(double, 2 * points * WIDE);
    w->room = NETDP_I_NEW(lanes, laws + w->runs.count + arrivals);
    return w->power == NULL || w->start == NULL || w->found == NULL || w->stay == NULL ||
                   w->again == NULL ||
                   w->plain == NULL || w->transform == NULL || w->gap == NULL || w->room == NULL
               ? netdp_i_no_memory(error)
               : NETDP_OK;
}

netdp_status netdp_i_long_walk_set(walk *w, netdp_i_returns *hunt, double log_mean, int64_t per,
                                   double bend, netdp_error *error)
{
    netdp_i_length_asked asked = w->rough ? to_look : to_answer;
    asked.steps = w->grid->steps;
    asked.fading = fmin(MOST_FADING, LEAST_FADING + FADING_PER_LOG * fmax(0, log_mean));
    netdp_status status = netdp_i_runs_set(&w->runs, hunt, per, bend, error);
    if (status != NETDP_OK || w->length != NULL) /* another grid of costs */
        return status;
    if (status == NETDP_OK)
        status = netdp_i_random_length_new(&asked, &w->length, error);
    if (status == NETDP_OK)
        status = make_rooms(w, error);
    if (status != NETDP_OK)
        return status;
    w->fading = asked.fading;
    transform_blocks(w);
    fill_power(w);
    transform_plain(w, w->runs.again.mass, w->again);
    for (int64_t i = 0; i < (1 + w->members) * w->runs.count; i++)
        transform_plain(w, w->runs.plain + i * w->grid->bins, w->plain + i * w->length->points);
    return NETDP_OK;
}

/* ---- at one point of time, for all lanes ---- */

#define INSIDE static inline __attribute__((always_inline))

INSIDE void add(const lanes *a, lanes *to)
{
    for (int i = 0; i < LANES; i++) {
        to->re[i] += a->re[i];
        to->im[i] += a->im[i];
    }
}

INSIDE void add_product(const lanes *a, const lanes *b, lanes *to)
{
    for (int i = 0; i < LANES; i++) {
        to->re[i] += a->re[i] * b->re[i] - a->im[i] * b->im[i];
        to->im[i] += a->re[i] * b->im[i] + a->im[i] * b->re[i];
    }
}

INSIDE lanes product(const lanes *a, const lanes *b)
{
    lanes made = {0};
    add_product(a, b, &made);
    return made;
}

INSIDE lanes every(double complex x)
{
    lanes made;
    for (int i = 0; i < LANES; i++) {
        made.re[i] = creal(x);
        made.im[i] = cimag(x);
    }
    return made;
}

INSIDE void add_scaled(const lanes *a, double complex x, lanes *to)
{
    const lanes b = every(x);
    add_product(a, &b, to);
}

INSIDE void scale_by(double x, lanes *to)
{
    for (int i = 0; i < LANES; i++) {
        to->re[i] *= x;
        to->im[i] *= x;
    }
}

/* 1 / (1 - a) */
INSIDE lanes all_of(const lanes *a)
{
    lanes made;
    for (int i = 0; i < LANES; i++) {
        const double re = 1 - a->re[i], im = -a->im[i], square = re * re + im * im;
        made.re[i] = re / square;
        made.im[i] = -im / square;
    }
    return made;
}

/* What is asked for: gains, or what they are made of. */
typedef struct asking {
    double scale; /* a contribution counts so many times */
    double mass;  /* so do all masses, those without costs too */
    double sign;  /* of what runs would be without costs: -1, or 1 for a sum without signs */
} asking;

/* What is known at one point of time. */
typedef struct at {
    const walk *w;
    int32_t point;
    bool turned; /* at its conjugate instead */
    asking how;
    lanes gap;
    lanes *run;     /* [1 + members][runs] */
    lanes *between; /* [runs] */
    lanes *arrive;  /* [count] */
} at;

/* to += run - what it is without costs */
INSIDE void add_gain(const at *a, const lanes *run, double complex plain, lanes *to)
{
    for (int i = 0; i < LANES; i++) {
        to->re[i] += run->re[i] + a->how.sign * creal(plain);
        to->im[i] += run->im[i] + a->how.sign * cimag(plain);
    }
}

INSIDE double complex turn(const at *a, double complex x)
{
    return a->turned ? conj(x) : x;
}

INSIDE double complex plain_of(const at *a, int32_t leaf, int64_t k)
{
    const walk *w = a->w;
    const double complex plain =
        w->plain[(leaf * w->runs.count + k) * w->length->points + a->point];
    return turn(a, plain) * (a->how.mass == 1 ? 1 : pow(a->how.mass, (double)k + 1));
}

INSIDE double complex any_again_of(const at *a)
{
    return turn(a, a->w->again[a->point]) * a->how.mass;
}

INSIDE double complex again_of(const at *a)
{
    return a->w->goes_on ? any_again_of(a) : 0;
}

INSIDE double complex start_of(const at *a)
{
    return turn(a, a->w->start[a->point]) * a->how.mass;
}

INSIDE double complex found_of(const at *a, int32_t f)
{
    return turn(a, a->w->found[f * a->w->length->points + a->point]) * a->how.mass;
}

INSIDE double complex stay_of(const at *a, int32_t f)
{
    return turn(a, a->w->stay[f * a->w->length->points + a->point]) * a->how.mass;
}

/* From the real products of what is in time: [2 points][2 LANES]. */
INSIDE lanes read(const at *a, const double *table)
{
    const double *re = table + 2 * (int64_t)a->point * WIDE, *im = re + WIDE;
    const double sign = a->turned ? -1 : 1;
    lanes made;
    for (int i = 0; i < LANES; i++) {
        made.re[i] = re[i] - sign * im[LANES + i];
        made.im[i] = re[LANES + i] + sign * im[i];
    }
    return made;
}

static void read_point(at *a)
{
    const walk *w = a->w;
    const int64_t runs = w->runs.count;
    if (w->goes_on)
        a->gap = read(a, w->gap);
    for (int64_t i = 0; i < (1 + w->members) * runs; i++)
        a->run[i] = read(a, w->transform + 2 * i * w->length->points * WIDE);
    const double scale = a->how.scale * a->how.mass;
    if (scale == 1)
        return;
    scale_by(scale, &a->gap);
    for (int64_t i = 0; i < (1 + w->members) * runs; i++)
        scale_by(pow(scale, (double)(i % runs) + 1), &a->run[i]);
}

/* Any number of contributions: arrivals are a geometric series. */
NETDP_I_WIDER
static lanes gain_of_all(const at *a)
{
    const walk *w = a->w;
    const int64_t runs = w->runs.count;
    const double complex again = again_of(a);
    const lanes rest = all_of(&a->gap), longer = product(&a->gap, &rest);
    lanes back = {0}, gain = {0};
    for (int32_t f = 0; f < w->members; f++) {
        lanes sum = {0};
        double complex plain = 0;
        for (int64_t k = 0; k < runs; k++) {
            add(&a->run[f * runs + k], &sum);
            plain += plain_of(a, f, k);
        }
        add_product(&a->run[f * runs + runs - 1], &longer, &sum);
        plain += plain_of(a, f, runs - 1) * again / (1 - again);
        add_scaled(&sum, found_of(a, f), &back);
        add_gain(a, &sum, plain, &gain);
    }
    const lanes all = all_of(&back), start = every(start_of(a));
    gain = product(&gain, &all);
    return product(&gain, &start);
}

/*
 * Back from the end of a walk that is released: what is gained at each contribution, all of which are a
 * run's first, or the next of one (docs/proofs/excursion.md).
 */
NETDP_I_WIDER
static lanes gain_from_end(const at *a)
{
    const walk *w = a->w;
    const int64_t runs = w->runs.count;
    const lanes rest = all_of(&a->gap), longer = product(&a->gap, &rest);
    lanes back = {0}, begun = {0};
    double complex next = any_again_of(a), first = 0; /* without the cost of what is to come */
    for (int32_t f = 0; f <= w->members; f++) {
        const bool end = f == w->members;
        const double complex stays = end ? 1 : stay_of(a, f);
        lanes sum = {0};
        for (int64_t k = 0; k < runs; k++)
            add(&a->run[f * runs + k], &sum);
        add_product(&a->run[f * runs + runs - 1], &longer, &sum);
        add_scaled(&sum, stays * w->share, &begun);
        first += plain_of(a, f, 0) * stays * w->share;
        if (end)
            continue;
        add_scaled(&sum, found_of(a, f), &back);
        next += plain_of(a, f, 0) * found_of(a, f);
    }
    const lanes all = all_of(&back), each = product(&begun, &all);
    lanes gain = every(a->how.sign * first);
    add_scaled(&each, 1 + a->how.sign * next, &gain);
    return gain;
}

/* a->arrive[k]: arrivals after k contributions. Runs longer than those followed go on by gaps. */
INSIDE void find_arrivals(const at *a)
{
    const walk *w = a->w;
    const int64_t runs = w->runs.count;
    lanes longer = {0};
    for (int64_t k = 0; k < runs; k++) {
        a->between[k] = (lanes){0};
        for (int32_t f = 0; f < w->members; f++)
            add_scaled(&a->run[f * runs + k], found_of(a, f), &a->between[k]);
    }
    a->arrive[0] = every(start_of(a));
    for (int64_t k = 1; k < w->count; k++) {
        lanes sum = {0};
        for (int64_t i = 1; i <= k && i <= runs; i++)
            add_product(&a->arrive[k - i], &a->between[i - 1], &sum);
        if (k > runs) {
            add_product(&a->arrive[k - 1 - runs], &a->between[runs - 1], &longer);
            longer = product(&longer, &a->gap);
            add(&longer, &sum);
        }
        a->arrive[k] = sum;
    }
}

/* Contributions that count are left: before a run k, after its first `count - k`. */
NETDP_I_WIDER
static lanes gain_of_some(const at *a)
{
    const walk *w = a->w;
    const int64_t runs = w->runs.count, n = w->count;
    const double complex again = again_of(a);
    lanes open = {0}, all = {0}, last[1 + 1], now;
    double complex plain[2] = {0};
    find_arrivals(a);
    for (int64_t number = 1; number <= n; number++) {
        for (int i = 0; i < 2; i++) { /* runs that an observer ends; that end as none are left */
            if (number > runs) {
                last[i] = product(&last[i], &a->gap);
                plain[i] *= again;
                continue;
            }
            last[i] = (lanes){0};
            plain[i] = 0;
            for (int32_t f = i == 0 ? 0 : w->members; f < (i == 0 ? w->members : w->members + 1);
                 f++) {
                add(&a->run[f * runs + number - 1], &last[i]);
                plain[i] += plain_of(a, f, number - 1);
            }
        }
        now = open;
        add_gain(a, &last[1], plain[1], &now);
        add_product(&a->arrive[n - number], &now, &all);
        add_gain(a, &last[0], plain[0], &open);
    }
    return all;
}

/* ---- all points ---- */

static void transform_runs(walk *w)
{
    const int32_t bins = w->grid->bins, rows = 2 * w->length->points;
    for (int64_t i = 0; i <= (1 + w->members) * w->runs.count; i++) {
        const bool gap = i == (1 + w->members) * w->runs.count;
        const lanes *law = gap ? w->runs.gap : w->runs.law + i * bins;
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, WIDE, bins, 1, w->power, bins,
                    law->re, WIDE, 0, gap ? w->gap : w->transform + i * rows * WIDE, WIDE);
    }
}

static at at_point(const walk *w, int32_t point, bool turned, asking how)
{
    const int64_t laws = (1 + w->members) * w->runs.count;
    at a = {.w = w,
            .point = point,
            .turned = turned,
            .how = how,
            .run = w->room,
            .between = w->room + laws,
            .arrive = w->room + laws + w->runs.count};
    read_point(&a);
    return a;
}

static lanes gain_at(const walk *w, int32_t point, bool turned, asking how)
{
    const at a = at_point(w, point, turned, how);
    if (w->from_end)
        return gain_from_end(&a);
    return w->count == 0 ? gain_of_all(&a) : gain_of_some(&a);
}

/* The mean over the length. */
static lanes mean_of(const walk *w, asking how)
{
    const netdp_i_random_length *l = w->length;
    lanes sum = {0};
    for (int32_t j = 0; j < l->points; j++)
        for (int turned = 0; turned < (j == 0 ? 1 : 2); turned++) {
            const lanes gain = gain_at(w, j, turned == 1, how);
            const double complex weight = j == 0 ? l->weight[j] : 0.5 * l->weight[j];
            add_scaled(&gain, turned == 1 ? conj(weight) : weight, &sum);
        }
    scale_by(1 / l->survives, &sum);
    return sum;
}

/* ---- how far it may be off ---- */

/* Do the sums over all contributions have an end, at the first point? */
static bool has_end(const walk *w, int lane)
{
    const at a = at_point(w, 0, false, (asking){1, 1 + SCALED, 1});
    const int64_t runs = w->runs.count;
    const double gap = a.gap.re[lane];
    double back = 0;
    for (int64_t i = 0; i < w->members * runs; i++)
        back += a.run[i].re[lane] * creal(found_of(&a, (int32_t)(i / runs))) *
                (i % runs == runs - 1 ? 1 / (1 - gap) : 1);
    return w->count > 0 || (gap < 1 && back < 1);
}

/*
 * Both are power series in a scale, with coefficients that are not negative, so convex: r times the
 * slope is at most r / SCALED of what a scale of 1 + SCALED adds.
 *
 * Rounding, a part of every mass: of what gains are made of, without signs, at the first point, where
 * no transform is more in modulus. Masses out of a contribution that are above 1 by a part: a path
 * through it gains or loses so much of its mass, twice at most, and is told apart only if its piece is
 * closed; so the slope of E s^N z^C, N the contributions of closed pieces.
 */
static void find_off(const walk *w, const lanes *gain, netdp_i_mean *mean)
{
    const netdp_i_random_length *l = w->length;
    const double turns = 4 * DBL_EPSILON * (2 * M_PI * l->points + w->fading + 16);
    const double sums = 16 * DBL_EPSILON * ((double)(w->grid->bins + w->runs.count) + 64) +
                        2 * DBL_EPSILON * 0.1 * (double)w->grid->steps;
    const double part = sums + turns;
    const lanes norm = gain_at(w, 0, false, (asking){1, 1, 1});
    const lanes more = gain_at(w, 0, false, (asking){1, 1 + SCALED, 1});
    const lanes above = mean_of(w, (asking){1 + SCALED, 1, -1});
    for (int i = 0; i < LANES; i++) {
        const double rounded =
            part / SCALED * (more.re[i] - norm.re[i]) + (1e-5 * part + turns) * norm.re[i];
        const double raised = 2 * w->excess * fmax(0, above.re[i] - gain->re[i]) / SCALED;
        const double off =
            (l->norm * rounded * (1 + 1e-6) + l->left_out * norm.re[i]) / l->survives;
        mean[i].off = has_end(w, i) ? off * (1 + 1 / SCALED * w->excess) + raised : INFINITY;
    }
}

void netdp_i_long_walk_means(walk *w, bool off, netdp_i_mean *mean)
{
    transform_runs(w);
    const lanes sum = mean_of(w, (asking){1, 1, -1});
    for (int i = 0; i < LANES; i++)
        mean[i] = (netdp_i_mean){.re = sum.re[i], .im = sum.im[i]};
    if (off)
        find_off(w, &sum, mean);
}

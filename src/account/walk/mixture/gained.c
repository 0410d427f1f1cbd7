#include "account/walk/mixture/gained.h"

#include <complex.h>
#include <math.h>

#include "account/walk/wider.h"

enum { LANES = NETDP_I_LANES, WIDE = 2 * LANES };

typedef netdp_i_long_walk walk;
typedef netdp_i_lanes lanes;
typedef netdp_i_gained_asked asking;

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

/* All runs that `leaf` ends, however long. */
INSIDE lanes all_runs(const at *a, int32_t leaf, const lanes *longer)
{
    const int64_t runs = a->w->runs.count;
    const lanes *run = a->run + leaf * runs;
    lanes sum = {0};
    for (int64_t k = 0; k < runs; k++)
        add(&run[k], &sum);
    add_product(&run[runs - 1], longer, &sum);
    return sum;
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
        const lanes sum = all_runs(a, f, &longer);
        double complex plain = 0;
        for (int64_t k = 0; k < runs; k++)
            plain += plain_of(a, f, k);
        plain += plain_of(a, f, runs - 1) * again / (1 - again);
        add_scaled(&sum, found_of(a, f), &back);
        add_gain(a, &sum, plain, &gain);
    }
    const lanes all = all_of(&back), start = every(start_of(a));
    gain = product(&gain, &all);
    return product(&gain, &start);
}

/* a->arrive[k]: arrivals after k contributions, `first` of none. Runs longer than those followed go on by gaps. */
INSIDE void find_arrivals(const at *a, const lanes *first)
{
    const walk *w = a->w;
    const int64_t runs = w->runs.count;
    lanes longer = {0};
    for (int64_t k = 0; k < runs; k++) {
        a->between[k] = (lanes){0};
        for (int32_t f = 0; f < w->members; f++)
            add_scaled(&a->run[f * runs + k], found_of(a, f), &a->between[k]);
    }
    a->arrive[0] = *first;
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
    const lanes start = every(start_of(a));
    find_arrivals(a, &start);
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

/* ---- back from the end of a walk that is released ---- */

/* Those that end there: they begin by a contribution in the last piece. */
INSIDE lanes runs_of_end(const at *a, const lanes *longer)
{
    const lanes sum = all_runs(a, a->w->members, longer);
    lanes made = {0};
    add_scaled(&sum, a->w->share, &made);
    return made;
}

/* From a contribution to the next one, over F, without a cost. */
INSIDE double complex next_over(const at *a)
{
    double complex next = 0;
    for (int32_t f = 0; f < a->w->members; f++)
        next += plain_of(a, f, 0) * found_of(a, f);
    return next;
}

/*
 * What is gained at each contribution, back from the end: all of them are a run's first, or the next of one
 * (docs/proofs/excursion.md).
 */
NETDP_I_WIDER
static lanes gain_from_end(const at *a)
{
    const walk *w = a->w;
    const lanes rest = all_of(&a->gap), longer = product(&a->gap, &rest);
    const double complex next = any_again_of(a) + next_over(a);
    double complex first = plain_of(a, w->members, 0) * w->share; /* nothing is to come */
    lanes back = {0}, begun = runs_of_end(a, &longer);
    for (int32_t f = 0; f < w->members; f++) {
        const double complex stays = stay_of(a, f) * w->share;
        const lanes sum = all_runs(a, f, &longer);
        add_scaled(&sum, stays, &begun);
        first += plain_of(a, f, 0) * stays;
        add_scaled(&sum, found_of(a, f), &back);
    }
    const lanes all = all_of(&back), each = product(&begun, &all);
    lanes gain = every(a->how.sign * first);
    add_scaled(&each, 1 + a->how.sign * next, &gain);
    return gain;
}

/*
 * The same where the last piece has contributions, of which all count, and `count` - 1 of closed pieces:
 * a->arrive[k] are those with k of these to come. What a contribution gains is less what comes after it.
 */
NETDP_I_WIDER
static lanes gain_of_last(const at *a)
{
    const walk *w = a->w;
    const lanes rest = all_of(&a->gap), longer = product(&a->gap, &rest);
    const lanes end = runs_of_end(a, &longer);
    const double complex again = any_again_of(a), over = next_over(a);
    lanes gain = every(a->how.sign * plain_of(a, w->members, 0) * w->share), closed = {0};
    find_arrivals(a, &end);
    add_scaled(&end, 1 + a->how.sign * (again + (w->count > 1 ? over : 0)), &gain);
    for (int64_t k = 1; k + 1 < w->count; k++)
        add(&a->arrive[k], &closed);
    add_scaled(&closed, 1 + a->how.sign * (again + over), &gain);
    if (w->count > 1)
        add(&a->arrive[w->count - 1], &gain);
    return gain;
}

/* ---- at a point, and in the mean ---- */

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
        return w->count == 0 ? gain_from_end(&a) : gain_of_last(&a);
    return w->count == 0 ? gain_of_all(&a) : gain_of_some(&a);
}

lanes netdp_i_gained_first(const walk *w, asking how)
{
    return gain_at(w, 0, false, how);
}

lanes netdp_i_gained_mean(const walk *w, asking how)
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

bool netdp_i_gained_end(const walk *w, double mass, int lane)
{
    const at a = at_point(w, 0, false, (asking){1, mass, 1});
    const int64_t runs = w->runs.count;
    const double gap = a.gap.re[lane];
    double back = 0;
    for (int64_t i = 0; i < w->members * runs; i++)
        back += a.run[i].re[lane] * creal(found_of(&a, (int32_t)(i / runs))) *
                (i % runs == runs - 1 ? 1 / (1 - gap) : 1);
    return (gap < 1 || (w->count > 0 && !w->from_end)) && (back < 1 || w->count > 0);
}

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
    lanes *run;     /* [leaves][runs], or [leaves][2]: all of them, and the longest */
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

/* Of runs of k + 1 contributions, or of a row of those that are summed. */
INSIDE double complex plain_row(const at *a, int32_t leaf, int64_t row)
{
    const walk *w = a->w;
    return turn(a, w->plain[(leaf * w->runs.rows + row) * w->length->points + a->point]);
}

INSIDE double complex plain_of(const at *a, int32_t leaf, int64_t k)
{
    return plain_row(a, leaf, k) * (a->how.mass == 1 ? 1 : pow(a->how.mass, (double)k + 1));
}

INSIDE double complex first_of(const at *a, int32_t leaf)
{
    return turn(a, a->w->first[leaf * a->w->length->points + a->point]) * a->how.mass;
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

/* Of the runs that are summed. */
static void read_sums(at *a)
{
    const walk *w = a->w;
    const int64_t each = 2 * w->length->points * WIDE;
    const double scale = a->how.scale * a->how.mass;
    const netdp_i_runs_row all = scale == 1 ? NETDP_I_RUNS_ALL : NETDP_I_RUNS_ALL_SCALED;
    for (int32_t i = 0; i < w->runs.leaves; i++) {
        const double *rows = w->transform + i * w->runs.rows * each;
        a->run[2 * i] = read(a, rows + all * each);
        a->run[2 * i + 1] = read(a, rows + NETDP_I_RUNS_LAST * each);
        if (scale != 1)
            scale_by(pow(scale, (double)w->runs.count), &a->run[2 * i + 1]);
    }
}

static void read_point(at *a)
{
    const walk *w = a->w;
    const int64_t runs = w->runs.count, laws = w->runs.summed ? 0 : w->runs.leaves * runs;
    const double scale = a->how.scale * a->how.mass;
    if (w->goes_on)
        a->gap = read(a, w->gap);
    if (scale != 1)
        scale_by(scale, &a->gap);
    if (w->runs.summed)
        read_sums(a);
    for (int64_t i = 0; i < laws; i++) {
        a->run[i] = read(a, w->transform + 2 * i * w->length->points * WIDE);
        if (scale != 1)
            scale_by(pow(scale, (double)(i % runs) + 1), &a->run[i]);
    }
}

/* All runs that `leaf` ends, however long. */
INSIDE lanes all_runs(const at *a, int32_t leaf, const lanes *longer)
{
    const int64_t runs = a->w->runs.summed ? 2 : a->w->runs.count;
    const lanes *run = a->run + leaf * runs;
    lanes sum = run[0];
    for (int64_t k = 1; k < runs && !a->w->runs.summed; k++)
        add(&run[k], &sum);
    add_product(&run[runs - 1], longer, &sum);
    return sum;
}

/* The same without costs, of runs that are summed. */
INSIDE double complex all_plain(const at *a, int32_t leaf)
{
    const double complex again = again_of(a);
    const double times = a->how.mass == 1 ? 1 : pow(a->how.mass, (double)a->w->runs.count);
    const double complex last = plain_row(a, leaf, NETDP_I_RUNS_LAST) * times;
    return plain_row(a, leaf, a->how.mass == 1 ? NETDP_I_RUNS_ALL : NETDP_I_RUNS_ALL_SCALED) +
           last * again / (1 - again);
}

/* Any number of contributions: arrivals are a geometric series. */
NETDP_I_WIDER
static lanes gain_of_all(const at *a)
{
    const lanes rest = all_of(&a->gap), longer = product(&a->gap, &rest);
    lanes back = {0}, gain = {0};
    for (int32_t f = 0; f < a->w->members; f++) {
        const lanes sum = all_runs(a, f, &longer);
        add_scaled(&sum, found_of(a, f), &back);
        add_gain(a, &sum, all_plain(a, f), &gain);
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
        next += first_of(a, f) * found_of(a, f);
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
    double complex first = first_of(a, w->members) * w->share; /* nothing is to come */
    lanes back = {0}, begun = runs_of_end(a, &longer);
    for (int32_t f = 0; f < w->members; f++) {
        const double complex stays = stay_of(a, f) * w->share;
        const lanes sum = all_runs(a, f, &longer);
        add_scaled(&sum, stays, &begun);
        first += first_of(a, f) * stays;
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
    lanes gain = every(a->how.sign * first_of(a, w->members) * w->share), closed = {0};
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
    const int64_t laws = w->runs.leaves * w->runs.rows;
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
    const double gap = a.gap.re[lane];
    const lanes rest = all_of(&a.gap), longer = product(&a.gap, &rest);
    double back = 0;
    for (int32_t f = 0; f < w->members; f++)
        back += all_runs(&a, f, &longer).re[lane] * creal(found_of(&a, f));
    return (gap < 1 || (w->count > 0 && !w->from_end)) && (back < 1 || w->count > 0);
}

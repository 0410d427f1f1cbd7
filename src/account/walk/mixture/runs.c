#include "account/walk/mixture/runs.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "account/walk/spread.h"
#include "account/walk/wider.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"

enum { LANES = NETDP_I_LANES };

typedef netdp_i_runs runs;
typedef netdp_i_lanes lanes;
typedef netdp_i_leave leave;

void netdp_i_runs_clear(runs *r)
{
    netdp_i_pool_clear(&r->pool);
    netdp_i_free(r->power);
    *r = (runs){0};
}

/*
 * Of contribution `number` before one in bin x: in which gaps up to that one the steps to the
 * piece's end are cheaper, which is in short ones, and in more of them the larger x is.
 */
static void find_splits(runs *r)
{
    const netdp_i_time_grid *m = r->grid;
    for (int64_t number = 2; number <= r->count; number++)
        for (int32_t x = 0, y = 0; x < m->bins; x++) {
            while (y < m->bins && netdp_i_spread_among(r->rate, number, m->tau[x] + m->tau[y]) <
                                      netdp_i_spread_alone(r->rate, m->tau[y]))
                y++;
            r->split[(number - 1) * m->bins + x] = y;
        }
}

netdp_status netdp_i_runs_new(const netdp_i_time_grid *grid, const netdp_i_observer_set *watch,
                              bool from_end, int64_t count, runs *r, netdp_error *error)
{
    *r = (runs){.grid = grid,
                .count = count,
                .members = watch->members,
                .leaves = watch->members + (watch->release && !from_end ? 3 : 1),
                .release = watch->release,
                .from_end = from_end,
                .rate = watch->rate};
    const int64_t bins = grid->bins, laws = (int64_t)r->leaves * count * bins;
    const int32_t sums = grid->first[bins];
    r->leave = NETDP_I_TAKE(&r->pool, leave, r->leaves);
    r->again_sum = NETDP_I_TAKE(&r->pool, double, sums);
    r->plain = NETDP_I_TAKE(&r->pool, double, laws);
    r->law = NETDP_I_TAKE(&r->pool, lanes, laws);
    r->gap = NETDP_I_TAKE(&r->pool, lanes, bins);
    r->gap_sum = NETDP_I_TAKE(&r->pool, lanes, sums);
    r->stay = NETDP_I_TAKE(&r->pool, lanes, r->leaves * bins);
    r->split = NETDP_I_TAKE(&r->pool, int32_t, count * bins);
    double *mass = NETDP_I_TAKE(&r->pool, double, 2 * (int64_t)(r->leaves + 1) * bins);
    TRY(netdp_i_pool_made(&r->pool, error));
    r->again = (leave){mass, mass + bins};
    for (int32_t i = 0; i < r->leaves; i++) {
        mass += 2 * bins;
        r->leave[i] = (leave){mass, mass + bins};
    }
    find_splits(r);
    return NETDP_OK;
}

/* ---- laws by the cost of one contribution ---- */

/*
 * Of a cost x grid steps above a grid point, how much of its mass goes to the next one: every f is
 * convex as a function of 1 - e^{-bend x}, so that a chord is never below it. e^{-bend x} itself, a
 * negative bend, is kept as it is.
 */
static double to_next(double x, double bend)
{
    if (!(x > 0))
        return 0;
    if (isinf(bend))
        return 1;
    const double part = bend != 0 ? expm1(-bend * x) / expm1(-bend) : x;
    return fmin(1, part * (1 + 1e-14));
}

/* The grid point below a cost. */
static int64_t point_of(const runs *r, double cost)
{
    return (int64_t)floor(cost * (double)r->per);
}

/* How much of its mass goes to the next one; what the product may be off is added. */
static double part_of(const runs *r, double cost)
{
    const double x = cost * (double)r->per;
    return to_next(x - floor(x) + 8 * DBL_EPSILON * x, r->bend);
}

/* Into bins; a cost of 1 / t each, or less, on the grid of the bin's least. */
static void fill(const runs *r, const double *law, leave *into)
{
    const netdp_i_time_grid *m = r->grid;
    memset(into->mass, 0, (size_t)m->bins * sizeof(double));
    memset(into->part, 0, (size_t)m->bins * sizeof(double));
    for (int32_t b = 0; b < m->bins; b++) {
        const int64_t point = point_of(r, netdp_i_spread_alone(r->rate, m->tau[b]));
        const int64_t end = b + 1 < m->bins ? m->tau[b + 1] : m->steps + 1;
        for (int64_t t = m->tau[b]; t < end; t++) {
            if (law[t] == 0)
                continue;
            const double cost = netdp_i_spread_alone(r->rate, t);
            into->mass[b] += law[t];
            if (point_of(r, cost) == point)
                into->part[b] += law[t] * part_of(r, cost);
        }
    }
}

/* Laws of a closed piece, by their cost of one contribution. */
static void fill_leaves(runs *r, netdp_i_returns *hunt, double *any)
{
    const netdp_i_time_grid *m = r->grid;
    memset(any, 0, (size_t)(m->steps + 1) * sizeof *any);
    fill(r, hunt->again, &r->again);
    for (int32_t x = 0; x < m->bins; x++)
        for (int32_t k = m->first[x]; k < m->first[x + 1]; k++) {
            r->again_sum[k] = 0;
            for (int32_t y = m->together[k].from; y < m->together[k].to; y++)
                r->again_sum[k] += r->again.mass[y];
        }
    for (int32_t f = 0; f < r->members; f++)
        fill(r, hunt->exits[f], &r->leave[f]);
    if (r->from_end) {
        (void)netdp_i_returns_find_ends(hunt);
        fill(r, hunt->last, &r->leave[r->members]);
        return;
    }
    for (int32_t f = 0; f < r->members; f++)
        for (int64_t t = 1; t <= m->steps; t++)
            any[t] += fmax(0, hunt->first[f][t]) + hunt->noise_first;
    double left = 1 + 16 * DBL_EPSILON; /* raised, it may end where it has the whole mass */
    for (int64_t t = 1; t <= m->steps && !r->release; t++) {
        any[t] = fmin(left, any[t]);
        left = fmax(0, left - any[t]);
    }
    fill(r, any, &r->leave[r->members]);
    if (!r->release)
        return;
    (void)netdp_i_returns_find_ends(hunt);
    fill(r, hunt->last, &r->leave[r->members + 1]);
    double gone = 0; /* what `first` has too much is added back */
    for (int64_t t = 1; t <= m->steps; t++) {
        gone += any[t];
        any[t] =
            fmin(1, fmax(0, 1 - gone) + 2 * (double)r->members *
                                            fmax(hunt->noise_first, hunt->noise_out) * (double)t);
    }
    fill(r, any, &r->leave[r->members + 2]);
}

static void extend_plain(const runs *r, const double *plain, double *next)
{
    const netdp_i_time_grid *m = r->grid;
    memset(next, 0, (size_t)m->bins * sizeof *next);
    for (int32_t x = 0; x < m->bins; x++)
        for (int32_t k = m->first[x]; k < m->first[x + 1]; k++) {
            const netdp_i_together *t = &m->together[k];
            double sum = plain[x] * r->again_sum[k];
            for (int32_t y = t->from; y < t->to && y < x; y++)
                sum += plain[y] * r->again.mass[x];
            next[t->into] += sum;
        }
}

/* Without costs: whatever the lanes. */
static void follow_plain(runs *r)
{
    const int64_t bins = r->grid->bins;
    for (int32_t i = 0; i < r->leaves; i++) {
        double *plain = r->plain + i * r->count * bins;
        memcpy(plain, r->leave[i].mass, (size_t)bins * sizeof *plain);
        for (int64_t k = 1; k < r->count; k++)
            extend_plain(r, plain + (k - 1) * bins, plain + k * bins);
    }
}

netdp_status netdp_i_runs_set(runs *r, netdp_i_returns *hunt, int64_t per, double bend,
                              netdp_error *error)
{
    OWNED double *any = NETDP_I_NEW(double, r->grid->steps + 1);
    r->per = per;
    r->bend = bend;
    netdp_i_free(r->power);
    r->power = NETDP_I_NEW(lanes, per + 1);
    if (r->power == NULL || any == NULL)
        return netdp_i_no_memory(error);
    fill_leaves(r, hunt, any);
    follow_plain(r);
    return NETDP_OK;
}

/* ---- for all lanes ---- */

/* The turn is a whole number of parts, so that no angle loses digits to its size. */
static void fill_powers(runs *r, const double *tilt, const int64_t *turn, int64_t points)
{
    for (int64_t g = 0; g <= r->per; g++)
        for (int j = 0; j < LANES; j++) {
            const double angle = 2 * M_PI * (double)(turn[j] * g % points) / (double)points;
            const double size = exp(tilt[j] * (double)g);
            r->power[g].re[j] = turn[j] == 0 ? size : size * cos(angle);
            r->power[g].im[j] = turn[j] == 0 ? 0 : size * sin(angle);
        }
}

/* z^g ((1 - part) + part z) */
static lanes weigh(const runs *r, int64_t g, double mass, double part)
{
    const lanes *a = &r->power[g], *b = &r->power[g < r->per ? g + 1 : g];
    lanes made;
    for (int j = 0; j < LANES; j++) {
        made.re[j] = (mass - part) * a->re[j] + part * b->re[j];
        made.im[j] = (mass - part) * a->im[j] + part * b->im[j];
    }
    return made;
}

/* The weight of a contribution that is hidden, as the first of so many, by the steps to the end. */
static lanes weigh_spread(const runs *r, int64_t number, int64_t tau)
{
    const double cost = netdp_i_spread_among(r->rate, number, tau);
    return cost >= 1 ? r->power[r->per] : weigh(r, point_of(r, cost), 1, part_of(r, cost));
}

#define INSIDE static inline __attribute__((always_inline))

/* Four lanes, in a register. */
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

typedef struct wide {
    four re0, re1, im0, im1;
} wide;

INSIDE void load(const lanes *from, wide *to)
{
    const four *re = (const four *)from->re, *im = (const four *)from->im;
    to->re0 = re[0];
    to->re1 = re[1];
    to->im0 = im[0];
    to->im1 = im[1];
}

INSIDE void store(const wide *from, lanes *to)
{
    four *re = (four *)to->re, *im = (four *)to->im;
    re[0] = from->re0;
    re[1] = from->re1;
    im[0] = from->im0;
    im[1] = from->im1;
}

/* *to += a[from] + .. + a[end - 1] */
INSIDE void add_all(const lanes *a, int32_t from, int32_t end, wide *to)
{
    for (int32_t i = from; i < end; i++) {
        wide one;
        load(&a[i], &one);
        to->re0 += one.re0;
        to->re1 += one.re1;
        to->im0 += one.im0;
        to->im1 += one.im1;
    }
}

INSIDE void add_times(const wide *a, double mass, lanes *to)
{
    wide made;
    load(to, &made);
    made.re0 += a->re0 * mass;
    made.re1 += a->re1 * mass;
    made.im0 += a->im0 * mass;
    made.im1 += a->im1 * mass;
    store(&made, to);
}

INSIDE void add_product(const wide *a, const wide *b, wide *to)
{
    to->re0 += a->re0 * b->re0 - a->im0 * b->im0;
    to->re1 += a->re1 * b->re1 - a->im1 * b->im1;
    to->im0 += a->re0 * b->im0 + a->im0 * b->re0;
    to->im1 += a->re1 * b->im1 + a->im1 * b->re1;
}

NETDP_I_WIDER
static void sum_gaps(runs *r)
{
    const netdp_i_time_grid *m = r->grid;
    for (int32_t k = 0; k < m->first[m->bins]; k++) {
        wide sum = {0};
        add_all(r->gap, m->together[k].from, m->together[k].to, &sum);
        store(&sum, &r->gap_sum[k]);
    }
}

/*
 * Contributions in bin x, hidden up to the next by the gaps of a group, at most as many steps; those
 * of the gaps below bin `split` stay.
 */
INSIDE void extend_near(const runs *r, int32_t k, int32_t split, const wide *here, wide *next,
                        lanes *stay)
{
    const netdp_i_together *t = &r->grid->together[k];
    wide sum = {0};
    if (t->from >= split) {
        load(&r->gap_sum[k], &sum);
    } else if (t->to <= split) {
        add_times(here, r->again_sum[k], &stay[t->into]);
        return;
    } else {
        double mass = 0;
        for (int32_t b = t->from; b < split; b++)
            mass += r->again.mass[b];
        add_times(here, mass, &stay[t->into]);
        add_all(r->gap, split, t->to, &sum);
    }
    add_product(here, &sum, next);
}

/*
 * One more contribution before `now`: hidden by the steps up to the next one, where that is
 * cheaper, or by those up to the piece's end.
 */
NETDP_I_WIDER
static void extend(const runs *r, int64_t number, const lanes *now, lanes *next, lanes *stay)
{
    const netdp_i_time_grid *m = r->grid;
    memset(next, 0, (size_t)m->bins * sizeof *next);
    memset(stay, 0, (size_t)m->bins * sizeof *stay);
    for (int32_t x = 0; x < m->bins; x++) {
        const int32_t split = r->split[(number - 1) * m->bins + x];
        wide here, gap;
        load(&now[x], &here);
        load(&r->gap[x], &gap);
        for (int32_t k = m->first[x]; k < m->first[x + 1]; k++) {
            const netdp_i_together *t = &m->together[k];
            wide made, sum = {0}; /* of shorter ways to the piece's end, by a gap of bin x */
            load(&next[t->into], &made);
            extend_near(r, k, split, &here, &made, stay);
            add_all(now, t->from, t->to < x ? t->to : x, &sum);
            add_product(&sum, &gap, &made);
            store(&made, &next[t->into]);
        }
    }
}

/* What stays goes on to contribution `number`, each with the weight of the steps to the piece's end. */
static void add_stays(runs *r, int64_t number)
{
    const int64_t bins = r->grid->bins;
    for (int32_t b = 0; b < bins; b++) {
        const lanes w = weigh_spread(r, number, r->grid->tau[b]);
        wide weight, stay, made;
        load(&w, &weight);
        for (int32_t i = 0; i < r->leaves; i++) {
            lanes *next = &r->law[(i * r->count + number - 1) * bins + b];
            load(&r->stay[i * bins + b], &stay);
            load(next, &made);
            add_product(&stay, &weight, &made);
            store(&made, next);
        }
    }
}

static void first_of(const runs *r, const leave *from, lanes *into)
{
    for (int32_t b = 0; b < r->grid->bins; b++)
        into[b] = weigh(r, point_of(r, netdp_i_spread_alone(r->rate, r->grid->tau[b])),
                        from->mass[b], from->part[b]);
}

void netdp_i_runs_follow(runs *r, const double *tilt, const int64_t *turn, int64_t points)
{
    const int64_t bins = r->grid->bins;
    fill_powers(r, tilt, turn, points);
    first_of(r, &r->again, r->gap);
    sum_gaps(r);
    for (int32_t i = 0; i < r->leaves; i++)
        first_of(r, &r->leave[i], r->law + i * r->count * bins);
    for (int64_t k = 1; k < r->count; k++) {
        for (int32_t i = 0; i < r->leaves; i++) {
            lanes *law = r->law + (i * r->count + k) * bins;
            extend(r, k + 1, law - bins, law, r->stay + i * bins);
        }
        add_stays(r, k + 1);
    }
}

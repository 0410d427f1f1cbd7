#include "account/walk/runs.h"

#include <math.h>
#include <string.h>

#include "account/walk/wider.h"
#include "base/fail.h"
#include "base/memory.h"

enum { LANES = NETDP_I_LANES };

typedef netdp_i_runs runs;
typedef netdp_i_lanes lanes;
typedef netdp_i_leave leave;

static void leave_clear(leave *l)
{
    netdp_i_free(l->mass);
    netdp_i_free(l->part);
}

void netdp_i_runs_clear(runs *r)
{
    for (int32_t i = 0; r->leave != NULL && i < r->leaves; i++)
        leave_clear(&r->leave[i]);
    leave_clear(&r->again);
    netdp_i_free(r->leave);
    netdp_i_free(r->again_sum);
    netdp_i_free(r->plain);
    netdp_i_free(r->power);
    netdp_i_free(r->law);
    netdp_i_free(r->gap);
    netdp_i_free(r->gap_sum);
    netdp_i_free(r->stay);
    *r = (runs){0};
}

static netdp_status leave_new(int32_t bins, leave *l, netdp_error *error)
{
    l->mass = NETDP_I_NEW(double, bins);
    l->part = NETDP_I_NEW(double, bins);
    return l->mass != NULL && l->part != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

netdp_status netdp_i_runs_new(const netdp_i_time_grid *grid, const netdp_i_observer_set *watch,
                              int64_t count, runs *r, netdp_error *error)
{
    *r = (runs){.grid = grid,
                .count = count,
                .members = watch->members,
                .leaves = watch->members + (watch->release ? 3 : 1),
                .release = watch->release};
    const int64_t laws = (int64_t)r->leaves * count * grid->bins;
    const int32_t sums = grid->first[grid->bins];
    r->leave = NETDP_I_NEW(leave, r->leaves);
    r->again_sum = NETDP_I_NEW(double, sums);
    r->plain = NETDP_I_NEW(double, laws);
    r->law = NETDP_I_NEW(lanes, laws);
    r->gap = NETDP_I_NEW(lanes, grid->bins);
    r->gap_sum = NETDP_I_NEW(lanes, sums);
    r->stay = NETDP_I_NEW(lanes, grid->bins);
    netdp_status status = r->leave == NULL || r->again_sum == NULL || r->plain == NULL ||
                                  r->law == NULL || r->gap == NULL || r->gap_sum == NULL ||
                                  r->stay == NULL
                              ? netdp_i_no_memory(error)
                              : NETDP_OK;
    for (int32_t i = 0; i < r->leaves && status == NETDP_OK; i++)
        status = leave_new(grid->bins, &r->leave[i], error);
    return status == NETDP_OK ? leave_new(grid->bins, &r->again, error) : status;
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

/* Into bins; a cost of 1 / t each, on the grid of the bin's least. */
static void fill(const runs *r, const double *law, leave *into)
{
    const netdp_i_time_grid *m = r->grid;
    memset(into->mass, 0, (size_t)m->bins * sizeof(double));
    memset(into->part, 0, (size_t)m->bins * sizeof(double));
    for (int64_t t = 1; t <= m->steps; t++) {
        const int32_t b = m->bin[t];
        into->mass[b] += law[t];
        if (m->tau[b] > r->per) { /* all of the bin is below point 1 */
            into->part[b] += law[t] * to_next((double)r->per / (double)t, r->bend);
            continue;
        }
        const int64_t floor = r->per / m->tau[b];
        if (r->per / t == floor)
            into->part[b] += law[t] * to_next((double)(r->per % t) / (double)t, r->bend);
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
    for (int32_t f = 0; f < r->members; f++) {
        fill(r, hunt->exits[f], &r->leave[f]);
        for (int64_t t = 1; t <= m->steps; t++)
            any[t] += fmax(0, hunt->first[f][t]) + hunt->noise_first;
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

netdp_status netdp_i_runs_set(runs *r, netdp_i_returns *hunt, int64_t per, double bend,
                              netdp_error *error)
{
    double *any = NETDP_I_NEW(double, r->grid->steps + 1);
    r->per = per;
    r->bend = bend;
    netdp_i_free(r->power);
    r->power = NETDP_I_NEW(lanes, per + 1);
    if (r->power == NULL || any == NULL) {
        netdp_i_free(any);
        return netdp_i_no_memory(error);
    }
    fill_leaves(r, hunt, any);
    netdp_i_free(any);
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

/* The weight of a contribution that is hidden by the steps to the piece's end: min(1, n / tau). */
static lanes weigh_spread(const runs *r, int64_t n, int64_t tau)
{
    if (n >= tau)
        return r->power[r->per];
    const int64_t all = n * r->per;
    return weigh(r, all / tau, 1, to_next((double)(all % tau) / (double)tau, r->bend));
}

#define INSIDE static inline __attribute__((always_inline))

INSIDE void add(const lanes *a, lanes *to)
{
#pragma omp simd
    for (int j = 0; j < LANES; j++) {
        to->re[j] += a->re[j];
        to->im[j] += a->im[j];
    }
}

INSIDE void add_times(const lanes *a, double mass, lanes *to)
{
#pragma omp simd
    for (int j = 0; j < LANES; j++) {
        to->re[j] += a->re[j] * mass;
        to->im[j] += a->im[j] * mass;
    }
}

INSIDE void add_product(const lanes *a, const lanes *b, lanes *to)
{
#pragma omp simd
    for (int j = 0; j < LANES; j++) {
        to->re[j] += a->re[j] * b->re[j] - a->im[j] * b->im[j];
        to->im[j] += a->re[j] * b->im[j] + a->im[j] * b->re[j];
    }
}

NETDP_I_WIDER
static void sum_gaps(runs *r)
{
    const netdp_i_time_grid *m = r->grid;
    for (int32_t k = 0; k < m->first[m->bins]; k++) {
        lanes sum = {0};
        for (int32_t y = m->together[k].from; y < m->together[k].to; y++)
            add(&r->gap[y], &sum);
        r->gap_sum[k] = sum;
    }
}

/* One more contribution in bin `a`, hidden up to the next by a gap of at most as many steps. */
INSIDE void extend_near(const runs *r, int64_t number, int32_t a, const lanes *here, lanes *next)
{
    const netdp_i_time_grid *m = r->grid;
    /* up to here the steps to the piece's end are cheaper than those of the gap */
    const int64_t most = (m->tau[a] - 1) / (2 * number - 2);
    const int32_t split = most < 1 ? 0 : m->bin[most] + 1;
    for (int32_t k = m->first[a]; k < m->first[a + 1]; k++) {
        const netdp_i_together *t = &m->together[k];
        if (t->to <= split) {
            add_times(here, r->again_sum[k], &r->stay[t->into]);
        } else if (t->from >= split) {
            add_product(here, &r->gap_sum[k], &next[t->into]);
        } else {
            double mass = 0;
            lanes sum = {0};
            for (int32_t b = t->from; b < split; b++)
                mass += r->again.mass[b];
            for (int32_t b = split; b < t->to; b++)
                add(&r->gap[b], &sum);
            add_times(here, mass, &r->stay[t->into]);
            add_product(here, &sum, &next[t->into]);
        }
    }
}

/* The same from all bins below `b`, by a gap of that bin. */
INSIDE void extend_far(const runs *r, int32_t b, const lanes *now, lanes *next)
{
    const netdp_i_time_grid *m = r->grid;
    for (int32_t k = m->first[b]; k < m->first[b + 1]; k++) {
        const netdp_i_together *t = &m->together[k];
        lanes sum = {0};
        for (int32_t a = t->from; a < t->to && a < b; a++)
            add(&now[a], &sum);
        add_product(&sum, &r->gap[b], &next[t->into]);
    }
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

/*
 * One more contribution before `now`: hidden by the steps up to the next one, where that is
 * cheaper, or by those up to the piece's end.
 */
NETDP_I_WIDER
static void extend(const runs *r, int64_t number, const lanes *now, lanes *next)
{
    const netdp_i_time_grid *m = r->grid;
    memset(next, 0, (size_t)m->bins * sizeof *next);
    memset(r->stay, 0, (size_t)m->bins * sizeof *r->stay);
    for (int32_t x = 0; x < m->bins; x++) {
        extend_near(r, number, x, &now[x], next);
        extend_far(r, x, now, next);
    }
}

/* next += what stays, each with the weight of the steps to the piece's end */
static void add_stays(const runs *r, int64_t number, lanes *next)
{
    for (int32_t b = 0; b < r->grid->bins; b++) {
        const lanes w = weigh_spread(r, 2 * number - 1, r->grid->tau[b]);
        add_product(&r->stay[b], &w, &next[b]);
    }
}

static void first_of(const runs *r, const leave *from, lanes *into)
{
    for (int32_t b = 0; b < r->grid->bins; b++)
        into[b] = weigh(r, r->per / r->grid->tau[b], from->mass[b], from->part[b]);
}

void netdp_i_runs_follow(runs *r, const double *tilt, const int64_t *turn, int64_t points)
{
    const int64_t bins = r->grid->bins;
    fill_powers(r, tilt, turn, points);
    first_of(r, &r->again, r->gap);
    sum_gaps(r);
    for (int32_t i = 0; i < r->leaves; i++) {
        lanes *law = r->law + i * r->count * bins;
        double *plain = r->plain + i * r->count * bins;
        first_of(r, &r->leave[i], law);
        memcpy(plain, r->leave[i].mass, (size_t)bins * sizeof *plain);
        for (int64_t k = 1; k < r->count; k++) {
            extend(r, k + 1, law + (k - 1) * bins, law + k * bins);
            add_stays(r, k + 1, law + k * bins);
            extend_plain(r, plain + (k - 1) * bins, plain + k * bins);
        }
    }
}

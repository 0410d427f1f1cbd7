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

/* Are all steps told apart? Then a group is one gap. */
static bool by_steps(const netdp_i_time_grid *grid)
{
    return grid->bins == grid->steps;
}

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
            if (y == 0 && r->begin[number - 1] == x)
                r->begin[number - 1]++;
        }
}

netdp_status netdp_i_runs_new(const netdp_i_time_grid *grid, const netdp_i_observer_set *watch,
                              bool from_end, bool summed, int64_t count, runs *r,
                              netdp_error *error)
{
    const int32_t others = from_end ? 1 : summed ? 0 : watch->release ? 3 : 1;
    *r = (runs){.grid = grid,
                .count = count,
                .members = watch->members,
                .leaves = watch->members + others,
                .release = watch->release,
                .from_end = from_end,
                .summed = summed,
                .rows = summed ? NETDP_I_RUNS_ROWS : count,
                .rate = watch->rate};
    const int64_t bins = grid->bins, laws = (int64_t)r->leaves * r->rows * bins;
    const int32_t sums = by_steps(grid) ? 0 : grid->first[bins];
    r->leave = NETDP_I_TAKE(&r->pool, leave, r->leaves);
    r->again_sum = NETDP_I_TAKE(&r->pool, double, sums);
    r->plain = NETDP_I_TAKE(&r->pool, double, laws);
    r->law = NETDP_I_TAKE(&r->pool, lanes, laws);
    r->turn = NETDP_I_TAKE(&r->pool, lanes, summed ? 2 * r->leaves * bins : 1);
    r->gap = NETDP_I_TAKE(&r->pool, lanes, bins);
    r->gap_sum = NETDP_I_TAKE(&r->pool, lanes, sums);
    r->stay = NETDP_I_TAKE(&r->pool, lanes, r->leaves * bins);
    r->above = NETDP_I_TAKE(&r->pool, lanes, bins);
    r->above_are = NETDP_I_TAKE(&r->pool, netdp_i_together, bins);
    r->split = NETDP_I_TAKE(&r->pool, int32_t, count * bins);
    r->begin = NETDP_I_TAKE(&r->pool, int32_t, count);
    r->below = NETDP_I_TAKE(&r->pool, double, count *bins);
    r->weight = NETDP_I_TAKE(&r->pool, netdp_i_weight, count * bins);
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
    for (int32_t x = 0; x < m->bins && !by_steps(m); x++)
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
    if (r->summed)
        return;
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

/* A sum of the first so many, from the first on. */
typedef struct first_sum {
    int32_t count;
    double sum;
} first_sum;

/* a[from] + .. + a[end - 1]; where they are the first ones, from those at hand on. */
static double sum_of(const double *a, int32_t from, int32_t end, first_sum *first)
{
    first_sum here = {from, 0};
    first_sum *at = from == 0 && end >= first->count ? first : &here;
    for (; at->count < end; at->count++)
        at->sum += a[at->count];
    return at->sum;
}

static void extend_plain(const runs *r, const double *plain, double *next)
{
    const netdp_i_time_grid *m = r->grid;
    first_sum first = {0};
    memset(next, 0, (size_t)m->bins * sizeof *next);
    if (by_steps(m)) {
        for (int32_t x = 0; x < m->bins; x++)
            for (int32_t into = x + 1; into < m->bins; into++)
                next[into] += plain[x] * r->again.mass[into - x - 1];
        return;
    }
    for (int32_t x = 0; x < m->bins; x++)
        for (int32_t k = m->first[x]; k < m->first[x + 1]; k++) {
            const netdp_i_together *t = &m->together[k];
            next[t->into] +=
                plain[x] * r->again_sum[k] +
                sum_of(plain, t->from, t->to < x ? t->to : x, &first) * r->again.mass[x];
        }
}

/* The group of bin x that a split parts, or NULL. */
static const netdp_i_together *parted(const netdp_i_time_grid *m, int32_t x, int32_t split)
{
    for (int32_t k = m->first[x]; k < m->first[x + 1] && m->together[k].from < split; k++)
        if (m->together[k].to > split)
            return &m->together[k];
    return NULL;
}

static void fill_below(runs *r)
{
    const netdp_i_time_grid *m = r->grid;
    for (int64_t number = 2; number <= r->count && !by_steps(m); number++) {
        first_sum first = {0};
        for (int32_t x = 0; x < m->bins; x++) {
            const int64_t at = (number - 1) * m->bins + x;
            const netdp_i_together *t = parted(m, x, r->split[at]);
            r->below[at] = t == NULL ? 0 : sum_of(r->again.mass, t->from, r->split[at], &first);
        }
    }
}

/* Of runs that are summed: one more, of so many contributions. */
static void add_plain(const runs *r, int64_t number, const double *one, double *into)
{
    const int64_t bins = r->grid->bins;
    const double scaled = pow(1 + NETDP_I_RUNS_SCALED, (double)number);
    for (int64_t b = 0; b < bins; b++) {
        into[NETDP_I_RUNS_ALL * bins + b] += one[b];
        into[NETDP_I_RUNS_LAST * bins + b] = one[b];
        into[NETDP_I_RUNS_ALL_SCALED * bins + b] += scaled * one[b];
    }
}

/* Without costs: whatever the lanes. room: [2][bins] */
static void follow_plain(runs *r, double *room)
{
    const int64_t bins = r->grid->bins;
    memset(r->plain, 0, (size_t)(r->leaves * r->rows * bins) * sizeof *r->plain);
    for (int32_t i = 0; i < r->leaves; i++) {
        double *plain = r->plain + i * r->rows * bins, *last = NULL;
        for (int64_t k = 0; k < r->count; k++) {
            double *now = r->summed ? room + k % 2 * bins : plain + k * bins;
            if (k == 0)
                memcpy(now, r->leave[i].mass, (size_t)bins * sizeof *now);
            else
                extend_plain(r, last, now);
            if (r->summed)
                add_plain(r, k + 1, now, plain);
            last = now;
        }
    }
}

/* As the first of so many contributions, by the steps to the end. */
static void fill_weights(runs *r)
{
    const netdp_i_time_grid *m = r->grid;
    for (int64_t number = 2; number <= r->count; number++)
        for (int32_t b = 0; b < m->bins; b++) {
            const double cost = netdp_i_spread_among(r->rate, number, m->tau[b]);
            r->weight[(number - 1) * m->bins + b] =
                cost >= 1 ? (netdp_i_weight){r->per, 0}
                          : (netdp_i_weight){point_of(r, cost), part_of(r, cost)};
        }
}

netdp_status netdp_i_runs_set(runs *r, netdp_i_returns *hunt, int64_t per, double bend,
                              netdp_error *error)
{
    OWNED double *any = NETDP_I_NEW(double, r->grid->steps + 1);
    OWNED double *room = NETDP_I_NEW(double, 2 * (int64_t)r->grid->bins);
    r->per = per;
    r->bend = bend;
    netdp_i_free(r->power);
    r->power = NETDP_I_NEW(lanes, per + 1);
    if (r->power == NULL || any == NULL || room == NULL)
        return netdp_i_no_memory(error);
    fill_leaves(r, hunt, any);
    follow_plain(r, room);
    fill_below(r);
    fill_weights(r);
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

#define INSIDE static inline __attribute__((always_inline))

/* Eight lanes: one register, or two. */
typedef double eight __attribute__((vector_size(64), aligned(8), may_alias));

typedef struct wide {
    eight re, im;
} wide;

INSIDE void load(const lanes *from, wide *to)
{
    to->re = *(const eight *)from->re;
    to->im = *(const eight *)from->im;
}

INSIDE void store(const wide *from, lanes *to)
{
    *(eight *)to->re = from->re;
    *(eight *)to->im = from->im;
}

/* *to += a[from] + .. + a[end - 1] */
INSIDE void add_all(const lanes *a, int32_t from, int32_t end, wide *to)
{
    for (int32_t i = from; i < end; i++) {
        to->re += *(const eight *)a[i].re;
        to->im += *(const eight *)a[i].im;
    }
}

INSIDE void add_times(const wide *a, double mass, lanes *to)
{
    *(eight *)to->re += a->re * mass;
    *(eight *)to->im += a->im * mass;
}

INSIDE void add_product(const wide *a, const wide *b, wide *to)
{
    to->re += a->re * b->re - a->im * b->im;
    to->im += a->re * b->im + a->im * b->re;
}

NETDP_I_WIDEST
static void sum_gaps(runs *r)
{
    const netdp_i_time_grid *m = r->grid;
    for (int32_t k = 0; k < m->first[m->bins] && !by_steps(m); k++) {
        wide sum = {0};
        add_all(r->gap, m->together[k].from, m->together[k].to, &sum);
        store(&sum, &r->gap_sum[k]);
    }
}

/*
 * r->above for contribution `number`. The earlier it is in a run the lower is the split: what was added is kept.
 */
NETDP_I_WIDEST
static void find_above(runs *r, int64_t number)
{
    for (int32_t x = 0; x < r->grid->bins; x++) {
        const int32_t split = r->split[(number - 1) * r->grid->bins + x];
        const netdp_i_together *t = parted(r->grid, x, split);
        netdp_i_together *are = &r->above_are[x];
        if (t == NULL)
            continue;
        wide sum = {0};
        if (are->to == t->to && are->from >= split)
            load(&r->above[x], &sum);
        else
            are->from = are->to = t->to;
        while (are->from > split) {
            are->from--;
            add_all(r->gap, are->from, are->from + 1, &sum);
        }
        store(&sum, &r->above[x]);
    }
}

/*
 * Contributions in bin x, hidden up to the next by gaps of at most as many steps: those of the gaps below the split
 * stay. Returns the first group that has none.
 */
INSIDE int32_t extend_parted(const runs *r, int64_t at, int32_t x, const wide *here, lanes *next,
                             lanes *stay)
{
    const netdp_i_time_grid *m = r->grid;
    const int32_t split = r->split[at];
    int32_t k = m->first[x];
    for (; k < m->first[x + 1] && m->together[k].from < split; k++) {
        const netdp_i_together *t = &m->together[k];
        const bool whole = t->to <= split;
        add_times(here, whole ? r->again_sum[k] : r->below[at], &stay[t->into]);
        if (whole)
            continue;
        wide sum, made;
        load(&r->above[x], &sum);
        load(&next[t->into], &made);
        add_product(here, &sum, &made);
        store(&made, &next[t->into]);
    }
    return k;
}

INSIDE bool is_zero(const lanes *a)
{
    for (int j = 0; j < LANES; j++)
        if (a->re[j] != 0 || a->im[j] != 0)
            return false;
    return true;
}

/*
 * One more contribution before `now`: hidden by the steps up to the next one, where that is
 * cheaper, or by those up to the piece's end.
 */
NETDP_I_WIDEST
static void extend(const runs *r, int64_t number, const lanes *now, lanes *next, lanes *stay)
{
    const netdp_i_together *together = r->grid->together;
    const lanes *gap_sum = r->gap_sum;
    const int32_t bins = r->grid->bins;
    const int32_t begin = r->begin[number - 1];
    int32_t count = 0, x = 0;
    wide first = {0}; /* of the first `count` of now */
    memset(next, 0, (size_t)bins * sizeof *next);
    memset(stay + begin, 0, (size_t)(bins - begin) * sizeof *stay);
    while (x < bins && is_zero(&now[x]))
        x++;
    for (; x < bins; x++) {
        wide here, gap;
        load(&now[x], &here);
        load(&r->gap[x], &gap);
        const int32_t parted_up_to =
            extend_parted(r, (number - 1) * bins + x, x, &here, next, stay);
        for (int32_t k = r->grid->first[x], end = r->grid->first[x + 1]; k < end; k++) {
            const netdp_i_together t = together[k];
            const int32_t to = t.to < x ? t.to : x;
            wide made, sum = {0}; /* of shorter ways to the piece's end, by a gap of bin x */
            load(&next[t.into], &made);
            if (k >= parted_up_to) {
                wide near;
                load(&gap_sum[k], &near);
                add_product(&here, &near, &made);
            }
            if (t.from == 0 && to >= count) {
                add_all(now, count, to, &first);
                count = to;
                sum = first;
            } else {
                add_all(now, t.from, to, &sum);
            }
            add_product(&sum, &gap, &made);
            store(&made, &next[t.into]);
        }
    }
}

/*
 * The same where all steps are told apart: of a gap and what comes after it the sum of steps is that of `into`. Gaps
 * below a split, which the shorter the fewer steps come after them, stay.
 */
NETDP_I_WIDEST
static void extend_steps(const runs *r, int64_t number, const lanes *now, lanes *next, lanes *stay)
{
    const int32_t bins = r->grid->bins, *split = r->split + (number - 1) * bins;
    const double *again = r->again.mass;
    const lanes *gaps = r->gap;
    int32_t begin = 0;
    while (begin < bins && is_zero(&now[begin]))
        begin++;
    for (int32_t into = 0; into < bins; into++) {
        wide sum = {0}, stays = {0}, rest, gap;
        int32_t x = into - 1, y = 0; /* what comes after the gap, and the gap */
        for (; x >= begin && y <= x && y < split[x]; x--, y++) {
            stays.re += *(const eight *)now[x].re * again[y];
            stays.im += *(const eight *)now[x].im * again[y];
        }
        for (; x >= begin; x--, y++) {
            load(&now[x], &rest);
            load(&gaps[y], &gap);
            add_product(&rest, &gap, &sum);
        }
        store(&sum, &next[into]);
        store(&stays, &stay[into]);
    }
}

/* Runs of k + 1 contributions. */
static lanes *law_of(const runs *r, int32_t i, int64_t k)
{
    const int64_t bins = r->grid->bins;
    return r->summed ? r->turn + (k % 2 * r->leaves + i) * bins
                     : r->law + (i * r->count + k) * bins;
}

/* What stays goes on to contribution `number`, each with the weight of the steps to the piece's end. */
static void add_stays(runs *r, int64_t number)
{
    const int64_t bins = r->grid->bins;
    const netdp_i_weight *weights = r->weight + (number - 1) * bins;
    for (int64_t b = r->begin[number - 1]; b < bins; b++) {
        const lanes w = weigh(r, weights[b].point, 1, weights[b].part);
        wide weight, stay, made;
        load(&w, &weight);
        for (int32_t i = 0; i < r->leaves; i++) {
            lanes *next = law_of(r, i, number - 1) + b;
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

/* Runs of k + 1 contributions are summed. */
NETDP_I_WIDEST
static void add_law(runs *r, int64_t k, bool scaled)
{
    const int64_t bins = r->grid->bins;
    const double scale = pow(1 + NETDP_I_RUNS_SCALED, (double)(k + 1));
    for (int32_t i = 0; i < r->leaves; i++) {
        const lanes *law = law_of(r, i, k);
        lanes *into = r->law + i * r->rows * bins;
        for (int64_t b = 0; b < bins; b++) {
            wide one;
            load(&law[b], &one);
            add_times(&one, 1, &into[NETDP_I_RUNS_ALL * bins + b]);
            if (scaled)
                add_times(&one, scale, &into[NETDP_I_RUNS_ALL_SCALED * bins + b]);
        }
        if (k == r->count - 1)
            memcpy(into + NETDP_I_RUNS_LAST * bins, law, (size_t)bins * sizeof *law);
    }
}

void netdp_i_runs_follow(runs *r, const double *tilt, const int64_t *turn, int64_t points)
{
    const int64_t bins = r->grid->bins;
    fill_powers(r, tilt, turn, points);
    first_of(r, &r->again, r->gap);
    sum_gaps(r);
    memset(r->above_are, 0, (size_t)bins * sizeof *r->above_are);
    if (r->summed)
        memset(r->law, 0, (size_t)(r->leaves * r->rows * bins) * sizeof *r->law);
    const bool steps = by_steps(r->grid);
    for (int64_t k = 0; k < r->count; k++) {
        if (k > 0 && !steps)
            find_above(r, k + 1);
        for (int32_t i = 0; i < r->leaves; i++)
            if (k == 0)
                first_of(r, &r->leave[i], law_of(r, i, 0));
            else if (steps)
                extend_steps(r, k + 1, law_of(r, i, k - 1), law_of(r, i, k), r->stay + i * bins);
            else
                extend(r, k + 1, law_of(r, i, k - 1), law_of(r, i, k), r->stay + i * bins);
        if (k > 0)
            add_stays(r, k + 1);
        if (r->summed)
            add_law(r, k, turn[0] == 0);
    }
}

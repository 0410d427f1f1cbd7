#include "account/walk/mixture/long_walk.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "account/walk/mixture/gained.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/try.h"
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

#define SCALED NETDP_I_RUNS_SCALED

typedef netdp_i_long_walk walk;
typedef netdp_i_lanes lanes;

/* What a random length has. */
static void clear_rooms(walk *w)
{
    netdp_i_random_length_free(w->length);
    netdp_i_pool_clear(&w->rooms);
    w->length = NULL;
}

void netdp_i_long_walk_clear(walk *w)
{
    netdp_i_runs_clear(&w->runs);
    netdp_i_free(w->law);
    netdp_i_free(w->stays);
    clear_rooms(w);
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
    const double visits =
        (w->from_end ? w->share * (double)steps : whole_mass(hunt->presence, steps - 1)) *
        (1 + 1e-9);
    const double most = w->count > 0 && !w->from_end ? (double)w->count : (double)steps;
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
    if (from_end)
        w->stays = NETDP_I_NEW(double, members *blocks);
    if (w->law == NULL || (from_end && w->stays == NULL))
        return netdp_i_no_memory(error);
    fill_blocks(hunt->start, grid->steps, w->law);
    for (int32_t f = 0; f < members; f++)
        fill_blocks(hunt->found[f], grid->steps, w->law + (1 + f) * blocks);
    for (int32_t f = 0; f < members && from_end; f++)
        fill_stays(hunt, f, grid->steps, w->stays + f * blocks);
    w->excess = find_excess(hunt);
    netdp_i_dense_begin();
    return netdp_i_runs_new(grid, hunt->watch, from_end, w->count == 0, find_runs(w, hunt, delta),
                            &w->runs, error);
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
                if (w->from_end)
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
    const int64_t points = w->length->points, laws = w->runs.leaves * w->runs.rows;
    const int64_t arrivals = w->count > 0 ? w->count : 1;
    netdp_i_pool *pool = &w->rooms;
    w->power = NETDP_I_TAKE(pool, double, 2 * points * w->grid->bins);
    w->start = NETDP_I_TAKE(pool, double complex, points);
    w->found = NETDP_I_TAKE(pool, double complex, w->members *points);
    w->stay = NETDP_I_TAKE(pool, double complex, w->members *points);
    w->again = NETDP_I_TAKE(pool, double complex, points);
    w->plain = NETDP_I_TAKE(pool, double complex, laws *points);
    w->first = NETDP_I_TAKE(pool, double complex, w->runs.leaves *points);
    w->transform = NETDP_I_TAKE(pool, double, 2 * laws * points * WIDE);
    w->gap = NETDP_I_TAKE(pool, double, 2 * points * WIDE);
    w->room = NETDP_I_TAKE(pool, lanes, laws + w->runs.count + arrivals);
    return netdp_i_pool_made(pool, error);
}

netdp_status netdp_i_long_walk_set(walk *w, netdp_i_returns *hunt, double log_mean, int64_t per,
                                   double bend, netdp_error *error)
{
    netdp_i_length_asked asked = w->rough ? to_look : to_answer;
    asked.steps = w->grid->steps;
    asked.fading = fmin(MOST_FADING, LEAST_FADING + FADING_PER_LOG * fmax(0, log_mean));
    TRY(netdp_i_runs_set(&w->runs, hunt, per, bend, error));
    if (w->length != NULL && w->fading == asked.fading)
        return NETDP_OK;
    clear_rooms(w);
    TRY(netdp_i_random_length_new(&asked, &w->length, error));
    TRY(make_rooms(w, error));
    w->fading = asked.fading;
    transform_blocks(w);
    fill_power(w);
    transform_plain(w, w->runs.again.mass, w->again);
    for (int64_t i = 0; i < w->runs.leaves * w->runs.rows; i++)
        transform_plain(w, w->runs.plain + i * w->grid->bins, w->plain + i * w->length->points);
    for (int64_t i = 0; i < w->runs.leaves; i++)
        transform_plain(w, w->runs.leave[i].mass, w->first + i * w->length->points);
    return NETDP_OK;
}

/* ---- all points ---- */

static void transform(const walk *w, const lanes *law, double *into)
{
    const int32_t bins = w->grid->bins;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2 * w->length->points, WIDE, bins, 1,
                w->power, bins, law->re, WIDE, 0, into, WIDE);
}

/* Is this row of the runs that are summed looked at? */
static bool counts(const walk *w, int64_t row, bool off)
{
    return row == NETDP_I_RUNS_ALL || (row == NETDP_I_RUNS_LAST ? w->goes_on : off);
}

static void transform_runs(walk *w, bool off)
{
    const netdp_i_runs *r = &w->runs;
    for (int64_t i = 0; i < r->leaves * r->rows; i++)
        if (!r->summed || counts(w, i % r->rows, off))
            transform(w, r->law + i * w->grid->bins,
                      w->transform + i * 2 * w->length->points * WIDE);
    if (w->goes_on)
        transform(w, r->gap, w->gap);
}

/* ---- how far it may be off ---- */

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
    const lanes norm = netdp_i_gained_first(w, (netdp_i_gained_asked){1, 1, 1});
    const lanes more = netdp_i_gained_first(w, (netdp_i_gained_asked){1, 1 + SCALED, 1});
    const lanes above = netdp_i_gained_mean(w, (netdp_i_gained_asked){1 + SCALED, 1, -1});
    for (int i = 0; i < LANES; i++) {
        const double rounded =
            part / SCALED * (more.re[i] - norm.re[i]) + (1e-5 * part + turns) * norm.re[i];
        const double raised = 2 * w->excess * fmax(0, above.re[i] - gain->re[i]) / SCALED;
        const double off =
            (l->norm * rounded * (1 + 1e-6) + l->left_out * norm.re[i]) / l->survives;
        mean[i].off = netdp_i_gained_end(w, 1 + SCALED, i)
                          ? off * (1 + 1 / SCALED * w->excess) + raised
                          : INFINITY;
    }
}

void netdp_i_long_walk_means(walk *w, bool off, netdp_i_mean *mean)
{
    transform_runs(w, off);
    const lanes sum = netdp_i_gained_mean(w, (netdp_i_gained_asked){1, 1, -1});
    for (int i = 0; i < LANES; i++)
        mean[i] = (netdp_i_mean){.re = sum.re[i], .im = sum.im[i]};
    if (off)
        find_off(w, &sum, mean);
}

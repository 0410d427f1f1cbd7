#include "account/walk/mixture.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "account/walk/runs.h"
#include "account/walk/spread.h"
#include "base/fail.h"
#include "base/memory.h"

/*
 * E z^C for many z at once, from runs of contributions within a piece, and from piece to piece by
 * Fourier transforms in time.
 */
enum { LANES = NETDP_I_LANES };

/* Contributions that are followed; points of the grid of costs, where they are to answer at one delta
   and where they are to compose; of those in a cost of 1 at most. */
enum { MOST_COUNT = 128, POINTS = 256, COMPOSED_POINTS = NETDP_I_COST_POINTS, FEWER = 16 };

/* Fewer samples are not worth a look. */
enum { FIRST_SAMPLES = 24 };

/*
 * What samples that are not known may add, in parts of delta, and the noise at which that is looked
 * at: it hardly depends on it, since the costs that count for delta hardly do.
 */
#define ENOUGH 2e-3
#define USUAL_NOISE 4.0

/* Grid of costs where its points do not matter, since nothing is moved to them. */
enum { FINE = 240 };

/* The cap is reached so often, and rounding adds so little in parts, that contributions over the cap
   are worse to count. */
#define OFTEN 0.25
#define QUIET 0.25

/* Beyond, a Renyi mean leaves the doubles. */
#define LARGEST_EXPONENT 600.0

/* ln of the mean of a tilted law: beyond, the rounding of high costs drowns the low ones. */
#define MOST_TILTED 8.0

/* Where a period ends a tilt has taken away so much, or all: what jumps there takes many samples. */
#define FADED 25.0

/* Part of delta that a law may lose. */
#define LITTLE 1e-4

/* What rounding may add to the mass of no cost, in parts of what the law may lose: it falls with the
   cost as the tilt does, and counts for as little there as small costs do. */
#define LOUD 1e4

/* By how much a sum of probabilities may be off. */
#define ROUNDED 1e-13

/* One pair. */
typedef struct pair {
    const netdp_i_time_grid *m;
    netdp_i_runs runs; /* none where count is 0 */
    int64_t count;     /* contributions that count; 0: too many */
    int32_t members;
    bool release;
    fftw_complex *start;  /* [size]: transform of the first arrival */
    fftw_complex **found; /* [members][size]: of arrivals from each member */
    double *start_law;    /* [times] */
    double *found_sum;    /* [members] */
    double excess;        /* by which masses may add up to more than 1 */
    double overflow;      /* P(more contributions than are followed) */
    double over;          /* about P(more contributions than `count`) */
    fftw_complex *room;   /* [size]: in time */
    /* of one lane */
    fftw_complex *between, *arrive, *run; /* [count][size], [count][size], [size] */
    double *arrived;                      /* [2 count][times] */
    double *scratch;                      /* [3 count + 6 times] */
} pair;

static void pair_clear(pair *p)
{
    netdp_i_runs_clear(&p->runs);
    for (int32_t f = 0; p->found != NULL && f < p->members; f++)
        fftw_free(p->found[f]);
    netdp_i_free(p->found);
    netdp_i_free(p->start_law);
    netdp_i_free(p->found_sum);
    netdp_i_free(p->arrived);
    netdp_i_free(p->scratch);
    fftw_free(p->start);
    fftw_free(p->between);
    fftw_free(p->arrive);
    fftw_free(p->room);
    fftw_free(p->run);
}

/*
 * How many contributions are to be followed: the cap, or so many that more have next to no
 * probability. 0: too many. p->start, p->found are there.
 */
static netdp_status find_count(pair *p, const netdp_i_returns *hunt,
                               const netdp_i_mixture_asked *asked, netdp_error *error)
{
    const netdp_i_time_grid *m = p->m;
    const int64_t all = asked->cap > 0 && asked->cap < m->steps ? asked->cap : m->steps;
    double *time = NETDP_I_NEW(double, m->times);
    fftw_complex *back = fftw_alloc_complex((size_t)m->size);
    fftw_complex *now = fftw_alloc_complex((size_t)m->size);
    netdp_status status =
        time == NULL || back == NULL || now == NULL ? netdp_i_no_memory(error) : NETDP_OK;
    if (status != NETDP_OK)
        goto done;
    double norm = netdp_i_time_grid_fill(m, hunt->again, time), lost = 0;
    netdp_i_time_grid_transform(m, time, p->room, back);
    for (int32_t f = 0; f < p->members; f++) {
        norm += netdp_i_time_grid_fill(m, hunt->exits[f], time) * p->found_sum[f];
        netdp_i_time_grid_transform(m, time, p->room, now);
        netdp_i_time_grid_accumulate(m, now, p->found[f], back);
    }
    memcpy(now, p->start, (size_t)m->size * sizeof *now);
    for (p->count = 1;; p->count++) { /* `now`: the law of the arrival after `count` of them */
        netdp_i_time_grid_multiply(m, now, back);
        netdp_i_time_grid_restore(m, now, p->room);
        lost = norm * lost + 5 * m->rounding * (1 + norm);
        double more = 0;
        for (int32_t i = 0; i < m->times; i++)
            more += fmax(0, p->room[i][0]);
        p->over = more;
        p->overflow = more + lost * m->times;
        if (p->count >= all || more <= LITTLE * asked->delta)
            break;
        if (p->count >= MOST_COUNT) {
            p->count = 0;
            goto done;
        }
        fftw_execute_dft(m->forward, p->room, now);
    }
    if (p->count >= asked->cap && asked->cap > 0)
        p->overflow = 0;
    if (p->count >= m->steps)
        p->overflow = 0;
done:
    netdp_i_free(time);
    fftw_free(back);
    fftw_free(now);
    return status;
}

/* Sums above 1 by rounding, over all that may follow each other between two visits. */
static double find_excess(const pair *p, const netdp_i_returns *hunt)
{
    const int64_t terms = p->m->steps + 1;
    double out = netdp_i_series_sum(hunt->again, terms), any = 0, back = 0;
    for (int32_t f = 0; f < p->members; f++) {
        out += netdp_i_series_sum(hunt->exits[f], terms);
        any += netdp_i_series_sum(hunt->first[f], terms) + hunt->noise_first * (double)terms;
        back = fmax(back, p->found_sum[f]);
    }
    return expm1((double)p->count * log(fmax(1, out)) + log(fmax(1, any)) + log(fmax(1, back)));
}

static netdp_status pair_rooms(pair *p, const netdp_i_observer_set *watch, netdp_error *error)
{
    const netdp_i_time_grid *m = p->m;
    p->arrived = NETDP_I_NEW(double, 2 * p->count * m->times);
    p->scratch = NETDP_I_NEW(double, 3 * p->count + 6 * (int64_t)m->times);
    p->between = fftw_alloc_complex((size_t)(p->count * m->size));
    p->arrive = fftw_alloc_complex((size_t)(p->count * m->size));
    p->run = fftw_alloc_complex((size_t)m->size);
    return p->arrived == NULL || p->scratch == NULL || p->between == NULL || p->arrive == NULL ||
                   p->run == NULL
               ? netdp_i_no_memory(error)
               : netdp_i_runs_new(m, watch, p->count, &p->runs, error);
}

static netdp_status pair_new(const netdp_i_time_grid *m, netdp_i_returns *hunt,
                             const netdp_i_mixture_asked *asked, pair *p, netdp_error *error)
{
    *p = (pair){.m = m, .members = hunt->watch->members, .release = hunt->watch->release};
    p->found = NETDP_I_NEW(fftw_complex *, p->members);
    p->found_sum = NETDP_I_NEW(double, p->members);
    p->start_law = NETDP_I_NEW(double, m->times);
    p->start = fftw_alloc_complex((size_t)m->size);
    p->room = fftw_alloc_complex((size_t)m->size);
    double *time = NETDP_I_NEW(double, m->times);
    netdp_status status = p->found == NULL || p->found_sum == NULL || p->start == NULL ||
                                  p->room == NULL || p->start_law == NULL || time == NULL
                              ? netdp_i_no_memory(error)
                              : NETDP_OK;
    if (status != NETDP_OK)
        goto done;
    (void)netdp_i_time_grid_fill(m, hunt->start, p->start_law);
    netdp_i_time_grid_transform(m, p->start_law, p->room, p->start);
    for (int32_t f = 0; f < p->members && status == NETDP_OK; f++) {
        p->found[f] = fftw_alloc_complex((size_t)m->size);
        if (p->found[f] == NULL) {
            status = netdp_i_no_memory(error);
            goto done;
        }
        p->found_sum[f] = netdp_i_time_grid_fill(m, hunt->found[f], time);
        netdp_i_time_grid_transform(m, time, p->room, p->found[f]);
    }
    status = find_count(p, hunt, asked, error);
    if (status == NETDP_OK && p->count > 0)
        status = pair_rooms(p, hunt->watch, error);
    if (status == NETDP_OK && p->count > 0)
        p->excess = find_excess(p, hunt);
done:
    netdp_i_free(time);
    return status;
}

/* ---- from piece to piece, lane by lane ---- */

/* The mean of z^C - 1, and how far it may be off. */
typedef struct mean {
    double re, im, off;
} mean;

/* Not below the modulus; next to it for what is all but real, which is what bounds are made of. */
static double size_of(double re, double im)
{
    return fabs(re) + fabs(im);
}

/* Runs of one length and exit, in time. */
static double run_in_time(const pair *p, int32_t i, int64_t k, int lane, fftw_complex *time)
{
    const netdp_i_time_grid *m = p->m;
    const netdp_i_lanes *law = p->runs.law + ((int64_t)i * p->count + k) * m->bins;
    double sum = 0;
    memset(time, 0, (size_t)m->size * sizeof *time);
    for (int32_t b = 0; b < m->bins; b++) {
        time[m->time[b]][0] += law[b].re[lane];
        time[m->time[b]][1] += law[b].im[lane];
        sum += size_of(law[b].re[lane], law[b].im[lane]);
    }
    return sum;
}

/* p->between[k]: from an arrival over k + 1 contributions and a visit to the next one. norm[k]. */
static void transform_runs(pair *p, int lane, double *norm)
{
    const netdp_i_time_grid *m = p->m;
    for (int64_t k = 0; k + 1 < p->count; k++) {
        fftw_complex *between = p->between + k * m->size;
        norm[k] = 0;
        for (int32_t f = 0; f < p->members; f++) {
            fftw_complex *run = f == 0 ? between : p->run;
            norm[k] += run_in_time(p, f, k, lane, p->room) * p->found_sum[f];
            fftw_execute_dft(m->forward, p->room, run);
            if (f == 0)
                netdp_i_time_grid_multiply(m, run, p->found[f]);
            else
                netdp_i_time_grid_accumulate(m, run, p->found[f], between);
        }
    }
}

/* Arrivals after k contributions: in time, and how far each may be off. */
static void find_arrivals(pair *p, const double *norm, double *sum, double *off)
{
    const netdp_i_time_grid *m = p->m;
    const double part = 5 * m->rounding;
    memcpy(p->arrive, p->start, (size_t)m->size * sizeof *p->arrive);
    for (int32_t i = 0; i < m->times; i++) {
        p->arrived[i] = p->start_law[i];
        p->arrived[m->times + i] = 0;
    }
    sum[0] = off[0] = 0;
    for (int32_t i = 0; i < m->times; i++)
        sum[0] += p->start_law[i];
    for (int64_t k = 1; k < p->count; k++) {
        fftw_complex *now = p->arrive + k * m->size;
        double *real = p->arrived + 2 * k * m->times, *imaginary = real + m->times;
        netdp_i_time_grid_convolve(m, k, p->arrive, p->between, now);
        off[k] = 0;
        for (int64_t j = 1; j <= k; j++)
            off[k] += norm[j - 1] * (off[k - j] + part * sum[k - j]);
        netdp_i_time_grid_restore(m, now, p->room);
        sum[k] = m->times * off[k];
        for (int32_t i = 0; i < m->times; i++) {
            real[i] = p->room[i][0];
            imaginary[i] = p->room[i][1];
            sum[k] += size_of(real[i], imaginary[i]);
        }
        if (k + 1 < p->count)
            fftw_execute_dft(m->forward, p->room, now);
    }
}

/* sum[i] += what runs of k + 1 contributions gain by i steps of time. */
static void add_gained(const pair *p, int32_t by, int64_t k, int lane, double (*sum)[3])
{
    const netdp_i_time_grid *m = p->m;
    const int64_t at = ((int64_t)by * p->count + k) * m->bins;
    const netdp_i_lanes *law = p->runs.law + at;
    const double *plain = p->runs.plain + at;
    for (int32_t b = 0; b < m->bins; b++) {
        double *to = sum[m->time[b]];
        to[0] += law[b].re[lane] - plain[b];
        to[1] += law[b].im[lane];
        to[2] += size_of(law[b].re[lane], law[b].im[lane]) + plain[b];
    }
}

/* into += arrivals after k times what is gained after them; `so_far`: in the sum of times. */
static void add_up(const pair *p, int64_t k, double (*gained)[3], bool so_far, double off,
                   mean *into)
{
    const netdp_i_time_grid *m = p->m;
    const double *real = p->arrived + 2 * k * m->times, *imaginary = real + m->times;
    const double rounding = 8 * DBL_EPSILON * (double)p->count * ((double)m->bins + 16);
    double now[3] = {0};
    for (int32_t i = 0; i < m->times; i++) {
        for (int j = 0; j < 3; j++)
            now[j] = so_far ? now[j] + gained[i][j] : gained[i][j];
        const double re = real[m->times - 1 - i], im = imaginary[m->times - 1 - i];
        into->re += re * now[0] - im * now[1];
        into->im += re * now[1] + im * now[0];
        into->off += (off + (rounding + p->excess) * size_of(re, im)) * now[2];
    }
}

static mean account_lane(pair *p, int lane)
{
    const netdp_i_time_grid *m = p->m;
    const int64_t n = p->count;
    double *norm = p->scratch, *sum = norm + n, *off = sum + n;
    double(*open)[3] = (double(*)[3])(off + n), (*gained)[3] = open + m->times;
    mean made = {0};
    transform_runs(p, lane, norm);
    find_arrivals(p, norm, sum, off);
    for (int end = 0; end < (p->release ? 2 : 1); end++) {
        memset(open, 0, (size_t)m->times * sizeof *open);
        for (int64_t k = n - 1; k >= 0; k--) { /* before: k; still to come: n - k */
            memcpy(gained, open, (size_t)m->times * sizeof *open);
            add_gained(p, end == 0 ? p->members : p->members + 2, n - k - 1, lane, gained);
            add_up(p, k, gained, end == 0, off[k], &made);
            for (int32_t f = 0; f < (end == 0 ? p->members : 1); f++)
                add_gained(p, end == 0 ? f : p->members + 1, n - k - 1, lane, open);
        }
    }
    return made;
}

/* ---- the law ---- */

/* ln of the mean of e^{rate C}, from a coarse grid; `usable` as the tilt of a law. */
typedef struct tilted {
    double rate, all;
    bool usable;
} tilted;

static void find_tilted(pair *p, const netdp_i_mixture_asked *asked, tilted *found)
{
    const double per = (double)p->runs.per;
    const int64_t turns[LANES] = {0};
    double tilts[LANES];
    for (int j = 0; j < LANES; j++)
        tilts[j] = 0.5 * pow(1.7, j) / per;
    netdp_i_runs_follow(&p->runs, tilts, turns, 1);
    for (int j = 0; j < LANES; j++) {
        const mean at = account_lane(p, j);
        found[j].rate = tilts[j] * per;
        found[j].all = log1p(at.re) * asked->tokens;
        found[j].usable =
            found[j].all < MOST_TILTED && at.off < fmax(LOUD * LITTLE * asked->delta, ROUNDED);
    }
}

/*
 * A period that is long enough for a tilt: what lies beyond it has little mass, and as it wraps
 * around, tilted, little of the mean: e^{rate C} 1{C > x} <= e^{other C - (other - rate) x}.
 */
static double reach_of(const tilted *found, int j, const netdp_i_mixture_asked *asked)
{
    const double rate = found[j].rate;
    const double seen = 1.02 * (found[j].all - log(LITTLE * asked->delta)) / rate;
    double around = INFINITY;
    for (int i = j + 1; i < LANES; i++)
        if (isfinite(found[i].all))
            around = fmin(around, (found[i].all - log(LITTLE)) / (found[i].rate - rate));
    return found[j].usable ? fmax(seen, around) : INFINITY;
}

/*
 * Up to which cost the law is worth following, and the tilt that shows it. No guarantee rests on it.
 */
static void find_range(pair *p, const netdp_i_mixture_asked *asked, double *range, double *tilt)
{
    const double most = (double)p->count * asked->tokens;
    tilted found[LANES];
    find_tilted(p, asked, found);
    *range = INFINITY;
    for (int j = 0; j < LANES; j++) {
        const double whole = found[j].usable ? fmax(most, FADED / found[j].rate) : INFINITY;
        const double reach = fmin(reach_of(found, j, asked), whole);
        if (reach < *range) {
            *range = reach;
            *tilt = found[j].rate;
        }
    }
    if (isinf(*range)) {
        *range = most;
        *tilt = fmin(0.35, 8 / most);
    }
}

/*
 * E z^C at z_j = e^{tilt + 2 pi i j / points}, j = 0, 1 .. until they tell enough, or all are known;
 * law->off: at j = 0, for all.
 */
static void sample(pair *p, const netdp_i_mixture_asked *asked, netdp_i_cost_law *law)
{
    const int64_t all = law->atoms / 2 + 1;
    double about = 0, rest = 0; /* the answer by the samples of an earlier look */
    while (law->samples < all) {
        double tilts[LANES];
        int64_t turns[LANES];
        for (int j = 0; j < LANES; j++) {
            tilts[j] = law->tilt;
            turns[j] = (law->samples + j) % law->atoms;
        }
        netdp_i_runs_follow(&p->runs, tilts, turns, law->atoms);
        for (int j = 0; j < LANES && law->samples < all; j++, law->samples++) {
            const mean at = account_lane(p, j);
            const double complex one = 1 + at.re + I * at.im;
            double complex *value = &law->value[law->samples];
            *value = one;
            for (int32_t k = 1; k < asked->tokens; k++)
                *value *= one;
            if (law->samples == 0)
                law->off = asked->tokens * at.off * pow(cabs(one) + at.off, asked->tokens - 1) +
                           4 * DBL_EPSILON * asked->tokens * cabs(*value);
        }
        if (asked->whole || law->samples < FIRST_SAMPLES)
            continue;
        /* What is left out hardly depends on the answer: that is found again only before the end. */
        if (about > 0)
            (void)netdp_i_cost_law_delta(law, USUAL_NOISE, about, &rest);
        if (rest > ENOUGH * asked->delta)
            continue;
        about = netdp_i_cost_law_about(law, USUAL_NOISE, asked->delta);
        (void)netdp_i_cost_law_delta(law, USUAL_NOISE, about, &rest);
        if (!(rest > ENOUGH * asked->delta))
            break;
    }
}

/*
 * One contribution: 1 / r, or less, for the r steps from it to the first visit that follows, within the walk.
 */
static netdp_status find_law_of_one(netdp_i_returns *hunt, netdp_i_cost_law *law,
                                    netdp_error *error)
{
    const int64_t steps = hunt->watch->series->terms - 1;
    const double each = (double)hunt->watch->members * fmax(hunt->noise_first, hunt->noise_out);
    netdp_status status = netdp_i_cost_law_new(netdp_i_step_bin(steps) + 1, law, error);
    if (status != NETDP_OK)
        return status;
    double begun = 0, gone = 0; /* the contribution is by now; F has been visited by now */
    for (int64_t t = 0; t <= steps; t++)
        begun += hunt->start[t];
    for (int64_t r = 1; r <= steps; r++) {
        const int64_t b = netdp_i_step_bin(r);
        double first = each;
        for (int32_t f = 0; f < hunt->watch->members; f++)
            first += fmax(0, hunt->first[f][r]);
        begun = fmax(0, begun - hunt->start[steps - r + 1]);
        gone += first;
        law->cost[b] = fmax(law->cost[b], netdp_i_spread_alone(hunt->watch->rate, r));
        law->mass[b] += first * (begun + ROUNDED);
        if (hunt->watch->release) /* the end is a visit */
            law->mass[b] += hunt->start[steps - r] *
                            fmin(1, fmax(0, 1 - gone) + 2 * each * (double)r + ROUNDED);
    }
    law->bend = INFINITY;
    return NETDP_OK;
}

/* The range by a rough grid of times, where there is one. */
static netdp_status look(pair *p, netdp_i_returns *hunt, const netdp_i_mixture_asked *asked,
                         double *range, double *tilt, netdp_error *error)
{
    pair rough = {0}, *at = p;
    netdp_status status = NETDP_OK;
    if (p->m->rough != NULL)
        status = pair_new(p->m->rough, hunt, asked, &rough, error);
    if (rough.count > 0)
        at = &rough;
    if (status == NETDP_OK)
        status = netdp_i_runs_set(&at->runs, hunt, 12, 0.1, error);
    if (status == NETDP_OK)
        find_range(at, asked, range, tilt);
    pair_clear(&rough);
    return status;
}

static netdp_status find_law(pair *p, netdp_i_returns *hunt, const netdp_i_mixture_asked *asked,
                             netdp_i_cost_law *law, netdp_error *error)
{
    const double most = (double)p->count * asked->tokens;
    double range = 0, tilt = 0;
    netdp_status status = look(p, hunt, asked, &range, &tilt, error);
    if (status != NETDP_OK)
        return status;
    const int64_t all = asked->whole ? COMPOSED_POINTS : POINTS, finest = all - all / FEWER;
    int64_t per = (int64_t)((double)(all - 1) / range);
    per = per > finest ? finest : per < 1 ? 1 : per > 12 ? per - per % 12 : per;
    const int64_t wanted = (int64_t)ceil(fmax(most, range) * (double)per) + 1;
    const int64_t points = wanted < all ? wanted + wanted % 2 : all;
    status = netdp_i_runs_set(&p->runs, hunt, per, asked->bend, error);
    if (status == NETDP_OK)
        status =
            netdp_i_cost_law_sampled_new(points, 1 / (double)per, tilt / (double)per, law, error);
    if (status != NETDP_OK)
        return status;
    law->bend = asked->bend * (double)per * (1 - 1e-12);
    law->lost = asked->tokens * p->overflow;
    law->whole = (int64_t)most * per < points;
    sample(p, asked, law);
    return NETDP_OK;
}

netdp_status netdp_i_mixture_law(const netdp_i_time_grid *grid, netdp_i_returns *hunt,
                                 const netdp_i_mixture_asked *asked, netdp_i_cost_law *law,
                                 bool *found, netdp_error *error)
{
    pair p;
    *found = false;
    if (asked->cap == 1 && asked->tokens == 1) {
        *found = true;
        return find_law_of_one(hunt, law, error);
    }
    if (hunt->watch->release && !netdp_i_time_grid_exact(grid))
        return NETDP_OK;
    netdp_status status = pair_new(grid, hunt, asked, &p, error);
    if (status == NETDP_OK && p.count > 0) {
        status = find_law(&p, hunt, asked, law, error);
        *found = status == NETDP_OK;
    }
    pair_clear(&p);
    return status;
}

netdp_status netdp_i_mixture_log_mean(const netdp_i_time_grid *grid, netdp_i_returns *hunt,
                                      int64_t cap, double theta, double *value, bool *enough,
                                      netdp_error *error)
{
    const netdp_i_mixture_asked asked = {.cap = cap, .tokens = 1};
    pair p;
    *value = INFINITY;
    *enough = false;
    if ((hunt->watch->release && !netdp_i_time_grid_exact(grid)) ||
        theta * (double)cap > LARGEST_EXPONENT)
        return NETDP_OK;
    netdp_status status = pair_new(grid, hunt, &asked, &p, error);
    if (status == NETDP_OK && p.count > 0 && p.overflow == 0) {
        const double tilt[LANES] = {theta / FINE};
        const int64_t turn[LANES] = {0};
        status = netdp_i_runs_set(&p.runs, hunt, FINE, -theta / FINE, error);
        if (status == NETDP_OK) {
            netdp_i_runs_follow(&p.runs, tilt, turn, 1);
            const mean at = account_lane(&p, 0);
            *value = log1p(fmax(0, at.re) + at.off) * (1 + 1e-13);
            *value = *value == *value ? *value : INFINITY;
            *enough = p.over >= OFTEN && at.off <= QUIET * at.re;
        }
    }
    pair_clear(&p);
    return status;
}

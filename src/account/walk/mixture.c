#include "account/walk/mixture.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

/*
 * E z^C for many z at once, then the law of C by a Fourier transform. Costs lie on a grid of steps
 * 1 / per: one that does not is moved to the grid point below or above it, at random, such that no
 * f of the cost law's kind falls in the mean. Times are rounded down, to `tau` within a piece and
 * to multiples of `step` from piece to piece: less time costs more, and leaves more of it.
 */

/* Values of z that are carried together. */
enum { LANES = 8 };

/* Contributions that are followed; points of the grid of costs. */
enum { MOST_COUNT = 128, POINTS = 128 };

/*
 * Up to FEW steps, or ALL where the model is released, all steps of a piece are told apart; else
 * the first EXACT, and then each bin is longer than the last. Times from piece to piece: TIMES.
 */
enum { FEW = 128, ALL = 512, EXACT = 32, TIMES = 192 };

#define GROWTH 1.06

/* Grid of costs where its points do not matter, since nothing is moved to them. */
enum { FINE = 240 };

/* Beyond, a Renyi mean leaves the doubles. */
#define LARGEST_EXPONENT 600.0

/* ln of the mean of a tilted law: beyond, the rounding of high costs drowns the low ones. */
#define MOST_TILTED 8.0

/* Part of delta that a law may lose. */
#define LITTLE 1e-4

/* What rounding may add to the mass of no cost, in parts of what the law may lose: it falls with the
   cost as the tilt does, and counts for as little there as small costs do. */
#define LOUD 1e4

/* By how much a sum of probabilities may be off. */
#define ROUNDED 1e-13

struct netdp_i_mixture {
    int64_t steps, step;
    int32_t times, size; /* of a series in time, and of its transforms */
    fftw_plan forward, backward;
    double rounding; /* of a product of transforms, in parts of the factors' norms */
    int32_t bins;
    int64_t *tau;  /* [bins]: least number of steps of each */
    int32_t *bin;  /* [steps + 1] */
    int32_t *time; /* [bins]: where tau falls in a series */
};

void netdp_i_mixture_free(netdp_i_mixture *m)
{
    if (m == NULL)
        return;
#pragma omp critical(netdp_fftw_planner)
    {
        if (m->forward != NULL)
            fftw_destroy_plan(m->forward);
        if (m->backward != NULL)
            fftw_destroy_plan(m->backward);
    }
    netdp_i_free(m->tau);
    netdp_i_free(m->bin);
    netdp_i_free(m->time);
    netdp_i_free(m);
}

static int64_t after(int64_t from, bool alone)
{
    return alone || from < EXACT ? from + 1 : (int64_t)ceil((double)from * GROWTH);
}

static void make_bins(netdp_i_mixture *m, bool alone)
{
    for (int64_t from = 1, next; from <= m->steps; from = next) {
        next = after(from, alone);
        for (int64_t t = from; t < next && t <= m->steps; t++)
            m->bin[t] = m->bins;
        m->time[m->bins] = (int32_t)(from / m->step);
        m->tau[m->bins++] = from;
    }
}

/* The least 2^a 3^b 5^c from n on. */
static int32_t smooth(int32_t n)
{
    int32_t best = INT32_MAX;
    for (int32_t fives = 1; fives < 5 * n; fives *= 5)
        for (int32_t threes = fives; threes < 3 * n; threes *= 3) {
            int32_t size = threes;
            while (size < n)
                size *= 2;
            best = size < best ? size : best;
        }
    return best;
}

netdp_status netdp_i_mixture_new(int64_t steps, bool release, netdp_i_mixture **mixture,
                                 netdp_error *error)
{
    const bool alone = steps <= (release ? ALL : FEW);
    netdp_i_mixture *m = NETDP_I_NEW(netdp_i_mixture, 1);
    if (m == NULL)
        return netdp_i_no_memory(error);
    m->steps = steps;
    m->step = release && alone ? 1 : (steps + TIMES - 1) / TIMES;
    m->times = (int32_t)(steps / m->step) + 1;
    m->size = smooth(3 * m->times); /* three laws in a row do not wrap around */
    m->rounding = 22 * 0x1p-53 * (log2((double)m->size) + 1);
    int32_t bins = 0;
    for (int64_t from = 1; from <= steps; from = after(from, alone))
        bins++;
    m->tau = NETDP_I_NEW(int64_t, bins);
    m->time = NETDP_I_NEW(int32_t, bins);
    m->bin = NETDP_I_NEW(int32_t, steps + 1);
    fftw_complex *room = fftw_alloc_complex((size_t)m->size);
    if (m->tau != NULL && m->time != NULL && m->bin != NULL && room != NULL) {
#pragma omp critical(netdp_fftw_planner)
        {
            m->forward = fftw_plan_dft_1d(m->size, room, room, FFTW_FORWARD, FFTW_ESTIMATE);
            m->backward = fftw_plan_dft_1d(m->size, room, room, FFTW_BACKWARD, FFTW_ESTIMATE);
        }
    }
    fftw_free(room);
    if (m->forward == NULL || m->backward == NULL) {
        netdp_i_mixture_free(m);
        return netdp_i_no_memory(error);
    }
    make_bins(m, alone);
    *mixture = m;
    return NETDP_OK;
}

/* ---- one pair ---- */

typedef struct lanes {
    double re[LANES], im[LANES];
} lanes;

/* Where a piece ends, seen from a contribution: a law of the steps to there, in bins. */
typedef struct leave {
    double *mass, *part; /* [bins]: and how much of it goes to the upper grid point of its cost */
} leave;

/* Who closes a piece: one node of F while contributions are left, any of F when they are not, and
   both once more at the end of a walk that is released. */
typedef struct pair {
    const netdp_i_mixture *m;
    int64_t count; /* contributions that count */
    int32_t members;
    int32_t leaves; /* members, then 1; with a release 2 more */
    bool release;
    leave *leave;         /* [leaves] */
    leave again;          /* from u to u */
    fftw_complex *start;  /* [size]: transform of the first arrival */
    fftw_complex **found; /* [members][size]: of arrivals from each member */
    double *start_law;    /* [times] */
    double *found_sum;    /* [members] */
    double *plain;        /* [leaves][count][bins]: without costs */
    double excess;        /* by which masses may add up to more than 1 */
    double overflow;      /* P(more contributions than are followed) */
    /* of the grid of costs */
    int64_t per;
    double bend; /* in steps of the grid */
    /* of the lanes at hand */
    lanes *power; /* [per + 1]: z^g */
    lanes *law;   /* [leaves][count][bins] */
    lanes *gap, *open, *stay;
    fftw_complex *runs, *arrive, *room; /* [count][size], [count][size], [size] */
    double *arrived;                    /* [2 count][times] */
    lanes *gained;                      /* [count][times] */
} pair;

static void leave_clear(leave *l)
{
    netdp_i_free(l->mass);
    netdp_i_free(l->part);
}

static void pair_clear(pair *p)
{
    for (int32_t i = 0; p->leave != NULL && i < p->leaves; i++)
        leave_clear(&p->leave[i]);
    leave_clear(&p->again);
    for (int32_t f = 0; p->found != NULL && f < p->members; f++)
        fftw_free(p->found[f]);
    netdp_i_free(p->leave);
    netdp_i_free(p->found);
    netdp_i_free(p->start_law);
    netdp_i_free(p->found_sum);
    netdp_i_free(p->plain);
    netdp_i_free(p->power);
    netdp_i_free(p->law);
    netdp_i_free(p->gap);
    netdp_i_free(p->open);
    netdp_i_free(p->stay);
    netdp_i_free(p->arrived);
    netdp_i_free(p->gained);
    fftw_free(p->start);
    fftw_free(p->runs);
    fftw_free(p->arrive);
    fftw_free(p->room);
}

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
static void fill(const pair *p, const double *law, leave *into)
{
    const netdp_i_mixture *m = p->m;
    memset(into->mass, 0, (size_t)m->bins * sizeof(double));
    memset(into->part, 0, (size_t)m->bins * sizeof(double));
    for (int64_t t = 1; t <= m->steps; t++) {
        const int32_t b = m->bin[t];
        const int64_t floor = p->per / m->tau[b];
        into->mass[b] += law[t];
        if (p->per / t == floor)
            into->part[b] += law[t] * to_next((double)(p->per % t) / (double)t, p->bend);
    }
}

static netdp_status leave_new(const netdp_i_mixture *m, leave *l, netdp_error *error)
{
    l->mass = NETDP_I_NEW(double, m->bins);
    l->part = NETDP_I_NEW(double, m->bins);
    return l->mass != NULL && l->part != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

/* A law of steps 0 .. steps, in time; returns its sum. */
static double in_time(const netdp_i_mixture *m, const double *law, double *time)
{
    double sum = 0;
    memset(time, 0, (size_t)m->times * sizeof *time);
    for (int64_t t = 0; t <= m->steps; t++) {
        time[t / m->step] += law[t];
        sum += law[t];
    }
    return sum;
}

static void transform(const netdp_i_mixture *m, const double *time, fftw_complex *bins)
{
    memset(bins, 0, (size_t)m->size * sizeof *bins);
    for (int32_t i = 0; i < m->times; i++)
        bins[i][0] = time[i];
    fftw_execute_dft(m->forward, bins, bins);
}

static void product(int32_t size, fftw_complex *a, const fftw_complex *b)
{
    for (int32_t k = 0; k < size; k++) {
        const double real = a[k][0] * b[k][0] - a[k][1] * b[k][1];
        a[k][1] = a[k][0] * b[k][1] + a[k][1] * b[k][0];
        a[k][0] = real;
    }
}

static void add_product(int32_t size, const fftw_complex *a, const fftw_complex *b,
                        fftw_complex *sum)
{
    for (int32_t k = 0; k < size; k++) {
        sum[k][0] += a[k][0] * b[k][0] - a[k][1] * b[k][1];
        sum[k][1] += a[k][0] * b[k][1] + a[k][1] * b[k][0];
    }
}

/* Back to time: cut off behind `times`, scaled. */
static void restore(const netdp_i_mixture *m, fftw_complex *bins)
{
    const double scale = 1 / (double)m->size;
    fftw_execute_dft(m->backward, bins, bins);
    for (int32_t i = 0; i < m->times; i++) {
        bins[i][0] *= scale;
        bins[i][1] *= scale;
    }
    memset(bins + m->times, 0, (size_t)(m->size - m->times) * sizeof *bins);
}

/*
 * How many contributions are to be followed: the cap, or so many that more have next to no
 * probability. 0: too many. p->start, p->found are there.
 */
static netdp_status find_count(pair *p, const netdp_i_returns *hunt,
                               const netdp_i_mixture_asked *asked, netdp_error *error)
{
    const netdp_i_mixture *m = p->m;
    const int64_t all = asked->cap > 0 && asked->cap < m->steps ? asked->cap : m->steps;
    double *time = NETDP_I_NEW(double, m->times);
    fftw_complex *back = fftw_alloc_complex((size_t)m->size);
    fftw_complex *now = fftw_alloc_complex((size_t)m->size);
    netdp_status status =
        time == NULL || back == NULL || now == NULL ? netdp_i_no_memory(error) : NETDP_OK;
    if (status != NETDP_OK)
        goto done;
    double norm = in_time(m, hunt->again, time), lost = 0;
    transform(m, time, back);
    for (int32_t f = 0; f < p->members; f++) {
        norm += in_time(m, hunt->exits[f], time) * p->found_sum[f];
        transform(m, time, now);
        add_product(m->size, now, p->found[f], back);
    }
    memcpy(now, p->start, (size_t)m->size * sizeof *now);
    for (p->count = 1;; p->count++) { /* `now`: the law of the arrival after `count` of them */
        product(m->size, now, back);
        restore(m, now);
        lost = norm * lost + 5 * m->rounding * (1 + norm);
        double more = 0;
        for (int32_t i = 0; i < m->times; i++)
            more += fmax(0, now[i][0]);
        p->overflow = more + lost * m->times;
        if (p->count >= all || more <= LITTLE * asked->delta)
            break;
        if (p->count >= MOST_COUNT) {
            p->count = 0;
            goto done;
        }
        fftw_execute_dft(m->forward, now, now);
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

/* Laws of a closed piece, by their cost of one contribution. */
static void fill_leaves(pair *p, netdp_i_returns *hunt, double *any)
{
    const int64_t steps = p->m->steps;
    memset(any, 0, (size_t)(steps + 1) * sizeof *any);
    fill(p, hunt->again, &p->again);
    for (int32_t f = 0; f < p->members; f++) {
        fill(p, hunt->exits[f], &p->leave[f]);
        for (int64_t t = 1; t <= steps; t++)
            any[t] += fmax(0, hunt->first[f][t]) + hunt->noise_first;
    }
    fill(p, any, &p->leave[p->members]);
    if (!p->release)
        return;
    (void)netdp_i_returns_find_ends(hunt);
    fill(p, hunt->last, &p->leave[p->members + 1]);
    double gone = 0; /* what `first` has too much is added back */
    for (int64_t t = 1; t <= steps; t++) {
        gone += any[t];
        any[t] =
            fmin(1, fmax(0, 1 - gone) + 2 * (double)p->members * hunt->noise_first * (double)t);
    }
    fill(p, any, &p->leave[p->members + 2]);
}

static netdp_status pair_rooms(pair *p, netdp_error *error)
{
    const netdp_i_mixture *m = p->m;
    const int64_t laws = (int64_t)p->leaves * p->count * m->bins;
    p->plain = NETDP_I_NEW(double, laws);
    p->law = NETDP_I_NEW(lanes, laws);
    p->gap = NETDP_I_NEW(lanes, m->bins);
    p->stay = NETDP_I_NEW(lanes, m->bins);
    p->open = NETDP_I_NEW(lanes, m->times);
    p->arrived = NETDP_I_NEW(double, 2 * p->count * m->times);
    p->gained = NETDP_I_NEW(lanes, p->count * m->times);
    p->runs = fftw_alloc_complex((size_t)(p->count * m->size));
    p->arrive = fftw_alloc_complex((size_t)(p->count * m->size));
    p->room = fftw_alloc_complex((size_t)m->size);
    netdp_status status = p->plain == NULL || p->law == NULL || p->gap == NULL || p->stay == NULL ||
                                  p->open == NULL || p->arrived == NULL || p->gained == NULL ||
                                  p->runs == NULL || p->arrive == NULL || p->room == NULL
                              ? netdp_i_no_memory(error)
                              : NETDP_OK;
    for (int32_t i = 0; i < p->leaves && status == NETDP_OK; i++)
        status = leave_new(m, &p->leave[i], error);
    if (status == NETDP_OK)
        status = leave_new(m, &p->again, error);
    return status;
}

static netdp_status pair_new(const netdp_i_mixture *m, netdp_i_returns *hunt,
                             const netdp_i_mixture_asked *asked, pair *p, netdp_error *error)
{
    *p = (pair){.m = m,
                .members = hunt->watch->members,
                .release = hunt->watch->release,
                .leaves = hunt->watch->members + (hunt->watch->release ? 3 : 1)};
    p->leave = NETDP_I_NEW(leave, p->leaves);
    p->found = NETDP_I_NEW(fftw_complex *, p->members);
    p->found_sum = NETDP_I_NEW(double, p->members);
    p->start_law = NETDP_I_NEW(double, m->times);
    p->start = fftw_alloc_complex((size_t)m->size);
    double *time = NETDP_I_NEW(double, m->times);
    netdp_status status = p->leave == NULL || p->found == NULL || p->found_sum == NULL ||
                                  p->start == NULL || p->start_law == NULL || time == NULL
                              ? netdp_i_no_memory(error)
                              : NETDP_OK;
    if (status != NETDP_OK)
        goto done;
    (void)in_time(m, hunt->start, p->start_law);
    transform(m, p->start_law, p->start);
    for (int32_t f = 0; f < p->members && status == NETDP_OK; f++) {
        p->found[f] = fftw_alloc_complex((size_t)m->size);
        if (p->found[f] == NULL) {
            status = netdp_i_no_memory(error);
            goto done;
        }
        p->found_sum[f] = in_time(m, hunt->found[f], time);
        transform(m, time, p->found[f]);
    }
    status = find_count(p, hunt, asked, error);
    if (status == NETDP_OK && p->count > 0)
        status = pair_rooms(p, error);
    if (status == NETDP_OK && p->count > 0)
        p->excess = find_excess(p, hunt);
done:
    netdp_i_free(time);
    return status;
}

/* ---- runs of contributions, for all lanes ---- */

/* z^g ((1 - part) + part z) */
static lanes weigh(const pair *p, int64_t g, double mass, double part)
{
    const lanes *a = &p->power[g], *b = &p->power[g < p->per ? g + 1 : g];
    lanes made;
    for (int j = 0; j < LANES; j++) {
        made.re[j] = (mass - part) * a->re[j] + part * b->re[j];
        made.im[j] = (mass - part) * a->im[j] + part * b->im[j];
    }
    return made;
}

/* The weight of a contribution that is hidden by the steps to the piece's end: min(1, n / tau). */
static lanes weigh_spread(const pair *p, int64_t n, int64_t tau)
{
    if (n >= tau)
        return p->power[p->per];
    const int64_t all = n * p->per;
    return weigh(p, all / tau, 1, to_next((double)(all % tau) / (double)tau, p->bend));
}

/*
 * One more contribution before `now`: hidden by the steps up to the next one, where that is
 * cheaper, or by those up to the piece's end.
 */
static void extend(const pair *p, int64_t number, const lanes *now, const double *plain,
                   lanes *next, double *next_plain)
{
    const netdp_i_mixture *m = p->m;
    memset(next, 0, (size_t)m->bins * sizeof *next);
    memset(next_plain, 0, (size_t)m->bins * sizeof *next_plain);
    memset(p->stay, 0, (size_t)m->bins * sizeof *p->stay);
    for (int32_t a = 0; a < m->bins; a++) {
        if (plain[a] == 0)
            continue;
        const lanes here = now[a];
        for (int32_t b = 0; b < m->bins && m->tau[a] + m->tau[b] <= m->steps; b++) {
            const int32_t r = m->bin[m->tau[a] + m->tau[b]];
            const double mass = p->again.mass[b];
            if (mass == 0)
                continue;
            next_plain[r] += plain[a] * mass;
            if (m->tau[b] * (2 * number - 2) < m->tau[a]) {
                lanes *to = &p->stay[r];
                for (int j = 0; j < LANES; j++) {
                    to->re[j] += here.re[j] * mass;
                    to->im[j] += here.im[j] * mass;
                }
            } else {
                lanes *to = &next[r];
                const lanes *gap = &p->gap[b];
                for (int j = 0; j < LANES; j++) {
                    to->re[j] += here.re[j] * gap->re[j] - here.im[j] * gap->im[j];
                    to->im[j] += here.re[j] * gap->im[j] + here.im[j] * gap->re[j];
                }
            }
        }
    }
    for (int32_t r = 0; r < m->bins; r++) {
        const lanes w = weigh_spread(p, 2 * number - 1, m->tau[r]);
        const lanes s = p->stay[r];
        for (int j = 0; j < LANES; j++) {
            next[r].re[j] += s.re[j] * w.re[j] - s.im[j] * w.im[j];
            next[r].im[j] += s.re[j] * w.im[j] + s.im[j] * w.re[j];
        }
    }
}

static void first_of(const pair *p, const leave *from, lanes *into)
{
    for (int32_t b = 0; b < p->m->bins; b++)
        into[b] = weigh(p, p->per / p->m->tau[b], from->mass[b], from->part[b]);
}

static void follow_runs(pair *p)
{
    const int64_t bins = p->m->bins;
    first_of(p, &p->again, p->gap);
    for (int32_t i = 0; i < p->leaves; i++) {
        lanes *law = p->law + i * p->count * bins;
        double *plain = p->plain + i * p->count * bins;
        first_of(p, &p->leave[i], law);
        memcpy(plain, p->leave[i].mass, (size_t)bins * sizeof *plain);
        for (int64_t k = 1; k < p->count; k++)
            extend(p, k + 1, law + (k - 1) * bins, plain + (k - 1) * bins, law + k * bins,
                   plain + k * bins);
    }
}

/* ---- from piece to piece, lane by lane ---- */

/* The mean of z^C - 1, and how far it may be off. */
typedef struct mean {
    double re, im, off;
} mean;

/* Runs of one length and exit, in time. */
static double run_in_time(const pair *p, int32_t i, int64_t k, int lane, fftw_complex *time)
{
    const netdp_i_mixture *m = p->m;
    const lanes *law = p->law + ((int64_t)i * p->count + k) * m->bins;
    double sum = 0;
    memset(time, 0, (size_t)m->size * sizeof *time);
    for (int32_t b = 0; b < m->bins; b++) {
        time[m->time[b]][0] += law[b].re[lane];
        time[m->time[b]][1] += law[b].im[lane];
        sum += hypot(law[b].re[lane], law[b].im[lane]);
    }
    return sum;
}

/* p->runs[k]: from an arrival over k + 1 contributions and a visit to the next arrival. norm[k]. */
static void transform_runs(pair *p, int lane, double *norm)
{
    const netdp_i_mixture *m = p->m;
    for (int64_t k = 0; k + 1 < p->count; k++) {
        fftw_complex *run = p->runs + k * m->size;
        memset(run, 0, (size_t)m->size * sizeof *run);
        norm[k] = 0;
        for (int32_t f = 0; f < p->members; f++) {
            norm[k] += run_in_time(p, f, k, lane, p->room) * p->found_sum[f];
            fftw_execute_dft(m->forward, p->room, p->room);
            add_product(m->size, p->room, p->found[f], run);
        }
    }
}

/* Arrivals after k contributions: in time, and how far each may be off. */
static void find_arrivals(pair *p, const double *norm, double *sum, double *off)
{
    const netdp_i_mixture *m = p->m;
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
        memset(now, 0, (size_t)m->size * sizeof *now);
        off[k] = 0;
        for (int64_t j = 1; j <= k; j++) {
            add_product(m->size, p->arrive + (k - j) * m->size, p->runs + (j - 1) * m->size, now);
            off[k] += norm[j - 1] * (off[k - j] + part * sum[k - j]);
        }
        restore(m, now);
        sum[k] = 0;
        for (int32_t i = 0; i < m->times; i++) {
            real[i] = now[i][0];
            imaginary[i] = now[i][1];
            sum[k] += hypot(real[i], imaginary[i]) + off[k];
        }
        fftw_execute_dft(m->forward, now, now);
    }
}

/* sum[i] += what runs of k + 1 contributions gain by i steps of time. */
static void add_gained(const pair *p, int32_t by, int64_t k, int lane, double (*sum)[3])
{
    const netdp_i_mixture *m = p->m;
    const int64_t at = ((int64_t)by * p->count + k) * m->bins;
    const lanes *law = p->law + at;
    const double *plain = p->plain + at;
    for (int32_t b = 0; b < m->bins; b++) {
        double *to = sum[m->time[b]];
        to[0] += law[b].re[lane] - plain[b];
        to[1] += law[b].im[lane];
        to[2] += hypot(law[b].re[lane], law[b].im[lane]) + plain[b];
    }
}

/* into += arrivals after k times what is gained after them; `so_far`: in the sum of times. */
static void add_up(const pair *p, int64_t k, double (*gained)[3], bool so_far, double off,
                   mean *into)
{
    const netdp_i_mixture *m = p->m;
    const double *real = p->arrived + 2 * k * m->times, *imaginary = real + m->times;
    const double rounding = 8 * DBL_EPSILON * (double)p->count * ((double)m->bins + 16);
    double now[3] = {0};
    for (int32_t i = 0; i < m->times; i++) {
        for (int j = 0; j < 3; j++)
            now[j] = so_far ? now[j] + gained[i][j] : gained[i][j];
        const double re = real[m->times - 1 - i], im = imaginary[m->times - 1 - i];
        into->re += re * now[0] - im * now[1];
        into->im += re * now[1] + im * now[0];
        into->off += (off + (rounding + p->excess) * hypot(re, im)) * now[2];
    }
}

static mean account_lane(pair *p, int lane, double *scratch)
{
    const netdp_i_mixture *m = p->m;
    const int64_t n = p->count;
    double *norm = scratch, *sum = norm + n, *off = sum + n;
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

/* z^g for every lane, z = e^{tilt + i turn}. */
static void fill_powers(pair *p, const double *tilt, const double *turn)
{
    for (int64_t g = 0; g <= p->per; g++)
        for (int j = 0; j < LANES; j++) {
            const double size = exp(tilt[j] * (double)g);
            p->power[g].re[j] = size * cos(turn[j] * (double)g);
            p->power[g].im[j] = size * sin(turn[j] * (double)g);
        }
}

static netdp_status set_grid(pair *p, netdp_i_returns *hunt, int64_t per, double bend, double *any,
                             netdp_error *error)
{
    p->per = per;
    p->bend = bend;
    netdp_i_free(p->power);
    p->power = NETDP_I_NEW(lanes, per + 1);
    if (p->power == NULL)
        return netdp_i_no_memory(error);
    fill_leaves(p, hunt, any);
    return NETDP_OK;
}

/*
 * Up to which cost the law is worth following, and the tilt that shows it: from the mean of
 * e^{tilt C} on a coarse grid. No guarantee rests on it.
 */
static void find_range(pair *p, const netdp_i_mixture_asked *asked, double *scratch, double *range,
                       double *tilt)
{
    double tilts[LANES], turns[LANES] = {0};
    const double most = (double)p->count * asked->tokens;
    for (int j = 0; j < LANES; j++)
        tilts[j] = 0.5 * pow(1.7, j) / (double)p->per;
    fill_powers(p, tilts, turns);
    follow_runs(p);
    *range = most;
    *tilt = fmin(0.35, 8 / most);
    for (int j = 0; j < LANES; j++) {
        const mean at = account_lane(p, j, scratch);
        const double all = log1p(at.re) * asked->tokens, rate = tilts[j] * (double)p->per;
        const double reach = (all - log(LITTLE * asked->delta)) / rate * 1.02 + 1 / (double)p->per;
        if (all < MOST_TILTED && at.off < fmax(LOUD * LITTLE * asked->delta, ROUNDED) &&
            reach < *range) {
            *range = reach;
            *tilt = rate;
        }
    }
}

/* E z^C at z_j = e^{tilt + 2 pi i j / points}, j = 0 .. points / 2; *off: at j = 0, for all. */
static void sample(pair *p, int64_t points, double tilt, int32_t tokens, double *scratch,
                   double complex *value, double *off)
{
    const int64_t count = points / 2 + 1;
    for (int64_t first = 0; first < count; first += LANES) {
        double tilts[LANES], turns[LANES];
        for (int j = 0; j < LANES; j++) {
            tilts[j] = tilt;
            turns[j] = 2 * M_PI * (double)(first + j) / (double)points;
        }
        fill_powers(p, tilts, turns);
        follow_runs(p);
        for (int j = 0; j < LANES && first + j < count; j++) {
            const mean at = account_lane(p, j, scratch);
            const double complex one = 1 + at.re + I * at.im;
            value[first + j] = one;
            for (int32_t k = 1; k < tokens; k++)
                value[first + j] *= one;
            if (first + j == 0)
                *off = tokens * at.off * pow(cabs(one) + at.off, tokens - 1);
        }
    }
}

static void read_law(const double complex *value, int64_t points, double tilt, double off,
                     netdp_i_cost_law *law)
{
    const double all = cabs(value[0]) + off;
    const double noise = off + 8 * DBL_EPSILON * ((double)points + 8) * all;
    for (int64_t g = 1; g < points; g++) {
        double sum = creal(value[0]);
        for (int64_t j = 1; 2 * j <= points; j++) {
            const double turn = 2 * M_PI * (double)(j * g % points) / (double)points;
            const double part = creal(value[j]) * cos(turn) + cimag(value[j]) * sin(turn);
            sum += 2 * j == points ? part : 2 * part;
        }
        law->mass[g] = (fmax(0, sum / (double)points) + noise) * exp(-tilt * (double)g);
    }
}

/*
 * One contribution: 1 / r for the r steps from it to the first visit that follows, within the walk.
 */
static netdp_status find_law_of_one(netdp_i_returns *hunt, netdp_i_cost_law *law,
                                    netdp_error *error)
{
    const int64_t steps = hunt->watch->series->terms - 1;
    const double each = (double)hunt->watch->members * hunt->noise_first;
    netdp_status status = netdp_i_cost_law_new(netdp_i_step_bin(steps) + 1, 0, law, error);
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
        law->cost[b] = fmax(law->cost[b], 1 / (double)r);
        law->mass[b] += first * (begun + ROUNDED);
        if (hunt->watch->release) /* the end is a visit */
            law->mass[b] += hunt->start[steps - r] *
                            fmin(1, fmax(0, 1 - gone) + 2 * each * (double)r + ROUNDED);
    }
    law->bend = INFINITY;
    return NETDP_OK;
}

static netdp_status find_law(pair *p, netdp_i_returns *hunt, const netdp_i_mixture_asked *asked,
                             netdp_i_cost_law *law, netdp_error *error)
{
    const netdp_i_mixture *m = p->m;
    const double most = (double)p->count * asked->tokens;
    double range = 0, tilt = 0, off = 0;
    double *any = NETDP_I_NEW(double, m->steps + 1);
    double *scratch = NETDP_I_NEW(double, 3 * p->count + 6 * (int64_t)m->times);
    double complex *value = NULL;
    netdp_status status = any == NULL || scratch == NULL ? netdp_i_no_memory(error) : NETDP_OK;
    if (status == NETDP_OK)
        status = set_grid(p, hunt, 12, 0.1, any, error);
    if (status != NETDP_OK)
        goto done;
    find_range(p, asked, scratch, &range, &tilt);
    int64_t per = (int64_t)((double)(POINTS - 1) / range);
    per = per > 240 ? 240 : per < 1 ? 1 : per > 12 ? per - per % 12 : per;
    const int64_t whole = (int64_t)most * per + 1;
    const int64_t points = whole < POINTS ? whole + whole % 2 : POINTS;
    tilt /= (double)per;
    value = NETDP_I_NEW(double complex, points / 2 + 1 + LANES);
    status =
        value == NULL ? netdp_i_no_memory(error) : set_grid(p, hunt, per, asked->bend, any, error);
    if (status == NETDP_OK)
        status = netdp_i_cost_law_new(points, 1 / (double)per, law, error);
    if (status != NETDP_OK)
        goto done;
    sample(p, points, tilt, asked->tokens, scratch, value, &off);
    read_law(value, points, tilt, off, law);
    law->bend = asked->bend * (double)per * (1 - 1e-12);
    law->lost = asked->tokens * p->overflow;
    if (whole > points)
        law->lost += (cabs(value[0]) + off) * exp(-tilt * (double)points) * (1 + 1e-12);
done:
    netdp_i_free(any);
    netdp_i_free(scratch);
    netdp_i_free(value);
    return status;
}

/* A release ends a walk at one step, not at one up to it: no grid coarser than that will do. */
static bool too_coarse(const netdp_i_mixture *m, const netdp_i_returns *hunt)
{
    return hunt->watch->release && (m->step > 1 || m->bins < m->steps);
}

netdp_status netdp_i_mixture_law(const netdp_i_mixture *mixture, netdp_i_returns *hunt,
                                 const netdp_i_mixture_asked *asked, netdp_i_cost_law *law,
                                 bool *found, netdp_error *error)
{
    pair p;
    *found = false;
    if (asked->cap == 1 && asked->tokens == 1) {
        *found = true;
        return find_law_of_one(hunt, law, error);
    }
    if (too_coarse(mixture, hunt))
        return NETDP_OK;
    netdp_status status = pair_new(mixture, hunt, asked, &p, error);
    if (status == NETDP_OK && p.count > 0) {
        status = find_law(&p, hunt, asked, law, error);
        *found = status == NETDP_OK;
    }
    pair_clear(&p);
    return status;
}

/* ---- kept for another noise ---- */

/* The bend of the first law, in steps of its grid. */
#define FIRST_BEND 0.2

void netdp_i_mixed_clear(netdp_i_mixed *mixed)
{
    for (int i = 0; i < 2; i++)
        netdp_i_cost_law_clear(&mixed->law[i]);
    *mixed = (netdp_i_mixed){0};
}

bool netdp_i_mixed_ask(const netdp_i_mixed *mixed, double sigma, double delta, double *value)
{
    *value = INFINITY;
    for (int i = 0; i < 2; i++) {
        const netdp_i_cost_law *law = &mixed->law[i];
        if (!mixed->known[i])
            continue;
        const double least = netdp_i_cost_law_least(law, sigma) * (1 + 1e-9);
        *value = fmin(*value, netdp_i_cost_law_epsilon(law, sigma, delta));
        if (*value > least || least == 0)
            return true;
    }
    return mixed->known[1];
}

netdp_status netdp_i_mixed_answer(const netdp_i_mixture *mixture, netdp_i_returns *hunt,
                                  netdp_i_mixture_asked asked, double sigma, netdp_i_mixed *mixed,
                                  double *value, netdp_error *error)
{
    netdp_status status = NETDP_OK;
    for (int i = 0; i < 2 && !mixed->none && status == NETDP_OK; i++) {
        if (netdp_i_mixed_ask(mixed, sigma, asked.delta, value))
            return NETDP_OK;
        if (mixed->known[i])
            continue;
        asked.bend = i == 0 ? FIRST_BEND : INFINITY;
        status =
            netdp_i_mixture_law(mixture, hunt, &asked, &mixed->law[i], &mixed->known[i], error);
        mixed->none = status == NETDP_OK && !mixed->known[i];
    }
    (void)netdp_i_mixed_ask(mixed, sigma, asked.delta, value);
    return status;
}

netdp_status netdp_i_mixture_log_mean(const netdp_i_mixture *mixture, netdp_i_returns *hunt,
                                      int64_t cap, double theta, double *value, netdp_error *error)
{
    const netdp_i_mixture_asked asked = {.cap = cap, .tokens = 1};
    pair p;
    *value = INFINITY;
    if (too_coarse(mixture, hunt) || theta * (double)cap > LARGEST_EXPONENT)
        return NETDP_OK;
    netdp_status status = pair_new(mixture, hunt, &asked, &p, error);
    double *any = NETDP_I_NEW(double, mixture->steps + 1);
    double *scratch = NETDP_I_NEW(double, 3 * p.count + 6 * (int64_t)mixture->times);
    if (status == NETDP_OK && (any == NULL || scratch == NULL))
        status = netdp_i_no_memory(error);
    if (status == NETDP_OK && p.count > 0 && p.overflow == 0) {
        const double tilt[LANES] = {theta / FINE}, turn[LANES] = {0};
        status = set_grid(&p, hunt, FINE, -theta / FINE, any, error);
        if (status == NETDP_OK) {
            fill_powers(&p, tilt, turn);
            follow_runs(&p);
            const mean at = account_lane(&p, 0, scratch);
            *value = log1p(fmax(0, at.re) + at.off) * (1 + 1e-13);
            *value = *value == *value ? *value : INFINITY;
        }
    }
    netdp_i_free(any);
    netdp_i_free(scratch);
    pair_clear(&p);
    return status;
}

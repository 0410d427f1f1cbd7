#include "account/walk/mixture/in_time.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/try.h"

enum { LANES = NETDP_I_LANES };

/* Contributions that are followed. */
enum { MOST_COUNT = 128 };

/* Part of delta that paths of more contributions may be. */
#define LITTLE 1e-4

typedef netdp_i_in_time pair;
typedef netdp_i_mean mean;

void netdp_i_in_time_clear(pair *p)
{
    netdp_i_runs_clear(&p->runs);
    netdp_i_pool_clear(&p->pool);
    fftw_free(p->found);
    fftw_free(p->start);
    fftw_free(p->between);
    fftw_free(p->arrive);
    fftw_free(p->room);
    fftw_free(p->run);
}

OWNER(fftw_free, fftw_complex)

static fftw_complex *transforms_new(const netdp_i_time_grid *m, int64_t count)
{
    return fftw_alloc_complex((size_t)(count * m->size));
}

/*
 * How many contributions are to be followed: the cap, or so many that more have next to no
 * probability. 0: too many. p->start, p->found are there.
 */
static netdp_status find_count(pair *p, const netdp_i_returns *hunt, int64_t cap, double delta,
                               netdp_error *error)
{
    const netdp_i_time_grid *m = p->m;
    const int64_t all = cap > 0 && cap < m->steps ? cap : m->steps;
    OWNED double *time = NETDP_I_NEW(double, m->times);
    OWNED_BY(fftw_free) fftw_complex *back = transforms_new(m, 1);
    OWNED_BY(fftw_free) fftw_complex *now = transforms_new(m, 1);
    if (time == NULL || back == NULL || now == NULL)
        return netdp_i_no_memory(error);
    double norm = netdp_i_time_grid_fill(m, hunt->again, time), lost = 0;
    netdp_i_time_grid_transform(m, time, p->room, back);
    for (int32_t f = 0; f < p->members; f++) {
        norm += netdp_i_time_grid_fill(m, hunt->exits[f], time) * p->found_sum[f];
        netdp_i_time_grid_transform(m, time, p->room, now);
        netdp_i_time_grid_accumulate(m, now, p->found + (int64_t)f * m->size, back);
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
        if (p->count >= all || more <= LITTLE * delta)
            break;
        if (p->count >= MOST_COUNT) {
            p->count = 0;
            return NETDP_OK;
        }
        fftw_execute_dft(m->forward, p->room, now);
    }
    if (p->count >= cap && cap > 0)
        p->overflow = 0;
    if (p->count >= m->steps)
        p->overflow = 0;
    return NETDP_OK;
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
    p->arrived = NETDP_I_TAKE(&p->pool, double, 2 * p->count * m->times);
    p->scratch = NETDP_I_TAKE(&p->pool, double, 3 * p->count + 6 * (int64_t)m->times);
    p->between = transforms_new(m, p->count);
    p->arrive = transforms_new(m, p->count);
    p->run = transforms_new(m, 1);
    TRY(netdp_i_pool_made(&p->pool, error));
    if (p->between == NULL || p->arrive == NULL || p->run == NULL)
        return netdp_i_no_memory(error);
    return netdp_i_runs_new(m, watch, false, false, p->count, &p->runs, error);
}

netdp_status netdp_i_in_time_new(const netdp_i_time_grid *m, netdp_i_returns *hunt, int64_t cap,
                                 double delta, pair *p, netdp_error *error)
{
    *p = (pair){.m = m, .members = hunt->watch->members, .release = hunt->watch->release};
    p->found_sum = NETDP_I_TAKE(&p->pool, double, p->members);
    p->start_law = NETDP_I_TAKE(&p->pool, double, m->times);
    p->found = transforms_new(m, p->members);
    p->start = transforms_new(m, 1);
    p->room = transforms_new(m, 1);
    OWNED double *time = NETDP_I_NEW(double, m->times);
    TRY(netdp_i_pool_made(&p->pool, error));
    if (p->found == NULL || p->start == NULL || p->room == NULL || time == NULL)
        return netdp_i_no_memory(error);
    (void)netdp_i_time_grid_fill(m, hunt->start, p->start_law);
    netdp_i_time_grid_transform(m, p->start_law, p->room, p->start);
    for (int32_t f = 0; f < p->members; f++) {
        p->found_sum[f] = netdp_i_time_grid_fill(m, hunt->found[f], time);
        netdp_i_time_grid_transform(m, time, p->room, p->found + (int64_t)f * m->size);
    }
    TRY(find_count(p, hunt, cap, delta, error));
    if (p->count == 0)
        return NETDP_OK;
    TRY(pair_rooms(p, hunt->watch, error));
    p->excess = find_excess(p, hunt);
    return NETDP_OK;
}

/* ---- from piece to piece, lane by lane ---- */

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
            const fftw_complex *found = p->found + (int64_t)f * m->size;
            fftw_complex *run = f == 0 ? between : p->run;
            norm[k] += run_in_time(p, f, k, lane, p->room) * p->found_sum[f];
            fftw_execute_dft(m->forward, p->room, run);
            if (f == 0)
                netdp_i_time_grid_multiply(m, run, found);
            else
                netdp_i_time_grid_accumulate(m, run, found, between);
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

mean netdp_i_in_time_mean(pair *p, int lane)
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

#include "account/walk/time_grid.h"

#include <math.h>
#include <string.h>

#include "account/walk/wider.h"
#include "base/fail.h"
#include "base/memory.h"

/*
 * Up to FEW steps, or MANY where the model is released, all steps of a piece are told apart; else the
 * first `exact`, and then each bin is longer than the last. `times`: slots of time from piece to piece, or none
 * (long_walk.h). Above ALONE steps both are asked: slots say more where walks are short or slow, and nothing where many
 * contributions meet within one.
 */
enum { ALONE = 32, FEW = 128, MANY = 512 };

/* With few contributions that count a released walk is followed so far: at most this much work, or this far. */
enum { MOST_RELEASED = 2048 };
#define WORK (320.0 * MANY * MANY)

typedef struct fineness {
    int64_t exact, times;
    double growth;
} fineness;

static const fineness fine = {32, 128, 1.06}, rough = {8, 32, 1.25};
static const fineness fine_of_long = {32, 0, 1.05}, rough_of_long = {8, 0, 1.25};

void netdp_i_time_grid_free(netdp_i_time_grid *grid)
{
    if (grid == NULL)
        return;
#pragma omp critical(netdp_fftw_planner)
    {
        if (grid->forward != NULL)
            fftw_destroy_plan(grid->forward);
        if (grid->backward != NULL)
            fftw_destroy_plan(grid->backward);
    }
    netdp_i_time_grid_free(grid->rough);
    netdp_i_time_grid_free(grid->beside);
    netdp_i_free(grid->tau);
    netdp_i_free(grid->bin);
    netdp_i_free(grid->time);
    netdp_i_free(grid->together);
    netdp_i_free(grid->first);
    netdp_i_free(grid);
}

static int64_t after(int64_t from, const fineness *f)
{
    return f == NULL || from < f->exact ? from + 1 : (int64_t)ceil((double)from * f->growth);
}

static void make_bins(netdp_i_time_grid *grid, const fineness *f)
{
    for (int64_t from = 1, next; from <= grid->steps; from = next) {
        next = after(from, f);
        for (int64_t t = from; t < next && t <= grid->steps; t++)
            grid->bin[t] = grid->bins;
        if (grid->times > 0)
            grid->time[grid->bins] = (int32_t)(from / grid->step);
        grid->tau[grid->bins++] = from;
    }
}

/* Returns how many there are; into->together may be NULL. */
static int32_t put_together(netdp_i_time_grid *grid)
{
    int32_t count = 0;
    for (int32_t x = 0; x < grid->bins; x++) {
        int32_t last = -1;
        grid->first[x] = count;
        for (int32_t y = 0; y <= x && grid->tau[x] + grid->tau[y] <= grid->steps; y++) {
            const int32_t into = grid->bin[grid->tau[x] + grid->tau[y]];
            if (into != last)
                count++;
            if (into != last && grid->together != NULL)
                grid->together[count - 1] = (netdp_i_together){into, y, y};
            if (grid->together != NULL)
                grid->together[count - 1].to = y + 1;
            last = into;
        }
    }
    grid->first[grid->bins] = count;
    return count;
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

/* false where memory ran out */
static bool make_plans(netdp_i_time_grid *grid)
{
    fftw_complex *room = fftw_alloc_complex((size_t)grid->size);
    fftw_complex *bins = fftw_alloc_complex((size_t)grid->size);
    if (room != NULL && bins != NULL)
#pragma omp critical(netdp_fftw_planner)
    {
        grid->forward = fftw_plan_dft_1d(grid->size, room, bins, FFTW_FORWARD, FFTW_ESTIMATE);
        grid->backward = fftw_plan_dft_1d(grid->size, bins, room, FFTW_BACKWARD, FFTW_ESTIMATE);
    }
    fftw_free(room);
    fftw_free(bins);
    return grid->forward != NULL && grid->backward != NULL;
}

/* f: NULL where all steps of a piece are told apart */
static netdp_status grid_new(int64_t steps, const fineness *f, netdp_i_time_grid **grid,
                             netdp_error *error)
{
    OWNED_BY(netdp_i_time_grid_free) netdp_i_time_grid *made = NETDP_I_NEW(netdp_i_time_grid, 1);
    if (made == NULL)
        return netdp_i_no_memory(error);
    made->steps = steps;
    made->step = f == NULL || f->times == 0 ? 1 : (steps + f->times - 1) / f->times;
    made->times = f != NULL && f->times == 0 ? 0 : (int32_t)(steps / made->step) + 1;
    if (made->times > 0) { /* three laws in a row do not wrap around */
        made->size = 8 * smooth((3 * made->times + 7) / 8);
        made->rounding = 22 * 0x1p-53 * (log2((double)made->size) + 1);
    }
    int32_t bins = 0;
    for (int64_t from = 1; from <= steps; from = after(from, f))
        bins++;
    made->tau = NETDP_I_NEW(int64_t, bins);
    made->time = NETDP_I_NEW(int32_t, bins);
    made->bin = NETDP_I_NEW(int32_t, steps + 1);
    made->first = NETDP_I_NEW(int32_t, bins + 1);
    if (made->tau == NULL || made->time == NULL || made->bin == NULL || made->first == NULL ||
        (made->times > 0 && !make_plans(made)))
        return netdp_i_no_memory(error);
    make_bins(made, f);
    made->together = NETDP_I_NEW(netdp_i_together, put_together(made));
    if (made->together == NULL)
        return netdp_i_no_memory(error);
    (void)put_together(made);
    *grid = GIVE(made);
    return NETDP_OK;
}

static netdp_status with_rough(int64_t steps, const fineness *of_fine, const fineness *of_rough,
                               netdp_i_time_grid **grid, netdp_error *error)
{
    OWNED_BY(netdp_i_time_grid_free) netdp_i_time_grid *made = NULL;
    TRY(grid_new(steps, of_fine, &made, error));
    TRY(grid_new(steps, of_rough, &made->rough, error));
    *grid = GIVE(made);
    return NETDP_OK;
}

/* Steps that are followed one by one. */
static int64_t alone_up_to(bool release, int64_t cap)
{
    if (!release)
        return FEW;
    const double most = cap > 0 ? sqrt(WORK / (double)cap) : 0;
    return most > MOST_RELEASED ? MOST_RELEASED : most > MANY ? (int64_t)most : MANY;
}

netdp_status netdp_i_time_grid_new(int64_t steps, bool release, int64_t cap,
                                   netdp_i_time_grid **grid, netdp_error *error)
{
    OWNED_BY(netdp_i_time_grid_free) netdp_i_time_grid *made = NULL;
    TRY(steps <= alone_up_to(release, cap) ? grid_new(steps, NULL, &made, error)
                                           : with_rough(steps, &fine, &rough, &made, error));
    if (steps > (release ? FEW : ALONE))
        TRY(netdp_i_time_grid_coarse(steps, &made->beside, error));
    *grid = GIVE(made);
    return NETDP_OK;
}

netdp_status netdp_i_time_grid_coarse(int64_t steps, netdp_i_time_grid **grid, netdp_error *error)
{
    return with_rough(steps, &fine_of_long, &rough_of_long, grid, error);
}

double netdp_i_time_grid_fill(const netdp_i_time_grid *grid, const double *law, double *time)
{
    double sum = 0;
    memset(time, 0, (size_t)grid->times * sizeof *time);
    for (int64_t t = 0; t <= grid->steps; t++) {
        time[t / grid->step] += law[t];
        sum += law[t];
    }
    return sum;
}

void netdp_i_time_grid_transform(const netdp_i_time_grid *grid, const double *time,
                                 fftw_complex *room, fftw_complex *bins)
{
    memset(room, 0, (size_t)grid->size * sizeof *room);
    for (int32_t i = 0; i < grid->times; i++)
        room[i][0] = time[i];
    fftw_execute_dft(grid->forward, room, bins);
}

void netdp_i_time_grid_restore(const netdp_i_time_grid *grid, fftw_complex *bins,
                               fftw_complex *room)
{
    const double scale = 1 / (double)grid->size;
    fftw_execute_dft(grid->backward, bins, room);
    for (int32_t i = 0; i < grid->times; i++) {
        room[i][0] *= scale;
        room[i][1] *= scale;
    }
    memset(room + grid->times, 0, (size_t)(grid->size - grid->times) * sizeof *room);
}

NETDP_I_WIDER
static void multiply(int32_t size, fftw_complex *a, const fftw_complex *b)
{
    for (int32_t k = 0; k < size; k++) {
        const double real = a[k][0] * b[k][0] - a[k][1] * b[k][1];
        a[k][1] = a[k][0] * b[k][1] + a[k][1] * b[k][0];
        a[k][0] = real;
    }
}

/* Two numbers: re, im, re, im. */
typedef double two __attribute__((vector_size(32), aligned(8), may_alias));

/* What x adds to a sum of products by y: its real parts times y, and its imaginary parts times i y. */
static inline __attribute__((always_inline)) void add_product(const two *x, const two *y, two *real,
                                                              two *imaginary)
{
    *real += __builtin_shufflevector(*x, *x, 0, 0, 2, 2) * *y;
    *imaginary +=
        __builtin_shufflevector(*x, *x, 1, 1, 3, 3) * __builtin_shufflevector(*y, *y, 1, 0, 3, 2);
}

/* sum = a[count - 1] b[0] + .. + a[0] b[count - 1], eight numbers of each at a time. */
NETDP_I_WIDER
static void convolve(int32_t size, int64_t count, const fftw_complex *a, const fftw_complex *b,
                     fftw_complex *sum)
{
    for (int32_t k = 0; k < size; k += 8) {
        two real[4] = {0}, imaginary[4] = {0};
        for (int64_t j = 0; j < count; j++) {
            const two *x = (const two *)(a + (count - 1 - j) * size + k);
            const two *y = (const two *)(b + j * size + k);
            add_product(&x[0], &y[0], &real[0], &imaginary[0]);
            add_product(&x[1], &y[1], &real[1], &imaginary[1]);
            add_product(&x[2], &y[2], &real[2], &imaginary[2]);
            add_product(&x[3], &y[3], &real[3], &imaginary[3]);
        }
        for (int i = 0; i < 4; i++) {
            const two sign = {-1, 1, -1, 1};
            ((two *)(sum + k))[i] = real[i] + sign * imaginary[i];
        }
    }
}

NETDP_I_WIDER
static void accumulate(int32_t size, const fftw_complex *a, const fftw_complex *b,
                       fftw_complex *sum)
{
    for (int32_t k = 0; k < size; k++) {
        sum[k][0] += a[k][0] * b[k][0] - a[k][1] * b[k][1];
        sum[k][1] += a[k][0] * b[k][1] + a[k][1] * b[k][0];
    }
}

void netdp_i_time_grid_multiply(const netdp_i_time_grid *grid, fftw_complex *a,
                                const fftw_complex *b)
{
    multiply(grid->size, a, b);
}

void netdp_i_time_grid_accumulate(const netdp_i_time_grid *grid, const fftw_complex *a,
                                  const fftw_complex *b, fftw_complex *sum)
{
    accumulate(grid->size, a, b, sum);
}

void netdp_i_time_grid_convolve(const netdp_i_time_grid *grid, int64_t count, const fftw_complex *a,
                                const fftw_complex *b, fftw_complex *sum)
{
    convolve(grid->size, count, a, b, sum);
}

#include "account/walk/time_grid.h"

#include <math.h>
#include <string.h>

#include "account/walk/wider.h"
#include "base/fail.h"
#include "base/memory.h"

/*
 * Up to FEW steps, or ALL where the model is released, all steps of a piece are told apart; else
 * the first EXACT, and then each bin is longer than the last. Times from piece to piece: TIMES.
 */
enum { FEW = 128, ALL = 512, EXACT = 32, TIMES = 128 };

#define GROWTH 1.06

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
    netdp_i_free(grid->tau);
    netdp_i_free(grid->bin);
    netdp_i_free(grid->time);
    netdp_i_free(grid->together);
    netdp_i_free(grid->first);
    netdp_i_free(grid);
}

static int64_t after(int64_t from, bool alone)
{
    return alone || from < EXACT ? from + 1 : (int64_t)ceil((double)from * GROWTH);
}

static void make_bins(netdp_i_time_grid *grid, bool alone)
{
    for (int64_t from = 1, next; from <= grid->steps; from = next) {
        next = after(from, alone);
        for (int64_t t = from; t < next && t <= grid->steps; t++)
            grid->bin[t] = grid->bins;
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
    if (room == NULL)
        return false;
#pragma omp critical(netdp_fftw_planner)
    {
        grid->forward = fftw_plan_dft_1d(grid->size, room, room, FFTW_FORWARD, FFTW_ESTIMATE);
        grid->backward = fftw_plan_dft_1d(grid->size, room, room, FFTW_BACKWARD, FFTW_ESTIMATE);
    }
    fftw_free(room);
    return grid->forward != NULL && grid->backward != NULL;
}

netdp_status netdp_i_time_grid_new(int64_t steps, bool release, netdp_i_time_grid **grid,
                                   netdp_error *error)
{
    const bool alone = steps <= (release ? ALL : FEW);
    netdp_i_time_grid *made = NETDP_I_NEW(netdp_i_time_grid, 1);
    if (made == NULL)
        return netdp_i_no_memory(error);
    made->steps = steps;
    made->step = release && alone ? 1 : (steps + TIMES - 1) / TIMES;
    made->times = (int32_t)(steps / made->step) + 1;
    made->size = smooth(3 * made->times); /* three laws in a row do not wrap around */
    made->rounding = 22 * 0x1p-53 * (log2((double)made->size) + 1);
    int32_t bins = 0;
    for (int64_t from = 1; from <= steps; from = after(from, alone))
        bins++;
    made->tau = NETDP_I_NEW(int64_t, bins);
    made->time = NETDP_I_NEW(int32_t, bins);
    made->bin = NETDP_I_NEW(int32_t, steps + 1);
    made->first = NETDP_I_NEW(int32_t, bins + 1);
    bool whole = made->tau != NULL && made->time != NULL && made->bin != NULL &&
                 made->first != NULL && make_plans(made);
    if (whole) {
        make_bins(made, alone);
        made->together = NETDP_I_NEW(netdp_i_together, put_together(made));
        whole = made->together != NULL;
    }
    if (!whole) {
        netdp_i_time_grid_free(made);
        return netdp_i_no_memory(error);
    }
    (void)put_together(made);
    *grid = made;
    return NETDP_OK;
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
                                 fftw_complex *bins)
{
    memset(bins, 0, (size_t)grid->size * sizeof *bins);
    for (int32_t i = 0; i < grid->times; i++)
        bins[i][0] = time[i];
    fftw_execute_dft(grid->forward, bins, bins);
}

void netdp_i_time_grid_restore(const netdp_i_time_grid *grid, fftw_complex *bins)
{
    const double scale = 1 / (double)grid->size;
    fftw_execute_dft(grid->backward, bins, bins);
    for (int32_t i = 0; i < grid->times; i++) {
        bins[i][0] *= scale;
        bins[i][1] *= scale;
    }
    memset(bins + grid->times, 0, (size_t)(grid->size - grid->times) * sizeof *bins);
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

bool netdp_i_time_grid_exact(const netdp_i_time_grid *grid)
{
    return grid->step == 1 && grid->bins == grid->steps;
}

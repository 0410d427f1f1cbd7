/*
 * Times of a walk, for the law of what its path costs (docs/proofs/excursion.md): step by step where
 * there are few, else rounded down: to bins within a piece, and from piece to piece to multiples of a step, since less
 * time costs more and leaves more of the walk. A long walk has no slots of time from piece to piece.
 */
#ifndef NETDP_I_TIME_GRID_H
#define NETDP_I_TIME_GRID_H

#include <stdbool.h>
#include <stdint.h>
#include <fftw3.h>
#include <netdp/status.h>

#include "base/try.h"

/* Of two bins x and y <= x, those y for which tau_x + tau_y falls in one bin: from .. to - 1. */
typedef struct netdp_i_together {
    int32_t into, from, to;
} netdp_i_together;

/* Shared by all threads. */
typedef struct netdp_i_time_grid {
    int64_t steps, step;
    int32_t times, size;         /* of a series in time, and of its transforms; 0 on a long walk */
    fftw_plan forward, backward; /* not in place */
    double rounding;             /* of a product of transforms, in parts of the factors' norms */
    int32_t bins;
    int64_t *tau;               /* [bins]: least number of steps of each */
    int32_t *bin;               /* [steps + 1] */
    int32_t *time;              /* [bins]: where tau falls in a series */
    netdp_i_together *together; /* those of x: together[first[x]] .. together[first[x + 1] - 1] */
    int32_t *first;             /* [bins + 1] */
    struct netdp_i_time_grid *rough;  /* the same, for a first look; NULL: this one will do */
    struct netdp_i_time_grid *beside; /* without slots: another upper bound, asked too; or NULL */
} netdp_i_time_grid;

/*
 * Step by step where steps are few, and up to more of them where the end of the walk is seen: the
 * more, the fewer contributions count. cap: 0 where all do.
 */
netdp_status netdp_i_time_grid_new(int64_t steps, bool release, int64_t cap,
                                   netdp_i_time_grid **grid, netdp_error *error);
/* In bins, however few the steps are. */
netdp_status netdp_i_time_grid_coarse(int64_t steps, netdp_i_time_grid **grid, netdp_error *error);
void netdp_i_time_grid_free(netdp_i_time_grid *grid);
OWNER(netdp_i_time_grid_free, netdp_i_time_grid)

/* A law of steps 0 .. steps, in time; returns its sum. */
double netdp_i_time_grid_fill(const netdp_i_time_grid *grid, const double *law, double *time);

/* bins [size] = the transform of time [times]; room: [size] */
void netdp_i_time_grid_transform(const netdp_i_time_grid *grid, const double *time,
                                 fftw_complex *room, fftw_complex *bins);

/* room = bins, back in time: cut off behind `times`, scaled. */
void netdp_i_time_grid_restore(const netdp_i_time_grid *grid, fftw_complex *bins,
                               fftw_complex *room);

/* a *= b; sum += a b, over [size] */
void netdp_i_time_grid_multiply(const netdp_i_time_grid *grid, fftw_complex *a,
                                const fftw_complex *b);
void netdp_i_time_grid_accumulate(const netdp_i_time_grid *grid, const fftw_complex *a,
                                  const fftw_complex *b, fftw_complex *sum);

/* sum = a[count - 1] b[0] + .. + a[0] b[count - 1], of [count][size] each */
void netdp_i_time_grid_convolve(const netdp_i_time_grid *grid, int64_t count, const fftw_complex *a,
                                const fftw_complex *b, fftw_complex *sum);

#endif

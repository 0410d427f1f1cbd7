/*
 * E z^C - 1 of one pair on a walk that is followed step by step: contributions so far are carried from
 * piece to piece by Fourier transforms in time.
 */
#ifndef NETDP_I_IN_TIME_H
#define NETDP_I_IN_TIME_H

#include "account/walk/mixture/mean.h"
#include "account/walk/mixture/runs.h"

typedef struct netdp_i_in_time {
    const netdp_i_time_grid *m;
    netdp_i_runs runs; /* none where count is 0 */
    int64_t count;     /* contributions that count; 0: too many */
    int32_t members;
    bool release;
    fftw_complex *start; /* [size]: transform of the first arrival */
    fftw_complex *found; /* [members][size]: of arrivals from each member */
    double *start_law;   /* [times] */
    double *found_sum;   /* [members] */
    double excess;       /* by which masses may add up to more than 1 */
    double overflow;     /* P(more contributions than are followed) */
    double over;         /* about P(more contributions than `count`) */
    fftw_complex *room;  /* [size]: in time */
    /* of one lane */
    fftw_complex *between, *arrive, *run; /* [count][size], [count][size], [size] */
    double *arrived;                      /* [2 count][times] */
    double *scratch;                      /* [3 count + 6 times] */
    netdp_i_pool pool;                    /* what is no fftw_complex */
} netdp_i_in_time;

/* cap: 0 where all contributions count; delta: of which those that are not followed may be a little. */
netdp_status netdp_i_in_time_new(const netdp_i_time_grid *grid, netdp_i_returns *hunt, int64_t cap,
                                 double delta, netdp_i_in_time *pair, netdp_error *error);
void netdp_i_in_time_clear(netdp_i_in_time *pair);

/* After netdp_i_runs_follow. */
netdp_i_mean netdp_i_in_time_mean(netdp_i_in_time *pair, int lane);

#endif

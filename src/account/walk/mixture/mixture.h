/*
 * The law of what the path of a walk costs (docs/proofs/excursion.md): contributions so far are
 * carried along the renewal, so that only the first of them up to the cap cost anything.
 */
#ifndef NETDP_I_MIXTURE_H
#define NETDP_I_MIXTURE_H

#include "account/walk/cost_law.h"
#include "account/walk/first_returns.h"
#include "account/walk/time_grid.h"

typedef struct netdp_i_mixture_asked {
    int64_t cap; /* contributions that count; 0: all */
    int32_t tokens;
    double delta;  /* that the law is asked at: it may lose a small part of it */
    double bend;   /* in steps of the grid of costs: 0.1, or infinity */
    bool whole;    /* all samples, whatever delta they are enough for */
    bool from_end; /* of a walk that is released, back from its end (long_walk.h) */
} netdp_i_mixture_asked;

/*
 * The law of C for a prepared hunt (which loses hunt->presence where there is a release). *found is
 * false, and nothing is made, where so many contributions count that it would take too long.
 */
netdp_status netdp_i_mixture_law(const netdp_i_time_grid *grid, netdp_i_returns *hunt,
                                 const netdp_i_mixture_asked *asked, netdp_i_cost_law *law,
                                 bool *found, netdp_error *error);

/*
 * ln of the mean of e^{theta C} for one token, erring upward; infinity where that takes too long or
 * too much. *enough: the cap is reached often and rounding adds little, so that an account without
 * the cap tells less; no guarantee rests on it.
 */
netdp_status netdp_i_mixture_log_mean(const netdp_i_time_grid *grid, netdp_i_returns *hunt,
                                      int64_t cap, double theta, double *value, bool *enough,
                                      netdp_error *error);

#endif

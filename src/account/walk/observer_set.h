/* The observer set F of a walk: (G_FF(z))^-1, with which laws of first visits of F are made. */
#ifndef NETDP_I_OBSERVER_SET_H
#define NETDP_I_OBSERVER_SET_H

#include <stdbool.h>

#include "account/walk/series.h"

typedef struct netdp_i_observer_set {
    const netdp_i_series *series;
    int32_t members;
    fftw_complex **inverse; /* [members * members]: transform of G_FF^-1 */
    double **inverse_array;
    double noise; /* largest coefficient of the residual G_FF G_FF^-1 - I */
    bool release; /* everyone sees the token at the end */
    double rate;  /* -ln of what a step contracts, 0 in a new one (spread.h) */
} netdp_i_observer_set;

/*
 * between [members * members]: (P^t)_fg, arrays [terms] of netdp_i_series_array, read only here.
 */
netdp_status netdp_i_observer_set_new(const netdp_i_series *series, int32_t members,
                                      const double *const *between, bool release,
                                      netdp_i_observer_set **watch, netdp_error *error);
void netdp_i_observer_set_free(netdp_i_observer_set *watch);
OWNER(netdp_i_observer_set_free, netdp_i_observer_set)

#endif

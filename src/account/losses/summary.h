/* Mean, largest and worst pair of losses that come row by row. */
#ifndef NETDP_I_SUMMARY_H
#define NETDP_I_SUMMARY_H

#include "account/losses/losses.h"

/* A pair that may be the worst. */
typedef struct netdp_i_tie {
    double loss;
    int32_t from, to; /* nodes */
} netdp_i_tie;

/* Zeroed to begin with; to be cleared. */
typedef struct netdp_i_summing {
    int64_t pairs;
    double sum, max;  /* of values */
    double largest;   /* loss; of no pair: 0 */
    netdp_i_tie *tie; /* [ties]: no smaller pair has such a loss */
    int32_t ties, room;
} netdp_i_summing;

/* `value`: as netdp_i_batch_values gives it. */
netdp_status netdp_i_summing_add(netdp_i_summing *summing, const netdp_i_batch *batch,
                                 const double *value, netdp_error *error);

/* `losses` says who; NETDP_INVALID where no pair counts. */
netdp_status netdp_i_summing_end(const netdp_i_summing *summing, const netdp_losses *losses,
                                 double noise, netdp_unit unit, netdp_summary *summary,
                                 netdp_error *error);
void netdp_i_summing_clear(netdp_i_summing *summing);

#endif

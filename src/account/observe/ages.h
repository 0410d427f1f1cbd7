/*
 * What the innovations show of any state under the steady gain, age by age: with w = C E and
 * E <- A E the steady round of a response, the rows C A^age. One matrix product makes the
 * responses of all states to all ages of them.
 */
#ifndef NETDP_I_AGES_H
#define NETDP_I_AGES_H

#include "account/observe/gains.h"

typedef struct netdp_i_ages {
    int64_t first; /* the round from which the gain is steady; all rounds where it never is */
    int64_t ages;  /* 0 where it never is */
    double *rows;  /* [ages][seen][modes]: C A^age, 0 behind the rank */
    double *last;  /* [ages][seen][modes]: by the last sum, were `age` the last round; or NULL */
} netdp_i_ages;

/*
 * Up to the last round, or until the rows are below 1e-20 of the first ones: nothing is left.
 */
netdp_status netdp_i_ages_new(const netdp_linear *protocol, const netdp_i_gains *gains,
                              netdp_i_ages *shown, const netdp_progress *progress,
                              netdp_error *error);
void netdp_i_ages_clear(netdp_i_ages *shown);

#endif

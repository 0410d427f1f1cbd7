/*
 * Responses under the steady gain by age: what the observer's innovations still show of a state,
 * or of one contribution, so many rounds later.
 */
#ifndef NETDP_I_IMPULSE_H
#define NETDP_I_IMPULSE_H

#include "account/observe/gains.h"

typedef struct netdp_i_impulse {
    int32_t count, seen;
    int64_t ages; /* w holds the ages 0 .. ages-1 */
    bool over;    /* all states have faded: later ages may be taken as 0 */
    double *w;    /* [ages][count][seen] */
    double *last; /* [ages][count][seen]: of the last sum received, were this the last round; NULL
                     without one */
    bool *told;   /* [count]: the response left the range of Sigma: infinite loss */
} netdp_i_impulse;

/*
 * states [kinds][nodes][modes], of steady gains. Stops after `longest` ages, or once every state
 * has faded: below 1e-14 of the largest number that its node's states showed, over the age, so that
 * at the rate at which it has faded all later ages together are below that.
 */
netdp_status netdp_i_impulse_new(const netdp_i_gains *gains, const double *states, int32_t kinds,
                                 int32_t nodes, int64_t longest, netdp_i_impulse *impulse,
                                 const netdp_progress *progress, netdp_error *error);
void netdp_i_impulse_clear(netdp_i_impulse *impulse);

/* Of one state: [seen] numbers of an age. */
static inline const double *netdp_i_impulse_at(const netdp_i_impulse *impulse, int32_t state,
                                               int64_t age)
{
    return impulse->w + (age * impulse->count + state) * impulse->seen;
}

#endif

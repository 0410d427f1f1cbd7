/*
 * The exact accountant of linear protocols: a Kalman filter on a modal basis.
 */
#ifndef NETDP_I_FILTER_H
#define NETDP_I_FILTER_H

#include <netdp/progress.h>
#include <netdp/protocol.h>

#include "account/basis.h"

/* A view reduced to what carries information: y_t = the messages of `seen`. */
typedef struct netdp_i_observer {
    int32_t seen_count;
    const int32_t *seen;
    int32_t quiet_count; /* nodes whose noise the observer knows: it hides nothing */
    const int32_t *quiet;
    bool last_sum; /* after the last round also s_T of `seen`, under no new noise */
} netdp_i_observer;

/* Ranks are decided at this fraction of the largest scale of an observation. */
#define NETDP_I_RANK_TOLERANCE 1e-13

/*
 * loss[i] = G^T K^{-1} G of one unit contribution of from[i] in round 0 towards the observer:
 * K the covariance of everything it sees over sigma^2, G the response. INFINITY where a response
 * lies outside the range of K. `progress` may be NULL; it is told of rounds.
 */
netdp_status netdp_i_filter(const netdp_linear *protocol, const netdp_i_basis *basis,
                            const netdp_i_observer *observer, const int32_t *from, int32_t count,
                            double *loss, const netdp_progress *progress, netdp_error *error);

#endif

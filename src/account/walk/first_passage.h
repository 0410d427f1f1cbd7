/*
 * First passage of a walk to an observer set, from all nodes at once.
 *
 * F_u(i) = P(first visit to the set at step i | start at u), i >= 1, counts a return where u is a
 * member: f_1 = P 1_set, f_{i+1} = P (f_i with the members zeroed), F_u(i) = f_i[u].
 */
#ifndef NETDP_I_FIRST_PASSAGE_H
#define NETDP_I_FIRST_PASSAGE_H

#include <netdp/status.h>
#include <netdp/protocol.h>

#include "base/try.h"

typedef struct netdp_i_passage netdp_i_passage;

/* `law` is borrowed; `count` >= 1 members, nodes of it. */
netdp_status netdp_i_passage_new(const netdp_transition *law, const int32_t *members, int32_t count,
                                 netdp_i_passage **passage, netdp_error *error);
void netdp_i_passage_free(netdp_i_passage *passage);
OWNER(netdp_i_passage_free, netdp_i_passage)

/* F_u(i) [nodes] of the next i, from 1 on: valid until the next call. Allocates nothing. */
const double *netdp_i_passage_next(netdp_i_passage *passage);

/*
 * What bounds the rounding of all that has been returned so far: each true F_u(i) is at most
 * (1 + relative) times the computed one, plus `absolute` (which stands for underflow) where step i
 * can reach the set at all.
 */
typedef struct netdp_i_passage_rounding {
    double relative, absolute;
} netdp_i_passage_rounding;

netdp_i_passage_rounding netdp_i_passage_error(const netdp_i_passage *passage);

/*
 * Renyi epsilon of ONE contribution of each node u, seen by the set at its next visit: with theta =
 * (alpha-1) alpha / (2 sigma^2),
 *
 *     (1/(alpha-1)) ln(1 + sum_{i <= T} F_u(i) (e^{theta/i} - 1)),
 *
 * erring upward by the rounding of its floating point; never NaN, infinity where it overflows or
 * sigma = 0. value [nodes], INFINITY at members. Sound where a node contributes once in the whole
 * walk. With token->release the contribution of the last step is seen behind one noise term: the
 * local bound alpha / (2 sigma^2). alpha > 1, sigma >= 0, both finite. One token.
 */
netdp_status netdp_i_passage_bound(const netdp_token *token, const int32_t *members, int32_t count,
                                   double alpha, double sigma, double *value,
                                   const netdp_progress *progress, netdp_error *error);

/* The same at `orders` orders for the price of one walk: value [orders][nodes]. */
netdp_status netdp_i_passage_bounds(const netdp_token *token, const int32_t *members, int32_t count,
                                    const double *alpha, int32_t orders, double sigma,
                                    double *value, const netdp_progress *progress,
                                    netdp_error *error);

/*
 * The same at a delta, in the mean over first passages of the Gaussian guarantees of cost times / i
 * each. value [nodes], infinity at members. times: how often a contribution is counted, all tokens
 * together.
 */
netdp_status netdp_i_passage_epsilons(const netdp_token *token, const int32_t *members,
                                      int32_t count, double times, double sigma, double delta,
                                      double *value, netdp_error *error);

#endif

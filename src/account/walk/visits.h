/* Laws of how often a walk on the complete graph visits, as exact quantiles that err upward. */
#ifndef NETDP_I_VISITS_H
#define NETDP_I_VISITS_H

#include <stdint.h>
#include <netdp/status.h>

/* The least k with P(Binomial(trials, 1/nodes) > k) <= delta; 0 < delta < 1/2, nodes >= 2. */
int64_t netdp_i_binomial_quantile(int64_t trials, int32_t nodes, double delta);

/*
 * The least k with P(more than k of the contributions of u at steps 0 .. steps-1 are directly
 * before or after v has the token) <= delta: every node of the path is uniform over `nodes`, the
 * one after the last step too. Multiplications: about 10 k steps, NETDP_NO_ANSWER above 10^11.
 */
netdp_status netdp_i_spotted_quantile(int64_t steps, int32_t nodes, double delta, int64_t *count,
                                      netdp_error *error);

#endif

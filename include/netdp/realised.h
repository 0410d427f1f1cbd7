/*
 * What each node learns from a walk whose path is known: the account of one run, excursion by
 * excursion (paper E, section 5, made sound; docs/proofs/excursion.md).
 *
 * The path is drawn independently of the data, so it may be treated as revealed. Given it, the
 * contributions of u between two visits of the observer are seen together at the second one, and
 * what they cost adds up over visits. With c the sum, all that the observer sees is mu-Gaussian
 * differentially private towards u,
 *
 *     mu = sqrt(c) / sigma,
 *
 * so c is a `loss` of netdp/account.h: netdp_loss_value(c, sigma, unit, ..) gives any currency. It
 * is a guarantee for this run only. To choose sigma beforehand use netdp/walk.h.
 *
 * Paths are those of netdp_simulate_walk: path[tokens][steps + 1], the node at each step and then
 * the one that keeps the token. A node sees the token each time it is there, t = 0 .. steps, before
 * its own update; `release` makes t = steps a visit for all. A node over the cap adds noise only,
 * which still hides others. Of the token only law (the number of nodes), steps, burn_in, start,
 * cap, tokens and release are used; steps < 2^32.
 */
#ifndef NETDP_REALISED_H
#define NETDP_REALISED_H

#include <netdp/progress.h>
#include <netdp/token.h>

NETDP_BEGIN

/* How contributions hide behind noise. */
typedef enum netdp_realised_kind {
    /* The least that shift absorption gives: squared slopes of the greatest convex minorant of the
       running count of contributions. Assumes what netdp_walk_request does: constant step,
       non-expansive maps, no memory, the last iterate. */
    NETDP_REALISED_ABSORBED = 0,
    /* k^2 / L, k contributions under L noise terms of nodes that do not observe: exact for identity
       maps (sums, running means), too small for anything else, the mean task with a constant step
       included. */
    NETDP_REALISED_LINEAR,
} netdp_realised_kind;

/*
 * How often each node contributes, over all tokens, into contributions[nodes]: its loss c under
 * local differential privacy. NETDP_INVALID where the path is none of the token's.
 */
NETDP_API NETDP_CHECK netdp_status netdp_realised_contributions(const netdp_token *token,
                                                                const int32_t *path,
                                                                int64_t *contributions,
                                                                netdp_error *error);

/*
 * What `count` observers who pool their views (1: a single one) learn about every node: c into
 * cost[nodes], at most the node's contributions (times its squared scale, netdp_token_scale), 0
 * where none is ever seen, infinity for the observers themselves. Time and memory in proportion to
 * steps.
 */
NETDP_API NETDP_CHECK netdp_status netdp_realised_costs(const netdp_token *token,
                                                        const int32_t *path,
                                                        netdp_realised_kind kind, int32_t count,
                                                        const int32_t *observers, double *cost,
                                                        netdp_error *error);

/* The same for every node as an observer of its own: cost[observer][node], nodes * steps time. */
NETDP_API NETDP_CHECK netdp_status netdp_realised_pairs(const netdp_token *token,
                                                        const int32_t *path,
                                                        netdp_realised_kind kind,
                                                        const netdp_progress *progress,
                                                        double *cost, netdp_error *error);

NETDP_END

#endif

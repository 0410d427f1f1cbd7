/*
 * What each node learns about each other node from a random walk (paper A; paper E, section 4).
 *
 * Walks have no unit-free loss: their Renyi curve is not a line, because the path is random. An
 * account is made for one noise and one unit, epsilon at a Renyi order or at a delta.
 */
#ifndef NETDP_WALK_H
#define NETDP_WALK_H

#include <netdp/account.h>
#include <netdp/token.h>

NETDP_BEGIN

/*
 * Assumes what the excursion accountant needs and cannot see: a constant step, node maps that do
 * not expand distances (rows clipped before the mean over them, step <= 2 / smoothness, projection
 * on convex sets), nodes without memory, the last iterate as the result. Whoever runs a walk must
 * check them (netdp_smoothness) or ask for NETDP_BOUND_LOCAL.
 */
typedef struct netdp_walk_request {
    const netdp_token *token; /* borrowed */
    netdp_bound bound;        /* NETDP_BOUND_AUTO: the least sound one */
    double noise;             /* sigma >= 0, in units of the sensitivity Delta of a gradient */
    netdp_unit unit;          /* NETDP_AS_RDP or NETDP_AS_DP */
    int32_t from_count;       /* 0: all nodes */
    const int32_t *from;      /* borrowed, [from_count]: who is learned about */
    int32_t to_count;         /* 0: all nodes, each an observer of its own */
    const int32_t *to;        /* borrowed, [to_count], distinct: who learns */
    bool coalition;           /* the nodes of `to` pool their views: one observer */
    /* Where the law was made from private data by an (epsilon, delta)-DP release of every node
       (netdp/gamma.h), towards everyone: its epsilon is added, its delta taken from the unit's. 0
       and 0: a law that is public anyhow. Above 0 with NETDP_AS_DP only, below the unit's delta. */
    double law_epsilon, law_delta;
} netdp_walk_request;

/* AUTO becomes least where a node contributes once, excursion else; another bound must apply to
 * walks (NETDP_INVALID). */
NETDP_API NETDP_CHECK netdp_status netdp_walk_bound_choose(const netdp_token *token,
                                                           netdp_bound bound,
                                                           const netdp_bound_info **chosen,
                                                           netdp_error *error);

/*
 * Epsilon in the asked unit for every pair, capped by local differential privacy where the bound is
 * sound; `final` is set. A transition matrix must be reversible, as all of netdp/transition.h are.
 */
NETDP_API NETDP_CHECK netdp_status netdp_walk_losses_new(const netdp_walk_request *request,
                                                         const netdp_progress *progress,
                                                         netdp_losses **losses, netdp_error *error);

/*
 * The least noise, on the safe side, whose guarantee meets the target: re-accounting it lands in
 * [0.999, 1] of it. The request's noise and unit are not used; its bound must be sound
 * but for target->even_unsound. NETDP_NO_ANSWER where max_noise is not enough. `losses` (may be
 * NULL): the account at the noise.
 */
NETDP_API NETDP_CHECK netdp_status netdp_walk_calibrate(const netdp_walk_request *request,
                                                        const netdp_target *target,
                                                        const netdp_progress *progress,
                                                        netdp_calibration *calibration,
                                                        netdp_losses **losses, netdp_error *error);

NETDP_END

#endif

/*
 * Random-walk protocols as data (paper A, Algorithm 1; paper E, Algorithm 4 is W = 1/n).
 *
 * A token holds a model x. At step t = 0 .. steps-1 it is at node v_t, which sends on
 *
 *     x <- project(x - step (g_v(x) + eta)),   eta ~ N(0, (sigma Delta)^2)
 *
 * to a node drawn by the transition matrix from v_t; the one that it reaches after the last step
 * keeps it. A node sees the token each time it arrives (t = 1 .. steps, and at the start), before
 * its own update, and to whom it sends it.
 */
#ifndef NETDP_TOKEN_H
#define NETDP_TOKEN_H

#include <netdp/transition.h>

NETDP_BEGIN

/* Where the token starts, besides a node's number. */
#define NETDP_START_UNIFORM (-1)
#define NETDP_START_OBSERVER (-2) /* accounts only: at each observer in turn */

/* A walk, or several. */
typedef struct netdp_token {
    const netdp_transition *law; /* borrowed */
    int64_t steps;               /* T >= 1: steps with a contribution and noise */
    int64_t burn_in;             /* moves before them, without contribution or noise */
    int32_t start;               /* a node, NETDP_START_UNIFORM or NETDP_START_OBSERVER */
    int64_t cap;                 /* a node contributes this often at most and adds noise only
                                    above; 0: no cap */
    int32_t tokens;              /* independent walks with models of their own; >= 1 */
    bool release;                /* everyone sees the final model: a last visit for all */
    bool weighted; /* node u's gradient, not its noise, is multiplied by 1 / (n pi_u), pi the law's
                      stationary probability: unbiased for the mean where the walk prefers some
                      nodes (paper B, Algorithm 2). The law must not depend on private data, or what
                      was released about them must be paid for (netdp/gamma.h) */
} netdp_token;

/* NETDP_INVALID where the description is not one that a walk can run. */
NETDP_API NETDP_CHECK netdp_status netdp_token_check(const netdp_token *token, netdp_error *error);

/* The most often that a node can contribute to one token: the cap, or every step. */
NETDP_API int64_t netdp_token_contributions(const netdp_token *token);

/* The factor of a node's gradient, and so of its sensitivity: 1 unless weighted. */
NETDP_API double netdp_token_scale(const netdp_token *token, int32_t node);

NETDP_END

#endif

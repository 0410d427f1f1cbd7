/*
 * Sums and histograms by a token on the ring and on the complete graph, as data (paper E,
 * Algorithms 1, 2, 3 and 5, Remark 1).
 *
 * At step t = 0 .. steps - 1 the token is at node v_t, which adds its next contribution and, where
 * the schedule says so, fresh noise. Ring: v_t = t mod nodes, known to everyone. Complete graph:
 * every v_t is uniform over all nodes. The node that the token reaches after the last step keeps
 * it: node 0 of the ring, or one more uniform node. A node sees the token each time it arrives,
 * before its own update, and knows what it adds itself. What nodes contribute must not depend on
 * tokens that they see.
 */
#ifndef NETDP_TALLY_H
#define NETDP_TALLY_H

#include <stdbool.h>
#include <netdp/events.h>

NETDP_BEGIN

/* Where the token goes, and what it gathers. */
typedef enum netdp_tally_graph { NETDP_TALLY_RING = 0, NETDP_TALLY_COMPLETE } netdp_tally_graph;
typedef enum netdp_tally_task { NETDP_TALLY_SUM = 0, NETDP_TALLY_HISTOGRAM } netdp_tally_task;

/* Which steps of a sum add noise, and how much. */
typedef enum netdp_tally_schedule {
    NETDP_TALLY_EVERY = 0, /* each step, all of it (Algorithm 3) */
    NETDP_TALLY_ONCE,      /* ring: every (nodes - 1)-th step from step 0 on (Algorithm 1) */
    NETDP_TALLY_SPREAD,    /* ring, Gaussian: each step, standard deviation 1/sqrt(nodes) of it; all
                              of it at step 0 (Remark 1) */
} netdp_tally_schedule;

/* `fill`: as many as the paper has, ceil(flip nodes) on the ring and 0 on the complete graph. */
#define NETDP_TALLY_USUAL (-1)

/* A token that sums or counts. */
typedef struct netdp_tally {
    netdp_tally_graph graph; /* ring or complete */
    netdp_tally_task task;   /* sum or histogram */
    int32_t nodes;           /* >= 2 */
    int64_t passes;          /* ring: times around, K >= 1; nodes * passes <= 1e15 */
    int64_t steps;           /* complete graph: T >= 1, <= 1e15 */
    int64_t cap; /* complete graph: a node contributes this often at most; beyond it a sum takes its
                    noise only and a histogram nothing; 0: no cap */
    bool release; /* everyone sees the token after the last step */
    bool hidden;  /* complete graph: no node knows whom the token came from or goes to. Read by
                     published bounds only; the sound ones need no secret path */

    /* sums of numbers, clipped to [low, high]; Delta = high - low */
    netdp_mechanism mechanism; /* NETDP_GAUSSIAN, NETDP_LAPLACE or NETDP_DISCRETE_GAUSSIAN;
                                  histograms: NETDP_RANDOMISED_RESPONSE */
    netdp_tally_schedule schedule;
    double noise;     /* sigma, or Laplace's scale, in units of Delta; >= 0 */
    double low, high; /* finite, low < high */
    int32_t grid;     /* discrete Gaussian: grid steps in Delta, >= 1 */

    /* histograms of one of `levels` values, each by randomised response */
    int32_t levels; /* L >= 2 */
    double flip;    /* gamma in (0, 1]: a contribution is uniform with this probability */
    int64_t fill;   /* uniform elements that node v_0 puts into the token before step 0, N_0 */
} netdp_tally;

/* NETDP_INVALID where the description is not one that can be run. */
NETDP_API NETDP_CHECK netdp_status netdp_tally_check(const netdp_tally *tally, netdp_error *error);

/* T, or K nodes. */
NETDP_API int64_t netdp_tally_steps(const netdp_tally *tally);

/* The most often that a node contributes: K; the cap, or every step. */
NETDP_API int64_t netdp_tally_contributions(const netdp_tally *tally);

/* N_0 with NETDP_TALLY_USUAL resolved; sums: 0. */
NETDP_API int64_t netdp_tally_fill(const netdp_tally *tally);

/*
 * Sums: variance of the noise of the steps from .. until - 1, 0 <= from <= until, in units of that
 * of one full noise, whose number it is but for spread noise.
 */
NETDP_API double netdp_tally_energy(const netdp_tally *tally, int64_t from, int64_t until);

NETDP_END

#endif

/*
 * Changing networks before they are drawn: what holds of the draw together with the run, towards
 * those who could not choose the draw but see it.
 */
#ifndef NETDP_DRAWN_H
#define NETDP_DRAWN_H

#include <netdp/account.h>

NETDP_BEGIN

/* A bound over all networks that could be drawn. */
typedef struct netdp_drawn_request {
    const netdp_loss_request *losses; /* of a changing network, by a sound bound, no pattern */
    int64_t draws;                    /* N >= 1 independent networks, from the variation's seed */
    double noise;                     /* sigma >= 0 */
    netdp_unit unit;                  /* NETDP_AS_RDP or NETDP_AS_DP */
    double failure; /* in (0, 1): the probability, over the N draws, that any pair's value is too
                       small */
} netdp_drawn_request;

/* The usual `failure`. */
#define NETDP_DRAWN_FAILURE 1e-6

/*
 * The network is drawn independently of the data and seen: a pair's guarantee is that of the
 * mixture over draws. Renyi: (1/(a-1)) ln E e^{(a-1) eps}; (epsilon, delta): the epsilon with
 * E delta(epsilon) <= delta (Hockey-stick divergences of a public draw average). E is not known;
 * what comes is an upper confidence bound on it from N draws (Chernoff's, for a mean of numbers
 * between nothing and local differential privacy), for all pairs together, never an estimate.
 * The losses are `final`: values of the unit at the noise, at most `local`.
 */
NETDP_API NETDP_CHECK netdp_status netdp_losses_drawn(const netdp_drawn_request *request,
                                                      const netdp_progress *progress,
                                                      netdp_losses **losses, netdp_error *error);

/*
 * The largest q in [0, 1] with count * KL(mean || q) <= ln(1 / failure), rounded up: independent
 * numbers in [0, 1] of this mean over `count` have an expectation above it with probability at most
 * `failure`. mean in [0, 1], count >= 1.
 */
NETDP_API double netdp_mean_at_most(double mean, int64_t count, double failure);

NETDP_END

#endif

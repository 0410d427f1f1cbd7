/*
 * The excursion accountant (docs/proofs/excursion.md): the whole walk of a token, seen by one
 * observer or a coalition F.
 *
 * Given the path, the contributions of u between two visits of F are hidden together: with r_1 <
 * r_2 < ... steps from each to the next visit, they cost at most alpha c / (2 sigma^2) with
 *
 *     c = sum_m min(1, (2m - 1) / r_m),
 *
 * less where steps contract (spread.h): alone(r_m) + 2 (m - 1) shared(r_m) for (2m - 1) / r_m.
 *
 * The path is drawn independently of the data, so that exp((alpha-1) epsilon) is the mean over
 * paths of exp(theta sum c), theta = alpha (alpha - 1) / (2 sigma^2): a renewal series on u and F.
 */
#ifndef NETDP_I_EXCURSION_H
#define NETDP_I_EXCURSION_H

#include "account/walk/first_returns.h"

/* Above this theta weights leave the doubles: the answer is infinity, and the local bound holds. */
#define NETDP_I_LARGEST_THETA 200.0

/* Up to so large an exponent walks of NETDP_I_DIRECT steps at most are summed in long double. */
#define NETDP_I_LARGEST_EXPONENT 11000.0

/* What the visits of u beyond the last one that is followed may add, in parts of what all add. */
#define NETDP_I_ENOUGH 1e-7

/* What lies beyond the steps that visits are followed to may add, in parts of what all add. */
#define NETDP_I_FAR 1e-11

/* What the sparse products before may have lost, in parts. */
#define NETDP_I_PRODUCTS 1e-9

/* exp(theta alone(r)) and exp(2 theta shared(r)) at r = 1 .. terms-1, for all nodes and threads. */
typedef struct netdp_i_weights {
    double theta;
    double *first, *ratio;
} netdp_i_weights;

netdp_status netdp_i_weights_new(int64_t terms, double theta, double rate, netdp_i_weights *weights,
                                 netdp_error *error);
void netdp_i_weights_clear(netdp_i_weights *weights);

/* ln of the mean over paths of exp(theta sum c), erring upward; infinity where theta is above 200.
 */
double netdp_i_excursion(netdp_i_returns *hunt, const netdp_i_weights *weights);

/* The same for theta of any size where hunt->direct is there: no FFT, so no rounding but upward's.
 */
double netdp_i_excursion_direct(netdp_i_returns *hunt, double theta);

/*
 * The same with c = k^2 / L, L the noise terms of others in the excursion: for identity maps (sums,
 * means) only. One observer, no release. `presence` [terms]: P(token is at the observer at t).
 */
double netdp_i_excursion_linear(netdp_i_returns *hunt, double theta, double *presence);

#endif

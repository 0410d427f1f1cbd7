/* What is left of pairwise noise in the nodes' results: known from W, kappa and the rounds, before any data are read. */
#ifndef NETDP_I_PAIRS_LEFT_H
#define NETDP_I_PAIRS_LEFT_H

#include <jansson.h>
#include <netdp/protocol.h>

/* Above this part of the model's own noise the pairwise noise is said not to have cancelled. */
#define NETDP_I_LEFT_MOST 0.5

/*
 * Standard deviations, in units of what the nodes' own noise leaves in the mean of all:
 *
 *     left_w^2 = kappa^2 sum_t e_w' R_t L R_t' e_w,     own^2 = (number of t) / n,
 *
 * t over the contribution rounds, R_t the response of the results to round t (W^(T-t), its Chebyshev
 * polynomials, or the product of the matrices of a changing network), L the Laplacian of the pair graph. Of phases of
 * learning: what all of them leave in the models at unit steps and as if no gradient answered it, as
 * netdp_noise_error. Correlated noise: with its factor in both.
 */
typedef struct netdp_i_pairs_left {
    double mean;  /* root mean square over nodes; NAN: not known */
    double worst; /* the largest; NAN: not known */
    int32_t node; /* whose; -1: of a bound, no node's */
} netdp_i_pairs_left;

/* Of a protocol whose noise cancels in pairs. Large networks: by a bound, which is never below (node -1). */
netdp_status netdp_i_pairs_left_find(const netdp_linear *protocol, netdp_i_pairs_left *left,
                                     netdp_error *error);

/*
 * The fewest rounds, at least `least`, that leave NETDP_I_LEFT_MOST at most at every node: of
 * averaging in all, of learning in each of its phases (whose number stays). `least` where there are no pairs, and in a
 * stream, whose rounds are its contributions; -1 where a million rounds leave more.
 */
netdp_status netdp_i_pairs_left_rounds(const netdp_linear *protocol, int64_t least, int64_t *rounds,
                                       netdp_error *error);

/* The same for `auto`: `least` where no number does. */
netdp_status netdp_i_pairs_left_longer(const netdp_linear *protocol, int64_t least, int64_t *rounds,
                                       netdp_error *error);

/* {"mean", "worst", "node", "most": NETDP_I_LEFT_MOST, "rounds_enough"}, null where it is not known; NULL: no memory. */
json_t *netdp_i_pairs_left_json(const netdp_i_pairs_left *left, int64_t enough);

/* "The rounds leave pairwise noise in the results: 0.031 times the model's own noise at the worst node (5), ..." */
#define NETDP_I_LEFT_ROOM 360
void netdp_i_pairs_left_words(const netdp_i_pairs_left *left, char text[NETDP_I_LEFT_ROOM]);

/* The warning: what, why, what to do; false, and nothing written, where there is nothing to warn of. `enough`: rounds
 * that would do, -1: not known. */
bool netdp_i_pairs_left_warning(const netdp_linear *protocol, const netdp_i_pairs_left *left,
                                int64_t enough, char text[NETDP_I_LEFT_ROOM]);

/* kappa^2 times the sum over pairs of (x_a - x_b)^2, of one column of x [nodes][width]. */
double netdp_i_pairs_energy(const netdp_pairing *pairing, const double *x, int64_t width);

#endif

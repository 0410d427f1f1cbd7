/*
 * What noise that cancels in pairs hides from whoever sees every message: with D = I + kappa^2 L, L
 * the Laplacian of the pair graph without the observers, the loss of a contribution of u is
 * [D^-1]_uu (docs/proofs/pairs.md).
 */
#ifndef NETDP_I_OBSERVE_PAIRING_H
#define NETDP_I_OBSERVE_PAIRING_H

#include <netdp/status.h>
#include <netdp/protocol.h>

/* The inverse of I + kappa^2 L of the whole pair graph, which all observers share. */
typedef struct netdp_i_paired {
    const netdp_pairing *pairing; /* lent */
    int32_t nodes;
    double *inverse;  /* [nodes][nodes], its lower triangle, to rounding; NULL: above
                        NETDP_DENSE_NODES, or of few kinds of twins, where columns are found one by one */
    bool varies;      /* not all pairs are equally loud: nodes that look alike need not be */
    bool few;         /* kinds of twins in a network that might have an inverse */
    double *column;   /* of the nodes asked about, in lanes; NULL: not shared */
    long double *sum; /* [lanes of column]: their bounds without observers */
} netdp_i_paired;

netdp_status netdp_i_paired_new(const netdp_pairing *pairing, int32_t nodes, netdp_i_paired *paired,
                                netdp_error *error);
/* Above NETDP_DENSE_NODES: what losses of from[count] towards many observers have in common. From it
 * a loss is at most a thousandth of itself above the one of a column of its own. */
netdp_status netdp_i_paired_share(netdp_i_paired *paired, const int32_t *from, int32_t count,
                                  const netdp_progress *progress, netdp_error *error);
void netdp_i_paired_clear(netdp_i_paired *paired);

/*
 * loss[i] of one contribution of from[i] towards `count` observers who pool what they know of their
 * pairs' noise; count 0: they know none. Never below the true one, whatever the rounding; 1 where
 * nobody is left to hide among. What is said of an observer itself means nothing.
 */
netdp_status netdp_i_paired_loss(const netdp_i_paired *paired, const int32_t *observers,
                                 int32_t count, const int32_t *from, int32_t from_count,
                                 double *loss, const netdp_progress *progress, netdp_error *error);

/* The root of a bound on the largest eigenvalue of D: 1 + 2 kappa^2 times the largest degree. */
double netdp_i_pairing_spread(const netdp_pairing *pairing);

/* The noises n_w of a node's `degree` pairs, given its own in sum, u - kappa sum n_w, have covariance
 * I - kappa^2 / (1 + kappa^2 degree) 11^T: the square of I - share 11^T. kappa is in units of own noise. */
double netdp_i_pairing_share(double kappa, int32_t degree);

/* I + kappa^2 L of `count` nodes alone, without the pairs that they have with others: place[v] is the
 * number of node v among them, below 0: not one; noise [count][count], the lower triangle of its
 * columns. */
void netdp_i_paired_noise(const netdp_pairing *pairing, const int32_t *place, int32_t count,
                          double *noise);

#endif

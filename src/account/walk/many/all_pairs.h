/*
 * The mixture over paths for many pairs of a walk on a graph without symmetry, at one noise and one
 * delta: what does not depend on the pair is made once, and a pair takes a fraction of a millisecond
 * (docs/proofs/excursion.md, all pairs). Answers are upper bounds, a little above those of
 * netdp_i_mixture_law.
 */
#ifndef NETDP_I_ALL_PAIRS_H
#define NETDP_I_ALL_PAIRS_H

#include <netdp/account.h>
#include <netdp/protocol.h>

typedef struct netdp_i_all_pairs_asked {
    const netdp_token *token;
    double rate; /* -ln of what a step contracts (spread.h) */
    double sigma, delta;
    double top; /* epsilon by local differential privacy */
} netdp_i_all_pairs_asked;

/*
 * Is it made for such walks, and worth it: so many pairs, of nodes that differ? Looks at the first
 * returns of the nodes.
 */
netdp_status netdp_i_all_pairs_fit(const netdp_i_all_pairs_asked *asked, const netdp_losses *losses,
                                   bool *fit, netdp_error *error);

/* Fills losses->loss of the pairs that count. *made is false, and nothing is, where it is not made for that walk. */
netdp_status netdp_i_all_pairs(const netdp_i_all_pairs_asked *asked, netdp_losses *losses,
                               bool *made, const netdp_progress *progress, netdp_error *error);

#endif

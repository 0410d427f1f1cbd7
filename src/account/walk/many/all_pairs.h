/*
 * The mixture over paths for many pairs of a walk on a graph without symmetry: what does not depend on
 * the pair is made once, and a pair takes a fraction of a millisecond (docs/proofs/excursion.md, all
 * pairs). Answers are upper bounds; how near they come depends on the pairs that are asked together.
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

/* Kept for another noise: of up to some hundred thousand pairs their means, whatever the noise. */
typedef struct netdp_i_all_pairs netdp_i_all_pairs;

/*
 * Is it made for such walks, and worth it: so many pairs, of nodes that differ? Looks at the first
 * returns of the nodes.
 */
netdp_status netdp_i_all_pairs_fit(const netdp_i_all_pairs_asked *asked, const netdp_losses *losses,
                                   bool *fit, netdp_error *error);

/* *all is NULL, and nothing is made, where it is not made for that walk. The token and losses are borrowed. */
netdp_status netdp_i_all_pairs_new(const netdp_i_all_pairs_asked *asked, netdp_losses *losses,
                                   netdp_i_all_pairs **all, const netdp_progress *progress,
                                   netdp_error *error);
void netdp_i_all_pairs_free(netdp_i_all_pairs *all);

/* Fills losses->loss of the pairs that count, at that sigma, delta and top. */
netdp_status netdp_i_all_pairs_at(netdp_i_all_pairs *all, const netdp_i_all_pairs_asked *asked,
                                  const netdp_progress *progress, netdp_error *error);

#endif

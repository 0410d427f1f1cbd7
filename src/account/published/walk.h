/*
 * The published bounds on walks (paper A): computed as printed, labelled, never a default. They add
 * up contributions that one visit of the observer sees together, and are not upper bounds (errata
 * 11); they hold for one contribution, W symmetric, no final release.
 */
#ifndef NETDP_I_PUBLISHED_WALK_H
#define NETDP_I_PUBLISHED_WALK_H

#include <netdp/status.h>
#include <netdp/protocol.h>

#include "base/try.h"

typedef enum netdp_i_walk_form {
    NETDP_I_WALK_SUM, /* Lemma 2: sum_{t <= T} (W^t)_uv / t */
    NETDP_I_WALK_LOG, /* Theorem 3: ln T / n - ln(I - W + 11'/n)_uv; at most NETDP_DENSE_NODES */
} netdp_i_walk_form;

/* What all observers of a token share; any number of threads may ask for columns. */
typedef struct netdp_i_walk_published netdp_i_walk_published;

/*
 * `known_sender`: the observer knows who sent the token, so that each of its neighbours stands in
 * for it and the worst counts (Appendix B.1; unnecessary, errata 12). The token is borrowed.
 * NETDP_INVALID where its law is not symmetric, where it releases the final model, or where
 * Theorem 3 has too many nodes.
 */
netdp_status netdp_i_walk_published_new(const netdp_token *token, netdp_i_walk_form form,
                                        bool known_sender, netdp_i_walk_published **published,
                                        netdp_error *error);
void netdp_i_walk_published_free(netdp_i_walk_published *published);
OWNER(netdp_i_walk_published_free, netdp_i_walk_published)

/*
 * Unit-free column of one observer set, unit [nodes], never below 0: of one contribution, to be
 * multiplied by alpha / sigma^2; the sum over the set's members (Appendix D). INFINITY at members.
 */
netdp_status netdp_i_walk_published_column(const netdp_i_walk_published *published,
                                           const int32_t *members, int32_t count, double *unit,
                                           const netdp_progress *progress, netdp_error *error);

/* N_u: the cap, else T/n. */
double netdp_i_walk_contributions(const netdp_token *token);

/* N_u unit / sigma^2: of the whole walk, to be multiplied by alpha; whatever the papers' range. */
double netdp_i_walk_published_slope(const netdp_token *token, double unit, double sigma);

/*
 * Renyi epsilon of the whole walk, N_u (alpha / sigma^2) unit: INFINITY where sigma^2 < 2 alpha
 * (alpha - 1), outside of which the papers claim nothing.
 */
double netdp_i_walk_published_value(const netdp_token *token, double unit, double alpha,
                                    double sigma);

/*
 * The same as epsilon at delta, for all tokens: the least over the orders of which the papers claim
 * something at this sigma; INFINITY where unit is.
 */
netdp_status netdp_i_walk_published_epsilon(const netdp_token *token, double unit, double sigma,
                                            double delta, double *epsilon, netdp_error *error);

#endif

/*
 * The exact accountant where W changes from round to round: the same Kalman filter, in node
 * coordinates, with the realised W_t, view and noise of every round.
 */
#ifndef NETDP_I_CHANGING_H
#define NETDP_I_CHANGING_H

#include <netdp/account.h>

#include "account/losses/losses.h"
#include "account/observe/gain.h"
#include "base/pool.h"
#include "base/try.h"

/* An observer set of a changing network: whom it sees depends on the round. */
typedef struct netdp_i_watcher {
    netdp_sees sees; /* neighbours or sum */
    bool quiet;      /* the members' noise is known and hides nothing */
    bool own_counts; /* one quiet member, whose own noise and pairs are known in sum only */
    int32_t count;
    const int32_t *member;
} netdp_i_watcher;

typedef struct netdp_i_changing {
    const netdp_linear *protocol;
    netdp_sequence *sequence;
    netdp_round round; /* the one at hand */
    int32_t nodes, columns;
    bool factored;   /* P = C C^T is carried as C, for small dithers */
    bool sums;       /* the members see their own states, not their neighbours' */
    bool own_counts; /* what one member knows of its pairs is a sum */
    double spread;   /* the most that a standard deviation of P is: rounding is in parts of it */
    int32_t width;   /* columns of C */
    bool *member, *quiet, *marked; /* [nodes] */
    const int32_t *members;
    int32_t member_count;
    double *p;             /* P [nodes][nodes]; or C, nodes x 2 nodes column-major */
    double *e;             /* [nodes][columns]: response of the state to each contribution */
    int32_t used;          /* columns of it that may be other than 0 */
    double *w;             /* [rank][columns]: the whitened innovation's response; the rows behind
                            * them are what is not resolved tells at most */
    netdp_i_gain gain;     /* of the round at hand, its rank too; of room for all nodes */
    bool *told;            /* [columns]: a response left the range: infinite loss */
    int32_t *seen, *draws; /* [nodes]; who draws noise */
    int32_t seen_count;
    double *fresh; /* [nodes]: noise that the node drew in the round at hand */
    double *reach; /* [nodes]: of members, the fresh noise of others that came with the last sum */
    double *image, *work; /* scratch */
    netdp_i_pool pool;
} netdp_i_changing;

/* `columns` responses are carried. At most NETDP_DENSE_NODES nodes: NETDP_NO_ANSWER above. */
netdp_status netdp_i_changing_new(const netdp_linear *protocol, const netdp_i_watcher *watcher,
                                  int32_t columns, netdp_i_changing *made, netdp_error *error);
void netdp_i_changing_clear(netdp_i_changing *changing);

/*
 * Begins at round t, with everything before it known: every node that contributes (or sends) has
 * noise `noise`, all responses are 0.
 */
netdp_status netdp_i_changing_begin(netdp_i_changing *changing, int64_t t, double noise,
                                    netdp_error *error);

/* Does this node contribute in the round at hand? */
bool netdp_i_changing_contributes(const netdp_i_changing *changing, int64_t t, int32_t node);

/* e[node][column] += amount; `used` grows with it. */
void netdp_i_changing_contribute(netdp_i_changing *changing, int32_t node, int32_t column,
                                 double amount);

/* What the observers see in the round at hand: fills w and its rank; learns from it. */
netdp_status netdp_i_changing_observe(netdp_i_changing *changing, netdp_error *error);

/* Mixes, and goes to round t with this noise. */
netdp_status netdp_i_changing_predict(netdp_i_changing *changing, int64_t t, double noise,
                                      netdp_error *error);

/*
 * Mixes the last round and sees the states: of the members (`all` false) without new noise, or of
 * all nodes, each under a noise `dither` that only the members know. Fills w; the filter is spent.
 */
netdp_status netdp_i_changing_last(netdp_i_changing *changing, bool all, double dither,
                                   netdp_error *error);

/*
 * of->loss[i] of node of->node[i] towards the watcher: of one contribution exactly; of several the bound,
 * or the pattern's value; of learning (NETDP_BOUND_PHASE_RELEASE) the sum over its phases.
 */
netdp_status netdp_i_changing_loss(const netdp_linear *protocol, const netdp_i_watcher *watcher,
                                   netdp_bound bound, const double *pattern,
                                   const netdp_i_sources *of, const netdp_progress *progress,
                                   netdp_error *error);

/*
 * The same, proven (docs/proofs/shift.md): of one contribution, or of phases with an end
 * dither; without acceleration, where every node contributes.
 */
netdp_status netdp_i_changing_proven(const netdp_linear *protocol, const netdp_i_watcher *watcher,
                                     const netdp_i_sources *of, const netdp_progress *progress,
                                     netdp_error *error);

#endif

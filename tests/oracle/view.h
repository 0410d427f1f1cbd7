/*
 * What a view tells, in many bits: the view of linear gossip as a Gaussian vector, taken in number by number (MPFR). Shares
 * nothing with the library but W.
 */
#ifndef NETDP_TEST_VIEW_H
#define NETDP_TEST_VIEW_H

#include <netdp/graph.h>
#include <netdp/mixing.h>
#include <stdbool.h>

/* All arrays are borrowed. */
typedef struct view {
    int32_t nodes;
    int64_t rounds;
    const netdp_rows *rows; /* [rounds]: W_t */
    const double *noise;    /* [rounds] */
    const bool *draws;      /* [rounds][nodes]: whose fresh noise the observer does not know */
    const bool *seen;       /* [rounds][nodes]: whose message it sees */
    const bool *last;       /* [nodes]: whose state after the last round it sees */
    double release; /* above 0: of all others the state after the last round, under this noise */
    const bool *exempt;    /* [nodes]: of whom it does not */
    double weight;         /* above 0: of accelerated rounds */
    int64_t pairs;         /* of nodes that share noise which the observer does not know */
    const int32_t *pair;   /* [pairs][2] */
    double pair_noise;     /* its standard deviation */
    const bool *shares;    /* [rounds]: is it drawn? */
    int32_t contributions; /* of one node each */
    const int64_t *when;   /* [contributions] */
    const int32_t *node;   /* [contributions] */
} view;

/*
 * told[k]: the loss of contribution k alone, rounded down; INFINITY where it is told without noise. With `products` told[k][l] of
 * all pairs of contributions, to nearest.
 */
void view_tells(const view *v, int bits, bool products, double *told);

/* The most that signs make of M [slots][slots]; slots: at most 31. */
double view_best_signs(const double *m, int32_t slots);

#endif

/* Losses as a reader wants them: every pair with its distance, in the asked currency. */
#ifndef NETDP_I_PAIRS_H
#define NETDP_I_PAIRS_H

#include <stdio.h>

#include "account/losses/losses.h"

typedef struct netdp_i_pairs {
    const netdp_graph *graph;
    netdp_i_batch batch;
    netdp_unit unit;
    double *value;     /* [count][from], like batch.loss; INFINITY where no pair counts */
    int32_t *distance; /* [count][from], to the nearest member of a coalition; NULL: not asked */
} netdp_i_pairs;

/* Pairs at one distance. */
typedef struct netdp_i_class {
    int32_t distance; /* from netdp_i_classes_end on */
    int64_t pairs;
    double least, mean, most; /* mean: the sum until netdp_i_classes_end */
} netdp_i_class;

/* Borrows graph and batch. */
netdp_status netdp_i_pairs_new(const netdp_graph *graph, const netdp_i_batch *batch, bool distances,
                               double noise, netdp_unit unit, const netdp_progress *progress,
                               netdp_i_pairs *pairs, netdp_error *error);
void netdp_i_pairs_clear(netdp_i_pairs *pairs);

/*
 * classes[distance] for distances 0 .. nodes, zeroed to begin with and where there is no pair:
 * batches are added in their order, then the sums become means.
 */
void netdp_i_classes_add(netdp_i_class *classes, const netdp_i_pairs *pairs);
void netdp_i_classes_end(netdp_i_class *classes, int32_t nodes);

/*
 * from,to,distance,loss and, in another currency, mu or epsilon; a coalition's members by spaces.
 * Walks have no loss: from,to,distance,epsilon. Observer by observer; the places first .. end-1 of
 * value[count][from].
 */
void netdp_i_pairs_csv_begin(FILE *out, const netdp_losses *losses, netdp_unit unit);
void netdp_i_pairs_csv(FILE *out, const netdp_i_pairs *pairs, int64_t first, int64_t end);

#endif

/* Losses as a reader wants them: every pair with its distance, in the asked currency. */
#ifndef NETDP_I_PAIRS_H
#define NETDP_I_PAIRS_H

#include <netdp/account.h>

typedef struct netdp_i_pairs {
    const netdp_graph *graph;
    const netdp_losses *losses;
    double noise;
    netdp_unit unit;
    double *value;     /* [to][from], like losses->loss */
    int32_t *distance; /* [to][from], to the nearest member of a coalition */
} netdp_i_pairs;

/* Pairs at one distance. */
typedef struct netdp_i_class {
    int64_t pairs;
    double least, mean, most;
} netdp_i_class;

/* Borrows graph and losses. */
netdp_status netdp_i_pairs_new(const netdp_graph *graph, const netdp_losses *losses, double noise,
                               netdp_unit unit, const netdp_progress *progress,
                               netdp_i_pairs *pairs, netdp_error *error);
void netdp_i_pairs_clear(netdp_i_pairs *pairs);

/* classes[distance] for distances 0 .. nodes; zeroed where there is no pair. To be freed. */
netdp_status netdp_i_pairs_classes(const netdp_i_pairs *pairs, netdp_i_class **classes,
                                   netdp_error *error);

/*
 * from,to,distance,loss and, in another currency, mu or epsilon; a coalition's members by spaces.
 * Walks have no loss: from,to,distance,epsilon.
 */
netdp_status netdp_i_pairs_write_csv(const netdp_i_pairs *pairs, const char *path,
                                     netdp_error *error);

/* `matrix` (value, or losses->loss) turned to [from][to], infinity where a pair does not count. */
netdp_status netdp_i_pairs_write_npy(const netdp_i_pairs *pairs, const double *matrix,
                                     const char *path, netdp_error *error);

#endif

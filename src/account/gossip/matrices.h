/*
 * M of every node's contributions c towards one observer, whose loss is c^T M c: M_kl is the inner
 * product of the innovations' responses to contributions k and l over all rounds.
 */
#ifndef NETDP_I_MATRICES_H
#define NETDP_I_MATRICES_H

#include "account/observe/ages.h"
#include "account/observe/retrace.h"
#include "base/try.h"

/* The responses of some nodes, and the scratch for one M at a time. */
typedef struct netdp_i_matrices netdp_i_matrices;

/* Bytes that one node takes. */
double netdp_i_matrices_bytes(const netdp_linear *protocol, const netdp_i_ages *shown,
                              int32_t seen);

netdp_status netdp_i_matrices_new(const netdp_linear *protocol, const netdp_i_gains *gains,
                                  const netdp_i_ages *shown, const int32_t *from, int32_t nodes,
                                  netdp_i_matrices **matrices, const netdp_progress *progress,
                                  netdp_error *error);
void netdp_i_matrices_free(netdp_i_matrices *matrices);
OWNER(netdp_i_matrices_free, netdp_i_matrices)

/* The same from rows that are followed backwards, for many nodes together: nothing is asked of their states. *lengths:
 * the Frobenius norms of all rows that are followed, added up over the rounds up to the first steady one. */
netdp_status netdp_i_matrices_retraced(const netdp_linear *protocol, const netdp_i_retrace *retrace,
                                       const int32_t *from, int32_t nodes,
                                       netdp_i_matrices **matrices, double *lengths,
                                       const netdp_progress *progress, netdp_error *error);

/* Bytes that one node takes so. */
double netdp_i_matrices_retraced_bytes(const netdp_linear *protocol,
                                       const netdp_i_retrace *retrace);

/* M of from[node] into m[slots][slots], the lower triangle of its columns; slots: how many rounds
 * take contributions. By several threads at once where the rows were followed backwards. */
void netdp_i_matrices_fill(netdp_i_matrices *matrices, int32_t node, int thread, double *m);

/* The same without what the last sum shows; of that the lengths, last[slots]: 0 where there is none. */
void netdp_i_matrices_apart(netdp_i_matrices *matrices, int32_t node, int thread, double *m,
                            double *last);

/*
 * Lengths of the states E of a node's early contributions: over rounds before the gain is steady,
 * root of the sum of squares, and in the first steady round; each summed over contributions.
 */
typedef struct netdp_i_states {
    double before, there;
} netdp_i_states;

netdp_i_states netdp_i_matrices_states(const netdp_i_matrices *matrices, int32_t node);

/* Did a response of the node leave the range of Sigma? Then its loss is infinite. */
bool netdp_i_matrices_told(const netdp_i_matrices *matrices, int32_t node);

#endif

/*
 * What the innovations show of an input at any node, for all nodes at once: the rows of an innovation of round tau are
 * followed backwards, X <- X A_s with A_s = W (I - gain L^{-1} S) from round s + 1 to round s, in the network's nodes
 * and with the sparse W. Of Z = X W all nodes but the seen ones keep their part, and at these X = - Z kappa, kappa =
 * gain L^{-1} elsewhere: S gain = L makes what they bring themselves cancel exactly.
 */
#ifndef NETDP_I_RETRACE_H
#define NETDP_I_RETRACE_H

#include "account/observe/gains.h"

typedef struct netdp_i_retrace {
    const netdp_mixing *mixing;
    const netdp_i_gains *gains;
    const int32_t *seen; /* [width], borrowed */
    int32_t nodes, width;
    int64_t first, ages; /* as netdp_i_ages has them */
    double *kappa;       /* [gains->count][nodes][width], 0 at the seen nodes */
    double *
        begin; /* [gains->count + 1][width][width]: of each seen node L^{-1}; then the last sum's */
    double *rows;   /* [ages][nodes][width]: of the steady gain, by age */
    double *last;   /* the same by the last sum, were `age` the last round; or NULL */
    double largest; /* Frobenius norm of any kappa */
    double shown;   /* sum of the Frobenius norms of rows and of last */
} netdp_i_retrace;

/*
 * Does it cost less than to follow the states of so many sources? Rows take a step of W and a product with what is
 * seen, for each number that is seen; so does each source.
 */
bool netdp_i_retrace_serves(double degree, double seen, double sources);

/* NETDP_NO_MEMORY where the machine has too little. All observations must be of full rank, or tell nothing. */
netdp_status netdp_i_retrace_new(const netdp_linear *protocol, const netdp_i_observer *observer,
                                 const netdp_i_gains *gains, netdp_i_retrace *retrace,
                                 const netdp_progress *progress, netdp_error *error);
void netdp_i_retrace_clear(netdp_i_retrace *retrace);

/* A sum over the nodes is made of sums of so many products at most: their number, and how many are in each. */
int64_t netdp_i_retrace_terms(int64_t nodes);

/* Rows on their way back: of every node `count` numbers. */
typedef struct netdp_i_traces {
    int64_t count;
    double *x, *next;   /* [nodes][count] */
    double *sum, *part; /* [width][count] */
} netdp_i_traces;

netdp_status netdp_i_traces_new(const netdp_i_retrace *retrace, int64_t count,
                                netdp_i_traces *lines, netdp_error *error);
void netdp_i_traces_clear(netdp_i_traces *lines);

/* The rows of the innovation of `round` (gains->count: of the last sum) from line `at` on, which are 0. */
void netdp_i_traces_begin(const netdp_i_retrace *retrace, int64_t round, int64_t at,
                          netdp_i_traces *lines);

/* From round + 1 to `round`. */
void netdp_i_traces_back(const netdp_i_retrace *retrace, int64_t round, netdp_i_traces *lines);

/* The Frobenius norm, squared. */
double netdp_i_traces_square(const netdp_i_retrace *retrace, const netdp_i_traces *lines);

#endif

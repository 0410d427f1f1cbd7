/* Dense linear algebra on W: LAPACK and OpenBLAS on one thread, so that results do not depend on
   the number of threads; parallelise above it. */
#ifndef NETDP_I_DENSE_H
#define NETDP_I_DENSE_H

#include <netdp/mixing.h>

/* Puts OpenBLAS on one thread; call before any of its functions. Cheap after the first time. */
void netdp_i_dense_begin(void);

/* All eigenvalues of W ascending into values[nodes]; n^2 doubles of memory. */
netdp_status netdp_i_mixing_eigenvalues(const netdp_mixing *mixing, double *values,
                                        netdp_error *error);

/*
 * W = V diag(values) V': values[nodes] ascending, vector k at vectors + k * nodes. At most
 * NETDP_DENSE_NODES nodes, NETDP_INVALID above; 2 n^2 doubles of memory beside the result.
 */
netdp_status netdp_i_mixing_eigen(const netdp_mixing *mixing, double *values, double *vectors,
                                  netdp_error *error);

/* The symmetric matrix sqrt(W_uv W_vu) to which W is similar, W itself where that is symmetric. */
netdp_status netdp_i_mixing_similar(const netdp_mixing *mixing, double *matrix, netdp_error *error);

/* The same for any symmetric matrix[order][order], which is overwritten by the vectors. */
netdp_status netdp_i_symmetric_eigen(int32_t order, double *matrix, double *values,
                                     netdp_error *error);

/*
 * The smallest or the largest eigenvalue of the symmetric tridiagonal matrix diagonal[order],
 * beside[order - 1], and the last entry of its vector of length 1. Work and memory O(order).
 */
netdp_status netdp_i_tridiagonal_end(int32_t order, const double *diagonal, const double *beside,
                                     bool largest, double *value, double *last, netdp_error *error);

#endif

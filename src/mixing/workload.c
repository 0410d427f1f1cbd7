/*
 * What noise of each phase does to all models of decentralised learning, from moments alone:
 * tr((W^a)' W^b) for a, b = 1 .. N, by the eigenvalues of W, and their sums along diagonals. No matrix of
 * nodes times phases is ever made.
 */
#include <netdp/mixing.h>

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "mixing/dense.h"
#include "mixing/mixing.h"

/* kernel_ij = (U' D U)_ij (U' D^-1 U)_ij, D the degrees with oneself, U the eigenvectors of what W is
 * similar to, D^1/2 W D^-1/2, with which tr((W^a)' W^b) = sum_ij x_i^a x_j^b kernel_ij. */
static netdp_status fill_kernel(const netdp_graph *graph, const double *vectors, double *kernel,
                                netdp_error *error)
{
    const int64_t n = netdp_graph_nodes(graph);
    OWNED double *scaled = NETDP_I_NEW(double, n *n);
    OWNED double *other = NETDP_I_NEW(double, n *n);
    if (scaled == NULL || other == NULL)
        return netdp_i_no_memory(error);
    for (int power = 0; power < 2; power++) {
        for (int64_t k = 0; k < n; k++)
            for (int64_t u = 0; u < n; u++) {
                const double own = netdp_graph_degree(graph, (int32_t)u) + 1;
                scaled[k * n + u] = vectors[k * n + u] * (power == 0 ? own : 1 / own);
            }
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)n, (int)n, (int)n, 1, vectors,
                    (int)n, scaled, (int)n, 0, power == 0 ? kernel : other, (int)n);
    }
    for (int64_t i = 0; i < n * n; i++)
        kernel[i] *= other[i];
    return NETDP_OK;
}

/* gram_ab = tr((W^a)' W^b), a, b = 1 .. phases. kernel NULL: W is symmetric. */
static netdp_status fill_moments(const double *values, const double *kernel, int64_t nodes,
                                 int64_t phases, double *gram, netdp_error *error)
{
    OWNED double *power = NETDP_I_NEW(double, nodes *phases);
    OWNED double *image = kernel != NULL ? NETDP_I_NEW(double, nodes *phases) : NULL;
    if (power == NULL || (kernel != NULL && image == NULL))
        return netdp_i_no_memory(error);
    for (int64_t i = 0; i < nodes; i++)
        power[i] = values[i];
    for (int64_t a = 1; a < phases; a++)
        for (int64_t i = 0; i < nodes; i++)
            power[a * nodes + i] = power[(a - 1) * nodes + i] * values[i];
    if (kernel != NULL)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)nodes, (int)phases, (int)nodes,
                    1, kernel, (int)nodes, power, (int)nodes, 0, image, (int)nodes);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)phases, (int)phases, (int)nodes, 1,
                power, (int)nodes, image != NULL ? image : power, (int)nodes, 0, gram, (int)phases);
    return NETDP_OK;
}

/* Of moments to what each phase adds: sums along the diagonals, from the last phase back. */
static void sum_phases(double *gram, int64_t n)
{
    for (int64_t a = 1; a < n; a++)
        for (int64_t b = 1; b < n; b++)
            gram[a * n + b] += gram[(a - 1) * n + b - 1];
    for (int64_t i = 0; i < n * n / 2; i++) {
        const double swap = gram[i];
        gram[i] = gram[n * n - 1 - i];
        gram[n * n - 1 - i] = swap;
    }
}

netdp_status netdp_mixing_workload(const netdp_mixing *mixing, int64_t inner, int64_t phases,
                                   double *gram, netdp_error *error)
{
    NETDP_I_GIVEN(error, mixing && gram);
    const int64_t n = mixing->nodes;
    const bool skew = !mixing->symmetric;
    if (n > NETDP_DENSE_NODES || phases < 1 || inner < 1)
        return netdp_i_fail(error, NETDP_INVALID,
                            "the workload of decentralised learning needs all eigenvalues: 1 to %d "
                            "nodes, and 1 phase or more of 1 round or more",
                            NETDP_DENSE_NODES);
    netdp_i_dense_begin();
    OWNED double *values = NETDP_I_NEW(double, n);
    OWNED double *vectors = skew ? NETDP_I_NEW(double, n *n) : NULL;
    OWNED double *kernel = skew ? NETDP_I_NEW(double, n *n) : NULL;
    if (values == NULL || (skew && (vectors == NULL || kernel == NULL)))
        return netdp_i_no_memory(error);
    if (!skew)
        TRY(netdp_i_mixing_eigenvalues(mixing, values, error));
    else
        TRY(netdp_i_mixing_similar(mixing, vectors, error));
    if (skew)
        TRY(netdp_i_symmetric_eigen((int32_t)n, vectors, values, error));
    if (skew)
        TRY(fill_kernel(mixing->graph, vectors, kernel, error));
    for (int64_t i = 0; inner > 1 && i < n; i++)
        values[i] = pow(values[i], (double)inner);
    TRY(fill_moments(values, kernel, n, phases, gram, error));
    sum_phases(gram, phases);
    return NETDP_OK;
}

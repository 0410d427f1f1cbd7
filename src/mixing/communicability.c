/* Communicability: the exponential of the adjacency matrix or of W. */
#include <netdp/mixing.h>

#include <math.h>
#include <string.h>

#include <cblas.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "mixing/dense.h"

/* An eigenvalue above has an exponential that overflows, or nearly. */
#define STEEPEST 700.0

/*
 * `matrix` holds the eigenvectors V in columns of `n`: exp = B B' with B = V exp(diag / 2), from
 * `scaled` [n * n].
 */
static void multiply_out(int32_t n, const double *values, double *scaled, double *matrix)
{
    for (int64_t k = 0; k < n; k++) {
        const double root = exp(values[k] / 2);
        for (int64_t u = 0; u < n; u++)
            scaled[k * n + u] *= root;
    }
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, n, 1.0, scaled, n, 0.0, matrix, n);
    for (int64_t u = 0; u < n; u++) {
        for (int64_t v = u; v < n; v++) {
            matrix[u * n + v] = fmax(0, matrix[u * n + v]); /* rounding of what is nearly 0 */
            matrix[v * n + u] = matrix[u * n + v];
        }
    }
}

static netdp_status check_nodes(int32_t nodes, netdp_error *error)
{
    if (nodes <= NETDP_DENSE_NODES)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID,
                        "communicability of %d nodes; it is computed for up to %d, choose a "
                        "smaller graph",
                        (int)nodes, NETDP_DENSE_NODES);
}

/* Of A, whose exponential must not overflow. */
static netdp_status adjacency_eigen(const netdp_graph *graph, double *values, double *vectors,
                                    netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(graph);
    for (int32_t u = 0; u < n; u++)
        for (int32_t k = 0; k < netdp_graph_degree(graph, u); k++)
            vectors[(int64_t)u * n + netdp_graph_neighbours(graph, u)[k]] = 1;
    TRY(netdp_i_symmetric_eigen(n, vectors, values, error));
    if (values[n - 1] > STEEPEST)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "communicability: exp(A) overflows, the largest eigenvalue of A is "
                            "%.6g; take that of the mixing matrix",
                            values[n - 1]);
    return NETDP_OK;
}

/* The exponential of W, or where that is NULL of A. */
static netdp_status communicate(const netdp_graph *graph, const netdp_mixing *mixing,
                                double *matrix, netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(graph);
    TRY(check_nodes(n, error));
    if (n == 0)
        return NETDP_OK;
    OWNED double *values = NETDP_I_NEW(double, n);
    OWNED double *vectors = NETDP_I_NEW(double, (int64_t)n *n);
    if (values == NULL || vectors == NULL)
        return netdp_i_no_memory(error);
    TRY(mixing != NULL ? netdp_i_mixing_eigen(mixing, values, vectors, error)
                       : adjacency_eigen(graph, values, vectors, error));
    multiply_out(n, values, vectors, matrix);
    return NETDP_OK;
}

netdp_status netdp_graph_communicability(const netdp_graph *graph, double *matrix,
                                         netdp_error *error)
{
    NETDP_I_GIVEN(error, graph && matrix);
    return communicate(graph, NULL, matrix, error);
}

netdp_status netdp_mixing_communicability(const netdp_mixing *mixing, double *matrix,
                                          netdp_error *error)
{
    NETDP_I_GIVEN(error, mixing && matrix);
    return communicate(netdp_mixing_graph(mixing), mixing, matrix, error);
}

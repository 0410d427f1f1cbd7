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
#include "mixing/dense.h"

/* A + I over the root of the degrees (with oneself) of both ends, which W = D^-1 (A + I) is similar to. */
static void fill_similar(const netdp_graph *graph, double *s)
{
    const int64_t n = netdp_graph_nodes(graph);
    for (int64_t u = 0; u < n; u++) {
        const double own = netdp_graph_degree(graph, (int32_t)u) + 1;
        s[u * n + u] = 1 / own;
        for (int32_t k = 0; k < netdp_graph_degree(graph, (int32_t)u); k++) {
            const int32_t v = netdp_graph_neighbours(graph, (int32_t)u)[k];
            s[u * n + v] = 1 / sqrt(own * (netdp_graph_degree(graph, v) + 1));
        }
    }
}

/* kernel_ij = (U' D U)_ij (U' D^-1 U)_ij, with which tr((W^a)' W^b) = sum_ij x_i^a x_j^b kernel_ij. */
static netdp_status fill_kernel(const netdp_graph *graph, const double *vectors, double *kernel,
                                netdp_error *error)
{
    const int64_t n = netdp_graph_nodes(graph);
    double *scaled = NETDP_I_NEW(double, n *n), *other = NETDP_I_NEW(double, n *n);
    netdp_status status = scaled == NULL || other == NULL ? netdp_i_no_memory(error) : NETDP_OK;
    for (int power = 0; status == NETDP_OK && power < 2; power++) {
        for (int64_t k = 0; k < n; k++)
            for (int64_t u = 0; u < n; u++) {
                const double own = netdp_graph_degree(graph, (int32_t)u) + 1;
                scaled[k * n + u] = vectors[k * n + u] * (power == 0 ? own : 1 / own);
            }
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)n, (int)n, (int)n, 1, vectors,
                    (int)n, scaled, (int)n, 0, power == 0 ? kernel : other, (int)n);
    }
    for (int64_t i = 0; status == NETDP_OK && i < n * n; i++)
        kernel[i] *= other[i];
    netdp_i_free(scaled);
    netdp_i_free(other);
    return status;
}

/* gram_ab = tr((W^a)' W^b), a, b = 1 .. phases. kernel NULL: W is symmetric. */
static netdp_status fill_moments(const double *values, const double *kernel, int64_t nodes,
                                 int64_t phases, double *gram, netdp_error *error)
{
    double *power = NETDP_I_NEW(double, nodes *phases);
    double *image = kernel != NULL ? NETDP_I_NEW(double, nodes *phases) : NULL;
    netdp_status status = NETDP_OK;
    if (power == NULL || (kernel != NULL && image == NULL)) {
        status = netdp_i_no_memory(error);
        goto done;
    }
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
done:
    netdp_i_free(power);
    netdp_i_free(image);
    return status;
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

netdp_status netdp_graph_workload(const netdp_graph *graph, const netdp_mixing *mixing,
                                  int64_t phases, double *gram, netdp_error *error)
{
    const int64_t n = netdp_graph_nodes(graph);
    if (n < 1 || n > NETDP_DENSE_NODES || phases < 1)
        return netdp_i_fail(error, NETDP_INVALID,
                            "the workload of decentralised learning needs all eigenvalues: 1 to %d "
                            "nodes, and 1 phase or more",
                            NETDP_DENSE_NODES);
    double *values = NETDP_I_NEW(double, n);
    double *vectors = mixing == NULL ? NETDP_I_NEW(double, n *n) : NULL;
    double *kernel = mixing == NULL ? NETDP_I_NEW(double, n *n) : NULL;
    netdp_status status = NETDP_OK;
    if (values == NULL || (mixing == NULL && (vectors == NULL || kernel == NULL)))
        status = netdp_i_no_memory(error);
    if (status == NETDP_OK && mixing != NULL)
        status = netdp_i_mixing_eigenvalues(mixing, values, error);
    if (status == NETDP_OK && mixing == NULL) {
        fill_similar(graph, vectors);
        status = netdp_i_symmetric_eigen((int32_t)n, vectors, values, error);
        if (status == NETDP_OK)
            status = fill_kernel(graph, vectors, kernel, error);
    }
    if (status == NETDP_OK)
        status = fill_moments(values, kernel, n, phases, gram, error);
    if (status == NETDP_OK)
        sum_phases(gram, phases);
    netdp_i_free(values);
    netdp_i_free(vectors);
    netdp_i_free(kernel);
    return status;
}

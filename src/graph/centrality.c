/* Centralities of nodes: Katz by conjugate gradients, the leading eigenvector by igraph. */
#include <netdp/graph.h>

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "graph/igraph/borrow.h"
#include "graph/graph.h"

/* Steps of conjugate gradients, far more than a number below 1/lambda_max asks for. */
enum { MOST_STEPS = 100000 };

/* Residual, in parts of the right side, at which a system is solved. */
#define SOLVED 1e-15

void netdp_degree_centrality(const netdp_graph *graph, double *degree)
{
    for (int32_t v = 0; v < graph->nodes; v++)
        degree[v] = netdp_graph_degree(graph, v);
}

static igraph_error_t copy_edges(const netdp_graph *graph, igraph_t *copy)
{
    igraph_vector_int_t edges;
    igraph_integer_t at = 0;
    igraph_error_t code = igraph_vector_int_init(&edges, 2 * netdp_graph_edges(graph));
    if (code != IGRAPH_SUCCESS)
        return code;
    for (int32_t u = 0; u < graph->nodes; u++) {
        for (int64_t i = graph->start[u]; i < graph->start[u + 1]; i++) {
            if (graph->neighbour[i] < u)
                continue;
            VECTOR(edges)[at++] = u;
            VECTOR(edges)[at++] = graph->neighbour[i];
        }
    }
    code = igraph_create(copy, &edges, graph->nodes, IGRAPH_UNDIRECTED);
    igraph_vector_int_destroy(&edges);
    return code;
}

static igraph_error_t largest_pair(const netdp_graph *graph, igraph_vector_t *vector, double *value)
{
    igraph_t copy;
    igraph_arpack_options_t options;
    igraph_error_t code = copy_edges(graph, &copy);
    if (code != IGRAPH_SUCCESS)
        return code;
    igraph_arpack_options_init(&options);
    options.mxiter = 100000;
    code = igraph_eigenvector_centrality(&copy, vector, value, IGRAPH_UNDIRECTED, false, NULL,
                                         &options);
    igraph_destroy(&copy);
    return code;
}

/* lambda_max(A), and its eigenvector into vector[nodes] of 2-norm 1; at least one edge. */
static netdp_status find_largest(const netdp_graph *graph, double *vector, double *value,
                                 netdp_error *error)
{
    netdp_i_igraph old;
    igraph_vector_t found;
    double square = 0;
    TRY(netdp_i_igraph_take(&old, error));
    netdp_status status = NETDP_OK;
    igraph_error_t code = igraph_vector_init(&found, 0);
    if (code == IGRAPH_SUCCESS) {
        code = largest_pair(graph, &found, value);
        for (int32_t v = 0; v < graph->nodes && code == IGRAPH_SUCCESS; v++) {
            vector[v] = fabs(VECTOR(found)[v]);
            square += vector[v] * vector[v];
        }
        igraph_vector_destroy(&found);
    }
    if (code == IGRAPH_ENOMEM)
        status = netdp_i_no_memory(error);
    else if (code != IGRAPH_SUCCESS)
        status = netdp_i_fail(error, NETDP_NO_ANSWER,
                              "the largest eigenvalue of A was not found (%s); try a smaller graph",
                              netdp_i_igraph_reason());
    netdp_i_igraph_give_back(&old);
    TRY(status);
    for (int32_t v = 0; v < graph->nodes; v++)
        vector[v] /= sqrt(square);
    return NETDP_OK;
}

netdp_status netdp_graph_largest_eigenvalue(const netdp_graph *graph, double *value,
                                            netdp_error *error)
{
    NETDP_I_GIVEN(error, graph && value);
    double found = 0;
    if (netdp_graph_edges(graph) > 0) {
        OWNED double *vector = NETDP_I_NEW(double, graph->nodes);
        if (vector == NULL)
            return netdp_i_no_memory(error);
        TRY(find_largest(graph, vector, &found, error));
    }
    *value = found;
    return NETDP_OK;
}

netdp_status netdp_eigenvector_centrality(const netdp_graph *graph, double *vector,
                                          netdp_error *error)
{
    NETDP_I_GIVEN(error, graph && vector);
    int32_t components = 0;
    bool bipartite;
    double value;
    TRY(netdp_graph_shape(graph, &components, &bipartite, error));
    if (components != 1)
        return netdp_i_fail(error, NETDP_INVALID,
                            "eigenvector centrality: the graph has %d components; connect it, or "
                            "keep the largest component",
                            (int)components);
    if (graph->nodes == 1) {
        vector[0] = 1;
        return NETDP_OK;
    }
    OWNED double *found = NETDP_I_NEW(double, graph->nodes);
    if (found == NULL)
        return netdp_i_no_memory(error);
    TRY(find_largest(graph, found, &value, error));
    memcpy(vector, found, (size_t)graph->nodes * sizeof *vector);
    return NETDP_OK;
}

/* y = (I - a A) x */
static void attenuate(const netdp_graph *graph, double a, const double *x, double *y)
{
    for (int32_t u = 0; u < graph->nodes; u++) {
        double sum = 0;
        for (int64_t i = graph->start[u]; i < graph->start[u + 1]; i++)
            sum += x[graph->neighbour[i]];
        y[u] = x[u] - a * sum;
    }
}

static double dot(const double *x, const double *y, int32_t n)
{
    double sum = 0;
    for (int32_t v = 0; v < n; v++)
        sum += x[v] * y[v];
    return sum;
}

/* (I - a A) x = 1 by conjugate gradients: positive definite for a < 1/lambda_max. */
static netdp_status solve(const netdp_graph *graph, double a, double *x, double *scratch,
                          netdp_error *error)
{
    const int32_t n = graph->nodes;
    double *residual = scratch, *search = scratch + n, *image = scratch + 2 * (int64_t)n;
    for (int32_t v = 0; v < n; v++) {
        x[v] = 0;
        residual[v] = search[v] = 1;
    }
    double square = n;
    for (int step = 0; square > SOLVED * SOLVED * n; step++) {
        if (step == MOST_STEPS)
            return netdp_i_fail(error, NETDP_NO_ANSWER,
                                "Katz centrality: attenuation %.17g is too close to 1/lambda_max; "
                                "give a smaller one",
                                a);
        attenuate(graph, a, search, image);
        const double length = square / dot(search, image, n);
        for (int32_t v = 0; v < n; v++) {
            x[v] += length * search[v];
            residual[v] -= length * image[v];
        }
        const double next = dot(residual, residual, n);
        for (int32_t v = 0; v < n; v++)
            search[v] = residual[v] + next / square * search[v];
        square = next;
    }
    return NETDP_OK;
}

netdp_status netdp_katz_centrality(const netdp_graph *graph, double attenuation, double *katz,
                                   netdp_error *error)
{
    NETDP_I_GIVEN(error, graph && katz);
    double largest = 0;
    TRY(netdp_graph_largest_eigenvalue(graph, &largest, error));
    if (!(attenuation >= 0 && attenuation * largest < 1))
        return netdp_i_fail(error, NETDP_INVALID,
                            "Katz centrality: attenuation %.17g; give a number from 0 to below "
                            "1/lambda_max = %.6g",
                            attenuation, 1 / largest);
    if (attenuation == 0)
        attenuation = largest > 0 ? 0.9 / largest : 0;
    OWNED double *scratch = NETDP_I_NEW(double, 4 * (int64_t)graph->nodes);
    if (scratch == NULL)
        return netdp_i_no_memory(error);
    TRY(solve(graph, attenuation, scratch, scratch + graph->nodes, error));
    memcpy(katz, scratch, (size_t)graph->nodes * sizeof *katz);
    return NETDP_OK;
}

/* Centralities and communicability against closed forms, power series and each other. */
#include "check.h"
#include "sweep.h"

#include <netdp/graph.h>
#include <netdp/mixing.h>

static netdp_error error;

static netdp_graph *make(const char *family)
{
    netdp_graph *graph = NULL;
    assert_ok(netdp_graph_make(family, 3, true, &graph, NULL, &error));
    return graph;
}

static double largest(const char *family)
{
    netdp_graph *graph = make(family);
    double value = -1;
    assert_ok(netdp_graph_largest_eigenvalue(graph, &value, &error));
    netdp_graph_free(graph);
    return value;
}

static void test_largest_eigenvalue(void **state)
{
    (void)state;
    assert_close(largest("complete 20"), 19, 0, 1e-12);
    assert_close(largest("complete 2"), 1, 0, 1e-12);
    assert_close(largest("ring 33"), 2, 0, 1e-12);
    assert_close(largest("star 30"), sqrt(29), 0, 1e-12);
    assert_close(largest("path 500"), 2 * cos(M_PI / 501), 0, 1e-12);
    assert_close(largest("hypercube 9"), 9, 0, 1e-12);
    netdp_graph *graph = NULL;
    double value = -1;
    assert_ok(netdp_graph_from_edges(4, NULL, 0, &graph, &error));
    assert_ok(netdp_graph_largest_eigenvalue(graph, &value, &error));
    assert_true(value == 0);
    netdp_graph_free(graph);
}

static void test_eigenvector(void **state)
{
    (void)state;
    static const char *const family[] = {"karate",   "davis",   "barabasi-albert 400 3",
                                         "grid 7 9", "star 50", "complete 2",
                                         "path 300"};
    for (size_t f = 0; f < 7; f++) {
        netdp_graph *graph = make(family[f]);
        const int32_t n = netdp_graph_nodes(graph);
        double *vector = calloc((size_t)n, sizeof *vector), value, square = 0;
        assert_ok(netdp_eigenvector_centrality(graph, vector, &error));
        assert_ok(netdp_graph_largest_eigenvalue(graph, &value, &error));
        for (int32_t u = 0; u < n; u++) {
            double sum = 0;
            for (int32_t k = 0; k < netdp_graph_degree(graph, u); k++)
                sum += vector[netdp_graph_neighbours(graph, u)[k]];
            assert_close(sum, value * vector[u], 1e-12, 0);
            assert_true(vector[u] > 0);
            square += vector[u] * vector[u];
        }
        assert_close(square, 1, 1e-13, 0);
        free(vector);
        netdp_graph_free(graph);
    }
    netdp_graph *graph = make("path 9"); /* sin(pi k / 10) */
    double vector[9];
    assert_ok(netdp_eigenvector_centrality(graph, vector, &error));
    for (int k = 0; k < 9; k++)
        assert_close(vector[k], sin(M_PI * (k + 1) / 10) / sqrt(5), 1e-13, 0);
    netdp_graph_free(graph);
    const int32_t edges[] = {0, 1, 2, 3};
    assert_ok(netdp_graph_from_edges(4, edges, 2, &graph, &error));
    assert_fails(netdp_eigenvector_centrality(graph, vector, &error), NETDP_INVALID);
    netdp_graph_free(graph);
    graph = make("complete 1");
    assert_ok(netdp_eigenvector_centrality(graph, vector, &error));
    assert_true(vector[0] == 1);
    netdp_graph_free(graph);
}

static void test_degree(void **state)
{
    (void)state;
    netdp_graph *graph = make("star 5");
    double degree[5];
    netdp_degree_centrality(graph, degree);
    assert_true(degree[0] == 4 && degree[1] == 1 && degree[4] == 1);
    netdp_graph_free(graph);
}

/* sum_{k >= 0} a^k A^k 1, term by term. */
static void katz_series(const netdp_graph *graph, double a, double *sum)
{
    const int32_t n = netdp_graph_nodes(graph);
    double *term = calloc((size_t)n, sizeof *term), *next = calloc((size_t)n, sizeof *next);
    for (int32_t u = 0; u < n; u++)
        sum[u] = term[u] = 1;
    for (int k = 1; k < 2000; k++) {
        for (int32_t u = 0; u < n; u++) {
            next[u] = 0;
            for (int32_t i = 0; i < netdp_graph_degree(graph, u); i++)
                next[u] += a * term[netdp_graph_neighbours(graph, u)[i]];
            sum[u] += next[u];
        }
        double *swap = term;
        term = next;
        next = swap;
    }
    free(term);
    free(next);
}

static void test_katz(void **state)
{
    (void)state;
    static const char *const family[] = {"karate", "florentine", "davis", "star 12", "path 40"};
    for (size_t f = 0; f < 5; f++) {
        netdp_graph *graph = make(family[f]);
        double value, katz[64], sum[64];
        assert_ok(netdp_graph_largest_eigenvalue(graph, &value, &error));
        for (int i = 0; i < 3; i++) { /* 0 stands for 0.9 / lambda_max */
            const double share[] = {0, 0.3, 0.98};
            assert_ok(netdp_katz_centrality(graph, share[i] / value, katz, &error));
            katz_series(graph, (i == 0 ? 0.9 : share[i]) / value, sum);
            for (int32_t u = 0; u < netdp_graph_nodes(graph); u++)
                assert_close(katz[u], sum[u], 0, 1e-11);
        }
        assert_fails(netdp_katz_centrality(graph, 1.01 / value, katz, &error), NETDP_INVALID);
        assert_fails(netdp_katz_centrality(graph, -0.1, katz, &error), NETDP_INVALID);
        assert_fails(netdp_katz_centrality(graph, NAN, katz, &error), NETDP_INVALID);
        netdp_graph_free(graph);
    }
    netdp_graph *graph = make("complete 11"); /* 1 / (1 - a (n-1)) */
    double katz[11];
    assert_ok(netdp_katz_centrality(graph, 0.05, katz, &error));
    for (int u = 0; u < 11; u++)
        assert_close(katz[u], 2, 0, 1e-13);
    netdp_graph_free(graph);
    assert_ok(netdp_graph_from_edges(3, NULL, 0, &graph, &error));
    assert_ok(netdp_katz_centrality(graph, 0, katz, &error));
    assert_true(katz[0] == 1 && katz[2] == 1);
    netdp_graph_free(graph);
}

/* sum_k M^k / k! of a dense matrix [n][n]. */
static void exponential_series(int32_t n, const double *m, double *sum)
{
    const size_t bytes = (size_t)n * (size_t)n * sizeof *sum;
    double *term = calloc(1, bytes), *next = calloc(1, bytes);
    memset(sum, 0, bytes);
    for (int32_t u = 0; u < n; u++)
        sum[u * n + u] = term[u * n + u] = 1;
    for (int k = 1; k < 120; k++) {
        for (int32_t u = 0; u < n; u++) {
            for (int32_t v = 0; v < n; v++) {
                next[u * n + v] = 0;
                for (int32_t w = 0; w < n; w++)
                    next[u * n + v] += term[u * n + w] * m[w * n + v] / k;
                sum[u * n + v] += next[u * n + v];
            }
        }
        double *swap = term;
        term = next;
        next = swap;
    }
    free(term);
    free(next);
}

static void test_communicability(void **state)
{
    (void)state;
    static const char *const family[] = {"karate", "davis", "path 20", "star 9", "complete 7"};
    for (size_t f = 0; f < 5; f++) {
        netdp_graph *graph = make(family[f]);
        netdp_mixing *mixing = NULL;
        const int32_t n = netdp_graph_nodes(graph);
        double *m = calloc((size_t)(n * n), sizeof *m), *want = calloc((size_t)(n * n), sizeof *m);
        double *got = calloc((size_t)(n * n), sizeof *m), peak = 0;
        for (int32_t u = 0; u < n; u++)
            for (int32_t k = 0; k < netdp_graph_degree(graph, u); k++)
                m[u * n + netdp_graph_neighbours(graph, u)[k]] = 1;
        exponential_series(n, m, want);
        assert_ok(netdp_graph_communicability(graph, got, &error));
        for (int32_t i = 0; i < n * n; i++)
            peak = fmax(peak, want[i]);
        for (int32_t i = 0; i < n * n; i++) {
            assert_close(got[i], want[i], 1e-14 * peak, 0);
            assert_true(got[i] >= 0);
            assert_true(got[i] == got[i % n * n + i / n]);
        }
        assert_ok(netdp_mixing_new(graph, "metropolis", &mixing, &error));
        const netdp_rows rows = netdp_mixing_rows(mixing);
        memset(m, 0, (size_t)(n * n) * sizeof *m);
        for (int32_t u = 0; u < n; u++)
            for (int64_t i = rows.start[u]; i < rows.start[u + 1]; i++)
                m[u * n + rows.column[i]] = rows.weight[i];
        exponential_series(n, m, want);
        assert_ok(netdp_mixing_communicability(mixing, got, &error));
        for (int32_t u = 0; u < n; u++) {
            double sum = 0;
            for (int32_t v = 0; v < n; v++) {
                assert_close(got[u * n + v], want[u * n + v], 1e-13, 0);
                assert_true(got[u * n + v] >= 0);
                sum += got[u * n + v];
            }
            assert_close(sum, M_E, 1e-13, 0); /* W 1 = 1 */
        }
        netdp_mixing_free(mixing);
        netdp_graph_free(graph);
        free(m);
        free(want);
        free(got);
    }
}

static void test_communicability_refuses(void **state)
{
    (void)state;
    netdp_graph *graph = make("complete 750");
    double *matrix = calloc(750 * 750, sizeof *matrix);
    assert_fails(netdp_graph_communicability(graph, matrix, &error), NETDP_NO_ANSWER);
    assert_true(matrix[0] == 0);
    netdp_graph_free(graph);
    graph = make("ring 4001");
    assert_fails(netdp_graph_communicability(graph, matrix, &error), NETDP_INVALID);
    netdp_graph_free(graph);
    free(matrix);
}

static netdp_status everything(const netdp_graph *graph, const netdp_mixing *mixing, double *room)
{
    netdp_status status = netdp_katz_centrality(graph, 0, room, &error);
    if (status == NETDP_OK)
        status = netdp_eigenvector_centrality(graph, room, &error);
    if (status == NETDP_OK)
        status = netdp_graph_communicability(graph, room, &error);
    if (status == NETDP_OK)
        status = netdp_mixing_communicability(mixing, room, &error);
    return status;
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    netdp_graph *graph = make("karate");
    netdp_mixing *mixing = NULL;
    double room[34 * 34];
    assert_ok(netdp_mixing_new(graph, "metropolis", &mixing, &error));
    for (sweep s = {.least = 8}; sweep_next(&s);)
        s.status = everything(graph, mixing, room);
    netdp_mixing_free(mixing);
    netdp_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_largest_eigenvalue),
        cmocka_unit_test(test_eigenvector),
        cmocka_unit_test(test_degree),
        cmocka_unit_test(test_katz),
        cmocka_unit_test(test_communicability),
        cmocka_unit_test(test_communicability_refuses),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

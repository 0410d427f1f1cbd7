/* Spectra against closed forms, golden values, each other, and the laws that they obey. */
#include "golden.h"

#include <netdp/mixing.h>
#include <netdp/random.h>

#include <omp.h>

#include "mixing/dense.h"

static netdp_error error;

static netdp_spectrum spectrum_of(const netdp_graph *graph, const char *weights,
                                  netdp_spectral_method method)
{
    netdp_mixing *mixing = NULL;
    netdp_spectrum spectrum;
    assert_ok(netdp_mixing_new(graph, weights, &mixing, &error));
    assert_ok(netdp_mixing_spectrum(mixing, method, &spectrum, &error));
    netdp_mixing_free(mixing);
    return spectrum;
}

static netdp_graph *make(const char *family)
{
    netdp_graph *graph = NULL;
    assert_ok(netdp_graph_make(family, 11, true, &graph, NULL, &error));
    return graph;
}

static netdp_spectrum family_spectrum(const char *family, const char *weights,
                                      netdp_spectral_method method)
{
    netdp_graph *graph = make(family);
    netdp_spectrum spectrum = spectrum_of(graph, weights, method);
    netdp_graph_free(graph);
    return spectrum;
}

static void test_closed_forms(void **state)
{
    (void)state;
    for (int method = NETDP_SPECTRAL_DENSE; method <= NETDP_SPECTRAL_LANCZOS; method++) {
        netdp_spectral_method how = (netdp_spectral_method)method;
        /* ring: 1/3 + 2/3 cos(2 pi k / n) */
        netdp_spectrum ring = family_spectrum("ring 60", "metropolis", how);
        assert_close(ring.second, 1 / 3.0 + 2 / 3.0 * cos(2 * M_PI / 60), 1e-12, 0);
        assert_close(ring.smallest, -1 / 3.0, 1e-12, 0);
        ring = family_spectrum("ring 61", "hamilton", how);
        assert_close(ring.second, cos(2 * M_PI / 61), 1e-12, 0);
        assert_close(ring.smallest, cos(M_PI * 60 / 61), 1e-12, 0);
        ring = family_spectrum("ring 60", "lazy:0.5:hamilton", how);
        assert_close(ring.second, 0.5 + 0.5 * cos(2 * M_PI / 60), 1e-12, 0);
        assert_close(ring.smallest, 0, 1e-12, 0);
        /* complete: all 0 */
        netdp_spectrum complete = family_spectrum("complete 40", "metropolis", how);
        assert_close(complete.second, 0, 1e-14, 0);
        assert_close(complete.gap, 1, 1e-14, 0);
        /* hypercube m: 1 - 2k/(m+1) */
        netdp_spectrum cube = family_spectrum("hypercube 7", "metropolis", how);
        assert_close(cube.second, 1 - 2 / 8.0, 1e-12, 0);
        assert_close(cube.smallest, 1 - 14 / 8.0, 1e-12, 0);
        assert_close(cube.gap, 0.25, 1e-12, 0);
        /* star n: 1 - 1/n on the leaves, 0 with the centre */
        netdp_spectrum star = family_spectrum("star 50", "metropolis", how);
        assert_close(star.second, 1 - 1 / 50.0, 1e-12, 0);
        assert_close(star.smallest, 0, 1e-12, 0);
        /* torus r c: 1/5 (1 + 2 cos + 2 cos) */
        netdp_spectrum torus = family_spectrum("torus 6 10", "metropolis", how);
        assert_close(torus.second, (3 + 2 * cos(2 * M_PI / 10)) / 5, 1e-12, 0);
        assert_close(torus.smallest, -3 / 5.0, 1e-12, 0);
        /* periodic and exact */
        netdp_spectrum even = family_spectrum("hypercube 5", "hamilton", how);
        assert_true(even.smallest == -1 && even.gap == 0);
    }
}

static void test_dense_and_lanczos_agree(void **state)
{
    (void)state;
    static const char *const family[] = {
        "hypercube 8",
        "ring 200",
        "torus 9 14",
        "davis",
        "karate",
        "regular 271 8",
        "erdos-renyi 400 0.02",
        "geometric 300 0.1",
        "barabasi-albert 400 3",
        "caveman 12 9",
        "path 150",
        "static-exponential 100",
        "path 3",
        "star 400",
        "erdos-renyi 700 c=1.1",
    };
    static const char *const weights[] = {"metropolis", "lazy:0.2:hamilton", "max-degree"};
    for (size_t f = 0; f < sizeof family / sizeof *family; f++) {
        netdp_graph *graph = make(family[f]);
        for (int w = 0; w < 3; w++) {
            netdp_spectrum dense = spectrum_of(graph, weights[w], NETDP_SPECTRAL_DENSE);
            netdp_spectrum lanczos = spectrum_of(graph, weights[w], NETDP_SPECTRAL_LANCZOS);
            assert_close(lanczos.second, dense.second, 1e-9, 0);
            assert_close(lanczos.smallest, dense.smallest, 1e-9, 0);
            assert_close(lanczos.gap, dense.gap, 1e-9, 0);
        }
        netdp_graph_free(graph);
    }
}

static void test_large_graphs_use_lanczos(void **state)
{
    (void)state;
    netdp_spectrum cube = family_spectrum("hypercube 13", "metropolis", NETDP_SPECTRAL_AUTO);
    assert_close(cube.second, 1 - 2 / 14.0, 1e-10, 0);
    assert_close(cube.smallest, 1 - 26 / 14.0, 1e-10, 0);
    int threads = omp_get_max_threads();
    netdp_spectrum one, three;
    omp_set_num_threads(1);
    one = family_spectrum("torus 60 70", "metropolis", NETDP_SPECTRAL_AUTO);
    omp_set_num_threads(3);
    three = family_spectrum("torus 60 70", "metropolis", NETDP_SPECTRAL_AUTO);
    omp_set_num_threads(threads);
    assert_close(one.second, (3 + 2 * cos(2 * M_PI / 70)) / 5, 1e-10, 0);
    assert_memory_equal(&one, &three, sizeof one);
    /* So large that threads share it; above 100,000 nodes, to a residual of 1e-7. */
    omp_set_num_threads(1);
    one = family_spectrum("regular 30000 6", "metropolis", NETDP_SPECTRAL_AUTO);
    omp_set_num_threads(3);
    three = family_spectrum("regular 30000 6", "metropolis", NETDP_SPECTRAL_AUTO);
    omp_set_num_threads(threads);
    assert_memory_equal(&one, &three, sizeof one);
    cube = family_spectrum("hypercube 17", "metropolis", NETDP_SPECTRAL_AUTO);
    assert_close(cube.second, 1 - 2 / 18.0, 1e-7, 0);
    assert_close(cube.smallest, 1 - 34 / 18.0, 1e-7, 0);
}

static void test_golden_values(void **state)
{
    (void)state;
    static const char *const graph[][2] = {{"hypercube5", "hypercube 5"},
                                           {"ring12", "ring 12"},
                                           {"davis", "davis"},
                                           {"florentine", "florentine"}};
    json_t *golden = load_golden("golden.json");
    for (size_t i = 0; i < 4; i++) {
        json_t *want = json_object_get(golden, graph[i][0]);
        assert_non_null(want);
        netdp_spectrum got = family_spectrum(graph[i][1], "metropolis", NETDP_SPECTRAL_AUTO);
        netdp_graph *made = make(graph[i][1]);
        assert_int_equal(netdp_graph_nodes(made),
                         json_integer_value(json_object_get(want, "nodes")));
        assert_int_equal(netdp_graph_edges(made),
                         json_integer_value(json_object_get(want, "edges")));
        assert_close(got.second, json_number_value(json_object_get(want, "lambda2")), 1e-10, 0);
        assert_close(got.smallest, json_number_value(json_object_get(want, "lambda_min")), 1e-10,
                     0);
        assert_close(got.gap, json_number_value(json_object_get(want, "spectral_gap")), 1e-10, 0);
        netdp_graph_free(made);
    }
    json_decref(golden);
}

/* Other numbers for the nodes: the same spectrum and mixing time. */
static void test_relabelling_changes_nothing(void **state)
{
    (void)state;
    netdp_graph *graph = make("barabasi-albert 120 3"), *shuffled = NULL;
    int32_t n = netdp_graph_nodes(graph), number[120];
    int32_t *edges = malloc((size_t)netdp_graph_edges(graph) * 2 * sizeof *edges);
    int64_t count = 0;
    netdp_stream stream = netdp_stream_at(1, NETDP_FOR_TEST, 0, 0);
    for (int32_t v = 0; v < n; v++) {
        int32_t other = (int32_t)netdp_stream_below(&stream, (uint64_t)v + 1);
        number[v] = number[other];
        number[other] = v;
    }
    for (int32_t u = 0; u < n; u++) {
        for (int32_t i = 0; i < netdp_graph_degree(graph, u); i++) {
            int32_t v = netdp_graph_neighbours(graph, u)[i];
            if (u < v) {
                edges[2 * count] = number[u];
                edges[2 * count++ + 1] = number[v];
            }
        }
    }
    assert_ok(netdp_graph_from_edges(n, edges, count, &shuffled, &error));
    netdp_spectrum a = spectrum_of(graph, "metropolis", NETDP_SPECTRAL_AUTO);
    netdp_spectrum b = spectrum_of(shuffled, "metropolis", NETDP_SPECTRAL_AUTO);
    assert_close(a.second, b.second, 1e-13, 0);
    assert_close(a.smallest, b.smallest, 1e-13, 0);
    int64_t time[2];
    netdp_graph *both[2] = {graph, shuffled};
    for (int i = 0; i < 2; i++) {
        netdp_mixing *mixing = NULL;
        assert_ok(netdp_mixing_new(both[i], "metropolis", &mixing, &error));
        assert_ok(netdp_mixing_time(mixing, 0.1, &time[i], &error));
        netdp_mixing_free(mixing);
    }
    assert_int_equal(time[0], time[1]);
    free(edges);
    netdp_graph_free(graph);
    netdp_graph_free(shuffled);
}

/* W V = V diag, V'V = I. */
static void test_eigenvectors(void **state)
{
    (void)state;
    netdp_graph *graph = make("karate");
    netdp_mixing *mixing = NULL;
    assert_ok(netdp_mixing_new(graph, "metropolis", &mixing, &error));
    enum { N = 34 };
    static double values[N], vectors[N * N], product[N];
    assert_ok(netdp_i_mixing_eigen(mixing, values, vectors, &error));
    for (int k = 0; k < N; k++) {
        netdp_mixing_apply(mixing, vectors + k * N, product, 1);
        assert_true(k == 0 || values[k - 1] <= values[k]);
        for (int v = 0; v < N; v++)
            assert_close(product[v], values[k] * vectors[k * N + v], 1e-14, 0);
        for (int j = 0; j < N; j++) {
            double dot = 0;
            for (int v = 0; v < N; v++)
                dot += vectors[k * N + v] * vectors[j * N + v];
            assert_close(dot, j == k, 1e-14, 0);
        }
    }
    assert_close(values[N - 1], 1, 1e-14, 0);
    netdp_mixing_free(mixing);
    netdp_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_dense_and_lanczos_agree),
        cmocka_unit_test(test_large_graphs_use_lanczos),
        cmocka_unit_test(test_golden_values),
        cmocka_unit_test(test_relabelling_changes_nothing),
        cmocka_unit_test(test_eigenvectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

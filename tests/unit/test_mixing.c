#include "check.h"
#include "sweep.h"

#include <netdp/mixing.h>
#include <netdp/random.h>

#include <omp.h>

#include "base/memory.h"
#include "graph/graph.h"
#include "mixing/alike.h"
#include "mixing/dense.h"
#include "mixing/mixing.h"

static netdp_error error;

/* A graph with its mixing; free both with drop(). */
struct pair {
    netdp_graph *graph;
    netdp_mixing *mixing;
};

static struct pair mix(const char *family, const char *weights)
{
    struct pair pair = {NULL, NULL};
    assert_ok(netdp_graph_make(family, 2, true, &pair.graph, NULL, &error));
    assert_ok(netdp_mixing_new(pair.graph, weights, &pair.mixing, &error));
    return pair;
}

static struct pair mix_list(const char *text, const char *weights)
{
    struct pair pair = {NULL, NULL};
    assert_ok(
        netdp_i_graph_parse(text, (int64_t)strlen(text), "list", false, &pair.graph, NULL, &error));
    assert_ok(netdp_mixing_new(pair.graph, weights, &pair.mixing, &error));
    return pair;
}

static void drop(struct pair pair)
{
    netdp_mixing_free(pair.mixing);
    netdp_graph_free(pair.graph);
}

static double entry(const netdp_mixing *mixing, int32_t u, int32_t v)
{
    netdp_rows rows = netdp_mixing_rows(mixing);
    for (int64_t i = rows.start[u]; i < rows.start[u + 1]; i++)
        if (rows.column[i] == v)
            return rows.weight[i];
    return 0;
}

static void test_weights_follow_their_formulas(void **state)
{
    (void)state;
    /* path 0-1-2: degrees 1, 2, 1 */
    static const struct {
        const char *weights;
        double edge, end, middle; /* W01, W00, W11 */
    } table[] = {
        {"metropolis", 1 / 3.0, 2 / 3.0, 1 / 3.0}, {"hamilton", 0.5, 0.5, 0},
        {"max-degree", 1 / 3.0, 2 / 3.0, 1 / 3.0}, {"lazy:0.5", 1 / 6.0, 5 / 6.0, 2 / 3.0},
        {"lazy:0.5:hamilton", 0.25, 0.75, 0.5},    {"lazy:0", 1 / 3.0, 2 / 3.0, 1 / 3.0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct pair path = mix("path 3", table[i].weights);
        assert_close(entry(path.mixing, 0, 1), table[i].edge, 1e-15, 0);
        assert_close(entry(path.mixing, 0, 0), table[i].end, 1e-15, 0);
        assert_close(entry(path.mixing, 1, 1), table[i].middle, 1e-15, 0);
        assert_string_equal(netdp_mixing_name(path.mixing), table[i].weights);
        assert_ptr_equal(netdp_mixing_graph(path.mixing), path.graph);
        drop(path);
    }
    struct pair all = mix("complete 7", "uniform");
    for (int32_t u = 0; u < 7; u++)
        for (int32_t v = 0; v < 7; v++)
            assert_close(entry(all.mixing, u, v), 1 / 7.0, 0, 0);
    drop(all);
}

/* Rows ascending with their diagonal, sums 1, exact symmetry, nonnegative. */
static void test_rows_are_doubly_stochastic(void **state)
{
    (void)state;
    static const char *const family[] = {"star 1000",  "erdos-renyi 300 0.05",
                                         "davis",      "barabasi-albert 500 3",
                                         "complete 1", "path 2"};
    static const char *const weights[] = {"metropolis", "hamilton", "max-degree",
                                          "lazy:0.3:hamilton", "lazy:0.999"};
    for (size_t f = 0; f < 6; f++) {
        for (size_t w = 0; w < 5; w++) {
            struct pair made = mix(family[f], weights[w]);
            netdp_rows rows = netdp_mixing_rows(made.mixing);
            for (int32_t v = 0; v < rows.nodes; v++) {
                double sum = 0;
                for (int64_t i = rows.start[v]; i < rows.start[v + 1]; i++) {
                    assert_true(rows.weight[i] >= 0);
                    assert_true(i == rows.start[v] || rows.column[i - 1] < rows.column[i]);
                    assert_true(rows.weight[i] == entry(made.mixing, rows.column[i], v));
                    sum += rows.weight[i];
                }
                assert_close(sum, 1, 1e-12, 0);
                assert_int_equal(rows.start[v + 1] - rows.start[v],
                                 netdp_graph_degree(made.graph, v) + 1);
            }
            drop(made);
        }
    }
}

static void test_weights_of_a_file(void **state)
{
    (void)state;
    struct pair list = mix_list("a b 0.25\nb c 0.75", "file");
    assert_close(entry(list.mixing, 0, 1), 0.25, 0, 0);
    assert_close(entry(list.mixing, 0, 0), 0.75, 0, 0);
    assert_true(entry(list.mixing, 1, 1) == 0);
    drop(list);
    list = mix_list("a b 0.1\nb c 0.2\nb d 0.7", "file"); /* 0.1 + 0.2 + 0.7 rounds: no loop */
    assert_true(entry(list.mixing, 1, 1) == 0);
    drop(list);
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"a b\nb c", "no weights"},
        {"a b 0.5\nb c", "'file': the edge from node b to node c"},
        {"a b 0.5\nb c 0.50000001", "node b"},
        {"0 1 1e300\n", "node 0"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        netdp_graph *graph = NULL;
        netdp_mixing *mixing = NULL;
        assert_ok(netdp_i_graph_parse(bad[i].text, (int64_t)strlen(bad[i].text), "list", false,
                                      &graph, NULL, &error));
        assert_fails(netdp_mixing_new(graph, "file", &mixing, &error), NETDP_INVALID);
        if (strstr(error.text, bad[i].says) == NULL)
            fail_msg("'%s' does not say '%s'", error.text, bad[i].says);
        assert_null(mixing);
        netdp_graph_free(graph);
    }
}

static void test_bad_names(void **state)
{
    (void)state;
    static const char *const name[] = {"",
                                       "metropoli",
                                       "uniform",
                                       "file",
                                       "lazy",
                                       "lazy:",
                                       "lazy:1",
                                       "lazy:-0.1",
                                       "lazy:nan",
                                       "lazy:0.5x",
                                       "lazy:0x.8p0",
                                       "lazy:0.5:",
                                       "lazy:0.5:nobody",
                                       "lazy:0.5:lazy:0.5",
                                       "lazy: 0.5",
                                       "lazy:0.5 :hamilton"};
    netdp_graph *graph = NULL;
    netdp_mixing *mixing = NULL;
    assert_ok(netdp_graph_make("ring 6", 0, true, &graph, NULL, &error));
    int64_t before = netdp_i_memory_live();
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        if (netdp_mixing_new(graph, name[i], &mixing, NULL) == NETDP_OK)
            fail_msg("'%s' was taken", name[i]);
        assert_fails(netdp_mixing_new(graph, name[i], &mixing, &error), NETDP_INVALID);
    }
    assert_int_equal(netdp_i_memory_live(), before);
    netdp_graph_free(graph);
}

static void test_require(void **state)
{
    (void)state;
    static const struct {
        const char *text, *weights, *says; /* NULL: fine */
        double second, smallest, gap;
        int64_t time;
    } table[] = {
        {"a", "metropolis", "single node", 0, 0, 1, 0},
        {"a b", "metropolis", NULL, 0, 0, 1, 1},
        {"a b", "hamilton", "lazy:0.5", -1, -1, 0, -1},
        {"a b", "lazy:0.5:hamilton", NULL, 0, 0, 1, 1},
        {"a b\nb c\nc d\nd a", "hamilton", "lazy:0.5", 0, -1, 0, -1},
        {"a b\nb c\nc a", "hamilton", NULL, -0.5, -0.5, 0.5, 2},
        {"a b\nc d", "metropolis", "--giant-component", 1, 0, 0, -1},
        {"a b\nc", "hamilton", "--giant-component", 1, -1, 0, -1},
        {"a\nb", "metropolis", "--giant-component", 1, 1, 0, -1},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct pair list = mix_list(table[i].text, table[i].weights);
        if (table[i].says == NULL) {
            assert_ok(netdp_mixing_require(list.mixing, &error));
        } else {
            assert_fails(netdp_mixing_require(list.mixing, &error), NETDP_INVALID);
            if (strstr(error.text, table[i].says) == NULL)
                fail_msg("'%s' does not say '%s'", error.text, table[i].says);
        }
        for (int method = NETDP_SPECTRAL_AUTO; method <= NETDP_SPECTRAL_LANCZOS; method++) {
            netdp_spectrum spectrum;
            assert_ok(netdp_mixing_spectrum(list.mixing, (netdp_spectral_method)method, &spectrum,
                                            &error));
            assert_close(spectrum.second, table[i].second, 1e-12, 0);
            assert_close(spectrum.smallest, table[i].smallest, 1e-12, 0);
            assert_close(spectrum.gap, table[i].gap, 1e-12, 0);
        }
        int64_t time = -7;
        assert_ok(netdp_mixing_time(list.mixing, 0.25, &time, &error));
        assert_int_equal(time, table[i].time);
        drop(list);
    }
}

static void test_apply_is_the_product(void **state)
{
    (void)state;
    static const int32_t width[] = {1, 2, 7, 16, 64};
    struct pair made = mix("erdos-renyi 400 0.1", "metropolis");
    netdp_rows rows = netdp_mixing_rows(made.mixing);
    for (size_t k = 0; k < sizeof width / sizeof *width; k++) {
        int64_t count = 400 * (int64_t)width[k];
        double *x = calloc((size_t)count, sizeof *x), *y = calloc((size_t)count, sizeof *y);
        double *z = calloc((size_t)count, sizeof *z);
        for (int64_t i = 0; i < count; i++)
            x[i] = sin((double)i);
        netdp_mixing_apply(made.mixing, x, y, width[k]);
        for (int32_t v = 0; v < 400; v++) {
            for (int32_t j = 0; j < width[k]; j++) {
                double sum = 0;
                for (int64_t i = rows.start[v]; i < rows.start[v + 1]; i++)
                    sum += rows.weight[i] * x[(int64_t)rows.column[i] * width[k] + j];
                assert_close(y[(int64_t)v * width[k] + j], sum, 0, 0);
            }
        }
        int threads = omp_get_max_threads();
        for (int t = 1; t <= 3; t += 2) {
            omp_set_num_threads(t);
            netdp_mixing_apply(made.mixing, x, z, width[k]);
            assert_memory_equal(y, z, (size_t)count * sizeof *y);
        }
        omp_set_num_threads(threads);
        free(x);
        free(y);
        free(z);
    }
    drop(made);
}

/* The largest total variation distance after t steps, by t products with W. */
static int64_t brute_mixing_time(const netdp_mixing *mixing, double accuracy)
{
    int32_t n = netdp_mixing_rows(mixing).nodes;
    size_t bytes = (size_t)n * (size_t)n * sizeof(double);
    double *power = calloc(1, bytes), *next = calloc(1, bytes);
    int64_t t = 0;
    for (int32_t v = 0; v < n; v++)
        power[(int64_t)v * n + v] = 1;
    for (;; t++) {
        double worst = 0;
        for (int32_t v = 0; v < n; v++) {
            double total = 0;
            for (int32_t u = 0; u < n; u++)
                total += fabs(power[(int64_t)v * n + u] - 1.0 / n) / 2;
            worst = fmax(worst, total);
        }
        if (worst <= accuracy + 1e-12)
            break;
        netdp_mixing_apply(mixing, power, next, n); /* W^t is symmetric: rows are laws too */
        double *swap = power;
        power = next;
        next = swap;
    }
    free(power);
    free(next);
    return t;
}

/* What the product must be to the last bit: sums in the order of a row's columns. */
static void assert_product(const netdp_mixing *mixing, const double *x, const double *y,
                           int32_t width)
{
    netdp_rows rows = netdp_mixing_rows(mixing);
    for (int64_t v = 0; v < rows.nodes; v++)
        for (int64_t j = 0; j < width; j++) {
            double sum = 0;
            for (int64_t i = rows.start[v]; i < rows.start[v + 1]; i++)
                sum += rows.weight[i] * x[(int64_t)rows.column[i] * width + j];
            if (memcmp(&sum, &y[v * width + j], sizeof sum) != 0)
                fail_msg("row %d, column %d of %d: %.17g, want %.17g", (int)v, (int)j, (int)width,
                         y[v * width + j], sum);
        }
}

/* Every width, and blocks that are small, larger than the caches, and larger still. */
static void test_apply_is_exact(void **state)
{
    (void)state;
    static const struct {
        const char *family;
        int32_t least, most;
        bool shifted; /* y lies off a vector's address */
    } table[] = {{"barabasi-albert 130 5", 1, 40, false}, {"star 3000", 1, 9, true},
                 {"torus 500 500", 9, 9, false},          {"torus 500 500", 37, 37, false},
                 {"torus 1500 1500", 1, 1, false},        {"torus 500 500", 34, 34, true}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct pair pair = mix(table[i].family, "metropolis");
        const int32_t n = netdp_graph_nodes(pair.graph);
        double *x = calloc((size_t)n * (size_t)table[i].most, sizeof *x);
        double *y = calloc((size_t)n * (size_t)table[i].most + 1, sizeof *y);
        for (int32_t width = table[i].least; width <= table[i].most; width++) {
            netdp_stream stream = netdp_stream_at(5, NETDP_FOR_PROBE, 0, (uint64_t)width);
            netdp_stream_normals(&stream, x, (size_t)n * (size_t)width);
            x[width - 1] = -0.0;
            netdp_mixing_apply(pair.mixing, x, y + table[i].shifted, width);
            assert_product(pair.mixing, x, y + table[i].shifted, width);
        }
        free(x);
        free(y);
        drop(pair);
    }
}

/* Some of the rows alone. */
static void test_apply_part(void **state)
{
    (void)state;
    struct pair pair = mix("erdos-renyi 200 0.05", "metropolis");
    const netdp_rows rows = netdp_mixing_rows(pair.mixing);
    double x[200 * 3], whole[200 * 3], part[60 * 3];
    netdp_stream stream = netdp_stream_at(6, NETDP_FOR_PROBE, 0, 0);
    netdp_stream_normals(&stream, x, 600);
    for (int32_t width = 1; width <= 3; width += 2) {
        netdp_i_rows_apply(rows, x, whole, width);
        netdp_i_rows_apply_part(rows, 70, 130, x, part, width);
        assert_memory_equal(part, whole + (size_t)(70 * width),
                            sizeof(double) * 60 * (size_t)width);
    }
    drop(pair);
}

static void test_mixing_time(void **state)
{
    (void)state;
    static const char *const family[] = {
        "davis",
        "florentine",
        "karate",
        "ring 33",
        "path 20",
        "star 30",
        "hypercube 6",
        "caveman 4 6",
        "erdos-renyi 150 0.06",
        "geometric 130 0.2",
        "complete 9",
        "path 2",
    };
    static const char *const weights[] = {"metropolis", "max-degree", "lazy:0.5:hamilton",
                                          "lazy:0.75:metropolis"};
    static const double accuracy[] = {0.25, 0.5, 0.01, 0.9, 1e-6};
    for (size_t f = 0; f < sizeof family / sizeof *family; f++) {
        struct pair made = mix(family[f], weights[f % 4]);
        for (size_t a = 0; a < sizeof accuracy / sizeof *accuracy; a++) {
            int64_t rounds = -7;
            assert_ok(netdp_mixing_time(made.mixing, accuracy[a], &rounds, &error));
            assert_int_equal(rounds, brute_mixing_time(made.mixing, accuracy[a]));
        }
        drop(made);
    }
    static const double bad[] = {0, 1, -1, 2, NAN};
    struct pair made = mix("ring 5", "metropolis");
    int64_t rounds = -7;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_fails(netdp_mixing_time(made.mixing, bad[i], &rounds, &error), NETDP_INVALID);
    assert_int_equal(rounds, -7);
    drop(made);
    made = mix("ring 4001", "metropolis");
    assert_fails(netdp_mixing_time(made.mixing, 0.25, &rounds, &error), NETDP_INVALID);
    netdp_spectrum spectrum;
    assert_fails(netdp_mixing_spectrum(made.mixing, NETDP_SPECTRAL_DENSE, &spectrum, &error),
                 NETDP_INVALID);
    drop(made);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    int64_t before = netdp_i_memory_live();
    netdp_graph *graph = NULL;
    assert_ok(netdp_graph_make("davis", 0, true, &graph, NULL, &error));
    int64_t with_graph = netdp_i_memory_live();
    for (int what = 0; what < 5; what++) {
        netdp_mixing *mixing = NULL;
        assert_ok(netdp_mixing_new(graph, "metropolis", &mixing, &error));
        for (sweep s = {0}; sweep_next(&s);) {
            netdp_mixing *other = NULL;
            netdp_spectrum spectrum = {7, 7, 7};
            int64_t rounds = -7;
            double values[32], *vectors = malloc(32 * 32 * sizeof *vectors);
            if (what == 0)
                s.status = netdp_mixing_new(graph, "lazy:0.5", &other, &error);
            else if (what == 1)
                s.status = netdp_mixing_spectrum(mixing, NETDP_SPECTRAL_DENSE, &spectrum, &error);
            else if (what == 2)
                s.status = netdp_mixing_spectrum(mixing, NETDP_SPECTRAL_LANCZOS, &spectrum, &error);
            else if (what == 3)
                s.status = netdp_mixing_time(mixing, 0.25, &rounds, &error);
            else
                s.status = netdp_i_mixing_eigen(mixing, values, vectors, &error);
            free(vectors);
            assert_true(s.status == NETDP_OK ||
                        (other == NULL && spectrum.gap > 6 && rounds == -7));
            netdp_mixing_free(other);
        }
        netdp_mixing_free(mixing);
        assert_int_equal(netdp_i_memory_live(), with_graph);
    }
    netdp_graph_free(graph);
    netdp_mixing_free(NULL);
    assert_int_equal(netdp_i_memory_live(), before);
}

/* Networks that look the same from every node, and some that nearly do. */
static void test_rows_alike(void **state)
{
    (void)state;
    static const char *const yes[] = {
        "ring 12",   "complete 30", "complete 17",          "hypercube 4",
        "torus 3 5", "torus 4 6",   "static-exponential 21"};
    static const char *const no[] = {"path 12", "star 9", "grid 3 5", "regular 24 3", "davis"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        struct pair pair = mix(yes[i], "lazy:0.3");
        assert_true(netdp_i_rows_alike(netdp_mixing_rows(pair.mixing)));
        drop(pair);
    }
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        struct pair pair = mix(no[i], "lazy:0.3");
        assert_false(netdp_i_rows_alike(netdp_mixing_rows(pair.mixing)));
        drop(pair);
    }
    /* All degrees are the same, the weights are not. */
    struct pair pair = mix_list("0 1 0.2\n1 2 0.2\n2 3 0.2\n3 0 0.3\n", "file");
    assert_false(netdp_i_rows_alike(netdp_mixing_rows(pair.mixing)));
    drop(pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_follow_their_formulas),
        cmocka_unit_test(test_rows_are_doubly_stochastic),
        cmocka_unit_test(test_weights_of_a_file),
        cmocka_unit_test(test_bad_names),
        cmocka_unit_test(test_require),
        cmocka_unit_test(test_apply_is_the_product),
        cmocka_unit_test(test_apply_is_exact),
        cmocka_unit_test(test_apply_part),
        cmocka_unit_test(test_mixing_time),
        cmocka_unit_test(test_rows_alike),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

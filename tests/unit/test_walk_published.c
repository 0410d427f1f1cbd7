/* Published bounds on walks, first passages, closed forms and counts of visits. */
#include "golden.h"
#include "sweep.h"

#include <netdp/walk.h>
#include <netdp/random.h>

#include "account/published/harmonic.h"
#include "account/walk/first_passage.h"
#include "account/walk/visits.h"
#include "account/published/walk.h"
#include "mixing/dense.h"

static netdp_error error;

/* A graph and the law of a walk on it; drop() frees both. */
struct walk {
    netdp_graph *graph;
    netdp_transition *law;
    netdp_token token;
};

static struct walk make(const char *family, const char *law, int64_t steps)
{
    struct walk walk = {NULL, NULL, {.steps = steps, .start = NETDP_START_UNIFORM, .tokens = 1}};
    assert_ok(netdp_graph_make(family, 5, true, &walk.graph, NULL, &error));
    assert_ok(netdp_transition_new(walk.graph, law, &walk.law, &error));
    walk.token.law = walk.law;
    return walk;
}

static void drop(struct walk *walk)
{
    netdp_transition_free(walk->law);
    netdp_graph_free(walk->graph);
}

/* A unit-free column towards a set; value [nodes]. */
static void column(const struct walk *walk, netdp_i_walk_form form, bool known,
                   const int32_t *members, int32_t count, double *value)
{
    netdp_i_walk_published *published = NULL;
    assert_ok(netdp_i_walk_published_new(&walk->token, form, known, &published, &error));
    assert_ok(netdp_i_walk_published_column(published, members, count, value, NULL, &error));
    netdp_i_walk_published_free(published);
}

static double published(const struct walk *walk, netdp_i_walk_form form, int32_t from, int32_t to)
{
    double *value = calloc((size_t)netdp_graph_nodes(walk->graph), sizeof *value);
    column(walk, form, false, &to, 1, value);
    const double one = value[from];
    free(value);
    return one;
}

static void first_passage(const struct walk *walk, int32_t to, double alpha, double sigma,
                          double *value)
{
    assert_ok(netdp_i_passage_bound(&walk->token, &to, 1, alpha, sigma, value, NULL, &error));
}

static double passage_mass(const struct walk *walk, int32_t from, int32_t to)
{
    netdp_i_passage *passage = NULL;
    double mass = 0;
    assert_ok(netdp_i_passage_new(walk->law, &to, 1, &passage, &error));
    for (int64_t i = 1; i <= walk->token.steps; i++)
        mass += netdp_i_passage_next(passage)[from];
    netdp_i_passage_free(passage);
    return mass;
}

static void test_golden_values(void **state)
{
    (void)state;
    static const char *const graph[][2] = {{"hypercube5", "hypercube 5"},
                                           {"ring12", "ring 12"},
                                           {"davis", "davis"},
                                           {"florentine", "florentine"}};
    json_t *golden = load_golden("golden.json");
    int compared = 0;
    for (size_t g = 0; g < 4; g++) {
        const char *key;
        json_t *want;
        json_object_foreach (json_object_get(json_object_get(golden, graph[g][0]), "walk"), key,
                             want) {
            int from, to, steps;
            double alpha, sigma, value[64];
            assert_int_equal(
                sscanf(key, "%d->%d alpha=%lf sigma=%lf T=%d", &from, &to, &alpha, &sigma, &steps),
                5);
            struct walk walk = make(graph[g][1], "metropolis", steps);
            walk.token.cap = 1;
            assert_close(netdp_i_walk_published_value(&walk.token,
                                                      published(&walk, NETDP_I_WALK_SUM, from, to),
                                                      alpha, sigma),
                         number(want, "published_sum_one_contribution"), 0, 1e-8);
            assert_close(netdp_i_walk_published_value(&walk.token,
                                                      published(&walk, NETDP_I_WALK_LOG, from, to),
                                                      alpha, sigma),
                         number(want, "published_log_one_contribution"), 0, 1e-8);
            first_passage(&walk, to, alpha, sigma, value);
            assert_close(value[from], number(want, "first_passage_one_contribution"), 0, 1e-8);
            assert_true(isinf(value[to]));
            assert_close(passage_mass(&walk, from, to), number(want, "first_passage_mass"), 0,
                         1e-8);
            drop(&walk);
            compared++;
        }
    }
    assert_true(compared >= 24);
    json_decref(golden);
}

/* On the complete graph with 11'/n the passage to m nodes is geometric, from everywhere. */
static void test_passage_is_geometric_on_the_complete_graph(void **state)
{
    (void)state;
    static const int32_t members[] = {3, 7, 1};
    struct walk walk = make("complete 10", "uniform", 1);
    for (int32_t count = 1; count <= 3; count++) {
        netdp_i_passage *passage = NULL;
        assert_ok(netdp_i_passage_new(walk.law, members, count, &passage, &error));
        for (int i = 1; i <= 50; i++) {
            const double want = count / 10.0 * pow(1 - count / 10.0, i - 1);
            const double *first = netdp_i_passage_next(passage);
            const netdp_i_passage_rounding rounding = netdp_i_passage_error(passage);
            for (int32_t u = 0; u < 10; u++) /* members too: a return */
                assert_close(first[u], want, 0, rounding.relative);
        }
        netdp_i_passage_free(passage);
    }
    netdp_i_passage *passage = NULL;
    const int32_t outside = 10;
    assert_fails(netdp_i_passage_new(walk.law, &outside, 1, &passage, &error), NETDP_INVALID);
    assert_fails(netdp_i_passage_new(walk.law, members, 0, &passage, &error), NETDP_INVALID);
    drop(&walk);
}

/* The bound on the complete graph in long doubles, without logarithms of terms. */
static long double plain_bound(int n, int64_t steps, long double alpha, long double sigma)
{
    const long double theta = alpha * (alpha - 1) / 2 / sigma / sigma;
    long double sum = 0, first = 1.0L / n;
    for (int64_t i = 1; i <= steps; i++) {
        sum += first * expm1l(theta / (long double)i);
        first *= 1 - 1.0L / n;
    }
    return log1pl(sum) / (alpha - 1);
}

static void test_passage_bound_errs_upward(void **state)
{
    (void)state;
    static const struct {
        double alpha, sigma;
    } table[] = {{2, 6}, {1.0001, 1}, {16, 1}, {40, 1}, {64, 1.5}, {100, 1}, {2, 1e6}, {140, 1}};
    struct walk walk = make("complete 16", "uniform", 400);
    double value[16];
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const long double want = plain_bound(16, 400, table[i].alpha, table[i].sigma);
        first_passage(&walk, 5, table[i].alpha, table[i].sigma, value);
        for (int32_t u = 0; u < 16; u++) {
            if (u == 5)
                continue;
            assert_true((long double)value[u] >= want);
            assert_close(value[u], (double)want, 0, 1e-11);
        }
    }
    drop(&walk);
}

/* theta up to 10^5 and far beyond: ln F(i) + theta / i of the first step that arrives. */
static void test_passage_bound_at_large_theta(void **state)
{
    (void)state;
    struct walk walk = make("path 9", "metropolis", 100);
    static const double alpha[] = {2, 447.7136, 512, 2, 2, 1.5, 512},
                        sigma[] = {0.0031622776601683794, 1, 0.01, 1e-9, 1e-160, 1e-3, 1e-3};
    double value[9];
    for (size_t i = 0; i < 7; i++) {
        const double theta = alpha[i] * (alpha[i] - 1) / 2 / sigma[i] / sigma[i];
        const double local = alpha[i] / 2 / sigma[i] / sigma[i];
        first_passage(&walk, 0, alpha[i], sigma[i], value);
        for (int32_t u = 1; u < 9; u++) {
            const double reach = u * log(1 / 3.0) + theta / u;
            assert_true(value[u] == value[u]); /* not NaN */
            assert_true(value[u] <= local * (1 + 1e-14));
            assert_true(value[u] >= reach / (alpha[i] - 1) * (1 - 1e-12));
            assert_true(u == 1 || value[u] <= value[u - 1]);
            if (theta > 3e4 && !isinf(theta)) /* later arrivals are e^{theta/90} times rarer */
                assert_close(value[u], reach / (alpha[i] - 1), 0, 1e-10);
        }
    }
    first_passage(&walk, 0, 2, 0, value);
    assert_true(isinf(value[8]));
    walk.token.steps = 7;
    first_passage(&walk, 0, 2, 0, value);
    assert_true(isinf(value[7]) && value[8] == 0); /* 8 hops take 8 steps */
    first_passage(&walk, 0, 2, 1, value);
    assert_true(value[7] > 0 && value[8] == 0);
    assert_fails(netdp_i_passage_bound(&walk.token, &(int32_t){0}, 1, 1, 1, value, NULL, &error),
                 NETDP_INVALID);
    assert_fails(netdp_i_passage_bound(&walk.token, &(int32_t){0}, 1, 2, NAN, value, NULL, &error),
                 NETDP_INVALID);
    drop(&walk);
}

/* Probabilities below the smallest double still count where theta makes them matter. */
static void test_passage_bound_survives_underflow(void **state)
{
    (void)state;
    struct walk walk = make("path 900", "metropolis", 1000);
    double *value = calloc(900, sizeof *value);
    first_passage(&walk, 0, 512, 0.2, value);
    const double theta = 512 * 511 / 2.0 / 0.04;
    for (int32_t u = 650; u < 900; u += 50) /* 3^-650 is below 2^-1074 */
        assert_true(value[u] >= (u * log(1 / 3.0) + theta / u) / 511);
    free(value);
    drop(&walk);
}

static void test_passage_bound_laws(void **state)
{
    (void)state;
    struct walk walk = make("karate", "metropolis", 1);
    double before[34], value[34], many[34];
    memset(before, 0, sizeof before);
    for (int64_t steps = 1; steps <= 4096; steps *= 2) { /* grows with T, falls with sigma */
        walk.token.steps = steps;
        first_passage(&walk, 4, 3, 2, value);
        first_passage(&walk, 4, 3, 2.5, many);
        for (int32_t u = 0; u < 34; u++) {
            if (u == 4)
                continue;
            assert_true(value[u] >= before[u] * (1 - 1e-11));
            assert_true(many[u] <= value[u]);
        }
        memcpy(before, value, sizeof value);
    }
    walk.token.steps = INT64_C(1000000000000000); /* stops where nothing is left */
    first_passage(&walk, 4, 3, 2, value);
    walk.token.steps = 40000;
    first_passage(&walk, 4, 3, 2, before);
    for (int32_t u = 0; u < 34; u++)
        assert_close(value[u], before[u], 0, 1e-10);
    static const double alpha[] = {1.5, 3, 40}; /* all orders at once: the same */
    double all[3 * 34];
    assert_ok(
        netdp_i_passage_bounds(&walk.token, &(int32_t){4}, 1, alpha, 3, 2, all, NULL, &error));
    for (int k = 0; k < 3; k++) {
        first_passage(&walk, 4, alpha[k], 2, before);
        for (int32_t u = 0; u < 34; u++)
            assert_close(all[k * 34 + u], before[u], 0, 1e-10);
    }
    walk.token.steps = 50; /* a coalition sees at least what each member sees */
    static const int32_t both[] = {4, 20};
    assert_ok(netdp_i_passage_bound(&walk.token, both, 2, 3, 2, many, NULL, &error));
    first_passage(&walk, 4, 3, 2, value);
    first_passage(&walk, 20, 3, 2, before);
    for (int32_t u = 0; u < 34; u++)
        if (u != 4 && u != 20)
            assert_true(many[u] >= fmax(value[u], before[u]));
    assert_true(isinf(many[4]) && isinf(many[20]));
    walk.token.release = true; /* the last contribution is seen behind one noise term */
    first_passage(&walk, 4, 3, 2, value);
    assert_close(value[0], 3 / 8.0, 0, 1e-14);
    drop(&walk);
}

/* sum_k S(lambda_k, T) phi_k(u) phi_k(v): the same sum by the spectrum. */
static double spectral_sum(const netdp_graph *graph, const char *weights, int64_t steps, int32_t u,
                           int32_t v)
{
    const int32_t n = netdp_graph_nodes(graph);
    netdp_mixing *mixing = NULL;
    double *values = calloc((size_t)n, sizeof *values), sum = 0;
    double *vectors = calloc((size_t)n * (size_t)n, sizeof *vectors);
    assert_ok(netdp_mixing_new(graph, weights, &mixing, &error));
    assert_ok(netdp_i_mixing_eigen(mixing, values, vectors, &error));
    values[n - 1] = 1;
    for (int32_t k = 0; k < n; k++)
        sum += vectors[k * n + u] * vectors[k * n + v] *
               netdp_i_log_series(fmax(-1, values[k]), steps);
    netdp_mixing_free(mixing);
    free(values);
    free(vectors);
    return sum;
}

static void test_published_sum_is_spectral(void **state)
{
    (void)state;
    static const char *const family[] = {"karate", "star 9", "path 12", "hypercube 4",
                                         "complete 7"};
    static const char *const weights[] = {"metropolis", "lazy:0.3:hamilton", "hamilton"};
    static const int64_t steps[] = {1, 2, 3, 50, 2000, 3000000};
    for (size_t f = 0; f < 5; f++) {
        for (size_t w = 0; w < 3; w++) {
            for (size_t s = 0; s < 6; s++) {
                struct walk walk = make(family[f], weights[w], steps[s]);
                assert_close(published(&walk, NETDP_I_WALK_SUM, 1, 3),
                             spectral_sum(walk.graph, weights[w], steps[s], 1, 3), 1e-13, 1e-11);
                drop(&walk);
            }
        }
    }
    /* after mixing nothing more is computed, periodic or not */
    static const char *const late[][2] = {{"karate", "metropolis"},
                                          {"hypercube 4", "hamilton"},
                                          {"hypercube 4", "lazy:0.000001:hamilton"},
                                          {"ring 4", "hamilton"}};
    for (size_t i = 0; i < 4; i++) {
        struct walk walk = make(late[i][0], late[i][1], INT64_C(1000000000000000));
        assert_close(published(&walk, NETDP_I_WALK_SUM, 1, 3),
                     spectral_sum(walk.graph, late[i][1], walk.token.steps, 1, 3), 0, 1e-11);
        drop(&walk);
    }
}

/* Errata 3: Theorem 3 has ln T for H_T and lets the other eigenvalues walk for ever. */
static void test_errata_3_logarithm_for_harmonic(void **state)
{
    (void)state;
    struct walk walk = make("hypercube 5", "metropolis", 320);
    const double sum = published(&walk, NETDP_I_WALK_SUM, 1, 0);
    const double logarithm = published(&walk, NETDP_I_WALK_LOG, 1, 0);
    assert_close(sum - logarithm, (netdp_i_harmonic(320) - log(320)) / 32, 1e-13, 0);
    assert_close(sum - logarithm, 0.0180868, 1e-7, 0); /* 5 % of the sum */
    assert_close(sum, 0.3696168, 1e-7, 0);
    drop(&walk);
    walk = make("ring 40", "metropolis", 20); /* unmixed: below 0, so 0, where the sum is not */
    assert_true(published(&walk, NETDP_I_WALK_LOG, 20, 0) == 0);
    assert_close(published(&walk, NETDP_I_WALK_SUM, 20, 0), pow(3, -20) * 2 / 20, 0, 1e-12);
    drop(&walk);
}

/* Of graphs that are sparse and mix fast the logarithm is a series; the sum is made of powers of W. */
static void test_logarithm_is_the_sum(void **state)
{
    (void)state;
    enum { MOST = 1024 };
    static const char *const family[] = {"regular 400 4", "hypercube 10", "erdos-renyi 900 0.02"};
    static double sum[MOST], logarithm[MOST];
    for (size_t i = 0; i < sizeof family / sizeof *family; i++) {
        struct walk walk = make(family[i], "metropolis", 5000);
        const int32_t n = netdp_graph_nodes(walk.graph), to = n - 1;
        column(&walk, NETDP_I_WALK_SUM, false, &to, 1, sum);
        column(&walk, NETDP_I_WALK_LOG, false, &to, 1, logarithm);
        for (int32_t u = 0; u < to; u++) {
            assert_true(logarithm[u] > 0);
            assert_close(sum[u] - logarithm[u], (netdp_i_harmonic(5000) - log(5000)) / n, 1e-14, 0);
        }
        drop(&walk);
    }
}

static void test_published_laws(void **state)
{
    (void)state;
    struct walk walk = make("florentine", "metropolis", 150);
    double one[16], other[16], both[16], known[16];
    const int32_t n = netdp_graph_nodes(walk.graph);
    static const int32_t pair[] = {2, 9};
    for (int form = NETDP_I_WALK_SUM; form <= NETDP_I_WALK_LOG; form++) {
        const netdp_i_walk_form which = (netdp_i_walk_form)form;
        column(&walk, which, false, pair, 1, one);
        column(&walk, which, false, pair + 1, 1, other);
        column(&walk, which, false, pair, 2, both);
        for (int32_t u = 0; u < n; u++) {
            if (u == 2 || u == 9)
                assert_true(isinf(both[u]));
            else /* the logarithm may have been raised to 0 on its own */
                assert_true(fabs(both[u] - one[u] - other[u]) < 1e-13 ||
                            (form == NETDP_I_WALK_LOG && fmin(one[u], other[u]) == 0));
        }
        column(&walk, which, true, pair, 1, known); /* the worst of the neighbours of 2 */
        for (int32_t u = 0; u < n; u++) {
            double worst = 0;
            if (u == 2)
                continue;
            for (int32_t k = 0; k < netdp_graph_degree(walk.graph, 2); k++) {
                int32_t relay = netdp_graph_neighbours(walk.graph, 2)[k];
                if (relay != u) {
                    column(&walk, which, false, &relay, 1, other);
                    worst = fmax(worst, other[u]);
                } else if (form == NETDP_I_WALK_SUM) {
                    worst = fmax(worst, spectral_sum(walk.graph, "metropolis", 150, u, u));
                }
            }
            assert_true(known[u] >= worst * (1 - 1e-12));
            if (form == NETDP_I_WALK_SUM)
                assert_close(known[u], worst, 0, 1e-11);
        }
    }
    /* N_u = T/n or the cap; linear in alpha / sigma^2 inside the range, infinite outside */
    assert_close(netdp_i_walk_published_value(&walk.token, 0.5, 2, 6), 10 * 2 / 36.0 * 0.5, 0,
                 1e-15);
    walk.token.cap = 3;
    assert_close(netdp_i_walk_published_value(&walk.token, 0.5, 2, 2), 3 * 2 / 4.0 * 0.5, 0, 1e-15);
    assert_true(isinf(netdp_i_walk_published_value(&walk.token, 0.5, 2, 1.999)));
    assert_close(netdp_i_walk_published_slope(&walk.token, 0.5, 0.5), 3 / 0.25 * 0.5, 0, 1e-15);
    assert_true(isinf(netdp_i_walk_published_value(&walk.token, INFINITY, 2, INFINITY)));
    walk.token.cap = 1000; /* nobody contributes more often than there are steps */
    assert_close(netdp_i_walk_contributions(&walk.token), 150, 0, 0);
    drop(&walk);
}

static void test_published_refuses(void **state)
{
    (void)state;
    netdp_i_walk_published *made = NULL;
    struct walk walk = make("star 6", "hastings:degree", 10);
    assert_fails(netdp_i_walk_published_new(&walk.token, NETDP_I_WALK_SUM, false, &made, &error),
                 NETDP_INVALID);
    assert_non_null(strstr(error.text, "hastings:degree"));
    drop(&walk);
    walk = make("star 6", "hastings:uniform", 10); /* symmetric up to rounding */
    assert_true(published(&walk, NETDP_I_WALK_LOG, 0, 1) > 0);
    walk.token.release = true;
    assert_fails(netdp_i_walk_published_new(&walk.token, NETDP_I_WALK_SUM, false, &made, &error),
                 NETDP_INVALID);
    drop(&walk);
    walk = make("ring 4001", "metropolis", 10);
    assert_fails(netdp_i_walk_published_new(&walk.token, NETDP_I_WALK_LOG, false, &made, &error),
                 NETDP_INVALID);
    assert_true(published(&walk, NETDP_I_WALK_SUM, 1, 0) > 0);
    assert_null(made);
    drop(&walk);
}

/* Other numbers for the nodes: the same losses of the same nodes. */
static void test_relabelling_relabels(void **state)
{
    (void)state;
    struct walk walk = make("karate", "metropolis", 300), shuffled = walk;
    int32_t number[34], edges[2 * 78], count = 0;
    double value[34], other[34];
    for (int32_t v = 0; v < 34; v++)
        number[v] = (v * 15 + 7) % 34;
    for (int32_t u = 0; u < 34; u++) {
        for (int32_t k = 0; k < netdp_graph_degree(walk.graph, u); k++) {
            const int32_t v = netdp_graph_neighbours(walk.graph, u)[k];
            if (u < v) {
                edges[count++] = number[u];
                edges[count++] = number[v];
            }
        }
    }
    assert_ok(netdp_graph_from_edges(34, edges, count / 2, &shuffled.graph, &error));
    assert_ok(netdp_transition_new(shuffled.graph, "metropolis", &shuffled.law, &error));
    shuffled.token.law = shuffled.law;
    const int32_t v = 11;
    for (int form = 0; form < 4; form++) {
        const netdp_i_walk_form which = (netdp_i_walk_form)(form / 2);
        column(&walk, which, form % 2 == 1, &v, 1, value);
        column(&shuffled, which, form % 2 == 1, &number[v], 1, other);
        for (int32_t u = 0; u < 34; u++)
            assert_close(value[u], other[number[u]], 1e-13, 1e-12);
    }
    first_passage(&walk, v, 4, 3, value);
    first_passage(&shuffled, number[v], 4, 3, other);
    int64_t often = 0, again = 0;
    for (int32_t u = 0; u < 34; u++) {
        assert_close(value[u], other[number[u]], 0, 1e-11);
        assert_ok(netdp_visits_quantile(&walk.token, u, 1e-5, &often, &error));
        assert_ok(netdp_visits_quantile(&shuffled.token, number[u], 1e-5, &again, &error));
        assert_int_equal(often, again);
    }
    drop(&shuffled);
    drop(&walk);
}

static void test_log_series(void **state)
{
    (void)state;
    static const double x[] = {0, 0.5, -0.5,      0.99,      -0.99,       1 - 1e-7, 1 - 1e-9,
                               1, -1,  -1 + 1e-9, -1 + 1e-6, 1 - 0x1p-50, 1e-300,   1 - 3e-6};
    static const int64_t steps[] = {1, 2, 63, 64, 65, 1000, 999999, 1000000, 1000001, 3000000};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        long double power = 1, sum = 0;
        size_t at = 0;
        for (int64_t t = 1; t <= 3000000; t++) {
            power *= (long double)x[i];
            sum += power / (long double)t;
            if (t == steps[at])
                assert_close(netdp_i_log_series(x[i], steps[at++]), (double)sum, 1e-14, 1e-13);
        }
        assert_int_equal(at, 10);
    }
    assert_close(netdp_i_log_series(1 - 1e-9, INT64_C(1) << 40), -log(1e-9), 0, 1e-8);
    assert_close(netdp_i_harmonic(INT64_C(1) << 50), 50 * M_LN2 + 0.57721566490153286, 0, 1e-15);
}

/* Lemma 2 of one contribution on a graph, the general accountant. */
static double general(const char *family, const char *weights, const netdp_closed_walk *closed)
{
    struct walk walk = make(family, weights, closed->steps);
    walk.token.cap = 1;
    const double value = netdp_i_walk_published_value(
        &walk.token, published(&walk, NETDP_I_WALK_SUM, closed->from, closed->to), closed->alpha,
        closed->sigma);
    drop(&walk);
    return value;
}

typedef netdp_status closed_form(const netdp_closed_walk *walk, netdp_form form, double *epsilon,
                                 netdp_error *error);

static double closed(closed_form *formula, const netdp_closed_walk *walk, netdp_form form)
{
    double epsilon = NAN;
    assert_ok(formula(walk, form, &epsilon, &error));
    return epsilon;
}

/* Errata 5: Theorem 4 walks by A/(n-1), which loses the token; its proof adds a half too much. */
static void test_star(void **state)
{
    (void)state;
    netdp_closed_walk star = {30, 1, 0, 300, 0, 2, 6};
    for (int pair = 0; pair < 3; pair++) {
        star.from = pair == 1 ? 0 : 1;
        star.to = pair == 0 ? 0 : pair == 1 ? 4 : 2;
        static const int64_t steps[] = {1, 2, 7, 300, 100000};
        for (size_t s = 0; s < 5; s++) {
            star.steps = steps[s];
            star.loop = 0;
            assert_close(closed(netdp_closed_star, &star, NETDP_FORM_CORRECTED),
                         general("star 30", "hamilton", &star), 1e-16, 1e-11);
            star.loop = 0.25;
            assert_close(closed(netdp_closed_star, &star, NETDP_FORM_CORRECTED),
                         general("star 30", "lazy:0.25:hamilton", &star), 1e-16, 1e-11);
            star.loop = 1 / 30.0; /* (1 - 1/n) / (n - 1) = 1/n */
            assert_close(closed(netdp_closed_star, &star, NETDP_FORM_CORRECTED),
                         general("star 30", "metropolis", &star), 1e-16, 1e-11);
        }
    }
    star = (netdp_closed_walk){30, 1, 0, 300, 0, 2, 6};
    const double centre = closed(netdp_closed_star, &star, NETDP_FORM_CORRECTED);
    assert_close(10 * centre, 0.117, 5e-4, 0); /* errata 11: mean N_u x published */
    assert_close(closed(netdp_closed_star, &star, NETDP_FORM_PRINTED) / centre, 0.1656954, 1e-6, 0);
    star.to = 2;
    const double leaves = closed(netdp_closed_star, &star, NETDP_FORM_CORRECTED);
    assert_close(closed(netdp_closed_star, &star, NETDP_FORM_PRINTED) / leaves, 0.0129736, 1e-6, 0);
    /* what its own A/(n-1) gives: sum over even p of A^p_uv / (p (n-1)^p), a half of the print */
    double even = 0;
    for (int p = 2; p < 400; p += 2)
        even += pow(29, p / 2.0 - 1) / p / pow(29, p);
    assert_close(closed(netdp_closed_star, &star, NETDP_FORM_PRINTED), 2 * 2 / 36.0 * even, 0,
                 1e-12);
}

/* Errata 4, 16: Theorem 5 has (u+v-2) for u-v, half the angle, and twice the sum. */
static void test_ring(void **state)
{
    (void)state;
    netdp_closed_walk ring = {12, 0, 0, 4000, 1 / 3.0, 2, 6};
    for (int32_t to = 1; to < 12; to++) {
        ring.to = to; /* mixed: the same; the logarithms let all but H_T walk for ever */
        ring.loop = 1 / 3.0;
        assert_close(closed(netdp_closed_ring, &ring, NETDP_FORM_CORRECTED),
                     general("ring 12", "metropolis", &ring), 0, 1e-11);
        ring.loop = 0.5;
        assert_close(closed(netdp_closed_ring, &ring, NETDP_FORM_CORRECTED),
                     general("ring 12", "lazy:0.5:hamilton", &ring), 0, 1e-11);
        struct walk walk = make("ring 12", "lazy:0.2:hamilton", 30); /* any T: Theorem 3 + H_T */
        ring.loop = 0.2;
        ring.steps = 30;
        assert_close(
            closed(netdp_closed_ring, &ring, NETDP_FORM_CORRECTED),
            2 / 36.0 *
                (published(&walk, NETDP_I_WALK_LOG, 0, to) + (netdp_i_harmonic(30) - log(30)) / 12),
            1e-15, 1e-11);
        drop(&walk);
        ring.steps = 4000;
    }
    ring = (netdp_closed_walk){12, 0, 1, 120, 1 / 3.0, 2, 6};
    assert_close(closed(netdp_closed_ring, &ring, NETDP_FORM_CORRECTED), 0.0523946, 1e-6, 0);
    assert_close(closed(netdp_closed_ring, &ring, NETDP_FORM_PRINTED), 0.0191949, 1e-6, 0);
    /* a turn of both by one place changes what is printed, and nothing else */
    ring.from = 1;
    ring.to = 2;
    assert_close(closed(netdp_closed_ring, &ring, NETDP_FORM_CORRECTED), 0.0523946, 1e-6, 0);
    assert_close(closed(netdp_closed_ring, &ring, NETDP_FORM_PRINTED), 0, 1e-15, 0);
    ring.from = 0;
    ring.to = 6;
    assert_close(closed(netdp_closed_ring, &ring, NETDP_FORM_PRINTED), -0.0176809, 1e-6, 0);
    ring.from = 1;
    ring.to = 2;
    ring.loop = 0.4; /* the other form has no 1/t, and grows with T as T does */
    const double shorter = closed(netdp_closed_ring, &ring, NETDP_FORM_PRINTED);
    ring.steps = 240;
    assert_close(closed(netdp_closed_ring, &ring, NETDP_FORM_PRINTED) - shorter,
                 2 / 36.0 * 0.6 * 120 / 12, 1e-8, 0);
}

/* A ln T for H_T (errata 3); E's first passage at t, not at t + 1. */
static void test_complete(void **state)
{
    (void)state;
    netdp_closed_walk complete = {20, 3, 7, 200, 0, 2, 6};
    assert_close(closed(netdp_closed_complete, &complete, NETDP_FORM_CORRECTED),
                 general("complete 20", "uniform", &complete), 0, 1e-13);
    assert_close(10 * closed(netdp_closed_complete, &complete, NETDP_FORM_CORRECTED), 0.163, 5e-4,
                 0); /* errata 11 */
    assert_close(10 * closed(netdp_closed_complete, &complete, NETDP_FORM_PRINTED), 0.147, 5e-4, 0);
    struct walk walk = make("complete 20", "uniform", 1);
    netdp_i_passage *passage = NULL;
    double sum = 0;
    assert_ok(netdp_i_passage_new(walk.law, &complete.to, 1, &passage, &error));
    for (int i = 1; i <= 2000; i++)
        sum += netdp_i_passage_next(passage)[3] / i;
    netdp_i_passage_free(passage);
    drop(&walk);
    assert_close(closed(netdp_closed_passage, &complete, NETDP_FORM_CORRECTED), 2 / 36.0 * sum, 0,
                 1e-12);
    assert_close(closed(netdp_closed_passage, &complete, NETDP_FORM_PRINTED), 2 / 36.0 * sum * 0.95,
                 0, 1e-12);
    complete.sigma =
        1; /* paper E asks for sigma^2 >= alpha (alpha-1) / 2, paper A for 4 times it */
    assert_true(closed(netdp_closed_passage, &complete, NETDP_FORM_PRINTED) < 1);
    assert_true(isinf(closed(netdp_closed_complete, &complete, NETDP_FORM_PRINTED)));
}

static void test_closed_forms_refuse(void **state)
{
    (void)state;
    static const netdp_closed_walk bad[] = {
        {1, 0, 0, 9, 0, 2, 6},  {9, 0, 9, 9, 0, 2, 6},   {9, 4, 4, 9, 0, 2, 6},
        {9, -1, 4, 9, 0, 2, 6}, {9, 0, 4, 0, 0, 2, 6},   {9, 0, 4, 9, 1, 2, 6},
        {9, 0, 4, 9, 0, 1, 6},  {9, 0, 4, 9, NAN, 2, 6}, {9, 0, 4, 9, 0, 2, 0},
    };
    closed_form *const formula[] = {netdp_closed_star, netdp_closed_ring, netdp_closed_complete,
                                    netdp_closed_passage};
    for (size_t f = 0; f < 4; f++) {
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            double epsilon = 7;
            assert_fails(formula[f](&bad[i], NETDP_FORM_CORRECTED, &epsilon, &error),
                         NETDP_INVALID);
            assert_true(epsilon == 7);
        }
    }
}

/* Paper E, Theorem 3: the golden value is the printed one; errata 8. */
static void test_complete_sum(void **state)
{
    (void)state;
    json_t *golden = load_golden("golden.json");
    const json_t *want = json_array_get(
        json_object_get(json_object_get(golden, "scalars"), "complete_sum_published"), 0);
    const netdp_complete_walk walk = {
        (int32_t)number(want, "n"), (int64_t)number(want, "T"),  0,
        number(want, "eps_local"),  number(want, "delta_local"), number(want, "delta_prime"),
        number(want, "delta_hat")};
    netdp_complete_loss printed, corrected, capped;
    assert_ok(netdp_closed_sum(&walk, NETDP_FORM_PRINTED, &printed, &error));
    assert_close(printed.epsilon, number(want, "eps"), 0, 1e-8);
    assert_close(printed.constant, number(want, "c"), 0, 1e-6);
    assert_close(printed.delta, number(want, "delta"), 0, 1e-8);
    json_decref(golden);
    assert_ok(netdp_closed_sum(&walk, NETDP_FORM_CORRECTED, &corrected, &error));
    assert_close(printed.contributions, 164.379, 1e-3, 0);
    assert_close(corrected.contributions, 151, 0, 0); /* P(more) = 8.0e-7; more than 150: 1.2e-6 */
    assert_close(corrected.epsilon, 3.5833855, 1e-7, 0);
    assert_close(corrected.each, printed.each, 0, 0);
    netdp_complete_walk fixed = walk;
    fixed.cap = 100;
    assert_ok(netdp_closed_sum(&fixed, NETDP_FORM_CORRECTED, &capped, &error));
    assert_close(capped.contributions, 100, 0, 0);
    assert_close(capped.delta, 100 * walk.delta + walk.delta_compose, 0, 1e-15);
    fixed = walk;
    fixed.steps = 2000 * 41; /* 3 ln(10^6) = 41.4: outside of the Chernoff bound's range */
    assert_ok(netdp_closed_sum(&fixed, NETDP_FORM_PRINTED, &printed, &error));
    assert_true(isinf(printed.epsilon));
    fixed.epsilon = 1;
    assert_fails(netdp_closed_sum(&fixed, NETDP_FORM_PRINTED, &printed, &error), NETDP_INVALID);
}

/* Paper E, Theorem 4 against the Renyi curve that it converts, over a grid of orders. */
static void test_complete_sgd(void **state)
{
    (void)state;
    const netdp_complete_walk walk = {2000, 4000000, 0, 0.5, 1e-6, 1e-6, 1e-6};
    netdp_complete_loss printed, corrected;
    assert_ok(netdp_closed_sgd(&walk, NETDP_FORM_PRINTED, &printed, &error));
    assert_ok(netdp_closed_sgd(&walk, NETDP_FORM_CORRECTED, &corrected, &error));
    const double square = 2 * log(1.25e6) / 0.25, log_inverse = log(1e6);
    double best = INFINITY;
    for (double alpha = 1.0005; alpha * (alpha - 1) <= 2 * square; alpha += 0.0005)
        best = fmin(best, corrected.contributions * alpha / square * log(2000) / 1999 +
                              log_inverse / (alpha - 1));
    assert_close(corrected.epsilon, best, 0, 1e-5);
    assert_true(corrected.constant * (corrected.constant - 1) <= 2 * square * (1 + 1e-12));
    /* the printed closed form is what Lemma 1 gives at its order, or more */
    const double alpha = printed.constant;
    assert_true(printed.epsilon >= printed.contributions * alpha / square * log(2000) / 2000 +
                                       log_inverse / (alpha - 1) * (alpha - 1) / alpha);
    assert_true(corrected.epsilon < printed.epsilon);
    assert_close(printed.contributions, netdp_visits_chernoff(2000, 1e-6), 0, 0);
}

/* P(the walk is at `node` in more than k of its steps), k < 40, by the law of (node, count). */
static void count_visits(const struct walk *walk, int32_t node, double *tail)
{
    enum { ROOM = 40 };
    const netdp_rows rows = netdp_transition_rows(walk->law);
    const int32_t n = rows.nodes;
    double *law = calloc((size_t)n * (ROOM + 1), sizeof *law);
    double *next = calloc((size_t)n * (ROOM + 1), sizeof *next), *swap;
    for (int32_t x = 0; x < n; x++)
        law[x * (ROOM + 1)] = walk->token.start < 0 ? 1.0 / n : x == walk->token.start;
    for (int64_t t = -walk->token.burn_in; t < walk->token.steps; t++) {
        for (int k = ROOM - 1; k >= 0 && t >= 0; k--) { /* the visit of step t */
            law[node * (ROOM + 1) + k + 1] += law[node * (ROOM + 1) + k];
            law[node * (ROOM + 1) + k] = 0;
        }
        memset(next, 0, (size_t)n * (ROOM + 1) * sizeof *next);
        for (int32_t x = 0; x < n; x++)
            for (int64_t i = rows.start[x]; i < rows.start[x + 1]; i++)
                for (int k = 0; k <= ROOM; k++)
                    next[rows.column[i] * (ROOM + 1) + k] +=
                        rows.weight[i] * law[x * (ROOM + 1) + k];
        swap = law;
        law = next;
        next = swap;
    }
    for (int k = 0; k < ROOM; k++) {
        tail[k] = 0;
        for (int32_t x = 0; x < n; x++)
            for (int j = k + 1; j <= ROOM; j++)
                tail[k] += law[x * (ROOM + 1) + j];
    }
    free(law);
    free(next);
}

static void test_visits_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *family, *law;
        int64_t steps, burn_in;
        int32_t start;
    } table[] = {
        {"florentine", "metropolis", 60, 0, NETDP_START_UNIFORM},
        {"florentine", "hastings:degree", 60, 0, NETDP_START_UNIFORM},
        {"star 8", "lazy:0.5:hamilton", 30, 0, NETDP_START_UNIFORM},
        {"star 8", "hastings:degree", 30, 5, 2},
        {"path 6", "metropolis", 40, 0, 0},
        {"path 6", "metropolis", 40, 3, 5},
        {"path 6", "metropolis", 1, 0, 3},
        {"complete 8", "uniform", 50, 0, NETDP_START_UNIFORM},
        {"complete 8", "uniform", 50, 0, 2},
        {"complete 8", "uniform", 50, 1, 2},
        {"complete 8", "lazy:0.3:uniform", 50, 0, NETDP_START_UNIFORM},
    };
    static const double delta[] = {0.3, 1e-3, 1e-6, 1e-9};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct walk walk = make(table[i].family, table[i].law, table[i].steps);
        walk.token.burn_in = table[i].burn_in;
        walk.token.start = table[i].start;
        for (int32_t node = 0; node < 4; node++) {
            double tail[40];
            count_visits(&walk, node, tail);
            for (size_t d = 0; d < 4; d++) {
                int64_t want = 0, got = -1;
                while (want < 40 && tail[want] > delta[d])
                    want++;
                assert_ok(netdp_visits_quantile(&walk.token, node, delta[d], &got, &error));
                if (want < 40)
                    assert_int_equal(got, want);
            }
        }
        drop(&walk);
    }
}

/* Long walks multiply by transforms, and decide tiny deltas by products: the same law. */
static void test_visits_of_long_walks(void **state)
{
    (void)state;
    static const double delta[] = {0.3, 1e-3, 1e-6, 1e-9, 1e-13};
    struct walk walk = make("grid 8 9", "metropolis", 720);
    for (int32_t node = 0; node < 72; node += 40) {
        double tail[40];
        count_visits(&walk, node, tail);
        for (size_t d = 0; d < 5; d++) {
            int64_t want = 0, got = -1;
            while (want < 40 && tail[want] > delta[d])
                want++;
            assert_ok(netdp_visits_quantile(&walk.token, node, delta[d], &got, &error));
            if (want < 40)
                assert_int_equal(got, want);
            else
                assert_true(got >= 40);
        }
        for (int k = 0; k < 40 && tail[k] > 1e-9; k++) { /* a near tie errs upward */
            int64_t got = -1;
            if (tail[k] < 0.5) {
                assert_ok(
                    netdp_visits_quantile(&walk.token, node, tail[k] * (1 - 1e-11), &got, &error));
                assert_true(got > k && got <= k + 1);
            }
        }
    }
    drop(&walk);
}

/* 20,000 walks: visits above the quantiles at 0.1 are as rare as said (6 standard deviations). */
static void test_visits_of_drawn_walks(void **state)
{
    (void)state;
    enum { WALKS = 20000 };
    struct walk walk = make("barabasi-albert 30 2", "metropolis", 90);
    const netdp_rows rows = netdp_transition_rows(walk.law);
    int64_t quantile[30];
    int above[30] = {0}, reached[30] = {0};
    for (int32_t u = 0; u < 30; u++)
        assert_ok(netdp_visits_quantile(&walk.token, u, 0.1, &quantile[u], &error));
    for (uint32_t w = 0; w < WALKS; w++) {
        netdp_stream stream = netdp_stream_at(9, NETDP_FOR_TEST, w, 0);
        int32_t at = (int32_t)netdp_stream_below(&stream, 30);
        int visits[30] = {0};
        for (int64_t t = 0; t < walk.token.steps; t++) {
            double draw = netdp_stream_uniform(&stream);
            int64_t i = rows.start[at];
            visits[at]++;
            while (i + 1 < rows.start[at + 1] && draw >= rows.weight[i])
                draw -= rows.weight[i++];
            at = rows.column[i];
        }
        for (int32_t u = 0; u < 30; u++) {
            above[u] += visits[u] > quantile[u];
            reached[u] += visits[u] >= quantile[u];
        }
    }
    for (int32_t u = 0; u < 30; u++) {
        assert_true(above[u] <= WALKS * 0.1 + 6 * sqrt(WALKS * 0.09));
        assert_true(reached[u] >= WALKS * 0.1 - 6 * sqrt(WALKS * 0.09));
    }
    drop(&walk);
}

static void test_binomial_quantile(void **state)
{
    (void)state;
    static const int64_t trials[] = {0, 1, 2, 17, 200, 1000};
    static const int32_t nodes[] = {2, 3, 10, 500};
    static const double delta[] = {0.49, 0.11, 1e-4, 1e-8};
    for (size_t t = 0; t < 6; t++) {
        for (size_t n = 0; n < 4; n++) {
            for (size_t d = 0; d < 4; d++) {
                /* the law of the count, one trial after another */
                long double law[1001] = {1}, tail = 0;
                const long double p = 1.0L / nodes[n];
                for (int64_t i = 0; i < trials[t]; i++)
                    for (int64_t k = i + 1; k >= 0; k--)
                        law[k] = law[k] * (1 - p) + (k > 0 ? law[k - 1] * p : 0);
                int64_t want = trials[t];
                while (want > 0 && tail + law[want] <= delta[d])
                    tail += law[want--];
                assert_int_equal(netdp_i_binomial_quantile(trials[t], nodes[n], delta[d]), want);
            }
        }
    }
    /* many steps: near the normal law's quantile, 4.7534 standard deviations at 10^-6 */
    const double mean = 1e12 / 1000, deviation = sqrt(mean * 0.999);
    assert_close(((double)netdp_i_binomial_quantile(INT64_C(1000000000000), 1000, 1e-6) - mean) /
                     deviation,
                 4.7534, 1e-3, 0);
    assert_close(netdp_visits_chernoff(100, 1e-6), 164.37898078868, 0, 1e-12);
    assert_true(isinf(netdp_visits_chernoff(41, 1e-6)));
    assert_close(netdp_visits_chernoff(42, 1e-6), 42 + sqrt(126 * log(1e6)), 0, 1e-14);
}

static void test_visits_refuse(void **state)
{
    (void)state;
    struct walk walk = make("ring 5", "metropolis", 1000000000);
    int64_t visits = 7;
    assert_fails(netdp_visits_quantile(&walk.token, 0, 0.1, &visits, &error), NETDP_NO_ANSWER);
    walk.token.steps = 10;
    assert_fails(netdp_visits_quantile(&walk.token, 5, 0.1, &visits, &error), NETDP_INVALID);
    assert_fails(netdp_visits_quantile(&walk.token, 0, 0.5, &visits, &error), NETDP_INVALID);
    assert_fails(netdp_visits_quantile(&walk.token, 0, NAN, &visits, &error), NETDP_INVALID);
    walk.token.start = NETDP_START_OBSERVER;
    assert_fails(netdp_visits_quantile(&walk.token, 0, 0.1, &visits, &error), NETDP_INVALID);
    assert_int_equal(visits, 7);
    drop(&walk);
}

/* All 4^7 paths of 6 steps and the node after them: how many contributions of 0 touch 1. */
static void test_spotted_contributions(void **state)
{
    (void)state;
    enum { STEPS = 6, PATHS = 1 << 14 };
    int often[STEPS + 1] = {0};
    for (int path = 0; path < PATHS; path++) {
        int spotted = 0;
        for (int t = 0; t < STEPS; t++) {
            const int here = path >> 2 * t & 3, after = path >> 2 * (t + 1) & 3;
            const int before = t == 0 ? -1 : path >> 2 * (t - 1) & 3;
            spotted += here == 0 && (after == 1 || before == 1);
        }
        often[spotted]++;
    }
    double tail = 0;
    for (int64_t k = STEPS; k >= 0; k--) { /* tail: P(more than k) */
        int64_t got = -1;
        if (tail > 0) {
            assert_ok(netdp_i_spotted_quantile(STEPS, 4, tail * (1 + 1e-12), &got, &error));
            assert_int_equal(got, k);
            assert_ok(netdp_i_spotted_quantile(STEPS, 4, tail * (1 - 1e-12), &got, &error));
            assert_true(got > k);
        }
        tail += often[k] / (double)PATHS;
    }
    assert_close(tail, 1, 1e-15, 0);
}

/* Errata 8: the printed root lacks a 2, and Chernoff is used where it does not hold. */
static void test_spotted_loss(void **state)
{
    (void)state;
    netdp_complete_walk walk = {100, 100000, 1000, 0.5, 1e-6, 1e-6, 1e-6};
    netdp_spotted printed, corrected;
    assert_ok(netdp_spotted_loss(&walk, 1e-6, 0, NETDP_FORM_PRINTED, &printed, &error));
    assert_ok(netdp_spotted_loss(&walk, 1e-6, 0, NETDP_FORM_CORRECTED, &corrected, &error));
    const double count = 20 + sqrt(60 * log(1e6));
    assert_close(printed.count, count, 0, 1e-14);
    assert_close(printed.simple, count / 2, 0, 1e-14);
    assert_close(printed.advanced, sqrt(count * log(1e6)) / 2 + count / 2 * expm1(0.5), 0, 1e-14);
    /* exact: near Poisson(20), whose quantile is 45, with a heavier tail of doubles */
    assert_in_range((uint64_t)corrected.count, 44, 50);
    assert_close(corrected.advanced,
                 sqrt(2 * corrected.count * log(1e6)) / 2 + corrected.count / 2 * expm1(0.5), 0,
                 1e-14);
    /* a short walk: the printed count is below the exact one */
    walk = (netdp_complete_walk){1000, 100, 1, 0.5, 1e-6, 1e-6, 1e-6};
    assert_ok(netdp_spotted_loss(&walk, 1e-6, 0, NETDP_FORM_PRINTED, &printed, &error));
    assert_ok(netdp_spotted_loss(&walk, 1e-6, 0, NETDP_FORM_CORRECTED, &corrected, &error));
    assert_close(printed.count, 0.289915, 1e-5, 0);
    assert_close(corrected.count, 1, 0, 0);
    walk.cap = 0; /* edge caps hold for any walk, whatever its length */
    walk.steps = INT64_C(1000000000000000);
    assert_fails(netdp_spotted_loss(&walk, 1e-6, 0, NETDP_FORM_CORRECTED, &corrected, &error),
                 NETDP_NO_ANSWER);
    assert_ok(netdp_spotted_loss(&walk, 1e-6, 2, NETDP_FORM_CORRECTED, &corrected, &error));
    assert_close(corrected.simple, 1, 0, 0);
    assert_fails(netdp_spotted_loss(&walk, 0, 2, NETDP_FORM_CORRECTED, &corrected, &error),
                 NETDP_INVALID);
}

static netdp_status everything(const struct walk *walk, double *value)
{
    static const int32_t members[] = {1, 4};
    netdp_i_walk_published *made = NULL;
    int64_t visits;
    netdp_status status =
        netdp_i_passage_bound(&walk->token, members, 2, 3, 3, value, NULL, &error);
    if (status == NETDP_OK)
        status = netdp_i_walk_published_new(&walk->token, NETDP_I_WALK_LOG, true, &made, &error);
    if (status == NETDP_OK)
        status = netdp_i_walk_published_column(made, members, 2, value, NULL, &error);
    netdp_i_walk_published_free(made);
    if (status == NETDP_OK)
        status = netdp_visits_quantile(&walk->token, 0, 0.01, &visits, &error);
    if (status == NETDP_OK)
        status = netdp_i_spotted_quantile(50, 3, 0.01, &visits, &error);
    return status;
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    struct walk walk = make("ring 7", "metropolis", 20);
    double value[7];
    for (sweep s = {.least = 10}; sweep_next(&s);)
        s.status = everything(&walk, value);
    drop(&walk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_values),
        cmocka_unit_test(test_passage_is_geometric_on_the_complete_graph),
        cmocka_unit_test(test_passage_bound_errs_upward),
        cmocka_unit_test(test_passage_bound_at_large_theta),
        cmocka_unit_test(test_passage_bound_survives_underflow),
        cmocka_unit_test(test_passage_bound_laws),
        cmocka_unit_test(test_published_sum_is_spectral),
        cmocka_unit_test(test_errata_3_logarithm_for_harmonic),
        cmocka_unit_test(test_logarithm_is_the_sum),
        cmocka_unit_test(test_published_laws),
        cmocka_unit_test(test_published_refuses),
        cmocka_unit_test(test_relabelling_relabels),
        cmocka_unit_test(test_log_series),
        cmocka_unit_test(test_star),
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_complete),
        cmocka_unit_test(test_closed_forms_refuse),
        cmocka_unit_test(test_complete_sum),
        cmocka_unit_test(test_complete_sgd),
        cmocka_unit_test(test_visits_are_exact),
        cmocka_unit_test(test_visits_of_long_walks),
        cmocka_unit_test(test_visits_of_drawn_walks),
        cmocka_unit_test(test_binomial_quantile),
        cmocka_unit_test(test_visits_refuse),
        cmocka_unit_test(test_spotted_contributions),
        cmocka_unit_test(test_spotted_loss),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

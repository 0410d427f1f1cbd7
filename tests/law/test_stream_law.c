/*
 * Streams against oracles that share nothing with the ways that are fast: M of every contribution
 * against the covariance of the whole view, inverted; a pattern's value against one that follows
 * every round.
 */
#include "check.h"

#include <cblas.h>
#include <lapacke.h>
#include <netdp/account.h>

#include "account/observe/impulse.h"
#include "account/gossip/matrices.h"
#include "account/gossip/pattern_value.h"
#include "account/gossip/dual_bound.h"
#include "account/observe/directions.h"
#include "account/gossip/stream.h"

static netdp_error error;

/* ---- One observer of a small network ---- */

enum { MOST = 16 };

typedef struct scene {
    netdp_graph *graph;
    netdp_mixing *mixing;
    int32_t nodes, member, seen[MOST];
    netdp_i_observer observer;
    netdp_i_basis basis;
    netdp_linear protocol;
    netdp_i_gains gains;
} scene;

/*
 * Node 0 observes: its neighbours' messages, or its own sums under its own noise. `shrink`: through
 * the directions that it tells apart (of two neighbours, of whom it sees the messages).
 */
static void scene_new(scene *s, const char *name, bool sums, int64_t rounds, int64_t every,
                      bool shrink)
{
    *s = (scene){.graph = NULL};
    assert_ok(netdp_graph_make(name, 5, true, &s->graph, NULL, &error));
    assert_ok(netdp_mixing_new(s->graph, "metropolis", &s->mixing, &error));
    assert_ok(netdp_i_basis_dense(s->mixing, &s->basis, &error));
    s->nodes = netdp_graph_nodes(s->graph);
    s->observer = (netdp_i_observer){.seen = s->seen, .quiet = &s->member, .last_sum = sums};
    s->observer.seen_count = sums ? 1 : netdp_graph_degree(s->graph, 0);
    s->observer.quiet_count = sums ? 0 : 1;
    if (shrink && !sums)
        s->observer.seen_count = 2;
    assert_true(s->nodes <= MOST);
    if (!sums)
        memcpy(s->seen, netdp_graph_neighbours(s->graph, 0),
               (size_t)s->observer.seen_count * sizeof *s->seen);
    s->protocol =
        (netdp_linear){.mixing = s->mixing, .rounds = rounds, .every = every, .steady = true};
    s->protocol.noise.dither = 1;
    if (shrink) {
        netdp_i_basis shrunk = {0};
        assert_ok(
            netdp_i_basis_shrink(&s->basis, s->seen, s->observer.seen_count, &shrunk, &error));
        assert_in_range(shrunk.modes, 1, s->basis.modes / 2);
        netdp_i_basis_clear(&s->basis);
        s->basis = shrunk;
    }
    assert_ok(
        netdp_i_gains_new(&s->protocol, &s->basis, &s->observer, rounds, &s->gains, NULL, &error));
}

static void scene_drop(scene *s)
{
    netdp_i_gains_clear(&s->gains);
    netdp_i_basis_clear(&s->basis);
    netdp_mixing_free(s->mixing);
    netdp_graph_free(s->graph);
}

/* ---- The whole view at once ---- */

/* powers[t][w][u] = (W^t)_wu for the rows w that are seen: of rounds 0 .. rounds. */
static double *seen_powers(const scene *s)
{
    const int64_t n = s->nodes, rounds = s->protocol.rounds, rows = s->observer.seen_count;
    double *powers = calloc((size_t)((rounds + 1) * rows * n), sizeof *powers);
    for (int64_t j = 0; j < rows; j++)
        powers[j * n + s->seen[j]] = 1;
    for (int64_t t = 0; t < rounds; t++)
        for (int64_t j = 0; j < rows; j++) /* W is symmetric */
            netdp_mixing_apply(s->mixing, powers + (t * rows + j) * n,
                               powers + ((t + 1) * rows + j) * n, 1);
    return powers;
}

/*
 * L^{-1} [G of all nodes], column-major [observations][nodes * slots], of the covariance K = L L^T
 * of everything that is seen: T rounds of messages, and the last sum s_T where it is.
 */
static double *whitened(const scene *s, int64_t *observations, int64_t slots)
{
    const int64_t n = s->nodes, rounds = s->protocol.rounds, rows = s->observer.seen_count;
    const int64_t times = rounds + (s->observer.last_sum ? 1 : 0), size = times * rows;
    double *powers = seen_powers(s);
    double *noise = calloc((size_t)(size * rounds * n), sizeof *noise);
    double *k = calloc((size_t)(size * size), sizeof *k);
    double *g = calloc((size_t)(size * n * slots), sizeof *g);
    for (int64_t t = 0; t < times; t++)
        for (int64_t j = 0; j < rows; j++)
            for (int64_t u = 0; u < n; u++) {
                const double *way = powers + j * n + u;
                for (int64_t b = 0; b <= t && b < rounds; b++)
                    if (s->observer.quiet_count == 0 || u != s->member)
                        noise[(b * n + u) * size + t * rows + j] = way[(t - b) * rows * n];
                for (int64_t slot = 0; slot * s->protocol.every <= t && slot < slots; slot++)
                    g[(u * slots + slot) * size + t * rows + j] =
                        way[(t - slot * s->protocol.every) * rows * n];
            }
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)size, (int)(rounds * n), 1, noise,
                (int)size, 0, k, (int)size);
    assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (int)size, k, (int)size), 0);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)size,
                (int)(n * slots), 1, k, (int)size, g, (int)size);
    free(powers);
    free(noise);
    free(k);
    *observations = size;
    return g;
}

/* M of all nodes but 0 against the products of their whitened responses. */
static void compare_matrices(netdp_i_matrices *matrices, const double *g, int64_t size,
                             int64_t slots, int32_t nodes)
{
    double *m = calloc((size_t)(slots * slots), sizeof *m);
    for (int32_t u = nodes - 1; u > 0; u--) {
        netdp_i_matrices_fill(matrices, u - 1, 0, m);
        assert_false(netdp_i_matrices_told(matrices, u - 1));
        for (int64_t k = 0; k < slots; k++)
            for (int64_t l = k; l < slots; l++) {
                const double want = cblas_ddot((int)size, g + (u * slots + k) * size, 1,
                                               g + (u * slots + l) * size, 1);
                assert_close(m[k * slots + l], want, 1e-12, 0);
            }
    }
    free(m);
    netdp_i_matrices_free(matrices);
}

static void check_matrices(const char *name, bool sums, int64_t rounds, int64_t every, bool steady,
                           bool shrink)
{
    scene s;
    scene_new(&s, name, sums, rounds, every, shrink);
    assert_int_equal(s.gains.steady, steady);
    const int64_t slots = (rounds - 1) / every + 1;
    int64_t size = 0;
    double *g = whitened(&s, &size, slots);
    int32_t from[MOST];
    for (int32_t u = 1; u < s.nodes; u++)
        from[u - 1] = u;
    netdp_i_ages shown = {0};
    netdp_i_retrace retrace = {0};
    netdp_i_matrices *matrices = NULL;
    double lengths = 0;
    assert_ok(netdp_i_ages_new(&s.protocol, &s.gains, &shown, NULL, &error));
    assert_ok(netdp_i_matrices_new(&s.protocol, &s.gains, &shown, from, s.nodes - 1, &matrices,
                                   NULL, &error));
    compare_matrices(matrices, g, size, slots, s.nodes);
    netdp_i_ages_clear(&shown);
    if (!shrink) {
        assert_ok(netdp_i_retrace_new(&s.protocol, &s.observer, &s.gains, &retrace, NULL, &error));
        assert_ok(netdp_i_matrices_retraced(&s.protocol, &retrace, from, s.nodes - 1, &matrices,
                                            &lengths, NULL, &error));
        compare_matrices(matrices, g, size, slots, s.nodes);
        assert_true(lengths > 0);
        netdp_i_retrace_clear(&retrace);
    }
    free(g);
    scene_drop(&s);
}

static void test_matrices(void **state)
{
    (void)state;
    check_matrices("regular 8 5", false, 8, 1, false, false);
    check_matrices("regular 8 5", false, 60, 1, true, false);
    check_matrices("regular 8 5", false, 61, 3, true, false);
    check_matrices("regular 8 5", true, 60, 1, true, false);
    check_matrices("regular 8 5", true, 62, 4, true, false);
    check_matrices("regular 8 5", true, 9, 2, false, false);
    check_matrices("star 6", false, 40, 1, true,
                   false); /* the hub sees everyone: no state is left */
    check_matrices("ring 7", true, 30, 1, false, false);
    check_matrices("complete 5", false, 40, 7, true, false);
    check_matrices("complete 5", false, 40, 50, true, false); /* one contribution */
}

static void test_matrices_of_symmetric_graphs(void **state)
{
    (void)state;
    check_matrices("hypercube 4", false, 170, 5, true, true);
    check_matrices("hypercube 4", true, 171, 6, true, true);
    check_matrices("complete 9", false, 60, 1, true, true);
    check_matrices("star 9", true, 12, 5, false, true);
}

/* ---- Every round in turn ---- */

static void follow(const scene *s, const double *pattern, const int32_t *from, int32_t count,
                   double *loss)
{
    netdp_i_response e = {0};
    assert_ok(netdp_i_response_new(s->gains.filter, count, &e, &error));
    memset(loss, 0, (size_t)count * sizeof *loss);
    for (int64_t t = 0; t <= s->protocol.rounds; t++) {
        const bool last = t == s->protocol.rounds;
        if (last && !s->observer.last_sum)
            break;
        if (!last && t % s->protocol.every == 0)
            netdp_i_response_contribute(&e, &s->basis, from, pattern[t / s->protocol.every]);
        const netdp_i_gain *gain = last ? &s->gains.last : netdp_i_gains_at(&s->gains, t);
        netdp_i_response_learn(&e, gain);
        for (int32_t i = 0; i < count; i++)
            for (int j = 0; j < gain->rank; j++)
                loss[i] += e.w[i * e.seen + j] * e.w[i * e.seen + j];
        netdp_i_response_predict(&e);
    }
    netdp_i_response_clear(&e);
}

typedef double (*shape)(int64_t k, int64_t slots);

static double ones(int64_t k, int64_t slots)
{
    return k < slots ? 1 : 0;
}

static double alternating(int64_t k, int64_t slots)
{
    (void)slots;
    return k % 2 == 0 ? 1 : -1;
}

static double wave(int64_t k, int64_t slots)
{
    (void)slots;
    return cos(0.3 * (double)k) * 0.7;
}

static double first_only(int64_t k, int64_t slots)
{
    (void)slots;
    return k < 3 ? 1 : 0;
}

static double last_only(int64_t k, int64_t slots)
{
    return k >= slots - 5 ? -1 : 0;
}

static double irregular(int64_t k, int64_t slots)
{
    (void)slots;
    return (double)(k * k % 11 - 5) / 5;
}

static void check_patterns(const char *name, bool sums, int64_t rounds, int64_t every, bool fades)
{
    static const shape shapes[] = {ones, alternating, wave, first_only, last_only, irregular};
    scene s;
    scene_new(&s, name, sums, rounds, every, false);
    const int64_t slots = (rounds - 1) / every + 1;
    double *pattern = calloc((size_t)slots, sizeof *pattern), want[2 * MOST], got[2 * MOST];
    int32_t from[2 * MOST], count = 0; /* more than one block of nodes */
    for (int32_t twice = 0; twice < 2; twice++)
        for (int32_t u = 1; u < s.nodes; u++)
            from[count++] = u;
    netdp_i_impulse h;
    assert_ok(netdp_i_impulse_new(&s.gains, s.basis.rows + s.basis.modes, 1, 1, rounds / 8, &h,
                                  NULL, &error));
    assert_int_equal(h.over, fades);
    netdp_i_impulse_clear(&h);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (int64_t k = 0; k < slots; k++)
            pattern[k] = shapes[i](k, slots);
        follow(&s, pattern, from, count, want);
        assert_ok(netdp_i_pattern_value(&s.protocol, &s.basis, &s.gains, pattern,
                                        &(netdp_i_sources){count, from, got}, NULL, &error));
        for (int32_t u = 0; u < count; u++)
            assert_close(got[u], want[u], 0, 1e-11);
    }
    free(pattern);
    scene_drop(&s);
}

static void test_patterns(void **state)
{
    (void)state;
    check_patterns("regular 12 5", false, 3000, 1, true);
    check_patterns("regular 12 5", true, 3001, 1, true);
    check_patterns("regular 12 5", true, 3001, 6, true);
    check_patterns("star 16", false, 3000, 1, true);
    check_patterns("ring 14", false, 2000, 5, false); /* felt for too long: followed */
}

/* ---- Bounds of all of M ---- */

static const netdp_bound sound[] = {NETDP_BOUND_ABS_SUM, NETDP_BOUND_SPECTRAL, NETDP_BOUND_DUAL,
                                    NETDP_BOUND_UPPER};
enum { SOUND = sizeof sound / sizeof *sound };

/* The bounds of every node but the observer: [SOUND][nodes]. */
static void bound_all(const scene *s, const int32_t *from, double loss[SOUND][MOST])
{
    for (int b = 0; b < SOUND; b++)
        assert_ok(netdp_i_stream(&s->protocol, &s->basis, &s->observer,
                                 &(netdp_i_stream_asked){sound[b], NULL},
                                 &(netdp_i_sources){s->nodes - 1, from, loss[b]}, NULL, &error));
}

/* M is that of the whole view's covariance, inverted, and its best pattern found: no bound is below it. */
static void check_whole(const char *name, bool sums, int64_t rounds, int64_t every, int64_t most)
{
    scene s;
    scene_new(&s, name, sums, rounds, every, false);
    s.protocol.at_most = most;
    const int64_t slots = (rounds - 1) / every + 1, used = netdp_linear_contributions(&s.protocol);
    double whole[SOUND][MOST];
    int32_t from[MOST];
    for (int32_t u = 1; u < s.nodes; u++)
        from[u - 1] = u;
    bound_all(&s, from, whole);
    int64_t size = 0;
    double *g = whitened(&s, &size, slots), *m = calloc((size_t)(slots * slots), sizeof *m);
    netdp_i_dual *quadratic = NULL;
    assert_ok(netdp_i_dual_new((int32_t)slots, &quadratic, &error));
    for (int32_t u = 1; u < s.nodes; u++) {
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)slots, (int)slots, (int)size, 1,
                    g + u * slots * size, (int)size, g + u * slots * size, (int)size, 0, m,
                    (int)slots);
        const double truth = netdp_i_dual_lower(quadratic, m, (int32_t)slots, (int32_t)used);
        for (int b = 0; b < SOUND; b++)
            assert_true(whole[b][u - 1] >= truth * (1 - 1e-12));
    }
    netdp_i_dual_free(quadratic);
    free(g);
    free(m);
    scene_drop(&s);
}

static void test_whole(void **state)
{
    (void)state;
    check_whole("regular 8 5", false, 200, 1, 0);
    check_whole("regular 8 5", true, 200, 1, 0);
    check_whole("regular 8 5", true, 203, 2, 0);
    check_whole("complete 5", false, 170, 1, 0);
    check_whole("ring 7", true, 121, 2, 0);
    check_whole("ring 7", true, 119, 1, 9);
    check_whole("star 6", true, 100, 1, 0);
    check_whole("hypercube 4", false, 90, 1, 25);
    check_whole("ring 9", false, 64, 3, 0);
}

/* One pair of a network: a bound of so many rounds. */
static double bound_of(const char *name, const char *mixing, int32_t from, netdp_sees sees,
                       netdp_bound bound, int64_t rounds, int64_t every)
{
    netdp_graph *graph = NULL;
    netdp_mixing *made = NULL;
    netdp_losses *losses = NULL;
    assert_ok(netdp_graph_make(name, 1, true, &graph, NULL, &error));
    assert_ok(netdp_mixing_new(graph, mixing, &made, &error));
    const netdp_linear protocol = {
        .mixing = made, .rounds = rounds, .every = every, .steady = true, .noise.dither = 1};
    const int32_t to = 0;
    const netdp_loss_request request = {.protocol = &protocol,
                                        .sees = sees,
                                        .bound = bound,
                                        .from = &from,
                                        .from_count = 1,
                                        .to = &to,
                                        .to_count = 1};
    assert_ok(netdp_losses_new(&request, NULL, &losses, &error));
    const double loss = losses->loss[0];
    assert_int_equal(losses->certified, bound != NETDP_BOUND_LOWER);
    netdp_losses_free(losses);
    netdp_mixing_free(made);
    netdp_graph_free(graph);
    return loss;
}

/* More rounds are told no less, also from one kind of proof to the next; and no less than of the best pattern. */
static void check_growth(const char *name, const char *mixing, int32_t from, netdp_sees sees,
                         const int64_t *rounds, int count, int64_t every)
{
    for (int b = 0; b < SOUND; b++) {
        double before = 0;
        if (sound[b] != NETDP_BOUND_UPPER)
            continue;
        for (int i = 0; i < count; i++) {
            const double loss =
                bound_of(name, mixing, from, sees, sound[b], rounds[i] * every, every);
            assert_true(loss >= before * (1 - 1e-12));
            before = loss;
        }
        const double pattern =
            bound_of(name, mixing, from, sees, NETDP_BOUND_LOWER, rounds[count - 1] * every, every);
        assert_true(before >= pattern * (1 - 1e-12));
    }
}

static void test_growth(void **state)
{
    (void)state;
    static const int64_t rounds[] = {1024, 1025, 2048, 2049};
    check_growth("ring 12", "metropolis", 5, NETDP_SEES_NEIGHBOURS, rounds, 4, 1);
    check_growth("erdos-renyi 100 0.1", "metropolis", 50, NETDP_SEES_SUM, rounds, 4, 1);
    check_growth("torus 5 5", "metropolis", 5, NETDP_SEES_NEIGHBOURS, rounds, 2, 1);
    check_growth("ring 12", "lazy:0.9", 6, NETDP_SEES_NEIGHBOURS, rounds, 2, 1);
}

/* ---- Rounding ---- */

/* Proven bounds are above those that are computed, and by little. */
static void check_proven(const char *name, bool sums, int64_t rounds, int64_t every, double loose)
{
    scene s;
    scene_new(&s, name, sums, rounds, every, false);
    double plain[SOUND][MOST], proven[MOST];
    int32_t from[MOST];
    for (int32_t u = 1; u < s.nodes; u++)
        from[u - 1] = u;
    bound_all(&s, from, plain);
    for (int b = 0; b < SOUND; b++) {
        assert_ok(netdp_i_stream_proven(&s.protocol, &s.basis, &s.observer, sound[b],
                                        &(netdp_i_sources){s.nodes - 1, from, proven}, NULL,
                                        &error));
        for (int32_t i = 0; i < s.nodes - 1; i++) {
            const double most = (double)netdp_linear_contributions(&s.protocol);
            assert_true(proven[i] >= fmin(most, plain[b][i] * (1 - 1e-13)));
            assert_true(proven[i] <= plain[b][i] * (1 + loose));
        }
    }
    scene_drop(&s);
}

static void test_proven(void **state)
{
    (void)state;
    check_proven("regular 8 5", false, 40, 1, 1e-9);
    check_proven("regular 8 5", true, 200, 1, 1e-9);
    check_proven("ring 7", true, 300, 1, 1e-9);
    check_proven("ring 12", false, 500, 2, 1e-9);
    check_proven("star 6", true, 200, 1, 1e-9);
    check_proven("complete 5", false, 60, 1, 1e-9);
    check_proven("hypercube 4", false, 200, 3, 1e-9);
}

/* The sum of |M| in 50 digits: tests/oracle/stream_mpmath.py. */
static void test_proven_truth(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t rounds;
        int32_t from;
        netdp_sees sees;
        double truth;
    } cases[] = {
        {"ring 12", 40, 5, NETDP_SEES_NEIGHBOURS, 1.604836872399218277911576},
        {"ring 12", 40, 1, NETDP_SEES_SUM, 25.926964308193307421053},
        {"path 9", 30, 8, NETDP_SEES_NEIGHBOURS, 0.1121200040148149316575024},
        {"star 8", 30, 3, NETDP_SEES_SUM, 4.285714285714285714285714},
        {"complete 8", 20, 5, NETDP_SEES_SUM, 2.857142857142857142857143},
        {"complete 8", 8, 5, NETDP_SEES_NEIGHBOURS, 8},
        {"hypercube 4", 20, 15, NETDP_SEES_NEIGHBOURS, 0.8718517698229859547301864},
        {"hypercube 3", 40, 3, NETDP_SEES_SUM, 5.382064257232273556500347},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double got = bound_of(cases[i].name, "metropolis", cases[i].from, cases[i].sees,
                                    NETDP_BOUND_ABS_SUM, cases[i].rounds, 1);
        assert_true(got > cases[i].truth);
        assert_true(got <= cases[i].truth * (1 + 1e-9));
    }
}

/* The same towards coalitions; of two whose sums cannot be told apart nothing is proven. */
static void test_proven_coalitions(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t rounds;
        int32_t from, members, member[3];
        netdp_sees sees;
        double truth;
    } cases[] = {
        {"ring 12", 40, 6, 2, {0, 3}, NETDP_SEES_NEIGHBOURS, 5.45333637869291567036842},
        {"path 9", 30, 8, 3, {0, 1, 4}, NETDP_SEES_NEIGHBOURS, 3.871057742951949939823765},
        {"ring 12", 30, 6, 2, {0, 1}, NETDP_SEES_SUM, 0.9858602635897270536185873},
        {"hypercube 4", 16, 12, 3, {0, 3, 9}, NETDP_SEES_SUM, 2.044217529472575547301731},
        {"path 9", 24, 7, 2, {2, 5}, NETDP_SEES_SUM, 5.018600752209014252555914},
        {"star 8",
         24,
         7,
         2,
         {2, 5},
         NETDP_SEES_SUM,
         3.254188229753052001872471}, /* one sum twice */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        netdp_graph *graph = NULL;
        netdp_mixing *mixing = NULL;
        netdp_losses *losses = NULL;
        assert_ok(netdp_graph_make(cases[i].name, 1, true, &graph, NULL, &error));
        assert_ok(netdp_mixing_new(graph, "metropolis", &mixing, &error));
        const netdp_linear protocol = {.mixing = mixing,
                                       .rounds = cases[i].rounds,
                                       .every = 1,
                                       .steady = true,
                                       .noise.dither = 1};
        const netdp_loss_request request = {.protocol = &protocol,
                                            .sees = cases[i].sees,
                                            .bound = NETDP_BOUND_ABS_SUM,
                                            .from = &cases[i].from,
                                            .from_count = 1,
                                            .to = cases[i].member,
                                            .to_count = cases[i].members,
                                            .coalition = true};
        assert_ok(netdp_losses_new(&request, NULL, &losses, &error));
        assert_true(losses->certified);
        assert_int_equal(losses->bound->bound, NETDP_BOUND_ABS_SUM);
        if (getenv("SHOW") != NULL)
            print_message("%s: %.3g above\n", cases[i].name, losses->loss[0] / cases[i].truth - 1);
        assert_true(losses->loss[0] > cases[i].truth);
        assert_true(losses->loss[0] <= cases[i].truth * (1 + 1e-9));
        netdp_losses_free(losses);
        netdp_mixing_free(mixing);
        netdp_graph_free(graph);
    }
}

/* ---- Bounds of M ---- */

/* A nearly diagonal M, as of a hub: whatever rounding left beside the diagonal. */
static void test_bounds_of_nearly_diagonal(void **state)
{
    (void)state;
    enum { SLOTS = 320 };
    netdp_i_dual *quadratic = NULL;
    assert_ok(netdp_i_dual_new(SLOTS, &quadratic, &error));
    double *m = calloc((size_t)SLOTS * SLOTS, sizeof *m);
    for (int kind = 0; kind < 3; kind++) {
        for (int64_t i = 0; i < SLOTS; i++)
            for (int64_t j = 0; j <= i; j++)
                m[j * SLOTS + i] = i == j ? kind != 1 : 1e-17 * (double)((i * j + kind) % 7 - 3);
        static const netdp_bound bounds[] = {NETDP_BOUND_UPPER, NETDP_BOUND_ABS_SUM,
                                             NETDP_BOUND_SPECTRAL, NETDP_BOUND_DUAL};
        for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
            double loss = -1;
            assert_ok(netdp_i_stream_bound(quadratic, bounds[i], m, SLOTS, SLOTS, &loss, &error));
            assert_close(loss, kind != 1 ? SLOTS : 0, 1e-9, 0);
            assert_true(loss >= (kind != 1 ? SLOTS * (1 - 1e-12) : 0));
        }
    }
    free(m);
    netdp_i_dual_free(quadratic);
}

/* Signs that alternate attain the sum of absolute entries: upper is that sum, and no bound less. */
static void test_attained(void **state)
{
    (void)state;
    enum { SLOTS = 30 };
    netdp_i_dual *quadratic = NULL;
    assert_ok(netdp_i_dual_new(SLOTS, &quadratic, &error));
    double m[SLOTS * SLOTS], want = 0, loss[4];
    static const netdp_bound bounds[] = {NETDP_BOUND_LOWER, NETDP_BOUND_UPPER, NETDP_BOUND_SPECTRAL,
                                         NETDP_BOUND_DUAL};
    for (int alternating = 0; alternating < 2; alternating++) {
        for (int b = 0; b < 4; b++) {
            want = 0;
            for (int64_t k = 0; k < (int64_t)SLOTS * SLOTS; k++) {
                const int64_t apart = k / SLOTS - k % SLOTS;
                m[k] = 0.1 * pow(alternating ? -0.6 : 0.6, (double)(apart < 0 ? -apart : apart));
                want += fabs(m[k]);
            }
            assert_ok(
                netdp_i_stream_bound(quadratic, bounds[b], m, SLOTS, SLOTS, &loss[b], &error));
        }
        assert_close(loss[0], want, 0, 1e-12);
        assert_close(loss[1], want, 0, 1e-12);
        for (int b = 2; b < 4; b++)
            assert_true(loss[b] >= want * (1 - 1e-12));
    }
    netdp_i_dual_free(quadratic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrices),     cmocka_unit_test(test_matrices_of_symmetric_graphs),
        cmocka_unit_test(test_patterns),     cmocka_unit_test(test_bounds_of_nearly_diagonal),
        cmocka_unit_test(test_attained),     cmocka_unit_test(test_whole),
        cmocka_unit_test(test_growth),       cmocka_unit_test(test_proven),
        cmocka_unit_test(test_proven_truth), cmocka_unit_test(test_proven_coalitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Errors of the papers that no other test computes both sides of. Where the others stand, by the
 * numbers of docs/what-holds.md:
 *
 *      1  law/test_account_law, law/test_audit_gossip    2  cli/test_golden.py
 *      3  unit/test_walk_published                       4  unit/test_walk_published
 *      5  unit/test_walk_published                       6  here, cli/test_graph.py
 *      7  here                                           8  unit/test_walk_published,
 * unit/test_tally 9  law/test_tally_law                            10  here 11  cli/test_walk.py,
 * law/test_audit_walk         12  here 13  stat/test_feedback                            14  here
 *     15  law/test_phase_law                            16  unit/test_convergence, unit/test_claims
 *     17  here
 */
#include "walk_net.h"

#include <math.h>
#include <netdp/learn.h>
#include <netdp/random.h>
#include <netdp/walk.h>
#include <netdp/simulate.h>

static const netdp_tracing silent = {.every = 1};

static double normal_below(double x)
{
    return 0.5 * erfc(-x / sqrt(2));
}

/* 6: weights 1/max(d_u, d_v), as papers A and C print them, leave no gap where they are needed. */
static void test_periodic_weights(void **state)
{
    (void)state;
    static const char *const families[] = {"hypercube 5", "ring 12", "torus 4 4"};
    for (size_t f = 0; f < 3; f++) {
        double gap[2];
        for (int k = 0; k < 2; k++) {
            netdp_graph *graph;
            netdp_mixing *mixing;
            netdp_spectrum spectrum;
            assert_ok(netdp_graph_make(families[f], 1, true, &graph, NULL, &error));
            assert_ok(netdp_mixing_new(graph, k == 0 ? "hamilton" : "metropolis", &mixing, &error));
            assert_ok(netdp_mixing_spectrum(mixing, NETDP_SPECTRAL_DENSE, &spectrum, &error));
            gap[k] = spectrum.gap;
            netdp_mixing_free(mixing);
            netdp_graph_free(graph);
        }
        assert_close(gap[0], 0, 1e-12, 0);
        assert_true(gap[1] > 0.04);
    }
}

/*
 * 7: the code of paper A walks by the adjacency matrix: on a geometric graph its long run is not
 * uniform, so it learns another mean.
 */
static void test_adjacency_walk(void **state)
{
    (void)state;
    net n = open_net("geometric 60 0.3", 1, "hastings:degree");
    const double *pi = netdp_transition_stationary(n.law);
    double least = 1, most = 0;
    for (int32_t u = 0; u < n.rows.nodes; u++) {
        least = fmin(least, pi[u]);
        most = fmax(most, pi[u]);
    }
    assert_true(most > 2 * least);
    assert_true(most > 1.4 / n.rows.nodes);
    drop(n);
}

enum { VISITS = 4000, TRIALS = 200 };

/* How often the walk towards `target` stands at node 0. */
static int visits_of(net n, uint64_t repeat)
{
    static int32_t path[VISITS + 1];
    static const double zeros[3];
    const netdp_token token = {
        .law = n.law, .steps = VISITS, .start = NETDP_START_UNIFORM, .tokens = 1};
    const netdp_walking still = {.values = zeros, .width = 1, .step = 1};
    double model;
    int visits = 0;
    assert_ok(netdp_simulate_walk(&token, &still, (netdp_run_seed){11, repeat}, silent, &model,
                                  path, &error));
    for (int t = 0; t < VISITS; t++)
        visits += path[t] == 0;
    return visits;
}

/*
 * 10: paper B, Algorithm 2: where the token goes tells the private L_u of the node that it prefers,
 * however much noise the gradients carry. L_0 = 1 or 2 among three nodes: the visits of a walk tell
 * which, every time.
 */
static void test_path_of_weighted_walk(void **state)
{
    (void)state;
    static const double targets[2][3] = {{1, 1, 1}, {2, 1, 1}};
    int most = 0, least = VISITS;
    for (int world = 0; world < 2; world++) {
        net n;
        assert_ok(netdp_graph_make("complete 3", 1, true, &n.graph, NULL, &error));
        assert_ok(netdp_transition_toward(n.graph, targets[world], &n.law, &error));
        for (uint64_t r = 0; r < TRIALS; r++) {
            const int visits = visits_of(n, r);
            most = world == 0 && visits > most ? visits : most;
            least = world == 1 && visits < least ? visits : least;
        }
        drop(n);
    }
    assert_true(most < least);
}

/*
 * 12: paper A, Appendix B.1 adds to Lemma 2 for an observer who knows the sender. The mean of exp
 * over paths that are *revealed* already is what the first passage computes: one contribution, the
 * whole path known, costs no more.
 */
static void test_revealed_path(void **state)
{
    (void)state;
    enum { STEPS = 60, RUNS = 40000 };
    const double sigma = 1, alpha = 2, theta = alpha * (alpha - 1) / (2 * sigma * sigma);
    const int32_t from = 1, to = 0;
    net n = open_net("hypercube 3", 1, "metropolis");
    /* one contribution of u, at step 0 */
    const netdp_token token = {.law = n.law, .steps = STEPS, .start = from, .cap = 1, .tokens = 1};
    const netdp_walk_request request = {.token = &token,
                                        .bound = NETDP_BOUND_FIRST_PASSAGE,
                                        .noise = sigma,
                                        .unit = {NETDP_AS_RDP, alpha},
                                        .from_count = 1,
                                        .from = &from,
                                        .to_count = 1,
                                        .to = &to};
    static int32_t path[STEPS + 1];
    static const double zeros[8];
    const netdp_walking still = {.values = zeros, .width = 1, .step = 1};
    double sum = 0, square = 0, model, cost[8];
    for (uint64_t r = 0; r < RUNS; r++) {
        assert_ok(netdp_simulate_walk(&token, &still, (netdp_run_seed){13, r}, silent, &model, path,
                                      &error));
        assert_ok(
            netdp_realised_costs(&token, path, NETDP_REALISED_ABSORBED, 1, &to, cost, &error));
        const double paid = exp(theta * cost[from]);
        sum += paid / RUNS;
        square += paid * paid / RUNS;
    }
    netdp_losses *losses = NULL;
    assert_ok(netdp_walk_losses_new(&request, NULL, &losses, &error));
    const double claimed = exp((alpha - 1) * losses->loss[0]);
    netdp_losses_free(losses);
    /* 4.5 standard errors either way: false alarms 7e-6 */
    assert_close(sum, claimed, 4.5 * sqrt((square - sum * sum) / RUNS), 0);
    drop(n);
}

/* x - step g(x), g clipped by rows (ours) or as a whole (the authors' code). */
static void step_from(const netdp_examples *rows, bool by_rows, double clip, const double *x,
                      double *y)
{
    const netdp_objective objective = {.kind = NETDP_LOGISTIC, .clip = by_rows ? clip : INFINITY};
    double gradient[2];
    netdp_gradient(&objective, rows, 0, x, 0, 1, 0, NULL, gradient);
    const double norm = hypot(gradient[0], gradient[1]);
    const double scale = by_rows || norm <= clip ? 1 : clip / norm;
    for (int j = 0; j < 2; j++)
        y[j] = x[j] - 8 * scale * gradient[j]; /* 8 = 2 / beta for rows of norm 1 */
}

/*
 * 14: a step along the clipped *average* of two rows' gradients drives two models apart, by a
 * factor of 1.37 here (1.23 was known); along the average of clipped rows it cannot.
 */
static void test_clipped_average_expands(void **state)
{
    (void)state;
    double x[] = {0.9381679054063338, -0.3461805616517086, 0.8596341224178552, -0.5109101443256768};
    double y[] = {1, -1};
    int64_t start[] = {0, 2};
    const netdp_examples rows = {
        .rows = 2, .features = 2, .x = x, .y = y, .nodes = 1, .start = start};
    const double clip = 0.08194667758055978;
    const double one[] = {-0.35746066244403685, -1.3753064184820123};
    const double other[] = {one[0] + 0.3726e-4, one[1] - 0.9280e-4};
    const double apart = hypot(one[0] - other[0], one[1] - other[1]);
    double moved[2][2][2];
    for (int by_rows = 0; by_rows < 2; by_rows++) {
        step_from(&rows, by_rows == 1, clip, one, moved[by_rows][0]);
        step_from(&rows, by_rows == 1, clip, other, moved[by_rows][1]);
    }
    for (int by_rows = 0; by_rows < 2; by_rows++) {
        const double left = hypot(moved[by_rows][0][0] - moved[by_rows][1][0],
                                  moved[by_rows][0][1] - moved[by_rows][1][1]);
        if (by_rows == 1)
            assert_true(left <= apart * (1 + 1e-9));
        else
            assert_true(left > 1.37 * apart);
    }
}

/*
 * 14: steps 1/t: a contribution at t = 10 behind 1,000 noise terms is hidden by their energy, not
 * by their number: 0.096 where 1/1000 is claimed.
 */
static void test_shrinking_steps(void **state)
{
    (void)state;
    double energy = 0;
    for (int t = 10; t < 1010; t++)
        energy += 1 / ((double)t * t);
    const double truth = 0.01 / energy;
    assert_close(truth, 0.096, 5e-4, 0);
    assert_true(truth > 90 * 0.001);
    /* The simulator's steps shrink like that: unit noise at 1..3, step 1/t, is 1, 1/2, 1/3 apart.
     */
    static const double zeros[2];
    net n = open_net("complete 2", 1, "metropolis");
    double model[4] = {0};
    for (int64_t steps = 1; steps <= 3; steps++) {
        const netdp_token token = {.law = n.law, .steps = steps, .tokens = 1};
        const netdp_walking shrinking = {
            .values = zeros, .width = 1, .step = 1e-9, .decay = 1, .noise = 1e9};
        assert_ok(netdp_simulate_walk(&token, &shrinking, (netdp_run_seed){17, 0}, silent,
                                      &model[steps], NULL, &error));
    }
    netdp_stream stream = netdp_stream_at(17, NETDP_FOR_WALK_NOISE, 0, 0);
    double normal[3];
    netdp_stream_normals(&stream, normal, 3);
    for (int t = 1; t <= 3; t++)
        assert_close(model[t] - model[t - 1], -normal[t - 1] / t, 1e-6, 0);
    drop(n);
}

/*
 * 17: clip gradient plus noise at 0.4, noise 0.8: the claim counts a sensitivity of 2 * 0.4, total
 * variation 0.38. Gradients +1 and -1 keep theirs: the sign of what comes out tells more.
 */
static void test_clip_after_noise(void **state)
{
    (void)state;
    enum { RUNS = 200000 };
    const double clip = 0.4, sigma = 0.8;
    const double claimed = 2 * normal_below(clip / sigma) - 1;
    int64_t positive[2] = {0};
    for (int world = 0; world < 2; world++)
        for (uint64_t r = 0; r < RUNS / 1000; r++) {
            double normal[1000];
            netdp_stream stream = netdp_stream_at(19, NETDP_FOR_TEST, (uint32_t)world, r);
            netdp_stream_normals(&stream, normal, 1000);
            for (int i = 0; i < 1000; i++) {
                const double gradient = world == 0 ? -1 : 1;
                const double sent = fmax(-clip, fmin(clip, gradient + sigma * normal[i]));
                positive[world] += sent > 0;
            }
        }
    const double apart = (double)(positive[1] - positive[0]) / RUNS;
    assert_close(claimed, 0.383, 1e-3, 0);
    assert_close(apart, 2 * normal_below(1 / sigma) - 1, 0.006,
                 0); /* 0.789; 4.5 errors are 0.0058 */
    assert_true(apart > 2 * claimed);
    /* Clipped before the noise, as netdp does, they are as far apart as was claimed. */
    const netdp_objective objective = {.kind = NETDP_RIDGE, .clip = clip};
    double x[] = {1}, y[] = {1}, gradient[2];
    int64_t start[] = {0, 1};
    const netdp_examples row = {
        .rows = 1, .features = 1, .x = x, .y = y, .nodes = 1, .start = start};
    for (int world = 0; world < 2; world++) {
        const double model = world == 0 ? 2 : 0; /* gradients 1 and -1 before the clip */
        netdp_gradient(&objective, &row, 0, &model, 0, 1, 0, NULL, &gradient[world]);
    }
    assert_close(gradient[0] - gradient[1], 2 * clip, 1e-12, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_periodic_weights),        cmocka_unit_test(test_adjacency_walk),
        cmocka_unit_test(test_path_of_weighted_walk),   cmocka_unit_test(test_revealed_path),
        cmocka_unit_test(test_clipped_average_expands), cmocka_unit_test(test_shrinking_steps),
        cmocka_unit_test(test_clip_after_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

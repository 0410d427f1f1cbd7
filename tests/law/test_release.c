/*
 * The bound for large networks (docs/proofs/release.md) on networks small enough for the account
 * that it bounds: a phase in all eigenvectors of W, and averaging over many more rounds.
 */
#include "check.h"

#include <netdp/account.h>

#include "account/gossip/release.h"

typedef struct net {
    netdp_graph *graph;
    netdp_mixing *mixing;
    int32_t nodes;
    double away;
} net;

static const char *const families[] = {"regular 90 4",
                                       "hypercube 6",
                                       "karate",
                                       "geometric 80 0.3",
                                       "stochastic-block 30,30 0.4,0.1;0.1,0.4",
                                       "ring 24",
                                       "star 20"};

enum { FAMILIES = sizeof families / sizeof *families };

static void net_make(net *g, const char *family)
{
    netdp_error error;
    netdp_spectrum spectrum;
    assert_int_equal(netdp_graph_make(family, 3, true, &g->graph, NULL, &error), NETDP_OK);
    assert_int_equal(netdp_mixing_new(g->graph, "metropolis", &g->mixing, &error), NETDP_OK);
    assert_int_equal(netdp_mixing_spectrum(g->mixing, NETDP_SPECTRAL_DENSE, &spectrum, &error),
                     NETDP_OK);
    g->nodes = netdp_graph_nodes(g->graph);
    g->away = 1 - spectrum.gap;
}

static void net_free(net *g)
{
    netdp_mixing_free(g->mixing);
    netdp_graph_free(g->graph);
}

static netdp_losses *account(const netdp_linear *protocol, netdp_bound bound, int32_t to)
{
    netdp_error error;
    netdp_losses *losses = NULL;
    const netdp_loss_request request = {
        .protocol = protocol, .bound = bound, .to_count = 1, .to = &to};
    assert_int_equal(netdp_losses_new(&request, NULL, &losses, &error), NETDP_OK);
    return losses;
}

/* The bound towards `to`, all nodes at once and some of them alone. */
static void release(const net *g, const netdp_linear *protocol, int64_t rounds, double dither,
                    int32_t to, double *loss)
{
    netdp_error error;
    int32_t from[128];
    double alone = 0;
    for (int32_t u = 0; u < g->nodes; u++)
        from[u] = u;
    const netdp_i_released released = {rounds, dither, g->away};
    const netdp_i_sources all = {g->nodes, from, loss};
    assert_int_equal(netdp_i_release_loss(protocol, &released, &to, 1, &all, NULL, &error),
                     NETDP_OK);
    for (int32_t u = 0; u < g->nodes; u += g->nodes / 3) {
        const netdp_i_sources one = {1, &u, &alone};
        assert_int_equal(netdp_i_release_loss(protocol, &released, &to, 1, &one, NULL, &error),
                         NETDP_OK);
        assert_true(fabs(alone - loss[u]) <= 1e-9 * loss[u] + 1e-12);
    }
}

/* A phase: never below the account that it stands for; above it by little once K rounds mix. */
static void test_phase(void **state)
{
    (void)state;
    for (int i = 0; i < FAMILIES; i++) {
        net g;
        double loss[128];
        net_make(&g, families[i]);
        for (int64_t rounds = 1; rounds <= 36; rounds = 3 * rounds + 3) {
            const netdp_linear protocol = {.mixing = g.mixing,
                                           .rounds = rounds,
                                           .dither = rounds == 6 ? 1e-3 : 0.05,
                                           .end_dither = 0.1,
                                           .every = rounds,
                                           .reacts = true};
            netdp_losses *truth = account(&protocol, NETDP_BOUND_PHASE_RELEASE, 1);
            release(&g, &protocol, rounds, 0.1, 1, loss);
            const double rest = pow(g.away, 2 * (double)rounds) / (0.1 * 0.1) * 100;
            for (int32_t u = 0; u < g.nodes; u++) {
                if (u == 1)
                    continue;
                const double exact = truth->loss[u];
                if (!(fmin(loss[u], 1) >= exact - 1e-9 && loss[u] <= 1.1 * exact + rest + 1e-6))
                    fail_msg("%s, %d rounds, from %d: bound %.12g, account %.12g, rest %.3g",
                             families[i], (int)rounds, (int)u, loss[u], exact, rest);
            }
            netdp_losses_free(truth);
        }
        net_free(&g);
    }
}

/* Averaging: above the exact account of any number of rounds from the release on. */
static void test_averaging(void **state)
{
    (void)state;
    for (int i = 0; i < FAMILIES; i++) {
        net g;
        double loss[128];
        net_make(&g, families[i]);
        for (double dither = 0.01; dither < 0.5; dither *= 10) {
            netdp_linear protocol = {.mixing = g.mixing, .dither = dither};
            const int64_t enough = netdp_i_release_rounds(g.nodes, g.away, dither);
            const int64_t rounds = enough < 40 ? enough : 40;
            release(&g, &protocol, rounds, dither, 1, loss);
            double mean = 0, truth = 0;
            for (int64_t later = rounds + 1; later <= 6 * rounds; later = 2 * later + 1) {
                protocol.rounds = later;
                netdp_losses *exact = account(&protocol, NETDP_BOUND_EXACT, 1);
                mean = truth = 0;
                for (int32_t u = 0; u < g.nodes; u++) {
                    if (u == 1)
                        continue;
                    mean += fmin(1, loss[u]);
                    truth += exact->loss[u];
                    if (!(fmin(loss[u], 1) >= exact->loss[u] - 1e-9))
                        fail_msg("%s, %d rounds, from %d: bound %.12g, exact %.12g", families[i],
                                 (int)later, (int)u, loss[u], exact->loss[u]);
                }
                netdp_losses_free(exact);
            }
            /* Where the network has mixed, little more than what is left of the mean is given. */
            if (rounds == enough && !(mean <= truth + 1.2))
                fail_msg("%s: sum of bounds %.4g, of exact losses %.4g", families[i], mean, truth);
        }
        net_free(&g);
    }
}

/* Who is seen directly loses 1, and no less in digits: a release has no proof, so that what is called certified is no release. */
static void test_proven(void **state)
{
    (void)state;
    netdp_error error;
    netdp_graph *graph = NULL;
    netdp_mixing *mixing = NULL;
    assert_int_equal(netdp_graph_make("regular 4100 6", 1, true, &graph, NULL, &error), NETDP_OK);
    assert_int_equal(netdp_mixing_new(graph, "metropolis", &mixing, &error), NETDP_OK);
    const netdp_linear protocol = {.mixing = mixing, .rounds = 200, .dither = 0.5};
    const int32_t to = 3;
    for (netdp_certify certify = NETDP_CERTIFY_AUTO; certify <= NETDP_CERTIFY_NO; certify++) {
        netdp_losses *losses = NULL;
        const netdp_loss_request request = {.protocol = &protocol,
                                            .bound = NETDP_BOUND_UPPER,
                                            .certify = certify,
                                            .from = netdp_graph_neighbours(graph, to),
                                            .from_count = netdp_graph_degree(graph, to),
                                            .to = &to,
                                            .to_count = 1};
        assert_int_equal(netdp_losses_new(&request, NULL, &losses, &error), NETDP_OK);
        assert_true(losses->certified == (certify != NETDP_CERTIFY_NO));
        for (int32_t i = 0; i < losses->from_count; i++)
            assert_true(losses->loss[i] >= 1);
        netdp_losses_free(losses);
    }
    netdp_mixing_free(mixing);
    netdp_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_phase),
        cmocka_unit_test(test_averaging),
        cmocka_unit_test(test_proven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

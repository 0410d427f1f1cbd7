/*
 * Nodes with more noise than the others: the account against the best attack on the same
 * description, which models every draw: never below it, and equal where the others have the usual
 * noise; and the simulator's runs are as far apart as that attack expects.
 */
#include "net.h"

#include <netdp/audit.h>
#include <netdp/random.h>

static netdp_linear averaging(net n, netdp_settings settings)
{
    const netdp_protocol *named = NULL;
    assert_ok(netdp_protocol_find("averaging", &named, &error));
    return netdp_protocol_describe(named, n.mixing, &settings);
}

static double account(const netdp_gossip_attack *a)
{
    const netdp_loss_request request = {.protocol = a->protocol,
                                        .sees = a->view.sees,
                                        .own_noise = a->view.own_noise,
                                        .from_count = 1,
                                        .from = &a->victim,
                                        .to_count = a->view.count,
                                        .to = a->view.observers,
                                        .coalition = a->view.count > 1};
    netdp_losses *losses = NULL;
    assert_ok(netdp_losses_new(&request, NULL, &losses, &error));
    assert_true(losses->sound);
    const double loss = losses->loss[0];
    netdp_losses_free(losses);
    return loss;
}

static double attack(netdp_gossip_attack a)
{
    double scores[2], mu = -1;
    a.runs = 1;
    assert_ok(netdp_attack_gossip(&a, NULL, scores, &mu, &error));
    return mu * mu * a.noise * a.noise;
}

static void test_account_covers_the_attack(void **state)
{
    (void)state;
    static const char *const families[] = {"davis", "ring 12", "complete 8"};
    static const int32_t observers[] = {3, 6};
    netdp_stream stream = netdp_stream_at(5, NETDP_FOR_DATA, 0, 0);
    int closer = 0, equal = 0;
    for (int i = 0; i < 18; i++) {
        net n = family(families[i % 3]);
        const int32_t nodes = netdp_graph_nodes(n.graph);
        double own[32], alone[32];
        for (int32_t v = 0; v < nodes; v++)
            own[v] = 1 + (v % 3 == 0 ? 0 : 2 * netdp_stream_uniform(&stream));
        netdp_linear p =
            averaging(n, (netdp_settings){.rounds = 5,
                                          .noise.dither = i % 2 == 0 ? 0.2 : 0.02,
                                          .accelerate = i % 5 == 4,
                                          .noise.pairing = {.graph = i % 4 == 3 ? n.graph : NULL,
                                                            .kappa = i % 4 == 3 ? 1.5 : 0}});
        netdp_gossip_attack a = {
            .protocol = &p,
            .view = {.sees = i % 6 == 5 ? NETDP_SEES_SUM : NETDP_SEES_NEIGHBOURS,
                     .own_noise = i % 7 == 6 ? NETDP_OWN_NOISE_COUNTS : NETDP_OWN_NOISE_KNOWN,
                     .count = 1 + (i % 3 == 1),
                     .observers = observers},
            .noise = 1};
        for (int32_t u = 0; u < nodes; u++) {
            if (u == 3 || (a.view.count == 2 && u == 6))
                continue;
            a.victim = u;
            p.own = NULL;
            const double base = account(&a);
            p.own = own;
            const double with = account(&a), best = attack(a);
            if (!(best <= with * (1 + 1e-7)) || !(with <= base))
                fail_msg("%s, %d about %d: account %.12g, attack %.12g, without %.12g",
                         families[i % 3], 3, (int)u, with, best, base);
            closer += own[u] > 1 && base > 1e-3 && with < base * (1 - 1e-3);
            for (int32_t v = 0; v < nodes; v++)
                alone[v] = v == u ? 2.5 : 1;
            p.own = alone;
            assert_close(account(&a), attack(a), 1e-9, 1e-6);
            equal += base > 1e-3;
        }
        net_drop(n);
    }
    assert_true(closer > 100 && equal > 150);
}

/* Were a node's more noise not drawn, its scores would spread less than the model says. */
static void test_the_simulator_draws_it(void **state)
{
    (void)state;
    enum { RUNS = 8000 };
    static double scores[2 * RUNS];
    net n = family("ring 12");
    const double own[12] = {1, 2, 1.5, 1, 1, 3, 1, 1, 2, 1, 1, 1};
    netdp_linear p = averaging(n, (netdp_settings){.rounds = 4, .noise.dither = 0.1});
    const int32_t observer = 3;
    p.own = own;
    for (int32_t victim = 1; victim <= 5; victim++) {
        if (victim == observer)
            continue;
        const netdp_gossip_attack a = {.protocol = &p,
                                       .view = {.count = 1, .observers = &observer},
                                       .victim = victim,
                                       .noise = 0.8,
                                       .runs = RUNS,
                                       .seed = 11};
        double mu = 0, mean[2] = {0}, square = 0;
        assert_ok(netdp_attack_gossip(&a, NULL, scores, &mu, &error));
        for (int64_t i = 0; i < 2 * RUNS; i++)
            mean[i / RUNS] += scores[i] / RUNS;
        for (int64_t i = 0; i < 2 * RUNS; i++)
            square += pow(scores[i] - mean[i / RUNS], 2) / (2 * RUNS - 2);
        assert_close(mean[1] - mean[0], mu * mu, 5 * mu * sqrt(2.0 / RUNS), 0);
        assert_close(square, mu * mu, 0, 5 / sqrt((double)RUNS));
    }
    net_drop(n);
}

static void test_refusals(void **state)
{
    (void)state;
    net n = family("ring 6");
    const netdp_protocol *named = NULL;
    double own[6] = {1, 2, 1, 1, 1, 1};
    assert_ok(netdp_protocol_find("stream", &named, &error));
    const netdp_settings settings = {.rounds = 4, .every = 1, .at_most = 2};
    netdp_linear streaming = netdp_protocol_describe(named, n.mixing, &settings);
    streaming.own = own;
    assert_fails(netdp_linear_check(&streaming, &error), NETDP_INVALID);
    netdp_linear p = averaging(n, (netdp_settings){.rounds = 4, .noise.dither = 0.1});
    p.own = own;
    assert_ok(netdp_linear_check(&p, &error));
    netdp_loss_request request = {.protocol = &p, .bound = NETDP_BOUND_PUBLISHED};
    netdp_losses *losses = NULL;
    double of = 0;
    assert_fails(netdp_losses_new(&request, NULL, &losses, &error), NETDP_INVALID);
    assert_fails(netdp_noise_error(&p, &of, &error), NETDP_NO_ANSWER);
    own[1] = 0.999;
    assert_fails(netdp_linear_check(&p, &error), NETDP_INVALID);
    own[1] = NAN;
    assert_fails(netdp_linear_check(&p, &error), NETDP_INVALID);
    net_drop(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_account_covers_the_attack),
        cmocka_unit_test(test_the_simulator_draws_it),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * The attack on gossip over changing networks against the accountants: a dense model of what the
 * simulator draws, made here, agrees with the exact account, and never beats a bound.
 *
 * Runs come from fixed seeds. A mean within 4.5 of its standard errors fails by chance with
 * probability 7e-6 (14 of them).
 */
#include "check.h"

#include <math.h>
#include <netdp/audit.h>

static netdp_error error;

enum { RUNS = 4000 };
static double scores[2 * RUNS];

typedef struct changing {
    const char *family, *protocol, *what;
    netdp_vary kind;
    double missing;
    int64_t span, rounds;
} changing;

static const changing of_one_value[] = {
    {"davis", "random-averaging", "an edge a round", NETDP_VARY_EDGE, 0, 0, 120},
    {"ring 12", "random-averaging", "an edge a round", NETDP_VARY_EDGE, 0, 0, 150},
    {"davis", "averaging", "nodes away", NETDP_VARY_NODES, 0.3, 0, 8},
    {"hypercube 4", "averaging", "edges away", NETDP_VARY_EDGES, 0.5, 0, 10},
    {"erdos-renyi 14 0.3", "averaging", "another graph", NETDP_VARY_GRAPH, 0, 1, 7},
    {"erdos-renyi 14 0.3", "averaging", "another graph now and then", NETDP_VARY_GRAPH, 0, 3, 9},
};
enum { OF_ONE_VALUE = sizeof of_one_value / sizeof *of_one_value };

typedef struct net {
    netdp_graph *graph;
    netdp_mixing *mixing;
    netdp_linear protocol;
} net;

static net open_net(const changing *c, netdp_settings settings)
{
    net n;
    const netdp_protocol *named;
    settings.rounds = c->rounds;
    settings.varying = (netdp_variation){
        .kind = c->kind, .missing = c->missing, .probability = 0.3, .span = c->span, .seed = 9};
    assert_ok(netdp_graph_make(c->family, 3, true, &n.graph, NULL, &error));
    assert_ok(netdp_mixing_new(n.graph, "metropolis", &n.mixing, &error));
    assert_ok(netdp_protocol_find(c->protocol, &named, &error));
    n.protocol = netdp_protocol_describe(named, n.mixing, &settings);
    return n;
}

static void drop(net n)
{
    netdp_mixing_free(n.mixing);
    netdp_graph_free(n.graph);
}

static double claim(const netdp_gossip_attack *a, netdp_bound bound)
{
    const netdp_loss_request request = {.protocol = a->protocol,
                                        .sees = a->view.sees,
                                        .own_noise = a->view.own_noise,
                                        .bound = bound,
                                        .pattern = bound == NETDP_BOUND_LOWER ? a->pattern : NULL,
                                        .from_count = 1,
                                        .from = &a->victim,
                                        .to_count = a->view.count,
                                        .to = a->view.observers,
                                        .coalition = a->view.count > 1};
    netdp_losses *losses = NULL;
    assert_ok(netdp_losses_new(&request, NULL, &losses, &error));
    const double loss = losses->loss[0];
    netdp_losses_free(losses);
    return loss;
}

/* mu of the attack in its own model; its runs must be as far apart as that. */
static double find(netdp_gossip_attack a, bool replay)
{
    double mu = -1, mean[2] = {0}, square = 0;
    a.runs = replay ? RUNS : 1;
    assert_ok(netdp_attack_gossip(&a, NULL, scores, &mu, &error));
    if (!replay || isinf(mu) || mu == 0)
        return mu;
    for (int world = 0; world < 2; world++) {
        for (int i = 0; i < RUNS; i++)
            mean[world] += scores[world * RUNS + i] / RUNS;
        for (int i = 0; i < RUNS; i++)
            square += pow(scores[world * RUNS + i] - mean[world], 2);
    }
    const double apart = (mean[1] - mean[0]) / sqrt(square / (2.0 * RUNS - 2));
    assert_close(apart, mu, 4.5 * sqrt(2.0 / RUNS + mu * mu / (4.0 * RUNS)), 0);
    return mu;
}

static const int32_t watchers[] = {0, 7, 3};

static netdp_gossip_attack attack_on(const net *n, int view, int32_t victim)
{
    return (netdp_gossip_attack){
        .protocol = &n->protocol,
        .view = {.sees = view % 2 == 0 ? NETDP_SEES_NEIGHBOURS : NETDP_SEES_SUM,
                 .own_noise = view / 2 % 2 == 0 ? NETDP_OWN_NOISE_KNOWN : NETDP_OWN_NOISE_COUNTS,
                 .count = view < 4 ? 1 : 3,
                 .observers = watchers},
        .victim = victim,
        .noise = 1.5,
        .seed = 31};
}

static void test_one_value(void **state)
{
    (void)state;
    netdp_settings settings = NETDP_SETTINGS_USUAL;
    settings.noise.dither = 0.1;
    for (int i = 0; i < OF_ONE_VALUE; i++) {
        net n = open_net(&of_one_value[i], settings);
        for (int view = 0; view < 8; view++)
            for (int32_t victim = 1; victim < 12; victim += 5) {
                const netdp_gossip_attack a = attack_on(&n, view, victim);
                const double mu = find(a, view == 0 && victim == 1);
                const double found = mu * mu * a.noise * a.noise;
                const double exact = claim(&a, NETDP_BOUND_EXACT);
                if (fabs(found - exact) > 1e-7)
                    fail_msg("%s on %s, view %d, node %d: the attack finds %.12g, exact %.12g",
                             of_one_value[i].what, of_one_value[i].family, view, victim, found,
                             exact);
            }
        drop(n);
    }
}

static void test_streams(void **state)
{
    (void)state;
    static const changing streams[] = {
        {"davis", "stream", "nodes away", NETDP_VARY_NODES, 0.4, 0, 6},
        {"hypercube 4", "stream", "edges away", NETDP_VARY_EDGES, 0.3, 0, 7},
        {"erdos-renyi 14 0.3", "stream", "another graph", NETDP_VARY_GRAPH, 0, 1, 6}};
    static const double pattern[7] = {1, 1, -1, 1, 0.5, -1, 1};
    for (int i = 0; i < 3; i++) {
        net n = open_net(&streams[i], (netdp_settings)NETDP_SETTINGS_USUAL);
        for (int view = 0; view < 8; view++) {
            netdp_gossip_attack a = attack_on(&n, view, 5);
            a.pattern = pattern;
            const double mu = find(a, view == 0), found = mu * mu * a.noise * a.noise;
            assert_close(found, claim(&a, NETDP_BOUND_LOWER), 1e-7, 1e-7);
            assert_true(found <= claim(&a, NETDP_BOUND_UPPER) * (1 + 1e-9));
        }
        drop(n);
    }
}

/* Phases with hidden states that pull: the release bound holds whatever changes within them. */
static void test_phases(void **state)
{
    (void)state;
    static const changing phases[] = {
        {"ring 8", "muffliato-sgd", "nodes away", NETDP_VARY_NODES, 0.3, 0, 12},
        {"hypercube 3", "muffliato-sgd", "edges away", NETDP_VARY_EDGES, 0.5, 0, 12},
        {"erdos-renyi 9 0.5", "muffliato-sgd", "another graph", NETDP_VARY_GRAPH, 0, 2, 12}};
    static const double gains[] = {0, 0.5, 1, 2};
    netdp_settings settings = NETDP_SETTINGS_USUAL;
    settings.noise.dither = 0.1;
    settings.inner = 4;
    for (int i = 0; i < 3; i++) {
        net n = open_net(&phases[i], settings);
        double most = 0;
        for (int g = 0; g < 4; g++)
            for (int view = 0; view < 8; view += 3) {
                netdp_gossip_attack a = attack_on(&n, view, 5);
                a.honest = NETDP_HONEST_PULL;
                a.gain = gains[g];
                const double mu = find(a, view == 0 && g == 2), found = mu * mu * a.noise * a.noise;
                const double bound = claim(&a, NETDP_BOUND_PHASE_RELEASE);
                assert_true(found <= bound * (1 + 1e-9));
                most = fmax(most, found / bound);
            }
        assert_true(most > 0.5); /* and the bound is not idle */
        drop(n);
    }
}

/* One random edge, both ends step: each node's own count of steps bounds what is learnt of it. */
static void test_asynchronous_steps(void **state)
{
    (void)state;
    static const changing steps = {
        "ring 8", "async-gossip-sgd", "an edge a round", NETDP_VARY_EDGE, 0, 0, 30};
    net n = open_net(&steps, (netdp_settings)NETDP_SETTINGS_USUAL);
    int64_t count[8];
    assert_ok(netdp_linear_realised(&n.protocol, count, &error));
    int64_t all = 0;
    for (int32_t u = 0; u < 8; u++)
        all += count[u];
    assert_int_equal(all, 60);
    for (int32_t victim = 1; victim < 3; victim++)
        for (int pulls = 0; pulls < 2; pulls++) {
            netdp_gossip_attack a = attack_on(&n, 0, victim);
            a.honest = pulls ? NETDP_HONEST_PULL : NETDP_HONEST_SILENT;
            a.gain = 1;
            const double mu = find(a, true), found = mu * mu * a.noise * a.noise;
            const double bound = claim(&a, NETDP_BOUND_EVERYTHING);
            assert_true(bound == (double)count[victim]);
            assert_true(found <= bound && found > 0.15 * bound);
        }
    drop(n);
}

/* What is broken on purpose is found on changing networks too. */
static void test_faults(void **state)
{
    (void)state;
    static const unsigned faults[] = {NETDP_FAULT_HALF_NOISE, NETDP_FAULT_NO_CLIP,
                                      NETDP_FAULT_REUSED_NOISE};
    netdp_settings settings = NETDP_SETTINGS_USUAL;
    settings.noise.dither = 0.5;
    net n = open_net(&of_one_value[2], settings);
    for (size_t f = 0; f < sizeof faults / sizeof *faults; f++) {
        netdp_gossip_attack a = attack_on(&n, 0, 6);
        a.faults = faults[f];
        const double mu = find(a, true);
        assert_true(mu * mu * a.noise * a.noise > 1.05 * claim(&a, NETDP_BOUND_EXACT));
    }
    drop(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_value), cmocka_unit_test(test_streams),
        cmocka_unit_test(test_phases),    cmocka_unit_test(test_asynchronous_steps),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

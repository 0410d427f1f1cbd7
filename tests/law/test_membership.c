/*
 * Whether records were in: the likelihood ratio finds what the attack on one victim is said to
 * find, which is what the account allows, from every view; who knows nobody's record finds no more;
 * and a claim that is too low falls.
 */
#include "net.h"
#include "sweep.h"

#include <netdp/audit.h>

enum { NODES = 32 };

static const int32_t observers[] = {3, 20};

static netdp_linear averaging(net n, netdp_settings settings)
{
    const netdp_protocol *named = NULL;
    assert_ok(netdp_protocol_find("averaging", &named, &error));
    return netdp_protocol_describe(named, n.mixing, &settings);
}

/* mu of the attack on u alone, which weighs by a model of its own victim. */
static double mu_of(netdp_gossip_attack a, int32_t u)
{
    static double scores[2];
    double mu = -1;
    a.victim = u;
    a.runs = 1;
    assert_ok(netdp_attack_gossip(&a, NULL, scores, &mu, &error));
    return mu;
}

typedef struct deviations {
    double squares[3], worst[3];
    int count;
} deviations;

static void deviate(deviations *d, const netdp_membership *found, const netdp_membership *most)
{
    const double away[3] = {(found->area - most->area) / found->area_error,
                            (found->found[0] - most->found[0]) / found->found_error[0],
                            (found->found[1] - most->found[1]) / found->found_error[1]};
    for (int k = 0; k < 3; k++) {
        d->squares[k] += away[k] * away[k];
        d->worst[k] = fmax(d->worst[k], fabs(away[k]));
    }
    d->count++;
}

static void test_it_finds_what_is_allowed(void **state)
{
    (void)state;
    net n = family("davis");
    netdp_membership known[NODES], unknown[NODES], most, low;
    deviations d = {.count = 0};
    int refuted = 0;
    for (int view = 0; view < 6; view++) {
        const netdp_pairing pairing = {.graph = n.graph, .kappa = 1};
        const netdp_linear p = averaging(
            n, (netdp_settings){.rounds = 6,
                                .noise.dither = view < 3 ? 0.1 : 0,
                                .noise.pairing = view < 4 ? (netdp_pairing){0} : pairing});
        const netdp_gossip_attack a = {
            .protocol = &p,
            .view = {.sees = view % 3 == 2 ? NETDP_SEES_SUM : NETDP_SEES_NEIGHBOURS,
                     .own_noise = view % 2 == 0 ? NETDP_OWN_NOISE_KNOWN : NETDP_OWN_NOISE_COUNTS,
                     .count = 1 + view % 2,
                     .observers = observers},
            .noise = 0.7,
            .runs = 3000,
            .seed = 5 + (uint64_t)view};
        assert_ok(netdp_membership_everybody(&a, NULL, known, unknown, &error));
        for (int32_t u = 0; u < NODES; u++) {
            if (u == 3 || (a.view.count == 2 && u == 20)) {
                assert_true(known[u].in == 0 && unknown[u].out == 0);
                continue;
            }
            const double mu = mu_of(a, u);
            assert_true(known[u].in + known[u].out == 6000 && known[u].in > 2800);
            assert_ok(netdp_membership_limit(mu, known[u].in, known[u].out, &most, &error));
            assert_ok(netdp_membership_limit(0.8 * mu, known[u].in, known[u].out, &low, &error));
            deviate(&d, &known[u], &most);
            assert_false(netdp_membership_refutes(&known[u], &most));
            assert_false(netdp_membership_refutes(&unknown[u], &most));
            assert_true(mu < 0.9 || netdp_membership_refutes(&known[u], &low));
            refuted += mu >= 0.9;
        }
    }
    assert_true(refuted > 20 && d.count > 180);
    for (int k = 0; k < 3; k++) {
        print_message("rms %.2f, worst %.1f standard errors\n", sqrt(d.squares[k] / d.count),
                      d.worst[k]);
        assert_true(d.worst[k] < 5);
        assert_close(d.squares[k] / d.count, 1, 0.6, 0); /* the errors are standard errors */
    }
    net_drop(n);
}

/* Without noise records are told; of those that nothing has come of, nothing is. */
static void test_without_noise(void **state)
{
    (void)state;
    net n = family("ring 12");
    netdp_membership known[12], unknown[12];
    const netdp_linear p = averaging(n, (netdp_settings){.rounds = 3});
    const netdp_gossip_attack a = {
        .protocol = &p, .view = {.count = 1, .observers = observers}, .runs = 500, .seed = 3};
    assert_ok(netdp_membership_everybody(&a, NULL, known, unknown, &error));
    for (int32_t u = 0; u < 12; u++) {
        const int32_t hops = abs(u - 3) < 6 ? abs(u - 3) : 12 - abs(u - 3);
        if (hops == 0)
            continue;
        assert_true(known[u].area == (hops <= 3 ? 1 : 0.5));
        assert_true(known[u].found[1] == (hops <= 3 ? 1 : 0.01) || hops > 3);
        if (hops > 3) /* all scores are equal: a guess */
            assert_close(known[u].found[1], 0.01, 1e-12, 0);
        assert_close(unknown[u].area, hops <= 2 ? 1 : 0.5, hops == 3 ? 0.5 : 0.1, 0);
    }
    net_drop(n);
}

static void test_limits(void **state)
{
    (void)state;
    netdp_membership m;
    /* Python: NormalDist().cdf(1 / 2**0.5), .cdf(1 + inv_cdf(0.1)), .cdf(1 + inv_cdf(0.01)) */
    assert_ok(netdp_membership_limit(1, 50, 60, &m, &error));
    assert_close(m.area, 0.7602499389065233, 1e-14, 0);
    assert_close(m.found[0], 0.3891436916453609, 1e-12, 0);
    assert_close(m.found[1], 0.09236224807369403, 1e-12, 0);
    assert_ok(netdp_membership_limit(INFINITY, 50, 60, &m, &error));
    assert_true(m.area == 1 && m.found[1] == 1 && m.area_error == 0 && m.found_error[0] == 0);
    assert_fails(netdp_membership_limit(NAN, 50, 60, &m, &error), NETDP_INVALID);
    assert_fails(netdp_membership_limit(1, 1, 60, &m, &error), NETDP_INVALID);
}

static void test_refusals(void **state)
{
    (void)state;
    net n = family("ring 6");
    netdp_membership known[6], unknown[6];
    const netdp_linear p = averaging(n, (netdp_settings){.rounds = 3, .noise.dither = 0.1});
    const netdp_gossip_attack good = {
        .protocol = &p, .view = {.count = 1, .observers = observers}, .noise = 1, .runs = 100};
    netdp_gossip_attack bad[] = {good, good, good};
    bad[0].runs = 99;
    bad[1].noise = -1;
    bad[2].faults = NETDP_FAULT_NO_CLIP;
    for (int i = 0; i < 3; i++)
        assert_fails(netdp_membership_everybody(&bad[i], NULL, known, unknown, &error),
                     NETDP_INVALID);
    for (sweep s = {.least = 10}; sweep_next(&s);)
        s.status = netdp_membership_everybody(&good, NULL, known, unknown, &error);
    net_drop(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_finds_what_is_allowed),
        cmocka_unit_test(test_without_noise),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

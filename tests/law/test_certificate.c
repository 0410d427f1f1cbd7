/*
 * Certified losses, and those of the recursion on hidden nodes (account/observe/riccati.c), of
 * conjugate gradients (conjugate.c) and of what is heard (heard.c), against values of 60 digits (tests/oracle/certificate_mpmath.py): never below them, and at most 1e-9 of
 * them above.
 */
#include "golden.h"

#include <netdp/account.h>

#include "account/losses/losses.h"
#include "account/observe/conjugate.h"
#include "account/observe/heard.h"
#include "account/observe/riccati.h"

static netdp_error error;

typedef struct net {
    netdp_graph *graph;
    netdp_mixing *mixing;
    int32_t nodes;
} net;

static bool close_to(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static net net_of(const json_t *networks, const char *name)
{
    const json_t *told = json_object_get(networks, name);
    const json_t *list = json_object_get(told, "edges");
    int32_t edges[512];
    for (size_t i = 0; i < json_array_size(list); i++)
        edges[i] = (int32_t)json_integer_value(json_array_get(list, i));
    net made = {.nodes = (int32_t)number(told, "nodes")};
    assert_ok(netdp_graph_from_edges(made.nodes, edges, (int64_t)json_array_size(list) / 2,
                                     &made.graph, &error));
    assert_ok(netdp_mixing_new(made.graph, json_string_value(json_object_get(told, "mixing")),
                               &made.mixing, &error));
    return made;
}

static const char *word(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

/* How far the losses of a case are above the truth, at most; below it, the test has failed. */
static double compare(net n, const json_t *row, netdp_certify certify)
{
    int32_t to[4];
    const json_t *list = json_object_get(row, "to");
    for (size_t i = 0; i < json_array_size(list); i++)
        to[i] = (int32_t)json_integer_value(json_array_get(list, i));
    const int64_t rounds = (int64_t)number(row, "rounds");
    const double end = number(row, "end");
    const char *pairs = word(row, "pair_graph");
    netdp_graph *pair_graph = NULL;
    if (pairs != NULL)
        assert_ok(netdp_pairing_graph(pairs, netdp_mixing_graph(n.mixing), 1, &pair_graph, &error));
    const netdp_linear protocol = {
        .mixing = n.mixing,
        .rounds = rounds,
        .noise.dither = number(row, "dither"),
        .every = end > 0 ? rounds : 0,
        .reacts = end > 0,
        .noise.end = end,
        .noise.pairing = {.graph = pair_graph, .kappa = pairs != NULL ? number(row, "kappa") : 0}};
    netdp_loss_request request = {.protocol = &protocol,
                                  .to = to,
                                  .to_count = (int32_t)json_array_size(list),
                                  .coalition = json_array_size(list) > 1,
                                  .certify = certify};
    assert_ok(netdp_sees_parse(word(row, "sees"), &request.sees, &error));
    assert_ok(netdp_own_noise_parse(word(row, "own"), &request.own_noise, &error));
    netdp_losses *losses = NULL;
    double above = 0;
    assert_ok(netdp_losses_new(&request, NULL, &losses, &error));
    assert_true(losses->certified && losses->sound);
    const json_t *truths = json_object_get(row, "loss");
    for (int32_t u = 0; u < n.nodes; u++) {
        char key[16];
        snprintf(key, sizeof key, "%d", u);
        const json_t *text = json_object_get(truths, key);
        if (text == NULL)
            continue;
        const long double truth = strtold(json_string_value(text), NULL), got = losses->loss[u];
        if (got < truth * (1 - 1e-18L))
            fail_msg("%s, T %d, dither %g, end %g, %s, %s, %d observers from %d: loss of %d is "
                     "%.17g, truth %.20Lg",
                     word(row, "graph"), (int)rounds, protocol.noise.dither, end, word(row, "sees"),
                     word(row, "own"), (int)request.to_count, (int)to[0], (int)u, losses->loss[u],
                     truth);
        if (truth < 1e-300L)
            continue;
        const double more = (double)((got - truth) / truth);
        if (getenv("SHOW") != NULL && more > 1e-9)
            printf("%s, T %d, dither %g, end %g, %s, %s, %d observers from %d: loss of %d is "
                   "%.17g, truth %.20Lg: %.3g\n",
                   word(row, "graph"), (int)rounds, protocol.noise.dither, end, word(row, "sees"),
                   word(row, "own"), (int)request.to_count, (int)to[0], (int)u, losses->loss[u],
                   truth, more);
        above = more > above ? more : above;
    }
    netdp_losses_free(losses);
    netdp_graph_free(pair_graph);
    return above;
}

/* Of so much more noise in pairs than dither a certificate holds, and may be wide. */
static bool is_wide(const json_t *row)
{
    return word(row, "pair_graph") != NULL && number(row, "kappa") > 1e8 * number(row, "dither");
}

/* The cases of a file that count, or all; how many did. */
static int check_golden(const char *file, netdp_certify certify, bool (*counts)(const json_t *row))
{
    json_t *golden = load_golden(file);
    const json_t *networks = json_object_get(golden, "networks"),
                 *cases = json_object_get(golden, "cases");
    double above = 0;
    int count = 0;
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *row = json_array_get(cases, i);
        if (counts != NULL && !counts(row))
            continue;
        net n = net_of(networks, word(row, "graph"));
        const double more = compare(n, row, certify);
        above = more > above && !is_wide(row) ? more : above;
        count++;
        netdp_mixing_free(n.mixing);
        netdp_graph_free(n.graph);
    }
    json_decref(golden);
    print_message("%s: %d cases, at most %.3g above\n", file, count, above);
    assert_true(above <= 1e-9);
    return count;
}

static void test_against_sixty_digits(void **state)
{
    (void)state;
    assert_true(check_golden("certificate_mpmath.json", NETDP_CERTIFY_AUTO, NULL) > 0);
}

/* Noise in pairs, from half of a node's own to a thousand times it. */
static void test_pairs_against_sixty_digits(void **state)
{
    (void)state;
    assert_true(check_golden("certificate_pairs.json", NETDP_CERTIFY_YES, NULL) > 0);
}

/* Averaging under a large dither, by messages: what the recursion on hidden nodes serves. */
static bool goes_back(const json_t *row)
{
    return number(row, "end") == 0 && strcmp(word(row, "sees"), "neighbours") == 0;
}

/* Who sees what: the neighbours that are not of the set, whose own noise is known. */
static netdp_i_observer view_of(net n, const int32_t *to, int32_t count, int32_t *seen)
{
    netdp_i_observer view = {
        .seen = seen, .member_count = count, .member = to, .quiet = to, .quiet_count = count};
    bool known[1024] = {false};
    for (int32_t i = 0; i < count; i++)
        known[to[i]] = true;
    for (int32_t i = 0; i < count; i++)
        for (int32_t k = 0; k < netdp_graph_degree(n.graph, to[i]); k++) {
            const int32_t v = netdp_graph_neighbours(n.graph, to[i])[k];
            if (!known[v])
                seen[view.seen_count++] = v;
            known[v] = true;
        }
    return view;
}

enum { CERTIFIED_SEARCH, CERTIFIED_HEARD, WAYS };

/* Averaging of one case by one of the ways, all sources at once; how far above the truth. */
static double above_truth(net n, const json_t *row, int way)
{
    double width[256];
    int32_t to[4], seen[256], from[256], count = 0;
    double loss[256], above = 0;
    long double truth[256];
    const json_t *list = json_object_get(row, "to"), *told = json_object_get(row, "loss");
    for (size_t i = 0; i < json_array_size(list); i++)
        to[i] = (int32_t)json_integer_value(json_array_get(list, i));
    const netdp_linear protocol = {.mixing = n.mixing,
                                   .rounds = (int64_t)number(row, "rounds"),
                                   .noise.dither = number(row, "dither")};
    const netdp_i_observer view = view_of(n, to, (int32_t)json_array_size(list), seen);
    for (int32_t u = 0; u < n.nodes; u++) {
        char key[16];
        snprintf(key, sizeof key, "%d", u);
        const json_t *text = json_object_get(told, key);
        if (text == NULL)
            continue;
        truth[count] = strtold(json_string_value(text), NULL);
        from[count++] = u;
    }
    const netdp_i_sources of = {count, from, loss};
    if (way == CERTIFIED_HEARD)
        assert_ok(netdp_i_heard_loss(&protocol, &view, NULL, true, width, &of, NULL, &error));
    else
        assert_ok(netdp_i_conjugate_loss(&protocol, &view, &of, NULL, &error));
    for (int32_t i = 0; i < count; i++) {
        assert_true(loss[i] >= truth[i] * (1 - 1e-18L));
        const long double more = (loss[i] - truth[i]) / fmaxl(truth[i], 1e-18L);
        above = (double)more > above ? (double)more : above;
    }
    return above;
}

/* As large networks are accounted for; its own noise known in sum only changes nothing here. */
static void test_ways_against_sixty_digits(void **state)
{
    (void)state;
    json_t *golden = load_golden("certificate_mpmath.json");
    const json_t *cases = json_object_get(golden, "cases");
    int count = 0, small = 0;
    double above = 0, far_above = 0; /* far: what is heard under small dithers */
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *row = json_array_get(cases, i);
        if (!goes_back(row))
            continue;
        net n = net_of(json_object_get(golden, "networks"), word(row, "graph"));
        if (number(row, "dither") < 5e-3) {
            far_above = fmax(far_above, above_truth(n, row, CERTIFIED_HEARD));
            small++;
        }
        for (int way = 0; way < WAYS && number(row, "dither") >= 5e-3; way++, count++)
            above = fmax(above, above_truth(n, row, way));
        netdp_mixing_free(n.mixing);
        netdp_graph_free(n.graph);
    }
    json_decref(golden);
    print_message("%d cases, at most %.3g above; %d of small dithers, at most %.3g\n", count, above,
                  small, far_above);
    assert_true(count > 20 && above <= 1e-9 && small > 10 && far_above <= 1e-8);
}

/*
 * From what is heard and backwards: the same losses, of one observer and of a coalition that hears in every round, of
 * some sources in any order, more than are solved for at once, and as many times as they are named.
 */
static void test_heard_is_backwards(void **state)
{
    (void)state;
    static const struct {
        const char *family, *mixing;
        int64_t rounds;
        double dither;
        int32_t observers;
    } set[] = {{"regular 700 6", "metropolis", 30, 0.01, 1},
               {"barabasi-albert 400 3", "metropolis", 12, 0.005, 3},
               {"grid 20 20", "lazy:0.5", 40, 0.3, 2},
               {"star 30", "metropolis", 7, 0.1, 1},
               {"ring 40", "metropolis", 1, 0.1, 1}};
    enum { SOURCES = 900 };
    for (size_t i = 0; i < sizeof set / sizeof set[0]; i++) {
        net n = {0};
        int32_t to[4], seen[256], from[SOURCES];
        double heard[SOURCES], back[SOURCES], width[SOURCES];
        assert_ok(netdp_graph_make(set[i].family, 3, true, &n.graph, NULL, &error));
        assert_ok(netdp_mixing_new(n.graph, set[i].mixing, &n.mixing, &error));
        n.nodes = netdp_graph_nodes(n.graph);
        for (int32_t k = 0; k < set[i].observers; k++)
            to[k] = 5 + 7 * k;
        for (int32_t k = 0; k < SOURCES; k++)
            from[k] = (k * 11 + 2) % n.nodes;
        const netdp_linear protocol = {
            .mixing = n.mixing, .rounds = set[i].rounds, .noise.dither = set[i].dither};
        const netdp_i_observer view = view_of(n, to, set[i].observers, seen);
        assert_ok(netdp_i_heard_loss(&protocol, &view, NULL, true, width,
                                     &(netdp_i_sources){SOURCES, from, heard}, NULL, &error));
        assert_ok(netdp_i_riccati_loss(&protocol, &view, &(netdp_i_sources){SOURCES, from, back},
                                       NULL, &error));
        for (int32_t k = 0; k < SOURCES; k++)
            if (!(back[k] >= heard[k] * (1 - 1e-9) - 1e-13 &&
                  back[k] <= heard[k] + 1e-11 / set[i].dither / set[i].dither))
                fail_msg("%s: loss of %d is %.17g, backwards %.17g", set[i].family, (int)from[k],
                         heard[k], back[k]);
        netdp_mixing_free(n.mixing);
        netdp_graph_free(n.graph);
    }
}

/* Under small dithers what is heard is wider than a shift, and above it. */
static void test_heard_under_small_dithers(void **state)
{
    (void)state;
    static const struct {
        const char *family;
        int64_t rounds;
        double dither, wide;
    } set[] = {{"erdos-renyi 200 0.08", 60, 1e-6, 0.05},
               {"erdos-renyi 200 0.08", 60, 1e-4, 1e-6},
               {"grid 12 12", 120, 1e-5, 1e-4},
               {"star 40", 25, 1e-6, 1e-6}};
    enum { SOURCES = 12 };
    for (size_t i = 0; i < sizeof set / sizeof set[0]; i += LIGHT ? 2 : 1) {
        net n = {0};
        const int32_t to = 3;
        int32_t seen[256], from[SOURCES];
        double heard[SOURCES], width[SOURCES], most = 0;
        netdp_losses *truth = NULL;
        assert_ok(netdp_graph_make(set[i].family, 3, true, &n.graph, NULL, &error));
        assert_ok(netdp_mixing_new(n.graph, "metropolis", &n.mixing, &error));
        n.nodes = netdp_graph_nodes(n.graph);
        for (int32_t k = 0; k < SOURCES; k++)
            from[k] = to + 1 + k * (n.nodes / 14);
        const netdp_linear protocol = {
            .mixing = n.mixing, .rounds = set[i].rounds, .noise.dither = set[i].dither};
        const netdp_i_observer view = view_of(n, &to, 1, seen);
        assert_ok(netdp_i_heard_loss(&protocol, &view, NULL, true, width,
                                     &(netdp_i_sources){SOURCES, from, heard}, NULL, &error));
        const netdp_loss_request request = {.protocol = &protocol,
                                            .certify = NETDP_CERTIFY_YES,
                                            .from = from,
                                            .from_count = SOURCES,
                                            .to = &to,
                                            .to_count = 1};
        assert_ok(netdp_losses_new(&request, NULL, &truth, &error));
        assert_true(truth->certified);
        for (int32_t k = 0; k < SOURCES; k++) {
            if (!(heard[k] >= truth->loss[k] * (1 - 1e-9) - 1e-18))
                fail_msg("%s: heard of %d %.17g, by a shift %.17g", set[i].family, (int)from[k],
                         heard[k], truth->loss[k]);
            if (truth->loss[k] > 1e-12)
                most = fmax(most, heard[k] / truth->loss[k] - 1);
        }
        print_message("%s, dither %g: at most %.3g above\n", set[i].family, set[i].dither, most);
        assert_true(most < set[i].wide);
        netdp_losses_free(truth);
        netdp_mixing_free(n.mixing);
        netdp_graph_free(n.graph);
    }
}

/* Of observers that may change places one is accounted for, also where they come in several batches: as each by itself. */
static void test_observers_that_may_change_places(void **state)
{
    (void)state;
    static const char *const families[] = {"star 70", "caveman 4 9", "complete 12", "grid 5 5"};
    static const netdp_sees sees[] = {NETDP_SEES_NEIGHBOURS, NETDP_SEES_SUM};
    for (size_t i = 0; i < 4; i++)
        for (int k = 0; k < 6; k++) {
            net n = {0};
            assert_ok(netdp_graph_make(families[i], 1, true, &n.graph, NULL, &error));
            assert_ok(netdp_mixing_new(n.graph, "metropolis", &n.mixing, &error));
            n.nodes = netdp_graph_nodes(n.graph);
            const netdp_linear protocol = {.mixing = n.mixing,
                                           .rounds = 6,
                                           .every = k / 2 == 2 ? 3 : 0,
                                           .reacts = k / 2 == 2,
                                           .noise.end = k / 2 == 2 ? 0.1 : 0,
                                           .noise.dither = k / 2 == 1 ? 0.002 : 0.05};
            netdp_loss_request request = {.protocol = &protocol, .sees = sees[k % 2]};
            netdp_losses *all = NULL;
            assert_ok(netdp_i_losses_all(&request, (netdp_i_room){1, 0}, NULL, netdp_i_losses_keep,
                                         &all, NULL, &error));
            for (int32_t v = 0; v < n.nodes; v++) {
                netdp_losses *one = NULL;
                request.to = &v;
                request.to_count = 1;
                assert_ok(netdp_losses_new(&request, NULL, &one, &error));
                for (int32_t u = 0; u < n.nodes; u++)
                    if (u != v && !close_to(all->loss[(int64_t)v * n.nodes + u], one->loss[u]))
                        fail_msg("%s, setting %d: of %d towards %d %.17g, alone %.17g", families[i],
                                 k, (int)u, (int)v, all->loss[(int64_t)v * n.nodes + u],
                                 one->loss[u]);
                assert_int_equal(all->certified, one->certified);
                netdp_losses_free(one);
            }
            netdp_losses_free(all);
            netdp_mixing_free(n.mixing);
            netdp_graph_free(n.graph);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_observers_that_may_change_places),
        cmocka_unit_test(test_heard_under_small_dithers),
        cmocka_unit_test(test_heard_is_backwards),
        cmocka_unit_test(test_ways_against_sixty_digits),
        cmocka_unit_test(test_pairs_against_sixty_digits),
        cmocka_unit_test(test_against_sixty_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Displacements and what they prove (docs/proofs/shift.md), against the whole view in 800 bits: never below it whatever the
 * displacement, and the least one at most 1e-9 of it, or 1e-19 and what doubles of g leave, above.
 */
#include "whole_view.h"
#include "drawn.h"
#include "weigh.h"

#include "account/shift/dense.h"
#include "account/shift/tie.h"
#include "mixing/twins.h"

/* What rounding of g to doubles leaves, beside 1e-19: 2 rounds (2^-53 / dither)^2, and the release's like a round's. */
static double floor_of(const question *q)
{
    double least = fmin(1, q->protocol.noise.end > 0 ? q->protocol.noise.end : 1);
    netdp_linear once = q->protocol;
    once.every = 0;
    const int64_t rounds = q->protocol.every > 0 ? q->protocol.every : q->protocol.rounds;
    for (int64_t t = 1; t < rounds; t++)
        least = fmin(least, netdp_linear_noise(&once, t));
    return 1e-19 + 2 * (double)(q->protocol.rounds + 1) * pow(DBL_EPSILON / 2 / least, 2);
}

static void problem_of(const question *q, int64_t begin, netdp_i_shift_problem *problem)
{
    const netdp_linear *p = &q->protocol;
    const netdp_i_shift_view seen = {.sees = q->sees,
                                     .counts = q->counts,
                                     .members = q->members,
                                     .member = q->member,
                                     .begin = begin,
                                     .rounds = p->every > 0 ? p->every : p->rounds,
                                     .end = p->noise.end};
    assert_ok(netdp_i_shift_problem_new(p, &seen, problem, &error));
}

/* The sum over phases of what the least displacements prove. */
static void prove(const question *q, double *loss)
{
    const netdp_linear *p = &q->protocol;
    const int64_t rounds = p->every > 0 ? p->every : p->rounds;
    int32_t node[MOST];
    double each[MOST];
    for (int32_t v = 0; v < q->nodes; v++) {
        node[v] = v;
        loss[v] = 0;
    }
    const netdp_i_sources of = {q->nodes, node, each};
    for (int64_t begin = 0; begin < p->rounds; begin += rounds) {
        netdp_i_shift_problem problem;
        problem_of(q, begin, &problem);
        assert_ok(netdp_i_shift_losses(&problem, &of, NULL, &error));
        for (int32_t v = 0; v < q->nodes; v++)
            loss[v] = (loss[v] + fmin(each[v], 1)) * (1 + DBL_EPSILON);
        netdp_i_shift_problem_clear(&problem);
    }
}

/* Displacements that somebody bent: by so much of each number, and by so much of the largest. */
static void bend(const question *q, const arb_t *loss, const char *what)
{
    static const double by[] = {1e-14, 1e-6, 0.3};
    netdp_i_shift_problem problem;
    netdp_i_dense *dense = NULL;
    problem_of(q, 0, &problem);
    int32_t source[MOST];
    double got[MOST];
    const int64_t lanes = q->nodes, cells = problem.rounds * lanes * lanes;
    netdp_i_displacement of = {
        .lanes = q->nodes,
        .source = source,
        .g = calloc((size_t)cells, sizeof(double)),
        .c = calloc((size_t)(problem.pair_count * lanes) + 1, sizeof(double))};
    for (int32_t v = 0; v < q->nodes; v++)
        source[v] = v;
    assert_ok(netdp_i_dense_new(&problem, NULL, &dense, &error));
    for (size_t k = 0; k < sizeof by / sizeof *by; k++) {
        assert_ok(netdp_i_dense_find(dense, &of, &error));
        for (int64_t i = 0; i < cells; i++)
            of.g[i] += by[k] * (uniform() - 0.5) * (uniform() < 0.5 ? 1e-3 : of.g[i]);
        for (int64_t i = 0; i < problem.pair_count * lanes; i++)
            of.c[i] *= 1 + by[k] * (uniform() - 0.5);
        assert_ok(netdp_i_displacement_loss(&problem, &of, got, NULL, &error));
        for (int32_t v = 0; v < q->nodes; v++)
            if (!is_member(q, v) && got[v] < arf_get_d(arb_midref(loss[v]), ARF_RND_NEAR))
                fail_msg("%s: bent by %g, loss of %d is %.17g", what, by[k], (int)v, got[v]);
    }
    netdp_i_dense_free(dense);
    netdp_i_shift_problem_clear(&problem);
    free(of.g);
    free(of.c);
}

static int count, infinite;
static double widest, widest_account;

/* What the account prints, by whichever proof: certified, not below the truth, and hardly above. */
static void account(const question *q, const arb_t *loss, const char *what)
{
    const netdp_loss_request request = {.protocol = &q->protocol,
                                        .sees = q->sees,
                                        .own_noise = q->counts ? NETDP_OWN_NOISE_COUNTS
                                                               : NETDP_OWN_NOISE_KNOWN,
                                        .to_count = q->members,
                                        .to = q->member,
                                        .coalition = q->members > 1};
    netdp_losses *losses = NULL;
    assert_ok(netdp_losses_new(&request, NULL, &losses, &error));
    if (!losses->certified)
        fail_msg("%s: not certified: %s", what, losses->reason);
    for (int32_t i = 0; i < losses->from_count; i++) {
        const int32_t v = losses->from[i];
        const double truth = arf_get_d(arb_midref(loss[v]), ARF_RND_NEAR);
        if (is_member(q, v) || truth < 1e-60)
            continue;
        const double above = fmax(0, losses->loss[i] - floor_of(q) - truth) / truth;
        if (losses->loss[i] < truth * (1 - DBL_EPSILON) || above > 1e-9)
            fail_msg("%s: account of %d says %.17g, truth %.17g (%.3g above)", what, (int)v,
                     losses->loss[i], truth, above);
        widest_account = fmax(widest_account, above);
    }
    netdp_losses_free(losses);
}

static void compare(const question *q, bool bends, const char *what)
{
    arb_t loss[VICTIMS], most, bound;
    double got[VICTIMS];
    arb_init(most);
    arb_init(bound);
    for (int32_t v = 0; v < q->nodes; v++)
        arb_init(loss[v]);
    oracle(q, loss);
    prove(q, got);
    for (int32_t v = 0; v < q->nodes; v++) {
        if (is_member(q, v))
            continue;
        const double truth = arf_get_d(arb_midref(loss[v]), ARF_RND_NEAR);
        count++;
        /* The oracle adds 1e-85 beside variances of 1; what is exactly 0 it does not find. */
        arb_set_d(bound, got[v]);
        arb_set_d(most, 1e-18);
        arb_mul(most, most, loss[v], BITS);
        arb_add(bound, bound, most, BITS);
        if (truth > 1e-60 && !arb_ge(bound, loss[v]))
            fail_msg("%s: loss of %d is %.17g, truth %.17g", what, (int)v, got[v], truth);
        if (!isfinite(got[v]))
            infinite++;
        const double above = fmax(0, got[v] - floor_of(q) - truth) / fmax(truth, 1e-300);
        widest = fmax(widest, above);
        if (above > 1e-9)
            fail_msg("%s: loss of %d is %.17g, truth %.17g, %.3g above", what, (int)v, got[v],
                     truth, above);
    }
    if (!q->protocol.senders_only)
        account(q, loss, what);
    if (bends && q->protocol.every == 0)
        bend(q, loss, what);
    for (int32_t v = 0; v < q->nodes; v++)
        arb_clear(loss[v]);
    arb_clear(most);
    arb_clear(bound);
}

static const char *const families[] = {"star 7",
                                       "path 6",
                                       "ring 8",
                                       "grid 3 3",
                                       "complete 5",
                                       "hypercube 3",
                                       "erdos-renyi 10 0.4",
                                       "caveman 2 4",
                                       "erdos-renyi 7 0.5"};
static const char *const rules[] = {"metropolis", "lazy:0.5", "max-degree", "lazy:0.9999",
                                    "metropolis"};
static const double dithers[] = {1e-6, 1e-4, 1e-2, 0.1, 1, 30};
static const double kappas[] = {0, 0, 0.5, 20, 1000};
#define LENGTH(list) ((int)(sizeof(list) / sizeof *(list)))

/* Of a network that changes and of one that does not; accelerated; in phases. */
typedef struct kind {
    const char *name;
    bool changes, accelerated, phases;
} kind;

static void draw(const kind *k, int i)
{
    static const netdp_vary vary[] = {NETDP_VARY_EDGE, NETDP_VARY_NODES, NETDP_VARY_EDGES,
                                      NETDP_VARY_GRAPH};
    netdp_graph *graph = NULL, *pairs = NULL;
    netdp_mixing *mixing = NULL;
    int32_t members[3], number = 1 + pick(3);
    const char *family = families[pick(LENGTH(families))], *rule = rules[pick(LENGTH(rules))];
    const double kappa = kappas[pick(LENGTH(kappas))], dither = dithers[pick(LENGTH(dithers))];
    assert_ok(netdp_graph_make(family, 1 + (uint64_t)pick(1000), true, &graph, NULL, &error));
    assert_ok(netdp_mixing_new(graph, rule, &mixing, &error));
    if (kappa > 0)
        assert_ok(
            netdp_pairing_graph(pick(2) == 0 ? "edges" : "complete", graph, 1, &pairs, &error));
    const bool weighted = kappa > 0 && !k->changes && !k->phases && pick(2) == 0;
    if (weighted)
        pairs = weigh(pairs, 0, pick(1000));
    for (int32_t m = 0; m < number; m++) /* distinct */
        members[m] = (m == 0 ? pick(netdp_graph_nodes(graph)) : members[m - 1] + 1) %
                     netdp_graph_nodes(graph);
    const int64_t rounds = 1 + pick(5);
    question q = {
        .protocol = {.mixing = mixing,
                     .noise.pairing = {.graph = pairs, .kappa = kappa, .weighted = weighted},
                     .rounds = k->phases ? 2 * rounds : rounds,
                     .noise.dither = dither,
                     .noise.decay = !k->phases && pick(4) == 0 ? 1 : 0,
                     .every = k->phases ? rounds : 0,
                     .reacts = k->phases,
                     .noise.end = k->phases ? dither * (1 + pick(3)) / 2 : 0,
                     .accelerate = k->accelerated},
        .sees = pick(2) == 0 ? NETDP_SEES_NEIGHBOURS : NETDP_SEES_SUM,
        .counts = number == 1 && pick(2) == 0,
        .members = number,
        .member = members,
        .nodes = netdp_graph_nodes(graph)};
    if (k->changes)
        q.protocol.varying = (netdp_variation){.kind = vary[pick(LENGTH(vary))],
                                               .missing = 0.4,
                                               .probability = 0.4,
                                               .span = 2,
                                               .seed = (uint64_t)pick(1000)};
    if (k->changes && k->phases && kappa == 0 && pick(2) == 0)
        q.protocol.senders_only = true;
    char what[256];
    snprintf(what, sizeof what,
             "%s %d: %s, %s, %d rounds, dither %g, end %g, kappa %g%s, %s%s, %d observers from %d",
             k->name, i, family, rule, (int)q.protocol.rounds, dither, q.protocol.noise.end, kappa,
             weighted ? " weighted" : "", q.sees == NETDP_SEES_SUM ? "sums" : "messages",
             q.counts ? ", counts" : "", (int)number, (int)members[0]);
    if (getenv("SHOW") != NULL)
        print_message("%s\n", what);
    compare(&q, i % 4 == 0, what);
    netdp_mixing_free(mixing);
    netdp_graph_free(pairs);
    netdp_graph_free(graph);
}

static void sweep(const kind *k)
{
    const char *more = getenv("MORE");
    const int times = more != NULL ? atoi(more) : 40;
    count = infinite = 0;
    widest = widest_account = 0;
    for (int i = 0; i < times; i++)
        draw(k, i);
    print_message("%s: %d losses, at most %.3g above (accounts %.3g), %d not proven\n", k->name,
                  count, widest, widest_account, infinite);
    assert_true(count > 0 && infinite == 0);
}

/* Every view, by the account and by the closed form, in bits. */
static void test_weights_of_1_change_nothing(void **state)
{
    (void)state;
    static const char *const some[] = {"karate", "star 9", "complete 7", "davis"};
    static const netdp_bound bounds[] = {NETDP_BOUND_EXACT, NETDP_BOUND_EVERYTHING};
    for (int k = 0; k < 16; k++) {
        netdp_graph *graph = NULL, *equal = NULL;
        netdp_mixing *mixing = NULL;
        netdp_losses *losses[2] = {NULL, NULL};
        assert_ok(netdp_graph_make(some[k / 4], 1, true, &graph, NULL, &error));
        assert_ok(netdp_mixing_new(graph, "metropolis", &mixing, &error));
        assert_ok(netdp_pairing_graph("ring", graph, 1, &equal, &error));
        netdp_graph *pairs[2] = {equal, NULL};
        assert_ok(netdp_pairing_graph("ring", graph, 1, &pairs[1], &error));
        pairs[1] = weigh(pairs[1], 1, 0);
        for (int w = 0; w < 2; w++) {
            const netdp_linear protocol = {
                .mixing = mixing,
                .rounds = 4,
                .noise = {.dither = 0.1,
                          .pairing = {.graph = pairs[w], .kappa = 3, .weighted = w == 1}},
                .accelerate = k % 3 == 0};
            const netdp_loss_request request = {
                .protocol = &protocol,
                .bound = bounds[k % 2],
                .sees = k / 2 % 2 == 0 ? NETDP_SEES_NEIGHBOURS : NETDP_SEES_SUM,
                .own_noise = k % 4 == 0 ? NETDP_OWN_NOISE_COUNTS : NETDP_OWN_NOISE_KNOWN};
            assert_ok(netdp_losses_new(&request, NULL, &losses[w], &error));
        }
        assert_memory_equal(losses[0]->loss, losses[1]->loss,
                            sizeof(double) * (size_t)losses[0]->from_count *
                                (size_t)losses[0]->to_count);
        for (int w = 0; w < 2; w++) {
            netdp_losses_free(losses[w]);
            netdp_graph_free(pairs[w]);
        }
        netdp_mixing_free(mixing);
        netdp_graph_free(graph);
    }
}

static void test_averaging(void **state)
{
    (void)state;
    sweep(&(kind){.name = "averaging"});
}

static void test_accelerated(void **state)
{
    (void)state;
    sweep(&(kind){.name = "accelerated", .accelerated = true});
}

static void test_phases(void **state)
{
    (void)state;
    sweep(&(kind){.name = "phases", .phases = true});
    sweep(&(kind){.name = "accelerated phases", .phases = true, .accelerated = true});
}

static void test_changing(void **state)
{
    (void)state;
    sweep(&(kind){.name = "changing", .changes = true});
    sweep(&(kind){.name = "changing phases", .changes = true, .phases = true});
}

/* Three observers' sums, of which one is what the two others are together, and who is behind them. */
static const int32_t behind_sums[] = {0, 1, 1, 2, 2, 3, 3, 4, 1, 5, 3, 6, 5, 7, 6, 8};

static void test_sums_that_others_imply(void **state)
{
    (void)state;
    static const int32_t member[] = {0, 2, 4};
    netdp_graph *graph = NULL;
    netdp_mixing *mixing = NULL;
    assert_ok(netdp_graph_from_edges(9, behind_sums, LENGTH(behind_sums) / 2, &graph, &error));
    assert_ok(netdp_mixing_new(graph, "metropolis", &mixing, &error));
    question q = {.protocol = {.mixing = mixing, .rounds = 4, .noise.dither = 0.1},
                  .sees = NETDP_SEES_SUM,
                  .members = 3,
                  .member = member,
                  .nodes = 9};
    infinite = 0;
    compare(&q, false, "sums that others imply");
    assert_int_equal(infinite, 0);

    /* Where nobody sees to it that a sum stays, nothing is proven. */
    netdp_i_shift_problem problem;
    int32_t source = 7;
    double loss = 0, g[4 * 9] = {0};
    netdp_i_displacement of = {.lanes = 1, .source = &source, .g = g};
    problem_of(&q, 0, &problem);
    assert_int_equal(problem.round[0].tie->count, 2);
    assert_int_equal(problem.round[0].tie->listed, 3);
    for (int64_t t = 0; t < 3; t++)
        g[t * 9 + 1] = g[t * 9 + 5] = 0.5;
    assert_ok(netdp_i_displacement_loss(&problem, &of, &loss, NULL, &error));
    assert_true(isfinite(loss));
    for (int64_t t = 0; t < 4; t++)
        problem.round[t].tie = NULL;
    assert_ok(netdp_i_displacement_loss(&problem, &of, &loss, NULL, &error));
    assert_true(isinf(loss));
    netdp_i_shift_problem_clear(&problem);
    netdp_mixing_free(mixing);
    netdp_graph_free(graph);
}

/* Rows of three sums on nodes 3, 4 and 5: the third is the first two together, but for `more` at node 5. */
static double off_of(double more, int32_t *kept)
{
    static const int64_t start[] = {0, 3, 6, 9, 9, 9, 9};
    static const int32_t column[] = {3, 4, 5, 3, 4, 5, 3, 4, 5};
    static const char part[] = {NETDP_I_PART_KNOWN, NETDP_I_PART_KNOWN, NETDP_I_PART_KNOWN,
                                NETDP_I_PART_FREE,  NETDP_I_PART_FREE,  NETDP_I_PART_FREE};
    const double weight[] = {0.25, 0.125, 0.0625, 0.125, 0.25, 0.3, 0.375, 0.375, 0.3625 + more};
    int32_t observer[] = {0, 1, 2}, pivot[3];
    double inverse[9];
    netdp_i_shift_tie tie = {.listed = 3, .observer = observer, .pivot = pivot, .inverse = inverse};
    const netdp_rows rows = {6, start, column, weight};
    assert_ok(netdp_i_tie_resolve(rows, part, &tie, &error));
    *kept = tie.count;
    return tie.off;
}

/* No tolerance decides what is implied: a last bit more is a sum of its own, which doubles do not resolve. */
static void test_no_tolerance(void **state)
{
    (void)state;
    int32_t kept = 0;
    assert_true(0.0625 + 0.3 == 0.3625);
    assert_true(off_of(0, &kept) < 1e-10);
    assert_int_equal(kept, 2);
    assert_false(off_of(0x1p-52, &kept) < 0.5);
    assert_true(off_of(1e-11, &kept) < 0.5);
    assert_int_equal(kept, 3);
    assert_true(off_of(1e-3, &kept) < 1e-10);
    assert_int_equal(kept, 3);
}

enum { DRAWN = 6, TWINS = 12 };

/* Nodes of which the last are made as twins of ones before, each beside its own or not; a weight of some is another. */
static netdp_graph *with_twins(void)
{
    double w[TWINS][TWINS] = {{0}}, weight[TWINS * TWINS];
    int32_t pair[2 * TWINS * TWINS];
    netdp_edge_list list = {.nodes = TWINS, .pair = pair, .weight = weight};
    netdp_graph *graph = NULL;
    for (int u = 1; u < TWINS; u++) {
        const int like = pick(u);
        for (int v = 0; v < u; v++) {
            const bool drawn = u < DRAWN ? v == u - 1 || pick(3) == 0 : v == like && pick(2) == 0;
            const bool copied = u >= DRAWN && v != like && w[like][v] > 0;
            w[u][v] = w[v][u] = drawn                     ? (1 + pick(8)) / 128.0
                                : copied && pick(12) == 0 ? w[like][v] / 2
                                : copied                  ? w[like][v]
                                                          : 0;
            if (w[u][v] > 0) {
                weight[list.count] = w[u][v];
                pair[2 * list.count] = v;
                pair[2 * list.count++ + 1] = u;
            }
        }
    }
    assert_ok(netdp_graph_from_list(&list, &graph, NULL, &error));
    return graph;
}

/* All sources at once, of which twins are found once, and each alone. */
static void test_twins(void **state)
{
    (void)state;
    char none[TWINS] = {0};
    int32_t twin[TWINS], kinds, found = 0;
    for (int i = 0; i < 120; i++) {
        netdp_graph *graph = with_twins();
        netdp_mixing *mixing = NULL;
        netdp_i_shift_problem problem;
        double all[TWINS], alone;
        int32_t node[TWINS], members[2] = {pick(TWINS - 1), TWINS - 1};
        assert_ok(netdp_mixing_new(graph, "file", &mixing, &error));
        assert_ok(netdp_i_twins(netdp_mixing_rows(mixing), none, twin, &kinds, &error));
        found += TWINS - kinds;
        const bool ends = pick(3) == 0;
        const question q = {.protocol = {.mixing = mixing,
                                         .rounds = 1 + pick(6),
                                         .noise.dither = dithers[1 + pick(LENGTH(dithers) - 1)],
                                         .noise.end = ends ? 0.3 : 0,
                                         .accelerate = pick(3) == 0},
                            .sees = pick(3) == 0 ? NETDP_SEES_SUM : NETDP_SEES_NEIGHBOURS,
                            .members = 1 + pick(2),
                            .member = members,
                            .nodes = TWINS};
        problem_of(&q, 0, &problem);
        for (int32_t v = 0; v < TWINS; v++)
            node[v] = v;
        assert_ok(
            netdp_i_shift_losses(&problem, &(netdp_i_sources){TWINS, node, all}, NULL, &error));
        for (int32_t v = 0; v < TWINS; v++) {
            assert_ok(netdp_i_shift_losses(&problem, &(netdp_i_sources){1, &node[v], &alone}, NULL,
                                           &error));
            if (!is_member(&q, v) && !problem.apart)
                assert_close(all[v], alone, 1e-18, 1e-10);
        }
        netdp_i_shift_problem_clear(&problem);
        netdp_mixing_free(mixing);
        netdp_graph_free(graph);
    }
    assert_true(found > 120);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_weights_of_1_change_nothing),
                                       cmocka_unit_test(test_averaging),
                                       cmocka_unit_test(test_accelerated),
                                       cmocka_unit_test(test_phases),
                                       cmocka_unit_test(test_changing),
                                       cmocka_unit_test(test_sums_that_others_imply),
                                       cmocka_unit_test(test_twins),
                                       cmocka_unit_test(test_no_tolerance)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup_master();
    return failed;
}

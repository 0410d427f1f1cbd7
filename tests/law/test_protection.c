/*
 * Rows as the unit: what one row can change of a contribution, in which phases, and what that makes
 * of the losses, against closed forms and lists of events.
 */
#include "check.h"

#include <netdp/account.h>
#include <netdp/privacy.h>
#include <netdp/learn.h>
#include <netdp/random.h>

enum { NODES = 6, PHASES = 7 };

typedef struct network {
    netdp_graph *graph;
    netdp_mixing *mixing;
} network;

static void network_make(network *g, const char *family)
{
    netdp_error error;
    assert_ok(netdp_graph_make(family, 3, true, &g->graph, NULL, &error));
    assert_ok(netdp_mixing_new(g->graph, "metropolis", &g->mixing, &error));
}

static void network_free(network *g)
{
    netdp_mixing_free(g->mixing);
    netdp_graph_free(g->graph);
}

static netdp_losses *account(const netdp_linear *protocol, netdp_bound bound,
                             netdp_protection protection)
{
    netdp_error error;
    netdp_losses *losses = NULL;
    const netdp_loss_request request = {
        .protocol = protocol, .bound = bound, .protection = protection};
    assert_ok(netdp_losses_new(&request, NULL, &losses, &error));
    return losses;
}

static const double shares[NODES] = {1, 0.5, 0.25, 0.125, 0.7, 0};

static void test_losses_go_by_the_square_of_the_share(void **state)
{
    (void)state;
    network g;
    network_make(&g, "ring 6");
    const netdp_linear averaging = {.mixing = g.mixing, .rounds = 5, .noise.dither = 0.1};
    netdp_losses *node = account(&averaging, NETDP_BOUND_AUTO, (netdp_protection){0});
    netdp_losses *row =
        account(&averaging, NETDP_BOUND_AUTO,
                (netdp_protection){.protects = NETDP_PROTECTS_ROW, .share = shares});
    assert_true(row->sound && row->certified == node->certified);
    for (int v = 0; v < NODES; v++)
        for (int u = 0; u < NODES; u++) {
            const double want = node->loss[v * NODES + u] * shares[u] * shares[u];
            if (u == v)
                continue;
            assert_close(row->loss[v * NODES + u], want, 0, 1e-15);
            assert_true(row->loss[v * NODES + u] >= want);
        }
    netdp_losses_free(node);
    netdp_losses_free(row);
    network_free(&g);
}

/* Of a batch that every phase draws anew: the list of its phases, and never below. */
static void test_poisson_phases_are_the_list_of_their_events(void **state)
{
    (void)state;
    netdp_error error;
    network g;
    network_make(&g, "ring 6");
    const netdp_linear learning = {.mixing = g.mixing,
                                   .rounds = 2 * PHASES,
                                   .noise.dither = 0.1,
                                   .every = 2,
                                   .reacts = true,
                                   .noise.end = 0.2};
    const netdp_protection poisson = {.protects = NETDP_PROTECTS_ROW,
                                      .change = NETDP_CHANGE_ADD_REMOVE,
                                      .batches = {NETDP_BATCHES_POISSON, 0, 0.2},
                                      .share = shares};
    const netdp_unit unit = {NETDP_AS_DP, 1e-5};
    const double sigma = 1.5;
    netdp_losses *all =
        account(&learning, NETDP_BOUND_AUTO,
                (netdp_protection){.protects = NETDP_PROTECTS_ROW, .share = shares});
    netdp_losses *drawn = account(&learning, NETDP_BOUND_AUTO, poisson);
    assert_int_equal(drawn->phases, PHASES);
    double gdp = 0;
    assert_ok(netdp_loss_value(drawn->loss[0], sigma, (netdp_unit){NETDP_AS_GDP, 0}, &gdp, &error));
    netdp_losses *settled = account(&learning, NETDP_BOUND_AUTO, poisson);
    assert_ok(netdp_losses_settle(settled, sigma, unit, &error));
    assert_true(settled->final);
    for (int v = 0; v < NODES; v++)
        for (int u = 0; u < NODES; u++) {
            const int at = v * NODES + u;
            double want = 0, most = 0;
            if (u == v) { /* who knows the batch has no such guarantee */
                assert_true(isinf(settled->loss[at]) && isinf(drawn->loss[at]));
                continue;
            }
            const double one = all->loss[at] / PHASES;
            assert_true(drawn->loss[at] >= one && drawn->loss[at] <= one * 1.13);
            const netdp_event phases = {.mechanism = NETDP_SUBSAMPLED_GAUSSIAN,
                                        .noise = sigma / sqrt(one),
                                        .rate = 0.2,
                                        .count = PHASES};
            if (one == 0) {
                assert_true(settled->loss[at] == 0);
                continue;
            }
            assert_ok(netdp_events_epsilon(&phases, 1, unit.parameter, NETDP_UPPER, &want, &error));
            assert_true(settled->loss[at] >= want * (1 - 2e-3) - 1e-6);
            assert_true(settled->loss[at] <= want * 1.15 + 1e-3);
            /* Less than as if it had taken part in all of them. */
            assert_ok(netdp_loss_value(all->loss[at], sigma, unit, &most, &error));
            assert_true(settled->loss[at] <= most);
        }
    netdp_losses_free(all);
    netdp_losses_free(drawn);
    netdp_losses_free(settled);
    network_free(&g);
}

/*
 * Drawn batches amplify towards those alone who do not know them: of its own rows, and of those of any
 * node in it, a coalition has no guarantee, however little of them is drawn.
 */
static void test_who_knows_the_batch_has_no_amplification(void **state)
{
    (void)state;
    netdp_error error;
    network g;
    network_make(&g, "ring 6");
    const netdp_linear learning = {.mixing = g.mixing,
                                   .rounds = 2 * PHASES,
                                   .noise.dither = 0.1,
                                   .every = 2,
                                   .reacts = true,
                                   .noise.end = 0.2};
    const int32_t members[] = {1, 2, 4};
    const netdp_bound bounds[] = {NETDP_BOUND_AUTO, NETDP_BOUND_EVERYTHING};
    for (int b = 0; b < 2; b++)
        for (int count = 1; count <= 3; count++) {
            const netdp_loss_request request = {
                .protocol = &learning,
                .bound = bounds[b],
                .protection = {.protects = NETDP_PROTECTS_ROW,
                               .change = NETDP_CHANGE_ADD_REMOVE,
                               .batches = {NETDP_BATCHES_POISSON, 0, 1e-3},
                               .share = shares},
                .coalition = true,
                .to_count = count,
                .to = members};
            netdp_losses *losses = NULL;
            assert_ok(netdp_losses_new(&request, NULL, &losses, &error));
            assert_ok(netdp_losses_settle(losses, 2, (netdp_unit){NETDP_AS_DP, 1e-5}, &error));
            for (int u = 0; u < NODES; u++) {
                bool inside = false;
                for (int i = 0; i < count; i++)
                    inside = inside || members[i] == u;
                assert_true(inside ? isinf(losses->loss[u]) && losses->loss[u] > 0
                                   : losses->loss[u] >= 0 && losses->loss[u] < 1);
            }
            netdp_losses_free(losses);
        }
    network_free(&g);
}

/* Whoever deals the batches by a public seed hides nothing by it: k participations, unamplified. */
static void test_known_batches_do_not_amplify(void **state)
{
    (void)state;
    network g;
    network_make(&g, "ring 6");
    netdp_linear learning = {.mixing = g.mixing,
                             .rounds = 2 * PHASES,
                             .noise.dither = 0.1,
                             .every = 2,
                             .reacts = true,
                             .noise.end = 0.2};
    for (int64_t count = 1; count <= 2 * PHASES; count++) {
        const double k = ceil((double)PHASES / (double)count);
        const netdp_protection row = {.protects = NETDP_PROTECTS_ROW,
                                      .batches = {NETDP_BATCHES_CYCLIC, count, 0}};
        const netdp_protection node = {.batches = {NETDP_BATCHES_CYCLIC, count, 0}};
        learning.cycle = count;
        netdp_losses *everything = account(&learning, NETDP_BOUND_EVERYTHING, row);
        learning.cycle = 0;
        netdp_losses *whole = account(&learning, NETDP_BOUND_EVERYTHING, node);
        assert_true(everything->loss[1] == k && everything->local == k);
        assert_true(whole->loss[1] == PHASES && whole->local == PHASES);
        netdp_losses_free(everything);
        netdp_losses_free(whole);
    }
    network_free(&g);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    netdp_error error;
    netdp_batches batches;
    const netdp_batches poisson = {NETDP_BATCHES_POISSON, 0, 0.5};
    const struct {
        netdp_protection protection;
        const char *says;
    } refused[] = {
        {{.protects = NETDP_PROTECTS_ROW, .batches = poisson}, "add-remove"},
        {{.change = NETDP_CHANGE_ADD_REMOVE}, "of rows"},
        {{.batches = poisson}, "not a node"},
        {{.protects = NETDP_PROTECTS_ROW, .batches = {NETDP_BATCHES_CYCLIC, 0, 0}}, "cyclic:0"},
        {{.protects = NETDP_PROTECTS_ROW,
          .change = NETDP_CHANGE_ADD_REMOVE,
          .batches = {NETDP_BATCHES_POISSON, 0, 1.5}},
         "poisson:1.5"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_fails(netdp_protection_check(&refused[i].protection, &error), NETDP_INVALID);
        assert_non_null(strstr(error.text, refused[i].says));
    }
    static const char *const wrong[] = {
        "",          "half",      "cyclic",      "cyclic:0", "cyclic:2.5", "cyclic:-1",
        "poisson:0", "poisson:2", "poisson:nan", "full:1",   "poisson:"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_fails(netdp_batches_parse(wrong[i], &batches, &error), NETDP_INVALID);
    assert_ok(netdp_batches_parse("cyclic:12", &batches, &error));
    assert_int_equal(batches.count, 12);
    assert_ok(netdp_batches_parse("poisson:0.25", &batches, &error));
    assert_true(batches.rate == 0.25);
}

/*
 * Pools: the largest of all coalitions with the observer, one by one; and where pairs are complete and
 * everything is seen, u hides among the m nodes outside: [(I + kappa^2 (m I - J))^-1]_uu.
 */
static void test_pools_are_the_largest_coalition(void **state)
{
    (void)state;
    netdp_error error;
    network g;
    network_make(&g, "path 6");
    netdp_graph *pairs = NULL;
    assert_ok(netdp_graph_make("complete 6", 1, true, &pairs, NULL, &error));
    const netdp_linear averaging = {.mixing = g.mixing, .rounds = 4, .noise.dither = 0.1};
    netdp_linear paired = averaging;
    paired.noise.pairing = (netdp_pairing){.graph = pairs, .kappa = 2};
    netdp_loss_request request = {.protocol = &averaging, .pool = 2};
    netdp_losses *pooled = NULL, *one = NULL;
    assert_ok(netdp_losses_new(&request, NULL, &pooled, &error));
    assert_true(pooled->sound && pooled->certified);
    for (int v = 0; v < NODES; v++)
        for (int u = 0; u < NODES; u++) {
            double largest = 0;
            for (int w = 0; u != v && w < NODES; w++) {
                if (w == u || w == v)
                    continue;
                const int32_t both[] = {v, w};
                const netdp_loss_request coalition = {
                    .protocol = &averaging, .coalition = true, .to_count = 2, .to = both};
                assert_ok(netdp_losses_new(&coalition, NULL, &one, &error));
                largest = fmax(largest, one->loss[u]);
                netdp_losses_free(one);
            }
            if (u != v)
                assert_close(pooled->loss[v * NODES + u], largest, 0, 1e-12);
        }
    netdp_losses_free(pooled);
    for (int pool = 1; pool <= 4; pool++) {
        const double m = NODES - pool, k = 1 + 4 * m;
        request = (netdp_loss_request){
            .protocol = &paired, .bound = NETDP_BOUND_EVERYTHING, .pool = pool};
        assert_ok(netdp_losses_new(&request, NULL, &pooled, &error));
        assert_close(pooled->loss[1], 1 / m + (1 - 1 / m) / k, 0, 1e-6);
        assert_true(pooled->loss[1] >= (1 / m + (1 - 1 / m) / k) * (1 - 1e-12));
        netdp_losses_free(pooled);
    }
    request.pool = NODES;
    assert_fails(netdp_losses_new(&request, NULL, &pooled, &error), NETDP_INVALID);
    netdp_graph_free(pairs);
    network_free(&g);
}

/* ---- What a row can change, measured on gradients ---- */

enum { ROWS = 23, FEATURES = 3 };

static double distance(const double *a, const double *b)
{
    double sum = 0;
    for (int j = 0; j < FEATURES; j++)
        sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sqrt(sum);
}

/*
 * Row 0 of the larger node replaced by its opposite: the gradient moves by 2 clip weight / b_u where
 * it takes part, at most, and that is attained; elsewhere by nothing.
 */
static void test_a_row_moves_its_batches_alone(void **state)
{
    (void)state;
    double x[ROWS * FEATURES], y[ROWS], weight[2] = {0.5, 1.5}, model[FEATURES] = {0};
    int64_t start[3] = {0, 4, ROWS}, scratch[ROWS];
    netdp_stream stream = netdp_stream_at(5, NETDP_FOR_TEST, 0, 0);
    for (int i = 0; i < ROWS * FEATURES; i++)
        x[i] = 100 * (2 * netdp_stream_uniform(&stream) - 1);
    for (int i = 0; i < ROWS; i++)
        y[i] = i % 2 == 0 ? 1 : -1;
    const netdp_examples rows = {ROWS, FEATURES, x, y, 2, start, weight, 0};
    const netdp_objective objective = {.kind = NETDP_LOGISTIC, .clip = 0.4};
    const double held = ROWS - 4;
    const struct {
        netdp_batches batches;
        double divisor;
    } kinds[] = {{{NETDP_BATCHES_FULL, 0, 0}, held},
                 {{NETDP_BATCHES_CYCLIC, 4, 0}, held / 4},
                 {{NETDP_BATCHES_CYCLIC, 40, 0}, held / 40},
                 {{NETDP_BATCHES_POISSON, 0, 0.3}, 0.3 * held}};
    for (int row = 4; row < ROWS; row++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            const netdp_batches batches = kinds[k].batches;
            const double most = 2 * objective.clip * weight[1] / kinds[k].divisor;
            int parts = 0;
            for (int phase = 0; phase < 80; phase++) {
                double one[FEATURES], other[FEATURES];
                for (int side = 0; side < 2; side++) {
                    y[row] = side == 0 ? 1 : -1; /* its gradient's opposite, at this model */
                    netdp_batch_gradient(&objective, &rows, 1, model, batches, phase, 9,
                                         (uint64_t)phase, scratch, side == 0 ? one : other);
                }
                const double moved = distance(one, other);
                assert_true(moved == 0 || fabs(moved - most) <= 1e-12 * most);
                parts += moved > 0;
            }
            if (batches.kind == NETDP_BATCHES_POISSON)
                assert_true(parts >= 4 && parts <= 48); /* of 80 draws with 0.3: +- 6 sigma */
            else
                assert_int_equal(parts,
                                 batches.kind == NETDP_BATCHES_FULL ? 80 : 80 / batches.count);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_losses_go_by_the_square_of_the_share),
        cmocka_unit_test(test_poisson_phases_are_the_list_of_their_events),
        cmocka_unit_test(test_who_knows_the_batch_has_no_amplification),
        cmocka_unit_test(test_known_batches_do_not_amplify),
        cmocka_unit_test(test_pools_are_the_largest_coalition),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_a_row_moves_its_batches_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

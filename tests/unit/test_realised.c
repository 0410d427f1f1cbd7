/*
 * The account of a walk whose path is known, against the least schedule found another way, against
 * the account over all paths, and the laws between the kinds.
 */
#include "walk_net.h"
#include "sweep.h"

#include <omp.h>
#include <netdp/random.h>
#include <netdp/walk.h>
#include <netdp/simulate.h>

enum { NODES = 5, MOST_STEPS = 40 };

/* ---- The cost of one piece, another way ---- */

/*
 * The least sum of a_t^2 under partial sums at most those of the contributions x_t, equal at the
 * end, is the isotonic regression of x (Barlow et al. 1972): a_t is the max over s <= t of the min
 * over e > t of the mean of x_s .. x_{e-1}.
 */
static double least_squares(const int64_t *when, int64_t count, int64_t end)
{
    double sum = 0;
    for (int64_t t = when[0]; t < end; t++) {
        double slope = 0;
        for (int64_t s = when[0]; s <= t; s++) {
            double least = INFINITY;
            for (int64_t e = t + 1; e <= end; e++) {
                int64_t inside = 0;
                for (int64_t i = 0; i < count; i++)
                    inside += when[i] >= s && when[i] < e;
                least = fmin(least, (double)inside / (double)(e - s));
            }
            slope = fmax(slope, least);
        }
        sum += slope * slope;
    }
    return sum;
}

/* What `observes` marks learns about u from one token, piece by piece as the definition says. */
static double slow_cost(const netdp_token *token, const int32_t *path, netdp_realised_kind kind,
                        const bool *observes, int32_t u)
{
    int64_t when[MOST_STEPS], count = 0, all = 0, others = 0;
    double sum = 0;
    for (int64_t t = 0; t <= token->steps; t++) {
        if (observes[path[t]] || (token->release && t == token->steps)) {
            if (count > 0)
                sum += kind == NETDP_REALISED_LINEAR ? (double)(count * count) / (double)others
                                                     : least_squares(when, count, t);
            count = others = 0;
        }
        others += !observes[path[t]];
        if (path[t] == u && t < token->steps && (token->cap == 0 || all < token->cap)) {
            when[count++] = t;
            all++;
        }
    }
    return sum;
}

static void draw_path(netdp_stream *stream, const netdp_token *token, int32_t *path)
{
    for (int64_t t = 0; t <= token->steps; t++) /* stays often, so that runs come about */
        path[t] = t > 0 && netdp_stream_uniform(stream) < 0.4
                      ? path[t - 1]
                      : (int32_t)netdp_stream_below(stream, NODES);
}

static void test_short_paths(void **state)
{
    (void)state;
    net n = open_net("complete 5", 5, "metropolis");
    netdp_stream stream = netdp_stream_at(3, NETDP_FOR_TEST, 0, 0);
    int32_t path[2 * (MOST_STEPS + 1)];
    int bent = 0;
    for (int i = 0; i < 3000; i++) {
        const netdp_token token = {.law = n.law,
                                   .steps = 1 + (int64_t)netdp_stream_below(&stream, 22),
                                   .start = NETDP_START_UNIFORM,
                                   .cap = i % 3 == 0 ? i % 5 : 0,
                                   .tokens = 1 + i % 2,
                                   .release = i % 4 == 1};
        bool observes[NODES] = {false};
        int32_t observers[NODES], count = 0;
        for (int32_t v = 0; v < 1 + i % 3; v++) {
            observers[count] = (int32_t)netdp_stream_below(&stream, NODES);
            observes[observers[count++]] = true; /* the same one twice is fine */
        }
        for (int32_t k = 0; k < token.tokens; k++)
            draw_path(&stream, &token, path + k * (token.steps + 1));
        for (int kind = 0; kind < 2; kind++) {
            double cost[NODES];
            assert_ok(netdp_realised_costs(&token, path, (netdp_realised_kind)kind, count,
                                           observers, cost, &error));
            for (int32_t u = 0; u < NODES; u++) {
                double truth = observes[u] ? INFINITY : 0;
                for (int32_t k = 0; k < token.tokens && !observes[u]; k++)
                    truth += slow_cost(&token, path + k * (token.steps + 1),
                                       (netdp_realised_kind)kind, observes, u);
                assert_close(cost[u], truth, 1e-12, 1e-12);
                bent += cost[u] != floor(cost[u]) && kind == NETDP_REALISED_ABSORBED;
            }
        }
    }
    assert_true(bent > 1000);
    drop(n);
}

/* Values by hand: node 1 contributes, node 0 looks. */
static void test_values_by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int64_t cap;
        bool release;
        double absorbed, linear;
    } table[] = {
        {"10", 0, false, 1, 1},
        {"120", 0, false, 0.5, 0.5},
        {"1110", 0, false, 3, 3},
        {"1120", 0, false, 4.0 / 3, 4.0 / 3}, /* together: not 1/3 + 1/2 */
        {"11222220", 0, false, 4.0 / 7, 4.0 / 7},
        {"2222210", 0, false, 1, 1.0 / 6},        /* noise before hides sums only */
        {"12222110", 0, false, 0.2 + 2, 9.0 / 7}, /* the minorant bends */
        {"012210", 0, false, 1.0 / 3 + 1, 1},     /* the observer's own noise hides nothing */
        {"1222", 0, false, 0, 0},                 /* nobody looks */
        {"1222", 0, true, 1.0 / 3, 1.0 / 3},      /* but a released model is seen */
        {"1112", 2, true, 4.0 / 3, 4.0 / 3},      /* a capped step hides the others */
        {"1011", 1, true, 1, 1},
        {"2201", 0, true, 0, 0}, /* the last holder only keeps the token */
        {"0120120", 0, false, 0.5 + 0.5, 0.5 + 0.5},
    };
    net n = open_net("complete 5", 5, "metropolis");
    const int32_t observer = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        int32_t path[MOST_STEPS];
        double cost[2][NODES];
        netdp_token token = {.law = n.law,
                             .steps = (int64_t)strlen(table[i].path) - 1,
                             .start = NETDP_START_UNIFORM,
                             .cap = table[i].cap,
                             .tokens = 1,
                             .release = table[i].release};
        for (int64_t t = 0; t <= token.steps; t++)
            path[t] = table[i].path[t] - '0';
        for (int kind = 0; kind < 2; kind++)
            assert_ok(netdp_realised_costs(&token, path, (netdp_realised_kind)kind, 1, &observer,
                                           cost[kind], &error));
        assert_close(cost[0][1], table[i].absorbed, 0, 1e-14);
        assert_close(cost[1][1], table[i].linear, 0, 1e-14);
        assert_true(isinf(cost[0][0]) && isinf(cost[1][0]));
    }
    drop(n);
}

/* ---- Simulated paths ---- */

static void simulate_path(const netdp_token *token, uint64_t repeat, int32_t *path)
{
    static const double values[64];
    const netdp_walking walking = {.values = values, .width = 1, .step = 0.5};
    double *model = calloc((size_t)token->tokens, sizeof *model);
    assert_ok(netdp_simulate_walk(token, &walking, (netdp_run_seed){17, repeat},
                                  (netdp_tracing){.every = 1}, model, path, &error));
    free(model);
}

static const struct setting {
    const char *family, *law;
    int64_t steps, burn_in, cap;
    int32_t from, to, start, tokens;
    bool release;
    double alpha, sigma;
} settings[] = {
    {"star 12", "hamilton", 120, 0, 0, 1, 0, NETDP_START_UNIFORM, 1, false, 2, 5},
    {"star 12", "hamilton", 120, 0, 0, 1, 2, NETDP_START_UNIFORM, 2, true, 2, 6},
    {"ring 9", "lazy:0.4", 90, 5, 0, 4, 7, 0, 1, false, 3, 6},
    {"complete 10", "lazy:0.8", 100, 0, 6, 1, 0, NETDP_START_UNIFORM, 1, true, 2, 5},
    {"florentine", "hastings:degree", 80, 0, 0, 8, 2, 3, 1, false, 2, 4},
    {"karate", "metropolis", 150, 0, 3, 33, 0, NETDP_START_UNIFORM, 3, false, 4, 8},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static netdp_token token_of(const struct setting *s, net n)
{
    return (netdp_token){.law = n.law,
                         .steps = s->steps,
                         .burn_in = s->burn_in,
                         .start = s->start,
                         .cap = s->cap,
                         .tokens = s->tokens,
                         .release = s->release};
}

static double account(const netdp_token *token, const struct setting *s, netdp_bound bound)
{
    const netdp_walk_request request = {.token = token,
                                        .bound = bound,
                                        .noise = s->sigma,
                                        .unit = {NETDP_AS_RDP, s->alpha},
                                        .from_count = 1,
                                        .from = &s->from,
                                        .to_count = 1,
                                        .to = &s->to};
    netdp_losses *losses = NULL;
    assert_ok(netdp_walk_losses_new(&request, NULL, &losses, &error));
    const double value = losses->loss[0];
    netdp_losses_free(losses);
    return value;
}

/* The mean of exp((alpha-1) epsilon(path)) is never above that of the account over all paths. */
static void test_mean_over_paths(void **state)
{
    (void)state;
    enum { WALKS = 4000 };
    const int before = omp_get_max_threads();
    omp_set_num_threads(1); /* two tokens are too little work to wait for a thread */
    for (int i = 0; i < SETTINGS; i++) {
        const struct setting *s = &settings[i];
        net n = open_net(s->family, 5, s->law);
        const netdp_token token = token_of(s, n);
        int32_t *path = calloc((size_t)(s->tokens * (s->steps + 1)), sizeof *path);
        double *cost = calloc((size_t)netdp_graph_nodes(n.graph), sizeof *cost);
        const double theta = s->alpha * (s->alpha - 1) / (2 * s->sigma * s->sigma);
        const bool linear = !s->release && s->cap == 0;
        for (int kind = 0; kind <= linear; kind++) {
            double mean = 0, square = 0;
            for (uint64_t w = 0; w < WALKS; w++) {
                simulate_path(&token, w, path);
                assert_ok(netdp_realised_costs(&token, path, (netdp_realised_kind)kind, 1, &s->to,
                                               cost, &error));
                const double value = exp(theta * cost[s->from]);
                mean += value / WALKS;
                square += value * value / WALKS;
            }
            const double spread = sqrt(fmax(0, square - mean * mean) / WALKS);
            const double bound = exp((s->alpha - 1) * account(&token, s,
                                                              kind == NETDP_REALISED_LINEAR
                                                                  ? NETDP_BOUND_EXCURSION_LINEAR
                                                                  : NETDP_BOUND_EXCURSION));
            assert_true(mean > 1);
            assert_true(mean - 4.5 * spread <= bound);
            if (kind == NETDP_REALISED_LINEAR) /* the same number, by law and by run */
                assert_close(mean, bound, 4.5 * spread, 1e-6);
            else if (s->cap == 0)
                assert_true(bound - 1 <= 2 * (mean - 1 + 4 * spread));
        }
        free(path);
        free(cost);
        drop(n);
    }
    omp_set_num_threads(before);
}

/* ---- Laws ---- */

static void test_laws(void **state)
{
    (void)state;
    for (int i = 0; i < SETTINGS; i++) {
        const struct setting *s = &settings[i];
        net n = open_net(s->family, 5, s->law);
        netdp_token token = token_of(s, n);
        const int32_t nodes = netdp_graph_nodes(n.graph);
        const size_t pairs = (size_t)nodes * (size_t)nodes;
        int32_t *path = calloc((size_t)(s->tokens * (s->steps + 1)), sizeof *path);
        int64_t *count = calloc((size_t)nodes, sizeof *count), all = 0;
        double *absorbed = calloc(pairs, sizeof *absorbed), *linear = calloc(pairs, sizeof *linear);
        double *released = calloc(pairs, sizeof *released), *one = calloc(pairs, sizeof *one);
        simulate_path(&token, 1, path);
        token.release = false;
        assert_ok(netdp_realised_contributions(&token, path, count, &error));
        assert_ok(
            netdp_realised_pairs(&token, path, NETDP_REALISED_ABSORBED, NULL, absorbed, &error));
        assert_ok(netdp_realised_pairs(&token, path, NETDP_REALISED_LINEAR, NULL, linear, &error));
        token.release = true;
        assert_ok(
            netdp_realised_pairs(&token, path, NETDP_REALISED_ABSORBED, NULL, released, &error));
        token.release = false;
        const int32_t both[] = {s->to, (s->to + 1) % nodes};
        assert_ok(
            netdp_realised_costs(&token, path, NETDP_REALISED_ABSORBED, 2, both, one, &error));
        for (int32_t u = 0; u < nodes; u++) {
            all += count[u];
            assert_true(s->cap == 0 || count[u] <= s->cap * s->tokens);
            for (int32_t v = 0; v < nodes; v++) {
                const size_t at = (size_t)v * (size_t)nodes + (size_t)u;
                if (u == v) {
                    assert_true(isinf(absorbed[at]) && isinf(linear[at]));
                    continue;
                }
                assert_true(absorbed[at] <= (double)count[u]); /* exactly: it is rounded so */
                assert_true(linear[at] <= absorbed[at] * (1 + 1e-14));
                assert_true(absorbed[at] <= released[at]);
            }
            for (int m = 0; m < 2; m++)
                if (u != both[0] && u != both[1]) /* who sees more */
                    assert_true(absorbed[both[m] * nodes + u] <= one[u] * (1 + 1e-14));
        }
        assert_true(s->cap > 0 || all == s->steps * s->tokens);
        assert_ok(
            netdp_realised_costs(&token, path, NETDP_REALISED_ABSORBED, 1, both, one, &error));
        assert_memory_equal(one, absorbed + (size_t)s->to * (size_t)nodes,
                            (size_t)nodes * sizeof *one);
        free(path);
        free(count);
        free(absorbed);
        free(linear);
        free(released);
        free(one);
        drop(n);
    }
}

/* A long walk for all pairs: seconds, equal on any number of threads. */
static void test_threads(void **state)
{
    (void)state;
    net n = open_net("hypercube 6", 5, "metropolis");
    const netdp_token token = {
        .law = n.law, .steps = 60000, .start = NETDP_START_UNIFORM, .tokens = 1};
    int32_t *path = calloc(60001, sizeof *path);
    double *one = calloc(64 * 64, sizeof *one), *two = calloc(64 * 64, sizeof *two);
    const int before = omp_get_max_threads();
    simulate_path(&token, 0, path);
    omp_set_num_threads(1);
    assert_ok(netdp_realised_pairs(&token, path, NETDP_REALISED_ABSORBED, NULL, one, &error));
    omp_set_num_threads(2);
    assert_ok(netdp_realised_pairs(&token, path, NETDP_REALISED_ABSORBED, NULL, two, &error));
    omp_set_num_threads(before);
    assert_memory_equal(one, two, 64 * 64 * sizeof *one);
    free(path);
    free(one);
    free(two);
    drop(n);
}

/* ---- Failures ---- */

static bool stop(void *context, const char *what, double done, double total)
{
    (void)context;
    (void)what;
    (void)done;
    (void)total;
    return false;
}

static void test_failures(void **state)
{
    (void)state;
    net n = open_net("complete 5", 5, "metropolis");
    const netdp_progress stopping = {stop, NULL};
    netdp_token token = {.law = n.law, .steps = 3, .start = 1, .tokens = 1};
    const int32_t fine[] = {1, 2, 0, 1}, far[] = {1, 2, 5, 1}, low[] = {1, 2, 0, -1};
    const int32_t other[] = {2, 2, 0, 1}, observer = 0, nobody = 5;
    double cost[NODES * NODES];
    int64_t count[NODES];
    for (int i = 0; i < NODES * NODES; i++)
        cost[i] = -7;
    count[0] = -7;
    const netdp_realised_kind kind = NETDP_REALISED_ABSORBED;
    assert_fails(netdp_realised_costs(&token, far, kind, 1, &observer, cost, &error),
                 NETDP_INVALID);
    assert_fails(netdp_realised_costs(&token, low, kind, 1, &observer, cost, &error),
                 NETDP_INVALID);
    assert_fails(netdp_realised_costs(&token, other, kind, 1, &observer, cost, &error),
                 NETDP_INVALID);
    assert_fails(netdp_realised_costs(&token, fine, kind, 0, &observer, cost, &error),
                 NETDP_INVALID);
    assert_fails(netdp_realised_costs(&token, fine, kind, 1, &nobody, cost, &error), NETDP_INVALID);
    assert_fails(
        netdp_realised_costs(&token, fine, (netdp_realised_kind)2, 1, &observer, cost, &error),
        NETDP_INVALID);
    assert_fails(netdp_realised_pairs(&token, far, kind, NULL, cost, &error), NETDP_INVALID);
    assert_fails(netdp_realised_pairs(&token, fine, kind, &stopping, cost, &error),
                 NETDP_INTERRUPTED);
    assert_fails(netdp_realised_contributions(&token, far, count, &error), NETDP_INVALID);
    token.steps = 0;
    assert_fails(netdp_realised_contributions(&token, fine, count, &error), NETDP_INVALID);
    token.steps = INT64_C(1) << 32;
    assert_fails(netdp_realised_contributions(&token, fine, count, &error), NETDP_INVALID);
    for (int i = 0; i < NODES * NODES; i++)
        assert_true(cost[i] == -7);
    assert_int_equal(count[0], -7);
    token.steps = 3;
    token.burn_in = 1; /* the start is where the burn-in began */
    assert_ok(netdp_realised_costs(&token, other, kind, 1, &observer, cost, &error));
    drop(n);
}

static void test_no_memory(void **state)
{
    (void)state;
    net n = open_net("complete 5", 5, "metropolis");
    const netdp_token token = {.law = n.law, .steps = 3, .start = 1, .tokens = 1};
    const int32_t path[] = {1, 2, 0, 1}, observer = 0;
    const netdp_realised_kind kind = NETDP_REALISED_ABSORBED;
    double cost[NODES * NODES];
    int64_t count[NODES];
    for (int call = 0; call < 3; call++) {
        for (sweep s = {0}; sweep_next(&s);)
            s.status = call == 0
                           ? netdp_realised_costs(&token, path, kind, 1, &observer, cost, &error)
                       : call == 1 ? netdp_realised_pairs(&token, path, kind, NULL, cost, &error)
                                   : netdp_realised_contributions(&token, path, count, &error);
    }
    drop(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_paths),     cmocka_unit_test(test_values_by_hand),
        cmocka_unit_test(test_mean_over_paths), cmocka_unit_test(test_laws),
        cmocka_unit_test(test_threads),         cmocka_unit_test(test_failures),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

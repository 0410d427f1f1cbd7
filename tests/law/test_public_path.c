/*
 * Paths that are public: drawn as they say; walked by the simulator; accounted for given the path,
 * against the least schedule found another way, on all paths of small walks, and against the
 * contractions that make the account the truth.
 */
#include "walk_net.h"
#include "sweep.h"

#include <math.h>
#include <string.h>
#include <netdp/audit.h>
#include <netdp/privacy.h>
#include <netdp/random.h>
#include <netdp/simulate.h>
#include <netdp/walk.h>

static const netdp_tracing silent = {.every = 1};

static netdp_route *draw(const netdp_token *token, netdp_path path, uint64_t seed)
{
    netdp_route *route = NULL;
    assert_ok(netdp_route_new(token, path, seed, &route, &error));
    return route;
}

/* ---- How they are drawn ---- */

static bool is_edge(netdp_rows rows, int32_t u, int32_t v)
{
    for (int64_t i = rows.start[u]; i < rows.start[u + 1]; i++)
        if (rows.column[i] == v && v != u)
            return true;
    return false;
}

static void check_forward(net n, const netdp_route *route, int32_t k)
{
    for (int64_t t = 1; t <= route->steps; t++) {
        const int32_t at = netdp_route_at(route, k, t), before = netdp_route_at(route, k, t - 1);
        assert_true(is_edge(n.rows, before, at));
        if (t > 1 && at == netdp_route_at(route, k, t - 2)) /* a leaf */
            assert_int_equal(n.rows.start[before + 1] - n.rows.start[before], 2);
    }
}

/* Every pass has each node once, whose other visits rest. */
static void check_tour(net n, const netdp_route *route, int32_t k)
{
    int32_t had[64] = {0}, left = n.rows.nodes, passes = 0;
    for (int64_t t = 0; t < route->steps; t++) {
        const int32_t at = netdp_route_at(route, k, t);
        if (t > 0)
            assert_true(is_edge(n.rows, netdp_route_at(route, k, t - 1), at));
        assert_int_equal(netdp_route_rests(route, k, t), had[at] > passes);
        if (had[at] > passes)
            continue;
        had[at] = passes + 1;
        if (--left > 0)
            continue;
        passes++;
        left = n.rows.nodes;
    }
    assert_true(passes >= 3);
}

static const char *const families[] = {"hypercube 4", "star 9",     "path 6", "grid 3 4",
                                       "florentine",  "complete 7", "ring 8", "davis"};
enum { FAMILIES = sizeof families / sizeof *families };

static void test_drawn(void **state)
{
    (void)state;
    for (int f = 0; f < FAMILIES; f++) {
        net n = open_net(families[f], 1, f % 2 == 0 ? "metropolis" : "lazy:0.3");
        const netdp_token token = {.law = n.law, .steps = 400, .start = f % 3 - 1, .tokens = 2};
        netdp_route *made[NETDP_PATH_TOUR + 1] = {NULL};
        for (netdp_path path = NETDP_PATH_PUBLIC; path <= NETDP_PATH_TOUR; path++) {
            netdp_route *again = draw(&token, path, 5), *other = draw(&token, path, 6);
            made[path] = draw(&token, path, 5);
            const size_t bytes = 2 * (400 + 1) * sizeof(int32_t);
            assert_memory_equal(made[path]->node, again->node, bytes);
            if (path == NETDP_PATH_PUBLIC) { /* a tour of a path has no choice */
                assert_true(memcmp(made[path]->node, other->node, bytes) != 0);
                assert_true(memcmp(made[path]->node, made[path]->node + 401, bytes / 2) != 0);
            }
            netdp_route_free(again);
            netdp_route_free(other);
        }
        for (int32_t k = 0; k < 2; k++) {
            check_forward(n, made[NETDP_PATH_FORWARD], k);
            check_tour(n, made[NETDP_PATH_TOUR], k);
            for (int64_t t = 0; t < 400; t++) {
                const int32_t at = netdp_route_at(made[NETDP_PATH_RESTING], k, t);
                assert_int_equal(netdp_route_at(made[NETDP_PATH_PUBLIC], k, t), at);
                assert_false(netdp_route_rests(made[NETDP_PATH_PUBLIC], k, t));
                assert_int_equal(netdp_route_rests(made[NETDP_PATH_RESTING], k, t),
                                 t > 0 && netdp_route_at(made[NETDP_PATH_RESTING], k, t - 1) == at);
            }
        }
        for (netdp_path path = NETDP_PATH_PUBLIC; path <= NETDP_PATH_TOUR; path++)
            netdp_route_free(made[path]);
        drop(n);
    }
}

/* The moves of a public path are the law's: chi squared of each row, 40 standard deviations' room
   between this seed's 0.9 and what a wrong law gives. */
static void test_law(void **state)
{
    (void)state;
    enum { MOVES = 40000 };
    net n = open_net("florentine", 1, "metropolis");
    const netdp_token token = {
        .law = n.law, .steps = MOVES, .start = NETDP_START_UNIFORM, .tokens = 1};
    netdp_route *route = draw(&token, NETDP_PATH_PUBLIC, 3);
    double count[16][16] = {{0}}, left[16] = {0}, chi = 0, freedom = 0;
    for (int64_t t = 0; t < MOVES; t++) {
        const int32_t at = netdp_route_at(route, 0, t);
        count[at][netdp_route_at(route, 0, t + 1)]++;
        left[at]++;
    }
    for (int32_t u = 0; u < n.rows.nodes; u++)
        for (int64_t i = n.rows.start[u]; i < n.rows.start[u + 1]; i++) {
            const double want = left[u] * n.rows.weight[i];
            if (want == 0) {
                assert_true(count[u][n.rows.column[i]] == 0);
                continue;
            }
            chi += pow(count[u][n.rows.column[i]] - want, 2) / want;
            freedom += 1;
        }
    freedom -= n.rows.nodes;
    assert_true(fabs(chi - freedom) < 5 * sqrt(2 * freedom));
    netdp_route_free(route);
    drop(n);
}

/* ---- The simulator goes there ---- */

static void test_simulated(void **state)
{
    (void)state;
    enum { STEPS = 60 };
    for (int f = 0; f < FAMILIES; f++)
        for (netdp_path kind = NETDP_PATH_PUBLIC; kind <= NETDP_PATH_TOUR; kind++) {
            net n = open_net(families[f], 1, "lazy:0.3");
            netdp_token token = {.law = n.law,
                                 .steps = STEPS,
                                 .start = NETDP_START_UNIFORM,
                                 .cap = f % 2 == 0 ? 3 : 0,
                                 .tokens = 2};
            netdp_route *route = draw(&token, kind, 9);
            token.route = route;
            double values[64], model[2];
            int32_t path[2 * (STEPS + 1)];
            int64_t made[64], count[64] = {0}, whole[64] = {0};
            for (int32_t u = 0; u < n.rows.nodes; u++)
                values[u] = u * u % 7 - 3.0;
            const netdp_walking walking = {.values = values, .width = 1, .step = 0.25};
            for (uint64_t repeat = 0; repeat < 2; repeat++) {
                assert_ok(netdp_simulate_walk(&token, &walking, (netdp_run_seed){4, repeat}, silent,
                                              model, path, &error));
                assert_memory_equal(path, route->node, sizeof path);
                for (int32_t k = 0; k < 2; k++) {
                    double x = 0;
                    memset(count, 0, sizeof count);
                    for (int64_t t = 0; t < STEPS; t++) {
                        const int32_t at = netdp_route_at(route, k, t);
                        if (netdp_route_rests(route, k, t) ||
                            (token.cap > 0 && count[at] >= token.cap))
                            continue;
                        count[at]++;
                        whole[at] += repeat == 0;
                        x -= 0.25 * (x - values[at]);
                    }
                    assert_true(fabs(model[k] - x) <= 1e-12);
                }
            }
            assert_ok(netdp_realised_contributions(&token, path, made, &error));
            for (int32_t u = 0; u < n.rows.nodes; u++)
                assert_int_equal(made[u], whole[u]);
            netdp_route_free(route);
            drop(n);
        }
}

/* ---- The account, on all paths ---- */

/*
 * The least schedule of a piece is the isotonic regression of its contributions: a_t is the max
 * over s <= t of the min over e > t of the mean of x_s .. x_{e-1}.
 */
static double least_squares(const bool *gives, int32_t from, int32_t end)
{
    double sum = 0;
    for (int32_t t = from; t < end; t++) {
        double slope = 0;
        for (int32_t s = from; s <= t; s++) {
            double least = INFINITY, inside = 0;
            for (int32_t e = s; e < end; e++) {
                inside += gives[e];
                if (e >= t)
                    least = fmin(least, inside / (e + 1 - s));
            }
            slope = fmax(slope, least);
        }
        sum += slope * slope;
    }
    return sum;
}

static double slow_cost(const netdp_token *token, int32_t from, const int32_t *to, int32_t members)
{
    bool gives[16] = {false};
    int64_t count = 0;
    int32_t begun = 0;
    double sum = 0;
    for (int32_t t = 0; t <= token->steps; t++) {
        const int32_t at = token->route->node[t];
        if (at == to[0] || (members > 1 && at == to[1]) || (token->release && t == token->steps)) {
            sum += least_squares(gives, begun, t);
            begun = t;
        }
        const bool may = t < token->steps && at == from && !netdp_route_rests(token->route, 0, t) &&
                         (token->cap == 0 || count < token->cap);
        gives[t] = may;
        count += may;
    }
    return sum;
}

typedef struct every_path {
    net n;
    netdp_token token;
    netdp_route route;
    int32_t from, to[2], members;
    double theta, mean, checked;
} every_path;

static double given(const every_path *e, netdp_unit unit)
{
    const netdp_walk_request request = {.token = &e->token,
                                        .noise = 2,
                                        .unit = unit,
                                        .from_count = 1,
                                        .from = &e->from,
                                        .to_count = e->members,
                                        .to = e->to,
                                        .coalition = e->members > 1};
    netdp_losses *losses = NULL;
    assert_ok(netdp_walk_losses_new(&request, NULL, &losses, &error));
    assert_true(losses->sound && losses->bound->bound == NETDP_BOUND_GIVEN_PATH);
    const double value = losses->loss[0];
    netdp_losses_free(losses);
    return value;
}

static void check_path(every_path *e, double probability)
{
    const double cost = slow_cost(&e->token, e->from, e->to, e->members);
    e->mean += probability * exp(e->theta * cost);
    if (fmod(e->checked++, 7) != 0) /* each account has its costs */
        return;
    const double told = given(e, (netdp_unit){NETDP_AS_LOSS, 0});
    assert_true(told >= cost && told <= cost * (1 + 1e-12));
    const double mu = given(e, (netdp_unit){NETDP_AS_GDP, 0});
    assert_true(mu >= sqrt(cost) / 2 && mu <= sqrt(cost) / 2 * (1 + 1e-12));
    double epsilon;
    assert_ok(netdp_gdp_to_epsilon(sqrt(cost) / 2, 1e-5, &epsilon, &error));
    const double dp = given(e, (netdp_unit){NETDP_AS_DP, 1e-5});
    assert_true(dp >= epsilon && dp <= epsilon * (1 + 1e-9) + 1e-12);
}

static void go_on(every_path *e, int64_t step, double probability)
{
    int32_t *path = e->route.node;
    if (step == e->token.steps) {
        check_path(e, probability);
        return;
    }
    for (int64_t i = e->n.rows.start[path[step]]; i < e->n.rows.start[path[step] + 1]; i++) {
        path[step + 1] = e->n.rows.column[i];
        if (e->n.rows.weight[i] > 0)
            go_on(e, step + 1, probability * e->n.rows.weight[i]);
    }
}

/* Of all paths of a walk each one's own account; and their mean is what a hidden path's bounds. */
static void test_all_paths(void **state)
{
    (void)state;
    static const struct {
        const char *family, *law;
        int64_t steps, cap;
        int32_t from, to[2], members, start;
        bool release, idle;
    } table[] = {{"path 3", "metropolis", 10, 0, 0, {2}, 1, 1, false, false},
                 {"path 3", "lazy:0.3", 8, 3, 1, {2}, 1, NETDP_START_UNIFORM, true, false},
                 {"complete 4", "metropolis", 6, 2, 0, {3}, 1, 0, false, false},
                 {"star 5", "hamilton", 8, 0, 1, {2}, 1, 0, false, true},
                 {"ring 6", "metropolis", 8, 1, 2, {4, 0}, 2, NETDP_START_UNIFORM, false, true},
                 {"grid 2 3", "metropolis", 7, 0, 0, {5, 2}, 2, 4, true, true}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        every_path e = {.n = open_net(table[i].family, 1, table[i].law),
                        .from = table[i].from,
                        .to = {table[i].to[0], table[i].to[1]},
                        .members = table[i].members,
                        .theta = 2.0 * 1 / (2 * 4)};
        int32_t node[16];
        bool rests[16] = {false, true, false, false, true};
        e.token = (netdp_token){.law = e.n.law,
                                .steps = table[i].steps,
                                .start = table[i].start,
                                .tokens = 1,
                                .cap = table[i].cap,
                                .release = table[i].release};
        const netdp_token hidden = e.token;
        e.route = (netdp_route){NETDP_PATH_PUBLIC, 0,    1,
                                e.token.steps,     node, table[i].idle ? rests : NULL};
        e.token.route = &e.route;
        const bool uniform = e.token.start == NETDP_START_UNIFORM;
        for (int32_t v = 0; v < e.n.rows.nodes; v++)
            if (uniform || v == e.token.start) {
                node[0] = v;
                go_on(&e, 0, uniform ? 1.0 / e.n.rows.nodes : 1);
            }
        const netdp_walk_request request = {.token = &hidden,
                                            .noise = 2,
                                            .unit = {NETDP_AS_RDP, 2},
                                            .from_count = 1,
                                            .from = &e.from,
                                            .to_count = e.members,
                                            .to = e.to,
                                            .coalition = e.members > 1};
        netdp_losses *losses = NULL;
        assert_ok(netdp_walk_losses_new(&request, NULL, &losses, &error));
        assert_true(e.checked > 100 && log(e.mean) <= losses->loss[0]);
        netdp_losses_free(losses);
        drop(e.n);
    }
}

/* ---- The attack that reaches it ---- */

/*
 * Scores of the extremal contractions are N(-+mu^2/2, mu^2) with the account's own mu: mean apart
 * over standard deviation within 4.5 standard errors, and a lower confidence bound from scores
 * alone between 0.9 of the claim and the claim.
 */
static void test_attacked(void **state)
{
    (void)state;
    enum { RUNS = LIGHT ? 3000 : 10000 };
    static const struct {
        const char *family, *law;
        int64_t steps, cap;
        int32_t from, to;
        netdp_path path;
        double contraction;
    } table[] = {{"hypercube 4", "metropolis", 300, 12, 1, 0, NETDP_PATH_PUBLIC, 0},
                 {"hypercube 4", "metropolis", 300, 12, 1, 0, NETDP_PATH_RESTING, 0},
                 {"hypercube 4", "metropolis", 300, 12, 1, 0, NETDP_PATH_FORWARD, 0},
                 {"hypercube 4", "metropolis", 300, 0, 1, 0, NETDP_PATH_TOUR, 0},
                 {"star 12", "hamilton", 600, 0, 1, 0, NETDP_PATH_PUBLIC, 0},
                 {"davis", "metropolis", 400, 6, 3, 20, NETDP_PATH_FORWARD, 0},
                 {"hypercube 4", "metropolis", 300, 12, 1, 0, NETDP_PATH_PUBLIC, 0.95},
                 {"star 12", "hamilton", 600, 0, 1, 0, NETDP_PATH_PUBLIC, 0.8},
                 {"davis", "metropolis", 400, 6, 3, 20, NETDP_PATH_FORWARD, 0.99}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i += LIGHT ? 3 : 1) {
        net n = open_net(table[i].family, 1, table[i].law);
        netdp_token token = {.law = n.law,
                             .steps = table[i].steps,
                             .start = NETDP_START_UNIFORM,
                             .cap = table[i].cap,
                             .tokens = 1,
                             .contraction = table[i].contraction};
        netdp_route *route = draw(&token, table[i].path, 2);
        token.route = route;
        double cost[64], *scores = calloc(2 * RUNS, sizeof *scores);
        assert_non_null(scores);
        assert_ok(netdp_realised_costs(&token, route->node, NETDP_REALISED_ABSORBED, 1,
                                       &table[i].to, cost, &error));
        const double claim = 1.5, sigma = sqrt(cost[table[i].from]) / claim;
        assert_true(sigma > 0);
        netdp_walk_attack attack = {.token = &token,
                                    .count = 1,
                                    .observers = &table[i].to,
                                    .victim = table[i].from,
                                    .noise = sigma,
                                    .resets = true,
                                    .runs = RUNS,
                                    .seed = 7};
        assert_ok(netdp_attack_walk(&attack, NULL, scores, &error));
        double mean[2] = {0, 0}, square = 0;
        for (int w = 0; w < 2; w++)
            for (int64_t r = 0; r < RUNS; r++)
                mean[w] += scores[w * RUNS + r] / RUNS;
        for (int w = 0; w < 2; w++)
            for (int64_t r = 0; r < RUNS; r++)
                square += pow(scores[w * RUNS + r] - mean[w], 2) / (2 * RUNS - 2);
        assert_true(fabs((mean[1] - mean[0]) / sqrt(square) - claim) <=
                    4.5 * sqrt((2 + claim * claim / 4) / RUNS));
        const netdp_scores given_scores = {RUNS, {scores, scores + RUNS}};
        netdp_evidence evidence;
        assert_ok(netdp_audit_scores(&given_scores, 0.9999, 1e-5, &evidence, &error));
        if (!(evidence.mu >= (LIGHT ? 0.75 : 0.9) * claim && evidence.mu <= claim))
            fail_msg("%s, %s: found mu %g, claim %g", table[i].family,
                     netdp_path_name(table[i].path), evidence.mu, claim);
        attack.resets = false; /* identity maps tell less than contractions */
        assert_ok(netdp_attack_walk(&attack, NULL, scores, &error));
        assert_ok(netdp_audit_scores(&given_scores, 0.9999, 1e-5, &evidence, &error));
        assert_true(evidence.mu <= claim);
        free(scores);
        netdp_route_free(route);
        drop(n);
    }
}

/* ---- What is refused ---- */

static void refused(const netdp_token *token, netdp_path path, const char *word)
{
    netdp_route *route = NULL;
    assert_int_equal(netdp_route_new(token, path, 1, &route, &error), NETDP_INVALID);
    assert_null(route);
    assert_non_null(strstr(error.text, word));
}

static void test_refused(void **state)
{
    (void)state;
    net n = open_net("ring 5", 1, "metropolis");
    const netdp_token token = {.law = n.law, .steps = 9, .start = 0, .tokens = 1};
    netdp_token other = token;
    refused(&token, NETDP_PATH_HIDDEN, "hidden");
    refused(&token, (netdp_path)9, "path");
    other.burn_in = 1;
    refused(&other, NETDP_PATH_PUBLIC, "burn-in");
    other = token;
    other.start = NETDP_START_OBSERVER;
    refused(&other, NETDP_PATH_PUBLIC, "start");
    other = token;
    other.weighted = true;
    refused(&other, NETDP_PATH_TOUR, "weighted");
    other.weighted = false;
    other.steps = INT64_C(1) << 32;
    refused(&other, NETDP_PATH_TOUR, "2^32");

    int32_t node[] = {0, 1, 2, 2, 3, 4, 0, 1, 0, 4};
    netdp_route mine = {NETDP_PATH_PUBLIC, 0, 1, 9, node, NULL};
    other = token;
    other.route = &mine;
    assert_ok(netdp_token_check(&other, &error));
    const netdp_bound bounds[] = {NETDP_BOUND_EXCURSION,      NETDP_BOUND_EXCURSION_MIXTURE,
                                  NETDP_BOUND_LEAST,          NETDP_BOUND_FIRST_PASSAGE,
                                  NETDP_BOUND_WALK_PUBLISHED, NETDP_BOUND_EXCURSION_LINEAR};
    const netdp_bound_info *info = NULL;
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        assert_int_equal(netdp_walk_bound_choose(&other, bounds[i], &info, &error), NETDP_INVALID);
    assert_ok(netdp_walk_bound_choose(&other, NETDP_BOUND_LOCAL, &info, &error));
    assert_int_equal(netdp_walk_bound_choose(&token, NETDP_BOUND_GIVEN_PATH, &info, &error),
                     NETDP_INVALID);
    node[4] = 0; /* from 2: no edge */
    assert_int_equal(netdp_token_check(&other, &error), NETDP_INVALID);
    node[4] = 5;
    assert_int_equal(netdp_token_check(&other, &error), NETDP_INVALID);
    node[4] = 3;
    node[0] = 1; /* the token starts at 0 */
    assert_int_equal(netdp_token_check(&other, &error), NETDP_INVALID);
    node[0] = 0;
    mine.steps = 8;
    assert_int_equal(netdp_token_check(&other, &error), NETDP_INVALID);
    mine.steps = 9;
    other.burn_in = 2;
    assert_int_equal(netdp_token_check(&other, &error), NETDP_INVALID);
    other.burn_in = 0;
    int32_t another[10];
    int64_t made[5];
    memcpy(another, node, sizeof node);
    another[9] = 1;
    assert_int_equal(netdp_realised_contributions(&other, another, made, &error), NETDP_INVALID);
    assert_null(netdp_path_name((netdp_path)7));
    netdp_route_free(NULL);
    drop(n);
}

static void test_memory(void **state)
{
    (void)state;
    net n = open_net("ring 5", 1, "metropolis");
    netdp_token token = {.law = n.law, .steps = 30, .start = 0, .tokens = 2};
    for (sweep s = {.least = 5}; sweep_next(&s);) {
        netdp_route *route = NULL;
        s.status = netdp_route_new(&token, NETDP_PATH_TOUR, 1, &route, &error);
        assert_true((route != NULL) == (s.status == NETDP_OK));
        netdp_route_free(route);
    }
    netdp_route *route = draw(&token, NETDP_PATH_TOUR, 1);
    token.route = route;
    const netdp_walk_request request = {.token = &token, .noise = 2, .unit = {NETDP_AS_GDP, 0}};
    for (sweep s = {.least = 5}; sweep_next(&s);) {
        netdp_losses *losses = NULL;
        s.status = netdp_walk_losses_new(&request, NULL, &losses, &error);
        assert_true((losses != NULL) == (s.status == NETDP_OK));
        netdp_losses_free(losses);
    }
    netdp_route_free(route);
    drop(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drawn),     cmocka_unit_test(test_law),
        cmocka_unit_test(test_simulated), cmocka_unit_test(test_all_paths),
        cmocka_unit_test(test_attacked),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

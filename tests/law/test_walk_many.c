/*
 * All pairs of a walk at once against all paths of small walks, one by one, and against the account
 * of one pair: laws by eigenvectors, sums that dominate the Gaussian delta, and what is printed.
 */
#include <stdlib.h>
#include <string.h>
#include <netdp/random.h>

#include "account/losses/losses.h"
#include "account/walk/cost_law.h"
#include "account/walk/many/all_pairs.h"
#include "account/walk/many/far_laws.h"
#include "account/walk/many/ladder.h"
#include "account/walk/many/spectral.h"
#include "account/walk/many/visits_bound.h"
#include "account/walk/spread.h"
#include "walk_paths.h"

static netdp_losses *account_all(const netdp_token *token, double sigma, double delta, double top)
{
    netdp_losses *losses = NULL;
    netdp_i_all_pairs *all = NULL;
    const netdp_i_all_pairs_asked asked = {.token = token,
                                           .rate = netdp_i_spread_rate(token->contraction),
                                           .sigma = sigma,
                                           .delta = delta,
                                           .top = top};
    assert_ok(netdp_i_losses_new(netdp_transition_rows(token->law).nodes, NULL, 0, NULL, 0, false,
                                 &losses, &error));
    assert_ok(netdp_i_all_pairs_new(&asked, losses, &all, NULL, &error));
    assert_non_null(all);
    assert_ok(netdp_i_all_pairs_at(all, &asked, NULL, &error));
    netdp_i_all_pairs_free(all);
    return losses;
}

static double top_of(const netdp_token *token, double sigma, double delta)
{
    double top;
    const double count = (double)netdp_token_contributions(token) * token->tokens;
    assert_ok(netdp_gdp_to_epsilon(sqrt(count) / sigma, delta, &top, &error));
    return top;
}

/* Of the paths of so many tokens. */
static double delta_of_tokens(net n, const setting *s, int32_t tokens, double epsilon)
{
    static cost_law law;
    double sum = 0, delta;
    find_costs(n, s, &law);
    for (int32_t i = 0; i < law.count; i++)
        for (int32_t j = 0; j < (tokens == 1 ? 1 : law.count); j++) {
            const double cost = law.cost[i] + (tokens == 1 ? 0 : law.cost[j]);
            if (cost <= 0)
                continue;
            assert_ok(netdp_gdp_to_delta(sqrt(cost) / s->sigma, epsilon, &delta, &error));
            sum += law.mass[i] * (tokens == 1 ? 1 : law.mass[j]) * delta;
        }
    return sum;
}

typedef struct crowd {
    setting s; /* from and to do not matter */
    int32_t tokens;
} crowd;

static const crowd walks[] = {
    {{"path 3", "metropolis", 9, 0, 1, {0}, NETDP_START_UNIFORM, 2, false, 4, 1e-3, 0}, 1},
    {{"star 4", "hamilton", 8, 0, 1, {0}, 1, 3, false, 2, 1e-5, 0}, 1},
    {{"ring 4", "lazy:0.3", 8, 0, 1, {0}, NETDP_START_UNIFORM, 3, false, 6, 1e-6, 0}, 1},
    {{"complete 3", "metropolis", 8, 0, 1, {0}, NETDP_START_OBSERVER, 8, false, 1, 1e-4, 0}, 1},
    {{"path 4", "metropolis", 7, 0, 1, {0}, NETDP_START_UNIFORM, 2, false, 3, 1e-4, 0}, 2},
    {{"grid 2 3", "metropolis", 7, 0, 1, {0}, NETDP_START_UNIFORM, 4, false, 2, 1e-5, 0.8}, 1},
};

/* At what is printed no pair's paths have more than delta; far below it most have. */
static void test_all_paths(void **state)
{
    (void)state;
    int pairs = 0, tight = 0;
    for (size_t i = 0; i < sizeof walks / sizeof *walks; i += LIGHT ? 4 : 1) {
        setting s = walks[i].s;
        net n = open_net(s.family, 1, s.law);
        netdp_token token = token_of(n, &s);
        token.tokens = walks[i].tokens;
        token.start = s.start;
        const double top = top_of(&token, s.sigma, s.delta);
        netdp_losses *losses = account_all(&token, s.sigma, s.delta, top);
        for (int32_t v = 0; v < n.rows.nodes; v++)
            for (int32_t u = 0; u < n.rows.nodes; u++) {
                if (u == v)
                    continue;
                s.from = u;
                s.to[0] = v;
                const double epsilon = fmin(top, losses->loss[v * n.rows.nodes + u]);
                assert_true(epsilon > 0);
                assert_true(delta_of_tokens(n, &s, token.tokens, epsilon) <= s.delta * (1 + 1e-9));
                tight += delta_of_tokens(n, &s, token.tokens, 0.75 * epsilon) > s.delta;
                pairs++;
            }
        netdp_losses_free(losses);
        drop(n);
    }
    assert_true(tight > pairs / 2); /* they are bounds of something */
}

/* Laws by bins against what is walked step by step: nowhere later, and not much earlier. */
static void test_laws(void **state)
{
    (void)state;
    enum { LENGTH = 3000 };
    net n = open_net("erdos-renyi 40 0.12", 3, "metropolis");
    const netdp_token token = {
        .law = n.law, .steps = LENGTH, .start = NETDP_START_UNIFORM, .tokens = 1, .cap = 4};
    const double _Complex z = 0.999;
    netdp_i_time_grid *grid = NULL;
    netdp_i_spectral *spectral = NULL;
    netdp_i_spectral_room *room = NULL;
    assert_ok(netdp_i_time_grid_new(LENGTH, false, 0, &grid, &error));
    assert_ok(netdp_i_spectral_new(&token, grid, &z, 1, &spectral, &error));
    assert_ok(netdp_i_spectral_room_new(spectral, &room, &error));
    assert_true(spectral->exact < grid->bins);
    for (int32_t v = 0; v < 40; v += 7) {
        const int32_t u = (v + 11) % 40;
        double at[40] = {0}, next[40], again = 0, exits = 0, again_bins = 0, exits_bins = 0;
        netdp_i_spectral_observe(room, v);
        netdp_i_spectral_follow(room, &u, 1);
        at[u] = 1;
        for (int32_t b = 0; b < grid->bins; b++) {
            const int64_t end = b + 1 < grid->bins ? grid->tau[b + 1] : LENGTH + 1;
            for (int64_t t = grid->tau[b]; t < end; t++) {
                memset(next, 0, sizeof next);
                for (int32_t x = 0; x < 40; x++)
                    for (int64_t e = n.rows.start[x]; e < n.rows.start[x + 1]; e++)
                        next[n.rows.column[e]] += at[x] * n.rows.weight[e];
                again += next[u];
                exits += next[v];
                next[u] = next[v] = 0;
                memcpy(at, next, sizeof at);
            }
            again_bins += room->law[0].again[b];
            exits_bins += room->law[0].exits[b];
            assert_true(again_bins >= again - 1e-14 && again_bins <= again + 1e-9);
            assert_true(exits_bins >= exits - 1e-14 && exits_bins <= exits + 1e-9);
        }
        assert_true(room->law[0].excess < 1e-9);
    }
    netdp_i_spectral_room_free(room);
    netdp_i_spectral_free(spectral);
    netdp_i_time_grid_free(grid);
    drop(n);
}

/* P(at u more than `most` times in so many steps), each step by step. */
static double more_visits(net n, int32_t u, int32_t steps, int32_t most)
{
    enum { NODES = 40, TIMES = 301 };
    static double at[TIMES][NODES], next[TIMES][NODES];
    double lost = 0;
    assert_true(most < TIMES);
    memset(at, 0, sizeof at);
    for (int32_t x = 0; x < NODES; x++)
        at[x == u][x] = 1.0 / NODES;
    for (int32_t t = 1; t < steps; t++) {
        memset(next, 0, sizeof next);
        for (int32_t k = 0; k <= most; k++)
            for (int32_t x = 0; x < NODES; x++)
                for (int64_t e = n.rows.start[x]; e < n.rows.start[x + 1]; e++) {
                    const int32_t y = n.rows.column[e];
                    const double mass = at[k][x] * n.rows.weight[e];
                    if (y == u && k == most)
                        lost += mass;
                    else
                        next[k + (y == u)][y] += mass;
                }
        memcpy(at, next, sizeof at);
    }
    return lost;
}

/* So many that more have the asked probability at most; with a third less it is more. */
static void test_visits(void **state)
{
    (void)state;
    static const int32_t length[] = {2, 25, 300};
    net n = open_net("erdos-renyi 40 0.12", 3, "metropolis");
    const netdp_token token = {
        .law = n.law, .steps = 300, .start = NETDP_START_UNIFORM, .tokens = 1};
    const double _Complex z = 0.999;
    netdp_i_time_grid *grid = NULL;
    netdp_i_spectral *spectral = NULL;
    assert_ok(netdp_i_time_grid_new(token.steps, false, 0, &grid, &error));
    assert_ok(netdp_i_spectral_new(&token, grid, &z, 1, &spectral, &error));
    for (size_t i = 0; i < sizeof length / sizeof *length; i++)
        for (int32_t u = 0; u < 40; u += 13)
            for (double lost = 1e-3; lost > 1e-10; lost *= 1e-3) {
                const int32_t most = (int32_t)netdp_i_visits_bound(spectral, length[i], u, lost);
                assert_true(more_visits(n, u, length[i], most) <= lost);
                assert_true(most == length[i] ||
                            more_visits(n, u, length[i], 2 * most / 3 - 2) > lost);
            }
    netdp_i_spectral_free(spectral);
    netdp_i_time_grid_free(grid);
    drop(n);
}

/* ---- far laws ---- */

enum { FAR = 3000, MOST_NODES = 40 };

/* into[t]: from the law `at`, the first step t >= from at `to`, `not_over` (or -1) not on the way. */
static void first_step(net n, double *at, int32_t to, int32_t not_over, int64_t from, double *into)
{
    double next[MOST_NODES];
    for (int64_t t = 0; t <= FAR; t++) {
        into[t] = t >= from ? at[to] : 0;
        if (t >= from)
            at[to] = 0;
        if (t > 0 && not_over >= 0)
            at[not_over] = 0;
        memset(next, 0, sizeof next);
        for (int32_t x = 0; x < n.rows.nodes; x++)
            for (int64_t e = n.rows.start[x]; e < n.rows.start[x + 1]; e++)
                next[n.rows.column[e]] += at[x] * n.rows.weight[e];
        memcpy(at, next, sizeof next);
    }
}

/* Nowhere later than what is walked, and no earlier than the first step of a block. */
static void expect_earlier(const double *law, const double *walked)
{
    double made = 0, sum = 0, ahead = 0;
    int64_t to = 0;
    for (int64_t t = 0; t <= FAR; t++) {
        made += law[t];
        sum += walked[t];
        for (; to <= FAR && (double)to <= 1.006 * (double)t + 1; to++)
            ahead += walked[to];
        assert_true(made >= sum - 1e-14 && made <= ahead + 1e-9);
    }
}

static void test_far_laws(void **state)
{
    (void)state;
    static const char *const weights[] = {"metropolis", "lazy:0.3:hamilton"};
    static double walked[FAR + 1];
    const netdp_i_series series = {.terms = FAR + 1, .size = FAR + 1, .bins = 1};
    const netdp_i_observer_set watch = {.series = &series, .members = 1};
    for (int i = 0; i < 6; i++) {
        const int32_t u = (5 * i + 3) % MOST_NODES, v = (11 * i + 1) % MOST_NODES;
        net n = open_net("erdos-renyi 40 0.12", 3, weights[i % 2]);
        const netdp_token token = {.law = n.law,
                                   .steps = FAR,
                                   .burn_in = i == 4 ? 3 : 0,
                                   .start = i / 2 == 0   ? NETDP_START_UNIFORM
                                            : i / 2 == 1 ? NETDP_START_OBSERVER
                                                         : 7,
                                   .tokens = 1};
        netdp_i_returns *hunt = NULL;
        bool made = false;
        assert_ok(netdp_i_returns_plain(&watch, &hunt, &error));
        assert_ok(netdp_i_far_laws(&token, u, v, hunt, &made, &error));
        assert_true(made);
        const double *const law[] = {hunt->again, hunt->exits[0], hunt->first[0], hunt->found[0]};
        const int32_t from[] = {u, u, u, v}, to[] = {u, v, v, u}, not_over[] = {v, u, -1, -1};
        for (int k = 0; k < 4; k++) {
            double at[MOST_NODES] = {0};
            at[from[k]] = 1;
            first_step(n, at, to[k], not_over[k], 1, walked);
            expect_earlier(law[k], walked);
        }
        double at[MOST_NODES] = {0}, next[MOST_NODES];
        for (int32_t x = 0; x < MOST_NODES; x++)
            at[x] = token.start == NETDP_START_UNIFORM ? 1.0 / MOST_NODES
                                                       : x == (token.start == 7 ? 7 : v);
        for (int64_t t = 0; t < token.burn_in; t++) {
            memset(next, 0, sizeof next);
            for (int32_t x = 0; x < MOST_NODES; x++)
                for (int64_t e = n.rows.start[x]; e < n.rows.start[x + 1]; e++)
                    next[n.rows.column[e]] += at[x] * n.rows.weight[e];
            memcpy(at, next, sizeof at);
        }
        first_step(n, at, u, -1, 0, walked);
        expect_earlier(hunt->start, walked);
        netdp_i_returns_free(hunt);
        drop(n);
    }
}

enum { ATOMS = 5 };

typedef struct atoms {
    double cost[ATOMS], mass[ATOMS];
} atoms;

/* Mostly small costs, and large ones with small probabilities. */
static atoms draw_atoms(netdp_stream *stream, double most)
{
    atoms a;
    double left = 1;
    for (int i = 0; i < ATOMS; i++) {
        a.cost[i] = most * exp(-6 * netdp_stream_uniform(stream) * (ATOMS - 1 - i) / (ATOMS - 1.0));
        a.mass[i] = i == 0 ? 0 : exp(-1 - 16 * netdp_stream_uniform(stream)) / ATOMS;
        left -= a.mass[i];
    }
    a.mass[0] = left;
    return a;
}

static void find_means(const atoms *a, const double *theta, double *mean, double *off)
{
    for (int j = 0; j < NETDP_I_TILTS; j++) {
        mean[j] = 0;
        for (int i = 0; i < ATOMS; i++)
            mean[j] += a->mass[i] * exp(theta[j] * a->cost[i]);
        off[j] = j == 0 ? 0 : 1e-12 * mean[j];
    }
}

/* Whatever law the means are of: the epsilon of a ladder is one of it. */
static void test_ladder(void **state)
{
    (void)state;
    enum { SAMPLES = 12, OTHERS = 400 };
    static const double theta[NETDP_I_TILTS] = {0,   -24, -12.5, -6.5, -3.4, -1.8, -0.9, -0.4,
                                                0.5, 1.1, 2,     3.2,  4.8,  6.8,  9.5,  13};
    const double sigma = 3, delta = 1e-5, most = 4;
    static double mean[OTHERS][NETDP_I_TILTS], off[OTHERS][NETDP_I_TILTS];
    static atoms drawn[OTHERS];
    netdp_stream stream = netdp_stream_at(23, NETDP_FOR_TEST, 0, 0);
    netdp_i_ladder *ladder = NULL;
    double top;
    int told = 0;
    for (int i = 0; i < OTHERS; i++) {
        drawn[i] = draw_atoms(&stream, most);
        find_means(&drawn[i], theta, mean[i], off[i]);
    }
    assert_ok(netdp_gdp_to_epsilon(sqrt(most) / sigma, delta, &top, &error));
    const netdp_i_ladder_asked asked = {theta, sigma, delta, most, top, SAMPLES, *mean, *off};
    assert_ok(netdp_i_ladder_new(&asked, &ladder, NULL, &error));
    for (int i = 0; i < OTHERS; i++) {
        const double epsilon = netdp_i_ladder_ask(ladder, mean[i], off[i]);
        double sum = 0;
        for (int k = 0; k < ATOMS && isfinite(epsilon); k++)
            sum += drawn[i].mass[k] *
                   netdp_i_cost_law_gaussian(epsilon, sqrt(drawn[i].cost[k]) / sigma);
        assert_true(sum <= delta);
        told += epsilon < 0.9 * top;
    }
    assert_true(told > 0);
    netdp_i_ladder_free(ladder);
}

static int compare_numbers(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* About what one pair's own account says, and more where steps, contributions or noise are so. */
static void test_one_by_one(void **state)
{
    (void)state;
    enum { KINDS = LIGHT ? 2 : 4 };
    net n = open_net("erdos-renyi 40 0.12", 3, "metropolis");
    setting s = {"", "", 300, 0, 1, {0}, NETDP_START_UNIFORM, 4, false, 3, 1e-6, 0};
    netdp_token token = token_of(n, &s);
    netdp_losses *all[KINDS];
    for (int i = 0; i < KINDS; i++) {
        netdp_token more = token;
        more.steps += i == 1 ? 100 : 0;
        more.cap += i == 2 ? 2 : 0;
        const double sigma = i == 3 ? 0.9 * s.sigma : s.sigma;
        all[i] = account_all(&more, sigma, s.delta, top_of(&more, sigma, s.delta));
    }
    for (int32_t k = 0; k < 24; k += LIGHT ? 6 : 3) {
        s.from = (7 * k) % 40;
        s.to[0] = (7 * k + 1 + k) % 40;
        if (s.from == s.to[0])
            continue;
        const int64_t at = s.to[0] * 40 + s.from;
        const double one = account(n, &s, NETDP_BOUND_EXCURSION_MIXTURE);
        assert_true(all[0]->loss[at] > 0.85 * one && all[0]->loss[at] < 1.1 * one);
        for (int i = 1; i < KINDS; i++)
            assert_true(all[i]->loss[at] > one);
    }
    for (int i = 0; i < KINDS; i++)
        netdp_losses_free(all[i]);
    drop(n);
}

/* Of all pairs the worst is what the pair alone has, whoever else is asked, and the bound says so; the mean is right to 1 %. */
static void expect_near(const setting *asked)
{
    enum { NODES = 40 };
    setting s = *asked;
    net n = open_net("erdos-renyi 40 0.12", 3, "metropolis");
    const netdp_token token = token_of(n, &s);
    netdp_walk_request request = {
        .token = &token, .noise = s.sigma, .unit = {NETDP_AS_DP, s.delta}};
    netdp_losses *all = NULL;
    netdp_summary summary;
    assert_ok(netdp_walk_losses_new(&request, NULL, &all, &error));
    assert_ok(netdp_losses_summary(all, s.sigma, request.unit, &summary, &error));
    assert_non_null(strstr(all->reason, "one by one"));
    double most = 0, ratio[NODES * 3], at_once = 0, one_by_one = 0;
    int32_t count = 0;
    for (int32_t v = 0; v < NODES; v += LIGHT ? 8 : 2)
        for (int32_t turn = 0; turn < 3; turn++) {
            s.to[0] = v;
            s.from = turn == 0 ? netdp_graph_neighbours(n.graph, v)[0] : (v + 13 * turn) % NODES;
            const double one = account(n, &s, NETDP_BOUND_AUTO);
            const double loss = all->loss[(int64_t)v * NODES + s.from];
            ratio[count++] = loss / one;
            at_once += loss;
            one_by_one += one;
            most = fmax(most, one);
        }
    assert_true(summary.max >= most * (1 - 1e-9));
    s.from = summary.worst_from;
    s.to[0] = summary.worst_to;
    const double alone = account(n, &s, NETDP_BOUND_AUTO);
    assert_true(fabs(summary.max / alone - 1) < 1e-9);
    qsort(ratio, (size_t)count, sizeof *ratio, compare_numbers);
    print_message("%d steps, cap %d: all at once, in parts of one by one: %.3f to %.3f, in the "
                  "median %.3f; means %.4f\n",
                  s.steps, (int)s.cap, ratio[0], ratio[count - 1], ratio[count / 2],
                  at_once / one_by_one);
    assert_true(ratio[0] > 0.6 && ratio[count - 1] < 1.2);
    /* Of few pairs the mean is not that of all. */
    assert_true(fabs(at_once / one_by_one - 1) < (LIGHT ? 0.02 : 0.01));
    netdp_losses_free(all);
    drop(n);
}

static void test_worst(void **state)
{
    (void)state;
    static const setting asked[] = {
        {"", "", 60, 0, 1, {0}, NETDP_START_UNIFORM, 12, false, 2, 1e-3, 0},
        {"", "", 60, 0, 1, {0}, NETDP_START_UNIFORM, 0, false, 6, 1e-6, 0},
        {"", "", 200, 0, 1, {0}, NETDP_START_UNIFORM, 40, false, 3, 1e-5, 0},
        {"", "", 200, 0, 1, {0}, NETDP_START_UNIFORM, 0, false, 4, 1e-5, 0}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i += LIGHT ? 4 : 1)
        expect_near(&asked[i]);
}

/* Other numbers for the nodes: other pairs are drawn to make the sums for, and little else changes. */
static void test_relabelled(void **state)
{
    (void)state;
    enum { NODES = 24 };
    net n = open_net("erdos-renyi 24 0.2", 5, "metropolis"), other;
    int32_t edges[NODES * NODES], count = 0;
    for (int32_t u = 0; u < NODES; u++)
        for (int32_t i = 0; i < netdp_graph_degree(n.graph, u); i++) {
            const int32_t v = netdp_graph_neighbours(n.graph, u)[i];
            if (v < u) {
                edges[count++] = 5 * u % NODES;
                edges[count++] = 5 * v % NODES;
            }
        }
    assert_ok(netdp_graph_from_edges(NODES, edges, count / 2, &other.graph, &error));
    assert_ok(netdp_transition_new(other.graph, "metropolis", &other.law, &error));
    const setting s = {"", "", 200, 0, 1, {0}, NETDP_START_UNIFORM, 3, false, 3, 1e-6, 0};
    netdp_token token = token_of(n, &s);
    const double top = top_of(&token, s.sigma, s.delta);
    netdp_losses *a = account_all(&token, s.sigma, s.delta, top);
    token.law = other.law;
    netdp_losses *b = account_all(&token, s.sigma, s.delta, top);
    for (int32_t v = 0; v < NODES; v++)
        for (int32_t u = 0; u < NODES; u++) {
            const double here = a->loss[v * NODES + u];
            const double there = b->loss[(5 * v % NODES) * NODES + 5 * u % NODES];
            assert_true(u == v || (here > 0.9 * there && here < 1.1 * there));
        }
    netdp_losses_free(a);
    netdp_losses_free(b);
    drop(n);
    drop(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_paths),  cmocka_unit_test(test_laws),
        cmocka_unit_test(test_visits),     cmocka_unit_test(test_ladder),
        cmocka_unit_test(test_one_by_one), cmocka_unit_test(test_far_laws),
        cmocka_unit_test(test_worst),      cmocka_unit_test(test_relabelled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

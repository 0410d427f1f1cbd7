/*
 * The excursion accountant against what it says: a direct recursion on the two-node walk, the mean
 * over simulated paths, and the laws that any account obeys.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <netdp/random.h>
#include <netdp/walk.h>

#include "mixing/powers.h"
#include "walk_net.h"

enum { MOST_MEMBERS = 3 };

/* A pair, and how it is walked. */
typedef struct setting {
    const char *family, *law;
    int64_t steps;
    int32_t from;
    int32_t members, to[MOST_MEMBERS];
    int32_t start; /* NETDP_START_... or a node */
    int64_t burn_in;
    bool release;
    double alpha, sigma;
} setting;

static const setting settings[] = {
    {"complete 20", "metropolis", 200, 1, 1, {0}, NETDP_START_UNIFORM, 0, false, 2, 6},
    {"star 30", "hamilton", 300, 1, 1, {0}, NETDP_START_UNIFORM, 0, false, 2, 6},
    {"star 30", "hamilton", 300, 1, 1, {2}, NETDP_START_UNIFORM, 0, true, 2, 6},
    {"path 6", "metropolis", 150, 2, 1, {4}, 0, 3, false, 3, 5},
    {"complete 20", "lazy:0.9", 400, 1, 1, {0}, NETDP_START_UNIFORM, 0, false, 2, 6},
    {"hypercube 5", "metropolis", 320, 1, 1, {0}, NETDP_START_OBSERVER, 0, false, 6, 12},
    {"ring 12", "lazy:0.3", 240, 3, 1, {0}, NETDP_START_UNIFORM, 0, true, 2, 4},
    {"caveman 2 8", "metropolis", 300, 1, 1, {12}, NETDP_START_UNIFORM, 0, false, 2, 5}, /* barbell
                                                                                          */
    {"davis", "hastings:degree", 320, 4, 1, {20}, NETDP_START_UNIFORM, 7, true, 2, 6},
    {"karate", "hastings:uniform", 340, 33, 1, {0}, 5, 0, false, 4, 8},
    {"florentine", "metropolis", 150, 8, 2, {0, 3}, NETDP_START_UNIFORM, 0, false, 2, 5},
    {"grid 4 5", "metropolis", 200, 7, 3, {6, 8, 2}, NETDP_START_UNIFORM, 2, true, 2, 5},
    {"hypercube 3", "hamilton", 90, 1, 1, {0}, NETDP_START_UNIFORM, 0, false, 2, 4}, /* periodic */
    {"path 2", "metropolis", 60, 1, 1, {0}, NETDP_START_UNIFORM, 0, true, 2, 3},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static double account(net n, const setting *s, netdp_bound bound)
{
    const netdp_token token = {.law = n.law,
                               .steps = s->steps,
                               .burn_in = s->burn_in,
                               .start = s->start,
                               .tokens = 1,
                               .release = s->release};
    const netdp_walk_request request = {.token = &token,
                                        .bound = bound,
                                        .noise = s->sigma,
                                        .unit = {NETDP_AS_RDP, s->alpha},
                                        .from_count = 1,
                                        .from = &s->from,
                                        .to_count = s->members,
                                        .to = s->to,
                                        .coalition = s->members > 1};
    netdp_losses *losses = NULL;
    assert_ok(netdp_walk_losses_new(&request, NULL, &losses, &error));
    const double value = losses->loss[0];
    netdp_losses_free(losses);
    return value;
}

static bool observes(const setting *s, int32_t node)
{
    for (int32_t f = 0; f < s->members; f++)
        if (s->to[f] == node)
            return true;
    return false;
}

/* ---- A direct recursion ---- */

/*
 * Backwards in time, from the end of each excursion: the cost of a contribution is known from its
 * rank m and its steps r to that end, theta min(1, (2m-1)/r), so the state is (node, m).
 */
typedef struct direct {
    net n;
    const setting *s;
    double theta;
} direct;

/* x P, rows */
static void forward(net n, const double *x, double *y)
{
    memset(y, 0, (size_t)n.rows.nodes * sizeof *y);
    for (int32_t v = 0; v < n.rows.nodes; v++)
        for (int64_t e = n.rows.start[v]; e < n.rows.start[v + 1]; e++)
            y[n.rows.column[e]] += x[v] * n.rows.weight[e];
}

/* P x, columns */
static void backward(net n, const double *x, double *y)
{
    for (int32_t v = 0; v < n.rows.nodes; v++) {
        y[v] = 0;
        for (int64_t e = n.rows.start[v]; e < n.rows.start[v + 1]; e++)
            y[v] += n.rows.weight[e] * x[n.rows.column[e]];
    }
}

/*
 * Once an excursion's end is fixed (step t, weight of what follows `after` by node), carries it
 * back step by step: layer m holds the paths with m contributions of u in it. At step q the nodes
 * of F end it: pieces[q][f] gets what is paid from there; at q = 0 all nodes do.
 */
static void carry_back(const direct *d, int64_t t, const double *after, double *pieces)
{
    const int32_t n = d->n.rows.nodes, u = d->s->from;
    const int64_t layers = t + 1;
    double *layer = calloc((size_t)layers * (size_t)n, sizeof *layer);
    double *next = calloc((size_t)n, sizeof *next);
    memcpy(layer, after, (size_t)n * sizeof *layer);
    int64_t highest = 0;
    for (int64_t q = t - 1; q >= 0; q--) {
        const double r = (double)(t - q);
        for (int64_t m = 0; m <= highest; m++) {
            backward(d->n, layer + m * n, next);
            memcpy(layer + m * n, next, (size_t)n * sizeof *next);
        }
        /* u contributes at step q: one layer up, from the top so that nothing moves twice */
        for (int64_t m = highest; m >= 0; m--) {
            double *at = layer + m * n + u;
            if (*at == 0)
                continue;
            layer[(m + 1) * n + u] = *at * exp(d->theta * fmin(1, (2 * (double)(m + 1) - 1) / r));
            *at = 0;
            if (m == highest)
                highest++;
        }
        for (int64_t m = 0; m <= highest; m++)
            for (int32_t x = 0; x < n; x++) {
                if (q > 0 && !observes(d->s, x))
                    continue;
                pieces[q * n + x] += layer[m * n + x];
                if (observes(d->s, x))
                    layer[m * n + x] = 0;
            }
    }
    free(layer);
    free(next);
}

/* epsilon by the recursion; a piece is one carry_back, from the last end to the first. */
static double recurse(net n, const setting *s)
{
    const int32_t nodes = n.rows.nodes;
    const int64_t T = s->steps;
    direct d = {n, s, s->alpha * (s->alpha - 1) / (2 * s->sigma * s->sigma)};
    double *pieces = calloc((size_t)(T + 1) * (size_t)nodes, sizeof *pieces);
    double *after = calloc((size_t)nodes, sizeof *after), *law = calloc((size_t)nodes, sizeof *law);
    double *next = calloc((size_t)nodes, sizeof *next), total = 0;
    /* pieces[q][x]: mean of all that is paid from step q on, the token being seen at x then */
    for (int32_t x = 0; x < nodes; x++)
        after[x] = s->release || observes(s, x) ? 1 : 0;
    carry_back(&d, T, after, pieces);
    if (!s->release) { /* the last piece of the others is never seen: plain */
        direct plain = d;
        plain.theta = 0;
        for (int32_t x = 0; x < nodes; x++)
            after[x] = observes(s, x) ? 0 : 1;
        carry_back(&plain, T, after, pieces);
    }
    for (int64_t t = T - 1; t >= 1; t--) {
        memset(after, 0, (size_t)nodes * sizeof *after);
        for (int32_t f = 0; f < s->members; f++)
            after[s->to[f]] = pieces[t * nodes + s->to[f]];
        carry_back(&d, t, after, pieces);
    }
    if (s->start == NETDP_START_UNIFORM)
        for (int32_t x = 0; x < nodes; x++)
            law[x] = 1.0 / nodes;
    else
        law[s->start == NETDP_START_OBSERVER ? s->to[0] : s->start] = 1;
    for (int64_t b = 0; b < s->burn_in; b++) {
        forward(n, law, next);
        memcpy(law, next, (size_t)nodes * sizeof *law);
    }
    for (int32_t x = 0; x < nodes; x++)
        total += law[x] * pieces[x];
    free(pieces);
    free(after);
    free(law);
    free(next);
    return log(total) / (s->alpha - 1);
}

static void test_direct_recursion(void **state)
{
    (void)state;
    for (int i = 0; i < SETTINGS; i++) {
        setting s = settings[i];
        if (s.steps > 150) /* the recursion takes steps^3 edges */
            s.steps = 150;
        net n = open_net(s.family, 1, s.law);
        const double value = account(n, &s, NETDP_BOUND_EXCURSION), truth = recurse(n, &s);
        assert_true(value >= truth * (1 - 1e-10));
        assert_true(value <= truth * (1 + 2e-6));
        drop(n);
    }
}

/* Weights that leave the doubles' digits: rare paths are the mean. */
static void test_heavy_weights(void **state)
{
    (void)state;
    static const setting heavy[] = {
        {"path 8", "hastings:degree", 59, 7, 1, {2}, 2, 0, false, 8, 1},
        {"path 8", "hastings:degree", 30, 7, 1, {2}, NETDP_START_UNIFORM, 3, true, 9, 1},
        {"ring 7", "metropolis", 40, 3, 2, {0, 1}, 3, 0, false, 8, 1.5},
        {"complete 5", "lazy:0.5", 30, 3, 1, {0}, NETDP_START_UNIFORM, 0, true, 9, 1.5},
        {"star 8", "hamilton", 60, 1, 1, {0}, NETDP_START_UNIFORM, 0, false, 5, 1},
    };
    for (size_t i = 0; i < sizeof heavy / sizeof *heavy; i++) {
        const setting *s = &heavy[i];
        net n = open_net(s->family, 1, s->law);
        const double local = s->alpha * (double)s->steps / (2 * s->sigma * s->sigma);
        const double value = account(n, s, NETDP_BOUND_EXCURSION);
        const double mean = recurse(n, s), truth = fmin(mean, local);
        assert_true(mean < 1e308);
        assert_true(value >= truth * (1 - 1e-10));
        assert_true(value <= truth * (1 + 1e-6));
        drop(n);
    }
}

/* Walks so long that no run of visits reaches their end: runs are followed up to a cut. */
static void test_long_walks(void **state)
{
    (void)state;
    static const setting longer[] = {
        {"complete 5", "metropolis", 300, 1, 1, {0}, NETDP_START_UNIFORM, 0, false, 2, 6},
        {"complete 5", "lazy:0.3", 300, 1, 1, {0}, NETDP_START_OBSERVER, 0, true, 4, 20},
        {"complete 4", "metropolis", 300, 3, 2, {0, 1}, 2, 0, true, 2, 4},
    };
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) {
        net n = open_net(longer[i].family, 1, longer[i].law);
        const double value = account(n, &longer[i], NETDP_BOUND_EXCURSION);
        const double truth = recurse(n, &longer[i]);
        assert_true(value >= truth * (1 - 1e-10));
        assert_true(value <= truth * (1 + 2e-6));
        drop(n);
    }
}

/* On many nodes sequences are found flat soon after mixing, whatever long sums lose. */
static void test_flat_sequences(void **state)
{
    (void)state;
    net n = open_net("regular 20001 6", 1, "metropolis");
    const int32_t node[] = {0, 17};
    const double *pi = netdp_transition_stationary(n.law);
    double *x = test_calloc(20001, sizeof *x);
    netdp_i_powers powers;
    for (int start = 0; start < 2; start++) {
        for (int32_t u = 0; u < 20001; u++)
            x[u] = start == 0 ? 1 / (20001 * pi[u]) : u == 0;
        assert_ok(netdp_i_powers_of_vector(n.law, x, node, 2, NULL, 5000, NULL, &powers, &error));
        assert_true(powers.count[0] < 400);
        assert_close(powers.limit[1], start == 0 ? 1 : 1 / 20001.0, 0, 1e-13);
        netdp_i_powers_clear(&powers);
    }
    assert_ok(netdp_i_powers_of_returns(n.law, node, 2, 5000, NULL, &powers, &error));
    assert_true(powers.count[1] < 400);
    netdp_i_powers_clear(&powers);
    test_free(x);
    drop(n);
}

/* Observers that are asked together are told what each is told alone. */
static void test_observers_together(void **state)
{
    (void)state;
    net n = open_net("ring 12", 1, "metropolis");
    static const netdp_bound bounds[] = {NETDP_BOUND_EXCURSION, NETDP_BOUND_EXCURSION_LINEAR};
    static const int32_t to[] = {4, 2, 10, 8};
    const int32_t from = 3;
    const netdp_token token = {.law = n.law, .steps = 60, .start = 0, .tokens = 1};
    netdp_walk_request request = {
        .token = &token, .noise = 6, .unit = {NETDP_AS_RDP, 2}, .from_count = 1, .from = &from};
    for (int b = 0; b < 2; b++) {
        netdp_losses *all, *one;
        request.bound = bounds[b];
        request.to = to;
        request.to_count = 4;
        assert_ok(netdp_walk_losses_new(&request, NULL, &all, &error));
        request.to_count = 1;
        for (int v = 0; v < 4; v++) {
            request.to = to + v;
            assert_ok(netdp_walk_losses_new(&request, NULL, &one, &error));
            assert_close(all->loss[v], one->loss[0], 0, 1e-9);
            netdp_losses_free(one);
        }
        if (bounds[b] == NETDP_BOUND_EXCURSION_LINEAR) /* by symmetry alike but for the start */
            assert_true(fabs(all->loss[0] - all->loss[1]) > 1e-3 * all->loss[0]);
        netdp_losses_free(all);
    }
    drop(n);
}

/* ---- Simulated paths ---- */

static int32_t draw_next(net n, int32_t at, double uniform)
{
    for (int64_t e = n.rows.start[at]; e < n.rows.start[at + 1]; e++)
        if ((uniform -= n.rows.weight[e]) < 0)
            return n.rows.column[e];
    return n.rows.column[n.rows.start[at + 1] - 1];
}

/* What one excursion costs, by its contributions' steps to the end, r[0] < r[1] < ... */
typedef double (*cost)(const int64_t *r, int64_t count, int64_t noises);

/* Identity maps: all noise of others hides the sum of the shifts. */
static double cost_linear(const int64_t *r, int64_t count, int64_t noises)
{
    (void)r;
    return (double)(count * count) / (double)noises;
}

/*
 * Honest nodes that send a constant wipe out what came before; those that know the path do it just
 * before the j-th last contribution where that hurts u most.
 */
static double cost_reset(const int64_t *r, int64_t count, int64_t noises)
{
    double most = 0;
    (void)noises;
    for (int64_t j = 1; j <= count; j++)
        most = fmax(most, (double)(j * j) / (double)r[j - 1]);
    return most;
}

/*
 * The best that shift absorption can do: the least sum of a_t^2 with sum_{s<=t} a_s <= shifts up to
 * t, equal at the end. By r: slopes of the greatest convex minorant of the running count.
 */
static double cost_absorbed(const int64_t *r, int64_t count, int64_t noises)
{
    double sum = 0;
    int64_t done = 0; /* contributions absorbed, from the end */
    (void)noises;
    while (done < count) {
        /* from the end: the largest slope (j - done) / (r_j - r_done) over j > done */
        const int64_t at = done == 0 ? 0 : r[done - 1];
        double steepest = 0;
        int64_t best = done + 1;
        for (int64_t j = done + 1; j <= count; j++) {
            const double slope = (double)(j - done) / (double)(r[j - 1] - at);
            if (slope >= steepest) {
                steepest = slope;
                best = j;
            }
        }
        sum += steepest * steepest * (double)(r[best - 1] - at);
        done = best;
    }
    return sum;
}

/* mean and standard error of exp(theta sum of costs) over walks */
static void simulate(net n, const setting *s, cost of, int64_t walks, double *mean, double *spread)
{
    const double theta = s->alpha * (s->alpha - 1) / (2 * s->sigma * s->sigma);
    int64_t *when = calloc((size_t)s->steps, sizeof *when),
            *r = calloc((size_t)s->steps, sizeof *r);
    double sum = 0, square = 0;
    for (int64_t w = 0; w < walks; w++) {
        netdp_stream stream = netdp_stream_at(11, NETDP_FOR_TEST, (uint32_t)w, 0);
        int32_t at = s->start == NETDP_START_OBSERVER ? s->to[0] : s->start;
        if (at == NETDP_START_UNIFORM)
            at = (int32_t)netdp_stream_below(&stream, (uint64_t)n.rows.nodes);
        for (int64_t b = 0; b < s->burn_in; b++)
            at = draw_next(n, at, netdp_stream_uniform(&stream));
        double paid = 0;
        int64_t count = 0, begun = 0, own = 0; /* own: the observer's noise terms in the piece */
        for (int64_t t = 0; t <= s->steps; t++) {
            const bool seen = observes(s, at) || (s->release && t == s->steps);
            if (seen && count > 0) {
                for (int64_t j = 0; j < count; j++)
                    r[j] = t - when[count - 1 - j];
                paid += of(r, count, t - begun - own);
            }
            if (seen) {
                count = 0;
                begun = t;
                own = 1;
            }
            if (at == s->from)
                when[count++] = t;
            if (t < s->steps)
                at = draw_next(n, at, netdp_stream_uniform(&stream));
        }
        const double value = exp(theta * paid);
        sum += value;
        square += value * value;
    }
    *mean = sum / (double)walks;
    *spread = sqrt(fmax(0, square / (double)walks - *mean * *mean) / (double)walks);
    free(when);
    free(r);
}

/* Never below what simulated paths cost; close to it where shifts are absorbed as well as can be.
 */
static void test_simulated_paths(void **state)
{
    (void)state;
    static const cost costs[] = {cost_linear, cost_reset, cost_absorbed};
    for (int i = 0; i < SETTINGS; i++) {
        const setting *s = &settings[i];
        net n = open_net(s->family, 1, s->law);
        const double bound = exp((s->alpha - 1) * account(n, s, NETDP_BOUND_EXCURSION));
        double mean = 0, spread = 0;
        for (int c = 0; c < 3; c++) {
            simulate(n, s, costs[c], 20000, &mean, &spread);
            assert_true(mean - 4.5 * spread <= bound);
            assert_true(mean > 1);
        }
        assert_true(bound - 1 <= 3 * (mean - 1 + 4 * spread)); /* not far above the last */
        if (!s->release && s->members == 1) {
            const double linear = exp((s->alpha - 1) * account(n, s, NETDP_BOUND_EXCURSION_LINEAR));
            simulate(n, s, cost_linear, 20000, &mean, &spread);
            assert_true(fabs(mean - linear) <= 4.5 * spread + 1e-6 * (linear - 1));
            assert_true(linear <= bound * (1 + 1e-7));
        }
        drop(n);
    }
}

/* ---- Laws ---- */

static void test_monotone(void **state)
{
    (void)state;
    net n = open_net("barabasi-albert 30 3", 1, "metropolis");
    setting s = {.steps = 1, .from = 7, .members = 1, .to = {2}, .start = NETDP_START_UNIFORM};
    s.alpha = 2;
    double last = 0;
    for (s.sigma = 6; s.steps < 700; s.steps = s.steps * 3 / 2 + 1) {
        const double value = account(n, &s, NETDP_BOUND_EXCURSION);
        assert_true(value >= last * (1 - 1e-8));
        last = value;
    }
    s.steps = 300;
    last = 0;
    for (s.sigma = 1e4; s.sigma > 1e-5; s.sigma /= 1.7) { /* through every regime of theta */
        const double value = account(n, &s, NETDP_BOUND_EXCURSION);
        assert_true(value >= last * (1 - 1e-7));
        assert_true(value == value);
        last = value;
    }
    s.sigma = 6;
    const double one = account(n, &s, NETDP_BOUND_EXCURSION);
    s.members = 2;
    s.to[1] = 11;
    const double two = account(n, &s, NETDP_BOUND_EXCURSION);
    s.members = 3;
    s.to[2] = 19;
    const double three = account(n, &s, NETDP_BOUND_EXCURSION);
    assert_true(one < two && two < three);
    s.release = true;
    assert_true(three < account(n, &s, NETDP_BOUND_EXCURSION));
    drop(n);
}

/* A token that never moves contributes all its life to one node, or to another. */
static void test_laziness(void **state)
{
    (void)state;
    setting s = {.steps = 100, .from = 1, .members = 1, .to = {0}, .start = 1, .release = true};
    s.alpha = 2;
    s.sigma = 5;
    static const char *const laws[] = {"lazy:0.9", "lazy:0.99", "lazy:0.999", "lazy:0.999999"};
    double last = 0;
    const double local = s.alpha * (double)s.steps / (2 * s.sigma * s.sigma);
    for (int i = 0; i < 4; i++) {
        net n = open_net("complete 12", 1, laws[i]);
        const double value = account(n, &s, NETDP_BOUND_EXCURSION);
        assert_true(value > last && value <= local);
        last = value;
        drop(n);
    }
    assert_true(last > 0.999 * local);
}

static void test_relabelling(void **state)
{
    (void)state;
    enum { NODES = 10, EDGES = 15 };
    int32_t edges[2 * EDGES], turned[2 * EDGES], place[NODES];
    netdp_stream stream = netdp_stream_at(3, NETDP_FOR_TEST, 0, 0);
    for (int32_t u = 0; u < NODES; u++)
        place[u] = (3 * u + 3) % NODES;
    for (int e = 0; e < EDGES; e++) {
        edges[2 * e] = e % NODES;
        edges[2 * e + 1] =
            e < NODES ? (e + 1) % NODES : (int32_t)netdp_stream_below(&stream, NODES);
        turned[2 * e] = place[edges[2 * e]];
        turned[2 * e + 1] = place[edges[2 * e + 1]];
    }
    netdp_losses *losses[2];
    for (int i = 0; i < 2; i++) {
        netdp_graph *graph;
        netdp_transition *law;
        assert_ok(netdp_graph_from_edges(NODES, i == 0 ? edges : turned, EDGES, &graph, &error));
        assert_ok(netdp_transition_new(graph, "hastings:degree", &law, &error));
        const netdp_token token = {
            .law = law, .steps = 160, .start = NETDP_START_UNIFORM, .tokens = 1};
        const netdp_walk_request request = {
            .token = &token, .noise = 5, .unit = {NETDP_AS_DP, 1e-6}};
        assert_ok(netdp_walk_losses_new(&request, NULL, &losses[i], &error));
        netdp_transition_free(law);
        netdp_graph_free(graph);
    }
    for (int32_t v = 0; v < NODES; v++)
        for (int32_t u = 0; u < NODES; u++)
            if (u != v)
                assert_close(losses[0]->loss[v * NODES + u],
                             losses[1]->loss[place[v] * NODES + place[u]], 0, 1e-8);
    netdp_losses_free(losses[0]);
    netdp_losses_free(losses[1]);
}

/* A cap, tokens and the local bound. */
static void test_caps(void **state)
{
    (void)state;
    net n = open_net("karate", 1, "metropolis");
    const int32_t from = 3, to = 33;
    netdp_token token = {.law = n.law, .steps = 340, .start = NETDP_START_UNIFORM, .tokens = 1};
    netdp_walk_request request = {.token = &token,
                                  .noise = 6,
                                  .unit = {NETDP_AS_RDP, 2},
                                  .bound = NETDP_BOUND_EXCURSION, /* auto: the least */
                                  .from_count = 1,
                                  .from = &from,
                                  .to_count = 1,
                                  .to = &to};
    double value[4];
    static const int64_t caps[] = {0, 1, 2, 0};
    for (int i = 0; i < 4; i++) {
        netdp_losses *losses;
        token.cap = caps[i];
        token.tokens = i == 3 ? 5 : 1;
        assert_ok(netdp_walk_losses_new(&request, NULL, &losses, &error));
        value[i] = losses->loss[0];
        assert_true(losses->sound && losses->final && value[i] <= losses->local);
        netdp_losses_free(losses);
    }
    /* Only what counts is there to be seen: less than local, and less than what all would cost. */
    assert_true(value[1] < 0.5 * 2.0 / 72 && value[1] < value[2] && value[2] < value[0]);
    assert_true(value[2] < 0.5 * 4.0 / 72 && value[2] > 2 * value[1]);
    assert_close(value[3], 5 * value[0], 0, 1e-12);
    drop(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heavy_weights),    cmocka_unit_test(test_observers_together),
        cmocka_unit_test(test_direct_recursion), cmocka_unit_test(test_simulated_paths),
        cmocka_unit_test(test_monotone),         cmocka_unit_test(test_laziness),
        cmocka_unit_test(test_relabelling),      cmocka_unit_test(test_caps),
        cmocka_unit_test(test_long_walks),       cmocka_unit_test(test_flat_sequences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

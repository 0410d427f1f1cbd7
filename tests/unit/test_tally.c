/*
 * Tallies: their description, and what observers see of them, against a dense linear view and
 * against all paths of short walks.
 */
#include "walk_net.h"
#include "sweep.h"

#include <netdp/random.h>
#include <netdp/walk.h>
#include <netdp/tally.h>

#include "account/tally/tally.h"

static netdp_tally ring_sum(int32_t nodes, int64_t passes, netdp_tally_schedule schedule)
{
    return (netdp_tally){.nodes = nodes,
                         .passes = passes,
                         .schedule = schedule,
                         .noise = 2,
                         .low = 0,
                         .high = 1,
                         .fill = NETDP_TALLY_USUAL};
}

static netdp_tally complete_sum(int32_t nodes, int64_t steps, double noise)
{
    return (netdp_tally){.graph = NETDP_TALLY_COMPLETE,
                         .nodes = nodes,
                         .steps = steps,
                         .noise = noise,
                         .low = 0,
                         .high = 1};
}

/* ---- The linear view, densely ---- */

enum { MOST_STEPS = 40, MOST_PASSES = 6 };

/* A number that the observers know: a weight for each node's noise and for u's contributions. */
typedef struct row {
    double noise[MOST_STEPS], own[MOST_PASSES];
} row;

/* Is the node of the ring at step t an observer? */
static bool observes(const netdp_tally *tally, int64_t t, int32_t count, const int32_t *observers)
{
    for (int32_t i = 0; i < count; i++)
        if (t % tally->nodes == observers[i])
            return true;
    return false;
}

/* The token before step `until`, or the noise of step `until` alone. */
static row make_row(const netdp_tally *tally, int64_t until, int32_t u, bool alone)
{
    row r = {{0}, {0}};
    const double full = tally->schedule == NETDP_TALLY_SPREAD ? 1 / sqrt(tally->nodes) : 1;
    for (int64_t t = alone ? until : 0; t < until + alone; t++) {
        const bool noisy = tally->schedule != NETDP_TALLY_ONCE || t % (tally->nodes - 1) == 0;
        r.noise[t] = noisy ? t == 0 ? 1 : full : 0;
        if (!alone && t % tally->nodes == u)
            r.own[t / tally->nodes] = 1;
    }
    return r;
}

/*
 * mu^2 sigma^2 of u's contributions, each changed by 1 or -1, the worst: innovations of the rows by
 * Gram and Schmidt.
 */
static double dense_loss(const netdp_tally *tally, int32_t u, int32_t count,
                         const int32_t *observers)
{
    row kept[2 * MOST_STEPS];
    double size[2 * MOST_STEPS], form[MOST_PASSES][MOST_PASSES] = {{0}}, worst = 0;
    int rank = 0;
    const int64_t steps = netdp_tally_steps(tally);
    for (int64_t t = 0; t <= steps; t++) {
        const bool there = observes(tally, t, count, observers);
        for (int part = 0; part < 2; part++) {
            if (part == 0 ? !there && !(t == steps && tally->release) : !there || t == steps)
                continue;
            row r = make_row(tally, t, u, part == 1);
            for (int pass = 0; pass < 2; pass++) /* twice is enough */
                for (int j = 0; j < rank; j++) {
                    double dot = 0;
                    for (int s = 0; s < steps; s++)
                        dot += r.noise[s] * kept[j].noise[s];
                    dot /= size[j];
                    for (int s = 0; s < steps; s++)
                        r.noise[s] -= dot * kept[j].noise[s];
                    for (int k = 0; k < tally->passes; k++)
                        r.own[k] -= dot * kept[j].own[k];
                }
            double square = 0, told = 0;
            for (int s = 0; s < steps; s++)
                square += r.noise[s] * r.noise[s];
            for (int k = 0; k < tally->passes; k++)
                told += fabs(r.own[k]);
            if (square < 1e-12) {
                if (told > 1e-9)
                    return INFINITY;
                continue;
            }
            for (int i = 0; i < tally->passes; i++)
                for (int j = 0; j < tally->passes; j++)
                    form[i][j] += r.own[i] * r.own[j] / square;
            size[rank] = square;
            kept[rank++] = r;
        }
    }
    for (int signs = 0; signs < 1 << tally->passes; signs++) {
        double value = 0;
        for (int i = 0; i < tally->passes; i++)
            for (int j = 0; j < tally->passes; j++)
                value += ((signs >> i & 1) == (signs >> j & 1) ? 1 : -1) * form[i][j];
        worst = fmax(worst, value);
    }
    return worst;
}

static void compare_with_dense(const netdp_tally *tally, int32_t count, const int32_t *observers)
{
    netdp_losses *losses = NULL;
    const netdp_tally_request request = {.tally = tally,
                                         .unit = {NETDP_AS_LOSS, 0},
                                         .to_count = count,
                                         .to = observers,
                                         .coalition = count > 1};
    assert_ok(netdp_tally_losses_new(&request, NULL, &losses, &error));
    assert_false(losses->final);
    assert_true(losses->sound && losses->bound->sound);
    for (int32_t u = 0; u < tally->nodes; u++) {
        if (observes(tally, u, count, observers))
            assert_true(isinf(losses->loss[u]));
        else
            assert_close(losses->loss[u], dense_loss(tally, u, count, observers), 0, 1e-9);
        if (!observes(tally, u, count, observers))
            assert_true(losses->loss[u] >= dense_loss(tally, u, count, observers) * (1 - 1e-12));
    }
    netdp_losses_free(losses);
}

static void test_ring_against_dense_view(void **state)
{
    (void)state;
    for (int32_t n = 2; n <= 6; n++)
        for (int64_t passes = 1; passes <= 6; passes++)
            for (int schedule = NETDP_TALLY_EVERY; schedule <= NETDP_TALLY_SPREAD; schedule++)
                for (int release = 0; release < 2; release++) {
                    netdp_tally tally = ring_sum(n, passes, (netdp_tally_schedule)schedule);
                    tally.release = release;
                    for (int32_t v = 0; v < n; v++) {
                        compare_with_dense(&tally, 1, &v);
                        for (int32_t w = v + 1; w < n; w++) {
                            const int32_t pair[] = {v, w};
                            compare_with_dense(&tally, 2, pair);
                        }
                    }
                    const int32_t three[] = {4, 0, 2};
                    if (n > 4)
                        compare_with_dense(&tally, 3, three);
                }
}

/* ---- Values by hand ---- */

static double ring_loss(const netdp_tally *tally, int32_t u, int32_t count, const int32_t *to)
{
    netdp_losses *losses = NULL;
    const netdp_tally_request request = {.tally = tally,
                                         .unit = {NETDP_AS_LOSS, 0},
                                         .from_count = 1,
                                         .from = &u,
                                         .to_count = count,
                                         .to = to,
                                         .coalition = count > 1};
    assert_ok(netdp_tally_losses_new(&request, NULL, &losses, &error));
    const double loss = losses->loss[0];
    netdp_losses_free(losses);
    return loss;
}

static void test_ring_by_hand(void **state)
{
    (void)state;
    netdp_tally tally = ring_sum(10, 7, NETDP_TALLY_ONCE);
    const int32_t zero = 0, four = 4, nine = 9, around[] = {3, 5}, apart[] = {9, 5};
    /* One noise an increment; what comes after the last visit is never seen. */
    assert_close(ring_loss(&tally, 3, 1, &zero), 7, 0, 1e-14);
    assert_close(ring_loss(&tally, 3, 1, &four), 7, 0, 1e-14);
    assert_close(ring_loss(&tally, 5, 1, &four), 6, 0, 1e-14);
    /* Errata 9: two colluders around a user. */
    assert_true(isinf(ring_loss(&tally, 4, 2, around)));
    /* The end has no noise behind node 4 but that of node n - K = 3, which comes before. */
    tally.release = true;
    assert_true(isinf(ring_loss(&tally, 5, 1, &four)));
    tally.passes = 1; /* noise at steps 0 and 9 */
    assert_close(ring_loss(&tally, 5, 1, &four), 1, 0, 1e-14);
    tally = ring_sum(10, 7, NETDP_TALLY_SPREAD);
    /* First increment: 1 + 3/10 for nodes 0 to 3; later ones 9/10. */
    assert_close(ring_loss(&tally, 3, 1, &four), 1 / 1.3 + 6 / 0.9, 0, 1e-14);
    assert_close(ring_loss(&tally, 5, 1, &four), 6 / 0.9, 0, 1e-14);
    assert_close(ring_loss(&tally, 3, 1, &zero), 7 / 0.9, 0, 1e-14);
    /* The honest run between two colluders keeps k/n. */
    assert_close(ring_loss(&tally, 4, 2, around), 7 / 0.1, 0, 1e-14);
    assert_close(ring_loss(&tally, 7, 2, apart), 7 / 0.3, 0, 1e-14);
    assert_close(ring_loss(&tally, 7, 1, &nine), 1 / 1.8 + 6 / 0.9, 0, 1e-14);
}

/* ---- Random paths, all of them ---- */

/* ln E e^{theta c} / (alpha - 1) over all paths, from the realised costs. */
static double over_all_paths(const netdp_tally *tally, int32_t u, int32_t count,
                             const int32_t *observers, double alpha)
{
    const int64_t length = tally->steps + 1;
    const double theta = alpha * (alpha - 1) / (2 * tally->noise * tally->noise);
    int32_t path[16] = {0};
    double loss[8], sum = 0, paths = 0;
    for (;; paths++) {
        int64_t t = 0;
        assert_ok(netdp_tally_realised(tally, path, count, observers, loss, &error));
        sum += exp(theta * loss[u]);
        while (t < length && ++path[t] == tally->nodes)
            path[t++] = 0;
        if (t == length)
            return log(sum / (paths + 1)) / (alpha - 1);
    }
}

static void test_complete_over_all_paths(void **state)
{
    (void)state;
    static const struct {
        int32_t nodes;
        int64_t steps;
        double noise, alpha;
        int32_t members;
        bool release;
    } cases[] = {{3, 7, 1, 2, 1, false},  {3, 7, 1, 2, 1, true},    {4, 6, 2, 4, 1, false},
                 {4, 6, 2, 4, 2, true},   {4, 6, 0.8, 2, 3, false}, {3, 7, 5, 8, 2, true},
                 {2, 10, 1, 1.5, 1, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        netdp_tally tally = complete_sum(cases[i].nodes, cases[i].steps, cases[i].noise);
        netdp_losses *losses = NULL;
        const int32_t observers[] = {0, 1, 2}, u = cases[i].nodes - 1;
        tally.release = cases[i].release;
        const netdp_tally_request request = {.tally = &tally,
                                             .unit = {NETDP_AS_RDP, cases[i].alpha},
                                             .to_count = cases[i].members,
                                             .to = observers,
                                             .coalition = cases[i].members > 1};
        const double want = over_all_paths(&tally, u, cases[i].members, observers, cases[i].alpha);
        assert_ok(netdp_tally_losses_new(&request, NULL, &losses, &error));
        assert_true(losses->final && losses->sound);
        assert_close(losses->loss[u], want, 0, 1e-7);
        assert_true(losses->loss[u] >= want * (1 - 1e-12));
        assert_true(isinf(losses->loss[0]));
        netdp_losses_free(losses);
    }
}

/* The account of walks, which goes by graphs, where it has the same question. */
static void test_complete_against_walks(void **state)
{
    (void)state;
    static const struct {
        const char *graph;
        int64_t steps;
        double noise, alpha;
    } cases[] = {
        {"complete 10", 50, 3, 2}, {"complete 20", 200, 6, 2}, {"complete 12", 1200, 4, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        net n = open_net(cases[i].graph, 5, "uniform");
        const int32_t u = 1, v = 0;
        const netdp_token token = {
            .law = n.law, .steps = cases[i].steps, .start = NETDP_START_UNIFORM, .tokens = 1};
        const netdp_walk_request walk = {.token = &token,
                                         .bound = NETDP_BOUND_EXCURSION_LINEAR,
                                         .noise = cases[i].noise,
                                         .unit = {NETDP_AS_RDP, cases[i].alpha},
                                         .from_count = 1,
                                         .from = &u,
                                         .to_count = 1,
                                         .to = &v};
        const netdp_tally tally = complete_sum(n.rows.nodes, cases[i].steps, cases[i].noise);
        const netdp_tally_request request = {.tally = &tally,
                                             .unit = walk.unit,
                                             .from_count = 1,
                                             .from = &u,
                                             .to_count = 1,
                                             .to = &v};
        netdp_losses *of_walk = NULL, *of_tally = NULL;
        assert_ok(netdp_walk_losses_new(&walk, NULL, &of_walk, &error));
        assert_ok(netdp_tally_losses_new(&request, NULL, &of_tally, &error));
        assert_close(of_tally->loss[0], of_walk->loss[0], 0, 1e-6);
        netdp_losses_free(of_walk);
        netdp_losses_free(of_tally);
        drop(n);
    }
}

static void test_realised_against_walks(void **state)
{
    (void)state;
    enum { NODES = 6, STEPS = 300 };
    net n = open_net("complete 6", 5, "uniform");
    const int32_t observers[] = {2, 5};
    int32_t path[STEPS + 1];
    for (int i = 0; i < 8; i++) {
        const netdp_token token = {.law = n.law,
                                   .steps = STEPS,
                                   .start = NETDP_START_UNIFORM,
                                   .cap = i & 1 ? 30 : 0,
                                   .tokens = 1,
                                   .release = i & 2};
        netdp_tally tally = complete_sum(NODES, STEPS, 3);
        double want[NODES], got[NODES];
        tally.cap = token.cap;
        tally.release = token.release;
        netdp_stream stream = netdp_stream_at(5, NETDP_FOR_TEST, 0, (uint64_t)i);
        for (int t = 0; t <= STEPS; t++)
            path[t] = (int32_t)netdp_stream_below(&stream, NODES);
        assert_ok(netdp_realised_costs(&token, path, NETDP_REALISED_LINEAR, i & 4 ? 2 : 1,
                                       observers, want, &error));
        assert_ok(netdp_tally_realised(&tally, path, i & 4 ? 2 : 1, observers, got, &error));
        for (int u = 0; u < NODES; u++)
            assert_close(got[u], want[u], 0, 1e-12);
    }
    drop(n);
}

/* ---- Descriptions ---- */

static netdp_tally ring_histogram(int32_t nodes, int64_t passes)
{
    return (netdp_tally){.task = NETDP_TALLY_HISTOGRAM,
                         .nodes = nodes,
                         .passes = passes,
                         .mechanism = NETDP_RANDOMISED_RESPONSE,
                         .levels = 3,
                         .flip = 0.25,
                         .fill = NETDP_TALLY_USUAL};
}

static void test_descriptions(void **state)
{
    (void)state;
    netdp_tally tally = ring_sum(5, 3, NETDP_TALLY_SPREAD);
    assert_int_equal(netdp_tally_steps(&tally), 15);
    assert_int_equal(netdp_tally_contributions(&tally), 3);
    assert_int_equal(netdp_tally_fill(&tally), 0);
    for (int schedule = NETDP_TALLY_EVERY; schedule <= NETDP_TALLY_SPREAD; schedule++) {
        tally.schedule = (netdp_tally_schedule)schedule;
        for (int64_t from = 0; from <= 15; from++) {
            double sum = 0;
            for (int64_t t = from; t < 15; t++) {
                assert_close(netdp_tally_energy(&tally, from, t), sum, 1e-13, 0);
                sum += schedule == NETDP_TALLY_EVERY  ? 1
                       : schedule == NETDP_TALLY_ONCE ? t % 4 == 0
                       : t == 0                       ? 1
                                                      : 0.2;
            }
        }
    }
    tally = ring_histogram(9, 2);
    assert_int_equal(netdp_tally_fill(&tally), 3);
    tally.fill = 8;
    assert_int_equal(netdp_tally_fill(&tally), 8);
    tally = complete_sum(9, 40, 1);
    assert_int_equal(netdp_tally_steps(&tally), 40);
    assert_int_equal(netdp_tally_contributions(&tally), 40);
    tally.cap = 4;
    assert_int_equal(netdp_tally_contributions(&tally), 4);
    tally.cap = 50;
    assert_int_equal(netdp_tally_contributions(&tally), 40);
}

/* Each change makes a good description a bad one. */
#define assert_refused(start, change)                                                              \
    do {                                                                                           \
        netdp_tally tally = (start);                                                               \
        assert_ok(netdp_tally_check(&tally, &error));                                              \
        change;                                                                                    \
        assert_fails(netdp_tally_check(&tally, &error), NETDP_INVALID);                            \
    } while (0)

static void test_refused_descriptions(void **state)
{
    (void)state;
    const netdp_tally sum = ring_sum(5, 3, NETDP_TALLY_SPREAD), walk = complete_sum(5, 9, 1);
    const netdp_tally histogram = ring_histogram(5, 2);
    assert_refused(sum, tally.nodes = 1);
    assert_refused(sum, tally.passes = 0);
    assert_refused(sum, tally.passes = INT64_MAX);
    assert_refused(sum, tally.cap = 2);
    assert_refused(sum, tally.hidden = true);
    assert_refused(sum, tally.noise = -1);
    assert_refused(sum, tally.noise = NAN);
    assert_refused(sum, tally.noise = INFINITY);
    assert_refused(sum, tally.low = 1);
    assert_refused(sum, tally.high = INFINITY);
    assert_refused(sum, tally.low = NAN);
    assert_refused(sum, tally.mechanism = NETDP_LAPLACE);
    assert_refused(sum, tally.mechanism = NETDP_RANDOMISED_RESPONSE);
    assert_refused(sum, tally.schedule = (netdp_tally_schedule)3);
    assert_refused(sum, tally.graph = (netdp_tally_graph)2);
    assert_refused(sum, tally.task = (netdp_tally_task)2);
    assert_refused(walk, tally.steps = 0);
    assert_refused(walk, tally.cap = -1);
    assert_refused(walk, tally.schedule = NETDP_TALLY_ONCE);
    assert_refused(walk, tally.mechanism = NETDP_DISCRETE_GAUSSIAN);
    assert_refused(histogram, tally.levels = 1);
    assert_refused(histogram, tally.flip = 1);
    assert_refused(histogram, tally.flip = NAN);
    assert_refused(histogram, tally.fill = -2);
    assert_refused(histogram, tally.mechanism = NETDP_GAUSSIAN);
    assert_refused(histogram, tally.schedule = NETDP_TALLY_ONCE);
}

static void test_refused_requests(void **state)
{
    (void)state;
    const netdp_tally ring = ring_sum(5, 3, NETDP_TALLY_ONCE), walk = complete_sum(5, 9, 1);
    const netdp_tally histogram = ring_histogram(5, 2);
    netdp_tally laplace = ring;
    laplace.mechanism = NETDP_LAPLACE;
    const netdp_unit loss = {NETDP_AS_LOSS, 0}, dp = {NETDP_AS_DP, 0.1}, rdp = {NETDP_AS_RDP, 2};
    const struct {
        const netdp_tally *tally;
        netdp_bound bound;
        netdp_unit unit;
    } bad[] = {{&ring, NETDP_BOUND_SHUFFLED, dp},
               {&ring, NETDP_BOUND_EXCURSION_LINEAR, dp},
               {&ring, NETDP_BOUND_PUBLISHED, dp},
               {&ring, NETDP_BOUND_AUTO, {NETDP_AS_DP, 1}},
               {&ring, NETDP_BOUND_AUTO, {NETDP_AS_RDP, 1}},
               {&laplace, NETDP_BOUND_AUTO, rdp},
               {&laplace, NETDP_BOUND_AUTO, loss},
               {&walk, NETDP_BOUND_EXACT, dp},
               {&walk, NETDP_BOUND_AUTO, loss},
               {&histogram, NETDP_BOUND_EXACT, dp},
               {&histogram, NETDP_BOUND_AUTO, rdp}};
    netdp_losses *losses = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const netdp_tally_request request = {
            .tally = bad[i].tally, .bound = bad[i].bound, .unit = bad[i].unit};
        assert_fails(netdp_tally_losses_new(&request, NULL, &losses, &error), NETDP_INVALID);
        assert_null(losses);
    }
    const netdp_tally_request lonely = {.tally = &ring, .unit = dp, .coalition = true};
    assert_fails(netdp_tally_losses_new(&lonely, NULL, &losses, &error), NETDP_INVALID);
    const int32_t path[10] = {0, 1, 2, 3, 4, 5}, one = 1, far = 9;
    double cost[5] = {-7};
    assert_fails(netdp_tally_realised(&walk, path, 1, &one, cost, &error), NETDP_INVALID);
    assert_fails(netdp_tally_realised(&walk, NULL, 1, &one, cost, &error), NETDP_INVALID);
    assert_fails(netdp_tally_realised(&ring, path, 1, &one, cost, &error), NETDP_INVALID);
    assert_fails(netdp_tally_realised(&ring, NULL, 1, &far, cost, &error), NETDP_INVALID);
    assert_fails(netdp_tally_realised(&ring, NULL, 0, &one, cost, &error), NETDP_INVALID);
    assert_fails(netdp_tally_realised(&laplace, NULL, 1, &one, cost, &error), NETDP_INVALID);
    assert_true(cost[0] == -7);
}

/* ---- Other noise, and local bounds ---- */

static double value_of(const netdp_tally *tally, netdp_bound bound, netdp_unit unit, int32_t u,
                       int32_t v)
{
    netdp_losses *losses = NULL;
    const netdp_tally_request request = {.tally = tally,
                                         .bound = bound,
                                         .unit = unit,
                                         .from_count = 1,
                                         .from = &u,
                                         .to_count = 1,
                                         .to = &v};
    assert_ok(netdp_tally_losses_new(&request, NULL, &losses, &error));
    const double value = losses->loss[0];
    netdp_losses_free(losses);
    return value;
}

static void test_other_noise(void **state)
{
    (void)state;
    const netdp_unit unit = {NETDP_AS_DP, 1e-6};
    for (int kind = 0; kind < 2; kind++) {
        netdp_tally tally = ring_sum(10, 7, NETDP_TALLY_ONCE);
        double want;
        tally.mechanism = kind ? NETDP_LAPLACE : NETDP_DISCRETE_GAUSSIAN;
        tally.grid = 8;
        netdp_event event = {.mechanism = tally.mechanism, .noise = 2, .levels = 8, .count = 7};
        assert_ok(netdp_events_epsilon(&event, 1, 1e-6, NETDP_UPPER, &want, &error));
        assert_close(value_of(&tally, NETDP_BOUND_AUTO, unit, 3, 4), want, 0, 1e-15);
        event.count = 6;
        assert_ok(netdp_events_epsilon(&event, 1, 1e-6, NETDP_UPPER, &want, &error));
        assert_close(value_of(&tally, NETDP_BOUND_AUTO, unit, 5, 4), want, 0, 1e-15);
        tally.passes = 1; /* never seen */
        assert_true(value_of(&tally, NETDP_BOUND_AUTO, unit, 5, 4) == 0);
        tally.release = true; /* the last noise is that of step 9 */
        assert_true(value_of(&tally, NETDP_BOUND_AUTO, unit, 5, 4) > 0);
        tally.passes = 7;
        assert_true(isinf(value_of(&tally, NETDP_BOUND_AUTO, unit, 5, 4)));
        tally.noise = 0;
        assert_true(isinf(value_of(&tally, NETDP_BOUND_AUTO, unit, 3, 4)));
    }
}

static void test_local(void **state)
{
    (void)state;
    const netdp_unit unit = {NETDP_AS_DP, 1e-6}, loss = {NETDP_AS_LOSS, 0};
    netdp_tally ring = ring_sum(10, 7, NETDP_TALLY_EVERY);
    double want;
    assert_close(value_of(&ring, NETDP_BOUND_LOCAL, loss, 3, 4), 7, 0, 1e-14);
    assert_true(value_of(&ring, NETDP_BOUND_EXACT, loss, 3, 4) < 1.1);
    ring.schedule = NETDP_TALLY_SPREAD;
    assert_close(value_of(&ring, NETDP_BOUND_LOCAL, loss, 3, 4), 70, 0, 1e-14);
    ring.schedule = NETDP_TALLY_ONCE;
    assert_true(isinf(value_of(&ring, NETDP_BOUND_LOCAL, loss, 3, 4)));
    ring.nodes = 2;
    assert_close(value_of(&ring, NETDP_BOUND_LOCAL, loss, 0, 1), 7, 0, 1e-14);
    /* 1,000 steps among 100 nodes: more than 29 contributions with probability 4e-7 */
    netdp_tally walk = complete_sum(100, 1000, 3);
    walk.mechanism = NETDP_LAPLACE;
    netdp_event event = {.mechanism = NETDP_LAPLACE, .noise = 3, .count = 29};
    assert_ok(netdp_events_epsilon(&event, 1, 5e-7, NETDP_UPPER, &want, &error));
    assert_close(value_of(&walk, NETDP_BOUND_AUTO, unit, 1, 0), want, 0, 1e-15);
    walk.cap = 5;
    event.count = 5;
    assert_ok(netdp_events_epsilon(&event, 1, 1e-6, NETDP_UPPER, &want, &error));
    assert_close(value_of(&walk, NETDP_BOUND_AUTO, unit, 1, 0), want, 0, 1e-15);
}

static void test_crowds_are_rounded_down(void **state)
{
    (void)state;
    for (int digits = 1; digits <= 8; digits++)
        for (int64_t crowd = 1; crowd < 2000; crowd++) {
            const int64_t less = netdp_i_tally_crowd(crowd, digits);
            assert_true(less <= crowd && (double)less > (double)crowd * (1 - ldexp(1, 1 - digits)));
        }
    assert_int_equal(netdp_i_tally_crowd(5, 53), 5);
    assert_int_equal(netdp_i_tally_crowd(INT64_C(1) << 40, 53), 1000000000);
}

/* On the ring: crowds of n - 1, and of 4 and the fill in the first run; 5 passes. */
static void test_shuffled(void **state)
{
    (void)state;
    netdp_tally ring = ring_histogram(3000, 5);
    netdp_shuffle crowd = {.levels = 2};
    const double delta = 1e-6, slack = 2 * log(2 / delta);
    const int32_t from[] = {3, 5}, observer = 4;
    double middle, first;
    netdp_losses *losses = NULL;
    ring.levels = 2;
    ring.flip = 0.9;
    const netdp_tally_request request = {.tally = &ring,
                                         .shuffle = NETDP_SHUFFLE_FELDMAN,
                                         .composing = NETDP_TALLY_ADVANCED,
                                         .unit = {NETDP_AS_DP, delta},
                                         .from_count = 2,
                                         .from = from,
                                         .to_count = 1,
                                         .to = &observer};
    assert_ok(netdp_rr_epsilon(0.9, 2, &crowd.epsilon0, &error));
    crowd.crowd = 2999;
    assert_ok(netdp_shuffle_epsilon(request.shuffle, &crowd, delta / 10, &middle, &error));
    crowd.crowd = 2704;
    assert_ok(netdp_shuffle_epsilon(request.shuffle, &crowd, delta / 10, &first, &error));
    assert_true(middle < first && first < crowd.epsilon0);
    assert_ok(netdp_tally_losses_new(&request, NULL, &losses, &error));
    assert_close(losses->loss[1], sqrt(slack * 4) * middle + 4 * middle * expm1(middle), 0, 1e-12);
    assert_close(losses->loss[0],
                 sqrt(slack * (4 * middle * middle + first * first)) + 4 * middle * expm1(middle) +
                     first * expm1(first),
                 0, 1e-12);
    assert_true(losses->loss[0] < losses->local);
    netdp_losses_free(losses);
}

/* ---- Published bounds ---- */

static void test_published(void **state)
{
    (void)state;
    netdp_tally walk = complete_sum(2000, 200000, 1);
    netdp_tally_terms terms = {.epsilon = 0.5,
                               .delta = 1e-8,
                               .delta_compose = 1e-6,
                               .delta_visits = 1e-6,
                               .delta_spotted = 1e-6,
                               .colluders = 1};
    netdp_tally_published bound, known;
    walk.hidden = true;
    /* golden: complete_sum_published */
    assert_ok(netdp_tally_published_bound(&walk, &terms, NETDP_FORM_PRINTED, &bound, &error));
    assert_close(bound.epsilon, 7.51966200202, 0, 1e-8);
    assert_close(bound.constant, 0.80036097762, 0, 1e-6);
    assert_close(bound.delta, 3.64378980789e-6, 0, 1e-10);
    assert_true(bound.spotted == 0 && !bound.upper);
    walk.hidden = false;
    assert_ok(netdp_tally_published_bound(&walk, &terms, NETDP_FORM_PRINTED, &known, &error));
    assert_close(known.epsilon, bound.epsilon + known.spotted, 0, 1e-14);
    assert_true(known.spotted > 0 && known.delta > bound.delta);
    /* n/c for c colluders */
    walk.hidden = true;
    terms.colluders = 10;
    assert_ok(netdp_tally_published_bound(&walk, &terms, NETDP_FORM_PRINTED, &known, &error));
    walk.nodes = 200;
    terms.colluders = 1;
    assert_ok(netdp_tally_published_bound(&walk, &terms, NETDP_FORM_PRINTED, &bound, &error));
    assert_true(known.epsilon == bound.epsilon);
    terms.epsilon = 1;
    assert_ok(netdp_tally_published_bound(&walk, &terms, NETDP_FORM_PRINTED, &bound, &error));
    assert_true(isinf(bound.epsilon));
    /* Figure 1a: 100 contributions, as a cap, against their random number */
    terms.epsilon = 0.5;
    walk.nodes = 2000;
    walk.cap = 100;
    assert_ok(netdp_tally_published_local(&walk, &terms, NETDP_FORM_PRINTED, &known, &error));
    assert_close(known.epsilon, sqrt(200 * log(1e6)) * 0.5 + 50 * expm1(0.5), 0, 1e-12);
    assert_close(known.delta, 1e-6 + 1e-6, 0, 1e-12);
    assert_true(known.upper);
    assert_ok(netdp_tally_published_bound(&walk, &terms, NETDP_FORM_PRINTED, &bound, &error));
    assert_true(bound.epsilon < known.epsilon && bound.epsilon < 7.5);
    walk.cap = 0;
    assert_ok(netdp_tally_published_local(&walk, &terms, NETDP_FORM_PRINTED, &bound, &error));
    assert_close(bound.contributions, 100 + sqrt(300 * log(1e6)), 0, 1e-13);
    walk.steps = 20; /* outside what Chernoff covers */
    assert_ok(netdp_tally_published_local(&walk, &terms, NETDP_FORM_PRINTED, &bound, &error));
    assert_true(isinf(bound.epsilon) && bound.delta == 1);
}

static void test_published_histograms(void **state)
{
    (void)state;
    netdp_tally walk = {.graph = NETDP_TALLY_COMPLETE,
                        .task = NETDP_TALLY_HISTOGRAM,
                        .nodes = 100000,
                        .steps = 10000000,
                        .hidden = true,
                        .mechanism = NETDP_RANDOMISED_RESPONSE,
                        .levels = 2,
                        .flip = 0.5};
    const netdp_tally_terms terms = {
        .epsilon = 0.1, .delta = 1e-8, .delta_compose = 1e-6, .delta_visits = 1e-6, .colluders = 1};
    netdp_tally_published bound;
    assert_ok(netdp_tally_published_bound(&walk, &terms, NETDP_FORM_PRINTED, &bound, &error));
    /* both kinds of cycles cost the same at the best c, which the theorem's condition allows */
    const double third = cbrt(1e5), c = bound.constant;
    const double small = -2 * expm1(c * c * third * third * log1p(-1e-5));
    assert_close(bound.each / 0.1, small, 0, 1e-10);
    assert_close(small, 14 * sqrt(log(4e8)) / (c * third), 0, 1e-10);
    assert_true(exp(0.1) <= c * c * third * third / (16 * log(2e8)));
    const double count = 100 + sqrt(300 * log(1e6));
    assert_close(bound.epsilon,
                 sqrt(2 * count * log(1e6)) * bound.each + count * 0.1 * expm1(bound.each), 0,
                 1e-12);
    assert_close(bound.delta, 100e-8 + 2e-6, 0, 1e-12);
    assert_false(bound.upper);
    /* Theorem 2 on the ring, in both readings */
    netdp_tally ring = ring_histogram(10001, 4);
    assert_ok(netdp_tally_published_bound(&ring, &terms, NETDP_FORM_CORRECTED, &bound, &error));
    assert_close(bound.each, fmin(0.1, 12 * 0.1 * sqrt(log(1e8) / 10000)), 0, 1e-6);
    assert_true(bound.upper);
    assert_close(bound.delta, 4e-8 + 1e-6, 0, 1e-9);
    assert_ok(netdp_tally_published_bound(&ring, &terms, NETDP_FORM_PRINTED, &bound, &error));
    assert_close(bound.each, 0.1 * sqrt(10001 / log(1e8)) / 12, 0, 1e-12);
    assert_true(bound.upper);
    ring.nodes = 1500; /* 144 ln(1/delta) = 2653 */
    assert_ok(netdp_tally_published_bound(&ring, &terms, NETDP_FORM_PRINTED, &bound, &error));
    assert_false(bound.upper);
    ring.nodes = 1001; /* 1,000 in the crowd */
    assert_ok(netdp_tally_published_bound(&ring, &terms, NETDP_FORM_CORRECTED, &bound, &error));
    assert_true(isinf(bound.epsilon));
}

static void test_published_ring_sum(void **state)
{
    (void)state;
    netdp_tally ring = ring_sum(50, 20, NETDP_TALLY_ONCE);
    netdp_tally_terms terms = {
        .epsilon = 0.3, .delta = 1e-8, .delta_compose = 1e-6, .colluders = 1};
    netdp_tally_published bound;
    assert_ok(netdp_tally_published_bound(&ring, &terms, NETDP_FORM_PRINTED, &bound, &error));
    assert_close(bound.epsilon, sqrt(40 * log(1e6)) * 0.3 + 6 * expm1(0.3), 0, 1e-12);
    assert_close(bound.delta, 20e-8 + 1e-6, 0, 1e-12);
    assert_true(bound.upper && bound.contributions == 20);
    double mu, exact;
    assert_ok(netdp_epsilon_to_gdp(0.3, 1e-8, &mu, &error));
    assert_ok(netdp_gdp_to_epsilon(mu * sqrt(20), bound.delta, &exact, &error));
    assert_true(exact < bound.epsilon);
    terms.colluders = 2;
    assert_ok(netdp_tally_published_bound(&ring, &terms, NETDP_FORM_PRINTED, &bound, &error));
    assert_true(isinf(bound.epsilon));
    terms.colluders = 1;
    ring.release = true;
    assert_ok(netdp_tally_published_bound(&ring, &terms, NETDP_FORM_PRINTED, &bound, &error));
    assert_true(isinf(bound.epsilon));
    terms.delta = 0.7;
    assert_fails(netdp_tally_published_bound(&ring, &terms, NETDP_FORM_PRINTED, &bound, &error),
                 NETDP_INVALID);
    terms.delta = 1e-8;
    terms.colluders = 50;
    assert_fails(netdp_tally_published_local(&ring, &terms, NETDP_FORM_PRINTED, &bound, &error),
                 NETDP_INVALID);
}

/* At the guarantee of the ring a trusted aggregator does as well, local noise sqrt(n) worse. */
static void test_baselines(void **state)
{
    (void)state;
    netdp_tally ring = ring_sum(100, 9, NETDP_TALLY_ONCE);
    netdp_tally_deviations got;
    double epsilon;
    assert_ok(netdp_gdp_to_epsilon(sqrt(9) / 2, 1e-6, &epsilon, &error));
    assert_ok(netdp_tally_baselines(&ring, epsilon, 1e-6, &got, &error));
    assert_close(got.network, 2 * sqrt(10), 0, 1e-14); /* ceil(900 / 99) noises */
    assert_close(got.local, 2 * sqrt(900), 0, 1e-6);
    assert_close(got.central, 2 * sqrt(9), 0, 1e-6);
    netdp_tally walk = complete_sum(50, 500, 3);
    assert_fails(netdp_tally_baselines(&walk, epsilon, 1e-6, &got, &error), NETDP_INVALID);
    walk.cap = 16;
    assert_ok(netdp_tally_baselines(&walk, epsilon, 1e-6, &got, &error));
    assert_close(got.network, 3 * sqrt(500), 0, 1e-14);
    assert_close(got.local, 2 / 3.0 * sqrt(16 * 500), 0, 1e-6);
    assert_close(got.central, 2 / 3.0 * 16, 0, 1e-6);
}

/* ---- Walks that were taken ---- */

static void test_empirical(void **state)
{
    (void)state;
    /* cycles of observer 0: 1 2 | 3 1 1 3 | (2 2, not seen) */
    const int32_t path[] = {1, 2, 0, 3, 1, 1, 3, 0, 2, 2, 1}, observer = 0;
    netdp_tally tally = complete_sum(4, 10, 2);
    netdp_tally_cycles cycles = {.tally = &tally,
                                 .path = path,
                                 .count = 1,
                                 .observers = &observer,
                                 .delta = 1e-6,
                                 .delta_compose = 1e-5};
    double published[4], delta[4], sound[4], one, want;
    assert_ok(netdp_tally_empirical(&cycles, NULL, published, delta, sound, &error));
    assert_ok(netdp_gdp_to_epsilon(0.5, 1e-6, &one, &error));
    const double root = one / sqrt(2), half = one / 2, slack = sqrt(2 * log(1e5));
    assert_close(published[1],
                 slack * sqrt(root * root + 2 * half * half) + root * expm1(root) +
                     2 * half * expm1(half),
                 0, 1e-12);
    assert_close(published[2], slack * root + root * expm1(root), 0, 1e-12);
    assert_close(delta[1], 3e-6 + 1e-5, 0, 1e-12);
    assert_close(delta[3], 2e-6 + 1e-5, 0, 1e-12);
    assert_ok(netdp_gdp_to_epsilon(sqrt(1 / 2.0 + 4 / 4.0) / 2, delta[1], &want, &error));
    assert_close(sound[1], want, 0, 1e-9);
    assert_true(isinf(published[0]) && isinf(sound[0]));
    /* A histogram: crowds of 2 and 4, too small to hide two of the same node. */
    tally = (netdp_tally){.graph = NETDP_TALLY_COMPLETE,
                          .task = NETDP_TALLY_HISTOGRAM,
                          .nodes = 4,
                          .steps = 10,
                          .mechanism = NETDP_RANDOMISED_RESPONSE,
                          .levels = 2,
                          .flip = 0.9};
    cycles.shuffle = NETDP_SHUFFLE_BLANKET;
    cycles.delta = 0.01;
    assert_ok(netdp_tally_empirical(&cycles, NULL, published, delta, sound, &error));
    netdp_shuffle crowd = {.crowd = 2, .levels = 2};
    double two, four;
    assert_ok(netdp_rr_epsilon(0.9, 2, &crowd.epsilon0, &error));
    assert_ok(netdp_shuffle_epsilon(NETDP_SHUFFLE_BLANKET, &crowd, 0.01, &two, &error));
    crowd.crowd = 4;
    assert_ok(netdp_shuffle_epsilon(NETDP_SHUFFLE_BLANKET, &crowd, 0.01, &four, &error));
    assert_true(four < two);
    assert_close(published[2], slack * two + two * expm1(two), 0, 1e-12);
    assert_close(sound[2], published[2], 0, 1e-12);
    assert_close(published[3], slack * sqrt(2) * four + 2 * four * expm1(four), 0, 1e-12);
    assert_close(sound[3],
                 slack * sqrt(2) * crowd.epsilon0 + 2 * crowd.epsilon0 * expm1(crowd.epsilon0), 0,
                 1e-12);
    cycles.delta = 0;
    assert_fails(netdp_tally_empirical(&cycles, NULL, published, delta, sound, &error),
                 NETDP_INVALID);
}

/* P(c ones) of n responses of which `ones` have the value 1, each right with probability right. */
static void count_ones(int n, int ones, double right, double *law)
{
    law[0] = 1;
    for (int i = 0; i < n; i++) {
        const double one = i < ones ? right : 1 - right;
        law[i + 1] = 0;
        for (int c = i + 1; c > 0; c--)
            law[c] = law[c] * (1 - one) + law[c - 1] * one;
        law[0] *= 1 - one;
    }
}

/*
 * Several contributions of a node in one crowd: of one cycle the bound is the group's, and whatever
 * the others hold, what the counts tell exactly is within it at the delta that goes with it.
 */
static void test_groups(void **state)
{
    (void)state;
    enum { CROWD = 400 };
    int grouped = 0;
    for (int k = 2; k <= 8; k += 6) {
        /* the observer, then k of node 1 and the others' */
        int32_t path[CROWD + 2] = {0}, observer = 0;
        for (int t = 1; t <= CROWD; t++)
            path[t] = t <= k ? 1 : 2 + t % 3;
        const netdp_tally tally = {.graph = NETDP_TALLY_COMPLETE,
                                   .task = NETDP_TALLY_HISTOGRAM,
                                   .nodes = 5,
                                   .steps = CROWD + 1,
                                   .mechanism = NETDP_RANDOMISED_RESPONSE,
                                   .levels = 2,
                                   .flip = 0.8};
        const netdp_tally_cycles cycles = {.tally = &tally,
                                           .path = path,
                                           .count = 1,
                                           .observers = &observer,
                                           .delta = 1e-3,
                                           .delta_compose = 1e-3,
                                           .shuffle = NETDP_SHUFFLE_BLANKET};
        double published[5], total[5], sound[5], each, one;
        netdp_shuffle shuffle = {.crowd = CROWD, .levels = 2};
        assert_ok(netdp_tally_empirical(&cycles, NULL, published, total, sound, &error));
        assert_ok(netdp_rr_epsilon(0.8, 2, &shuffle.epsilon0, &error));
        one = shuffle.epsilon0;
        shuffle.crowd = 384; /* three digits */
        assert_ok(netdp_shuffle_epsilon(NETDP_SHUFFLE_BLANKET, &shuffle, 5e-4, &each, &error));
        const double group = k * each, slack = sqrt(2 * log(1e3));
        if (!(group < sqrt(k) * one) || !(expm1(group) / expm1(each) < 1.99 * k)) {
            assert_close(sound[1], slack * sqrt(k) * one + k * one * expm1(one), 0, 1e-12);
            continue;
        }
        grouped++;
        assert_close(sound[1], slack * group + group * expm1(group), 0, 1e-12);
        for (int ones = 0; ones <= CROWD - k; ones += 14) {
            double with[CROWD + 1], without[CROWD + 1], more = 0, less = 0;
            count_ones(CROWD, ones + k, 0.6, with);
            count_ones(CROWD, ones, 0.6, without);
            for (int c = 0; c <= CROWD; c++) {
                more += fmax(0, with[c] - exp(group) * without[c]);
                less += fmax(0, without[c] - exp(group) * with[c]);
            }
            assert_true(more <= k * 1e-3 && less <= k * 1e-3);
        }
    }
    assert_int_equal(grouped, 2);
}

/* All pairs of two walks at once are those of every observer, and local the counts. */
static void test_empirical_pairs(void **state)
{
    (void)state;
    const int32_t path[2][9] = {{1, 2, 0, 3, 1, 1, 3, 0, 2}, {3, 3, 3, 0, 2, 1, 1, 2, 0}};
    const int32_t observers[] = {0, 1, 2, 3};
    netdp_tally tallies[2] = {complete_sum(4, 8, 2),
                              {.graph = NETDP_TALLY_COMPLETE,
                               .task = NETDP_TALLY_HISTOGRAM,
                               .nodes = 4,
                               .steps = 8,
                               .cap = 2,
                               .mechanism = NETDP_RANDOMISED_RESPONSE,
                               .levels = 2,
                               .flip = 0.9}};
    for (int task = 0; task < 2; task++) {
        netdp_tally_spread spread[NETDP_TALLY_ACCOUNTS] = {{0}}, want[2] = {{0}};
        netdp_tally_cycles cycles = {.tally = &tallies[task],
                                     .count = 4,
                                     .observers = observers,
                                     .delta = 0.01,
                                     .delta_compose = 1e-5,
                                     .shuffle = NETDP_SHUFFLE_BLANKET};
        double crowd[NETDP_TALLY_CROWDS] = {0}, got[3][4];
        for (int walk = 0; walk < 2; walk++) {
            cycles.path = path[walk];
            cycles.count = 4;
            cycles.observers = observers;
            for (int i = 0; i < NETDP_TALLY_ACCOUNTS; i++)
                assert_ok(netdp_tally_empirical_pairs(&cycles, (netdp_tally_account)i, crowd, NULL,
                                                      &spread[i], &error));
            cycles.count = 1;
            for (int32_t v = 0; v < 4; v++) {
                cycles.observers = &observers[v];
                assert_ok(netdp_tally_empirical(&cycles, NULL, got[0], got[1], got[2], &error));
                for (int32_t u = 0; u < 4; u++)
                    for (int which = 0; u != v && which < 2; which++) {
                        const double value = got[2 * which][u];
                        want[which].sum += value;
                        want[which].most = fmax(want[which].most, value);
                        want[which].least =
                            want[which].count++ == 0 ? value : fmin(want[which].least, value);
                    }
            }
        }
        for (int which = 0; which < 2; which++) {
            assert_true(spread[which].count == 24 && want[which].count == 24);
            assert_close(spread[which].sum, want[which].sum, 0, 1e-12);
            assert_close(spread[which].most, want[which].most, 0, 0);
            assert_close(spread[which].least, want[which].least, 0, 0);
        }
        /* Nodes contribute 2 2 2 2 and 3 1 2 2 times, or twice where capped: the worst local. */
        double one, slack = sqrt(2 * log(1e5)), k = task == 0 ? 3 : 2;
        assert_ok(task == 0 ? netdp_gdp_to_epsilon(0.5, 0.01, &one, &error)
                            : netdp_rr_epsilon(0.9, 2, &one, &error));
        assert_true(spread[NETDP_TALLY_LOCAL].count == 8);
        assert_close(spread[NETDP_TALLY_LOCAL_PUBLISHED].most,
                     slack * sqrt(k) * one + k * one * expm1(one), 0, 1e-12);
        if (task == 0)
            assert_ok(netdp_gdp_to_epsilon(sqrt(k) / 2, k * 0.01 + 1e-5, &one, &error));
        assert_close(spread[NETDP_TALLY_LOCAL].most,
                     task == 0 ? one : spread[NETDP_TALLY_LOCAL_PUBLISHED].most, 0, 1e-9);
    }
    const netdp_tally ring = ring_sum(4, 2, NETDP_TALLY_ONCE);
    const netdp_tally_cycles wrong = {
        .tally = &ring, .count = 1, .observers = observers, .delta = 0.01, .delta_compose = 1e-5};
    netdp_tally_spread none = {0};
    double crowd[NETDP_TALLY_CROWDS] = {0};
    assert_fails(
        netdp_tally_empirical_pairs(&wrong, NETDP_TALLY_NETWORK, crowd, NULL, &none, &error),
        NETDP_INVALID);
}

/* ---- Memory ---- */

static void test_no_memory(void **state)
{
    (void)state;
    const int32_t path[] = {1, 2, 0, 3, 1, 1}, observer = 0;
    const netdp_tally ring = ring_sum(4, 2, NETDP_TALLY_ONCE), walk = complete_sum(4, 5, 2);
    netdp_tally histogram = ring_histogram(4, 2);
    const netdp_tally *all[] = {&ring, &walk, &histogram};
    const netdp_tally_cycles cycles = {.tally = &walk,
                                       .path = path,
                                       .count = 1,
                                       .observers = &observer,
                                       .delta = 1e-6,
                                       .delta_compose = 1e-5};
    double published[4], delta[4], sound[4];
    for (int call = 0; call < 4; call++) {
        for (sweep s = {0}; sweep_next(&s);) {
            netdp_losses *losses = NULL;
            if (call < 3) {
                const netdp_tally_request request = {.tally = all[call],
                                                     .shuffle = NETDP_SHUFFLE_FELDMAN,
                                                     .composing = NETDP_TALLY_ADVANCED,
                                                     .unit = call == 1
                                                                 ? (netdp_unit){NETDP_AS_RDP, 2}
                                                                 : (netdp_unit){NETDP_AS_DP, 1e-3}};
                s.status = netdp_tally_losses_new(&request, NULL, &losses, &error);
            } else {
                s.status = netdp_tally_empirical(&cycles, NULL, published, delta, sound, &error);
            }
            netdp_losses_free(losses);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring_against_dense_view),
        cmocka_unit_test(test_ring_by_hand),
        cmocka_unit_test(test_complete_over_all_paths),
        cmocka_unit_test(test_complete_against_walks),
        cmocka_unit_test(test_realised_against_walks),
        cmocka_unit_test(test_descriptions),
        cmocka_unit_test(test_refused_descriptions),
        cmocka_unit_test(test_refused_requests),
        cmocka_unit_test(test_other_noise),
        cmocka_unit_test(test_local),
        cmocka_unit_test(test_crowds_are_rounded_down),
        cmocka_unit_test(test_shuffled),
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_published_histograms),
        cmocka_unit_test(test_published_ring_sum),
        cmocka_unit_test(test_baselines),
        cmocka_unit_test(test_empirical),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_empirical_pairs),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

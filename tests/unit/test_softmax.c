/* Several classes: softmax, rows dealt by their labels, and steps of parts with momentum. */
#include "check.h"

#include <float.h>
#include <stdlib.h>
#include <unistd.h>
#include <netdp/mixing.h>
#include <netdp/random.h>
#include <netdp/simulate.h>

#include "learn/deal.h"

enum {
    FEATURES = 3,
    CLASSES = 4,
    SIZE = FEATURES * CLASSES,
    NODES = 6,
    EACH = 5,
    ROWS = NODES * EACH
};

static netdp_error error;

typedef struct made {
    double x[ROWS * FEATURES], y[ROWS];
    int64_t start[NODES + 1];
    netdp_examples rows;
} made;

static void fill(made *m, uint64_t trial)
{
    netdp_stream stream = netdp_stream_at(1, NETDP_FOR_TEST, 41, trial);
    netdp_stream_normals(&stream, m->x, ROWS * FEATURES);
    for (int i = 0; i < ROWS; i++)
        m->y[i] = (double)netdp_stream_below(&stream, CLASSES);
    for (int u = 0; u <= NODES; u++)
        m->start[u] = (int64_t)EACH * u;
    m->rows = (netdp_examples){.rows = ROWS,
                               .features = FEATURES,
                               .x = m->x,
                               .y = m->y,
                               .nodes = NODES,
                               .start = m->start,
                               .classes = CLASSES};
}

static netdp_objective softmax(double clip, double l2)
{
    return (netdp_objective){.kind = NETDP_SOFTMAX, .clip = clip, .l2 = l2, .parameters = SIZE};
}

static double norm_of(const double *x, int count)
{
    double square = 0;
    for (int j = 0; j < count; j++)
        square += x[j] * x[j];
    return sqrt(square);
}

static void test_gradients_are_derivatives(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 20; trial++) {
        made m;
        double model[SIZE], gradient[SIZE], sum[SIZE] = {0};
        const netdp_objective objective = softmax(INFINITY, trial % 2 == 0 ? 0 : 0.3);
        netdp_stream stream = netdp_stream_at(1, NETDP_FOR_TEST, 42, trial);
        fill(&m, trial);
        assert_ok(netdp_objective_check(&objective, &error));
        assert_int_equal(netdp_parameters(&objective, &m.rows), SIZE);
        netdp_stream_normals(&stream, model, SIZE);
        for (int u = 0; u < NODES; u++) {
            netdp_gradient(&objective, &m.rows, u, model, 0, 1, 0, NULL, gradient);
            for (int j = 0; j < SIZE; j++)
                sum[j] += gradient[j] / NODES;
        }
        for (int j = 0; j < SIZE; j++) {
            const double h = 1e-5, middle = model[j];
            model[j] = middle + h;
            const double up = netdp_objective_value(&objective, &m.rows, model);
            model[j] = middle - h;
            const double down = netdp_objective_value(&objective, &m.rows, model);
            model[j] = middle;
            assert_close((up - down) / (2 * h), sum[j], 1e-8, 1e-7);
        }
    }
}

/* Whatever rows, labels and models are, all classes' gradients together are no longer than the clip. */
static void test_clip_is_of_all_classes_together(void **state)
{
    (void)state;
    static const double edge[] = {0, DBL_MAX, -1e200, 1e154, 1e-310, 700, -7, NAN, INFINITY};
    enum { EDGES = sizeof edge / sizeof *edge };
    bool reached = false;
    for (uint64_t trial = 0; trial < 2000; trial++) {
        made m;
        double model[SIZE], gradient[SIZE];
        netdp_stream stream = netdp_stream_at(1, NETDP_FOR_TEST, 43, trial);
        fill(&m, trial);
        netdp_stream_normals(&stream, model, SIZE);
        for (int j = 0; j < SIZE && trial % 2 == 1; j++)
            model[j] *= edge[netdp_stream_below(&stream, EDGES)];
        for (int i = 0; i < ROWS * FEATURES && trial % 4 > 1; i++)
            m.x[i] *= edge[netdp_stream_below(&stream, EDGES - 2)];
        for (int i = 1; i < ROWS && trial % 5 == 0; i++) { /* all rows pull alike */
            memcpy(m.x + i * FEATURES, m.x, sizeof(double) * FEATURES);
            m.y[i] = m.y[0];
        }
        m.y[0] = (double)netdp_stream_below(&stream, 9) - 2; /* none of the classes, too */
        const netdp_objective objective = softmax(0.5, 0);
        netdp_gradient(&objective, &m.rows, (int32_t)(trial % NODES), model, 0, 1, 0, NULL,
                       gradient);
        const double norm = norm_of(gradient, SIZE);
        assert_true(norm <= 0.5 * (1 + 1e-13)); /* false for NaN */
        reached = reached || norm > 0.4;
    }
    assert_true(reached);
}

/* With two classes the margin is that of their difference. */
static void test_two_classes_are_logistic(void **state)
{
    (void)state;
    made m, signs;
    double model[2 * FEATURES], difference[FEATURES], joint[2 * FEATURES], one[FEATURES];
    netdp_stream stream = netdp_stream_at(1, NETDP_FOR_TEST, 44, 0);
    fill(&m, 5);
    fill(&signs, 5);
    for (int i = 0; i < ROWS; i++) {
        m.y[i] = m.y[i] >= 2;
        signs.y[i] = m.y[i] > 0 ? 1 : -1;
    }
    netdp_stream_normals(&stream, model, 2 * FEATURES);
    for (int j = 0; j < FEATURES; j++)
        difference[j] = model[FEATURES + j] - model[j];
    const netdp_objective logistic = {.kind = NETDP_LOGISTIC, .clip = 0.3};
    netdp_objective two = softmax(0.3 * sqrt(2), 0);
    two.parameters = 2 * FEATURES;
    assert_close(netdp_objective_value(&two, &m.rows, model),
                 netdp_objective_value(&logistic, &signs.rows, difference), 0, 1e-14);
    assert_true(netdp_score(&two, &m.rows, model) ==
                netdp_score(&logistic, &signs.rows, difference));
    netdp_gradient(&two, &m.rows, 1, model, 0, 1, 0, NULL, joint);
    netdp_gradient(&logistic, &signs.rows, 1, difference, 0, 1, 0, NULL, one);
    for (int j = 0; j < FEATURES; j++) {
        assert_close(joint[FEATURES + j], one[j], 1e-15, 1e-13);
        assert_close(joint[j], -one[j], 1e-15, 1e-13);
    }
}

/* Steps of 2 / beta expand no distance where the clip cuts nothing; where it may, nothing is said. */
static void test_smoothness(void **state)
{
    (void)state;
    double closest = 0;
    const netdp_objective cuts = softmax(1.4, 0.5), free = softmax(sqrt(2), 0);
    assert_true(isinf(netdp_smoothness_within(&cuts, 1)));
    assert_true(netdp_smoothness_within(&free, 1) == 0.5);
    for (uint64_t trial = 0; trial < 2000; trial++) {
        made m;
        double a[SIZE], b[SIZE], at_a[SIZE], at_b[SIZE], gap[SIZE];
        netdp_stream stream = netdp_stream_at(1, NETDP_FOR_TEST, 45, trial);
        fill(&m, trial);
        const double clip = 1e3, size = pow(10, (double)(trial % 4) - 2);
        const netdp_objective objective = softmax(clip, 0);
        netdp_stream_normals(&stream, a, SIZE);
        netdp_stream_normals(&stream, gap, SIZE);
        for (int j = 0; j < SIZE; j++) {
            a[j] *= size;
            b[j] = a[j] + 1e-3 * gap[j];
        }
        netdp_gradient(&objective, &m.rows, 0, a, 0, 1, 0, NULL, at_a);
        netdp_gradient(&objective, &m.rows, 0, b, 0, 1, 0, NULL, at_b);
        const double step = 2 / netdp_smoothness(&objective, &m.rows), before = norm_of(gap, SIZE);
        for (int j = 0; j < SIZE; j++)
            gap[j] += step * (at_a[j] - at_b[j]) / 1e-3;
        closest = fmax(closest, norm_of(gap, SIZE) / before);
        assert_true(norm_of(gap, SIZE) <= before * (1 + 1e-9));
    }
    assert_true(closest > 0.5);
}

/* ---- Who holds which labels ---- */

enum { DEALT = 1200, DEALERS = 24, LABELS = 5 };

static void count_labels(netdp_i_dealing how, int64_t held[DEALERS][LABELS])
{
    static const int64_t count[LABELS] = {500, 0, 300, 250, 150};
    int32_t node[DEALT], again[DEALT];
    memset(held, 0, sizeof(int64_t) * DEALERS * LABELS);
    assert_ok(netdp_i_deal_skewed(how, count, LABELS, DEALERS, 9, node, &error));
    assert_ok(netdp_i_deal_skewed(how, count, LABELS, DEALERS, 9, again, &error));
    assert_memory_equal(node, again, sizeof node);
    int64_t row = 0;
    for (int c = 0; c < LABELS; c++)
        for (int64_t i = 0; i < count[c]; i++, row++) {
            assert_in_range(node[row], 0, DEALERS - 1);
            held[node[row]][c]++;
        }
    for (int u = 0; u < DEALERS; u++) {
        int64_t all = 0;
        for (int c = 0; c < LABELS; c++)
            all += held[u][c];
        assert_int_equal(all, DEALT / DEALERS);
    }
}

/* The mean part of the label that a node has most of. */
static double sameness(netdp_i_dealing how, int *most_labels)
{
    int64_t held[DEALERS][LABELS];
    double sum = 0;
    count_labels(how, held);
    *most_labels = 0;
    for (int u = 0; u < DEALERS; u++) {
        int64_t most = 0;
        int labels = 0;
        for (int c = 0; c < LABELS; c++) {
            most = held[u][c] > most ? held[u][c] : most;
            labels += held[u][c] > 0;
        }
        sum += (double)most * DEALERS / DEALT / DEALERS;
        *most_labels = labels > *most_labels ? labels : *most_labels;
    }
    return sum;
}

static void test_deals(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",      "label",     "dirichlet:", "dirichlet:0", "dirichlet:1e7", "dirichlet:x",
        "even ", "by-label:2"};
    netdp_i_dealing how;
    int labels;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_fails(netdp_i_deal_parse(bad[i], &how, &error), NETDP_INVALID);
    assert_ok(netdp_i_deal_parse("even", &how, &error));
    const double even = sameness(how, &labels);
    assert_ok(netdp_i_deal_parse("by-label", &how, &error));
    assert_true(sameness(how, &labels) > 0.9);
    assert_true(labels <= 2);
    double last = 1;
    static const char *const spread[] = {"dirichlet:1e-6", "dirichlet:1", "dirichlet:10",
                                         "dirichlet:1e6"};
    for (size_t i = 0; i < sizeof spread / sizeof *spread; i++) {
        assert_ok(netdp_i_deal_parse(spread[i], &how, &error));
        const double now = sameness(how, &labels);
        assert_true(now < last);
        last = now;
    }
    assert_true(fabs(last - even) < 0.05);
}

static void test_labels_of_a_file(void **state)
{
    (void)state;
    static const char *const rows = "a,b,kind\n1,2,red\n2,1,blue\n0,5,green\n3,3,red\n1,1,blue\n"
                                    "4,0,green\n2,2,red\n5,1,blue\n1,6,green\n";
    static const char *const all[] = {"green", "red", "blue", "black"};
    char path[] = "/tmp/netdp-softmax-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0 && write(file, rows, strlen(rows)) == (ssize_t)strlen(rows));
    close(file);
    netdp_examples *train = NULL, *test = NULL;
    netdp_range range[] = {{.column = "a", .low = 0, .high = 9},
                           {.column = "b", .low = 0, .high = 9},
                           {.column = "kind", .values = 4, .value = all}};
    netdp_preparation how = {
        .label = "kind", .classes = true, .many = true, .split = 0.95, .nodes = 3, .seed = 2};
    assert_ok(netdp_examples_prepare(path, &how, &train, &test, NULL, &error));
    assert_int_equal(train->classes, 3);
    assert_int_equal(train->rows, 8);
    for (int c = 0; c < 3; c++) { /* all but one train, in the order blue, green, red */
        int64_t held = 0;
        for (int64_t i = 0; i < train->rows; i++)
            held += train->y[i] == c;
        assert_true(held == 2 || held == 3);
    }
    netdp_examples_free(train);
    netdp_examples_free(test);
    how.ranges = 3;
    how.range = range;
    how.features = "a, b";
    how.deal = "by-label";
    assert_ok(netdp_examples_prepare(path, &how, &train, &test, NULL, &error));
    assert_int_equal(train->classes, 4); /* black is in the list, and nowhere else */
    for (int u = 0; u < 3; u++)
        assert_true(train->y[train->start[u + 1] - 1] - train->y[train->start[u]] <= 1);
    netdp_examples_free(train);
    netdp_examples_free(test);
    range[2].values = 2;
    netdp_preparation_notes notes;
    assert_ok(netdp_examples_prepare(path, &how, &train, &test, &notes, &error));
    assert_true(notes.unlabelled == 3 && train->rows == 8 && train->classes == 2);
    netdp_examples_free(train); /* blue rows count, and are 0 */
    netdp_examples_free(test);
    range[2].value = (const char *const[]){"none", "of these"};
    assert_fails(netdp_examples_prepare(path, &how, &train, &test, NULL, &error), NETDP_INVALID);
    assert_non_null(strstr(error.text, "no row's 'kind' is one of its listed values"));
    how.many = false;
    how.ranges = 0;
    assert_fails(netdp_examples_prepare(path, &how, &train, &test, NULL, &error), NETDP_INVALID);
    assert_non_null(strstr(error.text, "exactly two"));
    unlink(path);
}

/* ---- Steps of parts, momentum, decreasing steps ---- */

typedef struct net {
    netdp_graph *graph;
    netdp_linear protocol;
} net;

static net phases(int64_t count)
{
    net n = {0};
    netdp_mixing *mixing = NULL;
    assert_ok(netdp_graph_make("ring 6", 1, true, &n.graph, NULL, &error));
    assert_ok(netdp_mixing_new(n.graph, "metropolis", &mixing, &error));
    n.protocol = (netdp_linear){.mixing = mixing,
                                .rounds = 2 * count,
                                .every = 2,
                                .reacts = true,
                                .noise.dither = 0.3,
                                .noise.end = 0.2};
    return n;
}

static void net_drop(net *n)
{
    netdp_mixing_free((netdp_mixing *)(uintptr_t)n->protocol.mixing);
    netdp_graph_free(n->graph);
}

static const netdp_run_seed seed = {3, 0};

/* Without noise, against the recursion as the proof writes it. */
static void test_phases_as_written(void **state)
{
    (void)state;
    made m;
    double got[NODES * SIZE], z[NODES * SIZE] = {0}, before[NODES * SIZE] = {0},
                                        mixed[NODES * SIZE], gradient[SIZE];
    net n = phases(4);
    fill(&m, 8);
    const netdp_learning learning = {.objective = softmax(0.4, 0.1),
                                     .train = &m.rows,
                                     .test = &m.rows,
                                     .step = 0.5,
                                     .decay = 0.5,
                                     .local = 3,
                                     .momentum = 0.8};
    assert_ok(netdp_simulate_learning(&n.protocol, &learning, seed, (netdp_tracing){.every = 2},
                                      got, &error));
    const netdp_objective bare = softmax(0.4, 0);
    for (int p = 0; p < 4; p++) {
        double y[NODES * SIZE];
        for (int i = 0; i < NODES * SIZE; i++) {
            y[i] = z[i] + 0.8 * (z[i] - before[i]);
            before[i] = z[i];
        }
        for (int u = 0; u < NODES; u++) {
            double *mine = y + u * SIZE, from[SIZE];
            memcpy(from, mine, sizeof from);
            for (int part = 0; part < 3; part++) {
                netdp_gradient(&bare, &m.rows, u, mine, 0, 1, 0, NULL, gradient);
                for (int j = 0; j < SIZE; j++)
                    mine[j] -= 0.5 / sqrt(p + 1) / 3 * (gradient[j] + 0.1 * from[j]);
            }
        }
        netdp_mixing_apply(n.protocol.mixing, y, mixed, SIZE);
        netdp_mixing_apply(n.protocol.mixing, mixed, z, SIZE);
    }
    for (int i = 0; i < NODES * SIZE; i++)
        assert_close(got[i], z[i], 1e-14, 1e-12);
    net_drop(&n);
}

/* A node's whole data replaced move its first message by 2 clip step, whatever the parts. */
static void test_sensitivity_of_parts(void **state)
{
    (void)state;
    double farthest = 0;
    net n = phases(1);
    n.protocol.rounds = n.protocol.every = 1; /* one round of a complete view: s = W (x + ...) */
    for (uint64_t trial = 0; trial < 300; trial++) {
        made one, other;
        double a[NODES * SIZE], b[NODES * SIZE], moved[SIZE] = {0};
        fill(&one, trial);
        fill(&other, trial);
        netdp_stream stream = netdp_stream_at(1, NETDP_FOR_TEST, 46, trial);
        netdp_stream_normals(&stream, other.x, EACH * FEATURES);
        for (int i = 0; i < EACH * FEATURES; i++) {
            one.x[i] = trial % 2 == 0 ? 3 + one.x[i] : one.x[i];
            other.x[i] = trial % 2 == 0 ? -one.x[i] : other.x[i];
        }
        for (int i = 1; i < EACH && trial % 2 == 0; i++) {
            memcpy(one.x + i * FEATURES, one.x, sizeof(double) * FEATURES);
            memcpy(other.x + i * FEATURES, other.x, sizeof(double) * FEATURES);
        }
        for (int i = 0; i < EACH && trial % 2 == 0; i++)
            one.y[i] = other.y[i] = 1;
        netdp_learning learning = {.objective = softmax(0.01, 0.5),
                                   .train = &one.rows,
                                   .test = &one.rows,
                                   .step = 0.5,
                                   .local = 1 + (int64_t)(trial % 7)};
        assert_ok(netdp_simulate_learning(&n.protocol, &learning, seed, (netdp_tracing){.every = 1},
                                          a, &error));
        learning.train = &other.rows;
        assert_ok(netdp_simulate_learning(&n.protocol, &learning, seed, (netdp_tracing){.every = 1},
                                          b, &error));
        for (int u = 0; u < NODES; u++) /* the columns of W add up to 1 */
            for (int j = 0; j < SIZE; j++)
                moved[j] += a[u * SIZE + j] - b[u * SIZE + j];
        farthest = fmax(farthest, norm_of(moved, SIZE));
    }
    assert_true(farthest <= 2 * 0.01 * 0.5 * (1 + 1e-12));
    assert_true(farthest > 0.99 * 2 * 0.01 * 0.5);
    net_drop(&n);
}

/* All noise of a phase shrinks with its step: without gradients the last phase's is what is left. */
static void test_noise_shrinks_with_the_step(void **state)
{
    (void)state;
    made m;
    double whole[NODES * SIZE], first[NODES * SIZE], both[NODES * SIZE];
    fill(&m, 2);
    for (int i = 0; i < ROWS * FEATURES; i++)
        m.x[i] = 0;
    net one = phases(1), two = phases(2);
    netdp_learning learning = {
        .objective = softmax(1, 0), .train = &m.rows, .test = &m.rows, .step = 1, .noise = 1};
    const netdp_tracing silent = {.every = 2};
    assert_ok(netdp_simulate_learning(&one.protocol, &learning, seed, silent, first, &error));
    assert_ok(netdp_simulate_learning(&two.protocol, &learning, seed, silent, whole, &error));
    learning.decay = 2;
    assert_ok(netdp_simulate_learning(&two.protocol, &learning, seed, silent, both, &error));
    double mixed[NODES * SIZE], twice[NODES * SIZE];
    netdp_mixing_apply(one.protocol.mixing, first, mixed, SIZE);
    netdp_mixing_apply(one.protocol.mixing, mixed, twice, SIZE);
    for (int i = 0; i < NODES * SIZE;
         i++) /* W^2 first + noise of the second phase, a quarter of it */
        assert_close(both[i] - twice[i], (whole[i] - twice[i]) / 4, 1e-12, 1e-10);
    learning = (netdp_learning){
        .objective = softmax(1, 0), .train = &m.rows, .test = &m.rows, .step = 1, .momentum = 0.5};
    one.protocol.steady = true; /* gossip-sgd releases nothing */
    one.protocol.noise.dither = one.protocol.noise.end = 0;
    assert_fails(netdp_simulate_learning(&one.protocol, &learning, seed, silent, first, &error),
                 NETDP_INVALID);
    net_drop(&one);
    one = phases(1);
    one.protocol.cycle = 2; /* an account of half the phases, but every row in all of them */
    learning.momentum = 0;
    assert_fails(netdp_simulate_learning(&one.protocol, &learning, seed, silent, first, &error),
                 NETDP_INVALID);
    learning.batches = (netdp_batches){NETDP_BATCHES_CYCLIC, 2, 0};
    assert_ok(netdp_simulate_learning(&one.protocol, &learning, seed, silent, first, &error));
    net_drop(&one);
    net_drop(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients_are_derivatives),
        cmocka_unit_test(test_clip_is_of_all_classes_together),
        cmocka_unit_test(test_two_classes_are_logistic),
        cmocka_unit_test(test_smoothness),
        cmocka_unit_test(test_deals),
        cmocka_unit_test(test_labels_of_a_file),
        cmocka_unit_test(test_phases_as_written),
        cmocka_unit_test(test_sensitivity_of_parts),
        cmocka_unit_test(test_noise_shrinks_with_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Gossip on changing networks as it runs: the error of its noise, what its real messages tell
 * against an independent dense model and the accountant, the messages it counts, and who steps.
 *
 * Draws come from fixed seeds. Comparisons allow 5 standard errors; with new seeds one of about 150
 * would fail by chance with probability 1e-4.
 */
#include "check.h"

#include <lapacke.h>
#include <netdp/account.h>
#include <netdp/simulate.h>

#include "simulate/gossip.h"

enum { NODES = 9, SOURCES = 400, ROWS = 200, RUNS = 4000, OBSERVER = 1, VICTIM = 4 };

static netdp_error error;

typedef struct net {
    netdp_graph *graph;
    netdp_mixing *mixing;
} net;

static net net_make(void)
{
    net made = {NULL, NULL};
    assert_ok(netdp_graph_make("erdos-renyi 9 0.4", 3, true, &made.graph, NULL, &error));
    assert_ok(netdp_mixing_new(made.graph, "metropolis", &made.mixing, &error));
    return made;
}

static void net_drop(net n)
{
    netdp_mixing_free(n.mixing);
    netdp_graph_free(n.graph);
}

static const netdp_variation variations[] = {
    {.kind = NETDP_VARY_EDGE, .seed = 5},
    {.kind = NETDP_VARY_NODES, .missing = 0.3, .seed = 5},
    {.kind = NETDP_VARY_EDGES, .missing = 0.4, .seed = 5},
    {.kind = NETDP_VARY_GRAPH, .probability = 0.4, .span = 2, .seed = 5},
};
enum { VARIATIONS = sizeof variations / sizeof *variations };

/* Averaging, streams, phases with an end dither, and senders only. */
static netdp_linear protocol_of(net n, int shape, int variation)
{
    netdp_linear p = {
        .mixing = n.mixing, .rounds = 8, .noise.dither = 0.2, .varying = variations[variation]};
    if (shape == 1) {
        p.every = 2;
        p.steady = true;
    } else if (shape == 2) {
        p.every = 4;
        p.noise.end = 0.3;
        p.reacts = true;
    } else if (shape == 3) {
        p.every = 1;
        p.steady = p.reacts = p.senders_only = true;
    }
    return p;
}
enum { SHAPES = 4 };

/* ---- The dense model of the view: its rows over the noises, and what a contribution does ---- */

typedef struct model {
    int rows, sources;
    double row[ROWS][SOURCES + 1]; /* last: the victim contributes 1 whenever it may */
    int round[ROWS], node[ROWS];
    double direction[ROWS]; /* K^+ g */
    double loss;            /* g^T K^+ g */
} model;

static bool sends(const netdp_round *round, int32_t v)
{
    return round->rows.start[v + 1] - round->rows.start[v] > 1;
}

static bool contributes(const netdp_linear *p, const netdp_round *round, int64_t t, int32_t v)
{
    return (p->every > 0 ? t % p->every == 0 : t == 0) && (!p->senders_only || sends(round, v));
}

static void fill_rows(const netdp_linear *p, model *m)
{
    static double state[NODES][SOURCES + 1], message[NODES][SOURCES + 1];
    netdp_sequence *sequence = NULL;
    memset(m, 0, sizeof *m);
    memset(state, 0, sizeof state);
    assert_ok(netdp_sequence_new(p->mixing, &p->varying, &sequence, &error));
    for (int t = 0; t < p->rounds; t++) {
        netdp_round round;
        assert_ok(netdp_sequence_round(sequence, t, &round, &error));
        memcpy(message, state, sizeof state);
        for (int32_t v = 0; v < NODES; v++) {
            const bool unit = contributes(p, &round, t, v);
            if (unit || sends(&round, v))
                message[v][m->sources++] = unit || p->steady ? 1 : p->noise.dither;
            if (unit && v == VICTIM)
                message[v][SOURCES] += 1;
        }
        for (int32_t v = 0; v < NODES; v++) {
            bool seen = v == OBSERVER;
            for (int64_t j = round.rows.start[v]; j < round.rows.start[v + 1]; j++)
                seen = seen || round.rows.column[j] == OBSERVER;
            if (!seen)
                continue;
            m->round[m->rows] = t;
            m->node[m->rows] = v;
            memcpy(m->row[m->rows++], message[v], sizeof message[v]);
        }
        memset(state, 0, sizeof state);
        for (int32_t v = 0; v < NODES; v++)
            for (int64_t j = round.rows.start[v]; j < round.rows.start[v + 1]; j++)
                for (int k = 0; k <= SOURCES; k++)
                    state[v][k] += round.rows.weight[j] * message[round.rows.column[j]][k];
        for (int32_t v = 0; p->noise.end > 0 && (t + 1) % p->every == 0 && v < NODES; v++)
            state[v][m->sources++] = p->noise.end;
    }
    assert_true(m->sources <= SOURCES && m->rows <= ROWS);
    netdp_sequence_free(sequence);
}

static void solve(model *m)
{
    static double k[ROWS * ROWS], values[ROWS];
    const int r = m->rows;
    for (int a = 0; a < r; a++)
        for (int b = 0; b < r; b++) {
            k[b * r + a] = 0;
            for (int j = 0; j < m->sources; j++)
                k[b * r + a] += m->row[a][j] * m->row[b][j];
        }
    assert_int_equal(LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', r, k, r, values), 0);
    for (int e = 0; e < r; e++) {
        double along = 0;
        if (values[e] <= 1e-11 * values[r - 1])
            continue;
        for (int a = 0; a < r; a++)
            along += k[e * r + a] * m->row[a][SOURCES];
        m->loss += along * along / values[e];
        for (int a = 0; a < r; a++)
            m->direction[a] += along / values[e] * k[e * r + a];
    }
}

/* ---- The real messages ---- */

typedef struct replay {
    const netdp_linear *protocol;
    const model *model;
    netdp_sequence *sequence;
    double value; /* of the victim */
    double statistic[RUNS];
} replay;

static void contribute(void *context, int64_t t, double *message)
{
    replay *r = context;
    netdp_round round;
    assert_ok(netdp_sequence_round(r->sequence, t, &round, &error));
    for (int64_t j = 0; contributes(r->protocol, &round, t, VICTIM) && j < RUNS; j++)
        message[VICTIM * (int64_t)RUNS + j] += r->value;
}

static void observe(void *context, int64_t t, double *message)
{
    replay *r = context;
    for (int a = 0; a < r->model->rows; a++)
        for (int64_t j = 0; r->model->round[a] == t && j < RUNS; j++)
            r->statistic[j] +=
                r->model->direction[a] * message[r->model->node[a] * (int64_t)RUNS + j];
}

static bool go_on(void *context, int64_t step, const double *state)
{
    (void)context, (void)step, (void)state;
    return true;
}

static void moments(const double *x, double *mean, double *variance)
{
    *mean = *variance = 0;
    for (int j = 0; j < RUNS; j++)
        *mean += x[j] / RUNS;
    for (int j = 0; j < RUNS; j++)
        *variance += (x[j] - *mean) * (x[j] - *mean) / (RUNS - 1);
}

/* What the accountant says of the same contributions: all ones. */
static double accounted(const netdp_linear *p)
{
    const double ones[] = {1, 1, 1, 1, 1, 1, 1, 1};
    const int32_t from = VICTIM, to = OBSERVER;
    netdp_losses *losses = NULL;
    const netdp_loss_request request = {.protocol = p,
                                        .bound = p->every == 0 ? NETDP_BOUND_EXACT
                                                 : p->reacts   ? NETDP_BOUND_LINEAR
                                                               : NETDP_BOUND_LOWER,
                                        .pattern = p->every > 0 ? ones : NULL,
                                        .from_count = 1,
                                        .from = &from,
                                        .to_count = 1,
                                        .to = &to};
    assert_ok(netdp_losses_new(&request, NULL, &losses, &error));
    const double loss = losses->loss[0];
    netdp_losses_free(losses);
    return loss;
}

/* The best linear statistic of the real messages moves and varies as the model and account say. */
static void test_real_messages_tell_what_is_accounted(void **state)
{
    (void)state;
    static model m;
    static replay world[2];
    static double start[NODES * RUNS];
    int telling = 0;
    const net n = net_make();
    for (int shape = 0; shape < SHAPES; shape++)
        for (int k = 0; k < VARIATIONS; k++) {
            if (shape == 3 && k == 3)
                continue;
            const netdp_linear p = protocol_of(n, shape, k);
            double mean[2], variance[2];
            fill_rows(&p, &m);
            solve(&m);
            assert_close(accounted(&p), m.loss, 1e-8, 1e-8);
            for (int w = 0; w < 2; w++) {
                const netdp_i_round_hooks rounds = {.contribute = contribute,
                                                    .report = go_on,
                                                    .context = &world[w],
                                                    .observe = observe};
                world[w] = (replay){.protocol = &p, .model = &m, .value = w};
                assert_ok(netdp_sequence_new(n.mixing, &p.varying, &world[w].sequence, &error));
                memset(start, 0, sizeof start);
                assert_ok(netdp_i_gossip(&p, 1, RUNS, (netdp_run_seed){11, (uint64_t)w}, &rounds,
                                         start, &error));
                netdp_sequence_free(world[w].sequence);
                moments(world[w].statistic, &mean[w], &variance[w]);
                /* d^T K d = g^T K^+ g = loss; 4 RUNS fourth moments of a normal */
                assert_close(variance[w], m.loss, 1e-12, 5 * sqrt(2.0 / RUNS));
            }
            assert_close(mean[1] - mean[0], m.loss, 1e-12 + 5 * sqrt(2 * m.loss / RUNS), 0);
            telling += m.loss > 0.01;
        }
    assert_true(telling >= 10);
    net_drop(n);
}

static bool keep_last(void *context, const netdp_trace_row *row)
{
    *(netdp_trace_row *)context = *row;
    return true;
}

/* Half the mean squared error of the results, and the messages: 2 for each active edge. */
static void test_error_of_the_noise_and_messages(void **state)
{
    (void)state;
    static double values[NODES * RUNS], result[NODES * RUNS];
    const net n = net_make();
    for (int k = 0; k < VARIATIONS; k++) {
        const netdp_linear p = protocol_of(n, 0, k);
        netdp_sequence *sequence = NULL;
        netdp_trace_row last;
        double predicted = 0, sum = 0, squares = 0, messages = 0;
        assert_ok(netdp_simulate(&p, 1, values, RUNS, (netdp_run_seed){3, 0},
                                 (netdp_tracing){3, keep_last, &last, NULL}, result, &error));
        assert_ok(netdp_noise_error(&p, &predicted, &error));
        for (int j = 0; j < RUNS; j++) {
            double mine = 0;
            for (int v = 0; v < NODES; v++)
                mine += result[v * RUNS + j] * result[v * RUNS + j] / (2.0 * NODES);
            sum += mine / RUNS;
            squares += mine * mine / RUNS;
        }
        assert_close(sum, predicted, 5 * sqrt((squares - sum * sum) / RUNS), 0);
        assert_ok(netdp_sequence_new(n.mixing, &p.varying, &sequence, &error));
        for (int64_t t = 0; t < p.rounds; t++) {
            netdp_round round;
            assert_ok(netdp_sequence_round(sequence, t, &round, &error));
            messages += 2.0 * (double)round.edges;
        }
        assert_true(last.messages == messages && last.bytes == 8.0 * RUNS * messages);
        netdp_sequence_free(sequence);
    }
    net_drop(n);
}

/* Without noise: only the two ends step, each at its own model, and take the mean. */
static void test_asynchronous_steps_by_hand(void **state)
{
    (void)state;
    enum { ROUNDS = 60, WIDTH = 2 };
    double x[NODES * WIDTH], y[NODES], hand[NODES][WIDTH], got[NODES * WIDTH];
    int64_t starts[NODES + 1];
    const net n = net_make();
    const netdp_linear p = {.mixing = n.mixing,
                            .rounds = ROUNDS,
                            .every = 1,
                            .steady = true,
                            .reacts = true,
                            .senders_only = true,
                            .varying = variations[0]};
    for (int v = 0; v < NODES; v++) {
        starts[v] = v;
        x[WIDTH * v] = v % 2 == 0 ? 0.5 : -0.5;
        x[WIDTH * v + 1] = 0.1 * v;
        y[v] = v % 3 == 0 ? 1 : -1;
    }
    starts[NODES] = NODES;
    const netdp_examples rows = {NODES, WIDTH, x, y, NODES, starts, NULL, 0};
    const netdp_learning learning = {.objective = {.kind = NETDP_LOGISTIC, .clip = INFINITY},
                                     .train = &rows,
                                     .test = &rows,
                                     .step = 0.7};
    netdp_trace_row last;
    netdp_sequence *sequence = NULL;
    memset(hand, 0, sizeof hand);
    assert_ok(netdp_sequence_new(n.mixing, &p.varying, &sequence, &error));
    for (int64_t t = 0; t < ROUNDS; t++) {
        netdp_round round;
        assert_ok(netdp_sequence_round(sequence, t, &round, &error));
        for (int i = 0; i < 2; i++) {
            double gradient[WIDTH], *mine = hand[round.active[i]];
            netdp_gradient(&learning.objective, &rows, round.active[i], mine, 0, 0, 0, NULL,
                           gradient);
            for (int j = 0; j < WIDTH; j++)
                mine[j] -= 0.7 * gradient[j];
        }
        for (int j = 0; j < WIDTH; j++) {
            double *one = &hand[round.active[0]][j], *two = &hand[round.active[1]][j];
            *one = *two = 0.5 * *one + 0.5 * *two;
        }
    }
    netdp_sequence_free(sequence);
    assert_ok(netdp_simulate_learning(&p, &learning, (netdp_run_seed){1, 0},
                                      (netdp_tracing){1, keep_last, &last, NULL}, got, &error));
    for (int v = 0; v < NODES; v++)
        for (int j = 0; j < WIDTH; j++)
            assert_close(got[v * WIDTH + j], hand[v][j], 1e-14, 1e-14);
    assert_true(last.messages == 2.0 * ROUNDS);
    net_drop(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_real_messages_tell_what_is_accounted),
        cmocka_unit_test(test_error_of_the_noise_and_messages),
        cmocka_unit_test(test_asynchronous_steps_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

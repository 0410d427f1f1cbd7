/*
 * Grey-box replay: every protocol runs twice with the same randomness on neighbouring inputs, one
 * node's whole data replaced. What the node contributes may move by the declared sensitivity at
 * most, what the others contribute and every draw of noise not at all.
 */
#include "check.h"

#include <netdp/random.h>

#include "simulate/gossip.h"

enum { NODES = 12, MOST_ROUNDS = 12, WIDTH = 3, VICTIM = 5 };

static netdp_error error;
static const netdp_tracing silent = {.every = 1};
static const netdp_run_seed seed = {77, 3};

typedef struct net {
    netdp_graph *graph;
    netdp_mixing *mixing;
} net;

static net ring(void)
{
    net made = {NULL, NULL};
    assert_ok(netdp_graph_make("ring 12", 3, true, &made.graph, NULL, &error));
    assert_ok(netdp_mixing_new(made.graph, "metropolis", &made.mixing, &error));
    return made;
}

static void net_drop(net n)
{
    netdp_mixing_free(n.mixing);
    netdp_graph_free(n.graph);
}

/* ---- Rounds that are told what to contribute: streams and averaging ---- */

typedef struct tape {
    int64_t rounds;
    double value[MOST_ROUNDS][NODES][WIDTH];     /* contributions, in rounds that take them */
    double message[MOST_ROUNDS][NODES][WIDTH];   /* as sent */
    double state[MOST_ROUNDS + 1][NODES][WIDTH]; /* before each round */
    int contributions, heard;
} tape;

static void contribute(void *context, int64_t round, double *message)
{
    tape *t = context;
    t->contributions++;
    for (int i = 0; i < NODES * WIDTH; i++)
        message[i] += t->value[round][i / WIDTH][i % WIDTH];
}

static bool report(void *context, int64_t step, const double *state)
{
    tape *t = context;
    memcpy(t->state[step], state, sizeof t->state[step]);
    return true;
}

static void observe(void *context, int64_t round, double *message)
{
    tape *t = context;
    t->heard++;
    memcpy(t->message[round], message, sizeof t->message[round]);
}

static void play(const netdp_linear *p, double noise, tape *t)
{
    double state[NODES * WIDTH] = {0};
    const netdp_i_round_hooks rounds = {
        .contribute = contribute, .report = report, .context = t, .observe = observe};
    t->contributions = t->heard = 0;
    memset(t->state[0], 0, sizeof t->state[0]);
    assert_ok(netdp_i_gossip(p, noise, WIDTH, seed, &rounds, state, &error));
    assert_memory_equal(state, t->state[p->rounds], sizeof state);
}

/* What a round added to the state of a node, coordinate j, besides its contribution. */
static double noise_of(const netdp_linear *p, const tape *t, int64_t round, int node, int j)
{
    const double value = netdp_linear_contributes(p, round) ? t->value[round][node][j] : 0;
    return t->message[round][node][j] - t->state[round][node][j] - value;
}

/* Both tapes carry the noise that the description asks for, draw by draw. */
static void check_noise(const netdp_linear *p, double noise, const tape *a, const tape *b)
{
    for (int64_t t = 0; t < p->rounds; t++)
        for (int u = 0; u < NODES; u++) {
            double want[WIDTH] = {0};
            const bool unit = p->steady || netdp_linear_contributes(p, t);
            const double dither = p->noise.dither / pow((double)t, p->noise.decay);
            netdp_i_node_noise(want, u, WIDTH, noise * (unit ? 1 : dither), seed, t, 0);
            for (int j = 0; j < WIDTH; j++) {
                assert_true(want[j] != 0);
                assert_close(noise_of(p, a, t, u, j), want[j], 1e-13, 0);
                assert_close(noise_of(p, b, t, u, j), want[j], 1e-13, 0);
            }
        }
}

/* Who is not reached by the victim's change sends the same bytes. */
static void check_reach(const netdp_linear *p, const tape *a, const tape *b)
{
    for (int64_t t = 0; t < p->rounds; t++)
        for (int u = 0; u < NODES; u++) {
            const int away = abs(u - VICTIM), distance = away < NODES - away ? away : NODES - away;
            if (distance > t)
                assert_memory_equal(a->message[t][u], b->message[t][u], sizeof a->message[t][u]);
            else if (distance == t)
                assert_memory_not_equal(a->message[t][u], b->message[t][u],
                                        sizeof a->message[t][u]);
        }
}

static void test_streams_and_averaging(void **state)
{
    (void)state;
    static tape a, b;
    net n = ring();
    const struct {
        const char *name;
        netdp_settings settings;
        int contributions;
    } cases[] = {
        {"averaging", {.rounds = 8, .noise.dither = 0.1}, 1},
        {"averaging", {.rounds = 8, .noise.dither = 0.1, .accelerate = true}, 1},
        {"averaging", {.rounds = 8, .noise.dither = 0.6, .noise.decay = 0.9}, 1},
        {"averaging", {.rounds = 8, .noise.dither = 0.6, .noise.decay = 2, .accelerate = true}, 1},
        {"stream", {.rounds = 8, .every = 1}, 8},
        {"stream", {.rounds = 8, .every = 3}, 3},
        {"gossip-sgd", {.rounds = 8}, 8},
        {"muffliato-sgd", {.rounds = 8, .inner = 4, .noise.dither = 0.1, .noise.end = 0.2}, 2},
        {"muffliato-sgd",
         {.rounds = 8, .inner = 4, .noise.dither = 0.1, .noise.end = 0.2, .accelerate = true},
         2},
    };
    netdp_stream stream = netdp_stream_at(3, NETDP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const netdp_protocol *named = NULL;
        assert_ok(netdp_protocol_find(cases[i].name, &named, &error));
        const netdp_linear p = netdp_protocol_describe(named, n.mixing, &cases[i].settings);
        for (int64_t t = 0; t < p.rounds; t++)
            for (int u = 0; u < NODES; u++)
                for (int j = 0; j < WIDTH; j++) {
                    a.value[t][u][j] = netdp_stream_uniform(&stream);
                    b.value[t][u][j] = u == VICTIM ? -a.value[t][u][j] : a.value[t][u][j];
                }
        play(&p, 0.7, &a);
        play(&p, 0.7, &b);
        assert_int_equal(a.contributions, cases[i].contributions);
        assert_int_equal(b.contributions, cases[i].contributions);
        assert_int_equal(a.heard, p.rounds);
        check_noise(&p, 0.7, &a, &b);
        check_reach(&p, &a, &b);
    }
    net_drop(n);
}

/* ---- Single rounds of the simulator on real inputs ---- */

/* The states after one round. */
typedef struct capture {
    int64_t round;
    double state[NODES * WIDTH];
} capture;

static netdp_status keep(void *context, const netdp_i_standing *at, bool stopping, netdp_error *e)
{
    (void)stopping, (void)e;
    capture *c = context;
    if (at->round == c->round)
        memcpy(c->state, at->state, sizeof c->state);
    return NETDP_OK;
}

static double weight_between(net n, int u, int v)
{
    const netdp_rows r = netdp_mixing_rows(n.mixing);
    for (int64_t i = r.start[u]; i < r.start[u + 1]; i++)
        if (r.column[i] == v)
            return r.weight[i];
    return 0;
}

/*
 * The norm by which the victim's message moved, from the states after the round: they move by its
 * column of W, the others' not at all.
 */
static double moved(net n, const capture *a, const capture *b, double rounding)
{
    double shift[WIDTH], square = 0;
    for (int j = 0; j < WIDTH; j++) {
        const int at = VICTIM * WIDTH + j;
        shift[j] = (b->state[at] - a->state[at]) / weight_between(n, VICTIM, VICTIM);
        square += shift[j] * shift[j];
    }
    for (int u = 0; u < NODES; u++)
        for (int j = 0; j < WIDTH; j++) {
            const int at = u * WIDTH + j;
            const double weight = weight_between(n, u, VICTIM);
            if (weight == 0)
                assert_memory_equal(&a->state[at], &b->state[at], sizeof a->state[at]);
            else
                assert_close(b->state[at] - a->state[at], weight * shift[j], rounding, 0);
        }
    return sqrt(square);
}

/* Averaging of values within bounds: the whole difference of the bounds, and no more. */
static void test_averaging_moves_by_its_bounds(void **state)
{
    (void)state;
    net n = ring();
    for (int fast = 0; fast < 2; fast++) {
        const netdp_linear p = {
            .mixing = n.mixing, .rounds = 4, .noise.dither = 0.1, .accelerate = fast == 1};
        double values[2][NODES * WIDTH], result[NODES * WIDTH];
        capture after[2];
        for (int world = 0; world < 2; world++) {
            for (int i = 0; i < NODES * WIDTH; i++)
                values[world][i] = i / WIDTH == VICTIM ? (world == 0 ? -2 : 3) : i % 5 - 2;
            for (int i = 0; world == 1 && i < WIDTH - 1; i++)
                values[1][VICTIM * WIDTH + i] = -2; /* one coordinate moves by 5 */
            after[world].round = 1;
            const netdp_i_saving saving = {.save = keep, .context = &after[world]};
            assert_ok(netdp_i_simulate(&p, 0.6, values[world], WIDTH, seed, silent, &saving, result,
                                       &error));
        }
        assert_close(moved(n, &after[0], &after[1], 1e-13), 5, 1e-12, 0);
    }
    net_drop(n);
}

/* ---- Learning on data that nobody should send ---- */

enum { ROWS = 4, KINDS = 9, STANDINGS = 3 };

typedef struct dealt {
    netdp_examples examples;
    double x[(NODES - 1) * ROWS * WIDTH + 2 * ROWS * WIDTH];
    double y[(NODES + 1) * ROWS];
    int64_t start[NODES + 1];
} dealt;

static double extreme(int kind, int64_t row, int j)
{
    const double table[KINDS] = {1,
                                 -1,
                                 1e300 * (j % 2 == 0 ? 1 : -1),
                                 -1e300,
                                 0,
                                 -0.0,
                                 1e-310,
                                 row % 2 == 0 ? 1e308 : 0,
                                 row % 2 == 0 ? 1e-200 : 1e200};
    return table[kind];
}

/* Every node's rows from one stream, the victim's by kind; it also has more or fewer of them. */
static void deal(dealt *d, netdp_objective_kind objective, int kind, int64_t victim_rows)
{
    netdp_stream stream = netdp_stream_at(21, NETDP_FOR_TEST, 0, 0);
    int64_t row = 0;
    for (int u = 0; u < NODES; u++) {
        d->start[u] = row;
        const int64_t rows = u == VICTIM ? victim_rows : ROWS;
        for (int64_t i = 0; i < rows; i++, row++) {
            for (int j = 0; j < WIDTH; j++)
                d->x[row * WIDTH + j] =
                    u == VICTIM ? extreme(kind, i, j) : 4 * netdp_stream_uniform(&stream) - 2;
            const double sign = u != VICTIM && netdp_stream_bits(&stream) % 2 == 0 ? -1 : 1;
            d->y[row] = objective == NETDP_RIDGE && u == VICTIM && kind % 2 == 1 ? -1e300 : sign;
        }
    }
    d->start[NODES] = row;
    d->examples = (netdp_examples){
        .rows = row, .features = WIDTH, .x = d->x, .y = d->y, .nodes = NODES, .start = d->start};
}

static netdp_learning learn_from(const dealt *d, netdp_objective_kind kind, double clip)
{
    return (netdp_learning){.objective = {.kind = kind, .clip = clip, .l2 = 0.01},
                            .train = &d->examples,
                            .test = &d->examples,
                            .step = 0.5,
                            .noise = 0.8};
}

/* The first round of phase `phase`, from a given standing. */
static void step_once(const netdp_linear *p, const netdp_learning *l, int64_t phase,
                      const double *standing, capture *after)
{
    double model[NODES * WIDTH];
    const netdp_i_standing from = {phase * p->every, standing, standing};
    const netdp_i_saving saving = {.save = keep, .context = after, .from = &from};
    after->round = phase * p->every + 1;
    assert_ok(netdp_i_simulate_learning(p, l, seed, silent, &saving, model, &error));
}

static void fill_standing(double *standing, double size)
{
    netdp_stream stream = netdp_stream_at(22, NETDP_FOR_TEST, 0, 0);
    netdp_stream_normals(&stream, standing, NODES * WIDTH);
    for (int i = 0; i < NODES * WIDTH; i++)
        standing[i] *= size;
}

static const netdp_linear *learning_protocols(net n)
{
    static netdp_linear p[3];
    p[0] =
        (netdp_linear){.mixing = n.mixing, .rounds = 2, .every = 1, .steady = true, .reacts = true};
    p[1] = (netdp_linear){.mixing = n.mixing,
                          .rounds = 6,
                          .noise.dither = 0.1,
                          .every = 3,
                          .reacts = true,
                          .noise.end = 0.2};
    p[2] = p[1];
    p[2].accelerate = true;
    return p;
}

/* 2 clip per contribution, in units of the step, whatever the rows are; and that is reached. */
static void test_gradients_move_by_two_clips(void **state)
{
    (void)state;
    static dealt data[2];
    const double clip = 0.4, sizes[STANDINGS] = {0, 1, 1e3};
    net n = ring();
    double most = 0;
    for (int which = 0; which < 3; which++)
        for (int objective = NETDP_LOGISTIC; objective <= NETDP_RIDGE; objective++)
            for (int pair = 0; pair < KINDS * KINDS; pair++)
                for (int s = 0; s < STANDINGS; s++) {
                    const netdp_linear *p = learning_protocols(n) + which;
                    double standing[NODES * WIDTH];
                    capture after[2];
                    fill_standing(standing, sizes[s]);
                    for (int world = 0; world < 2; world++) {
                        const int kind = world == 0 ? pair % KINDS : pair / KINDS;
                        deal(&data[world], (netdp_objective_kind)objective, kind,
                             world == 0 ? ROWS : 1 + pair % (2 * ROWS));
                        netdp_learning l =
                            learn_from(&data[world], (netdp_objective_kind)objective, clip);
                        l.batch = pair % 3;
                        step_once(p, &l, s % 2, standing, &after[world]);
                    }
                    const double rounding = 1e-13 * (1 + sizes[s]);
                    const double by = moved(n, &after[0], &after[1], rounding);
                    if (by > 2 * clip * 0.5 + 10 * rounding)
                        fail_msg("protocol %d, objective %d, rows %d against %d: moved by %.17g, "
                                 "at most %.17g",
                                 which, objective, pair % KINDS, pair / KINDS, by, clip);
                    most = fmax(most, by);
                }
    assert_close(most, 2 * clip * 0.5, 0, 1e-9);
    net_drop(n);
}

/* With a clip of 0 nothing of the data is left: whole runs are the same bytes, so no draw and no
   branch of the noise depends on data. */
static void test_noise_and_draws_do_not_depend_on_data(void **state)
{
    (void)state;
    static dealt data;
    net n = ring();
    for (int which = 0; which < 3; which++)
        for (int objective = NETDP_LOGISTIC; objective <= NETDP_RIDGE; objective++) {
            double first[NODES * WIDTH], model[NODES * WIDTH];
            for (int kind = 0; kind < KINDS; kind++) {
                deal(&data, (netdp_objective_kind)objective, kind, 1 + kind % (2 * ROWS));
                netdp_learning l = learn_from(&data, (netdp_objective_kind)objective, 0);
                l.batch = kind % 3;
                assert_ok(netdp_simulate_learning(learning_protocols(n) + which, &l, seed, silent,
                                                  model, &error));
                for (int i = 0; i < NODES * WIDTH; i++)
                    assert_true(isfinite(model[i]) && model[i] != 0);
                if (kind == 0)
                    memcpy(first, model, sizeof first);
                assert_memory_equal(model, first, sizeof first);
            }
        }
    net_drop(n);
}

/* A batch picks its rows by their number alone: another row changes the gradient where the batch
   has it, by 2 clip / batch at most, and elsewhere not a bit. */
static void test_batches_do_not_depend_on_data(void **state)
{
    (void)state;
    static dealt data[2];
    net n = ring();
    netdp_linear gossip = {.mixing = n.mixing, .every = 1, .steady = true, .reacts = true};
    double standing[NODES * WIDTH] = {0};
    int changed = 0;
    for (int world = 0; world < 2; world++)
        deal(&data[world], NETDP_LOGISTIC, 0, ROWS);
    for (int64_t i = 0; i < ROWS * WIDTH; i++) { /* rows of which no two are alike */
        const double value = 10 * cos((double)(i * i));
        const bool replaced = i / WIDTH == 1;
        data[0].x[data[0].start[VICTIM] * WIDTH + i] = value;
        data[1].x[data[1].start[VICTIM] * WIDTH + i] = replaced ? -1e250 * value : value;
    }
    enum { TIMES = 200 };
    for (int64_t t = 0; t < TIMES; t++) {
        capture after[2];
        gossip.rounds = t + 1;
        for (int world = 0; world < 2; world++) {
            netdp_learning l = learn_from(&data[world], NETDP_LOGISTIC, 0.4);
            l.batch = 2;
            step_once(&gossip, &l, t, standing, &after[world]);
        }
        const double by = moved(n, &after[0], &after[1], 1e-13);
        if (memcmp(after[0].state, after[1].state, sizeof after[0].state) == 0)
            continue; /* the row is not in the batch */
        assert_close(by, 2 * 0.4 / 2 * 0.5, 1e-12, 0);
        changed++;
    }
    /* the row is in half of the batches: 100 of 200, standard deviation 7 */
    assert_in_range(changed, 65, 135);
    net_drop(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams_and_averaging),
        cmocka_unit_test(test_averaging_moves_by_its_bounds),
        cmocka_unit_test(test_gradients_move_by_two_clips),
        cmocka_unit_test(test_noise_and_draws_do_not_depend_on_data),
        cmocka_unit_test(test_batches_do_not_depend_on_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

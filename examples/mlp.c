/*
 * A neural network as an objective of one's own, learnt by gossip.
 *
 * 1,024 nodes of a hypercube hold 4 points each of two rings, one inside the other, which no line
 * parts. A network of one hidden layer is learnt by Muffliato-SGD: every row's gradient is clipped,
 * and the account of released phases asks nothing of the loss, not even that it is convex.
 */
#include <netdp/netdp.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 1024, EACH = 4, ROWS = NODES * EACH, FEATURES = 3, HIDDEN = 8 };
enum { PARAMETERS = HIDDEN * FEATURES + HIDDEN, PHASES = 30, INNER = 10 };

/*
 * Models start at 0, where all hidden units are alike. So the weights are these public numbers plus
 * the model: [HIDDEN][FEATURES] of the hidden units, and [HIDDEN] of the output.
 */
static double start[PARAMETERS];

/* The output, and what the hidden units say. */
static double output_of(netdp_row row, double *hidden)
{
    double sum = 0;
    for (int h = 0; h < HIDDEN; h++) {
        double in = 0;
        for (int j = 0; j < FEATURES; j++)
            in += (start[h * FEATURES + j] + row.model[h * FEATURES + j]) * row.x[j];
        hidden[h] = tanh(in);
        sum += (start[HIDDEN * FEATURES + h] + row.model[HIDDEN * FEATURES + h]) * hidden[h];
    }
    return sum;
}

static double value(void *context, netdp_row row)
{
    (void)context;
    double hidden[HIDDEN];
    const double margin = row.y * output_of(row, hidden);
    return log1p(exp(-fabs(margin))) + fmax(-margin, 0);
}

static void gradient(void *context, netdp_row row, double *into)
{
    (void)context;
    double hidden[HIDDEN];
    const double slope = -row.y / (1 + exp(row.y * output_of(row, hidden)));
    for (int h = 0; h < HIDDEN; h++) {
        const double weight = start[HIDDEN * FEATURES + h] + row.model[HIDDEN * FEATURES + h];
        into[HIDDEN * FEATURES + h] = slope * hidden[h];
        for (int j = 0; j < FEATURES; j++)
            into[h * FEATURES + j] = slope * weight * (1 - hidden[h] * hidden[h]) * row.x[j];
    }
}

static double score(void *context, netdp_row row)
{
    (void)context;
    double hidden[HIDDEN];
    return row.y * output_of(row, hidden) > 0;
}

static const netdp_row_loss network = {
    .value = value, .gradient = gradient, .score = score, .smoothness = INFINITY};

/* Points at distance 0.5 (y = -1) or 1.5 (y = +1) from the centre, and a feature that is 1. */
static void draw_rows(double *x, double *y, int64_t *first)
{
    netdp_stream stream = netdp_stream_at(1, NETDP_FOR_TEST, 0, 0);
    netdp_stream_normals(&stream, start, PARAMETERS);
    for (int64_t i = 0; i < ROWS; i++) {
        const double angle = 6.283185307179586 * netdp_stream_uniform(&stream);
        y[i] = netdp_stream_below(&stream, 2) == 0 ? -1 : 1;
        const double away = 1 + 0.5 * y[i] + 0.3 * (netdp_stream_uniform(&stream) - 0.5);
        x[i * FEATURES] = away * cos(angle);
        x[i * FEATURES + 1] = away * sin(angle);
        x[i * FEATURES + 2] = 1;
    }
    for (int u = 0; u <= NODES; u++)
        first[u] = (int64_t)EACH * u;
}

/* Without noise and with it, beside a straight line. */
static netdp_status learn(const netdp_linear *protocol, const netdp_examples *rows,
                          netdp_objective objective, const char *name, double noise,
                          netdp_error *error)
{
    static double model[NODES * PARAMETERS];
    const netdp_learning learning = {.objective = objective,
                                     .train = rows,
                                     .test = rows,
                                     .step = 2,
                                     .noise = noise * 2 * objective.clip,
                                     .momentum = noise > 0 ? 0 : 0.5};
    const netdp_status status =
        netdp_simulate_learning(protocol, &learning, (netdp_run_seed){1, 0},
                                (netdp_tracing){.every = (int64_t)PHASES * INNER}, model, error);
    if (status == NETDP_OK)
        printf("%s, sigma %.3f: accuracy of node 0's model %.3f\n", name, noise,
               netdp_score(&objective, rows, model));
    return status;
}

int main(void)
{
    netdp_error error = {0};
    netdp_graph *graph = NULL;
    netdp_mixing *mixing = NULL;
    netdp_calibration found = {0};
    int64_t first[NODES + 1];
    double *x = malloc(sizeof *x * ROWS * FEATURES), *y = malloc(sizeof *y * ROWS);
    if (x == NULL || y == NULL) {
        free(x);
        free(y);
        return EXIT_FAILURE;
    }
    draw_rows(x, y, first);
    const netdp_examples rows = {
        .rows = ROWS, .features = FEATURES, .x = x, .y = y, .nodes = NODES, .start = first};
    const netdp_objective line = {.kind = NETDP_LOGISTIC, .clip = 1};
    const netdp_objective curve = {
        .kind = NETDP_ROW_LOSS, .clip = 1, .row_loss = &network, .parameters = PARAMETERS};

    netdp_status status = netdp_objective_check(&curve, &error);
    if (status == NETDP_OK)
        status = netdp_graph_make("hypercube 10", 1, true, &graph, NULL, &error);
    if (status == NETDP_OK)
        status = netdp_mixing_new(graph, "metropolis", &mixing, &error);
    const netdp_linear protocol = {.mixing = mixing,
                                   .rounds = (int64_t)PHASES * INNER,
                                   .every = INNER,
                                   .reacts = true,
                                   .noise.dither = 0.1,
                                   .noise.end = 0.1};
    const int32_t observer = 0; /* of a hypercube, one node is like another */
    const netdp_loss_request request = {
        .protocol = &protocol, .bound = NETDP_BOUND_PHASE_RELEASE, .to_count = 1, .to = &observer};
    const netdp_target target = {
        .epsilon = 8, .unit = {NETDP_AS_DP, 1e-5}, .over = NETDP_OVER_MEAN, .max_noise = 1e6};
    if (status == NETDP_OK)
        status = netdp_calibrate(&request, &target, NULL, &found, NULL, &error);
    if (status == NETDP_OK)
        printf("sigma %.3f: epsilon %.3f in the mean, %.3f at worst, at delta 1e-5\n", found.sigma,
               found.achieved.mean, found.achieved.max);
    if (status == NETDP_OK)
        status = learn(&protocol, &rows, line, "a line", 0, &error);
    if (status == NETDP_OK)
        status = learn(&protocol, &rows, curve, "the network", 0, &error);
    if (status == NETDP_OK)
        status = learn(&protocol, &rows, curve, "the network", found.sigma, &error);
    if (status != NETDP_OK)
        fprintf(stderr, "%s\n", error.text);
    netdp_mixing_free(mixing);
    netdp_graph_free(graph);
    free(x);
    free(y);
    return netdp_status_exit_code(status);
}

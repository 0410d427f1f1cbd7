/*
 * An objective of one's own: a smooth support vector machine, learnt by a random walk.
 *
 * 256 nodes of a hypercube hold 20 rows each of two classes. A token walks from node to node and
 * learns a linear model by the squared hinge loss, with noise for a mean epsilon of 3 between
 * nodes.
 */
#include <netdp/netdp.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 256, EACH = 20, ROWS = NODES * EACH, FEATURES = 4, STEPS = 1024 };

/* max(0, 1 - y margin)^2 / 2: convex, and its slope grows by at most 1 as the margin grows by 1. */
static double hinge_value(void *context, double margin, double y)
{
    (void)context;
    const double missing = fmax(0, 1 - y * margin);
    return 0.5 * missing * missing;
}

static double hinge_slope(void *context, double margin, double y)
{
    (void)context;
    return -y * fmax(0, 1 - y * margin);
}

static const netdp_margin_loss squared_hinge = {
    .value = hinge_value, .slope = hinge_slope, .smoothness = 1};

/* Two clouds around +centre and -centre, in rows of norm 1; node u holds rows EACH u and on. */
static void draw_rows(double *x, double *y, int64_t *start)
{
    static const double centre[FEATURES] = {1.5, -1, 0.5, 0};
    netdp_stream stream = netdp_stream_at(1, NETDP_FOR_TEST, 0, 0);
    netdp_stream_normals(&stream, x, (size_t)ROWS * FEATURES);
    for (int64_t i = 0; i < ROWS; i++) {
        double norm = 0;
        y[i] = netdp_stream_below(&stream, 2) == 0 ? -1 : 1;
        for (int j = 0; j < FEATURES; j++) {
            x[i * FEATURES + j] += y[i] * centre[j];
            norm = hypot(norm, x[i * FEATURES + j]);
        }
        for (int j = 0; j < FEATURES; j++)
            x[i * FEATURES + j] /= norm;
    }
    for (int u = 0; u <= NODES; u++)
        start[u] = (int64_t)EACH * u;
}

int main(void)
{
    netdp_error error = {0};
    netdp_graph *graph = NULL;
    netdp_transition *law = NULL;
    netdp_calibration found = {0};
    double model[FEATURES];
    int64_t start[NODES + 1];
    double *x = malloc(sizeof *x * ROWS * FEATURES), *y = malloc(sizeof *y * ROWS);
    if (x == NULL || y == NULL) {
        free(x);
        free(y);
        return EXIT_FAILURE;
    }
    draw_rows(x, y, start);
    const netdp_examples rows = {
        .rows = ROWS, .features = FEATURES, .x = x, .y = y, .nodes = NODES, .start = start};
    const netdp_objective objective = {
        .kind = NETDP_MARGIN_LOSS, .clip = 0.5, .l2 = 0.01, .margin_loss = &squared_hinge};

    netdp_status status = netdp_objective_check(&objective, &error);
    if (status == NETDP_OK)
        status = netdp_graph_make("hypercube 8", 1, true, &graph, NULL, &error);
    if (status == NETDP_OK)
        status = netdp_transition_new(graph, "metropolis", &law, &error);

    /* What the accountant must be told the truth about: a step that expands no distance. */
    const double step = 0.01, longest = 2 / netdp_smoothness(&objective, &rows);
    const netdp_token token = {
        .law = law, .steps = STEPS, .start = NETDP_START_UNIFORM, .tokens = 1};
    const netdp_walk_request request = {
        .token = &token, .bound = step <= longest ? NETDP_BOUND_EXCURSION : NETDP_BOUND_LOCAL};
    const netdp_target target = {
        .epsilon = 3, .unit = {NETDP_AS_DP, 1e-6}, .over = NETDP_OVER_MEAN, .max_noise = 1e6};
    if (status == NETDP_OK)
        status = netdp_walk_calibrate(&request, &target, NULL, &found, NULL, &error);

    if (status == NETDP_OK)
        printf("sigma %.3f: epsilon %.3f in the mean, %.3f at worst, at delta 1e-6\n", found.sigma,
               found.achieved.mean, found.achieved.max);

    for (int noisy = 0; noisy < 2 && status == NETDP_OK; noisy++) {
        const netdp_walking walking = {.objective = objective,
                                       .train = &rows,
                                       .step = step,
                                       .noise = noisy * found.sigma * 2 * objective.clip,
                                       .radius = 5};
        status = netdp_simulate_walk(&token, &walking, (netdp_run_seed){1, 0},
                                     (netdp_tracing){.every = STEPS}, model, NULL, &error);
        if (status == NETDP_OK)
            printf("%s noise: squared hinge loss %.3f, accuracy %.3f\n", noisy ? "with" : "without",
                   netdp_objective_value(&objective, &rows, model),
                   netdp_score(&objective, &rows, model));
    }
    if (status != NETDP_OK)
        fprintf(stderr, "%s\n", error.text);

    netdp_transition_free(law);
    netdp_graph_free(graph);
    free(x);
    free(y);
    return netdp_status_exit_code(status);
}

/*
 * Walk DP-SGD: 2,048 nodes of 8 rows with 8 features, 20,000 steps, on a hypercube and on the
 * complete graph, whose rows of P are long.
 *
 * The reference, in the same run, is the same arithmetic as one would first write it: the next node
 * by a scan of its row, gradients by two plain loops, one stream of noise read as it comes. It is
 * led along the path of the simulation, so that the models can be compared.
 */
#include <netdp/netdp.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "measure.h"

enum { NODES = 2048, EACH = 8, WIDTH = 8, STEPS = 20000, RUNS = 7, BLOCK = 1024 / WIDTH };

static const double step = 0.7, noise = 0.5, clip = 0.4;

/* Unit rows on both sides of a plane. */
static void draw_rows(double *x, double *y, int64_t *start)
{
    netdp_stream stream = netdp_stream_at(1, NETDP_FOR_TEST, 0, 0);
    netdp_stream_normals(&stream, x, (size_t)NODES * EACH * WIDTH);
    for (int64_t i = 0; i < (int64_t)NODES * EACH; i++) {
        double norm = 0, side = 0;
        for (int j = 0; j < WIDTH; j++)
            norm += x[i * WIDTH + j] * x[i * WIDTH + j];
        for (int j = 0; j < WIDTH; j++) {
            x[i * WIDTH + j] /= sqrt(norm);
            side += x[i * WIDTH + j] * (j - 3);
        }
        y[i] = side > 0 ? 1 : -1;
    }
    for (int64_t u = 0; u <= NODES; u++)
        start[u] = u * EACH;
}

static int32_t scan(netdp_rows rows, int32_t u, double uniform)
{
    for (int64_t i = rows.start[u]; i < rows.start[u + 1]; i++)
        if ((uniform -= rows.weight[i]) < 0)
            return rows.column[i];
    return u;
}

/* Returns the sum of the scanned nodes, which keeps the scans alive. */
static int64_t plain(netdp_rows rows, const netdp_examples *train, const int32_t *path,
                     double *model)
{
    int64_t scanned = 0;
    double draw[BLOCK * WIDTH];
    memset(model, 0, sizeof *model * WIDTH);
    for (int64_t t = 0; t < STEPS; t++) {
        double gradient[WIDTH] = {0};
        const int32_t u = path[t];
        for (int64_t i = train->start[u]; i < train->start[u + 1]; i++) {
            const double *x = train->x + i * WIDTH;
            double margin = 0, norm = 0;
            for (int j = 0; j < WIDTH; j++)
                margin += x[j] * model[j];
            for (int j = 0; j < WIDTH; j++)
                norm += x[j] * x[j];
            const double slope = -train->y[i] / (1 + exp(train->y[i] * margin));
            const double size = fabs(slope) * sqrt(norm);
            for (int j = 0; j < WIDTH; j++)
                gradient[j] += slope * (size > clip ? clip / size : 1) * x[j] / EACH;
        }
        netdp_stream stream =
            netdp_stream_at(1, NETDP_FOR_WALK_NOISE, 0, (uint64_t)(t / BLOCK * BLOCK));
        if (t % BLOCK == 0)
            netdp_stream_normals(&stream, draw, sizeof draw / sizeof *draw);
        for (int j = 0; j < WIDTH; j++)
            model[j] -= step * (gradient[j] + noise * draw[t % BLOCK * WIDTH + j]);
        stream = netdp_stream_at(1, NETDP_FOR_WALK, 0, (uint64_t)t);
        scanned += scan(rows, u, netdp_stream_uniform(&stream));
    }
    return scanned;
}

static int measure(const char *family, const netdp_examples *train, const char *after)
{
    netdp_error error = {NETDP_OK, ""};
    netdp_graph *graph = NULL;
    netdp_transition *law = NULL;
    static int32_t path[STEPS + 1];
    double model[WIDTH], other[WIDTH], seconds[RUNS], away = 0;
    if (netdp_graph_make(family, 1, true, &graph, NULL, &error) != NETDP_OK ||
        netdp_transition_new(graph, "metropolis", &law, &error) != NETDP_OK)
        goto done;
    const netdp_token token = {
        .law = law, .steps = STEPS, .start = NETDP_START_UNIFORM, .cap = 13 * STEPS, .tokens = 1};
    const netdp_walking walking = {.objective = {.kind = NETDP_LOGISTIC, .clip = clip},
                                   .train = train,
                                   .step = step,
                                   .noise = noise};
    for (int run = 0; run <= RUNS; run++) {
        const double start = now();
        if (netdp_simulate_walk(&token, &walking, (netdp_run_seed){1, 0},
                                (netdp_tracing){.every = 1}, model, run == RUNS ? path : NULL,
                                &error) != NETDP_OK)
            goto done;
        if (run < RUNS)
            seconds[run] = now() - start;
    }
    const double start = now();
    const int64_t scanned = plain(netdp_transition_rows(law), train, path, other);
    const double reference = now() - start;
    for (int j = 0; j < WIDTH; j++)
        away = fmax(away, fabs(model[j] - other[j]) / (1 + fabs(other[j])));
    qsort(seconds, RUNS, sizeof *seconds, ascending);
    printf("{\"graph\": \"%s\", \"median_s\": %.4f, \"best_s\": %.4f, \"reference\": \"one plain "
           "thread\", \"reference_s\": %.4f, \"mean_node\": %.0f, \"difference\": %.3g}%s",
           family, seconds[RUNS / 2], seconds[0], reference, (double)scanned / STEPS, away, after);
done:
    if (error.status != NETDP_OK)
        fprintf(stderr, "%s\n", error.text);
    netdp_transition_free(law);
    netdp_graph_free(graph);
    return error.status != NETDP_OK || !(away < 1e-9);
}

int main(void)
{
    double *x = malloc(sizeof *x * NODES * EACH * WIDTH), *y = malloc(sizeof *y * NODES * EACH);
    int64_t start[NODES + 1];
    struct rusage usage;
    draw_rows(x, y, start);
    const netdp_examples train = {.rows = (int64_t)NODES * EACH,
                                  .features = WIDTH,
                                  .x = x,
                                  .y = y,
                                  .nodes = NODES,
                                  .start = start};
    printf("{\"name\": \"walk\", \"version\": \"%s\", \"nodes\": %d, \"rows\": %d, \"width\": %d, "
           "\"steps\": %d, \"on\": [",
           netdp_version(), NODES, EACH, WIDTH, STEPS);
    int failed = measure("hypercube 11", &train, ", ");
    failed += measure("complete 2048", &train, "], ");
    getrusage(RUSAGE_SELF, &usage);
    printf("\"peak_mb\": %.0f}\n", (double)usage.ru_maxrss / 1024);
    free(x);
    free(y);
    return failed == 0 ? 0 : 1;
}

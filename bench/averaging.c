/*
 * Averaging at scale: 100,000 nodes of degree 8, 16 numbers each, 100 rounds with a dither.
 *
 * The reference, in the same run, is the same arithmetic as one would first write it: one thread,
 * an edge at a time, noise from the C library's sqrt, log, sin and cos over the same streams.
 */
#include <netdp/netdp.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "measure.h"
#include "network.h"

enum { NODES = 100000, DEGREE = 8, WIDTH = 16, ROUNDS = 100, RUNS = 5 };

static void plain(const netdp_linear *protocol, double noise, const double *values, double *result)
{
    const netdp_rows rows = netdp_mixing_rows(protocol->mixing);
    double *message = malloc(sizeof(double) * NODES * WIDTH), draw[WIDTH];
    memcpy(result, values, sizeof(double) * NODES * WIDTH);
    for (int64_t t = 0; t < protocol->rounds; t++) {
        for (int64_t u = 0; u < NODES; u++) {
            netdp_stream stream = netdp_stream_at(1, NETDP_FOR_NOISE, (uint32_t)u, (uint64_t)t);
            netdp_stream_normals(&stream, draw, WIDTH);
            for (int j = 0; j < WIDTH; j++)
                message[u * WIDTH + j] =
                    result[u * WIDTH + j] + noise * netdp_linear_noise(protocol, t) * draw[j];
        }
        for (int64_t u = 0; u < NODES; u++)
            for (int j = 0; j < WIDTH; j++) {
                double sum = 0;
                for (int64_t i = rows.start[u]; i < rows.start[u + 1]; i++)
                    sum += rows.weight[i] * message[(int64_t)rows.column[i] * WIDTH + j];
                result[u * WIDTH + j] = sum;
            }
    }
    free(message);
}

int main(void)
{
    netdp_error error = {NETDP_OK, ""};
    netdp_graph *graph = NULL;
    netdp_mixing *mixing = NULL;
    char family[64];
    snprintf(family, sizeof family, "regular %d %d", NODES, DEGREE);
    make_network(family, &graph, &mixing);
    const netdp_linear protocol = {.mixing = mixing, .rounds = ROUNDS, .noise.dither = 0.01};
    double *values = malloc(sizeof(double) * NODES * WIDTH);
    double *result = malloc(sizeof(double) * NODES * WIDTH);
    double *other = malloc(sizeof(double) * NODES * WIDTH);
    for (int64_t i = 0; i < (int64_t)NODES * WIDTH; i++)
        values[i] = (double)(i % 97) / 97;
    double seconds[RUNS];
    for (int run = 0; run < RUNS; run++) {
        const double start = now();
        if (netdp_simulate(&protocol, 1, values, WIDTH, (netdp_run_seed){1, 0},
                           (netdp_tracing){.every = 1}, result, &error) != NETDP_OK) {
            fprintf(stderr, "%s\n", error.text);
            return 1;
        }
        seconds[run] = now() - start;
    }
    const double start = now();
    plain(&protocol, 1, values, other);
    const double reference = now() - start;
    double away = 0;
    for (int64_t i = 0; i < (int64_t)NODES * WIDTH; i++)
        away = fmax(away, fabs(result[i] - other[i]));
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    qsort(seconds, RUNS, sizeof *seconds, ascending);
    printf("{\"name\": \"averaging\", \"version\": \"%s\", \"nodes\": %d, \"degree\": %d, "
           "\"width\": %d, "
           "\"rounds\": %d, \"median_s\": %.3f, \"best_s\": %.3f, \"reference\": \"one plain "
           "thread\", "
           "\"reference_s\": %.3f, \"difference\": %.3g, \"peak_mb\": %.0f}\n",
           netdp_version(), NODES, DEGREE, WIDTH, ROUNDS, seconds[RUNS / 2], seconds[0], reference,
           away, (double)usage.ru_maxrss / 1024);
    free(values);
    free(result);
    free(other);
    netdp_mixing_free(mixing);
    netdp_graph_free(graph);
    return away < 1e-9 ? 0 : 1;
}

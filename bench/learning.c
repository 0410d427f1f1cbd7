/*
 * Learning at scale: gossip-sgd of a logistic model of 100 numbers among 100,000 nodes of degree 8 with a
 * row each, 100 rounds, and nothing traced, against what the memory gives. Counted of a round are 8 bytes for each
 * number of a neighbour read and of a result written, of a row and a model read and of a message
 * written, whether or not the caches save some; the probes are those of bench/product.c. The other
 * times are of the parts of a round by themselves, as many rounds of them.
 */
#include <netdp/netdp.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/memory.h"
#include "measure.h"
#include "network.h"
#include "probe.h"
#include "simulate/gossip.h"

enum { NODES = 100000, DEGREE = 8, WIDTH = 100, ROUNDS = 100, RUNS = 5 };

typedef struct parts {
    double all, mixing, noise, gradients; /* seconds */
} parts;

static double *numbers(int64_t count)
{
    double *x = NETDP_I_NEW(double, count);
    for (int64_t i = 0; x != NULL && i < count; i++)
        x[i] = (double)(i % 97) / 970;
    return x;
}

/* What a round's parts take by themselves, on all threads as in the simulation. */
static void take_apart(const netdp_linear *protocol, const netdp_learning *learning, double *x,
                       double *y, parts *taken)
{
    double start = now();
    for (int t = 0; t < ROUNDS; t++)
        netdp_mixing_apply(protocol->mixing, x, y, WIDTH);
    taken->mixing = now() - start;
    start = now();
    for (int t = 0; t < ROUNDS; t++) {
#pragma omp parallel for schedule(static)
        for (int32_t u = 0; u < NODES; u++)
            netdp_i_node_noise(y + (int64_t)u * WIDTH, u, WIDTH, 1, (netdp_run_seed){1, 0}, t, 0);
    }
    taken->noise = now() - start;
    start = now();
    for (int t = 0; t < ROUNDS; t++) {
#pragma omp parallel for schedule(static)
        for (int32_t u = 0; u < NODES; u++) {
            int64_t scratch[1];
            netdp_gradient(&learning->objective, learning->train, u, x + (int64_t)u * WIDTH, 0, 1,
                           (uint64_t)t, scratch, y + (int64_t)u * WIDTH);
        }
    }
    taken->gradients = now() - start;
}

int main(void)
{
    netdp_error error = {NETDP_OK, ""};
    netdp_graph *graph = NULL;
    netdp_mixing *mixing = NULL;
    char family[64];
    snprintf(family, sizeof family, "regular %d %d", NODES, DEGREE);
    make_network(family, &graph, &mixing);
    double *x = numbers((int64_t)NODES * WIDTH), *model = numbers((int64_t)NODES * WIDTH);
    double *y = numbers(NODES), *other = numbers((int64_t)NODES * WIDTH);
    int64_t *first = NETDP_I_NEW(int64_t, NODES + 1);
    if (x == NULL || y == NULL || model == NULL || other == NULL || first == NULL)
        return 1;
    for (int64_t u = 0; u <= NODES; u++)
        first[u] = u;
    for (int64_t u = 0; u < NODES; u++)
        y[u] = u % 2 == 0 ? 1 : -1;
    const netdp_examples train = {
        .rows = NODES, .features = WIDTH, .x = x, .y = y, .nodes = NODES, .start = first};
    const netdp_linear protocol = {
        .mixing = mixing, .rounds = ROUNDS, .every = 1, .steady = true, .reacts = true};
    const netdp_learning learning = {
        .objective = {.kind = NETDP_LOGISTIC, .clip = 1}, .train = &train, .step = 0.1, .noise = 1};
    double seconds[RUNS];
    netdp_probe probe = {0};
    parts taken = {0};
    for (int run = 0; run < RUNS; run++) {
        probe_once(&probe);
        const double start = now();
        if (netdp_simulate_learning(&protocol, &learning, (netdp_run_seed){1, 0},
                                    (netdp_tracing){.every = 1}, model, &error) != NETDP_OK) {
            fprintf(stderr, "%s\n", error.text);
            return 1;
        }
        seconds[run] = now() - start;
    }
    take_apart(&protocol, &learning, model, other, &taken);
    const netdp_rows rows = netdp_mixing_rows(mixing);
    const double bytes = 8.0 * WIDTH * ROUNDS * ((double)rows.start[NODES] + 4.0 * NODES);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    qsort(seconds, RUNS, sizeof *seconds, ascending);
    printf(
        "{\"name\": \"learning\", \"version\": \"%s\", \"nodes\": %d, \"degree\": %d, \"width\": "
        "%d, \"rounds\": %d, \"median_s\": %.3f, \"best_s\": %.3f, \"mixing_s\": %.3f, "
        "\"noise_s\": %.3f, \"gradients_s\": %.3f, \"gb_s\": %.2f, \"probe_gb_s\": %.2f, "
        "\"roofline\": %.3f, \"peak_mb\": %.0f}\n",
        netdp_version(), NODES, DEGREE, WIDTH, ROUNDS, seconds[RUNS / 2], seconds[0], taken.mixing,
        taken.noise, taken.gradients, bytes / seconds[RUNS / 2] / 1e9, probe_rate(&probe) / 1e9,
        bytes / seconds[RUNS / 2] / probe_rate(&probe), (double)usage.ru_maxrss / 1024);
    netdp_mixing_free(mixing);
    netdp_graph_free(graph);
    netdp_i_free(x);
    netdp_i_free(y);
    netdp_i_free(model);
    netdp_i_free(other);
    netdp_i_free(first);
    return 0;
}

/*
 * The product with W at scale: a million nodes of degree 8, a block of 32 columns, against what the
 * memory gives. Counted are 8 bytes for each number of a neighbour read and each result written,
 * whether or not the caches save some; the bandwidth is the better one of a sum over an array and
 * of STREAM's triad, taken between the products on all threads. The reference is the loop as one
 * would first write it, on one thread, and must agree to the last bit.
 */
#include <netdp/netdp.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/memory.h"
#include "measure.h"
#include "probe.h"

enum { NODES = 1000000, DEGREE = 8, WIDTH = 32, RUNS = 5 };

static void plain(netdp_rows rows, const double *x, double *restrict y)
{
    for (int64_t v = 0; v < rows.nodes; v++)
        for (int64_t j = 0; j < WIDTH; j++) {
            double sum = 0;
            for (int64_t i = rows.start[v]; i < rows.start[v + 1]; i++)
                sum += rows.weight[i] * x[(int64_t)rows.column[i] * WIDTH + j];
            y[v * WIDTH + j] = sum;
        }
}

int main(void)
{
    netdp_error error = {NETDP_OK, ""};
    netdp_graph *graph = NULL;
    netdp_mixing *mixing = NULL;
    char family[64];
    snprintf(family, sizeof family, "regular %d %d", NODES, DEGREE);
    double start = now();
    if (netdp_graph_make(family, 1, true, &graph, NULL, &error) != NETDP_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const double graph_s = now() - start;
    start = now();
    if (netdp_mixing_new(graph, "metropolis", &mixing, &error) != NETDP_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const double mixing_s = now() - start;
    const netdp_rows rows = netdp_mixing_rows(mixing);
    const size_t block = sizeof(double) * NODES * WIDTH;
    double *x = NETDP_I_NEW(double, (int64_t)NODES *WIDTH);
    double *y = NETDP_I_NEW(double, (int64_t)NODES *WIDTH);
    double *other = NETDP_I_NEW(double, (int64_t)NODES *WIDTH);
    if (x == NULL || y == NULL || other == NULL)
        return 1;
    for (int64_t i = 0; i < (int64_t)NODES * WIDTH; i++)
        x[i] = (double)(i % 97) / 97;
    netdp_probe probe = {0};
    double seconds[RUNS];
    for (int run = 0; run < RUNS; run++) {
        probe_once(&probe);
        start = now();
        netdp_mixing_apply(mixing, x, y, WIDTH);
        seconds[run] = now() - start;
    }
    start = now();
    plain(rows, x, other);
    const double reference = now() - start;
    const bool same = memcmp(y, other, block) == 0;
    const double bytes = 8.0 * WIDTH * (double)(rows.start[NODES] + NODES);
    const double most = probe_rate(&probe);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    qsort(seconds, RUNS, sizeof *seconds, ascending);
    printf("{\"name\": \"product\", \"version\": \"%s\", \"nodes\": %d, \"degree\": %d, \"width\": "
           "%d, \"graph_s\": %.3f, \"mixing_s\": %.3f, \"median_s\": %.4f, \"best_s\": %.4f, "
           "\"gb_s\": %.2f, \"probe_gb_s\": %.2f, \"roofline\": %.3f, "
           "\"reference\": \"one plain thread\", \"reference_s\": %.3f, \"same\": %s, "
           "\"peak_mb\": %.0f}\n",
           netdp_version(), NODES, DEGREE, WIDTH, graph_s, mixing_s, seconds[RUNS / 2], seconds[0],
           bytes / seconds[RUNS / 2] / 1e9, most / 1e9, bytes / seconds[RUNS / 2] / most, reference,
           same ? "true" : "false", (double)usage.ru_maxrss / 1024);
    netdp_i_free(x);
    netdp_i_free(y);
    netdp_i_free(other);
    netdp_mixing_free(mixing);
    netdp_graph_free(graph);
    return same ? 0 : 1;
}

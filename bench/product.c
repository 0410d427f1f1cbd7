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

enum { NODES = 1000000, DEGREE = 8, WIDTH = 32, RUNS = 5, PROBE = 1 << 25 };

static double read_sum(const double *a, int64_t count)
{
    double sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < count; i++)
        sum += a[i];
    return sum;
}

static void triad(double *restrict a, const double *b, const double *c, int64_t count)
{
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < count; i++)
        a[i] = b[i] + 3 * c[i];
}

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

static double best_of(const double *seconds)
{
    double best = seconds[0];
    for (int run = 1; run < RUNS; run++)
        best = seconds[run] < best ? seconds[run] : best;
    return best;
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
    double *probe = NETDP_I_NEW(double, 3 * (int64_t)PROBE);
    if (x == NULL || y == NULL || other == NULL || probe == NULL)
        return 1;
    for (int64_t i = 0; i < (int64_t)NODES * WIDTH; i++)
        x[i] = (double)(i % 97) / 97;
    for (int64_t i = 0; i < 3 * (int64_t)PROBE; i++)
        probe[i] = 1;
    double seconds[RUNS], sum_seconds[RUNS], triad_seconds[RUNS], sums = 0;
    for (int run = 0; run < RUNS; run++) {
        start = now();
        sums += read_sum(probe, 3 * (int64_t)PROBE);
        sum_seconds[run] = now() - start;
        start = now();
        triad(probe, probe + PROBE, probe + 2 * PROBE, PROBE);
        triad_seconds[run] = now() - start;
        start = now();
        netdp_mixing_apply(mixing, x, y, WIDTH);
        seconds[run] = now() - start;
    }
    start = now();
    plain(rows, x, other);
    const double reference = now() - start;
    const bool same = memcmp(y, other, block) == 0;
    const double bytes = 8.0 * WIDTH * (double)(rows.start[NODES] + NODES);
    const double read_rate = 3.0 * PROBE * 8 / best_of(sum_seconds);
    const double triad_rate = 3.0 * PROBE * 8 / best_of(triad_seconds);
    const double most = read_rate > triad_rate ? read_rate : triad_rate;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    qsort(seconds, RUNS, sizeof *seconds, ascending);
    printf("{\"name\": \"product\", \"version\": \"%s\", \"nodes\": %d, \"degree\": %d, \"width\": "
           "%d, \"graph_s\": %.3f, \"mixing_s\": %.3f, \"median_s\": %.4f, \"best_s\": %.4f, "
           "\"gb_s\": %.2f, \"read_gb_s\": %.2f, \"triad_gb_s\": %.2f, \"roofline\": %.3f, "
           "\"reference\": \"one plain thread\", \"reference_s\": %.3f, \"same\": %s, "
           "\"peak_mb\": %.0f}\n",
           netdp_version(), NODES, DEGREE, WIDTH, graph_s, mixing_s, seconds[RUNS / 2], seconds[0],
           bytes / seconds[RUNS / 2] / 1e9, read_rate / 1e9, triad_rate / 1e9,
           bytes / seconds[RUNS / 2] / most, reference, same ? "true" : "false",
           (double)usage.ru_maxrss / 1024);
    netdp_i_free(x);
    netdp_i_free(y);
    netdp_i_free(other);
    netdp_i_free(probe);
    netdp_mixing_free(mixing);
    netdp_graph_free(graph);
    return same && sums > 0 ? 0 : 1;
}

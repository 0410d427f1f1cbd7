/*
 * The excursion accountant: one observer and all nodes of hypercube 11 over 20,480 steps, at one
 * order and at sixteen, and all pairs of 256 nodes over 2,560 steps. No symmetry is used: answers
 * of like pairs are not kept.
 *
 * The reference, in the same run, is the recursion as one would first write it (sums of products,
 * no FFT), of 20 pairs over 500 steps, against the same pairs by the accountant.
 */
#include <netdp/netdp.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "account/walk/excursion.h"
#include "account/walk.h"
#include "mixing/powers.h"
#include "measure.h"

enum { RUNS = 3, PAIRS = 20, SHORT = 500 };

static netdp_error error;

static void must(netdp_status status)
{
    if (status == NETDP_OK)
        return;
    fprintf(stderr, "%s\n", error.text);
    exit(1);
}

/* Seconds of one account; its mean goes to *mean. */
static double account(const netdp_token *token, double sigma, netdp_unit unit, int32_t to_count,
                      double *mean)
{
    static const int32_t to = 0;
    netdp_losses *losses = NULL;
    netdp_summary summary;
    const netdp_walk_request request = {
        .token = token, .noise = sigma, .unit = unit, .to_count = to_count, .to = &to};
    const double start = now();
    must(netdp_walk_losses_new(&request, NULL, &losses, &error));
    const double seconds = now() - start;
    must(netdp_losses_summary(losses, sigma, unit, &summary, &error));
    *mean = summary.mean;
    netdp_losses_free(losses);
    return seconds;
}

static void measure(const char *name, const char *family, int64_t steps, int32_t to_count,
                    netdp_unit unit, const char *separator)
{
    netdp_graph *graph = NULL;
    netdp_transition *law = NULL;
    double seconds[RUNS], mean = 0;
    must(netdp_graph_make(family, 1, true, &graph, NULL, &error));
    must(netdp_transition_new(graph, "metropolis", &law, &error));
    const netdp_token token = {
        .law = law, .steps = steps, .start = NETDP_START_UNIFORM, .tokens = 1};
    for (int run = 0; run < RUNS; run++)
        seconds[run] = account(&token, 12, unit, to_count, &mean);
    qsort(seconds, RUNS, sizeof *seconds, ascending);
    printf("  {\"case\": \"%s\", \"graph\": \"%s\", \"steps\": %lld, \"median_s\": %.3f, "
           "\"best_s\": %.3f, \"mean_epsilon\": %.10g}%s\n",
           name, family, (long long)steps, seconds[RUNS / 2], seconds[0], mean, separator);
    fflush(stdout);
    netdp_transition_free(law);
    netdp_graph_free(graph);
}

/* The accountant without FFT against the accountant, on the same prepared pairs. */
static void compare(void)
{
    netdp_graph *graph = NULL;
    netdp_transition *law = NULL;
    netdp_i_series *series = NULL;
    netdp_i_watch *watch = NULL;
    netdp_i_hunt *hunt = NULL;
    netdp_i_powers returns, arrivals;
    netdp_i_weights weights;
    must(netdp_graph_make("regular 64 4", 1, true, &graph, NULL, &error));
    must(netdp_transition_new(graph, "metropolis", &law, &error));
    int32_t node[PAIRS + 1];
    double x[64] = {1}, fast = 0, slow = 0, away = 0, back = 1;
    for (int i = 0; i <= PAIRS; i++)
        node[i] = i;
    must(netdp_i_series_new(SHORT + 1, &series, &error));
    must(netdp_i_powers_of_returns(law, node, PAIRS + 1, SHORT + 1, NULL, &returns, &error));
    must(netdp_i_powers_of_vector(law, x, node, PAIRS + 1, NULL, SHORT + 1, NULL, &arrivals,
                                  &error));
    must(netdp_i_weights_new(SHORT + 1, 2.0 / (2 * 36), &weights, &error));
    double *between = netdp_i_series_array(series);
    const double *const only = between;
    netdp_i_powers_copy(&returns, 0, 0, SHORT + 1, between);
    must(netdp_i_watch_new(series, 1, &only, false, &watch, &error));
    must(netdp_i_hunt_new(watch, &hunt, &error));
    for (int i = 1; i <= PAIRS; i++) {
        netdp_i_powers_copy(&returns, i, 0, SHORT + 1, hunt->returns);
        netdp_i_powers_copy(&arrivals, i, 0, SHORT + 1, hunt->arrivals[0]);
        for (int t = 0; t <= SHORT; t++)
            hunt->presence[t] = 1.0 / 64;
        netdp_i_hunt_prepare(hunt, &back);
        const double start = now(), value = netdp_i_hunt_excursion(hunt, &weights);
        const double middle = now(), plain = netdp_i_hunt_direct(hunt, weights.theta);
        slow += now() - middle;
        fast += middle - start;
        away = fmax(away, fabs(value / plain - 1));
    }
    printf("  {\"case\": \"%d pairs, %d steps, one thread\", \"accountant_s\": %.4f, "
           "\"reference\": \"sums of products without FFT\", \"reference_s\": %.4f, "
           "\"difference\": %.2g}\n",
           PAIRS, SHORT, fast, slow, away);
    netdp_i_hunt_free(hunt);
    netdp_i_watch_free(watch);
    netdp_i_series_drop(between);
    netdp_i_weights_clear(&weights);
    netdp_i_powers_clear(&returns);
    netdp_i_powers_clear(&arrivals);
    netdp_i_series_free(series);
    netdp_transition_free(law);
    netdp_graph_free(graph);
}

int main(void)
{
    struct rusage usage;
    const netdp_unit one = {NETDP_AS_RDP, 2}, many = {NETDP_AS_DP, 1e-6};
    netdp_i_walk_kept = 0;
    printf("{\"name\": \"excursion\", \"version\": \"%s\", \"cases\": [\n", netdp_version());
    measure("one observer, one order", "hypercube 11", 20480, 1, one, ",");
    measure("one observer, best of the orders", "hypercube 11", 20480, 1, many, ",");
    measure("all pairs, one order", "regular 256 8", 2560, 0, one, ",");
    compare();
    getrusage(RUSAGE_SELF, &usage);
    printf("], \"peak_mb\": %.0f}\n", (double)usage.ru_maxrss / 1024);
    return 0;
}

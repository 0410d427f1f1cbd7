/*
 * What a proof costs: accounts of one contribution from all nodes towards one observer. Seconds of the processor: those of a
 * busy machine are nearly the same.
 */
#include <netdp/netdp.h>

#include <stdio.h>
#include <stdlib.h>

#include "measure.h"
#include "network.h"

enum { RUNS = 5 };

static const struct {
    const char *family;
    int64_t rounds;
    double missing; /* nodes away from a round */
    double dither;
    bool phase, accelerate; /* phase: of learning, its states released */
} cases[] = {
    {"erdos-renyi 600 c=2", 20, 0, 0.01, false, false},
    {"erdos-renyi 600 c=2", 20, 0, 0.001, false, false},
    {"regular 2048 8", 50, 0, 0.01, false, false},
    {"erdos-renyi 600 c=2", 20, 0.2, 0.01, false, false},
    {"erdos-renyi 600 c=2", 20, 0.2, 0.001, false, false},
    {"erdos-renyi 600 c=2", 10, 0, 0.01, true, false},
    {"erdos-renyi 600 c=2", 10, 0, 0.01, true, true},
    {"erdos-renyi 600 c=2", 20, 0, 0.01, false, true},
};
enum { CASES = sizeof cases / sizeof *cases };

/* The seconds of one account; exits where it fails or is not proven. */
static double account(const netdp_linear *protocol)
{
    static const int32_t to = 0;
    netdp_error error = {NETDP_OK, ""};
    const netdp_loss_request request = {
        .protocol = protocol, .to_count = 1, .to = &to, .certify = NETDP_CERTIFY_YES};
    netdp_losses *losses = NULL;
    const double start = processor();
    if (netdp_losses_new(&request, NULL, &losses, &error) != NETDP_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    const double seconds = processor() - start;
    if (!losses->certified || losses->reason != NULL) {
        fprintf(stderr, "certify: not proven\n");
        exit(1);
    }
    netdp_losses_free(losses);
    return seconds;
}

static void measure(int which)
{
    netdp_graph *graph = NULL;
    netdp_mixing *mixing = NULL;
    double yes[RUNS];
    make_network(cases[which].family, &graph, &mixing);
    netdp_linear protocol = {.mixing = mixing,
                             .rounds = cases[which].rounds,
                             .noise.dither = cases[which].dither,
                             .accelerate = cases[which].accelerate};
    if (cases[which].phase) {
        protocol.every = protocol.rounds;
        protocol.reacts = true;
        protocol.noise.end = 0.1;
    }
    if (cases[which].missing > 0)
        protocol.varying =
            (netdp_variation){.kind = NETDP_VARY_NODES, .missing = cases[which].missing, .seed = 1};
    for (int run = 0; run < RUNS; run++)
        yes[run] = account(&protocol);
    qsort(yes, RUNS, sizeof *yes, ascending);
    printf("%s{\"graph\": \"%s\", \"rounds\": %d, \"away\": %g, \"dither\": %g, \"phase\": %s, "
           "\"accelerate\": %s, \"median_s\": %.4f, \"best_s\": %.4f}",
           which > 0 ? ", " : "", cases[which].family, (int)cases[which].rounds,
           cases[which].missing, cases[which].dither, cases[which].phase ? "true" : "false",
           cases[which].accelerate ? "true" : "false", yes[RUNS / 2], yes[0]);
    netdp_mixing_free(mixing);
    netdp_graph_free(graph);
}

int main(void)
{
    printf("{\"name\": \"certificate\", \"version\": \"%s\", \"runs\": %d, \"cases\": [",
           netdp_version(), RUNS);
    for (int which = 0; which < CASES; which++)
        measure(which);
    printf("]}\n");
    return 0;
}

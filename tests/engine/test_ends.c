/*
 * Run by mpirun: the ends of spectra with eigenvalues of many copies. A solver that follows one
 * vector has the first right and misses the copies.
 */
#include <math.h>
#include <stdio.h>
#include <netdp/mixing.h>

#include "engine/engine.h"
#include "engine/spectrum.h"
#include "engine/together.h"
#include "mixing/dense.h"

enum { ENDS = 8, MOST_NODES = 100 };

static int check(const char *family, netdp_error *error)
{
    netdp_graph *graph = NULL;
    netdp_mixing *mixing = NULL;
    netdp_graph_notes notes = {0};
    double value[MOST_NODES], largest[ENDS], smallest[ENDS];
    int bad = 0;
    netdp_status status = netdp_graph_make(family, 1, true, &graph, &notes, error);
    if (status == NETDP_OK)
        status = netdp_mixing_new(graph, "metropolis", &mixing, error);
    if (status == NETDP_OK)
        status = netdp_i_mixing_eigenvalues(mixing, value, error);
    if (status == NETDP_OK)
        status = netdp_i_engine_ends(netdp_mixing_rows(mixing), ENDS, largest, smallest, error);
    const int n = status == NETDP_OK ? netdp_graph_nodes(graph) : 0;
    for (int k = 0; k < ENDS && n > 0; k++)
        if (fabs(largest[k] - value[n - 2 - k]) > 1e-9 || fabs(smallest[k] - value[k]) > 1e-9) {
            printf("%s: %d: %.12g and %.12g, want %.12g and %.12g\n", family, k, largest[k],
                   smallest[k], value[n - 2 - k], value[k]);
            bad = 1;
        }
    netdp_mixing_free(mixing);
    netdp_graph_free(graph);
    return status != NETDP_OK || bad;
}

/* Whoever means other rounds than the others is told so; nothing is shared after that. */
static int check_disagreement(void)
{
    netdp_graph *graph = NULL;
    netdp_mixing *mixing = NULL;
    netdp_error error = {NETDP_OK, ""};
    const netdp_i_processes here = netdp_i_processes_here();
    netdp_status status = netdp_graph_make("ring 9", 1, true, &graph, NULL, &error);
    if (status == NETDP_OK)
        status = netdp_mixing_new(graph, "metropolis", &mixing, &error);
    if (status == NETDP_OK)
        status = netdp_i_agree_on(netdp_mixing_rows(mixing), 5, &error);
    int bad = status != NETDP_OK;
    if (!bad && here.size > 1)
        bad = netdp_i_agree_on(netdp_mixing_rows(mixing), here.rank == 1 ? 6 : 5, &error) !=
              NETDP_INVALID;
    if (bad)
        printf("process %d: rounds that differ: %s\n", here.rank, error.text);
    netdp_mixing_free(mixing);
    netdp_graph_free(graph);
    return bad;
}

int main(int argc, char **argv)
{
    const netdp_i_engine *engine = NULL;
    netdp_error error = {NETDP_OK, ""};
    int bad = netdp_i_engine_begin(argc, (const char **)argv, &engine, &error) != NETDP_OK;
    bad = bad || check("hypercube 6", &error) || check("ring 100", &error);
    bad = bad || check_disagreement();
    if (error.status != NETDP_OK)
        fprintf(stderr, "%s\n", error.text);
    if (engine != NULL)
        engine->end();
    return bad;
}

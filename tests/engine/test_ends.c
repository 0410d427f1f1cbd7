/*
 * Run by mpirun: both ends of spectra, each process with the rows of its own nodes, of which one may have
 * none. The networks are smaller than those that the command finds them of so, and dense eigenvalues tell.
 */
#include <math.h>
#include <stdio.h>
#include <netdp/mixing.h>

#include "engine/engine.h"
#include "engine/halo.h"
#include "engine/together.h"
#include "mixing/dense.h"
#include "mixing/mixing.h"

enum { MOST_NODES = 200 };

static int check(const char *family, const char *weights, netdp_error *error)
{
    netdp_graph *graph = NULL;
    netdp_mixing *mixing = NULL;
    netdp_i_halo *halo = NULL;
    double value[MOST_NODES], second = 0, smallest = 0;
    netdp_status status = netdp_graph_make(family, 1, true, &graph, NULL, error);
    if (status == NETDP_OK)
        status = netdp_mixing_new(graph, weights, &mixing, error);
    if (status == NETDP_OK)
        status = netdp_i_mixing_eigenvalues(mixing, value, error);
    if (status == NETDP_OK)
        status = netdp_i_halo_new(netdp_mixing_rows(mixing), &halo, error);
    if (status == NETDP_OK) {
        const netdp_i_others others = netdp_i_halo_others(halo);
        status =
            netdp_i_lanczos_ends_of(netdp_mixing_rows(mixing), &others, &second, &smallest, error);
    }
    const int n = status == NETDP_OK ? netdp_graph_nodes(graph) : 0;
    const bool bad =
        n > 0 && !(fabs(second - value[n - 2]) <= 1e-9 && fabs(smallest - value[0]) <= 1e-9);
    if (bad)
        printf("%s: %.12g and %.12g, want %.12g and %.12g\n", family, second, smallest,
               value[n - 2], value[0]);
    netdp_i_halo_free(halo);
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
    bad = bad || check("hypercube 6", "metropolis", &error) ||
          check("ring 100", "metropolis", &error) || check("path 2", "lazy:0.3", &error) ||
          check("star 12", "metropolis", &error) || check("regular 150 6", "lazy:0.2", &error);
    bad = bad || check_disagreement();
    if (error.status != NETDP_OK)
        fprintf(stderr, "%s\n", error.text);
    if (engine != NULL)
        engine->end();
    return bad;
}

/*
 * Ten kernels on small inputs, for counting their instructions (bench/count): bench-count KERNEL.
 * Only what `counted` calls is counted. None goes through BLAS, FFTW or libm, whose code depends on
 * the processor.
 */
#include <netdp/netdp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mixing/alike.h"
#include "mixing/mixing.h"
#include "mixing/powers.h"
#include "noise/normal.h"

enum { REPEAT = 20, ASKED = 32, STEPS = 60, WIDTH = 16, EXACT = 1000 };

typedef struct ground {
    netdp_mixing *mixing;
    netdp_transition *law;
    double *x, *y; /* [nodes][WIDTH] */
} ground;

static netdp_error error;

static void must(netdp_status status)
{
    if (status == NETDP_OK)
        return;
    fprintf(stderr, "%s\n", error.text);
    exit(1);
}

static void product_1(const ground *g)
{
    for (int i = 0; i < REPEAT; i++)
        netdp_mixing_apply(g->mixing, g->x, g->y, 1);
}

static void product_16(const ground *g)
{
    for (int i = 0; i < REPEAT; i++)
        netdp_mixing_apply(g->mixing, g->x, g->y, WIDTH);
}

static void published(const ground *g)
{
    static const int32_t to = 0;
    const netdp_linear protocol = {.mixing = g->mixing, .rounds = STEPS, .noise.dither = 0.01};
    const netdp_loss_request request = {
        .protocol = &protocol, .bound = NETDP_BOUND_PUBLISHED, .to_count = 1, .to = &to};
    netdp_losses *losses = NULL;
    must(netdp_losses_new(&request, NULL, &losses, &error));
    netdp_losses_free(losses);
}

static void returns(const ground *g)
{
    int32_t node[ASKED];
    netdp_i_powers powers;
    for (int32_t i = 0; i < ASKED; i++)
        node[i] = i;
    must(netdp_i_powers_of_returns(g->law, node, ASKED, STEPS, NULL, &powers, &error));
    netdp_i_powers_clear(&powers);
}

static void normals(const ground *g)
{
    netdp_stream stream = netdp_stream_at(1, NETDP_FOR_TEST, 0, 0);
    netdp_stream_normals(&stream, g->y, (size_t)netdp_mixing_rows(g->mixing).nodes * WIDTH);
}

static uint64_t next_bits(void *source)
{
    return netdp_stream_bits(source);
}

static void exact_normals(const ground *g)
{
    netdp_stream stream = netdp_stream_at(1, NETDP_FOR_TEST, 0, 0);
    netdp_i_bits bits = {.next = next_bits, .source = &stream};
    for (int i = 0; i < EXACT; i++)
        g->y[i] = (double)netdp_i_normal(&bits, NETDP_I_OWN_PLACES);
}

/* One number a node. */
static void averaging(const ground *g)
{
    const netdp_linear protocol = {.mixing = g->mixing, .rounds = REPEAT, .noise.dither = 0.01};
    must(netdp_simulate(&protocol, 1, g->x, 1, (netdp_run_seed){1, 0},
                        (netdp_tracing){.every = REPEAT}, g->y, &error));
}

static void sequence(const ground *g)
{
    const netdp_variation variation = {.kind = NETDP_VARY_NODES, .missing = 0.2, .seed = 1};
    netdp_sequence *made = NULL;
    netdp_round round;
    must(netdp_sequence_new(g->mixing, &variation, &made, &error));
    for (int64_t t = 0; t < REPEAT; t++)
        must(netdp_sequence_round(made, t, &round, &error));
    netdp_sequence_free(made);
}

static void distances(const ground *g)
{
    const netdp_graph *graph = netdp_mixing_graph(g->mixing);
    int32_t *distance = (int32_t *)g->y;
    for (int32_t u = 0; u < REPEAT; u++)
        must(netdp_graph_distances(graph, &u, 1, distance, &error));
}

static void alike(const ground *g)
{
    g->y[0] = netdp_i_rows_alike(netdp_mixing_rows(g->mixing));
}

static const struct {
    const char *name;
    void (*run)(const ground *ground);
} kernels[] = {
    {"product-1", product_1}, {"product-16", product_16}, {"published", published},
    {"returns", returns},     {"normals", normals},       {"exact-normals", exact_normals},
    {"averaging", averaging}, {"sequence", sequence},     {"distances", distances},
    {"alike", alike},
};

/* callgrind counts from here to its end. */
void counted(void (*run)(const ground *), const ground *g);
__attribute__((noinline)) void counted(void (*run)(const ground *), const ground *g)
{
    run(g);
    __asm__ volatile("" ::: "memory"); /* so that the call above is one, not a jump */
}

int main(int argc, char **argv)
{
    netdp_graph *graph = NULL;
    ground g = {0};
    for (size_t k = 0; argc == 2 && k < sizeof kernels / sizeof *kernels; k++) {
        if (strcmp(argv[1], kernels[k].name) != 0)
            continue;
        must(netdp_graph_make("torus 32 32", 1, true, &graph, NULL, &error));
        must(netdp_mixing_new(graph, "metropolis", &g.mixing, &error));
        must(netdp_transition_new(graph, "metropolis", &g.law, &error));
        const size_t room = (size_t)netdp_graph_nodes(graph) * WIDTH;
        g.x = malloc(room * sizeof *g.x);
        g.y = malloc(room * sizeof *g.y);
        if (g.x == NULL || g.y == NULL)
            return 1;
        for (size_t i = 0; i < room; i++)
            g.x[i] = (double)(i % 97);
        counted(kernels[k].run, &g);
        free(g.x);
        free(g.y);
        netdp_transition_free(g.law);
        netdp_mixing_free(g.mixing);
        netdp_graph_free(graph);
        return 0;
    }
    fputs("bench-count: give one of", stderr);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        fprintf(stderr, " %s", kernels[k].name);
    fputs("\n", stderr);
    return 2;
}

/*
 * Four kernels on small inputs, for counting their instructions (bench/count): bench-count KERNEL.
 * Only what `counted` calls is counted. None goes through BLAS, FFTW or libm, whose code depends on
 * the processor.
 */
#include <netdp/netdp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mixing/mixing.h"
#include "mixing/powers.h"

enum { REPEAT = 20, ASKED = 32, STEPS = 60, WIDTH = 16 };

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
    const netdp_linear protocol = {.mixing = g->mixing, .rounds = STEPS, .dither = 0.01};
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

static const struct {
    const char *name;
    void (*run)(const ground *ground);
} kernels[] = {
    {"product-1", product_1},
    {"product-16", product_16},
    {"published", published},
    {"returns", returns},
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
    fputs("bench-count: give product-1, product-16, published or returns\n", stderr);
    return 2;
}

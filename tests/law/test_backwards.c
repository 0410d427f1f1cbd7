/*
 * The recursion backwards on hidden nodes (account/observe/riccati.c) against the same recursion on dense matrices of
 * long double, in which nothing is dropped: never below it, and at most 1e-9 of it above.
 */
#include "check.h"

#include <netdp/account.h>

#include "account/observe/riccati.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static netdp_error error;

enum { MOST = 64 };

typedef long double matrix[MOST][MOST];

/* x <- (I + a)^{-1} x, a symmetric and not negative; both of m rows. */
static void divide(int m, const matrix a, matrix x)
{
    static matrix left;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            left[i][j] = a[i][j] + (i == j);
    for (int k = 0; k < m; k++)
        for (int i = 0; i < m; i++) {
            const long double times = i == k ? 0 : left[i][k] / left[k][k];
            for (int j = 0; times != 0 && j < m; j++) {
                left[i][j] -= times * left[k][j];
                x[i][j] -= times * x[k][j];
            }
        }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            x[i][j] /= left[i][i];
}

static void multiply(int m, const matrix a, const matrix b, matrix product)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            product[i][j] = 0;
            for (int k = 0; k < m; k++)
                product[i][j] += a[i][k] * b[k][j];
        }
}

/* X <- G'G + F X (I + X)^{-1} F, so many times. */
static void go_back(int m, const matrix f, const matrix told, int64_t times, matrix x)
{
    static matrix part, all;
    while (times-- > 0) {
        memcpy(part, x, sizeof part);
        divide(m, x, part);
        multiply(m, f, part, all);
        multiply(m, all, f, part);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++)
                x[i][j] = told[i][j] + (part[i][j] + part[j][i]) / 2;
    }
}

/* Losses of hidden nodes: [X / nu^2 (I + X / nu^2)^{-1}]_uu. */
static void read_losses(int m, const matrix x, long double nu, long double *loss)
{
    static matrix part, all;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            part[i][j] = all[i][j] = x[i][j] / nu / nu;
    divide(m, all, part);
    for (int i = 0; i < m; i++)
        loss[i] = part[i][i];
}

/* Who is hidden from some nodes, and W among them; told = G'G. */
static int hide(netdp_rows rows, const int32_t *to, int32_t count, netdp_i_observer *view,
                int32_t *seen, int32_t *hidden, matrix f, matrix told)
{
    int kind[MOST] = {0}, m = 0; /* 2: an observer, 1: seen */
    *view = (netdp_i_observer){
        .seen = seen, .member = to, .member_count = count, .quiet = to, .quiet_count = count};
    for (int32_t i = 0; i < count; i++)
        kind[to[i]] = 2;
    for (int32_t i = 0; i < count; i++)
        for (int64_t k = rows.start[to[i]]; k < rows.start[to[i] + 1]; k++)
            if (kind[rows.column[k]] == 0) {
                kind[rows.column[k]] = 1;
                seen[view->seen_count++] = rows.column[k];
            }
    static matrix w;
    memset(w, 0, sizeof w);
    for (int32_t v = 0; v < rows.nodes; v++) {
        if (kind[v] == 0)
            hidden[m++] = v;
        for (int64_t k = rows.start[v]; k < rows.start[v + 1]; k++)
            w[v][rows.column[k]] = rows.weight[k];
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            f[i][j] = w[hidden[i]][hidden[j]];
            told[i][j] = 0;
            for (int32_t k = 0; k < view->seen_count; k++)
                told[i][j] += w[seen[k]][hidden[i]] * w[seen[k]][hidden[j]];
        }
    return m;
}

typedef struct hiding {
    const char *name;
    netdp_i_observer view;
    int32_t seen[MOST], node[MOST];
    int nodes;
} hiding;

/* How far above the truth of X the recursion is, at most. */
static double compare(const hiding *h, const netdp_linear *protocol, const matrix x)
{
    long double truth[MOST], above = 0;
    double loss[MOST];
    read_losses(h->nodes, x, protocol->noise.dither, truth);
    assert_ok(netdp_i_riccati_loss(protocol, &h->view, &(netdp_i_sources){h->nodes, h->node, loss},
                                   NULL, &error));
    for (int i = 0; i < h->nodes; i++) {
        /* The truth is of long doubles; what is proven of a round adds up (docs/proofs/shift.md). */
        const double wide = 1e-12 * (double)protocol->rounds *
                            (1 + 1 / protocol->noise.dither / protocol->noise.dither);
        const double fine = 1e-15 * fmax(1, 1e-4 / protocol->noise.dither / protocol->noise.dither);
        if (!(loss[i] >= truth[i] * (1 - fine) - 1e-30L && loss[i] <= 1) ||
            !(loss[i] <= truth[i] + wide))
            fail_msg("%s, %d observers, %d rounds, dither %g: loss of %d is %.17g, truth %.20Lg",
                     h->name, (int)h->view.member_count, (int)protocol->rounds,
                     protocol->noise.dither, (int)h->node[i], loss[i], truth[i]);
        assert_true(truth[i] > 0 || loss[i] == 0);
        above = fmaxl(above, (loss[i] - truth[i]) / wide);
    }
    return (double)above;
}

/* All rounds and dithers of a network and its observers. */
static double compare_all(const char *name, const netdp_mixing *mixing, const int32_t *to,
                          int32_t count)
{
    /* Below 5e-3 the account goes another way. */
    static const int64_t rounds[] = {1, 2, 3, 9, 50, 200};
    static const double dithers[] = {1e-3, 5e-3, 0.02, 0.3, 0.8, 1, 10};
    static matrix f, told, x;
    hiding h = {.name = name};
    double above = 0;
    h.nodes = hide(netdp_mixing_rows(mixing), to, count, &h.view, h.seen, h.node, f, told);
    memset(x, 0, sizeof x);
    for (size_t t = 0; t < sizeof rounds / sizeof *rounds; t++) {
        go_back(h.nodes, f, told, rounds[t] - (t == 0 ? 1 : rounds[t - 1]), x);
        for (size_t d = 0; d < sizeof dithers / sizeof *dithers; d++) {
            const netdp_linear protocol = {
                .mixing = mixing, .rounds = rounds[t], .noise.dither = dithers[d]};
            above = fmax(above, compare(&h, &protocol, x));
        }
    }
    return above;
}

/* Two complete networks with the observer between them, each hidden from the other; and a ring nobody hears of. */
static netdp_graph *two_apart(void)
{
    int32_t edges[1024], count = 0;
    netdp_graph *graph = NULL;
    for (int32_t side = 0; side < 2; side++)
        for (int32_t i = 0; i < 8; i++)
            for (int32_t j = 0; j < i; j++) {
                edges[2 * count] = 1 + 8 * side + i;
                edges[2 * count++ + 1] = 1 + 8 * side + j;
            }
    for (int32_t side = 0; side < 2; side++) {
        edges[2 * count] = 0;
        edges[2 * count++ + 1] = 1 + 8 * side;
    }
    for (int32_t i = 0; i < 5; i++) {
        edges[2 * count] = 17 + i;
        edges[2 * count++ + 1] = 17 + (i + 1) % 5;
    }
    assert_ok(netdp_graph_from_edges(22, edges, count, &graph, &error));
    return graph;
}

static void test_never_below_dense(void **state)
{
    (void)state;
    /* Hubs, which see more than is hidden from them; expanders, whose directions fade; far nodes. */
    static const char *const families[] = {
        "regular 40 6", "erdos-renyi 40 0.3", "barabasi-albert 48 4", "star 20", "ring 24",
        "grid 3 14",    "hypercube 5",        "complete 12",          NULL};
    const int32_t to[] = {0, 5, 9, 3, 11};
    double above = 0;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        netdp_graph *graph = NULL;
        netdp_mixing *mixing = NULL;
        if (families[i] != NULL)
            assert_ok(netdp_graph_make(families[i], 5, true, &graph, NULL, &error));
        else
            graph = two_apart();
        assert_ok(netdp_mixing_new(graph, "metropolis", &mixing, &error));
        const char *name = families[i] != NULL ? families[i] : "two apart";
        for (int32_t count = 1; count <= 5; count += 4)
            above = fmax(above, compare_all(name, mixing, to, count));
        netdp_mixing_free(mixing);
        netdp_graph_free(graph);
    }
    print_message("at most %.3g above\n", above);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_never_below_dense)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

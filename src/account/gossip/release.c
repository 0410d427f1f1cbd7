/*
 * P projects on Q, the span of W^i S^T for i < K, S the closed neighbourhood of the observers: what
 * they see in K rounds depends on noises and contributions only through it. The released states are
 * a sum of two independent parts, each with a part of the dither: what came from P u_t and P x, and
 * the rest. Given both apart the losses add up. The first lies in the span of 2K powers and is
 * exact there; the rest is hidden by its dither alone, after K products that leave of a vector
 * orthogonal to Q no more than its part along the ones vector and away^K of the others.
 */
#include "account/gossip/release.h"

#include <math.h>
#include <string.h>

#include <cblas.h>

#include "account/observe/filter.h"
#include "base/fail.h"
#include "base/memory.h"

/* What the rest may tell, in parts of what the mean does, where rounds are chosen. */
#define LITTLE 0.01

int64_t netdp_i_release_rounds(int32_t nodes, double away, double dither)
{
    if (!(away < 1) || !(dither > 0))
        return INT64_MAX;
    if (away <= 0)
        return 1;
    const double rounds = log(sqrt(LITTLE / nodes) * dither) / log(away);
    return rounds < 1 ? 1 : rounds > 1e15 ? INT64_MAX : (int64_t)ceil(rounds);
}

netdp_status netdp_i_release_view(const netdp_graph *graph, const int32_t *member, int32_t members,
                                  int32_t **seen, int32_t *count, netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(graph);
    char *mark = NETDP_I_NEW(char, n);
    int32_t *list = NETDP_I_NEW(int32_t, n);
    if (mark == NULL || list == NULL) {
        netdp_i_free(mark);
        netdp_i_free(list);
        return netdp_i_no_memory(error);
    }
    for (int32_t i = 0; i < members; i++) {
        const int32_t *neighbour = netdp_graph_neighbours(graph, member[i]);
        mark[member[i]] = 1;
        for (int32_t k = 0; k < netdp_graph_degree(graph, member[i]); k++)
            mark[neighbour[k]] = 1;
    }
    *count = 0;
    for (int32_t v = 0; v < n; v++)
        if (mark[v])
            list[(*count)++] = v;
    *seen = list;
    netdp_i_free(mark);
    return NETDP_OK;
}

double netdp_i_release_mean(const double *rows, int32_t own, int32_t modes, int32_t nodes,
                            void (*sum)(double *values, int64_t count), double *scratch)
{
    const int64_t r = modes;
    double square = 0;
    for (int64_t u = 0; u < own; u++)
        cblas_daxpy(modes, 1, rows + u * r, 1, scratch, 1);
    if (sum != NULL)
        sum(scratch, r);
    for (int64_t u = 0; u < own; u++) {
        const double left = 1 - cblas_ddot(modes, rows + u * r, 1, scratch, 1);
        square += left * left;
    }
    if (sum != NULL)
        sum(&square, 1);
    return sqrt(square / nodes);
}

/*
 * What the part outside Q tells: at most all of it, and what is left of it, `left`, under its part
 * of the dither.
 */
static void add_rest(const netdp_i_basis *basis, double left, double dither,
                     const netdp_i_sources *of)
{
    const int64_t r = basis->modes;
    const double visible = left / dither * (left / dither);
    for (int32_t i = 0; i < of->count; i++) {
        const double *row = basis->rows + of->node[i] * r;
        const double outside = fmax(0, 1 - cblas_ddot(basis->modes, row, 1, row, 1));
        of->loss[i] += (outside + 1e-13) * fmin(1, visible);
    }
}

netdp_status netdp_i_release_on_basis(const netdp_linear *protocol,
                                      const netdp_i_released *released, double mean,
                                      const netdp_i_basis *basis, const netdp_i_observer *observer,
                                      const netdp_i_sources *of, const netdp_progress *progress,
                                      netdp_error *error)
{
    const int32_t nodes = netdp_mixing_rows(protocol->mixing).nodes;
    const double dither = released->dither;
    netdp_linear part = *protocol;
    part.rounds = released->rounds;
    /* Of a variance r to the rest they tell about 1 / (n (1 - r)) and left^2 / r: least at */
    const double left = mean + pow(released->away, (double)released->rounds);
    const double most = 1 / sqrt(nodes) * dither;
    const double rest = dither * dither * left / (left + most);
    netdp_status status =
        netdp_i_filter_loss(&part, basis, observer, dither * dither - rest, of, progress, error);
    if (status == NETDP_OK)
        add_rest(basis, left, sqrt(rest), of);
    return status;
}

netdp_status netdp_i_release_loss(const netdp_linear *protocol, const netdp_i_released *released,
                                  const int32_t *member, int32_t members, const netdp_i_sources *of,
                                  const netdp_progress *progress, netdp_error *error)
{
    netdp_i_basis basis = {0};
    netdp_i_observer observer = {0};
    int32_t *seen = NULL;
    double *scratch = NULL;
    netdp_status status = netdp_i_release_view(netdp_mixing_graph(protocol->mixing), member,
                                               members, &seen, &observer.seen_count, error);
    observer.seen = seen;
    if (status == NETDP_OK)
        status = netdp_i_basis_nested(protocol->mixing, seen, observer.seen_count,
                                      (netdp_i_depth){2 * released->rounds, released->rounds}, NULL,
                                      &basis, progress, error);
    if (status == NETDP_OK) {
        scratch = NETDP_I_NEW(double, basis.modes);
        status = scratch == NULL ? netdp_i_no_memory(error) : NETDP_OK;
    }
    if (status == NETDP_OK) {
        const double mean =
            netdp_i_release_mean(basis.rows, basis.nodes, basis.modes, basis.nodes, NULL, scratch);
        status = netdp_i_release_on_basis(protocol, released, mean, &basis, &observer, of, progress,
                                          error);
    }
    netdp_i_basis_clear(&basis);
    netdp_i_free(scratch);
    netdp_i_free(seen);
    return status;
}

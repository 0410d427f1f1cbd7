/*
 * P projects on Q, the span of W^i S^T for i < K, S the closed neighbourhood of the observers: what
 * they see in K rounds depends on noises and contributions only through it. The released states are
 * a sum of two independent parts, each with a part of the dither: what came from P u_t and P x, and
 * the rest. Given both apart the losses add up. The first lies in the span of 2K powers and is
 * exact there; the rest is hidden by its dither alone, after K products that leave of a vector
 * orthogonal to Q no more than its part along the ones vector and away^K of the others.
 */
#include "account/release.h"

#include <math.h>
#include <string.h>

#include <cblas.h>

#include "account/filter.h"
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

/* The closed neighbourhood of the members, in the order of its nodes. */
static netdp_status close_view(const netdp_graph *graph, const int32_t *member, int32_t members,
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

/* The length of (I - P) 1 / sqrt(n), of P's rows in the basis. */
static netdp_status lose_mean(const netdp_i_basis *basis, double *length, netdp_error *error)
{
    const int64_t r = basis->modes;
    double *sum = NETDP_I_NEW(double, r), square = 0;
    if (sum == NULL)
        return netdp_i_no_memory(error);
    for (int64_t u = 0; u < basis->nodes; u++)
        cblas_daxpy(basis->modes, 1, basis->rows + u * r, 1, sum, 1);
    for (int64_t u = 0; u < basis->nodes; u++) {
        const double left = 1 - cblas_ddot(basis->modes, basis->rows + u * r, 1, sum, 1);
        square += left * left;
    }
    *length = sqrt(square / basis->nodes);
    netdp_i_free(sum);
    return NETDP_OK;
}

/*
 * What the part outside Q tells: at most all of it, and what is left of it, `left`, under its part
 * of the dither.
 */
static void add_rest(const netdp_i_basis *basis, double left, double dither, const int32_t *from,
                     int32_t count, double *loss)
{
    const int64_t r = basis->modes;
    const double visible = left / dither * (left / dither);
    for (int32_t i = 0; i < count; i++) {
        const double *row = basis->rows + from[i] * r;
        const double outside = fmax(0, 1 - cblas_ddot(basis->modes, row, 1, row, 1));
        loss[i] += (outside + 1e-13) * fmin(1, visible);
    }
}

netdp_status netdp_i_release_loss(const netdp_linear *protocol, int64_t rounds, double dither,
                                  double away, const int32_t *member, int32_t members,
                                  const int32_t *from, int32_t count, double *loss,
                                  const netdp_progress *progress, netdp_error *error)
{
    netdp_i_basis basis = {0};
    netdp_i_observer observer = {0};
    netdp_linear part = *protocol;
    int32_t *seen = NULL;
    double mean = 0;
    netdp_status status = close_view(netdp_mixing_graph(protocol->mixing), member, members, &seen,
                                     &observer.seen_count, error);
    observer.seen = seen;
    part.rounds = rounds;
    if (status == NETDP_OK)
        status = netdp_i_basis_nested(protocol->mixing, seen, observer.seen_count, 2 * rounds,
                                      rounds, &basis, progress, error);
    if (status == NETDP_OK)
        status = lose_mean(&basis, &mean, error);
    /* Of a variance r to the rest they tell about 1 / (n (1 - r)) and left^2 / r: least at */
    const double left = mean + pow(away, (double)rounds);
    const double most = 1 / sqrt(basis.nodes > 0 ? basis.nodes : 1) * dither;
    const double rest = dither * dither * left / (left + most);
    if (status == NETDP_OK)
        status = netdp_i_filter_loss(&part, &basis, &observer, dither * dither - rest, from, count,
                                     loss, progress, error);
    if (status == NETDP_OK)
        add_rest(&basis, left, sqrt(rest), from, count, loss);
    netdp_i_basis_clear(&basis);
    netdp_i_free(seen);
    return status;
}

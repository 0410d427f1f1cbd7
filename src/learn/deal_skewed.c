/*
 * Rows dealt so that nodes differ in their labels, and in nothing else: each has as many rows. By label,
 * node by node from rows sorted by it; or each node with shares of its own, drawn from a Dirichlet law
 * around all rows' shares (T. Hsu, H. Qi, M. Brown, "Measuring the effects of non-identical data
 * distribution for federated visual classification", arXiv 1909.06335, 2019).
 */
#include "learn/deal.h"

#include <math.h>
#include <string.h>
#include <netdp/noise.h>
#include <netdp/random.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"

netdp_status netdp_i_deal_parse(const char *text, netdp_i_dealing *dealing, netdp_error *error)
{
    static const char dirichlet[] = "dirichlet:";
    const size_t length = sizeof dirichlet - 1;
    double alpha = 0;
    if (strcmp(text, "even") == 0) {
        *dealing = (netdp_i_dealing){NETDP_I_DEAL_EVEN, 0};
        return NETDP_OK;
    }
    if (strcmp(text, "by-label") == 0) {
        *dealing = (netdp_i_dealing){NETDP_I_DEAL_BY_LABEL, 0};
        return NETDP_OK;
    }
    if (strncmp(text, dirichlet, length) == 0 && netdp_i_read_number(text + length, &alpha) &&
        alpha >= 1e-6 && alpha <= 1e6) {
        *dealing = (netdp_i_dealing){NETDP_I_DEAL_DIRICHLET, alpha};
        return NETDP_OK;
    }
    return netdp_i_fail(error, NETDP_INVALID,
                        "deal: '%s' is none of even, by-label and dirichlet:ALPHA with ALPHA from "
                        "1e-6 to 1e6",
                        netdp_i_show_text(text).text);
}

/* The logarithm of Gamma(shape), which for a small shape is below all doubles: X U^(1 / shape), X of shape + 1. */
static double log_gamma(netdp_stream *stream, double shape)
{
    const double above = netdp_stream_gamma(stream, shape + 1);
    return log(above) + log(netdp_stream_uniform(stream)) / shape;
}

/* A label of which rows are left, by the node's shares. */
static int32_t draw_label(netdp_stream *stream, const double *share, const int64_t *left,
                          int32_t labels)
{
    double most = -INFINITY, sum = 0, part = 0;
    int32_t found = -1;
    for (int32_t c = 0; c < labels; c++)
        if (left[c] > 0)
            most = fmax(most, share[c]);
    for (int32_t c = 0; c < labels; c++)
        sum += left[c] > 0 ? exp(share[c] - most) : 0;
    const double at = netdp_stream_uniform(stream) * sum;
    for (int32_t c = 0; c < labels && (found < 0 || part <= at); c++)
        if (left[c] > 0 && exp(share[c] - most) > 0) {
            part += exp(share[c] - most);
            found = c;
        }
    return found;
}

/* Nodes take a row each in turn, so that none is left with what the others did not want. */
static void deal_dirichlet(double alpha, const int64_t *count, int32_t labels, int32_t nodes,
                           uint64_t seed, double *share, int64_t *left, int32_t *node)
{
    int64_t rows = 0;
    for (int32_t c = 0; c < labels; c++)
        rows += count[c];
    for (int32_t u = 0; u < nodes; u++) {
        netdp_stream stream = netdp_stream_at(seed, NETDP_FOR_SPLIT, (uint32_t)u, 3);
        for (int32_t c = 0; c < labels; c++)
            share[(int64_t)u * labels + c] =
                count[c] > 0 ? log_gamma(&stream, alpha * (double)count[c] / (double)rows)
                             : -INFINITY;
    }
    memcpy(left, count, (size_t)labels * sizeof *left);
    for (int64_t i = 0; i < rows; i++) {
        const int64_t u = i % nodes;
        netdp_stream stream =
            netdp_stream_at(seed, NETDP_FOR_SPLIT, (uint32_t)u, 4 + (uint64_t)(i / nodes));
        const int32_t c = draw_label(&stream, share + u * labels, left, labels);
        int64_t row = --left[c];
        for (int32_t before = 0; before < c; before++)
            row += count[before];
        node[row] = (int32_t)u;
    }
}

netdp_status netdp_i_deal_skewed(netdp_i_dealing dealing, const int64_t *count, int32_t labels,
                                 int32_t nodes, uint64_t seed, int32_t *node, netdp_error *error)
{
    int64_t rows = 0;
    for (int32_t c = 0; c < labels; c++)
        rows += count[c];
    if (dealing.kind == NETDP_I_DEAL_EVEN)
        return netdp_deal(rows, nodes, true, seed, node, error);
    OWNED int32_t *place = NETDP_I_NEW(int32_t, nodes);
    OWNED double *share = NETDP_I_NEW(double, (int64_t)nodes *labels);
    OWNED int64_t *left = NETDP_I_NEW(int64_t, labels);
    TRY(place == NULL || share == NULL || left == NULL
            ? netdp_i_no_memory(error)
            /* Which part is whose: neighbours are not alike by their numbers. */
            : netdp_deal(nodes, nodes, true, seed, place, error));
    if (dealing.kind == NETDP_I_DEAL_DIRICHLET)
        deal_dirichlet(dealing.alpha, count, labels, nodes, seed, share, left, node);
    /* Part k of the sorted rows begins at k rows / nodes. */
    for (int64_t i = 0, k = 0; dealing.kind == NETDP_I_DEAL_BY_LABEL && i < rows; i++) {
        k += k + 1 < nodes && i >= (k + 1) * rows / nodes;
        node[i] = place[k];
    }
    return NETDP_OK;
}

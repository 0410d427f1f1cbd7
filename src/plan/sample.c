#include "plan/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <netdp/random.h>

#include "account/losses/label.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "question/question.h"

/* Pairs of nodes that fit into a minute of a slow core. */
#define MOST_PAIRS 2e7

/* That the intervals of an estimate hold, over the draw. */
#define CONFIDENCE 0.95

static bool draws_observers(const netdp_i_variant *variant)
{
    return variant->study->privacy.observers > 0 && variant->observer_count > 0;
}

static bool draws_sources(const netdp_i_variant *variant)
{
    return variant->study->privacy.sources > 0 && variant->source_count > 0;
}

/* ---- Who is drawn ---- */

static int ascending(const void *a, const void *b)
{
    const int32_t one = *(const int32_t *)a, other = *(const int32_t *)b;
    return (one > other) - (one < other);
}

/* So many nodes, the same for every variant on the same number of nodes; count 0: all. */
static netdp_status draw_nodes(const netdp_i_variant *variant, const char *key, int64_t asked,
                               uint32_t purpose, int32_t *count, int32_t **drawn,
                               netdp_error *error)
{
    const netdp_study *study = variant->study;
    const int32_t n = netdp_graph_nodes(variant->problem->graph);
    REFUSE(asked > n && !netdp_i_study_realises(study),
           "%s: %s: %lld of a graph of %d nodes; give fewer, or all", study->path, key,
           (long long)asked, (int)n);
    if (asked == 0 || asked >= n)
        return NETDP_OK;
    int32_t *node = NETDP_I_NEW(int32_t, n);
    NEED(node);
    netdp_stream stream = netdp_stream_at(study->seed, NETDP_FOR_PROBE, purpose, 0);
    for (int32_t i = 0; i < n; i++)
        node[i] = i;
    for (int32_t i = 0; i < asked; i++) {
        const int32_t other = i + (int32_t)netdp_stream_below(&stream, (uint64_t)(n - i));
        const int32_t kept = node[i];
        node[i] = node[other];
        node[other] = kept;
    }
    qsort(node, (size_t)asked, sizeof *node, ascending);
    *drawn = node;
    *count = (int32_t)asked;
    return NETDP_OK;
}

netdp_status netdp_i_sample_draw(netdp_i_variant *variant, netdp_error *error)
{
    const netdp_study *study = variant->study;
    TRY(draw_nodes(variant, "privacy.observers", study->privacy.observers, 1,
                   &variant->observer_count, &variant->observer, error));
    if (variant->role == NETDP_I_NETWORK)
        return draw_nodes(variant, "privacy.sources", study->privacy.sources, 4,
                          &variant->source_count, &variant->source, error);
    return NETDP_OK;
}

/* "all", "random" or "u,u,..." of an account into nodes; count 0: all. */
static netdp_status read_nodes(const netdp_i_variant *variant, const char *key, const char *text,
                               uint32_t purpose, int32_t *count, int32_t **node, netdp_error *error)
{
    const netdp_graph *graph = variant->problem->graph;
    if (text == NULL)
        return NETDP_OK;
    if (strcmp(text, "random") != 0)
        return netdp_i_within(error, netdp_i_read_nodes(graph, text, node, count, error), "%s: %s",
                              variant->study->path, key);
    netdp_stream stream = netdp_stream_at(variant->study->seed, NETDP_FOR_PROBE, purpose, 0);
    int32_t *drawn = NETDP_I_NEW(int32_t, 1);
    NEED(drawn);
    *drawn = (int32_t)netdp_stream_below(&stream, (uint64_t)netdp_graph_nodes(graph));
    *node = drawn;
    *count = 1;
    return NETDP_OK;
}

netdp_status netdp_i_sample_name(netdp_i_variant *variant, netdp_error *error)
{
    const netdp_study *study = variant->study;
    const char *to = study->privacy.to != NULL ? study->privacy.to : "all";
    if (variant->source_count == 0)
        TRY(read_nodes(variant, "privacy.from", study->privacy.from, 2, &variant->source_count,
                       &variant->source, error));
    if (variant->observer_count > 0)
        return NETDP_OK; /* drawn, each by itself */
    variant->coalition = strncmp(to, "set:", strlen("set:")) == 0;
    return read_nodes(variant, "privacy.to", to + (variant->coalition ? strlen("set:") : 0), 3,
                      &variant->observer_count, &variant->observer, error);
}

/* ---- All pairs after all ---- */

static bool is_little(const netdp_i_variant *variant)
{
    const double n = netdp_graph_nodes(variant->problem->graph), pairs = n * (n - 1);
    return pairs <= MOST_PAIRS && netdp_i_variant_planning(variant)->effort(variant) <= 1;
}

static bool is_all(const char *nodes)
{
    return nodes == NULL || strcmp(nodes, "all") == 0;
}

void netdp_i_sample_widen(netdp_i_variant *variant)
{
    if ((!draws_observers(variant) && !draws_sources(variant)) ||
        !is_all(variant->study->privacy.from) || !is_all(variant->study->privacy.to) ||
        !is_little(variant))
        return;
    netdp_i_free(variant->observer);
    netdp_i_free(variant->source);
    variant->observer = variant->source = NULL;
    variant->observer_count = variant->source_count = 0;
}

/* ---- What is left an estimate ---- */

/* Are observers or sources drawn, and do others differ from them? */
static bool estimates(const netdp_i_variant *variant)
{
    const bool observers = draws_observers(variant), sources = draws_sources(variant);
    if (!observers && !sources)
        return false;
    if ((observers && sources) || variant->problem->share != NULL)
        return true;
    return !netdp_i_variant_planning(variant)->is_alike(variant);
}

netdp_status netdp_i_sample_check(const netdp_i_variant *variant, netdp_error *error)
{
    const bool observers = draws_observers(variant);
    if (variant->study->privacy.over != NETDP_OVER_WORST || variant->role != NETDP_I_NETWORK ||
        !estimates(variant))
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID,
                        "%s: privacy.%s: %d of the nodes do not bound the worst pair; give all, or "
                        "over: mean",
                        variant->study->path, observers ? "observers" : "sources",
                        (int)(observers ? variant->observer_count : variant->source_count));
}

/*
 * How far the mean of m of n numbers in [0, 1], drawn without replacement, is from that of all, but
 * with this probability (Hoeffding; Serfling 1974).
 */
static double away(int32_t m, int32_t n, double failure)
{
    return m >= n ? 0 : sqrt((1 - (m - 1.0) / n) * log(2 / failure) / (2.0 * m));
}

/*
 * Rows of observers and columns of sources of the matrix of epsilons, zeros on its diagonal, are
 * drawn independently: their means are off by `away` of the largest epsilon at most.
 */
static void find_interval(const netdp_i_variant *variant, const netdp_summary *achieved,
                          double *low, double *high)
{
    const int32_t n = netdp_graph_nodes(variant->problem->graph);
    const bool observers = draws_observers(variant), sources = draws_sources(variant);
    const int32_t rows = observers ? variant->observer_count : n;
    const int32_t columns = sources ? variant->source_count : n;
    const double failure = (1 - CONFIDENCE) / (observers + sources), most = achieved->local;
    *low = 0;
    *high = most;
    if (!(achieved->mean < INFINITY) || !(most < INFINITY))
        return;
    const double mean = achieved->mean * (double)achieved->pairs / ((double)rows * columns);
    const double off = most * (away(rows, n, failure) + away(columns, n, failure));
    *low = fmax(0, (mean - off) * n / (n - 1.0));
    *high = fmin(most, (mean + off) * n / (n - 1.0));
}

void netdp_i_sample_tell(const netdp_i_variant *variant, const netdp_summary *achieved,
                         netdp_i_promise *promise)
{
    promise->observers = draws_observers(variant) ? variant->observer_count : 0;
    promise->sources = draws_sources(variant) ? variant->source_count : 0;
    if (promise->observers == 0 && promise->sources == 0)
        return;
    promise->nodes = netdp_graph_nodes(variant->problem->graph);
    promise->alike = !estimates(variant);
    if (promise->alike)
        return;
    netdp_i_guarantee_drawn(&promise->is);
    promise->confidence = CONFIDENCE;
    find_interval(variant, achieved, &promise->low, &promise->high);
}

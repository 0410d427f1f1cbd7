/* Noise that cancels in pairs: who shares it with whom. */
#include "protocol/pairing.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "graph/graph.h"

/* Above it the conditioning of the noise would leave no digits. */
#define MOST_NOISE 1e6

double netdp_i_pairing_kappa(const netdp_pairing *pairing, int32_t node, int32_t index)
{
    return pairing->weighted ? pairing->kappa * netdp_i_graph_weights(pairing->graph, node)[index]
                             : pairing->kappa;
}

void netdp_i_pairing_range(const netdp_pairing *pairing, double *least, double *most)
{
    *least = pairing->weighted ? INFINITY : pairing->kappa;
    *most = pairing->weighted ? 0 : pairing->kappa;
    for (int32_t v = 0; pairing->weighted && v < netdp_graph_nodes(pairing->graph); v++)
        for (int32_t i = 0; i < netdp_graph_degree(pairing->graph, v); i++) {
            *least = fmin(*least, netdp_i_pairing_kappa(pairing, v, i));
            *most = fmax(*most, netdp_i_pairing_kappa(pairing, v, i));
        }
}

bool netdp_pairing_is(const netdp_pairing *pairing)
{
    return pairing->graph != NULL && pairing->kappa > 0;
}

netdp_status netdp_i_pairing_check(const netdp_pairing *pairing, int32_t nodes, netdp_error *error)
{
    if (!(pairing->kappa >= 0 && pairing->kappa <= MOST_NOISE))
        return netdp_i_fail(error, NETDP_INVALID, "pair-noise: %g; give a number from 0 to %g",
                            pairing->kappa, MOST_NOISE);
    if (pairing->kappa > 0 && pairing->graph == NULL)
        return netdp_i_fail(error, NETDP_INVALID,
                            "pair-noise: who shares it? give a pair graph, such as edges");
    if (pairing->graph != NULL && netdp_graph_nodes(pairing->graph) != nodes)
        return netdp_i_fail(error, NETDP_INVALID,
                            "pair-graph: has %d nodes, the network %d; give one of the same nodes",
                            (int)netdp_graph_nodes(pairing->graph), (int)nodes);
    double least, most;
    if (!netdp_pairing_is(pairing) || !pairing->weighted)
        return NETDP_OK;
    if (netdp_graph_edges(pairing->graph) > 0 && netdp_i_graph_weights(pairing->graph, 0) == NULL)
        return netdp_i_fail(
            error, NETDP_INVALID,
            "pair-weights: the pair graph has none; give a file of lines 'u v weight'");
    netdp_i_pairing_range(pairing, &least, &most);
    if (most > MOST_NOISE)
        return netdp_i_fail(error, NETDP_INVALID,
                            "pair-weights: a pair has %g times the noise; at most %g", most,
                            MOST_NOISE);
    return NETDP_OK;
}

/* The edges of a graph as pairs of `nodes` nodes; `node`: the number of each there, NULL: the same. */
static netdp_status take_edges(const netdp_graph *graph, const int32_t *node, int32_t nodes,
                               netdp_graph **pairs, netdp_error *error)
{
    const int64_t edges = netdp_graph_edges(graph);
    const bool weighted = netdp_i_graph_weights(graph, 0) != NULL;
    int64_t made = 0;
    if (node == NULL && !weighted)
        return netdp_i_graph_copy_edges(graph, pairs, error);
    OWNED int32_t *edge = NETDP_I_NEW(int32_t, 2 * edges + 1);
    OWNED double *weight = NETDP_I_NEW(double, edges + 1);
    if (edge == NULL || weight == NULL)
        return netdp_i_no_memory(error);
    for (int32_t v = 0; v < netdp_graph_nodes(graph); v++)
        for (int32_t i = 0; i < netdp_graph_degree(graph, v); i++) {
            const int32_t w = netdp_graph_neighbours(graph, v)[i];
            if (v > w)
                continue;
            if (weighted)
                weight[made / 2] = netdp_i_graph_weights(graph, v)[i];
            edge[made++] = node != NULL ? node[v] : v;
            edge[made++] = node != NULL ? node[w] : w;
        }
    return netdp_graph_from_list(
        &(netdp_edge_list){
            .nodes = nodes, .count = edges, .pair = edge, .weight = weighted ? weight : NULL},
        pairs, NULL, error);
}

/* A graph file names nodes of the network; those that it leaves out share no noise. */
static netdp_status read_pairs(const char *path, const netdp_graph *network, netdp_graph **pairs,
                               netdp_error *error)
{
    OWNED_BY(netdp_graph_free) netdp_graph *read = NULL;
    TRY(netdp_graph_read(path, false, &read, NULL, error));
    const int32_t n = netdp_graph_nodes(read);
    OWNED int32_t *node = NETDP_I_NEW(int32_t, n);
    if (node == NULL)
        return netdp_i_no_memory(error);
    for (int32_t v = 0; v < n; v++) {
        char number[16];
        const char *name = netdp_graph_name(read, v);
        snprintf(number, sizeof number, "%d", (int)v);
        TRY(netdp_i_within(error,
                           netdp_graph_find(network, name != NULL ? name : number, &node[v], error),
                           "pair-graph: %s", path));
    }
    return take_edges(read, node, netdp_graph_nodes(network), pairs, error);
}

/* "complete", "ring", "regular K" or "k-out K" of so many nodes, as netdp_graph_make spells it; else "". */
static void spell_family(const char *name, int nodes, char family[64])
{
    int degree = 0, end = 0;
    family[0] = '\0';
    if (strcmp(name, "complete") == 0 || strcmp(name, "ring") == 0)
        snprintf(family, 64, "%s %d", name, nodes);
    else if (sscanf(name, "regular %9d%n", &degree, &end) == 1 && name[end] == '\0')
        snprintf(family, 64, "regular %d %d", nodes, degree);
    else if (sscanf(name, "k-out %9d%n", &degree, &end) == 1 && name[end] == '\0')
        snprintf(family, 64, "k-out %d %d", nodes, degree);
}

bool netdp_i_pairing_named(const char *name)
{
    char family[64];
    spell_family(name, 2, family);
    return family[0] != '\0' || strcmp(name, "edges") == 0;
}

netdp_status netdp_pairing_graph(const char *name, const netdp_graph *network, uint64_t seed,
                                 netdp_graph **pairs, netdp_error *error)
{
    NETDP_I_GIVEN(error, name && network && pairs);
    const char *slash = strrchr(name, '/'); /* where a file lies is told nobody */
    const char *file = slash != NULL ? slash + 1 : name;
    char family[64];
    OWNED_BY(netdp_graph_free) netdp_graph *made = NULL;
    spell_family(name, netdp_graph_nodes(network), family);
    if (strcmp(name, "edges") == 0) {
        TRY(take_edges(network, NULL, netdp_graph_nodes(network), &made, error));
    } else if (family[0] != '\0') {
        TRY(netdp_i_within(error, netdp_graph_make(family, seed, true, &made, NULL, error),
                           "pair-graph"));
    } else {
        TRY(read_pairs(name, network, &made, error));
    }
    TRY(netdp_i_graph_set_origin(made, file, error));
    *pairs = GIVE(made);
    return NETDP_OK;
}

netdp_status netdp_pairing_revealed(const netdp_graph *pairs, const netdp_mixing *mixing,
                                    const netdp_variation *variation, netdp_graph **left,
                                    netdp_error *error)
{
    NETDP_I_GIVEN(error, pairs && mixing && variation && left);
    const int32_t n = netdp_graph_nodes(pairs);
    int64_t made = 0;
    OWNED bool *living = NETDP_I_NEW(bool, n);
    OWNED int32_t *edge = NETDP_I_NEW(int32_t, 2 * netdp_graph_edges(pairs) + 1);
    OWNED_BY(netdp_graph_free) netdp_graph *found = NULL;
    if (living == NULL || edge == NULL)
        return netdp_i_no_memory(error);
    if (netdp_mixing_rows(mixing).nodes != n)
        return netdp_i_fail(error, NETDP_INVALID, "pair-graph: give one of the network's nodes");
    TRY(netdp_variation_living(mixing, variation, living, NULL, error));
    for (int32_t v = 0; v < n; v++)
        for (int32_t i = 0; i < netdp_graph_degree(pairs, v); i++) {
            const int32_t w = netdp_graph_neighbours(pairs, v)[i];
            if (w <= v || !living[v] || !living[w])
                continue;
            edge[2 * made] = v;
            edge[2 * made++ + 1] = w;
        }
    TRY(netdp_graph_from_edges(n, edge, made, &found, error));
    TRY(netdp_i_graph_set_origin(found, netdp_graph_origin(pairs), error));
    *left = GIVE(found);
    return NETDP_OK;
}

netdp_status netdp_i_pairing_first(const netdp_graph *pairs, int64_t *first, netdp_error *error)
{
    int64_t count = 0;
    for (int32_t v = 0; v < netdp_graph_nodes(pairs); v++) {
        const int32_t *neighbour = netdp_graph_neighbours(pairs, v);
        int32_t smaller = 0;
        while (smaller < netdp_graph_degree(pairs, v) && neighbour[smaller] < v)
            smaller++;
        first[v] = count;
        count += netdp_graph_degree(pairs, v) - smaller;
    }
    return count >> 32 == 0
               ? NETDP_OK
               : netdp_i_fail(error, NETDP_INVALID, "pair-graph: more than 2^32 pairs; give fewer");
}

/* How many of the node's neighbours are below `bound`. */
static int32_t count_below(const netdp_graph *graph, int32_t node, int32_t bound)
{
    const int32_t *neighbour = netdp_graph_neighbours(graph, node);
    int32_t low = 0, high = netdp_graph_degree(graph, node);
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (neighbour[middle] < bound)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t netdp_i_pairing_number(const netdp_graph *pairs, const int64_t *first, int32_t node,
                               int32_t index)
{
    const int32_t other = netdp_graph_neighbours(pairs, node)[index];
    const int32_t least = node < other ? node : other, most = node < other ? other : node;
    return first[least] + count_below(pairs, least, most) - count_below(pairs, least, least);
}

/* size[nodes]: of each node's component of the pair graph without the observers; 0 of an observer. */
static netdp_status find_crowd(const netdp_graph *pairs, const int32_t *observers, int32_t count,
                               int32_t *size, netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(pairs);
    int32_t left = 0; /* that no component has yet */
    int32_t *queue = NETDP_I_NEW(int32_t, n);
    if (queue == NULL)
        return netdp_i_no_memory(error);
    for (int32_t v = 0; v < n; v++)
        size[v] = -1;
    for (int32_t i = 0; i < count; i++)
        size[observers[i]] = 0;
    for (int32_t v = 0; v < n; v++)
        left += size[v] < 0;
    for (int32_t root = 0; root < n; root++) {
        int32_t reached = 0;
        if (size[root] >= 0)
            continue;
        queue[reached++] = root;
        size[root] = 1;
        left--;
        for (int32_t at = 0; at < reached && left > 0; at++)
            for (int32_t i = 0; i < netdp_graph_degree(pairs, queue[at]); i++) {
                const int32_t w = netdp_graph_neighbours(pairs, queue[at])[i];
                if (size[w] >= 0)
                    continue;
                size[w] = 1;
                queue[reached++] = w;
                left--;
            }
        for (int32_t at = 0; at < reached; at++)
            size[queue[at]] = reached;
    }
    netdp_i_free(queue);
    return NETDP_OK;
}

/* Beyond so many edges walked the observers are not gone through one by one. */
#define WALKED 2e9

netdp_status netdp_i_pairing_hiding(const netdp_graph *pairs, const int32_t *to, int32_t count,
                                    bool coalition, netdp_i_hiding *hiding, netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(pairs);
    const int32_t sets = coalition ? 1 : count > 0 ? count : n;
    const bool walk = (double)sets * ((double)n + 2.0 * (double)netdp_graph_edges(pairs)) <= WALKED;
    OWNED int32_t *size = NETDP_I_NEW(int32_t, n);
    netdp_i_hiding found = {.least = walk ? n : 0};
    if (size == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; walk && i < sets; i++) {
        TRY(find_crowd(pairs, count > 0 ? to + i : &i, coalition ? count : 1, size, error));
        for (int32_t u = 0; u < n; u++)
            if (size[u] > 0 && size[u] < found.least) {
                found.least = size[u];
                found.whose = u;
            }
    }
    for (int32_t v = 1; v < n; v++) { /* who has no partner has nothing to lose */
        const int32_t degree = netdp_graph_degree(pairs, v);
        const int32_t least = netdp_graph_degree(pairs, found.thin);
        if (degree > 0 && (least == 0 || degree < least))
            found.thin = v;
    }
    found.partners = netdp_graph_degree(pairs, found.thin);
    *hiding = found;
    return NETDP_OK;
}

void netdp_i_pairing_words(const netdp_pairing *pairing, const netdp_i_hiding *hiding,
                           char text[400])
{
    char among[200] = "", from[32] = "";
    double least, most;
    netdp_i_pairing_range(pairing, &least, &most);
    if (pairing->weighted)
        snprintf(from, sizeof from, "%.6g to ", least);
    if (hiding->least == 1)
        snprintf(among, sizeof among,
                 ",\nbut node %d is hidden from some observer by its own noise alone",
                 (int)hiding->whose);
    else if (hiding->least > 1)
        snprintf(among, sizeof among,
                 ";\neach node has an anonymity set of at least %d nodes: with ever more pairwise "
                 "noise the loss of a contribution falls to %.4g or less",
                 (int)hiding->least, 1.0 / hiding->least);
    snprintf(text, 400,
             "Pairwise noise (%.60s, %" PRId64
             " pairs, %s%g times a node's first noise) cancels in "
             "the sum%s.\nIts assumptions: pairs share keys, and nodes follow the protocol; "
             "%d partner%s of node %d together can remove it.",
             netdp_graph_origin(pairing->graph), netdp_graph_edges(pairing->graph), from, most,
             among, (int)hiding->partners, hiding->partners == 1 ? "" : "s", (int)hiding->thin);
}

void netdp_i_pairing_token_words(const netdp_pairing *pairing, char text[400])
{
    snprintf(text, 400,
             "Pairwise noise (%.60s, %" PRId64
             " pairs, %g times the noise) cancels in every pass; it "
             "hides what lies between observers who collude.\nIts assumptions: pairs share keys, "
             "and nodes follow the protocol.",
             netdp_graph_origin(pairing->graph), netdp_graph_edges(pairing->graph), pairing->kappa);
}

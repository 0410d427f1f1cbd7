/* Breadth first: distances, the diameter, components, and the largest of them alone. */
#include "graph/graph.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"

/* Breadth first from what is in the queue already; returns the number of nodes reached. */
static int32_t spread(const netdp_graph *graph, int32_t *distance, int32_t *queue, int32_t tail)
{
    for (int32_t head = 0; head < tail; head++) {
        int32_t u = queue[head];
        for (int64_t i = graph->start[u]; i < graph->start[u + 1]; i++) {
            int32_t v = graph->neighbour[i];
            if (distance[v] < 0) {
                distance[v] = distance[u] + 1;
                queue[tail++] = v;
            }
        }
    }
    return tail;
}

/* component[v] = 0, 1, ... in order of smallest node; queue is scratch; both [nodes]. */
static int32_t find_components(const netdp_graph *graph, int32_t *component, int32_t *queue)
{
    int32_t count = 0;
    memset(component, 0xff, (size_t)graph->nodes * sizeof *component);
    for (int32_t root = 0; root < graph->nodes; root++) {
        if (component[root] >= 0)
            continue;
        int32_t tail = 0;
        component[root] = count;
        queue[tail++] = root;
        for (int32_t head = 0; head < tail; head++) {
            int32_t u = queue[head];
            for (int64_t i = graph->start[u]; i < graph->start[u + 1]; i++) {
                int32_t v = graph->neighbour[i];
                if (component[v] < 0) {
                    component[v] = count;
                    queue[tail++] = v;
                }
            }
        }
        count++;
    }
    return count;
}

netdp_status netdp_graph_shape(const netdp_graph *graph, int32_t *components, bool *bipartite,
                               netdp_error *error)
{
    NETDP_I_GIVEN(error, graph && components && bipartite);
    OWNED int32_t *distance = NETDP_I_NEW(int32_t, graph->nodes);
    OWNED int32_t *queue = NETDP_I_NEW(int32_t, graph->nodes);
    int32_t count = 0;
    bool even = true;
    if (distance == NULL || queue == NULL)
        return netdp_i_no_memory(error);
    memset(distance, 0xff, (size_t)graph->nodes * sizeof *distance);
    for (int32_t root = 0; root < graph->nodes; root++) {
        if (distance[root] >= 0)
            continue;
        distance[root] = 0;
        queue[0] = root;
        spread(graph, distance, queue, 1);
        count++;
    }
    /* Odd cycles are where an edge joins two nodes at equal parity from the root. */
    for (int32_t u = 0; u < graph->nodes && even; u++)
        for (int64_t i = graph->start[u]; i < graph->start[u + 1]; i++)
            even = even && ((distance[u] ^ distance[graph->neighbour[i]]) & 1);
    *components = count;
    *bipartite = even;
    return NETDP_OK;
}

netdp_status netdp_graph_distances(const netdp_graph *graph, const int32_t *sources, int32_t count,
                                   int32_t *distance, netdp_error *error)
{
    NETDP_I_GIVEN(error, graph && (sources || count == 0) && distance);
    for (int32_t i = 0; i < count; i++)
        if (sources[i] < 0 || sources[i] >= graph->nodes)
            return netdp_i_fail(error, NETDP_INVALID, "no node %d; nodes are 0 to %d",
                                (int)sources[i], (int)graph->nodes - 1);
    int32_t *queue = NETDP_I_NEW(int32_t, graph->nodes);
    if (queue == NULL)
        return netdp_i_no_memory(error);
    memset(distance, 0xff, (size_t)graph->nodes * sizeof *distance);
    int32_t tail = 0;
    for (int32_t i = 0; i < count; i++) {
        if (distance[sources[i]] < 0) {
            distance[sources[i]] = 0;
            queue[tail++] = sources[i];
        }
    }
    spread(graph, distance, queue, tail);
    netdp_i_free(queue);
    return NETDP_OK;
}

enum { SOURCES = 64 }; /* sources of one piece */

struct survey {
    const netdp_graph *graph;
    int32_t *scratch; /* a distance and a queue for each thread */
    int32_t *far;     /* of each piece: the largest distance, -1 where some node is unreachable */
};

static netdp_status survey_piece(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)error;
    struct survey *survey = context;
    int32_t nodes = survey->graph->nodes, far = 0;
    int32_t *distance = survey->scratch + 2 * (int64_t)thread * nodes;
    int32_t *queue = distance + nodes;
    int64_t end = (index + 1) * SOURCES < nodes ? (index + 1) * SOURCES : nodes;
    for (int64_t source = index * SOURCES; source < end && far >= 0; source++) {
        memset(distance, 0xff, (size_t)nodes * sizeof *distance);
        distance[source] = 0;
        queue[0] = (int32_t)source;
        int32_t reached = spread(survey->graph, distance, queue, 1);
        int32_t last = distance[queue[reached - 1]];
        if (reached < nodes)
            far = -1;
        else if (last > far)
            far = last;
    }
    survey->far[index] = far;
    return NETDP_OK;
}

netdp_status netdp_graph_diameter(const netdp_graph *graph, int32_t *diameter, netdp_error *error)
{
    NETDP_I_GIVEN(error, graph && diameter);
    int64_t pieces = ((int64_t)graph->nodes + SOURCES - 1) / SOURCES;
    int32_t components, widest = 0;
    bool bipartite;
    TRY(netdp_graph_shape(graph, &components, &bipartite, error));
    if (components > 1) {
        *diameter = -1;
        return NETDP_OK;
    }
    OWNED int32_t *scratch = NETDP_I_NEW(int32_t, 2 * (int64_t)netdp_i_threads() * graph->nodes);
    OWNED int32_t *far = NETDP_I_NEW(int32_t, pieces);
    if (scratch == NULL || far == NULL)
        return netdp_i_no_memory(error);
    struct survey survey = {graph, scratch, far};
    TRY(netdp_i_for_each(pieces, survey_piece, &survey, NULL, "the diameter", error));
    for (int64_t i = 0; i < pieces; i++)
        if (far[i] > widest)
            widest = far[i];
    *diameter = widest;
    return NETDP_OK;
}

static int32_t root_of(int32_t *parent, int32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

bool netdp_i_edges_connected(int32_t nodes, const netdp_i_edges *edges, int32_t *parent)
{
    int32_t trees = nodes;
    for (int32_t v = 0; v < nodes; v++)
        parent[v] = v;
    for (int64_t i = 0; i < edges->count; i++) {
        int32_t u = root_of(parent, edges->pair[2 * i]);
        int32_t v = root_of(parent, edges->pair[2 * i + 1]);
        trees -= u != v;
        parent[u > v ? u : v] = u > v ? v : u;
    }
    return trees <= 1;
}

/* The rows of the nodes with component[v] == keep; number[v] is their new number. */
static netdp_status restrict_to(const netdp_graph *graph, const int32_t *component, int32_t keep,
                                int32_t *number, netdp_graph **graph_kept, netdp_error *error)
{
    netdp_graph *kept = NETDP_I_NEW(netdp_graph, 1);
    int64_t entries = 0;
    if (kept == NULL)
        return netdp_i_no_memory(error);
    for (int32_t v = 0; v < graph->nodes; v++) {
        if (component[v] == keep) {
            number[v] = kept->nodes++;
            entries += graph->start[v + 1] - graph->start[v];
        }
    }
    kept->start = NETDP_I_NEW(int64_t, (int64_t)kept->nodes + 1);
    kept->neighbour = NETDP_I_NEW(int32_t, entries);
    kept->weight = graph->weight != NULL ? NETDP_I_NEW(double, entries) : NULL;
    if (kept->start == NULL || kept->neighbour == NULL ||
        (graph->weight != NULL && kept->weight == NULL)) {
        netdp_graph_free(kept);
        return netdp_i_no_memory(error);
    }
    entries = 0;
    for (int32_t v = 0; v < graph->nodes; v++) {
        if (component[v] != keep)
            continue;
        for (int64_t i = graph->start[v]; i < graph->start[v + 1]; i++) {
            if (kept->weight != NULL)
                kept->weight[entries] = graph->weight[i];
            kept->neighbour[entries++] = number[graph->neighbour[i]];
        }
        kept->start[number[v] + 1] = entries;
    }
    *graph_kept = kept;
    return NETDP_OK;
}

/* Names of the kept nodes; a node without one was called by its old number and still is. */
static netdp_status carry_names(const netdp_graph *graph, const int32_t *component, int32_t keep,
                                netdp_graph *kept, netdp_error *error)
{
    enum { DIGITS = 12 };
    OWNED const char **label = NETDP_I_NEW(const char *, kept->nodes);
    OWNED int64_t *length = NETDP_I_NEW(int64_t, kept->nodes);
    OWNED char *number = NETDP_I_NEW(char, (int64_t)kept->nodes *DIGITS);
    if (label == NULL || length == NULL || number == NULL)
        return netdp_i_no_memory(error);
    for (int32_t v = 0, at = 0; v < graph->nodes; v++) {
        if (component[v] != keep)
            continue;
        char *mine = number + (int64_t)at * DIGITS;
        snprintf(mine, DIGITS, "%d", (int)v);
        label[at] = netdp_graph_name(graph, v) != NULL ? netdp_graph_name(graph, v) : mine;
        length[at] = (int64_t)strlen(label[at]);
        at++;
    }
    return netdp_i_graph_set_names(kept, label, length, error);
}

static netdp_status carry_positions(const netdp_graph *graph, const int32_t *component,
                                    int32_t keep, netdp_graph *kept, netdp_error *error)
{
    if (graph->position == NULL)
        return NETDP_OK;
    kept->position = NETDP_I_NEW(double, 2 * (int64_t)kept->nodes);
    if (kept->position == NULL)
        return netdp_i_no_memory(error);
    for (int64_t v = 0, at = 0; v < 2 * (int64_t)graph->nodes; v++)
        if (component[v % graph->nodes] == keep)
            kept->position[at++] = graph->position[v];
    return NETDP_OK;
}

netdp_status netdp_i_graph_keep_giant(netdp_graph **graph, netdp_graph_notes *notes,
                                      netdp_error *error)
{
    OWNED_BY(netdp_graph_free) netdp_graph *kept = NULL;
    netdp_graph *whole = *graph;
    OWNED int32_t *component = NETDP_I_NEW(int32_t, whole->nodes);
    OWNED int32_t *scratch = NETDP_I_NEW(int32_t, whole->nodes);
    if (component == NULL || scratch == NULL)
        return netdp_i_no_memory(error);
    int32_t count = find_components(whole, component, scratch), largest = 0;
    if (count <= 1)
        return NETDP_OK;
    memset(scratch, 0, (size_t)whole->nodes * sizeof *scratch);
    for (int32_t v = 0; v < whole->nodes; v++)
        scratch[component[v]]++;
    for (int32_t c = 1; c < count; c++)
        if (scratch[c] > scratch[largest])
            largest = c;
    TRY(restrict_to(whole, component, largest, scratch, &kept, error));
    TRY(carry_names(whole, component, largest, kept, error));
    TRY(carry_positions(whole, component, largest, kept, error));
    if (whole->origin != NULL)
        TRY(netdp_i_graph_set_origin(kept, whole->origin, error));
    if (notes != NULL)
        notes->outside += whole->nodes - kept->nodes;
    netdp_graph_free(whole);
    *graph = GIVE(kept);
    return NETDP_OK;
}

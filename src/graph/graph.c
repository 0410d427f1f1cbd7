#include "graph/graph.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"

netdp_status netdp_i_edges_reserve(netdp_i_edges *edges, int64_t room, netdp_error *error)
{
    if (room <= edges->room)
        return NETDP_OK;
    int32_t *grown = netdp_i_grow(edges->pair, room, 2 * sizeof *edges->pair);
    if (grown == NULL)
        return netdp_i_no_memory(error);
    edges->pair = grown;
    if (edges->weight != NULL) {
        double *weight = netdp_i_grow(edges->weight, room, sizeof *weight);
        if (weight == NULL)
            return netdp_i_no_memory(error);
        edges->weight = weight;
    }
    edges->room = room;
    return NETDP_OK;
}

netdp_status netdp_i_edges_add(netdp_i_edges *edges, int32_t u, int32_t v, netdp_error *error)
{
    if (edges->count == edges->room)
        TRY(netdp_i_edges_reserve(edges, edges->room == 0 ? 64 : edges->room * 2, error));
    edges->pair[2 * edges->count] = u;
    edges->pair[2 * edges->count + 1] = v;
    if (edges->weight != NULL)
        edges->weight[edges->count] = NAN;
    edges->count++;
    return NETDP_OK;
}

void netdp_i_edges_free(netdp_i_edges *edges)
{
    netdp_i_free(edges->pair);
    netdp_i_free(edges->weight);
    *edges = (netdp_i_edges){0};
}

/* Compressed rows while they are sorted: `index` (weighted graphs only) is the pair of an entry. */
struct rows {
    int64_t *start;
    int32_t *column;
    int64_t *index;
};

static void free_rows(struct rows *rows)
{
    netdp_i_free(rows->start);
    netdp_i_free(rows->column);
    netdp_i_free(rows->index);
    *rows = (struct rows){0};
}

static bool new_rows(struct rows *rows, int32_t nodes, int64_t entries, bool indexed)
{
    rows->start = NETDP_I_NEW(int64_t, (int64_t)nodes + 1);
    rows->column = NETDP_I_NEW(int32_t, entries);
    rows->index = indexed ? NETDP_I_NEW(int64_t, entries) : NULL;
    return rows->start != NULL && rows->column != NULL && (!indexed || rows->index != NULL);
}

/* start[v+1] holds the entries of v; afterwards start is the running sum. */
static void running_sum(int64_t *start, int32_t nodes)
{
    for (int32_t v = 0; v < nodes; v++)
        start[v + 1] += start[v];
}

/* Both directions of every pair that is no loop, each row in the order of the pairs. */
static void scatter(int32_t nodes, const netdp_i_edges *edges, struct rows *rows, int64_t *next)
{
    memcpy(next, rows->start, (size_t)nodes * sizeof *next);
    for (int64_t i = 0; i < edges->count; i++) {
        int32_t u = edges->pair[2 * i], v = edges->pair[2 * i + 1];
        if (u == v)
            continue;
        int64_t at_u = next[u]++, at_v = next[v]++;
        rows->column[at_u] = v;
        rows->column[at_v] = u;
        if (rows->index != NULL)
            rows->index[at_u] = rows->index[at_v] = i;
    }
}

/* Are they in order already, as those of edges that come in order are? */
static bool are_sorted(int32_t nodes, const struct rows *rows)
{
    for (int32_t v = 0; v < nodes; v++)
        for (int64_t i = rows->start[v] + 1; i < rows->start[v + 1]; i++)
            if (rows->column[i - 1] > rows->column[i])
                return false;
    return true;
}

/* The transpose of a symmetric pattern is itself, with every row in ascending order. */
static void transpose(int32_t nodes, const struct rows *from, struct rows *to, int64_t *next)
{
    memcpy(to->start, from->start, ((size_t)nodes + 1) * sizeof *to->start);
    memcpy(next, from->start, (size_t)nodes * sizeof *next);
    for (int32_t v = 0; v < nodes; v++) {
        for (int64_t i = from->start[v]; i < from->start[v + 1]; i++) {
            int64_t at = next[from->column[i]]++;
            to->column[at] = v;
            if (to->index != NULL)
                to->index[at] = from->index[i];
        }
    }
}

/* Both directions of every pair that is no loop, each row in ascending order. */
static netdp_status sort_rows(int32_t nodes, const netdp_i_edges *edges, int64_t entries,
                              struct rows *sorted, netdp_error *error)
{
    const bool weighted = edges->weight != NULL;
    CLEARED(free_rows) struct rows loose = {0};
    OWNED int64_t *next = NETDP_I_NEW(int64_t, nodes);
    if (next == NULL || !new_rows(&loose, nodes, entries, weighted))
        return netdp_i_no_memory(error);
    for (int64_t i = 0; i < edges->count; i++) {
        int32_t u = edges->pair[2 * i], v = edges->pair[2 * i + 1];
        loose.start[u + 1] += u != v;
        loose.start[v + 1] += u != v;
    }
    running_sum(loose.start, nodes);
    scatter(nodes, edges, &loose, next);
    if (are_sorted(nodes, &loose)) {
        *sorted = loose;
        loose = (struct rows){0};
        return NETDP_OK;
    }
    if (!new_rows(sorted, nodes, entries, weighted))
        return netdp_i_no_memory(error);
    transpose(nodes, &loose, sorted, next);
    return NETDP_OK;
}

/*
 * Drops repeats in place and, where there are weights, writes one per entry kept. The first weight
 * that an edge has stands; false with the later pair in `clash` where another differs from it.
 */
static bool merge_repeats(int32_t nodes, struct rows *rows, const double *given, double *weight,
                          int64_t *clash)
{
    int64_t kept = 0, begin = 0;
    for (int32_t v = 0; v < nodes; v++) {
        int64_t end = rows->start[v + 1], first = kept;
        for (int64_t i = begin; i < end; i++) {
            bool repeat = kept > first && rows->column[kept - 1] == rows->column[i];
            if (!repeat) {
                rows->column[kept] = rows->column[i];
                if (weight != NULL)
                    weight[kept] = NAN;
                kept++;
            }
            if (weight == NULL || isnan(given[rows->index[i]]))
                continue;
            double mine = given[rows->index[i]];
            if (isnan(weight[kept - 1])) {
                weight[kept - 1] = mine;
            } else if (weight[kept - 1] < mine || weight[kept - 1] > mine) {
                *clash = rows->index[i];
                return false;
            }
        }
        begin = end;
        rows->start[v + 1] = kept;
    }
    return true;
}

netdp_status netdp_i_graph_build(int32_t nodes, const netdp_i_edges *edges, netdp_graph **graph,
                                 netdp_graph_notes *notes, int64_t *clash, netdp_error *error)
{
    CLEARED(free_rows) struct rows sorted = {0};
    OWNED double *weight = NULL;
    bool weighted = edges->weight != NULL;
    int64_t loops = 0, clashing = -1;
    for (int64_t i = 0; i < edges->count; i++)
        loops += edges->pair[2 * i] == edges->pair[2 * i + 1];
    int64_t entries = 2 * (edges->count - loops);
    TRY(sort_rows(nodes, edges, entries, &sorted, error));
    if (weighted && (weight = NETDP_I_NEW(double, entries)) == NULL)
        return netdp_i_no_memory(error);
    if (!merge_repeats(nodes, &sorted, edges->weight, weight, &clashing)) {
        if (clash != NULL)
            *clash = clashing;
        return netdp_i_fail(error, NETDP_INVALID,
                            "an edge has two different weights; keep one of them");
    }
    netdp_graph *built = NETDP_I_NEW(netdp_graph, 1);
    if (built == NULL)
        return netdp_i_no_memory(error);
    if (notes != NULL) {
        notes->self_loops += loops;
        notes->repeats += (entries - sorted.start[nodes]) / 2;
    }
    *built = (netdp_graph){.nodes = nodes,
                           .start = GIVE(sorted.start),
                           .neighbour = GIVE(sorted.column),
                           .weight = GIVE(weight)};
    *graph = built;
    return NETDP_OK;
}

netdp_status netdp_i_graph_copy_edges(const netdp_graph *graph, netdp_graph **copy,
                                      netdp_error *error)
{
    const int64_t entries = graph->start[graph->nodes];
    OWNED_BY(netdp_graph_free) netdp_graph *made = NETDP_I_NEW(netdp_graph, 1);
    if (made == NULL)
        return netdp_i_no_memory(error);
    made->nodes = graph->nodes;
    made->start = NETDP_I_NEW(int64_t, (int64_t)graph->nodes + 1);
    made->neighbour = NETDP_I_NEW(int32_t, entries);
    if (made->start == NULL || made->neighbour == NULL)
        return netdp_i_no_memory(error);
    memcpy(made->start, graph->start, ((size_t)graph->nodes + 1) * sizeof *made->start);
    memcpy(made->neighbour, graph->neighbour, (size_t)entries * sizeof *made->neighbour);
    *copy = GIVE(made);
    return NETDP_OK;
}

static netdp_status check_list(const netdp_edge_list *list, netdp_error *error)
{
    if (list->nodes < 1)
        return netdp_i_fail(error, NETDP_INVALID, "%d nodes; a graph has at least one",
                            (int)list->nodes);
    if (list->nodes == INT32_MAX || list->count < 0)
        return netdp_i_fail(error, NETDP_INVALID, "%d nodes and %" PRId64 " edges; out of range",
                            (int)list->nodes, list->count);
    NETDP_I_GIVEN(error, list->count == 0 || list->pair != NULL);
    for (int64_t i = 0; i < 2 * list->count; i++)
        if (list->pair[i] < 0 || list->pair[i] >= list->nodes)
            return netdp_i_fail(error, NETDP_INVALID,
                                "edge %" PRId64 " ends in node %d; nodes are 0 to %d", i / 2,
                                (int)list->pair[i], (int)list->nodes - 1);
    for (int64_t i = 0; list->weight != NULL && i < list->count; i++)
        if (!(list->weight[i] > 0 && isfinite(list->weight[i])))
            return netdp_i_fail(error, NETDP_INVALID,
                                "edge %" PRId64 " has the weight %g; weights are above 0", i,
                                list->weight[i]);
    return NETDP_OK;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Distinct, not empty, and what a message or a table can show. */
static netdp_status check_names(const char *const *name, int32_t nodes, netdp_error *error)
{
    OWNED const char **sorted = NETDP_I_NEW(const char *, nodes);
    if (sorted == NULL)
        return netdp_i_no_memory(error);
    for (int32_t v = 0; v < nodes; v++) {
        uint32_t code;
        size_t length = 1;
        sorted[v] = name[v] != NULL ? name[v] : "";
        for (const char *at = sorted[v]; *at != '\0' && length > 0; at += length)
            length = netdp_i_utf8(at, strlen(at), &code);
        if (sorted[v][0] == '\0' || length == 0)
            return netdp_i_fail(error, NETDP_INVALID,
                                "node %d: its name is %s; give each node a name of its own", (int)v,
                                sorted[v][0] == '\0' ? "empty" : "not UTF-8");
    }
    qsort(sorted, (size_t)nodes, sizeof *sorted, compare_names);
    for (int32_t v = 1; v < nodes; v++)
        if (strcmp(sorted[v - 1], sorted[v]) == 0)
            return netdp_i_fail(error, NETDP_INVALID,
                                "two nodes have the name '%s'; give each one of its own",
                                netdp_i_show_text(sorted[v]).text);
    return NETDP_OK;
}

static netdp_status name_nodes(netdp_graph *graph, const char *const *name, netdp_error *error)
{
    OWNED int64_t *length = NETDP_I_NEW(int64_t, graph->nodes);
    if (length == NULL)
        return netdp_i_no_memory(error);
    for (int32_t v = 0; v < graph->nodes; v++)
        length[v] = (int64_t)strlen(name[v]);
    return netdp_i_graph_set_names(graph, name, length, error);
}

netdp_status netdp_graph_from_list(const netdp_edge_list *list, netdp_graph **graph,
                                   netdp_graph_notes *notes, netdp_error *error)
{
    NETDP_I_GIVEN(error, list && graph);
    /* The list is only read; the casts drop a const that netdp_i_edges cannot carry. */
    const netdp_i_edges edges = {.pair = (int32_t *)(uintptr_t)list->pair,
                                 .weight = (double *)(uintptr_t)list->weight,
                                 .count = list->count};
    OWNED_BY(netdp_graph_free) netdp_graph *built = NULL;
    netdp_graph_notes counted = {0};
    int64_t clash = -1;
    TRY(check_list(list, error));
    if (list->name != NULL)
        TRY(check_names(list->name, list->nodes, error));
    const netdp_status status =
        netdp_i_graph_build(list->nodes, &edges, &built, &counted, &clash, error);
    if (clash >= 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "edge %" PRId64 " repeats the edge from node %d to node %d with "
                            "another weight; give it once",
                            clash, (int)list->pair[2 * clash], (int)list->pair[2 * clash + 1]);
    TRY(status);
    if (list->weight != NULL)
        counted.weights = list->count;
    if (list->name != NULL)
        TRY(name_nodes(built, list->name, error));
    TRY(netdp_i_graph_set_origin(built, list->origin != NULL ? list->origin : "edges", error));
    *graph = GIVE(built);
    if (notes != NULL)
        *notes = counted;
    return NETDP_OK;
}

netdp_status netdp_graph_from_edges(int32_t nodes, const int32_t *edges, int64_t count,
                                    netdp_graph **graph, netdp_error *error)
{
    NETDP_I_GIVEN(error, (edges || count == 0) && graph);
    const netdp_edge_list list = {.nodes = nodes, .count = count, .pair = edges};
    return netdp_graph_from_list(&list, graph, NULL, error);
}

netdp_status netdp_i_graph_set_origin(netdp_graph *graph, const char *origin, netdp_error *error)
{
    char *copy = netdp_i_copy_text(origin);
    if (copy == NULL)
        return netdp_i_no_memory(error);
    netdp_i_free(graph->origin);
    graph->origin = copy;
    return NETDP_OK;
}

/* Is the label the node's own number, written as we write it? */
static bool is_own_number(const char *label, int64_t length, int32_t node)
{
    char number[NETDP_I_DIGITS];
    const size_t digits = netdp_i_write_digits((uint64_t)node, number);
    return (size_t)length == digits && memcmp(label, number, digits) == 0;
}

netdp_status netdp_i_graph_set_names(netdp_graph *graph, const char *const *label,
                                     const int64_t *length, netdp_error *error)
{
    int64_t bytes = 0, named = 0, used = 0;
    int64_t *name = NULL;
    char *text = NULL;
    for (int32_t v = 0; v < graph->nodes; v++) {
        if (!is_own_number(label[v], length[v], v)) {
            bytes += length[v] + 1;
            named++;
        }
    }
    if (named > 0) {
        name = NETDP_I_NEW(int64_t, graph->nodes);
        text = NETDP_I_NEW(char, bytes);
        if (name == NULL || text == NULL) {
            netdp_i_free(name);
            netdp_i_free(text);
            return netdp_i_no_memory(error);
        }
        for (int32_t v = 0; v < graph->nodes; v++) {
            name[v] = -1;
            if (is_own_number(label[v], length[v], v))
                continue;
            name[v] = used;
            memcpy(text + used, label[v], (size_t)length[v]);
            used += length[v] + 1; /* the NUL is there already */
        }
    }
    netdp_i_free(graph->name);
    netdp_i_free(graph->name_text);
    graph->name = name;
    graph->name_text = text;
    graph->name_bytes = bytes;
    return NETDP_OK;
}

void netdp_graph_free(netdp_graph *graph)
{
    if (graph == NULL)
        return;
    if (!graph->lent) {
        netdp_i_free(graph->start);
        netdp_i_free(graph->neighbour);
        netdp_i_free(graph->weight);
        netdp_i_free(graph->name);
        netdp_i_free(graph->name_text);
        netdp_i_free(graph->origin);
        netdp_i_free(graph->position);
    }
    netdp_i_free(graph);
}

int32_t netdp_graph_nodes(const netdp_graph *graph)
{
    return graph->nodes;
}

int64_t netdp_graph_edges(const netdp_graph *graph)
{
    return graph->start[graph->nodes] / 2;
}

int32_t netdp_graph_degree(const netdp_graph *graph, int32_t node)
{
    return (int32_t)(graph->start[node + 1] - graph->start[node]);
}

const int32_t *netdp_graph_neighbours(const netdp_graph *graph, int32_t node)
{
    return graph->neighbour + graph->start[node];
}

const double *netdp_i_graph_weights(const netdp_graph *graph, int32_t node)
{
    return graph->weight == NULL ? NULL : graph->weight + graph->start[node];
}

const char *netdp_graph_name(const netdp_graph *graph, int32_t node)
{
    return graph->name == NULL || graph->name[node] < 0 ? NULL
                                                        : graph->name_text + graph->name[node];
}

const char *netdp_graph_origin(const netdp_graph *graph)
{
    return graph->origin;
}

bool netdp_graph_positions(const netdp_graph *graph, const double **x, const double **y)
{
    if (graph->position == NULL)
        return false;
    *x = graph->position;
    *y = graph->position + graph->nodes;
    return true;
}

/* Is some node's name a number? Then a number is a name, and no place in an order. */
static bool has_numbers(const netdp_graph *graph)
{
    for (int32_t v = 0; graph->name != NULL && v < graph->nodes; v++) {
        const char *name = graph->name[v] >= 0 ? graph->name_text + graph->name[v] : NULL;
        if (name != NULL && name[0] != '\0' && name[strspn(name, "0123456789")] == '\0')
            return true;
    }
    return false;
}

static netdp_status fail_no_node(const netdp_graph *graph, const char *name, bool by_number,
                                 netdp_error *error)
{
    const char *nearest = NULL;
    size_t least = SIZE_MAX;
    for (int32_t v = 0; graph->name != NULL && v < graph->nodes; v++) {
        const char *other = graph->name[v] >= 0 ? graph->name_text + graph->name[v] : NULL;
        const size_t distance = other == NULL ? SIZE_MAX
                                : netdp_i_hardly_differ(other, name)
                                    ? 0
                                    : netdp_i_distance(other, name);
        if (distance < least) {
            least = distance;
            nearest = other;
        }
    }
    const netdp_i_shown shown = netdp_i_show(name, strlen(name));
    if (nearest == NULL)
        return netdp_i_fail(error, NETDP_INVALID, "no node '%s'; give a number from 0 to %d",
                            shown.text, (int)graph->nodes - 1);
    if (!by_number)
        return netdp_i_fail(error, NETDP_INVALID,
                            "no node '%s'; give a node's name, the nearest is '%s'", shown.text,
                            netdp_i_show_text(nearest).text);
    return netdp_i_fail(error, NETDP_INVALID,
                        "no node '%s'; give a node's name or a number from 0 to %d; the nearest "
                        "name is '%s'",
                        shown.text, (int)graph->nodes - 1, netdp_i_show_text(nearest).text);
}

netdp_status netdp_graph_find(const netdp_graph *graph, const char *name, int32_t *node,
                              netdp_error *error)
{
    NETDP_I_GIVEN(error, graph && name && node);
    for (int32_t v = 0; graph->name != NULL && v < graph->nodes; v++) {
        if (graph->name[v] >= 0 && strcmp(graph->name_text + graph->name[v], name) == 0) {
            *node = v;
            return NETDP_OK;
        }
    }
    size_t length = strlen(name);
    /* Ten digits hold every node number; more would overflow strtoll sooner or later. */
    if (length > 0 && length <= 10 && strspn(name, "0123456789") == length) {
        long long number = strtoll(name, NULL, 10);
        const bool nameless =
            number < graph->nodes && (graph->name == NULL || graph->name[number] < 0);
        if (nameless || (number < graph->nodes && !has_numbers(graph))) {
            *node = (int32_t)number;
            return NETDP_OK;
        }
    }
    return fail_no_node(graph, name, !has_numbers(graph), error);
}

/*
 * JSON as networkx's node_link_data and d3 write graphs: {"nodes": [{"id": 7}, ...], "links" or "edges":
 * [{"source": 7, "target": 8, "weight": 2}, ...]}. Ends are ids, and never places in the list.
 */
#include "graph/collect.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <jansson.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"

struct node_link {
    netdp_i_collection *collection;
    json_t *nodes, *edges;
    char *own; /* the ids, each with a NUL */
    int64_t used, room;
};

enum { NUMBER_ROOM = 32 };

static netdp_status fail(const struct node_link *n, netdp_error *error, const char *what)
{
    return netdp_i_fail(error, NETDP_INVALID, "%s: %s", n->collection->path, what);
}

/* Something to see on one line, as of all names of nodes. */
static bool is_plain(const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        uint32_t code;
        const size_t bytes = netdp_i_utf8(text + i, length - i, &code);
        if (bytes == 0 || !netdp_i_printable(code))
            return false;
        i += bytes;
    }
    return length > 0;
}

/* A node's id as text: of a string itself, of a whole number its digits in `room`; false: it is neither. */
static bool id_of(const json_t *value, char room[NUMBER_ROOM], netdp_i_token *id)
{
    if (json_is_integer(value)) {
        const int length =
            snprintf(room, NUMBER_ROOM, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        *id = (netdp_i_token){room, length};
        return true;
    }
    if (!json_is_string(value) || !is_plain(json_string_value(value), json_string_length(value)))
        return false;
    *id = (netdp_i_token){json_string_value(value), (int64_t)json_string_length(value)};
    return true;
}

/* The two lists; or whose JSON it is instead. */
static netdp_status find_lists(struct node_link *n, const json_t *root, netdp_error *error)
{
    static const struct {
        const char *key, *what;
    } other[] = {
        {"adjacency", "networkx's adjacency_data, which is not read; write node_link_data"},
        {"elements", "Cytoscape's JSON, which is not read; write networkx's node_link_data"},
        {"children", "networkx's tree_data, which is not read; write node_link_data"},
        {"graphs", "several graphs (JSON Graph Format), which are not read; write node-link JSON"},
        {"graph", "a graph within 'graph' (JSON Graph Format, Sigma), which is not read; write "
                  "node-link JSON"},
        {"data", "a figure's or table's JSON; a graph has 'nodes' and 'links' or 'edges'"},
    };
    static const char *const more[] = {"hyperedges", "hyperlinks", "arcs", "combos"};
    json_t *links = json_object_get(root, "links"), *edges = json_object_get(root, "edges");
    for (size_t k = 0; k < sizeof more / sizeof *more; k++)
        if (json_array_size(json_object_get(root, more[k])) > 0)
            return netdp_i_fail(
                error, NETDP_INVALID,
                "%s: '%s' beside the edges would be left out; write them as edges, or "
                "remove them",
                n->collection->path, more[k]);
    n->nodes = json_object_get(root, "nodes");
    n->edges = links != NULL ? links : edges;
    if (json_is_array(n->nodes) && json_is_array(n->edges) && (links == NULL || edges == NULL))
        return NETDP_OK;
    if (links != NULL && edges != NULL)
        return fail(n, error, "'links' and 'edges' both; keep the one that lists the edges");
    for (size_t k = 0; k < sizeof other / sizeof *other; k++)
        if (json_object_get(root, other[k].key) != NULL)
            return fail(n, error, other[k].what);
    return fail(n, error,
                "no node-link JSON, which is an object with lists 'nodes' and 'links' or 'edges'; "
                "write networkx's node_link_data");
}

static netdp_status keep_id(struct node_link *n, netdp_i_token id, netdp_error *error)
{
    if (n->used + id.length + 1 > n->room) {
        const int64_t room = 2 * n->room + id.length + 256;
        char *grown = netdp_i_grow(n->own, room, 1);
        if (grown == NULL)
            return netdp_i_no_memory(error);
        n->own = grown;
        n->room = room;
    }
    memcpy(n->own + n->used, id.text, (size_t)id.length);
    n->used += id.length + 1;
    n->own[n->used - 1] = '\0';
    return NETDP_OK;
}

/* Nodes without 'id': what else writes such files, by a key that its nodes have. */
static netdp_status fail_id(const struct node_link *n, size_t i, const json_t *node,
                            netdp_error *error)
{
    static const struct {
        const char *key, *name;
    } others[] = {
        {"data", "Cytoscape's JSON"},
        {"key", "Graphology's JSON"},
        {"name", "d3's older JSON, whose links say places in 'nodes'"},
    };
    const bool none = json_object_get(node, "id") == NULL;
    for (size_t k = 0; none && k < sizeof others / sizeof *others; k++)
        if (json_object_get(node, others[k].key) != NULL)
            return netdp_i_fail(
                error, NETDP_INVALID,
                "%s: is not read: it is %s (node %zu has no 'id'); write networkx's "
                "node_link_data",
                n->collection->path, others[k].name, i);
    return netdp_i_fail(error, NETDP_INVALID,
                        "%s: node %zu has no 'id' that is a whole number or a name on one line; "
                        "give each node one",
                        n->collection->path, i);
}

static netdp_status read_ids(struct node_link *n, netdp_error *error)
{
    size_t i;
    const json_t *node;
    json_array_foreach (n->nodes, i, node) {
        char room[NUMBER_ROOM];
        netdp_i_token id;
        if (!id_of(json_object_get(node, "id"), room, &id))
            return fail_id(n, i, node, error);
        TRY(keep_id(n, id, error));
    }
    return i > 0 ? NETDP_OK : fail(n, error, "no node; a graph has at least one");
}

/* *clash: of two nodes one id, or of numbers one value. */
static netdp_status collect_ids(struct node_link *n, bool numeric, bool *fit, const char **clash,
                                netdp_error *error)
{
    netdp_i_labels_clear(&n->collection->labels);
    n->collection->numeric = numeric;
    *fit = true;
    for (const char *at = n->own; at < n->own + n->used && *fit; at += strlen(at) + 1) {
        int32_t id;
        const netdp_i_collected found =
            netdp_i_collect_label(n->collection, (netdp_i_token){at, (int64_t)strlen(at)}, &id);
        if (found == NETDP_I_FULL)
            return netdp_i_no_memory(error);
        *fit = found == NETDP_I_NEW_LABEL;
        *clash = at;
    }
    return NETDP_OK;
}

static netdp_status collect_nodes(struct node_link *n, netdp_error *error)
{
    bool fit = false;
    const char *clash = "";
    TRY(read_ids(n, error));
    TRY(collect_ids(n, true, &fit, &clash, error));
    if (!fit)
        TRY(collect_ids(n, false, &fit, &clash, error));
    if (!fit)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: two nodes have the id '%s'; give each one of its own",
                            n->collection->path, netdp_i_show_text(clash).text);
    return NETDP_OK;
}

static netdp_status read_end(struct node_link *n, size_t i, const json_t *edge, const char *which,
                             int32_t *end, netdp_error *error)
{
    char room[NUMBER_ROOM];
    netdp_i_token id;
    const int32_t nodes = n->collection->labels.count;
    if (!id_of(json_object_get(edge, which), room, &id))
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: edge %zu has no '%s' that is a node's id; give it one",
                            n->collection->path, i, which);
    const netdp_i_collected found = netdp_i_collect_label(n->collection, id, end);
    if (found == NETDP_I_FULL)
        return netdp_i_no_memory(error);
    if (found != NETDP_I_OLD || *end >= nodes)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: edge %zu has the %s '%s', which is no node's id; list that node, "
                            "or correct the edge",
                            n->collection->path, i, which,
                            netdp_i_show(id.text, (size_t)id.length).text);
    return NETDP_OK;
}

static netdp_status collect_edges(struct node_link *n, netdp_error *error)
{
    size_t i;
    json_t *edge;
    json_array_foreach (n->edges, i, edge) {
        int32_t end[2];
        const char *key;
        json_t *value_of;
        json_object_foreach (edge, key, value_of)
            netdp_i_collect_attribute(n->collection, (netdp_i_token){key, (int64_t)strlen(key)});
        const json_t *weight = json_object_get(edge, "weight");
        const bool bare = weight == NULL || json_is_null(weight);
        const double value = bare ? NAN : json_is_number(weight) ? json_number_value(weight) : -1;
        TRY(read_end(n, i, edge, "source", &end[0], error));
        TRY(read_end(n, i, edge, "target", &end[1], error));
        if (!bare && !(value > 0 && value < INFINITY))
            return netdp_i_fail(error, NETDP_INVALID,
                                "%s: edge %zu has a weight that is no positive number; correct or "
                                "remove it",
                                n->collection->path, i);
        TRY(netdp_i_collect_edge(n->collection, end[0], end[1], value, 0, error));
    }
    return NETDP_OK;
}

netdp_status netdp_i_collect_node_link(netdp_i_collection *collection, const char *text,
                                       int64_t bytes, char **own, netdp_error *error)
{
    struct node_link n = {.collection = collection};
    json_error_t where;
    if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        bytes -= 3;
    }
    OWNED_BY(json_decref)
    json_t *root = json_loadb(text, (size_t)bytes, JSON_REJECT_DUPLICATES, &where);
    if (root == NULL && json_error_code(&where) == json_error_out_of_memory)
        return netdp_i_no_memory(error);
    if (root == NULL)
        return netdp_i_fail(error, NETDP_INVALID, "%s:%d: %s; give a whole JSON file",
                            collection->path, where.line > 0 ? where.line : 1,
                            netdp_i_show_text(where.text).text);
    TRY(find_lists(&n, root, error));
    const netdp_status status = collect_nodes(&n, error);
    *own = n.own;
    TRY(status);
    return collect_edges(&n, error);
}

#include "graph/collect.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"

void netdp_i_labels_clear(netdp_i_labels *labels)
{
    netdp_i_free(labels->slot);
    netdp_i_free(labels->where);
    netdp_i_free(labels->length);
    netdp_i_free(labels->value);
    *labels = (netdp_i_labels){0};
}

/* SplitMix64's finaliser. */
static uint64_t scramble(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

static uint64_t hash_text(netdp_i_token token)
{
    uint64_t hash = (uint64_t)token.length;
    int64_t i = 0;
    for (; i + 8 <= token.length; i += 8) {
        uint64_t word;
        memcpy(&word, token.text + i, 8);
        hash = scramble(hash ^ word);
    }
    uint64_t rest = 0;
    memcpy(&rest, token.text + i, (size_t)(token.length - i));
    return scramble(hash ^ rest ^ 0x9E3779B97F4A7C15ull);
}

static bool grow_slots(netdp_i_labels *labels)
{
    int64_t slots = labels->slots == 0 ? 1024 : labels->slots * 4;
    struct netdp_i_slot *grown = NETDP_I_NEW(struct netdp_i_slot, slots);
    if (grown == NULL)
        return false;
    for (int64_t i = 0; i < slots; i++)
        grown[i].id = -1;
    for (int32_t id = 0; id < labels->count; id++) {
        uint64_t hash = labels->value != NULL
                            ? scramble(labels->value[id])
                            : hash_text((netdp_i_token){labels->where[id], labels->length[id]});
        int64_t at = (int64_t)(hash & (uint64_t)(slots - 1));
        while (grown[at].id >= 0)
            at = (at + 1) & (slots - 1);
        grown[at] = (struct netdp_i_slot){(uint32_t)(hash >> 32), id};
    }
    netdp_i_free(labels->slot);
    labels->slot = grown;
    labels->slots = slots;
    return true;
}

static bool grow_labels(netdp_i_labels *labels, bool numeric)
{
    int64_t room = labels->room == 0 ? 256 : (int64_t)labels->room * 2;
    if (room > INT32_MAX - 1)
        room = INT32_MAX - 1;
    const char **where = netdp_i_grow(labels->where, room, sizeof *where);
    if (where == NULL)
        return false;
    labels->where = where;
    int64_t *length = netdp_i_grow(labels->length, room, sizeof *length);
    if (length == NULL)
        return false;
    labels->length = length;
    if (numeric) {
        uint64_t *value = netdp_i_grow(labels->value, room, sizeof *value);
        if (value == NULL)
            return false;
        labels->value = value;
    }
    labels->room = (int32_t)room;
    return true;
}
static netdp_i_collected add_label(netdp_i_collection *collection, netdp_i_token token,
                                   uint64_t value, struct netdp_i_slot slot, int64_t at)
{
    netdp_i_labels *labels = &collection->labels;
    if (labels->count == INT32_MAX - 1)
        return NETDP_I_TOO_MANY;
    if (labels->count == labels->room && !grow_labels(labels, collection->numeric))
        return NETDP_I_FULL;
    int32_t id = labels->count++;
    labels->where[id] = token.text;
    labels->length[id] = token.length;
    if (collection->numeric)
        labels->value[id] = value;
    slot.id = id;
    labels->slot[at] = slot;
    return NETDP_I_NEW_LABEL;
}

netdp_i_collected netdp_i_collect_label(netdp_i_collection *collection, netdp_i_token token,
                                        int32_t *id)
{
    netdp_i_labels *labels = &collection->labels;
    uint64_t value = 0, hash;
    if (collection->numeric && !netdp_i_token_integer(token, &value))
        return NETDP_I_NO_NUMBER;
    hash = collection->numeric ? scramble(value) : hash_text(token);
    if ((int64_t)labels->count * 2 >= labels->slots && !grow_slots(labels))
        return NETDP_I_FULL;
    struct netdp_i_slot mine = {(uint32_t)(hash >> 32), -1};
    int64_t at = (int64_t)(hash & (uint64_t)(labels->slots - 1));
    for (; labels->slot[at].id >= 0; at = (at + 1) & (labels->slots - 1)) {
        int32_t other = labels->slot[at].id;
        if (labels->slot[at].tag != mine.tag)
            continue;
        if (collection->numeric
                ? labels->value[other] == value
                : labels->length[other] == token.length &&
                      memcmp(labels->where[other], token.text, (size_t)token.length) == 0) {
            *id = other;
            return NETDP_I_OLD;
        }
    }
    *id = labels->count;
    return add_label(collection, token, value, mine, at);
}

bool netdp_i_labels_hold(const netdp_i_labels *labels, uint64_t value)
{
    if (labels->slots == 0)
        return false;
    int64_t at = (int64_t)(scramble(value) & (uint64_t)(labels->slots - 1));
    for (; labels->slot[at].id >= 0; at = (at + 1) & (labels->slots - 1))
        if (labels->value[labels->slot[at].id] == value)
            return true;
    return false;
}

netdp_status netdp_i_collect_numbers(netdp_i_collection *collection, int32_t nodes, int32_t first,
                                     char **own, netdp_error *error)
{
    enum { DIGITS = 11 }; /* of at most 2^31, with a NUL */
    netdp_i_labels *labels = &collection->labels;
    char *text = NETDP_I_NEW(char, (int64_t)nodes *DIGITS);
    netdp_i_labels_clear(labels);
    collection->numeric = false; /* in order already */
    labels->where = NETDP_I_NEW(const char *, nodes);
    labels->length = NETDP_I_NEW(int64_t, nodes);
    if (text == NULL || labels->where == NULL || labels->length == NULL) {
        netdp_i_free(text);
        return netdp_i_no_memory(error);
    }
    char *at = text;
    for (int32_t v = 0; v < nodes; v++) {
        labels->where[v] = at;
        labels->length[v] = (int64_t)netdp_i_write_digits((uint64_t)first + (uint64_t)v, at);
        at += labels->length[v] + 1;
    }
    labels->count = labels->room = nodes;
    *own = text;
    return NETDP_OK;
}

/* Room for weights and their lines, from the first weight on; earlier edges have none. */
static netdp_status add_weight(netdp_i_collection *collection, double weight, int64_t line,
                               netdp_error *error)
{
    netdp_i_edges *edges = &collection->edges;
    if (edges->weight == NULL) {
        edges->weight = NETDP_I_NEW(double, edges->room);
        if (edges->weight == NULL)
            return netdp_i_no_memory(error);
        for (int64_t i = 0; i < edges->count; i++)
            edges->weight[i] = NAN;
    }
    if (collection->line_room < edges->room) {
        int64_t *grown = netdp_i_grow(collection->line_of, edges->room, sizeof *grown);
        if (grown == NULL)
            return netdp_i_no_memory(error);
        collection->line_of = grown;
        collection->line_room = edges->room;
    }
    edges->weight[edges->count - 1] = weight;
    collection->line_of[edges->count - 1] = line;
    return NETDP_OK;
}
netdp_status netdp_i_collect_edge(netdp_i_collection *collection, int32_t u, int32_t v,
                                  double weight, int64_t line, netdp_error *error)
{
    collection->notes.weights += !isnan(weight);
    if (u == v) {
        collection->notes.self_loops++;
        return NETDP_OK;
    }
    TRY(netdp_i_edges_add(&collection->edges, u, v, error));
    if (!isnan(weight))
        TRY(add_weight(collection, weight, line, error));
    return NETDP_OK;
}

static bool token_is(netdp_i_token token, const char *word)
{
    return strlen(word) == (size_t)token.length &&
           memcmp(token.text, word, (size_t)token.length) == 0;
}

void netdp_i_collect_attribute(netdp_i_collection *collection, netdp_i_token name)
{
    static const char *const known[] = {"source", "target", "weight", "id", "key"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (token_is(name, known[i]))
            return;
    netdp_i_collect_left_out(collection, name);
}

void netdp_i_collect_left_out(netdp_i_collection *collection, netdp_i_token name)
{
    const int64_t count = collection->notes.columns;
    for (int64_t i = 0; i < count; i++)
        if (name.length == collection->left_out[i].length &&
            memcmp(name.text, collection->left_out[i].text, (size_t)name.length) == 0)
            return;
    if (count < NETDP_I_MOST_LEFT_OUT)
        collection->left_out[collection->notes.columns++] = name;
}

void netdp_i_collect_clear(netdp_i_collection *collection)
{
    netdp_i_labels_clear(&collection->labels);
    netdp_i_edges_free(&collection->edges);
    netdp_i_free(collection->line_of);
    collection->line_of = NULL;
    collection->line_room = 0;
    collection->notes = (netdp_graph_notes){0};
}

struct ranked {
    uint64_t value;
    int32_t id;
};

static int by_value(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* Numbers the nodes by their labels' values. */
static netdp_status rank(netdp_i_collection *collection, netdp_error *error)
{
    netdp_i_labels *labels = &collection->labels;
    int32_t count = labels->count;
    OWNED struct ranked *order = NETDP_I_NEW(struct ranked, count);
    OWNED int32_t *number = NETDP_I_NEW(int32_t, count);
    OWNED const char **where = NETDP_I_NEW(const char *, count);
    OWNED int64_t *length = NETDP_I_NEW(int64_t, count);
    if (order == NULL || number == NULL || where == NULL || length == NULL)
        return netdp_i_no_memory(error);
    for (int32_t id = 0; id < count; id++)
        order[id] = (struct ranked){labels->value[id], id};
    qsort(order, (size_t)count, sizeof *order, by_value);
    for (int32_t v = 0; v < count; v++) {
        number[order[v].id] = v;
        where[v] = labels->where[order[v].id];
        length[v] = labels->length[order[v].id];
    }
    for (int64_t i = 0; i < 2 * collection->edges.count; i++)
        collection->edges.pair[i] = number[collection->edges.pair[i]];
    netdp_i_free(labels->where);
    netdp_i_free(labels->length);
    labels->where = GIVE(where);
    labels->length = GIVE(length);
    return NETDP_OK;
}

static netdp_status check_content(const netdp_i_collection *collection, netdp_error *error)
{
    if (collection->edges.count == 0 && collection->notes.self_loops > 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: only self loops; an edge joins two different nodes",
                            collection->path);
    return NETDP_OK;
}

static netdp_status fail_clash(const netdp_i_collection *collection, int64_t clash,
                               netdp_error *error)
{
    int64_t line = collection->line_of[clash];
    if (line > 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s:%" PRId64 ": this edge had another weight before; keep one of them",
                            collection->path, line);
    const netdp_i_labels *labels = &collection->labels;
    int32_t u = collection->edges.pair[2 * clash], v = collection->edges.pair[2 * clash + 1];
    return netdp_i_fail(error, NETDP_INVALID,
                        "%s: the edge between '%s' and '%s' has two different weights; keep one of "
                        "them",
                        collection->path,
                        netdp_i_show(labels->where[u], (size_t)labels->length[u]).text,
                        netdp_i_show(labels->where[v], (size_t)labels->length[v]).text);
}

netdp_status netdp_i_collect_finish(netdp_i_collection *collection, bool giant_component,
                                    netdp_graph **graph, netdp_graph_notes *notes,
                                    netdp_error *error)
{
    OWNED_BY(netdp_graph_free) netdp_graph *built = NULL;
    int64_t clash = 0;
    TRY(check_content(collection, error));
    if (collection->numeric)
        TRY(rank(collection, error));
    const netdp_status status = netdp_i_graph_build(collection->labels.count, &collection->edges,
                                                    &built, &collection->notes, &clash, error);
    TRY(status == NETDP_INVALID ? fail_clash(collection, clash, error) : status);
    TRY(netdp_i_graph_set_names(built, collection->labels.where, collection->labels.length, error));
    TRY(netdp_i_graph_set_origin(built, collection->path, error));
    if (giant_component)
        TRY(netdp_i_graph_keep_giant(&built, &collection->notes, error));
    if (notes != NULL)
        *notes = collection->notes;
    *graph = GIVE(built);
    return NETDP_OK;
}

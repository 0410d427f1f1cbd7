/*
 * Edge lists. The text is read once when every label is a number, twice when one is not: numbers
 * are ranked by value (so "007" and "7" are one node), other labels by first appearance.
 */
#include "graph/graph.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

/* Every label once, numbered in order of first appearance, found again through a hash table. */
struct labels {
    struct slot {
        uint32_t tag;
        int32_t id; /* -1: free */
    } * slot;
    int64_t slots; /* a power of two */
    int32_t count, room;
    const char **where;
    int64_t *length;
    uint64_t *value; /* numeric labels only */
};

struct reading {
    const char *path;
    const char *begin, *end;
    const char *at;
    int64_t line;
    bool numeric;
    bool retry; /* a label is no number: start again with numeric false */
    struct labels labels;
    netdp_i_edges edges;
    int64_t *line_of; /* of each pair, once there are weights */
    int64_t line_room;
    netdp_graph_notes notes;
};

struct token {
    const char *text;
    int64_t length;
};

static netdp_status fail_at(const struct reading *reading, netdp_error *error, int64_t line,
                            const char *what)
{
    return netdp_i_fail(error, NETDP_INVALID, "%s:%" PRId64 ": %s", reading->path, line, what);
}

static netdp_status fail_token(const struct reading *reading, netdp_error *error,
                               struct token token, const char *what)
{
    return netdp_i_fail(error, NETDP_INVALID, "%s:%" PRId64 ": '%s' %s", reading->path,
                        reading->line, netdp_i_show(token.text, (size_t)token.length).text, what);
}

static void free_labels(struct labels *labels)
{
    netdp_i_free(labels->slot);
    netdp_i_free(labels->where);
    netdp_i_free(labels->length);
    netdp_i_free(labels->value);
    *labels = (struct labels){0};
}

/* SplitMix64's finaliser. */
static uint64_t scramble(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

static uint64_t hash_text(struct token token)
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

static bool grow_slots(struct labels *labels)
{
    int64_t slots = labels->slots == 0 ? 1024 : labels->slots * 4;
    struct slot *grown = NETDP_I_NEW(struct slot, slots);
    if (grown == NULL)
        return false;
    for (int64_t i = 0; i < slots; i++)
        grown[i].id = -1;
    for (int32_t id = 0; id < labels->count; id++) {
        uint64_t hash = labels->value != NULL
                            ? scramble(labels->value[id])
                            : hash_text((struct token){labels->where[id], labels->length[id]});
        int64_t at = (int64_t)(hash & (uint64_t)(slots - 1));
        while (grown[at].id >= 0)
            at = (at + 1) & (slots - 1);
        grown[at] = (struct slot){(uint32_t)(hash >> 32), id};
    }
    netdp_i_free(labels->slot);
    labels->slot = grown;
    labels->slots = slots;
    return true;
}

static bool grow_labels(struct labels *labels, bool numeric)
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

static bool is_utf8(struct token token)
{
    for (size_t i = 0, length = (size_t)token.length; i < length;) {
        uint32_t code;
        size_t bytes = netdp_i_utf8(token.text + i, length - i, &code);
        if (bytes == 0)
            return false;
        i += bytes;
    }
    return true;
}

/* A non-negative integer of 64 bits, nothing else. */
static bool parse_number(struct token token, uint64_t *value)
{
    uint64_t number = 0;
    for (int64_t i = 0; i < token.length; i++) {
        unsigned digit = (unsigned)token.text[i] - '0';
        if (digit > 9 || __builtin_mul_overflow(number, 10u, &number) ||
            __builtin_add_overflow(number, digit, &number))
            return false;
    }
    *value = number;
    return token.length > 0;
}

static netdp_status add_label(struct reading *reading, struct token token, uint64_t value,
                              struct slot slot, int64_t at, netdp_error *error)
{
    struct labels *labels = &reading->labels;
    if (!is_utf8(token))
        return fail_token(reading, error, token, "is not UTF-8 text; give a text edge list");
    if (labels->count == INT32_MAX - 1)
        return fail_at(reading, error, reading->line, "too many nodes; at most 2147483646");
    if (labels->count == labels->room && !grow_labels(labels, reading->numeric))
        return netdp_i_no_memory(error);
    int32_t id = labels->count++;
    labels->where[id] = token.text;
    labels->length[id] = token.length;
    if (reading->numeric)
        labels->value[id] = value;
    slot.id = id;
    labels->slot[at] = slot;
    return NETDP_OK;
}

/* The label's number, new or old. Sets reading->retry where a number was hoped for in vain. */
static netdp_status number_of(struct reading *reading, struct token token, int32_t *id,
                              netdp_error *error)
{
    struct labels *labels = &reading->labels;
    uint64_t value = 0, hash;
    if (reading->numeric && !parse_number(token, &value)) {
        reading->retry = true;
        *id = 0;
        return NETDP_OK;
    }
    hash = reading->numeric ? scramble(value) : hash_text(token);
    if ((int64_t)labels->count * 2 >= labels->slots && !grow_slots(labels))
        return netdp_i_no_memory(error);
    struct slot mine = {(uint32_t)(hash >> 32), -1};
    int64_t at = (int64_t)(hash & (uint64_t)(labels->slots - 1));
    for (; labels->slot[at].id >= 0; at = (at + 1) & (labels->slots - 1)) {
        int32_t other = labels->slot[at].id;
        if (labels->slot[at].tag != mine.tag)
            continue;
        if (reading->numeric
                ? labels->value[other] == value
                : labels->length[other] == token.length &&
                      memcmp(labels->where[other], token.text, (size_t)token.length) == 0) {
            *id = other;
            return NETDP_OK;
        }
    }
    *id = labels->count;
    return add_label(reading, token, value, mine, at, error);
}

/* Ends a token: blanks, line ends, comments, and bytes that no text has. */
static bool ends_token(unsigned char byte)
{
    return byte <= ' ' || byte == '#' || byte == 0x7f;
}

/* The next token of the line, or length 0 at its end; at most one line end is stepped over. */
static netdp_status next_token(struct reading *reading, struct token *token, netdp_error *error)
{
    const char *p = reading->at;
    while (*p == ' ' || *p == '\t')
        p++;
    const char *first = p;
    while (!ends_token((unsigned char)*p))
        p++;
    *token = (struct token){first, p - first};
    reading->at = p;
    bool fine = *p == ' ' || *p == '\t' || *p == '\n' || *p == '#' || p == reading->end ||
                (*p == '\r' && (p + 1 == reading->end || p[1] == '\n'));
    if (fine)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID,
                        "%s:%" PRId64 ": control character 0x%02x; give a text edge list",
                        reading->path, reading->line, (unsigned char)*p);
}

static void skip_line(struct reading *reading)
{
    size_t left = (size_t)(reading->end - reading->at);
    const char *newline = memchr(reading->at, '\n', left);
    reading->at = newline != NULL ? newline + 1 : reading->end;
    reading->line++;
}

static netdp_status parse_weight(struct reading *reading, struct token token, double *weight,
                                 netdp_error *error)
{
    char *stop = NULL;
    double value = 0;
    /* strtod also knows hexadecimal numbers, infinities and NaN; an edge list does not. */
    bool decimal = true;
    for (int64_t i = 0; i < token.length && decimal; i++)
        decimal = token.text[i] != '\0' && strchr("0123456789+-.eE", token.text[i]) != NULL;
    if (decimal)
        value = strtod(token.text, &stop);
    if (!decimal || stop != token.text + token.length)
        return fail_token(reading, error, token,
                          "is no weight; the third column is a positive number");
    if (!isfinite(value) || value <= 0)
        return fail_token(reading, error, token,
                          "is out of range; a weight is positive and finite");
    *weight = value;
    return NETDP_OK;
}

/* Room for weights and their lines, from the first weight on; earlier edges have none. */
static netdp_status add_weight(struct reading *reading, double weight, netdp_error *error)
{
    netdp_i_edges *edges = &reading->edges;
    if (edges->weight == NULL) {
        edges->weight = NETDP_I_NEW(double, edges->room);
        if (edges->weight == NULL)
            return netdp_i_no_memory(error);
        for (int64_t i = 0; i < edges->count; i++)
            edges->weight[i] = NAN;
    }
    if (reading->line_room < edges->room) {
        int64_t *grown = netdp_i_grow(reading->line_of, edges->room, sizeof *grown);
        if (grown == NULL)
            return netdp_i_no_memory(error);
        reading->line_of = grown;
        reading->line_room = edges->room;
    }
    edges->weight[edges->count - 1] = weight;
    reading->line_of[edges->count - 1] = reading->line;
    return NETDP_OK;
}

static netdp_status read_line(struct reading *reading, netdp_error *error)
{
    struct token token[4] = {0};
    int columns = 0;
    netdp_status status;
    while (columns < 4) {
        status = next_token(reading, &token[columns], error);
        if (status != NETDP_OK)
            return status;
        if (token[columns].length == 0)
            break;
        columns++;
    }
    if (columns == 4)
        return fail_at(reading, error, reading->line,
                       "more than three columns; a line is 'node', 'node node' or "
                       "'node node weight'");
    int32_t end[2] = {0, 0};
    double weight = NAN;
    for (int i = 0; i < columns && i < 2; i++) {
        status = number_of(reading, token[i], &end[i], error);
        if (status != NETDP_OK || reading->retry)
            return status;
    }
    if (columns == 3) {
        status = parse_weight(reading, token[2], &weight, error);
        if (status != NETDP_OK)
            return status;
        reading->notes.weights++;
    }
    if (columns < 2)
        return NETDP_OK;
    if (end[0] == end[1]) {
        reading->notes.self_loops++;
        return NETDP_OK;
    }
    status = netdp_i_edges_add(&reading->edges, end[0], end[1], error);
    if (status == NETDP_OK && columns == 3)
        status = add_weight(reading, weight, error);
    return status;
}

static void forget(struct reading *reading)
{
    free_labels(&reading->labels);
    netdp_i_edges_free(&reading->edges);
    netdp_i_free(reading->line_of);
    reading->line_of = NULL;
    reading->line_room = 0;
    reading->notes = (netdp_graph_notes){0};
}

static netdp_status read_lines(struct reading *reading, bool numeric, netdp_error *error)
{
    netdp_status status = NETDP_OK;
    forget(reading);
    reading->at = reading->begin;
    reading->line = 1;
    reading->numeric = numeric;
    reading->retry = false;
    while (reading->at < reading->end && status == NETDP_OK && !reading->retry) {
        status = read_line(reading, error);
        if (status == NETDP_OK)
            skip_line(reading);
    }
    return status;
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
static netdp_status rank(struct reading *reading, netdp_error *error)
{
    struct labels *labels = &reading->labels;
    int32_t count = labels->count;
    struct ranked *order = NETDP_I_NEW(struct ranked, count);
    int32_t *number = NETDP_I_NEW(int32_t, count);
    const char **where = NETDP_I_NEW(const char *, count);
    int64_t *length = NETDP_I_NEW(int64_t, count);
    netdp_status status = NETDP_OK;
    if (order == NULL || number == NULL || where == NULL || length == NULL) {
        status = netdp_i_no_memory(error);
        goto done;
    }
    for (int32_t id = 0; id < count; id++)
        order[id] = (struct ranked){labels->value[id], id};
    qsort(order, (size_t)count, sizeof *order, by_value);
    for (int32_t v = 0; v < count; v++) {
        number[order[v].id] = v;
        where[v] = labels->where[order[v].id];
        length[v] = labels->length[order[v].id];
    }
    for (int64_t i = 0; i < 2 * reading->edges.count; i++)
        reading->edges.pair[i] = number[reading->edges.pair[i]];
    netdp_i_free(labels->where);
    netdp_i_free(labels->length);
    labels->where = where;
    labels->length = length;
    where = NULL;
    length = NULL;
done:
    netdp_i_free(order);
    netdp_i_free(number);
    netdp_i_free(where);
    netdp_i_free(length);
    return status;
}

static netdp_status check_bytes(struct reading *reading, netdp_error *error)
{
    const char *nul = memchr(reading->begin, '\0', (size_t)(reading->end - reading->begin));
    if (nul == NULL)
        return NETDP_OK;
    int64_t line = 1;
    for (const char *p = reading->begin; p < nul; p++)
        line += *p == '\n';
    return fail_at(reading, error, line, "a NUL byte; give a text edge list, not a binary file");
}

static netdp_status check_content(const struct reading *reading, netdp_error *error)
{
    if (reading->labels.count == 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: no node; an edge list has a line 'node node' for each edge",
                            reading->path);
    if (reading->edges.count == 0 && reading->notes.self_loops > 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: only self loops; an edge joins two different nodes",
                            reading->path);
    return NETDP_OK;
}

netdp_status netdp_i_graph_parse(const char *text, int64_t bytes, const char *path,
                                 bool giant_component, netdp_graph **graph,
                                 netdp_graph_notes *notes, netdp_error *error)
{
    struct reading reading = {.path = path, .begin = text, .end = text + bytes};
    netdp_graph *built = NULL;
    int64_t clash = 0;
    if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        reading.begin += 3; /* a byte order mark is no part of the first label */
    netdp_status status = check_bytes(&reading, error);
    if (status == NETDP_OK)
        status = read_lines(&reading, true, error);
    if (status == NETDP_OK && reading.retry)
        status = read_lines(&reading, false, error);
    if (status == NETDP_OK)
        status = check_content(&reading, error);
    if (status == NETDP_OK && reading.numeric)
        status = rank(&reading, error);
    if (status != NETDP_OK)
        goto done;
    status = netdp_i_graph_build(reading.labels.count, &reading.edges, &built, &reading.notes,
                                 &clash, error);
    if (status == NETDP_INVALID)
        status = fail_at(&reading, error, reading.line_of[clash],
                         "this edge had another weight before; keep one of them");
    if (status == NETDP_OK)
        status = netdp_i_graph_set_names(built, reading.labels.where, reading.labels.length, error);
    if (status == NETDP_OK)
        status = netdp_i_graph_set_origin(built, path, error);
    if (status == NETDP_OK && giant_component)
        status = netdp_i_graph_keep_giant(&built, &reading.notes, error);
    if (status != NETDP_OK)
        goto done;
    if (notes != NULL)
        *notes = reading.notes;
    *graph = built;
    built = NULL;
done:
    forget(&reading);
    netdp_graph_free(built);
    return status;
}

netdp_status netdp_graph_read(const char *path, bool giant_component, netdp_graph **graph,
                              netdp_graph_notes *notes, netdp_error *error)
{
    char *text = NULL;
    int64_t bytes = 0;
    netdp_status status = netdp_i_file_load(path, &text, &bytes, error);
    if (status != NETDP_OK)
        return status;
    status = netdp_i_graph_parse(text, bytes, path, giant_component, graph, notes, error);
    netdp_i_free(text);
    return status;
}

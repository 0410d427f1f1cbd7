/*
 * Edge lists. They are read line by line unless they are plain (see numbered.c), and once more when
 * some label is no number: numbers are ranked by value (so "007" and "7" are one node), other
 * labels by first appearance. What is not clearly an edge is refused: a wrong graph gives a wrong
 * guarantee, and nobody sees it.
 */
#include "graph/collect.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "graph/fields.h"

enum { PIECE = 1 << 20 }; /* bytes of a plain list that one thread reads at a time */

#define SPELLINGS                                                                                  \
    "a line is 'u v' or 'u v weight' with blanks, tabs, commas or semicolons between, \"names "    \
    "with blanks\" in double quotes, or networkx's 'u v {'weight': 2}'; a header is "              \
    "'source,target,weight'"

/* What the first line says about the others. */
enum head {
    NO_HEAD,
    HEAD,       /* it names the columns */
    WEAK_HEAD,  /* "u v": a header if all labels are numbers, else an edge */
    MAYBE_HEAD, /* two words that nobody knows: an edge, unless all labels are numbers */
};

struct reading {
    netdp_i_scan scan;
    netdp_i_collection *collection;
    char separator; /* 0: no line has told yet */
    enum head head;
    const char *head_at;
    int64_t head_line;
    int columns, column[3]; /* with a header: how many, and which are source, target, weight (-1) */
    bool retry;             /* a label is no number: start again with numeric false */
    int64_t lone_line;      /* the first line of one word without quotes that has marks: "0-1" */
    const char *lone_at;
    bool true_weight; /* one that cannot be the number of a node */
    char **own;       /* names with quotes inside */
    int64_t own_used;
};

static netdp_i_token line_at(const struct reading *reading, const char *at)
{
    const char *stop = memchr(at, '\n', (size_t)(reading->scan.end - at));
    stop = stop != NULL ? stop : reading->scan.end;
    if (stop > at && stop[-1] == '\r')
        stop--;
    return (netdp_i_token){at, stop - at};
}

/* "list:3: WHAT; the line is 'a|b'; how lines are written". */
static netdp_status fail_line(const struct reading *reading, int64_t number, const char *at,
                              const char *what, netdp_error *error)
{
    const netdp_i_token line = line_at(reading, at);
    return netdp_i_fail(error, NETDP_INVALID, "%s:%" PRId64 ": %s; the line is '%s'; " SPELLINGS,
                        reading->scan.path, number, what,
                        netdp_i_show(line.text, (size_t)line.length).text);
}

/* Of the line that is being read. */
static netdp_status fail_here(const struct reading *reading, const char *what, netdp_error *error)
{
    return fail_line(reading, reading->scan.line, reading->scan.at, what, error);
}

static bool is_number(netdp_i_token token)
{
    uint64_t value;
    return netdp_i_token_integer(token, &value);
}

/* The field as it is meant: "" inside quotes is one quote, kept in text of our own. */
static netdp_status unquote(struct reading *reading, netdp_i_token *field, netdp_error *error)
{
    if (memchr(field->text, '"', (size_t)field->length) == NULL)
        return NETDP_OK;
    if (*reading->own == NULL) {
        *reading->own = NETDP_I_NEW(char, reading->scan.end - reading->scan.begin);
        if (*reading->own == NULL)
            return netdp_i_no_memory(error);
    }
    char *to = *reading->own + reading->own_used;
    int64_t length = 0;
    for (int64_t i = 0; i < field->length; i++) {
        to[length++] = field->text[i];
        i += field->text[i] == '"';
    }
    reading->own_used += length;
    *field = (netdp_i_token){to, length};
    return NETDP_OK;
}

/* The label's number, new or old. Sets reading->retry where a number was hoped for in vain. */
static netdp_status number_of(struct reading *reading, netdp_i_token token, bool quoted,
                              int32_t *id, netdp_error *error)
{
    const char *unclear = quoted ? NULL : netdp_i_unclear(token, reading->separator);
    netdp_status status = NETDP_OK;
    *id = 0;
    if (quoted && token.length == 0)
        unclear = "an empty name";
    if (unclear != NULL && !netdp_i_token_is_utf8(token))
        unclear = NULL; /* is told below */
    if (unclear != NULL)
        return fail_here(reading, unclear, error);
    if (quoted)
        status = unquote(reading, &token, error);
    if (status != NETDP_OK)
        return status;
    switch (netdp_i_collect_label(reading->collection, token, id)) {
    case NETDP_I_OLD:
        break;
    case NETDP_I_NEW_LABEL:
        if (!netdp_i_token_is_utf8(token))
            return netdp_i_scan_fail_token(&reading->scan, error, token,
                                           "is not UTF-8 text; give a text edge list");
        break;
    case NETDP_I_NO_NUMBER:
        reading->retry = true;
        break;
    case NETDP_I_TOO_MANY:
        return netdp_i_scan_fail(&reading->scan, error, "too many nodes; at most 2147483646");
    case NETDP_I_FULL:
        return netdp_i_no_memory(error);
    }
    return NETDP_OK;
}

static netdp_status check_bytes(const struct reading *reading, netdp_i_token line,
                                netdp_error *error)
{
    for (int64_t i = 0; i < line.length; i++) {
        const unsigned char byte = (unsigned char)line.text[i];
        if ((byte < ' ' && byte != '\t') || byte == 0x7f)
            return netdp_i_fail(error, NETDP_INVALID,
                                "%s:%" PRId64 ": control character 0x%02x; %s", reading->scan.path,
                                reading->scan.line, (unsigned)byte, reading->scan.advice);
    }
    return NETDP_OK;
}

/* A number of any kind: no header has one. */
static bool is_numeral(netdp_i_token token)
{
    bool digit = false;
    for (int64_t i = 0; i < token.length; i++) {
        if (memchr("0123456789.+-eE", token.text[i], 15) == NULL)
            return false;
        digit = digit || (token.text[i] >= '0' && token.text[i] <= '9');
    }
    return digit;
}

static bool is_word(netdp_i_token token, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)token.length == length && strncasecmp(token.text, word, length) == 0;
}

static int find_word(const netdp_i_fields *fields, const char *word)
{
    for (int i = 0; i < fields->count; i++)
        if (is_word(fields->field[i], word))
            return i;
    return -1;
}

/* Is the first line a header, and where are the columns that count? */
static void read_head(struct reading *reading, const netdp_i_fields *fields)
{
    static const struct {
        const char *source, *target;
        enum head head;
    } pair[] = {
        {"source", "target", HEAD},
        {"from", "to", HEAD},
        {"src", "dst", HEAD},
        {"src", "dest", HEAD},
        {"source_id", "target_id", HEAD},
        {"from_id", "to_id", HEAD},
        {"fromnodeid", "tonodeid", HEAD},
        {"from_node", "to_node", HEAD},
        {"node1", "node2", HEAD},
        {"node_1", "node_2", HEAD},
        {"id1", "id2", HEAD},
        {"id_1", "id_2", HEAD},
        {"sender", "receiver", HEAD},
        {"ego", "alter", HEAD},
        {"start", "end", HEAD},
        {"node_a", "node_b", HEAD},
        {"u", "v", WEAK_HEAD},
        {"i", "j", WEAK_HEAD},
        {"a", "b", WEAK_HEAD},
        {"x", "y", WEAK_HEAD},
    };
    static const char *const weight[] = {"weight", "weights", "w"};
    if (fields->count < 2 || fields->count > NETDP_I_MOST_FIELDS || fields->data.length > 0)
        return;
    for (int i = 0; i < fields->count; i++)
        if (is_numeral(fields->field[i]))
            return;
    for (size_t k = 0; k < sizeof pair / sizeof *pair && reading->head == NO_HEAD; k++) {
        const int source = find_word(fields, pair[k].source);
        const int target = find_word(fields, pair[k].target);
        if (source < 0 || target < 0)
            continue;
        reading->head = pair[k].head;
        reading->columns = fields->count;
        reading->column[0] = source;
        reading->column[1] = target;
        reading->column[2] = -1;
        for (size_t i = 0; i < sizeof weight / sizeof *weight && reading->column[2] < 0; i++)
            reading->column[2] = find_word(fields, weight[i]);
    }
    if (reading->head == NO_HEAD)
        reading->head = MAYBE_HEAD;
}

/* Numbers and blanks alone are split at blanks, whatever the first line had between them. */
static bool is_plain(netdp_i_token line)
{
    for (int64_t i = 0; i < line.length; i++)
        if (strchr("0123456789.+-eE \t", line.text[i]) == NULL)
            return line.text[i] == '#';
    return true;
}

/* The fields of a line that are its ends and its weight, in this order. */
static netdp_status choose(struct reading *reading, netdp_i_fields *fields, int *count,
                           netdp_error *error)
{
    netdp_i_fields chosen = {.data = fields->data};
    if (reading->columns == 0 && fields->count > 3)
        return fail_here(reading, "more than three columns", error);
    *count = fields->count;
    if (reading->columns == 0)
        return NETDP_OK;
    if (fields->count != reading->columns && reading->head == WEAK_HEAD) {
        reading->retry = true;
        return NETDP_OK;
    }
    if (fields->count != reading->columns)
        return fail_here(reading, "not as many columns as the header has", error);
    for (int i = 0; i < 3; i++) {
        const int from = reading->column[i];
        if (from < 0)
            continue;
        chosen.field[i] = fields->field[from];
        chosen.quoted[i] = fields->quoted[from];
        *count = i + 1;
    }
    *fields = chosen;
    return NETDP_OK;
}

/* The weight of a line of `count` fields, NaN: none. */
static netdp_status weight_of(struct reading *reading, const netdp_i_fields *fields, int count,
                              double *weight, netdp_error *error)
{
    netdp_i_token token = count == 3 ? fields->field[2] : (netdp_i_token){NULL, 0};
    *weight = NAN;
    if (fields->data.length > 0 && (count == 3 || !netdp_i_data_weight(fields->data, &token)))
        return fail_here(reading, "no data as networkx writes it", error);
    if (token.length == 0)
        return NETDP_OK;
    if (reading->columns > 0 || fields->data.length > 0 || !is_number(token))
        reading->true_weight = true;
    netdp_error told = {.text = ""};
    if (netdp_i_scan_weight(&reading->scan, token, weight, &told) == NETDP_OK)
        return NETDP_OK;
    *weight = NAN;
    char what[160];
    snprintf(what, sizeof what, "'%s' is no positive, finite weight",
             netdp_i_show(token.text, (size_t)token.length).text);
    return fail_here(reading, what, error);
}

/* Anything but letters, digits, '_' and characters beyond ASCII: "0-1" may be an edge. */
static bool has_marks(netdp_i_token name)
{
    static const char plain[] = "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    for (int64_t i = 0; i < name.length; i++)
        if ((unsigned char)name.text[i] < 0x80 &&
            memchr(plain, name.text[i], sizeof plain - 1) == NULL)
            return true;
    return false;
}

static netdp_status read_line(struct reading *reading, netdp_error *error)
{
    const netdp_i_token line = line_at(reading, reading->scan.at);
    netdp_i_fields fields;
    int count = 0;
    netdp_status status = check_bytes(reading, line, error);
    if (status != NETDP_OK)
        return status;
    if (reading->separator == '\0')
        reading->separator = netdp_i_separator(line);
    const bool plain = reading->separator == '\t' && reading->columns == 0 && is_plain(line);
    const char *wrong = netdp_i_split(line, plain ? ' ' : reading->separator, &fields);
    if (wrong != NULL)
        return fail_here(reading, wrong, error);
    if (fields.count == 0)
        return NETDP_OK;
    if (reading->head_at == NULL) {
        reading->head_at = reading->scan.at;
        reading->head_line = reading->scan.line;
        read_head(reading, &fields);
        for (int i = 0; i < fields.count && reading->head == MAYBE_HEAD && wrong == NULL; i++)
            wrong = fields.quoted[i] ? NULL : netdp_i_unclear(fields.field[i], reading->separator);
        if (wrong != NULL)
            return fail_here(reading, wrong, error);
        /* While numbers are hoped for, words that may be a header are left out. */
        if (reading->head == HEAD || (reading->head != NO_HEAD && reading->collection->numeric))
            return NETDP_OK;
        reading->columns = 0;
    }
    status = choose(reading, &fields, &count, error);
    int32_t end[2] = {0, 0};
    for (int i = 0; i < count && i < 2 && status == NETDP_OK && !reading->retry; i++)
        status = number_of(reading, fields.field[i], fields.quoted[i], &end[i], error);
    if (status != NETDP_OK || reading->retry)
        return status;
    if (count < 2) {
        if (reading->lone_at == NULL && !fields.quoted[0] && has_marks(fields.field[0])) {
            reading->lone_at = reading->scan.at;
            reading->lone_line = reading->scan.line;
        }
        return NETDP_OK;
    }
    double weight;
    status = weight_of(reading, &fields, count, &weight, error);
    return status != NETDP_OK ? status
                              : netdp_i_collect_edge(reading->collection, end[0], end[1], weight,
                                                     reading->scan.line, error);
}

static netdp_status read_lines(struct reading *reading, bool numeric, netdp_error *error)
{
    netdp_status status = NETDP_OK;
    netdp_i_collect_clear(reading->collection);
    reading->collection->numeric = numeric;
    reading->scan.at = reading->scan.begin;
    reading->scan.line = 1;
    reading->separator = '\0';
    reading->head = NO_HEAD;
    reading->head_at = reading->lone_at = NULL;
    reading->columns = 0;
    reading->own_used = 0;
    reading->true_weight = reading->retry = false;
    while (reading->scan.at < reading->scan.end && status == NETDP_OK && !reading->retry) {
        status = read_line(reading, error);
        if (status == NETDP_OK)
            netdp_i_scan_next_line(&reading->scan);
    }
    return status;
}

/*
 * Where the text behind a header begins that tells of two columns, source and target, for the
 * reader of plain lists; the list's own begin where there is none.
 */
static const char *begin_of_plain(struct reading *reading)
{
    const char *at = reading->scan.begin;
    while (at < reading->scan.end) {
        netdp_i_fields fields;
        const netdp_i_token line = line_at(reading, at);
        const char *behind = memchr(at, '\n', (size_t)(reading->scan.end - at));
        behind = behind != NULL ? behind + 1 : reading->scan.end;
        reading->separator = netdp_i_separator(line);
        if (netdp_i_split(line, reading->separator, &fields) != NULL)
            break;
        if (fields.count > 0) {
            read_head(reading, &fields);
            const bool skip = reading->columns == 2 && reading->column[0] == 0;
            return skip ? behind : reading->scan.begin;
        }
        at = behind;
    }
    return reading->scan.begin;
}

/* An adjacency list, "u v w": v and w are neighbours of u. Each weight is then a node as well. */
static bool looks_like_neighbours(const struct reading *reading)
{
    const netdp_i_collection *collection = reading->collection;
    const netdp_i_edges *edges = &collection->edges;
    bool bare = false;
    if (!collection->numeric || edges->weight == NULL || reading->true_weight)
        return false;
    for (int64_t i = 0; i < edges->count; i++) {
        const double weight = edges->weight[i];
        bare = bare || isnan(weight);
        if (!isnan(weight) &&
            (weight > 0x1p53 || !netdp_i_labels_hold(&collection->labels, (uint64_t)weight)))
            return false;
    }
    return bare;
}

/* "34 78" on top of 78 edges between 34 nodes, neither of them on that line. */
static bool begins_with_counts(const netdp_i_collection *collection)
{
    const netdp_i_edges *edges = &collection->edges;
    const netdp_i_labels *labels = &collection->labels;
    uint64_t said[2];
    if (edges->count == 0 || (edges->weight != NULL && !isnan(edges->weight[0])))
        return false;
    for (int k = 0; k < 2; k++) {
        const int32_t v = edges->pair[k];
        if (!netdp_i_token_integer((netdp_i_token){labels->where[v], labels->length[v]}, &said[k]))
            return false;
    }
    if (said[1] != (uint64_t)(edges->count + collection->notes.self_loops - 1))
        return false;
    bool again[2] = {false, false};
    for (int64_t i = 2; i < 2 * edges->count; i++)
        for (int k = 0; k < 2; k++)
            again[k] = again[k] || edges->pair[i] == edges->pair[k];
    return !again[1] && said[0] == (uint64_t)labels->count - 1 - !again[0];
}

/* What only the whole list tells. */
static netdp_status check_list(const struct reading *reading, bool taken, netdp_error *error)
{
    const netdp_i_collection *collection = reading->collection;
    const bool edges = collection->edges.count > 0 || collection->notes.self_loops > 0;
    if (collection->labels.count == 0)
        return netdp_i_fail(error, NETDP_INVALID, "%s: no node; " SPELLINGS, collection->path);
    if (begins_with_counts(collection))
        return netdp_i_fail(
            error, NETDP_INVALID,
            "%s: the first two numbers are those of the nodes and of the edges that "
            "follow; remove that line, or put another first if it is an edge",
            collection->path);
    if (taken)
        return NETDP_OK;
    if (reading->head == MAYBE_HEAD && collection->numeric)
        return fail_line(reading, reading->head_line, reading->head_at,
                         "words before numbers: no known header, and hardly an edge", error);
    if (!edges && reading->lone_at != NULL)
        return fail_line(reading, reading->lone_line, reading->lone_at,
                         "one name alone, and no edge in the list", error);
    if (looks_like_neighbours(reading))
        return netdp_i_fail(
            error, NETDP_INVALID,
            "%s: some lines have a third column, and each is a node as well: a list "
            "of neighbours? " SPELLINGS ", and weights 2 beside edges without are "
            "'2.0'",
            collection->path);
    return NETDP_OK;
}

netdp_status netdp_i_collect_list(netdp_i_collection *collection, const char *text, int64_t bytes,
                                  char **own, netdp_error *error)
{
    bool taken = false;
    struct reading reading = {
        .scan = {.path = collection->path, .advice = "give a text edge list", .comment = '#'},
        .collection = collection,
        .own = own,
    };
    netdp_status status = netdp_i_scan_begin(&reading.scan, text, bytes, error);
    if (status == NETDP_OK) {
        const char *begin = begin_of_plain(&reading);
        status = netdp_i_collect_numbered(collection, begin, reading.scan.end - begin,
                                          reading.separator, PIECE, own, &taken, error);
    }
    if (status == NETDP_OK && !taken)
        status = read_lines(&reading, true, error);
    /* Of words alone, the first line is an edge. */
    const bool words = reading.head >= WEAK_HEAD && collection->labels.count == 0;
    if (status == NETDP_OK && !taken && (reading.retry || words))
        status = read_lines(&reading, false, error);
    if (status == NETDP_OK)
        status = check_list(&reading, taken, error);
    return status;
}

netdp_status netdp_i_graph_parse(const char *text, int64_t bytes, const char *path,
                                 bool giant_component, netdp_graph **graph,
                                 netdp_graph_notes *notes, netdp_error *error)
{
    netdp_i_collection collection = {.path = path};
    char *own = NULL;
    netdp_status status = netdp_i_collect_list(&collection, text, bytes, &own, error);
    if (status == NETDP_OK)
        status = netdp_i_collect_finish(&collection, giant_component, graph, notes, error);
    netdp_i_collect_clear(&collection);
    netdp_i_free(own);
    return status;
}

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
#include "base/try.h"
#include "graph/doubt.h"
#include "graph/fields.h"
#include "graph/head.h"

enum { PIECE = 1 << 20 }; /* bytes of a plain list that one thread reads at a time */

#define SPELLINGS                                                                                  \
    "a line is 'u v' or 'u v weight' with blanks, tabs, commas or semicolons between, \"names "    \
    "with blanks\" in double quotes, or networkx's 'u v {'weight': 2}'; a header is "              \
    "'source,target,weight'"

struct reading {
    netdp_i_scan scan;
    netdp_i_collection *collection;
    char separator; /* 0: no line has told yet */
    netdp_i_head head;
    const char *head_at;
    int64_t head_line;
    int columns, column[3]; /* with a header: how many, and which are source, target, weight (-1) */
    bool konect, timed;     /* of KONECT: a third column is a weight, a fourth a time */
    bool retry;             /* a label is no number: start again with numeric false */
    int64_t lone_line;      /* the first line of one word without quotes that has marks: "0-1" */
    const char *lone_at;
    netdp_i_list_facts facts;
    char **own; /* names with quotes inside */
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

/* "007" where a node was "7": one node or two? */
static netdp_status check_spelling(const struct reading *reading, netdp_i_token token, int32_t id,
                                   netdp_error *error)
{
    const netdp_i_labels *labels = &reading->collection->labels;
    char what[160];
    if (!reading->collection->numeric || labels->length[id] == token.length)
        return NETDP_OK;
    snprintf(what, sizeof what, "'%s' was '%s' before: write a node one way",
             netdp_i_show(token.text, (size_t)token.length).text,
             netdp_i_show(labels->where[id], (size_t)labels->length[id]).text);
    return fail_here(reading, what, error);
}

/* The label's number, new or old. Sets reading->retry where a number was hoped for in vain. */
static netdp_status number_of(struct reading *reading, netdp_i_token token, bool quoted,
                              int32_t *id, netdp_error *error)
{
    const char *unclear = quoted ? NULL : netdp_i_unclear(token, reading->separator);
    *id = 0;
    if (quoted && token.length == 0)
        unclear = "an empty name";
    if (unclear != NULL && !netdp_i_token_is_utf8(token))
        unclear = NULL; /* is told below */
    if (unclear != NULL)
        return fail_here(reading, unclear, error);
    if (quoted)
        TRY(unquote(reading, &token, error));
    switch (netdp_i_collect_label(reading->collection, token, id)) {
    case NETDP_I_OLD:
        return check_spelling(reading, token, *id, error);
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

/* Is the first line a header, and where are the columns that count? */
static void read_head(struct reading *reading, const netdp_i_fields *fields)
{
    if (fields->count < 2 || fields->count > NETDP_I_MOST_FIELDS || fields->data.length > 0)
        return;
    reading->head = netdp_i_head_read(fields->field, fields->count, reading->column);
    if (reading->head == NETDP_I_HEAD || reading->head == NETDP_I_WEAK_HEAD)
        reading->columns = fields->count;
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
    if (reading->columns == 0 && reading->konect && fields->count == 4) {
        reading->timed = true;
        fields->count = 3;
    }
    if (reading->columns == 0 && fields->count > 3)
        return fail_here(reading,
                         fields->count == 4 ? "more than three columns (KONECT's 'u v weight time' "
                                              "begin with '% sym weighted', or another)"
                                            : "more than three columns",
                         error);
    *count = fields->count;
    if (reading->columns == 0)
        return NETDP_OK;
    if (fields->count != reading->columns && reading->head == NETDP_I_WEAK_HEAD) {
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
    if (fields->data.length > 0 &&
        (count == 3 || !netdp_i_data_weight(fields->data, reading->collection, &token)))
        return fail_here(reading, "no data as networkx writes it", error);
    if (token.length == 0)
        return NETDP_OK;
    if (reading->columns > 0 || reading->konect || fields->data.length > 0 || !is_number(token))
        reading->facts.true_weight = true;
    netdp_error told = {.text = ""};
    if (netdp_i_scan_weight(&reading->scan, token, weight, &told) == NETDP_OK)
        return NETDP_OK;
    *weight = NAN;
    char what[160];
    snprintf(what, sizeof what, "'%s' is no positive, finite weight%s",
             netdp_i_show(token.text, (size_t)token.length).text,
             reading->scan.at == reading->head_at ? "; is it a header?" : "");
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

/* The first byte of a line that is no blank, NUL where there is none. */
static char first_mark(netdp_i_token line)
{
    for (int64_t i = 0; i < line.length; i++)
        if (line.text[i] != ' ' && line.text[i] != '\t')
            return line.text[i];
    return '\0';
}

static bool is_lone(netdp_i_token line)
{
    int64_t marks = 0;
    for (int64_t i = 0; i < line.length; i++)
        marks += line.text[i] != ' ' && line.text[i] != '\t';
    return marks == 1;
}

/* Keeps in mind what check_list asks of the whole. `known`: no new node. */
static void remember(struct reading *reading, int count, bool known)
{
    netdp_i_list_facts *facts = &reading->facts;
    if (facts->first == NULL) {
        facts->first = reading->scan.at;
        facts->first_line = reading->scan.line;
        facts->first_columns = count;
    }
    facts->columns[count]++;
    facts->listed = facts->listed || (count == 1 && known);
}

/* The first line that is no comment. *taken: it is a header, or while numbers are hoped for words that may be one. */
static netdp_status take_head(struct reading *reading, const netdp_i_fields *fields, bool *taken,
                              netdp_error *error)
{
    const char *wrong = NULL;
    reading->head_at = reading->scan.at;
    reading->head_line = reading->scan.line;
    read_head(reading, fields);
    for (int k = 0; k < 2 && reading->head == NETDP_I_HEAD; k++)
        reading->facts.head[k] = fields->field[reading->column[k]];
    for (int i = 0; i < fields->count && reading->head == NETDP_I_MAYBE_HEAD && wrong == NULL; i++)
        wrong = fields->quoted[i] ? NULL : netdp_i_unclear(fields->field[i], reading->separator);
    if (wrong != NULL)
        return fail_here(reading, wrong, error);
    *taken = reading->head == NETDP_I_HEAD ||
             (reading->head != NETDP_I_NO_HEAD && reading->collection->numeric);
    if (!*taken)
        reading->columns = 0;
    return NETDP_OK;
}

/* One edge, or one node alone. */
static netdp_status take_edge(struct reading *reading, netdp_i_fields *fields, netdp_error *error)
{
    int count = 0;
    TRY(choose(reading, fields, &count, error));
    int32_t end[2] = {0, 0};
    const int32_t before = reading->collection->labels.count;
    for (int i = 0; i < count && i < 2 && !reading->retry; i++)
        TRY(number_of(reading, fields->field[i], fields->quoted[i], &end[i], error));
    if (reading->retry)
        return NETDP_OK;
    remember(reading, count, reading->collection->labels.count == before);
    if (count < 2) {
        if (reading->lone_at == NULL && !fields->quoted[0] && has_marks(fields->field[0])) {
            reading->lone_at = reading->scan.at;
            reading->lone_line = reading->scan.line;
        }
        return NETDP_OK;
    }
    double weight;
    TRY(weight_of(reading, fields, count, &weight, error));
    return netdp_i_collect_edge(reading->collection, end[0], end[1], weight, reading->scan.line,
                                error);
}

static netdp_status read_line(struct reading *reading, netdp_error *error)
{
    const netdp_i_token line = line_at(reading, reading->scan.at);
    netdp_i_fields fields;
    TRY(check_bytes(reading, line, error));
    const char mark = first_mark(line);
    if (mark == '%' && reading->head_at == NULL)
        return NETDP_OK;
    if (mark == '%')
        return fail_here(reading,
                         "a '%' behind the first edge; comments begin with '#', and a name that "
                         "does with a double quote",
                         error);
    if (mark == '#' && reading->head_at != NULL && is_lone(line))
        return fail_here(reading,
                         "a lone '#' between edges, as in the Trivial Graph Format, which is not "
                         "read",
                         error);
    if (reading->separator == '\0')
        reading->separator = netdp_i_separator(line);
    const bool plain = reading->separator == '\t' && reading->columns == 0 && is_plain(line);
    const char *wrong = netdp_i_split(line, plain ? ' ' : reading->separator, &fields);
    if (wrong != NULL)
        return fail_here(reading, wrong, error);
    bool taken = fields.count == 0;
    if (!taken && reading->head_at == NULL)
        TRY(take_head(reading, &fields, &taken, error));
    return taken ? NETDP_OK : take_edge(reading, &fields, error);
}

static netdp_status read_lines(struct reading *reading, bool numeric, netdp_error *error)
{
    netdp_i_collect_clear(reading->collection);
    reading->collection->numeric = numeric;
    reading->scan.at = reading->scan.begin;
    reading->scan.line = 1;
    reading->separator = '\0';
    reading->head = NETDP_I_NO_HEAD;
    reading->head_at = reading->lone_at = NULL;
    reading->columns = 0;
    reading->own_used = 0;
    reading->retry = false;
    reading->facts = (netdp_i_list_facts){.begin = reading->scan.begin, .end = reading->scan.end};
    while (reading->scan.at < reading->scan.end && !reading->retry) {
        TRY(read_line(reading, error));
        netdp_i_scan_next_line(&reading->scan);
    }
    return NETDP_OK;
}

/* A carriage return that no newline follows: what is behind it may be a line of its own. */
static bool has_lone_return(const char *at, const char *stop)
{
    for (; (at = memchr(at, '\r', (size_t)(stop - at))) != NULL; at++)
        if (at + 1 < stop && at[1] != '\n')
            return true;
    return false;
}

/*
 * Where the text behind a header begins that tells of two columns, source and target, for the
 * reader of plain lists; the list's own begin where there is none.
 */
static const char *begin_of_plain(struct reading *reading)
{
    netdp_i_fields fields;
    const char *at =
        netdp_i_list_first(reading->scan.begin, reading->scan.end, &reading->facts.first_line);
    if (at == reading->scan.end)
        return at;
    if (has_lone_return(reading->scan.begin, at))
        return reading->scan.begin; /* the reader of lines refuses it */
    const netdp_i_token line = line_at(reading, at);
    const char *behind = memchr(at, '\n', (size_t)(reading->scan.end - at));
    reading->separator = netdp_i_separator(line);
    if (netdp_i_split(line, reading->separator, &fields) != NULL)
        return at;
    read_head(reading, &fields);
    reading->facts.first_columns = fields.count;
    if (reading->columns != 2 || reading->column[0] != 0)
        return at;
    reading->facts.first_line++;
    return behind != NULL ? behind + 1 : reading->scan.end;
}

/* What only the whole list tells. */
static netdp_status check_list(struct reading *reading, bool taken, netdp_error *error)
{
    reading->facts.numbers = taken || reading->collection->numeric;
    if (reading->columns > 3 || (reading->columns == 3 && reading->column[2] < 0))
        reading->collection->notes.columns = reading->columns - 2 - (reading->column[2] >= 0);
    if (reading->timed)
        reading->collection->notes.columns = 1;
    const netdp_i_collection *collection = reading->collection;
    const bool edges = collection->edges.count > 0 || collection->notes.self_loops > 0;
    if (collection->labels.count == 0)
        return netdp_i_fail(error, NETDP_INVALID, "%s: no node; " SPELLINGS, collection->path);
    if (reading->columns > 0 &&
        netdp_i_is_named_square(&reading->facts, reading->separator, reading->column,
                                reading->head == NETDP_I_HEAD))
        return netdp_i_fail(
            error, NETDP_INVALID,
            "%s: a square of numbers below names, a matrix? give its edges, a file "
            ".mtx, or in Python a frame with the names of its rows; of edges, write "
            "'source,target,weight' above them",
            collection->path);
    if (taken)
        return netdp_i_list_doubt(collection, &reading->facts, error);
    if (reading->head == NETDP_I_MAYBE_HEAD && collection->numeric)
        return fail_line(reading, reading->head_line, reading->head_at,
                         "words before numbers: is it a header? none of its words are known",
                         error);
    if (!edges && reading->lone_at != NULL)
        return fail_line(reading, reading->lone_line, reading->lone_at,
                         "one name alone, and no edge in the list", error);
    return netdp_i_list_doubt(collection, &reading->facts, error);
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
    TRY(netdp_i_scan_begin(&reading.scan, text, bytes, error));
    TRY(netdp_i_list_announced(collection->path, reading.scan.begin, reading.scan.end,
                               &reading.konect, error));
    if (netdp_i_is_metis(text, bytes))
        return netdp_i_collect_metis(collection, text, bytes, own, error);
    const char *begin = begin_of_plain(&reading);
    reading.facts.first = begin;
    reading.facts.begin = reading.scan.begin;
    reading.facts.end = reading.scan.end;
    TRY(netdp_i_collect_numbered(collection, begin, reading.scan.end - begin, reading.separator,
                                 PIECE, own, &taken, error));
    if (!taken)
        TRY(read_lines(&reading, true, error));
    /* Of words alone, the first line is an edge. */
    const bool words = reading.head >= NETDP_I_WEAK_HEAD && collection->labels.count == 0;
    if (!taken && (reading.retry || words))
        TRY(read_lines(&reading, false, error));
    return check_list(&reading, taken, error);
}

netdp_status netdp_i_graph_parse(const char *text, int64_t bytes, const char *path,
                                 bool giant_component, netdp_graph **graph,
                                 netdp_graph_notes *notes, netdp_error *error)
{
    CLEARED(netdp_i_collect_clear) netdp_i_collection collection = {.path = path};
    OWNED char *own = NULL;
    TRY(netdp_i_collect_list(&collection, text, bytes, &own, error));
    return netdp_i_collect_finish(&collection, giant_component, graph, notes, error);
}

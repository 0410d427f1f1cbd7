#include "graph/doubt.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "base/try.h"
#include "graph/fields.h"
#include "graph/head.h"

enum { FEW = 4 };

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static const char *end_of_line(const char *at, const char *end)
{
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    return stop != NULL ? stop : end;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

const char *netdp_i_list_first(const char *begin, const char *end, int64_t *line)
{
    int64_t number = 1;
    for (const char *at = begin; at < end; number++) {
        const char *stop = end_of_line(at, end), *p = skip_blanks(at, stop);
        if (p < stop && *p != '#' && *p != '%') {
            *line = number;
            return at;
        }
        at = stop < end ? stop + 1 : end;
    }
    *line = number;
    return end;
}

/* The whole numbers of a line, between blanks and one mark; -1: it holds something else, or more than `most`. */
static int read_numbers(const char *at, const char *stop, uint64_t *number, int most)
{
    int count = 0;
    const char *comment = memchr(at, '#', (size_t)(stop - at));
    stop = comment != NULL ? comment : stop;
    for (;;) {
        while (at < stop && (is_blank(*at) || *at == ',' || *at == ';'))
            at++;
        if (at == stop)
            return count;
        const char *begin = at;
        while (at < stop && *at >= '0' && *at <= '9')
            at++;
        if (count == most ||
            !netdp_i_token_integer((netdp_i_token){begin, at - begin}, &number[count]))
            return -1;
        if (at < stop && !is_blank(*at) && *at != ',' && *at != ';')
            return -1;
        count++;
    }
}

/* ---- Before anything is read ---- */

static bool begins(const char *at, const char *stop, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(stop - at) >= length && memcmp(at, word, length) == 0 &&
           ((size_t)(stop - at) == length || is_blank(at[length]));
}

/* KONECT's first line, "% sym weighted": which columns follow; "bip" and "dynamic" are other networks. */
netdp_status netdp_i_list_announced(const char *path, const char *begin, const char *end,
                                    bool *konect, netdp_error *error)
{
    int64_t line;
    const char *first = netdp_i_list_first(begin, end, &line);
    *konect = false;
    for (const char *at = begin; at < first;) {
        const char *stop = end_of_line(at, end), *p = skip_blanks(at, stop);
        at = stop < end ? stop + 1 : end;
        if (p == stop || *p != '%')
            continue;
        p = skip_blanks(p + 1, stop);
        if (begins(p, stop, "bip"))
            return netdp_i_fail(error, NETDP_INVALID,
                                "%s: a bipartite network (KONECT's '%% bip'), whose two sides "
                                "are both numbered from 1: node 1 is two nodes; number one side "
                                "on behind the other",
                                path);
        if (!begins(p, stop, "sym") && !begins(p, stop, "asym"))
            continue;
        *konect = true;
        while (p < stop && !is_blank(*p))
            p++;
        if (begins(skip_blanks(p, stop), stop, "dynamic"))
            return netdp_i_fail(error, NETDP_INVALID,
                                "%s: a dynamic network (KONECT's 'dynamic'), whose lines add and "
                                "take away edges; write those that there are, one a line",
                                path);
    }
    return NETDP_OK;
}

/* ---- Once it is read ---- */

static netdp_status fail_first(const netdp_i_collection *collection,
                               const netdp_i_list_facts *facts, const char *what,
                               netdp_error *error)
{
    const char *stop = end_of_line(facts->first, facts->end);
    while (stop > facts->first && is_blank(stop[-1]))
        stop--;
    return netdp_i_fail(error, NETDP_INVALID, "%s:%" PRId64 ": '%s': %s", collection->path,
                        facts->first_line,
                        netdp_i_show(facts->first, (size_t)(stop - facts->first)).text, what);
}

/* What the lines behind the first hold, if they are numbers. */
typedef struct rest {
    int64_t lines, alone; /* that hold numbers; that hold one */
    uint64_t most;        /* the largest end */
    uint64_t side[2];     /* of the first and second column */
    bool again[2];        /* an end of the first line stands there, too */
} rest;

static rest look_at_rest(const netdp_i_list_facts *facts, const uint64_t said[2])
{
    rest found = {0};
    for (const char *at = end_of_line(facts->first, facts->end); at < facts->end;) {
        const char *line = at + 1,
                   *stop = line < facts->end ? end_of_line(line, facts->end) : facts->end;
        if (line >= facts->end)
            break;
        const char *p = line;
        int any = 0;
        for (int k = 0; k < 2; k++) {
            uint64_t value;
            while (p < stop && (is_blank(*p) || *p == ',' || *p == ';' || *p == '"'))
                p++;
            const char *q = p;
            while (q < stop && *q >= '0' && *q <= '9')
                q++;
            if (!netdp_i_token_integer((netdp_i_token){p, q - p}, &value))
                break;
            any++;
            found.most = value > found.most ? value : found.most;
            found.side[k] = value > found.side[k] ? value : found.side[k];
            found.again[0] = found.again[0] || value == said[0];
            found.again[1] = found.again[1] || value == said[1];
            p = q;
        }
        found.lines += any > 0;
        found.alone += any == 1;
        at = stop;
    }
    return found;
}

/*
 * "34 78" on top of 78 edges between 34 nodes, "5 4" on top of a path's four, "5 5 4", and "5" alone. It may be an
 * edge all the same: then another one is to come first.
 */
static bool begins_with_counts(const netdp_i_collection *collection,
                               const netdp_i_list_facts *facts)
{
    uint64_t said[3] = {0};
    const char *stop = end_of_line(facts->first, facts->end);
    const int count = read_numbers(facts->first, stop, said, 3);
    const int64_t edges = collection->edges.count + collection->notes.self_loops;
    if (count < 1 || edges < 1 || said[0] < 2)
        return false;
    const uint64_t told = count == 3 ? said[2] : said[1];
    const uint64_t behind = (uint64_t)edges - (count > 1);
    if (count > 1 && (told < 1 || (told != behind && told != 2 * behind && 2 * told != behind)))
        return false;
    const rest found = look_at_rest(facts, said);
    if (found.lines == 0)
        return false;
    const uint64_t lines = (uint64_t)found.lines;
    int64_t distinct = collection->labels.count;
    distinct -= !found.again[0];
    distinct -= count > 1 && said[1] != said[0] && !found.again[1];
    /* With nodes alone among those that are counted, but not most of them. */
    const bool fits = found.most <= said[0] && said[0] >= (uint64_t)distinct && said[0] <= 2 * told;
    if (count == 1)
        return found.alone == 0 && !found.again[0] && found.most < said[0] &&
               said[0] >= (uint64_t)distinct && said[0] <= 2 * lines;
    if (told != lines && 2 * told != lines)
        return false;
    if (count == 3)
        return found.side[0] <= said[0] && found.side[1] <= said[1] && said[0] <= 2 * told;
    return fits || (said[0] == (uint64_t)distinct && told >= FEW);
}

/* An adjacency list, "u v w": v and w are neighbours of u. Each weight is then a node as well. */
static bool looks_like_neighbours(const netdp_i_collection *collection,
                                  const netdp_i_list_facts *facts)
{
    const netdp_i_edges *edges = &collection->edges;
    if (!facts->numbers || edges->weight == NULL || facts->true_weight)
        return false;
    bool bare = facts->listed;
    for (int64_t i = 0; i < edges->count; i++) {
        const double weight = edges->weight[i];
        bare = bare || isnan(weight);
        if (!isnan(weight) &&
            (weight > 0x1p53 || !netdp_i_labels_hold(&collection->labels, (uint64_t)weight)))
            return false;
    }
    /* Or a line for each node, in order: a ring's. */
    return bare || (facts->columns[3] == collection->labels.count && facts->columns[3] >= 3 &&
                    facts->columns[2] == 0 && facts->columns[1] == 0);
}

/* Three lines of three numbers are edges with weights, or a matrix: one that is symmetric, or whose rows sum to 1. */
static bool looks_like_matrix(const netdp_i_list_facts *facts)
{
    double entry[3][3];
    if (facts->columns[3] < 3 || facts->columns[3] > 4 || facts->columns[1] + facts->columns[2] > 0)
        return false;
    if (facts->head[0].length > 0)
        return false; /* source, target and weight are said above */
    const char *at = facts->first;
    for (int64_t skip = facts->columns[3] - 3; skip > 0; skip--) {
        uint64_t name[3];
        const char *stop = end_of_line(at, facts->end);
        if (read_numbers(at, stop, name, 3) != 3 || name[1] != name[0] + 1 ||
            name[2] != name[1] + 1)
            return false; /* four edges, not names above three rows */
        at = stop < facts->end ? stop + 1 : stop;
    }
    for (int i = 0; i < 3; i++) {
        const char *stop = end_of_line(at, facts->end);
        for (int j = 0; j < 3; j++) {
            while (at < stop && (is_blank(*at) || *at == ',' || *at == ';'))
                at++;
            const char *p = at;
            while (at < stop && !is_blank(*at) && *at != ',' && *at != ';')
                at++;
            if (!netdp_i_numeral((netdp_i_token){p, at - p}, &entry[i][j]))
                return false;
        }
        at = stop < facts->end ? stop + 1 : stop;
    }
    bool symmetric = true, stochastic = true;
    for (int i = 0; i < 3; i++) {
        symmetric = symmetric && !(entry[i][(i + 1) % 3] < entry[(i + 1) % 3][i]) &&
                    !(entry[i][(i + 1) % 3] > entry[(i + 1) % 3][i]);
        stochastic = stochastic && fabs(entry[i][0] + entry[i][1] + entry[i][2] - 1) < 1e-6;
    }
    return symmetric || stochastic;
}

static bool is_same(netdp_i_token a, netdp_i_token b)
{
    return a.length == b.length && memcmp(a.text, b.text, (size_t)a.length) == 0;
}

/* "a" and "b", "node1" and "node12": alike but for a letter or a number. */
static bool are_alike(netdp_i_token a, netdp_i_token b)
{
    if (a.length == 1 && b.length == 1)
        return true;
    netdp_i_token stem[2] = {a, b};
    for (int k = 0; k < 2; k++)
        while (stem[k].length > 0 && stem[k].text[stem[k].length - 1] >= '0' &&
               stem[k].text[stem[k].length - 1] <= '9')
            stem[k].length--;
    return stem[0].length > 0 && stem[0].length < a.length && stem[1].length < b.length &&
           is_same(stem[0], stem[1]);
}

/* What stands below a header, if it is a square of numbers: `named` with the names of the header before them. */
typedef struct square {
    double entry[NETDP_I_MOST_FIELDS][NETDP_I_MOST_FIELDS];
    netdp_i_token name[NETDP_I_MOST_FIELDS + 1];
    int columns, rows;
    bool named;
} square;

static bool is_name_of(const square *s, netdp_i_token word)
{
    for (int j = 1; j <= s->columns; j++)
        if (is_same(s->name[j], word))
            return true;
    return false;
}

/* A line of a square; false: it is none. */
static bool add_row(square *s, const netdp_i_fields *fields)
{
    const int skip = s->named, row = s->rows;
    if (fields->count != s->columns + skip || row == s->columns ||
        (skip && !is_name_of(s, fields->field[0])))
        return false;
    for (int j = 0; j < s->columns; j++)
        if (!netdp_i_numeral(fields->field[j + skip], &s->entry[row][j]))
            return false;
    s->rows++;
    return true;
}

/* The lines below the header as a square of so many columns. */
static bool read_square(const netdp_i_list_facts *facts, char separator, bool named, square *s)
{
    int64_t number;
    netdp_i_fields fields;
    *s = (square){.named = named};
    bool below = false;
    for (const char *at = netdp_i_list_first(facts->begin, facts->end, &number); at < facts->end;) {
        const char *stop = end_of_line(at, facts->end);
        const netdp_i_token line = {at, stop - at - (stop > at && stop[-1] == '\r')};
        at = stop < facts->end ? stop + 1 : facts->end;
        if (netdp_i_split(line, separator, &fields) != NULL || fields.count > NETDP_I_MOST_FIELDS)
            return false;
        if (fields.count == 0)
            continue;
        if (below && !add_row(s, &fields))
            return false;
        if (!below) {
            s->columns = fields.count - named;
            memcpy(s->name, fields.field, (size_t)fields.count * sizeof *s->name);
        }
        below = true;
    }
    return s->rows > 1 && s->rows == s->columns;
}

/* Of two lines "u,v" are edges as well: but for those of an edge there and back, "0,1" and "1,0". */
static bool is_symmetric(const square *s)
{
    if (s->columns == 2 && (s->entry[0][0] != 0 || s->entry[1][1] != 0))
        return false;
    for (int i = 0; i < s->rows; i++)
        for (int j = 0; j < i; j++)
            if (s->entry[i][j] < s->entry[j][i] || s->entry[i][j] > s->entry[j][i])
                return false;
    return true;
}

bool netdp_i_is_named_square(const netdp_i_list_facts *facts, char separator, const int column[3],
                             bool strong)
{
    square s;
    if (read_square(facts, separator, true, &s))
        return true;
    if (!read_square(facts, separator, false, &s))
        return false;
    const bool weighted = column[2] >= 0;
    if (weighted && (strong || s.name[column[2]].length > 1))
        return false; /* "source,target,weight", "u,v,weight" */
    bool alike = s.columns > 2 && !weighted;
    for (int j = 1; j < s.columns; j++)
        alike = alike && are_alike(s.name[0], s.name[j]);
    return alike || (!strong && is_symmetric(&s));
}

static bool is_quoted(const netdp_i_list_facts *facts, netdp_i_token label)
{
    return label.text > facts->begin && label.text <= facts->end && label.text[-1] == '"';
}

/* Labels that are all numbers, and not all whole: a matrix, or numbers that something wrote as 1.0. */
static netdp_status check_whole(const netdp_i_collection *collection,
                                const netdp_i_list_facts *facts, netdp_error *error)
{
    const netdp_i_labels *labels = &collection->labels;
    int32_t odd = -1;
    for (int32_t v = 0; v < labels->count; v++) {
        const netdp_i_token label = {labels->where[v], labels->length[v]};
        uint64_t whole;
        double value;
        if (!netdp_i_numeral(label, &value) || is_quoted(facts, label))
            return NETDP_OK;
        /* Digits alone are a name, too large a number for one. */
        if (odd < 0 && !netdp_i_token_integer(label, &whole) &&
            strspn(label.text, "0123456789") < (size_t)label.length)
            odd = v;
    }
    if (odd < 0)
        return NETDP_OK;
    int64_t line = 1;
    for (const char *p = facts->begin; p < labels->where[odd]; p++)
        line += *p == '\n';
    return netdp_i_fail(
        error, NETDP_INVALID,
        "%s:%" PRId64 ": '%s' where a node's number should be; numbers of nodes are "
        "whole, from 0 (of a matrix, give its edges, or .mtx), and names that look "
        "so stand in double quotes",
        collection->path, line, netdp_i_show(labels->where[odd], (size_t)labels->length[odd]).text);
}

static bool is_label(const netdp_i_labels *labels, netdp_i_token word)
{
    for (int32_t v = 0; v < labels->count; v++)
        if (labels->length[v] == word.length &&
            memcmp(labels->where[v], word.text, (size_t)word.length) == 0)
            return true;
    return false;
}

/* Of names: does the first line stand alone, as a header would? Its ends are the first two labels. */
static bool first_stands_alone(const netdp_i_collection *collection,
                               const netdp_i_list_facts *facts)
{
    const netdp_i_edges *edges = &collection->edges;
    if (facts->first_columns < 2 || edges->count < 2)
        return false;
    const int32_t *first = edges->pair;
    for (int64_t i = 2; i < 2 * edges->count; i++)
        if (edges->pair[i] == first[0] || edges->pair[i] == first[1])
            return false;
    const netdp_i_labels *labels = &collection->labels;
    const bool letters = labels->length[first[0]] == 1 && labels->length[first[1]] == 1;
    for (int32_t v = 0; letters && v < labels->count; v++)
        if (v != first[0] && v != first[1] && labels->length[v] == 1)
            return false; /* nodes are called by letters, and these are two of them */
    for (int k = 0; k < 2; k++) {
        const netdp_i_token label = {labels->where[first[k]], labels->length[first[k]]};
        double value;
        if (netdp_i_numeral(label, &value) ||
            memchr(label.text, '"', (size_t)label.length) != NULL ||
            memchr(label.text, ',', (size_t)label.length) != NULL)
            return false; /* no word of a header */
    }
    return true;
}

/* "a b" above "a 0.5 0.5" and "b 0.5 0.5": names above a matrix of two rows, and before each. */
static bool is_named_matrix(const netdp_i_collection *collection, const netdp_i_list_facts *facts)
{
    const int32_t *pair = collection->edges.pair;
    if (facts->first_columns != 2 || facts->columns[2] != 1 || facts->columns[3] != 2 ||
        collection->edges.count != 3 || pair[2] != pair[0] || pair[4] != pair[1])
        return false;
    for (int k = 3; k < 6; k += 2) {
        double value;
        if (!netdp_i_numeral((netdp_i_token){collection->labels.where[pair[k]],
                                             collection->labels.length[pair[k]]},
                             &value))
            return false;
    }
    return true;
}

/* One more or one less column than all other lines of numbers have: it counts, or names. */
static bool first_is_odd(const netdp_i_list_facts *facts)
{
    const int64_t *columns = facts->columns;
    return facts->numbers && ((facts->first_columns == 2 && columns[2] == 1 && columns[3] > 1) ||
                              (facts->first_columns == 3 && columns[3] == 1 && columns[2] > 1 &&
                               !facts->true_weight));
}

netdp_status netdp_i_list_doubt(const netdp_i_collection *collection,
                                const netdp_i_list_facts *facts, netdp_error *error)
{
    if (facts->numbers && begins_with_counts(collection, facts))
        return fail_first(
            collection, facts,
            "are these those of the nodes and of the edges that follow? remove that "
            "line, or put another first if it is an edge or a node (an adjacency list "
            "of METIS: end the file's name in .metis)",
            error);
    if (first_is_odd(facts) || is_named_matrix(collection, facts))
        return fail_first(collection, facts,
                          "the first line has other columns than all that follow; remove it if it "
                          "counts or names, else put another first, or give each edge a weight",
                          error);
    if (looks_like_matrix(facts))
        return fail_first(
            collection, facts,
            "three lines of three numbers, a matrix? give its edges, or a file .mtx; "
            "of edges with weights, put another first or write 'source,target,weight' "
            "above them",
            error);
    if (looks_like_neighbours(collection, facts))
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: some lines have a third column, and each is a node as well: a "
                            "list of neighbours? a line is 'u v' or 'u v weight', and weights 2 "
                            "beside edges without are '2.0'",
                            collection->path);
    if (!facts->numbers)
        TRY(check_whole(collection, facts, error));
    if (!facts->numbers && first_stands_alone(collection, facts))
        return fail_first(collection, facts,
                          "is it a header? none of its words is a node of another line; remove it, "
                          "or put another first if it is an edge",
                          error);
    for (int k = 0; k < 2; k++)
        if (facts->head[k].length > 0 && !facts->numbers &&
            is_label(&collection->labels, facts->head[k]))
            return netdp_i_fail(
                error, NETDP_INVALID,
                "%s: '%s' is a header's word on the first line and a node on "
                "another; remove the header, or put another line first",
                collection->path,
                netdp_i_show(facts->head[k].text, (size_t)facts->head[k].length).text);
    return NETDP_OK;
}

/*
 * Edge lists whose labels are plain numbers and not much larger than there are lines, the usual
 * large ones: parsed in pieces at once, numbered through a table instead of a hash. Whatever else
 * a list may hold, errors among it, is left to the reader of lines, which tells where it is.
 * Memory beside the text: 8 bytes a line, 4 to 8 for each number up to the largest.
 */
#include "graph/collect.h"

#include <stdatomic.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"

enum { NOBODY = -1 }; /* in place of a second node */

struct numbered {
    const char *begin;
    int64_t bytes, pieces;
    char separator; /* ',' or ';', and nothing else is one; else blanks are */
    int64_t *from;  /* [pieces + 1] where a piece begins: behind a line's end */
    int64_t *first; /* [pieces + 1] the place of its first line in `pair` */
    int64_t *count; /* [pieces] pairs of a piece, first with lone nodes, then without */
    int64_t *loops; /* [pieces] edges of a node to itself */
    int32_t *most;  /* [pieces] the largest number */
    int32_t *pair;  /* [2 * lines] */
    int32_t *id;    /* [largest + 1] number of the node, NOBODY where there is none */
    atomic_bool odd;
};

static bool new_pieces(struct numbered *n)
{
    n->from = NETDP_I_NEW(int64_t, n->pieces + 1);
    n->first = NETDP_I_NEW(int64_t, n->pieces + 1);
    n->count = NETDP_I_NEW(int64_t, n->pieces);
    n->loops = NETDP_I_NEW(int64_t, n->pieces);
    n->most = NETDP_I_NEW(int32_t, n->pieces);
    return n->from != NULL && n->first != NULL && n->count != NULL && n->loops != NULL &&
           n->most != NULL;
}

static void free_pieces(struct numbered *n)
{
    netdp_i_free(n->from);
    netdp_i_free(n->first);
    netdp_i_free(n->count);
    netdp_i_free(n->loops);
    netdp_i_free(n->most);
    netdp_i_free(n->pair);
    netdp_i_free(n->id);
}

/* Pieces of about equal length that end with a line. */
static void cut(struct numbered *n)
{
    for (int64_t k = 1; k < n->pieces; k++) {
        int64_t at = n->bytes / n->pieces * k;
        if (at < n->from[k - 1])
            at = n->from[k - 1];
        const char *end = memchr(n->begin + at, '\n', (size_t)(n->bytes - at));
        n->from[k] = end != NULL ? end + 1 - n->begin : n->bytes;
    }
    n->from[n->pieces] = n->bytes;
}

static netdp_status count_lines(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread, (void)error;
    struct numbered *n = context;
    int64_t lines = 1; /* the last one may have no end */
    for (int64_t i = n->from[index]; i < n->from[index + 1]; i++)
        lines += n->begin[i] == '\n';
    n->first[index + 1] = lines;
    return NETDP_OK;
}

static inline bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* A number below INT32_MAX without leading zeros. */
static inline bool read_number(const char **at, int32_t *number)
{
    const char *p = *at;
    uint64_t value = 0;
    for (; is_digit(*p); p++)
        value = value * 10 + (uint64_t)(*p - '0');
    const int64_t digits = p - *at;
    if (digits == 0 || digits > 10 || value >= INT32_MAX || (digits > 1 && **at == '0'))
        return false;
    *at = p;
    *number = (int32_t)value;
    return true;
}

static inline const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

/* Where the second number of a line begins, p itself where there is none. */
static inline const char *skip_between(const char *p, char separator)
{
    const char *q = skip_blanks(p);
    bool apart = q > p;
    if (separator != ' ') {
        apart = *q == separator;
        q = apart ? skip_blanks(q + 1) : q;
    }
    return apart && is_digit(*q) ? q : p;
}

/* Past the end of a line of which nothing is left but a comment; NULL: more is left, or may be. */
static inline const char *end_line(const char *p, const char *end)
{
    if (*p == '#') {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        const char *stop = newline != NULL ? newline : end;
        const char *inside = memchr(p, '\r', (size_t)(stop - p));
        if (inside != NULL &&
            inside + 1 < stop) /* what a lone carriage return ends is no comment */
            return NULL;
        return newline != NULL ? newline + 1 : end;
    }
    p += *p == '\r';
    if (p == end)
        return end;
    return *p == '\n' ? p + 1 : NULL;
}

/* The text has a NUL behind it, where every one of these loops ends. */
static netdp_status parse_piece(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread, (void)error;
    struct numbered *n = context;
    const char *p = n->begin + n->from[index], *end = n->begin + n->from[index + 1];
    int32_t *pair = n->pair + 2 * n->first[index], most = 0;
    int32_t *at = pair;
    const char separator = n->separator;
    while (p < end && p != NULL && !atomic_load_explicit(&n->odd, memory_order_relaxed)) {
        p = skip_blanks(p);
        if (is_digit(*p)) {
            at[1] = NOBODY;
            bool plain = read_number(&p, &at[0]);
            const char *second = skip_between(p, separator);
            if (plain && second > p) {
                p = second;
                plain = read_number(&p, &at[1]);
            }
            if (!plain)
                break;
            most = at[0] > most ? at[0] : most;
            most = at[1] > most ? at[1] : most;
            at += 2;
            p = skip_blanks(p);
        } else if (*p == '#' && (p[1] == '\n' || p[1] == '\r')) {
            break; /* the reader of lines says what that is */
        }
        p = end_line(p, end);
    }
    if (p != end)
        atomic_store(&n->odd, true);
    n->count[index] = (at - pair) / 2;
    n->most[index] = most;
    return NETDP_OK;
}

/* Every number that there is gets the next id; returns how many there are. */
static int32_t number_nodes(struct numbered *n, int32_t most)
{
    int32_t nodes = 0;
    for (int64_t k = 0; k < n->pieces; k++) {
        const int32_t *pair = n->pair + 2 * n->first[k];
        for (int64_t i = 0; i < 2 * n->count[k]; i++)
            if (pair[i] != NOBODY)
                n->id[pair[i]] = 1;
    }
    for (int64_t number = 0; number <= most; number++)
        n->id[number] = n->id[number] != 0 ? nodes++ : NOBODY;
    return nodes;
}

/* From numbers to ids, without lone nodes and loops. */
static netdp_status rename_piece(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread, (void)error;
    struct numbered *n = context;
    const int32_t *from = n->pair + 2 * n->first[index];
    int32_t *to = n->pair + 2 * n->first[index], *const begin = to;
    for (const int32_t *end = from + 2 * n->count[index]; from < end; from += 2) {
        const int32_t u = from[0], v = from[1];
        n->loops[index] += u == v;
        if (v == NOBODY || u == v)
            continue;
        to[0] = n->id[u];
        to[1] = n->id[v];
        to += 2;
    }
    n->count[index] = (to - begin) / 2;
    return NETDP_OK;
}

/* The pairs of all pieces, one behind the other, become the collection's edges. */
static void hand_over(struct numbered *n, netdp_i_collection *collection)
{
    int64_t count = 0;
    for (int64_t k = 0; k < n->pieces; k++) {
        memmove(n->pair + 2 * count, n->pair + 2 * n->first[k],
                2 * (size_t)n->count[k] * sizeof *n->pair);
        count += n->count[k];
        collection->notes.self_loops += n->loops[k];
    }
    collection->edges =
        (netdp_i_edges){.pair = n->pair, .count = count, .room = n->first[n->pieces]};
    n->pair = NULL;
}

/* Each node is called by its number. */
static netdp_status name_nodes(const struct numbered *n, int32_t most, int32_t nodes,
                               netdp_i_collection *collection, char **own, netdp_error *error)
{
    netdp_i_labels *labels = &collection->labels;
    TRY(netdp_i_collect_numbers(collection, most + 1, 0, own, error));
    for (int64_t number = 0; number <= most; number++) {
        if (n->id[number] == NOBODY)
            continue;
        labels->where[n->id[number]] = labels->where[number];
        labels->length[n->id[number]] = labels->length[number];
    }
    labels->count = nodes;
    return NETDP_OK;
}

netdp_status netdp_i_collect_numbered(netdp_i_collection *collection, const char *text,
                                      int64_t bytes, char separator, int64_t piece_bytes,
                                      char **own, bool *taken, netdp_error *error)
{
    CLEARED(free_pieces)
    struct numbered n = {.begin = text,
                         .bytes = bytes,
                         .pieces = 1 + bytes / piece_bytes,
                         .separator = separator == ',' || separator == ';' ? separator : ' '};
    int64_t lines = 0;
    int32_t most = 0;
    *taken = false;
    if (!new_pieces(&n))
        return netdp_i_no_memory(error);
    cut(&n);
    TRY(netdp_i_for_each(n.pieces, count_lines, &n, NULL, NULL, error));
    for (int64_t k = 0; k < n.pieces; k++)
        n.first[k + 1] += n.first[k];
    n.pair = NETDP_I_NEW(int32_t, 2 * n.first[n.pieces]);
    if (n.pair == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_for_each(n.pieces, parse_piece, &n, NULL, NULL, error));
    for (int64_t k = 0; k < n.pieces; k++) {
        most = n.most[k] > most ? n.most[k] : most;
        lines += n.count[k];
    }
    if (atomic_load(&n.odd) || lines == 0 || most > 1000 + 4 * lines)
        return NETDP_OK;
    n.id = NETDP_I_NEW(int32_t, (int64_t)most + 1);
    if (n.id == NULL)
        return netdp_i_no_memory(error);
    const int32_t nodes = number_nodes(&n, most);
    TRY(netdp_i_for_each(n.pieces, rename_piece, &n, NULL, NULL, error));
    TRY(name_nodes(&n, most, nodes, collection, own, error));
    hand_over(&n, collection);
    *taken = true;
    return NETDP_OK;
}

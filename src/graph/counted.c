/* Formats whose first lines count what follows: Matrix Market, and adjacency lists of METIS. */
#include "graph/collect.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/mix.h"
#include "base/text.h"
#include "base/try.h"
#include "graph/families.h"

/* ---- Matrix Market ---- */

/*
 * Matrix Market, coordinate format: the pattern is the graph, a value is the weight. Row and column
 * numbers from 1 are the labels, so a row without entries is an isolated node.
 * https://math.nist.gov/MatrixMarket/formats.html
 */

struct market {
    netdp_i_scan scan;
    bool valued;
    uint64_t size, entries;
};

static bool is(netdp_i_token token, const char *word)
{
    size_t length = strlen(word);
    return (size_t)token.length == length && strncasecmp(token.text, word, length) == 0;
}

/* The word that follows, or what may stand there. */
static netdp_status read_word(struct market *market, const char *const *known, const char *refusal,
                              int *which, netdp_error *error)
{
    netdp_i_token token;
    TRY(netdp_i_scan_token(&market->scan, &token, error));
    for (int i = 0; known[i] != NULL; i++) {
        if (is(token, known[i])) {
            *which = i;
            return NETDP_OK;
        }
    }
    return netdp_i_scan_fail_token(&market->scan, error, token, refusal);
}

/* How long the banner of Matrix Market is that the text begins with, 0: none. One mark is seen, too. */
static size_t banner_length(const char *text, int64_t bytes)
{
    static const char *const banner[] = {"%%MatrixMarket", "%MatrixMarket"};
    for (int k = 0; k < 2; k++)
        if (bytes >= (int64_t)strlen(banner[k]) &&
            strncasecmp(text, banner[k], strlen(banner[k])) == 0)
            return strlen(banner[k]);
    return 0;
}

static netdp_status read_banner(struct market *market, netdp_error *error)
{
    static const struct {
        const char *const word[4];
        const char *refusal;
    } place[] = {
        {{"matrix"}, "is not read; the first line is '%%MatrixMarket matrix coordinate ...'"},
        {{"coordinate"}, "is not read; write the matrix in the coordinate format"},
        {{"pattern", "real", "integer"},
         "is not read; values are 'pattern' (none), 'real' or 'integer'"},
        {{"symmetric", "general"}, "is not read; write the matrix as 'symmetric' or 'general'"},
    };
    netdp_i_scan *scan = &market->scan;
    const size_t length = banner_length(scan->at, scan->end - scan->at);
    if (length == 0)
        return netdp_i_scan_fail(scan, error,
                                 "no Matrix Market banner; the first line is '%%MatrixMarket "
                                 "matrix coordinate pattern symmetric' or the like");
    scan->at += length;
    int which[4] = {0};
    for (int i = 0; i < 4; i++)
        TRY(read_word(market, place[i].word, place[i].refusal, &which[i], error));
    market->valued = which[2] > 0;
    netdp_i_scan_next_line(scan);
    return NETDP_OK;
}

/* To the next line that holds something: its tokens, or *count = 0 at the end of the file. */
static netdp_status next_tokens(struct market *market, netdp_i_token *token, int most, int *count,
                                netdp_error *error)
{
    *count = 0;
    for (; market->scan.at < market->scan.end; netdp_i_scan_next_line(&market->scan)) {
        TRY(netdp_i_scan_tokens(&market->scan, token, most, count, error));
        if (*count > 0)
            break;
    }
    return NETDP_OK;
}

/* So many rows a file may have, and one more for each byte: what is taken of memory follows from its size. */
enum { MANY = 1 << 20 };

/* Nothing is allocated before the sizes are known to be possible: an entry takes four bytes. */
static netdp_status read_sizes(struct market *market, netdp_error *error)
{
    netdp_i_scan *scan = &market->scan;
    netdp_i_token token[3];
    uint64_t size[3] = {0};
    int count;
    TRY(next_tokens(market, token, 3, &count, error));
    bool fine = count == 3;
    for (int i = 0; fine && i < 3; i++)
        fine = netdp_i_token_integer(token[i], &size[i]);
    if (!fine)
        return netdp_i_scan_fail(scan, error,
                                 "no sizes; a line 'rows columns entries' comes first");
    if (size[0] != size[1])
        return netdp_i_scan_fail(scan, error,
                                 "the matrix is not square; a graph has as many rows as columns");
    if (size[0] == 0)
        return netdp_i_scan_fail(scan, error, "no node; a graph has at least one row");
    if (size[0] > NETDP_I_MOST_NODES)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s:%" PRId64 ": '%s' rows are too many; at most %d", scan->path,
                            scan->line, netdp_i_show(token[0].text, (size_t)token[0].length).text,
                            (int)NETDP_I_MOST_NODES);
    uint64_t left = (uint64_t)(scan->end - scan->at);
    if (size[0] > MANY + left)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s:%" PRId64 ": '%s' rows are too many for so few entries, most have "
                            "none; number those that do from 1 on",
                            scan->path, scan->line,
                            netdp_i_show(token[0].text, (size_t)token[0].length).text);
    if (size[2] > left / 4 + 1)
        return netdp_i_scan_fail_token(scan, error, token[2],
                                       "entries are more than the file holds; it may be cut off");
    market->size = size[0];
    market->entries = size[2];
    netdp_i_scan_next_line(scan);
    return NETDP_OK;
}

static netdp_status read_entry(struct market *market, const netdp_i_token *token, int count,
                               netdp_i_collection *collection, netdp_error *error)
{
    int columns = market->valued ? 3 : 2;
    int32_t end[2];
    double weight = NAN;
    if (count != columns)
        return netdp_i_scan_fail(&market->scan, error,
                                 market->valued
                                     ? "not an entry; a line is 'row column value'"
                                     : "not an entry; a line of a pattern is 'row column'");
    for (int i = 0; i < 2; i++) {
        uint64_t number;
        if (!netdp_i_token_integer(token[i], &number) || number < 1 || number > market->size)
            return netdp_i_fail(error, NETDP_INVALID,
                                "%s:%" PRId64 ": '%s' is no %s; they are 1 to %" PRIu64,
                                market->scan.path, market->scan.line,
                                netdp_i_show(token[i].text, (size_t)token[i].length).text,
                                i == 0 ? "row" : "column", market->size);
        end[i] = (int32_t)number - 1;
    }
    if (market->valued)
        TRY(netdp_i_scan_weight(&market->scan, token[2], &weight, error));
    return netdp_i_collect_edge(collection, end[0], end[1], weight, market->scan.line, error);
}

static netdp_status read_entries(struct market *market, netdp_i_collection *collection,
                                 netdp_error *error)
{
    for (uint64_t read = 0;; read++) {
        netdp_i_token token[3];
        int count;
        TRY(next_tokens(market, token, 3, &count, error));
        if (count == 0 && read == market->entries)
            return NETDP_OK;
        if (count == 0)
            return netdp_i_fail(error, NETDP_INVALID,
                                "%s:%" PRId64 ": the file ends after %" PRIu64 " of %" PRIu64
                                " entries; it may be cut off",
                                market->scan.path, market->scan.line, read, market->entries);
        if (read == market->entries)
            return netdp_i_scan_fail(&market->scan, error,
                                     "more entries than declared; correct the line of sizes");
        TRY(read_entry(market, token, count, collection, error));
        netdp_i_scan_next_line(&market->scan);
    }
}

netdp_status netdp_i_collect_market(netdp_i_collection *collection, const char *text, int64_t bytes,
                                    char **own, netdp_error *error)
{
    struct market market = {.scan = {.path = collection->path,
                                     .advice = "give a Matrix Market text file",
                                     .comment = '%'}};
    TRY(netdp_i_scan_begin(&market.scan, text, bytes, error));
    TRY(read_banner(&market, error));
    TRY(read_sizes(&market, error));
    TRY(netdp_i_collect_numbers(collection, (int32_t)market.size, 1, own, error));
    return read_entries(&market, collection, error);
}

/* ---- METIS ---- */

/*
 * Adjacency lists of METIS (its manual, "Graph File"): "n m [fmt [ncon]]", then for each node a line of
 * its size and weights, which are not used, and of its neighbours, numbered from 1, each with the edge's
 * weight if fmt ends in 1. Every edge stands on two lines. '%' begins a comment.
 */

/* The first line: fmt has a digit each for nodes' sizes, their weights and edges'. */
typedef struct metis {
    uint64_t nodes, edges, before; /* `before`: numbers of a line in front of the neighbours */
    bool weighted;
} metis;

/* What was read: entries, and a sum in which the two of an edge cancel, their weights alike. */
typedef struct entries {
    uint64_t count, sum;
} entries;

static bool read_counts(netdp_i_scan *scan, metis *told)
{
    netdp_i_token token[5];
    uint64_t said[4] = {0, 0, 0, 1};
    int count = 0;
    if (netdp_i_scan_tokens(scan, token, 4, &count, NULL) != NETDP_OK || count < 2 || count > 4)
        return false;
    for (int k = 0; k < count; k++)
        if (!netdp_i_token_integer(token[k], &said[k]))
            return false;
    const uint64_t form = said[2];
    if (said[0] < 1 || said[0] > INT32_MAX - 1 || said[1] > UINT64_MAX / 8 ||
        said[3] > UINT32_MAX || form > 111 || form % 10 > 1 || form / 10 % 10 > 1)
        return false;
    *told = (metis){.nodes = said[0],
                    .edges = said[1],
                    .before = form / 100 + (form / 10 % 10) * said[3],
                    .weighted = form % 10 == 1};
    return true;
}

static void next_lines(netdp_i_scan *scan)
{
    netdp_i_scan_next_line(scan);
    for (;; netdp_i_scan_next_line(scan)) {
        const char *p = scan->at + strspn(scan->at, " \t");
        if (p >= scan->end || *p != '%')
            return;
    }
}

/* No two edges of a file are likely to have one value. */
static void count_entry(entries *all, uint64_t u, uint64_t v, double weight)
{
    uint64_t bits = 0;
    if (!isnan(weight))
        memcpy(&bits, &weight, sizeof bits);
    const uint64_t value =
        netdp_i_mix(netdp_i_mix(netdp_i_mix(u < v ? u : v) + (u < v ? v : u)) + bits);
    all->count++;
    all->sum += u < v ? value : u > v ? -value : 0;
}

/* The node's line: `to` NULL only counts. */
static netdp_status read_node(netdp_i_scan *scan, const metis *told, uint64_t node, entries *all,
                              netdp_i_collection *to, netdp_error *error)
{
    for (uint64_t place = 0;; place++) {
        netdp_i_token token, weight;
        uint64_t neighbour = 0;
        double w = NAN;
        TRY(netdp_i_scan_token(scan, &token, error));
        if (token.length == 0)
            return place >= told->before
                       ? NETDP_OK
                       : netdp_i_scan_fail(scan, error,
                                           "fewer numbers than METIS's first line says");
        if (!netdp_i_token_integer(token, &neighbour) ||
            (place >= told->before && (neighbour < 1 || neighbour > told->nodes)))
            return netdp_i_scan_fail_token(
                scan, error, token, "is no node of this METIS file; nodes are numbered from 1");
        if (place < told->before)
            continue;
        if (told->weighted) {
            TRY(netdp_i_scan_token(scan, &weight, error));
            if (weight.length == 0)
                return netdp_i_scan_fail_token(scan, error, token, "has no weight behind it");
            TRY(netdp_i_scan_weight(scan, weight, &w, error));
        }
        count_entry(all, node, neighbour, w);
        if (to != NULL && node <= neighbour)
            TRY(netdp_i_collect_edge(to, (int32_t)(node - 1), (int32_t)(neighbour - 1), w,
                                     scan->line, error));
    }
}

static netdp_status read_nodes(netdp_i_scan *scan, const metis *told, netdp_i_collection *to,
                               entries *all, netdp_error *error)
{
    netdp_i_token token;
    for (uint64_t node = 1; node <= told->nodes; node++) {
        next_lines(scan);
        if (scan->at >= scan->end && (node < told->nodes || told->before > 0))
            return netdp_i_scan_fail(scan, error, "fewer lines than METIS's first line has nodes");
        TRY(read_node(scan, told, node, all, to, error));
    }
    for (next_lines(scan); scan->at < scan->end; next_lines(scan)) {
        TRY(netdp_i_scan_token(scan, &token, error));
        if (token.length > 0)
            return netdp_i_scan_fail(scan, error, "more lines than METIS's first line has nodes");
    }
    return NETDP_OK;
}

static netdp_status begin(netdp_i_scan *scan, const char *text, int64_t bytes, metis *told,
                          netdp_error *error)
{
    TRY(netdp_i_scan_begin(scan, text, bytes, error));
    scan->at += strspn(scan->at, " \t");
    if (scan->at < scan->end && *scan->at == '%')
        next_lines(scan);
    return read_counts(scan, told)
               ? NETDP_OK
               : netdp_i_scan_fail(scan, error,
                                   "no first line of METIS, 'nodes edges [format [weights]]'");
}

bool netdp_i_is_metis(const char *text, int64_t bytes)
{
    netdp_i_scan scan = {.path = "", .advice = ""};
    metis told;
    if (begin(&scan, text, bytes, &told, NULL) != NETDP_OK || told.nodes < 2 || told.edges < 1 ||
        told.nodes > (uint64_t)bytes)
        return false;
    const netdp_i_scan behind = scan;
    entries all = {0};
    if (read_nodes(&scan, &told, NULL, &all, NULL) != NETDP_OK || all.count != 2 * told.edges)
        return false;
    /* Of two numbers a line it is as good a list of edges. */
    if (told.before > 0 || told.weighted)
        return true;
    scan = behind;
    for (next_lines(&scan); scan.at < scan.end; next_lines(&scan)) {
        netdp_i_token token[3];
        int count;
        if (netdp_i_scan_tokens(&scan, token, 2, &count, NULL) == NETDP_OK && count != 2)
            return true;
    }
    return false;
}

netdp_status netdp_i_collect_metis(netdp_i_collection *collection, const char *text, int64_t bytes,
                                   char **own, netdp_error *error)
{
    netdp_i_scan scan = {.path = collection->path, .advice = "give an adjacency list of METIS"};
    metis told = {0};
    entries all = {0};
    TRY(begin(&scan, text, bytes, &told, error));
    if (told.nodes > (uint64_t)bytes)
        return netdp_i_scan_fail(&scan, error, "more nodes than the file has lines");
    TRY(netdp_i_collect_numbers(collection, (int32_t)told.nodes, 1, own, error));
    TRY(read_nodes(&scan, &told, collection, &all, error));
    if (all.count != 2 * told.edges || all.sum != 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: as an adjacency list of METIS it does not hold every edge twice, "
                            "as often as its first line says; write a line 'u v' for each edge",
                            scan.path);
    collection->notes.columns = (int64_t)told.before;
    return NETDP_OK;
}

/*
 * Matrix Market, coordinate format: the pattern is the graph, a value is the weight. Row and column
 * numbers from 1 are the labels, so a row without entries is an isolated node.
 * https://math.nist.gov/MatrixMarket/formats.html
 */
#include "graph/collect.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/text.h"
#include "graph/families.h"

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
    netdp_status status = netdp_i_scan_token(&market->scan, &token, error);
    if (status != NETDP_OK)
        return status;
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
    for (int i = 0; i < 4; i++) {
        netdp_status status = read_word(market, place[i].word, place[i].refusal, &which[i], error);
        if (status != NETDP_OK)
            return status;
    }
    market->valued = which[2] > 0;
    netdp_i_scan_next_line(scan);
    return NETDP_OK;
}

/* To the next line that holds something: its tokens, or *count = 0 at the end of the file. */
static netdp_status next_tokens(struct market *market, netdp_i_token *token, int most, int *count,
                                netdp_error *error)
{
    *count = 0;
    while (market->scan.at < market->scan.end) {
        netdp_status status = netdp_i_scan_tokens(&market->scan, token, most, count, error);
        if (status != NETDP_OK || *count > 0)
            return status;
        netdp_i_scan_next_line(&market->scan);
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
    netdp_status status = next_tokens(market, token, 3, &count, error);
    if (status != NETDP_OK)
        return status;
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
    if (market->valued) {
        netdp_status status = netdp_i_scan_weight(&market->scan, token[2], &weight, error);
        if (status != NETDP_OK)
            return status;
    }
    return netdp_i_collect_edge(collection, end[0], end[1], weight, market->scan.line, error);
}

static netdp_status read_entries(struct market *market, netdp_i_collection *collection,
                                 netdp_error *error)
{
    for (uint64_t read = 0;; read++) {
        netdp_i_token token[3];
        int count;
        netdp_status status = next_tokens(market, token, 3, &count, error);
        if (status != NETDP_OK)
            return status;
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
        status = read_entry(market, token, count, collection, error);
        if (status != NETDP_OK)
            return status;
        netdp_i_scan_next_line(&market->scan);
    }
}

netdp_status netdp_i_collect_market(netdp_i_collection *collection, const char *text, int64_t bytes,
                                    char **own, netdp_error *error)
{
    struct market market = {.scan = {.path = collection->path,
                                     .advice = "give a Matrix Market text file",
                                     .comment = '%'}};
    netdp_status status = netdp_i_scan_begin(&market.scan, text, bytes, error);
    if (status == NETDP_OK)
        status = read_banner(&market, error);
    if (status == NETDP_OK)
        status = read_sizes(&market, error);
    if (status == NETDP_OK)
        status = netdp_i_collect_numbers(collection, (int32_t)market.size, 1, own, error);
    if (status == NETDP_OK)
        status = read_entries(&market, collection, error);
    return status;
}

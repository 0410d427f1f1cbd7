/*
 * Graph files. Edge lists are read line by line unless they are plain (see numbered.c), and once
 * more when some label is no number: numbers are ranked by value (so "007" and "7" are one node),
 * other labels by first appearance.
 */
#include "graph/collect.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"

enum { PIECE = 1 << 20 }; /* bytes of a plain list that one thread reads at a time */

struct reading {
    netdp_i_scan scan;
    netdp_i_collection *collection;
    bool retry; /* a label is no number: start again with numeric false */
};

/* The label's number, new or old. Sets reading->retry where a number was hoped for in vain. */
static netdp_status number_of(struct reading *reading, netdp_i_token token, int32_t *id,
                              netdp_error *error)
{
    *id = 0;
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

static netdp_status read_line(struct reading *reading, netdp_error *error)
{
    netdp_i_token token[3];
    int columns;
    netdp_status status = netdp_i_scan_tokens(&reading->scan, token, 3, &columns, error);
    if (status != NETDP_OK)
        return status;
    if (columns > 3)
        return netdp_i_scan_fail(&reading->scan, error,
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
        status = netdp_i_scan_weight(&reading->scan, token[2], &weight, error);
        if (status != NETDP_OK)
            return status;
    }
    if (columns < 2)
        return NETDP_OK;
    return netdp_i_collect_edge(reading->collection, end[0], end[1], weight, reading->scan.line,
                                error);
}

static netdp_status read_lines(struct reading *reading, bool numeric, netdp_error *error)
{
    netdp_status status = NETDP_OK;
    netdp_i_collect_clear(reading->collection);
    reading->collection->numeric = numeric;
    reading->scan.at = reading->scan.begin;
    reading->scan.line = 1;
    reading->retry = false;
    while (reading->scan.at < reading->scan.end && status == NETDP_OK && !reading->retry) {
        status = read_line(reading, error);
        if (status == NETDP_OK)
            netdp_i_scan_next_line(&reading->scan);
    }
    return status;
}

netdp_status netdp_i_collect_list(netdp_i_collection *collection, const char *text, int64_t bytes,
                                  char **own, netdp_error *error)
{
    bool taken = false;
    struct reading reading = {
        .scan = {.path = collection->path, .advice = "give a text edge list", .comment = '#'},
        .collection = collection,
    };
    netdp_status status = netdp_i_scan_begin(&reading.scan, text, bytes, error);
    if (status == NETDP_OK)
        status = netdp_i_collect_numbered(collection, reading.scan.begin,
                                          reading.scan.end - reading.scan.begin, PIECE, own, &taken,
                                          error);
    if (taken)
        return status;
    if (status == NETDP_OK)
        status = read_lines(&reading, true, error);
    if (status == NETDP_OK && reading.retry)
        status = read_lines(&reading, false, error);
    if (status == NETDP_OK && collection->labels.count == 0)
        status = netdp_i_fail(error, NETDP_INVALID,
                              "%s: no node; an edge list has a line 'node node' for each edge",
                              collection->path);
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

netdp_i_format netdp_i_graph_format(const char *path)
{
    const char *dot = strrchr(path, '.');
    if (dot == NULL)
        return NETDP_I_EDGE_LIST;
    if (strcasecmp(dot, ".graphml") == 0)
        return NETDP_I_GRAPHML;
    if (strcasecmp(dot, ".gml") == 0)
        return NETDP_I_GML;
    return strcasecmp(dot, ".mtx") == 0 ? NETDP_I_MATRIX_MARKET : NETDP_I_EDGE_LIST;
}

netdp_status netdp_graph_read(const char *path, bool giant_component, netdp_graph **graph,
                              netdp_graph_notes *notes, netdp_error *error)
{
    netdp_i_collection collection = {.path = path};
    char *text = NULL, *own = NULL;
    int64_t bytes = 0;
    netdp_status status = netdp_i_file_load(path, &text, &bytes, error);
    if (status != NETDP_OK)
        return status;
    switch (netdp_i_graph_format(path)) {
    case NETDP_I_GRAPHML:
        status = netdp_i_collect_graphml(&collection, text, bytes, &own, error);
        break;
    case NETDP_I_GML:
        status = netdp_i_collect_gml(&collection, text, bytes, &own, error);
        break;
    case NETDP_I_MATRIX_MARKET:
        status = netdp_i_collect_market(&collection, text, bytes, &own, error);
        break;
    case NETDP_I_EDGE_LIST:
        status = netdp_i_collect_list(&collection, text, bytes, &own, error);
        break;
    }
    if (status == NETDP_OK)
        status = netdp_i_collect_finish(&collection, giant_component, graph, notes, error);
    netdp_i_collect_clear(&collection);
    netdp_i_free(own);
    netdp_i_free(text);
    return status;
}

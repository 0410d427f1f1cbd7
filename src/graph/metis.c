/*
 * Adjacency lists of METIS (its manual, "Graph File"): "n m [fmt [ncon]]", then for each node a line of
 * its size and weights, which are not used, and of its neighbours, numbered from 1, each with the edge's
 * weight if fmt ends in 1. Every edge stands on two lines. '%' begins a comment.
 */
#include "graph/metis.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "graph/doubt.h"

/* The first line: fmt has a digit each for nodes' sizes, their weights and edges'. */
typedef struct metis {
    uint64_t nodes, edges, before; /* `before`: numbers of a line in front of the neighbours */
    bool weighted;
} metis;

/* What was read: entries, and a sum in which the two of an edge cancel, their weights alike. */
typedef struct entries {
    uint64_t count, sum;
} entries;

static bool read_head(netdp_i_scan *scan, metis *told)
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

static void next_line(netdp_i_scan *scan)
{
    netdp_i_scan_next_line(scan);
    for (;; netdp_i_scan_next_line(scan)) {
        const char *p = scan->at + strspn(scan->at, " \t");
        if (p >= scan->end || *p != '%')
            return;
    }
}

/* As in SplitMix64: no two edges of a file are likely to have one value. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static void count_entry(entries *all, uint64_t u, uint64_t v, double weight)
{
    uint64_t bits = 0;
    if (!isnan(weight))
        memcpy(&bits, &weight, sizeof bits);
    const uint64_t value = mix(mix(mix(u < v ? u : v) + (u < v ? v : u)) + bits);
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
        netdp_status status = netdp_i_scan_token(scan, &token, error);
        if (status != NETDP_OK)
            return status;
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
            status = netdp_i_scan_token(scan, &weight, error);
            if (status == NETDP_OK && weight.length == 0)
                status = netdp_i_scan_fail_token(scan, error, token, "has no weight behind it");
            if (status == NETDP_OK)
                status = netdp_i_scan_weight(scan, weight, &w, error);
        }
        if (status != NETDP_OK)
            return status;
        count_entry(all, node, neighbour, w);
        if (to != NULL && node <= neighbour)
            status = netdp_i_collect_edge(to, (int32_t)(node - 1), (int32_t)(neighbour - 1), w,
                                          scan->line, error);
        if (status != NETDP_OK)
            return status;
    }
}

static netdp_status read_nodes(netdp_i_scan *scan, const metis *told, netdp_i_collection *to,
                               netdp_error *error)
{
    entries all = {0};
    for (uint64_t node = 1; node <= told->nodes; node++) {
        next_line(scan);
        if (scan->at >= scan->end && (node < told->nodes || told->before > 0))
            return netdp_i_scan_fail(scan, error, "fewer lines than METIS's first line has nodes");
        netdp_status status = read_node(scan, told, node, &all, to, error);
        if (status != NETDP_OK)
            return status;
    }
    for (next_line(scan); scan->at < scan->end; next_line(scan)) {
        netdp_i_token token;
        netdp_status status = netdp_i_scan_token(scan, &token, error);
        if (status != NETDP_OK || token.length > 0)
            return status != NETDP_OK
                       ? status
                       : netdp_i_scan_fail(scan, error,
                                           "more lines than METIS's first line has nodes");
    }
    if (all.count != 2 * told->edges || all.sum != 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: as an adjacency list of METIS it does not hold every edge twice, "
                            "as often as its first line says; write a line 'u v' for each edge",
                            scan->path);
    return NETDP_OK;
}

static netdp_status begin(netdp_i_scan *scan, const char *text, int64_t bytes, metis *told,
                          netdp_error *error)
{
    netdp_status status = netdp_i_scan_begin(scan, text, bytes, error);
    if (status != NETDP_OK)
        return status;
    scan->at += strspn(scan->at, " \t");
    if (scan->at < scan->end && *scan->at == '%')
        next_line(scan);
    return read_head(scan, told)
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
    if (read_nodes(&scan, &told, NULL, NULL) != NETDP_OK)
        return false;
    /* Of two numbers a line it is as good a list of edges. */
    scan = behind;
    for (next_line(&scan); scan.at < scan.end; next_line(&scan)) {
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
    netdp_status status = begin(&scan, text, bytes, &told, error);
    if (status == NETDP_OK && told.nodes > (uint64_t)bytes)
        status = netdp_i_scan_fail(&scan, error, "more nodes than the file has lines");
    if (status == NETDP_OK)
        status = netdp_i_collect_numbers(collection, (int32_t)told.nodes, 1, own, error);
    if (status == NETDP_OK)
        status = read_nodes(&scan, &told, collection, error);
    collection->notes.columns = (int64_t)told.before;
    return status;
}

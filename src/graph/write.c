/*
 * Edge lists, written so that netdp_graph_read finds the same node numbers again. Labels are the
 * names where an edge list can carry them: text on one line, and in an order that reading
 * reproduces (all numbers and ascending, or not all numbers and declared first, one a line).
 * Otherwise labels are the node numbers and the names follow in comments.
 */
#include "graph/graph.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"

enum labelling { BY_NUMBER, BY_NUMERIC_NAME, BY_NAME };

struct writing {
    const netdp_graph *graph;
    FILE *stream;
    enum labelling labelling;
    bool mixed; /* some have a weight, others none */
};

/* Can an edge list carry the name, in quotes if it must? */
static bool is_token(const char *name)
{
    for (const char *p = name; *p != '\0'; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            return false;
    return *name != '\0' && strncmp(name, "\xef\xbb\xbf", 3) != 0;
}

/* A name that is one without quotes wherever it stands. */
static bool is_plain(const char *name)
{
    for (const char *p = name; *p != '\0'; p++)
        if ((unsigned char)*p < 0x80 && *p != '_' && !(*p >= '0' && *p <= '9') &&
            !(*p >= 'a' && *p <= 'z') && !(*p >= 'A' && *p <= 'Z'))
            return false;
    return true;
}

/* A number for the reader: digits only, fits 64 bits. */
static bool is_number(const char *name, uint64_t *value)
{
    uint64_t number = 0;
    for (const char *p = name; *p != '\0'; p++) {
        if (*p < '0' || *p > '9' || __builtin_mul_overflow(number, 10u, &number) ||
            __builtin_add_overflow(number, (unsigned)(*p - '0'), &number))
            return false;
    }
    *value = number;
    return *name != '\0';
}

static void print_name(const struct writing *writing, const char *name)
{
    if (is_plain(name)) {
        fputs(name, writing->stream);
        return;
    }
    fputc('"', writing->stream);
    for (const char *p = name; *p != '\0'; p++) {
        if (*p == '"')
            fputc('"', writing->stream);
        fputc(*p, writing->stream);
    }
    fputc('"', writing->stream);
}

/* Names from a file differ from each other and from the numbers of nameless nodes. */
static enum labelling choose(const netdp_graph *graph)
{
    uint64_t last = 0;
    bool numbers = true, ascending = true;
    for (int32_t v = 0; v < graph->nodes; v++) {
        const char *name = netdp_graph_name(graph, v);
        uint64_t value = (uint64_t)v;
        if (name != NULL && !is_token(name))
            return BY_NUMBER;
        if (name != NULL && !is_number(name, &value)) {
            numbers = false;
            continue;
        }
        ascending = ascending && (v == 0 || value > last);
        last = value;
    }
    if (graph->name == NULL || (numbers && !ascending))
        return BY_NUMBER;
    return numbers ? BY_NUMERIC_NAME : BY_NAME;
}

static void print_label(const struct writing *writing, int32_t node)
{
    const char *name = netdp_graph_name(writing->graph, node);
    if (writing->labelling == BY_NUMBER || name == NULL)
        fprintf(writing->stream, "%d", (int)node);
    else
        print_name(writing, name);
}

/* Beside edges without weights a weight 2 could be a third node: it is 2.0. */
static void print_weight(const struct writing *writing, double weight)
{
    fputc(' ', writing->stream);
    netdp_i_print_double(writing->stream, weight);
    if (writing->mixed && weight == floor(weight) && weight < 1e16)
        fputs(".0", writing->stream);
}

static bool has_bare_edges(const netdp_graph *graph)
{
    for (int64_t i = 0; i < graph->start[graph->nodes]; i++)
        if (isnan(graph->weight[i]))
            return true;
    return false;
}

static void print_head(const struct writing *writing)
{
    const netdp_graph *graph = writing->graph;
    fprintf(writing->stream, "# %d nodes, %" PRId64 " edges\n", (int)graph->nodes,
            netdp_graph_edges(graph));
    if (writing->labelling != BY_NUMBER)
        return;
    for (int32_t v = 0; v < graph->nodes; v++) {
        /* Only names that stay on their line. */
        const char *name = netdp_graph_name(graph, v);
        if (name != NULL && strpbrk(name, "\r\n") == NULL)
            fprintf(writing->stream, "# node %d: %s\n", (int)v, name);
    }
}

/* A line for each node, or each that is `alone`. */
static void print_nodes(const struct writing *writing, bool alone)
{
    for (int32_t v = 0; v < writing->graph->nodes; v++) {
        if (alone && netdp_graph_degree(writing->graph, v) > 0)
            continue;
        print_label(writing, v);
        fputc('\n', writing->stream);
    }
}

netdp_status netdp_graph_write(const netdp_graph *graph, const char *path, netdp_error *error)
{
    NETDP_I_GIVEN(error, graph && path);
    netdp_i_output output;
    if (netdp_i_graph_format(path) != NETDP_I_EDGE_LIST)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: graphs are written as edge lists, which are not read from a file "
                            "named so; name it .edges",
                            path);
    TRY(netdp_i_output_open(&output, path, error));
    struct writing writing = {
        .graph = graph,
        .stream = output.stream,
        .labelling = choose(graph),
        .mixed = graph->weight != NULL && has_bare_edges(graph),
    };
    print_head(&writing);
    /* Names in their order come first; a number that stands alone on the first line would count nodes. */
    if (writing.labelling == BY_NAME)
        print_nodes(&writing, false);
    for (int32_t u = 0; u < graph->nodes; u++) {
        for (int64_t i = graph->start[u]; i < graph->start[u + 1]; i++) {
            int32_t v = graph->neighbour[i];
            if (v < u)
                continue;
            print_label(&writing, u);
            fputc(' ', output.stream);
            print_label(&writing, v);
            if (graph->weight != NULL && !isnan(graph->weight[i]))
                print_weight(&writing, graph->weight[i]);
            fputc('\n', output.stream);
        }
    }
    if (writing.labelling != BY_NAME)
        print_nodes(&writing, true);
    return netdp_i_output_commit(&output, error);
}

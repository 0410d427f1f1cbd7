/* A graph file of one format, from memory. */
#ifndef NETDP_TESTS_FUZZ_GRAPH_H
#define NETDP_TESTS_FUZZ_GRAPH_H

#include "fuzz.h"

#include <stdlib.h>

#include "base/memory.h"
#include "graph/collect.h"

typedef netdp_status collect(netdp_i_collection *, const char *, int64_t, char **, netdp_error *);

static inline int fuzz_graph(collect *read, const uint8_t *data, size_t size)
{
    netdp_i_collection collection = {.path = "input"};
    netdp_graph *graph = NULL;
    netdp_graph_notes notes;
    netdp_error error = {NETDP_OK, ""};
    char *text = fuzz_text(data, size), *own = NULL;
    netdp_status status = read(&collection, text, (int64_t)size, &own, &error);
    if (status == NETDP_OK)
        status = netdp_i_collect_finish(&collection, size % 2 == 1, &graph, &notes, &error);
    netdp_i_collect_clear(&collection);
    netdp_i_free(own);
    free(text);
    if (fuzz_ok(status, &error))
        fuzz_check_graph(graph);
    netdp_graph_free(graph);
    return 0;
}

#endif

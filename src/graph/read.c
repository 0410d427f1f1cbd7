/* Graph files, by the ending of their names. */
#include "base/fail.h"
#include "graph/collect.h"

#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/memory.h"

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
    NETDP_I_GIVEN(error, path && graph);
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

/* Graph files, by the ending of their names. */
#include "base/fail.h"
#include "graph/collect.h"

#include "base/file.h"
#include "base/memory.h"

typedef netdp_status collect(netdp_i_collection *, const char *, int64_t, char **, netdp_error *);

static collect *const formats[] = {
    [NETDP_I_GRAPHML] = netdp_i_collect_graphml,
    [NETDP_I_GML] = netdp_i_collect_gml,
    [NETDP_I_MATRIX_MARKET] = netdp_i_collect_market,
    [NETDP_I_EDGE_LIST] = netdp_i_collect_list,
    [NETDP_I_PAJEK] = netdp_i_collect_pajek,
    [NETDP_I_NODE_LINK] = netdp_i_collect_node_link,
};

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
    netdp_i_format format = NETDP_I_EDGE_LIST;
    status = netdp_i_graph_choose(path, text, bytes, &format, error);
    if (status == NETDP_OK)
        status = formats[format](&collection, text, bytes, &own, error);
    if (status == NETDP_OK)
        status = netdp_i_collect_finish(&collection, giant_component, graph, notes, error);
    netdp_i_collect_clear(&collection);
    netdp_i_free(own);
    netdp_i_free(text);
    return status;
}

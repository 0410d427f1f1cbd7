#include "graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_graph(netdp_i_collect_node_link, data, size);
}

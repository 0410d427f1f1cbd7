#include "graph.h"

/* A line may say that there are 10^8 nodes: a graph that is not refused, but takes seconds. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int digits = 0;
    for (size_t i = 0; i < size; i++) {
        digits = data[i] >= '0' && data[i] <= '9' ? digits + 1 : 0;
        if (digits > 5)
            return -1;
    }
    return fuzz_graph(netdp_i_collect_market, data, size);
}

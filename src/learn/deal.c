/* Rows dealt to nodes: which node holds which row, fixed by the seed. */
#include <netdp/learn.h>

#include <netdp/random.h>

#include "base/fail.h"
#include "base/memory.h"

/* Fisher-Yates, one draw for each row but the first. */
static void shuffle_rows(int64_t *row, int64_t rows, uint64_t seed)
{
    netdp_stream stream = netdp_stream_at(seed, NETDP_FOR_SPLIT, 0, 0);
    for (int64_t i = 0; i < rows; i++)
        row[i] = i;
    for (int64_t i = rows - 1; i > 0; i--) {
        int64_t j = (int64_t)netdp_stream_below(&stream, (uint64_t)i + 1);
        int64_t swapped = row[i];
        row[i] = row[j];
        row[j] = swapped;
    }
}

netdp_status netdp_deal(int64_t rows, int32_t nodes, bool shuffle, uint64_t seed, int32_t *node,
                        netdp_error *error)
{
    NETDP_I_GIVEN(error, node);
    if (nodes < 1)
        return netdp_i_fail(error, NETDP_INVALID, "%d nodes cannot hold data; at least 1 is needed",
                            (int)nodes);
    if (rows < nodes)
        return netdp_i_fail(error, NETDP_INVALID,
                            "the data have %lld rows for %d nodes; every node needs a row: use a "
                            "smaller graph or more data",
                            (long long)rows, (int)nodes);
    if (!shuffle && rows != nodes)
        return netdp_i_fail(error, NETDP_INVALID,
                            "the data have %lld rows for %d nodes and per_node: one wants as many; "
                            "use per_node: even or another graph",
                            (long long)rows, (int)nodes);
    if (!shuffle) {
        for (int64_t i = 0; i < rows; i++)
            node[i] = (int32_t)i;
        return NETDP_OK;
    }
    int64_t *row = NETDP_I_NEW(int64_t, rows);
    if (row == NULL)
        return netdp_i_no_memory(error);
    shuffle_rows(row, rows, seed);
    for (int64_t i = 0; i < rows; i++)
        node[row[i]] = (int32_t)(i % nodes);
    netdp_i_free(row);
    return NETDP_OK;
}

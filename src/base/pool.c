#include "base/pool.h"

#include "base/fail.h"

void *netdp_i_pool_new(netdp_i_pool *pool, int64_t count, size_t size)
{
    void *piece = pool->count < NETDP_I_POOL_PIECES ? netdp_i_new(count, size) : NULL;
    if (piece != NULL)
        pool->piece[pool->count++] = piece;
    pool->failed = pool->failed || piece == NULL;
    return piece;
}

netdp_status netdp_i_pool_made(const netdp_i_pool *pool, netdp_error *error)
{
    return pool->failed ? netdp_i_no_memory(error) : NETDP_OK;
}

void netdp_i_pool_clear(netdp_i_pool *pool)
{
    for (int32_t i = 0; i < pool->count; i++)
        netdp_i_free(pool->piece[i]);
    *pool = (netdp_i_pool){.count = 0};
}

/* What one struct owns: asked for piece by piece, looked at once, freed together. A pool of zeros owns nothing. */
#ifndef NETDP_I_POOL_H
#define NETDP_I_POOL_H

#include <netdp/status.h>

#include "base/memory.h"

enum { NETDP_I_POOL_PIECES = 32 };

typedef struct netdp_i_pool {
    void *piece[NETDP_I_POOL_PIECES];
    int32_t count;
    bool failed;
} netdp_i_pool;

/* netdp_i_new; where there is no memory, or the pool is full, the pool keeps that it failed. */
void *netdp_i_pool_new(netdp_i_pool *pool, int64_t count, size_t size);

#define NETDP_I_TAKE(pool, type, count)                                                            \
    ((type *)netdp_i_pool_new((pool), (int64_t)(count), sizeof(type)))

/* NETDP_NO_MEMORY where a piece could not be had. */
netdp_status netdp_i_pool_made(const netdp_i_pool *pool, netdp_error *error);

/* Frees all of it; the pool owns nothing. */
void netdp_i_pool_clear(netdp_i_pool *pool);

#endif

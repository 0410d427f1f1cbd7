/*
 * Fair bits for the integer samplers, wherever they come from.
 *
 * Only the file of a source makes a netdp_i_bits, in static code: stream.c of a seeded stream, for
 * simulation; normal.c of a secure one, for releases. Each shows samplers of its own type
 * only, so a seeded stream does not compile where a secure source is asked for.
 */
#ifndef NETDP_I_BITS_H
#define NETDP_I_BITS_H

#include <stdint.h>

typedef struct netdp_i_bits {
    uint64_t (*next)(void *source); /* 64 fair bits */
    void *source;
    uint64_t held; /* not yet taken: the lowest `count` bits */
    int count;
} netdp_i_bits;

/* The next `count` fair bits, 0 .. 63. */
uint64_t netdp_i_bits_take(netdp_i_bits *bits, int count);

/* Uniform on 0 .. bound-1; 1 <= bound <= 2^63. */
uint64_t netdp_i_bits_below(netdp_i_bits *bits, uint64_t bound);

#endif

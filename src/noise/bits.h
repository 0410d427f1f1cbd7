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

/* Inlined where the compiler knows `next`, that of the bits, so that a word costs no call. */
#define NETDP_I_BITS_INLINE static inline __attribute__((always_inline))

NETDP_I_BITS_INLINE uint64_t netdp_i_bits_take_by(netdp_i_bits *bits, uint64_t (*next)(void *),
                                                  int count)
{
    if (count > bits->count) { /* what is left of the last word goes unused */
        bits->held = next(bits->source);
        bits->count = 64;
    }
    const uint64_t taken = bits->held & (((uint64_t)1 << count) - 1);
    bits->held >>= count;
    bits->count -= count;
    return taken;
}

NETDP_I_BITS_INLINE uint64_t netdp_i_bits_below_by(netdp_i_bits *bits, uint64_t (*next)(void *),
                                                   uint64_t bound)
{
    const int width = bound > 1 ? 64 - __builtin_clzll(bound - 1) : 0;
    uint64_t number;
    do
        number = netdp_i_bits_take_by(bits, next, width);
    while (number >= bound);
    return number;
}

/* The next `count` fair bits, 0 .. 63. */
uint64_t netdp_i_bits_take(netdp_i_bits *bits, int count);

/* Uniform on 0 .. bound-1; 1 <= bound <= 2^63. */
uint64_t netdp_i_bits_below(netdp_i_bits *bits, uint64_t bound);

#endif

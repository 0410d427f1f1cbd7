/* Bits that depend on all of a number, to compare what is unordered by a sum: no secret, and no source of noise. */
#ifndef NETDP_I_MIX_H
#define NETDP_I_MIX_H

#include <stdint.h>

/* The last steps of SplitMix64 (Steele, Lea, Flood, 2014): one to one, 0 stays 0. */
static inline uint64_t netdp_i_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

#endif

/*
 * Normal deviates that are exactly rounded (docs/proofs/exact-noise.md): a true standard normal, of
 * which as many binary places are drawn as are asked for, and rounded to the nearest. Integers and
 * fair bits only; nothing is a double before it is added to a value.
 */
#ifndef NETDP_I_NORMAL_H
#define NETDP_I_NORMAL_H

#include <stddef.h>
#include <stdint.h>

#include "noise/bits.h"
#include "noise/secure.h"

typedef __int128 netdp_i_wide;

/* The grids: a node's own noise has so many binary places, that of a pair so many. */
enum { NETDP_I_OWN_PLACES = 64, NETDP_I_PAIR_PLACES = 48 };

/* The integer nearest to 2^places u, u standard normal; places in 0 .. 64. */
netdp_i_wide netdp_i_normal(netdp_i_bits *bits, int places);

/* The same from a secure stream: two ends of one stream draw the same numbers, in every version of netdp. */
netdp_i_wide netdp_i_secure_normal(netdp_i_secure *stream, int places);

/* `count` standard normals to the nearest double at 64 places: for dithers, whose size no proof of
 * privacy between peers needs. */
void netdp_i_secure_normals(netdp_i_secure *stream, double *out, size_t count);

/* Adds `count` of such integers, each drawn exactly, by fewer words of a stream that nobody else has: which numbers
 * a stream gives may change. */
void netdp_i_secure_normals_add(netdp_i_secure *stream, int places, netdp_i_wide *sum,
                                size_t count);

#endif

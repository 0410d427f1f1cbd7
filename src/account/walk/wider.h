/* Loops of walks' accounts that are compiled for wider registers too: no fused products, so the same bits. */
#ifndef NETDP_I_WALK_WIDER_H
#define NETDP_I_WALK_WIDER_H

#include "base/clones.h"

#if defined(__x86_64__) && defined(__ELF__)
#define NETDP_I_WIDER NETDP_I_CLONES("avx2", "default")
#define NETDP_I_WIDEST NETDP_I_CLONES("avx512f", "avx2", "default")
#else
#define NETDP_I_WIDER
#define NETDP_I_WIDEST
#endif

#endif

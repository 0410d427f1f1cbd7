/*
 * Counter-based random streams for simulation: Philox4x32-10 (Salmon et al. 2011).
 *
 * A stream is named by (seed, purpose, node, step); its k-th draw depends on nothing else, so
 * results are the same for any number of threads and any order of evaluation. Not secure: noise
 * that leaves a machine must never come from here (the types differ, so it cannot by mistake).
 *
 * Ownership: a stream is a value; nothing is to be freed. Threads: each has streams of its own.
 */
#ifndef NETDP_RANDOM_H
#define NETDP_RANDOM_H

#include <stddef.h>
#include <stdint.h>
#include <netdp/status.h>

NETDP_BEGIN

/* What a stream is for. Two purposes never share a draw. Append only: results depend on it. */
typedef enum netdp_purpose {
    NETDP_FOR_TEST = 0,
    NETDP_FOR_GRAPH,
    NETDP_FOR_NOISE,
    NETDP_FOR_SPLIT,
    NETDP_FOR_CENTRAL,
    NETDP_FOR_PROBE,
    NETDP_FOR_BATCH,
    NETDP_FOR_END_DITHER,
    NETDP_FOR_WALK,       /* where a token goes */
    NETDP_FOR_WALK_NOISE, /* what it takes up on the way */
    NETDP_FOR_SEQUENCE,   /* which edges of a changing network are active */
    NETDP_FOR_TALLY,      /* what nodes add to a token that sums */
    NETDP_FOR_LAYOUT,     /* where the nodes of a drawing start */
    NETDP_FOR_DATA,       /* synthetic rows */
    NETDP_FOR_LAW,        /* what nodes release about their constants, for a walk's law */
    NETDP_FOR_PAIRS,      /* noise that cancels in pairs; the node is the pair's number */
    NETDP_FOR_PATH,       /* public paths of tokens */
} netdp_purpose;

/* A stream and where it stands; copied by assignment. */
typedef struct netdp_stream {
    uint32_t key[2];     /* seed and purpose */
    uint32_t counter[4]; /* node, step (low, high), draw */
} netdp_stream;

/* The stream of that name, at its first draw. */
NETDP_API netdp_stream netdp_stream_at(uint64_t seed, netdp_purpose purpose, uint32_t node,
                                       uint64_t step);

/* The next 64 uniform bits; a stream has 2^32 of them. */
NETDP_API uint64_t netdp_stream_bits(netdp_stream *stream);

/* Uniform on (0, 1): (k + 1/2) 2^-52, never 0 or 1. */
NETDP_API double netdp_stream_uniform(netdp_stream *stream);

/* Uniform on 0 .. bound-1 without modulo bias; bound >= 1. */
NETDP_API uint64_t netdp_stream_below(netdp_stream *stream, uint64_t bound);

/* `count` standard normals (Box-Muller, a fixed two draws for each pair). */
NETDP_API void netdp_stream_normals(netdp_stream *stream, double *out, size_t count);

NETDP_END

#endif

/*
 * Streams of bits for noise that leaves a machine: ChaCha20 (RFC 8439) by libsodium, under a key
 * from the system, or one that two peers share. A seeded netdp_stream is another type: it cannot be
 * handed to what wants this one, by mistake or otherwise.
 */
#ifndef NETDP_I_SECURE_H
#define NETDP_I_SECURE_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <netdp/noise.h>

enum { NETDP_I_SECURE_KEY = 32, NETDP_I_SECURE_BLOCK = 1024 };

typedef struct netdp_i_secure {
    unsigned char key[NETDP_I_SECURE_KEY];
    uint64_t block; /* of NETDP_I_SECURE_BLOCK bytes: the next one */
    uint32_t used;  /* bytes of `held` that are gone */
    unsigned char held[NETDP_I_SECURE_BLOCK];
} netdp_i_secure;

/* A new key from the system's generator; false: it has none, and there is no noise to go on with. */
bool netdp_i_secure_begin(netdp_i_secure *stream) __attribute__((warn_unused_result));

/* The stream of a key that was derived for this and nothing else (peer/keys.c). */
void netdp_i_secure_of(const unsigned char key[NETDP_I_SECURE_KEY], netdp_i_secure *stream);

/* The next block into `held`. */
void netdp_i_secure_fill(netdp_i_secure *stream);

/* The next 64 bits, the first byte the lowest; they are gone from the stream's memory. Here, since a
 * normal number asks for a dozen words. */
static inline uint64_t netdp_i_secure_bits(netdp_i_secure *stream)
{
    if (stream->used == NETDP_I_SECURE_BLOCK)
        netdp_i_secure_fill(stream);
    uint64_t bits;
    memcpy(&bits, stream->held + stream->used, sizeof bits);
    memset(stream->held + stream->used, 0, sizeof bits);
    stream->used += (uint32_t)sizeof bits;
    return le64toh(bits);
}

/* As netdp_stream_discrete_laplace. */
int64_t netdp_i_secure_discrete_laplace(netdp_i_secure *stream, netdp_ratio scale);

/* Uniform on 0 .. bound-1; 1 <= bound <= 2^63. */
uint64_t netdp_i_secure_below(netdp_i_secure *stream, uint64_t bound);

/* True with probability exp(-p/q), p and q below 2^127. */
bool netdp_i_secure_coin_exp(netdp_i_secure *stream, unsigned __int128 p, unsigned __int128 q);

/* Everything that could give a draw again is zeroed. */
void netdp_i_secure_end(netdp_i_secure *stream);

#endif

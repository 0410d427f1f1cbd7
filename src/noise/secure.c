#include "noise/secure.h"

#include <sodium.h>
#include <string.h>

#include "noise/discrete.h"

/* sodium_init may be called again, and by several threads. */
bool netdp_i_secure_begin(netdp_i_secure *stream)
{
    unsigned char key[NETDP_I_SECURE_KEY];
    if (sodium_init() < 0)
        return false;
    randombytes_buf(key, sizeof key);
    netdp_i_secure_of(key, stream);
    sodium_memzero(key, sizeof key);
    return true;
}

void netdp_i_secure_of(const unsigned char key[NETDP_I_SECURE_KEY], netdp_i_secure *stream)
{
    memcpy(stream->key, key, NETDP_I_SECURE_KEY);
    stream->block = 0;
    stream->used = NETDP_I_SECURE_BLOCK;
}

/* A nonce for each block, so that 2^64 of them never meet. */
static void fill(netdp_i_secure *stream)
{
    unsigned char nonce[crypto_stream_chacha20_NONCEBYTES];
    for (size_t i = 0; i < sizeof nonce; i++)
        nonce[i] = (unsigned char)(stream->block >> (8 * i));
    (void)crypto_stream_chacha20(stream->held, sizeof stream->held, nonce, stream->key);
    stream->block++;
    stream->used = 0;
}

uint64_t netdp_i_secure_bits(netdp_i_secure *stream)
{
    if (stream->used == NETDP_I_SECURE_BLOCK)
        fill(stream);
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits |= (uint64_t)stream->held[stream->used + (uint32_t)i] << (8 * i);
    memset(stream->held + stream->used, 0, 8);
    stream->used += 8;
    return bits;
}

static uint64_t next_word(void *stream)
{
    return netdp_i_secure_bits(stream);
}

int64_t netdp_i_secure_discrete_laplace(netdp_i_secure *stream, netdp_ratio scale)
{
    netdp_i_bits bits = {.next = next_word, .source = stream};
    const int64_t drawn = netdp_i_discrete_laplace(&bits, scale);
    sodium_memzero(&bits, sizeof bits);
    return drawn;
}

void netdp_i_secure_end(netdp_i_secure *stream)
{
    sodium_memzero(stream, sizeof *stream);
}

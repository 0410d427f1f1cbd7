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
void netdp_i_secure_fill(netdp_i_secure *stream)
{
    unsigned char nonce[crypto_stream_chacha20_NONCEBYTES];
    for (size_t i = 0; i < sizeof nonce; i++)
        nonce[i] = (unsigned char)(stream->block >> (8 * i));
    (void)crypto_stream_chacha20(stream->held, sizeof stream->held, nonce, stream->key);
    stream->block++;
    stream->used = 0;
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

uint64_t netdp_i_secure_below(netdp_i_secure *stream, uint64_t bound)
{
    netdp_i_bits bits = {.next = next_word, .source = stream};
    const uint64_t drawn = netdp_i_bits_below(&bits, bound);
    sodium_memzero(&bits, sizeof bits);
    return drawn;
}

bool netdp_i_secure_coin_exp(netdp_i_secure *stream, unsigned __int128 p, unsigned __int128 q)
{
    netdp_i_bits bits = {.next = next_word, .source = stream};
    const bool head = netdp_i_coin_exp(&bits, p, q);
    sodium_memzero(&bits, sizeof bits);
    return head;
}

void netdp_i_secure_end(netdp_i_secure *stream)
{
    sodium_memzero(stream, sizeof *stream);
}

#include <netdp/random.h>

/* Philox4x32-10: J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011. */
static void philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4])
{
    uint32_t k0 = key[0], k1 = key[1];
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = 0xD2511F53ull * c0;
        uint64_t p1 = 0xCD9E8D57ull * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

/* SplitMix64's finaliser: a bijection that spreads (seed, purpose) over the key. */
static uint64_t scramble(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

netdp_stream netdp_stream_at(uint64_t seed, netdp_purpose purpose, uint32_t node, uint64_t step)
{
    /* An odd multiple of the purpose keeps the map (seed, purpose) -> key injective in the seed. */
    uint64_t key = scramble(seed + 0x9E3779B97F4A7C15ull * (uint64_t)purpose);
    return (netdp_stream){
        .key = {(uint32_t)key, (uint32_t)(key >> 32)},
        .counter = {node, (uint32_t)step, (uint32_t)(step >> 32), 0},
    };
}

static void draw(netdp_stream *stream, uint64_t out[2])
{
    uint32_t words[4];
    philox(stream->key, stream->counter, words);
    stream->counter[3]++;
    out[0] = words[0] | (uint64_t)words[1] << 32;
    out[1] = words[2] | (uint64_t)words[3] << 32;
}

/* 52 bits, centred in their cell: exact in a double, never 0 or 1. */
static double open_unit(uint64_t bits)
{
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

uint64_t netdp_stream_bits(netdp_stream *stream)
{
    uint64_t pair[2];
    draw(stream, pair);
    return pair[0];
}

double netdp_stream_uniform(netdp_stream *stream)
{
    return open_unit(netdp_stream_bits(stream));
}

uint64_t netdp_stream_below(netdp_stream *stream, uint64_t bound)
{
    /* Reject the incomplete last copy of 0 .. bound-1 within 2^64. */
    uint64_t excess = (UINT64_MAX % bound + 1) % bound;
    uint64_t bits;
    do
        bits = netdp_stream_bits(stream);
    while (bits > UINT64_MAX - excess);
    return bits % bound;
}

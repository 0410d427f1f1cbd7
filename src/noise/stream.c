/* The integer samplers over a seeded stream: simulation only. */
#include "noise/discrete.h"

static uint64_t next_word(void *stream)
{
    return netdp_stream_bits(stream);
}

static netdp_i_bits bits_of(netdp_stream *stream)
{
    return (netdp_i_bits){.next = next_word, .source = stream};
}

int64_t netdp_stream_discrete_laplace(netdp_stream *stream, netdp_ratio scale)
{
    netdp_i_bits bits = bits_of(stream);
    return netdp_i_discrete_laplace(&bits, scale);
}

int64_t netdp_stream_discrete_gaussian(netdp_stream *stream, netdp_ratio variance)
{
    netdp_i_bits bits = bits_of(stream);
    return netdp_i_discrete_gaussian(&bits, variance);
}

int32_t netdp_stream_randomised_response(netdp_stream *stream, int32_t value, double flip,
                                         int32_t levels)
{
    netdp_i_bits bits = bits_of(stream);
    return netdp_i_randomised_response(&bits, value, flip, levels);
}

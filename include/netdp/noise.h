/*
 * Samplers of noise for simulation: Laplace, Gamma, discrete Laplace and Gaussian, randomised
 * response. Normals are in random.h.
 *
 * All of them draw from a seeded stream, so none may serve a release: what leaves a machine is
 * noised by the same integer samplers from a secure source, which is another type. The continuous
 * ones never will be: the gaps and last bits of a floating-point sum tell the value.
 *
 * A sampler takes as many 64-bit words of the stream as it needs, and leaves the stream behind the
 * last one. A stream has 2^32 of them: for more than about 10^8 draws take a new step.
 */
#ifndef NETDP_NOISE_H
#define NETDP_NOISE_H

#include <netdp/random.h>
#include <netdp/status.h>

NETDP_BEGIN

/* The most that a part of a ratio may be: 2^53. */
#define NETDP_RATIO_MOST ((uint64_t)1 << 53)

/* The exact number numerator / denominator; both in 1 .. NETDP_RATIO_MOST, reduced or not. */
typedef struct netdp_ratio {
    uint64_t numerator, denominator; /* 1 .. NETDP_RATIO_MOST */
} netdp_ratio;

/*
 * The ratio of a double in (0, 2^53]: exact from 1/2 on (and wherever `value` is a multiple of
 * 2^-53), else rounded up to the next multiple of 2^-53, so that noise of this scale or variance is
 * never less than asked for. Any other value: NETDP_INVALID.
 */
NETDP_API NETDP_CHECK netdp_status netdp_ratio_of(double value, netdp_ratio *ratio,
                                                  netdp_error *error);

/*
 * P(y) proportional to exp(-|y| / scale) on the integers: Canonne, Kamath and Steinke 2020,
 * Algorithms 1 and 2. Integers and fair bits only, and exact, except that |y| beyond 1024 scale,
 * together of probability below exp(-1023), is never drawn, so that nothing overflows. A scale
 * outside the range of netdp_ratio is refused: INT64_MIN, which is never drawn.
 */
NETDP_API int64_t netdp_stream_discrete_laplace(netdp_stream *stream, netdp_ratio scale);

/*
 * P(y) proportional to exp(-y^2 / (2 variance)) on the integers: the same paper, Algorithm 3; exact
 * in the same sense (what is never drawn has probability below exp(-10^5)), and refused in the
 * same way. `variance` is the paper's sigma^2: the variance of a draw is never above it, and far
 * below where sigma < 1/2.
 */
NETDP_API int64_t netdp_stream_discrete_gaussian(netdp_stream *stream, netdp_ratio variance);

/* Density exp(-|x|) / 2, by inversion; one word; at most 36.05 from 0. */
NETDP_API double netdp_stream_laplace(netdp_stream *stream);

/*
 * Density x^(shape-1) exp(-x) / Gamma(shape), shape > 0: Marsaglia and Tsang 2000. Below shape 1
 * the draw of shape + 1 is taken down by U^(1/shape) among logarithms, so that 0 comes out only
 * where the number drawn is below the least double (half of the draws at shape 0.001). Shapes 0 and
 * inf give themselves, the limits; negative or no number: NaN.
 */
NETDP_API double netdp_stream_gamma(netdp_stream *stream, double shape);

/*
 * Keeps `value` in 0 .. levels-1 with probability 1 - flip, else a uniform one of all `levels` >=
 * 1. flip in [0, 1] is rounded up to a multiple of 2^-53, and that part is exact: privacy is never
 * less than that of `flip`. A flip outside, or no number, counts as 1, a value outside as its
 * nearest level. Which words are taken does not depend on the value.
 */
NETDP_API int32_t netdp_stream_randomised_response(netdp_stream *stream, int32_t value, double flip,
                                                   int32_t levels);

NETDP_END

#endif

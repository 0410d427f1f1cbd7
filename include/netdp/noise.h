/*
 * Noise: what is drawn, and how it may vary together over the phases of a run.
 *
 * Ownership: a design is the caller's, netdp_quiet_design_free. Threads: any may call, each with
 * streams of its own.
 */
#ifndef NETDP_NOISE_H
#define NETDP_NOISE_H

#include <netdp/random.h>
#include <netdp/status.h>

NETDP_BEGIN

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

/*
 * Noise correlated over many phases: a covariance Q over phases for which what a
 * workload of the phases adds up is small, and what a row tells that takes part in every cycle-th
 * phase is not more than with fresh noise (docs/proofs/quiet.md).
 */

/* Families of Q. */
typedef enum netdp_quiet_family {
    NETDP_QUIET_FRESH = 0, /* I */
    NETDP_QUIET_OPTIMAL,   /* the least error, where Q^-1 is 0 between phases of one class */
    NETDP_QUIET_BANDED,    /* the same, Q^-1 of `size` diagonals, 1 <= size <= cycle */
    NETDP_QUIET_BLT,       /* by `size` exponentials, for thousands of phases */
} netdp_quiet_family;

/* A family with its size. */
typedef struct netdp_quiet_kind {
    netdp_quiet_family family; /* which */
    int32_t size;              /* bands or exponentials, else 0 */
} netdp_quiet_kind;

/* "fresh", "optimal", "banded:B", "blt:M" with M from 1 to 8; anything else is NETDP_INVALID. */
NETDP_API NETDP_CHECK netdp_status netdp_quiet_parse(const char *text, netdp_quiet_kind *kind,
                                                     netdp_error *error);

/* What is designed for. */
typedef struct netdp_quiet_request {
    netdp_quiet_kind kind; /* the family */
    int64_t phases;        /* N */
    int64_t cycle;         /* B: a row takes part in phases p, p + B, ..., for some p < B */
    /* Borrowed, G = A'A of the workload A, [phases][phases]; NULL: of all prefix sums, A the lower
     * triangle of ones. The error is tr(A Q A') = tr(G Q). */
    const double *workload;
} netdp_quiet_request;

/*
 * A design. Errors are in units of the variance that makes mu of the worst class 1, so that those of two
 * designs compare; Q itself is in units in which the phases of a class tell as much as k
 * fresh ones, k the phases of the largest class, so that a dither means the same.
 */
typedef struct netdp_quiet_design {
    double error; /* tr(G Q) at class sums of diag Q^-1 of at most 1 */
    double fresh; /* the same of Q = I: k tr G */
    /* [phases][phases] row by row, C of Q = C C'; NULL of NETDP_QUIET_BLT beyond 4,000 phases */
    double *factor;
    int32_t
        size; /* of NETDP_QUIET_BLT, else 0: how many exponentials. Q^-1 is D N E'E N D, D diagonal,
                         E lower triangular and Toeplitz: 1, then sum_i weight_i decay_i^(j-1), and
                         N positive definite, N^-2 the entries of E'E between phases of one class */
    double weight[8]; /* of each, above 0 */
    double decay[8];  /* of each, between 0 and 1 */
    double *scale;    /* [phases]: D; NULL but of NETDP_QUIET_BLT */
} netdp_quiet_design;

/*
 * NETDP_INVALID where participation is not cyclic (cycle below 2) but for fresh noise, or
 * sizes are out of range; NETDP_NO_ANSWER beyond 1,500 phases but for fresh and BLT.
 */
NETDP_API NETDP_CHECK netdp_status netdp_quiet_design_new(const netdp_quiet_request *request,
                                                          netdp_quiet_design **design,
                                                          netdp_error *error);
/* NULL is fine. */
NETDP_API void netdp_quiet_design_free(netdp_quiet_design *design);

NETDP_END

#endif

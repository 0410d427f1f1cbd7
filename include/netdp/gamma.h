/*
 * The Gamma mechanism of weighted walks (paper B, Definition 2, Lemma 3) and the Laplace mechanisms
 * that it is compared with.
 *
 * A node whose constant L lies in [low, high] releases R(L), a Gamma variable of shape L/theta and
 * scale theta: mean L, variance L theta. With a = high/theta, b = low/theta, k = 1/(a - b) and
 * l = lnGamma(a) - lnGamma(b) the log-likelihood ratio of the two ends is epsilon at
 * z1 = e^((epsilon + l) k) and -epsilon at z2 = e^((l - epsilon) k), in units of theta. With P and
 * Q the lower and upper regularised incomplete gamma functions
 *
 *     delta(epsilon) = max( Q(a, z1) - e^epsilon Q(b, z1), P(b, z2) - e^epsilon P(a, z2) ),
 *
 * the exact curve. The two ends are the worst pair: for any pair the best test is a threshold
 * (monotone likelihood ratio), and a threshold's gain grows with the larger and falls with the
 * smaller of the two values (stochastic order). Lemma 3 of the paper is the same without what
 * e^epsilon multiplies: sound, not tight.
 *
 * WHAT THIS COVERS: the released R(L), once per node. Algorithm 2 of the paper also uses the mean
 * of all L and scales gradients by 1/L; both depend on L and leak too. Clipping R to a fixed range
 * (the truncated mechanism) is post-processing and has the same guarantee.
 *
 * As theta grows delta does not fall to 0 but to a floor, (1 - 1/r) (e^epsilon r)^(-1/(r-1)) with
 * r = high/low: with r = 5 and epsilon = 3 no theta gives less than 0.2527.
 *
 * Results are upper bounds in ball arithmetic, rounded outward. theta in (0, inf); low and high
 * finite, 0 < low <= high (NETDP_INVALID elsewhere); low = high leaks nothing. Any thread may call.
 */
#ifndef NETDP_GAMMA_H
#define NETDP_GAMMA_H

#include <netdp/status.h>

NETDP_BEGIN

/* The Gamma mechanism of paper B on numbers in a public range. */
typedef struct netdp_gamma {
    double theta;     /* scale of the noise */
    double low, high; /* the public range of L */
    int published;    /* paper B's Lemma 3 instead of the exact curve */
} netdp_gamma;

/* delta at epsilon in [0, inf], at most one double above the least that is certain. */
NETDP_API NETDP_CHECK netdp_status netdp_gamma_to_delta(const netdp_gamma *mechanism,
                                                        double epsilon, double *delta,
                                                        netdp_error *error);

/*
 * The least epsilon for delta in (0, 1), on doubles with 40 bits after the leading one; infinity
 * where no double is large enough.
 */
NETDP_API NETDP_CHECK netdp_status netdp_gamma_to_epsilon(const netdp_gamma *mechanism,
                                                          double delta, double *epsilon,
                                                          netdp_error *error);

/* The delta that no theta goes below, rounded up (of the exact curve, and so of Lemma 3). */
NETDP_API NETDP_CHECK netdp_status netdp_gamma_floor(double low, double high, double epsilon,
                                                     double *delta, netdp_error *error);

/*
 * The least theta, rounded up, with which the mechanism is (epsilon, delta)-DP:
 * netdp_gamma_to_delta of it is at most delta, netdp_gamma_to_epsilon at most epsilon.
 * NETDP_NO_ANSWER where delta is at or below the floor, or so close above it that theta would pass
 * 1e15 high. Lemma 3's delta is not monotone in theta (it rises again by up to 1 % here and there):
 * with `published` the answer is certain too, but there may be a lesser one.
 */
NETDP_API NETDP_CHECK netdp_status netdp_gamma_calibrate(double low, double high, double epsilon,
                                                         double delta, int published, double *theta,
                                                         netdp_error *error);

/* ---- Laplace, the additive baseline ---- */

/*
 * A Laplace release of sensitivity `range` and scale `scale` (variance 2 scale^2): pure
 * range/scale-DP, and delta(epsilon) = 1 - e^((epsilon - range/scale)/2) below that. Both are exact
 * up to rounding, outward. range in [0, inf), scale in (0, inf].
 */
NETDP_API NETDP_CHECK netdp_status netdp_laplace_to_delta(double range, double scale,
                                                          double epsilon, double *delta,
                                                          netdp_error *error);

/* The same for delta in [0, 1): max(0, range/scale + 2 ln(1 - delta)), rounded up. */
NETDP_API NETDP_CHECK netdp_status netdp_laplace_to_epsilon(double range, double scale,
                                                            double delta, double *epsilon,
                                                            netdp_error *error);

/*
 * The least scale for which a Laplace release of sensitivity `range` is (epsilon, delta)-DP,
 * rounded up: range/(epsilon - 2 ln(1 - delta)). epsilon in [0, inf], delta in [0, 1), not both 0.
 */
NETDP_API NETDP_CHECK netdp_status netdp_laplace_calibrate(double range, double epsilon,
                                                           double delta, double *scale,
                                                           netdp_error *error);

/*
 * The scale at which a Laplace release of `value` has the variance of the Gamma mechanism,
 * sqrt(value theta / 2), to the nearest double: a choice of noise, no bound. The Gamma mechanism's
 * variance grows with L; value = high compares with its largest.
 */
NETDP_API NETDP_CHECK netdp_status netdp_laplace_like_gamma(double value, double theta,
                                                            double *scale, netdp_error *error);

NETDP_END

#endif

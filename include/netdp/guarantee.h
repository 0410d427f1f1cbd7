/*
 * Guarantees and their conversions: Gaussian DP (mu), Renyi DP, (epsilon, delta).
 *
 * Every function returns an upper bound: the result is rounded outward (ball arithmetic, Arb), so
 * it is a true bound for the double that was passed in. 0 and infinity are legal answers; NaN and
 * negative arguments are NETDP_INVALID. All of them may be called from any thread.
 */
#ifndef NETDP_GUARANTEE_H
#define NETDP_GUARANTEE_H

#include <stddef.h>
#include <netdp/status.h>

NETDP_BEGIN

/*
 * The least epsilon such that mu-GDP implies (epsilon, delta)-DP, exact up to rounding:
 * delta(eps) = Phi(-eps/mu + mu/2) - e^eps Phi(-eps/mu - mu/2)  (Balle and Wang 2018, Theorem 8).
 * mu in [0, inf], delta in (0, 1). The answer is the least of the doubles with 40 bits after the
 * leading one that is proven to hold: at most 2^-40 above, and exactly monotone in both arguments.
 */
NETDP_API NETDP_CHECK netdp_status netdp_gdp_to_epsilon(double mu, double delta, double *epsilon,
                                                        netdp_error *error);

/*
 * The delta of mu-GDP at epsilon in [0, inf], correctly rounded up: so at least 5e-324, and 0 only
 * where it is 0 (mu = 0 or epsilon = inf).
 */
NETDP_API NETDP_CHECK netdp_status netdp_gdp_to_delta(double mu, double epsilon, double *delta,
                                                      netdp_error *error);

/* Renyi epsilon of mu-GDP at order alpha in (1, inf): alpha mu^2 / 2, rounded up. */
NETDP_API NETDP_CHECK netdp_status netdp_gdp_to_rdp(double mu, double alpha, double *epsilon,
                                                    netdp_error *error);

/*
 * The largest mu, rounded down, for which mu-GDP implies (epsilon, delta)-DP: the inverse of
 * netdp_gdp_to_epsilon, which gives at most epsilon back. epsilon in [0, inf], delta in (0, 1). The
 * noise multiplier of one Gaussian release is sigma = 1/mu.
 */
NETDP_API NETDP_CHECK netdp_status netdp_epsilon_to_gdp(double epsilon, double delta, double *mu,
                                                        netdp_error *error);

/* A Renyi curve: either linear, eps(alpha) = slope * alpha, or known at `count` orders. */
typedef struct netdp_rdp {
    double slope;          /* used where count == 0 */
    size_t count;          /* orders; 0: linear */
    const double *order;   /* ascending, each in (1, inf) */
    const double *epsilon; /* >= 0, inf allowed */
} netdp_rdp;

/*
 * The curve at alpha in (1, inf), rounded up; between orders (alpha-1) eps(alpha) is convex and is
 * interpolated so, from 0 at alpha = 1; infinite beyond the last order and next to infinite ones.
 */
NETDP_API NETDP_CHECK netdp_status netdp_rdp_at(const netdp_rdp *curve, double alpha,
                                                double *epsilon, netdp_error *error);

/*
 * Renyi to (epsilon, delta), best over real orders: eps + ln((a-1)/a) - (ln delta + ln a)/(a-1)
 * (Canonne, Kamath and Steinke 2020, Proposition 12), never below 0.
 * `published`: the form of papers A, C and E, eps + ln(1/delta)/(a-1).
 */
NETDP_API NETDP_CHECK netdp_status netdp_rdp_to_epsilon(const netdp_rdp *curve, double delta,
                                                        int published, double *epsilon,
                                                        netdp_error *error);

NETDP_END

#endif

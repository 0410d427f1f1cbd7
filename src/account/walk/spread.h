/*
 * What contributions cost that are spread over the noise of n >= 1 steps, their own the first of
 * them, each of which brings any two models nearer by a factor e^{-rate} at least, the step of a
 * contribution too (docs/proofs/excursion.md, strong convexity). At rate 0: 1 / n, exactly as it is
 * divided. Never above that, and errs upward.
 */
#ifndef NETDP_I_SPREAD_H
#define NETDP_I_SPREAD_H

#include <stdint.h>

/* -ln of a contraction, erring downward; 0: of no contraction (0 or 1). */
double netdp_i_spread_rate(double contraction);

/* Of one that no other one begins within: c^{2(n-1)} / (1 + c^2 + .. + c^{2(n-1)}). */
double netdp_i_spread_alone(double rate, int64_t n);

/* Twice this for each other one that begins within: c^{n-1} / (1 + c^2 + .. + c^{2(n-1)}). */
double netdp_i_spread_shared(double rate, int64_t n);

/* Of the first of `count` that begin within. */
double netdp_i_spread_among(double rate, int64_t count, int64_t n);

#endif

/*
 * The least number at which something is proven: how epsilon, theta and gamma are found from bounds
 * that only go from them to a delta.
 *
 * Answers are "cells", doubles of which only the first bits after the leading one count, so that
 * the last digits of a root, which no bound can tell apart, do not cost any time. Where the
 * question is false up to some number and true from there on, the answer does not depend on the way
 * to it, and is exactly monotone in whatever the question is.
 */
#ifndef NETDP_I_LEAST_H
#define NETDP_I_LEAST_H

/*
 * About ln(bound/target) at x: <= 0 only where the bound is proven to meet its target, anything
 * else, NaN too, where it is not. The size steers the search; no guarantee rests on it.
 */
typedef double (*netdp_i_excess)(void *context, double x);

/*
 * The least cell in (low, high] that is proven, `bits` in 4..52; negative where the cell at or
 * above high is not. 0 <= low < high <= inf, and low is not a candidate.
 */
double netdp_i_least_proven(netdp_i_excess excess, void *context, double low, double high,
                            int bits);

/* The cell at or below x >= 0: a target rounded to what an answer can be. */
double netdp_i_cell_below(double x, int bits);

#endif

/* What rounding to the nearest may do, from above: for proofs in doubles without search. */
#ifndef NETDP_I_BASE_ROUNDING_H
#define NETDP_I_BASE_ROUNDING_H

#include <float.h>
#include <math.h>
#include <stdint.h>

/* So many roundings of one number are at most this part of it: n u / (1 - n u), u = 2^-53 (Higham, Lemma 3.1). */
static inline double netdp_i_gamma(double roundings)
{
    const double u = roundings * (DBL_EPSILON / 2);
    return u < 0.5 ? u / (1 - u) : INFINITY;
}

/* The larger one; what is no number stays, whatever comes after it. */
static inline double netdp_i_most(double most, double value)
{
    return value > most || isnan(value) ? value : most;
}

/* The sum of the squares, at most. */
static inline double netdp_i_squares(const double *x, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sum * (1 + netdp_i_gamma((double)count + 2));
}

#endif

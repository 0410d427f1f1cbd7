#include "account/walk/spread.h"

#include <float.h>
#include <math.h>

/* Below, nothing is gained by knowing it better, and its powers leave the doubles. */
#define LEAST_CONTRACTION 1e-3

/* What exp, expm1 and the exponents may be off, in parts, where the result is not next to 0. */
#define ROUNDED 1e-12

/* Beyond this exponent a power counts as this one. */
#define FAR 600.0

double netdp_i_spread_rate(double contraction)
{
    if (!(contraction > 0 && contraction < 1))
        return 0;
    return fmax(0, -log(fmax(contraction, LEAST_CONTRACTION)) * (1 - 8 * DBL_EPSILON));
}

/* e^{-rate power} / (1 + c^2 + .. + c^{2(n-1)}) */
static double over_all(double rate, double power, int64_t n)
{
    const double each = 1 / (double)n;
    if (rate == 0)
        return each;
    const double all = expm1(-2 * rate * (double)n) / expm1(-2 * rate);
    return fmin(each, exp(-fmin(FAR, rate * power)) / all * (1 + ROUNDED));
}

double netdp_i_spread_alone(double rate, int64_t n)
{
    return over_all(rate, 2 * (double)(n - 1), n);
}

double netdp_i_spread_shared(double rate, int64_t n)
{
    return over_all(rate, (double)(n - 1), n);
}

double netdp_i_spread_among(double rate, int64_t count, int64_t n)
{
    if (rate == 0)
        return (double)(2 * count - 1) / (double)n;
    return netdp_i_spread_alone(rate, n) +
           2 * (double)(count - 1) * netdp_i_spread_shared(rate, n) * (1 + 4 * DBL_EPSILON);
}

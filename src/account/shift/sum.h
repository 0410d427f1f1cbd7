/*
 * Sums that keep what they round off: `high` takes the sum, `low` what it lost (docs/proofs/shift.md). Of a block of sources side by side.
 */
#ifndef NETDP_I_SHIFT_SUM_H
#define NETDP_I_SHIFT_SUM_H

#include <float.h>
#include <math.h>

/* Lanes that go through the rounds together. */
enum { LANES = 16 };

#define SPARE 16.0
#define UNIT (DBL_EPSILON / 2)
#define ROUND_UP (1 + 1e-14)
#define TINY 1e-300

#define INSIDE __attribute__((always_inline)) inline

/* high + low += weight x */
static INSIDE void add_product(double weight, const double *x, double *high, double *low)
{
    for (int l = 0; l < LANES; l++) {
        const double product = weight * x[l], lost = fma(weight, x[l], -product);
        const double sum = high[l] + product, part = sum - high[l];
        low[l] += lost + ((high[l] - (sum - part)) + (product - part));
        high[l] = sum;
    }
}

static INSIDE void add_low(double weight, const double *x, double *low)
{
    for (int l = 0; l < LANES; l++)
        low[l] += weight * x[l];
}

/* high + low *= weight, nearly. */
static INSIDE void scale_by(double weight, double *high, double *low)
{
    for (int l = 0; l < LANES; l++) {
        const double product = weight * high[l];
        low[l] = fma(weight, high[l], -product) + weight * low[l];
        high[l] = product;
    }
}

/* low becomes no more than half a unit of high. */
static INSIDE void settle_sum(double *high, double *low)
{
    for (int l = 0; l < LANES; l++) {
        const double sum = high[l] + low[l], part = sum - high[l];
        low[l] = (high[l] - (sum - part)) + (low[l] - part);
        high[l] = sum;
    }
}

static INSIDE double largest(const double *x)
{
    double most = 0;
    for (int l = 0; l < LANES; l++)
        most =
            fabs(x[l]) > most ? fabs(x[l]) : most; /* a lane that is no number speaks for itself */
    return most * ROUND_UP;
}

/* What a sum of so many terms, of this size in all, rounds. */
static INSIDE double rounded(double terms, double size)
{
    return (terms + SPARE) * (terms + SPARE) * 4 * UNIT * UNIT * size * ROUND_UP + TINY;
}

/* A sum becomes 1 more. */
static INSIDE void add_one(double *high, double *low)
{
    const double sum = *high + 1, part = sum - *high;
    *low += (*high - (sum - part)) + (1 - part);
    *high = sum;
}

#endif

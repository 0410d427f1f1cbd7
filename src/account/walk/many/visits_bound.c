/*
 * At u at the steps t_0 < t_1 < .. of 0 .. T - 1, whose differences are independent first returns with the transform
 * R(z) = 1 - 1 / G_uu(z): P(t_N <= T - 1) <= e^{s (T - 1)} R(e^-s)^N at every s > 0.
 */
#include "account/walk/many/visits_bound.h"

#include <math.h>

/* Values of s that are looked at, from a part of 1 / T up. */
enum { RATES = 40 };
#define FIRST_RATE 0.1
#define RATE_RATIO 1.3

/* What rounding may leave out of a transform. */
#define ROUNDED 1e-9

static double green(const netdp_i_spectral *s, int32_t u, double z)
{
    double sum = 0;
    for (int32_t k = 0; k < s->nodes; k++) {
        const double part = s->vectors[(int64_t)k * s->nodes + u];
        sum += part * part / (1 - z * s->values[k]);
    }
    return sum;
}

double netdp_i_visits_bound(const netdp_i_spectral *spectral, int64_t steps, int32_t u, double lost)
{
    double least = (double)steps, rate = FIRST_RATE / (double)steps;
    for (int i = 0; i < RATES; i++, rate *= RATE_RATIO) {
        const double returns = 1 - (1 - ROUNDED) / green(spectral, u, exp(-rate));
        const double number = (rate * (double)(steps - 1) - log(lost)) / -log(returns);
        if (returns > 0 && returns < 1)
            least = fmin(least, ceil(number * (1 + ROUNDED)));
    }
    return fmax(1, least);
}

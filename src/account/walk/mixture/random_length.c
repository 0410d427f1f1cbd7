#include "account/walk/mixture/random_length.h"

#include <math.h>

#include "base/fail.h"
#include "base/memory.h"

/*
 * In deviations: how far the middle lies beyond the steps, and a period beyond the middle, where
 * what the sum has of earlier periods is next to nothing.
 */
#define BEYOND_STEPS 2.5
#define BEYOND_MIDDLE 8.5

/* What erfc and sums of exponentials may be off, in parts. */
#define ROUNDED 1e-9

void netdp_i_random_length_free(netdp_i_random_length *l)
{
    if (l == NULL)
        return;
    netdp_i_free(l->z);
    netdp_i_free(l->weight);
    netdp_i_free(l);
}

static double normal_above(double x)
{
    return 0.5 * erfc(x * M_SQRT1_2);
}

/* In steps. */
typedef struct shape {
    double steps, spread, middle, period, rate;
} shape;

/* sum_m e^{-rate m period} Q((t - m period - middle) / spread), of those m that count at t <= steps. */
static double sum_periods(const shape *s, double t)
{
    double sum = 0;
    for (int m = -2; m < 8; m++)
        sum += exp(-s->rate * m * s->period) *
               normal_above((t - m * s->period - s->middle) / s->spread);
    return sum;
}

/*
 * K(t) = sum_m e^{-rate m period} Q((t - m period - middle) / spread), all whole m, falls with t; its
 * Poisson sum is sum_j c_j e^{-rate t + i w_j t} with c_j = e^{q middle + q^2 spread^2 / 2} / (q period),
 * q = rate - i w_j. K(t) / K(0) is the law of a length.
 */
static void set_weights(const shape *s, netdp_i_random_length *l)
{
    const double at_start = sum_periods(s, 0);
    l->survives = sum_periods(s, s->steps) / at_start * (1 - ROUNDED);
    for (int j = 0; j < 2 * l->points; j++) {
        const double turn = 2 * M_PI * j / s->period;
        const double complex q = s->rate - I * turn;
        const double complex c =
            cexp(q * s->middle + q * q * s->spread * s->spread / 2) / (q * s->period) / at_start;
        if (j >= l->points) {
            l->left_out += 2 * cabs(c);
            continue;
        }
        l->z[j] = exp(-s->rate) * cexp(I * turn);
        l->weight[j] = j == 0 ? c : 2 * c;
        l->norm += cabs(l->weight[j]);
    }
    l->left_out += 1e-15; /* beyond 2 points each falls by more than half */
}

netdp_status netdp_i_random_length_new(const netdp_i_length_asked *asked,
                                       netdp_i_random_length **length, netdp_error *error)
{
    shape s = {.steps = (double)asked->steps};
    s.spread = asked->spread * s.steps;
    s.middle = s.steps + BEYOND_STEPS * s.spread;
    s.period = s.middle + BEYOND_MIDDLE * s.spread;
    s.rate = asked->fading / s.period;
    OWNED_BY(netdp_i_random_length_free)
    netdp_i_random_length *made = NETDP_I_NEW(netdp_i_random_length, 1);
    if (made == NULL)
        return netdp_i_no_memory(error);
    made->points = (int32_t)ceil(asked->frequency * s.period / s.spread / (2 * M_PI)) + 1;
    made->z = NETDP_I_NEW(double complex, made->points);
    made->weight = NETDP_I_NEW(double complex, made->points);
    if (made->z == NULL || made->weight == NULL)
        return netdp_i_no_memory(error);
    set_weights(&s, made);
    *length = GIVE(made);
    return NETDP_OK;
}

#include "account/published/harmonic.h"

#include <float.h>
#include <math.h>

#define EULER 0.57721566490153286061

/* Terms that are added one by one. */
enum { DIRECT = 20000 };

double netdp_i_harmonic(int64_t terms)
{
    double sum = 0;
    if (terms <= 64) {
        for (int64_t t = terms; t >= 1; t--)
            sum += 1.0 / (double)t;
        return sum;
    }
    const double x = (double)terms, y = 1 / (x * x);
    return log(x) + EULER + 0.5 / x - y / 12 + y * y / 120 - y * y * y / 252;
}

/* E_1(x) + ln x + Euler's constant, x >= 0: an entire function, by its series or from E_1 by its
   continued fraction (Abramowitz and Stegun 5.1.11 and 5.1.22). */
static double entire_integral(double x)
{
    if (x <= 2) {
        double term = 1, sum = 0;
        for (int k = 1; k < 60 && fabs(term) > DBL_EPSILON * DBL_EPSILON; k++) {
            term *= -x / k;
            sum -= term / k;
        }
        return sum;
    }
    double fraction = x;
    for (int k = 200; k >= 1; k--)
        fraction = x + k / (1 + k / fraction);
    return exp(-x) / fraction + log(x) + EULER;
}

/*
 * sum_{t=from}^{to} e^{-st} / t for large `from` and small s >= 0, by Euler and Maclaurin: f' is
 * about -f (s + 1/t), so that the first correction is enough.
 */
static double smooth_part(double s, double from, double to)
{
    const double first = exp(-s * from) / from, last = exp(-s * to) / to;
    const double integral = log(to / from) - (entire_integral(s * to) - entire_integral(s * from));
    return integral + (first + last) / 2 + (first * (s + 1 / from) - last * (s + 1 / to)) / 12;
}

/* The same of (-1)^t e^{-st} / t, by Boole's summation: half the ends, and their slopes. */
static double alternating_part(double s, int64_t from, int64_t to)
{
    const double a = (double)from, b = (double)to;
    const double first = exp(-s * a) / a, last = exp(-s * b) / b;
    const double start = first / 2 + first * (s + 1 / a) / 4;
    const double end = last / 2 - last * (s + 1 / b) / 4;
    return (from % 2 == 0 ? start : -start) + (to % 2 == 0 ? end : -end);
}

double netdp_i_log_series(double x, int64_t terms)
{
    long double power = 1, sum = 0;
    int64_t t = 1;
    if (x == 1)
        return netdp_i_harmonic(terms);
    for (; t <= terms && t <= DIRECT; t++) {
        power *= (long double)x;
        sum += power / (long double)t;
        if (fabsl(power) < (long double)(DBL_EPSILON * DBL_EPSILON))
            return (double)sum;
    }
    if (t > terms)
        return (double)sum;
    const double s = -log(fabs(x));
    return (double)sum +
           (x > 0 ? smooth_part(s, (double)t, (double)terms) : alternating_part(s, t, terms));
}

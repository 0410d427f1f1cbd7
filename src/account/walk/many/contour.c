#include "account/walk/many/contour.h"

#include <math.h>
#include <stdbool.h>

#include "base/fail.h"
#include "base/memory.h"

enum { POINTS = NETDP_I_CONTOUR_POINTS };

/*
 * The hyperbola s = M (1 + sin(i x - A)) / t, x = H (k + 1/2), for e^{-s} = z: found by a search for
 * the least error over a range of RATIO. What it errs is measured, not assumed.
 */
#define WIDTH 0.12079
#define ANGLE 1.00328
#define SCALE 3.50865

/* Rates at which it is measured what a geometric law loses. */
enum { RATES = 400 };

/* Between them and by rounding it may be this many times as much, and at least so much. */
#define UNSEEN 2.0
#define ROUNDED 4e-14

void netdp_i_contour_clear(netdp_i_contour *c)
{
    netdp_i_free(c->z);
    netdp_i_free(c->first);
    netdp_i_free(c->weight);
    *c = (netdp_i_contour){0};
}

/* P(at most t) = Re sum_k w_k a(z_k), for a(z) = sum_t a_t z^t, t from 1 on. */
static double complex weight_of(int k, double from, double t)
{
    const double x = WIDTH * (k + 0.5), c = SCALE / from;
    const double complex s = c * (1 - sin(ANGLE) * cosh(x) + I * cos(ANGLE) * sinh(x));
    const double complex slope = c * (I * cosh(x) * cos(ANGLE) - sinh(x) * sin(ANGLE));
    return WIDTH / M_PI * cexp(s * t) * slope / (I * (1 - cexp(-s)));
}

static double complex point_of(int k, double from)
{
    const double x = WIDTH * (k + 0.5), c = SCALE / from;
    return cexp(-c * (1 - sin(ANGLE) * cosh(x) + I * cos(ANGLE) * sinh(x)));
}

/* What an edge errs on the law (1 - r) r^{t-1}, left = 1 - r, or on the same a step later. */
static double off_by(const double complex *z, const double *weight, double left, int64_t edge,
                     bool later)
{
    const double t = (double)(later ? edge - 1 : edge);
    double sum = 0;
    for (int k = 0; k < POINTS; k++) {
        const double complex law = left * z[k] / (1 - (1 - left) * z[k]) * (later ? z[k] : 1);
        sum += weight[2 * k] * creal(law) + weight[2 * k + 1] * cimag(law);
    }
    const double gone = left < 1 ? exp(t * log1p(-left)) : pow(1 - left, t);
    return fabs(sum - (1 - gone));
}

/* The most that an edge errs on laws with r from `least` to 1: so much at most on their means. */
static double measure(const netdp_i_contour *c, int32_t range, int32_t at, int64_t edge,
                      double least)
{
    const double complex *z = c->z + range * POINTS;
    const double *weight = c->weight + 2 * (int64_t)at * POINTS;
    double most = 0;
    for (int i = 0; i <= RATES; i++)
        for (int later = 0; later < 2; later++) {
            const double part = (double)i / RATES;
            most = fmax(most, off_by(z, weight, exp(-18 * part), edge, later));
            if (least < 0)
                most = fmax(most, off_by(z, weight, 1 - least * part, edge, later));
        }
    return most;
}

netdp_status netdp_i_contour_new(const int64_t *edge, int32_t edges, double least,
                                 netdp_i_contour *contour, netdp_error *error)
{
    const double first = (double)edge[0], all = (double)edge[edges - 1] / first;
    netdp_i_contour made = {.edges = edges, .ranges = 1};
    while (pow(NETDP_I_CONTOUR_RATIO, made.ranges) < all)
        made.ranges++;
    const double ratio = pow(all, 1.0 / made.ranges) * (1 + 1e-9);
    made.z = NETDP_I_NEW(double complex, (int64_t)made.ranges *POINTS);
    made.first = NETDP_I_NEW(int32_t, made.ranges + 1);
    made.weight = NETDP_I_NEW(double, 2 * (int64_t)edges * POINTS);
    if (made.z == NULL || made.first == NULL || made.weight == NULL) {
        netdp_i_contour_clear(&made);
        return netdp_i_no_memory(error);
    }
    int32_t at = 0;
    for (int32_t r = 0; r < made.ranges; r++) {
        const double from = first * pow(ratio, r);
        made.first[r] = at;
        for (int k = 0; k < POINTS; k++)
            made.z[r * POINTS + k] = point_of(k, from);
        for (; at < edges && (r + 1 == made.ranges || (double)edge[at] <= from * ratio); at++) {
            for (int k = 0; k < POINTS; k++) {
                const double complex w = weight_of(k, from, (double)edge[at]);
                made.weight[2 * ((int64_t)at * POINTS + k)] = creal(w);
                made.weight[2 * ((int64_t)at * POINTS + k) + 1] = -cimag(w);
            }
            made.off = fmax(made.off, measure(&made, r, at, edge[at], least));
        }
    }
    made.first[made.ranges] = edges;
    made.off = UNSEEN * made.off + ROUNDED;
    *contour = made;
    return NETDP_OK;
}

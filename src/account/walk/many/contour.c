#include "account/walk/many/contour.h"

#include <math.h>
#include <stdbool.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"

enum { POINTS = NETDP_I_CONTOUR_POINTS };

/*
 * The hyperbola s = M (1 + sin(i x - A)) / t, x = H (k + 1/2), for e^{-s} = z: found by a search for
 * the least error over a range of RATIO. What it errs is measured, not assumed.
 */
#define WIDTH 0.12079
#define ANGLE 1.00328
#define SCALE 3.50865

/* Edges nearer to each other are measured so far apart. */
#define APART 1.02

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

/* Geometric laws (1 - r) r^{t-1}, or a step later, at the points of one range. */
typedef struct geometric {
    double size; /* ln |r| */
    bool negative, later;
    double law[2 * POINTS]; /* real and imaginary parts */
} geometric;

static void fill_geometric(const double complex *z, double left, bool later, geometric *g)
{
    *g = (geometric){
        .size = left < 1 ? log1p(-left) : log(left - 1), .negative = left > 1, .later = later};
    for (int k = 0; k < POINTS; k++) {
        const double complex law = left * z[k] / (1 - (1 - left) * z[k]) * (later ? z[k] : 1);
        g->law[2 * k] = creal(law);
        g->law[2 * k + 1] = cimag(law);
    }
}

/* All at which it is measured, of r from `least` to 1; returns how many. */
static int fill_all(const double complex *z, double least, geometric *all)
{
    int count = 0;
    for (int i = 0; i <= RATES; i++)
        for (int later = 0; later < 2; later++) {
            const double part = (double)i / RATES;
            fill_geometric(z, exp(-18 * part), later, &all[count++]);
            if (least < 0)
                fill_geometric(z, 1 - least * part, later, &all[count++]);
        }
    return count;
}

/* The most that an edge errs on them: so much at most on their means. */
static double measure(const double *weight, int64_t edge, const geometric *all, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++) {
        const geometric *g = &all[i];
        const int64_t t = g->later ? edge - 1 : edge;
        const double gone = exp((double)t * g->size) * (g->negative && t % 2 != 0 ? -1 : 1);
        double sum[8] = {0}, all_of = 0;
        for (int k = 0; k < 2 * POINTS; k += 8)
            for (int j = 0; j < 8; j++)
                sum[j] += weight[k + j] * g->law[k + j];
        for (int j = 0; j < 8; j++)
            all_of += sum[j];
        most = fmax(most, fabs(all_of - (1 - gone)));
    }
    return most;
}

netdp_status netdp_i_contour_new(const int64_t *edge, int32_t edges, double least,
                                 netdp_i_contour *contour, netdp_error *error)
{
    const double first = (double)edge[0], all = (double)edge[edges - 1] / first;
    CLEARED(netdp_i_contour_clear) netdp_i_contour made = {.edges = edges, .ranges = 1};
    while (pow(NETDP_I_CONTOUR_RATIO, made.ranges) < all)
        made.ranges++;
    const double ratio = pow(all, 1.0 / made.ranges) * (1 + 1e-9);
    made.z = NETDP_I_NEW(double complex, (int64_t)made.ranges *POINTS);
    made.first = NETDP_I_NEW(int32_t, made.ranges + 1);
    made.weight = NETDP_I_NEW(double, 2 * (int64_t)edges * POINTS);
    OWNED geometric *geometrics = NETDP_I_NEW(geometric, 4 * (RATES + 1));
    if (made.z == NULL || made.first == NULL || made.weight == NULL || geometrics == NULL)
        return netdp_i_no_memory(error);
    int32_t at = 0;
    double measured = 0; /* the last edge that was */
    for (int32_t r = 0; r < made.ranges; r++) {
        const double from = first * pow(ratio, r);
        made.first[r] = at;
        for (int k = 0; k < POINTS; k++)
            made.z[r * POINTS + k] = point_of(k, from);
        const int count = fill_all(made.z + r * POINTS, least, geometrics);
        for (; at < edges && (r + 1 == made.ranges || (double)edge[at] <= from * ratio); at++) {
            for (int k = 0; k < POINTS; k++) {
                const double complex w = weight_of(k, from, (double)edge[at]);
                made.weight[2 * ((int64_t)at * POINTS + k)] = creal(w);
                made.weight[2 * ((int64_t)at * POINTS + k) + 1] = -cimag(w);
            }
            const bool last = at + 1 == edges || (double)edge[at + 1] > from * ratio;
            if (!last && (double)edge[at] < APART * measured)
                continue;
            measured = (double)edge[at];
            made.off = fmax(made.off, measure(made.weight + 2 * (int64_t)at * POINTS, edge[at],
                                              geometrics, count));
        }
    }
    made.first[made.ranges] = edges;
    made.off = UNSEEN * made.off + ROUNDED;
    *contour = made;
    made = (netdp_i_contour){0};
    return NETDP_OK;
}

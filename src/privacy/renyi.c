/*
 * Renyi curves and their conversion to (epsilon, delta).
 *
 * u = alpha - 1 throughout: large losses want orders closer to 1 than a double alpha can be. Any
 * order gives a sound bound, so doubles choose the order and only the bound there is computed in
 * balls and rounded up.
 */
#include <netdp/privacy.h>

#include <math.h>
#include <stdbool.h>

#include "base/fail.h"
#include "base/try.h"
#include "privacy/ball.h"

enum { BITS = 160 };

static netdp_status check_curve(const netdp_rdp *curve, netdp_error *error)
{
    if (curve == NULL)
        return netdp_i_fail(error, NETDP_INVALID, "no Renyi curve was given");
    if (curve->count == 0) {
        if (curve->slope >= 0)
            return NETDP_OK;
        return netdp_i_fail(error, NETDP_INVALID, "the Renyi slope is %g; it must lie in [0, inf]",
                            curve->slope);
    }
    if (curve->order == NULL || curve->epsilon == NULL)
        return netdp_i_fail(error, NETDP_INVALID,
                            "a Renyi curve of %zu orders needs both arrays, order and epsilon",
                            curve->count);
    for (size_t i = 0; i < curve->count; i++) {
        double order = curve->order[i], before = i == 0 ? 1 : curve->order[i - 1];
        if (!(order > 1 && order < INFINITY))
            return netdp_i_fail(error, NETDP_INVALID,
                                "Renyi order %zu is %g; it must lie in (1, "
                                "inf)",
                                i + 1, order);
        if (!(order > before))
            return netdp_i_fail(error, NETDP_INVALID,
                                "Renyi order %zu is %g, not above the one before, %g; give the "
                                "orders ascending, each once",
                                i + 1, order, before);
        if (!(curve->epsilon[i] >= 0))
            return netdp_i_fail(error, NETDP_INVALID,
                                "the Renyi epsilon at order %g is %g; it must lie in [0, inf]",
                                order, curve->epsilon[i]);
    }
    return NETDP_OK;
}

/* The first point at or above alpha; count where there is none. */
static size_t point_at(const netdp_rdp *curve, double alpha)
{
    size_t low = 0, high = curve->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (curve->order[middle] >= alpha)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* product = (order - 1) * epsilon of point i, where u is set to order - 1. */
static void weigh(arb_t product, arb_t u, const netdp_rdp *curve, size_t i)
{
    arb_set_d(u, curve->order[i]);
    arb_sub_ui(u, u, 1, BITS);
    arb_set_d(product, curve->epsilon[i]);
    arb_mul(product, product, u, BITS);
}

/*
 * The curve at 1 + u, where it is not infinite, between points i - 1 and i: there (alpha - 1)
 * epsilon(alpha) = log E[likelihood ratio^(alpha-1)] is convex and stays below its chord. Below the
 * first order the chord starts from 0 at alpha = 1, so epsilon is the first one's.
 */
static void chord_at(arb_t epsilon, const netdp_rdp *curve, size_t i, const arb_t u)
{
    arb_t u_low, u_high, low, high;
    arb_init(u_low);
    arb_init(u_high);
    arb_init(low);
    arb_init(high);
    if (i == 0) {
        arb_set_d(epsilon, curve->epsilon[0]);
    } else {
        weigh(low, u_low, curve, i - 1);
        weigh(high, u_high, curve, i);
        /* ((u_high - u) low + (u - u_low) high) / ((u_high - u_low) u) */
        arb_sub(epsilon, u_high, u, BITS);
        arb_mul(low, low, epsilon, BITS);
        arb_sub(epsilon, u, u_low, BITS);
        arb_mul(high, high, epsilon, BITS);
        arb_sub(u_high, u_high, u_low, BITS);
        arb_mul(u_high, u_high, u, BITS);
        arb_add(epsilon, low, high, BITS);
        arb_div(epsilon, epsilon, u_high, BITS);
    }
    arb_clear(u_low);
    arb_clear(u_high);
    arb_clear(low);
    arb_clear(high);
}

/* False: infinite. */
static bool curve_at(arb_t epsilon, const netdp_rdp *curve, size_t i, const arb_t u)
{
    if (curve->count == 0) {
        if (curve->slope == INFINITY)
            return false;
        arb_set_d(epsilon, curve->slope);
        arb_addmul(epsilon, epsilon, u, BITS);
        return true;
    }
    if (i == curve->count || curve->epsilon[i] == INFINITY ||
        (i > 0 && curve->epsilon[i - 1] == INFINITY))
        return false;
    chord_at(epsilon, curve, i, u);
    return true;
}

netdp_status netdp_rdp_at(const netdp_rdp *curve, double alpha, double *epsilon, netdp_error *error)
{
    NETDP_I_GIVEN(error, epsilon);
    TRY(check_curve(curve, error));
    if (!(alpha > 1 && alpha < INFINITY))
        return netdp_i_fail(error, NETDP_INVALID, "the order alpha is %g; it must lie in (1, inf)",
                            alpha);
    size_t i = point_at(curve, alpha);
    if (i < curve->count && curve->order[i] == alpha) {
        *epsilon = curve->epsilon[i];
        return NETDP_OK;
    }
    arb_t u, value;
    arb_init(u);
    arb_init(value);
    arb_set_d(u, alpha);
    arb_sub_ui(u, u, 1, BITS);
    *epsilon = curve_at(value, curve, i, u) ? netdp_i_ball_up(value) : INFINITY;
    arb_clear(u);
    arb_clear(value);
    return NETDP_OK;
}

/* epsilon(1 + u) and the price, rounded up; point i as in chord_at. */
static double bound_at(const netdp_rdp *curve, size_t i, const arb_t u, double delta,
                       bool published)
{
    arb_t value, price, log_order, one_over_u;
    arb_init(value);
    arb_init(price);
    arb_init(log_order);
    arb_init(one_over_u);
    double bound = INFINITY;
    if (curve_at(value, curve, i, u)) {
        arb_set_d(price, delta);
        arb_log(price, price, BITS);
        arb_neg(price, price);
        arb_log1p(log_order, u, BITS);
        if (!published)
            arb_sub(price, price, log_order, BITS);
        arb_div(price, price, u, BITS);
        if (!published) {
            /* ln(u/(1 + u)); the difference of the logarithms would cancel for a large u. */
            arb_inv(one_over_u, u, BITS);
            arb_log1p(one_over_u, one_over_u, BITS);
            arb_sub(price, price, one_over_u, BITS);
        }
        arb_add(value, value, price, BITS);
        bound = netdp_i_ball_up(value);
    }
    arb_clear(value);
    arb_clear(price);
    arb_clear(log_order);
    arb_clear(one_over_u);
    return fmax(bound, 0);
}

/*
 * The best u for epsilon(alpha) = slope alpha, 0 < slope < inf. The derivative of the bound is
 * slope - (ln(1/delta) - ln(1 + u))/u^2 (published: without ln(1 + u)), so there is one minimum,
 * and slope u^2 + ln(1 + u) grows through ln(1/delta) at it.
 */
static double best_linear(double slope, double log_inverse, bool published)
{
    double high = 0.5 * (log(log_inverse) - log(slope)); /* ln u of the published form */
    if (published)
        return exp(high);
    /* ln(1 + u) <= both u and ln(1/delta): the root is below the one without it. */
    double low = high - 800;
    for (int i = 0; i < 200 && high - low > 1e-15 * fmax(1, fabs(high)); i++) {
        double middle = 0.5 * (low + high), u = exp(middle);
        if (slope * u * u + log1p(u) < log_inverse)
            low = middle;
        else
            high = middle;
    }
    return exp(low);
}

static double linear_to_epsilon(const netdp_rdp *curve, double delta, bool published)
{
    if (curve->slope == 0)
        return 0;
    if (curve->slope == INFINITY)
        return INFINITY;
    double u = best_linear(curve->slope, -log(delta), published);
    arb_t ball;
    arb_init(ball);
    arb_set_d(ball, u);
    double bound = bound_at(curve, 0, ball, delta, published);
    arb_clear(ball);
    return bound;
}

/*
 * The best order between points i - 1 and i (i = 0: between 1 and the first). With (alpha - 1)
 * epsilon = A + B u the bound's derivative is (ln(1 + u) - ln(1/delta) - A)/u^2 (published: without
 * ln(1 + u)): it falls up to alpha = e^A/delta and grows from there.
 */
static double best_on_chord(const netdp_rdp *curve, size_t i, double log_inverse, bool published)
{
    double high = curve->order[i], low = i == 0 ? 1 : curve->order[i - 1], offset = 0;
    if (i > 0) {
        double at_low = (low - 1) * curve->epsilon[i - 1], at_high = (high - 1) * curve->epsilon[i];
        offset = at_low - (low - 1) * (at_high - at_low) / (high - low);
    }
    double log_best = published ? (offset + log_inverse > 0 ? INFINITY : 0) : offset + log_inverse;
    /* NaN (an overflow) gives the upper end, where the chord is the point itself. */
    return log_best < log(high) ? fmax(exp(log_best), low) : high;
}

static double points_to_epsilon(const netdp_rdp *curve, double delta, bool published)
{
    double log_inverse = -log(delta), best = INFINITY;
    arb_t u;
    arb_init(u);
    for (size_t i = 0; i < curve->count; i++) {
        if (curve->epsilon[i] == INFINITY)
            continue;
        /* After an infinite point only this one itself is finite. */
        bool alone = i > 0 && curve->epsilon[i - 1] == INFINITY;
        double alpha = curve->order[i];
        if (!alone)
            alpha = best_on_chord(curve, i, log_inverse, published);
        if (!(alpha > 1))
            alpha = curve->order[i];
        arb_set_d(u, alpha);
        arb_sub_ui(u, u, 1, BITS);
        netdp_rdp point = {0, 1, curve->order + i, curve->epsilon + i};
        double bound = alone ? bound_at(&point, 0, u, delta, published)
                             : bound_at(curve, i, u, delta, published);
        best = fmin(best, bound);
    }
    arb_clear(u);
    return best;
}

netdp_status netdp_rdp_to_epsilon(const netdp_rdp *curve, double delta, int published,
                                  double *epsilon, netdp_error *error)
{
    NETDP_I_GIVEN(error, epsilon);
    TRY(check_curve(curve, error));
    if (!(delta > 0 && delta < 1))
        return netdp_i_fail(error, NETDP_INVALID, "delta is %g; it must lie in (0, 1)", delta);
    *epsilon = curve->count == 0 ? linear_to_epsilon(curve, delta, published != 0)
                                 : points_to_epsilon(curve, delta, published != 0);
    return NETDP_OK;
}

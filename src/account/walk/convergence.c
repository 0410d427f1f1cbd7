/* How near a walk with a model comes to the optimum: paper A, Theorem 2, by the terms of its proof. */
#include <netdp/walk.h>

#include <math.h>
#include <stdbool.h>

#include "base/fail.h"
#include "base/try.h"

/* 3 C with C = 13, of the proof (paper A, Appendix A). */
#define CONSTANT 39.0

static bool is_amount(double value)
{
    return value >= 0 && !isinf(value);
}

static netdp_status check(const netdp_convergence *c, netdp_error *error)
{
    if (!(c->convexity > 0) || !(c->smoothness >= c->convexity) || isinf(c->smoothness))
        return netdp_i_fail(error, NETDP_INVALID,
                            "convergence: convexity %g and smoothness %g; give 0 < convexity <= "
                            "smoothness, finite",
                            c->convexity, c->smoothness);
    if (!(c->mixing_time >= 1) || isinf(c->mixing_time) || c->steps < 1 || c->dimensions < 1)
        return netdp_i_fail(error, NETDP_INVALID,
                            "convergence: the mixing time must be finite and at least 1, and so "
                            "steps and dimensions");
    if (!is_amount(c->heterogeneity) || !is_amount(c->batch_variance) || !is_amount(c->noise) ||
        !is_amount(c->distance))
        return netdp_i_fail(error, NETDP_INVALID,
                            "convergence: heterogeneity, batch variance, noise and distance must "
                            "be finite and not negative");
    return NETDP_OK;
}

/* ln( T m^3 R^2 / (39 beta tau zeta^2) ), factor by factor, which cannot overflow */
static double logarithm(const netdp_convergence *c)
{
    if (c->heterogeneity == 0)
        return INFINITY;
    return log((double)c->steps) + 3 * log(c->convexity) + 2 * log(c->distance) -
           log(CONSTANT * c->mixing_time) - log(c->smoothness) - log(c->heterogeneity);
}

netdp_status netdp_walk_convergence(const netdp_convergence *convergence, double *step,
                                    double *bound, netdp_error *error)
{
    NETDP_I_GIVEN(error, convergence && step && bound);
    const netdp_convergence *c = convergence;
    TRY(check(c, error));
    const double steps = (double)c->steps, m = c->convexity;
    const double gamma = fmin(1 / c->smoothness, logarithm(c) / m / steps);
    *step = gamma > 0 ? gamma : 0;
    *bound = INFINITY;
    if (!(gamma > 0))
        return NETDP_OK;
    const double noise = c->dimensions * c->noise * c->noise + c->batch_variance;
    const double walk = CONSTANT * c->mixing_time * c->heterogeneity * (c->smoothness / m);
    const double left = exp(steps * log1p(-fmin(gamma * m, 1)));
    *bound = 2 * left * c->distance * c->distance + gamma / m * (walk + noise);
    return NETDP_OK;
}

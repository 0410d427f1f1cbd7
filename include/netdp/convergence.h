/*
 * How near a walk with a model comes to the optimum (paper A, Theorem 2).
 */
#ifndef NETDP_CONVERGENCE_H
#define NETDP_CONVERGENCE_H

#include <stdint.h>
#include <netdp/status.h>

NETDP_BEGIN

/*
 * A walk of constant step without cap and projection; x* minimises the mean of the nodes'
 * objectives f_v (under a transition matrix that is not symmetric: weighted with its stationary
 * law).
 */
typedef struct netdp_convergence {
    double convexity;      /* m > 0: every f_v is m-strongly convex */
    double smoothness;     /* beta >= m: and beta-smooth */
    double mixing_time;    /* tau_mix(1/4) of the walk in steps, >= 1 */
    double heterogeneity;  /* zeta^2 >= 0: the most that |gradient of f_v at x*|^2 is */
    double batch_variance; /* sigma_sgd^2 >= 0: E|g - gradient of f_v|^2 of a batch; 0: all rows */
    int32_t dimensions;    /* d >= 1 */
    double noise;          /* sigma Delta >= 0, per coordinate of a gradient */
    double distance;       /* R = |x_0 - x*| >= 0 */
    int64_t steps;         /* T >= 1 */
} netdp_convergence;

/*
 * The theorem's step and the bound on E|x_T - x*|^2 that its proof gives there:
 *
 *     gamma = min( 1/beta, ln( T m^3 R^2 / (39 beta tau zeta^2) ) / (m T) )
 *     bound = 2 (1 - gamma m)^T R^2
 *             + gamma ( 39 beta tau zeta^2 / m^2 + (d sigma^2 Delta^2 + sigma_sgd^2) / m )
 *
 * The printed bound has 2 exp(-T m / beta) R^2 for the first term although gamma may be less than
 * 1/beta: it fails where the logarithm is small. Where the logarithm is not positive the theorem
 * has no step: *step is 0 and *bound infinite. NETDP_INVALID where an input is out of its range.
 */
NETDP_API NETDP_CHECK netdp_status netdp_walk_convergence(const netdp_convergence *convergence,
                                                          double *step, double *bound,
                                                          netdp_error *error);

NETDP_END

#endif

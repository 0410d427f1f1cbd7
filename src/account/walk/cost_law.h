/*
 * What a random path costs: given the path the view is mu-GDP with mu^2 = C / sigma^2, and the path
 * does not depend on the data, so delta(epsilon) is the mean over C of the Gaussian delta
 * (docs/proofs/excursion.md).
 */
#ifndef NETDP_I_COST_LAW_H
#define NETDP_I_COST_LAW_H

#include <stdint.h>
#include <netdp/status.h>

/*
 * The mean of f(C) is at most lost + sum_i mass_i f(cost_i) for every f from 0 to 1 that does not
 * fall and has f'' + bend f' >= 0. No noise and no epsilon is in it.
 */
typedef struct netdp_i_cost_law {
    int64_t atoms;
    double *mass; /* [atoms] */
    double *cost; /* [atoms], or NULL: i step */
    double step;
    double lost; /* what no atom stands for, at f <= 1 */
    double bend; /* infinity: for every f that does not fall */
} netdp_i_cost_law;

/* step 0: costs of their own. */
netdp_status netdp_i_cost_law_new(int64_t atoms, double step, netdp_i_cost_law *law,
                                  netdp_error *error);
void netdp_i_cost_law_clear(netdp_i_cost_law *law);

/* delta at mu = cost / sigma^2 in the mean, not below. */
double netdp_i_cost_law_delta(const netdp_i_cost_law *law, double sigma, double epsilon);

/*
 * The least epsilon > 0 at which that is proven to be at most delta, up to 1e-9 of it; infinity
 * where none is.
 */
double netdp_i_cost_law_epsilon(const netdp_i_cost_law *law, double sigma, double delta);

/*
 * The least epsilon of which a bend tells: the Gaussian delta as a function of C has
 * -f'' / f' <= (1 + 1 / epsilon^2) / (8 sigma^2), whatever C.
 */
double netdp_i_cost_law_least(const netdp_i_cost_law *law, double sigma);

/*
 * Which atom 1 / r belongs to, r >= 1: the first steps have one each, later ones share it; its cost
 * is that of the least.
 */
int64_t netdp_i_step_bin(int64_t r);

#endif

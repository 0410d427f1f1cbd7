/*
 * What a random path costs: given the path the view is mu-GDP with mu^2 = C / sigma^2, and the path
 * does not depend on the data, so delta(epsilon) is the mean over C of the Gaussian delta
 * (docs/proofs/excursion.md).
 */
#ifndef NETDP_I_COST_LAW_H
#define NETDP_I_COST_LAW_H

#include <stdbool.h>
#include <stdint.h>
#include <netdp/status.h>

/* The most points of a law that is sampled. */
enum { NETDP_I_COST_POINTS = 2048 };

/*
 * No noise and no epsilon is in it. For every f from 0 to 1 that does not fall and has
 * f'' + bend f' >= 0 the mean of f(C) is at most lost + sum_i mass_i f(cost_i), or, where the law
 * is sampled, lost + E f(step G) for a G of which E z^G is known at z_j = e^{tilt + 2 pi i j / atoms},
 * j < samples, up to `off`.
 */
typedef struct netdp_i_cost_law {
    int64_t atoms;
    double *mass; /* [atoms] */
    double *cost; /* [atoms] */
    double step;  /* 0 where masses are known */
    double lost;  /* what no atom stands for, at f <= 1 */
    double
        open; /* of paths where C may be more than here: lost too, but for what is known beside */
    double bend; /* infinity: for every f that does not fall */
    int64_t samples;
    double _Complex *value; /* [samples] */
    double tilt, off;
    bool whole; /* G < atoms */
} netdp_i_cost_law;

netdp_status netdp_i_cost_law_new(int64_t atoms, netdp_i_cost_law *law, netdp_error *error);

/* Room for all samples, of which none is known yet; atoms: even, or 1, NETDP_I_COST_POINTS at most. */
netdp_status netdp_i_cost_law_sampled_new(int64_t atoms, double step, double tilt,
                                          netdp_i_cost_law *law, netdp_error *error);
void netdp_i_cost_law_clear(netdp_i_cost_law *law);

/*
 * From a law all of whose samples are known, or of masses: masses[i] at costs that fall, together at
 * most 1, such that for every f from 0 to 1 that does not fall and has f'' + bend f' >= 0 the mean
 * of f(C) is at most lost + sum_i mass_i f(cost_i), with the same bend as before, but for rounding.
 */
netdp_status netdp_i_cost_law_masses(const netdp_i_cost_law *law, netdp_i_cost_law *made,
                                     netdp_error *error);

/* delta at mu = cost / sigma^2 in the mean, not below; *rest: how much of it is for samples that are
   not known. */
double netdp_i_cost_law_delta(const netdp_i_cost_law *law, double sigma, double epsilon,
                              double *rest);

/*
 * The least epsilon > 0 at which that is proven to be at most delta, up to 1e-9 of it; infinity
 * where none is.
 */
double netdp_i_cost_law_epsilon(const netdp_i_cost_law *law, double sigma, double delta);

/*
 * The same where `beside` is a law of C too: by Hoelder, E f(C) on paths of probability `open` is at most
 * (E f(C)^p)^{1/p} open^{1 - 1/p} for any p, and f^p has the bend of f.
 */
double netdp_i_cost_law_epsilon_beside(const netdp_i_cost_law *law, const netdp_i_cost_law *beside,
                                       double sigma, double delta);

/* About that epsilon: a guess. */
double netdp_i_cost_law_about(const netdp_i_cost_law *law, double sigma, double delta);

/*
 * The least epsilon of which a bend tells: the Gaussian delta as a function of C has
 * -f'' / f' <= (1 + 1 / epsilon^2) / (8 sigma^2), whatever C.
 */
double netdp_i_cost_law_least(const netdp_i_cost_law *law, double sigma);

/* The Gaussian delta, Q(a) - e^epsilon Q(a + mu) for a = epsilon / mu - mu / 2, from above. */
double netdp_i_cost_law_gaussian(double epsilon, double mu);

/*
 * Which atom 1 / r belongs to, r >= 1: the first steps have one each, later ones share it; its cost
 * is that of the least.
 */
int64_t netdp_i_step_bin(int64_t r);

#endif

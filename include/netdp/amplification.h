/*
 * Amplification: what is left of a local guarantee once it hides in a crowd or in a sample.
 *
 * Results are upper bounds, rounded outward in ball arithmetic; infinity is an answer ("this bound
 * says nothing here"), NaN and arguments outside the stated ranges are NETDP_INVALID. Any thread
 * may call.
 */
#ifndef NETDP_AMPLIFICATION_H
#define NETDP_AMPLIFICATION_H

#include <stdint.h>
#include <netdp/status.h>

NETDP_BEGIN

/* ---- Randomised response ---- */

/*
 * L-ary randomised response RR_gamma keeps the value with probability 1 - gamma and else draws one
 * of all L values: e^epsilon0 = 1 + L (1 - gamma)/gamma. gamma in [0, 1] (0: infinity), levels
 * >= 2.
 */
NETDP_API NETDP_CHECK netdp_status netdp_rr_epsilon(double gamma, int64_t levels, double *epsilon0,
                                                    netdp_error *error);

/* Its inverse L/(e^epsilon0 + L - 1), rounded up: the answer is epsilon0-LDP. epsilon0 in [0, inf].
 */
NETDP_API NETDP_CHECK netdp_status netdp_rr_gamma(double epsilon0, int64_t levels, double *gamma,
                                                  netdp_error *error);

/* ---- Shuffling ---- */

/*
 * Bounds on the (epsilon, delta) of one contribution among `crowd` shuffled ones, for replacing it.
 * Each is capped by epsilon0 where it is valid, and infinite where it is not; LEAST is the least of
 * all of them, never above epsilon0.
 */
typedef enum netdp_shuffle_bound {
    NETDP_SHUFFLE_LEAST = 0,
    NETDP_SHUFFLE_LOCAL,      /* epsilon0: no amplification */
    NETDP_SHUFFLE_ERLINGSSON, /* 12 epsilon0 sqrt(ln(1/delta)/n) (Erlingsson et al. 2019; paper E,
                                 Theorem 5): n > 1000, 0 < epsilon0 < 1/2, delta < 1/100 */
    NETDP_SHUFFLE_FELDMAN, /* Feldman, McMillan, Talwar 2020, Theorem 3.1 in closed form (paper E,
                              Theorem 7): epsilon0 <= ln(n/(16 ln(2/delta))) */
    NETDP_SHUFFLE_CLONES, /* the same authors' reduction to two binomials, computed: always valid */
    NETDP_SHUFFLE_BLANKET, /* the privacy blanket of Balle, Bell, Gascon, Nissim 2019, computed, as
                              in paper E's Figure 3: randomised response only */
    NETDP_SHUFFLE_BOUNDS,  /* how many there are */
} netdp_shuffle_bound;

/*
 * What is shuffled. `crowd` counts the contributions among which the observer cannot tell the
 * person's own: it includes that one, and leaves out the observers' own, whose noise they know. A
 * token that collects one contribution of each of n nodes on a ring between two visits to the
 * observer has crowd = n - 1.
 */
typedef struct netdp_shuffle {
    double epsilon0; /* of each contribution, in [0, inf] */
    int64_t crowd;   /* 1 .. 10^9 */
    int64_t levels; /* L >= 2: RR_gamma with this epsilon0 over L values; 0: any local randomiser */
} netdp_shuffle;

/*
 * epsilon for delta in (0, 1). The computed bounds are searched on doubles with 20 bits after the
 * leading one; what their sums add to be certain is about 1e-4 of epsilon, up to 1e-2 of a large
 * delta in a small crowd. A tenth of a second, a few where delta is tiny and the crowd small.
 */
NETDP_API NETDP_CHECK netdp_status netdp_shuffle_epsilon(netdp_shuffle_bound bound,
                                                         const netdp_shuffle *shuffle, double delta,
                                                         double *epsilon, netdp_error *error);

/*
 * delta at epsilon in [0, inf] of a computed bound (CLONES, BLANKET): 1 where it says nothing.
 * NETDP_INVALID for the others, which answer for a given delta only.
 */
NETDP_API NETDP_CHECK netdp_status netdp_shuffle_delta(netdp_shuffle_bound bound,
                                                       const netdp_shuffle *shuffle, double epsilon,
                                                       double *delta, netdp_error *error);

/*
 * The least gamma, rounded up to 20 bits, for which RR_gamma over `levels` values in such a crowd
 * is (epsilon, delta)-DP by the bound; netdp_shuffle_epsilon at netdp_rr_epsilon of it is at most
 * epsilon. With ERLINGSSON this is the gamma that paper E, Theorem 2 needs: the epsilon0 of its
 * randomised response is epsilon sqrt(n/ln(1/delta))/12. NETDP_NO_ANSWER where the bound is not
 * valid at any epsilon0 for this crowd and delta. epsilon in (0, inf).
 */
NETDP_API NETDP_CHECK netdp_status netdp_shuffle_gamma(netdp_shuffle_bound bound, int64_t crowd,
                                                       int64_t levels, double epsilon, double delta,
                                                       double *gamma, netdp_error *error);

/*
 * The gamma that paper E, Theorem 2 prints, L/(e^(12 epsilon sqrt(ln(1/delta)/n)) + L - 1), rounded
 * up. Its exponent is what shuffling gives for a local epsilon, not the local epsilon that
 * shuffling takes to it: where the factor 12 sqrt(ln(1/delta)/n) is below 1 it is sound, since RR
 * is then epsilon-DP by itself, with far more noise than needed; the theorem's utility does not
 * follow. NETDP_NO_ANSWER outside the theorem's range (epsilon < 1/2, delta < 1/100, n > 1000) and
 * where the factor is 1 or more.
 */
NETDP_API NETDP_CHECK netdp_status netdp_rr_gamma_printed(int64_t crowd, int64_t levels,
                                                          double epsilon, double delta,
                                                          double *gamma, netdp_error *error);

/* "least", "local", "erlingsson", "feldman", "clones", "blanket"; NULL for no bound. */
NETDP_API const char *netdp_shuffle_name(netdp_shuffle_bound bound);

/* ---- Subsampling with replacement ---- */

/*
 * A mechanism on a sample of m people drawn uniformly with replacement from n (paper E, (10);
 * Balle, Barthe, Gaboardi 2018, Theorem 10), for replacing one person of the n: an epsilon of the
 * mechanism becomes epsilon' = ln(1 + (1 - (1 - 1/n)^m)(e^epsilon - 1)). n >= 1, m >= 0, epsilon in
 * [0, inf].
 */
NETDP_API NETDP_CHECK netdp_status netdp_subsample_epsilon(int64_t people, int64_t sample,
                                                           double epsilon, double *amplified,
                                                           netdp_error *error);

/*
 * An upper bound on the mechanism's delta at epsilon where a group of k people is replaced at once;
 * in [0, 1], not falling with k.
 */
typedef netdp_status (*netdp_group_profile)(void *context, int64_t k, double epsilon, double *delta,
                                            netdp_error *error);

/*
 * The delta' that goes with epsilon': sum_k C(m,k) n^-k (1 - 1/n)^(m-k) delta_k(epsilon), k = 1 ..
 * m, with delta_k from the profile. The profile is asked about m/n + 10 sqrt(m/n) + 60 times; the
 * rest counts as 1. A failure of the profile is passed on.
 */
NETDP_API NETDP_CHECK netdp_status netdp_subsample_delta(int64_t people, int64_t sample,
                                                         double epsilon,
                                                         netdp_group_profile profile, void *context,
                                                         double *delta, netdp_error *error);

/* Profiles. Gaussian: *(double *)context is mu = sensitivity/sigma of one person, k mu of a group.
 */
NETDP_API NETDP_CHECK netdp_status netdp_group_gaussian(void *context, int64_t k, double epsilon,
                                                        double *delta, netdp_error *error);

/* Laplace: *(double *)context is sensitivity/scale, the pure epsilon of one person. */
NETDP_API NETDP_CHECK netdp_status netdp_group_laplace(void *context, int64_t k, double epsilon,
                                                       double *delta, netdp_error *error);

NETDP_END

#endif

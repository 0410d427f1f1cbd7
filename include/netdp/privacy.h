/*
 * Privacy of a mechanism and what it is worth in another measure: Gaussian, Renyi and (epsilon,
 * delta) privacy, what is protected, lists of events, amplification, and the Gamma mechanism.
 *
 * Ownership: netdp_events_free for what netdp_events_read made, netdp_guard_close. Threads:
 * any may call, at any time.
 */
#ifndef NETDP_PRIVACY_H
#define NETDP_PRIVACY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <netdp/status.h>

NETDP_BEGIN

/*
 * Guarantees and their conversions: Gaussian DP (mu), Renyi DP, (epsilon, delta).
 *
 * Every function returns an upper bound: the result is rounded outward (ball arithmetic, Arb), so
 * it is a true bound for the double that was passed in. 0 and infinity are legal answers; NaN and
 * negative arguments are NETDP_INVALID. All of them may be called from any thread.
 */

/*
 * The least epsilon such that mu-GDP implies (epsilon, delta)-DP, exact up to rounding:
 * delta(eps) = Phi(-eps/mu + mu/2) - e^eps Phi(-eps/mu - mu/2)  (Balle and Wang 2018, Theorem 8).
 * mu in [0, inf], delta in (0, 1). The answer is the least of the doubles with 40 bits after the
 * leading one that is proven to hold: at most 2^-40 above, and exactly monotone in both arguments.
 */
NETDP_API NETDP_CHECK netdp_status netdp_gdp_to_epsilon(double mu, double delta, double *epsilon,
                                                        netdp_error *error);

/*
 * The delta of mu-GDP at epsilon in [0, inf], correctly rounded up: so at least 5e-324, and 0 only
 * where it is 0 (mu = 0 or epsilon = inf).
 */
NETDP_API NETDP_CHECK netdp_status netdp_gdp_to_delta(double mu, double epsilon, double *delta,
                                                      netdp_error *error);

/* Renyi epsilon of mu-GDP at order alpha in (1, inf): alpha mu^2 / 2, rounded up. */
NETDP_API NETDP_CHECK netdp_status netdp_gdp_to_rdp(double mu, double alpha, double *epsilon,
                                                    netdp_error *error);

/*
 * The largest mu, rounded down, for which mu-GDP implies (epsilon, delta)-DP: the inverse of
 * netdp_gdp_to_epsilon, which gives at most epsilon back. epsilon in [0, inf], delta in (0, 1). The
 * noise multiplier of one Gaussian release is sigma = 1/mu.
 */
NETDP_API NETDP_CHECK netdp_status netdp_epsilon_to_gdp(double epsilon, double delta, double *mu,
                                                        netdp_error *error);

/* A Renyi curve: either linear, eps(alpha) = slope * alpha, or known at `count` orders. */
typedef struct netdp_rdp {
    double slope;          /* used where count == 0 */
    size_t count;          /* orders; 0: linear */
    const double *order;   /* ascending, each in (1, inf) */
    const double *epsilon; /* >= 0, inf allowed */
} netdp_rdp;

/*
 * The curve at alpha in (1, inf), rounded up; between orders (alpha-1) eps(alpha) is convex and is
 * interpolated so, from 0 at alpha = 1; infinite beyond the last order and next to infinite ones.
 */
NETDP_API NETDP_CHECK netdp_status netdp_rdp_at(const netdp_rdp *curve, double alpha,
                                                double *epsilon, netdp_error *error);

/*
 * Renyi to (epsilon, delta), best over real orders: eps + ln((a-1)/a) - (ln delta + ln a)/(a-1)
 * (Canonne, Kamath and Steinke 2020, Proposition 12), never below 0.
 * `published`: the form of papers A, C and E, eps + ln(1/delta)/(a-1).
 */
NETDP_API NETDP_CHECK netdp_status netdp_rdp_to_epsilon(const netdp_rdp *curve, double delta,
                                                        int published, double *epsilon,
                                                        netdp_error *error);

/*
 * What a guarantee is about: all that a node holds, or one row of it; and which of a node's rows
 * take part in which phase.
 *
 * With rows as the unit noise is sigma * Delta, Delta the most that one row of any node can change
 * of what that node contributes: Delta = max_u Delta_u. How many rows each node holds is public.
 */

/* The unit that two inputs which nobody shall tell apart differ in. */
typedef enum netdp_protects {
    NETDP_PROTECTS_NODE = 0, /* all rows of a node */
    NETDP_PROTECTS_ROW,      /* one row of one node */
} netdp_protects;

/* How they differ in a row. A node's whole data are always replaced. */
typedef enum netdp_change {
    NETDP_CHANGE_REPLACE = 0, /* by any other admissible row: Delta_u = 2 clip / b_u */
    NETDP_CHANGE_ADD_REMOVE,  /* it counts or it does not: Delta_u = clip / b_u; the number b_u that
                                 sums are divided by stays */
} netdp_change;

/* Which rows make a contribution. */
typedef enum netdp_batching {
    NETDP_BATCHES_FULL = 0, /* all of the node's */
    NETDP_BATCHES_CYCLIC,   /* a partition into `count` batches; phase p takes batch p mod count */
    NETDP_BATCHES_POISSON,  /* each row by itself with probability `rate`, anew in every phase */
} netdp_batching;

/* Batches of a node with n_u rows: sums of b_u = n_u, n_u / count or rate n_u rows, b_u public. */
typedef struct netdp_batches {
    netdp_batching kind; /* which */
    int64_t count;       /* cyclic: >= 1 */
    double rate;         /* Poisson: in (0, 1] */
} netdp_batches;

/* "full", "cyclic:B", "poisson:q". */
NETDP_API NETDP_CHECK netdp_status netdp_batches_parse(const char *text, netdp_batches *batches,
                                                       netdp_error *error);

/* Zeros: a node's whole data, all of them in every contribution. */
typedef struct netdp_protection {
    netdp_protects protects; /* the unit */
    netdp_change change;     /* of rows */
    netdp_batches batches;   /* as the protocol takes them: cyclic of rows is its `cycle` */
    const double *share;     /* borrowed, [nodes], in [0, 1]: Delta_u / Delta; NULL: 1 each */
} netdp_protection;

/* NETDP_INVALID where there is no such unit or no account of such batches. */
NETDP_API NETDP_CHECK netdp_status netdp_protection_check(const netdp_protection *protection,
                                                          netdp_error *error);

/* "one row of one node's data replaced": what two inputs differ in, in words. */
NETDP_API const char *netdp_protection_words(const netdp_protection *protection);

/*
 * An account as a list of events: which mechanism released something about one person, how often.
 * Events of any kinds compose; the answer is for the whole list.
 *
 * NETDP_UPPER is a guarantee: never below the true value. NETDP_LOWER is no guarantee but a
 * measure of what the upper bound gives away: never above the true value of the mechanisms as
 * described here (NETDP_APPROXIMATE: of the worst mechanism that satisfies the pair).
 *
 * How: Gaussian events merge into one (their mu add in squares) and a list of nothing else is
 * answered exactly, in ball arithmetic. Any other list is composed numerically: the distribution of each
 * privacy loss is moved onto a grid (upper: connecting the dots, Doroshenko, Ghazi, Kamath, Kumar
 * and Manurangsi 2022), tilted exponentially to where the answer lies, and convolved by FFT. All
 * rounding, truncated tails, wrap-around and FFT errors are bounded a priori and added. Both orders
 * of a pair of neighbours count. The least of this, of the Chernoff bound (Renyi orders) and of
 * basic composition is returned; where nothing finite can be proven, infinity.
 *
 * Neighbours: all events must mean the same ones; NETDP_SUBSAMPLED_GAUSSIAN and _LAPLACE mean adding
 * or removing one person, NETDP_GAUSSIAN_WITHOUT_REPLACEMENT and NETDP_SUBSAMPLED_GAUSSIAN_REPLACED
 * replacing one, and so does then the whole list: one with both kinds is NETDP_INVALID. Proofs:
 * docs/proofs/mechanisms.md.
 *
 * Where delta is below about 1e-306 times the number of releases, the grid has no answer and only
 * the bounds without it are left: sound, but loose for subsampled, hidden and random Gaussians.
 *
 * 0 and infinity are legal answers. NaN and values out of range are NETDP_INVALID. Answers are
 * monotone in delta, noise, rate and count up to 1e-3 of the value plus 1e-6 (exactly in a list of
 * Gaussians). All functions may be called from any thread.
 */

/* What released something. */
typedef enum netdp_mechanism {
    NETDP_GAUSSIAN = 0,        /* noise: sigma, in units of the L2 sensitivity */
    NETDP_LAPLACE,             /* noise: scale b, in units of the L1 sensitivity: 1/b-DP */
    NETDP_DISCRETE_GAUSSIAN,   /* noise: sigma in units of the sensitivity; levels: grid steps in
                                  one sensitivity (Canonne, Kamath and Steinke 2020), one number */
    NETDP_DISCRETE_LAPLACE,    /* the same with scale b: 1/b-DP */
    NETDP_RANDOMISED_RESPONSE, /* flip: gamma of RR_gamma in (0, 1]; levels: L >= 2 */
    NETDP_SUBSAMPLED_GAUSSIAN, /* noise; rate: Poisson, in [0, 1]; add or remove one person */
    NETDP_HIDDEN_GAUSSIAN, /* one contribution of a walk: with probability weight[i-1] it is seen
                              behind i noise terms of `noise` (mu = 1/(noise sqrt(i))), with the
                              rest never; which of them is known to the observer and does not
                              depend on the data */
    NETDP_APPROXIMATE,     /* epsilon in [0, inf], delta in [0, 1]: any such mechanism */
    NETDP_RANDOM_GAUSSIAN, /* with probability weight[i] a release of mu[i]-GDP, with the rest
                              nothing; which of them is known to the observer and does not depend
                              on the data: the path of a walk */
    NETDP_EXPONENTIAL, /* epsilon: an answer chosen with weights e^(epsilon u / (2 Delta)) by its
                              utility u, and any mechanism of such a bounded range */
    NETDP_SUBSAMPLED_LAPLACE, /* noise: scale b; rate: Poisson; add or remove one person */
    NETDP_GAUSSIAN_WITHOUT_REPLACEMENT, /* noise: sigma, in units of what replacing one person
                                            moves; rate: m/n of m people drawn at once from n, n
                                            public; replace one person */
    NETDP_SUBSAMPLED_GAUSSIAN_REPLACED, /* noise: sigma, in units of one person's most (half of what
                                            replacing moves); rate: Poisson; replace one person */
} netdp_mechanism;

/* Fields that the mechanism does not name are ignored. */
typedef struct netdp_event {
    netdp_mechanism mechanism;         /* which */
    double noise;                      /* [0, inf]: 0 is no privacy, inf no information */
    double rate, flip, epsilon, delta; /* see netdp_mechanism */
    int32_t levels;                    /* >= 1; randomised response: >= 2 */
    int32_t weights;                   /* how many weights */
    const double *weight;              /* borrowed, [weights], each >= 0, together at most 1 */
    const double *mu;                  /* borrowed, [weights], each in [0, inf] */
    int64_t count;                     /* independent releases, 1 .. 10^15 */
} netdp_event;

/* A guarantee, or what it gives away. */
typedef enum netdp_direction { NETDP_UPPER = 0, NETDP_LOWER } netdp_direction;

/* epsilon of the list at delta in (0, 1). No events: 0. */
NETDP_API NETDP_CHECK netdp_status netdp_events_epsilon(const netdp_event *events, size_t count,
                                                        double delta, netdp_direction direction,
                                                        double *epsilon, netdp_error *error);

/* delta of the list at epsilon in [0, inf], in [0, 1]. */
NETDP_API NETDP_CHECK netdp_status netdp_events_delta(const netdp_event *events, size_t count,
                                                      double epsilon, netdp_direction direction,
                                                      double *delta, netdp_error *error);

/*
 * Is the upper bound of this list certified, that is rounded outward in ball arithmetic end to end?
 * True for lists of Gaussian events (rate 1 counts, and what releases nothing). Otherwise
 * the bound is computed in doubles whose errors are bounded a priori: erfc, exp and log of the C
 * library within 8 units of their last place, FFTW within 10 log2(n) units in the Euclidean norm
 * (Higham 2002, Theorem 24.2, has about 8).
 */
NETDP_API bool netdp_events_certified(const netdp_event *events, size_t count);

/* A list that was made; its weights and mu live inside. */
typedef struct netdp_events {
    size_t count;       /* how many events */
    netdp_event *event; /* [count] */
} netdp_events;

/*
 * A JSON list of objects: [{"mechanism": "gaussian", "noise": 2, "count": 100}, ...]. Mechanisms:
 * gaussian, laplace, discrete-gaussian, discrete-laplace, randomised-response, subsampled-gaussian,
 * hidden-gaussian, approximate, random-gaussian, exponential, subsampled-laplace,
 * gaussian-without-replacement, subsampled-gaussian-replaced. Keys are the fields above ("weight" and "mu":
 * lists, of one length); count may be left out and is 1; infinity is the string "inf". Unknown,
 * repeated, missing and foreign keys and values out of range are NETDP_INVALID with the file and the
 * number of the event. On success *events is new: netdp_events_free.
 */
NETDP_API NETDP_CHECK netdp_status netdp_events_read(const char *path, netdp_events **events,
                                                     netdp_error *error);

/* The inverse, to a file (or "-"): what is read back is equal to the last digit. */
NETDP_API NETDP_CHECK netdp_status netdp_events_write(const netdp_event *events, size_t count,
                                                      const char *path, netdp_error *error);

/* One event as words: "laplace:2", "subsampled-gaussian:0.8,0.005 x1000" (parameters in the order
 * of the fields above; not those with lists). */
NETDP_API NETDP_CHECK netdp_status netdp_event_parse(const char *text, netdp_event *event,
                                                     netdp_error *error);

/* NULL is fine. */
NETDP_API void netdp_events_free(netdp_events *events);

/*
 * Advanced composition (paper E; Dwork, Rothblum and Vadhan 2010, Theorem III.3): `count` releases,
 * each (epsilon, delta)-DP, together are (sqrt(2 k ln(1/slack)) epsilon + k epsilon (e^epsilon -
 * 1), k delta + slack)-DP. Rounded outward; count >= 0, epsilon in [0, inf], delta in [0, 1], slack
 * in (0, 1). *total_delta is at most 1.
 */
NETDP_API NETDP_CHECK netdp_status netdp_advanced_composition(double epsilon, double delta,
                                                              int64_t count, double slack,
                                                              double *total_epsilon,
                                                              double *total_delta,
                                                              netdp_error *error);

/*
 * Amplification: what is left of a local guarantee once it hides in a crowd or in a sample.
 *
 * Results are upper bounds, rounded outward in ball arithmetic; infinity is an answer ("this bound
 * says nothing here"), NaN and arguments outside the stated ranges are NETDP_INVALID. Any thread
 * may call.
 */

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

/*
 * The Gamma mechanism of weighted walks (paper B, Definition 2, Lemma 3) and the Laplace mechanisms
 * that it is compared with.
 *
 * A node whose constant L lies in [low, high] releases R(L), a Gamma variable of shape L/theta and
 * scale theta: mean L, variance L theta. With a = high/theta, b = low/theta, k = 1/(a - b) and
 * l = lnGamma(a) - lnGamma(b) the log-likelihood ratio of the two ends is epsilon at
 * z1 = e^((epsilon + l) k) and -epsilon at z2 = e^((l - epsilon) k), in units of theta. With P and
 * Q the lower and upper regularised incomplete gamma functions
 *
 *     delta(epsilon) = max( Q(a, z1) - e^epsilon Q(b, z1), P(b, z2) - e^epsilon P(a, z2) ),
 *
 * the exact curve. The two ends are the worst pair: for any pair the best test is a threshold
 * (monotone likelihood ratio), and a threshold's gain grows with the larger and falls with the
 * smaller of the two values (stochastic order). Lemma 3 of the paper is the same without what
 * e^epsilon multiplies: sound, not tight.
 *
 * WHAT THIS COVERS: the released R(L), once per node. Algorithm 2 of the paper also uses the mean
 * of all L and scales gradients by 1/L; both depend on L and leak too. Clipping R to a fixed range
 * (the truncated mechanism) is post-processing and has the same guarantee.
 *
 * As theta grows delta does not fall to 0 but to a floor, (1 - 1/r) (e^epsilon r)^(-1/(r-1)) with
 * r = high/low: with r = 5 and epsilon = 3 no theta gives less than 0.2527.
 *
 * Results are upper bounds in ball arithmetic, rounded outward. theta in (0, inf); low and high
 * finite, 0 < low <= high (NETDP_INVALID elsewhere); low = high leaks nothing. Any thread may call.
 */

/* The Gamma mechanism of paper B on numbers in a public range. */
typedef struct netdp_gamma {
    double theta;     /* scale of the noise */
    double low, high; /* the public range of L */
    int published;    /* paper B's Lemma 3 instead of the exact curve */
} netdp_gamma;

/* delta at epsilon in [0, inf], at most one double above the least that is certain. */
NETDP_API NETDP_CHECK netdp_status netdp_gamma_to_delta(const netdp_gamma *mechanism,
                                                        double epsilon, double *delta,
                                                        netdp_error *error);

/*
 * The least epsilon for delta in (0, 1), on doubles with 40 bits after the leading one; infinity
 * where no double is large enough.
 */
NETDP_API NETDP_CHECK netdp_status netdp_gamma_to_epsilon(const netdp_gamma *mechanism,
                                                          double delta, double *epsilon,
                                                          netdp_error *error);

/* The delta that no theta goes below, rounded up (of the exact curve, and so of Lemma 3). */
NETDP_API NETDP_CHECK netdp_status netdp_gamma_floor(double low, double high, double epsilon,
                                                     double *delta, netdp_error *error);

/*
 * The least theta, rounded up, with which the mechanism is (epsilon, delta)-DP:
 * netdp_gamma_to_delta of it is at most delta, netdp_gamma_to_epsilon at most epsilon.
 * NETDP_NO_ANSWER where delta is at or below the floor, or so close above it that theta would pass
 * 1e15 high. Lemma 3's delta is not monotone in theta (it rises again by up to 1 % here and there):
 * with `published` the answer is certain too, but there may be a lesser one.
 */
NETDP_API NETDP_CHECK netdp_status netdp_gamma_calibrate(double low, double high, double epsilon,
                                                         double delta, int published, double *theta,
                                                         netdp_error *error);

/* ---- Laplace, the additive baseline ---- */

/*
 * A Laplace release of sensitivity `range` and scale `scale` (variance 2 scale^2): pure
 * range/scale-DP, and delta(epsilon) = 1 - e^((epsilon - range/scale)/2) below that. Both are exact
 * up to rounding, outward. range in [0, inf), scale in (0, inf].
 */
NETDP_API NETDP_CHECK netdp_status netdp_laplace_to_delta(double range, double scale,
                                                          double epsilon, double *delta,
                                                          netdp_error *error);

/* The same for delta in [0, 1): max(0, range/scale + 2 ln(1 - delta)), rounded up. */
NETDP_API NETDP_CHECK netdp_status netdp_laplace_to_epsilon(double range, double scale,
                                                            double delta, double *epsilon,
                                                            netdp_error *error);

/*
 * The least scale for which a Laplace release of sensitivity `range` is (epsilon, delta)-DP,
 * rounded up: range/(epsilon - 2 ln(1 - delta)). epsilon in [0, inf], delta in [0, 1), not both 0.
 */
NETDP_API NETDP_CHECK netdp_status netdp_laplace_calibrate(double range, double epsilon,
                                                           double delta, double *scale,
                                                           netdp_error *error);

/*
 * The scale at which a Laplace release of `value` has the variance of the Gamma mechanism,
 * sqrt(value theta / 2), to the nearest double: a choice of noise, no bound. The Gamma mechanism's
 * variance grows with L; value = high compares with its largest.
 */
NETDP_API NETDP_CHECK netdp_status netdp_laplace_like_gamma(double value, double theta,
                                                            double *scale, netdp_error *error);

/* ---- The guard: noise for somebody else's loop ---- */

/*
 * A guard stands between data and a program that is not netdp's: it clips rows, adds noise (or chooses) from the
 * system's secure generator, counts in a file what was spent, and refuses what the budget does not
 * hold. All of it in integers, the noise Gaussian, sampled exactly and rounded, or discrete Laplace: no
 * last bit tells anything. What it cannot see is for the caller: that all that is released about
 * these people goes through guards on this file, that the file is not restored from a copy, and that
 * nothing else of the rows (their number where one is added or removed, how long it took) is told.
 */

/* What may be spent about the people of one data set together. */
typedef struct netdp_budget {
    const char *account; /* whose data: a file may hold several; NULL is "" */
    double epsilon;      /* [0, inf] */
    double delta;        /* (0, 1) */
    bool add_remove;     /* what a row's being protected means: added or removed; else replaced */
} netdp_budget;

/*
 * What was spent: all of an account's releases composed, an upper bound (netdp_events_epsilon), whatever
 * the next one was chosen by. For that an account takes Gaussian noise of any size without a rate, or
 * one other mechanism, noise and rate again and again (NETDP_INVALID).
 */
typedef struct netdp_spent {
    double epsilon;   /* at `delta` */
    double delta;     /* the budget's */
    int64_t releases; /* how many */
} netdp_spent;

/* An open budget file, and the terms of one account in it. */
typedef struct netdp_guard netdp_guard;

/*
 * Opens the SQLite file, or makes it. The first who opens an account fixes its terms; others must
 * give the same (NETDP_INVALID). Any number of processes and threads may hold it. A guard does not
 * outlive a fork, and in a process that was forked while one was open none is opened (NETDP_INVALID). Free by netdp_guard_close; NULL is fine there.
 * NETDP_ENVIRONMENT: the file, one on a network file system, or a library that was built without SQLite.
 */
NETDP_API NETDP_CHECK netdp_status netdp_guard_open(const char *path, const netdp_budget *budget,
                                                    netdp_guard **guard, netdp_error *error);
NETDP_API void netdp_guard_close(netdp_guard *guard);

/* A sum of rows that is to be released. Its sensitivity is clip, or 2 clip where rows are replaced. */
typedef struct netdp_release {
    netdp_mechanism mechanism; /* NETDP_GAUSSIAN, NETDP_LAPLACE, or where rows are replaced
                                  NETDP_GAUSSIAN_WITHOUT_REPLACEMENT; others are refused */
    double clip;               /* a row's most, in the L2 norm; of Laplace in the L1 norm */
    double noise;              /* of 2^-6 to 2^20 sensitivities: sigma, or Laplace's scale */
    double rate;   /* the caller drew each row with this probability, anew each time and secretly;
                     0 or 1: all rows. Without replacement: this part of all rows was drawn, at once */
    int64_t rows;  /* may be 0 */
    int32_t width; /* numbers a row */
    bool drop;     /* a row that is not finite counts as 0, told in `dropped`; else it is refused */
} netdp_release;

/* What a release came to. */
typedef struct netdp_released {
    netdp_spent spent; /* this release included */
    double deviation;  /* of the noise of each number of the sum; of Laplace its scale */
    int64_t dropped;   /* with `drop`, rows that were not finite and counted as 0: not to be told */
} netdp_released;

/*
 * sum [width]: of the clipped rows [rows][width], and noise. It is spent before there is noise: a
 * process that ends in between has spent and learnt nothing, and none gets what is not written.
 * NETDP_NO_ANSWER: the budget does not hold it; nothing was spent. NETDP_INVALID: a row is not finite,
 * and `drop` is not set (to whom that is told learns it of the row). NETDP_ENVIRONMENT: the file was
 * moved, deleted or replaced since it was opened. `notes` may be NULL.
 */
NETDP_API NETDP_CHECK netdp_status netdp_guard_release(netdp_guard *guard,
                                                       const netdp_release *release,
                                                       const double *rows, double *sum,
                                                       netdp_released *notes, netdp_error *error);

/*
 * The exponential mechanism: one of `count` candidates, 0 .. count-1, with probability proportional to
 * exp(epsilon score / (2 sensitivity)), drawn exactly, of scores [count] that are rounded down to
 * 2^-44 of the sensitivity or less. `sensitivity`: the most that a row's being added, removed or
 * replaced changes of any score. Which candidates there are does not depend on rows. How long it takes
 * depends on the scores, and is for the caller alone. Spent as
 * NETDP_EXPONENTIAL; refused as netdp_guard_release refuses. NETDP_INVALID: a score is not finite,
 * sensitivity is not in [1e-270, 1e270], or epsilon not in (0, 64].
 */
NETDP_API NETDP_CHECK netdp_status netdp_guard_choose(netdp_guard *guard, const double *score,
                                                      int64_t count, double sensitivity,
                                                      double epsilon, int64_t *chosen,
                                                      netdp_error *error);

/* What was spent so far, by all who hold the file. */
NETDP_API NETDP_CHECK netdp_status netdp_guard_spent(netdp_guard *guard, netdp_spent *spent,
                                                     netdp_error *error);

NETDP_END

#endif

/*
 * An account as a list of events: which mechanism released something about one person, how often.
 * Events of any kinds compose; the answer is for the whole list.
 *
 * NETDP_UPPER is a guarantee: never below the true value. NETDP_LOWER is no guarantee but a
 * measure of what the upper bound gives away: never above the true value of the mechanisms as
 * described here (NETDP_APPROXIMATE: of the worst mechanism that satisfies the pair).
 *
 * How: Gaussian events merge into one (their mu add in squares) and a list of nothing else is
 * answered exactly, in ball arithmetic. Any other list is composed numerically: the law of each
 * privacy loss is moved onto a grid (upper: connecting the dots, Doroshenko, Ghazi, Kamath, Kumar
 * and Manurangsi 2022), tilted exponentially to where the answer lies, and convolved by FFT. All
 * rounding, truncated tails, wrap-around and FFT errors are bounded a priori and added. Both orders
 * of a pair of neighbours count. The least of this, of the Chernoff bound (Renyi orders) and of
 * basic composition is returned; where nothing finite can be proven, infinity.
 *
 * Neighbours: all events must mean the same ones; NETDP_SUBSAMPLED_GAUSSIAN means adding or
 * removing one person, and so does then the whole list.
 *
 * Where delta is below about 1e-306 times the number of releases, the grid has no answer and only
 * the bounds without it are left: sound, but loose for subsampled and hidden Gaussians.
 *
 * 0 and infinity are legal answers. NaN and values out of range are NETDP_INVALID. Answers are
 * monotone in delta, noise, rate and count up to 1e-3 of the value plus 1e-6 (exactly in a list of
 * Gaussians). All functions may be called from any thread.
 */
#ifndef NETDP_EVENTS_H
#define NETDP_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <netdp/status.h>

NETDP_BEGIN

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
} netdp_mechanism;

/* Fields that the mechanism does not name are ignored. */
typedef struct netdp_event {
    netdp_mechanism mechanism;         /* which */
    double noise;                      /* [0, inf]: 0 is no privacy, inf no information */
    double rate, flip, epsilon, delta; /* see netdp_mechanism */
    int32_t levels;                    /* >= 1; randomised response: >= 2 */
    int32_t weights;                   /* how many weights */
    const double *weight;              /* borrowed, [weights], each >= 0, together at most 1 */
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

/* A list that was read; its weights live inside. */
typedef struct netdp_events {
    size_t count;       /* how many events */
    netdp_event *event; /* [count] */
} netdp_events;

/*
 * A JSON list of objects: [{"mechanism": "gaussian", "noise": 2, "count": 100}, ...]. Mechanisms:
 * gaussian, laplace, discrete-gaussian, discrete-laplace, randomised-response, subsampled-gaussian,
 * hidden-gaussian, approximate. Keys are the fields above ("weight": a list); count may be left out
 * and is 1; infinity is the string "inf". Unknown, repeated, missing and foreign keys and values
 * out of range are NETDP_INVALID with the file and the number of the event. On success *events is
 * new: netdp_events_free.
 */
NETDP_API NETDP_CHECK netdp_status netdp_events_read(const char *path, netdp_events **events,
                                                     netdp_error *error);

/* The inverse, to a file (or "-"): what is read back is equal to the last digit. */
NETDP_API NETDP_CHECK netdp_status netdp_events_write(const netdp_event *events, size_t count,
                                                      const char *path, netdp_error *error);

/* One event as words: "laplace:2", "subsampled-gaussian:0.8,0.005 x1000" (parameters in the order
 * of the fields above; not hidden-gaussian). */
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

NETDP_END

#endif

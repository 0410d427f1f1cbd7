/*
 * The constants that a weighted walk goes by (paper B): each node's smoothness L_u, as it is or as
 * the node released it, and what the release costs.
 */
#ifndef NETDP_I_CONSTANTS_H
#define NETDP_I_CONSTANTS_H

#include <jansson.h>

#include "study/problem.h"
#include "study/reading.h"

typedef enum netdp_i_constants_kind {
    NETDP_I_CONSTANTS_NONE,    /* "public": the law is the study's weights */
    NETDP_I_CONSTANTS_EXACT,   /* "exact": L_u itself (Algorithm 2); no account covers it */
    NETDP_I_CONSTANTS_GAMMA,   /* "gamma:THETA,LOW,HIGH" (Algorithm 3, truncated) */
    NETDP_I_CONSTANTS_LAPLACE, /* "laplace:SCALE,LOW,HIGH" */
} netdp_i_constants_kind;

typedef struct netdp_i_constants {
    netdp_i_constants_kind kind;
    double scale;     /* theta, or the Laplace scale */
    double low, high; /* the public range: L_u is clipped to it before the noise, R after */
} netdp_i_constants;

/* A study's protocol.law taken apart; NETDP_INVALID where it is not one of the four. */
netdp_status netdp_i_constants_read(const char *text, netdp_i_constants *constants,
                                    netdp_error *error);

/* What protocol.law demands of the study's other keys. */
netdp_status netdp_i_constants_check(const netdp_i_reading *from, netdp_error *error);

/* The problem's `released` and `law`, from its data: node u draws from (seed, u) once. */
netdp_status netdp_i_constants_law(const netdp_study *study, netdp_i_problem *problem,
                                   netdp_error *error);

/*
 * What the release costs beside a target at `delta`: of the Gamma mechanism (epsilon, delta / 2),
 * of the Laplace mechanism (epsilon, 0), of others (0, 0).
 */
netdp_status netdp_i_constants_cost(const netdp_i_constants *constants, double delta,
                                    double *law_epsilon, double *law_delta, netdp_error *error);

/* {"mechanism", "scale", "range", "epsilon", "delta", "file"} of a law that is not public. */
netdp_status netdp_i_constants_json(const netdp_study *study, const char *file, json_t **told,
                                    netdp_error *error);

/* One constant a line, as --mixing hastings:FILE reads them. */
netdp_status netdp_i_constants_write(const netdp_i_problem *problem, const char *path,
                                     netdp_error *error);

#endif

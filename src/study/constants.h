/*
 * The constants that a weighted walk goes by (paper B): each node's smoothness L_u, as it is or as
 * the node released it.
 */
#ifndef NETDP_I_STUDY_CONSTANTS_H
#define NETDP_I_STUDY_CONSTANTS_H

#include "study/reading.h"

typedef enum netdp_i_constants_kind {
    NETDP_I_CONSTANTS_NONE,    /* "public": the law is the study's weights */
    NETDP_I_CONSTANTS_EXACT,   /* "exact": L_u itself (Algorithm 2); no account covers it */
    NETDP_I_CONSTANTS_GAMMA,   /* "gamma:THETA,LOW,HIGH" (Algorithm 3, truncated) */
    NETDP_I_CONSTANTS_LAPLACE, /* "laplace:SCALE,LOW,HIGH" */
} netdp_i_constants_kind;

extern const char *const netdp_i_constants_kinds[];

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

#endif

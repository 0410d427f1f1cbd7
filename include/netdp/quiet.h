/*
 * Noise for many phases that is quiet in the long run: a covariance Q over phases for which what a
 * workload of the phases adds up is small, and what a row tells that takes part in every cycle-th
 * phase is not more than with fresh noise (docs/proofs/quiet.md).
 */
#ifndef NETDP_QUIET_H
#define NETDP_QUIET_H

#include <stdint.h>
#include <netdp/status.h>

NETDP_BEGIN

/* Families of Q. */
typedef enum netdp_quiet_family {
    NETDP_QUIET_FRESH = 0, /* I */
    NETDP_QUIET_OPTIMAL,   /* the least error, where Q^-1 is 0 between phases of one class */
    NETDP_QUIET_BANDED,    /* the same, Q^-1 of `size` diagonals, 1 <= size <= cycle */
    NETDP_QUIET_BLT,       /* by `size` exponentials within a cycle, for thousands of phases */
} netdp_quiet_family;

/* A family with its size. */
typedef struct netdp_quiet_kind {
    netdp_quiet_family family; /* which */
    int32_t size;              /* bands or exponentials, else 0 */
} netdp_quiet_kind;

/* "fresh", "optimal", "banded:B", "blt:M" with M from 1 to 8; anything else is NETDP_INVALID. */
NETDP_API NETDP_CHECK netdp_status netdp_quiet_parse(const char *text, netdp_quiet_kind *kind,
                                                     netdp_error *error);

/* What is designed for. */
typedef struct netdp_quiet_request {
    netdp_quiet_kind kind; /* the family */
    int64_t phases;        /* N */
    int64_t cycle;         /* B: a row takes part in phases p, p + B, ..., for some p < B */
    /* Borrowed, G = A'A of the workload A, [phases][phases]; NULL: of all prefix sums, A the lower
     * triangle of ones. The error is tr(A Q A') = tr(G Q). */
    const double *workload;
} netdp_quiet_request;

/*
 * A design. Errors are in units of the variance that makes mu of the worst class 1, so that those of two
 * designs compare; Q itself is in units in which the phases of a class tell as much as k
 * fresh ones, k the phases of the largest class, so that a dither means the same.
 */
typedef struct netdp_quiet_design {
    double error; /* tr(G Q) at class sums of diag Q^-1 of at most 1 */
    double fresh; /* the same of Q = I: k tr G */
    /* [phases][phases] row by row, C of Q = C C'; NULL of NETDP_QUIET_BLT beyond 4,000 phases */
    double *factor;
    int32_t
        size; /* of NETDP_QUIET_BLT, else 0: how many exponentials. Q^-1 is D E'E D, D diagonal, E
                         lower triangular and Toeplitz: 1, then sum_i weight_i decay_i^(j-1) for
                         j < cycle, and 0 from there on */
    double weight[8]; /* of each, above 0 */
    double decay[8];  /* of each, between 0 and 1 */
    double *scale;    /* [phases]: D; NULL but of NETDP_QUIET_BLT */
} netdp_quiet_design;

/*
 * NETDP_INVALID where there are no batches that take turns (cycle below 2) but for fresh noise, or
 * sizes are out of range; NETDP_NO_ANSWER beyond 1,500 phases but for fresh and BLT.
 */
NETDP_API NETDP_CHECK netdp_status netdp_quiet_design_new(const netdp_quiet_request *request,
                                                          netdp_quiet_design **design,
                                                          netdp_error *error);
/* NULL is fine. */
NETDP_API void netdp_quiet_design_free(netdp_quiet_design *design);

NETDP_END

#endif

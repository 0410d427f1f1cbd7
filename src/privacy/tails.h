/*
 * The privacy loss of one release, L = ln P(y)/Q(y), by its two tails P(L > l) and Q(L > l).
 *
 * In long double, so that differences of tails over the cells of a fine grid keep their digits.
 */
#ifndef NETDP_I_TAILS_H
#define NETDP_I_TAILS_H

#include <netdp/privacy.h>

typedef struct netdp_i_tails netdp_i_tails;

struct netdp_i_tails {
    /* P(L > l) and Q(L > l), finite part; see netdp_i_tails_error. */
    void (*at)(const netdp_i_tails *tails, long double l, long double *p, long double *q);
    double infinite; /* P(Q = 0): part of no tail */
    long double first, second, third;
    int64_t from, size;
    long double *table; /* owned */
    long double *more;  /* owned */
};

/* The two orders of a pair of neighbours: where they differ, with and without the person. */
typedef enum netdp_i_order { NETDP_I_REMOVED = 0, NETDP_I_ADDED } netdp_i_order;

/*
 * Of a checked event with noise in (0, inf). `direction` matters where several laws are taken
 * together: a hidden Gaussian behind many noise terms is moved to fewer (upper) or more (lower).
 */
netdp_status netdp_i_tails_new(const netdp_event *event, netdp_i_order order,
                               netdp_direction direction, netdp_i_tails *tails, netdp_error *error);
/* Of mu-GDP, exactly. */
netdp_status netdp_i_tails_gaussian(double mu, netdp_i_tails *tails, netdp_error *error);
void netdp_i_tails_clear(netdp_i_tails *tails);

/* The mass of a random Gaussian at mu = inf, rounded in the direction, at most 1. */
double netdp_i_tails_infinite(const netdp_event *event, netdp_direction direction);

/* Do the two orders differ? Those of a bound from below may where one pair dominates both. */
bool netdp_i_tails_ordered(const netdp_event *event, netdp_direction direction);

/*
 * A tail t is within a factor 1 +- this of the tail at a loss within netdp_i_tails_blur of l.
 * Errors of erfc and exp grow with their argument, that is with -ln t.
 */
long double netdp_i_tails_error(long double t);

/* In units of the loss; l the largest |loss| that is asked for. */
long double netdp_i_tails_blur(long double l);

#endif

/*
 * A guarantee in words to another currency, where that is sound: the conversions of
 * netdp/guarantee.h, events.h, gamma.h and amplification.h, each by what it is called on the command
 * line (netdp convert --help).
 */
#ifndef NETDP_CONVERT_H
#define NETDP_CONVERT_H

#include <netdp/account.h>
#include <netdp/amplification.h>
#include <netdp/gamma.h>

NETDP_BEGIN

/* How; zeros: as usual. */
typedef struct netdp_manner {
    bool published; /* Renyi to (epsilon, delta), and Gamma, in the papers' looser form */
    bool lower;     /* of events: a bound from below, which is no guarantee */
    const char *by; /* of shuffling: "least", "local", "erlingsson", ...; NULL: the least */
} netdp_manner;

/* What it is worth. */
typedef struct netdp_converted {
    double value;               /* rounded outward */
    const char *quantity;       /* "epsilon", "mu", "sigma" or "theta" */
    char unit[NETDP_UNIT_ROOM]; /* "dp:1e-6"; empty for sigma and theta */
    bool lower;                 /* a lower bound: no guarantee */
    bool certified;             /* in ball arithmetic from end to end */
    const char *covers;         /* what it is about where that is less than all; NULL: all */
    double low, high;           /* of theta: the range of what it hides */
} netdp_converted;

/*
 * `from`: "gdp:MU", "rdp:ALPHA=EPSILON,...", "rdp-linear:C", "dp:EPSILON,DELTA", "events:FILE", an
 * event such as "laplace:2 x10", "gamma:THETA,LOW,HIGH", "rr:FLIP,LEVELS,CROWD". `to`: "dp:DELTA",
 * "rdp:ALPHA", "gdp", "sigma", "gamma:LOW,HIGH". `manner` may be NULL. What does not follow is
 * NETDP_INVALID, with the reason.
 */
NETDP_API NETDP_CHECK netdp_status netdp_convert(const char *from, const char *to,
                                                 const netdp_manner *manner,
                                                 netdp_converted *converted, netdp_error *error);

NETDP_END

#endif

/*
 * Protocols as data, and who sees what of them.
 *
 * Accountants, simulator and (later) peers read the same description:
 *
 *     m_t = s_t + x_t + nu_t u_t      every node sends its m_t along its edges
 *     s_{t+1} = W m_t,  s_0 = 0       u_t standard normal, in units of sigma * Delta
 *
 * with rounds t = 0 .. rounds-1; the result is s_rounds.
 */
#ifndef NETDP_PROTOCOL_H
#define NETDP_PROTOCOL_H

#include <netdp/mixing.h>

NETDP_BEGIN

/*
 * Averaging (paper C, Algorithm 1, without acceleration): every node contributes its value once,
 * in round 0, under unit noise; every later message carries a dither of `dither` times that noise.
 */
typedef struct netdp_linear {
    const netdp_mixing *mixing; /* borrowed */
    int64_t rounds;             /* T >= 1 */
    double dither;              /* tau in [0, inf); 0 leaves no certain guarantee (docs) */
} netdp_linear;

/* nu_t, in units of sigma: 1 in the contribution round, the dither after it. */
NETDP_API double netdp_linear_noise(const netdp_linear *protocol, int64_t round);

/* NETDP_INVALID where the description is not one that gossip can run (rounds, dither, W). */
NETDP_API NETDP_CHECK netdp_status netdp_linear_check(const netdp_linear *protocol,
                                                      netdp_error *error);

/*
 * Paper C's number of rounds, ceil( gap^(-1/2) ln( (n / sigma^2) max(sigma^2, variance) ) ), at
 * least 1. sigma = 0 or a gap of 0: NETDP_INVALID.
 */
NETDP_API NETDP_CHECK netdp_status netdp_rounds_auto(double gap, int32_t nodes, double sigma,
                                                     double variance, int64_t *rounds,
                                                     netdp_error *error);

typedef enum netdp_sees {
    NETDP_SEES_NEIGHBOURS = 0, /* every message of itself and of its neighbours */
    NETDP_SEES_SUM,            /* a secure sum: its own messages and the last sum it receives */
    NETDP_SEES_EVERYTHING,     /* every message of every node: local differential privacy */
} netdp_sees;

typedef enum netdp_own_noise {
    NETDP_OWN_NOISE_KNOWN = 0, /* observers subtract the noise that they drew themselves */
    NETDP_OWN_NOISE_COUNTS,    /* it protects others too; always known in a coalition */
} netdp_own_noise;

/* One observer, or a coalition: the union of its members' views. */
typedef struct netdp_view {
    netdp_sees sees;
    netdp_own_noise own_noise;
    int32_t count;
    const int32_t *observers; /* borrowed, distinct */
} netdp_view;

/* "neighbours", "sum", "everything"; "known", "counts": the words of the command line. */
NETDP_API const char *netdp_sees_name(netdp_sees sees);
NETDP_API const char *netdp_own_noise_name(netdp_own_noise own_noise);
NETDP_API NETDP_CHECK netdp_status netdp_sees_parse(const char *text, netdp_sees *sees,
                                                    netdp_error *error);
NETDP_API NETDP_CHECK netdp_status netdp_own_noise_parse(const char *text,
                                                         netdp_own_noise *own_noise,
                                                         netdp_error *error);

/* The named protocols: a table. */
typedef struct netdp_protocol {
    const char *name;
    const char *source; /* "paper C, Algorithm 1" */
    const char *summary;
} netdp_protocol;

NETDP_API NETDP_CHECK netdp_status netdp_protocol_find(const char *name,
                                                       const netdp_protocol **protocol,
                                                       netdp_error *error);

NETDP_END

#endif

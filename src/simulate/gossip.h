/* The rounds of gossip, whatever is contributed. */
#ifndef NETDP_I_GOSSIP_H
#define NETDP_I_GOSSIP_H

#include <netdp/simulate.h>

/* Adds the contributions of a round to the states, which become messages [nodes][width]. */
typedef void (*netdp_i_contribute)(void *context, int64_t round, double *message);

/* Adds one node's contribution to its state [width]. Several threads call it, each with its number. */
typedef void (*netdp_i_step)(void *context, int64_t round, int32_t node, int thread,
                             double *message);

/*
 * Sees the messages [nodes][width] of a round as they are sent, noise included; an audit of broken
 * protocols may replace them.
 */
typedef void (*netdp_i_observe)(void *context, int64_t round, double *message);

/* Reports the states after `step` rounds; false stops. */
typedef bool (*netdp_i_report_states)(void *context, int64_t step, const double *state);

/* Are they wanted after `step` rounds? */
typedef bool (*netdp_i_wants_states)(void *context, int64_t step);

/* Where gossip stands after `round` rounds: all that the rest depends on, as draws are counted. */
typedef struct netdp_i_standing {
    int64_t round;
    const double *state;  /* [nodes][width] */
    const double *before; /* the last messages, of accelerated gossip; else NULL */
} netdp_i_standing;

/* Keeping where a simulation stands, and going on from there to the same numbers. */
typedef struct netdp_i_saving {
    /* Asked after every reported round, `stopping` where the report said so; any failure ends it.
     */
    netdp_status (*save)(void *context, const netdp_i_standing *at, bool stopping,
                         netdp_error *error);
    void *context;
    const netdp_i_standing *from; /* NULL: from the start */
    bool (*due)(void *context);   /* is a standing wanted now? NULL: after every round */
} netdp_i_saving;

/* What happens in the rounds of one protocol. */
typedef struct netdp_i_round_hooks {
    netdp_i_contribute contribute; /* or `step`, of every node that contributes in a round */
    netdp_i_step step;
    netdp_i_report_states report; /* after each round, or those that are wanted */
    netdp_i_wants_states wants;   /* NULL: all. What is not wanted takes less time */
    bool from_start;              /* and before the first */
    void *context;
    const netdp_i_saving *saving; /* NULL: never */
    netdp_i_observe observe;      /* NULL: nobody */
    double decay; /* the rounds of contribution t = 0, 1, ... have 1 / (t + 1)^decay of all noise */
} netdp_i_round_hooks;

/*
 * Runs all rounds from `state` [nodes][width] (in and out, nothing of use after a failure): `noise` is the standard deviation of
 * the unit noise, of dithers their part of it.
 */
netdp_status netdp_i_gossip(const netdp_linear *protocol, double noise, int32_t width,
                            netdp_run_seed seed, const netdp_i_round_hooks *rounds, double *state,
                            netdp_error *error);

/* netdp_simulate_central, or with Laplace noise of the scale `noise`. */
netdp_status netdp_i_simulate_central(bool laplace, const double *values, int32_t nodes,
                                      int32_t width, double noise, netdp_run_seed seed,
                                      double *result, netdp_error *error);

/* netdp_simulate and netdp_simulate_learning that can be saved on the way; `saving` may be NULL. */
netdp_status netdp_i_simulate(const netdp_linear *protocol, double noise, const double *values,
                              int32_t width, netdp_run_seed seed, netdp_tracing tracing,
                              const netdp_i_saving *saving, double *result, netdp_error *error);
netdp_status netdp_i_simulate_learning(const netdp_linear *protocol, const netdp_learning *learning,
                                       netdp_run_seed seed, netdp_tracing tracing,
                                       const netdp_i_saving *saving, double *model,
                                       netdp_error *error);

/* A run's streams: the repeat sits above the rounds in the stream's step. */
uint64_t netdp_i_stream_step(netdp_run_seed seed, int64_t round);

/*
 * mine[width] += scale * standard normals from the node's own stream; slot 0 of a round is the
 * noise of its messages, slot 1 the end dither after it.
 */
void netdp_i_node_noise(double *mine, int32_t node, int32_t width, double scale,
                        netdp_run_seed seed, int64_t round, int slot);

/* The same of the noise that a pair shares, by its number (protocol/pairing.h). */
void netdp_i_pair_noise(double *mine, int64_t pair, int32_t width, double scale,
                        netdp_run_seed seed, int64_t round);

void netdp_i_mean_of(const double *values, int32_t nodes, int32_t width, double *mean);

/* mean over nodes of the squared distance to `centre` */
double netdp_i_spread(const double *values, int32_t nodes, int32_t width, const double *centre);

/* Counting messages: both directions of every active edge. Each has 8 bytes a number. */
typedef struct netdp_i_sent {
    netdp_sequence *sequence; /* NULL: every round is alike */
    double messages;          /* in the rounds before `rounds` */
    double each;
    int64_t rounds;
    netdp_status status; /* of the counting; `why` says more */
    netdp_error why;
} netdp_i_sent;

netdp_status netdp_i_sent_new(const netdp_linear *protocol, netdp_i_sent *sent, netdp_error *error);
void netdp_i_sent_clear(netdp_i_sent *sent);

/* Messages in the first `rounds` rounds; asked of ever more rounds. */
double netdp_i_sent_after(netdp_i_sent *sent, int64_t rounds);

#endif

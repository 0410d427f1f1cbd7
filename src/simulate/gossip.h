/* The rounds of gossip, whatever is contributed. */
#ifndef NETDP_I_GOSSIP_H
#define NETDP_I_GOSSIP_H

#include <netdp/simulate.h>

/* Adds the contributions of a round to the states, which become messages [nodes][width]. */
typedef void (*netdp_i_contribute)(void *context, int64_t round, double *message);

/* Reports the states after `step` rounds; false stops. */
typedef bool (*netdp_i_report_states)(void *context, int64_t step, const double *state);

/*
 * Runs all rounds from `state` [nodes][width] (in and out): `noise` is the standard deviation of
 * the unit noise, of dithers their part of it. `report` after each round, and before the first
 * where `from_start`.
 */
netdp_status netdp_i_gossip(const netdp_linear *protocol, double noise, int32_t width,
                            netdp_run_seed seed, netdp_i_contribute contribute,
                            netdp_i_report_states report, bool from_start, void *context,
                            double *state, netdp_error *error);

/* A run's streams: the repeat sits above the rounds in the stream's step. */
uint64_t netdp_i_stream_step(netdp_run_seed seed, int64_t round);

void netdp_i_mean_of(const double *values, int32_t nodes, int32_t width, double *mean);

/* mean over nodes of the squared distance to `centre` */
double netdp_i_spread(const double *values, int32_t nodes, int32_t width, const double *centre);

/* All of a round's messages: 8 bytes a number, both directions of every edge. */
double netdp_i_round_bytes(const netdp_linear *protocol, int32_t width);

#endif

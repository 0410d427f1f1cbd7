/*
 * How far averaging is from the mean, exactly: half the mean squared error of the nodes' results in
 * units of Delta^2, with noise sigma in units of Delta and the worst data of a variance. At most
 * 4,000 nodes and about 4e9 multiplications, NETDP_NO_ANSWER above.
 */
#ifndef NETDP_I_CONSENSUS_H
#define NETDP_I_CONSENSUS_H

#include <netdp/mixing.h>

/* Accelerated gossip with a dither in later rounds (netdp_noise_error has its noise). */
netdp_status netdp_i_accelerated_error(const netdp_mixing *mixing, double rounds, double noise,
                                       double dither, double variance, double *value,
                                       netdp_error *error);

/* The least number of rounds without dither after which that is at most `target`. */
netdp_status netdp_i_accelerated_rounds(const netdp_mixing *mixing, double target, double noise,
                                        double variance, double *rounds, netdp_error *error);

/* One edge a step, drawn in proportion to W, whose ends take their mean (paper C, Algorithm 2). */
netdp_status netdp_i_random_edge_error(const netdp_mixing *mixing, double steps, double noise,
                                       double variance, double *value, netdp_error *error);

/* The least number of steps after which that is at most `target`. */
netdp_status netdp_i_random_edge_rounds(const netdp_mixing *mixing, double target, double noise,
                                        double variance, double *steps, netdp_error *error);

#endif

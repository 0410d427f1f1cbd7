/*
 * One participant's part of linear gossip (netdp/protocol.h), round by round and behind a barrier:
 * its message of a round, those of its neighbours, its row of W. Sums run in the order that the
 * simulator's do, so that the same draws give the same bits. No input or output here.
 */
#ifndef NETDP_I_ROUNDS_H
#define NETDP_I_ROUNDS_H

#include <netdp/protocol.h>

#include "base/try.h"

typedef struct netdp_i_rounds netdp_i_rounds;

/* Where contributions and noise come from; both add to what is in message[width], a state. False:
 * there is none to be had, and nothing may leave. */
typedef struct netdp_i_draws {
    bool (*contribute)(void *context, int64_t round, double *message);
    /* Noise of standard deviation `deviation` on a round without contribution; slot 1: at its end. */
    bool (*dither)(void *context, int64_t round, int slot, double deviation, double *message);
    void *context;
} netdp_i_draws;

/*
 * `self`'s part; `noise` is the standard deviation of the unit noise. The protocol is borrowed.
 * NETDP_INVALID where a network of machines cannot run it: one that changes, or noise that is
 * correlated over phases.
 */
netdp_status netdp_i_rounds_new(const netdp_linear *protocol, int32_t self, int32_t width,
                                double noise, netdp_i_rounds **rounds, netdp_error *error);
void netdp_i_rounds_free(netdp_i_rounds *rounds);
OWNER(netdp_i_rounds_free, netdp_i_rounds)

/* Neighbours in ascending order: those that messages go to and come from. */
int32_t netdp_i_rounds_degree(const netdp_i_rounds *rounds);
int32_t netdp_i_rounds_neighbour(const netdp_i_rounds *rounds, int32_t index);

/* The round that is under way; the protocol's number of rounds when all are over. */
int64_t netdp_i_rounds_now(const netdp_i_rounds *rounds);
bool netdp_i_rounds_over(const netdp_i_rounds *rounds);

/* How many rounds before this one took contributions: the number of its phase; and its first round. */
int64_t netdp_i_phase_of(const netdp_linear *protocol, int64_t round);
int64_t netdp_i_phase_start(const netdp_linear *protocol, int64_t phase);

/* This participant's message of the round under way, drawn once: [width], owned by rounds. NULL: the
 * draws failed, and nothing was kept. */
const double *netdp_i_rounds_speak(netdp_i_rounds *rounds, const netdp_i_draws *draws);

/* Instead of drawing, after a restart: the message of that round as it was kept, and for accelerated
 * gossip the one before (else NULL). It is the round under way from now on. */
void netdp_i_rounds_resume(netdp_i_rounds *rounds, int64_t round, const double *message,
                           const double *before);

/* No number of this participant's messages is farther from 0 than that (infinite at first). */
void netdp_i_rounds_limit(netdp_i_rounds *rounds, double largest);

/* A neighbour's message of the round under way or the next; NULL: it was dropped, and the edge is lost in
 * that round, its weight this participant's own. False: it is there already, or of another round. */
bool netdp_i_rounds_hear(netdp_i_rounds *rounds, int32_t index, int64_t round,
                         const double *message);

/* Is the neighbour's message of the round under way there? */
bool netdp_i_rounds_heard(const netdp_i_rounds *rounds, int32_t index);

/* When all have spoken: mixes, and goes on to the next round. False: somebody is waited for. */
bool netdp_i_rounds_mix(netdp_i_rounds *rounds, const netdp_i_draws *draws);

/* The state after the last round that was mixed, [width]. */
const double *netdp_i_rounds_state(const netdp_i_rounds *rounds);

#endif

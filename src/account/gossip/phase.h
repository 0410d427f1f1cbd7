/*
 * One phase of learning by gossip, with every node's dithered state released at its end; and,
 * without a release, accelerated averaging. The whole phase is one Gaussian vector: no filter.
 */
#ifndef NETDP_I_PHASE_H
#define NETDP_I_PHASE_H

#include <netdp/protocol.h>

#include "account/observe/certificate.h"
#include "account/observe/filter.h"

/* What does not depend on the observer: how the messages of each mode vary together. */
typedef struct netdp_i_phase netdp_i_phase;

/*
 * `basis` is dense (all eigenvectors of W) and borrowed. A phase has protocol->every rounds, or,
 * without contributions after the first round, protocol->rounds. `release`: all states at the end,
 * each under protocol->noise.end, are seen.
 */
netdp_status netdp_i_phase_new(const netdp_linear *protocol, const netdp_i_basis *basis,
                               bool release, netdp_i_phase **phase, netdp_error *error);
void netdp_i_phase_free(netdp_i_phase *phase);

/*
 * of->loss[i] of one contribution of of->node[i] in round 0 towards the observer, whose members' end dither is known, proven
 * (docs/proofs/shift.md); `rounds` is one phase on its own. Noise in pairs is left out: the bound holds
 * with it as well.
 */
netdp_status netdp_i_phase_proven(const netdp_i_phase *phase, const netdp_linear *rounds,
                                  const netdp_i_observer *observer, double end,
                                  const netdp_i_sources *of, const netdp_progress *progress,
                                  netdp_error *error);

#endif

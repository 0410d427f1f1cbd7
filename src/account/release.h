/* An upper bound on large graphs: after some rounds every node's state is seen, under its dither.
 */
#ifndef NETDP_I_RELEASE_H
#define NETDP_I_RELEASE_H

#include <netdp/progress.h>
#include <netdp/protocol.h>

/* The rounds after which a release of all states under `dither` tells little of a contribution
   beside what it leaves of the mean; `away`: the largest modulus of W's other eigenvalues. */
int64_t netdp_i_release_rounds(int32_t nodes, double away, double dither);

/*
 * An upper bound on the loss of one unit contribution of from[i] in round 0 towards the closed
 * neighbourhood of `member` [members], own noise known, over `rounds` rounds and then the state of
 * every node under fresh noise of standard deviation `dither` > 0 (docs/proofs/release.md). Memory
 * is that of a Krylov basis of 2 rounds; any number of nodes.
 */
netdp_status netdp_i_release_loss(const netdp_linear *protocol, int64_t rounds, double dither,
                                  double away, const int32_t *member, int32_t members,
                                  const int32_t *from, int32_t count, double *loss,
                                  const netdp_progress *progress, netdp_error *error);

#endif

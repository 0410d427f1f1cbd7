/*
 * The Krylov basis of account/observe/basis.h with its rows spread over the processes.
 *
 * The filter needs of the basis B only theta, the rows of the nodes that are seen or quiet, and
 * B^T B without the quiet ones. A few rows, the same on every process, say all that: those of the
 * seen and quiet nodes, and the triangle R of a QR of all others (R^T R = B^T B of them). They are
 * the head; the rows of the process's own nodes stand behind it.
 */
#ifndef NETDP_I_SPREAD_BASIS_H
#define NETDP_I_SPREAD_BASIS_H

#include "account/observe/filter.h"
#include "engine/halo.h"

typedef struct netdp_i_spread_basis {
    netdp_i_basis basis;       /* nodes: those of the head; rows: [head + own][modes] */
    netdp_i_observer observer; /* as rows of the head */
    int32_t *index;            /* what `observer` points to */
} netdp_i_spread_basis;

/*
 * Called by all processes with the same observer (of nodes of the graph). `factored`: for a filter
 * that carries its covariance as a factor (NETDP_I_FACTOR_BELOW); others need no triangle, nor does
 * a basis with an inner space (`inner` below `powers`).
 */
netdp_status netdp_i_spread_basis_new(const netdp_mixing *mixing, netdp_i_halo *halo,
                                      const netdp_i_observer *observer, netdp_i_depth depth,
                                      bool factored, const netdp_progress *progress,
                                      netdp_i_spread_basis *made, netdp_error *error);
void netdp_i_spread_basis_clear(netdp_i_spread_basis *basis);

#endif

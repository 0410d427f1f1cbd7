/*
 * A basis in which the mixing matrix is diagonal as far as an observer can tell.
 *
 * y_t = S m_t depends on W only through the Krylov space of S^T, so m may be replaced by its
 * coordinates z = B^T m: z' = theta * z + nu B^T u, y = S B z. B has orthonormal columns; either
 * all eigenvectors of W (one basis for every observer) or the Ritz vectors of S^T's block Krylov
 * space.
 */
#ifndef NETDP_I_BASIS_H
#define NETDP_I_BASIS_H

#include <netdp/mixing.h>
#include <netdp/status.h>

#include "mixing/others.h"

typedef struct netdp_i_basis {
    int32_t nodes;
    int32_t modes;
    double *theta; /* [modes] */
    double *rows;  /* [nodes][modes]: row u is the coordinates of node u */
    /* NULL, or [inner_count][modes]: orthonormal rows that span an inner space; then `rows` are
     * coordinates of the nodes' projections on it, and noise counts in it alone. */
    double *inner;
    int32_t inner_count;
} netdp_i_basis;

/* All eigenvectors of W; at most NETDP_DENSE_NODES nodes. */
netdp_status netdp_i_basis_dense(const netdp_mixing *mixing, netdp_i_basis *basis,
                                 netdp_error *error);

/* Of W: a space of so many powers, with that of the first `inner` inside it; all: without. */
typedef struct netdp_i_depth {
    int64_t powers, inner;
} netdp_i_depth;

/* Otherwise as netdp_i_basis_krylov. */
netdp_status netdp_i_basis_nested(const netdp_mixing *mixing, const int32_t *seen, int32_t count,
                                  netdp_i_depth depth, const netdp_i_others *others,
                                  netdp_i_basis *basis, const netdp_progress *progress,
                                  netdp_error *error);

/*
 * The space of { W^k e_w : w in seen, k < powers }: exact for every product S W^i ... W^j S^T with
 * i, j < powers. Directions below 1e-12 of their block are dropped as dependent. Memory: 8 bytes a
 * node and direction, and up to half as much again while it grows; NETDP_NO_MEMORY where the
 * machine has less. `progress` may be NULL. `others` NULL: this process has all nodes; else the
 * basis has the rows of its own ones.
 */
netdp_status netdp_i_basis_krylov(const netdp_mixing *mixing, const int32_t *seen, int32_t count,
                                  int64_t powers, const netdp_i_others *others,
                                  netdp_i_basis *basis, const netdp_progress *progress,
                                  netdp_error *error);

void netdp_i_basis_clear(netdp_i_basis *basis);

#endif

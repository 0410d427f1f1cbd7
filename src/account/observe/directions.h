/*
 * Modes of one eigenvalue move together: an observer who sees s nodes tells apart at most s
 * directions of them. Graphs with symmetries have few eigenvalues.
 */
#ifndef NETDP_I_DIRECTIONS_H
#define NETDP_I_DIRECTIONS_H

#include "account/observe/basis.h"

/*
 * The part of a basis whose theta ascend that the `seen` nodes show: exact where eigenvalues are
 * equal; those closer than their own rounding are taken as equal. Leaves `shrunk` with 0 modes
 * where it would not have half as many as the basis.
 */
netdp_status netdp_i_basis_shrink(const netdp_i_basis *basis, const int32_t *seen, int32_t count,
                                  netdp_i_basis *shrunk, netdp_error *error);

#endif

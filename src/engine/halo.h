/*
 * The mixing matrix by rows over the processes, and what its product with a block of vectors needs.
 *
 * Every process has the whole matrix, as it was read; of a vector it has the entries of its own
 * nodes and, while a product is made, those of their neighbours (its ghosts).
 */
#ifndef NETDP_I_HALO_H
#define NETDP_I_HALO_H

#include "base/try.h"
#include "mixing/others.h"

typedef struct netdp_i_halo netdp_i_halo;

/* The rows are borrowed. */
netdp_status netdp_i_halo_new(netdp_rows rows, netdp_i_halo **halo, netdp_error *error);
void netdp_i_halo_free(netdp_i_halo *halo);
OWNER(netdp_i_halo_free, netdp_i_halo)

/* Own nodes are first .. first+count-1; behind them in a vector stand the ghosts. */
int32_t netdp_i_halo_first(const netdp_i_halo *halo);
int32_t netdp_i_halo_count(const netdp_i_halo *halo);

/* The accounts' view of it; the halo is borrowed. */
netdp_i_others netdp_i_halo_others(netdp_i_halo *halo);

#endif

/* The pairwise losses of a variant, read back from loss.csv or loss.npy as one list. */
#ifndef NETDP_I_LISTED_H
#define NETDP_I_LISTED_H

#include <jansson.h>
#include <netdp/account.h>

/* Source by source, of each the observers in the order of the file. */
typedef struct netdp_i_listed {
    int64_t count;
    int32_t *from, *to; /* [count] */
    double *value;      /* [count], in the unit of the guarantee */
} netdp_i_listed;

/*
 * A matrix of losses, of Gaussian protocols, looks like one of values, of all others: the worst
 * pair of the summary tells which it is. `cell`: that pair's; `worst`: of the guarantee; `final`:
 * the cells are values of the unit already. NETDP_INVALID where the cell is neither; `path` is
 * named then.
 */
netdp_status netdp_i_cells_final(const char *path, double cell, const json_t *worst, double noise,
                                 netdp_unit unit, bool *final, netdp_error *error);

/*
 * `variant`: its entry of summary.json; `losses`: the file's name without ending. An .npy must be
 * of all `nodes` towards all.
 */
netdp_status netdp_i_listed_read(const char *folder, const char *losses, const json_t *variant,
                                 int32_t nodes, netdp_unit unit, netdp_i_listed *listed,
                                 netdp_error *error);
void netdp_i_listed_clear(netdp_i_listed *listed);

#endif

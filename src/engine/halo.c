#include "engine/halo.h"

#include <petscsf.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "engine/petsc.h"
#include "engine/together.h"

struct netdp_i_halo {
    int32_t first, count, ghosts;
    int64_t *start;  /* [count + 1] */
    int32_t *column; /* own nodes from 0, ghosts from count on */
    netdp_rows rows; /* the two, and the weights of the whole matrix from the first own row on */
    PetscSF exchange;
    int32_t width; /* of `unit`; 0: none yet */
    MPI_Datatype unit;
};

void netdp_i_halo_free(netdp_i_halo *halo)
{
    if (halo == NULL)
        return;
    netdp_i_free(halo->start);
    netdp_i_free(halo->column);
    if (halo->width > 0)
        MPI_Type_free(&halo->unit);
    (void)PetscSFDestroy(&halo->exchange);
    netdp_i_free(halo);
}

/*
 * Own rows with local column numbers; place[v] is where node v stands, -1: not here. Ghosts are in the order of nodes, so that whoever
 * owns them reads its rows in their order.
 */
static netdp_status cut_rows(netdp_i_halo *h, netdp_rows rows, int32_t *place, netdp_error *error)
{
    const netdp_i_processes here = netdp_i_processes_here();
    h->first = (int32_t)netdp_i_share(rows.nodes, here.rank, here.size);
    h->count = (int32_t)netdp_i_share(rows.nodes, here.rank + 1, here.size) - h->first;
    const int64_t begin = rows.start[h->first], entries = rows.start[h->first + h->count] - begin;
    h->start = NETDP_I_NEW(int64_t, (int64_t)h->count + 1);
    h->column = NETDP_I_NEW(int32_t, entries);
    if (h->start == NULL || h->column == NULL)
        return netdp_i_no_memory(error);
    for (int32_t v = 0; v < rows.nodes; v++)
        place[v] = -1;
    for (int64_t i = 0; i < entries; i++)
        place[rows.column[begin + i]] = 0;
    for (int32_t v = 0; v < rows.nodes; v++)
        if (v >= h->first && v < h->first + h->count)
            place[v] = v - h->first;
        else if (place[v] == 0)
            place[v] = h->count + h->ghosts++;
    for (int64_t i = 0; i < entries; i++)
        h->column[i] = place[rows.column[begin + i]];
    for (int32_t v = 0; v <= h->count; v++)
        h->start[v] = rows.start[h->first + v] - begin;
    h->rows = (netdp_rows){h->count, h->start, h->column, rows.weight + begin};
    return NETDP_OK;
}

/* From whom each ghost comes. */
static netdp_status connect(netdp_i_halo *h, int32_t nodes, const int32_t *place,
                            netdp_error *error)
{
    const netdp_i_processes here = netdp_i_processes_here();
    OWNED PetscSFNode *from = NETDP_I_NEW(PetscSFNode, h->ghosts);
    TRY(netdp_i_agree(from == NULL ? netdp_i_no_memory(error) : NETDP_OK, error));
    int owner = 0;
    for (int32_t v = 0; v < nodes; v++) {
        while (v >= netdp_i_share(nodes, owner + 1, here.size))
            owner++;
        if (place[v] >= h->count)
            from[place[v] - h->count] =
                (PetscSFNode){owner, v - (int32_t)netdp_i_share(nodes, owner, here.size)};
    }
    PetscErrorCode code = PetscSFCreate(PETSC_COMM_WORLD, &h->exchange);
    if (code == 0)
        code = PetscSFSetGraph(h->exchange, h->count, h->ghosts, NULL, PETSC_COPY_VALUES, from,
                               PETSC_COPY_VALUES);
    if (code == 0)
        code = PetscSFSetUp(h->exchange);
    return netdp_i_petsc((int)code, "the exchange of neighbours", error);
}

netdp_status netdp_i_halo_new(netdp_rows rows, netdp_i_halo **halo, netdp_error *error)
{
    OWNED_BY(netdp_i_halo_free) netdp_i_halo *made = NETDP_I_NEW(netdp_i_halo, 1);
    OWNED int32_t *place = NETDP_I_NEW(int32_t, rows.nodes);
    const bool room = made != NULL && place != NULL;
    TRY(netdp_i_agree(room ? cut_rows(made, rows, place, error) : netdp_i_no_memory(error), error));
    TRY(netdp_i_agree(connect(made, rows.nodes, place, error), error));
    *halo = GIVE(made);
    return NETDP_OK;
}

int32_t netdp_i_halo_first(const netdp_i_halo *halo)
{
    return halo->first;
}

int32_t netdp_i_halo_count(const netdp_i_halo *halo)
{
    return halo->count;
}

static netdp_status fetch(void *context, double *x, int32_t width, netdp_error *error)
{
    netdp_i_halo *halo = context;
    if (halo->width != width) {
        if (halo->width > 0)
            MPI_Type_free(&halo->unit);
        MPI_Type_contiguous(width, MPI_DOUBLE, &halo->unit);
        MPI_Type_commit(&halo->unit);
        halo->width = width;
    }
    double *ghosts = x + (int64_t)halo->count * width;
    PetscErrorCode code = PetscSFBcastBegin(halo->exchange, halo->unit, x, ghosts, MPI_REPLACE);
    if (code == 0)
        code = PetscSFBcastEnd(halo->exchange, halo->unit, x, ghosts, MPI_REPLACE);
    return netdp_i_petsc((int)code, "the exchange of neighbours", error);
}

netdp_i_others netdp_i_halo_others(netdp_i_halo *halo)
{
    const netdp_i_processes here = netdp_i_processes_here();
    return (netdp_i_others){.first = halo->first,
                            .count = halo->count,
                            .ghosts = halo->ghosts,
                            .size = here.size,
                            .near = here.near,
                            .rows = halo->rows,
                            .context = halo,
                            .fetch = fetch,
                            .sum = netdp_i_sum_up,
                            .tell = netdp_i_tell,
                            .agree = netdp_i_agree};
}

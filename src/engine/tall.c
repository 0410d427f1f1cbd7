#include "engine/tall.h"

#include <lapacke.h>
#include <mpi.h>
#include <petscsys.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "engine/together.h"

/* The first `columns` of work [columns + count][columns] become R of the QR of all its rows. */
static netdp_status reduce_rows(double *work, int64_t count, int32_t columns, double *tau,
                                netdp_error *error)
{
    const int64_t c = columns;
    if (LAPACKE_dgelqf(LAPACK_COL_MAJOR, columns, (lapack_int)(c + count), work, columns, tau) != 0)
        return netdp_i_no_memory(error);
    for (int64_t i = 0; i < c; i++)
        memset(work + i * c, 0, (size_t)i * sizeof *work);
    return NETDP_OK;
}

/* How many rows are taken at a time into a triangle. */
static int64_t strip_of(int32_t columns)
{
    return columns > 256 ? columns : 256;
}

/* Own rows, a strip at a time, into the triangle in front of work [columns + strip][columns]. */
static netdp_status reduce_own(const double *rows, int64_t count, const char *skip, int32_t columns,
                               double *work, double *tau, netdp_error *error)
{
    const int64_t c = columns;
    int64_t filled = 0;
    for (int64_t u = 0; u < count; u++) {
        if (skip[u])
            continue;
        memcpy(work + (c + filled++) * c, rows + u * c, (size_t)c * sizeof *rows);
        if (filled == strip_of(columns)) {
            TRY(reduce_rows(work, filled, columns, tau, error));
            filled = 0;
        }
    }
    if (filled > 0)
        return reduce_rows(work, filled, columns, tau, error);
    return NETDP_OK;
}

netdp_status netdp_i_tall_triangle(const double *rows, int64_t count, const char *skip,
                                   int32_t columns, double *triangle, netdp_error *error)
{
    const netdp_i_processes here = netdp_i_processes_here();
    const int64_t c = columns;
    OWNED double *work = NETDP_I_NEW(double, (c + strip_of(columns)) * c);
    OWNED double *tau = NETDP_I_NEW(double, c);
    const netdp_status status = work == NULL || tau == NULL
                                    ? netdp_i_no_memory(error)
                                    : reduce_own(rows, count, skip, columns, work, tau, error);
    TRY(netdp_i_agree(status, error));
    /* Pairs of processes, then pairs of pairs: the triangles meet at process 0. */
    for (int step = 1; step < here.size; step *= 2) {
        const bool sends = here.rank % (2 * step) == step;
        const bool receives = here.rank % (2 * step) == 0 && here.rank + step < here.size;
        for (int64_t i = 0; i < c && (sends || receives); i++) {
            if (sends)
                MPI_Send(work + i * c, columns, MPI_DOUBLE, here.rank - step, 0, PETSC_COMM_WORLD);
            else
                MPI_Recv(work + (c + i) * c, columns, MPI_DOUBLE, here.rank + step, 0,
                         PETSC_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        TRY(netdp_i_agree(receives ? reduce_rows(work, c, columns, tau, error) : NETDP_OK, error));
    }
    netdp_i_tell(work, c * c * (int64_t)sizeof *work);
    memcpy(triangle, work, (size_t)(c * c) * sizeof *work);
    return NETDP_OK;
}

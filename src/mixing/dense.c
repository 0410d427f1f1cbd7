#include "mixing/dense.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include <cblas.h>
#include <lapacke.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "mixing/mixing.h"

static void one_thread(void)
{
    openblas_set_num_threads(1);
}

void netdp_i_dense_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, one_thread);
}

/* dsyevd with its scratch from our own memory; job 'N' or 'V'. */
static netdp_status dsyevd(char job, int32_t order, double *matrix, double *values,
                           netdp_error *error)
{
    double room = 0;
    lapack_int iroom = 0;
    netdp_i_dense_begin();
    lapack_int info = LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, job, 'L', order, matrix, order, values,
                                          &room, -1, &iroom, -1);
    if (info == 0) {
        OWNED double *work = NETDP_I_NEW(double, (int64_t)room);
        OWNED lapack_int *iwork = NETDP_I_NEW(lapack_int, iroom);
        if (work == NULL || iwork == NULL)
            return netdp_i_no_memory(error);
        info = LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, job, 'L', order, matrix, order, values, work,
                                   (lapack_int)room, iwork, iroom);
    }
    if (info != 0)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "LAPACK's dsyevd found no eigenvalues of a matrix of order %d "
                            "(info %d); try another mixing matrix",
                            (int)order, (int)info);
    return NETDP_OK;
}

netdp_status netdp_i_symmetric_eigen(int32_t order, double *matrix, double *values,
                                     netdp_error *error)
{
    return dsyevd('V', order, matrix, values, error);
}

netdp_status netdp_i_tridiagonal_end(int32_t order, const double *diagonal, const double *beside,
                                     bool largest, double *value, double *last, netdp_error *error)
{
    const int64_t n = order;
    const lapack_int which = largest ? order : 1;
    lapack_int found = 0, failed = 0;
    OWNED double *work =
        NETDP_I_NEW(double, 9 * n); /* T's diagonals, values, the vector, dstevx's own */
    OWNED lapack_int *iwork = NETDP_I_NEW(lapack_int, 5 * n);
    if (work == NULL || iwork == NULL)
        return netdp_i_no_memory(error);
    memcpy(work, diagonal, (size_t)n * sizeof *work);
    memcpy(work + n, beside, (size_t)(n - 1) * sizeof *work);
    lapack_int info =
        LAPACKE_dstevx_work(LAPACK_COL_MAJOR, 'V', 'I', order, work, work + n, 0, 0, which, which,
                            2 * LAPACKE_dlamch('S'), &found, work + 2 * n, work + 3 * n, order,
                            work + 4 * n, iwork, &failed);
    if (info != 0 || found != 1)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "LAPACK's dstevx found no eigenvalue of a matrix of order %d (info "
                            "%d); try another mixing matrix",
                            (int)order, (int)info);
    *value = work[2 * n];
    *last = work[4 * n - 1];
    return NETDP_OK;
}

static void fill(const netdp_rows *rows, double *matrix)
{
    memset(matrix, 0, (size_t)rows->nodes * (size_t)rows->nodes * sizeof *matrix);
    for (int32_t v = 0; v < rows->nodes; v++)
        for (int64_t i = rows->start[v]; i < rows->start[v + 1]; i++)
            matrix[(int64_t)v * rows->nodes + rows->column[i]] = rows->weight[i];
}

static netdp_status check_order(const netdp_rows *rows, netdp_error *error)
{
    if (rows->nodes <= NETDP_DENSE_NODES)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID,
                        "%d nodes; dense spectra go up to %d, choose a smaller graph",
                        (int)rows->nodes, NETDP_DENSE_NODES);
}

netdp_status netdp_i_mixing_similar(const netdp_mixing *mixing, double *matrix, netdp_error *error)
{
    const netdp_rows rows = netdp_mixing_rows(mixing);
    const int64_t n = rows.nodes;
    TRY(check_order(&rows, error));
    fill(&rows, matrix);
    for (int64_t u = 0; u < n; u++)
        for (int64_t v = 0; v < u; v++)
            matrix[u * n + v] = matrix[v * n + u] = sqrt(matrix[u * n + v] * matrix[v * n + u]);
    return NETDP_OK;
}

netdp_status netdp_i_mixing_eigenvalues(const netdp_mixing *mixing, double *values,
                                        netdp_error *error)
{
    netdp_rows rows = netdp_mixing_rows(mixing);
    TRY(check_order(&rows, error));
    TRY(netdp_i_mixing_symmetric(mixing, "its spectrum", error));
    OWNED double *matrix = NETDP_I_NEW(double, (int64_t)rows.nodes *rows.nodes);
    if (matrix == NULL)
        return netdp_i_no_memory(error);
    fill(&rows, matrix);
    return dsyevd('N', rows.nodes, matrix, values, error);
}

netdp_status netdp_i_mixing_eigen(const netdp_mixing *mixing, double *values, double *vectors,
                                  netdp_error *error)
{
    netdp_rows rows = netdp_mixing_rows(mixing);
    TRY(check_order(&rows, error));
    TRY(netdp_i_mixing_symmetric(mixing, "its spectrum", error));
    fill(&rows, vectors);
    return dsyevd('V', rows.nodes, vectors, values, error);
}

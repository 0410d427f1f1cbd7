#include "account/observe/directions.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"

/*
 * Directions below this part of a unit vector are dropped: what is rounding of a product, and no
 * more. Eigenvectors whose values lie close together err by more than that, and what they show of a
 * far contribution may be as little.
 */
#define DEPENDENT 1e-15

/* Behind the last mode with the eigenvalue of the first one. */
static int32_t end_of_group(const netdp_i_basis *basis, int32_t first)
{
    const double equal = basis->nodes * DBL_EPSILON;
    int32_t end = first + 1;
    while (end < basis->modes && basis->theta[end] - basis->theta[first] <= equal)
        end++;
    return end;
}

static int32_t modes_at_most(const netdp_i_basis *basis, int32_t count)
{
    int32_t modes = 0;
    for (int32_t first = 0, end; first < basis->modes; first = end) {
        end = end_of_group(basis, first);
        modes += end - first < count ? end - first : count;
    }
    return modes;
}

typedef struct scratch {
    double *group; /* [count][modes]: the seen rows of a group, column-major modes x count */
    double *tau;   /* [count] */
    lapack_int *pivot;
} scratch;

static void scratch_clear(scratch *x)
{
    netdp_i_free(x->group);
    netdp_i_free(x->tau);
    netdp_i_free(x->pivot);
}

/* Orthonormal directions for the seen rows' part in modes first .. end-1: how many. */
static netdp_status directions(const netdp_i_basis *basis, const int32_t *seen, int32_t count,
                               int32_t first, int32_t end, scratch *x, int32_t *rank,
                               netdp_error *error)
{
    const int64_t size = end - first;
    const int32_t most = size < count ? (int32_t)size : count;
    for (int64_t j = 0; j < count; j++)
        memcpy(x->group + j * size, basis->rows + (int64_t)seen[j] * basis->modes + first,
               (size_t)size * sizeof *x->group);
    memset(x->pivot, 0, (size_t)count * sizeof *x->pivot);
    if (LAPACKE_dgeqp3(LAPACK_COL_MAJOR, (lapack_int)size, count, x->group, (lapack_int)size,
                       x->pivot, x->tau) != 0)
        return netdp_i_no_memory(error);
    *rank = 0;
    while (*rank < most && fabs(x->group[*rank * size + *rank]) > DEPENDENT)
        (*rank)++;
    if (*rank > 0 && LAPACKE_dorgqr(LAPACK_COL_MAJOR, (lapack_int)size, *rank, *rank, x->group,
                                    (lapack_int)size, x->tau) != 0)
        return netdp_i_no_memory(error);
    return NETDP_OK;
}

netdp_status netdp_i_basis_shrink(const netdp_i_basis *basis, const int32_t *seen, int32_t count,
                                  netdp_i_basis *shrunk, netdp_error *error)
{
    const int64_t n = basis->nodes, r = basis->modes;
    const int32_t room = modes_at_most(basis, count);
    if (room > r / 2)
        return NETDP_OK;
    CLEARED(netdp_i_basis_clear) netdp_i_basis made = {.nodes = basis->nodes};
    CLEARED(scratch_clear)
    scratch x = {NETDP_I_NEW(double, r *count), NETDP_I_NEW(double, count),
                 NETDP_I_NEW(lapack_int, count)};
    made.theta = NETDP_I_NEW(double, room);
    made.rows = NETDP_I_NEW(double, n *room);
    OWNED double *rows = NETDP_I_NEW(double, n *room); /* [mode][node] until all are known */
    if (x.group == NULL || x.tau == NULL || x.pivot == NULL || made.theta == NULL ||
        made.rows == NULL || rows == NULL)
        return netdp_i_no_memory(error);
    for (int32_t first = 0, end; first < r; first = end) {
        int32_t rank = 0;
        end = end_of_group(basis, first);
        TRY(directions(basis, seen, count, first, end, &x, &rank, error));
        if (rank == 0)
            continue;
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)n, rank, end - first, 1,
                    basis->rows + first, (int)r, x.group, end - first, 0, rows + made.modes * n,
                    (int)n);
        for (int32_t j = 0; j < rank; j++)
            made.theta[made.modes++] = basis->theta[first];
    }
    for (int64_t u = 0; u < n; u++)
        for (int64_t k = 0; k < made.modes; k++)
            made.rows[u * made.modes + k] = rows[k * n + u];
    *shrunk = made;
    made = (netdp_i_basis){0};
    return NETDP_OK;
}

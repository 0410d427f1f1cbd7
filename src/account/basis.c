#include "account/basis.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "mixing/dense.h"

void netdp_i_basis_clear(netdp_i_basis *basis)
{
    netdp_i_free(basis->theta);
    netdp_i_free(basis->rows);
    *basis = (netdp_i_basis){0};
}

netdp_status netdp_i_basis_dense(const netdp_mixing *mixing, netdp_i_basis *basis,
                                 netdp_error *error)
{
    const int32_t n = netdp_mixing_rows(mixing).nodes;
    netdp_i_basis made = {.nodes = n, .modes = n};
    double *vectors = NETDP_I_NEW(double, (int64_t)n *n);
    made.theta = NETDP_I_NEW(double, n);
    made.rows = NETDP_I_NEW(double, (int64_t)n *n);
    netdp_status status = NETDP_OK;
    if (vectors == NULL || made.theta == NULL || made.rows == NULL) {
        status = netdp_i_no_memory(error);
        goto done;
    }
    status = netdp_i_mixing_eigen(mixing, made.theta, vectors, error);
    if (status != NETDP_OK)
        goto done;
    for (int32_t u = 0; u < n; u++)
        for (int32_t k = 0; k < n; k++)
            made.rows[(int64_t)u * n + k] = vectors[(int64_t)k * n + u];
    *basis = made;
    made = (netdp_i_basis){0};
done:
    netdp_i_free(vectors);
    netdp_i_basis_clear(&made);
    return status;
}

/* The growing basis and the scratch of its blocks; all matrices column-major [nodes][...]. */
typedef struct krylov {
    int32_t nodes, width, room, used;
    double *q;      /* [room][nodes] */
    double *image;  /* [width][nodes]: W times the last block */
    double *across; /* [nodes][width] twice: the block by rows, for the sparse product */
    double *dot;    /* [room][width] */
    double *tau;    /* [width] */
    lapack_int *pivot;
} krylov;

static void krylov_clear(krylov *k)
{
    netdp_i_free(k->q);
    netdp_i_free(k->image);
    netdp_i_free(k->across);
    netdp_i_free(k->dot);
    netdp_i_free(k->tau);
    netdp_i_free(k->pivot);
}

static netdp_status krylov_new(krylov *k, int32_t nodes, int32_t width, int32_t room,
                               netdp_error *error)
{
    *k = (krylov){.nodes = nodes, .width = width, .room = room};
    k->q = NETDP_I_NEW(double, (int64_t)room *nodes);
    k->image = NETDP_I_NEW(double, (int64_t)width *nodes);
    k->across = NETDP_I_NEW(double, 2 * (int64_t)width * nodes);
    k->dot = NETDP_I_NEW(double, (int64_t)room *width);
    k->tau = NETDP_I_NEW(double, width);
    k->pivot = NETDP_I_NEW(lapack_int, width);
    if (k->q == NULL || k->image == NULL || k->across == NULL || k->dot == NULL || k->tau == NULL ||
        k->pivot == NULL)
        return netdp_i_no_memory(error);
    return NETDP_OK;
}

/* image = W * (columns first .. first+count-1 of q) */
static void krylov_multiply(krylov *k, const netdp_mixing *mixing, int32_t first, int32_t count)
{
    const int64_t n = k->nodes;
    double *in = k->across, *out = k->across + (int64_t)k->width * n;
    for (int32_t j = 0; j < count; j++)
        for (int64_t u = 0; u < n; u++)
            in[u * count + j] = k->q[(first + j) * n + u];
    netdp_mixing_apply(mixing, in, out, count);
    for (int32_t j = 0; j < count; j++)
        for (int64_t u = 0; u < n; u++)
            k->image[j * n + u] = out[u * count + j];
}

/* block -= Q Q^T block, for the `used` columns of Q. */
static void project_out(krylov *k, double *block, int32_t count)
{
    const int n = k->nodes;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, k->used, count, n, 1, k->q, n, block, n, 0,
                k->dot, k->used);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, count, k->used, -1, k->q, n, k->dot,
                k->used, 1, block, n);
}

/* Orthonormal columns for the part of `image` outside Q, appended to Q: how many. */
static netdp_status krylov_extend(krylov *k, int32_t count, int32_t *added, netdp_error *error)
{
    /* ||W|| = 1, so 1e-12 is relative to the block before its projection. */
    const double dependent = 1e-12;
    const int n = k->nodes;
    project_out(k, k->image, count);
    project_out(k, k->image, count);
    memset(k->pivot, 0, (size_t)count * sizeof *k->pivot);
    if (LAPACKE_dgeqp3(LAPACK_COL_MAJOR, n, count, k->image, n, k->pivot, k->tau) != 0)
        return netdp_i_no_memory(error);
    int32_t rank = 0;
    while (rank < count && rank < k->room - k->used &&
           fabs(k->image[(int64_t)rank * n + rank]) > dependent)
        rank++;
    *added = rank;
    if (rank == 0)
        return NETDP_OK;
    /* Small columns were divided by their norm: once more against Q, and among themselves. */
    if (LAPACKE_dorgqr(LAPACK_COL_MAJOR, n, rank, rank, k->image, n, k->tau) != 0)
        return netdp_i_no_memory(error);
    project_out(k, k->image, rank);
    if (LAPACKE_dgeqrf(LAPACK_COL_MAJOR, n, rank, k->image, n, k->tau) != 0 ||
        LAPACKE_dorgqr(LAPACK_COL_MAJOR, n, rank, rank, k->image, n, k->tau) != 0)
        return netdp_i_no_memory(error);
    memcpy(k->q + (int64_t)k->used * n, k->image, (size_t)rank * (size_t)n * sizeof *k->q);
    k->used += rank;
    return NETDP_OK;
}

/* theta, Y of T = Q^T W Q, and rows = Q Y. */
static netdp_status krylov_ritz(krylov *k, const netdp_mixing *mixing, netdp_i_basis *made,
                                netdp_error *error)
{
    const int n = k->nodes, r = k->used;
    netdp_status status = NETDP_OK;
    double *t = NETDP_I_NEW(double, (int64_t)r *r);
    made->nodes = n;
    made->modes = r;
    made->theta = NETDP_I_NEW(double, r);
    made->rows = NETDP_I_NEW(double, (int64_t)n *r);
    if (t == NULL || made->theta == NULL || made->rows == NULL) {
        status = netdp_i_no_memory(error);
        goto done;
    }
    for (int32_t first = 0; first < r; first += k->width) {
        int32_t count = r - first < k->width ? r - first : k->width;
        krylov_multiply(k, mixing, first, count);
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, r, count, n, 1, k->q, n, k->image, n,
                    0, t + (int64_t)first * r, r);
    }
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j < i; j++)
            t[j * r + i] = 0.5 * (t[j * r + i] + t[i * r + j]);
    if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', r, t, r, made->theta) != 0) {
        status = netdp_i_no_memory(error);
        goto done;
    }
    /* rows[u][.] = (Q Y)[u][.], row-major: the transpose of a column-major (Y^T Q^T). */
    cblas_dgemm(CblasColMajor, CblasTrans, CblasTrans, r, n, r, 1, t, r, k->q, n, 0, made->rows, r);
done:
    netdp_i_free(t);
    return status;
}

netdp_status netdp_i_basis_krylov(const netdp_mixing *mixing, const int32_t *seen, int32_t count,
                                  int64_t powers, netdp_i_basis *basis, netdp_error *error)
{
    const int32_t n = netdp_mixing_rows(mixing).nodes;
    const int32_t room =
        powers < n / count + 1 && powers * count < n ? (int32_t)(powers * count) : n;
    netdp_i_basis made = {0};
    krylov k;
    netdp_i_dense_begin();
    netdp_status status = krylov_new(&k, n, count, room, error);
    if (status != NETDP_OK)
        goto done;
    for (int32_t j = 0; j < count; j++)
        k.q[(int64_t)j * n + seen[j]] = 1;
    k.used = count;
    int32_t first = 0, width = count;
    for (int64_t power = 1; power < powers && k.used < room && width > 0; power++) {
        krylov_multiply(&k, mixing, first, width);
        first = k.used;
        status = krylov_extend(&k, width, &width, error);
        if (status != NETDP_OK)
            goto done;
    }
    status = krylov_ritz(&k, mixing, &made, error);
    if (status != NETDP_OK)
        goto done;
    *basis = made;
    made = (netdp_i_basis){0};
done:
    krylov_clear(&k);
    netdp_i_basis_clear(&made);
    return status;
}

/*
 * The block Krylov space of an observer by block Lanczos with full reorthogonalisation, rank
 * revealing: a block that adds fewer directions than it has columns (symmetric graphs, dependent
 * views) narrows.
 *
 * Q is kept by rows, [nodes][room], so that strips of nodes go through every step alone: sums over
 * nodes are taken strip by strip and added in the order of the strips, whoever computed them.
 */
#include "account/observe/basis.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "mixing/dense.h"
#include "mixing/mixing.h"

/* ||W|| = 1, so this is relative to a block before its projection. */
#define DEPENDENT 1e-12

/* Of one Gram matrix, pivots above this part of the largest are good to ten digits. */
#define SOLID 1e-6

/* A column that was shorter is projected once more after it was divided by its length. */
#define SHORT 1e-2

enum { STRIPS = 64, LEAST_STRIP = 4096, FIRST_ROOM = 32 };

typedef struct krylov {
    const netdp_mixing *mixing;
    const netdp_i_others *others; /* NULL: all nodes are here */
    int32_t nodes, width;         /* nodes here; columns of the widest block: the first */
    int32_t most, room, used;
    int32_t strip, strips; /* nodes of a strip, and how many there are */
    double *q;             /* [nodes][room] */
    double *block, *image; /* [nodes][width]; behind the block stand its ghosts */
    double *t;             /* [room][room], Q^T W Q: the part on and above the diagonal blocks */
    double *part;          /* [strips][max(room, width)][width] */
    double *dot, *gram;    /* [room][width], [width][width] */
    lapack_int *pivot;     /* [width] */
} krylov;

static void krylov_clear(krylov *k)
{
    netdp_i_free(k->q);
    netdp_i_free(k->block);
    netdp_i_free(k->image);
    netdp_i_free(k->t);
    netdp_i_free(k->part);
    netdp_i_free(k->dot);
    netdp_i_free(k->gram);
    netdp_i_free(k->pivot);
}

/* Room for `wanted` columns: the arrays that hold columns of Q, with what is in them. */
static netdp_status krylov_grow(krylov *k, int32_t wanted, netdp_error *error)
{
    const int64_t n = k->nodes, w = k->width;
    int64_t room = k->room < FIRST_ROOM ? FIRST_ROOM : k->room;
    while (room < wanted)
        room *= 2;
    room = room < k->most ? room : k->most;
    const double bytes = 8 * ((double)n * ((double)room + k->room) + (double)room * (double)room);
    const int32_t near = k->others != NULL ? k->others->near : 1;
    if (bytes * near > netdp_i_memory_limit())
        return netdp_i_fail(error, NETDP_NO_MEMORY,
                            "exact: one observer needs %.3g GB or more here; use fewer rounds, or "
                            "--bound upper for averaging of many",
                            bytes * near / 1e9);
    double *q = NETDP_I_NEW(double, n *room), *t = NETDP_I_NEW(double, room *room);
    double *dot = NETDP_I_NEW(double, room *w);
    double *part = NETDP_I_NEW(double, k->strips *(room > w ? room : w) * w);
    if (q == NULL || t == NULL || dot == NULL || part == NULL) {
        netdp_i_free(q);
        netdp_i_free(t);
        netdp_i_free(dot);
        netdp_i_free(part);
        return netdp_i_no_memory(error);
    }
#pragma omp parallel for schedule(static) if (k->strips > 1)
    for (int64_t u = 0; u < n; u++)
        if (k->used > 0)
            memcpy(q + u * room, k->q + u * k->room, (size_t)k->used * sizeof *q);
    for (int64_t i = 0; i < k->used; i++)
        memcpy(t + i * room, k->t + i * k->room, (size_t)k->used * sizeof *t);
    netdp_i_free(k->q);
    netdp_i_free(k->t);
    netdp_i_free(k->dot);
    netdp_i_free(k->part);
    k->q = q;
    k->t = t;
    k->dot = dot;
    k->part = part;
    k->room = (int32_t)room;
    return NETDP_OK;
}

static netdp_status krylov_new(krylov *k, const netdp_mixing *mixing, const netdp_i_others *others,
                               int32_t width, int32_t most, netdp_error *error)
{
    const int32_t n = others != NULL ? others->count : netdp_mixing_rows(mixing).nodes;
    const int64_t ghosts = others != NULL ? others->ghosts : 0;
    *k = (krylov){.mixing = mixing, .others = others, .nodes = n, .width = width, .most = most};
    k->strip = (n + STRIPS - 1) / STRIPS > LEAST_STRIP ? (n + STRIPS - 1) / STRIPS : LEAST_STRIP;
    k->strips = n > 0 ? (n + k->strip - 1) / k->strip : 1;
    k->block = NETDP_I_NEW(double, (n + ghosts) * width);
    k->image = NETDP_I_NEW(double, (int64_t)n *width);
    k->gram = NETDP_I_NEW(double, (int64_t)width *width);
    k->pivot = NETDP_I_NEW(lapack_int, width);
    if (k->block == NULL || k->image == NULL || k->gram == NULL || k->pivot == NULL)
        return netdp_i_no_memory(error);
    return krylov_grow(k, width, error);
}

static netdp_status agree(const krylov *k, netdp_status status, netdp_error *error)
{
    return k->others != NULL ? k->others->agree(status, error) : status;
}

static int32_t strip_rows(const krylov *k, int64_t strip)
{
    const int64_t left = k->nodes - strip * k->strip;
    return (int32_t)(left < k->strip ? left : k->strip);
}

/* into [rows][count] = A^T B of A [nodes][rows] and B [nodes][count], with strides. */
static void multiply_down(krylov *k, const double *a, int32_t rows, int32_t a_stride,
                          const double *b, int32_t count, int32_t b_stride, double *into)
{
    const int64_t size = (int64_t)rows * count;
#pragma omp parallel for schedule(dynamic, 1) if (k->strips > 1)
    for (int64_t s = 0; s < k->strips; s++)
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, rows, count, strip_rows(k, s), 1,
                    a + s * k->strip * a_stride, a_stride, b + s * k->strip * b_stride, b_stride, 0,
                    k->part + s * size, count);
    memcpy(into, k->part, (size_t)size * sizeof *into);
    for (int64_t s = 1; s < k->strips; s++)
        for (int64_t i = 0; i < size; i++)
            into[i] += k->part[s * size + i];
    if (k->others != NULL)
        k->others->sum(into, size);
}

/* X -= A C of A [nodes][rows], C [rows][count] and X [nodes][count], with the strides of A and X */
static void subtract(const krylov *k, const double *a, int32_t rows, int32_t a_stride,
                     const double *c, int32_t count, double *x, int32_t x_stride)
{
#pragma omp parallel for schedule(dynamic, 1) if (k->strips > 1)
    for (int64_t s = 0; s < k->strips; s++)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, strip_rows(k, s), count, rows, -1,
                    a + s * k->strip * a_stride, a_stride, c, count, 1, x + s * k->strip * x_stride,
                    x_stride);
}

/* X loses what it has along the columns of Q from `first` on, in one pass; that is left in k->dot.
 */
static void project_out(krylov *k, int32_t first, double *x, int32_t count, int32_t stride)
{
    const int32_t columns = k->used - first;
    multiply_down(k, k->q + first, columns, k->room, x, count, stride, k->dot);
    subtract(k, k->q + first, columns, k->room, k->dot, count, x, stride);
}

/* image = W times the columns first .. first+count-1 of Q. */
static netdp_status krylov_multiply(krylov *k, int32_t first, int32_t count, netdp_error *error)
{
#pragma omp parallel for schedule(static) if (k->strips > 1)
    for (int64_t u = 0; u < k->nodes; u++)
        memcpy(k->block + u * count, k->q + u * k->room + first, (size_t)count * sizeof *k->block);
    if (k->others == NULL) {
        netdp_mixing_apply(k->mixing, k->block, k->image, count);
        return NETDP_OK;
    }
    TRY(k->others->fetch(k->others->context, k->block, count, error));
    netdp_i_rows_apply(k->others->rows, k->block, k->image, count);
    return NETDP_OK;
}

/*
 * image loses what it has along the block before, from column `before` on, and the block itself,
 * the last `count` columns: W Q_block has nothing along older ones but rounding. That is also
 * T's part of these columns.
 */
static void recur(krylov *k, int32_t before, int32_t count)
{
    project_out(k, before, k->image, count, count);
    for (int64_t i = before; i < k->used; i++)
        memcpy(k->t + i * k->room + k->used - count, k->dot + (i - before) * count,
               (size_t)count * sizeof *k->t);
}

/* X [nodes][count] becomes X[:, pivot] R^{-1} of R^T R = its Gram matrix, in its first columns;
   the others keep what is not chosen. */
static void divide(const krylov *k, double *x, int32_t count, int32_t rank)
{
#pragma omp parallel for schedule(dynamic, 1) if (k->strips > 1)
    for (int64_t s = 0; s < k->strips; s++) {
        double *strip = x + s * k->strip * count;
        double row[count];
        for (int64_t u = 0; u < strip_rows(k, s); u++) {
            memcpy(row, strip + u * count, sizeof row);
            for (int32_t j = 0; j < count; j++)
                strip[u * count + j] = row[k->pivot[j] - 1];
        }
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit,
                    strip_rows(k, s), rank, 1, k->gram, count, strip, count);
    }
}

/* Pivoted Cholesky of X^T X into k->gram and k->pivot: the rank above `least` (a length). */
static int32_t factor(krylov *k, const double *x, int32_t count, double *shortest)
{
    double work[2 * count];
    lapack_int rank = 0;
    multiply_down(k, x, count, count, x, count, count, k->gram);
    double largest = 0;
    for (int32_t j = 0; j < count; j++)
        largest = fmax(largest, k->gram[(int64_t)j * count + j]);
    if (!(largest > DEPENDENT * DEPENDENT)) /* dpstrf would take its first pivot, however small */
        return 0;
    /* By rows the upper triangle is LAPACK's lower one: R^T there, R as we read it. */
    LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', count, k->gram, count, k->pivot, &rank,
                        fmax(SOLID * largest, DEPENDENT * DEPENDENT), work);
    if (k->others != NULL) { /* machines may round in their own ways */
        k->others->tell(&rank, sizeof rank);
        k->others->tell(k->pivot, count * (int64_t)sizeof *k->pivot);
        k->others->tell(k->gram, (int64_t)count * count * (int64_t)sizeof *k->gram);
    }
    *shortest = fabs(k->gram[(int64_t)(rank - 1) * count + rank - 1]);
    return rank;
}

/* X becomes orthonormal, as far as rounding let it be almost so before. */
static void polish(krylov *k, double *x, int32_t rank, int32_t stride)
{
    multiply_down(k, x, rank, stride, x, rank, stride, k->gram);
    LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', rank, k->gram, rank);
    if (k->others != NULL)
        k->others->tell(k->gram, (int64_t)rank * rank * (int64_t)sizeof *k->gram);
#pragma omp parallel for schedule(dynamic, 1) if (k->strips > 1)
    for (int64_t s = 0; s < k->strips; s++)
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit,
                    strip_rows(k, s), rank, 1, k->gram, rank, x + s * k->strip * stride, stride);
}

static void append(krylov *k, const double *x, int32_t rank, int32_t stride)
{
#pragma omp parallel for schedule(static) if (k->strips > 1)
    for (int64_t u = 0; u < k->nodes; u++)
        memcpy(k->q + u * k->room + k->used, x + u * stride, (size_t)rank * sizeof *x);
    k->used += rank;
}

/* What is left of X beside its first `rank` columns, orthogonal to them: the new X. */
static void keep_rest(krylov *k, double *x, int32_t rank, int32_t count)
{
    const int32_t rest = count - rank;
    multiply_down(k, x, rank, count, x + rank, rest, count, k->dot);
    subtract(k, x, rank, count, k->dot, rest, x + rank, count);
    /* In place, a row never overtakes the one that it is read from. */
    for (int64_t u = 0; u < k->nodes; u++)
        memmove(x + u * rest, x + u * count + rank, (size_t)rest * sizeof *x);
}

/*
 * Orthonormal columns for the part of `image` outside Q, appended to Q. Columns that a Gram matrix
 * shows only half their digits of wait until the others have been taken out of them.
 */
static void krylov_extend(krylov *k, int32_t count)
{
    double *x = k->image;
    project_out(k, 0, x, count, count);
    while (count > 0 && k->used < k->most) {
        double shortest = 0;
        int32_t rank = factor(k, x, count, &shortest);
        rank = rank < k->most - k->used ? rank : k->most - k->used;
        if (rank == 0)
            return;
        divide(k, x, count, rank);
        if (shortest < SHORT) {
            project_out(k, 0, x, rank, count);
            polish(k, x, rank, count);
        }
        polish(k, x, rank, count);
        append(k, x, rank, count);
        if (rank < count)
            keep_rest(k, x, rank, count);
        count -= rank;
    }
}

/* Q becomes Q Y of its first `inner` columns, strip by strip, without spare room. */
static netdp_status rotate(krylov *k, const double *y, int32_t inner, netdp_error *error)
{
    enum { ROWS = 128 };
    const int32_t r = k->used, pieces = (k->nodes + ROWS - 1) / ROWS;
    bool failed = false;
#pragma omp parallel if (k->strips > 1)
    {
        double *turned = NETDP_I_NEW(double, (int64_t)ROWS *r);
#pragma omp for schedule(dynamic, 4)
        for (int64_t piece = 0; piece < pieces; piece++) {
            if (turned == NULL) {
#pragma omp atomic write
                failed = true;
                continue;
            }
            const int64_t first = piece * ROWS;
            const int32_t rows = (int32_t)(k->nodes - first < ROWS ? k->nodes - first : ROWS);
            double *q = k->q + first * k->room;
            /* y holds vector by vector: by rows it is Y^T. */
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, r, inner, 1, q, k->room, y,
                        r, 0, turned, r);
            for (int64_t u = 0; u < rows; u++)
                memcpy(q + u * k->room, turned + u * r, (size_t)r * sizeof *q);
        }
        netdp_i_free(turned);
    }
    if (failed)
        return netdp_i_no_memory(error);
    if (r < k->room) {
        for (int64_t u = 1; u < k->nodes; u++)
            memmove(k->q + u * r, k->q + u * k->room, (size_t)r * sizeof *k->q);
        double *shrunk = netdp_i_grow(k->q, (int64_t)k->nodes * r, sizeof *shrunk);
        k->q = shrunk != NULL ? shrunk : k->q;
    }
    return NETDP_OK;
}

/* T = Q^T W Q [used][used] becomes its eigenvectors Y, vector by vector. */
static netdp_status diagonalise(const krylov *k, double *t, double *theta, netdp_error *error)
{
    const int64_t r = k->used;
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j <= i; j++)
            t[j * r + i] = k->t[j * k->room + i];
    if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', k->used, t, k->used, theta) != 0)
        return netdp_i_no_memory(error);
    return NETDP_OK;
}

/* The Ritz vectors in place of Q; the first `inner` columns span the inner space, if not all. */
static netdp_status krylov_ritz(krylov *k, int32_t inner, netdp_i_basis *made, netdp_error *error)
{
    const int64_t r = k->used;
    OWNED double *y = NETDP_I_NEW(double, r *r);
    netdp_status status = NETDP_OK;
    made->theta = NETDP_I_NEW(double, r);
    if (inner < r) {
        made->inner_count = inner;
        made->inner = NETDP_I_NEW(double, inner *r);
    }
    if (y == NULL || made->theta == NULL || (inner < r && made->inner == NULL))
        status = netdp_i_no_memory(error);
    TRY(agree(k, status, error));
    TRY(agree(k, diagonalise(k, y, made->theta, error), error));
    if (k->others != NULL) {
        k->others->tell(y, r * r * (int64_t)sizeof *y);
        k->others->tell(made->theta, r * (int64_t)sizeof *made->theta);
    }
    TRY(agree(k, rotate(k, y, inner, error), error));
    for (int64_t i = 0; made->inner != NULL && i < inner; i++)
        for (int64_t mode = 0; mode < r; mode++)
            made->inner[i * r + mode] = y[mode * r + i];
    made->nodes = k->nodes;
    made->modes = k->used;
    made->rows = GIVE(k->q);
    return NETDP_OK;
}

/* e_w for the seen w. */
static void place_seen(krylov *k, const int32_t *seen, int32_t count)
{
    const int32_t first = k->others != NULL ? k->others->first : 0;
    for (int32_t j = 0; j < count; j++)
        if (seen[j] >= first && seen[j] < first + k->nodes)
            k->q[(int64_t)(seen[j] - first) * k->room + j] = 1;
    k->used = count;
}

netdp_status netdp_i_basis_nested(const netdp_mixing *mixing, const int32_t *seen, int32_t count,
                                  netdp_i_depth depth, const netdp_i_others *others,
                                  netdp_i_basis *basis, const netdp_progress *progress,
                                  netdp_error *error)
{
    const int32_t n = netdp_mixing_rows(mixing).nodes;
    const int64_t powers = depth.powers;
    const int32_t most =
        powers < n / count + 1 && powers * count < n ? (int32_t)(powers * count) : n;
    CLEARED(netdp_i_basis_clear) netdp_i_basis made = {0};
    CLEARED(krylov_clear) krylov k = {0};
    netdp_i_dense_begin();
    netdp_status status = krylov_new(&k, mixing, others, count, most, error);
    TRY(agree(&k, status, error));
    place_seen(&k, seen, count);
    int32_t before = 0, first = 0, width = count, inside = count;
    for (int64_t power = 1; width > 0; power++) {
        TRY(agree(&k, krylov_multiply(&k, first, width, error), error));
        recur(&k, before, width);
        before = first;
        first = k.used;
        if (power <= depth.inner)
            inside = k.used;
        if (power == powers || k.used == most)
            break;
        if (k.used + width > k.room)
            status = krylov_grow(&k, k.used + width < most ? k.used + width : most, error);
        if (status == NETDP_OK)
            status = netdp_i_report(progress, "basis", (double)power, (double)powers, error);
        TRY(agree(&k, status, error));
        krylov_extend(&k, width);
        width = k.used - first;
    }
    TRY(krylov_ritz(&k, inside, &made, error));
    *basis = made;
    made = (netdp_i_basis){0};
    return NETDP_OK;
}

netdp_status netdp_i_basis_krylov(const netdp_mixing *mixing, const int32_t *seen, int32_t count,
                                  int64_t powers, const netdp_i_others *others,
                                  netdp_i_basis *basis, const netdp_progress *progress,
                                  netdp_error *error)
{
    return netdp_i_basis_nested(mixing, seen, count, (netdp_i_depth){powers, powers}, others, basis,
                                progress, error);
}

#include "account/observe/tiles.h"

#include <cblas.h>
#include <lapacke.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"

enum { SIDE = NETDP_I_TILE };

static double *tile(const netdp_i_tiles *a, int64_t i, int64_t j)
{
    return a->value + (i * (i + 1) / 2 + j) * SIDE * SIDE;
}

int netdp_i_tiles_rows(const netdp_i_tiles *a, int64_t i)
{
    const int64_t left = a->order - i * SIDE;
    return (int)(left < SIDE ? left : SIDE);
}

double *netdp_i_tiles_diagonal(const netdp_i_tiles *a, int64_t i)
{
    return tile(a, i / SIDE, i / SIDE) + i % SIDE * (SIDE + 1);
}

double netdp_i_tiles_before(const netdp_i_tiles *a, int64_t i)
{
    double sum = 0;
    for (int64_t j = 0; j <= i / SIDE; j++) {
        const double *row = tile(a, i / SIDE, j) + i % SIDE * SIDE;
        const int before = j < i / SIDE ? SIDE : (int)(i % SIDE);
        sum += cblas_ddot(before, row, 1, row, 1);
    }
    return sum;
}

double netdp_i_tiles_bytes(double order)
{
    return 8 * (order + SIDE) * (order + 2 * SIDE) / 2;
}

netdp_status netdp_i_tiles_new(int32_t order, netdp_i_tiles *a, netdp_error *error)
{
    const int64_t count = ((int64_t)order + SIDE - 1) / SIDE;
    *a = (netdp_i_tiles){.order = order,
                         .count = (int32_t)count,
                         .value = NETDP_I_NEW(double, count *(count + 1) / 2 * SIDE * SIDE)};
    return a->value != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

netdp_status netdp_i_tiles_copy(const netdp_i_tiles *a, netdp_i_tiles *copy, netdp_error *error)
{
    const netdp_status status = netdp_i_tiles_new(a->order, copy, error);
    const int64_t count = a->count;
    if (status == NETDP_OK)
        memcpy(copy->value, a->value,
               (size_t)(count * (count + 1) / 2) * SIDE * SIDE * sizeof *a->value);
    return status;
}

void netdp_i_tiles_clear(netdp_i_tiles *a)
{
    netdp_i_free(a->value);
    *a = (netdp_i_tiles){0};
}

/* What the pieces of a product work on. */
typedef struct job {
    const netdp_i_tiles *a, *b;
    const double *y;
    double *z;
    int32_t width;
    int64_t column; /* of tiles: the one that is factored */
    const netdp_progress *progress;
} job;

static netdp_status rest_of_rows(void *context, int64_t i, int thread, netdp_error *error)
{
    (void)thread;
    const job *p = context;
    const netdp_i_tiles *a = p->a;
    const int64_t width = p->width;
    const int r = p->width, rows = netdp_i_tiles_rows(a, i);
    double *z = p->z + i * SIDE * width;
    memcpy(z, p->y + i * SIDE * width, (size_t)(rows * width) * sizeof *z);
    netdp_status status = NETDP_OK;
    for (int64_t j = 0; status == NETDP_OK && j < a->count; j++) {
        const double *y = p->y + j * SIDE * width;
        if (i == j)
            cblas_dsymm(CblasRowMajor, CblasLeft, CblasLower, rows, r, -1, tile(a, i, i), SIDE, y,
                        r, 1, z, r);
        else
            cblas_dgemm(CblasRowMajor, i < j ? CblasTrans : CblasNoTrans, CblasNoTrans, rows, r,
                        netdp_i_tiles_rows(a, j), -1, i < j ? tile(a, j, i) : tile(a, i, j), SIDE,
                        y, r, 1, z, r);
        status = netdp_i_poll(p->progress, error);
    }
    return status;
}

netdp_status netdp_i_tiles_rest(const netdp_i_tiles *a, const double *y, double *z, int32_t width,
                                const netdp_progress *progress, netdp_error *error)
{
    job p = {.a = a, .y = y, .z = z, .width = width, .progress = progress};
    return netdp_i_for_each(a->count, rest_of_rows, &p, progress, NULL, error);
}

static netdp_status add_to_rows(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    const job *p = context;
    const netdp_i_tiles *a = p->a;
    const int64_t i = a->count - 1 - index, width = p->width; /* the longest first */
    const int r = p->width, rows = netdp_i_tiles_rows(a, i);
    const double *left = p->y + i * SIDE * width;
    netdp_status status = NETDP_OK;
    for (int64_t j = 0; status == NETDP_OK && j <= i; j++) {
        if (i == j)
            cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, rows, r, 1, left, r, 1,
                        tile(a, i, i), SIDE);
        else
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, SIDE, r, 1, left, r,
                        p->y + j * SIDE * width, r, 1, tile(a, i, j), SIDE);
        status = netdp_i_poll(p->progress, error);
    }
    return status;
}

netdp_status netdp_i_tiles_add(netdp_i_tiles *a, const double *z, int32_t width,
                               const netdp_progress *progress, netdp_error *error)
{
    job p = {.a = a, .y = z, .width = width, .progress = progress};
    return netdp_i_for_each(a->count, add_to_rows, &p, progress, NULL, error);
}

void netdp_i_tiles_shift(netdp_i_tiles *a, double s)
{
    const int64_t count = a->count, values = count * (count + 1) / 2 * SIDE * SIDE;
#pragma omp parallel for if (count > 1)
    for (int64_t k = 0; k < values; k++)
        a->value[k] *= s;
    for (int64_t i = 0; i < a->order; i++)
        *netdp_i_tiles_diagonal(a, i) += 1;
}

/* Tile (i, column) less the products of what stands before it in both rows. */
static netdp_status subtract_before(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    const job *p = context;
    const netdp_i_tiles *a = p->a;
    const int64_t k = p->column, i = k + index;
    netdp_status status = NETDP_OK;
    for (int64_t j = 0; status == NETDP_OK && j < k; j++) {
        if (i == k)
            cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, netdp_i_tiles_rows(a, k), SIDE, -1,
                        tile(a, k, j), SIDE, 1, tile(a, k, k), SIDE);
        else
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, netdp_i_tiles_rows(a, i), SIDE,
                        SIDE, -1, tile(a, i, j), SIDE, tile(a, k, j), SIDE, 1, tile(a, i, k), SIDE);
        status = netdp_i_poll(p->progress, error);
    }
    return status;
}

static netdp_status divide_below(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    (void)error;
    const job *p = context;
    const int64_t k = p->column, i = k + 1 + index;
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit,
                netdp_i_tiles_rows(p->a, i), SIDE, 1, tile(p->a, k, k), SIDE, tile(p->a, i, k),
                SIDE);
    return NETDP_OK;
}

netdp_status netdp_i_tiles_factor(netdp_i_tiles *a, const netdp_progress *progress,
                                  netdp_error *error)
{
    job p = {.a = a, .progress = progress};
    netdp_status status = NETDP_OK;
    for (int64_t k = 0; status == NETDP_OK && k < a->count; k++) {
        p.column = k;
        status = netdp_i_for_each(a->count - k, subtract_before, &p, progress, NULL, error);
        /* LAPACK's columns are our rows. */
        if (status == NETDP_OK &&
            LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', netdp_i_tiles_rows(a, k), tile(a, k, k),
                                SIDE) != 0)
            status =
                netdp_i_fail(error, NETDP_NO_ANSWER,
                             "the covariance of what is hidden is not resolved; give more dither");
        if (status == NETDP_OK)
            status = netdp_i_for_each(a->count - k - 1, divide_below, &p, progress, NULL, error);
    }
    return status;
}

/* Tile i of columns c of b, or of I, [SIDE][SIDE]. */
static void right_side(const netdp_i_tiles *b, int64_t i, int64_t c, double *x)
{
    memset(x, 0, sizeof *x * SIDE * SIDE);
    if (b == NULL) {
        for (int64_t k = 0; k < SIDE; k++)
            x[k * (SIDE + 1)] = 1;
        return;
    }
    const int64_t rows = netdp_i_tiles_rows(b, i), columns = netdp_i_tiles_rows(b, c);
    const double *from = i < c ? tile(b, c, i) : tile(b, i, c);
    for (int64_t k = 0; k < rows; k++)
        for (int64_t l = 0; l < columns; l++)
            x[k * SIDE + l] = i < c || (i == c && k < l) ? from[l * SIDE + k] : from[k * SIDE + l];
}

/* A column of tiles: x = L^{-1} b from above, as far as b is not 0. */
static netdp_status solve_column(void *context, int64_t c, int thread, netdp_error *error)
{
    (void)thread;
    const job *p = context;
    const netdp_i_tiles *l = p->a;
    const int64_t first = p->b == NULL ? c : 0;
    const int columns = netdp_i_tiles_rows(l, c);
    double *x = NETDP_I_NEW(double, (l->count - first) * SIDE * SIDE), *square = p->z + c * SIDE;
    netdp_status status = x != NULL ? NETDP_OK : netdp_i_no_memory(error);
    memset(square, 0, (size_t)columns * sizeof *square);
    for (int64_t i = first; status == NETDP_OK && i < l->count; i++) {
        const int rows = netdp_i_tiles_rows(l, i);
        double *own = x + (i - first) * SIDE * SIDE;
        if (p->b != NULL || i == c)
            right_side(p->b, i, c, own);
        for (int64_t j = first; status == NETDP_OK && j < i; j++) {
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, SIDE, -1,
                        tile(l, i, j), SIDE, x + (j - first) * SIDE * SIDE, SIDE, 1, own, SIDE);
            status = netdp_i_poll(p->progress, error);
        }
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, rows, columns,
                    1, tile(l, i, i), SIDE, own, SIDE);
        const bool diagonal = p->b == NULL && i == c;
        for (int64_t k = 0; k < rows; k++)
            for (int64_t u = 0; u < (diagonal ? k : columns); u++)
                square[u] += own[k * SIDE + u] * own[k * SIDE + u];
    }
    netdp_i_free(x);
    return status;
}

netdp_status netdp_i_tiles_squares(const netdp_i_tiles *l, const netdp_i_tiles *b, double *square,
                                   const netdp_progress *progress, netdp_error *error)
{
    job p = {.a = l, .b = b, .z = square, .progress = progress};
    return netdp_i_for_each(l->count, solve_column, &p, progress, NULL, error);
}

/*
 * Compressed rows times a block of columns. Each result is one sum in the order of the row's
 * columns, without fused multiply-add, so that neither the vector width nor the number of threads
 * changes a bit. A row's sums stay in registers and are stored once. No memory of its own; read
 * are 12 bytes for each entry and 8 for each row, beside the block.
 */
#include "mixing/mixing.h"

#include <omp.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

enum {
    LANES = 4,        /* doubles of a vector */
    MOST = 8,         /* vectors summed in one pass over a row */
    LINE = 8,         /* doubles of a cache line */
    AHEAD = 64,       /* entries: how early a neighbour's numbers are asked for */
    CACHED = 1 << 21, /* doubles: smaller blocks are left to the caches */
    BEYOND = 1 << 23, /* doubles: larger results go past the caches */
    FORK = 50000,     /* multiplications that are worth a team of threads */
};

typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));

struct product {
    netdp_rows rows;
    int64_t entries, width;
    const double *x;
    bool far;  /* x is larger than the caches: ask for neighbours early */
    bool past; /* the results are, and nobody reads them at once: they are not to fill the caches */
};

/* Asks the second cache, which keeps more requests open than the first, for `count` numbers. */
INLINE void ask(const struct product *p, int64_t i, int64_t at, int count)
{
    const int64_t entry = i + AHEAD < p->entries ? i + AHEAD : i;
    const double *x = p->x + p->rows.column[entry] * p->width + at;
    for (int j = 0; j < count; j += LINE)
        __builtin_prefetch(x + j, 0, 2);
    __builtin_prefetch(x + count - 1, 0, 2); /* where x begins within a line */
}

INLINE void store(double *y, const double *sum, int count, bool past)
{
#ifdef __SSE2__
    if (past && (uintptr_t)y % sizeof(__m128d) == 0) {
        for (int j = 0; j < count; j += 2)
            _mm_stream_pd(y + j, _mm_loadu_pd(sum + j));
        return;
    }
#endif
    (void)past;
    memcpy(y, sum, (size_t)count * sizeof *y);
}

/* `count` vectors of row v from column `at` on; `count` and `far` are constants. */
INLINE void sum_vectors(const struct product *p, int32_t v, int64_t at, const int count,
                        const bool far, double *y)
{
    lanes sum[MOST];
#pragma GCC unroll 8
    for (int k = 0; k < count; k++)
        sum[k] = (lanes){0};
    for (int64_t i = p->rows.start[v]; i < p->rows.start[v + 1]; i++) {
        const double weight = p->rows.weight[i];
        const lanes *x = (const lanes *)(p->x + p->rows.column[i] * p->width + at);
        if (far)
            ask(p, i, at, count * LANES);
            /* The second half first: what looks like a stream makes the machine fetch what comes
             * next. */
#pragma GCC unroll 8
        for (int k = 0; k < count; k++)
            sum[k ^ (count / 2)] += weight * x[k ^ (count / 2)];
    }
    store(y + at, (const double *)sum, count * LANES, far && p->past);
}

INLINE void sum_row(const struct product *p, int32_t v, const bool far, double *y)
{
    int64_t at = 0;
    for (; at + 32 <= p->width; at += 32)
        sum_vectors(p, v, at, 8, far, y);
    for (; at + 16 <= p->width; at += 16)
        sum_vectors(p, v, at, 4, far, y);
    for (; at + 8 <= p->width; at += 8)
        sum_vectors(p, v, at, 2, far, y);
    for (; at + 4 <= p->width; at += 4)
        sum_vectors(p, v, at, 1, far, y);
    for (; at < p->width; at++) {
        double sum = 0;
        for (int64_t i = p->rows.start[v]; i < p->rows.start[v + 1]; i++)
            sum += p->rows.weight[i] * p->x[p->rows.column[i] * p->width + at];
        y[at] = sum;
    }
}

/* One column. */
INLINE void sum_single(const struct product *p, int32_t first, int32_t end, const bool far,
                       double *y)
{
    int64_t i = p->rows.start[first];
    for (int32_t v = first; v < end; v++) {
        double sum = 0;
        for (const int64_t after = p->rows.start[v + 1]; i < after; i++) {
            if (far)
                ask(p, i, 0, 1);
            sum += p->rows.weight[i] * p->x[p->rows.column[i]];
        }
        y[v - first] = sum;
    }
}

INLINE void sum_rows(const struct product *p, int32_t first, int32_t end, const bool far, double *y)
{
    if (p->width == 1) {
        sum_single(p, first, end, far, y);
        return;
    }
    for (int32_t v = first; v < end; v++)
        sum_row(p, v, far, y + (v - first) * p->width);
#ifdef __SSE2__
    if (far && p->past)
        _mm_sfence();
#endif
}

INLINE void multiply_rows(const struct product *p, int32_t first, int32_t end, double *y)
{
    if (p->far)
        sum_rows(p, first, end, true, y);
    else
        sum_rows(p, first, end, false, y);
}

/* The same on vectors of four, where the machine has them. */
#ifdef __x86_64__
__attribute__((target("avx2"))) static void multiply_wide(const struct product *p, int32_t first,
                                                          int32_t end, double *y)
{
    multiply_rows(p, first, end, y);
}
#endif

static void multiply(const struct product *p, int32_t first, int32_t end, double *y)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2")) {
        multiply_wide(p, first, end, y);
        return;
    }
#endif
    multiply_rows(p, first, end, y);
}

static struct product product_of(netdp_rows rows, const double *x, int32_t width)
{
    return (struct product){.rows = rows,
                            .entries = rows.start[rows.nodes],
                            .width = width,
                            .x = x,
                            .far = (int64_t)rows.nodes * width > CACHED};
}

void netdp_i_rows_apply_part(netdp_rows rows, int32_t first, int32_t end, const double *x,
                             double *y, int32_t width)
{
    const struct product p = product_of(rows, x, width);
    multiply(&p, first, end, y);
}

/* Where a share of the work begins: rows and entries count alike. */
static int32_t share(netdp_rows rows, int64_t part, int64_t parts)
{
    const double work =
        (double)(rows.start[rows.nodes] + rows.nodes) * (double)part / (double)parts;
    int32_t low = 0, high = rows.nodes;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if ((double)(rows.start[middle] + middle) < work)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void netdp_i_rows_apply(netdp_rows rows, const double *x, double *y, int32_t width)
{
    struct product p = product_of(rows, x, width);
    p.past = (int64_t)rows.nodes * width > BEYOND;
#pragma omp parallel if ((double)p.entries * width > FORK)
    {
        const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
        const int32_t first = share(rows, thread, threads);
        multiply(&p, first, share(rows, thread + 1, threads), y + (int64_t)first * width);
    }
}

void netdp_mixing_apply(const netdp_mixing *mixing, const double *x, double *y, int32_t width)
{
    netdp_i_rows_apply(netdp_mixing_rows(mixing), x, y, width);
}

int64_t netdp_i_rows_find(netdp_rows rows, int32_t u, int32_t v)
{
    int64_t low = rows.start[u], high = rows.start[u + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (rows.column[middle] < v)
            low = middle + 1;
        else
            high = middle;
    }
    return low < rows.start[u + 1] && rows.column[low] == v ? low : -1;
}

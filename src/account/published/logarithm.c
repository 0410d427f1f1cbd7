/*
 * -ln(I - W + 11'/n), symmetric, 0 along the ones. With the other eigenvalues of W in [a, b], b < 1, and X = (2 W - a
 * - b) / (b - a) it is
 *
 *     -ln((b - a) / (4 r)) + 2 sum_{k >= 1} r^k T_k(X) / k,   (1 + r^2) / (2 r) = (2 - a - b) / (b - a),
 *
 * of which few terms matter unless the walk mixes slowly (the generating function of Chebyshev's polynomials): sparse
 * products of a strip of columns, which stays in the caches. Of walks that mix slowly all eigenvectors are found.
 */
#include "account/published/logarithm.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "mixing/dense.h"
#include "mixing/mixing.h"

/* Columns of a strip; passes over a strip that a term takes, beside its product with W; what eigenvectors and their
 * product take, per entry and node, as measured on one core. */
enum { STRIP = 32, PASSES = 6, EIGENVECTORS = 3 };

/* The ends lie this part of the gap outside what Lanczos found. */
#define OUTSIDE 0.01

typedef struct series {
    netdp_rows rows;
    double centre, scale;   /* X = scale W - centre */
    double constant, ratio; /* of the series */
    int64_t terms;
    double *logarithm;
} series;

/* -V ln(I - values) V' from W = V diag(values) V'. The ones, the last, have the logarithm 0. */
static netdp_status by_eigenvectors(netdp_rows rows, double *logarithm, netdp_error *error)
{
    const int32_t n = rows.nodes;
    const int64_t size = (int64_t)n * n;
    OWNED double *values = NETDP_I_NEW(double, n);
    OWNED double *vectors = NETDP_I_NEW(double, size);
    OWNED double *scaled = NETDP_I_NEW(double, size);
    if (values == NULL || vectors == NULL || scaled == NULL)
        return netdp_i_no_memory(error);
    for (int64_t u = 0; u < n; u++)
        for (int64_t i = rows.start[u]; i < rows.start[u + 1]; i++)
            vectors[u * n + rows.column[i]] = rows.weight[i];
    TRY(netdp_i_symmetric_eigen(n, vectors, values, error));
    for (int64_t k = 0; k < n - 1; k++) {
        /* The walk is connected: no other eigenvalue is 1 but by rounding. */
        const double by = -log(fmax(0x1p-60, 1 - values[k]));
        for (int64_t u = 0; u < n; u++)
            scaled[k * n + u] = by * vectors[k * n + u];
    }
    netdp_i_dense_begin();
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, n, n - 1, 1, vectors, n, scaled, n, 0,
                logarithm, n);
    return NETDP_OK;
}

/* Columns of the logarithm, which are rows of it: T_k(X) of unit vectors less their mean. */
static netdp_status find_strip(void *context, int64_t strip, int thread, netdp_error *error)
{
    (void)thread;
    const series *s = context;
    const int64_t n = s->rows.nodes, first = strip * STRIP;
    const int32_t width = (int32_t)(n - first < STRIP ? n - first : STRIP);
    const int64_t size = n * width;
    double *room = NETDP_I_NEW(double, 4 * size);
    if (room == NULL)
        return netdp_i_no_memory(error);
    double *before = room, *now = room + size, *next = now + size, *sum = next + size;
    for (int64_t u = 0; u < n; u++)
        for (int64_t j = 0; j < width; j++)
            now[u * width + j] = (u == first + j) - 1.0 / (double)n;
    for (int64_t i = 0; i < size; i++)
        sum[i] = s->constant * now[i];
    double power = 1;
    for (int64_t k = 1; k <= s->terms; k++) {
        const double twice = k == 1 ? 1 : 2; /* T_1 = X, T_k = 2 X T_{k-1} - T_{k-2} */
        power *= s->ratio;
        const double scale = twice * s->scale, centre = twice * s->centre;
        const double weight = 2 * power / (double)k;
        netdp_i_rows_apply_part(s->rows, 0, s->rows.nodes, now, next, width);
        for (int64_t i = 0; i < size; i++) {
            next[i] = scale * next[i] - centre * now[i] - before[i];
            sum[i] += weight * next[i];
        }
        double *oldest = before;
        before = now;
        now = next;
        next = oldest;
    }
    for (int64_t u = 0; u < n; u++)
        memcpy(s->logarithm + u * n + first, sum + u * width, (size_t)width * sizeof *sum);
    netdp_i_free(room);
    return NETDP_OK;
}

/* The series whose other terms are lost in the rounding; INFINITY terms: it is too long for integers. */
static double find_series(series *s, double second, double smallest)
{
    const double high = second + OUTSIDE * (1 - second);
    const double low = smallest - OUTSIDE * (1 - second), half = (high - low) / 2;
    const double z = (1 - (high + low) / 2) / half, away = (1 - high) / half; /* z - 1 */
    s->ratio = 1 / (z + sqrt(away * (z + 1)));
    s->scale = 1 / half;
    s->centre = (high + low) / 2 / half;
    s->constant = -log(half / (2 * s->ratio));
    const double terms = ceil(log(DBL_EPSILON / 4) / log(s->ratio));
    s->terms = terms < 1e9 ? (int64_t)terms : 0;
    return s->terms > 0 ? terms : INFINITY;
}

netdp_status netdp_i_walk_logarithm(netdp_rows rows, double *logarithm, netdp_error *error)
{
    const double n = rows.nodes, entries = (double)rows.start[rows.nodes];
    series s = {.rows = rows, .logarithm = logarithm};
    double second = 1, smallest = -1;
    netdp_error slow;
    if (rows.nodes > STRIP && 2 * entries < n * n &&
        netdp_i_lanczos_ends_of(rows, NULL, &second, &smallest, &slow) == NETDP_OK && second < 1 &&
        find_series(&s, second, smallest) * (2 * entries + PASSES * n) < EIGENVECTORS * n * n)
        return netdp_i_for_each((rows.nodes + STRIP - 1) / STRIP, find_strip, &s, NULL, "columns",
                                error);
    return by_eigenvectors(rows, logarithm, error);
}

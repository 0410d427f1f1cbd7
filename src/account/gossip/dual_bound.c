#include "account/gossip/dual_bound.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "base/fail.h"
#include "base/order.h"
#include "base/pool.h"
#include "base/rounding.h"
#include "base/try.h"

#if defined(__x86_64__) && defined(__ELF__)
#define WIDER NETDP_I_CLONES("avx2", "default")
#else
#define WIDER
#endif

/* Rank of the vector relaxation, and its sweeps: feasibility is restored afterwards in any case. */
enum { RANK = 12, SWEEPS = 60, EXHAUSTIVE = 16 };

/* Four doubles at a time. */
typedef double lanes __attribute__((vector_size(32), aligned(8), may_alias));
enum { VECTORS = RANK / 4 };

/* dsytrd's columns at a time. */
enum { WORK = 32 };

struct netdp_i_dual {
    int32_t size;
    double *copy;     /* [size][size] */
    double *vectors;  /* [size][RANK] */
    double *sums;     /* [size] */
    double *sorted;   /* [size] */
    double *signs;    /* [size] */
    double *diagonal; /* [size]: of the tridiagonal form */
    double *beside;   /* [size] */
    double *scales;   /* [size] */
    double *work;     /* [size][WORK] */
    netdp_i_pool pool;
};

void netdp_i_dual_free(netdp_i_dual *scratch)
{
    if (scratch == NULL)
        return;
    netdp_i_pool_clear(&scratch->pool);
    netdp_i_free(scratch);
}

netdp_status netdp_i_dual_new(int32_t size, netdp_i_dual **scratch, netdp_error *error)
{
    netdp_i_dual *made = NETDP_I_NEW(netdp_i_dual, 1);
    if (made == NULL)
        return netdp_i_no_memory(error);
    netdp_i_pool *pool = &made->pool;
    made->size = size;
    made->copy = NETDP_I_TAKE(pool, double, (int64_t)size *size);
    made->diagonal = NETDP_I_TAKE(pool, double, size);
    made->vectors = NETDP_I_TAKE(pool, double, (int64_t)size *RANK);
    made->sums = NETDP_I_TAKE(pool, double, size);
    made->sorted = NETDP_I_TAKE(pool, double, size);
    made->signs = NETDP_I_TAKE(pool, double, size);
    made->beside = NETDP_I_TAKE(pool, double, size);
    made->scales = NETDP_I_TAKE(pool, double, size);
    made->work = NETDP_I_TAKE(pool, double, (int64_t)size *WORK);
    if (pool->failed) {
        netdp_i_dual_free(made);
        return netdp_i_no_memory(error);
    }
    *scratch = made;
    return NETDP_OK;
}

double netdp_i_sum_largest(double *values, int64_t count, double value, int64_t copies,
                           int64_t most)
{
    double sum = 0;
    if (most < count + copies)
        qsort(values, (size_t)count, sizeof *values, netdp_i_descending);
    for (int64_t i = 0; i < count && most > 0; i++) {
        if (copies > 0 && (value >= values[i] || most >= count + copies)) {
            const int64_t taken = copies < most ? copies : most;
            sum += (double)taken * value;
            most -= taken;
            copies = 0;
        }
        if (most > 0) {
            sum += values[i];
            most--;
        }
    }
    return sum + (double)(copies < most ? copies : most) * value;
}

static double sum_largest(double *values, int32_t count, int32_t most)
{
    return netdp_i_sum_largest(values, count, 0, 0, most);
}

/* c^T M c <= sum over the chosen rows of the sum of their `most` largest entries. */
double netdp_i_dual_abs_sum(netdp_i_dual *scratch, const double *m, int32_t size, int32_t most)
{
    for (int64_t i = 0; i < size; i++) {
        for (int64_t j = 0; j < size; j++)
            scratch->sorted[j] = fabs(m[i * size + j]);
        scratch->sums[i] = sum_largest(scratch->sorted, size, most);
    }
    return sum_largest(scratch->sums, size, most);
}

/*
 * Is x above every eigenvalue of the tridiagonal matrix d, e? All pivots of T - x must be negative;
 * Sturm's count is that of a matrix within a few units in the last place (Kahan 1966).
 */
static bool above_all(const double *d, const double *e, int32_t size, double x)
{
    double pivot = d[0] - x;
    for (int32_t i = 1; i < size && pivot < 0; i++)
        pivot = d[i] - x - e[i - 1] * (e[i - 1] / pivot);
    return pivot < 0;
}

/*
 * The largest eigenvalue of the symmetric `copy`, moved up by its backward error. By bisection: it
 * has no trouble with the clusters of a nearly diagonal M, at which dsyevr gives up.
 */
static netdp_status largest(netdp_i_dual *scratch, int32_t size, double *value, netdp_error *error)
{
    double norm = 0, *d = scratch->diagonal, *e = scratch->beside;
    for (int64_t i = 0; i < size; i++) {
        double row = 0;
        for (int64_t j = 0; j < size; j++)
            row += fabs(scratch->copy[i * size + j]);
        norm = netdp_i_most(norm, row);
    }
    if (LAPACKE_dsytrd_work(LAPACK_COL_MAJOR, 'L', size, scratch->copy, size, d, e, scratch->scales,
                            scratch->work, WORK * size) != 0)
        return netdp_i_no_memory(error);
    const double slack = 1e-15 * size * norm;
    double low = -norm - slack, high = norm + slack;
    while (high - low > DBL_EPSILON * norm) {
        const double middle = low + 0.5 * (high - low);
        if (middle <= low || middle >= high)
            break;
        if (above_all(d, e, size, middle))
            high = middle;
        else
            low = middle;
    }
    *value = high + slack;
    return NETDP_OK;
}

netdp_status netdp_i_dual_spectral(netdp_i_dual *scratch, const double *m, int32_t size,
                                   int32_t most, double *bound, netdp_error *error)
{
    double value = 0;
    memcpy(scratch->copy, m, (size_t)size * (size_t)size * sizeof *m);
    TRY(largest(scratch, size, &value, error));
    *bound = most * fmax(0, value);
    return NETDP_OK;
}

/* g += sum_l weight_l v_l, in an order that does not depend on how wide the machine's vectors are.
 */
WIDER static void combine(const double *weight, const double *v, int64_t size, double *g)
{
    const lanes *x = (const lanes *)v;
    lanes even[VECTORS] = {0}, odd[VECTORS] = {0};
    int64_t l = 0;
    for (; l + 1 < size; l += 2)
        for (int p = 0; p < VECTORS; p++) {
            even[p] += weight[l] * x[l * VECTORS + p];
            odd[p] += weight[l + 1] * x[(l + 1) * VECTORS + p];
        }
    for (int p = 0; l < size && p < VECTORS; p++)
        even[p] += weight[l] * x[l * VECTORS + p];
    lanes *sum = (lanes *)g;
    for (int p = 0; p < VECTORS; p++)
        sum[p] += even[p] + odd[p];
}

/*
 * Unit vectors v_k in turn along g_k = sum_{l != k} M_kl v_l raise sum M_kl v_k v_l; at the end
 * y_k = M_kk + |g_k| makes diag(y) - M nearly positive semidefinite.
 */
static void relax(netdp_i_dual *scratch, const double *m, int32_t size)
{
    uint64_t state = 1;
    double *v = scratch->vectors;
    for (int64_t k = 0; k < size; k++) {
        double norm = 0;
        for (int p = 0; p < RANK; p++) {
            state = state * 6364136223846793005ull + 1442695040888963407ull;
            v[k * RANK + p] = (double)(state >> 11) * 0x1p-53 - 0.5;
            norm += v[k * RANK + p] * v[k * RANK + p];
        }
        for (int p = 0; p < RANK; p++)
            v[k * RANK + p] /= sqrt(norm);
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double moved = 0;
        for (int64_t k = 0; k < size; k++) {
            double g[RANK] = {0}, norm = 0, shift = 0;
            combine(m + k * size, v, k, g);
            combine(m + k * size + k + 1, v + (k + 1) * RANK, size - k - 1, g);
            for (int p = 0; p < RANK; p++)
                norm += g[p] * g[p];
            norm = sqrt(norm);
            scratch->sums[k] = m[k * size + k] + norm;
            for (int p = 0; norm > 0 && p < RANK; p++) {
                const double next = g[p] / norm;
                shift += fabs(next - v[k * RANK + p]);
                v[k * RANK + p] = next;
            }
            moved = fmax(moved, shift);
        }
        if (moved < 1e-9)
            break;
    }
}

netdp_status netdp_i_dual_weights(netdp_i_dual *scratch, const double *m, int32_t size, double *y,
                                  netdp_error *error)
{
    relax(scratch, m, size);
    for (int64_t i = 0; i < size; i++)
        for (int64_t j = 0; j < size; j++)
            scratch->copy[i * size + j] = m[i * size + j] - (i == j ? scratch->sums[i] : 0);
    double missing = 0;
    TRY(largest(scratch, size, &missing, error));
    for (int32_t k = 0; k < size; k++)
        y[k] = scratch->sums[k] + fmax(0, missing);
    return NETDP_OK;
}

netdp_status netdp_i_dual_bound(netdp_i_dual *scratch, const double *m, int32_t size, int32_t most,
                                double *bound, netdp_error *error)
{
    TRY(netdp_i_dual_weights(scratch, m, size, scratch->sorted, error));
    *bound = sum_largest(scratch->sorted, size, most);
    return NETDP_OK;
}

/* Is diag(y) + more - M positive definite, as far as its Cholesky factor says? */
static bool has_factor(netdp_i_dual *scratch, const double *m, int32_t size, const double *y,
                       double more)
{
    const int64_t n = size;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j < n; j++)
            scratch->copy[i * n + j] = (i == j ? y[i] + more : 0) - m[i * n + j];
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', size, scratch->copy, size) == 0;
}

netdp_status netdp_i_dual_diagonal(netdp_i_dual *scratch, const double *m, int32_t size, bool equal,
                                   double *y, netdp_error *error)
{
    const double n = size, u = DBL_EPSILON / 2, lost = 1.01 * (n + 4) * u;
    double value = 0, trace = 0;
    TRY(equal ? netdp_i_dual_spectral(scratch, m, size, 1, &value, error)
              : netdp_i_dual_weights(scratch, m, size, y, error));
    for (int32_t k = 0; k < size; k++) {
        y[k] = equal ? value : y[k];
        trace += y[k];
    }
    for (double part = 1e-13; part < 1e-6; part *= 30) {
        const double more = part * trace / n;
        if (!has_factor(scratch, m, size, y, more))
            continue;
        for (int32_t k = 0; k < size; k++)
            y[k] += more + lost * (trace + n * more);
        return NETDP_OK;
    }
    for (int32_t k = 0; k < size; k++)
        y[k] = INFINITY;
    return NETDP_OK;
}

netdp_status netdp_i_dual_proven(netdp_i_dual *scratch, const double *m, int32_t size, int32_t most,
                                 bool equal, double *bound, netdp_error *error)
{
    TRY(netdp_i_dual_diagonal(scratch, m, size, equal, scratch->sorted, error));
    *bound = sum_largest(scratch->sorted, size, most) *
             (1 + 2.02 * ((double)size + 4) * (DBL_EPSILON / 2));
    return NETDP_OK;
}

static double value_of(const double *m, int32_t size, const double *c, double *image)
{
    cblas_dsymv(CblasColMajor, CblasLower, size, 1, m, size, c, 1, 0, image, 1);
    return cblas_ddot(size, c, 1, image, 1);
}

/* Of a pattern, the `most` entries that matter most; then single flips as long as they help. */
static double improve(netdp_i_dual *scratch, const double *m, int32_t size, int32_t most)
{
    double *c = scratch->signs, *image = scratch->sums;
    double value = value_of(m, size, c, image);
    if (most < size) {
        for (int32_t k = 0; k < size; k++)
            scratch->sorted[k] = c[k] * image[k];
        qsort(scratch->sorted, (size_t)size, sizeof *scratch->sorted, netdp_i_descending);
        const double least = scratch->sorted[most - 1];
        int32_t kept = 0;
        for (int32_t k = 0; k < size; k++)
            if (c[k] * image[k] >= least && kept < most)
                kept++;
            else
                c[k] = 0;
        value = value_of(m, size, c, image);
    }
    for (int pass = 0; pass < 50; pass++) {
        bool flipped = false;
        for (int64_t k = 0; k < size; k++) {
            /* flipping c_k changes the value by -4 c_k (image_k - M_kk c_k) */
            const double gain = -4 * c[k] * (image[k] - m[k * size + k] * c[k]);
            if (gain <= 1e-13 * value || c[k] == 0)
                continue;
            cblas_daxpy(size, -2 * c[k], m + k * size, 1, image, 1);
            c[k] = -c[k];
            flipped = true;
        }
        if (!flipped)
            break;
        value = cblas_ddot(size, c, 1, image, 1);
    }
    return value;
}

static double exhaust(netdp_i_dual *scratch, const double *m, int32_t size)
{
    double best = 0;
    for (uint32_t bits = 0; bits < 1u << (size - 1); bits++) {
        for (int32_t k = 0; k < size; k++)
            scratch->signs[k] = bits >> k & 1 ? -1 : 1;
        best = fmax(best, value_of(m, size, scratch->signs, scratch->sums));
    }
    return best;
}

double netdp_i_dual_lower(netdp_i_dual *scratch, const double *m, int32_t size, int32_t most)
{
    if (size <= EXHAUSTIVE && most == size)
        return exhaust(scratch, m, size);
    double best = 0;
    for (int64_t k = 0; k < size; k++)
        scratch->signs[k] = 1;
    best = improve(scratch, m, size, most);
    for (int64_t k = 0; k < size; k++)
        scratch->signs[k] = k % 2 == 0 ? 1 : -1;
    best = fmax(best, improve(scratch, m, size, most));
    relax(scratch, m, size);
    for (int p = 0; p < RANK; p++) {
        for (int64_t k = 0; k < size; k++)
            scratch->signs[k] = scratch->vectors[k * RANK + p] >= 0 ? 1 : -1;
        best = fmax(best, improve(scratch, m, size, most));
    }
    return best;
}

netdp_i_signs netdp_i_dual_signs(const double *m, int64_t size)
{
    netdp_i_signs signs = {0, 0};
    for (int64_t i = 0; i < size; i++) {
        double even = 0, odd = 0;
        for (int64_t j = 0; j + 1 < size; j += 2) {
            even += m[i * size + j];
            odd += m[i * size + j + 1];
        }
        even += size % 2 == 1 ? m[i * size + size - 1] : 0;
        signs.ones += even + odd;
        signs.alternating += i % 2 == 0 ? even - odd : odd - even;
    }
    return signs;
}

bool netdp_i_dual_attained(netdp_i_signs signs, double absolute)
{
    return absolute - fmax(signs.ones, signs.alternating) <= 1e-12 * absolute;
}

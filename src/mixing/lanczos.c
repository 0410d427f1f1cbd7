/*
 * Both ends of the spectrum of W on the complement of the ones vector: Lanczos with full
 * reorthogonalisation and thick restart (K. Wu and H. Simon, SIAM J. Matrix Anal. Appl. 22, 2000).
 * Every sum is taken by one thread in a fixed order, so results do not depend on their number.
 */
#include "mixing/mixing.h"

#include <math.h>
#include <string.h>

#include <cblas.h>
#include <netdp/random.h>

#include "base/fail.h"
#include "base/memory.h"
#include "mixing/dense.h"

static const double RESIDUAL = 1e-10;

enum {
    MOST_COLUMNS = 120,
    LEAST_COLUMNS = 40,
    MOST_PRODUCTS = 60000, /* with W: the work limit */
    STRIP = 2048,          /* rows that one thread combines at a time */
};

struct lanczos {
    const netdp_mixing *mixing;
    int32_t nodes, columns;
    double *basis;     /* [columns + 1][nodes] */
    double *projected; /* [columns][columns]: W in the basis */
    double *vectors;   /* its eigenvectors, column k at k * size */
    double *values;    /* [columns] */
    double *overlap;   /* [columns] */
    int64_t products;
};

static double *column(const struct lanczos *lanczos, int32_t j)
{
    return lanczos->basis + (int64_t)j * lanczos->nodes;
}

static void remove_ones(int32_t n, double *x)
{
    double mean = 0;
    for (int32_t v = 0; v < n; v++)
        mean += x[v];
    mean /= n;
    for (int32_t v = 0; v < n; v++)
        x[v] -= mean;
}

/* x loses its part along the first `count` columns; what it had is added to overlap. */
static void remove_basis(const struct lanczos *lanczos, int32_t count, double *x, double *overlap)
{
    int32_t n = lanczos->nodes;
    double *part = lanczos->overlap;
#pragma omp parallel if ((double)n * count > 500000)
    {
#pragma omp for schedule(static)
        for (int32_t j = 0; j < count; j++)
            part[j] = cblas_ddot(n, column(lanczos, j), 1, x, 1);
#pragma omp for schedule(static)
        for (int32_t first = 0; first < n; first += STRIP) {
            int32_t rows = n - first < STRIP ? n - first : STRIP;
            for (int32_t j = 0; j < count; j++)
                cblas_daxpy(rows, -part[j], column(lanczos, j) + first, 1, x + first, 1);
        }
    }
    for (int32_t j = 0; j < count; j++)
        overlap[j] += part[j];
}

/*
 * Column j+1 from column j; returns its length before it was normalised, 0: nothing is left.
 * W v_j has parts along v_j, v_{j-1} and, just after a restart (j == kept), all kept columns; the
 * rest is rounding, which a full pass removes. A pass that takes away much is done again (Giraud
 * and Langou: twice is enough).
 */
static double extend(struct lanczos *lanczos, int32_t j, int32_t kept, double previous)
{
    int32_t n = lanczos->nodes, m = lanczos->columns;
    double *next = column(lanczos, j + 1), *here = column(lanczos, j);
    double row[MOST_COLUMNS] = {0};
    netdp_mixing_apply(lanczos->mixing, here, next, 1);
    lanczos->products++;
    remove_ones(n, next);
    if (j > kept) {
        row[j - 1] = previous;
        row[j] = cblas_ddot(n, here, 1, next, 1);
        cblas_daxpy(n, -previous, column(lanczos, j - 1), 1, next, 1);
        cblas_daxpy(n, -row[j], here, 1, next, 1);
    }
    double before, length = cblas_dnrm2(n, next, 1);
    for (int pass = 0; pass < 3; pass++) {
        before = length;
        remove_basis(lanczos, j + 1, next, row);
        remove_ones(n, next);
        length = cblas_dnrm2(n, next, 1);
        if (length > 0.7 * before)
            break;
    }
    for (int32_t i = 0; i <= j; i++)
        lanczos->projected[(int64_t)j * m + i] = lanczos->projected[(int64_t)i * m + j] = row[i];
    if (length < 1e-13)
        return 0;
    cblas_dscal(n, 1 / length, next, 1);
    return length;
}

static void start(struct lanczos *lanczos)
{
    double *first = column(lanczos, 0);
    netdp_stream stream = netdp_stream_at(0, NETDP_FOR_PROBE, 0, 0);
    netdp_stream_normals(&stream, first, (size_t)lanczos->nodes);
    remove_ones(lanczos->nodes, first);
    cblas_dscal(lanczos->nodes, 1 / cblas_dnrm2(lanczos->nodes, first, 1), first, 1);
}

/* Eigenvalues and vectors of the leading `size` block of the projection. */
static netdp_status solve(struct lanczos *lanczos, int32_t size, netdp_error *error)
{
    for (int32_t j = 0; j < size; j++)
        memcpy(lanczos->vectors + (int64_t)j * size,
               lanczos->projected + (int64_t)j * lanczos->columns, (size_t)size * sizeof(double));
    return netdp_i_symmetric_eigen(size, lanczos->vectors, lanczos->values, error);
}

/* The Ritz vectors chosen[0 .. count-1] become the first columns, the residual the next one. */
static void restart(struct lanczos *lanczos, const int32_t *chosen, int32_t count)
{
    int32_t n = lanczos->nodes, m = lanczos->columns;
#pragma omp parallel for schedule(static) if (n > 20000)
    for (int32_t v = 0; v < n; v++) {
        double row[MOST_COLUMNS];
        for (int32_t j = 0; j < m; j++)
            row[j] = lanczos->basis[(int64_t)j * n + v];
        for (int32_t k = 0; k < count; k++) {
            const double *vector = lanczos->vectors + (int64_t)chosen[k] * m;
            double sum = 0;
            for (int32_t j = 0; j < m; j++)
                sum += row[j] * vector[j];
            lanczos->basis[(int64_t)k * n + v] = sum;
        }
    }
    memcpy(column(lanczos, count), column(lanczos, m), (size_t)n * sizeof(double));
    memset(lanczos->projected, 0, (size_t)m * (size_t)m * sizeof(double));
    for (int32_t k = 0; k < count; k++)
        lanczos->projected[(int64_t)k * m + k] = lanczos->values[chosen[k]];
}

static netdp_status iterate(struct lanczos *lanczos, double *second, double *smallest,
                            netdp_error *error)
{
    int32_t m = lanczos->columns, kept = 0, chosen[MOST_COLUMNS];
    start(lanczos);
    for (;;) {
        double length = 1;
        int32_t size = kept;
        for (; size < m && length > 0; size++)
            length = extend(lanczos, size, kept, length);
        netdp_status status = solve(lanczos, size, error);
        if (status != NETDP_OK)
            return status;
        /* || W x - theta x || of a Ritz pair is the length left over times the last component. */
        double low = length * fabs(lanczos->vectors[size - 1]);
        double high = length * fabs(lanczos->vectors[(int64_t)size * size - 1]);
        if (low <= RESIDUAL && high <= RESIDUAL) {
            *second = lanczos->values[size - 1];
            *smallest = lanczos->values[0];
            return NETDP_OK;
        }
        if (lanczos->products > MOST_PRODUCTS)
            return netdp_i_fail(error, NETDP_NO_ANSWER,
                                "Lanczos did not converge in %d products with W (residuals %.1e "
                                "and %.1e); the gap is too small for it, ask for a dense spectrum "
                                "(at most %d nodes)",
                                (int)MOST_PRODUCTS, high, low, NETDP_DENSE_NODES);
        /* The ends with room beside them; an end that is found needs only itself. */
        int32_t below = low <= RESIDUAL ? 2 : m / 4, above = high <= RESIDUAL ? 2 : m / 4;
        kept = 0;
        for (int32_t k = 0; k < below; k++)
            chosen[kept++] = k;
        for (int32_t k = m - above; k < m; k++)
            chosen[kept++] = k;
        restart(lanczos, chosen, kept);
    }
}

netdp_status netdp_i_lanczos_ends(const netdp_mixing *mixing, double *second, double *smallest,
                                  netdp_error *error)
{
    struct lanczos lanczos = {.mixing = mixing, .nodes = mixing->nodes};
    netdp_status status = NETDP_NO_MEMORY;
    /* A basis of at most 1 GB, as long as that leaves enough columns; never more than there are. */
    int64_t n = mixing->nodes, m = (int64_t)(1 << 27) / n;
    m = m > MOST_COLUMNS ? MOST_COLUMNS : m < LEAST_COLUMNS ? LEAST_COLUMNS : m;
    lanczos.columns = (int32_t)m;
    netdp_i_dense_begin();
    lanczos.basis = NETDP_I_NEW(double, (m + 1) * n);
    lanczos.projected = NETDP_I_NEW(double, m *m);
    lanczos.vectors = NETDP_I_NEW(double, m *m);
    lanczos.values = NETDP_I_NEW(double, m);
    lanczos.overlap = NETDP_I_NEW(double, m);
    if (lanczos.basis != NULL && lanczos.projected != NULL && lanczos.vectors != NULL &&
        lanczos.values != NULL && lanczos.overlap != NULL)
        status = iterate(&lanczos, second, smallest, error);
    else
        status = netdp_i_no_memory(error);
    netdp_i_free(lanczos.basis);
    netdp_i_free(lanczos.projected);
    netdp_i_free(lanczos.vectors);
    netdp_i_free(lanczos.values);
    netdp_i_free(lanczos.overlap);
    return status;
}

/*
 * With G what one phase tells under fresh noise of covariance D over nodes, D^1/2 G D^1/2 = V h V',
 * w_j(u) = (V' D^-1/2)_ju^2, and Q the noise's covariance over phases,
 *
 *     M_u = sum_j w_j(u) h_j ((1 - h_j) I + h_j Q)^-1,     0 <= h_j <= 1
 *
 * and the loss of contributions c is c' M_u c. M_u grows with every h_j and w_j and falls with Q: all are
 * moved outward by what rounding has taken, which is measured (docs/proofs/quiet.md, "Rounding"): how far eigenvectors are from
 * orthogonal, and what they leave of their matrix. The worst c of a class is bounded from above.
 */
#include "account/gossip/quiet.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "account/gossip/dual_bound.h"
#include "base/fail.h"
#include "base/pool.h"
#include "base/rounding.h"
#include "base/try.h"
#include "mixing/dense.h"

/* For products and sums of a few numbers. */
#define ROUND_UP (1 + 1e-14)

/* The norm of a symmetric matrix [n][n] of which the lower triangle of the columns stands: its largest sum of a row. */
static double norm_of(const double *m, int64_t n)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++)
            sum += fabs(i >= j ? m[j * n + i] : m[i * n + j]);
        most = netdp_i_most(most, sum);
    }
    return most * (1 + netdp_i_gamma((double)n + 4));
}

/* How far computed eigenvectors are from orthogonal ones, and those, with the values, from their matrix; norms. */
typedef struct defects {
    double orthogonal, matrix;
} defects;

/* `matrix`: what was decomposed, its lower triangle; it is overwritten. vector: column j, of value[j]. */
static netdp_status measure(double *matrix, const double *vector, const double *value, int32_t n,
                            defects *found, netdp_error *error)
{
    const int64_t square = (int64_t)n * n;
    OWNED double *work = NETDP_I_NEW(double, square);
    if (work == NULL)
        return netdp_i_no_memory(error);
    const double size = netdp_i_squares(vector, square), rounds = netdp_i_gamma(n + 4) * size;
    double most = 0;
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, n, n, 1, vector, n, 0, work, n);
    for (int64_t j = 0; j < n; j++)
        work[j * n + j] -= 1;
    found->orthogonal = (norm_of(work, n) + rounds + DBL_EPSILON) * ROUND_UP;
    for (int64_t j = 0; j < n; j++) {
        most = netdp_i_most(most, fabs(value[j]));
        for (int64_t i = 0; i < n; i++)
            work[j * n + i] = vector[j * n + i] * value[j];
    }
    const double before = norm_of(matrix, n);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, n, n, -1, work, n, vector, n, 1, matrix,
                n);
    /* V is nearly orthogonal P: |V - P| <= |V'V - 1|, and V value V' as near to P value P'. */
    const double off = fmin(found->orthogonal, 1);
    found->matrix = (norm_of(matrix, n) + netdp_i_gamma(n + 5) * (size * most + before) +
                     off * (2 + off) * most) *
                    ROUND_UP;
    return NETDP_OK;
}

struct netdp_i_quiet {
    int32_t phases, cycle, most; /* most: phases of a class */
    double *value;               /* [phases]: eigenvalues of Q, from below */
    double *vector;              /* [phases][phases]: column j is the j-th eigenvector, nearly */
    double orthogonal;           /* as in defects */
    double local;
    netdp_i_pool pool;
};

/* Scratch of one thread. */
typedef struct worst {
    const netdp_i_quiet *quiet;
    netdp_i_dual *quadratic;
    double *rows, *scaled; /* [phases][most]: a class's rows of the eigenvectors */
    double *block;         /* [most][most]: a class's part of M */
    netdp_i_pool pool;
} worst;

static void worst_clear(worst *w)
{
    netdp_i_dual_free(w->quadratic);
    netdp_i_pool_clear(&w->pool);
}

static netdp_status worst_new(const netdp_i_quiet *quiet, worst *w, netdp_error *error)
{
    const int64_t n = quiet->phases, most = quiet->most;
    w->quiet = quiet;
    w->rows = NETDP_I_TAKE(&w->pool, double, n *most);
    w->scaled = NETDP_I_TAKE(&w->pool, double, n *most);
    w->block = NETDP_I_TAKE(&w->pool, double, most *most);
    TRY(netdp_i_pool_made(&w->pool, error));
    return netdp_i_dual_new(quiet->most, &w->quadratic, error);
}

/* The least of the bounds of one class's block [size][size]. */
static netdp_status bound_block(worst *w, int32_t size, double *bound, netdp_error *error)
{
    const double absolute = netdp_i_dual_abs_sum(w->quadratic, w->block, size, size) *
                            (1 + netdp_i_gamma((double)size * size + 4));
    double spectral = absolute, dual = absolute;
    *bound = absolute;
    if (netdp_i_dual_attained(netdp_i_dual_signs(w->block, size), absolute))
        return NETDP_OK;
    TRY(netdp_i_dual_proven(w->quadratic, w->block, size, size, true, &spectral, error));
    TRY(netdp_i_dual_proven(w->quadratic, w->block, size, size, false, &dual, error));
    *bound = fmin(absolute, fmin(spectral, dual));
    return NETDP_OK;
}

/*
 * The worst pattern of any class for M <= P diag(value) P', P the orthogonal matrix that Q's eigenvectors nearly are. What that
 * and the products take of M is added to its diagonal.
 */
static netdp_status worst_pattern(worst *w, const double *value, double *loss, netdp_error *error)
{
    const netdp_i_quiet *q = w->quiet;
    const int64_t n = q->phases;
    double most = 0;
    *loss = 0;
    for (int64_t j = 0; j < n; j++) {
        if (!(value[j] <= DBL_MAX)) {
            *loss = INFINITY;
            return NETDP_OK;
        }
        most = fmax(most, value[j]);
    }
    const double off = q->orthogonal;
    const double taken =
        most * (off * (2 + off) + netdp_i_gamma((double)n + 5) * (double)n * (1 + off)) * ROUND_UP;
    for (int64_t first = 0; first < q->cycle && first < n; first++) {
        const int32_t size = (int32_t)((n - 1 - first) / q->cycle + 1);
        double bound = 0;
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < size; i++) {
                const double entry = q->vector[j * n + first + i * q->cycle];
                w->rows[j * size + i] = entry;
                w->scaled[j * size + i] = entry * value[j];
            }
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, size, size, (int)n, 1, w->rows, size,
                    w->scaled, size, 0, w->block, size);
        for (int64_t i = 0; i < size; i++) {
            w->block[i * size + i] = (w->block[i * size + i] + taken) * ROUND_UP;
            for (int64_t j = 0; j < i; j++)
                w->block[i * size + j] = w->block[j * size + i];
        }
        TRY(bound_block(w, size, &bound, error));
        *loss = netdp_i_most(*loss, bound);
    }
    return NETDP_OK;
}

void netdp_i_quiet_free(netdp_i_quiet *quiet)
{
    if (quiet == NULL)
        return;
    netdp_i_pool_clear(&quiet->pool);
    netdp_i_free(quiet);
}

OWNER(netdp_i_quiet_free, netdp_i_quiet)

double netdp_i_quiet_local(const netdp_i_quiet *quiet)
{
    return quiet->local;
}

/* Q = C C' and its eigenvalues, moved down by what forming and solving it has taken. */
static netdp_status decompose(netdp_i_quiet *q, const double *factor, netdp_error *error)
{
    const int n = q->phases;
    OWNED double *matrix = NETDP_I_NEW(double, (int64_t)n *n);
    defects found = {0};
    if (matrix == NULL)
        return netdp_i_no_memory(error);
    /* C row by row is C' column by column. */
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, n, n, 1, factor, n, 0, q->vector, n);
    memcpy(matrix, q->vector, (size_t)n * (size_t)n * sizeof *matrix);
    TRY(netdp_i_symmetric_eigen(n, q->vector, q->value, error));
    TRY(measure(matrix, q->vector, q->value, n, &found, error));
    const double formed = netdp_i_gamma(n + 4) * netdp_i_squares(factor, (int64_t)n * n);
    q->orthogonal = found.orthogonal;
    for (int32_t p = 0; p < n; p++)
        q->value[p] -= (found.matrix + formed) * ROUND_UP + DBL_EPSILON * fabs(q->value[p]);
    return q->value[0] > 0 && found.orthogonal < 0.1
               ? NETDP_OK
               : netdp_i_fail(error, NETDP_INVALID,
                              "quiet: the covariance over phases is singular up to rounding; "
                              "nothing would be hidden");
}

netdp_status netdp_i_quiet_new(const netdp_quiet *noise, int64_t cycle, netdp_i_quiet **quiet,
                               netdp_error *error)
{
    const int64_t n = noise->phases, every = cycle > 1 ? cycle : 1;
    if (n > NETDP_DENSE_NODES)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "quiet: %lld phases; the account takes at most %d", (long long)n,
                            NETDP_DENSE_NODES);
    netdp_i_dense_begin();
    CLEARED(worst_clear) worst w = {0};
    OWNED_BY(netdp_i_quiet_free) netdp_i_quiet *made = NETDP_I_NEW(netdp_i_quiet, 1);
    OWNED double *inverse = NETDP_I_NEW(double, n);
    if (made == NULL || inverse == NULL)
        return netdp_i_no_memory(error);
    made->phases = (int32_t)n;
    made->cycle = (int32_t)(every < n ? every : n);
    made->most = (int32_t)((n - 1) / every + 1);
    made->value = NETDP_I_TAKE(&made->pool, double, n);
    made->vector = NETDP_I_TAKE(&made->pool, double, n *n);
    TRY(netdp_i_pool_made(&made->pool, error));
    TRY(decompose(made, noise->factor, error));
    for (int64_t p = 0; p < n; p++)
        inverse[p] = 1 / made->value[p] * ROUND_UP;
    TRY(worst_new(made, &w, error));
    TRY(worst_pattern(&w, inverse, &made->local, error));
    *quiet = GIVE(made);
    return NETDP_OK;
}

/* What is told of all nodes: weights w_j(u) at [j][u], and h, from above; Q falls by `fall`. */
typedef struct told_of {
    double *h, *weight;
    double fall;
    bool none; /* rounding leaves nothing of it */
} told_of;

/* The norm of D, at most, and D = S S' but for so much of itself; S in its place. */
static bool factor_noise(double *noise, int32_t count, double *norm, double *off,
                         netdp_error *error, netdp_status *status)
{
    const int64_t n = count;
    OWNED double *copy = NETDP_I_NEW(double, n *n);
    *status = copy == NULL ? netdp_i_no_memory(error) : NETDP_OK;
    if (copy == NULL)
        return false;
    memcpy(copy, noise, (size_t)(n * n) * sizeof *copy);
    *norm = norm_of(copy, n);
    const bool made = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', count, noise, count) == 0;
    for (int64_t j = 1; j < n; j++) /* above the diagonal */
        memset(noise + j * n, 0, (size_t)j * sizeof *noise);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, count, count, -1, noise, count, 1, copy,
                count);
    /* D is at least 1, and its entries are sums of up to 2 n squares of kappa. */
    const double taken = norm_of(copy, n) + netdp_i_gamma(2.0 * (double)n + 4) * *norm +
                         netdp_i_gamma((double)n + 5) * (netdp_i_squares(noise, n * n) + *norm);
    *off = made && taken < 0.1 ? taken / (1 - taken) * ROUND_UP : INFINITY;
    return *off < 0.1;
}

/* weight [j][u] <- S^-T V, and how far any of them is off. */
static double turn_back(const double *lower, double *weight, const double *vector, int32_t count,
                        double *work)
{
    const int64_t square = (int64_t)count * count;
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, count, count, 1,
                lower, count, weight, count);
    memcpy(work, weight, (size_t)square * sizeof *work);
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, count, count, 1,
                lower, count, work, count);
    for (int64_t i = 0; i < square; i++)
        work[i] -= vector[i];
    return sqrt(netdp_i_squares(work, square)) +
           netdp_i_gamma(count + 4) *
               sqrt(netdp_i_squares(lower, square) * netdp_i_squares(weight, square));
}

/* The spectrum of S' (gram + floor) S: S S' = D, or 1 where there are no pairs. */
static netdp_status spectrum(const netdp_i_told *told, double *work, told_of *t, netdp_error *error)
{
    const int32_t count = told->count;
    const int64_t n = count, square = n * n;
    double *gram = told->gram, norm = 1, off = 0, taken = told->floor;
    defects found = {0};
    netdp_status status = NETDP_OK;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < j; i++)
            gram[j * n + i] = gram[i * n + j];
    if (told->noise != NULL) {
        t->none = !factor_noise(told->noise, count, &norm, &off, error, &status);
        if (status != NETDP_OK || t->none)
            return status;
        const double size = norm_of(gram, n), sides = netdp_i_squares(told->noise, square);
        cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, count, count, 1,
                    told->noise, count, gram, count);
        cblas_dtrmm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, count, count,
                    1, told->noise, count, gram, count);
        taken = (told->floor * norm * (1 + off) +
                 3 * netdp_i_gamma((double)n + 4) * sides * size * sqrt((double)n)) *
                ROUND_UP;
    }
    memcpy(work, gram, (size_t)square * sizeof *work);
    TRY(netdp_i_symmetric_eigen(count, gram, t->h, error));
    TRY(measure(work, gram, t->h, count, &found, error));
    memcpy(t->weight, gram, (size_t)square * sizeof *gram);
    double astray = found.orthogonal;
    if (told->noise != NULL)
        astray = (astray + turn_back(told->noise, t->weight, gram, count, work)) * (1 + off);
    for (int64_t j = 0; j < n; j++)
        t->h[j] = netdp_i_most(0, (t->h[j] + found.matrix + taken) * ROUND_UP);
    for (int64_t i = 0; i < square; i++)
        t->weight[i] = pow(fabs(t->weight[i]) + astray, 2) * ROUND_UP;
    t->fall = off;
    t->none = !(found.orthogonal < 0.1);
    return NETDP_OK;
}

/* part[p][j] = h / (1 - h + h q), from above; of a direction that rounding leaves nothing of INFINITY. */
static void fill_parts(const netdp_i_quiet *quiet, const told_of *t, int64_t n, double *part)
{
    double most = 1;
    for (int64_t p = 0; p < quiet->phases; p++)
        most = fmax(most, quiet->value[p]);
    for (int64_t p = 0; p < quiet->phases; p++)
        for (int64_t j = 0; j < n; j++) {
            const double h = t->h[j], q = quiet->value[p] - t->fall * most * ROUND_UP;
            const double rest = 1 - h + h * q - 4 * DBL_EPSILON * (1 + h + h * fabs(q));
            part[p * n + j] = rest > 0 ? h / rest * ROUND_UP : INFINITY;
        }
}

netdp_status netdp_i_quiet_loss(const netdp_i_quiet *quiet, const netdp_i_told *told,
                                const int32_t *which, int32_t count, double *loss,
                                netdp_error *error)
{
    const int64_t n = told->count, phases = quiet->phases;
    CLEARED(worst_clear) worst w = {0};
    TRY(worst_new(quiet, &w, error));
    told_of t = {.h = NETDP_I_TAKE(&w.pool, double, n),
                 .weight = NETDP_I_TAKE(&w.pool, double, n *n)};
    double *work = NETDP_I_TAKE(&w.pool, double, n *n);
    double *part = NETDP_I_TAKE(&w.pool, double, n *phases);
    double *value = NETDP_I_TAKE(&w.pool, double, phases);
    TRY(netdp_i_pool_made(&w.pool, error));
    TRY(spectrum(told, work, &t, error));
    fill_parts(quiet, &t, n, part);
    for (int32_t i = 0; i < count; i++) {
        for (int64_t p = 0; p < phases; p++) {
            value[p] = 0;
            for (int64_t j = 0; j < n; j++)
                value[p] += part[p * n + j] * t.weight[j * n + which[i]];
            value[p] *= (1 + netdp_i_gamma((double)n + 4)) * ROUND_UP;
        }
        loss[i] = INFINITY;
        if (!t.none)
            TRY(worst_pattern(&w, value, &loss[i], error));
    }
    return NETDP_OK;
}

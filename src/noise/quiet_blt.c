/*
 * Q^-1 = D N E'E N D, E lower triangular and Toeplitz: 1, then e_j = sum_i w_i d_i^(j-1) (buffered linear
 * Toeplitz matrices, Dvijotham, McMahan, Pillutla, Steinke, Thakurta 2024); N = S^-1, S the square root
 * of E'E between phases of one class and 0 elsewhere: what the phases of a class tell adds up, whatever
 * their signs. First E, as if each row took part once: with l the first column of E^-1 the error is
 *
 *     tr(G E^-1 E^-T) = l' H l,      H_ab = sum_s G_{a+s, b+s}
 *
 * so that value and gradient cost a few squares of the phases; then S; then D, a number for each phase.
 * Why this E: where all is periodic, that is Toeplitz with no ends, the least error has Q^-1 = root of G
 * with classes made orthogonal like this, for any cycle.
 */
#include <cblas.h>
#include <lapacke.h>
#include <lbfgs.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "noise/quiet.h"

enum { MOST = 8 };

typedef struct problem {
    int64_t n, cycle;
    int32_t size;
    double *square;                                   /* [n][n]: H, then P of the scales */
    double *e, *inverse, *image, *twice, *slope, *at; /* [n] each */
} problem;

/* Parameters x: log w_i / (1 - d_i) and logit d_i. */
static void read_parameters(int32_t size, const double *x, double *w, double *d)
{
    for (int32_t i = 0; i < size; i++) {
        d[i] = 1 / (1 + exp(-x[size + i]));
        w[i] = exp(x[i]) * (1 - d[i]);
    }
}

static void fill_column(const problem *p, const double *w, const double *d)
{
    double power[MOST];
    memcpy(power, w, (size_t)p->size * sizeof *power);
    memset(p->e, 0, (size_t)p->n * sizeof *p->e);
    p->e[0] = 1;
    for (int64_t j = 1; j < p->n; j++)
        for (int32_t i = 0; i < p->size; i++) {
            p->e[j] += power[i];
            power[i] *= d[i];
        }
}

/* The first column of the inverse, whose products with E are those of I. */
static void invert(const problem *p)
{
    p->inverse[0] = 1;
    for (int64_t t = 1; t < p->n; t++) {
        double sum = 0;
        for (int64_t j = 1; j <= t; j++)
            sum += p->e[j] * p->inverse[t - j];
        p->inverse[t] = -sum;
    }
}

/* log of the error times what the first phase tells, and its gradient by way of e. */
static lbfgsfloatval_t evaluate(void *instance, const lbfgsfloatval_t *x, lbfgsfloatval_t *g,
                                const int size, const lbfgsfloatval_t step)
{
    (void)size, (void)step;
    const problem *p = instance;
    const int64_t n = p->n;
    double w[MOST], d[MOST];
    read_parameters(p->size, x, w, d);
    fill_column(p, w, d);
    invert(p);
    cblas_dsymv(CblasColMajor, CblasLower, (int)n, 1, p->square, (int)n, p->inverse, 1, 0, p->image,
                1);
    const double error = cblas_ddot((int)n, p->inverse, 1, p->image, 1);
    const double told = cblas_ddot((int)n, p->e, 1, p->e, 1);
    if (!(error > 0) || !isfinite(error) || !isfinite(told))
        return INFINITY;
    for (int64_t t = 0; t < n; t++) { /* the column of E^-2 */
        double sum = 0;
        for (int64_t j = 0; j <= t; j++)
            sum += p->inverse[j] * p->inverse[t - j];
        p->twice[t] = sum;
    }
    for (int64_t j = 0; j < p->n; j++) {
        double sum = 0;
        for (int64_t t = j; t < n; t++)
            sum += p->image[t] * p->twice[t - j];
        p->slope[j] = -2 * sum / error + 2 * p->e[j] / told;
    }
    for (int32_t i = 0; i < p->size; i++) {
        /* e_j = w d^(j-1): in log w it is itself, in d it is (j-1) w d^(j-2). */
        double power = w[i], along = 0, steeper = 0;
        for (int64_t j = 1; j < p->n; j++) {
            along += p->slope[j] * power;
            steeper += p->slope[j] * (double)(j - 1) * power / d[i];
            power *= d[i];
        }
        g[i] = along;
        g[p->size + i] = d[i] * (1 - d[i]) * (steeper - along / (1 - d[i]));
    }
    return log(error) + log(told);
}

/* The scales at y = log d: each class tells 1. weight [n]: its part in that; at: 1 / d. */
static void read_scales(const problem *p, const double *y, double *weight, double *at)
{
    for (int64_t first = 0; first < p->cycle && first < p->n; first++) {
        double sum = 0;
        for (int64_t i = first; i < p->n; i += p->cycle) {
            weight[i] = exp(2 * y[i]);
            sum += weight[i];
        }
        for (int64_t i = first; i < p->n; i += p->cycle) {
            at[i] = sqrt(sum) * exp(-y[i]);
            weight[i] /= sum;
        }
    }
}

/* log of v' P v, v = 1 / d, P_pq = G_pq (S E^-1 E^-T S)_pq. */
static lbfgsfloatval_t evaluate_scales(void *instance, const lbfgsfloatval_t *y, lbfgsfloatval_t *g,
                                       const int size, const lbfgsfloatval_t step)
{
    (void)size, (void)step;
    const problem *p = instance;
    const int64_t n = p->n;
    double *weight = p->slope, *v = p->at;
    read_scales(p, y, weight, v);
    cblas_dsymv(CblasColMajor, CblasLower, (int)n, 1, p->square, (int)n, v, 1, 0, p->image, 1);
    const double value = cblas_ddot((int)n, v, 1, p->image, 1);
    if (!(value > 0) || !isfinite(value))
        return INFINITY;
    for (int64_t first = 0; first < p->cycle && first < n; first++) {
        double sum = 0;
        for (int64_t i = first; i < n; i += p->cycle)
            sum += v[i] * p->image[i];
        for (int64_t i = first; i < n; i += p->cycle)
            g[i] = 2 * (sum * weight[i] - v[i] * p->image[i]) / value;
    }
    return log(value);
}

/* H: sums of G along the diagonals, from their ends. */
static void sum_diagonals(const double *gram, int64_t n, double *h)
{
    memcpy(h, gram, (size_t)(n * n) * sizeof *h);
    for (int64_t a = n - 2; a >= 0; a--)
        for (int64_t b = 0; b < n - 1; b++)
            h[a * n + b] += h[(a + 1) * n + b + 1];
}

/* E^-1 E^-T, by its diagonals. */
static void fill_products(const problem *p)
{
    const int64_t n = p->n;
    const double *l = p->inverse;
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = 0; b < n; b++)
            p->square[a * n + b] =
                l[a] * l[b] + (a > 0 && b > 0 ? p->square[(a - 1) * n + b - 1] : 0);
}

/* root [k][k]: S between the k phases first, first + cycle, ...; work [k][k], value [k]. */
static bool find_root(const problem *p, int64_t first, int64_t k, double *root, double *work,
                      double *value)
{
    /* (E'E)_pq = sum_j e_j e_{j+p-q} over the j that end before the last phase, from the last q on. */
    for (int64_t lag = 0; lag < k; lag++) {
        double sum = 0;
        int64_t j = 0;
        for (int64_t i = k - 1; i >= lag; i--) {
            for (; j < p->n - first - i * p->cycle; j++)
                sum += p->e[j] * p->e[j + lag * p->cycle];
            work[i * k + i - lag] = sum;
        }
    }
    if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', (int)k, work, (int)k, value) != 0 ||
        !(value[0] > 0))
        return false;
    for (int64_t i = 0; i < k; i++)
        cblas_dscal((int)k, sqrt(sqrt(value[i])), work + i * k, 1);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)k, (int)k, (int)k, 1, work, (int)k,
                work, (int)k, 0, root, (int)k);
    return true;
}

/* square <- S square S: lines of a class are mixed, rows and then columns. */
static netdp_status normalize(const problem *p, netdp_error *error)
{
    const int64_t n = p->n, most = (n - 1) / p->cycle + 1;
    OWNED double *root = NETDP_I_NEW(double, most *most);
    OWNED double *work = NETDP_I_NEW(double, most *most);
    OWNED double *value = NETDP_I_NEW(double, most);
    OWNED double *from = NETDP_I_NEW(double, most *n);
    OWNED double *to = NETDP_I_NEW(double, most *n);
    if (root == NULL || work == NULL || value == NULL || from == NULL || to == NULL)
        return netdp_i_no_memory(error);
    for (int64_t first = 0; first < p->cycle && first < n; first++) {
        const int64_t k = (n - 1 - first) / p->cycle + 1;
        if (!find_root(p, first, k, root, work, value))
            return netdp_i_no_digits(error);
        for (int side = 0; side < 2; side++) {
            const int64_t line = side == 0 ? n : 1, along = side == 0 ? 1 : n;
            for (int64_t i = 0; i < k; i++)
                cblas_dcopy((int)n, p->square + (first + i * p->cycle) * line, (int)along,
                            from + i * n, 1);
            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)k, (int)k, 1, from,
                        (int)n, root, (int)k, 0, to, (int)n);
            for (int64_t i = 0; i < k; i++)
                cblas_dcopy((int)n, to + i * n, 1, p->square + (first + i * p->cycle) * line,
                            (int)along);
        }
    }
    return NETDP_OK;
}

static void clear(problem *p)
{
    double *const all[] = {p->square, p->e, p->inverse, p->image, p->twice, p->slope, p->at};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        netdp_i_free(all[i]);
}

/* Half-lives from one phase to all, evenly in their logarithms. */
static netdp_status fit_exponentials(problem *p, netdp_quiet_design *design, netdp_error *error)
{
    const int32_t m = p->size;
    double x[2 * MOST];
    lbfgs_parameter_t how;
    lbfgs_parameter_init(&how);
    how.epsilon = 1e-6;
    how.past = 5;
    how.delta = 1e-6;
    how.linesearch = LBFGS_LINESEARCH_BACKTRACKING_WOLFE;
    how.max_iterations = 300;
    for (int32_t i = 0; i < m; i++) {
        x[i] = log(0.5 / m);
        x[m + i] = log(2 * pow((double)p->n, (i + 0.5) / m));
    }
    const int code = lbfgs(2 * m, x, NULL, evaluate, NULL, p, &how);
    if (code == LBFGSERR_OUTOFMEMORY)
        return netdp_i_quiet_failed(code, error);
    read_parameters(m, x, design->weight, design->decay);
    fill_column(p, design->weight, design->decay);
    invert(p);
    return NETDP_OK;
}

static netdp_status fit_scales(problem *p, netdp_quiet_design *design, netdp_error *error)
{
    const double most = (double)((p->n - 1) / p->cycle + 1);
    lbfgsfloatval_t *y = lbfgs_malloc((int)p->n);
    double value = 0;
    lbfgs_parameter_t how;
    if (y == NULL)
        return netdp_i_no_memory(error);
    lbfgs_parameter_init(&how);
    how.m = 15;
    how.epsilon = 1e-7;
    how.past = 5;
    how.delta = 1e-6;
    how.linesearch = LBFGS_LINESEARCH_BACKTRACKING_WOLFE;
    how.max_iterations = 200;
    memset(y, 0, (size_t)p->n * sizeof *y);
    const int code = lbfgs((int)p->n, y, &value, evaluate_scales, NULL, p, &how);
    value = evaluate_scales(p, y, design->scale, 0, 0);
    for (int64_t i = 0; i < p->n; i++)
        design->scale[i] = sqrt(most) / p->at[i];
    design->error = exp(value);
    lbfgs_free(y);
    return code == LBFGSERR_OUTOFMEMORY || !isfinite(value) ? netdp_i_quiet_failed(code, error)
                                                            : NETDP_OK;
}

netdp_status netdp_i_quiet_blt(int64_t phases, int64_t cycle, const double *gram,
                               netdp_quiet_design *design, netdp_error *error)
{
    const int64_t n = phases;
    CLEARED(clear)
    problem p = {.n = n,
                 .cycle = cycle,
                 .size = design->size,
                 .square = NETDP_I_NEW(double, n *n),
                 .e = NETDP_I_NEW(double, n),
                 .inverse = NETDP_I_NEW(double, n),
                 .image = NETDP_I_NEW(double, n),
                 .twice = NETDP_I_NEW(double, n),
                 .slope = NETDP_I_NEW(double, n),
                 .at = NETDP_I_NEW(double, n)};
    if (p.square == NULL || p.e == NULL || p.inverse == NULL || p.image == NULL ||
        p.twice == NULL || p.slope == NULL || p.at == NULL)
        return netdp_i_no_memory(error);
    sum_diagonals(gram, n, p.square);
    TRY(fit_exponentials(&p, design, error));
    fill_products(&p);
    TRY(normalize(&p, error));
    if (design->factor != NULL)
        memcpy(design->factor, p.square, (size_t)(n * n) * sizeof *design->factor);
    for (int64_t i = 0; i < n * n; i++)
        p.square[i] *= gram[i];
    TRY(fit_scales(&p, design, error));
    for (int64_t i = 0; design->factor != NULL && i < n; i++)
        for (int64_t j = 0; j < n; j++)
            design->factor[i * n + j] /= design->scale[i] * design->scale[j];
    return NETDP_OK;
}

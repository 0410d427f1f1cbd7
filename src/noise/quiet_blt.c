/*
 * Q^-1 = D E'E D, E lower triangular and Toeplitz: 1, then e_j = sum_i w_i d_i^(j-1) up to the end of a
 * cycle and 0 beyond (buffered linear Toeplitz matrices, Dvijotham, McMahan, Pillutla, Steinke,
 * Thakurta 2024, in a window): phases of one class have no products, and what a class tells is its
 * sum of squared columns. First E, for D = I: with l the first column of E^-1 the error is
 *
 *     tr(G E^-1 E^-T) = l' H l,      H_ab = sum_s G_{a+s, b+s}
 *
 * so that value and gradient cost a few squares of the phases; then D, a number for each phase.
 */
#include <cblas.h>
#include <lbfgs.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "noise/quiet.h"

enum { MOST = 8 };

typedef struct problem {
    int64_t n, cycle, window; /* window: diagonals of E */
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
    for (int64_t j = 1; j < p->window; j++)
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
        for (int64_t j = 1; j <= t && j < p->window; j++)
            sum += p->e[j] * p->inverse[t - j];
        p->inverse[t] = -sum;
    }
}

/* Phases of the first class whose columns reach as far as e_j. */
static double reaching(const problem *p, int64_t j)
{
    return (double)((p->n - 1 - j) / p->cycle + 1);
}

/* log of the error times what the first class tells, and its gradient by way of e. */
static lbfgsfloatval_t evaluate(void *instance, const lbfgsfloatval_t *x, lbfgsfloatval_t *g,
                                const int size, const lbfgsfloatval_t step)
{
    (void)size, (void)step;
    const problem *p = instance;
    const int64_t n = p->n;
    double w[MOST], d[MOST], told = 0;
    read_parameters(p->size, x, w, d);
    fill_column(p, w, d);
    invert(p);
    cblas_dsymv(CblasColMajor, CblasLower, (int)n, 1, p->square, (int)n, p->inverse, 1, 0, p->image,
                1);
    const double error = cblas_ddot((int)n, p->inverse, 1, p->image, 1);
    for (int64_t j = 0; j < p->window; j++)
        told += reaching(p, j) * p->e[j] * p->e[j];
    if (!(error > 0) || !isfinite(error) || !isfinite(told))
        return INFINITY;
    for (int64_t t = 0; t < n; t++) { /* the column of E^-2 */
        double sum = 0;
        for (int64_t j = 0; j <= t; j++)
            sum += p->inverse[j] * p->inverse[t - j];
        p->twice[t] = sum;
    }
    for (int64_t j = 0; j < p->window; j++) {
        double sum = 0;
        for (int64_t t = j; t < n; t++)
            sum += p->image[t] * p->twice[t - j];
        p->slope[j] = -2 * sum / error + 2 * reaching(p, j) * p->e[j] / told;
    }
    for (int32_t i = 0; i < p->size; i++) {
        /* e_j = w d^(j-1): in log w it is itself, in d it is (j-1) w d^(j-2). */
        double power = w[i], along = 0, steeper = 0;
        for (int64_t j = 1; j < p->window; j++) {
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
    double *length = p->twice; /* squared, of the columns that have so many entries */
    length[0] = 0;
    for (int64_t j = 0; j + 1 < p->n; j++)
        length[j + 1] = length[j] + p->e[j] * p->e[j];
    const double all = length[p->n - 1] + p->e[p->n - 1] * p->e[p->n - 1];
    for (int64_t first = 0; first < p->cycle && first < p->n; first++) {
        double sum = 0;
        for (int64_t i = first; i < p->n; i += p->cycle) {
            weight[i] = exp(2 * y[i]) * (i == 0 ? all : length[p->n - i]);
            sum += weight[i];
        }
        for (int64_t i = first; i < p->n; i += p->cycle) {
            at[i] = sqrt(sum) * exp(-y[i]);
            weight[i] /= sum;
        }
    }
}

/* log of v' P v, v = 1 / d, P_pq = G_pq (E^-1 E^-T)_pq. */
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

/* P: E^-1 E^-T, by its diagonals, times G entry by entry. */
static void fill_products(const problem *p, const double *gram)
{
    const int64_t n = p->n;
    const double *l = p->inverse;
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = 0; b < n; b++)
            p->square[a * n + b] =
                l[a] * l[b] + (a > 0 && b > 0 ? p->square[(a - 1) * n + b - 1] : 0);
    for (int64_t i = 0; i < n * n; i++)
        p->square[i] *= gram[i];
}

static void clear(problem *p)
{
    double *const all[] = {p->square, p->e, p->inverse, p->image, p->twice, p->slope, p->at};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        netdp_i_free(all[i]);
}

/* Half-lives from one phase to a cycle, evenly in their logarithms. */
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
        x[m + i] = log(2 * pow((double)p->window, (i + 0.5) / m));
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
    const double most = reaching(p, 0);
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
                               netdp_quiet_design *design, double *inverse, netdp_error *error)
{
    const int64_t n = phases;
    problem p = {.n = n,
                 .cycle = cycle,
                 .window = cycle < n ? cycle : n,
                 .size = design->size,
                 .square = NETDP_I_NEW(double, n *n),
                 .e = NETDP_I_NEW(double, n),
                 .inverse = NETDP_I_NEW(double, n),
                 .image = NETDP_I_NEW(double, n),
                 .twice = NETDP_I_NEW(double, n),
                 .slope = NETDP_I_NEW(double, n),
                 .at = NETDP_I_NEW(double, n)};
    netdp_status status = p.square == NULL || p.e == NULL || p.inverse == NULL || p.image == NULL ||
                                  p.twice == NULL || p.slope == NULL || p.at == NULL
                              ? netdp_i_no_memory(error)
                              : NETDP_OK;
    if (status == NETDP_OK) {
        sum_diagonals(gram, n, p.square);
        status = fit_exponentials(&p, design, error);
    }
    if (status == NETDP_OK) {
        fill_products(&p, gram);
        status = fit_scales(&p, design, error);
        memcpy(inverse, p.inverse, (size_t)n * sizeof *inverse);
    }
    clear(&p);
    return status;
}

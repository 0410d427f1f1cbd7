/*
 * E lower triangular and Toeplitz: 1, then e_j = sum_i w_i d_i^(j-1), all of them 0 or more (a buffered
 * linear Toeplitz matrix, Dvijotham, McMahan, Pillutla, Steinke, Thakurta 2024). Its columns have no
 * negative products, so that the worst pattern of a class is all ones, and the worst class the first:
 * what tells most is |sum_j E e_jB|^2. With l the first column of E^-1 the error is
 *
 *     tr(G E^-1 E^-T) = l' H l,      H_ab = sum_s G_{a+s, b+s}
 *
 * so that value and gradient cost a few squares of the phases.
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
    int64_t n, cycle;
    int32_t size;
    const double *h;                                           /* [n][n] */
    double *e, *inverse, *image, *twice, *slope, *told, *back; /* [n] each */
} problem;

/* Parameters x: log w_i / (1 - d_i) and logit d_i. */
static void read_parameters(int32_t size, const double *x, double *w, double *d)
{
    for (int32_t i = 0; i < size; i++) {
        d[i] = 1 / (1 + exp(-x[size + i]));
        w[i] = exp(x[i]) * (1 - d[i]);
    }
}

static void fill_column(const double *w, const double *d, int32_t size, int64_t n, double *e)
{
    double power[MOST];
    memcpy(power, w, (size_t)size * sizeof *power);
    e[0] = 1;
    for (int64_t j = 1; j < n; j++) {
        e[j] = 0;
        for (int32_t i = 0; i < size; i++) {
            e[j] += power[i];
            power[i] *= d[i];
        }
    }
}

/* The first column of the inverse, whose products with E are those of I. */
static void invert(const double *e, int64_t n, double *inverse)
{
    inverse[0] = 1;
    for (int64_t t = 1; t < n; t++) {
        double sum = 0;
        for (int64_t j = 1; j <= t; j++)
            sum += e[j] * inverse[t - j];
        inverse[t] = -sum;
    }
}

/* back_j = sum_t value_t twice_{t-j}, twice = inverse * inverse: minus half of the slope of the error in
 * e_j. */
static void pull_back(const problem *p)
{
    const int64_t n = p->n;
    for (int64_t t = 0; t < n; t++) {
        double sum = 0;
        for (int64_t j = 0; j <= t; j++)
            sum += p->inverse[j] * p->inverse[t - j];
        p->twice[t] = sum;
    }
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t t = j; t < n; t++)
            sum += p->image[t] * p->twice[t - j];
        p->back[j] = sum;
    }
}

/* What the first class tells under all ones; told: its image, from which slopes come. */
static double sensitivity(const problem *p)
{
    const int64_t n = p->n;
    for (int64_t t = 0; t < n; t++) {
        p->told[t] = 0;
        for (int64_t j = 0; j <= t; j += p->cycle)
            p->told[t] += p->e[t - j];
    }
    return cblas_ddot((int)n, p->told, 1, p->told, 1);
}

/* log of error times what is told, and its gradient by way of de. */
static lbfgsfloatval_t evaluate(void *instance, const lbfgsfloatval_t *x, lbfgsfloatval_t *g,
                                const int size, const lbfgsfloatval_t step)
{
    (void)size, (void)step;
    const problem *p = instance;
    const int64_t n = p->n;
    double w[MOST], d[MOST];
    read_parameters(p->size, x, w, d);
    fill_column(w, d, p->size, n, p->e);
    invert(p->e, n, p->inverse);
    cblas_dsymv(CblasColMajor, CblasLower, (int)n, 1, p->h, (int)n, p->inverse, 1, 0, p->image, 1);
    const double error = cblas_ddot((int)n, p->inverse, 1, p->image, 1);
    const double told = sensitivity(p);
    if (!isfinite(error) || !isfinite(told))
        return INFINITY;
    pull_back(p);
    for (int64_t j = 0; j < n; j++) { /* of the logarithm, in e_j */
        double sum = 0;
        for (int64_t first = 0; first + j < n; first += p->cycle)
            sum += p->told[first + j];
        p->slope[j] = -2 * p->back[j] / error + 2 * sum / told;
    }
    for (int32_t i = 0; i < p->size; i++) {
        /* e_j = w d^(j-1): in log w it is itself, in d it is (j-1) w d^(j-2). */
        double power = w[i], along = 0, steeper = 0;
        for (int64_t j = 1; j < n; j++) {
            along += p->slope[j] * power;
            steeper += p->slope[j] * (double)(j - 1) * power / d[i];
            power *= d[i];
        }
        g[i] = along;
        g[p->size + i] = d[i] * (1 - d[i]) * (steeper - along / (1 - d[i]));
    }
    return log(error) + log(told);
}

/* H in place of G: sums along the diagonals, from their ends. */
static void sum_diagonals(double *gram, int64_t n)
{
    for (int64_t a = n - 2; a >= 0; a--)
        for (int64_t b = 0; b < n - 1; b++)
            gram[a * n + b] += gram[(a + 1) * n + b + 1];
}

static void clear(problem *p)
{
    double *const all[] = {p->e, p->inverse, p->image, p->twice, p->slope, p->told, p->back};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        netdp_i_free(all[i]);
}

netdp_status netdp_i_quiet_blt(int64_t phases, int64_t cycle, double *gram,
                               netdp_quiet_design *design, double *scale, netdp_error *error)
{
    const int64_t n = phases;
    const int32_t m = design->size;
    problem p = {n,
                 cycle,
                 m,
                 gram,
                 NETDP_I_NEW(double, n),
                 NETDP_I_NEW(double, n),
                 NETDP_I_NEW(double, n),
                 NETDP_I_NEW(double, n),
                 NETDP_I_NEW(double, n),
                 NETDP_I_NEW(double, n),
                 NETDP_I_NEW(double, n)};
    lbfgsfloatval_t *x = lbfgs_malloc(2 * m);
    lbfgs_parameter_t how;
    netdp_status status = NETDP_OK;
    if (p.e == NULL || p.inverse == NULL || p.image == NULL || p.twice == NULL || p.slope == NULL ||
        p.told == NULL || p.back == NULL || x == NULL) {
        status = netdp_i_no_memory(error);
        goto done;
    }
    sum_diagonals(gram, n);
    /* Half-lives from one phase to a cycle, evenly in their logarithms. */
    for (int32_t i = 0; i < m; i++) {
        const double life = pow((double)cycle, (i + 0.5) / m);
        x[i] = log(0.5 / m);
        x[m + i] = log(2 * life);
    }
    lbfgs_parameter_init(&how);
    how.epsilon = 1e-6;
    how.past = 5;
    how.delta = 1e-6;
    how.linesearch = LBFGS_LINESEARCH_BACKTRACKING_WOLFE;
    how.max_iterations = 300;
    double value = 0;
    const int code = lbfgs(2 * m, x, &value, evaluate, NULL, &p, &how);
    if (code == LBFGSERR_OUTOFMEMORY) {
        status = netdp_i_quiet_failed(code, error);
        goto done;
    }
    read_parameters(m, x, design->weight, design->decay);
    fill_column(design->weight, design->decay, m, n, p.e);
    invert(p.e, n, p.inverse);
    cblas_dsymv(CblasColMajor, CblasLower, (int)n, 1, gram, (int)n, p.inverse, 1, 0, p.image, 1);
    const double told = sensitivity(&p);
    design->error = cblas_ddot((int)n, p.inverse, 1, p.image, 1) * told;
    *scale = 1 / sqrt(told);
    if (!isfinite(design->error) || !(design->error > 0))
        status = netdp_i_quiet_failed(code, error);
done:
    lbfgs_free(x);
    clear(&p);
    return status;
}

netdp_status netdp_i_quiet_blt_inverse(const netdp_quiet_design *design, int64_t phases,
                                       double *inverse, netdp_error *error)
{
    double *e = NETDP_I_NEW(double, phases);
    if (e == NULL)
        return netdp_i_no_memory(error);
    fill_column(design->weight, design->decay, design->size, phases, e);
    invert(e, phases, inverse);
    netdp_i_free(e);
    return NETDP_OK;
}

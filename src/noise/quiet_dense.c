/*
 * min tr(G X^-1) over X = Q^-1, positive definite, 0 between phases of one class (what they tell adds
 * up, whatever their signs) and class sums of the diagonal at most k. Convex; the constraints are
 * linear, so that gradients are projected and steps that leave the cone are refused by the line
 * search (McKenna et al. 2024; MFDL, ICLR 2026).
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

/* Pairs of steps that are remembered: 24 times faster than one, at 320 phases. */
#define REMEMBERED 15

/* Done where the last PAST iterations gained less than this part. */
#define GAIN 1e-6
#define PAST 10

typedef struct problem {
    int64_t n, cycle, bands;
    double unit;  /* the objective is divided by it */
    double *root; /* R lower triangular in columns, R R' = G */
    double *factor, *image;
} problem;

static bool is_free(const problem *p, int64_t i, int64_t j)
{
    return i == j || ((i - j) % p->cycle != 0 && i - j < p->bands && j - i < p->bands);
}

/* The gradient within the constraints: free entries, and no change of a class's sum. */
static void project(const problem *p, double *g)
{
    const int64_t n = p->n;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            g[i * n + j] = g[j * n + i] = is_free(p, i, j) ? g[j * n + i] : 0;
    for (int64_t first = 0; first < p->cycle && first < n; first++) {
        double sum = 0;
        int64_t count = 0;
        for (int64_t i = first; i < n; i += p->cycle, count++)
            sum += g[i * n + i];
        for (int64_t i = first; i < n; i += p->cycle)
            g[i * n + i] -= sum / (double)count;
    }
}

/* tr(G X^-1) = |L^-1 R|^2 and -X^-1 G X^-1 = -Z Z', Z = X^-1 R, of X = L L'. */
static lbfgsfloatval_t evaluate(void *instance, const lbfgsfloatval_t *x, lbfgsfloatval_t *g,
                                const int size, const lbfgsfloatval_t step)
{
    (void)size, (void)step;
    const problem *p = instance;
    const int n = (int)p->n;
    memcpy(p->factor, x, (size_t)(p->n * p->n) * sizeof *x);
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, p->factor, n) != 0)
        return INFINITY;
    memcpy(p->image, p->root, (size_t)(p->n * p->n) * sizeof *x);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, n, 1,
                p->factor, n, p->image, n);
    const double norm = cblas_dnrm2(n * n, p->image, 1);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, n, n, 1, p->factor,
                n, p->image, n);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, n, -1 / p->unit, p->image, n, 0, g, n);
    project(p, g);
    return norm * norm / p->unit;
}

/* Of the square root of prefix sums, in as many bands as are free: a good start for all workloads. */
static void start(const problem *p, double *x)
{
    const int64_t n = p->n, width = p->bands < p->cycle ? p->bands : p->cycle;
    const int64_t most = (n - 1) / p->cycle + 1;
    double *c = p->image; /* scratch: the root's coefficients */
    c[0] = 1;
    for (int64_t j = 1; j < n; j++)
        c[j] = j < width ? c[j - 1] * ((double)j - 0.5) / (double)j : 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = 0;
            for (int64_t t = i; t < n && t - j < width; t++)
                sum += c[t - i] * c[t - j];
            x[i * n + j] = x[j * n + i] = sum;
        }
    double *scale = p->factor;
    for (int64_t i = 0; i < n; i++) {
        const int64_t count = (n - 1 - i % p->cycle) / p->cycle + 1;
        scale[i] = sqrt((double)most / ((double)count * x[i * n + i]));
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            x[i * n + j] *= scale[i] * scale[j];
}

/* R of R R' = G; a workload that sees nothing of some phases needs no noise in them: refused. */
static netdp_status find_root(const double *gram, int64_t n, double *root, netdp_error *error)
{
    memcpy(root, gram, (size_t)(n * n) * sizeof *root);
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (int)n, root, (int)n) != 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "quiet: the workload's G = A'A is not positive definite");
    for (int64_t j = 1; j < n; j++)
        for (int64_t i = 0; i < j; i++)
            root[j * n + i] = 0;
    return NETDP_OK;
}

static void problem_clear(problem *p)
{
    netdp_i_free(p->root);
    netdp_i_free(p->factor);
    netdp_i_free(p->image);
}

OWNER(lbfgs_free, lbfgsfloatval_t)

netdp_status netdp_i_quiet_dense(int64_t phases, int64_t cycle, int64_t bands, const double *gram,
                                 double *x, double *value, netdp_error *error)
{
    const int64_t n = phases;
    CLEARED(problem_clear)
    problem p = {.n = n,
                 .cycle = cycle,
                 .bands = bands,
                 .unit = 1,
                 .root = NETDP_I_NEW(double, n *n),
                 .factor = NETDP_I_NEW(double, n *n),
                 .image = NETDP_I_NEW(double, n *n)};
    OWNED_BY(lbfgs_free) lbfgsfloatval_t *at = lbfgs_malloc((int)(n * n));
    OWNED_BY(lbfgs_free) lbfgsfloatval_t *slope = lbfgs_malloc((int)(n * n));
    lbfgs_parameter_t how;
    if (p.root == NULL || p.factor == NULL || p.image == NULL || at == NULL || slope == NULL)
        return netdp_i_no_memory(error);
    TRY(find_root(gram, n, p.root, error));
    start(&p, at);
    p.unit = evaluate(&p, at, slope, 0, 0);
    lbfgs_parameter_init(&how);
    how.m = REMEMBERED;
    how.epsilon = 1e-9;
    how.past = PAST;
    how.delta = GAIN;
    how.linesearch = LBFGS_LINESEARCH_BACKTRACKING_WOLFE;
    how.max_linesearch = 60;
    how.max_iterations = 5000;
    const int code = lbfgs((int)(n * n), at, NULL, evaluate, NULL, &p, &how);
    /* Where no step helps any more the last point is the answer, as good as rounding lets it be. */
    if (code == LBFGSERR_OUTOFMEMORY || !isfinite(p.unit))
        return netdp_i_quiet_failed(code, error);
    *value = evaluate(&p, at, slope, 0, 0) * p.unit;
    memcpy(x, at, (size_t)(n * n) * sizeof *x);
    return isfinite(*value) ? NETDP_OK : netdp_i_quiet_failed(code, error);
}

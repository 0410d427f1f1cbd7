#include "account/shift/pairs.h"

#include <cblas.h>
#include <lapacke.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

void netdp_i_shift_pairs_clear(netdp_i_shift_pairs *pairs)
{
    netdp_i_free(pairs->inverse);
    netdp_i_free(pairs->root);
    *pairs = (netdp_i_shift_pairs){0};
}

static bool is_unknown(const netdp_i_shift_problem *p, int32_t v)
{
    return p->round[0].part[v] <= NETDP_I_PART_SEEN;
}

/* N, and 1 on the diagonal of the others: its inverse there is dropped. */
static void fill(const netdp_i_shift_problem *p, double *n)
{
    const int64_t size = p->nodes;
    for (int64_t v = 0; v < size; v++)
        n[v * size + v] = 1;
    for (int64_t e = 0; e < p->pair_count; e++) {
        const int64_t a = p->pair[2 * e], b = p->pair[2 * e + 1];
        const double square = p->kappa[e] * p->kappa[e];
        n[a * size + a] += square;
        n[b * size + b] += square;
        n[a * size + b] -= square;
        n[b * size + a] -= square;
    }
}

netdp_status netdp_i_shift_pairs_new(const netdp_i_shift_problem *problem,
                                     netdp_i_shift_pairs *pairs, netdp_error *error)
{
    const int64_t n = problem->nodes;
    *pairs = (netdp_i_shift_pairs){.count = problem->pair_count};
    if (pairs->count == 0)
        return NETDP_OK;
    pairs->inverse = NETDP_I_NEW(double, n *n);
    pairs->root = NETDP_I_NEW(double, n *n);
    if (pairs->inverse == NULL || pairs->root == NULL)
        return netdp_i_no_memory(error);
    fill(problem, pairs->inverse);
    bool fails =
        LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (lapack_int)n, pairs->inverse, (lapack_int)n) != 0;
    for (int64_t i = 0; i < n; i++)
        memcpy(pairs->root + i * n + i, pairs->inverse + i * n + i,
               (size_t)(n - i) * sizeof *pairs->root);
    fails =
        fails ||
        LAPACKE_dtrtri(LAPACK_COL_MAJOR, 'L', 'N', (lapack_int)n, pairs->root, (lapack_int)n) !=
            0 ||
        LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', (lapack_int)n, pairs->inverse, (lapack_int)n) != 0;
    if (fails)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "a shift: rounding leaves the pairs' covariance no factor");
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j <= i; j++) {
            double *entry = &pairs->inverse[j * n + i];
            if (!is_unknown(problem, i) || !is_unknown(problem, j))
                *entry = 0;
            pairs->inverse[i * n + j] = *entry;
        }
    return NETDP_OK;
}

void netdp_i_shift_pairs_solve(const netdp_i_shift_pairs *pairs, int32_t nodes, const double *x,
                               double *y, int32_t lanes)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, nodes, lanes, nodes, 1, pairs->inverse,
                nodes, x, lanes, 0, y, lanes);
}

void netdp_i_shift_pairs_bring(const netdp_i_shift_problem *problem, double scale, const double *c,
                               double *y, int32_t lanes)
{
    for (int64_t e = 0; e < problem->pair_count; e++) {
        double *adds = y + (int64_t)problem->pair[2 * e] * lanes,
               *takes = y + (int64_t)problem->pair[2 * e + 1] * lanes;
        for (int32_t l = 0; l < lanes; l++) {
            const double amount = scale * problem->kappa[e] * c[e * lanes + l];
            adds[l] += amount;
            takes[l] -= amount;
        }
    }
}

void netdp_i_shift_pairs_pull(const netdp_i_shift_problem *problem, const double *x, double *c,
                              int32_t lanes)
{
    for (int64_t e = 0; e < problem->pair_count; e++) {
        const double *adds = x + (int64_t)problem->pair[2 * e] * lanes,
                     *takes = x + (int64_t)problem->pair[2 * e + 1] * lanes;
        for (int32_t l = 0; l < lanes; l++)
            c[e * lanes + l] = problem->kappa[e] * (adds[l] - takes[l]);
    }
}

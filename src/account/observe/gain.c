#include "account/observe/gain.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

netdp_status netdp_i_gain_new(int32_t modes, int32_t seen, netdp_i_gain *gain, netdp_error *error)
{
    netdp_i_gain made = {0, NETDP_I_NEW(double, (int64_t)seen *seen),
                         NETDP_I_NEW(double, (int64_t)modes *seen), NETDP_I_NEW(int, seen),
                         NETDP_I_NEW(double, seen)};
    if (made.lower == NULL || made.gain == NULL || made.pivot == NULL || made.unit == NULL) {
        netdp_i_gain_clear(&made);
        return netdp_i_no_memory(error);
    }
    *gain = made;
    return NETDP_OK;
}

void netdp_i_gain_clear(netdp_i_gain *gain)
{
    netdp_i_free(gain->lower);
    netdp_i_free(gain->gain);
    netdp_i_free(gain->pivot);
    netdp_i_free(gain->unit);
    *gain = (netdp_i_gain){0};
}

/* Back from units; what tells nothing new stays 0. */
static double in_unit(double value, double unit)
{
    return isinf(unit) ? 0 : value * unit;
}

void netdp_i_gain_resolve(netdp_i_gain *g, int seen, double floor, double *work)
{
    const int64_t s = seen;
    double largest = 0;
    g->rank = 0;
    for (int j = 0; j < seen; j++) {
        g->pivot[j] = j + 1;
        largest = fmax(largest, g->lower[j * s + j]);
    }
    if (largest <= floor) /* dpstrf would take its first pivot, however small */
        return;
    LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', seen, g->lower, seen, g->pivot, &g->rank,
                        fmax(NETDP_I_RANK_TOLERANCE * largest, floor), work);
    for (int64_t j = 0; j < g->rank; j++)
        for (int64_t i = j; i < s; i++)
            g->lower[j * s + i] = in_unit(g->lower[j * s + i], g->unit[g->pivot[i] - 1]);
}

void netdp_i_gain_learn(netdp_i_gain *g, int modes, int seen, double *p)
{
    if (g->rank == 0)
        return;
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, modes, g->rank, 1,
                g->lower, seen, g->gain, modes);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, modes, g->rank, -1, g->gain, modes, 1, p,
                modes);
}

netdp_status netdp_i_gain_factor(netdp_i_gain *g, int seen, double floor,
                                 const netdp_i_factor *factor, bool spent, netdp_error *error)
{
    const int n = factor->modes, m = factor->width, most = m < seen ? m : seen;
    const int64_t s = seen;
    double *image = factor->image;
    int rank = 0;
    memset(g->pivot, 0, (size_t)seen * sizeof *g->pivot);
    if (LAPACKE_dgeqp3(LAPACK_COL_MAJOR, m, seen, image, m, g->pivot, factor->work) != 0)
        return netdp_i_no_memory(error);
    const double least = fmax(NETDP_I_RANK_TOLERANCE * fabs(image[0]), floor);
    while (rank < most && fabs(image[(int64_t)rank * m + rank]) > least)
        rank++;
    for (int64_t j = 0; j < s; j++)
        for (int64_t k = 0; k < rank; k++)
            g->lower[k * s + j] = k <= j ? in_unit(image[j * m + k], g->unit[g->pivot[j] - 1]) : 0;
    g->rank = rank;
    if (spent || rank == 0)
        return NETDP_OK;
    if (LAPACKE_dorgqr(LAPACK_COL_MAJOR, m, rank, rank, image, m, factor->work) != 0)
        return netdp_i_no_memory(error);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, rank, m, 1, factor->c, n, image, m, 0,
                g->gain, n);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, m, rank, -1, g->gain, n, image, m, 1,
                factor->c, n);
    return NETDP_OK;
}

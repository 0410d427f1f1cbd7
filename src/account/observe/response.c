/*
 * The response of the whitened innovations to contributions, beside the filter of filter.c:
 *
 *     E <- B^T at a contribution;  each round:  r = S E,  w = L^{-1} r,  E <- E - G w;
 *     E <- theta E
 *
 * The loss of contributions c is the sum over rounds of |sum_k c_k w^{(k)}|^2.
 */
#include "account/observe/filter.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

void netdp_i_response_clear(netdp_i_response *response)
{
    netdp_i_free(response->e);
    netdp_i_free(response->w);
    netdp_i_free(response->row);
    netdp_i_free(response->told);
    *response = (netdp_i_response){0};
}

void netdp_i_response_contribute(netdp_i_response *response, const netdp_i_basis *basis,
                                 const int32_t *from, double amount)
{
    const int64_t r = response->modes;
    for (int32_t i = 0; i < response->count; i++)
        cblas_daxpy(response->modes, amount, basis->rows + from[i] * r, 1, response->e + i * r, 1);
}

/* Rows of the response in pivot order. */
static void permute(netdp_i_response *response, const netdp_i_gain *gain)
{
    const int s = response->seen;
    for (int64_t i = 0; i < response->count; i++) {
        double *column = response->w + i * s;
        memcpy(response->row, column, (size_t)s * sizeof *column);
        for (int j = 0; j < s; j++)
            column[j] = response->row[gain->pivot[j] - 1];
    }
}

void netdp_i_response_learn(netdp_i_response *response, const netdp_i_gain *gain)
{
    const int r = response->modes, s = response->seen, u = response->count, rank = gain->rank;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, s, u, r, 1, response->rows, r, response->e,
                r, 0, response->w, s);
    permute(response, gain);
    if (rank > 0) {
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, rank, u, 1,
                    gain->lower, s, response->w, s);
        if (rank < s)
            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, s - rank, u, rank, -1,
                        gain->lower + rank, s, response->w, s, 1, response->w + rank, s);
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, r, u, rank, -1, gain->gain, r,
                    response->w, s, 1, response->e, r);
    }
    for (int j = rank; j < s; j++) {
        const double unit = gain->unit[gain->pivot[j] - 1];
        const double hidden = NETDP_I_RESPONSE_ROUNDING / unit;
        for (int64_t i = 0; i < u; i++) {
            double *w = response->w + i * s + j;
            *w /= unit;
            if (fabs(*w) + hidden > NETDP_I_OUTSIDE_RANGE)
                response->told[i] = true;
        }
    }
}

void netdp_i_response_predict(netdp_i_response *response)
{
    const int64_t r = response->modes;
    for (int64_t i = 0; i < response->count; i++)
        for (int64_t k = 0; k < r; k++)
            response->e[i * r + k] *= response->theta[k];
}

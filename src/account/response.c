/*
 * The response of the whitened innovations to contributions, beside the filter of filter.c:
 *
 *     E <- B^T at a contribution;  each round:  r = S E,  w = L^{-1} r,  E <- E - G w;  E <- theta
 * E
 *
 * The loss of contributions c is the sum over rounds of |sum_k c_k w^{(k)}|^2.
 */
#include "account/filter.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"

/* A response to a unit contribution that leaves the range of Sigma by more than this is no
 * rounding. */
#define OUTSIDE_RANGE 1e-9

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
    for (int64_t i = 0; i < u; i++)
        for (int j = rank; j < s; j++)
            if (fabs(response->w[i * s + j]) > OUTSIDE_RANGE)
                response->told[i] = true;
}

void netdp_i_response_predict(netdp_i_response *response)
{
    const int64_t r = response->modes;
    for (int64_t i = 0; i < response->count; i++)
        for (int64_t k = 0; k < r; k++)
            response->e[i * r + k] *= response->theta[k];
}

netdp_status netdp_i_filter_loss(const netdp_linear *protocol, const netdp_i_basis *basis,
                                 const netdp_i_observer *observer, const int32_t *from,
                                 int32_t count, double *loss, const netdp_progress *progress,
                                 netdp_error *error)
{
    netdp_i_filter *filter = NULL;
    netdp_i_response response = {0};
    netdp_i_gain gain = {0};
    netdp_status status = netdp_i_filter_new(basis, observer, protocol->dither, &filter, error);
    if (status == NETDP_OK)
        status = netdp_i_response_new(filter, count, &response, error);
    if (status == NETDP_OK)
        status = netdp_i_gain_new(basis->modes, observer->seen_count, &gain, error);
    if (status != NETDP_OK)
        goto done;
    memset(loss, 0, (size_t)count * sizeof *loss);
    netdp_i_response_contribute(&response, basis, from, 1);
    const int64_t observations = protocol->rounds + (observer->last_sum ? 1 : 0);
    for (int64_t t = 0; status == NETDP_OK && t < observations; t++) {
        status = netdp_i_filter_observe(filter, &gain, error);
        if (status != NETDP_OK)
            break;
        netdp_i_response_learn(&response, &gain);
        for (int64_t i = 0; i < count; i++)
            for (int j = 0; j < gain.rank; j++)
                loss[i] += response.w[i * response.seen + j] * response.w[i * response.seen + j];
        if (t + 1 < observations) {
            netdp_i_response_predict(&response);
            status = netdp_i_filter_predict(
                filter, t + 1 < protocol->rounds ? netdp_linear_noise(protocol, t + 1) : 0, error);
        }
        if (status == NETDP_OK)
            status = netdp_i_report(progress, "accounting", (double)(t + 1), (double)observations,
                                    error);
    }
    for (int64_t i = 0; i < count; i++)
        if (response.told[i])
            loss[i] = INFINITY;
done:
    netdp_i_gain_clear(&gain);
    netdp_i_response_clear(&response);
    netdp_i_filter_free(filter);
    return status;
}

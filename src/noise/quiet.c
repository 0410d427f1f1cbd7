#include "noise/quiet.h"

#include <lapacke.h>
#include <lbfgs.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "mixing/dense.h"

/* The optimizer keeps thirty matrices. */
#define MOST_DENSE 1500

/* Beyond it no factor is kept. */
#define MOST_FACTOR 4000

#define MOST_PHASES 20000
#define MOST_BUFFERS 8

netdp_status netdp_quiet_parse(const char *text, netdp_quiet_kind *kind, netdp_error *error)
{
    NETDP_I_GIVEN(error, text && kind);
    int size = 0, end = 0;
    *kind = (netdp_quiet_kind){0};
    if (strcmp(text, "fresh") == 0)
        return NETDP_OK;
    if (strcmp(text, "optimal") == 0)
        *kind = (netdp_quiet_kind){NETDP_QUIET_OPTIMAL, 0};
    else if (sscanf(text, "banded:%6d%n", &size, &end) == 1 && text[end] == '\0' && size >= 1)
        *kind = (netdp_quiet_kind){NETDP_QUIET_BANDED, size};
    else if (sscanf(text, "blt:%6d%n", &size, &end) == 1 && text[end] == '\0' && size >= 1 &&
             size <= MOST_BUFFERS)
        *kind = (netdp_quiet_kind){NETDP_QUIET_BLT, size};
    else
        return netdp_i_fail(error, NETDP_INVALID,
                            "quiet: '%s' is not fresh, optimal, banded:B or blt:M with M from 1 to "
                            "%d",
                            netdp_i_show_text(text).text, MOST_BUFFERS);
    return NETDP_OK;
}

netdp_status netdp_i_quiet_failed(int code, netdp_error *error)
{
    if (code == LBFGSERR_OUTOFMEMORY)
        return netdp_i_no_memory(error);
    return netdp_i_fail(error, NETDP_NO_ANSWER, "quiet: the design was not found (code %d)", code);
}

static netdp_status check(const netdp_quiet_request *r, netdp_error *error)
{
    const netdp_quiet_family family = r->kind.family;
    if (r->phases < 1 || r->phases > MOST_PHASES)
        return netdp_i_fail(error, NETDP_INVALID, "quiet: %lld phases; give 1 to %d",
                            (long long)r->phases, MOST_PHASES);
    if (r->cycle > MOST_PHASES)
        return netdp_i_fail(error, NETDP_INVALID, "quiet: a cycle of %lld; give at most %d",
                            (long long)r->cycle, MOST_PHASES);
    if (r->cycle < 1 || (family != NETDP_QUIET_FRESH && r->cycle < 2))
        return netdp_i_fail(error, NETDP_INVALID,
                            "quiet: noise is designed for batches in a cycle; give a cycle of 2 or "
                            "more");
    if (family == NETDP_QUIET_BANDED && (r->kind.size < 1 || r->kind.size > r->cycle))
        return netdp_i_fail(error, NETDP_INVALID, "quiet: %d bands; give 1 to the cycle, %lld",
                            (int)r->kind.size, (long long)r->cycle);
    if (family == NETDP_QUIET_BLT && (r->kind.size < 1 || r->kind.size > MOST_BUFFERS))
        return netdp_i_fail(error, NETDP_INVALID, "quiet: blt:%d; give 1 to %d", (int)r->kind.size,
                            MOST_BUFFERS);
    if ((family == NETDP_QUIET_OPTIMAL || family == NETDP_QUIET_BANDED) && r->phases > MOST_DENSE)
        return netdp_i_fail(error, NETDP_NO_ANSWER, "quiet: %lld phases; beyond %d use blt:4",
                            (long long)r->phases, MOST_DENSE);
    return NETDP_OK;
}

static double trace(const double *gram, int64_t n)
{
    double sum = 0;
    for (int64_t p = 0; p < n; p++)
        sum += gram[p * n + p];
    return sum;
}

netdp_status netdp_i_no_digits(netdp_error *error)
{
    return netdp_i_fail(error, NETDP_NO_ANSWER, "quiet: the design has no digits left");
}

/* q <- C of C C' = q, row by row: a lower triangle in rows is an upper one in columns. */
static netdp_status factor(double *q, int64_t n, netdp_error *error)
{
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (int)n, q, (int)n) != 0)
        return netdp_i_no_digits(error);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++)
            q[i * n + j] = 0;
    return NETDP_OK;
}

/* x <- C of C C' = x^-1. */
static netdp_status factor_inverse(double *x, int64_t n, netdp_error *error)
{
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (int)n, x, (int)n) != 0 ||
        LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', (int)n, x, (int)n) != 0)
        return netdp_i_no_digits(error);
    return factor(x, n, error);
}

static netdp_status design_dense(const netdp_quiet_request *r, const double *gram, int64_t most,
                                 netdp_quiet_design *design, netdp_error *error)
{
    const int64_t n = r->phases, bands = r->kind.family == NETDP_QUIET_BANDED ? r->kind.size : n;
    double value = 0;
    design->factor = NETDP_I_NEW(double, n *n);
    if (design->factor == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_quiet_dense(n, r->cycle, bands, gram, design->factor, &value, error));
    design->error = (double)most * value;
    return factor_inverse(design->factor, n, error);
}

static netdp_status design_blt(const netdp_quiet_request *r, const double *gram,
                               netdp_quiet_design *design, netdp_error *error)
{
    const int64_t n = r->phases;
    design->size = r->kind.size;
    design->scale = NETDP_I_NEW(double, n);
    if (n <= MOST_FACTOR)
        design->factor = NETDP_I_NEW(double, n *n);
    if (design->scale == NULL || (n <= MOST_FACTOR && design->factor == NULL))
        return netdp_i_no_memory(error);
    TRY(netdp_i_quiet_blt(n, r->cycle, gram, design, error));
    return design->factor != NULL ? factor(design->factor, n, error) : NETDP_OK;
}

static netdp_status design_fresh(int64_t phases, netdp_quiet_design *design, netdp_error *error)
{
    design->factor = NETDP_I_NEW(double, phases *phases);
    if (design->factor == NULL)
        return netdp_i_no_memory(error);
    for (int64_t i = 0; i < phases; i++)
        design->factor[i * phases + i] = 1;
    return NETDP_OK;
}

OWNER(netdp_quiet_design_free, netdp_quiet_design)

netdp_status netdp_quiet_design_new(const netdp_quiet_request *request, netdp_quiet_design **design,
                                    netdp_error *error)
{
    NETDP_I_GIVEN(error, request && design);
    TRY(check(request, error));
    const int64_t n = request->phases, most = (n - 1) / request->cycle + 1;
    netdp_i_dense_begin();
    OWNED_BY(netdp_quiet_design_free)
    netdp_quiet_design *made = NETDP_I_NEW(netdp_quiet_design, 1);
    OWNED double *gram = NETDP_I_NEW(double, n *n);
    if (made == NULL || gram == NULL)
        return netdp_i_no_memory(error);
    if (request->workload != NULL)
        memcpy(gram, request->workload, (size_t)n * (size_t)n * sizeof *gram);
    else
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                gram[i * n + j] = (double)(n - (i > j ? i : j));
    made->fresh = made->error = (double)most * trace(gram, n);
    if (request->kind.family == NETDP_QUIET_BLT)
        TRY(design_blt(request, gram, made, error));
    else if (request->kind.family != NETDP_QUIET_FRESH)
        TRY(design_dense(request, gram, most, made, error));
    else
        TRY(design_fresh(n, made, error));
    *design = GIVE(made);
    return NETDP_OK;
}

void netdp_quiet_design_free(netdp_quiet_design *design)
{
    if (design == NULL)
        return;
    netdp_i_free(design->factor);
    netdp_i_free(design->scale);
    netdp_i_free(design);
}

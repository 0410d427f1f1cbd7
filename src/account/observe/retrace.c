#include "account/observe/retrace.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/rounding.h"
#include "base/try.h"

/* Nodes whose products are added up before they join the sum: what rounding may lose goes by that. */
enum { TOGETHER = 32 };

bool netdp_i_retrace_serves(double degree, double seen, double sources)
{
    return seen > 0 && seen + degree < 2 * sources;
}

int64_t netdp_i_retrace_terms(int64_t nodes)
{
    return TOGETHER + (nodes + TOGETHER - 1) / TOGETHER;
}

void netdp_i_retrace_clear(netdp_i_retrace *retrace)
{
    netdp_i_free(retrace->kappa);
    netdp_i_free(retrace->begin);
    netdp_i_free(retrace->rows);
    netdp_i_free(retrace->last);
    *retrace = (netdp_i_retrace){0};
}

/* ---- One round ---- */

void netdp_i_traces_clear(netdp_i_traces *lines)
{
    netdp_i_free(lines->x);
    netdp_i_free(lines->next);
    netdp_i_free(lines->sum);
    netdp_i_free(lines->part);
    *lines = (netdp_i_traces){0};
}

netdp_status netdp_i_traces_new(const netdp_i_retrace *retrace, int64_t count,
                                netdp_i_traces *lines, netdp_error *error)
{
    CLEARED(netdp_i_traces_clear)
    netdp_i_traces made = {.count = count,
                           .x = NETDP_I_NEW(double, retrace->nodes *count),
                           .next = NETDP_I_NEW(double, retrace->nodes *count),
                           .sum = NETDP_I_NEW(double, retrace->width *count),
                           .part = NETDP_I_NEW(double, retrace->width *count)};
    if (made.x == NULL || made.next == NULL || made.sum == NULL || made.part == NULL)
        return netdp_i_no_memory(error);
    *lines = made;
    made = (netdp_i_traces){0};
    return NETDP_OK;
}

void netdp_i_traces_begin(const netdp_i_retrace *retrace, int64_t round, int64_t at,
                          netdp_i_traces *lines)
{
    const int64_t s = retrace->width;
    const double *begin = retrace->begin + round * s * s;
    for (int64_t q = 0; q < s; q++)
        memcpy(lines->x + retrace->seen[q] * lines->count + at, begin + q * s,
               (size_t)s * sizeof *begin);
}

/* sum = kappa' next */
static void correct(const netdp_i_retrace *retrace, const double *kappa, netdp_i_traces *lines)
{
    const int64_t s = retrace->width, count = lines->count;
    for (int64_t first = 0; first < retrace->nodes; first += TOGETHER) {
        const int64_t left = retrace->nodes - first;
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)s, (int)count,
                    (int)(left < TOGETHER ? left : TOGETHER), 1, kappa + first * s, (int)s,
                    lines->next + first * count, (int)count, 0,
                    first == 0 ? lines->sum : lines->part, (int)count);
        for (int64_t k = 0; first > 0 && k < s * count; k++)
            lines->sum[k] += lines->part[k];
    }
}

void netdp_i_traces_back(const netdp_i_retrace *retrace, int64_t round, netdp_i_traces *lines)
{
    const int64_t s = retrace->width, n = retrace->nodes, count = lines->count;
    const int64_t held = retrace->gains->count - 1, at = round < held ? round : held;
    netdp_mixing_apply(retrace->mixing, lines->x, lines->next, (int32_t)count);
    double *swap = lines->x;
    if (retrace->gains->gain[at].rank > 0) {
        correct(retrace, retrace->kappa + at * n * s, lines);
        for (int64_t q = 0; q < s; q++)
            for (int64_t k = 0; k < count; k++)
                lines->next[retrace->seen[q] * count + k] = -lines->sum[q * count + k];
    }
    lines->x = lines->next;
    lines->next = swap;
}

double netdp_i_traces_square(const netdp_i_retrace *retrace, const netdp_i_traces *lines)
{
    double sum = 0;
    for (int64_t u = 0; u < retrace->nodes; u++)
        sum += cblas_ddot((int)lines->count, lines->x + u * lines->count, 1,
                          lines->x + u * lines->count, 1);
    return sum;
}

/* ---- All rounds ---- */

/* L^{-1}, its columns by seen node. */
static void invert(const netdp_i_gain *gain, int64_t s, double *work, double *begin)
{
    memset(work, 0, (size_t)(s * s) * sizeof *work);
    for (int64_t j = 0; j < s; j++)
        work[j * s + j] = 1;
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, gain->rank,
                gain->rank, 1, gain->lower, (int)s, work, (int)s);
    for (int64_t j = 0; j < gain->rank; j++)
        memcpy(begin + (gain->pivot[j] - 1) * s, work + j * s, (size_t)gain->rank * sizeof *begin);
}

/* kappa of a gain, and its norm. */
static double lift(const netdp_i_retrace *x, const netdp_i_gain *gain, double *work, double *kappa)
{
    const netdp_i_basis *basis = x->gains->basis;
    const int64_t s = x->width, n = x->nodes;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n, gain->rank, basis->modes, 1,
                basis->rows, basis->modes, gain->gain, basis->modes, 0, work, (int)s);
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasUpper, CblasTrans, CblasNonUnit, (int)n, gain->rank,
                1, gain->lower, (int)s, work, (int)s);
    for (int64_t u = 0; u < n; u++)
        for (int64_t j = 0; j < gain->rank; j++)
            kappa[u * s + gain->pivot[j] - 1] = work[u * s + j];
    for (int64_t q = 0; q < s; q++)
        memset(kappa + x->seen[q] * s, 0, (size_t)s * sizeof *kappa);
    return cblas_dnrm2((int)(n * s), kappa, 1);
}

static netdp_status fill_rounds(netdp_i_retrace *x, netdp_error *error)
{
    const int64_t s = x->width, n = x->nodes, count = x->gains->count;
    OWNED double *work = NETDP_I_NEW(double, (n > s ? n : s) * s);
    x->kappa = NETDP_I_NEW(double, count *n *s);
    x->begin = NETDP_I_NEW(double, (count + 1) * s * s);
    if (work == NULL || x->kappa == NULL || x->begin == NULL)
        return netdp_i_no_memory(error);
    for (int64_t t = 0; t <= count; t++) {
        const netdp_i_gain *gain = t < count ? &x->gains->gain[t] : &x->gains->last;
        if (gain->lower == NULL || gain->rank == 0)
            continue;
        invert(gain, s, work, x->begin + t * s * s);
        if (t < count)
            x->largest = netdp_i_most(x->largest, lift(x, gain, work, x->kappa + t * n * s));
    }
    return NETDP_OK;
}

/* Rows of the steady gain by age, until nothing is left or the last round is there. */
static netdp_status fill_ages(netdp_i_retrace *x, int64_t left, const netdp_progress *progress,
                              netdp_error *error)
{
    const int64_t each = (int64_t)x->nodes * x->width;
    const bool sums = x->gains->last.lower != NULL;
    CLEARED(netdp_i_traces_clear) netdp_i_traces now = {0};
    CLEARED(netdp_i_traces_clear) netdp_i_traces last = {0};
    int64_t room = 0;
    TRY(netdp_i_traces_new(x, x->width, &now, error));
    TRY(netdp_i_traces_new(x, x->width, &last, error));
    netdp_i_traces_begin(x, x->first, 0, &now);
    if (sums) {
        netdp_i_traces_begin(x, x->gains->count, 0, &last);
        netdp_i_traces_back(x, x->first, &last);
    }
    const double nothing = NETDP_I_AGES_NOTHING * netdp_i_ages_largest(now.x, each);
    while (x->ages < left && (netdp_i_ages_largest(now.x, each) > nothing ||
                              netdp_i_ages_largest(last.x, each) > nothing)) {
        TRY(netdp_i_ages_grow(x->ages, each, &room, &x->rows, sums ? &x->last : NULL, error));
        TRY(netdp_i_poll(progress, error));
        memcpy(x->rows + x->ages * each, now.x, (size_t)each * sizeof *now.x);
        x->shown += cblas_dnrm2((int)each, now.x, 1);
        netdp_i_traces_back(x, x->first, &now);
        if (sums) {
            memcpy(x->last + x->ages * each, last.x, (size_t)each * sizeof *last.x);
            x->shown += cblas_dnrm2((int)each, last.x, 1);
            netdp_i_traces_back(x, x->first, &last);
        }
        x->ages++;
    }
    return NETDP_OK;
}

netdp_status netdp_i_retrace_new(const netdp_linear *protocol, const netdp_i_observer *observer,
                                 const netdp_i_gains *gains, netdp_i_retrace *retrace,
                                 const netdp_progress *progress, netdp_error *error)
{
    CLEARED(netdp_i_retrace_clear)
    netdp_i_retrace made = {.mixing = protocol->mixing,
                            .gains = gains,
                            .seen = observer->seen,
                            .nodes = gains->basis->nodes,
                            .width = observer->seen_count,
                            .first = gains->steady ? gains->count - 1 : protocol->rounds};
    TRY(fill_rounds(&made, error));
    if (gains->steady)
        TRY(fill_ages(&made, protocol->rounds - made.first, progress, error));
    *retrace = made;
    made = (netdp_i_retrace){0};
    return NETDP_OK;
}

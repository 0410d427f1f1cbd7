/*
 * With X_t the least cost of what follows a displacement g of round t, in units of nu_t^2, F the free nodes and C the
 * carried ones, of a that comes in
 *
 *     M = I + X_FF = L L'      g_F = M~ (a_F - X_FC a_C)      M~ = L^-T (I - U U') L^-1
 *
 * where U spans L^-1 of the ties' rows, and the cost from here on is Q: Q_FF = I - M~, written as X - Y'Y + V V' with Y =
 * L^-1 X, V = L^-T U; Q_FC = M~ X_FC, Q_CC = X_CC - X_CF M~ X_FC, and I where a node is seen. Then X_{t-1} = (nu_{t-1} /
 * nu_t)^2 W Q W. Accelerated it is a form in (a, q), q the g of the round before. With noise in pairs the first round has
 * N^-1 for I, N = I + kappa^2 B B'.
 */
#include "account/shift/dense.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "account/shift/steps.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "mixing/mixing.h"

/* What the recursion carries: forms on all nodes, [nodes][nodes]. */
typedef struct forms {
    double *q, *cross, *past; /* of (a, a), (a, q) and (q, q); the last two of accelerated rounds */
    double *x, *x_cross, *x_past; /* the same of (g, g), (g, g before) and so on */
    double *work, *more;
    bool accelerated;
} forms;

static void step_clear(netdp_i_step *s)
{
    netdp_i_free(s->node);
    netdp_i_free(s->lower);
    netdp_i_free(s->tied);
    netdp_i_free(s->cross);
    netdp_i_free(s->behind);
}

void netdp_i_dense_free(netdp_i_dense *dense)
{
    if (dense == NULL)
        return;
    for (int64_t i = 0; i < dense->kept_count; i++)
        step_clear(&dense->kept[i]);
    netdp_i_free(dense->kept);
    netdp_i_free(dense->round);
    netdp_i_pairs_clear(&dense->pairs);
    netdp_i_free(dense);
}

static bool forms_new(forms *f, int64_t n, bool accelerated)
{
    const int64_t cells = n * n, more = accelerated ? cells : 0;
    *f = (forms){.q = NETDP_I_NEW(double, cells),
                 .x = NETDP_I_NEW(double, cells),
                 .work = NETDP_I_NEW(double, cells),
                 .more = NETDP_I_NEW(double, cells),
                 .cross = NETDP_I_NEW(double, more),
                 .past = NETDP_I_NEW(double, more),
                 .x_cross = NETDP_I_NEW(double, more),
                 .x_past = NETDP_I_NEW(double, more),
                 .accelerated = accelerated};
    return f->q != NULL && f->x != NULL && f->work != NULL && f->more != NULL && f->cross != NULL &&
           f->past != NULL && f->x_cross != NULL && f->x_past != NULL;
}

static void forms_clear(forms *f)
{
    netdp_i_free(f->q);
    netdp_i_free(f->x);
    netdp_i_free(f->work);
    netdp_i_free(f->more);
    netdp_i_free(f->cross);
    netdp_i_free(f->past);
    netdp_i_free(f->x_cross);
    netdp_i_free(f->x_past);
}

/* ---- One round back: X from Q ---- */

/* y = W x of [nodes][width]. */
static void mix(netdp_rows rows, const double *x, double *y, int32_t width)
{
    netdp_i_rows_apply_part(rows, 0, rows.nodes, x, y, width);
}

static void transpose(const double *x, double *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            y[j * n + i] = x[i * n + j];
}

/* x = ratio W q W, symmetric to the last digit. */
static void bring_back(netdp_rows rows, double ratio, forms *f)
{
    const int64_t n = rows.nodes;
    mix(rows, f->q, f->work, rows.nodes);
    transpose(f->work, f->more, n);
    mix(rows, f->more, f->x, rows.nodes);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            f->x[i * n + j] = f->x[j * n + i] = ratio * (f->x[i * n + j] + f->x[j * n + i]) / 2;
}

/*
 * a = w W g - (w - 1) g before, and g is the q of the next round: w^2 W Q W + w (W R + R' W) + S of (g, g), R and S the
 * forms of (a, q) and (q, q); -(w - 1) (w W Q + R') of (g, g before), (w - 1)^2 Q of the last.
 */
static void bring_back_accelerated(netdp_rows rows, double ratio, double w, forms *f)
{
    const int64_t n = rows.nodes;
    bring_back(rows, ratio * w * w, f); /* leaves W q in work */
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            f->x_cross[i * n + j] =
                -ratio * (w - 1) * (w * f->work[i * n + j] + f->cross[j * n + i]);
    for (int64_t i = 0; i < n * n; i++)
        f->x_past[i] = ratio * (w - 1) * (w - 1) * f->q[i];
    mix(rows, f->cross, f->work, rows.nodes);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            f->x[i * n + j] +=
                ratio * (w * (f->work[i * n + j] + f->work[j * n + i]) + f->past[i * n + j]);
}

/* Q of what is seen after the last round. */
static void begin_at_end(const netdp_i_shift_problem *p, forms *f)
{
    const int64_t n = p->nodes;
    for (int64_t v = 0; p->end > 0 && v < n; v++)
        f->q[v * n + v] = p->exempt[v] ? 0 : 1;
}

/* ---- One round: L, U, and Q from X ---- */

static netdp_status list_nodes(const netdp_i_shift_problem *p, int64_t t, netdp_i_step *s,
                               netdp_error *error)
{
    s->node = NETDP_I_NEW(int32_t, p->nodes);
    if (s->node == NULL)
        return netdp_i_no_memory(error);
    for (int32_t v = 0; v < p->nodes; v++)
        if (p->round[t].part[v] == NETDP_I_PART_FREE)
            s->node[s->free++] = v;
    for (int32_t v = 0; v < p->nodes; v++)
        if (p->round[t].part[v] == NETDP_I_PART_CARRIED)
            s->node[s->free + s->carried++] = v;
    return NETDP_OK;
}

/* to[j][i] = from[node of i][node of j], i and j from 0 on or behind the free ones. */
static void gather(const double *from, int64_t n, const int32_t *row, int32_t rows,
                   const int32_t *column, int32_t columns, double *to)
{
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++)
            to[j * rows + i] = from[row[i] * n + column[j]];
}

/* What is added to the diagonal, in parts of it, where rounding leaves it no factor: any g will do. */
static const double lifts[] = {0, 1e-13, 1e-11, 1e-9, 1e-7};
enum { LIFTS = sizeof lifts / sizeof *lifts };

/* L L' of M: `base` [free][free], or the identity, and X. */
static netdp_status factor(netdp_i_step *s, const double *x, const double *base, netdp_error *error)
{
    const int64_t h = s->free;
    double most = 1;
    for (int64_t i = 0; i < h; i++)
        most = fmax(most, x[i * h + i]);
    for (int k = 0; k < LIFTS; k++) {
        for (int64_t i = 0; i < h * h; i++)
            s->lower[i] = x[i] + (base != NULL ? base[i] : 0);
        for (int64_t i = 0; i < h; i++)
            s->lower[i * h + i] += (base != NULL ? 0 : 1) + lifts[k] * most;
        if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', s->free, s->lower, h > 0 ? s->free : 1) == 0)
            return NETDP_OK;
    }
    return netdp_i_fail(error, NETDP_NO_ANSWER,
                        "a shift: rounding leaves round's matrix no factor");
}

/* U: an orthonormal basis of L^-1 of the ties' rows. */
static netdp_status project_ties(const netdp_i_shift_round *round, netdp_i_step *s,
                                 netdp_error *error)
{
    const int64_t h = s->free, k = round->tie != NULL ? round->tie->count : 0;
    double *tau = NETDP_I_NEW(double, k + 1);
    int32_t *place = NETDP_I_NEW(int32_t, round->rows.nodes);
    netdp_status status = NETDP_OK;
    s->tied = NETDP_I_NEW(double, h *k);
    s->ties = (int32_t)k;
    if (s->tied == NULL || tau == NULL || place == NULL) {
        status = netdp_i_no_memory(error);
        goto done;
    }
    for (int32_t i = 0; i < s->free; i++)
        place[s->node[i]] = i + 1;
    for (int64_t c = 0; c < k; c++) {
        const int32_t v = round->tie->observer[c];
        for (int64_t e = round->rows.start[v]; e < round->rows.start[v + 1]; e++)
            if (place[round->rows.column[e]] > 0)
                s->tied[c * h + place[round->rows.column[e]] - 1] = round->rows.weight[e];
    }
    if (k == 0 || h == 0)
        goto done;
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)h, (int)k, 1,
                s->lower, (int)h, s->tied, (int)h);
    if (LAPACKE_dgeqrf(LAPACK_COL_MAJOR, (lapack_int)h, (lapack_int)k, s->tied, (lapack_int)h,
                       tau) != 0 ||
        LAPACKE_dorgqr(LAPACK_COL_MAJOR, (lapack_int)h, (lapack_int)k, (lapack_int)k, s->tied,
                       (lapack_int)h, tau) != 0)
        status = netdp_i_no_memory(error);
done:
    netdp_i_free(tau);
    netdp_i_free(place);
    return status;
}

void netdp_i_step_inverse(const netdp_i_step *s, double *right, int32_t width, double *room)
{
    const int h = s->free, k = s->ties;
    if (h == 0)
        return;
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, width, h, 1,
                s->lower, h, right, width);
    if (k > 0) {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, width, k, h, 1, right, width,
                    s->tied, h, 0, room, width);
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, width, h, k, -1, room, width, s->tied,
                    h, 1, right, width);
    }
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, width, h, 1,
                s->lower, h, right, width);
}

/* Q_FF = X - Y'Y + V V' into `to` [free][free], which holds X; Y and V in room [free][free]. */
static void spend_free(const netdp_i_step *s, double *to, double *room)
{
    const int h = s->free, k = s->ties;
    if (h == 0)
        return;
    memcpy(room, to, (size_t)h * (size_t)h * sizeof *to);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, h, h, 1, s->lower,
                h, room, h);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, h, h, -1, room, h, 1, to, h);
    if (k > 0) {
        memcpy(room, s->tied, (size_t)h * (size_t)k * sizeof *room);
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, h, k, 1,
                    s->lower, h, room, h);
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, h, k, 1, room, h, 1, to, h);
    }
}

/* The parts of Q that carried nodes have. */
static netdp_status spend_carried(const netdp_i_step *s, int64_t n, forms *f, netdp_error *error)
{
    const int32_t h = s->free, m = s->carried;
    const int32_t *carried = s->node + h;
    double *half = NETDP_I_NEW(double, (int64_t)m *h),
           *room = NETDP_I_NEW(double, (int64_t)m * s->ties);
    if (half == NULL || room == NULL) {
        netdp_i_free(half);
        netdp_i_free(room);
        return netdp_i_no_memory(error);
    }
    for (int32_t i = 0; i < m; i++)
        for (int32_t j = 0; j < h; j++)
            half[(int64_t)j * m + i] = s->cross[(int64_t)i * h + j];
    netdp_i_step_inverse(s, half, m, room);
    for (int32_t i = 0; i < m; i++)
        for (int32_t j = 0; j < h; j++)
            f->q[carried[i] * n + s->node[j]] = f->q[s->node[j] * n + carried[i]] =
                half[(int64_t)j * m + i];
    for (int32_t i = 0; i < m; i++)
        for (int32_t j = 0; j <= i; j++) {
            double sum = f->x[carried[i] * n + carried[j]];
            for (int32_t k = 0; k < h; k++)
                sum -= s->cross[(int64_t)i * h + k] * half[(int64_t)k * m + j];
            f->q[carried[i] * n + carried[j]] = f->q[carried[j] * n + carried[i]] = sum;
        }
    netdp_i_free(half);
    netdp_i_free(room);
    return NETDP_OK;
}

/* The forms of (a, q) and (q, q) of accelerated rounds: M~ X and X - X' M~ X, of the part that was behind. */
static netdp_status spend_behind(const netdp_i_step *s, int64_t n, forms *f, netdp_error *error)
{
    const int32_t h = s->free;
    double *half = f->work, *room = NETDP_I_NEW(double, (int64_t)h * s->ties);
    if (room == NULL)
        return netdp_i_no_memory(error);
    memset(f->cross, 0, (size_t)(n * n) * sizeof *f->cross);
    memset(f->past, 0, (size_t)(n * n) * sizeof *f->past);
    for (int64_t i = 0; i < h; i++) /* of each q a right side */
        for (int64_t j = 0; j < h; j++)
            half[j * h + i] = s->behind[i * h + j];
    netdp_i_step_inverse(s, half, h, room);
    for (int64_t i = 0; i < h; i++)
        for (int64_t j = 0; j < h; j++)
            f->cross[s->node[j] * n + s->node[i]] = half[j * h + i];
    gather(f->x_past, n, s->node, h, s->node, h, f->more);
    if (h > 0)
        cblas_dgemm(CblasColMajor, CblasTrans, CblasTrans, h, h, h, -1, s->behind, h, half, h, 1,
                    f->more, h);
    for (int64_t i = 0; i < h; i++)
        for (int64_t j = 0; j < h; j++)
            f->past[s->node[i] * n + s->node[j]] = (f->more[i * h + j] + f->more[j * h + i]) / 2;
    netdp_i_free(room);
    return NETDP_OK;
}

/* Keeps what round t needs of X; Q of what comes in into the forms, but in the first round. */
static netdp_status spend(netdp_i_dense *d, int64_t t, forms *f, netdp_error *error)
{
    const netdp_i_shift_problem *p = d->problem;
    const int64_t n = p->nodes;
    netdp_i_step *s = &d->kept[d->kept_count++];
    d->round[t] = s;
    netdp_status status = list_nodes(p, t, s, error);
    if (status != NETDP_OK)
        return status;
    const int64_t h = s->free;
    const bool behind = f->accelerated && t > 0;
    s->lower = NETDP_I_NEW(double, h *h);
    s->cross = NETDP_I_NEW(double, h * s->carried);
    s->behind = NETDP_I_NEW(double, behind ? h *h : 0);
    if (s->lower == NULL || s->cross == NULL || s->behind == NULL)
        return netdp_i_no_memory(error);
    gather(f->x, n, s->node, s->free, s->node, s->free, f->more);
    gather(f->x, n, s->node, s->free, s->node + h, s->carried, s->cross);
    if (behind)
        gather(f->x_cross, n, s->node, s->free, s->node, s->free, s->behind);
    double *base = NULL;
    if (t == 0 && d->pairs.count > 0) {
        base = f->work;
        gather(d->pairs.inverse, n, s->node, s->free, s->node, s->free, base);
    }
    status = factor(s, f->more, base, error);
    if (status == NETDP_OK)
        status = project_ties(&p->round[t], s, error);
    if (status != NETDP_OK || t == 0)
        return status;
    spend_free(s, f->more, f->work);
    memset(f->q, 0, (size_t)(n * n) * sizeof *f->q);
    for (int64_t i = 0; i < h; i++)
        for (int64_t j = i; j < h; j++)
            f->q[s->node[i] * n + s->node[j]] = f->q[s->node[j] * n + s->node[i]] =
                f->more[i * h + j];
    for (int64_t v = 0; v < n; v++)
        if (p->round[t].part[v] == NETDP_I_PART_SEEN)
            f->q[v * n + v] = 1;
    if (s->carried > 0)
        status = spend_carried(s, n, f, error);
    return status == NETDP_OK && behind ? spend_behind(s, n, f, error) : status;
}

/* Of a network that does not change the recursion comes to rest, and then one round serves all before it. */
#define AT_REST 1e-15

static bool rests(const netdp_i_dense *d, int64_t t, const forms *f, double *before)
{
    const netdp_i_shift_problem *p = d->problem;
    const int64_t cells = (int64_t)p->nodes * p->nodes;
    double change = 0, most = 0;
    if (!p->fixed || f->accelerated || t == 0)
        return false;
    for (int64_t i = 0; i < cells; i++) {
        change = fmax(change, fabs(f->q[i] - before[i]));
        most = fmax(most, fabs(f->q[i]));
    }
    memcpy(before, f->q, (size_t)cells * sizeof *before);
    return t + 1 < p->rounds && p->round[t].noise == p->round[t + 1].noise &&
           p->round[t].tie == p->round[t + 1].tie && change <= AT_REST * most;
}

static netdp_status recede(netdp_i_dense *d, forms *f, double *before,
                           const netdp_progress *progress, netdp_error *error)
{
    const netdp_i_shift_problem *p = d->problem;
    netdp_status status = NETDP_OK;
    bool rest = false;
    double next = p->end > 0 ? p->end : 1;
    begin_at_end(p, f);
    for (int64_t t = p->rounds - 1; status == NETDP_OK && t >= 0; t--) {
        const double ratio = p->round[t].noise / next;
        next = p->round[t].noise;
        rest = rest && t > 0 && p->round[t].noise == p->round[t + 1].noise;
        if (rest) {
            d->round[t] = d->round[t + 1];
            continue;
        }
        if (f->accelerated)
            bring_back_accelerated(p->round[t].rows, ratio * ratio, t > 0 ? p->weight : 1, f);
        else
            bring_back(p->round[t].rows, ratio * ratio, f);
        status = spend(d, t, f, error);
        if (status == NETDP_OK)
            rest = rests(d, t, f, before);
        if (status == NETDP_OK)
            status = netdp_i_report(progress, "accounting", (double)(p->rounds - t),
                                    (double)p->rounds, error);
    }
    return status;
}

netdp_status netdp_i_dense_new(const netdp_i_shift_problem *problem, const netdp_progress *progress,
                               netdp_i_dense **dense, netdp_error *error)
{
    const int64_t n = problem->nodes;
    netdp_i_dense *d = NETDP_I_NEW(netdp_i_dense, 1);
    double *before = NETDP_I_NEW(double, n *n);
    forms f = {0};
    netdp_status status = d == NULL || before == NULL ? netdp_i_no_memory(error) : NETDP_OK;
    if (status == NETDP_OK) {
        d->problem = problem;
        d->round = NETDP_I_NEW(netdp_i_step *, problem->rounds);
        d->kept = NETDP_I_NEW(netdp_i_step, problem->rounds);
        if (!forms_new(&f, n, problem->weight > 1) || d->round == NULL || d->kept == NULL)
            status = netdp_i_no_memory(error);
    }
    if (status == NETDP_OK)
        status = netdp_i_pairs_new(problem, &d->pairs, error);
    if (status == NETDP_OK)
        status = recede(d, &f, before, progress, error);
    forms_clear(&f);
    netdp_i_free(before);
    if (status == NETDP_OK)
        *dense = d;
    else
        netdp_i_dense_free(d);
    return status;
}

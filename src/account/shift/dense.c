/*
 * What follows round t costs |S (a, q)|^2, in units of nu_t^2, for what comes in, a, and accelerated q, the g of the round before;
 * beside it what is seen at once costs a unit row each. The round before has
 *
 *     |g_F - a_F|^2 + |A g_F + A_C a_C + B q|^2,    (A, A_C) = (nu_{t-1} / nu_t) (w S_a W + S_q),   B = -(nu_{t-1} / nu_t) (w - 1) S_a,
 *
 * of which the least over the g_F that keep tied sums (P g = g, C the others) is |C a_F|^2 + |K^-1 (A P a_F + A_C a_C + B q)|^2 with K K' = I + A P
 * A': the rows K^-1 (A P, A_C, B) and C are the S of that round, made triangular where they are more than its columns. Nothing is
 * squared but A P A' beside I, so that the first round, whose A is 1 / dither as large, is as exact as doubles are: there M = J'J + A'A,
 * J'J = N^-1, has the triangle of (J; A) for its factor. Where noise cancels in pairs in later rounds too, |J (g - a)|^2 is in place of
 * |g_F - a_F|^2 and of the unit rows of what is seen: the triangle of ((J_F, -J, 0); (A, 0, A_C)) has L' on top, and S below it.
 */
#include "account/shift/dense.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "account/shift/steps.h"
#include "base/fail.h"
#include "base/pool.h"
#include "base/try.h"
#include "base/parallel.h"
#include "mixing/mixing.h"

/* The rows that are carried from round to round, node by node. */
typedef struct front {
    int32_t rows;   /* without those of what is seen */
    double *a, *q;  /* [nodes][rows]; q of accelerated rounds, else NULL */
    double *mixed;  /* the same: W a */
    double *whole;  /* [columns][rows]: of one round */
    double *square; /* [rows][rows], or of a first round (J; A) */
    double *tau;
    netdp_i_pool pool;
} front;

static void step_clear(netdp_i_step *s)
{
    netdp_i_free(s->node);
    netdp_i_free(s->spent);
    netdp_i_free(s->tied);
    netdp_i_free(s->lower);
    netdp_i_free(s->cross);
    netdp_i_free(s->column);
}

void netdp_i_dense_free(netdp_i_dense *dense)
{
    if (dense == NULL)
        return;
    for (int64_t i = 0; i < dense->kept_count; i++)
        step_clear(&dense->kept[i]);
    netdp_i_free(dense->kept);
    netdp_i_free(dense->round);
    netdp_i_shift_pairs_clear(&dense->pairs);
    netdp_i_free(dense);
}

static netdp_status front_new(front *f, int64_t n, bool accelerated, netdp_error *error)
{
    const int64_t columns = accelerated ? 2 * n : n, rows = columns + 2 * n;
    f->a = NETDP_I_TAKE(&f->pool, double, n *rows);
    f->q = accelerated ? NETDP_I_TAKE(&f->pool, double, n *rows) : NULL;
    f->mixed = NETDP_I_TAKE(&f->pool, double, n *rows);
    f->whole = NETDP_I_TAKE(&f->pool, double, columns *rows);
    f->square = NETDP_I_TAKE(&f->pool, double, (columns + 2 * n) * (columns + n));
    f->tau = NETDP_I_TAKE(&f->pool, double, rows + n);
    return netdp_i_pool_made(&f->pool, error);
}

static void front_clear(front *f)
{
    netdp_i_pool_clear(&f->pool);
}

OWNER(netdp_i_dense_free, netdp_i_dense)

/* ---- Linear algebra of one round ---- */

static netdp_status solved(lapack_int info, netdp_error *error)
{
    return info == 0 ? NETDP_OK
           : info == LAPACK_WORK_MEMORY_ERROR
               ? netdp_i_no_memory(error)
               : netdp_i_fail(error, NETDP_NO_ANSWER, "a shift: these noises are too far apart");
}

/* x [columns][rows] becomes its triangle, or trapezoid, [columns][at most columns], of a diagonal >= 0. */
static netdp_status factorise(double *x, int64_t *rows, int64_t columns, double *tau,
                              netdp_error *error)
{
    const int64_t m = *rows, kept = m < columns ? m : columns;
    *rows = kept;
    if (kept == 0)
        return NETDP_OK;
    TRY(solved(
        LAPACKE_dgeqrf(LAPACK_COL_MAJOR, (lapack_int)m, (lapack_int)columns, x, (lapack_int)m, tau),
        error));
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < kept; i++)
            x[j * kept + i] = i <= j ? x[j * m + i] : 0;
    for (int64_t i = 0; i < kept; i++)
        for (int64_t j = columns - 1; x[i * kept + i] < 0 && j >= i; j--)
            x[j * kept + i] = -x[j * kept + i];
    return NETDP_OK;
}

/* The same where it has more rows than columns; else it stays. */
static netdp_status make_triangular(double *x, int64_t *rows, int64_t columns, double *tau,
                                    netdp_error *error)
{
    return *rows > columns ? factorise(x, rows, columns, tau, error) : NETDP_OK;
}

/* ---- What a round is made of ---- */

static bool is_paired(const netdp_i_shift_problem *p, int64_t t)
{
    return t > 0 && t < p->rounds && p->pair_count > 0 && netdp_i_shift_contributes(p, t);
}

/* Columns of a later round with noise in pairs: the nodes whose noise is not known, and the carried ones. */
static netdp_status list_unknown(const netdp_i_shift_problem *p, int64_t t, netdp_i_step *s,
                                 netdp_error *error)
{
    const char *part = p->round[t].part;
    s->column = NETDP_I_NEW(int32_t, p->nodes);
    if (s->column == NULL)
        return netdp_i_no_memory(error);
    for (int32_t v = 0; v < p->nodes; v++)
        if (part[v] <= NETDP_I_PART_SEEN)
            s->column[s->unknown++] = v;
    for (int32_t i = 0; i < s->carried; i++)
        s->column[s->unknown + i] = s->node[s->free + i];
    return NETDP_OK;
}

static netdp_status list_nodes(const netdp_i_shift_problem *p, int64_t t, netdp_i_step *s,
                               netdp_error *error)
{
    const char *part = p->round[t].part;
    s->node = NETDP_I_NEW(int32_t, p->nodes);
    if (s->node == NULL)
        return netdp_i_no_memory(error);
    for (int32_t v = 0; v < p->nodes; v++)
        if (part[v] == NETDP_I_PART_FREE)
            s->node[s->free++] = v;
    for (int32_t v = 0; v < p->nodes; v++)
        if (part[v] == NETDP_I_PART_CARRIED)
            s->node[s->free + s->carried++] = v;
    s->behind = p->weight > 1 && t > 0 ? s->free : 0;
    return is_paired(p, t) ? list_unknown(p, t, s, error) : NETDP_OK;
}

/* The tied rows on the free nodes, times L^-1 in a first round, made orthonormal. */
static netdp_status list_ties(const netdp_i_shift_round *round, netdp_i_step *s, double *tau,
                              netdp_error *error)
{
    const int64_t h = s->free, k = round->tie != NULL ? round->tie->count : 0;
    OWNED int32_t *place = NETDP_I_NEW(int32_t, round->rows.nodes);
    s->tied = NETDP_I_NEW(double, h *k);
    s->ties = (int32_t)k;
    if (s->tied == NULL || place == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < s->free; i++)
        place[s->node[i]] = i + 1;
    for (int64_t c = 0; c < k; c++) {
        const int32_t v = round->tie->observer[c];
        for (int64_t e = round->rows.start[v]; e < round->rows.start[v + 1]; e++)
            if (place[round->rows.column[e]] > 0)
                s->tied[c * h + place[round->rows.column[e]] - 1] = round->rows.weight[e];
    }
    if (k == 0 || h == 0)
        return NETDP_OK;
    if (s->lower != NULL)
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)h,
                    (int)k, 1, s->lower, (int)h, s->tied, (int)h);
    lapack_int info =
        LAPACKE_dgeqrf(LAPACK_COL_MAJOR, (lapack_int)h, (lapack_int)k, s->tied, (lapack_int)h, tau);
    if (info == 0)
        info = LAPACKE_dorgqr(LAPACK_COL_MAJOR, (lapack_int)h, (lapack_int)k, (lapack_int)k,
                              s->tied, (lapack_int)h, tau);
    return solved(info, error);
}

/*
 * (A, A_C, B) into f->whole [columns][*rows], from the front of round t + 1 and what is seen there: at the end all that is not exempt.
 */
static void bring_back(const netdp_i_shift_problem *p, int64_t t, const netdp_i_step *s, front *f,
                       int64_t *rows)
{
    const netdp_rows w = p->round[t].rows;
    const bool last = t + 1 == p->rounds;
    const double next = last ? p->end : p->round[t + 1].noise;
    const double ratio = last && !(p->end > 0) ? 0 : p->round[t].noise / next;
    const double weight = t > 0 ? p->weight : 1;
    const int64_t m = f->rows;
    int64_t seen = 0;
    const bool within = is_paired(p, t + 1); /* what is seen then is in the front already */
    int64_t *place = (int64_t *)f->tau;      /* [nodes]: the row of who is seen */
    for (int32_t v = 0; v < p->nodes; v++) {
        const bool is = last ? p->end > 0 && !p->exempt[v]
                             : !within && p->round[t + 1].part[v] == NETDP_I_PART_SEEN;
        place[v] = is ? m + seen++ : -1;
    }
    *rows = m + seen;
    if (m > 0)
        netdp_i_rows_apply_part(w, 0, p->nodes, f->a, f->mixed, (int32_t)m);
    for (int64_t i = 0; i < s->free + s->carried; i++) {
        const int64_t v = s->node[i];
        double *to = f->whole + i * *rows;
        memset(to, 0, (size_t)*rows * sizeof *to);
        for (int64_t k = 0; k < m; k++)
            to[k] = ratio * (weight * f->mixed[v * m + k] + (f->q != NULL ? f->q[v * m + k] : 0));
        for (int64_t e = w.start[v]; e < w.start[v + 1]; e++)
            if (place[w.column[e]] >= 0)
                to[place[w.column[e]]] = ratio * weight * w.weight[e];
    }
    for (int64_t i = 0; i < s->behind; i++) {
        double *to = f->whole + (s->free + s->carried + i) * *rows;
        const int64_t v = s->node[i];
        memset(to, 0, (size_t)*rows * sizeof *to);
        for (int64_t k = 0; k < m; k++)
            to[k] = -ratio * (weight - 1) * f->a[v * m + k];
    }
    /* Of states that are seen at the end the round before is seen too, through its own weight. */
    for (int64_t i = 0; last && i < s->behind; i++)
        if (place[s->node[i]] >= 0)
            f->whole[(s->free + s->carried + i) * *rows + place[s->node[i]]] =
                -ratio * (weight - 1);
}

/* Rows of a round that are the next front: S, and those of its ties. */
static void advance(const netdp_i_shift_problem *p, const netdp_i_step *s, front *f)
{
    const int64_t m = s->rows, all = m + s->ties, cells = p->nodes * all;
    f->rows = (int32_t)all;
    memset(f->a, 0, (size_t)cells * sizeof *f->a);
    if (f->q != NULL)
        memset(f->q, 0, (size_t)cells * sizeof *f->q);
    int32_t columns = 0;
    const int32_t *node = netdp_i_step_columns(s, &columns);
    for (int64_t i = 0; i < columns; i++)
        memcpy(f->a + node[i] * all, s->spent + i * m, (size_t)m * sizeof *f->a);
    for (int64_t i = 0; i < s->behind; i++)
        memcpy(f->q + s->node[i] * all, s->spent + (s->free + s->carried + i) * m,
               (size_t)m * sizeof *f->q);
    for (int64_t c = 0; s->unknown > 0 && c < s->ties; c++) /* U' cross */
        for (int64_t i = 0; i < columns; i++)
            f->a[node[i] * all + m + c] =
                cblas_ddot(s->free, s->tied + c * s->free, 1, s->cross + i * s->free, 1);
    for (int64_t c = 0; s->unknown == 0 && c < s->ties; c++)
        for (int64_t i = 0; i < s->free; i++)
            f->a[s->node[i] * all + m + c] = s->tied[c * s->free + i];
}

/* A round but the first: K^-1 (A P, A_C, B). */
static netdp_status spend(const netdp_i_shift_round *round, netdp_i_step *s, front *f, int64_t rows,
                          netdp_error *error)
{
    const int64_t columns = s->free + s->carried + s->behind, h = s->free;
    TRY(list_ties(round, s, f->tau, error));
    TRY(make_triangular(f->whole, &rows, columns, f->tau, error));
    const int m = (int)rows;
    netdp_i_step_untie(s, f->whole, m, f->square);
    memset(f->square, 0, (size_t)(rows * rows) * sizeof *f->square);
    for (int64_t i = 0; i < rows; i++)
        f->square[i * rows + i] = 1;
    if (m > 0 && h > 0) {
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, m, (int)h, 1, f->whole, m, 1,
                    f->square, m);
        TRY(solved(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', m, f->square, m), error));
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, m,
                    (int)columns, 1, f->square, m, f->whole, m);
    }
    s->rows = m;
    s->spent = NETDP_I_NEW(double, rows *columns);
    if (s->spent == NULL)
        return netdp_i_no_memory(error);
    memcpy(s->spent, f->whole, (size_t)(rows * columns) * sizeof *s->spent);
    return NETDP_OK;
}

/* The first round: the triangle of (J; A), and what carried nodes bring to its right side. */
static netdp_status spend_first(netdp_i_dense *d, netdp_i_step *s, front *f, int64_t rows,
                                netdp_error *error)
{
    const int64_t h = s->free, n = d->problem->nodes, own = d->pairs.count > 0 ? n : h;
    s->lower = NETDP_I_NEW(double, h *h);
    s->cross = NETDP_I_NEW(double, h * s->carried);
    if (s->lower == NULL || s->cross == NULL)
        return netdp_i_no_memory(error);
    for (int64_t c = 0; c < s->carried; c++)
        for (int64_t i = 0; i < h; i++)
            for (int64_t k = 0; k < rows; k++)
                s->cross[c * h + i] += f->whole[i * rows + k] * f->whole[(h + c) * rows + k];
    TRY(make_triangular(f->whole, &rows, h, f->tau, error));
    int64_t all = rows + own;
    for (int64_t i = 0; i < h; i++) {
        double *to = f->square + i * all;
        memcpy(to, f->whole + i * rows, (size_t)rows * sizeof *to);
        for (int64_t k = 0; k < own; k++)
            to[rows + k] = d->pairs.count > 0 ? d->pairs.root[s->node[i] * n + k] : k == i;
    }
    TRY(make_triangular(f->square, &all, h, f->tau, error));
    for (int64_t i = 0; i < h; i++)
        for (int64_t j = 0; j <= i; j++)
            s->lower[j * h + i] = f->square[i * h + j];
    return list_ties(&d->problem->round[0], s, f->tau, error);
}

/* ((J_F, -J, 0); (A, 0, A_C)) into f->square [free + columns][*rows], from (A, A_C) of `below` rows. */
static void stack(const netdp_i_dense *d, const netdp_i_step *s, front *f, int64_t below,
                  int64_t *rows)
{
    const int64_t n = d->problem->nodes, r = s->unknown, h = s->free;
    *rows = r + below;
    memset(f->square, 0, (size_t)((h + r + s->carried) * *rows) * sizeof *f->square);
    for (int64_t i = 0; i < h; i++) {
        for (int64_t k = 0; k < r; k++)
            f->square[i * *rows + k] = d->pairs.root[s->node[i] * n + s->column[k]];
        memcpy(f->square + i * *rows + r, f->whole + i * below, (size_t)below * sizeof *f->whole);
    }
    for (int64_t i = 0; i < r; i++)
        for (int64_t k = 0; k < r; k++)
            f->square[(h + i) * *rows + k] = -d->pairs.root[s->column[i] * n + s->column[k]];
    for (int64_t i = 0; i < s->carried; i++)
        memcpy(f->square + (h + r + i) * *rows + r, f->whole + (h + i) * below,
               (size_t)below * sizeof *f->whole);
}

/* A later round whose noise cancels in pairs. */
static netdp_status spend_paired(const netdp_i_dense *d, int64_t t, netdp_i_step *s, front *f,
                                 int64_t below, netdp_error *error)
{
    const int64_t h = s->free, columns = s->unknown + s->carried;
    int64_t rows = 0;
    TRY(make_triangular(f->whole, &below, h + s->carried, f->tau, error));
    stack(d, s, f, below, &rows);
    TRY(factorise(f->square, &rows, h + columns, f->tau, error));
    s->rows = (int32_t)(rows - h);
    s->lower = NETDP_I_NEW(double, h *h);
    s->cross = NETDP_I_NEW(double, columns *h);
    s->spent = NETDP_I_NEW(double, columns * s->rows);
    if (s->lower == NULL || s->cross == NULL || s->spent == NULL)
        return netdp_i_no_memory(error);
    for (int64_t i = 0; i < h; i++)
        for (int64_t j = 0; j <= i; j++)
            s->lower[j * h + i] = f->square[i * rows + j];
    for (int64_t i = 0; i < columns; i++) {
        memcpy(s->cross + i * h, f->square + (h + i) * rows, (size_t)h * sizeof *s->cross);
        memcpy(s->spent + i * s->rows, f->square + (h + i) * rows + h,
               (size_t)s->rows * sizeof *s->spent);
    }
    return list_ties(&d->problem->round[t], s, f->tau, error);
}

/* Of a network that does not change the recursion comes to rest, and then one round serves all before it: its error counts by its square. */
#define AT_REST 1e-11

static bool rests(const netdp_i_dense *d, int64_t t, int64_t period)
{
    const netdp_i_shift_problem *p = d->problem;
    const netdp_i_step *now = d->round[t];
    if (!p->fixed || t == 0 || t + period >= p->rounds ||
        p->round[t].noise != p->round[t + period].noise ||
        p->round[t].tie != p->round[t + period].tie ||
        p->round[t].part != p->round[t + period].part)
        return false;
    const netdp_i_step *next = d->round[t + period];
    int32_t columns = 0;
    netdp_i_step_columns(now, &columns);
    const int64_t cells = (int64_t)now->rows * (columns + now->behind);
    double change = 0, most = 0;
    for (int64_t i = 0; now->rows == next->rows && i < cells; i++) {
        change = fmax(change, fabs(now->spent[i] - next->spent[i]));
        most = fmax(most, fabs(now->spent[i]));
    }
    return now->rows == next->rows && change <= AT_REST * most;
}

static netdp_status recede(netdp_i_dense *d, front *f, const netdp_progress *progress,
                           netdp_error *error)
{
    const netdp_i_shift_problem *p = d->problem;
    const int64_t period = p->every > 0 ? p->every : 1;
    bool rest = false; /* rounds are those of a period later */
    for (int64_t t = p->rounds - 1; t >= 0; t--) {
        if (rest && t > 0 && p->round[t].noise == p->round[t + period].noise) {
            d->round[t] = d->round[t + period];
            continue;
        }
        if (rest)
            advance(p, d->round[t + 1], f);
        int64_t rows = 0;
        netdp_i_step *s = d->round[t] = &d->kept[d->kept_count++];
        TRY(list_nodes(p, t, s, error));
        bring_back(p, t, s, f, &rows);
        TRY(t == 0           ? spend_first(d, s, f, rows, error)
            : s->unknown > 0 ? spend_paired(d, t, s, f, rows, error)
                             : spend(&p->round[t], s, f, rows, error));
        if (t > 0) {
            rest = rests(d, t, period);
            advance(p, s, f);
        }
        TRY(netdp_i_report(progress, "accounting", (double)(p->rounds - t), (double)p->rounds,
                           error));
    }
    return NETDP_OK;
}

netdp_status netdp_i_dense_new(const netdp_i_shift_problem *problem, const netdp_progress *progress,
                               netdp_i_dense **dense, netdp_error *error)
{
    OWNED_BY(netdp_i_dense_free) netdp_i_dense *d = NETDP_I_NEW(netdp_i_dense, 1);
    CLEARED(front_clear) front f = {0};
    if (d == NULL)
        return netdp_i_no_memory(error);
    d->problem = problem;
    d->round = NETDP_I_NEW(netdp_i_step *, problem->rounds);
    d->kept = NETDP_I_NEW(netdp_i_step, problem->rounds);
    if (d->round == NULL || d->kept == NULL)
        return netdp_i_no_memory(error);
    TRY(front_new(&f, problem->nodes, problem->weight > 1, error));
    TRY(netdp_i_shift_pairs_new(problem, &d->pairs, error));
    TRY(recede(d, &f, progress, error));
    *dense = GIVE(d);
    return NETDP_OK;
}

/*
 * Elimination with complete pivoting says which rows of a coalition's sums stand for all. Rows that look as if others
 * implied them must do so exactly, in integers: no tolerance decides what observers learn.
 */
#include "account/shift/tie.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include <flint/fmpz.h> /* FLINT 3: not by fmpz_mat.h */
#include <flint/fmpz_mat.h>

#include "base/fail.h"
#include "base/pool.h"
#include "base/rounding.h"
#include "base/try.h"

/* Below this part of its row a pivot is one only where integers say so; so many entries they may have. */
#define CLEAR 1e-9
enum { EXACT_ROWS = 48, EXACT_ENTRIES = 30000 };

/* The rows of the sums, on nodes whose messages may move. */
typedef struct sums {
    int32_t rows, columns, free; /* free nodes' columns come first */
    int32_t *node;               /* [columns] */
    int32_t *place;              /* [nodes]: 1 + the column; 0: none */
    double *weight;              /* [rows][columns] */
    double *left;                /* the same, in elimination: rows of length 1 */
    int32_t *row, *column;       /* [rows], [columns]: in the order of elimination */
    netdp_i_pool pool;
} sums;

static void sums_clear(sums *s)
{
    netdp_i_pool_clear(&s->pool);
}

/* Those of one part, and then those of the other. */
static void list_columns(sums *s, netdp_rows rows, const char *part, const netdp_i_shift_tie *tie,
                         netdp_i_shift_part which)
{
    for (int32_t i = 0; i < tie->listed; i++)
        for (int64_t k = rows.start[tie->observer[i]]; k < rows.start[tie->observer[i] + 1]; k++) {
            const int32_t v = rows.column[k];
            if (part[v] != (char)which || s->place[v] != 0 || rows.weight[k] == 0)
                continue;
            s->node[s->columns] = v;
            s->place[v] = ++s->columns;
        }
}

static bool same_row(const sums *s, int32_t a, int32_t b)
{
    const int64_t n = s->columns;
    return memcmp(s->weight + a * n, s->weight + b * n, (size_t)n * sizeof *s->weight) == 0;
}

/* Sums that say nothing, or what another says, are of no use: the first of a kind come first. */
static void order_rows(sums *s, netdp_i_shift_tie *tie)
{
    int32_t *implied = s->row, dropped = 0; /* row is not needed yet */
    s->rows = 0;
    for (int32_t i = 0; i < tie->listed; i++) {
        double *row = s->weight + (int64_t)i * s->columns;
        double most = 0;
        for (int32_t j = 0; j < s->columns; j++)
            most = fmax(most, fabs(row[j]));
        bool own = most > 0;
        for (int32_t k = 0; own && k < s->rows; k++)
            own = !same_row(s, i, k);
        if (!own) {
            implied[dropped++] = tie->observer[i];
            continue;
        }
        memmove(s->weight + (int64_t)s->rows * s->columns, row,
                (size_t)s->columns * sizeof *s->weight);
        tie->observer[s->rows++] = tie->observer[i];
    }
    memcpy(tie->observer + s->rows, implied, (size_t)dropped * sizeof *implied);
}

static netdp_status sums_new(netdp_rows rows, const char *part, netdp_i_shift_tie *tie, sums *s,
                             netdp_error *error)
{
    netdp_i_pool *pool = &s->pool;
    s->place = NETDP_I_TAKE(pool, int32_t, rows.nodes);
    s->node = NETDP_I_TAKE(pool, int32_t, rows.nodes);
    TRY(netdp_i_pool_made(pool, error));
    list_columns(s, rows, part, tie, NETDP_I_PART_FREE);
    s->free = s->columns;
    list_columns(s, rows, part, tie, NETDP_I_PART_CARRIED);
    s->weight = NETDP_I_TAKE(pool, double, (int64_t)tie->listed * s->columns);
    s->left = NETDP_I_TAKE(pool, double, (int64_t)tie->listed * s->columns);
    s->row = NETDP_I_TAKE(pool, int32_t, tie->listed);
    s->column = NETDP_I_TAKE(pool, int32_t, s->columns);
    TRY(netdp_i_pool_made(pool, error));
    for (int32_t i = 0; i < tie->listed; i++)
        for (int64_t k = rows.start[tie->observer[i]]; k < rows.start[tie->observer[i] + 1]; k++)
            if (s->place[rows.column[k]] > 0)
                s->weight[(int64_t)i * s->columns + s->place[rows.column[k]] - 1] = rows.weight[k];
    order_rows(s, tie);
    return NETDP_OK;
}

static void swap(int32_t *a, int32_t *b)
{
    const int32_t c = *a;
    *a = *b;
    *b = c;
}

/* The largest entry that is left moves to the front; its size. */
static double find_pivot(sums *s, int32_t done)
{
    int32_t at_row = done, at_column = done;
    double most = -1;
    for (int32_t i = done; i < s->rows; i++)
        for (int32_t j = done; j < s->free; j++) {
            const double size = fabs(s->left[(int64_t)s->row[i] * s->columns + s->column[j]]);
            if (size > most) {
                most = size;
                at_row = i;
                at_column = j;
            }
        }
    if (most >= 0) {
        swap(&s->row[done], &s->row[at_row]);
        swap(&s->column[done], &s->column[at_column]);
    }
    return most;
}

/* Eliminates from row `done` on while pivots are above `least`; how many rows are done. */
static int32_t eliminate(sums *s, int32_t done, double least)
{
    for (; done < s->rows && find_pivot(s, done) > least; done++) {
        const double *pivot = s->left + (int64_t)s->row[done] * s->columns;
        for (int32_t i = done + 1; i < s->rows; i++) {
            double *row = s->left + (int64_t)s->row[i] * s->columns;
            const double factor = row[s->column[done]] / pivot[s->column[done]];
            for (int32_t j = 0; j < s->free; j++)
                row[s->column[j]] -= factor * pivot[s->column[j]];
            row[s->column[done]] = 0;
        }
    }
    return done;
}

static int32_t begin_elimination(sums *s)
{
    for (int32_t i = 0; i < s->rows; i++) {
        double length = 0;
        s->row[i] = i;
        for (int32_t j = 0; j < s->columns; j++)
            length = hypot(length, s->weight[(int64_t)i * s->columns + j]);
        for (int32_t j = 0; j < s->columns; j++)
            s->left[(int64_t)i * s->columns + j] = s->weight[(int64_t)i * s->columns + j] / length;
    }
    for (int32_t j = 0; j < s->columns; j++)
        s->column[j] = j;
    return eliminate(s, 0, CLEAR);
}

/* How many rows are independent, the weights being what they are to the last bit. */
static slong exact_rank(const sums *s)
{
    const int64_t entries = (int64_t)s->rows * s->columns;
    int least = INT32_MAX;
    for (int64_t k = 0; k < entries; k++) {
        int power = 0;
        if (s->weight[k] == 0)
            continue;
        frexp(s->weight[k], &power);
        least = power < least ? power : least;
    }
    fmpz_mat_t exact;
    fmpz_mat_init(exact, s->rows, s->columns);
    for (int64_t k = 0; k < entries; k++) {
        int power = 0;
        const double mantissa = frexp(s->weight[k], &power);
        fmpz *entry = fmpz_mat_entry(exact, k / s->columns, k % s->columns);
        fmpz_set_si(entry, (slong)ldexp(mantissa, DBL_MANT_DIG));
        if (s->weight[k] != 0)
            fmpz_mul_2exp(entry, entry, (ulong)(power - least));
    }
    const slong rank = fmpz_mat_rank(exact);
    fmpz_mat_clear(exact);
    return rank;
}

/* The inverse at the pivots, and how nearly: sums of `count` products round by (count + 2) 2^-53 each. */
static netdp_status invert(const sums *s, netdp_i_shift_tie *tie, netdp_error *error)
{
    const int64_t m = tie->count;
    OWNED double *at = NETDP_I_NEW(double, m *(m + 1));
    OWNED lapack_int *order = NETDP_I_NEW(lapack_int, m);
    if (at == NULL || order == NULL)
        return netdp_i_no_memory(error);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++)
            at[i * m + j] = s->weight[i * s->columns + (s->place[tie->pivot[j]] - 1)];
    memcpy(tie->inverse, at, (size_t)(m * m) * sizeof *at);
    tie->off = INFINITY;
    /* Of the transpose, by columns, in room of ours: by rows LAPACKE takes more, and prints where there is none. */
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, (lapack_int)m, (lapack_int)m, tie->inverse,
                            (lapack_int)m, order) != 0 ||
        LAPACKE_dgetri_work(LAPACK_COL_MAJOR, (lapack_int)m, tie->inverse, (lapack_int)m, order,
                            at + m * m, (lapack_int)m) != 0)
        return NETDP_OK;
    double most = 0;
    for (int64_t i = 0; i < m; i++) {
        double off = 0;
        for (int64_t j = 0; j < m; j++) {
            double sum = i == j ? -1 : 0, size = 1;
            for (int64_t k = 0; k < m; k++) {
                sum += tie->inverse[i * m + k] * at[k * m + j];
                size += fabs(tie->inverse[i * m + k] * at[k * m + j]);
            }
            off += fabs(sum) + size * (double)(m + 4) * DBL_EPSILON;
        }
        most = netdp_i_most(most, off);
    }
    tie->off = most * (1 + 1e-10);
    return NETDP_OK;
}

/* Rows in the order of their elimination: those that are implied behind those that are not. */
static netdp_status settle(sums *s, netdp_i_shift_tie *tie, int32_t done, netdp_error *error)
{
    OWNED int32_t *observer = NETDP_I_NEW(int32_t, s->rows);
    double *weight = NETDP_I_TAKE(&s->pool, double, (int64_t)s->rows * s->columns);
    if (observer == NULL || weight == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < s->rows; i++) {
        observer[i] = tie->observer[s->row[i]];
        memcpy(weight + (int64_t)i * s->columns, s->weight + (int64_t)s->row[i] * s->columns,
               (size_t)s->columns * sizeof *weight);
    }
    memcpy(tie->observer, observer, (size_t)s->rows * sizeof *observer);
    s->weight = weight;
    tie->count = done;
    for (int32_t i = 0; i < done; i++)
        tie->pivot[i] = s->node[s->column[i]];
    return invert(s, tie, error);
}

netdp_status netdp_i_tie_resolve(netdp_rows rows, const char *part, netdp_i_shift_tie *tie,
                                 netdp_error *error)
{
    CLEARED(sums_clear) sums s = {0};
    TRY(sums_new(rows, part, tie, &s, error));
    tie->count = 0;
    tie->off = 0;
    if (s.rows == 0)
        return NETDP_OK;
    int32_t clear = begin_elimination(&s);
    if (clear < s.rows) {
        const bool small = s.rows <= EXACT_ROWS && (int64_t)s.rows * s.columns <= EXACT_ENTRIES;
        const slong rank = small ? exact_rank(&s) : -1;
        if (rank == s.rows)
            clear = eliminate(&s, clear, 0);
        if (rank != clear) {
            tie->off = INFINITY;
            return NETDP_OK;
        }
    }
    return settle(&s, tie, clear, error);
}

#include "account/walk/many/nearby.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "mixing/mixing.h"

/* Steps of Lanczos after which it is looked whether they are enough: so many, then by so much more. */
enum { FIRST_LOOK = 32, MOST_STEPS = 30000 };
#define NEXT_LOOK 1.25

/* What more steps may still change, in parts. */
#define CLOSE 2e-14

/* A vector that is as small is rounding: the tridiagonal matrix is whole. */
#define NOTHING 1e-14

typedef netdp_i_nearby nearby;

void netdp_i_nearby_clear(nearby *r)
{
    netdp_i_free(r->place);
    netdp_i_free(r->end);
    netdp_i_free(r->start);
    netdp_i_free(r->column);
    netdp_i_free(r->weight);
    for (int i = 0; i < 3; i++)
        netdp_i_free(r->room[i]);
    *r = (nearby){0};
}

/* order [nodes]: hop by hop. */
static void find_order(netdp_rows rows, const int32_t *first, int32_t count, nearby *r,
                       int32_t *order)
{
    for (int32_t u = 0; u < rows.nodes; u++)
        r->place[u] = -1;
    for (int32_t i = 0; i < count; i++) {
        r->place[first[i]] = r->nodes;
        order[r->nodes++] = first[i];
    }
    for (int32_t from = 0; from < r->nodes;) {
        const int32_t end = r->nodes;
        r->end[r->levels++] = end;
        for (; from < end; from++)
            for (int64_t e = rows.start[order[from]]; e < rows.start[order[from] + 1]; e++)
                if (r->place[rows.column[e]] < 0) {
                    r->place[rows.column[e]] = r->nodes;
                    order[r->nodes++] = rows.column[e];
                }
    }
}

static void fill_rows(netdp_rows rows, const double *pi, const int32_t *order, nearby *r)
{
    int64_t at = 0;
    for (int32_t i = 0; i < r->nodes; i++) {
        const int32_t u = order[i];
        r->start[i] = at;
        for (int64_t e = rows.start[u]; e < rows.start[u + 1]; e++, at++) {
            const int32_t v = rows.column[e];
            r->column[at] = r->place[v];
            r->weight[at] = pi[u] == pi[v] ? rows.weight[e] : rows.weight[e] * sqrt(pi[u] / pi[v]);
        }
    }
    r->start[r->nodes] = at;
}

netdp_status netdp_i_nearby_new(netdp_rows rows, const double *pi, const int32_t *first,
                                int32_t count, nearby *r, netdp_error *error)
{
    const int64_t n = rows.nodes;
    *r = (nearby){.place = NETDP_I_NEW(int32_t, n),
                  .end = NETDP_I_NEW(int32_t, n + 1),
                  .start = NETDP_I_NEW(int64_t, n + 1),
                  .column = NETDP_I_NEW(int32_t, rows.start[n]),
                  .weight = NETDP_I_NEW(double, rows.start[n])};
    OWNED int32_t *order = NETDP_I_NEW(int32_t, n);
    bool whole = r->place != NULL && r->end != NULL && r->start != NULL && r->column != NULL &&
                 r->weight != NULL && order != NULL;
    for (int i = 0; i < 3; i++)
        whole = (r->room[i] = NETDP_I_NEW(double, n)) != NULL && whole;
    if (!whole) {
        netdp_i_nearby_clear(r);
        return netdp_i_no_memory(error);
    }
    find_order(rows, first, count, r, order);
    fill_rows(rows, pi, order, r);
    return NETDP_OK;
}

static int32_t end_of(const nearby *r, int64_t hops)
{
    return r->end[hops < r->levels ? hops : r->levels - 1];
}

/* y = S x, for an x that is 0 beyond so many hops less one. */
static void apply(const nearby *r, int64_t hops, const double *x, double *y)
{
    const netdp_rows rows = {r->nodes, r->start, r->column, r->weight};
    netdp_i_rows_apply_part(rows, 0, end_of(r, hops), x, y, 1);
}

void netdp_i_nearby_follow(nearby *r, double *x, const int32_t place[2], int64_t terms,
                           double *at[2])
{
    double *now = x, *next = r->room[0];
    memset(next, 0, (size_t)r->nodes * sizeof *next);
    for (int64_t t = 0; t < terms; t++) {
        for (int i = 0; i < 2; i++)
            at[i][t] = now[place[i]];
        apply(r, t + 1, now, next);
        double *swap = now;
        now = next;
        next = swap;
    }
}

/* e_1' (I - z T)^{-1} e_1 of the tridiagonal T. */
static double complex fraction(const double *diagonal, const double *beside, int64_t order,
                               double complex z)
{
    double complex below = 1 - z * diagonal[order - 1];
    for (int64_t k = order - 2; k >= 0; k--)
        below = 1 - z * diagonal[k] - z * z * (beside[k] * beside[k]) / below;
    return 1 / below;
}

/* The values by so many steps; returns by how much they changed, in parts. */
static double look(const double *diagonal, const double *beside, int64_t order,
                   const double complex *z, int32_t points, double complex *value)
{
    double change = 0;
    for (int32_t i = 0; i < points; i++) {
        const double complex now = fraction(diagonal, beside, order, z[i]);
        change = fmax(change, cabs(now - value[i]) / cabs(now));
        value[i] = now;
    }
    return change;
}

/* One step: room[1] the vector, room[0] the one before, room[2] the next, not yet of length 1. */
static void advance(nearby *r, int64_t step, double before, double *diagonal, double *beside)
{
    const int32_t end = end_of(r, step + 1);
    double *last = r->room[0], *now = r->room[1], *next = r->room[2], sum = 0, square = 0;
    apply(r, step + 1, now, next);
    for (int32_t i = 0; i < end; i++)
        next[i] -= before * last[i];
    for (int32_t i = 0; i < end; i++)
        sum += next[i] * now[i];
    for (int32_t i = 0; i < end; i++) {
        next[i] -= sum * now[i];
        square += next[i] * next[i];
    }
    *diagonal = sum;
    *beside = sqrt(square);
    if (*beside > NOTHING)
        for (int32_t i = 0; i < end; i++)
            next[i] /= *beside;
    r->room[0] = now;
    r->room[1] = next;
    r->room[2] = last;
}

netdp_status netdp_i_nearby_transform(nearby *r, const double *x, const double complex *z,
                                      int32_t points, double complex *value, bool *made,
                                      netdp_error *error)
{
    OWNED double *diagonal = NETDP_I_NEW(double, MOST_STEPS);
    OWNED double *beside = NETDP_I_NEW(double, MOST_STEPS);
    double square = 0;
    *made = false;
    if (diagonal == NULL || beside == NULL)
        return netdp_i_no_memory(error);
    for (int i = 0; i < 3; i++)
        memset(r->room[i], 0, (size_t)r->nodes * sizeof(double));
    for (int32_t i = 0; i < r->nodes; i++)
        square += x[i] * x[i];
    for (int32_t i = 0; i < r->nodes; i++)
        r->room[1][i] = x[i] / sqrt(square);
    for (int32_t i = 0; i < points; i++)
        value[i] = 0;
    int64_t next = FIRST_LOOK;
    for (int64_t k = 0; k < MOST_STEPS && !*made; k++) {
        advance(r, k, k > 0 ? beside[k - 1] : 0, &diagonal[k], &beside[k]);
        const bool whole = beside[k] <= NOTHING;
        if (k + 1 < next && !whole)
            continue;
        *made = look(diagonal, beside, k + 1, z, points, value) < CLOSE || whole;
        next = (int64_t)ceil(NEXT_LOOK * (double)next);
    }
    for (int32_t i = 0; i < points; i++)
        value[i] *= square;
    return NETDP_OK;
}

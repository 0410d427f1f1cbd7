/* Products of displacements that stand in other rounds than those they were found in. */
#include "account/shift/stretch.h"

#include <cblas.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"

/* Whose displacement the k-th of `length` contributions takes, and how many contributions later. */
typedef struct borrowed {
    int64_t from, later;
} borrowed;

static borrowed borrow(int64_t slots, int64_t length, int64_t k)
{
    const int64_t middle = slots / 2, more = length - slots;
    if (k < middle)
        return (borrowed){k, 0};
    return k > middle + more ? (borrowed){k - more, more} : (borrowed){middle, k - middle};
}

/* to[slots] += the products of all displacements, `later` contributions on, with the middle one, or of the middle one so far on with all. */
static void meet_middle(const netdp_i_short_stream *s, int64_t later, bool ahead, double *to)
{
    const netdp_i_shift_problem *p = s->problem;
    const int64_t by = later * p->every, row = p->nodes * s->lanes,
                  of_slot = p->pair_count * s->lanes;
    const int64_t middle = s->slots / 2;
    const int n = (int)s->slots, lanes = (int)s->lanes;
    for (int64_t t = 0; t + by < p->rounds; t++)
        cblas_dgemv(CblasRowMajor, CblasTrans, p->nodes, n, 1, s->v + (ahead ? t : t + by) * row,
                    lanes, s->v + (ahead ? t + by : t) * row + middle, lanes, 1, to, 1);
    for (int64_t k = 0; of_slot > 0 && k + later < s->slots; k++)
        cblas_dgemv(CblasRowMajor, CblasTrans, (int)p->pair_count, n, 1,
                    s->c + (ahead ? k : k + later) * of_slot, lanes,
                    s->c + (ahead ? k + later : k) * of_slot + middle, lanes, 1, to, 1);
}

/* to[slots][slots]: the products of all displacements with all, `later` contributions on. */
static void meet_all(const netdp_i_short_stream *s, int64_t later, double *to)
{
    const netdp_i_shift_problem *p = s->problem;
    const int64_t by = later * p->every, row = p->nodes * s->lanes,
                  of_slot = p->pair_count * s->lanes;
    const int n = (int)s->slots, lanes = (int)s->lanes;
    for (int64_t t = 0; t + by < p->rounds; t++)
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, n, p->nodes, 1,
                    s->v + (t + by) * row, lanes, s->v + t * row, lanes, 1, to, n);
    for (int64_t k = 0; of_slot > 0 && k + later < s->slots; k++)
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, n, (int)p->pair_count, 1,
                    s->c + (k + later) * of_slot, lanes, s->c + k * of_slot, lanes, 1, to, n);
}

netdp_status netdp_i_shift_stretch(const netdp_i_short_stream *s, int64_t length, double *to,
                                   double *off, netdp_error *error)
{
    const int64_t n = s->slots, middle = n / 2, more = length - n;
    OWNED double *before = NETDP_I_NEW(double, n *n);
    OWNED double *behind = NETDP_I_NEW(double, n *n);
    OWNED double *ends = NETDP_I_NEW(double, n *n);
    if (before == NULL || behind == NULL || ends == NULL)
        return netdp_i_no_memory(error);
    for (int64_t d = 0; d < n; d++) {
        meet_middle(s, d, true, before + d * n);
        meet_middle(s, d, false, behind + d * n);
    }
    if (more < n)
        meet_all(s, more, ends);
    for (int64_t i = 0; i < length; i++) {
        const borrowed a = borrow(n, length, i);
        off[i] = s->off[a.from];
        for (int64_t j = 0; j <= i; j++) {
            const borrowed b = borrow(n, length, j);
            const int64_t d = a.later - b.later;
            double product = 0;
            if (d == 0)
                product = s->m[a.from * n + b.from];
            else if (d < n && a.from == middle)
                product = behind[d * n + b.from];
            else if (d < n && b.from == middle)
                product = before[d * n + a.from];
            else if (d < n)
                product = ends[b.from * n + a.from];
            to[i * length + j] = to[j * length + i] = product;
        }
    }
    return NETDP_OK;
}

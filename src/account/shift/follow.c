/*
 * The dense recursion followed forward: for every source at once, from what its contribution brings in; and Newton's step
 * from a displacement at hand, which is the same recursion with a linear term.
 *
 * With v the noise's shifts at hand, half the cost changes with g_t by h_t = v_t / nu_t - w W v_{t+1} / nu_{t+1} + (w - 1) v_{t+2} /
 * nu_{t+2}, in doubles but of residuals that were not rounded when they were found: so it is right to 2^-53 of its parts.
 */
#include <cblas.h>
#include <string.h>

#include "account/shift/dense.h"
#include "account/shift/steps.h"
#include "base/fail.h"
#include "base/pool.h"
#include "base/try.h"
#include "mixing/mixing.h"

/* Scratch of one way, [nodes][lanes] each. */
typedef struct way {
    const netdp_i_dense *dense;
    int32_t lanes;
    double *in, *before, *last;  /* what comes in; g of one and of two rounds before */
    double *right, *room, *more; /* right, and spent: [2 nodes][lanes] */
    double *spent;
    double *kept;           /* [rounds][nodes][lanes]: M~ of the linear terms */
    double *along, *behind; /* linear terms of what comes in, and of the round before */
    netdp_i_pool pool;
} way;

static netdp_status way_new(const netdp_i_dense *dense, int32_t lanes, bool back, way *w,
                            netdp_error *error)
{
    const int64_t cells = (int64_t)dense->problem->nodes * lanes;
    netdp_i_pool *pool = &w->pool;
    *w = (way){.dense = dense, .lanes = lanes};
    w->in = NETDP_I_TAKE(pool, double, cells);
    w->before = NETDP_I_TAKE(pool, double, cells);
    w->last = NETDP_I_TAKE(pool, double, cells);
    w->right = NETDP_I_TAKE(pool, double, 2 * cells);
    w->spent = NETDP_I_TAKE(pool, double, 2 * cells);
    w->room = NETDP_I_TAKE(pool, double, cells);
    w->more = NETDP_I_TAKE(pool, double, cells);
    w->kept = NETDP_I_TAKE(pool, double, back ? cells * dense->problem->rounds : 0);
    w->along = NETDP_I_TAKE(pool, double, back ? cells : 0);
    w->behind = NETDP_I_TAKE(pool, double, back ? cells : 0);
    return netdp_i_pool_made(pool, error);
}

static void way_clear(way *w)
{
    netdp_i_pool_clear(&w->pool);
}

static void add(double factor, const double *x, double *y, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        y[i] += factor * x[i];
}

/* rows of these nodes into `to`, one behind another; and back. */
static void gather(const double *from, const int32_t *node, int32_t count, int32_t lanes,
                   double *to)
{
    for (int64_t i = 0; i < count; i++)
        memcpy(to + i * lanes, from + (int64_t)node[i] * lanes, (size_t)lanes * sizeof *to);
}

static void scatter(const double *from, const int32_t *node, int32_t count, int32_t lanes,
                    double *to)
{
    for (int64_t i = 0; i < count; i++)
        memcpy(to + (int64_t)node[i] * lanes, from + i * lanes, (size_t)lanes * sizeof *to);
}

/* to [columns][lanes] += factor S' z, z [rows][lanes]; and z = S x. */
static void add_spent(const netdp_i_step *s, int32_t first, int32_t columns, double factor,
                      const double *z, double *to, int32_t lanes)
{
    if (s->rows > 0 && columns > 0)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, columns, lanes, s->rows, factor,
                    s->spent + (int64_t)first * s->rows, s->rows, z, lanes, 1, to, lanes);
}

static void take_spent(const netdp_i_step *s, int32_t columns, const double *x, double *z,
                       int32_t lanes)
{
    if (s->rows > 0 && columns > 0)
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, s->rows, lanes, columns, 1, s->spent,
                    s->rows, x, lanes, 0, z, lanes);
}

/* z = cross' x of a later round with noise in pairs, and back: to = -cross z. */
static void cross_with(const netdp_i_step *s, const double *x, double *z, int32_t lanes)
{
    if (s->free > 0)
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, s->free, lanes,
                    s->unknown + s->carried, 1, s->cross, s->free, x, lanes, 0, z, lanes);
}

static void cross_back(const netdp_i_step *s, const double *z, double *to, int32_t lanes)
{
    if (s->free > 0)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, s->unknown + s->carried, lanes,
                    s->free, -1, s->cross, s->free, z, lanes, 0, to, lanes);
    else
        memset(to, 0, (size_t)(s->unknown + s->carried) * (size_t)lanes * sizeof *to);
}

/*
 * The free nodes' part of a round's answer, into w->right: in a first round M~ (in - cross), with noise in pairs later -L^-T (1 - U U') cross'
 * in, else P in - S_F' S (in, before).
 */
static void answer(way *w, const netdp_i_step *s)
{
    const int64_t lanes = w->lanes;
    if (s->unknown > 0) {
        gather(w->in, s->column, s->unknown + s->carried, w->lanes, w->right);
        cross_with(s, w->right, w->spent, w->lanes);
        netdp_i_step_untie(s, w->spent, w->lanes, w->room);
        netdp_i_step_up(s, w->spent, w->lanes);
        for (int64_t i = 0; i < s->free * lanes; i++)
            w->right[i] = -w->spent[i];
        return;
    }
    gather(w->in, s->node, s->free + s->carried, w->lanes, w->right);
    if (s->lower != NULL) {
        for (int64_t c = 0; c < s->carried; c++)
            for (int64_t i = 0; i < s->free; i++)
                add(-s->cross[c * s->free + i], w->right + (s->free + c) * lanes,
                    w->right + i * lanes, lanes);
        netdp_i_step_first(s, w->right, w->lanes, w->room);
        return;
    }
    gather(w->before, s->node, s->behind, w->lanes, w->right + (s->free + s->carried) * lanes);
    take_spent(s, s->free + s->carried + s->behind, w->right, w->spent, w->lanes);
    netdp_i_step_untie(s, w->right, w->lanes, w->room);
    add_spent(s, 0, s->free, -1, w->spent, w->right, w->lanes);
}

/* g of a round into w->more, from what comes in, less `kept`. */
static void respond(way *w, int64_t t, const double *kept)
{
    const netdp_i_shift_problem *p = w->dense->problem;
    const netdp_i_step *s = w->dense->round[t];
    answer(w, s);
    memset(w->more, 0, (size_t)p->nodes * (size_t)w->lanes * sizeof *w->more);
    scatter(w->right, s->node, s->free, w->lanes, w->more);
    for (int64_t i = s->free; i < s->free + s->carried; i++)
        memcpy(w->more + (int64_t)s->node[i] * w->lanes, w->in + (int64_t)s->node[i] * w->lanes,
               (size_t)w->lanes * sizeof *w->more);
    if (kept != NULL)
        add(-1, kept, w->more, (int64_t)p->nodes * w->lanes);
}

/* What comes in in round t, from before and last; then g at hand becomes them. */
static void pass(way *w, int64_t t)
{
    const netdp_i_shift_problem *p = w->dense->problem;
    const int64_t cells = (int64_t)p->nodes * w->lanes;
    netdp_i_rows_apply_part(p->round[t - 1].rows, 0, p->nodes, w->before, w->in, w->lanes);
    if (t < 2 || !(p->weight > 1))
        return;
    for (int64_t i = 0; i < cells; i++)
        w->in[i] = p->weight * w->in[i] - (p->weight - 1) * w->last[i];
}

static void shift_on(way *w)
{
    double *spare = w->last;
    w->last = w->before;
    w->before = w->more;
    w->more = spare;
}

netdp_status netdp_i_dense_find(const netdp_i_dense *dense, netdp_i_displacement *displacement,
                                netdp_error *error)
{
    const netdp_i_shift_problem *p = dense->problem;
    const int64_t lanes = displacement->lanes, cells = p->nodes * lanes;
    CLEARED(way_clear) way w = {0};
    TRY(way_new(dense, displacement->lanes, false, &w, error));
    for (int64_t l = 0; l < lanes; l++)
        w.before[displacement->source[l] * lanes + l] = 1;
    if (dense->pairs.count > 0)
        netdp_i_shift_pairs_solve(&dense->pairs, p->nodes, w.before, w.in, w.lanes);
    else
        memcpy(w.in, w.before, (size_t)cells * sizeof *w.in);
    for (int64_t t = 0; t < p->rounds; t++) {
        if (t > 0)
            pass(&w, t);
        respond(&w, t, NULL);
        memcpy(displacement->g + t * cells, w.more, (size_t)cells * sizeof *w.more);
        if (t == 0 && dense->pairs.count > 0) { /* v_0 = N^-1 (g_0 - e_u), and c its pull */
            for (int64_t i = 0; i < cells; i++)
                w.in[i] = w.more[i] - w.before[i];
            netdp_i_shift_pairs_solve(&dense->pairs, p->nodes, w.in, w.last, w.lanes);
            netdp_i_shift_pairs_pull(p, w.last, displacement->c, w.lanes);
        }
        shift_on(&w);
    }
    return NETDP_OK;
}

/* ---- Newton's step ---- */

/* h_t in units of nu_t^2, into w->in. */
static void find_slope(way *w, const double *v, int64_t t)
{
    const netdp_i_shift_problem *p = w->dense->problem;
    const int64_t cells = (int64_t)p->nodes * w->lanes,
                  last = p->end > 0 ? p->rounds : p->rounds - 1;
    const double own = p->round[t].noise, weight = t > 0 ? p->weight : 1;
    for (int64_t i = 0; i < cells; i++)
        w->in[i] = own * v[t * cells + i];
    if (t + 1 <= last) {
        const double next = t + 1 < p->rounds ? p->round[t + 1].noise : p->end;
        netdp_i_rows_apply_part(p->round[t].rows, 0, p->nodes, v + (t + 1) * cells, w->more,
                                w->lanes);
        add(-weight * own * (own / next), w->more, w->in, cells);
    }
    if (p->weight > 1 && t + 2 <= last) {
        const double after = t + 2 < p->rounds ? p->round[t + 2].noise : p->end;
        add((p->weight - 1) * own * (own / after), v + (t + 2) * cells, w->in, cells);
    }
}

/* The same of a later round with noise in pairs; w->right has the terms of the free and the carried nodes. */
static void recede_paired(way *w, const netdp_i_step *s, double *kept)
{
    const int64_t lanes = w->lanes, cells = w->dense->problem->nodes * lanes;
    double *carried = w->right + s->free * lanes;
    netdp_i_step_down(s, w->right, w->lanes, w->room);
    cross_back(s, w->right, w->spent, w->lanes);
    add(1, carried, w->spent + s->unknown * lanes, s->carried * lanes);
    memset(w->along, 0, (size_t)cells * sizeof *w->along);
    scatter(w->spent, s->column, s->unknown + s->carried, w->lanes, w->along);
    netdp_i_step_up(s, w->right, w->lanes);
    memset(kept, 0, (size_t)cells * sizeof *kept);
    scatter(w->right, s->node, s->free, w->lanes, kept);
}

/* Linear terms of round t from those of round t + 1: what they are worth at the free nodes is kept, the rest is passed on. */
static void recede(way *w, int64_t t)
{
    const netdp_i_shift_problem *p = w->dense->problem;
    const netdp_i_step *s = w->dense->round[t];
    const int64_t lanes = w->lanes, cells = p->nodes * lanes;
    const double weight = t > 0 ? p->weight : 1;
    const double ratio = t + 1 < p->rounds ? p->round[t].noise / p->round[t + 1].noise : 0;
    const double square = ratio * ratio;
    netdp_i_rows_apply_part(p->round[t].rows, 0, p->nodes, w->along, w->more, w->lanes);
    add(square * weight, w->more, w->in, cells);
    if (p->weight > 1)
        add(square, w->behind, w->in, cells);
    for (int64_t i = 0; i < cells; i++)
        w->behind[i] = -square * (weight - 1) * w->along[i];
    gather(w->in, s->node, s->free + s->carried, w->lanes, w->right);
    double *kept = w->kept + t * cells, *carried = w->right + s->free * lanes,
           *behind = carried + s->carried * lanes;
    if (s->unknown > 0) {
        recede_paired(w, s, kept);
        return;
    }
    if (s->lower != NULL) {
        netdp_i_step_first(s, w->right, w->lanes, w->room); /* nothing is before it */
    } else {
        take_spent(s, s->free, w->right, w->spent, w->lanes);
        netdp_i_step_untie(s, w->right, w->lanes, w->room);
        gather(w->behind, s->node, s->behind, w->lanes, behind);
        add_spent(s, 0, s->free + s->carried + s->behind, -1, w->spent, w->right, w->lanes);
        scatter(behind, s->node, s->behind, w->lanes, w->behind);
    }
    memset(kept, 0, (size_t)cells * sizeof *kept);
    scatter(w->right, s->node, s->free, w->lanes, kept);
    memcpy(w->along, kept, (size_t)cells * sizeof *kept);
    scatter(carried, s->node + s->free, s->carried, w->lanes, w->along);
}

/* What c's slope, -pull, brings to a round: N^-1 kappa B h_c, into w->more. `brought` [nodes][lanes]. */
static void bring_pull(way *w, const double *pull, double *brought)
{
    const netdp_i_dense *d = w->dense;
    memset(brought, 0, (size_t)d->problem->nodes * (size_t)w->lanes * sizeof *brought);
    netdp_i_shift_pairs_bring(d->problem, -1, pull, brought, w->lanes);
    netdp_i_shift_pairs_solve(&d->pairs, d->problem->nodes, brought, w->more, w->lanes);
}

/* The pairs' part of the step: c [pair_count][lanes] moves by kappa B' N^-1 (g's step less what comes in, + brought) + pull. */
static void step_pairs(way *w, const double *pull, double *brought, double *c, double *gain)
{
    const netdp_i_dense *d = w->dense;
    const int64_t lanes = w->lanes;
    netdp_i_shift_pairs_solve(&d->pairs, d->problem->nodes, brought, w->room, w->lanes);
    for (int64_t e = 0; e < d->problem->pair_count; e++)
        for (int64_t l = 0; l < lanes; l++) {
            const int64_t a = d->problem->pair[2 * e] * lanes + l,
                          b = d->problem->pair[2 * e + 1] * lanes + l, i = e * lanes + l;
            const double by = d->problem->kappa[e] * (w->room[a] - w->room[b]) + pull[i];
            c[i] += by;
            gain[l] += pull[i] * by;
        }
}

/* Half of what is gained is the slope along the step: twice that of half the cost, halved. */
static void add_gain(const way *w, int64_t t, const double *by, double *gain)
{
    const netdp_i_shift_problem *p = w->dense->problem;
    const int64_t lanes = w->lanes;
    for (int64_t i = 0; i < p->nodes; i++)
        for (int64_t l = 0; l < lanes; l++)
            gain[l] -=
                w->in[i * lanes + l] * by[i * lanes + l] / p->round[t].noise / p->round[t].noise;
}

/* The linear terms of all rounds, backwards; what pulls bring is kept for the way forward. */
static void recede_all(way *w, const netdp_i_moved *moved, double *brought)
{
    const netdp_i_shift_problem *p = w->dense->problem;
    const int64_t cells = (int64_t)p->nodes * w->lanes, of_slot = p->pair_count * w->lanes;
    int64_t slot = netdp_i_shift_slots(p);
    for (int64_t t = p->rounds - 1; t >= 0; t--) {
        const bool pulled = of_slot > 0 && netdp_i_shift_contributes(p, t);
        find_slope(w, moved->v, t);
        if (pulled) {
            slot--;
            bring_pull(w, moved->pull + slot * of_slot, brought + slot * cells);
            add(1, w->more, w->in, cells);
        }
        recede(w, t);
        if (pulled && t > 0) { /* of g - a both: and recede needs w->more */
            netdp_i_shift_pairs_solve(&w->dense->pairs, p->nodes, brought + slot * cells, w->more,
                                      w->lanes);
            add(-1, w->more, w->along, cells);
        }
    }
}

/* The step itself, forward; into `gain` what it gains. */
static void step_all(way *w, const netdp_i_moved *moved, double *brought,
                     netdp_i_displacement *displacement, double *gain)
{
    const netdp_i_shift_problem *p = w->dense->problem;
    const int64_t cells = (int64_t)p->nodes * w->lanes, of_slot = p->pair_count * w->lanes;
    int64_t slot = 0;
    memset(w->in, 0, (size_t)cells * sizeof *w->in);
    for (int64_t t = 0; t < p->rounds; t++) {
        const bool pulled = of_slot > 0 && netdp_i_shift_contributes(p, t);
        if (t > 0)
            pass(w, t);
        respond(w, t, w->kept + t * cells);
        add(1, w->more, displacement->g + t * cells, cells);
        if (pulled) {
            add(1, w->more, brought + slot * cells, cells);
            add(-1, w->in, brought + slot * cells, cells);
        }
        shift_on(w);
        find_slope(w, moved->v, t);
        add_gain(w, t, w->before, gain);
        if (pulled) {
            step_pairs(w, moved->pull + slot * of_slot, brought + slot * cells,
                       displacement->c + slot * of_slot, gain);
            slot++;
        }
    }
}

netdp_status netdp_i_dense_refine(const netdp_i_dense *dense, netdp_i_displacement *displacement,
                                  const netdp_i_moved *moved, double *gain, netdp_error *error)
{
    const netdp_i_shift_problem *p = dense->problem;
    const int64_t cells = (int64_t)p->nodes * displacement->lanes;
    const int64_t slots = p->pair_count > 0 ? netdp_i_shift_slots(p) : 0;
    CLEARED(way_clear) way w = {0};
    TRY(way_new(dense, displacement->lanes, true, &w, error));
    double *brought = NETDP_I_TAKE(&w.pool, double, cells *slots);
    TRY(netdp_i_pool_made(&w.pool, error));
    memset(gain, 0, (size_t)displacement->lanes * sizeof *gain);
    recede_all(&w, moved, brought);
    step_all(&w, moved, brought, displacement, gain);
    return NETDP_OK;
}

/*
 * What a story costs, rounded outward (docs/proofs/shift.md). The displacement stands in memory, so that a noise's shift is one row of W
 * and two rounds: nothing that was rounded in one round comes into another, but for what follows from others (pivots of ties,
 * carried nodes), which has two doubles and a width.
 *
 * A row's sum keeps what each product and each addition rounds off: `high` takes the sum, `low` what it lost. With m terms of sizes that
 * add up to S what is rounded is at most 2 m (m + 1) 2^-106 S, for which (m + SPARE)^2 2^-104 S is taken, and TINY for
 * products too small for doubles. All operations are IEEE's, and fma where it is one: every processor rounds alike.
 */
#include "account/shift/problem.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "account/shift/sum.h"
#include "base/clones.h"
#include "base/fail.h"
#include "base/pool.h"
#include "base/try.h"

/* Corrections of the pivots: each takes another 2^-53 times the condition of what is left. */
enum { CORRECTIONS = 4 };

#if defined(__x86_64__) && defined(__ELF__)
#define WIDER NETDP_I_CLONES("avx512f", "fma", "default")
#else
#define WIDER
#endif

/* Numbers of two doubles, of a block of sources, and how far those of any source are from the truth. */
typedef struct wide {
    double *high, *low; /* [nodes][LANES] */
    double *far, *size; /* [nodes]: of every lane at most */
    bool *soft;         /* [nodes]: low or far is not 0 */
} wide;

typedef struct state {
    const netdp_i_shift_problem *problem;
    const netdp_i_displacement *of;
    int32_t first, lanes; /* of the displacement's */
    wide a, g[3];         /* what comes in, and g of this round and the two before it */
    int now;              /* which of them is this round's */
    double *coarse,
        *fine;    /* [nodes][LANES]: g of the round before on a grid of 2^-24, and the rest */
    double grid;  /* in units of this power of 2, which none is above */
    bool *narrow; /* [nodes]: rows for which that serves ... */
    const double *narrow_of; /* ... of these weights */
    double *terms,
        *ones;    /* [nodes]: of what contributions bring: how many of pairs, and how many of 1 */
    double *left; /* [most ties][LANES][2]: of tied sums */
    double *left_far;    /* [most ties] */
    netdp_i_moved moved; /* each may be NULL */
    double total[LANES], off[LANES];
    netdp_i_pool pool;
} state;

static wide wide_new(netdp_i_pool *pool, int64_t nodes)
{
    return (wide){.high = NETDP_I_TAKE(pool, double, nodes *LANES),
                  .low = NETDP_I_TAKE(pool, double, nodes *LANES),
                  .far = NETDP_I_TAKE(pool, double, nodes),
                  .size = NETDP_I_TAKE(pool, double, nodes),
                  .soft = NETDP_I_TAKE(pool, bool, nodes)};
}

static void state_clear(state *x)
{
    netdp_i_pool_clear(&x->pool);
}

/* ---- What comes in ---- */

/* A sum of products: how many, their sizes in all, and how far they are from the truth by what they are made of. */
typedef struct row_of {
    double terms, size, far;
} row_of;

/* One row times g, in registers. Nodes that stay cost nothing. */
static INSIDE void take_row(netdp_rows rows, int32_t v, const wide *g, double *restrict high,
                            double *restrict low, row_of *row)
{
    double h[LANES] = {0}, l[LANES] = {0};
    *row = (row_of){0};
    for (int64_t k = rows.start[v]; k < rows.start[v + 1]; k++) {
        const int32_t w = rows.column[k];
        const double weight = rows.weight[k];
        if (g->size[w] == 0)
            continue;
        add_product(weight, g->high + (int64_t)w * LANES, h, l);
        row->terms += 1;
        row->size += fabs(weight) * g->size[w];
        if (g->soft[w]) {
            add_low(weight, g->low + (int64_t)w * LANES, l);
            row->far += fabs(weight) * g->far[w];
            row->terms += 1;
        }
    }
    memcpy(high, h, sizeof h);
    memcpy(low, l, sizeof l);
    row->size *= 1 + 4 * UNIT * (row->terms + 1);
    row->far *= 1 + 4 * UNIT * (row->terms + 1);
}

/*
 * Rows of few entries, none above 1, need no more than three products each. With g = coarse + fine, coarse a multiple of 2^-24 grid and |fine| at
 * most 2^-25 grid, and a weight likewise in units of 1, the products of the coarse parts are multiples of 2^-48 grid and add up to less than
 * 2^5 grid: exactly. What is left is at most (sum + m) 2^-25 grid in all, and rounds by (2 m + 4) 2^-53 of that.
 */
enum { NARROW = 64 };
#define NARROW_SUM 30.0
#define COARSE (1.5 * 0x1p28) /* beside which a number below 1 keeps 24 bits behind the point */

static INSIDE double coarse_of(double x, double grid)
{
    const double above = COARSE * grid;
    return (x + above) - above;
}

static void find_narrow(state *x, netdp_rows rows)
{
    if (x->narrow_of == rows.weight)
        return;
    x->narrow_of = rows.weight;
    for (int32_t v = 0; v < rows.nodes; v++) {
        double sum = 0, most = 0;
        for (int64_t k = rows.start[v]; k < rows.start[v + 1]; k++) {
            sum += fabs(rows.weight[k]);
            most = fmax(most, fabs(rows.weight[k]));
        }
        x->narrow[v] =
            rows.start[v + 1] - rows.start[v] <= NARROW && sum <= NARROW_SUM && most <= 1;
    }
}

WIDER static void split(state *x, const wide *g)
{
    double most = 0;
    for (int64_t v = 0; v < x->problem->nodes; v++)
        most = g->size[v] > most ? g->size[v] : most;
    int power = 0;
    x->grid = most > 0x1p-900 && most < 0x1p900 ? (frexp(most, &power), ldexp(1, power)) : 0;
    for (int64_t v = 0; x->grid > 0 && v < x->problem->nodes; v++) {
        const double *high = g->high + v * LANES, *low = g->low + v * LANES;
        double *coarse = x->coarse + v * LANES, *fine = x->fine + v * LANES;
        if (g->size[v] == 0)
            continue;
        for (int l = 0; l < LANES; l++) {
            coarse[l] = coarse_of(high[l], x->grid);
            fine[l] = high[l] - coarse[l];
        }
        for (int l = 0; g->soft[v] && l < LANES; l++)
            fine[l] += low[l];
    }
}

static INSIDE void take_narrow(const state *x, netdp_rows rows, int32_t v, const wide *g,
                               double *restrict high, double *restrict low, row_of *row)
{
    double h[LANES] = {0}, l[LANES] = {0}, sum = 0;
    *row = (row_of){0};
    for (int64_t k = rows.start[v]; k < rows.start[v + 1]; k++) {
        const int32_t w = rows.column[k];
        const double weight = rows.weight[k], most = coarse_of(weight, 1), rest = weight - most;
        const double *coarse = x->coarse + (int64_t)w * LANES, *fine = x->fine + (int64_t)w * LANES;
        if (g->size[w] == 0)
            continue;
        for (int i = 0; i < LANES; i++) {
            h[i] = fma(most, coarse[i], h[i]);
            l[i] = fma(weight, fine[i], l[i]);
            l[i] = fma(rest, coarse[i], l[i]);
        }
        row->terms += 1;
        sum += fabs(weight);
        row->size += fabs(weight) * g->size[w];
        row->far += fabs(weight) * g->far[w];
    }
    memcpy(high, h, sizeof h);
    memcpy(low, l, sizeof l);
    row->size *= 1 + 4 * UNIT * (row->terms + 1);
    row->far *= 1 + 4 * UNIT * (row->terms + 1);
    row->far += (2 * row->terms + 8) * UNIT * (sum + row->terms + 1) * 0x1p-25 * x->grid * ROUND_UP;
}

WIDER static void arrive(state *x, netdp_rows rows, double weight)
{
    const wide *g = &x->g[(x->now + 2) % 3], *before = &x->g[(x->now + 1) % 3];
    find_narrow(x, rows);
    split(x, g);
    for (int32_t v = 0; v < rows.nodes; v++) {
        double *high = x->a.high + (int64_t)v * LANES, *low = x->a.low + (int64_t)v * LANES;
        row_of row;
        if (x->narrow[v] && x->grid > 0)
            take_narrow(x, rows, v, g, high, low, &row);
        else
            take_row(rows, v, g, high, low, &row);
        settle_sum(high, low);
        if (weight > 1) {
            scale_by(weight, high, low);
            if (before->size[v] > 0) {
                add_product(1 - weight, before->high + (int64_t)v * LANES, high, low);
                add_low(1 - weight, before->low + (int64_t)v * LANES, low);
            }
            settle_sum(high, low);
            row.size = (weight * row.size + (weight - 1) * before->size[v]) * ROUND_UP;
            row.far = (weight * row.far + (weight - 1) * before->far[v]) * ROUND_UP;
            row.terms += 4;
        }
        x->a.size[v] = row.size;
        x->a.far[v] = row.size > 0 ? row.far + rounded(row.terms, row.size) : 0;
    }
}

/* What the pairs of one round bring, and what their noise pays. */
static INSIDE void bring_pairs(state *x, const double *moves)
{
    const netdp_i_shift_problem *p = x->problem;
    for (int64_t e = 0; e < p->pair_count; e++) {
        const double kappa = p->kappa[e];
        const int64_t adds = p->pair[2 * e], takes = p->pair[2 * e + 1];
        double c[LANES] = {0};
        memcpy(c, moves + e * x->of->lanes + x->first, (size_t)x->lanes * sizeof *c);
        add_product(kappa, c, x->a.high + adds * LANES, x->a.low + adds * LANES);
        add_product(-kappa, c, x->a.high + takes * LANES, x->a.low + takes * LANES);
        const double size = kappa * largest(c) * ROUND_UP;
        x->a.size[adds] += size;
        x->a.size[takes] += size;
        x->terms[adds] += 1;
        x->terms[takes] += 1;
        for (int l = 0; l < x->lanes; l++)
            x->total[l] += c[l] * c[l];
    }
}

/* e_u and what pairs bring, beside what comes in already. */
WIDER static void contribute(state *x, int64_t t)
{
    const netdp_i_shift_problem *p = x->problem;
    const int64_t slot = p->every > 0 ? t / p->every : 0;
    memset(x->terms, 0, (size_t)p->nodes * sizeof *x->terms);
    memset(x->ones, 0, (size_t)p->nodes * sizeof *x->ones);
    for (int l = 0; l < x->lanes; l++) {
        const int64_t u = x->of->source[x->first + l];
        if ((x->of->when != NULL ? x->of->when[x->first + l] : 0) != t)
            continue;
        add_one(&x->a.high[u * LANES + l], &x->a.low[u * LANES + l]);
        x->ones[u] = 1;
    }
    if (p->pair_count > 0)
        bring_pairs(x, x->of->c + slot * p->pair_count * x->of->lanes);
    for (int32_t v = 0; v < p->nodes; v++) {
        const bool alone = x->terms[v] == 0 && x->a.size[v] == 0;
        if (x->terms[v] == 0 && x->ones[v] == 0)
            continue;
        settle_sum(x->a.high + (int64_t)v * LANES, x->a.low + (int64_t)v * LANES);
        x->a.size[v] = (x->a.size[v] + x->ones[v]) * (1 + 4 * UNIT * (x->terms[v] + 2));
        x->a.far[v] += alone ? 0 : rounded(x->terms[v] + 2, x->a.size[v]);
        x->a.far[v] *= ROUND_UP;
    }
}

/* ---- g of the round ---- */

WIDER static void place(state *x, const netdp_i_shift_round *round, int64_t t)
{
    const int64_t n = x->problem->nodes, stride = x->of->lanes;
    const double *given = x->of->g + t * n * stride + x->first;
    wide *g = &x->g[x->now];
    for (int64_t v = 0; v < n; v++) {
        double *high = g->high + v * LANES, *low = g->low + v * LANES;
        if (g->soft[v])
            memset(low, 0, LANES * sizeof *low);
        g->size[v] = g->far[v] = 0;
        g->soft[v] = false;
        if (round->part[v] == NETDP_I_PART_FREE) {
            memcpy(high, given + v * stride, (size_t)x->lanes * sizeof *high);
            memset(high + x->lanes, 0, (size_t)(LANES - x->lanes) * sizeof *high);
        } else if (round->part[v] == NETDP_I_PART_CARRIED) {
            memcpy(high, x->a.high + v * LANES, LANES * sizeof *high);
            memcpy(low, x->a.low + v * LANES, LANES * sizeof *low);
            g->far[v] = x->a.far[v];
            g->soft[v] = true;
        } else {
            memset(high, 0, LANES * sizeof *high);
            continue;
        }
        g->size[v] = largest(high);
        if (g->size[v] == 0 && g->soft[v] && g->far[v] > 0)
            g->size[v] = TINY;
    }
    for (int32_t i = 0; round->tie != NULL && i < round->tie->count; i++) {
        const int64_t v = round->tie->pivot[i];
        memset(g->high + v * LANES, 0, LANES * sizeof *g->high);
        g->size[v] = 0;
        g->soft[v] = true;
    }
}

/* What the tied sums are; how far the numbers are from it. */
WIDER static void sum_ties(state *x, const netdp_i_shift_round *round)
{
    for (int32_t i = 0; i < round->tie->count; i++) {
        double *high = x->left + (int64_t)i * 2 * LANES, *low = high + LANES;
        row_of row;
        take_row(round->rows, round->tie->observer[i], &x->g[x->now], high, low, &row);
        settle_sum(high, low);
        x->left_far[i] = row.far + rounded(row.terms, row.size);
    }
}

/*
 * Pivots are moved until the sums vanish in two doubles. What is left of them, times the inverse over 1 - off, is how far the pivots are
 * from those with which they vanish.
 */
static void tie(state *x, const netdp_i_shift_round *round)
{
    const netdp_i_shift_tie *tie = round->tie;
    wide *g = &x->g[x->now];
    for (int step = 0; step < CORRECTIONS; step++) {
        sum_ties(x, round);
        for (int32_t i = 0; i < tie->count; i++) {
            double *high = g->high + (int64_t)tie->pivot[i] * LANES,
                   *low = g->low + (int64_t)tie->pivot[i] * LANES;
            for (int32_t j = 0; j < tie->count; j++)
                add_product(-tie->inverse[i * tie->count + j], x->left + (int64_t)j * 2 * LANES,
                            high, low);
            settle_sum(high, low);
            g->size[tie->pivot[i]] = fmax(largest(high), TINY);
        }
    }
    sum_ties(x, round);
    double most = 0;
    for (int32_t i = 0; i < tie->count; i++) {
        double sum = 0;
        for (int32_t j = 0; j < tie->count; j++)
            sum += fabs(tie->inverse[i * tie->count + j]) *
                   (largest(x->left + (int64_t)j * 2 * LANES) * ROUND_UP + x->left_far[j]);
        most = sum <= DBL_MAX ? fmax(most, sum) : INFINITY;
    }
    most *= (1 + 4 * UNIT * (tie->count + 4)) / (1 - tie->off) * ROUND_UP;
    for (int32_t i = 0; i < tie->count; i++)
        g->far[tie->pivot[i]] = most + TINY;
}

/* ---- What it costs ---- */

/* The squares of (|high + low| + far) / noise, added to `some`; `moved`: to nearest, or NULL. */
static INSIDE void pay(state *x, const double *high, const double *low, double far, double noise,
                       double *some, int64_t place)
{
    for (int l = 0; l < LANES; l++) {
        const double size = (fabs(high[l] + low[l]) * (1 + 4 * UNIT) + far) / noise;
        some[l] += size * size;
    }
    if (x->moved.v == NULL)
        return;
    double *moved = x->moved.v + place * x->of->lanes + x->first;
    for (int32_t l = 0; l < x->lanes; l++) {
        moved[l] = (high[l] + low[l]) / noise;
        const double off = 4 * UNIT * fabs(moved[l]) + far / noise * ROUND_UP;
        x->off[l] += off * off;
    }
}

WIDER static void pay_round(state *x, const netdp_i_shift_round *round, int64_t t, double *some)
{
    const wide *g = &x->g[x->now];
    for (int64_t v = 0; v < x->problem->nodes; v++) {
        double high[LANES], low[LANES];
        if (round->part[v] > NETDP_I_PART_SEEN || (x->a.size[v] == 0 && g->size[v] == 0))
            continue;
        memcpy(high, x->a.high + v * LANES, sizeof high);
        memcpy(low, x->a.low + v * LANES, sizeof low);
        for (int l = 0; l < LANES; l++) {
            high[l] = -high[l];
            low[l] = -low[l];
        }
        add_product(1, g->high + v * LANES, high, low);
        add_low(1, g->low + v * LANES, low);
        const double far =
            x->a.far[v] + g->far[v] + rounded(4, (x->a.size[v] + g->size[v]) * ROUND_UP);
        pay(x, high, low, far, round->noise, some, t * x->problem->nodes + v);
    }
}

/* States that are seen under noise at the end take up what comes in. */
static void pay_end(state *x, double *some)
{
    const netdp_i_shift_problem *p = x->problem;
    for (int64_t v = 0; p->end > 0 && v < p->nodes; v++) {
        double high[LANES], low[LANES];
        if (p->exempt[v] || x->a.size[v] == 0)
            continue;
        for (int l = 0; l < LANES; l++) {
            high[l] = -x->a.high[v * LANES + l];
            low[l] = -x->a.low[v * LANES + l];
        }
        pay(x, high, low, x->a.far[v], p->end, some, p->rounds * p->nodes + v);
    }
}

/* Does something come in where nothing may, unless a tie sees to it? */
static bool leaks(const state *x, const netdp_i_shift_tie *tie, int64_t v)
{
    bool stays = x->a.size[v] == 0;
    for (int32_t i = 0; !stays && tie != NULL && i < tie->listed; i++)
        stays = tie->observer[i] == v;
    return !stays;
}

static bool round_leaks(const state *x, int64_t t)
{
    const netdp_i_shift_problem *p = x->problem;
    const netdp_i_shift_tie *tie = t > 0 ? p->round[t - 1].tie : NULL;
    bool leak = false;
    for (int32_t v = 0; v < p->nodes; v++)
        if (t < p->rounds ? p->round[t].part[v] == NETDP_I_PART_KNOWN : p->end > 0 && p->exempt[v])
            leak = leak || leaks(x, tie, v);
    return leak;
}

/* What c lacks: kappa (v_t(a) - v_t(b)) - c. */
static void fill_pull(const state *x, int64_t t)
{
    const netdp_i_shift_problem *p = x->problem;
    const int64_t stride = x->of->lanes, slot = p->every > 0 ? t / p->every : 0;
    const int64_t first = slot * p->pair_count * stride;
    const double *v = x->moved.v + t * p->nodes * stride;
    for (int64_t e = 0; e < p->pair_count; e++)
        for (int64_t l = x->first; l < x->first + x->lanes; l++)
            x->moved.pull[first + e * stride + l] =
                p->kappa[e] *
                    (v[p->pair[2 * e] * stride + l] - v[p->pair[2 * e + 1] * stride + l]) -
                x->of->c[first + e * stride + l];
}

static void add_squares(state *x, const double *some)
{
    for (int l = 0; l < x->lanes; l++)
        x->total[l] += some[l];
}

/* All rounds of one block. */
static void evaluate(state *x, double *loss)
{
    const netdp_i_shift_problem *p = x->problem;
    bool leak = p->apart;
    x->now = 0;
    memset(x->total, 0, sizeof x->total);
    memset(x->off, 0, sizeof x->off);
    for (int k = 0; k < 3; k++)
        memset(x->g[k].size, 0, (size_t)p->nodes * sizeof *x->g[k].size);
    memset(x->a.high, 0, (size_t)p->nodes * LANES * sizeof *x->a.high);
    memset(x->a.low, 0, (size_t)p->nodes * LANES * sizeof *x->a.low);
    memset(x->a.size, 0, (size_t)p->nodes * sizeof *x->a.size);
    memset(x->a.far, 0, (size_t)p->nodes * sizeof *x->a.far);
    for (int64_t t = 0; t <= p->rounds; t++) {
        double some[LANES] = {0};
        if (t > 0)
            arrive(x, p->round[t - 1].rows, t > 1 ? p->weight : 1);
        if (t < p->rounds && netdp_i_shift_contributes(p, t))
            contribute(x, t);
        leak = leak || round_leaks(x, t);
        if (t == p->rounds) {
            pay_end(x, some);
        } else {
            place(x, &p->round[t], t);
            if (p->round[t].tie != NULL)
                tie(x, &p->round[t]);
            pay_round(x, &p->round[t], t, some);
            if (x->moved.pull != NULL && netdp_i_shift_contributes(p, t))
                fill_pull(x, t);
            x->now = (x->now + 1) % 3;
        }
        add_squares(x, some);
    }
    const double terms =
        (double)(p->nodes + netdp_i_shift_slots(p) * p->pair_count + p->rounds) + SPARE;
    for (int l = 0; l < x->lanes; l++) {
        const double bound = x->total[l] * (1 + 2 * terms * UNIT) + TINY;
        loss[x->first + l] = leak || isnan(bound) ? INFINITY : bound;
        const double off = sqrt(x->off[l]) * (1 + 2 * terms * (double)p->nodes * UNIT) + TINY;
        if (x->moved.off != NULL)
            x->moved.off[x->first + l] = leak || isnan(off) ? INFINITY : off;
    }
}

static int32_t most_ties(const netdp_i_shift_problem *p)
{
    int32_t most = 0;
    for (int64_t t = 0; t < p->rounds; t++)
        if (p->round[t].tie != NULL && p->round[t].tie->count > most)
            most = p->round[t].tie->count;
    return most;
}

netdp_status netdp_i_displacement_loss(const netdp_i_shift_problem *problem,
                                       const netdp_i_displacement *displacement, double *loss,
                                       const netdp_i_moved *moved, netdp_error *error)
{
    const int64_t ties = most_ties(problem), n = problem->nodes;
    CLEARED(state_clear)
    state x = {.problem = problem,
               .of = displacement,
               .moved = moved != NULL ? *moved : (netdp_i_moved){0}};
    x.a = wide_new(&x.pool, n);
    for (int k = 0; k < 3; k++)
        x.g[k] = wide_new(&x.pool, n);
    x.terms = NETDP_I_TAKE(&x.pool, double, n);
    x.ones = NETDP_I_TAKE(&x.pool, double, n);
    x.coarse = NETDP_I_TAKE(&x.pool, double, n *LANES);
    x.fine = NETDP_I_TAKE(&x.pool, double, n *LANES);
    x.narrow = NETDP_I_TAKE(&x.pool, bool, n);
    x.left = NETDP_I_TAKE(&x.pool, double, ties * 2 * LANES);
    x.left_far = NETDP_I_TAKE(&x.pool, double, ties);
    TRY(netdp_i_pool_made(&x.pool, error));
    if (x.moved.v != NULL)
        memset(x.moved.v, 0,
               (size_t)((problem->rounds + 1) * n * displacement->lanes) * sizeof *x.moved.v);
    for (int32_t l = 0; l < displacement->lanes; l += LANES) {
        x.first = l;
        x.lanes = displacement->lanes - l < LANES ? displacement->lanes - l : LANES;
        evaluate(&x, loss);
    }
    return NETDP_OK;
}

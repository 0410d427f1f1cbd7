#include "account/walk/many/far_laws.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "account/walk/many/contour.h"
#include "account/walk/many/nearby.h"
#include "account/walk/series.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/try.h"

/* Steps that are followed one by one: so many, or more where negative eigenvalues last longer. */
enum { FEWEST = 48, MOST = 2000 };

/* What is left of negative eigenvalues after them. */
#define FADED 1e-13

/* Blocks grow so. */
#define GROWTH 1.005

/* What a law at one step may be off: sums of as many products, and twice an inverse of 1-norm 2. */
#define EACH (8 * DBL_EPSILON)

/* The laws, in the order of find_laws. */
enum { AGAIN, EXITS, FIRST, FOUND, START, LAWS };

/* Steps that are followed, in arrays [steps + 1]. */
typedef struct followed {
    double *self, *other, *pair, *presence; /* (S^t)_uu, vv, uv; P(token is at u) */
    double *law[LAWS];
    double *inverse, *visits;
} followed;

typedef struct far {
    const netdp_token *token;
    const double *pi;
    int32_t u, v, place[2];
    bool flat;     /* the start is the stationary law, and that is uniform */
    double *begin; /* [nodes nearby]: rho / sqrt(pi), where it is not flat */
    netdp_i_nearby nearby;
    int64_t steps, edges, *edge;
    netdp_i_contour contour;
    int32_t points;     /* the contour's, and one that is real */
    double complex *z;  /* [points] */
    double complex *of; /* [5][points]: G_uu, G_vv, G_uv, G_us, G_ss */
    followed f;
    netdp_i_pool pool;
} far;

static void far_clear(far *a)
{
    netdp_i_pool_clear(&a->pool);
    netdp_i_nearby_clear(&a->nearby);
    netdp_i_contour_clear(&a->contour);
}

/* ---- before all ---- */

/* Gershgorin: no eigenvalue is below. */
static double least_eigenvalue(netdp_rows rows)
{
    double least = 1;
    for (int32_t u = 0; u < rows.nodes; u++) {
        double stay = 0;
        for (int64_t e = rows.start[u]; e < rows.start[u + 1]; e++)
            if (rows.column[e] == u)
                stay = rows.weight[e];
        least = fmin(least, 2 * stay - 1);
    }
    return fmin(0, least);
}

static int64_t next_edge(int64_t edge, int64_t all)
{
    const int64_t next = (int64_t)floor((double)edge * GROWTH) + 1;
    return next < all ? next : all;
}

/* *made: is it worth a contour? */
static netdp_status split_time(far *a, bool *made, netdp_error *error)
{
    const double least = least_eigenvalue(netdp_transition_rows(a->token->law));
    const double wanted = fmax(FEWEST, least < 0 ? ceil(log(FADED) / log(-least)) : 0);
    const int64_t all = a->token->steps;
    *made = wanted <= MOST && wanted * 4 < (double)all;
    if (!*made)
        return NETDP_OK;
    a->steps = (int64_t)wanted;
    for (int64_t at = a->steps; at < all; at = next_edge(at, all))
        a->edges++;
    a->edge = NETDP_I_TAKE(&a->pool, int64_t, a->edges);
    TRY(netdp_i_pool_made(&a->pool, error));
    int64_t k = 0;
    for (int64_t at = a->steps; at < all; at = next_edge(at, all))
        a->edge[k++] = next_edge(at, all);
    TRY(netdp_i_contour_new(a->edge, (int32_t)a->edges, least, &a->contour, error));
    const int32_t around = a->contour.ranges * NETDP_I_CONTOUR_POINTS;
    a->points = around + 1;
    a->z = NETDP_I_TAKE(&a->pool, double complex, a->points);
    a->of = NETDP_I_TAKE(&a->pool, double complex, 5 * (int64_t)a->points);
    TRY(netdp_i_pool_made(&a->pool, error));
    memcpy(a->z, a->contour.z, (size_t)around * sizeof *a->z);
    a->z[around] = exp(-1 / (double)all);
    return NETDP_OK;
}

static bool is_flat(const far *a)
{
    const int32_t n = netdp_transition_rows(a->token->law).nodes;
    bool flat = a->token->start == NETDP_START_UNIFORM;
    for (int32_t x = 0; x < n && flat; x++)
        flat = fabs(a->pi[x] * n - 1) < 1e-12;
    return flat;
}

/* rho / sqrt(pi) after the burn-in, on the nodes nearby, which holds all where it spreads. */
static netdp_status find_begin(far *a, netdp_error *error)
{
    const netdp_token *token = a->token;
    const netdp_rows rows = netdp_transition_rows(token->law);
    const int64_t n = rows.nodes;
    const int32_t node = token->start == NETDP_START_OBSERVER ? a->v : token->start;
    int32_t count = 0;
    OWNED int32_t *first = NETDP_I_NEW(int32_t, n);
    OWNED double *at = NETDP_I_NEW(double, n);
    OWNED double *next = NETDP_I_NEW(double, n);
    if (first == NULL || at == NULL || next == NULL)
        return netdp_i_no_memory(error);
    a->flat = is_flat(a);
    for (int64_t x = 0; x < n && !a->flat; x++)
        at[x] = token->start == NETDP_START_UNIFORM ? 1 / (double)n : x == node;
    for (int64_t t = 0; t < token->burn_in && !a->flat; t++) {
        memset(next, 0, (size_t)n * sizeof *next);
        for (int64_t x = 0; x < n; x++)
            for (int64_t e = rows.start[x]; e < rows.start[x + 1] && at[x] > 0; e++)
                next[rows.column[e]] += at[x] * rows.weight[e];
        double *swap = at;
        at = next;
        next = swap;
    }
    first[count++] = a->u;
    first[count++] = a->v;
    for (int32_t x = 0; x < n && !a->flat; x++)
        if (at[x] > 0 && x != a->u && x != a->v)
            first[count++] = x;
    TRY(netdp_i_nearby_new(rows, a->pi, first, count, &a->nearby, error));
    a->place[0] = a->nearby.place[a->u];
    a->place[1] = a->nearby.place[a->v];
    a->begin = NETDP_I_TAKE(&a->pool, double, a->nearby.nodes);
    TRY(netdp_i_pool_made(&a->pool, error));
    for (int32_t x = 0; x < n && !a->flat; x++)
        if (at[x] > 0)
            a->begin[a->nearby.place[x]] = at[x] / sqrt(a->pi[x]);
    return NETDP_OK;
}

/* ---- transforms ---- */

/* x' (I - z S)^{-1} y from those of x, y and x / |x| + y / |y|. */
static double complex mixed_of(double complex both, double complex x, double complex y, double norm)
{
    return 0.5 * norm * (both - x - y);
}

static netdp_status transform(far *a, const double *x, double complex *into, bool *made,
                              netdp_error *error)
{
    return *made ? netdp_i_nearby_transform(&a->nearby, x, a->z, a->points, into, made, error)
                 : NETDP_OK;
}

static netdp_status find_transforms(far *a, bool *made, netdp_error *error)
{
    const int64_t p = a->points, n = a->nearby.nodes;
    OWNED double *x = NETDP_I_NEW(double, n);
    double square = 0;
    double complex *uu = a->of, *vv = uu + p, *uv = vv + p, *us = uv + p, *ss = us + p;
    if (x == NULL)
        return netdp_i_no_memory(error);
    x[a->place[0]] = 1;
    TRY(transform(a, x, uu, made, error));
    x[a->place[1]] = 1;
    TRY(transform(a, x, uv, made, error));
    x[a->place[0]] = 0;
    TRY(transform(a, x, vv, made, error));
    for (int64_t i = 0; i < p; i++)
        uv[i] = mixed_of(uv[i], uu[i], vv[i], 1);
    for (int64_t i = 0; i < n; i++)
        square += a->begin[i] * a->begin[i];
    const double norm = sqrt(square);
    for (int64_t i = 0; i < n && !a->flat; i++)
        x[i] = a->begin[i] / norm;
    if (!a->flat)
        TRY(transform(a, x, ss, made, error));
    x[a->place[0]] += 1;
    if (!a->flat)
        TRY(transform(a, x, us, made, error));
    for (int64_t i = 0; i < p; i++) {
        us[i] = a->flat ? sqrt(a->pi[a->u]) / (1 - a->z[i]) : mixed_of(us[i], uu[i], ss[i], norm);
        ss[i] = a->flat ? 1 / (1 - a->z[i]) : ss[i] * square;
    }
    return NETDP_OK;
}

/* ---- step by step ---- */

static netdp_status follow(far *a, netdp_error *error)
{
    const int64_t terms = a->steps + 1;
    followed *f = &a->f;
    double **all[] = {&f->self, &f->other, &f->pair, &f->presence, &f->inverse, &f->visits};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = NETDP_I_TAKE(&a->pool, double, terms);
    for (int i = 0; i < LAWS; i++)
        f->law[i] = NETDP_I_TAKE(&a->pool, double, terms);
    double *x = NETDP_I_TAKE(&a->pool, double, a->nearby.nodes);
    TRY(netdp_i_pool_made(&a->pool, error));
    x[a->place[1]] = 1;
    netdp_i_nearby_follow(&a->nearby, x, a->place, terms, (double *[]){f->pair, f->other});
    memset(x, 0, (size_t)a->nearby.nodes * sizeof *x);
    x[a->place[0]] = 1;
    netdp_i_nearby_follow(&a->nearby, x, a->place, terms, (double *[]){f->self, f->visits});
    memcpy(x, a->begin, (size_t)a->nearby.nodes * sizeof *x);
    if (!a->flat)
        netdp_i_nearby_follow(&a->nearby, x, a->place, terms, (double *[]){f->presence, f->visits});
    const double root = sqrt(a->pi[a->u]);
    for (int64_t t = 0; t < terms; t++)
        f->presence[t] = a->flat ? a->pi[a->u] : f->presence[t] * root;
    return NETDP_OK;
}

/* into = a b, from its term 0 on. */
static void multiply(int64_t terms, const double *a, const double *b, double *into)
{
    for (int64_t t = 0; t < terms; t++) {
        double sum = 0;
        for (int64_t i = 0; i <= t; i++)
            sum += a[i] * b[t - i];
        into[t] = sum;
    }
}

/* Raised by what they may be off, but to no more than all visits are. */
static void raise(int64_t terms, int64_t from, const double *all, double scale, double off,
                  double *law)
{
    for (int64_t t = 0; t < terms; t++)
        law[t] = t < from ? 0 : fmin(fmax(0, law[t]) + off, scale * fmax(0, all[t]) * (1 + 1e-12));
}

static void find_steps(far *a)
{
    const int64_t terms = a->steps + 1;
    const double off = EACH * (double)(terms + 16);
    const double scale = sqrt(a->pi[a->v] / a->pi[a->u]), back = 1 / scale;
    followed *f = &a->f;
    netdp_i_series_invert_short(f->other, f->inverse, terms);
    multiply(terms, f->pair, f->inverse, f->law[FIRST]); /* made symmetric */
    multiply(terms, f->law[FIRST], f->pair, f->visits);
    for (int64_t t = 0; t < terms; t++)
        f->visits[t] = f->self[t] - f->visits[t];
    netdp_i_series_invert_short(f->visits, f->inverse, terms);
    multiply(terms, f->law[FIRST], f->inverse, f->law[EXITS]);
    for (int64_t t = 0; t < terms; t++) {
        f->law[AGAIN][t] = -f->inverse[t];
        f->law[EXITS][t] *= scale;
        f->law[FIRST][t] *= scale;
    }
    netdp_i_series_invert_short(f->self, f->inverse, terms);
    multiply(terms, f->pair, f->inverse, f->law[FOUND]);
    multiply(terms, f->presence, f->inverse, f->law[START]);
    for (int64_t t = 0; t < terms; t++)
        f->law[FOUND][t] *= back;
    raise(terms, 1, f->self, 1, off, f->law[AGAIN]);
    raise(terms, 1, f->pair, scale, off * fmax(1, scale), f->law[EXITS]);
    raise(terms, 1, f->pair, scale, off * fmax(1, scale), f->law[FIRST]);
    raise(terms, 1, f->pair, back, off * fmax(1, back), f->law[FOUND]);
    raise(terms, 0, f->presence, 1, off, f->law[START]);
}

/* ---- in blocks ---- */

/* The transforms of all laws at a point. */
static void laws_at(const far *a, int32_t i, double complex law[LAWS])
{
    const int64_t p = a->points;
    const double complex uu = a->of[i], vv = a->of[p + i], uv = a->of[2 * p + i];
    const double complex first = uv / vv, inverse = 1 / (uu - uv * first);
    const double scale = sqrt(a->pi[a->v] / a->pi[a->u]);
    law[AGAIN] = 1 - inverse;
    law[EXITS] = scale * first * inverse;
    law[FIRST] = scale * first;
    law[FOUND] = uv / uu / scale;
    law[START] = sqrt(a->pi[a->u]) * a->of[3 * p + i] / uu;
}

/*
 * What P(at most t) may be off: as of all pairs (docs/proofs/excursion.md), in parts of what a mean
 * of geometric laws may; the visits that these speak of are those of e T steps at most.
 */
static void find_parts(const far *a, double part[LAWS])
{
    const int64_t p = a->points, last = p - 1;
    const double uu = creal(a->of[last]), vv = creal(a->of[p + last]),
                 uv = creal(a->of[2 * p + last]), us = creal(a->of[3 * p + last]),
                 ss = creal(a->of[4 * p + last]);
    const double scale = sqrt(a->pi[a->v] / a->pi[a->u]);
    part[AGAIN] = 1;
    part[EXITS] = fmax(1, scale);
    part[FIRST] = fmax(1, scale) * sqrt(M_E * fmax(1, uu - uv * uv / vv));
    part[FOUND] = fmax(1, 1 / scale) * sqrt(M_E * fmax(1, vv - uv * uv / uu));
    part[START] = fmax(1, sqrt(a->pi[a->u] * M_E * fmax(0, ss - us * us / uu)));
}

static void fill_law(const far *a, int which, const double complex (*law)[LAWS], double off,
                     double *into)
{
    const netdp_i_contour *c = &a->contour;
    double sum = 0;
    memset(into, 0, (size_t)(a->token->steps + 1) * sizeof *into);
    for (int64_t t = 0; t <= a->steps; t++)
        sum += into[t] = a->f.law[which][t];
    const double at_start = which == START ? a->f.law[START][0] : 0; /* sums begin at step 1 */
    for (int32_t r = 0; r < c->ranges; r++)
        for (int32_t e = c->first[r]; e < c->first[r + 1]; e++) {
            const double *weight = c->weight + 2 * (int64_t)e * NETDP_I_CONTOUR_POINTS;
            double below = at_start + off;
            for (int k = 0; k < NETDP_I_CONTOUR_POINTS; k++) {
                const double complex x = law[r * NETDP_I_CONTOUR_POINTS + k][which] -
                                         (which == START ? a->f.presence[0] : 0);
                below += weight[2 * k] * creal(x) + weight[2 * k + 1] * cimag(x);
            }
            const double now = fmax(sum, fmin(below, 1 + off));
            into[e == 0 ? a->steps + 1 : a->edge[e - 1] + 1] = now - sum;
            sum = now;
        }
}

static netdp_status fill(const far *a, netdp_i_returns *hunt, netdp_error *error)
{
    OWNED double complex(*law)[LAWS] = netdp_i_new(a->points, sizeof *law);
    double part[LAWS];
    if (law == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < a->points; i++)
        laws_at(a, i, law[i]);
    find_parts(a, part);
    double *const into[LAWS] = {hunt->again, hunt->exits[0], hunt->first[0], hunt->found[0],
                                hunt->start};
    for (int i = 0; i < LAWS; i++)
        fill_law(a, i, (const double complex(*)[LAWS])law, a->contour.off * part[i], into[i]);
    /* of the expected visits only the sum counts */
    memset(hunt->presence, 0, (size_t)(a->token->steps + 1) * sizeof(double));
    hunt->presence[0] =
        fmin((double)a->token->steps, M_E * (1 + 1e-9) * creal(a->of[a->points - 1]));
    return NETDP_OK;
}

netdp_status netdp_i_far_laws(const netdp_token *token, int32_t u, int32_t v, netdp_i_returns *hunt,
                              bool *made, netdp_error *error)
{
    CLEARED(far_clear)
    far a = {.token = token, .pi = netdp_transition_stationary(token->law), .u = u, .v = v};
    TRY(split_time(&a, made, error));
    if (!*made)
        return NETDP_OK;
    TRY(find_begin(&a, error));
    TRY(find_transforms(&a, made, error));
    if (!*made)
        return NETDP_OK;
    TRY(follow(&a, error));
    find_steps(&a);
    return fill(&a, hunt, error);
}

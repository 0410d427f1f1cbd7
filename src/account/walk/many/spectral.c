#include "account/walk/many/spectral.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "account/walk/wider.h"
#include "base/fail.h"
#include "base/memory.h"
#include "mixing/dense.h"
#include "mixing/mixing.h"
#include "mixing/powers.h"

enum { WIDTH = NETDP_I_SPECTRAL_WIDTH, PARTS = 2 * NETDP_I_CONTOUR_POINTS };

/* Steps that are followed one by one: so many, or more where negative eigenvalues last longer. */
enum { FEWEST = 48, MOST = 384 };

/* What is left of negative eigenvalues after them. */
#define FADED 1e-13

/* What a law at one step may be off: sums of as many products, and twice an inverse of 1-norm 2. */
#define EACH (8 * DBL_EPSILON)

/* An eigenvalue that is 1 but for rounding. */
#define ONE 1e-12

/* ---- what all pairs share ---- */

void netdp_i_spectral_free(netdp_i_spectral *s)
{
    if (s == NULL)
        return;
    netdp_i_contour_clear(&s->contour);
    netdp_i_pool_clear(&s->pool);
    netdp_i_free(s);
}

/* Eigenvectors of the symmetric matrix to which P is similar. */
static netdp_status find_vectors(netdp_i_spectral *s, netdp_error *error)
{
    const int64_t n = s->nodes;
    s->vectors = NETDP_I_TAKE(&s->pool, double, n *n);
    s->values = NETDP_I_TAKE(&s->pool, double, n);
    TRY(netdp_i_pool_made(&s->pool, error));
    for (int64_t u = 0; u < n; u++)
        for (int64_t e = s->rows.start[u]; e < s->rows.start[u + 1]; e++) {
            const int32_t v = s->rows.column[e];
            if (v <= u) /* both halves alike, to the last bit */
                s->vectors[u * n + v] = s->vectors[v * n + u] =
                    s->rows.weight[e] * sqrt(s->pi[u] / s->pi[v]);
        }
    TRY(netdp_i_symmetric_eigen(s->nodes, s->vectors, s->values, error));
    for (int64_t k = 0; k < n; k++)
        if (s->values[k] > 1 - ONE)
            s->values[k] = 1;
    return NETDP_OK;
}

/* How many bins are followed step by step, and the contour for the others. */
static netdp_status split_time(netdp_i_spectral *s, netdp_error *error)
{
    const netdp_i_time_grid *grid = s->grid;
    const double least = fmin(0, s->values[0]);
    const double wanted = fmax(FEWEST, least < 0 ? log(FADED) / log(-least) : 0);
    while (s->exact < grid->bins && (double)grid->tau[s->exact] <= wanted)
        s->exact++;
    /* a contour of one edge alone is not worth it */
    if (s->exact + 1 >= grid->bins)
        s->exact = grid->bins;
    s->steps = s->exact < grid->bins ? grid->tau[s->exact] - 1 : grid->steps;
    if (s->steps > MOST && s->exact < grid->bins)
        return netdp_i_fail(error, NETDP_NO_ANSWER, "the smallest eigenvalue, %g, is too near -1",
                            s->values[0]);
    if (s->exact == grid->bins)
        return NETDP_OK;
    OWNED int64_t *edge = NETDP_I_NEW(int64_t, grid->bins - s->exact);
    if (edge == NULL)
        return netdp_i_no_memory(error);
    for (int32_t b = s->exact; b < grid->bins; b++)
        edge[b - s->exact] = b + 1 < grid->bins ? grid->tau[b + 1] - 1 : grid->steps;
    return netdp_i_contour_new(edge, grid->bins - s->exact, least, &s->contour, error);
}

static netdp_status find_returns(netdp_i_spectral *s, const netdp_token *token, netdp_error *error)
{
    const int64_t n = s->nodes, terms = s->steps + 1;
    OWNED int32_t *node = NETDP_I_NEW(int32_t, n);
    OWNED double *one = NETDP_I_NEW(double, terms);
    CLEARED(netdp_i_powers_clear) netdp_i_powers powers = {0};
    if (node == NULL || one == NULL)
        return netdp_i_no_memory(error);
    for (int32_t u = 0; u < s->nodes; u++)
        node[u] = u;
    TRY(netdp_i_powers_of_returns(token->law, node, s->nodes, terms, NULL, &powers, error));
    for (int32_t u = 0; u < s->nodes; u++) {
        netdp_i_powers_copy(&powers, u, 0, terms, one);
        for (int64_t t = 0; t < terms; t++)
            s->returns[t * n + u] = one[t];
    }
    return NETDP_OK;
}

/* The transforms of (P^t)_uu at every point. */
static void find_self(netdp_i_spectral *s)
{
    const int64_t n = s->nodes;
    for (int64_t k = 0; k < n; k++)
        for (int64_t p = 0; p < s->points; p++) {
            const double complex each = 1 / (1 - s->z[p] * s->values[k]);
            double complex *self = s->self + p * n;
            const double *vector = s->vectors + k * n;
            for (int64_t u = 0; u < n; u++)
                self[u] += vector[u] * vector[u] * each;
        }
}

/* The transforms of first arrivals at each node, from the start. */
static netdp_status find_start(netdp_i_spectral *s, const netdp_token *token, netdp_error *error)
{
    const int64_t n = s->nodes, before = s->points - s->asked;
    s->start = NETDP_I_TAKE(&s->pool, double complex, s->asked *n);
    TRY(netdp_i_pool_made(&s->pool, error));
    for (int64_t k = 0; k < n; k++) {
        const double *vector = s->vectors + k * n;
        double share = 0;
        for (int64_t x = 0; x < n; x++)
            share += token->start == NETDP_START_UNIFORM ? vector[x] / ((double)n * sqrt(s->pi[x]))
                     : token->start == x                 ? vector[x] / sqrt(s->pi[x])
                                                         : 0;
        share *= pow(s->values[k], (double)token->burn_in);
        for (int64_t p = 0; p < s->asked; p++) {
            const double complex each = share / (1 - s->z[before + p] * s->values[k]);
            for (int64_t u = 0; u < n; u++)
                s->start[p * n + u] += each * vector[u] * sqrt(s->pi[u]);
        }
    }
    for (int64_t i = 0; i < s->asked * n; i++)
        s->start[i] /= s->self[before * n + i];
    return NETDP_OK;
}

netdp_status netdp_i_spectral_new(const netdp_token *token, const netdp_i_time_grid *grid,
                                  const double complex *asked, int32_t count,
                                  netdp_i_spectral **spectral, netdp_error *error)
{
    OWNED_BY(netdp_i_spectral_free) netdp_i_spectral *s = NETDP_I_NEW(netdp_i_spectral, 1);
    if (s == NULL)
        return netdp_i_no_memory(error);
    s->rows = netdp_transition_rows(token->law);
    s->pi = netdp_transition_stationary(token->law);
    s->grid = grid;
    s->nodes = s->rows.nodes;
    s->asked = count;
    TRY(find_vectors(s, error));
    TRY(split_time(s, error));
    const int32_t around = s->contour.ranges * NETDP_I_CONTOUR_POINTS;
    s->points = around + count;
    double complex *z = NETDP_I_TAKE(&s->pool, double complex, s->points);
    s->z = z;
    s->returns = NETDP_I_TAKE(&s->pool, double, (s->steps + 1) * s->nodes);
    s->self = NETDP_I_TAKE(&s->pool, double complex, (int64_t)s->points * s->nodes);
    TRY(netdp_i_pool_made(&s->pool, error));
    if (around > 0)
        memcpy(z, s->contour.z, (size_t)around * sizeof *z);
    memcpy(z + around, asked, (size_t)count * sizeof *z);
    TRY(find_returns(s, token, error));
    find_self(s);
    if (token->start != NETDP_START_OBSERVER)
        TRY(find_start(s, token, error));
    *spectral = GIVE(s);
    return NETDP_OK;
}

/* ---- an observer ---- */

void netdp_i_spectral_room_free(netdp_i_spectral_room *room)
{
    if (room == NULL)
        return;
    netdp_i_pool_clear(&room->pool);
    netdp_i_free(room);
}

netdp_status netdp_i_spectral_room_new(const netdp_i_spectral *s, netdp_i_spectral_room **room,
                                       netdp_error *error)
{
    const int64_t n = s->nodes, followed = (s->steps + 1) * n, parts = 2 * (int64_t)s->points;
    const int64_t bins = s->grid->bins;
    OWNED_BY(netdp_i_spectral_room_free)
    netdp_i_spectral_room *made = NETDP_I_NEW(netdp_i_spectral_room, 1);
    if (made == NULL)
        return netdp_i_no_memory(error);
    netdp_i_dense_begin();
    made->shared = s;
    netdp_i_pool *pool = &made->pool;
    made->scaled = NETDP_I_TAKE(pool, double, parts *n);
    made->column = NETDP_I_TAKE(pool, double, parts *n);
    made->arrivals = NETDP_I_TAKE(pool, double, followed);
    made->first = NETDP_I_TAKE(pool, double, followed);
    made->again = NETDP_I_TAKE(pool, double, followed);
    made->exits = NETDP_I_TAKE(pool, double, followed);
    made->inverse = NETDP_I_TAKE(pool, double, followed);
    made->walked = NETDP_I_TAKE(pool, double, followed);
    made->transform = NETDP_I_TAKE(pool, double, 3 * (parts + 1) * WIDTH);
    made->below = NETDP_I_TAKE(pool, double, 3 * bins * WIDTH);
    double *law = NETDP_I_TAKE(pool, double, 3 * bins * WIDTH);
    double complex *arrival = NETDP_I_TAKE(pool, double complex, 2 * s->asked * WIDTH);
    TRY(netdp_i_pool_made(pool, error));
    for (int i = 0; i < WIDTH; i++, law += 3 * bins, arrival += 2 * s->asked)
        made->law[i] = (netdp_i_spectral_law){.again = law,
                                              .exits = law + bins,
                                              .first = law + 2 * bins,
                                              .found = arrival,
                                              .start = arrival + s->asked};
    *room = GIVE(made);
    return NETDP_OK;
}

/* (P^t)_uv, and the law of the first visit of v. */
static void walk_back(netdp_i_spectral_room *room)
{
    const netdp_i_spectral *s = room->shared;
    const int64_t n = s->nodes;
    const int32_t v = room->observer;
    memset(room->arrivals, 0, (size_t)n * sizeof(double));
    memset(room->first, 0, (size_t)n * sizeof(double));
    room->arrivals[v] = 1;
    for (int64_t t = 1; t <= s->steps; t++) {
        double *first = room->first + t * n;
        netdp_i_rows_apply_part(s->rows, 0, s->nodes, room->arrivals + (t - 1) * n,
                                room->arrivals + t * n, 1);
        memcpy(room->walked, first - n, (size_t)n * sizeof *first);
        room->walked[v] = t == 1;
        netdp_i_rows_apply_part(s->rows, 0, s->nodes, room->walked, first, 1);
    }
}

/* into[u] += sign a[u] b[u] */
NETDP_I_WIDER
static void add_products(int64_t n, double sign, const double *a, const double *b, double *into)
{
    for (int64_t u = 0; u < n; u++)
        into[u] += sign * a[u] * b[u];
}

/* What may be off is added, but nothing is above the law of all visits. */
static void raise(int64_t n, double off, const double *all, double sign, double *law)
{
    for (int64_t u = 0; u < n; u++)
        law[u] = fmin(fmax(0, sign * law[u]) + off, all[u] * (1 + 1e-12));
}

/*
 * Step by step: H = (P^t)_uu without visits of v, 1 / H = 1 - Phi_uu, Phi_uv = F_uv / H.
 */
static void follow_steps(netdp_i_spectral_room *room)
{
    const netdp_i_spectral *s = room->shared;
    const int64_t n = s->nodes, all = (s->steps + 1) * n;
    const double off = EACH * (double)(s->steps + 16);
    double *visits = room->again, *back = room->walked, *inverse = room->inverse;
    for (int64_t i = 0; i < all; i++) {
        back[i] = room->arrivals[i] * s->pi[i % n] / s->pi[room->observer];
        visits[i] = s->returns[i];
        room->exits[i] = inverse[i] = 0;
    }
    for (int64_t u = 0; u < n; u++)
        inverse[u] = 1;
    for (int64_t t = 1; t <= s->steps; t++)
        for (int64_t i = 1; i < t; i++)
            add_products(n, -1, room->first + i * n, back + (t - i) * n, visits + t * n);
    for (int64_t t = 1; t <= s->steps; t++)
        for (int64_t i = 1; i <= t; i++)
            add_products(n, -1, visits + i * n, inverse + (t - i) * n, inverse + t * n);
    for (int64_t t = 1; t <= s->steps; t++) {
        for (int64_t i = 1; i <= t; i++)
            add_products(n, 1, room->first + i * n, inverse + (t - i) * n, room->exits + t * n);
        raise(n, off, room->arrivals + t * n, 1, room->exits + t * n);
        memcpy(room->again + t * n, inverse + t * n, (size_t)n * sizeof(double));
    }
    for (int64_t t = 1; t <= s->steps; t++)
        raise(n, off, s->returns + t * n, -1, room->again + t * n);
}

void netdp_i_spectral_observe(netdp_i_spectral_room *room, int32_t observer)
{
    const netdp_i_spectral *s = room->shared;
    const int64_t n = s->nodes;
    const int parts = 2 * s->points;
    room->observer = observer;
    for (int64_t p = 0; p < s->points; p++)
        for (int64_t k = 0; k < n; k++) {
            const double complex each = s->vectors[k * n + observer] / (1 - s->z[p] * s->values[k]);
            room->scaled[2 * p * n + k] = creal(each);
            room->scaled[(2 * p + 1) * n + k] = cimag(each);
        }
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, s->nodes, parts, s->nodes, 1, s->vectors,
                s->nodes, room->scaled, s->nodes, 0, room->column, s->nodes);
    walk_back(room);
    follow_steps(room);
}

/* ---- sources ---- */

/* Transforms of Phi_uu, Phi_uv and F_uv around the contour, into transform [parts][3][WIDTH]. */
static void transform_laws(netdp_i_spectral_room *room, const int32_t *source, int32_t count)
{
    const netdp_i_spectral *s = room->shared;
    const int64_t n = s->nodes;
    const int32_t around = s->points - s->asked;
    for (int64_t p = 0; p < around; p++) {
        const double complex observer = s->self[p * n + room->observer];
        double *re = room->transform + 2 * p * 3 * WIDTH, *im = re + 3 * WIDTH;
        for (int32_t i = 0; i < count; i++) {
            const int32_t u = source[i];
            const double complex pair =
                room->column[2 * p * n + u] + I * room->column[(2 * p + 1) * n + u];
            const double complex first = pair / observer;
            const double complex inverse = 1 / (s->self[p * n + u] - pair * first);
            const double scale = sqrt(s->pi[room->observer] / s->pi[u]);
            const double complex law[3] = {1 - inverse, scale * first * inverse, scale * first};
            for (int j = 0; j < 3; j++) {
                re[j * WIDTH + i] = creal(law[j]);
                im[j * WIDTH + i] = cimag(law[j]);
            }
        }
    }
}

/* room->below [bins - exact][3][WIDTH]: how much of each law lies at the steps up to each edge. */
static void sum_below(netdp_i_spectral_room *room)
{
    const netdp_i_contour *c = &room->shared->contour;
    for (int32_t r = 0; r < c->ranges; r++) {
        const int32_t edges = c->first[r + 1] - c->first[r];
        if (edges > 0)
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, edges, 3 * WIDTH, PARTS, 1,
                        c->weight + (int64_t)c->first[r] * PARTS, PARTS,
                        room->transform + (int64_t)r * PARTS * 3 * WIDTH, 3 * WIDTH, 0,
                        room->below + (int64_t)c->first[r] * 3 * WIDTH, 3 * WIDTH);
    }
}

/* Masses of bins: `each` step by step, then from sums that are raised by `off`. Returns their sum. */
static double fill_bins(const netdp_i_spectral *s, const double *each, int64_t stride,
                        const double *below, double off, double *mass)
{
    double sum = 0;
    for (int32_t b = 0; b < s->grid->bins; b++) {
        if (b < s->exact) {
            const int64_t end = b + 1 < s->grid->bins ? s->grid->tau[b + 1] : s->steps + 1;
            mass[b] = 0;
            for (int64_t t = s->grid->tau[b]; t < end; t++)
                mass[b] += each[t * stride];
            sum += mass[b];
        } else {
            const double now = fmax(sum, below[(int64_t)(b - s->exact) * 3 * WIDTH] + off);
            mass[b] = now - sum;
            sum = now;
        }
    }
    return sum;
}

/*
 * Phi_uu is a mean of geometric laws. Phi_uv and F_uv are combinations whose coefficients, without
 * their signs, add up to less than sqrt(pi_v / pi_u), and for F_uv times the root of the visits of
 * u before v, 1 / Phi_uv in all (docs/proofs/excursion.md).
 */
static void fill_law(netdp_i_spectral_room *room, int32_t u, int32_t i)
{
    const netdp_i_spectral *s = room->shared;
    const double off = s->contour.off, scale = fmax(1, sqrt(s->pi[room->observer] / s->pi[u]));
    netdp_i_spectral_law *law = &room->law[i];
    law->stride = s->nodes;
    law->each[0] = room->again + u;
    law->each[1] = room->exits + u;
    law->each[2] = room->first + u;
    const double *below = room->below + i;
    double out = fill_bins(s, law->each[0], law->stride, below, off, law->again);
    const double exits =
        fill_bins(s, law->each[1], law->stride, below + WIDTH, off * scale, law->exits);
    const double visits = 1 / fmax(1e-9, exits);
    const double any = fill_bins(s, law->each[2], law->stride, below + 2 * WIDTH,
                                 off * scale * sqrt(visits), law->first);
    out += exits;
    law->excess = fmax(0, fmax(out, any) - 1);
}

static void fill_arrivals(netdp_i_spectral_room *room, int32_t u, int32_t i)
{
    const netdp_i_spectral *s = room->shared;
    const int64_t n = s->nodes, before = s->points - s->asked;
    const double scale = sqrt(s->pi[u] / s->pi[room->observer]);
    for (int64_t p = 0; p < s->asked; p++) {
        const double *column = room->column + 2 * (before + p) * n;
        room->law[i].found[p] =
            scale * (column[u] + I * column[n + u]) / s->self[(before + p) * n + u];
        room->law[i].start[p] = s->start != NULL ? s->start[p * n + u] : room->law[i].found[p];
    }
}

void netdp_i_spectral_follow(netdp_i_spectral_room *room, const int32_t *source, int32_t count)
{
    if (room->shared->contour.ranges > 0) {
        transform_laws(room, source, count);
        sum_below(room);
    }
    for (int32_t i = 0; i < count; i++) {
        fill_law(room, source[i], i);
        fill_arrivals(room, source[i], i);
    }
}

/*
 * A loss is the least sum of squares of a shift of the noises that hides a contribution
 * (docs/proofs/certificate.md). Let h_t be what the shift leaves in the messages of the nodes that
 * the observer does not see, F their part of W, G the rows of the seen nodes there: what they
 * receive their own noise must take up. Then
 *
 *     loss(u) = min |h_0 - e_u|^2 + sum_t |G h_t|^2 / nu^2 + |z_t|^2,   h_{t+1} = F h_t + nu z_t
 *             = 1 - [(I + X / nu^2)^{-1}]_uu,   X <- G'G + F X (I + X)^{-1} F,   rounds - 1 times.
 *
 * From one round to the next X grows by Y Y', of the rank of what is seen and soon of less:
 *
 *     Y <- G';   each round:  U = Y - D Y,  C C' = I + Y' U,  Z = U C^{-T},  D += Z Z',
 *     Y <- F Z,      I - D = (I + X)^{-1}
 *
 * so that a hub, which sees nearly everybody, costs next to nothing. X itself is not needed: with s =
 * nu^{-2} - 1 it is loss(u) = nu^{-2} [D (I + s D)^{-1}]_uu. Matrices are row-major. D is Q Q' with the Z of the
 * first rounds for Q, then it stands in tiles; all that is dear goes by tiles or strips to all threads.
 */
#include "account/observe/riccati.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "account/observe/tiles.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "mixing/dense.h"
#include "mixing/mixing.h"

/* What directions that are dropped add to a loss, at most: so much of the least one, or that where it is next to
   nothing; so much of what is left of it each time. */
#define OF_LEAST 5e-10
#define NOTHING 1e-22
#define SHARE 0.125

/* Powers of F that tell how fast it forgets; rounds from one look for directions to drop to the next. */
enum { POWERS = 64, LOOK_EVERY = 2, LOOK_LAST = 16 };

typedef struct hidden {
    int32_t nodes, seen; /* of the network, unseen and neither in the observer set; seen */
    int32_t *place;      /* [all nodes]: among the hidden ones, or -1 */
    int64_t *start;      /* F: [nodes + 1] */
    int32_t *column;
    double *weight;
    int32_t rank, kept; /* of Y; of Z where directions have been dropped */
    double *y, *z;      /* [nodes][rank] of room [seen] */
    double *c;          /* [rank][rank] */
    double *value;      /* [rank]: eigenvalues of Y'(I - D)Y */
    double *q, *p; /* D = Q Q' while that is of low rank: [nodes][room], and Q'Y, [held][rank] */
    int64_t held, room;
    netdp_i_tiles d; /* D afterwards */
    double
        *least; /* [nodes]: a loss is no less; -1 where nothing is told of a node, whatever comes */
    double noise;   /* nu */
    double forgets; /* |F|, at most */
    double missing; /* X is short of the truth by at most this times I */
    const netdp_progress *progress;
} hidden;

static void hidden_clear(hidden *h)
{
    netdp_i_free(h->place);
    netdp_i_free(h->start);
    netdp_i_free(h->column);
    netdp_i_free(h->weight);
    netdp_i_free(h->y);
    netdp_i_free(h->z);
    netdp_i_free(h->c);
    netdp_i_free(h->value);
    netdp_i_free(h->q);
    netdp_i_free(h->p);
    netdp_i_free(h->least);
    netdp_i_tiles_clear(&h->d);
}

/* F, and Y = G' */
static void start(hidden *h, netdp_rows rows, const netdp_i_observer *observer)
{
    const int64_t s = h->seen;
    int32_t *column = h->place + rows.nodes; /* of a seen node in G' */
    for (int32_t v = 0; v < rows.nodes; v++)
        column[v] = -1;
    for (int32_t j = 0; j < h->seen; j++)
        column[observer->seen[j]] = j;
    int64_t entries = 0;
    for (int32_t v = 0; v < rows.nodes; v++) {
        const int32_t i = h->place[v];
        if (i < 0)
            continue;
        for (int64_t k = rows.start[v]; k < rows.start[v + 1]; k++) {
            const int32_t w = rows.column[k];
            if (h->place[w] >= 0) {
                h->column[entries] = h->place[w];
                h->weight[entries++] = rows.weight[k];
            } else if (column[w] >= 0) {
                h->y[i * s + column[w]] = rows.weight[k];
            }
        }
        h->start[i + 1] = entries;
    }
}

static netdp_rows rows_of(const hidden *h)
{
    return (netdp_rows){
        .nodes = h->nodes, .start = h->start, .column = h->column, .weight = h->weight};
}

/* Of whom the observer is told within so many rounds, where they are hidden: the others' loss is 0. */
static netdp_status find_told(hidden *h, int64_t steps, netdp_error *error)
{
    int32_t *queue = NETDP_I_NEW(int32_t, h->nodes), end = 0;
    int64_t *depth = NETDP_I_NEW(int64_t, h->nodes);
    netdp_status status = queue != NULL && depth != NULL ? NETDP_OK : netdp_i_no_memory(error);
    for (int64_t i = 0; status == NETDP_OK && i < h->nodes; i++) {
        h->least[i] = -1;
        for (int64_t k = 0; depth[i] == 0 && k < h->seen; k++)
            depth[i] = h->y[i * h->seen + k] != 0;
        if (depth[i] == 1)
            queue[end++] = (int32_t)i;
    }
    for (int32_t k = 0; status == NETDP_OK && k < end && depth[queue[k]] <= steps; k++) {
        const int32_t i = queue[k];
        h->least[i] = 0;
        for (int64_t e = h->start[i]; e < h->start[i + 1]; e++)
            if (depth[h->column[e]] == 0) {
                depth[h->column[e]] = depth[i] + 1;
                queue[end++] = h->column[e];
            }
    }
    netdp_i_free(queue);
    netdp_i_free(depth);
    return status;
}

/* |F|^J is at most the largest sum of a row of the J-th power of F's absolute values, as F is symmetric. */
static double find_norm(const hidden *h, double *now, double *next)
{
    double most = 1;
    for (int64_t i = 0; i < h->nodes; i++)
        now[i] = 1;
    for (int32_t power = 0; power < POWERS; power++) {
        most = 0;
        for (int64_t i = 0; i < h->nodes; i++) {
            next[i] = 0;
            for (int64_t e = h->start[i]; e < h->start[i + 1]; e++)
                next[i] += fabs(h->weight[e]) * now[h->column[e]];
            most = fmax(most, next[i]);
        }
        double *swap = now;
        now = next;
        next = swap;
    }
    return fmin(1, pow(most, 1.0 / POWERS) * (1 + 1e-12));
}

/* More is seen than is hidden: Y' = Q R, and R' for Y. */
static netdp_status make_square(hidden *h, netdp_error *error)
{
    const int64_t m = h->nodes, s = h->seen;
    if (LAPACKE_dgeqrf(LAPACK_COL_MAJOR, (int)s, (int)m, h->y, (int)s, h->value) != 0)
        return netdp_i_no_memory(error);
    for (int64_t i = 0; i < m; i++)
        for (int64_t k = 0; k < m; k++)
            h->z[i * m + k] = k <= i ? h->y[i * s + k] : 0;
    memcpy(h->y, h->z, (size_t)(m * m) * sizeof *h->y);
    h->rank = (int32_t)m;
    return NETDP_OK;
}

static netdp_status hidden_new(const netdp_linear *protocol, const netdp_i_observer *observer,
                               hidden *h, netdp_error *error)
{
    const netdp_rows rows = netdp_mixing_rows(protocol->mixing);
    *h = (hidden){.seen = observer->seen_count,
                  .rank = observer->seen_count,
                  .noise = netdp_linear_least_noise(protocol)};
    h->place = NETDP_I_NEW(int32_t, 2 * (int64_t)rows.nodes);
    if (h->place == NULL)
        return netdp_i_no_memory(error);
    for (int32_t j = 0; j < observer->seen_count; j++)
        h->place[observer->seen[j]] = -1;
    for (int32_t j = 0; j < observer->quiet_count; j++)
        h->place[observer->quiet[j]] = -1;
    for (int32_t v = 0; v < rows.nodes; v++)
        if (h->place[v] == 0)
            h->place[v] = h->nodes++;
    const int64_t m = h->nodes, s = h->seen, r = s < m ? s : m, entries = rows.start[rows.nodes];
    h->start = NETDP_I_NEW(int64_t, m + 1);
    h->column = NETDP_I_NEW(int32_t, entries);
    h->weight = NETDP_I_NEW(double, entries);
    h->y = NETDP_I_NEW(double, m *s + m);     /* a number for each node at the end */
    h->z = NETDP_I_NEW(double, m *s + 2 * m); /* and two at the beginning */
    h->c = NETDP_I_NEW(double, r *r);
    h->value = NETDP_I_NEW(double, r);
    h->room = m / 2;
    h->q = NETDP_I_NEW(double, m * h->room);
    h->p = NETDP_I_NEW(double, h->room *r);
    h->least = NETDP_I_NEW(double, m);
    if (h->start == NULL || h->column == NULL || h->weight == NULL || h->y == NULL ||
        h->z == NULL || h->c == NULL || h->value == NULL || h->q == NULL || h->p == NULL ||
        h->least == NULL)
        return netdp_i_no_memory(error);
    start(h, rows, observer);
    h->forgets = find_norm(h, h->z, h->z + m);
    netdp_status status = find_told(h, protocol->rounds - 1, error);
    if (status == NETDP_OK && s > m)
        status = make_square(h, error);
    return status == NETDP_OK ? netdp_i_tiles_new(h->nodes, &h->d, error) : status;
}

/* Rows of a piece of C or of Q'Y. */
enum { STRIP = 128 };

/* Q'Y: some rows. */
static netdp_status multiply_held(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    (void)error;
    const hidden *h = context;
    const int64_t first = index * STRIP, left = h->held - first;
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, left < STRIP ? (int)left : STRIP, h->rank,
                h->nodes, 1, h->q + first, (int)h->room, h->y, h->rank, 0, h->p + first * h->rank,
                h->rank);
    return NETDP_OK;
}

/* Z = Y - Q (Q'Y): the rows of a tile. */
static netdp_status subtract_held(void *context, int64_t i, int thread, netdp_error *error)
{
    (void)thread;
    (void)error;
    const hidden *h = context;
    const int64_t r = h->rank, first = i * NETDP_I_TILE;
    const int rows = netdp_i_tiles_rows(&h->d, i);
    double *z = h->z + first * r;
    memcpy(z, h->y + first * r, (size_t)(rows * r) * sizeof *z);
    if (h->held > 0)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, (int)r, (int)h->held, -1,
                    h->q + first * h->room, (int)h->room, h->p, (int)r, 1, z, (int)r);
    return NETDP_OK;
}

/* Z = Y - D Y */
static netdp_status apply_rest(hidden *h, netdp_error *error)
{
    if (h->q == NULL)
        return netdp_i_tiles_rest(&h->d, h->y, h->z, h->rank, h->progress, error);
    netdp_status status =
        netdp_i_for_each((h->held + STRIP - 1) / STRIP, multiply_held, h, h->progress, NULL, error);
    return status == NETDP_OK
               ? netdp_i_for_each(h->d.count, subtract_held, h, h->progress, NULL, error)
               : status;
}

/* D by its entries, and Q no more. */
static netdp_status settle(hidden *h, netdp_error *error)
{
    netdp_status status = NETDP_OK;
    for (int64_t i = 0; h->q != NULL && i < h->nodes; i++)
        memmove(h->q + i * h->held, h->q + i * h->room, (size_t)h->held * sizeof *h->q);
    if (h->q != NULL && h->held > 0)
        status = netdp_i_tiles_add(&h->d, h->q, (int32_t)h->held, h->progress, error);
    netdp_i_free(h->q);
    netdp_i_free(h->p);
    h->q = h->p = NULL;
    return status;
}

/* D += Z Z' */
static netdp_status add_products(hidden *h, netdp_error *error)
{
    const int64_t r = h->rank;
    if (h->q != NULL && h->held + r <= h->room) {
        for (int64_t i = 0; i < h->nodes; i++)
            memcpy(h->q + i * h->room + h->held, h->z + i * r, (size_t)r * sizeof *h->q);
        h->held += r;
        return NETDP_OK;
    }
    netdp_status status = settle(h, error);
    return status == NETDP_OK ? netdp_i_tiles_add(&h->d, h->z, h->rank, h->progress, error)
                              : status;
}

/* C = Y'Z above its diagonal: some rows. */
static netdp_status multiply_rows(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    (void)error;
    const hidden *h = context;
    const int64_t r = h->rank, first = index * STRIP, left = r - first;
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, left < STRIP ? (int)left : STRIP,
                (int)left, h->nodes, 1, h->y + first, (int)r, h->z + first, (int)r, 0,
                h->c + first * (r + 1), (int)r);
    return NETDP_OK;
}

/* Z <- Z C'^{-1}: the rows of a tile. */
static netdp_status divide_rows(void *context, int64_t i, int thread, netdp_error *error)
{
    (void)thread;
    (void)error;
    const hidden *h = context;
    const int r = h->rank;
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit,
                netdp_i_tiles_rows(&h->d, i), r, 1, h->c, r, h->z + i * NETDP_I_TILE * r, r);
    return NETDP_OK;
}

/* Y <- Z times the last rows of C, transposed: the rows of a tile. */
static netdp_status turn_rows(void *context, int64_t i, int thread, netdp_error *error)
{
    (void)thread;
    (void)error;
    const hidden *h = context;
    const int64_t r = h->rank, kept = h->kept;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, netdp_i_tiles_rows(&h->d, i), (int)kept,
                (int)r, 1, h->z + i * NETDP_I_TILE * r, (int)r, h->c + (r - kept) * r, (int)r, 0,
                h->y + i * NETDP_I_TILE * kept, (int)kept);
    return NETDP_OK;
}

/* Y <- F Z: the rows of a tile. */
static netdp_status pass_rows(void *context, int64_t i, int thread, netdp_error *error)
{
    (void)thread;
    (void)error;
    const hidden *h = context;
    const int32_t first = (int32_t)i * NETDP_I_TILE, end = first + netdp_i_tiles_rows(&h->d, i);
    netdp_i_rows_apply_part(rows_of(h), first, end, h->z, h->y + (int64_t)first * h->rank, h->rank);
    return NETDP_OK;
}

/* Z <- Z C'^{-1}, with C C' = I + C. */
static netdp_status divide(hidden *h, netdp_error *error)
{
    const int64_t r = h->rank;
    for (int64_t k = 0; k < r; k++)
        h->c[k * r + k] += 1;
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (int)r, h->c, (int)r) != 0)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "the covariance of what is hidden is not resolved; give more dither");
    return netdp_i_for_each(h->d.count, divide_rows, h, h->progress, NULL, error);
}

/* The least that any loss is known to be. */
static double find_least(const hidden *h)
{
    double least = 1;
    for (int64_t i = 0; i < h->nodes; i++)
        least = h->least[i] >= 0 ? fmin(least, h->least[i]) : least;
    return least;
}

/* X >= Z Z', and Z'Z is no more than the eigenvalues: so much of a loss is known by this round alone. */
static void know_least(const hidden *h)
{
    const int64_t r = h->rank;
    for (int64_t i = 0; i < h->nodes; i++) {
        double sum = 0;
        for (int64_t k = 0; k < r; k++)
            sum += h->z[i * r + k] * h->z[i * r + k] / (h->noise * h->noise + h->value[k]);
        if (h->least[i] >= 0)
            h->least[i] = fmax(h->least[i], sum);
    }
}

/*
 * Z by the eigenvectors of C = Y'(I - D)Y, without those directions of Y that tell next to nothing: with I - D >= I / 2
 * the square of what is dropped is at most twice their largest eigenvalue (and what rounding takes from it). It
 * comes again in each round that is `left`. The answer: rounds until it is worth to look again.
 */
static netdp_status drop_directions(hidden *h, double left, int64_t *again, netdp_error *error)
{
    const int64_t r = h->rank;
    netdp_status status = netdp_i_symmetric_eigen(h->rank, h->c, h->value, error);
    if (status != NETDP_OK)
        return status;
    const double most = fmax(OF_LEAST * find_least(h), NOTHING) * h->noise * h->noise;
    const double times = 2 * fmin(left, 1 / fmax(0, 1 - h->forgets * h->forgets));
    const double rounding = 2 * sqrt((double)r) * DBL_EPSILON * h->value[r - 1];
    const double share = SHARE * (most - h->missing) / times - rounding;
    int64_t dropped = 0;
    while (share > 0 && dropped < r && h->value[dropped] <= share)
        dropped++;
    if (dropped > 0)
        h->missing += times * (fmax(0, h->value[dropped - 1]) + rounding);
    const double far = share > 0 && dropped == 0 ? log10(h->value[0] / share) : 0;
    *again = dropped > 0 || share <= 0 ? LOOK_EVERY : (int64_t)fmin(fmax(far, 1), LOOK_LAST);
    h->kept = (int32_t)(r - dropped);
    if (h->kept == 0) {
        h->rank = 0;
        return NETDP_OK;
    }
    for (int64_t k = dropped; k < r; k++) {
        h->value[k] = fmax(0, h->value[k]);
        cblas_dscal((int)r, 1 / sqrt(1 + h->value[k]), h->c + k * r, 1);
    }
    memmove(h->value, h->value + dropped, (size_t)h->kept * sizeof *h->value);
    status = netdp_i_for_each(h->d.count, turn_rows, h, h->progress, NULL, error);
    double *swap = h->y;
    h->y = h->z;
    h->z = swap;
    h->rank = h->kept;
    know_least(h);
    return status;
}

/* One round back: D by Y, and the next Y; `again` rounds until directions are looked at. */
static netdp_status step(hidden *h, double left, int64_t *again, netdp_error *error)
{
    const int64_t strips = ((int64_t)h->rank + STRIP - 1) / STRIP;
    netdp_status status = apply_rest(h, error);
    if (status == NETDP_OK)
        status = netdp_i_for_each(strips, multiply_rows, h, h->progress, NULL, error);
    if (status == NETDP_OK && --*again > 0)
        status = divide(h, error);
    else if (status == NETDP_OK)
        status = drop_directions(h, left, again, error);
    if (status != NETDP_OK || h->rank == 0)
        return status;
    status = add_products(h, error);
    if (status == NETDP_OK)
        status = netdp_i_for_each(h->d.count, pass_rows, h, h->progress, NULL, error);
    return status;
}

/*
 * s [D (I + s D)^{-1}]_uu = 1 - [(I + s D)^{-1}]_uu of all hidden nodes: with a = L_uu^2 - 1 it is a / (1 + a) less the
 * squares below u in the column of L^{-1}. From the sum that makes it, a keeps the digits that L_uu^2 - 1 loses.
 */
static netdp_status invert(hidden *h, double s, double *value, netdp_error *error)
{
    const int64_t m = h->nodes;
    for (int64_t i = 0; i < m; i++)
        value[i] = s * *netdp_i_tiles_diagonal(&h->d, i);
    netdp_i_tiles_shift(&h->d, s);
    netdp_status status = netdp_i_tiles_factor(&h->d, h->progress, error);
    if (status == NETDP_OK)
        status = netdp_i_tiles_squares(&h->d, NULL, h->y, h->progress, error);
    for (int64_t i = 0; status == NETDP_OK && i < m; i++) {
        const double a = fmax(value[i] - netdp_i_tiles_before(&h->d, i), 0);
        value[i] = a / (1 + a) - h->y[i];
    }
    return status;
}

/* [D (I + s D)^{-1}]_uu = D_uu - s |L^{-1} D e_u|^2, for s of which no digits are lost by that. */
static netdp_status solve(hidden *h, double s, double *value, netdp_error *error)
{
    netdp_i_tiles factor;
    netdp_status status = netdp_i_tiles_copy(&h->d, &factor, error);
    if (status == NETDP_OK) {
        netdp_i_tiles_shift(&factor, s);
        status = netdp_i_tiles_factor(&factor, h->progress, error);
    }
    if (status == NETDP_OK)
        status = netdp_i_tiles_squares(&factor, &h->d, h->y, h->progress, error);
    for (int64_t i = 0; status == NETDP_OK && i < h->nodes; i++)
        value[i] = *netdp_i_tiles_diagonal(&h->d, i) - s * h->y[i];
    netdp_i_tiles_clear(&factor);
    return status;
}

static netdp_status read_losses(hidden *h, double *loss, netdp_error *error)
{
    const double scale = 1 / h->noise / h->noise, s = scale - 1;
    netdp_status status = settle(h, error);
    if (status == NETDP_OK)
        status = s > 1 ? invert(h, s, loss, error) : solve(h, s, loss, error);
    for (int64_t i = 0; status == NETDP_OK && i < h->nodes; i++) {
        const double value = loss[i] * (s > 1 ? scale / s : scale);
        loss[i] = h->least[i] >= 0 ? fmin(fmax(value, DBL_MIN) + h->missing * scale, 1) : 0;
    }
    return status;
}

bool netdp_i_riccati_serves(const netdp_linear *protocol, const netdp_i_observer *observer)
{
    return protocol->every == 0 && !protocol->accelerate && !observer->last_sum &&
           observer->pairing == NULL && protocol->varying.kind == NETDP_VARY_NEVER &&
           protocol->dither_decay == 0 && !protocol->senders_only &&
           netdp_linear_least_noise(protocol) >= NETDP_I_FACTOR_BELOW;
}

netdp_status netdp_i_riccati_loss(const netdp_linear *protocol, const netdp_i_observer *observer,
                                  const netdp_i_sources *of, const netdp_progress *progress,
                                  netdp_error *error)
{
    const int64_t steps = protocol->rounds - 1;
    int64_t again = 1;
    hidden h;
    double *all = NULL;
    netdp_i_dense_begin();
    netdp_status status = hidden_new(protocol, observer, &h, error);
    h.progress = progress;
    if (status == NETDP_OK && (all = NETDP_I_NEW(double, h.nodes)) == NULL)
        status = netdp_i_no_memory(error);
    for (int64_t t = 0; status == NETDP_OK && t < steps && h.rank > 0 && h.nodes > 0; t++) {
        status = step(&h, (double)(steps - t), &again, error);
        if (status == NETDP_OK)
            status = netdp_i_report(progress, "accounting", (double)(t + 1), (double)steps, error);
    }
    if (status == NETDP_OK && h.nodes > 0)
        status = read_losses(&h, all, error);
    for (int32_t i = 0; status == NETDP_OK && i < of->count; i++)
        of->loss[i] = h.place[of->node[i]] >= 0 ? all[h.place[of->node[i]]] : 1;
    netdp_i_free(all);
    hidden_clear(&h);
    return status;
}

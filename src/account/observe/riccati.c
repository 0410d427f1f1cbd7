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
 * nu^{-2} - 1 it is loss(u) = nu^{-2} [D (I + s D)^{-1}]_uu. Matrices are row-major, D only in its lower
 * triangle; products with it go by tiles, in an order that does not depend on threads.
 */
#include "account/observe/riccati.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "mixing/dense.h"
#include "mixing/mixing.h"

/* Directions of Y are dropped where that adds at most so much to a loss; where it is no small part
   of the least one, all are followed anew with hardly any dropped. */
#define DROPPED 1e-13
#define HARDLY 1e-22
#define SMALL_PART 1e-10

/* Once in so many rounds it is looked for directions to drop; rows and columns of a tile. */
enum { LOOK_EVERY = 4, TILE = 512 };

typedef struct hidden {
    int32_t nodes, seen; /* of the network, unseen and neither in the observer set; seen */
    int32_t *place;      /* [all nodes]: among the hidden ones, or -1 */
    int64_t *start;      /* F: [nodes + 1] */
    int32_t *column;
    double *weight;
    int32_t rank;
    double *y, *z;  /* [nodes][rank] of room [seen] */
    double *c;      /* [rank][rank] of room [seen] */
    int *pivot;     /* [nodes] */
    double *d;      /* [nodes][nodes] */
    bool *touched;  /* [nodes]: is anything told of it at all? */
    double missing; /* X is short of the truth by at most this times I */
    double spare;   /* and by this more at most from each time that directions are dropped */
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
    netdp_i_free(h->pivot);
    netdp_i_free(h->d);
    netdp_i_free(h->touched);
}

/* F, Y = G' and D = 0. */
static void start(hidden *h, netdp_rows rows, const netdp_i_observer *observer)
{
    const size_t m = (size_t)h->nodes;
    h->rank = h->seen;
    h->missing = 0;
    memset(h->y, 0, m * (size_t)h->seen * sizeof *h->y);
    memset(h->d, 0, m * m * sizeof *h->d);
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

static netdp_status hidden_new(const netdp_linear *protocol, const netdp_i_observer *observer,
                               hidden *h, netdp_error *error)
{
    const netdp_rows rows = netdp_mixing_rows(protocol->mixing);
    *h = (hidden){.seen = observer->seen_count};
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
    const int64_t m = h->nodes, s = h->seen, entries = rows.start[rows.nodes];
    h->start = NETDP_I_NEW(int64_t, m + 1);
    h->column = NETDP_I_NEW(int32_t, entries);
    h->weight = NETDP_I_NEW(double, entries);
    h->y = NETDP_I_NEW(double, m *s);
    h->z = NETDP_I_NEW(double, m *s);
    h->c = NETDP_I_NEW(double, s *s);
    h->pivot = NETDP_I_NEW(int, m);
    h->d = NETDP_I_NEW(double, m *m);
    h->touched = NETDP_I_NEW(bool, m);
    if (h->start == NULL || h->column == NULL || h->weight == NULL || h->y == NULL ||
        h->z == NULL || h->c == NULL || h->pivot == NULL || h->d == NULL || h->touched == NULL)
        return netdp_i_no_memory(error);
    return NETDP_OK;
}

/*
 * Y Y' = P R' R P' by QR of Y' with pivots: Y' <- the first rows of R P'. What is left away is no
 * more than the squares of the other rows, in each round to come again, since X <- G'G + F X (I +
 * X)^{-1} F brings no two X further apart.
 */
static netdp_status drop_directions(hidden *h, int64_t rounds, netdp_error *error)
{
    const int32_t m = h->nodes, r = h->rank, most = r < m ? r : m;
    for (int64_t i = 0; i < m; i++)
        for (int64_t k = 0; k < r; k++)
            h->touched[i] |= h->y[i * r + k] != 0;
    memset(h->pivot, 0, (size_t)m * sizeof *h->pivot);
    if (LAPACKE_dgeqp3(LAPACK_COL_MAJOR, r, m, h->y, r, h->pivot, h->c) != 0)
        return netdp_i_no_memory(error);
    int32_t kept = most;
    double dropped = 0;
    while (kept > 0) {
        double square = 0;
        for (int64_t i = kept - 1; i < m; i++)
            square += h->y[i * r + kept - 1] * h->y[i * r + kept - 1];
        if ((dropped + square) * (double)rounds > h->spare)
            break;
        dropped += square;
        kept--;
    }
    h->missing += dropped * (double)rounds;
    for (int64_t i = 0; i < m; i++)
        for (int64_t k = 0; k < kept; k++)
            h->z[(h->pivot[i] - 1) * (int64_t)kept + k] = k <= i ? h->y[i * r + k] : 0;
    memcpy(h->y, h->z, (size_t)m * (size_t)kept * sizeof *h->y);
    h->rank = kept;
    return NETDP_OK;
}

static int tile_size(const hidden *h, int64_t tile)
{
    const int64_t left = h->nodes - tile * TILE;
    return (int)(left < TILE ? left : TILE);
}

/* Z = Y - D Y */
static void apply_rest(const hidden *h)
{
    const int64_t m = h->nodes, r = h->rank, tiles = (m + TILE - 1) / TILE;
    memcpy(h->z, h->y, (size_t)(m * r) * sizeof *h->z);
#pragma omp parallel for schedule(dynamic, 1) if (tiles > 1)
    for (int64_t i = 0; i < tiles; i++)
        for (int64_t j = 0; j < tiles; j++) {
            const int rows = tile_size(h, i), columns = tile_size(h, j);
            const double *d = h->d + (i < j ? j * m + i : i * m + j) * TILE;
            const double *y = h->y + j * TILE * r;
            double *z = h->z + i * TILE * r;
            if (i == j)
                cblas_dsymm(CblasRowMajor, CblasLeft, CblasLower, rows, (int)r, -1, d, (int)m, y,
                            (int)r, 1, z, (int)r);
            else
                cblas_dgemm(CblasRowMajor, i < j ? CblasTrans : CblasNoTrans, CblasNoTrans, rows,
                            (int)r, columns, -1, d, (int)m, y, (int)r, 1, z, (int)r);
        }
}

/* D += Z Z' */
static void add_products(hidden *h)
{
    const int64_t m = h->nodes, r = h->rank, tiles = (m + TILE - 1) / TILE;
#pragma omp parallel for schedule(dynamic, 1) if (tiles > 1)
    for (int64_t i = tiles - 1; i >= 0; i--)
        for (int64_t j = 0; j <= i; j++) {
            const double *left = h->z + i * TILE * r, *right = h->z + j * TILE * r;
            double *d = h->d + (i * m + j) * TILE;
            if (i == j)
                cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, tile_size(h, i), (int)r, 1,
                            left, (int)r, 1, d, (int)m);
            else
                cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, tile_size(h, i),
                            tile_size(h, j), (int)r, 1, left, (int)r, right, (int)r, 1, d, (int)m);
        }
}

/* One round back: D by Y, and the next Y. */
static netdp_status step(hidden *h, netdp_error *error)
{
    const int m = h->nodes, r = h->rank;
    apply_rest(h);
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, r, r, m, 1, h->y, r, h->z, r, 0, h->c, r);
    for (int64_t k = 0; k < r; k++)
        h->c[k * r + k] += 1;
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', r, h->c, r) != 0)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "the covariance of what is hidden is not resolved; give more dither");
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, m, r, 1, h->c, r,
                h->z, r);
    add_products(h);
    const netdp_rows f = {.nodes = m, .start = h->start, .column = h->column, .weight = h->weight};
    netdp_i_rows_apply_part(f, 0, m, h->z, h->y, r);
    return NETDP_OK;
}

/* D <- L, with L L' = I + s D */
static netdp_status find_factor(hidden *h, double s, netdp_error *error)
{
    const int64_t m = h->nodes;
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j <= i; j++)
            h->d[i * m + j] *= s;
        h->d[i * m + i] += 1;
    }
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (int)m, h->d, (int)m) == 0
               ? NETDP_OK
               : netdp_i_fail(error, NETDP_NO_ANSWER,
                              "the covariance of what is hidden is not resolved; give more dither");
}

/*
 * s [D (I + s D)^{-1}]_uu = 1 - [(I + s D)^{-1}]_uu of all hidden nodes: with a = L_uu^2 - 1 it is a / (1 + a) less the
 * squares below u in the column of L^{-1}. From the sum that makes it, a keeps the digits that L_uu^2 - 1 loses.
 */
static netdp_status invert(hidden *h, double s, double *value, netdp_error *error)
{
    const int64_t m = h->nodes;
    for (int64_t i = 0; i < m; i++)
        value[i] = s * h->d[i * m + i];
    netdp_status status = find_factor(h, s, error);
    if (status != NETDP_OK)
        return status;
    for (int64_t i = 0; i < m; i++)
        value[i] -= cblas_ddot((int)i, h->d + i * m, 1, h->d + i * m, 1);
    if (LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'U', 'N', (int)m, h->d, (int)m) != 0)
        return netdp_i_no_memory(error);
    for (int64_t i = 0; i < m; i++) {
        const double a = fmax(value[i], 0);
        value[i] = a / (1 + a);
    }
    for (int64_t i = 1; i < m; i++)
        for (int64_t j = 0; j < i; j++)
            value[j] -= h->d[i * m + j] * h->d[i * m + j];
    return NETDP_OK;
}

/* [D (I + s D)^{-1}]_uu = D_uu - s |L^{-1} D e_u|^2, for s of which no digits are lost by that. */
static netdp_status solve(hidden *h, double s, double *value, netdp_error *error)
{
    const int64_t m = h->nodes;
    double *all = NETDP_I_NEW(double, m *m);
    if (all == NULL)
        return netdp_i_no_memory(error);
    for (int64_t i = 0; i < m; i++) {
        value[i] = h->d[i * m + i];
        for (int64_t j = 0; j <= i; j++)
            all[i * m + j] = all[j * m + i] = h->d[i * m + j];
    }
    netdp_status status = find_factor(h, s, error);
    if (status == NETDP_OK)
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)m, (int)m,
                    1, h->d, (int)m, all, (int)m);
    for (int64_t i = 0; status == NETDP_OK && i < m; i++)
        value[i] -= s * cblas_ddot((int)m, all + i * m, 1, all + i * m, 1);
    netdp_i_free(all);
    return status;
}

static netdp_status read_losses(hidden *h, double noise, double *loss, netdp_error *error)
{
    const double scale = 1 / noise / noise, s = scale - 1;
    for (int64_t i = 0; i < h->nodes; i++)
        h->touched[i] |= h->d[i * h->nodes + i] > 0;
    netdp_status status = s > 1 ? invert(h, s, loss, error) : solve(h, s, loss, error);
    for (int64_t i = 0; status == NETDP_OK && i < h->nodes; i++) {
        const double value = loss[i] * (s > 1 ? scale / s : scale);
        loss[i] = h->touched[i] ? fmin(fmax(value, DBL_MIN) + h->missing * scale, 1) : 0;
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

/* The hidden nodes' losses, with directions dropped that add at most `most` to each. */
static netdp_status go_back(const netdp_linear *protocol, const netdp_i_observer *observer,
                            double most, hidden *h, double *loss, const netdp_progress *progress,
                            netdp_error *error)
{
    const int64_t steps = protocol->rounds - 1;
    const double noise = netdp_linear_least_noise(protocol);
    start(h, netdp_mixing_rows(protocol->mixing), observer);
    h->spare = most * noise * noise / (double)(steps / LOOK_EVERY + 1);
    netdp_status status = NETDP_OK;
    for (int64_t t = 0; status == NETDP_OK && t < steps && h->rank > 0; t++) {
        status = step(h, error);
        if (status == NETDP_OK && t % LOOK_EVERY == 0)
            status = drop_directions(h, steps - t, error);
        if (status == NETDP_OK)
            status = netdp_i_report(progress, "accounting", (double)(t + 1), (double)steps, error);
    }
    return status == NETDP_OK ? read_losses(h, noise, loss, error) : status;
}

/* Is what was added, for dropped directions, a small part of each loss? */
static bool is_tight(const hidden *h, double noise, const double *loss)
{
    double least = 1;
    for (int32_t i = 0; i < h->nodes; i++)
        least = loss[i] > 0 ? fmin(least, loss[i]) : least;
    return h->missing / noise / noise <= SMALL_PART * least;
}

netdp_status netdp_i_riccati_loss(const netdp_linear *protocol, const netdp_i_observer *observer,
                                  const netdp_i_sources *of, const netdp_progress *progress,
                                  netdp_error *error)
{
    hidden h = {0};
    double *all = NULL;
    netdp_i_dense_begin();
    netdp_status status = hidden_new(protocol, observer, &h, error);
    if (status == NETDP_OK && (all = NETDP_I_NEW(double, h.nodes)) == NULL)
        status = netdp_i_no_memory(error);
    if (status == NETDP_OK && h.nodes > 0) {
        status = go_back(protocol, observer, DROPPED, &h, all, progress, error);
        if (status == NETDP_OK && !is_tight(&h, netdp_linear_least_noise(protocol), all))
            status = go_back(protocol, observer, HARDLY, &h, all, progress, error);
    }
    for (int32_t i = 0; status == NETDP_OK && i < of->count; i++)
        of->loss[i] = h.place[of->node[i]] >= 0 ? all[h.place[of->node[i]]] : 1;
    netdp_i_free(all);
    hidden_clear(&h);
    return status;
}

/*
 * A loss is the least sum of squares of a shift of the noises that hides a contribution (docs/proofs/shift.md, "at
 * rest"). Let h_t be what the shift leaves in the messages of the nodes that the observer does not see, F their part of W, G the
 * rows of the seen nodes there: what they receive their own noise must take up. Then
 *
 *     loss(u) = min |h_0 - e_u|^2 + sum_t |G h_t|^2 / nu^2 + |z_t|^2,   h_{t+1} = F h_t + nu z_t
 *             = 1 - [(I + X / nu^2)^{-1}]_uu,   X <- f(X) = G'G + F X (I + X)^{-1} F,   rounds - 1 times, from 0.
 *
 * From one round to the next X grows by Y Y', of the rank of what is seen and soon of less:
 *
 *     Y <- G';   each round:  U = Y - D Y,  C C' = I + Y' U,  Z = U C^{-T},  D += Z Z',
 *     Y <- F Z,      I - D = (I + X)^{-1}
 *
 * That only finds Y. With X *defined* as the sum of the Y Y' that stand in memory, each round is proven, all rounding bounded:
 * f(X) <= X + Y Y' + some I. So no X of the truth is above the last by more than the sum of these, and a loss is known from above,
 * of all sources at once. Matrices are row-major.
 */
#include "account/observe/riccati.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/parallel.h"
#include "base/pool.h"
#include "base/rounding.h"
#include "base/try.h"
#include "mixing/dense.h"
#include "mixing/mixing.h"

/* Directions of Y with less of it than this are dropped: the proof sees what that leaves. */
#define DROPPED 1e-14

/* Rounds from one look for them to the next. */
enum { LOOK_EVERY = 3 };

/* Powers of F that tell how fast it forgets. */
enum { POWERS = 64 };
#define LEAST_POWER 1e-280

#define UNIT (DBL_EPSILON / 2)
#define ROUND_UP (1 + 1e-13)

typedef struct hidden {
    int32_t nodes, seen; /* of the network, unseen and neither in the observer set; seen */
    int32_t *place;      /* [all nodes]: among the hidden ones, or -1 */
    int64_t *start;      /* F: [nodes + 1] */
    int32_t *column;
    double *weight;
    int32_t rank;                /* of Y */
    double *y, *z;               /* [nodes][rank] of room [seen] */
    double *c;                   /* [rank][rank] */
    double *value;               /* [rank]: eigenvalues of Y'Y */
    double *d, *x;               /* D and X, [nodes][nodes], their lower triangles */
    double *room;                /* [nodes][rank]: what is left of Y */
    double lost;                 /* of X as it stands in memory, in norm */
    double some;                 /* what f(X) of the round before may be above X, times I */
    double above;                /* and what the truth may be */
    bool *told;                  /* [nodes]: is the observer told of it within the rounds? */
    double noise;                /* nu */
    double forgets, most, terms; /* |F|, at most; its largest sum of a row, and of entries in one */
    int64_t rounds;
    netdp_i_pool pool;
} hidden;

static void hidden_clear(hidden *h)
{
    netdp_i_pool_clear(&h->pool);
}

/* F, and Y = G'. */
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

/* Of whom the observer is told within the rounds, where they are hidden: the others' loss is 0. */
static netdp_status find_told(hidden *h, const netdp_graph *graph, const netdp_i_observer *observer,
                              netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(graph);
    OWNED int32_t *distance = NETDP_I_NEW(int32_t, n);
    if (distance == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_graph_distances(graph, observer->seen, observer->seen_count, distance, error));
    for (int32_t v = 0; v < n; v++)
        if (h->place[v] >= 0)
            h->told[h->place[v]] = distance[v] >= 0 && distance[v] < h->rounds;
    return NETDP_OK;
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
            most = netdp_i_most(most, next[i]);
        }
        double *swap = now;
        now = next;
        next = swap;
    }
    if (most < LEAST_POWER) /* sums that fell below the doubles tell nothing */
        return INFINITY;
    return pow(most, 1.0 / POWERS) * (1 + 1e-9); /* sums of up to 1e5 terms, 64 times */
}

static netdp_status hidden_new(const netdp_linear *protocol, const netdp_i_observer *observer,
                               hidden *h, netdp_error *error)
{
    const netdp_rows rows = netdp_mixing_rows(protocol->mixing);
    *h = (hidden){.seen = observer->seen_count,
                  .rank = observer->seen_count,
                  .noise = netdp_linear_least_noise(protocol),
                  .rounds = protocol->rounds};
    netdp_i_pool *pool = &h->pool;
    h->place = NETDP_I_TAKE(pool, int32_t, 2 * (int64_t)rows.nodes);
    TRY(netdp_i_pool_made(pool, error));
    for (int32_t j = 0; j < observer->seen_count; j++)
        h->place[observer->seen[j]] = -1;
    for (int32_t j = 0; j < observer->quiet_count; j++)
        h->place[observer->quiet[j]] = -1;
    for (int32_t v = 0; v < rows.nodes; v++)
        if (h->place[v] == 0)
            h->place[v] = h->nodes++;
    const int64_t m = h->nodes, s = h->seen, entries = rows.start[rows.nodes];
    h->start = NETDP_I_TAKE(pool, int64_t, m + 1);
    h->column = NETDP_I_TAKE(pool, int32_t, entries);
    h->weight = NETDP_I_TAKE(pool, double, entries);
    h->y = NETDP_I_TAKE(pool, double, m *s);
    h->z = NETDP_I_TAKE(pool, double, m *s + 2 * m); /* and two numbers a node at the beginning */
    h->c = NETDP_I_TAKE(pool, double, s *s);
    h->value = NETDP_I_TAKE(pool, double, s);
    h->d = NETDP_I_TAKE(pool, double, m *m);
    h->x = NETDP_I_TAKE(pool, double, m *m);
    h->room = NETDP_I_TAKE(pool, double, m *s);
    h->told = NETDP_I_TAKE(pool, bool, m);
    TRY(netdp_i_pool_made(pool, error));
    start(h, rows, observer);
    for (int64_t i = 0; i < m; i++) {
        double sum = 0;
        for (int64_t e = h->start[i]; e < h->start[i + 1]; e++)
            sum += fabs(h->weight[e]);
        h->terms = fmax(h->terms, (double)(h->start[i + 1] - h->start[i]));
        h->most = fmax(h->most, sum * (1 + netdp_i_gamma(h->terms + 2)));
    }
    h->forgets = fmin(h->most, find_norm(h, h->z, h->z + m));
    return find_told(h, netdp_mixing_graph(protocol->mixing), observer, error);
}

/* ---- Norms ---- */

/* What |a| |a|' is in norm, [m][r], and so |a|^2, at most: the largest sum of a row. */
static double gram_norm(const double *a, int64_t m, int64_t r, double *beside)
{
    double most = 0;
    memset(beside, 0, (size_t)r * sizeof *beside);
    for (int64_t i = 0; i < m; i++)
        for (int64_t k = 0; k < r; k++)
            beside[k] += fabs(a[i * r + k]);
    for (int64_t i = 0; i < m; i++) {
        double sum = 0;
        for (int64_t k = 0; k < r; k++)
            sum += fabs(a[i * r + k]) * beside[k];
        most = netdp_i_most(most, sum);
    }
    return most * (1 + netdp_i_gamma((double)(m + r) + 2));
}

/* The largest sum of a row of a symmetric matrix, by its lower triangle. */
static double symmetric_norm(const double *a, int64_t m, double *sum)
{
    double most = 0;
    memset(sum, 0, (size_t)m * sizeof *sum);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j <= i; j++) {
            sum[i] += fabs(a[i * m + j]);
            sum[j] += i == j ? 0 : fabs(a[i * m + j]);
        }
    for (int64_t i = 0; i < m; i++)
        most = netdp_i_most(most, sum[i]);
    return most * (1 + netdp_i_gamma((double)m + 2));
}

/* ---- The recursion, and the proof of each round ---- */

/* Y <- Y Q of the directions that bring something: what the others and rounding take of Y Y' is added. */
static netdp_status drop_directions(hidden *h, netdp_error *error)
{
    const int64_t r = h->rank, m = h->nodes;
    OWNED double *beside = NETDP_I_NEW(double, r);
    OWNED double *gram = NETDP_I_NEW(double, r *r);
    int64_t dropped = 0;
    if (beside == NULL || gram == NULL)
        return netdp_i_no_memory(error);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)r, (int)m, 1, h->y, (int)r, 0, h->c,
                (int)r);
    TRY(netdp_i_symmetric_eigen((int32_t)r, h->c, h->value, error));
    while (dropped < r && h->value[dropped] <= DROPPED)
        dropped++;
    if (dropped == 0)
        return NETDP_OK;
    const int64_t kept = r - dropped;
    const double size = gram_norm(h->y, m, r, beside);
    /* Q Q' = 1 but for this */
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)r, (int)r, 1, h->c, (int)r, 0, gram,
                (int)r);
    for (int64_t k = 0; k < r; k++)
        gram[k * r + k] -= 1;
    const double turned =
        sqrt(netdp_i_squares(gram, r * r)) * 1.5 + netdp_i_gamma((double)r + 2) * (double)r * 1.1;
    /* the turned Y, [m][r]: its first columns go */
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)m, (int)r, (int)r, 1, h->y, (int)r,
                h->c, (int)r, 0, h->room, (int)r);
    const double round =
        netdp_i_gamma((double)r + 2) * sqrt(netdp_i_squares(h->y, m * r) * (double)r * 1.1);
    double gone = 0;
    for (int64_t i = 0; i < m; i++) {
        for (int64_t k = 0; k < dropped; k++)
            gone += h->room[i * r + k] * h->room[i * r + k];
        for (int64_t k = 0; k < kept; k++)
            h->y[i * kept + k] = h->room[i * r + dropped + k];
    }
    h->some += (size * turned + gone * (1 + netdp_i_gamma((double)(m * r) + 2)) +
                round * (2 * sqrt(size * 1.1) + round)) *
               ROUND_UP;
    h->rank = (int32_t)kept;
    return NETDP_OK;
}

/* How far Z is from V, (1 + X) V = Y: the norm of Y - V - X V, with its rounding. V stands in z. */
static double residual(hidden *h, double *sum)
{
    const int64_t m = h->nodes, r = h->rank;
    memcpy(h->room, h->y, (size_t)(m * r) * sizeof *h->room);
    cblas_dsymm(CblasRowMajor, CblasLeft, CblasLower, (int)m, (int)r, -1, h->x, (int)m, h->z,
                (int)r, 1, h->room, (int)r);
    for (int64_t i = 0; i < m * r; i++)
        h->room[i] -= h->z[i];
    const double size = symmetric_norm(h->x, m, sum), v = sqrt(netdp_i_squares(h->z, m * r));
    return (sqrt(netdp_i_squares(h->room, m * r)) +
            netdp_i_gamma((double)m + 4) * (size * v + sqrt(netdp_i_squares(h->y, m * r)) + v) +
            h->lost * v) *
           ROUND_UP;
}

/* X += Y Y' and D += Z Z', Z = V L'^{-1} with L L' = 1 + Y'V in place of V; what F Z lacks of its part of f(X), in norm. */
static netdp_status divide(hidden *h, double astray, double *lacks, netdp_error *error)
{
    const int64_t m = h->nodes, r = h->rank;
    OWNED double *beside = NETDP_I_NEW(double, r + m);
    if (beside == NULL)
        return netdp_i_no_memory(error);
    const double y = sqrt(gram_norm(h->y, m, r, beside)),
                 y_all = sqrt(netdp_i_squares(h->y, m * r));
    const double v_all = sqrt(netdp_i_squares(h->z, m * r));
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)r, (int)r, (int)m, 1, h->y, (int)r,
                h->z, (int)r, 0, h->c, (int)r);
    for (int64_t k = 0; k < r; k++)
        h->c[k * r + k] += 1;
    /* c is symmetric but for what is charged; one triangle of it counts. */
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (int)r, h->c, (int)r) != 0)
        return netdp_i_fail(error, NETDP_NO_ANSWER, "the covariance of what is hidden is lost");
    double factor = 0;
    for (int64_t j = 0; j < r; j++)
        for (int64_t i = j; i < r; i++)
            factor += h->c[j * r + i] * h->c[j * r + i];
    factor *= 1 + netdp_i_gamma((double)(r * r) + 2); /* |L|_F^2 */
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, (int)m, (int)r,
                1, h->c, (int)r, h->z, (int)r);
    const double z = sqrt(gram_norm(h->z, m, r, beside)),
                 z_all = sqrt(netdp_i_squares(h->z, m * r));
    /* L L' = 1 + Y'V but for off; V = Z L' but for d. */
    const double off = (2 * y * astray + 2 * netdp_i_gamma((double)m + 3) * y_all * v_all +
                        netdp_i_gamma((double)r + 4) * (factor + (double)r * UNIT)) *
                       ROUND_UP;
    const double d = (astray + netdp_i_gamma((double)r + 3) * z_all * sqrt(factor)) * ROUND_UP;
    const double moved = netdp_i_gamma(h->terms + 2) * h->most * z_all;
    *lacks = off < 0.1
                 ? (h->forgets * h->forgets *
                        (off * z * z + (1 + off) * (2 * z * d / (1 - off) + d * d / (1 - off))) +
                    moved * (2 * h->forgets * z + moved)) *
                       ROUND_UP
                 : INFINITY;
    h->lost += (netdp_i_gamma((double)r + 4) * y * y + 2 * UNIT * symmetric_norm(h->x, m, beside)) *
               ROUND_UP;
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)m, (int)r, 1, h->y, (int)r, 1, h->x,
                (int)m);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)m, (int)r, 1, h->z, (int)r, 1, h->d,
                (int)m);
    return NETDP_OK;
}

/* One round back: X and D by Y, and the next Y. Of the truth, X <- f(X), it is above by some more. */
static netdp_status step(hidden *h, bool look, netdp_error *error)
{
    const int m = h->nodes;
    double lacks = 0;
    OWNED double *sum = NETDP_I_NEW(double, m);
    if (sum == NULL)
        return netdp_i_no_memory(error);
    if (look && h->rank > 0)
        TRY(drop_directions(h, error));
    h->above = (h->forgets * h->forgets * h->above + h->some) * ROUND_UP;
    if (h->rank == 0)
        return NETDP_OK;
    const int r = h->rank;
    memcpy(h->z, h->y, (size_t)m * (size_t)r * sizeof *h->z);
    cblas_dsymm(CblasRowMajor, CblasLeft, CblasLower, m, r, -1, h->d, m, h->y, r, 1, h->z, r);
    const double astray = residual(h, sum);
    TRY(divide(h, astray, &lacks, error));
    h->some = (h->some + lacks) * ROUND_UP;
    netdp_i_rows_apply_part(rows_of(h), 0, m, h->z, h->y, r);
    return NETDP_OK;
}

/* ---- The losses ---- */

/* The largest sum of a row of |a| |b|, [m][m]; |a| alone where b is NULL; `turned`: of |a'|. */
static double norm_of(const double *a, const double *b, int64_t m, bool turned, double *room)
{
    double most = 0, *sum = room, *beside = room + m;
    for (int64_t i = 0; i < m; i++) {
        sum[i] = 0;
        beside[i] = b == NULL ? 1 : 0;
        for (int64_t j = 0; b != NULL && j < m; j++)
            beside[i] += fabs(b[i * m + j]);
    }
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++)
            sum[turned ? j : i] += fabs(a[i * m + j]) * beside[turned ? i : j];
    for (int64_t i = 0; i < m; i++)
        most = netdp_i_most(most, sum[i]);
    return most * (1 + 2 * netdp_i_gamma((double)m + 2));
}

/*
 * The largest sum of a row of |lower| |lower'|: how large what a factorisation adds up is. `lower` has 0 above its diagonal.
 */
static double size_of_factor(const double *lower, int64_t m, double *down)
{
    double most = 0;
    memset(down, 0, (size_t)m * sizeof *down);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j <= i; j++)
            down[j] += fabs(lower[i * m + j]);
    for (int64_t i = 0; i < m; i++) {
        double sum = 0;
        for (int64_t j = 0; j <= i; j++)
            sum += fabs(lower[i * m + j]) * down[j];
        most = netdp_i_most(most, sum);
    }
    return most * (1 + 2 * netdp_i_gamma((double)m + 2));
}

/* a <- L, a = L L' but for `off` in norm at most; false: it has none. */
static bool factor(double *a, int32_t order, double *off, double *room)
{
    const int64_t m = order;
    *off = INFINITY;
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', order, a, order) != 0)
        return false;
    for (int64_t i = 0; i < m; i++)
        memset(a + i * m + i + 1, 0, (size_t)(m - i - 1) * sizeof *a);
    *off = netdp_i_gamma((double)m + 3) * size_of_factor(a, m, room) *
           ROUND_UP; /* Higham, Theorem 10.3 */
    return true;
}

/*
 * loss[i] of hidden nodes: 1 - [(1 + X / nu^2)^-1]_ii. From 1 + X / nu^2 = L L' and C, nearly L^-1, the diagonal of the inverse is
 * known from below.
 */
static void read_losses(hidden *h, double *work, double *loss)
{
    const int64_t m = h->nodes;
    const double scale = 1 / h->noise / h->noise;
    double off, *other = h->d; /* which is not needed any more */
    double *room = work + m * m;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j <= i; j++)
            work[i * m + j] = work[j * m + i] = scale * h->x[i * m + j] + (i == j ? 1 : 0);
    const double size = norm_of(work, NULL, m, false, room);
    bool made = factor(work, h->nodes, &off, room);
    off = (off + 4 * UNIT * size + h->lost * scale) * ROUND_UP;
    memcpy(other, work, (size_t)(m * m) * sizeof *other);
    made = made && LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'U', 'N', (int)m, other, (int)m) == 0;
    memset(loss, 0, (size_t)m * sizeof *loss);
    for (int64_t j = 0; j < m; j++) /* |C e_i|^2 */
        for (int64_t i = 0; i <= j; i++)
            loss[i] += other[j * m + i] * other[j * m + i];
    const double sizes = norm_of(other, work, m, false, room);
    cblas_dtrmm(CblasRowMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, (int)m, (int)m,
                1, work, (int)m, other, (int)m); /* C L */
    for (int64_t i = 0; i < m; i++)
        other[i * m + i] -= 1;
    /* The norm of a matrix is at most the root of its rows' and its columns' largest sums. */
    const double apart =
        sqrt(norm_of(other, NULL, m, false, room) * norm_of(other, NULL, m, true, room)) + UNIT +
        netdp_i_gamma((double)m + 4) * sizes * sqrt((double)m);
    const double above = h->above * scale * ROUND_UP;
    made = made && apart < 0.1 && off < 0.1 && above < 0.1;
    /* 1 + X / nu^2 <= L L' + off, and (L L')^-1 <= 1 / (1 - off). */
    const double loses =
        (1 + apart) * (1 + apart) * (1 + 2 * off) * (1 + 2 * netdp_i_gamma((double)m + 2));
    for (int64_t i = 0; i < m; i++) {
        const double value = (1 - loss[i] / loses + above) * (1 + 4 * UNIT) + UNIT;
        loss[i] = !h->told[i] ? 0 : made && value <= 1 ? fmax(value, DBL_MIN) : 1;
    }
}

/*
 * Under smaller dithers a covariance proves less than a shift does. Above NETDP_DENSE_NODES nothing else is there: down
 * to this it was at most some hundredths above the truth, where that was found, of what is heard in seconds.
 */
static double least_dither(const netdp_linear *protocol, const netdp_i_observer *observer)
{
    const bool large = netdp_mixing_rows(protocol->mixing).nodes > NETDP_DENSE_NODES;
    const double messages = (double)protocol->rounds * observer->seen_count;
    return large && messages <= NETDP_DENSE_NODES ? 1e-6 : NETDP_I_FACTOR_BELOW;
}

bool netdp_i_riccati_serves(const netdp_linear *protocol, const netdp_i_observer *observer)
{
    return protocol->every == 0 && !protocol->accelerate && !observer->last_sum &&
           observer->pairing == NULL && protocol->varying.kind == NETDP_VARY_NEVER &&
           protocol->noise.decay == 0 && !protocol->senders_only &&
           netdp_linear_least_noise(protocol) >= least_dither(protocol, observer);
}

double netdp_i_riccati_bytes(double hidden_nodes, double seen)
{
    return 8 * (3 * hidden_nodes * hidden_nodes + 3 * hidden_nodes * seen + 2 * seen * seen);
}

netdp_status netdp_i_riccati_loss(const netdp_linear *protocol, const netdp_i_observer *observer,
                                  const netdp_i_sources *of, const netdp_progress *progress,
                                  netdp_error *error)
{
    CLEARED(hidden_clear) hidden h = {0};
    netdp_i_dense_begin();
    TRY(hidden_new(protocol, observer, &h, error));
    double *all = NETDP_I_TAKE(&h.pool, double, h.nodes);
    double *work =
        NETDP_I_TAKE(&h.pool, double, ((int64_t)h.nodes + 2) * h.nodes); /* and two rows */
    TRY(netdp_i_pool_made(&h.pool, error));
    for (int64_t t = 1; t < h.rounds && h.nodes > 0; t++) {
        TRY(step(&h, t % LOOK_EVERY == 0, error));
        TRY(netdp_i_report(progress, "accounting", (double)t, (double)h.rounds, error));
    }
    if (h.nodes > 0)
        read_losses(&h, work, all);
    for (int32_t i = 0; i < of->count; i++)
        of->loss[i] = h.place[of->node[i]] >= 0 ? all[h.place[of->node[i]]] : 1;
    return NETDP_OK;
}

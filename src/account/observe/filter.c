/*
 * m_t is a vector AR(1) process and y_t = S m_t its noise-free observation, so a Kalman filter
 * gives the whitened innovations. In modal coordinates (basis.h), with D zero at quiet nodes:
 *
 *     P <- D + E E^T
 *     each round:  Sigma = S P S^T = L L^T     G = P S^T L^{-T}     P <- P - G G^T
 *     then:        P <- theta P theta + nu^2 D (+ E E^T where the round takes contributions)
 *
 * E: of noise that cancels in pairs, kappa (b_v - b_w) of each pair that the observer does not
 * share, b the coordinates of a node.
 *
 * Ranks are decided in units of the noise that is fresh in each observation: a sum received through
 * small weights is as much of an observation as any other.
 *
 * The covariance form loses nu^2 below 1e-16. For a small dither P is therefore carried as a
 * factor, P = C C^T, which loses nu below 1e-16: S C = L V^T, G = C V, C <- C - G V^T, and the
 * factor of theta P theta + nu^2 D by QR. It costs several times as much.
 *
 * All matrices are column-major; P only in its lower triangle.
 */
#include "account/observe/filter.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "account/observe/pairing.h"
#include "base/fail.h"
#include "base/pool.h"
#include "base/rounding.h"
#include "base/try.h"

struct netdp_i_filter {
    int modes, seen;
    bool factored;
    bool delayed, started; /* the seen nodes' own noise is known: they show the round before */
    double change;
    double spread; /* the most that a standard deviation of P is: rounding is in parts of it */
    double now, earlier; /* noise of the round at hand, and of the one before it */
    const double *theta;
    const double *reach; /* [seen] or NULL; the observer's */
    double *rows;        /* S B as [modes][seen] columns: the rows of the seen nodes */
    double *noise;       /* D: lower triangle, or its factor's transpose (upper), [modes][modes] */
    double *pairs;       /* E E^T in the same form as D; NULL: no pairs */
    double *p;           /* P, or C */
    double *before;      /* P one round ago */
    double *image;       /* P S^T, or C^T S^T, [modes] x [seen] */
    double *stack;       /* [2 modes] x [modes], with pairs 3; factored only */
    double *work;        /* 2 max(seen, modes) */
    netdp_i_pool pool;
};

void netdp_i_filter_free(netdp_i_filter *filter)
{
    if (filter == NULL)
        return;
    netdp_i_pool_clear(&filter->pool);
    netdp_i_free(filter);
}

static netdp_i_filter *filter_allocate(const netdp_i_basis *basis, const netdp_i_observer *observer,
                                       bool factored)
{
    const int64_t r = basis->modes, s = observer->seen_count;
    const bool pairs = observer->pairing != NULL;
    netdp_i_filter *f = NETDP_I_NEW(netdp_i_filter, 1);
    if (f == NULL)
        return NULL;
    *f = (netdp_i_filter){.modes = basis->modes,
                          .seen = observer->seen_count,
                          .factored = factored,
                          .change = INFINITY,
                          .spread = netdp_i_observer_spread(observer),
                          .now = 1,
                          .theta = basis->theta};
    f->rows = NETDP_I_TAKE(&f->pool, double, r *s);
    f->noise = NETDP_I_TAKE(&f->pool, double, r *r);
    f->p = NETDP_I_TAKE(&f->pool, double, r *r);
    f->before = NETDP_I_TAKE(&f->pool, double, factored ? 1 : r *r);
    f->image = NETDP_I_TAKE(&f->pool, double, r *s);
    f->stack = NETDP_I_TAKE(&f->pool, double, factored ? (pairs ? 3 : 2) * r *r : 1);
    f->pairs = pairs ? NETDP_I_TAKE(&f->pool, double, r *r) : NULL;
    f->work = NETDP_I_TAKE(&f->pool, double, 2 * (r > s ? r : s));
    if (f->pool.failed) {
        netdp_i_filter_free(f);
        return NULL;
    }
    return f;
}

/* D as a covariance: I, or what the inner space has of it, minus the quiet nodes' outer products.
 */
static void fill_noise(netdp_i_filter *f, const netdp_i_basis *basis,
                       const netdp_i_observer *observer)
{
    const int64_t r = f->modes;
    if (basis->inner != NULL)
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, f->modes, basis->inner_count, 1,
                    basis->inner, f->modes, 0, f->noise, f->modes);
    for (int64_t k = 0; basis->inner == NULL && k < r; k++)
        f->noise[k * r + k] = 1;
    for (int32_t q = 0; q < observer->quiet_count; q++)
        cblas_dsyr(CblasColMajor, CblasLower, f->modes, -1, basis->rows + observer->quiet[q] * r, 1,
                   f->noise, f->modes);
}

/*
 * D as a factor: R of the QR of B with the rows of quiet nodes set to zero (R^T R = D). Of an inner
 * space, which has no quiet nodes, its own rows do.
 */
static netdp_status fill_noise_factor(netdp_i_filter *f, const netdp_i_basis *basis,
                                      const netdp_i_observer *observer, netdp_error *error)
{
    const double *rows = basis->inner != NULL ? basis->inner : basis->rows;
    const int64_t r = f->modes, n = basis->inner != NULL ? basis->inner_count : basis->nodes;
    OWNED double *b = NETDP_I_NEW(double, n *r);
    if (b == NULL)
        return netdp_i_no_memory(error);
    for (int64_t u = 0; u < n; u++)
        for (int64_t k = 0; k < r; k++)
            b[k * n + u] = rows[u * r + k];
    for (int32_t q = 0; q < observer->quiet_count; q++)
        for (int64_t k = 0; k < r; k++)
            b[k * n + observer->quiet[q]] = 0;
    if (LAPACKE_dgeqrf(LAPACK_COL_MAJOR, (lapack_int)n, f->modes, b, (lapack_int)n, f->work) != 0)
        return netdp_i_no_memory(error);
    for (int64_t k = 0; k < r; k++)
        memcpy(f->noise + k * r, b + k * n, (size_t)(k < n ? k + 1 : n) * sizeof *b);
    return NETDP_OK;
}

/* ---- Noise that cancels in pairs ---- */

/* Rows of E on their way: added up in blocks. */
typedef struct pair_rows {
    netdp_i_filter *filter;
    int64_t count, room;
    double *row; /* [room][modes]; factored: behind the factor so far, column by column */
} pair_rows;

static netdp_status flush_pairs(pair_rows *rows, netdp_error *error)
{
    netdp_i_filter *f = rows->filter;
    const int64_t r = f->modes, height = r + rows->room;
    if (!f->factored) {
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, f->modes, (int)rows->count, 1,
                    rows->row, f->modes, 1, f->pairs, f->modes);
        rows->count = 0;
        return NETDP_OK;
    }
    /* The factor so far stands in the first r rows of each column, those of the block behind it. */
    for (int64_t k = 0; k < r; k++) {
        memcpy(rows->row + k * height, f->pairs + k * r, (size_t)r * sizeof(double));
        memset(rows->row + k * height + r + rows->count, 0,
               (size_t)(rows->room - rows->count) * sizeof(double));
    }
    if (LAPACKE_dgeqrf(LAPACK_COL_MAJOR, (lapack_int)height, f->modes, rows->row,
                       (lapack_int)height, f->work) != 0)
        return netdp_i_no_memory(error);
    for (int64_t k = 0; k < r; k++)
        for (int64_t i = 0; i < r; i++)
            f->pairs[k * r + i] = i <= k ? rows->row[k * height + i] : 0;
    rows->count = 0;
    return NETDP_OK;
}

/* The row scale (a - share b), a and b [modes]. */
static netdp_status add_pair(pair_rows *rows, double scale, const double *a, double share,
                             const double *b, netdp_error *error)
{
    const netdp_i_filter *f = rows->filter;
    const int64_t r = f->modes, height = r + rows->room;
    if (rows->count == rows->room)
        TRY(flush_pairs(rows, error));
    double *into = f->factored ? rows->row + r + rows->count : rows->row + rows->count * r;
    const int64_t stride = f->factored ? height : 1;
    for (int64_t k = 0; k < r; k++)
        into[k * stride] = scale * (a[k] - share * b[k]);
    rows->count++;
    return NETDP_OK;
}

/*
 * The pairs of the one quiet node v whose own noise counts: a message shows u_v - kappa sum n_w, so
 * that given it the n_w of its d partners have covariance I - kappa^2 / (1 + kappa^2 d) 11^T, the
 * square of I - share 11^T.
 */
static netdp_status add_own_pairs(pair_rows *rows, const netdp_pairing *pairing,
                                  const netdp_i_basis *basis, int32_t v, netdp_error *error)
{
    const int64_t r = basis->modes;
    const int32_t d = netdp_graph_degree(pairing->graph, v);
    const int32_t *partner = netdp_graph_neighbours(pairing->graph, v);
    const double share = netdp_i_pairing_share(pairing->kappa, d);
    OWNED double *sum = NETDP_I_NEW(double, r);
    if (sum == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < d; i++)
        cblas_daxpy((int)r, 1, basis->rows + partner[i] * r, 1, sum, 1);
    for (int32_t i = 0; i < d; i++)
        TRY(add_pair(rows, pairing->kappa, basis->rows + partner[i] * r, share, sum, error));
    return NETDP_OK;
}

static netdp_status fill_pairs(netdp_i_filter *f, const netdp_i_basis *basis,
                               const netdp_i_observer *observer, netdp_error *error)
{
    const netdp_graph *graph = observer->pairing->graph;
    const int64_t r = f->modes, room = r < 64 ? 64 : r;
    OWNED double *row = NETDP_I_NEW(double, (f->factored ? r + room : room) * r);
    OWNED char *quiet = NETDP_I_NEW(char, basis->nodes);
    if (row == NULL || quiet == NULL)
        return netdp_i_no_memory(error);
    pair_rows rows = {f, 0, room, row};
    for (int32_t q = 0; q < observer->quiet_count; q++)
        quiet[observer->quiet[q]] = 1;
    for (int32_t v = 0; v < basis->nodes; v++)
        for (int32_t i = 0; i < netdp_graph_degree(graph, v); i++) {
            const int32_t w = netdp_graph_neighbours(graph, v)[i];
            if (w > v && quiet[v] == 0 && quiet[w] == 0)
                TRY(add_pair(&rows, observer->pairing->kappa, basis->rows + v * r, 1,
                             basis->rows + w * r, error));
        }
    if (observer->own_counts)
        TRY(add_own_pairs(&rows, observer->pairing, basis, observer->quiet[0], error));
    return flush_pairs(&rows, error);
}

/* Sums whose nodes' own noise is known: m_t is known but for what came in the round before. */
static bool is_delayed(const netdp_i_observer *observer)
{
    return observer->last_sum && observer->quiet_count > 0;
}

double netdp_i_reach(netdp_rows rows, int32_t v, const char *mark, bool own)
{
    double reach = 0;
    for (int64_t k = rows.start[v]; k < rows.start[v + 1]; k++) {
        const int32_t u = rows.column[k];
        if (mark[u] == 0 || (own && u == v))
            reach = hypot(reach, rows.weight[k]); /* squares may underflow */
    }
    return reach;
}

double netdp_i_observer_spread(const netdp_i_observer *observer)
{
    return observer->pairing == NULL ? 1 : netdp_i_pairing_spread(observer->pairing);
}

double netdp_i_observer_scale(const netdp_linear *protocol, const netdp_i_observer *observer)
{
    double least = 1;
    for (int32_t j = 0; observer->last_sum && observer->reach != NULL && j < observer->seen_count;
         j++)
        least = fmin(least, observer->reach[j]);
    return least * netdp_linear_least_noise(protocol) / netdp_i_observer_spread(observer);
}

/* P <- theta P theta + noise^2 D, and E E^T where the round contributes. */
static void predict_covariance(netdp_i_filter *f, double noise, bool contributes)
{
    const int64_t r = f->modes;
    const double energy = noise * noise;
    double change = 0;
    for (int64_t j = 0; j < r; j++) {
        double *p = f->p + j * r;
        const double *d = f->noise + j * r;
        const double factor = f->theta[j];
        double *before = f->before + j * r;
        if (f->pairs != NULL && contributes)
            for (int64_t i = j; i < r; i++)
                p[i] = p[i] * factor * f->theta[i] + energy * d[i] + f->pairs[j * r + i];
        else
            for (int64_t i = j; i < r; i++)
                p[i] = p[i] * factor * f->theta[i] + energy * d[i];
        for (int64_t i = j; i < r; i++) {
            const double moved = fabs(p[i] - before[i]);
            change = moved > change ? moved : change; /* fmax would not be vectorised */
            before[i] = p[i];
        }
    }
    f->change = change;
}

/* C^T = R of the QR of [ (theta C)^T ; noise R_D ; R_E ]. */
static netdp_status predict_factor(netdp_i_filter *f, double noise, bool contributes,
                                   netdp_error *error)
{
    const bool pairs = f->pairs != NULL && contributes;
    const int64_t r = f->modes, height = (pairs ? 3 : 2) * r;
    if (noise == 0 && !pairs) {
        for (int64_t j = 0; j < r; j++)
            for (int64_t i = 0; i < r; i++)
                f->p[j * r + i] *= f->theta[i];
        return NETDP_OK;
    }
    for (int64_t i = 0; i < r; i++) {
        double *column = f->stack + height * i;
        for (int64_t j = 0; j < r; j++) {
            column[j] = f->p[j * r + i] * f->theta[i];
            column[r + j] = j <= i ? noise * f->noise[i * r + j] : 0;
        }
        if (pairs)
            memcpy(column + 2 * r, f->pairs + i * r, (size_t)r * sizeof *column);
    }
    if (LAPACKE_dgeqrf(LAPACK_COL_MAJOR, (lapack_int)height, f->modes, f->stack, (lapack_int)height,
                       f->work) != 0)
        return netdp_i_no_memory(error);
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j < r; j++)
            f->p[j * r + i] = j <= i ? f->stack[height * i + j] : 0;
    return NETDP_OK;
}

netdp_status netdp_i_filter_new(const netdp_i_basis *basis, const netdp_i_observer *observer,
                                double scale, netdp_i_filter **filter, netdp_error *error)
{
    const int64_t r = basis->modes;
    OWNED_BY(netdp_i_filter_free)
    netdp_i_filter *f = filter_allocate(basis, observer, scale < NETDP_I_FACTOR_BELOW);
    if (f == NULL)
        return netdp_i_no_memory(error);
    f->delayed = is_delayed(observer);
    f->reach = observer->reach;
    for (int32_t j = 0; j < f->seen; j++)
        memcpy(f->rows + j * r, basis->rows + observer->seen[j] * r, (size_t)r * sizeof(double));
    if (f->factored)
        TRY(fill_noise_factor(f, basis, observer, error));
    else
        fill_noise(f, basis, observer);
    if (f->pairs != NULL)
        TRY(fill_pairs(f, basis, observer, error));
    if (!f->factored)
        predict_covariance(f, 1, true);
    else if (f->pairs != NULL)
        TRY(predict_factor(f, 1, true, error)); /* of P = 0 */
    else
        for (int64_t i = 0; i < r; i++)
            for (int64_t j = 0; j <= i; j++)
                f->p[j * r + i] = f->noise[i * r + j];
    *filter = GIVE(f);
    return NETDP_OK;
}

/*
 * Each observation's own scale: the noise of its round, or the one that came through the weights
 * with the sum. Without any, what the first noise would be. Returns the least of them.
 */
static double find_units(const netdp_i_filter *f, double *unit)
{
    const bool came = f->delayed || (f->now == 0 && f->reach != NULL);
    const double noise = came ? f->earlier : f->now;
    double least = INFINITY;
    for (int j = 0; j < f->seen; j++) {
        const double through = came && f->reach != NULL ? f->reach[j] : 1;
        const bool known = through == 0 || (f->delayed && !f->started);
        unit[j] = known ? INFINITY : through * (noise > 0 ? noise : 1);
        least = fmin(least, unit[j]);
    }
    return least;
}

/* Sigma = S P S^T in units of the observations, and P S^T in the order of its pivots. */
static void observe_covariance(netdp_i_filter *f, netdp_i_gain *g)
{
    const int r = f->modes, s = f->seen;
    const double least = find_units(f, g->unit) / f->spread;
    cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, r, s, 1, f->p, r, f->rows, r, 0, f->image, r);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, s, s, r, 1, f->rows, r, f->image, r, 0,
                g->lower, s);
    for (int j = 0; j < s; j++)
        for (int i = 0; i < s; i++)
            g->lower[(int64_t)j * s + i] /= g->unit[j] * g->unit[i];
    netdp_i_gain_resolve(g, s, NETDP_I_FLOOR / least / least, f->work);
    for (int j = 0; j < g->rank; j++)
        memcpy(g->gain + (int64_t)j * r, f->image + (int64_t)(g->pivot[j] - 1) * r,
               (size_t)r * sizeof(double));
    netdp_i_gain_learn(g, r, s, f->p);
}

/* The same from the factor. */
static netdp_status observe_factor(netdp_i_filter *f, netdp_i_gain *g, netdp_error *error)
{
    const int r = f->modes, s = f->seen;
    const netdp_i_factor factor = {r, r, f->p, f->image, f->work};
    const double floor = NETDP_I_FACTOR_FLOOR * f->spread / find_units(f, g->unit);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, r, s, r, 1, f->p, r, f->rows, r, 0,
                f->image, r);
    for (int64_t j = 0; j < s; j++)
        for (int64_t i = 0; i < r; i++)
            f->image[j * r + i] /= g->unit[j];
    return netdp_i_gain_factor(g, s, floor, &factor, false, error);
}

netdp_status netdp_i_filter_observe(netdp_i_filter *filter, netdp_i_gain *gain, netdp_error *error)
{
    if (filter->factored)
        return observe_factor(filter, gain, error);
    observe_covariance(filter, gain);
    return NETDP_OK;
}

netdp_status netdp_i_filter_predict(netdp_i_filter *filter, double noise, bool contributes,
                                    netdp_error *error)
{
    filter->earlier = filter->now;
    filter->now = noise;
    filter->started = true;
    if (filter->factored)
        return predict_factor(filter, noise, contributes, error);
    predict_covariance(filter, noise, contributes);
    return NETDP_OK;
}

/* R^T of the QR of [ C^T ; noise I ]: a product of C would lose the square of the noise. */
static netdp_status factor_stack(const netdp_i_filter *f, double noise, double *lower,
                                 netdp_error *error)
{
    const int64_t r = f->modes;
    for (int64_t i = 0; i < r; i++) {
        double *column = f->stack + 2 * r * i;
        for (int64_t j = 0; j < r; j++) {
            column[j] = f->p[j * r + i];
            column[r + j] = i == j ? noise : 0;
        }
    }
    if (LAPACKE_dgeqrf(LAPACK_COL_MAJOR, (lapack_int)(2 * r), f->modes, f->stack,
                       (lapack_int)(2 * r), f->work) != 0)
        return netdp_i_no_memory(error);
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j <= i; j++)
            lower[j * r + i] = f->stack[2 * r * i + j];
    return NETDP_OK;
}

netdp_status netdp_i_filter_factor(const netdp_i_filter *filter, double noise, double *lower,
                                   netdp_error *error)
{
    const int64_t r = filter->modes;
    if (filter->factored)
        return factor_stack(filter, noise, lower, error);
    memcpy(lower, filter->p, (size_t)(r * r) * sizeof *lower);
    for (int64_t k = 0; k < r; k++)
        lower[k * r + k] += noise * noise;
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', filter->modes, lower, filter->modes) == 0)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_NO_ANSWER,
                        "the covariance of the states is not resolved under a noise of %g; give "
                        "more dither",
                        noise);
}

double netdp_i_filter_size(const netdp_i_filter *filter, double *row)
{
    const int64_t r = filter->modes;
    double diagonal = 0, below = 0, *sum = filter->work;
    memset(sum, 0, (size_t)r * sizeof *sum);
    for (int64_t j = 0; j < r; j++) {
        const double *p = filter->p + j * r;
        double down = 0;
        diagonal += p[j] * p[j];
        for (int64_t i = j + 1; i < r; i++) {
            below += p[i] * p[i];
            down += fabs(p[i]);
            sum[i] += fabs(p[i]);
        }
        sum[j] += fabs(p[j]) + down;
    }
    *row = 0;
    for (int64_t j = 0; j < r; j++)
        *row = netdp_i_most(*row, sum[j]);
    return sqrt(diagonal + 2 * below);
}

double netdp_i_filter_change(const netdp_i_filter *filter)
{
    return filter->change;
}

netdp_status netdp_i_response_new(const netdp_i_filter *filter, int32_t count,
                                  netdp_i_response *response, netdp_error *error)
{
    netdp_i_response made = {
        .modes = filter->modes,
        .seen = filter->seen,
        .count = count,
        .theta = filter->theta,
        .rows = filter->rows,
        .e = NETDP_I_NEW(double, (int64_t)filter->modes *count),
        .w = NETDP_I_NEW(double, (int64_t)filter->seen *count),
        .row = NETDP_I_NEW(double, filter->seen),
        .told = NETDP_I_NEW(bool, count),
    };
    if (made.e == NULL || made.w == NULL || made.row == NULL || made.told == NULL) {
        netdp_i_response_clear(&made);
        return netdp_i_no_memory(error);
    }
    *response = made;
    return NETDP_OK;
}

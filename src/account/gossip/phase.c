/*
 * Within a phase of K rounds every quantity is, mode by mode, linear in independent sources: the
 * noises u_0 .. u_{K-1} (scaled by nu_j) and the end dither u_e. Kinds of quantities, t < K:
 *
 *     M_t message, N_t own noise of round t, S the state s_K, E the own end dither,
 *     Z = s_K + end dither
 *
 * The observer sees Z of every node (diagonal in the modes), and M, N, S, E of a few nodes. So
 * condition the few on Z mode by mode, add up over modes, and add the two losses:
 *
 *     loss(u) = sum_k z_k^2 B_uk^2 / var(Z_k)  +  R_u^T (cov of the few given Z)^+ R_u
 */
#include "account/gossip/phase.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/pool.h"
#include "base/try.h"
#include "protocol/linear.h"

/* Pairs of nodes whose covariances are added up together. */
enum { PAIRS = 64 };

struct netdp_i_phase {
    const netdp_linear *protocol; /* lent */
    const netdp_i_basis *basis;
    int32_t modes, rounds, kinds; /* kinds: M_t, N_t (t < rounds), S, E */
    double weight;                /* of accelerated rounds, else 1 */
    double *shared; /* [kinds][kinds][modes]: covariance given Z (symmetric in kinds) */
    double *with; /* [kinds][modes]: what Z brings with it of each kind: covariance over variance */
    double *variance; /* [modes]: of Z, or 0: it is not seen */
    netdp_i_pool pool;
};

OWNER(netdp_i_phase_free, netdp_i_phase)

void netdp_i_phase_free(netdp_i_phase *phase)
{
    if (phase == NULL)
        return;
    netdp_i_pool_clear(&phase->pool);
    netdp_i_free(phase);
}

static int32_t kind_message(const netdp_i_phase *p, int32_t t)
{
    (void)p;
    return t;
}

static int32_t kind_noise(const netdp_i_phase *p, int32_t t)
{
    return p->rounds + t;
}

static int32_t kind_state(const netdp_i_phase *p)
{
    return 2 * p->rounds;
}

static int32_t kind_end(const netdp_i_phase *p)
{
    return 2 * p->rounds + 1;
}

/*
 * answer[t][j], t = 0 .. K: what a unit put into m_j of a mode becomes in m_t (m_K is s_K). Plain
 * gossip has weight 1; accelerated: m_1 = theta m_0, then m_{t+1} = w theta m_t + (1 - w) m_{t-1}.
 */
static void fill_answers(int32_t rounds, double theta, double weight, double *answer)
{
    const int64_t width = rounds;
    memset(answer, 0, (size_t)((rounds + 1) * width) * sizeof *answer);
    for (int64_t j = 0; j < rounds; j++) {
        answer[j * width + j] = 1;
        for (int64_t t = j; t < rounds; t++) {
            const double now = answer[t * width + j];
            const double before = t > j ? answer[(t - 1) * width + j] : 0;
            answer[(t + 1) * width + j] =
                t == 0 ? theta * now : weight * theta * now + (1 - weight) * before;
        }
    }
}

/* One mode: each kind as a vector of sources, conditioned on Z. */
static void fill_mode(netdp_i_phase *p, const netdp_linear *protocol, bool release, double weight,
                      int32_t k, double *answer, double *source)
{
    const int64_t rounds = p->rounds, width = rounds + 1, kinds = p->kinds, n = p->modes;
    double *z = source + kinds * width;
    fill_answers(p->rounds, p->basis->theta[k], weight, answer);
    memset(source, 0, (size_t)((kinds + 1) * width) * sizeof *source);
    for (int64_t j = 0; j < rounds; j++) {
        const double noise = j == 0 ? 1 : netdp_linear_noise(protocol, j);
        for (int64_t t = j; t < rounds; t++)
            source[kind_message(p, (int32_t)t) * width + j] = answer[t * rounds + j] * noise;
        source[kind_noise(p, (int32_t)j) * width + j] = 1;
        source[kind_state(p) * width + j] = answer[rounds * rounds + j] * noise;
        z[j] = source[kind_state(p) * width + j];
    }
    source[kind_end(p) * width + rounds] = 1;
    z[rounds] = protocol->noise.end;

    const double variance = release ? cblas_ddot((int)width, z, 1, z, 1) : 0;
    p->variance[k] = variance;
    for (int64_t a = 0; a < kinds; a++) {
        const double with_z =
            variance > 0 ? cblas_ddot((int)width, source + a * width, 1, z, 1) / variance : 0;
        p->with[a * n + k] = with_z;
        for (int64_t b = 0; b <= a; b++) {
            /* (a - with_z z) . b is the conditional covariance with less cancellation */
            double sum = 0;
            for (int64_t j = 0; j < width; j++)
                sum += (source[a * width + j] - with_z * z[j]) * source[b * width + j];
            p->shared[(a * kinds + b) * n + k] = sum;
            p->shared[(b * kinds + a) * n + k] = sum;
        }
    }
}

netdp_status netdp_i_phase_new(const netdp_linear *protocol, const netdp_i_basis *basis,
                               bool release, netdp_i_phase **phase, netdp_error *error)
{
    const int64_t rounds = protocol->every > 0 ? protocol->every : protocol->rounds;
    const int64_t n = basis->modes, kinds = 2 * rounds + 2;
    double weight = 1;
    if (8.0 * (double)kinds * (double)kinds * (double)n > 4e9)
        return netdp_i_fail(error, NETDP_NO_MEMORY,
                            "a phase of %lld rounds on %lld nodes needs more than 4 GB; use fewer "
                            "inner rounds",
                            (long long)rounds, (long long)n);
    TRY(netdp_i_linear_weight(protocol, &weight, error));
    OWNED_BY(netdp_i_phase_free) netdp_i_phase *p = NETDP_I_NEW(netdp_i_phase, 1);
    if (p == NULL)
        return netdp_i_no_memory(error);
    *p = (netdp_i_phase){.protocol = protocol,
                         .basis = basis,
                         .modes = basis->modes,
                         .rounds = (int32_t)rounds,
                         .kinds = (int32_t)kinds,
                         .weight = weight};
    p->shared = NETDP_I_TAKE(&p->pool, double, kinds *kinds *n);
    p->with = NETDP_I_TAKE(&p->pool, double, kinds *n);
    p->variance = NETDP_I_TAKE(&p->pool, double, n);
    OWNED double *answer = NETDP_I_NEW(double, (rounds + 1) * rounds);
    OWNED double *source = NETDP_I_NEW(double, (kinds + 1) * (rounds + 1));
    if (p->pool.failed || answer == NULL || source == NULL)
        return netdp_i_no_memory(error);
    for (int32_t k = 0; k < n; k++)
        fill_mode(p, protocol, release, weight, k, answer, source);
    *phase = GIVE(p);
    return NETDP_OK;
}

/* The few quantities that an observer sees beside Z. */
typedef struct view {
    int32_t nodes; /* distinct nodes among them */
    int32_t count;
    int32_t *node;  /* [nodes] */
    int32_t *place; /* [count]: index into node */
    int32_t *kind;  /* [count] */
    int32_t *start; /* [nodes + 1]: rows of a place, after they are sorted by it */
    double *covariance, *products, *sums;
    double *unit; /* [count]: 1 over the standard deviation of a row; 0: it does not vary */
    netdp_i_pool pool;
} view;

static int32_t place_of(view *v, int32_t node)
{
    for (int32_t i = 0; i < v->nodes; i++)
        if (v->node[i] == node)
            return i;
    v->node[v->nodes] = node;
    return v->nodes++;
}

static void see(view *v, int32_t node, int32_t kind)
{
    v->place[v->count] = place_of(v, node);
    v->kind[v->count++] = kind;
}

/* Puts the rows in the order of their nodes, kinds in the order in which they were seen. */
static netdp_status sort_rows(view *v, netdp_error *error)
{
    OWNED int32_t *kind = NETDP_I_NEW(int32_t, v->count);
    v->start = NETDP_I_TAKE(&v->pool, int32_t, v->nodes + 1);
    if (kind == NULL || v->start == NULL)
        return netdp_i_no_memory(error);
    int32_t next = 0;
    for (int32_t i = 0; i < v->nodes; i++) {
        v->start[i] = next;
        for (int32_t a = 0; a < v->count; a++)
            if (v->place[a] == i)
                kind[next++] = v->kind[a];
    }
    v->start[v->nodes] = next;
    for (int32_t i = 0; i < v->nodes; i++)
        for (int32_t a = v->start[i]; a < v->start[i + 1]; a++)
            v->place[a] = i;
    memcpy(v->kind, kind, (size_t)v->count * sizeof *kind);
    return NETDP_OK;
}

static netdp_status view_new(const netdp_i_phase *p, const netdp_i_observer *observer, view *v,
                             netdp_error *error)
{
    const int64_t most = (int64_t)(observer->seen_count + observer->quiet_count) * p->rounds +
                         observer->seen_count + observer->member_count;
    netdp_i_pool *pool = &v->pool;
    v->node = NETDP_I_TAKE(pool, int32_t, observer->seen_count + observer->member_count + 1);
    v->place = NETDP_I_TAKE(pool, int32_t, most);
    v->kind = NETDP_I_TAKE(pool, int32_t, most);
    TRY(netdp_i_pool_made(pool, error));
    for (int32_t i = 0; i < observer->seen_count; i++) {
        for (int32_t t = 0; t < p->rounds; t++)
            see(v, observer->seen[i], kind_message(p, t));
        if (observer->last_sum)
            see(v, observer->seen[i], kind_state(p));
    }
    for (int32_t i = 0; i < observer->quiet_count; i++)
        for (int32_t t = 0; t < p->rounds; t++)
            see(v, observer->quiet[i], kind_noise(p, t));
    for (int32_t i = 0; i < observer->member_count; i++)
        see(v, observer->member[i], kind_end(p));
    TRY(sort_rows(v, error));
    v->covariance = NETDP_I_TAKE(pool, double, (int64_t)v->count * v->count);
    v->products = NETDP_I_TAKE(pool, double, (int64_t)PAIRS * p->modes);
    v->sums = NETDP_I_TAKE(pool, double, (int64_t)PAIRS * p->kinds * p->kinds);
    v->unit = NETDP_I_TAKE(pool, double, v->count);
    return netdp_i_pool_made(pool, error);
}

/* Entries of the covariance that belong to the pairs (first[i], second[i]) of nodes. */
static void scatter(const netdp_i_phase *p, view *v, int32_t pairs, const int32_t *first,
                    const int32_t *second)
{
    const int64_t kinds = p->kinds, m = v->count;
    for (int32_t i = 0; i < pairs; i++)
        for (int64_t a = v->start[first[i]]; a < v->start[first[i] + 1]; a++)
            for (int64_t b = v->start[second[i]]; b < v->start[second[i] + 1]; b++) {
                const double sum = v->sums[i * kinds * kinds + v->kind[a] * kinds + v->kind[b]];
                v->covariance[a * m + b] = sum;
                v->covariance[b * m + a] = sum;
            }
}

/* cov(row a, row b) = sum_k B_wk B_w'k shared[kind a][kind b][k], PAIRS pairs of nodes at a time.
 */
static void fill_covariance(const netdp_i_phase *p, view *v)
{
    const int64_t n = p->modes;
    const int kinds = p->kinds * p->kinds;
    int32_t first[PAIRS], second[PAIRS], pairs = 0;
    for (int32_t i = 0; i < v->nodes; i++)
        for (int32_t j = 0; j <= i; j++) {
            const double *a = p->basis->rows + v->node[i] * n, *b = p->basis->rows + v->node[j] * n;
            for (int64_t k = 0; k < n; k++)
                v->products[pairs * n + k] = a[k] * b[k];
            first[pairs] = i;
            second[pairs++] = j;
            if (pairs < PAIRS && !(i == v->nodes - 1 && j == i))
                continue;
            cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, kinds, pairs, p->modes, 1,
                        p->shared, p->modes, v->products, p->modes, 0, v->sums, kinds);
            scatter(p, v, pairs, first, second);
            pairs = 0;
        }
}

/*
 * The covariance's pivoted factor L, in its place, of `rank` rows, each row in units of its own
 * standard deviation: a sum received through small weights is as much of an observation as any
 * other.
 */
static netdp_status factor_view(view *v, lapack_int *pivot, int32_t *rank, netdp_error *error)
{
    const int64_t m = v->count;
    lapack_int found = 0;
    OWNED double *work = NETDP_I_NEW(double, 2 * m);
    if (work == NULL)
        return netdp_i_no_memory(error);
    for (int64_t a = 0; a < m; a++) {
        const double variance = v->covariance[a * m + a];
        v->unit[a] = variance > 0 ? 1 / sqrt(variance) : 0;
        pivot[a] = (lapack_int)a + 1;
    }
    for (int64_t a = 0; a < m; a++)
        for (int64_t b = 0; b < m; b++)
            v->covariance[a * m + b] *= v->unit[a] * v->unit[b];
    LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)m, v->covariance, (lapack_int)m, pivot,
                        &found, NETDP_I_RANK_TOLERANCE, work);
    *rank = found;
    return NETDP_OK;
}

/* ---- The shift that proves a loss ---- */

/* The view's equations: conditioned on Z mode by mode, the few are solved by their factor. */
typedef struct equations {
    const netdp_i_phase *phase;
    const netdp_i_observer *observer;
    view few;
    double *with; /* [count][modes]: what Z brings with it of each row */
    lapack_int *pivot;
    int32_t rank;
} equations;

static void equations_clear(equations *e)
{
    netdp_i_pool_clear(&e->few.pool);
}

static netdp_status equations_new(const netdp_i_phase *phase, const netdp_i_observer *observer,
                                  equations *e, netdp_error *error)
{
    const int64_t n = phase->modes;
    *e = (equations){.phase = phase, .observer = observer};
    TRY(view_new(phase, observer, &e->few, error));
    e->with = NETDP_I_TAKE(&e->few.pool, double, e->few.count *n);
    e->pivot = NETDP_I_TAKE(&e->few.pool, lapack_int, e->few.count);
    TRY(netdp_i_pool_made(&e->few.pool, error));
    for (int64_t a = 0; a < e->few.count; a++) {
        const double *row = phase->basis->rows + e->few.node[e->few.place[a]] * n;
        for (int64_t k = 0; k < n; k++)
            e->with[a * n + k] = row[k] * phase->with[e->few.kind[a] * n + k];
    }
    fill_covariance(phase, &e->few);
    return factor_view(&e->few, e->pivot, &e->rank, error);
}

/* Rows of the few, [lanes][count], from what is shown in each observation, and back. */
static void take_rows(const equations *e, int64_t lanes, const double *shown, double *row)
{
    const int64_t seen = e->observer->seen_count, count = e->few.count;
    const int64_t observations = e->phase->rounds + e->observer->last_sum;
    for (int64_t t = 0; t < observations; t++)
        for (int64_t l = 0; l < lanes; l++)
            for (int64_t j = 0; j < seen; j++)
                row[l * count + e->few.start[j] + t] = shown[(t * lanes + l) * seen + j];
}

static void give_rows(const equations *e, int64_t lanes, const double *row, double *shown)
{
    const int64_t seen = e->observer->seen_count, count = e->few.count;
    const int64_t observations = e->phase->rounds + e->observer->last_sum;
    for (int64_t t = 0; t < observations; t++)
        for (int64_t l = 0; l < lanes; l++)
            for (int64_t j = 0; j < seen; j++)
                shown[(t * lanes + l) * seen + j] += row[l * count + e->few.start[j] + t];
}

/* row <- C^{-1} row, the pivots' part of it; what L^{-1} row tells is added to the squares. */
static void solve_few(const equations *e, int64_t lanes, double *row, double *sorted,
                      double *square)
{
    const int64_t m = e->few.count;
    const int count = (int)m, rank = (int)e->rank;
    for (int64_t l = 0; l < lanes; l++)
        for (int64_t a = 0; a < m; a++)
            sorted[l * m + a] = row[l * m + e->pivot[a] - 1] * e->few.unit[e->pivot[a] - 1];
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, rank, (int)lanes,
                1, e->few.covariance, count, sorted, count);
    for (int64_t l = 0; l < lanes; l++)
        square[l] += cblas_ddot(rank, sorted + l * m, 1, sorted + l * m, 1);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, rank, (int)lanes, 1,
                e->few.covariance, count, sorted, count);
    for (int64_t l = 0; l < lanes; l++)
        for (int64_t a = 0; a < m; a++)
            row[l * m + e->pivot[a] - 1] =
                a < rank ? sorted[l * m + a] * e->few.unit[e->pivot[a] - 1] : 0;
}

/* netdp_i_solver.solve */
static netdp_status solve(void *context, int32_t lanes, const double *left, const double *left_end,
                          double *x, double *x_end, double *square, netdp_error *error)
{
    const equations *e = context;
    const netdp_i_phase *p = e->phase;
    const int64_t n = p->modes, count = e->few.count;
    const int modes = p->modes, nodes = p->basis->nodes, few = (int)count;
    OWNED double *z = NETDP_I_NEW(double, lanes *n);
    OWNED double *row = NETDP_I_NEW(double, lanes *count);
    OWNED double *sorted = NETDP_I_NEW(double, lanes *count);
    if (z == NULL || row == NULL || sorted == NULL)
        return netdp_i_no_memory(error);
    memset(square, 0, (size_t)lanes * sizeof *square);
    take_rows(e, lanes, left, row);
    if (left_end != NULL) {
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, lanes, modes, nodes, 1, left_end,
                    lanes, p->basis->rows, modes, 0, z, modes);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, lanes, few, modes, -1, z, modes,
                    e->with, modes, 1, row, few);
        for (int64_t l = 0; l < lanes; l++)
            for (int64_t k = 0; k < n; k++) {
                square[l] += z[l * n + k] * z[l * n + k] / p->variance[k];
                z[l * n + k] /= p->variance[k];
            }
    }
    solve_few(e, lanes, row, sorted, square);
    give_rows(e, lanes, row, x);
    if (left_end != NULL) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, lanes, modes, few, -1, row, few,
                    e->with, modes, 1, z, modes);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, nodes, lanes, modes, 1, p->basis->rows,
                    modes, z, modes, 1, x_end, lanes);
    }
    return NETDP_OK;
}

netdp_status netdp_i_phase_proven(const netdp_i_phase *phase, const netdp_linear *rounds,
                                  const netdp_i_observer *observer, double end,
                                  const netdp_i_sources *of, const netdp_progress *progress,
                                  netdp_error *error)
{
    CLEARED(equations_clear) equations e = {0};
    TRY(equations_new(phase, observer, &e, error));
    const netdp_i_solver solver = {&e, solve};
    return netdp_i_certified_rounds(rounds, phase->weight, observer, end, &solver, of, progress,
                                    error);
}

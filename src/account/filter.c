/*
 * m_t is a vector AR(1) process and y_t = S m_t its noise-free observation, so a Kalman filter
 * gives the whitened innovations, and one recursion the response of the innovations to a unit
 * contribution of every node at once. In modal coordinates (basis.h), with D zero at quiet nodes:
 *
 *     P <- D,  E <- B^T
 *     each round:  Sigma = S P S^T = L L^T     r = S E       w = L^{-1} r      loss += |w|^2
 *                  G = P S^T L^{-T}            P <- P - G G^T                  E <- E - G w
 *     then:        P <- theta P theta + nu^2 D                                 E <- theta E
 *
 * The covariance form loses nu^2 below 1e-16. For a small dither P is therefore carried as a
 * factor, P = C C^T, which loses nu below 1e-16: S C = L V^T, G = C V, C <- C - G V^T, and the
 * factor of theta P theta + nu^2 D by QR. It costs several times as much.
 *
 * All matrices are column-major; P only in its lower triangle.
 */
#include "account/filter.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"

/* Below this dither the factor is carried: 1e-16 / dither^2 must stay well below 1e-8. */
#define FACTOR_BELOW 5e-3

/* A response outside the range of Sigma by more than this part of its scale is not rounding. */
#define OUTSIDE_RANGE 1e-9

typedef struct filter {
    int modes, seen, from;
    bool factored;
    const double *theta;
    double *rows;      /* S B as [modes][seen] columns: the rows of the seen nodes */
    double *noise;     /* D: lower triangle, or its factor's transpose (upper), [modes][modes] */
    double *p;         /* P, or C */
    double *e;         /* E [modes] x [from] */
    double *scale;     /* [from]: norm of E's column before the observation */
    double *image;     /* P S^T, or C^T S^T, [modes] x [seen] */
    double *gain;      /* [modes] x [seen] */
    double *lower;     /* L [seen] x [seen], rows in the order of `pivot` */
    double *response;  /* r, then w, [seen] x [from] */
    double *row;       /* one row of r */
    double *stack;     /* [2 modes] x [modes], factored only */
    double *work;      /* 2 max(seen, modes) */
    lapack_int *pivot; /* [seen], 1-based */
} filter;

static void filter_clear(filter *f)
{
    double *owned[] = {f->rows, f->noise, f->p,        f->e,   f->scale, f->image,
                       f->gain, f->lower, f->response, f->row, f->stack, f->work};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        netdp_i_free(owned[i]);
    netdp_i_free(f->pivot);
}

static netdp_status filter_new(filter *f, const netdp_i_basis *basis, int32_t seen, int32_t from,
                               bool factored, netdp_error *error)
{
    const int64_t r = basis->modes, s = seen, u = from;
    *f = (filter){.modes = basis->modes,
                  .seen = seen,
                  .from = from,
                  .factored = factored,
                  .theta = basis->theta};
    f->rows = NETDP_I_NEW(double, r *s);
    f->noise = NETDP_I_NEW(double, r *r);
    f->p = NETDP_I_NEW(double, r *r);
    f->e = NETDP_I_NEW(double, r *u);
    f->scale = NETDP_I_NEW(double, u);
    f->image = NETDP_I_NEW(double, r *s);
    f->gain = NETDP_I_NEW(double, r *s);
    f->lower = NETDP_I_NEW(double, s *s);
    f->response = NETDP_I_NEW(double, s *u);
    f->row = NETDP_I_NEW(double, s > u ? s : u);
    f->stack = NETDP_I_NEW(double, factored ? 2 * r *r : 1);
    f->work = NETDP_I_NEW(double, 2 * (r > s ? r : s));
    f->pivot = NETDP_I_NEW(lapack_int, s);
    if (f->rows == NULL || f->noise == NULL || f->p == NULL || f->e == NULL || f->scale == NULL ||
        f->image == NULL || f->gain == NULL || f->lower == NULL || f->response == NULL ||
        f->row == NULL || f->stack == NULL || f->work == NULL || f->pivot == NULL) {
        filter_clear(f);
        return netdp_i_no_memory(error);
    }
    return NETDP_OK;
}

/* D as a covariance: I minus the quiet nodes' outer products. */
static void fill_noise(filter *f, const netdp_i_basis *basis, const netdp_i_observer *observer)
{
    const int64_t r = f->modes;
    for (int64_t k = 0; k < r; k++)
        f->noise[k * r + k] = 1;
    for (int32_t q = 0; q < observer->quiet_count; q++)
        cblas_dsyr(CblasColMajor, CblasLower, f->modes, -1, basis->rows + observer->quiet[q] * r, 1,
                   f->noise, f->modes);
}

/* D as a factor: R of the QR of B with the rows of quiet nodes set to zero (R^T R = D). */
static netdp_status fill_noise_factor(filter *f, const netdp_i_basis *basis,
                                      const netdp_i_observer *observer, netdp_error *error)
{
    const int64_t r = f->modes, n = basis->nodes;
    netdp_status status = NETDP_OK;
    double *b = NETDP_I_NEW(double, n *r);
    if (b == NULL)
        return netdp_i_no_memory(error);
    for (int64_t u = 0; u < n; u++)
        for (int64_t k = 0; k < r; k++)
            b[k * n + u] = basis->rows[u * r + k];
    for (int32_t q = 0; q < observer->quiet_count; q++)
        for (int64_t k = 0; k < r; k++)
            b[k * n + observer->quiet[q]] = 0;
    if (LAPACKE_dgeqrf(LAPACK_COL_MAJOR, (lapack_int)n, f->modes, b, (lapack_int)n, f->work) != 0)
        status = netdp_i_no_memory(error);
    else
        for (int64_t k = 0; k < r; k++)
            memcpy(f->noise + k * r, b + k * n, (size_t)(k + 1) * sizeof *b);
    netdp_i_free(b);
    return status;
}

static netdp_status filter_begin(filter *f, const netdp_i_basis *basis,
                                 const netdp_i_observer *observer, const int32_t *from,
                                 netdp_error *error)
{
    const int64_t r = f->modes;
    for (int32_t j = 0; j < f->seen; j++)
        memcpy(f->rows + j * r, basis->rows + observer->seen[j] * r, (size_t)r * sizeof(double));
    for (int32_t i = 0; i < f->from; i++)
        memcpy(f->e + i * r, basis->rows + from[i] * r, (size_t)r * sizeof(double));
    if (!f->factored) {
        fill_noise(f, basis, observer);
        memcpy(f->p, f->noise, (size_t)(r * r) * sizeof(double));
        return NETDP_OK;
    }
    netdp_status status = fill_noise_factor(f, basis, observer, error);
    if (status == NETDP_OK)
        for (int64_t i = 0; i < r; i++)
            for (int64_t j = 0; j <= i; j++)
                f->p[j * r + i] = f->noise[i * r + j];
    return status;
}

/*
 * L, pivot and the rank from the covariance Sigma = S P S^T by pivoted Cholesky; gain = P S^T
 * L^{-T}. The absolute floor is the rounding of P, whose scale is that of round 0: 1.
 */
static int observe_covariance(filter *f)
{
    const int r = f->modes, s = f->seen;
    cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, r, s, 1, f->p, r, f->rows, r, 0, f->image, r);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, s, s, r, 1, f->rows, r, f->image, r, 0,
                f->lower, s);
    double largest = 0;
    for (int j = 0; j < s; j++)
        largest = fmax(largest, f->lower[(int64_t)j * s + j]);
    lapack_int rank = 0;
    LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', s, f->lower, s, f->pivot, &rank,
                        fmax(NETDP_I_RANK_TOLERANCE * largest, 1e-15), f->work);
    for (int j = 0; j < rank; j++)
        memcpy(f->gain + (int64_t)j * r, f->image + (int64_t)(f->pivot[j] - 1) * r,
               (size_t)r * sizeof(double));
    if (rank > 0) {
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, r, rank, 1,
                    f->lower, s, f->gain, r);
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, r, rank, -1, f->gain, r, 1, f->p, r);
    }
    return rank;
}

/* The same from the factor: C^T S^T = V R pivoted, L = R^T, gain = C V, C <- C - gain V^T. */
static int observe_factor(filter *f, netdp_status *status, netdp_error *error)
{
    const int r = f->modes, s = f->seen, most = r < s ? r : s;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, r, s, r, 1, f->p, r, f->rows, r, 0,
                f->image, r);
    memset(f->pivot, 0, (size_t)s * sizeof *f->pivot);
    if (LAPACKE_dgeqp3(LAPACK_COL_MAJOR, r, s, f->image, r, f->pivot, f->work) != 0) {
        *status = netdp_i_no_memory(error);
        return 0;
    }
    const double least = fmax(NETDP_I_RANK_TOLERANCE * fabs(f->image[0]), 1e-15);
    int rank = 0;
    while (rank < most && fabs(f->image[(int64_t)rank * r + rank]) > least)
        rank++;
    for (int j = 0; j < s; j++)
        for (int k = 0; k < rank; k++)
            f->lower[(int64_t)k * s + j] = k <= j ? f->image[(int64_t)j * r + k] : 0;
    if (rank == 0)
        return 0;
    if (LAPACKE_dorgqr(LAPACK_COL_MAJOR, r, rank, rank, f->image, r, f->work) != 0) {
        *status = netdp_i_no_memory(error);
        return 0;
    }
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, r, rank, r, 1, f->p, r, f->image, r, 0,
                f->gain, r);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, r, r, rank, -1, f->gain, r, f->image, r, 1,
                f->p, r);
    return rank;
}

/* Rows of the response in pivot order. */
static void permute_response(filter *f)
{
    const int s = f->seen;
    for (int64_t i = 0; i < f->from; i++) {
        double *column = f->response + i * s;
        memcpy(f->row, column, (size_t)s * sizeof *column);
        for (int j = 0; j < s; j++)
            column[j] = f->row[f->pivot[j] - 1];
    }
}

/* loss += |w|^2 and E <- E - gain w; a response outside the range of Sigma tells u's value. */
static void learn(filter *f, int rank, double *loss)
{
    const int r = f->modes, s = f->seen, u = f->from;
    for (int64_t i = 0; i < u; i++)
        f->scale[i] = cblas_dnrm2(r, f->e + i * r, 1);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, s, u, r, 1, f->rows, r, f->e, r, 0,
                f->response, s);
    permute_response(f);
    if (rank > 0) {
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, rank, u, 1,
                    f->lower, s, f->response, s);
        if (rank < s)
            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, s - rank, u, rank, -1,
                        f->lower + rank, s, f->response, s, 1, f->response + rank, s);
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, r, u, rank, -1, f->gain, r,
                    f->response, s, 1, f->e, r);
    }
    for (int64_t i = 0; i < u; i++) {
        const double *w = f->response + i * s;
        double gained = 0;
        for (int j = 0; j < rank; j++)
            gained += w[j] * w[j];
        loss[i] += gained;
        for (int j = rank; j < s; j++)
            if (fabs(w[j]) > OUTSIDE_RANGE * f->scale[i])
                loss[i] = INFINITY;
    }
}

static void predict_covariance(filter *f, double noise)
{
    const int64_t r = f->modes;
    const double energy = noise * noise;
    for (int64_t j = 0; j < r; j++) {
        double *p = f->p + j * r;
        const double *d = f->noise + j * r;
        const double factor = f->theta[j];
        for (int64_t i = j; i < r; i++)
            p[i] = p[i] * factor * f->theta[i] + energy * d[i];
    }
}

/* C^T = R of the QR of [ (theta C)^T ; noise R_D ]. */
static netdp_status predict_factor(filter *f, double noise, netdp_error *error)
{
    const int64_t r = f->modes;
    if (noise == 0) {
        for (int64_t j = 0; j < r; j++)
            for (int64_t i = 0; i < r; i++)
                f->p[j * r + i] *= f->theta[i];
        return NETDP_OK;
    }
    for (int64_t i = 0; i < r; i++) {
        double *column = f->stack + 2 * r * i;
        for (int64_t j = 0; j < r; j++) {
            column[j] = f->p[j * r + i] * f->theta[i];
            column[r + j] = j <= i ? noise * f->noise[i * r + j] : 0;
        }
    }
    if (LAPACKE_dgeqrf(LAPACK_COL_MAJOR, (lapack_int)(2 * r), f->modes, f->stack,
                       (lapack_int)(2 * r), f->work) != 0)
        return netdp_i_no_memory(error);
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j < r; j++)
            f->p[j * r + i] = j <= i ? f->stack[2 * r * i + j] : 0;
    return NETDP_OK;
}

static netdp_status predict(filter *f, double noise, netdp_error *error)
{
    const int64_t r = f->modes;
    for (int64_t i = 0; i < f->from; i++)
        for (int64_t k = 0; k < r; k++)
            f->e[i * r + k] *= f->theta[k];
    if (f->factored)
        return predict_factor(f, noise, error);
    predict_covariance(f, noise);
    return NETDP_OK;
}

netdp_status netdp_i_filter(const netdp_linear *protocol, const netdp_i_basis *basis,
                            const netdp_i_observer *observer, const int32_t *from, int32_t count,
                            double *loss, const netdp_progress *progress, netdp_error *error)
{
    filter f;
    netdp_status status =
        filter_new(&f, basis, observer->seen_count, count, protocol->dither < FACTOR_BELOW, error);
    if (status != NETDP_OK)
        return status;
    for (int32_t i = 0; i < count; i++)
        loss[i] = 0;
    status = filter_begin(&f, basis, observer, from, error);
    const int64_t observations = protocol->rounds + (observer->last_sum ? 1 : 0);
    for (int64_t t = 0; status == NETDP_OK && t < observations; t++) {
        const int rank = f.factored ? observe_factor(&f, &status, error) : observe_covariance(&f);
        if (status != NETDP_OK)
            break;
        learn(&f, rank, loss);
        if (t + 1 < observations)
            status = predict(&f, t + 1 < protocol->rounds ? netdp_linear_noise(protocol, t + 1) : 0,
                             error);
        if (status == NETDP_OK)
            status = netdp_i_report(progress, "accounting", (double)(t + 1), (double)observations,
                                    error);
    }
    filter_clear(&f);
    return status;
}

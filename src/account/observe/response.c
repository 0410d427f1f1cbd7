/*
 * The response of the whitened innovations to contributions, beside the filter of filter.c:
 *
 *     E <- B^T at a contribution;  each round:  r = S E,  w = L^{-1} r,  E <- E - G w;  E <- theta
 * E
 *
 * The loss of contributions c is the sum over rounds of |sum_k c_k w^{(k)}|^2.
 */
#include "account/observe/filter.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"

void netdp_i_response_clear(netdp_i_response *response)
{
    netdp_i_free(response->e);
    netdp_i_free(response->w);
    netdp_i_free(response->row);
    netdp_i_free(response->hidden);
    netdp_i_free(response->told);
    *response = (netdp_i_response){0};
}

void netdp_i_response_contribute(netdp_i_response *response, const netdp_i_basis *basis,
                                 const int32_t *from, double amount)
{
    const int64_t r = response->modes;
    for (int32_t i = 0; i < response->count; i++)
        cblas_daxpy(response->modes, amount, basis->rows + from[i] * r, 1, response->e + i * r, 1);
}

/* Rows of the response in pivot order. */
static void permute(netdp_i_response *response, const netdp_i_gain *gain)
{
    const int s = response->seen;
    for (int64_t i = 0; i < response->count; i++) {
        double *column = response->w + i * s;
        memcpy(response->row, column, (size_t)s * sizeof *column);
        for (int j = 0; j < s; j++)
            column[j] = response->row[gain->pivot[j] - 1];
    }
}

void netdp_i_response_learn(netdp_i_response *response, const netdp_i_gain *gain)
{
    const int r = response->modes, s = response->seen, u = response->count, rank = gain->rank;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, s, u, r, 1, response->rows, r, response->e,
                r, 0, response->w, s);
    permute(response, gain);
    if (rank > 0) {
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, rank, u, 1,
                    gain->lower, s, response->w, s);
        if (rank < s)
            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, s - rank, u, rank, -1,
                        gain->lower + rank, s, response->w, s, 1, response->w + rank, s);
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, r, u, rank, -1, gain->gain, r,
                    response->w, s, 1, response->e, r);
    }
    for (int j = rank; j < s; j++) {
        const double unit = gain->unit[gain->pivot[j] - 1];
        response->hidden[j] = NETDP_I_RESPONSE_ROUNDING / unit;
        for (int64_t i = 0; i < u; i++) {
            double *w = response->w + i * s + j;
            *w /= unit;
            if (fabs(*w) + response->hidden[j] > NETDP_I_OUTSIDE_RANGE)
                response->told[i] = true;
        }
    }
}

void netdp_i_response_predict(netdp_i_response *response)
{
    const int64_t r = response->modes;
    for (int64_t i = 0; i < response->count; i++)
        for (int64_t k = 0; k < r; k++)
            response->e[i * r + k] *= response->theta[k];
}

/* What a tally of rounds does with the innovations' responses, once a round. */
typedef netdp_status (*keep)(void *tally, const netdp_i_response *response, int rank,
                             netdp_error *error);

/* One contribution in round 0, seen through all rounds and then, perhaps, a release. */
typedef struct course {
    const netdp_linear *protocol;
    const netdp_i_basis *basis;
    const netdp_i_observer *observer;
    netdp_i_filter *filter;
    double release;
    const netdp_progress *progress;
} course;

/* The state after the last round, every coordinate of it under fresh noise. */
static netdp_status follow_release(const course *c, netdp_i_response *response, keep keep_round,
                                   void *tally, netdp_error *error)
{
    const int r = response->modes;
    double *lower = NETDP_I_NEW(double, (int64_t)r *r);
    if (lower == NULL)
        return netdp_i_no_memory(error);
    netdp_status status = NETDP_OK;
    if (!c->observer->last_sum) { /* else the state is at hand already */
        netdp_i_response_predict(response);
        status = netdp_i_filter_predict(c->filter, 0, false, error);
    }
    if (status == NETDP_OK)
        status = netdp_i_filter_factor(c->filter, sqrt(c->release), lower, error);
    if (status == NETDP_OK) {
        netdp_i_response all = *response;
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, r,
                    response->count, 1, lower, r, response->e, r);
        all.w = response->e;
        all.seen = r;
        status = keep_round(tally, &all, r, error);
    }
    netdp_i_free(lower);
    return status;
}

/* All rounds of a contribution whose response is in `response` already. */
static netdp_status follow(const course *c, netdp_i_response *response, keep keep_round,
                           void *tally, netdp_error *error)
{
    const int64_t rounds = c->protocol->rounds, observations = rounds + c->observer->last_sum;
    netdp_i_gain gain = {0};
    netdp_status status = netdp_i_gain_new(response->modes, c->observer->seen_count, &gain, error);
    for (int64_t t = 0; status == NETDP_OK && t < observations; t++) {
        status = netdp_i_filter_observe(c->filter, &gain, error);
        if (status != NETDP_OK)
            break;
        netdp_i_response_learn(response, &gain);
        status = keep_round(tally, response, gain.rank, error);
        if (status == NETDP_OK && t + 1 < observations) {
            netdp_i_response_predict(response);
            status = netdp_i_filter_predict(
                c->filter, t + 1 < rounds ? netdp_linear_noise(c->protocol, t + 1) : 0, false,
                error);
        }
        if (status == NETDP_OK)
            status = netdp_i_report(c->progress, "accounting", (double)(t + 1),
                                    (double)observations, error);
    }
    if (status == NETDP_OK && c->release > 0)
        status = follow_release(c, response, keep_round, tally, error);
    netdp_i_gain_clear(&gain);
    return status;
}

/* Directions beyond the rank too, with what they may tell at most. */
static netdp_status add_squares(void *tally, const netdp_i_response *response, int rank,
                                netdp_error *error)
{
    (void)error;
    double *loss = tally;
    for (int64_t i = 0; i < response->count; i++) {
        const double *w = response->w + i * response->seen;
        for (int j = 0; j < response->seen; j++) {
            const double most = j < rank ? w[j] : fabs(w[j]) + response->hidden[j];
            loss[i] += most * most;
        }
        if (response->told[i])
            loss[i] = INFINITY;
    }
    return NETDP_OK;
}

/*
 * The responses of all rounds as one map of a node's coordinates: the loss of u is |F b_u|^2. Where
 * F has more rows than room, it is replaced by its triangular factor, which has the same lengths.
 */
typedef struct map {
    int32_t modes, room, used;
    double *rows; /* F, [modes] columns of [room], column-major */
    double *work; /* [modes] */
} map;

static void map_clear(map *f)
{
    netdp_i_free(f->rows);
    netdp_i_free(f->work);
}

static netdp_status map_new(map *f, int32_t modes, int64_t room, netdp_error *error)
{
    *f = (map){.modes = modes, .room = (int32_t)room};
    f->rows = NETDP_I_NEW(double, room *modes);
    f->work = NETDP_I_NEW(double, modes);
    return f->rows == NULL || f->work == NULL ? netdp_i_no_memory(error) : NETDP_OK;
}

static netdp_status map_reduce(map *f, netdp_error *error)
{
    const int64_t room = f->room;
    if (LAPACKE_dgeqrf(LAPACK_COL_MAJOR, f->used, f->modes, f->rows, f->room, f->work) != 0)
        return netdp_i_no_memory(error);
    f->used = f->used < f->modes ? f->used : f->modes;
    for (int64_t k = 0; k < f->modes; k++)
        for (int64_t i = k + 1; i < f->used; i++)
            f->rows[k * room + i] = 0;
    return NETDP_OK;
}

/* Row j of the responses as the next row of F. */
static netdp_status map_add(map *f, const netdp_i_response *response, int j, netdp_error *error)
{
    netdp_status status = f->used == f->room ? map_reduce(f, error) : NETDP_OK;
    if (status != NETDP_OK)
        return status;
    for (int64_t k = 0; k < f->modes; k++)
        f->rows[k * f->room + f->used] = response->w[k * response->seen + j];
    f->used++;
    return NETDP_OK;
}

/* loss: what is learned; outside: directions that are not resolved, of which rounding may hide
   `hidden` (squared, of all of them). */
typedef struct maps {
    map loss, outside;
    double hidden;
} maps;

static netdp_status add_rows(void *tally, const netdp_i_response *response, int rank,
                             netdp_error *error)
{
    maps *m = tally;
    netdp_status status = NETDP_OK;
    for (int j = 0; j < response->seen && status == NETDP_OK; j++) {
        status = map_add(j < rank ? &m->loss : &m->outside, response, j, error);
        if (j >= rank)
            m->hidden += response->hidden[j] * response->hidden[j];
    }
    return status;
}

/* What F makes of the coordinates of one node, [used]. */
static void map_apply(const map *f, const double *coordinates, int32_t stride, int32_t count,
                      double *image)
{
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, f->used, count, f->modes, 1, f->rows,
                f->room, coordinates, stride, 0, image, f->used);
}

static netdp_status apply_maps(const maps *m, const netdp_i_basis *basis, const netdp_i_sources *of,
                               netdp_error *error)
{
    enum { NODES = 128 };
    const int64_t r = basis->modes, pieces = (of->count + NODES - 1) / NODES;
    const int64_t most = m->loss.used > m->outside.used ? m->loss.used : m->outside.used;
    bool failed = false;
#pragma omp parallel if (pieces > 8)
    {
        double *row = NETDP_I_NEW(double, NODES *r), *image = NETDP_I_NEW(double, NODES *most);
#pragma omp for schedule(dynamic, 4)
        for (int64_t piece = 0; piece < pieces; piece++) {
            if (row == NULL || image == NULL) {
#pragma omp atomic write
                failed = true;
                continue;
            }
            const int64_t first = piece * NODES;
            const int32_t nodes = (int32_t)(of->count - first < NODES ? of->count - first : NODES);
            for (int64_t i = 0; i < nodes; i++)
                memcpy(row + i * r, basis->rows + of->node[first + i] * r, (size_t)r * sizeof *row);
            map_apply(&m->loss, row, (int32_t)r, nodes, image);
            for (int64_t i = 0; i < nodes; i++)
                of->loss[first + i] = cblas_ddot(m->loss.used, image + i * m->loss.used, 1,
                                                 image + i * m->loss.used, 1);
            if (m->outside.used == 0)
                continue;
            map_apply(&m->outside, row, (int32_t)r, nodes, image);
            for (int64_t i = 0; i < nodes; i++) {
                const double tail =
                    cblas_dnrm2(m->outside.used, image + i * m->outside.used, 1) + sqrt(m->hidden);
                of->loss[first + i] += tail > NETDP_I_OUTSIDE_RANGE ? INFINITY : tail * tail;
            }
        }
        netdp_i_free(row);
        netdp_i_free(image);
    }
    return failed ? netdp_i_no_memory(error) : NETDP_OK;
}

/* Nodes one by one, [modes] x [count]. */
static netdp_status follow_nodes(const course *c, const netdp_i_sources *of, netdp_error *error)
{
    netdp_i_response response = {0};
    netdp_status status = netdp_i_response_new(c->filter, of->count, &response, error);
    if (status != NETDP_OK)
        return status;
    memset(of->loss, 0, (size_t)of->count * sizeof *of->loss);
    netdp_i_response_contribute(&response, c->basis, of->node, 1);
    status = follow(c, &response, add_squares, of->loss, error);
    netdp_i_response_clear(&response);
    return status;
}

/* All directions of the basis once, [modes] x [modes], and then every node through the map. */
static netdp_status follow_modes(const course *c, const netdp_i_sources *of, netdp_error *error)
{
    const int64_t r = c->basis->modes;
    const double steps = (double)c->observer->seen_count * ((double)c->protocol->rounds + 1);
    const int64_t room = (int64_t)fmin(steps + (c->release > 0 ? (double)r : 0), 2.0 * (double)r);
    netdp_i_response response = {0};
    maps m = {0};
    netdp_status status = netdp_i_response_new(c->filter, c->basis->modes, &response, error);
    if (status == NETDP_OK)
        status = map_new(&m.loss, c->basis->modes, room, error);
    if (status == NETDP_OK)
        status = map_new(&m.outside, c->basis->modes, 2 * r, error);
    if (status != NETDP_OK)
        goto done;
    for (int64_t k = 0; k < r; k++)
        response.e[k * r + k] = 1;
    status = follow(c, &response, add_rows, &m, error);
    if (status == NETDP_OK)
        status = apply_maps(&m, c->basis, of, error);
done:
    map_clear(&m.loss);
    map_clear(&m.outside);
    netdp_i_response_clear(&response);
    return status;
}

netdp_status netdp_i_filter_loss(const netdp_linear *protocol, const netdp_i_basis *basis,
                                 const netdp_i_observer *observer, double release,
                                 const netdp_i_sources *of, const netdp_progress *progress,
                                 netdp_error *error)
{
    course c = {protocol, basis, observer, NULL, release, progress};
    netdp_status status = netdp_i_filter_new(
        basis, observer, netdp_i_observer_scale(protocol, observer), &c.filter, error);
    if (status == NETDP_OK)
        status = (of->count > basis->modes ? follow_modes : follow_nodes)(&c, of, error);
    netdp_i_filter_free(c.filter);
    return status;
}

/* Directions beyond the rank tell less than what the caller rounds up by, or are told. */

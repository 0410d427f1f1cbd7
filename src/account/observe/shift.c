/*
 * The shift that the filter itself means, for a certificate: with K = L L^T its factor over all
 * rounds and h a contribution's response, x = K^{-1} h by a pass forward, w = L^{-1} h, and one
 * back,
 *
 *     x_t = L_t^{-T} (w_t - G_t^T theta lambda_{t+1}),
 *     lambda_t = theta lambda_{t+1} + (S B)^T x_t
 *
 * in modal coordinates; then lambda_t = S^T x_t + W lambda_{t+1} once more in those of the nodes,
 * where the shift of round t is -nu_t lambda_t. Errors of x count by their squares only; where they
 * count at all, x is corrected by what the shift leaves of the response.
 */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "account/observe/certificate.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "mixing/mixing.h"

enum { LANES = 16 };

/* What the shifts of a block of sources may take, in bytes. */
#define SHIFT_BYTES 2.56e8

/* How often x is corrected at most. */
enum { CORRECTIONS = 6 };

/* A certificate this near the filter's own loss is good. */
#define NEAR 1e-10

/* What all sources share. */
typedef struct chain {
    const netdp_linear *protocol;
    const netdp_i_basis *basis;
    const netdp_i_observer *observer;
    netdp_i_scene scene;
    int64_t observations;
    netdp_i_gain *gain; /* [observations] */
    double *rows;       /* S B, [modes] x [seen] */
    double *lower;      /* [modes] x [modes]: of the states at the end, or NULL */
    const int32_t *from;
    int32_t *order; /* [pending]: indices of `from` that need a shift, nearest first */
    int32_t pending, lanes;
    double *loss; /* [from] */
} chain;

static void chain_clear(chain *c)
{
    netdp_i_scene_clear(&c->scene);
    for (int64_t t = 0; c->gain != NULL && t < c->observations; t++)
        netdp_i_gain_clear(&c->gain[t]);
    netdp_i_free(c->gain);
    netdp_i_free(c->rows);
    netdp_i_free(c->lower);
    netdp_i_free(c->order);
}

/* The filter's run. */
static netdp_status record(chain *c, const netdp_progress *progress, netdp_error *error)
{
    const int64_t r = c->basis->modes, rounds = c->protocol->rounds;
    const int32_t s = c->observer->seen_count;
    const double seen = netdp_i_observer_scale(c->protocol, c->observer), end = c->scene.end;
    netdp_i_filter *filter = NULL;
    netdp_status status =
        netdp_i_filter_new(c->basis, c->observer, end > 0 ? fmin(seen, end) : seen, &filter, error);
    for (int64_t t = 0; status == NETDP_OK && t < c->observations; t++) {
        if (t > 0)
            status = netdp_i_filter_predict(
                filter, t < rounds ? netdp_linear_noise(c->protocol, t) : 0, false, error);
        if (status == NETDP_OK)
            status = netdp_i_gain_new(c->basis->modes, s, &c->gain[t], error);
        if (status == NETDP_OK)
            status = netdp_i_filter_observe(filter, &c->gain[t], error);
        if (status == NETDP_OK)
            status = netdp_i_report(progress, "accounting", (double)(t + 1),
                                    (double)c->observations, error);
    }
    if (status == NETDP_OK && c->lower != NULL) {
        if (!c->observer->last_sum)
            status = netdp_i_filter_predict(filter, 0, false, error);
        if (status == NETDP_OK)
            status = netdp_i_filter_factor(filter, end, c->lower, error);
    }
    for (int32_t j = 0; j < s; j++)
        memcpy(c->rows + j * r, c->basis->rows + c->observer->seen[j] * r,
               (size_t)r * sizeof(double));
    netdp_i_filter_free(filter);
    return status;
}

/* ---- A block of sources ---- */

typedef struct block {
    netdp_i_shift shift;
    int32_t source[LANES];
    double loss[LANES], filter[LANES]; /* the least bound so far, and the filter's own loss */
    double *e, *adjoint;               /* [modes] x [lanes] */
    double *w, *x;       /* [observations][seen x lanes]: whitened response, and K^{-1} of it */
    double *left;        /* the same: what a shift leaves of the response */
    double *end, *x_end; /* [modes] x [lanes]: of the states at the end */
    double *row;         /* [seen] */
    double *now, *next;  /* [nodes][lanes] */
} block;

static void block_clear(block *b)
{
    netdp_i_free(b->shift.noise);
    netdp_i_free(b->e);
    netdp_i_free(b->adjoint);
    netdp_i_free(b->w);
    netdp_i_free(b->x);
    netdp_i_free(b->left);
    netdp_i_free(b->end);
    netdp_i_free(b->x_end);
    netdp_i_free(b->row);
    netdp_i_free(b->now);
    netdp_i_free(b->next);
}

static netdp_status block_new(const chain *c, int32_t lanes, block *b, netdp_error *error)
{
    const int64_t n = c->scene.rows.nodes, r = c->basis->modes;
    const int64_t seen = c->observations * c->observer->seen_count * lanes;
    *b = (block){.shift = {.lanes = lanes}};
    b->shift.noise = NETDP_I_NEW(double, c->protocol->rounds *n *lanes);
    b->e = NETDP_I_NEW(double, r *lanes);
    b->adjoint = NETDP_I_NEW(double, r *lanes);
    b->w = NETDP_I_NEW(double, seen);
    b->x = NETDP_I_NEW(double, seen);
    b->left = NETDP_I_NEW(double, seen);
    b->end = NETDP_I_NEW(double, r *lanes);
    b->x_end = NETDP_I_NEW(double, r *lanes);
    b->row = NETDP_I_NEW(double, c->observer->seen_count);
    b->now = NETDP_I_NEW(double, n *lanes);
    b->next = NETDP_I_NEW(double, n *lanes);
    if (b->shift.noise == NULL || b->e == NULL || b->adjoint == NULL || b->w == NULL ||
        b->x == NULL || b->left == NULL || b->end == NULL || b->x_end == NULL || b->row == NULL ||
        b->now == NULL || b->next == NULL) {
        block_clear(b);
        return netdp_i_no_memory(error);
    }
    return NETDP_OK;
}

static void scale_modes(const chain *c, int32_t lanes, double *x)
{
    const int64_t r = c->basis->modes;
    for (int64_t l = 0; l < lanes; l++)
        for (int64_t k = 0; k < r; k++)
            x[l * r + k] *= c->basis->theta[k];
}

/* w = L^{-1} of the responses of e and, where given, of what is left. */
static void forward(const chain *c, block *b, const double *left)
{
    const int r = c->basis->modes, s = c->observer->seen_count, lanes = b->shift.lanes;
    for (int64_t t = 0; t < c->observations; t++) {
        const netdp_i_gain *g = &c->gain[t];
        double *w = b->w + t * s * lanes;
        if (left != NULL)
            memcpy(w, left + t * s * lanes, (size_t)s * (size_t)lanes * sizeof *w);
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, s, lanes, r, 1, c->rows, r, b->e, r,
                    left != NULL, w, s);
        for (int l = 0; l < lanes; l++) {
            memcpy(b->row, w + l * s, (size_t)s * sizeof *w);
            for (int j = 0; j < s; j++)
                w[l * s + j] = b->row[g->pivot[j] - 1];
        }
        if (g->rank > 0) {
            cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, g->rank,
                        lanes, 1, g->lower, s, w, s);
            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, r, lanes, g->rank, -1, g->gain,
                        r, w, s, 1, b->e, r);
        }
        /* The states at the end are those of the last sum: between these no round passes. */
        if (t + 1 < c->observations || !c->observer->last_sum)
            scale_modes(c, lanes, b->e);
    }
    if (c->lower == NULL)
        return;
    memcpy(b->end, b->e, (size_t)r * (size_t)lanes * sizeof *b->end);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, r, lanes, 1,
                c->lower, r, b->end, r);
}

/* x += L^{-T} w */
static void backward(const chain *c, block *b)
{
    const int r = c->basis->modes, s = c->observer->seen_count, lanes = b->shift.lanes;
    memset(b->adjoint, 0, (size_t)r * (size_t)lanes * sizeof *b->adjoint);
    if (c->lower != NULL) {
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, r, lanes, 1,
                    c->lower, r, b->end, r);
        cblas_daxpy(r * lanes, 1, b->end, 1, b->x_end, 1);
        memcpy(b->adjoint, b->end, (size_t)r * (size_t)lanes * sizeof *b->adjoint);
    }
    for (int64_t t = c->observations - 1; t >= 0; t--) {
        const netdp_i_gain *g = &c->gain[t];
        double *w = b->w + t * s * lanes, *x = b->x + t * s * lanes;
        if (!(c->lower != NULL && c->observer->last_sum && t == c->observations - 1))
            scale_modes(c, lanes, b->adjoint);
        if (g->rank > 0) {
            cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, g->rank, lanes, r, -1, g->gain, r,
                        b->adjoint, r, 1, w, s);
            cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, g->rank,
                        lanes, 1, g->lower, s, w, s);
        }
        for (int l = 0; l < lanes; l++) {
            for (int j = 0; j < s; j++)
                b->row[g->pivot[j] - 1] = j < g->rank ? w[l * s + j] : 0;
            for (int j = 0; j < s; j++) {
                w[l * s + j] = b->row[j];
                x[l * s + j] += b->row[j];
            }
        }
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, r, lanes, s, 1, c->rows, r, w, s, 1,
                    b->adjoint, r);
    }
}

/* The shift of x, in coordinates of the nodes. */
static void spread(const chain *c, block *b)
{
    const netdp_rows rows = c->scene.rows;
    const int64_t n = rows.nodes, r = c->basis->modes, lanes = b->shift.lanes;
    const int64_t s = c->observer->seen_count;
    memset(b->now, 0, (size_t)(n * lanes) * sizeof *b->now);
    if (c->lower != NULL) /* rows of B times the end: row-major [nodes][lanes] */
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n, (int)lanes, (int)r, 1,
                    c->basis->rows, (int)r, b->x_end, (int)r, 0, b->now, (int)lanes);
    for (int64_t t = c->observations - 1; t >= 0; t--) {
        const bool at_end =
            t == c->protocol->rounds; /* of the last sum: of the states at the end */
        if (!(at_end && c->lower != NULL)) {
            double *swap = b->now;
            netdp_i_rows_apply_part(rows, 0, rows.nodes, b->now, b->next, (int32_t)lanes);
            b->now = b->next;
            b->next = swap;
        }
        for (int64_t l = 0; l < lanes; l++)
            for (int64_t j = 0; j < s; j++)
                b->now[c->observer->seen[j] * lanes + l] += b->x[t * s * lanes + l * s + j];
        if (at_end)
            continue;
        const double scale = t == 0 ? 1 : netdp_linear_noise(c->protocol, t);
        double *noise = b->shift.noise + t * n * lanes;
        for (int64_t v = 0; v < n; v++)
            for (int64_t l = 0; l < lanes; l++)
                noise[v * lanes + l] =
                    c->scene.role[v] == NETDP_I_KNOWN ? 0 : -scale * b->now[v * lanes + l];
    }
}

/* What the shift, with that of the seen nodes, leaves of the responses. */
static void follow_shift(const chain *c, block *b)
{
    const netdp_rows rows = c->scene.rows;
    const int64_t n = rows.nodes, lanes = b->shift.lanes, s = c->observer->seen_count;
    memset(b->now, 0, (size_t)(n * lanes) * sizeof *b->now);
    for (int64_t l = 0; l < lanes; l++)
        b->now[b->source[l] * lanes + l] = 1;
    for (int64_t t = 0; t < c->observations; t++) {
        const double scale = t == 0 ? 1 : netdp_linear_noise(c->protocol, t);
        if (t > 0) {
            double *swap = b->now;
            netdp_i_rows_apply_part(rows, 0, rows.nodes, b->now, b->next, (int32_t)lanes);
            b->now = b->next;
            b->next = swap;
        }
        for (int64_t i = 0; t < c->protocol->rounds && i < n * lanes; i++)
            b->now[i] += scale * b->shift.noise[t * n * lanes + i];
        for (int64_t l = 0; l < lanes; l++)
            for (int64_t j = 0; j < s; j++)
                b->left[t * s * lanes + l * s + j] = b->now[c->observer->seen[j] * lanes + l];
    }
}

/* The lanes' bounds in doubles; how many of them are not near the filter's loss. */
static netdp_status bound_lanes(const chain *c, block *b, int32_t *wide, netdp_error *error)
{
    double loss[LANES];
    netdp_status status = netdp_i_shift_loss(&c->scene, &b->shift, -1, loss, error);
    *wide = 0;
    for (int32_t l = 0; status == NETDP_OK && l < b->shift.lanes; l++) {
        b->loss[l] = fmin(b->loss[l], loss[l]);
        *wide += !(b->loss[l] <= b->filter[l] * (1 + NEAR));
    }
    return status;
}

/* The squares of w, of one lane. */
static double square_of(const chain *c, const block *b, int64_t lane)
{
    const int s = c->observer->seen_count;
    double sum = 0;
    for (int64_t t = 0; t < c->observations; t++) {
        const double *w = b->w + (t * b->shift.lanes + lane) * s;
        sum += cblas_ddot(c->gain[t].rank, w, 1, w, 1);
    }
    return sum;
}

/* Is what is left of the responses, which costs its own loss, worth a correction? */
static bool counts(const chain *c, const block *b)
{
    for (int32_t l = 0; l < b->shift.lanes; l++)
        if (square_of(c, b, l) > NEAR / 10 * b->filter[l])
            return true;
    return false;
}

/* x by what the shift leaves, until that costs nothing. */
static bool correct(const chain *c, block *b)
{
    const int64_t r = c->basis->modes;
    for (int k = 0; k < CORRECTIONS; k++) {
        follow_shift(c, b);
        memset(b->e, 0, (size_t)(r * b->shift.lanes) * sizeof *b->e);
        forward(c, b, b->left);
        if (!counts(c, b))
            return k > 0;
        backward(c, b);
        spread(c, b);
    }
    return true;
}

static netdp_status bound_block(const chain *c, block *b, netdp_error *error)
{
    const int64_t r = c->basis->modes, lanes = b->shift.lanes;
    int32_t wide = 0;
    for (int64_t l = 0; l < lanes; l++)
        memcpy(b->e + l * r, c->basis->rows + b->source[l] * r, (size_t)r * sizeof *b->e);
    forward(c, b, NULL);
    for (int64_t l = 0; l < lanes; l++) {
        const double *end = b->end + l * r;
        b->filter[l] = square_of(c, b, l) + cblas_ddot((int)r, end, 1, end, 1);
        b->loss[l] = 1;
    }
    backward(c, b);
    spread(c, b);
    netdp_status status = bound_lanes(c, b, &wide, error);
    if (status == NETDP_OK && wide > 0 && c->lower == NULL && correct(c, b))
        status = bound_lanes(c, b, &wide, error);
    for (int32_t l = 0; status == NETDP_OK && wide > 0 && l < lanes; l++) {
        double loss = INFINITY;
        if (b->loss[l] <= b->filter[l] * (1 + NEAR))
            continue;
        status = netdp_i_shift_loss(&c->scene, &b->shift, l, &loss, error);
        b->loss[l] = fmin(b->loss[l], loss);
    }
    return status;
}

static netdp_status certify_block(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    const chain *c = context;
    const int64_t first = index * c->lanes;
    const int64_t left = c->pending - first;
    const int32_t lanes = left < c->lanes ? (int32_t)left : c->lanes;
    block b;
    netdp_status status = block_new(c, lanes, &b, error);
    if (status != NETDP_OK)
        return status;
    b.shift.source = b.source;
    for (int32_t l = 0; l < lanes; l++)
        b.source[l] = c->from[c->order[first + l]];
    status = bound_block(c, &b, error);
    for (int32_t l = 0; status == NETDP_OK && l < lanes; l++)
        c->loss[c->order[first + l]] = b.loss[l];
    block_clear(&b);
    return status;
}

/*
 * What the shape says: who is seen under unit noise tells 1, who is too far away for the rounds 0.
 * The others in the order of their distance, so that a block's losses are alike.
 */
static netdp_status sort_sources(chain *c, int32_t count, netdp_error *error)
{
    const netdp_rows rows = c->scene.rows;
    const int64_t farthest = c->observations - 1;
    const bool released = c->scene.end > 0;
    int32_t *distance = NETDP_I_NEW(int32_t, rows.nodes), *queue = NETDP_I_NEW(int32_t, rows.nodes);
    int32_t tail = 0;
    netdp_status status = distance == NULL || queue == NULL ? netdp_i_no_memory(error) : NETDP_OK;
    if (status != NETDP_OK)
        goto done;
    memset(distance, -1, (size_t)rows.nodes * sizeof *distance);
    for (int32_t j = 0; j < c->observer->seen_count; j++) {
        distance[c->observer->seen[j]] = 0;
        queue[tail++] = c->observer->seen[j];
    }
    for (int32_t head = 0; head < tail; head++)
        for (int64_t k = rows.start[queue[head]]; k < rows.start[queue[head] + 1]; k++)
            if (distance[rows.column[k]] < 0) {
                distance[rows.column[k]] = distance[queue[head]] + 1;
                queue[tail++] = rows.column[k];
            }
    int32_t last = 0;
    for (int32_t i = 0; i < count; i++) {
        const int32_t u = c->from[i], far = distance[u];
        c->loss[i] = 1;
        if (!released && (far < 0 || far > farthest))
            c->loss[i] = 0;
        else if (c->scene.role[u] == NETDP_I_FREE)
            last = far > last ? far : last;
    }
    for (int32_t far = released ? -1 : 0; far <= last; far++)
        for (int32_t i = 0; i < count; i++)
            if (distance[c->from[i]] == far && c->loss[i] > 0 &&
                c->scene.role[c->from[i]] == NETDP_I_FREE)
                c->order[c->pending++] = i;
done:
    netdp_i_free(distance);
    netdp_i_free(queue);
    return status;
}

netdp_status netdp_i_certified_loss(const netdp_linear *protocol, const netdp_i_basis *basis,
                                    const netdp_i_observer *observer, const int32_t *member,
                                    int32_t members, double end, const int32_t *from, int32_t count,
                                    double *loss, const netdp_progress *progress,
                                    netdp_error *error)
{
    const int64_t r = basis->modes, observations = protocol->rounds + observer->last_sum;
    const double room = SHIFT_BYTES / (8.0 * (double)protocol->rounds * basis->nodes);
    chain c = {.protocol = protocol,
               .basis = basis,
               .observer = observer,
               .observations = observations,
               .gain = NETDP_I_NEW(netdp_i_gain, observations),
               .rows = NETDP_I_NEW(double, r * observer->seen_count),
               .lower = end > 0 ? NETDP_I_NEW(double, r *r) : NULL,
               .order = NETDP_I_NEW(int32_t, count),
               .from = from,
               .lanes = (int32_t)fmax(1, fmin(LANES, room)),
               .loss = loss};
    netdp_status status = NETDP_OK;
    if (c.gain == NULL || c.rows == NULL || (end > 0 && c.lower == NULL) || c.order == NULL)
        status = netdp_i_no_memory(error);
    if (status == NETDP_OK)
        status = netdp_i_scene_new(protocol, protocol->rounds, observer, member, members, end,
                                   &c.scene, error);
    if (status == NETDP_OK)
        status = sort_sources(&c, count, error);
    if (status == NETDP_OK && c.pending > 0)
        status = record(&c, progress, error);
    if (status == NETDP_OK)
        status = netdp_i_for_each((c.pending + c.lanes - 1) / c.lanes, certify_block, &c, progress,
                                  "certificate", error);
    chain_clear(&c);
    return status;
}

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
 *
 * Of rounds that are accelerated lambda has two terms, lambda_t = S^T x_t + w W lambda_{t+1} + (1 - w) lambda_{t+2}, and x comes
 * from a solver of the whole view at once.
 *
 * Where the network changes the coordinates are the nodes themselves: B = I, and W_t instead of
 * theta, which is symmetric; whom one sees depends on the round.
 */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "account/observe/certificate.h"
#include "account/shift/reach.h"
#include "base/fail.h"
#include "base/parallel.h"
#include "base/pool.h"
#include "base/try.h"
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
    const netdp_i_basis *basis; /* NULL: the nodes */
    int64_t modes;
    const netdp_i_shift_problem *scene;
    int32_t
        summed; /* an observer whose own noise is known in sum only, as a message shows it; -1: none */
    const netdp_i_solver *solver; /* or NULL: the filter's gains */
    int64_t observations;
    const netdp_i_sight *sight; /* [observations] */
    int64_t *place;             /* [observations + 1]: where the entries of each begin */
    double *rows;               /* S B, [modes] x [seen], of a basis */
    double *lower;              /* [modes] x [modes]: of the states at the end, or NULL */
    const int32_t *from;
    int32_t *order; /* [pending]: indices of `from` that need a shift, nearest first */
    int32_t pending, lanes;
    double *loss; /* [from] */
    netdp_i_pool pool;
} chain;

/* The filter's run. */
static netdp_status record(chain *c, const netdp_i_observer *observer, netdp_i_sight *sight,
                           const netdp_progress *progress, netdp_error *error)
{
    const int64_t r = c->modes, rounds = c->protocol->rounds;
    const int32_t s = observer->seen_count;
    const double seen = netdp_i_observer_scale(c->protocol, observer), end = c->scene->end;
    OWNED_BY(netdp_i_filter_free) netdp_i_filter *filter = NULL;
    TRY(netdp_i_filter_new(c->basis, observer, end > 0 ? fmin(seen, end) : seen, &filter, error));
    for (int64_t t = 0; t < c->observations; t++) {
        const double noise = t < rounds ? netdp_linear_noise(c->protocol, t) : 0;
        if (t > 0)
            TRY(netdp_i_filter_predict(filter, noise, false, error));
        TRY(netdp_i_gain_new(c->basis->modes, s, &sight[t].gain, error));
        TRY(netdp_i_filter_observe(filter, &sight[t].gain, error));
        TRY(netdp_i_report(progress, "accounting", (double)(t + 1), (double)c->observations,
                           error));
    }
    if (c->lower != NULL) {
        if (!observer->last_sum)
            TRY(netdp_i_filter_predict(filter, 0, false, error));
        TRY(netdp_i_filter_factor(filter, end, c->lower, error));
    }
    for (int32_t j = 0; j < s; j++)
        memcpy(c->rows + j * r, c->basis->rows + observer->seen[j] * r, (size_t)r * sizeof(double));
    return NETDP_OK;
}

/* ---- A block of sources ---- */

typedef struct block {
    struct {
        int32_t lanes;
        double *noise; /* [rounds][nodes][lanes]: after follow_shift the displacements */
        double *pair;  /* [pair_count][lanes]; NULL: there are none */
    } shift;
    int32_t source[LANES];
    double loss[LANES], filter[LANES]; /* the least bound so far, and the filter's own loss */
    double *e, *adjoint;               /* [modes] x [lanes] */
    double *w, *x;       /* [observations][seen x lanes]: whitened response, and K^{-1} of it */
    double *left;        /* the same: what a shift leaves of the response */
    double *end, *x_end; /* [modes] x [lanes]: of the states at the end */
    double *row;         /* [seen] */
    double *now, *next;  /* [nodes][lanes] */
    double *other;       /* [nodes][lanes]: of accelerated rounds, one further than now */
    double *left_end;    /* [nodes][lanes]: for a solver */
    netdp_i_pool pool;
} block;

static void block_clear(block *b)
{
    netdp_i_pool_clear(&b->pool);
}

static netdp_status block_new(const chain *c, int32_t lanes, block *b, netdp_error *error)
{
    const int64_t n = c->scene->nodes, r = c->modes;
    const int64_t seen = c->place[c->observations] * lanes;
    *b = (block){.shift = {.lanes = lanes}};
    b->shift.noise = NETDP_I_TAKE(&b->pool, double, c->protocol->rounds *n *lanes);
    if (c->scene->pair_count > 0)
        b->shift.pair = NETDP_I_TAKE(&b->pool, double, c->scene->pair_count *lanes);
    b->e = NETDP_I_TAKE(&b->pool, double, r *lanes);
    b->adjoint = NETDP_I_TAKE(&b->pool, double, r *lanes);
    b->end = NETDP_I_TAKE(&b->pool, double, r *lanes);
    b->x_end = NETDP_I_TAKE(&b->pool, double, r *lanes);
    b->w = NETDP_I_TAKE(&b->pool, double, seen);
    b->x = NETDP_I_TAKE(&b->pool, double, seen);
    b->left = NETDP_I_TAKE(&b->pool, double, seen);
    b->now = NETDP_I_TAKE(&b->pool, double, n *lanes);
    b->next = NETDP_I_TAKE(&b->pool, double, n *lanes);
    b->other = NETDP_I_TAKE(&b->pool, double, n *lanes);
    b->left_end = NETDP_I_TAKE(&b->pool, double, n *lanes);
    b->row = NETDP_I_TAKE(&b->pool, double, n);
    return netdp_i_pool_made(&b->pool, error);
}

/* Through round t: by theta, or by W_t, one lane after the other. */
static void mix(const chain *c, block *b, int64_t t, double *x)
{
    const int64_t r = c->modes;
    for (int64_t l = 0; l < b->shift.lanes; l++) {
        if (c->basis == NULL) {
            netdp_i_rows_apply_part(c->scene->round[t].rows, 0, (int32_t)r, x + l * r, b->next, 1);
            memcpy(x + l * r, b->next, (size_t)r * sizeof *x);
        }
        for (int64_t k = 0; c->basis != NULL && k < r; k++)
            x[l * r + k] *= c->basis->theta[k];
    }
}

/* w += what this observation shows of e. */
static void show(const chain *c, const block *b, int64_t t, double *w)
{
    const int r = (int)c->modes, s = c->sight[t].count, lanes = b->shift.lanes;
    if (c->basis != NULL)
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, s, lanes, r, 1, c->rows, r, b->e, r, 1,
                    w, s);
    for (int64_t l = 0; c->basis == NULL && l < lanes; l++)
        for (int64_t j = 0; j < s; j++)
            w[l * s + j] += b->e[l * r + c->sight[t].seen[j]];
}

/* And its transpose, into the adjoint. */
static void take_back(const chain *c, const block *b, int64_t t, const double *w)
{
    const int r = (int)c->modes, s = c->sight[t].count, lanes = b->shift.lanes;
    if (c->basis != NULL)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, r, lanes, s, 1, c->rows, r, w, s, 1,
                    b->adjoint, r);
    for (int64_t l = 0; c->basis == NULL && l < lanes; l++)
        for (int64_t j = 0; j < s; j++)
            b->adjoint[l * r + c->sight[t].seen[j]] += w[l * s + j];
}

/* w = L^{-1} of the responses of e and, where given, of what is left. */
static void forward(const chain *c, block *b, const double *left)
{
    const int r = (int)c->modes, lanes = b->shift.lanes;
    for (int64_t t = 0; t < c->observations; t++) {
        const netdp_i_gain *g = &c->sight[t].gain;
        const int s = c->sight[t].count;
        double *w = b->w + c->place[t] * lanes;
        if (left != NULL)
            memcpy(w, left + c->place[t] * lanes, (size_t)s * (size_t)lanes * sizeof *w);
        else
            memset(w, 0, (size_t)s * (size_t)lanes * sizeof *w);
        show(c, b, t, w);
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
        if (t < c->protocol->rounds)
            mix(c, b, t, b->e);
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
    const int r = (int)c->modes, lanes = b->shift.lanes;
    memset(b->adjoint, 0, (size_t)r * (size_t)lanes * sizeof *b->adjoint);
    if (c->lower != NULL) {
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, r, lanes, 1,
                    c->lower, r, b->end, r);
        cblas_daxpy(r * lanes, 1, b->end, 1, b->x_end, 1);
        memcpy(b->adjoint, b->end, (size_t)r * (size_t)lanes * sizeof *b->adjoint);
    }
    for (int64_t t = c->observations - 1; t >= 0; t--) {
        const netdp_i_gain *g = &c->sight[t].gain;
        const int s = c->sight[t].count;
        double *w = b->w + c->place[t] * lanes, *x = b->x + c->place[t] * lanes;
        if (t < c->protocol->rounds)
            mix(c, b, t, b->adjoint);
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
        take_back(c, b, t, w);
    }
}

/* now = W_t now, forward or back; of accelerated rounds with what lies one further. */
static void pass(const chain *c, block *b, int64_t t)
{
    const netdp_rows rows = c->scene->round[t].rows;
    const double weight = c->scene->weight;
    double *swap = b->now;
    netdp_i_rows_apply_part(rows, 0, rows.nodes, b->now, b->next, b->shift.lanes);
    if (weight > 1) {
        for (int64_t i = 0; i < (int64_t)rows.nodes * b->shift.lanes; i++)
            b->next[i] = (t > 0 ? weight : 1) * b->next[i] + (1 - weight) * b->other[i];
        swap = b->other;
        b->other = b->now;
    }
    b->now = b->next;
    b->next = swap;
}

/* Nothing is known of the rounds yet. */
static void begin(const chain *c, block *b)
{
    const size_t size = (size_t)c->scene->nodes * (size_t)b->shift.lanes * sizeof *b->now;
    memset(b->now, 0, size);
    memset(b->other, 0, size);
}

/*
 * The first round's noise in pairs shifts by -kappa (lambda_a - lambda_b), so that a message moves by
 * -D lambda in all, of which -lambda is its node's own.
 */
static void spread_pairs(const chain *c, block *b)
{
    const netdp_i_shift_problem *scene = c->scene;
    const int64_t lanes = b->shift.lanes;
    for (int64_t e = 0; e < scene->pair_count; e++) {
        const int64_t adds = scene->pair[2 * e], takes = scene->pair[2 * e + 1];
        for (int64_t l = 0; l < lanes; l++) {
            const double shift =
                -scene->kappa[e] * (b->now[adds * lanes + l] - b->now[takes * lanes + l]);
            b->shift.pair[e * lanes + l] = shift;
            b->shift.noise[adds * lanes + l] += scene->kappa[e] * shift;
            b->shift.noise[takes * lanes + l] -= scene->kappa[e] * shift;
        }
    }
}

/*
 * The message of who knows its own noise in sum only is one more observation of the first round, and nobody's x: lambda is
 * such there that the message stays. Pairs are equally loud here (netdp_i_gossip_prove).
 */
static void hold_summed(const chain *c, block *b)
{
    const netdp_i_shift_problem *scene = c->scene;
    const int64_t v = c->summed, lanes = b->shift.lanes;
    const double square = scene->pair_count > 0 ? scene->kappa[0] * scene->kappa[0] : 0;
    for (int64_t l = 0; l < lanes; l++) {
        double others = 0, partners = 0;
        for (int64_t e = 0; e < scene->pair_count; e++) {
            const int64_t adds = scene->pair[2 * e], takes = scene->pair[2 * e + 1];
            if (adds != v && takes != v)
                continue;
            others += b->now[(adds == v ? takes : adds) * lanes + l];
            partners += 1;
        }
        b->now[v * lanes + l] = square * others / (1 + square * partners);
    }
}

/* Does its noise shift? That of an observer of messages, whose neighbours all stay, but for what its pairs bring. */
static bool moves(const chain *c, int64_t t, int32_t v)
{
    const char part = c->scene->round[t].part[v];
    return part == NETDP_I_PART_FREE ||
           (part == NETDP_I_PART_SEEN &&
            (!c->scene->exempt[v] || c->scene->sums || (t == 0 && v == c->summed)));
}

/* The shift of x, in coordinates of the nodes. */
static void spread(const chain *c, block *b)
{
    const int64_t n = c->scene->nodes, r = c->modes, lanes = b->shift.lanes;
    begin(c, b);
    if (c->solver != NULL)
        memcpy(b->now, b->x_end, (size_t)(n * lanes) * sizeof *b->now);
    else if (c->lower != NULL) /* rows of B times the end: row-major [nodes][lanes] */
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n, (int)lanes, (int)r, 1,
                    c->basis->rows, (int)r, b->x_end, (int)r, 0, b->now, (int)lanes);
    for (int64_t t = c->observations - 1; t >= 0; t--) {
        const netdp_i_sight *sight = &c->sight[t];
        const double *x = b->x + c->place[t] * lanes;
        if (t < c->protocol->rounds)
            pass(c, b, t);
        for (int64_t l = 0; l < lanes; l++)
            for (int64_t j = 0; j < sight->count; j++)
                b->now[sight->seen[j] * lanes + l] += x[l * sight->count + j];
        if (t == c->protocol->rounds) /* of the states at the end */
            continue;
        if (t == 0 && b->shift.pair != NULL && c->summed >= 0)
            hold_summed(c, b);
        const double scale = t == 0 ? 1 : netdp_linear_noise(c->protocol, t);
        double *noise = b->shift.noise + t * n * lanes;
        for (int64_t v = 0; v < n; v++) {
            const double own = moves(c, t, (int32_t)v) ? -scale : 0;
            for (int64_t l = 0; l < lanes; l++)
                noise[v * lanes + l] = own * b->now[v * lanes + l];
        }
        if (t == 0 && b->shift.pair != NULL)
            spread_pairs(c, b);
    }
}

/*
 * What the shift, with that of the seen nodes, leaves of the responses; of the noises become the displacements that they
 * make. So spread is followed by this.
 */
static void follow_shift(const chain *c, block *b)
{
    const int64_t n = c->scene->nodes, lanes = b->shift.lanes;
    begin(c, b);
    for (int64_t l = 0; l < lanes; l++)
        b->now[b->source[l] * lanes + l] = 1;
    for (int64_t t = 0; t < c->observations; t++) {
        const netdp_i_sight *sight = &c->sight[t];
        double *left = b->left + c->place[t] * lanes;
        if (t > 0)
            pass(c, b, t - 1);
        if (t < c->scene->rounds) {
            const double scale = c->scene->round[t].noise;
            double *noise = b->shift.noise + t * n * lanes;
            for (int64_t i = 0; i < n * lanes; i++)
                b->now[i] = noise[i] = b->now[i] + scale * noise[i];
        }
        for (int64_t l = 0; l < lanes; l++)
            for (int64_t j = 0; j < sight->count; j++)
                left[l * sight->count + j] = b->now[sight->seen[j] * lanes + l];
    }
    if (c->solver == NULL || !(c->scene->end > 0))
        return;
    if (c->observations == c->scene->rounds)
        pass(c, b, c->observations - 1);
    memcpy(b->left_end, b->now, (size_t)(n * lanes) * sizeof *b->left_end);
}

/* The lanes' bounds; how many of them are not near the filter's loss. */
static netdp_status bound_lanes(const chain *c, block *b, int32_t *wide, netdp_error *error)
{
    double loss[LANES];
    const netdp_i_displacement of = {
        .lanes = b->shift.lanes, .source = b->source, .g = b->shift.noise, .c = b->shift.pair};
    TRY(netdp_i_displacement_loss(c->scene, &of, loss, NULL, error));
    *wide = 0;
    for (int32_t l = 0; l < b->shift.lanes; l++) {
        b->loss[l] = fmin(b->loss[l], loss[l]);
        *wide += !(b->loss[l] <= b->filter[l] * (1 + NEAR));
    }
    return NETDP_OK;
}

/* The squares of w, of one lane. */
static double square_of(const chain *c, const block *b, int64_t lane)
{
    double sum = 0;
    for (int64_t t = 0; t < c->observations; t++) {
        const double *w = b->w + c->place[t] * b->shift.lanes + lane * c->sight[t].count;
        sum += cblas_ddot(c->sight[t].gain.rank, w, 1, w, 1);
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
    const int64_t r = c->modes;
    for (int k = 0; k < CORRECTIONS; k++) {
        memset(b->e, 0, (size_t)(r * b->shift.lanes) * sizeof *b->e);
        forward(c, b, b->left);
        if (!counts(c, b))
            return k > 0;
        backward(c, b);
        spread(c, b);
        follow_shift(c, b);
    }
    return true;
}

/* By the solver: from no shift at all, by what each leaves of the responses. */
static netdp_status solve_block(const chain *c, block *b, netdp_error *error)
{
    const bool end = c->scene->end > 0;
    double square[LANES];
    int32_t wide = 1;
    for (int32_t l = 0; l < b->shift.lanes; l++)
        b->loss[l] = 1;
    follow_shift(c, b);
    for (int k = 0; wide > 0 && k <= CORRECTIONS; k++) {
        bool counts = k == 0;
        TRY(c->solver->solve(c->solver->context, b->shift.lanes, b->left, end ? b->left_end : NULL,
                             b->x, end ? b->x_end : NULL, square, error));
        for (int32_t l = 0; l < b->shift.lanes && k == 0; l++)
            b->filter[l] = square[l];
        for (int32_t l = 0; l < b->shift.lanes; l++)
            counts = counts || square[l] > NEAR / 10 * b->filter[l];
        if (!counts)
            break;
        spread(c, b);
        follow_shift(c, b);
        TRY(bound_lanes(c, b, &wide, error));
    }
    return NETDP_OK;
}

static netdp_status bound_block(const chain *c, block *b, netdp_error *error)
{
    const int64_t r = c->modes, lanes = b->shift.lanes;
    int32_t wide = 0;
    if (c->solver != NULL)
        return solve_block(c, b, error);
    for (int64_t l = 0; l < lanes; l++) {
        if (c->basis != NULL)
            memcpy(b->e + l * r, c->basis->rows + b->source[l] * r, (size_t)r * sizeof *b->e);
        else
            b->e[l * r + b->source[l]] = 1;
    }
    forward(c, b, NULL);
    for (int64_t l = 0; l < lanes; l++) {
        const double *end = b->end + l * r;
        b->filter[l] = square_of(c, b, l) + cblas_ddot((int)r, end, 1, end, 1);
        b->loss[l] = 1;
    }
    backward(c, b);
    spread(c, b);
    follow_shift(c, b);
    TRY(bound_lanes(c, b, &wide, error));
    if (wide > 0 && c->lower == NULL && correct(c, b))
        return bound_lanes(c, b, &wide, error);
    return NETDP_OK;
}

static netdp_status certify_block(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    const chain *c = context;
    const int64_t first = index * c->lanes;
    const int64_t left = c->pending - first;
    const int32_t lanes = left < c->lanes ? (int32_t)left : c->lanes;
    CLEARED(block_clear) block b = {0};
    TRY(block_new(c, lanes, &b, error));
    for (int32_t l = 0; l < lanes; l++)
        b.source[l] = c->from[c->order[first + l]];
    TRY(bound_block(c, &b, error));
    for (int32_t l = 0; l < lanes; l++)
        c->loss[c->order[first + l]] = b.loss[l];
    return NETDP_OK;
}

/* Does the shape not say what it tells? Pairs' noise may hide who is seen. */
static bool is_open(const chain *c, int32_t u)
{
    const char part = c->scene->round[0].part[u];
    return part == NETDP_I_PART_FREE || (part == NETDP_I_PART_SEEN && c->scene->pair_count > 0);
}

/*
 * What the shape says: who is seen under unit noise tells 1, who is not heard of in these rounds 0. The others in the
 * order of their distance, so that a block's losses are alike; where the network changes, as they come.
 */
static netdp_status sort_sources(chain *c, int32_t count, netdp_error *error)
{
    int32_t last = 0;
    OWNED bool *reached = netdp_i_shift_reached(c->scene);
    OWNED int32_t *distance = NETDP_I_NEW(int32_t, c->scene->nodes);
    if (distance == NULL || reached == NULL)
        return netdp_i_no_memory(error);
    if (c->scene->fixed)
        TRY(netdp_graph_distances(netdp_mixing_graph(c->protocol->mixing), c->sight[0].seen,
                                  c->sight[0].count, distance, error));
    for (int32_t i = 0; i < count; i++) {
        c->loss[i] = reached[c->from[i]] ? 1 : 0;
        last = distance[c->from[i]] > last ? distance[c->from[i]] : last;
    }
    for (int32_t far = -1; far <= last; far++)
        for (int32_t i = 0; i < count; i++)
            if (distance[c->from[i]] == far && c->loss[i] > 0 && is_open(c, c->from[i]))
                c->order[c->pending++] = i;
    return NETDP_OK;
}

/* What is allocated of a chain, and which sources need a shift. */
static netdp_status begin_chain(chain *c, int32_t count, netdp_error *error)
{
    const double room = SHIFT_BYTES / (8.0 * (double)c->protocol->rounds * c->scene->nodes);
    c->lanes = (int32_t)fmax(1, fmin(LANES, room));
    c->order = NETDP_I_TAKE(&c->pool, int32_t, count);
    c->place = NETDP_I_TAKE(&c->pool, int64_t, c->observations + 1);
    TRY(netdp_i_pool_made(&c->pool, error));
    for (int64_t t = 0; t < c->observations; t++)
        c->place[t + 1] = c->place[t] + c->sight[t].count;
    return sort_sources(c, count, error);
}

static netdp_status certify(chain *c, const netdp_progress *progress, netdp_error *error)
{
    return netdp_i_for_each((c->pending + c->lanes - 1) / c->lanes, certify_block, c, progress,
                            "certificate", error);
}

static void chain_clear(chain *c)
{
    netdp_i_pool_clear(&c->pool);
}

netdp_status netdp_i_certified_sights(const netdp_linear *protocol,
                                      const netdp_i_shift_problem *scene, int32_t summed,
                                      const netdp_i_sight *sight, const netdp_i_sources *of,
                                      const netdp_progress *progress, netdp_error *error)
{
    CLEARED(chain_clear)
    chain c = {.protocol = protocol,
               .modes = scene->nodes,
               .scene = scene,
               .summed = summed,
               .observations = scene->rounds + netdp_i_scene_ends(scene),
               .sight = sight,
               .from = of->node,
               .loss = of->loss};
    TRY(begin_chain(&c, of->count, error));
    return certify(&c, progress, error);
}

/* The gains are in `sight`, whose room is the chain's. */
static netdp_status prove_seen(chain *c, netdp_i_sight *sight, const netdp_i_observer *observer,
                               int32_t count, const netdp_progress *progress, netdp_error *error)
{
    TRY(begin_chain(c, count, error));
    if (c->pending > 0 && c->basis != NULL)
        TRY(record(c, observer, sight, progress, error));
    return certify(c, progress, error);
}

/* The rounds of a network that does not change, which show the same nodes, with the filter's gains or a solver. */
static netdp_status prove_fixed(chain *c, double weight, const netdp_i_observer *observer,
                                double end, const netdp_i_sources *of,
                                const netdp_progress *progress, netdp_error *error)
{
    CLEARED(netdp_i_shift_problem_clear) netdp_i_shift_problem scene = {0};
    netdp_i_sight *sight = NETDP_I_TAKE(&c->pool, netdp_i_sight, c->observations);
    TRY(netdp_i_pool_made(&c->pool, error));
    TRY(netdp_i_scene_new(c->protocol, observer, weight, end, &scene, error));
    for (int64_t t = 0; t < c->observations; t++)
        sight[t] = (netdp_i_sight){.count = observer->seen_count, .seen = observer->seen};
    c->sight = sight;
    c->scene = &scene;
    c->summed = observer->own_counts && observer->pairing != NULL ? observer->quiet[0] : -1;
    const netdp_status status = prove_seen(c, sight, observer, of->count, progress, error);
    for (int64_t t = 0; t < c->observations; t++)
        netdp_i_gain_clear(&sight[t].gain);
    return status;
}

netdp_status netdp_i_certified_loss(const netdp_linear *protocol, const netdp_i_basis *basis,
                                    const netdp_i_observer *observer, double end,
                                    const netdp_i_sources *of, const netdp_progress *progress,
                                    netdp_error *error)
{
    const int64_t r = basis->modes;
    CLEARED(chain_clear)
    chain c = {.protocol = protocol,
               .basis = basis,
               .modes = r,
               .observations = protocol->rounds + observer->last_sum,
               .from = of->node,
               .loss = of->loss};
    c.rows = NETDP_I_TAKE(&c.pool, double, r * observer->seen_count);
    c.lower = end > 0 ? NETDP_I_TAKE(&c.pool, double, r *r) : NULL;
    return prove_fixed(&c, 1, observer, end, of, progress, error);
}

netdp_status netdp_i_certified_rounds(const netdp_linear *protocol, double weight,
                                      const netdp_i_observer *observer, double end,
                                      const netdp_i_solver *solver, const netdp_i_sources *of,
                                      const netdp_progress *progress, netdp_error *error)
{
    CLEARED(chain_clear)
    chain c = {.protocol = protocol,
               .modes = netdp_mixing_rows(protocol->mixing).nodes,
               .solver = solver,
               .observations = protocol->rounds + observer->last_sum,
               .from = of->node,
               .loss = of->loss};
    return prove_fixed(&c, weight, observer, end, of, progress, error);
}

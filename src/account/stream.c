/*
 * Contributions c_k in rounds k of a schedule: the observer's whitened innovations respond with
 * sum_k c_k w^{(k)}, so the loss is c^T M c with M_kl the inner product of w^{(k)} and w^{(l)} over
 * all rounds. M is formed node by node up to EXPLICIT contributions and bounded (quadratic.h).
 * Above that the gain is steady for nearly all rounds, the response of a contribution depends on
 * its age only, and M is bounded through that one response (convolution.h).
 */
#include "account/stream.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "account/convolution.h"
#include "account/gains.h"
#include "account/quadratic.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"

/* Up to this many contribution slots M is formed; nodes are taken in blocks of up to BLOCK. */
enum { EXPLICIT = 1024, BLOCK = 8 };

/* The responses that a thread holds may take this many bytes. */
#define BLOCK_BYTES 2.5e8

typedef struct stream {
    const netdp_linear *protocol;
    const netdp_i_basis *basis;
    const int32_t *from;
    int32_t count;
    netdp_bound bound;
    const netdp_i_gains *gains;
    double *loss;
    int32_t slots, most; /* contribution rounds, and how many of them a node uses */
    int32_t block;       /* nodes taken together: their responses must fit */
    int64_t span;        /* the rows of one round in a response: seen */
    bool last_sum;
} stream;

/* ---- One pattern: the responses add up before they are squared ---- */

static double square(const netdp_i_response *response, int rank, int64_t i)
{
    double sum = 0;
    for (int j = 0; j < rank; j++) {
        const double w = response->w[i * response->seen + j];
        sum += w * w;
    }
    return sum;
}

/*
 * The steady recursion of one node in a small space as two dense maps, w = C E and E <- A (E) + c
 * b: without BLAS calls a round costs its arithmetic.
 */
typedef struct small {
    int modes, rank;
    double *closed; /* A = theta (I - gain L^{-1} S), row-major */
    double *see;    /* C = L^{-1} S, row-major */
    double *e, *next;
} small;

static void small_clear(small *m)
{
    netdp_i_free(m->closed);
    netdp_i_free(m->see);
    netdp_i_free(m->e);
    netdp_i_free(m->next);
}

static netdp_status small_new(const stream *s, const netdp_i_gain *gain, small *m,
                              netdp_error *error)
{
    const int r = s->basis->modes;
    netdp_i_response unit = {0};
    *m = (small){.modes = r, .rank = gain->rank};
    m->closed = NETDP_I_NEW(double, (int64_t)r *r);
    m->see = NETDP_I_NEW(double, (int64_t)gain->rank *r);
    m->e = NETDP_I_NEW(double, r);
    m->next = NETDP_I_NEW(double, r);
    netdp_status status = netdp_i_response_new(s->gains->filter, r, &unit, error);
    if (status == NETDP_OK &&
        (m->closed == NULL || m->see == NULL || m->e == NULL || m->next == NULL))
        status = netdp_i_no_memory(error);
    if (status == NETDP_OK) {
        for (int64_t k = 0; k < r; k++)
            unit.e[k * r + k] = 1;
        netdp_i_response_learn(&unit, gain);
        netdp_i_response_predict(&unit);
        for (int64_t k = 0; k < r; k++) {
            for (int64_t i = 0; i < r; i++)
                m->closed[i * r + k] = unit.e[k * r + i];
            for (int64_t j = 0; j < gain->rank; j++)
                m->see[j * r + k] = unit.w[k * unit.seen + j];
        }
    }
    netdp_i_response_clear(&unit);
    return status;
}

/* One steady round; returns |w|^2. */
static double small_round(small *m, const double *b, double amount)
{
    const int r = m->modes;
    double sum = 0;
    for (int j = 0; j < m->rank; j++) {
        double w = 0;
        for (int k = 0; k < r; k++)
            w += m->see[(int64_t)j * r + k] * m->e[k];
        sum += w * w;
    }
    for (int i = 0; i < r; i++) {
        double next = amount * b[i];
        for (int k = 0; k < r; k++)
            next += m->closed[(int64_t)i * r + k] * m->e[k];
        m->next[i] = next;
    }
    double *swap = m->e;
    m->e = m->next;
    m->next = swap;
    return sum;
}

/* c of round t, 0 in rounds without a contribution. */
static double amount_at(const stream *s, const double *pattern, int64_t t)
{
    if (t >= s->protocol->rounds || !netdp_linear_contributes(s->protocol, t))
        return 0;
    return pattern[s->protocol->every > 0 ? t / s->protocol->every : 0];
}

/* Rounds first .. rounds-1 of one node through the small maps; E goes in and out. */
static netdp_status run_small(const stream *s, const double *pattern, int32_t i, double *e,
                              int64_t first, double *loss, const netdp_progress *progress,
                              netdp_error *error)
{
    enum { CHUNK = 1 << 16 };
    const int64_t r = s->basis->modes;
    small m = {0};
    netdp_status status = small_new(s, netdp_i_gains_at(s->gains, s->protocol->rounds), &m, error);
    if (status == NETDP_OK)
        memcpy(m.e, e, (size_t)r * sizeof *e);
    for (int64_t t = first; status == NETDP_OK && t < s->protocol->rounds; t++) {
        *loss += small_round(&m, s->basis->rows + s->from[i] * r, amount_at(s, pattern, t + 1));
        if (t % CHUNK == 0)
            status =
                netdp_i_report(progress, "rounds", (double)t, (double)s->protocol->rounds, error);
    }
    if (status == NETDP_OK)
        memcpy(e, m.e, (size_t)r * sizeof *e);
    small_clear(&m);
    return status;
}

static netdp_status run_pattern(const stream *s, const double *pattern, double *loss,
                                const netdp_progress *progress, netdp_error *error)
{
    const int64_t rounds = s->protocol->rounds;
    netdp_i_response response = {0};
    netdp_status status = netdp_i_response_new(s->gains->filter, s->count, &response, error);
    if (status != NETDP_OK)
        return status;
    memset(loss, 0, (size_t)s->count * sizeof *loss);
    netdp_i_response_contribute(&response, s->basis, s->from, amount_at(s, pattern, 0));
    const bool shrink = s->gains->steady && s->basis->modes <= 64;
    const int64_t stop = shrink ? s->gains->count : rounds;
    for (int64_t t = 0; status == NETDP_OK && t < stop; t++) {
        const netdp_i_gain *gain = netdp_i_gains_at(s->gains, t);
        netdp_i_response_learn(&response, gain);
        for (int64_t i = 0; i < s->count; i++)
            loss[i] += square(&response, gain->rank, i);
        netdp_i_response_predict(&response);
        netdp_i_response_contribute(&response, s->basis, s->from, amount_at(s, pattern, t + 1));
        status = netdp_i_report(progress, "rounds", (double)t, (double)rounds, error);
    }
    for (int32_t i = 0; status == NETDP_OK && shrink && i < s->count; i++)
        status = run_small(s, pattern, i, response.e + (int64_t)i * response.modes, stop, &loss[i],
                           progress, error);
    if (status == NETDP_OK && s->last_sum) {
        netdp_i_response_learn(&response, &s->gains->last);
        for (int64_t i = 0; i < s->count; i++)
            loss[i] += square(&response, s->gains->last.rank, i);
    }
    for (int64_t i = 0; i < s->count; i++)
        if (response.told[i])
            loss[i] = INFINITY;
    netdp_i_response_clear(&response);
    return status;
}

/* ---- Every contribution apart: M of each node ---- */

typedef struct block {
    netdp_i_response response, after; /* after: for the last sum, which leaves E alone */
    int32_t nodes;
    int64_t lines; /* rows of a node's responses: (rounds + last_sum) * seen */
    double *w;     /* [BLOCK][slots][lines] */
    double *m;     /* [slots][slots] */
    netdp_i_quadratic *quadratic;
} block;

static void block_clear(block *b)
{
    netdp_i_response_clear(&b->response);
    netdp_i_response_clear(&b->after);
    netdp_i_free(b->w);
    netdp_i_free(b->m);
    netdp_i_quadratic_free(b->quadratic);
}

static netdp_status block_new(const stream *s, int32_t nodes, block *b, netdp_error *error)
{
    *b = (block){.nodes = nodes, .lines = (s->protocol->rounds + (s->last_sum ? 1 : 0)) * s->span};
    netdp_status status = netdp_i_response_new(s->gains->filter, nodes, &b->response, error);
    if (status == NETDP_OK)
        status = netdp_i_response_new(s->gains->filter, nodes, &b->after, error);
    if (status == NETDP_OK)
        status = netdp_i_quadratic_new(s->slots, &b->quadratic, error);
    if (status != NETDP_OK)
        return status;
    b->w = NETDP_I_NEW(double, (int64_t)nodes * s->slots * b->lines);
    b->m = NETDP_I_NEW(double, (int64_t)s->slots * s->slots);
    return b->w == NULL || b->m == NULL ? netdp_i_no_memory(error) : NETDP_OK;
}

static void store(const stream *s, block *b, int32_t slot, int64_t round,
                  const netdp_i_response *response, int rank)
{
    for (int32_t i = 0; i < b->nodes; i++)
        memcpy(b->w + ((int64_t)i * s->slots + slot) * b->lines + round * s->span,
               response->w + (int64_t)i * response->seen, (size_t)rank * sizeof(double));
}

/* A contribution under the steady gain responds like the first such one, later. */
static void shift(const stream *s, block *b, int32_t slot, int32_t from_slot, int64_t rounds_later)
{
    const int64_t rounds = s->protocol->rounds, start = from_slot * s->protocol->every;
    for (int32_t i = 0; i < b->nodes; i++) {
        double *to = b->w + ((int64_t)i * s->slots + slot) * b->lines;
        const double *as = b->w + ((int64_t)i * s->slots + from_slot) * b->lines;
        memcpy(to + (start + rounds_later) * s->span, as + start * s->span,
               (size_t)((rounds - start - rounds_later) * s->span) * sizeof *to);
    }
}

/* The responses of one slot from its round to the end. */
static void respond(const stream *s, block *b, int32_t slot, const int32_t *from, double *sums)
{
    const int64_t start = slot * s->protocol->every, rounds = s->protocol->rounds;
    memset(b->response.e, 0, (size_t)b->response.modes * (size_t)b->nodes * sizeof *b->response.e);
    netdp_i_response_contribute(&b->response, s->basis, from, 1);
    for (int64_t t = start; t < rounds; t++) {
        const netdp_i_gain *gain = netdp_i_gains_at(s->gains, t);
        netdp_i_response_learn(&b->response, gain);
        store(s, b, slot, t, &b->response, gain->rank);
        netdp_i_response_predict(&b->response);
        if (sums != NULL) { /* the last sum, were this the last round: by age */
            memcpy(b->after.e, b->response.e,
                   (size_t)b->response.modes * (size_t)b->nodes * sizeof *b->after.e);
            netdp_i_response_learn(&b->after, &s->gains->last);
            memcpy(sums + (t - start) * b->nodes * s->span, b->after.w,
                   (size_t)b->nodes * (size_t)s->span * sizeof *sums);
        }
    }
    if (s->last_sum) {
        netdp_i_response_learn(&b->response, &s->gains->last);
        store(s, b, slot, rounds, &b->response, s->gains->last.rank);
    }
}

static void store_sum(const stream *s, block *b, int32_t slot, const double *sums)
{
    const int64_t age = s->protocol->rounds - 1 - slot * s->protocol->every;
    for (int32_t i = 0; i < b->nodes; i++)
        memcpy(b->w + ((int64_t)i * s->slots + slot) * b->lines + s->protocol->rounds * s->span,
               sums + (age * b->nodes + i) * s->span, (size_t)s->gains->last.rank * sizeof(double));
}

static netdp_status respond_all(const stream *s, block *b, const int32_t *from, netdp_error *error)
{
    /* The first slot at which the gain is steady, if there is one. */
    int32_t steady = s->slots;
    if (s->gains->steady)
        steady = (int32_t)((s->gains->count - 1 + s->protocol->every - 1) / s->protocol->every);
    double *sums = NULL;
    if (s->last_sum && steady < s->slots) {
        sums = NETDP_I_NEW(double, s->protocol->rounds * b->nodes * s->span);
        if (sums == NULL)
            return netdp_i_no_memory(error);
    }
    for (int32_t slot = 0; slot < s->slots; slot++) {
        if (slot <= steady) {
            respond(s, b, slot, from, slot == steady ? sums : NULL);
            continue;
        }
        shift(s, b, slot, steady, (slot - steady) * s->protocol->every);
        if (s->last_sum)
            store_sum(s, b, slot, sums);
    }
    netdp_i_free(sums);
    return NETDP_OK;
}

netdp_status netdp_i_stream_bound(netdp_i_quadratic *quadratic, netdp_bound bound, double *m,
                                  int32_t slots, int32_t most, double *loss, netdp_error *error)
{
    const int64_t n = slots;
    double spectral = INFINITY, dual = INFINITY;
    netdp_status status = NETDP_OK;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            m[i * n + j] = m[j * n + i];
    switch (bound) {
    case NETDP_BOUND_LOWER:
        *loss = netdp_i_quadratic_lower(quadratic, m, slots, most);
        return NETDP_OK;
    case NETDP_BOUND_ABS_SUM:
        *loss = netdp_i_quadratic_abs_sum(quadratic, m, slots, most);
        return NETDP_OK;
    case NETDP_BOUND_SPECTRAL:
        return netdp_i_quadratic_spectral(quadratic, m, slots, most, loss, error);
    case NETDP_BOUND_DUAL:
        return netdp_i_quadratic_dual(quadratic, m, slots, most, loss, error);
    default:
        break;
    }
    *loss = fmin(most, netdp_i_quadratic_abs_sum(quadratic, m, slots, most));
    /* Where M has no negative entry the sum of its entries is attained: nothing is smaller. */
    bool attained = most == slots;
    for (int64_t k = 0; attained && k < n * n; k++)
        attained = m[k] >= 0;
    if (attained)
        return NETDP_OK;
    status = netdp_i_quadratic_spectral(quadratic, m, slots, most, &spectral, error);
    if (status == NETDP_OK)
        status = netdp_i_quadratic_dual(quadratic, m, slots, most, &dual, error);
    *loss = fmin(*loss, fmin(spectral, dual));
    return status;
}

static netdp_status bound_block(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    const stream *s = context;
    const int32_t first = (int32_t)index * s->block;
    const int32_t nodes = s->count - first < s->block ? s->count - first : s->block;
    block b = {0};
    netdp_status status = block_new(s, nodes, &b, error);
    if (status == NETDP_OK)
        status = respond_all(s, &b, s->from + first, error);
    for (int32_t i = 0; status == NETDP_OK && i < nodes; i++) {
        /* w is [slots][lines] row-major: M = w w^T, of a column-major lines x slots matrix. */
        cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, s->slots, (int)b.lines, 1,
                    b.w + (int64_t)i * s->slots * b.lines, (int)b.lines, 0, b.m, s->slots);
        status = netdp_i_stream_bound(b.quadratic, s->bound, b.m, s->slots, s->most,
                                      &s->loss[first + i], error);
        if (b.response.told[i])
            s->loss[first + i] = INFINITY;
    }
    block_clear(&b);
    return status;
}

/* ---- Long streams ---- */

static netdp_status convolve_node(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    const stream *s = context;
    netdp_i_convolution bounds;
    netdp_status status =
        netdp_i_convolve(s->protocol, s->basis, s->gains, s->from[index], &bounds, error);
    if (status == NETDP_OK)
        s->loss[index] = s->bound == NETDP_BOUND_ABS_SUM    ? bounds.abs_sum
                         : s->bound == NETDP_BOUND_SPECTRAL ? bounds.spectral
                         : s->bound == NETDP_BOUND_LOWER    ? bounds.peak
                                                            : fmin(bounds.abs_sum, bounds.spectral);
    return status;
}

/* Ones, alternating, and the sign of a cosine; a node that may use fewer takes the last ones. */
static void fill_pattern(const stream *s, double omega, double *pattern)
{
    const int64_t slots = (s->protocol->rounds - 1) / s->protocol->every + 1;
    const int64_t most = netdp_linear_contributions(s->protocol);
    for (int64_t k = 0; k < slots; k++)
        pattern[k] = k < slots - most ? 0 : cos(omega * (double)k) >= 0 ? 1 : -1;
}

/* The best of three patterns, the third at the node's own worst frequency (left in loss). */
static netdp_status lower_long(stream *s, const netdp_progress *progress, netdp_error *error)
{
    const int32_t count = s->count;
    const int32_t *from = s->from;
    double *pattern = NETDP_I_NEW(double, (s->protocol->rounds - 1) / s->protocol->every + 1);
    double *best = NETDP_I_NEW(double, count), *value = NETDP_I_NEW(double, count);
    netdp_status status = NETDP_OK;
    if (pattern == NULL || best == NULL || value == NULL)
        status = netdp_i_no_memory(error);
    for (int both = 0; status == NETDP_OK && both < 2; both++) {
        fill_pattern(s, both == 0 ? 0 : M_PI, pattern);
        status = run_pattern(s, pattern, value, progress, error);
        for (int32_t i = 0; status == NETDP_OK && i < count; i++)
            best[i] = fmax(best[i], value[i]);
    }
    for (int32_t i = 0; status == NETDP_OK && i < count; i++) {
        fill_pattern(s, s->loss[i], pattern);
        s->from = from + i;
        s->count = 1;
        status = run_pattern(s, pattern, value, progress, error);
        best[i] = fmax(best[i], value[0]);
    }
    s->from = from;
    s->count = count;
    if (status == NETDP_OK)
        memcpy(s->loss, best, (size_t)count * sizeof *best);
    netdp_i_free(pattern);
    netdp_i_free(best);
    netdp_i_free(value);
    return status;
}

static netdp_status bound_long(stream *s, const netdp_progress *progress, netdp_error *error)
{
    if (!s->gains->steady)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "the gain of %lld rounds does not become steady, and more than %d "
                            "contributions are bounded only where it does; use fewer rounds or "
                            "--bound everything",
                            (long long)s->protocol->rounds, EXPLICIT);
    if (s->bound == NETDP_BOUND_DUAL)
        return netdp_i_fail(error, NETDP_INVALID,
                            "bound: dual is for up to %d contributions; use upper", EXPLICIT);
    netdp_status status = netdp_i_for_each(s->count, convolve_node, s, progress, "nodes", error);
    if (status == NETDP_OK && s->bound == NETDP_BOUND_LOWER)
        return lower_long(s, progress, error);
    const double most = (double)netdp_linear_contributions(s->protocol);
    for (int32_t i = 0; s->bound == NETDP_BOUND_UPPER && i < s->count; i++)
        s->loss[i] = fmin(s->loss[i], most);
    return status;
}

netdp_status netdp_i_stream(const netdp_linear *protocol, const netdp_i_basis *basis,
                            const netdp_i_observer *observer, netdp_bound bound,
                            const double *pattern, const int32_t *from, int32_t count, double *loss,
                            const netdp_progress *progress, netdp_error *error)
{
    netdp_i_gains gains = {0};
    netdp_status status = netdp_i_gains_new(protocol, basis, observer, &gains, progress, error);
    if (status != NETDP_OK)
        return status;
    const int64_t slots = (protocol->rounds - 1) / protocol->every + 1;
    stream s = {.protocol = protocol,
                .basis = basis,
                .from = from,
                .count = count,
                .bound = bound,
                .gains = &gains,
                .loss = loss,
                .slots = slots > EXPLICIT ? EXPLICIT : (int32_t)slots,
                .span = observer->seen_count,
                .most = (int32_t)fmin(EXPLICIT, (double)netdp_linear_contributions(protocol)),
                .last_sum = observer->last_sum};
    const double each = 8.0 * s.slots * ((double)protocol->rounds + 1) * (double)s.span;
    s.block = (int32_t)fmax(1, fmin(BLOCK, BLOCK_BYTES / each));
    if (pattern != NULL)
        status = run_pattern(&s, pattern, loss, progress, error);
    else if (slots > EXPLICIT)
        status = bound_long(&s, progress, error);
    else
        status = netdp_i_for_each((count + s.block - 1) / s.block, bound_block, &s, progress,
                                  "nodes", error);
    netdp_i_gains_clear(&gains);
    return status;
}

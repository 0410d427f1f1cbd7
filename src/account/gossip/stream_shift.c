/* Bounds of streams from how far noise must move for each contribution (docs/proofs/shift.md, "Streams"). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "account/gossip/stream.h"
#include "account/gossip/dual_bound.h"
#include "account/shift/stream.h"
#include "base/fail.h"
#include "base/pool.h"
#include "base/try.h"

/* Of one observer set. */
typedef struct shifted {
    const netdp_i_sources *of;
    netdp_bound bound;
    int32_t slots, most;
    int32_t trim; /* above 0: of spectral bounds so many of the last contributions count apart */
    netdp_i_dual *quadratic;
    double *drift;   /* [slots] */
    double *weights; /* [slots] */
    double *before;  /* [slots][slots], with trim */
} shifted;

/*
 * Spectral of a segment: its last contributions are told alone, and would set the largest eigenvalue for all. With diag(y) above M, from the vector relaxation,
 * so is diag(max(y, rate)) for any rate: the largest eigenvalue of all contributions before.
 */
static netdp_status count_ends_apart(const shifted *s, const netdp_i_stream_proof *proof,
                                     const netdp_i_stream_matrix *of, double *loss,
                                     netdp_error *error)
{
    const int64_t n = s->slots, trim = s->trim < n / 4 ? s->trim : n / 4, size = n - trim;
    double rate = 0;
    for (int64_t i = 0; i < size; i++)
        memcpy(s->before + i * size, of->m + i * n, (size_t)size * sizeof *s->before);
    TRY(netdp_i_dual_spectral(s->quadratic, s->before, (int32_t)size, 1, &rate, error));
    TRY(netdp_i_dual_diagonal(s->quadratic, of->m, s->slots, false, s->weights, error));
    for (int64_t k = 0; k < n; k++)
        s->weights[k] = fmax(s->weights[k], rate);
    const double sum = netdp_i_sum_largest(s->weights, n, 0, 0, s->most) *
                           (1 + 2.02 * ((double)n + 4) * (DBL_EPSILON / 2)) +
                       netdp_i_stream_gram_error(proof, of->m, n, false);
    *loss = fmin(*loss, netdp_i_stream_outward(proof, of->drift, sum));
    return NETDP_OK;
}

static netdp_status take(void *context, const netdp_i_shift_products *products, netdp_error *error)
{
    const shifted *s = context;
    const netdp_i_stream_proof proof = {
        .holds = true, .terms = products->terms, .beside = s->slots};
    double loss = INFINITY, trace = 0;
    for (int32_t k = 0; k < s->slots; k++) {
        if (!isfinite(products->off[k])) /* no story: what it proves is nothing */
            return NETDP_OK;
        s->drift[k] = products->off[k];
        trace += products->m[(int64_t)k * s->slots + k];
    }
    const netdp_i_stream_matrix of = {products->m, s->slots, s->most,
                                      netdp_i_sum_largest(s->drift, s->slots, 0, 0, s->most)};
    if (trace == 0 && of.drift == 0) { /* nobody hears of it */
        s->of->loss[products->index] = 0;
        return NETDP_OK;
    }
    TRY(netdp_i_stream_bound_proven(s->quadratic, &proof, &of, s->bound, &loss, error));
    if (s->bound == NETDP_BOUND_SPECTRAL && s->trim > 0)
        TRY(count_ends_apart(s, &proof, &of, &loss, error));
    double *least = &s->of->loss[products->index];
    *least = loss < *least ? loss : *least; /* not where it is NaN */
    return NETDP_OK;
}

bool netdp_i_stream_is_long(const netdp_linear *p)
{
    return p->every > 0 && (p->rounds - 1) / p->every >= NETDP_I_EXPLICIT;
}

bool netdp_i_stream_can_shift(const netdp_linear *p, netdp_bound bound)
{
    return p->every > 0 && !p->reacts && !p->accelerate && !p->senders_only && p->noise.end == 0 &&
           (!netdp_i_stream_is_long(p) || p->varying.kind == NETDP_VARY_NEVER) &&
           (p->rounds == 1 || p->every == 1 || netdp_linear_least_noise(p) > 0) &&
           (bound == NETDP_BOUND_UPPER || bound == NETDP_BOUND_ABS_SUM ||
            bound == NETDP_BOUND_SPECTRAL || bound == NETDP_BOUND_DUAL);
}

/* Of one stretch of rounds, with `slots` contributions of which a node makes `most`. */
static netdp_status bound_stretch(const netdp_linear *protocol, const netdp_i_shift_view *view,
                                  shifted s, const netdp_progress *progress, netdp_error *error)
{
    const netdp_i_sources *of = s.of;
    const netdp_i_shift_sink sink = {s.slots, take, &s};
    CLEARED(netdp_i_shift_problem_clear) netdp_i_shift_problem problem = {0};
    CLEARED(netdp_i_pool_clear) netdp_i_pool pool = {0};
    OWNED_BY(netdp_i_dual_free) netdp_i_dual *quadratic = NULL;
    TRY(netdp_i_shift_problem_new(protocol, view, &problem, error));
    s.drift = NETDP_I_TAKE(&pool, double, s.slots);
    s.weights = NETDP_I_TAKE(&pool, double, s.slots);
    s.before = NETDP_I_TAKE(&pool, double, s.trim > 0 ? (int64_t)s.slots * s.slots : 0);
    TRY(netdp_i_pool_made(&pool, error));
    TRY(netdp_i_dual_new(s.slots, &quadratic, error));
    s.quadratic = quadratic;
    for (int32_t i = 0; i < of->count; i++)
        of->loss[i] = problem.apart ? (double)s.most : INFINITY;
    if (problem.apart)
        return NETDP_OK;
    const netdp_status status = netdp_i_shift_stream(&problem, of, &sink, progress, error);
    for (int32_t i = 0; i < of->count; i++)
        if (!(of->loss[i] < INFINITY))
            of->loss[i] = s.most;
    return status == NETDP_NO_ANSWER ? NETDP_OK : status;
}

/* `count` segments of `length` contributions each are worth as much as one is, so many times. */
static netdp_status add_segments(const netdp_linear *protocol, const netdp_i_shift_view *view,
                                 const shifted *s, int64_t count, double *total,
                                 const netdp_progress *progress, netdp_error *error)
{
    if (count > 0)
        TRY(bound_stretch(protocol, view, *s, progress, error));
    for (int32_t i = 0; count > 0 && i < s->of->count; i++)
        total[i] =
            (total[i] + (double)count * fmin(s->of->loss[i], s->most)) * (1 + 2 * DBL_EPSILON);
    return NETDP_OK;
}

/* Segments of s->length, and what is left: as one more, or so short that it is a stream of its own. */
static netdp_status bound_segments(const netdp_linear *protocol, const netdp_i_shift_view *view,
                                   netdp_bound bound, const netdp_i_sources *of,
                                   const netdp_i_stream_segments *by,
                                   const netdp_progress *progress, netdp_error *error)
{
    const int64_t slots = (view->rounds - 1) / view->every + 1,
                  most = netdp_linear_contributions(protocol);
    const int64_t count = slots / by->length, left = slots % by->length;
    netdp_i_shift_view closed = *view, rest = *view;
    shifted s = {.of = of, .bound = bound, .trim = (int32_t)(by->kept / 2)};
    OWNED double *total = NETDP_I_NEW(double, of->count);
    if (total == NULL)
        return netdp_i_no_memory(error);
    closed.closes = true;
    closed.rounds = (by->kept - 1) * view->every + 1;
    rest.rounds -= count * by->length * view->every;
    if (left >= by->kept)
        rest = closed;
    s.slots = (int32_t)by->length;
    s.most = (int32_t)(most < s.slots ? most : s.slots);
    TRY(add_segments(protocol, &closed, &s, count, total, progress, error));
    s.slots = (int32_t)left;
    s.most = (int32_t)(most < s.slots ? most : s.slots);
    TRY(add_segments(protocol, &rest, &s, left > 0, total, progress, error));
    for (int32_t i = 0; i < of->count; i++)
        of->loss[i] = fmin(total[i], (double)most);
    return NETDP_OK;
}

netdp_status netdp_i_stream_shifted(const netdp_linear *protocol, const netdp_i_shift_view *view,
                                    netdp_bound bound, const netdp_i_sources *of,
                                    const netdp_i_stream_segments *by,
                                    const netdp_progress *progress, netdp_error *error)
{
    const shifted whole = {.of = of,
                           .bound = bound,
                           .slots = (int32_t)((view->rounds - 1) / view->every + 1),
                           .most = (int32_t)netdp_linear_contributions(protocol)};
    return by != NULL ? bound_segments(protocol, view, bound, of, by, progress, error)
                      : bound_stretch(protocol, view, whole, progress, error);
}

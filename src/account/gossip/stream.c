/*
 * Contributions c_k in rounds k of a schedule: the observer's whitened innovations respond with
 * sum_k c_k w^{(k)}, so the loss is c^T M c with M_kl the inner product of w^{(k)} and w^{(l)} over
 * all rounds. M is formed node by node up to NETDP_I_EXPLICIT contributions and bounded
 * (dual_bound.h); of more, patterns have their values.
 */
#include "account/gossip/stream.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "account/gossip/matrices.h"
#include "account/gossip/pattern_value.h"
#include "account/gossip/dual_bound.h"
#include "account/gossip/stream_proof.h"
#include "account/observe/directions.h"
#include "account/observe/gains.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"

/* Nodes are taken in blocks of up to BLOCK; of a long stream the signs of so many cosines are tried. */
enum { BLOCK = 8, COSINES = 9 };

/* A sum of lengths is right to so many units in the last place a contribution. */
#define ROUNDINGS 8.0

/* The responses that a thread holds may take this many bytes. */
#define BLOCK_BYTES 2.5e8

typedef struct stream {
    const netdp_linear *protocol;
    const netdp_i_basis *basis;
    const int32_t *from;
    int32_t count;
    netdp_bound bound;
    const netdp_i_gains *gains;
    const netdp_i_ages *shown;
    double *loss;
    int32_t slots, most; /* of M: contribution rounds, and how many of them a node uses */
    int32_t early;       /* of a proof: slots before the gain is steady */
    const netdp_i_stream_proof *proof; /* NULL: rounding is not added */
    int32_t block;                     /* nodes taken together: their responses must fit */
    const netdp_progress *progress;
} stream;

static int64_t slots_of(const netdp_linear *protocol)
{
    return (protocol->rounds - 1) / protocol->every + 1;
}

static void mirror(double *m, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            m[i * n + j] = m[j * n + i];
}

/* ---- Every contribution apart: M of each node ---- */

netdp_status netdp_i_stream_bound(netdp_i_dual *quadratic, netdp_bound bound, double *m,
                                  int32_t slots, int32_t most, double *loss, netdp_error *error)
{
    const int64_t n = slots;
    double spectral = INFINITY, dual = INFINITY;
    mirror(m, n);
    switch (bound) {
    case NETDP_BOUND_LOWER:
        *loss = netdp_i_dual_lower(quadratic, m, slots, most);
        return NETDP_OK;
    case NETDP_BOUND_ABS_SUM:
        *loss = netdp_i_dual_abs_sum(quadratic, m, slots, most);
        return NETDP_OK;
    case NETDP_BOUND_SPECTRAL:
        return netdp_i_dual_spectral(quadratic, m, slots, most, loss, error);
    case NETDP_BOUND_DUAL:
        return netdp_i_dual_bound(quadratic, m, slots, most, loss, error);
    default:
        break;
    }
    const double absolute = netdp_i_dual_abs_sum(quadratic, m, slots, most);
    *loss = fmin(most, absolute);
    if (most == slots && netdp_i_dual_attained(netdp_i_dual_signs(m, slots), absolute))
        return NETDP_OK;
    TRY(netdp_i_dual_spectral(quadratic, m, slots, most, &spectral, error));
    TRY(netdp_i_dual_bound(quadratic, m, slots, most, &dual, error));
    *loss = fmin(*loss, fmin(spectral, dual));
    return NETDP_OK;
}

netdp_status netdp_i_stream_bound_proven(netdp_i_dual *quadratic, const netdp_i_stream_proof *proof,
                                         const netdp_i_stream_matrix *of, netdp_bound bound,
                                         double *loss, netdp_error *error)
{
    const bool all = bound == NETDP_BOUND_UPPER;
    const int32_t slots = of->slots, most = of->most;
    double least = INFINITY, value = INFINITY, *m = of->m;
    bool done = !proof->holds;
    mirror(m, slots);
    if (!done && (all || bound == NETDP_BOUND_ABS_SUM)) {
        const double sum = netdp_i_dual_abs_sum(quadratic, m, slots, most);
        least = sum * (1 + 2.0 * slots * DBL_EPSILON);
        done = most == slots && netdp_i_dual_attained(netdp_i_dual_signs(m, slots), sum);
    }
    if (!done && (all || bound == NETDP_BOUND_DUAL)) {
        TRY(netdp_i_dual_proven(quadratic, m, slots, most, false, &value, error));
        least = fmin(least, value);
    }
    least += netdp_i_stream_gram_error(proof, m, slots, false);
    if (!done && (all || bound == NETDP_BOUND_SPECTRAL)) {
        TRY(netdp_i_dual_proven(quadratic, m, slots, most, true, &value, error));
        least = fmin(least, value + most * netdp_i_stream_gram_error(proof, m, slots, true));
    }
    least = netdp_i_stream_outward(proof, of->drift, least);
    *loss = all || !proof->holds ? fmin(most, least) : least;
    return NETDP_OK;
}

/* What a node's account takes: of a thread. */
typedef struct room {
    netdp_i_matrices *matrices;
    netdp_i_dual *quadratic;
    double *m; /* [slots + 1][slots]: the last row of what the last sum shows */
    int thread;
} room;

static double *m_new(const stream *s)
{
    return NETDP_I_NEW(double, ((int64_t)s->slots + 1) * s->slots);
}

/* Contributions times the largest eigenvalue of m, with what its own arithmetic and m's may have lost. */
static netdp_status times_largest(const stream *s, const room *r, double *value, netdp_error *error)
{
    const bool proves = s->proof != NULL && s->proof->holds;
    mirror(r->m, s->slots);
    netdp_status status =
        proves ? netdp_i_dual_proven(r->quadratic, r->m, s->slots, s->most, true, value, error)
               : netdp_i_dual_spectral(r->quadratic, r->m, s->slots, s->most, value, error);
    if (proves)
        *value += s->most * netdp_i_stream_gram_error(s->proof, r->m, s->slots, true);
    return status;
}

/*
 * The last sum brings no new noise and may tell much of a few contributions, which would set the eigenvalue for all: it
 * counts apart, by (sum |c_k| |its response|)^2, where that is less, as of a long stream.
 */
static netdp_status bound_spectral(const stream *s, const room *r, int32_t node, double *loss,
                                   netdp_error *error)
{
    double apart = INFINITY, together = INFINITY, *last = r->m + (int64_t)s->slots * s->slots;
    netdp_i_matrices_apart(r->matrices, node, r->thread, r->m, last);
    const double heard = netdp_i_sum_largest(last, s->slots, 0, 0, s->most);
    TRY(times_largest(s, r, &apart, error));
    apart += heard * heard * (1 + ROUNDINGS * s->slots * DBL_EPSILON);
    if (heard > 0) {
        netdp_i_matrices_fill(r->matrices, node, r->thread, r->m);
        TRY(times_largest(s, r, &together, error));
    }
    *loss = fmin(apart, together);
    return NETDP_OK;
}

/* The asked bound of one node, with what rounding may have lost. */
static netdp_status bound_proven(const stream *s, const room *r, int32_t node, double drift,
                                 double *loss, netdp_error *error)
{
    const netdp_i_stream_matrix of = {r->m, s->slots, s->most, drift};
    if (!s->proof->holds || s->bound != NETDP_BOUND_SPECTRAL) {
        netdp_i_matrices_fill(r->matrices, node, r->thread, r->m);
        return netdp_i_stream_bound_proven(r->quadratic, s->proof, &of, s->bound, loss, error);
    }
    TRY(bound_spectral(s, r, node, loss, error));
    *loss = fmin(s->most, netdp_i_stream_outward(s->proof, drift, *loss));
    return NETDP_OK;
}

static double drift_of(const stream *s, const netdp_i_matrices *matrices, int32_t i)
{
    const netdp_i_states states = netdp_i_matrices_states(matrices, i);
    return netdp_i_stream_drift(s->proof, &states, s->early, s->slots - s->early);
}

/* One node of a block that is followed forward. */
static netdp_status bound_node(const stream *s, const room *r, int32_t first, int32_t i,
                               netdp_error *error)
{
    double *loss = &s->loss[first + i];
    if (s->proof != NULL) {
        TRY(bound_proven(s, r, i, drift_of(s, r->matrices, i), loss, error));
    } else if (s->bound == NETDP_BOUND_SPECTRAL) {
        TRY(bound_spectral(s, r, i, loss, error));
        *loss = fmin(s->most, *loss);
    } else {
        netdp_i_matrices_fill(r->matrices, i, 0, r->m);
        TRY(netdp_i_stream_bound(r->quadratic, s->bound, r->m, s->slots, s->most, loss, error));
    }
    if (netdp_i_matrices_told(r->matrices, i))
        *loss = INFINITY;
    return netdp_i_poll(s->progress, error);
}

static void room_clear(room *r)
{
    netdp_i_matrices_free(r->matrices);
    netdp_i_dual_free(r->quadratic);
    netdp_i_free(r->m);
}

static netdp_status bound_block(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    const stream *s = context;
    const int32_t first = (int32_t)index * s->block;
    const int32_t nodes = s->count - first < s->block ? s->count - first : s->block;
    CLEARED(room_clear) room r = {.m = m_new(s)};
    if (r.m == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_dual_new(s->slots, &r.quadratic, error));
    TRY(netdp_i_matrices_new(s->protocol, s->gains, s->shown, s->from + first, nodes, &r.matrices,
                             s->progress, error));
    for (int32_t i = 0; i < nodes; i++)
        TRY(bound_node(s, &r, first, i, error));
    return NETDP_OK;
}

static netdp_status bound_blocks(stream *s, const netdp_i_ages *shown, int32_t seen,
                                 const netdp_progress *progress, netdp_error *error)
{
    const double each = netdp_i_matrices_bytes(s->protocol, shown, seen);
    s->shown = shown;
    s->block = (int32_t)fmax(1, fmin(BLOCK, BLOCK_BYTES / each));
    return netdp_i_for_each((s->count + s->block - 1) / s->block, bound_block, s, progress, "nodes",
                            error);
}

static netdp_status bound_short(stream *s, int32_t seen, const netdp_progress *progress,
                                netdp_error *error)
{
    CLEARED(netdp_i_ages_clear) netdp_i_ages shown = {0};
    TRY(netdp_i_ages_new(s->protocol, s->gains, &shown, progress, error));
    return bound_blocks(s, &shown, seen, progress, error);
}

/* ---- Long streams ---- */

/* The sign of a cosine, ones and alternating signs too; a node that may use fewer takes the last ones. */
static void fill_pattern(const stream *s, double omega, double *pattern)
{
    const int64_t slots = slots_of(s->protocol);
    const int64_t most = netdp_linear_contributions(s->protocol);
    for (int64_t k = 0; k < slots; k++)
        pattern[k] = k < slots - most ? 0 : cos(omega * (double)k) >= 0 ? 1 : -1;
}

/* The best of a few patterns. */
static netdp_status lower_long(const stream *s, const netdp_progress *progress, netdp_error *error)
{
    OWNED double *pattern = NETDP_I_NEW(double, slots_of(s->protocol));
    OWNED double *value = NETDP_I_NEW(double, s->count);
    const netdp_i_sources all = {s->count, s->from, value};
    if (pattern == NULL || value == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < s->count; i++)
        s->loss[i] = 0;
    for (int k = 0; k < COSINES; k++) {
        fill_pattern(s, M_PI * k / (COSINES - 1), pattern);
        TRY(netdp_i_pattern_value(s->protocol, s->basis, s->gains, pattern, &all, progress, error));
        for (int32_t i = 0; i < s->count; i++)
            s->loss[i] = fmax(s->loss[i], value[i]);
    }
    return NETDP_OK;
}

static netdp_status account(const netdp_linear *protocol, const netdp_i_basis *basis,
                            const netdp_i_observer *observer, const netdp_i_stream_asked *asked,
                            const netdp_i_sources *of, const netdp_progress *progress,
                            netdp_error *error)
{
    const netdp_bound bound = asked->bound;
    const double *pattern = asked->pattern;
    const bool is_long = netdp_i_stream_is_long(protocol);
    /* A gain that is held overstates: good for bounds from above. */
    int64_t longest = protocol->rounds;
    if (pattern == NULL && bound != NETDP_BOUND_LOWER) {
        const int64_t fits = netdp_i_gains_room(basis, observer);
        longest = longest < fits ? longest : fits;
    }
    CLEARED(netdp_i_gains_clear) netdp_i_gains gains = {0};
    TRY(netdp_i_gains_new(protocol, basis, observer, longest, &gains, progress, error));
    stream s = {.protocol = protocol,
                .basis = basis,
                .from = of->node,
                .count = of->count,
                .bound = bound,
                .gains = &gains,
                .loss = of->loss,
                .slots = is_long ? 0 : (int32_t)slots_of(protocol),
                .most = is_long ? 0 : (int32_t)netdp_linear_contributions(protocol),
                .progress = progress};
    if (pattern != NULL)
        return netdp_i_pattern_value(protocol, basis, &gains, pattern, of, progress, error);
    if (is_long && bound == NETDP_BOUND_LOWER)
        return lower_long(&s, progress, error);
    if (is_long)
        return netdp_i_fail(error, NETDP_NO_ANSWER, "a stream: at most %d contributions",
                            NETDP_I_EXPLICIT);
    return bound_short(&s, observer->seen_count, progress, error);
}

/* ---- All sources together ---- */

/* A block of nodes whose rows were followed backwards; of each thread what it needs. */
typedef struct together {
    const stream *stream;
    int threads;
    netdp_i_matrices *matrices;
    netdp_i_dual **quadratic; /* [threads] */
    double **m;               /* [threads][slots + 1][slots] */
    double drift;
    int32_t first;
} together;

static netdp_status bound_one(void *context, int64_t index, int thread, netdp_error *error)
{
    const together *t = context;
    const room r = {t->matrices, t->quadratic[thread], t->m[thread], thread};
    return bound_proven(t->stream, &r, (int32_t)index, t->drift, &t->stream->loss[t->first + index],
                        error);
}

static netdp_status bound_retraced(const stream *s, const netdp_i_retrace *retrace, together *t,
                                   netdp_error *error)
{
    const double each = netdp_i_matrices_retraced_bytes(s->protocol, retrace);
    const int32_t block = (int32_t)fmax(1, fmin(s->count, BLOCK_BYTES / each));
    for (t->first = 0; t->first < s->count; t->first += block) {
        const int32_t nodes = s->count - t->first < block ? s->count - t->first : block;
        OWNED_BY(netdp_i_matrices_free) netdp_i_matrices *matrices = NULL;
        double lengths = 0;
        TRY(netdp_i_matrices_retraced(s->protocol, retrace, s->from + t->first, nodes, &matrices,
                                      &lengths, s->progress, error));
        t->matrices = matrices;
        t->drift =
            netdp_i_stream_drift_back(s->proof, retrace, lengths, s->protocol->rounds, s->most);
        TRY(netdp_i_for_each(nodes, bound_one, t, s->progress, "nodes", error));
    }
    return NETDP_OK;
}

static void together_clear(together *t)
{
    for (int i = 0; i < t->threads; i++) {
        if (t->m != NULL)
            netdp_i_free(t->m[i]);
        if (t->quadratic != NULL)
            netdp_i_dual_free(t->quadratic[i]);
    }
    netdp_i_free(t->m);
    netdp_i_free(t->quadratic);
}

static netdp_status bound_together(const stream *s, const netdp_i_retrace *retrace,
                                   netdp_error *error)
{
    const int threads = netdp_i_threads();
    for (int32_t i = 0; !s->proof->holds && i < s->count; i++)
        s->loss[i] = s->most;
    if (!s->proof->holds)
        return NETDP_OK;
    CLEARED(together_clear)
    together t = {.stream = s,
                  .threads = threads,
                  .quadratic = NETDP_I_NEW(netdp_i_dual *, threads),
                  .m = NETDP_I_NEW(double *, threads)};
    if (t.quadratic == NULL || t.m == NULL)
        return netdp_i_no_memory(error);
    for (int i = 0; i < threads; i++) {
        t.m[i] = m_new(s);
        if (t.m[i] == NULL)
            return netdp_i_no_memory(error);
        TRY(netdp_i_dual_new(s->slots, &t.quadratic[i], error));
    }
    return bound_retraced(s, retrace, &t, error);
}

/* With noise in pairs more than this is too much to add: without it is less. */
#define MOST_ADDED 1e-3

/* *holds: is anything proven; with pairs, is little added. */
static netdp_status prove(const netdp_linear *protocol, const netdp_i_basis *basis,
                          const netdp_i_observer *observer, netdp_bound bound,
                          const netdp_i_sources *of, bool *holds, const netdp_progress *progress,
                          netdp_error *error)
{
    CLEARED(netdp_i_gains_clear) netdp_i_gains gains = {0};
    CLEARED(netdp_i_ages_clear) netdp_i_ages shown = {0};
    CLEARED(netdp_i_retrace_clear) netdp_i_retrace retrace = {0};
    netdp_i_stream_proof proof = {0};
    const netdp_rows rows = netdp_mixing_rows(protocol->mixing);
    const bool back = netdp_i_retrace_serves((double)rows.start[rows.nodes] / rows.nodes,
                                             observer->seen_count, of->count);
    TRY(netdp_i_gains_new(protocol, basis, observer, protocol->rounds, &gains, progress, error));
    if (back) {
        TRY(netdp_i_retrace_new(protocol, observer, &gains, &retrace, progress, error));
        shown = (netdp_i_ages){.first = retrace.first, .ages = retrace.ages};
    } else {
        TRY(netdp_i_ages_new(protocol, &gains, &shown, progress, error));
    }
    TRY(netdp_i_stream_proof_new(protocol, observer, &gains, &shown, back ? &retrace : NULL, &proof,
                                 error));
    *holds = proof.holds && (observer->pairing == NULL || proof.scale <= MOST_ADDED);
    if (!*holds && observer->pairing != NULL)
        return NETDP_OK;
    stream s = {.protocol = protocol,
                .basis = basis,
                .from = of->node,
                .count = of->count,
                .bound = bound,
                .gains = &gains,
                .proof = &proof,
                .loss = of->loss,
                .slots = (int32_t)slots_of(protocol),
                .most = (int32_t)netdp_linear_contributions(protocol),
                .early = (int32_t)((shown.first - 1) / protocol->every + 1),
                .progress = progress};
    return back ? bound_together(&s, &retrace, error)
                : bound_blocks(&s, &shown, observer->seen_count, progress, error);
}

bool netdp_i_stream_keeps_pairs(const netdp_linear *protocol, const netdp_i_observer *observer)
{
    return observer->pairing != NULL && protocol->rounds <= NETDP_I_EXPLICIT &&
           netdp_i_observer_scale(protocol, observer) >= NETDP_I_FACTOR_BELOW;
}

netdp_status netdp_i_stream_proven(const netdp_linear *protocol, const netdp_i_basis *basis,
                                   const netdp_i_observer *observer, netdp_bound bound,
                                   const netdp_i_sources *of, const netdp_progress *progress,
                                   netdp_error *error)
{
    netdp_i_observer alone = *observer;
    netdp_linear uneven = *protocol;
    bool holds = false;
    if (protocol->every > 1) { /* the noise is more in some rounds: no gain is held */
        uneven.steady = false;
        uneven.noise.dither = 1;
        uneven.noise.decay = 0;
    }
    if (netdp_i_stream_keeps_pairs(protocol, observer))
        TRY(prove(&uneven, basis, observer, bound, of, &holds, progress, error));
    alone.pairing = NULL;
    if (!holds)
        return prove(protocol, basis, &alone, bound, of, &holds, progress, error);
    return NETDP_OK;
}

netdp_status netdp_i_stream(const netdp_linear *protocol, const netdp_i_basis *basis,
                            const netdp_i_observer *observer, const netdp_i_stream_asked *asked,
                            const netdp_i_sources *of, const netdp_progress *progress,
                            netdp_error *error)
{
    CLEARED(netdp_i_basis_clear) netdp_i_basis shrunk = {0};
    TRY(netdp_i_basis_shrink(basis, observer->seen, observer->seen_count, &shrunk, error));
    return account(protocol, shrunk.modes > 0 ? &shrunk : basis, observer, asked, of, progress,
                   error);
}

/*
 * Contributions c_k in rounds k of a schedule: the observer's whitened innovations respond with
 * sum_k c_k w^{(k)}, so the loss is c^T M c with M_kl the inner product of w^{(k)} and w^{(l)} over
 * all rounds. M is formed node by node up to NETDP_I_EXPLICIT contributions and bounded
 * (dual_bound.h). Above that the gain is held after some slots at the latest, the response of a
 * later contribution depends on its age only, and bounds are put together from M of the first and
 * the last slots and from that one response (stitch.h).
 */
#include "account/gossip/stream.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "account/gossip/matrices.h"
#include "account/gossip/pattern_value.h"
#include "account/gossip/dual_bound.h"
#include "account/gossip/stitch.h"
#include "account/gossip/stream_proof.h"
#include "account/observe/directions.h"
#include "account/observe/gains.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"

/* Nodes are taken in blocks of up to BLOCK; beyond what is felt of a contribution M has this room.
 */
enum { BLOCK = 8, SEAM_ROOM = 33 };

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
    int32_t early;       /* long streams: slots before the gain is steady */
    int64_t largest;     /* of M, of long streams */
    const netdp_linear *whole;
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
    netdp_status status = NETDP_OK;
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
    status = netdp_i_dual_spectral(quadratic, m, slots, most, &spectral, error);
    if (status == NETDP_OK)
        status = netdp_i_dual_bound(quadratic, m, slots, most, &dual, error);
    *loss = fmin(*loss, fmin(spectral, dual));
    return status;
}

/* Node `i` of `matrices`, of a long stream: m is that of its first and last slots. */
static netdp_status bound_stitched(const stream *s, netdp_i_seams *seams,
                                   const netdp_i_matrices *matrices, int32_t i, int32_t from,
                                   double *m, double *loss, netdp_error *error)
{
    netdp_i_stitch stitch = {.m = m,
                             .size = s->slots,
                             .early = s->early,
                             .reach = (s->slots - s->early) / 2,
                             .slots = slots_of(s->whole),
                             .most = netdp_linear_contributions(s->whole)};
    if (stitch.slots > stitch.size)
        stitch.beyond = netdp_i_matrices_beyond(matrices, s->shown, i);
    netdp_status status = netdp_i_convolve(s->whole, s->basis, s->gains, from,
                                           stitch.size - stitch.early, &stitch.late, error);
    mirror(m, s->slots);
    if (status == NETDP_OK)
        status = netdp_i_stitch_bound(seams, &stitch, s->bound, loss, error);
    netdp_i_convolution_clear(&stitch.late);
    return status;
}

netdp_status netdp_i_stream_bound_proven(netdp_i_dual *quadratic, const netdp_i_stream_proof *proof,
                                         const netdp_i_stream_matrix *of, netdp_bound bound,
                                         double *loss, netdp_error *error)
{
    const bool all = bound == NETDP_BOUND_UPPER;
    const int32_t slots = of->slots, most = of->most;
    double least = INFINITY, value = INFINITY, *m = of->m;
    netdp_status status = NETDP_OK;
    bool done = !proof->holds;
    mirror(m, slots);
    if (!done && (all || bound == NETDP_BOUND_ABS_SUM)) {
        const double sum = netdp_i_dual_abs_sum(quadratic, m, slots, most);
        least = sum * (1 + 2.0 * slots * DBL_EPSILON);
        done = most == slots && netdp_i_dual_attained(netdp_i_dual_signs(m, slots), sum);
    }
    if (!done && status == NETDP_OK && (all || bound == NETDP_BOUND_DUAL)) {
        status = netdp_i_dual_proven(quadratic, m, slots, most, false, &value, error);
        least = fmin(least, value);
    }
    least += netdp_i_stream_gram_error(proof, m, slots, false);
    if (!done && status == NETDP_OK && (all || bound == NETDP_BOUND_SPECTRAL)) {
        status = netdp_i_dual_proven(quadratic, m, slots, most, true, &value, error);
        least = fmin(least, value + most * netdp_i_stream_gram_error(proof, m, slots, true));
    }
    least = netdp_i_stream_outward(proof, of->drift, least);
    *loss = all || !proof->holds ? fmin(most, least) : least;
    return status;
}

static netdp_status bound_proven(const stream *s, netdp_i_dual *quadratic, double drift, double *m,
                                 double *loss, netdp_error *error)
{
    const netdp_i_stream_matrix of = {m, s->slots, s->most, drift};
    return netdp_i_stream_bound_proven(quadratic, s->proof, &of, s->bound, loss, error);
}

static double drift_of(const stream *s, const netdp_i_matrices *matrices, int32_t i)
{
    const netdp_i_states states = netdp_i_matrices_states(matrices, i);
    return netdp_i_stream_drift(s->proof, &states, s->early, s->slots - s->early);
}

static netdp_status bound_block(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    const stream *s = context;
    const int32_t first = (int32_t)index * s->block;
    const int32_t nodes = s->count - first < s->block ? s->count - first : s->block;
    netdp_i_matrices *matrices = NULL;
    netdp_i_dual *quadratic = NULL;
    netdp_i_seams *seams = NULL;
    double *m = NETDP_I_NEW(double, (int64_t)s->slots * s->slots);
    netdp_status status = m == NULL ? netdp_i_no_memory(error) : NETDP_OK;
    if (status == NETDP_OK)
        status = s->whole != NULL ? netdp_i_seams_new(s->slots, &seams, error)
                                  : netdp_i_dual_new(s->slots, &quadratic, error);
    if (status == NETDP_OK)
        status = netdp_i_matrices_new(s->protocol, s->gains, s->shown, s->from + first, nodes,
                                      &matrices, s->progress, error);
    for (int32_t i = 0; status == NETDP_OK && i < nodes; i++) {
        double *loss = &s->loss[first + i];
        netdp_i_matrices_fill(matrices, i, 0, m);
        if (s->proof != NULL)
            status = bound_proven(s, quadratic, drift_of(s, matrices, i), m, loss, error);
        else if (seams != NULL)
            status = bound_stitched(s, seams, matrices, i, s->from[first + i], m, loss, error);
        else
            status = netdp_i_stream_bound(quadratic, s->bound, m, s->slots, s->most, loss, error);
        if (netdp_i_matrices_told(matrices, i))
            *loss = INFINITY;
        if (status == NETDP_OK)
            status = netdp_i_poll(s->progress, error);
    }
    netdp_i_matrices_free(matrices);
    netdp_i_dual_free(quadratic);
    netdp_i_seams_free(seams);
    netdp_i_free(m);
    return status;
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
    netdp_i_ages shown = {0};
    netdp_status status =
        netdp_i_ages_new(s->protocol, s->gains, s->protocol->rounds, &shown, progress, error);
    if (status == NETDP_OK)
        status = bound_blocks(s, &shown, seen, progress, error);
    netdp_i_ages_clear(&shown);
    return status;
}

/* ---- Long streams ---- */

/* The same stream without as many slots in its middle: its last round keeps its place in a slot. */
static netdp_linear without(const netdp_linear *protocol, int64_t slots)
{
    netdp_linear some = *protocol;
    some.rounds -= protocol->every * (slots < 0 ? 0 : slots);
    return some;
}

static netdp_status bound_long(stream *s, int32_t seen, const netdp_progress *progress,
                               netdp_error *error)
{
    const netdp_linear *whole = s->protocol;
    const int64_t slots = slots_of(whole), every = whole->every;
    const netdp_linear largest = without(whole, slots - s->largest);
    netdp_i_ages shown = {0};
    netdp_status status =
        netdp_i_ages_new(whole, s->gains, largest.rounds, &shown, progress, error);
    if (status != NETDP_OK)
        return status;
    /* Room for all that is felt on either side of what is left out, and for the seam. */
    const int64_t early = (shown.first - 1) / every + 1;
    const int64_t wanted = early + 2 * (shown.ages / every + SEAM_ROOM);
    const netdp_linear some =
        wanted < slots_of(&largest) ? without(whole, slots - wanted) : largest;
    s->whole = whole;
    s->protocol = &some;
    s->slots = (int32_t)slots_of(&some);
    s->early = (int32_t)early;
    status = bound_blocks(s, &shown, seen, progress, error);
    s->protocol = whole;
    netdp_i_ages_clear(&shown);
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

/* The best of three patterns, the third at the node's own worst frequency once the gain is steady.
 */
static netdp_status lower_long(const stream *s, const netdp_progress *progress, netdp_error *error)
{
    const int32_t count = s->count;
    double *pattern = NETDP_I_NEW(double, (s->protocol->rounds - 1) / s->protocol->every + 1);
    double *best = NETDP_I_NEW(double, count), *value = NETDP_I_NEW(double, count);
    const netdp_i_sources all = {count, s->from, value};
    netdp_status status = NETDP_OK;
    if (pattern == NULL || best == NULL || value == NULL)
        status = netdp_i_no_memory(error);
    for (int both = 0; status == NETDP_OK && both < 2; both++) {
        fill_pattern(s, both == 0 ? 0 : M_PI, pattern);
        status =
            netdp_i_pattern_value(s->protocol, s->basis, s->gains, pattern, &all, progress, error);
        for (int32_t i = 0; status == NETDP_OK && i < count; i++)
            best[i] = fmax(best[i], value[i]);
    }
    for (int32_t i = 0; status == NETDP_OK && s->gains->steady && i < count; i++) {
        netdp_i_convolution late;
        status = netdp_i_convolve(s->protocol, s->basis, s->gains, s->from[i], 0, &late, error);
        if (status == NETDP_OK) {
            fill_pattern(s, late.peak, pattern);
            netdp_i_convolution_clear(&late);
            const netdp_i_sources one = {1, s->from + i, value};
            status = netdp_i_pattern_value(s->protocol, s->basis, s->gains, pattern, &one, progress,
                                           error);
        }
        best[i] = fmax(best[i], value[0]);
    }
    if (status == NETDP_OK)
        memcpy(s->loss, best, (size_t)count * sizeof *best);
    netdp_i_free(pattern);
    netdp_i_free(best);
    netdp_i_free(value);
    return status;
}

static netdp_status account(const netdp_linear *protocol, const netdp_i_basis *basis,
                            const netdp_i_observer *observer, const netdp_i_stream_asked *asked,
                            const netdp_i_sources *of, const netdp_progress *progress,
                            netdp_error *error)
{
    const int64_t slots = slots_of(protocol);
    const netdp_bound bound = asked->bound;
    const double *pattern = asked->pattern;
    const bool is_long = slots > asked->most.whole;
    /* A gain that is held overstates: good for bounds from above. */
    int64_t longest = protocol->rounds;
    if (pattern == NULL && bound != NETDP_BOUND_LOWER) {
        const int64_t followed = is_long ? asked->most.followed * protocol->every : longest;
        const int64_t room = netdp_i_gains_room(basis, observer);
        longest = followed < room ? followed : room;
    }
    netdp_i_gains gains = {0};
    netdp_status status =
        netdp_i_gains_new(protocol, basis, observer, longest, &gains, progress, error);
    if (status != NETDP_OK)
        return status;
    stream s = {.protocol = protocol,
                .basis = basis,
                .from = of->node,
                .count = of->count,
                .bound = bound,
                .gains = &gains,
                .loss = of->loss,
                .slots = is_long ? 0 : (int32_t)slots,
                .most = is_long ? 0 : (int32_t)netdp_linear_contributions(protocol),
                .largest = asked->most.largest,
                .progress = progress};
    if (pattern != NULL)
        status = netdp_i_pattern_value(protocol, basis, &gains, pattern, of, progress, error);
    else if (!is_long)
        status = bound_short(&s, observer->seen_count, progress, error);
    else if (bound == NETDP_BOUND_LOWER)
        status = lower_long(&s, progress, error);
    else
        status = bound_long(&s, observer->seen_count, progress, error);
    netdp_i_gains_clear(&gains);
    return status;
}

/* ---- All sources together ---- */

/* A block of nodes whose rows were followed backwards; of each thread what it needs. */
typedef struct together {
    const stream *stream;
    netdp_i_matrices *matrices;
    netdp_i_dual **quadratic; /* [threads] */
    double **m;               /* [threads][slots][slots] */
    double drift;
    int32_t first;
} together;

static netdp_status bound_one(void *context, int64_t index, int thread, netdp_error *error)
{
    const together *t = context;
    double *m = t->m[thread];
    netdp_i_matrices_fill(t->matrices, (int32_t)index, thread, m);
    return bound_proven(t->stream, t->quadratic[thread], t->drift, m,
                        &t->stream->loss[t->first + index], error);
}

static netdp_status bound_retraced(const stream *s, const netdp_i_retrace *retrace, together *t,
                                   netdp_error *error)
{
    const double each = netdp_i_matrices_retraced_bytes(s->protocol, retrace);
    const int32_t block = (int32_t)fmax(1, fmin(s->count, BLOCK_BYTES / each));
    netdp_status status = NETDP_OK;
    for (t->first = 0; status == NETDP_OK && t->first < s->count; t->first += block) {
        const int32_t nodes = s->count - t->first < block ? s->count - t->first : block;
        double lengths = 0;
        t->matrices = NULL;
        status = netdp_i_matrices_retraced(s->protocol, retrace, s->from + t->first, nodes,
                                           &t->matrices, &lengths, s->progress, error);
        t->drift =
            netdp_i_stream_drift_back(s->proof, retrace, lengths, s->protocol->rounds, s->most);
        if (status == NETDP_OK)
            status = netdp_i_for_each(nodes, bound_one, t, s->progress, "nodes", error);
        netdp_i_matrices_free(t->matrices);
    }
    return status;
}

static netdp_status bound_together(const stream *s, const netdp_i_retrace *retrace,
                                   netdp_error *error)
{
    const int threads = netdp_i_threads();
    for (int32_t i = 0; !s->proof->holds && i < s->count; i++)
        s->loss[i] = s->most;
    if (!s->proof->holds)
        return NETDP_OK;
    together t = {.stream = s,
                  .quadratic = NETDP_I_NEW(netdp_i_dual *, threads),
                  .m = NETDP_I_NEW(double *, threads)};
    netdp_status status = t.quadratic == NULL || t.m == NULL ? netdp_i_no_memory(error) : NETDP_OK;
    for (int i = 0; status == NETDP_OK && i < threads; i++) {
        t.m[i] = NETDP_I_NEW(double, (int64_t)s->slots * s->slots);
        status = t.m[i] == NULL ? netdp_i_no_memory(error)
                                : netdp_i_dual_new(s->slots, &t.quadratic[i], error);
    }
    if (status == NETDP_OK)
        status = bound_retraced(s, retrace, &t, error);
    for (int i = 0; i < threads; i++) {
        if (t.m != NULL)
            netdp_i_free(t.m[i]);
        if (t.quadratic != NULL)
            netdp_i_dual_free(t.quadratic[i]);
    }
    netdp_i_free(t.m);
    netdp_i_free(t.quadratic);
    return status;
}

/* With noise in pairs more than this is too much to add: without it is less. */
#define MOST_ADDED 1e-3

/* *holds: is anything proven; with pairs, is little added. */
static netdp_status prove(const netdp_linear *protocol, const netdp_i_basis *basis,
                          const netdp_i_observer *observer, netdp_bound bound,
                          const netdp_i_sources *of, bool *holds, const netdp_progress *progress,
                          netdp_error *error)
{
    netdp_i_gains gains = {0};
    netdp_i_ages shown = {0};
    netdp_i_retrace retrace = {0};
    netdp_i_stream_proof proof = {0};
    const netdp_rows rows = netdp_mixing_rows(protocol->mixing);
    const bool back = netdp_i_retrace_serves((double)rows.start[rows.nodes] / rows.nodes,
                                             observer->seen_count, of->count);
    netdp_status status =
        netdp_i_gains_new(protocol, basis, observer, protocol->rounds, &gains, progress, error);
    if (status == NETDP_OK && back)
        status = netdp_i_retrace_new(protocol, observer, &gains, &retrace, progress, error);
    else if (status == NETDP_OK)
        status = netdp_i_ages_new(protocol, &gains, protocol->rounds, &shown, progress, error);
    if (back)
        shown = (netdp_i_ages){.first = retrace.first, .ages = retrace.ages};
    if (status == NETDP_OK)
        status = netdp_i_stream_proof_new(protocol, observer, &gains, &shown,
                                          back ? &retrace : NULL, &proof, error);
    *holds = proof.holds && (observer->pairing == NULL || proof.scale <= MOST_ADDED);
    if (status == NETDP_OK && (*holds || observer->pairing == NULL)) {
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
        status = back ? bound_together(&s, &retrace, error)
                      : bound_blocks(&s, &shown, observer->seen_count, progress, error);
    }
    netdp_i_ages_clear(&shown);
    netdp_i_retrace_clear(&retrace);
    netdp_i_gains_clear(&gains);
    return status;
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
    netdp_status status = NETDP_OK;
    bool holds = false;
    if (protocol->every > 1) { /* the noise is more in some rounds: no gain is held */
        uneven.steady = false;
        uneven.dither = 1;
        uneven.dither_decay = 0;
    }
    if (netdp_i_stream_keeps_pairs(protocol, observer))
        status = prove(&uneven, basis, observer, bound, of, &holds, progress, error);
    alone.pairing = NULL;
    return status == NETDP_OK && !holds
               ? prove(protocol, basis, &alone, bound, of, &holds, progress, error)
               : status;
}

netdp_status netdp_i_stream(const netdp_linear *protocol, const netdp_i_basis *basis,
                            const netdp_i_observer *observer, const netdp_i_stream_asked *asked,
                            const netdp_i_sources *of, const netdp_progress *progress,
                            netdp_error *error)
{
    netdp_i_basis shrunk = {0};
    netdp_status status =
        netdp_i_basis_shrink(basis, observer->seen, observer->seen_count, &shrunk, error);
    if (status == NETDP_OK)
        status = account(protocol, shrunk.modes > 0 ? &shrunk : basis, observer, asked, of,
                         progress, error);
    netdp_i_basis_clear(&shrunk);
    return status;
}

/* Gossip in phases: each accounted for on its own, up to the states under its end dither (docs/proofs/shift.md),
   or all together where their noise is correlated (docs/proofs/quiet.md). */
#include "account/gossip.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "account/observe/certificate.h"
#include "account/shift/dense.h"
#include "base/fail.h"
#include "base/pool.h"
#include "base/try.h"

/* The part of a phase's account that observers share, made by the first of them. */
static netdp_status need_phase(netdp_i_gossip_account *a, netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    netdp_status status = NETDP_OK;
    TRY(netdp_i_gossip_dense(a, error));
#pragma omp critical(netdp_shared_phase)
    {
        if (a->phase == NULL)
            status = netdp_i_phase_new(protocol, &a->dense, protocol->every > 0, &a->phase, error);
    }
    return status;
}

/* One phase of the protocol on its own, whose states are released under `end` at its end. */
static netdp_linear phase_alone(const netdp_linear *protocol, double *end)
{
    netdp_linear phase = *protocol;
    *end = phase.noise.end;
    phase.rounds = phase.every > 0 ? phase.every : phase.rounds;
    phase.every = 0;
    phase.noise.end = 0;
    phase.reacts = false;
    phase.quiet = (netdp_quiet){0};
    phase.cycle = 0;
    return phase;
}

/* ---- Noise correlated over phases: what one of them tells of all nodes outside of the set at once ---- */

enum { BLOCK = 32 };

/* Newton's steps where noises are far apart: each takes what rounding left of the step before. */
enum { STEPS = 2 };

/* The stories of a block of sources, side by side. */
typedef struct stories {
    const netdp_i_shift_problem *problem;
    netdp_i_displacement of;
    double *v, *pull, loss[BLOCK], off[BLOCK];
    double *all; /* [rounds + 1][nodes], then [pairs]: of all sources; [count] each */
    netdp_i_pool pool;
} stories;

static void stories_clear(stories *s)
{
    netdp_i_pool_clear(&s->pool);
}

static netdp_status stories_new(const netdp_i_shift_problem *problem, int32_t count, stories *s,
                                netdp_error *error)
{
    const int64_t cells = (int64_t)problem->nodes * BLOCK, pairs = problem->pair_count;
    s->problem = problem;
    s->of.g = NETDP_I_TAKE(&s->pool, double, cells * problem->rounds);
    s->of.c = NETDP_I_TAKE(&s->pool, double, pairs *BLOCK);
    s->v = NETDP_I_TAKE(&s->pool, double, cells *(problem->rounds + 1));
    s->pull = NETDP_I_TAKE(&s->pool, double, pairs *BLOCK);
    s->all =
        NETDP_I_TAKE(&s->pool, double, ((problem->rounds + 1) * problem->nodes + pairs) * count);
    return netdp_i_pool_made(&s->pool, error);
}

/* Those of some sources, and how all noises move in them. */
static netdp_status tell_stories(const netdp_i_dense *dense, stories *s, const int32_t *source,
                                 int32_t count, netdp_error *error)
{
    double gain[BLOCK];
    s->of.lanes = count;
    s->of.source = source;
    const netdp_i_moved moved = {s->v, s->pull, s->off};
    TRY(netdp_i_dense_find(dense, &s->of, error));
    for (int step = 0; step < STEPS; step++) {
        TRY(netdp_i_displacement_loss(s->problem, &s->of, s->loss, &moved, error));
        TRY(netdp_i_dense_refine(dense, &s->of, &moved, gain, error));
    }
    return netdp_i_displacement_loss(s->problem, &s->of, s->loss, &moved, error);
}

/*
 * gram = V'V, a column of V for each of the sources: with one story for each, their sums are stories of contributions of several.
 * V itself is known up to `off`, and so is gram's floor. INFINITY: there is no such story.
 */
static netdp_status fill_gram(const netdp_i_dense *dense, const netdp_i_shift_problem *problem,
                              const int32_t *source, int32_t count, netdp_i_told *told,
                              netdp_error *error)
{
    const int64_t moved = (problem->rounds + 1) * problem->nodes, m = count;
    const int64_t rows = moved + problem->pair_count;
    double squares = 0, off = 0;
    CLEARED(stories_clear) stories s = {0};
    TRY(stories_new(problem, count, &s, error));
    double *all = s.all;
    for (int32_t first = 0; first < count; first += BLOCK) {
        const int32_t lanes = count - first < BLOCK ? count - first : BLOCK;
        TRY(tell_stories(dense, &s, source + first, lanes, error));
        for (int32_t l = 0; l < lanes; l++) {
            off += s.off[l] * s.off[l];
            squares += s.loss[l];
            for (int64_t i = 0; i < moved; i++)
                all[i * m + first + l] = s.v[i * lanes + l];
            for (int64_t i = 0; i < problem->pair_count; i++)
                all[(moved + i) * m + first + l] = s.of.c[i * lanes + l];
        }
    }
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, count, (int)rows, 1, all, count, 0,
                told->gram, count);
    /* |V c + E c|^2 <= c' gram c + (2 |V| |E| + |E|^2) |c|^2, and what the products round. */
    const double round = (double)(rows + 8) * DBL_EPSILON;
    const double astray = sqrt(off) * (1 + 1e-12);
    told->floor = (astray * (2 * sqrt(squares) + astray) + round * squares) * (1 + 1e-12);
    if (!(told->floor < 1))
        told->floor = INFINITY;
    return NETDP_OK;
}

/* What one phase tells of the nodes outside of the set, `others`, proven. */
static netdp_status tell_phase(netdp_i_gossip_account *a, const int32_t *member,
                               const int32_t *others, netdp_i_told *told, netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    const netdp_i_shift_view view = {.sees = a->request->sees,
                                     .members = a->losses->members,
                                     .member = member,
                                     .rounds = protocol->every,
                                     .end = protocol->noise.end};
    netdp_linear phase = *protocol;
    CLEARED(netdp_i_shift_problem_clear) netdp_i_shift_problem problem = {0};
    netdp_i_dense *dense = NULL;
    phase.quiet = (netdp_quiet){0};
    TRY(netdp_i_shift_problem_new(&phase, &view, &problem, error));
    netdp_status status = netdp_i_dense_new(&problem, a->inner, &dense, error);
    if (status == NETDP_OK)
        status = fill_gram(dense, &problem, others, told->count, told, error);
    netdp_i_dense_free(dense);
    if (status != NETDP_NO_ANSWER)
        return status;
    told->floor = INFINITY;
    return NETDP_OK;
}

/* All phases together, where their noise is correlated (docs/proofs/quiet.md). */
static netdp_status account_quiet(netdp_i_gossip_account *a, const netdp_i_observer *observer,
                                  const int32_t *member, double *loss, netdp_error *error)
{
    const netdp_losses *l = a->losses;
    const int64_t n = netdp_graph_nodes(a->graph);
    OWNED int32_t *place = NETDP_I_NEW(int32_t, n);
    OWNED int32_t *others = NETDP_I_NEW(int32_t, n);
    OWNED int32_t *which = NETDP_I_NEW(int32_t, l->from_count);
    OWNED double *gram = NETDP_I_NEW(double, n *n);
    OWNED double *noise = observer->pairing != NULL ? NETDP_I_NEW(double, n *n) : NULL;
    netdp_i_told told = {.gram = gram, .noise = noise};
    if (place == NULL || others == NULL || which == NULL || gram == NULL ||
        (observer->pairing != NULL && noise == NULL))
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < l->members; i++)
        place[member[i]] = -1;
    for (int32_t v = 0; v < n; v++)
        if (place[v] == 0) {
            place[v] = told.count;
            others[told.count++] = v;
        }
    for (int32_t i = 0; i < l->from_count; i++) /* what is said of a member counts nowhere */
        which[i] = place[l->from[i]] < 0 ? 0 : place[l->from[i]];
    if (noise != NULL)
        netdp_i_paired_noise(observer->pairing, place, told.count, noise);
    TRY(tell_phase(a, member, others, &told, error));
    for (int32_t i = 0; i < l->from_count; i++)
        loss[i] = a->most;
    if (told.floor < 1)
        TRY(netdp_i_quiet_loss(a->quiet, &told, which, l->from_count, loss, error));
    for (int32_t i = 0; i < l->from_count; i++)
        loss[i] = fmin(loss[i], a->most);
    return NETDP_OK;
}

/* ---- Phases whose noise is fresh ---- */

/* Below this noise a phase's covariance no longer resolves what the filter does. */
#define LEAST_AT_ONCE 1e-3

/* One phase, proven: all of it at once, or, plain, round by round. */
static netdp_status prove_phase(netdp_i_gossip_account *a, const netdp_i_observer *observer,
                                const netdp_i_sources *of, netdp_error *error)
{
    const netdp_linear *protocol = a->request->protocol;
    const double noise = netdp_linear_least_noise(protocol);
    double end = 0;
    const netdp_linear phase = phase_alone(protocol, &end);
    const bool resolved = fmin(noise, end) >= LEAST_AT_ONCE && observer->pairing == NULL;
    TRY(netdp_i_gossip_dense(a, error));
    if (!protocol->accelerate && !resolved)
        return netdp_i_certified_loss(&phase, &a->dense, observer, end, of, a->inner, error);
    netdp_i_observer alone = *observer;
    alone.pairing = NULL;
    TRY(need_phase(a, error));
    return netdp_i_phase_proven(a->phase, &phase, &alone, end, of, a->inner, error);
}

netdp_status netdp_i_gossip_phases(netdp_i_gossip_account *a, const netdp_i_observer *observer,
                                   const int32_t *member, double *loss, netdp_error *error)
{
    const netdp_losses *l = a->losses;
    const netdp_i_sources of = {l->from_count, l->from, loss};
    if (a->quiet != NULL)
        return account_quiet(a, observer, member, loss, error);
    TRY(prove_phase(a, observer, &of, error));
    for (int32_t i = 0; i < l->from_count; i++)
        loss[i] = fmin(loss[i], 1) * a->most;
    return NETDP_OK;
}

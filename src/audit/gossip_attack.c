/*
 * The observer's attack on gossip. The simulator runs the protocol, this file contributes for its
 * nodes and listens to its messages; the weights of what is heard come from gossip_view.h.
 */
#include <netdp/audit.h>

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>
#include <netdp/random.h>

#include "audit/gossip_view.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "protocol/pairing.h"
#include "simulate/gossip.h"

/* Runs that are simulated at once, as coordinates of one model. */
enum { BATCH = 256 };

/* Delta = 1 is the distance between the ends of what a clipped contribution may be. */
#define CLIP 0.5

enum {
    KNOWN_FAULTS = NETDP_FAULT_HALF_NOISE | NETDP_FAULT_NO_CLIP | NETDP_FAULT_CLIP_AFTER |
                   NETDP_FAULT_REUSED_NOISE | NETDP_FAULT_NO_DITHER | NETDP_FAULT_NO_END_DITHER |
                   NETDP_FAULT_REUSED_PAIRS | NETDP_FAULT_HALF_PAIRS
};

/* ---- The attack as it runs ---- */

typedef struct battle {
    const netdp_gossip_attack *attack;
    netdp_linear protocol; /* with its faults */
    netdp_i_timeline timeline;
    double noise;
    double size;         /* the victim's contributions are size * pattern times -1/2 or 1/2 */
    double *pattern;     /* [contribution rounds], filled in */
    double *gains;       /* [nodes] */
    int64_t *first_pair; /* [nodes]: netdp_i_pairing_first; NULL: no pairs */
    int32_t nodes;
    netdp_i_gossip_view *view;
    const netdp_progress *progress;
    double *estimate[2]; /* [runs]: of x = -1/2 and 1/2, unbiased */
    double *heard;       /* [2][runs][numbers of the view], kept to learn weights from; or NULL */
} battle;

static bool has(const battle *b, netdp_fault fault)
{
    return (b->attack->faults & fault) != 0;
}

static netdp_status check_nodes(const netdp_gossip_attack *attack, netdp_error *error)
{
    const int32_t nodes = netdp_mixing_rows(attack->protocol->mixing).nodes;
    bool good = attack->victim >= 0 && attack->victim < nodes && attack->view.count > 0 &&
                attack->view.observers != NULL;
    for (int32_t i = 0; good && i < attack->view.count; i++) {
        const int32_t v = attack->view.observers[i];
        good = v >= 0 && v < nodes && v != attack->victim;
        for (int32_t j = 0; good && j < i; j++)
            good = v != attack->view.observers[j];
    }
    if (good)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID,
                        "audit: victim %d; give nodes 0 .. %d, and distinct observers that the "
                        "victim is not among",
                        (int)attack->victim, (int)nodes - 1);
}

static netdp_status check_pattern(const netdp_gossip_attack *attack, netdp_error *error)
{
    const netdp_linear *p = attack->protocol;
    const int64_t slots = netdp_i_contribution(p, p->rounds - 1) + 1;
    int64_t used = 0;
    for (int64_t k = 0; attack->pattern != NULL && k < slots; k++) {
        if (!(fabs(attack->pattern[k]) <= 1))
            return netdp_i_fail(error, NETDP_INVALID, "pattern: %g; give numbers from -1 to 1",
                                attack->pattern[k]);
        used += attack->pattern[k] != 0 ? 1 : 0;
    }
    if (used > netdp_linear_contributions(p))
        return netdp_i_fail(error, NETDP_INVALID,
                            "pattern: contributes more often than at-most allows; set the others "
                            "to 0");
    return NETDP_OK;
}

static netdp_status check_faults(const netdp_gossip_attack *attack, netdp_error *error)
{
    const netdp_linear *p = attack->protocol;
    if ((attack->faults & ~(unsigned)KNOWN_FAULTS) != 0)
        return netdp_i_fail(error, NETDP_INVALID, "fault: %#x has an unknown bit", attack->faults);
    if ((attack->faults & NETDP_FAULT_NO_DITHER) != 0 && (p->steady || !(p->noise.dither > 0)))
        return netdp_i_fail(error, NETDP_INVALID,
                            "fault: no dither to leave out; attack a protocol that has one");
    if ((attack->faults & NETDP_FAULT_NO_END_DITHER) != 0 && !(p->noise.end > 0))
        return netdp_i_fail(error, NETDP_INVALID,
                            "fault: no end dither to leave out; attack a protocol that has one");
    if ((attack->faults &
         (NETDP_FAULT_REUSED_NOISE | NETDP_FAULT_REUSED_PAIRS | NETDP_FAULT_HALF_PAIRS)) != 0 &&
        netdp_quiet_is(&p->quiet))
        return netdp_i_fail(error, NETDP_INVALID,
                            "fault: of correlated noise describe what is broken by its factor");
    if ((attack->faults & (NETDP_FAULT_REUSED_PAIRS | NETDP_FAULT_HALF_PAIRS)) != 0 &&
        !netdp_pairing_is(&p->noise.pairing))
        return netdp_i_fail(error, NETDP_INVALID,
                            "fault: no pairs share noise; attack a protocol with a pair graph");
    return NETDP_OK;
}

static netdp_status check_honest(const netdp_gossip_attack *attack, netdp_error *error)
{
    TRY(netdp_i_check_choice("honest", (int64_t)attack->honest, NETDP_HONEST_PULL, error));
    if (attack->honest == NETDP_HONEST_SILENT)
        return NETDP_OK;
    if (!attack->protocol->reacts)
        return netdp_i_fail(error, NETDP_INVALID,
                            "audit: honest nodes pull in learning only, where contributions react "
                            "to states");
    bool finite = isfinite(attack->gain);
    for (int32_t u = 0;
         attack->gains != NULL && u < netdp_mixing_rows(attack->protocol->mixing).nodes; u++)
        finite = finite && isfinite(attack->gains[u]);
    if (!finite)
        return netdp_i_fail(error, NETDP_INVALID, "audit: gains must be finite");
    return NETDP_OK;
}

static netdp_status check_attack(const netdp_gossip_attack *attack, netdp_error *error)
{
    TRY(netdp_linear_check(attack->protocol, error));
    if (!netdp_mixing_is_symmetric(attack->protocol->mixing))
        return netdp_i_fail(error, NETDP_INVALID,
                            "audit: mixing '%s' is not symmetric on this graph; give metropolis",
                            netdp_mixing_name(attack->protocol->mixing));
    if (!(attack->noise > 0) || isinf(attack->noise))
        return netdp_i_fail(error, NETDP_INVALID,
                            "audit: noise %g; give a finite number above 0 (without noise there "
                            "is nothing to audit)",
                            attack->noise);
    if (!(attack->rate >= 0 && attack->rate <= 1))
        return netdp_i_fail(error, NETDP_INVALID, "audit: rate %g; give one from 0 to 1",
                            attack->rate);
    if (attack->runs < 1 || attack->runs >> 32 != 0)
        return netdp_i_fail(error, NETDP_INVALID, "audit: runs: give 1 or more, below 2^32");
    TRY(netdp_i_check_choice("sees", (int64_t)attack->view.sees, NETDP_SEES_EVERYTHING, error));
    TRY(netdp_i_check_choice("own-noise", (int64_t)attack->view.own_noise, NETDP_OWN_NOISE_COUNTS,
                             error));
    TRY(check_nodes(attack, error));
    TRY(check_pattern(attack, error));
    TRY(check_faults(attack, error));
    return check_honest(attack, error);
}

static void fill_pattern(battle *b, int64_t slots)
{
    const netdp_linear *p = b->attack->protocol;
    const int64_t every = p->cycle > 1 ? p->cycle : 1;
    for (int64_t k = 0; k < slots; k++)
        b->pattern[k] = b->attack->pattern != NULL ? b->attack->pattern[k]
                        : k % every == 0 && k < netdp_linear_contributions(p) ? 1
                                                                              : 0;
}

static netdp_status fill_gains(battle *b, netdp_error *error)
{
    const netdp_gossip_attack *attack = b->attack;
    OWNED bool *member = NETDP_I_NEW(bool, b->nodes);
    OWNED bool *seen = NETDP_I_NEW(bool, b->nodes);
    if (member == NULL || seen == NULL)
        return netdp_i_no_memory(error);
    for (int32_t u = 0; u < b->nodes; u++)
        b->gains[u] = attack->honest != NETDP_HONEST_PULL || u == attack->victim ? 0
                      : attack->gains != NULL                                    ? attack->gains[u]
                                                                                 : attack->gain;
    for (int64_t t = 0; t < b->timeline.rounds; t++) {
        netdp_i_view_nodes(&b->timeline, &attack->view, t, member, seen);
        for (int32_t u = 0; u < b->nodes; u++)
            if (member[u] || (seen[u] && attack->gains == NULL))
                b->gains[u] = 0;
    }
    return NETDP_OK;
}

static void battle_clear(battle *b)
{
    netdp_i_free(b->pattern);
    netdp_i_free(b->gains);
    netdp_i_free(b->first_pair);
    netdp_i_free(b->estimate[0]);
    netdp_i_free(b->estimate[1]);
    netdp_i_free(b->heard);
    netdp_i_gossip_view_free(b->view);
    netdp_i_timeline_clear(&b->timeline);
}

static void break_protocol(battle *b)
{
    if (has(b, NETDP_FAULT_HALF_NOISE))
        b->noise /= 2;
    if (has(b, NETDP_FAULT_NO_CLIP) || has(b, NETDP_FAULT_CLIP_AFTER))
        b->size = 2;
    if (has(b, NETDP_FAULT_NO_DITHER))
        b->protocol.noise.dither = 0;
    if (has(b, NETDP_FAULT_NO_END_DITHER))
        b->protocol.noise.end = 0;
}

static netdp_status battle_new(battle *b, netdp_error *error)
{
    const netdp_gossip_attack *attack = b->attack;
    TRY(check_attack(attack, error));
    const int64_t slots = netdp_i_contribution(attack->protocol, attack->protocol->rounds - 1) + 1;
    b->protocol = *attack->protocol;
    b->nodes = netdp_mixing_rows(attack->protocol->mixing).nodes;
    b->noise = attack->noise;
    b->size = 1;
    break_protocol(b);
    b->pattern = NETDP_I_NEW(double, slots);
    b->gains = NETDP_I_NEW(double, b->nodes);
    b->estimate[0] = NETDP_I_NEW(double, attack->runs);
    b->estimate[1] = NETDP_I_NEW(double, attack->runs);
    if (b->pattern == NULL || b->gains == NULL || b->estimate[0] == NULL || b->estimate[1] == NULL)
        return netdp_i_no_memory(error);
    fill_pattern(b, slots);
    TRY(netdp_i_timeline_new(&b->protocol, &b->timeline, error));
    TRY(fill_gains(b, error));
    const netdp_i_gossip_model model = {.timeline = &b->timeline,
                                        .view = &attack->view,
                                        .victim = attack->victim,
                                        .pattern = b->pattern,
                                        .gains = b->gains,
                                        .reused = has(b, NETDP_FAULT_REUSED_NOISE),
                                        .reused_pairs = has(b, NETDP_FAULT_REUSED_PAIRS),
                                        .half_pairs = has(b, NETDP_FAULT_HALF_PAIRS)};
    if (netdp_pairing_is(&b->protocol.noise.pairing)) {
        b->first_pair = NETDP_I_NEW(int64_t, b->nodes);
        if (b->first_pair == NULL)
            return netdp_i_no_memory(error);
        TRY(netdp_i_pairing_first(b->protocol.noise.pairing.graph, b->first_pair, error));
    }
    return netdp_i_gossip_view_new(&model, &b->view, error);
}

/* mu of the attack; of a doubled contribution twice what the model says, clipped after or not. */
static double optimal_mu(const battle *b)
{
    const double size = has(b, NETDP_FAULT_NO_CLIP) ? 2 : 1;
    return size * sqrt(b->view->loss) / b->noise;
}

/* ---- One batch of runs ---- */

typedef struct replay {
    const battle *battle;
    netdp_run_seed seed;
    int64_t first; /* run */
    int32_t width;
    int world;
    int64_t next;   /* number of the view */
    double *sum;    /* [width]: weighted, of the view so far */
    double *before; /* [nodes][width]: the states that clipped contributions are added to */
    double *drawn;  /* [width] */
} replay;

/* Of a row of Poisson batches: is it in this one? */
static double drawn_part(const replay *r, netdp_stream *draws)
{
    return r->world == 1 && netdp_stream_uniform(draws) < r->battle->attack->rate ? 1 : 0;
}

static void contribute(void *context, int64_t round, double *message)
{
    replay *r = context;
    const battle *b = r->battle;
    const int64_t width = r->width;
    if (r->before != NULL)
        memcpy(r->before, message, (size_t)(b->nodes * width) * sizeof *message);
    for (int32_t u = 0; u < b->nodes; u++)
        if (b->gains[u] != 0 && netdp_i_timeline_contributes(&b->timeline, round, u))
            for (int64_t j = 0; j < width; j++)
                message[u * width + j] -= b->gains[u] * message[u * width + j];
    if (!netdp_i_timeline_contributes(&b->timeline, round, b->attack->victim))
        return;
    const double value = b->size * b->pattern[netdp_i_contribution(&b->protocol, round)];
    double *mine = message + b->attack->victim * width;
    netdp_stream draws =
        netdp_stream_at(r->seed.seed, NETDP_FOR_BATCH, (uint32_t)r->seed.repeat, (uint64_t)round);
    for (int64_t j = 0; j < width; j++)
        mine[j] += value * (b->attack->rate > 0 ? drawn_part(r, &draws) : r->world - 0.5);
}

static double clipped(double value)
{
    return fmax(-CLIP, fmin(CLIP, value));
}

/* Takes out of the messages the halves that a broken protocol leaves out, or draws otherwise. */
static void break_pairs(const replay *r, int64_t round, double *message)
{
    const battle *b = r->battle;
    const netdp_graph *pairs = b->protocol.noise.pairing.graph;
    for (int32_t v = 0; v < b->nodes; v++)
        for (int32_t i = 0; i < netdp_graph_degree(pairs, v); i++) {
            const double scale = b->noise * netdp_i_pairing_kappa(&b->protocol.noise.pairing, v, i);
            const double half = v < netdp_graph_neighbours(pairs, v)[i] ? scale : -scale;
            const int64_t pair = netdp_i_pairing_number(pairs, b->first_pair, v, i);
            double *mine = message + (int64_t)v * r->width;
            if (has(b, NETDP_FAULT_REUSED_PAIRS)) {
                netdp_i_pair_noise(mine, pair, r->width, -half, r->seed, round);
                netdp_i_pair_noise(mine, pair, r->width, half, r->seed, 0);
            }
            if (has(b, NETDP_FAULT_HALF_PAIRS) && half < 0)
                netdp_i_pair_noise(mine, pair, r->width, -half, r->seed,
                                   has(b, NETDP_FAULT_REUSED_PAIRS) ? 0 : round);
        }
}

/* What a broken protocol makes of a round's messages. */
static void tamper(const replay *r, int64_t round, double *message)
{
    const battle *b = r->battle;
    if (has(b, NETDP_FAULT_REUSED_NOISE) && round > 0)
        for (int32_t u = 0; u < b->nodes; u++) {
            const double noise = b->noise * netdp_i_timeline_noise(&b->timeline, round, u);
            double *mine = message + (int64_t)u * r->width;
            netdp_i_node_noise(mine, u, r->width, -noise, r->seed, round, 0);
            netdp_i_node_noise(mine, u, r->width, noise, r->seed, 0, 0);
        }
    if ((has(b, NETDP_FAULT_REUSED_PAIRS) || has(b, NETDP_FAULT_HALF_PAIRS)) &&
        netdp_linear_contributes(&b->protocol, round))
        break_pairs(r, round, message);
    if (r->before != NULL && netdp_linear_contributes(&b->protocol, round))
        for (int64_t i = 0; i < (int64_t)b->nodes * r->width; i++)
            message[i] = r->before[i] + clipped(message[i] - r->before[i]);
}

/* An observer's own noise, as it was added, in units of what the protocol says. */
static const double *own_noise(const replay *r, const netdp_i_seen_event *at)
{
    const battle *b = r->battle;
    const bool message = at->kind == NETDP_I_SIGHT_NOISE;
    const int64_t round = message && has(b, NETDP_FAULT_REUSED_NOISE) ? 0 : at->round;
    memset(r->drawn, 0, (size_t)r->width * sizeof *r->drawn);
    if (at->kind == NETDP_I_SIGHT_PAIR) {
        netdp_i_pair_noise(r->drawn, at->node, r->width, b->noise, r->seed,
                           has(b, NETDP_FAULT_REUSED_PAIRS) ? 0 : at->round);
        return r->drawn;
    }
    netdp_i_node_noise(r->drawn, at->node, r->width, b->noise, r->seed, round, message ? 0 : 1);
    if (r->before != NULL && message && netdp_linear_contributes(&b->protocol, at->round))
        for (int32_t j = 0; j < r->width; j++)
            r->drawn[j] = clipped(r->drawn[j]);
    return r->drawn;
}

static void hear(replay *r, double weight, const double *number)
{
    const battle *b = r->battle;
    for (int32_t j = 0; j < r->width; j++)
        r->sum[j] += weight * number[j];
    for (int32_t j = 0; b->heard != NULL && j < r->width; j++)
        b->heard[(r->world * b->attack->runs + r->first + j) * b->view->count + r->next] =
            number[j];
    r->next++;
}

/* All numbers of the view that a round brings. */
static void observe(void *context, int64_t round, double *message)
{
    replay *r = context;
    const netdp_i_gossip_view *view = r->battle->view;
    tamper(r, round, message);
    for (const netdp_i_seen_event *at = view->sight + r->next;
         r->next < view->count && at->round == round && at->kind != NETDP_I_SIGHT_STATE; at++)
        hear(r, view->weight[r->next],
             at->kind == NETDP_I_SIGHT_MESSAGE ? message + (int64_t)at->node * r->width
                                               : own_noise(r, at));
}

static bool report(void *context, int64_t step, const double *state)
{
    replay *r = context;
    const netdp_i_gossip_view *view = r->battle->view;
    while (step == r->battle->protocol.rounds && r->next < view->count)
        hear(r, view->weight[r->next], state + (int64_t)view->sight[r->next].node * r->width);
    return netdp_i_poll(r->battle->progress, NULL) == NETDP_OK;
}

static void replay_clear(replay *r)
{
    netdp_i_free(r->drawn);
    netdp_i_free(r->before);
}

/* Batch index / 2 in world index % 2. */
static netdp_status run_batch(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    const battle *b = context;
    const int64_t first = index / 2 * BATCH, left = b->attack->runs - first;
    CLEARED(replay_clear)
    replay r = {.battle = b,
                .seed = {b->attack->seed, (uint64_t)index},
                .first = first,
                .width = left < BATCH ? (int32_t)left : BATCH,
                .world = (int)(index % 2)};
    const int64_t size = (int64_t)b->nodes * r.width;
    OWNED double *state = NETDP_I_NEW(double, size);
    r.sum = b->estimate[r.world] + first;
    r.drawn = NETDP_I_NEW(double, r.width);
    r.before = has(b, NETDP_FAULT_CLIP_AFTER) ? NETDP_I_NEW(double, size) : NULL;
    const netdp_i_round_hooks rounds = {
        .contribute = contribute, .report = report, .context = &r, .observe = observe};
    if (state == NULL || r.drawn == NULL || (has(b, NETDP_FAULT_CLIP_AFTER) && r.before == NULL))
        return netdp_i_no_memory(error);
    TRY(netdp_i_gossip(&b->protocol, b->noise, r.width, r.seed, &rounds, state, error));
    for (int32_t j = 0; b->view->response > 0 && j < r.width; j++)
        r.sum[j] /= b->view->response;
    return NETDP_OK;
}

static netdp_status run_all(battle *b, netdp_error *error)
{
    const int64_t batches = (b->attack->runs + BATCH - 1) / BATCH;
    return netdp_i_for_each(2 * batches, run_batch, b, b->progress, "attack", error);
}

/* ---- What it found ---- */

netdp_status netdp_attack_gossip(const netdp_gossip_attack *attack, const netdp_progress *progress,
                                 double *scores, double *optimal, netdp_error *error)
{
    NETDP_I_GIVEN(error, attack && scores);
    CLEARED(battle_clear) battle b = {.attack = attack, .progress = progress};
    TRY(battle_new(&b, error));
    TRY(run_all(&b, error));
    const double mu = optimal_mu(&b), size = has(&b, NETDP_FAULT_NO_CLIP) ? 2 : 1;
    for (int world = 0; world < 2; world++)
        for (int64_t i = 0; i < attack->runs; i++) {
            const double estimate = b.estimate[world][i] / size;
            scores[world * attack->runs + i] =
                isfinite(mu) || estimate == 0 ? estimate * mu * mu : copysign(INFINITY, estimate);
        }
    if (optimal != NULL)
        *optimal = mu;
    return NETDP_OK;
}

/* ---- Without a model ---- */

/* Views are learnt from, so they must be short, and runs many for each of their numbers. */
enum { MOST_LEARNT = 600, RUNS_A_NUMBER = 10 };

/* covariance^-1 (mean of world 1 - mean of world 0), from the runs of `b`, into weight [count]. */
static netdp_status learn_weights(const battle *b, double *weight, netdp_error *error)
{
    const int64_t count = b->view->count, runs = b->attack->runs;
    OWNED double *without = NETDP_I_NEW(double, count);
    OWNED double *with = NETDP_I_NEW(double, count);
    OWNED double *covariance = NETDP_I_NEW(double, count *count);
    if (without == NULL || with == NULL || covariance == NULL)
        return netdp_i_no_memory(error);
    double *const mean[2] = {without, with};
    for (int64_t i = 0; i < 2 * runs; i++)
        for (int64_t k = 0; k < count; k++)
            mean[i / runs][k] += b->heard[i * count + k] / (double)runs;
    for (int64_t i = 0; i < 2 * runs; i++)
        for (int64_t k = 0; k < count; k++)
            b->heard[i * count + k] -= mean[i / runs][k];
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (blasint)count, (blasint)(2 * runs),
                1 / (double)(2 * runs - 2), b->heard, (blasint)count, 0, covariance,
                (blasint)count);
    for (int64_t k = 0; k < count; k++) { /* numbers that repeat others make it singular */
        covariance[k * count + k] += 1e-9 * (covariance[k * count + k] + b->noise * b->noise);
        weight[k] = mean[1][k] - mean[0][k];
    }
    if (LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', (lapack_int)count, 1, covariance, (lapack_int)count,
                      weight, 1) != 0)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "audit: what is seen does not vary; there is nothing to learn from");
    return NETDP_OK;
}

/* Runs of their own, under other seeds, from which the weights are learnt. */
static netdp_status learn(const netdp_gossip_attack *attack, const netdp_progress *progress,
                          double *weight, int64_t count, netdp_error *error)
{
    netdp_gossip_attack training = *attack;
    training.runs = count * RUNS_A_NUMBER > 2000 ? count * RUNS_A_NUMBER : 2000;
    training.seed = ~attack->seed;
    CLEARED(battle_clear) battle b = {.attack = &training, .progress = progress};
    TRY(battle_new(&b, error));
    b.heard = NETDP_I_NEW(double, 2 * training.runs * count);
    if (b.heard == NULL)
        return netdp_i_no_memory(error);
    TRY(run_all(&b, error));
    return learn_weights(&b, weight, error);
}

netdp_status netdp_attack_blindly(const netdp_gossip_attack *attack, const netdp_progress *progress,
                                  double *scores, netdp_error *error)
{
    NETDP_I_GIVEN(error, attack && scores);
    CLEARED(battle_clear) battle b = {.attack = attack, .progress = progress};
    TRY(battle_new(&b, error));
    if (b.view->count > MOST_LEARNT)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "audit: a view of %lld numbers is too long to be learnt, at most %d",
                            (long long)b.view->count, MOST_LEARNT);
    TRY(learn(attack, progress, b.view->weight, b.view->count, error));
    b.view->response = 1; /* scores of any scale do */
    TRY(run_all(&b, error));
    for (int world = 0; world < 2; world++)
        memcpy(scores + world * attack->runs, b.estimate[world],
               (size_t)attack->runs * sizeof *scores);
    return NETDP_OK;
}

netdp_status netdp_reconstruct(const netdp_gossip_attack *attack, const netdp_progress *progress,
                               double *rmse, netdp_error *error)
{
    NETDP_I_GIVEN(error, attack && attack->protocol && rmse);
    if (attack->protocol->every > 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "reconstruct: a value is contributed once; attack averaging");
    CLEARED(battle_clear) battle b = {.attack = attack, .progress = progress};
    TRY(battle_new(&b, error));
    TRY(run_all(&b, error));
    const double value = b.pattern[0];
    const double truth[2] = {-b.size / 2, b.size / 2};
    double sum = 0;
    for (int world = 0; world < 2; world++)
        for (int64_t i = 0; i < attack->runs; i++) {
            const double away = value * (b.estimate[world][i] - truth[world]);
            sum += away * away;
        }
    *rmse = b.view->response > 0 ? sqrt(sum / (2 * (double)attack->runs)) : INFINITY;
    return NETDP_OK;
}

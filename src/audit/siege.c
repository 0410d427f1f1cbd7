/*
 * What an observer of averaging makes of everybody's value at once, knowing nobody's: the numbers
 * that it sees are linear in the values and in the noise, and it takes the best linear estimate.
 *
 * y = A (sigma z) + V (p w), z and w standard normal for the estimate's purpose. With the pivoted
 * QR of the stacked transpose, [sigma A, p V]^T P = Q R, the first `rank` numbers are R_11^T q, and
 * E[w_u | y] = Q_u q: weights p R_11^-1 Q_u^T, error p sqrt(1 - |Q_u|^2).
 */
#include "audit/siege.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>
#include <netdp/random.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "mixing/dense.h"
#include "simulate/gossip.h"

/* A combination of the numbers below this part of the largest is rounding. */
#define RANK_TOLERANCE 1e-11

/* ---- The estimate ---- */

bool netdp_i_siege_observes(const netdp_i_siege *s, int32_t u)
{
    for (int32_t i = 0; i < s->attack->view.count; i++)
        if (s->attack->view.observers[i] == u)
            return true;
    return false;
}

/* [sigma A, p V] by rows; what observers contribute they know, and their values are 0. */
static void stack(const netdp_i_siege *s, double prior, double *stacked)
{
    const int64_t draws = s->map.draws, high = draws + s->nodes;
    for (int64_t i = 0; i < s->map.count; i++) {
        double *row = stacked + i * high;
        for (int64_t k = 0; k < draws; k++)
            row[k] = s->attack->noise * s->map.map[i * draws + k];
        for (int32_t u = 0; u < s->nodes; u++)
            row[draws + u] =
                netdp_i_siege_observes(s, u) ? 0 : prior * s->map.values[i * s->nodes + u];
    }
}

/* From the factors of dgeqp3: weights and expected errors. `r` [rank][rank], `part` [rank][nodes]. */
static void weigh(netdp_i_siege *s, double prior, const double *q, const double *r,
                  const lapack_int *pick, int rank, double *part, double *expected)
{
    const int64_t high = s->map.draws + s->nodes;
    for (int32_t u = 0; u < s->nodes; u++) {
        double known = 0;
        for (int j = 0; j < rank; j++) {
            const double of = q[j * high + s->map.draws + u];
            part[(int64_t)j * s->nodes + u] = prior * of;
            known += of * of;
        }
        expected[u] = netdp_i_siege_observes(s, u) ? 0 : prior * sqrt(fmax(0, 1 - known));
    }
    /* R is upper triangular by columns: by rows that is its transpose, lower. */
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, rank, s->nodes, 1,
                r, rank, part, s->nodes);
    for (int j = 0; j < rank; j++)
        memcpy(s->weight + (pick[j] - 1) * (int64_t)s->columns, part + (int64_t)j * s->nodes,
               (size_t)s->nodes * sizeof *part);
}

netdp_status netdp_i_siege_estimate(netdp_i_siege *s, double prior, double *expected,
                                    netdp_error *error)
{
    const lapack_int count = (lapack_int)s->map.count;
    const lapack_int high = (lapack_int)(s->map.draws + s->nodes);
    const lapack_int least = count < high ? count : high;
    double *stacked = NETDP_I_NEW(double, (int64_t)count *high);
    double *tau = NETDP_I_NEW(double, least);
    double *r = NETDP_I_NEW(double, (int64_t)least *least);
    double *part = NETDP_I_NEW(double, (int64_t)least * s->nodes);
    lapack_int *pick = NETDP_I_NEW(lapack_int, count);
    lapack_int rank = 0;
    bool fine = stacked != NULL && tau != NULL && r != NULL && part != NULL && pick != NULL;
    if (fine) {
        stack(s, prior, stacked);
        netdp_i_dense_begin();
        fine = LAPACKE_dgeqp3(LAPACK_COL_MAJOR, high, count, stacked, high, pick, tau) == 0;
    }
    while (fine && rank < least &&
           fabs(stacked[(int64_t)rank * high + rank]) > RANK_TOLERANCE * fabs(stacked[0]))
        rank++;
    for (int64_t j = 0; fine && j < rank; j++)
        memcpy(r + j * rank, stacked + j * high, (size_t)(j + 1) * sizeof *r);
    if (fine && rank > 0)
        fine = LAPACKE_dorgqr(LAPACK_COL_MAJOR, high, rank, rank, stacked, high, tau) == 0;
    if (fine && rank > 0)
        weigh(s, prior, stacked, r, pick, rank, part, expected);
    netdp_i_free(stacked);
    netdp_i_free(tau);
    netdp_i_free(r);
    netdp_i_free(part);
    netdp_i_free(pick);
    return fine ? NETDP_OK : netdp_i_no_memory(error);
}

/* ---- Runs ---- */

typedef struct replay {
    const netdp_i_siege *siege;
    const netdp_progress *progress;
    netdp_run_seed seed;
    int32_t width;
    int64_t next;      /* number of the view */
    double *value;     /* [nodes][width] */
    double *statistic; /* [columns][width] */
    double *drawn;     /* [width] */
} replay;

static void draw_values(replay *r)
{
    for (int32_t u = 0; u < r->siege->nodes; u++) {
        netdp_stream stream =
            netdp_stream_at(r->seed.seed, NETDP_FOR_DATA, (uint32_t)u, r->seed.repeat);
        for (int32_t j = 0; j < r->width && !netdp_i_siege_observes(r->siege, u); j++) {
            const double value = netdp_stream_uniform(&stream) - 0.5;
            r->value[(int64_t)u * r->width + j] = r->siege->ends ? copysign(0.5, value) : value;
        }
    }
}

static void contribute(void *context, int64_t round, double *message)
{
    const replay *r = context;
    for (int32_t u = 0; u < r->siege->nodes; u++)
        if (netdp_i_timeline_contributes(&r->siege->timeline, round, u))
            cblas_daxpy(r->width, 1, r->value + (int64_t)u * r->width, 1,
                        message + (int64_t)u * r->width, 1);
}

static void hear(replay *r, const double *number)
{
    const netdp_i_siege *s = r->siege;
    cblas_dger(CblasRowMajor, s->columns, r->width, 1, s->weight + r->next * s->columns, 1, number,
               1, r->statistic, r->width);
    r->next++;
}

static const double *own_draw(const replay *r, const netdp_i_seen_event *at)
{
    const double noise = r->siege->attack->noise;
    memset(r->drawn, 0, (size_t)r->width * sizeof *r->drawn);
    if (at->kind == NETDP_I_SIGHT_PAIR)
        netdp_i_pair_noise(r->drawn, at->node, r->width, noise, r->seed, at->round);
    else
        netdp_i_node_noise(r->drawn, at->node, r->width, noise, r->seed, at->round, 0);
    return r->drawn;
}

static void observe(void *context, int64_t round, double *message)
{
    replay *r = context;
    const netdp_i_gossip_map *map = &r->siege->map;
    for (const netdp_i_seen_event *at = map->sight + r->next;
         r->next < map->count && at->round == round && at->kind != NETDP_I_SIGHT_STATE; at++)
        hear(r, at->kind == NETDP_I_SIGHT_MESSAGE ? message + (int64_t)at->node * r->width
                                                  : own_draw(r, at));
}

static bool report(void *context, int64_t step, const double *state)
{
    replay *r = context;
    const netdp_i_gossip_map *map = &r->siege->map;
    while (step == r->siege->attack->protocol->rounds && r->next < map->count)
        hear(r, state + (int64_t)map->sight[r->next].node * r->width);
    return netdp_i_poll(r->progress, NULL) == NETDP_OK;
}

typedef struct campaign {
    const netdp_i_siege *siege;
    int64_t runs;
    const netdp_progress *progress;
} campaign;

static void replay_clear(replay *r)
{
    netdp_i_free(r->value);
    netdp_i_free(r->statistic);
    netdp_i_free(r->drawn);
}

static netdp_status run_batch(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    const campaign *c = context;
    const netdp_i_siege *s = c->siege;
    const int64_t first = index * NETDP_I_SIEGE_BATCH, left = c->runs - first;
    CLEARED(replay_clear)
    replay r = {.siege = s,
                .progress = c->progress,
                .seed = {s->attack->seed, (uint64_t)index},
                .width = left < NETDP_I_SIEGE_BATCH ? (int32_t)left : NETDP_I_SIEGE_BATCH};
    const int64_t size = (int64_t)s->nodes * r.width;
    OWNED double *state = NETDP_I_NEW(double, size);
    r.value = NETDP_I_NEW(double, size);
    r.statistic = NETDP_I_NEW(double, (int64_t)s->columns *r.width);
    r.drawn = NETDP_I_NEW(double, r.width);
    const netdp_i_round_hooks rounds = {
        .contribute = contribute, .report = report, .context = &r, .observe = observe};
    if (state == NULL || r.value == NULL || r.statistic == NULL || r.drawn == NULL)
        return netdp_i_no_memory(error);
    draw_values(&r);
    TRY(netdp_i_gossip(s->attack->protocol, s->attack->noise, r.width, r.seed, &rounds, state,
                       error));
    s->take(s->context, first, r.width, r.value, r.statistic);
    return NETDP_OK;
}

netdp_status netdp_i_siege_run(const netdp_i_siege *siege, int64_t runs, const char *stage,
                               const netdp_progress *progress, netdp_error *error)
{
    campaign c = {siege, runs, progress};
    return netdp_i_for_each((runs + NETDP_I_SIEGE_BATCH - 1) / NETDP_I_SIEGE_BATCH, run_batch, &c,
                            progress, stage, error);
}

/* ---- All ---- */

static netdp_status check(const netdp_gossip_attack *attack, netdp_error *error)
{
    TRY(netdp_linear_check(attack->protocol, error));
    const int32_t nodes = netdp_mixing_rows(attack->protocol->mixing).nodes;
    if (attack->protocol->every > 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "audit: of everybody, a value is contributed once; attack averaging");
    if (!netdp_mixing_is_symmetric(attack->protocol->mixing))
        return netdp_i_fail(error, NETDP_INVALID,
                            "audit: mixing '%s' is not symmetric on this graph; give metropolis",
                            netdp_mixing_name(attack->protocol->mixing));
    if (!(attack->noise >= 0) || isinf(attack->noise))
        return netdp_i_fail(error, NETDP_INVALID,
                            "audit: noise %g; give a finite number, 0 or above", attack->noise);
    if (attack->runs < 2 || attack->runs >> 32 != 0)
        return netdp_i_fail(error, NETDP_INVALID, "audit: runs: give 2 or more, below 2^32");
    if (attack->faults != 0 || attack->pattern != NULL || attack->honest != NETDP_HONEST_SILENT)
        return netdp_i_fail(error, NETDP_INVALID,
                            "audit: of everybody, honest nodes average what they have; "
                            "leave faults, patterns and honest behaviour out");
    bool good = attack->view.count > 0 && attack->view.observers != NULL;
    for (int32_t i = 0; good && i < attack->view.count; i++) {
        const int32_t v = attack->view.observers[i];
        good = v >= 0 && v < nodes;
        for (int32_t j = 0; good && j < i; j++)
            good = v != attack->view.observers[j];
    }
    if (!good)
        return netdp_i_fail(error, NETDP_INVALID,
                            "audit: give distinct observers among nodes 0 .. %d", (int)nodes - 1);
    return NETDP_OK;
}

netdp_status netdp_i_siege_new(netdp_i_siege *s, const netdp_gossip_attack *attack, int32_t a_node,
                               netdp_error *error)
{
    /* The map has a victim's response beside the others; which one is of no matter here. */
    static const double one = 1;
    const netdp_i_gossip_model model = {
        .timeline = &s->timeline, .view = &attack->view, .pattern = &one};
    s->attack = attack;
    s->nodes = netdp_mixing_rows(attack->protocol->mixing).nodes;
    s->columns = a_node * s->nodes;
    TRY(check(attack, error));
    TRY(netdp_i_timeline_new(attack->protocol, &s->timeline, error));
    TRY(netdp_i_gossip_map_new(&model, true, &s->map, error));
    s->weight = NETDP_I_NEW(double, s->map.count * s->columns);
    return s->weight == NULL ? netdp_i_no_memory(error) : NETDP_OK;
}

void netdp_i_siege_clear(netdp_i_siege *s)
{
    netdp_i_timeline_clear(&s->timeline);
    netdp_i_gossip_map_clear(&s->map);
    netdp_i_free(s->weight);
    *s = (netdp_i_siege){0};
}

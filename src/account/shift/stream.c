/*
 * All contributions of a stream, each a lane: from no displacement at all Newton's step goes to the least one at once, backwards
 * before the contribution and forward behind it.
 */
#include "account/shift/stream.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "account/shift/pairs.h"
#include "account/shift/reach.h"
#include "account/shift/stretch.h"
#include "base/fail.h"
#include "base/pool.h"
#include "base/try.h"
#include "base/parallel.h"

/* Lanes at a time, if there are no more contributions than that: several sources. */
enum { BLOCK = 32 };

/* Sources of a block, one behind another; each has its contributions as lanes. */
typedef struct block {
    const netdp_i_shift_problem *problem;
    int64_t slots;
    netdp_i_displacement of;
    int32_t *source, sources; /* [lanes] */
    int64_t *when;            /* [lanes] */
    int32_t index[BLOCK];
    netdp_i_moved moved;
    double *loss, *gain;       /* [lanes] */
    double *m;                 /* [slots][slots] */
    double *long_m, *long_off; /* of a stream that is stretched, else NULL */
    const netdp_i_shift_sink *sink;
    netdp_i_dense *dense;
    netdp_i_pool pool;
} block;

static netdp_status block_new(const netdp_i_shift_problem *p, int64_t lanes, block *b,
                              netdp_error *error)
{
    const int64_t cells = p->rounds * p->nodes * lanes, slots = netdp_i_shift_slots(p);
    const int64_t pairs = slots * p->pair_count * lanes;
    netdp_i_pool *pool = &b->pool;
    b->problem = p;
    b->slots = slots;
    b->of.g = NETDP_I_TAKE(pool, double, cells);
    b->of.c = NETDP_I_TAKE(pool, double, pairs);
    b->of.source = b->source = NETDP_I_TAKE(pool, int32_t, lanes);
    b->of.when = b->when = NETDP_I_TAKE(pool, int64_t, lanes);
    b->moved.v = NETDP_I_TAKE(pool, double, cells + p->nodes * lanes);
    b->moved.pull = NETDP_I_TAKE(pool, double, pairs);
    b->moved.off = NETDP_I_TAKE(pool, double, lanes);
    b->loss = NETDP_I_TAKE(pool, double, lanes);
    b->gain = NETDP_I_TAKE(pool, double, lanes);
    b->m = NETDP_I_TAKE(pool, double, slots *slots);
    return netdp_i_pool_made(pool, error);
}

static void block_clear(block *b)
{
    netdp_i_dense_free(b->dense);
    netdp_i_pool_clear(&b->pool);
}

static void add_source(block *b, int32_t u, int32_t index)
{
    const int64_t every = b->problem->every > 0 ? b->problem->every : 1;
    for (int64_t k = 0; k < b->slots; k++) {
        b->source[b->of.lanes] = u;
        b->when[b->of.lanes++] = k * every;
    }
    b->index[b->sources++] = index;
}

/* Nothing moves but the noise that takes up the contribution. */
static void begin(block *b)
{
    const netdp_i_shift_problem *p = b->problem;
    const int64_t lanes = b->of.lanes, cells = p->nodes * lanes;
    memset(b->of.g, 0, (size_t)(p->rounds * cells) * sizeof *b->of.g);
    memset(b->of.c, 0, (size_t)(b->slots * p->pair_count * lanes) * sizeof *b->of.c);
    memset(b->moved.v, 0, (size_t)((p->rounds + 1) * cells) * sizeof *b->moved.v);
    for (int64_t l = 0; l < lanes; l++)
        b->moved.v[b->when[l] * cells + b->source[l] * lanes + l] = -1;
    for (int64_t t = 0, slot = 0; p->pair_count > 0 && t < p->rounds; t++)
        if (netdp_i_shift_contributes(p, t))
            netdp_i_shift_pairs_pull(p, b->moved.v + t * cells,
                                     b->moved.pull + slot++ * p->pair_count * lanes,
                                     (int32_t)lanes);
}

/* m of the s-th source: both triangles. */
static void multiply(block *b, int64_t s)
{
    const netdp_i_shift_problem *p = b->problem;
    const int lanes = b->of.lanes, n = (int)b->slots;
    const double *v = b->moved.v + s * b->slots, *c = b->of.c + s * b->slots;
    memset(b->m, 0, (size_t)(b->slots * b->slots) * sizeof *b->m);
    for (int64_t t = 0; t <= p->rounds; t++)
        cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, n, p->nodes, 1, v + t * p->nodes * lanes,
                    lanes, 1, b->m, n);
    for (int64_t slot = 0; p->pair_count > 0 && slot < b->slots; slot++)
        cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, n, (int)p->pair_count, 1,
                    c + slot * p->pair_count * lanes, lanes, 1, b->m, n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            b->m[i * n + j] = b->m[j * n + i];
}

static netdp_status stretch(block *b, int64_t s, const double *off, netdp_error *error)
{
    const netdp_i_short_stream from = {.problem = b->problem,
                                       .slots = b->slots,
                                       .lanes = b->of.lanes,
                                       .v = b->moved.v + s * b->slots,
                                       .c = b->of.c + s * b->slots,
                                       .m = b->m,
                                       .off = off};
    return netdp_i_shift_stretch(&from, b->sink->length, b->long_m, b->long_off, error);
}

static netdp_status hand_on(block *b, netdp_error *error)
{
    const netdp_i_shift_problem *p = b->problem;
    const int64_t most = p->nodes > p->pair_count ? p->nodes : p->pair_count;
    for (int32_t s = 0; s < b->sources; s++) {
        multiply(b, s);
        const double *off = b->moved.off + s * b->slots;
        const netdp_i_shift_products products = {.index = b->index[s],
                                                 .terms = most + p->rounds + b->slots + 4,
                                                 .m = b->long_m != NULL ? b->long_m : b->m,
                                                 .off = b->long_m != NULL ? b->long_off : off};
        if (b->long_m != NULL)
            TRY(stretch(b, s, off, error));
        TRY(b->sink->take(b->sink->context, &products, error));
    }
    return NETDP_OK;
}

/*
 * Several steps where noises are far apart, and where nodes are carried, of which the recursion does not see that ties hear them. What each
 * proves is handed on.
 */
static netdp_status settle(block *b, netdp_error *error)
{
    const netdp_i_shift_problem *problem = b->problem;
    bool helps = true;
    begin(b);
    for (int step = 0; helps && step < NETDP_I_NEWTON_STEPS; step++) {
        TRY(netdp_i_dense_refine(b->dense, &b->of, &b->moved, b->gain, error));
        helps = false;
        for (int32_t l = 0; step > 0 && l < b->of.lanes; l++)
            helps = helps || netdp_i_newton_helps(b->gain[l], b->loss[l]);
        if (step > 0 && !helps)
            break;
        TRY(netdp_i_displacement_loss(problem, &b->of, b->loss, &b->moved, error));
        if (b->sink != NULL)
            TRY(hand_on(b, error));
        helps = !problem->fixed || !netdp_i_shift_is_even(problem);
    }
    return NETDP_OK;
}

/* Nothing of it comes into what is seen. */
static netdp_status hand_nothing(block *b, int32_t index, netdp_error *error)
{
    const int64_t length = b->sink->length;
    double *m = b->long_m != NULL ? b->long_m : b->m,
           *off = b->long_m != NULL ? b->long_off : b->moved.off;
    memset(m, 0, (size_t)(length * length) * sizeof *m);
    memset(off, 0, (size_t)length * sizeof *off);
    const netdp_i_shift_products none = {.index = index, .m = m, .off = off};
    return b->sink->take(b->sink->context, &none, error);
}

netdp_status netdp_i_shift_stream(const netdp_i_shift_problem *problem, const netdp_i_sources *of,
                                  const netdp_i_shift_sink *sink, const netdp_progress *progress,
                                  netdp_error *error)
{
    const int64_t slots = netdp_i_shift_slots(problem);
    const int64_t at_once = slots < BLOCK ? BLOCK / slots : 1;
    OWNED bool *reached = netdp_i_shift_reached(problem);
    CLEARED(block_clear) block b = {.sink = sink};
    TRY(block_new(problem, at_once * slots, &b, error));
    if (sink->length > slots) {
        b.long_m = NETDP_I_TAKE(&b.pool, double, sink->length * sink->length);
        b.long_off = NETDP_I_TAKE(&b.pool, double, sink->length);
    }
    if (reached == NULL || b.pool.failed)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < of->count; i++) {
        const int32_t u = of->node[i];
        if (problem->round[0].part[u] == NETDP_I_PART_KNOWN)
            continue;
        if (!reached[u]) {
            TRY(hand_nothing(&b, i, error));
            continue;
        }
        if (b.dense == NULL)
            TRY(netdp_i_dense_new(problem, progress, &b.dense, error));
        add_source(&b, u, i);
        if (b.sources == at_once) {
            TRY(settle(&b, error));
            b.of.lanes = b.sources = 0;
            TRY(netdp_i_poll(progress, error));
        }
    }
    return b.sources > 0 ? settle(&b, error) : NETDP_OK;
}

netdp_status netdp_i_shift_stream_story(const netdp_i_shift_problem *problem,
                                        netdp_i_displacement *displacement,
                                        const netdp_i_shift_sink *sink, netdp_error *error)
{
    const int64_t slots = netdp_i_shift_slots(problem);
    CLEARED(block_clear) block b = {0};
    TRY(block_new(problem, slots, &b, error));
    TRY(netdp_i_dense_new(problem, NULL, &b.dense, error));
    add_source(&b, displacement->source[0], 0);
    TRY(settle(&b, error));
    b.sink = sink; /* of where the last step came to */
    TRY(netdp_i_displacement_loss(problem, &b.of, b.loss, &b.moved, error));
    TRY(hand_on(&b, error));
    memcpy(displacement->g, b.of.g,
           (size_t)(problem->rounds * problem->nodes * slots) * sizeof *b.of.g);
    memcpy(displacement->c, b.of.c, (size_t)(slots * problem->pair_count * slots) * sizeof *b.of.c);
    return NETDP_OK;
}

/* Multiplications a second of one core: of products of matrices, and of sparse rows that keep what they round off. */
#define RATE 1e10

void netdp_i_shift_stream_cost(int32_t nodes, int64_t rounds, int64_t slots, int64_t entries,
                               int64_t pairs, double *seconds, double *bytes)
{
    const double n = nodes, t = (double)rounds, k = (double)slots, e = (double)entries;
    const double back = t * (16 * n * n * n + n * e);
    const double each = t * (8 * n * n + 60 * e + n * k) + k * (double)pairs * (k + 60);
    *seconds = (back + n * k * each) / RATE;
    *bytes = 8 * (t * n * n + 12 * n * n + fmax(k, BLOCK) * (5 * t * n + 3 * k * (double)pairs) +
                  fmax(k, BLOCK) * k * n);
}

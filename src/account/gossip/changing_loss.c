/*
 * Losses of changing networks: of averaging, of streams and of phases, from changing.c, round by
 * round.
 */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "account/gossip/changing.h"
#include "account/gossip/stream.h"
#include "account/observe/filter.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"

/* The responses of a block take up to this. */
#define BLOCK_BYTES 2.5e8

typedef struct changing {
    const netdp_linear *protocol;
    const netdp_i_watcher *watcher;
    netdp_bound bound;
    const double *pattern;
    const int32_t *from;
    int32_t count;
    double *loss;
    const netdp_progress *progress;
    int32_t slots, block; /* several contributions: their rounds, and nodes taken together */
} changing;

/* loss[i] += |column i of w|^2, of the first `count`. */
static void add_squares(const netdp_i_changing *c, int32_t count, double *loss)
{
    for (int64_t j = 0; j < c->seen_count; j++)
        for (int32_t i = 0; i < count; i++) {
            const double w = c->w[j * c->columns + i];
            loss[i] += w * w;
        }
}

static void mark_told(const netdp_i_changing *c, int32_t count, double *loss)
{
    for (int32_t i = 0; i < count; i++)
        if (c->told[i])
            loss[i] = INFINITY;
}

/* ---- One contribution, or one pattern: a response for each node ---- */

/* c_k of the contribution in round t, its first of all. */
static double amount_of(const changing *a, int64_t t)
{
    if (a->pattern != NULL)
        return a->pattern[a->protocol->every > 0 ? t / a->protocol->every : 0];
    return 1;
}

static void contribute(const changing *a, netdp_i_changing *c, int64_t t)
{
    for (int32_t i = 0; i < a->count; i++)
        if (netdp_i_changing_contributes(c, t, a->from[i]))
            netdp_i_changing_contribute(c, a->from[i], i, amount_of(a, t));
}

static netdp_status run_pattern(const changing *a, netdp_error *error)
{
    const netdp_linear *p = a->protocol;
    CLEARED(netdp_i_changing_clear) netdp_i_changing c = {0};
    TRY(netdp_i_changing_new(p, a->watcher, a->count, &c, error));
    TRY(netdp_i_changing_begin(&c, 0, netdp_linear_noise(p, 0), error));
    memset(a->loss, 0, (size_t)a->count * sizeof *a->loss);
    for (int64_t t = 0; t < p->rounds; t++) {
        contribute(a, &c, t);
        TRY(netdp_i_changing_observe(&c, error));
        add_squares(&c, a->count, a->loss);
        if (t + 1 < p->rounds)
            TRY(netdp_i_changing_predict(&c, t + 1, netdp_linear_noise(p, t + 1), error));
        TRY(netdp_i_report(a->progress, "accounting", (double)(t + 1), (double)p->rounds, error));
    }
    if (c.sums) {
        TRY(netdp_i_changing_last(&c, false, 0, error));
        add_squares(&c, a->count, a->loss);
    }
    mark_told(&c, a->count, a->loss);
    return NETDP_OK;
}

/* ---- Several contributions: M of each node, a response for each contribution ---- */

typedef struct matrices {
    netdp_i_changing filter;
    netdp_i_dual *quadratic;
    double *m;    /* [block][slots][slots], lower triangles of the columns */
    double *rows; /* [nodes][slots] */
} matrices;

static void matrices_clear(matrices *x)
{
    netdp_i_changing_clear(&x->filter);
    netdp_i_dual_free(x->quadratic);
    netdp_i_free(x->m);
    netdp_i_free(x->rows);
}

/* M += w^T w for each node; columns of w are [slot][node of the block]. */
static void add_products(const changing *a, matrices *x, int32_t nodes)
{
    const netdp_i_changing *c = &x->filter;
    const int64_t slots = a->slots;
    if (c->gain.rank == 0 || c->used == 0)
        return;
    for (int64_t i = 0; i < nodes; i++) {
        for (int64_t j = 0; j < c->gain.rank; j++)
            for (int64_t k = 0; k < slots; k++)
                x->rows[j * slots + k] =
                    k * nodes + i < c->used ? c->w[j * c->columns + k * nodes + i] : 0;
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, a->slots, c->gain.rank, 1, x->rows,
                    a->slots, 1, x->m + i * slots * slots, a->slots);
    }
}

static netdp_status fill_matrices(const changing *a, matrices *x, const int32_t *from,
                                  int32_t nodes, netdp_error *error)
{
    const netdp_linear *p = a->protocol;
    netdp_i_changing *c = &x->filter;
    TRY(netdp_i_changing_begin(c, 0, netdp_linear_noise(p, 0), error));
    for (int64_t t = 0; t < p->rounds; t++) {
        for (int32_t i = 0; i < nodes; i++)
            if (netdp_i_changing_contributes(c, t, from[i]))
                netdp_i_changing_contribute(c, from[i], (int32_t)(t / p->every) * nodes + i, 1);
        TRY(netdp_i_changing_observe(c, error));
        add_products(a, x, nodes);
        if (t + 1 < p->rounds)
            TRY(netdp_i_changing_predict(c, t + 1, netdp_linear_noise(p, t + 1), error));
        TRY(netdp_i_poll(a->progress, error));
    }
    if (c->sums) {
        TRY(netdp_i_changing_last(c, false, 0, error));
        add_products(a, x, nodes);
    }
    return NETDP_OK;
}

static netdp_status bound_block(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    const changing *a = context;
    const int32_t first = (int32_t)index * a->block;
    const int32_t nodes = a->count - first < a->block ? a->count - first : a->block;
    const int64_t square = (int64_t)a->slots * a->slots;
    const int32_t n = netdp_mixing_rows(a->protocol->mixing).nodes;
    const int32_t most = (int32_t)fmin(a->slots, (double)netdp_linear_contributions(a->protocol));
    CLEARED(matrices_clear)
    matrices x = {.m = NETDP_I_NEW(double, nodes *square),
                  .rows = NETDP_I_NEW(double, (int64_t)n * a->slots)};
    if (x.m == NULL || x.rows == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_changing_new(a->protocol, a->watcher, nodes * a->slots, &x.filter, error));
    TRY(netdp_i_dual_new(a->slots, &x.quadratic, error));
    TRY(fill_matrices(a, &x, a->from + first, nodes, error));
    for (int32_t i = 0; i < nodes; i++) {
        double *loss = &a->loss[first + i];
        TRY(netdp_i_stream_bound(x.quadratic, a->bound, x.m + i * square, a->slots, most, loss,
                                 error));
        for (int32_t k = 0; k < a->slots; k++)
            if (x.filter.told[k * nodes + i])
                *loss = INFINITY;
    }
    return NETDP_OK;
}

static netdp_status run_stream(changing *a, netdp_error *error)
{
    const netdp_linear *p = a->protocol;
    const int32_t n = netdp_mixing_rows(p->mixing).nodes;
    const int64_t slots = (p->rounds - 1) / p->every + 1;
    if (slots > NETDP_I_EXPLICIT)
        return netdp_i_fail(error, NETDP_NO_ANSWER,
                            "%lld contributions through a changing network: at most %d are bounded "
                            "together; use fewer rounds, --pattern, or --bound everything",
                            (long long)slots, NETDP_I_EXPLICIT);
    a->slots = (int32_t)slots;
    /* A block runs the filter again: worth it once its responses cost as much as the filter. */
    const double each = 8.0 * (2.0 * n * (double)slots + (double)slots * (double)slots);
    const double wanted = ceil(2.0 * n / (double)slots);
    a->block = (int32_t)fmax(1, fmin(fmin(wanted, a->count), BLOCK_BYTES / each));
    return netdp_i_for_each((a->count + a->block - 1) / a->block, bound_block, a, a->progress,
                            "nodes", error);
}

/* ---- Learning: the sum of its phases ---- */

static netdp_status run_phase(const changing *a, netdp_i_changing *c, int64_t phase, double *loss,
                              netdp_error *error)
{
    const netdp_linear *p = a->protocol;
    const int64_t begin = phase * p->every;
    memset(loss, 0, (size_t)a->count * sizeof *loss);
    /* The observers know every state at the start, and own noise once more where it counts. */
    for (int32_t i = 0; i < a->watcher->count; i++)
        c->quiet[a->watcher->member[i]] = a->watcher->quiet;
    TRY(netdp_i_changing_begin(c, begin, 1, error));
    for (int32_t i = 0; i < a->count; i++)
        netdp_i_changing_contribute(c, a->from[i], i, 1);
    for (int64_t t = begin; t < begin + p->every; t++) {
        TRY(netdp_i_changing_observe(c, error));
        add_squares(c, a->count, loss);
        if (t + 1 < begin + p->every)
            TRY(netdp_i_changing_predict(c, t + 1, p->noise.dither, error));
    }
    TRY(netdp_i_changing_last(c, true, p->noise.end, error));
    add_squares(c, a->count, loss);
    mark_told(c, a->count, loss);
    return NETDP_OK;
}

static netdp_status run_phases(const changing *a, netdp_error *error)
{
    const int64_t phases = a->protocol->rounds / a->protocol->every;
    CLEARED(netdp_i_changing_clear) netdp_i_changing c = {0};
    OWNED double *loss = NETDP_I_NEW(double, a->count);
    TRY(netdp_i_changing_new(a->protocol, a->watcher, a->count, &c, error));
    if (loss == NULL)
        return netdp_i_no_memory(error);
    memset(a->loss, 0, (size_t)a->count * sizeof *a->loss);
    for (int64_t k = 0; k < phases; k++) {
        TRY(run_phase(a, &c, k, loss, error));
        /* Whatever rounding says, of one contribution local differential privacy holds. */
        for (int32_t i = 0; i < a->count; i++)
            a->loss[i] += fmin(loss[i], 1);
        TRY(netdp_i_report(a->progress, "phases", (double)(k + 1), (double)phases, error));
    }
    return NETDP_OK;
}

netdp_status netdp_i_changing_loss(const netdp_linear *protocol, const netdp_i_watcher *watcher,
                                   netdp_bound bound, const double *pattern,
                                   const netdp_i_sources *of, const netdp_progress *progress,
                                   netdp_error *error)
{
    changing a = {.protocol = protocol,
                  .watcher = watcher,
                  .bound = bound,
                  .pattern = pattern,
                  .from = of->node,
                  .count = of->count,
                  .loss = of->loss,
                  .progress = progress};
    if (bound == NETDP_BOUND_PHASE_RELEASE)
        return run_phases(&a, error);
    return protocol->every == 0 || pattern != NULL ? run_pattern(&a, error) : run_stream(&a, error);
}

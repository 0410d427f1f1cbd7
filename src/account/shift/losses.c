/* All sources of one observer set, block by block: found, refined where that helps, evaluated. */
#include <math.h>
#include <string.h>

#include "account/shift/dense.h"
#include "account/shift/reach.h"
#include "base/fail.h"
#include "base/pool.h"
#include "base/try.h"
#include "mixing/twins.h"

/* Sources that go forward together. */
enum { BLOCK = 32 };

/* A step that gains less than this part of the loss, or this much, is the last. */
#define GAIN 1e-11
#define LEAST_GAIN 1e-22

bool netdp_i_newton_helps(double gain, double loss)
{
    return gain > fmax(GAIN * loss, LEAST_GAIN);
}

/* reached[nodes]: of whom something comes into what is seen, in some round; `next`, `after`: of the two rounds behind. */
static void mark_round(const netdp_i_shift_problem *p, int64_t t, const bool *next,
                       const bool *after, bool *reached)
{
    const netdp_i_shift_round *round = &p->round[t];
    for (int32_t v = 0; v < p->nodes; v++) {
        reached[v] = round->part[v] == NETDP_I_PART_SEEN || round->part[v] == NETDP_I_PART_KNOWN ||
                     (p->weight > 1 && after[v]);
        for (int64_t k = round->rows.start[v]; !reached[v] && k < round->rows.start[v + 1]; k++)
            reached[v] = next[round->rows.column[k]] && round->rows.weight[k] != 0;
    }
}

/* W is symmetric, so that a row's columns are those whom it reaches. */
bool *netdp_i_shift_reached(const netdp_i_shift_problem *p)
{
    OWNED bool *all = NETDP_I_NEW(bool, 3 * (int64_t)p->nodes);
    OWNED bool *made = NETDP_I_NEW(bool, p->nodes);
    if (all == NULL || made == NULL)
        return NULL;
    bool *next = all, *after = all + p->nodes, *now = all + 2 * (int64_t)p->nodes;
    const netdp_i_shift_tie *tie = p->round[p->rounds - 1].tie;
    for (int32_t v = 0; v < p->nodes; v++)
        next[v] = p->end > 0;
    for (int32_t i = 0; tie != NULL && i < tie->listed; i++)
        next[tie->observer[i]] = true;
    for (int64_t t = p->rounds - 1; t >= 0; t--) {
        mark_round(p, t, next, after, now);
        for (int32_t v = 0; netdp_i_shift_contributes(p, t) && v < p->nodes; v++)
            made[v] = made[v] || now[v];
        bool *spare = after;
        after = next;
        next = now;
        now = spare;
    }
    return GIVE(made);
}

/* Where no noise is that much louder than another the recursion needs no Newton step: its error, 2^-53 of this or so, counts by its square. */
#define EVEN 100

bool netdp_i_shift_is_even(const netdp_i_shift_problem *p)
{
    double least = 1, most = 1;
    for (int64_t e = 0; e < p->pair_count; e++)
        most = fmax(most, p->kappa[e]);
    for (int64_t t = 0; t <= p->rounds; t++) {
        const double noise = t < p->rounds ? p->round[t].noise : p->end > 0 ? p->end : 1;
        least = fmin(least, noise);
        most = fmax(most, noise);
    }
    return most <= EVEN * least;
}

/* A block at work. */
typedef struct block {
    netdp_i_displacement of;
    int32_t source[BLOCK], index[BLOCK]; /* and where its loss belongs */
    netdp_i_moved moved;
    netdp_i_displacement *best; /* of one lane, or NULL */
    netdp_i_dense *dense;
    netdp_i_pool pool;
} block;

static netdp_status block_new(const netdp_i_shift_problem *p, block *b, netdp_error *error)
{
    const int64_t cells = (int64_t)p->nodes * BLOCK;
    b->of.g = NETDP_I_TAKE(&b->pool, double, cells * p->rounds);
    b->of.c = NETDP_I_TAKE(&b->pool, double, p->pair_count *BLOCK);
    b->moved.v = NETDP_I_TAKE(&b->pool, double, cells *(p->rounds + 1));
    b->moved.pull = NETDP_I_TAKE(&b->pool, double, p->pair_count *BLOCK);
    return netdp_i_pool_made(&b->pool, error);
}

static void block_clear(block *b)
{
    netdp_i_dense_free(b->dense);
    netdp_i_pool_clear(&b->pool);
}

/* The story of one source so far, where it is asked for. */
static void keep(const netdp_i_shift_problem *p, const block *b, double now, double *loss)
{
    if (b->best == NULL || !(now < *loss))
        return;
    memcpy(b->best->g, b->of.g, (size_t)(p->rounds * p->nodes) * sizeof *b->of.g);
    memcpy(b->best->c, b->of.c, (size_t)p->pair_count * sizeof *b->of.c);
}

/* Every displacement bounds its loss: the least of those on the way counts. */
static netdp_status prove(const netdp_i_shift_problem *p, block *b, double *loss,
                          netdp_error *error)
{
    double now[BLOCK], gain[BLOCK];
    const bool even = netdp_i_shift_is_even(p);
    b->of.source = b->source;
    for (int32_t l = 0; l < b->of.lanes; l++)
        loss[b->index[l]] = INFINITY;
    TRY(netdp_i_dense_find(b->dense, &b->of, error));
    for (int step = 0;; step++) {
        TRY(netdp_i_displacement_loss(p, &b->of, now, even ? NULL : &b->moved, error));
        for (int32_t l = 0; l < b->of.lanes; l++) {
            keep(p, b, now[l], &loss[b->index[l]]);
            loss[b->index[l]] = fmin(loss[b->index[l]], now[l]);
        }
        if (even || step == NETDP_I_NEWTON_STEPS)
            return NETDP_OK;
        TRY(netdp_i_dense_refine(b->dense, &b->of, &b->moved, gain, error));
        bool helps = false;
        for (int32_t l = 0; l < b->of.lanes; l++)
            helps = helps || netdp_i_newton_helps(gain[l], now[l]);
        if (!helps)
            return NETDP_OK;
    }
}

/* Nobody hears of it, or it is heard under its own noise alone, or it does not contribute. */
static bool is_plain(const netdp_i_shift_problem *p, const bool *reached, int32_t u, double *loss)
{
    const char part = p->round[0].part[u];
    *loss = part == NETDP_I_PART_CARRIED || !reached[u] ? 0 : 1;
    return *loss == 0 || (part == NETDP_I_PART_SEEN && p->pair_count == 0) ||
           part == NETDP_I_PART_KNOWN;
}

static bool are_seen_alike(const netdp_i_shift_problem *p, int32_t u, int32_t v)
{
    for (int64_t t = 0; t < p->rounds; t++)
        if (p->round[t].part[u] != p->round[t].part[v])
            return false;
    return !(p->end > 0) || p->exempt[u] == p->exempt[v];
}

/* like[count]: of whom a source's loss is, by index: of a twin before it that is seen as it is, or its own. */
static netdp_status find_alike(const netdp_i_shift_problem *p, const netdp_i_sources *of,
                               int32_t *like, netdp_error *error)
{
    OWNED char *none = NETDP_I_NEW(char, p->nodes);
    OWNED int32_t *twin = NETDP_I_NEW(int32_t, p->nodes);
    OWNED int32_t *last = NETDP_I_NEW(int32_t, p->nodes); /* of each kind so far, from 1 */
    int32_t kinds = 0;
    if (none == NULL || twin == NULL || last == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_twins(p->round[0].rows, none, twin, &kinds, error));
    for (int32_t i = 0; i < of->count; i++) {
        int32_t *before = &last[twin[of->node[i]]];
        if (*before == 0 || !are_seen_alike(p, of->node[i], of->node[*before - 1]))
            *before = i + 1;
        like[i] = *before - 1;
    }
    return NETDP_OK;
}

netdp_status netdp_i_shift_losses(const netdp_i_shift_problem *problem, const netdp_i_sources *of,
                                  const netdp_progress *progress, netdp_error *error)
{
    OWNED bool *reached = netdp_i_shift_reached(problem);
    OWNED int32_t *like = NETDP_I_NEW(int32_t, of->count);
    CLEARED(block_clear) block b = {0};
    if (reached == NULL || like == NULL)
        return netdp_i_no_memory(error);
    for (int32_t i = 0; i < of->count; i++)
        like[i] = i;
    if (problem->fixed && problem->pair_count == 0)
        TRY(find_alike(problem, of, like, error));
    TRY(block_new(problem, &b, error));
    for (int32_t i = 0; i < of->count; i++) {
        if (like[i] == i && !is_plain(problem, reached, of->node[i], &of->loss[i])) {
            b.index[b.of.lanes] = i;
            b.source[b.of.lanes++] = of->node[i];
        }
        if (b.of.lanes == 0 || (b.of.lanes < BLOCK && i + 1 < of->count))
            continue;
        if (b.dense == NULL)
            TRY(netdp_i_dense_new(problem, progress, &b.dense, error));
        TRY(prove(problem, &b, of->loss, error));
        b.of.lanes = 0;
    }
    for (int32_t i = 0; i < of->count; i++)
        of->loss[i] = of->loss[like[i]];
    return NETDP_OK;
}

netdp_status netdp_i_shift_story(const netdp_i_shift_problem *problem,
                                 netdp_i_displacement *displacement, double *loss,
                                 netdp_error *error)
{
    CLEARED(block_clear) block b = {.best = displacement};
    TRY(block_new(problem, &b, error));
    TRY(netdp_i_dense_new(problem, NULL, &b.dense, error));
    b.of.lanes = 1;
    b.source[0] = displacement->source[0];
    return prove(problem, &b, loss, error);
}

/* Multiplications a second of one core, of products of matrices. */
#define RATE 1e10

void netdp_i_dense_cost(int32_t nodes, int32_t hidden, int32_t sources, int64_t rounds,
                        int64_t entries, bool accelerated, double *seconds, double *bytes)
{
    const double n = nodes, h = hidden, states = accelerated ? 2 : 1, columns = states * h;
    const double back = (4 * columns + n - h) * columns * columns + columns * (double)entries;
    const double forth = sources * (8 * columns * h + 60 * (double)entries);
    *seconds = (double)rounds * (back + forth) / RATE;
    *bytes = 8 * (columns * (columns * (double)rounds + 12 * states * n) +
                  5.0 * BLOCK * n * (double)rounds);
}

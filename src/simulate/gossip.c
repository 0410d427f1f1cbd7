#include "simulate/gossip.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <string.h>
#include <netdp/random.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/normals.h"
#include "base/try.h"
#include "mixing/mixing.h"
#include "protocol/linear.h"
#include "protocol/pairing.h"

enum {
    DRAWN = 1024,   /* normals that are drawn together */
    TOGETHER = 64,  /* nodes at most, and */
    PIECE = 4096,   /* numbers of theirs, that are done one after the other, in the caches */
    FORK = 1 << 14, /* numbers that are worth a team of threads */
};

typedef struct gossip {
    const netdp_linear *protocol;
    const netdp_i_round_hooks *hooks;
    double noise, weight; /* of accelerated gossip; 1: plain */
    int32_t nodes, width;
    netdp_run_seed seed;
    double *message, *before, *state; /* [nodes][width]; before: the message of the last round */
    double *room;                     /* one of message and state, the other is the caller's */
    int64_t *first_pair;              /* [nodes] of the pair graph; NULL: no pairs */
    netdp_sequence *sequence;         /* NULL: the same W in every round */
    netdp_round round;                /* of the sequence */
    netdp_rows rows;                  /* of this round */
} gossip;

uint64_t netdp_i_stream_step(netdp_run_seed seed, int64_t round)
{
    return seed.repeat << 32 | (uint64_t)round;
}

void netdp_i_mean_of(const double *values, int32_t nodes, int32_t width, double *mean)
{
    memset(mean, 0, (size_t)width * sizeof *mean);
    for (int64_t u = 0; u < nodes; u++)
        for (int32_t j = 0; j < width; j++)
            mean[j] += values[u * width + j];
    for (int32_t j = 0; j < width; j++)
        mean[j] /= nodes;
}

double netdp_i_spread(const double *values, int32_t nodes, int32_t width, const double *centre)
{
    double sum = 0;
    for (int64_t u = 0; u < nodes; u++)
        for (int32_t j = 0; j < width; j++) {
            const double away = values[u * width + j] - centre[j];
            sum += away * away;
        }
    return sum / nodes;
}

netdp_status netdp_i_sent_new(const netdp_linear *protocol, netdp_i_sent *sent, netdp_error *error)
{
    *sent = (netdp_i_sent){.each = 2.0 *
                                   (double)netdp_graph_edges(netdp_mixing_graph(protocol->mixing))};
    return protocol->varying.kind == NETDP_VARY_NEVER
               ? NETDP_OK
               : netdp_sequence_new(protocol->mixing, &protocol->varying, &sent->sequence, error);
}

void netdp_i_sent_clear(netdp_i_sent *sent)
{
    netdp_sequence_free(sent->sequence);
    sent->sequence = NULL;
}

double netdp_i_sent_after(netdp_i_sent *sent, int64_t rounds)
{
    if (sent->sequence == NULL)
        return sent->each * (double)rounds;
    for (; sent->status == NETDP_OK && sent->rounds < rounds; sent->rounds++) {
        netdp_round round;
        sent->status = netdp_sequence_round(sent->sequence, sent->rounds, &round, &sent->why);
        if (sent->status == NETDP_OK)
            sent->messages += 2.0 * (double)round.edges;
    }
    return sent->messages;
}

/* mine += scale * standard normals of the stream. */
static void add_normals(double *mine, int32_t width, double scale, netdp_stream stream)
{
    double drawn[DRAWN];
    for (int32_t first = 0; first < width; first += DRAWN) {
        const int32_t count = width - first < DRAWN ? width - first : DRAWN;
        netdp_stream_normals(&stream, drawn, (size_t)count);
        for (int32_t j = 0; j < count; j++)
            mine[first + j] += scale * drawn[j];
    }
}

static netdp_stream noise_stream(netdp_run_seed seed, int64_t round, int slot, uint32_t node)
{
    return netdp_stream_at(seed.seed, slot == 0 ? NETDP_FOR_NOISE : NETDP_FOR_END_DITHER, node,
                           netdp_i_stream_step(seed, round));
}

void netdp_i_node_noise(double *mine, int32_t node, int32_t width, double scale,
                        netdp_run_seed seed, int64_t round, int slot)
{
    add_normals(mine, width, scale, noise_stream(seed, round, slot, (uint32_t)node));
}

/* message += scale * standard normals, each of the nodes (NULL: first and those behind it) from its own stream. */
static void add_noise(const gossip *g, double *message, const int32_t *node, int32_t first,
                      int32_t count, double scale, int64_t round, int slot)
{
    const int32_t width = g->width, some = width > DRAWN / 2 ? 1 : DRAWN / width;
    double drawn[DRAWN];
    for (int32_t i = first, end = first + count, now; scale != 0 && i < end; i += now) {
        now = end - i < some ? end - i : some;
        if (some == 1) {
            const int32_t u = node == NULL ? i : node[i];
            netdp_i_node_noise(message + (int64_t)u * width, u, width, scale, g->seed, round, slot);
            continue;
        }
        netdp_i_normals_of_nodes(noise_stream(g->seed, round, slot, (uint32_t)i),
                                 node == NULL ? NULL : node + i, now, width, drawn);
        double *all = message + (int64_t)i * width;
        for (int32_t j = 0; node == NULL && j < now * width; j++)
            all[j] += scale * drawn[j];
        for (int32_t k = 0; node != NULL && k < now; k++) {
            double *mine = message + (int64_t)node[i + k] * width;
            for (int32_t j = 0; j < width; j++)
                mine[j] += scale * drawn[k * width + j];
        }
    }
}

void netdp_i_pair_noise(double *mine, int64_t pair, int32_t width, double scale,
                        netdp_run_seed seed, int64_t round)
{
    add_normals(mine, width, scale,
                netdp_stream_at(seed.seed, NETDP_FOR_PAIRS, (uint32_t)pair,
                                netdp_i_stream_step(seed, round)));
}

/*
 * The node adds its half of every pair's number: the one drawn by the pair's stream, taken once
 * with each sign. `first`: netdp_i_pairing_first.
 */
static void add_pair_noise(double *mine, int32_t v, const netdp_pairing *pairing,
                           const int64_t *first, int32_t width, double noise, netdp_run_seed seed,
                           int64_t round)
{
    const int32_t *neighbour = netdp_graph_neighbours(pairing->graph, v);
    for (int32_t i = 0; noise != 0 && i < netdp_graph_degree(pairing->graph, v); i++) {
        const double scale = noise * netdp_i_pairing_kappa(pairing, v, i);
        netdp_i_pair_noise(mine, netdp_i_pairing_number(pairing->graph, first, v, i), width,
                           v < neighbour[i] ? scale : -scale, seed, round);
    }
}

/* How many nodes are done one after the other. */
static int32_t piece_of(const gossip *g)
{
    const int32_t nodes = PIECE / g->width;
    return nodes < 1 ? 1 : nodes < TOGETHER ? nodes : TOGETHER;
}

static netdp_status gossip_new(gossip *g, netdp_error *error)
{
    const int64_t size = (int64_t)g->nodes * g->width;
    g->message = g->room = NETDP_I_NEW(double, size);
    g->before = NETDP_I_NEW(double, g->protocol->accelerate ? size : 1);
    if (g->room == NULL || g->before == NULL)
        return netdp_i_no_memory(error);
    if (netdp_pairing_is(&g->protocol->noise.pairing)) {
        g->first_pair = NETDP_I_NEW(int64_t, g->nodes);
        if (g->first_pair == NULL)
            return netdp_i_no_memory(error);
        TRY(netdp_i_pairing_first(g->protocol->noise.pairing.graph, g->first_pair, error));
    }
    if (g->protocol->varying.kind != NETDP_VARY_NEVER)
        return netdp_sequence_new(g->protocol->mixing, &g->protocol->varying, &g->sequence, error);
    return netdp_i_linear_weight(g->protocol, &g->weight, error);
}

/*
 * The noise of the contributions of a round, fresh or, of quiet noise, what the factor takes of the
 * draws of all contribution rounds so far: they are counted, and so are made again.
 */
static void add_contribution_noise(const gossip *g, int64_t t, const int32_t *node, int32_t first,
                                   int32_t count, double noise, double *message)
{
    const netdp_linear *p = g->protocol;
    const int64_t now = p->every > 0 ? t / p->every : 0;
    const double *row = netdp_quiet_is(&p->quiet) ? p->quiet.factor + now * p->quiet.phases : NULL;
    for (int64_t phase = row != NULL ? 0 : now; phase <= now; phase++) {
        const double scale = noise * (row != NULL ? row[phase] : 1);
        const int64_t round = p->every > 0 ? phase * p->every : t;
        add_noise(g, message, node, first, count, scale, round, 0);
        for (int32_t i = first; i < first + count; i++) {
            const int32_t u = node == NULL ? i : node[i];
            double *mine = message + (int64_t)u * g->width;
            if (p->own != NULL && p->own[u] > 1) /* the same draw once more */
                netdp_i_node_noise(mine, u, g->width, (p->own[u] - 1) * scale, g->seed, round, 0);
            if (g->first_pair != NULL)
                add_pair_noise(mine, u, &p->noise.pairing, g->first_pair, g->width, scale, g->seed,
                               round);
        }
    }
}

/* Of the unit noise of round t. */
static double noise_at(const gossip *g, int64_t t)
{
    const netdp_linear *p = g->protocol;
    const int64_t step = p->every > 0 ? t / p->every : t;
    return g->hooks->decay > 0 ? g->noise / pow((double)(step + 1), g->hooks->decay) : g->noise;
}

/* The states of some who send in round t become their messages. */
static void prepare_piece(const gossip *g, int64_t t, const int32_t *node, int32_t first,
                          int32_t count, double *message)
{
    const netdp_linear *p = g->protocol;
    const double noise = noise_at(g, t);
    if (!netdp_linear_contributes(p, t)) {
        add_noise(g, message, node, first, count,
                  noise * (p->steady ? 1 : netdp_linear_noise(p, t)), t, 0);
        return;
    }
    for (int32_t i = first; g->hooks->step != NULL && i < first + count; i++) {
        const int32_t u = node == NULL ? i : node[i];
        g->hooks->step(g->hooks->context, t, u, omp_get_thread_num(),
                       message + (int64_t)u * g->width);
    }
    add_contribution_noise(g, t, node, first, count, noise, message);
}

/*
 * state = W message for some nodes, accelerated after the first round of a phase, which takes
 * contributions, and dithered where a phase ends.
 */
static void mix_piece(const gossip *g, int64_t t, int32_t first, int32_t count)
{
    const netdp_linear *p = g->protocol;
    const int64_t at = (int64_t)first * g->width, size = (int64_t)count * g->width;
    double *state = g->state + at, *before = g->before + at;
    netdp_i_rows_apply_part(g->rows, first, first + count, g->message, state, g->width);
    if (p->accelerate) {
        if (!netdp_linear_contributes(p, t))
            for (int64_t i = 0; i < size; i++)
                state[i] = g->weight * state[i] + (1 - g->weight) * before[i];
        memcpy(before, g->message + at, (size_t)size * sizeof *before);
    }
    if (netdp_linear_end_noise(p, t) > 0)
        add_noise(g, g->state, NULL, first, count, noise_at(g, t) * netdp_linear_end_noise(p, t), t,
                  1);
}

/* g->message: what is sent in round t. */
static netdp_status prepare(gossip *g, int64_t t, netdp_error *error)
{
    const netdp_linear *p = g->protocol;
    const bool contributes = netdp_linear_contributes(p, t);
    if (g->sequence != NULL)
        TRY(netdp_sequence_round(g->sequence, t, &g->round, error));
    /* Of a changing network only senders draw noise, but a contribution always has its own. */
    const bool some = g->sequence != NULL && (p->senders_only || !contributes);
    const int32_t *senders = some ? g->round.active : NULL;
    const int32_t all = some ? g->round.active_count : g->nodes, piece = piece_of(g);
    if (g->sequence != NULL)
        g->rows = g->round.rows;
    if (contributes && g->hooks->contribute != NULL)
        g->hooks->contribute(g->hooks->context, t, g->message);
#pragma omp parallel for schedule(dynamic, 4) if ((int64_t)all * g->width > FORK)
    for (int32_t first = 0; first < all; first += piece)
        prepare_piece(g, t, senders, first, all - first < piece ? all - first : piece, g->message);
    return NETDP_OK;
}

/* The states after round t; `on`: what is sent in round t + 1, in one pass through the memory. */
static void mix(gossip *g, int64_t t, bool on)
{
    const int32_t piece = piece_of(g);
#pragma omp parallel for schedule(dynamic, 4) if ((int64_t)g->nodes * g->width > FORK)
    for (int32_t first = 0; first < g->nodes; first += piece) {
        const int32_t count = g->nodes - first < piece ? g->nodes - first : piece;
        mix_piece(g, t, first, count);
        if (on)
            prepare_piece(g, t + 1, NULL, first, count, g->state);
    }
}

static void swap(gossip *g)
{
    double *message = g->message;
    g->message = g->state;
    g->state = message;
}

/* Does nobody look between the rounds t and t + 1? */
static bool goes_on(const gossip *g, int64_t t)
{
    const netdp_i_round_hooks *h = g->hooks;
    return t + 1 < g->protocol->rounds && g->sequence == NULL && h->contribute == NULL &&
           h->observe == NULL && !(t == 0 && h->from_start) && h->wants != NULL &&
           !h->wants(h->context, t + 1) &&
           (h->saving == NULL || (h->saving->due != NULL && !h->saving->due(h->saving->context)));
}

/* All rounds from `round` on; *stopped where a report said so. */
static netdp_status run_rounds(gossip *g, int64_t round, bool *stopped, netdp_error *error)
{
    const netdp_i_round_hooks *h = g->hooks;
    bool go_on = true, prepared = false;
    for (int64_t t = round; go_on && t < g->protocol->rounds; t++) {
        swap(g);
        if (!prepared)
            TRY(prepare(g, t, error));
        if (h->observe != NULL)
            h->observe(h->context, t, g->message);
        prepared = goes_on(g, t);
        mix(g, t, prepared);
        if (prepared)
            continue;
        if (t == 0 && h->from_start)
            go_on = h->report(h->context, 0, g->message);
        if (!go_on)
            break; /* between two reports there is no standing to keep */
        go_on = h->report(h->context, t + 1, g->state);
        const netdp_i_standing at = {t + 1, g->state, g->protocol->accelerate ? g->before : NULL};
        if (h->saving != NULL)
            TRY(h->saving->save(h->saving->context, &at, !go_on, error));
    }
    *stopped = !go_on;
    return NETDP_OK;
}

static void gossip_clear(gossip *g)
{
    netdp_i_free(g->room);
    netdp_i_free(g->before);
    netdp_i_free(g->first_pair);
    netdp_sequence_free(g->sequence);
}

netdp_status netdp_i_gossip(const netdp_linear *protocol, double noise, int32_t width,
                            netdp_run_seed seed, const netdp_i_round_hooks *rounds, double *state,
                            netdp_error *error)
{
    TRY(netdp_linear_check(protocol, error));
    if (!(noise >= 0) || isinf(noise) || width < 1 || seed.repeat >> 32 != 0 ||
        protocol->rounds >> 32 != 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "simulate: noise must be finite and not negative, the width at least "
                            "1, repeat and rounds below 2^32");
    CLEARED(gossip_clear)
    gossip g = {.protocol = protocol,
                .hooks = rounds,
                .noise = noise,
                .weight = 1,
                .nodes = netdp_mixing_rows(protocol->mixing).nodes,
                .rows = netdp_mixing_rows(protocol->mixing),
                .width = width,
                .seed = seed,
                .state = state};
    const size_t bytes = (size_t)g.nodes * (size_t)width * sizeof *state;
    const netdp_i_standing *from = rounds->saving != NULL ? rounds->saving->from : NULL;
    bool stopped = false;
    TRY(gossip_new(&g, error));
    if (from != NULL)
        memcpy(state, from->state, bytes);
    if (from != NULL && protocol->accelerate)
        memcpy(g.before, from->before, bytes);
    TRY(run_rounds(&g, from != NULL ? from->round : 0, &stopped, error));
    if (stopped)
        return netdp_i_fail(error, NETDP_INTERRUPTED, "stopped during the simulation");
    if (g.state != state)
        memcpy(state, g.state, bytes);
    return NETDP_OK;
}

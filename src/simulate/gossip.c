#include "simulate/gossip.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <netdp/random.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/normals.h"
#include "mixing/mixing.h"
#include "protocol/linear.h"
#include "protocol/pairing.h"

/* Nodes of few numbers draw their noise together, so many at a time. */
enum { NARROW = 16, TOGETHER = 64 };

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
    double drawn[64];
    for (int32_t first = 0; first < width; first += 64) {
        const int32_t count = width - first < 64 ? width - first : 64;
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

/* message += scale * standard normals, each of the nodes (NULL: all) from its own stream. */
static void add_noise(double *message, const int32_t *node, int32_t count, int32_t width,
                      double scale, netdp_run_seed seed, int64_t round, int slot)
{
    if (scale == 0)
        return;
    if (width > NARROW) {
#pragma omp parallel for schedule(static) if ((int64_t)count * width > 4096)
        for (int32_t i = 0; i < count; i++) {
            const int32_t u = node == NULL ? i : node[i];
            netdp_i_node_noise(message + (int64_t)u * width, u, width, scale, seed, round, slot);
        }
        return;
    }
#pragma omp parallel for schedule(static) if ((int64_t)count * width > 20000)
    for (int32_t first = 0; first < count; first += TOGETHER) {
        const int32_t some = count - first < TOGETHER ? count - first : TOGETHER;
        double drawn[TOGETHER * NARROW];
        netdp_i_normals_of_nodes(noise_stream(seed, round, slot, (uint32_t)first),
                                 node == NULL ? NULL : node + first, some, width, drawn);
        double *all = message + (int64_t)first * width;
        for (int32_t i = 0; node == NULL && i < some * width; i++)
            all[i] += scale * drawn[i];
        for (int32_t i = 0; node != NULL && i < some; i++) {
            double *mine = message + (int64_t)node[first + i] * width;
            for (int32_t j = 0; j < width; j++)
                mine[j] += scale * drawn[i * width + j];
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
 * Each node adds its half of every pair's number: the one drawn by the pair's stream, taken once
 * with each sign. `first`: netdp_i_pairing_first.
 */
static void add_pair_noise(double *message, const netdp_graph *pairs, const int64_t *first,
                           int32_t width, double scale, netdp_run_seed seed, int64_t round)
{
    if (scale == 0)
        return;
    const int32_t n = netdp_graph_nodes(pairs);
#pragma omp parallel for schedule(static) if ((int64_t)n * width > 4096)
    for (int32_t v = 0; v < n; v++) {
        const int32_t *neighbour = netdp_graph_neighbours(pairs, v);
        for (int32_t i = 0; i < netdp_graph_degree(pairs, v); i++)
            netdp_i_pair_noise(message + (int64_t)v * width,
                               netdp_i_pairing_number(pairs, first, v, i), width,
                               v < neighbour[i] ? scale : -scale, seed, round);
    }
}

typedef struct gossip {
    const netdp_linear *protocol;
    double noise, weight; /* of accelerated gossip; 1: plain */
    int32_t nodes, width;
    netdp_run_seed seed;
    double *message, *before, *state; /* [nodes][width]; before: the message of the last round */
    int64_t *first_pair;              /* [nodes] of the pair graph; NULL: no pairs */
    netdp_sequence *sequence;         /* NULL: the same W in every round */
    netdp_round round;                /* of the sequence */
} gossip;

/* state = W message, accelerated after the first round of a phase, which takes contributions. */
static void mix(gossip *g, int64_t t)
{
    const int64_t size = (int64_t)g->nodes * g->width;
    if (g->sequence != NULL)
        netdp_i_rows_apply(g->round.rows, g->message, g->state, g->width);
    else
        netdp_mixing_apply(g->protocol->mixing, g->message, g->state, g->width);
    if (!g->protocol->accelerate)
        return;
    if (!netdp_linear_contributes(g->protocol, t))
        for (int64_t i = 0; i < size; i++)
            g->state[i] = g->weight * g->state[i] + (1 - g->weight) * g->before[i];
    memcpy(g->before, g->message, (size_t)size * sizeof *g->before);
}

static netdp_status gossip_new(gossip *g, const double *state, netdp_error *error)
{
    const int64_t size = (int64_t)g->nodes * g->width;
    g->message = NETDP_I_NEW(double, size);
    g->state = NETDP_I_NEW(double, size);
    g->before = NETDP_I_NEW(double, g->protocol->accelerate ? size : 1);
    if (g->message == NULL || g->state == NULL || g->before == NULL)
        return netdp_i_no_memory(error);
    memcpy(g->state, state, (size_t)size * sizeof *state);
    if (netdp_pairing_is(&g->protocol->pairing)) {
        g->first_pair = NETDP_I_NEW(int64_t, g->nodes);
        netdp_status status =
            g->first_pair == NULL
                ? netdp_i_no_memory(error)
                : netdp_i_pairing_first(g->protocol->pairing.graph, g->first_pair, error);
        if (status != NETDP_OK)
            return status;
    }
    if (g->protocol->varying.kind != NETDP_VARY_NEVER)
        return netdp_sequence_new(g->protocol->mixing, &g->protocol->varying, &g->sequence, error);
    return netdp_i_linear_weight(g->protocol, &g->weight, error);
}

/*
 * The noise of the contributions of a round, fresh or, of quiet noise, what the factor takes of the
 * draws of all contribution rounds so far: they are counted, and so are made again.
 */
static void add_contribution_noise(gossip *g, int64_t t, const int32_t *node, int32_t count,
                                   double noise)
{
    const netdp_linear *p = g->protocol;
    const int64_t now = p->every > 0 ? t / p->every : 0;
    const double *row = netdp_quiet_is(&p->quiet) ? p->quiet.factor + now * p->quiet.phases : NULL;
    for (int64_t phase = row != NULL ? 0 : now; phase <= now; phase++) {
        const double scale = noise * (row != NULL ? row[phase] : 1);
        const int64_t round = p->every > 0 ? phase * p->every : t;
        add_noise(g->message, node, count, g->width, scale, g->seed, round, 0);
        for (int32_t u = 0; p->own != NULL && u < g->nodes; u++)
            if (p->own[u] > 1) /* the same draw once more */
                netdp_i_node_noise(g->message + (int64_t)u * g->width, u, g->width,
                                   (p->own[u] - 1) * scale, g->seed, round, 0);
        if (g->first_pair != NULL)
            add_pair_noise(g->message, p->pairing.graph, g->first_pair, g->width,
                           scale * p->pairing.noise, g->seed, round);
    }
}

/* One round: messages, mixing, and the end dither where a phase ends. */
static netdp_status run_round(gossip *g, int64_t t, const netdp_i_round_hooks *rounds,
                              netdp_error *error)
{
    const netdp_linear *p = g->protocol;
    /* Of a changing network only senders draw noise, but a contribution always has its own. */
    const bool some = g->sequence != NULL && (p->senders_only || !netdp_linear_contributes(p, t));
    netdp_status status =
        g->sequence == NULL ? NETDP_OK : netdp_sequence_round(g->sequence, t, &g->round, error);
    if (status != NETDP_OK)
        return status;
    const int64_t step = p->every > 0 ? t / p->every : t;
    const double noise =
        rounds->decay > 0 ? g->noise / pow((double)(step + 1), rounds->decay) : g->noise;
    double *swap = g->message;
    g->message = g->state;
    g->state = swap;
    const int32_t *senders = some ? g->round.active : NULL;
    const int32_t count = some ? g->round.active_count : g->nodes;
    if (netdp_linear_contributes(p, t)) {
        rounds->contribute(rounds->context, t, g->message);
        add_contribution_noise(g, t, senders, count, noise);
    } else {
        add_noise(g->message, senders, count, g->width,
                  noise * (p->steady ? 1 : netdp_linear_noise(p, t)), g->seed, t, 0);
    }
    if (rounds->observe != NULL)
        rounds->observe(rounds->context, t, g->message);
    mix(g, t);
    if (p->end_dither > 0 && (t + 1) % p->every == 0)
        add_noise(g->state, NULL, g->nodes, g->width, noise * p->end_dither, g->seed, t, 1);
    return NETDP_OK;
}

/* All rounds from `round` on; *stopped where a report said so. */
static netdp_status run_rounds(gossip *g, int64_t round, const netdp_i_round_hooks *rounds,
                               bool *stopped, netdp_error *error)
{
    const netdp_i_saving *saving = rounds->saving;
    bool go_on = true;
    for (int64_t t = round; go_on && t < g->protocol->rounds; t++) {
        netdp_status status = run_round(g, t, rounds, error);
        if (status != NETDP_OK)
            return status;
        if (t == 0 && rounds->from_start)
            go_on = rounds->report(rounds->context, 0, g->message);
        if (!go_on)
            break; /* between two reports there is no standing to keep */
        go_on = rounds->report(rounds->context, t + 1, g->state);
        const netdp_i_standing at = {t + 1, g->state, g->protocol->accelerate ? g->before : NULL};
        status = saving != NULL ? saving->save(saving->context, &at, !go_on, error) : NETDP_OK;
        if (status != NETDP_OK)
            return status;
    }
    *stopped = !go_on;
    return NETDP_OK;
}

netdp_status netdp_i_gossip(const netdp_linear *protocol, double noise, int32_t width,
                            netdp_run_seed seed, const netdp_i_round_hooks *rounds, double *state,
                            netdp_error *error)
{
    netdp_status status = netdp_linear_check(protocol, error);
    if (status != NETDP_OK)
        return status;
    if (!(noise >= 0) || isinf(noise) || width < 1 || seed.repeat >> 32 != 0 ||
        protocol->rounds >> 32 != 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "simulate: noise must be finite and not negative, the width at least "
                            "1, repeat and rounds below 2^32");
    gossip g = {.protocol = protocol,
                .noise = noise,
                .weight = 1,
                .nodes = netdp_mixing_rows(protocol->mixing).nodes,
                .width = width,
                .seed = seed};
    const size_t bytes = (size_t)g.nodes * (size_t)width * sizeof *state;
    const netdp_i_standing *from = rounds->saving != NULL ? rounds->saving->from : NULL;
    bool stopped = false;
    status = gossip_new(&g, from != NULL ? from->state : state, error);
    if (status == NETDP_OK && from != NULL && protocol->accelerate)
        memcpy(g.before, from->before, bytes);
    if (status == NETDP_OK)
        status = run_rounds(&g, from != NULL ? from->round : 0, rounds, &stopped, error);
    if (status == NETDP_OK && stopped)
        status = netdp_i_fail(error, NETDP_INTERRUPTED, "stopped during the simulation");
    if (status == NETDP_OK)
        memcpy(state, g.state, bytes);
    netdp_i_free(g.message);
    netdp_i_free(g.state);
    netdp_i_free(g.before);
    netdp_i_free(g.first_pair);
    netdp_sequence_free(g.sequence);
    return status;
}

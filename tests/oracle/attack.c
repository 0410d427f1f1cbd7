/*
 * Settings of gossip made up at random, each loss that the library prints against the whole view in many bits (oracle/view.c): none
 * may be below, none may be neither certified nor the closed bound with its reason, and no lower bound may be above the truth or an upper one.
 *
 * usage: attack SEED LOSSES [NODES]
 *
 * Goes on until it has compared LOSSES losses, on networks of mostly at most NODES nodes (30), some of up to 200. Prints what was
 * compared, kind by kind; exit code 1 where a loss is below, or is neither.
 */
#include <inttypes.h>
#include <math.h>
#include <netdp/account.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/view.h"
#include "protocol/linear.h"

enum { BITS = 384, LARGE = 200, PHASES = 3, SLOTS = 10, NAME = 96 };

static netdp_error error;

static void must(netdp_status status)
{
    if (status == NETDP_OK)
        return;
    fprintf(stderr, "attack: %s\n", error.text);
    exit(2);
}

static void *room(int64_t count, size_t size)
{
    void *made = calloc((size_t)count + 1, size);
    if (made == NULL)
        abort();
    return made;
}

/* ---- Chance ---- */

static uint64_t state;

static uint64_t bits(void)
{
    uint64_t x = state += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

static double uniform(void)
{
    return (double)(bits() >> 11) / 9007199254740992.0;
}

static int32_t below(int32_t bound)
{
    return (int32_t)(uniform() * bound);
}

static bool chance(double probability)
{
    return uniform() < probability;
}

/* 10 to the power of what is drawn between the two. */
static double power(double low, double high)
{
    return pow(10, low + (high - low) * uniform());
}

/* ---- Networks ---- */

typedef struct edges {
    int32_t nodes, count;
    int32_t pair[8 * LARGE];
    double weight[4 * LARGE];
} edges;

static void join(edges *e, int32_t a, int32_t b)
{
    if (a == b || e->count == 4 * LARGE)
        return;
    for (int32_t i = 0; i < e->count; i++)
        if ((e->pair[2 * i] == a && e->pair[2 * i + 1] == b) ||
            (e->pair[2 * i] == b && e->pair[2 * i + 1] == a))
            return;
    e->pair[2 * e->count] = a;
    e->pair[2 * e->count++ + 1] = b;
}

/* Connected: a tree, a path, a ring, a star, a few hubs, a wheel, a complete one, a tree with more edges. */
static void draw_edges(edges *e, int32_t nodes)
{
    const int kind = below(8);
    const int32_t hubs = nodes > 8 ? 3 : 1;
    *e = (edges){.nodes = nodes};
    for (int32_t v = 1; v < nodes; v++) {
        if (kind == 1 || kind == 2 || kind == 6)
            join(e, v, v - 1);
        else if (kind == 3 || kind == 5)
            join(e, v, 0);
        else if (kind == 4)
            join(e, v, v < hubs ? v - 1 : below(hubs));
        else
            join(e, v, below(v));
        if (kind == 5)
            join(e, v, 1 + v % (nodes - 1));
        for (int32_t w = 0; kind == 6 && w < v && v < 12; w++)
            join(e, v, w);
        if (kind == 7)
            join(e, below(nodes), below(nodes));
    }
    if (kind == 2)
        join(e, 0, nodes - 1);
}

/* Weights of W's edges: alike, of two kinds, or of many sizes. */
static void draw_weights(edges *e)
{
    double degree[LARGE] = {0}, most = 0;
    const int kind = below(4);
    const double small = power(-8, -1);
    for (int32_t i = 0; i < e->count; i++) {
        e->weight[i] = kind == 0   ? 0.1 + uniform()
                       : kind == 1 ? (chance(0.5) ? 1 : small)
                       : kind == 2 ? power(-8, 0)
                                   : pow(2, -below(24));
        degree[e->pair[2 * i]] += e->weight[i];
        degree[e->pair[2 * i + 1]] += e->weight[i];
    }
    for (int32_t v = 0; v < e->nodes; v++)
        most = fmax(most, degree[v]);
    const double scale = (chance(0.3) ? power(-4, -1) : 0.9) / most;
    for (int32_t i = 0; i < e->count; i++)
        e->weight[i] *= scale;
}

static netdp_graph *graph_of(const edges *e, bool weighted)
{
    netdp_graph *graph = NULL;
    const netdp_edge_list list = {.nodes = e->nodes,
                                  .count = e->count,
                                  .pair = e->pair,
                                  .weight = weighted ? e->weight : NULL};
    must(netdp_graph_from_list(&list, &graph, NULL, &error));
    return graph;
}

/* ---- Settings ---- */

typedef enum kind {
    AVERAGING,
    ACCELERATED,
    PHASED,
    ACCELERATED_PHASES,
    STREAM,
    CHANGING,
    CHANGING_PHASES,
    KINDS
} kind;
static const char *const kind_names[] = {"averaging",          "accelerated", "phases",
                                         "accelerated phases", "streams",     "changing",
                                         "changing phases"};

typedef struct setting {
    kind kind;
    netdp_graph *graph, *pairs;
    netdp_mixing *mixing;
    netdp_linear protocol;
    netdp_loss_request request;
    int32_t nodes, members, member[4];
    int64_t phase; /* rounds of one */
    double weight; /* of accelerated rounds, or 0 */
    char name[NAME];
} setting;

static void draw_network(setting *s, int32_t most)
{
    static const char *const drawn[] = {"erdos-renyi 12 0.4", "regular 10 3", "hypercube 3",
                                        "hypercube 4"};
    static const char *const rules[] = {"metropolis", "lazy:0.5:hamilton", "max-degree",
                                        "lazy:0.5",   "lazy:0.9",          "lazy:0.99",
                                        "lazy:0.999", "lazy:0.9999"};
    const bool large = chance(0.02);
    const int32_t nodes = (int32_t)lround(3 * pow((large ? LARGE : most) / 3.0, uniform()));
    const bool changes = s->kind == CHANGING || s->kind == CHANGING_PHASES;
    const bool weighted = !changes && chance(0.3);
    edges e;
    draw_edges(&e, nodes);
    if (weighted)
        draw_weights(&e);
    if (changes && chance(0.4))
        must(netdp_graph_make(drawn[below(4)], bits() % 1000, true, &s->graph, NULL, &error));
    else
        s->graph = graph_of(&e, weighted);
    char rule[32];
    snprintf(rule, sizeof rule, "%s", rules[below(8)]);
    if (chance(0.2))
        snprintf(rule, sizeof rule, "lazy:%.17g", 1 - power(-4, -1));
    snprintf(s->name, sizeof s->name, "%s", weighted ? "file" : rule);
    must(netdp_mixing_new(s->graph, s->name, &s->mixing, &error));
    s->nodes = netdp_graph_nodes(s->graph);
}

static void draw_variation(setting *s)
{
    netdp_variation *varying = &s->protocol.varying;
    const char *origin = netdp_graph_origin(s->graph);
    const bool random = strncmp(origin, "erdos", 5) == 0 || strncmp(origin, "regular", 7) == 0;
    const bool cube = strncmp(origin, "hypercube", 9) == 0;
    const int which = below(3);
    if (random && chance(0.5))
        must(netdp_variation_redraw(s->graph, s->kind == CHANGING ? 1 : s->phase, varying, &error));
    else if (cube && chance(0.5))
        must(netdp_variation_one_peer(s->graph, varying, &error));
    else if (which == 0 && s->kind == CHANGING)
        varying->kind = NETDP_VARY_EDGE;
    else
        *varying = (netdp_variation){.kind = which == 1 ? NETDP_VARY_EDGES : NETDP_VARY_NODES,
                                     .missing = 0.1 + 0.5 * uniform()};
    varying->seed = bits() % 1000;
}

static void draw_protocol(setting *s)
{
    static const int64_t lengths[] = {1, 2, 3, 4, 5, 8, 12, 20};
    const bool phased =
        s->kind == PHASED || s->kind == ACCELERATED_PHASES || s->kind == CHANGING_PHASES;
    netdp_linear *p = &s->protocol;
    s->phase = lengths[below(s->nodes > 40 ? 4 : s->nodes > 12 ? 6 : 8)];
    *p = (netdp_linear){.mixing = s->mixing, .rounds = s->phase, .noise.dither = power(-6, 1.5)};
    p->accelerate = s->kind == ACCELERATED || s->kind == ACCELERATED_PHASES;
    if (s->kind == AVERAGING && chance(0.1))
        p->noise.decay = chance(0.5) ? 0.5 : 1 + uniform();
    if (phased) {
        p->every = s->phase;
        p->rounds = s->phase * (1 + below(PHASES));
        p->reacts = true;
        p->noise.end = power(-4, 1);
    }
    if (s->kind == STREAM) {
        p->steady = true;
        p->noise.dither = 0;
        p->every = 1 + below(3);
        while ((p->rounds - 1) / p->every >= SLOTS)
            p->every++;
    }
    if (s->kind == CHANGING || s->kind == CHANGING_PHASES)
        draw_variation(s);
    if (chance(0.35)) {
        edges e;
        draw_edges(&e, s->nodes);
        s->pairs = chance(0.4) ? s->graph : graph_of(&e, false);
        p->noise.pairing = (netdp_pairing){.graph = s->pairs, .kappa = power(-1, log10(2000))};
    }
    if (p->accelerate)
        must(netdp_i_linear_weight(p, &s->weight, &error));
}

static void draw_question(setting *s)
{
    static const netdp_bound bounds[] = {NETDP_BOUND_AUTO,     NETDP_BOUND_AUTO,
                                         NETDP_BOUND_UPPER,    NETDP_BOUND_ABS_SUM,
                                         NETDP_BOUND_SPECTRAL, NETDP_BOUND_DUAL};
    const int32_t most = s->nodes - 1 < 4 ? s->nodes - 1 : 4;
    s->members = chance(0.6) ? 1 : 1 + below(most);
    for (int32_t i = 0; i < s->members; i++) {
        bool again = true;
        while (again) {
            s->member[i] = i == 0 && chance(0.2) ? 0 : below(s->nodes);
            again = false;
            for (int32_t j = 0; j < i; j++)
                again = again || s->member[j] == s->member[i];
        }
    }
    s->request = (netdp_loss_request){
        .protocol = &s->protocol,
        .sees = chance(0.6) ? NETDP_SEES_SUM : NETDP_SEES_NEIGHBOURS,
        .own_noise = chance(0.35) ? NETDP_OWN_NOISE_COUNTS : NETDP_OWN_NOISE_KNOWN,
        .bound = s->kind == STREAM ? bounds[below(6)] : NETDP_BOUND_AUTO,
        .to_count = s->members,
        .to = s->member,
        .coalition = s->members > 1};
}

static void make_setting(setting *s, int32_t most)
{
    *s = (setting){.kind = (kind)below(KINDS)};
    if (s->kind > PHASED && chance(0.3))
        s->kind = AVERAGING;
    draw_network(s, most);
    draw_protocol(s);
    draw_question(s);
}

static void clear_setting(setting *s)
{
    netdp_mixing_free(s->mixing);
    if (s->pairs != s->graph)
        netdp_graph_free(s->pairs);
    netdp_graph_free(s->graph);
}

static void tell_setting(const setting *s, FILE *file)
{
    const netdp_linear *p = &s->protocol;
    fprintf(file,
            "%s, %d nodes, %s, %s, %s, %s, T %" PRId64 ", every %" PRId64
            ", dither %.17g, decay %g, end %.17g, kappa %.17g, to",
            kind_names[s->kind], s->nodes, netdp_graph_origin(s->graph), s->name,
            netdp_sees_name(s->request.sees), netdp_own_noise_name(s->request.own_noise), p->rounds,
            p->every, p->noise.dither, p->noise.decay, p->noise.end, p->noise.pairing.kappa);
    for (int32_t i = 0; i < s->members; i++)
        fprintf(file, " %d", s->member[i]);
    fprintf(file, "\n");
}

/* ---- The view of one phase, or of all rounds ---- */

static netdp_rows copy_rows(netdp_rows rows)
{
    const int64_t count = rows.start[rows.nodes];
    int64_t *start = room(rows.nodes + 1, sizeof *start);
    int32_t *column = room(count, sizeof *column);
    double *weight = room(count, sizeof *weight);
    memcpy(start, rows.start, (size_t)(rows.nodes + 1) * sizeof *start);
    memcpy(column, rows.column, (size_t)count * sizeof *column);
    memcpy(weight, rows.weight, (size_t)count * sizeof *weight);
    netdp_rows copy = rows;
    copy.start = start;
    copy.column = column;
    copy.weight = weight;
    return copy;
}

static bool is_member(const setting *s, int32_t v)
{
    for (int32_t i = 0; i < s->members; i++)
        if (s->member[i] == v)
            return true;
    return false;
}

/* Everything of a view that has to be freed. */
typedef struct scene {
    view view;
    netdp_rows *rows;
    bool *draws, *seen, *last, *exempt, *shares;
    double *noise;
    int32_t *pair;
} scene;

static void scene_free(scene *c)
{
    for (int64_t t = 0; t < c->view.rounds; t++) {
        free((void *)c->rows[t].start);
        free((void *)c->rows[t].column);
        free((void *)c->rows[t].weight);
    }
    free(c->rows);
    free(c->draws);
    free(c->seen);
    free(c->last);
    free(c->exempt);
    free(c->shares);
    free(c->noise);
    free(c->pair);
}

/* Whose noise is unknown in a round, and whose message is seen. */
static void fill_round(const setting *s, scene *c, int64_t t, const netdp_round *round)
{
    const int32_t n = s->nodes;
    const bool quiet = s->request.own_noise == NETDP_OWN_NOISE_KNOWN || s->members > 1;
    const netdp_rows rows = c->rows[t];
    bool *draws = c->draws + t * n, *seen = c->seen + t * n;
    for (int32_t v = 0; v < n; v++)
        draws[v] = round == NULL || t == 0;
    for (int32_t i = 0; round != NULL && i < round->active_count; i++)
        draws[round->active[i]] = true;
    for (int32_t i = 0; i < s->members; i++) {
        const int32_t v = s->member[i];
        draws[v] = draws[v] && !quiet;
        seen[v] = true;
        for (int64_t k = rows.start[v];
             s->request.sees == NETDP_SEES_NEIGHBOURS && k < rows.start[v + 1]; k++)
            seen[rows.column[k]] = true;
    }
}

static void fill_pairs(const setting *s, scene *c)
{
    const bool quiet = s->request.own_noise == NETDP_OWN_NOISE_KNOWN || s->members > 1;
    if (s->pairs == NULL)
        return;
    c->pair = room(2 * netdp_graph_edges(s->pairs), sizeof *c->pair);
    for (int32_t v = 0; v < s->nodes; v++)
        for (int32_t i = 0; i < netdp_graph_degree(s->pairs, v); i++) {
            const int32_t w = netdp_graph_neighbours(s->pairs, v)[i];
            if (w < v || (quiet && (is_member(s, v) || is_member(s, w))))
                continue;
            c->pair[2 * c->view.pairs] = v;
            c->pair[2 * c->view.pairs++ + 1] = w;
        }
    c->view.pair = c->pair;
}

/* The rounds from `first` on: all, or those of a phase. */
static void scene_make(const setting *s, int64_t first, int64_t rounds, scene *c)
{
    const netdp_linear *p = &s->protocol;
    const int64_t n = s->nodes;
    netdp_sequence *sequence = NULL;
    *c = (scene){.rows = room(rounds, sizeof *c->rows),
                 .draws = room(rounds * n, sizeof(bool)),
                 .seen = room(rounds * n, sizeof(bool)),
                 .last = room(n, sizeof(bool)),
                 .exempt = room(n, sizeof(bool)),
                 .shares = room(rounds, sizeof(bool)),
                 .noise = room(rounds, sizeof(double))};
    if (p->varying.kind != NETDP_VARY_NEVER)
        must(netdp_sequence_new(s->mixing, &p->varying, &sequence, &error));
    for (int64_t t = 0; t < rounds; t++) {
        netdp_round round = {0};
        if (sequence != NULL)
            must(netdp_sequence_round(sequence, first + t, &round, &error));
        c->rows[t] = copy_rows(sequence != NULL ? round.rows : netdp_mixing_rows(s->mixing));
        fill_round(s, c, t, sequence != NULL ? &round : NULL);
        c->noise[t] = p->steady || t == 0  ? 1
                      : p->noise.decay > 0 ? netdp_linear_noise(p, t)
                                           : p->noise.dither;
        c->shares[t] = s->kind == STREAM ? t % p->every == 0 : t == 0;
    }
    netdp_sequence_free(sequence);
    for (int32_t i = 0; i < s->members; i++) {
        c->last[s->member[i]] = s->request.sees == NETDP_SEES_SUM;
        c->exempt[s->member[i]] = true;
    }
    c->view = (view){.nodes = s->nodes,
                     .rounds = rounds,
                     .rows = c->rows,
                     .noise = c->noise,
                     .draws = c->draws,
                     .seen = c->seen,
                     .last = c->last,
                     .release = p->noise.end,
                     .exempt = c->exempt,
                     .weight = s->weight,
                     .pair_noise = p->noise.pairing.kappa,
                     .shares = c->shares};
    fill_pairs(s, c);
}

/* ---- What is compared ---- */

typedef struct tally {
    int64_t losses, certified, closed, neither, below; /* neither: nor a closed bound */
    double least, most; /* of what is printed over what is true, minus 1 */
} tally;
static tally tallies[KINDS];

static void note(const setting *s, const netdp_losses *losses, int32_t u, double printed,
                 double true_one)
{
    tally *t = &tallies[s->kind];
    const bool closed = losses->bound->bound == NETDP_BOUND_EVERYTHING;
    t->losses++;
    t->certified += losses->certified && !closed;
    t->closed += closed;
    if (!losses->sound || !losses->certified || (closed && losses->reason == NULL)) {
        t->neither++;
        printf("neither certified nor closed, %s: ", losses->bound->name);
        tell_setting(s, stdout);
    }
    if (losses->sound && printed >= true_one) {
        if (true_one > 1e-12 && printed < 1e3 * true_one) {
            t->least = fmin(t->least, printed / true_one - 1);
            t->most = fmax(t->most, printed / true_one - 1);
        }
        return;
    }
    t->below++;
    printf("BELOW: from %d: %.17g, truth %.17g (%.3g), %s%s: ", u, printed, true_one,
           printed / true_one - 1, losses->bound->name,
           losses->certified ? ", certified"
           : losses->sound   ? ""
                             : ", not sound");
    tell_setting(s, stdout);
    fflush(stdout);
}

/* One contribution, or one a phase: phases add up. */
static void compare_once(const setting *s)
{
    const int32_t n = s->nodes;
    const int64_t phases = s->protocol.every > 0 ? s->protocol.rounds / s->phase : 1;
    const bool changes = s->protocol.varying.kind != NETDP_VARY_NEVER;
    double *total = room(n, sizeof *total), *told = room(n, sizeof *told);
    int64_t *when = room(n, sizeof *when);
    int32_t *node = room(n, sizeof *node);
    int32_t count = 0;
    for (int32_t v = 0; v < n; v++)
        if (!is_member(s, v))
            node[count++] = v;
    for (int64_t phase = 0; phase < (changes ? phases : 1); phase++) {
        scene c;
        scene_make(s, phase * s->phase, s->phase, &c);
        c.view.contributions = count;
        c.view.when = when;
        c.view.node = node;
        view_tells(&c.view, BITS, false, told);
        for (int32_t i = 0; i < count; i++)
            total[i] += fmin(1, told[i]) * (changes ? 1 : (double)phases);
        scene_free(&c);
    }
    netdp_losses *losses = NULL;
    must(netdp_losses_new(&s->request, NULL, &losses, &error));
    for (int32_t i = 0; i < count; i++) /* what adding up phases rounds */
        note(s, losses, node[i], losses->loss[node[i]],
             phases > 1 ? total[i] * (1 - 1e-15) : total[i]);
    netdp_losses_free(losses);
    free(total);
    free(told);
    free(when);
    free(node);
}

/* Several contributions of a few nodes, and what is said to be a lower bound. */
static void compare_stream(const setting *s)
{
    const int32_t slots = (int32_t)((s->protocol.rounds - 1) / s->protocol.every) + 1;
    netdp_losses *losses = NULL, *lower = NULL;
    netdp_loss_request request = s->request;
    scene c;
    must(netdp_losses_new(&request, NULL, &losses, &error));
    request.bound = NETDP_BOUND_LOWER;
    must(netdp_losses_new(&request, NULL, &lower, &error));
    scene_make(s, 0, s->protocol.rounds, &c);
    for (int32_t turn = 0; turn < 3; turn++) {
        const int32_t u = below(s->nodes);
        int64_t when[SLOTS];
        int32_t node[SLOTS];
        double m[SLOTS * SLOTS];
        if (is_member(s, u))
            continue;
        for (int32_t k = 0; k < slots; k++) {
            when[k] = k * s->protocol.every;
            node[k] = u;
        }
        c.view.contributions = slots;
        c.view.when = when;
        c.view.node = node;
        view_tells(&c.view, BITS, true, m);
        const double best = view_best_signs(m, slots);
        note(s, losses, u, losses->loss[u], best * (1 - 1e-13));
        if (lower->loss[u] <= fmin(best * (1 + 1e-10), losses->loss[u]))
            continue;
        tallies[s->kind].below++;
        printf("LOWER above: from %d: %.17g, truth %.17g, upper %.17g: ", u, lower->loss[u], best,
               losses->loss[u]);
        tell_setting(s, stdout);
    }
    scene_free(&c);
    netdp_losses_free(lower);
    netdp_losses_free(losses);
}

int main(int argc, char **argv)
{
    int64_t losses = 0, settings = 0;
    tally all = {0};
    if (argc < 3) {
        fprintf(stderr, "usage: attack SEED LOSSES [NODES]\n");
        return 2;
    }
    const uint64_t seed = strtoull(argv[1], NULL, 10);
    const int64_t wanted = strtoll(argv[2], NULL, 10);
    const int32_t most = argc > 3 ? (int32_t)strtol(argv[3], NULL, 10) : 30;
    while (losses < wanted) {
        setting s;
        state = seed * 0x9e3779b97f4a7c15 + (uint64_t)settings++;
        bits();
        make_setting(&s, most);
        if (s.kind == STREAM)
            compare_stream(&s);
        else
            compare_once(&s);
        clear_setting(&s);
        losses = 0;
        for (int k = 0; k < KINDS; k++)
            losses += tallies[k].losses;
    }
    for (int k = 0; k < KINDS; k++) {
        const tally *t = &tallies[k];
        printf("%-20s %8" PRId64 " losses, %8" PRId64 " certified, %6" PRId64 " closed, %" PRId64
               " neither, %" PRId64 " below; %.2g to %.2g above\n",
               kind_names[k], t->losses, t->certified, t->closed, t->neither, t->below, t->least,
               t->most);
        all.below += t->below;
        all.neither += t->neither;
        all.closed += t->closed;
    }
    printf("seed %" PRIu64 ": %" PRId64 " losses of %" PRId64 " settings, %" PRId64
           " below; %" PRId64 " closed, %" PRId64 " neither certified nor closed\n",
           seed, losses, settings, all.below, all.closed, all.neither);
    return all.below > 0 || all.neither > 0;
}

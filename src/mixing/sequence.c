/* Mixing matrices that are drawn again from round to round. */
#include <netdp/mixing.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <netdp/random.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"
#include "graph/families.h"
#include "graph/graph.h"
#include "mixing/mixing.h"

struct netdp_sequence {
    const netdp_mixing *mixing;
    netdp_variation variation;
    int32_t nodes;
    int64_t room; /* entries of column and weight */
    int64_t *start;
    int32_t *column, *active;
    double *weight;
    bool *away;      /* nodes: away; edges, by entry of W: missing */
    double *heap;    /* edge: the running sum of W_vw over the entries with v < w ... */
    int32_t *end[2]; /* ... and their ends */
    int64_t heaped;
    /* graph: the draw that is held, of rounds held * span on */
    int64_t held; /* 0: the mixing's own */
    netdp_graph *graph;
    netdp_mixing *drawn;
};

static bool is_random(const netdp_graph *graph)
{
    return graph->drawn && netdp_i_family_is_random(netdp_graph_origin(graph));
}

/* Are the neighbours of v those whose number differs from it in one bit? */
static netdp_status check_hypercube(const netdp_graph *graph, netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(graph);
    bool is = n >= 2 && (n & (n - 1)) == 0;
    for (int32_t v = 0; is && v < n; v++) {
        const int32_t *near = netdp_graph_neighbours(graph, v),
                      degree = netdp_graph_degree(graph, v);
        is = degree > 0 && (1 << degree) == n;
        for (int32_t i = 0; is && i < degree; i++)
            is = ((near[i] ^ v) & ((near[i] ^ v) - 1)) == 0;
    }
    return is ? NETDP_OK
              : netdp_i_fail(
                    error, NETDP_INVALID,
                    "one-peer: %s is no hypercube, whose links go both ways in every round "
                    "(accounts need a symmetric W; one-way links have none); give --family "
                    "\"hypercube DIMENSION\"",
                    netdp_i_show_text(netdp_graph_origin(graph)).text);
}

netdp_status netdp_variation_one_peer(const netdp_graph *graph, netdp_variation *variation,
                                      netdp_error *error)
{
    NETDP_I_GIVEN(error, graph && variation);
    TRY(check_hypercube(graph, error));
    *variation = (netdp_variation){.kind = NETDP_VARY_PEER, .seed = variation->seed};
    return NETDP_OK;
}

netdp_status netdp_variation_check(const netdp_mixing *mixing, const netdp_variation *variation,
                                   netdp_error *error)
{
    NETDP_I_GIVEN(error, mixing && variation);
    const netdp_vary kind = variation->kind;
    const bool drops =
        kind == NETDP_VARY_NODES || kind == NETDP_VARY_EDGES || kind == NETDP_VARY_LATE;
    const char *name = netdp_mixing_name(mixing);
    TRY(netdp_i_check_choice("variation", (int64_t)kind, NETDP_VARY_PEER, error));
    if (drops && !(variation->missing >= 0 && variation->missing < 1))
        return netdp_i_fail(error, NETDP_INVALID, "dropout: %g; give a probability from 0, below 1",
                            variation->missing);
    if (kind == NETDP_VARY_PEER)
        return check_hypercube(netdp_mixing_graph(mixing), error);
    if (kind != NETDP_VARY_GRAPH)
        return NETDP_OK;
    const bool again =
        variation->probability == -1 && is_random(netdp_mixing_graph(mixing)); /* its family */
    if (!(again || (variation->probability >= 0 && variation->probability <= 1)) ||
        variation->span < 1)
        return netdp_i_fail(error, NETDP_INVALID,
                            "redraw: edges of probability %g, every %" PRId64
                            " rounds; give a probability and at least 1 round",
                            variation->probability, variation->span);
    if (strstr(name, "uniform") != NULL || strstr(name, "file") != NULL)
        return netdp_i_fail(error, NETDP_INVALID,
                            "redraw: a drawn graph has no weights '%s'; use --mixing metropolis",
                            netdp_i_show_text(name).text);
    return NETDP_OK;
}

netdp_status netdp_variation_redraw(const netdp_graph *graph, int64_t span,
                                    netdp_variation *variation, netdp_error *error)
{
    NETDP_I_GIVEN(error, graph && variation);
    static const char family[] = "erdos-renyi ";
    const char *origin = netdp_graph_origin(graph);
    const double n = netdp_graph_nodes(graph);
    char *end = NULL;
    double value = is_random(graph) ? -1 : NAN;
    bool scaled = false;
    if (graph->drawn && strncmp(origin, family, sizeof family - 1) == 0) {
        const char *word = origin + sizeof family - 1;
        word += strspn(word, " \t");
        word += strcspn(word, " \t");
        word += strspn(word, " \t");
        scaled = strncmp(word, "c=", 2) == 0;
        value = strtod(word + (scaled ? 2 : 0), &end);
        if (end[strspn(end, " \t")] != '\0')
            value = NAN;
    }
    if (scaled) /* p = C ln n / n, at most 1 where n is small: the family's own rule */
        value = fmin(value * log(n) / n, 1);
    if (!(value == -1 || (value >= 0 && value <= 1)))
        return netdp_i_fail(error, NETDP_INVALID,
                            "redraw: applies to graphs of a random family; %s is none; leave it "
                            "out, or use dropout",
                            netdp_i_show_text(origin).text);
    *variation = (netdp_variation){
        .kind = NETDP_VARY_GRAPH, .probability = value, .span = span, .seed = variation->seed};
    return NETDP_OK;
}

/* What a dropout's text may begin with. */
static const struct {
    const char *prefix;
    netdp_vary kind;
    bool revealed;
} dropouts[] = {{"edges:", NETDP_VARY_EDGES, false},
                {"late:", NETDP_VARY_LATE, false},
                {"revealed:", NETDP_VARY_LATE, true},
                {"", NETDP_VARY_NODES, false}};

netdp_status netdp_variation_dropout(const char *text, netdp_variation *variation,
                                     netdp_error *error)
{
    NETDP_I_GIVEN(error, text && variation);
    size_t which = 0;
    while (strncmp(text, dropouts[which].prefix, strlen(dropouts[which].prefix)) != 0)
        which++;
    const char *number = text + strlen(dropouts[which].prefix);
    char *end = NULL;
    const double value = strtod(number, &end);
    if (strspn(number, "0123456789.eE+-") != strlen(number) || end == number || *end != '\0' ||
        !(value >= 0 && value < 1))
        return netdp_i_fail(error, NETDP_INVALID,
                            "dropout: '%s'; give a probability from 0, below 1, or edges:P, late:P "
                            "or revealed:P",
                            netdp_i_show_text(text).text);
    if (value == 0)
        return NETDP_OK;
    variation->kind = dropouts[which].kind;
    variation->revealed = dropouts[which].revealed;
    variation->missing = value;
    return NETDP_OK;
}

double netdp_variation_edge_gap(const netdp_mixing *mixing, const netdp_spectrum *spectrum)
{
    const netdp_rows rows = netdp_mixing_rows(mixing);
    double sum = 0; /* over both directions of every edge */
    for (int32_t v = 0; v < rows.nodes; v++)
        for (int64_t i = rows.start[v]; i < rows.start[v + 1]; i++)
            sum += rows.column[i] != v ? rows.weight[i] : 0;
    /* E W_t = I - (I - W) / sum, since the edge's probability is 2 W_vw / sum. */
    return sum > 0 ? fmax(0, 1 - spectrum->second) / sum : 0;
}

void netdp_sequence_free(netdp_sequence *sequence)
{
    if (sequence == NULL)
        return;
    netdp_i_free(sequence->start);
    netdp_i_free(sequence->column);
    netdp_i_free(sequence->weight);
    netdp_i_free(sequence->active);
    netdp_i_free(sequence->away);
    netdp_i_free(sequence->heap);
    netdp_i_free(sequence->end[0]);
    netdp_i_free(sequence->end[1]);
    netdp_mixing_free(sequence->drawn);
    netdp_graph_free(sequence->graph);
    netdp_i_free(sequence);
}

/* The edges of W one after the other, each as long as its weight. */
static netdp_status heap_edges(netdp_sequence *s, netdp_error *error)
{
    const netdp_rows rows = netdp_mixing_rows(s->mixing);
    double sum = 0;
    for (int32_t v = 0; v < rows.nodes; v++)
        for (int64_t i = rows.start[v]; i < rows.start[v + 1]; i++) {
            if (rows.column[i] <= v || rows.weight[i] <= 0)
                continue;
            sum += rows.weight[i];
            s->heap[s->heaped] = sum;
            s->end[0][s->heaped] = v;
            s->end[1][s->heaped++] = rows.column[i];
        }
    return s->heaped > 0
               ? NETDP_OK
               : netdp_i_fail(error, NETDP_INVALID, "%s: no edge to draw; give a connected graph",
                              netdp_graph_origin(netdp_mixing_graph(s->mixing)));
}

netdp_status netdp_sequence_new(const netdp_mixing *mixing, const netdp_variation *variation,
                                netdp_sequence **sequence, netdp_error *error)
{
    NETDP_I_GIVEN(error, mixing && variation && sequence);
    TRY(netdp_variation_check(mixing, variation, error));
    const netdp_rows rows = netdp_mixing_rows(mixing);
    const bool edge = variation->kind == NETDP_VARY_EDGE;
    const int64_t entries = rows.start[rows.nodes];
    OWNED_BY(netdp_sequence_free) netdp_sequence *s = NETDP_I_NEW(netdp_sequence, 1);
    if (s == NULL)
        return netdp_i_no_memory(error);
    s->mixing = mixing;
    s->variation = *variation;
    s->nodes = rows.nodes;
    s->room = edge                                 ? rows.nodes + 2
              : variation->kind == NETDP_VARY_PEER ? 2 * (int64_t)rows.nodes
                                                   : entries;
    s->start = NETDP_I_NEW(int64_t, (int64_t)rows.nodes + 1);
    s->column = NETDP_I_NEW(int32_t, s->room);
    s->weight = NETDP_I_NEW(double, s->room);
    s->active = NETDP_I_NEW(int32_t, rows.nodes);
    s->away = NETDP_I_NEW(bool, entries);
    s->heap = NETDP_I_NEW(double, edge ? entries : 1);
    s->end[0] = NETDP_I_NEW(int32_t, edge ? entries : 1);
    s->end[1] = NETDP_I_NEW(int32_t, edge ? entries : 1);
    if (s->start == NULL || s->column == NULL || s->weight == NULL || s->active == NULL ||
        s->away == NULL || s->heap == NULL || s->end[0] == NULL || s->end[1] == NULL)
        return netdp_i_no_memory(error);
    if (edge)
        TRY(heap_edges(s, error));
    *sequence = GIVE(s);
    return NETDP_OK;
}

static netdp_stream stream_of(const netdp_sequence *s, int32_t node, int64_t step)
{
    return netdp_stream_at(s->variation.seed, NETDP_FOR_SEQUENCE, (uint32_t)node, (uint64_t)step);
}

/* Whose rows say more than that the node keeps its state. */
static void list_active(netdp_sequence *s, netdp_rows rows, netdp_round *round)
{
    int32_t count = 0;
    for (int32_t v = 0; v < rows.nodes; v++)
        if (rows.start[v + 1] - rows.start[v] > 1)
            s->active[count++] = v;
    *round = (netdp_round){rows, count, s->active, (rows.start[rows.nodes] - rows.nodes) / 2};
}

/* ---- One edge ---- */

/* The least k with heap[k] above the drawn part of the whole. */
static int64_t pick(const netdp_sequence *s, double part)
{
    const double sought = part * s->heap[s->heaped - 1];
    int64_t low = 0, high = s->heaped - 1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (s->heap[middle] > sought)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void activate_edge(netdp_sequence *s, int64_t t, netdp_round *round)
{
    netdp_stream stream = stream_of(s, 0, t);
    const int64_t k = pick(s, netdp_stream_uniform(&stream));
    const int32_t end[2] = {s->end[0][k], s->end[1][k]};
    int64_t at = 0;
    for (int32_t v = 0; v < s->nodes; v++) {
        const bool moves = v == end[0] || v == end[1];
        s->start[v] = at;
        for (int i = 0; i < (moves ? 2 : 1); i++) {
            s->column[at] = moves ? end[i] : v;
            s->weight[at++] = moves ? 0.5 : 1;
        }
    }
    s->start[s->nodes] = at;
    s->active[0] = end[0];
    s->active[1] = end[1];
    *round = (netdp_round){{s->nodes, s->start, s->column, s->weight}, 2, s->active, 1};
}

/* ---- One dimension ---- */

static void activate_dimension(netdp_sequence *s, int64_t t, netdp_round *round)
{
    int dimensions = 0;
    while ((1 << dimensions) < s->nodes)
        dimensions++;
    const int32_t bit = 1 << (t % dimensions);
    for (int32_t v = 0; v < s->nodes; v++) {
        s->start[v] = 2 * (int64_t)v;
        s->column[2 * v] = v & ~bit;
        s->column[2 * v + 1] = v | bit;
        s->weight[2 * v] = s->weight[2 * v + 1] = 0.5;
    }
    s->start[s->nodes] = 2 * (int64_t)s->nodes;
    list_active(s, (netdp_rows){s->nodes, s->start, s->column, s->weight}, round);
}

/* ---- Dropout ---- */

static void draw_away(netdp_sequence *s, netdp_rows rows, int64_t t)
{
    for (int32_t v = 0; v < s->nodes; v++) {
        netdp_stream stream = stream_of(s, v, t);
        if (s->variation.kind != NETDP_VARY_EDGES) {
            s->away[v] = netdp_stream_uniform(&stream) < s->variation.missing;
            continue;
        }
        for (int64_t i = rows.start[v]; i < rows.start[v + 1]; i++)
            if (rows.column[i] > v)
                s->away[i] = netdp_stream_uniform(&stream) < s->variation.missing;
    }
}

static bool is_missing(const netdp_sequence *s, netdp_rows rows, int32_t v, int64_t i)
{
    const int32_t w = rows.column[i];
    if (s->variation.kind != NETDP_VARY_EDGES)
        return s->away[v] || s->away[w];
    return s->away[w > v ? i : netdp_i_rows_find(rows, w, v)];
}

static void drop_out(netdp_sequence *s, int64_t t, netdp_round *round)
{
    const netdp_rows rows = netdp_mixing_rows(s->mixing);
    int64_t at = 0;
    draw_away(s, rows, s->variation.kind == NETDP_VARY_LATE ? 0 : t);
    for (int32_t v = 0; v < s->nodes; v++) {
        int64_t loop = -1;
        double moved = 0;
        s->start[v] = at;
        for (int64_t i = rows.start[v]; i < rows.start[v + 1]; i++) {
            if (rows.column[i] == v) {
                loop = at;
            } else if (is_missing(s, rows, v, i)) {
                moved += rows.weight[i];
                continue;
            }
            s->column[at] = rows.column[i];
            s->weight[at++] = rows.weight[i];
        }
        s->weight[loop] += moved;
        if (at - s->start[v] == 1) /* what its row sums to, up to rounding */
            s->weight[loop] = 1;
    }
    s->start[s->nodes] = at;
    list_active(s, (netdp_rows){s->nodes, s->start, s->column, s->weight}, round);
}

/* ---- Another graph ---- */

/* Every pair v < w is an edge with the same probability; jumps over those that are not. */
static netdp_status draw_pairs(const netdp_sequence *s, int64_t draw, int32_t **pairs,
                               int64_t *count, netdp_error *error)
{
    const double p = s->variation.probability, rest = log1p(-p);
    int64_t room = 0;
    for (int32_t v = 0; p > 0 && v + 1 < s->nodes; v++) {
        netdp_stream stream = stream_of(s, v, draw);
        for (double w = v;;) {
            w += p < 1 ? 1 + floor(log(netdp_stream_uniform(&stream)) / rest) : 1;
            if (w >= s->nodes)
                break;
            if (*count == room) {
                room = 2 * room + 64;
                int32_t *grown = netdp_i_grow(*pairs, room, 2 * sizeof **pairs);
                if (grown == NULL)
                    return netdp_i_no_memory(error);
                *pairs = grown;
            }
            (*pairs)[2 * *count] = v;
            (*pairs)[2 * (*count)++ + 1] = (int32_t)w;
        }
    }
    return NETDP_OK;
}

static netdp_status draw_graph(netdp_sequence *s, int64_t draw, netdp_error *error)
{
    OWNED int32_t *pairs = NULL;
    int64_t count = 0;
    netdp_mixing_free(s->drawn);
    netdp_graph_free(s->graph);
    s->drawn = NULL;
    s->graph = NULL;
    s->held = 0;
    netdp_stream stream = stream_of(s, 0, draw);
    if (s->variation.probability < 0)
        TRY(netdp_graph_make(netdp_graph_origin(netdp_mixing_graph(s->mixing)),
                             netdp_stream_bits(&stream), false, &s->graph, NULL, error));
    else
        TRY(draw_pairs(s, draw, &pairs, &count, error));
    if (s->graph == NULL)
        TRY(netdp_graph_from_edges(s->nodes, pairs, count, &s->graph, error));
    TRY(netdp_mixing_new(s->graph, netdp_mixing_name(s->mixing), &s->drawn, error));
    s->held = draw;
    return NETDP_OK;
}

netdp_status netdp_sequence_round(netdp_sequence *sequence, int64_t t, netdp_round *round,
                                  netdp_error *error)
{
    NETDP_I_GIVEN(error, sequence && round);
    int64_t draw = 0;
    switch (sequence->variation.kind) {
    case NETDP_VARY_EDGE:
        activate_edge(sequence, t, round);
        return NETDP_OK;
    case NETDP_VARY_NODES:
    case NETDP_VARY_EDGES:
    case NETDP_VARY_LATE:
        drop_out(sequence, t, round);
        return NETDP_OK;
    case NETDP_VARY_PEER:
        activate_dimension(sequence, t, round);
        return NETDP_OK;
    case NETDP_VARY_GRAPH:
        draw = t / sequence->variation.span;
        break;
    case NETDP_VARY_NEVER:
        break;
    }
    if (draw > 0 && draw != sequence->held)
        TRY(draw_graph(sequence, draw, error));
    list_active(sequence, netdp_mixing_rows(draw > 0 ? sequence->drawn : sequence->mixing), round);
    return NETDP_OK;
}

netdp_status netdp_variation_living(const netdp_mixing *mixing, const netdp_variation *variation,
                                    bool *living, int32_t *count, netdp_error *error)
{
    NETDP_I_GIVEN(error, mixing && variation && living);
    const int32_t n = netdp_mixing_rows(mixing).nodes;
    const bool late = variation->kind == NETDP_VARY_LATE;
    netdp_sequence *sequence = NULL;
    int32_t made = 0;
    if (late)
        TRY(netdp_sequence_new(mixing, variation, &sequence, error));
    if (late)
        draw_away(sequence, netdp_mixing_rows(mixing), 0);
    for (int32_t v = 0; v < n; v++)
        made += living[v] = !late || !sequence->away[v];
    netdp_sequence_free(sequence);
    if (made == 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "dropout: every node has failed; give another seed or a smaller "
                            "probability");
    if (count != NULL)
        *count = made;
    return NETDP_OK;
}

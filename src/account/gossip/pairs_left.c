/*
 * What of pairwise noise has not cancelled in the results: each result's response to a contribution
 * round, backwards through the rounds, and the energy that the pairs' noise has in it.
 */
#include "account/gossip/pairs_left.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "account/gossip/pairs_alike.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "graph/graph.h"
#include "mixing/mixing.h"
#include "protocol/linear.h"
#include "protocol/pairing.h"

/* Nodes whose responses go through the rounds together. */
#define BLOCK 16
/* Multiplications of an exact answer; beyond it a bound. A few seconds of a slow core. */
#define MOST_WORK 4e9
/* The most rounds that are looked for. */
#define MOST_ROUNDS 1000000
/* Of more nodes the gap is Lanczos's. */
#define SMALL 500
/* Where a bound needs so many times the rounds that an exact answer may look at, no exact one is looked for. */
#define FAR 8
/* A response that is even to this part is the mean's, in which nothing is left. */
#define EVEN 1e-13

typedef struct leaving {
    const netdp_linear *protocol;
    netdp_rows rows;
    double weight;       /* of Chebyshev rounds */
    double *square;      /* [nodes]: kappa^2 sum_t e_w' R_t L R_t' e_w */
    const int32_t *node; /* [count]: of whose results; others are like one of them */
    int64_t count;
    double *room; /* [threads][scratch] */
    int64_t scratch;
    double most; /* of a square, where rounds are looked for, from the least to the longest */
    int64_t least, longest, *rounds; /* rounds [blocks] that each wants */
} leaving;

/* What does not hang on the number of rounds. */
typedef struct network {
    int32_t *kind, *node; /* [nodes]: the first node whose result answers alike; [count]: these */
    int32_t count;
    double gap;    /* NAN: not found yet */
    double weight; /* of Chebyshev rounds, at least 1; 0: not found yet */
} network;

static void network_clear(network *net)
{
    netdp_i_free(net->kind);
    netdp_i_free(net->node);
}

/* sum over pairs of (x_a - x_b)^2 of one column of x [nodes][width]. */
double netdp_i_pairs_energy(const netdp_pairing *pairing, const double *x, int64_t width)
{
    double sum = 0;
    for (int32_t a = 0; a < netdp_graph_nodes(pairing->graph); a++)
        for (int32_t i = 0; i < netdp_graph_degree(pairing->graph, a); i++) {
            const int32_t b = netdp_graph_neighbours(pairing->graph, a)[i];
            const double away =
                (pairing->weighted ? netdp_i_graph_weights(pairing->graph, a)[i] : 1) *
                (x[a * width] - x[b * width]);
            sum += b > a ? away * away : 0;
        }
    return pairing->kappa * pairing->kappa * sum;
}

/* y = W' x, of rows that need not be symmetric. */
static void back(netdp_rows rows, const double *x, double *y, int64_t width)
{
    memset(y, 0, (size_t)(rows.nodes * width) * sizeof *y);
    for (int64_t v = 0; v < rows.nodes; v++)
        for (int64_t j = rows.start[v]; j < rows.start[v + 1]; j++)
            for (int64_t i = 0; i < width; i++)
                y[rows.column[j] * width + i] += rows.weight[j] * x[v * width + i];
}

static bool is_even(const double *x, int64_t nodes, int64_t width)
{
    for (int64_t i = 0; i < width; i++)
        for (int64_t v = 1; v < nodes; v++)
            if (fabs(x[v * width + i] - x[i]) > EVEN * fabs(x[i]))
                return false;
    return true;
}

static void swap(double **a, double **b)
{
    double *kept = *a;
    *a = *b;
    *b = kept;
}

/* One round, of which t are behind: x[0] becomes its response before it, x[1] that before x[0]; x[2] is room. */
static void step_back(const leaving *l, double *x[3], int64_t t, int64_t width)
{
    const int64_t size = l->rows.nodes * width;
    const double g = l->protocol->accelerate ? l->weight : 1;
    back(l->rows, x[0], x[2], width);
    if (g != 1 && t > 0)
        for (int64_t i = 0; i < size; i++)
            x[2][i] = g * x[2][i] + (1 - g) * x[1][i];
    swap(&x[1], &x[2]);
    swap(&x[0], &x[1]);
}

/* x[0] becomes its response before `length` rounds; x[1], x[2] are room. True: it is even. */
static bool retreat(const leaving *l, double *x[3], int64_t length, int64_t width)
{
    const bool plain = !l->protocol->accelerate || l->weight == 1;
    for (int64_t t = 0; t < length; t++) {
        if (plain && is_even(x[0], l->rows.nodes, width))
            return true;
        step_back(l, x, t, width);
    }
    return false;
}

/* The contribution round before round `end`. */
static int64_t contributes_before(const netdp_linear *protocol, int64_t end)
{
    return protocol->every > 0 ? (end - 1) / protocol->every * protocol->every : 0;
}

/* The results of a block, each of itself alone, in x [3][nodes][width]. Returns the width. */
static int64_t begin_block(const leaving *l, int64_t index, int thread, double *x[3])
{
    const int64_t n = l->rows.nodes, first = index * BLOCK;
    const int64_t width = l->count - first < BLOCK ? l->count - first : BLOCK;
    for (int i = 0; i < 3; i++)
        x[i] = l->room + thread * l->scratch + i * n * BLOCK;
    memset(x[0], 0, (size_t)(n * width) * sizeof **x);
    for (int64_t i = 0; i < width; i++)
        x[0][l->node[first + i] * width + i] = 1;
    return width;
}

/* A block of results on a network that does not change, all noise fresh. */
static netdp_status leave_block(void *context, int64_t index, int thread, netdp_error *error)
{
    leaving *l = context;
    const int64_t first = index * BLOCK;
    double *x[3];
    const int64_t width = begin_block(l, index, thread, x);
    (void)error;
    for (int64_t end = l->protocol->rounds; end > 0;) {
        const int64_t begin = contributes_before(l->protocol, end);
        double most = 0;
        if (retreat(l, x, end - begin, width))
            return NETDP_OK;
        for (int64_t i = 0; i < width; i++) {
            const double more = netdp_i_pairs_energy(&l->protocol->noise.pairing, x[0] + i, width);
            double *square = l->square + l->node[first + i];
            *square += more;
            most = fmax(most, more / *square);
        }
        if (most < 1e-12)
            return NETDP_OK;
        end = begin;
    }
    return NETDP_OK;
}

/* Rounds after which each of a block's results has little enough of its one contribution's noise. */
static netdp_status wait_block(void *context, int64_t index, int thread, netdp_error *error)
{
    leaving *l = context;
    double *x[3];
    const int64_t width = begin_block(l, index, thread, x);
    (void)error;
    l->rounds[index] = l->longest;
    for (int64_t t = 0; t < l->longest; t++) {
        double most = 0;
        for (int64_t i = 0; t >= l->least && i < width && most <= l->most; i++)
            most = fmax(most, netdp_i_pairs_energy(&l->protocol->noise.pairing, x[0] + i, width));
        if (t >= l->least && most <= l->most) {
            l->rounds[index] = t;
            break;
        }
        step_back(l, x, t, width);
    }
    return NETDP_OK;
}

/* One result under noise that is correlated over phases: y_q = sum_p C_pq R_p' e_w of each fresh draw q. */
static netdp_status leave_correlated(void *context, int64_t index, int thread, netdp_error *error)
{
    leaving *l = context;
    const int32_t w = l->node[index];
    const netdp_quiet *quiet = &l->protocol->quiet;
    const int64_t n = l->rows.nodes, phases = quiet->phases;
    double *room = l->room + thread * l->scratch, *y = room + 3 * n;
    double *x[3] = {room, room + n, room + 2 * n};
    (void)error;
    memset(room, 0, (size_t)(n * (3 + phases)) * sizeof *room);
    x[0][w] = 1;
    for (int64_t p = phases - 1; p >= 0; p--) {
        (void)retreat(l, x, l->protocol->every, 1);
        for (int64_t q = 0; q <= p; q++)
            for (int64_t v = 0; v < n; v++)
                y[q * n + v] += quiet->factor[p * phases + q] * x[0][v];
    }
    for (int64_t q = 0; q < phases; q++)
        l->square[w] += netdp_i_pairs_energy(&l->protocol->noise.pairing, y + q * n, 1);
    return NETDP_OK;
}

/* All results of a changing network, by the matrices that were drawn. */
static netdp_status leave_changing(leaving *l, netdp_error *error)
{
    const netdp_linear *protocol = l->protocol;
    const int64_t n = l->rows.nodes;
    OWNED_BY(netdp_sequence_free) netdp_sequence *sequence = NULL;
    double *r = l->room, *mixed = l->room + n * n;
    TRY(netdp_sequence_new(protocol->mixing, &protocol->varying, &sequence, error));
    for (int64_t v = 0; v < n; v++)
        r[v * n + v] = 1;
    for (int64_t t = protocol->rounds - 1; t >= 0; t--) {
        netdp_round round;
        TRY(netdp_sequence_round(sequence, t, &round, error));
        for (int32_t i = 0; i < round.active_count; i++) {
            const int32_t v = round.active[i];
            memset(mixed + i * n, 0, (size_t)n * sizeof *mixed);
            for (int64_t j = round.rows.start[v]; j < round.rows.start[v + 1]; j++)
                for (int64_t w = 0; w < n; w++)
                    mixed[i * n + w] += round.rows.weight[j] * r[round.rows.column[j] * n + w];
        }
        for (int32_t i = 0; i < round.active_count; i++)
            memcpy(r + round.active[i] * n, mixed + i * n, (size_t)n * sizeof *r);
        for (int64_t w = 0; w < n; w++)
            l->square[w] += netdp_linear_contributes(protocol, t)
                                ? netdp_i_pairs_energy(&protocol->noise.pairing, r + w, n)
                                : 0;
    }
    return NETDP_OK;
}

/* Variance that the nodes' own noise leaves in the mean of the living. */
static double own_variance(const netdp_linear *protocol, double living)
{
    const netdp_quiet *quiet = &protocol->quiet;
    const int32_t n = netdp_mixing_rows(protocol->mixing).nodes;
    double sum = 0;
    if (netdp_quiet_is(quiet)) {
        for (int64_t q = 0; q < quiet->phases; q++) {
            double column = 0;
            for (int64_t p = q; p < quiet->phases; p++)
                column += quiet->factor[p * quiet->phases + q];
            sum += column * column;
        }
        return sum / n;
    }
    for (int32_t v = 0; protocol->own != NULL && v < n; v++)
        sum += protocol->own[v] * protocol->own[v] / n;
    if (protocol->own == NULL)
        sum = 1;
    const double times =
        protocol->every > 0 ? (double)((protocol->rounds - 1) / protocol->every + 1) : 1;
    return sum * times / living;
}

static netdp_status network_new(const netdp_linear *protocol, network *net, netdp_error *error)
{
    const int32_t n = netdp_mixing_rows(protocol->mixing).nodes;
    *net = (network){.kind = NETDP_I_NEW(int32_t, n), .node = NETDP_I_NEW(int32_t, n), .gap = NAN};
    if (net->kind == NULL || net->node == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_i_pairs_alike(protocol, net->kind, error));
    for (int32_t v = 0; v < n; v++)
        if (net->kind[v] == v)
            net->node[net->count++] = v;
    return NETDP_OK;
}

static double work_of(const netdp_linear *protocol, const network *net)
{
    const netdp_rows rows = netdp_mixing_rows(protocol->mixing);
    const double n = rows.nodes, entries = (double)rows.start[rows.nodes];
    const double pairs = 2 * (double)netdp_graph_edges(protocol->noise.pairing.graph);
    const double phases =
        protocol->every > 0 ? ceil((double)protocol->rounds / (double)protocol->every) : 1;
    if (netdp_quiet_is(&protocol->quiet))
        return net->count * ((double)protocol->rounds * entries + phases * (n * phases + pairs));
    return fmax(net->count, fmin(n, BLOCK)) * ((double)protocol->rounds * entries + phases * pairs);
}

static bool is_bounded(const netdp_linear *protocol)
{
    return !netdp_quiet_is(&protocol->quiet) && protocol->varying.kind == NETDP_VARY_NEVER &&
           netdp_mixing_is_symmetric(protocol->mixing);
}

static netdp_status find_gap(const netdp_linear *protocol, network *net, netdp_error *error)
{
    netdp_spectrum spectrum;
    if (!isnan(net->gap))
        return NETDP_OK;
    TRY(netdp_mixing_spectrum(protocol->mixing,
                              netdp_mixing_rows(protocol->mixing).nodes > SMALL
                                  ? NETDP_SPECTRAL_LANCZOS
                                  : NETDP_SPECTRAL_DENSE,
                              &spectrum, error));
    net->gap = spectrum.gap;
    return NETDP_OK;
}

static netdp_status find_weight(const netdp_linear *protocol, network *net, netdp_error *error)
{
    return net->weight > 0 ? NETDP_OK : netdp_i_linear_weight(protocol, &net->weight, error);
}

/*
 * Never below what is left where W is symmetric and does not change: R' e_w is 1/n and a rest of
 * length |lambda|^age at most (of Chebyshev rounds their polynomial there, its largest within), in which an
 * edge of the pair graph weighs as its two degrees at most, and all of them their trace.
 */
static netdp_status bound_left(const netdp_linear *protocol, network *net, double own,
                               netdp_i_pairs_left *left, netdp_error *error)
{
    const netdp_graph *pairs = protocol->noise.pairing.graph;
    const int32_t n = netdp_graph_nodes(pairs);
    double widest = 0, sum = 0, response = 1;
    if (!is_bounded(protocol))
        return NETDP_OK;
    TRY(find_gap(protocol, net, error));
    TRY(find_weight(protocol, net, error));
    const double g = net->weight;
    for (int32_t a = 0; a < n; a++)
        for (int32_t i = 0; i < netdp_graph_degree(pairs, a); i++)
            widest =
                fmax(widest, netdp_graph_degree(pairs, a) +
                                 netdp_graph_degree(pairs, netdp_graph_neighbours(pairs, a)[i]));
    const double theta = fmin(1, 1 - net->gap);
    for (int64_t end = protocol->rounds; end > 0 && response > 1e-12;) {
        const int64_t begin = contributes_before(protocol, end);
        double before = 1, now = theta;
        for (int64_t t = begin + 1; protocol->accelerate && t < end; t++) {
            const double next = g * theta * now + (1 - g) * before;
            before = now;
            now = next;
        }
        response *= protocol->accelerate ? fabs(now) : pow(theta, (double)(end - begin));
        sum += response * response;
        end = begin;
    }
    double softest, loudest;
    netdp_i_pairing_range(&protocol->noise.pairing, &softest, &loudest);
    const double square = loudest * loudest * sum / own;
    left->mean = sqrt(square * 2 * (double)netdp_graph_edges(pairs) / n);
    left->worst = sqrt(square * widest);
    return NETDP_OK;
}

/* l->square of each kind's first, or of all. */
static netdp_status find_squares(leaving *l, netdp_error *error)
{
    const netdp_linear *protocol = l->protocol;
    const int64_t n = l->rows.nodes;
    const bool changes = protocol->varying.kind != NETDP_VARY_NEVER;
    const bool correlated = netdp_quiet_is(&protocol->quiet);
    const int threads = changes ? 1 : netdp_i_threads();
    l->scratch = changes      ? 2 * n * n
                 : correlated ? n * (3 + protocol->quiet.phases)
                              : 3 * n * BLOCK;
    l->room = NETDP_I_NEW(double, threads * l->scratch);
    if (l->room == NULL)
        return netdp_i_no_memory(error);
    netdp_status status =
        changes      ? leave_changing(l, error)
        : correlated ? netdp_i_for_each(l->count, leave_correlated, l, NULL, "pairs", error)
                     : netdp_i_for_each((l->count + BLOCK - 1) / BLOCK, leave_block, l, NULL,
                                        "pairs", error);
    netdp_i_free(l->room);
    return status;
}

static netdp_status find_exactly(const netdp_linear *protocol, network *net, double own,
                                 const bool *living, netdp_i_pairs_left *left, netdp_error *error)
{
    const netdp_rows rows = netdp_mixing_rows(protocol->mixing);
    OWNED double *square = NETDP_I_NEW(double, rows.nodes);
    leaving l = {.protocol = protocol,
                 .rows = rows,
                 .square = square,
                 .node = net->node,
                 .count = net->count};
    double sum = 0, most = 0, counted = 0;
    if (square == NULL)
        return netdp_i_no_memory(error);
    TRY(find_weight(protocol, net, error));
    l.weight = net->weight;
    TRY(find_squares(&l, error));
    for (int32_t w = 0; w < rows.nodes; w++) {
        const double here = square[net->kind[w]];
        if (!living[w])
            continue;
        sum += here;
        counted++;
        if (left->node < 0 || here > most * (1 + 1e-9)) { /* of equal ones the first */
            left->node = w;
            most = here;
        }
    }
    left->mean = sqrt(sum / counted / own);
    left->worst = sqrt(most / own);
    return NETDP_OK;
}

/* `bounded`: by the bound, whatever the exact answer would take. */
static netdp_status find_left(const netdp_linear *protocol, network *net, bool bounded,
                              netdp_i_pairs_left *left, netdp_error *error)
{
    const int32_t n = netdp_mixing_rows(protocol->mixing).nodes;
    const bool changes = protocol->varying.kind != NETDP_VARY_NEVER;
    int32_t living_count = n;
    OWNED bool *living = NETDP_I_NEW(bool, n);
    *left = (netdp_i_pairs_left){NAN, NAN, -1};
    if (living == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_variation_living(protocol->mixing, &protocol->varying, living, &living_count, error));
    const double own = own_variance(protocol, living_count);
    return bounded || work_of(protocol, net) > MOST_WORK || (changes && n > NETDP_DENSE_NODES)
               ? bound_left(protocol, net, own, left, error)
               : find_exactly(protocol, net, own, living, left, error);
}

netdp_status netdp_i_pairs_left_find(const netdp_linear *protocol, netdp_i_pairs_left *left,
                                     netdp_error *error)
{
    CLEARED(network_clear) network net = {0};
    TRY(network_new(protocol, &net, error));
    return find_left(protocol, &net, false, left, error);
}

/* The protocol with so many rounds, of a phase where it has some. */
static netdp_linear with_rounds(const netdp_linear *protocol, int64_t rounds)
{
    netdp_linear longer = *protocol;
    const int64_t phases = protocol->every > 0 ? netdp_linear_contributions(protocol) : 1;
    longer.rounds = rounds * phases;
    longer.every = protocol->every > 0 ? rounds : 0;
    return longer;
}

/* The fewest rounds from `least` on after which little enough is left; -1: none. */
static netdp_status search(const netdp_linear *protocol, network *net, bool bounded, int64_t least,
                           int64_t *rounds, netdp_error *error)
{
    int64_t low = least - 1, high = 0; /* not enough (or too few), and enough */
    for (int64_t next = least; high == 0 || high - low > 1;) {
        const netdp_linear longer = with_rounds(protocol, next);
        netdp_i_pairs_left left;
        TRY(find_left(&longer, net, bounded, &left, error));
        if (left.worst <= NETDP_I_LEFT_MOST) /* not where it is not known */
            high = next;
        else
            low = next;
        if (high == 0 && low >= MOST_ROUNDS)
            break;
        next = high > 0 ? low + (high - low) / 2 : 2 * low < MOST_ROUNDS ? 2 * low : MOST_ROUNDS;
    }
    *rounds = high > 0 ? high : -1;
    return NETDP_OK;
}

/* The same of one contribution, whose responses to all numbers of rounds come one after another; *rounds: the most. */
static netdp_status wait(const netdp_linear *protocol, network *net, int64_t least, int64_t *rounds,
                         netdp_error *error)
{
    const netdp_rows rows = netdp_mixing_rows(protocol->mixing);
    const int64_t blocks = (net->count + BLOCK - 1) / BLOCK, scratch = 3 * BLOCK * rows.nodes;
    OWNED int64_t *found = NETDP_I_NEW(int64_t, blocks);
    OWNED double *room = NETDP_I_NEW(double, netdp_i_threads() * scratch);
    const double most = NETDP_I_LEFT_MOST * NETDP_I_LEFT_MOST;
    leaving l = {.protocol = protocol,
                 .rows = rows,
                 .node = net->node,
                 .count = net->count,
                 .room = room,
                 .scratch = scratch,
                 .most = most * own_variance(protocol, rows.nodes),
                 .least = least,
                 .longest = *rounds,
                 .rounds = found};
    if (found == NULL || room == NULL)
        return netdp_i_no_memory(error);
    TRY(find_weight(protocol, net, error));
    l.weight = net->weight;
    TRY(netdp_i_for_each(blocks, wait_block, &l, NULL, "pairs", error));
    *rounds = least;
    for (int64_t i = 0; i < blocks; i++)
        *rounds = found[i] > *rounds ? found[i] : *rounds;
    return NETDP_OK;
}

netdp_status netdp_i_pairs_left_rounds(const netdp_linear *protocol, int64_t least, int64_t *rounds,
                                       netdp_error *error)
{
    CLEARED(network_clear) network net = {0};
    *rounds = protocol->varying.kind == NETDP_VARY_LATE ? -1 : least; /* halves stay in the sum */
    if (*rounds < 0 || !netdp_pairing_is(&protocol->noise.pairing) || protocol->steady ||
        (protocol->every > 0 && !protocol->reacts))
        return NETDP_OK;
    TRY(network_new(protocol, &net, error));
    if (is_bounded(protocol)) { /* is an exact answer within reach? */
        TRY(search(protocol, &net, true, least, rounds, error));
        const int64_t near = *rounds < 0 ? MOST_ROUNDS : *rounds;
        const netdp_linear nearest = with_rounds(protocol, near / FAR > least ? near / FAR : least);
        if (work_of(&nearest, &net) > MOST_WORK)
            return NETDP_OK;
        const netdp_linear farthest = with_rounds(protocol, near);
        if (*rounds > 0 && protocol->every == 0 && work_of(&farthest, &net) <= MOST_WORK)
            return wait(protocol, &net, least, rounds, error);
    }
    return search(protocol, &net, false, least, rounds, error);
}

netdp_status netdp_i_pairs_left_longer(const netdp_linear *protocol, int64_t least, int64_t *rounds,
                                       netdp_error *error)
{
    int64_t found = least;
    TRY(netdp_i_pairs_left_rounds(protocol, least, &found, error));
    *rounds = found > 0 ? found : least;
    return NETDP_OK;
}

static json_t *known(double value)
{
    return isnan(value) ? json_null() : netdp_i_json_double(value);
}

json_t *netdp_i_pairs_left_json(const netdp_i_pairs_left *left, int64_t enough)
{
    return json_pack(
        "{s:o, s:o, s:o, s:f, s:o}", "mean", known(left->mean), "worst", known(left->worst), "node",
        left->node >= 0 ? json_integer(left->node) : json_null(), "most", NETDP_I_LEFT_MOST,
        "rounds_enough", enough > 0 ? json_integer(enough) : json_null());
}

void netdp_i_pairs_left_words(const netdp_i_pairs_left *left, char text[NETDP_I_LEFT_ROOM])
{
    if (isnan(left->worst))
        snprintf(text, NETDP_I_LEFT_ROOM, "What is left of the pairwise noise is not known here.");
    else if (left->node < 0)
        snprintf(
            text, NETDP_I_LEFT_ROOM,
            "The rounds leave pairwise noise in the results: at most %.3g times the model's own "
            "noise at any node, at most %.3g times over all nodes.",
            left->worst, left->mean);
    else
        snprintf(
            text, NETDP_I_LEFT_ROOM,
            "The rounds leave pairwise noise in the results: %.3g times the model's own noise at "
            "the worst node (%d), %.3g times over all nodes.",
            left->worst, (int)left->node, left->mean);
}

bool netdp_i_pairs_left_warning(const netdp_linear *protocol, const netdp_i_pairs_left *left,
                                int64_t enough, char text[NETDP_I_LEFT_ROOM])
{
    const bool phases = protocol->every > 0;
    const int64_t rounds = phases ? protocol->every : protocol->rounds;
    const char *what = phases ? " a phase" : "";
    char todo[128] = "give a network that mixes faster, or less pair noise";
    if (!(left->worst > NETDP_I_LEFT_MOST))
        return false;
    if (protocol->varying.kind == NETDP_VARY_LATE)
        snprintf(
            todo, sizeof todo,
            "nodes that fail leave their partners' halves: let those reveal them (revealed:P)");
    else if (enough > rounds)
        snprintf(todo, sizeof todo, "give %lld rounds%s, %sor less pair noise", (long long)enough,
                 what, protocol->reacts && !phases ? "" : "rounds: auto, ");
    snprintf(text, NETDP_I_LEFT_ROOM,
             "the pairwise noise has not cancelled: after %lld round%s%s what is left is %s%.3g "
             "times the model's own noise%s, and the result errs by as much; %s",
             (long long)rounds, rounds == 1 ? "" : "s", what, left->node < 0 ? "at most " : "",
             left->worst, left->node < 0 ? "" : " at the worst node", todo);
    return true;
}

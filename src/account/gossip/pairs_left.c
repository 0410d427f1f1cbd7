/*
 * What of pairwise noise has not cancelled in the results: each result's response to a contribution
 * round, backwards through the rounds, and the energy that the pairs' noise has in it.
 */
#include "account/gossip/pairs_left.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "mixing/alike.h"
#include "protocol/linear.h"

OWNER(netdp_sequence_free, netdp_sequence)

/* Nodes whose responses go through the rounds together. */
#define BLOCK 16
/* Multiplications of an exact answer; beyond it a bound. A few seconds of a slow core. */
#define MOST_WORK 4e9
/* The most rounds that are looked for. */
#define MOST_ROUNDS 1000000
/* A response that is even to this part is the mean's, in which nothing is left. */
#define EVEN 1e-13

typedef struct leaving {
    const netdp_linear *protocol;
    netdp_rows rows;
    double weight;  /* of Chebyshev rounds */
    double *square; /* [nodes]: kappa^2 sum_t e_w' R_t L R_t' e_w */
    double *room;   /* [threads][scratch] */
    int64_t scratch;
} leaving;

/* sum over pairs of (x_a - x_b)^2 of one column of x [nodes][width]. */
double netdp_i_pairs_energy(const netdp_pairing *pairing, const double *x, int64_t width)
{
    double sum = 0;
    for (int32_t a = 0; a < netdp_graph_nodes(pairing->graph); a++)
        for (int32_t i = 0; i < netdp_graph_degree(pairing->graph, a); i++) {
            const int32_t b = netdp_graph_neighbours(pairing->graph, a)[i];
            const double away = x[a * width] - x[b * width];
            sum += b > a ? away * away : 0;
        }
    return pairing->noise * pairing->noise * sum;
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

/* x[0] becomes its response before `length` rounds; x[1], x[2] are room. True: it is even. */
static bool retreat(const leaving *l, double *x[3], int64_t length, int64_t width)
{
    const int64_t size = l->rows.nodes * width;
    const double g = l->protocol->accelerate ? l->weight : 1;
    for (int64_t t = 0; t < length; t++) {
        if (t % 8 == 0 && g == 1 && is_even(x[0], l->rows.nodes, width))
            return true;
        back(l->rows, x[0], x[1], width);
        if (g != 1 && t > 0) /* x[2]: the round before */
            for (int64_t i = 0; i < size; i++)
                x[1][i] = g * x[1][i] + (1 - g) * x[2][i];
        swap(&x[0], &x[1]);
        swap(&x[1], &x[2]);
    }
    return false;
}

/* The contribution round before round `end`. */
static int64_t contributes_before(const netdp_linear *protocol, int64_t end)
{
    return protocol->every > 0 ? (end - 1) / protocol->every * protocol->every : 0;
}

/* A block of results on a network that does not change, all noise fresh. */
static netdp_status leave_block(void *context, int64_t index, int thread, netdp_error *error)
{
    leaving *l = context;
    const int64_t n = l->rows.nodes, first = index * BLOCK;
    const int64_t width = n - first < BLOCK ? n - first : BLOCK;
    double *room = l->room + thread * l->scratch;
    double *x[3] = {room, room + n * BLOCK, room + 2 * n * BLOCK};
    (void)error;
    memset(x[0], 0, (size_t)(n * width) * sizeof **x);
    for (int64_t i = 0; i < width; i++)
        x[0][(first + i) * width + i] = 1;
    for (int64_t end = l->protocol->rounds; end > 0;) {
        const int64_t begin = contributes_before(l->protocol, end);
        double most = 0;
        if (retreat(l, x, end - begin, width))
            return NETDP_OK;
        for (int64_t i = 0; i < width; i++) {
            const double more = netdp_i_pairs_energy(&l->protocol->pairing, x[0] + i, width);
            l->square[first + i] += more;
            most = fmax(most, more / l->square[first + i]);
        }
        if (most < 1e-12)
            return NETDP_OK;
        end = begin;
    }
    return NETDP_OK;
}

/* One result under noise that is correlated over phases: y_q = sum_p C_pq R_p' e_w of each fresh draw q. */
static netdp_status leave_correlated(void *context, int64_t w, int thread, netdp_error *error)
{
    leaving *l = context;
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
        l->square[w] += netdp_i_pairs_energy(&l->protocol->pairing, y + q * n, 1);
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
                                ? netdp_i_pairs_energy(&protocol->pairing, r + w, n)
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

/* Do all results answer alike? Then one stands for all. */
static bool alike(const netdp_linear *protocol)
{
    const char *pairs = netdp_graph_origin(protocol->pairing.graph);
    return (strcmp(pairs, "edges") == 0 || strcmp(pairs, "complete") == 0) &&
           netdp_i_rows_alike(netdp_mixing_rows(protocol->mixing));
}

static double work_of(const netdp_linear *protocol)
{
    const netdp_rows rows = netdp_mixing_rows(protocol->mixing);
    const double n = rows.nodes, entries = (double)rows.start[rows.nodes];
    const double pairs = 2 * (double)netdp_graph_edges(protocol->pairing.graph);
    const double phases =
        protocol->every > 0 ? ceil((double)protocol->rounds / (double)protocol->every) : 1;
    if (netdp_quiet_is(&protocol->quiet))
        return n * ((double)protocol->rounds * entries + phases * (n * phases + pairs));
    const double results =
        protocol->varying.kind == NETDP_VARY_NEVER && alike(protocol) ? BLOCK : n;
    return results * ((double)protocol->rounds * entries + phases * pairs);
}

/*
 * Never below what is left where W is symmetric and does not change: R' e_w is 1/n and a rest of
 * length |lambda|^age at most (of Chebyshev rounds their polynomial there, its largest within), in which an
 * edge of the pair graph weighs as its two degrees at most, and all of them their trace.
 */
static netdp_status bound_left(const netdp_linear *protocol, double own, netdp_i_pairs_left *left,
                               netdp_error *error)
{
    const netdp_graph *pairs = protocol->pairing.graph;
    const int32_t n = netdp_graph_nodes(pairs);
    netdp_spectrum spectrum;
    double g = 1, widest = 0, sum = 0, response = 1;
    if (netdp_quiet_is(&protocol->quiet) || protocol->varying.kind != NETDP_VARY_NEVER ||
        !netdp_mixing_is_symmetric(protocol->mixing))
        return NETDP_OK;
    TRY(netdp_mixing_spectrum(protocol->mixing, NETDP_SPECTRAL_AUTO, &spectrum, error));
    TRY(netdp_i_linear_weight(protocol, &g, error));
    for (int32_t a = 0; a < n; a++)
        for (int32_t i = 0; i < netdp_graph_degree(pairs, a); i++)
            widest =
                fmax(widest, netdp_graph_degree(pairs, a) +
                                 netdp_graph_degree(pairs, netdp_graph_neighbours(pairs, a)[i]));
    const double theta = fmin(1, 1 - spectrum.gap);
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
    const double square = protocol->pairing.noise * protocol->pairing.noise * sum / own;
    left->mean = sqrt(square * 2 * (double)netdp_graph_edges(pairs) / n);
    left->worst = sqrt(square * widest);
    return NETDP_OK;
}

/* l->square of `results` of the nodes, or of all. */
static netdp_status find_squares(leaving *l, int64_t results, netdp_error *error)
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
        changes ? leave_changing(l, error)
        : correlated
            ? netdp_i_for_each(results, leave_correlated, l, NULL, "pairs", error)
            : netdp_i_for_each((results + BLOCK - 1) / BLOCK, leave_block, l, NULL, "pairs", error);
    netdp_i_free(l->room);
    return status;
}

netdp_status netdp_i_pairs_left_find(const netdp_linear *protocol, netdp_i_pairs_left *left,
                                     netdp_error *error)
{
    const netdp_rows rows = netdp_mixing_rows(protocol->mixing);
    const int32_t n = rows.nodes;
    int32_t living_count = n;
    *left = (netdp_i_pairs_left){NAN, NAN, -1};
    bool *living = NETDP_I_NEW(bool, n);
    leaving l = {.protocol = protocol, .rows = rows, .square = NETDP_I_NEW(double, n)};
    netdp_status status = living == NULL || l.square == NULL ? netdp_i_no_memory(error) : NETDP_OK;
    if (status == NETDP_OK)
        status = netdp_variation_living(protocol->mixing, &protocol->varying, living, &living_count,
                                        error);
    const double own = own_variance(protocol, living_count);
    const bool changes = protocol->varying.kind != NETDP_VARY_NEVER;
    if (status != NETDP_OK)
        goto done;
    if (work_of(protocol) > MOST_WORK || (changes && n > NETDP_DENSE_NODES)) {
        status = bound_left(protocol, own, left, error);
        goto done;
    }
    status = netdp_i_linear_weight(protocol, &l.weight, error);
    const int64_t results = !changes && alike(protocol) ? 1 : n;
    if (status == NETDP_OK)
        status = find_squares(&l, results, error);
    double sum = 0, most = 0, counted = 0;
    for (int32_t w = 0; status == NETDP_OK && w < results; w++) {
        if (!living[w])
            continue;
        sum += l.square[w];
        counted++;
        if (left->node < 0 || l.square[w] > most * (1 + 1e-9)) { /* of equal ones the first */
            left->node = w;
            most = l.square[w];
        }
    }
    left->mean = sqrt(sum / counted / own);
    left->worst = sqrt(most / own);
done:
    netdp_i_free(living);
    netdp_i_free(l.square);
    return status;
}

/* Is little enough left after `rounds`, of a phase where the protocol has some? */
static netdp_status enough(const netdp_linear *protocol, int64_t rounds, bool *is,
                           netdp_error *error)
{
    netdp_linear longer = *protocol;
    netdp_i_pairs_left left;
    const int64_t phases = protocol->every > 0 ? netdp_linear_contributions(protocol) : 1;
    longer.rounds = rounds * phases;
    longer.every = protocol->every > 0 ? rounds : 0;
    TRY(netdp_i_pairs_left_find(&longer, &left, error));
    *is = left.worst <= NETDP_I_LEFT_MOST; /* not where it is not known */
    return NETDP_OK;
}

netdp_status netdp_i_pairs_left_rounds(const netdp_linear *protocol, int64_t least, int64_t *rounds,
                                       netdp_error *error)
{
    int64_t low = least - 1, high = least; /* not enough (or too few), and looked at */
    bool is = false;
    *rounds = protocol->varying.kind == NETDP_VARY_LATE ? -1 : least; /* halves stay in the sum */
    if (*rounds < 0 || !netdp_pairing_is(&protocol->pairing) || protocol->steady ||
        (protocol->every > 0 && !protocol->reacts))
        return NETDP_OK;
    netdp_status status = enough(protocol, high, &is, error);
    while (status == NETDP_OK && !is && high < MOST_ROUNDS) {
        low = high;
        high = 2 * high < MOST_ROUNDS ? 2 * high : MOST_ROUNDS;
        status = enough(protocol, high, &is, error);
    }
    *rounds = is ? high : -1;
    while (status == NETDP_OK && is && high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        bool found = false;
        status = enough(protocol, middle, &found, error);
        *(found ? &high : &low) = middle;
        *rounds = high;
    }
    return status;
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

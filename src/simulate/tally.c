/*
 * Sums and histograms by a token (paper E, Algorithms 1, 2, 3 and 5).
 *
 * Draws: the node of step t of the complete graph from stream (seed, NETDP_FOR_WALK, 0, t); what
 * node u adds there from (seed, NETDP_FOR_TALLY, u, t), rounding before noise; the fill from that
 * of a node more than there are; what a pair shares in a pass from (seed, NETDP_FOR_PAIRS, pair,
 * pass).
 */
#include <netdp/simulate.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <netdp/noise.h>
#include <netdp/random.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "protocol/pairing.h"
#include "simulate/gossip.h"

enum { PATIENCE = 1 << 14, EXACT_TERMS = 1000 };

typedef struct run {
    const netdp_tallying *tallying;
    const netdp_tally *tally;
    netdp_run_seed seed;
    int32_t width;
    double *token, *truth; /* [width] */
    int64_t *count;        /* [nodes]: contributions */
    int64_t made;          /* contributions of all nodes */
    int64_t moves;         /* from a node to another */
    bool off_grid;
    netdp_ratio variance; /* of the discrete Gaussian, in grid steps */
    int64_t *first_pair;  /* [nodes] of the pair graph; NULL: no pairs */
    int64_t *open;        /* [nodes]: pairs with one half in the token when it comes to a node */
} run;

int32_t netdp_tally_width(const netdp_tally *tally)
{
    return tally->task == NETDP_TALLY_SUM ? 1 : tally->levels;
}

/* ---- what is added ---- */

static int32_t node_at(const netdp_tally *tally, netdp_run_seed seed, int64_t t)
{
    if (tally->graph == NETDP_TALLY_RING)
        return (int32_t)(t % tally->nodes);
    netdp_stream stream =
        netdp_stream_at(seed.seed, NETDP_FOR_WALK, 0, netdp_i_stream_step(seed, t));
    return (int32_t)netdp_stream_below(&stream, (uint64_t)tally->nodes);
}

static void fill(run *r)
{
    const int64_t count = netdp_tally_fill(r->tally);
    netdp_stream stream = netdp_stream_at(r->seed.seed, NETDP_FOR_TALLY, (uint32_t)r->tally->nodes,
                                          netdp_i_stream_step(r->seed, 0));
    for (int64_t i = 0; i < count; i++)
        r->token[netdp_stream_below(&stream, (uint64_t)r->width)]++;
}

/* The value's place on the grid, up or down at random. */
static double round_off(run *r, netdp_stream *stream, double value)
{
    const netdp_tally *tally = r->tally;
    const double place = (value - tally->low) / (tally->high - tally->low) * tally->grid;
    const double below = floor(place);
    if (place == below)
        return below;
    r->off_grid = true;
    return below + (netdp_stream_uniform(stream) < place - below);
}

static double draw_noise(const run *r, netdp_stream *stream, double energy)
{
    const netdp_tally *tally = r->tally;
    const double scale = tally->noise * (tally->high - tally->low);
    double normal;
    if (energy == 0 || tally->noise == 0)
        return 0;
    switch (tally->mechanism) {
    case NETDP_LAPLACE:
        return scale * netdp_stream_laplace(stream);
    case NETDP_DISCRETE_GAUSSIAN:
        return (double)netdp_stream_discrete_gaussian(stream, r->variance);
    default:
        netdp_stream_normals(stream, &normal, 1);
        return scale * sqrt(energy) * normal;
    }
}

/* The token of a discrete sum counts grid steps above `low`. */
static void add_number(run *r, netdp_stream *stream, int64_t t, const double *value)
{
    const netdp_tally *tally = r->tally;
    if (value != NULL) {
        const double clipped = fmin(fmax(*value, tally->low), tally->high);
        *r->truth += clipped;
        *r->token +=
            tally->mechanism == NETDP_DISCRETE_GAUSSIAN ? round_off(r, stream, clipped) : clipped;
    }
    *r->token += draw_noise(r, stream, netdp_tally_energy(tally, t, t + 1));
}

/* Node u's halves of its pairs' numbers, which are named by (pair, pass). */
static void add_halves(run *r, int32_t u, int64_t t)
{
    const netdp_pairing *pairing = &r->tally->pairing;
    const double scale = r->tally->noise * (r->tally->high - r->tally->low) * pairing->kappa;
    for (int32_t i = 0; scale > 0 && i < netdp_graph_degree(pairing->graph, u); i++)
        netdp_i_pair_noise(r->token, netdp_i_pairing_number(pairing->graph, r->first_pair, u, i), 1,
                           u < netdp_graph_neighbours(pairing->graph, u)[i] ? scale : -scale,
                           r->seed, t / r->tally->nodes);
}

static netdp_status pairs_new(run *r, netdp_error *error)
{
    const netdp_graph *pairs = r->tally->pairing.graph;
    const int32_t n = r->tally->nodes;
    if (!netdp_pairing_is(&r->tally->pairing))
        return NETDP_OK;
    r->first_pair = NETDP_I_NEW(int64_t, n);
    r->open = NETDP_I_NEW(int64_t, n);
    if (r->first_pair == NULL || r->open == NULL)
        return netdp_i_no_memory(error);
    for (int32_t v = 0; v + 1 < n; v++) {
        r->open[v + 1] = r->open[v];
        for (int32_t i = 0; i < netdp_graph_degree(pairs, v); i++)
            r->open[v + 1] += netdp_graph_neighbours(pairs, v)[i] > v ? 1 : -1;
    }
    return netdp_i_pairing_first(pairs, r->first_pair, error);
}

/* Node u has the token at step t. */
static void contribute(run *r, int32_t u, int64_t t)
{
    const netdp_tally *tally = r->tally;
    const netdp_tallying *given = r->tallying;
    const bool more = tally->cap == 0 || r->count[u] < tally->cap;
    const double *value = given->values + u * given->depth + r->count[u] % given->depth;
    netdp_stream stream = netdp_stream_at(r->seed.seed, NETDP_FOR_TALLY, (uint32_t)u,
                                          netdp_i_stream_step(r->seed, t));
    if (tally->task == NETDP_TALLY_SUM) {
        add_number(r, &stream, t, more ? value : NULL);
        if (r->first_pair != NULL)
            add_halves(r, u, t);
    } else if (more) {
        const int32_t level = (int32_t)*value;
        r->truth[level]++;
        r->token[netdp_stream_randomised_response(&stream, level, tally->flip, tally->levels)]++;
    }
    if (!more)
        return;
    r->count[u]++;
    r->made++;
}

/* ---- what the reader of the token can say ---- */

/* P(a sum of `terms` Laplace variables of scale 1 is above x >= 0): before the waiting time x has
   run out i of `terms` events have come, and then fewer heads than are missing before as many
   tails as there are terms. */
static double laplace_tail(int64_t terms, double x)
{
    double heads = 0, toss = exp(-(double)terms * M_LN2), sum = 0;
    const double log_x = log(x);
    for (int64_t j = 0; j < terms; j++) {
        const int64_t i = terms - 1 - j;
        heads += toss; /* P(at most j heads) */
        sum += heads * (x > 0 ? exp((double)i * log_x - x - lgamma((double)i + 1)) : i == 0);
        toss *= (double)(terms + j) / (2 * ((double)j + 1));
    }
    return sum;
}

/* The quantile of level 1 - tail of a falling tail function, tail < 1/2. */
static double normal_quantile(double tail)
{
    double low = 0, high = 40;
    for (int i = 0; i < 100; i++) {
        const double x = (low + high) / 2;
        if (0.5 * erfc(x * M_SQRT1_2) > tail)
            low = x;
        else
            high = x;
    }
    return high;
}

static double laplace_quantile(int64_t terms, double tail)
{
    double low = 0, high = 1;
    while (laplace_tail(terms, high) > tail)
        high *= 2;
    for (int i = 0; i < 60; i++) {
        const double x = (low + high) / 2;
        if (laplace_tail(terms, x) > tail)
            low = x;
        else
            high = x;
    }
    return high;
}

/* Variance of the discrete Gaussian, sum y^2 e^{-y^2/2s^2} / sum e^{-y^2/2s^2}. */
static double discrete_variance(double variance)
{
    double mass = 1, square = 0;
    if (!(variance > 0) || variance > 100) /* within e^{-1900} of the continuous one */
        return variance;
    for (double y = 1; y * y < 1600 * variance; y++) {
        const double both = 2 * exp(-y * y / (2 * variance));
        mass += both;
        square += y * y * both;
    }
    return square / mass;
}

/* After `until` steps. */
static void estimate_sum(const run *r, int64_t until, netdp_estimate *estimate)
{
    const netdp_tally *tally = r->tally;
    const double range = tally->high - tally->low, tail = (1 - r->tallying->level) / 2;
    const double kappa = tally->pairing.kappa, scale = tally->noise * range;
    const double energy =
        netdp_tally_energy(tally, 0, until) +
        (r->open != NULL ? kappa * kappa * (double)r->open[until % tally->nodes] : 0);
    double half;
    estimate->value = *r->token;
    estimate->deviation = scale * sqrt(energy);
    half = estimate->deviation * normal_quantile(tail);
    if (tally->mechanism == NETDP_LAPLACE) {
        estimate->deviation *= M_SQRT2;
        half = energy > 0 && energy <= EXACT_TERMS ? scale * laplace_quantile((int64_t)energy, tail)
                                                   : estimate->deviation * normal_quantile(tail);
    } else if (tally->mechanism == NETDP_DISCRETE_GAUSSIAN) {
        const double step = range / tally->grid, sigma = tally->noise * tally->grid;
        const double rounding = r->off_grid ? (double)r->made / 4 : 0;
        estimate->value = step * *r->token + tally->low * (double)r->made;
        estimate->deviation = step * sqrt(energy * discrete_variance(sigma * sigma) + rounding);
        half = estimate->deviation * normal_quantile(tail) + (estimate->deviation > 0) * step / 2;
    }
    estimate->low = estimate->value - half;
    estimate->high = estimate->value + half;
}

static void estimate_histogram(const run *r, netdp_estimate *estimate)
{
    const double part = 1.0 / r->tally->levels, flip = r->tally->flip, keep = 1 - flip;
    const double fills = (double)netdp_tally_fill(r->tally), made = (double)r->made;
    const double wrong = flip * part, right = keep + wrong;
    const double quantile = normal_quantile((1 - r->tallying->level) / 2);
    for (int32_t i = 0; i < r->width; i++) {
        netdp_estimate *e = &estimate[i];
        e->value = (r->token[i] - part * (fills + flip * made)) / keep;
        const double have = fmin(fmax(e->value, 0), made);
        e->deviation = sqrt(fills * part * (1 - part) + have * right * (1 - right) +
                            (made - have) * wrong * (1 - wrong)) /
                       keep;
        const double half = quantile * e->deviation + (e->deviation > 0) * 0.5 / keep;
        e->low = e->value - half;
        e->high = e->value + half;
    }
}

static void estimate_all(const run *r, int64_t until, netdp_estimate *estimate)
{
    if (r->tally->task == NETDP_TALLY_SUM)
        estimate_sum(r, until, estimate);
    else
        estimate_histogram(r, estimate);
}

/* ---- the run ---- */

static bool report(const run *r, int64_t until, const netdp_tracing *tracing,
                   netdp_estimate *estimate)
{
    netdp_trace_row row = {.step = until, .accuracy = -1, .messages = (double)r->moves};
    row.bytes = 8.0 * r->width * row.messages;
    estimate_all(r, until, estimate);
    for (int32_t i = 0; i < r->width; i++)
        row.objective += 0.5 * pow(estimate[i].value - r->truth[i], 2);
    return tracing->trace(tracing->context, &row);
}

static netdp_status walk(run *r, const netdp_tracing *tracing, netdp_estimate *estimate,
                         int32_t *path, double *seen, netdp_error *error)
{
    const int64_t steps = netdp_tally_steps(r->tally);
    int32_t at = node_at(r->tally, r->seed, 0);
    fill(r);
    for (int64_t t = 0;; t++) {
        if (path != NULL)
            path[t] = at;
        if (seen != NULL)
            memcpy(seen + t * r->width, r->token, (size_t)r->width * sizeof *seen);
        if (t == steps)
            return NETDP_OK;
        contribute(r, at, t);
        const int32_t next = node_at(r->tally, r->seed, t + 1);
        r->moves += next != at;
        at = next;
        if (tracing->trace != NULL && ((t + 1) % tracing->every == 0 || t + 1 == steps) &&
            !report(r, t + 1, tracing, estimate))
            return netdp_i_fail(error, NETDP_INTERRUPTED, "stopped during the simulation");
        if (t % PATIENCE == 0 && netdp_i_poll(tracing->progress, NULL) != NETDP_OK)
            return netdp_i_fail(error, NETDP_INTERRUPTED, "stopped during the simulation");
    }
}

/* Elements that are drawn before it is asked whether to stop. */
enum { MOST_FILL = 1 << 24 };

static netdp_status check_length(const netdp_tally *tally, netdp_run_seed seed, netdp_error *error)
{
    TRY(netdp_tally_check(tally, error));
    if (netdp_tally_steps(tally) >> 32 != 0 || seed.repeat >> 32 != 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "tally: steps and repeat must be below 2^32 to be simulated");
    if (netdp_tally_fill(tally) > MOST_FILL)
        return netdp_i_fail(error, NETDP_INVALID,
                            "tally: a fill of %" PRId64 " elements; at most %d are simulated",
                            netdp_tally_fill(tally), MOST_FILL);
    return NETDP_OK;
}

/* A sum that overflowed would be no number, and so would all that is made of it. */
static netdp_status check_size(const netdp_tally *tally, netdp_error *error)
{
    enum { FARTHEST = 64 }; /* scales that a draw from 64 bits lies from its mean, at most */
    if (tally->task != NETDP_TALLY_SUM)
        return NETDP_OK;
    const double span = tally->high - tally->low, pair = fabs(tally->pairing.kappa);
    const double value = fmax(fabs(tally->low), fabs(tally->high));
    const double each = value + FARTHEST * span * tally->noise * (1 + pair * tally->nodes);
    const double all = ((double)netdp_tally_steps(tally) + 1) * each;
    /* In the unit of the values, of their range, and of the noise alone. */
    const double units = (1 + tally->noise) * (1 + pair * tally->nodes) * FARTHEST;
    const bool vanishes =
        tally->noise > 0 && (span * tally->noise < 1e-290 || (pair > 0 && tally->noise < 1e-140));
    return all < 1e300 && all / span < 1e300 && units < 1e300 && !vanishes
               ? NETDP_OK
               : netdp_i_fail(error, NETDP_INVALID,
                              "tally: sums of values from %g to %g with noise %g overflow or "
                              "vanish; give values and noise of a usual size",
                              tally->low, tally->high, tally->noise);
}

static netdp_status check(const netdp_tallying *tallying, netdp_run_seed seed,
                          netdp_tracing tracing, netdp_error *error)
{
    const netdp_tally *tally = tallying->tally;
    TRY(check_length(tally, seed, error));
    TRY(check_size(tally, error));
    if (tracing.every < 1)
        return netdp_i_fail(error, NETDP_INVALID, "tally: traces are every 1 or more steps");
    if (tallying->depth < 1 || !(tallying->level > 0 && tallying->level < 1))
        return netdp_i_fail(error, NETDP_INVALID,
                            "tally: %" PRId64 " values a node, level %g; give 1 or more, and a "
                            "level between 0 and 1",
                            tallying->depth, tallying->level);
    NETDP_I_GIVEN(error, tallying->values);
    for (int64_t i = 0; i < tally->nodes * tallying->depth; i++) {
        const double value = tallying->values[i];
        const bool fits = tally->task == NETDP_TALLY_SUM
                              ? value == value
                              : value >= 0 && value < tally->levels && value == floor(value);
        if (!fits)
            return netdp_i_fail(error, NETDP_INVALID, "tally: value %g of node %" PRId64 "; %s",
                                value, i / tallying->depth,
                                tally->task == NETDP_TALLY_SUM
                                    ? "give numbers"
                                    : "give whole numbers from 0 up to below the levels");
    }
    return NETDP_OK;
}

netdp_status netdp_tally_path(const netdp_tally *tally, netdp_run_seed seed, int32_t *path,
                              netdp_error *error)
{
    NETDP_I_GIVEN(error, tally && path);
    TRY(check_length(tally, seed, error));
    for (int64_t t = 0; t <= netdp_tally_steps(tally); t++)
        path[t] = node_at(tally, seed, t);
    return NETDP_OK;
}

static void run_clear(run *r)
{
    netdp_i_free(r->token);
    netdp_i_free(r->first_pair);
    netdp_i_free(r->open);
    netdp_i_free(r->truth);
    netdp_i_free(r->count);
}

netdp_status netdp_simulate_tally(const netdp_tallying *tallying, netdp_run_seed seed,
                                  netdp_tracing tracing, netdp_estimate *estimate,
                                  int64_t *contributions, int32_t *path, double *seen,
                                  netdp_error *error)
{
    NETDP_I_GIVEN(error, tallying && estimate);
    CLEARED(run_clear) run r = {.tallying = tallying, .tally = tallying->tally, .seed = seed};
    OWNED netdp_estimate *found = NULL;
    TRY(check(tallying, seed, tracing, error));
    r.width = netdp_tally_width(r.tally);
    const double grid_sigma = r.tally->noise * r.tally->grid;
    if (r.tally->task == NETDP_TALLY_SUM && r.tally->mechanism == NETDP_DISCRETE_GAUSSIAN &&
        r.tally->noise > 0)
        TRY(netdp_ratio_of(grid_sigma * grid_sigma, &r.variance, error));
    r.token = NETDP_I_NEW(double, r.width);
    r.truth = NETDP_I_NEW(double, r.width);
    r.count = NETDP_I_NEW(int64_t, r.tally->nodes);
    found = NETDP_I_NEW(netdp_estimate, r.width);
    if (r.token == NULL || r.truth == NULL || r.count == NULL || found == NULL)
        return netdp_i_no_memory(error);
    TRY(pairs_new(&r, error));
    TRY(walk(&r, &tracing, found, path, seen, error));
    estimate_all(&r, netdp_tally_steps(r.tally), found);
    memcpy(estimate, found, (size_t)r.width * sizeof *estimate);
    if (contributions != NULL)
        *contributions = r.made;
    return NETDP_OK;
}

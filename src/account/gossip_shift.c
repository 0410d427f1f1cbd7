/* Gossip proven by how far every message would have to move (docs/proofs/shift.md), on all nodes at once. */
#include "account/gossip.h"

#include <float.h>
#include <math.h>

#include "account/gossip/stream.h"
#include "account/observe/cost.h"
#include "account/shift/dense.h"
#include "account/shift/stream.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "mixing/twins.h"

/*
 * Seconds of one core that all observers may take, each of all sources, so that the answer for one does not hang on who else is
 * asked about: where a stream's proof were the answer, where noise in pairs were left out of that, and where the closed bound were.
 */
#define SECONDS_OF_STREAM 10.0
#define SECONDS_OF_PAIRS 60.0
#define SECONDS 600.0

/* Of the memory there is. */
#define ROOM 0.5

static bool is_stream(const netdp_i_gossip_account *a)
{
    const netdp_linear *p = a->request->protocol;
    return p->every > 0 && !p->reacts;
}

/* One contribution, phases that release their states, or a stream, under noise in every round. */
static bool is_question(const netdp_i_gossip_account *a)
{
    const netdp_linear *p = a->request->protocol;
    const bool phases = netdp_i_gossip_by_phases(a) && p->every > 0;
    const int64_t rounds = phases ? p->every : p->rounds;
    if (netdp_i_gossip_is_published(a->bound) || netdp_i_gossip_is_local(a) || a->rounds != NULL ||
        netdp_i_gossip_is_large(p) || !a->bound->sound || a->request->pattern != NULL ||
        a->bound->bound == NETDP_BOUND_LOWER)
        return false;
    if (is_stream(a))
        return netdp_i_stream_can_shift(p, a->bound->bound);
    if (p->every > 0 && !(phases && p->noise.end > 0))
        return false;
    return rounds == 1 || netdp_linear_least_noise(p) > 0;
}

/* Of how many contributions of a long stream displacements are found, at most and at least; and how many make a segment. */
enum { MOST_KEPT = 128, LEAST_KEPT = 8, CERTIFIED_KEPT = 64, SEGMENT = NETDP_I_EXPLICIT };

/* Seconds that all observers may take with the fewest: every message counting as seen were the answer. */
#define SECONDS_OF_SEGMENTS 3600.0

/* Multiplications a second of one core, of products with the displacement in the middle. */
#define RATE 2e9

static int64_t pairs_of(const netdp_linear *p)
{
    return netdp_pairing_is(&p->noise.pairing) ? netdp_graph_edges(p->noise.pairing.graph) : 0;
}

/* Of a long stream, with a segment for what is left: of all sources of one observer. */
static void cost_of_segments(const netdp_linear *p, int64_t kept, double *seconds, double *bytes)
{
    const netdp_rows rows = netdp_mixing_rows(p->mixing);
    netdp_i_shift_stream_cost(rows.nodes, (kept - 1) * p->every + 1, kept, rows.start[rows.nodes],
                              pairs_of(p), seconds, bytes);
    *seconds += 2 * pow((double)kept * rows.nodes, 2) * (double)((kept - 1) * p->every + 1) / RATE;
    *seconds *= 2;
    *bytes += 8.0 * 6 * SEGMENT * SEGMENT;
}

/* What is affordable, whoever is asked about and however many the rounds are: more of them never tell less. */
static netdp_i_stream_segments choose_segments(const netdp_i_gossip_account *a)
{
    const netdp_linear *p = a->request->protocol;
    const double observers = a->losses->members > 1 ? 1 : netdp_mixing_rows(p->mixing).nodes;
    const int64_t least = a->request->certify == NETDP_CERTIFY_YES ? CERTIFIED_KEPT : LEAST_KEPT;
    netdp_i_stream_segments by = {MOST_KEPT, SEGMENT};
    double seconds, bytes;
    cost_of_segments(p, by.kept, &seconds, &bytes);
    while (seconds * observers > SECONDS && by.kept > least) {
        by.kept -= by.kept / 4;
        by.kept = by.kept > least ? by.kept : least;
        cost_of_segments(p, by.kept, &seconds, &bytes);
    }
    return by;
}

/* Does the recursion carry hidden nodes alone? Single observers of their neighbours' messages, without pairs. */
static bool hides_nodes(const netdp_i_gossip_account *a)
{
    return a->losses->members == 1 && a->request->sees == NETDP_SEES_NEIGHBOURS &&
           a->request->protocol->varying.kind == NETDP_VARY_NEVER &&
           netdp_i_gossip_pairing(a->request) == NULL;
}

/* How many nodes observer v leaves hidden, at most; all of them where that is not what the recursion carries. */
static int32_t hidden_from(const netdp_i_gossip_account *a, int32_t v)
{
    const int32_t n = netdp_graph_nodes(a->graph);
    return hides_nodes(a) ? n - netdp_graph_degree(a->graph, v) : n;
}

/* Of so many sources, at most, the recursion is followed forward: of one of each kind of twins. */
static int32_t followed(const netdp_i_gossip_account *a)
{
    const netdp_rows rows = netdp_mixing_rows(a->request->protocol->mixing);
    int32_t kinds = rows.nodes;
    if (!hides_nodes(a))
        return kinds;
    OWNED char *none = NETDP_I_NEW(char, rows.nodes);
    OWNED int32_t *twin = NETDP_I_NEW(int32_t, rows.nodes);
    if (none != NULL && twin != NULL)
        (void)netdp_i_twins(rows, none, twin, &kinds, NULL);
    return kinds;
}

/* Of one contribution, or a phase: of one observer, or the coalition. */
static void cost_of_view(const netdp_i_gossip_account *a, int32_t hidden, int32_t sources,
                         double *seconds, double *bytes)
{
    const netdp_linear *p = a->request->protocol;
    const netdp_rows rows = netdp_mixing_rows(p->mixing);
    netdp_i_dense_cost(rows.nodes, hidden, sources < hidden ? sources : hidden,
                       p->every > 0 ? p->every : p->rounds, rows.start[rows.nodes], p->accelerate,
                       seconds, bytes);
}

void netdp_i_gossip_shift_cost(const netdp_i_gossip_account *a, int32_t seen, double *seconds,
                               double *bytes)
{
    const netdp_linear *p = a->request->protocol;
    const netdp_rows rows = netdp_mixing_rows(p->mixing);
    const bool each = p->every > 0 && p->varying.kind != NETDP_VARY_NEVER;
    if (!is_stream(a)) {
        cost_of_view(a, hides_nodes(a) ? rows.nodes - seen : rows.nodes, followed(a), seconds,
                     bytes);
        *seconds *= each ? (double)(p->rounds / p->every) : 1;
    } else if (netdp_i_stream_is_long(p)) {
        cost_of_segments(p, choose_segments(a).kept, seconds, bytes);
    } else {
        netdp_i_shift_stream_cost(rows.nodes, p->rounds, (p->rounds - 1) / p->every + 1,
                                  rows.start[rows.nodes], pairs_of(p), seconds, bytes);
    }
}

/* The same of all observers. */
static void cost_of_views(const netdp_i_gossip_account *a, double *seconds, double *bytes)
{
    const int32_t observers = a->losses->members > 1 ? 1 : netdp_graph_nodes(a->graph);
    const int32_t sources = followed(a);
    *seconds = *bytes = 0;
    for (int32_t v = 0; v < observers; v++) {
        double one, room;
        cost_of_view(a, hidden_from(a, v), sources, &one, &room);
        *seconds += one;
        *bytes = fmax(*bytes, room);
    }
}

/* Of all observers, asked about or not; bytes: of one. */
static void cost_of_all(const netdp_i_gossip_account *a, double *seconds, double *bytes)
{
    const netdp_linear *p = a->request->protocol;
    const netdp_rows rows = netdp_mixing_rows(p->mixing);
    const bool each = p->every > 0 && p->varying.kind != NETDP_VARY_NEVER;
    if (!is_stream(a)) {
        cost_of_views(a, seconds, bytes);
        *seconds *= each ? (double)(p->rounds / p->every) : 1;
        return;
    }
    if (netdp_i_stream_is_long(p))
        cost_of_segments(p, choose_segments(a).kept, seconds, bytes);
    else
        netdp_i_shift_stream_cost(rows.nodes, p->rounds, (p->rounds - 1) / p->every + 1,
                                  rows.start[rows.nodes], pairs_of(p), seconds, bytes);
    *seconds *= a->losses->members > 1 ? 1 : rows.nodes;
}

bool netdp_i_gossip_can_shift(const netdp_i_gossip_account *a, bool stream)
{
    double seconds, bytes;
    if (a->quiet != NULL || !is_question(a))
        return false;
    const netdp_i_observer any = {.pairing = netdp_i_gossip_pairing(a->request)};
    const bool left_out = is_stream(a) && any.pairing != NULL &&
                          !netdp_i_stream_keeps_pairs(a->request->protocol, &any);
    const bool segments = is_stream(a) && netdp_i_stream_is_long(a->request->protocol);
    const double most = segments   ? SECONDS_OF_SEGMENTS
                        : !stream  ? SECONDS
                        : left_out ? SECONDS_OF_PAIRS
                                   : SECONDS_OF_STREAM;
    cost_of_all(a, &seconds, &bytes);
    return bytes * fmin(netdp_i_threads(), a->losses->to_count) <= ROOM * netdp_i_memory_limit() &&
           (a->request->certify == NETDP_CERTIFY_YES || seconds <= most);
}

bool netdp_i_gossip_can_quiet(const netdp_i_gossip_account *a)
{
    const netdp_linear *p = a->request->protocol;
    const double n = netdp_mixing_rows(p->mixing).nodes;
    const double stories = 8 * n * n * ((double)p->every + 1); /* of all sources, kept */
    double seconds, bytes;
    if (a->quiet == NULL || !is_question(a))
        return false;
    cost_of_all(a, &seconds, &bytes);
    return (bytes + stories) * fmin(netdp_i_threads(), a->losses->to_count) <=
               ROOM * netdp_i_memory_limit() &&
           (a->request->certify == NETDP_CERTIFY_YES || seconds <= SECONDS);
}

/*
 * A certificate of noises loses digits where one is much louder than another or sums hold little of the others, and
 * accelerated it leaves out noise in pairs.
 */
#define LEAST_PROVEN 1e-6
#define LITTLE 2.0

/* Seconds of the filter and its proof, of all observers, each of all sources. */
static double cost_of_filters(const netdp_i_gossip_account *a)
{
    netdp_loss_request all = *a->request;
    double seconds = 0;
    all.from_count = all.to_count = 0;
    for (int32_t v = 0; v < netdp_graph_nodes(a->graph); v++) {
        const netdp_i_observer view = {.seen_count = netdp_graph_degree(a->graph, v)};
        netdp_plan plan;
        netdp_i_cost(&all, &view, true, &plan);
        seconds +=
            plan.way[netdp_i_cost_reduces(&plan, netdp_graph_nodes(a->graph)) ? 0 : 1].seconds;
    }
    return seconds;
}

bool netdp_i_gossip_prefers_shift(const netdp_i_gossip_account *a)
{
    const netdp_linear *p = a->request->protocol;
    const double noise = netdp_linear_least_noise(p);
    double seconds, bytes;
    cost_of_all(a, &seconds, &bytes);
    return netdp_i_gossip_pairing(a->request) != NULL || noise < LEAST_PROVEN ||
           ((p->accelerate || a->request->sees == NETDP_SEES_SUM) && seconds <= LITTLE);
}

bool netdp_i_gossip_shift_undercuts(const netdp_i_gossip_account *a)
{
    const netdp_linear *p = a->request->protocol;
    double seconds, bytes;
    if (a->quiet != NULL || !is_question(a) || !hides_nodes(a) || p->every > 0 || p->accelerate ||
        netdp_linear_least_noise(p) >= NETDP_I_FACTOR_BELOW)
        return false;
    cost_of_all(a, &seconds, &bytes);
    return bytes * fmin(netdp_i_threads(), a->losses->to_count) <= ROOM * netdp_i_memory_limit() &&
           seconds < cost_of_filters(a);
}

/* One contribution in round `begin`, with what follows it; a story that is none leaves what every message tells. */
static netdp_status prove_once(netdp_i_gossip_account *a, const netdp_i_shift_view *view,
                               const netdp_i_sources *of, netdp_error *error)
{
    netdp_i_shift_problem problem;
    TRY(netdp_i_shift_problem_new(a->request->protocol, view, &problem, error));
    netdp_status status = netdp_i_shift_losses(&problem, of, a->inner, error);
    netdp_i_shift_problem_clear(&problem);
    for (int32_t i = 0; i < of->count && status == NETDP_NO_ANSWER; i++)
        of->loss[i] = INFINITY;
    for (int32_t i = 0; i < of->count; i++)
        of->loss[i] = fmin(of->loss[i], 1);
    return status == NETDP_NO_ANSWER ? NETDP_OK : status;
}

netdp_status netdp_i_gossip_shift(netdp_i_gossip_account *a, const int32_t *member, double *loss,
                                  netdp_error *error)
{
    const netdp_linear *p = a->request->protocol;
    const netdp_losses *l = a->losses;
    const bool stream = is_stream(a), phases = p->every > 0 && !stream,
               changes = p->varying.kind != NETDP_VARY_NEVER;
    netdp_i_shift_view view = {.sees = a->request->sees,
                               .counts = netdp_i_gossip_own_counts(a->request),
                               .members = l->members,
                               .member = member,
                               .rounds = phases ? p->every : p->rounds,
                               .every = stream ? p->every : 0,
                               .end = phases ? p->noise.end : 0};
    if (stream) {
        const netdp_i_sources of = {l->from_count, l->from, loss};
        const netdp_i_stream_segments by = choose_segments(a);
        return netdp_i_stream_shifted(p, &view, a->bound->bound, &of,
                                      netdp_i_stream_is_long(p) ? &by : NULL, a->inner, error);
    }
    if (!phases || !changes) {
        const netdp_i_sources of = {l->from_count, l->from, loss};
        TRY(prove_once(a, &view, &of, error));
        for (int32_t i = 0; i < l->from_count; i++)
            loss[i] *= a->most;
        return NETDP_OK;
    }
    OWNED double *phase = NETDP_I_NEW(double, l->from_count);
    if (phase == NULL)
        return netdp_i_no_memory(error);
    const netdp_i_sources each = {l->from_count, l->from, phase};
    for (int32_t i = 0; i < l->from_count; i++)
        loss[i] = 0;
    for (; view.begin < p->rounds; view.begin += view.rounds) {
        TRY(prove_once(a, &view, &each, error));
        for (int32_t i = 0; i < l->from_count; i++)
            loss[i] = fmin((loss[i] + phase[i]) * (1 + DBL_EPSILON), a->most);
    }
    return NETDP_OK;
}

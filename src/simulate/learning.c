/* Learning executed: gradients clipped and noised at the nodes, mixed round by round. */
#include <netdp/simulate.h>

#include <math.h>
#include <string.h>
#include <netdp/random.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "simulate/gossip.h"

typedef struct run {
    const netdp_linear *protocol;
    const netdp_learning *learning;
    netdp_objective objective; /* of a gradient: without l2 where the phase's first model has it */
    netdp_run_seed seed;
    netdp_tracing tracing;
    int32_t nodes, width;
    double *mean;     /* [width] */
    double *score;    /* [nodes] */
    double *gradient; /* [threads][width] */
    double *from;     /* [threads][width]: the model that a node steps from */
    double *released; /* [nodes][width] at the end of the phase before; NULL: without momentum */
    int64_t *scratch; /* [threads][most rows of a node] */
    int64_t most;
    netdp_i_sent sent;
    bool ends; /* somebody asked for it */
} run;

static void run_clear(run *r)
{
    netdp_i_free(r->mean);
    netdp_i_free(r->score);
    netdp_i_free(r->gradient);
    netdp_i_free(r->from);
    netdp_i_free(r->released);
    netdp_i_free(r->scratch);
    netdp_i_sent_clear(&r->sent);
}

static netdp_status run_new(run *r, netdp_error *error)
{
    const netdp_examples *train = r->learning->train;
    for (int32_t u = 0; u < train->nodes; u++)
        if (train->start[u + 1] - train->start[u] > r->most)
            r->most = train->start[u + 1] - train->start[u];
    r->nodes = train->nodes;
    r->width = netdp_parameters(&r->learning->objective, train);
    r->mean = NETDP_I_NEW(double, r->width);
    r->score = NETDP_I_NEW(double, r->nodes);
    r->gradient = NETDP_I_NEW(double, (int64_t)netdp_i_threads() * r->width);
    r->scratch = NETDP_I_NEW(int64_t, (int64_t)netdp_i_threads() * r->most);
    r->from = NETDP_I_NEW(double, (int64_t)netdp_i_threads() * r->width);
    if (r->learning->momentum > 0) /* models start at 0, which was released */
        r->released = NETDP_I_NEW(double, (int64_t)r->nodes * r->width);
    r->objective = r->learning->objective;
    if (r->learning->local > 1)
        r->objective.l2 = 0;
    if (r->mean == NULL || r->score == NULL || r->gradient == NULL || r->scratch == NULL ||
        r->from == NULL || (r->learning->momentum > 0 && r->released == NULL))
        return netdp_i_no_memory(error);
    return NETDP_OK;
}

/* Of step t = 0, 1, ... */
static double size_of(const netdp_learning *learning, int64_t t)
{
    return learning->decay > 0 ? learning->step / pow((double)(t + 1), learning->decay)
                               : learning->step;
}

/* One node's gradient at its model, into the thread's scratch. */
static double *gradient_of(const run *r, int32_t node, int64_t round, const double *model,
                           int thread)
{
    double *gradient = r->gradient + (int64_t)thread * r->width;
    if (r->learning->batches.kind != NETDP_BATCHES_FULL) {
        netdp_batch_gradient(&r->objective, r->learning->train, node, model, r->learning->batches,
                             round / r->protocol->every, r->seed.seed,
                             netdp_i_stream_step(r->seed, round), r->scratch + thread * r->most,
                             gradient);
        return gradient;
    }
    netdp_gradient(&r->objective, r->learning->train, node, model, r->learning->batch, r->seed.seed,
                   netdp_i_stream_step(r->seed, round), r->scratch + thread * r->most, gradient);
    return gradient;
}

/* Nodes whose models are scored in one piece of work. */
enum { TOGETHER = 64 };

/*
 * A node's contribution: a step in parts, each clipped, from its model and the momentum of what was
 * released. l2 pulls from where the phase began, which depends on no data that was not released.
 */
static void take_step(void *context, int64_t round, int32_t node, int thread, double *model)
{
    const run *r = context;
    double *from = r->from + (int64_t)thread * r->width;
    double *released = r->released != NULL ? r->released + (int64_t)node * r->width : NULL;
    const int64_t parts = r->learning->local > 1 ? r->learning->local : 1;
    const double size = size_of(r->learning, round / r->protocol->every) / (double)parts;
    const double l2 = parts > 1 ? r->learning->objective.l2 : 0;
    for (int32_t j = 0; released != NULL && j < r->width; j++) {
        const double moved = model[j] - released[j];
        released[j] = model[j];
        model[j] += r->learning->momentum * moved;
    }
    if (l2 > 0)
        memcpy(from, model, (size_t)r->width * sizeof *from);
    for (int64_t part = 0; part < parts; part++) {
        const double *gradient = gradient_of(r, node, round, model, thread);
        for (int32_t j = 0; j < r->width; j++)
            model[j] -= size * (l2 > 0 ? gradient[j] + l2 * from[j] : gradient[j]);
    }
}

typedef struct scoring {
    const run *run;
    const double *state;
} scoring;

static netdp_status score_nodes(void *context, int64_t part, int thread, netdp_error *error)
{
    (void)thread, (void)error;
    const scoring *s = context;
    const run *r = s->run;
    const int64_t first = part * TOGETHER, left = r->nodes - first;
    netdp_score_models(&r->learning->objective, r->learning->test, s->state + first * r->width,
                       (int32_t)(left < TOGETHER ? left : TOGETHER), r->score + first);
    return NETDP_OK;
}

static bool is_due(const run *r, int64_t step)
{
    return r->tracing.trace != NULL &&
           ((step % r->protocol->every == 0 && step % r->tracing.every == 0) ||
            step == r->protocol->rounds);
}

/* Where the work is to end, the states are kept. */
static bool wants(void *context, int64_t step)
{
    run *r = context;
    r->ends = netdp_i_poll(r->tracing.progress, NULL) != NETDP_OK;
    return r->ends || is_due(r, step);
}

static bool report(void *context, int64_t step, const double *state)
{
    run *r = context;
    if (!is_due(r, step))
        return !r->ends && netdp_i_poll(r->tracing.progress, NULL) == NETDP_OK;
    scoring s = {r, state};
    netdp_error never;
    if (r->learning->test != NULL)
        (void)!netdp_i_for_each((r->nodes + TOGETHER - 1) / TOGETHER, score_nodes, &s, NULL,
                                "scores", &never);
    double score = r->learning->test != NULL ? 0 : -1;
    for (int32_t u = 0; u < r->nodes && r->learning->test != NULL; u++)
        score += r->score[u] / r->nodes;
    netdp_i_mean_of(state, r->nodes, r->width, r->mean);
    const double messages = netdp_i_sent_after(&r->sent, step);
    const netdp_trace_row row = {
        .step = step,
        .objective = netdp_objective_value(&r->learning->objective, r->learning->train, r->mean),
        .accuracy = score,
        .consensus = sqrt(netdp_i_spread(state, r->nodes, r->width, r->mean)),
        .bytes = 8.0 * r->width * messages,
        .messages = messages,
    };
    return r->tracing.trace(r->tracing.context, &row) && !r->ends;
}

/* Parts of a step, after which it is asked whether to stop. */
enum { MOST_LOCAL = 1000000 };

static netdp_status check_learning(const netdp_learning *learning, int64_t every,
                                   netdp_error *error)
{
    NETDP_I_GIVEN(error, learning->train != NULL);
    TRY(netdp_protection_check(&(netdp_protection){.protects = NETDP_PROTECTS_ROW,
                                                   .change = NETDP_CHANGE_ADD_REMOVE,
                                                   .batches = learning->batches},
                               error));
    if (!(learning->noise >= 0) || isinf(learning->noise) || isinf(learning->decay))
        return netdp_i_fail(error, NETDP_INVALID,
                            "learning: noise %g, decay %g; give finite numbers, 0 or above",
                            learning->noise, learning->decay);
    if (!(learning->step > 0) || isinf(learning->step) || every < 1 || learning->batch < 0 ||
        learning->train->nodes < 1 || !(learning->decay >= 0) || learning->local < 0 ||
        learning->local > MOST_LOCAL || !(learning->momentum >= 0 && learning->momentum < 1) ||
        (learning->local > 1 && learning->batches.kind != NETDP_BATCHES_FULL))
        return netdp_i_fail(
            error, NETDP_INVALID,
            "learning: the step must be finite and above 0, its decay and the batch 0 or more, "
            "parts 0 to 10^6, momentum from 0 and below 1, rows partitioned over nodes, "
            "traces every 1 or more rounds, and a step of parts takes all rows");
    return netdp_objective_check(&learning->objective, error);
}

netdp_status netdp_simulate_learning(const netdp_linear *protocol, const netdp_learning *learning,
                                     netdp_run_seed seed, netdp_tracing tracing, double *model,
                                     netdp_error *error)
{
    NETDP_I_GIVEN(error, protocol && protocol->mixing && learning && model);
    return netdp_i_simulate_learning(protocol, learning, seed, tracing, NULL, model, error);
}

netdp_status netdp_i_simulate_learning(const netdp_linear *protocol, const netdp_learning *learning,
                                       netdp_run_seed seed, netdp_tracing tracing,
                                       const netdp_i_saving *saving, double *model,
                                       netdp_error *error)
{
    CLEARED(run_clear)
    run r = {.protocol = protocol, .learning = learning, .seed = seed, .tracing = tracing};
    const netdp_i_round_hooks rounds = {
        .step = take_step,
        .report = report,
        .wants = wants,
        .context = &r,
        .saving = learning->momentum > 0 ? NULL : saving, /* where it comes from is kept nowhere */
        .decay = learning->decay,
    };
    TRY(check_learning(learning, tracing.every, error));
    if (!protocol->reacts || learning->train->nodes != netdp_mixing_rows(protocol->mixing).nodes)
        return netdp_i_fail(error, NETDP_INVALID,
                            "learning: needs gossip-sgd or muffliato-sgd, and rows for as many "
                            "nodes as the graph has");
    if (protocol->cycle > 1 && (learning->batches.kind != NETDP_BATCHES_CYCLIC ||
                                learning->batches.count != protocol->cycle))
        return netdp_i_fail(error, NETDP_INVALID,
                            "learning: the protocol counts on rows in a cycle of "
                            "its own; give the batches cyclic, with the same count");
    if (learning->momentum > 0 && protocol->steady)
        return netdp_i_fail(error, NETDP_INVALID,
                            "learning: momentum needs phases at whose end models are released");
    TRY(netdp_linear_check(protocol, error));
    if (protocol->senders_only && protocol->varying.kind == NETDP_VARY_GRAPH)
        return netdp_i_fail(error, NETDP_INVALID,
                            "learning: senders only step with one edge a round, or dropout");
    TRY(run_new(&r, error));
    TRY(netdp_i_sent_new(protocol, &r.sent, error));
    memset(model, 0, (size_t)r.nodes * (size_t)r.width * sizeof *model);
    TRY(netdp_i_gossip(protocol, learning->step * learning->noise, r.width, seed, &rounds, model,
                       error));
    if (r.sent.status != NETDP_OK)
        return netdp_i_fail(error, r.sent.status, "%s", r.sent.why.text);
    return NETDP_OK;
}

/* model -= step (mean of the nodes' gradients + noise / nodes N) */
static void central_step(run *r, int64_t step, double *model, double *sum)
{
    memset(sum, 0, (size_t)r->width * sizeof *sum);
    for (int32_t u = 0; u < r->nodes; u++) {
        const double *gradient = gradient_of(r, u, step, model, 0);
        for (int32_t j = 0; j < r->width; j++)
            sum[j] += gradient[j] / r->nodes;
    }
    netdp_stream stream =
        netdp_stream_at(r->seed.seed, NETDP_FOR_CENTRAL, 0, netdp_i_stream_step(r->seed, step));
    netdp_stream_normals(&stream, r->mean, (size_t)r->width);
    for (int32_t j = 0; j < r->width; j++)
        model[j] -=
            size_of(r->learning, step) * (sum[j] + r->learning->noise / r->nodes * r->mean[j]);
}

netdp_status netdp_learn_central(const netdp_learning *learning, int64_t steps, netdp_run_seed seed,
                                 netdp_tracing tracing, double *model, netdp_error *error)
{
    NETDP_I_GIVEN(error, learning && model);
    CLEARED(run_clear) run r = {.learning = learning, .seed = seed, .tracing = tracing};
    netdp_learning full = *learning;
    full.batch = 0;
    full.local = 0;
    full.momentum = 0;
    full.batches = (netdp_batches){0};
    r.learning = &full;
    TRY(check_learning(learning, tracing.every, error));
    TRY(run_new(&r, error));
    OWNED double *sum = NETDP_I_NEW(double, r.width);
    OWNED double *made = NETDP_I_NEW(double, r.width);
    if (sum == NULL || made == NULL)
        return netdp_i_no_memory(error);
    for (int64_t t = 0; t < steps; t++) {
        central_step(&r, t, made, sum);
        if (tracing.trace == NULL || ((t + 1) % tracing.every != 0 && t + 1 < steps))
            continue;
        const netdp_trace_row row = {
            .step = t + 1,
            .objective = netdp_objective_value(&full.objective, full.train, made),
            .accuracy = full.test != NULL ? netdp_score(&full.objective, full.test, made) : -1,
            .bytes = 16.0 * r.width * r.nodes * (double)(t + 1),
            .messages = 2.0 * r.nodes * (double)(t + 1), /* to the aggregator and back */
        };
        if (!tracing.trace(tracing.context, &row))
            return netdp_i_fail(error, NETDP_INTERRUPTED, "stopped during the simulation");
    }
    memcpy(model, made, (size_t)r.width * sizeof *model);
    return NETDP_OK;
}

/*
 * Random walks with a model (paper A, Algorithm 1; paper E, Algorithm 4).
 *
 * Draws of token k: its start and each move from stream (seed, NETDP_FOR_WALK, k, number of the
 * move), its noise from (seed, NETDP_FOR_WALK_NOISE, k, first step of a block), batches under a
 * seed of its own. So a walk does not depend on the other tokens, on threads, on what is traced or
 * on how many steps follow.
 */
#include "simulate/walk.h"

#include <math.h>
#include <string.h>
#include <netdp/random.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "mixing/mover.h"
#include "simulate/gossip.h"

enum {
    NORMALS = 1024,     /* about as many are drawn at once */
    PATIENCE = 1 << 16, /* numbers that are worked on between two looks at the progress */
};

/* One token on its way. */
typedef struct walker {
    int32_t at;
    int64_t moves; /* from a node to another */
    int64_t work;  /* since the last look at the progress */
    uint64_t batch_seed;
    double *model, *average, *gradient; /* [width]; average: NULL where it is not asked for */
    double *normal;                     /* [block][width] */
    int64_t *row;                       /* scratch of batches */
    uint32_t *count;                    /* [nodes] contributions, NULL without a cap */
    int32_t *path;                      /* [steps + 1] or NULL */
} walker;

typedef struct walk {
    const netdp_token *token;
    const netdp_walking *walking;
    netdp_run_seed seed;
    netdp_tracing tracing;
    netdp_i_walk_hooks hooks; /* none: all NULL */
    int32_t nodes;
    int32_t width;
    int64_t block;       /* steps whose normals are drawn at once */
    int64_t from, until; /* the steps that are being walked */
    netdp_i_mover mover;
    double *truth, *mean; /* [width] */
    double *output;       /* [tokens][width] */
    walker *walker;       /* [tokens] */
} walk;

static void walk_clear(walk *w)
{
    for (int32_t k = 0; w->walker != NULL && k < w->token->tokens; k++) {
        walker *each = &w->walker[k];
        netdp_i_free(each->model);
        netdp_i_free(each->average);
        netdp_i_free(each->gradient);
        netdp_i_free(each->normal);
        netdp_i_free(each->row);
        netdp_i_free(each->count);
        netdp_i_free(each->path);
    }
    netdp_i_mover_clear(&w->mover);
    netdp_i_free(w->truth);
    netdp_i_free(w->mean);
    netdp_i_free(w->output);
    netdp_i_free(w->walker);
}

static int64_t most_rows(const netdp_examples *train)
{
    int64_t most = 0;
    for (int32_t u = 0; train != NULL && u < train->nodes; u++)
        if (train->start[u + 1] - train->start[u] > most)
            most = train->start[u + 1] - train->start[u];
    return most;
}

/* How many normals are drawn at step t, the first of a block. */
static int64_t drawn_at(const walk *w, int64_t t)
{
    const int64_t left = w->token->steps - t;
    return (left < w->block ? left : w->block) * w->width;
}

/* false where memory ran out */
static bool walker_new(walker *each, const walk *w, int32_t k, bool keep_path)
{
    const int64_t rows = w->walking->batch > 0 ? most_rows(w->walking->train) : 0;
    /* Tokens that meet draw batches of their own; the purpose's plain streams are unused here. */
    netdp_stream batches = netdp_stream_at(w->seed.seed, NETDP_FOR_BATCH, (uint32_t)k,
                                           netdp_i_stream_step(w->seed, 0));
    each->batch_seed = netdp_stream_bits(&batches);
    each->model = NETDP_I_NEW(double, w->width);
    each->gradient = NETDP_I_NEW(double, w->width);
    each->normal = NETDP_I_NEW(double, w->walking->noise > 0 ? drawn_at(w, 0) : 0);
    each->row = NETDP_I_NEW(int64_t, rows);
    if (w->walking->output == NETDP_WALK_AVERAGE)
        each->average = NETDP_I_NEW(double, w->width);
    if (w->token->cap > 0)
        each->count = NETDP_I_NEW(uint32_t, w->nodes);
    if (keep_path)
        each->path = NETDP_I_NEW(int32_t, w->token->steps + 1);
    return each->model != NULL && each->gradient != NULL && each->normal != NULL &&
           each->row != NULL &&
           (each->average != NULL || w->walking->output != NETDP_WALK_AVERAGE) &&
           (each->count != NULL || w->token->cap == 0) && (each->path != NULL || !keep_path);
}

static netdp_status walk_new(walk *w, bool keep_path, netdp_error *error)
{
    const int32_t nodes = w->nodes, tokens = w->token->tokens;
    w->width = w->walking->train != NULL
                   ? netdp_parameters(&w->walking->objective, w->walking->train)
                   : w->walking->width;
    w->block = w->width < NORMALS ? NORMALS / w->width : 1;
    w->truth = NETDP_I_NEW(double, w->width);
    w->mean = NETDP_I_NEW(double, w->width);
    w->output = NETDP_I_NEW(double, (int64_t)tokens * w->width);
    w->walker = NETDP_I_NEW(walker, tokens);
    if (w->truth == NULL || w->mean == NULL || w->output == NULL || w->walker == NULL)
        return netdp_i_no_memory(error);
    for (int32_t k = 0; k < tokens; k++)
        if (!walker_new(&w->walker[k], w, k, keep_path))
            return netdp_i_no_memory(error);
    if (w->walking->values != NULL)
        netdp_i_mean_of(w->walking->values, nodes, w->width, w->truth);
    return netdp_i_mover_new(w->token->law, &w->mover, error);
}

/* Where token k goes in its `number`-th move, burn-in counted. */
static int32_t next_of(const walk *w, const walker *each, int32_t k, int64_t number)
{
    if (w->token->route != NULL)
        return netdp_route_at(w->token->route, k, number);
    netdp_stream stream = netdp_stream_at(w->seed.seed, NETDP_FOR_WALK, (uint32_t)k,
                                          netdp_i_stream_step(w->seed, number));
    return netdp_i_move(&w->mover, each->at, netdp_stream_uniform(&stream));
}

static void move_on(const walk *w, walker *each, int32_t k, int64_t number)
{
    const int32_t next = next_of(w, each, k, number);
    each->moves += next != each->at;
    each->at = next;
}

/* To the node of step 0. */
static netdp_status begin(const walk *w, walker *each, int32_t k, netdp_error *error)
{
    netdp_stream stream =
        netdp_stream_at(w->seed.seed, NETDP_FOR_WALK, (uint32_t)k, netdp_i_stream_step(w->seed, 0));
    each->at = w->token->route != NULL ? netdp_route_at(w->token->route, k, 0) : w->token->start;
    if (each->at == NETDP_START_UNIFORM)
        each->at = (int32_t)netdp_stream_below(&stream, (uint64_t)w->nodes);
    for (int64_t move = 1; move <= w->token->burn_in; move++) {
        move_on(w, each, k, move);
        if (move % PATIENCE == 0 && netdp_i_poll(w->tracing.progress, NULL) != NETDP_OK)
            return netdp_i_fail(error, NETDP_INTERRUPTED, "stopped during the simulation");
    }
    return NETDP_OK;
}

static netdp_i_stop stop_at(const walker *each, int32_t k, int64_t t)
{
    return (netdp_i_stop){.token = k, .node = each->at, .step = t, .model = each->model};
}

/* gradient = that of the node at the model; false where the node has contributed enough. */
static bool contribute(const walk *w, walker *each, int32_t k, int64_t t)
{
    const netdp_walking *walking = w->walking;
    if (netdp_route_rests(w->token->route, k, t) ||
        (each->count != NULL && each->count[each->at] >= w->token->cap))
        return false;
    if (each->count != NULL)
        each->count[each->at]++;
    each->work += w->width;
    if (w->hooks.contribute != NULL) {
        const netdp_i_stop stop = stop_at(each, k, t);
        w->hooks.contribute(w->hooks.context, &stop, each->gradient);
        return true;
    }
    if (walking->train != NULL) {
        netdp_gradient(&walking->objective, walking->train, each->at, each->model, walking->batch,
                       each->batch_seed, (uint64_t)t, each->row, each->gradient);
        each->work +=
            w->width * (walking->train->start[each->at + 1] - walking->train->start[each->at]);
        return true;
    }
    const double *value = walking->values + (int64_t)each->at * w->width;
    for (int32_t j = 0; j < w->width; j++)
        each->gradient[j] = each->model[j] - value[j];
    return true;
}

static double norm_of(const double *x, int32_t width)
{
    double square = 0, most = 0, sum = 0;
    for (int32_t j = 0; j < width; j++)
        square += x[j] * x[j];
    if (square > 0x1p-900 && square < 0x1p900)
        return sqrt(square);
    for (int32_t j = 0; j < width; j++)
        most = fmax(most, fabs(x[j]));
    for (int32_t j = 0; j < width && most > 0; j++)
        sum += (x[j] / most) * (x[j] / most);
    return most * sqrt(sum);
}

static void project(double *model, int32_t width, double radius)
{
    const double norm = norm_of(model, width);
    if (!(norm > radius))
        return;
    for (int32_t j = 0; j < width; j++)
        model[j] = radius * (model[j] / norm);
}

/* x <- project(x - size (scale gradient + noise N)) */
static void take_step(const walk *w, walker *each, int32_t k, int64_t t)
{
    const netdp_walking *walking = w->walking;
    const double t1 = (double)(t + 1);
    const double size =
        walking->decay > 0 ? walking->step / pow(t1, walking->decay) : walking->step;
    const double pull = size * netdp_token_scale(w->token, each->at);
    if (contribute(w, each, k, t))
        for (int32_t j = 0; j < w->width; j++)
            each->model[j] -= pull * each->gradient[j];
    else if (walking->train != NULL && walking->objective.l2 > 0)
        for (int32_t j = 0; j < w->width; j++)
            each->model[j] -= pull * walking->objective.l2 * each->model[j];
    if (walking->noise > 0) {
        const double *normal = each->normal + t % w->block * w->width;
        if (t % w->block == 0) {
            netdp_stream stream = netdp_stream_at(w->seed.seed, NETDP_FOR_WALK_NOISE, (uint32_t)k,
                                                  netdp_i_stream_step(w->seed, t));
            netdp_stream_normals(&stream, each->normal, (size_t)drawn_at(w, t));
        }
        for (int32_t j = 0; j < w->width; j++)
            each->model[j] -= size * walking->noise * normal[j];
    }
    if (walking->radius > 0 && !isinf(walking->radius))
        project(each->model, w->width, walking->radius);
    if (each->average != NULL)
        for (int32_t j = 0; j < w->width; j++)
            each->average[j] += (each->model[j] - each->average[j]) / t1;
    each->work += w->width;
}

static void arrive(const walk *w, const walker *each, int32_t k, int64_t t)
{
    const netdp_i_stop stop = stop_at(each, k, t);
    if (w->hooks.arrive != NULL)
        w->hooks.arrive(w->hooks.context, &stop);
}

/* From its arrival at a node until it is sent on. */
static void pass(const walk *w, walker *each, int32_t k, int64_t t)
{
    arrive(w, each, k, t);
    take_step(w, each, k, t);
    const netdp_i_stop stop = stop_at(each, k, t);
    if (w->hooks.send != NULL)
        w->hooks.send(w->hooks.context, &stop);
}

/* One token's steps from .. until-1. */
static netdp_status walk_on(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    const walk *w = context;
    const int32_t k = (int32_t)index;
    walker *each = &w->walker[k];
    if (w->from == 0)
        TRY(begin(w, each, k, error));
    for (int64_t t = w->from; t < w->until; t++) {
        pass(w, each, k, t);
        if (each->path != NULL)
            each->path[t] = each->at;
        move_on(w, each, k, w->token->burn_in + t + 1);
        if (t + 1 == w->token->steps)
            arrive(w, each, k, t + 1);
        if (each->work < PATIENCE)
            continue;
        each->work = 0;
        if (netdp_i_poll(w->tracing.progress, NULL) != NETDP_OK)
            return netdp_i_fail(error, NETDP_INTERRUPTED, "stopped during the simulation");
    }
    return NETDP_OK;
}

static void gather(walk *w)
{
    for (int32_t k = 0; k < w->token->tokens; k++) {
        const walker *each = &w->walker[k];
        memcpy(w->output + (int64_t)k * w->width,
               each->average != NULL ? each->average : each->model,
               (size_t)w->width * sizeof *w->output);
    }
}

/* The trace's row after `until` steps; false stops. */
static bool report(walk *w)
{
    const netdp_walking *walking = w->walking;
    const int32_t tokens = w->token->tokens;
    netdp_trace_row row = {.step = w->until, .accuracy = -1};
    gather(w);
    netdp_i_mean_of(w->output, tokens, w->width, w->mean);
    row.consensus = sqrt(netdp_i_spread(w->output, tokens, w->width, w->mean));
    row.objective = walking->train != NULL
                        ? netdp_objective_value(&walking->objective, walking->train, w->mean)
                        : 0.5 * netdp_i_spread(w->mean, 1, w->width, w->truth);
    for (int32_t k = 0; k < tokens; k++)
        row.messages += (double)w->walker[k].moves;
    row.bytes = 8.0 * w->width * row.messages;
    if (walking->train != NULL && walking->test != NULL) {
        row.accuracy = 0;
        for (int32_t k = 0; k < tokens; k++)
            row.accuracy +=
                netdp_score(&walking->objective, walking->test, w->output + (int64_t)k * w->width) /
                tokens;
    }
    return w->tracing.trace(w->tracing.context, &row);
}

static netdp_status check_walking(const netdp_walking *walking, int32_t nodes, netdp_error *error)
{
    const netdp_examples *train = walking->train, *test = walking->test;
    if ((train != NULL) == (walking->values != NULL) || (train == NULL && test != NULL))
        return netdp_i_fail(error, NETDP_INVALID,
                            "walk: one task at a time; give either rows to learn from or values "
                            "to average");
    if (train != NULL && (train->nodes != nodes || train->features < 1 ||
                          (test != NULL && test->features != train->features)))
        return netdp_i_fail(
            error, NETDP_INVALID,
            "walk: give rows of as many features as the test rows have, partitioned over "
            "the %d nodes of the graph",
            (int)nodes);
    if (train == NULL && walking->width < 1)
        return netdp_i_fail(error, NETDP_INVALID, "walk: width %d; give at least 1 number a node",
                            (int)walking->width);
    if (!(walking->step > 0) || isinf(walking->step) || !(walking->decay >= 0) ||
        isinf(walking->decay) || !(walking->noise >= 0) || isinf(walking->noise) ||
        !(walking->radius >= 0) || walking->batch < 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "walk: the step must be finite and above 0, decay and noise finite "
                            "and not negative, the radius and the batch not negative");
    TRY(netdp_i_check_choice("output", (int64_t)walking->output, NETDP_WALK_AVERAGE, error));
    if (train != NULL)
        return netdp_objective_check(&walking->objective, error);
    return NETDP_OK;
}

static netdp_status check_run(const netdp_token *token, netdp_run_seed seed, netdp_tracing tracing,
                              netdp_error *error)
{
    TRY(netdp_token_check(token, error));
    if (token->start == NETDP_START_OBSERVER)
        return netdp_i_fail(error, NETDP_INVALID,
                            "start: a simulated walk has no observer; give a node or uniform");
    if ((token->burn_in + token->steps) >> 32 != 0 || seed.repeat >> 32 != 0 || tracing.every < 1)
        return netdp_i_fail(error, NETDP_INVALID,
                            "walk: burn-in and steps together, and repeat, must be below 2^32, and "
                            "traces every 1 or more steps");
    return NETDP_OK;
}

/* All steps, to each that is traced in turn. */
static netdp_status run(walk *w, netdp_error *error)
{
    const int64_t steps = w->token->steps, every = w->tracing.every;
    for (w->from = 0; w->from < steps; w->from = w->until) {
        const bool all = w->tracing.trace == NULL || every >= steps - w->from;
        w->until = all ? steps : w->from + every;
        if (w->token->tokens == 1)
            TRY(walk_on(w, 0, 0, error));
        else
            TRY(netdp_i_for_each(w->token->tokens, walk_on, w, NULL, "walks", error));
        if (w->tracing.trace != NULL && !report(w))
            return netdp_i_fail(error, NETDP_INTERRUPTED, "stopped during the simulation");
    }
    return NETDP_OK;
}

netdp_status netdp_i_simulate_walk(const netdp_token *token, const netdp_walking *walking,
                                   netdp_run_seed seed, netdp_tracing tracing,
                                   const netdp_i_walk_hooks *hooks, double *model, int32_t *path,
                                   netdp_error *error)
{
    CLEARED(walk_clear)
    walk w = {.token = token, .walking = walking, .seed = seed, .tracing = tracing};
    TRY(check_run(token, seed, tracing, error));
    if (hooks != NULL)
        w.hooks = *hooks;
    w.nodes = netdp_transition_rows(token->law).nodes;
    TRY(check_walking(walking, w.nodes, error));
    TRY(walk_new(&w, path != NULL, error));
    TRY(run(&w, error));
    gather(&w);
    memcpy(model, w.output, (size_t)token->tokens * (size_t)w.width * sizeof *model);
    for (int32_t k = 0; path != NULL && k < token->tokens; k++) {
        w.walker[k].path[token->steps] = w.walker[k].at;
        memcpy(path + (int64_t)k * (token->steps + 1), w.walker[k].path,
               (size_t)(token->steps + 1) * sizeof *path);
    }
    return NETDP_OK;
}

netdp_status netdp_simulate_walk(const netdp_token *token, const netdp_walking *walking,
                                 netdp_run_seed seed, netdp_tracing tracing, double *model,
                                 int32_t *path, netdp_error *error)
{
    NETDP_I_GIVEN(error, token && walking && model);
    return netdp_i_simulate_walk(token, walking, seed, tracing, NULL, model, path, error);
}

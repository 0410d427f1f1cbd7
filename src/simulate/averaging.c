/* Averaging executed, round by round, and by one who is trusted. */
#include <netdp/noise.h>
#include <netdp/simulate.h>

#include <math.h>
#include <string.h>
#include <netdp/random.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "simulate/gossip.h"

typedef struct averaging {
    const netdp_linear *protocol;
    const double *values;
    int32_t nodes, width;
    netdp_tracing tracing;
    double *truth, *mean; /* [width] */
    bool *living;         /* [nodes]: NULL: all, at all times */
    int32_t count;        /* of them */
    double *kept;         /* [count][width]: their rows */
    netdp_i_sent sent;
    bool ends; /* somebody asked for it */
} averaging;

/* The rows of nodes that have not failed, one after the other. */
static const double *keep_living(const averaging *a, const double *rows)
{
    int64_t kept = 0;
    if (a->living == NULL)
        return rows;
    for (int64_t u = 0; u < a->nodes; u++)
        if (a->living[u])
            memcpy(a->kept + kept++ * a->width, rows + u * a->width,
                   (size_t)a->width * sizeof *rows);
    return a->kept;
}

static netdp_status find_living(averaging *a, netdp_error *error)
{
    a->count = a->nodes;
    if (a->protocol->varying.kind != NETDP_VARY_LATE)
        return NETDP_OK;
    a->living = NETDP_I_NEW(bool, a->nodes);
    a->kept = NETDP_I_NEW(double, (int64_t)a->nodes * a->width);
    if (a->living == NULL || a->kept == NULL)
        return netdp_i_no_memory(error);
    return netdp_variation_living(a->protocol->mixing, &a->protocol->varying, a->living, &a->count,
                                  error);
}

static void take_value(void *context, int64_t round, int32_t node, int thread, double *message)
{
    const averaging *a = context;
    (void)round, (void)thread;
    for (int32_t j = 0; j < a->width; j++)
        message[j] += a->values[(int64_t)node * a->width + j];
}

static bool is_due(const averaging *a, int64_t step)
{
    return a->tracing.trace != NULL &&
           (step % a->tracing.every == 0 || step == a->protocol->rounds);
}

/* Where the work is to end, the states are kept. */
static bool wants(void *context, int64_t step)
{
    averaging *a = context;
    a->ends = netdp_i_poll(a->tracing.progress, NULL) != NETDP_OK;
    return a->ends || is_due(a, step);
}

static bool report(void *context, int64_t step, const double *state)
{
    averaging *a = context;
    if (!is_due(a, step))
        return !a->ends && netdp_i_poll(a->tracing.progress, NULL) == NETDP_OK;
    const double *kept = keep_living(a, state);
    netdp_i_mean_of(kept, a->count, a->width, a->mean);
    const double messages = netdp_i_sent_after(&a->sent, step);
    const netdp_trace_row row = {
        .step = step,
        .objective = 0.5 * netdp_i_spread(kept, a->count, a->width, a->truth),
        .accuracy = -1,
        .consensus = sqrt(netdp_i_spread(kept, a->count, a->width, a->mean)),
        .bytes = 8.0 * a->width * messages,
        .messages = messages,
    };
    return a->tracing.trace(a->tracing.context, &row) && !a->ends;
}

netdp_status netdp_simulate(const netdp_linear *protocol, double noise, const double *values,
                            int32_t width, netdp_run_seed seed, netdp_tracing tracing,
                            double *result, netdp_error *error)
{
    NETDP_I_GIVEN(error, protocol && values && result);
    return netdp_i_simulate(protocol, noise, values, width, seed, tracing, NULL, result, error);
}

static void averaging_clear(averaging *a)
{
    netdp_i_sent_clear(&a->sent);
    netdp_i_free(a->living);
    netdp_i_free(a->kept);
    netdp_i_free(a->truth);
    netdp_i_free(a->mean);
}

netdp_status netdp_i_simulate(const netdp_linear *protocol, double noise, const double *values,
                              int32_t width, netdp_run_seed seed, netdp_tracing tracing,
                              const netdp_i_saving *saving, double *result, netdp_error *error)
{
    const netdp_status possible = netdp_linear_check(protocol, error);
    if (possible != NETDP_OK)
        return possible;
    const int32_t n = netdp_mixing_rows(protocol->mixing).nodes;
    if (!(noise >= 0) || isinf(noise))
        return netdp_i_fail(error, NETDP_INVALID, "noise: %g; give a finite number, 0 or above",
                            noise);
    if (protocol->every > 0 || tracing.every < 1 || width < 1)
        return netdp_i_fail(error, NETDP_INVALID,
                            "simulate: only averaging, of at least one number a node, traced every "
                            "1 or more rounds");
    CLEARED(averaging_clear)
    averaging a = {.protocol = protocol,
                   .values = values,
                   .nodes = n,
                   .width = width,
                   .tracing = tracing,
                   .truth = NETDP_I_NEW(double, width),
                   .mean = NETDP_I_NEW(double, width)};
    OWNED double *state = NETDP_I_NEW(double, (int64_t)n *width);
    const netdp_i_round_hooks rounds = {.step = take_value,
                                        .report = report,
                                        .wants = wants,
                                        .from_start = true,
                                        .context = &a,
                                        .saving = saving};
    if (a.truth == NULL || a.mean == NULL || state == NULL)
        return netdp_i_no_memory(error);
    TRY(find_living(&a, error));
    netdp_i_mean_of(keep_living(&a, values), a.count, width, a.truth);
    TRY(netdp_i_sent_new(protocol, &a.sent, error));
    TRY(netdp_i_gossip(protocol, noise, width, seed, &rounds, state, error));
    if (a.sent.status != NETDP_OK)
        return netdp_i_fail(error, a.sent.status, "%s", a.sent.why.text);
    memcpy(result, state, (size_t)n * (size_t)width * sizeof *result);
    return NETDP_OK;
}

netdp_status netdp_simulate_central(const double *values, int32_t nodes, int32_t width,
                                    double noise, netdp_run_seed seed, double *result,
                                    netdp_error *error)
{
    NETDP_I_GIVEN(error, values && result);
    return netdp_i_simulate_central(false, values, nodes, width, noise, seed, result, error);
}

netdp_status netdp_i_simulate_central(bool laplace, const double *values, int32_t nodes,
                                      int32_t width, double noise, netdp_run_seed seed,
                                      double *result, netdp_error *error)
{
    if (nodes < 1 || width < 1 || !(noise >= 0) || isinf(noise))
        return netdp_i_fail(error, NETDP_INVALID,
                            "central: %d nodes, width %d, noise %g; give 1 or more of each, and a "
                            "finite noise of 0 or more",
                            (int)nodes, (int)width, noise);
    double *drawn = NETDP_I_NEW(double, width);
    if (drawn == NULL)
        return netdp_i_no_memory(error);
    netdp_stream stream =
        netdp_stream_at(seed.seed, NETDP_FOR_CENTRAL, 0, netdp_i_stream_step(seed, 0));
    if (!laplace)
        netdp_stream_normals(&stream, drawn, (size_t)width);
    for (int32_t j = 0; laplace && j < width; j++)
        drawn[j] = netdp_stream_laplace(&stream);
    netdp_i_mean_of(values, nodes, width, result);
    for (int32_t j = 0; j < width; j++)
        result[j] += noise / nodes * drawn[j];
    netdp_i_free(drawn);
    return NETDP_OK;
}

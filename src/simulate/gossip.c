#include <netdp/simulate.h>

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

#include <netdp/random.h>

/* A run's streams: the repeat sits above the rounds in the stream's step. */
static uint64_t stream_step(netdp_run_seed seed, int64_t round)
{
    return seed.repeat << 32 | (uint64_t)round;
}

/* message = state + scale * standard normals, each node from its own stream of this round. */
static void add_noise(double *message, int32_t nodes, int32_t width, double scale,
                      netdp_run_seed seed, int64_t round)
{
    if (scale == 0)
        return;
#pragma omp parallel for schedule(static) if ((int64_t)nodes * width > 4096)
    for (int32_t u = 0; u < nodes; u++) {
        double drawn[64];
        netdp_stream stream =
            netdp_stream_at(seed.seed, NETDP_FOR_NOISE, (uint32_t)u, stream_step(seed, round));
        double *mine = message + (int64_t)u * width;
        for (int32_t first = 0; first < width; first += 64) {
            const int32_t count = width - first < 64 ? width - first : 64;
            netdp_stream_normals(&stream, drawn, (size_t)count);
            for (int32_t j = 0; j < count; j++)
                mine[first + j] += scale * drawn[j];
        }
    }
}

static void mean_of(const double *values, int32_t nodes, int32_t width, double *mean)
{
    memset(mean, 0, (size_t)width * sizeof *mean);
    for (int64_t u = 0; u < nodes; u++)
        for (int32_t j = 0; j < width; j++)
            mean[j] += values[u * width + j];
    for (int32_t j = 0; j < width; j++)
        mean[j] /= nodes;
}

/* mean over nodes of the squared distance to `centre` */
static double spread(const double *values, int32_t nodes, int32_t width, const double *centre)
{
    double sum = 0;
    for (int64_t u = 0; u < nodes; u++)
        for (int32_t j = 0; j < width; j++) {
            const double away = values[u * width + j] - centre[j];
            sum += away * away;
        }
    return sum / nodes;
}

static bool report(netdp_trace trace, void *context, int64_t step, const double *state,
                   int32_t nodes, int32_t width, const double *truth, double *mean, double bytes)
{
    if (trace == NULL)
        return true;
    mean_of(state, nodes, width, mean);
    const netdp_trace_row row = {
        .step = step,
        .objective = 0.5 * spread(state, nodes, width, truth),
        .consensus = sqrt(spread(state, nodes, width, mean)),
        .bytes = bytes,
    };
    return trace(context, &row);
}

netdp_status netdp_simulate(const netdp_linear *protocol, double noise, const double *values,
                            int32_t width, netdp_run_seed seed, int64_t every, netdp_trace trace,
                            void *context, double *result, netdp_error *error)
{
    netdp_status status = netdp_linear_check(protocol, error);
    if (status != NETDP_OK)
        return status;
    if (!(noise >= 0) || isinf(noise) || width < 1 || every < 1 || seed.repeat >> 32 != 0 ||
        protocol->rounds >> 32 != 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "simulate: noise must be finite and not negative, width and every at "
                            "least 1, repeat and rounds below 2^32");
    const int32_t n = netdp_mixing_rows(protocol->mixing).nodes;
    const int64_t size = (int64_t)n * width;
    const double bytes =
        8.0 * width * 2.0 * (double)netdp_graph_edges(netdp_mixing_graph(protocol->mixing));
    double *message = NETDP_I_NEW(double, size), *state = NETDP_I_NEW(double, size);
    double *truth = NETDP_I_NEW(double, width), *mean = NETDP_I_NEW(double, width);
    if (message == NULL || state == NULL || truth == NULL || mean == NULL) {
        status = netdp_i_no_memory(error);
        goto done;
    }
    mean_of(values, n, width, truth);
    memcpy(message, values, (size_t)size * sizeof *message);
    bool go_on = true;
    for (int64_t t = 0; t < protocol->rounds && go_on; t++) {
        add_noise(message, n, width, noise * netdp_linear_noise(protocol, t), seed, t);
        if (t == 0)
            go_on = report(trace, context, 0, message, n, width, truth, mean, 0);
        netdp_mixing_apply(protocol->mixing, message, state, width);
        double *swap = message;
        message = state;
        state = swap;
        if (go_on && ((t + 1) % every == 0 || t + 1 == protocol->rounds))
            go_on = report(trace, context, t + 1, message, n, width, truth, mean,
                           bytes * (double)(t + 1));
    }
    if (!go_on) {
        status = netdp_i_fail(error, NETDP_INTERRUPTED, "stopped during the simulation");
        goto done;
    }
    memcpy(result, message, (size_t)size * sizeof *result);
done:
    netdp_i_free(message);
    netdp_i_free(state);
    netdp_i_free(truth);
    netdp_i_free(mean);
    return status;
}

netdp_status netdp_simulate_central(const double *values, int32_t nodes, int32_t width,
                                    double noise, netdp_run_seed seed, double *result,
                                    netdp_error *error)
{
    double *drawn = NETDP_I_NEW(double, width);
    if (drawn == NULL)
        return netdp_i_no_memory(error);
    netdp_stream stream = netdp_stream_at(seed.seed, NETDP_FOR_CENTRAL, 0, stream_step(seed, 0));
    netdp_stream_normals(&stream, drawn, (size_t)width);
    mean_of(values, nodes, width, result);
    for (int32_t j = 0; j < width; j++)
        result[j] += noise / nodes * drawn[j];
    netdp_i_free(drawn);
    return NETDP_OK;
}

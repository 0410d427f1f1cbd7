/* Learning whose gradients somebody else computes, of all nodes at once: clipped, noised and mixed here. */
#include <netdp/simulate.h>

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "simulate/gossip.h"

typedef struct asking {
    const netdp_gradients *by;
    const netdp_progress *progress;
    int64_t every;
    int32_t nodes;
    double *gradient; /* [nodes][rows][width] */
    double *mean;     /* [width], of a node */
    netdp_gradients_notes notes;
    bool stopped;
} asking;

/* Adds a row's part of the mean, within the clip; what is not finite counts as 0. */
static void add_clipped(asking *a, const double *gradient)
{
    const int32_t width = a->by->width;
    double largest = 0, square = 0;
    for (int32_t j = 0; j < width; j++)
        largest = isfinite(gradient[j]) ? fmax(largest, fabs(gradient[j])) : INFINITY;
    if (isinf(largest)) {
        a->notes.dropped++;
        return;
    }
    if (largest == 0)
        return;
    /* In units of the largest number, which neither overflow nor vanish. */
    for (int32_t j = 0; j < width; j++)
        square += (gradient[j] / largest) * (gradient[j] / largest);
    const bool clips = !(largest * sqrt(square) <= a->by->clip);
    const double scale = a->by->clip / sqrt(square);
    a->notes.clipped += clips;
    for (int32_t j = 0; j < width; j++)
        a->mean[j] += (clips ? gradient[j] / largest * scale : gradient[j]) / a->by->rows;
}

static void contribute(void *context, int64_t round, double *message)
{
    asking *a = context;
    const int32_t width = a->by->width;
    const int64_t block = (int64_t)a->by->rows * width;
    if (a->stopped)
        return;
    memset(a->gradient, 0, (size_t)(a->nodes * block) * sizeof *a->gradient);
    if (!a->by->ask(a->by->context, round / a->every, message, a->gradient)) {
        a->stopped = true;
        return;
    }
    a->notes.asked++;
    for (int32_t u = 0; u < a->nodes; u++) {
        double *model = message + (int64_t)u * width;
        memset(a->mean, 0, (size_t)width * sizeof *a->mean);
        for (int32_t i = 0; i < a->by->rows; i++)
            add_clipped(a, a->gradient + u * block + (int64_t)i * width);
        for (int32_t j = 0; j < width; j++)
            model[j] -= a->by->step * a->mean[j];
    }
}

static bool go_on(void *context, int64_t step, const double *state)
{
    const asking *a = context;
    (void)step, (void)state;
    return !a->stopped && netdp_i_poll(a->progress, NULL) == NETDP_OK;
}

static netdp_status check(const netdp_linear *protocol, const netdp_gradients *by,
                          netdp_error *error)
{
    if (by->ask == NULL || by->width < 1 || by->rows < 1 || !(by->clip > 0) || isinf(by->clip) ||
        !(by->step > 0) || isinf(by->step) || !(by->noise >= 0) || isinf(by->noise))
        return netdp_i_fail(error, NETDP_INVALID,
                            "gradients: width and rows must be 1 or more, clip and step finite and "
                            "above 0, noise finite and 0 or more");
    if (!protocol->reacts || protocol->senders_only || protocol->cycle > 1)
        return netdp_i_fail(error, NETDP_INVALID,
                            "gradients: need gossip-sgd or muffliato-sgd, without batches in a "
                            "cycle");
    return netdp_linear_check(protocol, error);
}

static void asking_clear(asking *a)
{
    netdp_i_free(a->gradient);
    netdp_i_free(a->mean);
}

netdp_status netdp_simulate_gradients(const netdp_linear *protocol, const netdp_gradients *by,
                                      netdp_run_seed seed, const netdp_progress *progress,
                                      double *model, netdp_gradients_notes *notes,
                                      netdp_error *error)
{
    NETDP_I_GIVEN(error, protocol && by && model);
    TRY(check(protocol, by, error));
    CLEARED(asking_clear) asking a = {.by = by, .progress = progress, .every = protocol->every};
    const netdp_i_round_hooks rounds = {.contribute = contribute, .report = go_on, .context = &a};
    a.nodes = netdp_mixing_rows(protocol->mixing).nodes;
    const size_t numbers = (size_t)a.nodes * (size_t)by->width;
    OWNED double *state = NETDP_I_NEW(double, numbers);
    a.gradient = NETDP_I_NEW(double, (int64_t)numbers * by->rows);
    a.mean = NETDP_I_NEW(double, by->width);
    if (state == NULL || a.gradient == NULL || a.mean == NULL)
        return netdp_i_no_memory(error);
    for (int32_t u = 0; by->start != NULL && u < a.nodes; u++)
        memcpy(state + (int64_t)u * by->width, by->start, (size_t)by->width * sizeof *state);
    TRY(netdp_i_gossip(protocol, by->step * by->noise, by->width, seed, &rounds, state, error));
    if (a.stopped) { /* in the last round */
        return netdp_i_fail(error, NETDP_INTERRUPTED, "stopped by the gradients");
    }
    memcpy(model, state, numbers * sizeof *model);
    if (notes != NULL)
        *notes = a.notes;
    return NETDP_OK;
}

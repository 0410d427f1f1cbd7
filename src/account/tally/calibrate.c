/*
 * The least noise, or flip probability, of a tally that meets a target, by bisection on its
 * account.
 */
#include <netdp/tally.h>

#include <math.h>

#include "account/losses/search.h"
#include "base/fail.h"
#include "base/try.h"

/* An evaluation of a search ends within this part below the target. */
#define CLOSE_ENOUGH 5e-4

typedef struct calibration {
    netdp_tally_request request;
    netdp_tally tally; /* the request's, with the noise of the moment */
    const netdp_target *target;
    const netdp_progress *progress;
    netdp_losses *losses; /* at the noise of the moment */
    netdp_summary summary;
} calibration;

static bool counts(const calibration *c)
{
    return c->tally.task == NETDP_TALLY_HISTOGRAM;
}

/* The flip of randomised response grows with x in (0, inf) as a noise would. */
static double flip_of(double x)
{
    return x / (1 + x);
}

static netdp_status evaluate(void *context, double x, double *value, netdp_error *error)
{
    calibration *c = context;
    *(counts(c) ? &c->tally.flip : &c->tally.noise) = counts(c) ? flip_of(x) : x;
    netdp_losses_free(c->losses);
    c->losses = NULL;
    TRY(netdp_tally_losses_new(&c->request, c->progress, &c->losses, error));
    TRY(netdp_losses_summary(c->losses, c->tally.noise, c->target->unit, &c->summary, error));
    *value = c->target->over == NETDP_OVER_MEAN ? c->summary.mean : c->summary.max;
    return NETDP_OK;
}

static void drop_losses(calibration *c)
{
    netdp_losses_free(c->losses);
}

netdp_status netdp_tally_calibrate(const netdp_tally_request *request, const netdp_target *target,
                                   const netdp_progress *progress, netdp_calibration *calibrated,
                                   netdp_losses **losses, netdp_error *error)
{
    NETDP_I_GIVEN(error, request && request->tally && target && calibrated);
    CLEARED(drop_losses)
    calibration c = {
        .request = *request, .tally = *request->tally, .target = target, .progress = progress};
    double x = 0, value = 0;
    TRY(netdp_i_check_target(target, error));
    if (target->rounds_auto || target->tune_dither || target->tune_pairs)
        return netdp_i_fail(error, NETDP_INVALID,
                            "a token has no dither, and its passes or steps and its pairwise noise "
                            "must be given");
    c.request.tally = &c.tally;
    c.request.unit = target->unit;
    if (!isinf(target->epsilon))
        TRY(netdp_i_search_noise(evaluate, &c, target, CLOSE_ENOUGH, &x, error));
    TRY(evaluate(&c, x, &value, error));
    *calibrated = (netdp_calibration){.sigma = counts(&c) ? c.tally.flip : c.tally.noise,
                                      .rounds = netdp_tally_steps(&c.tally),
                                      .noise = {.pairing = c.tally.pairing},
                                      .achieved = c.summary};
    if (losses != NULL)
        *losses = GIVE(c.losses);
    return NETDP_OK;
}

/* The least noise of a walk that meets a target, by a search on its account, which is kept. */
#include <math.h>
#include <stdbool.h>

#include "account/losses/search.h"
#include "account/walk.h"
#include "base/fail.h"

/* An evaluation follows every pair again: the search ends within this part below the target. */
#define CLOSE_ENOUGH 5e-4

/* So often the search begins anew, with pairs that turned out to be the worst at its end. */
enum { MOST_TURNS = 6 };

typedef struct calibration {
    netdp_i_walk_account *account;
    const netdp_target *target;
    const netdp_progress *progress;
    netdp_summary summary; /* at the noise of the moment */
    bool few;              /* the pairs known as the worst will do, where only they count */
} calibration;

static netdp_status evaluate(void *context, double sigma, double *value, netdp_error *error)
{
    calibration *c = context;
    bool known = false;
    if (c->few && c->target->over != NETDP_OVER_MEAN)
        TRY(netdp_i_walk_account_worst(c->account, sigma, value, &known, c->progress, error));
    if (known)
        return NETDP_OK;
    TRY(netdp_i_walk_account_at(c->account, sigma, c->progress, error));
    TRY(netdp_losses_summary(netdp_i_walk_account_losses(c->account), sigma, c->target->unit,
                             &c->summary, error));
    *value = c->target->over == NETDP_OVER_MEAN ? c->summary.mean : c->summary.max;
    return NETDP_OK;
}

netdp_status netdp_walk_calibrate(const netdp_walk_request *request, const netdp_target *target,
                                  const netdp_progress *progress, netdp_calibration *calibrated,
                                  netdp_losses **losses, netdp_error *error)
{
    NETDP_I_GIVEN(error, request && request->token && target && calibrated);
    netdp_walk_request wanted = *request;
    netdp_calibration made = {.rounds = request->token->steps};
    double value = INFINITY;
    wanted.unit = target->unit;
    TRY(netdp_i_check_target(target, error));
    REFUSE(target->rounds_auto || target->tune_dither,
           "a walk has no dither, and its steps must be given");
    OWNED_BY(netdp_i_walk_account_free) netdp_i_walk_account *account = NULL;
    TRY(netdp_i_walk_account_new(&wanted, &account, error));
    REFUSE(!netdp_i_walk_account_losses(account)->sound && !target->even_unsound,
           "bound: %s is not an upper bound; noise is only calibrated on sound bounds",
           netdp_i_walk_account_losses(account)->bound->name);
    calibration c = {.account = account, .target = target, .progress = progress};
    for (int turn = 0; turn < MOST_TURNS && value > target->epsilon; turn++) {
        c.few = turn + 1 < MOST_TURNS;
        TRY(netdp_i_search_noise(evaluate, &c, target, CLOSE_ENOUGH, &made.sigma, error));
        c.few = false;
        TRY(evaluate(&c, made.sigma, &value, error));
    }
    if (isinf(target->epsilon))
        TRY(evaluate(&c, made.sigma, &value, error));
    made.achieved = c.summary;
    *calibrated = made;
    if (losses != NULL)
        *losses = netdp_i_walk_account_take(GIVE(account));
    return NETDP_OK;
}

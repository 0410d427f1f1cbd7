/* The account of one pair of a walk as events, which compose at any delta. */
#include <netdp/walk.h>

#include <math.h>

#include "account/walk.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"

/* Room for the walk and for the release of its law. */
static netdp_status events_new(netdp_events **made, netdp_error *error)
{
    netdp_events *list = NETDP_I_NEW(netdp_events, 1);
    if (list == NULL)
        return netdp_i_no_memory(error);
    list->event = NETDP_I_NEW(netdp_event, 2);
    if (list->event == NULL) {
        netdp_i_free(list);
        return netdp_i_no_memory(error);
    }
    *made = list;
    return NETDP_OK;
}

/* Costs rounded up to mu; what no cost stands for gives all away. */
static netdp_status add_law(const netdp_i_cost_law *law, double noise, netdp_events *list,
                            netdp_error *error)
{
    double *mu = NETDP_I_NEW(double, law->atoms + 1), *weight = NETDP_I_NEW(double, law->atoms + 1);
    netdp_event *event = &list->event[list->count++];
    *event =
        (netdp_event){.mechanism = NETDP_RANDOM_GAUSSIAN, .weight = weight, .mu = mu, .count = 1};
    if (mu == NULL || weight == NULL)
        return netdp_i_no_memory(error);
    int32_t kept = 0;
    for (int64_t i = 0; i < law->atoms; i++)
        if (law->mass[i] > 0 && law->cost[i] > 0) {
            mu[kept] = sqrt(law->cost[i]) / noise * (1 + 1e-15);
            weight[kept++] = law->mass[i];
        }
    if (law->lost > 0) {
        mu[kept] = INFINITY;
        weight[kept++] = law->lost;
    }
    event->weights = kept;
    return NETDP_OK;
}

/* Does the law say the account's epsilon again? What is added to its costs so that they compose counts
   where a pair learns next to nothing. */
static bool says_the_same(const netdp_i_cost_law *law, double noise, double delta, double value)
{
    const double within = 1e-2;
    return netdp_i_cost_law_epsilon(law, noise, delta) <= value * (1 + within);
}

/* N contributions that are all seen. */
static void add_local(const netdp_walk_request *request, int32_t u, netdp_events *list)
{
    const double count = (double)netdp_token_contributions(request->token) * request->token->tokens;
    const double mu = netdp_token_scale(request->token, u) * sqrt(count) / request->noise;
    list->event[list->count++] =
        (netdp_event){.mechanism = NETDP_GAUSSIAN, .noise = (1 - 1e-15) / mu, .count = 1};
}

static void add_approximate(double epsilon, double delta, netdp_events *list)
{
    list->event[list->count++] = (netdp_event){
        .mechanism = NETDP_APPROXIMATE, .epsilon = epsilon, .delta = delta, .count = 1};
}

static netdp_status check(const netdp_walk_request *request, const netdp_losses *losses,
                          netdp_error *error)
{
    if (request->unit.currency != NETDP_AS_DP)
        return netdp_i_fail(error, NETDP_INVALID,
                            "as: events of a walk are found at a delta; use dp:DELTA");
    if (losses->from_count != 1 || losses->to_count != 1 || !losses->sound ||
        !netdp_losses_counts(losses, 0, 0))
        return netdp_i_fail(error, NETDP_INVALID,
                            "events: of one node, one observer or coalition, by a sound bound");
    return NETDP_OK;
}

/* The walk itself: as local differential privacy where nothing is less, else by the law of its cost,
   or at the one delta that was asked for. */
static netdp_status add_walk(netdp_i_walk_account *account, const netdp_walk_request *request,
                             const netdp_progress *progress, netdp_events *list, netdp_error *error)
{
    const netdp_losses *losses = netdp_i_walk_account_losses(account);
    const double value = losses->loss[0];
    const bool pays = request->law_epsilon > 0 || request->law_delta > 0;
    CLEARED(netdp_i_cost_law_clear) netdp_i_cost_law law = {0};
    double noise = 0;
    bool found = request->noise > 0 && request->token->route == NULL && value >= losses->local;
    if (found) {
        add_local(request, losses->from[0], list);
    } else {
        TRY(netdp_i_walk_account_law(account, &law, &noise, &found, progress, error));
        found = found && says_the_same(&law, noise, request->unit.parameter - request->law_delta,
                                       value - request->law_epsilon);
        if (found)
            TRY(add_law(&law, noise, list, error));
    }
    if (!found)
        add_approximate(value, request->unit.parameter, list);
    else if (pays)
        add_approximate(request->law_epsilon, request->law_delta, list);
    return NETDP_OK;
}

OWNER(netdp_events_free, netdp_events)

netdp_status netdp_walk_events_new(const netdp_walk_request *request,
                                   const netdp_progress *progress, netdp_events **events,
                                   netdp_error *error)
{
    NETDP_I_GIVEN(error, request && events);
    OWNED_BY(netdp_i_walk_account_free) netdp_i_walk_account *account = NULL;
    OWNED_BY(netdp_events_free) netdp_events *list = NULL;
    TRY(netdp_i_walk_account_new(request, &account, error));
    TRY(check(request, netdp_i_walk_account_losses(account), error));
    TRY(netdp_i_walk_account_at(account, request->noise, progress, error));
    TRY(events_new(&list, error));
    TRY(add_walk(account, request, progress, list, error));
    *events = GIVE(list);
    return NETDP_OK;
}

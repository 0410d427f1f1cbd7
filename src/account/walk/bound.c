/* The bound of a walk: the one that is asked, if it is one of walks, or what `auto` means of this walk. */
#include <netdp/walk.h>

#include "account/losses/label.h"
#include "account/walk/spread.h"
#include "base/fail.h"
#include "base/try.h"

netdp_status netdp_walk_bound_choose(const netdp_token *token, netdp_bound bound,
                                     const netdp_bound_info **chosen, netdp_error *error)
{
    NETDP_I_GIVEN(error, token && chosen);
    /* Where a node contributes once, and as much as the others, two bounds that hold compete. */
    const bool once = netdp_token_contributions(token) == 1 && !token->weighted;
    const bool contracts = netdp_i_spread_rate(token->contraction) > 0;
    netdp_bound wanted = bound;
    if (bound == NETDP_BOUND_AUTO)
        wanted = token->route != NULL ? NETDP_BOUND_GIVEN_PATH
                 : once               ? NETDP_BOUND_LEAST
                 : contracts          ? NETDP_BOUND_EXCURSION_CONTRACTING
                                      : NETDP_BOUND_EXCURSION;
    if (bound == NETDP_BOUND_PUBLISHED) /* its name means another formula here */
        wanted = NETDP_BOUND_WALK_PUBLISHED;
    if (bound == NETDP_BOUND_PUBLISHED_CODE)
        wanted = NETDP_BOUND_WALK_CODE;
    TRY(netdp_i_check_choice("bound", (int64_t)wanted, NETDP_BOUND_STREAM_PUBLISHED, error));
    const netdp_bound_info *info = netdp_i_bound_row(wanted);
    if (!info->walk)
        return netdp_i_fail(error, NETDP_INVALID,
                            "bound: %s does not apply to walks; use excursion", info->name);
    if (token->route != NULL && wanted != NETDP_BOUND_GIVEN_PATH && wanted != NETDP_BOUND_LOCAL)
        return netdp_i_fail(error, NETDP_INVALID,
                            "bound: %s is a mean over paths, and this one is public; use "
                            "given-path or local",
                            info->name);
    if (token->route == NULL && wanted == NETDP_BOUND_GIVEN_PATH)
        return netdp_i_fail(error, NETDP_INVALID,
                            "bound: given-path is for a path that is public; use excursion, or "
                            "give a path");
    if (!contracts && wanted == NETDP_BOUND_EXCURSION_CONTRACTING)
        return netdp_i_fail(error, NETDP_INVALID,
                            "bound: excursion-contracting is for steps that bring any two models "
                            "nearer by a known factor below 1 (a study finds it from l2, step and "
                            "data.radius; --contraction); use excursion");
    *chosen = info;
    return NETDP_OK;
}

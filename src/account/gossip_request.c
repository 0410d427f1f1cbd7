/* Which questions about gossip have an account, and why the others have none. */
#include "account/gossip.h"

#include "account/losses/losses.h"
#include "account/losses/protect.h"
#include "base/fail.h"

bool netdp_i_gossip_is_published(const netdp_bound_info *bound)
{
    return bound->bound == NETDP_BOUND_PUBLISHED || bound->bound == NETDP_BOUND_PUBLISHED_CODE;
}

bool netdp_i_gossip_is_large(const netdp_linear *protocol)
{
    return netdp_mixing_rows(protocol->mixing).nodes > NETDP_DENSE_NODES;
}

bool netdp_i_gossip_own_counts(const netdp_loss_request *request)
{
    return request->own_noise == NETDP_OWN_NOISE_COUNTS && !request->coalition;
}

const netdp_pairing *netdp_i_gossip_pairing(const netdp_loss_request *request)
{
    const netdp_pairing *pairing = &request->protocol->pairing;
    return netdp_pairing_is(pairing) ? pairing : NULL;
}

/* Below this end dither a phase with pairs does not resolve what the states tell. */
#define LEAST_QUIET_END 1e-9

/* Which accounts know of noise that is correlated over phases, and of batches in a cycle. */
static netdp_status check_quiet(const netdp_loss_request *request, const netdp_bound_info *bound,
                                netdp_error *error)
{
    const netdp_linear *p = request->protocol;
    const bool quiet = netdp_quiet_is(&p->quiet);
    if (!quiet && p->cycle <= 1)
        return NETDP_OK;
    if (quiet && request->certify == NETDP_CERTIFY_YES)
        return netdp_i_fail(error, NETDP_INVALID,
                            "certify: there is no proof with outward rounding of quiet noise; give "
                            "auto or no");
    if (bound->bound != NETDP_BOUND_PHASE_RELEASE && bound->bound != NETDP_BOUND_UPPER &&
        bound->bound != NETDP_BOUND_EVERYTHING)
        return netdp_i_fail(error, NETDP_INVALID,
                            "bound: %s knows neither batches in a cycle nor quiet noise; use "
                            "phase-release or everything",
                            bound->name);
    if (quiet && netdp_pairing_is(&p->pairing) && p->end_dither > 0 &&
        p->end_dither < LEAST_QUIET_END)
        return netdp_i_fail(error, NETDP_INVALID,
                            "end-dither: %g; with noise in pairs and quiet noise give 0 or %g and "
                            "more: below it the account loses its digits",
                            p->end_dither, LEAST_QUIET_END);
    if (quiet && bound->bound != NETDP_BOUND_EVERYTHING && request->sees != NETDP_SEES_EVERYTHING &&
        (netdp_i_gossip_own_counts(request) || netdp_i_gossip_is_large(p)))
        return netdp_i_fail(error, NETDP_INVALID,
                            "quiet: is accounted for towards observers who know their own noise, "
                            "on at most %d nodes; use --bound everything",
                            NETDP_DENSE_NODES);
    return NETDP_OK;
}

netdp_status netdp_i_gossip_check(const netdp_loss_request *request, const netdp_bound_info **bound,
                                  netdp_error *error)
{
    netdp_status status = netdp_i_request_given(request, error);
    if (status == NETDP_OK)
        status = netdp_linear_check(request->protocol, error);
    if (status == NETDP_OK)
        status = netdp_bound_choose(request->protocol, request->bound, bound, error);
    if (status == NETDP_OK)
        status = netdp_i_protect_check(request, (*bound)->bound, error);
    if (status != NETDP_OK)
        return status;
    if (request->pool > 1)
        return netdp_i_fail(error, NETDP_INVALID,
                            "pool: all coalitions are accounted for before the first row is known; "
                            "use netdp_losses_new");
    if ((*bound)->bound != NETDP_BOUND_EVERYTHING &&
        !netdp_mixing_is_symmetric(request->protocol->mixing))
        return netdp_i_fail(
            error, NETDP_INVALID,
            "bound: %s needs a symmetric W, which mixing '%s' is not on this graph; "
            "use everything, or metropolis",
            (*bound)->name, netdp_mixing_name(request->protocol->mixing));
    if (request->protocol->own != NULL && !(*bound)->sound)
        return netdp_i_fail(
            error, NETDP_INVALID,
            "bound: %s knows no more noise of single nodes; use exact or everything",
            (*bound)->name);
    status = check_quiet(request, *bound, error);
    if (status != NETDP_OK)
        return status;
    if (netdp_i_gossip_is_published(*bound) &&
        (request->coalition || request->sees != NETDP_SEES_NEIGHBOURS))
        return netdp_i_fail(error, NETDP_INVALID,
                            "bound: published is a formula for one observer who sees its "
                            "neighbours; use exact for %s",
                            request->coalition ? "a coalition" : "another view");
    if ((*bound)->bound == NETDP_BOUND_PUBLISHED && request->protocol->every > 0 &&
        (request->protocol->accelerate || request->protocol->varying.kind != NETDP_VARY_NEVER))
        return netdp_i_fail(error, NETDP_INVALID,
                            "bound: published is for phases of the same plain rounds; use "
                            "phase-release");
    if (request->pattern != NULL && (*bound)->bound != NETDP_BOUND_LOWER &&
        (*bound)->bound != NETDP_BOUND_STREAM_PUBLISHED && (*bound)->bound != NETDP_BOUND_LINEAR)
        return netdp_i_fail(
            error, NETDP_INVALID,
            "pattern: gives exactly one pattern's value, with --bound lower or "
            "published for streams, or linear for learning; %s is about the worst one",
            (*bound)->name);
    return NETDP_OK;
}

/* The least dither for which a phase's covariance, of scale 1, keeps its digits. */
#define LEAST_DITHER 1e-5

bool netdp_i_gossip_can_release(const netdp_loss_request *request)
{
    const netdp_linear *protocol = request->protocol;
    return protocol->varying.kind == NETDP_VARY_NEVER && !protocol->accelerate &&
           request->sees == NETDP_SEES_NEIGHBOURS &&
           (request->own_noise == NETDP_OWN_NOISE_KNOWN || request->coalition);
}

netdp_status netdp_i_gossip_check_phase(const netdp_loss_request *request, netdp_error *error)
{
    const netdp_linear *protocol = request->protocol;
    if (netdp_i_gossip_is_large(protocol) &&
        !(netdp_i_gossip_can_release(request) && protocol->end_dither > 0))
        return netdp_i_fail(
            error, NETDP_NO_ANSWER,
            "a phase of more than %d nodes is accounted for without acceleration, with an end "
            "dither, towards observers who see their neighbours and know their own noise; use "
            "--bound everything",
            NETDP_DENSE_NODES);
    if (protocol->every != 1 && netdp_linear_least_noise(protocol) < LEAST_DITHER)
        return netdp_i_fail(error, NETDP_INVALID,
                            "dither: %g is too small for the account of a phase; give %g or more, "
                            "or use --bound everything",
                            netdp_linear_least_noise(protocol), LEAST_DITHER);
    return NETDP_OK;
}

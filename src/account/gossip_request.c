/* Which questions about gossip have an account, and why the others have none. */
#include "account/gossip.h"

#include "account/gossip/stream.h"
#include "account/losses/losses.h"
#include "account/losses/protect.h"
#include "base/fail.h"
#include "base/try.h"

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
    const netdp_pairing *pairing = &request->protocol->noise.pairing;
    return netdp_pairing_is(pairing) ? pairing : NULL;
}

/* Which accounts know of noise that is correlated over phases, and of batches in a cycle. */
static netdp_status check_quiet(const netdp_loss_request *request, const netdp_bound_info *bound,
                                netdp_error *error)
{
    const netdp_linear *p = request->protocol;
    const bool quiet = netdp_quiet_is(&p->quiet);
    if (!quiet && p->cycle <= 1)
        return NETDP_OK;
    if (bound->bound != NETDP_BOUND_PHASE_RELEASE && bound->bound != NETDP_BOUND_UPPER &&
        bound->bound != NETDP_BOUND_EVERYTHING)
        return netdp_i_fail(error, NETDP_INVALID,
                            "bound: %s knows neither batches in a cycle nor correlated noise; use "
                            "phase-release or everything",
                            bound->name);
    if (quiet && bound->bound != NETDP_BOUND_EVERYTHING && request->sees != NETDP_SEES_EVERYTHING &&
        (netdp_i_gossip_own_counts(request) || netdp_i_gossip_is_large(p)))
        return netdp_i_fail(error, NETDP_INVALID,
                            "quiet: is accounted for towards observers who know their own noise, "
                            "on at most %d nodes; use --bound everything",
                            NETDP_DENSE_NODES);
    return NETDP_OK;
}

/* Of the accounts that hold of nobody, of the worst pattern of many contributions. */
static netdp_status check_long(const netdp_loss_request *request, const netdp_bound_info *bound,
                               netdp_error *error)
{
    const bool sound =
        bound->bound != NETDP_BOUND_LINEAR && bound->bound != NETDP_BOUND_STREAM_PUBLISHED;
    if (sound || request->pattern != NULL || !netdp_i_stream_is_long(request->protocol))
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID,
                        "bound: %s is of at most %d contributions, or of one pattern of them; use "
                        "fewer rounds, --pattern, or %s",
                        bound->name, NETDP_I_EXPLICIT,
                        request->protocol->reacts ? "phase-release" : "upper");
}

netdp_status netdp_i_gossip_check(const netdp_loss_request *request, const netdp_bound_info **bound,
                                  netdp_error *error)
{
    TRY(netdp_i_request_given(request, error));
    TRY(netdp_linear_check(request->protocol, error));
    TRY(netdp_bound_choose(request->protocol, request->bound, bound, error));
    TRY(netdp_i_protect_check(request, (*bound)->bound, error));
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
    if (request->protocol->noise.pairing.weighted && !(*bound)->sound)
        return netdp_i_fail(error, NETDP_INVALID,
                            "bound: %s knows no weights of pairs; use exact or everything",
                            (*bound)->name);
    TRY(check_quiet(request, *bound, error));
    TRY(check_long(request, *bound, error));
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

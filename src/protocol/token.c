/* Descriptions of walks: what one that can run looks like, and how often a node contributes. */
#include <netdp/protocol.h>

#include <inttypes.h>

#include "base/fail.h"
#include "base/try.h"
#include "protocol/route.h"

/* Accounts of several tokens take time in proportion. */
enum { MOST_TOKENS = 100000 };

netdp_status netdp_token_check(const netdp_token *token, netdp_error *error)
{
    NETDP_I_GIVEN(error, token && token->law);
    TRY(netdp_transition_require(token->law, error));
    if (token->steps < 1 || token->steps > INT64_C(1000000000000000))
        return netdp_i_fail(error, NETDP_INVALID, "rounds: %" PRId64 "; give 1 to 1e15",
                            token->steps);
    if (token->burn_in < 0 || token->burn_in > INT64_C(1000000000000000))
        return netdp_i_fail(error, NETDP_INVALID, "burn-in: %" PRId64 "; give 0 to 1e15",
                            token->burn_in);
    if (token->cap < 0)
        return netdp_i_fail(error, NETDP_INVALID, "cap: %" PRId64 "; give 1 or more, or none",
                            token->cap);
    if (token->tokens < 1 || token->tokens > MOST_TOKENS)
        return netdp_i_fail(error, NETDP_INVALID, "tokens: %" PRId32 "; give 1 to %d",
                            token->tokens, MOST_TOKENS);
    const int32_t nodes = netdp_transition_rows(token->law).nodes;
    if (token->start < NETDP_START_OBSERVER || token->start >= nodes)
        return netdp_i_fail(error, NETDP_INVALID,
                            "start: node %" PRId32 " is not in the graph of %" PRId32 " nodes",
                            token->start, nodes);
    if (!(token->contraction >= 0 && token->contraction <= 1) ||
        (token->weighted && token->contraction > 0))
        return netdp_i_fail(error, NETDP_INVALID,
                            "contraction: %g; give a factor from 0 to 1, and none (0) where "
                            "gradients are weighted, since steps differ then",
                            token->contraction);
    return token->route != NULL ? netdp_i_route_check(token, error) : NETDP_OK;
}

double netdp_token_scale(const netdp_token *token, int32_t node)
{
    if (!token->weighted)
        return 1;
    const int32_t nodes = netdp_transition_rows(token->law).nodes;
    return 1 / (nodes * netdp_transition_stationary(token->law)[node]);
}

int64_t netdp_token_contributions(const netdp_token *token)
{
    return token->cap > 0 && token->cap < token->steps ? token->cap : token->steps;
}

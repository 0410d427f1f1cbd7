/* What a guarantee assumes, in words. */
#include <netdp/account.h>
#include <netdp/tally.h>
#include <netdp/walk.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "account/losses/losses.h"
#include "account/losses/label.h"
#include "account/walk/given_path.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "base/written.h"
#include "protocol/pairing.h"
#include "protocol/route.h"
#include "protocol/tally.h"
#include "protocol/threat.h"

/* The caller has the text now. */
static netdp_status end(netdp_i_written *t, char **text, netdp_error *error)
{
    TRY(netdp_i_written_end(t, error));
    *text = GIVE(t->text);
    return NETDP_OK;
}

static void contributions(FILE *out, int64_t count)
{
    fprintf(out, "%" PRId64 " contribution%s of a node", count, count == 1 ? "" : "s");
}

/* ---- Gossip ---- */

/* How the network changes, and that everybody may know it. */
static void tell_varying(FILE *out, const netdp_variation *varying, bool over_draws)
{
    if (varying->kind == NETDP_VARY_NEVER)
        return;
    fprintf(out, "network: %s", netdp_i_threat_varying(varying->kind));
    if (varying->revealed)
        fputs(", which the partners reveal", out);
    if (varying->kind == NETDP_VARY_NODES || varying->kind == NETDP_VARY_EDGES ||
        varying->kind == NETDP_VARY_LATE)
        fprintf(out, " with probability %g", varying->missing);
    if (varying->kind == NETDP_VARY_GRAPH)
        fprintf(out, " every %" PRId64 " round%s", varying->span, varying->span == 1 ? "" : "s");
    if (varying->kind == NETDP_VARY_PEER)
        fputs(", as everybody knows.\n", out);
    else if (over_draws)
        fputs(", drawn before the run; everybody may know the draw.\n", out);
    else
        fprintf(out,
                ", drawn with seed %" PRIu64 " before the run; the account is of this draw, which "
                "everybody may know.\n",
                varying->seed);
    if (varying->revealed)
        fputs("Whoever can have a living node taken for failed learns what it contributes under "
              "its own "
              "noise alone (local).\n",
              out);
}

/* Who shares noise, what it can do at best, and which coalition undoes it for whom. */
static void tell_pairs(FILE *out, const netdp_loss_request *request)
{
    const netdp_pairing *pairing = &request->protocol->noise.pairing;
    netdp_i_hiding hiding;
    netdp_error ignored;
    char text[400];
    if (!netdp_pairing_is(pairing))
        return;
    const bool few =
        request->pool > 1 && netdp_i_pools_all(netdp_graph_nodes(pairing->graph), request->pool);
    if ((few ? netdp_i_pools_hiding(pairing->graph, request->pool, &hiding, &ignored)
             : netdp_i_pairing_hiding(pairing->graph, request->to, request->to_count,
                                      request->coalition, &hiding, &ignored)) != NETDP_OK)
        return;
    if (request->pool > 1 && !few)
        hiding.least = 0; /* of coalitions that nobody has counted */
    netdp_i_pairing_words(pairing, &hiding, text);
    fprintf(out, "%s\n", text);
}

/* What takes part when, and how noises of phases hang together. */
static void tell_quiet(FILE *out, const netdp_linear *protocol)
{
    if (protocol->cycle > 1)
        fprintf(out,
                "batches: %" PRId64 " in a cycle; what is protected is one row, which takes "
                "part %" PRId64 " times at most.\n",
                protocol->cycle, netdp_linear_participations(protocol));
    if (netdp_quiet_is(&protocol->quiet))
        fprintf(out, "noise: correlated over the %" PRId64 " phases; sigma is its unit.\n",
                protocol->quiet.phases);
}

netdp_status netdp_gossip_words(const netdp_loss_request *request, const char *name, double noise,
                                bool over_draws, char **text, netdp_error *error)
{
    NETDP_I_GIVEN(error, request && name && text);
    TRY(netdp_i_request_given(request, error));
    TRY(netdp_linear_check(request->protocol, error));
    const netdp_linear *protocol = request->protocol;
    const netdp_threat threat =
        netdp_i_threat_gossip(request->sees, request->own_noise, protocol->cycle > 1);
    CLEARED(netdp_i_written_clear) netdp_i_written t = {0};
    TRY(netdp_i_written_begin(&t, error));
    fprintf(t.out, "%s, %" PRId64 " rounds, ", name, protocol->rounds);
    if (protocol->senders_only)
        fputs("a contribution of both ends in each", t.out);
    else
        contributions(t.out, netdp_linear_contributions(protocol));
    fprintf(t.out, ", dither %g", protocol->noise.dither);
    if (protocol->noise.decay > 0)
        fprintf(t.out, " / t^%g", protocol->noise.decay);
    fprintf(t.out, ", noise %g Delta; %s, own noise %s;\nadjacency: %s; released: %s.\n", noise,
            netdp_i_threat_words(request->sees), threat.own_noise,
            request->protection.protects == NETDP_PROTECTS_ROW
                ? netdp_protection_words(&request->protection)
                : threat.protects,
            threat.released);
    if (request->protection.share != NULL)
        fputs("rows: Delta is what one row of the smallest node changes; a row of a node that "
              "holds more of them changes less.\n",
              t.out);
    if (request->protection.batches.kind == NETDP_BATCHES_POISSON)
        fprintf(t.out,
                "batches: in every phase each row takes part with probability %g, and only its own "
                "node knows whether it did.\n",
                request->protection.batches.rate);
    tell_quiet(t.out, protocol);
    tell_pairs(t.out, request);
    tell_varying(t.out, &protocol->varying, over_draws);
    return end(&t, text, error);
}

/* ---- Walks ---- */

/* Of a path that all know. */
static void tell_route(FILE *out, const netdp_route *route)
{
    if (route != NULL)
        fprintf(out,
                "path: public, %s, with seed %" PRIu64
                " before the run; the account is of this path alone.\n",
                netdp_i_path_words(route->path), route->seed);
}

/* How often a node contributes: what a public path says, else the worst that one may bring. */
static netdp_status tell_visits(FILE *out, const netdp_token *token, netdp_error *error)
{
    OWNED int64_t *made = NULL;
    int64_t most = 0;
    if (token->route == NULL) {
        if (token->cap > 0)
            fputs("at most ", out);
        contributions(out, netdp_token_contributions(token));
        fputs(token->cap > 0 ? "" : " in the worst case", out);
        return NETDP_OK;
    }
    TRY(netdp_i_given_contributions(token, &made, error));
    for (int32_t u = 0; u < netdp_transition_rows(token->law).nodes; u++)
        most = made[u] > most ? made[u] : most;
    fputs("at most ", out);
    contributions(out, most);
    fputs(" on this path", out);
    return NETDP_OK;
}

static void tell_law(FILE *out, const netdp_walk_request *request, const netdp_gamma *gamma)
{
    if (!request->token->weighted)
        return;
    fputs("gradients are weighted by 1/(n pi_u), and so is what they tell.\n", out);
    if (gamma != NULL && gamma->theta > 0)
        fprintf(out,
                "the law was released by the Gamma mechanism, theta %g on [%g, %g]: epsilon %.6g "
                "at delta %g of the above.\n",
                gamma->theta, gamma->low, gamma->high, request->law_epsilon, request->law_delta);
    else
        fprintf(out,
                "the law %s must be public: what it says of private data is not in this account "
                "(--gamma).\n",
                netdp_transition_name(request->token->law));
}

netdp_status netdp_walk_words(const netdp_walk_request *request, const char *name,
                              const netdp_gamma *gamma, char **text, netdp_error *error)
{
    NETDP_I_GIVEN(error, request && request->token && request->token->law && name && text);
    const netdp_token *token = request->token;
    const netdp_threat threat = netdp_i_threat_token(token->release);
    CLEARED(netdp_i_written_clear) netdp_i_written t = {0};
    TRY(netdp_i_written_begin(&t, error));
    fprintf(t.out, "%s, %" PRId64 " steps, %d token%s, ", name, token->steps, (int)token->tokens,
            token->tokens == 1 ? "" : "s");
    TRY(tell_visits(t.out, token, error));
    fprintf(t.out, ", noise %g Delta; an observer sees %s;\n", request->noise, threat.sees);
    fprintf(t.out, "adjacency: %s; released: %s.\n", threat.protects, threat.released);
    fprintf(t.out,
            "assumes a constant step of at most 2/beta%s, rows clipped before the mean over them, "
            "nodes without memory.\n",
            token->weighted ? " for the heaviest gradient" : "");
    if (token->contraction > 0 && token->contraction < 1)
        fprintf(t.out,
                "assumes that every step, also of a node that only adds noise, multiplies the "
                "distance of any two models by %.15g at most.\n",
                token->contraction);
    tell_route(t.out, token->route);
    tell_law(t.out, request, gamma);
    return end(&t, text, error);
}

/* ---- Tallies ---- */

netdp_status netdp_tally_words(const netdp_tally *tally, const char *name, char **text,
                               netdp_error *error)
{
    NETDP_I_GIVEN(error, tally && name && text);
    const bool ring = tally->graph == NETDP_TALLY_RING;
    const bool counts = tally->task == NETDP_TALLY_HISTOGRAM;
    const netdp_threat threat = netdp_i_threat_token(tally->release);
    CLEARED(netdp_i_written_clear) netdp_i_written t = {0};
    TRY(netdp_tally_check(tally, error));
    TRY(netdp_i_written_begin(&t, error));
    fprintf(t.out, "%s, %" PRId64 " %s, ", name, ring ? tally->passes : tally->steps,
            ring ? "passes" : "steps");
    if (!ring)
        fputs("at most ", t.out);
    contributions(t.out, netdp_tally_contributions(tally));
    if (counts)
        fprintf(t.out, ", %d levels, flip %.10g", (int)tally->levels, tally->flip);
    else
        fprintf(t.out, ", %s noise %g Delta%s", netdp_i_tally_mechanisms[tally->mechanism],
                tally->noise,
                tally->schedule == NETDP_TALLY_ONCE     ? " once every n-1 hops"
                : tally->schedule == NETDP_TALLY_SPREAD ? " spread over the nodes"
                                                        : " in every step");
    fprintf(t.out, "; an observer sees %s;\nadjacency: %s; released: %s.\n", threat.sees,
            threat.protects, threat.released);
    if (netdp_pairing_is(&tally->pairing)) {
        char says[400];
        netdp_i_pairing_token_words(&tally->pairing, says);
        fprintf(t.out, "%s\n", says);
    } else if (ring && tally->schedule == NETDP_TALLY_ONCE && !counts)
        fputs("Two who collude around a node leave it without noise (--to set:V,W).\n", t.out);
    return end(&t, text, error);
}

/* ---- The verdict ---- */

netdp_status netdp_losses_words(const netdp_losses *losses, char **text, netdp_error *error)
{
    NETDP_I_GIVEN(error, losses && text);
    netdp_guarantee guarantee;
    char verdict[NETDP_I_VERDICT_ROOM];
    CLEARED(netdp_i_written_clear) netdp_i_written t = {0};
    TRY(netdp_i_written_begin(&t, error));
    netdp_losses_guarantee(losses, 0, (netdp_unit){NETDP_AS_LOSS, 0}, &guarantee);
    netdp_i_guarantee_verdict(&guarantee, verdict);
    fprintf(t.out, "bound %s: %s", guarantee.bound, verdict);
    const char *before = "; of each pair the least:";
    for (int32_t k = 0; k < losses->given_count; k++) {
        if (losses->given[k].pairs == 0)
            continue;
        fprintf(t.out, "%s %s (%" PRId64 ")", before, losses->given[k].bound->name,
                losses->given[k].pairs);
        before = ",";
    }
    fputs(".\n", t.out);
    return end(&t, text, error);
}

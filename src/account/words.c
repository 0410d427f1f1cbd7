/* What a guarantee assumes, in words. */
#include <netdp/account.h>
#include <netdp/tally.h>
#include <netdp/walk.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "account/losses/label.h"
#include "base/fail.h"
#include "protocol/pairing.h"
#include "protocol/tally.h"
#include "protocol/threat.h"

/* A stream that becomes a text. */
typedef struct telling {
    FILE *out;
    char *text;
    size_t bytes;
} telling;

static netdp_status begin(telling *t, netdp_error *error)
{
    *t = (telling){0};
    t->out = open_memstream(&t->text, &t->bytes);
    return t->out != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

static netdp_status end(telling *t, char **text, netdp_error *error)
{
    const bool failed = ferror(t->out) != 0;
    if (fclose(t->out) != 0 || failed) {
        free(t->text);
        return netdp_i_no_memory(error);
    }
    *text = t->text;
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
    if (varying->kind == NETDP_VARY_NODES || varying->kind == NETDP_VARY_EDGES)
        fprintf(out, " with probability %g", varying->missing);
    if (varying->kind == NETDP_VARY_GRAPH)
        fprintf(out, " every %" PRId64 " round%s", varying->span, varying->span == 1 ? "" : "s");
    if (over_draws)
        fputs(", drawn before the run; everybody may know the draw.\n", out);
    else
        fprintf(out,
                ", drawn with seed %" PRIu64 " before the run; the account is of this draw, which "
                "everybody may know.\n",
                varying->seed);
}

/* Who shares noise, what it can do at best, and which coalition undoes it for whom. */
static void tell_pairs(FILE *out, const netdp_loss_request *request)
{
    const netdp_pairing *pairing = &request->protocol->pairing;
    netdp_i_hiding hiding;
    netdp_error ignored;
    char text[400];
    if (!netdp_pairing_is(pairing) ||
        netdp_i_pairing_hiding(pairing->graph, request->to, request->to_count, request->coalition,
                               &hiding, &ignored) != NETDP_OK)
        return;
    netdp_i_pairing_words(pairing, &hiding, text);
    fprintf(out, "%s\n", text);
}

/* What takes part when, and how noises of phases hang together. */
static void tell_quiet(FILE *out, const netdp_linear *protocol)
{
    if (protocol->cycle > 1)
        fprintf(out,
                "batches: %" PRId64 " that take turns; what is protected is one row, which takes "
                "part %" PRId64 " times at most.\n",
                protocol->cycle, netdp_linear_participations(protocol));
    if (netdp_quiet_is(&protocol->quiet))
        fprintf(out, "noise: correlated over the %" PRId64 " phases; sigma is its unit.\n",
                protocol->quiet.phases);
}

netdp_status netdp_gossip_words(const netdp_loss_request *request, const char *name, double noise,
                                bool over_draws, char **text, netdp_error *error)
{
    const netdp_linear *protocol = request->protocol;
    const netdp_threat threat =
        netdp_i_threat_gossip(request->sees, request->own_noise, protocol->cycle > 1);
    telling t;
    netdp_status status = begin(&t, error);
    if (status != NETDP_OK)
        return status;
    fprintf(t.out, "%s, %" PRId64 " rounds, ", name, protocol->rounds);
    if (protocol->senders_only)
        fputs("a contribution of both ends in each", t.out);
    else
        contributions(t.out, netdp_linear_contributions(protocol));
    fprintf(t.out, ", dither %g", protocol->dither);
    if (protocol->dither_decay > 0)
        fprintf(t.out, " / t^%g", protocol->dither_decay);
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
    const netdp_token *token = request->token;
    const netdp_threat threat = netdp_i_threat_token(token->release);
    telling t;
    netdp_status status = begin(&t, error);
    if (status != NETDP_OK)
        return status;
    fprintf(t.out, "%s, %" PRId64 " steps, %d token%s, ", name, token->steps, (int)token->tokens,
            token->tokens == 1 ? "" : "s");
    if (token->cap > 0)
        fputs("at most ", t.out);
    contributions(t.out, netdp_token_contributions(token));
    fprintf(t.out, "%s, noise %g Delta; an observer sees %s;\n",
            token->cap > 0 ? "" : " in the worst case", request->noise, threat.sees);
    fprintf(t.out, "adjacency: %s; released: %s.\n", threat.protects, threat.released);
    fprintf(t.out,
            "assumes a constant step of at most 2/beta%s, rows clipped before the mean over them, "
            "nodes without memory.\n",
            token->weighted ? " for the heaviest gradient" : "");
    tell_law(t.out, request, gamma);
    return end(&t, text, error);
}

/* ---- Tallies ---- */

netdp_status netdp_tally_words(const netdp_tally *tally, const char *name, char **text,
                               netdp_error *error)
{
    const bool ring = tally->graph == NETDP_TALLY_RING;
    const bool counts = tally->task == NETDP_TALLY_HISTOGRAM;
    const netdp_threat threat = netdp_i_threat_token(tally->release);
    telling t;
    netdp_status status = begin(&t, error);
    if (status != NETDP_OK)
        return status;
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
    if (ring && tally->schedule == NETDP_TALLY_ONCE && !counts)
        fputs("one observer at a time: two who pool their views around a node leave it without "
              "noise (--to set:V,W).\n",
              t.out);
    return end(&t, text, error);
}

/* ---- The verdict ---- */

netdp_status netdp_losses_words(const netdp_losses *losses, char **text, netdp_error *error)
{
    netdp_guarantee guarantee;
    char verdict[NETDP_I_VERDICT_ROOM];
    telling t;
    netdp_status status = begin(&t, error);
    if (status != NETDP_OK)
        return status;
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
    if (losses->tolerance > 0)
        fprintf(t.out,
                "dither (nearly) 0: what varies less than %g of the first noise was taken for "
                "rounding; the answer depends on it.\n",
                losses->tolerance);
    return end(&t, text, error);
}

#include "plan/proofs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "account/losses/proven.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "plan/gossip.h"
#include "plan/walk.h"

/* Unasked, all proofs of a variant together take no more multiplications and bytes than these. */
#define MOST_WORK 2e10
#define MOST_BYTES 64e6

/* Of one proof: the recursion over the nodes in each round; of a token, its path. */
static double work_of(const netdp_i_variant *variant)
{
    if (variant->kind == NETDP_WALK)
        return (double)variant->token.steps;
    const double n = netdp_mixing_rows(variant->protocol.mixing).nodes;
    return (double)variant->protocol.rounds * n * n * n;
}

static netdp_status write_one(const netdp_i_variant *variant, const netdp_proof_request *request,
                              bool coalition, const char *folder, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM], name[80];
    if (coalition)
        snprintf(name, sizeof name, "%s.%d-set.proof", variant->losses, (int)request->from);
    else
        snprintf(name, sizeof name, "%s.%d-%d.proof", variant->losses, (int)request->from,
                 (int)request->to);
    netdp_i_file_path(path, folder, name);
    return netdp_losses_proof(request, path, NULL, error);
}

static netdp_status write_all(const netdp_i_variant *variant, const netdp_losses *losses,
                              netdp_proof_request request, const bool *chosen, const char *folder,
                              netdp_error *error)
{
    const int64_t all = (int64_t)losses->from_count * losses->to_count;
    for (int64_t at = 0; at < all; at++) {
        request.from = losses->from[at % losses->from_count];
        request.to = losses->to[at / losses->from_count];
        if (chosen[at])
            TRY(write_one(variant, &request, losses->members > 1, folder, error));
    }
    return NETDP_OK;
}

/* NETDP_INVALID: there is no proof file of such an account, or unasked it takes too long. */
static netdp_status foresee(const netdp_i_variant *variant, const netdp_proof_request *request,
                            int64_t count, bool asked, double *bytes, netdp_error *error)
{
    REFUSE(variant->kind != NETDP_GOSSIP && variant->kind != NETDP_WALK,
           "proof: there are proof files of gossip and of walks only");
    TRY(netdp_losses_proof_bytes(request, bytes, error));
    *bytes *= (double)count;
    const double work = (double)count * work_of(variant);
    REFUSE(!asked && !(work <= MOST_WORK && *bytes <= MOST_BYTES),
           "proof: unasked none are written of networks as large as this; give proof: worst, or "
           "how many");
    return NETDP_OK;
}

netdp_status netdp_i_plan_proofs(const netdp_i_variant *variant, const netdp_losses *losses,
                                 const netdp_summary *achieved, const char *folder,
                                 const netdp_progress *progress, netdp_i_promise *promise,
                                 netdp_error *error)
{
    const netdp_study *study = variant->study;
    const bool asked = study->proof != NULL, gossip = variant->kind == NETDP_GOSSIP;
    int64_t drawn = 0;
    double bytes = 0;
    netdp_error why = {0};
    (void)netdp_i_proof_read(study->proof, &drawn);
    if (drawn == -2 || achieved->pairs == 0 || variant->role != NETDP_I_NETWORK)
        return NETDP_OK;
    const netdp_loss_request ask =
        gossip ? netdp_i_plan_gossip_ask(variant) : (netdp_loss_request){0};
    netdp_walk_request walk = {0};
    if (variant->kind == NETDP_WALK)
        TRY(netdp_i_plan_walk_ask(variant, &walk, error));
    const netdp_proof_request request = {.losses = &ask,
                                         .walk = variant->kind == NETDP_WALK ? &walk : NULL,
                                         .from = achieved->worst_from,
                                         .to = achieved->worst_to,
                                         .noise = variant->noise,
                                         .unit = netdp_i_study_unit(study)};
    OWNED bool *chosen = NETDP_I_NEW(bool, (int64_t)losses->from_count * losses->to_count);
    NEED(chosen);
    /* Which pairs were drawn is for all to see: by no seed that would undo a simulation's noise. */
    const uint64_t seed = netdp_i_study_accounts(study) ? study->seed : 0;
    int64_t count = netdp_i_proof_pairs(losses, achieved, drawn, seed, chosen);
    netdp_status status = foresee(variant, &request, count, asked, &bytes, &why);
    char said[160];
    snprintf(said, sizeof said, "%" PRId64 " proof%s, at most %.3g MB", count,
             count == 1 ? "" : "s", bytes / 1e6);
    if (status == NETDP_OK)
        status = netdp_i_report(progress, said, 0, 1, &why);
    if (status == NETDP_OK)
        status = write_all(variant, losses, request, chosen, folder, &why);
    promise->proofs = status == NETDP_OK ? count : 0;
    if (status == NETDP_INVALID && !asked) {
        snprintf(promise->no_proof, sizeof promise->no_proof, "%.199s", why.text);
        return NETDP_OK;
    }
    if (status != NETDP_OK && error != NULL)
        *error = why;
    return status;
}

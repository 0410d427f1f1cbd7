/* What a variant guarantees: the losses of its pairs, by distance and in a file, and what noise in pairs can do. */
#include <stdio.h>
#include <string.h>

#include "account/losses/label.h"
#include "account/losses/losses.h"
#include "account/losses/pairs.h"
#include "plan/proofs.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/try.h"
#include "plan/sample.h"
#include "plan/variant.h"
#include "protocol/pairing.h"

/* Above this many pairs the losses go into loss.npy instead of loss.csv. */
#define CSV_PAIRS 10000

/* The classes by distance that have pairs. */
static netdp_status list_classes(const netdp_i_pairs *pairs, netdp_i_promise *promise,
                                 netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(pairs->graph);
    int32_t count = 0;
    netdp_i_class *classes = NETDP_I_NEW(netdp_i_class, (int64_t)n + 1);
    NEED(classes);
    netdp_i_classes_add(classes, pairs);
    netdp_i_classes_end(classes, n);
    for (int32_t d = 1; d <= n; d++)
        if (classes[d].pairs > 0)
            classes[count++] = classes[d];
    promise->class = classes;
    promise->classes = count;
    return NETDP_OK;
}

static netdp_status write_losses(const netdp_i_pairs *pairs, const char *folder, const char *name,
                                 netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    const netdp_losses *losses = pairs->batch.losses;
    const bool csv = (int64_t)losses->from_count * losses->to_count <= CSV_PAIRS;
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, csv ? "csv" : "npy");
    if (!csv)
        return netdp_i_npy_write(losses->loss, losses->from_count, losses->to_count, path, error);
    netdp_i_output output;
    TRY(netdp_i_output_open(&output, path, error));
    netdp_i_pairs_csv_begin(output.stream, losses, pairs->unit);
    netdp_i_pairs_csv(output.stream, pairs, 0, (int64_t)losses->from_count * losses->to_count);
    return netdp_i_output_commit(&output, error);
}

netdp_i_promise netdp_i_promise_everyone(const netdp_losses *losses, double epsilon, double delta)
{
    static const netdp_bound_info trusted = {.name = "trusted aggregator", .sound = true};
    const netdp_unit unit = {NETDP_AS_DP, delta};
    netdp_i_promise made = {
        .everyone = true, .mean = epsilon, .local = epsilon, .from = -1, .to = -1, .proofs = -1};
    if (losses != NULL) {
        netdp_losses_guarantee(losses, epsilon, unit, &made.is);
    } else {
        made.is = netdp_i_guarantee_by(&trusted, (netdp_i_case){.outward = true});
        made.is.value = epsilon;
        made.is.unit = unit;
        made.is.threat.assumes = "the aggregator sees all data, and only its result leaves it";
    }
    return made;
}

/* What the rounds leave of it: it takes the network, kappa and the rounds, and no row. */
static netdp_status tell_left(const netdp_i_variant *variant, netdp_i_promise *promise,
                              netdp_error *error)
{
    const netdp_linear *protocol = &variant->protocol;
    const int64_t rounds = protocol->every > 0 ? protocol->every : protocol->rounds;
    if (variant->kind != NETDP_GOSSIP)
        return NETDP_OK;
    promise->leaves = true;
    TRY(netdp_i_pairs_left_find(protocol, &promise->left, error));
    promise->left_rounds = promise->left.worst <= NETDP_I_LEFT_MOST ? rounds : -1;
    if (promise->left.worst > NETDP_I_LEFT_MOST)
        return netdp_i_pairs_left_rounds(protocol, rounds, &promise->left_rounds, error);
    return NETDP_OK;
}

/* What noise in pairs can do, on the promise. */
static netdp_status tell_pairs(const netdp_i_variant *variant, netdp_i_promise *promise,
                               netdp_error *error)
{
    const netdp_pairing pairing = netdp_i_variant_pairing(variant);
    netdp_i_hiding hiding;
    if (!netdp_pairing_is(&pairing))
        return NETDP_OK;
    const int32_t pool = (int32_t)variant->study->privacy.pool;
    TRY(pool > 1 ? netdp_i_pools_hiding(pairing.graph, pool, &hiding, error)
                 : netdp_i_pairing_hiding(pairing.graph, variant->observer, variant->observer_count,
                                          false, &hiding, error));
    if (variant->kind == NETDP_TALLY)
        netdp_i_pairing_token_words(&pairing, promise->says);
    else
        netdp_i_pairing_words(&pairing, &hiding, promise->says);
    promise->pairs = netdp_graph_origin(pairing.graph);
    promise->pair_count = netdp_graph_edges(pairing.graph);
    promise->kappa = pairing.kappa;
    promise->hidden_among = hiding.least;
    promise->partners = hiding.partners;
    return tell_left(variant, promise, error);
}

/* The losses of its pairs, in the folder's file and by distance. */
static netdp_status tell_losses(const netdp_i_variant *variant, const netdp_losses *losses,
                                const char *folder, netdp_i_promise *promise, netdp_error *error)
{
    CLEARED(netdp_i_pairs_clear) netdp_i_pairs pairs = {0};
    const netdp_i_batch all = netdp_i_batch_whole(losses);
    TRY(netdp_i_pairs_new(variant->problem->graph, &all, true, variant->noise,
                          netdp_i_study_unit(variant->study), NULL, &pairs, error));
    if (folder != NULL)
        TRY(write_losses(&pairs, folder, variant->losses, error));
    return list_classes(&pairs, promise, error);
}

netdp_status netdp_i_variant_guarantee(const netdp_i_variant *variant, const netdp_losses *losses,
                                       const netdp_summary *achieved, const char *folder,
                                       const netdp_progress *progress, netdp_i_promise *promise,
                                       netdp_error *error)
{
    CLEARED(netdp_i_promise_clear)
    netdp_i_promise made = {.mean = achieved->mean,
                            .local = achieved->local,
                            .from = achieved->worst_from,
                            .to = achieved->worst_to,
                            .proofs = -1,
                            .given_count = losses->given_count};
    TRY(tell_losses(variant, losses, folder, &made, error));
    if (folder != NULL)
        TRY(netdp_i_plan_proofs(variant, losses, achieved, folder, progress, &made, error));
    TRY(tell_pairs(variant, &made, error));
    netdp_losses_guarantee(losses, achieved->max, netdp_i_study_unit(variant->study), &made.is);
    memcpy(made.given, losses->given, sizeof made.given);
    memcpy(made.why, variant->why, sizeof made.why);
    netdp_i_sample_tell(variant, achieved, &made);
    *promise = made;
    made = (netdp_i_promise){0};
    return NETDP_OK;
}

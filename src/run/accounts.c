#include "run/accounts.h"

#include <stdio.h>
#include <string.h>
#include <netdp/simulate.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/try.h"
#include "plan/plan.h"
#include "run/again.h"
#include "run/checkpoint.h"
#include "run/folder.h"
#include "run/summary.h"

/* How many variants: the study itself where it lists none. */
static int32_t count_variants(const netdp_study *study)
{
    return study->variation_count > 0 ? study->variation_count : 1;
}

/*
 * Half the mean squared error per coordinate and Delta that the noise causes, where the noise was
 * calibrated to a target: what the guarantee costs; -1 where it is not known.
 */
static netdp_status predict(netdp_i_variant *variant, netdp_error *error)
{
    double noise = 0;
    const bool averages = variant->kind == NETDP_GOSSIP && variant->protocol.every == 0 &&
                          variant->study->privacy.epsilon > 0;
    variant->predicted = -1;
    if (!averages)
        return NETDP_OK;
    netdp_status status = netdp_noise_error(&variant->protocol, &noise, error);
    if (status == NETDP_OK)
        variant->predicted = variant->noise * variant->noise * noise;
    return status == NETDP_NO_ANSWER ? NETDP_OK : status;
}

/* A record's entries name one observer each. */
static netdp_status check_observers(const netdp_i_variant *variant, netdp_error *error)
{
    if (!variant->coalition)
        return NETDP_OK;
    return netdp_i_fail(error, NETDP_INVALID,
                        "%s: privacy.to: a record is of observers each by itself; netdp loss "
                        "accounts for a coalition, or give privacy.pool",
                        variant->study->path);
}

/* One entry of summary.json; the header's values that this variant changes are in it. */
static netdp_status tell_variant(const netdp_study *study, const netdp_i_problems *problems,
                                 int32_t i, const char *folder, const netdp_progress *progress,
                                 json_t **told, netdp_error *error)
{
    netdp_i_variant variant = netdp_i_plan_variant(study, problems, i);
    netdp_status status = netdp_i_variant_describe(&variant, error);
    if (status == NETDP_OK)
        status = check_observers(&variant, error);
    if (status == NETDP_OK)
        status = netdp_i_variant_calibrate(&variant, folder, progress, error);
    if (status == NETDP_OK)
        status = predict(&variant, error);
    if (status == NETDP_OK)
        *told = netdp_i_account_json(study, i, &variant);
    netdp_i_variant_clear(&variant);
    if (status != NETDP_OK)
        return status != NETDP_INTERRUPTED && study->variation_count > 0
                   ? netdp_i_within(error, status, "variant %s", study->variation[i].name)
                   : status;
    return *told != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

/* The i-th variant as an earlier run told of it, accounted for again. */
static netdp_status check_told(const netdp_study *study, const netdp_i_problems *problems,
                               int32_t i, const json_t *told, const char *folder,
                               const netdp_progress *progress, netdp_error *error)
{
    netdp_i_variant variant = netdp_i_plan_variant(study, problems, i);
    const int64_t rounds = json_integer_value(json_object_get(told, "rounds"));
    const int64_t phases = variant.study->protocol.phases;
    netdp_status status = netdp_i_variant_describe(&variant, error);
    if (status == NETDP_OK && !netdp_i_variant_is_token(&variant) &&
        variant.study->protocol.rounds == 0) {
        variant.protocol.rounds = rounds;
        if (phases > 0)
            variant.protocol.every = rounds / phases;
    }
    variant.noise = netdp_i_json_number(json_object_get(told, "noise"));
    if (status == NETDP_OK &&
        (!netdp_i_promise_read(json_object_get(told, "guarantee"), &variant.guarantee) ||
         rounds != netdp_i_variant_rounds(&variant)))
        status = netdp_i_fail(error, NETDP_INVALID,
                              "%s/checkpoint: not a checkpoint of this study; remove it to start "
                              "anew",
                              folder);
    if (status == NETDP_OK)
        status = (netdp_i_study_realises(variant.study)
                      ? netdp_i_realised_again
                      : netdp_i_variant_again)(&variant, folder, progress, error);
    netdp_i_variant_clear(&variant);
    return status;
}

/* The variants that an earlier run of the same study on the same graphs has finished. */
static netdp_status resume(const char *folder, const netdp_i_identity *identity, int32_t most,
                           json_t **variants, json_t *accounts, netdp_error *error)
{
    json_t *stored = NULL;
    netdp_status status = netdp_i_checkpoint_load(folder, identity, &stored, error);
    if (status == NETDP_OK && stored == NULL) {
        netdp_i_record_clear(folder);
        *variants = json_array();
        status = *variants != NULL ? NETDP_OK : netdp_i_no_memory(error);
    } else if (status == NETDP_OK) {
        json_t *done = json_object_get(stored, "variants");
        *variants = json_incref(done);
        if (!json_is_array(done) || json_array_size(done) > (size_t)most ||
            json_object_update(accounts, json_object_get(stored, "accounts")) != 0)
            status = netdp_i_fail(error, NETDP_INVALID,
                                  "%s/checkpoint: not a checkpoint; remove it to start the study "
                                  "anew",
                                  folder);
    }
    json_decref(stored);
    return status;
}

static netdp_status save(const char *folder, const netdp_i_identity *identity, json_t *variants,
                         json_t *accounts, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_i_file_path(path, folder, "checkpoint");
    TRY(netdp_i_accounts_digest(folder, accounts, error));
    OWNED_BY(json_decref) json_t *stored = netdp_i_identity_store(identity);
    if (stored == NULL || json_object_set(stored, "accounts", accounts) != 0 ||
        json_object_set(stored, "variants", variants) != 0)
        return netdp_i_no_memory(error);
    return netdp_i_sealed_write(stored, path, error);
}

netdp_status netdp_i_accounts_run(const netdp_study *study, const netdp_i_problems *problems,
                                  const netdp_i_identity *identity, const char *folder,
                                  const netdp_progress *progress, json_t *accounts,
                                  netdp_error *error)
{
    const int32_t all = count_variants(study);
    json_t *variants = NULL;
    netdp_status status = resume(folder, identity, all, &variants, accounts, error);
    const int32_t finished = (int32_t)json_array_size(variants);
    for (int32_t i = 0; status == NETDP_OK && i < finished; i++)
        status = check_told(study, problems, i, json_array_get(variants, (size_t)i), folder,
                            progress, error);
    for (int32_t i = (int32_t)json_array_size(variants); status == NETDP_OK && i < all; i++) {
        json_t *told = NULL;
        status = netdp_i_report(progress, "accounts", i, all, error);
        if (status == NETDP_OK)
            status = tell_variant(study, problems, i, folder, progress, &told, error);
        if (status == NETDP_OK && json_array_append_new(variants, told) != 0)
            status = netdp_i_no_memory(error);
        if (status == NETDP_OK)
            status = save(folder, identity, variants, accounts, error);
    }
    if (status == NETDP_INTERRUPTED)
        status =
            netdp_i_fail(error, NETDP_INTERRUPTED, "stopped; go on with: netdp run %s", folder);
    if (status == NETDP_OK)
        status = netdp_i_account_summary_write(study, problems, variants, folder, error);
    json_decref(variants);
    return status;
}

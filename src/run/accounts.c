#include "run/accounts.h"

#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/parallel.h"
#include "base/try.h"
#include "plan/plan.h"
#include "run/again.h"
#include "run/checkpoint.h"
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
    const netdp_status status = netdp_noise_error(&variant->protocol, &noise, error);
    if (status == NETDP_NO_ANSWER)
        return NETDP_OK;
    TRY(status);
    variant->predicted = variant->noise * variant->noise * noise;
    return NETDP_OK;
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

static netdp_status account_for(netdp_i_variant *variant, const char *folder,
                                const netdp_progress *progress, netdp_error *error)
{
    TRY(netdp_i_variant_describe(variant, error));
    TRY(check_observers(variant, error));
    TRY(netdp_i_variant_calibrate(variant, folder, progress, error));
    return predict(variant, error);
}

/* What accounts are made of, and where they go. */
struct accounting {
    const netdp_study *study;
    const netdp_i_problems *problems;
    const netdp_i_identity *identity;
    const char *folder;
    const netdp_progress *progress;
    json_t *variants; /* finished ones; ours */
    json_t *accounts;
};

static void clear(struct accounting *a)
{
    json_decref(a->variants);
}

/* One entry of summary.json; the header's values that this variant changes are in it. */
static netdp_status tell_variant(const struct accounting *a, int32_t i, json_t **told,
                                 netdp_error *error)
{
    CLEARED(netdp_i_variant_clear)
    netdp_i_variant variant = netdp_i_plan_variant(a->study, a->problems, i);
    const netdp_status status = account_for(&variant, a->folder, a->progress, error);
    if (status != NETDP_OK)
        return status != NETDP_INTERRUPTED && a->study->variation_count > 0
                   ? netdp_i_within(error, status, "variant %s", a->study->variation[i].name)
                   : status;
    *told = netdp_i_account_json(a->study, i, &variant);
    return *told != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

/* The i-th variant as an earlier run told of it, accounted for again. */
static netdp_status check_told(const struct accounting *a, int32_t i, netdp_error *error)
{
    CLEARED(netdp_i_variant_clear)
    netdp_i_variant variant = netdp_i_plan_variant(a->study, a->problems, i);
    const json_t *told = json_array_get(a->variants, (size_t)i);
    const int64_t rounds = json_integer_value(json_object_get(told, "rounds"));
    const int64_t phases = variant.study->protocol.phases;
    TRY(netdp_i_variant_describe(&variant, error));
    if (!netdp_i_variant_is_token(&variant) && variant.study->protocol.rounds == 0) {
        variant.protocol.rounds = rounds;
        if (phases > 0)
            variant.protocol.every = rounds / phases;
    }
    variant.noise = netdp_i_json_number(json_object_get(told, "noise"));
    REFUSE(!netdp_i_promise_read(json_object_get(told, "guarantee"), &variant.guarantee) ||
               rounds != netdp_i_variant_rounds(&variant),
           "%s/checkpoint: not a checkpoint of this study; remove it to start anew", a->folder);
    return (netdp_i_study_realises(variant.study) ? netdp_i_realised_again : netdp_i_variant_again)(
        &variant, a->folder, a->progress, error);
}

/* The variants that an earlier run of the same study on the same graphs has finished. */
static netdp_status resume(struct accounting *a, int32_t most, netdp_error *error)
{
    OWNED_BY(json_decref) json_t *stored = NULL;
    TRY(netdp_i_checkpoint_load(a->folder, a->identity, &stored, error));
    if (stored == NULL) {
        netdp_i_record_clear(a->folder);
        a->variants = json_array();
        return a->variants != NULL ? NETDP_OK : netdp_i_no_memory(error);
    }
    json_t *done = json_object_get(stored, "variants");
    a->variants = json_incref(done);
    REFUSE(!json_is_array(done) || json_array_size(done) > (size_t)most ||
               json_object_update(a->accounts, json_object_get(stored, "accounts")) != 0,
           "%s/checkpoint: not a checkpoint; remove it to start the study anew", a->folder);
    return NETDP_OK;
}

static netdp_status save(const struct accounting *a, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_i_file_path(path, a->folder, "checkpoint");
    TRY(netdp_i_accounts_digest(a->folder, a->accounts, error));
    OWNED_BY(json_decref) json_t *stored = netdp_i_identity_store(a->identity);
    if (stored == NULL || json_object_set(stored, "accounts", a->accounts) != 0 ||
        json_object_set(stored, "variants", a->variants) != 0)
        return netdp_i_no_memory(error);
    return netdp_i_sealed_write(stored, path, error);
}

static netdp_status account_all(struct accounting *a, netdp_error *error)
{
    const int32_t all = count_variants(a->study);
    TRY(resume(a, all, error));
    const int32_t finished = (int32_t)json_array_size(a->variants);
    for (int32_t i = 0; i < finished; i++)
        TRY(check_told(a, i, error));
    for (int32_t i = finished; i < all; i++) {
        json_t *told = NULL;
        TRY(netdp_i_report(a->progress, "accounts", i, all, error));
        TRY(tell_variant(a, i, &told, error));
        if (json_array_append_new(a->variants, told) != 0)
            return netdp_i_no_memory(error);
        TRY(save(a, error));
    }
    return NETDP_OK;
}

netdp_status netdp_i_accounts_run(const netdp_study *study, const netdp_i_problems *problems,
                                  const netdp_i_identity *identity, const char *folder,
                                  const netdp_progress *progress, json_t *accounts,
                                  netdp_error *error)
{
    CLEARED(clear)
    struct accounting a = {.study = study,
                           .problems = problems,
                           .identity = identity,
                           .folder = folder,
                           .progress = progress,
                           .accounts = accounts};
    const netdp_status status = account_all(&a, error);
    if (status == NETDP_INTERRUPTED)
        return netdp_i_fail(error, NETDP_INTERRUPTED, "stopped; go on with: netdp run %s", folder);
    TRY(status);
    return netdp_i_account_summary_write(study, problems, a.variants, folder, error);
}

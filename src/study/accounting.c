#include "study/accounting.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <netdp/simulate.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "study/folder.h"

/* How many variants: the study itself where it lists none. */
static int32_t count_variants(const netdp_study *study)
{
    return study->variation_count > 0 ? study->variation_count : 1;
}

/* The i-th variant, before anything is known of it. */
static netdp_i_variant name_variant(const netdp_study *study, const netdp_i_problems *problems,
                                    int32_t i)
{
    const bool several = study->variation_count > 0;
    const netdp_study *own = several ? study->variation[i].study : study;
    netdp_i_variant variant = {.role = NETDP_I_NETWORK,
                               .name = several                      ? study->variation[i].name
                                       : netdp_i_study_walks(study) ? "walk"
                                                                    : "gossip",
                               .study = own,
                               .problem = several ? problems->of[i] : problems->made[0]};
    if (several)
        snprintf(variant.losses, sizeof variant.losses, "loss-%hd", (short)(i + 1));
    else
        snprintf(variant.losses, sizeof variant.losses, "loss");
    return variant;
}

/*
 * Half the mean squared error per coordinate and Delta that the noise causes, where the noise was
 * calibrated to a target: what the guarantee costs; else -1. It takes all eigenvalues of W.
 */
static netdp_status predict(netdp_i_variant *variant, netdp_error *error)
{
    double noise = 0;
    const bool averages = variant->token.law == NULL && variant->tally.nodes == 0 &&
                          variant->protocol.every == 0 && variant->study->privacy.epsilon > 0;
    variant->predicted = -1;
    if (!averages || netdp_graph_nodes(variant->problem->graph) > NETDP_DENSE_NODES)
        return NETDP_OK;
    netdp_status status = netdp_noise_error(&variant->protocol, &noise, error);
    if (status == NETDP_OK)
        variant->predicted = variant->noise * variant->noise * noise;
    return status;
}

/* One entry of summary.json; the header's values that this variant changes are in it. */
static netdp_status tell_variant(const netdp_study *study, const netdp_i_problems *problems,
                                 int32_t i, const char *folder, const netdp_progress *progress,
                                 json_t **told, netdp_error *error)
{
    netdp_i_variant variant = name_variant(study, problems, i);
    netdp_status status = netdp_i_variant_describe(&variant, error);
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

/* The variants that an earlier run of the same study on the same graphs has finished. */
static netdp_status resume(const char *path, const char *digest, int32_t most, json_t **variants,
                           netdp_error *error)
{
    json_error_t why;
    const char *held = NULL;
    json_t *done = NULL;
    *variants = NULL;
    if (access(path, F_OK) == 0) {
        json_t *stored = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
        if (json_unpack(stored, "{s:s, s:o !}", "problem", &held, "variants", &done) != 0 ||
            strcmp(held, digest) != 0 || !json_is_array(done) ||
            json_array_size(done) > (size_t)most) {
            json_decref(stored);
            return netdp_i_fail(error, NETDP_INVALID,
                                "%s: not a checkpoint of this study and these graphs; remove it to "
                                "start anew",
                                path);
        }
        *variants = json_incref(done);
        json_decref(stored);
    } else {
        *variants = json_array();
    }
    return *variants != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

static netdp_status save(const char *path, const char *digest, json_t *variants, netdp_error *error)
{
    json_t *stored = json_pack("{s:s, s:O}", "problem", digest, "variants", variants);
    if (stored == NULL)
        return netdp_i_no_memory(error);
    netdp_status status = netdp_i_json_write(stored, path, error);
    json_decref(stored);
    return status;
}

netdp_status netdp_i_accounting_run(const netdp_study *study, const netdp_i_problems *problems,
                                    const char *folder, const netdp_progress *progress,
                                    netdp_error *error)
{
    char path[4096], digest[65];
    const int32_t all = count_variants(study);
    json_t *variants = NULL;
    netdp_i_folder_path(path, folder, "checkpoint");
    netdp_i_problems_digest(problems, digest);
    netdp_status status = resume(path, digest, all, &variants, error);
    for (int32_t i = (int32_t)json_array_size(variants); status == NETDP_OK && i < all; i++) {
        json_t *told = NULL;
        status = netdp_i_report(progress, "accounts", i, all, error);
        if (status == NETDP_OK)
            status = tell_variant(study, problems, i, folder, progress, &told, error);
        if (status == NETDP_OK && json_array_append_new(variants, told) != 0)
            status = netdp_i_no_memory(error);
        if (status == NETDP_OK)
            status = save(path, digest, variants, error);
    }
    if (status == NETDP_INTERRUPTED)
        status =
            netdp_i_fail(error, NETDP_INTERRUPTED, "stopped; go on with: netdp run %s", folder);
    if (status == NETDP_OK)
        status = netdp_i_account_summary_write(study, problems, variants, folder, error);
    if (status == NETDP_OK)
        netdp_i_checkpoint_remove(folder);
    json_decref(variants);
    return status;
}

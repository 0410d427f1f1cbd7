#include "run/claims.h"

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/parallel.h"
#include "base/try.h"
#include "run/summary.h"
#include "study/claims.h"

static netdp_status tell(const netdp_study *study, const char *name,
                         const netdp_i_variation *variation, const netdp_progress *progress,
                         json_t *variants, netdp_error *error)
{
    netdp_i_answer asked = {0};
    const char *key;
    TRY(netdp_i_claims_ask(study, &asked, &key, error));
    TRY(netdp_i_answer_find(&asked, progress, error));
    json_t *told = json_pack("{s:s}", "name", name), *answer = netdp_i_answer_json(&asked);
    if (variation != NULL && variation->curve != NULL) {
        json_object_set_new(told, "curve", json_string(variation->curve));
        json_object_set_new(told, "at", json_string(variation->at));
    }
    if (study->task.over != NULL)
        json_object_set_new(told, "over", json_string(study->task.over));
    const bool made = told != NULL && answer != NULL && json_object_update(told, answer) == 0;
    json_decref(answer);
    if (!made) {
        json_decref(told);
        return netdp_i_no_memory(error);
    }
    return json_array_append_new(variants, told) == 0 ? NETDP_OK : netdp_i_no_memory(error);
}

netdp_status netdp_i_claims_run(const netdp_study *study, const char *folder,
                                const netdp_progress *progress, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    const int32_t count = study->variation_count;
    OWNED_BY(json_decref) json_t *variants = json_array();
    NEED(variants);
    if (count == 0)
        TRY(tell(study, "claim", NULL, progress, variants, error));
    for (int32_t i = 0; i < count; i++) {
        const netdp_i_variation *variation = &study->variation[i];
        TRY(netdp_i_report(progress, "claims", i, count, error));
        const netdp_status status =
            tell(variation->study, variation->name, variation, progress, variants, error);
        if (status != NETDP_OK)
            return status == NETDP_INTERRUPTED
                       ? status
                       : netdp_i_within(error, status, "variant %s", variation->name);
    }
    OWNED_BY(json_decref)
    json_t *summary = json_pack("{s:s, s:s, s:o, s:s, s:O}", "netdp", netdp_version(), "title",
                                study->title, "seed", netdp_i_seed_json(study->seed), "task",
                                study->task.kind, "variants", variants);
    netdp_i_file_path(path, folder, "summary.json");
    return summary != NULL ? netdp_i_json_write(summary, path, error) : netdp_i_no_memory(error);
}

#include "run/checkpoint.h"

#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/try.h"
#include "run/state.h"

netdp_status netdp_i_progress_made_new(const netdp_i_plan *plan, netdp_i_progress_made *made,
                                       netdp_error *error)
{
    netdp_i_progress_made fresh = {.sums = NETDP_I_NEW(netdp_i_sums, plan->count),
                                   .accounts = json_object()};
    bool whole = fresh.sums != NULL && fresh.accounts != NULL;
    for (; whole && fresh.count < plan->count; fresh.count++) {
        netdp_i_sums *sums = &fresh.sums[fresh.count];
        sums->width = plan->variant[fresh.count].problem->width;
        sums->square = NETDP_I_NEW(double, sums->width);
        whole = sums->square != NULL;
    }
    if (!whole) {
        netdp_i_progress_made_clear(&fresh);
        return netdp_i_no_memory(error);
    }
    *made = fresh;
    return NETDP_OK;
}

void netdp_i_progress_made_reset(netdp_i_progress_made *made)
{
    made->done = 0;
    for (int32_t i = 0; i < made->count; i++) {
        netdp_i_sums *sums = &made->sums[i];
        memset(sums->square, 0, (size_t)sums->width * sizeof *sums->square);
        *sums = (netdp_i_sums){.width = sums->width, .square = sums->square};
    }
}

void netdp_i_progress_made_clear(netdp_i_progress_made *made)
{
    for (int32_t i = 0; i < made->count; i++)
        netdp_i_free(made->sums[i].square);
    netdp_i_free(made->sums);
    json_decref(made->accounts);
    *made = (netdp_i_progress_made){0};
}

static json_t *store_numbers(const double *values, int32_t count)
{
    json_t *list = json_array();
    for (int32_t i = 0; i < count; i++)
        json_array_append_new(list, json_real(values[i]));
    return list;
}

static bool restore_numbers(const json_t *list, double *values, int32_t count)
{
    if (json_array_size(list) != (size_t)count)
        return false;
    for (int32_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(list, (size_t)i);
        if (!json_is_number(value))
            return false;
        values[i] = json_number_value(value);
    }
    return true;
}

static json_t *store_sums(const netdp_i_progress_made *made)
{
    json_t *list = json_array();
    for (int32_t i = 0; i < made->count; i++) {
        const netdp_i_sums *sums = &made->sums[i];
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:f, s:I, s:I, s:f}", "objective",
                                              store_numbers(sums->objective, 2), "accuracy",
                                              store_numbers(sums->accuracy, 2), "square",
                                              store_numbers(sums->square, sums->width), "messages",
                                              sums->messages, "most_contributions",
                                              (json_int_t)sums->contributions.most, "contributions",
                                              (json_int_t)sums->contributions.all,
                                              "contributions_cost", sums->contributions.cost));
    }
    return list;
}

static bool restore_sums(const json_t *list, netdp_i_progress_made *made)
{
    bool whole = json_array_size(list) == (size_t)made->count;
    for (int32_t i = 0; whole && i < made->count; i++) {
        netdp_i_sums *sums = &made->sums[i];
        json_t *stored = json_array_get(list, (size_t)i), *objective, *accuracy, *square;
        json_int_t most = 0, all = 0;
        double cost = 0;
        whole = json_unpack(stored, "{s:o, s:o, s:o, s:F, s:I, s:I, s:F !}", "objective",
                            &objective, "accuracy", &accuracy, "square", &square, "messages",
                            &sums->messages, "most_contributions", &most, "contributions", &all,
                            "contributions_cost", &cost) == 0 &&
                restore_numbers(objective, sums->objective, 2) &&
                restore_numbers(accuracy, sums->accuracy, 2) &&
                restore_numbers(square, sums->square, sums->width);
        sums->contributions = (netdp_i_contributions){most, all, cost};
    }
    return whole;
}

void netdp_i_checkpoint_remove(const char *folder)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_i_file_path(path, folder, "checkpoint");
    unlink(path);
    netdp_i_state_remove(folder);
}

netdp_status netdp_i_checkpoint_write(const char *folder, const netdp_i_plan *plan,
                                      const netdp_i_identity *identity,
                                      const netdp_i_progress_made *made, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_i_file_path(path, folder, "checkpoint");
    OWNED_BY(json_decref) json_t *stored = netdp_i_identity_store(identity);
    OWNED_BY(json_decref)
    json_t *rest = json_pack("{s:o, s:O, s:I, s:I, s:s, s:o}", "plan", netdp_i_plan_store(plan),
                             "accounts", made->accounts, "done", (json_int_t)made->done,
                             "trace_bytes", (json_int_t)made->trace_bytes, "trace_sha256",
                             made->trace_digest, "sums", store_sums(made));
    if (stored == NULL || rest == NULL || json_object_update(stored, rest) != 0)
        return netdp_i_no_memory(error);
    return netdp_i_sealed_write(stored, path, error);
}

static netdp_status fail_checkpoint(const char *path, netdp_error *error)
{
    return netdp_i_fail(error, NETDP_INVALID,
                        "%s: not a checkpoint; remove it to start the study anew", path);
}

/* The parts of a checkpoint that is one, into a plan and what was made of it. */
static netdp_status restore(json_t *stored, const char *path, const netdp_study *study,
                            const netdp_i_problems *problems, netdp_i_plan *plan,
                            netdp_i_progress_made *made, netdp_error *error)
{
    const char *ignored, *trace = NULL;
    json_t *planned = NULL, *sums = NULL, *accounts = NULL;
    json_int_t done = 0, bytes = 0;
    CLEARED(netdp_i_plan_clear) netdp_i_plan read = {0};
    if (json_unpack(stored, "{s:s, s:s, s:s, s:o, s:o, s:I, s:I, s:s, s:o, s:s !}", "netdp",
                    &ignored, "study", &ignored, "problem", &ignored, "plan", &planned, "accounts",
                    &accounts, "done", &done, "trace_bytes", &bytes, "trace_sha256", &trace, "sums",
                    &sums, "sha256", &ignored) != 0 ||
        done < 0 || bytes < 0 || !json_is_object(accounts) || strlen(trace) != 64)
        return fail_checkpoint(path, error);
    TRY(netdp_i_within(error, netdp_i_plan_restore(planned, study, problems, &read, error), "%s",
                       path));
    TRY(netdp_i_progress_made_new(&read, made, error));
    if (done > study->output.repeat * read.count || !restore_sums(sums, made)) {
        netdp_i_progress_made_clear(made);
        return fail_checkpoint(path, error);
    }
    json_decref(made->accounts);
    made->accounts = json_incref(accounts);
    *plan = read;
    read = (netdp_i_plan){0};
    made->done = done;
    made->trace_bytes = bytes;
    memcpy(made->trace_digest, trace, sizeof made->trace_digest);
    return NETDP_OK;
}

netdp_status netdp_i_checkpoint_load(const char *folder, const netdp_i_identity *identity,
                                     json_t **stored, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    netdp_i_file_path(path, folder, "checkpoint");
    *stored = NULL;
    if (access(path, F_OK) != 0)
        return NETDP_OK;
    const netdp_status status = netdp_i_sealed_read(path, stored, error);
    if (status == NETDP_INVALID)
        return netdp_i_fail(
            error, status, "%s: is not as netdp wrote it; remove it to start the study anew", path);
    TRY(status);
    TRY(netdp_i_identity_check(identity, *stored, folder, error));
    return netdp_i_accounts_check(folder, json_object_get(*stored, "accounts"), error);
}

netdp_status netdp_i_checkpoint_read(const char *folder, const netdp_study *study,
                                     const netdp_i_problems *problems,
                                     const netdp_i_identity *identity, netdp_i_plan *plan,
                                     netdp_i_progress_made *made, bool *found, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    OWNED_BY(json_decref) json_t *stored = NULL;
    netdp_i_file_path(path, folder, "checkpoint");
    *found = false;
    TRY(netdp_i_checkpoint_load(folder, identity, &stored, error));
    *found = stored != NULL;
    return *found ? restore(stored, path, study, problems, plan, made, error) : NETDP_OK;
}

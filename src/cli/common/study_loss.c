/* netdp loss STUDY.yaml [VARIANT]: the accounts of a study, without running it. */
#include "cli/common/study_loss.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/text.h"
#include "base/try.h"
#include "plan/plan.h"

/* Options that change the study or the answer; all else is the study's to say. */
static netdp_status check_options(const netdp_i_arguments *arguments, netdp_error *error)
{
    static const char *const taken[] = {"set", "quick", "data", "json", "threads"};
    for (size_t i = 0; i < arguments->given_count; i++) {
        bool may = false;
        for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
            may = may || strcmp(arguments->given[i], taken[k]) == 0;
        REFUSE(!may,
               "--%s: %s says what is asked; leave it out, or change the study "
               "with --set KEY=VALUE",
               arguments->given[i], netdp_i_show_text(arguments->text[0]).text);
    }
    return NETDP_OK;
}

static json_t *tell_json(const netdp_i_variant *variant)
{
    json_t *told = json_pack("{s:s, s:o, s:I, s:o}", "name", variant->name, "noise",
                             netdp_i_json_double(variant->noise), "rounds",
                             (json_int_t)netdp_i_variant_rounds(variant), "guarantee",
                             netdp_i_promise_json(&variant->guarantee));
    json_t *members = told != NULL && variant->coalition ? json_array() : NULL;
    for (int32_t i = 0; members != NULL && i < variant->observer_count; i++)
        json_array_append_new(members, json_integer(variant->observer[i]));
    if (members != NULL)
        json_object_set_new(told, "coalition", members);
    return told;
}

static void tell_row(const netdp_i_variant *variant)
{
    const netdp_i_promise *p = &variant->guarantee;
    char unit[NETDP_UNIT_ROOM], pair[64] = "";
    netdp_unit_text(p->is.unit, unit);
    if (p->from >= 0 && variant->coalition)
        snprintf(pair, sizeof pair, " (from %" PRId32 " to all %" PRId32 " of the coalition)",
                 p->from, variant->observer_count);
    else if (p->from >= 0)
        snprintf(pair, sizeof pair, " (from %" PRId32 " to %" PRId32 ")", p->from, p->to);
    printf("%s: noise %s Delta, %" PRId64 " %s; %s: mean %s, worst %s%s, local %s\n", variant->name,
           netdp_i_up(variant->noise, 6).text, netdp_i_variant_rounds(variant),
           netdp_i_variant_is_token(variant) ? "steps" : "rounds", unit,
           netdp_i_up(p->mean, 6).text, netdp_i_up(p->is.value, 6).text, pair,
           isnan(p->local) ? "-" : netdp_i_up(p->local, 6).text);
    printf("  bound %s: %s%s\n", p->is.bound,
           p->is.estimate ? "an estimate, NO upper bound"
           : !p->is.sound ? "NO upper bound"
                          : "an upper bound",
           p->is.certified ? ", certified" : "");
}

/* Says what the variant costs: in a row, or in `list`. */
static netdp_status account_variant(netdp_i_variant *variant, const netdp_progress *progress,
                                    json_t *list, netdp_error *error)
{
    TRY(netdp_i_variant_describe(variant, error));
    TRY(netdp_i_variant_calibrate(variant, NULL, progress, error));
    netdp_i_cli_progress_end();
    if (list == NULL)
        tell_row(variant);
    else if (json_array_append_new(list, tell_json(variant)) != 0)
        return netdp_i_no_memory(error);
    return NETDP_OK;
}

static netdp_status account(const netdp_study *study, const netdp_i_problems *problems, int32_t i,
                            const netdp_progress *progress, json_t *list, netdp_error *error)
{
    CLEARED(netdp_i_variant_clear)
    netdp_i_variant variant = netdp_i_plan_variant(study, problems, i);
    const netdp_status status = account_variant(&variant, progress, list, error);
    netdp_i_cli_progress_end();
    if (status != NETDP_OK && status != NETDP_INTERRUPTED && study->variation_count > 0)
        return netdp_i_within(error, status, "variant %s", variant.name);
    return status;
}

/* The place of the variant of this name; NULL: -1, which stands for all. */
static netdp_status find_variant(const netdp_study *study, const char *name, int32_t *found,
                                 netdp_error *error)
{
    const int32_t count = study->variation_count;
    *found = -1;
    if (name == NULL)
        return NETDP_OK;
    const char **known = NETDP_I_NEW(const char *, count + 1);
    NEED(known);
    for (int32_t i = 0; i < count; i++) {
        known[i] = study->variation[i].name;
        if (strcmp(known[i], name) == 0)
            *found = i;
    }
    const char *nearest = netdp_i_nearest(name, known, (size_t)count);
    netdp_i_free(known);
    if (*found >= 0)
        return NETDP_OK;
    return nearest != NULL
               ? netdp_i_fail(error, NETDP_INVALID, "%s: no such variant; did you mean '%s'?",
                              netdp_i_show_text(name).text, nearest)
               : netdp_i_fail(error, NETDP_INVALID,
                              "%s: no such variant; the study has %d: leave it out",
                              netdp_i_show_text(name).text, (int)count);
}

static netdp_status account_all(const netdp_study *study, const netdp_i_problems *problems,
                                const char *name, json_t *list, netdp_error *error)
{
    const int32_t count = study->variation_count > 0 ? study->variation_count : 1;
    int32_t only;
    TRY(find_variant(study, name, &only, error));
    for (int32_t i = 0; i < count; i++)
        if (only < 0 || only == i)
            WATCHED(false, account(study, problems, i, &progress, list, error));
    return NETDP_OK;
}

netdp_status netdp_i_cli_loss_study(const netdp_i_study_options *options,
                                    const netdp_i_arguments *arguments, netdp_error *error)
{
    const char *file = arguments->text[0];
    OWNED_BY(netdp_study_free) netdp_study *study = NULL;
    CLEARED(netdp_i_problems_clear) netdp_i_problems problems = {0};
    OWNED_BY(json_decref) json_t *list = options->json ? json_array() : NULL;
    TRY(check_options(arguments, error));
    TRY(netdp_i_cli_read_study(file, options, &study, error));
    REFUSE(netdp_i_study_claims(study),
           "%s: task.kind is claim, which has no account; netdp run writes it",
           netdp_i_show_text(file).text);
    TRY(netdp_i_problems_new(study, options->data, &problems, error));
    TRY(account_all(study, &problems, arguments->count > 1 ? arguments->text[1] : NULL, list,
                    error));
    if (options->json)
        TRY(netdp_i_cli_print_json(json_pack("{s:s, s:s, s:O}", "netdp", netdp_version(), "study",
                                             study->title, "variants", list),
                                   error));
    return NETDP_OK;
}

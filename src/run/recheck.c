#include "run/recheck.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/try.h"
#include "plan/gossip.h"
#include "protocol/noise.h"

/* A number of the variant, where it has one. */
static void take(const json_t *told, const char *key, double *value)
{
    const json_t *number = json_object_get(told, key);
    if (json_is_number(number))
        *value = json_number_value(number);
}

/* The protocol as it ran: what was auto stands in the summary. */
static void take_found(const json_t *told, netdp_i_variant *variant)
{
    const int64_t rounds = json_integer_value(json_object_get(told, "rounds"));
    const json_t *pairs = json_object_get(json_object_get(told, "guarantee"), "pairs");
    take(told, "noise", &variant->noise);
    if (variant->kind != NETDP_GOSSIP)
        return;
    netdp_linear *protocol = &variant->protocol;
    const int64_t phases = variant->study->protocol.phases;
    if (rounds > 0)
        protocol->rounds = rounds;
    if (phases > 0 && rounds > 0)
        protocol->every = rounds / phases;
    (void)netdp_i_noise_read(told, &protocol->noise);
    take(pairs, "noise", &protocol->noise.pairing.kappa);
}

static netdp_status account(netdp_i_variant *variant, const netdp_progress *progress,
                            netdp_losses **losses, netdp_error *error)
{
    if (variant->kind != NETDP_GOSSIP)
        return netdp_i_variant_planning(variant)->account(variant, progress, losses, error);
    const netdp_loss_request request = netdp_i_plan_gossip_ask(variant);
    return netdp_losses_new(&request, progress, losses, error);
}

static int32_t place_of(const int32_t *node, int32_t count, int32_t wanted)
{
    for (int32_t i = 0; i < count; i++)
        if (node[i] == wanted)
            return i;
    return -1;
}

/* One line of loss.csv, from,to,distance,loss,epsilon, beside what is found now. */
static void compare_line(const char *line, const netdp_losses *losses, const double *value,
                         netdp_i_rechecked *row)
{
    int from = 0, to = 0;
    const char *last = strrchr(line, ',');
    if (last == NULL || sscanf(line, "%d,%d,", &from, &to) != 2)
        return;
    const int32_t i = place_of(losses->from, losses->from_count, from),
                  v = place_of(losses->to, losses->to_count, to);
    if (i < 0 || v < 0 || !netdp_losses_counts(losses, i, v))
        return;
    const double then = strtod(last + 1, NULL), now = value[(int64_t)v * losses->from_count + i],
                 factor = now / then;
    row->pairs++;
    row->below += now > then * (1 + NETDP_I_RECHECK_ROUNDING);
    if (then > 0 && isfinite(factor) && !(factor <= row->factor))
        row->factor = factor;
}

static void compare_pairs(const char *folder, const char *name, const netdp_losses *losses,
                          const double *value, netdp_i_rechecked *row)
{
    char path[NETDP_I_PATH_ROOM], file[64], *text = NULL, *rest = NULL;
    int64_t bytes = 0;
    netdp_error none;
    snprintf(file, sizeof file, "%.40s.csv", name);
    netdp_i_file_path(path, folder, file);
    if (losses->members > 1 || netdp_i_file_load(path, &text, &bytes, &none) != NETDP_OK)
        return; /* many pairs are in a file of another form */
    strtok_r(text, "\n", &rest);
    for (char *line = strtok_r(NULL, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        compare_line(line, losses, value, row);
    netdp_i_free(text);
}

static netdp_status recheck_one(netdp_i_variant *variant, const json_t *told, const char *folder,
                                const netdp_progress *progress, netdp_i_rechecked *row,
                                netdp_error *error)
{
    const json_t *guarantee = json_object_get(told, "guarantee"),
                 *worst = json_object_get(guarantee, "worst");
    const char *name = json_string_value(json_object_get(told, "losses"));
    const netdp_unit unit = netdp_i_study_unit(variant->study);
    OWNED_BY(netdp_losses_free) netdp_losses *losses = NULL;
    netdp_summary found;
    *row = (netdp_i_rechecked){.from = -1, .to = -1, .factor = NAN};
    snprintf(row->name, sizeof row->name, "%s", variant->name);
    netdp_unit_text(unit, row->unit);
    if (json_is_integer(json_object_get(worst, "from")))
        row->from = (int32_t)json_integer_value(json_object_get(worst, "from"));
    if (json_is_integer(json_object_get(worst, "to")))
        row->to = (int32_t)json_integer_value(json_object_get(worst, "to"));
    row->then = netdp_i_json_number(json_object_get(worst, "epsilon"));
    row->mean_then = netdp_i_json_number(json_object_get(guarantee, "mean"));
    TRY(netdp_i_variant_describe(variant, error));
    take_found(told, variant);
    TRY(account(variant, progress, &losses, error));
    TRY(netdp_losses_settle(losses, variant->noise, unit, error));
    OWNED double *value = NETDP_I_NEW(double, (int64_t)losses->from_count * losses->to_count);
    NEED(value);
    TRY(netdp_losses_values(losses, variant->noise, unit, progress, value, &found, error));
    row->now = found.max;
    row->mean_now = found.mean;
    if (folder != NULL)
        compare_pairs(folder, name != NULL ? name : "loss", losses, value, row);
    return NETDP_OK;
}

/* The variant of the study that the summary calls so; -1: a baseline, which is a closed form. */
static int32_t find_variant(const netdp_study *study, const json_t *told)
{
    const char *name = json_string_value(json_object_get(told, "name"));
    if (name == NULL || strcmp(name, "central") == 0 || strcmp(name, "local") == 0)
        return -1;
    for (int32_t i = 0; i < study->variation_count; i++)
        if (strcmp(study->variation[i].name, name) == 0)
            return i;
    return study->variation_count == 0 ? 0 : -1;
}

netdp_status netdp_i_recheck(const netdp_study *study, const json_t *summary, const char *folder,
                             const char *data, const netdp_progress *progress,
                             netdp_i_rechecked **list, int32_t *count, netdp_error *error)
{
    const json_t *variants = json_object_get(summary, "variants"), *told;
    CLEARED(netdp_i_problems_clear) netdp_i_problems problems = {0};
    OWNED netdp_i_rechecked *rows =
        NETDP_I_NEW(netdp_i_rechecked, (int64_t)json_array_size(variants));
    size_t place;
    *count = 0;
    *list = NULL;
    NEED(rows);
    TRY(netdp_i_problems_new(study, data, &problems, error));
    json_array_foreach (variants, place, told) {
        const int32_t i = find_variant(study, told);
        if (i < 0)
            continue;
        const bool several = study->variation_count > 0;
        CLEARED(netdp_i_variant_clear)
        netdp_i_variant variant = {.role = NETDP_I_NETWORK,
                                   .name = json_string_value(json_object_get(told, "name")),
                                   .study = several ? study->variation[i].study : study,
                                   .problem = several ? problems.of[i] : problems.made[0]};
        TRY(recheck_one(&variant, told, folder, progress, &rows[*count], error));
        ++*count;
    }
    *list = GIVE(rows);
    return NETDP_OK;
}

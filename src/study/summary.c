#include "study/folder.h"

#include <math.h>

#include "base/fail.h"
#include "base/file.h"
#include "protocol/threat.h"
#include "study/value.h"

/* {"mean", "standard_error"} of a run's number, from its sums. */
static json_t *mean_json(double sum, double sum_square, int64_t runs)
{
    const double mean = sum / (double)runs;
    const double variance = runs > 1 ? fmax(0, sum_square - sum * mean) / (double)(runs - 1) : 0;
    return json_pack("{s:f, s:o}", "mean", mean, "standard_error",
                     runs > 1 ? json_real(sqrt(variance / (double)runs)) : json_null());
}

/* What one variant got wrong: of a mean, per column in the data's unit; of a model, its accuracy.
 */
static json_t *error_json(const netdp_i_variant *variant, const netdp_i_sums *sums, int64_t runs)
{
    const netdp_i_problem *problem = variant->problem;
    json_t *objective = mean_json(sums->objective[0], sums->objective[1], runs);
    json_object_set_new(objective, "predicted",
                        variant->predicted >= 0 ? json_real(variant->predicted) : json_null());
    json_t *errors = json_pack("{s:o}", "objective", objective);
    if (problem->train != NULL) {
        json_object_set_new(errors, "accuracy",
                            mean_json(sums->accuracy[0], sums->accuracy[1], runs));
        return errors;
    }
    json_t *columns = json_array();
    for (int32_t j = 0; j < problem->width; j++)
        json_array_append_new(columns, json_pack("{s:s, s:f, s:f}", "name", problem->column[j],
                                                 "mean", problem->truth[j], "rmse",
                                                 sqrt(sums->square[j] / (double)runs)));
    json_object_set_new(errors, "columns", columns);
    return errors;
}

static json_t *variant_json(const netdp_i_variant *variant, json_t *errors)
{
    const netdp_study *study = variant->study;
    const netdp_i_problem *problem = variant->problem;
    const bool gossip = variant->role != NETDP_I_CENTRAL;
    const double nodes = netdp_graph_nodes(problem->graph);
    const int64_t central_rounds = netdp_i_study_learns(study) ? study->task.central_steps : 1;
    const double messages =
        gossip ? 2.0 * (double)netdp_graph_edges(problem->graph) * (double)variant->protocol.rounds
               : 2 * nodes * (double)central_rounds;
    json_t *told = json_pack(
        "{s:s, s:f, s:o, s:o, s:O, s:o, s:f}", "name", variant->name, "noise", variant->noise,
        "rounds", gossip ? json_integer(variant->protocol.rounds) : json_integer(central_rounds),
        "dither", gossip ? json_real(variant->protocol.dither) : json_null(), "guarantee",
        variant->guarantee, "error", errors, "bytes_sent", 8 * problem->width * messages);
    if (gossip && study->protocol.phases > 0) /* what rounds: auto found */
        json_object_set_new(told, "inner", json_integer(variant->protocol.every));
    return told;
}

static json_t *graph_json(const netdp_i_problem *problem)
{
    return json_pack("{s:s, s:i, s:I}", "origin", netdp_graph_origin(problem->graph), "nodes",
                     (int)netdp_graph_nodes(problem->graph), "edges",
                     (json_int_t)netdp_graph_edges(problem->graph));
}

static json_t *target_json(const netdp_study *study)
{
    return json_pack("{s:o, s:f, s:s}", "epsilon", netdp_i_json_double(study->privacy.epsilon),
                     "delta", study->privacy.delta, "over",
                     study->privacy.over == NETDP_OVER_MEAN ? "mean" : "worst");
}

static json_t *threat_json(const netdp_study *study)
{
    return netdp_i_threat_json(study->privacy.sees, study->privacy.own_noise, NULL, 0);
}

/* The keys in which a variant differs from its base, with the values that it has. */
static json_t *overrides_json(const netdp_study *base, const netdp_study *study)
{
    json_t *overrides = json_object();
    for (int k = 0; overrides != NULL && k < NETDP_I_KEYS; k++) {
        const netdp_i_key *key = &netdp_i_keys[k];
        const bool there = !netdp_i_value_absent(study, key) || key->kind == NETDP_I_KEY_COLUMNS;
        if (there && !netdp_i_value_equal(base, study, key))
            json_object_set_new(overrides, key->name, netdp_i_value_json(study, key));
    }
    return overrides;
}

static json_t *notes_json(const netdp_i_problem *problem)
{
    const netdp_graph_notes *notes = &problem->notes;
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "self_loops_dropped",
                     (json_int_t)notes->self_loops, "repeated_edges_dropped",
                     (json_int_t)notes->repeats, "weights_ignored", (json_int_t)notes->weights,
                     "nodes_outside_giant_component", (json_int_t)notes->outside, "graph_redraws",
                     (json_int_t)notes->redraws, "rows_clipped", (json_int_t)problem->clipped,
                     "constant_columns_dropped", (json_int_t)problem->prepared.dropped);
}

/* What a listed variant has of its own: all that the summary says of the study, in its place. */
static void add_own(json_t *told, const netdp_study *base, const netdp_i_variant *variant)
{
    const netdp_study *study = variant->study;
    json_object_set_new(told, "overrides", overrides_json(base, study));
    json_object_set_new(told, "losses", json_string(variant->losses));
    json_object_set_new(told, "graph", graph_json(variant->problem));
    json_object_set_new(told, "mixing", json_string(netdp_mixing_name(variant->problem->mixing)));
    json_object_set_new(told, "sensitivity", json_real(variant->problem->sensitivity));
    json_object_set_new(told, "protocol", json_string(study->protocol.kind));
    json_object_set_new(told, "threat", threat_json(study));
    json_object_set_new(told, "target", target_json(study));
    json_object_set_new(told, "notes", notes_json(variant->problem));
}

static json_t *variants_json(const netdp_study *study, const netdp_i_plan *plan,
                             const netdp_i_progress_made *made)
{
    json_t *variants = json_array();
    for (int32_t i = 0; i < plan->count; i++) {
        const netdp_i_variant *variant = &plan->variant[i];
        json_t *told =
            variant_json(variant, error_json(variant, &made->sums[i], study->output.repeat));
        if (study->variation_count > 0 && variant->role == NETDP_I_NETWORK)
            add_own(told, study, variant);
        json_array_append_new(variants, told);
    }
    return variants;
}

/* A number, or its digits where it exceeds what JSON readers keep. */
static json_t *seed_json(uint64_t seed)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)seed);
    return seed <= INT64_MAX ? json_integer((json_int_t)seed) : json_string(digits);
}

netdp_status netdp_i_summary_write(const netdp_study *study, const netdp_i_problems *problems,
                                   const netdp_i_plan *plan, const netdp_i_progress_made *made,
                                   const char *folder, netdp_error *error)
{
    char path[4096], digest[65];
    const netdp_i_problem *problem = problems->made[0];
    netdp_i_problems_digest(problems, digest);
    json_t *summary = json_pack(
        "{s:s, s:s, s:o, s:s, s:o, s:s, s:{s:s, s:I, s:i, s:f, s:s, s:s}, s:s, s:s, s:o, s:o, s:I, "
        "s:o, s:o}",
        "netdp", netdp_version(), "title", study->title, "seed", seed_json(study->seed),
        "inputs_sha256", digest, "graph", graph_json(problem), "mixing",
        netdp_mixing_name(problem->mixing), "data", "sha256", problem->digest, "rows",
        (json_int_t)problem->rows, "columns", (int)problem->width, "sensitivity",
        problem->sensitivity, "sensitivity_in",
        study->task.clip > 0 ? "units of the data" : "ranges of the columns", "unit",
        study->task.unit, "task", study->task.kind, "protocol", study->protocol.kind, "threat",
        threat_json(study), "target", target_json(study), "repeat",
        (json_int_t)study->output.repeat, "variants", variants_json(study, plan, made), "notes",
        notes_json(problem));
    if (summary == NULL)
        return netdp_i_no_memory(error);
    netdp_i_folder_path(path, folder, "summary.json");
    netdp_status status = netdp_i_json_write(summary, path, error);
    json_decref(summary);
    return status;
}

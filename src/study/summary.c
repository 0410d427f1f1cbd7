#include "study/folder.h"

#include <math.h>

#include "base/fail.h"
#include "base/file.h"
#include "protocol/threat.h"

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
static json_t *error_json(const netdp_i_problem *problem, const netdp_i_progress_made *made,
                          int variant, double predicted, int64_t runs)
{
    json_t *objective = mean_json(made->objective[0][variant], made->objective[1][variant], runs);
    json_object_set_new(objective, "predicted",
                        predicted >= 0 ? json_real(predicted) : json_null());
    json_t *errors = json_pack("{s:o}", "objective", objective);
    if (problem->train != NULL) {
        json_object_set_new(
            errors, "accuracy",
            mean_json(made->accuracy[0][variant], made->accuracy[1][variant], runs));
        return errors;
    }
    json_t *columns = json_array();
    const double *square = made->square + variant * problem->width;
    for (int32_t j = 0; j < problem->width; j++)
        json_array_append_new(columns,
                              json_pack("{s:s, s:f, s:f}", "name", problem->column[j], "mean",
                                        problem->truth[j], "rmse", sqrt(square[j] / (double)runs)));
    json_object_set_new(errors, "columns", columns);
    return errors;
}

static json_t *variant_json(const netdp_study *study, const netdp_i_problem *problem,
                            const netdp_i_variant *variant, json_t *errors)
{
    const bool gossip = variant->protocol.mixing != NULL;
    const double nodes = netdp_graph_nodes(problem->graph);
    const int64_t central_rounds = netdp_i_study_learns(study) ? study->task.central_steps : 1;
    const double messages =
        gossip ? 2.0 * (double)netdp_graph_edges(problem->graph) * (double)variant->protocol.rounds
               : 2 * nodes * (double)central_rounds;
    return json_pack(
        "{s:s, s:f, s:o, s:o, s:O, s:o, s:f}", "name", variant->name, "noise", variant->noise,
        "rounds", gossip ? json_integer(variant->protocol.rounds) : json_integer(central_rounds),
        "dither", gossip ? json_real(variant->protocol.dither) : json_null(), "guarantee",
        variant->guarantee, "error", errors, "bytes_sent", 8 * problem->width * messages);
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

/* A number, or its digits where it exceeds what JSON readers keep. */
static json_t *seed_json(uint64_t seed)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)seed);
    return seed <= INT64_MAX ? json_integer((json_int_t)seed) : json_string(digits);
}

netdp_status netdp_i_summary_write(const netdp_study *study, const netdp_i_problem *problem,
                                   const netdp_i_plan *plan, const netdp_i_progress_made *made,
                                   const char *folder, netdp_error *error)
{
    char path[4096], digest[65];
    netdp_i_problem_digest(problem, digest);
    json_t *variants = json_array();
    for (int i = 0; i < NETDP_I_VARIANTS; i++)
        json_array_append_new(variants,
                              variant_json(study, problem, &plan->variant[i],
                                           error_json(problem, made, i, plan->variant[i].predicted,
                                                      study->output.repeat)));
    json_t *summary = json_pack(
        "{s:s, s:s, s:o, s:s, s:{s:s, s:i, s:I}, s:s, s:{s:s, s:I, s:i, s:f, s:s, s:s}, s:s, s:s, "
        "s:o, "
        "s:{s:o, s:f, s:s}, s:I, s:o, s:o}",
        "netdp", netdp_version(), "title", study->title, "seed", seed_json(study->seed),
        "inputs_sha256", digest, "graph", "origin", netdp_graph_origin(problem->graph), "nodes",
        (int)netdp_graph_nodes(problem->graph), "edges",
        (json_int_t)netdp_graph_edges(problem->graph), "mixing", netdp_mixing_name(problem->mixing),
        "data", "sha256", problem->digest, "rows", (json_int_t)problem->rows, "columns",
        (int)problem->width, "sensitivity", problem->sensitivity, "sensitivity_in",
        study->task.clip > 0 ? "units of the data" : "ranges of the columns", "unit",
        study->task.unit, "task", study->task.kind, "protocol", study->protocol.kind, "threat",
        netdp_i_threat_json(study->privacy.sees, study->privacy.own_noise, NULL, 0), "target",
        "epsilon", netdp_i_json_double(study->privacy.epsilon), "delta", study->privacy.delta,
        "over", study->privacy.over == NETDP_OVER_MEAN ? "mean" : "worst", "repeat",
        (json_int_t)study->output.repeat, "variants", variants, "notes", notes_json(problem));
    if (summary == NULL)
        return netdp_i_no_memory(error);
    netdp_i_folder_path(path, folder, "summary.json");
    netdp_status status = netdp_i_json_write(summary, path, error);
    json_decref(summary);
    return status;
}

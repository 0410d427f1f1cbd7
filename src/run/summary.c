#include "run/summary.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "account/walk/given_path.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "base/try.h"
#include "plan/constants.h"
#include "plan/own.h"
#include "plan/tally.h"
#include "protocol/noise.h"
#include "protocol/route.h"
#include "protocol/threat.h"
#include "simulate/gossip.h"
#include "study/assumed.h"
#include "study/protection.h"
#include "study/value.h"

/* {"mean", "standard_error"} of a run's number, from its sums. */
static json_t *mean_json(double sum, double sum_square, int64_t runs)
{
    const double mean = sum / (double)runs;
    const double variance = runs > 1 ? fmax(0, sum_square - sum * mean) / (double)(runs - 1) : 0;
    return json_pack("{s:f, s:o}", "mean", mean, "standard_error",
                     runs > 1 ? json_real(sqrt(variance / (double)runs)) : json_null());
}

/* The objective above its least value, over the runs. */
static json_t *excess_json(const netdp_i_sums *sums, double least, int64_t runs)
{
    json_t *excess = mean_json(sums->objective[0], sums->objective[1], runs);
    json_object_set_new(excess, "mean", json_real(sums->objective[0] / (double)runs - least));
    return excess;
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
        json_object_set_new(objective, "least",
                            isnan(problem->least) ? json_null() : json_real(problem->least));
        if (!isnan(problem->least))
            json_object_set_new(errors, "excess", excess_json(sums, problem->least, runs));
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

/* Directed messages of one run; of walks, the mean over runs. */
static netdp_status count_messages(const netdp_i_variant *variant, const netdp_i_sums *sums,
                                   int64_t runs, double *messages, netdp_error *error)
{
    const int64_t rounds = netdp_i_variant_rounds(variant);
    if (variant->role == NETDP_I_CENTRAL || netdp_i_variant_is_token(variant)) {
        *messages = variant->role == NETDP_I_CENTRAL
                        ? 2 * (double)rounds * netdp_graph_nodes(variant->problem->graph)
                        : sums->messages / (double)runs;
        return NETDP_OK;
    }
    CLEARED(netdp_i_sent_clear)
    netdp_i_sent sent = {0}; /* the network changes in the same way in every run */
    TRY(netdp_i_sent_new(&variant->protocol, &sent, error));
    *messages = netdp_i_sent_after(&sent, rounds);
    if (sent.status != NETDP_OK)
        return netdp_i_fail(error, sent.status, "%s", sent.why.text);
    return NETDP_OK;
}

static void remark(json_t *remarks, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    json_array_append_new(remarks, json_string(text));
}

/* Whose word a weighted walk's law is. */
static void remark_law(const netdp_i_variant *variant, json_t *remarks)
{
    const char *law = variant->study->protocol.law;
    netdp_i_constants constants;
    netdp_error told;
    double epsilon = 0, delta = 0;
    if (netdp_i_constants_read(law, &constants, &told) != NETDP_OK ||
        netdp_i_constants_cost(&constants, variant->study->privacy.delta, &epsilon, &delta,
                               &told) != NETDP_OK)
        return; /* both were right before the run */
    if (constants.kind == NETDP_I_CONSTANTS_NONE)
        remark(remarks,
               "gradients are weighted by 1/(n pi_u); the law %s must be public: what it says of "
               "private data is not in this account",
               netdp_i_problem_weights(variant->problem));
    else if (constants.kind == NETDP_I_CONSTANTS_EXACT)
        remark(remarks, "gradients are weighted by 1/(n pi_u); the law goes by the nodes' own "
                        "constants, which the path tells: no account covers that");
    else
        remark(remarks,
               "gradients are weighted by 1/(n pi_u); the law goes by constants in [%g, %g] that "
               "every node released once (%s): towards everyone epsilon %.4g at delta %g, which "
               "the guarantee has in it",
               constants.low, constants.high, law, epsilon, delta);
}

/* Whose epsilons were accounted for, and what is known of the others'. */
static void remark_drawn(const netdp_i_promise *promise, json_t *remarks)
{
    char drawn[96];
    if (!promise->is.estimate)
        return;
    netdp_i_promise_drawn(promise, drawn);
    if (!isnan(promise->low))
        remark(remarks,
               "%s: an estimate, no guarantee over all pairs, whose mean is within %.4g .. %.4g "
               "(confidence %g %% over the draw); each listed pair's own epsilon holds",
               drawn, promise->low, promise->high, 100 * promise->confidence);
    else
        remark(remarks, "%s: an estimate, no guarantee over all pairs", drawn);
}

/*
 * A mean over pairs says little of those whom a path that all know brings together: said where a
 * mean is what the noise meets, and the worst pair is far above it.
 */
static void remark_route(const netdp_i_variant *variant, json_t *remarks)
{
    const netdp_i_promise *promise = &variant->guarantee;
    const netdp_route *route = variant->token.route;
    if (variant->role != NETDP_I_NETWORK)
        return;
    remark(remarks, "path: public, %s, with seed %llu: the account is of this path alone",
           netdp_i_path_words(route->path), (unsigned long long)route->seed);
    if (variant->study->privacy.over == NETDP_OVER_MEAN && promise->from >= 0 &&
        promise->is.value > NETDP_I_FAR_WORSE * promise->mean)
        remark(remarks,
               "THE WORST PAIR LEARNS FAR MORE THAN THE MEAN: node %d towards node %d %s, the mean "
               "%s (the worst is guaranteed to every pair: privacy.over: worst)",
               (int)promise->from, (int)promise->to, netdp_i_up(promise->is.value, 4).text,
               netdp_i_up(promise->mean, 4).text);
}

static bool counts_on_contraction(const netdp_i_variant *variant)
{
    return netdp_i_study_walks(variant->study) && variant->role == NETDP_I_NETWORK &&
           variant->token.contraction > 0;
}

static void remark_contraction(const netdp_i_variant *variant, json_t *remarks)
{
    if (counts_on_contraction(variant))
        remark(remarks,
               "counts on l2: every step, also of a node over the cap, multiplies the distance of "
               "any two models by %.15g at most (netdp loss --contraction)",
               variant->token.contraction);
}

/* What is neither declared nor covered, though results were made of it. */
static void remark_assumed(const netdp_i_variant *variant, json_t *remarks)
{
    const unsigned assumes = netdp_i_study_assumes(variant->study);
    const char *word;
    char list[128] = "";
    for (int k = 0; (word = netdp_i_assumed_word(assumes, k)) != NULL; k++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", k > 0 ? ", " : "", word);
    if (assumes != 0)
        remark(remarks, "assumed public: %s", list);
    if ((assumes & NETDP_I_ASSUMES_SCALES) != 0)
        remark(remarks, "not covered: the mean and deviation of the training rows by which they "
                        "were standardised");
    if (variant->study->data.missing == NETDP_MISSING_MEAN)
        remark(remarks,
               (assumes & NETDP_I_ASSUMES_SCALES) == 0
                   ? "an empty cell counts as the middle of its column's public range: nothing is "
                     "found from other rows"
                   : "not covered: the means of the training rows, as which empty cells count");
}

/* What is promised of a row, and what its batches and its noise change. */
static void remark_rows(const netdp_i_variant *variant, json_t *remarks)
{
    const netdp_i_problem *problem = variant->problem;
    const netdp_protection protection = netdp_i_study_protection(variant->study);
    char words[256];
    netdp_i_study_unit_words(variant->study, words, sizeof words);
    remark(remarks,
           "protected: %s; how many rows each node holds (%lld to %lld) is public, and rows of the "
           "same person at other nodes, or at the same one, add up",
           words, (long long)problem->least_rows, (long long)problem->most_rows);
    if (protection.change == NETDP_CHANGE_ADD_REMOVE)
        remark(remarks, "a row that is not there counts as 0 (of values: as the middle of their "
                        "range); the number that sums are divided by stays");
    if (protection.batches.kind == NETDP_BATCHES_CYCLIC)
        remark(remarks,
               "each node deals its rows once into %lld batches: a row takes part in at most %lld "
               "of the %lld phases",
               (long long)protection.batches.count,
               (long long)netdp_linear_participations(&variant->protocol),
               (long long)netdp_linear_contributions(&variant->protocol));
    if (variant->kind == NETDP_GOSSIP && netdp_quiet_is(&variant->protocol.quiet))
        remark(remarks,
               "noise is correlated over phases (%s), so that it adds up to less: the guarantee is "
               "of all phases together, and noise that is drawn again or reused has none",
               variant->study->question.quiet);
    if (protection.batches.kind == NETDP_BATCHES_POISSON)
        remark(remarks,
               "in every phase each row takes part with probability %g, and only its own node "
               "knows whether it did: towards who learns that there is no such guarantee",
               protection.batches.rate);
}

/* What rows as the unit assume, and what batches do to it. */
static void remark_unit(const netdp_i_variant *variant, json_t *remarks)
{
    const netdp_i_problem *problem = variant->problem;
    const netdp_protection protection = netdp_i_study_protection(variant->study);
    if (variant->study->task.mean_over_rows)
        remark(remarks, "nodes count by their rows: the result is that of all rows alike");
    else if (problem->least_rows + 1 < problem->most_rows && !netdp_i_study_tallies(variant->study))
        remark(remarks, "every node counts the same, whatever it holds: the result is a mean over "
                        "nodes, not over rows (task.mean_over: rows)");
    remark_assumed(variant, remarks);
    if (variant->study->task.local > 1)
        remark(remarks,
               "a step is taken in %lld parts, each a clipped gradient at the model so far: "
               "together they weigh what one does",
               (long long)variant->study->task.local);
    if (variant->study->task.momentum > 0)
        remark(remarks,
               "momentum %g is that of the models that were released at the ends of phases",
               variant->study->task.momentum);
    if (variant->study->data.onehot)
        remark(remarks,
               "each value that the study lists for a category is a feature, 0 or 1; a cell that "
               "is none of them%s counts as 0 in all of these: the lists are public, and no value "
               "is found from the rows",
               variant->study->data.missing == NETDP_MISSING_MEAN ? ", or is empty," : "");
    if (protection.protects != NETDP_PROTECTS_ROW) {
        if (variant->study->task.mean_over_rows || protection.batches.kind != NETDP_BATCHES_FULL)
            remark(remarks,
                   "how many rows each node holds (%lld to %lld) is public, and stays when its "
                   "data are replaced",
                   (long long)problem->least_rows, (long long)problem->most_rows);
        return;
    }
    remark_rows(variant, remarks);
}

/* Nodes that want more: the table has everybody's noise. */
static void remark_own(const netdp_i_variant *variant, json_t *remarks)
{
    double most = 1;
    int32_t count = 0;
    for (int32_t v = 0; variant->own != NULL && v < netdp_graph_nodes(variant->problem->graph);
         v++) {
        count += variant->own[v] > 1;
        most = fmax(most, variant->own[v]);
    }
    if (count == 1)
        remark(remarks, "one node adds more noise than the table says: %.3g times as much", most);
    else if (count > 1)
        remark(remarks, "%d nodes add more noise than the table says, up to %.3g times as much",
               (int)count, most);
}

static void remark_walk(const netdp_i_variant *variant, json_t *remarks)
{
    if (variant->token.weighted)
        remark_law(variant, remarks);
    if (variant->token.route != NULL)
        remark_route(variant, remarks);
    remark_contraction(variant, remarks);
    if (netdp_i_plan_walk_is_weighted(variant))
        remark(
            remarks,
            "%s visits nodes unequally: the result is a mean weighted by how often it visits them",
            netdp_i_problem_weights(variant->problem));
}

/*
 * Values of the declared variance V, at worst along the slowest direction of W: after T rounds
 * V (1 - gap)^(2 T) of them is left, in units of Delta^2. Where that is more than the noise leaves there
 * is a remark; no value of a row is looked at.
 */
static void remark_auto(const netdp_i_variant *variant, json_t *remarks)
{
    const netdp_study *study = variant->study;
    const netdp_linear *protocol = &variant->protocol;
    const double variance = study->question.variance,
                 n = netdp_graph_nodes(variant->problem->graph);
    const double gap = variant->problem->gap;
    if (study->protocol.rounds != 0 || study->protocol.phases > 0 || protocol->accelerate ||
        protocol->varying.kind != NETDP_VARY_NEVER || variant->expected < 0 || !(gap > 0))
        return;
    const double unit = variant->problem->width * pow(variant->problem->sensitivity, 2);
    const double left = variance * pow(1 - gap, 2 * (double)protocol->rounds);
    const double noise = 2 * variant->expected / unit;
    if (!(left > noise))
        return;
    remark(remarks,
           "rounds: auto is paper C's number for accelerated gossip: after these %lld rounds nodes "
           "may be up to %.3g Delta from the mean (root mean square), for %.3g by the noise; give "
           "accelerate: true, or about %.0f rounds",
           (long long)protocol->rounds, sqrt(left), sqrt(noise),
           ceil(log(variance * n / pow(variant->noise, 2)) / (-2 * log1p(-gap))));
}

static void remark_gossip(const netdp_i_variant *variant, json_t *remarks)
{
    remark_auto(variant, remarks);
    const netdp_variation *varying = &variant->protocol.varying;
    const netdp_i_promise *promise = &variant->guarantee;
    char left[NETDP_I_LEFT_ROOM];
    if (promise->leaves &&
        netdp_i_pairs_left_warning(&variant->protocol, &promise->left, promise->left_rounds, left))
        remark(remarks, "%s", left);
    if (varying->kind != NETDP_VARY_NEVER && varying->kind != NETDP_VARY_PEER)
        remark(remarks,
               "%s, drawn with the study's seed before the runs: the account is of this draw, "
               "which everybody may know",
               varying->kind == NETDP_VARY_LATE
                   ? "nodes fail after their partners have added their halves"
                   : "the network changes from round to round");
    if (varying->revealed)
        remark(remarks,
               "partners reveal what they shared with nodes that failed; whoever can have a living "
               "node taken for failed learns its value under its own noise alone (local)");
}

static void remark_tally(const netdp_i_variant *variant, json_t *remarks)
{
    (void)variant;
    (void)remarks; /* the guarantee says it all */
}

/* What a reader of the variant's numbers must know, as sentences. */
static json_t *remarks_json(const netdp_i_variant *variant)
{
    static void (*const remarks_of[])(const netdp_i_variant *, json_t *) = {
        [NETDP_GOSSIP] = remark_gossip, [NETDP_WALK] = remark_walk, [NETDP_TALLY] = remark_tally};
    json_t *remarks = json_array();
    const netdp_i_promise *promise = &variant->guarantee;
    if (!promise->is.sound && !promise->is.estimate)
        remark(remarks,
               "bound %s is not an upper bound: its epsilons, and the noise that meets them, are "
               "no guarantee",
               promise->is.bound);
    if (variant->why[0] != '\0')
        remark(remarks, "bound local: %s", variant->why);
    remarks_of[variant->kind](variant, remarks);
    remark_own(variant, remarks);
    remark_drawn(promise, remarks);
    remark_unit(variant, remarks);
    if (variant->study->data.radius > 0)
        remark(remarks,
               "rows are projected onto the ball of radius %g (data.radius) before anything is "
               "learnt from them",
               variant->study->data.radius);
    return remarks;
}

/* What one variant's runs gave, for the experimenter. */
static netdp_status private_variant(const netdp_i_variant *variant, const netdp_i_sums *sums,
                                    int64_t runs, json_t **made, netdp_error *error)
{
    json_t *released = NULL;
    if (variant->role == NETDP_I_NETWORK && variant->kind == NETDP_TALLY)
        TRY(netdp_i_plan_tally_released(variant, &released, error));
    json_t *told =
        json_pack("{s:s, s:o}", "name", variant->name, "error", error_json(variant, sums, runs));
    if (released != NULL && json_object_set_new(told, "released", released) != 0) {
        json_decref(told);
        told = NULL;
    }
    *made = told;
    return told != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

/* What the dither is besides: its decay, and the noise at the end of a phase. */
static void add_dither(json_t *told, const netdp_noise *noise)
{
    netdp_i_noise_show(noise,
                       (noise->decay > 0 ? NETDP_SETTING_DITHER_DECAY : 0U) |
                           (noise->end > 0 ? NETDP_SETTING_END_DITHER : 0U),
                       told);
}

/* What its number `noise` is, where that is no sigma. */
static void add_mechanism(json_t *told, const netdp_i_variant *variant)
{
    if (variant->laplace)
        json_object_set_new(told, "mechanism", json_string("laplace"));
    if (variant->role == NETDP_I_CENTRAL || variant->kind != NETDP_TALLY)
        return;
    if (variant->tally.mechanism == NETDP_RANDOMISED_RESPONSE)
        json_object_set_new(told, "mechanism", json_string("randomised response"));
    else if (variant->tally.mechanism == NETDP_LAPLACE)
        json_object_set_new(told, "mechanism", json_string("laplace"));
}

static netdp_status variant_json(const netdp_i_variant *variant, const netdp_i_sums *sums,
                                 int64_t runs, json_t **made, netdp_error *error)
{
    const bool gossip = variant->role != NETDP_I_CENTRAL && !netdp_i_variant_is_token(variant);
    json_t *contributions = NULL, *remarks = NULL, *law = NULL;
    double messages = 0;
    TRY(count_messages(variant, sums, runs, &messages, error));
    if (variant->kind == NETDP_WALK)
        TRY(netdp_i_plan_walk_contributions(variant, &sums->contributions, runs, &contributions,
                                            error));
    if (variant->role == NETDP_I_NETWORK && variant->problem->released != NULL) {
        char file[24];
        netdp_i_plan_constants(variant, file);
        TRY(netdp_i_constants_json(variant->study, file, &law, error));
    }
    json_t *told =
        json_pack("{s:s, s:f, s:I, s:o, s:o, s:o, s:f}", "name", variant->name, "noise",
                  variant->noise, "rounds", (json_int_t)netdp_i_variant_rounds(variant), "dither",
                  gossip ? json_real(variant->protocol.noise.dither) : json_null(), "guarantee",
                  netdp_i_promise_json(&variant->guarantee), "expected",
                  variant->expected >= 0 ? json_real(variant->expected) : json_null(), "bytes_sent",
                  8 * variant->problem->width * messages);
    if (gossip && variant->study->protocol.phases > 0) /* what rounds: auto found */
        json_object_set_new(told, "inner", json_integer(variant->protocol.every));
    if (gossip)
        add_dither(told, &variant->protocol.noise);
    if (variant->own != NULL)
        json_object_set_new(told, "more_noise", netdp_i_own_told(variant));
    add_mechanism(told, variant);
    if (counts_on_contraction(variant))
        json_object_set_new(told, "contraction", json_real(variant->token.contraction));
    if (contributions != NULL)
        json_object_set_new(told, "contributions", contributions);
    if (law != NULL)
        json_object_set_new(told, "law", law);
    if (variant->role == NETDP_I_NETWORK && (remarks = remarks_json(variant)) != NULL) {
        if (json_array_size(remarks) > 0)
            json_object_set(told, "remarks", remarks);
        json_decref(remarks);
    }
    *made = told;
    return told != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

/* "hastings:weights.txt" of "hastings:/home/me/weights.txt": where a file lies is for nobody else.
 */
static json_t *without_path(const char *text)
{
    const char *slash = strrchr(text, '/'), *colon = strchr(text, ':');
    if (slash == NULL)
        return json_string(text);
    return colon != NULL && colon < slash
               ? json_sprintf("%.*s%s", (int)(colon + 1 - text), text, slash + 1)
               : json_string(slash + 1);
}

static json_t *graph_json(const netdp_i_problem *problem)
{
    return json_pack(
        "{s:o, s:i, s:I}", "origin", without_path(netdp_graph_origin(problem->graph)), "nodes",
        (int)netdp_graph_nodes(problem->graph), "edges",
        (json_int_t)(problem->edges > 0 ? problem->edges : netdp_graph_edges(problem->graph)));
}

static json_t *target_json(const netdp_study *study)
{
    if (study->privacy.noise > 0)
        return json_null(); /* the noise is given */
    return json_pack("{s:o, s:o, s:s}", "epsilon", netdp_i_json_double(study->privacy.epsilon),
                     "delta",
                     study->privacy.delta > 0 ? json_real(study->privacy.delta) : json_null(),
                     "over", study->privacy.over == NETDP_OVER_MEAN ? "mean" : "worst");
}

static json_t *threat_json(const netdp_i_variant *variant)
{
    const netdp_study *study = variant->study;
    netdp_threat threat = netdp_i_variant_planning(variant)->threat(variant);
    char words[256];
    netdp_i_study_unit_words(study, words, sizeof words);
    threat.protects = words;
    json_t *told = netdp_i_threat_json(&threat, variant->observer, variant->observer_count);
    if (!netdp_i_variant_is_token(variant) && study->privacy.pool > 1)
        json_object_set_new(told, "pool", json_integer(study->privacy.pool));
    return told;
}

static void set_override(json_t *overrides, const char *key, json_t *value)
{
    json_object_set_new(overrides, key,
                        json_is_string(value) ? without_path(json_string_value(value))
                                              : json_incref(value));
    json_decref(value);
}

/* The keys in which a variant differs from its base, with the values that it has. */
static json_t *overrides_json(const netdp_study *base, const netdp_study *study)
{
    json_t *overrides = json_object();
    for (int k = 0; overrides != NULL && k < NETDP_I_KEYS; k++) {
        const netdp_i_key *key = &netdp_i_keys[k];
        const bool there =
            !netdp_i_value_absent(study, key) || netdp_i_key_rule(key)->kind == NETDP_I_KEY_COLUMNS;
        if (there && !netdp_i_value_equal(base, study, key))
            set_override(overrides, key->name, netdp_i_value_json(study, key));
    }
    return overrides;
}

static json_t *notes_json(const netdp_i_problem *problem)
{
    const netdp_graph_notes *notes = &problem->notes;
    return json_pack("{s:I, s:I, s:I, s:I, s:I}", "self_loops_dropped",
                     (json_int_t)notes->self_loops, "repeated_edges_dropped",
                     (json_int_t)notes->repeats, "weights_ignored", (json_int_t)notes->weights,
                     "nodes_outside_giant_component", (json_int_t)notes->outside, "graph_redraws",
                     (json_int_t)notes->redraws);
}

/* The same of the data. */
static json_t *private_notes(const netdp_i_problem *problem)
{
    const netdp_preparation_notes *p = &problem->prepared;
    const struct {
        const char *key;
        int64_t count;
    } some[] = {{"rows_incomplete", p->missing}, {"cells_filled", p->filled},
                {"cells_unlisted", p->unlisted}, {"rows_unlabelled", p->unlabelled},
                {"rows_absent", p->absent},      {"rows_beyond", p->beyond}};
    json_t *notes = json_pack("{s:I, s:I}", "rows_clipped", (json_int_t)problem->clipped,
                              "constant_columns_dropped", (json_int_t)p->dropped);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        if (some[i].count > 0)
            json_object_set_new(notes, some[i].key, json_integer(some[i].count));
    return notes;
}

/* What is neither declared nor independent of the rows; no key where there is nothing. */
static void add_assumed(json_t *told, const netdp_study *study)
{
    const unsigned assumes = netdp_i_study_assumes(study);
    json_t *list = assumes != 0 ? json_array() : NULL;
    for (int k = 0; list != NULL && netdp_i_assumed_word(assumes, k) != NULL; k++)
        json_array_append_new(list, json_string(netdp_i_assumed_word(assumes, k)));
    if (list != NULL)
        json_object_set_new(told, "assumed_public", list);
}

/* What a listed variant has of its own: all that the summary says of the study, in its place. */
static void add_own(json_t *told, const netdp_study *base, const netdp_i_variant *variant)
{
    const netdp_study *study = variant->study;
    json_object_set_new(told, "overrides", overrides_json(base, study));
    json_object_set_new(told, "losses", json_string(variant->losses));
    json_object_set_new(told, "graph", graph_json(variant->problem));
    json_object_set_new(told, "mixing", without_path(netdp_i_problem_weights(variant->problem)));
    json_object_set_new(told, "sensitivity", json_real(variant->problem->sensitivity));
    json_object_set_new(told, "protocol", json_string(study->protocol.kind));
    json_object_set_new(told, "threat", threat_json(variant));
    add_assumed(told, study);
    json_object_set_new(told, "target", target_json(study));
    json_object_set_new(told, "notes", notes_json(variant->problem));
}

/* A variant of a sweep says which curve it belongs to, and the value. */
static void add_swept(json_t *told, const netdp_i_variation *variation)
{
    if (variation->curve == NULL)
        return;
    json_object_set_new(told, "curve", json_string(variation->curve));
    json_object_set_new(told, "at", json_string(variation->at));
}

static netdp_status variants_json(const netdp_study *study, const netdp_i_plan *plan,
                                  const netdp_i_progress_made *made, json_t **list,
                                  netdp_error *error)
{
    OWNED_BY(json_decref) json_t *variants = json_array();
    NEED(variants);
    for (int32_t i = 0; i < plan->count; i++) {
        const netdp_i_variant *variant = &plan->variant[i];
        json_t *told = NULL;
        TRY(variant_json(variant, &made->sums[i], study->output.repeat, &told, error));
        if (study->variation_count > 0 && variant->role == NETDP_I_NETWORK) {
            add_own(told, study, variant);
            add_swept(told, &study->variation[i - NETDP_I_NETWORK]);
        }
        json_array_append_new(variants, told);
    }
    *list = GIVE(variants);
    return NETDP_OK;
}

/* A number, or its digits where it exceeds what JSON readers keep. */
json_t *netdp_i_seed_json(uint64_t seed)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)seed);
    return seed <= INT64_MAX ? json_integer((json_int_t)seed) : json_string(digits);
}

netdp_status netdp_i_summary_write(const netdp_study *study, const netdp_i_problems *problems,
                                   const netdp_i_plan *plan, const netdp_i_progress_made *made,
                                   const char *folder, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    const netdp_i_problem *problem = problems->made[0];
    /* Of the study's own protocol: the baseline's, where variants take its place. */
    const netdp_i_variant *own = &plan->variant[NETDP_I_LOCAL];
    json_t *variants = NULL;
    TRY(variants_json(study, plan, made, &variants, error));
    OWNED_BY(json_decref)
    json_t *summary = json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:{s:i, s:f, s:s, s:s}, s:s, s:s, s:o, s:o, s:I, s:o, s:o}",
        "netdp", netdp_version(), "title", study->title, "simulation", NETDP_I_SIMULATION, "graph",
        graph_json(problem), "mixing", without_path(netdp_i_problem_weights(problem)), "data",
        "columns", (int)problem->width, "sensitivity", problem->sensitivity, "sensitivity_in",
        study->task.clip > 0 ? "units of the data" : "ranges of the columns", "unit",
        study->task.unit, "task", study->task.kind, "protocol", study->protocol.kind, "threat",
        threat_json(own), "target", target_json(study), "repeat", (json_int_t)study->output.repeat,
        "variants", variants, "notes", notes_json(problem));
    NEED(summary);
    add_assumed(summary, study);
    netdp_i_file_path(path, folder, "summary.json");
    return netdp_i_json_write(summary, path, error);
}

static netdp_status private_variants(const netdp_study *study, const netdp_i_plan *plan,
                                     const netdp_i_progress_made *made, json_t *list,
                                     netdp_error *error)
{
    NEED(list);
    for (int32_t i = 0; i < plan->count; i++) {
        const netdp_i_variant *variant = &plan->variant[i];
        OWNED_BY(json_decref) json_t *told = NULL;
        TRY(private_variant(variant, &made->sums[i], study->output.repeat, &told, error));
        if (study->variation_count > 0 && variant->role == NETDP_I_NETWORK &&
            json_object_set_new(told, "notes", private_notes(variant->problem)) != 0)
            return netdp_i_no_memory(error);
        if (json_array_append_new(list, GIVE(told)) != 0)
            return netdp_i_no_memory(error);
    }
    return NETDP_OK;
}

netdp_status netdp_i_private_write(const netdp_study *study, const netdp_i_problems *problems,
                                   const netdp_i_plan *plan, const netdp_i_progress_made *made,
                                   const char *folder, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM], digest[65];
    const netdp_i_problem *problem = problems->made[0];
    netdp_i_output output;
    OWNED_BY(json_decref) json_t *variants = json_array();
    TRY(private_variants(study, plan, made, variants, error));
    netdp_i_problems_digest(problems, digest);
    OWNED_BY(json_decref)
    json_t *private =
        json_pack("{s:s, s:s, s:o, s:s, s:{s:s, s:I}, s:O, s:o}", "private",
                  "computed from the data without noise, or with noise that the seed removes: for "
                  "the experimenter alone",
                  "simulation", NETDP_I_SIMULATION, "seed", netdp_i_seed_json(study->seed),
                  "inputs_sha256", digest, "data", "sha256", problem->digest, "rows",
                  (json_int_t)problem->rows, "variants", variants, "notes", private_notes(problem));
    NEED(private);
    netdp_i_file_path(path, folder, "private.json");
    TRY(netdp_i_output_open_private(&output, path, error));
    return netdp_i_json_commit(private, &output, error);
}

json_t *netdp_i_account_json(const netdp_study *study, int32_t index,
                             const netdp_i_variant *variant)
{
    const bool gossip = !netdp_i_variant_is_token(variant);
    json_t *told =
        json_pack("{s:s, s:f, s:I, s:o, s:o, s:o}", "name", variant->name, "noise", variant->noise,
                  "rounds", (json_int_t)netdp_i_variant_rounds(variant), "dither",
                  gossip ? json_real(variant->protocol.noise.dither) : json_null(), "predicted",
                  variant->predicted >= 0 ? json_real(variant->predicted) : json_null(),
                  "guarantee", netdp_i_promise_json(&variant->guarantee));
    json_t *remarks = remarks_json(variant);
    if (told == NULL || remarks == NULL) {
        json_decref(told);
        json_decref(remarks);
        return NULL;
    }
    if (json_array_size(remarks) > 0)
        json_object_set(told, "remarks", remarks);
    json_decref(remarks);
    if (gossip)
        add_dither(told, &variant->protocol.noise);
    add_mechanism(told, variant);
    add_own(told, study, variant);
    if (study->variation_count > 0)
        add_swept(told, &study->variation[index]);
    return told;
}

netdp_status netdp_i_account_summary_write(const netdp_study *study,
                                           const netdp_i_problems *problems, json_t *variants,
                                           const char *folder, netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM], digest[65]; /* of graphs: there are no data */
    netdp_i_problems_digest(problems, digest);
    OWNED_BY(json_decref)
    json_t *summary =
        json_pack("{s:s, s:s, s:o, s:s, s:s, s:O}", "netdp", netdp_version(), "title", study->title,
                  "seed", netdp_i_seed_json(study->seed), "inputs_sha256", digest, "task",
                  study->task.kind, "variants", variants);
    NEED(summary);
    netdp_i_file_path(path, folder, "summary.json");
    return netdp_i_json_write(summary, path, error);
}

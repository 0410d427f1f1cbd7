#include "plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netdp/noise.h>
#include <netdp/random.h>
#include <netdp/simulate.h>

#include "account/losses/label.h"
#include "account/losses/losses.h"
#include "account/losses/pairs.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "plan/constants.h"
#include "plan/realised.h"
#include "plan/sample.h"
#include "plan/tally.h"
#include "plan/walk.h"
#include "protocol/pairing.h"
#include "protocol/quiet.h"
#include "protocol/pattern.h"
#include "study/protection.h"

/* Above this many pairs the losses go into loss.npy instead of loss.csv. */
#define CSV_PAIRS 10000

void netdp_i_plan_clear(netdp_i_plan *plan)
{
    for (int32_t i = 0; i < plan->count; i++)
        netdp_i_variant_clear(&plan->variant[i]);
    netdp_i_free(plan->variant);
    *plan = (netdp_i_plan){0};
}

void netdp_i_variant_clear(netdp_i_variant *variant)
{
    netdp_i_promise_clear(&variant->guarantee);
    netdp_i_free(variant->observer);
    netdp_i_free(variant->source);
    netdp_i_free(variant->pattern);
    netdp_graph_free(variant->pairs);
    netdp_i_free(variant->quiet);
}

netdp_unit netdp_i_study_unit(const netdp_study *study)
{
    netdp_unit unit = {NETDP_AS_DP, study->privacy.delta};
    netdp_error ignored;
    if (study->privacy.as != NULL &&
        netdp_unit_parse(study->privacy.as, &unit, &ignored) != NETDP_OK)
        return (netdp_unit){NETDP_AS_DP, study->privacy.delta}; /* refused when it was read */
    return unit;
}

int64_t netdp_i_variant_rounds(const netdp_i_variant *variant)
{
    const netdp_study *study = variant->study;
    if (variant->role == NETDP_I_CENTRAL)
        return netdp_i_study_learns(study) ? study->task.central_steps : 1;
    if (variant->tally.nodes > 0)
        return study->protocol.rounds > 0 ? study->protocol.rounds
                                          : netdp_tally_steps(&variant->tally);
    return variant->token.law != NULL ? variant->token.steps : variant->protocol.rounds;
}

bool netdp_i_variant_is_token(const netdp_i_variant *variant)
{
    return variant->role != NETDP_I_CENTRAL &&
           (variant->token.law != NULL || variant->tally.nodes > 0);
}

/* The classes by distance that have pairs. */
static netdp_status list_classes(const netdp_i_pairs *pairs, netdp_i_promise *promise,
                                 netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(pairs->graph);
    int32_t count = 0;
    netdp_i_class *classes = NETDP_I_NEW(netdp_i_class, (int64_t)n + 1);
    if (classes == NULL)
        return netdp_i_no_memory(error);
    netdp_i_classes_add(classes, pairs);
    netdp_i_classes_end(classes, n);
    for (int32_t d = 1; d <= n; d++)
        if (classes[d].pairs > 0)
            classes[count++] = classes[d];
    promise->class = classes;
    promise->classes = count;
    return NETDP_OK;
}

static netdp_status write_losses(const netdp_i_pairs *pairs, const char *folder, const char *name,
                                 netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM];
    const netdp_losses *losses = pairs->batch.losses;
    const bool csv = (int64_t)losses->from_count * losses->to_count <= CSV_PAIRS;
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, csv ? "csv" : "npy");
    if (!csv)
        return netdp_i_npy_write(losses->loss, losses->from_count, losses->to_count, path, error);
    netdp_i_output output;
    netdp_status status = netdp_i_output_open(&output, path, error);
    if (status != NETDP_OK)
        return status;
    netdp_i_pairs_csv_begin(output.stream, losses, pairs->unit);
    netdp_i_pairs_csv(output.stream, pairs, 0, (int64_t)losses->from_count * losses->to_count);
    return netdp_i_output_commit(&output, error);
}

/* The same towards everyone: central (no losses: one release) and local. */
static netdp_i_promise promise_everyone(const netdp_losses *losses, double epsilon, double delta)
{
    static const netdp_bound_info trusted = {.name = "trusted aggregator", .sound = true};
    const netdp_unit unit = {NETDP_AS_DP, delta};
    netdp_i_promise made = {
        .everyone = true, .mean = epsilon, .local = epsilon, .from = -1, .to = -1};
    if (losses != NULL) {
        netdp_losses_guarantee(losses, epsilon, unit, &made.is);
    } else {
        made.is = netdp_i_guarantee_by(&trusted, (netdp_i_case){.outward = true});
        made.is.value = epsilon;
        made.is.unit = unit;
    }
    return made;
}

/* From all coalitions of the pool: among how few somebody is hidden at least. */
static netdp_status find_hiding(const netdp_i_variant *variant, netdp_i_hiding *hiding,
                                netdp_error *error)
{
    const netdp_graph *graph = variant->protocol.pairing.graph;
    const int32_t pool = (int32_t)variant->study->privacy.pool;
    int32_t *member = NULL;
    int64_t count = 0;
    netdp_status status =
        netdp_i_coalitions_new(netdp_graph_nodes(graph), pool, &member, &count, error);
    for (int64_t c = 0; status == NETDP_OK && c < count; c++) {
        netdp_i_hiding one;
        status = netdp_i_pairing_hiding(graph, member + c * pool, pool, true, &one, error);
        if (status == NETDP_OK && (c == 0 || one.least < hiding->least))
            *hiding = one;
    }
    netdp_i_free(member);
    return status;
}

/* What noise in pairs can do, on the promise. */
static netdp_status tell_pairs(const netdp_i_variant *variant, netdp_i_promise *promise,
                               netdp_error *error)
{
    const netdp_pairing *pairing = &variant->protocol.pairing;
    netdp_i_hiding hiding;
    if (!netdp_pairing_is(pairing))
        return NETDP_OK;
    netdp_status status =
        variant->study->privacy.pool > 1
            ? find_hiding(variant, &hiding, error)
            : netdp_i_pairing_hiding(pairing->graph, variant->observer, variant->observer_count,
                                     false, &hiding, error);
    if (status != NETDP_OK)
        return status;
    netdp_i_pairing_words(pairing, &hiding, promise->says);
    promise->pairs = netdp_graph_origin(pairing->graph);
    promise->pair_count = netdp_graph_edges(pairing->graph);
    promise->pair_noise = pairing->noise;
    promise->hidden_among = hiding.least;
    promise->partners = hiding.partners;
    return NETDP_OK;
}

netdp_status netdp_i_variant_guarantee(const netdp_i_variant *variant, const netdp_losses *losses,
                                       const netdp_summary *achieved, const char *folder,
                                       netdp_i_promise *promise, netdp_error *error)
{
    const netdp_unit unit = netdp_i_study_unit(variant->study);
    netdp_i_promise made = {.mean = achieved->mean,
                            .local = achieved->local,
                            .from = achieved->worst_from,
                            .to = achieved->worst_to,
                            .given_count = losses->given_count};
    netdp_i_pairs pairs = {0};
    const netdp_i_batch all = netdp_i_batch_whole(losses);
    netdp_status status = netdp_i_pairs_new(variant->problem->graph, &all, true, variant->noise,
                                            unit, NULL, &pairs, error);
    if (status == NETDP_OK && folder != NULL)
        status = write_losses(&pairs, folder, variant->losses, error);
    if (status == NETDP_OK)
        status = list_classes(&pairs, &made, error);
    netdp_i_pairs_clear(&pairs);
    if (status == NETDP_OK)
        status = tell_pairs(variant, &made, error);
    if (status != NETDP_OK) {
        netdp_i_promise_clear(&made);
        return status;
    }
    netdp_losses_guarantee(losses, achieved->max, unit, &made.is);
    memcpy(made.given, losses->given, sizeof made.given);
    memcpy(made.why, variant->why, sizeof made.why);
    netdp_i_sample_tell(variant, achieved, &made);
    *promise = made;
    return NETDP_OK;
}

/* Half the mean squared error without noise: what the rounds have not mixed yet. */
static netdp_status unmixed_error(const netdp_i_problem *problem, const netdp_linear *protocol,
                                  double *objective, netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(problem->graph), d = problem->width;
    double *result = NETDP_I_NEW(double, (int64_t)n *d);
    if (result == NULL)
        return netdp_i_no_memory(error);
    netdp_status status = netdp_simulate(protocol, 0, problem->values, d, (netdp_run_seed){0, 0},
                                         (netdp_tracing){.every = 1}, result, error);
    double sum = 0;
    for (int32_t j = 0; status == NETDP_OK && j < d; j++) {
        const double truth = (problem->truth[j] - problem->low[j]) / problem->scale[j];
        for (int64_t u = 0; u < n; u++)
            sum += (result[u * d + j] - truth) * (result[u * d + j] - truth);
    }
    netdp_i_free(result);
    *objective = sum / (2.0 * n);
    return status;
}

/* The objective that the simulation must show: exact up to NETDP_DENSE_NODES nodes, above and of
 * walks -1 (unknown). */
static netdp_status predict_error(netdp_i_variant *variant, netdp_error *error)
{
    const netdp_i_problem *problem = variant->problem;
    variant->predicted = variant->expected = -1;
    if (problem->train != NULL || netdp_i_study_accounts(variant->study) ||
        (variant->role != NETDP_I_CENTRAL && variant->token.law != NULL))
        return NETDP_OK;
    const double n = netdp_graph_nodes(problem->graph);
    const double scale = variant->noise * (variant->role == NETDP_I_CENTRAL ? problem->central
                                                                            : problem->sensitivity);
    if (variant->role == NETDP_I_CENTRAL) {
        variant->predicted = variant->expected = problem->width * scale * scale / (2 * n * n);
        return NETDP_OK;
    }
    if (variant->tally.nodes > 0) {
        variant->predicted = variant->expected = netdp_i_plan_tally_predict(variant);
        return NETDP_OK;
    }
    if (n > NETDP_DENSE_NODES)
        return NETDP_OK;
    double unmixed = 0, noise = 0;
    netdp_status status = unmixed_error(problem, &variant->protocol, &unmixed, error);
    if (status == NETDP_OK)
        status = netdp_noise_error(&variant->protocol, &noise, error);
    if (status == NETDP_OK) {
        variant->expected = problem->width * scale * scale * noise;
        variant->predicted = unmixed + variant->expected;
    }
    return status;
}

/* The most rounds that a study may ask for. */
#define MOST_ROUNDS 1000000000

static int ascending(const void *a, const void *b)
{
    const int32_t one = *(const int32_t *)a, other = *(const int32_t *)b;
    return (one > other) - (one < other);
}

/* So many nodes, the same for every variant on the same number of nodes; count 0: all. */
static netdp_status draw_nodes(const netdp_i_variant *variant, const char *key, int64_t asked,
                               uint32_t purpose, int32_t *count, int32_t **drawn,
                               netdp_error *error)
{
    const netdp_study *study = variant->study;
    const int32_t n = netdp_graph_nodes(variant->problem->graph);
    if (asked > n && !netdp_i_study_realises(study))
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: %s: %lld of a graph of %d nodes; give fewer, or all", study->path,
                            key, (long long)asked, (int)n);
    if (asked == 0 || asked >= n)
        return NETDP_OK;
    int32_t *node = NETDP_I_NEW(int32_t, n);
    if (node == NULL)
        return netdp_i_no_memory(error);
    netdp_stream stream = netdp_stream_at(study->seed, NETDP_FOR_PROBE, purpose, 0);
    for (int32_t i = 0; i < n; i++)
        node[i] = i;
    for (int32_t i = 0; i < asked; i++) {
        const int32_t other = i + (int32_t)netdp_stream_below(&stream, (uint64_t)(n - i));
        const int32_t kept = node[i];
        node[i] = node[other];
        node[other] = kept;
    }
    qsort(node, (size_t)asked, sizeof *node, ascending);
    *drawn = node;
    *count = (int32_t)asked;
    return NETDP_OK;
}

/* Who learns, and about whom; the local baseline is about everybody. Purpose 0: spectra. */
static netdp_status draw_pairs(netdp_i_variant *variant, netdp_error *error)
{
    const netdp_study *study = variant->study;
    netdp_status status = draw_nodes(variant, "privacy.observers", study->privacy.observers, 1,
                                     &variant->observer_count, &variant->observer, error);
    if (status == NETDP_OK && variant->role == NETDP_I_NETWORK)
        status = draw_nodes(variant, "privacy.sources", study->privacy.sources, 4,
                            &variant->source_count, &variant->source, error);
    return status;
}

/* How the study's network changes, drawn with its seed. */
static netdp_status describe_varying(const netdp_i_variant *variant, netdp_settings *settings,
                                     netdp_error *error)
{
    const netdp_study *study = variant->study;
    const bool phase = strcmp(study->protocol.redraw, "phase") == 0;
    settings->varying.seed = study->seed;
    netdp_status status =
        netdp_variation_dropout(study->protocol.dropout, &settings->varying, error);
    if (status == NETDP_OK && strcmp(study->protocol.redraw, "never") != 0)
        status = netdp_variation_redraw(variant->problem->graph, phase ? settings->inner : 1,
                                        &settings->varying, error);
    return status;
}

/* What the study gives, or for auto something to begin with. */
static double given_or(double value, double usual)
{
    return value >= 0 ? value : usual;
}

/* Who shares noise that cancels in the sum; local differential privacy does without. */
static netdp_status describe_pairs(netdp_i_variant *variant, netdp_pairing *pairing,
                                   netdp_error *error)
{
    const netdp_study *study = variant->study;
    const char *name = study->privacy.pair_graph;
    if (name == NULL && study->privacy.pair_noise != 0)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: privacy.pair_noise: who shares it? give privacy.pair_graph, such "
                            "as edges",
                            study->path);
    if (name == NULL || variant->role != NETDP_I_NETWORK)
        return NETDP_OK;
    const netdp_graph *pairs = variant->problem->pairs; /* of a file */
    if (pairs == NULL) {
        netdp_graph_free(variant->pairs);
        variant->pairs = NULL;
        netdp_status status = netdp_pairing_graph(name, variant->problem->graph,
                                                  study->privacy.pair_seed, &variant->pairs, error);
        if (status != NETDP_OK)
            return status;
        pairs = variant->pairs;
    }
    *pairing = (netdp_pairing){pairs, given_or(study->privacy.pair_noise, 10)};
    return NETDP_OK;
}

/* Noise correlated over phases; baselines have fresh noise. */
static netdp_status describe_quiet(netdp_i_variant *variant, const netdp_protocol *named,
                                   netdp_settings *settings, netdp_error *error)
{
    const char *name = variant->study->privacy.quiet;
    netdp_quiet_kind kind;
    netdp_i_free(variant->quiet);
    variant->quiet = NULL;
    netdp_status status = netdp_quiet_parse(name, &kind, error);
    if (status != NETDP_OK)
        return netdp_i_within(error, status, "%s: privacy.quiet", variant->study->path);
    if (kind.family == NETDP_QUIET_FRESH || variant->role != NETDP_I_NETWORK)
        return NETDP_OK;
    const netdp_linear plain = netdp_protocol_describe(named, variant->problem->mixing, settings);
    const int64_t phases = netdp_linear_contributions(&plain);
    variant->quiet = NETDP_I_NEW(double, phases *phases);
    if (variant->quiet == NULL)
        return netdp_i_no_memory(error);
    settings->quiet = (netdp_quiet){variant->quiet, phases};
    status = netdp_i_quiet_make(name, variant->study->privacy.for_gossip ? "gossip" : "sums",
                                &plain, variant->quiet, error);
    return status == NETDP_OK
               ? NETDP_OK
               : netdp_i_within(error, status, "%s: privacy.quiet", variant->study->path);
}

/* The variant's gossip; what is auto is found by the calibration. */
static netdp_status describe_gossip(netdp_i_variant *variant, netdp_error *error)
{
    const netdp_study *study = variant->study;
    const netdp_protocol *named;
    const netdp_settings usual = NETDP_SETTINGS_USUAL;
    const int64_t least = study->protocol.phases > 0 ? study->protocol.phases : 1;
    netdp_settings settings = {.rounds =
                                   study->protocol.rounds == 0 ? least : study->protocol.rounds,
                               .dither = given_or(study->privacy.dither, usual.dither),
                               .dither_decay = given_or(study->privacy.dither_decay, 0),
                               .inner = study->protocol.inner,
                               .every = 1, /* a stream contributes in every round */
                               .end_dither = given_or(study->privacy.end_dither, usual.end_dither),
                               .accelerate = study->protocol.accelerate};
    netdp_status status = netdp_protocol_find(study->protocol.kind, &named, error);
    if (status == NETDP_OK)
        status = describe_varying(variant, &settings, error);
    const netdp_protection unit = netdp_i_study_protection(study);
    if (unit.protects == NETDP_PROTECTS_ROW && unit.batches.kind == NETDP_BATCHES_CYCLIC)
        settings.cycle = unit.batches.count;
    if (status == NETDP_OK)
        status = describe_pairs(variant, &settings.pairing, error);
    if (status == NETDP_OK)
        status = describe_quiet(variant, named, &settings, error);
    if (status == NETDP_OK)
        variant->protocol = netdp_protocol_describe(named, variant->problem->mixing, &settings);
    if (status != NETDP_OK || variant->role != NETDP_I_NETWORK)
        return status;
    status = netdp_linear_check(&variant->protocol, error);
    if (status != NETDP_OK)
        return status;
    const netdp_bound_info *info;
    status = netdp_bound_choose(&variant->protocol, variant->bound, &info, error);
    return status == NETDP_OK ? NETDP_OK
                              : netdp_i_within(error, status, "%s: privacy", study->path);
}

/* The variant's protocol, which can run. */
static netdp_status describe_protocol(netdp_i_variant *variant, netdp_error *error)
{
    return netdp_i_study_tallies(variant->study) ? netdp_i_plan_tally_describe(variant, error)
           : netdp_i_study_walks(variant->study) ? netdp_i_plan_walk_describe(variant, error)
                                                 : describe_gossip(variant, error);
}

/* "all", "random" or "u,u,..." of an account into nodes; count 0: all. */
static netdp_status read_nodes(const netdp_i_variant *variant, const char *key, const char *text,
                               uint32_t purpose, int32_t *count, int32_t **node, netdp_error *error)
{
    const netdp_graph *graph = variant->problem->graph;
    const int32_t n = netdp_graph_nodes(graph);
    int32_t room = 1;
    if (text == NULL || strcmp(text, "all") == 0)
        return NETDP_OK;
    for (const char *at = text; *at != '\0'; at++)
        room += *at == ',';
    char *names = netdp_i_copy_text(text), *rest = NULL;
    int32_t *made = NETDP_I_NEW(int32_t, room), found = 0;
    netdp_status status = names != NULL && made != NULL ? NETDP_OK : netdp_i_no_memory(error);
    if (status == NETDP_OK && strcmp(text, "random") == 0) {
        netdp_stream stream = netdp_stream_at(variant->study->seed, NETDP_FOR_PROBE, purpose, 0);
        made[found++] = (int32_t)netdp_stream_below(&stream, (uint64_t)n);
    } else {
        for (char *name = status == NETDP_OK ? strtok_r(names, ",", &rest) : NULL;
             name != NULL && status == NETDP_OK; name = strtok_r(NULL, ",", &rest))
            status = netdp_graph_find(graph, name + strspn(name, " "), &made[found++], error);
    }
    if (status == NETDP_OK && found == 0)
        status = netdp_i_fail(error, NETDP_INVALID, "names no node; give all, random, or nodes");
    netdp_i_free(names);
    if (status != NETDP_OK) {
        netdp_i_free(made);
        return netdp_i_within(error, status, "%s: %s", variant->study->path, key);
    }
    *count = found;
    *node = made;
    return NETDP_OK;
}

/* An account's pairs and its pattern of contributions. */
static netdp_status describe_account(netdp_i_variant *variant, netdp_error *error)
{
    const netdp_study *study = variant->study;
    const netdp_linear *protocol = &variant->protocol;
    netdp_status status = NETDP_OK;
    if (variant->source_count == 0)
        status = read_nodes(variant, "privacy.from", study->privacy.from, 2, &variant->source_count,
                            &variant->source, error);
    if (status == NETDP_OK && variant->observer_count == 0)
        status = read_nodes(variant, "privacy.to", study->privacy.to, 3, &variant->observer_count,
                            &variant->observer, error);
    if (status != NETDP_OK || study->privacy.pattern == NULL ||
        strcmp(study->privacy.pattern, "worst") == 0)
        return status;
    if (netdp_i_study_walks(study) || protocol->every == 0 ||
        !netdp_i_pattern_fill(study->privacy.pattern, 0, NULL))
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: privacy.pattern: '%.40s' applies to stream, gossip-sgd and "
                            "muffliato-sgd, and is ones, alternating or cos:OMEGA",
                            study->path, study->privacy.pattern);
    const int64_t slots = (protocol->rounds - 1) / protocol->every + 1;
    variant->pattern = NETDP_I_NEW(double, slots);
    if (variant->pattern == NULL)
        return netdp_i_no_memory(error);
    (void)netdp_i_pattern_fill(study->privacy.pattern, slots, variant->pattern);
    return NETDP_OK;
}

netdp_status netdp_i_variant_describe(netdp_i_variant *variant, netdp_error *error)
{
    if (variant->role == NETDP_I_CENTRAL)
        return NETDP_OK;
    netdp_status status = draw_pairs(variant, error);
    if (status != NETDP_OK)
        return status;
    if (netdp_i_study_realises(variant->study))
        return netdp_i_realised_describe(variant, error);
    status = netdp_bound_parse(variant->study->privacy.bound, &variant->bound, error);
    if (status != NETDP_OK)
        return netdp_i_within(error, status, "%s: privacy.bound", variant->study->path);
    status = describe_protocol(variant, error);
    if (status == NETDP_OK) {
        netdp_i_sample_widen(variant);
        status = netdp_i_sample_check(variant, error);
    }
    return status == NETDP_OK && netdp_i_study_accounts(variant->study)
               ? describe_account(variant, error)
               : status;
}

/* One release of the mean, or one a step: mu = sqrt(releases) / sigma, rounded up. */
static netdp_status calibrate_central(netdp_i_variant *variant, netdp_error *error)
{
    const netdp_study *study = variant->study;
    const double releases = netdp_i_study_learns(study) ? (double)study->task.central_steps : 1;
    double mu = 0;
    netdp_status status =
        netdp_epsilon_to_gdp(study->privacy.epsilon, study->privacy.delta, &mu, error);
    if (status == NETDP_OK)
        variant->noise =
            isinf(mu) ? 0 : nextafter(nextafter(sqrt(releases), INFINITY) / mu, INFINITY);
    return status;
}

/*
 * The same for phases of as many rounds as paper C's formula gives: the fewest that are enough at
 * the noise to which they lead.
 */
static netdp_status calibrate_phases(netdp_i_variant *variant, const netdp_loss_request *request,
                                     const netdp_target *target, netdp_calibration *calibration,
                                     netdp_losses **losses, const netdp_progress *progress,
                                     netdp_error *error)
{
    const int64_t phases = variant->study->protocol.phases;
    const int32_t n = netdp_graph_nodes(variant->problem->graph);
    netdp_linear *protocol = &variant->protocol;
    netdp_spectrum spectrum;
    int64_t inner = 1;
    netdp_status status =
        netdp_mixing_spectrum(protocol->mixing, NETDP_SPECTRAL_AUTO, &spectrum, error);
    if (status == NETDP_OK)
        status =
            netdp_rounds_auto(spectrum.gap, n, target->max_noise, target->variance, &inner, error);
    while (status == NETDP_OK) {
        if (inner > MOST_ROUNDS / phases)
            return netdp_i_fail(error, NETDP_INVALID,
                                "protocol.phases: %lld phases of %lld rounds are more than %d "
                                "rounds; give fewer",
                                (long long)phases, (long long)inner, MOST_ROUNDS);
        protocol->every = inner;
        protocol->rounds = phases * inner;
        status = netdp_calibrate(request, target, progress, calibration, losses, error);
        if (status != NETDP_OK)
            return status;
        /* Without noise, as if it were 1: what calibration does for averaging. */
        const double noise = calibration->noise > 0 ? calibration->noise : 1;
        status = netdp_rounds_auto(spectrum.gap, n, noise, target->variance, &inner, error);
        if (status == NETDP_OK && inner <= protocol->every)
            return NETDP_OK;
        netdp_losses_free(*losses);
        *losses = NULL;
    }
    return status;
}

netdp_loss_request netdp_i_variant_ask(const netdp_i_variant *variant)
{
    netdp_protection protection = netdp_i_study_protection(variant->study);
    protection.share = variant->problem->share;
    return (netdp_loss_request){
        .protocol = &variant->protocol,
        .sees = variant->study->privacy.sees,
        .own_noise = variant->study->privacy.own_noise,
        .bound = variant->role == NETDP_I_LOCAL ? NETDP_BOUND_EVERYTHING : variant->bound,
        .pattern = variant->pattern,
        .from_count = variant->source_count,
        .from = variant->source,
        .to_count = variant->observer_count,
        .to = variant->observer,
        .pool = variant->role == NETDP_I_NETWORK ? (int32_t)variant->study->privacy.pool : 1,
        .protection = protection};
}

/* Rounds by the formula at the study's own noise. */
static netdp_status choose_rounds(netdp_i_variant *variant, netdp_error *error)
{
    const netdp_study *study = variant->study;
    const int64_t phases = study->protocol.phases > 0 ? study->protocol.phases : 1;
    const bool fixed = variant->protocol.varying.kind == NETDP_VARY_NEVER;
    double gap = variant->problem->gap;
    int64_t rounds = 1;
    netdp_status status =
        fixed && gap > 0 ? NETDP_OK : netdp_linear_gap(&variant->protocol, &gap, error);
    if (status == NETDP_OK)
        status = netdp_rounds_auto(gap, netdp_graph_nodes(variant->problem->graph), variant->noise,
                                   study->protocol.variance, &rounds, error);
    if (status == NETDP_OK && rounds > MOST_ROUNDS / phases)
        status =
            netdp_i_fail(error, NETDP_INVALID,
                         "protocol.rounds: auto gives more than %d; give a number", MOST_ROUNDS);
    if (status != NETDP_OK)
        return status;
    variant->protocol.rounds = phases * rounds;
    if (study->protocol.phases > 0)
        variant->protocol.every = rounds;
    return NETDP_OK;
}

static netdp_status calibrate_gossip(netdp_i_variant *variant, netdp_calibration *calibration,
                                     netdp_losses **losses, const netdp_progress *progress,
                                     netdp_error *error)
{
    const netdp_study *study = variant->study;
    const bool local = variant->role == NETDP_I_LOCAL;
    const netdp_loss_request request = netdp_i_variant_ask(variant);
    const netdp_target target = {
        .epsilon = study->privacy.epsilon,
        .unit = netdp_i_study_unit(study),
        .over = local && variant->protocol.senders_only
                    ? NETDP_OVER_WORST /* nodes contribute unequally */
                    : study->privacy.over,
        .max_noise = 1e6,
        .rounds_auto = study->protocol.rounds == 0 && study->protocol.phases == 0,
        .variance = study->protocol.variance,
        .tune_dither = study->privacy.dither < 0 && !local,
        .tune_pairs = study->privacy.pair_noise < 0 && !local,
        .keep_second = study->privacy.dither_decay >= 0 && study->privacy.end_dither >= 0,
        .even_unsound = variant->bound != NETDP_BOUND_AUTO};
    netdp_status status =
        study->protocol.phases > 0
            ? calibrate_phases(variant, &request, &target, calibration, losses, progress, error)
            : netdp_calibrate(&request, &target, progress, calibration, losses, error);
    if (status != NETDP_OK)
        return status;
    variant->noise = calibration->noise;
    variant->protocol.rounds = calibration->rounds;
    variant->protocol.dither = calibration->dither;
    variant->protocol.dither_decay = calibration->dither_decay;
    variant->protocol.end_dither = calibration->end_dither;
    variant->protocol.pairing.noise = calibration->pair_noise;
    return NETDP_OK;
}

/* The account at the study's own noise, in place of a calibration. */
static netdp_status account(netdp_i_variant *variant, netdp_calibration *calibration,
                            netdp_losses **losses, const netdp_progress *progress,
                            netdp_error *error)
{
    const netdp_study *study = variant->study;
    const netdp_unit unit = netdp_i_study_unit(study);
    netdp_status status = NETDP_OK;
    variant->noise = study->privacy.noise;
    if (variant->token.law != NULL) {
        const netdp_walk_request request = {.token = &variant->token,
                                            .bound = variant->bound,
                                            .noise = variant->noise,
                                            .unit = unit,
                                            .from_count = variant->source_count,
                                            .from = variant->source,
                                            .to_count = variant->observer_count,
                                            .to = variant->observer};
        status = netdp_walk_losses_new(&request, progress, losses, error);
    } else {
        if (study->protocol.rounds == 0)
            status = choose_rounds(variant, error);
        const netdp_loss_request request = netdp_i_variant_ask(variant);
        if (status == NETDP_OK)
            status = netdp_losses_new(&request, progress, losses, error);
    }
    calibration->noise = variant->noise;
    return status == NETDP_OK
               ? netdp_losses_summary(*losses, variant->noise, unit, &calibration->achieved, error)
               : status;
}

void netdp_i_plan_constants(const netdp_i_variant *variant, char file[24])
{
    snprintf(file, 24, "law%s.txt", variant->losses + strlen("loss"));
}

/* What the nodes released for the walk's law, if they did. */
static netdp_status write_constants(const netdp_i_variant *variant, const char *folder,
                                    netdp_error *error)
{
    char path[NETDP_I_PATH_ROOM], file[24];
    if (variant->problem->released == NULL)
        return NETDP_OK;
    netdp_i_plan_constants(variant, file);
    netdp_i_file_path(path, folder, file);
    return netdp_i_constants_write(variant->problem->released,
                                   netdp_graph_nodes(variant->problem->graph), path, error);
}

/* One variant: its noise, its guarantee, what it will err, and its losses in `folder`. */
netdp_status netdp_i_variant_calibrate(netdp_i_variant *variant, const char *folder,
                                       const netdp_progress *progress, netdp_error *error)
{
    const double epsilon = variant->study->privacy.epsilon, delta = variant->study->privacy.delta;
    netdp_calibration calibration;
    netdp_losses *losses = NULL;
    netdp_status status = NETDP_OK;
    if (netdp_i_study_realises(variant->study))
        return netdp_i_realised_account(variant, progress, error);
    if (variant->role == NETDP_I_CENTRAL)
        status = calibrate_central(variant, error);
    else if (variant->study->privacy.noise > 0)
        status = account(variant, &calibration, &losses, progress, error);
    else if (variant->tally.nodes > 0)
        status = netdp_i_plan_tally_calibrate(variant, &calibration, &losses, progress, error);
    else if (variant->token.law != NULL)
        status = netdp_i_plan_walk_calibrate(variant, &calibration, &losses, progress, error);
    else
        status = calibrate_gossip(variant, &calibration, &losses, progress, error);
    if (status == NETDP_OK && losses != NULL)
        status =
            netdp_losses_settle(losses, variant->noise, netdp_i_study_unit(variant->study), error);
    if (status == NETDP_OK)
        status = predict_error(variant, error);
    if (status == NETDP_OK && variant->role == NETDP_I_NETWORK)
        status = netdp_i_variant_guarantee(variant, losses, &calibration.achieved, folder,
                                           &variant->guarantee, error);
    if (status == NETDP_OK && variant->role == NETDP_I_NETWORK)
        status = write_constants(variant, folder, error);
    if (status == NETDP_OK && variant->role != NETDP_I_NETWORK)
        variant->guarantee = promise_everyone(losses, epsilon, delta);
    netdp_losses_free(losses);
    return status;
}

/* Says which variant a failure belongs to, where the study lists some. */
static netdp_status within(const netdp_study *study, const netdp_i_variant *variant,
                           netdp_status status, netdp_error *error)
{
    return status != NETDP_OK && status != NETDP_INTERRUPTED && study->variation_count > 0
               ? netdp_i_within(error, status, "variant %s", variant->name)
               : status;
}

/* Who runs what, before any noise is known; every protocol can run. */
static netdp_status list_variants(const netdp_study *study, const netdp_i_problems *problems,
                                  netdp_i_plan *plan, netdp_error *error)
{
    const int32_t several = study->variation_count;
    plan->variant = NETDP_I_NEW(netdp_i_variant, several > 0 ? several + 2 : 3);
    if (plan->variant == NULL)
        return netdp_i_no_memory(error);
    plan->count = several > 0 ? several + 2 : 3;
    netdp_status status = NETDP_OK;
    for (int32_t i = 0; i < plan->count && status == NETDP_OK; i++) {
        const char *const usual[] = {"central", "local",
                                     netdp_i_study_tallies(study) ? "token"
                                     : netdp_i_study_walks(study) ? "walk"
                                                                  : "gossip"};
        netdp_i_variant *variant = &plan->variant[i];
        *variant = (netdp_i_variant){.role = i < 2 ? (netdp_i_variant_role)i : NETDP_I_NETWORK,
                                     .study = study,
                                     .problem = problems->made[0]};
        if (i < 2 || several == 0) {
            variant->name = usual[i];
            snprintf(variant->losses, sizeof variant->losses, "loss");
        } else {
            variant->name = study->variation[i - 2].name;
            variant->study = study->variation[i - 2].study;
            variant->problem = problems->of[i - 2];
            snprintf(variant->losses, sizeof variant->losses, "loss-%d", (int)i - 1);
        }
        status = netdp_i_variant_describe(variant, error);
        if (i >= 2)
            status = within(study, variant, status, error);
    }
    return status;
}

netdp_status netdp_i_plan_make(const netdp_study *study, const netdp_i_problems *problems,
                               const char *folder, const netdp_progress *progress,
                               netdp_i_plan *plan, netdp_error *error)
{
    netdp_i_plan made = {0};
    netdp_status status = list_variants(study, problems, &made, error);
    for (int32_t i = 0; i < made.count && status == NETDP_OK; i++)
        status =
            within(study, &made.variant[i],
                   netdp_i_variant_calibrate(&made.variant[i], folder, progress, error), error);
    if (status != NETDP_OK) {
        netdp_i_plan_clear(&made);
        return status;
    }
    *plan = made;
    return NETDP_OK;
}

json_t *netdp_i_plan_store(const netdp_i_plan *plan)
{
    json_t *list = json_array();
    for (int32_t i = 0; list != NULL && i < plan->count; i++) {
        const netdp_i_variant *variant = &plan->variant[i];
        json_array_append_new(
            list,
            json_pack("{s:f, s:f, s:f, s:f, s:f, s:I, s:I, s:f, s:f, s:o}", "noise", variant->noise,
                      "pair_noise", variant->protocol.pairing.noise, "dither",
                      variant->protocol.dither, "dither_decay", variant->protocol.dither_decay,
                      "end_dither", variant->protocol.end_dither, "rounds",
                      (json_int_t)variant->protocol.rounds, "every",
                      (json_int_t)variant->protocol.every, "predicted", variant->predicted,
                      "expected", variant->expected, "guarantee",
                      netdp_i_promise_json(&variant->guarantee)));
    }
    return list;
}

static bool restore_variant(json_t *stored, netdp_i_variant *variant)
{
    const netdp_linear given = variant->protocol;
    const bool tuned = variant->study->privacy.dither < 0 && variant->role != NETDP_I_LOCAL;
    json_int_t rounds = 0, every = 0;
    json_t *guarantee = NULL;
    if (json_unpack(stored, "{s:F, s:F, s:F, s:F, s:F, s:I, s:I, s:F, s:F, s:o !}", "noise",
                    &variant->noise, "pair_noise", &variant->protocol.pairing.noise, "dither",
                    &variant->protocol.dither, "dither_decay", &variant->protocol.dither_decay,
                    "end_dither", &variant->protocol.end_dither, "rounds", &rounds, "every", &every,
                    "predicted", &variant->predicted, "expected", &variant->expected, "guarantee",
                    &guarantee) != 0 ||
        !netdp_i_promise_read(guarantee, &variant->guarantee) ||
        (!tuned && (variant->protocol.dither != given.dither || /* which the study gives */
                    variant->protocol.dither_decay != given.dither_decay ||
                    variant->protocol.pairing.noise != given.pairing.noise ||
                    variant->protocol.end_dither != given.end_dither)))
        return false;
    variant->protocol.rounds = rounds;
    variant->protocol.every = every;
    if (variant->tally.nodes > 0)
        netdp_i_plan_tally_set(variant);
    return true;
}

netdp_status netdp_i_plan_restore(const json_t *stored, const netdp_study *study,
                                  const netdp_i_problems *problems, netdp_i_plan *plan,
                                  netdp_error *error)
{
    netdp_i_plan made = {0};
    netdp_status status = list_variants(study, problems, &made, error);
    bool whole = status == NETDP_OK && json_array_size(stored) == (size_t)made.count;
    for (int32_t i = 0; whole && i < made.count; i++)
        whole = restore_variant(json_array_get(stored, (size_t)i), &made.variant[i]);
    if (status == NETDP_OK && !whole)
        status = netdp_i_fail(error, NETDP_INVALID, "the plan in it is not whole");
    if (status != NETDP_OK) {
        netdp_i_plan_clear(&made);
        return status;
    }
    *plan = made;
    return NETDP_OK;
}

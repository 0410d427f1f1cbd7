#include "study/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <netdp/simulate.h>

#include "account/pairs.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"

/* Above this many pairs the losses go into loss.npy instead of loss.csv. */
#define CSV_PAIRS 10000

static const char *const variant_name[NETDP_I_VARIANTS] = {"central", "local", "gossip"};

void netdp_i_plan_clear(netdp_i_plan *plan)
{
    for (int i = 0; i < NETDP_I_VARIANTS; i++)
        json_decref(plan->variant[i].guarantee);
    *plan = (netdp_i_plan){0};
}

/* [{"distance": 1, "pairs": .., "mean": .., "max": ..}, ...], nearest first. */
static netdp_status list_classes(const netdp_i_pairs *pairs, json_t **list, netdp_error *error)
{
    netdp_i_class *classes = NULL;
    netdp_status status = netdp_i_pairs_classes(pairs, &classes, error);
    if (status != NETDP_OK)
        return status;
    json_t *made = json_array();
    for (int32_t d = 1; d <= netdp_graph_nodes(pairs->graph); d++)
        if (classes[d].pairs > 0)
            json_array_append_new(made, json_pack("{s:i, s:I, s:o, s:o}", "distance", (int)d,
                                                  "pairs", (json_int_t)classes[d].pairs, "mean",
                                                  netdp_i_json_double(classes[d].mean), "max",
                                                  netdp_i_json_double(classes[d].most)));
    netdp_i_free(classes);
    *list = made;
    return made == NULL ? netdp_i_no_memory(error) : NETDP_OK;
}

static netdp_status write_losses(const netdp_i_pairs *pairs, const char *folder, netdp_error *error)
{
    char path[4096];
    const int64_t count = (int64_t)pairs->losses->from_count * pairs->losses->to_count;
    const bool csv = count <= CSV_PAIRS;
    snprintf(path, sizeof path, "%s/loss.%s", folder, csv ? "csv" : "npy");
    return csv ? netdp_i_pairs_write_csv(pairs, path, error)
               : netdp_i_pairs_write_npy(pairs, pairs->losses->loss, path, error);
}

/* A guarantee that is the same towards everyone: central and local. */
static json_t *uniform_guarantee(const char *bound, double epsilon, double delta)
{
    return json_pack("{s:s, s:b, s:b, s:o, s:o, s:n, s:o, s:n, s:o}", "bound", bound, "sound", 1,
                     "certified", 1, "epsilon", netdp_i_json_double(epsilon), "delta",
                     netdp_i_json_double(delta), "by_distance", "mean",
                     netdp_i_json_double(epsilon), "worst", "local", netdp_i_json_double(epsilon));
}

static netdp_status pairwise_guarantee(const netdp_i_problem *problem, const netdp_losses *losses,
                                       const netdp_calibration *calibration, netdp_unit unit,
                                       const char *folder, json_t **guarantee, netdp_error *error)
{
    netdp_i_pairs pairs = {0};
    json_t *classes = NULL;
    netdp_status status =
        netdp_i_pairs_new(problem->graph, losses, calibration->noise, unit, NULL, &pairs, error);
    if (status == NETDP_OK)
        status = write_losses(&pairs, folder, error);
    if (status == NETDP_OK)
        status = list_classes(&pairs, &classes, error);
    netdp_i_pairs_clear(&pairs);
    if (status != NETDP_OK)
        return status;
    const netdp_summary *achieved = &calibration->achieved;
    *guarantee = json_pack(
        "{s:s, s:b, s:b, s:n, s:o, s:o, s:o, s:{s:i, s:i, s:o}, s:o}", "bound", losses->bound->name,
        "sound", (int)losses->sound, "certified", (int)losses->certified, "epsilon", "delta",
        netdp_i_json_double(unit.parameter), "by_distance", classes, "mean",
        netdp_i_json_double(achieved->mean), "worst", "from", (int)achieved->worst_from, "to",
        (int)achieved->worst_to, "epsilon", netdp_i_json_double(achieved->max), "local",
        netdp_i_json_double(achieved->local));
    return *guarantee == NULL ? netdp_i_no_memory(error) : NETDP_OK;
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

/* The objective that the simulation must show: exact up to NETDP_DENSE_NODES nodes, above -1
 * (unknown). */
static netdp_status predict_error(const netdp_i_problem *problem, netdp_i_variant *variant,
                                  netdp_error *error)
{
    variant->predicted = -1;
    if (problem->train != NULL)
        return NETDP_OK;
    const double n = netdp_graph_nodes(problem->graph);
    const double scale = variant->noise * problem->sensitivity;
    if (variant->protocol.mixing == NULL) {
        variant->predicted = problem->width * scale * scale / (2 * n * n);
        return NETDP_OK;
    }
    if (n > NETDP_DENSE_NODES)
        return NETDP_OK;
    double unmixed = 0, noise = 0;
    netdp_status status = unmixed_error(problem, &variant->protocol, &unmixed, error);
    if (status == NETDP_OK)
        status = netdp_noise_error(&variant->protocol, &noise, error);
    if (status == NETDP_OK)
        variant->predicted = unmixed + problem->width * scale * scale * noise;
    return status;
}

/* The study's protocol; where its rounds are auto, the calibration finds them. */
static netdp_status describe(const netdp_study *study, const netdp_i_problem *problem,
                             netdp_linear *protocol, netdp_error *error)
{
    const netdp_protocol *named;
    const netdp_settings settings = {.rounds =
                                         study->protocol.rounds == 0 ? 1 : study->protocol.rounds,
                                     .dither = study->privacy.dither,
                                     .inner = study->protocol.inner,
                                     .end_dither = study->privacy.end_dither,
                                     .accelerate = study->protocol.accelerate};
    netdp_status status = netdp_protocol_find(study->protocol.kind, &named, error);
    if (status == NETDP_OK)
        *protocol = netdp_protocol_describe(named, problem->mixing, &settings);
    return status;
}

static netdp_status calibrate_gossip(const netdp_study *study, const netdp_i_problem *problem,
                                     netdp_bound bound, netdp_i_variant *variant,
                                     netdp_calibration *calibration, netdp_losses **losses,
                                     const netdp_progress *progress, netdp_error *error)
{
    netdp_status status = describe(study, problem, &variant->protocol, error);
    if (status != NETDP_OK)
        return status;
    const netdp_loss_request request = {.protocol = &variant->protocol,
                                        .sees = study->privacy.sees,
                                        .own_noise = study->privacy.own_noise,
                                        .bound = bound};
    const netdp_target target = {.epsilon = study->privacy.epsilon,
                                 .unit = {NETDP_AS_DP, study->privacy.delta},
                                 .over = study->privacy.over,
                                 .max_noise = 1e6,
                                 .rounds_auto = study->protocol.rounds == 0,
                                 .variance = study->protocol.variance};
    status = netdp_calibrate(&request, &target, progress, calibration, losses, error);
    if (status != NETDP_OK)
        return status;
    variant->noise = calibration->noise;
    variant->protocol.rounds = calibration->rounds;
    return predict_error(problem, variant, error);
}

netdp_status netdp_i_plan_make(const netdp_study *study, const netdp_i_problem *problem,
                               const char *folder, const netdp_progress *progress,
                               netdp_i_plan *plan, netdp_error *error)
{
    const double epsilon = study->privacy.epsilon, delta = study->privacy.delta;
    netdp_i_plan made = {0};
    netdp_calibration calibration;
    netdp_losses *losses = NULL;
    netdp_i_variant *central = &made.variant[NETDP_I_CENTRAL];
    netdp_i_variant *local = &made.variant[NETDP_I_LOCAL];
    netdp_i_variant *gossip = &made.variant[NETDP_I_GOSSIP];
    for (int i = 0; i < NETDP_I_VARIANTS; i++)
        made.variant[i].name = variant_name[i];

    double mu = 0;
    netdp_status status = netdp_epsilon_to_gdp(epsilon, delta, &mu, error);
    if (status != NETDP_OK)
        goto done;
    /* One release of the mean, or one a step: mu = sqrt(releases) / sigma, rounded up. */
    const double releases = netdp_i_study_learns(study) ? (double)study->task.central_steps : 1;
    central->noise = isinf(mu) ? 0 : nextafter(nextafter(sqrt(releases), INFINITY) / mu, INFINITY);
    central->guarantee = uniform_guarantee("trusted aggregator", epsilon, delta);
    status = predict_error(problem, central, error);
    if (status == NETDP_OK)
        status = calibrate_gossip(study, problem, NETDP_BOUND_EVERYTHING, local, &calibration, NULL,
                                  progress, error);
    if (status != NETDP_OK)
        goto done;
    local->guarantee = uniform_guarantee("everything", epsilon, delta);
    if (central->guarantee == NULL || local->guarantee == NULL) {
        status = netdp_i_no_memory(error);
        goto done;
    }
    status = calibrate_gossip(study, problem, NETDP_BOUND_AUTO, gossip, &calibration, &losses,
                              progress, error);
    if (status == NETDP_OK)
        status = pairwise_guarantee(problem, losses, &calibration, (netdp_unit){NETDP_AS_DP, delta},
                                    folder, &gossip->guarantee, error);
    if (status != NETDP_OK)
        goto done;
    *plan = made;
    made = (netdp_i_plan){0};
done:
    netdp_losses_free(losses);
    netdp_i_plan_clear(&made);
    return status;
}

json_t *netdp_i_plan_store(const netdp_i_plan *plan)
{
    json_t *list = json_array();
    for (int i = 0; list != NULL && i < NETDP_I_VARIANTS; i++) {
        const netdp_i_variant *variant = &plan->variant[i];
        json_array_append_new(list, json_pack("{s:f, s:f, s:I, s:f, s:O}", "noise", variant->noise,
                                              "dither", variant->protocol.dither, "rounds",
                                              (json_int_t)variant->protocol.rounds, "predicted",
                                              variant->predicted, "guarantee", variant->guarantee));
    }
    return list;
}

netdp_status netdp_i_plan_restore(const json_t *stored, const netdp_study *study,
                                  const netdp_i_problem *problem, netdp_i_plan *plan,
                                  netdp_error *error)
{
    netdp_i_plan made = {0};
    bool whole = json_array_size(stored) == NETDP_I_VARIANTS;
    for (int i = 0; whole && i < NETDP_I_VARIANTS; i++) {
        netdp_i_variant *variant = &made.variant[i];
        json_int_t rounds = 0;
        variant->name = variant_name[i];
        whole =
            i == NETDP_I_CENTRAL || describe(study, problem, &variant->protocol, error) == NETDP_OK;
        whole =
            whole &&
            json_unpack(json_array_get(stored, (size_t)i), "{s:F, s:F, s:I, s:F, s:O !}", "noise",
                        &variant->noise, "dither", &variant->protocol.dither, "rounds", &rounds,
                        "predicted", &variant->predicted, "guarantee", &variant->guarantee) == 0;
        variant->protocol.rounds = rounds;
    }
    if (!whole) {
        netdp_i_plan_clear(&made);
        return netdp_i_fail(error, NETDP_INVALID, "the plan in it is not whole");
    }
    *plan = made;
    return NETDP_OK;
}

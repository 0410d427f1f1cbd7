#include "study/plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <netdp/simulate.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"

/* Above this many pairs the losses go into loss.npy instead of loss.csv. */
#define CSV_PAIRS 10000

static const char *const variant_name[NETDP_I_VARIANTS] = {"central", "local", "gossip"};

void netdp_i_plan_clear(netdp_i_plan *plan)
{
    for (int i = 0; i < NETDP_I_VARIANTS; i++)
        json_decref(plan->variant[i].guarantee);
    *plan = (netdp_i_plan){0};
}

/* Pairs at one distance. */
typedef struct class
{
    int64_t pairs;
    double sum, max;
} class;

/* Every pair's distance and epsilon, one observer a piece. */
typedef struct tally {
    const netdp_graph *graph;
    const netdp_losses *losses;
    double noise;
    netdp_unit unit;
    int32_t *distance; /* [observers][nodes] */
    double *epsilon;   /* [observers][nodes] */
} tally;

static netdp_status tally_observer(void *context, int64_t index, int thread, netdp_error *error)
{
    (void)thread;
    tally *t = context;
    const int32_t n = t->losses->from_count;
    const int64_t row = index * n;
    netdp_status status =
        netdp_graph_distances(t->graph, t->losses->to + index, 1, t->distance + row, error);
    for (int32_t u = 0; status == NETDP_OK && u < n; u++)
        if (netdp_losses_counts(t->losses, u, (int32_t)index))
            status = netdp_loss_value(t->losses->loss[row + u], t->noise, t->unit,
                                      &t->epsilon[row + u], error);
    return status;
}

static netdp_status tally_new(tally *t, const netdp_i_problem *problem, const netdp_losses *losses,
                              double noise, netdp_unit unit, netdp_error *error)
{
    const int64_t pairs = (int64_t)losses->from_count * losses->to_count;
    *t = (tally){.graph = problem->graph, .losses = losses, .noise = noise, .unit = unit};
    t->distance = NETDP_I_NEW(int32_t, pairs);
    t->epsilon = NETDP_I_NEW(double, pairs);
    if (t->distance == NULL || t->epsilon == NULL)
        return netdp_i_no_memory(error);
    return netdp_i_for_each(losses->to_count, tally_observer, t, NULL, "conversion", error);
}

static void tally_clear(tally *t)
{
    netdp_i_free(t->distance);
    netdp_i_free(t->epsilon);
}

/* [{"distance": 1, "pairs": .., "mean": .., "max": ..}, ...], nearest first. */
static json_t *tally_classes(const tally *t, netdp_error *error)
{
    const int32_t n = t->losses->from_count;
    class *classes = NETDP_I_NEW(class, (int64_t)n + 1);
    json_t *list = json_array();
    if (classes == NULL || list == NULL) {
        netdp_i_free(classes);
        json_decref(list);
        (void)netdp_i_no_memory(error);
        return NULL;
    }
    for (int64_t i = 0; i < (int64_t)n * t->losses->to_count; i++) {
        if (t->distance[i] < 1)
            continue;
        class *mine = &classes[t->distance[i]];
        mine->pairs++;
        mine->sum += t->epsilon[i];
        mine->max = fmax(mine->max, t->epsilon[i]);
    }
    for (int32_t d = 1; d <= n; d++)
        if (classes[d].pairs > 0)
            json_array_append_new(
                list, json_pack("{s:i, s:I, s:o, s:o}", "distance", (int)d, "pairs",
                                (json_int_t)classes[d].pairs, "mean",
                                netdp_i_json_double(fmin(
                                    classes[d].max, classes[d].sum / (double)classes[d].pairs *
                                                        (1 + 2.3e-16 * (double)classes[d].pairs))),
                                "max", netdp_i_json_double(classes[d].max)));
    netdp_i_free(classes);
    return list;
}

static netdp_status write_csv(const tally *t, const char *path, netdp_error *error)
{
    netdp_i_output output;
    const int32_t n = t->losses->from_count;
    netdp_status status = netdp_i_output_open(&output, path, error);
    if (status != NETDP_OK)
        return status;
    fputs("from,to,distance,loss,epsilon\n", output.stream);
    for (int32_t u = 0; u < n; u++)
        for (int32_t v = 0; v < t->losses->to_count; v++) {
            const int64_t at = (int64_t)v * n + u;
            if (!netdp_losses_counts(t->losses, u, v))
                continue;
            fprintf(output.stream, "%" PRId32 ",%" PRId32 ",%" PRId32 ",", t->losses->from[u],
                    t->losses->to[v], t->distance[at]);
            netdp_i_print_double(output.stream, t->losses->loss[at]);
            fputc(',', output.stream);
            netdp_i_print_double(output.stream, t->epsilon[at]);
            fputc('\n', output.stream);
        }
    return netdp_i_output_commit(&output, error);
}

/* loss[from][to], infinity on the diagonal. */
static netdp_status write_npy(const tally *t, const char *path, netdp_error *error)
{
    const int64_t from = t->losses->from_count, to = t->losses->to_count;
    double *turned = NETDP_I_NEW(double, from *to);
    if (turned == NULL)
        return netdp_i_no_memory(error);
    for (int64_t v = 0; v < to; v++)
        for (int64_t u = 0; u < from; u++)
            turned[u * to + v] = t->losses->loss[v * from + u];
    netdp_status status = netdp_i_npy_write(turned, from, to, path, error);
    netdp_i_free(turned);
    return status;
}

static netdp_status write_losses(const tally *t, const char *folder, netdp_error *error)
{
    char path[4096];
    const bool csv = (int64_t)t->losses->from_count * t->losses->to_count <= CSV_PAIRS;
    snprintf(path, sizeof path, "%s/loss.%s", folder, csv ? "csv" : "npy");
    return csv ? write_csv(t, path, error) : write_npy(t, path, error);
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
    tally t = {0};
    json_t *classes = NULL;
    netdp_status status = tally_new(&t, problem, losses, calibration->noise, unit, error);
    if (status == NETDP_OK)
        status = write_losses(&t, folder, error);
    if (status == NETDP_OK) {
        classes = tally_classes(&t, error);
        status = classes == NULL ? NETDP_NO_MEMORY : NETDP_OK;
    }
    tally_clear(&t);
    if (status != NETDP_OK)
        return status;
    const netdp_summary *achieved = &calibration->achieved;
    *guarantee =
        json_pack("{s:s, s:b, s:b, s:n, s:o, s:o, s:o, s:{s:i, s:i, s:o}, s:o}", "bound", "exact",
                  "sound", (int)losses->sound, "certified", (int)losses->certified, "epsilon",
                  "delta", netdp_i_json_double(unit.parameter), "by_distance", classes, "mean",
                  netdp_i_json_double(achieved->mean), "worst", "from", (int)achieved->worst_from,
                  "to", (int)achieved->worst_to, "epsilon", netdp_i_json_double(achieved->max),
                  "local", netdp_i_json_double(achieved->local));
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
    netdp_status status = netdp_simulate(protocol, 0, problem->values, d, (netdp_run_seed){0, 0}, 1,
                                         NULL, NULL, result, error);
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
    const double n = netdp_graph_nodes(problem->graph);
    const double scale = variant->noise * problem->sensitivity;
    if (variant->protocol.mixing == NULL) {
        variant->predicted = problem->width * scale * scale / (2 * n * n);
        return NETDP_OK;
    }
    variant->predicted = -1;
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

static netdp_status calibrate_gossip(const netdp_study *study, const netdp_i_problem *problem,
                                     netdp_bound bound, netdp_i_variant *variant,
                                     netdp_calibration *calibration, netdp_losses **losses,
                                     const netdp_progress *progress, netdp_error *error)
{
    variant->protocol = (netdp_linear){.mixing = problem->mixing,
                                       .rounds = study->protocol.rounds,
                                       .dither = study->privacy.dither};
    if (study->protocol.rounds == 0)
        variant->protocol.rounds = 1; /* the calibration finds them */
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
    netdp_status status = netdp_calibrate(&request, &target, progress, calibration, losses, error);
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
    /* One release of the mean: the noise multiplier of a single Gaussian, rounded up. */
    central->noise = isinf(mu) ? 0 : nextafter(1 / mu, INFINITY);
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
    status = calibrate_gossip(study, problem, NETDP_BOUND_EXACT, gossip, &calibration, &losses,
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

netdp_status netdp_i_plan_restore(const json_t *stored, const netdp_i_problem *problem,
                                  netdp_i_plan *plan, netdp_error *error)
{
    netdp_i_plan made = {0};
    bool whole = json_array_size(stored) == NETDP_I_VARIANTS;
    for (int i = 0; whole && i < NETDP_I_VARIANTS; i++) {
        netdp_i_variant *variant = &made.variant[i];
        json_int_t rounds = 0;
        variant->name = variant_name[i];
        whole =
            json_unpack(json_array_get(stored, (size_t)i), "{s:F, s:F, s:I, s:F, s:O !}", "noise",
                        &variant->noise, "dither", &variant->protocol.dither, "rounds", &rounds,
                        "predicted", &variant->predicted, "guarantee", &variant->guarantee) == 0;
        variant->protocol.rounds = rounds;
        if (i != NETDP_I_CENTRAL)
            variant->protocol.mixing = problem->mixing;
    }
    if (!whole) {
        netdp_i_plan_clear(&made);
        return netdp_i_fail(error, NETDP_INVALID, "the plan in it is not whole");
    }
    *plan = made;
    return NETDP_OK;
}

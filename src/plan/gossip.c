#include "plan/gossip.h"

#include <math.h>
#include <string.h>
#include <netdp/simulate.h>

#include "account/losses/losses.h"
#include "account/gossip/pairs_left.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/try.h"
#include "mixing/alike.h"
#include "plan/own.h"
#include "protocol/threat.h"

/* The most rounds that a study may ask for. */
#define MOST_ROUNDS 1000000000

/* The multiplications that fit into a minute of a slow core. */
#define MOST_WORK 3e10

static netdp_status describe(netdp_i_variant *variant, netdp_error *error)
{
    const netdp_bound_info *info;
    TRY(netdp_i_variant_ask(variant, error));
    variant->protocol = variant->about.protocol;
    if (variant->role != NETDP_I_NETWORK)
        return NETDP_OK;
    TRY(netdp_i_own_given(variant, error));
    TRY(netdp_linear_check(&variant->protocol, error));
    return netdp_i_within(error,
                          netdp_bound_choose(&variant->protocol, variant->bound, &info, error),
                          "%s: privacy", variant->study->path);
}

/* As many rounds more, of each phase where there are some, that little is left of the pairwise noise. */
static netdp_status longer_for_pairs(const netdp_i_variant *variant, int64_t least, int64_t *rounds,
                                     netdp_error *error)
{
    netdp_linear protocol = variant->protocol;
    const int64_t phases = variant->study->protocol.phases;
    protocol.rounds = phases > 0 ? phases * least : least;
    protocol.every = phases > 0 ? least : protocol.every;
    return netdp_i_pairs_left_longer(&protocol, least, rounds, error);
}

/* Rounds of a phase at so much noise. */
static netdp_status find_inner(const netdp_i_variant *variant, double gap, double noise,
                               int64_t *inner, netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(variant->problem->graph);
    TRY(netdp_rounds_auto(gap, n, noise, variant->study->question.variance, inner, error));
    return longer_for_pairs(variant, *inner, inner, error);
}

/*
 * A calibration for phases of as many rounds as paper C's formula and the pairwise noise ask for: the fewest that are
 * enough at the noise to which they lead.
 */
static netdp_status calibrate_phases(netdp_i_variant *variant, const netdp_loss_request *request,
                                     const netdp_target *target, netdp_calibration *calibration,
                                     netdp_losses **losses, const netdp_progress *progress,
                                     netdp_error *error)
{
    const int64_t phases = variant->study->protocol.phases;
    netdp_linear *protocol = &variant->protocol;
    netdp_spectrum spectrum;
    int64_t inner = 1;
    TRY(netdp_mixing_spectrum(protocol->mixing, NETDP_SPECTRAL_AUTO, &spectrum, error));
    TRY(find_inner(variant, spectrum.gap, target->max_noise, &inner, error));
    while (true) {
        REFUSE(inner > MOST_ROUNDS / phases,
               "protocol.phases: %lld phases of %lld rounds are more than %d rounds; give fewer",
               (long long)phases, (long long)inner, MOST_ROUNDS);
        protocol->every = inner;
        protocol->rounds = phases * inner;
        TRY(netdp_calibrate(request, target, progress, calibration, losses, error));
        /* Without noise, as if it were 1: what calibration does for averaging. */
        const double noise = calibration->sigma > 0 ? calibration->sigma : 1;
        TRY(find_inner(variant, spectrum.gap, noise, &inner, error));
        if (inner <= protocol->every)
            return NETDP_OK;
        netdp_losses_free(*losses);
        *losses = NULL;
    }
}

netdp_loss_request netdp_i_plan_gossip_ask(const netdp_i_variant *variant)
{
    netdp_loss_request request = variant->about.request;
    request.protocol = &variant->protocol;
    request.bound = variant->role == NETDP_I_LOCAL ? NETDP_BOUND_EVERYTHING : variant->bound;
    request.from_count = variant->source_count;
    request.from = variant->source;
    request.to_count = variant->observer_count;
    request.to = variant->observer;
    request.coalition = variant->coalition;
    request.pool = variant->role == NETDP_I_NETWORK ? (int32_t)variant->study->privacy.pool : 1;
    request.protection.share = variant->problem->share;
    return request;
}

static netdp_status find_gap(const netdp_i_variant *variant, double *gap, netdp_error *error)
{
    const bool fixed = variant->protocol.varying.kind == NETDP_VARY_NEVER;
    *gap = variant->problem->gap;
    return fixed && *gap > 0 ? NETDP_OK : netdp_linear_gap(&variant->protocol, gap, error);
}

/* Rounds by the formula at the study's own noise. */
static netdp_status choose_rounds(netdp_i_variant *variant, netdp_error *error)
{
    const netdp_study *study = variant->study;
    const int64_t phases = study->protocol.phases > 0 ? study->protocol.phases : 1;
    double gap;
    int64_t rounds = 1;
    TRY(find_gap(variant, &gap, error));
    TRY(netdp_rounds_auto(gap, netdp_graph_nodes(variant->problem->graph), variant->noise,
                          study->question.variance, &rounds, error));
    REFUSE(rounds > MOST_ROUNDS / phases, "protocol.rounds: auto gives more than %d; give a number",
           MOST_ROUNDS);
    TRY(longer_for_pairs(variant, rounds, &rounds, error));
    variant->protocol.rounds = phases * rounds;
    if (study->protocol.phases > 0)
        variant->protocol.every = rounds;
    return NETDP_OK;
}

static netdp_status calibrate(netdp_i_variant *variant, netdp_calibration *calibration,
                              netdp_losses **losses, const netdp_progress *progress,
                              netdp_error *error)
{
    const netdp_study *study = variant->study;
    const bool local = variant->role == NETDP_I_LOCAL;
    const netdp_loss_request request = netdp_i_plan_gossip_ask(variant);
    const netdp_target target = {
        .epsilon = study->privacy.epsilon,
        .unit = netdp_i_study_unit(study),
        .over = local && variant->protocol.senders_only
                    ? NETDP_OVER_WORST /* nodes contribute unequally */
                    : study->privacy.over,
        .max_noise = 1e6,
        .rounds_auto = study->protocol.rounds == 0 && study->protocol.phases == 0,
        .variance = study->question.variance,
        .tune_dither = study->question.settings.noise.dither < 0 && !local,
        .tune_pairs = study->question.settings.noise.pairing.kappa < 0 && !local,
        .keep_second =
            study->question.settings.noise.decay >= 0 && study->question.settings.noise.end >= 0,
        .even_unsound = variant->bound != NETDP_BOUND_AUTO};
    TRY(study->protocol.phases > 0
            ? calibrate_phases(variant, &request, &target, calibration, losses, progress, error)
            : netdp_calibrate(&request, &target, progress, calibration, losses, error));
    variant->noise = calibration->sigma;
    variant->protocol.rounds = calibration->rounds;
    variant->protocol.noise = calibration->noise;
    return NETDP_OK;
}

static netdp_status account(netdp_i_variant *variant, const netdp_progress *progress,
                            netdp_losses **losses, netdp_error *error)
{
    if (variant->study->protocol.rounds == 0)
        TRY(choose_rounds(variant, error));
    const netdp_loss_request request = netdp_i_plan_gossip_ask(variant);
    return netdp_losses_new(&request, progress, losses, error);
}

static netdp_status again(const netdp_i_variant *variant, const netdp_i_pairs_of *pairs,
                          const netdp_progress *progress, netdp_losses **losses, netdp_error *error)
{
    netdp_loss_request request = netdp_i_plan_gossip_ask(variant);
    request.to_count = pairs->to_count;
    request.to = pairs->to;
    TRY(netdp_losses_new(&request, progress, losses, error));
    return netdp_losses_settle(*losses, variant->noise, netdp_i_study_unit(variant->study), error);
}

static netdp_threat threat(const netdp_i_variant *variant)
{
    return netdp_i_threat_gossip(variant->study->question.sees, variant->study->question.own_noise,
                                 variant->protocol.cycle > 1);
}

/* Half the mean squared error without noise: what the rounds have not mixed yet. */
static netdp_status unmixed_error(const netdp_i_problem *problem, const netdp_linear *protocol,
                                  double *objective, netdp_error *error)
{
    const int32_t n = netdp_graph_nodes(problem->graph), d = problem->width;
    int32_t count = n;
    OWNED double *result = NETDP_I_NEW(double, (int64_t)n *d);
    OWNED bool *living = NETDP_I_NEW(bool, n);
    if (result == NULL || living == NULL)
        return netdp_i_no_memory(error);
    TRY(netdp_variation_living(protocol->mixing, &protocol->varying, living, &count, error));
    TRY(netdp_simulate(protocol, 0, problem->values, d, (netdp_run_seed){0, 0},
                       (netdp_tracing){.every = 1}, result, error));
    double sum = 0;
    for (int32_t j = 0; j < d; j++) {
        const double truth = (problem->truth[j] - problem->low[j]) / problem->scale[j];
        for (int64_t u = 0; u < n; u++)
            sum += living[u] ? (result[u * d + j] - truth) * (result[u * d + j] - truth) : 0;
    }
    *objective = sum / (2.0 * count);
    return NETDP_OK;
}

static netdp_status predict(netdp_i_variant *variant, netdp_error *error)
{
    const netdp_i_problem *problem = variant->problem;
    const double scale = variant->noise * problem->sensitivity;
    double unmixed = 0, noise = 0;
    if (netdp_graph_nodes(problem->graph) > NETDP_DENSE_NODES || variant->protocol.own != NULL)
        return NETDP_OK;
    TRY(unmixed_error(problem, &variant->protocol, &unmixed, error));
    TRY(netdp_noise_error(&variant->protocol, &noise, error));
    variant->expected = problem->width * scale * scale * noise;
    variant->predicted = unmixed + variant->expected;
    return NETDP_OK;
}

/* By multiplications of the account towards all; INFINITY where they are not known. */
static double effort(const netdp_i_variant *variant)
{
    const netdp_study *study = variant->study;
    const double n = netdp_graph_nodes(variant->problem->graph);
    netdp_linear protocol = variant->protocol;
    netdp_loss_request request = {.protocol = &protocol,
                                  .sees = study->question.sees,
                                  .own_noise = study->question.own_noise};
    netdp_plan plan;
    netdp_error ignored;
    double gap = 0, work = INFINITY;
    if (netdp_bound_parse(study->question.bound, &request.bound, &ignored) != NETDP_OK)
        return INFINITY;
    if (study->protocol.rounds == 0) { /* auto: as many as at noise 1 */
        int64_t rounds = 1;
        const int64_t phases = study->protocol.phases > 0 ? study->protocol.phases : 1;
        if (find_gap(variant, &gap, &ignored) != NETDP_OK ||
            netdp_rounds_auto(gap, (int32_t)n, 1, study->question.variance, &rounds, &ignored) !=
                NETDP_OK ||
            rounds > INT64_MAX / phases)
            return INFINITY;
        protocol.rounds = rounds * phases;
        if (study->protocol.phases > 0)
            protocol.every = rounds;
    }
    if (netdp_i_losses_way(&request, &plan, &ignored) != NETDP_OK)
        return INFINITY;
    for (int32_t i = 0; i < plan.ways; i++)
        work = fmin(work, plan.way[i].work);
    /* One way only: on all nodes, in every round. */
    return n * (plan.ways > 0 ? work : (double)protocol.rounds * n * n * n) / MOST_WORK;
}

/* Pairs of another graph than the network's own may tell apart nodes that W does not. */
static bool pairs_alike(const netdp_pairing *pairing)
{
    const char *name = netdp_pairing_is(pairing) ? netdp_graph_origin(pairing->graph) : "edges";
    return !pairing->weighted && (strcmp(name, "edges") == 0 || strcmp(name, "complete") == 0);
}

/* Does the variant's account tell all observers the same, by theorem? */
static bool tells_everything(const netdp_i_variant *variant)
{
    const netdp_loss_request request = netdp_i_plan_gossip_ask(variant);
    const netdp_bound_info *bound;
    netdp_error ignored;
    return netdp_bound_choose(request.protocol, request.bound, &bound, &ignored) == NETDP_OK &&
           bound->bound == NETDP_BOUND_EVERYTHING && !variant->protocol.senders_only &&
           !netdp_pairing_is(&variant->protocol.noise.pairing);
}

static bool is_alike(const netdp_i_variant *variant)
{
    return !netdp_i_own_is(variant->study) &&
           (tells_everything(variant) ||
            (variant->protocol.varying.kind == NETDP_VARY_NEVER &&
             pairs_alike(&variant->protocol.noise.pairing) &&
             netdp_i_rows_alike(netdp_mixing_rows(variant->protocol.mixing))));
}

static int64_t rounds(const netdp_i_variant *variant)
{
    return variant->protocol.rounds;
}

static netdp_pairing pairing(const netdp_i_variant *variant)
{
    return variant->protocol.noise.pairing;
}

const netdp_i_planning netdp_i_planning_gossip = {"gossip", describe, account,  calibrate,
                                                  again,    threat,   predict,  rounds,
                                                  pairing,  effort,   is_alike, NULL};

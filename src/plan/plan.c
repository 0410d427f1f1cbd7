#include "plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "account/losses/losses.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/try.h"
#include "plan/constants.h"
#include "plan/own.h"
#include "plan/realised.h"
#include "plan/sample.h"
#include "plan/tally.h"
#include "protocol/noise.h"

void netdp_i_plan_clear(netdp_i_plan *plan)
{
    for (int32_t i = 0; i < plan->count; i++)
        netdp_i_variant_clear(&plan->variant[i]);
    netdp_i_free(plan->variant);
    *plan = (netdp_i_plan){0};
}

static const netdp_i_planning *const kinds[] = {[NETDP_GOSSIP] = &netdp_i_planning_gossip,
                                                [NETDP_WALK] = &netdp_i_planning_walk,
                                                [NETDP_TALLY] = &netdp_i_planning_tally};

const netdp_i_planning *netdp_i_variant_planning(const netdp_i_variant *variant)
{
    return kinds[variant->kind];
}

netdp_status netdp_i_variant_describe(netdp_i_variant *variant, netdp_error *error)
{
    if (variant->role == NETDP_I_CENTRAL)
        return NETDP_OK;
    TRY(netdp_i_sample_draw(variant, error));
    if (netdp_i_study_realises(variant->study))
        return netdp_i_realised_describe(variant, error);
    variant->kind = netdp_i_study_kind(variant->study);
    TRY(kinds[variant->kind]->describe(variant, error));
    netdp_i_sample_widen(variant);
    TRY(netdp_i_sample_check(variant, error));
    if (!netdp_i_study_accounts(variant->study))
        return NETDP_OK;
    return netdp_i_sample_name(variant, error);
}

/*
 * Laplace's scale in units of Delta, the L2 sensitivity, that is worth epsilon: the L1 sensitivity over it. A value of
 * a histogram moves from one bin to another: 2, where L2 is sqrt(2); columns of equal spans: their number, where
 * L2 is its root.
 */
static double laplace_scale(const netdp_i_variant *variant)
{
    const netdp_study *study = variant->study;
    const double apart = netdp_i_study_counts(study) ? 2 : variant->problem->width;
    return nextafter(nextafter(sqrt(apart), INFINITY) / study->privacy.epsilon, INFINITY);
}

/*
 * A token may have noise that is not Gaussian, and its sum with it less at the same guarantee: then the trusted aggregator
 * takes the one of the two that errs less. Laplace's (epsilon, 0) is an (epsilon, delta) too.
 */
static void choose_central(netdp_i_variant *variant)
{
    const double scale = laplace_scale(variant);
    if (netdp_i_study_tallies(variant->study) &&
        2 * scale * scale < variant->noise * variant->noise) {
        variant->laplace = true;
        variant->noise = scale;
    }
}

/* One release of the mean, or one a step: mu = sqrt(releases) / sigma, rounded up. */
static netdp_status account_central(netdp_i_variant *variant, double *epsilon, netdp_error *error)
{
    const netdp_study *study = variant->study;
    const double releases = netdp_i_study_learns(study) ? (double)study->task.central_steps : 1;
    double mu = 0;
    if (study->privacy.noise > 0) {
        variant->noise = study->privacy.noise;
        mu = nextafter(nextafter(sqrt(releases), INFINITY) / variant->noise, INFINITY);
        return netdp_gdp_to_epsilon(mu, study->privacy.delta, epsilon, error);
    }
    *epsilon = study->privacy.epsilon;
    TRY(netdp_epsilon_to_gdp(study->privacy.epsilon, study->privacy.delta, &mu, error));
    variant->noise = isinf(mu) ? 0 : nextafter(nextafter(sqrt(releases), INFINITY) / mu, INFINITY);
    choose_central(variant);
    return NETDP_OK;
}

/* The account at the study's own noise, in place of a calibration. */
static netdp_status account(netdp_i_variant *variant, netdp_calibration *calibration,
                            netdp_losses **losses, const netdp_progress *progress,
                            netdp_error *error)
{
    variant->noise = calibration->sigma = variant->study->privacy.noise;
    TRY(kinds[variant->kind]->account(variant, progress, losses, error));
    /* Values for their own noise: tokens that count have a flip in its place. */
    const double noise = (*losses)->final ? (*losses)->noise : variant->noise;
    return netdp_losses_summary(*losses, noise, netdp_i_study_unit(variant->study),
                                &calibration->achieved, error);
}

/*
 * The objective that the simulation must show; of walks, and of gossip on more than NETDP_DENSE_NODES
 * nodes, -1 (unknown).
 */
static netdp_status predict_error(netdp_i_variant *variant, netdp_error *error)
{
    const netdp_i_problem *problem = variant->problem;
    const double n = netdp_graph_nodes(problem->graph), scale = variant->noise * problem->central;
    variant->predicted = variant->expected = -1;
    if (problem->train != NULL || netdp_i_study_accounts(variant->study))
        return NETDP_OK;
    if (variant->role == NETDP_I_CENTRAL)
        variant->predicted = variant->expected =
            (variant->laplace ? 2 : 1) * problem->width * scale * scale / (2 * n * n);
    else if (kinds[variant->kind]->predict != NULL)
        return kinds[variant->kind]->predict(variant, error);
    return NETDP_OK;
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
    const double delta = variant->study->privacy.delta;
    double epsilon = variant->study->privacy.epsilon; /* a baseline's, towards everyone */
    netdp_calibration calibration;
    OWNED_BY(netdp_losses_free) netdp_losses *losses = NULL;
    if (netdp_i_study_realises(variant->study))
        return netdp_i_realised_account(variant, progress, error);
    if (variant->role == NETDP_I_CENTRAL)
        TRY(account_central(variant, &epsilon, error));
    else if (variant->study->privacy.noise > 0)
        TRY(account(variant, &calibration, &losses, progress, error));
    else
        TRY(kinds[variant->kind]->calibrate(variant, &calibration, &losses, progress, error));
    if (variant->role == NETDP_I_NETWORK)
        TRY(netdp_i_own_meet(variant, &losses, &calibration.achieved, progress, error));
    if (losses != NULL)
        TRY(netdp_losses_settle(losses, variant->noise, netdp_i_study_unit(variant->study), error));
    if (losses != NULL && variant->study->privacy.noise > 0)
        epsilon = calibration.achieved.max;
    TRY(predict_error(variant, error));
    if (variant->role == NETDP_I_NETWORK)
        TRY(netdp_i_variant_guarantee(variant, losses, &calibration.achieved, folder, progress,
                                      &variant->guarantee, error));
    if (variant->role == NETDP_I_NETWORK && folder != NULL)
        TRY(write_constants(variant, folder, error));
    if (variant->role != NETDP_I_NETWORK)
        variant->guarantee = netdp_i_promise_everyone(losses, epsilon, delta);
    return NETDP_OK;
}

/* Says which variant a failure belongs to, where the study lists some. */
static netdp_status within(const netdp_study *study, const netdp_i_variant *variant,
                           netdp_status status, netdp_error *error)
{
    return status != NETDP_OK && status != NETDP_INTERRUPTED && study->variation_count > 0
               ? netdp_i_within(error, status, "variant %s", variant->name)
               : status;
}

netdp_i_variant netdp_i_plan_variant(const netdp_study *study, const netdp_i_problems *problems,
                                     int32_t i)
{
    const bool several = study->variation_count > 0;
    const netdp_study *own = several ? study->variation[i].study : study;
    netdp_i_variant variant = {.role = NETDP_I_NETWORK,
                               .name = several ? study->variation[i].name
                                               : kinds[netdp_i_study_kind(study)]->name,
                               .study = own,
                               .problem = several ? problems->of[i] : problems->made[0]};
    if (several)
        snprintf(variant.losses, sizeof variant.losses, "loss-%hd", (short)(i + 1));
    else
        snprintf(variant.losses, sizeof variant.losses, "loss");
    return variant;
}

/* Who runs what, before any noise is known; every protocol can run. */
static netdp_status list_variants(const netdp_study *study, const netdp_i_problems *problems,
                                  netdp_i_plan *plan, netdp_error *error)
{
    static const char *const baselines[] = {"central", "local"};
    const int32_t several = study->variation_count;
    plan->variant = NETDP_I_NEW(netdp_i_variant, several > 0 ? several + 2 : 3);
    NEED(plan->variant);
    plan->count = several > 0 ? several + 2 : 3;
    for (int32_t i = 0; i < plan->count; i++) {
        netdp_i_variant *variant = &plan->variant[i];
        if (i >= 2)
            *variant = netdp_i_plan_variant(study, problems, i - 2);
        else
            *variant = (netdp_i_variant){.role = (netdp_i_variant_role)i,
                                         .name = baselines[i],
                                         .study = study,
                                         .problem = problems->made[0],
                                         .losses = "loss"};
        const netdp_status status = netdp_i_variant_describe(variant, error);
        TRY(i >= 2 ? within(study, variant, status, error) : status);
    }
    return NETDP_OK;
}

netdp_status netdp_i_plan_make(const netdp_study *study, const netdp_i_problems *problems,
                               const char *folder, const netdp_progress *progress,
                               netdp_i_plan *plan, netdp_error *error)
{
    CLEARED(netdp_i_plan_clear) netdp_i_plan made = {0};
    TRY(list_variants(study, problems, &made, error));
    for (int32_t i = 0; i < made.count; i++)
        TRY(within(study, &made.variant[i],
                   netdp_i_variant_calibrate(&made.variant[i], folder, progress, error), error));
    *plan = made;
    made = (netdp_i_plan){0};
    return NETDP_OK;
}

/* A token has that of pairs alone. */
static netdp_noise noise_of(const netdp_i_variant *variant)
{
    return variant->kind == NETDP_GOSSIP
               ? variant->protocol.noise
               : (netdp_noise){.pairing = netdp_i_variant_pairing(variant)};
}

json_t *netdp_i_plan_store(const netdp_i_plan *plan)
{
    json_t *list = json_array();
    for (int32_t i = 0; list != NULL && i < plan->count; i++) {
        const netdp_i_variant *variant = &plan->variant[i];
        const netdp_linear of =
            variant->kind == NETDP_GOSSIP ? variant->protocol : (netdp_linear){0};
        const netdp_noise noise = noise_of(variant);
        json_t *one =
            json_pack("{s:f, s:b}", "noise", variant->noise, "laplace", (int)variant->laplace);
        netdp_i_noise_show(&noise, ~0U, one);
        json_object_update_new(one, json_pack("{s:I, s:I, s:f, s:f, s:o, s:o}", "rounds",
                                              (json_int_t)of.rounds, "every", (json_int_t)of.every,
                                              "predicted", variant->predicted, "expected",
                                              variant->expected, "guarantee",
                                              netdp_i_promise_json(&variant->guarantee), "own",
                                              netdp_i_own_json(variant)));
        json_array_append_new(list, one);
    }
    return list;
}

static bool restore_variant(json_t *stored, netdp_i_variant *variant)
{
    const bool gossip = variant->kind == NETDP_GOSSIP;
    const bool tuned =
        variant->study->question.settings.noise.dither < 0 && variant->role != NETDP_I_LOCAL;
    const netdp_noise given = noise_of(variant);
    netdp_noise held = given;
    const char *part;
    int laplace = 0;
    json_int_t rounds = 0, every = 0;
    json_t *guarantee = NULL, *own = NULL;
    if (!netdp_i_noise_take(stored, &held, &part) ||
        json_unpack(stored, "{s:F, s:b, s:I, s:I, s:F, s:F, s:o, s:o !}", "noise", &variant->noise,
                    "laplace", &laplace, "rounds", &rounds, "every", &every, "predicted",
                    &variant->predicted, "expected", &variant->expected, "guarantee", &guarantee,
                    "own", &own) != 0 ||
        !netdp_i_promise_read(guarantee, &variant->guarantee) ||
        (!tuned && !netdp_i_noise_equal(&held, &given))) /* which the study gives */
        return false;
    variant->laplace = laplace != 0;
    if (gossip) {
        variant->protocol.noise = held;
        variant->protocol.rounds = rounds;
        variant->protocol.every = every;
    }
    if (!netdp_i_own_restore(own, variant))
        return false;
    if (variant->kind == NETDP_TALLY)
        netdp_i_plan_tally_set(variant);
    return true;
}

netdp_status netdp_i_plan_restore(const json_t *stored, const netdp_study *study,
                                  const netdp_i_problems *problems, netdp_i_plan *plan,
                                  netdp_error *error)
{
    CLEARED(netdp_i_plan_clear) netdp_i_plan made = {0};
    TRY(list_variants(study, problems, &made, error));
    bool whole = json_array_size(stored) == (size_t)made.count;
    for (int32_t i = 0; whole && i < made.count; i++)
        whole = restore_variant(json_array_get(stored, (size_t)i), &made.variant[i]);
    REFUSE(!whole, "the plan in it is not whole");
    *plan = made;
    made = (netdp_i_plan){0};
    return NETDP_OK;
}

/* A variant's own: its unit, its length, and what it frees. */
#include "plan/variant.h"

#include "base/fail.h"
#include "base/memory.h"

void netdp_i_variant_clear(netdp_i_variant *variant)
{
    netdp_i_promise_clear(&variant->guarantee);
    netdp_i_free(variant->observer);
    netdp_i_free(variant->source);
    netdp_i_free(variant->own);
    netdp_i_description_clear(&variant->about);
}

/* What its study asks; baselines have neither noise in pairs nor noise that is correlated over phases. */
static void take_question(netdp_i_variant *variant)
{
    const netdp_study *study = variant->study;
    netdp_i_question *question = &variant->question;
    netdp_settings *settings = &question->settings;
    *question = study->question;
    question->from = question->to = "all"; /* sample.c names or draws them */
    question->calibrates = true;           /* as far as it is concerned: a study has its noise */
    question->levels = study->task.levels > 0 ? study->task.levels : question->levels;
    if (question->phases > 0)
        question->count = question->phases;
    netdp_i_settings_begin(settings);
    settings->noise.pairing.kappa =
        settings->noise.pairing.kappa >= 0 ? settings->noise.pairing.kappa : 10;
    variant->as_is.pair_graph = variant->problem->pairs;
    question->as_is = &variant->as_is;
    if (variant->role == NETDP_I_NETWORK)
        return;
    variant->as_is.pair_graph = NULL;
    question->pair_graph = NULL;
    settings->noise.pairing = (netdp_pairing){0};
    question->quiet = "fresh";
    if (variant->role ==
        NETDP_I_LOCAL) /* seen one by one, every contribution needs its own noise */
        settings->schedule = NETDP_TALLY_EVERY;
}

netdp_status netdp_i_variant_ask(netdp_i_variant *variant, netdp_error *error)
{
    const netdp_i_problem *problem = variant->problem;
    const netdp_i_network network = {
        .graph = problem->graph, .mixing = problem->mixing, .law = problem->law};
    netdp_i_description_clear(&variant->about);
    take_question(variant);
    netdp_status status = netdp_i_question_begin(&variant->question, &variant->about, error);
    if (status == NETDP_OK)
        status = netdp_i_question_describe(&variant->question, &network, &variant->about, error);
    variant->bound = variant->about.request.bound;
    if (status != NETDP_OK)
        netdp_i_spell(NETDP_I_SPELL_KEYS, error);
    return netdp_i_within(error, status, "%s", variant->study->path);
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
    return netdp_i_variant_planning(variant)->rounds(variant);
}

netdp_pairing netdp_i_variant_pairing(const netdp_i_variant *variant)
{
    const netdp_i_planning *planning = netdp_i_variant_planning(variant);
    return planning->pairing != NULL ? planning->pairing(variant) : (netdp_pairing){0};
}

bool netdp_i_variant_is_token(const netdp_i_variant *variant)
{
    return variant->kind != NETDP_GOSSIP;
}

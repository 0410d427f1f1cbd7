/* A variant's own: its unit, its length, and what it frees. */
#include "plan/variant.h"

#include "base/memory.h"

void netdp_i_variant_clear(netdp_i_variant *variant)
{
    netdp_i_promise_clear(&variant->guarantee);
    netdp_i_free(variant->observer);
    netdp_i_free(variant->source);
    netdp_i_free(variant->own);
    netdp_i_free(variant->pattern);
    netdp_graph_free(variant->pairs);
    netdp_route_free(variant->route);
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

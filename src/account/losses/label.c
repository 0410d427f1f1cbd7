#include "account/losses/label.h"

/* An upper bound in this case? The table says no more than this. */
static bool holds(const netdp_bound_info *bound, netdp_i_case of)
{
    return bound->sound || (bound->sound_of_sums && of.sums) || (bound->sound_once && of.once);
}

void netdp_i_judge(const netdp_bound_info *bound, netdp_i_case of, netdp_losses *losses)
{
    losses->bound = bound;
    losses->sound = holds(bound, of);
    losses->certified = losses->sound && of.outward;
    losses->reason = !losses->sound       ? bound->summary
                     : !losses->certified ? "computed in floating point (not in ball arithmetic)"
                                          : NULL;
}

void netdp_i_judge_drawn(netdp_losses *losses)
{
    if (losses->sound)
        losses->reason = "an estimate: of drawn observers or sources, not of all pairs";
    losses->sound = losses->certified = false;
}

json_t *netdp_i_reason_json(const netdp_losses *losses)
{
    return losses->reason != NULL ? json_string(losses->reason) : json_null();
}

void netdp_i_given_json(const netdp_losses *losses, json_t *object)
{
    if (losses->given_count == 0)
        return;
    json_t *given = json_object();
    for (int32_t k = 0; k < losses->given_count; k++)
        if (losses->given[k].pairs > 0)
            json_object_set_new(given, losses->given[k].bound->name,
                                json_integer(losses->given[k].pairs));
    json_object_set_new(object, "least_of", given);
}

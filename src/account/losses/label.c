#include "account/losses/label.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
                     : of.why != NULL     ? of.why
                     : !losses->certified ? "computed in floating point (not in ball arithmetic)"
                                          : NULL;
}

void netdp_i_judge_together(const netdp_i_judgement *one, netdp_losses *all)
{
    if ((all->sound && !one->sound) || (all->certified && !one->certified) || all->reason == NULL)
        all->reason = one->reason;
    all->sound = all->sound && one->sound;
    all->certified = all->certified && one->certified;
}

void netdp_i_judge_found(netdp_losses *losses)
{
    if (losses->sound)
        losses->reason = "of the coalition that a search found, one node after another; others of "
                         "its size may learn more, but none more than under local differential "
                         "privacy";
    losses->sound = losses->certified = false;
}

void netdp_losses_guarantee(const netdp_losses *losses, double value, netdp_unit unit,
                            netdp_guarantee *guarantee)
{
    *guarantee = (netdp_guarantee){
        .value = value,
        .unit = unit,
        .direction = losses->bound->bound == NETDP_BOUND_LOWER ? NETDP_LOWER : NETDP_UPPER,
        .bound = losses->bound->name,
        .sound = losses->sound,
        .certified = losses->certified,
        .why = losses->reason,
        .threat = losses->threat};
    if (losses->members > 1)
        guarantee->threat.assumes = "nodes follow the protocol and, but for the coalition, do not "
                                    "collude";
}

netdp_guarantee netdp_i_guarantee_by(const netdp_bound_info *bound, netdp_i_case of)
{
    netdp_losses losses = {.members = 1};
    netdp_guarantee guarantee;
    netdp_i_judge(bound, of, &losses);
    netdp_losses_guarantee(&losses, NAN, (netdp_unit){NETDP_AS_DP, NAN}, &guarantee);
    return guarantee;
}

void netdp_i_guarantee_drawn(netdp_guarantee *guarantee)
{
    guarantee->estimate = guarantee->sound;
    if (guarantee->sound)
        guarantee->why = "an estimate: of drawn observers or sources, not of all pairs";
    guarantee->sound = guarantee->certified = false;
}

const char *netdp_i_guarantee_word(const netdp_guarantee *guarantee)
{
    return guarantee->estimate ? "an estimate"
           : guarantee->sound  ? "an upper bound"
                               : "NOT an upper bound";
}

void netdp_i_guarantee_verdict(const netdp_guarantee *guarantee, char text[NETDP_I_VERDICT_ROOM])
{
    snprintf(text, NETDP_I_VERDICT_ROOM, "%s%s %s", netdp_i_guarantee_word(guarantee),
             guarantee->sound ? "," : ";", guarantee->why != NULL ? guarantee->why : "certified");
}

static const char *const directions[] = {[NETDP_UPPER] = "upper", [NETDP_LOWER] = "lower"};

json_t *netdp_i_guarantee_json(const netdp_guarantee *guarantee, json_t *numbers)
{
    json_t *made = json_pack("{s:s, s:s, s:b, s:b}", "bound", guarantee->bound, "direction",
                             directions[guarantee->direction], "sound", (int)guarantee->sound,
                             "certified", (int)guarantee->certified);
    if (numbers != NULL)
        json_object_update_new(made, numbers);
    json_object_update_new(made, json_pack("{s:s?, s:s?}", "reason", guarantee->why, "assumes",
                                           guarantee->threat.assumes));
    return made;
}

bool netdp_i_guarantee_read(const json_t *object, netdp_guarantee *guarantee)
{
    int sound = 0, certified = 0;
    const char *direction = directions[NETDP_UPPER]; /* until 0.1 it was not written */
    if (json_unpack((json_t *)object, "{s:s, s?s, s:b, s:b}", "bound", &guarantee->bound,
                    "direction", &direction, "sound", &sound, "certified", &certified) != 0 ||
        (strcmp(direction, directions[NETDP_UPPER]) != 0 &&
         strcmp(direction, directions[NETDP_LOWER]) != 0))
        return false;
    guarantee->direction =
        strcmp(direction, directions[NETDP_UPPER]) == 0 ? NETDP_UPPER : NETDP_LOWER;
    guarantee->threat.assumes = json_string_value(json_object_get(object, "assumes"));
    guarantee->sound = sound;
    guarantee->certified = certified;
    guarantee->estimate = json_is_object(json_object_get(object, "estimate"));
    guarantee->why = json_string_value(json_object_get(object, "reason"));
    return true;
}

void netdp_i_given_json(const netdp_given *given, int32_t count, json_t *object)
{
    json_t *made = count > 0 ? json_object() : NULL;
    for (int32_t k = 0; k < count; k++)
        if (given[k].pairs > 0)
            json_object_set_new(made, given[k].bound->name, json_integer(given[k].pairs));
    if (count > 0)
        json_object_set_new(object, "least_of", made);
}

int32_t netdp_i_given_read(const json_t *object, netdp_given given[3])
{
    int32_t count = 0;
    for (const netdp_bound_info *bound = netdp_bounds(); bound->name != NULL && count < 3; bound++)
        if (bound->walk && json_object_get(object, bound->name) != NULL)
            given[count++] =
                (netdp_given){bound, json_integer_value(json_object_get(object, bound->name))};
    return count;
}

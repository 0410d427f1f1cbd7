/* A study's token that sums or counts: its description, its noise and what it releases. */
#ifndef NETDP_I_PLAN_TALLY_H
#define NETDP_I_PLAN_TALLY_H

#include "plan/variant.h"

/* The variant's noise becomes its tally's. */
void netdp_i_plan_tally_set(netdp_i_variant *variant);

/*
 * What the first run released, in the data's unit: [{"name", "value", "deviation", "low", "high",
 * "level"}, ...] of totals over all contributions.
 */
netdp_status netdp_i_plan_tally_released(const netdp_i_variant *variant, json_t **released,
                                         netdp_error *error);

#endif

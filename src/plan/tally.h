/* A study's token that sums or counts: its description, its noise and its runs. */
#ifndef NETDP_I_PLAN_TALLY_H
#define NETDP_I_PLAN_TALLY_H

#include <netdp/simulate.h>

#include "plan/variant.h"

/* The variant's tally, without noise. */
netdp_status netdp_i_plan_tally_describe(netdp_i_variant *variant, netdp_error *error);

/* The noise of a sum or the flip of a histogram, and the pairwise losses. */
netdp_status netdp_i_plan_tally_calibrate(netdp_i_variant *variant, netdp_calibration *calibration,
                                          netdp_losses **losses, const netdp_progress *progress,
                                          netdp_error *error);

/* The variant's noise becomes its tally's. */
void netdp_i_plan_tally_set(netdp_i_variant *variant);

/* Half the squared error of the mean contribution; -1: unknown. */
double netdp_i_plan_tally_predict(const netdp_i_variant *variant);

/* One run: the mean contribution, or each level's share of them, goes to result [width]. */
netdp_status netdp_i_plan_tally_simulate(const netdp_i_variant *variant, netdp_run_seed seed,
                                         netdp_tracing tracing, double *result, netdp_error *error);

/*
 * What the first run released, in the data's unit: [{"name", "value", "deviation", "low", "high",
 * "level"}, ...] of totals over all contributions.
 */
netdp_status netdp_i_plan_tally_released(const netdp_i_variant *variant, json_t **released,
                                         netdp_error *error);

#endif

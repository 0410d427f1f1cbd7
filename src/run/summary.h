/* What a run found, as JSON: summary.json, and private.json beside it. */
#ifndef NETDP_I_RUN_SUMMARY_H
#define NETDP_I_RUN_SUMMARY_H

#include "run/checkpoint.h"

/* A number, or its digits where it exceeds what JSON readers keep. */
json_t *netdp_i_seed_json(uint64_t seed);

/* Of task account: one variant's entry, and the whole. */
json_t *netdp_i_account_json(const netdp_study *study, int32_t index,
                             const netdp_i_variant *variant);
netdp_status netdp_i_account_summary_write(const netdp_study *study,
                                           const netdp_i_problems *problems, json_t *variants,
                                           const char *folder, netdp_error *error);

netdp_status netdp_i_summary_write(const netdp_study *study, const netdp_i_problems *problems,
                                   const netdp_i_plan *plan, const netdp_i_progress_made *made,
                                   const char *folder, netdp_error *error);

/* Beside it, what was computed from data, in a file that only its owner may read. */
netdp_status netdp_i_private_write(const netdp_study *study, const netdp_i_problems *problems,
                                   const netdp_i_plan *plan, const netdp_i_progress_made *made,
                                   const char *folder, netdp_error *error);

#endif

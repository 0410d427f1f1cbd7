/* What a study will run: each variant with its calibrated noise and its guarantee. */
#ifndef NETDP_I_PLAN_H
#define NETDP_I_PLAN_H

#include <jansson.h>

#include "plan/variant.h"

/* Central, local, then the network variants: the study's own protocol, or its `variants`. */
typedef struct netdp_i_plan {
    int32_t count;
    netdp_i_variant *variant;
} netdp_i_plan;

/*
 * Calibrates every variant to its study's (epsilon, delta), accounts for every pair, and writes the
 * pairwise losses of the network variants into `folder`.
 */
netdp_status netdp_i_plan_make(const netdp_study *study, const netdp_i_problems *problems,
                               const char *folder, const netdp_progress *progress,
                               netdp_i_plan *plan, netdp_error *error);

/* The i-th variant of a study's network, or of one that lists none the study itself, before it is described. */
netdp_i_variant netdp_i_plan_variant(const netdp_study *study, const netdp_i_problems *problems,
                                     int32_t i);

/* A plan as JSON, for the checkpoint, and back; `problems` lend the mixing matrices. */
json_t *netdp_i_plan_store(const netdp_i_plan *plan);
netdp_status netdp_i_plan_restore(const json_t *stored, const netdp_study *study,
                                  const netdp_i_problems *problems, netdp_i_plan *plan,
                                  netdp_error *error);

/* The file of the folder with the constants that a weighted walk goes by. */
void netdp_i_plan_constants(const netdp_i_variant *variant, char file[24]);

void netdp_i_plan_clear(netdp_i_plan *plan);

#endif

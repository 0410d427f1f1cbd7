/* What a study will run: each variant with its calibrated noise and its guarantee. */
#ifndef NETDP_I_PLAN_H
#define NETDP_I_PLAN_H

#include <jansson.h>

#include "study/problem.h"

enum { NETDP_I_CENTRAL, NETDP_I_LOCAL, NETDP_I_GOSSIP, NETDP_I_VARIANTS };

typedef struct netdp_i_variant {
    const char *name;
    double noise;          /* in units of Delta */
    netdp_linear protocol; /* unused by the central one */
    double predicted;      /* expected objective at the end */
    json_t *guarantee;     /* owned */
} netdp_i_variant;

typedef struct netdp_i_plan {
    netdp_i_variant variant[NETDP_I_VARIANTS];
} netdp_i_plan;

/*
 * Calibrates the three variants to the study's (epsilon, delta), accounts for every pair, and
 * writes the pairwise losses of gossip into `folder`.
 */
netdp_status netdp_i_plan_make(const netdp_study *study, const netdp_i_problem *problem,
                               const char *folder, const netdp_progress *progress,
                               netdp_i_plan *plan, netdp_error *error);

/* A plan as JSON, for the checkpoint, and back; `problem` lends the mixing matrix. */
json_t *netdp_i_plan_store(const netdp_i_plan *plan);
netdp_status netdp_i_plan_restore(const json_t *stored, const netdp_study *study,
                                  const netdp_i_problem *problem, netdp_i_plan *plan,
                                  netdp_error *error);

void netdp_i_plan_clear(netdp_i_plan *plan);

#endif

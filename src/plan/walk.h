/* A study's random walk: its description, its noise and who contributed how often. */
#ifndef NETDP_I_PLAN_WALK_H
#define NETDP_I_PLAN_WALK_H

#include <netdp/walk.h>

#include "plan/variant.h"

/* Does a bound count on steps that contract? Others claim as much of steps that do not. */
bool netdp_i_plan_walk_contracts(netdp_bound bound);

/* What a variant of the network is accounted for by, at its noise. */
netdp_status netdp_i_plan_walk_ask(const netdp_i_variant *variant, netdp_walk_request *request,
                                   netdp_error *error);

/* Does P visit some nodes more often than others? */
bool netdp_i_plan_walk_is_weighted(const netdp_i_variant *variant);

/*
 * {"cap", "realised_max", "mean", "local_at_realised_max": {"epsilon", "guarantee", "why"}}
 * over `runs` runs.
 */
netdp_status netdp_i_plan_walk_contributions(const netdp_i_variant *variant,
                                             const netdp_i_contributions *made, int64_t runs,
                                             json_t **told, netdp_error *error);

#endif

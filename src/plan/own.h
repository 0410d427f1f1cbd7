/* Nodes that want more: noise of their own beyond everybody's (docs/guarantees.md). */
#ifndef NETDP_I_OWN_H
#define NETDP_I_OWN_H

#include <jansson.h>

#include "plan/variant.h"

/* Does the study have such nodes? */
bool netdp_i_own_is(const netdp_study *study);

/* `own` as privacy.more_noise gives it, in the variant and its protocol. */
netdp_status netdp_i_own_given(netdp_i_variant *variant, netdp_error *error);

/*
 * As much as privacy.targets take at the variant's noise: afterwards each of these nodes has at most
 * its epsilon, over all or towards the worst observer as the study says, which *losses and
 * *achieved tell anew.
 */
netdp_status netdp_i_own_meet(netdp_i_variant *variant, netdp_losses **losses,
                              netdp_summary *achieved, const netdp_progress *progress,
                              netdp_error *error);

/* For a plan that is stored: null where all are alike, else [nodes]; false: it is not whole. */
json_t *netdp_i_own_json(const netdp_i_variant *variant);
bool netdp_i_own_restore(const json_t *stored, netdp_i_variant *variant);

/* {"NODE": TIMES, ...} of the nodes with more than everybody; NULL: none has, or no memory. */
json_t *netdp_i_own_told(const netdp_i_variant *variant);

#endif

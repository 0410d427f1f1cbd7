/* Studies of task realised: what walks that were drawn tell, all pairs of all walks together. */
#ifndef NETDP_I_PLAN_REALISED_H
#define NETDP_I_PLAN_REALISED_H

#include "plan/variant.h"

/* The variant's tally and which of the accounts of netdp_tally_empirical_pairs it asks for. */
netdp_status netdp_i_realised_describe(netdp_i_variant *variant, netdp_error *error);

/*
 * `noise`, or the flip, at which one contribution alone has the study's (epsilon, delta), and
 * `guarantee`: mean, least and worst epsilon over observers, other nodes and walks.
 */
netdp_status netdp_i_realised_account(netdp_i_variant *variant, const netdp_progress *progress,
                                      netdp_error *error);

#endif

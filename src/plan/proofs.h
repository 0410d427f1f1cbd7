/* Proof files of a variant's pairs, beside its losses. */
#ifndef NETDP_I_PLAN_PROOFS_H
#define NETDP_I_PLAN_PROOFS_H

#include "account/losses/losses.h"
#include "plan/variant.h"

/*
 * "loss.FROM-TO.proof" in the folder for the worst pair and those that are drawn (by the study's seed where it simulates nothing); how many, or why there are none, on
 * the promise. Without the study's word only where they take seconds; with it what cannot be proven is an error.
 */
netdp_status netdp_i_plan_proofs(const netdp_i_variant *variant, const netdp_losses *losses,
                                 const netdp_summary *achieved, const char *folder,
                                 const netdp_progress *progress, netdp_i_promise *promise,
                                 netdp_error *error);

#endif

/* Accounts of drawn observers and sources: when all pairs are taken after all, and what an estimate
   is worth. */
#ifndef NETDP_I_SAMPLE_H
#define NETDP_I_SAMPLE_H

#include "plan/variant.h"

/*
 * Takes all pairs in place of drawn ones where that is little work: by counts of multiplications
 * and steps, never by a clock, so that every machine decides alike. The protocol is described.
 */
void netdp_i_sample_widen(netdp_i_variant *variant);

/* Are observers or sources drawn, and do others differ from them? */
bool netdp_i_sample_estimates(const netdp_i_variant *variant);

/* NETDP_INVALID where they do and the worst pair has the target. */
netdp_status netdp_i_sample_check(const netdp_i_variant *variant, netdp_error *error);

/*
 * Of drawn pairs, on the guarantee: "observers" and "sources" {"drawn", "of"} and "estimate"
 * {"confidence", "low", "high"} of the mean over all pairs; or "stands_for" {"observers",
 * "sources", "of"} where the others are like them. `holds`: the bound of each pair does, else no
 * estimate.
 */
netdp_status netdp_i_sample_tell(const netdp_i_variant *variant, const netdp_summary *achieved,
                                 bool estimate, bool holds, json_t *guarantee, netdp_error *error);

#endif

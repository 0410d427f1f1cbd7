/* Studies of task claim: the papers' formulas over a range of inputs, and what holds beside them.
 */
#ifndef NETDP_I_CLAIMING_H
#define NETDP_I_CLAIMING_H

#include "study/reading.h"

/* Does a key belong to such a study? */
bool netdp_i_key_claims(const netdp_i_key *key);

/*
 * Of a study or a variant of task claim: keys that are foreign to it, and, where `whole`, the claim
 * and its inputs. A base of variants, or of a sweep, need not be whole.
 */
netdp_status netdp_i_claiming_check(const netdp_i_reading *from, bool whole, netdp_error *error);

/* Every variant's number and what holds, into summary.json of the folder. */
netdp_status netdp_i_claiming_run(const netdp_study *study, const char *folder,
                                  const netdp_progress *progress, netdp_error *error);

#endif

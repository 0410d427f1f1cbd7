/* Studies of task claim: the papers' formulas over a range of inputs, and what holds beside them.
 */
#ifndef NETDP_I_STUDY_CLAIMS_H
#define NETDP_I_STUDY_CLAIMS_H

#include "claim/answer.h"
#include "study/reading.h"

/* Does a key belong to such a study? */
bool netdp_i_key_claims(const netdp_i_key *key);

/*
 * Of a study or a variant of task claim: keys that are foreign to it, and, where `whole`, the claim
 * and its inputs. A base of variants, or of a sweep, need not be whole.
 */
netdp_status netdp_i_claims_check(const netdp_i_reading *from, bool whole, netdp_error *error);

/* What a whole study or variant asks; *key: which of its keys is wrong. */
netdp_status netdp_i_claims_ask(const netdp_study *study, netdp_i_answer *asked, const char **key,
                                netdp_error *error);

#endif

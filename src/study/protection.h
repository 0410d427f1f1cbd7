/* The unit that a study protects. */
#ifndef NETDP_I_STUDY_PROTECTION_H
#define NETDP_I_STUDY_PROTECTION_H

#include "study/reading.h"

/* As the keys have it, without the nodes' shares. */
netdp_protection netdp_i_study_protection(const netdp_study *study);

/* What the keys of the unit demand of the others; `batches`: does the protocol take some? */
netdp_status netdp_i_protection_check(const netdp_i_reading *from, bool batches,
                                      netdp_error *error);

/* "one row of one node's data replaced (a row: one patient's record at one hospital)". */
void netdp_i_study_unit_words(const netdp_study *study, char *text, size_t room);

#endif

/* Runs a study of task claim: the papers' formulas over a range of inputs, and what holds. */
#ifndef NETDP_I_RUN_CLAIMS_H
#define NETDP_I_RUN_CLAIMS_H

#include "study/study.h"

/* Every variant's number and what holds, into summary.json of the folder. */
netdp_status netdp_i_claims_run(const netdp_study *study, const char *folder,
                                const netdp_progress *progress, netdp_error *error);

#endif
